/* Summaries of many runs: the sign test, and the run nearest to its bound. */
#ifndef THR_LAB_VERDICT_H
#define THR_LAB_VERDICT_H

#include <stdint.h>

/* The sign test. Two rules are compared on each data set. If neither is better, each wins with
 * probability 1/2. */
typedef struct thr_sign {
    uint64_t won, lost; /* ties count for neither */
} thr_sign;

void thr_sign_add(thr_sign *s, double ours, double theirs); /* less is better */
/* The probability of so lopsided a count, if neither is better; 1 if `ours` did not win more
 * often. */
double thr_sign_p(thr_sign s);

/* Among several counts, each with its own bound, keeps the one that is the greatest share of its
 * bound. Initialise with zeros. */
typedef struct thr_nearest {
    double seen, bound;
} thr_nearest;

void thr_nearest_keep(thr_nearest *n, double seen, double bound);

#endif
