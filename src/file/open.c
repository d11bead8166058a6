/* Reading a model. Its head and small sections are checked and copied; the large sections (names,
 * rows) are used where they lie. A large file is mapped, so opening it for predicting takes time
 * that hardly depends on its size. Any other is read into memory, where nobody else can change it:
 * a mapped file that is cut short kills the process, and one that is overwritten gives other
 * weights, which must not be learned from and saved.
 *
 * Nothing that a file says may be trusted: an offset, size, count or id must be checked before it
 * is used as one. The hashes find damage; a forged file may have valid hashes, so they replace no
 * other check.
 *
 *   opened for                bytes      checked at opening      afterwards
 *
 *   predicting, below 64 MiB  in memory  all of them             -
 *
 *   predicting, larger        mapped     head, small sections;   each chunk of 64 KiB when it is
 *                                        hashed form: all        first touched; names before a
 *                                                                copy is made; whether the file
 *                                                                was changed, after each batch
 *
 *   training, or from memory  in memory  all of them             -
 *
 * Lists of weights are copied to lists of the table's own, and the memory of their section is given
 * back; only in a mapped file they stay where they are (weights/stored.h).
 *
 * Rows that need not become wider or longer are learned where they lie. The model owns the bytes,
 * together with its snapshots and clones. */
#include "base/hash.h"
#include "base/large.h"
#include "file/file.h"
#include "model/inside.h"
#include "weights/stored.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file while it is read. */
typedef struct view {
    const char *base; /* of the map */
    size_t size;
    thr_file_head head;
    thr_file_section section[THR_MOST_SECTIONS];
    thr_model *m;     /* the model that is filled */
    const char *name; /* of the file, for messages; or NULL */
    bool check_all;   /* now, and not when it is used */
    thr_error *err;
} view;

static int bad(const view *v, const char *what)
{
    thr_fail(v->err, THR_EMODEL, "%s", what);
    thr_fail_at(v->err, v->name, 0, 0);
    return THR_EMODEL;
}

/* ---- head and hashes ---------------------------------------------------------------------- */

/* Checks the head against the real size of the file, and the hashes against the hash of hashes.
 * From then on the hashes can be used to check chunks, which the guard does. */
static int read_head(view *v)
{
    if (v->size < sizeof v->head || memcmp(v->base, THR_FILE_MAGIC, 8) != 0)
        return bad(v, "this is not a thresh model");
    memcpy(&v->head, v->base, sizeof v->head);
    if (v->head.version != THR_FILE_PLAIN && v->head.version != THR_FILE_LISTED)
        return bad(v, "this model was written by another version of thresh, which this one "
                      "cannot read");
    if (v->head.hash != thr_hash(&v->head, offsetof(thr_file_head, hash), 0))
        return bad(v, "this model is damaged: its head does not match its checksum");
    if (v->size < v->head.size)
        return bad(v, "this model is cut short");
    uint64_t hashes = v->head.hashes;
    size_t sections = v->head.sections;
    if (v->size != v->head.size || sections < THR_SECTIONS || sections > THR_MOST_SECTIONS ||
        hashes % 8 != 0 || hashes < sizeof v->head + sections * sizeof *v->section ||
        hashes > v->size || v->size - hashes != (thr_guard_chunks(hashes) + 1) * sizeof(uint64_t))
        return bad(v, "this model is damaged: its head makes no sense");
    const uint64_t *hash = (const uint64_t *)(const void *)(v->base + hashes);
    size_t n = thr_guard_chunks(hashes);
    if (hash[n] != thr_hash(hash, n * sizeof *hash, 0))
        return bad(v, "this model is damaged: its checksums do not match theirs");
    thr_guard *g = &v->m->map->guard;
    *g = (thr_guard){.base = v->base, .size = hashes, .hash = hash};
    g->good = calloc(thr_guard_words(g->size), sizeof *g->good);
    return g->good ? 0 : thr_fail_memory(v->err);
}

