/* thresh train: learns from a stream and writes a model.
 *
 * Everything that can be refused is checked before training starts (options, output paths, test
 * files, whether the model can be pruned), so that a typing error does not cost a long run. The
 * order afterwards is: train, keep the winner, prune, test, save. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {'l', "learner", "SPEC",
     "the learner, NAME[:key=value,...]; several form a panel (default panel)"},
    {'m', "model", "FILE", "write the model to this file"},
    {0, "init", "FILE", "continue training from this model"},
    {'p', "passes", "N", "number of passes over the data (default 1)"},
    {0, "until-clean", NULL,
     "repeat until the weights make no mistake, at most -p passes (default 1000)"},
    {0, "shuffle", "[SEED]",
     "visit the examples in a new random order in each pass (default seed 1)"},
    {0, "pac", "EPS,DELTA", "stop once the error rate is at most EPS with probability 1 - DELTA"},
    {'t', "test", "FILE", "test on this file after training; several files are one test set"},
    {0, "cache", "FILE", "cache of the parsed data: read if it is up to date, else written"},
    {0, "cache-limit", "BYTES",
     "limit of the temporary cache for several passes (default 4294967296)"},
    {0, "log", "FILE", "log what each update changed, for thresh why"},
    {0, "errors", "FILE", "with -t: write each wrong prediction to this file, as JSON"},
    {0, "lean", NULL, "write only what prediction needs; the model cannot be trained further"},
    {0, "prune", "T", "drop features that weigh less than T (panel: the heaviest weighs 1)"},
    {0, "top", "N", "keep only the N heaviest features"},
    {0, "top-mass", "P", "keep only the most frequent features, with P % of all occurrences"},
    {0, "keep", "WHAT", "for a panel: save all members (default), or winner: only the best"},
    {0},
};

typedef struct job {
    const cli_args *a;
    thr_model *m, *kept; /* the model trained; with --keep winner its best member, else NULL */
    thr_input *in, *test_in;
    thr_train_options train;
    thr_train_report report;
    thr_metrics *test;
    thr_reading test_reading;
    cli_log log;
    cli_errors errors;
    double seconds;
    thr_prune_options prune;
    uint64_t pruned;
    uint64_t met_before; /* examples that the panel of --init had met for the first time */
} job;

/* The model to test, report and save. */
static const thr_model *result(const job *j)
{
    return j->kept ? j->kept : j->m;
}

static int make_model(job *j)
{
    thr_error err;
    int status;
    thr_settings *s = cli_settings(j->a, &status);
    if (!s)
        return status;
    const char *init = cli_get(j->a, "init", NULL);
    bool count = cli_has(j->a, "top-mass") && !init && !thr_settings_given(s, "min-count");
    if (count && thr_settings_set(s, "min-count", "1", &err)) {
        thr_settings_free(s);
        return cli_fail(&err);
    }
    j->m = init ? thr_model_open(init, true, &err) : thr_model_new(s, &err);
    status = j->m ? 0 : cli_fail(&err);
    if (status == 0 && init)
        status = cli_same_settings(init, j->m, s);
    thr_panel_report panel;
    if (status == 0 && init && thr_model_panel(j->m, &panel))
        j->met_before = panel.examples;
    thr_settings_free(s);
    return status;
}

/* --pac EPS,DELTA. Its bound holds for the hypothesis at the end of training, so options that
 * change the model afterwards are refused. */
static int read_pac(job *j)
{
    static const char *const spoilers[] = {"prune", "top", "top-mass", "keep", NULL};
    const char *text = cli_get(j->a, "pac", NULL);
    char *end = NULL;
    if (!text)
        return 0;
    j->train.pac_eps = strtod(text, &end);
    bool good = end != text && *end == ',' && end[1];
    if (good)
        j->train.pac_delta = strtod(end + 1, &end);
    if (!good || *end || !(j->train.pac_eps > 0 && j->train.pac_eps < 1) ||
        !(j->train.pac_delta > 0 && j->train.pac_delta < 1))
        return cli_usage_error(
            "--pac %s: two numbers between 0 and 1 are needed, EPS,DELTA, such as "
            "0.05,0.01",
            text);
    for (size_t i = 0; spoilers[i]; i++)
        if (cli_has(j->a, spoilers[i]))
            return cli_usage_error("--%s changes the model after training, so the bound of --pac "
                                   "would not hold",
                                   spoilers[i]);
    return 0;
}

