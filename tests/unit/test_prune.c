/* Features dropped: what is left is as if they had never been there, the lightest go first, and a
 * ceiling holds at every example. */
#include "model_help.h"

#include "model/inside.h"
#include "combine/prune.h"
#include "model/subset.h"

#include <math.h>

/* ---- naive Bayes: dropping is the same as leaving them out of the examples ---- */

static const char all_words[] = "a | x:2 y z\nb | y:3 rare\na | x w:4\nc | z z v:2\nb | w y\n";
static const char without_v_and_rare[] = "a | x:2 y z\nb | y:3\na | x w:4\nc | z z\nb | w y\n";

/* Drops v and rare, which come least, by their counts: 1 each of 5 + 3 + 2 + 2 + ... */
static void as_if_never_there(const char *learner)
{
    thr_error err = {0};
    thr_model *m = make_model(learner, "min-count=1"), *other = make_model(learner, "min-count=1");
    double x[3], y[3];
    uint64_t dropped;
    teach(m, "vw", all_words);
    teach(other, "vw", without_v_and_rare);
    thr_prune_options o = {.top_mass = 0.8};
    if (thr_model_prune(m, &o, &dropped, &err))
        fail_msg("%s", err.message);
    assert_int_equal(dropped, 2);
    assert_int_equal(thr_model_features(m), thr_model_features(other));
    static const char *const lines[] = {"a | x y:2 z", "a | w v rare", "a | unseen", "a | z:3"};
    for (size_t i = 0; i < 4; i++) {
        score_line(m, "vw", lines[i], x);
        score_line(other, "vw", lines[i], y);
        for (int l = 0; l < 3; l++)
            if (fabs(x[l] - y[l]) > 1e-9)
                fail_msg("%s, %s: %.17g, not %.17g", learner, lines[i], x[l], y[l]);
    }
    teach(m, "vw", all_words); /* and it goes on */
    teach(other, "vw", all_words);
    score_line(m, "vw", lines[1], x);
    score_line(other, "vw", lines[1], y);
    for (int l = 0; l < 3; l++)
        assert_true(fabs(x[l] - y[l]) < 1e-9);
    thr_model_free(m);
    thr_model_free(other);
}

static void test_bayes_counts_are_as_if_dropped_were_never_there(void **state)
{
    (void)state;
    as_if_never_there("bayes");
    as_if_never_there("bayes:alpha=0.5");
    as_if_never_there("bayes:kind=bernoulli");
}

/* ---- normalised Winnow: Z stays the sum of all weights ---- */

static void assert_sum(const thr_model *m)
{
    const thr_member *k = &m->member[0];
    for (uint32_t f = 0; f < k->weights.functions; f++) {
        double sum = 0, z = 2.0 * m->known + thr_rule_state(&k->rule, f)[0];
        for (uint32_t id = 0; id < m->lexicon.n; id++)
            sum += thr_weights_get(&k->weights, id, 0, f) + thr_weights_get(&k->weights, id, 1, f);
        if (fabs(sum - z) > 1e-4 * sum)
            fail_msg("function %u: Z is %g, the sum %g", f, z, sum);
    }
}

static void test_normalised_weights_still_add_up_after_dropping(void **state)
{
    (void)state;
    thr_model *m = make_model("balanced:normalized=on", NULL);
    thr_bytes text = random_lines(5, 400, 3, true);
    teach(m, "vw", text.p);
    assert_sum(m);
    assert_int_equal(thr_model_prune(m, &(thr_prune_options){.top = 11}, NULL, NULL), 0);
    assert_int_equal(thr_model_features(m), 12);
    assert_sum(m);
    teach(m, "vw", text.p);
    assert_sum(m);
    thr_bytes_clear(&text);
    thr_model_free(m);
}

/* ---- by weight ---- */

static double weight_named(const thr_model *m, const char *name)
{
    char text[64];
    double w[2] = {0};
    for (size_t f = 0; f < thr_model_features(m); f++) {
        thr_model_feature(m, f, text, sizeof text);
        if (strcmp(text, name) == 0 && thr_model_weights(m, f, w, NULL) == 0)
            return w[0];
    }
    return NAN;
}

