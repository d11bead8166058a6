/* Which labels a model takes for which: the confusion matrix if it fits the terminal, else the
 * pairs that are confused most. */
#include "cli.h"

#include <stdlib.h>

#define NARROW     80 /* columns of a line, if standard output is not a terminal */
#define CELL       7  /* columns of a count, with the blank before it */
#define MOST_PAIRS 20

typedef struct pair {
    size_t truth, answer;
    uint64_t count;
} pair;

/* Columns are headed by the number of the label, which is printed before the name of each row. */
static void print_table(const thr_metrics *t, int width, FILE *to)
{
    size_t n = thr_metrics_labels(t);
    fprintf(to, "\nconfusion: rows are the truth, columns the prediction\n%*s", width + 5, "");
    for (size_t k = 0; k < n; k++)
        fprintf(to, " %6zu", k + 1);
    fputc('\n', to);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "%3zu  %-*.*s", i + 1, width, width, cli_shown(thr_metrics_label(t, i)));
        for (size_t k = 0; k < n; k++)
            fprintf(to, " %6llu", (unsigned long long)thr_metrics_count(t, i, k));
        fputc('\n', to);
    }
}

/* Inserts into the list of the most frequent pairs, the most frequent first. Of equally frequent
 * pairs the one met first comes first. Returns how many there are then. */
static size_t rank(pair list[MOST_PAIRS], size_t n, pair new)
{
    size_t place = n;
    while (place > 0 && list[place - 1].count < new.count)
        place--;
    if (place == MOST_PAIRS)
        return n;
    n += n < MOST_PAIRS;
    for (size_t i = n - 1; i > place; i--)
        list[i] = list[i - 1];
    list[place] = new;
    return n;
}

static void print_pairs(const thr_metrics *t, int width, FILE *to)
{
    size_t labels = thr_metrics_labels(t), n = 0, all = 0;
    pair list[MOST_PAIRS];
    for (size_t i = 0; i < labels; i++)
        for (size_t k = 0; k < labels; k++) {
            uint64_t count = i == k ? 0 : thr_metrics_count(t, i, k);
            if (count)
                n = rank(list, n, (pair){i, k, count});
            all += count > 0;
        }
    if (n == 0) {
        fputs("\nconfusion: no label is taken for another\n", to);
        return;
    }
    fprintf(to, "\nconfusion: %zu of %zu pairs of labels, the most frequent first (all: --json)\n",
            n, all);
    fprintf(to, "examples  %-*s  predicted as\n", width, "truth");
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%8llu  %-*.*s  %.*s\n", (unsigned long long)list[i].count, width, width,
                cli_shown(thr_metrics_label(t, list[i].truth)), width,
                cli_shown(thr_metrics_label(t, list[i].answer)));
}

void cli_print_confusion(const thr_metrics *t, int name_width, FILE *to)
{
    size_t table = (size_t)name_width + 5 + CELL * thr_metrics_labels(t);
    (table <= cli_line_width(NARROW) ? print_table : print_pairs)(t, name_width, to);
}
