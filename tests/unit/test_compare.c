/* Grids, folds, outcomes and jobs, by themselves and through the public interface. What whole races
 * and cross-validations say is held against separate runs in tests/cli/compare.sh. */
#include "model_help.h"

#include "compare/contest.h"
#include "compare/folds.h"
#include "base/jobs.h"

#include <math.h>
#include <unistd.h>

/* ---- grids ---- */

static void assert_specs(const thr_grid *g, const char *const *wanted, size_t n)
{
    assert_int_equal(thr_grid_size(g), n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(thr_grid_specs(g)[i], wanted[i]);
}

static void test_grid_lists_every_combination_once(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "pa:C=0.1,averaged=on",
        "pa:C=0.1,averaged=off",
        "pa:C=inf,averaged=on",
        "pa:C=inf,averaged=off",
        "bayes",
        "perceptron:repeat,margin=1",
        "perceptron:repeat,margin=2",
    };
    thr_grid *g = thr_grid_new();
    assert_int_equal(thr_grid_add(g, "pa:C=0.1|inf,averaged=on|off", NULL), 0);
    assert_int_equal(thr_grid_add(g, "bayes", NULL), 0);
    assert_int_equal(thr_grid_add(g, "perceptron:repeat,margin=1|2", NULL), 0);
    assert_int_equal(thr_grid_add(g, "pa:C=inf,averaged=on|on", NULL), 0); /* there already */
    assert_specs(g, wanted, sizeof wanted / sizeof *wanted);
    thr_grid_free(g);
    thr_grid_free(NULL);
}

static void test_grid_refuses(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"pax", "no learner 'pax'"},  {"pa:D=1|2", "no option 'D'"}, {"pa:C=1|", "not a number"},
        {"pa:C=|1", "not a number"},  {"pa:C", "needs a value"},     {"pa:C=0..1", "range"},
        {"bayes:kind=a|b", "one of"}, {"", "no learner ''"},         {"pa:C=1|-1", "out of range"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        thr_error err = {0};
        thr_grid *g = thr_grid_new();
        assert_int_equal(thr_grid_add(g, bad[i][0], &err), THR_EUSE);
        if (!strstr(err.message, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], err.message);
        thr_grid_free(g);
    }
}

/* Half of the draws of a log-uniform number are below the geometric mean, of a uniform one below
 * the middle. */
static void test_draws_are_uniform_or_log_uniform_in_their_range(void **state)
{
    (void)state;
    static const char *const specs[] = {"pa:C=0.01..100", "averaged:rate=1..9"};
    thr_grid *g = thr_grid_new();
    assert_int_equal(thr_grid_draw(g, specs, 2, 1000, 1, NULL), 0);
    assert_true(thr_grid_size(g) > 990);
    int below[2] = {0}, n[2] = {0};
    for (size_t i = 0; i < thr_grid_size(g); i++) {
        const char *spec = thr_grid_specs(g)[i];
        int kind = spec[0] == 'a';
        double x = atof(strchr(spec, '=') + 1);
        assert_true(kind ? x >= 1 && x <= 9 : x >= 0.01 && x <= 100);
        assert_true(strlen(strchr(spec, '=')) <= 9); /* four digits */
        below[kind] += x < (kind ? 5 : 1);
        n[kind]++;
    }
    for (int kind = 0; kind < 2; kind++)
        assert_true(n[kind] > 450 && abs(2 * below[kind] - n[kind]) < 100);
    thr_grid_free(g);
}

static void test_draws_of_integers(void **state)
{
    (void)state;
    static const char *const specs[] = {"panel:decide=vote,seed=3..5",
                                        "panel:decide=vote,seed=1..1000"};
    thr_grid *g = thr_grid_new();
    assert_int_equal(thr_grid_draw(g, specs, 1, 50, 2, NULL), 0);
    assert_int_equal(thr_grid_size(g), 3); /* all there are */
    assert_int_equal(thr_grid_draw(g, specs + 1, 1, 200, 2, NULL), 0);
    int low = 0;
    for (size_t i = 3; i < thr_grid_size(g); i++) {
        double x = atof(strrchr(thr_grid_specs(g)[i], '=') + 1);
        assert_true(x >= 1 && x <= 1000 && x == floor(x));
        low += x < 32;
    }
    assert_true(low > 15 && low < 100); /* each once, so the small ones run out */
    thr_grid_free(g);
}

