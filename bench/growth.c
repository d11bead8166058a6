/* What an example costs as features, examples and labels grow in number, and whether any batch
 * waits while a table does: trains on examples made in memory and takes the time at every batch,
 * which is when training tells how far it is.
 *
 *   growth KIND FEATURES EXAMPLES LEARNER [labels=K] [SETTING=VALUE...]
 *
 * KIND is `names` (w1234:1), `numbers` (1234:1) or `fresh`: names of which every tenth has never
 * come before. Each example has 20 features drawn evenly, which is as hard on caches as can be, and
 * one of two labels, or of K.
 * Beyond MOST_MADE examples the same ones come again. All is done ROUNDS times, and for every batch
 * the least time counts: batches are the same each time, and what only one of them waited for was
 * the machine. Prints kind, features asked for and met, examples, nanoseconds per example (all;
 * median batch of the last quarter), the median, the slowest batch and the slowest over the median,
 * and peak memory. */
#include "thresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define ACTIVE    20
#define MOST_MADE 20000000
#define ROUNDS    2
#define BATCHES   (1 << 20)

typedef struct clock_of {
    double last;  /* when the batch before ended */
    double *step; /* the least time of each batch so far */
    size_t n;
    bool first; /* round */
} clock_of;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* others on the machine do not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool note(void *user, const thr_progress *p)
{
    (void)p;
    clock_of *c = user;
    double at = now(), step = at - c->last;
    if (c->n < BATCHES && (c->first || step < c->step[c->n]))
        c->step[c->n] = step;
    c->n += c->n < BATCHES;
    c->last = at;
    return false;
}

static uint64_t draw(uint64_t *state)
{
    uint64_t x = (*state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static char *write_examples(const char *kind, uint64_t features, uint64_t labels, uint64_t examples,
                            size_t *size)
{
    size_t room = (size_t)examples * (ACTIVE * 14 + 8);
    char *text = malloc(room), *p = text;
    uint64_t state = 1, met = 1;
    bool names = strcmp(kind, "numbers") != 0, fresh = strcmp(kind, "fresh") == 0;
    for (uint64_t i = 0; text && i < examples; i++) {
        int64_t label = (int64_t)(draw(&state) % labels);
        label = labels > 2 ? label + 1 : label ? 1 : -1;
        p += sprintf(p, names ? "%lld |" : "%lld", (long long)label);
        for (int k = 0; k < ACTIVE; k++) {
            uint64_t f = draw(&state) % (fresh ? met : features);
            if (fresh && k % 10 == 0 && met < features)
                f = met++;
            p += sprintf(p, names ? " w%llu" : " %llu:1", (unsigned long long)f);
        }
        *p++ = '\n';
    }
    *size = text ? (size_t)(p - text) : 0;
    return text;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_value);
    return n ? x[n / 2] : 0;
}

static int fail(const thr_error *err)
{
    fprintf(stderr, "growth: %s\n", err->message);
    return 1;
}

static void report(const char *const *argv, size_t features, uint64_t examples, clock_of *c)
{
    struct rusage use;
    double total = 0, most = 0, per_batch = (double)examples / (double)c->n;
    for (size_t i = 0; i < c->n; i++) {
        total += c->step[i];
        if (i > 0 && c->step[i] > most) /* the first batch opens the stream, too */
            most = c->step[i];
    }
    double late = median(c->step + c->n - c->n / 4, c->n / 4), middle = median(c->step, c->n);
    getrusage(RUSAGE_SELF, &use);
    printf("%s\t%s\t%zu\t%llu\t%.0f\t%.0f\t%.2f\t%.2f\t%.1f\t%ld\n", argv[1], argv[2], features,
           (unsigned long long)examples, 1e9 * total / (double)examples, 1e9 * late / per_batch,
           1e3 * middle, 1e3 * most, middle > 0 ? most / middle : 0, use.ru_maxrss / 1024);
}

/* Returns how many features were met, or 0. */
static size_t train(const thr_settings *s, thr_input *in, clock_of *c, thr_error *err)
{
    thr_model *m = thr_model_new(s, err);
    thr_train_options o = {.passes = 1, .progress = note, .user = c};
    c->n = 0;
    c->last = now();
    bool ok = m && thr_train(m, in, &o, NULL, err) == 0;
    size_t features = ok ? thr_model_features(m) - 1 : 0;
    thr_model_free(m);
    return features;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    thr_error err;
    uint64_t features = strtoull(argv[2], NULL, 10), examples = strtoull(argv[3], NULL, 10);
    thr_settings *s = thr_settings_new();
    if (!s || thr_settings_set(s, "learner", argv[4], &err))
        return fail(&err);
    uint64_t labels = 2;
    for (int i = 5; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals)
            return 2;
        *equals = '\0';
        if (strcmp(argv[i], "labels") == 0)
            labels = strtoull(equals + 1, NULL, 10);
        else if (thr_settings_set(s, argv[i], equals + 1, &err))
            return fail(&err);
    }
    if (labels < 2 || labels > 1000000)
        return 2;
    size_t size, met = 0;
    uint64_t made = examples < MOST_MADE ? examples : MOST_MADE;
    char *text = write_examples(argv[1], features, labels, made, &size);
    clock_of c = {.step = calloc(BATCHES, sizeof *c.step)};
    thr_input *in = thr_input_new();
    if (!text || !c.step || !in)
        return 1;
    thr_input_set_threads(in, 1);
    for (uint64_t done = 0; done < examples; done += made)
        if (thr_input_add_memory(in, text, size, "made", &err))
            return fail(&err);
    if (thr_input_set_format(in, strcmp(argv[1], "numbers") == 0 ? "svmlight" : "vw", &err))
        return fail(&err);
    for (int round = 0; round < ROUNDS; round++) {
        c.first = round == 0;
        if (!(met = train(s, in, &c, &err)))
            return fail(&err);
    }
    report((const char *const *)argv, met, examples, &c);
    thr_input_free(in);
    thr_settings_free(s);
    free(c.step);
    free(text);
    return 0;
}
