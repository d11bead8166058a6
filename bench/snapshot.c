/* What snapshots cost the thread that learns, in time and in memory.
 *
 *   snapshot cost LEARNER SOURCE...
 *   snapshot rate LEARNER MS SLICE SLICES SOURCE...
 *   snapshot peak LEARNER MS SLICE SLICES SOURCE...
 *
 * SOURCE is `text FILE` (one example a line, label<TAB>words), `numbers LABELS FEATURES` or `names
 * LABELS FEATURES`. The last two are examples of 20 features drawn uniformly from so many, with a
 * random label. That is the worst case: few examples touch many segments of rows.
 *
 * `cost` builds a model of three draws for each feature and takes snapshots of it.
 *
 * `rate` teaches two models the same SLICES slices of SLICE batches. Of one of them a snapshot is
 * taken every MS milliseconds of its learning, and the one before is freed, as in a service whose
 * readers move on to the newest. The models take turns slice by slice, so that a busy machine is
 * busy for both. A slice should take about as long as the interval, since the models evict each
 * other's rows from the caches at each turn. `peak` teaches one model in the same way (MS 0:
 * without snapshots).
 *
 * Batches of 1000 examples are filled, by generating or by parsing, before they are learned. The
 * time of learning includes looking names up, scoring, updating, taking snapshots and freeing them;
 * filling is timed apart. All times are processor time of this thread: pages that the kernel zeroes
 * for it count, and other programs on the machine do not. bench/snapshot makes tables of what is
 * printed. */
#include "thresh.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ACTIVE      20
#define BATCH       1000
#define DRAWS       3 /* of each feature, while the model of `cost` is built: 95 % are met */
#define MOST_LABELS 64
#define STEPS       3
#define ONCE        1e9 /* seconds between snapshots: only the first one comes */
#define MB          (1024.0 * 1024.0)

typedef struct source {
    FILE *text; /* NULL: drawn */
    bool names;
    unsigned labels;
    uint64_t features, state;
    char label[MOST_LABELS][16];
    char *line;
    size_t room;
} source;

typedef struct pupil {
    thr_model *model;
    thr_scratch *scratch;
    const thr_model *newest; /* snapshot, or NULL */
    size_t taken;            /* snapshots so far */
    double every, due;       /* seconds of learning between two, and when the next comes; 0: none */
    double learning;         /* seconds so far, with snapshots and freeing them */
} pupil;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *why)
{
    fprintf(stderr, "snapshot: %s\n", why);
    exit(1);
}

/* Resident memory in bytes: now, and at its peak. */
static double resident(void)
{
    long all, here = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &here) != 2)
        stop("cannot read /proc/self/statm");
    fclose(f);
    return (double)here * (double)sysconf(_SC_PAGESIZE);
}

static double peak_so_far(void)
{
    char line[128];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kb) == 1)
            break;
    if (!f || !kb)
        stop("cannot read VmHWM in /proc/self/status");
    fclose(f);
    return (double)kb * 1024;
}

/* ---- examples ----------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *state)
{
    uint64_t x = (*state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void source_open(source *s, int argc, char **argv)
{
    *s = (source){.state = 1};
    if (argc == 2 && strcmp(argv[0], "text") == 0) {
        s->text = fopen(argv[1], "r");
        if (!s->text)
            stop("cannot open the text");
        return;
    }
    if (argc != 3)
        stop("a source is text FILE, numbers LABELS FEATURES or names LABELS FEATURES");
    s->names = strcmp(argv[0], "names") == 0;
    s->labels = (unsigned)strtoul(argv[1], NULL, 10);
    s->features = strtoull(argv[2], NULL, 10);
    if (s->labels < 2 || s->labels > MOST_LABELS || s->features == 0)
        stop("2 to 64 labels and at least one feature were expected");
    for (unsigned i = 0; i < s->labels; i++)
        snprintf(s->label[i], sizeof s->label[i], "c%u", i);
}

static void source_close(source *s)
{
    if (s->text)
        fclose(s->text);
    free(s->line);
}

static void add_feature(source *s, thr_batch *b)
{
    char name[24];
    uint64_t feature = draw(&s->state) % s->features;
    if (!s->names) {
        thr_batch_add_key(b, feature, 1);
        return;
    }
    snprintf(name, sizeof name, "w%llu", (unsigned long long)feature);
    thr_batch_add(b, NULL, name, 1);
}

static void add_drawn(source *s, thr_batch *b, const thr_model *m)
{
    thr_batch_begin(b);
    thr_batch_set_label(b, s->label[draw(&s->state) % s->labels]);
    for (int k = 0; k < ACTIVE; k++)
        add_feature(s, b);
    thr_batch_end(b, m);
}

static void add_line(source *s, thr_batch *b, const thr_model *m)
{
    thr_error err;
    ssize_t n = getline(&s->line, &s->room, s->text);
    if (n <= 0)
        stop("the text has too few lines");
    if (thr_batch_parse(b, m, "text", true, s->line, (size_t)n - (s->line[n - 1] == '\n'), &err))
        stop(err.message);
}

/* Returns the seconds it took. `m` has the settings of those who will learn from the batch. */
static double fill(source *s, thr_batch *b, size_t n, const thr_model *m)
{
    double begun = now();
    thr_batch_clear(b);
    for (size_t i = 0; i < n; i++)
        if (s->text)
            add_line(s, b, m);
        else
            add_drawn(s, b, m);
    return now() - begun;
}

