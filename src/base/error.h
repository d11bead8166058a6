/* Errors: a code, a place and a sentence, in a struct that the caller owns.
 *
 * Every function accepts a NULL `err` and then reports by its return value alone. Each returns
 * the code, so that `return thr_fail(...)` is one line. The message is cut off if it does not
 * fit; nothing here allocates memory. */
#ifndef THR_BASE_ERROR_H
#define THR_BASE_ERROR_H

#include "thresh.h"

/* Fills *err with the code and the message. The place becomes empty; thr_fail_at adds one. */
int thr_fail(thr_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with THR_EIO; appends `: ` and the text of errno to the message. */
int thr_fail_errno(thr_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int thr_fail_memory(thr_error *err);
/* Adds the place to an error that thr_fail has filled, and returns its code. The code of a NULL
 * error is not known; it is then assumed to be THR_EDATA. */
int thr_fail_at(thr_error *err, const char *file, uint64_t line, uint64_t column);
/* THR_EUSE unless all n reserved fields of an option struct are 0. A caller that sets one was
 * compiled with a later header, and asks for something that this version does not have. */
int thr_check_reserved(const uint64_t *reserved, size_t n, const char *of, thr_error *err);
/* Checks the reserved fields of *o, a struct of that type. */
#define THR_CHECK_RESERVED(type, o, err)                                                           \
    thr_check_reserved((o)->reserved, sizeof(o)->reserved / sizeof *(o)->reserved, #type, err)

#endif