static int read_plan(job *j)
{
    double limit;
    const char *keep = cli_get(j->a, "keep", "all");
    if (strcmp(keep, "all") != 0 && strcmp(keep, "winner") != 0)
        return cli_usage_error("--keep is all or winner, not '%s'", keep);
    if (strcmp(keep, "winner") == 0 && thr_model_experts(j->m) == 0)
        return cli_usage_error("--keep winner needs a panel, but the learner is %s",
                               thr_model_setting(j->m, "learner"));
    int status = cli_passes(j->a, &j->train);
    if (status == 0)
        status = read_pac(j);
    if (status == 0)
        status = cli_cache(j->a, &j->train.cache);
    if (status)
        return status;
    if (!cli_number(j->a, "cache-limit", 4294967296.0, 0, 9e15, &limit))
        return EXIT_USAGE;
    j->train.cache_limit = (uint64_t)limit;
    j->in = cli_input(j->a, j->a->rest, j->a->n_rest, &status);
    return j->in ? 0 : status;
}

/* Whether any example had this label. Labels that are the same number are the same label, however
 * it is written, as in the model. */
static bool saw_label(const thr_model *m, const char *label)
{
    char *end_a, *end_b;
    double x = strtod(label, &end_a);
    for (size_t i = 0; i < thr_model_labels(m); i++) {
        const char *other = thr_model_label(m, i);
        double y = strtod(other, &end_b);
        bool same_number = *label && *other && !*end_a && !*end_b && x == y;
        if (same_number || strcmp(other, label) == 0)
            return true;
    }
    return false;
}

/* Warns if the data had no features, only one label, or not the labels that settings name. */
static void warn_of_data(const job *j)
{
    thr_stats s;
    thr_model_stats(j->m, &s);
    const char *positive = thr_model_setting(j->m, "positive");
    if (s.features == 0)
        cli_warn(j->a, "no example has any features (read as %s)", j->report.reading.formats);
    if (s.labels == 1)
        cli_warn(j->a, "there is only one label: %s", thr_model_label(j->m, 0));
    if (j->report.bursts)
        cli_warn(j->a,
                 "the labels come in bursts: %llu runs of equal labels, where a random order has "
                 "%.0f; so mistakes before learning are no estimate, and the last labels may win: "
                 "shuffle the lines, or add --shuffle 1",
                 (unsigned long long)j->report.label_runs, j->report.expected_label_runs);
    if (j->report.numeric_labels)
        cli_warn(j->a,
                 "each of %llu different numbers is learned as a class of its own; if they are "
                 "amounts to be predicted, train with -l lms",
                 (unsigned long long)j->report.numeric_labels);
    if (*positive && !saw_label(j->m, positive))
        cli_warn(j->a, "no example has the label %s, which is to be positive", positive);
    /* A label that is misspelt in --class-weights would silently keep the weight 1. The library has
     * checked the syntax, so every entry has a '='. */
    const char *spec = thr_model_setting(j->m, "class-weights");
    char *copy = strdup(spec), *rest = NULL;
    bool named = copy && strcmp(spec, "balanced") != 0;
    for (char *one = named ? strtok_r(copy, ",", &rest) : NULL; one;
         one = strtok_r(NULL, ",", &rest)) {
        *strrchr(one, '=') = '\0';
        if (!saw_label(j->m, one))
            cli_warn(j->a, "no example has the label %s, which --class-weights names", one);
    }
    free(copy);
}

static int train(job *j)
{
    thr_error err;
    cli_progress progress;
    cli_log_error(&j->log, &err);
    cli_progress_start(&progress, j->a, "train");
    j->train.progress = cli_progress_show;
    j->train.user = &progress;
    j->train.on_update = j->log.on ? cli_log_put : NULL;
    j->train.update_user = &j->log;
    progress.passes = j->train.passes;
    int unfinished = -1;
    j->train.on_temporary = cli_on_temporary;
    j->train.temporary_user = &unfinished;
    int code = thr_train(j->m, j->in, &j->train, &j->report, &err);
    cli_progress_end(&progress);
    j->seconds = cli_seconds() - progress.started;
    if (code)
        return cli_fail(&err);
    cli_reading_warnings(j->a, &j->report.reading);
    warn_of_data(j);
    if (j->train.until_clean && !j->report.clean)
        cli_warn(j->a, "no clean pass within %u: the weights still make mistakes",
                 j->report.passes);
    return 0;
}

