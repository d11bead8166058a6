/* Naive Bayes as a linear function (lecture notes L0 section 1 and L4 section 2, see
 * docs/THEORY.md):
 *     score_y = log P(y) + sum_i log P(x_i | y),   P(y) = n_y / n,
 * where n_y is the summed importance of the examples of label y, and n that of all examples.
 *
 * Learning is counting: every example is counted, whether it was predicted rightly or not.
 * There are two kinds, multinomial and Bernoulli, which differ in P(x_i | y) and in what they
 * count. This file has what they share, and calls the functions of the chosen kind (bayes.h)
 * for the rest: bayes_multinomial.c or bayes_bernoulli.c.
 *
 * Each label has a function of its own, number f. A feature is known if its id is below
 * `known`, that is, if it had been learned before the example; features that are not known are
 * left out of the score.
 *
 * The hooks are described in learner.h, those of the mixer in mix.h. Where a kind may leave a
 * function NULL, the hook here supplies the default. */
#include "learner/bayes.h"

#include "base/mathx.h"

#include <math.h>
#include <string.h>

static const thr_option_info options[] = {
    {"kind", "multinomial", "multinomial (occurrence counts) or bernoulli (presence, absence)",
     THR_CHOICE, "multinomial|bernoulli", 0, 1},
    {"alpha", "1", "smoothing, added to every count (1: Laplace; 0: maximum likelihood)", THR_REAL,
     NULL, 0, 1e9},
    {"extent", "words", "probabilities are made of scores divided by words, or by length",
     THR_CHOICE, "words|length", 0, 1},
    {0},
};

double thr_safe_log(double x)
{
    return x > 0 ? thr_log(x) : THR_LOG_ZERO;
}

void thr_safe_log_many(double *x, size_t n)
{
    thr_log_many(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] > THR_LOG_ZERO ? x[i] : THR_LOG_ZERO; /* replaces -infinity and NaN */
}

static const thr_bayes_kind *kind_of(const thr_rule *r)
{
    static const thr_bayes_kind *const kinds[] = {&thr_bayes_multinomial, &thr_bayes_bernoulli};
    return kinds[(int)r->option[THR_BAYES_KIND]];
}

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    kind_of(r)->slots(r);
    return 0;
}

/* The score of an example without features: log P(y), and what the kind adds to it (the
 * Bernoulli kind: that all features are absent). */
static double empty_score(const thr_rule *r, uint32_t f, uint32_t known)
{
    double prior = thr_safe_log(thr_rule_state(r, f)[THR_BAYES_EXAMPLES]) -
                   thr_safe_log(r->state[THR_BAYES_ALL]);
    return prior + (kind_of(r)->base ? kind_of(r)->base(r, f, known) : 0);
}

/* Begins with the empty score of every function; the logarithms of all n_y are computed together.
 * Nothing is averaged, so what is predicted with (`shown`) equals the current values (`live`). */
static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    double log_all = thr_safe_log(r->state[THR_BAYES_ALL]);
    uint32_t n = w->functions;
    for (uint32_t f = 0; f < n; f++)
        live[f] = r->function[(size_t)f * THR_BAYES_STATE + THR_BAYES_EXAMPLES];
    thr_safe_log_many(live, n);
    for (uint32_t f = 0; f < n; f++)
        live[f] -= log_all;
    for (uint32_t f = 0; f < n && kind_of(r)->base; f++)
        live[f] += kind_of(r)->base(r, f, e->known);
    kind_of(r)->add(r, w, e, live);
    memcpy(shown, live, n * sizeof *shown);
}

/* Counts e for its label, whose function is f. */
static bool learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, const double *live)
{
    (void)live;
    thr_rule_state(r, f)[THR_BAYES_EXAMPLES] += (double)e->importance;
    r->state[THR_BAYES_ALL] += (double)e->importance;
    kind_of(r)->count(r, w, e, f);
    return true;
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    return id < known ? kind_of(r)->weight(r, w, id, f, known) : 0;
}

/* The weights of n features from `id` on. The first n_known of them are known; the others have
 * the weight 0. `room` is scratch. */
