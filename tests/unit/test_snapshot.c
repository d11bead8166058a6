/* Snapshots: whatever the model learns afterwards, a snapshot has the bytes and the scores that the
 * model had when it was taken; and a clone learns as the model does, without either noticing. */
#include "snapshot_help.h"

#include "learner/learner.h"

#include <stdatomic.h>

enum { PARTS = 6, LINES = 60, LABELS = 16, PROBES = 8 };

/* ---- streams ---- */

/* Part p of a stream: names, namespaces, small and large integers, all of which go on growing, and
 * labels that come late. `numbers`: targets for regressors. */
static thr_bytes part_of(unsigned p, size_t lines, unsigned labels, bool numbers, bool values)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, 1000 + p);
    for (size_t i = 0; i < lines; i++) {
        unsigned label = (unsigned)thr_random_below(&r, labels);
        unsigned most = 40 + 400 * p;
        assert_true(numbers ? thr_bytes_printf(&b, "%g |", label / 4.0)
                            : thr_bytes_printf(&b, "c%u |", label));
        for (size_t k = 0; k < 9; k++) {
            unsigned f = (unsigned)thr_random_below(&r, most);
            f = thr_random_below(&r, 3) ? f : label;
            assert_true(thr_bytes_printf(&b,
                                         f % 4 == 0   ? " %u"
                                         : f % 4 == 1 ? " w%u"
                                         : f % 4 == 2 ? " 4%07u"
                                                      : " a_rather_long_name_of_feature_%u",
                                         f));
            if (values && f % 5 == 0)
                assert_true(thr_bytes_printf(&b, ":%g", (double)(1 + f % 7) / 4));
        }
        assert_true(thr_bytes_printf(&b, " |n%u x%u=1 y\n", (unsigned)thr_random_below(&r, p + 1),
                                     (unsigned)thr_random_below(&r, most)));
    }
    return b;
}

static unsigned labels_in(unsigned p, bool many)
{
    return many ? 2 + p : 2;
}

static void learn_part(thr_model *m, const thr_bytes *text)
{
    teach_bytes(m, "vw", text->p, text->n);
}

static void probe(const thr_model *m, double *out)
{
    thr_bytes text = part_of(3, PROBES, 2, false, false);
    size_t i = 0;
    memset(out, 0, PROBES * LABELS * sizeof *out);
    for (char *at = text.p, *end; *at; at = end + 1, i++) {
        end = strchr(at, '\n');
        *end = '\0';
        score_line(m, "vw", strchr(at, '|'), out + i * LABELS);
    }
    thr_bytes_clear(&text);
}

/* ---- one model and its snapshots ---- */

typedef struct moment {
    const thr_model *snapshot;
    thr_bytes bytes;
    double scores[PROBES * LABELS];
} moment;

static void assert_as_it_was(const moment *was, const char *what, int part)
{
    double scores[PROBES * LABELS];
    thr_bytes now = dumped(was->snapshot, false);
    if (now.n != was->bytes.n || memcmp(now.p, was->bytes.p, now.n) != 0)
        fail_msg("%s: the snapshot after part %d has other bytes", what, part);
    thr_bytes_clear(&now);
    probe(was->snapshot, scores);
    if (memcmp(scores, was->scores, sizeof scores) != 0)
        fail_msg("%s: the snapshot after part %d has other scores", what, part);
}

/* A clone goes another way than the model, and comes to what a model alone would be. */
static void diverge(const char *learner, const char *more, bool many, bool values, bool numbers,
                    const thr_model *snapshot)
{
    thr_error err = {0};
    thr_model *clone = thr_model_clone(snapshot, &err), *alone = make_model(learner, more);
    assert_non_null(clone);
    for (unsigned p = 0; p <= PARTS / 2; p++) {
        thr_bytes text = part_of(p, LINES, labels_in(p, many), numbers, values);
        learn_part(alone, &text);
        thr_bytes_clear(&text);
    }
    for (unsigned p = PARTS + 3; p > PARTS; p--) {
        thr_bytes text = part_of(p, LINES, labels_in(p, many), numbers, values);
        learn_part(alone, &text);
        learn_part(clone, &text);
        thr_bytes_clear(&text);
    }
    assert_same_model(alone, clone);
    thr_model_free(alone);
    thr_model_free(clone);
}

