/* thresh certify: proves whether data is linearly separable and by what margin, and compares the
 * mistake bound of each rule with its mistakes. The proof can be written to a file and checked
 * later, also by another program (docs/certificate-format.md). */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 79 /* columns of a line of text */
#define NAME  21 /* columns for the name of a rule in the table */

static const cli_option options[] = {
    {0, "gap", "SHARE", "relative width to reach for the intervals of the margins (default 0.01)"},
    {0, "time-limit", "SECONDS",
     "time limit for finding proofs, or for checking one (default 120)"},
    {'p', "passes", "N", "maximum number of passes until a rule converges (default 100)"},
    {0, "write-certificate", "FILE",
     "write the proof to this file, so that it can be checked independently"},
    {0, "check-certificate", "FILE", "only check the proof in this file against the data"},
    {0},
};

/* ---- text output -------------------------------------------------------------------------- */

static void print_number(const char *name, double v)
{
    printf("%s %.6g", name, v);
}

/* An interval of a margin. One end may be unknown (NaN). */
static void print_interval(const char *name, double low, double high)
{
    printf("%-9s  ", name);
    if (isnan(low))
        printf("at most %.6g\n", high);
    else if (isnan(high))
        printf("at least %.6g\n", low);
    else
        printf("%.6g to %.6g (%.2g%% apart)\n", low, high, 100 * (high - low) / high);
}

/* Prints words, broken into lines, from `column` on; lines after the first are indented. */
static void print_wrapped(const char *text, size_t column, int indent)
{
    bool first = true;
    for (size_t n; *text; text += n + (text[n] != '\0')) {
        n = strcspn(text, " ");
        bool fits = first || column + 1 + n <= WIDTH;
        if (!fits)
            printf("\n%*s", indent, "");
        else if (!first)
            putchar(' ');
        printf("%.*s", (int)n, text);
        column = fits ? column + !first + n : (size_t)indent + n;
        first = false;
    }
    putchar('\n');
}

static void print_report(const thr_certify_report *r)
{
    static const char *const answer[] = {"unknown", "yes", "no"};
    char text[512];
    printf("examples   %llu", (unsigned long long)r->examples);
    if (r->different && r->different < r->examples)
        printf(" (%llu different)", (unsigned long long)r->different);
    printf(", %llu feature%s, %llu label%s\n", (unsigned long long)r->features, cli_s(r->features),
           (unsigned long long)r->labels, cli_s(r->labels));
    printf("active     %.2f features an example%s\n", r->mean_active,
           r->boolean ? ", all values 1" : "");
    printf("lengths    ");
    print_number("R", r->R);
    print_number(", X", r->X);
    print_number("; least", r->least_norm);
    print_number(", mean", r->mean_norm);
    printf(" (with the bias%s)\n", r->scaled ? "; text scaled to 1" : "");
    snprintf(text, sizeof text, "separable  %s: %s%s", answer[r->separable], r->proof,
             r->checked && r->separable != THR_UNKNOWN ? "; checked in exact arithmetic" : "");
    print_wrapped(text, 0, 11);
    if (!isnan(r->gamma_low) || !isnan(r->gamma_high))
        print_interval("gamma", r->gamma_low, r->gamma_high);
    if (!isnan(r->g_low) || !isnan(r->g_high))
        print_interval("g", r->g_low, r->g_high);
    if (!isnan(r->norm1))
        printf("|u|_1      %.6g, of the u found with least y u.x = 1\n", r->norm1);
    if (*r->note) {
        fputs("note       ", stdout);
        print_wrapped(r->note, 11, 11);
    }
}

static void print_rule(const thr_certify_rule *r)
{
    int n = (int)strlen(r->learner);
    while (n > NAME) /* cut off options that do not fit; the list of bounds has the full name */
        while (n > 0 && r->learner[--n] != ',' && r->learner[n] != ':')
            continue;
    printf("%-*.*s", NAME, n, r->learner);
    if (isnan(r->bound))
        printf("  %9s", "-");
    else /* one decimal below a million, three digits above */
        printf(r->bound < 1e6 ? "  %9.1f" : "  %9.3g", r->bound);
    printf("  %8llu  %8llu", (unsigned long long)r->mistakes, (unsigned long long)r->updates);
    if (isnan(r->ratio))
        printf("  %6s", "-");
    else
        printf("  %6.3f", r->ratio);
    if (r->repeated)
        printf("  %8llu%s", (unsigned long long)(r->on_mistakes ? r->all_mistakes : r->all_updates),
               r->converged ? "" : "+");
    if (!r->holds)
        printf("%s  BROKEN", r->repeated ? "" : "          ");
    else if (r->vacuous)
        printf("%s  vacuous", r->repeated ? "" : "          ");
    putchar('\n');
}

