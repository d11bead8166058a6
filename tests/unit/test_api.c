/* The public interface alone: only thresh.h is included. Batches from arrays and names, learning
 * and scoring, explanations, clones, declared labels, threads that share a model. */
#include "thresh.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static thr_model *make(const char *learner)
{
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "learner", learner, NULL), 0);
    assert_true(thr_settings_given(s, "learner") && !thr_settings_given(s, "unit"));
    assert_string_equal(thr_settings_get(s, "learner"), learner);
    assert_null(thr_settings_get(s, "nothing"));
    thr_model *m = thr_model_new(s, NULL);
    assert_non_null(m);
    thr_settings_free(s);
    return m;
}

static void assert_same(const thr_model *a, const thr_model *b)
{
    void *p[2];
    size_t n[2];
    assert_int_equal(thr_model_dump(a, false, &p[0], &n[0], NULL), 0);
    assert_int_equal(thr_model_dump(b, false, &p[1], &n[1], NULL), 0);
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(p[0], p[1], n[0]);
    free(p[0]);
    free(p[1]);
}

/* ---- arrays ---- */

enum { ROWS = 4 };
static const int32_t offsets32[] = {0, 2, 3, 3, 6}, columns32[] = {1, 3, 2, 1, 2, 1025};
static const int64_t offsets64[] = {0, 2, 3, 3, 6}, columns64[] = {1, 3, 2, 1, 2, 1025};
static const float values32[] = {1, 0.5F, 2, 1, -1, 4};
static const double values64[] = {1, 0.5, 2, 1, -1, 4};
static const double labels[] = {1, -1, 1, -1};
static const float importance[] = {1, 2, 1, 0.5F};

static const thr_csr narrow = {.rows = ROWS,
                               .nonzeros = 6,
                               .offsets = offsets32,
                               .columns = columns32,
                               .values = values32,
                               .about = {.labels = labels, .weights = importance}};
static const thr_csr wide = {.rows = ROWS,
                             .nonzeros = 6,
                             .offsets = offsets64,
                             .columns = columns64,
                             .values = values64,
                             .wide_offsets = true,
                             .wide_columns = true,
                             .wide_values = true,
                             .about = {.labels = labels, .weights = importance}};

/* 32 bits, 64 bits, single features and svmlight text give the same model. */
static void test_csr_keys_and_names_give_the_same_model(void **state)
{
    (void)state;
    thr_model *m[4];
    for (int i = 0; i < 4; i++) {
        thr_batch *b = thr_batch_new();
        m[i] = make("pa");
        if (i == 0)
            assert_int_equal(thr_batch_csr(b, m[i], &narrow, NULL), 0);
        else if (i == 1)
            assert_int_equal(thr_batch_csr(b, m[i], &wide, NULL), 0);
        for (int r = 0; i >= 2 && r < ROWS; r++) {
            thr_batch_begin(b);
            thr_batch_set_label(b, labels[r] > 0 ? "1" : "-1");
            thr_batch_set_importance(b, importance[r]);
            for (int32_t k = offsets32[r]; k < offsets32[r + 1]; k++) {
                char name[16];
                snprintf(name, sizeof name, "%d", columns32[k]);
                if (i == 2)
                    thr_batch_add_key(b, (uint64_t)columns32[k], values32[k]);
                else
                    thr_batch_add(b, NULL, name, values32[k]);
            }
            thr_batch_end(b, m[i]);
        }
        assert_int_equal(thr_batch_size(b), ROWS);
        int32_t predicted[ROWS];
        assert_int_equal(thr_learn(m[i], NULL, b, predicted, NULL), 0);
        assert_int_equal(predicted[0], -1); /* no label was known */
        thr_batch_free(b);
        assert_same(m[0], m[i]);
    }
    for (int i = 0; i < 4; i++)
        thr_model_free(m[i]);
}