static thr_batch *new_batch(void)
{
    thr_batch *b = thr_batch_new();
    if (!b)
        stop("out of memory");
    return b;
}

/* ---- pupils ------------------------------------------------------------------------------- */

static void pupil_open(pupil *p, const char *learner, double every)
{
    thr_error err;
    thr_settings *s = thr_settings_new();
    *p = (pupil){.scratch = thr_scratch_new(), .every = every, .due = every};
    if (!s || !p->scratch)
        stop("out of memory");
    if (thr_settings_set(s, "learner", learner, &err) || !(p->model = thr_model_new(s, &err)))
        stop(err.message);
    thr_settings_free(s);
}

static void pupil_close(pupil *p)
{
    thr_model_free(p->newest);
    thr_model_free(p->model);
    thr_scratch_free(p->scratch);
}

static const thr_model *take(pupil *p)
{
    thr_error err;
    const thr_model *snapshot = thr_model_snapshot(p->model, &err);
    if (!snapshot)
        stop(err.message);
    return snapshot;
}

/* Learns a batch, and takes a snapshot if it is time. */
static void learn(pupil *p, thr_batch *b)
{
    thr_error err;
    double begun = now();
    if (thr_learn(p->model, p->scratch, b, NULL, &err))
        stop(err.message);
    if (p->every > 0 && p->learning + now() - begun >= p->due) {
        thr_model_free(p->newest);
        p->newest = take(p);
        p->taken++;
        p->due = p->learning + now() - begun + p->every;
    }
    p->learning += now() - begun;
}

/* Learns n examples; returns the seconds it took. */
static double learn_some(pupil *p, source *s, thr_batch *b, size_t n)
{
    double before = p->learning;
    for (size_t some; n > 0; n -= some) {
        some = n < BATCH ? n : BATCH;
        fill(s, b, some, p->model);
        learn(p, b);
    }
    return p->learning - before;
}

/* ---- what one snapshot costs -------------------------------------------------------------- */

/* A model, the source of its examples, and the batch they are filled into. */
typedef struct lesson {
    pupil who;
    source from;
    thr_batch *batch;
} lesson;

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double teach(lesson *l, size_t n)
{
    return learn_some(&l->who, &l->from, l->batch, n);
}

/* The least seconds of learning n examples, of so many times. */
static double teach_alone(lesson *l, size_t n, int times)
{
    double best = teach(l, n);
    for (int i = 1; i < times; i++)
        best = least(best, teach(l, n));
    return best;
}

/* The memory that a snapshot keeps once n examples were learned beside it. Free memory goes back to
 * the system first: resident memory does not grow by what is taken from it. */
static double kept_beside(lesson *l, size_t n)
{
    malloc_trim(0);
    double before = resident();
    const thr_model *s = take(&l->who);
    teach(l, n);
    double kept = resident() - before;
    thr_model_free(s);
    return kept;
}

static double give_back(const thr_model *snapshot)
{
    double begun = now();
    thr_model_free(snapshot);
    return now() - begun;
}

/* So many times a snapshot is taken and n examples are learned beside it; `at_once`: after it has
 * been freed again. Prints microseconds of the call, milliseconds of learning beside it and alone,
 * of freeing it, and the memory it keeps. The least of each time counts. */
static void cost_beside(lesson *l, size_t n, bool at_once, double alone, int times)
{
    double call = 1e9, beside = 1e9, freeing = 1e9;
    double kept = at_once ? 0 : kept_beside(l, n);
    for (int i = 0; i < times; i++) {
        double begun = now();
        const thr_model *s = take(&l->who);
        call = least(call, now() - begun);
        if (at_once)
            freeing = least(freeing, give_back(s));
        beside = least(beside, teach(l, n));
        if (!at_once)
            freeing = least(freeing, give_back(s));
    }
    printf("%s\t%zu\t%.1f\t%.3f\t%.3f\t%.3f\t%.1f\n", at_once ? "freed" : "beside", n, 1e6 * call,
           1e3 * beside, 1e3 * alone, 1e3 * freeing, kept / MB);
}

/* The first snapshot of a model, and a second with nothing learned in between. */
static void cost_of_calls(lesson *l)
{
    static const char *const which[] = {"first", "second"};
    const thr_model *s[2];
    for (int i = 0; i < 2; i++) {
        double before = resident(), begun = now();
        s[i] = take(&l->who);
        double seconds = now() - begun;
        printf("%s\t%.1f\t%.1f\n", which[i], 1e6 * seconds, (resident() - before) / MB);
    }
    thr_model_free(s[0]);
    thr_model_free(s[1]);
}

