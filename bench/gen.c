/* The workloads of bench/bench, the same bytes on every machine.
 *
 *   gen sparse FORMAT FIRST N
 *     75 real-valued features each, out of a million ids (Zipf), two labels by a random hyperplane,
 *     one in twenty turned; svmlight or vw
 *   gen hashed FORMAT FIRST N
 *     the same, but ids are hashes of 32 bits
 *   gen text FORMAT FIRST N
 *     60 words each, out of a vocabulary of 200,000 (Zipf), 20 classes; text, vw, fasttext or
 *     svmlight
 *
 * Writes examples FIRST to FIRST + N - 1 to the standard output. Each has random numbers of its
 * own, so that a part held out is simply another range. Zipf: the logarithm of the rank is uniform.
 */
#include "base/mathx.h"
#include "base/number.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDS     1000000u
#define ACTIVE  75
#define NOISE   0.05
#define WORDS   200000u
#define LENGTH  60
#define CLASSES 20
#define TOPICAL 0.07 /* the share of words that the class chooses */
#define SPARSE  UINT64_C(0x5eed0001)
#define TEXT    UINT64_C(0x5eed0002)

enum format { SVMLIGHT, VW, PLAIN, FASTTEXT };

static double log_ids, log_words;

/* From 0 to n - 1, with a probability nearly proportional to 1 / (rank + 1). */
static uint32_t zipf(thr_random *r, double log_n, uint32_t n)
{
    uint32_t rank = (uint32_t)thr_exp(thr_random_real(r) * log_n) - 1;
    return rank < n ? rank : n - 1;
}

/* Ranks are spread over the ids: 611953 is prime, and so no factor of a million. */
static uint32_t id_of_rank(uint32_t rank)
{
    return (uint32_t)((uint64_t)rank * 611953 % IDS) + 1;
}

static uint32_t hashed(uint32_t id)
{
    return (uint32_t)thr_mix64(id);
}

