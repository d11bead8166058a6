/* A ceiling on the number of features (the setting max-features). */
#ifndef THR_COMBINE_CEILING_H
#define THR_COMBINE_CEILING_H

#include "model/model.h"

/* THR_EDATA if an example alone has more features than are allowed. */
int thr_model_fits(const thr_model *m, const thr_batch *b, size_t e, thr_error *err);
/* Before example e of it is learned. Where there is a ceiling the names of this example are looked
 * up now, and other features make room for new ones; ids of earlier examples then mean nothing. */
int thr_model_make_room(thr_model *m, thr_batch *b, size_t e, thr_error *err);

#endif
