/* What thresh why has found in the logs: cmd_why.c reads it, why_print.c says it. */
#ifndef THR_CLI_WHY_H
#define THR_CLI_WHY_H

#include "cli.h"

#define WHY_NO_LABEL SIZE_MAX

/* Labels, or a regressor's number, kept. */
typedef struct why_word {
    char *text; /* n of them, each with its NUL, owned; NULL: a number, or nothing */
    size_t n;
    bool several;
    double number; /* NaN: texts, or nothing */
} why_word;

typedef struct why_move {
    size_t feature, rule, label, against; /* by number; features as asked for */
    uint64_t example, line;
    char *file, *tag; /* owned; NULL: none */
    why_word truth, prediction;
    int pushed;
    double by, sum; /* NaN: kept, without weights */
    size_t place;   /* in the order they came */
} why_move;

typedef struct why_inquiry {
    const cli_args *a;
    thr_model *m;
    char **feature; /* the names asked for */
    size_t features, rules, labels;
    size_t *number; /* in the model; SIZE_MAX: it does not know it */
    size_t top, only_label, only_rule;
    bool by_size;
    double *sum; /* [feature][rule][label] */
    why_move *moves;
    size_t n, room;
    uint64_t seen; /* examples, by the model */
    uint64_t last_example, lines, of_model;
} why_inquiry;

static inline double *why_sum(const why_inquiry *q, size_t feature, size_t rule, size_t label)
{
    return &q->sum[(feature * q->rules + rule) * q->labels + label];
}

/* Each feature asked for, by rule: its moves, and their sums beside the weights. */
int why_print(const why_inquiry *q);

#endif
