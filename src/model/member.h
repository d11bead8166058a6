/* One rule with its weights, as a model has one or, in a panel, several. It sees examples in its
 * own way (with or without bias, scaled or not), gives every label a score and a probability, and
 * learns. Labels and features are the model's. */
#ifndef THR_MODEL_MEMBER_H
#define THR_MODEL_MEMBER_H

#include "measure/calibration.h"
#include "multiclass/labels.h"
#include "multiclass/policy.h"
#include "multiclass/rule.h"

typedef struct thr_member {
    char *spec; /* as given: NAME[:key=value,...] */
    thr_rule rule;
    thr_weights weights;
    thr_memory memory;
    thr_calibration calibration;
    uint32_t anchor; /* the label a shared function scores */
    uint64_t mistakes, updates;
    bool apart; /* a function for each label, even where two could share one */
    size_t at;  /* where its functions' values stand in a case; the model's */
} thr_member;

/* `spec` has n bytes. In a panel a policy that the rule does not have is not an error. */
int thr_member_init(thr_member *k, const char *spec, size_t n, const char *policy, unsigned rules,
                    bool in_panel, bool apart, thr_error *err);
void thr_member_clear(thr_member *k);
/* `to` is empty; `from` becomes so. */
void thr_member_move(thr_member *from, thr_member *to);
/* What k has learned, shared with it; small state is copied. `goes_on`: k will still learn. */
int thr_member_share(const thr_member *k, thr_member *out, bool goes_on, thr_error *err);
/* One function for both of at most two labels? */
bool thr_member_shares(const thr_member *k, const thr_labels *labels);
/* How many functions that many labels have. */
uint64_t thr_member_functions(const thr_member *k, const thr_labels *labels);
/* Labels have been added to `before` others: one, or several where each has its own function. Room
 * is made first, which can fail and then leaves the member as it was. */
int thr_member_widen_ready(thr_member *k, const thr_labels *labels, uint32_t before,
                           thr_error *err);
void thr_member_widen(thr_member *k, const thr_labels *labels, uint32_t before);

/* The example as this rule sees it. `whole` has the bias last and is not scaled; `unit` scales: 1
 * always, 0 never, -1 if it is `text` and the rule likes it. */
void thr_member_view(const thr_member *k, const thr_example *whole, int unit, bool text,
                     thr_example *e);
/* Whether the rule can take its values; the place of the one it cannot. */
bool thr_member_takes(const thr_member *k, const thr_example *e, size_t *at);
/* Label scores in `label`; returns the predicted label or, where one function serves two labels of
 * which one is known, maybe the one still unknown. THR_NONE when none is known. */
uint32_t thr_member_score(const thr_member *k, const thr_labels *labels, const thr_example *e,
                          double *live, double *shown, double *label);
/* Scores made comparable between examples, n of them: what probabilities are made of. */
void thr_member_evidence(const thr_member *k, const thr_example *e, const double *label, uint32_t n,
                         double *evidence);
/* ... by dividing them by this. */
double thr_member_extent(const thr_member *k, const thr_example *e);
/* Room for learning from e, whose label is known by now and whose rows are ready. */
int thr_member_ready(thr_member *k, const thr_labels *labels, const thr_example *e, thr_error *err);
/* What follows from all kept examples at once is made, and undone before learning goes on. */
int thr_member_finish(thr_member *k, thr_error *err);
int thr_member_resume(thr_member *k, thr_error *err);
/* Returns whether it moved. */
bool thr_member_learn(thr_member *k, const thr_labels *labels, const thr_example *e,
                      const double *live);
/* Whether a label has a function, its own or a shared one, that can be moved by itself. */
bool thr_member_can_push(const thr_member *k, const thr_labels *labels);
/* Moves that of e->label up or down, whatever it says. Returns whether it moved. */
bool thr_member_push(thr_member *k, const thr_labels *labels, const thr_example *e,
                     const double *live, int sign);
/* What a feature weighs for a label, and what no feature contributes. */
double thr_member_weight(const thr_member *k, const thr_labels *labels, uint32_t id, uint32_t label,
                         uint32_t known);
/* The same of n features from `id` on and every label, out[i * labels + label] (of a regressor one
 * number each). `room` is for thr_member_weigh_room numbers. */
void thr_member_weigh(const thr_member *k, const thr_labels *labels, uint32_t id, size_t n,
                      uint32_t known, double *out, double *room);
size_t thr_member_weigh_room(const thr_member *k, size_t n);
double thr_member_rest(const thr_member *k, const thr_labels *labels, const thr_example *e,
                       uint32_t label);

#endif
