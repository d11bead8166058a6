/* How the functions of many labels are taught together, and what a label makes of them. */
#ifndef THR_MULTICLASS_POLICY_H
#define THR_MULTICLASS_POLICY_H

#include "learner/learner.h"

/* The value of function f. */
typedef double thr_value_fn(const void *from, uint32_t f);

typedef struct thr_policy {
    const char *name, *help;
    unsigned needs; /* flags a learner must have */
    bool in_pairs;  /* two functions move together, against each other */
    bool splits;    /* the one function of two labels becomes one for each with the third */
    /* How many functions n labels have, n > 2 (or the rule does not share). */
    uint64_t (*functions)(uint64_t labels);
    /* A label's value of any kind (score, weight, rest) from those of the functions. */
    double (*fold)(thr_value_fn *value, const void *from, uint32_t label, uint32_t labels);
    /* Which function f becomes when label l gets the number label[l], and whether its sign turns.
     */
    uint32_t (*renumber)(uint32_t f, const uint32_t *label, bool *turned);
    /* Whose function it is, and whose loss is its gain: THR_NONE for no other's. */
    void (*sides)(uint32_t f, uint32_t *label, uint32_t *against);
    /* Teaches them all; returns whether any moved. */
    bool (*learn)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                  const double *live);
} thr_policy;

extern const thr_policy thr_one_vs_all, thr_direct, thr_all_pairs;
extern const thr_policy *const thr_policies[]; /* NULL-terminated */
const thr_policy *thr_policy_find(const char *name);

#endif
