/* No run of a learner exceeds its bound. The bounds are those of docs/THEORY.md; the streams are
 * seeded, their margins known by construction or computed here. Each property draws its own
 * settings from its seed, so that a table row stands for many different runs.
 *
 * Notation as in the theory: R and X are the largest lengths of an example, gamma the margin for
 * ||u||_2 = 1, g that for ||u||_1 = 1. */
#include "bounds.h"

typedef struct property {
    const char *learner, *says;
    unsigned seeds;
    void (*check)(uint64_t seed);
} property;

/* ---- additive rules ---- */

static void separable(uint64_t seed, const char *learner, double margin)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.05, 0.1, 0.3), rate = PICK(&d, 0.01, 0.5, 1, 3.7, 100);
    stream s = margin_stream(&d, seed, gamma, 0);
    thr_model *m =
        model_make(true, NULL, "%s:bias=off,rate=%.17g,margin=%.17g", learner, rate, margin);
    counts c = stream_learn(&s, m, 10, false);
    assert_true(c.updates > 0);
    at_most(learner, seed, (double)c.updates,
            (s.norm2 * s.norm2 + 2 * margin / rate) / (gamma * gamma));
    thr_model_free(m);
    stream_free(&s);
}

static void perceptron_separable(uint64_t seed)
{
    separable(seed, "perceptron", 0);
}

static void perceptron_thick(uint64_t seed)
{
    dice d = {seed + 1000};
    separable(seed, "perceptron", PICK(&d, 0.1, 1, 2.5));
}

static void averaged_separable(uint64_t seed)
{
    separable(seed, "averaged", 0);
}

static void voted_separable(uint64_t seed)
{
    separable(seed, "voted", 0);
}

static void voted_thick(uint64_t seed)
{
    dice d = {seed + 1000};
    separable(seed, "voted", PICK(&d, 0.1, 1, 2.5));
}

/* Every non-clean pass has an update, so the bound also says when a clean one must come. */
static void perceptron_becomes_clean(uint64_t seed)
{
    double gamma = 0.15;
    stream s = stream_generate(seed, 200, "margin:n=15,gamma=%.17g", gamma);
    thr_model *m = model_make(true, NULL, "perceptron:bias=off,margin=0");
    unsigned most = (unsigned)(s.norm2 * s.norm2 / (gamma * gamma)) + 1;
    assert_true(stream_learn(&s, m, most, true).clean);
    thr_model_free(m);
    stream_free(&s);
}

/* Freund and Schapire: ((R+D)/gamma)^2, D^2 = sum max(0, gamma - y u.x)^2, one pass. */
static void perceptron_noisy(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.1, 0.3, 0.6), noise = PICK(&d, 0.01, 0.05, 0.2), squares = 0;
    stream s = margin_stream(&d, seed, gamma, noise);
    for (size_t row = 0; row < s.rows; row++)
        squares += pow(fmax(0, gamma - stream_margin(&s, row)), 2);
    thr_model *m = model_make(true, NULL, "perceptron:bias=off,margin=0");
    counts c = stream_learn(&s, m, 1, false);
    at_most("perceptron on noisy data", seed, (double)c.updates,
            pow((s.norm2 + sqrt(squares)) / gamma, 2));
    thr_model_free(m);
    stream_free(&s);
}

/* u = 2 on the relevant variables, -(2m-1) on the bias: y u.x >= 1, ||u||^2 = 4k + (2m-1)^2.
 * Disjunctions are m = 1. */
static void perceptron_boolean(uint64_t seed)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 10, 30, 100), k = (unsigned)PICK(&d, 1, 3, 7);
    unsigned least = dice_below(&d, 2) ? 1 : (k + 1) / 2;
    stream s = stream_generate(seed, 500, "threshold:n=%u,k=%u,m=%u", n, k, least);
    thr_model *m = model_make(true, NULL, "perceptron:margin=0,bias=on");
    counts c = stream_learn(&s, m, 20, false);
    assert_true(c.updates > 0);
    at_most("perceptron on m-of-k", seed, (double)c.updates,
            (4.0 * k + pow(2.0 * least - 1, 2)) * (n + 1));
    thr_model_free(m);
    stream_free(&s);
}

/* ---- many classes ---- */

