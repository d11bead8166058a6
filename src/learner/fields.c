/* Counting examples by field and label, and the weights that follow from the counts. */
#include "learner/fields.h"

#include "base/mathx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERVALS 20 /* that a field of numbers is cut into */
#define LN2       0.69314718055994530942

void thr_fields_init(thr_fields *f)
{
    static const thr_slot_spec count = {"importance", true, 0, THR_MIRROR_START};
    *f = (thr_fields){0};
    thr_weights_init(&f->by_label, &count, 1);
    thr_weights_init(&f->by_group, &count, 1);
}

void thr_fields_clear(thr_fields *f)
{
    for (size_t i = 0; i < f->n_numbers; i++)
        free(f->numbers[i].at);
    free(f->numbers);
    free(f->label);
    free(f->feature);
    free(f->group);
    free(f->a);
    free(f->met);
    thr_weights_clear(&f->by_label);
    thr_weights_clear(&f->by_group);
    *f = (thr_fields){0};
}

static bool copy_numbers(const thr_fields *f, thr_fields *out)
{
    bool ok = true;
    out->numbers = thr_copy(f->numbers, f->n_numbers, sizeof *f->numbers, &ok);
    out->n_numbers = out->numbers_room = ok ? f->n_numbers : 0;
    for (size_t i = 0; i < out->n_numbers; i++) {
        const thr_numbers *from = &f->numbers[i];
        out->numbers[i].at = thr_copy(from->at, from->n, sizeof *from->at, &ok);
        out->numbers[i].room = from->n;
    }
    return ok;
}

int thr_fields_share(const thr_fields *f, thr_fields *out, thr_error *err)
{
    bool ok = true;
    *out = *f;
    out->met = NULL;
    out->met_room = out->n_met = 0;
    out->by_label = out->by_group = (thr_weights){0};
    out->label = thr_copy(f->label, f->label_room, sizeof *f->label, &ok);
    out->feature = thr_copy(f->feature, f->features, sizeof *f->feature, &ok);
    out->group = thr_copy(f->group, f->groups, sizeof *f->group, &ok);
    out->a = thr_copy(f->a, f->n_a, sizeof *f->a, &ok);
    out->feature_room = f->features;
    out->group_room = f->groups;
    out->a_room = f->n_a;
    ok &= copy_numbers(f, out);
    if (ok && thr_weights_share(&f->by_label, &out->by_label, true, err) == 0 &&
        thr_weights_share(&f->by_group, &out->by_group, true, err) == 0)
        return 0;
    thr_fields_clear(out);
    return thr_fail_memory(err);
}

/* ---- A(n) --------------------------------------------------------------------------------- */

static double n_log_n(double n)
{
    return n > 0 ? n * (thr_log(n) / LN2) : 0;
}

/* A(n), from the table if n is a whole number in its range. */
static double a_of(const thr_fields *f, double n)
{
    if (n >= 0 && n < (double)f->n_a) {
        size_t whole = (size_t)n;
        if ((double)whole == n)
            return f->a[whole];
    }
    return n_log_n(n);
}

/* Extends the table up to A(most). */
static bool a_ready(thr_fields *f, size_t most)
{
    if (!thr_grow(&f->a, &f->a_room, most + 1, sizeof *f->a))
        return false;
    for (; f->n_a <= most; f->n_a++)
        f->a[f->n_a] = n_log_n((double)f->n_a);
    return true;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static const thr_numbers *numbers_of(const thr_fields *f, uint32_t id)
{
    uint32_t which = f->feature[id].numbers;
    return which ? &f->numbers[which - 1] : NULL;
}

/* Inserts a value in order, or adds to the weight of an equal one. There is room. */
static void insert_number(thr_numbers *s, thr_number new)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const thr_number *at = &s->at[middle];
        if (at->value < new.value || (at->value == new.value && at->label < new.label))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->n && s->at[low].value == new.value && s->at[low].label == new.label) {
        s->at[low].weight += new.weight;
        return;
    }
    memmove(s->at + low + 1, s->at + low, (s->n - low) * sizeof new);
    s->at[low] = new;
    s->n++;
}

