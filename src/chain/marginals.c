/* Forward and backward (Rabiner 1989; Lafferty, McCallum, Pereira 2001). With E for e to the power of the
 * scores,
 *
 *     a_0[y] = Enode_0[y],     a_t[y] = Enode_t[y] sum_x a_(t-1)[x] Elink_t[x][y]
 *     b_(n-1)[y] = 1,          b_t[x] = sum_y Elink_(t+1)[x][y] Enode_(t+1)[y] b_(t+1)[y]
 *     P(y_t = y) = a_t[y] b_t[y] / Z,      P(y_(t-1) = x, y_t = y) = a_(t-1)[x] Elink[x][y] Enode_t[y] b_t[y] / Z.
 *
 * Each a_t is divided by its sum, and b_t by the same number, so that nothing overflows; the greatest score
 * of each token, and of each matrix, is subtracted before. Where scores differ by so much that a number could
 * become 0, the sums are made of logarithms instead: a path that is far behind may be the best one in the
 * end, because others come to tags that may not follow. So a_t[y] is 0 only if no path comes to y, or if it is
 * outside the beam; logarithms are of all tags, whatever the beam. */
#include "chain/lattice.h"

#include "base/mathx.h"
#include "base/wide.h"

#include <math.h>

/* A sum is multiplied by e^-FAR twice, for a link and a node, before it is divided again. */
#define FAR    200.0
#define LITTLE 1e-130 /* LITTLE e^(-2 FAR) is greater than the least double */

/* to[i] = e^(from[i] - most); adds the greatest, `most`, to *subtracted. False: scores are too far
 * apart. */
static bool exponentials(const double *from, double *to, size_t n, double *subtracted)
{
    double most = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        most = from[i] > most ? from[i] : most;
        least = from[i] < least && from[i] > -INFINITY ? from[i] : least;
    }
    for (size_t i = 0; i < n; i++)
        to[i] = most > -INFINITY ? from[i] - most : -INFINITY;
    thr_exp_many(to, n);
    *subtracted += most;
    return most - least <= FAR;
}

THR_CLONED static void add_scaled(double *to, const double *from, double by, uint32_t n)
{
    for (uint32_t y = 0; y < n; y++)
        to[y] += by * from[y];
}

THR_CLONED static void multiply(double *to, const double *by, double scale, uint32_t n)
{
    for (uint32_t y = 0; y < n; y++)
        to[y] *= by[y] * scale;
}

static double sum_of(const double *x, uint32_t n)
{
    double sum = 0;
    for (uint32_t y = 0; y < n; y++)
        sum += x[y];
    return sum;
}

/* ---- the usual way ------------------------------------------------------------------------ */

/* The exponentials of all scores. A matrix that several tokens share is done once. *subtracted becomes the
 * sum of what was subtracted. False: scores are too far apart. */
static bool make_exponentials(thr_lattice *l, double *subtracted)
{
    size_t n = l->tokens, k = l->labels, square = k * k, made = 0;
    double most = 0;
    *subtracted = 0;
    bool near = exponentials(l->node, l->e_node, k, subtracted);
    for (size_t t = 1; t < n && near; t++) {
        near = exponentials(l->node + t * k, l->e_node + t * k, k, subtracted);
        if (t > 1 && l->link[t] == l->link[t - 1]) {
            l->e_of[t] = l->e_of[t - 1];
        } else {
            double *to = l->e_link + made++ * square;
            most = 0;
            near &= exponentials(l->link[t], to, square, &most);
            l->e_of[t] = to;
        }
        *subtracted += most;
    }
    return near;
}

/* Divides a_t by its sum, which is kept. False: the sum is 0, or a part of it may soon be lost. */
static bool normalise(thr_lattice *l, size_t t)
{
    double *a = l->alpha + t * l->labels, sum = sum_of(a, l->labels);
    bool ok = sum > 0;
    l->scale[t] = sum;
    for (uint32_t y = 0; y < l->labels; y++) {
        a[y] /= sum;
        ok &= a[y] == 0 || a[y] >= LITTLE;
    }
    return ok;
}

/* Tags outside the beam are not followed. */
static void drop_others(thr_lattice *l, double *a)
{
    uint32_t kept = l->beam && l->beam < l->labels ? thr_lattice_keep(l, a) : 0, next = 0;
    for (uint32_t y = 0; y < l->labels && kept; y++) {
        if (next < kept && l->kept[next] == y)
            next++;
        else
            a[y] = 0;
    }
}