static counts learn_classes(uint64_t seed, const char *learner, double gamma, bool declared,
                            double *bound)
{
    dice d = {seed};
    stream s = stream_classes(&d, gamma, 400);
    thr_model *m = model_make(false, "multiclass=direct", "%s", learner);
    for (int c = 0; c < STREAM_CLASSES && declared; c++)
        assert_true(thr_model_declare_label(m, (char[]){(char)('1' + c), 0}, NULL) >= 0);
    counts c = stream_learn(&s, m, 10, false);
    *bound = s.norm2 * s.norm2 / (gamma * gamma);
    thr_model_free(m);
    stream_free(&s);
    return c;
}

/* ||f(x,y) - f(x,r)||^2 = 2 ||x||^2 makes the factor 2, whether the labels are declared or come one
 * by one. */
static void additive_classes(uint64_t seed, const char *learner)
{
    bool declared = seed % 2;
    double bound;
    counts c = learn_classes(seed, learner, 0.08, declared, &bound);
    assert_true(c.updates > 0);
    at_most(learner, seed, (double)c.updates, 2 * bound);
}

static void perceptron_classes(uint64_t seed)
{
    additive_classes(seed, "perceptron:bias=off,margin=0");
}

static void averaged_classes(uint64_t seed)
{
    additive_classes(seed, "averaged:bias=off,margin=0");
}

/* Mistakes; a label never met before is one that no rule can avoid. */
static void pa_classes(uint64_t seed)
{
    bool declared = seed % 2;
    double bound;
    counts c = learn_classes(seed, "pa:C=inf,averaged=off,bias=off", 0.08, declared, &bound);
    assert_true(c.mistakes > 0);
    at_most("multi-class pa", seed, (double)c.mistakes - (declared ? 0 : STREAM_CLASSES),
            2 * bound);
}

/* ---- kernels: the perceptron's bound where K is the product, so R^2 = max K(x,x) ---- */

/* The product of k signs has the weight sqrt(k!) in (x.z + 1 + c)^k: margin sqrt(k!), and R^2 is
 * (n + 1 + c)^k. One common factor on x.z + 1 changes nothing. */
static void kernel_parity(uint64_t seed)
{
    dice d = {seed};
    int n = (int)PICK(&d, 3, 5, 7), k = (int)PICK(&d, 2, 3);
    double c = PICK(&d, 0, 1), factorial = k == 2 ? 2 : 6, scale = c > 0 ? 1 : PICK(&d, 1, 0.2, 9);
    stream s = {0};
    for (int row = 0; row < 300; row++) {
        int32_t column[7];
        float x[7];
        double label = 1;
        for (int i = 0; i < n; i++) {
            column[i] = i + 1;
            x[i] = dice_below(&d, 2) ? 1 : -1;
            label *= i < k ? (double)x[i] : 1;
        }
        stream_add(&s, label, (size_t)n, column, x);
    }
    thr_model *m = model_make(true, NULL, "kernel:degree=%d,coef=%g,gamma=%g,vote=%s", k, c, scale,
                              seed % 2 ? "on" : "off");
    counts learned = stream_learn(&s, m, 6, false);
    assert_true(learned.updates > 0);
    at_most("kernel on parities", seed, (double)learned.updates, pow(n + 1 + c, k) / factorial);
    thr_model_free(m);
    stream_free(&s);
}

/* Monotone 2-DNF of t terms by (1 + x.z)^2: 1/sqrt 2 on each sqrt(2) x_i x_j, -1/2 on the constant.
 * Margin 1/2, squared length t/2 + 1/4, R^2 = (active + 1)^2. */
static void kernel_dnf(uint64_t seed)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 8, 20, 50), terms = (unsigned)PICK(&d, 1, 3, 6);
    stream s = stream_generate(seed, 400, "dnf:n=%u,terms=%u,k=2", n, terms);
    thr_model *m = model_make(true, NULL, "kernel:degree=2,vote=%s", seed % 2 ? "on" : "off");
    counts c = stream_learn(&s, m, 5, false);
    assert_true(c.updates > 0);
    at_most("kernel on 2-DNF", seed, (double)c.updates,
            pow(s.norm2 * s.norm2 + 1, 2) * (2 * terms + 1));
    thr_model_free(m);
    stream_free(&s);
}

