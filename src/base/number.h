/* Numbers from and to text, without the locale. */
#ifndef THR_BASE_NUMBER_H
#define THR_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum thr_number { THR_NUMBER_OK, THR_NUMBER_NONE, THR_NUMBER_RANGE, THR_NUMBER_NOT_FINITE };

/* Reads the longest decimal number at p: [+-] digits [. digits] [e [+-] digits]. *end is set
 * behind it. Correctly rounded. "inf", "nan" and their like give NOT_FINITE, 1e400 gives RANGE
 * (so does a double over FLT_MAX for the float form), no digit gives NONE. Underflow is 0. */
enum thr_number thr_parse_float(const char *p, const char *limit, const char **end, float *out);
enum thr_number thr_parse_double(const char *p, const char *limit, const char **end, double *out);
/* Digits only. RANGE beyond 2^64-1. */
enum thr_number thr_parse_u64(const char *p, const char *limit, const char **end, uint64_t *out);

/* Shortest text that reads back as the same number. `out` has room for 32 bytes. */
size_t thr_print_float(float v, char *out);
size_t thr_print_double(double v, char *out);
size_t thr_print_u64(uint64_t v, char *out);

/* What is wrong, as a sentence part: "is not a number", "is too large", ... */
const char *thr_number_problem(enum thr_number n);

#endif
