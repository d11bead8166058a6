/* The table of large integers: found as if they were other names, wherever they come from. */
#include "lexicon_help.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>

#define MIXED 5000 /* features */

/* Large integers of the empty namespace have a table of their own. Ids are as if they had none; in
 * copies too, and after they came from a file, to which they are names. */
static void test_large_integers(void **state)
{
    (void)state;
    static const char *const form[] = {"%llu", "%llu", "%llu", "0%llu", "%llux"};
    thr_lexicon x = make(0), names = make(0), copy, thawed;
    thr_random r;
    char name[40];
    thr_random_init(&r, 6);
    names.no_integers = true;
    for (int i = 0; i < 20000; i++) {
        uint64_t edge = (i % 2 ? THR_SMALL : UINT64_C(1) << 32) - 20 + thr_random_below(&r, 40);
        uint64_t number = i % 7 ? thr_random_below(&r, UINT64_C(1) << (27 + i % 7)) : edge;
        snprintf(name, sizeof name, form[i % 5], (unsigned long long)number);
        assert_int_equal(add(&x, i % 11 ? "" : "a", name), add(&names, i % 11 ? "" : "a", name));
    }
    assert_true(x.integers->used > 5000 && x.integers->buckets > 8 && !x.integers->spilled);
    assert_true(!names.integers && x.n == names.n);
    assert_int_equal(thr_lexicon_copy(&x, &copy, NULL), 0);
    size_t slots = thr_lexicon_table_size(thr_lexicon_names(&names));
    thr_lexicon file = names; /* as a map would have it */
    file.borrowed = true;
    file.cell = file.old = NULL;
    file.slots = slots;
    thr_slot *slot = malloc(slots * sizeof *slot);
    assert_non_null(slot);
    thr_lexicon_table_fill(&names, slot, slots);
    file.slot = slot;
    assert_same_ids(&x, &file);
    assert_int_equal(thr_lexicon_copy(&file, &thawed, NULL), 0);
    free(slot);
    assert_int_equal(thawed.integers->used, x.integers->used);
    assert_same_ids(&x, &x);
    assert_same_ids(&x, &names);
    assert_same_ids(&x, &copy);
    assert_same_ids(&x, &thawed);
    assert_int_equal(find(&x, "", "4294967297"), find(&names, "", "4294967297"));
    thr_lexicon_clear(&x);
    thr_lexicon_clear(&names);
    thr_lexicon_clear(&copy);
    thr_lexicon_clear(&thawed);
}

/* Numbers that all belong in the first bucket: those it has no room for are among the names, and
 * stay there when it is split. */
static void test_full_bucket(void **state)
{
    (void)state;
    thr_lexicon x = make(0);
    char name[24];
    uint32_t last = 0;
    for (uint32_t number = THR_SMALL; last < 520; number++) {
        if (thr_mix64(number) & 1023)
            continue;
        snprintf(name, sizeof name, "%u", number);
        last = add(&x, "", name);
    }
    assert_true(x.integers->spilled && x.integers->used == THR_INTEGERS);
    assert_int_equal(x.cells_used, 520 - THR_INTEGERS);
    for (uint32_t i = 0; x.integers->buckets < 1100; i++) {
        snprintf(name, sizeof name, "%u", 4000000000u - i);
        add(&x, "", name);
    }
    uint32_t n = x.n;
    for (uint32_t id = 1; id < n; id++) {
        char digits[24];
        thr_str ns, text = thr_lexicon_name(&x, id, digits, &ns);
        uint32_t again;
        assert_int_equal(thr_lexicon_add(&x, ns, text, &again, NULL), 0);
        assert_int_equal(again, id);
    }
    assert_int_equal(x.n, n);
    thr_lexicon_clear(&x);
}

/* Feature i: integers of every size, names and the bias, in runs of one kind and mixed. */
static void push_some(thr_batch *b, thr_random *r, unsigned i)
{
    unsigned kind = i % 1000 < 400 ? i / 100 % 5 : (unsigned)thr_random_below(r, 6);
    static const unsigned bits[] = {24, 32, 34, 34, 10, 10};
    uint64_t most = UINT64_C(1) << bits[kind];
    uint64_t number =
        thr_random_below(r, 3) ? thr_random_below(r, most) : most - 100 + thr_random_below(r, 200);
    char name[24];
    size_t n = (size_t)snprintf(name, sizeof name, kind == 3 ? "n%llu" : "%llu",
                                (unsigned long long)number);
    if (kind < 3 && i % 2)
        thr_batch_integer(b, 0, number, 1);
    else if (kind < 5)
        thr_batch_named(b, kind == 4 ? 1 + i % 2 : 0,
                        (thr_str){thr_arena_copy(&b->arena, name, n), n}, 1);
    else
        thr_batch_push(b, THR_KEY_BIAS, 1);
}

static void fill_mixed(thr_batch *b, uint64_t seed)
{
    thr_random r;
    thr_random_init(&r, seed);
    thr_batch_init(b);
    b->hash_seed = 7;
    thr_batch_open(b, 0);
    assert_int_equal(thr_batch_namespace(b, thr_str_of("a")), 1);
    assert_int_equal(thr_batch_namespace(b, thr_str_of(seed == 1 ? "b" : "c")), 2);
    for (unsigned i = 0; i < MIXED; i++)
        push_some(b, &r, i);
    thr_batch_close(b);
}

/* Nothing in the namespace c is known. */
static uint32_t id_by_name(const thr_lexicon *x, const thr_batch *b, size_t i)
{
    char digits[24];
    if (thr_batch_is_bias(b, i))
        return 0;
    thr_str ns, name = thr_batch_name_of(b, i, digits, &ns);
    return thr_str_eq(ns, thr_str_of("c")) ? THR_NONE : thr_lexicon_id(x, ns, name);
}

/* A batch of all kinds has the ids its names have one by one, in a lexicon with a table of large
 * integers, in one without, in one whose pages are not in a row, and in the hashed form; so has one
 * it does not know entirely. */
static void test_mixed_batch(void **state)
{
    (void)state;
    thr_lexicon x[4] = {make(0), make(0), make(0), make(14)};
    thr_batch b, other;
    x[1].no_integers = x[2].scattered = true;
    fill_mixed(&b, 1);
    fill_mixed(&other, 2);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(thr_lexicon_resolve(&x[k], &b, NULL), 0);
        for (size_t pass = 0; pass < 2; pass++) {
            const thr_batch *now = pass ? &other : &b;
            for (size_t i = 0; i < MIXED; i++) {
                uint32_t id = id_by_name(&x[k], now, i);
                assert_true(pass || id != THR_NONE);
                assert_int_equal(now->id[i], id);
            }
            assert_int_equal(thr_lexicon_find(&x[k], &other, NULL), 0);
        }
    }
    assert_true(x[0].integers->used > 500 && !x[1].integers && !x[2].flat);
    assert_same_ids(&x[0], &x[1]);
    assert_same_ids(&x[0], &x[2]);
    thr_batch_release(&b);
    thr_batch_release(&other);
    for (int k = 0; k < 4; k++)
        thr_lexicon_clear(&x[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_integers),
        cmocka_unit_test(test_full_bucket),
        cmocka_unit_test(test_mixed_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
