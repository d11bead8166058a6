/* Linear algebra modulo the prime p = 2^61 - 1: rank, pivot columns and inverses.
 *
 * Elimination with integers of any size would make the numbers grow with every step; modulo p they
 * stay in 64 bits. A square matrix that is invertible modulo p is invertible over the rationals:
 * its determinant is an integer, and an integer that is not 0 modulo p is not 0. The converse
 * fails if p happens to divide the determinant, so callers must check what they conclude.
 *
 * p is a Mersenne prime: 2^61 = 1 modulo p, so a number is reduced by adding its upper bits to its
 * lower 61 bits, without a division. All arguments and results are in 0 .. p - 1 unless stated
 * otherwise. */
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

uint64_t thr_mod_inverse(uint64_t a); /* a != 0 */
/* m * 2^shift mod p; m may be negative. */
uint64_t thr_mod_scaled(int64_t m, unsigned shift);

/* An echelon form that grows row by row. Each stored row begins with a 1, its pivot, in a column
 * where no other row begins. */
typedef struct thr_echelon {
    size_t columns, rank;
    uint64_t **row; /* by pivot column; NULL: no row begins there. Owned */
} thr_echelon;

bool thr_echelon_init(thr_echelon *e, size_t columns);
void thr_echelon_clear(thr_echelon *e);
/* Reduces v by the stored rows. If a non-zero remainder is left, v was independent of them and the
 * remainder becomes a new row. Returns the new pivot column, e->columns if v was dependent, or
 * SIZE_MAX if out of memory. v, of e->columns numbers, is overwritten. */
size_t thr_echelon_add(thr_echelon *e, uint64_t *v);

/* Replaces the n by n matrix `a` by its inverse. `room` is scratch for n * n numbers. Returns false
 * if `a` is singular modulo p; its contents are then undefined. */
bool thr_mod_invert(uint64_t *a, uint64_t *room, size_t n);

#endif
