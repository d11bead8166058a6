/* Class weights, read from the setting and computed from counts. */
#include "model/classes.h"

#include "base/mathx.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WEIGHT  1e9
#define LEAST_WEIGHT 1e-300 /* of which a logarithm is taken */

/* Splits at the last equals sign: a label may contain one, a weight cannot. */
static int add_named(thr_classes *c, const char *p, size_t n, thr_error *err)
{
    const char *equals = memrchr(p, '=', n), *end;
    double weight;
    if (!equals || equals == p ||
        thr_parse_double(equals + 1, p + n, &end, &weight) != THR_NUMBER_OK || end != p + n ||
        weight < 0 || weight > MOST_WEIGHT)
        return thr_fail(err, THR_EUSE,
                        "class-weights: '%.*s' is not LABEL=WEIGHT with a weight from 0 to %g; or "
                        "say balanced",
                        (int)(n < 64 ? n : 64), p, MOST_WEIGHT);
    thr_str label = {p, (size_t)(equals - p)};
    if (thr_label_values_find(&c->named, label))
        return thr_fail(err, THR_EUSE, "class-weights: '%.*s' has two weights",
                        (int)(label.n < 64 ? label.n : 64), p);
    return thr_label_values_add(&c->named, label, weight, err);
}

int thr_classes_init(thr_classes *c, const char *spec, thr_error *err)
{
    *c = (thr_classes){.balanced = strcmp(spec, "balanced") == 0};
    int code = 0;
    while (*spec && !c->balanced && code == 0) {
        size_t n = strcspn(spec, ",");
        code = add_named(c, spec, n, err);
        spec += n + (spec[n] == ',');
    }
    if (code)
        thr_classes_clear(c);
    return code;
}

void thr_classes_clear(thr_classes *c)
{
    thr_label_values_clear(&c->named);
    free(c->given);
    free(c->count);
    *c = (thr_classes){0};
}

int thr_classes_reserve(thr_classes *c, uint32_t labels, thr_error *err)
{
    return thr_grow(&c->count, &c->room, labels, sizeof *c->count) &&
                   thr_grow(&c->given, &c->given_room, labels, sizeof *c->given)
               ? 0
               : thr_fail_memory(err);
}

int thr_classes_copy(const thr_classes *c, thr_classes *out, thr_error *err)
{
    *out = (thr_classes){.balanced = c->balanced};
    int code = thr_label_values_copy(&c->named, &out->named, err);
    if (code == 0)
        code = thr_classes_reserve(out, c->n, err);
    if (code) {
        thr_classes_clear(out);
        return code;
    }
    if (c->n) {
        memcpy(out->count, c->count, c->n * sizeof *c->count);
        memcpy(out->given, c->given, c->n * sizeof *c->given);
    }
    out->n = c->n;
    return 0;
}

int thr_classes_widen(thr_classes *c, const thr_labels *labels, thr_error *err)
{
    int code = thr_classes_reserve(c, labels->n, err);
    for (; code == 0 && c->n < labels->n; c->n++) {
        const double *named = thr_label_values_find(&c->named, thr_str_of(labels->name[c->n]));
        c->given[c->n] = named ? *named : 1;
        c->count[c->n] = 0;
    }
    return code;
}

void thr_classes_count(thr_classes *c, uint32_t label)
{
    if (label < c->n)
        c->count[label]++;
}

/* n and K of classes.h. */
typedef struct counted {
    double all, met;
} counted;

static counted count_all(const thr_classes *c)
{
    counted n = {0, 0};
    for (uint32_t l = 0; l < c->n && c->balanced; l++) {
        n.all += (double)c->count[l];
        n.met += c->count[l] > 0;
    }
    return n;
}

static double class_weight(const thr_classes *c, uint32_t label, counted n)
{
    if (label >= c->n)
        return 1;
    if (!c->balanced)
        return c->given[label];
    return c->count[label] ? n.all / (n.met * (double)c->count[label]) : 1;
}

double thr_classes_weight(const thr_classes *c, uint32_t label)
{
    return class_weight(c, label, count_all(c));
}

static double log_weight(double weight)
{
    return thr_log(weight > LEAST_WEIGHT ? weight : LEAST_WEIGHT);
}

void thr_classes_add_logs(const thr_classes *c, double *of)
{
    if (!thr_classes_differ(c))
        return;
    counted n = count_all(c);
    for (uint32_t l = 0; l < c->n; l++)
        of[l] += log_weight(class_weight(c, l, n));
}

double thr_classes_log_weight(const thr_classes *c, uint32_t label)
{
    return thr_classes_differ(c) ? log_weight(thr_classes_weight(c, label)) : 0;
}
