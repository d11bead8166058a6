/* Voted perceptron (Freund and Schapire 1999). It updates as the perceptron does. But every
 * weight vector w_k that it has had (a hypothesis) is kept, with the number c_k of examples
 * that were learned while it was in force, and all hypotheses vote:
 *     w += rate y x   if y w.x <= 0 or y w.x < margin;
 *     predict sign(sum over k of c_k sign(w_k.x)).
 * The perceptron's bound on updates holds. If M mistakes of the perceptron are expected in a
 * stream of T + 1 examples drawn independently from one distribution, the vote after T of them
 * errs on the next with probability at most 2M/(T + 1) (Helmbold and Warmuth 1995). The score
 * that users see is the sum above divided by T, the number of examples learned so far; it lies
 * in [-1, 1].
 *
 * No w_k is stored: each is a sum over kept examples. dual.h has that arithmetic, for a kernel
 * K that is x.z here. The hooks at the end are described in learner.h. */
#include "learner/dual.h"
#include "learner/mix.h"

enum { RATE, MARGIN, BIAS, MARGIN_NEGATIVE };

static const thr_option_info options[] = {
    {"rate", "1", "step size of an update", THR_REAL, NULL, 1e-9, 1e9},
    {"margin", "0", "also update if the correct label leads by less than this", THR_REAL, NULL, 0,
     1e30},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {"margin-negative", "auto", "the same for negative examples (auto: equal to margin)", THR_REAL,
     "auto", 0, 1e30},
    {0},
};

static const thr_dual dual_form = {.vote = true}; /* K is x.z, and there is no budget */

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->bias = r->option[BIAS] != 0;
    return 0;
}

/* `live` gets the values of the latest hypothesis, which decide on updates; `shown` gets the
 * vote. */
static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    thr_dual_score(r, &dual_form, w->functions, e, live, shown);
}

static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)copies;
    /* The least margin that causes no update. */
    double least = thr_margin_of(r, sign, MARGIN, MARGIN_NEGATIVE);
    return thr_margin_step(e, margin, least, r->option[RATE]);
}

/* Keeps e with the signed step `by` in function f. The weights are not used. */
static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    (void)w;
    thr_dual_move(r, &dual_form, e, f, by);
}

/* Voted models cannot be mixed: the mix would need the history of one learner. */
static int check_mix(const thr_mixing *x, thr_error *err)
{
    (void)x;
    return thr_fail(err, THR_EUSE,
                    "voted: all hypotheses a model ever had vote, and two such histories are not "
                    "one");
}

static const thr_mixer mixer = {.check = check_mix};

const thr_learner thr_learner_voted = {
    .name = "voted",
    .help = "voted perceptron: all its past weights vote, each counting for as long as it lasted",
    .options = options,
    /* Not THR_CONSERVATIVE: the counts c_k, and so predictions, change with every example. */
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_LIKES_UNIT | THR_KEEPS | THR_NOT_LINEAR,
    .policy = "one-vs-all",
    .textbook = "margin=0,margin-negative=0",
    .setup = setup,
    .score = score,
    .step = step,
    .move = move,
    .ready = thr_dual_ready,
    .share = thr_dual_share,
    .rebuild = thr_dual_rebuild,
    .release = thr_dual_release,
    .room = thr_dual_room,
    .mix = &mixer,
};
