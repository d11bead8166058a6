/* thresh show: prints the contents of a model: counts, settings, and for each label the strongest
 * features, the formula, the list of rules or the number of kept examples. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LITERALS 20 /* printed of a formula; --json has all */

static const cli_option options[] = {
    {'m', "model", "FILE", "the model to show (may also be given as an argument)"},
    {0, "top", "K", "number of strongest features to show for each label (default 10)"},
    {0, "weights", NULL, "print the weights of all features for each label, tab-separated"},
    {0},
};

static int no_memory(thr_error *err)
{
    *err = (thr_error){.code = THR_EMEM, .message = "out of memory"};
    return THR_EMEM;
}

/* The strongest features of each label, collected in one pass over all features: one sorted list of
 * at most `top` entries per label. */
typedef struct ranked {
    size_t feature;
    double weight, size; /* what is printed, and the sort key */
} ranked;

typedef struct ranking {
    ranked *at; /* [label][top], strongest first */
    size_t *n;  /* [label]: entries so far */
    size_t top;
} ranking;

/* Inserts into the sorted list of a label. Of equal weights the feature met first comes first. */
static void rank(ranking *r, size_t label, ranked new)
{
    ranked *list = r->at + label * r->top;
    size_t place = r->n[label];
    while (place > 0 && list[place - 1].size < new.size)
        place--;
    if (place == r->top)
        return;
    size_t last = r->n[label] < r->top ? r->n[label]++ : r->top - 1;
    memmove(list + place + 1, list + place, (last - place) * sizeof *list);
    list[place] = new;
}

/* A regressor has one column of weights, for its number. */
static size_t columns(const thr_model *m)
{
    return thr_model_regression(m) ? 1 : thr_model_labels(m);
}

static const char *column(const thr_model *m, size_t i)
{
    return thr_model_regression(m) ? "value" : cli_shown(thr_model_label(m, i));
}

/* The thresholds of multi-label data, unless all are the default. */
static void print_thresholds(const thr_model *m)
{
    bool usual = true;
    for (size_t l = 0; l < thr_model_labels(m); l++)
        usual &= isnan(thr_model_threshold(m, l)) || thr_model_threshold(m, l) == 0.5;
    for (size_t l = 0; l < thr_model_labels(m) && !usual; l++)
        printf("%-11s%.4f  %s\n", l ? "" : "thresholds", thr_model_threshold(m, l),
               cli_shown(thr_model_label(m, l)));
}

static void json_thresholds(const thr_model *m, cli_json *j)
{
    if (thr_model_labels(m) == 0 || isnan(thr_model_threshold(m, 0)))
        return;
    cli_json_begin(j, "thresholds", '{');
    for (size_t l = 0; l < thr_model_labels(m); l++)
        cli_json_real(j, thr_model_label(m, l), thr_model_threshold(m, l));
    cli_json_end(j, '}');
}

/* Ranks features for each label by the weight less the mean of the weights for all labels, because
 * only differences between labels decide. Weights as such would not do: all weights of naive Bayes
 * are logarithms of probabilities, so none is positive. With multi-label data each label decides by
 * itself, and the weight is taken as it is. r->at and r->n are to be freed in any case. */
static int ranking_make(const thr_model *m, size_t top, ranking *r, thr_error *err)
{
    size_t labels = columns(m), features = thr_model_features(m);
    bool rivals = labels > 1 && strcmp(thr_model_setting(m, "multilabel"), "on") != 0;
    top = top < features ? top : features;
    *r = (ranking){calloc(labels * top + 1, sizeof *r->at), calloc(labels + 1, sizeof *r->n), top};
    double *w = malloc((labels + 1) * sizeof *w);
    int code = r->at && r->n && w ? 0 : no_memory(err);
    for (size_t f = 0; code == 0 && f < features && thr_model_linear(m); f++) {
        if ((code = thr_model_weights(m, f, w, err)))
            break;
        if (thr_model_regression(m)) {
            /* Negative weights matter as much as positive ones here: the size decides. */
            if (w[0] != 0)
                rank(r, 0, (ranked){f, w[0], fabs(w[0])});
            continue;
        }
        double mean = 0;
        for (size_t l = 0; l < labels; l++)
            mean += w[l] / (double)labels;
        for (size_t l = 0; l < labels; l++) {
            double lead = w[l] - (rivals ? mean : 0);
            if (lead > 0)
                rank(r, l, (ranked){f, lead, lead});
        }
    }
    free(w);
    return code;
}

