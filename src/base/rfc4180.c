/* Finding records and fields. The rules are in rfc4180.h. */
#include "base/rfc4180.h"

#include "base/scan.h"

#include <string.h>

/* The byte behind the quote that closes the field whose content begins at `at`; NULL if the field
 * is not closed. */
static const char *closing(const char *at, const char *limit)
{
    while (at < limit && (at = memchr(at, '"', (size_t)(limit - at)))) {
        if (at + 1 == limit || at[1] != '"')
            return at + 1;
        at += 2;
    }
    return NULL;
}

static bool is_separator(char c)
{
    return c == ',' || c == ';' || c == '\t';
}

/* Whole lines are searched for quotes, which are few. A quote opens a field at the beginning of the
 * record, and behind a separator. */
const char *thr_csv_whole_record(const char *at, const char *limit)
{
    const char *start = at, *quote;
    const char *newline = at < limit ? memchr(at, '\n', (size_t)(limit - at)) : NULL;
    while (at < limit && (quote = memchr(at, '"', (size_t)((newline ? newline : limit) - at)))) {
        at = quote + 1;
        if (quote > start && !is_separator(quote[-1]))
            continue;
        if (!(at = closing(at, limit)))
            return NULL;
        if (newline && newline < at)
            newline = at < limit ? memchr(at, '\n', (size_t)(limit - at)) : NULL;
    }
    return newline ? newline + 1 : NULL;
}

const char *thr_csv_record_end(const char *at, const char *limit)
{
    const char *end = thr_csv_whole_record(at, limit);
    return end ? end : limit;
}

size_t thr_csv_cut(const char *p, size_t n)
{
    const char *at = p;
    for (const char *end; (end = thr_csv_whole_record(at, p + n));)
        at = end;
    return (size_t)(at - p);
}

const char *thr_without_line_end(const char *at, const char *end)
{
    end -= end > at && end[-1] == '\n';
    end -= end > at && end[-1] == '\r';
    return end;
}

static void read_quoted(thr_csv_cursor *c, thr_csv_field *f)
{
    const char *close = closing(c->at + 1, c->end);
    f->quoted = true;
    if (!close) {
        f->wrong = "this quote is not closed";
        return;
    }
    f->at = c->at + 1;
    f->n = (size_t)(close - 1 - f->at);
    f->doubled = f->n && memchr(f->at, '"', f->n);
    if (close < c->end && *close != c->separator) {
        f->at = close;
        f->wrong = "a separator was expected behind the closing quote (a quote inside a quoted "
                   "field is written twice)";
    }
    c->at = close;
}

/* The next separator or line feed, eight bytes at a time. The top bit of the lowest byte that is
 * one of them is set; carries may spoil bytes above it. */
static inline const char *field_end(const char *at, const char *end, char separator)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (; THR_SCANS && end - at >= 8; at += 8) {
        uint64_t eight = thr_load8(at), mark = eight ^ ones * (unsigned char)separator,
                 newline = eight ^ ones * '\n';
        uint64_t found = (((mark - ones) & ~mark) | ((newline - ones) & ~newline)) & ones * 0x80;
        if (found)
            return at + (unsigned)__builtin_ctzll(found) / 8;
    }
    while (at < end && *at != separator && *at != '\n')
        at++;
    return at;
}

static void read_plain(thr_csv_cursor *c, thr_csv_field *f)
{
    const char *from = c->at, *at = field_end(from, c->end, c->separator);
    c->at = at;
    const char *to = at;
    while (from < to && thr_is_blank(*from))
        from++;
    while (to > from && thr_is_blank(to[-1]))
        to--;
    f->at = from;
    f->n = (size_t)(to - from);
    if (at < c->end && *at == '\n')
        f->wrong = "the line ends inside a field without quotes (is there a stray quote?)";
}

/* A separator at the end of the record is followed by one more field, which is empty: then c->at
 * becomes c->end, not NULL. */
bool thr_csv_next(thr_csv_cursor *c, thr_csv_field *f)
{
    if (!c->at)
        return false;
    *f = (thr_csv_field){.at = c->at};
    if (c->at < c->end && *c->at == '"')
        read_quoted(c, f);
    else
        read_plain(c, f);
    c->at = f->wrong || c->at == c->end ? NULL : c->at + 1;
    return true;
}

size_t thr_csv_count_fields(const char *at, const char *end, char separator)
{
    thr_csv_cursor c = {at, end, separator};
    size_t n = 0;
    for (thr_csv_field f; thr_csv_next(&c, &f); n++)
        if (f.wrong)
            return 0;
    return n;
}

char thr_csv_separator(const char *at, const char *end, size_t *columns)
{
    char best = THR_CSV_SEPARATORS[0];
    *columns = 0;
    for (const char *s = THR_CSV_SEPARATORS; *s; s++) {
        size_t n = thr_csv_count_fields(at, end, *s);
        if (n > *columns) {
            *columns = n;
            best = *s;
        }
    }
    return best;
}

size_t thr_csv_undouble(const thr_csv_field *f, char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        to[n++] = f->at[i];
        i += f->doubled && f->at[i] == '"';
    }
    return n;
}
