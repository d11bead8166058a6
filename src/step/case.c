/* A case laid out in memory, the example it is made from, and its sets of labels. */
#include "model/counts.h"
#include "model/decision.h"
#include "model/inside.h"
#include "step/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void thr_case_clear(thr_case *c)
{
    free(c->by_member);
    free(c->by_label);
    free(c->id);
    free(c->x);
    free(c->place);
    free(c->values);
    free(c->grown);
    *c = (thr_case){0};
}

/* ---- room --------------------------------------------------------------------------------- */

/* Every member gets as much scratch as the one that needs most. */
static size_t most_room(const thr_model *m)
{
    size_t most = 0;
    for (uint32_t k = 0; k < m->members; k++) {
        const thr_rule *r = &m->member[k].rule;
        size_t need = r->learner->room ? r->learner->room(r) : 0;
        most = need > most ? need : most;
    }
    return most;
}

/* The address of the member array stands for the model. Rules that keep examples need more scratch
 * as they learn; only for these is the demand computed again. */
bool thr_case_is_laid_out(const thr_case *c, const thr_model *m)
{
    const thr_layout *l = &m->layout;
    return c->layout.member == l->member && c->layout.labels == l->labels &&
           c->layout.functions == l->functions && c->layout.members == l->members &&
           (!l->room || most_room(m) <= c->scratch);
}

/* Makes *block at least `bytes` long, beginning with a cache line and ending with one: other
 * threads may be at work on the next case (stretch.h). Contents are lost if it grows. */
static bool make_block(void **block, size_t *room, size_t bytes)
{
    size_t lines;
    if (bytes <= *room)
        return true;
    if (__builtin_add_overflow(bytes, THR_CACHE_LINE - 1, &lines))
        return false;
    lines -= lines % THR_CACHE_LINE;
    void *fresh = aligned_alloc(THR_CACHE_LINE, lines);
    if (!fresh)
        return false;
    free(*block);
    *block = fresh;
    *room = lines;
    return true;
}

/* What there is one of for each member. It keeps its contents while labels arrive. */
static bool lay_out_members(thr_case *c, size_t members)
{
    size_t experts = members + 1, bytes;
    size_t each = sizeof *c->view + sizeof *c->seen + sizeof *c->predicted + 2 * sizeof *c->wrong;
    if (__builtin_mul_overflow(experts, each, &bytes) ||
        !make_block(&c->by_member, &c->member_room, bytes))
        return false;
    c->view = c->by_member;
    c->seen = (double *)(void *)(c->view + experts);
    c->predicted = (uint32_t *)(void *)(c->seen + experts);
    c->wrong = (bool *)(void *)(c->predicted + experts);
    c->moved = c->wrong + experts;
    return true;
}

/* case.h draws the order of the arrays of numbers. Their contents are lost; blocks only ever grow.
 */
__attribute__((noinline)) static bool lay_out(thr_case *c, const thr_model *m)
{
    thr_layout l = m->layout;
    size_t labels = l.labels, experts = l.members + 1, scratch = most_room(m), rooms, bytes;
    size_t need = 2 * l.functions + labels * (2 * l.members + experts + 4);
    if (__builtin_mul_overflow(scratch, l.members, &rooms) ||
        __builtin_add_overflow(need, rooms, &need) ||
        __builtin_mul_overflow(need, sizeof *c->live, &bytes) ||
        __builtin_add_overflow(bytes, 3 * labels * sizeof *c->truth, &bytes) ||
        !make_block(&c->by_label, &c->label_room, bytes) || !lay_out_members(c, l.members))
        return false;
    c->live = c->by_label;
    c->shown = c->live + l.functions;
    c->score = c->shown + l.functions;
    c->evidence = c->score + labels * l.members;
    c->log_p = c->evidence + labels * l.members;
    c->answer = thr_model_combines(m) ? c->log_p + labels * experts : c->score;
    c->log_probability = c->log_p + labels * (experts + 1);
    c->probability = c->log_probability + labels;
    c->favour = c->probability + labels;
    c->room = c->favour + labels;
    c->truth = (bool *)(void *)(c->live + need);
    c->chosen = c->truth + labels;
    c->candidate = c->chosen + labels;
    c->scratch = scratch;
    c->layout = l;
    return true;
}

bool thr_case_lay_out(thr_case *c, const thr_model *m)
{
    return thr_case_is_laid_out(c, m) || lay_out(c, m);
}

void thr_case_tell(thr_case *c, uint32_t members, const thr_example *whole)
{
    for (uint32_t k = 0; k < members; k++) {
        c->view[k].label = whole->label;
        c->view[k].importance = whole->importance;
        c->view[k].truth = whole->truth;
    }
}

/* ---- the example -------------------------------------------------------------------------- */

