/* Bernoulli naive Bayes: each known feature is present (value > 0) or absent,
 *     P(i | y) = (c_iy + alpha) / (n_y + 2 alpha),
 * and learning is c_iy += importance for every feature that is present.
 *
 * Absence is evidence too, so the score includes
 *     sum over all known i of log(n_y - c_iy + alpha),
 * and every term changes when n_y grows. To sum over all features at each example would be too
 * slow. But features with the same count have the same term, and there are few different
 * counts. So each label has a tally: a sorted list of (count, number of features that have it).
 * The sum is computed from the tally whenever the label learns. Most features have count 0
 * under a label; these are not listed, their number is V - MET.
 *
 * The tallies follow from the counts in the rows. They are rule->extra: rebuilt when a model is
 * opened for training, not saved. */
#include "learner/bayes.h"

#include <stdlib.h>
#include <string.h>

typedef struct tally {
    double count;
    uint64_t features;
} tally;

typedef struct tallies { /* of one label, ascending, without count 0 */
    tally *at;
    size_t n, room;
} tallies;

typedef struct extra {
    tallies *label;
    size_t labels;
} extra;

static void slots(thr_rule *r)
{
    r->slot[0] = (thr_slot_spec){"count", true, 0, THR_MIRROR_START};
    r->n_slots = 1;
    r->presence = true;
}

/* ---- the tallies -------------------------------------------------------------------------- */

/* Makes the tally of label f exist, with room for `more` entries. */
static int reserve(thr_rule *r, uint32_t f, size_t more, thr_error *err)
{
    extra *x = r->extra;
    if (!x && !(x = r->extra = calloc(1, sizeof *x)))
        return thr_fail_memory(err);
    if (f >= x->labels) {
        tallies *fresh = realloc(x->label, ((size_t)f + 1) * sizeof *fresh);
        if (!fresh)
            return thr_fail_memory(err);
        memset(fresh + x->labels, 0, (f + 1 - x->labels) * sizeof *fresh);
        x->label = fresh;
        x->labels = (size_t)f + 1;
    }
    tallies *t = &x->label[f];
    return thr_grow(&t->at, &t->room, t->n + more, sizeof *t->at) ? 0 : thr_fail_memory(err);
}

static int ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err)
{
    return reserve(r, f, e->n, err);
}

/* The index of the first entry whose count is not below this. */
static size_t place_of(const tallies *t, double count)
{
    size_t low = 0, high = t->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->at[middle].count < count)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One feature more, or less, has this count. */
static void tally_add(tallies *t, double count)
{
    size_t at = place_of(t, count);
    if (at == t->n || t->at[at].count != count) {
        memmove(t->at + at + 1, t->at + at, (t->n - at) * sizeof *t->at);
        t->at[at] = (tally){count, 0};
        t->n++;
    }
    t->at[at].features++;
}

static void tally_drop(tallies *t, double count)
{
    size_t at = place_of(t, count);
    if (--t->at[at].features > 0)
        return;
    memmove(t->at + at, t->at + at + 1, (t->n - at - 1) * sizeof *t->at);
    t->n--;
}

/* The sum above over the features that label f has met. */
static double absent_sum(const thr_rule *r, uint32_t f)
{
    const tallies *t = &((const extra *)r->extra)->label[f];
    double n = thr_rule_state(r, f)[THR_BAYES_EXAMPLES], sum = 0;
    for (size_t i = 0; i < t->n; i++)
        sum += (double)t->at[i].features *
               thr_safe_log(n - t->at[i].count + r->option[THR_BAYES_ALPHA]);
    return sum;
}

static void release(thr_rule *r)
{
    extra *x = r->extra;
    for (size_t f = 0; x && f < x->labels; f++)
        free(x->label[f].at);
    free(x ? x->label : NULL);
    free(x);
    r->extra = NULL;
}

static int by_count(const void *a, const void *b)
{
    const tally *x = a, *y = b;
    return x->count < y->count ? -1 : x->count > y->count;
}

/* Joins the entries of equal counts, which are next to each other. */
static void join(tallies *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (n && t->at[n - 1].count == t->at[i].count)
            t->at[n - 1].features += t->at[i].features;
        else
            t->at[n++] = t->at[i];
    t->n = n;
}

/* The tally of one label is sorted once, since adding counts one by one takes quadratic time where
 * they all differ. */
static int tally_all(thr_rule *r, const thr_weights *w, uint32_t f, thr_error *err)
{
    for (size_t id = 1; id < w->rows; id++) {
        double c = thr_weights_get(w, (uint32_t)id, 0, f);
        if (c == 0)
            continue;
        if (!(c > 0 && c - c == 0)) /* not finite: the list could not be kept sorted */
            return thr_fail(err, THR_EMODEL, "this model is damaged: a count is not one");
        int code = reserve(r, f, 1, err);
        if (code)
            return code;
        tallies *t = &((extra *)r->extra)->label[f];
        t->at[t->n++] = (tally){c, 1};
    }
    const extra *x = r->extra;
    if (x && f < x->labels && x->label[f].n) {
        qsort(x->label[f].at, x->label[f].n, sizeof(tally), by_count);
        join(&x->label[f]);
    }
    return 0;
}

