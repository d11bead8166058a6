/* Multinomial naive Bayes: an example is a bag of occurrences ("words"; a value is how often
 * one occurs),
 *     P(i | y) = (c_iy + alpha) / (C_y + alpha V),   C_y = sum_i c_iy,   V features known,
 * and learning is c_iy += importance x_i. The logarithm of the numerator is stored beside its
 * count, so that scoring is a dot product. It is stored less log alpha, so that it is 0 for a label
 * that has not met the feature: with many labels such numbers are neither stored nor added
 * (weights/lists.h). Denominator and alpha are the same for all features, so the logarithm of their
 * quotient is taken once per example and label, times the sum of the values. */
#include "learner/bayes.h"
#include "learner/history.h"

#include <math.h>

enum { COUNT, LOG }; /* slots */

#define FEW      10 /* words of a short example, see extent */
#define TOGETHER 64 /* logarithms that are computed at once */

/* What the stored logarithms lack: log alpha. Earlier rules stored them whole, and so does alpha =
 * 0, whose logarithm would swallow the digits of the others. */
static double left_out(const thr_rule *r)
{
    return r->constant;
}

/* The logarithm that is stored beside a count. */
static double log_count(const thr_rule *r, double count)
{
    return thr_safe_log(count + r->option[THR_BAYES_ALPHA]) - left_out(r);
}

static void slots(thr_rule *r)
{
    double alpha = r->option[THR_BAYES_ALPHA];
    r->constant = r->rules >= THR_RULES_LOGS && alpha > 0 ? thr_safe_log(alpha) : 0;
    r->slot[COUNT] = (thr_slot_spec){"count", true, 0, THR_MIRROR_START};
    r->slot[LOG] = (thr_slot_spec){"log", true, log_count(r, 0), THR_MIRROR_START};
    r->n_slots = 2;
    r->nonnegative = true;
    r->lists = true;
}

/* What smoothing adds to the denominator: alpha V. */
static double words_added(const thr_rule *r, uint32_t known)
{
    return r->option[THR_BAYES_ALPHA] * thr_bayes_features(r, known);
}

/* log P(i | y) is a stored logarithm less this. */
static double log_words(const thr_rule *r, uint32_t f, uint32_t known)
{
    double words = thr_rule_state(r, f)[THR_BAYES_WORDS] + words_added(r, known);
    double log = words > 0 ? thr_safe_log(words) : 0; /* no words: nothing is possible already */
    return log - left_out(r);
}

/* out[k] -= sum log_words(f + k) for n <= TOGETHER functions. A label without words gets
 * log 1 = 0, as in log_words. */
static void subtract_words(const thr_rule *r, uint32_t f, uint32_t n, uint32_t known, double sum,
                           double *out)
{
    double log[TOGETHER], left = left_out(r), added = words_added(r, known);
    const double *state = thr_rule_state(r, f) + THR_BAYES_WORDS;
    for (uint32_t k = 0; k < n; k++) {
        double words = state[k * THR_BAYES_STATE] + added;
        log[k] = words > 0 ? words : 1;
    }
    thr_safe_log_many(log, n);
    for (uint32_t k = 0; k < n; k++)
        out[k] -= sum * (log[k] - left);
}

/* The values of the known features are summed in the order of the example. */
static void add(const thr_rule *r, const thr_weights *w, const thr_example *e, double *out)
{
    double sum = 0;
    for (size_t i = 0; i < e->n; i++) {
        double x = thr_example_value(e, i);
        sum += e->id[i] < e->known ? x : 0;
    }
    thr_weights_dot_known(w, LOG, e, out);
    for (uint32_t f = 0, n; f < w->functions && sum != 0; f += n) {
        n = w->functions - f < TOGETHER ? w->functions - f : TOGETHER;
        subtract_words(r, f, n, e->known, sum, out + f);
    }
}

/* Counts n <= TOGETHER features from number `from` on, so that their logarithms are computed at
 * once. A value of 0 counts nothing; the loop that leaves them out has no branch. If two hashed
 * features share a row, the later logarithm, of the final count, stays. */
