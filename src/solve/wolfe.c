/* How the affine minimiser is computed. Let G be the Gram matrix of the corral, G_ij = z_i.z_j, and
 * e the vector of ones. Minimising |sum v_i z_i|^2 subject to sum v_i = 1 leads to G v = lambda e.
 * Adding e e' on the left changes only lambda, so up to scaling v solves
 *
 *   (G + e e') v = e
 *
 * G + e e' is positive definite exactly if the points are affinely independent, so that it has a
 * Cholesky factor L even where G itself is singular (as it is when 0 lies in the affine hull, the
 * case that proves inseparability). A point that joins adds one row to L; when point i leaves, the
 * rows from i on are computed again. */
#include "solve/wolfe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct corral {
    const thr_points *p;
    size_t n, most; /* points in the corral, and their limit */
    size_t *point;  /* their numbers */
    double *share;  /* their coefficients in x: >= 0, sum 1 */
    double *root;   /* L, lower triangular, in rows of length `most` */
    double *gram;   /* G + e e', in rows of length `most` */
    double *v;      /* coefficients of y, the affine minimiser: sum 1, may be negative */
    double *x, *a;  /* x, and its coefficients for all points, as passed to `look` */
    double *room;   /* thr_points_dims zeros between calls: one point written out densely */
} corral;

/* Computes row i of L from row i of `gram` and the rows above. Returns false if the pivot is lost
 * in rounding errors: the points are affinely dependent as far as double precision can tell. */
static bool root_row(corral *c, size_t i)
{
    double *row = c->root + i * c->most;
    for (size_t j = 0; j <= i; j++) {
        const double *other = c->root + j * c->most;
        double s = c->gram[i * c->most + j];
        for (size_t k = 0; k < j; k++)
            s -= row[k] * other[k];
        if (j < i)
            row[j] = s / other[j];
        else if (!(s > 1e-13 * c->gram[i * c->most + i]))
            return false;
        else
            row[i] = sqrt(s);
    }
    return true;
}

/* Adds a point to the corral with coefficient 0. The products with the other points are taken from
 * a dense copy of it, which costs only the features of the points. */
static bool join(corral *c, size_t point)
{
    size_t i = c->n;
    thr_points_add(c->p, point, 1, c->room);
    for (size_t j = 0; j < i; j++) {
        double s = 1 + thr_points_dot(c->p, c->point[j], c->room);
        c->gram[i * c->most + j] = c->gram[j * c->most + i] = s;
    }
    c->gram[i * c->most + i] = 1 + thr_points_dot(c->p, point, c->room);
    thr_point_row r = thr_points_row(c->p, thr_points_example(c->p, point));
    size_t k = thr_points_functions(c->p);
    for (size_t j = 0; j < r.n; j++)
        memset(c->room + r.id[j] * k, 0, k * sizeof *c->room);
    c->point[i] = point;
    c->share[i] = 0;
    c->n++;
    return root_row(c, i);
}

/* Removes point i: closes the gap in the arrays and in the rows and columns of `gram`. Rows of L
 * above i do not depend on point i. */
static bool leave(corral *c, size_t i)
{
    size_t m = c->most;
    for (size_t r = i; r + 1 < c->n; r++) {
        c->point[r] = c->point[r + 1];
        c->share[r] = c->share[r + 1];
        memcpy(c->gram + r * m, c->gram + (r + 1) * m, c->n * sizeof *c->gram);
    }
    for (size_t r = 0; r + 1 < c->n; r++)
        memmove(c->gram + r * m + i, c->gram + r * m + i + 1, (c->n - i - 1) * sizeof *c->gram);
    c->n--;
    bool ok = true;
    for (size_t r = i; r < c->n && ok; r++)
        ok = root_row(c, r);
    return ok;
}

/* Solves L L' v = e by forward and back substitution, and divides v by its sum. Returns false if
 * the result is useless. */
