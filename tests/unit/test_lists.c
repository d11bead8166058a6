/* Rows as lists (weights/lists.h): models are the same to the bit as with plain rows. */
#include "model_help.h"

#include "base/crew.h"
#include "model/inside.h"
#include "step/workspace.h"
#include "weights/lists.h"

enum { LABELS = 24, LINES = 400 };

/* From now on the model's rows are lists as soon as there are labels enough, or never. */
static void prefer(thr_model *m, bool lists)
{
    for (uint32_t k = 0; k < m->members; k++)
        m->member[k].weights.plain_most = lists ? 0 : SIZE_MAX;
}

static bool all_listed(const thr_model *m)
{
    for (uint32_t k = 0; k < m->members; k++)
        if (!thr_weights_is_listed(&m->member[k].weights))
            return false;
    return true;
}

static thr_model *preferring(bool lists, const char *learner, const char *settings)
{
    thr_model *m = make_model(learner, settings);
    prefer(m, lists);
    return m;
}

static const char *const learners[] = {"perceptron", "averaged", "pa",    "pa:averaged=off",
                                       "adagrad",    "arow",     "bayes", "panel"};
static const char *const settings[] = {
    NULL, "hash-bits=4", "unit=on", "scale=off min-count=2", "multiclass=one-vs-all", "conjoin=2"};
#define COUNT(x) (sizeof(x) / sizeof *(x))

static bool refused(const char *learner, const char *setting)
{
    return strcmp(learner, "bayes") == 0 && setting && strstr(setting, "multiclass");
}

/* Values grow, so that units change (model/units.h), and labels arrive late. */
static thr_bytes lines_of(uint64_t seed, size_t labels)
{
    thr_bytes a = random_lines(seed, LINES, labels, true);
    assert_true(thr_bytes_printf(&a, "c1 | 3:7 5:2 w7:9\nc2 | 3:70 w7:0.5\nlate | 3:1 fresh\n"));
    return a;
}

static void models_have_the_same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(learners); i++)
        for (size_t s = 0; s < COUNT(settings); s++) {
            if (refused(learners[i], settings[s]))
                continue;
            thr_model *lists = preferring(true, learners[i], settings[s]);
            thr_model *plain = preferring(false, learners[i], settings[s]);
            for (size_t labels = 2; labels <= LABELS; labels += 11) {
                thr_bytes text = lines_of(100 * i + 10 * s + labels, labels);
                teach_bytes(lists, "vw", text.p, text.n);
                teach_bytes(plain, "vw", text.p, text.n);
                assert_same_model(lists, plain);
                thr_bytes_clear(&text);
            }
            assert_true(all_listed(lists));
            thr_model_free(lists);
            thr_model_free(plain);
        }
}

/* Answers and weights that are asked for, from rows that are lists. */
static void scores_are_the_same(void **state)
{
    (void)state;
    thr_bytes text = lines_of(7, LABELS);
    for (size_t i = 0; i < COUNT(learners); i++) {
        thr_model *lists = preferring(true, learners[i], NULL);
        thr_model *plain = preferring(false, learners[i], NULL);
        teach_bytes(lists, "vw", text.p, text.n);
        teach_bytes(plain, "vw", text.p, text.n);
        assert_same_scores(lists, plain, learners[i]);
        const thr_weights *a = &lists->member[0].weights, *b = &plain->member[0].weights;
        for (uint32_t id = 0; id < lists->lexicon.n; id++)
            for (unsigned s = 0; s < a->n_slots; s++) {
                double x[LABELS + 1], y[LABELS + 1];
                thr_weights_read(a, id, s, x);
                thr_weights_read(b, id, s, y);
                assert_memory_equal(x, y, a->functions * sizeof *x);
                for (uint32_t f = 0; f < a->functions; f++)
                    assert_true(thr_weights_get(a, id, s, f) == y[f]);
            }
        thr_model_free(lists);
        thr_model_free(plain);
    }
    thr_bytes_clear(&text);
}

/* A snapshot keeps its lists while the model changes its own, and both go on as plain ones do. */
static void snapshots_keep_their_lists(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes first = lines_of(1, LABELS), second = lines_of(2, LABELS);
    for (size_t i = 0; i < COUNT(learners); i++) {
        thr_model *m = preferring(true, learners[i], NULL);
        teach_bytes(m, "vw", first.p, first.n);
        thr_bytes before = dumped(m, false);
        const thr_model *snapshot = thr_model_snapshot(m, &err);
        thr_model *clone = thr_model_clone(m, &err);
        assert_true(snapshot && clone);
        teach_bytes(m, "vw", second.p, second.n);
        thr_bytes kept = dumped(snapshot, false);
        assert_same_bytes(&before, &kept);
        teach_bytes(clone, "vw", second.p, second.n);
        assert_same_model(m, clone);
        thr_model_free(m);
        thr_model_free(clone);
        thr_bytes still = dumped(snapshot, false);
        assert_same_bytes(&before, &still);
        thr_model_free(snapshot);
        thr_bytes_clear(&before);
        thr_bytes_clear(&kept);
        thr_bytes_clear(&still);
    }
    thr_bytes_clear(&first);
    thr_bytes_clear(&second);
}

