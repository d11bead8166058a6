/* Experts: what the algorithms lose is what their definitions say, stays within the bounds on
 * random and on hostile streams, and the best sequence is the best. The definitions and formulas
 * are written here once more, plainly. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MOST = 8, LABELS = 4 };

static const char *const labels[LABELS] = {"a", "b", "c", "d"};

static void near(double a, double b, const char *what)
{
    if (!(fabs(a - b) <= 1e-8 * (1 + fabs(b))))
        fail_msg("%s: %.17g is not %.17g", what, a, b);
}

static thr_experts *start(size_t n, const thr_experts_options *o)
{
    thr_error err = {0};
    thr_experts *e = thr_experts_new(n, NULL, o, &err);
    if (!e)
        fail_msg("%s", err.message);
    return e;
}

static size_t row_of(const thr_experts *e, const char *algorithm, const char *form)
{
    thr_experts_result r;
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
        if (strcmp(r.algorithm, algorithm) == 0 && strcmp(r.form, form) == 0)
            return i;
    fail_msg("there is no %s by %s", form, algorithm);
    return 0;
}

static double loss_of(const thr_experts *e, const char *algorithm, const char *form)
{
    thr_experts_result r = {0};
    thr_experts_result_at(e, row_of(e, algorithm, form), &r);
    return r.loss;
}

/* ---- streams ------------------------------------------------------------------------------ */

/* A round of some kind of stream: what each expert says (LABELS: silence), and the truth. */
typedef struct scene {
    size_t n;
    uint64_t round;
    size_t say[MOST], truth;
} scene;

typedef void scene_fn(dice *d, scene *s);

static void pure_chance(dice *d, scene *s)
{
    s->truth = dice_below(d, LABELS);
    for (size_t i = 0; i < s->n; i++)
        s->say[i] = dice_below(d, LABELS);
}

/* Expert i is right with its own probability; one is often better by far. */
static void of_different_skill(dice *d, scene *s)
{
    s->truth = dice_below(d, 2);
    for (size_t i = 0; i < s->n; i++)
        s->say[i] = dice_real(d) < 0.95 / (1 + (double)i) ? s->truth : 1 - s->truth;
}

static void one_is_perfect(dice *d, scene *s)
{
    pure_chance(d, s);
    s->say[s->n - 1] = s->truth;
}

/* The perfect one changes every 40 rounds. */
static void the_best_changes(dice *d, scene *s)
{
    pure_chance(d, s);
    s->say[s->round / 40 % s->n] = s->truth;
}

static void all_are_wrong(dice *d, scene *s)
{
    s->truth = dice_below(d, 2);
    for (size_t i = 0; i < s->n; i++)
        s->say[i] = 1 - s->truth;
}

static void many_are_silent(dice *d, scene *s)
{
    pure_chance(d, s);
    for (size_t i = 0; i < s->n; i++)
        if (dice_below(d, 3))
            s->say[i] = LABELS;
}

/* The good expert is silent in every other round, the others err then. */
static void the_best_is_silent(dice *d, scene *s)
{
    all_are_wrong(d, s);
    s->say[0] = s->round % 2 ? LABELS : s->truth;
}

static scene_fn *const scenes[] = {pure_chance,       of_different_skill, one_is_perfect,
                                   the_best_changes,  all_are_wrong,      many_are_silent,
                                   the_best_is_silent};

static void hear(thr_experts *e, const scene *s)
{
    const char *said[MOST];
    for (size_t i = 0; i < s->n; i++)
        said[i] = s->say[i] < LABELS ? labels[s->say[i]] : NULL;
    assert_int_equal(thr_experts_hear_labels(e, said, NULL), 0);
}

static void learn(thr_experts *e, const scene *s)
{
    assert_int_equal(thr_experts_learn_label(e, labels[s->truth], NULL), 0);
}

/* ---- by definition ------------------------------------------------------------------------ */

typedef struct plain {
    double weight[MOST], eta, share;
    double vote, expected; /* losses so far */
} plain;

static double wrong(const scene *s, size_t i)
{
    return s->say[i] == s->truth ? 0 : 1;
}

/* The label with most weight; of equal ones that of the first expert. Where the two heaviest are
 * all but equal, rounding decides: *undecided is then set. */
