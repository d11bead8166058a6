/* Targets made of terms, each a conjunction of k literals with a label: the first term that holds
 * decides. In a decision list the labels are random. A DNF is the list in which all terms are
 * positive and "else" is negative, so that the order does not matter. */
#include "base/error.h"
#include "gen/gen.h"

#include <stdlib.h>

static bool term_holds(const thr_target *t, size_t term)
{
    size_t k = t->n_literals / t->n_terms;
    for (size_t i = term * k; i < (term + 1) * k; i++)
        if (!thr_literal_holds(t, i))
            return false;
    return true;
}

/* The label of the first term that holds; n_terms stands for "else". */
static bool rules_hold(const thr_gen *g)
{
    const thr_target *t = &g->target;
    size_t term = 0;
    while (term < t->n_terms && !term_holds(t, term))
        term++;
    return t->output[term];
}

/* Makes a random term with the wanted label hold and every earlier term fail. Terms that share
 * variables may undo each other, so the caller must check the result. */
static void steer_rules(thr_gen *g, bool want)
{
    thr_target *t = &g->target;
    size_t k = t->n_literals / t->n_terms, chosen, n_wanted = 0;
    for (size_t i = 0; i <= t->n_terms; i++)
        n_wanted += t->output[i] == want;
    uint64_t skip = thr_random_below(&g->point_random, n_wanted);
    for (chosen = 0; t->output[chosen] != want || skip--; chosen++)
        ;
    for (size_t i = chosen * k; chosen < t->n_terms && i < (chosen + 1) * k; i++)
        thr_literal_make(t, i, true);
    for (size_t i = 0; i < chosen; i++)
        if (term_holds(t, i))
            thr_literal_make(t, i * k + (size_t)thr_random_below(&g->point_random, k), false);
}

static int prepare_rules(thr_gen *g, thr_error *err)
{
    int code = thr_boolean_prepare(g, g->values.terms, g->values.k, err);
    if (code)
        return code;
    g->target.output = calloc(g->target.n_terms + 1, sizeof *g->target.output);
    return g->target.output ? 0 : thr_fail_memory(err);
}

static bool redraw_dnf(thr_gen *g)
{
    thr_target *t = &g->target;
    size_t k = t->n_literals / t->n_terms;
    bool ok = thr_boolean_redraw(g);
    for (size_t i = 0; i < t->n_terms && ok; i++) {
        t->output[i] = true;
        ok = thr_bytes_printf(&g->words, "%s(", i ? " or " : "") &&
             thr_literals_words(g, i * k, (i + 1) * k, " and ") && thr_bytes_add(&g->words, ")", 1);
    }
    return ok;
}

/* "Else" gets the opposite label of the last term. Otherwise the last term would have no effect,
 * and possibly only one label would occur. */
static bool redraw_list(thr_gen *g)
{
    thr_target *t = &g->target;
    size_t k = t->n_literals / t->n_terms;
    bool ok = thr_boolean_redraw(g);
    for (size_t i = 0; i < t->n_terms && ok; i++) {
        t->output[i] = thr_random_below(&g->target_random, 2);
        ok = thr_bytes_printf(&g->words, "%sif ", i ? "; " : "") &&
             thr_literals_words(g, i * k, (i + 1) * k, " and ") &&
             thr_bytes_printf(&g->words, " then %s", t->output[i] ? "+1" : "-1");
    }
    t->output[t->n_terms] = !t->output[t->n_terms - 1];
    return ok && thr_bytes_printf(&g->words, "; else %s", t->output[t->n_terms] ? "+1" : "-1");
}

#define MAX_TERMS   1e5
#define MAX_LITERAL 1e3

static const thr_gen_option dnf_options[] = {
    THR_GEN_N("100"),
    {{"terms", "5", "number of terms", THR_INT, NULL, 1, MAX_TERMS},
     offsetof(thr_gen_values, terms)},
    {{"k", "2", "literals of a term", THR_INT, NULL, 1, MAX_LITERAL}, offsetof(thr_gen_values, k)},
    THR_GEN_NEGATED("off"),
    THR_GEN_ACTIVE,
    THR_GEN_BALANCE,
    THR_GEN_NOISE,
    THR_GEN_DRIFT,
};

static const thr_gen_option list_options[] = {
    THR_GEN_N("100"),
    {{"length", "10", "number of rules before else", THR_INT, NULL, 1, MAX_TERMS},
     offsetof(thr_gen_values, terms)},
    {{"k", "1", "literals of a rule", THR_INT, NULL, 1, MAX_LITERAL}, offsetof(thr_gen_values, k)},
    THR_GEN_NEGATED("on"),
    THR_GEN_ACTIVE,
    THR_GEN_BALANCE,
    THR_GEN_NOISE,
    THR_GEN_DRIFT,
};

const thr_gen_kind thr_gen_dnf = {
    .name = "dnf",
    .help = "at least one of several conjunctions of k literals (k-DNF)",
    .option = dnf_options,
    .n_options = sizeof dnf_options / sizeof *dnf_options,
    .prepare = prepare_rules,
    .redraw = redraw_dnf,
    .draw = thr_boolean_draw,
    .holds = rules_hold,
    .steer = steer_rules,
};

const thr_gen_kind thr_gen_decision_list = {
    .name = "decision-list",
    .help = "the first conjunction of k literals that holds decides (k-decision list)",
    .option = list_options,
    .n_options = sizeof list_options / sizeof *list_options,
    .prepare = prepare_rules,
    .redraw = redraw_list,
    .draw = thr_boolean_draw,
    .holds = rules_hold,
    .steer = steer_rules,
};
