/* One example predicted, or predicted and then learned; and whether it can be. */
#ifndef THR_STEP_STEP_H
#define THR_STEP_STEP_H

#include "model/model.h"
#include "step/workspace.h"

/* What learning from one example showed. */
typedef struct thr_lesson {
    uint32_t predicted; /* THR_NONE for "a label still unknown"; of several the best one */
    bool mistake;
    bool new_label;   /* a label was met for the first time */
    uint64_t updates; /* of its rules */
    double error;     /* regression: the number less the one predicted */
} thr_lesson;

/* Whether member k can take the values of example e. */
bool thr_model_takes(const thr_model *m, uint32_t k, const thr_batch *b, size_t e);
/* Whether the rule can take an example's values and label; the error names what it cannot. And
 * whether that must be asked for the examples of a batch at all. */
bool thr_model_checks(const thr_model *m, const thr_batch *b);
int thr_model_check(const thr_model *m, const thr_batch *b, size_t e, thr_error *err);
/* Notes that the features of a batch were made by m's settings. */
void thr_batch_made_for(thr_batch *b, const thr_model *m);
/* Whether m can use a batch that a caller has filled; else a code with what is wrong. */
int thr_batch_usable(const thr_model *m, const thr_batch *b, thr_error *err);
/* Predicts: the label in *best, THR_NONE when none is known; scores and what else was worked out in
 * w->cases, where several labels may be true also which are predicted and which are. */
int thr_model_score(const thr_model *m, thr_workspace *w, const thr_batch *b, size_t e,
                    uint32_t *best, thr_error *err);
/* Predicts, then learns. */
int thr_model_learn(thr_model *m, thr_workspace *w, const thr_batch *b, size_t e, thr_lesson *out,
                    thr_error *err);
/* Moves one label's function up (+1) or down (-1) on an example, whatever it says. */
int thr_model_push(thr_model *m, thr_workspace *w, const thr_batch *b, size_t e, thr_str label,
                   int sign, thr_error *err);
/* Two parts of learning (record.c). What the truth says of the prediction in `out` and of
 * everyone's in c, made when `labels_then` labels were known: nothing in the model is changed. Then
 * what the model remembers of it. `known`: so was the label; `repeated`: the example has been met
 * before. */
void thr_case_compare(const thr_model *m, thr_case *c, const thr_batch *b, size_t i, uint32_t label,
                      uint32_t labels_then, thr_lesson *out);
void thr_case_record(thr_model *m, thr_case *c, uint32_t label, const thr_lesson *out, bool known,
                     bool repeated);

#endif
