/* A caller can do the sum again: from what thr_work_out shows, as thresh.h says it is added up,
 * every score of every linear learner comes out to the bit, and probabilities to rounding. Only
 * thresh.h is included. */
#include "thresh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_LABELS = 5, EXAMPLES = 60, WORDS = 40, FEATURES = 23 };

/* ---- the sum, as the header has it ---- */

static double sum_of(const thr_working *w, const double *term, size_t f, enum thr_sum how,
                     double start)
{
    double lane[8] = {0}, sum = start;
    for (size_t i = 0; i < w->n; i++) {
        double weight = term[i * w->functions + f], x = (double)w->values[i];
        if (how == THR_SUM_LANES)
            lane[i % 8] += weight * x;
        else if (how == THR_SUM_ORDER)
            sum += weight * x;
        else if (how == THR_SUM_SCALED)
            sum += weight * (w->scale * x);
        else if (how == THR_SUM_PRESENT && w->scale * x > 0)
            sum += weight;
    }
    if (how == THR_SUM_LANES)
        return (((lane[0] + lane[1]) + (lane[2] + lane[3])) +
                ((lane[4] + lane[5]) + (lane[6] + lane[7]))) *
               w->scale;
    return how == THR_SUM_ORDER ? sum * w->scale : sum;
}

static double value_of(const thr_working *w, size_t f)
{
    const thr_function *of = &w->function[f];
    double s = sum_of(w, w->first, f, of->first, of->start);
    double t = of->second ? sum_of(w, w->second, f, of->second, 0) : 0;
    return (of->factor * s - t * of->second_factor / of->second_divisor) / of->divisor +
           of->constant;
}

static double score_of(const thr_working *w, size_t label, size_t labels)
{
    if (w->anchor >= 0)
        return (size_t)w->anchor == label ? value_of(w, 0) : -value_of(w, 0);
    if (w->anchor == THR_EACH)
        return value_of(w, label);
    double sum = 0;
    for (size_t i = 0; i < label; i++)
        sum -= value_of(w, label * (label - 1) / 2 + i);
    for (size_t j = label + 1; j < labels; j++)
        sum += value_of(w, j * (j - 1) / 2 + label);
    return sum;
}

static void normalize(double *log_p, size_t n)
{
    double most = -INFINITY, sum = 0;
    for (size_t l = 0; l < n; l++)
        most = fmax(most, log_p[l]);
    for (size_t l = 0; l < n; l++)
        sum += exp(log_p[l] - most);
    for (size_t l = 0; l < n; l++)
        log_p[l] -= most + log(sum);
}

static void chances_of(const thr_working *w, size_t n, double *log_p)
{
    double e[MOST_LABELS], mean = 0;
    for (size_t l = 0; l < n; l++)
        mean += e[l] = score_of(w, l, n) / w->extent;
    for (size_t l = 0; l < n; l++) {
        double z = fmin(fmax((e[l] - mean / (double)n) / w->size, -1e6), 1e6);
        log_p[l] = w->slope * z + w->offset[l];
    }
    normalize(log_p, n);
}

/* ---- models and examples ---- */

typedef struct setup {
    const char *learner;
    size_t labels; /* 0: numbers */
    bool text;
    const char *setting[2]; /* one more */
} setup;

static unsigned random_below(unsigned *state, unsigned n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % n;
}

/* Which words and values there are depends on the label, with noise, and some are never met in
 * training: `fresh`. */
static void add_example(thr_batch *b, const thr_model *m, const setup *s, unsigned *state,
                        bool fresh)
{
    char label[16], text[512] = "";
    unsigned y = random_below(state, s->labels ? (unsigned)s->labels : 7);
    snprintf(label, sizeof label, s->labels ? "label%u" : "%u.25", y);
    thr_batch_begin(b);
    thr_batch_set_label(b, label);
    for (unsigned i = 0, n = 1 + random_below(state, FEATURES); i < n; i++) {
        unsigned word = random_below(state, 3) ? random_below(state, WORDS) : y * 5;
        word += fresh && random_below(state, 4) == 0 ? 1000 : 0;
        size_t at = strlen(text);
        if (s->text)
            snprintf(text + at, sizeof text - at, "w%u ", word);
        else
            thr_batch_add_key(b, word, (float)(1 + random_below(state, 900)) / 128.0F);
    }
    if (s->text)
        thr_batch_add_text(b, m, NULL, text, strlen(text));
    thr_batch_end(b, m);
}

