/* Rows as lists in the model file (weights/stored.h): the same bytes whatever the rows were in
 * memory, and the same model when they are opened, in memory or where they lie. */
#include "forge_help.h"
#include "model_help.h"

#include "model/inside.h"
#include "weights/stored.h"

#include <math.h>

enum { LABELS = 120, LINES = 300 };

static const char *const learners[] = {"perceptron", "averaged", "pa",    "pa:averaged=off",
                                       "adagrad",    "arow",     "bayes", "panel"};
#define COUNT(x) (sizeof(x) / sizeof *(x))

/* Words of a label, words that all labels have, and words that are met once. */
static thr_bytes sparse_lines(uint64_t seed, unsigned labels)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, seed);
    for (unsigned i = 0; i < LINES; i++) {
        unsigned label = (unsigned)thr_random_below(&r, labels);
        assert_true(thr_bytes_printf(&b, "c%u | common l%u:%g %u t%u once%u_%u twice%u_%u:2\n",
                                     label, label, (double)(1 + thr_random_below(&r, 4)) / 4,
                                     1000 + label * 10 + (unsigned)thr_random_below(&r, 10),
                                     (unsigned)thr_random_below(&r, 30), (unsigned)seed, i,
                                     (unsigned)seed, i / 2));
    }
    return b;
}

static void prefer(thr_model *m, size_t plain_most)
{
    for (uint32_t k = 0; k < m->members; k++)
        m->member[k].weights.plain_most = plain_most;
}

static void learn(thr_model *m, uint64_t seed, unsigned labels)
{
    thr_bytes text = sparse_lines(seed, labels);
    teach_bytes(m, "vw", text.p, text.n);
    thr_bytes_clear(&text);
}

static thr_model *taught(const char *learner, const char *settings, size_t plain_most)
{
    thr_model *m = make_model(learner, settings);
    prefer(m, plain_most);
    learn(m, 1, LABELS);
    return m;
}

static thr_model *opened(const thr_bytes *file, enum thr_opened as)
{
    thr_error err = {0};
    thr_model *m = thr_model_load_as(file->p, file->n, as, &err);
    if (!m)
        fail_msg("%s", err.message);
    return m;
}

static uint64_t listed_in(const thr_bytes *file)
{
    thr_file_head head;
    memcpy(&head, file->p, sizeof head);
    assert_int_equal(head.version, head.listed ? 2 : 1);
    return head.listed;
}

static void compare_scores(const thr_model *a, const thr_model *b)
{
    thr_bytes text = sparse_lines(7, LABELS);
    for (char *at = text.p, *end; *at; at = end + 1) {
        double x[LABELS + 8], y[LABELS + 8];
        end = strchr(at, '\n');
        *end = '\0';
        score_line(a, "vw", at, x);
        score_line(b, "vw", at, y);
        assert_memory_equal(x, y, thr_model_labels(a) * sizeof *x);
    }
    thr_bytes_clear(&text);
}

static void files_do_not_depend_on_the_form_in_memory(void **state)
{
    (void)state;
    static const char *const settings[] = {NULL, "hash-bits=11", "min-count=2",
                                           "multiclass=one-vs-all"};
    for (size_t i = 0; i < COUNT(learners); i++)
        for (size_t s = 0; s < COUNT(settings); s++) {
            if (strcmp(learners[i], "bayes") == 0 && s == 3)
                continue; /* a label's words are counted for that label */
            thr_model *lists = taught(learners[i], settings[s], 0);
            thr_model *plain = taught(learners[i], settings[s], SIZE_MAX);
            assert_true(thr_weights_is_listed(&lists->member[0].weights));
            assert_false(thr_weights_is_listed(&plain->member[0].weights));
            thr_bytes a = dumped(lists, false), b = dumped(plain, false);
            assert_same_bytes(&a, &b);
            if (s != 3)
                assert_int_equal(listed_in(&a), (1U << lists->members) - 1);
            thr_bytes_clear(&a);
            thr_bytes_clear(&b);
            thr_model_free(lists);
            thr_model_free(plain);
        }
}

/* Two new features share a list, whose numbers are start values still: the squares of the values
 * are too small for a float. In the file they have none, as the second once did not. */
