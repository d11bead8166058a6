/* Logistic regression beside a plain one, weight after weight as its formulas stand: the same bits,
 * whatever is kept of a weight, for two labels and for many. */
#include "model_help.h"

#include "base/mathx.h"
#include "multiclass/rule.h"
#include "weights/weights.h"

#include <math.h>

enum { FEATURES = 150, LABELS = 6, EXAMPLES = 120, LANES = 8, BIAS = 0 };

typedef struct plain {
    bool sgd, averaged;
    double rate, decay, l1, l2;
    uint32_t functions;
    double clock, length;
    float w[FEATURES + 1][LABELS], squares[FEATURES + 1][LABELS];
    double beside[FEATURES + 1][LABELS];
} plain;

/* The last is the bias. */
typedef struct example {
    int id[FEATURES + 1];
    double x[FEATURES + 1];
    int n;
    uint32_t label;
} example;

static bool lags(const plain *p)
{
    return p->l1 > 0 || p->l2 > 0;
}

static double rate_now(const plain *p)
{
    return p->rate * (p->decay > 0 ? thr_pow(1 + p->clock, -p->decay) : 1);
}

static double current(const plain *p, int i, uint32_t f)
{
    double v = (double)p->w[i][f], l2 = p->l2;
    if (!lags(p) || i == BIAS || v == 0)
        return v;
    double h = p->sgd ? p->length - p->beside[i][f]
                      : (p->clock - p->beside[i][f]) * (p->rate / sqrt((double)p->squares[i][f]));
    double d = l2 * h, left = l2 > 0 ? thr_exp(-d) : 1;
    double way = d < 1e-4 ? h * (1 - d / 2 + d * d / 6) : (1 - left) / l2;
    double size = fabs(v) * left - p->l1 * way;
    return size > 0 ? copysign(size, v) : 0;
}

/* In lanes where one function is read as it stands, else one after another. */
static double score(const plain *p, const example *e, uint32_t f)
{
    double lane[LANES] = {0};
    bool in_lanes = p->functions == 1 && !lags(p);
    for (int k = 0; k < e->n; k++)
        lane[in_lanes ? k % LANES : 0] += current(p, e->id[k], f) * e->x[k];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* A step of 0 is none. */
static void move(plain *p, const example *e, uint32_t f, double by)
{
    for (int k = 0; k < e->n && by != 0; k++) {
        int i = e->id[k];
        double old = current(p, i, f), g = by * e->x[k], rate = rate_now(p);
        if (!p->sgd) {
            p->squares[i][f] = (float)((double)p->squares[i][f] + g * g);
            rate = p->rate / sqrt((double)p->squares[i][f]);
        }
        p->w[i][f] = (float)(old + rate * g);
        if (lags(p))
            p->beside[i][f] = p->sgd ? p->length : p->clock;
        if (p->averaged)
            p->beside[i][f] += p->clock * ((double)p->w[i][f] - old);
    }
}

static double doubt(double margin)
{
    double small = thr_exp(-fabs(margin));
    return margin > 0 ? small / (1 + small) : 1 / (1 + small);
}

static void learn(plain *p, const example *e)
{
    double s[LABELS], most = -INFINITY, sum = 0;
    for (uint32_t f = 0; f < p->functions; f++) {
        s[f] = score(p, e, f);
        most = fmax(most, s[f]);
    }
    for (uint32_t f = 0; f < p->functions; f++)
        sum += thr_exp(s[f] - most);
    if (p->functions == 1) {
        int y = e->label ? 1 : -1;
        move(p, e, 0, y * doubt(y * s[0]));
    } else
        for (uint32_t f = 0; f < p->functions; f++)
            move(p, e, f, (f == e->label) - thr_exp(s[f] - most) / sum);
    p->length += p->sgd ? rate_now(p) : 0;
    p->clock += 1;
}

static double shown(const plain *p, int i, uint32_t f)
{
    return current(p, i, f) - (p->averaged ? p->beside[i][f] / p->clock : 0);
}

/* All features in the first, so that their numbers are their ids; then some, now and then many. */
static void draw(thr_random *r, bool first, uint32_t labels, bool ones, example *e)
{
    uint32_t of = thr_random_below(r, 4) ? 12 : 2;
    e->n = 0;
    e->label = (uint32_t)thr_random_below(r, labels);
    for (int i = 1; i <= FEATURES; i++)
        if (first || thr_random_below(r, of) == 0) {
            e->id[e->n] = i;
            e->x[e->n++] = ones ? 1 : ((double)thr_random_below(r, 16) - 7.5) / 8;
        }
    e->id[e->n] = BIAS;
    e->x[e->n++] = 1;
}

static void teach_example(thr_model *m, const example *e, uint32_t labels)
{
    char line[FEATURES * 16];
    int n = snprintf(line, sizeof line, "%d", labels == 2 && e->label == 0 ? -1 : (int)e->label);
    for (int k = 0; k + 1 < e->n; k++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %d:%g", e->id[k], e->x[k]);
    snprintf(line + n, sizeof line - (size_t)n, "\n");
    teach(m, "svmlight", line);
}

static thr_model *model_of(const char *options, const char *more, uint32_t labels)
{
    char spec[128], name[8];
    snprintf(spec, sizeof spec, "logistic:%s", options);
    thr_model *m = make_unscaled(spec, more);
    for (uint32_t l = 0; l < labels; l++) {
        snprintf(name, sizeof name, "%d", labels == 2 && l == 0 ? -1 : (int)l);
        assert_int_equal(thr_model_declare_label(m, name, NULL), l);
    }
    return m;
}

static void assert_same_weights(const thr_model *m, const plain *p, uint32_t labels,
                                const char *options)
{
    for (int i = 0; i <= FEATURES; i++) {
        double w[LABELS];
        assert_int_equal(thr_model_weights(m, (size_t)i, w, NULL), 0);
        for (uint32_t f = 0; f < p->functions; f++) {
            double found = labels == 2 ? w[1] : w[f];
            if (found != shown(p, i, f))
                fail_msg("%s, %u labels, feature %d of label %u: %.17g is not %.17g", options,
                         labels, i, f, found, shown(p, i, f));
        }
    }
}

static void compare(const char *options, plain start, uint32_t labels, bool ones)
{
    thr_random r;
    thr_random_init(&r, 11 + labels);
    example e;
    plain *p = malloc(sizeof *p);
    assert_non_null(p);
    *p = start;
    p->functions = labels == 2 ? 1 : labels;
    for (int i = 0; i <= FEATURES; i++)
        for (uint32_t f = 0; f < LABELS; f++)
            p->squares[i][f] = 0x1p-6f;
    thr_model *m = model_of(options, NULL, labels);
    for (int t = 0; t < EXAMPLES; t++) {
        draw(&r, t == 0, labels, ones, &e);
        teach_example(m, &e, labels);
        learn(p, &e);
    }
    assert_same_weights(m, p, labels, options);
    thr_model_free(m);
    free(p);
}

static const struct {
    const char *options;
    plain start;
} kinds[] = {
    {"rate=1", {.rate = 1}},
    {"rate=0.3,averaged=on", {.rate = 0.3, .averaged = true}},
    {"l1=0.001", {.rate = 1, .l1 = 0.001}},
    {"l2=0.01", {.rate = 1, .l2 = 0.01}},
    {"rate=20,l1=0.0001,l2=0.01", {.rate = 20, .l1 = 0.0001, .l2 = 0.01}},
    {"steps=sgd,rate=0.1,decay=0.5", {.sgd = true, .rate = 0.1, .decay = 0.5}},
    {"steps=sgd,averaged=on", {.sgd = true, .rate = 1, .averaged = true}},
    {"steps=sgd,rate=0.2,l1=0.001,l2=0.1", {.sgd = true, .rate = 0.2, .l1 = 0.001, .l2 = 0.1}},
};

static void test_weights_follow_a_plain_loop_over_doubles(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t labels = 2; labels <= LABELS; labels++) {
            compare(kinds[k].options, kinds[k].start, labels, false);
            compare(kinds[k].options, kinds[k].start, labels, true);
        }
}

/* Hashed features are moved one after another, for rows might coincide. In so many slots that none
 * do, the weights are the same. */
static void test_hashed_without_collisions_has_the_same_weights(void **state)
{
    (void)state;
    thr_random r;
    example e;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t labels = 2; labels <= 3; labels++) {
            thr_random_init(&r, 3);
            thr_model *own = model_of(kinds[k].options, NULL, labels);
            thr_model *hashed = model_of(kinds[k].options, "hash-bits=22", labels);
            for (int t = 0; t < EXAMPLES / 4; t++) {
                draw(&r, t == 0, labels, false, &e);
                teach_example(own, &e, labels);
                teach_example(hashed, &e, labels);
            }
            for (size_t i = 0; i <= FEATURES; i++) {
                double a[LABELS], b[LABELS];
                assert_int_equal(thr_model_weights(own, i, a, NULL), 0);
                assert_int_equal(thr_model_weights(hashed, i, b, NULL), 0);
                assert_memory_equal(a, b, labels * sizeof *a);
            }
            thr_model_free(own);
            thr_model_free(hashed);
        }
}

