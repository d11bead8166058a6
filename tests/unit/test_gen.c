/* Generators: reproducible, true to the target they print, and honest about what cannot be. */
#include "example/batch.h"
#include "gen/gen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the label of an example, from the printed target alone ---- */

typedef struct reading {
    const char *at;
    const thr_batch *b;
    size_t e;
} reading;

static double value_of(const thr_batch *b, size_t e, uint64_t variable)
{
    for (size_t i = b->start[e]; i < b->start[e + 1]; i++)
        if (b->key[i] == variable)
            return (double)thr_batch_value(b, i);
    return 0;
}

static bool take(reading *r, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static double read_variable(reading *r)
{
    char *end;
    assert_true(take(r, "x"));
    uint64_t variable = strtoull(r->at, &end, 10);
    assert_ptr_not_equal(end, r->at);
    r->at = end;
    return value_of(r->b, r->e, variable);
}

static bool read_literal(reading *r)
{
    bool negated = take(r, "not ");
    return (read_variable(r) > 0) != negated;
}

static bool read_term(reading *r)
{
    bool parenthesis = take(r, "("), holds = true;
    do
        holds &= read_literal(r);
    while (take(r, " and "));
    assert_int_equal(take(r, ")"), parenthesis);
    return holds;
}

static bool read_formula(reading *r)
{
    bool holds = false;
    do
        holds |= read_term(r);
    while (take(r, " or "));
    return holds;
}

static int read_count(reading *r)
{
    int n = 0;
    do
        n += read_literal(r);
    while (take(r, ", "));
    return n;
}

static bool read_rules(reading *r)
{
    int decided = 0;
    do {
        bool last = take(r, "else ");
        bool holds = last || (take(r, "if ") && read_term(r));
        assert_int_equal(take(r, " then "), !last);
        int output = take(r, "+1") ? 1 : take(r, "-1") ? -1 : 0;
        assert_int_not_equal(output, 0);
        if (holds && !decided)
            decided = output;
    } while (take(r, "; "));
    return decided > 0;
}

static double read_sum(reading *r)
{
    double sum = 0;
    do {
        char *end;
        double sign = take(r, "- ") ? -1 : 1;
        (void)take(r, "+ ");
        double weight = strtod(r->at, &end);
        r->at = end;
        assert_true(take(r, "*"));
        sum += sign * weight * read_variable(r);
    } while (take(r, " "));
    return sum;
}

static double read_votes(reading *r)
{
    double sum = 0;
    do
        sum += read_variable(r);
    while (take(r, ", "));
    return sum;
}

static bool label_by(const char *target, const thr_batch *b, size_t e)
{
    reading r = {target, b, e};
    bool label;
    if (take(&r, "at least ")) {
        char *end;
        int m = (int)strtol(r.at, &end, 10);
        r.at = end;
        assert_true(take(&r, " of "));
        label = read_count(&r) >= m;
    } else if (take(&r, "an odd number of ")) {
        label = read_count(&r) % 2;
    } else if (take(&r, "the majority of ")) {
        label = read_votes(&r) > 0;
    } else if (take(&r, "the sign of ")) {
        label = read_sum(&r) >= 0;
    } else if (take(&r, "always +1")) {
        label = true;
    } else {
        label = strncmp(target, "if ", 3) == 0 ? read_rules(&r) : read_formula(&r);
    }
    assert_string_equal(r.at, "");
    return label;
}

/* ---- helpers ---- */

static thr_gen *gen_new(const char *spec, uint64_t seed)
{
    thr_error err = {0};
    thr_gen *g = thr_gen_new(spec, seed, &err);
    if (!g)
        fail_msg("%s: %s", spec, err.message);
    return g;
}

static void gen_batch(thr_gen *g, uint64_t n, thr_batch *b)
{
    thr_error err = {0};
    if (thr_gen_batch(g, n, b, NULL, &err))
        fail_msg("%s", err.message);
}

static bool positive(const thr_batch *b, size_t e)
{
    double label = thr_label_number(&b->about[e]);
    assert_true(label == 1 || label == -1);
    return label > 0;
}

static int collect(void *user, const void *bytes, size_t n)
{
    return thr_bytes_add(user, bytes, n) ? 0 : THR_EMEM;
}

static thr_bytes write_all(const char *spec, uint64_t seed, const char *format, uint64_t n)
{
    thr_bytes out = {0};
    thr_error err = {0};
    thr_gen *g = gen_new(spec, seed);
    if (thr_gen_write(g, n, format, collect, &out, &err))
        fail_msg("%s: %s", spec, err.message);
    thr_gen_free(g);
    return out;
}

static const char *const specs[] = {
    "disjunction",
    "disjunction:n=1,k=1",
    "disjunction:n=1e7,k=20,active=30",
    "disjunction:n=50,k=8,negated=on",
    "conjunction:n=30,k=30",
    "conjunction:n=1e6,k=4,negated=true,active=100",
    "threshold:n=40,k=9,m=4",
    "threshold:n=40,k=9,m=9,negated=on,active=3",
    "dnf:n=20,terms=6,k=3",
    "dnf:n=8,terms=12,k=2,negated=on,balance=off",
    "decision-list:n=20,length=30",
    "decision-list:n=1000,length=12,k=2,active=10.5",
    "parity:n=12,k=5",
    "parity:k=2,n=2",
    "xor",
    "xor:n=10",
    "majority:n=65,k=65",
    "majority:n=800",
    "margin:n=1",
    "margin:n=2,gamma=0.9",
    "margin:n=1000,active=6,gamma=0.01",
    "unit-rows:n=7",
};

/* ---- tests ---- */

static void labels_agree_with_the_target(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            thr_gen *g = gen_new(specs[i], seed);
            thr_batch b;
            thr_batch_init(&b);
            gen_batch(g, 300, &b);
            assert_int_equal(b.n, 300);
            for (size_t e = 0; e < b.n; e++)
                if (positive(&b, e) != label_by(thr_gen_target(g), &b, e))
                    fail_msg("%s, seed %d, example %zu: not by %s", specs[i], (int)seed, e,
                             thr_gen_target(g));
            thr_batch_release(&b);
            thr_gen_free(g);
        }
}