static bool affine_minimiser(corral *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        double s = 1;
        for (size_t k = 0; k < i; k++)
            s -= c->root[i * c->most + k] * c->v[k];
        c->v[i] = s / c->root[i * c->most + i];
    }
    for (size_t i = c->n; i-- > 0;) {
        double s = c->v[i];
        for (size_t k = i + 1; k < c->n; k++)
            s -= c->root[k * c->most + i] * c->v[k];
        c->v[i] = s / c->root[i * c->most + i];
        sum += c->v[i];
    }
    for (size_t i = 0; i < c->n; i++)
        c->v[i] /= sum;
    return isfinite(sum) && sum != 0;
}

/* The minor step. Moves the coefficients from `share` towards v. Returns true if v is reached, that
 * is if all v_i are above 0. Otherwise the point whose coefficient first becomes 0 leaves, and
 * *ok says whether L could be computed again. */
static bool minor_step(corral *c, bool *ok)
{
    double part = 1;
    size_t out = c->n;
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i] <= 0 && c->share[i] / (c->share[i] - c->v[i]) < part) {
            part = c->share[i] / (c->share[i] - c->v[i]);
            out = i;
        }
    for (size_t i = 0; i < c->n; i++)
        c->share[i] = part < 1 ? c->share[i] + part * (c->v[i] - c->share[i]) : c->v[i];
    if (out == c->n)
        return true;
    *ok = leave(c, out);
    return false;
}

static bool is_in(const corral *c, size_t point)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->point[i] == point)
            return true;
    return false;
}

static size_t shortest(const thr_points *p)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t k = 0, n = thr_points_count(p); k < n; k++) {
        double s = thr_points_norm2(p, k);
        if (s < least) {
            least = s;
            best = k;
        }
    }
    return best;
}

/* Starts from the shortest point. x and its coefficients `a` are computed afresh in each step, so
 * that rounding errors do not add up. If the point with the least z.x is already in the corral, x
 * cannot be improved within double precision. */
static void search(corral *c, thr_wolfe_look *look, void *user)
{
    size_t next = shortest(c->p);
    bool ok = join(c, next);
    c->share[0] = 1;
    while (ok) {
        memset(c->x, 0, thr_points_dims(c->p) * sizeof *c->x);
        memset(c->a, 0, thr_points_count(c->p) * sizeof *c->a);
        for (size_t i = 0; i < c->n; i++) {
            double share = c->share[i] > 0 ? c->share[i] : 0;
            c->a[c->point[i]] = share;
            thr_points_add(c->p, c->point[i], share, c->x);
        }
        double least = thr_points_least(c->p, c->x, &next);
        if (!look(user, c->a, c->x, least) || c->n >= c->most || is_in(c, next))
            return;
        ok = join(c, next);
        while (ok && affine_minimiser(c) && !minor_step(c, &ok))
            ;
    }
}

int thr_wolfe_solve(const thr_points *p, size_t most, thr_wolfe_look *look, void *user,
                    thr_error *err)
{
    size_t dims = thr_points_dims(p);
    corral c = {.p = p, .most = most};
    c.point = calloc(most + 1, sizeof *c.point);
    c.share = calloc(most + 1, sizeof *c.share);
    c.root = calloc(most * most + 1, sizeof *c.root);
    c.gram = calloc(most * most + 1, sizeof *c.gram);
    c.v = calloc(most + 1, sizeof *c.v);
    c.x = calloc(dims + 1, sizeof *c.x);
    c.room = calloc(dims + 1, sizeof *c.room);
    c.a = calloc(thr_points_count(p) + 1, sizeof *c.a);
    bool ok = c.point && c.share && c.root && c.gram && c.v && c.x && c.room && c.a;
    if (ok && thr_points_count(p))
        search(&c, look, user);
    free(c.point);
    free(c.share);
    free(c.root);
    free(c.gram);
    free(c.v);
    free(c.x);
    free(c.room);
    free(c.a);
    return ok ? 0 : thr_fail_memory(err);
}
