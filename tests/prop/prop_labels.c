/* Several labels per example, and candidates: what must be the same as without them. */
#include "declared.h"

#include <math.h>

static void assert_same_weights(const thr_model *a, const thr_model *b, const char *what)
{
    double x[LABELS], y[LABELS];
    assert_int_equal(thr_model_features(a), thr_model_features(b));
    assert_same_scores(a, b, what);
    for (size_t f = 0; f < thr_model_features(a) && thr_model_weights(a, f, x, NULL) == 0; f++) {
        assert_int_equal(thr_model_weights(b, f, y, NULL), 0);
        if (memcmp(x, y, sizeof x) != 0)
            fail_msg("%s: feature %zu differs", what, f);
    }
}

/* Where each example has one label, the functions are those of one-vs-all, to the bit. */
static void one_label_each_is_one_vs_all(void **state)
{
    (void)state;
    thr_entry_info info;
    size_t can = 0;
    thr_bytes text = random_lines(11, 300, LABELS, true);
    for (size_t i = 0; thr_learner_at(i, &info); i++) {
        thr_model *several = try_model(info.name, "multilabel", "on");
        if (!several || strcmp(info.name, "panel") == 0) { /* its members are others */
            thr_model_free(several);
            continue;
        }
        thr_model *one = try_model(info.name, "multiclass", "one-vs-all");
        assert_non_null(one);
        can++;
        teach(several, "vw", text.p);
        teach(one, "vw", text.p);
        assert_same_weights(several, one, info.name);
        thr_model_free(several);
        thr_model_free(one);
    }
    assert_true(can >= 8);
    thr_bytes_clear(&text);
}

/* JSON lines with a random set of labels, or, where `label` is one of them, yes and no for it. */
static thr_bytes random_sets(uint64_t seed, size_t lines, size_t label)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, seed);
    for (size_t i = 0; i < lines; i++) {
        unsigned set = 1 + (unsigned)thr_random_below(&r, (1 << LABELS) - 1), n = 0;
        if (label < LABELS)
            thr_bytes_printf(&b, "{\"label\": \"%s\"", set >> label & 1 ? "yes" : "no");
        else
            thr_bytes_printf(&b, "{\"labels\": [");
        for (size_t l = 0; l < LABELS && label >= LABELS; l++)
            if (set >> l & 1)
                thr_bytes_printf(&b, "%s\"%s\"", n++ ? ", " : "", name[l]);
        thr_bytes_printf(&b, "%s, \"features\": {", label < LABELS ? "" : "]");
        n = 0;
        for (unsigned f = 0; f < 12; f++)
            if (f < LABELS ? set >> f & 1 : thr_random_below(&r, 3) == 0)
                thr_bytes_printf(&b, "%s\"%u\": %g", n++ ? ", " : "", f,
                                 (double)(1 + thr_random_below(&r, 4)) / 4);
        assert_true(thr_bytes_printf(&b, "}}\n"));
    }
    return b;
}

/* The perceptron's numbers are exact here: each label has the function of a problem of its own. */
static void labels_learn_apart(void **state)
{
    (void)state;
    thr_bytes sets = random_sets(5, 200, LABELS);
    thr_model *m = try_model("perceptron", "multilabel", "on");
    teach(m, "jsonl", sets.p);
    for (size_t l = 0; l < LABELS; l++) {
        thr_error err;
        double all[LABELS], own[2];
        thr_bytes text = random_sets(5, 200, l);
        thr_model *two = make_model("perceptron", NULL);
        assert_int_equal(thr_model_declare_label(two, "yes", &err), 0);
        assert_int_equal(thr_model_declare_label(two, "no", &err), 1);
        teach(two, "jsonl", text.p);
        assert_int_equal(thr_model_features(m), thr_model_features(two));
        for (size_t f = 0; f < thr_model_features(m); f++) {
            assert_int_equal(thr_model_weights(m, f, all, NULL), 0);
            assert_int_equal(thr_model_weights(two, f, own, NULL), 0);
            assert_true(all[l] == own[0]);
        }
        thr_model_free(two);
        thr_bytes_clear(&text);
    }
    thr_model_free(m);
    thr_bytes_clear(&sets);
}

