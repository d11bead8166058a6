/* Options by table: what is read, what is refused and in what words, and that it prints back. */
#include "multiclass/rule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { REAL, AUTO, ENDLESS, WHOLE, SWITCH, CHOICE, N };

static const thr_option_info options[] = {
    {"real", "0.5", "", THR_REAL, NULL, 0, 10},
    {"auto", "auto", "", THR_REAL, "auto", 1, 2},
    {"endless", "1", "", THR_REAL, NULL, 0, INFINITY},
    {"whole", "3", "", THR_INT, NULL, -5, 5},
    {"switch", "off", "", THR_BOOL, NULL, 0, 1},
    {"choice", "b", "", THR_CHOICE, "a|b|ccc", 0, 2},
    {0},
};

static void assert_printed(const char *spec, const char *expected)
{
    double value[N];
    thr_error err = {0};
    thr_bytes out = {0};
    if (thr_options_parse(options, "it", spec, value, &err))
        fail_msg("%s: %s", spec, err.message);
    assert_true(thr_options_print(options, value, &out));
    assert_string_equal(out.p, expected);
    thr_bytes_clear(&out);
}

static void test_values_and_defaults_print_back_as_read(void **state)
{
    (void)state;
    assert_printed("", "real=0.5,auto=auto,endless=1,whole=3,switch=off,choice=b");
    assert_printed("real=2,auto=1.5,endless=inf,whole=-5,switch=on,choice=ccc",
                   "real=2,auto=1.5,endless=inf,whole=-5,switch=on,choice=ccc");
    assert_printed("switch", "real=0.5,auto=auto,endless=1,whole=3,switch=on,choice=b");
    assert_printed("switch=true,switch=0,real=1e1,real=0,choice=a",
                   "real=0,auto=auto,endless=1,whole=3,switch=off,choice=a");
    /* What is printed is read as the same. */
    assert_printed("real=0.1,auto=auto,endless=inf,whole=0,switch=on,choice=a",
                   "real=0.1,auto=auto,endless=inf,whole=0,switch=on,choice=a");
}

static void test_bad_values_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *words;
    } cases[] = {
        {"real=11", "out of range: it goes from 0 to 10"},
        {"real=-1e-9", "out of range"},
        {"real=x", "real=x is not a number"},
        {"real=", "is not a number"},
        {"real=1x", "is not a number"},
        {"real=nan", "is not a number"},
        {"real=inf", "is not a number"},
        {"real=auto", "is not a number"},
        {"real", "needs a value"},
        {"auto=3", "out of range"},
        {"whole=1.5", "is not a whole number"},
        {"switch=maybe", "is on or off, not 'maybe'"},
        {"choice=c", "it is one of a|b|ccc"},
        {"choice=", "it is one of a|b|ccc"},
        {"rea=1", "it has no option 'rea'; did you mean real? It has real, auto, endless"},
        {"real=1,,whole=1", "has no option ''"},
        {"=1", "has no option ''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value[N];
        thr_error err = {0};
        assert_int_equal(thr_options_parse(options, "it", cases[i].spec, value, &err), THR_EUSE);
        if (!strstr(err.message, cases[i].words))
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].spec, err.message, cases[i].words);
        assert_int_equal(thr_options_parse(options, "it", cases[i].spec, value, NULL), THR_EUSE);
    }
}

/* Every learner's defaults are in range, and a spec prints back as itself. */
static void test_defaults_of_every_learner_print_back_as_read(void **state)
{
    (void)state;
    for (size_t i = 0; thr_learners[i]; i++) {
        const thr_learner *l = thr_learners[i];
        thr_rule r, again;
        thr_bytes spec = {0};
        assert_int_equal(thr_rule_init(&r, l->name, NULL, NULL), 0);
        assert_ptr_equal(r.learner, l);
        assert_true(thr_bytes_printf(&spec, "%s:", l->name));
        assert_true(thr_options_print(l->options, r.option, &spec));
        assert_int_equal(thr_rule_init(&again, spec.p, NULL, NULL), 0);
        size_t n = 0;
        while (l->options[n].name)
            n++;
        assert_true(n <= THR_MAX_OPTIONS && r.n_slots <= THR_MAX_SLOTS);
        assert_memory_equal(r.option, again.option, n * sizeof *r.option);
        thr_rule_clear(&r);
        thr_rule_clear(&again);
        thr_bytes_clear(&spec);
    }
}

static void test_rules_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *policy, *words;
    } cases[] = {
        {"nobody", NULL, "there is no learner 'nobody'; there are perceptron,"},
        {"", NULL, "there is no learner ''"},
        {"pa:D=1", NULL, "pa has no option 'D'; it has C,"},
        {"winnow:promote=1,demote=1", NULL, "nothing is learned"},
        {"winnow", "direct", "winnow has no 'direct' form"},
        {"bayes", "one-vs-all", "in its own way only"},
        {"pa", "nothing", "there is no multi-class policy 'nothing'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        thr_rule r;
        thr_error err = {0};
        assert_int_equal(thr_rule_init(&r, cases[i].spec, cases[i].policy, &err), THR_EUSE);
        if (!strstr(err.message, cases[i].words))
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].spec, err.message, cases[i].words);
        thr_rule_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_defaults_print_back_as_read),
        cmocka_unit_test(test_bad_values_are_refused_with_the_reason),
        cmocka_unit_test(test_defaults_of_every_learner_print_back_as_read),
        cmocka_unit_test(test_rules_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
