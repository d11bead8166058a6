/* Linear algebra modulo the prime 2^61 - 1: which columns depend on which, and inverses. What has
 * full rank here has it over the rationals too. */
#ifndef THR_EXACT_MODULAR_H
#define THR_EXACT_MODULAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_PRIME ((UINT64_C(1) << 61) - 1)

static inline uint64_t thr_mod_reduce(uint64_t x) /* x < 2^63 */
{
    x = (x & THR_PRIME) + (x >> 61);
    return x >= THR_PRIME ? x - THR_PRIME : x;
}

static inline uint64_t thr_mod_mul(uint64_t a, uint64_t b)
{
    unsigned __int128 t = (unsigned __int128)a * b;
    return thr_mod_reduce((uint64_t)(t & THR_PRIME) + (uint64_t)(t >> 61));
}

static inline uint64_t thr_mod_sub(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + THR_PRIME - b;
}

uint64_t thr_mod_inverse(uint64_t a); /* of a != 0 */
/* m 2^shift */
uint64_t thr_mod_scaled(int64_t m, unsigned shift);

/* Rows in echelon form, added one by one: each has its first number that is not 0, made 1, where
 * no other begins. */
typedef struct thr_echelon {
    size_t columns, rank;
    uint64_t **row; /* by the column they begin in; NULL: none does */
} thr_echelon;

bool thr_echelon_init(thr_echelon *e, size_t columns);
void thr_echelon_clear(thr_echelon *e);
/* Takes v out of what is known already; what is left, if anything, becomes a row. Returns its
 * first column, e->columns where nothing is left, or SIZE_MAX for want of memory. v is changed. */
size_t thr_echelon_add(thr_echelon *e, uint64_t *v);

/* Turns the n by n matrix into its inverse; false where it has none. `room` is n * n. */
bool thr_mod_invert(uint64_t *a, uint64_t *room, size_t n);

#endif