/* Starts the list of a feature's values. It has had only the value 1 so far, so the list begins
 * with the counts by label for that value. */
static bool begin_numbers(thr_fields *f, uint32_t id, uint32_t labels)
{
    if (!thr_grow(&f->numbers, &f->numbers_room, f->n_numbers + 1, sizeof *f->numbers))
        return false;
    thr_numbers fresh = {0};
    if (!thr_grow(&fresh.at, &fresh.room, (size_t)labels + 1, sizeof *fresh.at))
        return false;
    for (uint32_t l = 0; l < labels; l++) {
        double weight = thr_weights_get(&f->by_label, id, 0, l);
        if (weight > 0)
            fresh.at[fresh.n++] = (thr_number){1, weight, l};
    }
    f->numbers[f->n_numbers++] = fresh;
    f->feature[id].numbers = (uint32_t)f->n_numbers;
    return true;
}

/* Makes room in the lists of values of e's features. */
static bool numbers_ready(thr_fields *f, const thr_example *e, uint32_t labels)
{
    for (size_t i = 0; i < e->n; i++) {
        uint32_t id = e->id[i];
        if (!f->feature[id].numbers && thr_example_value(e, i) == 1)
            continue;
        if (!f->feature[id].numbers && !begin_numbers(f, id, labels))
            return false;
        thr_numbers *s = &f->numbers[f->feature[id].numbers - 1];
        if (!thr_grow(&s->at, &s->room, s->n + 1, sizeof *s->at))
            return false;
    }
    return true;
}

double thr_fields_range(const thr_fields *f, uint32_t id)
{
    const thr_numbers *s = numbers_of(f, id);
    if (!s || s->n == 0)
        return 1;
    double least = s->at[0].value, most = s->at[s->n - 1].value;
    if (f->feature[id].examples < f->examples) {
        least = fmin(least, 0);
        most = fmax(most, 0);
    }
    return most - least;
}

/* ---- counting ----------------------------------------------------------------------------- */

/* Makes the entries of e's features and groups exist. */
static bool tables_ready(thr_fields *f, const thr_example *e, const uint32_t *group)
{
    size_t features = f->features, groups = f->groups ? f->groups : 1;
    for (size_t i = 0; i < e->n; i++) {
        size_t g = group ? group[e->id[i]] : 0;
        features = e->id[i] >= features ? (size_t)e->id[i] + 1 : features;
        groups = g >= groups ? g + 1 : groups;
    }
    if (!thr_grow(&f->feature, &f->feature_room, features, sizeof *f->feature) ||
        !thr_grow(&f->group, &f->group_room, groups, sizeof *f->group) ||
        !thr_grow(&f->met, &f->met_room, e->n + 1, sizeof *f->met))
        return false;
    if (features > f->features)
        memset(f->feature + f->features, 0, (features - f->features) * sizeof *f->feature);
    memset(f->group + f->groups, 0, (groups - f->groups) * sizeof *f->group);
    f->features = features;
    f->groups = groups;
    for (size_t i = 0; i < e->n; i++)
        f->feature[e->id[i]].group = group ? group[e->id[i]] : 0;
    return true;
}

/* Widens both tables to the number of labels, all rows at once: the weights read every row
 * without checking its width. */
static int labels_ready(thr_fields *f, uint32_t labels, thr_error *err)
{
    size_t old = f->label_room;
    if (f->examples && labels == f->by_label.functions)
        return 0;
    if (!thr_grow(&f->label, &f->label_room, labels, sizeof *f->label))
        return thr_fail_memory(err);
    memset(f->label + old, 0, (f->label_room - old) * sizeof *f->label);
    thr_weights_widen(&f->by_label, labels);
    thr_weights_widen(&f->by_group, labels);
    int code = thr_weights_settle(&f->by_label, f->by_label.rows, err);
    return code ? code : thr_weights_settle(&f->by_group, f->by_group.rows, err);
}

