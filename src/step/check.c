/* Checks of examples, and of batches that a caller has filled, before anything is learned from them
 * or predicted. After these the steps trust what they are given. */
#include "base/wide.h"
#include "model/inside.h"
#include "step/step.h"

#include <math.h>

bool thr_model_takes(const thr_model *m, uint32_t k, const thr_batch *b, size_t e)
{
    size_t at;
    thr_example whole;
    thr_model_outline(m, b, e, &whole);
    return thr_member_takes(&m->member[k], &whole, &at);
}

/* An error that names the value which a model with a single member cannot take. Members of a panel
 * pass over such an example instead. */
static int check_values(const thr_model *m, const thr_batch *b, size_t i, thr_error *err)
{
    size_t at;
    thr_example e;
    thr_model_outline(m, b, i, &e);
    if (thr_member_takes(&m->member[0], &e, &at))
        return 0;
    char digits[24];
    thr_str ns, name = thr_batch_name_of(b, b->start[i] + at, digits, &ns);
    return thr_fail(err, THR_EDATA,
                    "feature '%.*s' has the value %g, and %s with these options cannot take "
                    "negative values",
                    (int)(name.n < 64 ? name.n : 64), name.p, (double)e.x[at],
                    m->member[0].rule.learner->name);
}

/* Whether the values of a batch must be looked at: only some rules mind, and a batch without values
 * has only ones. */
static bool minds_values(const thr_model *m, const thr_batch *b)
{
    return thr_model_alone(m) && m->member[0].rule.nonnegative && b->has_values;
}

bool thr_model_checks(const thr_model *m, const thr_batch *b)
{
    return b->n_listed || thr_model_numbers(m) || minds_values(m, b);
}

bool thr_model_minds(const thr_model *m)
{
    return thr_model_numbers(m) || (thr_model_alone(m) && m->member[0].rule.nonnegative);
}

bool thr_model_may_refuse(const thr_model *m)
{
    const thr_features *f = &m->reader.features;
    return m->limits.labels || m->limits.memory || m->max_features || thr_model_numbers(m) ||
           f->conjoin > 1 || f->n_crosses ||
           (thr_model_alone(m) && m->member[0].rule.nonnegative && !m->member[0].scaled);
}

int thr_model_check(const thr_model *m, const thr_batch *b, size_t i, thr_error *err)
{
    const thr_example_info *a = &b->about[i];
    if (a->more.n && !m->reader.multilabel)
        return thr_fail(err, THR_EDATA,
                        "several labels for one example: these need training with --multilabel on");
    if (thr_model_numbers(m) && a->label.p && isnan(thr_label_number(a)))
        return thr_fail(err, THR_EDATA, "the label '%.*s' is not a number, and %s predicts numbers",
                        (int)(a->label.n < 64 ? a->label.n : 64), a->label.p,
                        m->member[0].rule.learner->name);
    return minds_values(m, b) ? check_values(m, b, i, err) : 0;
}

void thr_batch_made_for(thr_batch *b, const thr_model *m)
{
    thr_features_note(b, thr_model_features_of(m));
}

/* Without an early exit, so that it is vectorised. v - v is 0 for finite numbers alone. */
THR_CLONED static bool all_finite(const float *v, size_t n)
{
    unsigned others = 0;
    for (size_t i = 0; i < n; i++)
        others |= !(v[i] - v[i] == 0);
    return !others;
}

/* Numbers that a caller gives are trusted no more than those of a file: NaN or infinity would
 * spread through the weights. */
static int check_numbers(const thr_batch *b, size_t e, thr_error *err)
{
    size_t from = b->start[e], n = b->start[e + 1] - from;
    bool ok = isfinite(b->about[e].importance) && b->about[e].importance >= 0 &&
              (!b->has_values || all_finite(b->value + from, n));
    return ok ? 0
              : thr_fail(
                    err, THR_EDATA,
                    "example %zu of the batch has a value or importance that is not finite, or "
                    "a negative importance",
                    e + 1);
}

int thr_batch_usable(const thr_model *m, const thr_batch *b, thr_error *err)
{
    if (thr_model_by_example(m, err))
        return THR_EUSE;
    int code = thr_batch_status(b, err);
    if (code == 0)
        code = thr_features_check(b, thr_model_features_of(m), err);
    for (size_t e = 0; e < b->n && code == 0; e++) {
        code = check_numbers(b, e, err);
        if (code == 0)
            code = thr_model_check(m, b, e, err);
    }
    return code;
}
