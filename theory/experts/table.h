/* The head of a table of experts: separator, names of columns, and which column is what. */
#ifndef THR_EXPERTS_TABLE_H
#define THR_EXPERTS_TABLE_H

#include "experts/experts.h"

#include "thresh_theory.h"

/* What decides how the head is read. */
typedef struct thr_experts_table_settings {
    const thr_experts_columns *columns;
    const thr_loss *loss;
} thr_experts_table_settings;

/* Only so much is looked at to tell names from data, however the bytes arrive. */
#define THR_EXPERTS_PROBE ((size_t)1 << 16)

#define THR_TRUTH   (SIZE_MAX - 1)
#define THR_NO_ROLE SIZE_MAX

typedef struct thr_experts_table {
    char separator;
    size_t columns;
    size_t *role;      /* of each column: an expert's number, THR_TRUTH or THR_NO_ROLE */
    const char **name; /* of each column; the number, where there is no line of names */
    bool named;
    size_t experts;
    const char **expert; /* their names */
    thr_arena arena;     /* of names */
} thr_experts_table;

/* Reads the head from the first n bytes of a file and returns how many bytes it takes: the line of
 * names, or nothing. 0 without a table: more bytes are needed. Negative: a code. */
long thr_experts_table_read(const thr_experts_table_settings *s, const char *p, size_t n,
                            bool at_end, thr_experts_table **out, thr_error *err);
void thr_experts_table_free(thr_experts_table *t);

#endif
