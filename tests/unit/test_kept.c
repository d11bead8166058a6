/* Kept examples: what goes in comes out, the oldest can be forgotten, bytes that make no sense are
 * refused; and the lists by feature say of every pair of examples what a plain loop says. */
#include "weights/postings.h"

#include "base/random.h"
#include "example/batch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEATURES = 30, EXAMPLES = 60, LABELS = 3, LONGEST = 12 };

typedef struct sample {
    uint32_t id[LONGEST];
    float x[LONGEST];
    thr_example e;
} sample;

/* Some empty, some with a feature twice as hashing makes them; values from number `valued` on. */
static void sample_draw(sample *s, thr_random *r, bool valued)
{
    size_t n = (size_t)thr_random_below(r, LONGEST + 1);
    for (size_t i = 0; i < n; i++) {
        s->id[i] = (uint32_t)thr_random_below(r, FEATURES);
        s->x[i] = (float)thr_random_below(r, 9) / 4 - 1;
    }
    s->e = (thr_example){.id = s->id,
                         .x = valued ? s->x : NULL,
                         .n = n,
                         .scale = thr_random_below(r, 2) ? 1 : 0.5,
                         .label = (uint32_t)thr_random_below(r, LABELS),
                         .target = NAN,
                         .importance = 1};
    s->e.norm2 = thr_example_norm2(&s->e);
}

static void samples_draw(sample *s, size_t n, uint64_t seed, size_t valued_from)
{
    thr_random r;
    thr_random_init(&r, seed);
    for (size_t i = 0; i < n; i++)
        sample_draw(&s[i], &r, i >= valued_from);
}

static void keep(thr_memory *m, thr_postings *p, const sample *s, size_t born)
{
    assert_int_equal(thr_memory_ready(m, &s->e, 2, NULL), 0);
    assert_int_equal(thr_postings_ready(p, &s->e, NULL), 0);
    uint32_t at = thr_memory_add(m, &s->e);
    assert_int_equal(at, m->n - 1);
    thr_postings_add(p, &s->e, at);
    thr_memory_note(
        m, (thr_note){.example = at, .function = born % 2, .step = 1, .born = (double)born});
    if (born % 3 == 0)
        thr_memory_note(m,
                        (thr_note){.example = at, .function = 1, .step = -2, .born = (double)born});
}

static float value(const thr_example *e, size_t i)
{
    return e->x ? e->x[i] : 1;
}

static double dot(const thr_example *a, const thr_example *b)
{
    double sum = 0;
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            sum += a->id[i] == b->id[k] ? (double)value(a, i) * (double)value(b, k) : 0;
    return sum;
}

/* Example i of the memory is s. */
static void assert_kept(const thr_memory *m, size_t i, const thr_example *s)
{
    thr_example e = thr_memory_example(m, i);
    assert_int_equal(e.n, s->n);
    assert_true(e.scale == s->scale && e.norm2 == s->norm2 && e.importance == s->importance);
    assert_int_equal(e.label, s->label);
    for (size_t k = 0; k < e.n; k++) {
        assert_int_equal(e.id[k], s->id[k]);
        assert_true(value(&e, k) == value(s, k));
    }
}

static void assert_dots(const thr_memory *m, const thr_postings *p, const sample *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double out[EXAMPLES] = {0};
        thr_postings_dots(p, &s[i].e, out);
        for (size_t k = 0; k < m->n; k++) {
            thr_example e = thr_memory_example(m, k);
            assert_true(out[k] == dot(&s[i].e, &e));
        }
        for (size_t k = m->n; k < EXAMPLES; k++)
            assert_true(out[k] == 0);
    }
}

static bool same_example(const thr_example *a, const thr_example *b)
{
    bool same = a->n == b->n && a->label == b->label && a->scale == b->scale;
    for (size_t i = 0; i < a->n && same; i++)
        same = a->id[i] == b->id[i] && value(a, i) == value(b, i);
    return same;
}

