/* Formulas over named Boolean variables, one level deep: at least `need` of some literals hold.
 *
 *     x2 & x3 & !x10       all of k literals           true    none of none
 *     x2 | !x3             one of them                 false   one of none
 *     2 of (x1, x2, !x5)   a threshold
 *
 * A name that contains blanks or one of & | ! ( ) , " or is a word of the language, stands in
 * double quotes, a quote within doubled. */
#ifndef THR_CONCEPTS_FORMULA_H
#define THR_CONCEPTS_FORMULA_H

#include "base/error.h"
#include "base/mem.h"

#include "thresh_theory.h"

/* Names, numbered in the order in which they were added. */
typedef struct thr_variables {
    char **name; /* owned */
    uint32_t n;
    size_t room;
    uint32_t *table; /* open addressing, number + 1 */
    size_t slots;
} thr_variables;

#define THR_NO_VARIABLE UINT32_MAX

void thr_variables_clear(thr_variables *v);
uint32_t thr_variables_find(const thr_variables *v, thr_str name); /* or THR_NO_VARIABLE */
/* Its number, new or not. */
int thr_variables_add(thr_variables *v, thr_str name, uint32_t *number, thr_error *err);
int thr_variables_number(thr_variables *v, uint64_t n, thr_error *err); /* x1 to xn */
/* `a,b,c`; a name twice is THR_EUSE. */
int thr_variables_list(thr_variables *v, const char *names, thr_error *err);

/* A literal is 2 * variable, + 1 if it is negated. A concept borrows its literals. */
typedef struct thr_concept {
    const uint32_t *literal;
    uint32_t n, need;
} thr_concept;

typedef struct thr_formula { /* one that owns them */
    uint32_t *literal;
    size_t n, room;
    uint32_t need;
} thr_formula;

/* THR_EDATA with a column where the text is wrong; names not yet in `v` are added if `open`, else
 * an error. The formula is then to be cleared in any case. */
int thr_formula_parse(thr_formula *f, const char *text, thr_variables *v, bool open,
                      thr_error *err);
void thr_formula_clear(thr_formula *f);
thr_concept thr_formula_concept(const thr_formula *f);

/* x[variable] of every variable. */
bool thr_concept_holds(thr_concept c, const bool *x);
/* The same literals, whatever their order, and as many of them needed. */
bool thr_concept_same(thr_concept a, thr_concept b);
/* At most `most` literals, then how many more there are. False: out of memory. */
bool thr_concept_print(thr_concept c, const thr_variables *v, size_t most, thr_bytes *out);

#endif
