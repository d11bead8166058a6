/* Examples that the lab keeps in arrays: to visit them again, to test on them, and to compute what
 * a theorem needs to know about them. Boolean examples are lists of the variables that are true. */
#ifndef THR_LAB_CLOUD_H
#define THR_LAB_CLOUD_H

#include "lab/student.h"

#include "thresh_theory.h"

typedef struct thr_cloud {
    size_t n;        /* examples */
    size_t *end;     /* features of example i: end[i-1] (0 if i = 0) <= f < end[i] */
    bool *positive;  /* label */
    uint32_t *key;   /* of each feature, from 1 */
    float *x;        /* its value */
    uint32_t keys;   /* the greatest key */
    size_t features; /* of all examples together */
    size_t end_room, positive_room, key_room, x_room;
    bool failed; /* out of memory */
} thr_cloud;

void thr_cloud_clear(thr_cloud *p);
/* Copies an example. `x` may be NULL: all values are 1. */
void thr_cloud_add(thr_cloud *p, bool positive, const uint32_t *key, const float *x, size_t n);
/* Adds n examples from a generator. */
int thr_cloud_draw(thr_cloud *p, thr_gen *g, uint64_t n, thr_error *err);
/* Adds n examples from a new generator. */
int thr_cloud_generate(thr_cloud *p, const char *spec, uint64_t seed, uint64_t n, thr_error *err);
/* Adds all points of {0,1}^n, labelled by `truth`. In point i variable v is true if bit v - 1 of i
 * is set. */
void thr_cloud_cube(thr_cloud *p, unsigned n, bool (*truth)(unsigned point));

size_t thr_cloud_start(const thr_cloud *p, size_t i);
/* w.x of example i. w is indexed by key; w[0] is not used. */
double thr_cloud_dot(const thr_cloud *p, size_t i, const double *w);
double thr_cloud_length2(const thr_cloud *p, size_t i);

/* Predicts example i, then learns it. Returns whether the prediction was wrong. */
bool thr_cloud_teach(const thr_cloud *p, size_t i, thr_student *s);
/* Mistakes in one pass. */
uint64_t thr_cloud_pass(const thr_cloud *p, thr_student *s);
/* The number of passes until one makes no mistake, including that one; 0 if none of `most` passes
 * does. */
unsigned thr_cloud_until_clean(const thr_cloud *p, thr_student *s, unsigned most);
bool thr_cloud_is_wrong(const thr_cloud *p, size_t i, thr_student *s); /* learns nothing */
uint64_t thr_cloud_wrong(const thr_cloud *p, thr_student *s);          /* of all */

#endif
