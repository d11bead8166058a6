/* Learning concepts, against brute force over all 2^n points: elimination as it is defined, its
 * bounds, those of CON and halving, and the counts of the three protocols. The tests are named
 * after the claims. */
#include "streams.h"

#include "concepts/adversary.h"
#include "concepts/protocol.h"
#include "concepts/eliminator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 10 };

/* ---- elimination -------------------------------------------------------------------------- */

/* Plainly: a set of literals over a closed set of variables. A conjunction in `both` has those of
 * features never met as well, so it is `open` until the first lesson. */
typedef struct plain {
    size_t n;
    bool disjunction, negated, open;
    bool has[MOST][2];
} plain;

static plain plain_new(size_t n, bool disjunction, bool negated, bool open)
{
    plain p = {.n = n, .disjunction = disjunction, .negated = negated, .open = open};
    for (size_t i = 0; i < n; i++) {
        p.has[i][0] = true;
        p.has[i][1] = negated;
    }
    return p;
}

static bool plain_says(const plain *p, unsigned x)
{
    bool any = false, all = true;
    for (size_t i = 0; i < p->n; i++)
        for (int neg = 0; neg < 2; neg++)
            if (p->has[i][neg]) {
                bool holds = (x >> i & 1) != (unsigned)neg;
                any |= holds;
                all &= holds;
            }
    if (p->disjunction) /* some feature never met is 0, and its negation holds */
        return any || (p->open && p->negated);
    return all && !p->open;
}

/* Whether it was wrong. */
static bool plain_learn(plain *p, unsigned x, bool label)
{
    bool said = plain_says(p, x);
    if (said == label || said != p->disjunction)
        return said != label;
    for (size_t i = 0; i < p->n; i++)
        for (int neg = 0; neg < 2; neg++) {
            bool holds = (x >> i & 1) != (unsigned)neg;
            if (holds == p->disjunction)
                p->has[i][neg] = false;
        }
    p->open = false;
    return true;
}

static stream all_points(size_t n)
{
    stream s = {0};
    for (unsigned x = 0; x >> n == 0; x++) {
        int32_t column[MOST];
        float value[MOST];
        size_t active = 0;
        for (size_t i = 0; i < n; i++)
            if (x >> i & 1) {
                column[active] = (int32_t)i + 1;
                value[active++] = 1;
            }
        stream_add(&s, 1, active, column, value);
    }
    return s;
}

/* The model says what the plain sets say, on every point, whatever has been met by then. */
static void agree(const stream *s, const thr_model *m, const plain *p, uint64_t seed)
{
    for (size_t x = 0; x < s->rows; x++)
        if ((stream_predict(s, m, x, NULL) > 0) != plain_says(p, (unsigned)x))
            fail_msg("seed %llu, point %zu: not as defined", (unsigned long long)seed, x);
}

/* Labels of a hidden formula, or noise; features come into the examples late. */
static void eliminate_is_as_defined_whenever_a_feature_is_first_met(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(200); seed++) {
        dice d = {seed};
        size_t n = 1 + dice_below(&d, 6);
        bool disjunction = seed & 1, negated = seed & 2, closed = seed & 4, noisy = seed & 8;
        stream s = all_points(n);
        thr_model *m =
            closed
                ? model_make(true, NULL, "eliminate:form=%s,negated=%s,variables=%zu",
                             disjunction ? "disjunction" : "conjunction", negated ? "on" : "off", n)
                : model_make(true, NULL, "eliminate:form=%s,negated=%s",
                             disjunction ? "disjunction" : "conjunction", negated ? "on" : "off");
        plain p = plain_new(n, disjunction, negated, !closed);
        plain target = plain_new(n, disjunction, negated, false);
        for (size_t i = 0; i < n; i++) {
            size_t keep = dice_below(&d, 3);
            target.has[i][0] = keep == 0;
            target.has[i][1] = keep == 1 && negated;
        }
        for (int e = 0; e < 30; e++) {
            size_t met = 1 + (size_t)e * n / 30; /* of the variables */
            size_t x = dice_below(&d, (size_t)1 << met);
            bool label = noisy && dice_below(&d, 4) == 0 ? dice_below(&d, 2)
                                                         : plain_says(&target, (unsigned)x);
            agree(&s, m, &p, seed);
            s.label[x] = label ? 1 : -1;
            thr_batch *b = stream_row(&s, m, x);
            assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
            thr_batch_free(b);
            plain_learn(&p, (unsigned)x, label);
        }
        agree(&s, m, &p, seed);
        thr_model_free(m);
        stream_free(&s);
    }
}

