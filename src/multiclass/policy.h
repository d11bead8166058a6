/* Multi-class policies: how the functions of several labels are taught together, and how a label's
 * score is made from them.
 *
 *   one-vs-all   one function per label; each learns "mine or not"
 *   rivals       the same, but only the true label and its strongest rivals learn
 *   direct       one function per label; the true label rises, the best wrong one falls
 *   all-pairs    one function per pair of labels; a label's score is the sum of its leads
 *
 * While there are at most two labels most rules use one function for both (labels.h), and no policy
 * is asked. */
#ifndef THR_MULTICLASS_POLICY_H
#define THR_MULTICLASS_POLICY_H

#include "learner/learner.h"

/* The value of function f: a score, a weight, or what no feature contributes. */
typedef double thr_value_fn(const void *from, uint32_t f);

typedef struct thr_policy {
    const char *name, *help;
    unsigned needs; /* flags that a learner must have (THR_SHARES and so on) */
    bool in_pairs;  /* an update moves two functions against each other */
    bool splits;    /* with the third label the shared function becomes one per label */
    /* The number of functions for n labels, where they are not shared. */
    uint64_t (*functions)(uint64_t labels);
    /* A label's value, made from those of the functions. It is linear in them, so that the same
     * formula serves scores, weights and what no feature contributes. */
    double (*fold)(thr_value_fn *value, const void *from, uint32_t label, uint32_t labels);
    /* For mixing: the number that function f gets when label l is renumbered to label[l], and
     * whether its sign turns. */
    uint32_t (*renumber)(uint32_t f, const uint32_t *label, bool *turned);
    /* The label that gains when function f rises, and the one that loses; THR_NONE if none does. */
    void (*sides)(uint32_t f, uint32_t *label, uint32_t *against);
    /* The most functions that one example moves. */
    uint32_t (*moves)(const thr_rule *r);
    /* Teaches all functions an example of this label; `live` are their values. Returns whether any
     * moved. */
    bool (*learn)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                  const double *live);
} thr_policy;

/* How many wrong labels learn from an example under the policy `rivals`: the fewest with which the
 * panel is as accurate as with all (docs/THEORY.md). */
#define THR_RIVALS 4

extern const thr_policy thr_one_vs_all, thr_rivals, thr_direct, thr_all_pairs;
extern const thr_policy *const thr_policies[]; /* NULL-terminated */
const thr_policy *thr_policy_find(const char *name);

#endif