static void test_heaviest_stay(void **state)
{
    (void)state;
    thr_model *m = make_model("perceptron:bias=off", NULL);
    teach(m, "vw", "1 | a:4 b:1 c:2 9:3\n-1 | d:0.5\n1 | a:-8 none:0.25\n");
    double a = weight_named(m, "a"), heavy = weight_named(m, "9");
    uint64_t dropped;
    assert_int_equal(thr_model_prune(m, &(thr_prune_options){.top = 2}, &dropped, NULL), 0);
    assert_int_equal(dropped, 4);
    assert_true(weight_named(m, "a") == a && fabs(a) > 0);
    assert_true(weight_named(m, "9") == heavy);
    assert_true(isnan(weight_named(m, "b")));
    assert_int_equal(
        thr_model_prune(m, &(thr_prune_options){.least = fabs(heavy) + 0.5}, &dropped, NULL), 0);
    assert_int_equal(dropped, fabs(a) > fabs(heavy) + 0.5 ? 1 : 2);
    thr_model_free(m);
}

/* What was never moved goes without a trace; the names of a hashed model stay where they are. */
static void test_hashed_names_keep_their_slots_and_scores(void **state)
{
    (void)state;
    thr_model *m = make_model("pa", "hash-bits=8"), *all;
    thr_bytes text = random_lines(6, 200, 3, true);
    double x[3], y[3];
    teach(m, "vw", text.p);
    teach(m, "vw", "c1 0 |s never1 never2\n"); /* importance 0: not moved */
    all = thr_model_clone(m, NULL);
    uint64_t dropped;
    assert_int_equal(thr_model_prune(m, &(thr_prune_options){.least = 1e-30}, &dropped, NULL), 0);
    assert_true(dropped >= 1 && thr_model_features(m) > 10);
    score_line(m, "vw", "c1 | 3 5 w7 w9 |s never1", x);
    score_line(all, "vw", "c1 | 3 5 w7 w9 |s never1", y);
    for (int l = 0; l < 3; l++)
        assert_true(x[l] == y[l]);
    thr_bytes_clear(&text);
    thr_model_free(m);
    thr_model_free(all);
}

static void test_bad_limits_are_refused_and_none_changes_nothing(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = make_model("pa", NULL);
    teach(m, "vw", "1 | a\n-1 | b\n");
    thr_bytes before = dumped(m, false), after;
    assert_int_equal(thr_model_prune(m, &(thr_prune_options){.top_mass = 0.5}, NULL, &err),
                     THR_EUSE);
    assert_non_null(strstr(err.message, "min-count"));
    assert_int_equal(thr_model_prune(m, &(thr_prune_options){.least = -1}, NULL, &err), THR_EUSE);
    assert_int_equal(thr_model_prune(m, &(thr_prune_options){.least = NAN}, NULL, &err), THR_EUSE);
    assert_int_equal(thr_model_prune(m, &(thr_prune_options){0}, NULL, &err), 0);
    after = dumped(m, false);
    assert_same_bytes(&before, &after);
    thr_bytes_clear(&before);
    thr_bytes_clear(&after);
    thr_model_free(m);
}

/* ---- the ceiling ---- */

/* A feature with weight outlives any number of new names that have none. */
static void test_feature_with_weight_outlives_new_names(void **state)
{
    (void)state;
    thr_model *m = make_model("perceptron", "max-features=20");
    thr_stats s;
    char line[128];
    for (unsigned i = 0; i < 2000; i++) {
        snprintf(line, sizeof line, "%d | %s:%d new%u other%u\n", i % 2 ? 1 : -1,
                 i % 2 ? "good" : "bad", i < 20 ? 8 : 1, i, i % 7);
        teach(m, "vw", line);
        thr_model_stats(m, &s);
        assert_true(s.features <= 20);
    }
    assert_true(s.evicted > 1000);
    assert_true(fabs(weight_named(m, "good")) > 0 && fabs(weight_named(m, "bad")) > 0);
    assert_int_equal(thr_model_features(m), m->known);
    thr_model_free(m);
}

