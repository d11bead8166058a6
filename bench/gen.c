/* The workloads of bench/bench, the same bytes on every machine.
 *
 *   gen sparse FORMAT FIRST N
 *     75 real-valued features each, out of a million ids (Zipf), two labels by a random hyperplane,
 *     one in twenty turned; svmlight, vw, snow or jsonl
 *   gen hashed FORMAT FIRST N
 *     the same, but ids are hashes of 32 bits
 *   gen table FORMAT FIRST N
 *     the same, but all of 30 columns; csv, too
 *   gen text FORMAT FIRST N
 *     60 words each, out of a vocabulary of 200,000 (Zipf), 20 classes; text, fasttext, csv, jsonl,
 *     vw, snow or svmlight
 *   gen labels:K FORMAT FIRST N
 *     20 words each, K classes in turn; the formats of `text`
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
#define COLUMNS 30
#define NOISE   0.05
#define WORDS   200000u
#define LENGTH  60
#define CLASSES 20
#define TOPICAL 0.07 /* the share of words that the class chooses */
#define SPARSE  UINT64_C(0x5eed0001)
#define TEXT    UINT64_C(0x5eed0002)
/* Of many classes: */
#define SHORT       20
#define MORE_TOPICS 0.3

/* How a format writes an example: the head with its label, for each feature what stands before the
 * first and before the others, between name and value, and behind the value, and then the end.
 * `named` formats have the words themselves and not their numbers. */
typedef struct style {
    const char *format, *head, *first, *next, *colon, *close, *end;
    bool named;
    const char *header; /* the first line, or NULL */
} style;

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

