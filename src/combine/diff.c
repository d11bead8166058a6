/* Differences between two models. Features and labels are matched by name, and so are rules if one
 * of the models is a panel; two single rules are compared whatever their names. A feature or label
 * that a model does not know weighs 0 in it. A thr_diff borrows both models, which must outlive
 * it. */
#include "base/hash.h"
#include "file/file.h"
#include "model/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct moved { /* a weight that differs */
    uint32_t feature;  /* id in the united lexicon */
    uint32_t label;    /* index in the united list of labels */
    double a, b;       /* the weight in each model */
    char *name;        /* of the feature; owned, set once the list is final */
} moved;

typedef struct pair {        /* two rules to compare */
    const thr_member *a, *b; /* NULL: that model has no such rule */
    thr_diff_rule rule;
    moved *top; /* the largest differences: a heap while it is collected, then sorted */
    size_t n, room;
} pair;

typedef struct label { /* a label's number in each model, or THR_NONE */
    const char *name;
    uint32_t a, b;
} label;

struct thr_diff {
    const thr_model *a, *b;
    bool same, matched;  /* equal to the byte; features could be matched by name */
    size_t top;          /* most differences to list per pair of rules */
    thr_lexicon lexicon; /* the features of both; those of a have the same ids as in a */
    uint32_t *in_b;      /* per feature of both: its id in b, or THR_NONE */
    label *label;
    size_t labels, label_room;
    pair *pair;
    size_t pairs, pair_room;
};

/* ---- equal to the byte? ------------------------------------------------------------------- */

/* Hashes the bytes of a model file instead of writing them. */
static int put_hash(void *to, const void *p, size_t n)
{
    uint64_t *hash = to;
    *hash = thr_hash(p, n, *hash);
    return 0;
}

/* ---- names -------------------------------------------------------------------------------- */

static int add_label(thr_diff *d, const char *name, uint32_t a, uint32_t b, thr_error *err)
{
    if (!thr_grow(&d->label, &d->label_room, d->labels + 1, sizeof *d->label))
        return thr_fail_memory(err);
    d->label[d->labels++] = (label){name, a, b};
    return 0;
}

static int match_labels(thr_diff *d, thr_error *err)
{
    const thr_labels *a = &d->a->labels, *b = &d->b->labels;
    int code = 0;
    for (uint32_t i = 0; i < a->n && code == 0; i++)
        code = add_label(d, a->name[i], i, thr_labels_find(b, thr_str_of(a->name[i])), err);
    for (uint32_t i = 0; i < b->n && code == 0; i++)
        if (thr_labels_find(a, thr_str_of(b->name[i])) == THR_NONE)
            code = add_label(d, b->name[i], THR_NONE, i, err);
    return code;
}

/* Makes a copy of a's lexicon, to which the features of b are added. In the hashed form a slot
 * stands for a feature only if both models hash in the same way: the same number of bits and seed,
 * and namespaces that are numbered alike. Otherwise features cannot be matched. */
static int match_features(thr_diff *d, thr_error *err)
{
    const thr_lexicon *x = &d->a->lexicon, *y = &d->b->lexicon;
    d->matched = x->hash_bits == y->hash_bits && (!x->hash_bits || x->seed == y->seed);
    for (size_t i = 0; x->hash_bits && i < x->n_spaces && i < y->n_spaces; i++)
        d->matched &= strcmp(x->space[i].name, y->space[i].name) == 0;
    if (!d->matched)
        return 0;
    uint32_t *fresh = malloc(y->n * sizeof *fresh);
    int code = fresh ? thr_lexicon_copy(x, &d->lexicon, err) : thr_fail_memory(err);
    if (code == 0)
        code = thr_lexicon_unite(&d->lexicon, y, fresh, err);
    if (code == 0 && !(d->in_b = malloc(d->lexicon.n * sizeof *d->in_b)))
        code = thr_fail_memory(err);
    for (uint32_t id = 0; code == 0 && id < d->lexicon.n; id++)
        d->in_b[id] = THR_NONE;
    for (uint32_t id = 0; code == 0 && id < y->n; id++)
        d->in_b[fresh[id]] = id;
    free(fresh);
    return code;
}

