/* thresh explain: how much each feature contributed to a prediction. For learners without weights
 * it prints the rules that fired (rules) or the nearest examples (knn). */
#include "cli.h"

#include <string.h>

static const cli_option options[] = {
    {'m', "model", "FILE", "the model to use"},
    {0, "top", "K", "number of features or neighbours to show per example (default 15)"},
    {0},
};

typedef struct printing {
    cli_explaining how;
    bool json;
    bool panel, votes, mixes, one; /* a panel; its decision; that is one linear function */
    uint64_t printed;              /* examples */
} printing;

static void print_json(const printing *p, const thr_explanation *e)
{
    cli_json j;
    const thr_prediction *r = &e->prediction;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "file", r->file);
    cli_json_integer(&j, "line", r->line);
    cli_json_string(&j, "learner", e->learner);
    if (p->how.regression) {
        cli_json_real(&j, "value", r->score);
        if (r->truth)
            cli_json_real(&j, "truth", r->target);
    } else {
        /* With multi-label data, `label` is only the label explained, not all that is predicted. */
        cli_json_string(&j, "label", r->label);
        cli_json_real(&j, "score", r->score);
        if (r->multilabel)
            cli_json_labels(&j, "labels", r->set, r->n_set);
        if (r->truths)
            cli_json_labels(&j, "truths", r->truths, r->n_truths);
        else if (r->truth)
            cli_json_string(&j, "truth", r->truth);
    }
    cli_json_explanation(&p->how, e, &j);
    cli_json_close(&j);
}

static void print_number(const thr_prediction *r)
{
    printf("line %llu: %.6g", (unsigned long long)r->line, r->score);
    if (r->truth)
        printf(" (it is %.6g)", r->target);
    putchar('\n');
}

static int print(void *user, const thr_explanation *e)
{
    printing *p = user;
    const thr_prediction *r = &e->prediction;
    p->printed++;
    if (p->json) {
        print_json(p, e);
        return ferror(stdout) ? THR_EIO : 0;
    }
    if (p->how.regression) {
        print_number(r);
        cli_print_explanation(&p->how, e);
        return ferror(stdout) ? THR_EIO : 0;
    }
    printf("line %llu: %s", (unsigned long long)r->line, r->label ? cli_shown(r->label) : "-");
    if (p->votes)
        printf(", %.0f%% of the vote", 100 * r->score);
    if (p->mixes)
        printf(", %sprobability %.4g", r->multilabel ? "set " : "", r->probability);
    if (e->against)
        printf(", %.5g ahead of %s", e->total, cli_shown(e->against));
    else if (p->one)
        printf(", log-odds %.5g", e->total);
    else if (p->how.linear || !p->panel)
        printf(", score %.5g", p->how.linear ? e->total : r->score);
    if (p->panel && !p->one)
        printf(" by %s", e->learner);
    if ((r->truth || r->truths) && !r->wrong)
        printf(" (right)");
    else if (r->truths && r->n_truths == 0)
        printf(" (wrong: no label is true)");
    else if (r->truth || r->truths) {
        printf(" (wrong: it is ");
        cli_put_labels(stdout, r->truths ? r->truths : &r->truth, r->truths ? r->n_truths : 1);
        putchar(')');
    }
    putchar('\n');
    cli_print_explanation(&p->how, e);
    return ferror(stdout) ? THR_EIO : 0;
}

static int run(const cli_args *a)
{
    int status;
    double top;
    if (!cli_number(a, "top", 15, 1, 1e9, &top))
        return EXIT_USAGE;
    thr_model *m = cli_open_model(a, false, &status);
    if (!m)
        return status;
    char dash[] = "-", *standard[] = {dash};
    thr_input *in =
        cli_input(a, a->n_rest ? a->rest : standard, a->n_rest ? a->n_rest : 1, &status);
    thr_panel_report panel = {0};
    bool is_panel = thr_model_panel(m, &panel);
    printing p = {.json = cli_has(a, "json"),
                  .panel = is_panel,
                  .votes = is_panel && !panel.mixed,
                  .mixes = panel.mixed,
                  .one = panel.one_function};
    cli_explaining_of(&p.how, m, (size_t)top);
    thr_error err = {0};
    thr_reading reading;
    if (in && thr_model_labels(m) == 0 && !p.how.regression)
        status = cli_usage_error("this model has learned no label yet");
    else if (in && thr_explain(m, in, print, &p, &reading, &err))
        status = ferror(stdout) ? EXIT_BAD : cli_fail(&err);
    else if (in) {
        cli_reading_warnings(a, &reading);
        if (p.printed == 0)
            cli_warn(a, "the input has no examples");
    }
    thr_input_free(in);
    thr_model_free(m);
    return status;
}

static const cli_option *const lists[] = {options,          cli_label_options,  cli_reading_options,
                                          cli_json_options, cli_common_options, NULL};

const cli_command cli_explain = {
    .name = "explain",
    .usage = "-m MODEL [OPTIONS] [DATA...]",
    .help = "show how much each feature contributed to a prediction",
    .options = lists,
    .labels_optional = true,
    .run = run,
};
