/* A learner in the lab: a model that sees examples over numbered features, one by one or from a
 * generator. Labels are "1" and "-1", or what the caller names. A failure is kept and returned by
 * every later call, so an experiment may look once, at the end of a loop. */
#ifndef THR_LAB_STUDENT_H
#define THR_LAB_STUDENT_H

#include "base/error.h"

#include "thresh_theory.h"

typedef struct thr_student {
    thr_model *model;
    thr_batch *batch;
    thr_scratch *scratch;
    int code;
    thr_error *err;
} thr_student;

/* `learner:options`, and settings `name=value name=value` or NULL. The labels -1 and 1 are
 * declared, so that the greater is the positive one from the start. */
int thr_student_open(thr_student *s, const char *learner, const char *settings, thr_error *err);
void thr_student_close(thr_student *s);
/* Predicts, then learns. Whether the prediction was wrong; false after a failure. `x` may be NULL:
 * all are 1. */
bool thr_student_learns(thr_student *s, bool positive, const uint32_t *key, const float *x,
                        size_t n);
/* The score of the positive label; learns nothing. Where there are further labels (of the caller's
 * declaring, THR_STUDENT_LABELS at most), half of its lead over the negative one. */
enum { THR_STUDENT_LABELS = 4 };
double thr_student_scores(thr_student *s, const uint32_t *key, const float *x, size_t n);
/* The weights of features 1 to n, for the positive label, of a linear learner: what each alone adds
 * to the score. The score without any feature is returned. */
double thr_student_weights(thr_student *s, size_t n, double *weight);
/* The score of the positive label less that of the other: log-odds, where scores are logarithms. */
double thr_student_leads(thr_student *s, const uint32_t *key, const float *x, size_t n);
/* Whether it predicts the positive label; learns nothing. */
bool thr_student_says(thr_student *s, const uint32_t *key, const float *x, size_t n);
/* n examples of a generator. */
int thr_student_reads(thr_student *s, thr_gen *g, uint64_t n);
thr_stats thr_student_stats(const thr_student *s);
/* The weight of a feature for the positive label; 0 if it was never seen. */
double thr_student_weight(const thr_student *s, uint32_t key);
double thr_student_bias(const thr_student *s);

/* Mistakes and updates of one learner on n examples of one generator. */
int thr_lab_count(const char *learner, const char *gen, uint64_t seed, uint64_t n, thr_stats *out,
                  thr_error *err);

#endif