/* Opens the test files before training, so that a misspelt name is reported at once. */
static int open_test(job *j)
{
    char **paths = calloc(j->a->n_given + 1, sizeof *paths);
    size_t n = 0;
    int status = paths ? 0 : cli_no_memory();
    for (size_t i = 0; i < j->a->n_given && paths; i++)
        if (strcmp(j->a->given[i].name, "test") == 0)
            paths[n++] = (char *)(uintptr_t)j->a->given[i].value;
    for (size_t i = 0; i < n && status == 0; i++)
        status = cli_readable(paths[i]);
    if (n && status == 0)
        j->test_in = cli_input(j->a, paths, n, &status);
    free(paths);
    if (status == 0 && n == 0 && cli_has(j->a, "errors"))
        status = cli_usage_error("--errors needs a test: -t FILE");
    return status ? status : cli_errors_open(&j->errors, j->a, j->m);
}

static int test(job *j)
{
    thr_error err;
    if (!j->test_in)
        return 0;
    cli_progress progress;
    cli_progress_start(&progress, j->a, "test");
    j->errors.m = result(j);
    j->test = thr_test_wrong(result(j), j->test_in, j->errors.wanted ? cli_errors_write : NULL,
                             &j->errors, cli_progress_show, &progress, &j->test_reading, &err);
    cli_progress_end(&progress);
    if (!j->test)
        return cli_fail(&err);
    cli_reading_warnings(j->a, &j->test_reading);
    return 0;
}

/* Reads the pruning options, and calls thr_model_prune without any: it then only checks that this
 * kind of model can be pruned. */
static int read_prune(job *j)
{
    thr_error err;
    double top, mass;
    if (!cli_real(j->a, "prune", 0, 0, 1e30, &j->prune.least) ||
        !cli_number(j->a, "top", 0, 1, 4e9, &top) ||
        !cli_real(j->a, "top-mass", 0, 1e-9, 100, &mass))
        return EXIT_USAGE;
    j->prune.top = (uint64_t)top;
    j->prune.top_mass = mass / 100;
    if (mass > 0 && strcmp(thr_model_setting(j->m, "min-count"), "0") == 0)
        return cli_usage_error("--top-mass needs the counts of features, and this model was "
                               "trained without --min-count");
    bool asked = cli_has(j->a, "prune") || top > 0 || mass > 0;
    if (asked && thr_model_prune(j->m, &(thr_prune_options){0}, NULL, &err))
        return cli_fail(&err);
    return 0;
}

/* --keep winner, then --prune, --top and --top-mass. */
static int keep_and_prune(job *j)
{
    thr_error err;
    if (strcmp(cli_get(j->a, "keep", "all"), "winner") == 0) {
        j->kept = thr_model_clone(j->m, &err);
        if (!j->kept || thr_model_keep_best(j->kept, &err))
            return cli_fail(&err);
    }
    thr_model *m = j->kept ? j->kept : j->m;
    if (j->prune.least == 0 && j->prune.top == 0 && j->prune.top_mass == 0)
        return 0;
    return thr_model_prune(m, &j->prune, &j->pruned, &err) ? cli_fail(&err) : 0;
}

static double accuracy(const thr_train_report *r)
{
    return r->examples ? 1 - (double)r->mistakes / (double)r->examples : 0;
}

static void print_hash(const thr_stats *s)
{
    if (s->hash_slots)
        printf("hashing    %llu of %llu slots used by %s%.0f names; shared slots: %llu, "
               "with %.2f%% of the weight mass\n",
               (unsigned long long)s->hash_used, (unsigned long long)s->hash_slots,
               s->hash_used < s->hash_slots ? "about " : "many more than ", s->hash_names,
               (unsigned long long)s->hash_shared, 100 * s->hash_shared_mass);
}

