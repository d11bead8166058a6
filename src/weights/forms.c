/* The two forms of a table: plain rows, which have a number for every function, and lists of the
 * functions that a feature has moved (lists.h). A table changes its form as a whole, when it has
 * grown and lists would take far less memory, or when an operation wants plain rows; and a table of
 * lists is made row by row where it is read from a file or cut to some features. */
#include "weights/lists.h"
#include "weights/rows.h"
#include "weights/stored.h"

#include <string.h>

#define LARGE_TABLE (UINT64_C(64) << 20) /* bytes; see thr_weights_choose_form */

/* ---- plain rows and lists ----------------------------------------------------------------- */

/* Makes lists of the plain rows of a segment. Most rows equal the one before: they were met in one
 * example. */
static int gather_segment(const thr_weights *from, thr_weights *to, size_t segment, thr_error *err)
{
    const thr_segment *now = thr_segment_at(to, segment), *was = thr_segment_at(from, segment);
    size_t rows = thr_segment_rows(from, segment), size = thr_weights_size(from, was->width);
    const char *last = NULL;
    thr_entries *before = NULL; /* the list that the row `last` has become */
    for (size_t r = 0; r < rows; r++) {
        char *row = now->rows + r * now->stride;
        const char *old = was->rows + r * was->stride;
        if (!thr_segment_of(from, (uint32_t)(segment << THR_SEGMENT_BITS | r))) /* checks a map */
            continue;
        bool same = last && memcmp(old, last, size) == 0;
        last = old;
        if (same && thr_list_again(before, row))
            continue;
        if (!thr_list_gather(to, old, was->width, row, before, now->pool))
            return thr_fail_memory(err);
        before = thr_row_entries(row);
    }
    return 0;
}

/* Makes plain rows of the lists of a segment. */
static void expand_segment(const thr_weights *from, const thr_weights *to, size_t segment)
{
    const thr_segment *now = thr_segment_at(to, segment), *was = thr_segment_at(from, segment);
    for (size_t r = 0; r < thr_segment_rows(from, segment); r++) {
        char *row = now->rows + r * now->stride;
        const char *old = was->rows + r * was->stride;
        if (!thr_segment_of(from, (uint32_t)(segment << THR_SEGMENT_BITS | r))) /* checks a map */
            continue;
        if (was->pool)
            thr_list_expand(from, thr_row_entries(old), row, to->width);
        else
            thr_stored_expand(from, old, row, to->width);
    }
}

/* Copies the rows of one segment of `from` to the same segment of `to`, which has the other form.
 */
static int convert_segment(const thr_weights *from, thr_weights *to, size_t segment, thr_error *err)
{
    const thr_segment *was = thr_segment_at(from, segment);
    if (!was->pool && was->width != THR_STORED_WIDTH)
        return gather_segment(from, to, segment, err);
    expand_segment(from, to, segment);
    return 0;
}

/* Makes `to` an empty table that can take the place of w. */
static void init_like(const thr_weights *w, thr_weights *to, bool listed)
{
    thr_weights_init(to, w->slot, w->n_slots);
    to->functions = w->functions;
    to->may_list = w->may_list;
    to->plain_most = w->plain_most;
    to->epoch = w->epoch;
    if (listed)
        thr_weights_begin_lists(to);
    else
        thr_weights_make_wider(to, w->functions);
}

int thr_weights_convert(thr_weights *w, bool listed, thr_error *err)
{
    thr_weights to;
    int code = 0;
    init_like(w, &to, listed);
    for (size_t i = 0; i < w->segments && code == 0; i++) {
        thr_weights *only = &to;
        code = thr_segments_make(&only, 1, i, 1, err);
        if (code == 0)
            code = convert_segment(w, &to, i, err);
    }
    if (code) {
        thr_weights_clear(&to);
        return code;
    }
    to.rows = w->rows;
    thr_weights_set_stride(&to, to.stride);
    thr_weights_clear(w);
    *w = to;
    return 0;
}

