/* Sentences, scored and decoded (chain.h). */
#include "chain/inside.h"

#include "model/counts.h"
#include "model/inside.h"

#include <math.h>
#include <stdlib.h>

void thr_chain_clear(thr_chain *c)
{
    free(c->token);
    free(c->id);
    free(c->x);
    free(c->row);
    free(c->links);
    free(c->link_id);
    free(c->link_row);
    free(c->spare);
    free(c->link_spare);
    free(c->matrix);
    free(c->shown);
    free(c->node);
    free(c->node_shown);
    free(c->path);
    free(c->truth);
    free(c->scratch);
    free(c->pairs);
    free(c->pair);
    free(c->amount);
    thr_lattice_clear(&c->lattice);
    thr_past_clear(&c->past);
    thr_rules_clear(&c->rules);
    thr_difference_clear(&c->difference);
    *c = (thr_chain){0};
}

size_t thr_chain_length(const thr_batch *b, size_t from)
{
    size_t n = 1;
    while (from + n < b->n && b->about[from + n].joins)
        n++;
    return n;
}

/* ---- features ----------------------------------------------------------------------------- */

/* The features of one token: those of the patterns U, and the bias if the rule has one. */
static void take_token(const thr_model *m, thr_chain *c, const thr_batch *b, size_t e)
{
    const thr_example_info *about = &b->about[e];
    size_t first = b->start[e], bias = b->start[e + 1] - 1, end = bias - about->past;
    thr_chain_token *token = &c->token[c->tokens++];
    *token = (thr_chain_token){.first = c->n, .links = about->links};
    for (size_t i = first; i < end; i++)
        if (m->min_count < 2 || thr_counts_enough(m, b->id[i])) {
            c->x[c->n] = c->has_values ? thr_batch_value(b, i) : 1;
            c->id[c->n++] = b->id[i];
        }
    if (m->member[0].rule.bias) {
        c->x[c->n] = 1;
        c->id[c->n++] = b->id[bias];
    }
    token->n = c->n - token->first;
}

static bool same_links(const thr_batch *b, thr_list x, thr_list y)
{
    bool same = x.n == y.n;
    for (size_t i = 0; i < x.n && same; i++)
        same = thr_str_eq(b->listed[x.from + i], b->listed[y.from + i]);
    return same;
}

/* The ids of the links of a token behind each tag. Features that no sentence up to this one has had are
 * not there yet, though the lexicon may have names of later ones: `known`. */
static bool take_links(const thr_model *m, thr_chain *c, const thr_batch *b, thr_list links,
                       uint32_t known)
{
    uint32_t labels = m->labels.n;
    size_t n = links.n;
    if (!thr_grow(&c->links, &c->links_room, c->n_links + 1, sizeof *c->links) ||
        !thr_grow(&c->link_id, &c->link_id_room, c->n_link_ids + n * labels, sizeof *c->link_id))
        return false;
    uint32_t *to = c->link_id + c->n_link_ids;
    for (size_t i = 0; i < n; i++) {
        const uint32_t *id =
            thr_past_find(&c->past, m->member, &m->lexicon, &m->labels, b->listed[links.from + i]);
        if (!id)
            return false;
        for (uint32_t x = 0; x < labels; x++)
            to[x * n + i] = id[x] < known ? id[x] : THR_NONE;
    }
    c->links[c->n_links] = (thr_chain_links){.first = c->n_link_ids,
                                             .n = n,
                                             .matrix = c->n_links * (size_t)labels * labels};
    c->n_links++;
    c->n_link_ids += n * labels;
    return true;
}

