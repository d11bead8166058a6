/* Runs several experiments in parallel and reports them in the order requested. */
#include "base/jobs.h"
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

/* Progress is counted in milliseconds of the expected duration. */
#define GRAIN 1000.0

typedef struct bench {
    const thr_experiment **experiment;
    thr_lab *lab;
    uint64_t seed;
} bench;

typedef struct teller {
    thr_jobs *jobs;
    double work;
    uint64_t told;
} teller;

static bool tell(void *user, double share)
{
    teller *t = user;
    uint64_t now = (uint64_t)(share * t->work);
    uint64_t more = now > t->told ? now - t->told : 0;
    t->told += more;
    return thr_jobs_progress(t->jobs, more);
}

static int perform(void *user, size_t job, thr_jobs *jobs, thr_error *err)
{
    bench *b = user;
    const thr_experiment *x = b->experiment[job];
    teller t = {.jobs = jobs, .work = x->seconds * GRAIN};
    b->lab[job].tell = tell;
    b->lab[job].tell_user = &t;
    return thr_lab_perform(&b->lab[job], x, b->seed, err);
}

static int perform_all(bench *b, size_t n, const thr_lab_options *o, thr_lab_fn *fn, void *user,
                       thr_error *err)
{
    double work = 0;
    for (size_t i = 0; i < n; i++)
        work += b->experiment[i]->seconds * GRAIN;
    thr_jobs jobs = {.n = n,
                     .threads = o->threads,
                     .run = perform,
                     .user = b,
                     .work = (uint64_t)work,
                     .progress = o->progress,
                     .progress_user = o->user};
    int code = thr_jobs_run(&jobs, err);
    for (size_t i = 0; i < n && code == 0; i++)
        code = fn(user, &b->lab[i]);
    return code < 0 ? code : 0;
}

int thr_lab_run(const char *const *names, size_t n, const thr_lab_options *o, thr_lab_fn *fn,
                void *user, thr_error *err)
{
    static const thr_lab_options zero = {0};
    o = o ? o : &zero;
    if (THR_CHECK_RESERVED(thr_lab_options, o, err))
        return THR_EUSE;
    bench b = {.experiment = calloc(n + 1, sizeof *b.experiment),
               .lab = calloc(n + 1, sizeof *b.lab),
               .seed = o->seed};
    int code = b.experiment && b.lab ? 0 : thr_fail_memory(err);
    for (size_t i = 0; i < n && code == 0; i++) {
        b.experiment[i] = thr_experiment_find(names[i]);
        if (!b.experiment[i])
            code = thr_fail(err, THR_EUSE, "there is no experiment '%s'", names[i]);
    }
    if (code == 0)
        code = perform_all(&b, n, o, fn, user, err);
    for (size_t i = 0; i < n && b.lab; i++)
        thr_lab_clear(&b.lab[i]);
    free(b.lab);
    free(b.experiment);
    return code;
}
