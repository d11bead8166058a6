/* Elimination over n variables (lecture notes L0 section 6 and L2, see docs/THEORY.md). The
 * hypothesis is a conjunction or a disjunction of literals. It starts with every literal
 * allowed; those that an example contradicts are removed for good.
 *
 *     conjunction: a positive example that it rejects removes the literals that are false in
 *                  the example
 *     disjunction: a negative example that it accepts removes the literals that are true in
 *                  the example
 *
 * The learner `eliminate` of libthresh does the same for features that become known only as
 * they occur, so that the literals cannot be listed at the start. */
#ifndef THR_CONCEPTS_ELIMINATOR_H
#define THR_CONCEPTS_ELIMINATOR_H

#include "base/error.h"

/* The literals x and not-x of a variable x that are still in the hypothesis, as bits. */
enum { THR_HAS_PLAIN = 1, THR_HAS_NEGATED = 2 };

typedef struct thr_eliminator {
    size_t n;                /* variables */
    bool disjunction;        /* the hypothesis is a disjunction, else a conjunction */
    unsigned char *literals; /* for each variable, the bits above; owned */
} thr_eliminator;

/* Starts a hypothesis with all n plain literals and, if `negated`, all n negated ones. Returns
 * 0, or THR_EMEM. */
int thr_eliminator_open(thr_eliminator *p, size_t n, bool disjunction, bool negated,
                        thr_error *err);
void thr_eliminator_close(thr_eliminator *p); /* frees what it owns */
/* The label that the hypothesis gives to a point; x[i] is the value of variable i. */
bool thr_eliminator_answer(const thr_eliminator *p, const bool *x);
/* Answers, then learns from the true label; returns whether the answer was wrong. A mistake of
 * the other kind than the two above removes nothing: no formula of the class fits the examples
 * then. */
bool thr_eliminator_learn(thr_eliminator *p, const bool *x, bool label);
/* The bits THR_HAS_PLAIN and THR_HAS_NEGATED of a variable, which is counted from 0. */
unsigned thr_eliminator_literals(const thr_eliminator *p, size_t variable);

#endif