/* Saved in the middle and read again, also while there are two labels only. */
static void several_labels_resume(void **state)
{
    (void)state;
    static const char *const learner[] = {"winnow",  "balanced", "averaged",
                                          "adagrad", "arow",     "panel"};
    static const char two[] = "{\"labels\": [\"x\", \"y\"], \"text\": \"a b\"}\n"
                              "{\"labels\": [\"y\"], \"text\": \"b c\"}\n";
    thr_bytes sets = random_sets(8, 100, LABELS);
    for (size_t i = 0; i < 6; i++) {
        thr_error err = {0};
        thr_model *whole = make_model(learner[i], "multilabel=on");
        thr_model *half = make_model(learner[i], "multilabel=on");
        teach(whole, "jsonl", two);
        teach(half, "jsonl", two);
        thr_bytes bytes = dumped(half, false);
        thr_model *back = thr_model_load(bytes.p, bytes.n, &err);
        assert_non_null(back);
        teach(whole, "jsonl", sets.p);
        teach(back, "jsonl", sets.p);
        assert_same_model(whole, back);
        thr_model_free(whole);
        thr_model_free(half);
        thr_model_free(back);
        thr_bytes_clear(&bytes);
    }
    thr_bytes_clear(&sets);
}

/* The prediction is the set of labels whose probability is at least 1/2, and such sets are learned.
 */
static void sets_are_learned(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes sets = random_sets(6, 300, LABELS);
    thr_model *m = try_model("adagrad", "multilabel", "on");
    thr_input *in = thr_input_new();
    for (int pass = 0; pass < 5; pass++)
        teach(m, "jsonl", sets.p);
    assert_int_equal(thr_input_add_memory(in, sets.p, sets.n, "memory", &err), 0);
    thr_metrics *t = thr_test(m, in, NULL, NULL, NULL, &err);
    assert_non_null(t);
    assert_true(thr_metrics_multilabel(t));
    assert_int_equal(thr_metrics_examples(t), 300);
    assert_true(thr_metrics_mistakes(t) < 60);
    assert_true(thr_metrics_hamming(t) < 0.06);
    assert_true(thr_metrics_micro_f1(t) > 0.94);
    assert_true(thr_metrics_macro_f1(t) > 0.94);
    thr_metrics_free(t);
    thr_input_free(in);
    thr_model_free(m);
    thr_bytes_clear(&sets);
}

/* ---- candidates --------------------------------------------------------------------------- */

/* SNoW's lines; the candidates are the label, if `with_label`, and those of the set given. */
static thr_bytes random_snow(uint64_t seed, size_t lines, unsigned candidates, bool with_label)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, seed);
    for (size_t i = 0; i < lines; i++) {
        unsigned label = (unsigned)thr_random_below(&r, LABELS), n = 0;
        unsigned set = candidates | (with_label ? 1u << label : 0);
        thr_bytes_printf(&b, "%s, f%u", name[label], label);
        for (unsigned k = 0; k < 5; k++)
            thr_bytes_printf(&b, ", g%u(%g)", (unsigned)thr_random_below(&r, 20),
                             (double)(1 + thr_random_below(&r, 4)) / 4);
        for (unsigned l = 0; l < LABELS; l++)
            if (set >> l & 1)
                thr_bytes_printf(&b, "%s%s", n++ ? ", " : "; ", name[l]);
        assert_true(thr_bytes_printf(&b, ":\n"));
    }
    return b;
}

