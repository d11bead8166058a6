/* Targets that depend only on how many of their k literals hold: disjunction (at least one),
 * conjunction (all), threshold (at least m), parity (an odd number). */
#include "base/error.h"
#include "gen/gen.h"

static size_t count(const thr_target *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_literals; i++)
        n += thr_literal_holds(t, i);
    return n;
}

/* Flips a random literal among the n that hold (or, if `holding` is false, that do not hold). */
static void turn_one(thr_gen *g, bool holding, size_t n)
{
    thr_target *t = &g->target;
    uint64_t skip = thr_random_below(&g->point_random, n);
    for (size_t i = 0; i < t->n_literals; i++) {
        if (thr_literal_holds(t, i) != holding)
            continue;
        if (skip-- == 0) {
            thr_literal_make(t, i, !holding);
            return;
        }
    }
}

static bool enough_hold(const thr_gen *g)
{
    return count(&g->target) >= g->values.m;
}

/* Flips as few literals as are needed for the wanted label. */
static void steer_to_enough(thr_gen *g, bool want)
{
    size_t n = count(&g->target);
    for (; want && n < g->values.m; n++)
        turn_one(g, false, g->target.n_literals - n);
    for (; !want && n >= g->values.m; n--)
        turn_one(g, true, n);
}

static bool odd_hold(const thr_gen *g)
{
    return count(&g->target) % 2 == 1;
}

static void steer_to_odd(thr_gen *g, bool want)
{
    (void)want; /* flipping any one literal changes the label */
    size_t i = (size_t)thr_random_below(&g->point_random, g->target.n_literals);
    thr_literal_make(&g->target, i, !thr_literal_holds(&g->target, i));
}

static int prepare_disjunction(thr_gen *g, thr_error *err)
{
    g->values.m = 1;
    return thr_boolean_prepare(g, 1, g->values.k, err);
}

static int prepare_conjunction(thr_gen *g, thr_error *err)
{
    g->values.m = g->values.k;
    return thr_boolean_prepare(g, 1, g->values.k, err);
}

static int prepare_threshold(thr_gen *g, thr_error *err)
{
    if (g->values.m > g->values.k)
        return thr_fail(err, THR_EUSE, "threshold: m=%llu of k=%llu can never hold",
                        (unsigned long long)g->values.m, (unsigned long long)g->values.k);
    return thr_boolean_prepare(g, 1, g->values.k, err);
}

static int prepare_parity(thr_gen *g, thr_error *err)
{
    return thr_boolean_prepare(g, 1, g->values.k, err);
}

static int prepare_xor(thr_gen *g, thr_error *err)
{
    g->values.k = 2;
    return thr_boolean_prepare(g, 1, g->values.k, err);
}

static bool words(thr_gen *g, const char *before, const char *between)
{
    return thr_bytes_printf(&g->words, "%s", before) &&
           thr_literals_words(g, 0, g->target.n_literals, between);
}

static bool redraw_disjunction(thr_gen *g)
{
    return thr_boolean_redraw(g) && words(g, "", " or ");
}

static bool redraw_conjunction(thr_gen *g)
{
    return thr_boolean_redraw(g) && words(g, "", " and ");
}

static bool redraw_threshold(thr_gen *g)
{
    return thr_boolean_redraw(g) &&
           thr_bytes_printf(&g->words, "at least %llu of ", (unsigned long long)g->values.m) &&
           words(g, "", ", ");
}

static bool redraw_parity(thr_gen *g)
{
    return thr_boolean_redraw(g) && words(g, "an odd number of ", ", ");
}

static const thr_gen_option literal_options[] = {
    THR_GEN_N("100"),       THR_GEN_K("5", "number of literals"),
    THR_GEN_NEGATED("off"), THR_GEN_ACTIVE,
    THR_GEN_BALANCE,        THR_GEN_NOISE,
    THR_GEN_DRIFT,
};

static const thr_gen_option threshold_options[] = {
    THR_GEN_N("100"),
    THR_GEN_K("5", "number of literals"),
    {{"m", "3", "how many of the literals must hold", THR_INT, NULL, 1, 1e7},
     offsetof(thr_gen_values, m)},
    THR_GEN_NEGATED("off"),
    THR_GEN_ACTIVE,
    THR_GEN_BALANCE,
    THR_GEN_NOISE,
    THR_GEN_DRIFT,
};

static const thr_gen_option parity_options[] = {
    THR_GEN_N("10"), THR_GEN_K("3", "number of variables that are counted"),
    THR_GEN_ACTIVE,  THR_GEN_BALANCE,
    THR_GEN_NOISE,   THR_GEN_DRIFT,
};

static const thr_gen_option xor_options[] = {
    THR_GEN_N("2"), THR_GEN_ACTIVE, THR_GEN_BALANCE, THR_GEN_NOISE, THR_GEN_DRIFT,
};

#define OPTIONS(table) .option = table, .n_options = sizeof table / sizeof *table

const thr_gen_kind thr_gen_disjunction = {
    .name = "disjunction",
    .help = "at least one of k literals",
    OPTIONS(literal_options),
    .prepare = prepare_disjunction,
    .redraw = redraw_disjunction,
    .draw = thr_boolean_draw,
    .holds = enough_hold,
    .steer = steer_to_enough,
};

const thr_gen_kind thr_gen_conjunction = {
    .name = "conjunction",
    .help = "all of k literals",
    OPTIONS(literal_options),
    .prepare = prepare_conjunction,
    .redraw = redraw_conjunction,
    .draw = thr_boolean_draw,
    .holds = enough_hold,
    .steer = steer_to_enough,
};

const thr_gen_kind thr_gen_threshold = {
    .name = "threshold",
    .help = "at least m of k literals",
    OPTIONS(threshold_options),
    .prepare = prepare_threshold,
    .redraw = redraw_threshold,
    .draw = thr_boolean_draw,
    .holds = enough_hold,
    .steer = steer_to_enough,
};

const thr_gen_kind thr_gen_parity = {
    .name = "parity",
    .help = "an odd number of k variables",
    OPTIONS(parity_options),
    .prepare = prepare_parity,
    .redraw = redraw_parity,
    .draw = thr_boolean_draw,
    .holds = odd_hold,
    .steer = steer_to_odd,
};

const thr_gen_kind thr_gen_xor = {
    .name = "xor",
    .help = "one of two variables but not both",
    OPTIONS(xor_options),
    .prepare = prepare_xor,
    .redraw = redraw_parity,
    .draw = thr_boolean_draw,
    .holds = odd_hold,
    .steer = steer_to_odd,
};