static void a_list_that_has_not_moved_is_left_out(void **state)
{
    (void)state;
    static const char tiny[] = "c1 | common a:1 b:1\nc1 | tiny:1e-30 small:1e-30\n";
    thr_bytes file[2];
    for (int plain = 0; plain < 2; plain++) {
        thr_model *m = taught("adagrad", "scale=off", plain ? SIZE_MAX : 0);
        teach_bytes(m, "vw", tiny, sizeof tiny - 1);
        assert_int_equal(thr_weights_is_listed(&m->member[0].weights), !plain);
        file[plain] = dumped(m, false);
        thr_model_free(m);
    }
    assert_same_bytes(&file[0], &file[1]);
    thr_bytes_clear(&file[0]);
    thr_bytes_clear(&file[1]);
}

/* Where lists save little, and where rules have none, the file is of the first version. */
static void plain_tables_stay_as_they_were(void **state)
{
    (void)state;
    static const char *const never[] = {"winnow", "logistic", "bayes:kind=bernoulli"};
    for (size_t i = 0; i < COUNT(never); i++) {
        thr_model *m = taught(never[i], NULL, 0);
        thr_bytes file = dumped(m, false);
        assert_int_equal(listed_in(&file), 0);
        thr_bytes_clear(&file);
        thr_model_free(m);
    }
    for (unsigned labels = 2; labels < 8; labels++) {
        thr_model *m = make_model("arow", NULL);
        learn(m, 1, labels);
        thr_bytes file = dumped(m, false);
        assert_int_equal(listed_in(&file), 0);
        thr_bytes_clear(&file);
        thr_model_free(m);
    }
    thr_model *dense = make_model("pa", "multiclass=one-vs-all");
    thr_bytes text = random_lines(3, 400, 20, false);
    teach_bytes(dense, "vw", text.p, text.n);
    thr_bytes file = dumped(dense, false);
    assert_int_equal(listed_in(&file), 0);
    thr_bytes_clear(&file);
    thr_bytes_clear(&text);
    thr_model_free(dense);
}

static void opened_models_predict_and_are_written_as_before(void **state)
{
    (void)state;
    static const enum thr_opened ways[] = {THR_TO_TRAIN, THR_TO_PREDICT, THR_LAZILY};
    for (size_t i = 0; i < COUNT(learners); i++)
        for (size_t way = 0; way < COUNT(ways); way++) {
            thr_model *m = taught(learners[i], NULL, way ? 0 : SIZE_MAX);
            thr_bytes file = dumped(m, false), lean = dumped(m, true);
            thr_model *back = opened(&file, ways[way]);
            compare_scores(m, back);
            thr_bytes again = dumped(back, false), leaner = dumped(back, true);
            assert_same_bytes(&file, &again);
            assert_same_bytes(&lean, &leaner);
            const thr_weights *a = &m->member[0].weights, *b = &back->member[0].weights;
            assert_int_equal(b->stored != NULL, ways[way] == THR_LAZILY);
            for (uint32_t id = 0; id < m->lexicon.n; id++)
                for (unsigned s = 0; s < a->n_slots; s++) {
                    double x[LABELS + 1], y[LABELS + 1];
                    thr_weights_read(a, id, s, x);
                    thr_weights_read(b, id, s, y);
                    assert_memory_equal(x, y, a->functions * sizeof *x);
                    assert_true(thr_weights_get(b, id, s, id % a->functions) ==
                                x[id % a->functions]);
                }
            thr_model *small = opened(&lean, THR_TO_PREDICT), *mapped = opened(&lean, THR_LAZILY);
            compare_scores(small, mapped);
            thr_model_free(small);
            thr_model_free(mapped);
            thr_model_free(back);
            thr_model_free(m);
            thr_bytes_clear(&file);
            thr_bytes_clear(&again);
            thr_bytes_clear(&lean);
            thr_bytes_clear(&leaner);
        }
}

/* Saved, opened and taught further, with labels that are new, it is as if it was never saved. */
static void opened_models_learn(void **state)
{
    (void)state;
    thr_error err = {0};
    for (size_t i = 0; i < COUNT(learners); i++)
        for (int way = 0; way < 5; way++) {
            thr_model *m = taught(learners[i], NULL, SIZE_MAX);
            thr_bytes file = dumped(m, false);
            learn(m, 2, LABELS + 7);
            thr_model *back = opened(&file, way < 3 ? THR_TO_TRAIN : THR_LAZILY);
            thr_model *clone = way == 1 || way >= 3 ? thr_model_clone(back, &err) : NULL;
            thr_model *learning = clone ? clone : back;
            prefer(learning, way % 2 ? 0 : (size_t)32 << 20);
            learn(learning, 2, LABELS + 7);
            assert_same_model(m, learning);
            if (clone) { /* which has left the other as it was */
                thr_bytes still = dumped(back, false);
                assert_same_bytes(&file, &still);
                thr_bytes_clear(&still);
                thr_model_free(clone);
            }
            thr_model_free(back);
            thr_model_free(m);
            thr_bytes_clear(&file);
        }
}

