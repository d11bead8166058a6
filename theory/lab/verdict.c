/* The sign test is the exact form of McNemar's test (measure/significance.h). */
#include "lab/verdict.h"

#include "measure/significance.h"

void thr_sign_add(thr_sign *s, double ours, double theirs)
{
    s->won += ours < theirs;
    s->lost += ours > theirs;
}

double thr_sign_p(thr_sign s)
{
    return s.won > s.lost ? thr_mcnemar_exact(s.won, s.lost) : 1;
}

void thr_nearest_keep(thr_nearest *n, double seen, double bound)
{
    if (!(n->bound > 0) || seen * n->bound > n->seen * bound)
        *n = (thr_nearest){seen, bound};
}
