/* Elimination (L0 6, L2): learns a conjunction or a disjunction of literals. It starts with all
 * literals and drops those that an example contradicts; a dropped literal never comes back.
 *     conjunction: a positive example that it rejects drops the literals that are false in it
 *     disjunction: a negative example that it accepts drops the literals that are true in it
 * If such a formula over n variables labels the examples, there are at most n mistakes without
 * negated literals, and n + 1 with them (the first mistake removes n of 2n literals).
 *
 * An example that drops literals is called a lesson. In an open feature space the formula
 * starts with literals of features that have not been met yet, so nothing is stored per
 * literal. Instead,
 *     per feature   c: in how many lessons it was active        (0 for a feature never met)
 *     per function  U: how many lessons there were, and how many features have c = U
 * A feature was active in all lessons iff c = U, and in none iff c = 0. So a conjunction has
 * the literal x iff c = U, and !x iff c = 0; a disjunction the other way round. It does not
 * matter when a feature is first met, and a score needs only the active features:
 *     violated = number of features with c = U that are not active
 *              + number of active features with c = 0      (with negated literals only)
 *     conjunction  s = 1/2 - violated
 *     disjunction  s = satisfied - 1/2, counted in the same way.
 * Both are linear in the active features.
 *
 * Before the first lesson U = 0, and every feature has c = U, also those never met. How many
 * literals are violated (satisfied) is then unknown, unless the option `variables` gives the
 * number of features; without it the score is a constant.
 *
 * If no such formula fits the data, mistakes of the other kind change nothing. The formula then
 * becomes weaker and weaker, at worst empty (true; a disjunction: false), and stays so. */
#include "learner/mix.h"

#include <math.h>

#define OTHERWISE 0x1p-10

enum { FORM, NEGATED, VARIABLES };
enum { LESSONS, ALWAYS }; /* per function: U, and how many features have c = U once U > 0 */

static const thr_option_info options[] = {
    {"form", "conjunction", "conjunction: all literals must hold; disjunction: at least one",
     THR_CHOICE, "conjunction|disjunction", 0, 1},
    {"negated", "off", "also use negated literals", THR_BOOL, NULL, 0, 1},
    {"variables", "auto", "total number of features, if it is known beforehand (auto: unknown)",
     THR_INT, "auto", 1, 1e9},
    {0},
};

static bool is_conjunction(const thr_rule *r)
{
    return r->option[FORM] == 0;
}

static bool has_negated(const thr_rule *r)
{
    return r->option[NEGATED] != 0;
}

/* What multiplies the score of a function. A reversed one (multiclass/split.h) is the formula "none
 * of the others", and is low whatever it counts: any formula that is satisfied goes before it. */
static double side(const thr_rule *r, uint32_t f)
{
    return f == r->reversed ? -OTHERWISE : 1;
}

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->slot[0] = (thr_slot_spec){"lessons", true, 0, THR_MIRROR_START};
    r->n_slots = 1;
    r->presence = true;
    return 0;
}

/* Whether the number of literals that a score would have to count is unknown: before the first
 * lesson, all literals of an open set of features are in the formula. A disjunction without
 * negated literals counts only active features, and so needs no such number. */
static bool is_boundless(const thr_rule *r, uint32_t f)
{
    return thr_rule_state(r, f)[LESSONS] == 0 && isnan(r->option[VARIABLES]) &&
           (is_conjunction(r) || has_negated(r));
}

/* Which literals of a feature with this count are in the formula: THR_LITERAL, THR_NEGATED. */
static unsigned literals_of(const thr_rule *r, double lessons, double count)
{
    bool always = count == lessons, never = count == 0;
    bool plain = is_conjunction(r) ? always : never;
    bool negated = has_negated(r) && (is_conjunction(r) ? never : always);
    return (plain ? THR_LITERAL : 0) | (negated ? THR_NEGATED : 0);
}

/* What an active feature adds to the score. */
static double weight_of(const thr_rule *r, double lessons, double count)
{
    unsigned has = literals_of(r, lessons, count);
    return (has & THR_LITERAL ? 1 : 0) - (has & THR_NEGATED ? 1 : 0);
}

/* The score when no feature is active. */
static double constant(const thr_rule *r, uint32_t f)
{
    const double *s = thr_rule_state(r, f);
    bool all = is_conjunction(r);
    if (is_boundless(r, f))
        return all ? -1 : 1;
    double always = s[LESSONS] == 0 ? r->option[VARIABLES] : s[ALWAYS];
    if (all)
        return 0.5 - always;
    return has_negated(r) ? always - 0.5 : -0.5;
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    for (uint32_t f = 0; f < w->functions; f++) {
        double lessons = thr_rule_state(r, f)[LESSONS], sum = constant(r, f);
        for (size_t i = 0; i < e->n && !is_boundless(r, f); i++)
            if (thr_example_value(e, i) > 0)
                sum += weight_of(r, lessons, *thr_row_wide(w, e, i, 0, f));
        shown[f] = live[f] = side(r, f) * sum;
    }
}

/* A conjunction learns only from positive examples that it rejects, a disjunction only from
 * negative examples that it accepts. */