/* ---- pairs of rules ----------------------------------------------------------------------- */

/* A member's share of the votes; NaN without a panel. */
static double vote_of(const thr_model *m, const thr_member *k)
{
    return m->panel.experts ? thr_panel_weight(&m->panel, (uint32_t)(k - m->member)) : NAN;
}

/* Why the weights of two rules cannot be compared; NULL if they can. */
static const char *why_not(const thr_diff *d, const thr_member *a, const thr_member *b)
{
    if (!a || !b)
        return "only one of the models has it";
    if ((a->rule.learner->flags | b->rule.learner->flags) & THR_NOT_LINEAR)
        return "it is not linear: it has no weights to compare";
    if (thr_model_regression(d->a) != thr_model_regression(d->b))
        return "one predicts labels and the other numbers";
    return d->matched ? NULL : "names are hashed, and not alike";
}

static int add_pair(thr_diff *d, const thr_member *a, const thr_member *b, thr_error *err)
{
    if (!thr_grow(&d->pair, &d->pair_room, d->pairs + 1, sizeof *d->pair))
        return thr_fail_memory(err);
    d->pair[d->pairs++] = (pair){.a = a,
                                 .b = b,
                                 .rule = {.a = a ? a->spec : NULL,
                                          .b = b ? b->spec : NULL,
                                          .vote_a = a ? vote_of(d->a, a) : NAN,
                                          .vote_b = b ? vote_of(d->b, b) : NAN,
                                          .unlike = why_not(d, a, b)}};
    return 0;
}

static bool is_taken(const thr_diff *d, const thr_member *b)
{
    for (size_t i = 0; i < d->pairs; i++)
        if (d->pair[i].b == b)
            return true;
    return false;
}

/* In a panel a rule of a is compared with the first rule of b that has the same name and no partner
 * yet. */
static int match_rules(thr_diff *d, thr_error *err)
{
    if (!d->a->panel.experts && !d->b->panel.experts)
        return add_pair(d, d->a->member, d->b->member, err);
    int code = 0;
    for (uint32_t k = 0; k < d->a->members && code == 0; k++) {
        const thr_member *a = &d->a->member[k], *partner = NULL;
        for (uint32_t j = 0; j < d->b->members && !partner; j++)
            if (strcmp(d->b->member[j].spec, a->spec) == 0 && !is_taken(d, &d->b->member[j]))
                partner = &d->b->member[j];
        code = add_pair(d, a, partner, err);
    }
    for (uint32_t k = 0; k < d->b->members && code == 0; k++)
        if (!is_taken(d, &d->b->member[k]))
            code = add_pair(d, NULL, &d->b->member[k], err);
    return code;
}

/* ---- weights ------------------------------------------------------------------------------ */

/* Whether x comes before y in the list: the larger difference first, then by feature and label, so
 * that the order is total. */
static bool before(const moved *x, const moved *y)
{
    double by_x = fabs(x->b - x->a), by_y = fabs(y->b - y->a);
    if (by_x != by_y)
        return by_x > by_y;
    return x->feature != y->feature ? x->feature < y->feature : x->label < y->label;
}

static int by_place(const void *x, const void *y)
{
    return before(x, y) ? -1 : before(y, x);
}

/* While weights are compared, `top` is a heap whose root comes last in the list: it is the first to
 * go when a larger difference is found. */
static void sift_down(moved *heap, size_t n)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(&heap[child], &heap[child + 1]))
            child++;
        if (!before(&heap[at], &heap[child]))
            return;
        moved swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

static void sift_up(moved *heap, size_t n)
{
    for (size_t at = n - 1; at && before(&heap[(at - 1) / 2], &heap[at]); at = (at - 1) / 2) {
        moved swap = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = swap;
    }
}

