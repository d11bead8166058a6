/* From mistakes to a promise (L0 Theorem 9.1, corrected): on examples drawn independently from one
 * source, when has a hypothesis been right for long enough to be trusted?
 *
 * A hypothesis that errs on more than eps of the source is right k times in a row with probability
 * below (1-eps)^k <= e^(-eps k). The i-th hypothesis is accepted after (1/eps) ln(i(i+1)/delta)
 * right answers in a row, so it is accepted wrongly with probability at most delta/(i(i+1)). The
 * sum of 1/(i(i+1)) over all i is 1: whichever is accepted, it errs on more than eps with
 * probability at most delta. The lectures ask only (1/eps) ln(1/delta) of each; then every
 * hypothesis has its own chance of delta, and these add up. */
#ifndef THR_MEASURE_PAC_H
#define THR_MEASURE_PAC_H

#include <stdbool.h>
#include <stdint.h>

typedef enum thr_pac_rule {
    THR_PAC_CORRECTED,
    THR_PAC_LECTURES, /* for the lab, which shows that it fails */
} thr_pac_rule;

typedef struct thr_pac {
    double eps, delta;
    thr_pac_rule rule;
    uint64_t hypothesis; /* number of the current one, from 1 */
    uint64_t needed;     /* right answers in a row that it must give */
    uint64_t survived;   /* right answers in a row that it has given */
} thr_pac;

/* The number of right answers in a row that the i-th hypothesis must give, i from 1. */
uint64_t thr_pac_needed(double eps, double delta, thr_pac_rule rule, uint64_t i);
void thr_pac_init(thr_pac *p, double eps, double delta, thr_pac_rule rule);
/* To be called after each example. `ended`: the hypothesis erred on it or was changed by it; then
 * the next hypothesis starts. Returns whether the current one is accepted; no example may
 * follow. */
bool thr_pac_see(thr_pac *p, bool ended);

#endif