/* Checks the chunks that a range lies in, unless that was done before. */
static int touch(view *v, uint64_t offset, uint64_t size)
{
    return thr_guard_touch(&v->m->map->guard, v->base + offset, size)
               ? 0
               : bad(v, "this model is damaged: a part of it does not match its checksum");
}

/* Sections lie in the order of their numbers, aligned, without overlap, and before the hashes. All
 * later pointer arithmetic relies on this. The chunks of the sections that are read at every
 * opening are checked here, too. */
static int read_index(view *v)
{
    size_t bytes = v->head.sections * sizeof *v->section;
    int code = touch(v, 0, sizeof v->head + bytes);
    if (code)
        return code;
    memcpy(v->section, v->base + sizeof v->head, bytes);
    uint64_t end = sizeof v->head + bytes; /* of the section before */
    for (uint32_t i = 0; i < v->head.sections; i++) {
        const thr_file_section *s = &v->section[i];
        if (s->offset < end || s->offset % THR_FILE_ALIGN || s->offset > v->head.hashes ||
            s->size > v->head.hashes - s->offset)
            return bad(v, "this model is damaged: its index makes no sense");
        end = s->offset + s->size;
    }
    static const enum thr_section small[] = {THR_SECTION_SETTINGS, THR_SECTION_LABELS,
                                             THR_SECTION_STATE, THR_SECTION_SPACES};
    for (size_t i = 0; i < sizeof small / sizeof *small && code == 0; i++)
        code = touch(v, v->section[small[i]].offset, v->section[small[i]].size);
    return code;
}

/* ---- small sections ----------------------------------------------------------------------- */

/* The part of a section that has not been read yet. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static cursor section(const view *v, size_t number)
{
    const char *p = v->base + v->section[number].offset;
    return (cursor){p, p + v->section[number].size};
}

static bool take(cursor *c, void *to, size_t n)
{
    if ((size_t)(c->end - c->at) < n)
        return false;
    memcpy(to, c->at, n);
    c->at += n;
    return true;
}

/* A u32 length and that many bytes, which stay in the map. */
static bool take_text(cursor *c, thr_str *out)
{
    uint32_t n;
    if (!take(c, &n, sizeof n) || (size_t)(c->end - c->at) < n)
        return false;
    *out = (thr_str){c->at, n};
    c->at += n;
    return true;
}

/* Settings come first, because they decide which members there are and what the other sections must
 * look like. */
static int read_settings(view *v)
{
    cursor c = section(v, THR_SECTION_SETTINGS);
    v->m->settings = thr_settings_new();
    if (!v->m->settings)
        return thr_fail_memory(v->err);
    int code = thr_settings_read(v->m->settings, c.at, (size_t)(c.end - c.at), v->err);
    if (code && thr_settings_rules(v->m->settings) > THR_RULES)
        return code; /* the message names the version; the caller adds the file's name */
    if (code == 0)
        code = thr_model_assemble(v->m, v->err);
    if (code && code != THR_EMEM)
        return bad(v, "this model has settings that this version does not know");
    return code;
}

static int read_labels(view *v)
{
    cursor c = section(v, THR_SECTION_LABELS);
    uint32_t n, label;
    if (!take(&c, &n, sizeof n))
        return bad(v, "this model is damaged: its labels end early");
    for (uint32_t i = 0; i < n; i++) {
        thr_str name;
        if (!take_text(&c, &name) || memchr(name.p, '\0', name.n))
            return bad(v, "this model is damaged: its labels end early");
        int code = thr_labels_add(&v->m->labels, name, &label, v->err);
        if (code)
            return code;
        if (label != i)
            return bad(v, "this model is damaged: a label stands in it twice");
    }
    return 0;
}

