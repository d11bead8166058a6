/* For tests of mixing: every rule and option that mixes in its own way, lines to teach them, and
 * whether two models say the same. */
#ifndef MIX_HELP_H
#define MIX_HELP_H

#include "../unit/model_help.h"
#include "step/case.h"
#include "streams.h"

#include <math.h>

enum { MOST = 6, LINES = 60 };

static const char *const with_options[] = {
    "adagrad",
    "arow",
    "alma",
    "pegasos",
    "lms",
    "lms:averaged=off,normalized=off,rate=0.05",
    "eg",
    "eg:signed=off,U=10",
    "panel",
    "panel:decide=vote,share=0.01,blend=off",
    "winnow:theta=4",
    "winnow:demote=0,theta=3,start=1",
    "logistic:averaged=on",
    "logistic:steps=sgd,l2=0.01",
    "kernel:vote=off",
};

typedef void each_fn(const char *learner, const char *more, bool numbers);

static inline bool is_regressor(const char *learner)
{
    return strncmp(learner, "lms", 3) == 0 || strncmp(learner, "eg", 2) == 0;
}

static inline void for_each_learner(each_fn *fn)
{
    for
        EACH_LEARNER(l)
    fn(*l, NULL, false);
    for (size_t i = 0; i < sizeof with_options / sizeof *with_options; i++)
        fn(with_options[i], NULL, is_regressor(with_options[i]));
    static const char *const policies[] = {"multiclass=one-vs-all", "multiclass=direct",
                                           "multiclass=all-pairs"};
    for (int i = 0; i < 3; i++) {
        fn("averaged", policies[i], false);
        fn("balanced", policies[i], false);
    }
    fn("arow", "multiclass=all-pairs", false);
    fn("panel", "members=averaged+arow+balanced", false);
    fn("balanced:normalized=on", "min-count=3", false);
    fn("bayes:kind=bernoulli", "min-count=2", false);
    fn("eg", "min-count=2", true);
    fn("pa", "hash-bits=5", false);
    fn("bayes", "hash-bits=5", false);
}

/* Lines of up to `labels` classes that come in another order for another seed. */
static inline thr_bytes some_lines(uint64_t seed, size_t labels, bool numbers)
{
    thr_bytes b = random_lines(seed, LINES, labels, true);
    for (size_t i = 0; i < b.n && numbers; i++)
        if (b.p[i] == 'c' && (i == 0 || b.p[i - 1] == '\n'))
            b.p[i] = ' ';
    return b;
}

static inline thr_model *taught(const char *learner, const char *more, const thr_bytes *lines)
{
    thr_model *m = make_unscaled(learner, more);
    teach_bytes(m, "vw", lines->p, lines->n);
    return m;
}

/* ---- comparing ---- */

/* Probabilities as they were fitted. Those that are reported also depend on the number of examples
 * (thr_calibration_temper), which is greater in a mixed model. */
static inline void untemper(const thr_model *m, double *p)
{
    const thr_calibration *by = thr_model_tempers(m);
    double n = (double)thr_model_labels(m);
    for (size_t l = 0; by && n > 1 && l < thr_model_labels(m); l++)
        p[l] = ((by->seen + THR_TEMPER) * p[l] - THR_TEMPER / n) / fmax(by->seen, 1);
}

static inline void score_all(const thr_model *m, const char *line, size_t n, double *scores,
                             double *p)
{
    thr_error err = {0};
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    assert_true(b && s);
    if (thr_batch_parse(b, m, "vw", true, line, n, &err) || thr_score(m, s, b, NULL, scores, &err))
        fail_msg("%s", err.message);
    if (!thr_model_regression(m) && thr_probabilities(m, s, b, NULL, p, &err))
        fail_msg("%s", err.message);
    untemper(m, p);
    thr_batch_free(b);
    thr_scratch_free(s);
}

static inline size_t label_in(const thr_model *m, const char *name)
{
    for (size_t l = 0; l < thr_model_labels(m); l++)
        if (strcmp(thr_model_label(m, l), name) == 0)
            return l;
    fail_msg("no label %s", name);
    return 0;
}

static inline bool is_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * (1 + fabs(a) + fabs(b));
}

/* Scores and probabilities of both, by the labels' names, on every line. */
static inline void assert_says_the_same(const thr_model *a, const thr_model *b,
                                        const thr_bytes *lines, double tolerance)
{
    size_t columns = thr_model_regression(a) ? 1 : thr_model_labels(a);
    assert_int_equal(thr_model_labels(a), thr_model_labels(b));
    for (const char *at = lines->p, *end = at + lines->n; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        double x[MOST] = {0}, y[MOST] = {0}, p[MOST] = {0}, q[MOST] = {0};
        score_all(a, at, (size_t)(stop - at), x, p);
        score_all(b, at, (size_t)(stop - at), y, q);
        for (size_t l = 0; l < columns; l++) {
            size_t k = thr_model_regression(a) ? 0 : label_in(b, thr_model_label(a, l));
            if (!is_near(x[l], y[k], tolerance))
                fail_msg("%s: score %.17g, not %.17g", thr_model_setting(a, "learner"), x[l], y[k]);
            if (tolerance > 0 && !is_near(p[l], q[k], 20 * tolerance))
                fail_msg("%s: probability %g, not %g", thr_model_setting(a, "learner"), p[l], q[k]);
        }
        at = stop + 1;
    }
}

#endif
