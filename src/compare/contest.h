/* A contest: several rules over the same examples.
 *
 *      racer   wrong, one bit per example         loss
 *      0       0 0 1 0 1 0 0 0 ...                2
 *      1       1 0 1 0 0 0 0 0 ...                2
 *
 * Everything that is reported is computed from these bits: mistakes after the first n examples
 * are a population count, and McNemar's counts for two racers are those of a & ~b and b & ~a.
 * Rules that predict numbers compete only among themselves; for them the square of the error is
 * kept for each example instead of a bit.
 *
 * A race (race.c) and the heats of a search (tune.c) fill a contest while examples are learned,
 * by the prediction before each update. A search by folds fills it from tests. */
#ifndef THR_COMPARE_CONTEST_H
#define THR_COMPARE_CONTEST_H

#include "base/error.h"
#include "input/corpus.h"
#include "step/step.h"

#define THR_MOST_RACERS 64 /* in one race, where all have their weights in memory at once */

/* One contestant. */
typedef struct thr_racer {
    char *learner;   /* its specification, as in --learner */
    uint64_t *wrong; /* one bit per example; NULL if numbers are predicted */
    float *squared;  /* squared errors, if numbers are predicted; else NULL */
    size_t room;     /* capacity of `wrong` in words, or of `squared` in numbers */
    uint64_t mistakes, updates, sat_out; /* sat_out: examples that its rule cannot take */
    double loss;                         /* mistakes, or the sum of squared errors */
    double *fold_loss;                   /* the same for each fold; NULL without folds */
} thr_racer;

struct thr_contest {
    thr_racer *racer;
    size_t n;
    uint64_t examples;
    bool numbers;      /* the racers predict numbers, not labels */
    size_t folds;      /* 0: none */
    double *fold_size; /* examples in each fold */
    size_t *rank;      /* racers in increasing order of loss; equal ones in the order given */
    thr_settings *settings;
    thr_corpus kept; /* the examples of a search; empty for a race */
    thr_reading reading;
};

/* The specifications are checked and copied. NULL after a failure. */
thr_contest *thr_contest_new(const thr_settings *s, const char *const *learners, size_t n,
                             thr_error *err);
/* Makes room for the losses of that many folds. */
int thr_contest_fold(thr_contest *c, size_t folds, thr_error *err);
/* Makes room for the outcomes of examples 0 to `example` of a racer. False: out of memory. */
bool thr_contest_ready(const thr_contest *c, thr_racer *r, uint64_t example);
/* Records the outcome of an example: 0 or 1, or the square of the error. There must be room for
 * it. Several threads may record outcomes of different examples of the same racer. */
void thr_racer_note(thr_racer *r, uint64_t example, double loss);
/* Computes mistakes and ranks when all outcomes have been recorded. */
int thr_contest_finish(thr_contest *c, thr_error *err);

/* A new model in which the racers first to first + n - 1 are members, without a vote. A racer
 * that is a panel cannot be a member of one: it must be the only one, and becomes the model
 * itself. */
thr_model *thr_contest_model(const thr_contest *c, size_t first, size_t n, thr_error *err);
bool thr_contest_alone(const thr_contest *c, size_t racer); /* whether it is a panel */

/* Racers that run together in one model. thr_heat_note is a thr_watch callback: it records what
 * each member predicted for the example that was just learned. */
typedef struct thr_heat {
    thr_contest *c;
    const thr_model *m; /* made by thr_contest_model */
    size_t first, n;    /* the racers that are its members */
    uint64_t examples;  /* recorded so far */
} thr_heat;
int thr_heat_note(void *heat, const thr_workspace *w, const thr_batch *b, size_t e,
                  const thr_lesson *lesson, thr_error *err);
void thr_heat_end(const thr_heat *h); /* copies the numbers of updates from the model */

#endif
