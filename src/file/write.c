/* The bytes of a model, in one forward pass, so that they can go to a pipe.
 *
 *   plan    The small sections are made in memory and the sizes of the large ones are computed.
 *           So all offsets are known before the first byte is written: the index can come first.
 *   write   Bytes go out in chunks of 64 KiB. Each chunk is hashed on its way; the hashes come
 *           last.
 *
 * The result depends on ids, settings and numbers only (file.h has the promise): the hash table is
 * laid out from the ids again, pages without an id are left out, and padding is zero.
 *
 * A snapshot may be written while another thread goes on learning in the model it was taken from.
 * The learner may add ids to pages that the snapshot sees; ids from the snapshot's own n on are
 * ignored, and pages are read with atomic loads. */
#include "base/hash.h"
#include "file/file.h"
#include "model/inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes out, hashed -------------------------------------------------------------------- */

typedef struct sink {
    thr_put_fn *put;
    void *to;
    char *chunk;      /* THR_CHUNK bytes */
    size_t n;         /* bytes in it */
    uint64_t written; /* bytes so far, those in `chunk` included: the offset in the file */
    uint64_t *hash;   /* of the chunks so far */
    size_t hashes, hash_room;
    int failed; /* 0, THR_EMEM, or THR_EIO if put failed; nothing is put after a failure */
} sink;

static void flush(sink *s)
{
    if (s->n == 0)
        return;
    if (!s->failed && !thr_grow(&s->hash, &s->hash_room, s->hashes + 1, sizeof *s->hash))
        s->failed = THR_EMEM;
    if (!s->failed && s->put(s->to, s->chunk, s->n))
        s->failed = THR_EIO;
    if (!s->failed)
        s->hash[s->hashes++] = thr_hash(s->chunk, s->n, 0);
    s->n = 0;
}

static void put(sink *s, const void *p, size_t n)
{
    const char *from = p;
    s->written += n;
    while (n) {
        size_t room = THR_CHUNK - s->n, part = n < room ? n : room;
        memcpy(s->chunk + s->n, from, part);
        s->n += part;
        from += part;
        n -= part;
        if (s->n == THR_CHUNK)
            flush(s);
    }
}

static void pad_to(sink *s, uint64_t offset)
{
    static const char zero[THR_FILE_ALIGN];
    while (s->written < offset)
        put(s, zero, offset - s->written < sizeof zero ? offset - s->written : sizeof zero);
}

/* ---- sections ----------------------------------------------------------------------------- */

/* Everything that must be known before the first byte is written. */
typedef struct plan {
    const thr_model *m;
    thr_bytes settings, labels, state, spaces; /* whole sections */
    thr_bytes *memory;                         /* per member: the section of kept examples */
    size_t pages, slots;                       /* numbers of these */
    uint32_t sections;
    thr_file_section section[THR_MOST_SECTIONS];
    uint64_t hashes; /* offset of the hashes */
} plan;

static bool add_u32(thr_bytes *b, uint32_t v)
{
    return thr_bytes_add(b, &v, sizeof v);
}

static bool add_text(thr_bytes *b, const char *p, size_t n)
{
    return add_u32(b, (uint32_t)n) && thr_bytes_add(b, p, n);
}

static bool plan_labels(plan *p)
{
    const thr_labels *l = &p->m->labels;
    bool ok = add_u32(&p->labels, l->n);
    for (uint32_t i = 0; i < l->n && ok; i++)
        ok = add_text(&p->labels, l->name[i], strlen(l->name[i]));
    return ok;
}

/* Whether a page holds an id below n. A snapshot may see pages that were added after it was
 * taken. */
static bool is_used(const uint32_t *page, uint32_t n)
{
    for (size_t i = 0; page && i < THR_PAGE; i++) {
        uint32_t id = __atomic_load_n(&page[i], __ATOMIC_RELAXED);
        if (id && id < n)
            return true;
    }
    return false;
}

static const uint32_t *used_page(const thr_lexicon *x, const thr_space *s, size_t k)
{
    const uint32_t *page = __atomic_load_n(&s->page[k], __ATOMIC_ACQUIRE);
    return is_used(page, x->n) ? page : NULL;
}

