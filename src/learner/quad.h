/* Four numbers at once, of four functions side by side in a row or of four features: the compiler's
 * own vectors, which are one register where the machine has AVX2 and two where it has not. Each of
 * the four is computed as it would be alone, to the bit. For the inside of THR_CLONED functions. */
#ifndef THR_LEARNER_QUAD_H
#define THR_LEARNER_QUAD_H

#include "base/wide.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define THR_INLINE __attribute__((always_inline)) static inline

typedef double thr_quad __attribute__((vector_size(32)));
typedef float thr_quad_narrow __attribute__((vector_size(16)));
typedef int64_t thr_quad_mask __attribute__((vector_size(32))); /* each all ones or all zeros */

THR_INLINE void thr_quad_load(thr_quad *v, const float *from)
{
    *v = (thr_quad){(double)from[0], (double)from[1], (double)from[2], (double)from[3]};
}

/* Rounded to float; v becomes what was stored. */
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

/* Rounded to float. */
THR_INLINE void thr_quad_round(thr_quad *v)
{
    const thr_quad_narrow a = __builtin_convertvector(*v, thr_quad_narrow);
    *v = (thr_quad){(double)a[0], (double)a[1], (double)a[2], (double)a[3]};
}

/* to + v[0] + v[1] + v[2] + v[3], one after another. */
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

/* The same, kept out of the way of those who seldom need it: else it is worked out always. */
__attribute__((noinline, unused)) static void thr_quad_sqrt_seldom(double *root, const float *of)
{
    for (int k = 0; k < 4; k++)
        root[k] = sqrt((double)of[k]);
}

/* v where the mask is set, else `other`. */
THR_INLINE void thr_quad_choose(thr_quad *v, thr_quad_mask mask, const thr_quad *other)
{
    *v = (thr_quad)(((thr_quad_mask)*v & mask) | ((thr_quad_mask)*other & ~mask));
}

/* Written one by one, which compilers make the best of. What is no number becomes `least`. */
THR_INLINE void thr_quad_at_least(thr_quad *v, double least)
{
    const thr_quad a = *v;
    *v = (thr_quad){a[0] > least ? a[0] : least, a[1] > least ? a[1] : least,
                    a[2] > least ? a[2] : least, a[3] > least ? a[3] : least};
}

/* What is no number becomes `most`. */
THR_INLINE void thr_quad_at_most(thr_quad *v, double most)
{
    const thr_quad a = *v;
    *v = (thr_quad){a[0] < most ? a[0] : most, a[1] < most ? a[1] : most, a[2] < most ? a[2] : most,
                    a[3] < most ? a[3] : most};
}

/* What is no number stays. */
THR_INLINE void thr_quad_within(thr_quad *v, double least, double most)
{
    const thr_quad a = *v;
    const thr_quad b = {a[0] > most ? most : a[0], a[1] > most ? most : a[1],
                        a[2] > most ? most : a[2], a[3] > most ? most : a[3]};
    *v = (thr_quad){b[0] < least ? least : b[0], b[1] < least ? least : b[1],
                    b[2] < least ? least : b[2], b[3] < least ? least : b[3]};
}

/* thr_weight_clamp with any limit. */
THR_INLINE void thr_quad_clamp(thr_quad *v, double most)
{
    thr_quad_within(v, -most, most);
}

#endif
