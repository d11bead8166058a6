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
    size_t top;
    bool json, regression;
    bool panel, votes, mixes, one; /* a panel; its decision; that is one linear function */
    bool linear;
    const char *start; /* the label that a list of rules starts with; NULL: no such list */
} printing;

/* The sum of the contributions that --top cuts off. */
static double beyond(const printing *p, const thr_explanation *e)
{
    double sum = 0;
    for (size_t i = p->top; i < e->n_parts; i++)
        sum += e->parts[i].contribution;
    return sum;
}

/* ---- rules without weights ---------------------------------------------------------------- */

static void json_reasons(const printing *p, const thr_explanation *e, cli_json *j)
{
    if (p->start)
        cli_json_string(j, "start", p->start);
    cli_json_begin(j, p->start ? "rules" : "neighbours", '[');
    for (size_t i = 0; i < e->n_reasons && (i < p->top || p->start); i++) {
        const thr_reason *r = &e->reasons[i];
        cli_json_begin(j, NULL, '{');
        cli_json_integer(j, "number", r->number);
        cli_json_string(j, p->start ? "feature" : "features", r->what);
        if (p->start)
            cli_json_string(j, "from", r->from);
        cli_json_string(j, p->start ? "to" : "label", r->label);
        if (!p->start)
            cli_json_real(j, "distance", r->distance);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
    if (!p->start)
        cli_json_integer(j, "more_neighbours", e->n_reasons > p->top ? e->n_reasons - p->top : 0);
}

static void print_reasons(const printing *p, const thr_explanation *e)
{
    if (p->start) {
        printf("  %6s  %s\n", "start", p->start);
        for (size_t i = 0; i < e->n_reasons; i++) {
            const thr_reason *r = &e->reasons[i];
            printf("  %6llu  %s: %s becomes %s\n", (unsigned long long)r->number, r->what, r->from,
                   r->label);
        }
        return;
    }
    printf("  distance    example  label\n");
    for (size_t i = 0; i < e->n_reasons && i < p->top; i++) {
        const thr_reason *r = &e->reasons[i];
        printf("  %8.5f %10llu  %s: %s\n", r->distance, (unsigned long long)r->number, r->label,
               r->what);
    }
    if (e->n_reasons > p->top)
        printf("  %20zu more\n", e->n_reasons - p->top);
}

/* ---- rules with weights ------------------------------------------------------------------- */

static void json_parts(const printing *p, const thr_explanation *e, cli_json *j)
{
    if (!p->regression)
        cli_json_string(j, "against", e->against);
    cli_json_real(j, "total", e->total);
    cli_json_real(j, "rest", e->rest);
    cli_json_begin(j, "features", '[');
    for (size_t i = 0; i < e->n_parts && i < p->top; i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "feature", e->parts[i].feature);
        cli_json_real(j, "value", e->parts[i].value);
        cli_json_real(j, "weight", e->parts[i].weight);
        cli_json_real(j, "contribution", e->parts[i].contribution);
        cli_json_bool(j, "seen", e->parts[i].seen);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
    cli_json_integer(j, "more_features", e->n_parts > p->top ? e->n_parts - p->top : 0);
    cli_json_real(j, "more_contribution", beyond(p, e));
}

static void print_json(const printing *p, const thr_explanation *e)
{
    cli_json j;
    const thr_prediction *r = &e->prediction;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "file", r->file);
    cli_json_integer(&j, "line", r->line);
    cli_json_string(&j, "learner", e->learner);
    if (p->regression) {
        cli_json_real(&j, "value", r->score);
        if (r->truth)
            cli_json_real(&j, "truth", r->target);
    } else {
        /* With multi-label data, `label` is only the label explained, not all that is predicted. */
        cli_json_string(&j, "label", r->label);
        cli_json_real(&j, "score", r->score);
        if (r->multilabel)
            cli_json_labels(&j, "labels", r->set, r->n_set);
        if (r->n_truths)
            cli_json_labels(&j, "truths", r->truths, r->n_truths);
        else if (r->truth)
            cli_json_string(&j, "truth", r->truth);
    }
    if (p->linear)
        json_parts(p, e, &j);
    else
        json_reasons(p, e, &j);
    cli_json_close(&j);
}

static void print_parts(const printing *p, const thr_explanation *e)
{
    printf("  contribution      value     weight  feature\n");
    for (size_t i = 0; i < e->n_parts && i < p->top; i++) {
        const thr_contribution *c = &e->parts[i];
        printf("  %+12.5g %10.4g %10.4g  %s%s\n", c->contribution + 0.0, c->value, c->weight + 0.0,
               c->feature, c->seen ? "" : "  (never seen)");
    }
    if (e->n_parts > p->top)
        printf("  %+12.5g  %21s%zu more features\n", beyond(p, e), "", e->n_parts - p->top);
    if (e->rest != 0)
        printf("  %+12.5g  %21s(no feature: prior or threshold)\n", e->rest, "");
    printf("  %+12.5g  %21s= total\n", e->total, "");
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
    const printing *p = user;
    const thr_prediction *r = &e->prediction;
    if (p->json) {
        print_json(p, e);
        return ferror(stdout) ? THR_EIO : 0;
    }
    if (p->regression) {
        print_number(r);
        print_parts(p, e);
        return ferror(stdout) ? THR_EIO : 0;
    }
    printf("line %llu: %s", (unsigned long long)r->line, r->label ? r->label : "-");
    if (p->votes)
        printf(", %.0f%% of the vote", 100 * r->score);
    if (p->mixes)
        printf(", probability %.4g", r->probability);
    if (e->against)
        printf(", %.5g ahead of %s", e->total, e->against);
    else if (p->one)
        printf(", log-odds %.5g", e->total);
    else if (p->linear || !p->panel)
        printf(", score %.5g", p->linear ? e->total : r->score);
    if (p->panel && !p->one)
        printf(" by %s", e->learner);
    if (r->truth && !r->wrong)
        printf(" (right)");
    else if (r->truth) {
        printf(" (wrong: it is ");
        cli_put_labels(stdout, r->n_truths ? r->truths : &r->truth, r->n_truths ? r->n_truths : 1);
        putchar(')');
    }
    putchar('\n');
    if (p->linear)
        print_parts(p, e);
    else
        print_reasons(p, e);
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
    printing p = {.top = (size_t)top,
                  .json = cli_has(a, "json"),
                  .panel = is_panel,
                  .votes = is_panel && !panel.mixed,
                  .mixes = panel.mixed,
                  .one = panel.one_function,
                  .regression = thr_model_regression(m),
                  .linear = thr_model_linear(m),
                  .start = thr_model_list_start(m)};
    thr_error err = {0};
    thr_reading reading;
    if (in && thr_model_labels(m) == 0 && !p.regression)
        status = cli_usage_error("this model has learned no label yet");
    else if (in && thr_explain(m, in, print, &p, &reading, &err))
        status = ferror(stdout) ? EXIT_BAD : cli_fail(&err);
    else if (in)
        cli_reading_warnings(a, &reading);
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
    .run = run,
};