static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)copies;
    bool mine = sign > 0 ? is_conjunction(r) : !is_conjunction(r);
    return mine && margin < 0 && e->importance > 0 ? 1 : 0;
}

/* A lesson: c rises by 1 for every active feature. The features with c = U afterwards are those
 * that had c = U before and are active now. If two hashed features share a row, it is raised
 * once. */
static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    (void)by;
    double *s = thr_rule_state(r, f), always = 0;
    for (size_t i = 0; i < e->n; i++) {
        double *count = thr_row_wide(w, e, i, 0, f);
        if (!(thr_example_value(e, i) > 0) || *count > s[LESSONS]) /* raised already */
            continue;
        always += *count == s[LESSONS];
        *count += 1;
    }
    s[LESSONS] += 1;
    s[ALWAYS] = always;
}

/* A label that is met for the first time was not the label of any example so far. So no feature met
 * so far is a literal of its disjunction: each would have made the label true. It is as if there
 * had been two lessons, and every feature had been active in one. With negated literals this is not
 * known: !x is a literal still if x has been active in every example. */
static void begin(thr_rule *r, thr_weights *w, uint32_t f, uint32_t known)
{
    if (is_conjunction(r) || has_negated(r) || known < 2)
        return;
    for (uint32_t id = 1; id < known && id < w->rows; id++)
        thr_weights_row_wide(w, id, 0)[f] = 1;
    thr_rule_state(r, f)[LESSONS] = 2;
}

/* The bias, id 0, is not a feature of the formula: `weight` gives it 0. */
static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    (void)w, (void)e;
    out->first = THR_SUM_PRESENT;
    out->start = side(r, f) * constant(r, f);
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    (void)known;
    if (id == 0 || is_boundless(r, f))
        return 0;
    return side(r, f) * weight_of(r, thr_rule_state(r, f)[LESSONS], thr_weights_get(w, id, 0, f));
}

/* The number that a move changes: the count. The effective weights of all other features may
 * change as well, since a lesson raises U. */
static double live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    (void)r;
    return thr_weights_get(w, id, 0, f);
}

static double rest(const thr_rule *r, const thr_example *e, uint32_t f)
{
    (void)e;
    return side(r, f) * constant(r, f);
}

/* Scores count literals, and do not grow with the length of the example. */
static double extent(const thr_rule *r, const thr_example *e)
{
    (void)r, (void)e;
    return 1;
}

/* A dropped feature is as if it had been active in no lesson: it no longer has c = U. */
static void forget(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n)
{
    for (uint32_t f = 0; f < w->functions; f++) {
        double *s = thr_rule_state(r, f);
        for (uint32_t id = 1; id < n && s[LESSONS] > 0; id++)
            if (!keep[id] && thr_weights_get(w, id, 0, f) == s[LESSONS])
                s[ALWAYS] -= 1;
    }
}

/* A reversed function is the negated formula: !(x & !y) = !x | y. */
static unsigned literals(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    double lessons = thr_rule_state(r, f)[LESSONS];
    bool negate = f == r->reversed;
    unsigned has = id == 0 ? 0 : literals_of(r, lessons, thr_weights_get(w, id, 0, f));
    if (negate)
        has = (has & THR_LITERAL ? THR_NEGATED : 0) | (has & THR_NEGATED ? THR_LITERAL : 0);
    return has | (is_conjunction(r) != negate ? THR_ALL_OF : 0) | (lessons == 0 ? THR_UNTAUGHT : 0);
}

/* ---- several as one ----------------------------------------------------------------------- */

/* The mix has the literals that all models have. Lessons and counts are added: a feature was
 * active in all (none) of the lessons iff it was active in all (none) of each model's. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)to, (void)id;
    out[0] = thr_mix_sum(x, in, 0);
}

static void derive(thr_rule *to, const thr_weights *w, uint32_t known)
{
    for (uint32_t f = 0; f < w->functions; f++) {
        double *s = thr_rule_state(to, f);
        s[ALWAYS] = 0;
        for (uint32_t id = 1; id < known && s[LESSONS] > 0; id++)
            s[ALWAYS] += thr_weights_get(w, id, 0, f) == s[LESSONS];
    }
}

static double seen(const thr_rule *r, const double *slot)
{
    (void)r;
    return slot[0];
}

/* Models must count once: c = U is compared exactly, so lessons must stay whole numbers. */
static int mix_check(const thr_mixing *x, thr_error *err)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->times[i] != 1)
            return thr_fail(err, THR_EUSE,
                            "eliminate keeps the literals that all models have, whatever the "
                            "weights: leave the weights out");
    return 0;
}

static const thr_mixer mixer = {
    .weight = mix_weight, .derive = derive, .check = mix_check, .seen = seen};

const thr_learner thr_learner_eliminate = {
    .name = "eliminate",
    .help = "learns a conjunction or disjunction by dropping literals that examples contradict",
    .options = options,
    .flags = THR_SHARES | THR_CONSERVATIVE,
    .function_state = 2,
    .policy = "one-vs-all",
    .setup = setup,
    .score = score,
    .step = step,
    .move = move,
    .begin = begin,
    .weight = weight,
    .form = form,
    .live = live,
    .rest = rest,
    .extent = extent,
    .forget = forget,
    .literals = literals,
    .mix = &mixer,
};
