/* Explains a rule without weights: by the clauses that fired, in order, or by the nearest of the
 * examples that it keeps. */
#include "model/inside.h"
#include "step/explain.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FEATURES 12 /* of a neighbour that are shown */

static bool add_name(const thr_model *m, uint32_t id, thr_bytes *text)
{
    char digits[24];
    thr_str ns, name = thr_lexicon_name(&m->lexicon, id, digits, &ns);
    return (!ns.n || (thr_bytes_add(text, ns.p, ns.n) && thr_bytes_add(text, "|", 1))) &&
           thr_bytes_add(text, name.p, name.n);
}

static bool add_example(const thr_model *m, const thr_example *e, thr_bytes *text)
{
    bool ok = thr_bytes_add(text, "", 0);
    for (size_t i = 0; i < e->n && i < MOST_FEATURES && ok; i++) {
        double value = thr_example_value(e, i);
        ok = (i == 0 || thr_bytes_add(text, " ", 1)) && add_name(m, e->id[i], text) &&
             (value == 1 || thr_bytes_printf(text, ":%.6g", value));
    }
    return ok && (e->n <= MOST_FEATURES || thr_bytes_add(text, " ...", 4));
}

/* The feature that a clause asks for, or the features of a neighbour, as text that the scratch
 * owns. NULL: out of memory. */
static const char *name_of(const thr_model *m, thr_scratch *s, const thr_rule *r,
                           const thr_justification *g)
{
    thr_bytes text = {0};
    bool ok = thr_grow(&s->name, &s->name_room, s->names + 1, sizeof *s->name);
    if (ok && g->from != THR_NONE)
        ok = add_name(m, r->clause[g->number].feature, &text);
    else if (ok) {
        thr_example kept = thr_memory_example(r->memory, g->number);
        ok = add_example(m, &kept, &text);
    }
    char *name = ok ? strndup(text.p ? text.p : "", text.n) : NULL;
    thr_bytes_clear(&text);
    if (name)
        s->name[s->names++] = name;
    return name;
}

/* Asks the rule; if it has more to say than fits, makes room and asks again. */
static bool find_justifications(thr_scratch *s, const thr_rule *r, const thr_example *e, size_t *n)
{
    *n = r->learner->justify(r, e, s->ground, s->ground_room);
    if (*n <= s->ground_room)
        return true;
    if (!thr_grow(&s->ground, &s->ground_room, *n, sizeof *s->ground))
        return false;
    r->learner->justify(r, e, s->ground, s->ground_room);
    return true;
}

int thr_explain_justified(const thr_model *m, thr_scratch *s, const thr_rule *r,
                          const thr_example *x, thr_explanation *out, thr_error *err)
{
    size_t n;
    thr_example e = *x;
    e.room = s->work.cases->room;
    if (!find_justifications(s, r, &e, &n) ||
        !thr_grow(&s->reason, &s->reason_room, n + 1, sizeof *s->reason))
        return thr_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const thr_justification *g = &s->ground[i];
        const char *what = name_of(m, s, r, g);
        if (!what)
            return thr_fail_memory(err);
        s->reason[i] = (thr_reason){
            .number = (uint64_t)g->number + 1,
            .what = what,
            .from = g->from == THR_NONE ? NULL : m->labels.name[g->from],
            .label = m->labels.name[g->to],
            .distance = g->distance,
        };
    }
    out->reasons = s->reason;
    out->n_reasons = n;
    return 0;
}