/* Labels that have no examples yet are in no list. */
static void declared_labels_take_no_place(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = taught("arow", NULL, 0);
    thr_bytes before = dumped(m, false);
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        assert_true(thr_model_declare_label(m, name, &err) >= 0);
    }
    thr_bytes after = dumped(m, false);
    assert_true(after.n < before.n + before.n / 2);
    thr_model *back = opened(&after, THR_LAZILY);
    assert_same_model(m, back);
    thr_model_free(back);
    thr_model_free(m);
    thr_bytes_clear(&before);
    thr_bytes_clear(&after);
}

/* ---- operations on whole models ---- */

static thr_bytes dumped_mix(const thr_model *a, const thr_model *b, const thr_model *base)
{
    thr_error err = {0};
    thr_model *mix = thr_model_mix((const thr_model *[]){a, b}, 2, NULL, base, &err);
    if (!mix)
        fail_msg("%s", err.message);
    thr_bytes bytes = dumped(mix, false);
    thr_model_free(mix);
    return bytes;
}

static thr_bytes dumped_pruned(const thr_model *m)
{
    thr_error err = {0};
    thr_model *less = thr_model_clone(m, &err);
    assert_true(less && thr_model_prune(less, &(thr_prune_options){.top = 100}, NULL, &err) == 0);
    thr_bytes bytes = dumped(less, false);
    thr_model_free(less);
    return bytes;
}

static void make_listed(thr_weights *w)
{
    if (!thr_weights_is_listed(w))
        assert_int_equal(thr_weights_convert(w, true, NULL), 0);
}

/* A model that was taught after `base`, as plain rows, as lists, or opened from a file. */
static thr_model *taught_after(const thr_bytes *base, uint64_t seed, int way)
{
    thr_model *m = opened(base, THR_TO_TRAIN);
    for (uint32_t k = 0; k < m->members && way == 0; k++)
        assert_int_equal(thr_weights_settle(&m->member[k].weights, m->lexicon.n, NULL), 0);
    prefer(m, way == 0 ? SIZE_MAX : 0);
    learn(m, seed, LABELS + 3);
    if (way < 2)
        return m;
    thr_bytes file = dumped(m, false);
    thr_model_free(m);
    m = opened(&file, way == 2 ? THR_LAZILY : THR_TO_TRAIN);
    for (uint32_t k = 0; k < m->members && way == 3; k++)
        make_listed(&m->member[k].weights);
    thr_bytes_clear(&file);
    return m;
}

static void models_are_mixed_and_pruned_as_plain_ones(void **state)
{
    (void)state;
    static const char *const settings[] = {NULL, "hash-bits=11", "max-features=200"};
    for (size_t i = 0; i < COUNT(learners) * COUNT(settings); i++) {
        thr_model *m = taught(learners[i % COUNT(learners)], settings[i / COUNT(learners)], 0);
        thr_bytes base = dumped(m, false), first[3];
        bool hashed = i / COUNT(learners) == 1, full = i / COUNT(learners) == 2;
        for (int way = 0; way < 4; way++) {
            thr_model *x = taught_after(&base, 5, way), *y = taught_after(&base, 6, way);
            thr_bytes made[3] = {dumped_mix(x, y, NULL), {0}, {0}};
            if (!full) /* else features of the base may be gone */
                made[1] = dumped_mix(x, y, m);
            if (!hashed)
                made[2] = dumped_pruned(x);
            for (int k = 0; k < 3 && way; k++) {
                if (first[k].n)
                    assert_same_bytes(&first[k], &made[k]);
                thr_bytes_clear(&made[k]);
            }
            if (way == 0)
                memcpy(first, made, sizeof made);
            thr_model_free(x);
            thr_model_free(y);
        }
        for (int k = 0; k < 3; k++)
            thr_bytes_clear(&first[k]);
        thr_bytes_clear(&base);
        thr_model_free(m);
    }
}

/* ---- lean ---- */

static void compare_roughly(const thr_model *full, const thr_model *lean)
{
    thr_bytes text = sparse_lines(7, LABELS);
    for (char *at = text.p, *end; *at; at = end + 1) {
        double x[LABELS + 8], y[LABELS + 8];
        end = strchr(at, '\n');
        *end = '\0';
        int32_t a = score_line(full, "vw", at, x), b = score_line(lean, "vw", at, y);
        double most = 0;
        for (size_t l = 0; l < thr_model_labels(full); l++)
            most = fmax(most, fabs(x[l]));
        for (size_t l = 0; l < thr_model_labels(full); l++)
            if (fabs(x[l] - y[l]) > 1e-5 * most)
                fail_msg("%s: %g is not %g", at, y[l], x[l]);
        assert_true(a == b || fabs(x[a] - x[b]) < 1e-5 * most);
    }
    thr_bytes_clear(&text);
}

