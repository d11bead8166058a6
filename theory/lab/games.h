/* The games that an adversary plays: which examples are legal, and strategies that draw harmful
 * ones. Features are numbered from 1 to n. A game owns its arrays. */
#ifndef THR_LAB_GAMES_H
#define THR_LAB_GAMES_H

#include "lab/adversary.h"

/* Vectors with n >= 3 coordinates, length at most 1 and y x_1 >= gamma. So R = 1, and e_1 separates
 * with margin gamma. With a `lift` there is one more coordinate, which always has this value: a
 * third label with the weight vector -e_{n+1} then loses to the other labels. */
typedef struct thr_sphere {
    size_t n;
    double gamma, lift;
    double edge;   /* the learner's margin: an example with y s just below it is harmful */
    double *w, *z; /* n + 1 numbers each: weights; coordinates of the point after the first */
} thr_sphere;

/* {-1,1}^n, labelled by the majority of the first k variables (k odd), which is always a majority
 * of one vote: R^2 = n, gamma^2 = 1/k, X = 1, g = 1/k. */
typedef struct thr_signs {
    size_t n, k;
    double edge;
    double *w;
    uint32_t *order; /* the irrelevant variables by falling absolute weight */
} thr_signs;

/* {0,1}^n, labelled by the disjunction of the first k variables; a positive example has exactly one
 * of them. */
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

/* Strategies, for thr_adversary.strategy with the game as `user`. */

/* [0] A point exactly at the edge, in the plane of w and e_1, as long as there is one. Starting
 * from w = 0 every update is made at y s = 0. So after M updates |w|^2 = M and e_1.w = M gamma, and
 * M approaches R^2/gamma^2. [1] A random legal point. */
extern const thr_strategy thr_sphere_ways[2];
/* [0] Signs chosen greedily so that y s comes close to the edge from below. [1] Random signs. */
extern const thr_strategy thr_signs_ways[2];
/* For additive rules. [0] Alternately all irrelevant variables (negative), and the same with
 * one relevant variable (positive). [1] Irrelevant variables whose weights nearly cancel. [2]
 * Random. */
extern const thr_strategy thr_choice_ways[3];
/* For winnow. [0] Promotions with as much irrelevant weight as fits below theta, then demotions
 * with as little as reaches theta. [1] The same in random order. [2] Random. */
extern const thr_strategy thr_winnow_ways[3];

/* The most updates that the adversary achieves with signs, k relevant of n variables. */
int thr_signs_worst(const thr_adversary *a, size_t n, size_t k, double *updates, thr_error *err);

#endif
