/* Errors: a code, a place and a sentence, in a struct the caller owns. Every function here takes
 * a NULL error. They return the code, so that `return thr_fail(...)` is one line. */
#ifndef THR_BASE_ERROR_H
#define THR_BASE_ERROR_H

#include "thresh.h"

int thr_fail(thr_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds `: ` and what errno says. */
int thr_fail_errno(thr_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int thr_fail_memory(thr_error *err);
/* Adds the place to an error already made. */
int thr_fail_at(thr_error *err, const char *file, uint64_t line, uint64_t column);
/* THR_EUSE unless all n reserved fields of an option struct are 0: a caller that was compiled with
 * a later header wants something there that this version does not have. */
int thr_check_reserved(const uint64_t *reserved, size_t n, const char *of, thr_error *err);
/* ... of the struct of that type that o points to. */
#define THR_CHECK_RESERVED(type, o, err)                                                           \
    thr_check_reserved((o)->reserved, sizeof(o)->reserved / sizeof *(o)->reserved, #type, err)

#endif