/* Without values all are 1, without labels nothing can be learned. */
static void test_array_forms(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = make("perceptron:bias=off");
    thr_batch *b = thr_batch_new();
    int32_t predicted[ROWS];
    thr_csr ones = narrow;
    ones.values = NULL;
    ones.about.weights = NULL;
    assert_int_equal(thr_batch_csr(b, m, &ones, NULL), 0);
    assert_int_equal(thr_learn(m, NULL, b, predicted, NULL), 0);
    thr_batch_clear(b);
    assert_int_equal(thr_batch_size(b), 0);
    ones.about.labels = NULL;
    assert_int_equal(thr_batch_csr(b, m, &ones, NULL), 0);
    assert_false(thr_batch_labelled(b, 0));
    assert_int_equal(thr_learn(m, NULL, b, NULL, &err), THR_EDATA);
    assert_non_null(strstr(err.message, "label"));
    for (size_t i = 0; i < ROWS; i++)
        thr_batch_relabel(b, i, i ? "1" : "-1");
    assert_true(thr_batch_labelled(b, 0) && !thr_batch_labelled(b, ROWS));
    assert_int_equal(thr_learn(m, NULL, b, predicted, NULL), 0);
    assert_int_equal(thr_batch_size(b), ROWS);
    thr_batch_free(b);
    thr_model_free(m);
}

static void test_unfinished_example(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = make("pa");
    thr_batch *b = thr_batch_new();
    thr_batch_begin(b);
    thr_batch_add(b, "a", "b", 1);
    assert_int_equal(thr_learn(m, NULL, b, NULL, &err), THR_EUSE);
    thr_batch_set_label(b, "x");
    thr_batch_end(b, m);
    assert_int_equal(thr_learn(m, NULL, b, NULL, &err), 0);
    thr_batch_free(b);
    thr_model_free(m);
}

/* ---- names, scores, explanations ---- */

static void add_named(thr_batch *b, const thr_model *m, const char *label, const char *ns,
                      const char *name, float value)
{
    thr_batch_begin(b);
    if (label)
        thr_batch_set_label(b, label);
    thr_batch_set_tag(b, "a tag");
    thr_batch_add(b, ns, name, value);
    thr_batch_end(b, m);
}

static thr_model *fruit(const char *learner)
{
    thr_model *m = make(learner);
    thr_batch *b = thr_batch_new();
    for (int i = 0; i < 3; i++) {
        add_named(b, m, "apple", "colour", "red", 1);
        add_named(b, m, "lemon", "colour", "yellow", 1);
        add_named(b, m, "lime", "colour", "green", 1);
        add_named(b, m, "apple", NULL, "round", 0.5F);
    }
    assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
    thr_batch_free(b);
    return m;
}

static void test_features_weights_and_stats_can_be_listed(void **state)
{
    (void)state;
    static const char *const names[] = {"(bias)", "colour|red", "colour|yellow", "colour|green",
                                        "round"};
    thr_model *m = fruit("pa");
    thr_stats s;
    thr_model_stats(m, &s);
    assert_int_equal(s.examples, 12);
    assert_int_equal(s.features, 4);
    assert_int_equal(s.labels, 3);
    assert_true(s.mean_active == 1 && s.max_norminf == 1 && fabs(s.max_norm2 - sqrt(2)) < 1e-12);
    assert_int_equal(thr_model_features(m), 5);
    for (size_t i = 0; i < 5; i++) {
        char name[32], small[4];
        double w[3];
        assert_int_equal(thr_model_feature(m, i, name, sizeof name), strlen(names[i]));
        assert_string_equal(name, names[i]);
        assert_int_equal(thr_model_feature(m, i, small, sizeof small), strlen(names[i]));
        assert_memory_equal(small, names[i], 3);
        assert_int_equal(small[3], 0);
        assert_int_equal(thr_model_weights(m, i, w, NULL), 0);
        assert_true(isfinite(w[0]) && isfinite(w[1]) && isfinite(w[2]));
    }
    assert_int_equal(thr_model_weights(m, 5, NULL, NULL), THR_EUSE);
    assert_string_equal(thr_model_label(m, 2), "lime");
    assert_int_equal(thr_model_positive(m), -1);
    assert_string_equal(thr_model_setting(m, "learner"), "pa");
    thr_model_free(m);
}

/* The parts and the rest add up to the total, which is the lead over the runner-up. */
static void assert_adds_up(const thr_explanation *e, double total)
{
    double sum = e->rest, last = INFINITY;
    for (size_t i = 0; i < e->n_parts; i++) {
        const thr_contribution *p = &e->parts[i];
        sum += p->contribution;
        assert_true(fabs(p->contribution) <= last);
        last = fabs(p->contribution);
    }
    if (fabs(sum - e->total) > 1e-6 * (1 + fabs(sum)) || fabs(total - e->total) > 1e-9)
        fail_msg("parts add up to %.9g, total %.9g, lead %.9g", sum, e->total, total);
}

