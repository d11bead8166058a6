#include "run/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

thr_scratch *thr_scratch_new(void)
{
    return calloc(1, sizeof(thr_scratch));
}

static void forget_names(thr_scratch *s)
{
    while (s->names)
        free(s->name[--s->names]);
}

void thr_scratch_free(thr_scratch *s)
{
    if (!s)
        return;
    forget_names(s);
    free(s->name);
    free(s->part);
    free(s->live);
    thr_bytes_clear(&s->text);
    free(s);
}

/* ---- prediction --------------------------------------------------------------------------- */

/* Truth and tag get a NUL behind them, in the scratch. */
static bool keep_texts(thr_scratch *s, const thr_about *a)
{
    s->text.n = 0;
    return thr_bytes_add(&s->text, a->label.p ? a->label.p : "", a->label.n) &&
           thr_bytes_add(&s->text, "", 1) &&
           thr_bytes_add(&s->text, a->tag.p ? a->tag.p : "", a->tag.n) &&
           thr_bytes_add(&s->text, "", 1);
}

int thr_predict_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        const thr_example *x, thr_prediction *out, thr_error *err)
{
    const thr_about *a = &b->about[e];
    if (!keep_texts(s, a))
        return thr_fail_memory(err);
    uint32_t best = thr_model_score(m, s, x);
    *out = (thr_prediction){
        .truth = a->label.p ? s->text.p : NULL,
        .tag = s->text.p + a->label.n + 1,
        .label = best == THR_NONE ? NULL : m->labels.name[best],
        .score = best == THR_NONE ? 0 : s->label[best],
        .scores = s->label,
        .labels = m->labels.n,
    };
    return 0;
}

/* ---- explanation -------------------------------------------------------------------------- */

static char *name_of(const thr_batch *b, size_t feature)
{
    if (b->key[feature] == THR_KEY_BIAS)
        return strdup("(bias)");
    char digits[24], *out = NULL;
    thr_bytes text = {0};
    thr_str ns, name = thr_batch_name_of(b, feature, digits, &ns);
    if ((!ns.n || (thr_bytes_add(&text, ns.p, ns.n) && thr_bytes_add(&text, "|", 1))) &&
        thr_bytes_add(&text, name.p, name.n))
        out = strndup(text.p, text.n);
    thr_bytes_clear(&text);
    return out;
}

static int by_size(const void *a, const void *b)
{
    double x = fabs(((const thr_contribution *)a)->contribution);
    double y = fabs(((const thr_contribution *)b)->contribution);
    return x == y ? 0 : x < y ? 1 : -1;
}

/* The label explained and, among more than two, the one it won against. */
static uint32_t runner_up(const thr_model *m, const thr_scratch *s, uint32_t best)
{
    if (thr_model_shares(m) || m->labels.n < 2)
        return THR_NONE;
    uint32_t second = best == 0 ? 1 : 0;
    for (uint32_t l = 0; l < m->labels.n; l++)
        if (l != best && s->label[l] > s->label[second])
            second = l;
    return second;
}

static bool part_of(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t i, uint32_t best,
                    uint32_t against)
{
    char *name = name_of(b, i);
    if (!name || !thr_grow(&s->name, &s->name_room, s->names + 1, sizeof *s->name)) {
        free(name);
        return false;
    }
    s->name[s->names] = name;
    double value = (double)thr_batch_value(b, i), weight = thr_model_weight(m, b->id[i], best);
    if (against != THR_NONE)
        weight -= thr_model_weight(m, b->id[i], against);
    s->part[s->names++] = (thr_contribution){
        .feature = name,
        .value = value,
        .weight = weight,
        .contribution = (m->rule.presence ? value > 0 : value) * weight,
        .seen = b->id[i] != THR_NONE,
    };
    return true;
}

int thr_explain_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        thr_explanation *out, thr_error *err)
{
    thr_example x = thr_model_example(m, b, e);
    forget_names(s);
    if (!thr_grow(&s->part, &s->part_room, x.n + 1, sizeof *s->part))
        return thr_fail_memory(err);
    *out = (thr_explanation){0};
    int code = thr_predict_example(m, s, b, e, &x, &out->prediction, err);
    if (code || m->labels.n == 0)
        return code;
    uint32_t best = thr_labels_find(&m->labels, thr_str_of(out->prediction.label));
    uint32_t against = runner_up(m, s, best);
    for (size_t i = b->start[e]; i < b->start[e + 1]; i++)
        if (!part_of(m, s, b, i, best, against))
            return thr_fail_memory(err);
    qsort(s->part, s->names, sizeof *s->part, by_size);
    out->rest = thr_model_rest(m, &x, best);
    out->total = s->label[best];
    if (against != THR_NONE) {
        out->against = m->labels.name[against];
        out->rest -= thr_model_rest(m, &x, against);
        out->total -= s->label[against];
    }
    out->parts = s->part;
    out->n_parts = s->names;
    return 0;
}
