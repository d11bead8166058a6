/* The rule `eliminate` by itself, without a model: features are n variables, and a point is an
 * array of what holds. */
#ifndef THR_THEORY_PUPIL_H
#define THR_THEORY_PUPIL_H

#include "multiclass/rule.h"

typedef struct thr_pupil {
    thr_rule rule;
    thr_weights weights;
    size_t n;
    uint32_t *id;
    char **row;
} thr_pupil;

int thr_pupil_open(thr_pupil *p, size_t n, bool disjunction, bool negated, thr_error *err);
void thr_pupil_close(thr_pupil *p);
bool thr_pupil_answer(const thr_pupil *p, const bool *x);
/* Answers, then learns; whether the answer was wrong. */
bool thr_pupil_learn(thr_pupil *p, const bool *x, bool label);
/* THR_LITERAL and THR_NEGATED, as in learner.h. */
unsigned thr_pupil_literals(const thr_pupil *p, size_t variable);

#endif
