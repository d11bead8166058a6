/* Certifying random data whose separator is known, or which has none: the verdict is right, the
 * ends of the margins hold what is planted between them, every rule keeps within its bound, and the
 * bounds are those of the theorems, computed here once more from the report. */
#include "bounds.h"

#include <stdio.h>

#define TEXT_ROOM (1 << 20)

typedef struct result {
    thr_certify *c;
    thr_certify_report r;
} result;

static result certify(const char *text, const char *unit)
{
    thr_error err = {0};
    result x;
    thr_settings *s = thr_settings_new();
    thr_input *in = thr_input_new();
    thr_certify_options o = {.seconds = 60, .passes = 300};
    assert_int_equal(thr_settings_set(s, "unit", unit, &err), 0);
    assert_int_equal(thr_input_add_memory(in, text, strlen(text), "data", &err), 0);
    x.c = thr_certify_new(s, in, &o, &err);
    if (!x.c)
        fail_msg("%s", err.message);
    thr_certify_about(x.c, &x.r);
    thr_input_free(in);
    thr_settings_free(s);
    return x;
}

static char *text_of(const stream *s)
{
    char *text = malloc(TEXT_ROOM), *at = text;
    assert_non_null(text);
    for (size_t row = 0; row < s->rows; row++) {
        at += sprintf(at, "%g", s->label[row]);
        for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
            at += sprintf(at, " %d:%.9g", s->column[i] + 1, (double)s->value[i]);
        *at++ = '\n';
        assert_true(at < text + TEXT_ROOM - 20000);
    }
    *at = '\0';
    return text;
}

static bool find_rule(const result *x, const char *learner, thr_certify_rule *out)
{
    for (size_t i = 0; thr_certify_rule_at(x->c, i, out); i++)
        if (strncmp(out->learner, learner, strlen(learner)) == 0)
            return true;
    return false;
}

static thr_certify_rule rule_of(const result *x, const char *learner)
{
    thr_certify_rule r;
    if (!find_rule(x, learner, &r))
        fail_msg("no rule %s", learner);
    return r;
}

/* Whatever the data: counts within bounds, "vacuous" where a bound says nothing. */
static void every_rule_keeps_its_bound(const result *x, uint64_t seed)
{
    thr_certify_rule r;
    size_t n = 0;
    for (; thr_certify_rule_at(x->c, n, &r); n++) {
        uint64_t once = r.on_mistakes ? r.mistakes : r.updates;
        uint64_t all = r.on_mistakes ? r.all_mistakes : r.all_updates;
        if (!r.holds)
            fail_msg("%s, seed %d: the bound %g is broken", r.learner, (int)seed, r.bound);
        if (isnan(r.bound))
            continue;
        at_most(r.learner, seed, (double)once, r.bound);
        if (x->r.separable == THR_YES && r.repeated)
            at_most(r.learner, seed, (double)all, r.bound);
        if (!isnan(r.hindsight))
            at_most(r.learner, seed, (double)once, r.hindsight);
        assert_int_equal(r.vacuous, r.bound > (double)x->r.examples);
        assert_true(fabs(r.ratio * r.bound - (double)once) < 1e-6 * (1 + (double)once));
        if (strncmp(r.learner, "pa:", 3) != 0 && strncmp(r.learner, "panel", 5) != 0 &&
            strcmp(r.learner, "averaged") != 0)
            assert_true(r.mistakes <= r.updates);
    }
    assert_true(n >= 7);
}

