/* Time that has passed, for time limits: seconds of a clock that nobody sets. */
#ifndef THR_BASE_CLOCK_H
#define THR_BASE_CLOCK_H

#include <time.h>

static inline double thr_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
