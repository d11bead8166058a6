/* Plays rounds of experts from tables in files: each record is a round. Bytes arrive in pieces of
 * any size and are collected until they hold whole records. */
#include "base/error.h"
#include "base/number.h"
#include "base/rfc4180.h"
#include "experts/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    thr_experts_table_settings settings;
    const thr_experts_options *options;
    thr_experts_fn *fn;
    void *user;
    thr_error *err;
    const char *file, *first; /* names of the current and of the first file */
    size_t max_line;
    thr_bytes rest;              /* bytes that have arrived and are not yet consumed */
    thr_experts_table *table;    /* head of the current file; NULL: not yet read */
    thr_experts *experts;        /* created when the first head is known */
    const char *record;          /* the current record, in `rest` */
    uint64_t lines;              /* lines of the file before the current record */
    thr_arena arena;             /* labels of the current record that had to be copied */
    thr_str *label, truth;       /* predictions and truth as labels, in `rest` or `arena` */
    double *number, true_number; /* ... or as numbers; NAN: the expert is silent */
} reader;

/* Fails with THR_EDATA at byte `at` of the current record, which may span several lines. */
static int bad(const reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int bad(const reader *r, const char *at, const char *format, ...)
{
    char text[512];
    uint64_t line = r->lines + 1;
    const char *start = r->record, *newline;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    while ((newline = memchr(start, '\n', (size_t)(at - start)))) {
        start = newline + 1;
        line++;
    }
    thr_fail(r->err, THR_EDATA, "%s", text);
    return thr_fail_at(r->err, r->file, line, (uint64_t)(at - start) + 1);
}

/* ---- cells -------------------------------------------------------------------------------- */

/* Reads a label. Numbers are normalised, so that `1`, `+1` and `1.0` are the same label, unless
 * they are quoted. */
static int read_label(reader *r, const thr_csv_field *f, thr_str *out)
{
    double v;
    const char *stop, *end = f->at + f->n;
    enum thr_number got = thr_parse_double(f->at, end, &stop, &v);
    bool number = f->n && !f->quoted && got != THR_NUMBER_NONE && stop == end;
    *out = (thr_str){f->at, f->n};
    if (number && got != THR_NUMBER_OK)
        return bad(r, f->at, "label \"%s\" %s", thr_quote(*out).text, thr_number_problem(got));
    if (!number && !f->doubled)
        return 0;
    char *copy = thr_arena_take(&r->arena, number ? 32 : f->n);
    if (!copy)
        return thr_fail_memory(r->err);
    *out = (thr_str){copy,
                     number ? thr_print_double(v == 0 ? 0 : v, copy) : thr_csv_undouble(f, copy)};
    return 0;
}

static int read_number(reader *r, const thr_csv_field *f, double *out)
{
    const char *stop = f->at, *end = f->at + f->n;
    thr_str text = {f->at, f->n};
    *out = NAN;
    if (f->n == 0)
        return 0;
    enum thr_number got = thr_parse_double(f->at, end, &stop, out);
    if (got == THR_NUMBER_OK && stop != end)
        got = THR_NUMBER_NONE;
    if (got != THR_NUMBER_OK)
        return bad(r, f->at, "\"%s\" %s", thr_quote(text).text, thr_number_problem(got));
    if (!(*out >= 0 && *out <= 1))
        return bad(r, f->at, "\"%s\" does not lie between 0 and 1", thr_quote(text).text);
    return 0;
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* Reads the truth and the predictions of a record, as labels or as numbers. */
static int read_cells(reader *r, const char *at, const char *end)
{
    const thr_experts_table *t = r->table;
    thr_csv_cursor c = {at, end, t->separator};
    bool labels = r->settings.loss->form[THR_VOTE];
    size_t i = 0;
    for (thr_csv_field f; thr_csv_next(&c, &f); i++) {
        if (f.wrong)
            return bad(r, f.at, "%s", f.wrong);
        if (i == t->columns)
            return bad(r, f.at, "too many fields: the first line has %zu", t->columns);
        size_t role = t->role[i];
        bool truth = role == THR_TRUTH;
        if (role == THR_NO_ROLE)
            continue;
        if (truth && f.n == 0)
            return bad(r, f.at, "the truth is empty");
        int code = labels ? read_label(r, &f, truth ? &r->truth : &r->label[role])
                          : read_number(r, &f, truth ? &r->true_number : &r->number[role]);
        if (code)
            return code;
    }
    return i == t->columns ? 0
                           : bad(r, end, "%zu field%s, but the first line has %zu", i,
                                 i == 1 ? "" : "s", t->columns);
}

/* Reads a record, plays its round and calls fn. */
static int read_round(reader *r, const char *at, const char *end)
{
    thr_experts *e = r->experts;
    const char *nul = memchr(at, '\0', (size_t)(end - at));
    if (nul)
        return bad(r, nul, "NUL byte: this is not a text file");
    if ((size_t)(end - at) > r->max_line)
        return bad(r, at, "a line is longer than %zu bytes (see --max-line)", r->max_line);
    thr_arena_reset(&r->arena);
    int code = read_cells(r, at, end);
    if (code)
        return code;
    if (e->loss->form[THR_VOTE]) {
        thr_experts_hear(e, r->label);
        thr_experts_learn(e, r->truth);
    } else if (e->loss->of) {
        code = thr_experts_hear_numbers(e, r->number, r->err);
        code = code ? code : thr_experts_learn_number(e, r->true_number, r->err);
    } else
        code = thr_experts_learn_losses(e, r->number, r->err);
    return code == 0 && r->fn ? r->fn(r->user, e) : code;
}

static uint64_t count_lines(const char *at, const char *end)
{
    uint64_t lines = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        lines++;
    }
    return lines;
}

/* Plays the records from `at` to `end`. Empty lines are skipped. */
static int read_records(reader *r, const char *at, const char *end)
{
    int code = 0;
    for (const char *next; at < end && code >= 0; at = next) {
        next = thr_csv_record_end(at, end);
        r->record = at;
        const char *stop = thr_without_line_end(at, next);
        code = stop > at ? read_round(r, at, stop) : 0;
        r->lines += count_lines(at, next);
    }
    return code < 0 ? code : 0;
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Checks that a further file has the same experts in the same order. */
static int check_same_experts(reader *r)
{
    const thr_experts_table *t = r->table;
    size_t i = 0;
    while (i < t->experts && i < r->experts->n && strcmp(t->expert[i], r->experts->name[i]) == 0)
        i++;
    if (i == t->experts && i == r->experts->n)
        return 0;
    thr_fail(r->err, THR_EDATA, "other experts than in the file before: %s \"%s\"",
             i < t->experts ? "here is" : "there was",
             thr_quote(thr_str_of(i < t->experts ? t->expert[i] : r->experts->name[i])).text);
    return thr_fail_at(r->err, r->file, 1, 0);
}

/* Reads the head once enough bytes have arrived; the first head creates the experts. *used is the
 * length of the line of names. */
static int read_head(reader *r, bool at_end, size_t *used)
{
    *used = 0;
    if (r->table || (r->rest.n == 0 && at_end))
        return 0;
    long n = thr_experts_table_read(&r->settings, r->rest.p, r->rest.n, at_end, &r->table, r->err);
    const thr_experts_table *t = r->table;
    if (n < 0)
        return thr_fail_at(r->err, r->file, r->err->line ? r->err->line : 1, r->err->column);
    if (!t)
        return 0;
    *used = (size_t)n;
    r->lines = count_lines(r->rest.p, r->rest.p + n);
    if (r->experts)
        return check_same_experts(r);
    r->experts = thr_experts_new(t->experts, t->expert, r->options, r->err);
    if (!r->experts)
        return r->err->code;
    r->label = calloc(t->experts, sizeof *r->label);
    r->number = calloc(t->experts, sizeof *r->number);
    return r->label && r->number ? 0 : thr_fail_memory(r->err);
}

/* Plays all whole records that have arrived, or everything at the end of the file, and keeps the
 * rest. */
static int read_rest(reader *r, bool at_end)
{
    size_t used;
    thr_bytes *b = &r->rest;
    if (!r->table && b->n >= 3 && memcmp(b->p, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        b->n -= 3;
        memmove(b->p, b->p + 3, b->n);
    }
    int code = read_head(r, at_end, &used);
    size_t whole = at_end || code < 0 ? b->n : thr_csv_cut(b->p, b->n);
    if (code == 0 && r->table && whole > used) {
        code = read_records(r, b->p + used, b->p + whole);
        used = whole;
    }
    b->n -= used;
    memmove(b->p, b->p + used, b->n);
    /* Until the head is read, up to THR_EXPERTS_PROBE bytes are collected whatever the limit is. */
    bool long_line = b->n > r->max_line && (r->table || b->n > THR_EXPERTS_PROBE);
    if (code < 0 || !long_line)
        return code < 0 ? code : 0;
    thr_fail(r->err, THR_EDATA, "a line is longer than %zu bytes (see --max-line)", r->max_line);
    return thr_fail_at(r->err, r->file, r->lines + 1, 0);
}

static int take_piece(void *user, const thr_piece *p)
{
    reader *r = user;
    r->file = p->file;
    r->first = r->first ? r->first : p->file;
    if (!thr_bytes_add(&r->rest, p->bytes, p->size))
        return thr_fail_memory(r->err);
    int code = read_rest(r, p->last);
    if (p->last) {
        thr_experts_table_free(r->table);
        r->table = NULL;
        r->lines = 0;
    }
    return code;
}

static int read_all(reader *r, const thr_input *in)
{
    int code = thr_input_pieces(in, take_piece, r, r->err);
    if (code || (r->experts && r->experts->rounds))
        return code;
    thr_fail(r->err, THR_EDATA,
             "there is no round (a single line is taken for names: see --header)");
    return r->first ? thr_fail_at(r->err, r->first, 0, 0) : THR_EDATA;
}

thr_experts *thr_experts_read(const thr_input *in, const thr_experts_columns *c,
                              const thr_experts_options *o, thr_experts_fn *fn, void *user,
                              thr_error *err)
{
    static const thr_experts_columns any = {0};
    thr_error local = {0};
    thr_experts_options defaults;
    thr_experts_defaults(&defaults);
    reader r = {.fn = fn,
                .user = user,
                .err = err ? err : &local,
                .options = o ? o : &defaults,
                .settings.columns = c ? c : &any,
                .max_line = thr_input_max_line(in)};
    if (THR_CHECK_RESERVED(thr_experts_columns, r.settings.columns, r.err))
        return NULL;
    r.settings.loss = thr_loss_find(r.options->loss, r.err);
    if (!r.settings.loss)
        return NULL;
    int code = read_all(&r, in);
    thr_experts_table_free(r.table);
    thr_bytes_clear(&r.rest);
    thr_arena_clear(&r.arena);
    free(r.label);
    free(r.number);
    if (code == 0)
        return r.experts;
    thr_experts_free(r.experts);
    return NULL;
}
