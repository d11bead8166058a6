/* Rules in dual form: scoring by one sweep over the notes, and keeping examples. */
#include "learner/dual.h"

#include "example/batch.h"
#include "weights/postings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scoring ------------------------------------------------------------------------------ */

/* e->room holds K for every kept example, then `since` for every function. */
size_t thr_dual_room(const thr_rule *r)
{
    return r->memory->n + r->functions;
}

/* K of e with every kept example. The result is in e->room. */
static double *kernel_values(const thr_rule *r, const thr_dual *d, const thr_example *e)
{
    const thr_memory *m = r->memory;
    double *k = e->room;
    memset(k, 0, m->n * sizeof *k);
    if (m->n)
        thr_postings_dots(r->extra, e, k);
    for (size_t i = 0; i < m->n; i++)
        k[i] *= e->scale * m->kept[i].scale;
    if (d->kernel)
        d->kernel(r, e, k, m->n);
    return k;
}

static double sign(double s)
{
    return (double)((s > 0) - (s < 0));
}

/* One sweep over the notes. If hypotheses vote, the one at hand votes before each note, with the
 * number of examples since it was born (since[f]), and the last one votes at the end. */
void thr_dual_score(const thr_rule *r, const thr_dual *d, uint32_t functions, const thr_example *e,
                    double *live, double *shown)
{
    const double *k = kernel_values(r, d, e);
    const thr_memory *m = r->memory;
    double *since = e->room + m->n;
    for (uint32_t f = 0; f < functions; f++)
        live[f] = shown[f] = since[f] = 0;
    if (!d->vote) {
        for (size_t i = 0; i < m->notes; i++)
            live[m->note[i].function] += m->note[i].step * k[m->note[i].example];
        memcpy(shown, live, functions * sizeof *shown);
        return;
    }
    for (size_t i = 0; i < m->notes; i++) {
        const thr_note *note = &m->note[i];
        uint32_t f = note->function;
        shown[f] += (note->born - since[f]) * sign(live[f]);
        since[f] = note->born;
        live[f] += note->step * k[note->example];
    }
    for (uint32_t f = 0; f < functions && r->clock > 0; f++)
        shown[f] = (shown[f] + (r->clock - since[f]) * sign(live[f])) / r->clock;
}

/* ---- moving ------------------------------------------------------------------------------- */

/* Keeps e and returns its number. An example that is kept already is not kept a second time,
 * unless there is a budget: examples are forgotten by age, and a second copy is younger. */
static uint32_t keep(thr_rule *r, const thr_dual *d, const thr_example *e)
{
    thr_memory *m = r->memory;
    uint32_t known = d->budget ? THR_NONE : thr_postings_find(r->extra, m, e);
    if (known != THR_NONE)
        return known;
    if (d->budget && m->n >= d->budget) {
        thr_example oldest = thr_memory_example(m, 0);
        thr_postings_forget(r->extra, &oldest);
        thr_memory_forget(m);
    }
    uint32_t fresh = thr_memory_add(m, e);
    thr_postings_add(r->extra, e, fresh);
    return fresh;
}

void thr_dual_move(thr_rule *r, const thr_dual *d, const thr_example *e, uint32_t f, double step)
{
    thr_memory *m = r->memory;
    const thr_note *last = m->notes ? &m->note[m->notes - 1] : NULL;
    bool kept = last && last->born == r->clock; /* e has just moved another function */
    uint32_t example = kept ? last->example : keep(r, d, e);
    thr_memory_note(m, (thr_note){.example = example,
                                  .function = f,
                                  .step = thr_weight_clamp(step),
                                  .born = r->clock});
}

/* ---- room --------------------------------------------------------------------------------- */

int thr_dual_ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err)
{
    (void)f;
    if (!r->extra && !(r->extra = calloc(1, sizeof(thr_postings))))
        return thr_fail_memory(err);
    int code = thr_postings_ready(r->extra, e, err);
    return code ? code : thr_memory_ready(r->memory, e, r->functions, err);
}

int thr_dual_ready_to_forget(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err)
{
    int code = thr_memory_own(r->memory, err);
    if (code == 0 && r->extra)
        code = thr_postings_own(r->extra, err);
    return code ? code : thr_dual_ready(r, e, f, err);
}

int thr_dual_share(const thr_rule *from, thr_rule *to, thr_error *err)
{
    if (!from->extra)
        return 0;
    if (!(to->extra = calloc(1, sizeof(thr_postings))))
        return thr_fail_memory(err);
    thr_postings_share(from->extra, to->extra);
    return 0;
}

/* Checks what scoring relies on: function numbers in range, notes in order of time, bounded
 * steps. A model file may contain anything. */
static bool notes_make_sense(const thr_rule *r)
{
    double before = 0;
    for (size_t i = 0; i < r->memory->notes; i++) {
        const thr_note *note = &r->memory->note[i];
        if (note->function >= r->functions || !(note->born >= before && note->born < r->clock) ||
            fabs(note->step) > THR_WEIGHT_MAX)
            return false;
        before = note->born;
    }
    return true;
}

int thr_dual_rebuild(thr_rule *r, const thr_weights *w, thr_error *err)
{
    (void)w;
    thr_dual_release(r);
    if (!notes_make_sense(r))
        return thr_fail(err, THR_EMODEL,
                        "this model is damaged: its notes on examples make no "
                        "sense");
    if (!(r->extra = calloc(1, sizeof(thr_postings))))
        return thr_fail_memory(err);
    return thr_postings_build(r->extra, r->memory, err);
}

void thr_dual_release(thr_rule *r)
{
    if (r->extra)
        thr_postings_clear(r->extra);
    free(r->extra);
    r->extra = NULL;
}
