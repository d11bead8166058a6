/* Settings: everything that shapes a model, as named values; they travel in the model file. */
#ifndef THR_MODEL_SETTINGS_H
#define THR_MODEL_SETTINGS_H

#include "format/format.h"
#include "multiclass/rule.h"

/* Reader settings that follow from them; `unit` auto is left at -1. */
int thr_settings_reader(const thr_settings *s, thr_reader_settings *out, thr_error *err);
/* A setting that is a number, as it was checked. */
double thr_settings_number(const thr_settings *s, const char *name);
int thr_columns_parse(const char *text, thr_columns *out, thr_error *err);
/* `name=value` lines in the table's order, as the model file has them. */
bool thr_settings_print(const thr_settings *s, thr_bytes *out);
/* Fails with THR_EMODEL for later rules than this version knows, which thr_settings_rules then
 * returns. */
int thr_settings_read(thr_settings *s, const char *text, size_t n, thr_error *err);
/* The version of the rules (learner/history.h): the latest, or that of the file they are from. */
unsigned thr_settings_rules(const thr_settings *s);
/* Settings that a file lacks: what they were when it was written, by a table of earlier values. */
int thr_settings_assume(thr_settings *s, const thr_former *former, thr_error *err);
/* Back to what it is when nothing is said. */
void thr_settings_unset(thr_settings *s, const char *name);

#endif
