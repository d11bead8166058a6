/* Provenance: what updates are said to have moved is what the weights became. Moves are added up
 * here, label by label, as docs/JSON.md says they may be, and compared with the model's weights:
 * for each rule and policy, with training stopped and resumed in between. Rules whose weights also
 * shrink, or are averaged or begin above 0, are held to what they promise beside. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { VARIABLES = 30, FEATURES = VARIABLES + 1, LABELS = 4 };

/* ---- adding up ---- */

typedef struct tally {
    const thr_model *m;
    thr_scratch *scratch; /* whose updates are told */
    double sum[FEATURES][LABELS];
    double fading;  /* what every sum but the bias's is multiplied by after each example */
    bool by_number; /* moves count times the number of their example */
    uint64_t updates, last;
    double worst_margin;
    bool kept;
    uint64_t pushed[2]; /* down and up */
} tally;

/* The number of a label; of a function shared with a label not met yet, the other of the first two.
 */
static size_t label_of(const tally *t, const char *name, const char *other, bool shared)
{
    size_t known = SIZE_MAX;
    for (size_t i = 0; i < thr_model_labels(t->m); i++) {
        if (name && strcmp(thr_model_label(t->m, i), name) == 0)
            return i;
        if (other && strcmp(thr_model_label(t->m, i), other) == 0)
            known = i;
    }
    assert_null(name);
    return thr_model_regression(t->m) ? 0 : shared ? 1 - known : SIZE_MAX;
}

static void add_move(tally *t, const thr_update *u, const thr_moved *move)
{
    size_t label = label_of(t, move->label, move->against, move->shared);
    size_t against = thr_model_regression(t->m)
                         ? SIZE_MAX
                         : label_of(t, move->against, move->label, move->shared);
    assert_true(label < LABELS);
    for (size_t i = 0; i < u->n_features && move->change; i++) {
        double by = move->change[i] * (t->by_number ? (double)u->example : 1);
        assert_true(u->features[i] < FEATURES && isfinite(by));
        t->sum[u->features[i]][label] += by;
        if (against < LABELS)
            t->sum[u->features[i]][against] -= by;
    }
}

static int add_up(void *user, const thr_update *u)
{
    tally *t = user;
    assert_true(u->example >= t->last);
    t->last = u->example;
    t->updates += u->n_moves > 0;
    t->kept |= u->kept;
    t->pushed[u->pushed > 0] += u->pushed != 0;
    for (size_t f = 0; f < FEATURES; f++)
        for (size_t l = 0; l < LABELS; l++)
            t->sum[f][l] *= u->rescaled;
    for (size_t i = 0; i < u->n_moves; i++) {
        add_move(t, u, &u->moves[i]);
        t->worst_margin = fmax(t->worst_margin, u->moves[i].margin);
        assert_true(!u->kept || !u->moves[i].change);
    }
    return 0;
}

static void listen(tally *t, thr_model *m)
{
    t->m = m;
    thr_scratch_free(t->scratch);
    t->scratch = thr_scratch_new();
    assert_non_null(t->scratch);
    thr_scratch_on_update(t->scratch, add_up, t);
}

static void stop_listening(tally *t)
{
    thr_scratch_free(t->scratch);
    t->scratch = NULL;
}

/* ---- learning ---- */

/* Sparse examples with labels of a hidden vector and some noise; `dense`: all variables. */
static stream examples(dice *d, size_t rows, int classes, bool dense)
{
    stream s = {0};
    double u[LABELS][VARIABLES + 1];
    for (int c = 0; c < LABELS; c++)
        for (int v = 0; v <= VARIABLES; v++)
            u[c][v] = dice_normal(d);
    while (s.rows < rows) {
        int32_t column[VARIABLES];
        float value[VARIABLES];
        double score[LABELS] = {0};
        size_t n = 0;
        int best = 0;
        for (int v = 1; v <= VARIABLES; v++) {
            if (!dense && dice_real(d) > 0.3)
                continue;
            column[n] = v;
            value[n] = dice_below(d, 2) ? 1 : (float)dice_real(d);
            for (int c = 0; c < classes; c++)
                score[c] += u[c][v] * (double)value[n];
            n++;
        }
        for (int c = 1; c < classes; c++)
            best = score[c] > score[best] ? c : best;
        if (dice_below(d, 10) == 0)
            best = (int)dice_below(d, (size_t)classes);
        stream_add(&s, best + 1, n, column, value);
    }
    return s;
}