/* Features of the example at hand stay, even where they fill all the room. */
static void test_ceiling_full(void **state)
{
    (void)state;
    thr_model *m = make_model("perceptron", "max-features=4");
    thr_stats s;
    teach(m, "vw", "1 | a b c d\n-1 | d c b a\n1 | a b c e\n-1 | e f g h\n");
    thr_model_stats(m, &s);
    assert_int_equal(s.features, 4);
    assert_int_equal(s.evicted, 4);
    assert_false(isnan(weight_named(m, "e")));
    assert_true(isnan(weight_named(m, "a")));
    thr_model_free(m);
}

/* Equal ones go in the order of their age; 9/10 are left. */
static void test_oldest_first(void **state)
{
    (void)state;
    thr_model *m = make_model("perceptron", "max-features=10");
    teach(m, "vw", "1 0 | f1 f2 f3 f4 f5\n1 0 | f6 f7 f8 f9 f10\n1 0 | f11\n");
    assert_true(isnan(weight_named(m, "f1")));
    assert_false(isnan(weight_named(m, "f2")));
    assert_int_equal(thr_model_features(m), 1 + 9 + 1);
    thr_model_free(m);
}

/* ---- in one go ---- */

/* Weights of many features at once are those of each, to the bit; also of ids beyond the rows. */
static void weighed(const char *learner, const char *more, size_t labels)
{
    thr_model *m = make_model(learner, more);
    thr_bytes text = random_lines(9, 300, labels, true);
    teach(m, "vw", text.p);
    teach(m, "vw", "c0 0 | unmoved\n");
    const thr_member *k = &m->member[0];
    size_t n = m->lexicon.n + 3;
    double *out = malloc(n * m->labels.n * sizeof *out);
    double *room = malloc(thr_member_weigh_room(k, n) * sizeof *room);
    assert_true(out && room);
    thr_member_weigh(k, &m->labels, 1, n, m->known, out, room);
    for (size_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < m->labels.n; l++) {
            double one = thr_member_weight(k, &m->labels, 1 + (uint32_t)i, l, m->known);
            if (memcmp(&one, &out[i * m->labels.n + l], sizeof one) != 0)
                fail_msg("%s, %zu labels, feature %zu: %.17g, not %.17g", learner, labels, i,
                         out[i * m->labels.n + l], one);
        }
    free(out);
    free(room);
    thr_bytes_clear(&text);
    thr_model_free(m);
}

static void test_weighing_many_at_once_has_the_bits_of_each_alone(void **state)
{
    (void)state;
    for
        EACH_LEARNER(l)
        {
            thr_model *m = make_model(*l, NULL);
            bool droppable = thr_model_droppable(m, NULL) == 0;
            thr_model_free(m);
            for (size_t labels = 1; labels <= 5 && droppable; labels += 1 + (labels > 1))
                weighed(*l, NULL, labels);
        }
    weighed("adagrad", NULL, 3);
    weighed("arow", NULL, 3);
    weighed("arow", "multiclass=all-pairs", 4);
    weighed("pa", "multiclass=all-pairs", 3);
}

static int by_id(const void *a, const void *b)
{
    const thr_feature_weight *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The same ones as by sorting, also where most are equal, or in order already. */
static void split(size_t n, size_t heavy, unsigned kinds, uint64_t seed)
{
    thr_random r;
    thr_feature_weight *a = malloc((n + 1) * sizeof *a), *b = malloc((n + 1) * sizeof *b);
    assert_true(a && b);
    thr_random_init(&r, seed);
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] =
            (thr_feature_weight){(double)thr_random_below(&r, kinds) * (double)(seed ? 1 : i),
                                 (uint32_t)thr_random_below(&r, 3), (uint32_t)i + 1};
    thr_feature_weights_sort(a, n);
    thr_feature_weights_split(b, n, heavy);
    qsort(a + n - heavy, heavy, sizeof *a, by_id);
    qsort(b + n - heavy, heavy, sizeof *b, by_id);
    for (size_t i = n - heavy; i < n; i++)
        assert_int_equal(a[i].id, b[i].id);
    free(a);
    free(b);
}

