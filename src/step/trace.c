/* From the moves that a rule has recorded to the thr_update that a listener is given. Everything it
 * points to lives in the trace or the model and is valid during the call only. */
#include "step/trace.h"

#include "model/inside.h"
#include "multiclass/split.h"
#include "step/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life --------------------------------------------------------------------------------- */

void thr_trace_free(thr_trace *t)
{
    if (!t)
        return;
    thr_moves_clear(&t->moves);
    thr_bytes_clear(&t->text);
    free(t->told);
    free(t->moved);
    free(t->feature);
    free(t->place);
    free(t->chosen);
    free(t->list);
    free(t);
}

int thr_trace_new(thr_trace **out, const thr_model *m, thr_update_fn *fn, void *user,
                  thr_error *err)
{
    thr_trace *t = calloc(1, sizeof *t);
    if (t)
        t->told = calloc(m->members, sizeof *t->told);
    if (!t || !t->told) {
        free(t);
        return thr_fail_memory(err);
    }
    t->fn = fn;
    t->user = user;
    t->members = m->members;
    for (uint32_t k = 0; k < m->members; k++)
        t->told[k].shared = thr_member_shares(&m->member[k], &m->labels);
    *out = t;
    return 0;
}

/* ---- predictions -------------------------------------------------------------------------- */

/* Keeps the set that each member predicted. The case's own is lost when a label is added. */
static bool keep_sets(thr_trace *t, const thr_model *m, const thr_case *s, uint32_t n)
{
    size_t need;
    if (__builtin_mul_overflow(t->members, n, &need) ||
        !thr_grow(&t->chosen, &t->chosen_room, need + 1, sizeof *t->chosen))
        return false;
    t->labels = n;
    for (uint32_t k = 0; k < t->members; k++)
        for (uint32_t l = 0; l < n; l++)
            t->chosen[(size_t)k * n + l] = thr_case_chooses(m, s, k, l);
    return true;
}

bool thr_trace_predicted(thr_trace *t, const thr_model *m, const thr_case *s)
{
    uint32_t n = m->labels.n;
    for (uint32_t k = 0; k < m->members && k < t->members; k++) {
        struct thr_told *told = &t->told[k];
        const double *score = thr_case_score_of(m, s, k);
        told->label = s->predicted[k] < n ? s->predicted[k] : THR_NONE;
        told->score = thr_model_regression(m)  ? score[0]
                      : told->label < THR_NONE ? score[told->label]
                                               : NAN;
    }
    return !m->reader.multilabel || keep_sets(t, m, s, n);
}

/* ---- the features ------------------------------------------------------------------------- */

/* Orders places of the example by feature, then by place: equal features become neighbours, the
 * first occurrence first. Only names that share a hash slot are equal. */