/* NULL where the learner does not have it. */
static thr_model *trained(const setup *s, unsigned *state)
{
    thr_error err = {0};
    thr_settings *settings = thr_settings_new();
    int code = thr_settings_set(settings, "learner", s->learner, &err);
    if (code)
        fail_msg("%s: %s", s->learner, err.message);
    if (s->setting[0])
        assert_int_equal(thr_settings_set(settings, s->setting[0], s->setting[1], &err), 0);
    thr_model *m = thr_model_new(settings, &err);
    thr_settings_free(settings);
    if (!m)
        return NULL;
    thr_batch *b = thr_batch_new();
    for (int i = 0; i < EXAMPLES; i++)
        add_example(b, m, s, state, false);
    code = thr_learn(m, NULL, b, NULL, &err);
    if (code == 0)
        code = thr_model_finish(m, &err);
    thr_batch_free(b);
    if (code == 0)
        return m;
    thr_model_free(m);
    if (!strstr(err.message, "CLP") && !strstr(err.message, "libClp"))
        fail_msg("%s: %s", s->learner, err.message);
    return NULL;
}

static void same_bits(const setup *s, size_t example, size_t label, double found, double want)
{
    if (memcmp(&found, &want, sizeof found) == 0 || (found == 0 && want == 0))
        return;
    fail_msg("%s, %d labels, %s: example %d, label %d: %.17g, not %.17g", s->learner,
             (int)s->labels, s->setting[0] ? s->setting[1] : "", (int)example, (int)label, found,
             want);
}

/* From the logarithm of a fitted probability to what is reported. */
static double reported(const thr_working *w, double log_p, size_t n)
{
    return (w->seen * exp(log_p) + w->prior / (double)n) / (w->seen + w->prior);
}

static void check_example(const setup *s, const thr_model *m, thr_scratch *scratch, thr_batch *b,
                          size_t e, const double *scores, const double *chances)
{
    thr_working w;
    thr_error err = {0};
    double log_p[MOST_LABELS];
    size_t n = s->labels ? s->labels : 1;
    if (thr_work_out(m, scratch, b, e, 0, &w, &err))
        fail_msg("%s: %s", s->learner, err.message);
    assert_false(w.sits_out);
    for (size_t l = 0; l < n; l++)
        same_bits(s, e, l, score_of(&w, l, n), scores[e * n + l]);
    if (!s->labels)
        return;
    chances_of(&w, n, log_p);
    for (size_t l = 0; l < n; l++)
        if (fabs(reported(&w, log_p[l], n) - chances[e * n + l]) > 1e-9)
            fail_msg("%s: probability %g, not %g", s->learner, reported(&w, log_p[l], n),
                     chances[e * n + l]);
}

/* How many examples were done again; 0 where the learner does not have it. */
static size_t recompute(const setup *s, unsigned seed)
{
    thr_model *m = trained(s, &seed);
    if (!m)
        return 0;
    thr_batch *b = thr_batch_new();
    thr_scratch *scratch = thr_scratch_new();
    for (int i = 0; i < 25; i++)
        add_example(b, m, s, &seed, true);
    thr_batch_begin(b); /* one without features */
    thr_batch_end(b, m);
    size_t n = thr_batch_size(b), columns = s->labels ? s->labels : 1;
    double *scores = calloc(n * columns, sizeof *scores),
           *chances = calloc(n * columns, sizeof *chances);
    assert_true(scores && chances);
    assert_int_equal(thr_model_labels(m), s->labels);
    assert_int_equal(thr_score(m, scratch, b, NULL, scores, NULL), 0);
    if (s->labels)
        assert_int_equal(thr_probabilities(m, scratch, b, NULL, chances, NULL), 0);
    for (size_t e = 0; e < n; e++)
        check_example(s, m, scratch, b, e, scores, chances);
    free(scores);
    free(chances);
    thr_scratch_free(scratch);
    thr_batch_free(b);
    thr_model_free(m);
    return n;
}

/* ---- tests ---- */

/* Two labels and many, unit length and not, text and values, a function for each label or pair, and
 * features that do not count yet. */
static size_t recompute_all(const char *learner, bool numbers)
{
    static const char *const settings[][2] = {{NULL, NULL},
                                              {"unit", "on"},
                                              {"unit", "off"},
                                              {"multiclass", "all-pairs"},
                                              {"multiclass", "one-vs-all"},
                                              {"min-count", "3"},
                                              {"hash-bits", "5"},
                                              {"ngrams", "2"}};
    size_t done = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (size_t labels = numbers ? 0 : 2; labels <= (numbers ? 0 : MOST_LABELS); labels++)
            for (int text = 0; text < 2; text++) {
                setup s = {learner, labels, text, {settings[i][0], settings[i][1]}};
                done += recompute(&s, (unsigned)(7 * i + labels));
            }
    return done;
}

