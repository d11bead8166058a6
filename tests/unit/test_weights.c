/* Rows: their layout, when they come to be and how they widen; the kernels against plain loops. */
#include "weights/kernels.h"

#include "base/large.h"
#include "base/random.h"
#include "example/batch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const thr_slot_spec two_slots[] = {
    {"sum", true, 0.25, THR_MIRROR_NEGATE},
    {"w", false, 1.5, THR_MIRROR_NEGATE},
};

static void ready(thr_weights *w, uint32_t id)
{
    assert_int_equal(thr_weights_ready(w, &(thr_example){.id = &id, .n = 1}, NULL), 0);
}

/* f64 slots first, each `width` long; rows with one are a multiple of 8 bytes. */
static void test_layout(void **state)
{
    (void)state;
    thr_weights w, narrow;
    thr_weights_init(&w, two_slots, 2);
    thr_weights_init(&narrow, two_slots + 1, 1);
    for (uint32_t width = 1; width < 10; width++) {
        assert_int_equal(thr_weights_offset(&w, 0, width), 0);
        assert_int_equal(thr_weights_offset(&w, 1, width), 8 * width);
        assert_int_equal(thr_weights_size(&w, width), (12 * width + 7) / 8 * 8);
        assert_int_equal(thr_weights_size(&narrow, width), 4 * width);
    }
    thr_weights_widen(&w, 3);
    ready(&w, 5);
    uint32_t stride = (uint32_t)thr_weights_size(&w, w.segment[0].width);
    assert_int_equal((char *)thr_weights_row_wide(&w, 5, 0) - w.segment[0].rows, 5 * stride);
    assert_int_equal((char *)thr_weights_row(&w, 5, 1) - (char *)thr_weights_row_wide(&w, 5, 0),
                     8 * w.segment[0].width);
    thr_weights_clear(&w);
    thr_weights_clear(&narrow);
}

/* Nothing stands for start values; neighbours in the segment begin with them too. */
static void test_start(void **state)
{
    (void)state;
    thr_weights w;
    thr_weights_init(&w, two_slots, 2);
    assert_true(thr_weights_get(&w, 77, 0, 0) == 0.25 && thr_weights_get(&w, 77, 1, 0) == 1.5);
    ready(&w, 2000);
    assert_int_equal(w.rows, 2001);
    assert_null(w.segment[0].rows); /* only the segment that was asked for */
    for (uint32_t id = 0; id < 3000; id += 100)
        assert_true(thr_weights_get(&w, id, 0, 0) == 0.25 && thr_weights_get(&w, id, 1, 0) == 1.5);
    assert_true(thr_weights_get(&w, THR_NONE, 1, 0) == 1.5);
    thr_weights_clear(&w);
}

/* A new label widens a segment when a row of it is next made ready; numbers stay in their place. */
static void test_widening(void **state)
{
    (void)state;
    thr_weights w, copy;
    thr_weights_init(&w, two_slots, 2);
    ready(&w, 3);
    ready(&w, 1030);
    thr_weights_row(&w, 3, 1)[0] = 7;
    thr_weights_row_wide(&w, 1030, 0)[0] = 9;
    for (uint32_t n = 2; n < 40; n++) {
        thr_weights_widen(&w, n);
        uint32_t before = w.segment[1].width, last = w.functions - 1;
        ready(&w, 3);
        assert_true(w.segment[0].width >= w.functions);
        assert_int_equal(w.segment[1].width, before);
        assert_true(thr_weights_get(&w, 3, 1, 0) == 7);
        assert_true(thr_weights_get(&w, 3, 1, last) == 1.5);
        assert_true(thr_weights_get(&w, 1030, 0, last) == 0.25);
        thr_weights_row_wide(&w, 3, 0)[last] = last;
        for (uint32_t f = 1; f <= last; f++)
            assert_true(thr_weights_get(&w, 3, 0, f) == f);
    }
    thr_weights_widen(&w, 39);
    assert_int_equal(thr_weights_copy(&w, &copy, NULL), 0);
    assert_int_equal(thr_weights_settle(&w, 5000, NULL), 0);
    assert_int_equal(w.rows, 5000);
    thr_weights *each[] = {&w, &copy};
    for (int i = 0; i < 2; i++) {
        assert_true(thr_weights_get(each[i], 3, 1, 0) == 7);
        assert_true(thr_weights_get(each[i], 1030, 0, 0) == 9);
        assert_true(thr_weights_get(each[i], 3, 0, 38) == 38);
        assert_true(thr_weights_get(each[i], 4999, 1, 38) == 1.5);
        thr_weights_clear(each[i]);
    }
}

