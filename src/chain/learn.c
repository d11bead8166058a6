/* Learning from a sentence (chain.h).
 *
 * With s(y) the score of a tagging, a rule that asks for the margin h moves along D = F(x, y) - F(x, y')
 * for the true tags y and the tags y' that break it most,
 *
 *     y' = argmax s(y') + h [tokens where y' and y differ],
 *
 * as if s(y) - s(y') were its margin on one example, and h as often asked for as there are wrong tags
 * (Taskar 2003; Crammer et al. 2006). For h = 0 this is Collins' perceptron (2002).
 *
 * A rule with the log loss is a conditional random field (Lafferty, McCallum, Pereira 2001) that learns
 * sentence by sentence: it moves along D = F(x, y) - E F(x, y'), the gradient of log P(y | x), with
 * P(y | x) in proportion to e^s(y). */
#include "chain/inside.h"

#include "model/counts.h"
#include "model/inside.h"

#include <float.h>
#include <math.h>

/* Makes rows for features that this model owns. *moved: rows lie elsewhere now. */
static int make_rows(thr_model *m, const uint32_t *id, size_t n, bool *moved, thr_error *err)
{
    thr_weights *w = &m->member[0].weights;
    const thr_example e = {.id = id, .n = n};
    uint32_t top = 0, later = __atomic_load_n(&m->lexicon.n, __ATOMIC_RELAXED) - 1;
    for (size_t i = 0; i < n; i++)
        top = id[i] != THR_NONE && id[i] > top ? id[i] : top;
    *moved = false;
    if (thr_weights_covered(&w, 1, top, later))
        return 0;
    return thr_weights_cover(&w, 1, &e, top, later, moved, err);
}

/* Rows of links that a snapshot has too are copied, and then lie elsewhere. */
static int own_links(thr_model *m, thr_chain *c, thr_error *err)
{
    bool moved;
    int code = make_rows(m, c->link_id, c->n_link_ids, &moved, err);
    return code || !moved || thr_chain_find(m, c) ? code : thr_fail_memory(err);
}

/* Every feature of the sentence that was met in it or before has an id below this. */
static uint32_t known_with(const thr_model *m, const thr_batch *b, size_t from, size_t tokens)
{
    uint32_t top = thr_weights_top(b->id + b->start[from], b->start[from + tokens] - b->start[from]);
    return top >= m->known ? top + 1 : m->known;
}

/* New labels get numbers and functions. */
static int add_labels(thr_model *m, thr_chain *c, const thr_batch *b, size_t from, thr_error *err)
{
    uint32_t before = m->labels.n;
    int code = 0;
    for (size_t t = 0; t < c->tokens && code == 0; t++)
        code = thr_labels_add(&m->labels, b->about[from + t].label, &c->truth[t], err);
    if (code == 0)
        code = thr_model_check_limits(m, err);
    if (code)
        thr_labels_drop(&m->labels, before);
    return code || m->labels.n == before ? code : thr_model_widen(m, before, err);
}

static uint64_t count_wrong(const thr_chain *c)
{
    uint64_t wrong = 0;
    for (size_t t = 0; t < c->tokens; t++)
        wrong += c->path[t] != c->truth[t];
    return wrong;
}

/* ---- the difference ----------------------------------------------------------------------- */

static void add_token(thr_chain *c, size_t t, uint32_t label, double amount)
{
    const thr_chain_token *k = &c->token[t];
    const float *x = c->has_values ? c->x + k->first : NULL;
    thr_difference_add(&c->difference, c->id + k->first, c->row + k->first, x, k->n, label, amount);
}

static void add_link(thr_chain *c, size_t t, uint32_t before, uint32_t label, double amount)
{
    const thr_chain_links *l = &c->links[c->token[t].link];
    size_t at = l->first + before * l->n;
    thr_difference_add(&c->difference, c->link_id + at, c->link_row + at, NULL, l->n, label, amount);
}

/* What the true tags have and the path has not, and the reverse. */
static bool make_difference(const thr_model *m, thr_chain *c)
{
    thr_difference *d = &c->difference;
    const uint32_t *y = c->truth, *z = c->path;
    if (!thr_difference_begin(d, c->n + c->n_link_ids, m->labels.n))
        return false;
    for (size_t t = 0; t < c->tokens; t++) {
        bool before = t && y[t - 1] != z[t - 1];
        if (y[t] == z[t] && !before)
            continue;
        thr_difference_name(d, y[t]);
        thr_difference_name(d, z[t]);
    }
    if (!thr_difference_reserve(d))
        return false;
    for (size_t t = 0; t < c->tokens; t++) {
        if (y[t] != z[t]) {
            add_token(c, t, y[t], 1);
            add_token(c, t, z[t], -1);
        }
        if (t && (y[t] != z[t] || y[t - 1] != z[t - 1])) {
            add_link(c, t, y[t - 1], y[t], 1);
            add_link(c, t, z[t - 1], z[t], -1);
        }
    }
    return true;
}

