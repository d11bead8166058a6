/* A mutator for files of lines of words, such as certificates and update logs: it moves, repeats
 * and drops lines, and changes a number or takes the word of another line, and leaves one change in
 * four to libFuzzer. A certificate's last line, a hash, is made right by the target. */
#include "mutate.h"

#include <stdio.h>

typedef struct span {
    size_t from, n;
} span;

/* Line number k, with its line end. */
static span line_at(const uint8_t *data, size_t size, size_t k)
{
    span s = {0, 0};
    for (;; k--) {
        const uint8_t *end = memchr(data + s.from, '\n', size - s.from);
        s.n = end ? (size_t)(end - data) + 1 - s.from : size - s.from;
        if (k == 0 || s.from + s.n == size)
            return s;
        s.from += s.n;
    }
}

static span some_line(uint64_t *state, const uint8_t *data, size_t size)
{
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    return line_at(data, size, mutate_pick(state, lines));
}

/* A word of a random line; of length 0 if the blank that was met has none after it. */
static span some_word(uint64_t *state, const uint8_t *data, size_t size)
{
    span s = some_line(state, data, size);
    size_t at = s.from + mutate_pick(state, s.n), end = s.from + s.n;
    while (at > s.from && data[at - 1] != ' ')
        at--;
    size_t stop = at;
    while (stop < end && data[stop] != ' ' && data[stop] != '\n')
        stop++;
    return (span){at, stop - at};
}

/* Puts `with` in the place of the span. Returns the new size, or the old if it does not fit. */
static size_t replace(uint8_t *data, size_t size, size_t max, span s, const uint8_t *with, size_t n)
{
    if (size - s.n + n > max)
        return size;
    memmove(data + s.from + n, data + s.from + s.n, size - s.from - s.n);
    if (n)
        memcpy(data + s.from, with, n);
    return size - s.n + n;
}

static size_t new_number(uint64_t *state, uint8_t *data, size_t size, size_t max)
{
    char text[32], digits[32] = "";
    span s = some_word(state, data, size);
    memcpy(digits, data + s.from, s.n < 20 ? s.n : 20);
    uint64_t v = mutate_number(state, strtoull(digits, NULL, 10));
    static const char *const before[] = {"", "", "", "-", "0."};
    int n =
        snprintf(text, sizeof text, "%s%llu", before[mutate_pick(state, 5)], (unsigned long long)v);
    return replace(data, size, max, s, (const uint8_t *)text, (size_t)n);
}

/* Copies of parts, since `replace` moves what they come from. */
static size_t put_copy(uint8_t *data, size_t size, size_t max, span to, span from)
{
    uint8_t *copy = malloc(from.n + 1);
    if (!copy)
        return size;
    memcpy(copy, data + from.from, from.n);
    size = replace(data, size, max, to, copy, from.n);
    free(copy);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint64_t state = seed;
    if (size == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    span a = some_line(&state, data, size), b = some_line(&state, data, size);
    switch (mutate_pick(&state, 8)) {
    case 0: /* drop a line */
        return replace(data, size, max_size, a, NULL, 0);
    case 1: /* repeat one elsewhere */
        return put_copy(data, size, max_size, (span){a.from, 0}, b);
    case 2:
        return put_copy(data, size, max_size, a, b);
    case 3:
        a = some_word(&state, data, size);
        return put_copy(data, size, max_size, a, some_word(&state, data, size));
    case 4:
    case 5:
        return new_number(&state, data, size, max_size);
    default:
        return LLVMFuzzerMutate(data, size, max_size);
    }
}
