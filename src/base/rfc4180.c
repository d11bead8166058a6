/* Finding records and fields. The rules are in rfc4180.h. */
#include "base/rfc4180.h"

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

/* `opening`: a quote here would open a field. */
const char *thr_csv_whole_record(const char *at, const char *limit)
{
    bool opening = true;
    while (at < limit) {
        if (opening && *at == '"') {
            if (!(at = closing(at + 1, limit)))
                return NULL;
            opening = false;
            continue;
        }
        if (*at == '\n')
            return at + 1;
        opening = *at == ',' || *at == ';' || *at == '\t';
        at++;
    }
    return NULL;
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

static void read_plain(thr_csv_cursor *c, thr_csv_field *f)
{
    const char *at = c->at, *from = at;
    while (at < c->end && *at != c->separator && *at != '\n')
        at++;
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
