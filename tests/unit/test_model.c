/* Model files: what is saved is read back to the bit and learns on as if nothing had happened;
 * any damage is refused. */
#include "model_help.h"

#include "file/file.h"
#include "model/inside.h"

#include <math.h>
#include <unistd.h>

static const char *const forms[] = {NULL, "hash-bits=5", "multiclass=one-vs-all"};

static thr_model *taught(const char *learner, const char *more, size_t labels, uint64_t seed)
{
    thr_model *m = make_model(learner, more);
    thr_bytes text = random_lines(seed, 40 + labels * 4, labels, true);
    teach(m, "vw", text.p);
    thr_bytes_clear(&text);
    return m;
}

static thr_model *load(const thr_bytes *b)
{
    thr_error err = {0};
    thr_model *m = thr_model_load(b->p, b->n, &err);
    if (!m)
        fail_msg("%s", err.message);
    return m;
}

static bool fits(const char *learner, const char *more)
{
    const thr_learner *l = thr_learner_find(learner, strcspn(learner, ":"));
    return !more || !strstr(more, "multiclass") || !l->learn;
}

/* dump -> load -> dump, and then both learn the same. */
static void test_round_trip(void **state)
{
    (void)state;
    static const size_t labels[] = {1, 2, 3, 25};
    for
        EACH_LEARNER(l)
    for (size_t i = 0; i < 12; i++) {
        const char *more = forms[i % 3];
        if (!fits(*l, more))
            continue;
        thr_model *m = taught(*l, more, labels[i / 3], i);
        thr_bytes first = dumped(m, false);
        thr_model *back = load(&first);
        assert_same_model(m, back);
        thr_model *clone = thr_model_clone(back, NULL);
        assert_same_model(m, clone);
        thr_bytes text = random_lines(i + 50, 60, labels[i / 3] + 1, true);
        teach(m, "vw", text.p);
        teach(back, "vw", text.p);
        teach(clone, "vw", text.p);
        assert_same_model(m, back);
        assert_same_model(m, clone);
        thr_model_free(m);
        thr_model_free(back);
        thr_model_free(clone);
        thr_bytes_clear(&first);
        thr_bytes_clear(&text);
    }
}

/* Random lines with a negative value in each. */
static thr_bytes signed_lines(uint64_t seed, size_t lines, size_t labels)
{
    thr_bytes text = random_lines(seed, lines, labels, true), b = {0};
    for (char *at = text.p, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        *end = '\0';
        assert_true(thr_bytes_printf(&b, "%s below:-0.5\n", at));
    }
    thr_bytes_clear(&text);
    return b;
}

/* A member that cannot take negative values has no rows while there is no example without, and
 * then has some. Read from a file, it has rows from the start: what is said and learned is the
 * same. */
static void test_sitting_out(void **state)
{
    (void)state;
    static const char *const members[] = {"members=pa+bayes", "members=bayes+balanced+arow",
                                          "members=winnow:demote=0+pa+bayes",
                                          "members=bayes+winnow:demote=0", NULL};
    for (size_t i = 0; i < 5; i++)
        for (size_t labels = 2; labels <= 4; labels++) {
            thr_model *m = make_model("panel", members[i]);
            thr_bytes below = signed_lines(i, 80, labels), above = random_lines(9, 80, 4, true);
            teach(m, "vw", below.p);
            thr_bytes first = dumped(m, false);
            thr_model *back = load(&first), *clone = thr_model_clone(m, NULL);
            assert_same_scores(m, back, "sitting out");
            const char *const turns[] = {below.p, above.p, below.p};
            for (size_t k = 0; k < 3; k++) {
                teach(m, "vw", turns[k]);
                teach(back, "vw", turns[k]);
                teach(clone, "vw", turns[k]);
                assert_same_model(m, back);
                assert_same_model(m, clone);
                assert_same_scores(m, back, "afterwards");
            }
            thr_model_free(m);
            thr_model_free(back);
            thr_model_free(clone);
            thr_bytes_clear(&first);
            thr_bytes_clear(&below);
            thr_bytes_clear(&above);
        }
}

