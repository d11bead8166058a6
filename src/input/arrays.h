/* Rows of the caller's arrays, sparse (CSR) or dense, and how they are appended to a batch. */
#ifndef THR_INPUT_ARRAYS_H
#define THR_INPUT_ARRAYS_H

#include "step/step.h"

struct thr_row_form;

/* A view of arrays that have been checked: every offset, column, value, label and weight of its
 * rows is good. It borrows the struct that the caller passed, and with it the arrays. */
typedef struct thr_rows {
    const struct thr_row_form *form;
    const void *arrays; /* the thr_csr or thr_dense */
    const thr_row_data *about;
    size_t n;      /* rows */
    size_t stride; /* of dense rows, in values */
} thr_rows;

/* Each checks all of the arrays. An error names the row. */
int thr_rows_sparse(const thr_csr *c, thr_rows *out, thr_error *err);
int thr_rows_dense(const thr_dense *d, thr_rows *out, thr_error *err);
/* THR_EDATA, naming the row, unless every row has a label. */
int thr_rows_labelled(const thr_rows *r, thr_error *err);
/* Appends rows to b, with the features that m's settings say, from row *from on until b has
 * `features` of them or more, or `rows` examples, but one row at least. *from becomes the first row
 * that was not appended. If memory runs out, the batch has failed and cannot be used. */
int thr_rows_append(const thr_rows *r, size_t *from, size_t features, size_t rows, thr_batch *b,
                    const thr_model *m, thr_error *err);

#endif
