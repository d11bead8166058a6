/* Tables of weights for tests: rows made ready and found, numbers compared. */
#ifndef WEIGHTS_HELP_H
#define WEIGHTS_HELP_H

#include "weights/kernels.h"

#include "base/random.h"
#include "example/batch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const thr_slot_spec two_slots[] = {
    {"sum", true, 0.25, THR_MIRROR_NEGATE},
    {"w", false, 1.5, THR_MIRROR_NEGATE},
};

static inline void ready(thr_weights *w, uint32_t id)
{
    assert_int_equal(thr_weights_ready(w, &(thr_example){.id = &id, .n = 1}, NULL), 0);
}

enum { MOST = 50, SPACE = 3000 };

/* The rows of e, in memory that lasts until the next call. */
static inline void find(thr_weights *w, thr_example *e)
{
    static char *row[MOST], spare[1 << 16];
    assert_true(thr_weights_spare(&w, 1, e) <= sizeof spare);
    thr_weights_find(&w, 1, e, row, spare, sizeof spare);
    e->row = row;
}

static inline void assert_bits(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0 && !(a == 0 && b == 0))
        fail_msg("%.17g is not %.17g", a, b);
}

#endif
