/* Batches that a caller of the library fills: what other files need of batches.c. */
#ifndef THR_INPUT_BATCHES_H
#define THR_INPUT_BATCHES_H

#include "example/batch.h"
#include "format/format.h"

/* A copy of the caller's text in the arena of the batch, valid until its next reset. Empty, and
 * b->failed set, if memory runs out. */
thr_str thr_batch_keep(thr_batch *b, const char *text, size_t n);
/* Reads one line, without its line end, as one example made for m. `header` as in thr_parser,
 * `max_active` as in thr_feature_scratch. */
int thr_batch_parse_line(thr_batch *b, const thr_model *m, const thr_format *f,
                         const thr_reader_settings *s, const void *header, size_t max_active,
                         thr_str line, thr_error *err);
/* A label as the format that the batch was parsed by would read it: if that format has numeric
 * labels, `+1` and `1.0` become `1`. In the arena of the batch. */
thr_str thr_batch_label_as_read(thr_batch *b, const char *label);

#endif
