/* Making a contest, recording outcomes, and the public functions that read results off it. */
#include "compare/contest.h"

#include "measure/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life --------------------------------------------------------------------------------- */

void thr_contest_free(thr_contest *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++) {
        free(c->racer[i].learner);
        free(c->racer[i].wrong);
        free(c->racer[i].squared);
        free(c->racer[i].fold_loss);
    }
    free(c->racer);
    free(c->fold_size);
    free(c->rank);
    thr_settings_free(c->settings);
    thr_corpus_clear(&c->kept);
    free(c);
}

static const thr_learner *learner_of(const char *spec)
{
    return thr_learner_find(spec, strcspn(spec, ":"));
}

/* Adds a racer. Its specification is checked by making a rule of it; the first racer decides
 * whether labels or numbers are predicted. */
static int enter(thr_contest *c, const char *spec, thr_error *err)
{
    thr_rule rule;
    int code = thr_rule_init(&rule, spec, NULL, err);
    if (code)
        return code;
    thr_rule_clear(&rule);
    bool numbers = learner_of(spec)->flags & THR_REGRESSION;
    if (c->n == 0)
        c->numbers = numbers;
    else if (c->numbers != numbers)
        return thr_fail(err, THR_EUSE, "%s predicts %s and %s %s: they cannot be compared",
                        c->racer[0].learner, c->numbers ? "numbers" : "labels", spec,
                        c->numbers ? "labels" : "numbers");
    c->racer[c->n].learner = strdup(spec);
    return c->racer[c->n++].learner ? 0 : thr_fail_memory(err);
}

thr_contest *thr_contest_new(const thr_settings *s, const char *const *learners, size_t n,
                             thr_error *err)
{
    thr_contest *c = calloc(1, sizeof *c);
    if (c) {
        c->settings = thr_settings_copy(s);
        c->racer = calloc(n + 1, sizeof *c->racer);
        c->rank = calloc(n + 1, sizeof *c->rank);
    }
    int code = c && c->settings && c->racer && c->rank ? 0 : thr_fail_memory(err);
    if (code == 0 && n == 0)
        code = thr_fail(err, THR_EUSE, "there is no learner to compare");
    for (size_t i = 0; i < n && code == 0; i++)
        code = enter(c, learners[i], err);
    if (code == 0)
        return c;
    thr_contest_free(c);
    return NULL;
}

int thr_contest_fold(thr_contest *c, size_t folds, thr_error *err)
{
    c->folds = folds;
    c->fold_size = calloc(folds, sizeof *c->fold_size);
    if (!c->fold_size)
        return thr_fail_memory(err);
    for (size_t i = 0; i < c->n; i++)
        if (!(c->racer[i].fold_loss = calloc(folds, sizeof *c->racer[i].fold_loss)))
            return thr_fail_memory(err);
    return 0;
}

/* ---- outcomes ----------------------------------------------------------------------------- */

/* New words are zeroed: an outcome that is not recorded counts as right. */
bool thr_contest_ready(const thr_contest *c, thr_racer *r, uint64_t example)
{
    if (c->numbers)
        return thr_grow(&r->squared, &r->room, (size_t)example + 1, sizeof *r->squared);
    size_t old = r->room;
    if (!thr_grow(&r->wrong, &r->room, (size_t)(example / 64 + 1), sizeof *r->wrong))
        return false;
    memset(r->wrong + old, 0, (r->room - old) * sizeof *r->wrong);
    return true;
}

/* Atomic, since 64 examples share a word and may belong to different folds, that is, threads. */
void thr_racer_note(thr_racer *r, uint64_t example, double loss)
{
    if (r->squared)
        r->squared[example] = (float)loss;
    else if (loss > 0)
        __atomic_fetch_or(&r->wrong[example / 64], UINT64_C(1) << example % 64, __ATOMIC_RELAXED);
}

/* How many of the first n bits are set. */
static uint64_t count_bits(const uint64_t *bits, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n / 64; i++)
        sum += (uint64_t)__builtin_popcountll(bits[i]);
    if (n % 64)
        sum += (uint64_t)__builtin_popcountll(bits[n / 64] & ((UINT64_C(1) << n % 64) - 1));
    return sum;
}

