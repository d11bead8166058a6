/* Members that some of the models to be mixed have paused (model/review.h). What such a member
 * would have learned is missing there, so the result goes on without it: it is taken out of clones
 * of the models that still have it. The result counts what all of them had learned until then. */
#include "combine/mix.h"
#include "model/review.h"

/* How many members the settings name. */
static uint32_t members_of(const thr_model *m)
{
    return m->members + m->panel.n_paused;
}

/* Marks the members that some part has paused, by their places. Returns how many. */
static uint32_t mark_paused(const thr_mix *x, bool *paused)
{
    uint32_t n = 0;
    for (size_t i = 0; i < x->all; i++) {
        const thr_panel *p = &x->part[i].m->panel;
        for (uint32_t k = 0; k < p->n_paused; k++) {
            n += !paused[p->paused[k].place];
            paused[p->paused[k].place] = true;
        }
    }
    return n;
}

static void take_out_marked(thr_model *m, const bool *paused, uint64_t examples)
{
    for (uint32_t k = 0; k < m->members;)
        if (paused[thr_panel_place(&m->panel, k)])
            thr_model_take_out(m, k, examples);
        else
            k++;
}

/* Models with other settings are left as they are: the check that follows refuses them. */
int thr_mix_paused(thr_mix *x, thr_error *err)
{
    bool paused[THR_MOST_MEMBERS] = {false};
    uint32_t members = members_of(x->part[0].m), n = mark_paused(x, paused);
    bool same = n > 0;
    for (size_t i = 0; i < x->all && same; i++)
        same = !x->part[i].m->lean && members_of(x->part[i].m) == members;
    if (same && n == members)
        return thr_fail(err, THR_EUSE,
                        "the models have paused different members of the panel, and have none in "
                        "common; panel:pause=off trains models that can be mixed");
    for (size_t i = 0; i < x->all && same; i++) {
        thr_mix_part *p = &x->part[i];
        if (p->m->panel.n_paused == n)
            continue;
        int code = thr_mix_own(p, err);
        if (code)
            return code;
        take_out_marked(p->own, paused, p->own->seen.examples);
    }
    return 0;
}

void thr_mix_pause_result(thr_mix *x)
{
    bool paused[THR_MOST_MEMBERS] = {false};
    if (mark_paused(x, paused))
        take_out_marked(x->out, paused, 0);
}