/* The values of an example, NULL if all are 1. A batch stores values as soon as one of its examples
 * has some, so whether b->value exists depends on where the stream was cut into batches. That must
 * not show in the model: the marks of repeated examples, for one, are hashes of e->x. */
static const float *values_of(const thr_batch *b, size_t i)
{
    for (size_t f = b->start[i]; b->has_values && f < b->start[i + 1]; f++)
        if (b->value[f] != 1)
            return b->value + b->start[i];
    return NULL;
}

void thr_model_outline(const thr_model *m, const thr_batch *b, size_t i, thr_example *e)
{
    size_t from = b->start[i];
    *e = (thr_example){
        .id = b->id ? b->id + from : NULL, /* NULL: not resolved, only values are checked */
        .x = values_of(b, i),
        .n = b->start[i + 1] - from,
        .scale = 1,
        .label = THR_NONE,
        .target = thr_model_numbers(m) ? thr_label_number(&b->about[i]) : NAN,
        .known = m->known,
        .importance = b->about[i].importance,
        .distinct = m->lexicon.hash_bits == 0, /* two names may share a hash slot */
    };
}

void thr_model_example(const thr_model *m, const thr_batch *b, size_t i, thr_example *e)
{
    thr_model_outline(m, b, i, e);
    thr_example_measure(e, &e->norm2, &e->greatest);
    e->length2 = e->norm2;
}

int thr_model_view(const thr_model *m, thr_case *c, const thr_batch *b, size_t i,
                   const thr_member *by, thr_example *out, thr_error *err)
{
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    c->measured = false;
    if (!thr_case_filter(m, c, &whole))
        return thr_fail_memory(err);
    if (!thr_case_scale(m, c, &whole, b, i, NULL))
        return thr_fail_memory(err);
    if (!by) {
        *out = c->formed ? c->form[0] : whole;
        out->scale = 1 / c->length;
    } else
        thr_member_view(by, thr_case_form(m, c, (uint32_t)(by - m->member), &whole), m->unit,
                        b->about[i].from_text, out);
    return 0;
}

/* ---- its labels --------------------------------------------------------------------------- */

/* Sets the flags of the labels in a list; unknown labels are ignored. Returns whether any was
 * set. */
static bool mark(const thr_model *m, const thr_batch *b, thr_list list, bool *flag)
{
    bool any = false;
    for (size_t i = 0; i < list.n; i++) {
        uint32_t label = thr_labels_find(&m->labels, b->listed[list.from + i]);
        if (label != THR_NONE)
            flag[label] = any = true;
    }
    return any;
}

void thr_case_restrict(const thr_model *m, thr_case *c, const thr_batch *b, size_t i,
                       thr_example *whole)
{
    if (thr_model_mixes(m) && thr_classes_differ(&m->classes)) {
        memset(c->favour, 0, m->labels.n * sizeof *c->favour);
        thr_classes_add_logs(&m->classes, c->favour);
    }
    c->restricted = b->about[i].candidates.n > 0;
    whole->candidate = c->restricted ? c->candidate : NULL;
    if (!c->restricted)
        return;
    memset(c->candidate, 0, m->labels.n * sizeof *c->candidate);
    mark(m, b, b->about[i].candidates, c->candidate);
    for (uint32_t k = 0; k < m->members; k++)
        c->view[k].candidate = c->candidate;
}

void thr_case_mark_truth(const thr_model *m, thr_case *c, const thr_batch *b, size_t i)
{
    uint32_t label = thr_labels_find(&m->labels, b->about[i].label);
    memset(c->truth, 0, m->labels.n * sizeof *c->truth);
    if (label != THR_NONE)
        c->truth[label] = true;
    mark(m, b, b->about[i].more, c->truth);
}

/* A member of a panel is judged at 1/2, and so are those of a race where thresholds are learned:
 * they are learned from the model's own predictions. */
static double threshold_of(const thr_model *m, uint32_t label)
{
    bool shared = m->race && thr_thresholds_learn(&m->thresholds);
    return thr_model_mixes(m) || shared ? THR_EVEN_ODDS : thr_thresholds_of(&m->thresholds, label);
}

bool thr_case_chooses(const thr_model *m, const thr_case *c, uint32_t k, uint32_t label)
{
    if (c->predicted[k] == THR_NONE || (c->restricted && !c->candidate[label]))
        return false;
    const double *logit = c->log_p + (size_t)k * m->labels.n;
    return thr_model_by_probability(m)
               ? thr_calibration_reaches(c->seen[k], logit[label], threshold_of(m, label))
               : thr_case_score_of(m, c, k)[label] > 0;
}

void thr_case_choose(const thr_model *m, thr_case *c)
{
    bool mixes = thr_model_mixes(m);
    for (uint32_t l = 0; l < m->labels.n; l++) {
        bool allowed = !c->restricted || c->candidate[l];
        c->chosen[l] =
            mixes ? allowed && thr_calibration_reaches(m->panel.fit.seen, c->answer[l],
                                                       thr_thresholds_of(&m->thresholds, l))
                  : thr_case_chooses(m, c, 0, l);
    }
}