static int read_state(view *v)
{
    cursor c = section(v, THR_SECTION_STATE);
    bool memory;
    v->m->lean = v->head.flags & THR_FILE_LEAN;
    if (!thr_state_read(v->m, c.at, (size_t)(c.end - c.at), &memory))
        return memory ? thr_fail_memory(v->err)
                      : bad(v, "this model is damaged: its state makes no sense");
    /* Paused members, which the state names, have no sections. */
    if (v->head.sections != THR_SECTIONS + v->m->members * THR_MEMBER_SECTIONS ||
        (v->m->members < 64 && v->head.listed >> v->m->members))
        return bad(v, "this model is damaged: its head makes no sense");
    /* Text that was cut into words by Unicode tables cannot be cut in the same way without them,
     * nor the other way round: the features would be different ones. */
    const thr_totals *s = &v->m->seen;
    bool have = strcmp(thr_unicode_version(), "none") != 0, had = strcmp(s->unicode, "none") != 0;
    if (s->text && had && !have)
        return bad(v, "this model was trained on Unicode text, and this build of thresh has no "
                      "Unicode tables (utf8proc)");
    if (s->text && have && !had)
        return bad(v, "this model was trained on text by a build of thresh without Unicode tables, "
                      "which cuts words in another way");
    return 0;
}

/* ---- lexicon ------------------------------------------------------------------------------ */

/* One namespace, from the section of namespaces, and the addresses of its pages. */
static int read_space(view *v, cursor *c, cursor *pages)
{
    thr_lexicon *x = &v->m->lexicon;
    thr_str name;
    uint32_t n_pages, number, space;
    if (!take_text(c, &name) || !take(c, &n_pages, sizeof n_pages))
        return bad(v, "this model is damaged: its namespaces end early");
    size_t before = x->n_spaces;
    int code = thr_lexicon_space(x, name, &space, v->err);
    if (code)
        return code;
    if (x->n_spaces == before)
        return bad(v, "this model is damaged: a namespace stands in it twice");
    thr_space *s = &x->space[space];
    for (uint32_t i = 0; i < n_pages; i++) {
        size_t bytes = THR_PAGE * sizeof(uint32_t), old = s->pages;
        if (!take(c, &number, sizeof number) || number >= THR_SMALL / THR_PAGE ||
            (size_t)(pages->end - pages->at) < bytes)
            return bad(v, "this model is damaged: its pages end early");
        if (!thr_array_grow(&s->page, &s->pages, (size_t)number + 1, sizeof *s->page))
            return thr_fail_memory(v->err);
        memset(s->page + old, 0, (s->pages - old) * sizeof *s->page);
        s->page[number] = (uint32_t *)(uintptr_t)pages->at;
        pages->at += bytes;
    }
    return 0;
}

/* A bare file has names without tables to find them by. To make these, all names are read, and so
 * checked before. */
static int make_tables(view *v)
{
    thr_lexicon *x = &v->m->lexicon;
    if (x->slots || x->hash_bits)
        return bad(v, "this model is damaged: it has a table of names that it should not have");
    int code = touch(v, 0, v->head.hashes);
    return code ? code : thr_lexicon_rebuild(x, v->err);
}

/* Slots, origin and heap are borrowed from the map. Their sizes must fit the number of ids, which
 * the state has given; the number of slots must be a power of two, since searches wrap by a mask.
 * Offsets into the heap are checked when a name is read. */
static int read_lexicon(view *v)
{
    thr_lexicon *x = &v->m->lexicon;
    x->borrowed = true;
    x->seed = (uint64_t)thr_settings_number(v->m->settings, "hash-seed");
    x->hash_bits = (unsigned)thr_settings_number(v->m->settings, "hash-bits");
    cursor slots = section(v, THR_SECTION_SLOTS), origin = section(v, THR_SECTION_ORIGIN);
    cursor heap = section(v, THR_SECTION_HEAP), spaces = section(v, THR_SECTION_SPACES);
    cursor pages = section(v, THR_SECTION_PAGES);
    x->slot = (const thr_slot *)(const void *)slots.at;
    x->slots = (size_t)(slots.end - slots.at) / sizeof(thr_slot);
    x->origin = (uint64_t *)(uintptr_t)origin.at;
    x->heap = (thr_bytes){(char *)(uintptr_t)heap.at, (size_t)(heap.end - heap.at), 0};
    if ((slots.end - slots.at) % (long)sizeof(thr_slot) || (x->slots & (x->slots - 1)) ||
        (uint64_t)(origin.end - origin.at) != (uint64_t)x->n * sizeof(uint64_t))
        return bad(v, "this model is damaged: its table of names makes no sense");
    uint32_t n;
    if (!take(&spaces, &n, sizeof n) || n == 0)
        return bad(v, "this model is damaged: it has no namespaces");
    int code = 0;
    for (uint32_t i = 0; i < n && code == 0; i++)
        code = read_space(v, &spaces, &pages);
    if (code == 0 && x->space[0].n)
        return bad(v, "this model is damaged: its first namespace is not the empty one");
    return code || !(v->head.flags & THR_FILE_BARE) ? code : make_tables(v);
}

