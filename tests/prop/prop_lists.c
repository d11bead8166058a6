/* rules against its definition, written once more and plainly: every clause is looked for among all
 * features and pairs of labels, and its gain counted over all examples. The list must be the same,
 * clause by clause; its errors on what it was made from fall with every clause; predictions follow
 * the list; and stops in between do not show. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 130, MOST_FEATURES = 14, MOST_LABELS = 5, MOST_CLAUSES = 400 };

typedef struct table {
    size_t rows, features, labels;
    bool has[MOST_ROWS][MOST_FEATURES];
    size_t label[MOST_ROWS];
    double importance[MOST_ROWS];
} table;

typedef struct clause {
    size_t feature, from, to; /* features by number in the table */
    double gain;
} clause;

typedef struct list {
    size_t start, n;
    clause at[MOST_CLAUSES];
} list;

/* Labels depend on a few features, with noise; later labels may come late. */
static table draw(dice *d)
{
    table t = {.rows = 5 + dice_below(d, MOST_ROWS - 5),
               .features = 2 + dice_below(d, MOST_FEATURES - 2),
               .labels = 2 + dice_below(d, MOST_LABELS - 1)};
    double noise = 0.3 * dice_real(d);
    bool weighted = dice_below(d, 2);
    for (size_t r = 0; r < t.rows; r++) {
        for (size_t f = 0; f < t.features; f++)
            t.has[r][f] = dice_below(d, 3) == 0;
        t.label[r] = (size_t)(t.has[r][0] + 2 * t.has[r][1]) % t.labels;
        if (dice_real(d) < noise)
            t.label[r] = dice_below(d, t.labels);
        t.importance[r] = weighted ? 0.25 * (double)dice_below(d, 9) : 1;
    }
    return t;
}

/* ---- the definition ---- */

static double gain_of(const table *t, size_t rows, const size_t *now, clause c)
{
    double gain = 0;
    for (size_t r = 0; r < rows; r++)
        if (t->has[r][c.feature] && now[r] == c.from)
            gain += t->importance[r] * ((t->label[r] == c.to) - (t->label[r] == c.from));
    return gain;
}

static void apply(const table *t, size_t rows, size_t *now, clause c)
{
    for (size_t r = 0; r < rows; r++)
        if (t->has[r][c.feature] && now[r] == c.from)
            now[r] = c.to;
}

/* Features are tried in the order in which the model met them, labels in theirs. */
static clause best_clause(const table *t, size_t rows, const size_t *now, const size_t *order,
                          const size_t *labels)
{
    clause best = {.gain = 0};
    for (size_t i = 0; i < t->features; i++)
        for (size_t a = 0; a < t->labels; a++)
            for (size_t b = 0; b < t->labels; b++) {
                clause c = {order[i], labels[a], labels[b], 0};
                c.gain = a == b ? 0 : gain_of(t, rows, now, c);
                if (c.gain > best.gain)
                    best = c;
            }
    return best;
}

static list make_list(const table *t, size_t rows, double least, size_t most, const size_t *order,
                      const size_t *labels)
{
    list out = {.n = 0};
    double count[MOST_LABELS] = {0};
    size_t now[MOST_ROWS];
    for (size_t r = 0; r < rows; r++)
        count[t->label[r]] += t->importance[r];
    out.start = labels[0];
    for (size_t l = 1; l < t->labels; l++)
        if (count[labels[l]] > count[out.start])
            out.start = labels[l];
    for (size_t r = 0; r < rows; r++)
        now[r] = out.start;
    while (out.n < most) {
        clause c = best_clause(t, rows, now, order, labels);
        if (c.gain < least)
            break;
        assert_true(out.n < MOST_CLAUSES);
        out.at[out.n++] = c;
        apply(t, rows, now, c);
    }
    return out;
}

static double errors(const table *t, size_t rows, const list *l, size_t clauses)
{
    double sum = 0;
    size_t now[MOST_ROWS];
    for (size_t r = 0; r < rows; r++)
        now[r] = l->start;
    for (size_t i = 0; i < clauses; i++)
        apply(t, rows, now, l->at[i]);
    for (size_t r = 0; r < rows; r++)
        sum += now[r] != t->label[r] ? t->importance[r] : 0;
    return sum;
}

