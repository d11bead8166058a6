/* The strategies. They query the weights of the student and construct an example from them. */
#include "lab/games.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS 32
/* Points are floats: an upper limit on what rounding adds to a length or takes from a margin. */
#define ROUNDING 1e-6

static double *reals(size_t n)
{
    return calloc(n + 1, sizeof(double));
}

static bool coin(thr_random *random)
{
    return thr_random_next(random) >> 63;
}

/* ---- the sphere --------------------------------------------------------------------------- */

int thr_sphere_init(thr_sphere *g, size_t n, double gamma, double edge, thr_error *err)
{
    *g = (thr_sphere){.n = n, .gamma = gamma, .edge = edge, .w = reals(n + 1), .z = reals(n + 1)};
    return g->w && g->z ? 0 : thr_fail_memory(err);
}

void thr_sphere_clear(thr_sphere *g)
{
    free(g->w);
    free(g->z);
}

/* The length of coordinates 1 to n-1; coordinate 0 belongs to the separator. */
static double part_length(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static void scale_part(double *v, size_t n, double factor)
{
    for (size_t i = 1; i < n; i++)
        v[i] *= factor;
}

/* Draws z, a random unit vector orthogonal to e_1 and, if length_w is not 0, to w. length_w is the
 * length of w without its first coordinate. */
static void draw_beside(const thr_sphere *g, thr_random *random, double length_w)
{
    double dot = 0;
    for (size_t i = 1; i < g->n; i++) {
        g->z[i] = thr_random_normal(random);
        dot += g->z[i] * g->w[i];
    }
    for (size_t i = 1; i < g->n && length_w > 0; i++)
        g->z[i] -= dot / (length_w * length_w) * g->w[i];
    scale_part(g->z, g->n, 1 / part_length(g->z, g->n));
}

/* The length that is left for the coordinates 1 to n-1. */
static double rest_of(const thr_sphere *g)
{
    return sqrt(1 - g->gamma * g->gamma - g->lift * g->lift);
}

/* The point y (gamma e_1 + rest z) with the lift, rounded so that it remains legal. */
static void give_point(const thr_sphere *g, bool positive, thr_lab_example *out)
{
    float sign = positive ? 1 : -1, first = (float)g->gamma;
    if ((double)first < g->gamma)
        first = nextafterf(first, 2);
    double rest = rest_of(g) * (1 - ROUNDING);
    out->positive = positive;
    out->n = g->n + (g->lift > 0);
    for (size_t i = 0; i < out->n; i++) {
        out->key[i] = (uint32_t)i + 1;
        out->x[i] = i == 0     ? sign * first
                    : i < g->n ? sign * (float)(rest * g->z[i])
                               : nextafterf((float)g->lift, 2);
    }
}

/* z = c q + sqrt(1 - c^2) r, where q is the direction of w without its first coordinate and r is
 * orthogonal to it. c is chosen so that w.x is at the edge, or as close as a unit vector can come.
 * The label is the one against which the lift counts. */
static bool draw_at_edge(void *user, thr_student *s, thr_random *random, thr_lab_example *out)
{
    thr_sphere *g = user;
    thr_student_weights(s, g->n + (g->lift > 0), g->w);
    double lifted = g->lift > 0 ? g->w[g->n] * g->lift : 0;
    bool positive = lifted != 0 ? lifted < 0 : coin(random);
    double along = g->w[0], across = part_length(g->w, g->n);
    double wanted = g->edge - ROUNDING * (1 + fabs(along) + across) + fabs(lifted);
    double c = (wanted - along * g->gamma) / rest_of(g);
    draw_beside(g, random, across);
    if (across > 0) {
        c = fmin(fmax(c / across, -1), 1);
        scale_part(g->z, g->n, sqrt(1 - c * c));
        for (size_t i = 1; i < g->n; i++)
            g->z[i] += c * g->w[i] / across;
    }
    give_point(g, positive, out);
    return true;
}

static bool draw_point(void *user, thr_student *s, thr_random *random, thr_lab_example *out)
{
    (void)s;
    draw_beside(user, random, 0);
    give_point(user, coin(random), out);
    return true;
}

const thr_strategy thr_sphere_ways[2] = {{draw_at_edge, 1}, {draw_point, LOOKS}};

/* ---- signs -------------------------------------------------------------------------------- */

int thr_signs_init(thr_signs *g, size_t n, size_t k, double edge, thr_error *err)
{
    *g = (thr_signs){
        .n = n, .k = k, .edge = edge, .w = reals(n), .order = calloc(n + 1, sizeof *g->order)};
    return g->w && g->order ? 0 : thr_fail_memory(err);
}

void thr_signs_clear(thr_signs *g)
{
    free(g->w);
    free(g->order);
}

static int by_size(const void *a, const void *b, void *weights)
{
    const double *w = weights;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    double x = fabs(w[i]), y = fabs(w[j]);
    return x < y ? 1 : x > y ? -1 : i < j ? -1 : 1;
}

/* Sorts the indices k to n-1 by falling absolute weight. */
static void heaviest_first(uint32_t *order, double *w, size_t k, size_t n)
{
    for (size_t i = k; i < n; i++)
        order[i - k] = (uint32_t)i;
    qsort_r(order, n - k, sizeof *order, by_size, w);
}

static void shuffle(uint32_t *v, size_t n, thr_random *random)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = thr_random_below(random, i);
        uint32_t kept = v[i - 1];
        v[i - 1] = v[j];
        v[j] = kept;
    }
}

