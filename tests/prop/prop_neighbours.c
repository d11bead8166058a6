/* knn against its definition, written once more and plainly: fields by looking at all examples,
 * weights by entropies, every distance field by field. Before each example is learned, labels,
 * shares of the vote, neighbours and distances must be those of the definition. */
#include "streams.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 70, MOST_FEATURES = 40, SPACES = 4, LABELS = 3, INTERVALS = 20 };

/* Feature f has a namespace, or 0, and a value in each row: 0 where the row lacks it. */
typedef struct table {
    size_t rows, features;
    int space[MOST_FEATURES];
    double x[MOST_ROWS][MOST_FEATURES];
    int label[MOST_ROWS];
    double importance[MOST_ROWS];
    bool hashed;
} table;

typedef struct settings {
    size_t k;
    const char *weights, *vote;
} settings;

/* ---- the definition ---- */

typedef struct field {
    bool whole;
    int space;      /* of a whole namespace */
    size_t feature; /* ... of a feature alone */
    double weight, least, most;
    bool number;
} field;

typedef struct fields {
    field at[MOST_FEATURES];
    size_t n;
} fields;

/* A value of a field: the feature in force (from 1) or the number itself. */
static double value_of(const field *f, const table *t, const double *x)
{
    double value = 0;
    if (!f->whole)
        return x[f->feature];
    for (size_t i = 0; i < t->features; i++)
        if (t->space[i] == f->space && x[i] != 0)
            value = value != 0 || x[i] != 1 ? -1 : (double)i + 1; /* -1: like no other */
    return value;
}

static bool is_whole(const table *t, int space, size_t rows)
{
    if (t->hashed)
        return false;
    for (size_t r = 0; r < rows; r++) {
        int here = 0;
        for (size_t i = 0; i < t->features; i++)
            if (t->space[i] == space && t->x[r][i] != 0)
                here += t->x[r][i] == 1 ? 1 : 2;
        if (here > 1)
            return false;
    }
    return true;
}

static double entropy(const double *count, size_t n)
{
    double all = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        all += count[i];
    for (size_t i = 0; i < n; i++)
        if (count[i] > 0)
            sum -= count[i] / all * log2(count[i] / all);
    return sum;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Distinct values of the field in the first rows, in order; returns how many. */
static size_t distinct(const field *f, const table *t, size_t rows, double *out)
{
    double all[MOST_ROWS];
    size_t n = 0;
    for (size_t r = 0; r < rows; r++)
        all[r] = value_of(f, t, t->x[r]);
    qsort(all, rows, sizeof *all, ascending);
    for (size_t r = 0; r < rows; r++)
        if (r == 0 || all[r] != all[r - 1])
            out[n++] = all[r];
    return n;
}

/* Which part of the values a value belongs to: itself, or its interval. */
static size_t part_of(const field *f, const double *values, size_t n, double value)
{
    size_t place = 0;
    while (values[place] != value)
        place++;
    if (!f->number)
        return place;
    for (size_t k = 0, begin = 0;; k++) {
        begin += n / INTERVALS + (k < n % INTERVALS);
        if (place < begin)
            return k;
    }
}

static double weigh(const field *f, const table *t, size_t rows, const char *kind)
{
    double values[MOST_ROWS], part[MOST_ROWS][LABELS] = {{0}}, label[LABELS] = {0};
    double parts[MOST_ROWS] = {0}, all = 0, after = 0;
    size_t n = distinct(f, t, rows, values);
    if (strcmp(kind, "none") == 0)
        return 1;
    for (size_t r = 0; r < rows; r++) {
        size_t p = part_of(f, values, n, value_of(f, t, t->x[r]));
        part[p][t->label[r]] += t->importance[r];
        parts[p] += t->importance[r];
        label[t->label[r]] += t->importance[r];
        all += t->importance[r];
    }
    for (size_t p = 0; p < rows; p++)
        after += parts[p] / all * entropy(part[p], LABELS);
    double gain = fmax(0, entropy(label, LABELS) - after), split = entropy(parts, rows);
    if (strcmp(kind, "gain") == 0)
        return gain;
    return split > 1e-12 ? gain / split : 0;
}

static double grid(double d)
{
    return rint(d * 0x1p40) * 0x1p-40;
}

static void add_field(fields *out, field f, const table *t, size_t rows, const char *kind)
{
    f.least = INFINITY;
    f.most = -INFINITY;
    bool seen = f.whole;
    for (size_t r = 0; r < rows && !f.whole; r++) {
        double x = t->x[r][f.feature];
        f.least = fmin(f.least, x);
        f.most = fmax(f.most, x);
        f.number |= x != 0 && x != 1;
        seen |= x != 0;
    }
    if (!seen)
        return;
    f.weight = grid(weigh(&f, t, rows, kind));
    out->at[out->n++] = f;
}

static fields fields_of(const table *t, size_t rows, const char *kind)
{
    fields out = {.n = 0};
    for (int s = 1; s <= SPACES; s++) {
        bool seen = false;
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < t->features; i++)
                seen |= t->space[i] == s && t->x[r][i] != 0;
        if (seen && is_whole(t, s, rows))
            add_field(&out, (field){.whole = true, .space = s}, t, rows, kind);
    }
    for (size_t i = 0; i < t->features; i++)
        if (t->space[i] == 0 || !is_whole(t, t->space[i], rows))
            add_field(&out, (field){.feature = i}, t, rows, kind);
    return out;
}

