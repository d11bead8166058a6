/* Sums of many numbers. Term i is added to lane i modulo 8, and the lanes are added pairwise, as in
 * a dot product (weights/kernels.c): eight sums that do not wait for each other. Older rules added
 * the terms one after another. Two terms give the same sum either way.
 *
 * For use inside THR_CLONED functions (base/wide.h). */
#ifndef THR_BASE_SUM_H
#define THR_BASE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define THR_SUM_LANES 8

typedef struct thr_total {
    double lane[THR_SUM_LANES];
    bool in_order; /* one after another, in the first lane */
} thr_total;

/* Four lanes, a vector of the compiler. */
typedef double thr_total_four __attribute__((vector_size(32)));

/* Adds n terms. Only the last call may have an n that is no multiple of THR_SUM_LANES. */
__attribute__((always_inline)) static inline void thr_total_add(thr_total *s, const double *term,
                                                                size_t n)
{
    size_t i = 0;
    if (s->in_order) {
        double sum = s->lane[0];
        for (; i < n; i++)
            sum += term[i];
        s->lane[0] = sum;
        return;
    }
    thr_total_four low, high, a, b; /* in registers from the first term to the last */
    memcpy(&low, s->lane, sizeof low);
    memcpy(&high, s->lane + 4, sizeof high);
    for (; i + THR_SUM_LANES <= n; i += THR_SUM_LANES) {
        memcpy(&a, term + i, sizeof a);
        memcpy(&b, term + i + 4, sizeof b);
        low += a;
        high += b;
    }
    memcpy(s->lane, &low, sizeof low);
    memcpy(s->lane + 4, &high, sizeof high);
    for (size_t k = 0; i + k < n; k++)
        s->lane[k] += term[i + k];
}

__attribute__((always_inline)) static inline double thr_total_of(const thr_total *s)
{
    const double *l = s->lane;
    return s->in_order ? l[0] : ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
}

#endif