/* Any f of the space that separates gives a bound; here the one that was learned. Its squared
 * length is the sum of its steps times its values, the steps counted as they are made. */
static void kernel_radial(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 5, 10, 40), scores[2], length2 = 0, margin = INFINITY, alpha[100] = {0};
    stream s = stream_generate(seed, COUNT(alpha), "margin:n=4,gamma=0.05,noise=0.3");
    thr_model *m = model_make(true, NULL, "kernel:kind=rbf,gamma=%g,vote=off", gamma);
    int positive = thr_model_positive(m);
    uint64_t updates = 0;
    bool clean = false;
    for (int pass = 0; pass < 100 && !clean; pass++) {
        clean = true;
        for (size_t row = 0; row < s.rows; row++) {
            thr_stats stats;
            learn_row(&s, m, row);
            thr_model_stats(m, &stats);
            if (stats.updates > updates) {
                updates = stats.updates;
                alpha[row] += s.label[row];
                clean = false;
            }
        }
    }
    assert_true(clean);
    for (size_t row = 0; row < s.rows; row++) {
        stream_predict(&s, m, row, scores);
        length2 += alpha[row] * scores[positive];
        margin = fmin(margin, s.label[row] * scores[positive]);
    }
    at_most("kernel, radial", seed, (double)updates, length2 / (margin * margin));
    thr_model_free(m);
    stream_free(&s);
}

/* ---- passive-aggressive ---- */

/* sum loss^2 <= ||u||^2 R^2 with u of unit functional margin, here u/gamma. A mistake has a loss
 * of at least 1, so it bounds mistakes; small losses may come again and again, so not updates. */
static void pa_separable(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.1, 0.3), squares = 0, scores[2];
    stream s = margin_stream(&d, seed, gamma, 0);
    thr_model *m = model_make(true, NULL, "pa:C=inf,averaged=off,bias=off");
    size_t positive = (size_t)thr_model_positive(m);
    for (size_t i = 0; i < 2 * s.rows; i++) {
        size_t row = i % s.rows;
        stream_predict(&s, m, row, scores);
        double loss = fmax(0, 1 - s.label[row] * scores[positive]);
        squares += loss * loss;
        thr_batch *b = stream_row(&s, m, row);
        assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
        thr_batch_free(b);
        stream_predict(&s, m, row, scores);
        assert_true(s.label[row] * scores[positive] > 0.999); /* the hard version corrects */
    }
    assert_true(squares >= 1);
    at_most("pa, squared losses", seed, squares, s.norm2 * s.norm2 / (gamma * gamma));
    thr_model_free(m);
    stream_free(&s);
}

/* PA-I: mistakes <= max(R^2, 1/C)(||u||^2 + 2C sum loss_u). */
static void pa_noisy(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.1, 0.3, 0.6), noise = PICK(&d, 0, 0.01, 0.1);
    double C = PICK(&d, 0.01, 0.1, 1), losses = 0;
    stream s = margin_stream(&d, seed, gamma, noise);
    for (size_t row = 0; row < s.rows; row++)
        losses += fmax(0, 1 - stream_margin(&s, row) / gamma);
    thr_model *m = model_make(true, NULL, "pa:C=%.17g,averaged=off,bias=off", C);
    counts c = stream_learn(&s, m, 1, false);
    at_most("pa on noisy data", seed, (double)c.mistakes,
            fmax(s.norm2 * s.norm2, 1 / C) * (1 / (gamma * gamma) + 2 * C * losses));
    thr_model_free(m);
    stream_free(&s);
}

/* ---- multiplicative rules ---- */

/* u <= k (1 + log_a(theta/s)); v <= (n s/theta + (a-1) u)/(1-b). At a = 2, b = 0 that is
 * v <= n/theta + u; at a = 2, b = 1/2, theta = n a total of 3u + 2. */
