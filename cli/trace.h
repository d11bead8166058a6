/* thresh trace: steps of training, copied so that the table can be laid out when all are known. */
#ifndef THR_CLI_TRACE_H
#define THR_CLI_TRACE_H

#include "cli.h"

typedef struct trace_step {
    thr_trace_step s; /* strings, features, values and weights are owned copies; file, tag and
                       * moves are NULL */
    char *example;    /* the features in one line, owned */
    char *steps;      /* the steps in one line, owned */
} trace_step;

typedef struct trace_book {
    const cli_args *a;
    const thr_model *m;
    trace_step *step;
    size_t n, room;
    bool all_weights; /* --all-weights: show features that the example does not have, too */
    size_t width;     /* columns of a line */
} trace_book;

/* trace_table.c. Prints the steps for people. */
int trace_table(const trace_book *b);
/* A number as text: whole numbers in full, others with four digits, "" for NaN. */
const char *trace_number(double value, char out[32]);
/* The name of a feature, to be freed; NULL: out of memory. */
char *trace_feature(const thr_model *m, size_t feature);

#endif
