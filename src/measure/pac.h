/* From mistakes to a promise (L0 Theorem 9.1, corrected): on examples drawn independently from one
 * source, when has a hypothesis been right for long enough to be believed?
 *
 * A hypothesis that errs on more than eps of the source is right k times in a row with probability
 * below (1-eps)^k <= e^(-eps k). The i-th is accepted after (1/eps) ln(i(i+1)/delta) right answers
 * in a row, so it is accepted wrongly with probability at most delta/(i(i+1)), and sum 1/(i(i+1))
 * is 1: whichever is accepted, it errs on more than eps with probability at most delta. The
 * lectures ask (1/eps) ln(1/delta) of each; every hypothesis then has a chance of delta of its own.
 */
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
    uint64_t hypothesis; /* at hand, from 1 */
    uint64_t needed;     /* right answers in a row that it must give */
    uint64_t survived;   /* that it has given */
} thr_pac;

/* How many right answers in a row the i-th hypothesis must give, i from 1. */
uint64_t thr_pac_needed(double eps, double delta, thr_pac_rule rule, uint64_t i);
void thr_pac_init(thr_pac *p, double eps, double delta, thr_pac_rule rule);
/* After each example: whether the hypothesis erred on it or was changed by it, either of which
 * ends its life. Returns whether the one at hand is accepted; then nothing more may be shown. */
bool thr_pac_see(thr_pac *p, bool ended);

#endif
