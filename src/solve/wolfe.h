/* The point of least norm in the convex hull of points, by Wolfe's method (Mathematical Programming
 * 11, 1976). Its norm is the margin gamma; it is 0 if and only if no separator exists.
 *
 * The method keeps a corral: a few affinely independent points z_i, and x, the point of least norm
 * in their affine hull, which also lies in their convex hull: x = sum a_i z_i, a_i > 0, sum 1.
 *
 *   major step   Find the point z with the least z.x. If z.x >= |x|^2 for all points, x is the
 *                point of least norm. Otherwise z joins the corral.
 *   minor step   Compute y, the point of least norm in the affine hull of the new corral. If y is
 *                in the convex hull, x = y and the next major step follows. Otherwise x moves
 *                towards y until a coefficient becomes 0; that point leaves the corral, and the
 *                minor step is repeated.
 *
 * |x| falls with every major step, so no corral occurs twice and the method is finite. A corral has
 * at most dims + 1 points, which is why the combination it ends with is short. */
#ifndef THR_SOLVE_WOLFE_H
#define THR_SOLVE_WOLFE_H

#include "solve/points.h"

/* Called after every major step with a (thr_points_count numbers >= 0 with sum 1), x = sum a_k z_k,
 * and the least z.x. The arrays are valid during the call. Returns whether to continue: the caller
 * decides when x is good enough. */
typedef bool thr_wolfe_look(void *user, const double *a, const double *x, double least);

/* Ends when `look` returns false, the corral has `most` points, or rounding errors prevent further
 * progress. Results are delivered through `look` only; an error means out of memory. */
int thr_wolfe_solve(const thr_points *p, size_t most, thr_wolfe_look *look, void *user,
                    thr_error *err);

#endif
