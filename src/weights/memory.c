/* Kept examples: growing, sharing, forgetting, and their form in the model file. */
#include "weights/memory.h"

#include "example/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void thr_memory_clear(thr_memory *m)
{
    thr_array_free(m->start);
    thr_array_free(m->id);
    thr_array_free(m->x);
    thr_array_free(m->kept);
    thr_array_free(m->note);
    *m = (thr_memory){0};
}

/* Asks for one element more than needed, so that no array is NULL even without examples. */
static bool room_for(thr_memory *m, size_t examples, size_t features, bool values, size_t notes)
{
    return thr_array_grow(&m->start, &m->start_room, examples + 1, sizeof *m->start) &&
           thr_array_grow(&m->kept, &m->kept_room, examples + 1, sizeof *m->kept) &&
           thr_array_grow(&m->id, &m->id_room, features + 1, sizeof *m->id) &&
           (!values || thr_array_grow(&m->x, &m->x_room, features + 1, sizeof *m->x)) &&
           thr_array_grow(&m->note, &m->note_room, notes + 1, sizeof *m->note);
}

void thr_memory_share(const thr_memory *m, thr_memory *out)
{
    *out = *m;
    out->view = true;
    thr_array_share(m->start);
    thr_array_share(m->id);
    thr_array_share(m->x);
    thr_array_share(m->kept);
    thr_array_share(m->note);
}

int thr_memory_own(thr_memory *m, thr_error *err)
{
    bool ok = thr_array_own(&m->start, m->start_room, sizeof *m->start) &&
              thr_array_own(&m->kept, m->kept_room, sizeof *m->kept) &&
              thr_array_own(&m->id, m->id_room, sizeof *m->id) &&
              thr_array_own(&m->x, m->x_room, sizeof *m->x) &&
              thr_array_own(&m->note, m->note_room, sizeof *m->note);
    m->view &= !ok;
    return ok ? 0 : thr_fail_memory(err);
}

/* ---- keeping ------------------------------------------------------------------------------ */

int thr_memory_ready(thr_memory *m, const thr_example *e, size_t notes, thr_error *err)
{
    size_t features, all_notes;
    if (m->view && thr_memory_own(m, err))
        return THR_EMEM;
    if (m->n >= UINT32_MAX - 1 || __builtin_add_overflow(m->features, e->n, &features) ||
        __builtin_add_overflow(m->notes, notes, &all_notes) || features == SIZE_MAX ||
        all_notes == SIZE_MAX || !room_for(m, m->n + 1, features, m->has_values || e->x, all_notes))
        return thr_fail_memory(err);
    return 0;
}

uint32_t thr_memory_add(thr_memory *m, const thr_example *e)
{
    if (e->x && !m->has_values) { /* the first with values: all features so far have 1 */
        for (size_t i = 0; i < m->features; i++)
            m->x[i] = 1;
        m->has_values = true;
    }
    if (m->n == 0)
        m->start[0] = 0;
    for (size_t i = 0; i < e->n; i++) {
        m->id[m->features + i] = e->id[i];
        if (m->has_values)
            m->x[m->features + i] = e->x ? e->x[i] : 1;
    }
    m->features += e->n;
    m->kept[m->n] = (thr_kept){.scale = e->scale,
                               .norm2 = e->norm2,
                               .target = e->target,
                               .label = e->label,
                               .importance = e->importance};
    m->start[++m->n] = m->features;
    return (uint32_t)(m->n - 1);
}

void thr_memory_note(thr_memory *m, thr_note note)
{
    m->note[m->notes++] = note;
}

/* Moves everything down: the cost is that of all that is kept, which a budget bounds. */
void thr_memory_forget(thr_memory *m)
{
    uint64_t gone = m->start[1];
    size_t left = 0;
    m->n--;
    m->features -= (size_t)gone;
    memmove(m->id, m->id + gone, m->features * sizeof *m->id);
    if (m->has_values)
        memmove(m->x, m->x + gone, m->features * sizeof *m->x);
    memmove(m->kept, m->kept + 1, m->n * sizeof *m->kept);
    for (size_t i = 0; i <= m->n; i++)
        m->start[i] = m->start[i + 1] - gone;
    for (size_t i = 0; i < m->notes; i++)
        if (m->note[i].example > 0) {
            m->note[left] = m->note[i];
            m->note[left++].example--;
        }
    m->notes = left;
}

int thr_memory_mirror_ready(thr_memory *m, thr_error *err)
{
    size_t twice;
    if (__builtin_mul_overflow(m->notes, (size_t)2, &twice) ||
        !thr_array_grow(&m->note, &m->note_room, twice, sizeof *m->note) ||
        !thr_array_own(&m->note, m->note_room, sizeof *m->note))
        return thr_fail_memory(err);
    return 0;
}

/* Note i becomes notes 2i and 2i + 1. From the last to the first, so that none is overwritten
 * before it is read. */
void thr_memory_mirror(thr_memory *m, uint32_t anchor, double factor)
{
    for (size_t i = m->notes; i-- > 0;) {
        thr_note note = m->note[i];
        note.function = anchor;
        note.step *= factor;
        m->note[2 * i] = note;
        note.function = 1 - anchor;
        note.step = -note.step;
        m->note[2 * i + 1] = note;
    }
    m->notes *= 2;
}

