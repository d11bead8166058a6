/* A learner in the lab: a model that sees examples over numbered features, one by one or from a
 * generator. Labels are "1" and "-1", and others that the caller declares. The first failure is
 * kept in `code` and every later call returns at once, so an experiment may check once after a
 * loop. */
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

/* `learner` is a spec `name:options`; `settings` is `name=value name=value ...` or NULL. The labels
 * -1 and 1 are declared, so that 1 is the positive label from the start. After a failure, too, the
 * caller closes the student. */
int thr_student_open(thr_student *s, const char *learner, const char *settings, thr_error *err);
void thr_student_close(thr_student *s);
/* Predicts, then learns. Returns whether the prediction was wrong; false after a failure. `x` may
 * be NULL: all values are 1. */
bool thr_student_learns(thr_student *s, bool positive, const uint32_t *key, const float *x,
                        size_t n);
/* The score of the positive label; learns nothing. If the caller has declared further labels (at
 * most THR_STUDENT_LABELS in all), half of its lead over the negative label. */
enum { THR_STUDENT_LABELS = 4 };
double thr_student_scores(thr_student *s, const uint32_t *key, const float *x, size_t n);
/* For a linear learner: the weights of features 1 to n for the positive label, measured as what
 * each feature alone adds to the score. Returns the score of the empty example. */
double thr_student_weights(thr_student *s, size_t n, double *weight);
/* The score of the positive label minus that of the negative one: the log-odds if scores are
 * logarithms of probabilities. */
double thr_student_margin(thr_student *s, const uint32_t *key, const float *x, size_t n);
/* Whether it predicts the positive label; learns nothing. */
bool thr_student_says(thr_student *s, const uint32_t *key, const float *x, size_t n);
/* Learns n examples of a generator. */
int thr_student_reads(thr_student *s, thr_gen *g, uint64_t n);
thr_stats thr_student_stats(const thr_student *s);
/* The stored weight of a feature for the positive label; 0 if the feature was never seen. Only for
 * models with two labels. */
double thr_student_weight(const thr_student *s, uint32_t key);
double thr_student_bias(const thr_student *s);

/* Counts the mistakes and updates of a new learner on n examples of a new generator. */
int thr_lab_count(const char *learner, const char *gen, uint64_t seed, uint64_t n, thr_stats *out,
                  thr_error *err);

#endif