/* A buffer for names of features, which grows as needed. If memory runs out, the name is missing
 * from what is printed, and the status says so at the end. */
typedef struct names {
    char *text;
    size_t room;
    bool failed;
} names;

static const char *name_of(const thr_model *m, size_t feature, names *b)
{
    size_t n = thr_model_feature(m, feature, b->text, b->room);
    if (n < b->room)
        return b->text;
    char *grown = realloc(b->text, n + 1);
    b->failed |= !grown;
    if (!grown)
        return "";
    b->text = grown;
    b->room = n + 1;
    thr_model_feature(m, feature, b->text, b->room);
    return b->text;
}

static void print_top(const thr_model *m, const ranking *r, size_t label, names *b)
{
    const char *speaker = cli_speaker(m);
    printf("\nstrongest for %s%s%s\n", thr_model_regression(m) ? "the number" : column(m, label),
           speaker ? ", by " : "", speaker ? speaker : "");
    for (size_t i = 0; i < r->n[label]; i++) {
        const ranked *now = &r->at[label * r->top + i];
        printf("  %10.4g  %s\n", now->weight, cli_shown(name_of(m, now->feature, b)));
    }
}

/* ---- lists of rules ----------------------------------------------------------------------- */

static void print_list(const thr_model *m, names *b)
{
    thr_list_rule rule;
    printf("\nstarts as %s; then these rules in order (with errors corrected minus errors "
           "introduced)\n",
           cli_shown(thr_model_list_start(m)));
    for (size_t i = 0; thr_model_list_rule(m, i, &rule); i++)
        printf("  %6zu %8.6g  %s: %s becomes %s\n", i + 1, rule.gain,
               cli_shown(name_of(m, rule.feature, b)), cli_shown(rule.from), cli_shown(rule.to));
}

/* ---- formulas ------------------------------------------------------------------------------ */

/* To be freed; NULL: this label has no formula, or memory ran out. */
static char *formula_of(const thr_model *m, size_t label, size_t most, names *b)
{
    thr_error err = {0};
    size_t n = thr_model_formula(m, label, most, NULL, 0, &err);
    char *text = n ? malloc(n + 1) : NULL;
    if (text)
        thr_model_formula(m, label, most, text, n + 1, &err);
    b->failed |= err.code == THR_EMEM || (n && !text);
    return text;
}

static void json_formulas(cli_json *j, const thr_model *m, names *b)
{
    if (!thr_model_has_formula(m))
        return;
    cli_json_begin(j, "formulas", '{');
    for (size_t l = 0; l < thr_model_labels(m); l++) {
        char *text = formula_of(m, l, SIZE_MAX, b);
        if (text)
            cli_json_string(j, thr_model_label(m, l), text);
        free(text);
    }
    cli_json_end(j, '}');
}

/* A template is kept as one line, with `\n` for its line ends and `\\` for a backslash. Each of its lines is
 * printed below the other. */
static void print_template(const char *line)
{
    char *text = strdup(line), *to = text, *rest = NULL;
    for (const char *at = line; text && *at; at++) {
        bool escaped = *at == '\\' && at[1];
        at += escaped;
        *to++ = escaped && *at == 'n' ? '\n' : *at;
    }
    if (text)
        *to = '\0';
    char *one = text ? strtok_r(text, "\n", &rest) : NULL;
    for (const char *name = "template"; one; one = strtok_r(NULL, "\n", &rest), name = "")
        printf("  %-12s %s\n", name, cli_shown(one));
    free(text);
}

