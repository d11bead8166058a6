/* What the line formats share: judging the first lines of a file, parsing labels and values, and
 * for writers the checks whether the format can hold an example. Parsing functions return 0, or
 * THR_EDATA after recording the problem. Writing functions that return int set w->err on failure;
 * those that return bool return false if memory ran out. */
#ifndef THR_FORMAT_LINES_H
#define THR_FORMAT_LINES_H

#include "base/text.h"
#include "format/format.h"

/* ---- probing ------------------------------------------------------------------------------ */

/* How well one line fits, 0 to 100; negative: the line tells nothing (a comment). */
typedef int thr_line_fit(const char *at, const char *end);
/* The mean fit of the first lines that are not blank; 0 unless at least half of them fit. */
int thr_probe_lines(const char *p, size_t n, thr_line_fit *fit);

/* Whether there are so many NUL bytes that this cannot be text: UTF-16 for instance. */
bool thr_probe_binary(const char *p, size_t n);
/* The first line that is not blank, without its line end; false: it is not complete, and more bytes
 * follow. */
bool thr_first_line(const char *p, size_t n, bool at_end, thr_str *out);
/* format->look of a format whose first line shows whether there are labels: *labelled becomes what
 * `shows` says of it; an empty file counts as labelled. */
int thr_look_at_line(const char *p, size_t n, bool at_end, bool (*shows)(thr_str line),
                     bool *labelled);

/* ---- parsing ------------------------------------------------------------------------------ */

/* Makes a token the example's label: by its value if it is a number, else by name. */
int thr_parse_label(thr_parser *p, thr_str token);
/* The name that thr_parse_label would give the label, without setting it: a slice of the token, or
 * for a number in the batch's arena. */
int thr_parse_label_name(thr_parser *p, thr_str token, thr_str *out);
/* Refuses a second label, found at `at`, unless an example may have several labels. */
/* Whether an example without a label is an error: labels are expected, and a set of them may not be
 * empty. */
bool thr_parser_wants_label(const thr_parser *p);
int thr_parse_several(thr_parser *p, const char *at);
/* Makes `label` the example's label by name, as it stands. Refuses one that is not a number if the
 * learner needs numbers; `at` is its place in the record, for the message. */
int thr_parse_name(thr_parser *p, const char *at, thr_str label);
/* Parses a token as a number; `what` begins the error message: "value", "importance". */
int thr_parse_value(thr_parser *p, thr_str token, const char *what, float *out);

/* Refuses tags of p->sentence that break the rules of their scheme. */
int thr_sentence_check(thr_parser *p, enum thr_scheme scheme);
/* Takes the NUL characters out of running text. With `strict` refuses them: at the first NUL byte
 * of the record, or at `at` if they are escapes. */
int thr_parse_nul(thr_parser *p, thr_str *text, const char *at);
/* Adds the features of running text, in the empty namespace. */
int thr_parse_text(thr_parser *p, thr_str text);

/* ---- writing ------------------------------------------------------------------------------ */

/* Whether a format that reads numeric labels by value reads this label back unchanged: `01` would
 * come back as `1`. */
bool thr_label_reads_back(thr_str label);
/* Refuses an example that has what the format cannot hold, by f->holds: text, features, names,
 * namespaces, tag, importance, labels, candidates. */
int thr_writer_check(thr_writer *w, size_t e, const thr_format *f);
/* Refuses an example without a label in a file whose first example has one, and the reverse. This
 * is for formats whose first field is the label in all lines or in none. w->state keeps what the
 * first example had; thr_writer_end_labelling, as write_end, forgets it. */
int thr_writer_check_labelling(thr_writer *w, size_t e, const thr_format *f);
int thr_writer_end_labelling(thr_writer *w);
/* Refuses `s` if it is empty or has a line end, a NUL or one of the bytes in `forbidden`. */
int thr_writer_check_word(thr_writer *w, thr_str s, const char *forbidden, const char *what,
                          const thr_format *f);
/* Refuses text that does not fit in one line. */
int thr_writer_check_text(thr_writer *w, thr_str text, const thr_format *f);
bool thr_writer_put(thr_writer *w, thr_str s);
bool thr_writer_put_byte(thr_writer *w, char c);
bool thr_writer_put_float(thr_writer *w, float v);

#endif