/* ---- folds ---- */

static void label_batch(thr_batch *b, size_t n, const char *const *labels, const size_t *every)
{
    thr_batch_init(b);
    for (size_t i = 0; i < n; i++) {
        const char *label = i % every[0] == 0   ? labels[0]
                            : i % every[1] == 0 ? labels[1]
                                                : labels[2];
        thr_batch_open(b, (uint32_t)i);
        thr_batch_label(b, thr_str_of(label));
        thr_batch_close(b);
    }
}

/* No two folds differ by more than one, in all and in the examples of each label. */
static void test_folds_differ_by_at_most_one_example_of_a_label(void **state)
{
    (void)state;
    static const char *const labels[] = {"a", "b", "c"};
    for (size_t n = 50; n < 400; n += 37) {
        thr_batch b;
        label_batch(&b, n, labels, (size_t[]){7, 3});
        for (size_t k = 2; k <= 10; k += 4) {
            thr_folds f;
            thr_fold_plan plan = {.folds = k, .seed = n};
            assert_int_equal(thr_folds_init(&f, &b, &plan, 0, true, NULL), 0);
            size_t count[4][10] = {{0}};
            for (size_t e = 0; e < n; e++) {
                count[b.about[e].label.p[0] - 'a'][f.of[e]]++;
                count[3][f.of[e]]++;
            }
            for (int l = 0; l < 4; l++)
                for (size_t i = 0; i < k; i++)
                    for (size_t j = 0; j < k; j++)
                        assert_true(count[l][i] <= count[l][j] + 1);
            for (size_t i = 0; i < k; i++)
                assert_int_equal(thr_folds_size(&f, i), count[3][i]);
            thr_folds_clear(&f);
        }
        thr_batch_release(&b);
    }
}

static void test_fold_parts(void **state)
{
    (void)state;
    static const char *const labels[] = {"a", "b", "c"};
    thr_batch b;
    thr_folds f, g, h;
    label_batch(&b, 100, labels, (size_t[]){4, 2});
    thr_fold_plan plan = {.folds = 7, .seed = 3};
    assert_int_equal(thr_folds_init(&f, &b, &plan, 0, true, NULL), 0);
    assert_int_equal(thr_folds_init(&g, &b, &plan, 1, true, NULL), 0);
    assert_int_equal(thr_folds_init(&h, &b, &plan, 0, true, NULL), 0);
    assert_memory_not_equal(f.of, g.of, 100 * sizeof *f.of);
    assert_memory_equal(f.of, h.of, 100 * sizeof *f.of);
    size_t pick[100];
    for (size_t fold = 0; fold < 7; fold++) {
        size_t first = thr_folds_part(&f, fold, pick);
        assert_int_equal(first, 100 - thr_folds_size(&f, fold));
        for (size_t i = 0; i < 100; i++) {
            assert_int_equal(f.of[pick[i]] == fold, i >= first);
            assert_true(i == 0 || i == first || pick[i - 1] < pick[i]);
        }
    }
    thr_folds_clear(&f);
    thr_folds_clear(&g);
    thr_folds_clear(&h);
    thr_batch_release(&b);
}

/* ---- jobs ---- */

enum { JOBS = 200 };
typedef struct work {
    int done[JOBS];
    size_t fails; /* from here on */
} work;

static int one_job(void *user, size_t job, thr_jobs *jobs, thr_error *err)
{
    work *w = user;
    w->done[job]++;
    if (job % 7 == 0)
        usleep(100);
    if (thr_jobs_progress(jobs, 1))
        return THR_ECANCEL;
    if (job < w->fails)
        return 0;
    if (job == w->fails)
        usleep(3000); /* the next may well fail before */
    err->line = job;
    return THR_EDATA;
}

static void test_every_job_runs_once_on_any_number_of_threads(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        work w = {.fails = JOBS};
        thr_jobs j = {.n = JOBS, .threads = threads, .run = one_job, .user = &w};
        assert_int_equal(thr_jobs_run(&j, NULL), 0);
        for (size_t i = 0; i < JOBS; i++)
            assert_int_equal(w.done[i], 1);
        assert_int_equal(j.done, JOBS);
    }
}

