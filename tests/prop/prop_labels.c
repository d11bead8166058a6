/* Several labels per example, and candidates: what must be the same as without them. */
#include "../unit/model_help.h"

#include <math.h>

#define LABELS 4

static const char *const name[LABELS] = {"c0", "c1", "c2", "c3"};

/* NULL where the rule cannot. */
static thr_model *try_model(const char *learner, const char *setting, const char *value)
{
    thr_error err = {0};
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "learner", learner, &err), 0);
    if (setting && thr_settings_set(s, setting, value, &err))
        fail_msg("%s", err.message);
    thr_model *m = thr_model_new(s, &err);
    assert_true(m || err.code == THR_EUSE);
    thr_settings_free(s);
    if (m && thr_model_regression(m)) { /* which has no labels */
        thr_model_free(m);
        return NULL;
    }
    for (size_t l = 0; l < LABELS && m; l++)
        assert_int_equal(thr_model_declare_label(m, name[l], &err), (int)l);
    return m;
}

static void assert_same_weights(const thr_model *a, const thr_model *b, const char *what)
{
    double x[LABELS], y[LABELS];
    assert_int_equal(thr_model_features(a), thr_model_features(b));
    assert_same_scores(a, b, what);
    for (size_t f = 0; f < thr_model_features(a) && thr_model_weights(a, f, x) == 0; f++) {
        assert_int_equal(thr_model_weights(b, f, y), 0);
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
        if (!several)
            continue;
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
            assert_int_equal(thr_model_weights(m, f, all), 0);
            assert_int_equal(thr_model_weights(two, f, own), 0);
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
    static const char *const learner[] = {"winnow", "balanced", "averaged", "adagrad", "arow"};
    static const char two[] = "{\"labels\": [\"x\", \"y\"], \"text\": \"a b\"}\n"
                              "{\"labels\": [\"y\"], \"text\": \"b c\"}\n";
    thr_bytes sets = random_sets(8, 100, LABELS);
    for (size_t i = 0; i < 5; i++) {
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

/* What is predicted is the set of labels with a score above 0, and it is learned. */
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
            assert_int_equal(thr_model_weights(m, f, w), 0);
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
    assert_int_equal(thr_learn(a, b, NULL, &err), 0);
    teach(c, "jsonl",
          "{\"labels\": [\"c0\", \"c2\", \"c3\"], \"candidates\": [\"c0\", \"c2\", \"c3\"],"
          " \"features\": {\"x\": 2}}\n{\"labels\": [\"c3\", \"c2\", \"c0\"],"
          " \"candidates\": [\"c3\", \"c0\", \"c2\"], \"features\": {\"x\": 1}}\n");
    assert_same_weights(a, c, "batch");
    thr_model *one = try_model("perceptron", NULL, NULL); /* which knows one label an example */
    assert_int_equal(thr_learn(one, b, NULL, &err), THR_EDATA);
    thr_model_free(one);
    thr_batch_free(b);
    thr_model_free(a);
    thr_model_free(c);
}

/* ---- promote and demote ------------------------------------------------------------------- */

static void push(thr_model *m, const char *line, const char *label, bool up)
{
    thr_error err = {0};
    thr_batch *b = thr_batch_new();
    if (thr_batch_parse(b, m, "vw", false, line, strlen(line), &err) ||
        (up ? thr_promote : thr_demote)(m, b, 0, label, &err))
        fail_msg("%s", err.message);
    thr_batch_free(b);
}

static double weight_of(const thr_model *m, const char *feature, size_t label)
{
    double w[LABELS];
    char text[64];
    for (size_t f = 0; f < thr_model_features(m); f++) {
        thr_model_feature(m, f, text, sizeof text);
        if (strcmp(text, feature) == 0) {
            assert_int_equal(thr_model_weights(m, f, w), 0);
            return w[label];
        }
    }
    fail_msg("no feature %s", feature);
    return 0;
}

/* The perceptron's function of that label moves by x, also where it is right; no other does. */
static void pushes_move_one_label(void **state)
{
    (void)state;
    thr_model *m = try_model("perceptron", NULL, NULL);
    for (int i = 1; i <= 3; i++) {
        push(m, "| a:2 b", "c1", true);
        assert_true(weight_of(m, "a", 1) == 2 * i && weight_of(m, "b", 1) == i);
        assert_true(weight_of(m, "a", 0) == 0 && weight_of(m, "a", 2) == 0);
    }
    push(m, "| a:2", "c1", false);
    assert_true(weight_of(m, "a", 1) == 4 && weight_of(m, "b", 1) == 3);
    thr_model_free(m);
    m = make_model("perceptron", NULL); /* two labels, one function */
    teach(m, "vw", "no | c\nyes | c\n");
    double no = weight_of(m, "c", 0);
    push(m, "| c", "yes", true);
    push(m, "| c", "yes", true);
    assert_true(weight_of(m, "c", 1) == 2 - no && weight_of(m, "c", 0) == no - 2);
    thr_model_free(m);
}

/* Winnow multiplies, at a tie as well. */
static void pushes_multiply(void **state)
{
    (void)state;
    thr_model *m = try_model("winnow:theta=1,start=1", NULL, NULL);
    push(m, "| a", "c0", true);
    assert_true(weight_of(m, "a", 0) == 2 && weight_of(m, "a", 1) == 1);
    push(m, "| a", "c0", true);
    push(m, "| a", "c1", false);
    assert_true(weight_of(m, "a", 0) == 4 && weight_of(m, "a", 1) == 0.5);
    thr_model_free(m);
}

/* Every learner either moves, is saved with it and goes on the same, or says that it cannot. */
static void pushes_or_refuses(void **state)
{
    (void)state;
    thr_entry_info info;
    thr_bytes text = random_lines(7, 50, LABELS, true);
    size_t can = 0;
    for (size_t i = 0; thr_learner_at(i, &info); i++) {
        thr_error err = {0};
        thr_model *m = try_model(info.name, NULL, NULL);
        if (!m)
            continue;
        thr_batch *b = thr_batch_new();
        assert_int_equal(thr_batch_parse(b, m, "vw", false, "| 1 2", 5, &err), 0);
        int code = thr_promote(m, b, 0, "c2", &err);
        assert_true(code == 0 || code == THR_EUSE);
        thr_batch_free(b);
        if (code == 0) {
            can++;
            teach(m, "vw", text.p);
            thr_bytes bytes = dumped(m, false);
            thr_model *back = thr_model_load(bytes.p, bytes.n, &err);
            push(m, "| 3 4", "c0", false);
            push(back, "| 3 4", "c0", false);
            assert_same_model(m, back);
            thr_model_free(back);
            thr_bytes_clear(&bytes);
        }
        thr_model_free(m);
    }
    assert_true(can >= 8);
    thr_bytes_clear(&text);
}

/* ---- thick separators --------------------------------------------------------------------- */

/* Updates that a second look at the same example brings: it is right, but by how much? */
static uint64_t second_looks(const char *learner, const char *line)
{
    thr_stats before, after;
    thr_model *m = make_model(learner, "positive=p unit=off");
    teach(m, "vw", "n | a:-1\np | a:1\n"); /* whoever comes first */
    thr_model_stats(m, &before);
    teach(m, "vw", line);
    thr_model_stats(m, &after);
    thr_model_free(m);
    return after.updates - before.updates;
}

/* The first of the two lines moves the perceptron to a = 1; 0.5 a then leads by 0.5. */
static void margins_have_sides(void **state)
{
    (void)state;
    assert_int_equal(second_looks("perceptron:bias=off", "p | a:0.5\n"), 0);
    assert_int_equal(second_looks("perceptron:bias=off,margin=1", "p | a:0.5\n"), 1);
    assert_int_equal(second_looks("perceptron:bias=off,margin=1", "n | a:-0.5\n"), 1);
    assert_int_equal(second_looks("perceptron:bias=off,margin=1,margin-negative=0", "p | a:0.5\n"),
                     1);
    assert_int_equal(second_looks("perceptron:bias=off,margin=1,margin-negative=0", "n | a:-0.5\n"),
                     0);
    assert_int_equal(second_looks("perceptron:bias=off,margin-negative=1", "p | a:0.5\n"), 0);
    assert_int_equal(second_looks("perceptron:bias=off,margin-negative=1", "n | a:-0.5\n"), 1);
    assert_int_equal(second_looks("balanced:bias=off,margin=0,margin-negative=9", "p | a:0.5\n"),
                     0);
    assert_int_equal(second_looks("balanced:bias=off,margin=0,margin-negative=9", "n | a:-0.5\n"),
                     1);
    static const char *const likewise[] = {"averaged", "voted", "kernel"};
    for (size_t i = 0; i < 3; i++) {
        char spec[80], kind[] = ",kind=linear";
        snprintf(spec, sizeof spec, "%s:bias=off,margin=1,margin-negative=0%s", likewise[i],
                 i == 2 ? kind : "");
        assert_int_equal(second_looks(spec, "p | a:0.5\n"), 1);
        assert_int_equal(second_looks(spec, "n | a:-0.5\n"), 0);
        snprintf(spec, sizeof spec, "%s:bias=off,margin-negative=1%s", likewise[i],
                 i == 2 ? kind : "");
        assert_int_equal(second_looks(spec, "p | a:0.5\n"), 0);
        assert_int_equal(second_looks(spec, "n | a:-0.5\n"), 1);
    }
    static const char winnow[] = "winnow:theta=1,start=1,margin=%s,margin-negative=%s";
    char spec[80];
    snprintf(spec, sizeof spec, winnow, "0", "0");
    assert_int_equal(second_looks(spec, "p | b:1.5\n"), 0);
    assert_int_equal(second_looks(spec, "n | b:0.5\n"), 0);
    snprintf(spec, sizeof spec, winnow, "1", "0");
    assert_int_equal(second_looks(spec, "p | b:1.5\n"), 1);
    assert_int_equal(second_looks(spec, "n | b:0.5\n"), 0);
    snprintf(spec, sizeof spec, winnow, "0", "1");
    assert_int_equal(second_looks(spec, "p | b:1.5\n"), 0);
    assert_int_equal(second_looks(spec, "n | b:0.5\n"), 1);
}

/* ---- textbook ----------------------------------------------------------------------------- */

/* Exactly what it says it sets. */
static void textbook_is_what_it_sets(void **state)
{
    (void)state;
    static const struct {
        const char *learner, *plain;
        bool numbers;
    } pair[] = {
        {"perceptron", "perceptron:margin=0", false},
        {"perceptron:margin=1", "perceptron:margin=1,margin-negative=0", false},
        {"averaged", "averaged:margin=0", false},
        {"balanced", "balanced:margin=0", false},
        {"winnow:theta=9", "winnow:theta=9,start=1", false},
        {"pa", "pa:averaged=off", false},
        {"arow", "arow", false},
        {"pegasos", "pegasos", false},
        {"bayes", "bayes", false},
        {"logistic", "logistic:steps=sgd", false},
        {"logistic:averaged=on", "logistic:steps=sgd,averaged=on", false},
        {"voted", "voted:margin=0", false},
        {"kernel", "kernel:vote=off", false},
        {"knn", "knn:weights=none", false},
        {"rules", "rules", false},
        {"lms:rate=0.1", "lms:rate=0.1,normalized=off,averaged=off", true},
        {"eg:eta=0.1,U=2", "eg:eta=0.1,U=2", true},
    };
    static const char numbers[] = "1.5\tbuy cheap pills now\n-1\tsee you at noon\n2\tcheap\n";
    static const char words[] = "spam\tbuy cheap pills now\nham\tsee you at noon\nspam\tcheap\n"
                                "ham\tyou and me\nspam\tbuy now\nother\tnoon and now\n";
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        thr_error err = {0};
        thr_model *a = make_model(pair[i].learner, "textbook=on");
        thr_model *b = make_model(pair[i].plain, "unit=off");
        double x[3] = {0}, y[3] = {0};
        const char *text = pair[i].numbers ? numbers : words;
        teach(a, "text", text);
        teach(b, "text", text);
        for (size_t f = 0; f < thr_model_features(a) && thr_model_weights(a, f, x) == 0; f++) {
            assert_int_equal(thr_model_weights(b, f, y), 0);
            assert_memory_equal(x, y, sizeof x);
        }
        const char *line = pair[i].numbers ? "1\tcheap now you" : "ham\tcheap now you";
        score_line(a, "text", line, x);
        score_line(b, "text", line, y);
        assert_memory_equal(x, y, sizeof x);
        thr_bytes bytes = dumped(a, false);
        thr_model *back = thr_model_load(bytes.p, bytes.n, &err);
        assert_non_null(back);
        teach(a, "text", text);
        teach(back, "text", text);
        assert_same_model(a, back);
        thr_model_free(a);
        thr_model_free(b);
        thr_model_free(back);
        thr_bytes_clear(&bytes);
    }
    assert_null(try_model("winnow", "textbook", "on")); /* its threshold must be given, */
    assert_null(try_model("eg", "textbook", "on"));     /* and here rate and sum */
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
        cmocka_unit_test(pushes_move_one_label),
        cmocka_unit_test(pushes_multiply),
        cmocka_unit_test(pushes_or_refuses),
        cmocka_unit_test(margins_have_sides),
        cmocka_unit_test(textbook_is_what_it_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