/* Draws the relevant signs: one more vote for y than against it. */
static void draw_votes(const thr_signs *g, thr_random *random, float y, float *x)
{
    size_t against = (g->k - 1) / 2;
    for (size_t i = 0; i < g->k; i++) {
        bool opposed = thr_random_below(random, g->k - i) < against;
        against -= opposed;
        x[i] = opposed ? -y : y;
    }
}

static void number_all(thr_lab_example *out, size_t n)
{
    out->n = n;
    for (size_t i = 0; i < n; i++)
        out->key[i] = (uint32_t)i + 1;
}

static bool draw_balanced_signs(void *user, thr_student *s, thr_random *random,
                                thr_lab_example *out)
{
    thr_signs *g = user;
    float y = coin(random) ? 1 : -1;
    double sum = thr_student_weights(s, g->n, g->w);
    out->positive = y > 0;
    number_all(out, g->n);
    draw_votes(g, random, y, out->x);
    for (size_t i = 0; i < g->k; i++)
        sum += (double)(y * out->x[i]) * g->w[i];
    heaviest_first(g->order, g->w, g->k, g->n);
    for (size_t i = 0; i < g->n - g->k; i++) {
        size_t j = g->order[i];
        bool up = g->w[j] != 0 ? (sum <= g->edge) == (g->w[j] > 0) : coin(random);
        out->x[j] = up ? y : -y;
        sum += (double)(up ? 1 : -1) * g->w[j];
    }
    /* If the sum is above the edge, the sign with the least weight that brings it to or below the
     * edge is flipped. */
    for (size_t i = g->n - g->k; i-- > 0 && sum > g->edge;) {
        size_t j = g->order[i];
        double part = (double)(y * out->x[j]) * g->w[j];
        if (part > 0 && sum - 2 * part <= g->edge) {
            out->x[j] = -out->x[j];
            break;
        }
    }
    return true;
}

static bool draw_signs(void *user, thr_student *s, thr_random *random, thr_lab_example *out)
{
    (void)s;
    const thr_signs *g = user;
    float y = coin(random) ? 1 : -1;
    out->positive = y > 0;
    number_all(out, g->n);
    draw_votes(g, random, y, out->x);
    for (size_t i = g->k; i < g->n; i++)
        out->x[i] = coin(random) ? 1 : -1;
    return true;
}

const thr_strategy thr_signs_ways[2] = {{draw_balanced_signs, 2}, {draw_signs, LOOKS}};

/* ---- disjunctions ------------------------------------------------------------------------- */

int thr_choice_init(thr_choice *g, size_t n, size_t k, thr_error *err)
{
    *g = (thr_choice){.n = n, .k = k, .w = reals(n), .order = calloc(n + 1, sizeof *g->order)};
    return g->w && g->order ? 0 : thr_fail_memory(err);
}

void thr_choice_clear(thr_choice *g)
{
    free(g->w);
    free(g->order);
}

static void add(thr_lab_example *out, size_t i)
{
    out->key[out->n] = (uint32_t)i + 1;
    out->x[out->n++] = 1;
}

static void begin_case(thr_lab_example *out, bool positive, size_t relevant)
{
    out->positive = positive;
    out->n = 0;
    if (positive)
        add(out, relevant);
}

static void give_all(const thr_choice *g, bool positive, size_t relevant, thr_lab_example *out)
{
    begin_case(out, positive, relevant);
    for (size_t i = g->k; i < g->n; i++)
        add(out, i);
}

/* Starting from bias 0 and no irrelevant weight, the negative example subtracts 1 from all
 * irrelevant weights and the bias, and the positive one adds it again, while the weight of its
 * relevant variable grows by 1. That costs 2 (n - k + 2) updates for each of the k variables. */
static bool draw_stairs(void *user, thr_student *s, thr_random *random, thr_lab_example *out)
{
    (void)random;
    const thr_choice *g = user;
    give_all(g, false, 0, out);
    double score = thr_student_scores(s, out->key, NULL, out->n);
    for (size_t r = 0; r < g->k && score < 0; r++) {
        give_all(g, true, r, out);
        score = thr_student_scores(s, out->key, NULL, out->n) <= 0 ? 0 : -1;
    }
    return score >= 0;
}

