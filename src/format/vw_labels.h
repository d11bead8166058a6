/* Labels of VW's other learning problems (cost-sensitive classes, contextual bandits, slates),
 * which thresh recognises in order to refuse them. Read as plain labels they would be names or
 * importances, and the model would learn nothing of use. */
#ifndef THR_FORMAT_VW_LABELS_H
#define THR_FORMAT_VW_LABELS_H

#include "base/mem.h"

#include <stddef.h>

/* Looks through the n words before the first bar, the tag left out. Returns what
 * the word word[*at] is and what to do, to follow the word in a message; or NULL if the label is a
 * plain one. */
const char *thr_vw_other_problem(const thr_str *word, size_t n, size_t *at);

#endif
