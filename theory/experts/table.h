/* The head of a table of experts: the separator, the names of the columns, and the role of each. */
#ifndef THR_EXPERTS_TABLE_H
#define THR_EXPERTS_TABLE_H

#include "experts/experts.h"

#include "thresh_theory.h"

/* What determines how the head is read. Borrowed. */
typedef struct thr_experts_table_settings {
    const thr_experts_columns *columns;
    const thr_loss *loss;
} thr_experts_table_settings;

/* The number of bytes that are looked at to decide whether the first line holds names. It is fixed,
 * so that the decision does not depend on the sizes of the pieces in which a file is read. */
#define THR_EXPERTS_PROBE ((size_t)1 << 16)

#define THR_TRUTH   (SIZE_MAX - 1)
#define THR_NO_ROLE SIZE_MAX

typedef struct thr_experts_table {
    char separator;
    size_t columns;
    size_t *role;      /* of each column: the number of an expert, THR_TRUTH or THR_NO_ROLE */
    const char **name; /* of each column; its number as text if there is no line of names */
    bool named;        /* the first line holds names */
    size_t experts;
    const char **expert; /* names of the experts */
    thr_arena arena;     /* holds the names */
} thr_experts_table;

/* Reads the head from the first n bytes of a file. Returns the length of the line of names, 0 if
 * there is no such line, or a negative code. If it returns 0 and does not set *out, more bytes are
 * needed. The caller frees *out. */
long thr_experts_table_read(const thr_experts_table_settings *s, const char *p, size_t n,
                            bool at_end, thr_experts_table **out, thr_error *err);
void thr_experts_table_free(thr_experts_table *t);

#endif