/* An exported row is as wide as the functions, its padding zero, whatever the segment. */
static void test_export(void **state)
{
    (void)state;
    thr_weights w;
    thr_weights_init(&w, two_slots, 2);
    ready(&w, 1);
    thr_weights_row(&w, 1, 1)[0] = 4;
    thr_weights_widen(&w, 3);
    char row[40], expected[40] = {0};
    assert_int_equal(thr_weights_size(&w, 3), sizeof row);
    for (uint32_t id = 0; id < 3; id++) {
        const double wide[] = {0.25, 0.25, 0.25};
        const float slim[] = {id == 1 ? 4 : 1.5F, 1.5F, 1.5F};
        memcpy(expected, wide, sizeof wide);
        memcpy(expected + sizeof wide, slim, sizeof slim);
        memset(row, 99, sizeof row);
        thr_weights_export(&w, id, row);
        assert_memory_equal(row, expected, sizeof row);
    }
    thr_weights_clear(&w);
}

/* ---- dot products ---- */

enum { MOST = 50, SPACE = 3000 };

static size_t random_example(thr_random *r, uint32_t *id, float *x)
{
    size_t n = (size_t)thr_random_below(r, MOST);
    for (size_t i = 0; i < n; i++) {
        id[i] = thr_random_below(r, 10) ? (uint32_t)thr_random_below(r, SPACE) : THR_NONE;
        x[i] = (float)thr_random_normal(r);
    }
    return n;
}

/* The rows of e, in memory that lasts until the next call. */
static void find(thr_weights *w, thr_example *e)
{
    static char *row[MOST], spare[1 << 16];
    assert_true(thr_weights_spare(&w, 1, e) <= sizeof spare);
    thr_weights_find(&w, 1, e, row, spare);
    e->row = row;
}

/* Term i goes to lane i mod 8, lanes are added pairwise, in double. */
static double in_lanes(const thr_weights *w, unsigned slot, const thr_example *e)
{
    double lane[8] = {0};
    for (size_t i = 0; i < e->n; i++)
        lane[i % 8] += thr_weights_get(w, e->id[i], slot, 0) * (e->x ? (double)e->x[i] : 1);
    return (((lane[0] + lane[1]) + (lane[2] + lane[3])) +
            ((lane[4] + lane[5]) + (lane[6] + lane[7]))) *
           e->scale;
}

static double in_order(const thr_weights *w, unsigned slot, const thr_example *e, uint32_t f)
{
    double sum = 0;
    for (size_t i = 0; i < e->n; i++)
        sum += thr_weights_get(w, e->id[i], slot, f) * (e->x ? (double)e->x[i] : 1);
    return sum * e->scale;
}

static void assert_bits(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0 && !(a == 0 && b == 0))
        fail_msg("%.17g is not %.17g", a, b);
}

/* Terms of features known before, added in order to what is there. */
static void check_known(const thr_weights *w, thr_example *e)
{
    double out[30], wanted[30];
    e->known = SPACE / 2;
    for (unsigned slot = 0; slot < 2; slot++) {
        for (uint32_t f = 0; f < w->functions; f++) {
            out[f] = wanted[f] = 1.0 / (f + 3);
            for (size_t i = 0; i < e->n; i++)
                if (e->id[i] < e->known)
                    wanted[f] += thr_weights_get(w, e->id[i], slot, f) * thr_example_value(e, i);
        }
        thr_weights_dot_known(w, slot, e, out);
        for (uint32_t f = 0; f < w->functions; f++)
            assert_bits(out[f], wanted[f]);
    }
}

