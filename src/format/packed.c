/* Packing, unpacking, and with AVX2 unpacking eight numbers at a time. The idea is in packed.h. */
#include "format/packed.h"

#include "base/scan.h"
#include "base/wide.h"

#include <math.h>
#include <string.h>

#define CHUNK 64 /* values that find_places tests at a time */

static const double power[THR_PLACES_MOST + 1] = {1,   1e1, 1e2, 1e3, 1e4, 1e5,
                                                  1e6, 1e7, 1e8, 1e9, 1e10};

THR_CLONED uint32_t thr_column_greatest(const char *column, size_t n)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t v;
        memcpy(&v, column + i * sizeof v, sizeof v);
        most = v > most ? v : most;
    }
    return most;
}

unsigned thr_packed_bits(uint32_t greatest)
{
    unsigned bits = greatest ? 32 - (unsigned)__builtin_clz(greatest) : 0;
    return bits <= THR_PACKED_MOST ? bits : 32;
}

uint64_t thr_packed_size(size_t n, unsigned bits)
{
    return ((uint64_t)n * bits + 7) / 8 + THR_PACKED_SPARE;
}

/* ---- packing ------------------------------------------------------------------------------ */

/* `some` holds the bits not yet written, `filled` of them. Each step writes eight bytes and moves
 * on over those that are full; the next step writes the others again. The last bytes written may
 * reach into the spare bytes, which are cleared at the end. */
void thr_pack(const uint32_t *number, size_t n, unsigned bits, char *to)
{
    uint64_t some = 0;
    unsigned filled = 0;
    for (size_t i = 0; i < n; i++) {
        some |= (uint64_t)number[i] << filled;
        filled += bits;
        for (unsigned k = 0; k < 8; k++)
            to[k] = (char)(some >> 8 * k);
        to += filled / 8;
        some >>= filled / 8 * 8;
        filled %= 8;
    }
    memset(to + (filled > 0), 0, THR_PACKED_SPARE);
}

/* Stores the n of each value in `number`, and tells whether all values come back from them with the
 * same bits. Infinities, NaN and -0 do not. The loop has no branches, so that it is vectorised. */
THR_CLONED static bool as_decimals(const float *value, size_t n, unsigned places, int32_t *number)
{
    double tens = power[places];
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        double x = (double)value[i] * tens;
        x = fabs(x) <= THR_DECIMALS_MOST ? x : 0;
        number[i] = (int32_t)(x + (x < 0 ? -0.5 : 0.5));
        float again = (float)number[i] / (float)tens;
        uint32_t had, has;
        memcpy(&had, &value[i], sizeof had);
        memcpy(&has, &again, sizeof has);
        wrong |= had ^ has;
    }
    return !wrong;
}

THR_CLONED static void extent(const int32_t *number, size_t n, int32_t *least, int32_t *most)
{
    int32_t low = number[0], high = number[0];
    for (size_t i = 1; i < n; i++) {
        low = number[i] < low ? number[i] : low;
        high = number[i] > high ? number[i] : high;
    }
    *least = low;
    *most = high;
}

/* First finds the fewest places that do for all values, except that |n| may get too large. A chunk
 * that needs more places is tried again with one more. The chunks before it are not: with more
 * places their values are decimals still, unless |n| gets too large. So the second call of
 * as_decimals tests all values with the final number of places. */
bool thr_pack_decimals(const float *value, size_t n, uint32_t *number, thr_packed *out)
{
    int32_t chunk[CHUNK], most, *exact = (int32_t *)number;
    if (!n)
        return false;
    out->places = 0;
    for (size_t at = 0; at < n && out->places <= THR_PLACES_MOST;) {
        size_t some = n - at < CHUNK ? n - at : CHUNK;
        if (as_decimals(value + at, some, out->places, chunk))
            at += some;
        else
            out->places++;
    }
    if (out->places > THR_PLACES_MOST || !as_decimals(value, n, out->places, exact))
        return false;
    extent(exact, n, &out->least, &most);
    for (size_t i = 0; i < n; i++)
        number[i] -= (uint32_t)out->least;
    out->bits = thr_packed_bits((uint32_t)most - (uint32_t)out->least);
    return true;
}

