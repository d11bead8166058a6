#include "run/contest.h"

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
        free(c->racer[i].fold_error);
    }
    free(c->racer);
    free(c->rank);
    thr_settings_free(c->settings);
    thr_corpus_clear(&c->kept);
    free(c);
}

static const thr_learner *learner_of(const char *spec)
{
    return thr_learner_find(spec, strcspn(spec, ":"));
}

static int enter(thr_contest *c, const char *spec, thr_error *err)
{
    thr_rule rule;
    int code = thr_rule_init(&rule, spec, NULL, err);
    if (code)
        return code;
    thr_rule_clear(&rule);
    if (learner_of(spec)->flags & THR_REGRESSION)
        return thr_fail(err, THR_EUSE, "%s predicts numbers; only classifiers can be compared",
                        learner_of(spec)->name);
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
    for (size_t i = 0; i < c->n; i++)
        if (!(c->racer[i].fold_error = calloc(folds, sizeof *c->racer[i].fold_error)))
            return thr_fail_memory(err);
    return 0;
}

/* ---- outcomes ----------------------------------------------------------------------------- */

bool thr_racer_ready(thr_racer *r, uint64_t examples)
{
    size_t old = r->words;
    if (!thr_grow(&r->wrong, &r->words, (size_t)(examples / 64 + 1), sizeof *r->wrong))
        return false;
    memset(r->wrong + old, 0, (r->words - old) * sizeof *r->wrong);
    return true;
}

void thr_racer_note(thr_racer *r, uint64_t example, bool wrong)
{
    if (wrong)
        __atomic_fetch_or(&r->wrong[example / 64], UINT64_C(1) << example % 64, __ATOMIC_RELAXED);
}

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
        if (!thr_racer_ready(&c->racer[i], c->examples))
            return thr_fail_memory(err);
        c->racer[i].mistakes = count_bits(c->racer[i].wrong, c->examples);
    }
    for (size_t i = 0; i < c->n; i++) { /* insertion keeps the order of equals */
        size_t at = i;
        for (; at > 0 && c->racer[c->rank[at - 1]].mistakes > c->racer[i].mistakes; at--)
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

static int join(const thr_contest *c, size_t first, size_t n, thr_bytes *members)
{
    for (size_t i = first; i < first + n; i++)
        if (!thr_bytes_printf(members, "%s%s", i > first ? "+" : "", c->racer[i].learner))
            return THR_EMEM;
    return 0;
}

thr_model *thr_contest_model(const thr_contest *c, size_t first, size_t n, thr_error *err)
{
    bool alone = n == 1 && thr_contest_alone(c, first);
    thr_settings *s = thr_settings_copy(c->settings);
    thr_bytes members = {0};
    thr_model *m = NULL;
    int code = s && join(c, first, n, &members) == 0 ? 0 : thr_fail_memory(err);
    if (code == 0)
        code = thr_settings_set(s, "learner", alone ? members.p : "panel", err);
    if (code == 0 && !alone)
        code = thr_settings_set(s, "members", members.p, err);
    if (code == 0)
        m = thr_model_new(s, err);
    if (m)
        m->race = !alone;
    thr_bytes_clear(&members);
    thr_settings_free(s);
    return m;
}

int thr_heat_note(void *user, const thr_batch *b, size_t e, const thr_lesson *lesson,
                  thr_error *err)
{
    thr_heat *h = user;
    thr_example whole = thr_model_example(h->m, b, e);
    for (size_t i = 0; i < h->n; i++) {
        thr_racer *r = &h->c->racer[h->first + i];
        size_t at;
        if (!thr_racer_ready(r, h->examples))
            return thr_fail_memory(err);
        thr_racer_note(r, h->examples, h->m->race ? h->m->sheet.wrong[i] : lesson->mistake);
        r->sat_out += h->m->race && !thr_member_takes(&h->m->member[i], &whole, &at);
    }
    h->examples++;
    return 0;
}

void thr_heat_end(const thr_heat *h)
{
    for (size_t i = 0; i < h->n; i++)
        h->c->racer[h->first + i].updates =
            h->m->race ? h->m->member[i].updates : h->m->seen.updates;
}

/* ---- reading off -------------------------------------------------------------------------- */

size_t thr_contest_size(const thr_contest *c)
{
    return c->n;
}

uint64_t thr_contest_examples(const thr_contest *c)
{
    return c->examples;
}

static double standard_error(const thr_contest *c, const thr_racer *r, double error)
{
    if (c->folds)
        return thr_deviation(r->fold_error, c->folds) / sqrt((double)c->folds);
    return sqrt(error * (1 - error) / (double)c->examples);
}

bool thr_contest_at(const thr_contest *c, size_t i, thr_entrant *out)
{
    if (i >= c->n)
        return false;
    const thr_racer *r = &c->racer[i];
    *out = (thr_entrant){
        r->learner, r->mistakes, r->updates, r->sat_out, (double)r->mistakes / (double)c->examples,
        0};
    out->deviation = standard_error(c, r, out->error);
    return true;
}

size_t thr_contest_ranked(const thr_contest *c, size_t place)
{
    return place < c->n ? c->rank[place] : c->n;
}

bool thr_contest_duel(const thr_contest *c, size_t a, size_t b, thr_duel *out)
{
    if (a >= c->n || b >= c->n)
        return false;
    *out = (thr_duel){0};
    const uint64_t *wrong_a = c->racer[a].wrong, *wrong_b = c->racer[b].wrong;
    for (uint64_t i = 0; i <= c->examples / 64; i++) { /* no bit is set behind the last example */
        out->only_a += (uint64_t)__builtin_popcountll(wrong_b[i] & ~wrong_a[i]);
        out->only_b += (uint64_t)__builtin_popcountll(wrong_a[i] & ~wrong_b[i]);
    }
    out->p = thr_mcnemar(out->only_a, out->only_b, &out->exact);
    return true;
}

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
    if (entrant >= c->n)
        return 0;
    return count_bits(c->racer[entrant].wrong, thr_contest_checkpoint(c, checkpoint));
}

void thr_contest_reading(const thr_contest *c, thr_reading *out)
{
    *out = c->reading;
}
