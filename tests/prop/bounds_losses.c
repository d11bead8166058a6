/* Losses on the way, relative to those of any linear function: log loss and squared loss. */
#include "bounds.h"

/* ---- log loss ---- */

static double log_loss(double lead)
{
    return lead > 0 ? log1p(exp(-lead)) : log1p(exp(lead)) - lead;
}

static double doubt(double lead)
{
    return 1 / (1 + exp(lead));
}

/* The least of log loss and `price` times the squared length, over multiples of the hidden vector.
 */
static double best_log_loss(const stream *s, double price)
{
    double best = INFINITY;
    for (double c = 0; c <= 30; c += 0.5) {
        double loss = price * c * c; /* the hidden vector has length 1 */
        for (size_t row = 0; row < s->rows; row++)
            loss += log_loss(c * stream_margin(s, row));
        best = fmin(best, loss);
    }
    return best;
}

/* Zinkevich: with one rate, sum of losses - those of u <= |u|^2/(2 rate) + rate/2 sum of |g|^2. */
void logistic_regret(uint64_t seed)
{
    dice d = {seed};
    double rate = PICK(&d, 0.01, 0.3, 2), ours = 0, squares = 0;
    stream s = margin_stream(&d, seed, 0.1, PICK(&d, 0, 0.05, 0.3));
    thr_model *m = model_make(true, NULL, "logistic:steps=sgd,rate=%.17g,bias=off", rate);
    for (size_t row = 0; row < s.rows; row++) {
        double scores[2], y = s.label[row], length2 = 0;
        stream_predict(&s, m, row, scores);
        double lead = y * scores[thr_model_positive(m)];
        for (int32_t i = s.offset[row]; i < s.offset[row + 1]; i++)
            length2 += (double)s.value[i] * (double)s.value[i];
        ours += log_loss(lead);
        squares += doubt(lead) * doubt(lead) * length2;
        learn_row(&s, m, row);
    }
    at_most("logistic, one rate", seed, ours, best_log_loss(&s, 0.5 / rate) + rate / 2 * squares);
    thr_model_free(m);
    stream_free(&s);
}

/* Duchi, Hazan, Singer: with q_i = 1/64 + sum of g_i^2 and D_i the farthest that w_i is from u_i,
 * regret <= sum over i of (D_i^2/(2 rate) + rate) sqrt(q_i). */
void logistic_adaptive_regret(uint64_t seed)
{
    dice d = {seed};
    double rate = PICK(&d, 0.1, 1, 4), ours = 0, theirs = 0, bound = 0, far[DENSE] = {0};
    stream s = margin_stream(&d, seed, 0.1, PICK(&d, 0, 0.05, 0.3));
    thr_model *m = model_make(true, NULL, "logistic:rate=%.17g,bias=off", rate);
    dense w = {{0}, {0}}; /* variance: sum of g^2 */
    for (size_t row = 0; row < s.rows; row++) {
        double y = s.label[row], lead = y * dense_dot(&w, &s, row);
        agrees(m, &s, row, y * lead);
        ours += log_loss(lead);
        theirs += log_loss(5 * stream_margin(&s, row)); /* u is 5 times the hidden one */
        for (int32_t i = s.offset[row]; i < s.offset[row + 1]; i++) {
            int32_t v = s.column[i];
            double g = doubt(lead) * (double)s.value[i];
            far[v] = fmax(far[v], fabs(w.w[v] - 5 * s.u[v]));
            w.variance[v] += g * g;
            w.w[v] += rate * g * y / sqrt(1.0 / 64 + w.variance[v]);
            far[v] = fmax(far[v], fabs(w.w[v] - 5 * s.u[v]));
        }
        learn_row(&s, m, row);
    }
    for (int v = 0; v < DENSE; v++)
        bound += (far[v] * far[v] / (2 * rate) + rate) * sqrt(1.0 / 64 + w.variance[v]);
    at_most("logistic, adaptive", seed, ours - theirs, bound);
    thr_model_free(m);
    stream_free(&s);
}