/* Which of two labels is the positive one shows when the second comes; what was learned for the
 * wrong one is forgotten. */
static void eliminate_begins_anew_for_the_label_that_turns_out_positive(void **state)
{
    (void)state;
    static const char text[] =
        "b\tcheap pills\nb\tcheap lunch\nc\tpills now\nc\tpills soon\nb\tlunch\n";
    char formula[64];
    thr_error err = {0};
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "learner", "eliminate", &err), 0);
    thr_model *m = thr_model_new(s, &err);
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, text, sizeof text - 1, "text", &err), 0);
    assert_int_equal(thr_train(m, in, &(thr_train_options){.passes = 1}, NULL, &err), 0);
    assert_int_equal(thr_model_formula(m, 0, 9, formula, sizeof formula, NULL), 0); /* b */
    thr_model_formula(m, 1, 9, formula, sizeof formula, NULL);
    assert_string_equal(formula, "pills");
    thr_input_free(in);
    thr_model_free(m);
    thr_settings_free(s);
}

/* Two models of two halves have together the literals that both have. */
static void eliminate_merges_by_intersection(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(60); seed++) {
        dice d = {seed};
        size_t n = 5;
        bool disjunction = seed & 1, negated = seed & 2;
        stream s = all_points(n);
        plain p[2];
        thr_model *m[2];
        for (int k = 0; k < 2; k++) {
            p[k] = plain_new(n, disjunction, negated, true);
            m[k] = model_make(true, NULL, "eliminate:form=%s,negated=%s",
                              disjunction ? "disjunction" : "conjunction", negated ? "on" : "off");
            for (int e = 0; e < 3; e++) {
                size_t x = dice_below(&d, (size_t)1 << (2 + 3 * k));
                s.label[x] = disjunction ? -1 : 1;
                thr_batch *b = stream_row(&s, m[k], x);
                assert_int_equal(thr_learn(m[k], NULL, b, NULL, NULL), 0);
                thr_batch_free(b);
                plain_learn(&p[k], (unsigned)x, !disjunction);
            }
        }
        for (size_t i = 0; i < n; i++)
            for (int neg = 0; neg < 2; neg++)
                p[0].has[i][neg] &= p[1].has[i][neg];
        p[0].open &= p[1].open;
        thr_model *both = thr_model_mix((const thr_model *const *)m, 2, NULL, NULL, NULL);
        assert_non_null(both);
        agree(&s, both, &p[0], seed);
        thr_error err = {0};
        assert_null(thr_model_mix((const thr_model *const *)m, 2, (double[]){1, 3}, NULL, &err));
        assert_non_null(strstr(err.message, "leave the weights out"));
        thr_model_free(both);
        thr_model_free(m[0]);
        thr_model_free(m[1]);
        stream_free(&s);
    }
}

/* n without negated literals, n + 1 with them: reached by the adversary, and not exceeded by random
 * orders of all points under any target. */
static void eliminate_errs_at_most_n_times_and_n_plus_1_with_negated_literals(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 8; n++)
        for (int kind = 0; kind < 4; kind++) {
            uint64_t mistakes;
            bool negated = kind & 2;
            assert_int_equal(thr_adversary_of_eliminate(n, kind & 1, negated, &mistakes, NULL), 0);
            assert_int_equal(mistakes, n + negated);
        }
    for (uint64_t seed = 1; seed <= stream_seeds(400); seed++) {
        dice d = {seed};
        size_t n = 1 + dice_below(&d, 7), k = 0, mistakes = 0;
        bool disjunction = seed & 1, negated = seed & 2;
        plain target = plain_new(n, disjunction, negated, false);
        for (size_t i = 0; i < n; i++) {
            size_t keep = dice_below(&d, 3);
            target.has[i][0] = keep == 0;
            target.has[i][1] = keep == 1 && negated;
            k += target.has[i][0] || target.has[i][1];
        }
        thr_eliminator p;
        assert_int_equal(thr_eliminator_open(&p, n, disjunction, negated, NULL), 0);
        for (int e = 0; e < 600; e++) {
            unsigned point = (unsigned)dice_below(&d, (size_t)1 << n);
            bool x[MOST];
            for (size_t i = 0; i < n; i++)
                x[i] = point >> i & 1;
            mistakes += thr_eliminator_learn(&p, x, plain_says(&target, point));
        }
        assert_true(mistakes <= n - k + negated);
        thr_eliminator_close(&p);
    }
}

/* ---- version spaces ----------------------------------------------------------------------- */

