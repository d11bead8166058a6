/* Counting chunks (chunks.h). */
#include "measure/chunks.h"

#include <stdlib.h>

thr_chunks *thr_chunks_new(int scheme)
{
    thr_chunks *c = calloc(1, sizeof *c);
    if (c)
        c->chunks = scheme > THR_TAGS_PLAIN;
    return c;
}

void thr_chunks_free(struct thr_chunks *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->types; i++)
        free(c->type[i].name);
    free(c->type);
    free(c->span[0]);
    free(c->span[1]);
    free(c);
}

/* There are few types: they are searched one by one. NULL: out of memory. */
static struct thr_chunk_type *type_of(struct thr_chunks *c, thr_str name)
{
    for (size_t i = 0; i < c->types; i++)
        if (strlen(c->type[i].name) == name.n && memcmp(c->type[i].name, name.p, name.n) == 0)
            return &c->type[i];
    char *copy = thr_grow(&c->type, &c->type_room, c->types + 1, sizeof *c->type)
                     ? strndup(name.p, name.n)
                     : NULL;
    if (!copy)
        return NULL;
    c->type[c->types] = (struct thr_chunk_type){.name = copy};
    return &c->type[c->types++];
}

/* Counts n chunks of the truth or of the prediction. */
static bool count(struct thr_chunks *c, const thr_span_of_type *span, size_t n, bool truth)
{
    for (size_t i = 0; i < n; i++) {
        struct thr_chunk_type *type = type_of(c, span[i].type);
        if (!type)
            return false;
        *(truth ? &type->truths : &type->predicted) += 1;
        *(truth ? &c->all.truths : &c->all.predicted) += 1;
    }
    return true;
}

static void count_right(struct thr_chunks *c, size_t truths, size_t predicted)
{
    const thr_span_of_type *x = c->span[0], *y = c->span[1];
    for (size_t i = 0, k = 0; i < truths && k < predicted;) {
        if (x[i].first == y[k].first && x[i].end == y[k].end && thr_str_eq(x[i].type, y[k].type)) {
            type_of(c, x[i].type)->right++; /* it is there: it was counted */
            c->all.right++;
        }
        size_t at = x[i].first;
        i += x[i].first <= y[k].first;
        k += y[k].first <= at;
    }
}

bool thr_chunks_see(struct thr_chunks *c, const thr_str *truth, const thr_str *predicted, size_t n)
{
    uint64_t right = 0;
    for (int i = 0; i < 2; i++)
        if (!thr_grow(&c->span[i], &c->span_room[i], n, sizeof *c->span[i]))
            return false;
    for (size_t t = 0; t < n; t++)
        right += thr_str_eq(truth[t], predicted[t]);
    c->sentences++;
    c->exact += right == n;
    c->tokens += n;
    c->right += right;
    if (!c->chunks)
        return true;
    size_t truths = thr_tags_chunks(truth, n, c->span[0]);
    size_t found = thr_tags_chunks(predicted, n, c->span[1]);
    if (!count(c, c->span[0], truths, true) || !count(c, c->span[1], found, false))
        return false;
    count_right(c, truths, found);
    return true;
}
