/* Lexicons for tests: made, added to and asked, by names as text. */
#ifndef LEXICON_HELP_H
#define LEXICON_HELP_H

#include "lexicon/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static inline thr_lexicon make(unsigned bits)
{
    thr_lexicon x;
    assert_int_equal(thr_lexicon_init(&x, 7, bits, NULL), 0);
    return x;
}

static inline uint32_t add(thr_lexicon *x, const char *ns, const char *name)
{
    uint32_t id = THR_NONE;
    assert_int_equal(thr_lexicon_add(x, thr_str_of(ns), thr_str_of(name), &id, NULL), 0);
    return id;
}

static inline uint32_t find(const thr_lexicon *x, const char *ns, const char *name)
{
    return thr_lexicon_id(x, thr_str_of(ns), thr_str_of(name));
}

/* All names of x, by the numbers they have there. */
static inline void assert_same_ids(const thr_lexicon *x, const thr_lexicon *other)
{
    for (uint32_t id = 1; id < x->n; id++) {
        char digits[24];
        thr_str ns, text = thr_lexicon_name(x, id, digits, &ns);
        assert_int_equal(thr_lexicon_id(other, ns, text), id);
    }
}

#endif
