/* Writing a model file (file.h shows its layout) from front to back, without seeking, so that
 * it can be written to a pipe. There are two phases:
 *
 *   plan    The small sections are made in memory and the sizes of the large ones are computed.
 *           So all offsets are known before the first byte is written: the index can come first.
 *   write   The bytes go to a sink, which passes them on in chunks of 64 KiB and hashes each
 *           chunk. The hashes follow after the last section.
 *
 * As file.h promises, equal models give equal bytes, whatever their history. So the hash table
 * of names is laid out anew, pages of integers in which no id is used are left out, and padding
 * is zero.
 *
 * A snapshot may be written while another thread goes on learning in the model that it was
 * taken from. That thread may add ids to pages that the snapshot shares. Such ids are not below
 * the snapshot's own lexicon.n, and are ignored; pages are read with atomic loads. */
#include "base/hash.h"
#include "file/file.h"
#include "model/inside.h"
#include "weights/stored.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes out, hashed -------------------------------------------------------------------- */

typedef struct sink {
    thr_put_fn *put_bytes; /* the caller's function, with its argument `to` */
    void *to;
    char *chunk;     /* the chunk that is being filled: room for THR_CHUNK bytes, owned */
    size_t n;        /* bytes in `chunk` */
    uint64_t offset; /* in the file, of the next byte; bytes that wait in `chunk` are counted */
    uint64_t *hash;  /* one for each chunk passed on; owned */
    size_t n_hashes, hash_room;
    int failed; /* 0, THR_EMEM, or THR_EIO if put_bytes failed. After a failure bytes are dropped,
                   so that it need be checked only once, at the end */
} sink;

/* Passes the bytes in `chunk` on. Only the last chunk may have fewer than THR_CHUNK. */
static void flush(sink *s)
{
    if (s->n == 0)
        return;
    if (!s->failed && !thr_grow(&s->hash, &s->hash_room, s->n_hashes + 1, sizeof *s->hash))
        s->failed = THR_EMEM;
    if (!s->failed && s->put_bytes(s->to, s->chunk, s->n))
        s->failed = THR_EIO;
    if (!s->failed)
        s->hash[s->n_hashes++] = thr_hash(s->chunk, s->n, 0);
    s->n = 0;
}

