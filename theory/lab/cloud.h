/* Examples that the lab keeps, as arrays: to see them again, to test on them, and to know what a
 * theorem must know about them. Boolean examples are lists of the variables that are 1. */
#ifndef THR_LAB_CLOUD_H
#define THR_LAB_CLOUD_H

#include "lab/student.h"

#include "thresh_theory.h"

typedef struct thr_cloud {
    size_t n;        /* examples */
    size_t *end;     /* the features of example i end here, and begin where those before end */
    bool *positive;  /* label */
    uint32_t *key;   /* of each feature, from 1 */
    float *x;        /* its value */
    uint32_t keys;   /* the greatest key */
    size_t features; /* of all examples */
    size_t end_room, positive_room, key_room, x_room;
    bool failed; /* out of memory */
} thr_cloud;

void thr_cloud_clear(thr_cloud *p);
/* `x` may be NULL: all are 1. */
void thr_cloud_add(thr_cloud *p, bool positive, const uint32_t *key, const float *x, size_t n);
/* n more from a generator, as they were drawn. */
int thr_cloud_draw(thr_cloud *p, thr_gen *g, uint64_t n, thr_error *err);
/* ... from a new one. */
int thr_cloud_generate(thr_cloud *p, const char *spec, uint64_t seed, uint64_t n, thr_error *err);
/* All points of {0,1}^n whose label `truth` gives; point i has variable v if bit v - 1 of i is
 * set. */
void thr_cloud_cube(thr_cloud *p, unsigned n, bool (*truth)(unsigned point));

size_t thr_cloud_start(const thr_cloud *p, size_t i);
/* w.x of example i; w has a place for every key, w[0] is not used. */
double thr_cloud_dot(const thr_cloud *p, size_t i, const double *w);
double thr_cloud_length2(const thr_cloud *p, size_t i);

/* Whether example i was predicted wrongly; it is learned. */
bool thr_cloud_teach(const thr_cloud *p, size_t i, thr_student *s);
/* Mistakes in one pass. */
uint64_t thr_cloud_pass(const thr_cloud *p, thr_student *s);
/* Passes until one made no mistake, that one counted; 0: never within `most`. */
unsigned thr_cloud_until_clean(const thr_cloud *p, thr_student *s, unsigned most);
bool thr_cloud_is_wrong(const thr_cloud *p, size_t i, thr_student *s); /* learns nothing */
uint64_t thr_cloud_wrong(const thr_cloud *p, thr_student *s);          /* of all */

#endif