/* The same features together or each by itself, some of them in one row: it is the same step. */
static void move_features(thr_rule *r, thr_weights *w, bool together, double by)
{
    enum { N = 5 };
    static const uint32_t id[N] = {3, 1, 3, 2, 3};
    static const float x[N] = {0.5f, -2, 1, 0.25f, -0.75f};
    for (size_t i = 0; i < N; i += together ? N : 1) {
        thr_example e = {.id = id + i, .x = x + i, .n = together ? N : 1, .scale = 1};
        char *row[N], spare[256];
        assert_int_equal(thr_weights_ready(w, &e, NULL), 0);
        assert_true(thr_weights_spare(&w, 1, &e) <= sizeof spare);
        thr_weights_find(&w, 1, &e, row, spare, sizeof spare);
        e.row = row;
        r->learner->move(r, w, &e, 0, by);
    }
}

static void test_coinciding_rows(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char spec[128];
        thr_rule r;
        thr_weights w[2];
        snprintf(spec, sizeof spec, "logistic:%s", kinds[k].options);
        assert_int_equal(thr_rule_init(&r, spec, NULL, NULL), 0);
        for (int together = 0; together < 2; together++) {
            thr_weights_init(&w[together], r.slot, r.n_slots);
            r.clock = r.state[0] = 0;
            for (int t = 0; t < 4; t++) {
                move_features(&r, &w[together], together, t % 2 ? 0.5 : -0.75);
                r.clock += 2;
                r.state[0] += 0.25; /* the length of the rates so far */
            }
        }
        for (uint32_t id = 1; id <= 3; id++) {
            char a[64] = "", b[64] = "";
            assert_true(thr_weights_size(&w[0], 1) <= sizeof a);
            thr_weights_export(&w[0], id, a);
            thr_weights_export(&w[1], id, b);
            assert_memory_equal(a, b, sizeof a);
        }
        thr_weights_clear(&w[0]);
        thr_weights_clear(&w[1]);
        thr_rule_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_follow_a_plain_loop_over_doubles),
        cmocka_unit_test(test_hashed_without_collisions_has_the_same_weights),
        cmocka_unit_test(test_coinciding_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
