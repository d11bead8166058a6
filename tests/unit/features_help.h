/* One example at a time, for the tests of features: made, closed and shown as one line of text. */
#ifndef FEATURES_HELP_H
#define FEATURES_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "example/features.h"

typedef struct making {
    thr_features f;
    thr_feature_scratch scratch;
    thr_batch batch;
    thr_bytes shown;
} making;

static inline int setup_making(void **state)
{
    making *t = calloc(1, sizeof *t);
    if (!t)
        return -1;
    thr_features_defaults(&t->f);
    t->f.unit = 0;
    t->f.bias = false;
    thr_batch_init(&t->batch);
    *state = t;
    return 0;
}

static inline int teardown_making(void **state)
{
    making *t = *state;
    thr_feature_scratch_clear(&t->scratch);
    thr_batch_release(&t->batch);
    thr_bytes_clear(&t->shown);
    free(t);
    return 0;
}

#define making_test(f) cmocka_unit_test_setup_teardown(f, setup_making, teardown_making)

/* Text in memory of its own exact size, so that reading behind it is noticed. */
static inline size_t add_bytes(making *t, const char *ns, const char *text, size_t n, bool strict)
{
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    uint32_t number = *ns ? thr_batch_namespace(&t->batch, thr_str_of(ns)) : 0;
    size_t bad =
        thr_features_text(&t->f, &t->scratch, &t->batch, number, (thr_str){copy, n}, strict);
    free(copy);
    return bad;
}

static inline void add_feature(making *t, const char *ns, const char *name, float value)
{
    uint32_t number = *ns ? thr_batch_namespace(&t->batch, thr_str_of(ns)) : 0;
    const char *copy = thr_arena_copy(&t->batch.arena, name, strlen(name));
    assert_non_null(copy);
    thr_batch_named(&t->batch, number, thr_str_of(copy), value);
}

/* `[ns|name]`, with `=value` where it is not 1, of example e. */
static inline const char *shown(making *t, size_t e)
{
    thr_bytes *s = &t->shown;
    s->n = 0;
    thr_bytes_add(s, "", 0);
    for (size_t i = t->batch.start[e]; i < t->batch.start[e + 1]; i++) {
        char digits[24];
        thr_str ns = {"", 0}, name = {"bias", 4};
        if (t->batch.key[i] != THR_KEY_BIAS)
            name = thr_batch_name_of(&t->batch, i, digits, &ns);
        thr_bytes_printf(s, "[%.*s%s%.*s]", (int)ns.n, ns.p, ns.n ? "|" : "", (int)name.n, name.p);
        if (thr_batch_value(&t->batch, i) != 1)
            thr_bytes_printf(s, "=%g", (double)thr_batch_value(&t->batch, i));
    }
    return s->p;
}

static inline void close_example(making *t)
{
    thr_features_finish(&t->f, &t->scratch, &t->batch);
    assert_false(t->batch.failed);
    assert_false(t->batch.is_open);
}

/* The features of an example of text alone. */
static inline const char *from_bytes(making *t, const char *text, size_t n)
{
    thr_batch_reset(&t->batch);
    thr_batch_open(&t->batch, 0);
    assert_int_equal(add_bytes(t, "", text, n, false), 0);
    close_example(t);
    assert_int_equal(t->batch.n, 1);
    return shown(t, 0);
}

static inline const char *from_text(making *t, const char *text)
{
    return from_bytes(t, text, strlen(text));
}

#endif
