/* Repeated features, against looking at every pair; and words named in one go, against one by
 * one. */
#include "base/hash.h"
#include "base/random.h"
#include "example/merge.h"
#include "example/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 9000 /* more than a small table is made for */

typedef struct named {
    char name[16];
    uint32_t ns;
    float value;
} named;

/* Names and integers out of a few hundred, in two namespaces. */
static size_t random_features(thr_random *r, size_t n, named *out)
{
    for (size_t i = 0; i < n; i++) {
        unsigned k = (unsigned)thr_random_below(r, 1 + n / 2);
        snprintf(out[i].name, sizeof out[i].name, k % 3 ? "w%u" : "%u", k);
        out[i].ns = thr_random_below(r, 2) ? 1 : 0;
        out[i].value = (float)((int)thr_random_below(r, 5) - 2);
    }
    return n;
}

static void open_with(thr_batch *b, const named *f, size_t n, uint32_t ones)
{
    thr_batch_reset(b);
    thr_batch_open(b, 0);
    assert_int_equal(thr_batch_namespace(b, (thr_str){"a", 1}), 1);
    for (size_t i = 0; i < n; i++)
        thr_batch_named(b, f[i].ns, (thr_str){f[i].name, strlen(f[i].name)}, ones ? 1 : f[i].value);
}

/* The first of each; sums where asked for, without those that are zero. */
static size_t merge_by_pairs(named *f, size_t n, bool sum)
{
    size_t to = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < to && (f[j].ns != f[i].ns || strcmp(f[j].name, f[i].name) != 0))
            j++;
        if (j == to)
            f[to++] = f[i];
        else if (sum)
            f[j].value += f[i].value;
    }
    for (size_t i = 0; i < to; i++)
        if (!sum || f[i].value != 0)
            f[kept++] = f[i];
    return kept;
}

static void check_batch(const thr_batch *b, const named *f, size_t n)
{
    assert_false(b->failed);
    assert_int_equal(b->n_features, n);
    for (size_t i = 0; i < n; i++) {
        char digits[24];
        thr_str ns, name = thr_batch_name_of(b, i, digits, &ns);
        assert_int_equal(name.n, strlen(f[i].name));
        assert_memory_equal(name.p, f[i].name, name.n);
        assert_int_equal(ns.n, f[i].ns);
        assert_true(thr_batch_value(b, i) == f[i].value);
    }
}

static void check_merge(size_t n, thr_random *r, thr_batch *b, thr_merge *m, named *given,
                        named *wanted)
{
    for (int sum = 0; sum < 2; sum++) {
        random_features(r, n, given);
        memcpy(wanted, given, n * sizeof *given);
        open_with(b, given, n, false);
        size_t left = merge_by_pairs(wanted, n, sum);
        if (sum)
            thr_batch_merge(b, 0, m, false);
        else
            thr_batch_distinct(b, 0, m);
        check_batch(b, wanted, left);
    }
}

static void test_repeated_features_are_merged_as_by_comparing_pairs(void **state)
{
    (void)state;
    thr_random r;
    thr_batch b;
    thr_merge m = {0};
    named *given = malloc(MOST * sizeof *given), *wanted = malloc(MOST * sizeof *wanted);
    assert_true(given && wanted);
    thr_random_init(&r, 11);
    thr_batch_init(&b);
    check_merge(MOST, &r, &b, &m, given, wanted);
    for (size_t n = 0; n < 300; n++)
        check_merge(n, &r, &b, &m, given, wanted);
    free(given);
    free(wanted);
    thr_merge_clear(&m);
    thr_batch_release(&b);
}

/* The table is cleared only now and then, and until then knows what is of which merge. When numbers
 * of merges begin anew, nothing is left of the first: else "a" would be at place 1 from the start.
 */
static void test_merge_again_and_again(void **state)
{
    (void)state;
    thr_batch b;
    thr_merge m = {0};
    named first[] = {{"x", 0, 1}, {"a", 0, 1}}, others[] = {{"p", 0, 1}, {"q", 0, 1}};
    named twice[] = {{"a", 0, 1}, {"a", 0, 1}};
    thr_batch_init(&b);
    open_with(&b, first, 2, true);
    thr_batch_distinct(&b, 0, &m);
    check_batch(&b, first, 2);
    for (int round = 0; round < 9000; round++) {
        bool same = round + 2 == 4096; /* the first and these are 4095 merges apart */
        open_with(&b, same ? twice : others, 2, true);
        thr_batch_distinct(&b, 0, &m);
        check_batch(&b, same ? twice : others, same ? 1 : 2);
    }
    thr_merge_clear(&m);
    thr_batch_release(&b);
}

