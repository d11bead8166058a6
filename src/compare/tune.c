/* A search: any number of candidates over the same examples, which are read once and kept in
 * memory. There are two ways to compare them:
 *
 *      progressively    Candidates run in heats of up to 32, each heat a race over all the
 *                       examples, in the same random order. The loss is that of the predictions
 *                       before each update.
 *      by folds         Each candidate has a trial for every fold (trial.h). The loss is that of
 *                       the tests.
 *
 * Heats and trials share only constant data, and each records the outcomes of its own
 * candidates or examples, so the result does not depend on the number of threads. */
#include "compare/contest.h"
#include "compare/trial.h"
#include "measure/metrics.h"
#include "run/defaults.h"
#include "run/train.h"

#include <stdlib.h>

#define MOST_IN_HEAT 32 /* candidates; a thread has the weights of all of them in memory */

typedef struct search {
    thr_contest *c;
    const thr_tune_options *o;
    struct span {
        size_t first, n;
    } * heat; /* progressively: the candidates of each heat */
    size_t heats;
    thr_settings **settings; /* by folds: those of each candidate */
    thr_folds folds;         /* by folds: the same for all candidates */
} search;

/* ---- progressively ------------------------------------------------------------------------ */

/* Trains m on all examples of the corpus. */
static int train_kept(const thr_corpus *k, thr_model *m, const thr_train_options *o,
                      const thr_watch *watch, thr_train_report *report, thr_error *err)
{
    thr_view v;
    int code = thr_view_open(&v, k, m, err);
    if (code == 0)
        code = thr_view_resolve(&v, m, NULL, 0, err);
    if (code == 0)
        code = thr_train_view(m, &v, o, watch, report, err);
    thr_view_close(&v);
    return code;
}

static int run_heat(void *user, size_t job, thr_jobs *jobs, thr_error *err)
{
    search *s = user;
    thr_job_progress t = {.jobs = jobs};
    thr_train_options o = {.passes = 1,
                           .shuffle = s->o->train.shuffle,
                           .seed = s->o->train.seed,
                           .progress = thr_job_tell,
                           .user = &t};
    thr_train_report report;
    thr_model *m = thr_contest_model(s->c, s->heat[job].first, s->heat[job].n, err);
    if (!m)
        return err->code;
    thr_heat heat = {s->c, m, s->heat[job].first, s->heat[job].n, 0};
    thr_watch watch = {.fn = thr_heat_note, .user = &heat};
    int code = train_kept(&s->c->kept, m, &o, &watch, &report, err);
    thr_heat_end(&heat);
    thr_model_free(m);
    return code;
}

/* Divides the candidates into heats of at most MOST_IN_HEAT and runs them: as many heats as
 * threads, or a multiple of that, so that all threads are busy to the end. A panel cannot be a
 * member of the model of a race, so it gets a heat of its own, and the candidates behind it begin a
 * new heat. */
static int run_heats(search *s, thr_error *err)
{
    size_t n = s->c->n, threads = thr_jobs_threads(s->o->threads, n);
    size_t rounds = (n + threads * MOST_IN_HEAT - 1) / (threads * MOST_IN_HEAT);
    size_t most = (n + threads * rounds - 1) / (threads * rounds);
    s->heat = calloc(n, sizeof *s->heat);
    if (!s->heat)
        return thr_fail_memory(err);
    bool closed = true;
    for (size_t i = 0; i < n; i++) {
        bool alone = thr_contest_alone(s->c, i);
        if (closed || alone || s->heat[s->heats - 1].n == most)
            s->heat[s->heats++] = (struct span){i, 0};
        s->heat[s->heats - 1].n++;
        closed = alone;
    }
    thr_jobs jobs = {.n = s->heats,
                     .threads = s->o->threads,
                     .run = run_heat,
                     .user = s,
                     .work = s->heats * s->c->examples,
                     .progress = s->o->train.progress,
                     .progress_user = s->o->train.user};
    return thr_jobs_run(&jobs, err);
}

/* ---- by folds ----------------------------------------------------------------------------- */

static int make_settings(search *s, thr_error *err)
{
    int code = 0;
    s->settings = calloc(s->c->n, sizeof *s->settings);
    if (!s->settings)
        return thr_fail_memory(err);
    for (size_t i = 0; i < s->c->n && code == 0; i++) {
        s->settings[i] = thr_settings_copy(s->c->settings);
        code = s->settings[i]
                   ? thr_settings_set(s->settings[i], "learner", s->c->racer[i].learner, err)
                   : thr_fail_memory(err);
    }
    return code;
}

static void note(void *user, size_t example, double loss)
{
    thr_racer_note(user, example, loss);
}

