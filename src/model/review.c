/* Reviews of a panel; review.h says when a member is paused. */
#include "model/review.h"

#include "model/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST    8192  /* examples until the first review, which only notes mistakes */
#define LEAST    0.001 /* learned weight */
#define SURPRISE 3     /* standard deviations */
#define COUNTED  0.75  /* of all examples */

/* ---- the panel's part ----------------------------------------------------------------------- */

static bool is_review(uint64_t learned)
{
    return learned >= FIRST && (learned & (learned - 1)) == 0;
}

uint64_t thr_panel_until_review(const thr_panel *p, uint64_t learned)
{
    uint64_t next = FIRST;
    if (!p->pauses || learned >> 63) /* only a damaged file has learned so much */
        return UINT64_MAX;
    if (learned >= FIRST)
        next = UINT64_C(1) << (64 - __builtin_clzll(learned));
    return next - learned;
}

uint32_t thr_panel_place(const thr_panel *p, uint32_t k)
{
    for (uint32_t i = 0; i < p->n_paused && p->paused[i].place <= k; i++)
        k++;
    return k;
}

int thr_panel_copy_paused(const thr_panel *p, thr_panel *out, thr_error *err)
{
    thr_paused *list = realloc(out->paused, (p->members + p->n_paused) * sizeof *list);
    if (!list)
        return thr_fail_memory(err);
    out->paused = list;
    for (; out->n_paused < p->n_paused; out->n_paused++) {
        thr_paused *to = &list[out->n_paused];
        *to = p->paused[out->n_paused];
        to->spec = strdup(to->spec);
        if (!to->spec)
            return thr_fail_memory(err);
    }
    return 0;
}

/* The panel owns `spec` then. Of a panel that mixes nothing else has one number for each member. */
static void take_out(thr_panel *p, uint32_t k, char *spec, uint64_t examples)
{
    thr_paused fresh = {spec, thr_panel_place(p, k), examples, p->mistakes[k]};
    uint32_t at = p->n_paused++;
    for (; at > 0 && p->paused[at - 1].place > fresh.place; at--)
        p->paused[at] = p->paused[at - 1];
    p->paused[at] = fresh;
    p->members--;
    p->experts--;
    memmove(p->mistakes + k, p->mistakes + k + 1, (p->members - k) * sizeof *p->mistakes);
    memmove(p->reviewed + k, p->reviewed + k + 1, (p->members - k) * sizeof *p->reviewed);
    thr_mixture_take_out(&p->mixture, k);
}

/* ---- the model's part ----------------------------------------------------------------------- */

void thr_model_take_out(thr_model *m, uint32_t k, uint64_t examples)
{
    char *spec = m->member[k].spec;
    m->member[k].spec = NULL;
    take_out(&m->panel, k, spec, examples);
    thr_member_clear(&m->member[k]);
    for (m->members--; k < m->members; k++)
        thr_member_move(&m->member[k + 1], &m->member[k]);
    thr_model_lay_out(m);
}

static double mistakes_since(const thr_panel *p, uint32_t k)
{
    return (double)(p->mistakes[k] - p->reviewed[k]);
}

/* The least mistakes that a member has made since the last review. */
static double fewest_since(const thr_panel *p)
{
    double fewest = INFINITY;
    for (uint32_t k = 0; k < p->members; k++)
        fewest = fmin(fewest, mistakes_since(p, k));
    return fewest;
}

static bool has_lost(const thr_panel *p, uint32_t k, double fewest)
{
    double own = mistakes_since(p, k);
    return thr_mixture_learned(&p->mixture, k) <= LEAST &&
           own - fewest > SURPRISE * sqrt(own + fewest);
}

bool thr_model_review(thr_model *m)
{
    thr_panel *p = &m->panel;
    uint64_t learned = m->seen.examples;
    if (!p->pauses || !is_review(learned))
        return false;
    double fewest = fewest_since(p);
    uint32_t before = m->members;
    bool judges = learned > FIRST && p->mixture.counted >= COUNTED * (double)learned;
    for (uint32_t k = 0; judges && k < m->members;)
        if (has_lost(p, k, fewest))
            thr_model_take_out(m, k, learned);
        else
            k++;
    memcpy(p->reviewed, p->mistakes, p->members * sizeof *p->reviewed);
    return m->members < before;
}