int thr_contest_finish(thr_contest *c, thr_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        thr_racer *r = &c->racer[i];
        if (!thr_contest_ready(c, r, c->examples))
            return thr_fail_memory(err);
        if (!c->numbers) {
            r->mistakes = count_bits(r->wrong, c->examples);
            r->loss = (double)r->mistakes;
        }
        /* Without folds thr_heat_note has summed up the squared errors already. */
        for (size_t f = 0; f < c->folds && c->numbers; f++)
            r->loss += r->fold_loss[f];
    }
    for (size_t i = 0; i < c->n; i++) { /* insertion sort keeps the order of equal losses */
        size_t at = i;
        for (; at > 0 && c->racer[c->rank[at - 1]].loss > c->racer[i].loss; at--)
            c->rank[at] = c->rank[at - 1];
        c->rank[at] = i;
    }
    return 0;
}

/* ---- running side by side ----------------------------------------------------------------- */

bool thr_contest_alone(const thr_contest *c, size_t racer)
{
    return learner_of(c->racer[racer].learner)->flags & THR_PANEL;
}

/* The model begins with the first racer: by itself, or as the only member of a panel, which others
 * can enter. Then the others do. It is a panel that votes, since one that mixes would scale the
 * values of all its members; but no vote is held in a race. */
thr_model *thr_contest_model(const thr_contest *c, size_t first, size_t n, thr_error *err)
{
    bool alone = thr_contest_alone(c, first);
    bool sets = thr_settings_number(c->settings, "multilabel") != 0; /* not possible in a panel */
    bool panel = !alone && !c->numbers && !sets;
    const char *spec = c->racer[first].learner;
    thr_settings *s = thr_settings_copy(c->settings);
    int code = s ? thr_settings_set(s, "learner", panel ? "panel:decide=vote" : spec, err)
                 : thr_fail_memory(err);
    if (code == 0 && panel)
        code = thr_settings_set(s, "members", spec, err);
    thr_model *m = code ? NULL : thr_model_new(s, err);
    thr_settings_free(s);
    if (!m)
        return NULL;
    for (size_t i = first + 1; i < first + n && code == 0; i++)
        code = thr_model_enter(m, c->racer[i].learner, !c->numbers, err);
    if (!alone)
        thr_model_race(m);
    if (code == 0)
        return m;
    thr_model_free(m);
    return NULL;
}

/* The loss of a member on the example that was just learned is that of its own prediction. A model
 * without a race is a single panel, whose prediction is that of the model. */
int thr_heat_note(void *user, const thr_workspace *w, const thr_batch *b, size_t e,
                  const thr_lesson *lesson, thr_error *err)
{
    thr_heat *h = user;
    bool races = thr_model_races(h->m);
    thr_example whole;
    thr_model_outline(h->m, b, e, &whole);
    for (uint32_t i = 0; i < h->n; i++) {
        thr_racer *r = &h->c->racer[h->first + i];
        double loss = lesson->mistake;
        if (races && h->c->numbers) {
            double error = whole.target - thr_case_score_of(h->m, w->at, i)[0];
            loss = error * error;
        } else if (races)
            loss = w->at->wrong[i];
        if (!thr_contest_ready(h->c, r, h->examples))
            return thr_fail_memory(err);
        thr_racer_note(r, h->examples, loss);
        r->loss += loss;
        r->sat_out += races && !thr_model_takes(h->m, i, b, e);
    }
    h->examples++;
    return 0;
}

void thr_heat_end(const thr_heat *h)
{
    for (size_t i = 0; i < h->n; i++)
        h->c->racer[h->first + i].updates = thr_model_member_updates(h->m, (uint32_t)i);
}

/* ---- results ------------------------------------------------------------------------------ */

size_t thr_contest_size(const thr_contest *c)
{
    return c->n;
}

uint64_t thr_contest_examples(const thr_contest *c)
{
    return c->examples;
}

bool thr_contest_numbers(const thr_contest *c)
{
    return c->numbers;
}

