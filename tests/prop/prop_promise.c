/* From mistakes to a promise: the stopping rule keeps it and is hardly too careful, training stops
 * where the rule says, and rules that are said to keep their hypothesis between updates do. */
#include "streams.h"
#include "measure/pac.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the rule ---- */

/* M hypotheses, one after the other, each wrong on a region of its own of mass just over eps. How
 * many of the runs accept one of them? */
static double failures(thr_pac_rule rule, double eps, double delta, unsigned m, unsigned runs)
{
    dice d = {5};
    unsigned failed = 0;
    for (unsigned run = 0; run < runs; run++) {
        thr_pac p;
        bool accepted = false;
        thr_pac_init(&p, eps, delta, rule);
        while (!accepted && p.hypothesis <= m)
            accepted = thr_pac_see(&p, dice_real(&d) < 1.001 * eps);
        failed += accepted;
    }
    return (double)failed / runs;
}

/* Four standard deviations of a rate of delta are allowed above it; below it the rule is at most a
 * fifth too careful. */
static void a_mistake_bounded_learner_is_a_pac_learner(void **state)
{
    (void)state;
    static const double eps[] = {0.02, 0.1}, delta[] = {0.05, 0.2};
    enum { RUNS = 20000, HYPOTHESES = 30 };
    for (size_t i = 0; i < COUNT(eps); i++)
        for (size_t k = 0; k < COUNT(delta); k++) {
            double rate = failures(THR_PAC_CORRECTED, eps[i], delta[k], HYPOTHESES, RUNS);
            double luck = 4 * sqrt(delta[k] * (1 - delta[k]) / RUNS);
            assert_true(rate <= delta[k] + luck);
            if (eps[i] < 0.05)
                assert_true(rate >= 0.8 * delta[k] - luck);
            assert_true(failures(THR_PAC_LECTURES, eps[i], delta[k], HYPOTHESES, RUNS) >
                        2 * delta[k]);
        }
}

/* ---- the learners ---- */

/* Options without which a learner has no hypothesis that stands still. */
static const char *options_of(const char *learner)
{
    static const char *const need[][2] = {{"winnow", "winnow:theta=15,start=1"},
                                          {"pa", "pa:averaged=off"},
                                          {"kernel", "kernel:vote=off"}};
    for (size_t i = 0; i < COUNT(need); i++)
        if (strcmp(need[i][0], learner) == 0)
            return need[i][1];
    return learner;
}

static void predict_all(const stream *s, const thr_model *m, size_t n, double *said)
{
    for (size_t row = 0; row < n; row++)
        said[row] = stream_predict(s, m, row, NULL);
}

/* Without an update nothing that it says changes. */
static void stands_still(const char *learner)
{
    enum { PROBES = 40, ROWS = 300 };
    double before[PROBES], after[PROBES];
    stream s = stream_generate(3, ROWS, "disjunction:n=30,k=4,active=6,noise=0.05");
    thr_model *m = model_make(true, NULL, "%s", learner);
    thr_error err;
    thr_stats was, is;
    size_t still = 0;
    assert_int_equal(thr_model_conservative(m, &err), 0);
    for (size_t row = 0; row < s.rows; row++) {
        thr_batch *b = stream_row(&s, m, row);
        predict_all(&s, m, PROBES, before);
        thr_model_stats(m, &was);
        assert_int_equal(thr_learn(m, NULL, b, NULL, &err), 0);
        thr_model_stats(m, &is);
        thr_batch_free(b);
        if (is.updates > was.updates)
            continue;
        still++;
        predict_all(&s, m, PROBES, after);
        for (size_t i = 0; i < PROBES; i++)
            if (!(before[i] == after[i] || (isnan(before[i]) && isnan(after[i]))))
                fail_msg("%s says something else of %zu after row %zu, without an update", learner,
                         i, row);
    }
    assert_true(still > 10);
    thr_model_free(m);
    stream_free(&s);
}

static void conservative_rules_stand_still(void **state)
{
    (void)state;
    thr_entry_info l;
    size_t n = 0;
    for (size_t i = 0; thr_learner_at(i, &l); i++)
        if (l.conservative) {
            stands_still(options_of(l.name));
            n++;
        }
    assert_true(n >= 7);
}

