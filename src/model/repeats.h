/* Has the stream begun to repeat itself?
 *
 * What a learner predicts on examples it has learned from says nothing about how good it is, so
 * probabilities and the panel's weights are learned from examples met for the first time only.
 * Fingerprints of examples are sampled: the SAMPLE smallest are kept, sorted (Bar-Yossef et al.
 * 2002). The stream repeats itself when the last sampled ones in a row had all been met before.
 * It depends on the examples alone, so that resuming is exact. */
#ifndef THR_MODEL_REPEATS_H
#define THR_MODEL_REPEATS_H

#include "weights/weights.h"

#define THR_REPEATS_SAMPLE 4096
#define THR_REPEATS_ROW    16 /* met before, one after another */

typedef struct thr_repeats {
    uint64_t *mark; /* ascending */
    uint32_t n;
    uint32_t row; /* repeated ones since the last new one */
    size_t room;
} thr_repeats;

void thr_repeats_clear(thr_repeats *r);
int thr_repeats_copy(const thr_repeats *r, thr_repeats *out, thr_error *err);
/* The marks of both, of examples whose features and labels have the same numbers in both; `row`
 * stays. */
int thr_repeats_unite(thr_repeats *r, const thr_repeats *from, thr_error *err);
/* Whether every example that `first` has met may be among those met here: none of its marks is
 * missing that would have been kept. */
bool thr_repeats_include(const thr_repeats *r, const thr_repeats *first);
/* Room for one mark more. */
int thr_repeats_ready(thr_repeats *r, thr_error *err);
/* A fingerprint, by the ids of its features; half of one where that shows that it will not be
 * sampled. */
uint64_t thr_repeats_mark(const thr_repeats *r, const thr_example *e);
/* Looks at an example's fingerprint and says whether it counts as met before. */
bool thr_repeats_see(thr_repeats *r, uint64_t mark);

#endif