/* Each namespace: its name, then the numbers of its pages. */
static bool plan_spaces(plan *p)
{
    const thr_lexicon *x = &p->m->lexicon;
    bool ok = add_u32(&p->spaces, (uint32_t)x->n_spaces);
    for (size_t i = 0; i < x->n_spaces && ok; i++) {
        const thr_space *s = &x->space[i];
        uint32_t pages = 0;
        for (size_t k = 0; k < s->pages; k++)
            pages += used_page(x, s, k) != NULL;
        ok = add_text(&p->spaces, s->name, s->n) && add_u32(&p->spaces, pages);
        for (size_t k = 0; k < s->pages && ok; k++)
            if (used_page(x, s, k))
                ok = add_u32(&p->spaces, (uint32_t)k);
        p->pages += pages;
    }
    return ok;
}

/* Bytes of a row in the file: the width in use, which may be less than in memory. */
static size_t stride_of(const thr_member *k)
{
    return thr_weights_size(&k->weights, k->weights.functions);
}

/* The next section, at the next multiple of 64. */
static void place(plan *p, uint64_t *at, size_t size)
{
    *at = (*at + THR_FILE_ALIGN - 1) / THR_FILE_ALIGN * THR_FILE_ALIGN;
    p->section[p->sections++] = (thr_file_section){*at, size};
    *at += size;
}

static void plan_places(plan *p)
{
    const thr_lexicon *x = &p->m->lexicon;
    const size_t size[THR_SECTIONS] = {
        [THR_SECTION_SETTINGS] = p->settings.n,
        [THR_SECTION_LABELS] = p->labels.n,
        [THR_SECTION_STATE] = p->state.n,
        [THR_SECTION_SPACES] = p->spaces.n,
        [THR_SECTION_PAGES] = p->pages * THR_PAGE * sizeof(uint32_t),
        [THR_SECTION_SLOTS] = p->slots * sizeof(thr_slot),
        [THR_SECTION_ORIGIN] = x->n * sizeof(uint64_t),
        [THR_SECTION_HEAP] = x->heap.n,
        [THR_SECTION_BUCKETS] = x->hash_bits ? x->n * sizeof(thr_file_bucket) : 0,
    };
    uint64_t at = sizeof(thr_file_head) +
                  (THR_SECTIONS + THR_MEMBER_SECTIONS * p->m->members) * sizeof *p->section;
    for (int i = 0; i < THR_SECTIONS; i++)
        place(p, &at, size[i]);
    for (uint32_t k = 0; k < p->m->members; k++) {
        place(p, &at, x->n * stride_of(&p->m->member[k]));
        place(p, &at, p->memory[k].n);
    }
    p->hashes = (at + THR_FILE_ALIGN - 1) / THR_FILE_ALIGN * THR_FILE_ALIGN;
}

static bool plan_memory(plan *p)
{
    bool ok = (p->memory = calloc(p->m->members, sizeof *p->memory)) != NULL;
    for (uint32_t k = 0; k < p->m->members && ok; k++)
        if (p->m->member[k].rule.memory)
            ok = thr_memory_write(&p->m->member[k].memory, &p->memory[k]);
    return ok;
}

static bool plan_all(plan *p, const thr_model *m)
{
    *p = (plan){.m = m};
    p->slots = thr_lexicon_table_size(thr_lexicon_names(&m->lexicon));
    bool ok = thr_settings_print(m->settings, &p->settings) && plan_labels(p) &&
              thr_state_write(m, &p->state) && plan_spaces(p) && plan_memory(p);
    if (ok)
        plan_places(p);
    return ok;
}

static void plan_clear(plan *p)
{
    thr_bytes_clear(&p->settings);
    thr_bytes_clear(&p->labels);
    thr_bytes_clear(&p->state);
    thr_bytes_clear(&p->spaces);
    for (uint32_t k = 0; p->memory && k < p->m->members; k++)
        thr_bytes_clear(&p->memory[k]);
    free(p->memory);
}

/* ---- writing them ------------------------------------------------------------------------- */

static void put_head(const plan *p, sink *s)
{
    thr_file_head head = {
        .version = THR_FILE_VERSION,
        .flags = p->m->lean ? THR_FILE_LEAN : 0,
        .size = p->hashes + (thr_chunks(p->hashes) + 1) * sizeof(uint64_t),
        .hashes = p->hashes,
        .sections = p->sections,
    };
    memcpy(head.magic, THR_FILE_MAGIC, sizeof head.magic);
    head.hash = thr_hash(&head, offsetof(thr_file_head, hash), 0);
    put(s, &head, sizeof head);
    put(s, p->section, p->sections * sizeof *p->section);
}

static void put_page(const thr_lexicon *x, const uint32_t *page, sink *s)
{
    uint32_t copy[THR_PAGE];
    for (size_t i = 0; i < THR_PAGE; i++) {
        uint32_t id = __atomic_load_n(&page[i], __ATOMIC_RELAXED);
        copy[i] = id < x->n ? id : 0;
    }
    put(s, copy, sizeof copy);
}