static size_t label_by(const table *t, size_t row, const list *l)
{
    size_t now = l->start;
    for (size_t i = 0; i < l->n; i++)
        if (t->has[row][l->at[i].feature] && now == l->at[i].from)
            now = l->at[i].to;
    return now;
}

/* ---- the model ---- */

static thr_batch *row_of(const table *t, const thr_model *m, size_t r)
{
    thr_batch *b = thr_batch_new();
    assert_non_null(b);
    thr_batch_begin(b);
    thr_batch_set_label(b, (char[]){(char)('a' + t->label[r]), 0});
    thr_batch_set_importance(b, (float)t->importance[r]);
    for (size_t f = 0; f < t->features; f++)
        if (t->has[r][f])
            thr_batch_add_key(b, f + 1, f % 5 ? 1 : 0.5F);
    thr_batch_end(b, m);
    return b;
}

/* What the model has met, in order; then the rest. */
static void order_of(const thr_model *m, size_t features, size_t *order)
{
    bool seen[MOST_FEATURES + 1] = {0};
    size_t n = 0;
    for (size_t id = 1; id < thr_model_features(m); id++) {
        char name[16];
        thr_model_feature(m, id, name, sizeof name);
        order[n] = (size_t)atoi(name) - 1;
        seen[order[n++]] = true;
    }
    for (size_t f = 0; f < features; f++)
        if (!seen[f])
            order[n++] = f;
}

static void labels_of(const thr_model *m, size_t labels, size_t *out)
{
    bool seen[MOST_LABELS] = {0};
    size_t n = 0;
    for (; n < thr_model_labels(m); n++) {
        out[n] = (size_t)(thr_model_label(m, n)[0] - 'a');
        seen[out[n]] = true;
    }
    for (size_t l = 0; l < labels; l++)
        if (!seen[l])
            out[n++] = l;
}

static size_t feature_of(const thr_model *m, size_t id)
{
    char name[16];
    thr_model_feature(m, id, name, sizeof name);
    return (size_t)atoi(name) - 1;
}

static void same_list(const thr_model *m, const list *l, uint64_t seed)
{
    thr_list_rule rule;
    size_t n = 0;
    assert_int_equal(thr_model_list_start(m)[0] - 'a', l->start);
    for (; thr_model_list_rule(m, n, &rule); n++) {
        const clause *c = &l->at[n];
        if (n >= l->n || feature_of(m, rule.feature) != c->feature ||
            (size_t)(rule.from[0] - 'a') != c->from || (size_t)(rule.to[0] - 'a') != c->to ||
            rule.gain != c->gain)
            fail_msg("seed %llu: rule %zu is not that of the definition", (unsigned long long)seed,
                     n + 1);
    }
    assert_int_equal(n, l->n);
}

static void same_predictions(const thr_model *m, const table *t, const list *l)
{
    thr_scratch *s = thr_scratch_new();
    for (size_t r = 0; r < t->rows; r++) {
        int32_t predicted;
        thr_batch *b = row_of(t, m, r);
        assert_int_equal(thr_score(m, s, b, &predicted, NULL, NULL), 0);
        assert_int_equal(thr_model_label(m, (size_t)predicted)[0] - 'a', label_by(t, r, l));
        thr_batch_free(b);
    }
    thr_scratch_free(s);
}

static void learn_row(const table *t, thr_model *m, size_t r, int32_t *predicted)
{
    thr_batch *b = row_of(t, m, r);
    assert_int_equal(thr_learn(m, NULL, b, predicted, NULL), 0);
    thr_batch_free(b);
}

/* Examples that count for nothing are not kept. */
static size_t kept_before(const table *t, size_t rows)
{
    size_t n = 0;
    for (size_t r = 0; r < rows; r++)
        n += t->importance[r] > 0;
    return n;
}

/* The first rows of which `n` are kept. */
static size_t rows_with(const table *t, size_t n)
{
    size_t r = 0;
    for (size_t kept = 0; kept < n; r++)
        kept += t->importance[r] > 0;
    return r;
}

typedef struct setting {
    double least;
    size_t most;
} setting;

static setting draw_setting(dice *d)
{
    static const double least[] = {0.25, 1, 2, 3};
    return (setting){least[dice_below(d, 4)], dice_below(d, 4) ? MOST_CLAUSES : dice_below(d, 5)};
}

static list reference(const table *t, const thr_model *m, size_t rows, setting s)
{
    size_t order[MOST_FEATURES], labels[MOST_LABELS];
    order_of(m, t->features, order);
    labels_of(m, t->labels, labels);
    return make_list(t, rows, s.least, s.most, order, labels);
}