static void snapshots_of(const char *learner, const char *more, bool many, bool values)
{
    thr_error err = {0};
    bool numbers = strncmp(learner, "lms", 3) == 0 || strncmp(learner, "eg", 2) == 0;
    thr_model *m = make_model(learner, more), *clone = NULL;
    moment at[PARTS];
    for (unsigned p = 0; p < PARTS; p++) {
        thr_bytes text = part_of(p, LINES, labels_in(p, many), numbers, values);
        learn_part(m, &text);
        if (clone)
            learn_part(clone, &text);
        thr_bytes_clear(&text);
        at[p].bytes = dumped(m, false);
        probe(m, at[p].scores);
        at[p].snapshot = thr_model_snapshot(m, &err);
        if (!at[p].snapshot)
            fail_msg("%s: %s", learner, err.message);
        if (p == PARTS / 2 && !(clone = thr_model_clone(at[p].snapshot, &err)))
            fail_msg("%s: %s", learner, err.message);
        if (p == PARTS - 2) { /* one goes early */
            thr_model_free(at[1].snapshot);
            thr_bytes_clear(&at[1].bytes);
        }
    }
    assert_same_model(m, clone);
    diverge(learner, more, many, values, numbers, at[PARTS / 2].snapshot);
    thr_model_free(m);
    for (int p = 0; p < PARTS; p++)
        if (p != 1)
            assert_as_it_was(&at[p], learner, p);
    thr_model_free(clone);
    for (int p = 0; p < PARTS; p++)
        if (p != 1) {
            assert_as_it_was(&at[p], learner, p);
            thr_model_free(at[p].snapshot);
            thr_bytes_clear(&at[p].bytes);
        }
}

static bool solves(const char *learner)
{
    return strcmp(learner, "lp") == 0 || strcmp(learner, "maxmargin") == 0;
}

static void test_snapshot_of_every_learner_stays_as_it_was(void **state)
{
    (void)state;
    for (size_t i = 0; thr_learners[i]; i++) {
        const char *learner = thr_learners[i]->name;
        if (solves(learner)) /* all pairs of its examples are compared: see below */
            continue;
        snapshots_of(learner, NULL, false, false);
        if (strcmp(learner, "winnow") != 0)
            snapshots_of(learner, NULL, true, false);
    }
}

static void test_snapshot_of_every_form_stays_as_it_was(void **state)
{
    (void)state;
    snapshots_of("pa", "hash-bits=8", true, true);
    snapshots_of("panel", "hash-bits=6", true, true);
    snapshots_of("pa", "min-count=3", true, true);
    snapshots_of("panel", "min-count=2", false, false);
    snapshots_of("pa", "max-features=300", true, true);
    snapshots_of("bayes:kind=bernoulli", "max-features=500", true, false);
    snapshots_of("bayes:kind=bernoulli", NULL, true, true);
    snapshots_of("kernel:vote=off,budget=25", NULL, true, true);
    snapshots_of("kernel:vote=off", NULL, true, true);
    snapshots_of("voted", NULL, true, true);
    snapshots_of("knn", NULL, true, true);
    snapshots_of("pa", "multiclass=all-pairs", true, true);
    snapshots_of("arow", "class-weights=balanced", true, true);
    snapshots_of("adagrad", "multilabel=on", true, true);
    snapshots_of("logistic:l1=0.001", NULL, true, true);
    snapshots_of("averaged", "ngrams=2", true, true);
}

/* Without CLP there is no `lp`. */
#ifdef THR_HAVE_CLP
enum { HAS_LP = 1 };
#else
enum { HAS_LP = 0 };
#endif