/* The weights of one feature in one model, for all its labels, minus their mean: what all labels
 * have in common decides nothing. For multi-label data each label decides for itself, and the mean
 * is taken as 0. A regressor has one weight. */
static void weights_of(const thr_model *m, const thr_member *k, uint32_t id, double *out)
{
    uint32_t n = thr_model_columns(m);
    double mean = 0;
    bool known = id < m->lexicon.n && (id || k->rule.bias);
    for (uint32_t l = 0; l < n; l++) {
        out[l] = known ? thr_member_weight(k, &m->labels, id, l, m->known) : 0;
        mean += out[l] / n;
    }
    for (uint32_t l = 0; l < n && n > 1 && !m->reader.multilabel; l++)
        out[l] -= mean;
}

/* Counts a weight that differs, and lists it if it is one of the d->top largest differences. */
static int note(const thr_diff *d, pair *p, moved m, thr_error *err)
{
    if (m.a == m.b)
        return 0;
    p->rule.moved++;
    p->rule.distance += (m.b - m.a) * (m.b - m.a);
    if (p->n < d->top) {
        if (!thr_grow(&p->top, &p->room, p->n + 1, sizeof *p->top))
            return thr_fail_memory(err);
        p->top[p->n++] = m;
        sift_up(p->top, p->n);
    } else if (d->top && before(&m, &p->top[0])) {
        p->top[0] = m;
        sift_down(p->top, p->n);
    }
    return 0;
}

/* Compares the weights of feature f of the united lexicon; a and b are scratch. */
static int look_at(const thr_diff *d, pair *p, uint32_t f, double *a, double *b, thr_error *err)
{
    int code = 0;
    weights_of(d->a, p->a, f < d->a->lexicon.n ? f : THR_NONE, a);
    weights_of(d->b, p->b, d->in_b[f], b);
    if (thr_model_regression(d->a))
        return note(d, p, (moved){.feature = f, .a = a[0], .b = b[0]}, err);
    /* If there are two labels and only one can be true, the weights of one are the negative weights
     * of the other, so only the positive label is listed. */
    bool two = d->labels == 2 && d->a->labels.n == 2 && d->b->labels.n == 2 &&
               !d->a->reader.multilabel && !d->b->reader.multilabel;
    for (uint32_t l = 0; l < d->labels && code == 0; l++) {
        const label *now = &d->label[l];
        moved m = {.feature = f,
                   .label = l,
                   .a = now->a == THR_NONE ? 0 : a[now->a],
                   .b = now->b == THR_NONE ? 0 : b[now->b]};
        if (!two || now->a == d->a->labels.positive)
            code = note(d, p, m, err);
    }
    return code;
}

static int compare(thr_diff *d, pair *p, thr_error *err)
{
    size_t columns = d->labels + 1;
    double *a = calloc(2 * columns, sizeof *a);
    int code = a ? 0 : thr_fail_memory(err);
    for (uint32_t f = 0; f < d->lexicon.n && code == 0; f++)
        code = look_at(d, p, f, a, a + columns, err);
    free(a);
    p->rule.distance = sqrt(p->rule.distance);
    if (p->n)
        qsort(p->top, p->n, sizeof *p->top, by_place);
    return code;
}

