/* How the head is recognised. Without an option the first line holds names if its words are
 * distinct, could be names, and do not occur in the lines that follow. */
#include "experts/table.h"

#include "base/number.h"
#include "base/rfc4180.h"

#include <stdlib.h>
#include <string.h>

void thr_experts_table_free(thr_experts_table *t)
{
    if (!t)
        return;
    free(t->role);
    free(t->name);
    free(t->expert);
    thr_arena_clear(&t->arena);
    free(t);
}

/* ---- names or data? ----------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    const thr_str *x = a, *y = b;
    int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* Whether a word occurs again below in its own column: then it is probably a label and not a
 * name. */
static bool come_back(const thr_str *word, size_t n, char separator, const char *at,
                      const char *limit)
{
    for (const char *next; (next = thr_csv_whole_record(at, limit)); at = next) {
        thr_csv_cursor c = {at, thr_without_line_end(at, next), separator};
        thr_csv_field f;
        for (size_t i = 0; i < n && thr_csv_next(&c, &f) && !f.wrong; i++)
            if (thr_str_eq((thr_str){f.at, f.n}, word[i]))
                return true;
    }
    return false;
}

static bool is_number(const char *p, size_t n)
{
    return n > 0 && strspn(p, "0123456789") >= n;
}

/* Whether the options refer to a column by name, which implies a line of names. */
static bool calls_by_name(const thr_experts_columns *c)
{
    if (c->truth && !is_number(c->truth, strlen(c->truth)))
        return true;
    for (const char *list = c->experts; list;
         list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (!is_number(list, strcspn(list, ",")))
            return true;
    return false;
}

/* Returns 1 if the first record holds names, 0 if it holds data, or THR_EMEM. The first record is
 * `at` to `end`; the second begins at `next`. A name is not empty, and not a number if the data is
 * numbers. If the data is labels, which may be numbers, at least one name must not be. */
static int judge_first_line(const thr_experts_table *t, const thr_experts_table_settings *s,
                            const char *at, const char *end, const char *next, const char *limit)
{
    if (s->columns->header != THR_HEADER_AUTO)
        return s->columns->header == THR_HEADER_YES;
    if (calls_by_name(s->columns))
        return 1;
    thr_str *word = calloc(t->columns, sizeof *word);
    if (!word)
        return THR_EMEM;
    thr_csv_cursor c = {at, end, t->separator};
    size_t n = 0, numbers = 0;
    bool names = true;
    for (thr_csv_field f; n < t->columns && thr_csv_next(&c, &f); n++) {
        word[n] = (thr_str){f.at, f.n};
        names = names && f.n > 0;
        numbers += names && thr_looks_numeric(word[n]);
    }
    names = names && (s->loss->form[THR_VOTE] ? numbers < n : numbers == 0) &&
            !come_back(word, n, t->separator, next, limit);
    if (names)
        qsort(word, n, sizeof *word, by_bytes);
    for (size_t i = 1; i < n && names; i++) /* names differ from each other */
        names = !thr_str_eq(word[i - 1], word[i]);
    free(word);
    return names;
}

/* ---- roles of columns --------------------------------------------------------------------- */

/* Without a line of names the name of a column is its number. */
static int read_names(thr_experts_table *t, const char *at, const char *end, thr_error *err)
{
    t->role = calloc(t->columns, sizeof *t->role);
    t->name = calloc(t->columns, sizeof *t->name);
    t->expert = calloc(t->columns, sizeof *t->expert);
    if (!t->role || !t->name || !t->expert)
        return thr_fail_memory(err);
    thr_csv_cursor c = {at, end, t->separator};
    thr_csv_field f;
    for (size_t i = 0; i < t->columns && thr_csv_next(&c, &f); i++) {
        char number[24], *name = t->named ? thr_arena_take(&t->arena, f.n + 1) : NULL;
        t->role[i] = THR_NO_ROLE;
        if (name)
            name[thr_csv_undouble(&f, name)] = '\0';
        t->name[i] =
            t->named ? name : thr_arena_copy(&t->arena, number, thr_print_u64(i + 1, number));
        if (!t->name[i])
            return thr_fail_memory(err);
    }
    return 0;
}

/* Finds a column by name if there are names, else by number from 1. A name has precedence over a
 * number. */
static int find_column(const thr_experts_table *t, thr_str wanted, size_t *column, thr_error *err)
{
    size_t found = 0;
    uint64_t number = 0;
    const char *stop = wanted.p;
    for (size_t i = t->columns; i-- > 0 && t->named;)
        if (thr_str_eq(thr_str_of(t->name[i]), wanted)) {
            *column = i;
            found++;
        }
    if (found > 1)
        return thr_fail(err, THR_EDATA, "%zu columns are called \"%s\": choose by number", found,
                        thr_quote(wanted).text);
    if (found)
        return 0;
    if (thr_parse_u64(wanted.p, wanted.p + wanted.n, &stop, &number) != THR_NUMBER_OK ||
        stop != wanted.p + wanted.n || number == 0 || number > t->columns)
        return thr_fail(err, THR_EDATA, "there is no column \"%s\": there are %zu%s",
                        thr_quote(wanted).text, t->columns,
                        t->named ? "" : ", and no line of names");
    *column = (size_t)number - 1;
    return 0;
}

static int place_truth(thr_experts_table *t, const thr_experts_table_settings *s, thr_error *err)
{
    const char *wanted = s->columns->truth;
    bool told = s->loss->of || s->loss->form[THR_VOTE];
    size_t column = t->columns - 1;
    if (!told)
        return wanted ? thr_fail(err, THR_EUSE, "with losses given there is no truth") : 0;
    int code = wanted ? find_column(t, thr_str_of(wanted), &column, err) : 0;
    if (code == 0)
        t->role[column] = THR_TRUTH;
    return code;
}

static void add_expert(thr_experts_table *t, size_t column)
{
    t->role[column] = t->experts;
    t->expert[t->experts++] = t->name[column];
}

/* The experts are the columns listed, or else all but the truth. */
static int place_experts(thr_experts_table *t, const thr_experts_table_settings *s, thr_error *err)
{
    const char *list = s->columns->experts;
    for (size_t i = 0; i < t->columns && !list; i++)
        if (t->role[i] == THR_NO_ROLE)
            add_expert(t, i);
    while (list) {
        size_t n = strcspn(list, ","), column;
        thr_str wanted = {list, n};
        int code = find_column(t, wanted, &column, err);
        if (code)
            return code;
        if (t->role[column] != THR_NO_ROLE)
            return thr_fail(err, THR_EUSE, "the column \"%s\" is %s", thr_quote(wanted).text,
                            t->role[column] == THR_TRUTH ? "the truth, not an expert"
                                                         : "an expert already");
        add_expert(t, column);
        list = list[n] ? list + n + 1 : NULL;
    }
    if (t->experts == 0)
        return thr_fail(err, THR_EDATA, "there is one column, the truth, and none for an expert");
    return 0;
}

/* ---- the head ----------------------------------------------------------------------------- */

static int read_first(thr_experts_table *t, const thr_experts_table_settings *s, const char *at,
                      const char *next, const char *limit, thr_error *err)
{
    const char *end = thr_without_line_end(at, next);
    t->separator = thr_csv_separator(at, end, &t->columns);
    if (at == end || t->columns == 0)
        return thr_fail(err, THR_EDATA, "the first line %s",
                        at == end ? "is empty" : "has a quote that is not closed");
    if (memchr(at, '\0', (size_t)(end - at)))
        return thr_fail(err, THR_EDATA, "NUL byte: this is not a text file");
    int names = judge_first_line(t, s, at, end, next, limit);
    if (names < 0)
        return thr_fail_memory(err);
    t->named = names > 0;
    int code = read_names(t, at, end, err);
    code = code ? code : place_truth(t, s, err);
    return code ? code : place_experts(t, s, err);
}

long thr_experts_table_read(const thr_experts_table_settings *s, const char *p, size_t n,
                            bool at_end, thr_experts_table **out, thr_error *err)
{
    const char *limit = p + (n < THR_EXPERTS_PROBE ? n : THR_EXPERTS_PROBE),
               *next = thr_csv_whole_record(p, p + n);
    if (!at_end && (n < THR_EXPERTS_PROBE || !next))
        return 0;
    next = next ? next : p + n;
    thr_experts_table *t = calloc(1, sizeof *t);
    if (!t)
        return thr_fail_memory(err);
    int code = read_first(t, s, p, next, next < limit ? limit : next, err);
    if (code) {
        thr_experts_table_free(t);
        return code;
    }
    *out = t;
    return t->named ? (long)(next - p) : 0;
}
