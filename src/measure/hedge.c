/* The multiplicative update and its bounds; hedge.h has the equations. */
#include "measure/hedge.h"

#include "base/mathx.h"

#include <math.h>

static double greatest(const double *x, size_t n)
{
    double most = x[0];
    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

void thr_hedge_start(double *log_weight, size_t n)
{
    for (size_t i = 0; i < n; i++)
        log_weight[i] = 0;
}

/* Makes the greatest logarithm 0. */
static void shift(double *log_weight, size_t n)
{
    double most = greatest(log_weight, n);
    for (size_t i = 0; i < n; i++)
        log_weight[i] -= most;
}

/* Fixed share: the greatest weight is 1, so the sum is at least 1, and a weight that underflows to
 * 0 was negligible beside it; it gets a positive share again. The array holds the weights
 * themselves between exp and log. */
void thr_hedge_update(double *log_weight, size_t n, const double *loss, double eta, double share)
{
    for (size_t i = 0; i < n; i++)
        log_weight[i] -= eta * loss[i];
    shift(log_weight, n);
    if (!(share > 0 && n > 1))
        return;
    double total = 0, to_others = share / (double)(n - 1);
    thr_exp_many(log_weight, n);
    for (size_t i = 0; i < n; i++)
        total += log_weight[i];
    for (size_t i = 0; i < n; i++) {
        double own = log_weight[i];
        log_weight[i] = (1 - share) * own + to_others * (total - own);
    }
    thr_log_many(log_weight, n);
    shift(log_weight, n);
}

void thr_hedge_weights(const double *log_weight, size_t n, double *weight)
{
    double most = greatest(log_weight, n), total = 0;
    for (size_t i = 0; i < n; i++) {
        weight[i] = thr_exp(log_weight[i] - most);
        total += weight[i];
    }
    for (size_t i = 0; i < n; i++)
        weight[i] /= total;
}

/* ---- bounds ------------------------------------------------------------------------------- */

/* C of hedge.h. The sum of all weights is at least the part that the best sequence of experts
 * keeps, which is n e^-C: it loses e^(-eta m) by losses, keeps 1 - a where it stays and a/(n-1)
 * where it switches. The bounds follow from how fast the sum must fall when the algorithm errs. */
static double log_cost(thr_sequence_cost best, size_t n, double eta, double share)
{
    double stays = best.rounds > best.switches ? (double)(best.rounds - best.switches - 1) : 0;
    double cost = eta * best.loss + thr_log((double)n);
    if (best.switches)
        cost += (double)best.switches * thr_log((double)(n - 1) / share);
    return n > 1 ? cost - stays * thr_log(1 - share) : cost;
}

double thr_share_vote_bound(thr_sequence_cost best, size_t n, double eta, double share)
{
    return log_cost(best, n, eta, share) / thr_log(2 / (1 + thr_exp(-eta)));
}

double thr_share_bound(thr_sequence_cost best, size_t n, double eta, double share)
{
    return log_cost(best, n, eta, share) / (1 - thr_exp(-eta));
}

double thr_share_concave_bound(thr_sequence_cost best, size_t n, double eta, double share)
{
    return log_cost(best, n, eta, share) / eta;
}

double thr_majority_bound(double loss, size_t n, double eta)
{
    return thr_share_vote_bound((thr_sequence_cost){loss, 0, 0}, n, eta, 0);
}

double thr_hedge_bound(double loss, size_t n, double eta)
{
    return thr_share_bound((thr_sequence_cost){loss, 0, 0}, n, eta, 0);
}

/* ---- without a rate to choose ------------------------------------------------------------- */

double thr_hedge_anytime_rate(size_t n, uint64_t round)
{
    return sqrt(8 * thr_log((double)n) / (double)round);
}

double thr_hedge_anytime_bound(double loss, size_t n, uint64_t rounds)
{
    double log_n = thr_log((double)n);
    return loss + 2 * sqrt((double)rounds / 2 * log_n) + sqrt(log_n / 8);
}
