/* What the two kinds of naive Bayes share. The option `kind` chooses one of two const structs
 * of functions, thr_bayes_multinomial and thr_bayes_bernoulli; bayes.c calls it. */
#ifndef THR_LEARNER_BAYES_H
#define THR_LEARNER_BAYES_H

#include "learner/mix.h"

enum { THR_BAYES_KIND, THR_BAYES_ALPHA, THR_BAYES_EXTENT }; /* options */
/* The numbers in thr_rule_state(r, f), for each function, that is, each label y. */
enum {
    THR_BAYES_EXAMPLES, /* n_y: summed importance of its examples */
    THR_BAYES_WORDS,    /* C_y: summed importance of its words (multinomial) */
    THR_BAYES_ABSENT,   /* sum of the absence terms of features that it has met (Bernoulli) */
    THR_BAYES_MET,      /* number of these features (Bernoulli) */
    THR_BAYES_STATE     /* how many numbers there are */
};
enum { THR_BAYES_ALL }; /* in r->state: summed importance of all examples */

/* What log 0 is taken as. A feature that is impossible under a label costs this much, so the
 * label with the fewest of them wins, and there are no infinities. */
#define THR_LOG_ZERO (-1e6)

typedef struct thr_bayes_kind {
    /* Sets the rule's slots. */
    void (*slots)(thr_rule *r);
    /* The score of function f without features and without the prior. May be NULL: 0. */
    double (*base)(const thr_rule *r, uint32_t f, uint32_t known);
    /* Adds to out[f] what the features of e contribute. */
    void (*add)(const thr_rule *r, const thr_weights *w, const thr_example *e, double *out);
    /* Counts e for function f. */
    void (*count)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f);
    /* As in thr_learner. May be NULL. */
    void (*rescale)(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                    size_t n, uint32_t f);
    /* weight, weigh_many, form and terms are as in thr_learner, for features that are known.
     * weigh_many, form and terms may be NULL. form finds out->start set to prior and base, and
     * the sum set to the weights of the features that are present. */
    double (*weight)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known);
    void (*weigh_many)(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                       uint32_t known, double *out, double *room);
    void (*form)(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out);
    void (*terms)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2]);
    /* The part of a weight that counting an occurrence of the feature changes: the denominator,
     * which all features share, is left out. */
    double (*live)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f);
    /* The rest is as in thr_learner and thr_mixer. All but mix may be NULL; without extent, the
     * extent is 1. */
    double (*extent)(const thr_example *e);
    int (*ready)(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
    int (*rebuild)(thr_rule *r, const thr_weights *w, thr_error *err);
    int (*share)(const thr_rule *from, thr_rule *to, thr_error *err);
    void (*release)(thr_rule *r);
    void (*forget)(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n);
    void (*mix)(const thr_rule *r, double count,
                double *slots); /* fills the slots of a row from its count */
    void (*derive)(thr_rule *r, const thr_weights *w, uint32_t known);
} thr_bayes_kind;

extern const thr_bayes_kind thr_bayes_multinomial, thr_bayes_bernoulli;

/* log x, or THR_LOG_ZERO if x <= 0; the second for n numbers in place, to the same bits. */
double thr_safe_log(double x);
void thr_safe_log_many(double *x, size_t n);
/* V: the number of known features that count. Id 0, the bias, is not one of them. */
static inline double thr_bayes_features(const thr_rule *r, uint32_t known)
{
    return known > 1 ? (double)(known - 1) - (double)r->waiting : 0;
}

#endif