/* Members that keep examples beside one that does not: each has its own. */
static void test_keeping_members(void **state)
{
    (void)state;
    static const char members[] = "members=voted+perceptron+kernel:vote=off,budget=3+kernel";
    for (size_t labels = 2; labels <= 4; labels++) {
        thr_model *m = taught("panel", members, labels, labels), *best;
        thr_bytes first = dumped(m, false), text = random_lines(labels + 9, 60, labels + 1, true);
        thr_model *back = load(&first), *clone = thr_model_clone(back, NULL);
        assert_same_model(m, clone);
        teach(m, "vw", text.p);
        teach(back, "vw", text.p);
        teach(clone, "vw", text.p);
        assert_same_model(m, back);
        assert_same_model(m, clone);
        assert_non_null(best = thr_model_clone(m, NULL));
        assert_int_equal(thr_model_keep_best(best, NULL), 0);
        teach(best, "vw", text.p);
        thr_model_free(m);
        thr_model_free(back);
        thr_model_free(clone);
        thr_model_free(best);
        thr_bytes_clear(&first);
        thr_bytes_clear(&text);
    }
}

static void assert_same_answers(const thr_model *a, const thr_model *b)
{
    thr_bytes text = random_lines(77, 30, 3, true);
    char *rest = NULL;
    for (char *line = strtok_r(text.p, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        double x[26], y[26];
        assert_int_equal(score_line(a, "vw", line, x), score_line(b, "vw", line, y));
        for (size_t i = 0; i < thr_model_labels(a); i++)
            if (x[i] != y[i] && !(x[i] - y[i] < 1e-9 && y[i] - x[i] < 1e-9))
                fail_msg("%s: %.17g, lean %.17g", line, x[i], y[i]);
    }
    thr_bytes_clear(&text);
}

/* A lean model predicts the same, is written the same again, and learns no more. */
static void test_lean_model_predicts_the_same_and_learns_no_more(void **state)
{
    (void)state;
    static const size_t labels[] = {1, 2, 3, 25};
    for
        EACH_LEARNER(l)
    for (size_t i = 0; i < 8; i++) {
        thr_error err = {0};
        thr_model *m = taught(*l, forms[i % 2], labels[i / 2], i);
        thr_bytes first = dumped(m, true);
        thr_model *lean = load(&first);
        thr_bytes again = dumped(lean, true), whole = dumped(lean, false);
        assert_same_bytes(&first, &again);
        assert_same_bytes(&first, &whole);
        assert_same_answers(m, lean);
        thr_batch *b = thr_batch_new();
        assert_int_equal(thr_learn(lean, NULL, b, NULL, &err), THR_EUSE);
        assert_non_null(strstr(err.message, "lean"));
        thr_batch_free(b);
        thr_model_free(m);
        thr_model_free(lean);
        thr_bytes_clear(&first);
        thr_bytes_clear(&again);
        thr_bytes_clear(&whole);
    }
}

/* Opening a lean model copies the scales of values into its rows. */
static void test_scales_in_rows_change_no_score(void **state)
{
    (void)state;
    static const size_t labels[] = {2, 3, 4, 25};
    for (size_t i = 0; i < 8; i++) {
        thr_model *m = taught("panel", forms[i % 2], labels[i / 2], i);
        thr_model *lean = thr_model_lean(m, NULL);
        thr_bytes bytes = dumped(m, true);
        thr_model *opened = load(&bytes);
        assert_non_null(lean);
        assert_same_scores(lean, opened, "opened");
        thr_model_free(m);
        thr_model_free(lean);
        thr_model_free(opened);
        thr_bytes_clear(&bytes);
    }
}

/* The bytes are a function of settings and examples, not of how they came. */
static void test_history_leaves_no_trace(void **state)
{
    (void)state;
    for
        EACH_LEARNER(l)
        {
            thr_bytes text = random_lines(5, 80, 4, true);
            thr_model *once = make_model(*l, NULL), *bit_by_bit = make_model(*l, NULL);
            teach(once, "vw", text.p);
            for (char *at = text.p; *at;) {
                char *end = strchr(at, '\n') + 1;
                teach_bytes(bit_by_bit, "vw", at, (size_t)(end - at));
                thr_bytes bytes = dumped(bit_by_bit, false);
                thr_model_free(bit_by_bit);
                bit_by_bit = load(&bytes);
                thr_bytes_clear(&bytes);
                at = end;
            }
            thr_bytes a = dumped(once, true), b = dumped(bit_by_bit, true);
            assert_same_bytes(&a, &b);
            thr_bytes_clear(&a);
            thr_bytes_clear(&b);
            thr_bytes_clear(&text);
            thr_model_free(once);
            thr_model_free(bit_by_bit);
        }
}

/* ---- files ---- */

static void test_saved_files_open_the_same_and_leave_no_litter(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_model_XXXXXX", path[64], nowhere[80];
    thr_error err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model", folder);
    snprintf(nowhere, sizeof nowhere, "%s/none/model", folder);
    thr_model *m = taught("pa", NULL, 3, 1);
    for (int i = 0; i < 2; i++) { /* anew, then in place of the old */
        assert_int_equal(thr_model_save(m, path, false, &err), 0);
        for (int train = 0; train < 2; train++) {
            thr_model *back = thr_model_open(path, train, &err);
            assert_non_null(back);
            assert_same_model(m, back);
            if (train) /* privately: the file does not change */
                teach(back, "vw", "c0 | 1 2 3\n");
            thr_model_free(back);
        }
    }
    assert_int_equal(thr_model_save(m, nowhere, false, &err), THR_EIO);
    assert_int_equal(thr_model_save(m, folder, false, &err), THR_EIO);
    assert_null(thr_model_open(nowhere, false, &err));
    assert_int_equal(err.code, THR_EIO);
    assert_null(thr_model_open(folder, false, &err));
    assert_int_equal(err.code, THR_EMODEL);
    thr_model_free(m);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left in it */
}

/* ---- damage ---- */

static void assert_refused(const void *p, size_t n, const char *what, size_t at)
{
    thr_error err = {0};
    thr_model *m = thr_model_load(p, n, &err);
    if (m)
        fail_msg("%s %zu went unnoticed", what, at);
    assert_int_equal(err.code, THR_EMODEL);
    assert_true(err.message[0]);
}

static void damage_everywhere(const char *learner, const char *more)
{
    thr_model *m = taught(learner, more, 3, 4);
    thr_bytes b = dumped(m, false);
    thr_model_free(m);
    for (size_t n = 0; n < b.n; n++)
        assert_refused(b.p, n, "a cut at", n);
    for (size_t bit = 0; bit < b.n * 8; bit++) {
        b.p[bit / 8] ^= (char)(1 << bit % 8);
        assert_refused(b.p, b.n, "flipped bit", bit);
        b.p[bit / 8] ^= (char)(1 << bit % 8);
    }
    char *longer = malloc(b.n + 64);
    assert_non_null(longer);
    memcpy(longer, b.p, b.n);
    memset(longer + b.n, 0, 64);
    assert_refused(longer, b.n + 1, "a byte behind", b.n);
    assert_refused(longer, b.n + 64, "bytes behind", b.n);
    free(longer);
    thr_bytes_clear(&b);
}

/* Every truncation and every single bit, padding included. */
static void test_every_truncation_and_flipped_bit_is_refused(void **state)
{
    (void)state;
    damage_everywhere("pa", "hash-bits=7");
    damage_everywhere("bayes:kind=bernoulli", NULL);
    damage_everywhere("kernel", NULL);
}

/* Checksums are right, and the notes on kept examples say what cannot be. */
static void test_hostile_notes(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        thr_model *m = taught(i % 2 ? "kernel" : "voted", NULL, 3, 6);
        thr_memory *kept = &m->member[0].memory;
        thr_note *note = &kept->note[kept->notes / 2];
        assert_true(kept->notes > 4 && m->member[0].weights.functions == 3);
        if (i < 2)
            note->function = 3;
        else if (i < 4)
            note->born = m->member[0].rule.clock;
        else if (i < 6)
            note->born = -1;
        else
            note->step = 1e31;
        thr_bytes b = dumped(m, false);
        assert_refused(b.p, b.n, "note", (size_t)i);
        thr_bytes_clear(&b);
        thr_model_free(m);
    }
}

