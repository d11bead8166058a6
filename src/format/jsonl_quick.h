/* A fast reader for the usual lines of JSON Lines. A line is usual if it is an object of
 *
 *     "label"                                 a string, a number, true or false
 *     "text"                                  a string
 *     "tag", "id", "importance", "weight"     as jsonl.c takes them
 *     "features"                              an object of numbers, strings, true, false and null,
 *                                             or an array of names and whole numbers
 *     other keys                              strings, numbers, true, false and null
 *
 * with at most 16 keys outside of "features", names without escapes, and numbers of at most 19
 * digits. Where --columns chooses keys, no line is usual. Any other line, correct or not, is
 * left to jsonl.c, which reads it with jansson, and reports errors. A usual line gives the same
 * example either way, bit for bit. */
#ifndef THR_FORMAT_JSONL_QUICK_H
#define THR_FORMAT_JSONL_QUICK_H

#include "format/format.h"

/* The role that a key has by its name. */
enum thr_role thr_jsonl_role(thr_str key);

/* Fills the open example from the line [at, end), which is valid UTF-8. False: the line is not
 * usual, and the example is as it was. */
bool thr_jsonl_quick(thr_parser *p, const char *at, const char *end);

#endif
