/* Notices when the stream of examples begins to repeat itself, as in a second pass.
 *
 * Predictions on examples that a rule has learned from say little about how good it is, so
 * probabilities and the panel's weights learn only from examples met for the first time. Keeping a
 * mark of every example would take memory without bound. Instead the THR_REPEATS_SAMPLE smallest
 * hashes are kept, sorted: a uniform sample of the distinct examples met (Bar-Yossef et al. 2002).
 * An example whose hash is greater than all of them is not in the sample and tells nothing. One
 * whose hash is in range is either in the list (met before) or new, and then it is inserted.
 *
 * The stream counts as repeating once the last THR_REPEATS_ROW sampled examples in a row had all
 * been met before; a single new one ends that. The state depends on the examples alone and is
 * saved, so resuming is exact. */
#ifndef THR_MODEL_REPEATS_H
#define THR_MODEL_REPEATS_H

#include "weights/weights.h"

#define THR_REPEATS_SAMPLE 4096
#define THR_REPEATS_ROW    16

typedef struct thr_repeats {
    uint64_t *mark; /* the sample, ascending */
    uint32_t n;     /* marks in it, at most THR_REPEATS_SAMPLE */
    uint32_t row; /* sampled examples met before, since the last new one; at most THR_REPEATS_ROW */
    size_t room;
} thr_repeats;

void thr_repeats_clear(thr_repeats *r);
int thr_repeats_copy(const thr_repeats *r, thr_repeats *out, thr_error *err);
/* Adds the marks of `from` to the sample. Marks are made from ids and label numbers, so these must
 * mean the same in both models. `row` stays. */
int thr_repeats_unite(thr_repeats *r, const thr_repeats *from, thr_error *err);
/* Whether the examples that `first` has met can all be among those that r has met: no mark of
 * `first` is missing that r's sample would have kept. */
bool thr_repeats_include(const thr_repeats *r, const thr_repeats *first);
/* Whether the marks are in order, as those of a file must be. */
bool thr_repeats_sound(const thr_repeats *r);
/* Makes room for one mark; thr_repeats_see cannot fail then. */
int thr_repeats_ready(thr_repeats *r, thr_error *err);
/* The mark of an example: a hash of its ids, values and label. If the upper half already shows that
 * it is not in the sample, the lower half is left 0, which saves hashing the whole example. */
uint64_t thr_repeats_mark(const thr_repeats *r, const thr_example *e);
/* How many examples were taken for new although they had been met: those that came before the
 * stream counted as repeating, which it has done so far if `noticed`, and those since the last new
 * one. Exact while all marks fit in the sample and the stream has begun to repeat only once; else
 * an estimate. */
uint64_t thr_repeats_mistaken(const thr_repeats *r, bool noticed);
/* Looks for a mark in the sample and inserts it if it belongs there. Returns whether the stream
 * counts as repeating, this example included. */
bool thr_repeats_see(thr_repeats *r, uint64_t mark);

#endif
