/* The l1 margin, which Winnow's bounds are about, as the value of a game:
 *
 *   g = max over |u|_1 = 1 of min_k z_k.u  =  min over a >= 0, sum a = 1 of |sum a_k z_k|_inf
 *
 * Any u gives a lower end, any a an upper one. By the linear program (lp.h) where it is in reach;
 * else by an interior-point-free iteration that narrows both ends. */
#ifndef THR_EXACT_GAME_H
#define THR_EXACT_GAME_H

#include "solve/points.h"

typedef struct thr_game_options {
    double gap;     /* relative; 0: 0.01 */
    double seconds; /* for the linear program; 0: no limit */
    bool iterate;   /* leave the linear program aside */
    uint64_t seed;
    uint64_t rounds;          /* of the iteration, at most; 0: 100000 */
    bool (*stop)(void *user); /* asked once a round; may be NULL */
    void *user;
} thr_game_options;

typedef struct thr_matrix_game {
    double low, high; /* rounded; low may be negative */
    double *u;        /* thr_points_dims; min z.u / |u|_1 = low */
    double *alpha;    /* thr_points_count; |sum a z|_inf / sum a = high. 0 where none: the linear
                         program's ray */
    bool by_program;  /* the ends are the linear program's */
    int lp;           /* enum thr_lp_end: what became of the linear program */
} thr_matrix_game;

/* start: a vector to begin with (the least-norm separator is good), or NULL. */
int thr_game_solve(const thr_points *p, const thr_game_options *o, const double *start,
                   thr_matrix_game *out, thr_error *err);
void thr_game_clear(thr_matrix_game *out);

#endif
