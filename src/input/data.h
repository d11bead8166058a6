/* The public data in memory, inside. */
#ifndef THR_INPUT_DATA_H
#define THR_INPUT_DATA_H

#include "base/error.h"
#include "input/corpus.h"

struct thr_data {
    thr_corpus kept;
    thr_arena files; /* the names of the files, which outlive the input */
};

#endif
