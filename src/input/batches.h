/* What filling a batch shares with using one. */
#ifndef THR_INPUT_BATCHES_H
#define THR_INPUT_BATCHES_H

#include "example/batch.h"

/* A copy of the caller's text, which lives as long as the batch. */
thr_str thr_batch_keep(thr_batch *b, const char *text, size_t n);
/* A label as the format of the batch reads it: a number is written in one way only. */
thr_str thr_batch_label_as_read(thr_batch *b, const char *label);

#endif
