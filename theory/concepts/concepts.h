/* A finite class of concepts as a list: one of the built-in classes, or formulas from a file.
 *
 *   conjunctions:k=K,exactly=on|off,negated=on|off,empty=on|off   at most (exactly) K literals
 *   disjunctions:k=K,...                                          the same options
 *   thresholds:m=M,k=K,exactly=on|off,negated=on|off              at least M of the literals hold
 *   file=PATH                                                     one formula per line
 *
 * The classes range over all given variables. Without k a formula may have as many literals as
 * there are variables; without m every threshold from 1 to the number of literals occurs. A formula
 * has at most one literal of each variable. The empty conjunction (true) and the empty disjunction
 * (false) belong to the class unless empty=off or exactly=on. Within a built-in class no two
 * concepts are the same function. The size of a class over n variables is
 *
 *   sum over j of C(n, j), times 2^j with negated literals, times the number of thresholds. */
#ifndef THR_CONCEPTS_CONCEPTS_H
#define THR_CONCEPTS_CONCEPTS_H

#include "concepts/formula.h"

#include "thresh_theory.h"

#define THR_MOST_CONCEPTS (UINT64_C(1) << 20)
#define THR_MOST_LITERALS (UINT64_C(1) << 26) /* of all concepts together */

enum thr_concept_form { THR_CONJUNCTIONS, THR_DISJUNCTIONS, THR_THRESHOLDS, THR_LISTED };

typedef struct thr_concepts {
    enum thr_concept_form form;
    bool negated; /* negated literals may occur */
    uint64_t n;   /* concepts */
    struct thr_concept_place {
        size_t at;        /* index of its first literal in literal[] */
        uint32_t n, need; /* literals, and how many of them must hold */
    } * place;
    size_t room;
    uint32_t *literal; /* of all concepts, one after another */
    size_t literals, literal_room;
} thr_concepts;

/* Lists the class. Variables that occur in a file but not in `v` are added to `v`; they are false
 * in all examples. Fails with THR_EUSE if the spec is invalid or the class too large to list, and
 * with THR_EDATA if a line of the file is invalid. The caller clears c in either case. */
int thr_concepts_make(thr_concepts *c, const char *spec, thr_variables *v, thr_error *err);
/* Sets only the form of the class and, except for a file, `negated`. Lists nothing, so that classes
 * of any size are accepted. */
int thr_concepts_describe(thr_concepts *c, const char *spec, uint64_t n, thr_error *err);
void thr_concepts_clear(thr_concepts *c);
/* The number of concepts over n variables, computed without listing them. THR_EUSE if it is 2^64 or
 * more. */
int thr_concepts_size(const char *spec, uint64_t n, uint64_t *size, thr_error *err);
thr_concept thr_concepts_at(const thr_concepts *c, uint64_t i);

#endif
