/* Loops over the rows of one function, in two forms that give the same bits: a plain one, and one
 * for processors with AVX2. Callers are in kernels.c. */
#ifndef THR_WEIGHTS_KERNELS_H
#define THR_WEIGHTS_KERNELS_H

#include "base/scan.h"
#include "weights/weights.h"

#define THR_QUADS 5 /* whose sums, of two slots, are in registers all the time */

/* `wide` and `narrow` are the places of an f64 and an f32 in a row. */
typedef struct thr_kernels {
    /* sum_i x_i w_i, in lanes. */
    double (*dot_wide)(const thr_example *e, size_t wide);
    double (*dot_narrow)(const thr_example *e, size_t narrow);
    void (*dot_pair)(const thr_example *e, size_t wide, size_t narrow, double *wide_out,
                     double *narrow_out);
    void (*dot_two)(const thr_example *e, size_t first, size_t second, double *first_out,
                    double *second_out); /* narrow both */
    /* w_i += step x_i, and what it came to, times `clock`, is added to the sum beside it. The wide
     * form is for examples whose rows are distinct. */
    void (*move_pair)(const thr_example *e, size_t wide, size_t narrow, double step, double clock);
    /* The f32 at two places of n rows, as double; and back, rounded. */
    void (*take)(char *const *row, size_t n, size_t first, size_t second, double *a, double *b);
    void (*put)(char *const *row, size_t n, size_t first, size_t second, const double *a,
                const double *b);
    /* The same of all features of e, THR_GATHERED at most, with their values; and what dot_narrow
     * says of the first place, and of the second unless second_out is NULL. */
    void (*take_dot)(const thr_example *e, size_t first, size_t second, thr_gathered *s,
                     double *first_out, double *second_out);
    /* Of many functions, `quads` times four from `at` on, at most THR_QUADS: out[f] += sum_i x_i
     * w_i[f], in the order of the example. `known`: of the features that came before, with the
     * scale. */
    void (*quads)(const thr_example *e, size_t at, bool wide, bool known, unsigned quads,
                  double *out);
    void (*quads_pair)(const thr_example *e, size_t wide, size_t narrow, unsigned quads,
                       double *wide_out, double *narrow_out);
    /* sum_i x_i^2 in lanes, and the greatest |x_i|. */
    void (*measure)(const float *x, size_t n, double *squares, float *greatest);
} thr_kernels;

extern const thr_kernels thr_kernels_plain;
#if THR_WIDE
extern const thr_kernels thr_kernels_wide;
#endif

/* What this processor can do. */
static inline const thr_kernels *thr_kernels_here(void)
{
#if THR_WIDE
    if (__builtin_cpu_supports("avx2"))
        return &thr_kernels_wide;
#endif
    return &thr_kernels_plain;
}

static inline double thr_lanes_sum(const double lane[THR_LANES])
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

#endif