static int rebuild(thr_rule *r, const thr_weights *w, thr_error *err)
{
    int code = 0;
    release(r);
    for (uint32_t f = 0; f < w->functions && code == 0; f++)
        code = tally_all(r, w, f, err);
    return code;
}

/* Copies the tallies: there are few different counts, however many features. */
static int share(const thr_rule *from, thr_rule *to, thr_error *err)
{
    const extra *x = from->extra;
    for (size_t f = 0; x && f < x->labels; f++) {
        const tallies *t = &x->label[f];
        int code = reserve(to, (uint32_t)f, t->n, err);
        if (code)
            return code;
        tallies *copy = &((extra *)to->extra)->label[f];
        if (t->n)
            memcpy(copy->at, t->at, t->n * sizeof *t->at);
        copy->n = t->n;
    }
    return 0;
}

/* ---- scoring and counting ----------------------------------------------------------------- */

/* The score of an example in which every feature is absent. */
static double base(const thr_rule *r, uint32_t f, uint32_t known)
{
    const double *s = thr_rule_state(r, f);
    double alpha = r->option[THR_BAYES_ALPHA], n = s[THR_BAYES_EXAMPLES];
    double features = thr_bayes_features(r, known);
    return s[THR_BAYES_ABSENT] + (features - s[THR_BAYES_MET]) * thr_safe_log(n + alpha) -
           features * thr_safe_log(n + 2 * alpha);
}

/* What presence adds: log P(present) - log P(absent). */
static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    (void)known;
    double c = thr_weights_get(w, id, 0, f), alpha = r->option[THR_BAYES_ALPHA];
    double n = thr_rule_state(r, f)[THR_BAYES_EXAMPLES];
    return thr_safe_log(c + alpha) - thr_safe_log(n - c + alpha);
}

static double live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    return weight(r, w, id, f, 0);
}

static void add(const thr_rule *r, const thr_weights *w, const thr_example *e, double *out)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->id[i] < e->known && thr_example_value(e, i) > 0)
            for (uint32_t f = 0; f < w->functions; f++)
                out[f] += weight(r, w, e->id[i], f, e->known);
}

static void count(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f)
{
    tallies *t = &((extra *)r->extra)->label[f];
    double *s = thr_rule_state(r, f);
    for (size_t i = 0; i < e->n && e->importance > 0; i++) {
        if (!(thr_example_value(e, i) > 0))
            continue;
        double *c = thr_row_wide(w, e, i, 0, f);
        if (*c > 0)
            tally_drop(t, *c);
        else
            s[THR_BAYES_MET] += 1;
        *c += (double)e->importance;
        tally_add(t, *c);
    }
    s[THR_BAYES_ABSENT] = absent_sum(r, f);
}

static void forget(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n)
{
    extra *x = r->extra;
    for (uint32_t f = 0; x && f < x->labels && f < w->functions; f++) {
        for (uint32_t id = 1; id < n; id++) {
            double c = keep[id] ? 0 : thr_weights_get(w, id, 0, f);
            if (c > 0) {
                tally_drop(&x->label[f], c);
                thr_rule_state(r, f)[THR_BAYES_MET] -= 1;
            }
        }
        thr_rule_state(r, f)[THR_BAYES_ABSENT] = absent_sum(r, f);
    }
}

static void mix(const thr_rule *r, double sum, double *slot)
{
    (void)r;
    slot[0] = sum;
}

/* Called after rebuild, so the tallies follow the mixed counts. */
static void derive(thr_rule *r, const thr_weights *w, uint32_t known)
{
    (void)known;
    const extra *x = r->extra;
    for (uint32_t f = 0; f < w->functions; f++) {
        double *s = thr_rule_state(r, f);
        s[THR_BAYES_MET] = s[THR_BAYES_ABSENT] = 0;
        if (!x || f >= x->labels)
            continue;
        for (size_t i = 0; i < x->label[f].n; i++)
            s[THR_BAYES_MET] += (double)x->label[f].at[i].features;
        s[THR_BAYES_ABSENT] = absent_sum(r, f);
    }
}

const thr_bayes_kind thr_bayes_bernoulli = {
    .slots = slots,
    .base = base,
    .add = add,
    .count = count,
    .weight = weight,
    .live = live,
    .ready = ready,
    .rebuild = rebuild,
    .share = share,
    .release = release,
    .forget = forget,
    .mix = mix,
    .derive = derive,
};