static void test_snapshot_of_solved_rules_stays_as_it_was(void **state)
{
    (void)state;
    thr_error err = {0};
    for (int i = 0; i < 1 + HAS_LP; i++) {
        thr_model *m = make_model(i ? "lp" : "maxmargin", NULL);
        teach(m, "vw", "c0 | a b\nc1 | c\nc0 | a\n");
        thr_bytes then = dumped(m, false);
        const thr_model *s = thr_model_snapshot(m, &err);
        assert_non_null(s);
        teach(m, "vw", "c1 | c d\nc0 | b\n");
        thr_bytes now = dumped(s, false);
        assert_same_bytes(&then, &now);
        thr_bytes_clear(&then);
        thr_bytes_clear(&now);
        thr_model_free(m);
        thr_model_free(s);
    }
}

/* ---- what a snapshot refuses, and references ---- */

static void test_snapshot_does_not_learn(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = make_model("pa", NULL);
    teach(m, "vw", "c0 | a b\nc1 | c\n");
    const thr_model *s = thr_model_snapshot(m, &err), *again = thr_model_retain(s);
    assert_ptr_equal(s, again);
    thr_batch *b = thr_batch_new();
    thr_model *as_if = (thr_model *)(uintptr_t)s; /* a caller that casts const away */
    assert_int_equal(thr_batch_parse(b, s, "vw", true, "c0 | a", 6, &err), 0);
    assert_int_equal(thr_learn(as_if, NULL, b, NULL, &err), THR_EUSE);
    assert_non_null(strstr(err.message, "clone it"));
    assert_int_equal(thr_model_declare_label(as_if, "x", &err), THR_EUSE);
    const thr_model *third = thr_model_snapshot(as_if, &err); /* of a snapshot: itself */
    assert_ptr_equal(third, s);
    thr_model_free(s);
    thr_model_free(third);
    assert_int_equal(thr_model_labels(again), 2);
    thr_batch_free(b);
    thr_model_free(again);
    thr_model_free(m);
}

/* A model from a file, mapped: its snapshot and clone live on without it. */
static void test_snapshot_of_an_opened_model_outlives_it(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes first = part_of(2, 200, 4, false, true), second = part_of(3, 200, 5, false, true);
    thr_model *m = make_model("pa", NULL);
    learn_part(m, &first);
    thr_bytes file = dumped(m, false);
    thr_model *opened = thr_model_load(file.p, file.n, &err);
    assert_non_null(opened);
    const thr_model *s = thr_model_snapshot(opened, &err);
    learn_part(opened, &second);
    learn_part(m, &second);
    assert_same_model(opened, m);
    thr_model_free(opened);
    thr_bytes then = dumped(s, false);
    assert_same_bytes(&file, &then);
    thr_model *clone = thr_model_clone(s, &err);
    thr_model_free(s);
    learn_part(clone, &second);
    assert_same_model(clone, m);
    thr_model_free(clone);
    thr_model_free(m);
    thr_bytes_clear(&first);
    thr_bytes_clear(&second);
    thr_bytes_clear(&file);
    thr_bytes_clear(&then);
}

/* ---- a member that is solved for ---- */

/* n examples of eight features out of `features`, which begin with number `first`; the label is
 * what most of them say. */
static void fill(thr_batch *b, const thr_model *m, thr_random *r, int n, uint64_t features,
                 uint64_t first)
{
    thr_batch_clear(b);
    for (int i = 0; i < n; i++) {
        int says = 0;
        thr_batch_begin(b);
        for (int k = 0; k < 8; k++) {
            uint64_t f = thr_random_below(r, features);
            says += f % 2 ? 1 : -1;
            thr_batch_add_key(b, first + f, 1);
        }
        thr_batch_set_label(b, says > 0 ? "a" : "b");
        thr_batch_end(b, m);
    }
}

/* Learns 1,000 examples, then some of other features while a snapshot is there, and scores the
 * first features: with 1,024 examples the solved members are fitted. */