/* Length and greatest value, by lanes and plainly. */
static void check_sizes(const thr_example *e)
{
    double lane[8] = {0}, most = 0;
    for (size_t i = 0; i < e->n; i++) {
        double x = e->x ? (double)e->x[i] : 1;
        lane[i % 8] += x * x;
        most = fmax(most, fabs(x));
    }
    double sum =
        ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    assert_bits(thr_example_norm2(e), e->scale * e->scale * sum);
    assert_bits(thr_example_max(e), e->scale * most);
}

/* Bit for bit, with values and without, in rows narrower than the functions, of ids never seen. */
static void test_dot(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 3);
    thr_weights w;
    thr_weights_init(&w, two_slots, 2);
    for (uint32_t n = 1; n < 30; n += n < 12 ? 1 : 4) {
        thr_weights_widen(&w, n);
        for (int k = 0; k < 100; k++) { /* some rows of some segments */
            uint32_t id = (uint32_t)thr_random_below(&r, SPACE - 500) & ~(w.functions << 10);
            ready(&w, id);
            uint32_t f = (uint32_t)thr_random_below(&r, w.functions);
            thr_weights_row(&w, id, 1)[f] = (float)thr_random_normal(&r);
            thr_weights_row_wide(&w, id, 0)[f] = thr_random_normal(&r);
        }
        for (int k = 0; k < 300; k++) {
            uint32_t id[MOST];
            float x[MOST];
            double out[30], both[2][30];
            thr_example e = {.id = id, .n = random_example(&r, id, x), .scale = k % 3 ? 1 : 0.7};
            e.x = k % 2 ? x : NULL;
            find(&w, &e);
            thr_weights_dot_both(&w, 0, 1, &e, both[0], both[1]);
            check_known(&w, &e);
            check_sizes(&e);
            for (unsigned slot = 0; slot < 2; slot++) {
                thr_weights_dot(&w, slot, &e, out);
                for (uint32_t f = 0; f < w.functions; f++)
                    assert_bits(out[f], both[slot][f]);
                for (uint32_t f = 0; f < w.functions; f++)
                    assert_bits(out[f], w.functions == 1 ? in_lanes(&w, slot, &e)
                                                         : in_order(&w, slot, &e, f));
            }
        }
    }
    thr_weights_clear(&w);
}

/* ---- numbers of one function ---- */

static const thr_slot_spec two_narrow[] = {
    {"w", false, 1.5, THR_MIRROR_NEGATE},
    {"v", false, -0.5, THR_MIRROR_SAME},
};

/* Examples around the limits of how many features are taken at once, all rows distinct. */
enum { LONGEST = 2 * THR_SOME + 3 };

static size_t some_length(thr_random *r)
{
    static const size_t edges[] = {0, 1, 3, 4, 7, 8, 9, THR_SOME - 1, THR_SOME, THR_SOME + 1};
    uint64_t k = thr_random_below(r, 14);
    return k < 10 ? edges[k] : (size_t)thr_random_below(r, LONGEST);
}

/* Ids and values are those of the rows, what is filled up is 0 and 1. */
static void check_taken(const thr_weights *w, const thr_example *e, uint32_t f, const thr_some *s)
{
    assert_true(s->n == (e->n - s->from < THR_SOME ? e->n - s->from : THR_SOME));
    assert_true(s->round % 4 == 0 && s->round >= s->n && s->round < s->n + 4);
    for (size_t i = 0; i < s->round; i++) {
        bool there = i < s->n;
        assert_true(s->x[i] == (there ? thr_example_value(e, s->from + i) : 0));
        assert_true(s->a[i] == (there ? thr_weights_get(w, e->id[s->from + i], 0, f) : 1));
        assert_true(s->b[i] == (there ? thr_weights_get(w, e->id[s->from + i], 1, f) : 1));
    }
}