/* The hashed form is rebuilt in memory: the file lists the slot of each id, memory has the id of
 * each slot. */
static int read_buckets(view *v)
{
    thr_lexicon *x = &v->m->lexicon;
    if (!x->hash_bits)
        return 0;
    cursor c = section(v, THR_SECTION_BUCKETS);
    if ((uint64_t)(c.end - c.at) != (uint64_t)x->n * sizeof(thr_file_bucket))
        return bad(v, "this model is damaged: its hash slots end early");
    x->bucket = thr_array_zeros((size_t)1 << x->hash_bits, sizeof *x->bucket);
    if (!x->bucket || !thr_paged_reach(&x->collided, x->n, 1))
        return thr_fail_memory(v->err);
    for (uint32_t id = 0; id < x->n; id++) {
        thr_file_bucket b = {0};
        take(&c, &b, sizeof b); /* succeeds: the size was checked above */
        x->collided.page[id >> THR_PAGED_BITS][id & (THR_PAGED - 1)] = b.shared != 0;
        uint64_t slot = x->origin[id] & ~THR_FROM_HASH;
        if (id && (!(x->origin[id] & THR_FROM_HASH) || slot >> x->hash_bits || x->bucket[slot].id))
            return bad(v, "this model is damaged: its hash slots make no sense");
        if (id)
            x->bucket[slot] = (thr_bucket){id, b.mark};
    }
    return v->m->read_only ? 0 : thr_lexicon_thaw(x, v->err); /* learning will add ids */
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Rows are borrowed, at the width of the file. For learning the table asks for the width that it
 * keeps for further labels; segments are widened when they are next made ready. */
static int read_plain(view *v, thr_weights *w, cursor rows)
{
    size_t stride = thr_weights_size(w, w->functions), n = v->m->lexicon.n, bytes;
    if (__builtin_mul_overflow(stride, n, &bytes) || (size_t)(rows.end - rows.at) != bytes)
        return bad(v, "this model is damaged: its weights end early");
    int code = thr_weights_borrow(w, (char *)(uintptr_t)rows.at, n, v->err);
    if (code == 0 && !v->m->read_only)
        thr_weights_widen(w, w->functions);
    return code;
}

/* Gives whole pages back to the system, of bytes that are in memory and no longer needed. */
static void give_back(const view *v, cursor bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)bytes.at + page - 1) / page * page;
    uintptr_t to = (uintptr_t)bytes.end / page * page;
    if (v->m->map->fd < 0 && from < to)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

static int read_lists(view *v, thr_weights *w, cursor rows)
{
    size_t bytes = (size_t)(rows.end - rows.at);
    if (!thr_stored_fits(w, bytes, v->m->lexicon.n))
        return bad(v, "this model is damaged: its weights end early");
    int code = thr_weights_borrow_lists(w, rows.at, bytes, v->m->lexicon.n, v->err);
    if (code || !v->check_all)
        return code;
    if (!thr_weights_stored_sound(w))
        return bad(v, "this model is damaged: its lists of weights make no sense");
    code = thr_weights_take(w, v->err);
    give_back(v, rows);
    return code;
}

