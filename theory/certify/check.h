/* The checker of certificates. It believes the file and the data, and nobody else: every sum,
 * length and margin is made anew, in whole numbers of any size (GMP), and ends are compared by
 * their squares, so nothing is rounded but the lengths of examples scaled to length 1, and these to
 * the safe side. It shares no code with what finds the proofs (solve/, certify.c).
 *
 * The values of an example are floats: integers over one power of two, 2^P. With integers
 * throughout, w for a separator's weights, b for a combination's coefficients, X for the values:
 *
 *   separator    M = 2^P z.w for every point    M > 0  and  M^2 >= claim^2 |w|^2 2^2P
 *   combination  Z = 2^P sum b z                |Z|^2 <= claim^2 (2^P sum b)^2,   or  Z = 0
 *
 * Scaled to length 1, 2^P is |X| in its place. Of g, |w| is the sum of absolute values, |Z| the
 * greatest. */
#ifndef THR_CERTIFY_CHECK_H
#define THR_CERTIFY_CHECK_H

#include "base/mem.h"

#include "thresh_theory.h"

/* The settings that say how to read the data. Bad ones are THR_EDATA. */
int thr_certificate_settings(thr_str text, const char *file, thr_settings *s, thr_error *err);

typedef struct thr_check_data {
    const thr_data *data; /* read with these settings; the bias comes last in each example */
    int unit;             /* 1: examples have length 1; 0: not; -1: those made of text have */
} thr_check_data;

/* 0 and what it proves in `out`; else THR_EDATA and the first thing that is wrong. */
int thr_certificate_check(thr_str text, const char *file, const thr_check_data *d, thr_checked *out,
                          thr_error *err);

#endif
