/* Policies for many labels: which labels' functions move. tests/oracle compares how far. */
#include "model_help.h"

#include "model/inside.h"
#include "multiclass/policy.h"

enum { LABELS = 8, ROUNDS = 10 };

/* A model that has learned that each label has a word of its own, and then the example `last`. */
static thr_model *taught(const char *learner, const char *settings, const char *last)
{
    thr_model *m = make_model(learner, settings);
    char text[2048];
    size_t n = 0;
    for (int i = 0; i < ROUNDS * LABELS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "L%d | w%d\n", i % LABELS, i % LABELS);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", last);
    teach_telling(m, "vw", text, n, NULL, NULL);
    return m;
}

/* The labels whose function the feature `new` has moved, as bits. */
static unsigned moved(const thr_model *m)
{
    const thr_weights *w = &m->member[0].weights;
    unsigned bits = 0;
    assert_int_equal(w->functions, LABELS);
    for (uint32_t f = 0; f < LABELS; f++)
        bits |= (unsigned)(thr_weights_get(w, m->lexicon.n - 1, 0, f) != 0) << f;
    return bits;
}

static void expect(const char *learner, const char *settings, const char *last, unsigned bits)
{
    thr_model *m = taught(learner, settings, last);
    assert_int_equal(moved(m), bits);
    thr_model_free(m);
}

/* The example has the words of L7, L5, L2 and L4, which are thereby the strongest. */
static void the_right_label_and_its_four_rivals_learn(void **state)
{
    (void)state;
    unsigned rivals = 1u << 7 | 1u << 5 | 1u << 2 | 1u << 4;
    expect("arow", NULL, "L0 | w7 w5 w2 w4 new", rivals | 1);
    expect("adagrad", "multiclass=rivals", "L0 | w7 w5 w2 w4 new", rivals | 1);
    expect("logistic", "multiclass=rivals", "L3 | w7 w5 w2 w4 new", rivals | 1u << 3);
    expect("logistic", "multiclass=one-vs-all", "L0 | w7 w5 w2 w4 new", (1u << LABELS) - 1);
}

static int hear(void *user, const thr_update *update)
{
    (void)user, (void)update;
    return 0;
}

/* With a listener, which is told of each move, functions move one by one. Hashed
 * examples have features in common rows, and one example is longer than what moves together. */
static void several_functions_move_as_one_by_one(void **state)
{
    (void)state;
    static const char *const learners[] = {"adagrad", "arow"}, *const settings[] = {NULL,
                                                                                    "hash-bits=5"};
    thr_bytes text = {0};
    thr_random r;
    thr_random_init(&r, 1);
    for (int i = 0; i < 500; i++) {
        assert_true(thr_bytes_printf(&text, "L%d |", (int)thr_random_below(&r, LABELS + 12)));
        for (int k = i % 100 ? 20 : 300; k > 0; k--)
            assert_true(thr_bytes_printf(&text, " w%d:%g", (int)thr_random_below(&r, 1000),
                                         (double)(1 + thr_random_below(&r, 3)) / 2));
        assert_true(thr_bytes_printf(&text, "\n"));
    }
    for (size_t i = 0; i < 4; i++) {
        thr_model *together = make_model(learners[i / 2], settings[i % 2]);
        thr_model *alone = make_model(learners[i / 2], settings[i % 2]);
        teach_telling(together, "vw", text.p, text.n, NULL, NULL);
        teach_telling(alone, "vw", text.p, text.n, hear, NULL);
        thr_bytes a = dumped(together, false), b = dumped(alone, false);
        assert_same_bytes(&a, &b);
        thr_bytes_clear(&a);
        thr_bytes_clear(&b);
        thr_model_free(together);
        thr_model_free(alone);
    }
    thr_bytes_clear(&text);
}

/* Models that were made under earlier rules go on as they were. */
static void earlier_rules_teach_all_labels(void **state)
{
    (void)state;
    static const char *const learners[] = {"adagrad", "arow"};
    for (size_t i = 0; i < 2; i++)
        for (unsigned rules = 1; rules <= THR_RULES; rules++) {
            thr_rule r;
            assert_int_equal(thr_rule_init_under(&r, learners[i], "auto", rules, NULL), 0);
            assert_ptr_equal(r.policy, rules < 3 ? &thr_one_vs_all : &thr_rivals);
            thr_rule_clear(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_label_and_its_four_rivals_learn),
        cmocka_unit_test(several_functions_move_as_one_by_one),
        cmocka_unit_test(earlier_rules_teach_all_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
