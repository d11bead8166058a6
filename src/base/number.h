/* Numbers from and to text, independent of the locale. */
#ifndef THR_BASE_NUMBER_H
#define THR_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum thr_number { THR_NUMBER_OK, THR_NUMBER_NONE, THR_NUMBER_RANGE, THR_NUMBER_NOT_FINITE };

/* Reads the longest decimal number at p: [+-] digits [. digits] [e [+-] digits]. No byte at or
 * behind `limit` is read. *end is set to where the number ends, and *out to the correctly
 * rounded value; a number too small to represent is 0. "inf", "infinity" and "nan" give
 * NOT_FINITE, 1e400 gives RANGE (for the float form also any number above FLT_MAX), and text
 * without a digit gives NONE. */
enum thr_number thr_parse_float(const char *p, const char *limit, const char **end, float *out);
enum thr_number thr_parse_double(const char *p, const char *limit, const char **end, double *out);
/* Digits only. RANGE above 2^64 - 1; *end is then behind all the digits. */
enum thr_number thr_parse_u64(const char *p, const char *limit, const char **end, uint64_t *out);

/* The shortest text that reads back as the same number, with a NUL behind it. `out` has room
 * for 32 bytes. Returns the length. */
size_t thr_print_float(float v, char *out);
size_t thr_print_double(double v, char *out);
size_t thr_print_u64(uint64_t v, char *out);

/* Describes the problem as the end of a sentence: "is not a number", "is too large", ... */
const char *thr_number_problem(enum thr_number n);

#endif
