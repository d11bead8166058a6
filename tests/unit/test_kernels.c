/* The kernels, dot products and moves, against plain loops and the plain form of each. */
#include "weights_help.h"

static size_t random_example(thr_random *r, uint32_t *id, float *x)
{
    size_t n = (size_t)thr_random_below(r, MOST);
    for (size_t i = 0; i < n; i++) {
        id[i] = thr_random_below(r, 10) ? (uint32_t)thr_random_below(r, SPACE) : THR_NONE;
        x[i] = (float)thr_random_normal(r);
    }
    return n;
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
static void test_dot_products_have_the_bits_of_the_plain_loops(void **state)
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
enum { LONGEST = 2 * THR_GATHERED + 3 };

static size_t some_length(thr_random *r)
{
    static const size_t edges[] = {
        0, 1, 3, 4, 7, 8, 9, THR_GATHERED - 1, THR_GATHERED, THR_GATHERED + 1};
    uint64_t k = thr_random_below(r, 14);
    return k < 10 ? edges[k] : (size_t)thr_random_below(r, LONGEST);
}

/* Ids and values are those of the rows, what is filled up is 0 and 1. */
static void check_taken(const thr_weights *w, const thr_example *e, uint32_t f,
                        const thr_gathered *s)
{
    assert_true(s->n == (e->n - s->from < THR_GATHERED ? e->n - s->from : THR_GATHERED));
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
    thr_gathered s;
    uint32_t other = (f + 1) % w->functions;
    double beside = thr_weights_get(w, 0, 1, other);
    for (size_t from = 0; from < e->n; from += THR_GATHERED) {
        assert_ptr_equal(thr_gathered_take(&s, w, e, f, from), &s);
        check_taken(w, e, f, &s);
        for (size_t i = 0; i < s.round; i++) {
            s.a[i] = thr_random_normal(r);
            s.b[i] = 1e30 * thr_random_normal(r);
        }
        memcpy(a + from, s.a, s.n * sizeof *a);
        memcpy(b + from, s.b, s.n * sizeof *b);
        thr_gathered_put(&s, w, e, f);
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
    thr_gathered_dot(w, e, first, second);
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
    static thr_gathered left, other;
    thr_example e = *plain;
    double first[3], second[3], alone[3];
    bool leaves = w->functions == 1 && e.distinct && e.n <= THR_GATHERED;
    e.gathered = &left;
    thr_gathered_dot(w, &e, first, second);
    thr_gathered_dot(w, &e, alone, NULL);
    for (uint32_t f = 0; f < w->functions; f++) {
        assert_bits(first[f], w->functions == 1 ? in_lanes(w, 0, &e) : in_order(w, 0, &e, f));
        assert_bits(second[f], w->functions == 1 ? in_lanes(w, 1, &e) : in_order(w, 1, &e, f));
        assert_bits(first[f], alone[f]);
    }
    if (e.n == 0)
        return;
    assert_ptr_equal(thr_gathered_take(&other, w, &e, 0, 0), leaves ? &left : &other);
    check_taken(w, &e, 0, leaves ? &left : &other);
    thr_gathered_put(leaves ? &left : &other, w, &e, 0);
    assert_ptr_equal(thr_gathered_take(&other, w, &e, 0, 0), &other);
}

/* With slots side by side (one function) and apart, with values and without. */
static void test_taken_weights_are_put_back_into_their_rows_alone(void **state)
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
            thr_weights_find(&each, 1, &e, row, NULL, 0);
            check_some(&w, &e, (uint32_t)k % functions, &r);
            check_two(&w, &e);
            e.distinct = k % 5;
            check_left(&w, &e);
        }
        thr_weights_clear(&w);
    }
}

static void test_add_scales_values_and_stays_within_the_limit(void **state)
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

/* Names that share a hash slot share a row: every one of them moves it. */
static void test_add_moves_a_row_as_often_as_it_is_there(void **state)
{
    (void)state;
    thr_weights w;
    uint32_t id[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    thr_example e = {.id = id, .n = 9, .scale = 1};
    thr_weights_init(&w, two_slots, 2);
    thr_weights_widen(&w, 1);
    assert_int_equal(thr_weights_ready(&w, &e, NULL), 0);
    find(&w, &e);
    double before = thr_weights_get(&w, 1, 1, 0);
    thr_weights_add(&w, 1, &e, 0, 2);
    assert_true(thr_weights_get(&w, 1, 1, 0) == before + 18);
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
    static thr_gathered some[2];
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
        if (e->n <= THR_GATHERED) {
            k[i]->take_dot(e, 8, 12, &some[i], &got[i][8], &got[i][9]);
            k[i]->take_dot(e, narrow, 12, &some[i], &got[i][10], NULL);
        }
        if (e->x)
            k[i]->measure(e->x, e->n, &got[i][4], &most[i]);
        got[i][5] = e->x ? (double)most[i] : 0;
        k[i]->move_pair(e, 0, narrow, step, 17);
        k[i]->add_narrow(e, narrow == 8 ? 12 : 8, step);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    assert_memory_equal(&some[0], &some[1], sizeof some[0]);
}

static void test_wide_kernels_have_the_bits_of_the_plain_ones(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx2")) {
        print_message("skip: this processor has no AVX2\n");
        skip();
    }
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

static void test_sum_norm_and_maximum_follow_scale_and_values(void **state)
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
        cmocka_unit_test(test_dot_products_have_the_bits_of_the_plain_loops),
        cmocka_unit_test(test_taken_weights_are_put_back_into_their_rows_alone),
        cmocka_unit_test(test_add_scales_values_and_stays_within_the_limit),
        cmocka_unit_test(test_add_moves_a_row_as_often_as_it_is_there),
        cmocka_unit_test(test_sum_norm_and_maximum_follow_scale_and_values),
#if THR_WIDE
        cmocka_unit_test(test_wide_kernels_have_the_bits_of_the_plain_ones),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
