/* A finite class of concepts as a list that can be walked: built in, or formulas from a file.
 *
 *     conjunctions:k=K,exactly=on|off,negated=on|off,empty=on|off     of at most (exactly) K
 * literals disjunctions:...                                                the same
 *     thresholds:m=M,k=K,exactly=on|off,negated=on|off                at least M of some literals
 *     file=PATH                                                       a formula a line
 *
 * over all variables given. Without k there may be as many literals as variables; without m all
 * thresholds from 1 to the number of literals. A variable has one literal in a formula at most. The
 * empty conjunction (true) and the empty disjunction (false) are in unless empty=off or exactly=on.
 * No two built in concepts are the same function, but that conjunctions and disjunctions of one
 * literal are the same classes. Sizes with n variables:
 *     sum over j of C(n, j), times 2^j with negated literals, times the number of thresholds. */
#ifndef THR_CONCEPTS_CONCEPTS_H
#define THR_CONCEPTS_CONCEPTS_H

#include "concepts/formula.h"

#include "thresh_theory.h"

#define THR_MOST_CONCEPTS (UINT64_C(1) << 20)
#define THR_MOST_LITERALS (UINT64_C(1) << 26) /* of all together */

enum thr_concept_form { THR_CONJUNCTIONS, THR_DISJUNCTIONS, THR_THRESHOLDS, THR_LISTED };

typedef struct thr_concepts {
    enum thr_concept_form form;
    bool negated; /* may have negated literals */
    uint64_t n;
    struct thr_concept_place {
        size_t at; /* of the first literal */
        uint32_t n, need;
    } * place;
    size_t room;
    uint32_t *literal;
    size_t literals, literal_room;
} thr_concepts;

/* Variables that a file names and `v` lacks are added to it; they are 0 in all examples. THR_EUSE
 * for a wrong spec or a class too large to list, THR_EDATA for a wrong line. */
int thr_concepts_make(thr_concepts *c, const char *spec, thr_variables *v, thr_error *err);
/* Its form and whether literals may be negated, without a list; of a file only the form. */
int thr_concepts_describe(thr_concepts *c, const char *spec, uint64_t n, thr_error *err);
void thr_concepts_clear(thr_concepts *c);
/* How many there are over n variables, without listing them; THR_EUSE if that is beyond 2^64. */
int thr_concepts_size(const char *spec, uint64_t n, uint64_t *size, thr_error *err);
thr_concept thr_concepts_at(const thr_concepts *c, uint64_t i);

#endif
