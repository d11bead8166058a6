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
        cmocka_unit_test(earlier_rules_teach_all_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