/* A mixture is one function, and where most of its weights are those of any feature, a sparse one
 * and what gives these weights. */
static void lean_mixtures_are_small_and_answer_as_before(void **state)
{
    (void)state;
    static const struct {
        const char *members, *lean, *more;
    } each[] = {
        {"adagrad+arow+bayes:alpha=0.01", "perceptron+bayes:alpha=0.01", NULL},
        {"adagrad+arow+bayes:alpha=0.01", "perceptron+bayes:alpha=0.01", "scale=off"},
        {"adagrad+arow", "perceptron", "multilabel=on"},
        {"adagrad+arow+bayes:alpha=0.01", "perceptron+bayes:alpha=0.01", "min-count=2"},
        {"adagrad+arow+bayes:alpha=0.01", "perceptron+bayes:alpha=0.01", "hash-bits=12"},
        {"bayes+pa+bayes:alpha=2", "perceptron+bayes+bayes:alpha=2", NULL},
        {"pa+arow", "perceptron", NULL},
        {"bayes:alpha=1+bayes:alpha=2", "perceptron", NULL},
        {"adagrad+balanced+arow", "perceptron", NULL},
        {"adagrad+bayes:kind=bernoulli", NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(each); i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "members=%s %s", each[i].members,
                 each[i].more ? each[i].more : "");
        thr_model *m = taught("panel", settings, i % 2 ? 0 : SIZE_MAX);
        thr_bytes full = dumped(m, false), bytes = dumped(m, true);
        thr_model *lean = opened(&bytes, THR_TO_PREDICT);
        compare_roughly(m, lean);
        if (each[i].lean)
            assert_string_equal(thr_settings_get(lean->settings, "members"), each[i].lean);
        if (i < 7)
            assert_true(bytes.n < full.n / 2);
        thr_model_free(lean);
        thr_model_free(m);
        thr_bytes_clear(&full);
        thr_bytes_clear(&bytes);
    }
}

/* ---- damage ---- */

/* A list in a file that is mapped is guarded: damage shows when the list is first used. */
static void damaged_lists_are_noticed_when_they_are_used(void **state)
{
    (void)state;
    thr_error err = {0};
    double scores[LABELS];
    thr_model *m = taught("arow", NULL, 0);
    for (int i = 0; i < 8; i++) /* more than two chunks of lists */
        learn(m, (uint64_t)(20 + i), LABELS);
    thr_bytes file = dumped(m, false);
    thr_file_section rows;
    memcpy(&rows, file.p + sizeof(thr_file_head) + (THR_SECTIONS + THR_SECTION_ROWS) * sizeof rows,
           sizeof rows);
    assert_true(rows.size > 2 * THR_CHUNK);
    file.p[rows.offset + rows.size - 5] ^= 1; /* in the last list */
    assert_null(thr_model_load_as(file.p, file.n, THR_TO_PREDICT, &err));
    assert_int_equal(err.code, THR_EMODEL);
    thr_model *back = opened(&file, THR_LAZILY);
    score_line(back, "vw", "c1 | l1", scores);
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    const char line[] = "c1 | once27_299 twice27_149\n";
    assert_int_equal(thr_batch_parse(b, back, "vw", true, line, strlen(line), &err), 0);
    assert_int_equal(thr_score(back, s, b, NULL, scores, &err), THR_EMODEL);
    assert_null(thr_model_clone(back, &err));
    thr_batch_free(b);
    thr_scratch_free(s);
    thr_model_free(back);
    thr_model_free(m);
    thr_bytes_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_do_not_depend_on_the_form_in_memory),
        cmocka_unit_test(a_list_that_has_not_moved_is_left_out),
        cmocka_unit_test(plain_tables_stay_as_they_were),
        cmocka_unit_test(opened_models_predict_and_are_written_as_before),
        cmocka_unit_test(opened_models_learn),
        cmocka_unit_test(declared_labels_take_no_place),
        cmocka_unit_test(models_are_mixed_and_pruned_as_plain_ones),
        cmocka_unit_test(lean_mixtures_are_small_and_answer_as_before),
        cmocka_unit_test(damaged_lists_are_noticed_when_they_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
