/* Elimination over n variables (L0 6, L2). The hypothesis is a conjunction or a disjunction, and
 * literals that an example contradicts are removed for good.
 *
 *     conjunction: starts with all literals; a positive example that it rejects removes the
 *                  literals that are false in it
 *     disjunction: starts with all literals; a negative example that it accepts removes the
 *                  literals that are true in it
 *
 * The learner `eliminate` of libthresh does the same in an open feature space, where literals
 * cannot be listed. */
#ifndef THR_CONCEPTS_PUPIL_H
#define THR_CONCEPTS_PUPIL_H

#include "base/error.h"

enum { THR_HAS_PLAIN = 1, THR_HAS_NEGATED = 2 }; /* the literals of a variable, as bits */

typedef struct thr_pupil {
    size_t n;
    bool disjunction;
    unsigned char *literals; /* of each variable: the literals that remain */
} thr_pupil;

int thr_pupil_open(thr_pupil *p, size_t n, bool disjunction, bool negated, thr_error *err);
void thr_pupil_close(thr_pupil *p);
/* The label that the hypothesis gives to a point; x[i] is the value of variable i. */
bool thr_pupil_answer(const thr_pupil *p, const bool *x);
/* Answers, then learns; returns whether the answer was wrong. */
bool thr_pupil_learn(thr_pupil *p, const bool *x, bool label);
unsigned thr_pupil_literals(const thr_pupil *p, size_t variable);

#endif