static void winnow_disjunction(uint64_t seed)
{
    static const struct {
        double promote, demote, theta, start; /* theta in units of n */
    } settings[] = {
        {2, 0.5, 1, 1},     {2, 0, 1, 1},    {2, 0, 0.25, 1},     {1.5, 0.5, 1, 1},
        {1.1, 0.9, 0.5, 1}, {4, 0.25, 1, 1}, {2, 0.5, 0.25, 0.3}, {3, 0, 0.5, 2},
    };
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 16, 100, 400), k = (unsigned)PICK(&d, 1, 3, 6);
    stream s = stream_generate(seed, 600, "disjunction:n=%u,k=%u", n, k);
    for (size_t i = 0; i < COUNT(settings); i++) {
        double a = settings[i].promote, b = settings[i].demote, start = settings[i].start;
        double theta = settings[i].theta * n;
        thr_model *m =
            model_make(true, NULL, "winnow:promote=%.17g,demote=%.17g,theta=%.17g,start=%.17g", a,
                       b, theta, start);
        counts c = stream_learn(&s, m, 8, false);
        double most_promotions = k * (1 + log(theta / start) / log(a));
        assert_int_equal(c.updates, c.mistakes);
        at_most("winnow, promotions", seed, (double)c.missed, most_promotions);
        at_most("winnow, demotions", seed, (double)c.false_alarms,
                (n * start / theta + (a - 1) * (double)c.missed) / (1 - b));
        at_most("winnow, mistakes", seed, (double)c.mistakes,
                most_promotions + (n * start / theta + (a - 1) * most_promotions) / (1 - b));
        if (a == 2 && b == 0.5 && settings[i].theta == 1)
            at_most("winnow, textbook total", seed, (double)c.mistakes,
                    3 * k * log2(2 * theta) + 2);
        thr_model_free(m);
    }
    stream_free(&s);
}

/* Noise leaves the points of a seed as they are. A flipped label loses at most g + X. */
static double flipped_labels(const stream *s, uint64_t seed, unsigned n, unsigned k)
{
    stream clean = stream_generate(seed, s->rows, "majority:n=%u,k=%u", n, k);
    double flipped = 0;
    for (size_t row = 0; row < s->rows; row++)
        flipped += s->label[row] != clean.label[row];
    stream_free(&clean);
    return flipped;
}

/* 2 X^2 ln(2N)/(g-r)^2 at eta = (g-r)/X^2, and 2/g times the losses where data is noisy. Majority
 * of k signs, scaled: g = X/k. */
static void balanced(uint64_t seed, bool normalized, double margin, double noise)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 9, 60, 300), k = (unsigned)PICK(&d, 1, 3, 5);
    float scale = (float)PICK(&d, 1, 0.25, 4);
    stream s = stream_generate(seed, 400, "majority:n=%u,k=%u,noise=%.17g", n, k, noise);
    stream_scale(&s, scale);
    double X = s.norminf, g = X / k, r = margin * g, losses = 0;
    if (noise > 0)
        losses = (g + X) * flipped_labels(&s, seed, n, k);
    thr_model *m = model_make(true, NULL, "balanced:eta=%.17g,margin=%.17g,normalized=%s,bias=off",
                              (g - r) / (X * X), r, normalized ? "on" : "off");
    counts c = stream_learn(&s, m, noise > 0 ? 1 : 6, false);
    assert_true(c.updates > 0);
    at_most("balanced on majorities", seed, (double)c.updates,
            2 * X * X * log(2.0 * n) / pow(g - r, 2) + 2 * losses / g);
    thr_model_free(m);
    stream_free(&s);
}

static void balanced_plain(uint64_t seed)
{
    balanced(seed, false, 0, 0);
}

static void balanced_normalized(uint64_t seed)
{
    balanced(seed, true, 0, 0);
}

static void balanced_thick(uint64_t seed)
{
    balanced(seed, true, seed % 2 ? 0.5 : 0.2, 0);
}

static void balanced_noisy(uint64_t seed)
{
    balanced(seed, seed % 2, 0, 0.03);
}

/* u = 2 on the relevant variables and -1 on the bias: y u.x >= 1, so g = 1/(2k+1). */
static void balanced_disjunction(uint64_t seed)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 10, 100, 500), k = (unsigned)PICK(&d, 1, 2, 4);
    double g = 1.0 / (2 * k + 1);
    stream s = stream_generate(seed, 500, "disjunction:n=%u,k=%u", n, k);
    thr_model *m = model_make(true, NULL, "balanced:eta=%.17g,margin=0,bias=on", g);
    counts c = stream_learn(&s, m, 5, false);
    assert_true(c.updates > 0);
    at_most("balanced on disjunctions", seed, (double)c.updates, 2 * log(2.0 * (n + 1)) / (g * g));
    thr_model_free(m);
    stream_free(&s);
}

