/* Digits by the word: eight bytes of text become a number without a branch for each.
 *
 * Little-endian machines only; elsewhere THR_SCANS is 0 and callers go byte by byte. */
#ifndef THR_BASE_SCAN_H
#define THR_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define THR_SCANS 1
#else
#define THR_SCANS 0
#endif

/* Whether functions compiled for AVX2 can be had beside the others. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(THR_NO_WIDE)
#define THR_WIDE 1
#else
#define THR_WIDE 0
#endif

static inline uint64_t thr_load8(const char *p)
{
    uint64_t t;
    memcpy(&t, p, sizeof t);
    return t;
}

static inline uint32_t thr_load4(const char *p)
{
    uint32_t t;
    memcpy(&t, p, sizeof t);
    return t;
}

/* How many of the eight bytes at p are digits, from the first on. The lowest byte that is none gets
 * its top bit set; those above may be wrong. */
static inline unsigned thr_count_digits(const char *p)
{
    uint64_t t = thr_load8(p) ^ UINT64_C(0x3030303030303030);
    uint64_t other = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* The value of the n digits at p, n from 1 to 8; eight bytes are read. Neighbours are joined to
 * pairs, pairs to fours, fours to eight; fewer than eight move up behind zeros. */
static inline uint32_t thr_join_digits(const char *p, unsigned n)
{
    uint64_t t = (thr_load8(p) ^ UINT64_C(0x3030303030303030)) << (64 - 8 * n);
    t = (t * 10 + (t >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    t = (t * 100 + (t >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(t * 10000 + (t >> 32));
}

#endif
