/* What the line formats share: judging the first lines of a file, labels and values, and the
 * refusals and pieces of their writers. */
#ifndef THR_FORMAT_LINES_H
#define THR_FORMAT_LINES_H

#include "base/text.h"
#include "format/format.h"

/* ---- probing ------------------------------------------------------------------------------ */

/* How well one line fits, 0 to 100; negative: it says nothing (a comment). */
typedef int thr_line_fit(const char *at, const char *end);
/* The mean over the first lines that are not blank; 0 unless at least half of them fit. */
int thr_probe_lines(const char *p, size_t n, thr_line_fit *fit);

/* ---- parsing ------------------------------------------------------------------------------ */

/* A token as the label: a number where it is one, else a class by name. */
int thr_parse_label(thr_parser *p, thr_str token);
/* ... as the name of a label, kept. */
int thr_parse_label_name(thr_parser *p, thr_str token, thr_str *out);
/* Refuses a second label, found at `at`, unless there may be several. */
int thr_parse_several(thr_parser *p, const char *at);
/* A label as it stands, at `at` in the record: a class by name, or a number where the settings ask
 * for numbers. */
int thr_parse_name(thr_parser *p, const char *at, thr_str label);
/* A token as a number; `what` begins the sentence: "value", "importance". */
int thr_parse_value(thr_parser *p, thr_str token, const char *what, float *out);

/* Running text of the empty namespace. */
int thr_parse_text(thr_parser *p, thr_str text);

/* ---- writing ------------------------------------------------------------------------------ */

/* Whether a format that reads numbers as numbers reads this label back as it is. */
bool thr_label_reads_back(thr_str label);
/* Refuses what f->holds excludes: text, features, names, namespaces, tag, importance, labels. */
int thr_writer_check(thr_writer *w, size_t e, const thr_format *f);
/* Formats in which the first field is the label, or is none in the whole file, cannot mix both.
 * Keeps what the first example had in w->state. */
int thr_writer_check_labelling(thr_writer *w, size_t e, const thr_format *f);
int thr_writer_end_labelling(thr_writer *w);
/* Refuses empty `s`, and `s` with a line end, a NUL or one of the bytes of `forbidden`. */
int thr_writer_check_word(thr_writer *w, thr_str s, const char *forbidden, const char *what,
                          const thr_format *f);
/* Refuses text that a line cannot hold. */
int thr_writer_check_text(thr_writer *w, thr_str text, const thr_format *f);
bool thr_writer_put(thr_writer *w, thr_str s);
bool thr_writer_put_byte(thr_writer *w, char c);
bool thr_writer_put_float(thr_writer *w, float v);

#endif
