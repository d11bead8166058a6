/* What the two forms of naive Bayes share; each is a const struct chosen by `kind`. */
#ifndef THR_LEARNER_BAYES_H
#define THR_LEARNER_BAYES_H

#include "learner/mix.h"

enum { THR_BAYES_KIND, THR_BAYES_ALPHA };                                      /* options */
enum { THR_BAYES_EXAMPLES, THR_BAYES_WORDS, THR_BAYES_ABSENT, THR_BAYES_MET }; /* per function */
enum { THR_BAYES_ALL }; /* state: weight of all examples */

/* log 0: each impossible feature costs this much, so that fewer of them win; no infinities. */
#define THR_LOG_ZERO (-1e6)

typedef struct thr_bayes_kind {
    void (*slots)(thr_rule *r);
    double (*base)(const thr_rule *r, uint32_t f, uint32_t known); /* beside the prior */
    void (*add)(const thr_rule *r, const thr_weights *w, const thr_example *e, double *out);
    void (*count)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f);
    double (*weight)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known);
    void (*weigh)(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n, uint32_t known,
                  double *out, double *room); /* NULL: one by one */
    /* As in thr_learner, `start` being set; NULL: weights of what is present are added to it. */
    void (*form)(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out);
    void (*terms)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2]); /* of a feature known before */
    /* What counting an occurrence moves: the denominator is all features' matter. */
    double (*live)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f);
    double (*extent)(const thr_example *e); /* NULL: 1 */
    int (*ready)(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
    int (*rebuild)(thr_rule *r, const thr_weights *w, thr_error *err);
    int (*share)(const thr_rule *from, thr_rule *to, thr_error *err);
    void (*release)(thr_rule *r);
    void (*forget)(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n);
    void (*mix)(const thr_rule *r, double count,
                double *slots); /* the slots of a count; not NULL */
    void (*derive)(thr_rule *r, const thr_weights *w, uint32_t known);
} thr_bayes_kind;

extern const thr_bayes_kind thr_bayes_multinomial, thr_bayes_bernoulli;

double thr_safe_log(double x);
void thr_safe_log_many(double *x, size_t n);
/* V: features known that count; id 0 is the bias, which is not used here. */
static inline double thr_bayes_features(const thr_rule *r, uint32_t known)
{
    return known > 1 ? (double)(known - 1) - (double)r->waiting : 0;
}

#endif
