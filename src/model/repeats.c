/* The sample of marks; repeats.h explains what it is for.
 *
 * A mark has two halves. The upper one is a cheap sketch of the example and decides its place in
 * the order, and so whether it belongs to the sample at all. Most examples do not, once the sample
 * is full, and for these the expensive lower half, a hash of all features, is not computed. */
#include "model/repeats.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

void thr_repeats_clear(thr_repeats *r)
{
    free(r->mark);
    *r = (thr_repeats){0};
}

int thr_repeats_copy(const thr_repeats *r, thr_repeats *out, thr_error *err)
{
    *out = *r;
    out->mark = NULL;
    out->room = 0;
    if (!thr_grow(&out->mark, &out->room, r->n, sizeof *r->mark))
        return thr_fail_memory(err);
    if (r->n)
        memcpy(out->mark, r->mark, r->n * sizeof *r->mark);
    return 0;
}

/* Keeps the smallest marks of both lists, in order and without duplicates; at most the sample's
 * size. */
int thr_repeats_unite(thr_repeats *r, const thr_repeats *from, thr_error *err)
{
    uint64_t *mark = malloc(THR_REPEATS_SAMPLE * sizeof *mark);
    if (!mark)
        return thr_fail_memory(err);
    uint32_t n = 0, i = 0, j = 0;
    while (n < THR_REPEATS_SAMPLE && (i < r->n || j < from->n)) {
        bool first = j == from->n || (i < r->n && r->mark[i] <= from->mark[j]);
        uint64_t next = first ? r->mark[i] : from->mark[j];
        i += i < r->n && r->mark[i] == next;
        j += j < from->n && from->mark[j] == next;
        mark[n++] = next;
    }
    r->n = n;
    free(r->mark);
    r->mark = mark;
    r->room = THR_REPEATS_SAMPLE;
    return 0;
}

bool thr_repeats_sound(const thr_repeats *r)
{
    bool sound = r->row <= THR_REPEATS_ROW;
    for (uint32_t i = 1; i < r->n && sound; i++)
        sound = r->mark[i - 1] < r->mark[i];
    return sound;
}

int thr_repeats_ready(thr_repeats *r, thr_error *err)
{
    size_t need = r->n < THR_REPEATS_SAMPLE ? (size_t)r->n + 1 : THR_REPEATS_SAMPLE;
    return thr_grow(&r->mark, &r->room, need, sizeof *r->mark) ? 0 : thr_fail_memory(err);
}

static bool is_full(const thr_repeats *r)
{
    return r->n == THR_REPEATS_SAMPLE;
}

/* Id and value in one word. */
static uint64_t feature_bits(const thr_example *e, size_t i)
{
    uint32_t value = 0;
    if (e->x)
        memcpy(&value, &e->x[i], sizeof value);
    return (uint64_t)e->id[i] << 32 | value;
}

/* The sketch is a hash of the label, the number of features, the squared length and two of the
 * features: constant time, and different examples seldom agree. The lower half is a hash of the
 * label and all features. Its parts are hashed without a seed, because with one XXH3 derives a new
 * secret for every call; they are mixed together afterwards. */
uint64_t thr_repeats_mark(const thr_repeats *r, const thr_example *e)
{
    uint64_t length;
    memcpy(&length, &e->norm2, sizeof length);
    uint64_t sketch = thr_mix64((uint64_t)e->label << 32 ^ e->n) ^ length;
    if (e->n)
        sketch = thr_mix64(sketch ^ feature_bits(e, e->n / 2)) ^ feature_bits(e, e->n / 4);
    uint64_t order = thr_mix64(sketch) & ~(uint64_t)UINT32_MAX;
    if (is_full(r) && order > r->mark[r->n - 1])
        return order;
    uint64_t whole = thr_mix64(e->label);
    if (e->target == e->target)
        whole ^= thr_hash(&e->target, sizeof e->target, 0);
    if (e->x)
        whole = thr_mix64(whole ^ thr_hash(e->x, e->n * sizeof *e->x, 0));
    return order | thr_mix64(whole ^ thr_hash(e->id, e->n * sizeof *e->id, 0)) >> 32;
}

/* Three cases. The mark is beyond a full sample: nothing changes. It is in the sample: the row
 * grows. It is new: it is inserted, the greatest mark of a full sample makes room for it, and the
 * row starts again. */
bool thr_repeats_see(thr_repeats *r, uint64_t mark)
{
    bool full = is_full(r);
    if (full && mark > r->mark[r->n - 1])
        return r->row >= THR_REPEATS_ROW;
    uint32_t low = 0, high = r->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (r->mark[middle] < mark)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < r->n && r->mark[low] == mark) {
        r->row += r->row < THR_REPEATS_ROW;
        return r->row >= THR_REPEATS_ROW;
    }
    uint32_t last = full ? r->n - 1 : r->n;
    memmove(r->mark + low + 1, r->mark + low, (last - low) * sizeof *r->mark);
    r->mark[low] = mark;
    r->n = last + 1;
    r->row = 0;
    return false;
}

/* A mark of `first` beyond the end of a full sample proves nothing: it may have been pushed out. */
bool thr_repeats_include(const thr_repeats *r, const thr_repeats *first)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < first->n; i++) {
        while (at < r->n && r->mark[at] < first->mark[i])
            at++;
        if (at == r->n ? !is_full(r) : r->mark[at] != first->mark[i])
            return false;
    }
    return true;
}

/* Marks are spread evenly over 64 bits, so a full sample has one of every 2^64 / (greatest mark)
 * distinct examples. The stream counts as repeating from the sampled example number THR_REPEATS_ROW
 * on; all examples before that one were taken for new. */
uint64_t thr_repeats_mistaken(const thr_repeats *r, bool noticed)
{
    double apart = is_full(r) ? 0x1p64 / ((double)r->mark[r->n - 1] + 1) : 1;
    double mistaken = noticed ? apart * THR_REPEATS_ROW - 1 : 0;
    if (r->row < THR_REPEATS_ROW)
        mistaken += apart * (double)r->row;
    return mistaken < 0x1p63 ? (uint64_t)mistaken : UINT64_C(1) << 63; /* forged marks are close */
}