static size_t plain_vote(const plain *p, const scene *s, bool *undecided)
{
    double behind[LABELS + 1] = {0};
    size_t best = LABELS;
    for (size_t i = 0; i < s->n; i++)
        behind[s->say[i]] += p->weight[i];
    for (size_t i = 0; i < s->n; i++)
        if (s->say[i] < LABELS && (best == LABELS || behind[s->say[i]] > behind[best]))
            best = s->say[i];
    *undecided = false;
    for (size_t l = 0; l < LABELS; l++)
        if (l != best && behind[l] != behind[best] && behind[l] > behind[best] * 0.999999)
            *undecided = true;
    return best;
}

static double plain_expected(const plain *p, const scene *s)
{
    double all = 0, lost = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->say[i] < LABELS) {
            all += p->weight[i];
            lost += p->weight[i] * wrong(s, i);
        }
    return all > 0 ? lost / all : 1;
}

/* `vote` is what the tested code says its mistakes are now. */
static void plain_round(plain *p, const scene *s, double vote)
{
    double total = 0;
    bool undecided;
    double mistake = plain_vote(p, s, &undecided) != s->truth;
    p->vote = undecided ? vote : p->vote + mistake;
    p->expected += plain_expected(p, s);
    for (size_t i = 0; i < s->n; i++) {
        p->weight[i] *= exp(-p->eta * wrong(s, i));
        total += p->weight[i];
    }
    for (size_t i = 0; i < s->n && p->share > 0 && s->n > 1; i++)
        p->weight[i] += p->share * ((total - p->weight[i]) / (double)(s->n - 1) - p->weight[i]);
}

static void same_as_plain(thr_experts *e, plain *still, plain *sharing, const scene *s)
{
    double weight[MOST], total = 0;
    hear(e, s);
    learn(e, s);
    plain_round(still, s, loss_of(e, "majority", "vote"));
    plain_round(sharing, s, loss_of(e, "share", "vote"));
    near(loss_of(e, "majority", "vote"), still->vote, "majority");
    near(loss_of(e, "random", "expected"), still->expected, "random");
    near(loss_of(e, "hedge", "expected"), still->expected, "hedge");
    near(loss_of(e, "share", "vote"), sharing->vote, "share, vote");
    near(loss_of(e, "share", "expected"), sharing->expected, "share, expected");
    thr_experts_weights(e, row_of(e, "share", "vote"), weight);
    for (size_t i = 0; i < s->n; i++)
        total += sharing->weight[i];
    for (size_t i = 0; i < s->n; i++)
        near(weight[i], sharing->weight[i] / total, "weight");
}

static void as_defined(void **state)
{
    (void)state;
    static const double etas[] = {0.05, 0.6931471805599453, 2.5};
    for (uint64_t seed = 0; seed < stream_seeds(60); seed++)
        for (size_t k = 0; k < COUNT(scenes); k++) {
            dice d = {seed * 1000 + k};
            scene s = {.n = 1 + (size_t)(seed % MOST)};
            thr_experts_options o;
            thr_experts_defaults(&o);
            o.eta = etas[seed % 3];
            o.share = 0.02 + 0.1 * (double)(seed % 5);
            thr_experts *e = start(s.n, &o);
            plain still = {.eta = o.eta}, sharing = {.eta = o.eta, .share = o.share};
            for (size_t i = 0; i < MOST; i++)
                still.weight[i] = sharing.weight[i] = 1;
            for (; s.round < 80; s.round++) {
                scenes[k](&d, &s);
                same_as_plain(e, &still, &sharing, &s);
            }
            thr_experts_free(e);
        }
}

/* ---- bounds ------------------------------------------------------------------------------- */

typedef struct facts {
    double n, rounds, eta, share;
} facts;

static double cost(facts f, double loss, double switches, bool sharing)
{
    double c = f.eta * loss + log(f.n);
    if (sharing && f.n > 1)
        c += switches * log((f.n - 1) / f.share) +
             (f.rounds - 1 - switches) * log(1 / (1 - f.share));
    return c;
}

/* Loss of the best sequence reported for k, and its switches. */
static double best(const thr_experts *e, unsigned k, double *switches)
{
    size_t parts;
    double loss = thr_experts_best(e, k, &parts);
    assert_true(parts <= k + 1);
    *switches = (double)parts - 1;
    return loss;
}

static void within(double loss, double bound, double reported, const char *what)
{
    near(reported, bound, what);
    if (!(loss <= bound + 1e-7))
        fail_msg("%s: %.9g is more than %.9g", what, loss, bound);
}

