/* Finite classes: their sizes, what is in them, files of formulas; version spaces over them. */
#include "concepts/version_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static thr_concepts make(const char *spec, thr_variables *v)
{
    thr_error err = {0};
    thr_concepts c;
    if (thr_concepts_make(&c, spec, v, &err))
        fail_msg("%s: %s", spec, err.message);
    return c;
}

/* Sizes by their formulas, the list as long, and no two concepts the same. */
static void test_class_sizes_follow_their_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint64_t n, size;
    } class[] = {
        {"conjunctions", 5, 32},
        {"conjunctions:empty=off", 5, 31},
        {"conjunctions:negated=on", 5, 243},
        {"conjunctions:k=2", 5, 16},
        {"conjunctions:k=2,empty=off", 5, 15},
        {"conjunctions:k=2,exactly=on", 5, 10},
        {"conjunctions:k=2,exactly=on,negated=on", 5, 40},
        {"conjunctions:exactly=on", 5, 1},
        {"disjunctions", 4, 16},
        {"disjunctions:k=1,negated=on", 4, 9},
        {"thresholds", 4, 32},     /* sum of j C(4, j) */
        {"thresholds:m=2", 4, 11}, /* sets of two and more */
        {"thresholds:m=2,k=3,exactly=on", 5, 10},
        {"thresholds:m=2,k=3,exactly=on,negated=on", 5, 80},
        {"thresholds:k=1", 4, 4},
    };
    for (size_t i = 0; i < sizeof class / sizeof *class; i++) {
        thr_variables v = {0};
        uint64_t size;
        assert_int_equal(thr_variables_number(&v, class[i].n, NULL), 0);
        assert_int_equal(thr_concepts_size(class[i].spec, class[i].n, &size, NULL), 0);
        thr_concepts c = make(class[i].spec, &v);
        if (size != class[i].size || c.n != size)
            fail_msg("%s: %llu counted, %llu listed", class[i].spec, (unsigned long long)size,
                     (unsigned long long)c.n);
        for (uint64_t a = 0; a < c.n; a++)
            for (uint64_t b = a + 1; b < c.n; b++)
                assert_false(thr_concept_same(thr_concepts_at(&c, a), thr_concepts_at(&c, b)));
        thr_concepts_clear(&c);
        thr_variables_clear(&v);
    }
}

static void refused(const char *spec, uint64_t n, const char *says)
{
    thr_variables v = {0};
    thr_concepts c;
    thr_error err = {0};
    assert_int_equal(thr_variables_number(&v, n, NULL), 0);
    assert_int_equal(thr_concepts_make(&c, spec, &v, &err), THR_EUSE);
    if (!strstr(err.message, says))
        fail_msg("%s: %s", spec, err.message);
    thr_concepts_clear(&c);
    thr_variables_clear(&v);
}

static void test_bad_or_too_large_classes_are_refused(void **state)
{
    (void)state;
    refused("conjunction", 3, "there is no class 'conjunction'");
    refused("conjunctions:j=2", 3, "no option 'j'");
    refused("conjunctions:k=4", 3, "more than the 3 variables");
    refused("thresholds:m=3,k=2", 3, "more than the 2 literals");
    refused("conjunctions", 0, "no variables");
    refused("conjunctions", 21, "2097152 concepts; at most 2^20");
    refused("conjunctions", 70, "more than 2^64 concepts");
    refused("conjunctions:negated=on,k=64,exactly=on", 64, "more than 2^64");
    refused("thresholds", 64, "more than 2^64");
    uint64_t size;
    assert_int_equal(thr_concepts_size("conjunctions", 63, &size, NULL), 0);
    assert_true(size == UINT64_C(1) << 63);
    assert_int_equal(thr_concepts_size("conjunctions", 64, &size, NULL), THR_EUSE);
}

static void test_classes_are_read_from_files_and_errors_placed(void **state)
{
    (void)state;
    char path[] = "/tmp/thresh-concepts-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    char spec[64];
    snprintf(spec, sizeof spec, "file=%s", path);
    static const char text[] = "# three\na & b\n\n!c | a\n2 of (a, b, c)\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    thr_variables v = {0};
    thr_error err = {0};
    assert_int_equal(thr_variables_list(&v, "b", NULL), 0);
    thr_concepts c = make(spec, &v);
    assert_int_equal(c.n, 3);
    assert_int_equal(v.n, 3); /* a and c are new */
    assert_true(c.negated && c.form == THR_LISTED);
    thr_concepts_clear(&c);
    assert_int_equal(write(fd, "a &\n", 4), 4);
    assert_int_equal(thr_concepts_make(&c, spec, &v, &err), THR_EDATA);
    assert_string_equal(err.file, path);
    assert_int_equal(err.line, 6);
    assert_int_equal(err.column, 4);
    thr_concepts_clear(&c);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(thr_concepts_make(&c, spec, &v, &err), THR_EDATA);
    assert_non_null(strstr(err.message, "no formula"));
    thr_concepts_clear(&c);
    close(fd);
    unlink(path);
    assert_int_not_equal(thr_concepts_make(&c, spec, &v, &err), 0);
    thr_concepts_clear(&c);
    thr_variables_clear(&v);
}