/* How well the examples were predicted, each before it was learned. */
static void print_learned(const job *j)
{
    const thr_train_report *r = &j->report;
    printf("learned    %u pass%s, ", r->passes, r->passes == 1 ? "" : "es");
    if (thr_model_regression(j->m))
        printf("mean squared error %.6g before learning (mean absolute %.6g)", r->mean_squared,
               r->mean_absolute);
    else
        printf("%llu mistake%s before learning", (unsigned long long)r->mistakes,
               cli_s(r->mistakes));
    if (!thr_model_regression(j->m) && !r->bursts) /* in bursts it is no estimate */
        printf(" (%s %.2f%%)",
               cli_accuracy_name(strcmp(thr_model_setting(j->m, "multilabel"), "on") == 0),
               100 * accuracy(r));
    printf(", %llu update%s, %.2f s\n", (unsigned long long)r->updates, cli_s(r->updates),
           j->seconds);
}

/* The result of --pac: the bound on the error, or how many examples are missing. */
static void print_promise(const job *j)
{
    const thr_pac_report *p = &j->report.pac;
    unsigned long long needed = p->needed, survived = p->survived;
    if (!cli_has(j->a, "pac"))
        return;
    printf("promise    hypothesis %llu was right on %llu example%s in a row; %s%llu are needed\n",
           (unsigned long long)p->hypothesis, survived, cli_s(survived),
           needed >> 63 ? "more than " : "", needed);
    if (p->accepted)
        printf("           with probability at least %.10g over the draw of the examples, at most "
               "%.10g of\n           further examples from the same source are mistakes\n",
               1 - j->train.pac_delta, j->train.pac_eps);
    else
        printf("           nothing is promised: the data ended, and at least %llu more example%s "
               "would be needed\n",
               needed - survived, cli_s(needed - survived));
}

/* The examples of one pass. */
static uint64_t lines_read(const thr_train_report *r)
{
    return r->passes ? r->examples / r->passes : 0;
}

static void print(const job *j)
{
    thr_stats s;
    const thr_train_report *r = &j->report;
    thr_model_stats(result(j), &s);
    printf("learner    %s\n", thr_model_setting(j->m, "learner"));
    uint64_t lines = lines_read(r);
    printf("read       %llu example%s as %s\n", (unsigned long long)lines, cli_s(lines),
           r->reading.formats);
    print_learned(j);
    print_promise(j);
    printf("model      %llu feature%s", (unsigned long long)s.features, cli_s(s.features));
    if (!thr_model_regression(j->m))
        printf(", %llu label%s", (unsigned long long)s.labels, cli_s(s.labels));
    putchar('\n');
    if (j->pruned)
        printf("pruned     %llu feature%s\n", (unsigned long long)j->pruned, cli_s(j->pruned));
    if (s.evicted)
        printf("evicted    %llu feature%s, to stay within %s\n", (unsigned long long)s.evicted,
               cli_s(s.evicted), thr_model_setting(j->m, "max-features"));
    if (s.waiting)
        printf("waiting    %llu feature%s that came less than %s times\n",
               (unsigned long long)s.waiting, cli_s(s.waiting),
               thr_model_setting(j->m, "min-count"));
    cli_print_panel(j->m, j->met_before + lines, stdout);
    if (j->kept)
        printf("kept       %s alone\n", thr_model_setting(j->kept, "learner"));
    print_hash(&s);
    if (j->test)
        cli_print_metrics(j->test, stdout);
}

static void print_json_quality(cli_json *out, const job *j)
{
    const thr_train_report *r = &j->report;
    if (thr_model_regression(j->m)) {
        cli_json_real(out, "mistakes", NAN);
        cli_json_real(out, "accuracy", NAN);
        cli_json_real(out, "mse", r->mean_squared);
        cli_json_real(out, "mae", r->mean_absolute);
    } else {
        cli_json_integer(out, "mistakes", r->mistakes);
        cli_json_real(out, "accuracy", accuracy(r));
    }
    if (r->bursts) {
        cli_json_integer(out, "label_runs", r->label_runs);
        cli_json_real(out, "expected_label_runs", r->expected_label_runs);
    }
    if (r->numeric_labels)
        cli_json_integer(out, "numeric_labels", r->numeric_labels);
}

static void print_json_promise(cli_json *out, const job *j)
{
    const thr_pac_report *p = &j->report.pac;
    if (!cli_has(j->a, "pac"))
        return;
    cli_json_bool(out, "pac_accepted", p->accepted);
    cli_json_real(out, "pac_eps", j->train.pac_eps);
    cli_json_real(out, "pac_delta", j->train.pac_delta);
    cli_json_integer(out, "pac_hypothesis", p->hypothesis);
    cli_json_integer(out, "pac_needed", p->needed);
    cli_json_integer(out, "pac_survived", p->survived);
}

