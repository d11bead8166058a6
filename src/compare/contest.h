/* Several rules over the same examples: for each one bit an example, whether it was wrong. All
 * else (mistakes on the way, who was right where another was not) is read off these bits. Rules
 * that predict numbers compete among themselves; the squares of their errors stand in for bits. */
#ifndef THR_COMPARE_CONTEST_H
#define THR_COMPARE_CONTEST_H

#include "base/error.h"
#include "input/corpus.h"
#include "step/step.h"

#define THR_MOST_RACERS 64 /* side by side: each has weights of its own */

typedef struct thr_racer {
    char *learner;
    uint64_t *wrong; /* bits; NULL of numbers */
    float *squared;  /* of numbers, per example */
    size_t room;     /* in words or numbers */
    uint64_t mistakes, updates, sat_out;
    double loss;       /* in all: mistakes, or squares of errors */
    double *fold_loss; /* the same per fold, where there are folds; else NULL */
} thr_racer;

struct thr_contest {
    thr_racer *racer;
    size_t n;
    uint64_t examples;
    bool numbers; /* they predict numbers, not labels */
    size_t folds;
    double *fold_size; /* examples in each */
    size_t *rank;      /* racers by their loss */
    thr_settings *settings;
    thr_corpus kept; /* of a search */
    thr_reading reading;
};

/* NULL after a failure. The specs are copied, and checked. */
thr_contest *thr_contest_new(const thr_settings *s, const char *const *learners, size_t n,
                             thr_error *err);
/* Room for that many folds' losses. */
int thr_contest_fold(thr_contest *c, size_t folds, thr_error *err);
/* Room for the outcome of that example and those before. */
bool thr_contest_ready(const thr_contest *c, thr_racer *r, uint64_t example);
/* A loss is 0 or 1, or the square of an error. Several threads may note those of different
 * examples. */
void thr_racer_note(thr_racer *r, uint64_t example, double loss);
/* Mistakes and ranks, once all is noted. */
int thr_contest_finish(thr_contest *c, thr_error *err);

/* A model in which racers from `first` on, n of them, compete; or the only one, if it is a panel
 * and cannot be the member of one. */
thr_model *thr_contest_model(const thr_contest *c, size_t first, size_t n, thr_error *err);
bool thr_contest_alone(const thr_contest *c, size_t racer); /* a panel */

/* What the members of such a model said of an example just learned goes to their racers. */
typedef struct thr_heat {
    thr_contest *c;
    const thr_model *m;
    size_t first, n;
    uint64_t examples;
} thr_heat;
int thr_heat_note(void *heat, const thr_workspace *w, const thr_batch *b, size_t e,
                  const thr_lesson *lesson, thr_error *err);
void thr_heat_end(const thr_heat *h); /* their updates */

#endif
