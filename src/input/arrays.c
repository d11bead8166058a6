/* Examples from the caller's arrays: sparse matrices in compressed row form (CSR) and dense ones,
 * with 32-bit or 64-bit entries. Column j is the feature with the name j.
 *
 *      CSR      row r has the entries offsets[r] to offsets[r + 1] - 1 of `columns` and `values`
 *      dense    row r has the values r * stride to r * stride + columns - 1; zeros are left out
 *
 * All of an array is checked before its first row is used, so a refused array changes nothing. The
 * checks of entries look for anything bad without saying what, in loops that the compiler
 * vectorises; only an array that has something bad is then searched, row by row, for what to say.
 *
 * The columns of a row become keys in one loop and its values floats in another. A row with a
 * column from 2^24 on goes entry by entry through thr_batch_integer, the plain version of both. */
#include "input/arrays.h"

#include "base/error.h"
#include "base/random.h"
#include "base/wide.h"

#include <math.h>
#include <string.h>

#define AHEAD 4096 /* bytes between prefetch and use of an array */

/* How rows of one form are appended to the open example of a batch. */
typedef struct thr_row_form {
    void (*add)(const thr_rows *r, size_t row, thr_batch *b);
} thr_row_form;

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

/* Entries from..from + n as keys of small integers. Returns the columns or-ed together: at least
 * THR_SMALL if one of them is. *rising: each is greater than the one before it. */
THR_CLONED static uint64_t take_columns(const void *columns, bool wide, size_t from, size_t n,
                                        uint64_t *key, bool *rising)
{
    const int32_t *narrow = wide ? NULL : (const int32_t *)columns + from;
    uint64_t all = 0, rises = UINT64_MAX;
    uint32_t falls = 0;
    if (wide)
        for (size_t i = 0; i < n; i++)
            all |= key[i] = (uint64_t)((const int64_t *)columns)[from + i];
    for (size_t i = 1; i < n && wide; i++)
        rises &= key[i - 1] - key[i]; /* both are below 2^63: the top bit tells which is greater */
    for (size_t i = 0; i < n && !wide; i++)
        all |= key[i] = (uint32_t)narrow[i];
    for (size_t i = 1; i < n && !wide; i++)
        falls |= (uint32_t)(narrow[i - 1] >= narrow[i]);
    *rising = rises >> 63 && !falls;
    return all;
}

/* Returns whether a value is 0. */
THR_CLONED static bool take_values(const void *values, bool wide, size_t from, size_t n, float *to)
{
    uint32_t zeros = 0;
    for (size_t i = 0; i < n && !values; i++)
        to[i] = 1;
    for (size_t i = 0; i < n && values && wide; i++) {
        to[i] = (float)((const double *)values)[from + i];
        zeros |= (uint32_t)(to[i] == 0);
    }
    for (size_t i = 0; i < n && values && !wide; i++) {
        to[i] = ((const float *)values)[from + i];
        zeros |= (uint32_t)(to[i] == 0);
    }
    return zeros;
}

/* Prefetches what lies AHEAD bytes behind n entries. Portions of an array are read with learning in
 * between, and each is too short for the processor to run far ahead by itself. Prefetching any
 * address is harmless. */
static void expect(const void *entries, bool wide, size_t from, size_t n)
{
    size_t size = wide ? 8 : 4;
    uintptr_t at = (uintptr_t)entries + from * size + AHEAD;
    for (size_t i = 0; entries && i < n * size; i += 64)
        __builtin_prefetch((const void *)(at + i));
}

/* ---- checking ----------------------------------------------------------------------------- */

static int missing(thr_error *err)
{
    return thr_fail(err, THR_EUSE, "the array is missing");
}

/* Whether a column is negative. */
THR_CLONED static bool any_negative(const void *columns, bool wide, size_t from, size_t n)
{
    int64_t all = 0;
    int32_t all32 = 0;
    if (wide)
        for (size_t i = 0; i < n; i++)
            all |= ((const int64_t *)columns)[from + i];
    else
        for (size_t i = 0; i < n; i++)
            all32 |= ((const int32_t *)columns)[from + i];
    return all < 0 || all32 < 0;
}

/* Whether a value is not finite, or not as a float: batches hold floats. v - v is 0 for the finite
 * ones alone. */
