/* The search for the margin that makes a bound least. */
#include "bounds/hindsight.h"

#include "bounds/bounds.h"

#include <math.h>
#include <stdlib.h>

#define STEPS   120  /* of the grid over logarithms of margins, */
#define SMALLER 1e-7 /* ... which reaches from SMALLER times the greatest length to that length */
#define REFINED 40   /* steps of refinement */
#define SAFE    (1 + 1e-9) /* bounds are enlarged by this factor to cover rounding */

bool thr_comparator_init(const thr_points *p, const double *w, thr_comparator *out)
{
    uint32_t functions = thr_points_functions(p);
    double *score = malloc(functions * sizeof *score), norm2 = 0;
    *out = (thr_comparator){.margin = malloc((p->examples + 1) * sizeof *out->margin)};
    bool ok = score && out->margin;
    for (size_t e = 0; e < p->examples && ok; e++) {
        uint32_t own = p->label[e];
        thr_points_score(p, e, w, score);
        out->margin[e] = functions > 1 ? INFINITY : own == p->positive ? score[0] : -score[0];
        for (uint32_t l = 0; l < functions && functions > 1; l++)
            if (l != own)
                out->margin[e] = fmin(out->margin[e], score[own] - score[l]);
    }
    out->n = p->examples;
    for (size_t i = 0; i < thr_points_dims(p); i++) {
        norm2 += w[i] * w[i];
        out->norm1 += fabs(w[i]);
    }
    out->norm = sqrt(norm2);
    free(score);
    return ok;
}

/* A bound as a function of the margin. */
typedef struct question {
    const thr_comparator *c;
    double size, more, rate; /* R or X; the other parameters of the bound (m, C or N; rate) */
    thr_hindsight (*at)(const struct question *q, double margin);
} question;

/* The sum of max(0, margin - m/norm)^power over all examples. */
static double losses(const thr_comparator *c, double norm, double margin, int power)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        double short_of = margin - c->margin[i] / norm;
        if (short_of > 0)
            sum += power == 2 ? short_of * short_of : short_of;
    }
    return sum;
}

/* The least bound over all margins: a grid, then ternary search around the best grid point. The
 * function need not be convex, so the minimum may be missed; but every value of it is a valid
 * bound. */
static thr_hindsight least(const question *q)
{
    double from = log(q->size * SMALLER), to = log(q->size), step = (to - from) / STEPS;
    thr_hindsight best = {.bound = INFINITY};
    for (int i = 0; i <= STEPS; i++) {
        thr_hindsight h = q->at(q, exp(from + i * step));
        best = h.bound < best.bound ? h : best;
    }
    double a = log(best.margin) - step, b = log(best.margin) + step;
    for (int i = 0; i < REFINED && isfinite(best.bound); i++) {
        double left = a + (b - a) / 3, right = b - (b - a) / 3;
        thr_hindsight l = q->at(q, exp(left)), r = q->at(q, exp(right));
        best = l.bound < best.bound ? l : best;
        best = r.bound < best.bound ? r : best;
        if (l.bound < r.bound)
            b = right;
        else
            a = left;
    }
    best.bound *= SAFE;
    return best;
}

static thr_hindsight perceptron_at(const question *q, double gamma)
{
    double D = sqrt(losses(q->c, q->c->norm, gamma, 2));
    return (thr_hindsight){thr_bound_comparator(q->size, gamma, D, q->more, q->rate), gamma, D};
}

/* u is scaled to norm 1/gamma, so that an example at distance gamma has functional margin 1. */
static thr_hindsight pa_at(const question *q, double gamma)
{
    double loss = losses(q->c, q->c->norm, gamma, 1) / gamma;
    return (thr_hindsight){thr_bound_pa_soft(q->size, q->more, 1 / gamma, loss), gamma, loss};
}

static thr_hindsight balanced_at(const question *q, double g)
{
    double loss = losses(q->c, q->c->norm1, g, 1);
    return (thr_hindsight){thr_bound_balanced(q->size, q->more, g, loss), g, loss};
}

thr_hindsight thr_hindsight_perceptron(const thr_comparator *c, double R, double margin,
                                       double rate)
{
    return least(&(question){c, R, margin, rate, perceptron_at});
}

thr_hindsight thr_hindsight_pa(const thr_comparator *c, double R, double C)
{
    return least(&(question){c, R, C, 0, pa_at});
}

thr_hindsight thr_hindsight_balanced(const thr_comparator *c, double X, double N)
{
    return least(&(question){c, X, N, 0, balanced_at});
}
