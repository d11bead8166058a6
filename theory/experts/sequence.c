/* The dynamic program, in place. */
#include "experts/sequence.h"

#include <stdlib.h>
#include <string.h>

int thr_sequence_init(thr_sequence *s, size_t n, unsigned limit, thr_error *err)
{
    *s = (thr_sequence){.n = n, .limit = limit};
    if (limit > THR_MOST_SWITCHES)
        return thr_fail(err, THR_EUSE, "at most %d switches can be compared with, not %u",
                        THR_MOST_SWITCHES, limit);
    size_t pairs = (size_t)limit * (limit + 1) / 2;
    if (pairs && n > THR_MOST_TURNS / pairs)
        return thr_fail(err, THR_EUSE,
                        "%u switches among %zu experts would need too much memory: experts times "
                        "switches times (switches + 1) may be %zu at most",
                        limit, n, 2 * THR_MOST_TURNS);
    s->cost = calloc(n, (limit + 1) * sizeof *s->cost);
    s->used = calloc(n, (limit + 1) * sizeof *s->used);
    s->turn = calloc(n * pairs + 1, sizeof *s->turn);
    if (s->cost && s->used && s->turn)
        return 0;
    thr_sequence_clear(s);
    return thr_fail_memory(err);
}

void thr_sequence_clear(thr_sequence *s)
{
    free(s->cost);
    free(s->used);
    free(s->turn);
    *s = (thr_sequence){0};
}

static thr_turn *turns_of(const thr_sequence *s, unsigned k, size_t i)
{
    return k ? s->turn + s->n * ((size_t)k * (k - 1) / 2) + i * k : s->turn;
}

/* The index of the least cost except one; pass n to exclude none. */
static size_t cheapest(const double *cost, size_t n, size_t except)
{
    size_t best = except == 0 ? 1 : 0;
    for (size_t i = best + 1; i < n; i++)
        if (i != except && cost[i] < cost[best])
            best = i;
    return best;
}

/* Replaces the sequence of (k, i) by that of (k - 1, from) followed by a switch to i in this
 * round. */
static void turn(thr_sequence *s, unsigned k, size_t i, size_t from)
{
    size_t to = k * s->n + i, old = to - i - s->n + from;
    s->cost[to] = s->cost[old];
    s->used[to] = s->used[old];
    thr_turn *turns = turns_of(s, k, i);
    memcpy(turns, turns_of(s, k - 1, from), s->used[to] * sizeof *turns);
    turns[s->used[to]++] = (thr_turn){s->rounds, (uint32_t)from};
}

/* k descends, so that row k - 1 still holds the costs before this round. The best j != i is the
 * cheapest expert, or the second cheapest if i is the cheapest: that avoids a loop over j. */
void thr_sequence_add(thr_sequence *s, const double *loss)
{
    size_t n = s->n;
    s->rounds++;
    for (unsigned k = s->limit; k > 0 && n > 1; k--) {
        const double *before = s->cost + (k - 1) * n;
        size_t first = cheapest(before, n, n), second = cheapest(before, n, first);
        for (size_t i = 0; i < n; i++) {
            size_t from = i == first ? second : first;
            if (before[from] < s->cost[k * n + i])
                turn(s, k, i, from);
        }
    }
    for (unsigned k = 0; k <= s->limit; k++)
        for (size_t i = 0; i < n; i++)
            s->cost[k * n + i] += loss[i];
}

static double least(const thr_sequence *s, unsigned k, size_t *expert)
{
    *expert = cheapest(s->cost + k * s->n, s->n, s->n);
    return s->cost[k * s->n + *expert];
}

thr_sequence_found thr_sequence_best(const thr_sequence *s, unsigned k)
{
    size_t i, with_less;
    double cost = least(s, k, &i);
    while (k > 0 && least(s, k - 1, &with_less) <= cost) {
        k--;
        i = with_less;
    }
    return (thr_sequence_found){cost, turns_of(s, k, i), s->used[k * s->n + i], (uint32_t)i};
}
