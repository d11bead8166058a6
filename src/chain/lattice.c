/* The best path (Viterbi 1967): with d_t[y] the greatest sum of a path to tag y of token t,
 *
 *     d_0[y] = node_0[y],   d_t[y] = node_t[y] + max_x (d_(t-1)[x] + link_t[x][y]).
 *
 * The loop over y is inside, so that several tags are compared at once. */
#include "chain/lattice.h"

#include "base/wide.h"

#include <math.h>
#include <stdlib.h>

bool thr_lattice_lay_out(thr_lattice *l, size_t tokens, uint32_t labels)
{
    size_t n;
    if (__builtin_mul_overflow(tokens, labels, &n))
        return false;
    l->tokens = tokens;
    l->labels = labels;
    return thr_grow(&l->node, &l->node_room, n, sizeof *l->node) &&
           thr_grow(&l->link, &l->link_room, tokens, sizeof *l->link) &&
           thr_grow(&l->alpha, &l->alpha_room, n, sizeof *l->alpha) &&
           thr_grow(&l->beta, &l->beta_room, n, sizeof *l->beta) &&
           thr_grow(&l->kept, &l->kept_room, labels, sizeof *l->kept) &&
           thr_grow(&l->order, &l->order_room, labels, sizeof *l->order) &&
           thr_grow(&l->from, &l->from_room, n, sizeof *l->from);
}

bool thr_lattice_prepare(thr_lattice *l, size_t matrices)
{
    size_t n = l->tokens, k = l->labels, square, links;
    matrices = matrices ? matrices : 1; /* logarithms need one */
    return !__builtin_mul_overflow(k, k, &square) &&
           !__builtin_mul_overflow(square, matrices, &links) &&
           thr_grow(&l->e_node, &l->e_node_room, n * k, sizeof *l->e_node) &&
           thr_grow(&l->e_link, &l->e_link_room, links, sizeof *l->e_link) &&
           thr_grow(&l->scale, &l->scale_room, n, sizeof *l->scale) &&
           thr_grow(&l->behind, &l->behind_room, k, sizeof *l->behind) &&
           thr_grow(&l->e_of, &l->e_of_room, n, sizeof *l->e_of);
}

void thr_lattice_clear(thr_lattice *l)
{
    free(l->node);
    free(l->link);
    free(l->alpha);
    free(l->beta);
    free(l->from);
    free(l->kept);
    free(l->order);
    free(l->e_node);
    free(l->e_link);
    free(l->scale);
    free(l->behind);
    free(l->e_of);
    *l = (thr_lattice){0};
}

/* ---- the beam ----------------------------------------------------------------------------- */

/* The k-th greatest of n numbers, k counted from 1, by Hoare's selection; they are reordered. */
static double kth(double *x, uint32_t n, uint32_t k)
{
    uint32_t low = 0, high = n - 1;
    while (low < high) {
        double middle = x[low + (high - low) / 2];
        uint32_t i = low, j = high;
        while (i <= j) {
            while (x[i] > middle)
                i++;
            while (x[j] < middle)
                j--;
            if (i > j)
                break;
            double kept = x[i];
            x[i++] = x[j];
            x[j] = kept;
            if (j == 0)
                break;
            j--;
        }
        if (k - 1 <= j)
            high = j;
        else if (k - 1 >= i)
            low = i;
        else
            break;
    }
    return x[k - 1];
}

uint32_t thr_lattice_keep(thr_lattice *l, const double *sum)
{
    uint32_t n = l->labels, most = l->beam && l->beam < n ? l->beam : n, kept = 0, above = 0;
    double least = -INFINITY;
    if (most < n) {
        memcpy(l->order, sum, n * sizeof *sum);
        least = kth(l->order, n, most);
        for (uint32_t y = 0; y < n; y++)
            above += sum[y] > least;
    }
    for (uint32_t y = 0, equal = most - above; y < n; y++) {
        bool taken = most == n || sum[y] > least || (sum[y] == least && equal > 0);
        equal -= most < n && taken && sum[y] == least;
        if (taken)
            l->kept[kept++] = y;
    }
    return kept;
}

/* ---- the best path ------------------------------------------------------------------------ */

/* One token: the best way to each tag, from the sums `before` of the n tags that are kept. `best` and `from`
 * are written. */
THR_CLONED static void step(uint32_t labels, const uint32_t *kept, uint32_t n, const double *before,
                            const double *link, const double *node, double *best, uint32_t *from)
{
    const double *first = link + (size_t)kept[0] * labels;
    for (uint32_t y = 0; y < labels; y++) {
        best[y] = before[kept[0]] + first[y];
        from[y] = kept[0];
    }
    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = kept[i];
        const double *row = link + (size_t)x * labels;
        for (uint32_t y = 0; y < labels; y++) {
            double way = before[x] + row[y];
            from[y] = way > best[y] ? x : from[y];
            best[y] = way > best[y] ? way : best[y];
        }
    }
    for (uint32_t y = 0; y < labels; y++)
        best[y] += node[y];
}

double thr_lattice_best(thr_lattice *l, uint32_t *path)
{
    size_t n = l->tokens, k = l->labels;
    memcpy(l->alpha, l->node, k * sizeof *l->alpha);
    for (size_t t = 1; t < n; t++) {
        const double *before = l->alpha + (t - 1) * k;
        uint32_t kept = thr_lattice_keep(l, before);
        step(l->labels, l->kept, kept, before, l->link[t], l->node + t * k, l->alpha + t * k,
             l->from + t * k);
    }
    const double *last = l->alpha + (n - 1) * k;
    uint32_t best = 0;
    for (uint32_t y = 1; y < l->labels; y++)
        best = last[y] > last[best] ? y : best;
    path[n - 1] = best;
    for (size_t t = n - 1; t > 0; t--)
        path[t - 1] = l->from[t * k + path[t]];
    return last[best];
}

double thr_lattice_sum(const thr_lattice *l, const uint32_t *path)
{
    double sum = l->node[path[0]];
    for (size_t t = 1; t < l->tokens; t++)
        sum += l->link[t][(size_t)path[t - 1] * l->labels + path[t]] +
               l->node[t * l->labels + path[t]];
    return sum;
}
