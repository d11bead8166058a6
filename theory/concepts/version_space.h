/* Learning by keeping the consistent concepts (L2), over any finite class C:
 *
 *     consistent  answers with one survivor, drawn at random and kept until it errs:
 *                 at most |C| - 1 mistakes
 *     halving     answers with the majority of the survivors (yes if they are split evenly), so
 *                 that each mistake removes at least half of them: at most log2 |C| mistakes
 *
 * Both bounds hold if some concept of the class agrees with all labels. An example that no survivor
 * labels correctly shows that none does. Such examples are counted and the first is remembered, but
 * they remove no survivor, so that learning can continue, without a bound. */
#ifndef THR_CONCEPTS_VERSION_SPACE_H
#define THR_CONCEPTS_VERSION_SPACE_H

#include "base/random.h"
#include "concepts/concepts.h"

#include "thresh_theory.h"

enum thr_version_rule { THR_CONSISTENT, THR_HALVING };

typedef struct thr_version_space {
    const thr_concepts *of; /* the class; borrowed, and must outlive this */
    enum thr_version_rule rule;
    uint32_t *alive; /* the n survivors, in the order of the class. Owned */
    uint64_t n;
    uint64_t pick; /* consistent: the index in `alive` of the survivor that answers */
    thr_random random;
    uint64_t examples, mistakes;
    uint64_t refused, first_refused; /* examples that no survivor labels correctly; the number of
                                        the first, from 1 */
} thr_version_space;

int thr_version_space_open(thr_version_space *v, const thr_concepts *of, enum thr_version_rule rule,
                           uint64_t seed, thr_error *err);
void thr_version_space_close(thr_version_space *v);
bool thr_version_space_answer(const thr_version_space *v, const bool *x);
/* Answers, then learns the label. Returns whether the answer was wrong. */
bool thr_version_space_learn(thr_version_space *v, const bool *x, bool label);
/* |C| - 1, or log2 |C| rounded down. */
uint64_t thr_version_space_bound(const thr_version_space *v);

#endif
