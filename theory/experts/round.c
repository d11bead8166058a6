/* One round: hearing the experts, answering, and learning the truth.
 *
 *   vote       the label with the greatest weight behind it; of equal ones, the label of the
 *              expert that comes first
 *   mean       the weighted mean of the predicted numbers
 *   drawn      the prediction of an expert drawn by weight
 *   expected   the expected loss of `drawn`
 *
 * Only experts that speak have weight in a round. A silent expert is charged the full loss of 1. So
 * when the vote errs, at least half of the speaking weight and all of the silent weight lose 1;
 * that is at least half of all weight, which is what the proofs need. */
#include "experts/experts.h"
#include "measure/hedge.h"

#include <math.h>
#include <string.h>

/* Sums of weights that differ by less (relatively) count as equal, so that rounding does not decide
 * a tie. */
#define TIE 1e-12

/* ---- answering ---------------------------------------------------------------------------- */

static double log_weight(const thr_experts *e, const thr_player *p, size_t i, double rate)
{
    return p->adapts ? -rate * e->total[i] : p->log_weight[i];
}

void thr_experts_weights(const thr_experts *e, size_t row, double *weights)
{
    if (row >= e->rows)
        return;
    const thr_player *p = &e->player[e->row[row].player];
    double rate = thr_hedge_anytime_rate(e->n, e->rounds + 1);
    for (size_t i = 0; i < e->n; i++)
        weights[i] = log_weight(e, p, i, rate);
    thr_hedge_weights(weights, e->n, weights);
}

/* Weights are summed at the first expert that says a label. Returns that expert of the heaviest
 * label; at least one expert must speak. */
static size_t heaviest_label(const thr_experts *e, const thr_player *p)
{
    double *behind = e->scratch;
    size_t best = e->n;
    memset(behind, 0, e->n * sizeof *behind);
    for (size_t i = 0; i < e->n; i++)
        if (!e->silent[i])
            behind[e->opinion[i]] += p->chance[i];
    for (size_t i = 0; i < e->n; i++)
        if (!e->silent[i] && e->opinion[i] == i &&
            (best == e->n || behind[i] > behind[best] * (1 + TIE)))
            best = i;
    return best;
}

/* Draws an expert by weight, given u uniform in [0, 1). Rounding may leave u >= 0 at the end; then
 * the last expert with weight is taken. */
static size_t draw(const thr_experts *e, const thr_player *p, double u)
{
    size_t last = e->n;
    for (size_t i = 0; i < e->n; i++)
        if (p->chance[i] > 0) {
            last = i;
            u -= p->chance[i];
            if (u < 0)
                return i;
        }
    return last;
}

static double mean(const thr_experts *e, const thr_player *p)
{
    double sum = 0;
    for (size_t i = 0; i < e->n; i++)
        if (!e->silent[i])
            sum += p->chance[i] * e->number[i];
    return sum;
}

/* The weights of the experts that speak are normalised. This is done with logarithms, those of
 * silent experts being minus infinity: a speaking expert whose weight would underflow beside that
 * of the silent ones still gets its share. The random number is drawn even if no expert speaks, so
 * that a round of silence does not shift the random numbers of later rounds. */
static void answer(thr_experts *e, thr_player *p, bool anybody)
{
    double u = thr_experts_has(e, p->algorithm, THR_DRAWN) ? thr_random_real(&e->random) : 0;
    p->choice[THR_VOTE] = p->choice[THR_DRAWN] = e->n;
    p->mean = NAN;
    if (!anybody)
        return;
    double rate = thr_hedge_anytime_rate(e->n, e->rounds + 1);
    for (size_t i = 0; i < e->n; i++)
        p->chance[i] = e->silent[i] ? -INFINITY : log_weight(e, p, i, rate);
    thr_hedge_weights(p->chance, e->n, p->chance);
    if (thr_experts_has(e, p->algorithm, THR_VOTE))
        p->choice[THR_VOTE] = heaviest_label(e, p);
    if (thr_experts_has(e, p->algorithm, THR_MEAN))
        p->mean = mean(e, p);
    if (thr_experts_has(e, p->algorithm, THR_DRAWN))
        p->choice[THR_DRAWN] = draw(e, p, u);
}

static bool anybody_speaks(const thr_experts *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (!e->silent[i])
            return true;
    return false;
}

static void answer_all(thr_experts *e)
{
    bool anybody = anybody_speaks(e);
    for (size_t i = 0; i < e->players; i++)
        answer(e, &e->player[i], anybody);
    e->heard = true;
}

/* ---- hearing ------------------------------------------------------------------------------ */

/* Returns the first expert that says this label in this round: `expert` itself if it is new. */
static uint32_t first_to_say(thr_experts *e, thr_str label, uint32_t expert)
{
    size_t mask = e->slots - 1, at = (size_t)thr_secret_hash(&e->secret, label.p, label.n) & mask;
    uint64_t now = e->rounds + 1;
    while (e->table[at].round == now) {
        if (thr_str_eq(e->label[e->table[at].expert], label))
            return e->table[at].expert;
        at = (at + 1) & mask;
    }
    e->table[at] = (struct thr_opinion){now, expert};
    return expert;
}

static void hear_labels(thr_experts *e)
{
    /* If predictions are heard twice without learning in between, the second replace the first.
     * Table entries then carry the current round, so they must be cleared. */
    if (e->heard)
        memset(e->table, 0, e->slots * sizeof *e->table);
    for (size_t i = 0; i < e->n; i++) {
        e->silent[i] = e->label[i].n == 0;
        if (!e->silent[i])
            e->opinion[i] = first_to_say(e, e->label[i], (uint32_t)i);
    }
    answer_all(e);
}