static char *put(char *to, const char *text)
{
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

/* A row of numbers. Only a format with a header has columns without ids. */
static void put_numbers(const style *s, const uint32_t *id, int n, thr_random *r)
{
    int64_t value[ACTIVE];
    double score = 0;
    for (int i = 0; i < n; i++) {
        value[i] = (int64_t)thr_random_below(r, 1999999) - 999999;
        score += target_of(id[i]) * (double)value[i];
    }
    bool positive = (score > 0) != (thr_random_real(r) < NOISE);
    char line[4096], *to = line;
    to += sprintf(to, s->head, positive ? "1" : "-1");
    for (int i = 0; i < n; i++) {
        to = put(to, i ? s->next : s->first);
        if (!s->header)
            to = put_number(to, id[i]);
        to = put_value(put(to, s->colon), value[i]);
        to = put(to, s->close);
    }
    to = put(to, s->end);
    fwrite(line, 1, (size_t)(to - line), stdout);
}

static void numbers_example(const style *s, uint64_t number, bool by_hash)
{
    thr_random r;
    uint32_t id[ACTIVE];
    thr_random_init(&r, thr_mix64(SPARSE) ^ number);
    for (int i = 0; i < ACTIVE;) {
        id[i] = id_of_rank(zipf(&r, log_ids, IDS));
        i += !is_among(id, i, id[i]);
    }
    for (int i = 0; i < ACTIVE && by_hash; i++)
        id[i] = hashed(id[i]);
    qsort(id, ACTIVE, sizeof *id, ascending);
    put_numbers(s, id, ACTIVE, &r);
}

static void sparse_example(const style *s, uint64_t number, unsigned classes)
{
    (void)classes;
    numbers_example(s, number, false);
}

static void hashed_example(const style *s, uint64_t number, unsigned classes)
{
    (void)classes;
    numbers_example(s, number, true);
}

static void table_example(const style *s, uint64_t number, unsigned classes)
{
    (void)classes;
    thr_random r;
    uint32_t id[COLUMNS];
    thr_random_init(&r, thr_mix64(SPARSE) ^ number);
    for (uint32_t i = 0; i < COLUMNS; i++)
        id[i] = i + 1;
    put_numbers(s, id, COLUMNS, &r);
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

static void put_words(const style *s, unsigned label, uint32_t *word, int n)
{
    char line[4096], name[16], *to = line;
    sprintf(name, "%u", label + 1);
    to += sprintf(to, s->head, name);
    if (!s->named)
        qsort(word, (size_t)n, sizeof *word, ascending);
    for (int i = 0; i < n; i++) {
        if (!s->named && i && word[i] == word[i - 1])
            continue;
        to = put(to, i ? s->next : s->first);
        to = s->named ? put_word(to, word[i]) : put_number(to, word[i] + 1);
        to = put(to, s->close);
    }
    to = put(to, s->end);
    fwrite(line, 1, (size_t)(to - line), stdout);
}

static void draw_words(thr_random *r, unsigned label, double share, uint32_t *word, int n)
{
    for (int i = 0; i < n; i++) {
        bool own = thr_random_real(r) < share;
        uint32_t rank = zipf(r, log_words, WORDS);
        word[i] = own ? topical(rank, label) : rank;
    }
}

static void text_example(const style *s, uint64_t number, unsigned classes)
{
    thr_random r;
    uint32_t word[LENGTH];
    thr_random_init(&r, thr_mix64(TEXT) ^ number);
    unsigned label = (unsigned)thr_random_below(&r, classes);
    draw_words(&r, label, TOPICAL, word, LENGTH);
    put_words(s, label, word, LENGTH);
}

/* Every class once in `classes` examples; 611953 is prime. */
static void labels_example(const style *s, uint64_t number, unsigned classes)
{
    thr_random r;
    uint32_t word[SHORT];
    thr_random_init(&r, thr_mix64(TEXT) ^ number);
    unsigned label = (unsigned)(number % classes * 611953 % classes);
    draw_words(&r, label, MORE_TOPICS, word, SHORT);
    put_words(s, label, word, SHORT);
}

static const style numbers[] = {
    {.format = "svmlight", "%s", " ", " ", ":", "", "\n"},
    {.format = "vw", "%s |", " ", " ", ":", "", "\n"},
    {.format = "snow", "%s", ", ", ", ", "(", ")", ":\n"},
    {.format = "jsonl", "{\"label\": %s, \"features\": {", "\"", ", \"", "\": ", "", "}}\n"},
    {.format = NULL},
};

/* 30 columns. */
static const style table[] = {
    {.format = "svmlight", "%s", " ", " ", ":", "", "\n"},
    {.format = "csv",
     "%s",
     ",",
     ",",
     "",
     "",
     "\n",
     .header = "label,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16,c17,c18,c19,c20,c21,"
               "c22,c23,c24,c25,c26,c27,c28,c29,c30\n"},
    {.format = "vw", "%s |", " ", " ", ":", "", "\n"},
    {.format = "snow", "%s", ", ", ", ", "(", ")", ":\n"},
    {.format = "jsonl", "{\"label\": %s, \"features\": {", "\"", ", \"", "\": ", "", "}}\n"},
    {.format = NULL},
};

static const style words[] = {
    {.format = "text", "class%s\t", "", " ", "", "", "\n", .named = true},
    {.format = "fasttext", "__label__class%s", " ", " ", "", "", "\n", .named = true},
    {.format = "csv", "class%s", ",", " ", "", "", "\n", .named = true, .header = "label,text\n"},
    {.format = "jsonl",
     "{\"label\": \"class%s\", \"text\": \"",
     "",
     " ",
     "",
     "",
     "\"}\n",
     .named = true},
    {.format = "vw", "%s |", " ", " ", "", "", "\n", .named = true},
    {.format = "snow", "%s", ", ", ", ", "", "", ":\n", .named = true},
    {.format = "svmlight", "%s", " ", " ", "", ":1", "\n"},
    {.format = NULL},
};

static const struct kind {
    const char *name;
    void (*example)(const style *s, uint64_t number, unsigned classes);
    const style *styles;
} kinds[] = {
    {"sparse", sparse_example, numbers}, {"hashed", hashed_example, numbers},
    {"table", table_example, table},     {"text", text_example, words},
    {"labels", labels_example, words},   {NULL, NULL, NULL},
};

static int usage(void)
{
    fprintf(stderr, "usage: gen KIND FORMAT FIRST N, where kinds and formats are\n");
    for (const struct kind *k = kinds; k->name; k++) {
        fprintf(stderr, "  %s%s:", k->name, k->example == labels_example ? ":K" : "");
        for (const style *s = k->styles; s->format; s++)
            fprintf(stderr, " %s", s->format);
        fprintf(stderr, "\n");
    }
    return 2;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return usage();
    const struct kind *kind = kinds;
    size_t n_name = strcspn(argv[1], ":");
    while (kind->name && (strlen(kind->name) != n_name || memcmp(argv[1], kind->name, n_name) != 0))
        kind++;
    const style *s = kind->styles;
    while (s && s->format && strcmp(argv[2], s->format) != 0)
        s++;
    unsigned long classes = argv[1][n_name] ? strtoul(argv[1] + n_name + 1, NULL, 10) : CLASSES;
    if (!s || !s->format || classes == 0 || classes > 1000000)
        return usage();
    uint64_t first = strtoull(argv[3], NULL, 10), n = strtoull(argv[4], NULL, 10);
    log_ids = thr_log(IDS + 1.0);
    log_words = thr_log(WORDS + 1.0);
    if (s->header)
        fputs(s->header, stdout);
    for (uint64_t i = first; i < first + n; i++)
        kind->example(s, i, (unsigned)classes);
    return fflush(stdout) || ferror(stdout);
}