/* A value that no kept row has ever had is not known, as if the query lacked it. */
static void known_part(const table *t, size_t rows, const double *query, double *out)
{
    for (size_t i = 0; i < t->features; i++) {
        bool seen = false;
        for (size_t r = 0; r < rows; r++)
            seen |= t->x[r][i] != 0;
        out[i] = seen ? query[i] : 0;
    }
}

static double distance(const fields *f, const table *t, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++) {
        const field *now = &f->at[i];
        double x = value_of(now, t, a), y = value_of(now, t, b), range = now->most - now->least;
        if (now->whole)
            sum += x != y ? now->weight : 0;
        else if (now->number)
            sum += range > 0 ? grid(now->weight * (fabs(x - y) / range)) : 0;
        else
            sum += grid(now->weight * fabs(x - y));
    }
    return sum;
}

typedef struct answer {
    double share[LABELS];
    int best; /* -1: none */
    double distance[MOST_ROWS];
    double near[MOST_ROWS];
    size_t n_near;
} answer;

static double vote_weight(const answer *a, const char *vote, size_t i, size_t n)
{
    if (strcmp(vote, "linear") == 0)
        return i == 0 ? 1 : (a->near[n - 1] - a->near[i]) / (a->near[n - 1] - a->near[0]);
    return strcmp(vote, "inverse") == 0 ? 1 / (a->near[i] + DBL_EPSILON) : 1;
}

/* The winner of the vote at the n nearest distances, -1 at a tie. */
static int vote_at(const answer *a, const table *t, size_t rows, const settings *s, size_t n,
                   double *votes)
{
    int best = 0, ties = 0;
    for (int l = 0; l < LABELS; l++)
        votes[l] = 0;
    for (size_t i = 0; i < n && i < a->n_near; i++) {
        double count[LABELS] = {0};
        for (size_t r = 0; r < rows; r++)
            if (a->distance[r] == a->near[i])
                count[t->label[r]] += t->importance[r];
        size_t counted = n < a->n_near ? n : a->n_near;
        for (int l = 0; l < LABELS; l++)
            votes[l] += vote_weight(a, s->vote, i, counted) * count[l];
    }
    for (int l = 1; l < LABELS; l++)
        best = votes[l] > votes[best] ? l : best;
    for (int l = 0; l < LABELS; l++)
        ties += votes[l] == votes[best];
    return ties > 1 ? -1 : best;
}

static int most_frequent(const table *t, size_t rows, const double *votes)
{
    double most = -1, top = fmax(votes[0], fmax(votes[1], votes[2]));
    int best = -1;
    for (int l = 0; l < LABELS; l++) { /* labels are declared in this order */
        double count = 0;
        for (size_t r = 0; r < rows; r++)
            count += t->label[r] == l ? t->importance[r] : 0;
        if (votes[l] == top && count > most) {
            most = count;
            best = l;
        }
    }
    return best;
}

static answer ask(const table *t, size_t rows, const settings *s, const double *query)
{
    answer a = {.best = -1};
    double known[MOST_FEATURES], sorted[MOST_ROWS], all = 0;
    fields f = fields_of(t, rows, s->weights);
    known_part(t, rows, query, known);
    for (size_t r = 0; r < rows; r++)
        sorted[r] = a.distance[r] = distance(&f, t, known, t->x[r]);
    qsort(sorted, rows, sizeof *sorted, ascending);
    for (size_t r = 0; r < rows; r++)
        if (r == 0 || sorted[r] != sorted[r - 1])
            a.near[a.n_near++] = sorted[r];
    if (rows == 0)
        return a;
    a.best = vote_at(&a, t, rows, s, s->k, a.share);
    if (a.best < 0 && a.n_near > s->k)
        a.best = vote_at(&a, t, rows, s, s->k + 1, a.share);
    if (a.best < 0) {
        vote_at(&a, t, rows, s, s->k, a.share);
        a.best = most_frequent(t, rows, a.share);
    }
    for (int l = 0; l < LABELS; l++)
        all += a.share[l];
    for (int l = 0; l < LABELS; l++)
        a.share[l] /= all;
    return a;
}

