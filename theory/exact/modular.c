/* Gaussian elimination modulo p. Every non-zero number has an inverse, so any non-zero number can
 * be the pivot: there is no rounding that a better choice could reduce. */
#include "exact/modular.h"

#include <stdlib.h>
#include <string.h>

uint64_t thr_mod_inverse(uint64_t a)
{
    uint64_t result = 1, exponent = THR_PRIME - 2; /* Fermat: a^(p-1) = 1 */
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = thr_mod_mul(result, a);
        a = thr_mod_mul(a, a);
    }
    return result;
}

uint64_t thr_mod_scaled(int64_t m, unsigned shift)
{
    uint64_t size = thr_mod_reduce(m < 0 ? (uint64_t)-m : (uint64_t)m);
    size = thr_mod_mul(size, UINT64_C(1) << shift % 61); /* 2^61 = 1 */
    return m < 0 ? thr_mod_sub(0, size) : size;
}

/* v -= factor * u, in columns from <= i < n. */
static void take_off(uint64_t *v, const uint64_t *u, uint64_t factor, size_t from, size_t n)
{
    uint64_t negative = thr_mod_sub(0, factor);
    for (size_t i = from; i < n; i++)
        if (u[i])
            v[i] = thr_mod_reduce(v[i] + thr_mod_mul(negative, u[i]));
}

bool thr_echelon_init(thr_echelon *e, size_t columns)
{
    *e = (thr_echelon){.columns = columns, .row = calloc(columns + 1, sizeof *e->row)};
    return e->row;
}

void thr_echelon_clear(thr_echelon *e)
{
    for (size_t i = 0; e->row && i < e->columns; i++)
        free(e->row[i]);
    free(e->row);
    *e = (thr_echelon){0};
}

size_t thr_echelon_add(thr_echelon *e, uint64_t *v)
{
    for (size_t c = 0; c < e->columns; c++) {
        if (!v[c])
            continue;
        if (e->row[c]) {
            take_off(v, e->row[c], v[c], c, e->columns);
            continue;
        }
        uint64_t *row = malloc(e->columns * sizeof *row), inverse = thr_mod_inverse(v[c]);
        if (!row)
            return SIZE_MAX;
        for (size_t i = 0; i < e->columns; i++)
            row[i] = i < c ? 0 : thr_mod_mul(v[i], inverse);
        e->row[c] = row;
        e->rank++;
        return c;
    }
    return e->columns;
}

static void swap_rows(uint64_t *a, size_t n, size_t i, size_t j)
{
    for (size_t c = 0; c < n && i != j; c++) {
        uint64_t t = a[i * n + c];
        a[i * n + c] = a[j * n + c];
        a[j * n + c] = t;
    }
}

/* Gauss-Jordan: the row operations that turn `a` into the unit matrix turn the unit matrix, in
 * `room`, into the inverse. */
bool thr_mod_invert(uint64_t *a, uint64_t *room, size_t n)
{
    memset(room, 0, n * n * sizeof *room);
    for (size_t i = 0; i < n; i++)
        room[i * n + i] = 1;
    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;
        while (pivot < n && !a[pivot * n + c])
            pivot++;
        if (pivot == n)
            return false;
        swap_rows(a, n, c, pivot);
        swap_rows(room, n, c, pivot);
        uint64_t inverse = thr_mod_inverse(a[c * n + c]);
        for (size_t k = 0; k < n; k++) {
            a[c * n + k] = thr_mod_mul(a[c * n + k], inverse);
            room[c * n + k] = thr_mod_mul(room[c * n + k], inverse);
        }
        for (size_t r = 0; r < n; r++) {
            uint64_t factor = a[r * n + c];
            if (r == c || !factor)
                continue;
            take_off(a + r * n, a + c * n, factor, c, n);
            take_off(room + r * n, room + c * n, factor, 0, n);
        }
    }
    memcpy(a, room, n * n * sizeof *a);
    return true;
}