static double target_of(uint32_t id)
{
    return (double)(thr_mix64(SPARSE ^ id) >> 11) * 0x1p-53 - 0.5;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool is_among(const uint32_t *id, int n, uint32_t wanted)
{
    for (int i = 0; i < n; i++)
        if (id[i] == wanted)
            return true;
    return false;
}

static char *put_number(char *to, uint64_t v)
{
    return to + thr_print_u64(v, to);
}

/* Millionths, as they were drawn. */
static char *put_value(char *to, int64_t millionths)
{
    if (millionths < 0)
        *to++ = '-';
    uint64_t v = (uint64_t)(millionths < 0 ? -millionths : millionths);
    *to++ = (char)('0' + v / 1000000);
    *to++ = '.';
    for (uint64_t unit = 100000; unit; unit /= 10)
        *to++ = (char)('0' + v / unit % 10);
    return to;
}

static void numbers_example(uint64_t number, enum format format, bool by_hash)
{
    thr_random r;
    uint32_t id[ACTIVE];
    int64_t value[ACTIVE];
    char line[4096], *to = line;
    double score = 0;
    thr_random_init(&r, thr_mix64(SPARSE) ^ number);
    for (int i = 0; i < ACTIVE;) {
        id[i] = id_of_rank(zipf(&r, log_ids, IDS));
        i += !is_among(id, i, id[i]);
    }
    for (int i = 0; i < ACTIVE && by_hash; i++)
        id[i] = hashed(id[i]);
    qsort(id, ACTIVE, sizeof *id, ascending);
    for (int i = 0; i < ACTIVE; i++) {
        value[i] = (int64_t)thr_random_below(&r, 1999999) - 999999;
        score += target_of(id[i]) * (double)value[i];
    }
    bool positive = (score > 0) != (thr_random_real(&r) < NOISE);
    to += sprintf(to, format == VW ? "%s |" : "%s", positive ? "1" : "-1");
    for (int i = 0; i < ACTIVE; i++) {
        *to++ = ' ';
        to = put_number(to, id[i]);
        *to++ = ':';
        to = put_value(to, value[i]);
    }
    *to++ = '\n';
    fwrite(line, 1, (size_t)(to - line), stdout);
}

static void sparse_example(uint64_t number, enum format format)
{
    numbers_example(number, format, false);
}

static void hashed_example(uint64_t number, enum format format)
{
    numbers_example(number, format, true);
}

/* A word of 2 to 10 letters, others for other numbers: the number in syllables, and an ending. */
static char *put_word(char *to, uint32_t word)
{
    static const char consonants[] = "bcdfghjklmnpqrstvwxz", vowels[] = "aeiou";
    uint32_t left = word;
    do {
        *to++ = consonants[left % 20];
        *to++ = vowels[left / 20 % 5];
        left /= 100;
    } while (left);
    for (uint64_t more = thr_mix64(TEXT ^ word) % 5; more; more--)
        *to++ = 'y';
    return to;
}

/* Words of a class are drawn as all are, and then exchanged for others by rank. */
static uint32_t topical(uint32_t rank, unsigned label)
{
    return (uint32_t)((rank + 997u * (label + 1) * 7919u) % WORDS);
}

static void text_example(uint64_t number, enum format format)
{
    thr_random r;
    char line[4096], *to = line;
    uint32_t word[LENGTH];
    thr_random_init(&r, thr_mix64(TEXT) ^ number);
    unsigned label = (unsigned)thr_random_below(&r, CLASSES);
    for (int i = 0; i < LENGTH; i++) {
        bool own = thr_random_real(&r) < TOPICAL;
        uint32_t rank = zipf(&r, log_words, WORDS);
        word[i] = own ? topical(rank, label) : rank;
    }
    static const char *const head[] = {"%u", "%u |", "class%u\t", "__label__class%u"};
    to += sprintf(to, head[format], label + 1);
    if (format == SVMLIGHT)
        qsort(word, LENGTH, sizeof *word, ascending);
    for (int i = 0; i < LENGTH; i++) {
        if (format == SVMLIGHT && i && word[i] == word[i - 1])
            continue;
        if (format != PLAIN || i)
            *to++ = ' ';
        if (format == SVMLIGHT) {
            to = put_number(to, word[i] + 1);
            to += sprintf(to, ":1");
        } else
            to = put_word(to, word[i]);
    }
    *to++ = '\n';
    fwrite(line, 1, (size_t)(to - line), stdout);
}

#define KINDS 3
static const struct kind {
    const char *name;
    void (*example)(uint64_t number, enum format format);
    unsigned formats; /* the first so many */
} kinds[KINDS] = {
    {"sparse", sparse_example, VW + 1},
    {"hashed", hashed_example, VW + 1},
    {"text", text_example, FASTTEXT + 1},
};

int main(int argc, char **argv)
{
    static const char *const formats[] = {"svmlight", "vw", "text", "fasttext"};
    unsigned format = 0, kind = 0;
    while (argc == 5 && kind < KINDS && strcmp(argv[1], kinds[kind].name))
        kind++;
    while (argc == 5 && format < 4 && strcmp(argv[2], formats[format]))
        format++;
    if (argc != 5 || kind == KINDS || format >= kinds[kind].formats) {
        fprintf(stderr, "usage: gen sparse|hashed svmlight|vw FIRST N\n"
                        "       gen text text|vw|fasttext|svmlight FIRST N\n");
        return 2;
    }
    uint64_t first = strtoull(argv[3], NULL, 10), n = strtoull(argv[4], NULL, 10);
    log_ids = thr_log(IDS + 1.0);
    log_words = thr_log(WORDS + 1.0);
    for (uint64_t i = first; i < first + n; i++)
        kinds[kind].example(i, (enum format)format);
    return fflush(stdout) || ferror(stdout);
}
