/* thresh test: accuracy, precision, recall, F1, confusion matrix, AUC, and how well calibrated the
 * probabilities are. */
#include "cli.h"

#include <math.h>
#include <string.h>

static const cli_option options[] = {
    {'m', "model", "FILE", "the model to test"},
    {0, "errors", "FILE", "write each wrong prediction to this file, as one JSON object per line"},
    {0, "at", "K", "multi-label data: also report precision at K, beside 1, 3 and 5"},
    {0, "reject", "T", "also report coverage and accuracy with predict --reject T"},
    {0},
};

static int test(const cli_args *a, const thr_model *m, thr_input *in, cli_errors *errors)
{
    thr_error err;
    thr_reading reading;
    cli_progress progress;
    double reject, at;
    if (!cli_number(a, "at", 0, 1, 1e6, &at))
        return EXIT_USAGE;
    if (at > 0 && strcmp(thr_model_setting(m, "multilabel"), "on") != 0)
        return cli_usage_error("--at is for models of multi-label data");
    if (!cli_real(a, "reject", NAN, 0, 1, &reject) || cli_only_labels(a, m, "reject"))
        return EXIT_USAGE;
    cli_progress_start(&progress, a, "test");
    thr_metrics *t = thr_test_wrong(m, in, errors->wanted ? cli_errors_write : NULL, errors,
                                    cli_progress_show, &progress, &reading, &err);
    cli_progress_end(&progress);
    if (!t)
        return cli_fail(&err);
    cli_reading_warnings(a, &reading);
    cli_unknown_warning(a, t);
    if (cli_has(a, "json")) {
        cli_json j;
        cli_json_open(&j, stdout);
        cli_json_string(&j, "learner", thr_model_setting(m, "learner"));
        cli_json_metrics(&j, t);
        if (at > 0)
            cli_json_at(&j, t, (size_t)at);
        if (!isnan(reject))
            cli_json_covered(&j, t, reject);
        cli_json_real(&j, "seconds", cli_seconds() - progress.started);
        cli_json_close(&j);
    } else {
        cli_print_metrics(t, stdout);
        if (at > 0)
            cli_print_at(t, (size_t)at, stdout);
        if (!isnan(reject))
            cli_print_covered(t, reject, stdout);
    }
    thr_metrics_free(t);
    return 0;
}

static int run(const cli_args *a)
{
    int status;
    if (a->n_rest == 0)
        return cli_usage_error("test needs data: thresh test -m MODEL FILE... (- is stdin)");
    thr_model *m = cli_open_model(a, false, &status);
    if (!m)
        return status;
    thr_input *in = cli_input(a, a->rest, a->n_rest, &status);
    cli_errors errors = {0};
    if (in)
        status = cli_errors_open(&errors, a, m);
    if (in && status == 0)
        status = cli_errors_close(&errors, test(a, m, in, &errors));
    thr_input_free(in);
    thr_model_free(m);
    return status;
}

static const cli_option *const lists[] = {options, cli_reading_options, cli_json_options,
                                          cli_common_options, NULL};

const cli_command cli_test = {
    .name = "test",
    .usage = "-m MODEL [OPTIONS] DATA...",
    .help = "measure a model on labelled examples",
    .options = lists,
    .run = run,
};
