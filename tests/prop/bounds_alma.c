/* alma: at most 2 (2/alpha - 1)^2/gamma^2 corrections on separable examples, gamma being the margin
 * of the examples divided by their lengths; a margin of (1 - alpha) gamma in the end; and the rule
 * as it is written, with weights that are really divided. */
#include "bounds.h"

static double length_of(const stream *s, size_t row)
{
    double sum = 0;
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        sum += (double)s->value[i] * (double)s->value[i];
    return sqrt(sum);
}

static double most_corrections(double alpha, double gamma)
{
    return 2 * pow((2 / alpha - 1) / gamma, 2);
}

/* One pass more than there can be corrections would be enough: every pass but the last has one.
 * The margin is compared with that of the hidden separator, which is at most the greatest. */
void alma_separable(uint64_t seed)
{
    dice d = {seed};
    double alpha = PICK(&d, 0.5, 0.8, 0.9, 1), gamma = INFINITY, least = INFINITY, norm = 0;
    stream s = margin_stream(&d, seed, PICK(&d, 0.1, 0.3), 0);
    stream_scale(&s, (float)PICK(&d, 0.01, 1, 70));
    for (size_t row = 0; row < s.rows; row++)
        gamma = fmin(gamma, stream_margin(&s, row) / length_of(&s, row));
    double most = most_corrections(alpha, gamma);
    thr_model *m = model_make(true, NULL, "alma:bias=off,alpha=%.17g", alpha);
    uint64_t all = 0, pass = 1;
    while (pass) {
        pass = stream_learn(&s, m, 1, false).updates;
        all += pass;
        at_most("alma", seed, (double)all, most);
    }
    double weight[2], scores[2];
    for (uint32_t id = 0; id < thr_model_features(m); id++) {
        assert_int_equal(thr_model_weights(m, id, weight, NULL), 0);
        norm += weight[1] * weight[1];
    }
    at_most("alma: |w|", seed, sqrt(norm), 1);
    for (size_t row = 0; row < s.rows; row++) {
        stream_predict(&s, m, row, scores);
        double lead = s.label[row] * scores[thr_model_positive(m)] / length_of(&s, row);
        least = fmin(least, lead);
    }
    at_most("alma: margin", seed, (1 - alpha) * gamma, least);
    thr_model_free(m);
    stream_free(&s);
}

/* An example of several classes is (x, -x)/sqrt(2) in the parts of two of them. */
void alma_classes(uint64_t seed)
{
    dice d = {seed};
    double alpha = PICK(&d, 0.5, 0.9, 1), gamma = PICK(&d, 0.1, 0.2);
    stream s = stream_classes(&d, gamma, 300);
    thr_model *m = model_make(false, NULL, "alma:bias=off,alpha=%.17g", alpha);
    counts c = stream_learn(&s, m, 20, false);
    assert_true(c.updates > 0);
    at_most("alma, classes", seed, (double)c.updates, most_corrections(alpha, gamma / sqrt(2)));
    thr_model_free(m);
    stream_free(&s);
}

void alma_as_defined(uint64_t seed)
{
    dice d = {seed};
    double alpha = PICK(&d, 0.1, 0.5, 0.9, 1), k = 1;
    stream s = margin_stream(&d, seed, 0.1, 0.05);
    thr_model *m = model_make(true, NULL, "alma:bias=off,alpha=%.17g", alpha);
    dense w = {{0}, {0}};
    for (size_t row = 0; row < s.rows; row++) {
        double y = s.label[row], length = length_of(&s, row), norm = 0;
        double lead = y * dense_dot(&w, &s, row), asked = (1 - alpha) * sqrt(8) / alpha / sqrt(k);
        agrees(m, &s, row, y * lead);
        if (row > 0 && fabs(lead / length - asked) < 1e-9)
            break; /* rounding decides */
        for (int32_t i = s.offset[row]; i < s.offset[row + 1] && lead / length <= asked; i++)
            w.w[s.column[i]] += sqrt(2 / k) * y * (double)s.value[i] / length;
        for (int v = 0; v < DENSE; v++)
            norm += w.w[v] * w.w[v];
        for (int v = 0; v < DENSE && norm > 1; v++)
            w.w[v] /= sqrt(norm);
        k += lead / length <= asked;
        learn_row(&s, m, row);
    }
    thr_model_free(m);
    stream_free(&s);
}
