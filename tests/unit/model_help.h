/* Models for tests: made from a learner's spec, taught from text in memory, dumped and compared. */
#ifndef MODEL_HELP_H
#define MODEL_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/random.h"
#include "thresh_theory.h"

/* `more` is a list of settings `name=value name=value`, or NULL. */
static inline thr_model *make_model(const char *learner, const char *more)
{
    thr_error err = {0};
    char pairs[256] = "", *rest = NULL;
    thr_settings *s = thr_settings_new();
    assert_non_null(s);
    if (thr_settings_set(s, "learner", learner, &err))
        fail_msg("%s: %s", learner, err.message);
    if (more)
        snprintf(pairs, sizeof pairs, "%s", more);
    for (char *pair = strtok_r(pairs, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(pair, '=');
        assert_non_null(equals);
        *equals = '\0';
        if (thr_settings_set(s, pair, equals + 1, &err))
            fail_msg("%s: %s", pair, err.message);
    }
    thr_model *m = thr_model_new(s, &err);
    if (!m)
        fail_msg("%s: %s", learner, err.message);
    thr_settings_free(s);
    return m;
}

/* The same with values as they are: for tests of a rule's own arithmetic. */
static inline thr_model *make_unscaled(const char *learner, const char *more)
{
    char settings[256];
    snprintf(settings, sizeof settings, "scale=off %s", more ? more : "");
    return make_model(learner, settings);
}

/* `fn` is told of updates, or NULL. */
static inline void teach_telling(thr_model *m, const char *format, const char *p, size_t n,
                                 thr_update_fn *fn, void *user)
{
    thr_error err = {0};
    thr_input *in = thr_input_new();
    assert_non_null(in);
    assert_int_equal(thr_input_add_memory(in, p, n, "memory", &err), 0);
    assert_int_equal(thr_input_set_format(in, format, &err), 0);
    thr_train_options o = {.passes = 1, .on_update = fn, .update_user = user};
    if (thr_train(m, in, &o, NULL, &err))
        fail_msg("line %d: %s", (int)err.line, err.message);
    thr_input_free(in);
}

static inline void teach_bytes(thr_model *m, const char *format, const char *p, size_t n)
{
    teach_telling(m, format, p, n, NULL, NULL);
}

static inline void teach(thr_model *m, const char *format, const char *text)
{
    teach_bytes(m, format, text, strlen(text));
}

static inline thr_bytes dumped(const thr_model *m, bool lean)
{
    thr_error err = {0};
    void *p = NULL;
    size_t n = 0;
    if (thr_model_dump(m, lean, &p, &n, &err))
        fail_msg("%s", err.message);
    return (thr_bytes){p, n, n};
}

static inline void assert_same_bytes(const thr_bytes *a, const thr_bytes *b)
{
    assert_int_equal(a->n, b->n);
    if (memcmp(a->p, b->p, a->n) != 0)
        for (size_t i = 0; i < a->n; i++)
            if (a->p[i] != b->p[i])
                fail_msg("byte %zu of %zu differs", i, a->n);
}

static inline void assert_same_model(const thr_model *a, const thr_model *b)
{
    thr_bytes x = dumped(a, false), y = dumped(b, false);
    assert_same_bytes(&x, &y);
    thr_bytes_clear(&x);
    thr_bytes_clear(&y);
}

/* The scores of one line; returns the predicted label's number. */
static inline int32_t score_line(const thr_model *m, const char *format, const char *line,
                                 double *scores)
{
    thr_error err = {0};
    int32_t predicted = -1;
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    assert_true(b && s);
    if (thr_batch_parse(b, m, format, true, line, strlen(line), &err) ||
        thr_score(m, s, b, &predicted, scores, &err))
        fail_msg("%s: %s", line, err.message);
    thr_batch_free(b);
    thr_scratch_free(s);
    return predicted;
}

/* Sparse lines of `labels` classes over integers and, where `named`, names: VW's format. */
static inline thr_bytes random_lines(uint64_t seed, size_t lines, size_t labels, bool named)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, seed);
    for (size_t i = 0; i < lines; i++) {
        size_t label = (size_t)thr_random_below(&r, labels);
        assert_true(thr_bytes_printf(&b, "c%zu |", label));
        for (size_t k = thr_random_below(&r, 6); k-- > 0;) {
            unsigned f = (unsigned)thr_random_below(&r, 40);
            f = thr_random_below(&r, 3) ? f : (unsigned)label;
            assert_true(thr_bytes_printf(&b, named && f % 2 ? " w%u:%g" : " %u:%g", f,
                                         (double)(1 + thr_random_below(&r, 4)) / 4));
        }
        assert_true(thr_bytes_add(&b, "\n", 1));
    }
    return b;
}

/* The scores of some random lines, bit for bit. */
static inline void assert_same_scores(const thr_model *a, const thr_model *b, const char *what)
{
    thr_bytes text = random_lines(77, 40, 3, true);
    for (char *at = text.p, *end; *at; at = end + 1) {
        double x[32], y[32];
        end = strchr(at, '\n');
        *end = '\0';
        score_line(a, "vw", at, x);
        score_line(b, "vw", at, y);
        if (memcmp(x, y, thr_model_labels(a) * sizeof *x) != 0)
            fail_msg("%s: scores of \"%s\" differ", what, at);
    }
    thr_bytes_clear(&text);
}

static const char *const each_learner[] = {
    "perceptron",
    "perceptron:margin=1,repeat=on",
    "averaged",
    "winnow",
    "balanced",
    "balanced:normalized=on,margin=0.1",
    "pa",
    "pa:averaged=off,C=inf",
    "bayes",
    "bayes:kind=bernoulli",
    "bayes:alpha=0",
    "voted",
    "kernel",
    "kernel:kind=rbf,vote=off",
    "kernel:kind=linear,vote=off,budget=3",
    "logistic",
    "logistic:l1=0.001,l2=0.01",
    "logistic:steps=sgd,decay=0.5,averaged=on",
    "knn",
    "knn:k=3,weights=ratio,vote=inverse",
    "rules:min-gain=1",
};
#define EACH_LEARNER(l)                                                                            \
    (const char *const *l = each_learner;                                                          \
     l < each_learner + sizeof each_learner / sizeof *each_learner; l++)

#endif
