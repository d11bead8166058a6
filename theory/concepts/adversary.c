/* Both games repeat: try every point, choose the most harmful one, and teach its opposite label. */
#include "concepts/adversary.h"

#include "concepts/eliminator.h"

static void set_point(bool *x, size_t n, uint32_t bits)
{
    for (size_t i = 0; i < n; i++)
        x[i] = bits >> i & 1;
}

/* The number of concepts that disagree with the learner's answer: these remain after a mistake
 * on x. 0 if no mistake can be forced there. */
static uint64_t left_by(const thr_version_space *v, const bool *x)
{
    bool answer = thr_version_space_answer(v, x);
    uint64_t others = 0;
    for (uint64_t i = 0; i < v->n; i++)
        others += thr_concept_holds(thr_concepts_at(v->of, v->alive[i]), x) != answer;
    return others;
}

int thr_adversary_of_class(const thr_concepts *c, size_t n, enum thr_version_rule rule,
                           uint64_t seed, uint64_t *mistakes, thr_error *err)
{
    thr_version_space v;
    bool x[THR_ADVERSARY_VARIABLES];
    int code = thr_version_space_open(&v, c, rule, seed, err);
    /* The limit on mistakes is a guard: more mistakes than concepts would be a bug. */
    for (uint64_t best = 1; code == 0 && best > 0 && v.mistakes <= c->n;) {
        uint32_t worst = 0;
        best = 0;
        for (uint32_t bits = 0; bits >> n == 0; bits++) {
            set_point(x, n, bits);
            uint64_t left = left_by(&v, x);
            if (left > best) {
                best = left;
                worst = bits;
            }
        }
        set_point(x, n, worst);
        if (best > 0)
            thr_version_space_learn(&v, x, !thr_version_space_answer(&v, x));
    }
    *mistakes = v.mistakes;
    thr_version_space_close(&v);
    return code;
}

/* The number of literals that a mistake on x would remove: those false in x from a conjunction,
 * those true in x from a disjunction. */
static size_t dropped_by(const thr_eliminator *p, const bool *x, bool disjunction)
{
    size_t dropped = 0;
    for (size_t i = 0; i < p->n; i++) {
        unsigned has = thr_eliminator_literals(p, i);
        dropped += (has & (x[i] == disjunction ? THR_HAS_PLAIN : THR_HAS_NEGATED)) != 0;
    }
    return dropped;
}

int thr_adversary_of_eliminate(size_t n, bool disjunction, bool negated, uint64_t *mistakes,
                               thr_error *err)
{
    thr_eliminator p;
    bool x[THR_ADVERSARY_VARIABLES];
    int code = thr_eliminator_open(&p, n, disjunction, negated, err);
    *mistakes = 0;
    for (size_t least = 0; code == 0 && least != SIZE_MAX && *mistakes <= 2 * n + 1;) {
        uint32_t worst = 0;
        least = SIZE_MAX;
        for (uint32_t bits = 0; bits >> n == 0; bits++) {
            set_point(x, n, bits);
            size_t dropped = dropped_by(&p, x, disjunction);
            if (thr_eliminator_answer(&p, x) == disjunction && dropped < least) {
                least = dropped;
                worst = bits;
            }
        }
        set_point(x, n, worst);
        if (least != SIZE_MAX)
            *mistakes += thr_eliminator_learn(&p, x, !disjunction);
    }
    thr_eliminator_close(&p);
    return code;
}
