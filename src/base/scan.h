/* Digits from and to text eight bytes at a time, in one 64-bit word and without a branch for
 * each digit (SIMD within a register).
 *
 * Only for little-endian machines, where the first character is the lowest byte of the word.
 * Elsewhere THR_SCANS is 0, and callers go byte by byte. */
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

/* Whether this build has functions for AVX2 beside the plain ones. Which of the two is called
 * is decided at run time. */
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

/* How many of the eight bytes at p are digits, before the first that is not. After the xor a
 * digit is 0 to 9; adding 0x76 sets the top bit of any larger byte. Carries can spoil bytes
 * above the first such byte, which do not matter. */
static inline unsigned thr_count_digits(const char *p)
{
    uint64_t t = thr_load8(p) ^ UINT64_C(0x3030303030303030);
    uint64_t other = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* The value of the n digits at p, n from 1 to 8; eight bytes are read. The shift moves the
 * digits to the top of the word, behind zeros. Then neighbouring digits are joined to pairs,
 * pairs to fours, fours to eight. */
static inline uint32_t thr_join_digits(const char *p, unsigned n)
{
    uint64_t t = (thr_load8(p) ^ UINT64_C(0x3030303030303030)) << (64 - 8 * n);
    t = (t * 10 + (t >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    t = (t * 100 + (t >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(t * 10000 + (t >> 32));
}

/* The inverse: a number below 10^8 as eight digits. It is split into two fours, each four into
 * two pairs (division by 100) and each pair into two digits (division by 10). All divisions of
 * a step are done at once by one multiplication with 2^20 / 100 or 2^10 / 10, rounded up, which
 * gives the exact quotient for numbers that small. */
static inline uint64_t thr_split_digits(uint32_t number)
{
    uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (pairs - tens * 10) << 8 | UINT64_C(0x3030303030303030);
}

/* Writes a number as ten digits, with leading zeros, and six more bytes without meaning. All 16
 * bytes are one store: the caller loads from the middle of them at once, and a load that spans
 * two recent stores stalls until both have reached the cache (store forwarding fails). */
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