/* Takes the sentence in. False: out of memory. */
static bool take(const thr_model *m, thr_chain *c, const thr_batch *b, size_t from, size_t tokens,
                 uint32_t known)
{
    size_t features = b->start[from + tokens] - b->start[from];
    if (!thr_grow(&c->token, &c->token_room, tokens, sizeof *c->token) ||
        !thr_grow(&c->x, &c->x_room, features, sizeof *c->x) ||
        !thr_grow(&c->id, &c->id_room, features, sizeof *c->id))
        return false;
    c->has_values = b->has_values;
    c->tokens = c->n = c->n_links = c->n_link_ids = 0;
    for (size_t t = 0; t < tokens; t++) {
        take_token(m, c, b, from + t);
        thr_chain_token *token = &c->token[t];
        if (t == 0)
            continue;
        if (t == 1 || !same_links(b, token->links, c->token[t - 1].links))
            if (!take_links(m, c, b, token->links, known))
                return false;
        token->link = c->n_links - 1;
    }
    return true;
}

/* The rows of n features. */
static bool find_rows(thr_weights *w, const uint32_t *id, size_t n, char ***row, size_t *row_room,
                      char **spare, size_t *spare_room)
{
    const thr_example e = {.id = id, .n = n};
    size_t bytes = thr_weights_spare(&w, 1, &e);
    if (!thr_grow(row, row_room, n, sizeof **row) || !thr_grow(spare, spare_room, bytes, 1))
        return false;
    thr_weights_find(&w, 1, &e, *row, *spare, bytes);
    return true;
}

bool thr_chain_find(const thr_model *m, thr_chain *c)
{
    thr_weights *w = &m->member[0].weights;
    return find_rows(w, c->id, c->n, &c->row, &c->row_room, &c->spare, &c->spare_room) &&
           find_rows(w, c->link_id, c->n_link_ids, &c->link_row, &c->link_row_room, &c->link_spare,
                     &c->link_spare_room);
}

/* ---- scores ------------------------------------------------------------------------------- */

void thr_chain_like(const thr_model *m, const thr_chain *c, thr_example *e)
{
    *e = (thr_example){.scale = 1,
                       .greatest = 1,
                       .distinct = m->lexicon.hash_bits == 0,
                       .label = THR_NONE,
                       .target = NAN,
                       .known = m->known,
                       .importance = 1,
                       .room = c->scratch};
}

/* x: their values; NULL: all 1. */
static void score_some(const thr_model *m, thr_example *e, const uint32_t *id, char *const *row,
                       const float *x, size_t n, double *live, double *shown)
{
    const thr_member *k = &m->member[0];
    e->id = id;
    e->row = row;
    e->x = x;
    e->n = n;
    e->norm2 = e->length2 = x ? thr_example_norm2(e) : (double)n;
    k->rule.learner->score(&k->rule, &k->weights, e, live, shown);
}

static bool score(const thr_model *m, thr_chain *c)
{
    thr_example e;
    size_t labels = m->labels.n, nodes = c->tokens * labels, links = c->n_links * labels * labels;
    const thr_rule *r = &m->member[0].rule;
    size_t room = r->learner->room ? r->learner->room(r) : 0;
    if (!thr_grow(&c->node, &c->node_room, nodes, sizeof *c->node) ||
        !thr_grow(&c->node_shown, &c->node_shown_room, nodes, sizeof *c->node_shown) ||
        !thr_grow(&c->matrix, &c->matrix_room, links, sizeof *c->matrix) ||
        !thr_grow(&c->shown, &c->shown_room, links, sizeof *c->shown) ||
        !thr_grow(&c->scratch, &c->scratch_room, room, sizeof *c->scratch))
        return false;
    thr_chain_like(m, c, &e);
    for (size_t t = 0; t < c->tokens; t++) {
        const thr_chain_token *token = &c->token[t];
        score_some(m, &e, c->id + token->first, c->row + token->first,
                   c->has_values ? c->x + token->first : NULL, token->n,
                   c->node + t * labels, c->node_shown + t * labels);
    }
    for (size_t l = 0; l < c->n_links; l++)
        for (size_t x = 0; x < labels; x++) {
            size_t at = c->links[l].first + x * c->links[l].n, to = c->links[l].matrix + x * labels;
            score_some(m, &e, c->link_id + at, c->link_row + at, NULL, c->links[l].n,
                       c->matrix + to, c->shown + to);
        }
    return true;
}