void thr_experts_hear(thr_experts *e, const thr_str *labels)
{
    memcpy(e->label, labels, e->n * sizeof *labels);
    hear_labels(e);
}

static int wants(const thr_experts *e, bool right, const char *what, thr_error *err)
{
    return right ? 0
                 : thr_fail(err, THR_EUSE, "%s cannot be used with loss %s", what, e->loss->name);
}

int thr_experts_hear_labels(thr_experts *e, const char *const *labels, thr_error *err)
{
    int code = wants(e, e->loss->form[THR_VOTE], "labels", err);
    if (code)
        return code;
    for (size_t i = 0; i < e->n; i++)
        e->label[i] = labels[i] ? thr_str_of(labels[i]) : (thr_str){0};
    hear_labels(e);
    return 0;
}

static int check_number(double v, const char *what, thr_error *err)
{
    return v >= 0 && v <= 1
               ? 0
               : thr_fail(err, THR_EDATA, "%s %g does not lie between 0 and 1", what, v);
}

static int check_numbers(const thr_experts *e, const double *v, const char *what, thr_error *err)
{
    int code = 0;
    for (size_t i = 0; i < e->n && code == 0; i++)
        if (!isnan(v[i]))
            code = check_number(v[i], what, err);
    return code;
}

int thr_experts_hear_numbers(thr_experts *e, const double *numbers, thr_error *err)
{
    int code = wants(e, e->loss->of, "numbers", err);
    code = code ? code : check_numbers(e, numbers, "the prediction", err);
    if (code)
        return code;
    for (size_t i = 0; i < e->n; i++) {
        e->silent[i] = isnan(numbers[i]);
        e->number[i] = numbers[i];
    }
    answer_all(e);
    return 0;
}

/* ---- learning ----------------------------------------------------------------------------- */

static double loss_of(const thr_experts *e, size_t expert)
{
    return expert < e->n ? e->round_loss[expert] : 1;
}

/* Adds the losses of a player's answers and updates its weights. Without any answer the loss is
 * 1. */
static void charge(const thr_experts *e, thr_player *p, bool anybody, double truth)
{
    double expected = anybody ? 0 : 1;
    for (size_t i = 0; i < e->n; i++)
        if (!e->silent[i])
            expected += p->chance[i] * e->round_loss[i];
    p->total[THR_VOTE] += loss_of(e, p->choice[THR_VOTE]);
    p->total[THR_DRAWN] += loss_of(e, p->choice[THR_DRAWN]);
    p->total[THR_EXPECTED] += expected;
    if (thr_experts_has(e, p->algorithm, THR_MEAN))
        p->total[THR_MEAN] += anybody ? e->loss->of(p->mean, truth) : 1;
    if (!p->adapts)
        thr_hedge_update(p->log_weight, e->n, e->round_loss, p->eta, p->share);
}

/* Finishes a round from e->round_loss, which is set for all experts that spoke. `truth` is needed
 * for the loss of means; NAN if there are none. */
static void learn(thr_experts *e, double truth)
{
    bool anybody = anybody_speaks(e);
    for (size_t i = 0; i < e->n; i++)
        if (e->silent[i]) {
            e->round_loss[i] = 1;
            e->silences[i]++;
        }
    for (size_t i = 0; i < e->players; i++)
        charge(e, &e->player[i], anybody, truth);
    for (size_t i = 0; i < e->n; i++)
        e->total[i] += e->round_loss[i];
    thr_sequence_add(&e->sequence, e->round_loss);
    e->rounds++;
    e->heard = false;
}

void thr_experts_learn(thr_experts *e, thr_str truth)
{
    for (size_t i = 0; i < e->n; i++)
        e->round_loss[i] = !e->silent[i] && thr_str_eq(e->label[i], truth) ? 0 : 1;
    learn(e, NAN);
}

static int heard(const thr_experts *e, thr_error *err)
{
    return e->heard ? 0 : thr_fail(err, THR_EUSE, "the truth comes after what the experts say");
}

int thr_experts_learn_label(thr_experts *e, const char *truth, thr_error *err)
{
    int code = wants(e, e->loss->form[THR_VOTE], "a label", err);
    code = code ? code : heard(e, err);
    if (code == 0 && (!truth || !*truth))
        code = thr_fail(err, THR_EDATA, "the truth is empty");
    if (code == 0)
        thr_experts_learn(e, thr_str_of(truth));
    return code;
}

int thr_experts_learn_number(thr_experts *e, double truth, thr_error *err)
{
    int code = wants(e, e->loss->of, "a number", err);
    code = code ? code : heard(e, err);
    code = code ? code : check_number(truth, "the truth", err);
    if (code)
        return code;
    for (size_t i = 0; i < e->n; i++)
        if (!e->silent[i])
            e->round_loss[i] = e->loss->of(e->number[i], truth);
    learn(e, truth);
    return 0;
}

int thr_experts_learn_losses(thr_experts *e, const double *losses, thr_error *err)
{
    bool given = !e->loss->of && !e->loss->form[THR_VOTE];
    int code = wants(e, given, "losses", err);
    code = code ? code : check_numbers(e, losses, "the loss", err);
    if (code)
        return code;
    for (size_t i = 0; i < e->n; i++)
        e->silent[i] = isnan(losses[i]);
    answer_all(e);
    memcpy(e->round_loss, losses, e->n * sizeof *losses);
    learn(e, NAN);
    return 0;
}