static void test_halving_votes(void **state)
{
    (void)state;
    thr_variables v = {0};
    assert_int_equal(thr_variables_number(&v, 2, NULL), 0);
    thr_concepts c = make("conjunctions", &v); /* true, x1, x2, x1 & x2 */
    thr_version_space s;
    assert_int_equal(thr_version_space_open(&s, &c, THR_HALVING, 1, NULL), 0);
    assert_int_equal(thr_version_space_bound(&s), 2);
    assert_false(thr_version_space_answer(&s, (bool[]){false, false})); /* one of four */
    assert_true(thr_version_space_answer(&s, (bool[]){true, false}));   /* two of four */
    assert_true(thr_version_space_learn(&s, (bool[]){true, false}, false));
    assert_int_equal(s.n, 2); /* x2, x1 & x2 */
    assert_true(thr_version_space_learn(&s, (bool[]){false, true}, false));
    assert_int_equal(s.n, 1);
    assert_int_equal(s.alive[0], 3);
    thr_version_space_close(&s);
    thr_concepts_clear(&c);
    thr_variables_clear(&v);
}

/* What no concept says is remembered and does no harm. */
static void test_contradictions_are_reported(void **state)
{
    (void)state;
    thr_variables v = {0};
    assert_int_equal(thr_variables_number(&v, 2, NULL), 0);
    thr_concepts c = make("conjunctions:k=1,exactly=on", &v);
    for (int rule = THR_CONSISTENT; rule <= THR_HALVING; rule++) {
        thr_version_space s;
        assert_int_equal(thr_version_space_open(&s, &c, (enum thr_version_rule)rule, 1, NULL), 0);
        thr_version_space_learn(&s, (bool[]){true, true}, true);
        assert_int_equal(s.refused, 0);
        thr_version_space_learn(&s, (bool[]){true, true}, false);
        thr_version_space_learn(&s, (bool[]){false, false}, true);
        assert_int_equal(s.refused, 2);
        assert_int_equal(s.first_refused, 2);
        assert_int_equal(s.n, 2);
        thr_version_space_learn(&s, (bool[]){true, false}, false);
        assert_int_equal(s.n, 1);
        assert_int_equal(s.alive[0], 1);
        assert_false(thr_version_space_answer(&s, (bool[]){true, false}));
        thr_version_space_close(&s);
    }
    thr_concepts_clear(&c);
    thr_variables_clear(&v);
}

/* The one that answers stays while it is right, whatever happens to the others. */
static void test_a_survivor_is_changed_only_when_it_errs(void **state)
{
    (void)state;
    thr_variables v = {0};
    assert_int_equal(thr_variables_number(&v, 6, NULL), 0);
    thr_concepts c = make("conjunctions", &v);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        thr_version_space s;
        thr_random r;
        thr_random_init(&r, seed);
        assert_int_equal(thr_version_space_open(&s, &c, THR_CONSISTENT, seed, NULL), 0);
        for (int e = 0; e < 40; e++) {
            uint32_t before = s.alive[s.pick];
            bool x[6];
            for (int i = 0; i < 6; i++)
                x[i] = thr_random_below(&r, 3) > 0;
            bool label = x[0] && x[1], wrong = thr_version_space_learn(&s, x, label);
            assert_true(wrong || s.alive[s.pick] == before);
            assert_true(!wrong || s.alive[s.pick] != before);
            assert_true(thr_version_space_answer(&s, x) == label);
        }
        thr_version_space_close(&s);
    }
    thr_concepts_clear(&c);
    thr_variables_clear(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_sizes_follow_their_formulas),
        cmocka_unit_test(test_bad_or_too_large_classes_are_refused),
        cmocka_unit_test(test_classes_are_read_from_files_and_errors_placed),
        cmocka_unit_test(test_halving_votes),
        cmocka_unit_test(test_contradictions_are_reported),
        cmocka_unit_test(test_a_survivor_is_changed_only_when_it_errs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