static void learn_beside(thr_model *m, bool beside, double *scores)
{
    enum { ROUNDS = 4 };
    static const int examples[ROUNDS] = {1000, 20, 6, 6};
    thr_error err = {0};
    thr_random r;
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    const thr_model *snapshot = NULL;
    thr_random_init(&r, 7);
    for (int i = 0; i < ROUNDS; i++) {
        fill(b, m, &r, examples[i], i ? 20 : 3000, i ? (uint64_t)(100000 + 20 * i) : 1);
        if (thr_learn(m, s, b, NULL, &err))
            fail_msg("%s", err.message);
        if (i == 0 && beside)
            assert_non_null(snapshot = thr_model_snapshot(m, &err));
        fill(b, m, &r, 300, 3000, 1);
        if (thr_score(m, s, b, NULL, scores + i * 600, &err))
            fail_msg("%s", err.message);
    }
    thr_model_free(snapshot);
    thr_batch_free(b);
    thr_scratch_free(s);
}

/* A fit remakes the rows of one member alone, which then no longer lie beside the others'. */
static void test_panel_is_fitted_beside_a_snapshot(void **state)
{
    (void)state;
    static const char *const members[] = {"members=maxmargin+perceptron",
                                          "members=perceptron+maxmargin", "members=lp+maxmargin"};
    static double beside[2400], by_itself[2400];
    for (size_t i = 0; i < 2 + HAS_LP; i++) {
        thr_model *m = make_model("panel", members[i]), *alone = make_model("panel", members[i]);
        learn_beside(m, true, beside);
        learn_beside(alone, false, by_itself);
        assert_memory_equal(beside, by_itself, sizeof beside);
        assert_same_model(alone, m);
        thr_model_free(m);
        thr_model_free(alone);
    }
}

/* ---- one writer, readers and a saver ---- */

enum { READERS = 4, BATCH = 50 };

/* The newest snapshot, and what it must say. */
typedef struct stage {
    newest newest;
    uint64_t examples;
    atomic_bool done;
    const thr_bytes *bytes; /* per number of batches learned: the separate model's */
    const double *scores;
    atomic_uint wrong, looked;
    bool saves;
} stage;

static size_t batches_in(const thr_model *m)
{
    thr_stats stats;
    thr_model_stats(m, &stats);
    return (size_t)stats.examples / BATCH;
}

/* As `probe`, without cmocka, which is for the main thread. */
static bool scores_are(const thr_model *m, const char *lines, const double *want)
{
    double got[LABELS];
    thr_error err;
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    bool same = b && s;
    for (size_t i = 0; same && *lines; i++) {
        size_t n = strcspn(lines, "\n");
        const char *bar = memchr(lines, '|', n);
        memset(got, 0, sizeof got);
        thr_batch_clear(b);
        same = thr_batch_parse(b, m, "vw", false, bar, n - (size_t)(bar - lines), &err) == 0 &&
               thr_score(m, s, b, NULL, got, &err) == 0 &&
               memcmp(got, want + i * LABELS, sizeof got) == 0;
        lines += n + 1;
    }
    thr_batch_free(b);
    thr_scratch_free(s);
    return same;
}

static void *read_on(void *user)
{
    stage *s = user;
    thr_bytes text = part_of(3, PROBES, 2, false, false);
    while (!atomic_load(&s->done)) {
        const thr_model *m = newest_take(&s->newest);
        if (!m)
            continue;
        size_t at = batches_in(m);
        s->wrong += !scores_are(m, text.p, s->scores + at * PROBES * LABELS);
        s->looked++;
        thr_model_free(m);
    }
    thr_bytes_clear(&text);
    return NULL;
}

static void *save_on(void *user)
{
    stage *s = user;
    while (!atomic_load(&s->done)) {
        const thr_model *m = newest_take(&s->newest);
        if (!m)
            continue;
        const thr_bytes *want = &s->bytes[batches_in(m)];
        void *p = NULL;
        size_t n = 0;
        s->wrong += thr_model_dump(m, false, &p, &n, NULL) != 0 || n != want->n ||
                    memcmp(p, want->p, n) != 0;
        free(p);
        thr_model_free(m);
    }
    return NULL;
}