static void test_split_by_weight_keeps_what_sorting_would(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++)
        for (size_t n = 0; n < 60; n += 1 + n / 5)
            for (size_t heavy = 0; heavy <= n; heavy += 1 + n / 7)
                split(n, heavy, 1 + (unsigned)(seed % 5) * 20, seed);
    split(20000, 18000, 1000000, 3);
    split(20000, 18000, 2, 0);
}

/* Rows close up over several segments; the weight of a name stays what it was. */
static void test_rows_close_up_and_names_keep_their_weights(void **state)
{
    (void)state;
    thr_model *m = make_model("panel", "members=adagrad+balanced");
    char line[64], name[64];
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(line, sizeof line, "%s | n%u m%u:%u\n",
                 i % 3   ? "x"
                 : i % 2 ? "y"
                         : "z",
                 i, i * 7 % 613, 1 + i % 5);
        teach(m, "vw", line);
    }
    thr_model *all = thr_model_clone(m, NULL);
    bool *keep = calloc(m->lexicon.n, sizeof *keep);
    thr_random r;
    thr_random_init(&r, 4);
    for (uint32_t id = 0; id < m->lexicon.n; id++)
        keep[id] = thr_random_below(&r, 3) == 0;
    assert_int_equal(thr_model_drop(m, keep, NULL), 0);
    uint32_t fresh = 0;
    double x[3], y[3];
    for (uint32_t id = 0; id < all->lexicon.n; id++) {
        if (id && !keep[id])
            continue;
        thr_model_feature(m, fresh, line, sizeof line);
        thr_model_feature(all, id, name, sizeof name);
        assert_string_equal(line, name);
        for (uint32_t k = 0; k < 2; k++)
            for (unsigned slot = 0; slot < 2; slot++) {
                thr_weights_read(&m->member[k].weights, fresh, slot, x);
                thr_weights_read(&all->member[k].weights, id, slot, y);
                assert_memory_equal(x, y, sizeof x);
            }
        fresh++;
    }
    assert_int_equal(fresh, m->lexicon.n);
    thr_weights_read(&m->member[1].weights, fresh, 0, x); /* new rows begin as rows do */
    assert_true(x[0] == 1 && x[2] == 1);
    teach(m, "vw", "x | fresh1\ny | fresh2\n");
    free(keep);
    thr_model_free(m);
    thr_model_free(all);
}

/* ---- counts ---- */

static void test_min_count(void **state)
{
    (void)state;
    thr_model *m = make_model("perceptron", "min-count=2");
    thr_stats s;
    double x[2], y[2];
    teach(m, "vw", "1 | a b\n-1 | a c\n-1 | a b\n");
    thr_model_stats(m, &s);
    assert_int_equal(s.waiting, 1);
    assert_true(weight_named(m, "c") == 0 && weight_named(m, "a") != 0);
    score_line(m, "vw", "1 | a c unseen", x);
    score_line(m, "vw", "1 | a", y);
    assert_true(x[0] == y[0]);
    thr_bytes bytes = dumped(m, false);
    thr_model *back = thr_model_load(bytes.p, bytes.n, NULL);
    assert_non_null(back);
    assert_same_model(m, back);
    teach(m, "vw", "1 | c b\n");
    teach(back, "vw", "1 | c b\n");
    assert_same_model(m, back);
    assert_true(weight_named(m, "c") != 0);
    thr_bytes_clear(&bytes);
    thr_model_free(m);
    thr_model_free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bayes_counts_are_as_if_dropped_were_never_there),
        cmocka_unit_test(test_normalised_weights_still_add_up_after_dropping),
        cmocka_unit_test(test_heaviest_stay),
        cmocka_unit_test(test_hashed_names_keep_their_slots_and_scores),
        cmocka_unit_test(test_bad_limits_are_refused_and_none_changes_nothing),
        cmocka_unit_test(test_feature_with_weight_outlives_new_names),
        cmocka_unit_test(test_ceiling_full),
        cmocka_unit_test(test_oldest_first),
        cmocka_unit_test(test_weighing_many_at_once_has_the_bits_of_each_alone),
        cmocka_unit_test(test_split_by_weight_keeps_what_sorting_would),
        cmocka_unit_test(test_rows_close_up_and_names_keep_their_weights),
        cmocka_unit_test(test_min_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