/* ---- numbers: losses relative to those of any linear function ---- */

enum { NUMBERS = 40 };

/* Labels u.x and noise; of some seeds any numbers at all, since the bounds ask for nothing. */
static stream number_stream(dice *d, bool signs, double *u)
{
    stream s = {0};
    double noise = PICK(d, 0, 0.1, 1), wild = PICK(d, 0, 0, 3), u1 = 0;
    for (int v = 0; v < NUMBERS; v++)
        u1 += fabs(u[v] = dice_below(d, 4) ? 0 : dice_normal(d));
    for (int v = 0; v < NUMBERS && u1 > 0; v++)
        u[v] *= 3 / u1; /* absolute values sum to 3 */
    for (int row = 0; row < 300; row++) {
        int32_t column[NUMBERS];
        float value[NUMBERS];
        double y = noise * dice_normal(d) + wild * (dice_real(d) - 0.5);
        for (int v = 0; v < NUMBERS; v++) {
            column[v] = v + 1;
            value[v] = (float)(signs ? (dice_below(d, 2) ? 1 : -1) : dice_normal(d));
            y += u[v] * (double)value[v];
        }
        stream_add(&s, y, NUMBERS, column, value);
    }
    return s;
}

/* sum of (y - c u.x)^2, each divided by |x|^2 if `normalized`. */
static double loss_of(const stream *s, const double *u, double c, bool normalized)
{
    double loss = 0;
    for (size_t row = 0; row < s->rows; row++) {
        double error = s->label[row], length2 = 0;
        for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++) {
            error -= c * u[s->column[i] - 1] * (double)s->value[i];
            length2 += (double)s->value[i] * (double)s->value[i];
        }
        loss += error * error / (normalized ? length2 : 1);
    }
    return loss;
}

/* What the model loses on the way, before it learns each row. */
static double loss_on_the_way(const stream *s, thr_model *m, bool normalized)
{
    double loss = 0, predicted;
    for (size_t row = 0; row < s->rows; row++) {
        double length2 = 0;
        stream_predict(s, m, row, &predicted);
        for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
            length2 += (double)s->value[i] * (double)s->value[i];
        loss += pow(s->label[row] - predicted, 2) / (normalized ? length2 : 1);
        learn_row(s, m, row);
    }
    return loss;
}

/* (1+c) loss(u) + (1 + 1/c) R^2 |u|^2 at rate c/((1+c) R^2); normalized without R^2. */
void lms_loss(uint64_t seed)
{
    dice d = {seed};
    double u[NUMBERS], c = PICK(&d, 0.1, 1, 5), length2 = 0;
    bool normalized = dice_below(&d, 2);
    stream s = number_stream(&d, dice_below(&d, 2), u);
    double size2 = normalized ? 1 : s.norm2 * s.norm2;
    thr_model *m = model_make(false, NULL, "lms:rate=%.17g,normalized=%s,averaged=off,bias=off",
                              c / ((1 + c) * size2), normalized ? "on" : "off");
    double ours = loss_on_the_way(&s, m, normalized);
    for (int v = 0; v < NUMBERS; v++)
        length2 += u[v] * u[v];
    for (double k = 0; k < 1.3; k += 0.25) /* any u will do: multiples of the hidden one */
        at_most("lms", seed, ours,
                (1 + c) * loss_of(&s, u, k, normalized) + (1 + 1 / c) * size2 * k * k * length2);
    thr_model_free(m);
    stream_free(&s);
}

/* All features known beforehand: by an example that counts for nothing. */
static void make_known(thr_model *m)
{
    thr_batch *b = thr_batch_new();
    assert_non_null(b);
    thr_batch_begin(b);
    thr_batch_set_label(b, "0");
    thr_batch_set_importance(b, 0);
    for (uint64_t v = 1; v <= NUMBERS; v++)
        thr_batch_add_key(b, v, 1);
    thr_batch_end(b, m);
    assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
    thr_batch_free(b);
}

