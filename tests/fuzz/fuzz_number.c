/* Any bytes read as a number: the same extent and value as strtof and strtod find, and what is
 * printed reads back. */
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Equal, signs of zero included. */
static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* strtod also takes leading space, hexadecimal numbers and words, which are no numbers here. */
static bool comparable(const char *text)
{
    const char *p = text + (*text == '-' || *text == '+');
    if (p[0] == '0' && (p[1] | 0x20) == 'x')
        return false;
    return (*p >= '0' && *p <= '9') || *p == '.';
}

static void check_float(const char *text, size_t size)
{
    const char *end;
    char *libc_end, out[32];
    float v = 0, want = strtof(text, &libc_end), back = 0;
    enum thr_number result = thr_parse_float(text, text + size, &end, &v);
    require(end >= text && end <= text + size);
    if (comparable(text)) {
        require(end == libc_end);
        require((result == THR_NUMBER_NONE) == (end == text));
        require((result == THR_NUMBER_RANGE) == (isinf(want) != 0));
    }
    if (result != THR_NUMBER_OK)
        return;
    require(isfinite(v) && (!comparable(text) || same(v, want)));
    size_t n = thr_print_float(v, out);
    require(n < sizeof out && thr_parse_float(out, out + n, &end, &back) == THR_NUMBER_OK);
    require(end == out + n && same(v, back));
}

static void check_double(const char *text, size_t size)
{
    const char *end;
    char *libc_end, out[32];
    double v = 0, want = strtod(text, &libc_end), back = 0;
    enum thr_number result = thr_parse_double(text, text + size, &end, &v);
    if (comparable(text)) {
        require(end == libc_end);
        require((result == THR_NUMBER_RANGE) == (isinf(want) != 0));
    }
    if (result != THR_NUMBER_OK)
        return;
    require(isfinite(v) && (!comparable(text) || same(v, want)));
    size_t n = thr_print_double(v, out);
    require(n < sizeof out && thr_parse_double(out, out + n, &end, &back) == THR_NUMBER_OK);
    require(end == out + n && same(v, back));
}

static void check_u64(const char *text, size_t size)
{
    const char *end;
    char out[32];
    uint64_t v = 0, back = 0;
    if (thr_parse_u64(text, text + size, &end, &v) != THR_NUMBER_OK)
        return;
    size_t n = thr_print_u64(v, out);
    require(thr_parse_u64(out, out + n, &end, &back) == THR_NUMBER_OK && v == back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *end;
    float unused;
    /* As it is, where a read past the end is seen, then with a NUL for the C library. */
    thr_parse_float((const char *)data, (const char *)data + size, &end, &unused);
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    check_float(text, size);
    check_double(text, size);
    check_u64(text, size);
    free(text);
    return 0;
}