/* From plain rows to lists and back, at any time. */
static void tables_are_converted(void **state)
{
    (void)state;
    thr_error err = {0};
    for (size_t i = 0; i < COUNT(learners); i++) {
        thr_model *turning = preferring(true, learners[i], NULL);
        thr_model *plain = preferring(false, learners[i], NULL);
        for (uint64_t seed = 1; seed <= 6; seed++) {
            thr_bytes text = lines_of(seed, LABELS);
            prefer(turning, seed % 2);
            for (uint32_t k = 0; k < turning->members && seed % 2 == 0; k++) {
                thr_weights *w = &turning->member[k].weights;
                assert_int_equal(thr_weights_settle(w, w->rows, &err), 0);
                assert_false(thr_weights_is_listed(w));
            }
            teach_bytes(turning, "vw", text.p, text.n);
            teach_bytes(plain, "vw", text.p, text.n);
            assert_int_equal(all_listed(turning), seed % 2);
            assert_same_model(turning, plain);
            thr_bytes_clear(&text);
        }
        thr_model_free(turning);
        thr_model_free(plain);
    }
}

/* Features met first in one example with the same value share a list; each gets its own when it is
 * moved alone. */
static void equal_features_share_a_list(void **state)
{
    (void)state;
    thr_model *m = preferring(true, "arow", "scale=off");
    thr_bytes text = lines_of(3, LABELS);
    teach_bytes(m, "vw", text.p, text.n);
    const thr_weights *w = &m->member[0].weights;
    uint64_t before = w->entries;
    teach(m, "vw", "c3 | a b d e f g h i j\n");
    assert_int_equal(w->entries - before, 5); /* the right label and four rivals, once */
    teach(m, "vw", "c4 | b\n");
    assert_true(w->entries - before > 5);
    thr_model *plain = preferring(false, "arow", "scale=off");
    teach_bytes(plain, "vw", text.p, text.n);
    teach(plain, "vw", "c3 | a b d e f g h i j\n");
    teach(plain, "vw", "c4 | b\n");
    assert_same_model(m, plain);
    thr_model_free(plain);
    thr_model_free(m);
    thr_bytes_clear(&text);
}

/* A push moves one label on rows that are lists. */
static void pushes_are_the_same(void **state)
{
    (void)state;
    thr_error err = {0};
    const char line[] = "c1 | 3:2 w5 brand new\n";
    thr_bytes text = lines_of(5, LABELS);
    for (size_t i = 0; i < COUNT(learners) - 2; i++) { /* bayes cannot be pushed */
        thr_model *m[2];
        for (int k = 0; k < 2; k++) {
            m[k] = preferring(k == 0, learners[i], NULL);
            teach_bytes(m[k], "vw", text.p, text.n);
            thr_batch *b = thr_batch_new();
            assert_int_equal(thr_batch_parse(b, m[k], "vw", true, line, strlen(line), &err), 0);
            assert_int_equal(thr_promote(m[k], NULL, b, 0, "c7", &err), 0);
            assert_int_equal(thr_demote(m[k], NULL, b, 0, "c3", &err), 0);
            thr_batch_free(b);
        }
        assert_true(all_listed(m[0]));
        assert_same_model(m[0], m[1]);
        thr_model_free(m[0]);
        thr_model_free(m[1]);
    }
    thr_bytes_clear(&text);
}

/* A feature that is seen under two of many labels has numbers for these and their rivals. */
static void rows_are_as_wide_as_needed(void **state)
{
    (void)state;
    thr_model *m = preferring(true, "bayes", NULL);
    for (int i = 0; i < 300; i++) {
        char line[64];
        snprintf(line, sizeof line, "c%d | w%d shared\n", i, i);
        teach(m, "vw", line);
    }
    const thr_weights *w = &m->member[0].weights;
    /* 300 words under one label each, and one word under all, perhaps as a dense list */
    assert_in_range(w->entries, 600, 700);
    assert_true(thr_weights_bytes(w, 300, m->lexicon.n) < 30 * (uint64_t)m->lexicon.n * 3);
    thr_model_free(m);
}

/* Rows of pointers are narrow, but what they point to is not: the members are divided all the same,
 * as members with plain rows of many labels are. */
static void members_are_divided_among_threads(void **state)
{
    (void)state;
    thr_bytes text = lines_of(12, LABELS);
    for (int lists = 0; lists <= 1; lists++) {
        thr_model *m = preferring(lists, "panel", NULL);
        thr_workspace w = {.crew = thr_crew_new(2)};
        assert_non_null(w.crew);
        teach_bytes(m, "vw", text.p, text.n);
        assert_int_equal(all_listed(m), lists);
        assert_true(thr_workspace_prepare(&w, m, 1, true));
        assert_int_equal(w.lanes, m->members); /* at most two for each thread */
        thr_crew *crew = w.crew;
        thr_workspace_clear(&w);
        thr_crew_free(crew);
        thr_model_free(m);
    }
    thr_bytes_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_divided_among_threads),
        cmocka_unit_test(models_have_the_same_bytes),
        cmocka_unit_test(scores_are_the_same),
        cmocka_unit_test(snapshots_keep_their_lists),
        cmocka_unit_test(tables_are_converted),
        cmocka_unit_test(pushes_are_the_same),
        cmocka_unit_test(equal_features_share_a_list),
        cmocka_unit_test(rows_are_as_wide_as_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