/* The theorems, from what the report says of the data. `copies` is 2 with many labels. */
static void bounds_are_those_of_the_theorems(const result *x, double copies, double functions)
{
    double R2 = copies * x->r.R * x->r.R, gamma2 = x->r.gamma_low * x->r.gamma_low;
    double N = ((double)x->r.features + 1) * functions;
    double g = x->r.g_low / x->r.X;
    struct {
        const char *learner;
        double bound;
    } wanted[] = {{"perceptron", R2 / gamma2},      {"perceptron:margin=1", (R2 + 2) / gamma2},
                  {"averaged", R2 / gamma2},        {"pa:C=inf", R2 / gamma2},
                  {"pa:C=1", fmax(R2, 1) / gamma2}, {"balanced", 2 * log(2 * N) / (g * g)}};
    for (size_t i = 0; i < COUNT(wanted); i++) {
        double found = rule_of(x, wanted[i].learner).bound;
        if (!(fabs(found - wanted[i].bound) <= 1e-9 * wanted[i].bound))
            fail_msg("%s: %.12g is not %.12g", wanted[i].learner, found, wanted[i].bound);
    }
    thr_certify_rule perceptron = rule_of(x, "perceptron"), averaged = rule_of(x, "averaged");
    assert_int_equal(perceptron.updates, averaged.updates); /* the same rule */
    assert_int_equal(perceptron.all_updates, averaged.all_updates);
}

/* Margins are proved to within a hundredth, from both sides of the truth. */
static void ends_meet(const result *x, double at_least)
{
    assert_int_equal(x->r.separable, THR_YES);
    assert_true(x->r.gamma_low > 0 && x->r.gamma_low <= x->r.gamma_high);
    assert_true(x->r.gamma_low >= 0.98 * x->r.gamma_high);
    assert_true(x->r.gamma_high >= at_least * (1 - 1e-5));
    assert_true(x->r.g_low > 0 && x->r.g_low <= x->r.g_high && x->r.g_low >= 0.98 * x->r.g_high);
    assert_true(x->r.g_high <= x->r.gamma_high * (1 + 1e-9)); /* |u|_1 is at least |u|_2 */
    assert_true(fabs(x->r.norm1 * x->r.g_low - 1) < 1e-9);
}

/* u without a bias separates by gamma; the best with one does no worse. */
static void planted_margin(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.1, 0.3);
    stream s = margin_stream(&d, seed, gamma, 0);
    char *text = text_of(&s);
    result x = certify(text, "off");
    ends_meet(&x, gamma);
    assert_true(fabs(x.r.R - sqrt(s.norm2 * s.norm2 + 1)) < 1e-5);
    bounds_are_those_of_the_theorems(&x, 1, 1);
    every_rule_keeps_its_bound(&x, seed);
    thr_certify_free(x.c);
    free(text);
    stream_free(&s);
}

static void planted_classes(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.05, 0.1);
    stream s = stream_classes(&d, gamma, 120);
    char *text = text_of(&s);
    result x = certify(text, "off");
    ends_meet(&x, gamma);
    bounds_are_those_of_the_theorems(&x, 2, (double)x.r.labels);
    every_rule_keeps_its_bound(&x, seed);
    thr_certify_free(x.c);
    free(text);
    stream_free(&s);
}

/* Scaled to length 1, R is 1, and a margin of unscaled points is at least that of scaled ones times
 * the least length. */
static void scaled_points(uint64_t seed)
{
    dice d = {seed};
    stream s = margin_stream(&d, seed, 0.2, 0);
    stream_scale(&s, (float)PICK(&d, 0.5, 3));
    char *text = text_of(&s);
    result plain = certify(text, "off"), unit = certify(text, "on");
    assert_true(fabs(unit.r.R - 1) < 1e-12 && unit.r.X <= 1 && unit.r.scaled && !plain.r.scaled);
    assert_true(plain.r.gamma_high * (1 + 1e-6) >= unit.r.gamma_low * plain.r.least_norm);
    assert_true(unit.r.gamma_high * (1 + 1e-6) >= plain.r.gamma_low / plain.r.R);
    bounds_are_those_of_the_theorems(&unit, 1, 1);
    every_rule_keeps_its_bound(&unit, seed);
    thr_certify_free(plain.c);
    thr_certify_free(unit.c);
    free(text);
    stream_free(&s);
}