/* Lists the unbroken groups of an example in f->met, and sets `here` and `odd` of each. The
 * caller resets these two. */
static void survey(thr_fields *f, const thr_example *e)
{
    f->n_met = 0;
    for (size_t i = 0; i < e->n; i++) {
        uint32_t g = thr_fields_group(f, e->id[i]);
        if (!g)
            continue;
        thr_field_group *group = &f->group[g];
        if (group->here++ == 0)
            f->met[f->n_met++] = g;
        group->odd |= thr_example_value(e, i) != 1;
    }
}

int thr_fields_ready(thr_fields *f, const thr_example *e, const uint32_t *group, uint32_t labels,
                     thr_error *err)
{
    if (!tables_ready(f, e, group) || !a_ready(f, f->examples + 1))
        return thr_fail_memory(err);
    int code = labels_ready(f, labels, err);
    if (code == 0)
        code = thr_weights_ready(&f->by_label, e, err);
    if (code)
        return code;
    survey(f, e);
    thr_example groups = {.id = f->met, .n = f->n_met};
    for (size_t i = 0; i < f->n_met; i++) {
        f->group[f->met[i]].here = 0;
        f->group[f->met[i]].odd = false;
    }
    code = thr_weights_ready(&f->by_group, &groups, err);
    if (code == 0 && !numbers_ready(f, e, labels))
        code = thr_fail_memory(err);
    return code;
}

/* Counts e, whose value of group g is feature `id`, in the sums of the group. It must run
 * before the feature's own counts are raised: the sums change by A(n + by) - A(n). */
static void count_in_group(thr_fields *f, uint32_t g, uint32_t id, const thr_example *e)
{
    thr_field_group *group = &f->group[g];
    double by = (double)e->importance, n = f->feature[id].weight;
    double of_label = thr_weights_row_wide(&f->by_label, id, 0)[e->label];
    double more = a_of(f, n + by) - a_of(f, n);
    group->examples++;
    group->values += more;
    group->inside += more - (a_of(f, of_label + by) - a_of(f, of_label));
    thr_weights_row_wide(&f->by_group, g, 0)[e->label] += by;
}

void thr_fields_count(thr_fields *f, const thr_example *e)
{
    double by = (double)e->importance;
    survey(f, e);
    /* A group breaks if e has two of its features, or one with a value other than 1. */
    for (size_t i = 0; i < f->n_met; i++) {
        thr_field_group *group = &f->group[f->met[i]];
        group->broken = group->here > 1 || group->odd;
        group->here = 0;
        group->odd = false;
    }
    for (size_t i = 0; i < e->n; i++) {
        uint32_t id = e->id[i], g = thr_fields_group(f, id);
        if (g)
            count_in_group(f, g, id, e);
        f->loose |= !g;
        f->feature[id].weight += by;
        f->feature[id].examples++;
        thr_weights_row_wide(&f->by_label, id, 0)[e->label] += by;
        if (f->feature[id].numbers)
            insert_number(&f->numbers[f->feature[id].numbers - 1],
                          (thr_number){thr_example_value(e, i), by, e->label});
    }
    f->examples++;
    f->weight += by;
    f->label[e->label] += by;
    f->outside = a_of(f, f->weight);
    for (uint32_t l = 0; l < f->by_label.functions; l++)
        f->outside -= a_of(f, f->label[l]);
}

/* ---- weights ------------------------------------------------------------------------------ */

/* The two sums over the values of a field, as in thr_field_group. */
typedef struct sums {
    double values, inside;
} sums;

/* Gain or gain ratio. A field with only one value, whose split is 0, has the ratio 0. */
static double from_sums(const thr_fields *f, sums s, enum thr_field_weights kind)
{
    double gain = fmax(0, (f->outside - s.inside) / f->weight);
    if (kind == THR_FIELD_GAIN)
        return gain;
    double split = (a_of(f, f->weight) - s.values) / f->weight;
    return split > 1e-12 ? gain / split : 0;
}

