/* Tagging from left to right: each token is an example, with features of the tags that were predicted before it
 * (SNoW's sequential model: Punyakanok, Roth 2001). Any rule or panel can do it; it was taught with the true
 * tags before. */
#ifndef THR_RUN_GREEDY_H
#define THR_RUN_GREEDY_H

#include "chain/past.h"
#include "chain/rules.h"
#include "step/scratch.h"
#include "step/step.h"

/* Scratch memory of one thread. All zero is empty. */
typedef struct thr_greedy {
    thr_workspace work;
    thr_batch one; /* the token at hand */
    thr_past past;
    thr_rules rules;
    thr_bytes name;
    uint32_t *path;      /* the labels of the sentence */
    double *probability; /* of each */
    size_t path_room, probability_room;
} thr_greedy;

void thr_greedy_clear(thr_greedy *g); /* frees */
/* Predicts the sentence that begins at example `from` of a resolved batch. *score becomes the sum of the
 * scores of its tags. */
int thr_greedy_predict(const thr_model *m, thr_greedy *g, const thr_batch *b, size_t from,
                       double *score, thr_error *err);

#endif
