/* What SNoW's users had: labels pushed up and down by hand, margins with two sides, and rules in
 * their textbook form. */
#include "declared.h"

#include <math.h>

/* ---- promote and demote ------------------------------------------------------------------- */

static void push(thr_model *m, const char *line, const char *label, bool up)
{
    thr_error err = {0};
    thr_batch *b = thr_batch_new();
    if (thr_batch_parse(b, m, "vw", false, line, strlen(line), &err) ||
        (up ? thr_promote : thr_demote)(m, NULL, b, 0, label, &err))
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
            assert_int_equal(thr_model_weights(m, f, w, NULL), 0);
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
        int code = thr_promote(m, NULL, b, 0, "c2", &err);
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
        {"arow", "arow:relative=off", false},
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
        for (size_t f = 0; f < thr_model_features(a) && thr_model_weights(a, f, x, NULL) == 0; f++) {
            assert_int_equal(thr_model_weights(b, f, y, NULL), 0);
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
        cmocka_unit_test(pushes_move_one_label),    cmocka_unit_test(pushes_multiply),
        cmocka_unit_test(pushes_or_refuses),        cmocka_unit_test(margins_have_sides),
        cmocka_unit_test(textbook_is_what_it_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
