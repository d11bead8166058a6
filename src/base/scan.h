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
#include <emmintrin.h>
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

/* The other way: eight digits of a number below 10^8. It is split into fours, these into pairs by
 * the quotient of 100, and pairs by that of 10: products with 2^20 / 100 and 2^10 / 10, rounded up,
 * which are exact for such numbers. */
static inline uint64_t thr_split_digits(uint32_t number)
{
    uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (pairs - tens * 10) << 8 | UINT64_C(0x3030303030303030);
}

/* Ten digits of any number, zeros before them, and six bytes of no meaning; stored as one, since
 * what is stored in parts and then loaded across them has to be waited for. */
static inline void thr_write_digits(uint32_t number, char *to)
{
    uint32_t first = number / 100000000;
    uint64_t low = thr_split_digits(number % 100000000);
    uint64_t text[2] = {('0' + first / 10) | ('0' + first % 10) << 8 | low << 16, low >> 48};
#if THR_WIDE
    _mm_storeu_si128((__m128i *)(void *)to, _mm_set_epi64x((int64_t)text[1], (int64_t)text[0]));
#else
    memcpy(to, text, sizeof text);
#endif
}

#endif