static void balanced_kinds_have_both_labels(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        if (strstr(specs[i], "balance=off") || strstr(specs[i], "unit-rows"))
            continue;
        thr_gen *g = gen_new(specs[i], 3);
        thr_batch b;
        thr_batch_init(&b);
        gen_batch(g, 1000, &b);
        size_t n = 0;
        for (size_t e = 0; e < b.n; e++)
            n += positive(&b, e);
        if (n < 400 || n > 600)
            fail_msg("%s: %zu of 1000 are positive", specs[i], n);
        thr_batch_release(&b);
        thr_gen_free(g);
    }
}

static void features_are_in_order_and_in_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        thr_gen *g = gen_new(specs[i], 11);
        thr_batch b;
        thr_batch_init(&b);
        gen_batch(g, 200, &b);
        for (size_t e = 0; e < b.n; e++)
            for (size_t f = b.start[e]; f < b.start[e + 1]; f++) {
                assert_in_range(b.key[f], 1, g->values.n);
                assert_true(f == b.start[e] || b.key[f - 1] < b.key[f]);
                assert_true(g->kind->has_values || thr_batch_value(&b, f) == 1);
            }
        thr_batch_release(&b);
        thr_gen_free(g);
    }
}

static void points_are_as_sparse_as_asked(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double mean;
    } cases[] = {
        {"parity:n=20,k=1,balance=off", 10},
        {"disjunction:n=10000000,k=1,active=40,balance=off", 40},
        {"disjunction:n=100,k=1,active=20,balance=off", 20},
        {"disjunction:n=100,k=3,active=100,balance=off", 100},
        {"disjunction:n=100,k=3,active=0,balance=off", 0},
        {"margin:n=5000000,active=12", 12},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        thr_gen *g = gen_new(cases[i].spec, 1);
        thr_batch b;
        thr_batch_init(&b);
        gen_batch(g, 2000, &b);
        double mean = (double)b.n_features / 2000;
        if (fabs(mean - cases[i].mean) > 0.02 * cases[i].mean)
            fail_msg("%s: %g active features", cases[i].spec, mean);
        thr_batch_release(&b);
        thr_gen_free(g);
    }
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        thr_bytes a = write_all(specs[i], 5, "svmlight", 70);
        thr_bytes b = write_all(specs[i], 5, NULL, 70);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.p, b.p, a.n);
        thr_bytes_clear(&a);
        thr_bytes_clear(&b);
    }
    thr_bytes a = write_all("disjunction", 5, "svmlight", 50);
    thr_bytes b = write_all("disjunction", 6, "svmlight", 50);
    assert_true(a.n != b.n || memcmp(a.p, b.p, a.n) != 0);
    thr_bytes_clear(&a);
    thr_bytes_clear(&b);
}

