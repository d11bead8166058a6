#include "solve/wolfe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The affine hull's point of least norm is sum v_i z_i / sum v with (G + 1) v = 1, G the products
 * of the corral's points; L is the triangular root of G + 1. */
typedef struct corral {
    const thr_points *p;
    size_t n, most;
    size_t *point;
    double *share; /* of x, sum 1 */
    double *root;  /* most by most, rows of L */
    double *gram;  /* G + 1 */
    double *v;
    double *x, *a; /* as the caller sees them */
    double *room;
} corral;

static bool corral_init(corral *c, const thr_points *p, size_t most)
{
    size_t dims = thr_points_dims(p);
    *c = (corral){.p = p, .most = most};
    c->point = calloc(most + 1, sizeof *c->point);
    c->share = calloc(most + 1, sizeof *c->share);
    c->root = calloc(most * most + 1, sizeof *c->root);
    c->gram = calloc(most * most + 1, sizeof *c->gram);
    c->v = calloc(most + 1, sizeof *c->v);
    c->x = calloc(dims + 1, sizeof *c->x);
    c->room = calloc(dims + 1, sizeof *c->room);
    c->a = calloc(thr_points_count(p) + 1, sizeof *c->a);
    return c->point && c->share && c->root && c->gram && c->v && c->x && c->room && c->a;
}

static void corral_clear(corral *c)
{
    free(c->point);
    free(c->share);
    free(c->root);
    free(c->gram);
    free(c->v);
    free(c->x);
    free(c->room);
    free(c->a);
}

/* Row i of the root; false where the points depend on each other. */
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

/* v, brought to sum 1. */
static bool affine_shares(corral *c)
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

/* Goes towards v until a share is 0, which then leaves; true when v itself is reached. */
static bool approach(corral *c, bool *ok)
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

static void place_x(corral *c)
{
    memset(c->x, 0, thr_points_dims(c->p) * sizeof *c->x);
    memset(c->a, 0, thr_points_count(c->p) * sizeof *c->a);
    for (size_t i = 0; i < c->n; i++) {
        double share = c->share[i] > 0 ? c->share[i] : 0;
        c->a[c->point[i]] = share;
        thr_points_add(c->p, c->point[i], share, c->x);
    }
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

static void search(corral *c, thr_wolfe_look *look, void *user)
{
    size_t next = shortest(c->p);
    bool ok = join(c, next);
    c->share[0] = 1;
    while (ok) {
        place_x(c);
        double least = thr_points_least(c->p, c->x, &next);
        if (!look(user, c->a, c->x, least) || c->n >= c->most || is_in(c, next))
            return;
        ok = join(c, next);
        while (ok && affine_shares(c) && !approach(c, &ok))
            ;
    }
}

int thr_wolfe_solve(const thr_points *p, size_t most, thr_wolfe_look *look, void *user,
                    thr_error *err)
{
    corral c;
    bool ok = corral_init(&c, p, most);
    if (ok && thr_points_count(p))
        search(&c, look, user);
    corral_clear(&c);
    return ok ? 0 : thr_fail_memory(err);
}