/* Every row of labels or given losses against the formula of its kind. */
static void check_bounds(const thr_experts *e, facts f, unsigned most)
{
    thr_experts_result r;
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++) {
        bool sharing = strcmp(r.algorithm, "share") == 0, vote = strcmp(r.form, "vote") == 0;
        double by = vote ? log(2 / (1 + exp(-f.eta))) : 1 - exp(-f.eta), least = INFINITY;
        assert_true(r.holds);
        if (strcmp(r.form, "drawn") == 0) {
            assert_true(isnan(r.bound));
            continue;
        }
        for (unsigned k = 0; k <= (sharing ? most : 0); k++) {
            double switches, loss = best(e, k, &switches);
            double bound = cost(f, loss, switches, sharing) / by;
            within(r.loss, bound, thr_experts_bound(e, i, k), r.algorithm);
            least = fmin(least, bound);
        }
        near(r.bound, least, "the least bound");
    }
}

static const double all_etas[] = {0.001, 0.1, 0.6931471805599453, 2, 20};
static const double all_shares[] = {0.0001, 0.03, 0.4};

static void bounds_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < stream_seeds(210); seed++)
        for (size_t k = 0; k < COUNT(scenes); k++) {
            dice d = {seed * 77 + k};
            scene s = {.n = 1 + (size_t)(seed % MOST)};
            thr_experts_options o;
            thr_experts_defaults(&o);
            o.eta = all_etas[seed % COUNT(all_etas)];
            o.share = all_shares[seed % COUNT(all_shares)];
            o.switches = (unsigned)(seed % 7);
            thr_experts *e = start(s.n, &o);
            for (; s.round < 200; s.round++) {
                scenes[k](&d, &s);
                hear(e, &s);
                learn(e, &s);
            }
            check_bounds(e, (facts){(double)s.n, 200, o.eta, o.share}, o.switches);
            thr_experts_free(e);
        }
}

/* The truth is always another label than the vote's: it errs in every round. Two labels, so that
 * half of the experts may be right. */
static void hostile_to(const char *algorithm)
{
    for (uint64_t seed = 0; seed < stream_seeds(60); seed++) {
        dice d = {seed};
        scene s = {.n = 1 + (size_t)(seed % MOST)};
        thr_experts_options o;
        thr_experts_defaults(&o);
        o.eta = all_etas[seed % COUNT(all_etas)];
        o.share = all_shares[seed % COUNT(all_shares)];
        thr_experts *e = start(s.n, &o);
        size_t row = row_of(e, algorithm, "vote");
        for (; s.round < 300; s.round++) {
            for (size_t i = 0; i < s.n; i++)
                s.say[i] = seed % 2 ? dice_below(&d, 2) : (s.round >> i) & 1;
            hear(e, &s);
            size_t answer = thr_experts_answer(e, row, NULL);
            assert_true(answer < s.n);
            s.truth = 1 - s.say[answer];
            learn(e, &s);
        }
        near(loss_of(e, algorithm, "vote"), 300, "mistakes in every round");
        check_bounds(e, (facts){(double)s.n, 300, o.eta, o.share}, o.switches);
        thr_experts_free(e);
    }
}

static void hostile_to_the_vote(void **state)
{
    (void)state;
    hostile_to("majority");
    hostile_to("share");
}

/* Against the expected loss: the label that has less weight behind it is the truth. */
static void hostile_to_the_drawn(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < stream_seeds(60); seed++) {
        dice d = {seed};
        scene s = {.n = 2 + (size_t)(seed % (MOST - 1))};
        thr_experts_options o;
        thr_experts_defaults(&o);
        o.eta = all_etas[seed % COUNT(all_etas)];
        thr_experts *e = start(s.n, &o);
        for (; s.round < 300; s.round++) {
            double weight[MOST], behind[2] = {0};
            thr_experts_weights(e, row_of(e, "hedge", "expected"), weight);
            for (size_t i = 0; i < s.n; i++) {
                s.say[i] = dice_below(&d, 2);
                behind[s.say[i]] += weight[i];
            }
            s.truth = behind[1] < behind[0];
            hear(e, &s);
            learn(e, &s);
        }
        check_bounds(e, (facts){(double)s.n, 300, o.eta, o.share}, o.switches);
        thr_experts_free(e);
    }
}