static int by_feature(const void *a, const void *b, void *of)
{
    const uint32_t *id = of;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (id[x] != id[y])
        return id[x] < id[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Features that share a hash slot share one row, so the weight's whole change was recorded for each
 * of them. Keeps the first of each slot, in the list of features and in the changes of every move,
 * and returns how many are left. */
static size_t leave_out_repeated(thr_trace *t, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        t->place[i] = i;
    qsort_r(t->place, n, sizeof *t->place, by_feature, t->feature);
    for (size_t i = n; i-- > 1;)
        if (t->feature[t->place[i]] == t->feature[t->place[i - 1]])
            t->feature[t->place[i]] = THR_NONE;
    for (size_t i = 0; i < n; i++) {
        if (t->feature[i] == THR_NONE)
            continue;
        t->feature[kept] = t->feature[i];
        for (size_t k = 0; k < t->moves.n && t->moves.changes; k++) {
            double *change = t->moves.change + t->moves.at[k].change;
            change[kept] = change[i];
        }
        kept++;
    }
    return kept;
}

static bool list_features(thr_trace *t, const thr_example *e, bool hashed, size_t *n)
{
    *n = e->n;
    if (!thr_grow(&t->feature, &t->feature_room, e->n + 1, sizeof *t->feature) ||
        !thr_grow(&t->place, &t->place_room, e->n + 1, sizeof *t->place))
        return false;
    if (e->n)
        memcpy(t->feature, e->id, e->n * sizeof *t->feature);
    if (hashed)
        *n = leave_out_repeated(t, e->n);
    return true;
}

/* ---- updates ------------------------------------------------------------------------------ */

void thr_trace_begin(thr_trace *t, thr_member *k)
{
    thr_moves_reset(&t->moves);
    k->rule.moves = &t->moves;
}

static const char *name_of(const thr_labels *labels, uint32_t label)
{
    return label < labels->n ? labels->name[label] : NULL;
}

/* Translates moves of functions into labels: whose function moved, and against which label. A
 * shared function belongs to the anchor, against the other label. */
static bool list_moves(thr_trace *t, const thr_model *m, const thr_member *k)
{
    bool number = thr_model_regression(m), shared = thr_member_shares(k, &m->labels) && !number;
    if (!thr_grow(&t->moved, &t->moved_room, t->moves.n + 1, sizeof *t->moved))
        return false;
    for (size_t i = 0; i < t->moves.n; i++) {
        const thr_move *move = &t->moves.at[i];
        uint32_t label = k->anchor, against = 1 - k->anchor;
        if (!shared)
            k->rule.policy->sides(move->function, &label, &against);
        t->moved[i] = (thr_moved){
            .label = number ? NULL : name_of(&m->labels, label),
            .against = number ? NULL : name_of(&m->labels, against),
            .shared = shared,
            .margin = move->margin,
            .step = move->step,
            .change = t->moves.changes ? t->moves.change + move->change : NULL,
        };
    }
    return true;
}

/* When a third label arrives, the function that two labels shared is split into one for each, and
 * all its weights may be multiplied by a factor (multiclass/split.h). Returns that factor if this
 * has happened since the member's last step, else 1. */
static double rescaled(thr_trace *t, const thr_model *m, uint32_t member)
{
    const thr_member *k = &m->member[member];
    bool was = t->told[member].shared, is = thr_member_shares(k, &m->labels);
    t->told[member].shared = is;
    return was && !is && k->rule.policy->splits ? thr_split_factor(&k->rule) : 1;
}

static bool keep_text(thr_trace *t, thr_str text)
{
    return thr_bytes_add(&t->text, text.p ? text.p : "", text.n) && thr_bytes_add(&t->text, "", 1);
}

static bool keep_texts(thr_trace *t, const thr_cause *c)
{
    t->text.n = 0;
    bool done = keep_text(t, c->label) && keep_text(t, c->tag);
    for (size_t i = 0; i < c->n_also && done; i++)
        done = keep_text(t, c->also[i]);
    return done;
}

/* For multi-label data: lists the predicted and the true labels by name. */
static bool tell_sets(thr_trace *t, const thr_model *m, uint32_t member, const thr_cause *c,
                      thr_update *u)
{
    const bool *chosen = t->chosen + (size_t)member * t->labels;
    const char *at = u->tag + c->tag.n + 1;
    if (!thr_grow(&t->list, &t->list_room, t->labels + c->n_also + 1, sizeof *t->list))
        return false;
    for (uint32_t l = 0; l < t->labels; l++)
        if (chosen[l])
            t->list[u->n_set++] = m->labels.name[l];
    if (c->label.p)
        t->list[u->n_set + u->n_truths++] = u->truth;
    for (size_t i = 0; i < c->n_also; i++) {
        t->list[u->n_set + u->n_truths++] = at;
        at += c->also[i].n + 1;
    }
    u->multilabel = true;
    u->set = t->list;
    u->truths = t->list + u->n_set;
    if (t->told[member].label != THR_NONE && !chosen[t->told[member].label])
        u->predicted = NULL;
    return true;
}

int thr_trace_end(thr_trace *t, thr_model *m, uint32_t member, const thr_example *e,
                  const thr_cause *cause, thr_error *err)
{
    thr_member *k = &m->member[member];
    const struct thr_told *told = &t->told[member];
    size_t features;
    k->rule.moves = NULL;
    double factor = rescaled(t, m, member);
    if (t->moves.n == 0 && factor == 1 && !t->moves.failed)
        return 0;
    if (t->moves.failed || !keep_texts(t, cause) ||
        !list_features(t, e, m->lexicon.hash_bits, &features) || !list_moves(t, m, k))
        return thr_fail_memory(err);
    bool keeps = k->rule.learner->flags & THR_KEEPS;
    thr_update u = {
        .example = m->seen.examples + 1,
        .file = cause->file,
        .line = cause->line,
        .tag = t->text.p + cause->label.n + 1,
        .rule = k->spec,
        .truth = t->text.p,
        .pushed = cause->pushed,
        .target = e->target,
        .predicted = name_of(&m->labels, told->label),
        .score = told->score,
        .kept = keeps && t->moves.n,
        .rescaled = factor,
        .features = t->feature,
        .n_features = features,
        .moves = t->moved,
        .n_moves = t->moves.n,
    };
    if (m->reader.multilabel && !tell_sets(t, m, member, cause, &u))
        return thr_fail_memory(err);
    return t->fn(t->user, &u);
}