THR_CLONED static bool any_strange(const void *values, bool wide, size_t from, size_t n)
{
    unsigned strange = 0;
    for (size_t i = 0; i < n && wide; i++) {
        float v = (float)((const double *)values)[from + i];
        strange |= !(v - v == 0);
    }
    for (size_t i = 0; i < n && !wide; i++) {
        float v = ((const float *)values)[from + i];
        strange |= !(v - v == 0);
    }
    return strange;
}

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

/* Says what is wrong with the first bad entry of a row. */
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

/* The offsets have been checked, so the entries of the rows are adjacent. */
static int check_entries(const thr_csr *c, thr_error *err)
{
    size_t from = c->rows ? (size_t)integer_at(c->offsets, c->wide_offsets, 0) : 0;
    size_t to = c->rows ? (size_t)integer_at(c->offsets, c->wide_offsets, c->rows) : 0;
    int code = 0;
    if (!any_negative(c->columns, c->wide_columns, from, to - from) &&
        !(c->values && any_strange(c->values, c->wide_values, from, to - from)))
        return 0;
    for (size_t r = 0; r < c->rows && code == 0; r++, from = to) {
        to = (size_t)integer_at(c->offsets, c->wide_offsets, r + 1);
        code = check_row(c, r, from, to, err);
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
        before = end;
    }
    return check_entries(c, err);
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
    for (size_t r = 0; d->columns && r < d->rows; r++) {
        if (!any_strange(d->values, d->wide_values, r * stride, d->columns))
            continue;
        for (size_t i = 0; i < d->columns && code == 0; i++)
            code =
                check_value(real_at(d->values, d->wide_values, r * stride + i), r, (int64_t)i, err);
        return code;
    }
    return 0;
}

/* ---- adding ------------------------------------------------------------------------------- */

/* Entry by entry, for any column. */
static void add_integers(const thr_csr *c, size_t from, size_t to, thr_batch *b)
{
    for (size_t i = from; i < to; i++)
        thr_batch_integer(b, 0, (uint64_t)integer_at(c->columns, c->wide_columns, i),
                          c->values ? (float)real_at(c->values, c->wide_values, i) : 1);
}

static void add_sparse(const thr_rows *r, size_t row, thr_batch *b)
{
    const thr_csr *c = r->arrays;
    size_t from = (size_t)integer_at(c->offsets, c->wide_offsets, row);
    size_t to = (size_t)integer_at(c->offsets, c->wide_offsets, row + 1), n = to - from;
    if (n == 0 || !thr_batch_reserve(b, n))
        return;
    expect(c->columns, c->wide_columns, from, n);
    expect(c->values, c->wide_values, from, n);
    bool rising;
    uint64_t *key = b->key + b->n_features;
    if (take_columns(c->columns, c->wide_columns, from, n, key, &rising) >= THR_SMALL) {
        add_integers(c, from, to, b);
        return;
    }
    bool zeros = take_values(c->values, c->wide_values, from, n, b->value + b->n_features);
    thr_batch_commit(b, n);
    b->open_distinct = rising && !zeros;
}

/* Every value is stored, and the place moves on if it is not 0: no branch to mispredict. Columns
 * from 2^24 on go through thr_batch_integer. */
static void add_dense(const thr_rows *r, size_t row, thr_batch *b)
{
    const thr_dense *d = r->arrays;
    size_t from = row * r->stride, n = 0, small = d->columns < THR_SMALL ? d->columns : THR_SMALL;
    if (small == 0 || !thr_batch_reserve(b, small))
        return;
    uint64_t *key = b->key + b->n_features;
    float *value = b->value + b->n_features;
    for (size_t i = 0; i < small; i++) {
        key[n] = i;
        value[n] = (float)real_at(d->values, d->wide_values, from + i);
        n += value[n] != 0;
    }
    thr_batch_commit(b, n);
    for (size_t i = small; i < d->columns; i++) {
        float x = (float)real_at(d->values, d->wide_values, from + i);
        if (x != 0)
            thr_batch_integer(b, 0, i, x);
    }
}

static const thr_row_form sparse = {.add = add_sparse}, dense = {.add = add_dense};