static void print_rules(const thr_certify *c)
{
    thr_certify_rule r;
    bool limit = false;
    unsigned passes = 0;
    puts("\nrule                       bound  mistakes   updates   ratio  until it stands");
    for (size_t i = 0; thr_certify_rule_at(c, i, &r); i++) {
        print_rule(&r);
        limit |= r.repeated && !r.converged;
        passes = r.repeated && !r.converged ? r.passes : passes;
    }
    puts("\nBounds:");
    for (size_t i = 0; thr_certify_rule_at(c, i, &r); i++) {
        char text[320];
        const char *what = r.on_mistakes ? "mistakes" : "updates";
        int n = snprintf(text, sizeof text, "  %s: %s%s%s", r.learner, isnan(r.bound) ? "" : what,
                         isnan(r.bound) ? "" : " <= ", r.theorem);
        if (!isnan(r.hindsight) && r.hindsight != r.bound)
            snprintf(text + n, sizeof text - (size_t)n, "; in hindsight, one pass, %.1f",
                     r.hindsight);
        fputs("  ", stdout);
        print_wrapped(text + 2, 2, 4);
    }
    if (limit)
        printf("+: not standing still after %u pass%s\n", passes, passes == 1 ? "" : "es");
}

/* ---- JSON output -------------------------------------------------------------------------- */

static void json_verdict(cli_json *j, enum thr_verdict v)
{
    if (v == THR_UNKNOWN)
        cli_json_string(j, "separable", NULL);
    else
        cli_json_bool(j, "separable", v == THR_YES);
}