static void test_scores_of_every_linear_learner_can_be_recomputed(void **state)
{
    (void)state;
    thr_entry_info info;
    unsigned learners = 0;
    for (size_t i = 0; thr_learner_at(i, &info); i++) {
        bool solved = strcmp(info.name, "lp") == 0;
        if (!info.linear || strcmp(info.name, "panel") == 0)
            continue;
        learners++;
        if (recompute_all(info.name, info.regression) == 0 && !solved)
            fail_msg("%s was not recomputed", info.name);
    }
    assert_true(learners >= 14);
}

static void test_scores_with_other_options_can_be_recomputed(void **state)
{
    (void)state;
    static const char *const learners[] = {
        "perceptron:bias=off",  "pa:averaged=on",          "bayes:kind=bernoulli",
        "bayes:alpha=0.01",     "logistic:l2=0.01",        "logistic:l1=0.001,l2=0.001",
        "logistic:averaged=on", "logistic:steps=sgd",      "winnow:theta=3",
        "winnow:start=0.5",     "balanced:normalized=off", "eliminate:negated=off"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        assert_true(recompute_all(learners[i], false) > 0);
    static const char *const numbers[] = {"lms:averaged=on", "eg:signed=off", "eg:U=3"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(recompute_all(numbers[i], true) > 0);
}

static size_t best_of(const double *p, size_t n)
{
    size_t best = 0;
    for (size_t l = 1; l < n; l++)
        best = p[l] > p[best] ? l : best;
    return best;
}

/* A panel's probabilities are the blend of its members', and its scores their votes. */
static void test_a_vote_can_be_recomputed_from_its_members(void **state)
{
    (void)state;
    for (size_t labels = 2; labels <= MOST_LABELS; labels++) {
        setup s = {"panel:decide=vote", labels, labels % 2, {NULL, NULL}};
        unsigned seed = (unsigned)labels;
        thr_model *m = trained(&s, &seed);
        thr_batch *b = thr_batch_new();
        thr_scratch *scratch = thr_scratch_new();
        thr_expert blend;
        assert_non_null(m);
        assert_true(thr_model_expert(m, thr_model_members(m), &blend));
        add_example(b, m, &s, &seed, true);
        double scores[MOST_LABELS], chances[MOST_LABELS], log_p[MOST_LABELS] = {0};
        double vote[MOST_LABELS] = {0};
        assert_int_equal(thr_score(m, scratch, b, NULL, scores, NULL), 0);
        assert_int_equal(thr_probabilities(m, scratch, b, NULL, chances, NULL), 0);
        thr_working w = {0};
        for (size_t k = 0; k < thr_model_members(m); k++) {
            double own[MOST_LABELS], score[MOST_LABELS];
            assert_int_equal(thr_work_out(m, scratch, b, 0, k, &w, NULL), 0);
            chances_of(&w, labels, own);
            for (size_t l = 0; l < labels; l++) {
                log_p[l] += w.power * fmax(own[l], -30);
                score[l] = score_of(&w, l, labels);
            }
            vote[best_of(score, labels)] += w.vote;
        }
        normalize(log_p, labels);
        vote[best_of(log_p, labels)] += blend.weight;
        for (size_t l = 0; l < labels; l++) {
            assert_true(fabs(reported(&w, log_p[l], labels) - chances[l]) < 1e-9);
            assert_true(vote[l] == scores[l]);
        }
        thr_scratch_free(scratch);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

/* The label's logits as the calibration makes them, not normalised. */
static double logit_of(const thr_working *w, size_t label, size_t labels)
{
    double mean = 0;
    for (size_t l = 0; l < labels; l++)
        mean += score_of(w, l, labels) / w->extent;
    mean /= (double)labels;
    double z = (score_of(w, label, labels) / w->extent - mean) / w->size;
    return w->slope * fmin(fmax(z, -1e6), 1e6) + w->offset[label];
}

/* A mixture adds up its members' logits, and a label's score is how far it leads. */
static void test_a_mixture_can_be_recomputed_from_its_members(void **state)
{
    (void)state;
    for (size_t labels = 2; labels <= MOST_LABELS; labels++) {
        setup s = {"panel", labels, labels % 2, {NULL, NULL}};
        unsigned seed = (unsigned)labels;
        thr_model *m = trained(&s, &seed);
        thr_batch *b = thr_batch_new();
        thr_scratch *scratch = thr_scratch_new();
        assert_non_null(m);
        add_example(b, m, &s, &seed, true);
        double scores[MOST_LABELS], chances[MOST_LABELS], z[MOST_LABELS] = {0}, mean = 0;
        assert_int_equal(thr_score(m, scratch, b, NULL, scores, NULL), 0);
        assert_int_equal(thr_probabilities(m, scratch, b, NULL, chances, NULL), 0);
        thr_working w = {0};
        for (size_t k = 0; k < thr_model_members(m); k++) {
            assert_int_equal(thr_work_out(m, scratch, b, 0, k, &w, NULL), 0);
            assert_true(w.mixed);
            for (size_t l = 0; l < labels; l++)
                z[l] += w.vote * logit_of(&w, l, labels);
        }
        for (size_t l = 0; l < labels; l++)
            mean += z[l] / (double)labels;
        for (size_t l = 0; l < labels; l++)
            z[l] = w.mixed_slope * (z[l] - mean) + w.mixed_offset[l];
        for (size_t l = 0; l < labels; l++) {
            double other = -INFINITY;
            for (size_t j = 0; j < labels; j++)
                other = j == l ? other : fmax(other, z[j]);
            assert_true(fabs(scores[l] - (z[l] - other)) < 1e-9);
        }
        normalize(z, labels);
        for (size_t l = 0; l < labels; l++)
            assert_true(fabs(reported(&w, z[l], labels) - chances[l]) < 1e-9);
        thr_scratch_free(scratch);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

/* The weight of a feature never met is what one weighs in an example. */
static void test_the_weight_of_unseen_features_can_be_read(void **state)
{
    (void)state;
    static const char *const learner[] = {"pa", "winnow", "bayes", "balanced"};
    for (size_t i = 0; i < 4; i++) {
        setup s = {learner[i], 3, false, {NULL, NULL}};
        unsigned seed = 5;
        thr_model *m = trained(&s, &seed);
        thr_batch *b = thr_batch_new();
        thr_scratch *scratch = thr_scratch_new();
        double without[3], with[3], weights[3];
        thr_batch_begin(b);
        thr_batch_end(b, m);
        assert_int_equal(thr_score(m, scratch, b, NULL, without, NULL), 0);
        thr_batch_clear(b);
        thr_batch_begin(b);
        thr_batch_add(b, "never", "met", 0.5F);
        thr_batch_end(b, m);
        assert_int_equal(thr_score(m, scratch, b, NULL, with, NULL), 0);
        assert_int_equal(thr_model_weights(m, THR_UNKNOWN_FEATURE, weights, NULL), 0);
        for (int l = 0; l < 3; l++)
            assert_true(fabs(with[l] - without[l] - weights[l] / 2) < 1e-9);
        if (strcmp(learner[i], "winnow") == 0)
            assert_true(weights[0] != 0); /* the function of a label may be reversed */
        thr_scratch_free(scratch);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

static void test_what_cannot_be_worked_out_is_refused(void **state)
{
    (void)state;
    setup linear = {"pa", 2, true, {NULL, NULL}}, kept = {"knn", 2, true, {NULL, NULL}};
    unsigned seed = 1;
    thr_model *m = trained(&linear, &seed), *knn = trained(&kept, &seed);
    thr_batch *b = thr_batch_new();
    thr_scratch *scratch = thr_scratch_new();
    thr_working w;
    thr_error err = {0};
    add_example(b, m, &linear, &seed, true);
    assert_int_equal(thr_work_out(m, scratch, b, 0, 1, &w, &err), THR_EUSE);
    assert_int_equal(thr_work_out(m, scratch, b, 1, 0, &w, &err), THR_EUSE);
    assert_int_equal(thr_work_out(knn, scratch, b, 0, 0, &w, &err), THR_EUSE);
    assert_non_null(strstr(err.message, "knn"));
    thr_batch_begin(b);
    assert_int_equal(thr_work_out(m, scratch, b, 0, 0, &w, &err), THR_EUSE);
    thr_scratch_free(scratch);
    thr_batch_free(b);
    thr_model_free(knn);
    thr_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_of_every_linear_learner_can_be_recomputed),
        cmocka_unit_test(test_scores_with_other_options_can_be_recomputed),
        cmocka_unit_test(test_a_vote_can_be_recomputed_from_its_members),
        cmocka_unit_test(test_a_mixture_can_be_recomputed_from_its_members),
        cmocka_unit_test(test_the_weight_of_unseen_features_can_be_read),
        cmocka_unit_test(test_what_cannot_be_worked_out_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