static void test_explained_parts_add_up_to_the_lead_in_score(void **state)
{
    (void)state;
    static const char *const learners[] = {
        "pa",    "perceptron",          "averaged", "winnow", "balanced", "balanced:normalized=on",
        "bayes", "bayes:kind=bernoulli"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        thr_model *m = fruit(learners[i]);
        thr_batch *b = thr_batch_new();
        thr_scratch *s = thr_scratch_new();
        thr_explanation e;
        int32_t predicted[2];
        double scores[6];
        add_named(b, m, NULL, "colour", "yellow", 1);
        add_named(b, m, NULL, "colour", "never seen", 3);
        assert_int_equal(thr_score(m, s, b, predicted, scores, NULL), 0);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(thr_explain_one(m, s, b, k, &e, NULL), 0);
            int32_t best = predicted[k];
            assert_string_equal(e.prediction.label, thr_model_label(m, (size_t)best));
            assert_null(e.prediction.truth);
            assert_string_equal(e.prediction.tag, "a tag");
            assert_non_null(e.against);
            double next = -INFINITY;
            for (int32_t l = 0; l < 3; l++)
                next = l == best ? next : fmax(next, scores[k * 3 + (size_t)l]);
            assert_adds_up(&e, scores[k * 3 + (size_t)best] - next);
            for (size_t p = 0; p < e.n_parts; p++)
                if (strstr(e.parts[p].feature, "never"))
                    assert_false(e.parts[p].seen);
        }
        assert_string_equal(thr_model_label(m, (size_t)predicted[0]), "lemon");
        assert_int_equal(thr_explain_one(m, s, b, 2, &e, NULL), THR_EUSE);
        thr_scratch_free(s);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

/* With two labels the total is the score, and there is no runner-up. */
static void test_explain_two(void **state)
{
    (void)state;
    static const char *const learners[] = {"pa", "winnow", "balanced", "pegasos", "arow", "bayes"};
    for (size_t i = 0; i < 4; i++) {
        thr_model *m = make(learners[i]);
        thr_batch *b = thr_batch_new();
        thr_scratch *s = thr_scratch_new();
        thr_explanation e;
        add_named(b, m, "no", NULL, "cold", 1);
        add_named(b, m, "yes", NULL, "warm", 1);
        assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
        assert_int_equal(thr_explain_one(m, s, b, 1, &e, NULL), 0);
        assert_string_equal(e.prediction.truth, "yes");
        if (strcmp(learners[i], "bayes") != 0) { /* which has a function for each label */
            assert_null(e.against);
            assert_adds_up(&e, e.prediction.score);
        }
        thr_scratch_free(s);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

static void test_text_and_lines(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = make("pa");
    thr_batch *b = thr_batch_new();
    thr_batch_begin(b);
    thr_batch_set_label(b, "spam");
    thr_batch_add_text(b, m, NULL, "Cheap PILLS", 11);
    thr_batch_end(b, m);
    assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
    thr_batch_clear(b);
    const char line[] = "ham\tMeet me at noon";
    assert_int_equal(thr_batch_parse(b, m, "text", true, line, strlen(line), &err), 0);
    assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
    char name[32];
    thr_model_feature(m, 2, name, sizeof name);
    assert_string_equal(name, "pills");
    assert_int_equal(thr_model_features(m), 7);
    thr_batch_clear(b);
    assert_int_equal(thr_batch_parse(b, m, "svmlight", true, "1 x:1", 5, &err), THR_EDATA);
    assert_int_equal(err.column, 3);
    assert_int_equal(thr_batch_parse(b, m, "svmlight", true, "# none", 6, &err), THR_EDATA);
    assert_int_equal(thr_batch_parse(b, m, "nothing", true, "1 1:1", 5, &err), THR_EUSE);
    assert_int_equal(thr_batch_parse(b, m, "cache", true, "1 1:1", 5, &err), THR_EUSE);
    assert_int_equal(thr_batch_size(b), 0);
    thr_batch_free(b);
    thr_model_free(m);
}

/* ---- models ---- */

static void test_declared_labels(void **state)
{
    (void)state;
    thr_model *m = make("pa");
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    int32_t predicted;
    double scores[2];
    add_named(b, m, NULL, NULL, "x", 1);
    assert_int_equal(thr_score(m, s, b, &predicted, NULL, NULL), 0);
    assert_int_equal(predicted, -1);
    assert_int_equal(thr_model_declare_label(m, "-1", NULL), 0);
    assert_int_equal(thr_model_declare_label(m, "1", NULL), 1);
    assert_int_equal(thr_model_declare_label(m, "-1", NULL), 0);
    assert_int_equal(thr_model_positive(m), 1);
    assert_int_equal(thr_score(m, s, b, &predicted, scores, NULL), 0);
    assert_int_equal(predicted, 1); /* a tie is positive */
    assert_true(scores[0] == 0 && scores[1] == 0);
    thr_scratch_free(s);
    thr_batch_free(b);
    thr_model_free(m);
}

/* Neither of a model and its clone sees what the other learns. */
static void test_clone_and_original_learn_independently(void **state)
{
    (void)state;
    thr_model *m = fruit("averaged"), *same = fruit("averaged"), *clone = thr_model_clone(m, NULL);
    assert_same(m, clone);
    thr_batch *b = thr_batch_new();
    add_named(b, clone, "plum", "colour", "blue", 1);
    assert_int_equal(thr_learn(clone, NULL, b, NULL, NULL), 0);
    assert_same(m, same);
    assert_int_equal(thr_model_labels(clone), 4);
    thr_model_free(m);
    assert_int_equal(thr_learn(clone, NULL, b, NULL, NULL), 0);
    thr_model_free(clone);
    thr_model_free(same);
    thr_batch_free(b);
}

/* cmocka's checks work only in the thread that runs the test. So a worker keeps every number it was
 * given, and returns what went wrong in words, or NULL. */
enum { CALLS = 2000, NUMBERS = 4 };
typedef struct worker {
    const thr_model *m;
    pthread_t thread;
    double number[CALLS][NUMBERS]; /* three scores and the total of the explanation */
} worker;

static char *score_one(const worker *w, thr_scratch *s, thr_batch *b, int i, double *number)
{
    static const char *const colours[] = {"red", "yellow", "green", "blue"};
    thr_explanation e;
    thr_batch_clear(b);
    add_named(b, w->m, NULL, "colour", colours[i % 4], (float)(i % 7));
    if (thr_batch_size(b) != 1)
        return "an example was not added";
    if (thr_score(w->m, s, b, NULL, number, NULL))
        return "scoring failed";
    if (thr_explain_one(w->m, s, b, 0, &e, NULL))
        return "explaining failed";
    number[3] = e.total;
    for (int k = 0; k < NUMBERS; k++)
        if (!isfinite(number[k]))
            return "a score is not finite";
    return NULL;
}

static void *score_many(void *arg)
{
    worker *w = arg;
    thr_scratch *s = thr_scratch_new();
    thr_batch *b = thr_batch_new();
    char *wrong = s && b ? NULL : "there is no memory";
    for (int i = 0; i < CALLS && !wrong; i++)
        wrong = score_one(w, s, b, i, w->number[i]);
    thr_batch_free(b);
    thr_scratch_free(s);
    return wrong;
}

/* Four threads, and this one: the same numbers, to the bit. */
static void check_threads(const char *learner)
{
    static worker alone, w[4];
    thr_model *m = fruit(learner);
    alone = (worker){.m = m};
    char *wrong[4], *wrong_alone = score_many(&alone);
    if (wrong_alone)
        fail_msg("%s: %s", learner, wrong_alone);
    for (int i = 0; i < 4; i++) {
        w[i] = (worker){.m = m};
        assert_int_equal(pthread_create(&w[i].thread, NULL, score_many, &w[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *said;
        assert_int_equal(pthread_join(w[i].thread, &said), 0);
        wrong[i] = said;
    }
    for (int i = 0; i < 4; i++) {
        if (wrong[i])
            fail_msg("%s, thread %d: %s", learner, i, wrong[i]);
        assert_memory_equal(w[i].number, alone.number, sizeof alone.number);
    }
    thr_model_free(m);
}

static void test_threads_sharing_a_model_score_as_one_does(void **state)
{
    (void)state;
    static const char *const learners[] = {"bayes:kind=bernoulli", "averaged", "pa", "knn",
                                           "panel"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        check_threads(learners[i]);
}

/* ---- the rest ---- */

static bool stop(void *user, const thr_progress *p)
{
    ++*(int *)user;
    return p->examples >= 1;
}

/* ---- predictions without probabilities ---- */

typedef struct answers {
    size_t n;
    double score[8], probability[8];
    char label[8][8];
} answers;

static int take_answer(void *user, const thr_prediction *p)
{
    answers *a = user;
    a->score[a->n] = p->score;
    a->probability[a->n] = p->probability;
    assert_true((p->probabilities == NULL) == (bool)isnan(p->probability));
    assert_true((bool)isnan(p->lead) == (bool)isnan(p->probability));
    snprintf(a->label[a->n++], sizeof *a->label, "%s", p->label);
    return 0;
}

static void test_scores_alone(void **state)
{
    (void)state;
    static const char text[] = "1 1:1\n2 2:1 3:2\n3 1:1 3:-1\n1 4:1\n";
    thr_error err = {0};
    answers all = {0}, scores = {0};
    thr_model *m = make("pa");
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, text, strlen(text), "memory", &err), 0);
    thr_train_options o = {.passes = 3};
    assert_int_equal(thr_train(m, in, &o, NULL, &err), 0);
    assert_int_equal(thr_predict(m, in, take_answer, &all, NULL, NULL, NULL, &err), 0);
    assert_int_equal(thr_predict_scores(m, in, take_answer, &scores, NULL, NULL, NULL, &err), 0);
    assert_int_equal(all.n, 4);
    assert_int_equal(scores.n, 4);
    assert_memory_equal(all.score, scores.score, sizeof all.score);
    assert_memory_equal(all.label, scores.label, sizeof all.label);
    for (size_t i = 0; i < 4; i++)
        assert_true(isnan(scores.probability[i]) && all.probability[i] > 0);
    thr_input_free(in);
    thr_model_free(m);
}

static void test_progress_callback_can_cancel_training(void **state)
{
    (void)state;
    int calls = 0;
    thr_error err = {0};
    thr_model *m = make("pa");
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, "1 1:1\n-1 2:1\n", 13, "memory", &err), 0);
    thr_train_options o = {.passes = 3, .progress = stop, .user = &calls};
    assert_int_equal(thr_train(m, in, &o, NULL, &err), THR_ECANCEL);
    assert_int_equal(calls, 1);
    thr_input_free(in);
    thr_model_free(m);
}

static void test_error_text_says_place_and_is_cut_to_the_room(void **state)
{
    (void)state;
    char text[64];
    thr_error e = {.line = 3, .column = 7, .file = "a.txt", .message = "wrong"};
    assert_int_equal(thr_error_text(&e, text, sizeof text), 16);
    assert_string_equal(text, "a.txt:3:7: wrong");
    e.column = 0;
    thr_error_text(&e, text, sizeof text);
    assert_string_equal(text, "a.txt:3: wrong");
    e.line = 0;
    e.file[0] = 0;
    thr_error_text(&e, text, sizeof text);
    assert_string_equal(text, "wrong");
    assert_int_equal(thr_error_text(&e, text, 3), 5);
    assert_string_equal(text, "wr");
    thr_option_info first;
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "nothing", "1", &e), THR_EUSE);
    assert_int_equal(thr_settings_set(s, "ngrams", "99", &e), THR_EUSE);
    assert_int_equal(thr_settings_set(s, "learner", "pa:x=1", NULL), THR_EUSE);
    assert_true(thr_setting_at(0, &first));
    assert_string_equal(thr_settings_get(s, first.name), first.fallback);
    thr_settings_free(s);
    thr_settings_free(NULL);
    thr_model_free(NULL);
    thr_input_free(NULL);
    thr_batch_free(NULL);
    thr_scratch_free(NULL);
}

/* Numbers that no file could bring are refused from a caller too, before anything is learned. */
static void test_bad_numbers(void **state)
{
    (void)state;
    const float value[] = {NAN, INFINITY, 1, 1}, weight[] = {1, 1, NAN, -1};
    for (int i = 0; i < 4; i++) {
        thr_error err;
        thr_stats stats;
        thr_model *m = make("pa");
        thr_batch *b = thr_batch_new();
        thr_batch_begin(b);
        thr_batch_set_label(b, "a");
        thr_batch_add(b, NULL, "x", value[i]);
        thr_batch_set_importance(b, weight[i]);
        thr_batch_end(b, m);
        assert_int_equal(thr_learn(m, NULL, b, NULL, &err), THR_EDATA);
        thr_model_stats(m, &stats);
        assert_int_equal(stats.features, 0);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

static void learn_line(thr_model *m, const char *format, const char *line)
{
    thr_batch *b = thr_batch_new();
    assert_int_equal(thr_batch_parse(b, m, format, true, line, strlen(line), NULL), 0);
    assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
    thr_batch_free(b);
}

/* An importance of 0 moves nothing, whatever C is. */
static void test_no_importance(void **state)
{
    (void)state;
    thr_model *m = make("pa:C=inf,averaged=off");
    learn_line(m, "vw", "1 0 | a");
    double w[1];
    assert_int_equal(thr_model_weights(m, 1, w, NULL), 0);
    assert_true(w[0] == 0);
    thr_model_free(m);
}

/* A model opened for predicting only cannot be taught: its map may not be written to. */
static void test_read_only(void **state)
{
    (void)state;
    thr_error err;
    char path[] = "/tmp/thresh-api-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    thr_model *m = make("perceptron");
    learn_line(m, "svmlight", "1 1:1");
    learn_line(m, "svmlight", "-1 2:1");
    assert_int_equal(thr_model_save(m, path, false, &err), 0);
    thr_model *opened = thr_model_open(path, false, &err);
    assert_non_null(opened);
    thr_batch *b = thr_batch_new();
    assert_int_equal(thr_batch_parse(b, opened, "svmlight", true, "1 1:1", 5, &err), 0);
    assert_int_equal(thr_learn(opened, NULL, b, NULL, &err), THR_EUSE);
    assert_int_equal(thr_model_declare_label(opened, "new", &err), THR_EUSE);
    thr_batch_free(b);
    thr_model_free(opened);
    thr_model_free(m);
    unlink(path);
}

static void test_listed_learners_formats_and_settings_have_help(void **state)
{
    (void)state;
    thr_entry_info entry;
    thr_option_info option;
    size_t learners = 0, formats = 0, settings = 0;
    for (; thr_learner_at(learners, &entry); learners++) {
        assert_true(entry.name[0] && entry.help[0]);
        for (size_t i = 0; i < entry.n_options; i++)
            assert_true(thr_learner_option_at(learners, i, &option) && option.help[0]);
        assert_false(thr_learner_option_at(learners, entry.n_options, &option));
        thr_model_free(make(entry.name));
    }
    for (; thr_format_at(formats, &entry); formats++)
        assert_true(entry.name[0] && entry.help[0]);
    for (; thr_setting_at(settings, &option); settings++)
        assert_true(option.name[0] && option.help[0]);
    assert_true(learners >= 6 && formats >= 8 && settings > 10);
    assert_string_equal(thr_version(), THR_VERSION);
    assert_non_null(strstr(thr_built_with(), "xxhash"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr_keys_and_names_give_the_same_model),
        cmocka_unit_test(test_array_forms),
        cmocka_unit_test(test_unfinished_example),
        cmocka_unit_test(test_features_weights_and_stats_can_be_listed),
        cmocka_unit_test(test_explained_parts_add_up_to_the_lead_in_score),
        cmocka_unit_test(test_explain_two),
        cmocka_unit_test(test_text_and_lines),
        cmocka_unit_test(test_declared_labels),
        cmocka_unit_test(test_clone_and_original_learn_independently),
        cmocka_unit_test(test_threads_sharing_a_model_score_as_one_does),
        cmocka_unit_test(test_scores_alone),
        cmocka_unit_test(test_progress_callback_can_cancel_training),
        cmocka_unit_test(test_error_text_says_place_and_is_cut_to_the_room),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_no_importance),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_listed_learners_formats_and_settings_have_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
