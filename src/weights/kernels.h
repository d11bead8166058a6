/* The inner loops over the rows of an example, in two implementations that give the same bits:
 * plain C (kernels.c), and AVX2 intrinsics (kernels_wide.c). kernels.c explains why they
 * agree. */
#ifndef THR_WEIGHTS_KERNELS_H
#define THR_WEIGHTS_KERNELS_H

#include "base/scan.h"
#include "weights/weights.h"

/* Groups of four functions that are summed in one pass. quads_pair keeps two sums for each: ten
 * of the sixteen vector registers, so that none is spilled. */
#define THR_QUADS 5

/* `wide` and `narrow`, `first` and `second` are offsets in bytes from e->row[i]: of an f64, of
 * an f32, and of two f32. */
typedef struct thr_kernels {
    /* sum_i x_i w_i for one function, added in lanes. dot_pair and dot_two compute two such
     * sums in one pass; dot_two is for two narrow slots. */
    double (*dot_wide)(const thr_example *e, size_t wide);
    double (*dot_narrow)(const thr_example *e, size_t narrow);
    void (*dot_pair)(const thr_example *e, size_t wide, size_t narrow, double *wide_out,
                     double *narrow_out);
    void (*dot_two)(const thr_example *e, size_t first, size_t second, double *first_out,
                    double *second_out);
    /* w_i += step x_i in the narrow slot, clamped and rounded to float; clock (w_i after - w_i
     * before) is added to the wide slot. The AVX2 form loads four rows before it stores any, so
     * it needs distinct rows; thr_weights_move takes the plain form for others. */
    void (*move_pair)(const thr_example *e, size_t wide, size_t narrow, double step, double clock);
    /* The same for a narrow slot alone, of distinct rows too. `step` has the scale already. */
    void (*add_narrow)(const thr_example *e, size_t narrow, double step);
    /* `take` reads the f32 at two offsets of n rows as double; `put` writes them back, rounded
     * to float. */
    void (*take)(char *const *row, size_t n, size_t first, size_t second, double *a, double *b);
    void (*put)(char *const *row, size_t n, size_t first, size_t second, const double *a,
                const double *b);
    /* `take` for all features of e, at most THR_GATHERED, with their values in s->x; in the
     * same pass dot_narrow of the first offset and, unless second_out is NULL, of the
     * second. */
    void (*take_dot)(const thr_example *e, size_t first, size_t second, thr_gathered *s,
                     double *first_out, double *second_out);
    /* out[f] += sum_i x_i w_i[f] for 4 * quads adjacent functions, the first of which is at
     * offset `at`; quads <= THR_QUADS. The terms of each function are added in the order of the
     * example, not in lanes. `known` takes only features with id < e->known, and multiplies
     * each value by e->scale; otherwise the caller scales the sums. */
    void (*quads)(const thr_example *e, size_t at, bool wide, bool known, unsigned quads,
                  double *out);
    void (*quads_pair)(const thr_example *e, size_t wide, size_t narrow, unsigned quads,
                       double *wide_out, double *narrow_out);
    /* sum_i x_i^2, added in lanes, and max_i |x_i|. The values are finite. */
    void (*measure)(const float *x, size_t n, double *squares, float *greatest);
} thr_kernels;

extern const thr_kernels thr_kernels_plain;
#if THR_WIDE
extern const thr_kernels thr_kernels_wide;
#endif

/* The kernels for the processor at hand. The test is cheap enough to be made in every call. */
static inline const thr_kernels *thr_kernels_here(void)
{
#if THR_WIDE
    if (__builtin_cpu_supports("avx2"))
        return &thr_kernels_wide;
#endif
    return &thr_kernels_plain;
}

/* The one order in which lanes are added: pairwise. Another order would give other bits, and so
 * other models. */
static inline double thr_lanes_sum(const double lane[THR_LANES])
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

#endif