/* What is put back is in its rows, rounded, and in no others. */
static void check_some(thr_weights *w, const thr_example *e, uint32_t f, thr_random *r)
{
    static double a[LONGEST], b[LONGEST];
    thr_some s;
    uint32_t other = (f + 1) % w->functions;
    double beside = thr_weights_get(w, 0, 1, other);
    for (size_t from = 0; from < e->n; from += THR_SOME) {
        assert_ptr_equal(thr_some_take(&s, w, e, f, from), &s);
        check_taken(w, e, f, &s);
        for (size_t i = 0; i < s.round; i++) {
            s.a[i] = thr_random_normal(r);
            s.b[i] = 1e30 * thr_random_normal(r);
        }
        memcpy(a + from, s.a, s.n * sizeof *a);
        memcpy(b + from, s.b, s.n * sizeof *b);
        thr_some_put(&s, w, e, f);
    }
    for (size_t i = 0; i < e->n; i++) {
        assert_true(thr_weights_get(w, e->id[i], 0, f) == (double)(float)a[i]);
        assert_true(thr_weights_get(w, e->id[i], 1, f) == (double)(float)b[i]);
    }
    if (w->functions > 1 && e->n)
        assert_true(thr_weights_get(w, 0, 1, other) == beside);
}

static void check_two(const thr_weights *w, const thr_example *e)
{
    double first[3], second[3], alone[3];
    thr_some_dot(w, e, first, second);
    thr_weights_dot(w, 0, e, alone);
    for (uint32_t f = 0; f < w->functions; f++) {
        assert_bits(first[f], alone[f]);
        assert_bits(first[f], w->functions == 1 ? in_lanes(w, 0, e) : in_order(w, 0, e, f));
        assert_bits(second[f], w->functions == 1 ? in_lanes(w, 1, e) : in_order(w, 1, e, f));
    }
}

/* What scoring leaves is what moving would take, as long as nothing has been put back. */
static void check_left(thr_weights *w, const thr_example *plain)
{
    static thr_some left, other;
    thr_example e = *plain;
    double first[3], second[3], alone[3];
    bool leaves = w->functions == 1 && e.distinct && e.n <= THR_SOME;
    e.some = &left;
    thr_some_dot(w, &e, first, second);
    thr_some_dot(w, &e, alone, NULL);
    for (uint32_t f = 0; f < w->functions; f++) {
        assert_bits(first[f], w->functions == 1 ? in_lanes(w, 0, &e) : in_order(w, 0, &e, f));
        assert_bits(second[f], w->functions == 1 ? in_lanes(w, 1, &e) : in_order(w, 1, &e, f));
        assert_bits(first[f], alone[f]);
    }
    if (e.n == 0)
        return;
    assert_ptr_equal(thr_some_take(&other, w, &e, 0, 0), leaves ? &left : &other);
    check_taken(w, &e, 0, leaves ? &left : &other);
    thr_some_put(leaves ? &left : &other, w, &e, 0);
    assert_ptr_equal(thr_some_take(&other, w, &e, 0, 0), &other);
}

/* With slots side by side (one function) and apart, with values and without. */
static void test_some(void **state)
{
    (void)state;
    static uint32_t id[LONGEST];
    static float x[LONGEST];
    static char *row[LONGEST];
    thr_random r;
    thr_random_init(&r, 5);
    for (uint32_t functions = 1; functions <= 3; functions++) {
        thr_weights w, *each = &w;
        thr_weights_init(&w, two_narrow, 2);
        thr_weights_widen(&w, functions);
        for (int k = 0; k < 300; k++) {
            thr_example e = {.id = id, .n = some_length(&r), .scale = k % 3 ? 1 : 0.7, .row = row};
            for (size_t i = 0; i < e.n; i++) {
                id[i] = (uint32_t)(3 * i);
                x[i] = (float)thr_random_normal(&r);
            }
            e.x = k % 2 ? x : NULL;
            assert_int_equal(thr_weights_ready(&w, &e, NULL), 0);
            thr_weights_find(&each, 1, &e, row, NULL);
            check_some(&w, &e, (uint32_t)k % functions, &r);
            check_two(&w, &e);
            e.distinct = k % 5;
            check_left(&w, &e);
        }
        thr_weights_clear(&w);
    }
}

