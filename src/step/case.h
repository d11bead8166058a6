/* A case: one example while it is worked out. It holds each member's view of the example, all
 * scores and probabilities, and which labels are true, possible and predicted.
 *
 * Notation: M members, E = M + 1 experts (the members and, in a panel, their blend), n labels,
 * L = n + 2, F functions of all members together. L has two places more than there are labels,
 * because a function shared by two labels may predict label 0 or 1 before that label has been met
 * (multiclass/labels.h).
 *
 * What there is one of for each label or function lies in one block, `by_label`:
 *
 *   live   shown   score     evidence  log_p     answer  log_probability  probability  favour  room
 *   F      F       M rows    M rows    E rows    L       L                L            L       M
 * rows stride L  stride n  stride n                                             of scratch
 *
 * Members have places of their own everywhere, so that several threads may work on one case, each
 * on its own members. No two cases have a cache line in common.
 *
 * The last row of log_p is the blend's, or the z_l of a mixture. Without a panel's decision (a
 * single member, or a race) `answer` is the first member's row of `score`.
 *
 * A step fills the parts of a case in this order:
 *
 *   lay out     all arrays get their size                        thr_case_lay_out
 *   filter      id, x, place: features that count                thr_case_filter
 *   view        view                                             thr_case_view
 *     scale     form, scaled, positive                           thr_case_scale
 *   find        the views' rows                                  thr_lane_find
 *   restrict    candidate, restricted, favour                    thr_case_restrict
 *   score       live, score, predicted; panel: evidence, log_p   thr_case_score, per member
 *   decide      answer, log_probability (not yet normalised)     thr_case_decide
 *   choose      chosen, truth: only with several labels          thr_case_choose, _mark_truth
 *   compare     wrong                                            thr_case_compare
 *   fit         the members' calibrations learn                  thr_case_fit, per member
 *   on demand   log_probability, probability                     thr_case_probabilities
 *
 * The workspace (workspace.h) owns its cases; one thread uses them. Results are valid until the
 * next example. When a label is added the model's layout changes: the arrays are laid out again,
 * possibly at other addresses and without their old contents, so nothing may keep a pointer into a
 * case across thr_model_widen. */
#ifndef THR_STEP_CASE_H
#define THR_STEP_CASE_H

#include "example/batch.h"
#include "measure/calibration.h"
#include "model/layout.h"
#include "model/member.h"
#include "step/prefetch.h"
#include "weights/weights.h"

#include "thresh.h"

typedef struct thr_case {
    double *live;     /* per function of every member, member k's from member[k].at on: the
                         values that learning goes by, before averaging and the like */
    double *shown;    /* per function of every member: values for predicting */
    double *score;    /* [member][label], stride L: scores of the labels, made from `shown` */
    double *evidence; /* [member][label], stride n: scores made comparable between examples */
    double *log_p;    /* [expert][label], stride n: logarithms of probabilities; in a mixture the
                         members' logits, which are not normalised */
    double *answer;   /* per label: the scores that are reported; in a panel the votes, or how far
                         a label leads in the mixture */
    double *log_probability; /* per label: logarithm of the probability that is reported */
    bool unnormalised;       /* `log_probability` are panel scores before the softmax */
    double *probability;     /* per label: the probability that is reported */
    double *favour; /* per label, where class weights differ: the logarithm of its weight, before
                       this example is counted */
    double *room;   /* [member]: scratch of its rule, `scratch` numbers for each */
    size_t scratch;
    double *seen;        /* per member: examples that its calibration had seen when it scored */
    uint32_t *predicted; /* per expert: the label it predicts, THR_NONE if it predicts nothing */
    bool *wrong;         /* per expert: whether that was a mistake */
    bool *moved;         /* in learning, per member: whether it has moved */
    bool *truth;         /* per label, where several may be true: whether it is true */
    bool *chosen;        /* per label, where several may be true: whether it is predicted */
    bool *candidate;     /* per label: whether it may be the answer; valid if `restricted` */
    bool restricted;     /* the example lists the labels that may be the answer */
    thr_example *view;   /* [member]: the example as each member sees it; points into this case */
    /* The example with scaled values, if `formed` (model/units.h): as most members see it, and as
     * those do that cannot take negative values. They own nothing: `scaled` and `positive` have
     * the values. */
    bool formed;
    thr_example form[2];
    float *scaled, *positive; /* both and `most` lie in `values` */
    float *most;              /* the units of its features (model/units.h) ... */
    bool measured;            /* ... since they were learned */
    thr_growth *grown;        /* in learning: the features whose units have grown just now */
    size_t n_grown;
    void *values;
    size_t value_room, values_room, grown_room; /* features; bytes; features */
    double length; /* of the whole example, by which a mixture divides; 1 if it is 0 */
    /* In learning: what was found out about the example before any member saw it. */
    thr_example whole; /* filtered, with its label and its weight */
    uint32_t top;      /* the greatest id of the example before filtering */
    bool known;        /* all its labels were known before it */
    bool repeated;     /* it has been met before (model/repeats.h) */
    bool fits;         /* members fit their probabilities to it (thr_case_fits) */
    double counts;     /* how much it counts where probabilities are fitted (measure/runs.h) */
    bool filtered;     /* features below min-count were left out; the rest is in id, x, place */
    uint32_t *id;
    float *x;
    size_t *place;     /* per feature: its position among the features before filtering */
    void *by_label;    /* all arrays of numbers, and truth, chosen and candidate */
    void *by_member;   /* view, seen, predicted, wrong and moved, which labels do not change */
    thr_layout layout; /* the layout that all of this was made for */
    size_t label_room, member_room; /* bytes */
    size_t id_room, x_room, place_room;
} thr_case;