static void learn_rows(const stream *s, thr_model *m, tally *t, size_t from, size_t to)
{
    thr_error err = {0};
    for (size_t row = from; row < to; row++) {
        thr_batch *b = stream_row(s, m, row);
        if (thr_learn(m, t->scratch, b, NULL, &err))
            fail_msg("%s", err.message);
        thr_batch_free(b);
        for (size_t f = 1; f < FEATURES; f++)
            for (size_t l = 0; l < LABELS; l++)
                t->sum[f][l] *= t->fading;
    }
}

static thr_model *saved_and_opened(thr_model *m)
{
    thr_error err = {0};
    void *bytes;
    size_t n;
    if (thr_model_dump(m, false, &bytes, &n, &err))
        fail_msg("%s", err.message);
    thr_model *back = thr_model_load(bytes, n, &err);
    if (!back)
        fail_msg("%s", err.message);
    free(bytes);
    thr_model_free(m);
    return back;
}

/* Half of the examples, a stop, and the other half: each half with a listener of its own. */
static thr_model *learn_in_two(const stream *s, const char *more, const char *learner, tally *t)
{
    thr_model *m = model_make(false, more, "%s", learner);
    t->fading = t->fading ? t->fading : 1;
    listen(t, m);
    learn_rows(s, m, t, 0, s->rows / 2);
    m = saved_and_opened(m);
    listen(t, m);
    learn_rows(s, m, t, s->rows / 2, s->rows);
    stop_listening(t);
    thr_stats stats;
    thr_model_stats(m, &stats);
    assert_int_equal(t->updates, stats.updates);
    assert_true(t->updates > 0 && t->last <= stats.examples);
    return m;
}

/* Every weight of every label is `start` and the sum of its moves, times `factor`. */
static void same_sums(const thr_model *m, const tally *t, double start, double factor,
                      double allowed, const char *what)
{
    double weights[LABELS];
    size_t columns = thr_model_regression(m) ? 1 : thr_model_labels(m);
    for (size_t f = 0; f < thr_model_features(m); f++) {
        assert_int_equal(thr_model_member_weights(m, 0, f, weights, NULL), 0);
        for (size_t l = 0; l < columns; l++) {
            double sum = (f || start == 0 ? start : weights[l]) + t->sum[f][l] * factor;
            if (!(fabs(weights[l] - sum) <= allowed * (1 + fabs(sum))))
                fail_msg("%s: feature %zu of label %zu weighs %.17g, and its moves add up to %.17g",
                         what, f, l, weights[l], sum);
        }
    }
}

/* ---- rules that only add ---- */

static void adds(dice *d, const char *learner, const char *policy, int classes)
{
    char more[64], what[128];
    tally t = {0};
    stream s = examples(d, 120, classes, false);
    snprintf(more, sizeof more, "multiclass=%s", policy);
    snprintf(what, sizeof what, "%s, %s, %d classes", learner, policy, classes);
    thr_model *m = learn_in_two(&s, more, learner, &t);
    same_sums(m, &t, 0, 1, 1e-12, what);
    thr_model_free(m);
    stream_free(&s);
}

static void test_told_moves_add_up_to_the_weights(void **state)
{
    (void)state;
    static const char *const all[] = {"perceptron",
                                      "perceptron:repeat=on,margin=0.5",
                                      "pa:averaged=off",
                                      "balanced",
                                      "logistic",
                                      "adagrad",
                                      "arow"};
    dice d = {11};
    for (int classes = 2; classes <= LABELS; classes++)
        for (size_t i = 0; i < COUNT(all); i++)
            for (int again = 0; again < 3; again++) {
                adds(&d, all[i], "one-vs-all", classes);
                adds(&d, all[i], "all-pairs", classes);
                if (i < 5)
                    adds(&d, all[i], "direct", classes);
            }
}

static void test_sums_of_numbers(void **state)
{
    (void)state;
    dice d = {12};
    tally t = {0}, u = {0};
    stream s = examples(&d, 120, LABELS, false), dense = examples(&d, 120, LABELS, true);
    thr_model *m = learn_in_two(&s, NULL, "lms:averaged=off", &t);
    same_sums(m, &t, 0, 1, 1e-12, "lms");
    thr_model_free(m);
    /* where every feature takes part, dividing all weights by their sum is part of each step */
    m = learn_in_two(&dense, NULL, "eg", &u);
    same_sums(m, &u, 0, 1, 1e-9, "eg");
    thr_model_free(m);
    stream_free(&s);
    stream_free(&dense);
}