/* Job number = candidate * folds + fold. The trials of one candidate run in different threads
 * and share its racer, hence the atomic sums; each has its own entry of fold_loss. */
static int run_trial(void *user, size_t job, thr_jobs *jobs, thr_error *err)
{
    search *s = user;
    size_t candidate = job / s->folds.k;
    thr_racer *r = &s->c->racer[candidate];
    thr_trial t = {.settings = s->settings[candidate],
                   .kept = &s->c->kept,
                   .folds = &s->folds,
                   .fold = job % s->folds.k,
                   .train = &s->o->train,
                   .outcome = note,
                   .user = r};
    int code = thr_trial_run(&t, jobs, err);
    if (code == 0) {
        r->fold_loss[t.fold] = s->c->numbers ? t.metrics->squared : (double)t.metrics->mistakes;
        __atomic_fetch_add(&r->updates, t.report.updates, __ATOMIC_RELAXED);
        __atomic_fetch_add(&r->sat_out, t.sat_out, __ATOMIC_RELAXED);
    }
    thr_metrics_free(t.metrics);
    return code;
}

static int run_trials(search *s, thr_error *err)
{
    thr_contest *c = s->c;
    int code = thr_folds_init(&s->folds, &c->kept.store.all, &s->o->plan, 0, !c->numbers, err);
    if (code == 0)
        code = thr_contest_fold(c, s->folds.k, err);
    if (code == 0)
        code = make_settings(s, err);
    for (size_t i = 0; i < c->n && code == 0; i++)
        code = thr_contest_ready(c, &c->racer[i], c->examples) ? 0 : thr_fail_memory(err);
    if (code)
        return code;
    for (size_t i = 0; i < s->folds.k; i++)
        c->fold_size[i] = (double)thr_folds_size(&s->folds, i);
    thr_jobs jobs = {.n = c->n * s->folds.k,
                     .threads = s->o->threads,
                     .run = run_trial,
                     .user = s,
                     .work = c->n * (s->folds.k - 1) * c->examples * s->o->train.passes,
                     .progress = s->o->train.progress,
                     .progress_user = s->o->train.user};
    return thr_jobs_run(&jobs, err);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* Reads the corpus with the settings of the first candidate. Examples that some candidate
 * cannot take are not rejected: that candidate sits them out. But if numbers are predicted,
 * examples are checked by the rule, so that all labels are numbers. */
static int read_all(thr_contest *c, thr_input *in, const thr_tune_options *o, thr_error *err)
{
    thr_model *m = thr_contest_model(c, 0, 1, err);
    if (!m)
        return err->code;
    int code = thr_corpus_read(&c->kept, m, c->numbers, in, o->train.progress, o->train.user, err);
    c->examples = c->kept.store.all.n;
    c->reading = c->kept.reading;
    thr_model_free(m);
    return code;
}

thr_contest *thr_tune(const thr_settings *s, const char *const *learners, size_t n, thr_input *in,
                      const thr_tune_options *o, thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    thr_tune_options full;
    if (thr_tune_complete(o, &full, err))
        return NULL;
    search all = {.c = thr_contest_new(s, learners, n, err), .o = &full};
    int code = all.c ? read_all(all.c, in, &full, err) : THR_EUSE;
    if (code == 0)
        code = full.by_folds ? run_trials(&all, err) : run_heats(&all, err);
    for (size_t i = 0; all.settings && i < all.c->n; i++)
        thr_settings_free(all.settings[i]);
    free(all.settings);
    free(all.heat);
    thr_folds_clear(&all.folds);
    if (code == 0)
        code = thr_contest_finish(all.c, err);
    if (code == 0)
        return all.c;
    thr_contest_free(all.c);
    return NULL;
}

thr_model *thr_contest_train(const thr_contest *c, size_t entrant, const thr_train_options *o,
                             thr_train_report *report, thr_error *err)
{
    thr_error local;
    thr_train_report unused;
    err = err ? err : &local;
    if (entrant >= c->n || c->kept.store.all.n == 0) {
        thr_fail(err, THR_EUSE, "there is no such entrant, or a race keeps no examples");
        return NULL;
    }
    thr_settings *s = thr_settings_copy(c->settings);
    int code =
        s ? thr_settings_set(s, "learner", c->racer[entrant].learner, err) : thr_fail_memory(err);
    thr_model *m = code ? NULL : thr_model_new(s, err);
    if (m)
        code = train_kept(&c->kept, m, o, NULL, report ? report : &unused, err);
    thr_settings_free(s);
    if (code == 0)
        return m;
    thr_model_free(m);
    return NULL;
}