thr_example thr_memory_example(const thr_memory *m, size_t i)
{
    const thr_kept *k = &m->kept[i];
    return (thr_example){
        .id = m->id + m->start[i],
        .x = m->has_values ? m->x + m->start[i] : NULL,
        .n = (size_t)(m->start[i + 1] - m->start[i]),
        .scale = k->scale,
        .norm2 = k->norm2,
        .label = k->label,
        .target = k->target,
        .importance = k->importance,
    };
}

/* ---- as bytes ----------------------------------------------------------------------------- */

/* The bytes of a file are a function of the model alone, so structs, which may have padding,
 * are written field by field. */
bool thr_memory_write(const thr_memory *m, thr_bytes *out)
{
    uint64_t head[4] = {m->n, m->features, m->notes, m->has_values};
    bool ok = thr_bytes_add(out, head, sizeof head);
    if (m->n)
        ok = ok && thr_bytes_add(out, m->start, (m->n + 1) * sizeof *m->start);
    for (size_t i = 0; i < m->n && ok; i++) {
        const thr_kept *k = &m->kept[i];
        ok = thr_bytes_add(out, &k->scale, 8) && thr_bytes_add(out, &k->norm2, 8) &&
             thr_bytes_add(out, &k->target, 8) && thr_bytes_add(out, &k->label, 4) &&
             thr_bytes_add(out, &k->importance, 4);
    }
    for (size_t i = 0; i < m->notes && ok; i++) {
        const thr_note *k = &m->note[i];
        ok = thr_bytes_add(out, &k->step, 8) && thr_bytes_add(out, &k->born, 8) &&
             thr_bytes_add(out, &k->example, 4) && thr_bytes_add(out, &k->function, 4);
    }
    if (m->features)
        ok = ok && thr_bytes_add(out, m->id, m->features * sizeof *m->id);
    if (m->features && m->has_values)
        ok = ok && thr_bytes_add(out, m->x, m->features * sizeof *m->x);
    return ok;
}

static int damaged(thr_memory *m, thr_error *err)
{
    thr_memory_clear(m);
    return thr_fail(err, THR_EMODEL, "this model is damaged: the examples it keeps make no sense");
}

/* Sizes in the file; a struct may be larger. */
#define KEPT_BYTES 32
#define NOTE_BYTES 24

/* Whether the counts in the head account for exactly n bytes. It is checked before anything is
 * allocated, so a damaged file cannot ask for more memory than its own size justifies. */
static bool sizes_agree(const uint64_t head[4], size_t n)
{
    if (head[0] >= UINT32_MAX || head[1] > n || head[2] > n || head[3] > 1)
        return false;
    uint64_t starts = head[0] ? head[0] + 1 : 0;
    return (uint64_t)n == 32 + starts * 8 + head[0] * KEPT_BYTES + head[2] * NOTE_BYTES +
                              head[1] * (head[3] ? 8 : 4);
}

/* Reads n bytes and moves *at behind them. */
static void take(const char **at, void *to, size_t n)
{
    if (n)
        memcpy(to, *at, n);
    *at += n;
}

/* Whether every index is in range and every number finite: scoring relies on both. The function
 * of a note is checked by the caller, who knows how many there are. */
static bool numbers_agree(const thr_memory *m, uint32_t features, uint32_t labels)
{
    bool ok = m->n ? m->start[0] == 0 && m->start[m->n] == m->features : m->features == 0;
    for (size_t i = 0; i < m->n && ok; i++) {
        const thr_kept *k = &m->kept[i];
        ok = m->start[i] <= m->start[i + 1] && isfinite(k->scale) && isfinite(k->norm2) &&
             k->norm2 >= 0 && isfinite(k->importance) && k->importance >= 0 &&
             (k->label == THR_NONE || k->label < labels);
    }
    for (size_t i = 0; i < m->features && ok; i++)
        ok = m->id[i] < features && (!m->has_values || isfinite(m->x[i]));
    for (size_t i = 0; i < m->notes && ok; i++)
        ok = m->note[i].example < m->n && isfinite(m->note[i].step) && isfinite(m->note[i].born);
    return ok;
}

int thr_memory_read(thr_memory *m, const char *p, size_t n, uint32_t features, uint32_t labels,
                    thr_error *err)
{
    uint64_t head[4];
    *m = (thr_memory){0};
    if (n == 0)
        return 0;
    if (n < sizeof head)
        return damaged(m, err);
    take(&p, head, sizeof head);
    if (!sizes_agree(head, n))
        return damaged(m, err);
    if (!room_for(m, (size_t)head[0], (size_t)head[1], head[3] != 0, (size_t)head[2])) {
        thr_memory_clear(m);
        return thr_fail_memory(err);
    }
    m->n = (size_t)head[0];
    m->features = (size_t)head[1];
    m->notes = (size_t)head[2];
    m->has_values = head[3] != 0;
    take(&p, m->start, m->n ? (m->n + 1) * sizeof *m->start : 0);
    for (size_t i = 0; i < m->n; i++) {
        thr_kept *k = &m->kept[i];
        take(&p, &k->scale, 8);
        take(&p, &k->norm2, 8);
        take(&p, &k->target, 8);
        take(&p, &k->label, 4);
        take(&p, &k->importance, 4);
    }
    for (size_t i = 0; i < m->notes; i++) {
        thr_note *k = &m->note[i];
        take(&p, &k->step, 8);
        take(&p, &k->born, 8);
        take(&p, &k->example, 4);
        take(&p, &k->function, 4);
    }
    take(&p, m->id, m->features * sizeof *m->id);
    take(&p, m->x, m->has_values ? m->features * sizeof *m->x : 0);
    return numbers_agree(m, features, labels) ? 0 : damaged(m, err);
}