/* Every third row has a label promoted or demoted beside, whatever is true. */
static void learn_and_push(const stream *s, thr_model *m, tally *t, dice *d, int classes,
                           size_t from, size_t to)
{
    thr_error err = {0};
    for (size_t row = from; row < to; row++) {
        char label[32];
        bool up = row < 9 || dice_below(d, 2); /* what is not known yet cannot go down */
        thr_batch *b = stream_row(s, m, row);
        snprintf(label, sizeof label, "%zu", 1 + (row / 3 + dice_below(d, 2)) % (size_t)classes);
        int code = row % 3 ? thr_learn(m, t->scratch, b, NULL, &err)
                   : up    ? thr_promote(m, t->scratch, b, 0, label, &err)
                           : thr_demote(m, t->scratch, b, 0, label, &err);
        if (code && up)
            fail_msg("%s", err.message);
        thr_batch_free(b);
    }
}

static void pushes(dice *d, const char *learner, const char *policy, int classes)
{
    char more[64], what[128];
    tally t = {0};
    stream s = examples(d, 120, classes, false);
    snprintf(more, sizeof more, "multiclass=%s", policy);
    thr_model *m = model_make(false, more, "%s", learner);
    snprintf(what, sizeof what, "%s, %s, pushed, %d classes", learner, policy, classes);
    listen(&t, m);
    learn_and_push(&s, m, &t, d, classes, 0, s.rows / 2);
    m = saved_and_opened(m);
    listen(&t, m);
    learn_and_push(&s, m, &t, d, classes, s.rows / 2, s.rows);
    stop_listening(&t);
    same_sums(m, &t, 0, 1, 1e-12, what);
    thr_stats stats;
    thr_model_stats(m, &stats);
    assert_int_equal(t.updates, stats.updates);
    assert_true(t.pushed[0] > 5 && t.pushed[1] > 5);
    thr_model_free(m);
    stream_free(&s);
}

static void test_promotions_and_demotions_add_up_to_the_weights(void **state)
{
    (void)state;
    static const char *const all[] = {"perceptron", "logistic", "pa:averaged=off", "arow"};
    dice d = {23};
    for (int classes = 2; classes <= LABELS; classes++)
        for (size_t i = 0; i < COUNT(all); i++)
            for (int again = 0; again < 3; again++) {
                pushes(&d, all[i], "one-vs-all", classes);
                if (i < 3)
                    pushes(&d, all[i], "direct", classes);
            }
}

/* A label that is pushed is told with its sign; of a panel those members are heard that can be
 * pushed. A third label that comes in this way divides their functions as another does. */
typedef struct heard {
    char lines[2000];
} heard;

static int write_line(void *user, const thr_update *u)
{
    heard *h = user;
    size_t n = strlen(h->lines);
    snprintf(h->lines + n, sizeof h->lines - n, "%d %s %+d %s %s %zu%s;", (int)u->example, u->rule,
             u->pushed, u->truth, u->predicted ? u->predicted : "-", u->n_moves,
             u->rescaled != 1 ? " rescaled" : "");
    return 0;
}

static void test_pushed_lines(void **state)
{
    (void)state;
    thr_error err = {0};
    heard h = {{0}};
    int32_t column[] = {1, 2};
    float value[] = {1, 1};
    stream s = {0};
    stream_add(&s, 1, 2, column, value);
    thr_model *m = model_make(false, "members=logistic+bayes multiclass=direct", "panel");
    thr_scratch *scratch = thr_scratch_new();
    thr_scratch_on_update(scratch, write_line, &h);
    thr_batch *b = stream_row(&s, m, 0);
    assert_int_equal(thr_learn(m, scratch, b, NULL, &err), 0);
    assert_int_equal(thr_promote(m, scratch, b, 0, "2", &err), 0);
    assert_int_equal(thr_demote(m, scratch, b, 0, "2", &err), 0);
    assert_int_equal(thr_promote(m, scratch, b, 0, "3", &err), 0);
    thr_scratch_free(scratch);
    assert_string_equal(h.lines, "1 logistic +0 1 - 1;1 bayes +0 1 - 1;2 logistic +1 2 1 1;"
                                 "3 logistic -1 2 1 1;4 logistic +1 3 1 1 rescaled;");
    thr_batch_free(b);
    thr_model_free(m);
    stream_free(&s);
}