static void test_add(void **state)
{
    (void)state;
    thr_weights w;
    uint32_t id[] = {1, 4, 2};
    float x[] = {0.5F, -2, 1};
    thr_example e = {.id = id, .x = x, .n = 3, .scale = 1};
    thr_weights_init(&w, two_slots, 2);
    thr_weights_widen(&w, 2);
    assert_int_equal(thr_weights_ready(&w, &e, NULL), 0);
    find(&w, &e);
    thr_weights_add(&w, 1, &e, 1, 3);
    thr_weights_add(&w, 0, &e, 0, -0.1);
    assert_true(thr_weights_get(&w, 1, 1, 1) == 3 && thr_weights_get(&w, 4, 1, 1) == -4.5);
    assert_true(thr_weights_get(&w, 1, 1, 0) == 1.5 && thr_weights_get(&w, 3, 1, 1) == 1.5);
    assert_true(thr_weights_get(&w, 4, 0, 0) == 0.25 + -0.1 * -2);
    e.scale = 0.5;
    thr_weights_add(&w, 1, &e, 1, 1);
    assert_true(thr_weights_get(&w, 4, 1, 1) == -5.5);
    e.scale = 1;
    e.x = NULL;
    thr_weights_add(&w, 1, &e, 0, 1e38);
    assert_true(thr_weights_get(&w, 4, 1, 0) == (double)(float)THR_WEIGHT_MAX);
    thr_weights_add(&w, 1, &e, 0, -HUGE_VAL);
    assert_true(thr_weights_get(&w, 4, 1, 0) == (double)(float)-THR_WEIGHT_MAX);
    thr_weights_clear(&w);
}

/* ---- tables side by side ---- */

enum { TABLES = 3, WIDEST = 6 };

/* Tables as they should be, number by number. */
static float plain[TABLES][SPACE][WIDEST];

static void forget(int table)
{
    for (size_t id = 0; id < SPACE; id++)
        for (size_t f = 0; f < WIDEST; f++)
            plain[table][id][f] = 1.5F;
}

/* Reads the rows of an example as scoring does; writes them, if they were made ready. */
static void compare_found(thr_weights *const *w, const thr_example *whole, bool write,
                          thr_random *r)
{
    static char *row[TABLES * MOST];
    static _Alignas(8) char spare[1 << 16];
    assert_true(thr_weights_spare(w, TABLES, whole) <= sizeof spare);
    thr_weights_find(w, TABLES, whole, row, spare);
    for (size_t k = 0; k < TABLES; k++)
        for (size_t i = 0; i < whole->n && w[k]->n_slots; i++) {
            thr_example e = *whole;
            e.row = row + k * whole->n;
            float *at = thr_row(w[k], &e, i, w[k]->n_slots - 1);
            for (uint32_t f = 0; f < w[k]->functions; f++) {
                float *should = &plain[k][e.id[i]][f];
                assert_true(at[f] == *should);
                if (!write)
                    continue;
                at[f] = *should = (float)thr_random_normal(r);
                if (w[k]->n_wide)
                    thr_row_wide(w[k], &e, i, 0)[f] = 1;
            }
        }
}

/* Rows found ahead are those found in time. */
static void compare_ahead(thr_weights *const *w, const thr_example *e)
{
    static char *row[TABLES * MOST], *ahead[TABLES * MOST];
    thr_listed how;
    static _Alignas(8) char spare[1 << 16];
    thr_weights_find(w, TABLES, e, row, spare);
    if (!thr_weights_ahead(w, TABLES, e->id, e->n, ahead, &how))
        return;
    for (size_t k = 0, at = 0; k < TABLES; at += thr_weights_aligned(w[k++]))
        for (size_t i = 0; i < e->n && w[k]->n_slots; i++) {
            const char *there = how.beside ? ahead[i] + at : ahead[k * e->n + i];
            assert_true(there == row[k * e->n + i] || (how.unseen && !there));
        }
}

static void read_and_compare(thr_weights *const *w)
{
    for (size_t k = 0; k < TABLES; k++)
        for (uint32_t id = 0; id < SPACE && w[k]->n_slots; id++)
            for (uint32_t f = 0; f < w[k]->functions; f++)
                assert_true(thr_weights_get(w[k], id, w[k]->n_slots - 1, f) ==
                            (double)plain[k][id][f]);
}