/* Several chunks of 64 KiB. */
static void test_damage_in_chunks(void **state)
{
    (void)state;
    thr_model *m = make_model("averaged", NULL);
    thr_bytes text = {0};
    for (int i = 0; i < 8000; i++)
        assert_true(thr_bytes_printf(&text, "%d | word%d\n", i % 3, i));
    teach(m, "vw", text.p);
    thr_bytes b = dumped(m, false);
    assert_true(b.n > 4 * THR_CHUNK);
    for (size_t at = 0; at < b.n; at += 4001) {
        b.p[at] ^= 1;
        assert_refused(b.p, b.n, "flipped byte", at);
        b.p[at] ^= 1;
    }
    thr_model *back = load(&b);
    assert_same_model(m, back);
    thr_model_free(back);
    thr_bytes_clear(&b);
    thr_bytes_clear(&text);
    thr_model_free(m);
}

/* The same of a mixture. */
static void test_senseless_mixtures(void **state)
{
    (void)state;
    thr_model *m = taught("panel", NULL, 3, 1);
    thr_mixture *x = &m->panel.mixture;
    thr_calibration *fit = &m->panel.fit;
    double *number[] = {&x->lost[1],       &x->gap,
                        &x->loss,          &x->counted,
                        &fit->seen,        &fit->log_size,
                        &fit->slope.value, &fit->slope.curvature,
                        &fit->log_now,     &fit->offset.curvature[1]};
    static const double odd[] = {NAN, INFINITY, -INFINITY, -1};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            double right = *number[i];
            *number[i] = odd[k];
            thr_bytes b = dumped(m, false);
            *number[i] = right;
            thr_error err = {0};
            thr_model *back = thr_model_load(b.p, b.n, &err);
            if (back || err.code != THR_EMODEL)
                fail_msg("%g in place %zu", odd[k], i);
            thr_bytes_clear(&b);
        }
    thr_model_free(m);
}