static bool forward(thr_lattice *l)
{
    size_t n = l->tokens;
    uint32_t k = l->labels;
    memcpy(l->alpha, l->e_node, k * sizeof *l->alpha);
    bool ok = normalise(l, 0);
    for (size_t t = 1; t < n && ok; t++) {
        double *before = l->alpha + (t - 1) * k, *a = l->alpha + t * k;
        drop_others(l, before);
        memset(a, 0, k * sizeof *a);
        for (uint32_t x = 0; x < k; x++)
            if (before[x] != 0)
                add_scaled(a, l->e_of[t] + (size_t)x * k, before[x], k);
        multiply(a, l->e_node + t * k, 1, k);
        ok = normalise(l, t);
    }
    return ok;
}

/* l->beta is b_t until a_t b_t, the probabilities, take its place, when those of t - 1 have been made.
 * `behind` is Enode_t b_t / scale_t. Where a_t is 0, b_t has no bound, and is not needed: it is 0, too. */
static void backward(thr_lattice *l, double *const *pair, double *behind)
{
    size_t n = l->tokens;
    uint32_t k = l->labels;
    for (uint32_t y = 0; y < k; y++)
        l->beta[(n - 1) * k + y] = 1;
    for (size_t t = n - 1; t > 0; t--) {
        const double *link = l->e_of[t], *before = l->alpha + (t - 1) * k;
        double *b = l->beta + t * k, *to = l->beta + (t - 1) * k;
        memcpy(behind, b, k * sizeof *behind);
        multiply(behind, l->e_node + t * k, 1 / l->scale[t], k);
        for (uint32_t x = 0; x < k; x++) {
            const double *row = link + (size_t)x * k;
            double sum = 0;
            for (uint32_t y = 0; y < k; y++)
                sum += row[y] * behind[y];
            to[x] = before[x] != 0 ? sum : 0;
            double *p = pair[t] ? pair[t] + (size_t)x * k : NULL;
            for (uint32_t y = 0; y < k && p && before[x] != 0; y++)
                p[y] += before[x] * row[y] * behind[y];
        }
        multiply(b, l->alpha + t * k, 1, k);
    }
    multiply(l->beta, l->alpha, 1, k);
}

/* ---- with logarithms ---------------------------------------------------------------------- */

static double log_sum(const double *x, size_t n, size_t step)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = x[i * step] > most ? x[i * step] : most;
    for (size_t i = 0; i < n && most > -INFINITY; i++)
        sum += thr_exp(x[i * step] - most);
    return most > -INFINITY ? most + thr_log(sum) : most;
}

/* The same by logarithms; `way` is scratch for labels^2 numbers. */
static double by_logarithms(thr_lattice *l, double *const *pair, double *way)
{
    size_t n = l->tokens, k = l->labels;
    memcpy(l->alpha, l->node, k * sizeof *l->alpha);
    for (size_t t = 1; t < n; t++) {
        for (size_t i = 0; i < k * k; i++)
            way[i] = l->alpha[(t - 1) * k + i / k] + l->link[t][i];
        for (size_t y = 0; y < k; y++)
            l->alpha[t * k + y] = l->node[t * k + y] + log_sum(way + y, k, k);
    }
    double z = log_sum(l->alpha + (n - 1) * k, k, 1);
    for (size_t y = 0; y < k; y++)
        l->beta[(n - 1) * k + y] = 0;
    for (size_t t = n - 1; t > 0; t--) {
        for (size_t i = 0; i < k * k; i++)
            way[i] = l->link[t][i] + l->node[t * k + i % k] + l->beta[t * k + i % k];
        for (size_t x = 0; x < k; x++)
            l->beta[(t - 1) * k + x] = log_sum(way + x * k, k, 1);
        for (size_t i = 0; i < k * k && pair[t]; i++)
            pair[t][i] += thr_exp(l->alpha[(t - 1) * k + i / k] + way[i] - z);
    }
    for (size_t i = 0; i < n * k; i++)
        l->beta[i] = thr_exp(l->alpha[i] + l->beta[i] - z);
    return z;
}

double thr_lattice_marginals(thr_lattice *l, double *const *pair)
{
    double z;
    if (!make_exponentials(l, &z) || !forward(l))
        return by_logarithms(l, pair, l->e_link);
    backward(l, pair, l->behind);
    for (size_t t = 0; t < l->tokens; t++)
        z += thr_log(l->scale[t]);
    return z;
}
