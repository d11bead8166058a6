/* Batches from the caller's arrays: sparse matrices in compressed row form (CSR) and dense
 * ones, with 32-bit or 64-bit entries. Column j is the feature with the name j.
 *
 *      CSR      row r has the entries offsets[r] to offsets[r + 1] - 1 of `columns` and `values`
 *      dense    row r has the values r * stride to r * stride + columns - 1; zeros are left out
 *
 * All of an array is checked before its first row is added, so a refused array leaves the batch
 * unchanged. If memory runs out in the middle, the batch has failed and cannot be used. */
#include "base/error.h"
#include "step/step.h"

#include <math.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------ */

/* `wide`: entries have 64 bits. */
static int64_t integer_at(const void *p, bool wide, size_t i)
{
    return wide ? ((const int64_t *)p)[i] : ((const int32_t *)p)[i];
}

static double real_at(const void *p, bool wide, size_t i)
{
    return wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static int missing(thr_error *err)
{
    return thr_fail(err, THR_EUSE, "the array is missing");
}

/* ---- checking ----------------------------------------------------------------------------- */

/* A double that overflows a float is refused too, since batches hold floats. */
static int check_value(double value, size_t row, int64_t column, thr_error *err)
{
    return isfinite((float)value)
               ? 0
               : thr_fail(err, THR_EDATA,
                          "row %zu, column %lld: the value %g is not a finite float", row,
                          (long long)column, value);
}

static int check_about(const thr_row_data *about, size_t rows, thr_error *err)
{
    if (THR_CHECK_RESERVED(thr_row_data, about, err))
        return THR_EUSE;
    if (about->labels && about->label_names)
        return thr_fail(err, THR_EUSE, "labels are numbers or names, not both");
    for (size_t r = 0; r < rows; r++) {
        if (about->labels && !isfinite(about->labels[r]))
            return thr_fail(err, THR_EDATA, "row %zu: the label %g is not finite", r,
                            about->labels[r]);
        if (about->weights && !(isfinite(about->weights[r]) && about->weights[r] >= 0))
            return thr_fail(err, THR_EDATA, "row %zu: the weight %g is negative or not finite", r,
                            (double)about->weights[r]);
    }
    return 0;
}

static int check_row(const thr_csr *c, size_t row, size_t from, size_t to, thr_error *err)
{
    int code = 0;
    for (size_t i = from; i < to && code == 0; i++) {
        int64_t column = integer_at(c->columns, c->wide_columns, i);
        if (column < 0)
            code = thr_fail(err, THR_EDATA, "row %zu: the column %lld is negative", row,
                            (long long)column);
        else if (c->values)
            code = check_value(real_at(c->values, c->wide_values, i), row, column, err);
    }
    return code;
}

/* Offsets must not decrease, and must stay within the entries: every access below is then in
 * bounds. rows + 1 must not overflow. */
static int check_csr(const thr_csr *c, thr_error *err)
{
    if (c->rows == SIZE_MAX || (c->rows && !c->offsets) || (c->nonzeros && !c->columns))
        return thr_fail(err, THR_EUSE, "offsets, or columns, are missing");
    int64_t before = c->rows ? integer_at(c->offsets, c->wide_offsets, 0) : 0;
    if (before < 0 || (uint64_t)before > c->nonzeros)
        return thr_fail(err, THR_EUSE, "row 0: the offset %lld is not among the %zu entries",
                        (long long)before, c->nonzeros);
    for (size_t r = 0; r < c->rows; r++) {
        int64_t end = integer_at(c->offsets, c->wide_offsets, r + 1);
        if (end < before)
            return thr_fail(err, THR_EUSE,
                            "row %zu: the offset of its end, %lld, is below that of its start, "
                            "%lld",
                            r, (long long)end, (long long)before);
        if ((uint64_t)end > c->nonzeros)
            return thr_fail(err, THR_EUSE,
                            "row %zu: the offset of its end, %lld, is beyond the %zu entries", r,
                            (long long)end, c->nonzeros);
        int code = check_row(c, r, (size_t)before, (size_t)end, err);
        if (code)
            return code;
        before = end;
    }
    return 0;
}

/* `stride` is counted in values. rows * stride * width must not overflow. */
static int check_dense(const thr_dense *d, size_t stride, thr_error *err)
{
    size_t width = d->wide_values ? sizeof(double) : sizeof(float);
    if (d->rows && d->columns && !d->values)
        return thr_fail(err, THR_EUSE, "the values are missing");
    if (stride < d->columns)
        return thr_fail(err, THR_EUSE, "a row of %zu columns is longer than the stride of %zu",
                        d->columns, stride);
    if (stride && d->rows > SIZE_MAX / width / stride)
        return thr_fail(err, THR_EUSE, "%zu rows of %zu values are more than memory can hold",
                        d->rows, stride);
    int code = 0;
    for (size_t r = 0; r < d->rows; r++)
        for (size_t i = 0; i < d->columns && code == 0; i++)
            code =
                check_value(real_at(d->values, d->wide_values, r * stride + i), r, (int64_t)i, err);
    return code;
}

/* ---- adding ------------------------------------------------------------------------------- */

static void begin_row(thr_batch *b, const thr_row_data *about, size_t r)
{
    thr_batch_begin(b);
    if (about->labels)
        thr_batch_label_number(b, about->labels[r]);
    else if (about->label_names && about->label_names[r])
        thr_batch_set_label(b, about->label_names[r]);
    if (about->weights)
        thr_batch_set_importance(b, about->weights[r]);
}

static int begin_arrays(thr_batch *b, const thr_model *m, thr_error *err)
{
    if (b->is_open)
        return thr_fail(err, THR_EUSE, "the last example of the batch has not been ended");
    thr_batch_made_for(b, m);
    return 0;
}

int thr_batch_csr(thr_batch *b, const thr_model *m, const thr_csr *c, thr_error *err)
{
    int code = c ? THR_CHECK_RESERVED(thr_csr, c, err) : missing(err);
    if (code == 0)
        code = check_csr(c, err);
    if (code == 0)
        code = check_about(&c->about, c->rows, err);
    if (code == 0)
        code = begin_arrays(b, m, err);
    thr_feature_scratch s = {0};
    for (size_t r = 0; code == 0 && r < c->rows; r++) {
        size_t i = (size_t)integer_at(c->offsets, c->wide_offsets, r);
        size_t end = (size_t)integer_at(c->offsets, c->wide_offsets, r + 1);
        begin_row(b, &c->about, r);
        for (; i < end; i++)
            thr_batch_integer(b, 0, (uint64_t)integer_at(c->columns, c->wide_columns, i),
                              c->values ? (float)real_at(c->values, c->wide_values, i) : 1);
        thr_features_finish(thr_model_features_of(m), &s, b);
        code = b->failed ? thr_fail_memory(err) : 0;
    }
    thr_feature_scratch_clear(&s);
    return code;
}

int thr_batch_dense(thr_batch *b, const thr_model *m, const thr_dense *d, thr_error *err)
{
    size_t stride = !d ? 0 : d->stride ? d->stride : d->columns;
    int code = d ? THR_CHECK_RESERVED(thr_dense, d, err) : missing(err);
    if (code == 0)
        code = check_dense(d, stride, err);
    if (code == 0)
        code = check_about(&d->about, d->rows, err);
    if (code == 0)
        code = begin_arrays(b, m, err);
    thr_feature_scratch s = {0};
    for (size_t r = 0; code == 0 && r < d->rows; r++) {
        begin_row(b, &d->about, r);
        for (size_t i = 0; i < d->columns; i++) {
            float value = (float)real_at(d->values, d->wide_values, r * stride + i);
            if (value != 0)
                thr_batch_integer(b, 0, i, value);
        }
        thr_features_finish(thr_model_features_of(m), &s, b);
        code = b->failed ? thr_fail_memory(err) : 0;
    }
    thr_feature_scratch_clear(&s);
    return code;
}
