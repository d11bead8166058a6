/* What many runs come to: who was better how often, and the run nearest to its bound. */
#ifndef THR_LAB_VERDICT_H
#define THR_LAB_VERDICT_H

#include <stdint.h>

/* The sign test. Two rules are compared data set by data set; were neither better, each would win
 * with probability 1/2. */
typedef struct thr_sign {
    uint64_t won, lost; /* equals count for neither */
} thr_sign;

void thr_sign_add(thr_sign *s, double ours, double theirs); /* less is better */
/* The probability of so lopsided a count, if neither is better; 1 if `ours` did not win more often.
 */
double thr_sign_p(thr_sign s);

/* Of several counts with bounds of their own, the one that is the greatest share of its bound. */
typedef struct thr_nearest {
    double seen, bound;
} thr_nearest;

void thr_nearest_keep(thr_nearest *n, double seen, double bound);

#endif