/* Without a rate: loss <= m + 2 sqrt(T/2 ln n) + sqrt(ln(n)/8), nothing known in advance. The
 * leader of the moment errs. */
static void without_a_rate(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < stream_seeds(40); seed++) {
        size_t n = 1 + (size_t)(seed % MOST);
        thr_experts_options o;
        thr_experts_defaults(&o);
        o.loss = "given";
        o.algorithms = "hedge,random";
        o.adapt = true;
        thr_experts *e = start(n, &o);
        dice d = {seed};
        size_t row = row_of(e, "hedge", "expected"), rounds = 50 + 10 * (size_t)seed;
        double expected = 0;
        for (size_t t = 0; t < rounds; t++) {
            double weight[MOST], loss[MOST];
            thr_experts_weights(e, row, weight);
            for (size_t i = 0; i < n; i++) {
                loss[i] = weight[i] >= 1.0 / (double)n - 1e-9 ? 1 : dice_real(&d) / 3;
                expected += weight[i] * loss[i];
            }
            assert_int_equal(thr_experts_learn_losses(e, loss, NULL), 0);
        }
        double none, m = best(e, 0, &none), log_n = log((double)n);
        near(loss_of(e, "hedge", "expected"), expected, "expected loss");
        within(expected, m + 2 * sqrt((double)rounds / 2 * log_n) + sqrt(log_n / 8),
               thr_experts_bound(e, row, 0), "without a rate");
        thr_experts_free(e);
    }
}