/* Naming all labels restricts nothing: every learner's model is the same, to the bit. */
static void all_candidates_change_nothing(void **state)
{
    (void)state;
    thr_entry_info info;
    thr_bytes all = random_snow(3, 200, (1 << LABELS) - 1, false);
    thr_bytes none = random_snow(3, 200, 0, false);
    for (size_t i = 0; thr_learner_at(i, &info); i++) {
        thr_model *a = try_model(info.name, NULL, NULL), *b = try_model(info.name, NULL, NULL);
        if (!a)
            continue;
        thr_error err = {0};
        thr_input *in = thr_input_new();
        thr_train_options o = {.passes = 1};
        assert_int_equal(thr_input_add_memory(in, all.p, all.n, "all", &err), 0);
        if (thr_train(a, in, &o, NULL, &err) == 0) { /* a rule for numbers refuses */
            teach(b, "snow", none.p);
            assert_same_model(a, b);
        }
        thr_input_free(in);
        thr_model_free(a);
        thr_model_free(b);
    }
    thr_bytes_clear(&all);
    thr_bytes_clear(&none);
}

/* Only candidates are answered, by every learner; and only they and the truth learn. */
static void candidates_alone_answer_and_learn(void **state)
{
    (void)state;
    thr_entry_info info;
    thr_bytes plain = random_snow(4, 100, 0, false), some = random_snow(5, 100, 1u << 3, true);
    for (size_t i = 0; thr_learner_at(i, &info); i++) {
        thr_model *m = try_model(info.name, NULL, NULL);
        if (!m)
            continue;
        thr_error err = {0};
        double scores[LABELS];
        thr_input *in = thr_input_new();
        thr_train_options o = {.passes = 1};
        assert_int_equal(thr_input_add_memory(in, plain.p, plain.n, "plain", &err), 0);
        if (thr_train(m, in, &o, NULL, &err) == 0) {
            assert_int_equal(score_line(m, "snow", "c0, f0; c2:\n", scores), 2);
            int32_t said = score_line(m, "snow", "c0, f0, f3; c2, c1:\n", scores);
            assert_true(said == 1 || said == 2);
            assert_int_equal(score_line(m, "snow", "c0, f0; never:\n", scores), -1);
            teach(m, "snow", some.p);
            assert_int_equal(score_line(m, "snow", "c0, f0; c0, c3:\n", scores), 0);
        }
        thr_input_free(in);
        thr_model_free(m);
    }
    thr_bytes_clear(&plain);
    thr_bytes_clear(&some);
}

static void others_do_not_move(void **state)
{
    (void)state;
    static const char *const policy[] = {"one-vs-all", "direct"};
    for (size_t i = 0; i < 2; i++) {
        thr_model *m = try_model("perceptron", "multiclass", policy[i]);
        double w[LABELS], moved[LABELS] = {0};
        teach(m, "snow", "c1, a, b; c1, c2:\nc1, a; c2:\nc1, b, c; c1, c2:\n");
        for (size_t f = 0; f < thr_model_features(m); f++) {
            assert_int_equal(thr_model_weights(m, f, w, NULL), 0);
            for (size_t l = 0; l < LABELS; l++)
                moved[l] += w[l] != 0;
        }
        assert_true(moved[0] == 0 && moved[3] == 0);
        assert_true(moved[1] > 0 && moved[2] > 0);
        thr_model_free(m);
    }
}

/* ---- probabilities ------------------------------------------------------------------------ */

static int32_t chances_of(const thr_model *m, const char *format, const char *line, double *p)
{
    thr_error err = {0};
    int32_t said;
    thr_scratch *s = thr_scratch_new();
    thr_batch *b = thr_batch_new();
    if (thr_batch_parse(b, m, format, true, line, strlen(line), &err) ||
        thr_probabilities(m, s, b, &said, p, &err))
        fail_msg("%s", err.message);
    thr_batch_free(b);
    thr_scratch_free(s);
    return said;
}

