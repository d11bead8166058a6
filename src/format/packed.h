/* Columns of whole numbers, each in the same few bits, one behind the other: number i is in the
 * bits from i * bits on, counted from the lowest of the first byte. Behind the last there are
 * THR_PACKED_SPARE bytes more, so that a reader may take eight numbers at a time.
 *
 * Features are written so: keys as they are, and values n / 10^places as n - least. Both n and the
 * power are exact as f32, so the quotient is rounded once and is what the decimal reads as. */
#ifndef THR_FORMAT_PACKED_H
#define THR_FORMAT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_PACKED_SPARE  32
#define THR_PACKED_ROOM   8  /* what is unpacked may take up so many places more behind the last */
#define THR_PACKED_MOST   25 /* bits that four bytes hold wherever they begin; or it is all of 32 */
#define THR_PLACES_MOST   10 /* the last power of ten that is exact as f32 */
#define THR_DECIMALS_MOST ((1 << 24) - 1) /* |n|: whole numbers beyond are not all exact as f32 */

typedef struct thr_packed {
    const char *p;
    unsigned bits; /* 0 to THR_PACKED_MOST, or 32 */
    int32_t least; /* of values only */
    unsigned places;
} thr_packed;

/* The numbers of a column fall to one row after the other; in what is made of them each row may be
 * followed by a place for its bias. */
typedef struct thr_rows {
    const char *count; /* u32 of each */
    size_t n;
    bool bias;
} thr_rows;

/* Of n u32, wherever they stand; 0 of none. */
uint32_t thr_column_greatest(const char *column, size_t n);
/* For numbers up to `greatest`. */
unsigned thr_packed_bits(uint32_t greatest);
/* With the spare bytes. */
uint64_t thr_packed_size(size_t n, unsigned bits);
void thr_pack(const uint32_t *number, size_t n, unsigned bits, char *to);
/* Values as decimals: fills in least, places and bits, and for each its number above the least.
 * False where some value is none of so few digits: then not all would come back, bit for bit. */
bool thr_pack_decimals(const float *value, size_t n, uint32_t *number, thr_packed *out);

/* key + 1 for each, and 0 for a bias. Returns the greatest key, or more where what is spare is not
 * zero. */
uint32_t thr_unpack_keys(const thr_packed *c, const thr_rows *r, uint32_t *out);
/* The values, and 1 for a bias; with 32 bits they are f32 as they stand. */
void thr_unpack_values(const thr_packed *c, const thr_rows *r, float *out);
/* The same without code for particular processors. */
uint32_t thr_unpack_keys_plain(const thr_packed *c, const thr_rows *r, uint32_t *out);
void thr_unpack_values_plain(const thr_packed *c, const thr_rows *r, float *out);

#endif
