/* Packed columns: whole numbers in as few bits as the greatest of them needs. The cache keeps the
 * keys and the values of its features in two such columns (cache.c).
 *
 * Number i of a column of b bits has the bits from i b on, counted from the lowest bit of the first
 * byte. With b = 5, this is the number that each bit belongs to, the highest bit of a byte first:
 *
 *     byte 0             byte 1             byte 2
 *     1 1 1 0 0 0 0 0    3 2 2 2 2 2 1 1    4 4 4 4 3 3 3 3    ...    32 bytes of 0
 *
 * A width is 0 to 25 bits, or 32. Up to 25 bits a number lies within the four bytes from that of
 * its first bit on, whichever bit of the byte it begins at (7 + 25 = 32), so that one load of four
 * bytes gets it. The THR_PACKED_SPARE bytes behind the last number let a reader take eight numbers
 * at a time, also where fewer are left.
 *
 * Keys are packed as they are. Values are packed as decimals if that loses nothing: a value v is
 * written as the whole number n - least, where v = n / 10^places, and `least` is the smallest n of
 * the column. Example, with places = 2:
 *
 *     value     0.25   -0.5    3
 *     n           25    -50   300        least = -50
 *     packed      75      0   350        9 bits each instead of 32
 *
 * The reader computes (packed + least) / 10^places in f32. Both operands are exact as f32:
 * |n| < 2^24, and 10^places = 2^places 5^places with 5^10 < 2^24. IEEE 754 rounds their quotient
 * once, correctly, and so does the parser that read the decimal from text; hence both give the same
 * float. The writer does not rely on this: it checks that every value comes back bit for bit, and
 * else keeps the whole column as f32 (32 bits). */
#ifndef THR_FORMAT_PACKED_H
#define THR_FORMAT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_PACKED_SPARE  32 /* bytes of 0 behind the last number */
#define THR_PACKED_ROOM   8  /* elements behind the last that unpacking may overwrite */
#define THR_PACKED_MOST   25 /* the greatest width except for 32, in bits */
#define THR_PLACES_MOST   10 /* 10^10 is the last power of ten that is exact as f32 */
#define THR_DECIMALS_MOST ((1 << 24) - 1) /* the greatest |n|: beyond, f32 is not always exact */

typedef struct thr_packed {
    const char *p;   /* the first byte; in the block that was read, not owned */
    unsigned bits;   /* width of a number: 0 to THR_PACKED_MOST, or 32 */
    int32_t least;   /* values only: what is added to each number */
    unsigned places; /* values only: decimal places */
} thr_packed;

/* How the numbers of a column are divided among rows (examples). Unpacked, each row may be followed
 * by one more element, for the bias. */
typedef struct thr_rows {
    const char *count; /* numbers in each row, u32, not aligned */
    size_t n;          /* rows */
    bool bias;         /* leave room for the bias, and fill it in */
} thr_rows;

/* The greatest of n u32 that may not be aligned; 0 if n is 0. */
uint32_t thr_column_greatest(const char *column, size_t n);
/* The width for numbers up to `greatest`. */
unsigned thr_packed_bits(uint32_t greatest);
/* The size of a column in bytes, with the spare bytes. */
uint64_t thr_packed_size(size_t n, unsigned bits);
/* Packs numbers of at most THR_PACKED_MOST bits, and writes thr_packed_size bytes. */
void thr_pack(const uint32_t *number, size_t n, unsigned bits, char *to);
/* Turns values into decimals: sets least, places and bits of *out, and number[i] = n - least for
 * each value. False if there are no values, or if some value cannot be had back bit for bit. */
bool thr_pack_decimals(const float *value, size_t n, uint32_t *number, thr_packed *out);

/* Writes key + 1 for each key, and 0 for each bias. `out` has room for THR_PACKED_ROOM more
 * elements than that. Returns the greatest key, so that the caller can refuse keys out of range; it
 * may be greater if the spare bytes are not 0. */
uint32_t thr_unpack_keys(const thr_packed *c, const thr_rows *r, uint32_t *out);
/* Writes the values, and 1 for each bias, in the same way. */
void thr_unpack_values(const thr_packed *c, const thr_rows *r, float *out);
/* The same functions without AVX2: for other processors, and for tests that compare the two. */
uint32_t thr_unpack_keys_plain(const thr_packed *c, const thr_rows *r, uint32_t *out);
void thr_unpack_values_plain(const thr_packed *c, const thr_rows *r, float *out);

#endif
