/* Tagging from left to right (greedy.h). */
#include "run/greedy.h"

#include "chain/chain.h"
#include "step/names.h"

#include <math.h>
#include <stdlib.h>

void thr_greedy_clear(thr_greedy *g)
{
    thr_workspace_clear(&g->work);
    thr_batch_release(&g->one);
    thr_past_clear(&g->past);
    thr_rules_clear(&g->rules);
    thr_bytes_clear(&g->name);
    free(g->path);
    free(g->probability);
    *g = (thr_greedy){0};
}

static void push(thr_greedy *g, uint32_t id, uint64_t key, float value)
{
    thr_batch *one = &g->one;
    size_t at = one->n_features;
    thr_batch_push(one, key, value);
    if (!one->failed && thr_grow(&one->id, &one->id_room, one->key_room, sizeof *one->id))
        one->id[at] = id;
    else
        one->failed = true;
}

/* The name of a link to two tags. */
static thr_str far_name(thr_greedy *g, const thr_model *m, size_t t, thr_str link)
{
    g->name.n = 0;
    thr_str before = thr_str_of(thr_model_label(m, g->path[t - 2]));
    bool ok = thr_bytes_add(&g->name, before.p, before.n) && thr_bytes_add(&g->name, " ", 1) &&
              thr_bytes_add(&g->name, link.p, link.n);
    return ok ? (thr_str){g->name.p, g->name.n} : (thr_str){0};
}

/* The features of the tags before token t. */
static bool push_past(thr_greedy *g, const thr_model *m, const thr_batch *b, size_t from, size_t t)
{
    const thr_example_info *about = &b->about[from + t];
    for (size_t i = 0; i < about->links.n; i++) {
        thr_str link = b->listed[about->links.from + i];
        if (i >= about->links.n - about->far)
            link = far_name(g, m, t, link);
        const uint32_t *id = link.p ? thr_past_find(&g->past, m, thr_model_lexicon(m),
                                                    thr_model_label_set(m), link)
                                    : NULL;
        if (!id)
            return false;
        push(g, id[g->path[t - 1]], 0, 1);
    }
    return true;
}

/* Makes token t an example of its own. */
static bool take_token(thr_greedy *g, const thr_model *m, const thr_batch *b, size_t from, size_t t)
{
    size_t e = from + t, bias = b->start[e + 1] - 1;
    thr_batch_reset(&g->one);
    thr_batch_open(&g->one, b->about[e].line);
    for (size_t i = b->start[e]; i < bias - b->about[e].past; i++)
        push(g, b->id[i], 0, thr_batch_value(b, i));
    bool ok = push_past(g, m, b, from, t);
    push(g, b->id[bias], THR_KEY_BIAS, 1);
    g->one.looked_up = true;
    g->one.format = b->format;
    thr_batch_close(&g->one);
    return ok && !g->one.failed;
}

static bool may_be(const thr_greedy *g, size_t t, size_t tokens, uint32_t y)
{
    const thr_rules *r = &g->rules;
    if (!r->any)
        return true;
    bool begins = t == 0 ? r->begins[y] : r->follows[(size_t)g->path[t - 1] * r->labels + y];
    return begins && (t + 1 < tokens || r->ends[y]);
}

/* The label with the greatest score among those that may follow; the greatest of all if none may. */
static uint32_t choose(const thr_greedy *g, const thr_model *m, size_t t, size_t tokens, uint32_t best)
{
    const double *score = g->work.cases[0].answer;
    uint32_t found = THR_NONE;
    if (may_be(g, t, tokens, best))
        return best;
    for (uint32_t y = 0; y < thr_model_labels(m); y++)
        if (may_be(g, t, tokens, y) && (found == THR_NONE || score[y] > score[found]))
            found = y;
    return found == THR_NONE ? best : found;
}

int thr_greedy_predict(const thr_model *m, thr_greedy *g, const thr_batch *b, size_t from,
                       double *score, thr_error *err)
{
    size_t tokens = thr_chain_length(b, from);
    enum thr_scheme scheme = (enum thr_scheme)thr_model_reader(m)->features.scheme;
    if (!thr_grow(&g->path, &g->path_room, tokens, sizeof *g->path) ||
        !thr_grow(&g->probability, &g->probability_room, tokens, sizeof *g->probability) ||
        !thr_rules_make(&g->rules, thr_model_label_set(m), scheme))
        return thr_fail_memory(err);
    *score = 0;
    for (size_t t = 0; t < tokens; t++) {
        uint32_t best = THR_NONE;
        int code = take_token(g, m, b, from, t) ? 0 : thr_fail_memory(err);
        if (code == 0)
            code = thr_model_score(m, &g->work, &g->one, 0, &best, err);
        if (code || best == THR_NONE) {
            g->path[0] = best;
            return code;
        }
        thr_case_probabilities(m, g->work.cases);
        g->path[t] = choose(g, m, t, tokens, best);
        g->probability[t] = g->work.cases[0].probability[g->path[t]];
        *score += g->work.cases[0].answer[g->path[t]];
    }
    thr_workspace_forget(&g->work);
    return 0;
}
