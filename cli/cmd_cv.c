/* thresh cv: cross-validation. Prints a row per fold and the measures over all folds. */
#include "cli.h"

#include <math.h>

static const cli_option options[] = {
    {'l', "learner", "SPEC", "the learner, as for train; several form a panel (default panel)"},
    {'k', "folds", "K", "number of folds (default 10)"},
    {0, "repeat", "R", "repeat R times, each with newly drawn folds (default 1)"},
    {'p', "passes", "N", "number of passes over the training folds (default 1)"},
    {0, "until-clean", NULL,
     "repeat until the weights make no mistake, at most -p passes (default 1000)"},
    {0, "shuffle", "[SEED]", "seed of the random order in which examples are visited (default 0)"},
    {0, "in-order", NULL, "visit the examples in the order of the input"},
    {0},
};

static void print(const thr_cv *cv, const thr_cv_options *o)
{
    thr_cv_fold f;
    size_t n = thr_cv_folds(cv);
    bool numbers = thr_cv_fold_at(cv, 0, &f) && isnan(f.accuracy);
    printf("fold    learned from    tested  %s\n",
           numbers ? "mean squared error" : "wrong  accuracy");
    for (size_t i = 0; thr_cv_fold_at(cv, i, &f); i++) {
        if (o->repeat > 1)
            printf("%u.", f.repeat + 1);
        printf("%-4u  %14llu  %8llu  ", f.fold + 1, (unsigned long long)f.trained,
               (unsigned long long)f.examples);
        if (numbers)
            printf("%18.6g\n", f.mean_squared);
        else
            printf("%5llu   %6.2f%%\n", (unsigned long long)f.mistakes, 100 * f.accuracy);
    }
    if (numbers)
        printf("\nsquared    %.6g +- %.3g", thr_cv_mean(cv), thr_cv_deviation(cv));
    else
        printf("\n%-9s  %.2f%% +- %.2f%%",
               cli_accuracy_name(thr_metrics_multilabel(thr_cv_metrics(cv))), 100 * thr_cv_mean(cv),
               100 * thr_cv_deviation(cv));
    printf(" (mean and standard deviation of %zu fold%s)\n", n, cli_s(n));
    cli_print_metrics(thr_cv_metrics(cv), stdout);
}

static int print_json(const thr_settings *s, const thr_cv *cv, const thr_cv_options *o,
                      double seconds)
{
    cli_json j;
    thr_error err;
    thr_cv_fold f;
    thr_reading reading;
    thr_cv_reading(cv, &reading);
    /* The default learner depends on other settings, so the name is taken from a new model. */
    thr_model *m = thr_model_new(s, &err);
    if (!m)
        return cli_fail(&err);
    cli_json_open(&j, stdout);
    cli_json_string(&j, "learner", thr_model_setting(m, "learner"));
    thr_model_free(m);
    cli_json_string(&j, "format", reading.formats);
    cli_json_integer(&j, "folds", thr_cv_folds(cv) / o->repeat);
    cli_json_integer(&j, "repeat", o->repeat);
    bool numbers = thr_cv_fold_at(cv, 0, &f) && isnan(f.accuracy);
    cli_json_real(&j, numbers ? "mean_mse" : "mean_accuracy", thr_cv_mean(cv));
    cli_json_real(&j, "standard_deviation", thr_cv_deviation(cv));
    cli_json_begin(&j, "trials", '[');
    for (size_t i = 0; thr_cv_fold_at(cv, i, &f); i++) {
        cli_json_begin(&j, NULL, '{');
        cli_json_integer(&j, "repeat", f.repeat + 1);
        cli_json_integer(&j, "fold", f.fold + 1);
        cli_json_integer(&j, "trained", f.trained);
        cli_json_integer(&j, "examples", f.examples);
        cli_json_real(&j, "mistakes", numbers ? NAN : (double)f.mistakes);
        cli_json_real(&j, "accuracy", f.accuracy);
        if (numbers)
            cli_json_real(&j, "mse", f.mean_squared);
        cli_json_end(&j, '}');
    }
    cli_json_end(&j, ']');
    cli_json_metrics(&j, thr_cv_metrics(cv));
    cli_json_real(&j, "seconds", seconds);
    cli_json_integer(&j, "skipped", reading.skipped);
    cli_json_integer(&j, "bad_utf8", reading.bad_utf8);
    cli_json_integer(&j, "nul_bytes", reading.nul_bytes);
    cli_json_close(&j);
    return 0;
}

static int validate(const cli_args *a, const thr_settings *s, thr_input *in, thr_cv_options *o)
{
    thr_error err;
    thr_reading reading;
    cli_progress progress;
    cli_progress_start(&progress, a, "cv");
    progress.no_rate = true;
    o->train.progress = cli_progress_show;
    o->train.user = &progress;
    thr_cv *cv = thr_cross_validate(s, in, o, &err);
    cli_progress_end(&progress);
    if (!cv)
        return cli_fail(&err);
    thr_cv_reading(cv, &reading);
    cli_reading_warnings(a, &reading);
    cli_unknown_warning(a, thr_cv_metrics(cv));
    int status = 0;
    if (cli_has(a, "json"))
        status = print_json(s, cv, o, cli_seconds() - progress.started);
    else if (!cli_has(a, "quiet"))
        print(cv, o);
    thr_cv_free(cv);
    return status;
}

static int run(const cli_args *a)
{
    if (a->n_rest == 0)
        return cli_usage_error("cv needs data: thresh cv -l LEARNER FILE... (- is stdin)");
    thr_cv_options o = {0};
    double folds, repeat, threads;
    if (!cli_number(a, "folds", 10, 2, 1e6, &folds) ||
        !cli_number(a, "repeat", 1, 1, 1e4, &repeat) ||
        !cli_number(a, "threads", 0, 1, 64, &threads))
        return EXIT_USAGE;
    o.repeat = (unsigned)repeat;
    o.threads = (unsigned)threads;
    int status = cli_fold_plan(a, (size_t)folds, &o.plan);
    if (status == 0 && o.repeat > 1 && (o.plan.by_position || o.plan.tag_bytes))
        status =
            cli_usage_error("--repeat needs random folds; by position or tag they are not drawn");
    if (status == 0)
        status = cli_passes(a, &o.train);
    thr_settings *s = status ? NULL : cli_settings(a, &status);
    thr_input *in = s ? cli_input(a, a->rest, a->n_rest, &status) : NULL;
    if (in)
        status = validate(a, s, in, &o);
    thr_input_free(in);
    thr_settings_free(s);
    return status;
}

static const cli_option *const lists[] = {options,
                                          cli_fold_options,
                                          cli_reading_options,
                                          cli_limit_options,
                                          cli_json_options,
                                          cli_common_options,
                                          NULL};

static const struct cli_without without[] = {
    {"max-features", "it works on a stream read in order, but cv keeps all examples in memory"},
    {0},
};

const cli_command cli_cv = {
    .name = "cv",
    .usage = "[-l LEARNER] [-k FOLDS] [OPTIONS] DATA...",
    .help = "cross-validate: train on all folds but one, test on the remaining one",
    .options = lists,
    .settings = CLI_MODEL,
    .without = without,
    .run = run,
};
