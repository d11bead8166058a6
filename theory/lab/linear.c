/* A perceptron whose features are the conjunctions that hold at a point, as subsets of its bits. */
#include "lab/linear.h"

#include <string.h>

/* Far more than functions of four variables need. */
#define MOST_PASSES 100000u

static unsigned ones(unsigned set)
{
    return (unsigned)__builtin_popcount(set);
}

static int64_t sign_of(uint32_t table, unsigned point)
{
    return table >> point & 1 ? 1 : -1;
}

/* The conjunctions that hold at a point are the subsets of its ones; the empty one is the bias. */
static int64_t score(const int64_t *w, unsigned point, unsigned degree)
{
    int64_t sum = w[0];
    for (unsigned set = point; set; set = (set - 1) & point)
        if (ones(set) <= degree)
            sum += w[set];
    return sum;
}

static void add(int64_t *w, unsigned point, unsigned degree, int64_t by)
{
    w[0] += by;
    for (unsigned set = point; set; set = (set - 1) & point)
        if (ones(set) <= degree)
            w[set] += by;
}

unsigned thr_linear_pass(thr_linear *p, unsigned n, uint32_t table, unsigned degree)
{
    unsigned updates = 0;
    for (unsigned point = 0; point < 1u << n; point++) {
        int64_t y = sign_of(table, point);
        if (y * score(p->weight, point, degree) > 0)
            continue;
        add(p->weight, point, degree, y);
        p->times[point]++;
        updates++;
    }
    return updates;
}

/* Brent's cycle detection: the weights are compared with a copy that is renewed after 1, 2, 4, 8,
 * ... further passes. `times` is counted from that copy on. */
thr_linear thr_linear_decide(unsigned n, uint32_t table, unsigned degree)
{
    thr_linear p = {0};
    int64_t then[THR_LINEAR_POINTS] = {0};
    unsigned since = 0, reach = 1;
    while (!p.decided && p.passes < MOST_PASSES) {
        unsigned updates = thr_linear_pass(&p, n, table, degree);
        p.updates += updates;
        p.passes++;
        since++;
        if (updates == 0) {
            p.decided = p.is_linear = true;
        } else if (memcmp(then, p.weight, sizeof then) == 0) {
            p.decided = true;
            p.cycle_passes = since;
        } else if (since == reach) {
            memcpy(then, p.weight, sizeof then);
            memset(p.times, 0, sizeof p.times);
            since = 0;
            reach *= 2;
        }
    }
    return p;
}

static bool separates(unsigned n, uint32_t table, unsigned degree, const int64_t *w)
{
    for (unsigned point = 0; point < 1u << n; point++)
        if (sign_of(table, point) * score(w, point, degree) <= 0)
            return false;
    return true;
}

static bool sums_to_zero(unsigned n, uint32_t table, unsigned degree, const uint64_t *times)
{
    int64_t sum[THR_LINEAR_POINTS] = {0};
    bool some = false;
    for (unsigned point = 0; point < 1u << n; point++) {
        add(sum, point, degree, sign_of(table, point) * (int64_t)times[point]);
        some |= times[point] > 0;
    }
    for (unsigned set = 0; set < 1u << n; set++)
        some &= sum[set] == 0;
    return some;
}

bool thr_linear_check(unsigned n, uint32_t table, unsigned degree, const thr_linear *proof)
{
    return proof->decided && (proof->is_linear ? separates(n, table, degree, proof->weight)
                                               : sums_to_zero(n, table, degree, proof->times));
}