/* ---- unpacking ---------------------------------------------------------------------------- */

static uint32_t count_of(const thr_rows *r, size_t row)
{
    return thr_load4(r->count + row * sizeof(uint32_t));
}

static uint32_t mask_of(unsigned bits)
{
    return (uint32_t)((UINT64_C(1) << bits) - 1);
}

static uint32_t number_at(const thr_packed *c, uint64_t i)
{
    uint64_t bit = i * c->bits;
    const unsigned char *p = (const unsigned char *)c->p + bit / 8;
    uint32_t word = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return word >> bit % 8 & mask_of(c->bits);
}

uint32_t thr_unpack_keys_plain(const thr_packed *c, const thr_rows *r, uint32_t *out)
{
    uint64_t at = 0;
    uint32_t most = 0;
    for (size_t row = 0; row < r->n; row++) {
        size_t n = count_of(r, row);
        for (size_t i = 0; i < n; i++) {
            uint32_t key = number_at(c, at++);
            most = key > most ? key : most;
            out[i] = key + 1;
        }
        out[n] = 0;
        out += n + r->bias;
    }
    return most;
}

/* f32 columns. Eight values are copied at a time, in one or two instructions; a row may so copy up
 * to seven values too many, which the next row or the bias overwrites. */
static void copy_values(const thr_packed *c, const thr_rows *r, float *out)
{
    const char *from = c->p;
    for (size_t row = 0; row < r->n; row++) {
        size_t n = count_of(r, row);
        for (size_t i = 0; i < n; i += 8)
            memcpy(out + i, from + i * sizeof *out, 8 * sizeof *out);
        out[n] = 1;
        out += n + r->bias;
        from += n * sizeof *out;
    }
}

void thr_unpack_values_plain(const thr_packed *c, const thr_rows *r, float *out)
{
    float tens = (float)power[c->places];
    uint64_t at = 0;
    if (c->bits == 32) {
        copy_values(c, r, out);
        return;
    }
    for (size_t row = 0; row < r->n; row++) {
        size_t n = count_of(r, row);
        for (size_t i = 0; i < n; i++)
            out[i] = (float)((int32_t)number_at(c, at++) + c->least) / tens;
        out[n] = 1;
        out += n + r->bias;
    }
}

#if THR_WIDE

#include <immintrin.h>

#define WIDE   __attribute__((target("avx2")))
#define INLINE __attribute__((target("avx2"), always_inline)) static inline

/* Unpacking eight numbers at a time. Two loads of 16 bytes fill a register: numbers 0 to 3 lie in
 * the first load, which begins at the byte of number 0, and numbers 4 to 7 in the second, which
 * begins at the byte of number 4. A byte shuffle brings the four bytes from each number's first on
 * into its lane of 32 bits; a shift by the lane's own count (0 to 7) and a mask leave the number:
 *
 *     b = 12        lane 0       lane 1       lane 2       lane 3       lanes 4 to 7
 *     begins at     bit 0        bit 12       bit 24       bit 36       the same,
 *     shuffle       bytes 0-3    bytes 1-4    bytes 3-6    bytes 4-7    from byte 6 on
 *     shift by      0            4            0            4
 *
 * Eight numbers of b bits take b bytes exactly. So all groups of a row have the same shuffle and
 * shifts, and the next group begins b bytes further on. Groups do not reach across rows: a last
 * group that is not full reads numbers of the next row, or spare bytes, and what it writes behind
 * the row's end is overwritten. */
typedef struct lanes {
    __m256i place, down; /* for each lane: the bytes that the shuffle takes, the shift */
    size_t high;         /* where the second load begins, in bytes behind the first */
} lanes;