/* Forgets down to a few, then keeps on. */
static void test_keeping_and_forgetting(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static sample s[EXAMPLES];
        thr_memory m = {0};
        thr_postings p = {0};
        size_t first = 0, budget = seed % 7 + 1;
        samples_draw(s, EXAMPLES, seed, seed % 2 ? EXAMPLES / 2 : EXAMPLES);
        for (size_t i = 0; i < EXAMPLES; i++) {
            if (m.n == budget) {
                thr_example oldest = thr_memory_example(&m, 0);
                thr_postings_forget(&p, &oldest);
                thr_memory_forget(&m);
                first++;
            }
            keep(&m, &p, &s[i], i);
            assert_int_equal(m.n, i + 1 - first);
            for (size_t k = 0; k < m.n; k++)
                assert_kept(&m, k, &s[first + k].e);
            for (size_t k = 0; k < m.notes; k++)
                assert_true(m.note[k].born == (double)(first + m.note[k].example));
            assert_dots(&m, &p, s, EXAMPLES);
        }
        assert_true(m.has_values == (seed % 2 == 1));
        thr_postings_clear(&p);
        thr_memory_clear(&m);
    }
}

static void test_kept_examples_are_found_and_no_others(void **state)
{
    (void)state;
    static sample s[EXAMPLES];
    thr_memory m = {0};
    thr_postings p = {0}, anew = {0};
    samples_draw(s, EXAMPLES, 3, EXAMPLES / 3);
    for (size_t i = 0; i < EXAMPLES / 2; i++)
        keep(&m, &p, &s[i], i);
    assert_int_equal(thr_postings_build(&anew, &m, NULL), 0);
    assert_dots(&m, &anew, s, EXAMPLES);
    for (size_t i = 0; i < EXAMPLES; i++) {
        uint32_t at = thr_postings_find(&p, &m, &s[i].e);
        assert_int_equal(at, thr_postings_find(&anew, &m, &s[i].e));
        bool kept = i < EXAMPLES / 2 && s[i].e.n; /* an empty one is in no list */
        assert_true(kept == (at != THR_NONE));
        if (kept) {
            thr_example e = thr_memory_example(&m, at);
            assert_true(same_example(&e, &s[i].e));
        }
        s[i].e.label = (s[i].e.label + 1) % LABELS;
        at = thr_postings_find(&p, &m, &s[i].e);
        s[i].e.label = (s[i].e.label + LABELS - 1) % LABELS;
        assert_int_equal(at, THR_NONE);
    }
    thr_postings_clear(&p);
    thr_postings_clear(&anew);
    thr_memory_clear(&m);
}

static void test_mirror_adds_each_note_to_the_other_function(void **state)
{
    (void)state;
    thr_memory m = {0};
    sample s = {.id = {1}, .e = {.n = 1, .scale = 1, .norm2 = 1}};
    s.e.id = s.id;
    assert_int_equal(thr_memory_ready(&m, &s.e, 2, NULL), 0);
    thr_memory_add(&m, &s.e);
    thr_memory_note(&m, (thr_note){.step = 1, .born = 0});
    thr_memory_note(&m, (thr_note){.step = -3, .born = 5});
    assert_int_equal(thr_memory_mirror_ready(&m, NULL), 0);
    thr_memory_mirror(&m, 1, 0.5);
    static const thr_note want[] = {
        {0, 1, 0.5, 0}, {0, 0, -0.5, 0}, {0, 1, -1.5, 5}, {0, 0, 1.5, 5}};
    assert_int_equal(m.notes, 4);
    for (size_t i = 0; i < m.notes; i++) {
        assert_int_equal(m.note[i].function, want[i].function);
        assert_true(m.note[i].step == want[i].step && m.note[i].born == want[i].born);
    }
    thr_memory_clear(&m);
}

/* ---- bytes ---- */

static thr_bytes written(size_t n, size_t valued_from)
{
    static sample s[EXAMPLES];
    thr_memory m = {0};
    thr_postings p = {0};
    thr_bytes b = {0};
    samples_draw(s, n, 9, valued_from);
    for (size_t i = 0; i < n; i++)
        keep(&m, &p, &s[i], i);
    assert_true(thr_memory_write(&m, &b));
    thr_postings_clear(&p);
    thr_memory_clear(&m);
    return b;
}

static bool reads(const thr_bytes *b, size_t n, uint32_t features, uint32_t labels)
{
    thr_error err = {0};
    thr_memory m;
    char *exact = malloc(n ? n : 1); /* so that reading beyond it is seen */
    assert_non_null(exact);
    memcpy(exact, b->p, n);
    int code = thr_memory_read(&m, exact, n, features, labels, &err);
    free(exact);
    assert_true(code == 0 || (code == THR_EMODEL && err.message[0]));
    thr_memory_clear(&m);
    return code == 0;
}

