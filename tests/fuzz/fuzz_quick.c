/* The fast paths against their plain versions: any lines as features of svmlight, and any bytes as
 * packed columns of a cache. With AVX2 and without it the same features come out, nothing is read
 * behind the block, and decimals that were packed come back with the same bits. */
#include "format/packed.h"
#include "format/svmlight_quick.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void *room_for(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    require(p);
    return p;
}

/* ---- features ------------------------------------------------------------------------------ */

/* One of the two may stop earlier; so far they agree. */
static void compare_line(const char *at, const char *end, const char *limit)
{
    size_t most = (size_t)(end - at + 1) / 4 + THR_QUICK_MORE;
    uint64_t *key[2] = {room_for(most, sizeof **key), room_for(most, sizeof **key)};
    float *value[2] = {room_for(most, sizeof **value), room_for(most, sizeof **value)};
    thr_quick_found found[2];
    const char *stop[2] = {thr_quick_take(at, end, limit, key[0], value[0], &found[0]),
                           thr_quick_take_plain(at, end, limit, key[1], value[1], &found[1])};
    size_t n = found[0].n < found[1].n ? found[0].n : found[1].n;
    require(memcmp(key[0], key[1], n * sizeof **key) == 0);
    require(memcmp(value[0], value[1], n * sizeof **value) == 0);
    require(found[0].n != found[1].n || (stop[0] == stop[1] && found[0].named == found[1].named));
    for (int i = 0; i < 2; i++) {
        require(stop[i] >= at && stop[i] <= end && found[i].n <= most - THR_QUICK_MORE);
        free(key[i]);
        free(value[i]);
    }
}

static void compare_lines(const uint8_t *data, size_t size)
{
    char *block = room_for(size, 1);
    if (size)
        memcpy(block, data, size);
    for (const char *at = block, *limit = block + size, *end; at < limit; at = end + 1) {
        end = memchr(at, '\n', (size_t)(limit - at));
        end = end ? end : limit;
        if (at < end)
            compare_line(at, end, limit);
    }
    free(block);
}

/* ---- packed columns ------------------------------------------------------------------------ */

/* A column, the numbers of its rows, and how many elements it unpacks to. */
typedef struct column {
    thr_packed packed;
    thr_rows rows;
    char *bytes;
    uint32_t count[16];
    size_t n;
} column;

/* Byte 0 is the width, then decimal places, bias, rows, `least` in 4 bytes, the rows, the numbers.
 */
static bool make_column(const uint8_t *data, size_t size, column *c)
{
    int32_t least;
    *c = (column){0};
    if (size < 8 || size - 8 < data[3] % 16u)
        return false;
    memcpy(&least, data + 4, sizeof least);
    size_t rows = data[3] % 16, left = size - 8 - rows, numbers = 0;
    for (size_t i = 0; i < rows; i++)
        numbers += c->count[i] = data[8 + i];
    unsigned bits = data[0] % 27 == 26 ? 32 : data[0] % 27;
    size_t used = (size_t)thr_packed_size(numbers, bits);
    c->bytes = room_for(used, 1);
    used -= THR_PACKED_SPARE;
    memcpy(c->bytes, data + 8 + rows, left < used ? left : used);
    c->packed = (thr_packed){c->bytes, bits, least % THR_DECIMALS_MOST, data[1] % 11u};
    c->rows = (thr_rows){(const char *)c->count, rows, data[2] & 1};
    c->n = numbers + (c->rows.bias ? rows : 0);
    return true;
}

static void compare_columns(const column *c)
{
    uint32_t *key[2];
    float *value[2];
    for (int i = 0; i < 2; i++) {
        key[i] = room_for(c->n + THR_PACKED_ROOM, sizeof **key);
        value[i] = room_for(c->n + THR_PACKED_ROOM, sizeof **value);
    }
    if (c->packed.bits)
        require(thr_unpack_keys(&c->packed, &c->rows, key[0]) >= /* it may look behind the end */
                thr_unpack_keys_plain(&c->packed, &c->rows, key[1]));
    thr_unpack_values(&c->packed, &c->rows, value[0]);
    thr_unpack_values_plain(&c->packed, &c->rows, value[1]);
    require(memcmp(key[0], key[1], c->n * sizeof **key) == 0);
    require(memcmp(value[0], value[1], c->n * sizeof **value) == 0);
    for (int i = 0; i < 2; i++) {
        free(key[i]);
        free(value[i]);
    }
}

/* Bytes as floats: if they are packed as decimals, they come back as they were. */
static void check_decimals(const uint8_t *data, size_t size)
{
    size_t n = size / sizeof(float);
    uint32_t *number = room_for(n, sizeof *number), count = (uint32_t)n;
    float *value = room_for(n, sizeof *value),
          *again = room_for(n + THR_PACKED_ROOM, sizeof *again);
    thr_packed packed = {0};
    if (n)
        memcpy(value, data, n * sizeof *value);
    if (thr_pack_decimals(value, n, number, &packed)) {
        char *bytes = room_for((size_t)thr_packed_size(n, packed.bits) + 8, 1);
        require(packed.places <= THR_PLACES_MOST && packed.bits <= THR_PACKED_MOST);
        thr_pack(number, n, packed.bits, bytes);
        packed.p = bytes;
        thr_unpack_values(&packed, &(thr_rows){(const char *)&count, 1, false}, again);
        require(memcmp(value, again, n * sizeof *value) == 0);
        free(bytes);
    }
    free(number);
    free(value);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    column c;
    compare_lines(data, size);
    check_decimals(data, size);
    if (make_column(data, size, &c))
        compare_columns(&c);
    free(c.bytes);
    return 0;
}