/* ---- properties ---- */

static void equals_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(150); seed++) {
        dice d = {seed};
        table t = draw(&d);
        setting s = draw_setting(&d);
        thr_model *m =
            model_make(false, NULL, "rules:min-gain=%.17g,max-rules=%zu", s.least, s.most);
        for (size_t r = 0; r < t.rows; r++)
            learn_row(&t, m, r, NULL);
        assert_int_equal(thr_model_finish(m, NULL), 0);
        if (kept_before(&t, t.rows) > 0) {
            list l = reference(&t, m, t.rows, s);
            same_list(m, &l, seed);
            same_predictions(m, &t, &l);
        }
        thr_model_free(m);
    }
}

static void errors_fall(void **state)
{
    (void)state;
    size_t clauses = 0;
    for (uint64_t seed = 1; seed <= stream_seeds(60); seed++) {
        dice d = {seed + 500};
        table t = draw(&d);
        thr_model *m = model_make(false, NULL, "rules:min-gain=0.25");
        thr_list_rule rule;
        list l = {.n = 0};
        for (size_t r = 0; r < t.rows; r++)
            learn_row(&t, m, r, NULL);
        assert_int_equal(thr_model_finish(m, NULL), 0);
        if (!thr_model_list_start(m)) {
            thr_model_free(m);
            continue;
        }
        l.start = (size_t)(thr_model_list_start(m)[0] - 'a');
        for (; thr_model_list_rule(m, l.n, &rule); l.n++)
            l.at[l.n] = (clause){feature_of(m, rule.feature), (size_t)(rule.from[0] - 'a'),
                                 (size_t)(rule.to[0] - 'a'), rule.gain};
        for (size_t i = 0; i < l.n; i++) {
            double fewer = errors(&t, t.rows, &l, i) - errors(&t, t.rows, &l, i + 1);
            assert_true(fewer == l.at[i].gain && fewer >= 0.25);
        }
        clauses += l.n;
        thr_model_free(m);
    }
    assert_true(clauses > 100);
}

/* While example t is predicted, the list is that of the last doubling, as the source says. */
static void list_of_the_last_doubling(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(40); seed++) {
        dice d = {seed + 900};
        table t = draw(&d);
        setting s = {1, MOST_CLAUSES};
        thr_model *m = model_make(false, NULL, "rules:min-gain=1");
        for (size_t r = 0; r < t.rows; r++) {
            int32_t predicted;
            size_t kept = kept_before(&t, r), first = 1;
            if (seed % 2 && dice_below(&d, 5) == 0)
                assert_int_equal(thr_model_finish(m, NULL), 0); /* must not show */
            learn_row(&t, m, r, &predicted);
            if (kept < 2)
                continue;
            while (first * 2 < kept)
                first *= 2;
            list l = reference(&t, m, rows_with(&t, first), s);
            assert_int_equal(thr_model_label(m, (size_t)predicted)[0] - 'a', label_by(&t, r, &l));
        }
        thr_model_free(m);
    }
}

static void stops_do_not_show(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(30); seed++) {
        dice d = {seed + 100};
        table t = draw(&d);
        thr_model *m = model_make(false, NULL, "rules"), *stopped = thr_model_clone(m, NULL);
        void *x, *y;
        size_t nx, ny;
        for (size_t r = 0; r < t.rows; r++) {
            int32_t a, b;
            learn_row(&t, m, r, &a);
            learn_row(&t, stopped, r, &b);
            assert_int_equal(a, b);
            if (dice_below(&d, 8))
                continue;
            assert_int_equal(thr_model_dump(stopped, false, &x, &nx, NULL), 0);
            thr_model_free(stopped);
            assert_non_null(stopped = thr_model_load(x, nx, NULL));
            free(x);
        }
        assert_int_equal(thr_model_dump(m, false, &x, &nx, NULL), 0);
        assert_int_equal(thr_model_dump(stopped, false, &y, &ny, NULL), 0);
        assert_int_equal(nx, ny);
        assert_memory_equal(x, y, nx);
        free(x);
        free(y);
        thr_model_free(m);
        thr_model_free(stopped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_definition),
        cmocka_unit_test(errors_fall),
        cmocka_unit_test(list_of_the_last_doubling),
        cmocka_unit_test(stops_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
