/* A ceiling on the number of features: the setting max-features. ceiling.c says which are
 * dropped. */
#ifndef THR_COMBINE_CEILING_H
#define THR_COMBINE_CEILING_H

#include "model/model.h"

/* THR_EDATA if an example alone has more features than the ceiling allows. */
int thr_model_fits(const thr_model *m, const thr_batch *b, size_t e, thr_error *err);
/* Must be called before example e of b is learned. Without a ceiling it does nothing. With one it
 * resolves the names of this example and, if its new features are too many, drops others. Ids that
 * were found for earlier examples are invalid afterwards. */
int thr_model_make_room(thr_model *m, thr_batch *b, size_t e, thr_error *err);

#endif
