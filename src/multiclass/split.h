/* From one function for two labels to one function for each. */
#ifndef THR_MULTICLASS_SPLIT_H
#define THR_MULTICLASS_SPLIT_H

#include "multiclass/policy.h"

/* What the other label has in a slot, given all slots of the shared function. */
double thr_mirrored(const thr_weights *w, unsigned slot, const double *shared);
/* Functions become three. The shared one scored `anchor` (0 or 1); every row and note is
 * rewritten so that, for an antisymmetric rule, no prediction changes. */
/* What each label's function is then, as a multiple of the shared one. */
double thr_split_factor(const thr_rule *r);
/* Makes room for it, which can fail; the split itself cannot. */
int thr_split_ready(thr_rule *r, thr_weights *w, thr_error *err);
void thr_split(thr_rule *r, thr_weights *w, uint32_t anchor);

#endif