/* ---- elimination ---- */

/* n mistakes, n + 1 with negated literals, in an open feature space too: before its first lesson a
 * conjunction is never right on a positive, so that a formula without literals costs one more; the
 * generator's have k at least, and k are never dropped. */
static void eliminate_formula(uint64_t seed)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 4, 16, 100), k = (unsigned)PICK(&d, 1, 2, 4);
    bool disjunction = seed % 2, negated = seed % 4 > 1;
    stream s = stream_generate(seed, 600, "%s:n=%u,k=%u,negated=%s,active=%u",
                               disjunction ? "disjunction" : "conjunction", n, k,
                               negated ? "on" : "off", n / 2);
    thr_model *m = model_make(true, NULL, "eliminate:form=%s,negated=%s",
                              disjunction ? "disjunction" : "conjunction", negated ? "on" : "off");
    counts c = stream_learn(&s, m, 4, false);
    assert_true(c.updates > 0 || n == k); /* else there is something to drop */
    assert_true(c.updates == c.mistakes && c.clean);
    assert_int_equal(disjunction ? c.missed : c.false_alarms, 0);
    at_most("eliminate", seed, (double)c.mistakes, n - k + 1.0);
    thr_model_free(m);
    stream_free(&s);
}

/* ---- panel ---- */

static stream any_stream(dice *d, uint64_t seed)
{
    size_t kind = dice_below(d, 3);
    if (kind == 0)
        return stream_classes(d, 0.05, 400);
    return kind == 1 ? stream_generate(seed, 400, "disjunction:n=40,k=3,noise=%g", PICK(d, 0, 0.2))
                     : stream_generate(seed, 400, "majority:n=30,k=5,noise=%g", PICK(d, 0, 0.4));
}

/* Whatever the examples, even when they come again and again. */
static void panel_bounded(uint64_t seed)
{
    dice d = {seed};
    thr_panel_report p;
    thr_expert best;
    stream s = any_stream(&d, seed);
    thr_model *m = model_make(false, "members=perceptron+winnow+pa+arow+bayes",
                              "panel:decide=vote,eta=%g,share=%g,vote=%s", PICK(&d, 0.05, 0.5, 3),
                              PICK(&d, 0, 0.01, 0.3), seed % 2 ? "majority" : "random");
    counts c = stream_learn(&s, m, 1 + (unsigned)dice_below(&d, 2), false);
    assert_true(thr_model_panel(m, &p) && thr_model_expert(m, p.best, &best));
    assert_true(p.examples >= s.rows && p.examples <= c.passes * s.rows);
    for (size_t i = 0; i < thr_model_experts(m); i++) {
        thr_expert e;
        assert_true(thr_model_expert(m, i, &e) && e.mistakes >= best.mistakes);
        assert_true(e.weight >= 0 && e.weight <= 1);
    }
    assert_true(p.expected <= p.expected_bound);
    assert_true(p.drawn || (double)p.mistakes <= p.bound);
    thr_stats stats;
    thr_model_stats(m, &stats);
    assert_true(c.passes > 1 || stats.mistakes == p.mistakes);
    thr_model_free(m);
    stream_free(&s);
}

/* ---- the table ---- */

