/* One example predicted, or predicted and then learned; and the checks that come before.
 *
 * step.c is the order of events, find.c and lane.c its parts that may run ahead or in other threads
 * (stretch.h), case.c and score.c the prediction, record.c what the truth says of it, check.c the
 * checks. Functions that take a const model change nothing in it, so any number of
 * threads may call them at once, each with a workspace of its own. */
#ifndef THR_STEP_STEP_H
#define THR_STEP_STEP_H

#include "model/model.h"
#include "step/workspace.h"

/* What happened when one example was learned. */
typedef struct thr_lesson {
    /* The label predicted before the truth was looked at. THR_NONE: none, or "a label not met yet".
     * Where several labels may be true, the one with the best score, if it is in the predicted
     * set. */
    uint32_t predicted;
    uint32_t label;   /* the true one; THR_NONE: a number, or several labels may be true */
    bool mistake;     /* with several labels: the predicted set is not exactly the true one */
    bool new_label;   /* a label was met for the first time */
    uint64_t updates; /* members that moved */
    double error;     /* regression: the true number minus the predicted one */
} thr_lesson;

/* Whether member k can learn from the values of example e. Rules like Winnow cannot take negative
 * ones. */
bool thr_model_takes(const thr_model *m, uint32_t k, const thr_batch *b, size_t e);
/* Whether a batch may hold examples that this model cannot use, so that thr_model_check must look
 * at each of them. */
bool thr_model_checks(const thr_model *m, const thr_batch *b);
/* Whether any batch may, even one without lists of labels. */
bool thr_model_minds(const thr_model *m);
/* Whether a model may refuse an example that is complete and has a label: for a negative value, a
 * label that is no number, more conjunctions than there may be, or another limit. A caller that
 * must learn all of its examples or none then checks all of them first. */
bool thr_model_may_refuse(const thr_model *m);
/* 0 if the model can use the values and labels of example e; else THR_EDATA with what it cannot
 * use. */
int thr_model_check(const thr_model *m, const thr_batch *b, size_t e, thr_error *err);
/* Records in the batch that its features are made by m's settings. */
void thr_batch_made_for(thr_batch *b, const thr_model *m);
/* 0 if m can use a batch that a caller has filled: it is complete, made by the same settings, and
 * every number in it is finite. Else an error code. */
int thr_batch_usable(const thr_model *m, const thr_batch *b, thr_error *err);
/* Predicts example e of a resolved batch. *best is the label, THR_NONE if there is none. Scores and
 * everything else that was computed are in w->cases[0]; for multi-label data also the predicted and
 * the true set. */
int thr_model_score(const thr_model *m, thr_workspace *w, const thr_batch *b, size_t e,
                    uint32_t *best, thr_error *err);
/* Predicts example e of a resolved batch and compares with its label: *wrong is what thr_lesson
 * calls a mistake. Nothing is learned. */
int thr_model_errs(const thr_model *m, thr_workspace *w, const thr_batch *b, size_t e, bool *wrong,
                   thr_error *err);
/* The most examples that go through a step together, the most such stretches under way at a time
 * (ring.c), and the most examples that one call of thr_model_learn learns. */
#define THR_STRETCH   32
#define THR_UNDER_WAY 4
#define THR_LESSONS   (32 * THR_STRETCH)
/* Predicts and learns examples of a resolved batch, order[from], order[from + 1] and so on, or if
 * `order` is NULL those from number `from` on: *learned of them, at least one unless it fails, and
 * none from order[upto], or `upto`, on. lesson[], of THR_LESSONS, says what happened to each. On
 * failure *learned examples have been learned and the next one failed. If w->single is
 * set, or every example may change what all share, it learns one at a time; if w->shown is set,
 * only as many as have cases at once. Examples from `upto` on are not looked at; those before it
 * may be prefetched. */
int thr_model_learn(thr_model *m, thr_workspace *w, const thr_batch *b, const size_t *order,
                    size_t from, size_t upto, thr_lesson *lesson, size_t *learned, thr_error *err);
/* Moves the function of one label up (sign +1) or down (-1) on an example, as if it had been wrong
 * about it. Only members in which the label has a function that can be moved alone take part. */
int thr_model_push(thr_model *m, thr_workspace *w, const thr_batch *b, size_t e, thr_str label,
                   int sign, thr_error *err);

/* ---- parts of learning (record.c) ---- */

/* Compares the prediction in `out`, and every expert's in c, with the truth. The model had
 * `labels_then` labels when they were made; the example's own labels have been added since. Changes
 * nothing in the model. */
void thr_case_compare(const thr_model *m, thr_case *c, const thr_batch *b, size_t i, uint32_t label,
                      uint32_t labels_then, thr_lesson *out);
/* Whether members' probabilities are fitted to the example: they are not where a label was new,
 * since there was no probability of it, nor where the true label was not among the candidates. A
 * race fits them only where predictions go by them. */
bool thr_case_fits(const thr_model *m, const thr_case *c);
/* Whether runs of labels (measure/runs.h) decide how much the example counts in a mixture. */
bool thr_case_weighs_runs(const thr_model *m, const thr_case *c);
/* Fits the probabilities of members `first` to `end` - 1, which have scored. `room` is scratch, for
 * the labels of each of them. Cannot fail. */
void thr_case_fit(thr_model *m, thr_case *c, uint32_t first, uint32_t end, double *room);
/* Counts mistakes, fits the mixture or blend and weighs the experts. Cannot fail. */
void thr_case_record(thr_model *m, thr_case *c, const thr_lesson *out);

#endif
