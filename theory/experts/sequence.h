/* The best sequence of experts in hindsight that changes the expert at most k times, for every k
 * up to a limit, round by round:
 *
 *   cost_t[k][i] = loss_t[i] + min(cost_(t-1)[k][i], min over j != i of cost_(t-1)[k-1][j])
 *
 * A round costs n (limit + 1) steps, and where a better way is found, its turns are copied. Each
 * (k, i) keeps its own turns, at most k: memory is n limit (limit + 1)/2 turns, however many
 * rounds there are. */
#ifndef THR_EXPERTS_SEQUENCE_H
#define THR_EXPERTS_SEQUENCE_H

#include "base/error.h"

#define THR_MOST_SWITCHES 100
#define THR_MOST_TURNS    ((size_t)1 << 22) /* 64 MiB */

/* In this round, counted from 1, the sequence leaves an expert for the next. */
typedef struct thr_turn {
    uint64_t round;
    uint32_t left;
} thr_turn;

typedef struct thr_sequence {
    size_t n;
    unsigned limit;
    uint64_t rounds;
    double *cost;   /* [k * n + i] */
    uint32_t *used; /* turns of (k, i), at most k */
    thr_turn *turn; /* those of (k, i) begin at n k (k-1)/2 + i k */
} thr_sequence;

typedef struct thr_sequence_found {
    double cost;
    const thr_turn *turn; /* in order; borrowed until the next round */
    size_t turns;
    uint32_t last; /* the expert behind the last turn */
} thr_sequence_found;

/* THR_EUSE beyond the limits above. */
int thr_sequence_init(thr_sequence *s, size_t n, unsigned limit, thr_error *err);
void thr_sequence_clear(thr_sequence *s);
void thr_sequence_add(thr_sequence *s, const double *loss);
/* With at most k <= limit switches; of several as good, one with few. */
thr_sequence_found thr_sequence_best(const thr_sequence *s, unsigned k);

#endif