/* 3000 examples of 50 features take several chunks. */
static void one_call_or_many_write_the_same(void **state)
{
    (void)state;
    const char *spec = "threshold:noise=0.1,drift=777";
    thr_bytes whole = write_all(spec, 9, "svmlight", 3000), parts = {0};
    thr_gen *g = gen_new(spec, 9);
    for (uint64_t n = 0; n < 3000; n += 100)
        assert_int_equal(thr_gen_write(g, 100, "svmlight", collect, &parts, NULL), 0);
    assert_int_equal(whole.n, parts.n);
    assert_memory_equal(whole.p, parts.p, whole.n);
    thr_gen_free(g);
    thr_bytes_clear(&whole);
    thr_bytes_clear(&parts);
}

static void noise_flips_its_share_of_labels_only(void **state)
{
    (void)state;
    enum { N = 10000 };
    thr_gen *clean = gen_new("disjunction:n=20", 2);
    thr_gen *noisy = gen_new("disjunction:n=20,noise=0.2", 2);
    thr_batch a, b;
    thr_batch_init(&a);
    thr_batch_init(&b);
    gen_batch(clean, N, &a);
    gen_batch(noisy, N, &b);
    assert_string_equal(thr_gen_target(clean), thr_gen_target(noisy));
    assert_int_equal(a.n_features, b.n_features);
    assert_memory_equal(a.key, b.key, a.n_features * sizeof *a.key);
    int flipped = 0;
    for (size_t e = 0; e < N; e++)
        flipped += positive(&a, e) != positive(&b, e);
    assert_in_range(flipped, 1800, 2200); /* 5 standard deviations */
    thr_batch_release(&a);
    thr_batch_release(&b);
    thr_gen_free(clean);
    thr_gen_free(noisy);
}

static void margins_are_kept(void **state)
{
    (void)state;
    static const char *const margin[] = {
        "margin:n=1,gamma=0.5",
        "margin:n=2,gamma=0.000001",
        "margin:n=3,gamma=0.999",
        "margin:n=20,gamma=0.3",
        "margin:n=200,active=200,gamma=0.05",
        "margin:n=10000000,active=8,k=1,gamma=0.2",
        "margin:n=10000000,active=8,k=8,gamma=0.2",
    };
    for (size_t i = 0; i < COUNT(margin); i++) {
        thr_gen *g = gen_new(margin[i], 4);
        thr_batch b;
        thr_batch_init(&b);
        gen_batch(g, 500, &b);
        double least = INFINITY;
        for (size_t e = 0; e < b.n; e++) {
            reading r = {thr_gen_target(g) + strlen("the sign of "), &b, e};
            double dot = read_sum(&r), square = 0;
            for (size_t f = b.start[e]; f < b.start[e + 1]; f++)
                square += pow((double)thr_batch_value(&b, f), 2);
            double found = (positive(&b, e) ? dot : -dot) / sqrt(square);
            least = found < least ? found : least;
            assert_true(fabs(square - 1) < 1e-6);
        }
        if (least < g->values.gamma)
            fail_msg("%s: a margin of %.9g", margin[i], least);
        if (g->values.n > 1)
            assert_true(least < 1);
        thr_batch_release(&b);
        thr_gen_free(g);
    }
}

static void drift_redraws_the_target_on_time(void **state)
{
    (void)state;
    thr_gen *g = gen_new("disjunction:n=1000,k=4,drift=10", 8);
    char before[200] = "";
    for (int e = 0; e < 60; e++) {
        thr_batch b;
        thr_batch_init(&b);
        gen_batch(g, 1, &b);
        assert_int_equal(strcmp(before, thr_gen_target(g)) != 0, e % 10 == 0);
        assert_int_equal(positive(&b, 0), label_by(thr_gen_target(g), &b, 0));
        assert_true(strlen(thr_gen_target(g)) < sizeof before);
        strcpy(before, thr_gen_target(g));
        thr_batch_release(&b);
    }
    thr_gen_free(g);
}