/* ---- tables ---- */

/* Namespaces of names, some missing now and then, some that break; words; numbers. */
static table draw(dice *d)
{
    table t = {.rows = 20 + dice_below(d, MOST_ROWS - 20)};
    double missing = dice_below(d, 2) ? 0 : 0.2, twice = dice_below(d, 3) ? 0 : 0.02;
    size_t spaces = dice_below(d, SPACES + 1), loose = dice_below(d, 6) + (spaces == 0);
    bool numbers = dice_below(d, 2);
    for (size_t s = 1; s <= spaces; s++)
        for (size_t v = 2 + dice_below(d, 5); v > 0; v--)
            t.space[t.features++] = (int)s;
    t.features += loose;
    for (size_t r = 0; r < t.rows; r++) {
        double *x = t.x[r];
        for (size_t s = 1, first = 0; s <= spaces; s++) {
            size_t n = 0;
            while (first + n < t.features && t.space[first + n] == (int)s)
                n++;
            if (dice_real(d) >= missing)
                x[first + dice_below(d, n)] = 1;
            if (dice_real(d) < twice)
                x[first + dice_below(d, n)] = dice_below(d, 2) ? 1 : 2.5;
            first += n;
        }
        for (size_t i = t.features - loose; i < t.features; i++) {
            if (numbers && i % 2)
                x[i] = (double)(int)(dice_normal(d) * 8) / 4;
            else
                x[i] = dice_below(d, 3) == 0;
        }
        t.label[r] = (int)dice_below(d, LABELS);
        t.importance[r] = dice_below(d, 4) ? 1 : 0.25 * (1 + (double)dice_below(d, 8));
    }
    return t;
}

static thr_batch *row_of(const table *t, const thr_model *m, size_t r)
{
    thr_batch *b = thr_batch_new();
    char ns[8], name[16];
    assert_non_null(b);
    thr_batch_begin(b);
    thr_batch_set_label(b, (char[]){(char)('a' + t->label[r]), 0});
    thr_batch_set_importance(b, (float)t->importance[r]);
    for (size_t i = 0; i < t->features; i++) {
        snprintf(ns, sizeof ns, "n%d", t->space[i]);
        bool by_name = t->space[i] == 2; /* a field of the empty namespace, as in CSV */
        snprintf(name, sizeof name, by_name ? "v=%zu" : "f%zu", i);
        if (t->x[r][i] != 0)
            thr_batch_add(b, t->space[i] == 0 || by_name ? NULL : ns, name, (float)t->x[r][i]);
    }
    thr_batch_end(b, m);
    return b;
}

/* ---- the comparison ---- */

static void same_neighbours(const thr_model *m, thr_batch *b, const answer *a, const table *t,
                            size_t rows, size_t k)
{
    thr_scratch *s = thr_scratch_new();
    thr_explanation e;
    size_t last = a->n_near < k ? a->n_near : k, expected = 0;
    assert_int_equal(thr_explain_one(m, s, b, 0, &e, NULL), 0);
    for (size_t r = 0; r < rows; r++)
        expected += a->distance[r] <= a->near[last - 1];
    assert_int_equal(e.n_reasons, expected);
    for (size_t i = 0; i < e.n_reasons; i++) {
        size_t row = (size_t)e.reasons[i].number - 1;
        assert_true(fabs(e.reasons[i].distance - a->distance[row]) < 1e-9);
        assert_int_equal(e.reasons[i].label[0], 'a' + t->label[row]);
        assert_true(i == 0 || e.reasons[i - 1].distance <= e.reasons[i].distance);
    }
    thr_scratch_free(s);
}

static void same_answer(const thr_model *m, thr_batch *b, const answer *a, uint64_t seed, size_t r)
{
    double scores[LABELS];
    int32_t predicted;
    thr_scratch *s = thr_scratch_new();
    assert_int_equal(thr_score(m, s, b, &predicted, scores, NULL), 0);
    if (a->best >= 0 && predicted != a->best)
        fail_msg("seed %llu, row %zu: predicts %d, not %d", (unsigned long long)seed, r, predicted,
                 a->best);
    for (int l = 0; l < LABELS; l++)
        if (fabs(scores[l] - a->share[l]) > 1e-9)
            fail_msg("seed %llu, row %zu: label %d has %.17g of the vote, not %.17g",
                     (unsigned long long)seed, r, l, scores[l], a->share[l]);
    thr_scratch_free(s);
}

