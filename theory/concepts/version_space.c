/* The list of survivors and its two ways to answer. */
#include "concepts/version_space.h"

#include <stdlib.h>

int thr_version_space_open(thr_version_space *v, const thr_concepts *of, enum thr_version_rule rule,
                           uint64_t seed, thr_error *err)
{
    *v = (thr_version_space){.of = of, .rule = rule, .n = of->n};
    v->alive = malloc((size_t)of->n * sizeof *v->alive);
    if (!v->alive)
        return thr_fail_memory(err);
    for (uint64_t i = 0; i < of->n; i++)
        v->alive[i] = (uint32_t)i;
    thr_random_init(&v->random, seed);
    v->pick = thr_random_below(&v->random, v->n);
    return 0;
}

void thr_version_space_close(thr_version_space *v)
{
    free(v->alive);
    *v = (thr_version_space){0};
}

static bool says(const thr_version_space *v, uint64_t survivor, const bool *x)
{
    return thr_concept_holds(thr_concepts_at(v->of, v->alive[survivor]), x);
}

static uint64_t count_yes(const thr_version_space *v, const bool *x)
{
    uint64_t yes = 0;
    for (uint64_t i = 0; i < v->n; i++)
        yes += says(v, i, x);
    return yes;
}

bool thr_version_space_answer(const thr_version_space *v, const bool *x)
{
    return v->rule == THR_CONSISTENT ? says(v, v->pick, x) : 2 * count_yes(v, x) >= v->n;
}

/* Removes the survivors that err on x. At least one must agree with the label. `pick` follows its
 * concept, or is drawn again if that concept is removed. */
static void drop(thr_version_space *v, const bool *x, bool label)
{
    bool erred = says(v, v->pick, x) != label;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < v->n; i++)
        if (says(v, i, x) == label) {
            if (i == v->pick)
                v->pick = kept;
            v->alive[kept++] = v->alive[i];
        }
    v->n = kept;
    if (erred)
        v->pick = thr_random_below(&v->random, kept);
}

bool thr_version_space_learn(thr_version_space *v, const bool *x, bool label)
{
    uint64_t yes = count_yes(v, x), right = label ? yes : v->n - yes;
    bool wrong = thr_version_space_answer(v, x) != label;
    v->examples++;
    v->mistakes += wrong;
    if (right == 0 && v->refused++ == 0)
        v->first_refused = v->examples;
    if (right > 0 && right < v->n)
        drop(v, x, label);
    return wrong;
}

uint64_t thr_version_space_bound(const thr_version_space *v)
{
    uint64_t log = 0;
    if (v->rule == THR_CONSISTENT)
        return v->of->n - 1;
    while (v->of->n >> log > 1)
        log++;
    return log;
}