/* One table begins anew, or gets more functions, is changed by itself or replaced by its copy. */
static void upset(thr_weights *const *w, thr_random *r)
{
    int k = (int)thr_random_below(r, TABLES);
    thr_weights copy;
    switch (thr_random_below(r, 5)) {
    case 0:
        thr_weights_init(&copy, w[k]->slot, w[k]->n_slots);
        thr_weights_widen(&copy, w[k]->functions);
        forget(k);
        break;
    case 1:
        thr_weights_widen(w[k], w[k]->functions < WIDEST ? w[k]->functions + 1 : WIDEST);
        return;
    default:
        assert_int_equal(thr_weights_copy(w[k], &copy, NULL), 0);
    }
    thr_weights_clear(w[k]);
    *w[k] = copy;
}

/* Some features below `most`, each at most once; returns the greatest. */
static uint32_t some_features(thr_random *r, uint64_t most, thr_example *e, uint32_t *id)
{
    uint32_t top = 0;
    e->n = (size_t)thr_random_below(r, MOST);
    for (size_t i = 0; i < e->n; i++) {
        id[i] = (uint32_t)thr_random_below(r, most);
        for (size_t j = 0; j < i; j++)
            e->n = id[j] == id[i] ? i : e->n;
        top = i < e->n && id[i] > top ? id[i] : top;
    }
    return top;
}

static void test_side_by_side(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 11);
    thr_weights table[TABLES], *w[TABLES];
    for (int k = 0; k < TABLES; k++) {
        w[k] = &table[k];
        forget(k);
    }
    thr_weights_init(w[0], two_slots + 1, 1); /* 4 bytes: what follows must be aligned */
    thr_weights_init(w[1], NULL, 0);
    thr_weights_init(w[2], two_slots, 2);
    for (uint64_t k = 0; k < 5000; k++) {
        uint32_t id[MOST];
        thr_example e = {.id = id, .scale = 1};
        uint32_t top = some_features(&r, k < SPACE ? k + 1 : SPACE, &e, id);
        bool moved;
        uint32_t later = top + (uint32_t)thr_random_below(&r, 40);
        assert_int_equal(thr_weights_cover(w, TABLES, &e, top, later, &moved, NULL), 0);
        compare_ahead(w, &e);
        compare_found(w, &e, true, &r);
        some_features(&r, SPACE, &e, id);
        compare_found(w, &e, false, &r);
        if (k % 40 == 0)
            upset(w, &r);
        if (k % 200 == 0)
            read_and_compare(w);
    }
    for (int k = 0; k < TABLES; k++)
        thr_weights_clear(w[k]);
}

/* A feature's rows are neighbours once tables have learned together. */
static void test_neighbours(void **state)
{
    (void)state;
    thr_weights a, b, *w[] = {&a, &b};
    uint32_t id[] = {1, 1500};
    char *row[4], *ahead[4];
    _Alignas(8) char spare[64];
    thr_example e = {.id = id, .n = 2, .scale = 1};
    bool moved;
    thr_listed how;
    thr_weights_init(&a, two_slots, 2);
    thr_weights_init(&b, two_slots, 2);
    ready(&a, 1500); /* by itself at first */
    assert_false(thr_weights_ahead(w, 2, id, 2, ahead, &how));
    assert_int_equal(thr_weights_cover(w, 2, &e, 1500, 1500, &moved, NULL), 0);
    assert_true(moved);
    thr_weights_find(w, 2, &e, row, spare);
    assert_true(row[2] == row[0] + 16 && row[3] == row[1] + 16);
    assert_true(thr_weights_ahead(w, 2, id, 2, ahead, &how) &&
                how.beside == 32 && memcmp(ahead, row, 2 * sizeof *row) == 0);
    assert_int_equal(thr_weights_cover(w, 2, &e, 1500, 4000, &moved, NULL), 0);
    assert_true(!moved && a.rows == 1501 && a.segments == 4);
    id[0] = 4000; /* its time is to come, but there is a row */
    assert_true(thr_weights_ahead(w, 2, id, 2, ahead, &how) &&
                ahead[1] == row[1]);
    id[0] = 5000;
    assert_true(thr_weights_ahead(w, 2, id, 2, ahead, &how) && how.unseen &&
                !how.beside);
    assert_true(!ahead[0] && ahead[1] == row[1] && !ahead[2] && ahead[3] == row[3]);
    assert_int_equal(thr_weights_unseen(w, 2, 2, ahead, NULL), 32);
    thr_weights_unseen(w, 2, 2, ahead, spare);
    assert_true(ahead[0] == spare && ahead[1] == row[1] && ahead[2] == spare + 16);
    assert_true(*(double *)(void *)spare == 0.25 && *(double *)(void *)(spare + 16) == 0.25);
    assert_true(a.odd == 0 && a.stride == 32 && b.stride == 32);
    thr_weights_clear(&a);
    thr_weights_clear(&b);
}