/* ---- min-count ----------------------------------------------------------------------------- */

/* norm2 and greatest are measured again: they must be those of the features that are left. */
bool thr_case_filter(const thr_model *m, thr_case *c, thr_example *e)
{
    c->filtered = m->min_count > 1;
    if (!c->filtered)
        return true;
    if (!thr_grow(&c->id, &c->id_room, e->n, sizeof *c->id) ||
        !thr_grow(&c->x, &c->x_room, e->n, sizeof *c->x) ||
        !thr_grow(&c->place, &c->place_room, e->n, sizeof *c->place))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++)
        if (thr_counts_enough(m, e->id[i])) {
            c->id[n] = e->id[i];
            c->x[n] = e->x ? e->x[i] : 1;
            c->place[n++] = i;
        }
    e->id = c->id;
    e->x = e->x ? c->x : NULL;
    e->n = n;
    thr_example_measure(e, &e->norm2, &e->greatest);
    e->length2 = e->norm2;
    return true;
}

size_t thr_case_place(const thr_case *c, size_t i)
{
    return c->filtered ? c->place[i] : i;
}

/* ---- units --------------------------------------------------------------------------------- */

bool thr_model_keeps_values(const thr_model *m, const thr_batch *b, size_t i)
{
    return b->about[i].from_text && m->reader.features.values != THR_PRESENCE;
}

/* Whether members will divide the example by its length (thr_member_view). */
static bool becomes_unit(const thr_model *m, const thr_batch *b, size_t i)
{
    bool likes = false;
    for (uint32_t k = 0; k < m->members; k++)
        likes |= m->member[k].scaled && (m->member[k].rule.learner->flags & THR_LIKES_UNIT);
    return m->unit == 1 || (m->unit == -1 && b->about[i].from_text && likes);
}

static void make_form(thr_example *form, const thr_example *whole, const float *x, double length2)
{
    *form = *whole;
    form->x = x;
    thr_example_measure(form, &form->norm2, &form->greatest);
    form->length2 = length2;
}

bool thr_case_make_values(thr_case *c, size_t n)
{
    size_t more = n + n / 4 + 16, bytes;
    if (n <= c->value_room)
        return true;
    if (__builtin_mul_overflow(more, 3 * sizeof *c->scaled, &bytes) ||
        !make_block(&c->values, &c->values_room, bytes))
        return false;
    c->value_room = more;
    c->scaled = c->values;
    c->positive = c->scaled + more;
    c->most = c->positive + more;
    return true;
}

bool thr_case_scale(const thr_model *m, thr_case *c, const thr_example *whole, const thr_batch *b,
                    size_t i, char *const *row)
{
    const thr_units *u = &m->units;
    c->formed = u->on && thr_units_needed(u, whole, b, i);
    if (!c->formed)
        return true;
    if (!thr_case_make_values(c, whole->n))
        return false;
    if (!c->measured)
        thr_units_read(u, whole, row, c->most);
    bool differ, halved = false; /* some rule takes no negative values */
    for (uint32_t k = 0; k < m->members; k++)
        halved |= m->member[k].scaled && m->member[k].rule.nonnegative;
    double length2 =
        thr_units_scale(u, whole, thr_model_keeps_values(m, b, i), becomes_unit(m, b, i), c->most,
                        c->scaled, halved ? c->positive : NULL, &differ);
    make_form(&c->form[0], whole, c->scaled, length2);
    c->form[1] = c->form[0];
    if (differ && halved)
        make_form(&c->form[1], whole, c->positive, length2);
    return true;
}

const thr_example *thr_case_form(const thr_model *m, const thr_case *c, uint32_t k,
                                 const thr_example *whole)
{
    const thr_member *member = &m->member[k];
    return c->formed && member->scaled ? &c->form[member->rule.nonnegative] : whole;
}

bool thr_case_view(const thr_model *m, thr_case *c, const thr_example *whole, const thr_batch *b,
                   size_t i, char *const *row)
{
    if (!thr_case_scale(m, c, whole, b, i, row))
        return false;
    if (thr_model_mixes(m)) {
        double length2 = c->formed ? c->form[0].length2 : whole->length2;
        c->length = length2 > 0 ? sqrt(length2) : 1;
    }
    for (uint32_t k = 0; k < m->members; k++) {
        thr_example *view = &c->view[k];
        const thr_example *form = c->formed ? thr_case_form(m, c, k, whole) : whole;
        thr_member_view(&m->member[k], form, m->unit, b->about[i].from_text, view);
        view->room = c->room + k * c->scratch;
    }
    return true;
}