static void cost_of_snapshots(lesson *l)
{
    static const size_t steps[STEPS] = {1, 1000, 100000};
    static const int times[STEPS] = {15, 5, 4};
    double alone[STEPS];
    for (int i = 0; i < STEPS; i++)
        alone[i] = teach_alone(l, steps[i], times[i]);
    cost_of_calls(l);
    for (int i = 0; i < STEPS; i++)
        cost_beside(l, steps[i], false, alone[i], times[i]);
    cost_beside(l, steps[1], true, alone[1], times[1]);
}

static void cost(const char *learner, int argc, char **argv)
{
    lesson l = {.batch = new_batch()};
    pupil_open(&l.who, learner, 0);
    source_open(&l.from, argc, argv);
    double before = resident();
    teach(&l, (size_t)l.from.features * DRAWS / ACTIVE);
    printf("model\t%zu\t%.0f\n", thr_model_features(l.who.model) - 1, (resident() - before) / MB);
    cost_of_snapshots(&l);
    malloc_trim(0);
    printf("left\t%.0f\n", (resident() - before) / MB);
    pupil_close(&l.who);
    source_close(&l.from);
    thr_batch_free(l.batch);
}

/* ---- a snapshot every so often ------------------------------------------------------------ */

/* Snapshots must not change what is learned. */
static void check_alike(const pupil *a, const pupil *b)
{
    thr_stats x, y;
    thr_model_stats(a->model, &x);
    thr_model_stats(b->model, &y);
    if (x.examples != y.examples || x.mistakes != y.mistakes || x.updates != y.updates)
        stop("the model with snapshots learned something else");
}

/* Before slice n the only snapshot becomes due, or is freed. */
static void at_slice(pupil *p, size_t n, size_t slices)
{
    if (n == slices / 4)
        p->due = 0;
    if (n == slices / 2) {
        thr_model_free(p->newest);
        p->newest = NULL;
    }
}

/* Prints a line for each slice: seconds of the pupil without snapshots, of the one with them, the
 * snapshots it has taken so far, and seconds of filling. */
static void rate(const char *learner, double every, size_t slice, size_t slices, source *s)
{
    pupil p[2];
    thr_batch **b = calloc(slice, sizeof(thr_batch *));
    for (size_t i = 0; b && i < slice; i++)
        b[i] = new_batch();
    pupil_open(&p[0], learner, 0);
    pupil_open(&p[1], learner, every);
    for (size_t n = 0; b && n < slices; n++) {
        if (every >= ONCE)
            at_slice(&p[1], n, slices);
        double filling = 0, before[2] = {p[0].learning, p[1].learning};
        for (size_t i = 0; i < slice; i++)
            filling += fill(s, b[i], BATCH, p[0].model);
        for (size_t k = 0; k < 2; k++) /* either goes first every other time */
            for (size_t i = 0; i < slice; i++)
                learn(&p[(n + k) % 2], b[i]);
        printf("%.6f\t%.6f\t%zu\t%.6f\n", p[0].learning - before[0], p[1].learning - before[1],
               p[1].taken, filling);
    }
    check_alike(&p[0], &p[1]);
    for (size_t i = 0; b && i < slice; i++)
        thr_batch_free(b[i]);
    free(b);
    pupil_close(&p[0]);
    pupil_close(&p[1]);
}

static void peak(const char *learner, double every, size_t examples, source *s)
{
    pupil p;
    thr_batch *b = new_batch();
    double before = resident();
    pupil_open(&p, learner, every);
    learn_some(&p, s, b, examples);
    printf("%.1f\n", (peak_so_far() - before) / MB);
    pupil_close(&p);
    thr_batch_free(b);
}

static void repeated(char **argv, int source_args, char **source_arg)
{
    source s;
    double every = strcmp(argv[3], "once") == 0 ? ONCE : atof(argv[3]) / 1000;
    size_t slice = strtoul(argv[4], NULL, 10), slices = strtoul(argv[5], NULL, 10);
    source_open(&s, source_args, source_arg);
    if (strcmp(argv[1], "rate") == 0)
        rate(argv[2], every, slice, slices, &s);
    else
        peak(argv[2], every, slice * slices * BATCH, &s);
    source_close(&s);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (argc >= 4 && strcmp(mode, "cost") == 0)
        cost(argv[2], argc - 3, argv + 3);
    else if (argc >= 7 && (strcmp(mode, "rate") == 0 || strcmp(mode, "peak") == 0))
        repeated(argv, argc - 6, argv + 6);
    else
        stop("usage: snapshot cost LEARNER SOURCE..., or rate or peak LEARNER MS SLICE SLICES "
             "SOURCE...");
    return 0;
}