/* Whatever the learner, what cannot be the answer has probability 0, and the rest add up to 1. */
static void candidates_share_probability(void **state)
{
    (void)state;
    thr_entry_info info;
    size_t could = 0;
    thr_bytes text = random_snow(8, 200, 1u << 1, true);
    for (size_t i = 0; thr_learner_at(i, &info); i++) {
        thr_model *m = try_model(info.name, NULL, NULL);
        double p[LABELS];
        if (!m || thr_model_regression(m)) {
            thr_model_free(m);
            continue;
        }
        teach(m, "snow", text.p);
        could++;
        int32_t said = chances_of(m, "snow", "c0, f0, g1; c3, c1:\n", p);
        assert_true(said == 1 || said == 3);
        if (p[0] != 0 || p[2] != 0 || !(fabs(p[1] + p[3] - 1) < 1e-9))
            fail_msg("%s: %g %g %g %g", info.name, p[0], p[1], p[2], p[3]);
        assert_int_equal(chances_of(m, "snow", "c0, f0; never:\n", p), -1);
        assert_true(p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] == 0);
        chances_of(m, "snow", "c0, f0:\n", p); /* the next one is not restricted */
        assert_true(fabs(p[0] + p[1] + p[2] + p[3] - 1) < 1e-9 && p[0] > 0);
        thr_model_free(m);
    }
    assert_true(could >= 12);
    thr_bytes_clear(&text);
}

/* Sets with noise: what each label's probability says, and how often it is true. */
static thr_bytes noisy_sets(uint64_t seed, size_t lines)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, seed);
    for (size_t i = 0; i < lines; i++) {
        unsigned set = 1 + (unsigned)thr_random_below(&r, (1 << LABELS) - 1), n = 0;
        thr_bytes_printf(&b, "{\"labels\": [");
        for (size_t l = 0; l < LABELS; l++)
            if ((set >> l & 1) != (l > 0 && thr_random_below(&r, 5) == 0) || (l == 0 && set == 1))
                thr_bytes_printf(&b, "%s\"%s\"", n++ ? ", " : "", name[l]);
        thr_bytes_printf(&b, "%s], \"features\": {\"one\": 1", n ? "" : "\"c0\"");
        for (unsigned f = 0; f < LABELS; f++)
            if (set >> f & 1)
                thr_bytes_printf(&b, ", \"%u\": 1", f);
        for (unsigned f = 0; f < 6; f++) /* what can be learned by heart and says nothing */
            thr_bytes_printf(&b, ", \"r%u-%u\": 1", f, (unsigned)thr_random_below(&r, 300));
        assert_true(thr_bytes_printf(&b, "}}\n"));
    }
    return b;
}

/* A fifth of three labels of four is turned about: the truth is a log loss of 0.375 per label, and
 * knowing nothing 0.69. Three passes must not make the rules surer of what they know by heart. */
static void several_labels_are_calibrated(void **state)
{
    (void)state;
    static const char *const rule[] = {"adagrad", "averaged", "pa", "arow", "logistic"};
    thr_bytes train = noisy_sets(21, 4000), held = noisy_sets(22, 2000);
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        for (unsigned passes = 1; passes <= 3; passes += 2) {
            thr_error err = {0};
            thr_model *m = make_model(rule[i], "multilabel=on");
            thr_input *in = thr_input_new(), *in2 = thr_input_new();
            thr_train_options o = {.passes = passes};
            assert_int_equal(thr_input_add_memory(in, train.p, train.n, "train", &err), 0);
            assert_int_equal(thr_input_add_memory(in2, held.p, held.n, "held", &err), 0);
            assert_int_equal(thr_train(m, in, &o, NULL, &err), 0);
            thr_metrics *t = thr_test(m, in2, NULL, NULL, NULL, &err);
            assert_non_null(t);
            if (!(thr_metrics_log_loss(t) < 0.57) || !(thr_metrics_ece(t) < 0.065))
                fail_msg("%s, %u passes: log loss %g, calibration error %g", rule[i], passes,
                         thr_metrics_log_loss(t), thr_metrics_ece(t));
            thr_metrics_free(t);
            thr_input_free(in);
            thr_input_free(in2);
            thr_model_free(m);
        }
    thr_bytes_clear(&train);
    thr_bytes_clear(&held);
}

