/* Calibration: probabilities from scores, fitted online (Platt 1999).
 *
 * With e_l the evidence for label l (a score divided by the example's extent, model/member.h):
 *
 *   one label of many   z_l = (e_l - mean e) / size
 *                       p_l = exp(a z_l + b_l) / sum_k exp(a z_k + b_k)
 *   multi-label         z_l = e_l / size
 *                       p_l = 1 / (1 + exp(-(a z_l + b_l)))
 *
 * Platt fits a and b on held-out examples. Here each example is scored before the rule learns from
 * it, so its score is as good as held-out, and every example can be used.
 *
 *   size   the usual size of the evidence: the geometric mean over examples of its root mean
 *          square. Dividing by it keeps z near 1 whatever scale a rule's weights have. Examples
 *          whose scores are equal, or differ by rounding alone, are left out: a tie says nothing
 *          about the size, and the logarithm of a rounding error would outweigh all others.
 *   a, b   the slope and one offset per label. Every example makes one Newton step on the log loss
 *          -log p. The Hessian is approximated by an arrow: each b_l is coupled to a, but not to
 *          the other offsets, so a step costs time linear in the number of labels.
 *
 * Forgetting. A rule gets better as it learns, so its early scores say little about later ones.
 * After t examples the i-th counts for about (i/t)^2, and for little once some 10,000 more have
 * come. By the 16384th example a single one hardly moves the fit; from then on only every eighth is
 * used, and forgets six times as much. docs/THEORY.md has measurements of what that costs.
 *
 * Repeats. Only examples met for the first time teach a and b: a rule is too sure of examples that
 * it has learned from. Scores of examples met again may make the size smaller, as they must for a
 * rule whose scores shrink with time, but not larger.
 *
 * One calibration belongs to one member. It is small and is copied for a snapshot. */
#ifndef THR_MEASURE_CALIBRATION_H
#define THR_MEASURE_CALIBRATION_H

#include "base/error.h"

/* One fitted number, with the decayed second derivatives of the loss. */
typedef struct thr_fit {
    double value, curvature; /* the number, and the second derivative in it */
    double cross;            /* mixed second derivative with the slope; 0 for the slope itself */
} thr_fit;

/* Many of them, each number in an array of its own, so that loops over labels are vectorised. */
typedef struct thr_fits {
    double *value, *curvature, *cross;
    double *gradient; /* in the current example; not saved */
} thr_fits;

typedef struct thr_calibration {
    double seen;     /* examples met for the first time */
    double log_size; /* mean logarithm of the size of their evidence */
    double again;    /* examples met again since the last new one */
    double log_now;  /* the same mean, with the examples met again included */
    thr_fit slope;
    thr_fits offset;      /* per label */
    double size, size_of; /* cache: the size, and the logarithm it was computed from; not saved */
    bool fixed;           /* slope, offsets and size are given and not fitted */
    bool of_logits;       /* the evidence is a logit already: its size is 1 */
    bool sizes_rounding;  /* older rules: scores that differ by rounding alone have a size too */
    bool in_order; /* older rules: sums over labels are added up one after another (base/sum.h),
                      and numbers divided that may be multiplied */
    uint32_t n;    /* labels */
    size_t room;
} thr_calibration;

void thr_calibration_init(thr_calibration *c);
/* For evidence that is a logit already, as that of a mixture (model/mixture.h): the slope starts at
 * 1 and is not measured in units of the evidence's size. */
void thr_calibration_init_logits(thr_calibration *c);
/* The slope is given, per unit of the evidence, and nothing is fitted: offsets are 0, the size is
 * 1. */