/* Rows of a map, most of which are then left out: what is odd and what does not fit is known. */
static void test_keep(void **state)
{
    (void)state;
    enum { ROWS = 3 * THR_SEGMENT };
    static float rows[ROWS];
    static bool keep[ROWS];
    thr_weights w, *one = &w;
    uint32_t id[] = {0, 1};
    thr_example e = {.id = id, .n = 2, .scale = 1};
    bool moved;
    for (uint32_t i = 0; i < ROWS; i++) {
        rows[i] = (float)i;
        keep[i] = i % 100 == 7;
    }
    thr_weights_init(&w, two_slots + 1, 1);
    assert_int_equal(thr_weights_borrow(&w, (char *)rows, ROWS, NULL), 0);
    assert_int_equal(thr_weights_settle(&w, ROWS, NULL), 0);
    assert_int_equal(w.odd, 0);
    thr_weights_keep(&w, keep, ROWS);
    assert_true(w.rows == 32 && w.segments == 1 && w.odd == 1 && w.misfits == 0);
    assert_int_equal(thr_weights_cover(&one, 1, &e, 1, 40, &moved, NULL), 0);
    assert_true(moved && w.odd == 0);
    assert_true(thr_weights_get(&w, 1, 0, 0) == 7 && thr_weights_get(&w, 31, 0, 0) == 3007);
    thr_weights_clear(&w);
}

/* A table that grows by huge pages has its rows one behind the other, as long as nothing is in the
 * way; each is found where it is, straight or not. */
static void test_straight(void **state)
{
    (void)state;
    thr_weights w, *one = &w;
    uint32_t id[] = {1, 0, 2 * 131072 - 1, 131072, 131071, 262144, 999, 300000};
    enum { IDS = sizeof id / sizeof *id };
    char *row[IDS], *spare = NULL;
    thr_example e = {.id = id, .n = IDS, .scale = 1};
    bool moved;
    thr_weights_init(&w, two_slots, 2);
    assert_int_equal(thr_weights_cover(&one, 1, &e, 300000, 300000, &moved, NULL), 0);
    void *wall = thr_large_new_behind(w.segment[0].rows + w.segments * THR_SEGMENT * 16, THR_HUGE);
    for (uint32_t top = 300000; top < 700000; top += 130000) {
        assert_int_equal(thr_weights_cover(&one, 1, &e, top, top, &moved, NULL), 0);
        id[IDS - 1] = top;
        thr_weights_find(&one, 1, &e, row, spare);
        for (size_t i = 0; i < IDS; i++)
            assert_ptr_equal(row[i], thr_weights_row_wide(&w, id[i], 0));
        assert_true(w.straight <= 3 * 128 && w.straight % 128 == 0);
        for (size_t i = 0; i < w.straight; i++)
            assert_ptr_equal(w.segment[i].rows, w.segment[0].rows + i * THR_SEGMENT * 16);
    }
    if (w.straight == 0)
        print_message("no place was found for rows one behind the other\n");
    thr_weights_widen(&w, 2);
    assert_int_equal(w.straight, 0);
    thr_large_free(wall, THR_HUGE);
    thr_weights_clear(&w);
}