/* Its weights are exp(-eta_t total loss). */
static void the_rate_follows_the_rounds(void **state)
{
    (void)state;
    thr_experts_options o;
    thr_experts_defaults(&o);
    o.loss = "given";
    o.adapt = true;
    thr_experts *e = start(3, &o);
    double total[3] = {0}, weight[3], loss[3] = {0.1, 0.4, 1};
    for (int t = 1; t <= 30; t++) {
        double all = 0, eta = sqrt(8 * log(3) / t);
        thr_experts_weights(e, row_of(e, "random", "drawn"), weight);
        for (int i = 0; i < 3; i++)
            all += exp(-eta * total[i]);
        for (int i = 0; i < 3; i++) {
            near(weight[i], exp(-eta * total[i]) / all, "weight");
            total[i] += loss[i];
        }
        thr_experts_learn_losses(e, loss, NULL);
    }
    thr_experts_free(e);
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Experts say numbers; the truth is 0 or 1, whichever is farther from the mean, or random. The
 * loss of the mean is below the mean of the losses, and the square has the better bound. */
static void play_numbers(thr_experts *e, size_t n, bool hostile, uint64_t seed, size_t rounds)
{
    dice d = {seed};
    size_t row = row_of(e, "hedge", "mean");
    for (size_t t = 0; t < rounds; t++) {
        double say[MOST], mean, truth = dice_real(&d);
        for (size_t i = 0; i < n; i++)
            say[i] = dice_below(&d, 10) ? dice_real(&d) * (double)(i + 1) / (double)n : NAN;
        assert_int_equal(thr_experts_hear_numbers(e, say, NULL), 0);
        thr_experts_answer(e, row, &mean);
        if (hostile)
            truth = mean < 0.5;
        assert_int_equal(thr_experts_learn_number(e, truth, NULL), 0);
    }
}

static void check_means(const thr_experts *e, facts f, bool square)
{
    static const char *const names[] = {"hedge", "share"};
    for (size_t a = 0; a < 2; a++) {
        double mean = loss_of(e, names[a], "mean"), expected = loss_of(e, names[a], "expected");
        size_t row = row_of(e, names[a], "mean");
        assert_true(mean <= expected + 1e-9);
        for (unsigned k = 0; k <= a; k++) {
            double switches, loss = best(e, k, &switches);
            double c = cost(f, loss, switches, a == 1), bound = c / (1 - exp(-f.eta));
            within(expected, bound, thr_experts_bound(e, row_of(e, names[a], "expected"), k),
                   "expected of numbers");
            if (square && f.eta <= 0.5)
                bound = fmin(bound, c / f.eta);
            within(mean, bound, thr_experts_bound(e, row, k), "mean");
        }
    }
}

static void losses_of_numbers_are_within_their_bounds(void **state)
{
    (void)state;
    static const double etas[] = {0.01, 0.3, 0.5, 0.6931471805599453, 5};
    for (uint64_t seed = 0; seed < stream_seeds(80); seed++) {
        bool square = seed % 2;
        size_t n = 1 + (size_t)(seed % MOST);
        thr_experts_options o;
        thr_experts_defaults(&o);
        o.loss = square ? "square" : "absolute";
        o.eta = etas[seed % COUNT(etas)];
        o.share = all_shares[seed % COUNT(all_shares)];
        thr_experts *e = start(n, &o);
        play_numbers(e, n, seed / 2 % 2, seed, 200);
        check_means(e, (facts){(double)n, 200, o.eta, o.share}, square);
        thr_experts_free(e);
    }
}

/* ---- sequences ---------------------------------------------------------------------------- */

enum { SHORT = 7, FEW = 4 };

/* The least loss of all n^SHORT sequences with at most k switches. */
static double by_trying_all(double loss[SHORT][FEW], size_t n, unsigned k)
{
    double least = INFINITY;
    size_t all = 1;
    for (int t = 0; t < SHORT; t++)
        all *= n;
    for (size_t code = 0; code < all; code++) {
        unsigned switches = 0;
        double sum = 0;
        size_t rest = code, before = code % n;
        for (int t = 0; t < SHORT; t++, rest /= n) {
            switches += rest % n != before;
            before = rest % n;
            sum += loss[t][before];
        }
        if (switches <= k && sum < least)
            least = sum;
    }
    return least;
}

/* The parts cover the rounds one after the other, and lose what is said. */
static void check_parts(const thr_experts *e, double loss[SHORT][FEW], unsigned k)
{
    size_t parts;
    double sum = 0, said = thr_experts_best(e, k, &parts);
    uint64_t next = 1;
    thr_experts_part p, before = {.expert = FEW};
    for (size_t i = 0; i < parts; i++, before = p) {
        assert_true(thr_experts_best_part(e, k, i, &p));
        assert_int_equal(p.from, next);
        assert_true(p.to >= p.from && p.expert != before.expert);
        for (; next <= p.to; next++)
            sum += loss[next - 1][p.expert];
    }
    assert_int_equal(next, SHORT + 1);
    assert_true(parts <= k + 1);
    assert_false(thr_experts_best_part(e, k, parts, &p));
    near(sum, said, "loss of the parts");
}

static void the_best_sequence_is_best(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < stream_seeds(120); seed++) {
        dice d = {seed};
        double loss[SHORT][FEW];
        size_t n = 1 + (size_t)(seed % FEW);
        thr_experts_options o;
        thr_experts_defaults(&o);
        o.loss = "given";
        o.switches = 5;
        thr_experts *e = start(n, &o);
        for (int t = 0; t < SHORT; t++) {
            for (size_t i = 0; i < n; i++)
                loss[t][i] = seed % 2 ? (double)dice_below(&d, 2) : dice_real(&d);
            assert_int_equal(thr_experts_learn_losses(e, loss[t], NULL), 0);
        }
        for (unsigned k = 0; k <= o.switches; k++) {
            near(thr_experts_best(e, k, NULL), by_trying_all(loss, n, k), "best sequence");
            check_parts(e, loss, k);
        }
        thr_experts_free(e);
    }
}

/* ---- chance and length -------------------------------------------------------------------- */

/* Over many seeds the loss of the drawn expert is the expected loss; one seed is one run. */
static void drawing_is_fair(void **state)
{
    (void)state;
    enum { SEEDS = 2000, ROUNDS = 30 };
    double sum = 0, expected = 0, first = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        thr_experts_options o;
        thr_experts_defaults(&o);
        o.eta = 0.2;
        o.seed = seed / 2;
        thr_experts *e = start(4, &o);
        dice d = {5};
        for (scene s = {.n = 4}; s.round < ROUNDS; s.round++) {
            of_different_skill(&d, &s);
            hear(e, &s);
            learn(e, &s);
        }
        double drawn = loss_of(e, "random", "drawn");
        expected = loss_of(e, "random", "expected");
        if (seed % 2)
            assert_true(drawn == first);
        first = drawn;
        sum += drawn;
        thr_experts_free(e);
    }
    /* the variance of a run is at most ROUNDS/4 */
    double off = fabs(sum / SEEDS - expected), sigma = sqrt(ROUNDS / 4.0 / (SEEDS / 2.0));
    if (off > 4 * sigma)
        fail_msg("mean %g, expected %g", sum / SEEDS, expected);
}

