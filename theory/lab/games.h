/* The games an adversary plays: which examples are legal, and ways to draw hurtful ones. Features
 * are 1 to n. A game owns its arrays. */
#ifndef THR_LAB_GAMES_H
#define THR_LAB_GAMES_H

#include "lab/adversary.h"

/* Vectors of n >= 3 coordinates, of length 1 at most, with y x_1 >= gamma: R = 1, and e_1 has
 * margin gamma. With a `lift` there is one coordinate more, which always has this value: a third
 * label whose vector is -e_{n+1} loses to the others by it. */
typedef struct thr_sphere {
    size_t n;
    double gamma, lift;
    double edge;   /* the learner's margin: hurtful is what lies just below */
    double *w, *z; /* n + 1 places */
} thr_sphere;

/* {-1,1}^n, labelled by the majority of the first k (odd), which is always by one vote: R^2 = n,
 * gamma^2 = 1/k, X = 1, g = 1/k. */
typedef struct thr_signs {
    size_t n, k;
    double edge;
    double *w;
    uint32_t *order; /* of the irrelevant ones, heaviest first */
} thr_signs;

/* {0,1}^n, labelled by the disjunction of the first k; a positive example has one of them. */
typedef struct thr_choice {
    size_t n, k;
    double *w;
    uint32_t *order;
} thr_choice;

int thr_sphere_init(thr_sphere *g, size_t n, double gamma, double edge, thr_error *err);
void thr_sphere_clear(thr_sphere *g);
int thr_signs_init(thr_signs *g, size_t n, size_t k, double edge, thr_error *err);
void thr_signs_clear(thr_signs *g);
int thr_choice_init(thr_choice *g, size_t n, size_t k, thr_error *err);
void thr_choice_clear(thr_choice *g);

/* Strategies. Each array's number stands in its type. */

/* The first: at the edge exactly, in the plane of w and e_1, as long as there is such a point. From
 * w = 0 every update is made at y s = 0, so |w|^2 = M, e_1.w = M gamma, and M goes to R^2/gamma^2.
 * The second: any legal point. */
extern const thr_strategy thr_sphere_ways[2];
/* The first: signs that bring y s as near to 0 as they can, from below. The second: any signs. */
extern const thr_strategy thr_signs_ways[2];
/* For additive rules. The first: in turn `all irrelevant ones', negative, and the same with one
 * relevant, positive. The second: irrelevant ones that nearly cancel. The third: any. */
extern const thr_strategy thr_choice_ways[3];
/* For winnow. The first: promotions of as much irrelevant weight as goes in, then demotions of as
 * little as will do. The second: the same as they come. The third: any. */
extern const thr_strategy thr_winnow_ways[3];

/* The most updates that signs can bring a learner with this margin to make: k relevant of n. */
int thr_signs_worst(const thr_adversary *a, size_t n, size_t k, double *updates, thr_error *err);

#endif