/* Adds one value, whose examples have the importance by_label, to the sums. */
static void add_value(const thr_fields *f, sums *s, const double *by_label)
{
    double n = 0, inside = 0;
    for (uint32_t l = 0; l < f->by_label.functions; l++) {
        n += by_label[l];
        inside += a_of(f, by_label[l]);
    }
    s->values += a_of(f, n);
    s->inside += a_of(f, n) - inside;
}

/* Adds the value "absent": its examples are those of each label minus those with the field. */
static void add_absent(const thr_fields *f, sums *s, const double *with)
{
    double n = f->weight, inside = 0;
    for (uint32_t l = 0; l < f->by_label.functions; l++) {
        n -= with[l];
        inside += a_of(f, f->label[l] - with[l]);
    }
    s->values += a_of(f, n);
    s->inside += a_of(f, n) - inside;
}

double thr_fields_group_weight(const thr_fields *f, uint32_t group, enum thr_field_weights kind)
{
    const thr_field_group *g = &f->group[group];
    sums s = {g->values, g->inside};
    if (kind == THR_FIELD_NONE)
        return 1;
    if (!thr_fields_complete(f, group))
        add_absent(f, &s, thr_weights_row_wide(&f->by_group, group, 0));
    return from_sums(f, s, kind);
}

/* ---- weights of numbers ------------------------------------------------------------------- */

/* Iterates over the distinct values of a feature in ascending order. The value 0 is one of them
 * if some example lacks the feature. */
typedef struct values {
    const thr_fields *f;
    const thr_numbers *s;
    uint32_t id;
    size_t at;
    bool zero; /* the value 0 of absent features is still to come */
} values;

/* Adds the examples with the next value to by_label; false at the end. */
static bool next_value(values *v, double *by_label)
{
    const thr_number *at = v->s->at + v->at, *end = v->s->at + v->s->n;
    if (v->zero && (at == end || at->value >= 0)) {
        const double *with = thr_weights_row_wide(&v->f->by_label, v->id, 0);
        v->zero = false; /* its examples are those that lack the feature */
        for (uint32_t l = 0; l < v->f->by_label.functions; l++)
            by_label[l] += v->f->label[l] - with[l];
        if (at == end || at->value > 0)
            return true;
    } else if (at == end)
        return false;
    double value = at->value;
    for (; at < end && at->value == value; at++)
        by_label[at->label] += at->weight;
    v->at = (size_t)(at - v->s->at);
    return true;
}

/* The sums of a field of numbers, over intervals of about equally many distinct values. */
static sums sums_of_numbers(const thr_fields *f, const thr_numbers *s, uint32_t id,
                            double *by_label)
{
    sums out = {0};
    values v = {f, s, id, 0, f->feature[id].examples < f->examples};
    size_t distinct = v.zero;
    for (size_t i = 0; i < s->n; i++)
        distinct += i == 0 || s->at[i].value != s->at[i - 1].value;
    for (size_t k = 0; k < INTERVALS; k++) {
        size_t n = distinct / INTERVALS + (k < distinct % INTERVALS);
        for (uint32_t l = 0; l < f->by_label.functions; l++)
            by_label[l] = 0;
        while (n-- > 0)
            next_value(&v, by_label);
        add_value(f, &out, by_label);
    }
    return out;
}

double thr_fields_weight(const thr_fields *f, uint32_t id, enum thr_field_weights kind,
                         double *scratch)
{
    const thr_numbers *s = numbers_of(f, id);
    sums sum = {0};
    if (kind == THR_FIELD_NONE)
        return 1;
    if (s)
        return from_sums(f, sums_of_numbers(f, s, id, scratch), kind);
    const double *with = thr_weights_row_wide(&f->by_label, id, 0);
    add_value(f, &sum, with);
    if (f->feature[id].examples < f->examples)
        add_absent(f, &sum, with);
    return from_sums(f, sum, kind);
}
