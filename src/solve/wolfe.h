/* The point of least norm in the convex hull of points, by Wolfe's method (Mathematical Programming
 * 11, 1976). A few affinely independent points, the corral, are kept, and x, the point of least
 * norm of their affine hull, lies within their convex hull. The point with the least z.x joins
 * them; while the new x lies outside, x goes towards it as far as it can and a corner is dropped.
 * Ends after finitely many steps: with the margin, |x|, or with 0 = sum a_k z_k. */
#ifndef THR_SOLVE_WOLFE_H
#define THR_SOLVE_WOLFE_H

#include "solve/points.h"

/* Tells of every x on the way: a (thr_points_count, sum 1), x = sum a_k z_k, the least z.x. Whether
 * to go on. */
typedef bool thr_wolfe_look(void *user, const double *a, const double *x, double least);

/* Gives up when the corral has `most` points, or when rounding has the last word. */
int thr_wolfe_solve(const thr_points *p, size_t most, thr_wolfe_look *look, void *user,
                    thr_error *err);

#endif