/* All jobs from the 90th on fail: the 90th is the one that is heard of. */
static void test_jobs_fail(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        thr_error err = {0};
        work w = {.fails = 90};
        thr_jobs j = {.n = JOBS, .threads = threads, .run = one_job, .user = &w};
        assert_int_equal(thr_jobs_run(&j, &err), THR_EDATA);
        assert_int_equal(err.line, 90);
        assert_int_equal(w.done[JOBS - 1], 0);
    }
}

static bool stop_soon(void *user, const thr_progress *p)
{
    return p->examples > *(const uint64_t *)user;
}

static void test_jobs_cancel(void **state)
{
    (void)state;
    uint64_t most = 20;
    work w = {.fails = JOBS};
    thr_jobs j = {.n = JOBS,
                  .threads = 2,
                  .run = one_job,
                  .user = &w,
                  .progress = stop_soon,
                  .progress_user = &most};
    assert_int_equal(thr_jobs_run(&j, NULL), THR_ECANCEL);
    assert_int_equal(w.done[JOBS - 1], 0);
}

/* ---- contests through the public interface ---- */

static thr_input *lines(const thr_bytes *text)
{
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, text->p, text->n, "memory", NULL), 0);
    assert_int_equal(thr_input_set_format(in, "vw", NULL), 0);
    return in;
}

static void test_race_counts_what_each_learner_has_alone(void **state)
{
    (void)state;
    static const char *const learners[] = {"perceptron", "pa", "bayes"};
    thr_bytes text = random_lines(8, 300, 4, true);
    thr_input *in = lines(&text);
    thr_settings *s = thr_settings_new();
    thr_error err = {0};
    thr_contest *race = thr_race(s, learners, 3, in, &(thr_race_options){0}, &err);
    assert_non_null(race);
    assert_int_equal(thr_contest_examples(race), 300);
    assert_int_equal(thr_contest_checkpoints(race), 10);
    assert_int_equal(thr_contest_checkpoint(race, 8), 256);
    assert_int_equal(thr_contest_checkpoint(race, 9), 300);
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < 3; i++) {
        thr_entrant e;
        thr_model *m = make_model(learners[i], NULL);
        teach_bytes(m, "vw", text.p, text.n);
        thr_stats alone;
        thr_model_stats(m, &alone);
        assert_true(thr_contest_at(race, i, &e));
        assert_string_equal(e.learner, learners[i]);
        assert_int_equal(e.mistakes, alone.mistakes);
        assert_int_equal(e.updates, alone.updates);
        assert_int_equal(thr_contest_mistakes_at(race, 9, i), e.mistakes);
        least = e.mistakes < least ? e.mistakes : least;
        thr_model_free(m);
    }
    thr_entrant best;
    assert_true(thr_contest_at(race, thr_contest_ranked(race, 0), &best));
    assert_int_equal(best.mistakes, least);
    assert_int_equal(thr_contest_ranked(race, 3), 3);
    /* what one alone had right makes up the difference */
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++) {
            thr_entrant x, y;
            thr_duel d;
            assert_true(thr_contest_at(race, a, &x) && thr_contest_at(race, b, &y));
            assert_true(thr_contest_duel(race, a, b, &d));
            assert_int_equal(x.mistakes + d.only_a, y.mistakes + d.only_b);
            assert_true(d.p == thr_mcnemar(d.only_a, d.only_b, NULL));
        }
    thr_duel none;
    assert_false(thr_contest_duel(race, 0, 3, &none));
    assert_null(thr_contest_train(race, 0, &(thr_train_options){.passes = 1}, NULL, &err));
    thr_contest_free(race);
    thr_contest_free(NULL);
    thr_settings_free(s);
    thr_input_free(in);
    thr_bytes_clear(&text);
}