static void json_rules(cli_json *j, const thr_certify *c)
{
    thr_certify_rule r;
    cli_json_begin(j, "rules", '[');
    for (size_t i = 0; thr_certify_rule_at(c, i, &r); i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "rule", r.learner);
        cli_json_string(j, "theorem", r.theorem);
        cli_json_string(j, "bounds", r.on_mistakes ? "mistakes" : "updates");
        cli_json_real(j, "bound", r.bound);
        cli_json_real(j, "hindsight_bound", r.hindsight);
        cli_json_bool(j, "vacuous", r.vacuous);
        cli_json_bool(j, "holds", r.holds);
        cli_json_integer(j, "mistakes", r.mistakes);
        cli_json_integer(j, "updates", r.updates);
        cli_json_real(j, "ratio", r.ratio);
        cli_json_real(j, "passes", r.repeated ? (double)r.passes : NAN);
        if (r.repeated)
            cli_json_bool(j, "converged", r.converged);
        else
            cli_json_string(j, "converged", NULL);
        cli_json_real(j, "all_mistakes", r.repeated ? (double)r.all_mistakes : NAN);
        cli_json_real(j, "all_updates", r.repeated ? (double)r.all_updates : NAN);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void print_json(const thr_certify *c, double seconds)
{
    cli_json j;
    thr_certify_report r;
    thr_reading reading;
    thr_certify_about(c, &r);
    thr_certify_reading(c, &reading);
    cli_json_open(&j, stdout);
    cli_json_string(&j, "format", reading.formats);
    cli_json_integer(&j, "examples", r.examples);
    cli_json_integer(&j, "features", r.features);
    cli_json_integer(&j, "labels", r.labels);
    cli_json_real(&j, "mean_active", r.mean_active);
    cli_json_bool(&j, "boolean", r.boolean);
    cli_json_bool(&j, "scaled", r.scaled);
    cli_json_real(&j, "R", r.R);
    cli_json_real(&j, "X", r.X);
    cli_json_real(&j, "least_norm", r.least_norm);
    cli_json_real(&j, "mean_norm", r.mean_norm);
    json_verdict(&j, r.separable);
    cli_json_string(&j, "proof", r.separable == THR_UNKNOWN ? NULL : r.proof);
    cli_json_string(&j, "method", r.method);
    cli_json_bool(&j, "checked", r.checked);
    cli_json_real(&j, "gamma_low", r.gamma_low);
    cli_json_real(&j, "gamma_high", r.gamma_high);
    cli_json_real(&j, "g_low", r.g_low);
    cli_json_real(&j, "g_high", r.g_high);
    cli_json_real(&j, "norm1", r.norm1);
    cli_json_string(&j, "note", *r.note ? r.note : NULL);
    json_rules(&j, c);
    cli_json_real(&j, "seconds", seconds);
    cli_json_integer(&j, "skipped", reading.skipped);
    cli_json_integer(&j, "bad_utf8", reading.bad_utf8);
    cli_json_integer(&j, "nul_bytes", reading.nul_bytes);
    cli_json_close(&j);
}

/* ---- certificates ------------------------------------------------------------------------- */

static int write_certificate(const cli_args *a, const thr_certify *c)
{
    const char *path = cli_get(a, "write-certificate", NULL);
    cli_output out;
    size_t n;
    const char *text = thr_certify_text(c, &n);
    if (!path)
        return 0;
    if (!text) {
        cli_say("nothing is proved, so there is no certificate to write");
        return EXIT_BAD;
    }
    int status = cli_output_open(&out, path);
    if (status)
        return status;
    fwrite(text, 1, n, out.to);
    return cli_output_close(&out, 0);
}

static void print_end(const char *what, double v, const char *relation)
{
    if (!isnan(v))
        printf("  %s %s %.10g\n", what, relation, v);
}

/* Writes the settings of a certificate that differ from the defaults, as options. The checker has
 * read the data with these settings, so the proof is about the features they define. */
static void put_settings(const char *text, const char *before, FILE *to)
{
    thr_option_info s;
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, "set ", 4) != 0)
            continue;
        const char *name = line + 4, *value = name + strcspn(name, " \n");
        int n = (int)(value - name), length = (int)strcspn(value + (*value == ' '), "\n");
        value += *value == ' ';
        for (size_t i = 0; thr_setting_at(i, &s); i++) {
            bool named = strlen(s.name) == (size_t)n && memcmp(s.name, name, (size_t)n) == 0;
            bool usual = strlen(s.fallback) == (size_t)length &&
                         memcmp(s.fallback, value, (size_t)length) == 0;
            if (!named || usual)
                continue;
            fprintf(to, "%s--%s %.*s", before, s.name, length, value);
            before = " ";
        }
    }
}

static void print_checked(const thr_checked *k, const char *text)
{
    fputs("the certificate holds; it proves of these examples", stdout);
    put_settings(text, ", with ", stdout);
    puts(":");
    if (k->separable)
        puts("  a linear function separates them");
    if (k->inseparable)
        puts("  no linear function separates them");
    print_end("gamma", k->gamma_low, ">=");
    print_end("gamma", k->gamma_high, "<=");
    print_end("g", k->g_low, ">=");
    print_end("g", k->g_high, "<=");
}

static void json_checked(const thr_checked *k, const char *text)
{
    cli_json j;
    char *settings = NULL;
    size_t n;
    FILE *to = open_memstream(&settings, &n);
    if (to) {
        put_settings(text, "", to);
        fclose(to);
    }
    cli_json_open(&j, stdout);
    cli_json_bool(&j, "holds", true);
    json_verdict(&j, k->separable ? THR_YES : k->inseparable ? THR_NO : THR_UNKNOWN);
    cli_json_integer(&j, "examples", k->examples);
    cli_json_integer(&j, "features", k->features);
    cli_json_integer(&j, "labels", k->labels);
    cli_json_real(&j, "gamma_low", k->gamma_low);
    cli_json_real(&j, "gamma_high", k->gamma_high);
    cli_json_real(&j, "g_low", k->g_low);
    cli_json_real(&j, "g_high", k->g_high);
    cli_json_string(&j, "settings", settings ? settings : "");
    cli_json_close(&j);
    free(settings);
}

