/* A member: one rule with its weights. A model has one or, in a panel or race, several. A member
 * sees examples in its own way (with or without bias, scaled or not), scores every label, turns
 * scores into probabilities, and learns. Features and labels are the model's.
 *
 * How many functions a member has follows from the number of labels:
 *
 *   labels           functions
 *   0, 1 or 2        1, shared: it scores the label `anchor`, and the other label has its negative
 *   3 or more        one per label, or one per pair of labels (multiclass/policy.h)
 *
 * Rules that cannot share (bayes, knn, rules), and all rules for multi-label data (`apart`), have
 * one function per label from the start. When the third label arrives a shared function is split
 * (multiclass/split.h). */
#ifndef THR_MODEL_MEMBER_H
#define THR_MODEL_MEMBER_H

#include "measure/calibration.h"
#include "multiclass/labels.h"
#include "multiclass/policy.h"
#include "multiclass/rule.h"

#define THR_MOST_MEMBERS   64u                 /* of a panel */
#define THR_MOST_FUNCTIONS (UINT32_C(1) << 24) /* all-pairs has one for each pair of labels */

typedef struct thr_member {
    char *spec; /* as given: NAME[:key=value,...] */
    thr_rule rule;
    thr_weights weights;
    thr_memory memory; /* kept examples; rule.memory points here if the rule keeps any */
    uint32_t anchor;   /* 0 or 1: the label that a shared function scores */
    double slope;      /* of the sigmoid, if it was given; 0: it is fitted */
    bool scaled;       /* sees scaled values (units.h); set when the model is assembled */
    bool apart;        /* one function per label, even where two could share one */
    size_t at;         /* index of its first function in thr_case.live; set by thr_model_lay_out */
    THR_APART(lane);   /* what a lane writes while the next examples are found (step/stretch.h) */
    thr_calibration calibration;
    uint64_t updates;  /* of this member alone */
    THR_APART(finish); /* what the learning thread writes meanwhile */
    uint64_t mistakes; /* of this member alone */
    THR_APART(next);   /* panels have an array of members */
} thr_member;

/* `spec` has n bytes. `in_panel`: a multi-class policy that the rule does not have is replaced by
 * the rule's default, and rules that cannot be in a panel are refused. On failure the caller clears
 * k. */
int thr_member_init(thr_member *k, const char *spec, size_t n, const char *policy, unsigned rules,
                    bool in_panel, bool apart, thr_error *err);
void thr_member_clear(thr_member *k);
/* Moves `from` to `to`, which holds nothing; `from` then holds nothing. */
void thr_member_move(thr_member *from, thr_member *to);
/* Makes *out a member that has learned what k has. Weights and kept examples are shared, small
 * state is copied. `keeps_learning`: k can still learn, so its own writes must copy from now on. */
int thr_member_share(const thr_member *k, thr_member *out, bool keeps_learning, thr_error *err);
/* Whether one function serves both of at most two labels. */
bool thr_member_shares(const thr_member *k, const thr_labels *labels);
/* The number of functions for these labels; more than THR_MOST_FUNCTIONS are refused. */
uint64_t thr_member_functions(const thr_member *k, const thr_labels *labels);
/* Labels have been added to `before` others. The first function makes room for their functions; it
 * can fail, and then the member is as it was. The second makes them and cannot fail. Several labels
 * may be added at once only where each has its own function. `known`: features met so far. */
int thr_member_widen_ready(thr_member *k, const thr_labels *labels, uint32_t before, uint32_t known,
                           thr_error *err);
void thr_member_widen(thr_member *k, const thr_labels *labels, uint32_t before, uint32_t known);

/* Gives the sigmoid a fixed slope, P = 1/(1 + exp(-slope score)). A shared function's two labels
 * have scores s and -s, so half of it belongs to each. */
void thr_member_fix_slope(thr_member *k, const thr_labels *labels, double slope);

/* The example as this rule sees it: without the bias, if the rule wants none, and scaled to length
 * 1 if `unit` is 1, or if it is -1, the example is `text` and the rule likes that. `whole` has the
 * bias last and is not scaled. */
void thr_member_view(const thr_member *k, const thr_example *whole, int unit, bool text,
                     thr_example *e);
/* Whether the rule can take the values of e. If not, *at is the place of the first negative one. A
 * rule that sees scaled values can take any: what it must not see has been replaced by 0. */
bool thr_member_takes(const thr_member *k, const thr_example *e, size_t *at);
/* Turns the values of the functions, `shown`, into scores of the labels. Returns the label that is
 * predicted among the candidates (NULL: all); THR_NONE if no label is known; from a shared function
 * maybe the number of a label not met yet. */
uint32_t thr_member_label(const thr_member *k, const thr_labels *labels, const bool *candidate,
                          const double *shown, double *score);
/* What scores grow with from example to example: its length, unless the rule says otherwise. Scores
 * divided by it are comparable between examples; the calibration turns these into probabilities. */
double thr_member_extent(const thr_member *k, const thr_example *e);
/* Makes room for learning from e, whose label is known and whose rows exist. The update itself
 * cannot fail then. */
int thr_member_ready(thr_member *k, const thr_labels *labels, const thr_example *e, thr_error *err);
/* For rules that are fitted to all kept examples at once: fits the rule when training ends, and
 * goes back to the fit of the last doubling before training goes on. */
int thr_member_finish(thr_member *k, thr_error *err);
int thr_member_resume(thr_member *k, thr_error *err);
/* Learns from e; `live` are the values that scoring gave. Returns whether any weight moved. */
bool thr_member_learn(thr_member *k, const thr_labels *labels, const thr_example *e,
                      const double *live);
/* Whether a label has a function, its own or a shared one, that can be moved by itself. */
bool thr_member_can_push(const thr_member *k, const thr_labels *labels);
/* Moves the function of e->label up (+1) or down (-1), as if it were wrong. Returns whether any
 * weight moved. */
bool thr_member_push(thr_member *k, const thr_labels *labels, const thr_example *e,
                     const double *live, int sign);
/* The effective weight of a feature for a label. `known` as in thr_example. */
double thr_member_weight(const thr_member *k, const thr_labels *labels, uint32_t id, uint32_t label,
                         uint32_t known);
/* The weights of n features from `id` on for every label: out[i * labels + label], one per feature
 * for a regressor. The same bits as thr_member_weight, but faster. `room` is scratch for
 * thr_member_weigh_room(k, n) numbers. */
void thr_member_weigh(const thr_member *k, const thr_labels *labels, uint32_t id, size_t n,
                      uint32_t known, double *out, double *room);
size_t thr_member_weigh_room(const thr_member *k, size_t n);
/* The part of a label's score that no feature contributes, such as Winnow's threshold. */
double thr_member_rest(const thr_member *k, const thr_labels *labels, const thr_example *e,
                       uint32_t label);

#endif