void thr_case_clear(thr_case *c);
/* Makes room for one example of m. Does nothing if c is laid out for m's layout already. False: out
 * of memory. */
bool thr_case_lay_out(thr_case *c, const thr_model *m);
bool thr_case_is_laid_out(const thr_case *c, const thr_model *m);
/* Copies the label, the importance and the set of true labels of `whole` to every member's view.
 * Called once they are known, which is after the prediction. */
void thr_case_tell(thr_case *c, uint32_t members, const thr_example *whole);

/* Example i of a resolved batch, with its bias and not scaled: the form from which each member's
 * view is made. It borrows the batch's columns. */
void thr_model_example(const thr_model *m, const thr_batch *b, size_t i, thr_example *e);
/* The same without norm2 and greatest, which cost more than the rest. The batch need not be
 * resolved. */
void thr_model_outline(const thr_model *m, const thr_batch *b, size_t i, thr_example *e);
/* The same, filtered, as an explanation of the model's prediction shows it: as member `by` sees it,
 * or the mixture if that is NULL. The example has been scored in c. `out` may borrow arrays of the
 * case. */
int thr_model_view(const thr_model *m, thr_case *c, const thr_batch *b, size_t e,
                   const thr_member *by, thr_example *out, thr_error *err);

/* With min-count above 1, leaves out of e the features that have occurred too seldom; e then
 * borrows c->id and c->x. False: out of memory. */
bool thr_case_filter(const thr_model *m, thr_case *c, thr_example *e);
/* Makes the forms of `whole`, example i of b after filtering, if its values are to be scaled.
 * `row`: the rows of its features in the first member's table, if they were found. False: out of
 * memory. */
bool thr_case_scale(const thr_model *m, thr_case *c, const thr_example *whole, const thr_batch *b,
                    size_t i, char *const *row);
/* Makes room for `scaled`, `positive` and `most` of n features. False: out of memory. */
bool thr_case_make_values(thr_case *c, size_t n);
/* The form of `whole` that member k sees, before it leaves out the bias and scales the length. */
const thr_example *thr_case_form(const thr_model *m, const thr_case *c, uint32_t k,
                                 const thr_example *whole);
/* Whether the values of an example's features are left as they are, except those of numbers: counts
 * of words are scaled by the length of the text alone. */
bool thr_model_keeps_values(const thr_model *m, const thr_batch *b, size_t i);
/* Scales the values of `whole`, example i of b after filtering, and fills in each member's view of
 * it, except the rows. `row` as above. False: out of memory. */
bool thr_case_view(const thr_model *m, thr_case *c, const thr_example *whole, const thr_batch *b,
                   size_t i, char *const *row);
/* The position that feature i of the filtered example had before. */
size_t thr_case_place(const thr_case *c, size_t i);

/* Marks the labels that may be the answer, if the example lists them, and notes what class weights
 * add to them. Must be repeated after a label has been added. */
void thr_case_restrict(const thr_model *m, thr_case *c, const thr_batch *b, size_t i,
                       thr_example *whole);
/* For multi-label data: marks the labels that are true, and those that are predicted. */
void thr_case_mark_truth(const thr_model *m, thr_case *c, const thr_batch *b, size_t i);
void thr_case_choose(const thr_model *m, thr_case *c);
/* Whether member k by itself predicts a label, which must be a candidate: its probability is at
 * least the threshold or, in a model of the first rules, its score is above 0. */
bool thr_case_chooses(const thr_model *m, const thr_case *c, uint32_t k, uint32_t label);

/* ---- scoring (score.c) ---- */

/* Scores the example by members `first` to `end` - 1: their scores go to c->score, their labels to
 * c->predicted. Before each of them the next portion of `ahead` is requested. */
void thr_case_score(const thr_model *m, thr_case *c, uint32_t first, uint32_t end,
                    thr_prefetch *ahead);
/* The model's answer, once all members have scored: a label's number, which may be that of a label
 * not met yet, or THR_NONE. With a random vote, `round` seeds the draw; NULL takes the majority. */
uint32_t thr_case_decide(const thr_model *m, thr_case *c, const thr_example *whole,
                         const uint64_t *round);
/* The row of c->log_p that a mixture's z_l are in. */
double *thr_case_mixed(const thr_model *m, const thr_case *c);
/* What member k's scores are divided by, to make them comparable between examples. */
double thr_case_extent(const thr_model *m, const thr_case *c, uint32_t k);
/* Member k's row of c->score. */
double *thr_case_score_of(const thr_model *m, const thr_case *c, uint32_t k);
/* Member k's row of c->evidence: computed from its scores, or as it was computed last. */
double *thr_case_weigh(const thr_model *m, thr_case *c, uint32_t k);
double *thr_case_evidence(const thr_model *m, const thr_case *c, uint32_t k);
/* Computes c->log_probability and c->probability, its exponentials, after thr_case_decide: the
 * probabilities as they are fitted, and learned from. Does nothing for a regressor. */
void thr_case_fitted(const thr_model *m, thr_case *c);
/* Computes c->probability as it is reported: tempered where few examples were seen
 * (thr_calibration_temper). Models of earlier rules report the fitted ones. */
void thr_case_probabilities(const thr_model *m, thr_case *c);
/* The calibration that probabilities come from in the end, and by whose number of examples they are
 * tempered. NULL: they are not. */
const thr_calibration *thr_model_tempers(const thr_model *m);
/* Computes c->log_probability alone. */
void thr_case_log_probabilities(const thr_model *m, thr_case *c);
/* Of two labels: how far the positive one leads, by which examples can be ranked. 0 otherwise. A
 * panel's comes from c->log_probability, which thr_case_decide has filled. */
double thr_case_lead(const thr_model *m, const thr_case *c);

#endif