static void test_no_learners(void **state)
{
    (void)state;
    thr_bytes text = random_lines(8, 20, 2, true);
    thr_input *in = lines(&text);
    thr_settings *s = thr_settings_new();
    thr_error err = {0};
    thr_contest *race = thr_race(s, NULL, 0, in, &(thr_race_options){0}, &err);
    assert_non_null(race);
    assert_true(thr_contest_size(race) >= 8); /* every linear classifier */
    thr_contest_free(race);
    assert_null(thr_tune(s, NULL, 0, in, &(thr_tune_options){.train.passes = 1}, &err));
    assert_int_equal(err.code, THR_EUSE);
    /* a ceiling on all together is none of anyone's alone */
    assert_int_equal(thr_settings_set(s, "max-features", "100", &err), 0);
    assert_null(thr_race(s, NULL, 0, in, &(thr_race_options){0}, &err));
    assert_int_equal(err.code, THR_EUSE);
    thr_settings_free(s);
    thr_input_free(in);
    thr_bytes_clear(&text);
}

static bool stop_at_once(void *user, const thr_progress *p)
{
    (void)user, (void)p;
    return true;
}

/* Stopped while reading, or while the jobs run. */
static bool stop_second(void *user, const thr_progress *p)
{
    (void)p;
    return ++*(int *)user > 1;
}

static void test_race_cv_and_tune_can_be_cancelled(void **state)
{
    (void)state;
    static const char *const learners[] = {"pa", "bayes"};
    thr_bytes text = random_lines(8, 200, 2, true);
    thr_settings *s = thr_settings_new();
    for (int late = 0; late < 2; late++) {
        int told = 0;
        thr_train_options train = {
            .passes = 3, .progress = late ? stop_second : stop_at_once, .user = &told};
        thr_cv_options cv = {.plan = {.folds = 5}, .repeat = 1, .train = train, .threads = 1};
        thr_tune_options tune = {.train = train, .threads = 1};
        thr_race_options race = {.progress = stop_at_once};
        thr_error err = {0};
        thr_input *in = lines(&text);
        assert_null(thr_cross_validate(s, in, &cv, &err));
        assert_int_equal(err.code, THR_ECANCEL);
        told = 0;
        assert_null(thr_tune(s, learners, 2, in, &tune, &err));
        assert_int_equal(err.code, THR_ECANCEL);
        assert_null(thr_race(s, learners, 2, in, &race, &err));
        assert_int_equal(err.code, THR_ECANCEL);
        thr_input_free(in);
    }
    thr_settings_free(s);
    thr_bytes_clear(&text);
}

/* A tuned winner, trained from the examples in memory, is the model a file gives. */
static void test_tuned_winner_is_the_model_trained_alone(void **state)
{
    (void)state;
    static const char *const learners[] = {"pa:C=0.1", "averaged", "panel"};
    thr_bytes text = random_lines(9, 300, 3, true);
    thr_input *in = lines(&text);
    thr_settings *s = thr_settings_new();
    thr_error err = {0};
    thr_train_options train = {.passes = 1, .in_order = true};
    thr_contest *c = thr_tune(s, learners, 3, in, &(thr_tune_options){.train = train}, &err);
    assert_non_null(c);
    for (size_t i = 0; i < 3; i++) {
        thr_entrant e;
        thr_train_report report;
        thr_model *alone = make_model(learners[i], NULL);
        teach_bytes(alone, "vw", text.p, text.n);
        thr_model *m = thr_contest_train(c, i, &train, &report, &err);
        assert_non_null(m);
        assert_same_model(m, alone);
        assert_true(thr_contest_at(c, i, &e));
        assert_int_equal(e.mistakes, report.mistakes);
        thr_model_free(m);
        thr_model_free(alone);
    }
    thr_contest_free(c);
    thr_settings_free(s);
    thr_input_free(in);
    thr_bytes_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_lists_every_combination_once),
        cmocka_unit_test(test_grid_refuses),
        cmocka_unit_test(test_draws_are_uniform_or_log_uniform_in_their_range),
        cmocka_unit_test(test_draws_of_integers),
        cmocka_unit_test(test_folds_differ_by_at_most_one_example_of_a_label),
        cmocka_unit_test(test_fold_parts),
        cmocka_unit_test(test_every_job_runs_once_on_any_number_of_threads),
        cmocka_unit_test(test_jobs_fail),
        cmocka_unit_test(test_jobs_cancel),
        cmocka_unit_test(test_race_counts_what_each_learner_has_alone),
        cmocka_unit_test(test_no_learners),
        cmocka_unit_test(test_race_cv_and_tune_can_be_cancelled),
        cmocka_unit_test(test_tuned_winner_is_the_model_trained_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
