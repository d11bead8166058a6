/* Records and fields as RFC 4180 has them: fields parted by a separator, records by line ends;
 * a field that begins with a quote ends with one, may hold separators and line ends, and has its
 * own quotes doubled. A quote anywhere else is an ordinary character. Blanks around a field
 * without quotes are dropped.
 *
 * Where records end must be known before the separator is: there a quote opens a field behind any
 * of the separators. Where that goes wrong the record is refused, never misread. */
#ifndef THR_BASE_RFC4180_H
#define THR_BASE_RFC4180_H

#include "base/text.h"

#define THR_CSV_SEPARATORS ",\t;"

/* Behind the record's line end; NULL when it has none. */
const char *thr_csv_whole_record(const char *at, const char *limit);
/* These two serve as thr_format hooks. */
const char *thr_csv_record_end(const char *at, const char *limit);
size_t thr_csv_cut(const char *p, size_t n);
const char *thr_csv_without_line_end(const char *at, const char *end);

typedef struct thr_csv_field {
    const char *at; /* where the content begins */
    size_t n;       /* of the content, doubled quotes not yet undone */
    bool quoted, doubled;
    const char *wrong; /* what is wrong with it, at `at`; it is then the last */
} thr_csv_field;

/* The fields of a record, one by one. `at` is NULL behind the last. */
typedef struct thr_csv_cursor {
    const char *at, *end;
    char separator;
} thr_csv_cursor;

bool thr_csv_next(thr_csv_cursor *c, thr_csv_field *f); /* false behind the last */
/* Fields of a record, 0 where one is wrong. */
size_t thr_csv_count_fields(const char *at, const char *end, char separator);
/* The separator that finds most columns, the first of those that do equally well. */
char thr_csv_separator(const char *at, const char *end, size_t *columns);
/* Writes the content itself; `to` has room for f->n bytes. */
size_t thr_csv_undouble(const thr_csv_field *f, char *to);

#endif