/* --check-certificate takes only options for reading and output: the settings that define the
 * features come from the certificate. */
static int refuse_other_options(const cli_args *a)
{
    static const char *const own[] = {
        "check-certificate", "time-limit", "format", "columns", "threads", "max-line",
        "on-error",          "strict",     "json",   "quiet",   NULL};
    for (size_t i = 0; i < a->n_given; i++) {
        size_t k = 0;
        while (own[k] && strcmp(own[k], a->given[i].name) != 0)
            k++;
        if (!own[k])
            return cli_usage_error("--check-certificate reads the data as the certificate says: "
                                   "leave --%s out",
                                   a->given[i].name);
    }
    return 0;
}

static int check(const cli_args *a, thr_input *in)
{
    thr_error err = {0};
    thr_checked checked;
    cli_progress progress;
    double seconds;
    size_t n;
    const char *path = cli_get(a, "check-certificate", NULL);
    if (!cli_real(a, "time-limit", 120, 0.001, 1e9, &seconds))
        return EXIT_USAGE;
    char *text = cli_read_file(path, &n);
    if (!text)
        return EXIT_BAD;
    cli_progress_start(&progress, a, "check");
    progress.no_rate = true;
    int code = thr_certificate_verify_within(seconds, text, n, path, in, cli_progress_show,
                                             &progress, &checked, &err);
    cli_progress_end(&progress);
    if (code == 0 && cli_has(a, "json"))
        json_checked(&checked, text);
    else if (code == 0 && !cli_has(a, "quiet"))
        print_checked(&checked, text);
    free(text);
    return code ? cli_fail(&err) : 0;
}

/* ---- running ------------------------------------------------------------------------------ */

static int read_options(const cli_args *a, thr_certify_options *o)
{
    double passes;
    if (!cli_real(a, "gap", 0.01, 1e-9, 0.999, &o->gap) ||
        !cli_real(a, "time-limit", 120, 0.001, 1e9, &o->seconds) ||
        !cli_number(a, "passes", 100, 1, 1e9, &passes))
        return EXIT_USAGE;
    o->passes = (unsigned)passes;
    const char *path = cli_get(a, "write-certificate", NULL);
    return path ? cli_may_write(a, path) : 0;
}

static int certify(const cli_args *a, const thr_settings *s, thr_input *in, thr_certify_options *o)
{
    thr_error err = {0};
    thr_reading reading;
    thr_certify_report r;
    cli_progress progress;
    cli_progress_start(&progress, a, "certify");
    progress.no_rate = true;
    o->progress = cli_progress_show;
    o->user = &progress;
    thr_certify *c = thr_certify_new(s, in, o, &err);
    cli_progress_end(&progress);
    if (!c)
        return cli_fail(&err);
    thr_certify_reading(c, &reading);
    cli_reading_warnings(a, &reading);
    thr_certify_about(c, &r);
    int status = write_certificate(a, c);
    if (cli_has(a, "json"))
        print_json(c, cli_seconds() - progress.started);
    else if (!cli_has(a, "quiet")) {
        print_report(&r);
        print_rules(c);
    }
    thr_certify_free(c);
    return status;
}

static int run(const cli_args *a)
{
    thr_certify_options o = {0};
    bool checking = cli_has(a, "check-certificate");
    if (a->n_rest == 0)
        return cli_usage_error("certify needs data: thresh certify FILE... (- is stdin)");
    int status = checking ? refuse_other_options(a) : read_options(a, &o);
    thr_settings *s = status ? NULL : cli_settings(a, &status);
    thr_input *in = s ? cli_input(a, a->rest, a->n_rest, &status) : NULL;
    if (in)
        status = checking ? check(a, in) : certify(a, s, in, &o);
    thr_input_free(in);
    thr_settings_free(s);
    return status;
}

static const cli_option *const lists[] = {options, cli_reading_options, cli_json_options,
                                          cli_common_options, NULL};

const cli_command cli_certify = {
    .name = "certify",
    .usage = "[--gap SHARE] [--time-limit SECONDS] [OPTIONS] DATA...",
    .help = "prove whether data is linearly separable, with margins and mistake bounds",
    .options = lists,
    .settings = CLI_FEATURES,
    .run = run,
};
