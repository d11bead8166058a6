/* Boolean points and the literals of a target.
 *
 * Each variable of a point is active with probability active/n, independently. With `balance` a
 * fair coin chooses the label first. The relevant variables, which alone determine the label, are
 * then steered towards it; the others are not changed. The label is always computed from the final
 * point, so it is correct even if steering failed. */
#include "base/error.h"
#include "gen/gen.h"

#include <stdlib.h>
#include <string.h>

/* How often a point is drawn if steering misses the wanted label. Afterwards the point is taken as
 * it is: a formula may have no point with that label at all. */
#define STEERING_TRIES 32
#define AUTO_ACTIVE    50

bool thr_literal_holds(const thr_target *t, size_t literal)
{
    return t->on[t->literal[literal].slot] != t->literal[literal].negated;
}

void thr_literal_make(thr_target *t, size_t literal, bool hold)
{
    t->on[t->literal[literal].slot] = hold != t->literal[literal].negated;
}

int thr_boolean_prepare(thr_gen *g, uint64_t terms, uint64_t k, thr_error *err)
{
    thr_gen_values *v = &g->values;
    thr_target *t = &g->target;
    const char *name = g->kind->name;
    if (k > v->n)
        return thr_fail(err, THR_EUSE, "%s: k=%llu is more than the n=%llu variables", name,
                        (unsigned long long)k, (unsigned long long)v->n);
    if (v->active > (double)v->n)
        return thr_fail(err, THR_EUSE, "%s: active=%.15g is more than the n=%llu variables", name,
                        v->active, (unsigned long long)v->n);
    if (v->active < 0)
        v->active = (double)v->n / 2 < AUTO_ACTIVE ? (double)v->n / 2 : AUTO_ACTIVE;
    if (k > SIZE_MAX / terms)
        return thr_fail_memory(err);
    t->n_literals = (size_t)(terms * k);
    t->n_terms = (size_t)terms;
    t->literal = calloc(t->n_literals, sizeof *t->literal);
    t->var = calloc(t->n_literals, sizeof *t->var);
    t->on = calloc(t->n_literals, sizeof *t->on);
    return t->literal && t->var && t->on ? 0 : thr_fail_memory(err);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Draws k distinct variables for each term; different terms may share variables. t->var becomes the
 * sorted set of all of them. */
bool thr_boolean_redraw(thr_gen *g)
{
    thr_target *t = &g->target;
    size_t k = t->n_literals / t->n_terms;
    uint64_t *drawn = calloc(t->n_literals, sizeof *drawn);
    if (!drawn)
        return false;
    for (size_t i = 0; i < t->n_terms; i++)
        thr_sample(&g->target_random, g->values.n, k, drawn + i * k);
    memcpy(t->var, drawn, t->n_literals * sizeof *drawn);
    qsort(t->var, t->n_literals, sizeof *t->var, ascending);
    t->n_vars = 0;
    for (size_t i = 0; i < t->n_literals; i++)
        if (i == 0 || t->var[t->n_vars - 1] != t->var[i])
            t->var[t->n_vars++] = t->var[i];
    for (size_t i = 0; i < t->n_literals; i++) {
        const uint64_t *var = bsearch(&drawn[i], t->var, t->n_vars, sizeof *var, ascending);
        t->literal[i].slot = (size_t)(var - t->var);
        t->literal[i].negated = g->values.negated && thr_random_below(&g->target_random, 2);
    }
    free(drawn);
    return true;
}

static void toss_relevant(thr_gen *g)
{
    thr_target *t = &g->target;
    double p = g->values.active / (double)g->values.n;
    for (size_t i = 0; i < t->n_vars; i++)
        t->on[i] = thr_random_real(&g->point_random) < p;
}

static bool draw_relevant(thr_gen *g)
{
    if (!g->values.balance) {
        toss_relevant(g);
        return g->kind->holds(g);
    }
    bool want = thr_random_below(&g->point_random, 2), label = !want;
    for (int i = 0; i < STEERING_TRIES && label != want; i++) {
        toss_relevant(g);
        if (g->kind->holds(g) != want)
            g->kind->steer(g, want);
        label = g->kind->holds(g);
    }
    return label;
}

/* Merges the relevant variables with the heads of n coins for all variables. Heads on relevant
 * variables are ignored, since those variables have been drawn already. */
bool thr_boolean_draw(thr_gen *g, thr_point *p)
{
    const thr_target *t = &g->target;
    bool label = draw_relevant(g);
    thr_coins coins;
    thr_coins_init(&coins, &g->point_random, g->values.n, g->values.active / (double)g->values.n);
    uint64_t head = thr_coins_next(&coins);
    for (size_t next = 0; head || next < t->n_vars;) {
        if (next == t->n_vars || (head && head < t->var[next])) {
            thr_point_add(p, head, 1);
            head = thr_coins_next(&coins);
            continue;
        }
        if (t->on[next])
            thr_point_add(p, t->var[next], 1);
        if (head == t->var[next])
            head = thr_coins_next(&coins);
        next++;
    }
    return label;
}

bool thr_literals_words(thr_gen *g, size_t from, size_t to, const char *between)
{
    bool ok = true;
    for (size_t i = from; i < to && ok; i++) {
        const thr_literal *l = &g->target.literal[i];
        ok = thr_bytes_printf(&g->words, "%s%sx%llu", i > from ? between : "",
                              l->negated ? "not " : "", (unsigned long long)g->target.var[l->slot]);
    }
    return ok;
}