/* Numbers that would make probabilities of nothing are refused, checksums or not. */
static void test_senseless_probabilities(void **state)
{
    (void)state;
    thr_model *m = taught("panel:decide=vote", NULL, 3, 1);
    thr_calibration *c = &m->member[1].calibration;
    double *number[] = {&c->slope.value,    &c->offset.value[2],     &c->log_size,
                        &m->panel.power[0], &m->panel.log_weight[1], &m->panel.curvature[3]};
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            double right = *number[i];
            *number[i] = odd[k];
            thr_bytes b = dumped(m, false);
            *number[i] = right;
            bool fine = i == 5 && k == 3;
            thr_error err = {0};
            thr_model *back = thr_model_load(b.p, b.n, &err);
            if (fine ? !back : back || err.code != THR_EMODEL)
                fail_msg("%g in place %zu", odd[k], i);
            thr_model_free(back);
            thr_bytes_clear(&b);
        }
    thr_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_sitting_out),
        cmocka_unit_test(test_keeping_members),
        cmocka_unit_test(test_lean_model_predicts_the_same_and_learns_no_more),
        cmocka_unit_test(test_scales_in_rows_change_no_score),
        cmocka_unit_test(test_history_leaves_no_trace),
        cmocka_unit_test(test_saved_files_open_the_same_and_leave_no_litter),
        cmocka_unit_test(test_every_truncation_and_flipped_bit_is_refused),
        cmocka_unit_test(test_hostile_notes),
        cmocka_unit_test(test_damage_in_chunks),
        cmocka_unit_test(test_senseless_probabilities),
        cmocka_unit_test(test_senseless_mixtures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
