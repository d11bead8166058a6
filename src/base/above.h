/* Looking for large numbers among many, several at a time. NaN is greater than nothing, and nothing
 * is greater than NaN. */
#ifndef THR_BASE_ABOVE_H
#define THR_BASE_ABOVE_H

#include <stdbool.h>
#include <stdint.h>

/* The greatest of n numbers; -infinity if there is none. */
double thr_greatest(const double *x, uint32_t n);
/* The first i with x[i] >= least; n if there is none. */
uint32_t thr_first_at_least(const double *x, uint32_t n, double least);
/* The first i from `from` on with x[i] > than; n if there is none. */
uint32_t thr_first_above(const double *x, uint32_t from, uint32_t n, double than);
/* The places of the `most` <= 8 greatest of n numbers, the greatest first. False, and nothing in
 * `place`, if two of them are equal, or another number is equal to the last of them, or there are
 * not so many numbers; the caller then has to look at one after another. It may also be false
 * where more than a few numbers are nearly the greatest. */
bool thr_places_of_greatest(const double *x, uint32_t n, uint32_t most, uint32_t *place);

#endif