static thr_concepts class_of(const char *spec, size_t n)
{
    thr_variables v = {0};
    thr_concepts c;
    thr_error err = {0};
    assert_int_equal(thr_variables_number(&v, n, NULL), 0);
    if (thr_concepts_make(&c, spec, &v, &err))
        fail_msg("%s", err.message);
    thr_variables_clear(&v);
    return c;
}

static const struct {
    const char *spec;
    size_t n;
} classes[] = {
    {"conjunctions", 5},     {"conjunctions:negated=on", 3},
    {"disjunctions:k=2", 5}, {"disjunctions:negated=on,empty=off", 3},
    {"thresholds", 4},       {"thresholds:m=2,negated=on", 3},
};
enum { CLASSES = sizeof classes / sizeof *classes };

/* The survivors are exactly those that agree with all examples so far; their answers by the
 * definition; the bounds, for every target. */
static void a_version_space_is_what_is_consistent(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASSES; i++)
        for (int rule = THR_CONSISTENT; rule <= THR_HALVING; rule++) {
            thr_concepts c = class_of(classes[i].spec, classes[i].n);
            bool *ruled_out = calloc(c.n, sizeof *ruled_out);
            for (uint64_t target = 0; target < c.n; target++) {
                dice d = {target + 1};
                thr_version_space v;
                bool x[MOST];
                memset(ruled_out, 0, c.n * sizeof *ruled_out);
                assert_int_equal(
                    thr_version_space_open(&v, &c, (enum thr_version_rule)rule, target, NULL), 0);
                for (int e = 0; e < 40; e++) {
                    uint64_t yes = 0, left = 0;
                    for (size_t k = 0; k < classes[i].n; k++)
                        x[k] = dice_below(&d, 2);
                    bool label = thr_concept_holds(thr_concepts_at(&c, target), x);
                    for (uint64_t k = 0; k < c.n; k++)
                        if (!ruled_out[k]) {
                            bool says = thr_concept_holds(thr_concepts_at(&c, k), x);
                            yes += says;
                            left++;
                            ruled_out[k] = says != label;
                        }
                    assert_int_equal(left, v.n);
                    if (rule == THR_HALVING)
                        assert_true(thr_version_space_answer(&v, x) == (2 * yes >= left));
                    thr_version_space_learn(&v, x, label);
                    for (uint64_t k = 0; k < v.n; k++)
                        assert_false(ruled_out[v.alive[k]]);
                }
                assert_true(v.mistakes <= thr_version_space_bound(&v) && v.refused == 0);
                thr_version_space_close(&v);
            }
            free(ruled_out);
            thr_concepts_clear(&c);
        }
}

static void con_errs_at_most_C_minus_1_times_and_the_adversary_reaches_it(void **state)
{
    (void)state;
    for (size_t n = 2; n <= 9; n++) {
        thr_concepts c = class_of("disjunctions:k=1,exactly=on", n);
        uint64_t mistakes;
        assert_int_equal(thr_adversary_of_class(&c, n, THR_CONSISTENT, n, &mistakes, NULL), 0);
        assert_int_equal(mistakes, c.n - 1);
        thr_concepts_clear(&c);
    }
    for (size_t i = 0; i < CLASSES; i++) {
        thr_concepts c = class_of(classes[i].spec, classes[i].n);
        uint64_t mistakes;
        assert_int_equal(
            thr_adversary_of_class(&c, classes[i].n, THR_CONSISTENT, 7, &mistakes, NULL), 0);
        assert_true(mistakes <= c.n - 1);
        thr_concepts_clear(&c);
    }
}

static void halving_errs_at_most_log2_C_times_and_the_adversary_reaches_it(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 8; n++) {
        thr_concepts c = class_of("conjunctions", n);
        uint64_t mistakes;
        assert_int_equal(thr_adversary_of_class(&c, n, THR_HALVING, 1, &mistakes, NULL), 0);
        assert_int_equal(mistakes, n); /* log2 of 2^n */
        thr_concepts_clear(&c);
    }
    for (size_t i = 0; i < CLASSES; i++) {
        thr_concepts c = class_of(classes[i].spec, classes[i].n);
        uint64_t mistakes;
        assert_int_equal(thr_adversary_of_class(&c, classes[i].n, THR_HALVING, 1, &mistakes, NULL),
                         0);
        assert_true(exp2((double)mistakes) <= (double)c.n);
        thr_concepts_clear(&c);
    }
}

/* ---- protocols ---------------------------------------------------------------------------- */

typedef struct shown {
    size_t n, examples;
    bool x[64][MOST], label[64];
} shown;

static int write_down(void *user, const bool *x, size_t n, bool label, const char *what)
{
    shown *s = user;
    (void)what;
    memcpy(s->x[s->examples], x, n);
    s->label[s->examples++] = label;
    s->n = n;
    return 0;
}

