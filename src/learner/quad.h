/* Four doubles at once: of four adjacent functions in a row, or of four features. They are the
 * compiler's generic vectors, which are one register with AVX2 and two without. Each of the
 * four is computed by the same operations as a single double would be, so the bits are the
 * same.
 *
 * For use inside THR_CLONED functions (base/wide.h), which are compiled with and without AVX2.
 * Vectors are passed by pointer, since the way to pass one by value depends on AVX2. */
#ifndef THR_LEARNER_QUAD_H
#define THR_LEARNER_QUAD_H

#include "base/wide.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define THR_INLINE __attribute__((always_inline)) static inline

typedef double thr_quad __attribute__((vector_size(32)));
typedef float thr_quad_narrow __attribute__((vector_size(16)));
/* The result of a comparison: each element has all bits set or none. */
typedef int64_t thr_quad_mask __attribute__((vector_size(32)));

/* thr_quad_load and _store convert from and to float; thr_quad_get and _set copy doubles. */
THR_INLINE void thr_quad_load(thr_quad *v, const float *from)
{
    *v = (thr_quad){(double)from[0], (double)from[1], (double)from[2], (double)from[3]};
}

/* Stores v rounded to float. v itself is rounded too, so that the caller goes on with what is
 * in the row. */
THR_INLINE void thr_quad_store(thr_quad *v, float *to)
{
    thr_quad_narrow narrow = __builtin_convertvector(*v, thr_quad_narrow);
    memcpy(to, &narrow, sizeof narrow);
    thr_quad_load(v, to);
}

THR_INLINE void thr_quad_get(thr_quad *v, const double *from)
{
    memcpy(v, from, sizeof *v);
}

THR_INLINE void thr_quad_set(const thr_quad *v, double *to)
{
    memcpy(to, v, sizeof *v);
}

/* Rounds to float. */
THR_INLINE void thr_quad_round(thr_quad *v)
{
    const thr_quad_narrow a = __builtin_convertvector(*v, thr_quad_narrow);
    *v = (thr_quad){(double)a[0], (double)a[1], (double)a[2], (double)a[3]};
}

/* to + v[0] + v[1] + v[2] + v[3], added one after another. */
THR_INLINE double thr_quad_add_up(double to, const thr_quad *v)
{
    return to + (*v)[0] + (*v)[1] + (*v)[2] + (*v)[3];
}

THR_INLINE void thr_quad_all(thr_quad *v, double x)
{
    *v = (thr_quad){x, x, x, x};
}

THR_INLINE void thr_quad_sqrt(thr_quad *v)
{
    *v = (thr_quad){sqrt((*v)[0]), sqrt((*v)[1]), sqrt((*v)[2]), sqrt((*v)[3])};
}

/* Four square roots, for a caller that seldom needs them. It is not inlined: otherwise
 * compilers compute the roots unconditionally and select afterwards. */
__attribute__((noinline, unused)) static void thr_quad_sqrt_seldom(double *root, const float *of)
{
    for (int k = 0; k < 4; k++)
        root[k] = sqrt((double)of[k]);
}

/* Keeps v where the mask is set, and takes `other` elsewhere. */
THR_INLINE void thr_quad_choose(thr_quad *v, thr_quad_mask mask, const thr_quad *other)
{
    *v = (thr_quad)(((thr_quad_mask)*v & mask) | ((thr_quad_mask)*other & ~mask));
}

/* max(v, least). Written element by element, which compilers turn into the best code. NaN
 * becomes `least`. */
THR_INLINE void thr_quad_at_least(thr_quad *v, double least)
{
    const thr_quad a = *v;
    *v = (thr_quad){a[0] > least ? a[0] : least, a[1] > least ? a[1] : least,
                    a[2] > least ? a[2] : least, a[3] > least ? a[3] : least};
}

/* min(v, most). NaN becomes `most`. */
THR_INLINE void thr_quad_at_most(thr_quad *v, double most)
{
    const thr_quad a = *v;
    *v = (thr_quad){a[0] < most ? a[0] : most, a[1] < most ? a[1] : most, a[2] < most ? a[2] : most,
                    a[3] < most ? a[3] : most};
}

/* v kept between `least` and `most`. NaN stays NaN. */
THR_INLINE void thr_quad_within(thr_quad *v, double least, double most)
{
    const thr_quad a = *v;
    const thr_quad b = {a[0] > most ? most : a[0], a[1] > most ? most : a[1],
                        a[2] > most ? most : a[2], a[3] > most ? most : a[3]};
    *v = (thr_quad){b[0] < least ? least : b[0], b[1] < least ? least : b[1],
                    b[2] < least ? least : b[2], b[3] < least ? least : b[3]};
}

/* v kept within +-most, as by thr_weight_clamp. */
THR_INLINE void thr_quad_clamp(thr_quad *v, double most)
{
    thr_quad_within(v, -most, most);
}

#endif
