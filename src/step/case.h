/* A case: one example while it is worked out. It holds the rows of the example's features in every
 * member's table, each member's view of the example, all scores and probabilities, and which labels
 * are true, possible and predicted.
 *
 * Notation: M members, E = M + 1 experts (the members and, in a panel, their blend), n labels,
 * L = n + 2, F functions of all members together, W functions of the widest member. L has two
 * places more than there are labels, because a function shared by two labels may predict label 0
 * or 1 before that label has been met (multiclass/labels.h).
 *
 * All numbers of a case lie in one allocation, `numbers`:
 *
 *   live   shown   score     evidence  log_p     answer  log_probability  probability  room
 *   F      W       M rows    M rows    E rows    L       L                L            scratch
 *                  stride L  stride n  stride n
 *
 * The last row of log_p is the blend's, or the z_l of a mixture. Without a panel's decision (a
 * single member, or a race) `answer` is the first member's row of `score`.
 *
 * A step fills the parts of a case in this order:
 *
 *   lay out     all arrays get their size                        thr_case_lay_out
 *   filter      id, x, place: features that count                thr_case_filter
 *   find        row, spare, view                                 thr_workspace_find
 *     scale     form, scaled, positive                           thr_case_scale
 *   restrict    candidate, restricted                            thr_case_restrict
 *   score       live, score, predicted; panel: evidence, log_p   thr_case_score, per member
 *   decide      answer, log_probability (not yet normalised)     thr_case_decide
 *   choose      chosen, truth: only with several labels          thr_case_choose, _mark_truth
 *   compare     wrong                                            thr_case_compare
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
#include "weights/weights.h"

#include "thresh.h"

typedef struct thr_case {
    double *live;     /* per function of every member, member k's from member[k].at on: the
                         values that learning goes by, before averaging and the like */
    double *shown;    /* per function of the member that scored last: values for predicting */
    double *score;    /* [member][label], stride L: scores of the labels, made from `shown` */
    double *evidence; /* [member][label], stride n: scores made comparable between examples */
    double *log_p;    /* [expert][label], stride n: logarithms of probabilities; in a mixture the
                         members' logits, which are not normalised */
    double *answer;   /* per label: the scores that are reported; in a panel the votes, or how far
                         a label leads in the mixture */
    double *log_probability; /* per label: logarithm of the probability that is reported */
    bool unnormalised;       /* `log_probability` are panel scores before the softmax */
    double *probability;     /* per label: the probability that is reported */
    double *room;            /* scratch of the rules: `scratch` numbers */
    size_t scratch;
    thr_gathered *gathered; /* [member]: numbers that scoring has gathered from the rows, for the
                               update to reuse. NULL unless laid out for learning */
    uint32_t *predicted;    /* per expert: the label it predicts, THR_NONE if it predicts nothing */
    bool *wrong;            /* per expert: whether that was a mistake */
    bool *truth;            /* per label, where several may be true: whether it is true */
    bool *chosen;           /* per label, where several may be true: whether it is predicted */
    bool *candidate;        /* per label: whether it may be the answer; valid if `restricted` */
    bool restricted;        /* the example lists the labels that may be the answer */
    char **row;             /* addresses of the features' rows, where they were not found ahead */
    char *spare;            /* memory for rows of start values: features that have no row */
    thr_example *view; /* [member]: the example as each member sees it; points into this case */
    /* The example with scaled values, if `formed` (model/units.h): as most members see it, and as
     * those do that cannot take negative values. They own nothing: `scaled` and `positive` have
     * the values. */
    bool formed;
    thr_example form[2];
    float *scaled, *positive;
    float *ratio; /* in learning: by what the values of each feature have shrunk just now */
    size_t grown; /* how many of these are not 1 */
    size_t scaled_room, positive_room, ratio_room;
    double length; /* of the whole example, by which a mixture divides; 1 if it is 0 */
    uint32_t top;  /* in learning: the greatest id of the example before filtering */
    bool filtered; /* features below min-count were left out; the rest is in id, x, place */
    uint32_t *id;
    float *x;
    size_t *place;     /* per feature: its position among the features before filtering */
    double *numbers;   /* the allocation that holds all arrays of numbers above */
    bool *flags;       /* the allocation that holds truth, chosen and candidate */
    thr_layout layout; /* the layout that all of this was made for */
    size_t numbers_room, predicted_room, wrong_room, spare_room, view_room, flag_room;
    size_t id_room, x_room, place_room, gathered_room, row_room;
} thr_case;

void thr_case_clear(thr_case *c);
/* Makes room for one example of m; `learning`: for its update too. Does nothing if c is laid out
 * for m's layout already. It does not look at `learning` then: a caller that changes the purpose
 * must first zero c->layout. False: out of memory. */
bool thr_case_lay_out(thr_case *c, const thr_model *m, bool learning);
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
/* The form of `whole` that member k sees, before it leaves out the bias and scales the length. */
const thr_example *thr_case_form(const thr_model *m, const thr_case *c, uint32_t k,
                                 const thr_example *whole);
/* Whether the values of an example's features are left as they are, except those of numbers: counts
 * of words are scaled by the length of the text alone. */
bool thr_model_keeps_values(const thr_model *m, const thr_batch *b, size_t i);
/* The position that feature i of the filtered example had before. */
size_t thr_case_place(const thr_case *c, size_t i);

/* Marks the labels that may be the answer, if the example lists them. Must be repeated after a
 * label has been added. */
void thr_case_restrict(const thr_model *m, thr_case *c, const thr_batch *b, size_t i,
                       thr_example *whole);
/* For multi-label data: marks the labels that are true, and those that are predicted. */
void thr_case_mark_truth(const thr_model *m, thr_case *c, const thr_batch *b, size_t i);
void thr_case_choose(const thr_model *m, thr_case *c);
/* Whether member k by itself predicts a label, which must be a candidate: its probability is at
 * least the threshold or, in a model of the first rules, its score is above 0. */
bool thr_case_chooses(const thr_model *m, const thr_case *c, uint32_t k, uint32_t label);

/* ---- scoring (score.c) ---- */

/* Scores the example by member k: its scores go to c->score, its label to c->predicted[k]. */
void thr_case_score(const thr_model *m, thr_case *c, uint32_t k);
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