/* Adds the irrelevant variables, heaviest first, that bring the score towards 0 or have no weight.
 */
static bool draw_cancelling(void *user, thr_student *s, thr_random *random, thr_lab_example *out)
{
    thr_choice *g = user;
    size_t r = thr_random_below(random, g->k);
    double sum = thr_student_weights(s, g->n, g->w);
    begin_case(out, coin(random), r);
    sum += out->positive ? g->w[r] : 0;
    heaviest_first(g->order, g->w, g->k, g->n);
    for (size_t i = 0; i < g->n - g->k; i++) {
        size_t j = g->order[i];
        if (g->w[j] != 0 && (sum > 0) == (g->w[j] > 0))
            continue;
        add(out, j);
        sum += g->w[j];
    }
    return true;
}

static bool draw_any(void *user, thr_student *s, thr_random *random, thr_lab_example *out)
{
    (void)s;
    const thr_choice *g = user;
    double density = thr_random_real(random);
    begin_case(out, coin(random), thr_random_below(random, g->k));
    for (size_t i = g->k; i < g->n; i++)
        if (thr_random_real(random) < density)
            add(out, i);
    return true;
}

const thr_strategy thr_choice_ways[3] = {{draw_stairs, 1}, {draw_cancelling, 8}, {draw_any, LOOKS}};

/* ---- disjunctions for winnow -------------------------------------------------------------- */

/* Adds as little irrelevant weight as reaches theta: first what fits, then the lightest variable
 * that exceeds it. Eliminated variables (weight 0) are skipped. Returns false if theta is out of
 * reach. */
static bool fill_above(const thr_choice *g, double theta, thr_lab_example *out)
{
    double sum = 0;
    size_t filler = g->n;
    for (size_t i = 0; i < g->n - g->k && sum < theta; i++) {
        size_t j = g->order[i];
        if (!(g->w[j] > 0))
            continue;
        if (sum + g->w[j] > theta) {
            filler = j;
            continue;
        }
        add(out, j);
        sum += g->w[j];
    }
    if (sum < theta && filler < g->n)
        add(out, filler);
    return sum >= theta || filler < g->n;
}

/* A positive example has relevant variable r and as much irrelevant weight as fits below theta,
 * heaviest first; a negative one is filled above theta. Returns whether the example is harmful. */
static bool fill(const thr_choice *g, bool positive, size_t r, double theta, thr_lab_example *out)
{
    begin_case(out, positive, r);
    if (!positive)
        return fill_above(g, theta, out);
    double sum = g->w[r];
    for (size_t i = 0; i < g->n - g->k; i++) {
        size_t j = g->order[i];
        if (sum + g->w[j] >= theta)
            continue;
        add(out, j);
        sum += g->w[j];
    }
    return g->w[r] < theta;
}

/* The known strategy: positive examples of the lightest relevant variable while it is below theta,
 * then negative examples. */
static bool draw_hoard(void *user, thr_student *s, thr_random *random, thr_lab_example *out)
{
    (void)random;
    thr_choice *g = user;
    double theta = -thr_student_weights(s, g->n, g->w);
    size_t r = 0; /* the lightest relevant variable */
    for (size_t i = 1; i < g->k; i++)
        r = g->w[i] < g->w[r] ? i : r;
    heaviest_first(g->order, g->w, g->k, g->n);
    return fill(g, g->w[r] < theta, r, theta, out);
}

static bool draw_fill(void *user, thr_student *s, thr_random *random, thr_lab_example *out)
{
    thr_choice *g = user;
    double theta = -thr_student_weights(s, g->n, g->w);
    heaviest_first(g->order, g->w, g->k, g->n);
    if (coin(random))
        shuffle(g->order, g->n - g->k, random);
    return fill(g, coin(random), thr_random_below(random, g->k), theta, out);
}

const thr_strategy thr_winnow_ways[3] = {{draw_hoard, 1}, {draw_fill, 6}, {draw_any, LOOKS}};

int thr_signs_worst(const thr_adversary *a, size_t n, size_t k, double *updates, thr_error *err)
{
    thr_signs g;
    thr_game_counts h;
    thr_adversary with = *a;
    with.room = n;
    with.patience = 5;
    with.strategy = thr_signs_ways;
    with.strategies = 2;
    with.user = &g;
    int code = thr_signs_init(&g, n, k, a->margin * (1 - 1e-6), err);
    if (code == 0)
        code = thr_adversary_play(&with, &h, err);
    *updates = code ? 0 : h.updates;
    thr_signs_clear(&g);
    return code;
}