/* Moves along the difference. `wrong` tags of the path differ from the true ones; at a tie they are wrong,
 * too. With a beam the path found may be worse than the truth. */
static int move(thr_model *m, thr_chain *c, double lead, double margin, uint64_t wrong, bool *moved,
                thr_error *err)
{
    thr_member *k = &m->member[0];
    thr_rule *r = &k->rule;
    thr_example like;
    if (!make_difference(m, c))
        return thr_fail_memory(err);
    thr_chain_like(m, c, &like);
    like.norm2 = like.length2 = thr_difference_norm2(&c->difference);
    m->seen.max_norm2 = like.norm2 > m->seen.max_norm2 ? like.norm2 : m->seen.max_norm2;
    double tie = lead > 0 ? lead : fmin(lead, -DBL_MIN);
    double seen = margin > 0 ? lead - margin * ((double)wrong - 1) : tie;
    double step = r->learner->step(r, &like, seen, 1, 1);
    *moved = step != 0;
    return *moved ? thr_difference_move(&c->difference, r, &k->weights, &like, seen, step, err) : 0;
}

/* Finds the tags that break the margin most, and moves away from them. */
static int learn_best(thr_model *m, thr_chain *c, bool *moved, thr_error *err)
{
    const thr_rule *r = &m->member[0].rule;
    double margin = r->learner->asks ? r->learner->asks(r) : 0;
    thr_lattice *l = &c->lattice;
    if (!thr_chain_lattice(m, c, true))
        return thr_fail_memory(err);
    double truth = thr_lattice_sum(l, c->truth);
    for (size_t t = 0; t < c->tokens && margin > 0; t++)
        for (uint32_t y = 0; y < l->labels; y++)
            l->node[t * l->labels + y] += y == c->truth[t] ? 0 : margin;
    double best = thr_lattice_best(l, c->path);
    uint64_t wrong = count_wrong(c);
    if (wrong == 0)
        return 0;
    if (!(truth > -INFINITY))
        return thr_fail(err, THR_EDATA, "the tags of the sentence break the rules of their scheme");
    return move(m, c, truth - (best - margin * (double)wrong), margin, wrong, moved, err);
}

/* ---- log loss ----------------------------------------------------------------------------- */

#define LEAST_SHARE 1e-5 /* less of a probability moves nothing */

/* Probabilities of pairs of tags go to c->pairs, those of tags to c->lattice.beta. */
static bool find_marginals(thr_chain *c, uint32_t labels)
{
    size_t square = (size_t)labels * labels, n = c->n_links * square;
    if (!thr_chain_prepare(c, n) || !thr_lattice_prepare(&c->lattice, c->n_links))
        return false;
    if (n > 0) /* a sentence of one token has no links, and perhaps c->pairs is NULL */
        memset(c->pairs, 0, n * sizeof *c->pairs);
    for (size_t t = 0; t < c->tokens; t++)
        c->pair[t] = t ? c->pairs + c->links[c->token[t].link].matrix : NULL;
    thr_lattice_marginals(&c->lattice, c->pair);
    return true;
}

/* [y is the true tag] - P(y), where that is more than nothing. Returns whether any is. */
static bool gradient(const double *p, uint32_t labels, uint32_t truth, double *amount)
{
    bool any = false;
    for (uint32_t y = 0; y < labels; y++) {
        double left = (y == truth) - p[y];
        amount[y] = fabs(left) < LEAST_SHARE ? 0 : left;
        any |= amount[y] != 0;
    }
    return any;
}

/* Adds the gradient of one matrix of links, for all tokens that have it; c->pairs becomes what the true
 * tags have more than is expected. */
static void add_pairs(thr_chain *c, uint32_t labels)
{
    size_t square = (size_t)labels * labels;
    for (size_t i = 0; i < c->n_links * square; i++)
        c->pairs[i] = -c->pairs[i];
    for (size_t t = 1; t < c->tokens; t++)
        c->pair[t][(size_t)c->truth[t - 1] * labels + c->truth[t]] += 1;
    for (size_t l = 0; l < c->n_links; l++)
        for (uint32_t x = 0; x < labels; x++) {
            double *amount = c->pairs + c->links[l].matrix + (size_t)x * labels;
            size_t at = c->links[l].first + x * c->links[l].n;
            bool any = false;
            for (uint32_t y = 0; y < labels; y++) {
                amount[y] = fabs(amount[y]) < LEAST_SHARE ? 0 : amount[y];
                any |= amount[y] != 0;
            }
            if (any)
                thr_difference_add_all(&c->difference, c->link_id + at, c->link_row + at, NULL,
                                       c->links[l].n, amount);
        }
}