/* Kept examples are copied, and therefore checked entirely. */
static int read_kept(view *v, thr_member *k, cursor kept)
{
    if (!k->rule.memory && kept.at != kept.end)
        return bad(v, "this model is damaged: a rule keeps what it should not");
    if (!k->rule.memory)
        return 0;
    size_t size = (size_t)(kept.end - kept.at);
    int code = touch(v, (uint64_t)(kept.at - v->base), size);
    if (code)
        return code;
    code = thr_memory_read(&k->memory, kept.at, size, v->m->lexicon.n, v->m->labels.n, v->err);
    if (code == THR_EMODEL)
        thr_fail_at(v->err, v->name, 0, 0);
    for (size_t i = 0; i < k->memory.notes && code == 0; i++)
        if (k->memory.note[i].function >= k->weights.functions)
            code = bad(v, "this model is damaged: its notes on examples make no sense");
    return code;
}

/* A file of the first version has no lists. */
static int read_member(view *v, uint32_t k)
{
    thr_member *member = &v->m->member[k];
    size_t first = THR_SECTIONS + (size_t)k * THR_MEMBER_SECTIONS;
    cursor rows = section(v, first + THR_SECTION_ROWS);
    bool listed = v->head.version == THR_FILE_LISTED && v->head.listed >> k & 1;
    int code =
        listed ? read_lists(v, &member->weights, rows) : read_plain(v, &member->weights, rows);
    return code ? code : read_kept(v, member, section(v, first + THR_SECTION_MEMORY));
}

/* A lean model of one member gets the scales of its features into its rows (model/units.h), so that
 * predicting touches one place of memory per feature and not two. Rows are copied for that, which a
 * model that is too large to be read at opening is spared. */
static int put_scales_beside(view *v)
{
    thr_units *u = &v->m->units;
    thr_weights *w = &v->m->member[0].weights;
    if (!v->m->lean || v->m->members > 1 || !u->active || w->n_slots != 1 || w->n_wide ||
        thr_weights_is_listed(w))
        return 0;
    thr_weights_make_wider(w, w->functions + 1);
    int code = thr_weights_settle(w, v->m->lexicon.n, v->err);
    for (uint32_t id = 0; id < v->m->lexicon.n && code == 0; id++)
        thr_weights_row(w, id, 0)[w->functions] = thr_units_stored(u, id);
    u->beside = code ? 0 : w->functions * sizeof(float);
    return code;
}

/* ---- all together ------------------------------------------------------------------------- */

/* The order matters: each part is checked against those before it. The guards are set last, since
 * nothing above may depend on a check that comes later. */
static int read_all(view *v)
{
    thr_model *m = v->m;
    int code = read_head(v);
    if (code == 0)
        code = touch(v, 0, v->check_all ? v->head.hashes : sizeof v->head);
    if (code == 0)
        code = read_index(v);
    if (code == 0)
        code = read_settings(v);
    if (code == 0)
        code = read_labels(v);
    if (code == 0)
        code = read_state(v);
    if (code == 0)
        code = read_lexicon(v);
    if (code == 0 && m->lexicon.hash_bits)
        code = touch(v, 0, v->head.hashes);
    if (code == 0)
        code = read_buckets(v);
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        code = read_member(v, k);
    if (code == 0 && v->check_all)
        code = thr_lexicon_check(&m->lexicon, v->err);
    if (code == 0 && v->check_all)
        code = put_scales_beside(v);
    for (uint32_t k = 0; k < m->members && code == 0 && !v->check_all; k++)
        m->member[k].weights.guard = &m->map->guard;
    if (code == 0 && !v->check_all)
        m->lexicon.guard = &m->map->guard;
    return code;
}

/* Takes over the map, also on failure. Fields must be known before rules that compare them are
 * rebuilt. */