static bool fits(thr_concept c, const shown *s, size_t without)
{
    for (size_t e = 0; e < s->examples; e++)
        if (e != without && thr_concept_holds(c, s->x[e]) != s->label[e])
            return false;
    return true;
}

/* Concepts of the class that agree with all that was shown, but for one example. */
static size_t fitting(const thr_concepts *c, const shown *s, size_t without)
{
    size_t n = 0;
    for (uint64_t i = 0; i < c->n; i++)
        n += fits(thr_concepts_at(c, i), s, without);
    return n;
}

/* Every target of every class over n variables is found, after as many points as theory says; what
 * was told leaves it alone in its class, and, where the count is k + 1 or n, no point of it can be
 * spared. */
static void play_all(const char *protocol, size_t n, bool disjunction, bool negated, bool tight)
{
    char spec[64];
    snprintf(spec, sizeof spec, "%s:negated=%s", disjunction ? "disjunctions" : "conjunctions",
             negated ? "on" : "off");
    thr_concepts c = class_of(spec, n);
    for (uint64_t i = 0; i < c.n; i++) {
        thr_concept target = thr_concepts_at(&c, i);
        shown s = {0};
        thr_game g;
        assert_int_equal(thr_game_open(&g, n, target, disjunction, negated, NULL), 0);
        g.show = write_down;
        g.user = &s;
        bool ask = strcmp(protocol, "ask") == 0;
        assert_int_equal(ask ? thr_game_ask(&g, NULL) : thr_game_teach(&g, NULL), 0);
        assert_true(thr_game_learned(&g) && thr_game_sure(&g));
        uint64_t k = target.n, says = ask ? n : k + (k < n) + negated;
        assert_int_equal(g.queries + g.examples, says);
        assert_int_equal(thr_game_bound(&g, protocol), says);
        for (size_t e = 0; e < s.examples; e++)
            assert_true(s.label[e] == thr_concept_holds(target, s.x[e]));
        assert_int_equal(fitting(&c, &s, SIZE_MAX), 1);
        for (size_t e = 0; e < s.examples && tight; e++)
            assert_true(fitting(&c, &s, e) > 1);
        thr_game_close(&g);
    }
    thr_concepts_clear(&c);
}

static void protocol_1_asks_n_questions(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 7; n++) {
        play_all("ask", n, false, false, true);
        play_all("ask", n, true, false, true);
    }
    thr_game g;
    thr_error err = {0};
    assert_int_equal(thr_game_open(&g, 3, (thr_concept){NULL, 0, 0}, false, true, NULL), 0);
    assert_int_equal(thr_game_ask(&g, &err), THR_EUSE);
    thr_game_close(&g);
}

static void protocol_2_shows_k_plus_1_examples_or_k_if_k_is_n(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 7; n++) {
        play_all("teach", n, false, false, true);
        play_all("teach", n, true, false, true);
    }
    for (size_t n = 2; n <= 4; n++) {
        play_all("teach", n, false, true, true);
        play_all("teach", n, true, true, true);
    }
}

static void protocol_3_errs_at_most_n_minus_k_times(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(200); seed++) {
        dice d = {seed};
        thr_protocol_result r;
        thr_protocol_options o;
        thr_protocol_defaults(&o);
        o.n = 1 + dice_below(&d, 40);
        o.k = 1 + dice_below(&d, o.n);
        o.seed = seed;
        o.negated = seed & 1;
        o.disjunction = seed & 2;
        assert_int_equal(thr_protocol_play(&o, NULL, NULL, &r, NULL), 0);
        assert_true(r.equal && r.holds && r.mistakes <= o.n - o.k + o.negated);
        assert_string_equal(r.target, r.learned);
        thr_protocol_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eliminate_is_as_defined_whenever_a_feature_is_first_met),
        cmocka_unit_test(eliminate_begins_anew_for_the_label_that_turns_out_positive),
        cmocka_unit_test(eliminate_merges_by_intersection),
        cmocka_unit_test(eliminate_errs_at_most_n_times_and_n_plus_1_with_negated_literals),
        cmocka_unit_test(a_version_space_is_what_is_consistent),
        cmocka_unit_test(con_errs_at_most_C_minus_1_times_and_the_adversary_reaches_it),
        cmocka_unit_test(halving_errs_at_most_log2_C_times_and_the_adversary_reaches_it),
        cmocka_unit_test(protocol_1_asks_n_questions),
        cmocka_unit_test(protocol_2_shows_k_plus_1_examples_or_k_if_k_is_n),
        cmocka_unit_test(protocol_3_errs_at_most_n_minus_k_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