static int learn_expected(thr_model *m, thr_chain *c, bool *moved, thr_error *err)
{
    thr_member *k = &m->member[0];
    uint32_t labels = m->labels.n;
    thr_example like;
    thr_difference *d = &c->difference;
    if (!thr_chain_lattice(m, c, true) || !find_marginals(c, labels) ||
        !thr_difference_begin(d, c->n + c->n_link_ids, labels))
        return thr_fail_memory(err);
    for (uint32_t y = 0; y < labels; y++)
        thr_difference_name(d, y);
    if (!thr_difference_reserve(d))
        return thr_fail_memory(err);
    for (size_t t = 0; t < c->tokens; t++) {
        const thr_chain_token *token = &c->token[t];
        if (gradient(c->lattice.beta + t * labels, labels, c->truth[t], c->amount))
            thr_difference_add_all(d, c->id + token->first, c->row + token->first,
                                   c->has_values ? c->x + token->first : NULL, token->n,
                                   c->amount);
    }
    add_pairs(c, labels);
    thr_chain_like(m, c, &like);
    *moved = d->n > 0;
    return thr_difference_move(d, &k->rule, &k->weights, &like, NAN, 1, err);
}

/* ---- a sentence --------------------------------------------------------------------------- */

static void note(thr_model *m, const thr_chain *c, const thr_batch *b, size_t from, uint32_t known,
                 const thr_chain_lesson *lesson)
{
    thr_member *k = &m->member[0];
    thr_example like;
    thr_chain_like(m, c, &like);
    like.id = c->id; /* a token, as long as they are on average */
    like.row = c->row;
    like.n = c->n / c->tokens;
    if (k->rule.learner->observe)
        k->rule.learner->observe(&k->rule, &like);
    k->rule.clock += 1;
    k->mistakes += lesson->wrong;
    k->updates += lesson->moved;
    m->seen.examples += c->tokens;
    m->seen.mistakes += lesson->wrong;
    m->seen.updates += lesson->moved;
    m->seen.active += (double)(b->start[from + c->tokens] - b->start[from] - c->tokens);
    m->known = known;
    thr_counts_known(m);
}

/* Predicts with what it has learned before; the labels of the sentence may be new. */
static int hear(thr_model *m, thr_chain *c, const thr_batch *b, size_t from, uint32_t known,
                thr_chain_lesson *lesson, thr_error *err)
{
    uint32_t before = m->labels.n;
    for (size_t t = 0; t < c->tokens; t++)
        c->path[t] = THR_NONE;
    if (before && !thr_chain_lattice(m, c, false))
        return thr_fail_memory(err);
    if (before)
        thr_lattice_best(&c->lattice, c->path);
    int code = add_labels(m, c, b, from, err);
    lesson->wrong = code ? 0 : count_wrong(c);
    if (code || m->labels.n == before)
        return code;
    bool moved; /* all is found again below, in any case */
    size_t features = b->start[from + c->tokens] - b->start[from];
    code = make_rows(m, b->id + b->start[from], features, &moved, err);
    return code ? code : thr_chain_score(m, c, b, from, known, err);
}

int thr_chain_learn(thr_model *m, thr_chain *c, const thr_batch *b, size_t from,
                    thr_chain_lesson *lesson, thr_error *err)
{
    size_t tokens = thr_chain_length(b, from);
    const thr_example all = {.id = b->id + b->start[from],
                             .n = b->start[from + tokens] - b->start[from]};
    uint32_t known = known_with(m, b, from, tokens);
    bool moved;
    *lesson = (thr_chain_lesson){.tokens = tokens};
    int code = m->min_count ? thr_counts_add(m, &all, err) : 0;
    if (code == 0)
        code = make_rows(m, all.id, all.n, &moved, err);
    if (code == 0)
        code = thr_chain_score(m, c, b, from, known, err);
    if (code == 0)
        code = own_links(m, c, err);
    if (code == 0)
        code = hear(m, c, b, from, known, lesson, err);
    if (code == 0)
        code = (m->member[0].rule.learner->steps ? learn_expected : learn_best)(m, c, &lesson->moved, err);
    if (code == 0)
        note(m, c, b, from, known, lesson);
    return code;
}