/* The lanes for a row whose first number begins at bit `bit`. */
INLINE lanes lanes_from(uint64_t bit, size_t bits, __m256i steps)
{
    const __m256i first = _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0,
                                           0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    size_t low = bit % 8, high = low + 4 * bits;
    __m128i low_bit = _mm_set1_epi32((int)low), high_bit = _mm_set1_epi32((int)(high % 8));
    __m256i at = _mm256_add_epi32(steps, _mm256_set_m128i(high_bit, low_bit));
    __m256i place = _mm256_shuffle_epi8(_mm256_srli_epi32(at, 3), first);
    place = _mm256_add_epi8(place, _mm256_set1_epi32(0x03020100));
    return (lanes){place, _mm256_and_si256(at, _mm256_set1_epi32(7)), high / 8};
}

/* For each lane, at which bit its number begins, counted from number 0 or number 4. */
INLINE __m256i steps_of(size_t bits)
{
    return _mm256_mullo_epi32(_mm256_set1_epi32((int)bits),
                              _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3));
}

INLINE __m256i take_eight(const char *p, const lanes *l, __m256i mask)
{
    __m256i v = _mm256_castsi128_si256(_mm_loadu_si128((const void *)p));
    v = _mm256_inserti128_si256(v, _mm_loadu_si128((const void *)(p + l->high)), 1);
    return _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(v, l->place), l->down), mask);
}

INLINE uint32_t greatest_of(__m256i v)
{
    uint32_t lane[8], most = 0;
    _mm256_storeu_si256((void *)lane, v);
    for (int i = 0; i < 8; i++)
        most = lane[i] > most ? lane[i] : most;
    return most;
}

WIDE static uint32_t keys_wide(thr_packed c, thr_rows r, uint32_t *out)
{
    const __m256i one = _mm256_set1_epi32(1), mask = _mm256_set1_epi32((int)mask_of(c.bits));
    const __m256i steps = steps_of(c.bits);
    __m256i most = _mm256_setzero_si256();
    uint64_t bit = 0;
    for (size_t row = 0; row < r.n; row++) {
        size_t n = count_of(&r, row);
        lanes l = lanes_from(bit, c.bits, steps);
        const char *p = c.p + bit / 8;
        for (size_t i = 0; i < n; i += 8, p += c.bits) {
            __m256i key = take_eight(p, &l, mask);
            most = _mm256_max_epu32(most, key);
            _mm256_storeu_si256((void *)(out + i), _mm256_add_epi32(key, one));
        }
        out[n] = 0;
        out += n + r.bias;
        bit += (uint64_t)n * c.bits;
    }
    return greatest_of(most);
}

WIDE static void values_wide(thr_packed c, thr_rows r, float *out)
{
    const __m256i mask = _mm256_set1_epi32((int)mask_of(c.bits)), steps = steps_of(c.bits);
    const __m256i least = _mm256_set1_epi32(c.least);
    const __m256 tens = _mm256_set1_ps((float)power[c.places]);
    uint64_t bit = 0;
    for (size_t row = 0; row < r.n; row++) {
        size_t n = count_of(&r, row);
        lanes l = lanes_from(bit, c.bits, steps);
        const char *p = c.p + bit / 8;
        for (size_t i = 0; i < n; i += 8, p += c.bits) {
            __m256 x = _mm256_cvtepi32_ps(_mm256_add_epi32(take_eight(p, &l, mask), least));
            _mm256_storeu_ps(out + i, _mm256_div_ps(x, tens));
        }
        out[n] = 1;
        out += n + r.bias;
        bit += (uint64_t)n * c.bits;
    }
}

#endif

uint32_t thr_unpack_keys(const thr_packed *c, const thr_rows *r, uint32_t *out)
{
#if THR_WIDE
    if (__builtin_cpu_supports("avx2"))
        return keys_wide(*c, *r, out);
#endif
    return thr_unpack_keys_plain(c, r, out);
}

void thr_unpack_values(const thr_packed *c, const thr_rows *r, float *out)
{
#if THR_WIDE
    if (c->bits < 32 && __builtin_cpu_supports("avx2")) {
        values_wide(*c, *r, out);
        return;
    }
#endif
    thr_unpack_values_plain(c, r, out);
}
