/* Plays one game: from the options to the result, with formulas as text. */
#include "concepts/protocol.h"
#include "gen/gen.h"

#include <stdlib.h>
#include <string.h>

#define AUTO_N     20
#define AUTO_K     3
#define MOST_N     1000000
#define AUTO_LIMIT 100000

void thr_protocol_defaults(thr_protocol_options *o)
{
    *o = (thr_protocol_options){.protocol = "nature", .seed = 1, .limit = AUTO_LIMIT};
}

void thr_protocol_clear(thr_protocol_result *r)
{
    free(r->target);
    free(r->learned);
    *r = (thr_protocol_result){0};
}

/* ---- the target --------------------------------------------------------------------------- */

typedef struct setup {
    thr_variables variables;
    thr_formula target;
    uint64_t n;
    bool disjunction, negated;
} setup;

/* Turns THR_EDATA of the parser into THR_EUSE, since the formula comes from the options. */
static int misspelt(int code, thr_error *err)
{
    if (code != THR_EDATA || !err)
        return code == THR_EDATA ? THR_EUSE : code;
    err->code = THR_EUSE;
    return thr_fail_at(err, "target", 1, err->column);
}

/* The number of variables: from the options, or the greatest number among the names x1, x2, ... (or
 * 1, 2, ...) in the target, or AUTO_N. */
static int find_n(setup *r, const thr_protocol_options *o, thr_error *err)
{
    thr_variables named = {0};
    int code = 0;
    r->n = o->n;
    if (r->n == 0 && o->target)
        code = misspelt(thr_formula_parse(&r->target, o->target, &named, true, err), err);
    for (uint32_t i = 0; i < named.n; i++) {
        const char *digits = named.name[i] + (named.name[i][0] == 'x');
        bool numbered = *digits && strspn(digits, "0123456789") == strlen(digits);
        uint64_t number = numbered ? strtoull(digits, NULL, 10) : 0;
        r->n = number > r->n ? number : r->n;
    }
    r->n = r->n ? r->n : AUTO_N;
    if (code == 0 && r->n > MOST_N)
        code = thr_fail(err, THR_EUSE, "n=%llu: a game has at most %d variables",
                        (unsigned long long)r->n, MOST_N);
    thr_formula_clear(&r->target);
    thr_variables_clear(&named);
    return code;
}

static int read_target(setup *r, const char *text, thr_error *err)
{
    thr_formula *f = &r->target;
    int code = thr_formula_parse(f, text, &r->variables, false, err);
    if (code)
        return misspelt(code, err);
    bool all = f->need == f->n, one = f->need == 1;
    if (!all && !one)
        return thr_fail(err, THR_EUSE,
                        "the protocols are about conjunctions and disjunctions, not '%s'", text);
    r->disjunction = !all || (one && r->disjunction);
    for (size_t i = 0; i < f->n; i++)
        r->negated |= f->literal[i] & 1;
    return 0;
}

static int draw_target(setup *r, const thr_protocol_options *o, thr_error *err)
{
    thr_formula *f = &r->target;
    thr_random random;
    uint64_t k = o->k ? o->k : r->n < AUTO_K ? r->n : AUTO_K;
    if (k > r->n)
        return thr_fail(err, THR_EUSE, "k=%llu is more than the n=%llu variables",
                        (unsigned long long)k, (unsigned long long)r->n);
    uint64_t *drawn = malloc(k * sizeof *drawn);
    if (!drawn || !thr_grow(&f->literal, &f->room, (size_t)k, sizeof *f->literal)) {
        free(drawn);
        return thr_fail_memory(err);
    }
    thr_random_init(&random, thr_mix64(o->seed));
    thr_sample(&random, r->n, (size_t)k, drawn);
    for (uint64_t i = 0; i < k; i++) {
        bool negated = o->negated && thr_random_below(&random, 2);
        f->literal[f->n++] = (uint32_t)(2 * (drawn[i] - 1) + negated);
    }
    f->need = o->disjunction ? 1 : (uint32_t)k;
    free(drawn);
    return 0;
}

static int prepare(setup *r, const thr_protocol_options *o, thr_error *err)
{
    r->disjunction = o->disjunction;
    r->negated = o->negated;
    int code = find_n(r, o, err);
    if (code == 0)
        code = thr_variables_number(&r->variables, r->n, err);
    if (code)
        return code;
    return o->target ? read_target(r, o->target, err) : draw_target(r, o, err);
}

/* ---- the game ----------------------------------------------------------------------------- */

static int play(thr_game *g, const thr_protocol_options *o, thr_error *err)
{
    if (strcmp(o->protocol, "ask") == 0)
        return thr_game_ask(g, err);
    if (strcmp(o->protocol, "teach") == 0)
        return thr_game_teach(g, err);
    if (strcmp(o->protocol, "nature") == 0)
        return thr_game_nature(g, o->seed, o->limit, err);
    return thr_fail(err, THR_EUSE, "there is no protocol '%s'; there are ask, teach, nature",
                    o->protocol);
}

static int print_into(thr_concept c, const thr_variables *v, char **out, thr_error *err)
{
    thr_bytes text = {0};
    if (!thr_concept_print(c, v, SIZE_MAX, &text)) {
        thr_bytes_clear(&text);
        return thr_fail_memory(err);
    }
    *out = text.p;
    return 0;
}

/* Fills in the result: the counts beside their bound, and both formulas as text. */
static int report(const thr_game *g, const setup *r, const thr_protocol_options *o,
                  thr_protocol_result *out, thr_error *err)
{
    bool nature = strcmp(o->protocol, "nature") == 0;
    uint64_t counted = nature ? g->mistakes : g->queries + g->examples;
    thr_formula learned;
    *out = (thr_protocol_result){.n = g->n,
                                 .k = g->k,
                                 .queries = g->queries,
                                 .examples = g->examples,
                                 .mistakes = g->mistakes,
                                 .bound = thr_game_bound(g, o->protocol),
                                 .exact = !nature,
                                 .equal = thr_game_learned(g)};
    out->holds =
        nature ? counted <= out->bound : counted == out->bound && out->equal && thr_game_sure(g);
    int code = print_into(thr_formula_concept(&r->target), &r->variables, &out->target, err);
    if (code)
        return code;
    code = thr_game_formula(g, &learned, err);
    if (code == 0)
        code = print_into(thr_formula_concept(&learned), &r->variables, &out->learned, err);
    thr_formula_clear(&learned);
    return code;
}

int thr_protocol_play(const thr_protocol_options *o, thr_protocol_fn *fn, void *user,
                      thr_protocol_result *out, thr_error *err)
{
    setup r = {0};
    thr_game g = {0};
    thr_protocol_options full = o ? *o : (thr_protocol_options){0};
    *out = (thr_protocol_result){0};
    full.protocol = full.protocol ? full.protocol : "nature";
    full.limit = full.limit ? full.limit : AUTO_LIMIT;
    int code = THR_CHECK_RESERVED(thr_protocol_options, &full, err);
    if (code == 0)
        code = prepare(&r, &full, err);
    if (code == 0)
        code = thr_game_open(&g, (size_t)r.n, thr_formula_concept(&r.target), r.disjunction,
                             r.negated, err);
    g.show = fn;
    g.user = user;
    if (code == 0)
        code = play(&g, &full, err);
    if (code == 0)
        code = report(&g, &r, &full, out, err);
    if (code)
        thr_protocol_clear(out);
    thr_game_close(&g);
    thr_formula_clear(&r.target);
    thr_variables_clear(&r.variables);
    return code;
}
