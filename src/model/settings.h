/* Settings: everything that shapes a model, as named values. They are saved with the model, as
 * text. A value that was not given is the default in force under the model's version of the rules
 * (learner/history.h). */
#ifndef THR_MODEL_SETTINGS_H
#define THR_MODEL_SETTINGS_H

#include "format/format.h"
#include "multiclass/rule.h"

/* Derives how input is read; `unit` is -1 for auto. */
int thr_settings_reader(const thr_settings *s, thr_reader_settings *out, thr_error *err);
/* The value of a setting that is a number, a switch or a choice (its index). It was checked when it
 * was set, so this cannot fail. */
double thr_settings_number(const thr_settings *s, const char *name);
/* Writes all settings as lines `name=value`, in the table's order, as the model file has them.
 * False: out of memory. */
bool thr_settings_print(const thr_settings *s, thr_bytes *out);
/* Reads what thr_settings_print has written. THR_EMODEL if the text is damaged or follows a later
 * version of the rules than this library knows; then thr_settings_rules returns that version. */
int thr_settings_read(thr_settings *s, const char *text, size_t n, thr_error *err);
/* The version of the rules: the latest, or the one of the file that the settings were read from. */
unsigned thr_settings_rules(const thr_settings *s);
/* Sets each setting that the file did not state, because it was added later, to the value in force
 * when the file was written. `former` is the table of such values. */
int thr_settings_assume(thr_settings *s, const thr_old_default *former, thr_error *err);
/* The first setting that was given of those that shape features, --tokens to --cross; or NULL. */
const char *thr_settings_given_of_features(const thr_settings *s);
/* Back to the default. */
void thr_settings_unset(thr_settings *s, const char *name);

#endif