/* Lists take more time than plain rows where labels are few, so a table has to become much smaller
 * by them: eight times, or three times if it is large. */
static bool lists_suit(const thr_weights *w, uint64_t lists)
{
    uint64_t plain = (uint64_t)thr_weights_size(w, w->functions) * w->rows;
    return w->plain_most == 0 || lists <= plain / (plain < LARGE_TABLE ? 8 : 3);
}

/* So plain rows take at most eight times the bytes of the section. */
int thr_weights_take(thr_weights *w, thr_error *err)
{
    thr_weights *only = w;
    int code = 0;
    if (!lists_suit(w, w->stored_bytes))
        return thr_weights_convert(w, false, err);
    for (size_t i = 0; i < w->segments && code == 0; i++)
        code = thr_segments_make(&only, 1, i, 1, err);
    w->stored = NULL;
    return code;
}

/* A table that stays plain is looked at again when it has twice the size. */
int thr_weights_choose_form(thr_weights *w, bool *converted, thr_error *err)
{
    *converted = false;
    if (!thr_weights_wants_lists(w))
        return 0;
    uint64_t plain = (uint64_t)w->size * w->rows;
    *converted = w->plain_most == 0 || lists_suit(w, thr_lists_would_take(w));
    if (*converted)
        return thr_weights_convert(w, true, err);
    w->plain_most = plain > SIZE_MAX / 2 ? SIZE_MAX : (size_t)plain * 2;
    return 0;
}

/* ---- lists row by row ---------------------------------------------------------------------- */

/* Makes one more row. *before is the list of the row before it, if that is in the same segment. */
static int next_row(thr_weights *w, char **row, thr_pool **pool, thr_entries **before,
                    thr_error *err)
{
    size_t segment = w->rows >> THR_SEGMENT_BITS, at = w->rows & (THR_SEGMENT - 1);
    int code = segment < w->segments ? 0 : thr_segments_make(&w, 1, segment, 1, err);
    if (code)
        return code;
    const thr_segment *s = thr_segment_at(w, segment);
    *row = s->rows + at * s->stride;
    *pool = s->pool;
    *before = at ? thr_row_entries(*row - s->stride) : NULL;
    w->rows++;
    return 0;
}

int thr_weights_append(thr_weights *w, const char *plain, thr_error *err)
{
    char *row;
    thr_pool *pool;
    thr_entries *before;
    int code = next_row(w, &row, &pool, &before, err);
    if (code == 0 && !thr_list_gather(w, plain, w->functions, row, before, pool))
        code = thr_fail_memory(err);
    return code;
}

/* Appends a row with these entries, or with the list of the row before. */
static int append_entries(thr_weights *w, const thr_entries_view *v, bool same, thr_error *err)
{
    char *row;
    thr_pool *pool;
    thr_entries *l;
    int code = next_row(w, &row, &pool, &l, err);
    if (code || v->n == 0)
        return code;
    if (same && l)
        l->rows++;
    else if (!thr_pool_reserve(w, pool, thr_list_size(w, v)))
        return thr_fail_memory(err);
    else if ((l = thr_list_add(w, v, pool)))
        w->entries += l->n;
    memcpy(row, &l, sizeof l);
    return 0;
}

int thr_weights_subset(const thr_weights *w, const bool *keep, size_t n, thr_weights *out,
                       thr_error *err)
{
    const char *last = NULL;
    int code = 0;
    init_like(w, out, true);
    for (size_t id = 0; id < w->rows && code == 0; id++) {
        if (id > 0 && id < n && !keep[id])
            continue;
        thr_entries_view v = thr_weights_entries(w, (uint32_t)id);
        code = append_entries(out, &v, v.entry == last, err);
        last = v.entry;
    }
    if (code)
        thr_weights_clear(out);
    return code;
}