static void test_round_trip(void **state)
{
    (void)state;
    for (size_t n = 0; n < EXAMPLES; n += 7) {
        thr_bytes b = written(n, n / 2), again = {0};
        thr_memory m, copy;
        assert_int_equal(thr_memory_read(&m, b.p, b.n, FEATURES, LABELS, NULL), 0);
        thr_memory_share(&m, &copy);
        assert_true(thr_memory_write(&copy, &again));
        assert_int_equal(b.n, again.n);
        assert_memory_equal(b.p, again.p, b.n);
        thr_memory_clear(&m);
        thr_memory_clear(&copy);
        thr_bytes_clear(&b);
        thr_bytes_clear(&again);
    }
}

static void set_u64(thr_bytes *b, size_t at, uint64_t v)
{
    memcpy(b->p + at, &v, sizeof v);
}

static void set_f64(thr_bytes *b, size_t at, double v)
{
    memcpy(b->p + at, &v, sizeof v);
}

static void set_u32(thr_bytes *b, size_t at, uint32_t v)
{
    memcpy(b->p + at, &v, sizeof v);
}

/* head 4 x 8 | n + 1 starts | n x 32 | notes x 24 | ids | values */
static void test_truncated_or_altered_memory_is_refused(void **state)
{
    (void)state;
    enum { N = 10, HEAD = 32, KEPT = HEAD + (N + 1) * 8, NOTES = KEPT + N * 32 };
    thr_bytes good = written(N, 0);
    uint64_t head[4];
    memcpy(head, good.p, sizeof head);
    size_t ids = NOTES + (size_t)head[2] * 24, values = ids + (size_t)head[1] * 4;
    assert_int_equal(values + head[1] * 4, good.n);
    assert_true(reads(&good, good.n, FEATURES, LABELS));
    assert_true(reads(&good, 0, FEATURES, LABELS)); /* nothing kept */
    for (size_t n = 1; n < good.n; n++)
        assert_false(reads(&good, n, FEATURES, LABELS));
    assert_false(reads(&good, good.n, 3, LABELS));
    assert_false(reads(&good, good.n, FEATURES, 1));
    static const struct {
        size_t at, width;
        uint64_t value;
    } changes[] = {
        {0, 8, UINT64_MAX},
        {0, 8, N + 1},
        {8, 8, UINT64_MAX},
        {8, 8, 0},
        {16, 8, UINT64_MAX / 8},
        {16, 8, 0},
        {24, 8, 2},
        {24, 8, 0},
        {HEAD, 8, 1},
        {HEAD + N * 8, 8, 0},
        {HEAD + 8, 8, 1u << 30},
        {KEPT + 24, 4, LABELS},
        {NOTES + 16, 4, N},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        thr_bytes b = {0};
        assert_true(thr_bytes_add(&b, good.p, good.n));
        if (changes[i].width == 8)
            set_u64(&b, changes[i].at, changes[i].value);
        else
            set_u32(&b, changes[i].at, (uint32_t)changes[i].value);
        if (reads(&b, b.n, FEATURES, LABELS))
            fail_msg("change %zu went unnoticed", i);
        thr_bytes_clear(&b);
    }
    static const size_t reals[] = {KEPT, KEPT + 8, NOTES, NOTES + 8};
    for (size_t i = 0; i < 2 * sizeof reals / sizeof *reals; i++) {
        thr_bytes b = {0};
        assert_true(thr_bytes_add(&b, good.p, good.n));
        set_f64(&b, reals[i / 2], i % 2 ? (double)NAN : (double)INFINITY);
        if (reads(&b, b.n, FEATURES, LABELS))
            fail_msg("number %zu went unnoticed", i);
        thr_bytes_clear(&b);
    }
    set_u32(&good, values, 0x7f800000); /* infinity */
    assert_false(reads(&good, good.n, FEATURES, LABELS));
    thr_bytes_clear(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keeping_and_forgetting),
        cmocka_unit_test(test_kept_examples_are_found_and_no_others),
        cmocka_unit_test(test_mirror_adds_each_note_to_the_other_function),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_truncated_or_altered_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
