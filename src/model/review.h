/* Reviews: a panel that mixes pauses members that have no weight.
 *
 * Every member costs as much as a single rule, whatever its weight. So at fixed numbers of
 * examples, 2^13, 2^14, 2^15 and so on, the panel is reviewed, and from the second review on a
 * member is paused if
 *
 *   - its learned weight w_k (mixture.h) is at most 0.001: it has lost by far;
 *   - since the last review, so in the second half of all examples, it made more mistakes than
 *     the best member, a against b, by more than chance would: a - b > 3 sqrt(a + b). A rule that
 *     begins slowly is judged by what it has become;
 *   - three quarters of all examples have counted for the mixture. Where labels come in bursts, or
 *     examples are met again, members look better or worse than they are (measure/runs.h).
 *
 * A paused member no longer learns, scores or takes memory: its weights are dropped, and the
 * mixture goes on without it. That is for good, since it has missed what came later. The panel
 * keeps its name, and what it had learned from and got wrong until then. One member always stays.
 *
 * A review depends on settings and examples alone, and its outcome is saved, so a model is the same
 * for any number of threads and with any stops in between. */
#ifndef THR_MODEL_REVIEW_H
#define THR_MODEL_REVIEW_H

#include "model/panel.h"

/* How many examples may be learned, after `learned`, until the next review; at least 1. */
uint64_t thr_panel_until_review(const thr_panel *p, uint64_t learned);
/* The place of member k among the members that the settings name. */
uint32_t thr_panel_place(const thr_panel *p, uint32_t k);
/* Copies the list of paused members to a panel that has none. */
int thr_panel_copy_paused(const thr_panel *p, thr_panel *out, thr_error *err);
/* Takes member k out of the model, which has others, after `examples` examples. Cannot fail.
 * Addresses of rows, and cases that were laid out before, are invalid. */
void thr_model_take_out(thr_model *m, uint32_t k, uint64_t examples);
/* Reviews the panel, if that is due after the examples learned. Returns whether a member was
 * paused. Cannot fail. */
bool thr_model_review(thr_model *m);

#endif
