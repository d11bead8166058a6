/* The mutator of model files. It changes sections, not bytes of the file: numbers, settings, pieces
 * that are doubled or left out. Then it lays the file out again, with checksums that fit. Two files
 * are crossed by giving one a section of the other. */
#include "../unit/forge_help.h"
#include "mutate.h"

#include <stdio.h>

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b,
                                 uint8_t *out, size_t max_size, unsigned int seed);

/* A section, more often one that has more structure: rows have it if they are lists. */
static uint32_t pick_section(uint64_t *state, const forged *f)
{
    static const uint32_t often[] = {
        THR_SECTION_SETTINGS, THR_SECTION_LABELS, THR_SECTION_STATE,  THR_SECTION_STATE,
        THR_SECTION_STATE,    THR_SECTION_STATE,  THR_SECTION_SPACES, THR_SECTION_PAGES,
        THR_SECTION_SLOTS,    THR_SECTION_ORIGIN, THR_SECTION_ORIGIN, THR_SECTION_HEAP,
        THR_SECTION_BUCKETS,
    };
    size_t n = sizeof often / sizeof *often, at = mutate_pick(state, n + (f->listed ? 12 : 4));
    uint32_t members = f->sections > THR_SECTIONS ? THR_SECTIONS : 0; /* a file may have none */
    return at < n ? often[at] : (uint32_t)(members + mutate_pick(state, f->sections - members));
}

/* Replaces the value of a setting. */
static void change_setting(uint64_t *state, forged *f)
{
    static const char *const values[] = {
        "0",
        "1",
        "2",
        "30",
        "-1",
        "nan",
        "1e300",
        "on",
        "off",
        "auto",
        "f1",
        "micro-f1",
        "a=3",
        "balanced",
        "all-pairs",
        "direct",
        "winnow",
        "eg",
        "knn",
        "kernel",
        "rules",
        "lp",
        "maxmargin",
        "bayes:kind=bernoulli",
        "voted",
        "panel",
        "pa+arow",
        "alma",
        "logistic:l1=1",
        "adagrad",
        "pegasos",
        "eliminate",
    };
    char *text = f->part[THR_SECTION_SETTINGS].p, *end = text + f->part[THR_SECTION_SETTINGS].n;
    size_t lines = 0;
    for (char *p = text; p < end; p++)
        lines += *p == '\n';
    char *line = text;
    for (size_t skip = mutate_pick(state, lines); skip && line < end; line++)
        skip -= *line == '\n';
    char *equals = memchr(line, '=', (size_t)(end - line));
    char *stop = equals ? memchr(equals, '\n', (size_t)(end - equals)) : NULL;
    if (!stop)
        return;
    const char *value = values[mutate_pick(state, sizeof values / sizeof *values)];
    size_t before = (size_t)(equals + 1 - text), after = (size_t)(end - stop), n = strlen(value);
    char *fresh = malloc(before + n + after + 1);
    if (!fresh)
        abort();
    memcpy(fresh, text, before);
    memcpy(fresh + before, value, n);
    memcpy(fresh + before + n, stop, after);
    forge_set(f, THR_SECTION_SETTINGS, fresh, before + n + after);
    free(fresh);
}

/* Leaves out or doubles a piece of a section. */
static void change_length(uint64_t *state, forged *f, uint32_t section)
{
    static const size_t sizes[] = {1, 4, 8, 12, 24, 32, 64, 4096};
    char *p = f->part[section].p;
    size_t n = f->part[section].n, size = sizes[mutate_pick(state, 8)];
    size = size < n ? size : n;
    size_t at = mutate_pick(state, (n - size) / 4 + 1) * 4;
    if (mutate_pick(state, 2)) {
        memmove(p + at, p + at + size, n - at - size);
        f->part[section].n -= size;
        return;
    }
    char *fresh = malloc(n + size + 1);
    if (!fresh)
        abort();
    memcpy(fresh, p, at + size);
    memcpy(fresh + at + size, p + at, n - at);
    forge_set(f, section, fresh, n + size);
    free(fresh);
}

/* Leaves it to libFuzzer, which knows the constants that the code compares with. */
static void change_bytes(forged *f, uint32_t section)
{
    size_t n = f->part[section].n, room = n + 64;
    uint8_t *fresh = calloc(room, 1);
    if (!fresh)
        abort();
    memcpy(fresh, f->part[section].p, n);
    n = LLVMFuzzerMutate(fresh, n, room);
    forge_set(f, section, fresh, n);
    free(fresh);
}

static void change(uint64_t *state, forged *f)
{
    uint32_t section = pick_section(state, f);
    switch (mutate_pick(state, 12)) {
    case 0:
        change_setting(state, f);
        break;
    case 1:
        change_length(state, f, section);
        break;
    case 2:
    case 3:
        change_bytes(f, section);
        break;
    case 4:
        f->listed ^= mutate_pick(state, 8) == 0 ? 1 + mutate_pick(state, 7) : 0;
        f->version = f->listed ? THR_FILE_LISTED : THR_FILE_PLAIN;
        f->flags ^= mutate_pick(state, 8) == 0 ? THR_FILE_LEAN | THR_FILE_BARE : 0;
        mutate_word(state, f->part[section].p, f->part[section].n);
        break;
    default:
        mutate_word(state, f->part[section].p, f->part[section].n);
    }
}

/* Copies the file to `out`, if there is room. */
static size_t put(forged *f, uint8_t *out, size_t max_size)
{
    size_t size;
    char *file = forge_file(f, &size);
    if (size <= max_size)
        memcpy(out, file, size);
    free(file);
    forge_clear(f);
    return size <= max_size ? size : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    forged f;
    uint64_t state = seed;
    if (!forge_open(&f, data, size))
        return LLVMFuzzerMutate(data, size, max_size);
    for (size_t times = 1 + mutate_pick(&state, 3); times; times--)
        change(&state, &f);
    return put(&f, data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b,
                                 uint8_t *out, size_t max_size, unsigned int seed)
{
    forged f, other;
    uint64_t state = seed;
    if (!forge_open(&f, a, n_a))
        return 0;
    if (!forge_open(&other, b, n_b)) {
        forge_clear(&f);
        return 0;
    }
    uint32_t section = pick_section(&state, &f);
    if (section < other.sections)
        forge_set(&f, section, other.part[section].p, other.part[section].n);
    forge_clear(&other);
    return put(&f, out, max_size);
}