static void impossible_specs_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *says;
    } cases[] = {
        {"", "no generator ''"},
        {"junction", "no generator 'junction'; there are disjunction, conjunction"},
        {"disjunction:k", "k needs a value"},
        {"disjunction:gamma=1", "disjunction has no option 'gamma'; it has n, k, negated"},
        {"disjunction:n=0", "disjunction: n=0 is out of range"},
        {"disjunction:n=2.5", "n=2.5 is not a whole number"},
        {"disjunction:n=auto", "n=auto is not a number"},
        {"disjunction:n=9x", "n=9x is not a number"},
        {"disjunction:n=", "n= is not a number"},
        {"disjunction:n=3,k=4", "k=4 is more than the n=3 variables"},
        {"disjunction:n=3,k=2,active=4", "active=4 is more than the n=3"},
        {"disjunction:noise=1.5", "noise=1.5 is out of range: it goes from 0 to 1"},
        {"disjunction:noise=nan", "noise=nan is not"},
        {"disjunction:negated=maybe", "negated is on or off"},
        {"threshold:k=3,m=4", "m=4 of k=3 can never hold"},
        {"dnf:k=101", "k=101 is more than the n=100"},
        {"decision-list:length=0", "length=0 is out of range"},
        {"xor:n=1", "xor: k=2 is more than the n=1"},
        {"majority:k=4", "k=4 should be odd"},
        {"majority:n=3,k=5", "k=5 is more than the n=3"},
        {"margin:gamma=1.5", "gamma=1.5 is out of range"},
        {"margin:gamma=-0.1", "gamma=-0.1 is out of range"},
        {"margin:n=10,active=11", "active=11 should be a whole number from 1 to n=10"},
        {"margin:n=10,active=2.5", "active=2.5 should be a whole number"},
        {"margin:n=100,active=5,k=6", "k=6 relevant coordinates do not fit"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        thr_error err = {0};
        thr_gen *g = thr_gen_new(cases[i].spec, 1, &err);
        if (g || err.code != THR_EUSE || !strstr(err.message, cases[i].says))
            fail_msg("'%s' gives code %d: %s", cases[i].spec, err.code, err.message);
        assert_null(thr_gen_new(cases[i].spec, 1, NULL));
    }
}

static int refuse(void *user, const void *bytes, size_t n)
{
    (void)user, (void)bytes, (void)n;
    return THR_EIO;
}

static void writing_passes_failures_on(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_gen *g = gen_new("margin", 1);
    assert_int_equal(thr_gen_write(g, 10, "no-such", collect, NULL, &err), THR_EUSE);
    assert_non_null(strstr(err.message, "no-such"));
    assert_int_equal(thr_gen_write(g, 10, "svmlight", refuse, NULL, &err), THR_EIO);
    thr_gen_free(g);
    thr_gen_free(NULL);
}

static void the_table_walks_and_its_defaults_work(void **state)
{
    (void)state;
    thr_gen_free(NULL);
    thr_entry_info kind;
    thr_option_info option;
    size_t kinds = 0;
    for (; thr_gen_at(kinds, &kind); kinds++) {
        thr_gen *g = gen_new(kind.name, 0);
        assert_true(strlen(thr_gen_target(g)) > 0);
        thr_gen_free(g);
        assert_true(strlen(kind.help) > 0);
        size_t options = 0;
        for (; thr_gen_option_at(kinds, options, &option); options++) {
            char spec[200];
            assert_true(strlen(option.help) > 0);
            snprintf(spec, sizeof spec, "%s:%s=%s", kind.name, option.name, option.fallback);
            thr_gen_free(gen_new(spec, 0));
        }
        assert_int_equal(options, kind.n_options);
    }
    assert_int_equal(kinds, 10);
    assert_false(thr_gen_option_at(kinds, 0, &option));
}

/* All 20 sets of 3 of 6 are equally likely: 1000 each, give or take five deviations. Sets of 1
 * of 6 are drawn another way. */
static void samples_are_even(void **state)
{
    (void)state;
    int triples[64] = {0}, singles[7] = {0};
    uint64_t set[4];
    thr_random r;
    thr_random_init(&r, 1);
    for (int i = 0; i < 20000; i++) {
        thr_sample(&r, 6, 3, set);
        triples[1 << (set[0] - 1) | 1 << (set[1] - 1) | 1 << (set[2] - 1)]++;
        thr_sample(&r, 6, 1, set);
        singles[set[0]]++;
        thr_sample(&r, 8, 4, set);
        assert_true(set[0] >= 1 && set[0] < set[1] && set[1] < set[2] && set[2] < set[3] &&
                    set[3] <= 8);
    }
    for (int s = 0; s < 64; s++)
        if (__builtin_popcount((unsigned)s) == 3)
            assert_in_range(triples[s], 845, 1155);
        else
            assert_int_equal(triples[s], 0);
    for (int v = 1; v <= 6; v++)
        assert_in_range(singles[v], 3070, 3600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_agree_with_the_target),
        cmocka_unit_test(balanced_kinds_have_both_labels),
        cmocka_unit_test(features_are_in_order_and_in_range),
        cmocka_unit_test(points_are_as_sparse_as_asked),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(one_call_or_many_write_the_same),
        cmocka_unit_test(noise_flips_its_share_of_labels_only),
        cmocka_unit_test(margins_are_kept),
        cmocka_unit_test(drift_redraws_the_target_on_time),
        cmocka_unit_test(impossible_specs_are_refused),
        cmocka_unit_test(writing_passes_failures_on),
        cmocka_unit_test(the_table_walks_and_its_defaults_work),
        cmocka_unit_test(samples_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
