/* Naive Bayes as a linear function (L0 1, L4 2):
 *     score_y = log P(y) + sum_i log P(x_i | y),   P(y) = n_y / n,
 * with n_y the importance of the examples of label y and n that of all examples.
 *
 * Learning only counts: every example, predicted rightly or not. This file has what both forms
 * share; bayes_multinomial.c and bayes_bernoulli.c define P(x_i | y) and what is counted.
 * Features that were not known before the example are left out of its score. */
#include "learner/bayes.h"

#include "base/mathx.h"

static const thr_option_info options[] = {
    {"kind", "multinomial", "multinomial (occurrence counts) or bernoulli (presence, absence)",
     THR_CHOICE, "multinomial|bernoulli", 0, 1},
    {"alpha", "1", "smoothing, added to every count (1: Laplace; 0: maximum likelihood)", THR_REAL,
     NULL, 0, 1e9},
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
        x[i] = x[i] > THR_LOG_ZERO ? x[i] : THR_LOG_ZERO; /* log 0, or NaN */
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

/* The score without features: the logarithm of the prior, and the base of the form. */
static double constant(const thr_rule *r, uint32_t f, uint32_t known)
{
    double prior = thr_safe_log(thr_rule_state(r, f)[THR_BAYES_EXAMPLES]) -
                   thr_safe_log(r->state[THR_BAYES_ALL]);
    return prior + kind_of(r)->base(r, f, known);
}

/* The same for n functions, with the logarithms computed together. */
static void constants(const thr_rule *r, uint32_t known, uint32_t n, double *out)
{
    double all = thr_safe_log(r->state[THR_BAYES_ALL]);
    for (uint32_t f = 0; f < n; f++)
        out[f] = thr_rule_state(r, f)[THR_BAYES_EXAMPLES];
    thr_safe_log_many(out, n);
    for (uint32_t f = 0; f < n; f++)
        out[f] = out[f] - all + kind_of(r)->base(r, f, known);
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    constants(r, e->known, w->functions, live);
    kind_of(r)->add(r, w, e, live);
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = live[f];
}

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

/* Features that are not known weigh 0. */
static void weigh(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n, uint32_t known,
                  double *out, double *room)
{
    size_t some = id >= known ? 0 : known - id < n ? known - id : n, functions = w->functions;
    if (some && kind_of(r)->weigh)
        kind_of(r)->weigh(r, w, id, some, known, out, room);
    else
        for (size_t i = 0; i < some; i++)
            for (uint32_t f = 0; f < functions; f++)
                out[i * functions + f] = weight(r, w, id + (uint32_t)i, f, known);
    for (size_t i = some * functions; i < n * functions; i++)
        out[i] = 0;
}

static double live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    return kind_of(r)->live(r, w, id, f);
}

static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    out->first = THR_SUM_PRESENT;
    out->start = constant(r, f, e->known);
    if (kind_of(r)->form)
        kind_of(r)->form(r, w, e, f, out);
}

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
    return constant(r, f, e->known);
}

static double extent(const thr_rule *r, const thr_example *e)
{
    return kind_of(r)->extent ? kind_of(r)->extent(e) : 1;
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

/* The examples stay counted: a feature that is dropped is as if it had never been in them. */
static void forget(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n)
{
    kind_of(r)->forget(r, w, keep, n);
}

/* Counts add up: the result is what all examples together would have taught. */
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
    return slot[0]; /* the count, in both forms */
}

static const thr_mixer mixer = {.weight = mix_weight, .derive = derive, .seen = seen};

const thr_learner thr_learner_bayes = {
    .name = "bayes",
    .help = "naive Bayes from smoothed counts",
    .options = options,
    .function_state = 4,
    .policy = "one-vs-all",
    .setup = setup,
    .score = score,
    .learn = learn,
    .weight = weight,
    .form = form,
    .terms = terms,
    .weigh = weigh,
    .live = live,
    .rest = rest,
    .extent = extent,
    .ready = ready,
    .rebuild = rebuild,
    .share = share,
    .release = release,
    .forget = forget,
    .mix = &mixer,
};
