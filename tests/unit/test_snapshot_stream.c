/* Snapshots over a long stream: one thread learns and takes a snapshot every 1,000 examples, four
 * threads predict with the newest one and a fifth saves it. Every score and every saved byte must
 * be that of a model that was trained to the same example by itself. 100,000 examples; THR_STREAMS
 * multiplies them. */
#include "snapshot_help.h"

#include "base/hash.h"

#include <sched.h>
#include <stdatomic.h>

enum { READERS = 4, EVERY = 1000, ACTIVE = 12, FEATURES = 3000, PROBES = 8, LABELS = 2 };

/* What a model says and is after so many times EVERY examples. */
typedef struct moment {
    double score[PROBES * LABELS];
    uint64_t hash; /* of its file */
    size_t size;
} moment;

typedef struct stage {
    newest newest;
    const moment *want;
    atomic_bool done;
    atomic_ulong looked, saved, wrong;
} stage;

/* ---- the stream ---- */

static void add_example(thr_batch *b, const thr_model *m, thr_random *r, bool labelled)
{
    uint64_t sum = 0;
    thr_batch_begin(b);
    for (int i = 0; i < ACTIVE; i++) {
        uint64_t key = thr_random_below(r, FEATURES);
        thr_batch_add_key(b, key, 1);
        sum += key % 7;
    }
    bool positive = (sum > 3 * ACTIVE) != (thr_random_below(r, 20) == 0);
    if (labelled)
        thr_batch_set_label(b, positive ? "1" : "-1");
    thr_batch_end(b, m);
}

static bool look(const thr_model *m, moment *out)
{
    thr_random r;
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    bool ok = b && s;
    thr_random_init(&r, 99);
    for (int i = 0; i < PROBES && ok; i++)
        add_example(b, m, &r, false);
    memset(out->score, 0, sizeof out->score);
    ok = ok && thr_score(m, s, b, NULL, out->score, NULL) == 0;
    thr_batch_free(b);
    thr_scratch_free(s);
    return ok;
}

static bool save(const thr_model *m, moment *out)
{
    void *bytes = NULL;
    bool ok = thr_model_dump(m, false, &bytes, &out->size, NULL) == 0;
    out->hash = ok ? thr_hash(bytes, out->size, 0) : 0;
    free(bytes);
    return ok;
}

typedef void after_fn(thr_model *m, size_t moment, void *user);

static void learn(thr_model *m, size_t examples, after_fn *after, void *user)
{
    thr_random r;
    thr_error err = {0};
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    thr_random_init(&r, 1);
    for (size_t at = 1; at <= examples / EVERY; at++) {
        thr_batch_clear(b);
        for (int i = 0; i < EVERY; i++)
            add_example(b, m, &r, true);
        if (thr_learn(m, s, b, NULL, &err))
            fail_msg("%s", err.message);
        after(m, at, user);
    }
    thr_batch_free(b);
    thr_scratch_free(s);
}

/* ---- the threads ---- */

static const thr_model *take(stage *s, size_t *at)
{
    const thr_model *m = newest_take(&s->newest);
    if (m) {
        thr_stats stats;
        thr_model_stats(m, &stats);
        *at = (size_t)stats.examples / EVERY;
    }
    return m;
}

static void *predict_on(void *user)
{
    stage *s = user;
    moment got;
    size_t at;
    while (!atomic_load(&s->done)) {
        const thr_model *m = take(s, &at);
        if (!m)
            continue;
        s->wrong += !look(m, &got) || memcmp(got.score, s->want[at].score, sizeof got.score) != 0;
        s->looked++;
        thr_model_free(m);
    }
    return NULL;
}

static void *save_on(void *user)
{
    stage *s = user;
    moment got;
    size_t at;
    while (!atomic_load(&s->done)) {
        const thr_model *m = take(s, &at);
        if (!m)
            continue;
        s->wrong += !save(m, &got) || got.hash != s->want[at].hash || got.size != s->want[at].size;
        s->saved++;
        thr_model_free(m);
    }
    return NULL;
}

static void note(thr_model *m, size_t at, void *user)
{
    moment *all = user;
    assert_true(look(m, &all[at]) && save(m, &all[at]));
}

static void publish(thr_model *m, size_t at, void *user)
{
    stage *s = user;
    (void)at;
    newest_publish(&s->newest, m);
}

/* ---- the test ---- */

static thr_model *model_of(const char *learner)
{
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "learner", learner, NULL), 0);
    thr_model *m = thr_model_new(s, NULL);
    assert_non_null(m);
    thr_settings_free(s);
    return m;
}

static void run(const char *learner, size_t examples)
{
    moment *want = calloc(examples / EVERY + 1, sizeof *want);
    stage s = {.want = want};
    thr_model *alone = model_of(learner), *m = model_of(learner);
    pthread_t thread[READERS + 1];
    assert_non_null(want);
    learn(alone, examples, note, want);
    pthread_mutex_init(&s.newest.lock, NULL);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, predict_on, &s), 0);
    assert_int_equal(pthread_create(&thread[READERS], NULL, save_on, &s), 0);
    learn(m, examples, publish, &s);
    while (atomic_load(&s.looked) < READERS || atomic_load(&s.saved) == 0)
        sched_yield();
    atomic_store(&s.done, true);
    for (int i = 0; i <= READERS; i++)
        pthread_join(thread[i], NULL);
    print_message("%s: %zu examples, %zu snapshots, %lu predicted with, %lu saved, %lu wrong\n",
                  learner, examples, examples / EVERY, s.looked, s.saved, s.wrong);
    assert_int_equal(s.wrong, 0);
    thr_model_free(s.newest.snapshot);
    thr_model_free(m);
    thr_model_free(alone);
    pthread_mutex_destroy(&s.newest.lock);
    free(want);
}

static size_t times(void)
{
    const char *streams = getenv("THR_STREAMS");
    long n = streams ? strtol(streams, NULL, 10) : 1;
    return n > 0 ? (size_t)n : 1;
}

static void test_readers_of_pa_see_the_model_of_their_moment(void **state)
{
    (void)state;
    run("pa", 100000 * times());
}

static void test_readers_of_the_panel_see_the_model_of_their_moment(void **state)
{
    (void)state;
    run("panel", 10000 * times());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_of_pa_see_the_model_of_their_moment),
        cmocka_unit_test(test_readers_of_the_panel_see_the_model_of_their_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
