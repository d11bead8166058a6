/* The perceptron in whole numbers: it comes to a stand with a separator, or comes back, and then
 * what it added in between is nothing. Both are checked here once more, plainly. */
#include "certify/cycle.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64, WIDE = 12 };

/* Dense rows; feature 0 is the bias. */
typedef struct table {
    uint64_t start[MOST + 1];
    uint32_t id[MOST * WIDE];
    float x[MOST * WIDE];
    uint32_t label[MOST];
    thr_points p;
} table;

static void table_start(table *t, uint32_t features, uint32_t labels)
{
    memset(t, 0, sizeof *t);
    t->p = (thr_points){.start = t->start,
                        .id = t->id,
                        .x = t->x,
                        .label = t->label,
                        .features = features,
                        .labels = labels,
                        .positive = 1};
}

/* values[] are those of features 1, 2, ... */
static void table_add(table *t, uint32_t label, const double *value)
{
    size_t e = t->p.examples++, at = (size_t)t->start[e];
    t->id[at] = 0;
    t->x[at++] = 1;
    for (uint32_t f = 1; f < t->p.features; f++)
        if (value[f - 1] != 0) {
            t->id[at] = f;
            t->x[at++] = (float)value[f - 1];
        }
    t->start[e + 1] = at;
    t->label[e] = label;
}

static thr_cycle run_within(const table *t, uint64_t updates)
{
    thr_cycle c;
    thr_cycle_limits limits = {.updates = updates, .visits = UINT64_MAX};
    assert_int_equal(thr_cycle_run(&t->p, &limits, &c, NULL), 0);
    return c;
}

static thr_cycle run(const table *t)
{
    return run_within(t, 1000000);
}

/* Values in the tests have few bits, so doubles are exact. */
static void check_separates(const table *t, const thr_cycle *c)
{
    double w[MOST * WIDE];
    for (size_t i = 0; i < thr_points_dims(&t->p); i++)
        w[i] = (double)c->w[i];
    assert_true(thr_points_least(&t->p, w, NULL) > 0);
}

static void check_sums_to_nothing(const table *t, const thr_cycle *c)
{
    double w[MOST * WIDE] = {0};
    uint64_t length = 0;
    assert_true(c->terms > 0);
    for (size_t i = 0; i < c->terms; i++) {
        assert_true(c->count[i] > 0 && (i == 0 || c->point[i] > c->point[i - 1]));
        thr_points_add(&t->p, c->point[i], (double)c->count[i], w);
        length += c->count[i];
    }
    assert_int_equal(length, c->length);
    for (size_t i = 0; i < thr_points_dims(&t->p); i++)
        assert_true(w[i] == 0);
}

static void parity(table *t, unsigned bits)
{
    table_start(t, bits + 1, 2);
    for (unsigned v = 0; v < 1u << bits; v++) {
        double value[WIDE];
        for (unsigned b = 0; b < bits; b++)
            value[b] = v >> b & 1;
        table_add(t, (uint32_t)__builtin_popcount(v) % 2, value);
    }
}

static void perceptron_repeats_its_weights_on_xor(void **state)
{
    (void)state;
    table t;
    for (unsigned bits = 2; bits <= 4; bits++) {
        parity(&t, bits);
        thr_cycle c = run(&t);
        assert_int_equal(c.end, THR_CYCLE_FOUND);
        check_sums_to_nothing(&t, &c);
        if (bits == 2)
            assert_int_equal(c.terms, 4); /* all four are needed */
        thr_cycle_clear(&c);
    }
}

static void and_comes_to_a_stand(void **state)
{
    (void)state;
    table t;
    parity(&t, 3);
    for (size_t e = 0; e < t.p.examples; e++)
        t.label[e] = e == 7;
    thr_cycle c = run(&t);
    assert_int_equal(c.end, THR_CYCLE_SEPARATED);
    check_separates(&t, &c);
    assert_true(c.updates > 0 && c.passes > 1 && c.terms == 0);
    thr_cycle_clear(&c);
}

static void fractions_become_whole_numbers(void **state)
{
    (void)state;
    table t;
    table_start(&t, 2, 2);
    table_add(&t, 1, (double[]){0.375});
    table_add(&t, 0, (double[]){0.3125});
    thr_cycle c = run(&t);
    assert_int_equal(c.end, THR_CYCLE_SEPARATED);
    check_separates(&t, &c);
    thr_cycle_clear(&c);
    table_add(&t, 0, (double[]){0.4375}); /* beyond the positive one */
    c = run(&t);
    assert_int_equal(c.end, THR_CYCLE_FOUND);
    check_sums_to_nothing(&t, &c);
    thr_cycle_clear(&c);
    table_add(&t, 0, (double[]){1e30});
    c = run(&t);
    assert_int_equal(c.end, THR_CYCLE_UNFIT);
    thr_cycle_clear(&c);
}

static void limits_are_kept(void **state)
{
    (void)state;
    table t;
    parity(&t, 4);
    thr_cycle c = run_within(&t, 1);
    assert_int_equal(c.end, THR_CYCLE_LIMIT);
    assert_int_equal(c.passes, 1);
    thr_cycle_clear(&c);
}

/* Small tables at random, with two labels or more: one of the two always happens. */
static void every_table_is_decided(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 11);
    unsigned ends[4] = {0};
    for (int round = 0; round < 400; round++) {
        table t;
        uint32_t labels = 2 + (uint32_t)thr_random_below(&r, 3), features = 3;
        table_start(&t, features, labels);
        size_t rows = 2 + (size_t)thr_random_below(&r, 6);
        for (size_t e = 0; e < rows; e++) {
            double value[2] = {(double)thr_random_below(&r, 5) - 2,
                               (double)thr_random_below(&r, 5) / 2};
            table_add(&t, (uint32_t)thr_random_below(&r, labels), value);
        }
        thr_cycle c = run(&t);
        ends[c.end]++;
        if (c.end == THR_CYCLE_FOUND)
            check_sums_to_nothing(&t, &c);
        else
            check_separates(&t, &c);
        thr_cycle_clear(&c);
    }
    assert_true(ends[THR_CYCLE_FOUND] > 50 && ends[THR_CYCLE_SEPARATED] > 50);
    assert_int_equal(ends[THR_CYCLE_LIMIT] + ends[THR_CYCLE_UNFIT], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perceptron_repeats_its_weights_on_xor),
        cmocka_unit_test(and_comes_to_a_stand),
        cmocka_unit_test(fractions_become_whole_numbers),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(every_table_is_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