/* What the rules forbid becomes -INFINITY. */
static void forbid(const thr_chain *c, uint32_t labels, double *node, double *matrix)
{
    const thr_rules *r = &c->rules;
    size_t square = (size_t)labels * labels, last = (c->tokens - 1) * labels;
    for (uint32_t y = 0; y < labels && r->any; y++) {
        node[y] = r->begins[y] ? node[y] : -INFINITY;
        node[last + y] = r->ends[y] ? node[last + y] : -INFINITY;
    }
    for (size_t l = 0; l < c->n_links && r->any; l++)
        for (size_t i = 0; i < square; i++)
            if (!r->follows[i])
                matrix[l * square + i] = -INFINITY;
}

/* `ruled`: what the rules forbid is left out. */
static bool lay_lattice(const thr_model *m, thr_chain *c, bool live, bool ruled)
{
    thr_lattice *l = &c->lattice;
    double *node = live ? c->node : c->node_shown, *matrix = live ? c->matrix : c->shown;
    uint32_t labels = m->labels.n;
    l->beam = m->beam;
    if (!thr_lattice_lay_out(l, c->tokens, labels))
        return false;
    if (ruled)
        forbid(c, labels, node, matrix);
    memcpy(l->node, node, c->tokens * labels * sizeof *node);
    for (size_t t = 1; t < c->tokens; t++)
        l->link[t] = matrix + c->links[c->token[t].link].matrix;
    return true;
}

bool thr_chain_prepare(thr_chain *c, size_t n)
{
    return thr_grow(&c->pairs, &c->pairs_room, n, sizeof *c->pairs) &&
           thr_grow(&c->pair, &c->pair_room, c->tokens, sizeof *c->pair) &&
           thr_grow(&c->amount, &c->amount_room, c->lattice.labels, sizeof *c->amount);
}

bool thr_chain_lattice(const thr_model *m, thr_chain *c, bool live)
{
    return lay_lattice(m, c, live, true);
}

int thr_chain_score(const thr_model *m, thr_chain *c, const thr_batch *b, size_t from,
                    uint32_t known, thr_error *err)
{
    size_t tokens = thr_chain_length(b, from);
    enum thr_scheme scheme = (enum thr_scheme)m->reader.features.scheme;
    bool ok = thr_grow(&c->path, &c->path_room, tokens, sizeof *c->path) &&
              thr_grow(&c->truth, &c->truth_room, tokens, sizeof *c->truth) &&
              thr_rules_make(&c->rules, &m->labels, scheme) && take(m, c, b, from, tokens, known) &&
              thr_chain_find(m, c) && (m->labels.n == 0 || score(m, c));
    return ok ? 0 : thr_fail_memory(err);
}

int thr_chain_predict(const thr_model *m, thr_chain *c, const thr_batch *b, size_t from, double *sum,
                      thr_error *err)
{
    int code = thr_chain_score(m, c, b, from, m->known, err);
    if (code)
        return code;
    if (m->labels.n == 0) {
        for (size_t t = 0; t < c->tokens; t++)
            c->path[t] = THR_NONE;
        return 0;
    }
    if (!thr_chain_lattice(m, c, false))
        return thr_fail_memory(err);
    double best = thr_lattice_best(&c->lattice, c->path);
    if (best == -INFINITY) { /* the rules allow nothing, as where no tag may be alone */
        if (!score(m, c) || !lay_lattice(m, c, false, false))
            return thr_fail_memory(err);
        best = thr_lattice_best(&c->lattice, c->path);
    }
    if (sum)
        *sum = best;
    return 0;
}

bool thr_chain_has_probabilities(const thr_model *m)
{
    return m->member[0].rule.learner->steps != NULL;
}

const double *thr_chain_probabilities(thr_chain *c, double *log_z)
{
    if (!thr_chain_prepare(c, 0) || !thr_lattice_prepare(&c->lattice, c->n_links))
        return NULL;
    for (size_t t = 0; t < c->tokens; t++)
        c->pair[t] = NULL;
    *log_z = thr_lattice_marginals(&c->lattice, c->pair);
    return c->lattice.beta;
}
