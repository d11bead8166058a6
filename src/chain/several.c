/* The k best paths: each tag of each token keeps its k best ways (Seshadri, Sundberg 1994), in order, with the
 * tag and the rank that each comes from. */
#include "chain/lattice.h"

#include <math.h>
#include <stdlib.h>

/* A way to a tag of a token. */
typedef struct way {
    double sum;
    uint32_t from, rank; /* the tag before, and which of its ways */
} way;

/* Puts a way into a list of at most `most`, behind those that are as good. */
static size_t insert(way *list, size_t n, size_t most, way w)
{
    size_t at = n < most ? n : most - 1;
    if (n == most && !(w.sum > list[most - 1].sum))
        return n;
    for (; at > 0 && w.sum > list[at - 1].sum; at--)
        list[at] = list[at - 1];
    list[at] = w;
    return n < most ? n + 1 : n;
}

typedef struct lists {
    const thr_lattice *l;
    size_t most;
    way *way;  /* [token][label][rank] */
    size_t *n; /* [token][label] */
} lists;

static way *ways_of(const lists *s, size_t t, uint32_t y)
{
    return s->way + (t * s->l->labels + y) * s->most;
}

static void step(lists *s, size_t t)
{
    uint32_t k = s->l->labels;
    for (uint32_t y = 0; y < k; y++) {
        way *to = ways_of(s, t, y);
        double node = s->l->node[t * k + y]; /* -INFINITY: the tag may not end the sentence */
        size_t n = 0;
        for (uint32_t x = 0; x < k; x++) {
            const way *from = ways_of(s, t - 1, x);
            double link = s->l->link[t][(size_t)x * k + y];
            for (uint32_t r = 0; r < s->n[(t - 1) * k + x] && link + node > -INFINITY; r++)
                n = insert(to, n, s->most, (way){from[r].sum + link, x, r});
        }
        for (size_t r = 0; r < n; r++)
            to[r].sum += node;
        s->n[t * k + y] = n;
    }
}

/* Follows way w of the last token back to the first. */
static void trace(const lists *s, way w, uint32_t *path)
{
    for (size_t t = s->l->tokens - 1;; t--) {
        path[t] = w.from;
        if (t == 0)
            return;
        w = ways_of(s, t, w.from)[w.rank];
    }
}

/* The best ways to the end, of all tags of the last token; `from` is that tag. */
static size_t finish(const lists *s, way *best)
{
    size_t n = 0, last = s->l->tokens - 1;
    for (uint32_t y = 0; y < s->l->labels; y++)
        for (uint32_t r = 0; r < s->n[last * s->l->labels + y]; r++)
            n = insert(best, n, s->most, (way){ways_of(s, last, y)[r].sum, y, r});
    return n;
}

static void begin(lists *s)
{
    for (uint32_t y = 0; y < s->l->labels; y++) {
        *ways_of(s, 0, y) = (way){s->l->node[y], 0, 0};
        s->n[y] = s->l->node[y] > -INFINITY;
    }
}

bool thr_lattice_several(const thr_lattice *l, size_t most, uint32_t *path, double *sum, size_t *found)
{
    size_t cells = l->tokens * l->labels;
    lists s = {.l = l, .most = most};
    s.way = calloc(cells * most + most, sizeof *s.way);
    s.n = calloc(cells, sizeof *s.n);
    bool ok = s.way && s.n;
    if (ok) {
        way *best = s.way + cells * most;
        begin(&s);
        for (size_t t = 1; t < l->tokens; t++)
            step(&s, t);
        *found = finish(&s, best);
        for (size_t i = 0; i < *found; i++) {
            sum[i] = best[i].sum;
            trace(&s, best[i], path + i * l->tokens);
        }
    }
    free(s.way);
    free(s.n);
    return ok;
}
