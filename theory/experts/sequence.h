/* The best sequence of experts in hindsight that switches at most k times, for every k up to a
 * limit. It is computed by dynamic programming, round by round:
 *
 *   cost_t[k][i] = loss_t[i] + min(cost_(t-1)[k][i], min over j != i of cost_(t-1)[k-1][j])
 *
 * is the least loss of a sequence that ends with expert i after at most k switches. A round costs
 * n (limit + 1) steps, plus the copying of turns when switching is better. Each (k, i) keeps its
 * own list of at most k turns, so that memory is n limit (limit + 1)/2 turns, independent of the
 * number of rounds. */
#ifndef THR_EXPERTS_SEQUENCE_H
#define THR_EXPERTS_SEQUENCE_H

#include "base/error.h"

#define THR_MOST_SWITCHES 100
#define THR_MOST_TURNS    ((size_t)1 << 22) /* 64 MiB */

/* A switch: `left` is the expert followed before, and `round`, counted from 1, the first round with
 * the next expert. */
typedef struct thr_turn {
    uint64_t round;
    uint32_t left;
} thr_turn;

typedef struct thr_sequence {
    size_t n;
    unsigned limit;
    uint64_t rounds;
    double *cost;   /* [k * n + i] */
    uint32_t *used; /* [k * n + i]: number of turns of (k, i), at most k */
    thr_turn *turn; /* the turns of (k, i) begin at n k (k-1)/2 + i k */
} thr_sequence;

typedef struct thr_sequence_found {
    double cost;
    const thr_turn *turn; /* in order; borrowed until the next round */
    size_t turns;
    uint32_t last; /* the expert after the last turn */
} thr_sequence_found;

/* THR_EUSE beyond the limits above. */
int thr_sequence_init(thr_sequence *s, size_t n, unsigned limit, thr_error *err);
void thr_sequence_clear(thr_sequence *s);
/* Adds a round; `loss` has an entry for each expert. */
void thr_sequence_add(thr_sequence *s, const double *loss);
/* The best sequence with at most k <= limit switches. Among equally good ones it has few
 * switches. */
thr_sequence_found thr_sequence_best(const thr_sequence *s, unsigned k);

#endif
