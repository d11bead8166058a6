/* Conjunctions and disjunctions share the code: the answer is `disjunction` as soon as one literal
 * decides it, which is a false one in a conjunction and a true one in a disjunction. */
#include "concepts/eliminator.h"

#include <stdlib.h>
#include <string.h>

int thr_eliminator_open(thr_eliminator *p, size_t n, bool disjunction, bool negated, thr_error *err)
{
    *p = (thr_eliminator){.n = n, .disjunction = disjunction, .literals = malloc(n + 1)};
    if (!p->literals)
        return thr_fail_memory(err);
    memset(p->literals, THR_HAS_PLAIN | (negated ? THR_HAS_NEGATED : 0), n);
    return 0;
}

void thr_eliminator_close(thr_eliminator *p)
{
    free(p->literals);
    *p = (thr_eliminator){0};
}

/* A conjunction holds unless one of its literals is false; a disjunction if one of them is true. */
bool thr_eliminator_answer(const thr_eliminator *p, const bool *x)
{
    for (size_t i = 0; i < p->n; i++) {
        unsigned decides = x[i] == p->disjunction ? THR_HAS_PLAIN : THR_HAS_NEGATED;
        if (p->literals[i] & decides)
            return p->disjunction;
    }
    return !p->disjunction;
}

bool thr_eliminator_learn(thr_eliminator *p, const bool *x, bool label)
{
    bool wrong = thr_eliminator_answer(p, x) != label;
    if (!wrong || label == p->disjunction)
        return wrong; /* the other kind of mistake cannot be blamed on one literal; it shows
                         that no formula of the class is right */
    for (size_t i = 0; i < p->n; i++)
        p->literals[i] &=
            (unsigned char)(x[i] == p->disjunction ? ~THR_HAS_PLAIN : ~THR_HAS_NEGATED);
    return wrong;
}

unsigned thr_eliminator_literals(const thr_eliminator *p, size_t variable)
{
    return p->literals[variable];
}
