/* Learning by keeping what is consistent (L2), over any finite class C:
 *
 *     consistent  answers with one survivor, drawn at random and kept until it errs:
 *                 at most |C| - 1 mistakes
 *     halving     answers with the majority of the survivors (yes where they are split evenly), so
 *                 that each mistake removes half of them: at most log2 |C| mistakes
 *
 * both if some concept of the class labels all examples. An example that no survivor labels rightly
 * shows that none does; it is counted, the first one is remembered, and the survivors stay as
 * they are, so that learning goes on without a promise. */
#ifndef THR_CONCEPTS_VERSION_SPACE_H
#define THR_CONCEPTS_VERSION_SPACE_H

#include "base/random.h"
#include "concepts/concepts.h"

#include "thresh_theory.h"

enum thr_version_rule { THR_CONSISTENT, THR_HALVING };

typedef struct thr_version_space {
    const thr_concepts *of; /* outlives it */
    enum thr_version_rule rule;
    uint32_t *alive; /* survivors, in the order of the class */
    uint64_t n;
    uint64_t pick; /* the place in `alive` of the one that answers (consistent) */
    thr_random random;
    uint64_t examples, mistakes;
    uint64_t refused, first_refused; /* examples that no survivor labels so; the first, from 1 */
} thr_version_space;

int thr_version_space_open(thr_version_space *v, const thr_concepts *of, enum thr_version_rule rule,
                           uint64_t seed, thr_error *err);
void thr_version_space_close(thr_version_space *v);
bool thr_version_space_answer(const thr_version_space *v, const bool *x);
/* Answers, then learns the label; whether the answer was wrong. */
bool thr_version_space_learn(thr_version_space *v, const bool *x, bool label);
/* |C| - 1 or the whole part of log2 |C|. */
uint64_t thr_version_space_bound(const thr_version_space *v);

#endif
