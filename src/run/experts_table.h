/* The head of a table of experts: separator, names of columns, and which column is what. */
#ifndef THR_RUN_EXPERTS_TABLE_H
#define THR_RUN_EXPERTS_TABLE_H

#include "format/format.h"
#include "theory/experts.h"

/* What thr_blocks hands to the head; `reader` must be first. */
typedef struct thr_table_settings {
    thr_reader_settings reader;
    const thr_experts_columns *columns;
    const thr_loss *loss;
} thr_table_settings;

#define THR_TRUTH   (SIZE_MAX - 1)
#define THR_NO_ROLE SIZE_MAX

typedef struct thr_table {
    char separator;
    size_t columns;
    size_t *role;      /* of each column: an expert's number, THR_TRUTH or THR_NO_ROLE */
    const char **name; /* of each column; the number, where there is no line of names */
    bool named;
    size_t experts;
    const char **expert; /* their names */
    thr_arena arena;     /* of names */
} thr_table;

/* Not in the table of formats: it makes no examples. Its header is a thr_table. */
extern const thr_format thr_format_experts;

#endif
