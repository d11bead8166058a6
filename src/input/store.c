/* Copying examples out of batches, and shuffling them. */
#include "input/store.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

void thr_store_clear(thr_store *s)
{
    thr_batch_release(&s->all);
    free(s->order);
    *s = (thr_store){0};
}

/* Replaces a slice of the batch's block by a copy in the store's arena. False: out of memory. */
static bool keep(thr_batch *all, thr_str *text)
{
    if (!text->p)
        return true;
    const char *copy = thr_arena_copy(&all->arena, text->p, text->n);
    text->p = copy;
    return copy != NULL;
}

static bool keep_list(thr_batch *all, const thr_batch *b, thr_list *l)
{
    size_t from = all->n_listed;
    if (!thr_grow(&all->listed, &all->listed_room, from + l->n, sizeof *all->listed))
        return false;
    for (size_t i = 0; i < l->n; i++) {
        all->listed[from + i] = b->listed[l->from + i];
        if (!keep(all, &all->listed[from + i]))
            return false;
    }
    all->n_listed += l->n;
    l->from = from;
    return true;
}

/* Most tokens have the same links as the one before, and share its list. */
static bool keep_links(thr_batch *all, const thr_batch *b, thr_list *l)
{
    const thr_list *last = all->n ? &all->about[all->n - 1].links : NULL;
    bool same = last && last->n == l->n;
    for (size_t i = 0; i < l->n && same; i++)
        same = thr_str_eq(all->listed[last->from + i], b->listed[l->from + i]);
    if (!same)
        return keep_list(all, b, l);
    *l = *last;
    return true;
}

/* Ids say from here on which feature it is. Of its key only the namespace is kept, 0 or that of
 * numbers. The column of ids grows together with that of the keys. */
static bool add_one(thr_batch *all, const thr_batch *b, size_t e)
{
    thr_batch_open(all, b->about[e].line);
    if (all->failed)
        return false;
    thr_example_info about = b->about[e];
    about.text = (thr_str){0};
    if (!keep(all, &about.label) || !keep(all, &about.tag) || !keep_list(all, b, &about.more) ||
        !keep_list(all, b, &about.candidates) || !keep_links(all, b, &about.links))
        return false;
    all->about[all->n] = about;
    bool numbers = thr_batch_has_numbers(b);
    all->numbers |= numbers;
    for (size_t i = b->start[e]; i < b->start[e + 1]; i++) {
        bool number = numbers && thr_batch_is_number(b, i);
        thr_batch_push(all, (uint64_t)number << THR_SMALL_BITS, thr_batch_value(b, i));
    }
    if (all->failed || !thr_grow(&all->id, &all->id_room, all->key_room, sizeof *all->id))
        return false;
    size_t n = b->start[e + 1] - b->start[e];
    if (n)
        memcpy(all->id + all->start[all->n], b->id + b->start[e], n * sizeof *all->id);
    all->start[++all->n] = all->n_features;
    all->is_open = false;
    return true;
}

bool thr_store_add(thr_store *s, const thr_batch *b)
{
    if (!s->all.format)
        s->all.format = b->format;
    for (size_t e = 0; e < b->n; e++)
        if (!add_one(&s->all, b, e))
            return false;
    return true;
}

size_t thr_store_size(const thr_store *s)
{
    return s->pick ? s->picked : s->all.n;
}

bool thr_store_order(thr_store *s, const uint64_t *seed, uint64_t pass)
{
    size_t n = thr_store_size(s);
    if (!thr_grow(&s->order, &s->order_room, n + 1, sizeof *s->order))
        return false;
    s->ordered = 0;
    for (size_t i = 0; i < n; i++) {
        size_t e = s->pick ? s->pick[i] : i;
        if (!s->sentences || !s->all.about[e].joins)
            s->order[s->ordered++] = e;
    }
    if (!seed)
        return true;
    thr_random r;
    thr_random_init(&r, thr_mix64(*seed) + pass);
    for (size_t i = s->ordered; i > 1; i--) { /* Fisher and Yates */
        size_t j = (size_t)thr_random_below(&r, i), kept = s->order[i - 1];
        s->order[i - 1] = s->order[j];
        s->order[j] = kept;
    }
    return true;
}
