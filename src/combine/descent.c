/* Checks that a model descends from a base, see descent.h. */
#include "combine/descent.h"

#include "model/inside.h"

#include <string.h>

#define NOT_FROM "model %zu was not trained from the base: "
#define NAME     128 /* bytes of a feature's name that messages show */

/* ---- counters ----------------------------------------------------------------------------- */

/* A number that training never makes smaller. */
typedef struct counter {
    const char *what;
    uint64_t now, before;
} counter;

static int check_counter(counter c, size_t number, thr_error *err)
{
    if (c.now >= c.before)
        return 0;
    return thr_fail(err, THR_EUSE, NOT_FROM "it has %llu %s, and the base has %llu", number,
                    (unsigned long long)c.now, c.what, (unsigned long long)c.before);
}

static int check_counters(const thr_model *m, const thr_model *base, size_t number, thr_error *err)
{
    const thr_totals *now = &m->seen, *before = &base->seen;
    const counter all[] = {
        {"examples", now->examples, before->examples},
        {"mistakes", now->mistakes, before->mistakes},
        {"updates", now->updates, before->updates},
        {"shuffled passes", now->shuffles, before->shuffles},
        {"first examples of its panel", m->panel.examples, base->panel.examples},
    };
    int code = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && code == 0; i++)
        code = check_counter(all[i], number, err);
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        const thr_member *x = &m->member[k], *y = &base->member[k];
        code = check_counter((counter){"examples learned by a rule", (uint64_t)x->rule.clock,
                                       (uint64_t)y->rule.clock},
                             number, err);
        if (code == 0)
            code =
                check_counter((counter){"updates of a rule", x->updates, y->updates}, number, err);
    }
    return code;
}

/* ---- labels and features ------------------------------------------------------------------ */

int thr_model_descends(const thr_model *m, const thr_model *base, size_t number, thr_error *err)
{
    int code = check_counters(m, base, number, err);
    if (code)
        return code;
    /* The base's labels come first, with the same numbers, and none has been met less often. */
    for (uint32_t l = 0; l < base->labels.n; l++) {
        const char *name = base->labels.name[l];
        uint32_t at = thr_labels_find(&m->labels, thr_str_of(name));
        if (at == THR_NONE)
            return thr_fail(err, THR_EUSE, NOT_FROM "it does not have the base's label '%.64s'",
                            number, name);
        if (at != l)
            return thr_fail(err, THR_EUSE,
                            NOT_FROM "label '%.64s' is number %u in it and number %u in the base",
                            number, name, at + 1, l + 1);
        if (l < base->classes.n && m->classes.count[l] < base->classes.count[l])
            return thr_fail(err, THR_EUSE,
                            NOT_FROM "it has met fewer examples of label '%.64s' than the base",
                            number, name);
    }
    return 0;
}

int thr_fail_descent_feature(const thr_model *base, uint32_t id, bool missing, size_t number,
                             thr_error *err)
{
    char name[NAME];
    thr_model_feature(base, id, name, sizeof name);
    return thr_fail(err, THR_EUSE,
                    "model %zu %s '%s' of the base%s: it was not trained from the base, or has "
                    "dropped features since",
                    number, missing ? "does not have feature" : "has feature", name,
                    missing ? "" : " in another place");
}

int thr_fail_descent_seen(const thr_model *m, uint32_t id, size_t number, thr_error *err)
{
    char name[NAME];
    thr_model_feature(m, id, name, sizeof name);
    return thr_fail(err, THR_EUSE, NOT_FROM "it has learned less of feature '%s' than the base",
                    number, name);
}

/* ---- kept examples ------------------------------------------------------------------------ */

/* Whether m's kept examples and notes begin with all of the base's. Two targets that are NaN are
 * the same: labels that are not numbers. */
static bool begins_with(const thr_memory *m, const thr_memory *base)
{
    bool same = m->n >= base->n && m->notes >= base->notes;
    for (size_t i = 0; i < base->n && same; i++) {
        thr_example a = thr_memory_example(m, i), b = thr_memory_example(base, i);
        same = a.n == b.n && a.label == b.label && a.norm2 == b.norm2 &&
               (a.target == b.target || (a.target != a.target && b.target != b.target)) &&
               memcmp(a.id, b.id, a.n * sizeof *a.id) == 0;
        for (size_t j = 0; j < a.n && same; j++)
            same = (a.x ? a.x[j] : 1) == (b.x ? b.x[j] : 1);
    }
    for (size_t i = 0; i < base->notes && same; i++) {
        const thr_note *a = &m->note[i], *b = &base->note[i];
        same = a->example == b->example && a->function == b->function && a->step == b->step &&
               a->born == b->born;
    }
    return same;
}

int thr_model_keeps(const thr_model *m, const thr_model *base, size_t number, thr_error *err)
{
    if (!thr_repeats_include(&m->repeats, &base->repeats))
        return thr_fail(err, THR_EUSE, NOT_FROM "it has not met all examples that the base has met",
                        number);
    for (uint32_t k = 0; k < m->members; k++)
        if (!begins_with(&m->member[k].memory, &base->member[k].memory))
            return thr_fail(err, THR_EUSE,
                            "model %zu does not keep the base's examples: it was not trained from "
                            "the base, or has forgotten them (budget)",
                            number);
    return 0;
}