static void declare_labels(thr_model *m)
{
    for (int l = 0; l < LABELS; l++)
        assert_true(thr_model_declare_label(m, (char[]){(char)('a' + l), 0}, NULL) >= 0);
}

static void compare(uint64_t seed, bool hashed)
{
    dice d = {seed};
    table t = draw(&d);
    static const char *const kinds[] = {"gain", "ratio", "none"};
    static const char *const votes[] = {"equal", "linear", "inverse"};
    settings s = {1 + dice_below(&d, 4), kinds[dice_below(&d, 3)], votes[dice_below(&d, 3)]};
    thr_model *m = model_make(false, hashed ? "hash-bits=16" : NULL, "knn:k=%zu,weights=%s,vote=%s",
                              s.k, s.weights, s.vote);
    declare_labels(m);
    t.hashed = hashed;
    for (size_t r = 0; r < t.rows; r++) {
        thr_batch *b = row_of(&t, m, r);
        answer a = ask(&t, r, &s, t.x[r]);
        same_answer(m, b, &a, seed, r);
        if (r && r % 9 == 0)
            same_neighbours(m, b, &a, &t, r, s.k);
        if (r % 10 == 0)
            assert_int_equal(thr_model_finish(m, NULL), 0);
        same_answer(m, b, &a, seed, r); /* the same, whether worked out before or now */
        assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
        thr_batch_free(b);
    }
    thr_model_free(m);
}

static void equals_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(150); seed++)
        compare(seed, false);
}

static void equals_definition_hashed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(30); seed++)
        compare(seed + 1000, true);
}

/* Weights are worked out anew now and then only, and kept distances bounded in between: answers are
 * the same, to the bit, as when all of it has just been done. Labels that turn round let weights
 * fall. */
static thr_batch *turning_row(dice *d, const thr_model *m, size_t r)
{
    thr_batch *b = thr_batch_new();
    char name[16];
    bool turned = r % 400 > 300;
    size_t colour = dice_below(d, 6), sum = colour;
    assert_non_null(b);
    thr_batch_begin(b);
    snprintf(name, sizeof name, "%zu", colour);
    if (dice_below(d, 5))
        thr_batch_add(b, "colour", name, 1);
    for (size_t i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "w%zu", dice_below(d, 5) ? i : i + 12 * dice_below(d, 9));
        if (dice_below(d, 3))
            continue;
        thr_batch_add(b, NULL, name, 1);
        sum += i % 4;
    }
    thr_batch_set_label(b, (sum % 3 == 0) != turned ? "a" : sum % 5 == 0 ? "b" : "c");
    thr_batch_end(b, m);
    return b;
}

static void same_scores(const thr_model *m, thr_batch *b, double *scores, bool first)
{
    double now[LABELS];
    thr_scratch *s = thr_scratch_new();
    assert_int_equal(thr_score(m, s, b, NULL, now, NULL), 0);
    for (int l = 0; l < LABELS; l++) {
        assert_true(first || now[l] == scores[l]);
        scores[l] = now[l];
    }
    thr_scratch_free(s);
}

static void any_time_is_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(6); seed++) {
        dice d = {seed};
        thr_model *m = model_make(false, NULL, "knn:k=%zu,weights=%s", 1 + (size_t)(seed % 3),
                                  seed % 2 ? "gain" : "ratio");
        thr_batch *query[8];
        double scores[8][LABELS];
        declare_labels(m);
        for (size_t r = 0; r < 1600; r++) {
            thr_batch *b = turning_row(&d, m, r);
            assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
            thr_batch_free(b);
            if (r < 260 || dice_below(&d, 12))
                continue;
            for (size_t i = 0; i < 8; i++)
                same_scores(m, query[i] = turning_row(&d, m, r), scores[i], true);
            assert_int_equal(thr_model_finish(m, NULL), 0);
            for (size_t i = 0; i < 8; i++) {
                same_scores(m, query[i], scores[i], false);
                thr_batch_free(query[i]);
            }
        }
        thr_model_free(m);
    }
}

/* The bytes are a function of the examples: saved in between or not, what follows is the same. */
static void stops_do_not_show(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(20); seed++) {
        dice d = {seed};
        table t = draw(&d);
        thr_model *m = model_make(false, NULL, "knn:k=2"), *stopped = thr_model_clone(m, NULL);
        void *x, *y;
        size_t nx, ny;
        for (size_t r = 0; r < t.rows; r++) {
            thr_batch *b = row_of(&t, m, r);
            assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
            assert_int_equal(thr_learn(stopped, NULL, b, NULL, NULL), 0);
            thr_batch_free(b);
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
        cmocka_unit_test(equals_definition_hashed),
        cmocka_unit_test(any_time_is_the_same),
        cmocka_unit_test(stops_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
