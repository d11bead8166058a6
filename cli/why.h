/* What thresh why found in the logs: cmd_why.c reads them, why_print.c prints the result. */
#ifndef THR_CLI_WHY_H
#define THR_CLI_WHY_H

#include "cli.h"

#define WHY_NO_LABEL SIZE_MAX

/* A copy of cli_logged_word: labels, or the number of a regressor. */
typedef struct why_word {
    char *text; /* n labels, each with its NUL, in one buffer, owned; NULL: a number, or none */
    size_t n;
    bool several;
    double number; /* NaN: labels, or none */
} why_word;

typedef struct why_move {
    size_t feature, rule, label,
        against; /* numbers; `feature` is the place among those asked for */
    uint64_t example, line;
    char *file, *tag; /* owned; NULL: unknown, no tag */
    why_word truth, prediction;
    int pushed;
    double by, sum; /* the change and the sum so far; NaN: the rule has no weights */
    size_t place;   /* in the order of the logs */
} why_move;

typedef struct why_inquiry {
    const cli_args *a;
    thr_model *m;
    char **feature; /* the names asked for */
    size_t features, rules, labels;
    size_t *number; /* of each feature in the model; SIZE_MAX: the model does not have it */
    size_t top, only_label, only_rule; /* WHY_NO_LABEL, SIZE_MAX: all */
    bool by_size;
    double *sum; /* [feature][rule][label] */
    why_move *moves;
    size_t n, room;
    uint64_t seen;                          /* examples the model has learned from */
    uint64_t last_example, lines, of_model; /* of_model: lines about a rule that the model has */
} why_inquiry;

static inline double *why_sum(const why_inquiry *q, size_t feature, size_t rule, size_t label)
{
    return &q->sum[(feature * q->rules + rule) * q->labels + label];
}

/* Prints for each feature and rule its moves, and their sums beside the weights. Sorts q->moves. */
int why_print(const why_inquiry *q);

#endif