/* Relative entropy of u/U to the weights that all begin equal, over the 2N of EG+- or the N of EG;
 * what u lacks of U is spread evenly over both signs of all. */
static double entropy(const double *u, double k, double U, bool both)
{
    double sum = 0, rest = U;
    for (int v = 0; v < NUMBERS; v++)
        rest -= fabs(k * u[v]);
    for (int v = 0; v < NUMBERS; v++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double p = fmax(0, sign * k * u[v]) / U + rest / U / 2 / NUMBERS;
            sum += p > 0 && (both || sign > 0) ? p * log(p * (both ? 2 : 1) * NUMBERS) : 0;
        }
    return sum;
}

/* (1+c) loss(u) + (1 + 1/c)/2 (2UX)^2 D(u, start), D at most ln 2N, at eta = 2c/((1+c) (2UX)^2). */
void eg_loss(uint64_t seed)
{
    dice d = {seed};
    double u[NUMBERS], c = PICK(&d, 0.2, 1, 4), U = PICK(&d, 3.9, 6, 20);
    stream s = number_stream(&d, dice_below(&d, 2), u);
    double range = 2 * U * s.norminf, eta = 2 * c / ((1 + c) * range * range);
    thr_model *m = model_make(false, NULL, "eg:eta=%.17g,U=%.17g,bias=off", eta, U);
    make_known(m);
    double ours = loss_on_the_way(&s, m, false);
    for (double k = 0; k < 1.3; k += 0.25) {
        double D = entropy(u, k, U, true);
        assert_true(D <= log(2 * NUMBERS));
        at_most("eg", seed, ours,
                (1 + c) * loss_of(&s, u, k, false) + (1 + 1 / c) / 2 * range * range * D);
    }
    thr_model_free(m);
    stream_free(&s);
}

/* The same without signs: u >= 0 sums to U exactly, and the range of the values counts. */
void eg_unsigned_loss(uint64_t seed)
{
    dice d = {seed};
    double u[NUMBERS], c = PICK(&d, 0.2, 1, 4), U = 3;
    stream s = number_stream(&d, true, u);
    for (int v = 0; v < NUMBERS; v++)
        u[v] = fabs(u[v]);
    double range = 2 * U, eta = 2 * c / ((1 + c) * range * range);
    thr_model *m = model_make(false, NULL, "eg:eta=%.17g,U=%.17g,signed=off,bias=off", eta, U);
    make_known(m);
    at_most("eg, unsigned", seed, loss_on_the_way(&s, m, false),
            (1 + c) * loss_of(&s, u, 1, false) +
                (1 + 1 / c) / 2 * range * range * entropy(u, 1, U, false));
    thr_model_free(m);
    stream_free(&s);
}

/* Few of many features matter: the logarithm against the dimension. */
void eg_beats_lms(uint64_t seed)
{
    dice d = {seed};
    stream s = {0};
    enum { MANY = 400 };
    for (int row = 0; row < 600; row++) {
        int32_t column[MANY];
        float value[MANY];
        for (int v = 0; v < MANY; v++) {
            column[v] = v + 1;
            value[v] = dice_below(&d, 2) ? 1 : -1;
        }
        stream_add(&s, (double)value[3] - 0.5 * (double)value[77], MANY, column, value);
    }
    thr_model *eg = model_make(false, NULL, "eg:eta=%.17g,U=1.5,bias=off", 1 / (3 * 1.5 * 1.5));
    thr_model *lms = model_make(false, NULL, "lms:averaged=off,bias=off");
    double few = loss_on_the_way(&s, eg, false), all = loss_on_the_way(&s, lms, false);
    at_most("eg on few of many", seed, few, 3 * 1.5 * 1.5 * log(2.0 * MANY));
    if (few * 4 > all)
        fail_msg("seed %llu: eg lost %g, lms %g", (unsigned long long)seed, few, all);
    thr_model_free(eg);
    thr_model_free(lms);
    stream_free(&s);
}