/* Labels that are numbers, as they were last written out in the arena of the batch: most matrices
 * have few different ones, and to print a number takes longer than to learn a short row. A label's
 * place is a hash of its bits; a text that is NULL is free. */
#define SPELLED 64
typedef struct spelling {
    uint64_t bits;
    thr_str text;
} spelling;

static void number_label(thr_batch *b, double value, spelling *known)
{
    uint64_t bits;
    value = value == 0 ? 0 : value; /* -0 and 0 are the same label */
    memcpy(&bits, &value, sizeof bits);
    spelling *s = &known[thr_mix64(bits) % SPELLED];
    if (!s->text.p || s->bits != bits)
        *s = (spelling){bits, thr_batch_number_text(b, value)};
    if (!b->failed)
        thr_batch_label_read(b, s->text, value);
}

static void begin_row(thr_batch *b, const thr_row_data *about, size_t r, spelling *known)
{
    thr_batch_begin(b);
    if (about->labels)
        number_label(b, about->labels[r], known);
    else if (about->label_names && about->label_names[r])
        thr_batch_set_label(b, about->label_names[r]);
    if (about->weights)
        thr_batch_set_importance(b, about->weights[r]);
}

int thr_rows_append(const thr_rows *r, size_t *from, size_t features, size_t rows, thr_batch *b,
                    const thr_model *m, thr_error *err)
{
    spelling known[SPELLED] = {0};
    thr_feature_scratch s = {0};
    int code = 0;
    thr_batch_made_for(b, m);
    while (*from < r->n && code == 0) {
        begin_row(b, r->about, *from, known);
        r->form->add(r, *from, b);
        thr_features_finish(thr_model_features_of(m), &s, b);
        ++*from;
        code = b->failed ? thr_fail_memory(err) : 0;
        if (b->n_features >= features || b->n >= rows)
            break;
    }
    thr_feature_scratch_clear(&s);
    return code;
}

/* ---- the views ---------------------------------------------------------------------------- */

int thr_rows_sparse(const thr_csr *c, thr_rows *out, thr_error *err)
{
    int code = c ? THR_CHECK_RESERVED(thr_csr, c, err) : missing(err);
    if (code == 0)
        code = check_csr(c, err);
    if (code == 0)
        code = check_about(&c->about, c->rows, err);
    if (code == 0)
        *out = (thr_rows){.form = &sparse, .arrays = c, .about = &c->about, .n = c->rows};
    return code;
}

int thr_rows_dense(const thr_dense *d, thr_rows *out, thr_error *err)
{
    size_t stride = !d ? 0 : d->stride ? d->stride : d->columns;
    int code = d ? THR_CHECK_RESERVED(thr_dense, d, err) : missing(err);
    if (code == 0)
        code = check_dense(d, stride, err);
    if (code == 0)
        code = check_about(&d->about, d->rows, err);
    if (code == 0)
        *out = (thr_rows){
            .form = &dense, .arrays = d, .about = &d->about, .n = d->rows, .stride = stride};
    return code;
}

int thr_rows_labelled(const thr_rows *r, thr_error *err)
{
    const thr_row_data *about = r->about;
    for (size_t i = 0; i < r->n && !about->labels; i++)
        if (!about->label_names || !about->label_names[i])
            return thr_fail(err, THR_EDATA, "row %zu has no label", i);
    return 0;
}

/* ---- batches ------------------------------------------------------------------------------ */

static int append_all(int checked, const thr_rows *r, thr_batch *b, const thr_model *m,
                      thr_error *err)
{
    size_t from = 0;
    if (checked)
        return checked;
    if (b->is_open)
        return thr_fail(err, THR_EUSE, "the last example of the batch has not been ended");
    return thr_rows_append(r, &from, SIZE_MAX, SIZE_MAX, b, m, err);
}

int thr_batch_csr(thr_batch *b, const thr_model *m, const thr_csr *c, thr_error *err)
{
    thr_rows rows;
    return append_all(thr_rows_sparse(c, &rows, err), &rows, b, m, err);
}

int thr_batch_dense(thr_batch *b, const thr_model *m, const thr_dense *d, thr_error *err)
{
    thr_rows rows;
    return append_all(thr_rows_dense(d, &rows, err), &rows, b, m, err);
}