static void print_summary(const thr_model *m)
{
    thr_stats s;
    thr_option_info info;
    thr_model_stats(m, &s);
    printf("examples   %llu, ", (unsigned long long)s.examples);
    if (thr_model_regression(m))
        printf("mean squared error %.6g (mean absolute %.6g)", s.mean_squared, s.mean_absolute);
    else
        printf("%llu mistake%s", (unsigned long long)s.mistakes, cli_s(s.mistakes));
    printf(", %llu update%s\n", (unsigned long long)s.updates, cli_s(s.updates));
    printf("features   %llu, %.1f active on average; largest length R = %.4g, largest value X = "
           "%.4g\n",
           (unsigned long long)s.features, s.mean_active, s.max_norm2, s.max_norminf);
    if (!thr_model_regression(m))
        printf("labels     %llu\n", (unsigned long long)s.labels);
    print_thresholds(m);
    if (s.slope > 0 && s.labels > 1)
        printf("sigmoid    slope a = %.4g, %s\n", s.slope, s.slope_given ? "given" : "fitted");
    if (s.hash_slots)
        printf("hashing    %llu of %llu slots used, %llu shared (%.2f%% of the weight mass)\n",
               (unsigned long long)s.hash_used, (unsigned long long)s.hash_slots,
               (unsigned long long)s.hash_shared, 100 * s.hash_shared_mass);
    cli_print_panel(m, UINT64_MAX, stdout);
    puts("settings");
    for (size_t i = 0; thr_setting_at(i, &info); i++)
        if (strcmp(info.name, "template") == 0)
            print_template(thr_model_setting(m, info.name));
        else if (strcmp(thr_model_setting(m, info.name), info.fallback) != 0 || i == 0)
            printf("  %-12s %s\n", info.name, cli_shown(thr_model_setting(m, info.name)));
}

static int print_weights(const thr_model *m, names *b, thr_error *err)
{
    size_t labels = columns(m);
    double *w = malloc((labels + 1) * sizeof *w);
    fputs("feature", stdout);
    for (size_t l = 0; l < labels; l++)
        printf("\t%s", column(m, l));
    putchar('\n');
    int code = w ? 0 : no_memory(err);
    for (size_t f = 0; code == 0 && f < thr_model_features(m); f++) {
        if ((code = thr_model_weights(m, f, w, err)))
            break;
        fputs(cli_shown(name_of(m, f, b)), stdout);
        for (size_t l = 0; l < labels; l++) {
            putchar('\t');
            cli_put_exact(stdout, w[l]);
        }
        putchar('\n');
    }
    free(w);
    return code;
}

static void json_top(cli_json *j, const thr_model *m, const ranking *r, names *b)
{
    cli_json_begin(j, "strongest", '{');
    for (size_t l = 0; l < columns(m); l++) {
        cli_json_begin(j, column(m, l), '{');
        for (size_t i = 0; i < r->n[l]; i++) {
            const ranked *now = &r->at[l * r->top + i];
            cli_json_real(j, name_of(m, now->feature, b), now->weight);
        }
        cli_json_end(j, '}');
    }
    cli_json_end(j, '}');
}

/* What the model predicts from; of a list of rules also the rules. "explained_by" is what
 * thresh explain prints for it; null: explain refuses the model. */
