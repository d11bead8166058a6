#include "theory/pupil.h"

#include <stdio.h>
#include <stdlib.h>

int thr_pupil_open(thr_pupil *p, size_t n, bool disjunction, bool negated, thr_error *err)
{
    char spec[96];
    snprintf(spec, sizeof spec, "eliminate:form=%s,negated=%s,variables=%zu",
             disjunction ? "disjunction" : "conjunction", negated ? "on" : "off", n);
    *p = (thr_pupil){
        .n = n, .id = malloc((n + 1) * sizeof *p->id), .row = malloc((n + 1) * sizeof *p->row)};
    int code = thr_rule_init(&p->rule, spec, NULL, err);
    if (code == 0 && (!p->id || !p->row))
        code = thr_fail_memory(err);
    if (code)
        return code;
    thr_weights_init(&p->weights, p->rule.slot, p->rule.n_slots);
    return thr_weights_settle(&p->weights, n + 1, err);
}

void thr_pupil_close(thr_pupil *p)
{
    thr_weights_clear(&p->weights);
    thr_rule_clear(&p->rule);
    free(p->id);
    free(p->row);
    *p = (thr_pupil){0};
}

/* Feature 0 is the bias. All rows are there, so none needs a spare one. */
static thr_example see(const thr_pupil *p, const bool *x)
{
    thr_weights *table = (thr_weights *)&p->weights;
    thr_example e = {.id = p->id, .row = p->row, .scale = 1, .importance = 1};
    for (size_t i = 0; i < p->n; i++)
        if (x[i])
            p->id[e.n++] = (uint32_t)i + 1;
    e.known = (uint32_t)p->n + 1;
    thr_weights_find(&table, 1, &e, p->row, NULL);
    return e;
}

static double score(const thr_pupil *p, const thr_example *e)
{
    double live, shown;
    p->rule.learner->score(&p->rule, &p->weights, e, &live, &shown);
    return live;
}

bool thr_pupil_answer(const thr_pupil *p, const bool *x)
{
    thr_example e = see(p, x);
    return score(p, &e) >= 0;
}

bool thr_pupil_learn(thr_pupil *p, const bool *x, bool label)
{
    thr_example e = see(p, x);
    double live = score(p, &e);
    thr_rule_learn(&p->rule, &p->weights, &e, true, label ? 1 : -1, &live);
    return (live >= 0) != label;
}

unsigned thr_pupil_literals(const thr_pupil *p, size_t variable)
{
    unsigned has = p->rule.learner->literals(&p->rule, &p->weights, (uint32_t)variable + 1, 0);
    return has & (THR_LITERAL | THR_NEGATED);
}
