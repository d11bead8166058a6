/* Seeded data for known targets: the table of kinds, and what every kind has in common: drift,
 * label noise, and where the examples go. */
#include "theory/gen.h"

#include "base/error.h"
#include "format/format.h"
#include "model/model.h"

#include <stdlib.h>

/* Examples and features written at a time: enough to be quick, little enough to be small. */
#define CHUNK_EXAMPLES 1024
#define CHUNK_FEATURES 65536

const thr_gen_kind *const thr_gen_kinds[] = {
    &thr_gen_disjunction,
    &thr_gen_conjunction,
    &thr_gen_threshold,
    &thr_gen_dnf,
    &thr_gen_decision_list,
    &thr_gen_parity,
    &thr_gen_xor,
    &thr_gen_majority,
    &thr_gen_margin,
    &thr_gen_unit_rows,
    NULL,
};

static bool redraw(thr_gen *g)
{
    g->words.n = 0;
    return g->kind->redraw(g);
}

thr_gen *thr_gen_new(const char *spec, uint64_t seed, thr_error *err)
{
    thr_gen *g = calloc(1, sizeof *g);
    if (!g) {
        thr_fail_memory(err);
        return NULL;
    }
    if (thr_gen_read_spec(spec, &g->kind, &g->values, err) || g->kind->prepare(g, err))
        goto failed;
    thr_random_init(&g->target_random, thr_mix64(seed));
    thr_random_init(&g->point_random, thr_mix64(seed + 1) ^ 1);
    thr_random_init(&g->noise_random, thr_mix64(seed + 2) ^ 2);
    if (redraw(g))
        return g;
    thr_fail_memory(err);
failed:
    thr_gen_free(g);
    return NULL;
}

void thr_gen_free(thr_gen *g)
{
    if (!g)
        return;
    thr_feature_scratch_clear(&g->scratch);
    thr_bytes_clear(&g->words);
    free(g->target.var);
    free(g->target.on);
    free(g->target.literal);
    free(g->target.output);
    free(g->target.weight);
    free(g->target.others);
    free(g->target.value);
    free(g);
}

const char *thr_gen_target(const thr_gen *g)
{
    return g->words.p;
}

/* The target changes before the first example of its time, so that thr_gen_target always speaks
 * of the last example drawn. */
static int draw_example(thr_gen *g, thr_batch *b, const thr_features *f, thr_error *err)
{
    if (g->values.drift && g->drawn && g->drawn % g->values.drift == 0 && !redraw(g))
        return thr_fail_memory(err);
    size_t before = b->n;
    thr_batch_open(b, (uint32_t)b->n);
    bool positive = g->kind->draw(g, b);
    if (thr_random_real(&g->noise_random) < g->values.noise)
        positive = !positive;
    thr_batch_label_number(b, positive ? 1 : -1);
    thr_features_close(f, &g->scratch, b);
    g->drawn++;
    if (b->failed)
        return thr_fail_memory(err);
    if (b->n == before && b->n_problems) /* dropped: too many conjunctions */
        return thr_fail(err, THR_EDATA, "%s", b->problem[b->n_problems - 1].message);
    return 0;
}

/* Points as they were drawn. */
static thr_features plain_features(void)
{
    thr_features f;
    thr_features_defaults(&f);
    f.bias = false;
    return f;
}

int thr_gen_batch(thr_gen *g, uint64_t n, thr_batch *b, const thr_model *m, thr_error *err)
{
    thr_features plain = plain_features();
    const thr_features *f = m ? thr_model_features_of(m) : &plain;
    if (m)
        thr_features_note(b, f);
    for (uint64_t i = 0; i < n; i++) {
        int code = draw_example(g, b, f, err);
        if (code)
            return code;
    }
    return 0;
}

static int flush(thr_writer *w, thr_write_fn *fn, void *user)
{
    int code = w->out.n ? fn(user, w->out.p, w->out.n) : 0;
    w->out.n = 0;
    return code < 0 ? code : 0;
}

static int write_examples(thr_gen *g, uint64_t n, const thr_format *format, thr_writer *w,
                          thr_write_fn *fn, void *user, thr_batch *b)
{
    int code = 0;
    while (n && !code) {
        thr_batch_reset(b);
        while (n && b->n < CHUNK_EXAMPLES && b->n_features < CHUNK_FEATURES && !code) {
            code = draw_example(g, b, w->features, w->err);
            n--;
        }
        for (size_t e = 0; e < b->n && !code; e++) {
            code = format->write(w, e);
            w->written++;
        }
        if (!code)
            code = flush(w, fn, user);
    }
    return code;
}

int thr_gen_write(thr_gen *g, uint64_t n, const char *name, thr_write_fn *fn, void *user,
                  thr_error *err)
{
    const thr_format *format = thr_format_find(name ? name : "svmlight");
    if (!format || !format->write)
        return thr_fail(err, THR_EUSE, "there is no format '%s' to write", name);
    unsigned needs = THR_HOLDS_INTEGERS | (g->kind->has_values ? THR_HOLDS_VALUES : 0u);
    if ((format->holds & needs) != needs)
        return thr_fail(err, THR_EUSE, "format %s cannot hold numbered features%s", format->name,
                        g->kind->has_values ? " with values" : "");
    thr_batch b;
    thr_batch_init(&b);
    thr_features plain = plain_features();
    thr_writer w = {.batch = &b, .features = &plain, .err = err};
    int code = write_examples(g, n, format, &w, fn, user, &b);
    int end = format->write_end ? format->write_end(&w) : 0;
    if (!code)
        code = end;
    if (!code)
        code = flush(&w, fn, user);
    thr_bytes_clear(&w.out);
    thr_batch_release(&b);
    return code;
}

bool thr_gen_at(size_t i, thr_entry_info *out)
{
    if (i + 1 >= sizeof thr_gen_kinds / sizeof *thr_gen_kinds)
        return false;
    const thr_gen_kind *k = thr_gen_kinds[i];
    *out = (thr_entry_info){.name = k->name, .help = k->help, .n_options = k->n_options};
    return true;
}

bool thr_gen_option_at(size_t gen, size_t i, thr_option_info *out)
{
    if (gen + 1 >= sizeof thr_gen_kinds / sizeof *thr_gen_kinds ||
        i >= thr_gen_kinds[gen]->n_options)
        return false;
    *out = thr_gen_kinds[gen]->option[i].info;
    return true;
}