/* ---- importance --------------------------------------------------------------------------- */

/* Examples of weight 2, or each of them twice. */
static thr_bytes doubled(bool twice)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, 12);
    for (unsigned i = 0; i < 60; i++) {
        char line[200];
        unsigned label = (unsigned)thr_random_below(&r, LABELS);
        bool heavy = thr_random_below(&r, 3) == 0;
        snprintf(line, sizeof line, " |a v%u |b w%u |c x%u\n", label,
                 (unsigned)thr_random_below(&r, 5), (unsigned)thr_random_below(&r, 3));
        const char *weight = heavy && !twice ? " 2" : "";
        for (unsigned k = 0; k < (heavy && twice ? 2 : 1); k++)
            assert_true(thr_bytes_printf(&b, "%s%s%s", name[label], weight, line));
    }
    return b;
}

/* Rules that count, and rules that move always and alike, see an example of weight 2 twice. */
static void weight_two_is_twice(void **state)
{
    (void)state;
    static const char *const rule[] = {"bayes",
                                       "bayes:kind=bernoulli",
                                       "knn",
                                       "knn:k=3,vote=inverse",
                                       "rules:min-gain=1",
                                       "perceptron:margin=1e30",
                                       "kernel:kind=linear,vote=off,margin=1e30",
                                       "balanced:margin=1e30,eta=0.01"};
    thr_bytes once = doubled(false), twice = doubled(true);
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        const char *policy = i < 5 ? NULL : "multiclass=one-vs-all";
        thr_model *a = make_model(rule[i], policy), *b = make_model(rule[i], policy);
        teach(a, "vw", once.p);
        teach(b, "vw", twice.p);
        for (unsigned k = 0; k < 60; k++) {
            double x[LABELS], y[LABELS];
            char line[80];
            snprintf(line, sizeof line, "c0 |a v%u |b w%u |c x%u\n", k % 4, k % 5, k % 3);
            int32_t p = score_line(a, "vw", line, x), q = score_line(b, "vw", line, y);
            assert_int_equal(p, q);
            for (size_t l = 0; l < LABELS; l++)
                if (!(fabs(x[l] - y[l]) <= 1e-5 * fmax(1, fabs(x[l]))))
                    fail_msg("%s: %s scores %.9g and %.9g", rule[i], name[l], x[l], y[l]);
        }
        thr_model_free(a);
        thr_model_free(b);
    }
    thr_bytes_clear(&once);
    thr_bytes_clear(&twice);
}

/* ---- races -------------------------------------------------------------------------------- */

/* Of several labels, too, each contestant does what it would alone. */
static void sets_race(void **state)
{
    (void)state;
    static const char *const rule[] = {"perceptron", "adagrad", "pa", "voted", "winnow:theta=2"};
    enum { RULES = sizeof rule / sizeof *rule };
    thr_error err = {0};
    thr_bytes sets = noisy_sets(9, 300);
    thr_settings *s = thr_settings_new();
    thr_race_options none = {0};
    assert_int_equal(thr_settings_set(s, "multilabel", "on", &err), 0);
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, sets.p, sets.n, "sets", &err), 0);
    thr_contest *c = thr_race(s, rule, RULES, in, &none, &err);
    if (!c)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < RULES; i++) {
        thr_train_options o = {.passes = 1};
        thr_train_report report;
        thr_entrant e;
        thr_input *again = thr_input_new();
        assert_int_equal(thr_input_add_memory(again, sets.p, sets.n, "sets", &err), 0);
        thr_model *m = make_model(rule[i], "multilabel=on");
        assert_int_equal(thr_train(m, again, &o, &report, &err), 0);
        assert_true(thr_contest_at(c, i, &e));
        assert_int_equal(e.mistakes, report.mistakes);
        assert_int_equal(e.updates, report.updates);
        thr_model_free(m);
        thr_input_free(again);
    }
    thr_contest_free(c);
    assert_null(thr_race(s, (const char *const[]){"pa", "bayes"}, 2, in, &none, &err));
    assert_non_null(strstr(err.message, "bayes cannot learn several labels"));
    thr_settings_free(s);
    thr_input_free(in);
    thr_bytes_clear(&sets);
}

