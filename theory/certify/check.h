/* The checker of certificates. It trusts the data and nothing else: every sum, length and margin is
 * recomputed from the numbers in the certificate, in integers of any size (GMP). Claimed bounds are
 * compared by their squares, so no square root is taken, except of the lengths of examples that
 * are scaled to length 1; these are rounded to the side that makes the check stricter. The checker
 * shares no code with the search for proofs (solve/, exact/, prove.c, cycle.c), so an error there
 * cannot hide here.
 *
 * The values of an example are floats, that is integers X over a common power of two: x = X / 2^P.
 * With integers w for the weights of a separator and b for the coefficients of a combination:
 *
 *   separator    M = 2^P z.w for every point    M > 0  and  M^2 >= claim^2 |w|^2 2^2P
 *   combination  Z = 2^P sum b z                |Z|^2 <= claim^2 (2^P sum b)^2,   or  Z = 0
 *
 * The claim of a separator is a lower bound on the margin, that of a combination an upper bound.
 * For an example scaled to length 1, |X| replaces 2^P on the right sides. |w| and |Z| are Euclidean
 * lengths for gamma; for g, |w| is the sum of absolute values and |Z| the greatest absolute value.
 * A claim has decimal digits, so it is a fraction too and nothing is lost in comparing. */
#ifndef THR_CERTIFY_CHECK_H
#define THR_CERTIFY_CHECK_H

#include "base/mem.h"

#include "thresh_theory.h"

/* Takes from a certificate the settings with which its data must be read. THR_EDATA if the text is
 * not an intact certificate or a setting is invalid. */
int thr_certificate_settings(thr_str text, const char *file, thr_settings *s, thr_error *err);

typedef struct thr_check_data {
    const thr_data *data; /* read with these settings; the bias comes last in each example */
    int unit; /* which examples are scaled to length 1: 1 all, 0 none, -1 those made of text */
    double seconds; /* how long checking may take; 0: as long as it needs */
} thr_check_data;

/* Returns 0 and in `out` what the certificate proves; or THR_EDATA with the line and the first
 * thing that is wrong, and then `out` must not be used. THR_EUSE without GMP. GMP ends its process
 * when memory is short, so the work is done in a child (base/apart.h). */
int thr_certificate_check(thr_str text, const char *file, const thr_check_data *d, thr_checked *out,
                          thr_error *err);

#endif