/* Names the features in the final list. */
static int name_all(const thr_diff *d, pair *p, thr_error *err)
{
    for (size_t i = 0; i < p->n; i++) {
        uint32_t f = p->top[i].feature;
        const thr_model *m = f < d->a->lexicon.n ? d->a : d->b;
        uint32_t id = m == d->a ? f : d->in_b[f];
        size_t n = thr_model_feature(m, id, NULL, 0);
        char *name = malloc(n + 1);
        if (!name || thr_model_feature(m, id, name, n + 1) != n) {
            free(name);
            return thr_fail_memory(err);
        }
        p->top[i].name = name;
    }
    return 0;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int fill(thr_diff *d, thr_error *err)
{
    uint64_t hash[2] = {0, 0};
    int code = thr_model_touch_all(d->a, err);
    if (code == 0)
        code = thr_model_touch_all(d->b, err);
    if (code == 0 &&
        (thr_model_write(d->a, put_hash, &hash[0]) || thr_model_write(d->b, put_hash, &hash[1])))
        code = thr_fail_memory(err);
    d->same = code == 0 && hash[0] == hash[1];
    if (code == 0)
        code = match_labels(d, err);
    if (code == 0)
        code = match_features(d, err);
    if (code == 0)
        code = match_rules(d, err);
    for (size_t i = 0; i < d->pairs && code == 0; i++) {
        if (d->pair[i].rule.unlike)
            continue;
        code = compare(d, &d->pair[i], err);
        if (code == 0)
            code = name_all(d, &d->pair[i], err);
    }
    return code;
}

thr_diff *thr_diff_new(const thr_model *a, const thr_model *b, size_t top, thr_error *err)
{
    thr_diff *d = calloc(1, sizeof *d);
    if (!d) {
        thr_fail_memory(err);
        return NULL;
    }
    d->a = a;
    d->b = b;
    d->top = top;
    if (fill(d, err) == 0)
        return d;
    thr_diff_free(d);
    return NULL;
}

void thr_diff_free(thr_diff *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->pairs; i++) {
        for (size_t j = 0; j < d->pair[i].n; j++)
            free(d->pair[i].top[j].name);
        free(d->pair[i].top);
    }
    free(d->pair);
    free(d->label);
    free(d->in_b);
    thr_lexicon_clear(&d->lexicon);
    free(d);
}

/* ---- results ------------------------------------------------------------------------------ */

bool thr_diff_same(const thr_diff *d)
{
    return d->same;
}

bool thr_diff_setting_at(const thr_diff *d, size_t i, thr_diff_setting *out)
{
    thr_option_info info;
    for (size_t k = 0; thr_setting_at(k, &info); k++) {
        const char *a = thr_model_setting(d->a, info.name), *b = thr_model_setting(d->b, info.name);
        if (strcmp(a, b) != 0 && i-- == 0) {
            *out = (thr_diff_setting){info.name, a, b};
            return true;
        }
    }
    return false;
}

bool thr_diff_label_at(const thr_diff *d, size_t i, thr_diff_label *out)
{
    for (size_t l = 0; l < d->labels; l++) {
        const label *now = &d->label[l];
        if ((now->a == THR_NONE || now->b == THR_NONE) && i-- == 0) {
            *out = (thr_diff_label){now->name, now->a == THR_NONE};
            return true;
        }
    }
    return false;
}

bool thr_diff_features_of(const thr_diff *d, thr_diff_features *out)
{
    *out = (thr_diff_features){0};
    for (uint32_t f = 1; d->matched && f < d->lexicon.n; f++) {
        bool a = f < d->a->lexicon.n, b = d->in_b[f] != THR_NONE;
        out->both += a && b;
        out->only_a += a && !b;
        out->only_b += !a;
    }
    return d->matched;
}

bool thr_diff_rule_at(const thr_diff *d, size_t rule, thr_diff_rule *out)
{
    if (rule >= d->pairs)
        return false;
    *out = d->pair[rule].rule;
    return true;
}

bool thr_diff_weight_at(const thr_diff *d, size_t rule, size_t i, thr_diff_weight *out)
{
    if (rule >= d->pairs || i >= d->pair[rule].n)
        return false;
    const moved *m = &d->pair[rule].top[i];
    *out = (thr_diff_weight){
        .feature = m->name,
        .label = thr_model_regression(d->a) ? NULL : d->label[m->label].name,
        .a = m->a,
        .b = m->b,
        .in_a = m->feature < d->a->lexicon.n,
        .in_b = d->in_b[m->feature] != THR_NONE,
    };
    return true;
}