static void a_million_rounds(void **state)
{
    (void)state;
    enum { ROUNDS = 1000000, N = 3 };
    static const double etas[] = {0.6931471805599453, 100};
    for (size_t k = 0; k < COUNT(etas); k++) {
        thr_experts_options o;
        thr_experts_defaults(&o);
        o.loss = "given";
        o.eta = etas[k];
        thr_experts *e = start(N, &o);
        for (size_t t = 0; t < ROUNDS; t++) {
            double loss[N] = {t < ROUNDS / 2 ? 0 : 1, t < ROUNDS / 2 ? 1 : 0, 1};
            thr_experts_learn_losses(e, loss, NULL);
        }
        thr_experts_result r;
        for (size_t i = 0; thr_experts_result_at(e, i, &r); i++) {
            double weight[N], sum = 0;
            thr_experts_weights(e, i, weight);
            for (size_t j = 0; j < N; j++) {
                assert_true(weight[j] >= 0 && weight[j] <= 1);
                sum += weight[j];
            }
            near(sum, 1, "sum of weights");
            assert_true(isfinite(r.loss) && r.holds);
        }
        double weight[N];
        thr_experts_weights(e, row_of(e, "hedge", "expected"), weight);
        near(weight[0], weight[1], "as often wrong");
        assert_true(loss_of(e, "share", "expected") < ROUNDS * 0.02);
        assert_true(loss_of(e, "hedge", "expected") > ROUNDS * 0.49);
        thr_experts_free(e);
    }
}

/* ---- how near the bounds are -------------------------------------------------------------- */

/* Experts 0 to 7 say their own bits, and 1 is true each time: ties go to the first, who is wrong.
 * With beta near 0 that is halving, and the bound log2 8. */
static void the_vote_reaches_its_bound(void **state)
{
    (void)state;
    thr_experts_options o;
    thr_experts_defaults(&o);
    o.eta = 20;
    scene s = {.n = 8, .truth = 1};
    thr_experts *e = start(s.n, &o);
    for (; s.round < 3; s.round++) {
        for (size_t i = 0; i < s.n; i++)
            s.say[i] = i >> s.round & 1;
        hear(e, &s);
        learn(e, &s);
    }
    double mistakes = loss_of(e, "majority", "vote");
    double bound = thr_experts_bound(e, row_of(e, "majority", "vote"), 0);
    assert_true(mistakes == 3);
    assert_true(bound >= mistakes && bound < mistakes + 1e-6);
    thr_experts_free(e);
}

/* One expert errs at a time, the last one only at the beginning, until the others' weight is gone.
 */
static void the_expected_loss_comes_near_its_bound(void **state)
{
    (void)state;
    for (unsigned m = 0; m <= 40; m += 20) {
        thr_experts_options o;
        thr_experts_defaults(&o);
        o.loss = "given";
        o.algorithms = "hedge";
        o.eta = 0.01;
        thr_experts *e = start(8, &o);
        double loss[8] = {0, 0, 0, 0, 0, 0, 0, 1};
        for (unsigned i = 0; i < m; i++)
            assert_int_equal(thr_experts_learn_losses(e, loss, NULL), 0);
        for (unsigned i = 0; i < 7 * (m + 800); i++) {
            for (unsigned k = 0; k < 8; k++)
                loss[k] = k == i % 7;
            assert_int_equal(thr_experts_learn_losses(e, loss, NULL), 0);
        }
        double bound = thr_experts_bound(e, row_of(e, "hedge", "expected"), 0);
        double lost = loss_of(e, "hedge", "expected");
        if (!(lost <= bound && lost >= 0.98 * bound))
            fail_msg("m = %u: %.9g is not near %.9g", m, lost, bound);
        thr_experts_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_defined),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(hostile_to_the_vote),
        cmocka_unit_test(hostile_to_the_drawn),
        cmocka_unit_test(the_vote_reaches_its_bound),
        cmocka_unit_test(the_expected_loss_comes_near_its_bound),
        cmocka_unit_test(without_a_rate),
        cmocka_unit_test(the_rate_follows_the_rounds),
        cmocka_unit_test(losses_of_numbers_are_within_their_bounds),
        cmocka_unit_test(the_best_sequence_is_best),
        cmocka_unit_test(drawing_is_fair),
        cmocka_unit_test(a_million_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