/* ---- several labels ---- */

/* Row `row` of s, with the labels from its own on that the dice want too, up to `truths`. */
static thr_batch *row_with_labels(const stream *s, const thr_model *m, dice *d, size_t row,
                                  bool *truths)
{
    thr_batch *b = thr_batch_new();
    char name[16];
    thr_batch_begin(b);
    memset(truths, 0, LABELS * sizeof *truths);
    for (int l = 0; l < LABELS; l++) {
        truths[l] = s->label[row] == l + 1 || dice_below(d, 4) == 0;
        snprintf(name, sizeof name, "%d", l + 1);
        if (truths[l])
            thr_batch_add_label(b, name);
    }
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        thr_batch_add_key(b, (uint64_t)s->column[i], s->value[i]);
    thr_batch_end(b, m);
    return b;
}

typedef struct sets {
    tally t;
    const bool *truths;
    const double *probabilities, *scores; /* before the example was learned */
    size_t known;                         /* ... and the labels then */
} sets;

static int check_sets(void *user, const thr_update *u)
{
    sets *s = user;
    size_t truths = 0, chosen = 0;
    assert_true(u->multilabel && u->n_truths > 0);
    assert_string_equal(u->truths[0], u->truth);
    for (int l = 0; l < LABELS; l++)
        if (s->truths[l])
            assert_int_equal(atoi(u->truths[truths++]), l + 1);
    for (size_t l = 0; l < s->known; l++)
        if (s->probabilities[l] > 0.5 || (s->probabilities[l] == 0.5 && s->scores[l] > 0))
            assert_string_equal(u->set[chosen++], thr_model_label(s->t.m, l));
    assert_int_equal(u->n_truths, truths);
    assert_int_equal(u->n_set, chosen);
    assert_true(!u->predicted == (chosen == 0));
    return add_up(&s->t, u);
}

static void test_moves_for_label_sets_add_up_to_the_weights(void **state)
{
    (void)state;
    static const char *const all[] = {"perceptron", "pa:averaged=off", "arow"};
    dice d = {24};
    for (size_t i = 0; i < COUNT(all); i++) {
        thr_error err = {0};
        thr_scratch *scratch = thr_scratch_new();
        bool truths[LABELS];
        double probabilities[LABELS], scores[LABELS];
        stream s = examples(&d, 120, LABELS, false);
        thr_model *m = model_make(false, "multilabel=on", "%s", all[i]);
        sets told = {
            .t = {.m = m}, .truths = truths, .probabilities = probabilities, .scores = scores};
        thr_scratch_on_update(scratch, check_sets, &told);
        for (size_t row = 0; row < s.rows; row++) {
            thr_batch *b = row_with_labels(&s, m, &d, row, truths);
            told.known = thr_model_labels(m);
            assert_int_equal(thr_score(m, scratch, b, NULL, scores, &err), 0);
            assert_int_equal(thr_probabilities(m, scratch, b, NULL, probabilities, &err), 0);
            if (thr_learn(m, scratch, b, NULL, &err))
                fail_msg("%s", err.message);
            thr_batch_free(b);
        }
        thr_scratch_free(scratch);
        assert_true(told.t.updates > 20);
        same_sums(m, &told.t, 0, 1, 1e-12, all[i]);
        thr_model_free(m);
        stream_free(&s);
    }
}

/* Names that fall together have one weight, and its move is told once. */
static void test_move_of_a_shared_slot_is_told_once(void **state)
{
    (void)state;
    dice d = {13};
    tally t = {0};
    stream s = examples(&d, 200, 3, false);
    thr_model *m = learn_in_two(&s, "hash-bits=4", "perceptron", &t);
    thr_stats stats;
    thr_model_stats(m, &stats);
    assert_true(stats.hash_shared > 0);
    same_sums(m, &t, 0, 1, 1e-12, "hashed");
    thr_model_free(m);
    stream_free(&s);
}

/* ---- what else weights are made of ---- */

