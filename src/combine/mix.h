/* What the files that mix models share: the models to be mixed, and the result (mix.c). */
#ifndef THR_COMBINE_MIX_H
#define THR_COMBINE_MIX_H

#include "learner/mix.h"
#include "model/inside.h"

/* One of the models, or the base, and how its ids and labels map to those of the result. */
typedef struct thr_mix_part {
    const thr_model *m;
    thr_model *own;  /* m, if it is a clone that we made; else NULL */
    uint32_t *fresh; /* per feature here: its id in the result */
    uint32_t *id;    /* per feature of the result: its id here, or THR_NONE */
    uint32_t *label; /* per label of the result, with at least two places: its number here */
    uint32_t *to;    /* per label here: its number in the result */
} thr_mix_part;

typedef struct thr_mix {
    size_t n;           /* models */
    size_t all;         /* models and the base, if there is one */
    thr_mix_part *part; /* [all] */
    thr_mix_part *base; /* the last of these, or NULL */
    /* [all] share: weight in means, sum 1 over the models; times: how often each example counts in
     * sums. Those of the base are 1. */
    double *share, *times;
    const thr_rule **rule; /* [all], of the member that is mixed at the moment */
    const thr_panel **panel;
    thr_calibration_part *calibration;
    double *in; /* [part][slot]: the numbers of one feature and function */
    /* [part][slot][function]: those of one feature, each slot of the member `functions` wide */
    double *row;
    size_t functions;
    thr_model *out;
} thr_mix;

/* Makes p->m a clone that may be changed, unless it is one. */
int thr_mix_own(thr_mix_part *p, thr_error *err);
/* Takes members that some part has paused out of the others, in clones (mix_paused.c). */
int thr_mix_paused(thr_mix *x, thr_error *err);
/* Takes the same members out of the result, which is fresh. */
void thr_mix_pause_result(thr_mix *x);
/* Mixes member k (mix_member.c). */
int thr_mix_member(thr_mix *x, uint32_t k, thr_error *err);
/* Mixes the calibrations that are in x->calibration[i].from. */
void thr_mix_calibration(const thr_mix *x, thr_calibration *to);
/* Gives the result the units of all models, and replaces models whose weights belong to other units
 * by clones in which they are converted. Labels and features are matched. */
int thr_mix_units(thr_mix *x, thr_error *err);
/* Whether model i has met no greater value of a feature since the base. Else what it has learned of
 * the feature was converted into another unit, by rounded steps. */
bool thr_mix_same_unit(const thr_mix *x, size_t i, uint32_t id);

#endif