/* A race in plain form is one for all contestants, not for the first alone. */
static void plain_forms_race(void **state)
{
    (void)state;
    static const char *const asked[] = {"perceptron", "balanced", "pa"};
    static const char *const plain[] = {"perceptron", "balanced:margin=0", "pa:averaged=off"};
    thr_error err = {0};
    thr_race_options none = {0};
    thr_bytes text = random_lines(31, 300, LABELS, true);
    thr_contest *c[2];
    for (int i = 0; i < 2; i++) {
        thr_settings *s = thr_settings_new();
        thr_input *in = thr_input_new();
        assert_int_equal(thr_input_add_memory(in, text.p, text.n, "lines", &err), 0);
        assert_int_equal(thr_settings_set(s, i ? "unit" : "textbook", i ? "off" : "on", &err), 0);
        c[i] = thr_race(s, i ? plain : asked, 3, in, &none, &err);
        assert_non_null(c[i]);
        thr_input_free(in);
        thr_settings_free(s);
    }
    for (size_t i = 0; i < 3; i++) {
        thr_entrant a, b;
        assert_true(thr_contest_at(c[0], i, &a) && thr_contest_at(c[1], i, &b));
        assert_int_equal(a.mistakes, b.mistakes);
        assert_int_equal(a.updates, b.updates);
    }
    thr_contest_free(c[0]);
    thr_contest_free(c[1]);
    thr_bytes_clear(&text);
}

/* From the caller's own data, labels and candidates in any order. */
static void batches_hold_lists(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *a = try_model("perceptron", "multilabel", "on");
    thr_model *c = try_model("perceptron", "multilabel", "on");
    thr_batch *b = thr_batch_new();
    static const char *const order[] = {"c0", "c2", "c3"};
    for (int pass = 0; pass < 2; pass++) {
        thr_batch_begin(b);
        for (size_t i = 0; i < 3; i++) {
            thr_batch_add_label(b, order[i]);
            thr_batch_add_candidate(b, order[i]);
        }
        thr_batch_add(b, NULL, "x", pass ? 1 : 2);
        thr_batch_end(b, a);
    }
    assert_int_equal(thr_learn(a, NULL, b, NULL, &err), 0);
    teach(c, "jsonl",
          "{\"labels\": [\"c0\", \"c2\", \"c3\"], \"candidates\": [\"c0\", \"c2\", \"c3\"],"
          " \"features\": {\"x\": 2}}\n{\"labels\": [\"c3\", \"c2\", \"c0\"],"
          " \"candidates\": [\"c3\", \"c0\", \"c2\"], \"features\": {\"x\": 1}}\n");
    assert_same_weights(a, c, "batch");
    thr_model *one = try_model("perceptron", NULL, NULL); /* which knows one label an example */
    assert_int_equal(thr_learn(one, NULL, b, NULL, &err), THR_EDATA);
    thr_model_free(one);
    thr_batch_free(b);
    thr_model_free(a);
    thr_model_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_label_each_is_one_vs_all),
        cmocka_unit_test(labels_learn_apart),
        cmocka_unit_test(several_labels_resume),
        cmocka_unit_test(sets_are_learned),
        cmocka_unit_test(all_candidates_change_nothing),
        cmocka_unit_test(candidates_alone_answer_and_learn),
        cmocka_unit_test(others_do_not_move),
        cmocka_unit_test(candidates_share_probability),
        cmocka_unit_test(several_labels_are_calibrated),
        cmocka_unit_test(weight_two_is_twice),
        cmocka_unit_test(sets_race),
        cmocka_unit_test(plain_forms_race),
        cmocka_unit_test(batches_hold_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
