/* Options by table: converts `key=value,key=value` to one double per option, and back. A choice is
 * stored as its index in the list, a switch as 0 or 1, "auto" as NaN and "inf" as infinity. Tables
 * end with a NULL name. `what` names the owner of the options in error messages. */
#ifndef THR_BASE_OPTIONS_H
#define THR_BASE_OPTIONS_H

#include "base/mem.h"

#include "thresh.h"

/* One value, written in n bytes. */
int thr_option_read(const thr_option_info *o, const char *what, const char *text, size_t n,
                    double *out, thr_error *err);
/* Sets what `spec` names; the other values stay as they are. */
int thr_options_read(const thr_option_info *options, const char *what, const char *spec,
                     double *value, thr_error *err);
/* The defaults, then what `spec` says. */
int thr_options_parse(const thr_option_info *options, const char *what, const char *spec,
                      double *value, thr_error *err);
/* The options as `key=value,...`, in the table's order. */
bool thr_options_print(const thr_option_info *options, const double *value, thr_bytes *out);

#endif
