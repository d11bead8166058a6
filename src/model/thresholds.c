/* Thresholds, read from the setting and computed from counts. */
#include "model/thresholds.h"

#include "base/mem.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define EVEN 0.5

static int bad(const char *p, size_t n, thr_error *err)
{
    return thr_fail(err, THR_EUSE,
                    "threshold: '%.*s' is not P or LABEL=P with a probability P, f1 or micro-f1",
                    (int)(n < 64 ? n : 64), p);
}

static bool is_probability(const char *p, const char *end, double *out)
{
    const char *stop;
    return thr_parse_double(p, end, &stop, out) == THR_NUMBER_OK && stop == end && *out >= 0 &&
           *out <= 1;
}

/* Splits at the last equals sign: a label may contain one, a number cannot. If a label is named
 * twice, the last one holds. */
static int add_given(thr_thresholds *t, const char *p, size_t n, bool first, thr_error *err)
{
    const char *equals = memrchr(p, '=', n);
    double value;
    if (!is_probability(equals ? equals + 1 : p, p + n, &value) || equals == p ||
        (!equals && !first))
        return bad(p, n, err);
    if (!equals) {
        t->all = value;
        return 0;
    }
    thr_str label = {p, (size_t)(equals - p)};
    double *given = thr_label_values_find(&t->named, label);
    if (!given)
        return thr_label_values_add(&t->named, label, value, err);
    *given = value;
    return 0;
}

int thr_thresholds_init(thr_thresholds *t, const char *spec, thr_error *err)
{
    bool own = strcmp(spec, "f1") == 0, micro = strcmp(spec, "micro-f1") == 0;
    *t = (thr_thresholds){.kind = own ? THR_OWN_F1 : micro ? THR_MICRO_F1 : THR_GIVEN, .all = EVEN};
    int code = *spec ? 0 : bad(spec, 0, err);
    for (bool first = true; *spec && !own && !micro && code == 0; first = false) {
        size_t n = strcspn(spec, ",");
        code = add_given(t, spec, n, first, err);
        spec += n + (spec[n] == ',');
    }
    if (code)
        thr_thresholds_clear(t);
    return code;
}

void thr_thresholds_clear(thr_thresholds *t)
{
    thr_label_values_clear(&t->named);
    free(t->of);
    *t = (thr_thresholds){0};
}

int thr_thresholds_reserve(thr_thresholds *t, uint32_t labels, thr_error *err)
{
    return thr_grow(&t->of, &t->room, labels, sizeof *t->of) ? 0 : thr_fail_memory(err);
}

int thr_thresholds_copy(const thr_thresholds *t, thr_thresholds *out, thr_error *err)
{
    *out = *t;
    out->of = NULL;
    out->room = out->n = 0;
    int code = thr_label_values_copy(&t->named, &out->named, err);
    if (code == 0)
        code = thr_thresholds_reserve(out, t->n, err);
    if (code) {
        thr_thresholds_clear(out);
        return code;
    }
    if (t->n)
        memcpy(out->of, t->of, t->n * sizeof *t->of);
    out->n = t->n;
    return 0;
}

int thr_thresholds_widen(thr_thresholds *t, const thr_labels *labels, thr_error *err)
{
    int code = thr_thresholds_reserve(t, labels->n, err);
    for (; code == 0 && t->n < labels->n; t->n++) {
        const double *named = thr_label_values_find(&t->named, thr_str_of(labels->name[t->n]));
        t->of[t->n] = (struct thr_label_threshold){.given = named ? *named : t->all};
    }
    return code;
}

static double half_f1(uint64_t hits, uint64_t said)
{
    return (1 + (double)hits) / (2 + (double)said);
}

double thr_thresholds_of(const thr_thresholds *t, uint32_t label)
{
    const struct thr_label_threshold *of = &t->of[label];
    return t->kind == THR_GIVEN    ? of->given
           : t->kind == THR_OWN_F1 ? half_f1(of->hits, of->said)
                                   : half_f1(t->hits, t->said);
}

void thr_thresholds_count(thr_thresholds *t, uint32_t label, bool truth, bool chosen)
{
    thr_thresholds_add(t, label, truth && chosen, (uint64_t)truth + chosen);
}

void thr_thresholds_add(thr_thresholds *t, uint32_t label, uint64_t hits, uint64_t said)
{
    t->of[label].hits += hits;
    t->of[label].said += said;
    t->hits += hits;
    t->said += said;
}