/* Means, votes, counts and thresholds that follow the examples move without an update. */
static void others_are_refused(void **state)
{
    (void)state;
    static const char *const drift[] = {
        "averaged",
        "winnow",
        "winnow:theta=15",
        "winnow:start=1",
        "pa",
        "pegasos",
        "logistic",
        "bayes",
        "voted",
        "kernel",
        "knn",
        "rules",
        "lms",
        "balanced:normalized=on",
        "panel",
    };
    for (size_t i = 0; i < COUNT(drift); i++) {
        thr_error err = {0};
        thr_model *m = model_make(false, NULL, "%s", drift[i]);
        if (thr_model_conservative(m, &err) != THR_EUSE || !*err.message)
            fail_msg("%s is said to stand still", drift[i]);
        thr_model_free(m);
    }
}

/* ---- training ---- */

typedef struct text {
    char *bytes;
    size_t n, room;
} text;

static int write_text(void *user, const void *bytes, size_t n)
{
    text *t = user;
    if (t->n + n > t->room) {
        t->room = 2 * (t->n + n);
        t->bytes = realloc(t->bytes, t->room);
    }
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    return 0;
}

static text generate(const char *spec, uint64_t seed, uint64_t n)
{
    text t = {0};
    thr_error err;
    thr_gen *g = thr_gen_new(spec, seed, &err);
    assert_non_null(g);
    assert_int_equal(thr_gen_write(g, n, "svmlight", write_text, &t, &err), 0);
    thr_gen_free(g);
    return t;
}

/* When training should stop, in plain words: example by example, and ln from libm. */
static thr_train_report replay(const text *t, thr_model *m, double eps, double delta)
{
    thr_train_report r = {.pac = {.hypothesis = 1}};
    thr_batch *b = thr_batch_new();
    thr_error err;
    thr_stats was, is;
    for (const char *at = t->bytes, *end; at < t->bytes + t->n && !r.pac.accepted; at = end + 1) {
        end = memchr(at, '\n', (size_t)(t->bytes + t->n - at));
        thr_batch_clear(b);
        assert_int_equal(thr_batch_parse(b, m, "svmlight", true, at, (size_t)(end - at), &err), 0);
        thr_model_stats(m, &was);
        assert_int_equal(thr_learn(m, NULL, b, NULL, &err), 0);
        thr_model_stats(m, &is);
        r.examples++;
        bool ended = is.mistakes + is.updates + is.labels > was.mistakes + was.updates + was.labels;
        r.pac.survived = ended ? 0 : r.pac.survived + 1;
        r.pac.hypothesis += ended;
        double i = (double)r.pac.hypothesis;
        r.pac.needed = (uint64_t)ceil(log(i * (i + 1) / delta) / eps);
        r.pac.accepted = r.pac.survived >= r.pac.needed;
    }
    thr_batch_free(b);
    return r;
}

static void training_stops_where_the_rule_says(void **state)
{
    (void)state;
    static const char *const learners[] = {
        "perceptron", "perceptron:margin=1", "winnow:theta=20,start=1", "balanced",
        "arow",       "kernel:vote=off"};
    text t = generate("disjunction:n=40,k=3,active=8", 2, 3000);
    size_t accepted = 0;
    static const char new_names[] = "1 1001:1 1002:1\n-1 1003:1 1004:1\n";
    write_text(&t, new_names, sizeof new_names - 1);
    for (size_t i = 0; i < COUNT(learners); i++) {
        thr_model *a = model_make(false, NULL, "%s", learners[i]);
        thr_model *b = model_make(false, NULL, "%s", learners[i]);
        thr_train_options o = {.passes = 1, .pac_eps = 0.05, .pac_delta = 0.1};
        thr_train_report r;
        thr_error err;
        thr_input *in = thr_input_new();
        thr_input_add_memory(in, t.bytes, t.n, "memory", &err);
        assert_int_equal(thr_train(a, in, &o, &r, &err), 0);
        thr_train_report plain = replay(&t, b, o.pac_eps, o.pac_delta);
        assert_int_equal(r.examples, plain.examples);
        assert_int_equal(r.pac.accepted, plain.pac.accepted);
        assert_int_equal(r.pac.hypothesis, plain.pac.hypothesis);
        assert_int_equal(r.pac.needed, plain.pac.needed);
        assert_int_equal(r.pac.survived, plain.pac.survived);
        assert_int_equal(thr_model_features(a), thr_model_features(b));
        accepted += r.pac.accepted && r.examples < 3000;
        thr_input_free(in);
        thr_model_free(a);
        thr_model_free(b);
    }
    assert_true(accepted >= 3);
    free(t.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mistake_bounded_learner_is_a_pac_learner),
        cmocka_unit_test(conservative_rules_stand_still),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(training_stops_where_the_rule_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
