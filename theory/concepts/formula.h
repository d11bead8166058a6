/* Formulas over named Boolean variables, one level deep. All of them have one form: at least `need`
 * of n literals hold.
 *
 *     x2 & x3 & !x10       need = n                    true    need = 0, no literals
 *     x2 | !x3             need = 1                    false   need = 1, no literals
 *     2 of (x1, x2, !x5)   need = 2
 *
 * A name is put in double quotes if it contains a blank or one of & | ! ( ) , " or is a word of the
 * language. A quote inside is doubled. */
#ifndef THR_CONCEPTS_FORMULA_H
#define THR_CONCEPTS_FORMULA_H

#include "base/error.h"
#include "base/index.h"
#include "base/mem.h"

#include "thresh_theory.h"

/* Names, numbered in the order in which they were added. */
typedef struct thr_variables {
    char **name; /* owned */
    uint32_t n;
    size_t room;
    thr_index index;
    uint64_t formulas; /* parsed so far */
    uint64_t *in;      /* for each variable, the number of the last formula that it is in */
    size_t in_room;
} thr_variables;

#define THR_NO_VARIABLE UINT32_MAX /* as thr_index_find has it */

void thr_variables_clear(thr_variables *v);
uint32_t thr_variables_find(const thr_variables *v, thr_str name); /* or THR_NO_VARIABLE */
/* Returns the number of the variable; adds it first if it is new. Copies the name. */
int thr_variables_add(thr_variables *v, thr_str name, uint32_t *number, thr_error *err);
int thr_variables_number(thr_variables *v, uint64_t n, thr_error *err); /* adds x1 to xn */
/* Adds the names of a list `a,b,c`. THR_EUSE if a name is empty or occurs twice. */
int thr_variables_list(thr_variables *v, const char *names, thr_error *err);

/* A literal is 2 * variable, + 1 if it is negated. A concept borrows its literals. */
typedef struct thr_concept {
    const uint32_t *literal;
    uint32_t n, need;
} thr_concept;

/* A concept that owns its literals. */
typedef struct thr_formula {
    uint32_t *literal;
    size_t n, room;
    uint32_t need;
} thr_formula;

/* Parses a formula. An error is THR_EDATA with the column. Names that are not in `v` are added if
 * `open` is true, otherwise they are an error. The caller clears f in either case. */
int thr_formula_parse(thr_formula *f, const char *text, thr_variables *v, bool open,
                      thr_error *err);
void thr_formula_clear(thr_formula *f);
thr_concept thr_formula_concept(const thr_formula *f);

/* Whether the concept holds at a point; x has an entry for every variable. */
bool thr_concept_holds(thr_concept c, const bool *x);
/* Whether two concepts have the same literals, in any order, and the same `need`. */
bool thr_concept_same(thr_concept a, thr_concept b);
/* Prints the formula, at most `most` literals of it and then the number of the others. False: out
 * of memory. */
bool thr_concept_print(thr_concept c, const thr_variables *v, size_t most, thr_bytes *out);

#endif