static void put(sink *s, const void *p, size_t n)
{
    const char *from = p;
    s->offset += n;
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

/* Writes zeros up to an offset. */
static void pad_to(sink *s, uint64_t offset)
{
    static const char zero[THR_FILE_ALIGN];
    while (s->offset < offset)
        put(s, zero, offset - s->offset < sizeof zero ? offset - s->offset : sizeof zero);
}

/* The offset is that of a section, which is not before the bytes put so far. */
static void put_at(sink *s, uint64_t offset, const void *p, size_t n)
{
    pad_to(s, offset);
    put(s, p, n);
}

/* ---- sections ----------------------------------------------------------------------------- */

/* Everything that must be known before the first byte is written. Owns its bytes. */
typedef struct plan {
    const thr_model *m;
    thr_bytes settings, labels, state, spaces; /* these sections, as they are in the file */
    thr_bytes *memory;                         /* for each member, its section of kept examples */
    thr_packing *packing;                      /* for each member, its lists if it has a bit in */
    uint64_t listed;                           /* head.listed */
    size_t n_pages;                            /* pages that are written, of all namespaces */
    size_t n_slots;                            /* slots of the hash table of names, as written */
    uint32_t n_sections;
    thr_file_section section[THR_MOST_SECTIONS];
    uint64_t hashes_at; /* offset of the hashes, behind all sections */
} plan;

/* The functions of this part that return bool return false when memory runs out. */

static bool add_u32(thr_bytes *b, uint32_t v)
{
    return thr_bytes_add(b, &v, sizeof v);
}

/* The length as u32, then the bytes. */
static bool add_text(thr_bytes *b, const char *p, size_t n)
{
    return add_u32(b, (uint32_t)n) && thr_bytes_add(b, p, n);
}

/* Page k of a namespace s if some id on it is one of lexicon x, else NULL. On the page, 0 means
 * that an integer has no id. The lexicon of a snapshot may see pages and ids that were added
 * after the snapshot was taken; such ids are not below x->n. */
static const uint32_t *used_page(const thr_lexicon *x, const thr_space *s, size_t k)
{
    const uint32_t *page = __atomic_load_n(&s->page[k], __ATOMIC_ACQUIRE);
    for (size_t i = 0; page && i < THR_PAGE; i++) {
        uint32_t id = __atomic_load_n(&page[i], __ATOMIC_RELAXED);
        if (id && id < x->n)
            return page;
    }
    return NULL;
}

/* Tables of names are the largest part of a lean file, and can be made from the names. */
static bool is_bare(const thr_model *m)
{
    return m->lean && !m->lexicon.hash_bits && thr_settings_rules(m->settings) > THR_RULES_FIRST;
}

/* Makes the section of namespaces. Each has its name, how many pages it has, and their
 * numbers. */
static bool plan_spaces(plan *p)
{
    const thr_lexicon *x = &p->m->lexicon;
    bool ok = add_u32(&p->spaces, (uint32_t)x->n_spaces);
    for (size_t i = 0; i < x->n_spaces && ok; i++) {
        const thr_space *s = &x->space[i];
        uint32_t pages = 0;
        for (size_t k = 0; k < s->pages && !is_bare(p->m); k++)
            pages += used_page(x, s, k) != NULL;
        ok = add_text(&p->spaces, s->name, s->n) && add_u32(&p->spaces, pages);
        for (size_t k = 0; k < s->pages && ok && pages; k++)
            if (used_page(x, s, k))
                ok = add_u32(&p->spaces, (uint32_t)k);
        p->n_pages += pages;
    }
    return ok;
}

/* Bytes of one row in the file, without the room for further labels that rows have in memory; 0
 * for a rule without weights. */
static size_t row_size(const thr_member *member)
{
    return thr_weights_size(&member->weights, member->weights.functions);
}

static uint64_t align(uint64_t offset)
{
    return (offset + THR_FILE_ALIGN - 1) / THR_FILE_ALIGN * THR_FILE_ALIGN;
}

/* Adds a section of so many bytes to the index. *end is where the section before it ends, and
 * becomes where this one ends. */
static void add_section(plan *p, uint64_t *end, size_t size)
{
    uint64_t offset = align(*end);
    p->section[p->n_sections++] = (thr_file_section){offset, size};
    *end = offset + size;
}

/* Computes the index from the sizes of all sections. */
static void plan_index(plan *p)
{
    const thr_lexicon *x = &p->m->lexicon;
    const size_t size[THR_SECTIONS] = {
        [THR_SECTION_SETTINGS] = p->settings.n,
        [THR_SECTION_LABELS] = p->labels.n,
        [THR_SECTION_STATE] = p->state.n,
        [THR_SECTION_SPACES] = p->spaces.n,
        [THR_SECTION_PAGES] = p->n_pages * THR_PAGE * sizeof(uint32_t),
        [THR_SECTION_SLOTS] = p->n_slots * sizeof(thr_slot),
        [THR_SECTION_ORIGIN] = x->n * sizeof(uint64_t),
        [THR_SECTION_HEAP] = x->heap.n,
        [THR_SECTION_BUCKETS] = x->hash_bits ? x->n * sizeof(thr_file_bucket) : 0,
    };
    /* The first section follows the head and the index. */
    uint64_t end = sizeof(thr_file_head) +
                   (THR_SECTIONS + THR_MEMBER_SECTIONS * p->m->members) * sizeof *p->section;
    for (int i = 0; i < THR_SECTIONS; i++)
        add_section(p, &end, size[i]);
    for (uint32_t k = 0; k < p->m->members; k++) {
        bool listed = p->listed >> k & 1;
        add_section(p, &end, listed ? p->packing[k].bytes : x->n * row_size(&p->m->member[k]));
        add_section(p, &end, p->memory[k].n);
    }
    p->hashes_at = align(end);
}

/* Decides which tables are stored as lists. */
static bool plan_lists(plan *p)
{
    bool ok = (p->packing = calloc(p->m->members, sizeof *p->packing)) != NULL;
    for (uint32_t k = 0; k < p->m->members && ok; k++) {
        bool listed;
        ok = thr_packing_init(&p->packing[k], &p->m->member[k].weights, p->m->lexicon.n, &listed);
        p->listed |= ok && listed ? UINT64_C(1) << k : 0;
        if (!(p->listed >> k & 1))
            thr_packing_clear(&p->packing[k]);
    }
    return ok;
}

/* After a failure, too, the caller calls plan_clear. */
static bool plan_all(plan *p, const thr_model *m)
{
    *p = (plan){.m = m};
    p->n_slots = is_bare(m) ? 0 : thr_lexicon_table_size(thr_lexicon_names(&m->lexicon));
    bool ok = thr_settings_print(m->settings, &p->settings) && add_u32(&p->labels, m->labels.n);
    for (uint32_t i = 0; i < m->labels.n && ok; i++)
        ok = add_text(&p->labels, m->labels.name[i], strlen(m->labels.name[i]));
    ok = ok && thr_state_write(m, &p->state) && plan_spaces(p) &&
         (p->memory = calloc(m->members, sizeof *p->memory)) != NULL;
    for (uint32_t k = 0; k < m->members && ok; k++)
        if (m->member[k].rule.memory)
            ok = thr_memory_write(&m->member[k].memory, &p->memory[k]);
    ok = ok && plan_lists(p);
    if (ok)
        plan_index(p);
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
    for (uint32_t k = 0; p->packing && k < p->m->members; k++)
        thr_packing_clear(&p->packing[k]);
    free(p->memory);
    free(p->packing);
}

/* ---- writing the sections ----------------------------------------------------------------- */

/* The head and the index. */
static void put_head(const plan *p, sink *s)
{
    thr_file_head head = {
        .version = p->listed ? THR_FILE_LISTED : THR_FILE_PLAIN,
        .flags = (p->m->lean ? THR_FILE_LEAN : 0) | (is_bare(p->m) ? THR_FILE_BARE : 0),
        /* one hash for each chunk, and the hash of these hashes */
        .size = p->hashes_at + (thr_guard_chunks(p->hashes_at) + 1) * sizeof(uint64_t),
        .hashes = p->hashes_at,
        .sections = p->n_sections,
        .listed = p->listed,
    };
    memcpy(head.magic, THR_FILE_MAGIC, sizeof head.magic);
    head.hash = thr_hash(&head, offsetof(thr_file_head, hash), 0);
    put(s, &head, sizeof head);
    put(s, p->section, p->n_sections * sizeof *p->section);
}

static void put_pages(const plan *p, sink *s)
{
    const thr_lexicon *x = &p->m->lexicon;
    uint32_t copy[THR_PAGE]; /* a page, with 0 instead of ids that this lexicon does not have */
    for (size_t i = 0; i < x->n_spaces && p->n_pages; i++)
        for (size_t k = 0; k < x->space[i].pages; k++) {
            const uint32_t *page = used_page(x, &x->space[i], k);
            if (!page)
                continue;
            for (size_t j = 0; j < THR_PAGE; j++) {
                uint32_t id = __atomic_load_n(&page[j], __ATOMIC_RELAXED);
                copy[j] = id < x->n ? id : 0;
            }
            put(s, copy, sizeof copy);
        }
}

/* The layout of the hash table in memory depends on how it has grown. The table in the file is
 * laid out anew, in the order of the ids and with as few slots as so many names need, so that
 * equal models give equal bytes. False: out of memory. */
static bool put_slots(const plan *p, sink *s)
{
    if (p->n_slots == 0)
        return true;
    thr_slot *table = malloc(p->n_slots * sizeof *table);
    if (!table)
        return false;
    thr_lexicon_table_fill(&p->m->lexicon, table, p->n_slots);
    put(s, table, p->n_slots * sizeof *table);
    free(table);
    return true;
}

/* A row for every id, written with start values if the member has none for it. False: out of
 * memory. */
static bool put_rows(const plan *p, sink *s, const thr_member *member)
{
    size_t size = row_size(member);
    char *row = malloc(size ? size : 1); /* malloc(0) may return NULL */
    for (uint32_t id = 0; row && size && id < p->m->lexicon.n; id++) {
        thr_weights_export(&member->weights, id, row);
        put(s, row, size);
    }
    free(row);
    return row;
}

/* Where the list of each feature is, and then the lists. */
static bool put_lists(thr_packing *l, sink *s)
{
    uint64_t at = l->rows;
    bool ok = true;
    put(s, l->place, l->rows * sizeof *l->place);
    for (uint32_t id = 0; ok && id < l->rows; id++) {
        ok = thr_packing_next(l, id, &at);
        put(s, l->now.p, ok ? l->now.n : 0);
    }
    return ok;
}

/* The two sections of member k: its weights, and the kept examples. False: out of memory. */
static bool put_member(const plan *p, sink *s, uint32_t k)
{
    const thr_file_section *section = p->section + THR_SECTIONS + k * THR_MEMBER_SECTIONS;
    pad_to(s, section[THR_SECTION_ROWS].offset);
    bool ok = p->listed >> k & 1 ? put_lists(&p->packing[k], s) : put_rows(p, s, &p->m->member[k]);
    put_at(s, section[THR_SECTION_MEMORY].offset, p->memory[k].p, p->memory[k].n);
    return ok;
}

/* The sections before those of the members, in the order of the file. False: out of memory. */
static bool put_sections(const plan *p, sink *s)
{
    const thr_lexicon *x = &p->m->lexicon;
    const thr_file_section *section = p->section;
    put_at(s, section[THR_SECTION_SETTINGS].offset, p->settings.p, p->settings.n);
    put_at(s, section[THR_SECTION_LABELS].offset, p->labels.p, p->labels.n);
    put_at(s, section[THR_SECTION_STATE].offset, p->state.p, p->state.n);
    put_at(s, section[THR_SECTION_SPACES].offset, p->spaces.p, p->spaces.n);
    pad_to(s, section[THR_SECTION_PAGES].offset);
    put_pages(p, s);
    pad_to(s, section[THR_SECTION_SLOTS].offset);
    if (!put_slots(p, s))
        return false;
    put_at(s, section[THR_SECTION_ORIGIN].offset, x->origin, x->n * sizeof *x->origin);
    put_at(s, section[THR_SECTION_HEAP].offset, x->heap.p, x->heap.n);
    pad_to(s, section[THR_SECTION_BUCKETS].offset);
    for (uint32_t id = 0; x->hash_bits && id < x->n; id++) {
        thr_file_bucket b = {.shared = thr_lexicon_collided(x, id)};
        if (id) /* the bias, id 0, has no bucket */
            b.mark = x->bucket[x->origin[id] & ~THR_FROM_HASH].mark;
        put(s, &b, sizeof b);
    }
    return true;
}

int thr_model_write(const thr_model *m, thr_put_fn *put_bytes, void *to)
{
    plan p = {0};
    sink s = {.put_bytes = put_bytes, .to = to, .chunk = malloc(THR_CHUNK)};
    bool ok = s.chunk && plan_all(&p, m);
    if (ok) {
        put_head(&p, &s);
        ok = put_sections(&p, &s);
        for (uint32_t k = 0; k < m->members && ok; k++)
            ok = put_member(&p, &s, k);
        pad_to(&s, p.hashes_at);
        flush(&s);
        /* The hashes are not put into the sink, which would hash them as well. The file ends
         * with the hash of these hashes. */
        size_t bytes = s.n_hashes * sizeof *s.hash;
        uint64_t last = s.failed ? 0 : thr_hash(s.hash, bytes, 0);
        if (!s.failed && (put_bytes(to, s.hash, bytes) || put_bytes(to, &last, sizeof last)))
            s.failed = THR_EIO;
    }
    plan_clear(&p);
    free(s.chunk);
    free(s.hash);
    return !ok ? THR_EMEM : s.failed;
}
