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
    char *name = strndup(p, (size_t)(equals - p));
    if (!name || !thr_grow(&c->named, &c->named_room, c->n_named + 1, sizeof *c->named)) {
        free(name);
        return thr_fail_memory(err);
    }
    for (size_t i = 0; i < c->n_named; i++)
        if (thr_label_same(c->named[i].name, name)) {
            free(name);
            return thr_fail(err, THR_EUSE, "class-weights: '%.64s' has two weights",
                            c->named[i].name);
        }
    c->named[c->n_named++] = (struct thr_class_weight){name, weight};
    return 0;
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
    for (size_t i = 0; i < c->n_named; i++)
        free(c->named[i].name);
    free(c->named);
    free(c->count);
    *c = (thr_classes){0};
}

int thr_classes_copy(const thr_classes *c, thr_classes *out, thr_error *err)
{
    *out = (thr_classes){.balanced = c->balanced};
    int code = thr_classes_widen(out, c->n, err);
    if (code == 0 && c->n)
        memcpy(out->count, c->count, c->n * sizeof *c->count);
    if (code == 0 && !thr_grow(&out->named, &out->named_room, c->n_named, sizeof *out->named))
        code = thr_fail_memory(err);
    for (size_t i = 0; i < c->n_named && code == 0; i++) {
        char *name = strdup(c->named[i].name);
        if (name)
            out->named[out->n_named++] = (struct thr_class_weight){name, c->named[i].weight};
        else
            code = thr_fail_memory(err);
    }
    if (code)
        thr_classes_clear(out);
    return code;
}

int thr_classes_reserve(thr_classes *c, uint32_t labels, thr_error *err)
{
    return thr_grow(&c->count, &c->room, labels, sizeof *c->count) ? 0 : thr_fail_memory(err);
}

int thr_classes_widen(thr_classes *c, uint32_t labels, thr_error *err)
{
    int code = thr_classes_reserve(c, labels, err);
    if (code)
        return code;
    while (c->n < labels)
        c->count[c->n++] = 0;
    return 0;
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

static double class_weight(const thr_classes *c, const thr_labels *labels, uint32_t label,
                           counted n)
{
    for (size_t i = 0; i < c->n_named && label < labels->n && !c->balanced; i++)
        if (thr_label_same(c->named[i].name, labels->name[label]))
            return c->named[i].weight;
    if (!c->balanced || label >= c->n || c->count[label] == 0)
        return 1;
    return n.all / (n.met * (double)c->count[label]);
}

double thr_classes_weight(const thr_classes *c, const thr_labels *labels, uint32_t label)
{
    return class_weight(c, labels, label, count_all(c));
}

static double log_weight(double weight)
{
    return thr_log(weight > LEAST_WEIGHT ? weight : LEAST_WEIGHT);
}

void thr_classes_add_logs(const thr_classes *c, const thr_labels *labels, double *of)
{
    if (!thr_classes_differ(c))
        return;
    counted n = count_all(c);
    for (uint32_t l = 0; l < labels->n; l++)
        of[l] += log_weight(class_weight(c, labels, l, n));
}

double thr_classes_log_weight(const thr_classes *c, const thr_labels *labels, uint32_t label)
{
    return thr_classes_differ(c) ? log_weight(thr_classes_weight(c, labels, label)) : 0;
}
