/* What the machine can do: the plainest loops over the workloads of bench/gen, without a single
 * check of the input. Not a tool: wrong input makes it crash or worse.
 *
 *   floor read FILE          the bytes are looked at
 *   floor parse FILE         svmlight with values of six decimals: ids and values are read
 *   floor dot FILE           ... and multiplied with weights
 *   floor pa FILE            ... and a passive-aggressive rule (PA-I, C = 1) learns from them
 *   floor pairs FILE > RAW   ids and values as they are in memory, eight bytes each
 *   floor pass RAW           pa over these
 *   floor words FILE         label, tab, words: split and hashed
 *   floor perceptron FILE    ... and a perceptron for 20 classes learns by slots of the hash
 *
 * Prints what was computed, so that it must be, and the seconds taken. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IDS     (1u << 20)
#define LONGEST 4096
#define SLOTS   (1u << 18)
#define CLASSES 20

typedef struct pair {
    uint32_t id;
    float x;
} pair;

static const char *open_file(const char *name, const char **end)
{
    struct stat st;
    int fd = open(name, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) || st.st_size == 0) {
        perror(name);
        exit(1);
    }
    const char *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (p == MAP_FAILED) {
        perror(name);
        exit(1);
    }
    close(fd);
    *end = p + st.st_size;
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* The digits at p, at most eight, word at a time. */
static inline const char *take_id(const char *p, uint32_t *id)
{
    uint64_t t;
    memcpy(&t, p, 8);
    t ^= UINT64_C(0x3030303030303030);
    uint64_t other = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
    int n = other ? __builtin_ctzll(other) / 8 : 8;
    t <<= 64 - 8 * n;
    t = (t * 10 + (t >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    t = (t * 100 + (t >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *id = (uint32_t)(t * 10000 + (t >> 32));
    return p + n;
}

/* [-]D.DDDDDD: the digits behind the point and the one before it as eight bytes. */
static inline const char *take_value(const char *p, float *x)
{
    float sign = *p == '-' ? -1e-6f : 1e-6f;
    p += *p == '-';
    uint64_t t;
    memcpy(&t, p, 8);
    t = ((t & ~UINT64_C(0xffff)) | (t & 0xff) << 8) ^ UINT64_C(0x3030303030303000);
    t = (t * 10 + (t >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    t = (t * 100 + (t >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *x = (float)(int32_t)(uint32_t)(t * 10000 + (t >> 32)) * sign;
    return p + 8;
}

/* One line; the byte behind it is returned. */
static inline const char *take_line(const char *p, float *y, pair *out, size_t *n)
{
    *y = *p == '-' ? -1 : 1;
    p += *p == '-' ? 2 : 1;
    size_t i = 0;
    for (; *p == ' '; i++) {
        p = take_id(p + 1, &out[i].id);
        p = take_value(p + 1, &out[i].x);
    }
    *n = i;
    return p + 1;
}

/* ---- learning ----------------------------------------------------------------------------- */

static inline float dot(const float *w, const pair *x, size_t n)
{
    float a = 0, b = 0;
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        a += w[x[i].id] * x[i].x;
        b += w[x[i + 1].id] * x[i + 1].x;
    }
    return i < n ? a + b + w[x[i].id] * x[i].x : a + b;
}

static inline float learn(float *w, float y, const pair *x, size_t n)
{
    float score = dot(w, x, n), loss = 1 - y * score, norm2 = 0;
    if (loss <= 0)
        return score;
    for (size_t i = 0; i < n; i++)
        norm2 += x[i].x * x[i].x;
    float tau = loss / norm2;
    tau = (tau < 1 ? tau : 1) * y;
    for (size_t i = 0; i < n; i++)
        w[x[i].id] += tau * x[i].x;
    return score;
}

/* ---- the loops ---------------------------------------------------------------------------- */

static double loop_read(const char *p, const char *end)
{
    uint64_t sum = 0, t;
    for (; p + 8 <= end; p += 8) {
        memcpy(&t, p, 8);
        sum += t;
    }
    return (double)sum;
}

static double loop_parse(const char *p, const char *end)
{
    pair x[LONGEST];
    float y;
    double sum = 0;
    while (p + LONGEST < end) {
        size_t n;
        p = take_line(p, &y, x, &n);
        sum += (double)(x[n - 1].x * y) + x[n / 2].id;
    }
    return sum;
}

static double loop_dot(const char *p, const char *end)
{
    float *w = calloc(IDS, sizeof *w), y;
    pair x[LONGEST];
    double sum = 0;
    for (size_t i = 0, n; p + LONGEST < end; i++) {
        p = take_line(p, &y, x, &n);
        sum += (double)dot(w, x, n);
        w[i & (IDS - 1)] = y;
    }
    free(w);
    return sum;
}

static double loop_pa(const char *p, const char *end)
{
    float *w = calloc(IDS, sizeof *w), y;
    pair x[LONGEST];
    double wrong = 0;
    for (size_t n; p + LONGEST < end;) {
        p = take_line(p, &y, x, &n);
        wrong += learn(w, y, x, n) * y <= 0;
    }
    free(w);
    return wrong;
}

/* All pairs, each example behind one with its length and label. */
static int write_pairs(const char *p, const char *end)
{
    pair x[LONGEST + 1];
    for (size_t n; p + LONGEST < end;) {
        float y;
        p = take_line(p, &y, x + 1, &n);
        x[0] = (pair){(uint32_t)n, y};
        if (fwrite(x, sizeof *x, n + 1, stdout) != n + 1)
            return 1;
    }
    return fflush(stdout) != 0;
}

static double loop_pass(const char *p, const char *end)
{
    const pair *at = (const void *)p, *last = (const void *)end;
    float *w = calloc(IDS, sizeof *w);
    double wrong = 0;
    for (; at < last; at += at->id + 1)
        wrong += learn(w, at->x, at + 1, at->id) * at->x <= 0;
    free(w);
    return wrong;
}

/* The slot of a word that ends at a blank or a line's end. */
static inline const char *take_word(const char *p, uint32_t *slot)
{
    uint64_t h = 0;
    while ((unsigned char)*p > ' ')
        h = (h + (unsigned char)*p++) * UINT64_C(0x9e3779b97f4a7c15);
    *slot = (uint32_t)(h >> 46);
    return p;
}

static double loop_words(const char *p, const char *end)
{
    double sum = 0;
    uint32_t slot;
    for (; p < end; p++) {
        p = take_word(p, &slot);
        sum += slot;
    }
    return sum;
}

static const char *take_text(const char *p, const char *end, unsigned *label, uint32_t *slot,
                             size_t *n)
{
    *label = 0;
    for (; *p != '\t'; p++)
        if (*p >= '0' && *p <= '9')
            *label = *label * 10 + (unsigned)(*p - '0');
    *n = 0;
    while (p < end && *p != '\n')
        p = take_word(p + 1, &slot[(*n)++]);
    return p + 1;
}

static double loop_perceptron(const char *p, const char *end)
{
    float(*w)[CLASSES] = calloc(SLOTS, sizeof *w);
    uint32_t slot[LONGEST];
    double wrong = 0;
    for (size_t n; p < end;) {
        unsigned label, best = 0;
        float score[CLASSES] = {0};
        p = take_text(p, end, &label, slot, &n);
        label = (label - 1) % CLASSES;
        for (size_t i = 0; i < n; i++)
            for (unsigned c = 0; c < CLASSES; c++)
                score[c] += w[slot[i]][c];
        for (unsigned c = 1; c < CLASSES; c++)
            best = score[c] > score[best] ? c : best;
        wrong += best != label;
        for (size_t i = 0; i < n && best != label; i++) {
            w[slot[i]][label] += 1;
            w[slot[i]][best] -= 1;
        }
    }
    free(w);
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(const char *, const char *);
    } loops[] = {{"read", loop_read}, {"parse", loop_parse}, {"dot", loop_dot},
                 {"pa", loop_pa},     {"pass", loop_pass},   {"words", loop_words},
                 {"perceptron", loop_perceptron}};
    const char *p = NULL, *end;
    double begun = now(), result = 0;
    if (argc == 3)
        p = open_file(argv[2], &end);
    if (p && strcmp(argv[1], "pairs") == 0)
        return write_pairs(p, end);
    for (size_t i = 0; p && i < sizeof loops / sizeof *loops; i++)
        if (strcmp(argv[1], loops[i].name) == 0) {
            result = loops[i].run(p, end);
            printf("%s %.6g in %.3f s\n", argv[1], result, now() - begun);
            return 0;
        }
    fprintf(stderr, "usage: floor read|parse|dot|pa|pairs|pass|words|perceptron FILE\n");
    return 2;
}