void thr_calibration_fix(thr_calibration *c, double slope);
void thr_calibration_clear(thr_calibration *c);
/* Makes room for `labels` labels, without adding them. */
int thr_calibration_reserve(thr_calibration *c, uint32_t labels, thr_error *err);
/* From now on there are `labels` labels; new ones have offset 0. Cannot fail after a reserve. */
int thr_calibration_widen(thr_calibration *c, uint32_t labels, thr_error *err);
int thr_calibration_copy(const thr_calibration *c, thr_calibration *out, thr_error *err);
/* The curvature of a fit that has seen nothing, and the largest size of its numbers. */
double thr_calibration_prior(const thr_calibration *c);
#define THR_FIT_MOST 1e100
/* The fit of a label's offset, and a change of it from outside. */
thr_fit thr_calibration_offset(const thr_calibration *c, uint32_t label);
void thr_calibration_set_offset(thr_calibration *c, uint32_t label, thr_fit offset);
/* Whether all numbers are within the ranges that learning keeps. Used after reading a file, which
 * may hold anything. */
bool thr_calibration_sound(const thr_calibration *c);
/* Logarithms of the labels' probabilities, given the evidence in `score`: for one label of many,
 * and for multi-label data. Labels that are not candidates get -infinity; `candidate` may be
 * NULL. */
void thr_calibration_one(const thr_calibration *c, const double *score, const bool *candidate,
                         double *log_p);
void thr_calibration_each(const thr_calibration *c, const double *score, const bool *candidate,
                          double *log_p);
/* The logits a z_l + b_l of multi-label data, from which thr_log_sigmoid makes the same logarithms,
 * in place. */
void thr_calibration_weigh_each(const thr_calibration *c, const double *score, double *logit);
void thr_log_sigmoid(double *z, uint32_t n);
/* thr_calibration_one without the normalisation. A panel normalises all its members at once with
 * thr_log_normalize. */
void thr_calibration_weigh(const thr_calibration *c, const double *score, const bool *candidate,
                           double *log_p);
/* As if two further examples had been seen whose labels can be anything, after Laplace's rule of
 * succession: after t examples p becomes (t p + 2/n) / (t + 2), where n is the number of labels to
 * choose from, or 2 for each label of multi-label data. A fit to few examples knows nothing of the
 * evidence that its rule will have later, and claims too much: no t examples can show that a label
 * is much rarer than 1/t. The order of the labels stays as it is. */
#define THR_TEMPER 2
void thr_calibration_temper(const thr_calibration *c, const bool *candidate, bool each, double *p);
/* Whether a label of multi-label data is predicted, given its logit: its probability, tempered
 * after `seen` examples, is at least the threshold. At a threshold of 1/2 the logit must be above
 * 0: so a label of which nothing is known is not predicted, and before the first example was fitted
 * the sign of the score decides. */
#define THR_EVEN_ODDS 0.5
bool thr_calibration_reaches(double seen, double logit, double threshold);
/* The usual size of the evidence. */
double thr_calibration_size(const thr_calibration *c);
/* Whether the next example met for the first time will be used. */
bool thr_calibration_listens(const thr_calibration *c);
/* Learns from an example met for the first time: its evidence, and the probabilities p that were
 * computed from it. `counts`, in (0, 1], is how much it counts. If the calibration does not listen,
 * the example is only counted, and neither array is read. For multi-label data the probabilities
 * are given by their logarithms. */
void thr_calibration_learn_one(thr_calibration *c, const double *score, const double *p,
                               uint32_t label, double counts);
void thr_calibration_learn_each(thr_calibration *c, const double *score, const bool *candidate,
                                const double *log_p, const bool *truth);
/* Learns the size from an example met again. */
void thr_calibration_see_repeat(thr_calibration *c, const double *score);
void thr_calibration_see_repeat_each(thr_calibration *c, const double *score);
/* One of several calibrations to be mixed. */
typedef struct thr_calibration_part {
    const thr_calibration *from;
    const uint32_t *label; /* label i of the result is its label[i] */
    double share, times;   /* its weight in means; how often each of its examples counts in sums */
} thr_calibration_part;
/* Mixes n calibrations into c, which is fresh. The scores of the mixed rule are not known, so this
 * is a guess that further examples correct. `base`: the calibration that all others were trained
 * from, or NULL; what it has learned counts once. */
void thr_calibration_mix(thr_calibration *c, const thr_calibration_part *part, size_t n,
                         const thr_calibration_part *base);

#endif