static void put_pages(const plan *p, sink *s)
{
    const thr_lexicon *x = &p->m->lexicon;
    for (size_t i = 0; i < x->n_spaces; i++)
        for (size_t k = 0; k < x->space[i].pages; k++) {
            const uint32_t *page = used_page(x, &x->space[i], k);
            if (page)
                put_page(x, page, s);
        }
}

/* The table in memory has the order of insertion and growth in it. It is laid out again from the
 * ids alone, at the least size, so that equal models give equal bytes. */
static bool put_slots(const plan *p, sink *s)
{
    thr_slot *table = p->slots ? malloc(p->slots * sizeof *table) : NULL;
    if (p->slots && !table)
        return false;
    if (table) {
        thr_lexicon_table_fill(&p->m->lexicon, table, p->slots);
        put(s, table, p->slots * sizeof *table);
    }
    free(table);
    return true;
}

static void put_buckets(const plan *p, sink *s)
{
    const thr_lexicon *x = &p->m->lexicon;
    for (uint32_t id = 0; x->hash_bits && id < x->n; id++) {
        thr_file_bucket b = {.shared = thr_lexicon_collided(x, id)};
        if (id)
            b.mark = x->bucket[x->origin[id] & ~THR_FROM_HASH].mark;
        put(s, &b, sizeof b);
    }
}

/* Rows are copied one by one at the file's width; a feature without a row gets start values. */
static bool put_member(const plan *p, sink *s, uint32_t k)
{
    const thr_member *member = &p->m->member[k];
    const thr_file_section *section = p->section + THR_SECTIONS + k * THR_MEMBER_SECTIONS;
    size_t stride = stride_of(member);
    char *row = malloc(stride ? stride : 1);
    pad_to(s, section[THR_SECTION_ROWS].offset);
    for (uint32_t id = 0; row && stride && id < p->m->lexicon.n; id++) {
        thr_weights_export(&member->weights, id, row);
        put(s, row, stride);
    }
    pad_to(s, section[THR_SECTION_MEMORY].offset);
    put(s, p->memory[k].p, p->memory[k].n);
    free(row);
    return row != NULL;
}

static bool put_section(const plan *p, sink *s, enum thr_section section)
{
    const thr_lexicon *x = &p->m->lexicon;
    pad_to(s, p->section[section].offset);
    switch (section) {
    case THR_SECTION_SETTINGS:
        put(s, p->settings.p, p->settings.n);
        return true;
    case THR_SECTION_LABELS:
        put(s, p->labels.p, p->labels.n);
        return true;
    case THR_SECTION_STATE:
        put(s, p->state.p, p->state.n);
        return true;
    case THR_SECTION_SPACES:
        put(s, p->spaces.p, p->spaces.n);
        return true;
    case THR_SECTION_PAGES:
        put_pages(p, s);
        return true;
    case THR_SECTION_SLOTS:
        return put_slots(p, s);
    case THR_SECTION_ORIGIN:
        put(s, x->origin, x->n * sizeof *x->origin);
        return true;
    case THR_SECTION_HEAP:
        put(s, x->heap.p, x->heap.n);
        return true;
    default:
        put_buckets(p, s);
        return true;
    }
}

/* The hashes go past the sink, which would hash them as well. The last 8 bytes are their hash. */
static void put_hashes(sink *s)
{
    flush(s);
    size_t bytes = s->hashes * sizeof *s->hash;
    uint64_t last = s->failed ? 0 : thr_hash(s->hash, bytes, 0);
    if (!s->failed && (s->put(s->to, s->hash, bytes) || s->put(s->to, &last, sizeof last)))
        s->failed = THR_EIO;
}

int thr_model_write(const thr_model *m, thr_put_fn *put_bytes, void *to)
{
    plan p = {0};
    sink s = {.put = put_bytes, .to = to, .chunk = malloc(THR_CHUNK)};
    bool ok = s.chunk && plan_all(&p, m);
    if (ok) {
        put_head(&p, &s);
        for (int i = 0; i < THR_SECTIONS && ok; i++)
            ok = put_section(&p, &s, (enum thr_section)i);
        for (uint32_t k = 0; k < m->members && ok; k++)
            ok = put_member(&p, &s, k);
        pad_to(&s, p.hashes);
        put_hashes(&s);
    }
    plan_clear(&p);
    free(s.chunk);
    free(s.hash);
    return !ok ? THR_EMEM : s.failed;
}
