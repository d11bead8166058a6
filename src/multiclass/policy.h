/* How functions of one label each are taught together. */
#ifndef THR_MULTICLASS_POLICY_H
#define THR_MULTICLASS_POLICY_H

#include "learner/learner.h"

typedef struct thr_policy {
    const char *name, *help;
    unsigned needs; /* flags a learner must have */
    bool in_pairs;  /* two functions move together, against each other */
    bool (*learn)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                  const double *live);
} thr_policy;

extern const thr_policy thr_one_vs_all, thr_direct;
extern const thr_policy *const thr_policies[]; /* NULL-terminated */
const thr_policy *thr_policy_find(const char *name);

#endif