/* The standard error of the mean error e. With k folds of error e_i: sqrt(sum (e_i - e)^2 /
 * (k-1) / k). Without folds the same over the squared errors of the examples; for mistakes,
 * which are 0 or 1, that is sqrt(e (1 - e) / n). */
static double standard_error(const thr_contest *c, const thr_racer *r, double error)
{
    double sum = 0, n = c->folds ? (double)c->folds : (double)c->examples;
    for (size_t i = 0; i < c->folds; i++) {
        double d = r->fold_loss[i] / c->fold_size[i] - error;
        sum += d * d;
    }
    for (uint64_t i = 0; i < c->examples && c->numbers && !c->folds; i++)
        sum += ((double)r->squared[i] - error) * ((double)r->squared[i] - error);
    if (!c->folds && !c->numbers)
        return sqrt(error * (1 - error) / n);
    return n > 1 ? sqrt(sum / (n - 1) / n) : 0;
}

bool thr_contest_at(const thr_contest *c, size_t i, thr_entrant *out)
{
    if (i >= c->n)
        return false;
    const thr_racer *r = &c->racer[i];
    *out = (thr_entrant){.learner = r->learner,
                         .mistakes = r->mistakes,
                         .updates = r->updates,
                         .sat_out = r->sat_out,
                         .error = r->loss / (double)c->examples};
    out->deviation = standard_error(c, r, out->error);
    return true;
}

size_t thr_contest_ranked(const thr_contest *c, size_t place)
{
    return place < c->n ? c->rank[place] : c->n;
}

/* For numbers: on how many examples each of the two had the smaller error. */
bool thr_contest_duel(const thr_contest *c, size_t a, size_t b, thr_duel *out)
{
    if (a >= c->n || b >= c->n)
        return false;
    *out = (thr_duel){0};
    const thr_racer *x = &c->racer[a], *y = &c->racer[b];
    for (uint64_t i = 0; c->numbers && i < c->examples; i++) {
        out->only_a += x->squared[i] < y->squared[i];
        out->only_b += x->squared[i] > y->squared[i];
    }
    const uint64_t *wrong_a = x->wrong, *wrong_b = y->wrong;
    size_t words =
        c->numbers ? 0 : c->examples / 64 + 1; /* bits behind the last example are zero */
    for (size_t i = 0; i < words; i++) {
        out->only_a += (uint64_t)__builtin_popcountll(wrong_b[i] & ~wrong_a[i]);
        out->only_b += (uint64_t)__builtin_popcountll(wrong_a[i] & ~wrong_b[i]);
    }
    out->p = thr_mcnemar(out->only_a, out->only_b, &out->exact);
    return true;
}

/* Checkpoints are after 1, 2, 4, 8 ... examples and after the last. With folds there is no
 * order in which examples were met, so there are none. */
size_t thr_contest_checkpoints(const thr_contest *c)
{
    size_t n = 0;
    for (uint64_t at = 1; at < c->examples; at *= 2)
        n++;
    return c->folds ? 0 : n + 1;
}

uint64_t thr_contest_checkpoint(const thr_contest *c, size_t checkpoint)
{
    bool last = checkpoint >= 63 || UINT64_C(1) << checkpoint >= c->examples;
    return last ? c->examples : UINT64_C(1) << checkpoint;
}

uint64_t thr_contest_mistakes_at(const thr_contest *c, size_t checkpoint, size_t entrant)
{
    if (entrant >= c->n || c->numbers)
        return 0;
    return count_bits(c->racer[entrant].wrong, thr_contest_checkpoint(c, checkpoint));
}

double thr_contest_error_at(const thr_contest *c, size_t checkpoint, size_t entrant)
{
    uint64_t n = thr_contest_checkpoint(c, checkpoint);
    if (!c->numbers || entrant >= c->n)
        return (double)thr_contest_mistakes_at(c, checkpoint, entrant) / (double)n;
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (double)c->racer[entrant].squared[i];
    return sum / (double)n;
}

void thr_contest_reading(const thr_contest *c, thr_reading *out)
{
    *out = c->reading;
}
