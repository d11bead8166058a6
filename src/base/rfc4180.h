/* Records and fields of CSV as in RFC 4180.
 *
 *     red,"a ""quoted"" word",3            has the fields    red    a "quoted" word    3
 *
 * Fields are divided by a separator, records by line ends. A field that begins with a quote ends
 * with a quote, and may contain separators and line ends; a quote inside it is doubled. A quote
 * anywhere else is an ordinary character. Blanks around a field without quotes are dropped.
 *
 * Blocks are cut at the ends of records before the separator is known. For this purpose a quote
 * opens a field behind any of the possible separators. If that is wrong for the actual separator,
 * the record has an error in a field and is refused; it is never misread. */
#ifndef THR_BASE_RFC4180_H
#define THR_BASE_RFC4180_H

#include "base/text.h"

#define THR_CSV_SEPARATORS ",\t;"

/* The end of the record that begins at `at`, behind its line end; NULL if it is not complete. */
const char *thr_csv_whole_record(const char *at, const char *limit);
/* The hooks `record_end` and `cut` of thr_format. */
const char *thr_csv_record_end(const char *at, const char *limit);
size_t thr_csv_cut(const char *p, size_t n);
const char *thr_without_line_end(const char *at, const char *end);

typedef struct thr_csv_field {
    const char *at;       /* where the content begins, behind a quote */
    size_t n;             /* bytes of the content, with its doubled quotes */
    bool quoted, doubled; /* is in quotes; has doubled quotes inside (see thr_csv_undouble) */
    const char *wrong;    /* an error message about the byte `at`, or NULL; no field follows it */
} thr_csv_field;

/* A loop over the fields of a record. `at` becomes NULL behind the last field. */
typedef struct thr_csv_cursor {
    const char *at, *end;
    char separator;
} thr_csv_cursor;

bool thr_csv_next(thr_csv_cursor *c, thr_csv_field *f); /* false: there are no more fields */
/* The number of fields of a record, 0 if one has an error. */
size_t thr_csv_count_fields(const char *at, const char *end, char separator);
/* The separator that divides a line into most columns; the first in THR_CSV_SEPARATORS of those
 * that do equally well. *columns is 0 if the line has errors with each of them. */
char thr_csv_separator(const char *at, const char *end, size_t *columns);
/* Copies the content without doubling of quotes, and returns its length. `to` has room for f->n
 * bytes. */
size_t thr_csv_undouble(const thr_csv_field *f, char *to);

#endif