/* Averaging changes what predicts, not what is moved. */
static void test_averaging_changes_no_move(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"averaged", "perceptron"},
        {"pa", "pa:averaged=off"},
        {"logistic:averaged=on", "logistic"},
        {"lms", "lms:averaged=off"},
    };
    dice d = {14};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        tally t = {0}, plain = {0};
        stream s = examples(&d, 120, 3, false);
        thr_model_free(learn_in_two(&s, NULL, pairs[i][0], &t));
        thr_model *m = learn_in_two(&s, NULL, pairs[i][1], &plain);
        same_sums(m, &t, 0, 1, 1e-12, pairs[i][0]);
        thr_model_free(m);
        stream_free(&s);
    }
}

/* A step of pegasos made at example t is worth t/T of it after T. */
static void test_pegasos_steps_fade_by_t_over_T(void **state)
{
    (void)state;
    dice d = {15};
    for (int classes = 2; classes <= 3; classes++) {
        tally t = {.by_number = true};
        stream s = examples(&d, 100, classes, false);
        thr_model *m = learn_in_two(&s, NULL, "pegasos:lambda=0.1", &t);
        same_sums(m, &t, 0, 1 / (double)s.rows, 1e-6, "pegasos");
        thr_model_free(m);
        stream_free(&s);
    }
}

/* With an L2 penalty every weight but the bias shrinks by exp(-l2 rate) after each example. */
static void test_penalty_shrinks_all_weights_but_the_bias(void **state)
{
    (void)state;
    dice d = {16};
    for (int classes = 2; classes <= 3; classes++) {
        tally t = {.fading = exp(-0.1 * 0.5)};
        stream s = examples(&d, 100, classes, false);
        thr_model *m = learn_in_two(&s, NULL, "logistic:steps=sgd,rate=0.5,l2=0.1", &t);
        same_sums(m, &t, 0, 1, 1e-5, "logistic with a penalty");
        thr_model_free(m);
        stream_free(&s);
    }
}

/* Winnow's weights begin at `start`; its labels are declared, so that each has a function. */
static void test_winnow_moves_add_up_from_the_start_weight(void **state)
{
    (void)state;
    dice d = {17};
    tally t = {.fading = 1};
    thr_error err;
    stream s = examples(&d, 150, 3, false);
    thr_model *m = model_make(false, NULL, "winnow:theta=8,start=0.5");
    for (int c = 1; c <= 3; c++)
        assert_int_equal(thr_model_declare_label(m,
                                                 c == 1   ? "1"
                                                 : c == 2 ? "2"
                                                          : "3",
                                                 &err),
                         c - 1);
    listen(&t, m);
    learn_rows(&s, m, &t, 0, s.rows);
    stop_listening(&t);
    same_sums(m, &t, 0.5, 1, 1e-12, "winnow");
    thr_model_free(m);
    stream_free(&s);
}

/* Of naive Bayes the moves are those of log(count + alpha), from log alpha. */
static void test_bayes_moves_are_those_of_the_log_counts(void **state)
{
    (void)state;
    dice d = {18};
    tally t = {0};
    stream s = examples(&d, 100, 3, false);
    thr_model *m = learn_in_two(&s, NULL, "bayes:alpha=0.5", &t);
    for (size_t f = 1; f < thr_model_features(m); f++)
        for (size_t l = 0; l < thr_model_labels(m); l++) {
            char name[32];
            double count = 0;
            thr_model_feature(m, f, name, sizeof name);
            for (size_t row = 0; row < s.rows; row++)
                for (int32_t i = s.offset[row]; i < s.offset[row + 1]; i++)
                    if (s.label[row] == atof(thr_model_label(m, l)) && s.column[i] == atoi(name))
                        count += (double)s.value[i];
            assert_true(fabs(t.sum[f][l] - (log(count + 0.5) - log(0.5))) < 1e-9);
        }
    thr_model_free(m);
    stream_free(&s);
}

/* ---- the rest ---- */

static void test_rules_that_keep_examples_tell_what_they_kept(void **state)
{
    (void)state;
    static const char *const keepers[] = {"voted", "kernel", "knn", "rules"};
    dice d = {19};
    for (size_t i = 0; i < COUNT(keepers); i++) {
        tally t = {0};
        stream s = examples(&d, 40, 3, false);
        thr_model_free(learn_in_two(&s, NULL, keepers[i], &t));
        assert_true(t.kept);
        stream_free(&s);
    }
}

/* A perceptron moves only where the right side did not lead. */
static void test_perceptron_moves_only_without_a_lead(void **state)
{
    (void)state;
    dice d = {20};
    for (int classes = 2; classes <= 3; classes++) {
        tally t = {.worst_margin = -1};
        stream s = examples(&d, 100, classes, false);
        thr_model_free(learn_in_two(&s, NULL, "perceptron", &t));
        assert_true(t.worst_margin <= 0);
        stream_free(&s);
    }
}

