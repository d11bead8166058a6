/* The table of large integers: found as if they were other names, wherever they come from. */
#include "lexicon_help.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>

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
    names.integers.refused = true;
    for (int i = 0; i < 20000; i++) {
        uint64_t edge = (i % 2 ? THR_SMALL : UINT64_C(1) << 32) - 20 + thr_random_below(&r, 40);
        uint64_t number = i % 7 ? thr_random_below(&r, UINT64_C(1) << (27 + i % 7)) : edge;
        snprintf(name, sizeof name, form[i % 5], (unsigned long long)number);
        assert_int_equal(add(&x, i % 11 ? "" : "a", name), add(&names, i % 11 ? "" : "a", name));
    }
    assert_true(x.integers.used > 5000 && x.integers.buckets > 8 && !x.integers.spilled);
    assert_true(!names.integers.slot && x.n == names.n);
    assert_int_equal(thr_lexicon_copy(&x, &copy, NULL), 0);
    size_t slots = thr_lexicon_table_size(thr_lexicon_names(&names));
    thr_lexicon file = names; /* as a map would have it */
    file.borrowed = true;
    file.old = NULL;
    file.slots = slots;
    file.slot = malloc(slots * sizeof *file.slot);
    assert_non_null(file.slot);
    thr_lexicon_table_fill(&names, file.slot, slots);
    assert_int_equal(thr_lexicon_copy(&file, &thawed, NULL), 0);
    free(file.slot);
    assert_int_equal(thawed.integers.used, x.integers.used);
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
    for (uint32_t number = THR_SMALL; last < 700; number++) {
        if (thr_integer_hash(number) & 1023)
            continue;
        snprintf(name, sizeof name, "%u", number);
        last = add(&x, "", name);
    }
    assert_true(x.integers.spilled && x.integers.used == THR_INTEGERS);
    assert_int_equal(x.slots_used, 700 - THR_INTEGERS);
    for (uint32_t i = 0; x.integers.buckets < 1100; i++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_integers),
        cmocka_unit_test(test_full_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
