/* Seeded data with known targets: the table of kinds, and what all kinds have in common (drift,
 * label noise, and the output of examples). */
#include "gen/gen.h"

#include "base/error.h"

#include <stdlib.h>

#define CHUNK_FEATURES 65536 /* features after which a batch is written */

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
    thr_point_clear(&g->point);
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

void thr_point_add(thr_point *p, uint64_t variable, float value)
{
    p->failed |= !thr_grow(&p->variable, &p->variable_room, p->n + 1, sizeof *p->variable) ||
                 !thr_grow(&p->value, &p->value_room, p->n + 1, sizeof *p->value);
    if (p->failed)
        return;
    p->variable[p->n] = variable;
    p->value[p->n++] = value;
}

void thr_point_clear(thr_point *p)
{
    free(p->variable);
    free(p->value);
    *p = (thr_point){0};
}

/* With drift the target is replaced just before the first example of the new one, not after the
 * last of the old one, so that thr_gen_target always describes the last example drawn. A noise
 * number is drawn for every example, so that the streams do not depend on the noise level. */
int thr_gen_draw(thr_gen *g, thr_error *err)
{
    thr_point *p = &g->point;
    if (g->values.drift && g->drawn && g->drawn % g->values.drift == 0 && !redraw(g))
        return thr_fail_memory(err);
    p->n = 0;
    p->positive = g->kind->draw(g, p);
    if (thr_random_real(&g->noise_random) < g->values.noise)
        p->positive = !p->positive;
    g->drawn++;
    return p->failed ? thr_fail_memory(err) : 0;
}

static int add_example(thr_gen *g, thr_batch *b, const thr_model *m, thr_error *err)
{
    int code = thr_gen_draw(g, err);
    if (code)
        return code;
    thr_batch_begin(b);
    for (size_t i = 0; i < g->point.n; i++)
        thr_batch_add_key(b, g->point.variable[i], g->point.value[i]);
    thr_batch_set_label(b, g->point.positive ? "1" : "-1");
    thr_batch_end(b, m);
    return thr_batch_status(b, err);
}

int thr_gen_batch(thr_gen *g, uint64_t n, thr_batch *b, const thr_model *m, thr_error *err)
{
    int code = 0;
    for (uint64_t i = 0; i < n && code == 0; i++)
        code = add_example(g, b, m, err);
    return code;
}

int thr_gen_write(thr_gen *g, uint64_t n, const char *format, thr_write_fn *fn, void *user,
                  thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    thr_output *out = thr_output_new(format, fn, user, err);
    thr_batch *b = out ? thr_batch_new() : NULL;
    int code = b ? 0 : out ? thr_fail_memory(err) : err->code;
    while (n && code == 0) {
        thr_batch_clear(b);
        for (size_t features = 0; n && features < CHUNK_FEATURES && code == 0; n--) {
            code = add_example(g, b, NULL, err);
            features += g->point.n + 1;
        }
        if (code == 0)
            code = thr_output_add(out, b, err);
    }
    thr_batch_free(b);
    int end = out ? thr_output_end(out, code ? NULL : err) : 0;
    return code ? code : end;
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