/* What is predicted is told as thr_learn returned it, and learning is the same with and without a
 * listener. */
typedef struct said {
    const thr_model *m;
    int32_t predicted;
    uint64_t told;
} said;

static int remember(void *user, const thr_update *u)
{
    said *s = user;
    s->predicted = -1;
    for (size_t i = 0; i < thr_model_labels(s->m) && u->predicted; i++)
        if (strcmp(thr_model_label(s->m, i), u->predicted) == 0)
            s->predicted = (int32_t)i;
    s->told = u->example;
    return 0;
}

static void test_told_predictions_are_right_and_change_nothing(void **state)
{
    (void)state;
    dice d = {21};
    thr_error err = {0};
    stream s = examples(&d, 200, 3, false);
    thr_model *m = model_make(false, NULL, "pa"), *alone = model_make(false, NULL, "pa");
    said told = {.m = m};
    thr_scratch *scratch = thr_scratch_new();
    thr_scratch_on_update(scratch, remember, &told);
    for (size_t row = 0; row < s.rows; row++) {
        int32_t predicted;
        thr_batch *b = stream_row(&s, m, row), *c = stream_row(&s, alone, row);
        assert_int_equal(thr_learn(m, scratch, b, &predicted, &err), 0);
        assert_int_equal(thr_learn(alone, NULL, c, NULL, &err), 0);
        if (told.told == row + 1)
            assert_int_equal(told.predicted, predicted);
        thr_batch_free(b);
        thr_batch_free(c);
    }
    thr_scratch_free(scratch);
    void *bytes, *other;
    size_t n, n_other;
    assert_int_equal(thr_model_dump(m, false, &bytes, &n, &err), 0);
    assert_int_equal(thr_model_dump(alone, false, &other, &n_other, &err), 0);
    assert_int_equal(n, n_other);
    assert_memory_equal(bytes, other, n);
    free(bytes);
    free(other);
    thr_model_free(m);
    thr_model_free(alone);
    stream_free(&s);
}

/* A listener may stop it, and may be sent away. */
static int stop(void *user, const thr_update *u)
{
    (void)u;
    ++*(int *)user;
    return THR_ECANCEL;
}

static void test_callback_can_stop_learning(void **state)
{
    (void)state;
    dice d = {22};
    thr_error err = {0};
    int calls = 0;
    stream s = examples(&d, 10, 2, false);
    thr_model *m = model_make(false, NULL, "perceptron");
    thr_batch *b = stream_batch(&s, m);
    thr_scratch *scratch = thr_scratch_new();
    thr_scratch_on_update(scratch, stop, &calls);
    assert_int_equal(thr_learn(m, scratch, b, NULL, &err), THR_ECANCEL);
    assert_int_equal(calls, 1);
    thr_scratch_on_update(scratch, NULL, NULL);
    assert_int_equal(thr_learn(m, scratch, b, NULL, &err), 0);
    assert_int_equal(calls, 1);
    thr_scratch_free(scratch);
    thr_batch_free(b);
    thr_model_free(m);
    stream_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told_moves_add_up_to_the_weights),
        cmocka_unit_test(test_sums_of_numbers),
        cmocka_unit_test(test_promotions_and_demotions_add_up_to_the_weights),
        cmocka_unit_test(test_pushed_lines),
        cmocka_unit_test(test_moves_for_label_sets_add_up_to_the_weights),
        cmocka_unit_test(test_move_of_a_shared_slot_is_told_once),
        cmocka_unit_test(test_averaging_changes_no_move),
        cmocka_unit_test(test_pegasos_steps_fade_by_t_over_T),
        cmocka_unit_test(test_penalty_shrinks_all_weights_but_the_bias),
        cmocka_unit_test(test_winnow_moves_add_up_from_the_start_weight),
        cmocka_unit_test(test_bayes_moves_are_those_of_the_log_counts),
        cmocka_unit_test(test_rules_that_keep_examples_tell_what_they_kept),
        cmocka_unit_test(test_perceptron_moves_only_without_a_lead),
        cmocka_unit_test(test_told_predictions_are_right_and_change_nothing),
        cmocka_unit_test(test_callback_can_stop_learning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
