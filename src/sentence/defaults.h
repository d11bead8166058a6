/* How the sentences of a file are read: which column has the tag, the scheme of the tags, and the
 * template. What the settings do not say is found out from the beginning of the file; the model that
 * learns from it keeps it. */
#ifndef THR_SENTENCE_DEFAULTS_H
#define THR_SENTENCE_DEFAULTS_H

#include "example/features.h"
#include "sentence/tags.h"
#include "sentence/template.h"

typedef struct thr_plan {
    size_t label; /* the column of the tag, from 0 */
    enum thr_scheme scheme;
    thr_template *template; /* owned by whoever made the plan */
} thr_plan;

/* Sets plan->template: that of the settings, or the default for tokens with so many columns besides the
 * tag. */
int thr_plan_template(thr_plan *plan, const thr_features *f, size_t columns, bool universal,
                      thr_error *err);

#endif
