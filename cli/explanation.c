/* What an explanation says of a prediction: the features and their contributions or, of a rule
 * without weights, the rules that fired or the nearest examples. As text and as JSON, for explain
 * and online. */
#include "cli.h"

void cli_explaining_of(cli_explaining *p, const thr_model *m, size_t top)
{
    *p = (cli_explaining){
        .top = top,
        .regression = thr_model_regression(m),
        .linear = thr_model_linear(m),
        .start = thr_model_list_start(m),
    };
}

/* The sum of the contributions that --top cuts off. */
static double beyond(const cli_explaining *p, const thr_explanation *e)
{
    double sum = 0;
    for (size_t i = p->top; i < e->n_parts; i++)
        sum += e->parts[i].contribution;
    return sum;
}

/* ---- rules without weights ---------------------------------------------------------------- */

static void json_reasons(const cli_explaining *p, const thr_explanation *e, cli_json *j)
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

static void print_reasons(const cli_explaining *p, const thr_explanation *e)
{
    if (p->start) {
        printf("  %6s  %s\n", "start", cli_shown(p->start));
        for (size_t i = 0; i < e->n_reasons; i++) {
            const thr_reason *r = &e->reasons[i];
            printf("  %6llu  %s: %s becomes %s\n", (unsigned long long)r->number,
                   cli_shown(r->what), cli_shown(r->from), cli_shown(r->label));
        }
        return;
    }
    printf("  distance    example  label\n");
    for (size_t i = 0; i < e->n_reasons && i < p->top; i++) {
        const thr_reason *r = &e->reasons[i];
        printf("  %8.5f %10llu  %s: %s\n", r->distance, (unsigned long long)r->number,
               cli_shown(r->label), cli_shown(r->what));
    }
    if (e->n_reasons > p->top)
        printf("  %20zu more\n", e->n_reasons - p->top);
}

/* ---- rules with weights ------------------------------------------------------------------- */

static void json_parts(const cli_explaining *p, const thr_explanation *e, cli_json *j)
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

static void print_parts(const cli_explaining *p, const thr_explanation *e)
{
    printf("  contribution      value     weight  feature\n");
    for (size_t i = 0; i < e->n_parts && i < p->top; i++) {
        const thr_contribution *c = &e->parts[i];
        printf("  %+12.5g %10.4g %10.4g  %s%s\n", c->contribution + 0.0, c->value, c->weight + 0.0,
               cli_shown(c->feature), c->seen ? "" : "  (never seen)");
    }
    if (e->n_parts > p->top)
        printf("  %+12.5g  %21s%zu more features\n", beyond(p, e), "", e->n_parts - p->top);
    if (e->rest != 0)
        printf("  %+12.5g  %21s(no feature: prior or threshold)\n", e->rest, "");
    printf("  %+12.5g  %21s= total\n", e->total, "");
}

void cli_json_explanation(const cli_explaining *p, const thr_explanation *e, cli_json *j)
{
    if (p->linear)
        json_parts(p, e, j);
    else
        json_reasons(p, e, j);
}

void cli_print_explanation(const cli_explaining *p, const thr_explanation *e)
{
    if (p->linear)
        print_parts(p, e);
    else
        print_reasons(p, e);
}