/* Flipped labels in few dimensions leave no separator; whatever is said of it comes with a proof.
 */
static void noisy(uint64_t seed)
{
    stream s = stream_generate(seed, 300, "majority:n=7,k=3,noise=0.1");
    char *text = text_of(&s);
    result x = certify(text, "off");
    assert_int_equal(x.r.separable, THR_NO);
    assert_true(x.r.checked && isnan(x.r.gamma_low) && isnan(x.r.g_high));
    every_rule_keeps_its_bound(&x, seed);
    assert_true(isnan(rule_of(&x, "pa:C=inf").bound));
    assert_false(isnan(rule_of(&x, "pa:C=1").bound));
    thr_certify_free(x.c);
    free(text);
    stream_free(&s);
}

/* Real values, so that no two examples contradict each other outright. */
static void noisy_values(uint64_t seed)
{
    stream s = stream_generate(seed, 200, "margin:n=3,gamma=0.1,noise=0.2");
    char *text = text_of(&s);
    result x = certify(text, seed % 2 ? "on" : "off");
    assert_int_equal(x.r.separable, THR_NO);
    assert_string_equal(x.r.method, "combination");
    every_rule_keeps_its_bound(&x, seed);
    thr_certify_free(x.c);
    free(text);
    stream_free(&s);
}

/* k relevant variables: Winnow's bound is that of a disjunction, which greed finds here. */
static void disjunctions(uint64_t seed)
{
    dice d = {seed};
    unsigned k = (unsigned)PICK(&d, 1, 2, 3);
    stream s = stream_generate(seed, 400, "disjunction:n=30,k=%u", k);
    char *text = text_of(&s);
    result x = certify(text, "off");
    thr_certify_rule r = rule_of(&x, "winnow");
    double n = (double)x.r.features;
    assert_true(r.repeated && r.converged);
    at_most("winnow's bound", seed, r.bound, 3 * k * log2(2 * n) + 2);
    every_rule_keeps_its_bound(&x, seed);
    thr_certify_free(x.c);
    free(text);
    stream_free(&s);
}

/* One example: gamma = R, one update, and the bound is 1: a smaller one would be broken. */
static void one_example_is_tight(uint64_t seed)
{
    char text[64];
    snprintf(text, sizeof text, "1 1:%d 2:0.5\n", (int)seed);
    result x = certify(text, "off");
    thr_certify_rule r = rule_of(&x, "perceptron");
    assert_int_equal(r.all_updates, 1);
    assert_true(r.bound >= 1 && r.bound < 1.0001 && r.holds);
    assert_true(fabs(x.r.gamma_low - x.r.R) < 1e-6);
    thr_certify_free(x.c);
}

typedef struct claim {
    const char *says;
    unsigned seeds;
    void (*check)(uint64_t seed);
} claim;

static const claim claims[] = {
    {"certify: planted margins lie between the ends", 10, planted_margin},
    {"certify: many labels, factor 2", 6, planted_classes},
    {"certify: scaled to length 1", 6, scaled_points},
    {"certify: noise leaves no separator; bounds in hindsight", 8, noisy},
    {"certify: real values, combinations that are zero", 6, noisy_values},
    {"certify: winnow beside a disjunction", 8, disjunctions},
    {"certify: R^2/gamma^2 is met by one example", 4, one_example_is_tight},
};

static void claim_holds(void **state)
{
    const claim *p = *state;
    for (uint64_t seed = 1; seed <= stream_seeds(p->seeds); seed++)
        p->check(seed);
}

int main(void)
{
    if (!strstr(thr_built_with(), "gmp")) {
        puts("skip: this build has no GMP");
        return 0;
    }
    struct CMUnitTest tests[COUNT(claims)];
    for (size_t i = 0; i < COUNT(claims); i++)
        tests[i] = (struct CMUnitTest){
            .name = claims[i].says, .test_func = claim_holds, .initial_state = (void *)&claims[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