static void weigh_many(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                       uint32_t known, double *out, double *room)
{
    size_t n_known = id >= known ? 0 : known - id < n ? known - id : n, functions = w->functions;
    if (n_known && kind_of(r)->weigh_many)
        kind_of(r)->weigh_many(r, w, id, n_known, known, out, room);
    else
        for (size_t i = 0; i < n_known; i++)
            for (uint32_t f = 0; f < functions; f++)
                out[i * functions + f] = weight(r, w, id + (uint32_t)i, f, known);
    for (size_t i = n_known * functions; i < n * functions; i++)
        out[i] = 0;
}

static double live_weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    return kind_of(r)->live(r, w, id, f);
}

/* Tells how the value of function f is summed (thr_function in thresh.h): as the Bernoulli kind
 * does it, unless the kind says otherwise. */
static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    out->first = THR_SUM_PRESENT;
    out->start = empty_score(r, f, e->known);
    if (kind_of(r)->form)
        kind_of(r)->form(r, w, e, f, out);
}

/* A kind without `terms` has only the first sum, that of weights. A feature that is not known
 * adds nothing to either sum; the caller has set both terms to 0. */
static void terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2])
{
    if (kind_of(r)->terms && id < known)
        kind_of(r)->terms(r, w, id, f, known, term);
    else
        term[0] = weight(r, w, id, f, known);
}

static double rest(const thr_rule *r, const thr_example *e, uint32_t f)
{
    return empty_score(r, f, e->known);
}

static void rescale(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                    size_t n, uint32_t f)
{
    if (kind_of(r)->rescale)
        kind_of(r)->rescale(r, w, e, grown, n, f);
}

/* Dividing by the length is what a panel's mixture does with all its members (step/score.c). */
static double extent(const thr_rule *r, const thr_example *e)
{
    if (r->option[THR_BAYES_EXTENT] != 0)
        return e->length2 > 0 ? sqrt(e->length2) : 1;
    return kind_of(r)->extent ? kind_of(r)->extent(e) : 1;
}

/* For sums that wait while the start value is added to all functions (weights/lists.h). */
static size_t room(const thr_rule *r)
{
    return r->functions;
}

static int ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err)
{
    return kind_of(r)->ready ? kind_of(r)->ready(r, e, f, err) : 0;
}

static int rebuild(thr_rule *r, const thr_weights *w, thr_error *err)
{
    return kind_of(r)->rebuild ? kind_of(r)->rebuild(r, w, err) : 0;
}

static int share(const thr_rule *from, thr_rule *to, thr_error *err)
{
    return kind_of(from)->share ? kind_of(from)->share(from, to, err) : 0;
}

static void release(thr_rule *r)
{
    if (kind_of(r)->release)
        kind_of(r)->release(r);
}

/* Features are dropped from the model. The examples stay counted, as if these features had
 * never occurred in them. */
static void forget(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n)
{
    kind_of(r)->forget(r, w, keep, n);
}

/* The count of a feature in the mix is the sum of the models' counts: the result is what one
 * model would have learned from all examples. Slot 0 is the count in both kinds. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)id;
    kind_of(to)->mix(to, thr_mix_sum(x, in, 0), out);
}

static void derive(thr_rule *to, const thr_weights *w, uint32_t known)
{
    if (kind_of(to)->derive)
        kind_of(to)->derive(to, w, known);
}

static double seen(const thr_rule *r, const double *slot)
{
    (void)r;
    return slot[0];
}

static const thr_mixer mixer = {.weight = mix_weight, .derive = derive, .seen = seen};

const thr_learner thr_learner_bayes = {
    .name = "bayes",
    .help = "naive Bayes from smoothed counts",
    .options = options,
    .function_state = THR_BAYES_STATE,
    .policy = "one-vs-all",
    .setup = setup,
    .score = score,
    .learn = learn,
    .weight = weight,
    .form = form,
    .terms = terms,
    .weigh_many = weigh_many,
    .live = live_weight,
    .rest = rest,
    .rescale = rescale,
    .extent = extent,
    .room = room,
    .ready = ready,
    .rebuild = rebuild,
    .share = share,
    .release = release,
    .forget = forget,
    .mix = &mixer,
};