static const property properties[] = {
    {"perceptron", "updates <= R^2/gamma^2", 60, perceptron_separable},
    {"perceptron", "updates <= (R^2 + 2m/r)/gamma^2", 60, perceptron_thick},
    {"perceptron", "a clean pass comes in time", 20, perceptron_becomes_clean},
    {"perceptron", "updates <= ((R+D)/gamma)^2", 60, perceptron_noisy},
    {"perceptron", "updates <= (4k+1)(n+1) on disjunctions", 40, perceptron_boolean},
    {"perceptron", "multi-class updates <= 2R^2/gamma^2", 20, perceptron_classes},
    {"perceptron", "all pairs as defined", 10, pairs_as_defined},
    {"averaged", "updates <= R^2/gamma^2", 30, averaged_separable},
    {"averaged", "multi-class updates <= 2R^2/gamma^2", 10, averaged_classes},
    {"voted", "voted: updates <= R^2/gamma^2", 30, voted_separable},
    {"voted", "voted: updates <= (R^2 + 2m/r)/gamma^2", 30, voted_thick},
    {"kernel", "kernel: updates <= (n+1+c)^k/k! on parities", 30, kernel_parity},
    {"kernel", "kernel: updates <= (a+1)^2 (2t+1) on 2-DNF", 20, kernel_dnf},
    {"kernel", "kernel: updates <= |f|^2/margin^2, radial", 9, kernel_radial},
    {"winnow", "promotions and demotions on disjunctions", 40, winnow_disjunction},
    {"balanced", "updates <= 2X^2 ln(2N)/g^2", 25, balanced_plain},
    {"balanced", "balanced: normalized", 25, balanced_normalized},
    {"balanced", "balanced: with a margin", 25, balanced_thick},
    {"balanced", "balanced: on noisy data", 20, balanced_noisy},
    {"balanced", "balanced: on disjunctions", 30, balanced_disjunction},
    {"pa", "sum of loss^2 <= R^2/gamma^2", 20, pa_separable},
    {"pa", "mistakes <= max(R^2,1/C)(1/gamma^2 + 2C loss)", 60, pa_noisy},
    {"pa", "multi-class mistakes <= 2R^2/gamma^2", 20, pa_classes},
    {"alma", "alma: updates <= 2 (2/alpha - 1)^2/gamma^2", 40, alma_separable},
    {"alma", "alma: multi-class updates <= 4 (2/alpha - 1)^2/gamma^2", 20, alma_classes},
    {"alma", "alma: as defined", 20, alma_as_defined},
    {"pegasos", "regret <= 2R^2 (1 + ln T)/lambda", 20, pegasos_regret},
    {"arow", "arow: as defined, variances fall", 20, arow_as_defined},
    {"adagrad", "adagrad: as defined, never beyond the margin", 20, adagrad_as_defined},
    {"logistic", "logistic: regret <= |u|^2/(2 rate) + rate/2 sum |g|^2", 30, logistic_regret},
    {"logistic", "logistic: adaptive regret", 20, logistic_adaptive_regret},
    {"lms", "lms: loss <= (1+c) loss(u) + (1+1/c) R^2 |u|^2", 60, lms_loss},
    {"eg", "eg: loss <= (1+c) loss(u) + 2(1+1/c) U^2X^2 ln 2N", 60, eg_loss},
    {"eg", "eg: unsigned", 30, eg_unsigned_loss},
    {"eg", "eg: few of many features", 5, eg_beats_lms},
    {"bayes", "bayes: predictions follow the counts", 20, bayes_follows_counts},
    {"knn", "knn: its own examples, all right at k = 1", 20, knn_knows_its_own},
    {"rules", "rules: errors = those of the start less all gains", 30, rules_errors_fall},
    {"eliminate", "mistakes <= n, n + 1 with negated literals", 80, eliminate_formula},
    {"maxmargin", "maxmargin: margin >= (1 - gap) gamma", 20, maxmargin_margin},
    {"maxmargin", "maxmargin: with slack where nothing separates", 10, maxmargin_noisy},
    {"lp", "lp: |w|_1 <= |u|_1/gamma, separable", 10, lp_separates},
    {"lp", "lp: with slack where nothing separates", 10, lp_not_separable},
    {"panel", "vote <= (eta m + ln N + ...)/ln(2/(1+e^-eta))", 60, panel_bounded},
};

static void property_holds(void **state)
{
    const property *p = *state;
    for (uint64_t seed = 1; seed <= stream_seeds(p->seeds); seed++)
        p->check(seed);
}

static void every_learner_has_a_property(void **state)
{
    (void)state;
    thr_entry_info learner;
    for (size_t i = 0; thr_learner_at(i, &learner); i++) {
        bool found = false;
        for (size_t p = 0; p < COUNT(properties); p++)
            found |= strcmp(properties[p].learner, learner.name) == 0;
        if (!found)
            fail_msg("no property speaks of %s", learner.name);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(properties) + 1];
    for (size_t i = 0; i < COUNT(properties); i++)
        tests[i] = (struct CMUnitTest){.name = properties[i].says,
                                       .test_func = property_holds,
                                       .initial_state = (void *)&properties[i]};
    tests[COUNT(properties)] = (struct CMUnitTest)cmocka_unit_test(every_learner_has_a_property);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