static void count_some(thr_rule *r, thr_weights *w, const thr_example *e, size_t from, size_t n,
                       uint32_t f)
{
    double log[TOGETHER], words = thr_rule_state(r, f)[THR_BAYES_WORDS];
    double alpha = r->option[THR_BAYES_ALPHA], left = left_out(r);
    size_t counted[TOGETHER], k = 0;
    for (size_t i = from; i < from + n; i++) {
        counted[k] = i;
        k += thr_example_value(e, i) != 0;
    }
    for (size_t i = 0; i < k; i++) {
        double x = thr_example_value(e, counted[i]) * (double)e->importance;
        double *c = thr_row_wide(w, e, counted[i], COUNT, f);
        *c += x;
        log[i] = *c + alpha;
        words += x;
    }
    thr_safe_log_many(log, k);
    for (size_t i = 0; i < k; i++)
        *thr_row_wide(w, e, counted[i], LOG, f) = log[i] - left;
    thr_rule_state(r, f)[THR_BAYES_WORDS] = words;
}

static void count(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f)
{
    for (size_t i = 0; i < e->n; i += TOGETHER)
        count_some(r, w, e, i, e->n - i < TOGETHER ? e->n - i : TOGETHER, f);
}

/* Counts are sums of values. At most TOGETHER features. */
static void rescale_some(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                         size_t n, uint32_t f)
{
    double log[TOGETHER], *words = &thr_rule_state(r, f)[THR_BAYES_WORDS];
    double alpha = r->option[THR_BAYES_ALPHA], left = left_out(r);
    for (size_t k = 0; k < n; k++) {
        double *count = thr_row_wide(w, e, grown[k].feature, COUNT, f);
        *words = fmax(*words - *count * (1 - grown[k].ratio), 0);
        *count *= grown[k].ratio;
        log[k] = *count + alpha;
    }
    thr_safe_log_many(log, n);
    for (size_t k = 0; k < n; k++)
        *thr_row_wide(w, e, grown[k].feature, LOG, f) = log[k] - left;
}

static void rescale(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                    size_t n, uint32_t f)
{
    for (size_t k = 0; k < n; k += TOGETHER)
        rescale_some(r, w, e, grown + k, n - k < TOGETHER ? n - k : TOGETHER, f);
}

static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    (void)w;
    out->first = out->second = THR_SUM_SCALED;
    out->second_factor = log_words(r, f, e->known);
}

static void terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2])
{
    (void)r, (void)known;
    term[0] = thr_weights_get(w, id, LOG, f);
    term[1] = 1;
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    return thr_weights_get(w, id, LOG, f) - log_words(r, f, known);
}

static void weigh_many(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                       uint32_t known, double *out, double *room)
{
    for (uint32_t f = 0; f < w->functions; f++)
        room[f] = log_words(r, f, known);
    for (size_t i = 0; i < n; i++, out += w->functions) {
        thr_weights_read(w, id + (uint32_t)i, LOG, out);
        for (uint32_t f = 0; f < w->functions; f++)
            out[f] -= room[f];
    }
}

/* C_y loses the counts of the dropped features; rounding must not leave it below 0. */
static void forget(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n)
{
    for (uint32_t id = 1; id < n; id++)
        if (!keep[id])
            for (uint32_t f = 0; f < w->functions; f++)
                thr_rule_state(r, f)[THR_BAYES_WORDS] -= thr_weights_get(w, id, COUNT, f);
    for (uint32_t f = 0; f < w->functions; f++) {
        double *words = &thr_rule_state(r, f)[THR_BAYES_WORDS];
        *words = *words > 0 ? *words : 0;
    }
}

static double live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    return thr_weights_get(w, id, LOG, f) + left_out(r);
}

/* Words are not independent: a thousand of them are not ten times the evidence of a hundred, so
 * the sum over a long example would make probabilities far too certain. Dividing by 1 +
 * words/10 takes the mean of long examples, and leaves short ones nearly as they are: there
 * more words do mean more evidence. */
static double extent(const thr_example *e)
{
    return 1 + thr_example_sum(e) / FEW;
}

static void mix(const thr_rule *r, double sum, double *slot)
{
    slot[COUNT] = sum;
    slot[LOG] = log_count(r, sum);
}

const thr_bayes_kind thr_bayes_multinomial = {
    .slots = slots,
    .add = add,
    .count = count,
    .rescale = rescale,
    .weight = weight,
    .form = form,
    .terms = terms,
    .weigh_many = weigh_many,
    .forget = forget,
    .live = live,
    .extent = extent,
    .mix = mix,
};