/* ---- kernels ---- */

#if THR_WIDE

static float random_weight(thr_random *r)
{
    float w = (float)thr_random_normal(r);
    return thr_random_below(r, 20) ? w : thr_random_below(r, 2) ? 9.9e29F : -9.9e29F;
}

/* Rows of an f64 and two f32, of numbers that are sometimes extreme. */
static void random_rows(thr_random *r, char (*rows)[16], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = thr_random_normal(r) * 1e6;
        float w[] = {random_weight(r), random_weight(r)};
        memcpy(rows[i], &sum, sizeof sum);
        memcpy(rows[i] + sizeof sum, w, sizeof w);
    }
}

/* The weight stands right behind its sum, or further on; what is not its own stays as it is. */
static void compare_kernels(thr_example *e, size_t narrow, thr_random *r)
{
    static _Alignas(8) char rows[2][MOST][16];
    static char *row[2][MOST];
    const thr_kernels *k[] = {&thr_kernels_plain, &thr_kernels_wide};
    static thr_some some[2];
    double got[2][11] = {{0}}, step = thr_random_normal(r) * (thr_random_below(r, 9) ? 1 : 1e30);
    float most[2];
    random_rows(r, rows[0], MOST);
    memcpy(rows[1], rows[0], sizeof rows[0]);
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < MOST; j++)
            row[i][j] = rows[i][(j * 7) % MOST]; /* MOST is no multiple of 7 */
        e->row = row[i];
        got[i][0] = k[i]->dot_wide(e, 0);
        got[i][1] = k[i]->dot_narrow(e, narrow);
        k[i]->dot_pair(e, 0, narrow, &got[i][2], &got[i][3]);
        k[i]->dot_two(e, 8, 12, &got[i][6], &got[i][7]);
        if (e->n <= THR_SOME) {
            k[i]->take_dot(e, 8, 12, &some[i], &got[i][8], &got[i][9]);
            k[i]->take_dot(e, narrow, 12, &some[i], &got[i][10], NULL);
        }
        if (e->x)
            k[i]->measure(e->x, e->n, &got[i][4], &most[i]);
        got[i][5] = e->x ? (double)most[i] : 0;
        k[i]->move_pair(e, 0, narrow, step, 17);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    assert_memory_equal(&some[0], &some[1], sizeof some[0]);
}

static void test_kernels(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx2"))
        skip();
    thr_random r;
    thr_random_init(&r, 23);
    for (int k = 0; k < 5000; k++) {
        float x[MOST];
        for (size_t i = 0; i < MOST; i++)
            x[i] = (float)thr_random_normal(&r);
        thr_example e = {.n = (size_t)thr_random_below(&r, MOST + 1),
                         .x = k % 3 ? x : NULL,
                         .scale = k % 2 ? 1 : 0.37};
        compare_kernels(&e, k % 5 ? 8 : 12, &r);
    }
}

#endif

static void test_sums(void **state)
{
    (void)state;
    uint32_t id[12] = {0};
    float x[12];
    double sum = 0, square = 0;
    for (int i = 0; i < 12; i++) {
        x[i] = (float)(i - 8);
        sum += i - 8;
        square += (i - 8) * (i - 8);
    }
    thr_example e = {.id = id, .x = x, .n = 12, .scale = 1};
    assert_true(thr_example_sum(&e) == sum && thr_example_norm2(&e) == square);
    assert_true(thr_example_max(&e) == 8);
    e.x = NULL;
    assert_true(thr_example_sum(&e) == 12 && thr_example_norm2(&e) == 12);
    assert_true(thr_example_max(&e) == 1);
    e.scale = 0.5;
    assert_true(thr_example_sum(&e) == 6 && thr_example_norm2(&e) == 3);
    assert_true(thr_example_max(&e) == 0.5);
    e.n = 0;
    assert_true(thr_example_sum(&e) == 0 && thr_example_max(&e) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_widening),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_dot),
        cmocka_unit_test(test_some),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_straight),
        cmocka_unit_test(test_sums),
#if THR_WIDE
        cmocka_unit_test(test_kernels),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
