/* Counting right answers in a row; pac.h has the argument. */
#include "measure/pac.h"

#include "base/mathx.h"

#include <math.h>

uint64_t thr_pac_needed(double eps, double delta, thr_pac_rule rule, uint64_t i)
{
    double chances = rule == THR_PAC_CORRECTED ? (double)i * ((double)i + 1) : 1;
    double most = ceil(thr_log(chances / delta) / eps);
    return most < 0x1p63 ? (uint64_t)most : UINT64_C(1) << 63;
}

/* A new hypothesis has survived nothing yet. */
static void begin(thr_pac *p, uint64_t hypothesis)
{
    p->hypothesis = hypothesis;
    p->needed = thr_pac_needed(p->eps, p->delta, p->rule, hypothesis);
    p->survived = 0;
}

void thr_pac_init(thr_pac *p, double eps, double delta, thr_pac_rule rule)
{
    *p = (thr_pac){.eps = eps, .delta = delta, .rule = rule};
    begin(p, 1);
}

bool thr_pac_see(thr_pac *p, bool ended)
{
    if (ended)
        begin(p, p->hypothesis + 1);
    else
        p->survived++;
    return p->survived >= p->needed;
}