static void json_basis(cli_json *j, const thr_model *m, names *b)
{
    thr_list_rule rule;
    const char *other = thr_model_list_start(m) ? "rules"
                        : thr_model_explains(m) ? "neighbours"
                                                : NULL;
    cli_json_bool(j, "linear", thr_model_linear(m));
    cli_json_begin(j, "kept", '{');
    for (size_t l = 0; l < thr_model_labels(m) && thr_model_kept(m, -1); l++)
        cli_json_integer(j, thr_model_label(m, l), thr_model_kept(m, (int)l));
    cli_json_end(j, '}');
    cli_json_string(j, "explained_by", thr_model_linear(m) ? "weights" : other);
    if (!thr_model_list_start(m))
        return;
    cli_json_string(j, "start", thr_model_list_start(m));
    cli_json_begin(j, "rules", '[');
    for (size_t i = 0; thr_model_list_rule(m, i, &rule); i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "feature", name_of(m, rule.feature, b));
        cli_json_string(j, "from", rule.from);
        cli_json_string(j, "to", rule.to);
        cli_json_real(j, "gain", rule.gain);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void print_json(const thr_model *m, const ranking *r, names *b)
{
    thr_stats s;
    thr_option_info info;
    cli_json j;
    thr_model_stats(m, &s);
    cli_json_open(&j, stdout);
    cli_json_integer(&j, "examples", s.examples);
    if (thr_model_regression(m)) {
        cli_json_real(&j, "mistakes", NAN);
        cli_json_real(&j, "mse", s.mean_squared);
        cli_json_real(&j, "mae", s.mean_absolute);
    } else
        cli_json_integer(&j, "mistakes", s.mistakes);
    cli_json_integer(&j, "updates", s.updates);
    cli_json_integer(&j, "features", s.features);
    cli_json_integer(&j, "labels", s.labels);
    json_thresholds(m, &j);
    cli_json_real(&j, "mean_active", s.mean_active);
    cli_json_real(&j, "max_norm2", s.max_norm2);
    cli_json_real(&j, "max_norminf", s.max_norminf);
    cli_json_real(&j, "slope", s.slope > 0 ? s.slope : NAN);
    cli_json_panel(&j, m, UINT64_MAX);
    cli_json_begin(&j, "settings", '{');
    for (size_t i = 0; thr_setting_at(i, &info); i++)
        cli_json_string(&j, info.name, thr_model_setting(m, info.name));
    cli_json_end(&j, '}');
    json_basis(&j, m, b);
    json_formulas(&j, m, b);
    if (cli_speaker(m))
        cli_json_string(&j, "weights_of", cli_speaker(m));
    json_top(&j, m, r, b);
    cli_json_close(&j);
}

static void print(const thr_model *m, const ranking *r, names *b)
{
    print_summary(m);
    for (size_t l = 0; l < thr_model_labels(m); l++) {
        char *text = formula_of(m, l, MOST_LITERALS, b);
        if (text)
            printf("\n%s if  %s\n", cli_shown(thr_model_label(m, l)), cli_shown(text));
        free(text);
    }
    for (size_t l = 0; l < columns(m) && thr_model_linear(m); l++)
        print_top(m, r, l, b);
    if (thr_model_list_start(m))
        print_list(m, b);
    else if (!thr_model_linear(m)) {
        unsigned long long kept = thr_model_kept(m, -1);
        printf("\nnot linear: predicts from %llu kept example%s, not from weights\n", kept,
               cli_s(kept));
        for (size_t l = 0; l < thr_model_labels(m); l++)
            printf("  %10llu  %s\n", (unsigned long long)thr_model_kept(m, (int)l),
                   cli_shown(thr_model_label(m, l)));
    }
}

static int run(const cli_args *a)
{
    double top;
    int status;
    const char *path = cli_get(a, "model", a->n_rest ? a->rest[0] : NULL);
    if (a->n_rest > !cli_has(a, "model"))
        return cli_usage_error("show takes one model and no data: thresh show MODEL");
    if (cli_has(a, "weights") && cli_has(a, "json"))
        return cli_usage_error(
            "--weights prints tab-separated text and cannot be used with --json");
    if (!cli_number(a, "top", 10, 0, 1e9, &top))
        return EXIT_USAGE;
    thr_model *m = cli_open_model_at(a, path, false, &status);
    if (!m)
        return status;
    ranking r = {0};
    names b = {0};
    thr_error err = {0};
    if (cli_has(a, "weights") && !thr_model_linear(m))
        status = cli_usage_error("this model is not linear: it keeps examples and has no weights");
    else if (cli_has(a, "weights")) {
        if (cli_speaker(m))
            cli_warn(a,
                     "this panel decides by a vote; these are the weights of %s, which has the "
                     "largest part in it",
                     cli_speaker(m));
        print_weights(m, &b, &err);
    } else if (ranking_make(m, (size_t)top, &r, &err))
        status = EXIT_BAD;
    else if (cli_has(a, "json"))
        print_json(m, &r, &b);
    else
        print(m, &r, &b);
    if (b.failed && err.code == 0)
        no_memory(&err);
    if (err.code && err.code != THR_EMODEL) /* which is reported below */
        status = cli_fail(&err);
    free(b.text);
    free(r.at);
    free(r.n);
    /* Large files are checked piece by piece when they are first used: damage may have been found
     * while printing. Every later access then fails. */
    double *w = calloc(thr_model_labels(m) + 1, sizeof *w);
    int code = w ? thr_model_weights(m, 0, w, NULL) : THR_EMEM;
    bool damaged = err.code == THR_EMODEL || code == THR_EMODEL;
    free(w);
    thr_model_free(m);
    if (status == 0 && code == THR_EMEM)
        return cli_no_memory();
    if (!damaged)
        return status;
    cli_say("the model is damaged: what was printed may be wrong");
    return EXIT_BAD;
}

static const cli_option *const lists[] = {options, cli_json_options, cli_common_options, NULL};

const cli_command cli_show = {
    .name = "show",
    .usage = "MODEL [--top K | --weights]",
    .help = "print the contents of a model",
    .options = lists,
    .run = run,
};