/* Names decide, also where all hashes agree. */
static void test_one_hash_for_all(void **state)
{
    (void)state;
    thr_batch b;
    thr_merge m = {0};
    named f[] = {{"one", 0, 1}, {"two", 0, 1}, {"two", 1, 1}, {"twos", 0, 1}, {"two", 0, 1}};
    thr_batch_init(&b);
    open_with(&b, f, 5, true);
    for (size_t i = 0; i < b.n_names; i++)
        b.name[i].hash = 77 - b.name[i].ns;
    thr_batch_merge(&b, 0, &m, false);
    f[1].value = 2;
    check_batch(&b, f, 4);
    thr_merge_clear(&m);
    thr_batch_release(&b);
}

/* ---- words in one go ---------------------------------------------------------------------- */

#define WORDS 200

static size_t random_words(thr_random *r, char *text, uint32_t *edge)
{
    static const char any[] = "ab0123456789_", digits[] = "0123456789";
    size_t words = thr_random_below(r, WORDS), at = 0;
    for (size_t i = 0; i < words; i++) {
        size_t n = 1 + thr_random_below(r, thr_random_below(r, 4) ? 9 : 40);
        const char *from = thr_random_below(r, 2) ? any : digits;
        edge[2 * i] = (uint32_t)at;
        for (size_t j = 0; j < n; j++)
            text[at++] = from[thr_random_below(r, strlen(from))];
        edge[2 * i + 1] = (uint32_t)at++;
    }
    return words;
}

static void check_same(const thr_batch *a, const thr_batch *b)
{
    assert_false(a->failed || b->failed);
    assert_int_equal(a->n_features, b->n_features);
    assert_int_equal(a->n_names, b->n_names);
    for (size_t i = 0; i < a->n_features; i++) {
        assert_int_equal(a->key[i], b->key[i]);
        assert_true(thr_batch_value(a, i) == thr_batch_value(b, i));
    }
    for (size_t i = 0; i < a->n_names; i++) {
        const thr_name *x = &a->name[i], *y = &b->name[i];
        assert_true(x->p == y->p && x->n == y->n && x->ns == y->ns && x->hash == y->hash);
        assert_int_equal(x->hash, thr_hash(x->p, x->n, a->hash_seed));
    }
}

static void test_words_in_one_go(void **state)
{
    (void)state;
    thr_random r;
    thr_batch a, b;
    char text[WORDS * 42] = {0};
    uint32_t edge[2 * WORDS];
    thr_random_init(&r, 12);
    thr_batch_init(&a);
    thr_batch_init(&b);
    for (int round = 0; round < 2000; round++) {
        a.hash_seed = b.hash_seed = thr_random_below(&r, 3) * UINT64_C(0x123456789abcdef);
        size_t words = random_words(&r, text, edge);
        named first = {"x", 0, thr_random_below(&r, 2) ? 1 : 2};
        open_with(&a, &first, 1, false);
        open_with(&b, &first, 1, false);
        b.name[0].p = a.name[0].p;
        thr_batch_words(&a, 1, text, edge, words);
        for (size_t i = 0; i < words; i++)
            thr_batch_named(&b, 1, (thr_str){text + edge[2 * i], edge[2 * i + 1] - edge[2 * i]}, 1);
        check_same(&a, &b);
    }
    thr_batch_release(&a);
    thr_batch_release(&b);
}

/* Values other than 1 come late, early or never. */
static void test_names_collected_are_those_added_one_by_one(void **state)
{
    (void)state;
    thr_random r;
    thr_batch a, b;
    char text[WORDS * 42] = {0};
    uint32_t edge[2 * WORDS];
    thr_random_init(&r, 14);
    thr_batch_init(&a);
    thr_batch_init(&b);
    for (int round = 0; round < 2000; round++) {
        size_t words = random_words(&r, text, edge), from = thr_random_below(&r, 2 * WORDS);
        named first = {"x", 0, thr_random_below(&r, 2) ? 1 : 2};
        open_with(&a, &first, 1, false);
        open_with(&b, &first, 1, false);
        b.name[0].p = a.name[0].p;
        thr_naming x;
        thr_naming_begin(&x, &a, 1);
        for (size_t i = 0; i < words; i++) {
            thr_str name = {text + edge[2 * i], edge[2 * i + 1] - edge[2 * i]};
            float value = i < from ? 1 : (float)thr_random_below(&r, 3);
            thr_naming_add(&x, name, value);
            thr_batch_named(&b, 1, name, value);
        }
        thr_naming_flush(&x);
        check_same(&a, &b);
    }
    thr_batch_release(&a);
    thr_batch_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated_features_are_merged_as_by_comparing_pairs),
        cmocka_unit_test(test_merge_again_and_again),
        cmocka_unit_test(test_one_hash_for_all),
        cmocka_unit_test(test_words_in_one_go),
        cmocka_unit_test(test_names_collected_are_those_added_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
