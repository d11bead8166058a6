/* thresh trace: steps of training, copied so that they can be laid out when all are known. */
#ifndef THR_CLI_TRACE_H
#define THR_CLI_TRACE_H

#include "cli.h"

typedef struct trace_step {
    thr_trace_step s; /* its texts, features, values and weights are this one's own; no moves */
    char *example;    /* its features in one line */
    char *steps;      /* how far what moved, in one line */
} trace_step;

typedef struct trace_book {
    const cli_args *a;
    const thr_model *m;
    trace_step *step;
    size_t n, room;
    bool all_weights; /* shown in every step, also those it does not touch */
    size_t width;     /* of a line */
} trace_book;

/* trace_table.c */
int trace_table(const trace_book *b);
/* A number as a person writes it: whole ones as they are, others with four digits. */
const char *trace_number(double value, char out[32]);
/* A feature's name, to be freed; NULL: out of memory. */
char *trace_feature(const thr_model *m, size_t feature);

#endif
