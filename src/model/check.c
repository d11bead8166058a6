/* Whether a model can take an example's values and labels, asked before anything is learned of it
 * or said about it. */
#include "model/model.h"

#include <math.h>

/* A value that the one member cannot take; those of a panel sit out what they cannot. */
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

/* Whether the values of a batch must be looked at. */
static bool minds_values(const thr_model *m, const thr_batch *b)
{
    return m->members == 1 && m->member[0].rule.nonnegative && b->has_values;
}

bool thr_model_checks(const thr_model *m, const thr_batch *b)
{
    return b->n_listed || thr_model_numbers(m) || minds_values(m, b);
}

int thr_model_check(const thr_model *m, const thr_batch *b, size_t i, thr_error *err)
{
    const thr_about *a = &b->about[i];
    if (a->more.n && !m->reader.multilabel)
        return thr_fail(err, THR_EDATA,
                        "several labels for one example: these need training with --multilabel on");
    if (thr_model_numbers(m) && a->label.p && isnan(thr_about_number(a)))
        return thr_fail(err, THR_EDATA, "the label '%.*s' is not a number, and %s predicts numbers",
                        (int)(a->label.n < 64 ? a->label.n : 64), a->label.p,
                        m->member[0].rule.learner->name);
    return minds_values(m, b) ? check_values(m, b, i, err) : 0;
}