/* Batches of the stream, one after another: what `each` wants to see after each. */
typedef void after_fn(thr_model *m, size_t batches, void *user);

static size_t learn_in_batches(thr_model *m, unsigned parts, after_fn *each, void *user)
{
    thr_error err = {0};
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    size_t batches = 0;
    for (unsigned p = 0; p < parts; p++) {
        thr_bytes text = part_of(p, 4 * BATCH, 2 + p % 5, false, true);
        for (char *at = text.p; *at;) {
            size_t n = strcspn(at, "\n");
            if (thr_batch_parse(b, m, "vw", true, at, n, &err))
                fail_msg("%s", err.message);
            at += n + 1;
            if (thr_batch_size(b) < BATCH)
                continue;
            if (thr_learn(m, s, b, NULL, &err))
                fail_msg("%s", err.message);
            thr_batch_clear(b);
            each(m, ++batches, user);
        }
        thr_bytes_clear(&text);
    }
    thr_batch_free(b);
    thr_scratch_free(s);
    return batches;
}

typedef struct record {
    thr_bytes *bytes;
    double *scores;
} record;

static void note(thr_model *m, size_t batches, void *user)
{
    record *r = user;
    r->bytes[batches] = dumped(m, false);
    probe(m, r->scores + batches * PROBES * LABELS);
}

static void publish(thr_model *m, size_t batches, void *user)
{
    stage *s = user;
    (void)batches;
    newest_publish(&s->newest, m);
}

static void beside(const char *learner, const char *more, unsigned parts)
{
    size_t most = 4 * parts + 1;
    record r = {calloc(most, sizeof *r.bytes), calloc(most, PROBES * LABELS * sizeof *r.scores)};
    stage s = {.bytes = r.bytes, .scores = r.scores};
    thr_model *alone = make_model(learner, more), *m = make_model(learner, more);
    pthread_t thread[READERS + 1];
    assert_true(r.bytes && r.scores);
    learn_in_batches(alone, parts, note, &r);
    pthread_mutex_init(&s.newest.lock, NULL);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, read_on, &s), 0);
    assert_int_equal(pthread_create(&thread[READERS], NULL, save_on, &s), 0);
    learn_in_batches(m, parts, publish, &s);
    while (atomic_load(&s.looked) < READERS)
        sched_yield();
    atomic_store(&s.done, true);
    for (int i = 0; i <= READERS; i++)
        pthread_join(thread[i], NULL);
    if (s.wrong)
        fail_msg("%s: %u of %u looks at a snapshot were wrong", learner, s.wrong, s.looked);
    assert_same_model(alone, m);
    thr_model_free(s.newest.snapshot);
    thr_model_free(m);
    thr_model_free(alone);
    for (size_t i = 0; i < most; i++)
        thr_bytes_clear(&r.bytes[i]);
    free(r.bytes);
    free(r.scores);
    pthread_mutex_destroy(&s.newest.lock);
}

static void test_threads_read_snapshots_while_one_learns(void **state)
{
    (void)state;
    beside("pa", NULL, 12);
    beside("panel", NULL, 8);
    beside("pa", "hash-bits=10", 8);
    beside("pa", "min-count=2", 8);
    beside("pa", "max-features=400", 6);
    beside("bayes:kind=bernoulli", NULL, 6);
    beside("voted", NULL, 3);
    beside("kernel:vote=off,budget=20", NULL, 3);
    beside("knn", NULL, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshot_of_every_learner_stays_as_it_was),
        cmocka_unit_test(test_snapshot_of_every_form_stays_as_it_was),
        cmocka_unit_test(test_snapshot_of_solved_rules_stays_as_it_was),
        cmocka_unit_test(test_panel_is_fitted_beside_a_snapshot),
        cmocka_unit_test(test_snapshot_does_not_learn),
        cmocka_unit_test(test_snapshot_of_an_opened_model_outlives_it),
        cmocka_unit_test(test_threads_read_snapshots_while_one_learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