static thr_model *from_map(const thr_map *map, const char *name, enum thr_opened as, thr_error *err)
{
    bool to_train = as == THR_TO_TRAIN;
    view v = {
        .base = map->p, .size = map->size, .name = name, .check_all = as != THR_LAZILY, .err = err};
    thr_map *own = malloc(sizeof *own);
    v.m = own ? thr_model_blank() : NULL;
    if (!v.m) {
        free(own);
        munmap(map->p, map->size);
        if (map->fd >= 0)
            close(map->fd);
        thr_fail_memory(err);
        return NULL;
    }
    *own = *map;
    v.m->map = own;
    v.m->read_only = !to_train;
    int code = read_all(&v);
    if (code == 0)
        code = thr_model_group(v.m, err);
    /* What rules derive is not saved. What they derive from rows is needed for learning only, what
     * they derive from kept examples also for predicting. */
    for (uint32_t k = 0; k < v.m->members && code == 0; k++) {
        thr_member *member = &v.m->member[k];
        if (member->rule.learner->rebuild && (to_train || member->rule.memory))
            code = member->rule.learner->rebuild(&member->rule, &member->weights, err);
    }
    if (code == 0)
        return v.m;
    if (code == THR_EMODEL)
        thr_fail_at(err, name, 0, 0);
    thr_model_free(v.m);
    return NULL;
}

/* Memory for the bytes of a model: zeros, aligned as sections must be, in huge pages as far as they
 * fit in. NULL: there is none. */
static void *take_memory(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    thr_reserve_large(p, size);
    return p;
}

thr_model *thr_model_load_as(const void *bytes, size_t size, enum thr_opened as, thr_error *err)
{
    view v = {.name = NULL, .err = err};
    if (size < sizeof(thr_file_head)) {
        bad(&v, "this is not a thresh model");
        return NULL;
    }
    thr_map map = {.owners = 1, .p = take_memory(size), .size = size, .fd = -1};
    if (!map.p) {
        thr_fail_memory(err);
        return NULL;
    }
    memcpy(map.p, bytes, size);
    return from_map(&map, NULL, as, err);
}

thr_model *thr_model_load(const void *bytes, size_t size, thr_error *err)
{
    return thr_model_load_as(bytes, size, THR_TO_TRAIN, err);
}

/* Reads the whole file. A file that is being changed meanwhile is found by its hashes. */
static int read_file(int fd, thr_map *map, const view *v)
{
    map->p = take_memory(map->size);
    if (!map->p)
        return thr_fail_memory(v->err);
    for (size_t at = 0; at < map->size;) {
        ssize_t n = pread(fd, (char *)map->p + at, map->size - at, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int code = n < 0 ? thr_fail_errno(v->err, "cannot read %s", v->name)
                             : bad(v, "this model is cut short");
            munmap(map->p, map->size);
            return code;
        }
        at += (size_t)n;
    }
    return 0;
}

static int map_file(int fd, thr_map *map, const view *v)
{
    map->p = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map->p == MAP_FAILED)
        return thr_fail_errno(v->err, "cannot map %s", v->name);
    map->fd = fd;
    return 0;
}

/* O_NONBLOCK: opening a named pipe must not wait for its writer. */
thr_model *thr_model_open(const char *path, bool to_train, thr_error *err)
{
    struct stat st;
    view v = {.name = path, .err = err};
    thr_map map = {.owners = 1, .fd = -1};
    enum thr_opened as = THR_TO_PREDICT;
    int code, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        thr_fail_errno(err, "cannot open model %s", path);
        return NULL;
    }
    if (fstat(fd, &st))
        code = thr_fail_errno(err, "cannot read %s", path);
    else if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(thr_file_head))
        code = bad(&v, S_ISDIR(st.st_mode) ? "this is a directory, not a model"
                                           : "this is not a thresh model");
    else {
        map.size = (size_t)st.st_size;
        map.written = st.st_mtim;
        as = to_train ? THR_TO_TRAIN : map.size < THR_CHECK_ALL ? THR_TO_PREDICT : THR_LAZILY;
        code = as == THR_LAZILY ? map_file(fd, &map, &v) : read_file(fd, &map, &v);
    }
    if (map.fd < 0)
        close(fd); /* a mapped file stays open, to see whether it is changed */
    return code ? NULL : from_map(&map, path, as, err);
}