static void print_json(const job *j)
{
    thr_stats s;
    cli_json out;
    const thr_train_report *r = &j->report;
    thr_model_stats(result(j), &s);
    cli_json_open(&out, stdout);
    cli_json_string(&out, "learner", thr_model_setting(j->m, "learner"));
    cli_json_string(&out, "format", r->reading.formats);
    cli_json_integer(&out, "examples", r->examples);
    print_json_quality(&out, j);
    cli_json_integer(&out, "passes", r->passes);
    cli_json_bool(&out, "clean", r->clean);
    cli_json_integer(&out, "features", s.features);
    cli_json_integer(&out, "pruned", j->pruned);
    cli_json_integer(&out, "evicted", s.evicted);
    cli_json_integer(&out, "waiting", s.waiting);
    cli_json_integer(&out, "labels", s.labels);
    cli_json_integer(&out, "updates", r->updates);
    cli_json_real(&out, "seconds", j->seconds);
    cli_json_integer(&out, "skipped", r->reading.skipped);
    cli_json_integer(&out, "bad_utf8", r->reading.bad_utf8);
    cli_json_integer(&out, "nul_bytes", r->reading.nul_bytes);
    if (*r->reading.unmatched)
        cli_json_string(&out, "unmatched_crosses", r->reading.unmatched);
    if (r->reading.never_negated)
        cli_json_bool(&out, "never_negated", true);
    print_json_promise(&out, j);
    if (s.hash_slots) {
        cli_json_integer(&out, "hash_slots", s.hash_slots);
        cli_json_integer(&out, "hash_used", s.hash_used);
        cli_json_integer(&out, "hash_shared", s.hash_shared);
        cli_json_real(&out, "hash_names", s.hash_names);
        cli_json_real(&out, "hash_shared_mass", s.hash_shared_mass);
    }
    cli_json_panel(&out, j->m, j->met_before + lines_read(r));
    if (j->kept)
        cli_json_string(&out, "kept", thr_model_setting(j->kept, "learner"));
    if (j->test)
        cli_json_metrics(&out, j->test);
    cli_json_close(&out);
}

static int run(const cli_args *a)
{
    job j = {.a = a};
    const char *path = cli_get(a, "model", NULL);
    int status = cli_may_write_model(a, path);
    if (status == 0)
        status = cli_may_write_log(a, cli_get(a, "log", NULL));
    if (status == 0)
        status = make_model(&j);
    if (status == 0 && a->n_rest == 0) /* after make_model: an option without its value may have
                                          taken the file name as value */
        status = cli_usage_error("train needs data: thresh train -m MODEL FILE... (- is stdin)");
    if (status == 0)
        status = read_plan(&j);
    if (status == 0)
        status = read_prune(&j);
    if (status == 0)
        status = open_test(&j);
    if (status == 0)
        status = cli_log_open(&j.log, a, j.m);
    if (status == 0)
        status = train(&j);
    if (status == 0)
        status = keep_and_prune(&j);
    if (status == 0)
        status = test(&j);
    status = cli_errors_close(&j.errors, status);
    if (status == 0 && path)
        status = cli_save_model(result(&j), path, cli_has(a, "lean"));
    status = cli_log_close(&j.log, status);
    if (status == 0 && j.test)
        cli_unknown_warning(a, j.test);
    if (status == 0 && cli_has(a, "json"))
        print_json(&j);
    else if (status == 0 && !cli_has(a, "quiet"))
        print(&j);
    if (status == 0 && !path && !cli_has(a, "json") && !cli_has(a, "quiet")) {
        fflush(stdout); /* the summary comes first */
        fputs("thresh: the model is not saved: -m FILE saves it\n", stderr);
    }
    thr_metrics_free(j.test);
    thr_input_free(j.in);
    thr_input_free(j.test_in);
    thr_model_free(j.m);
    thr_model_free(j.kept);
    return status;
}

static const cli_option *const lists[] = {options,          cli_reading_options, cli_limit_options,
                                          cli_json_options, cli_common_options,  NULL};

const cli_command cli_train = {
    .name = "train",
    .usage = "[-l LEARNER] [-m MODEL] [OPTIONS] DATA...",
    .help = "learn from a stream of labelled examples",
    .options = lists,
    .settings = CLI_MODEL,
    .run = run,
};
