/* Finding the names of a batch in the table of names, THR_GROUP at a time.
 *
 * A name is found in four steps, each of which reads what the one before has prefetched:
 *
 *     collect     the hash of the name           prefetch its home
 *     spot        the cell with the tag          prefetch the origin of its id
 *     trace       the origin                     prefetch the name in the heap
 *     settle      the name: is it the same?      store the id
 *
 * Each turn does one step for each of four groups, so that a group's prefetches are under way while
 * the others are worked on. In the table of a model file a name lies in its slot, and settle
 * follows collect. */
#include "lexicon/lookup.h"
#include "lexicon/slots.h"

#include "base/scan.h"

#include <stddef.h>
#include <string.h>

#define STEPS 4

/* A name that is being looked for. */
typedef struct wanted {
    uint64_t head; /* what the head of its slot must be */
    const thr_name *name;
    uint32_t *id; /* where its id is to be stored */
    uint32_t ns;  /* the lexicon's number of its namespace */
    uint32_t far; /* whether it must be looked up by itself */
    uint32_t met; /* the id that has its tag, or 0 */
} wanted;

/* Up to THR_GROUP features that are prefetched and then looked up together. */
typedef struct group {
    wanted name[THR_GROUP];
    const char *text[THR_GROUP];               /* where the heap has the name of `met` */
    size_t small[THR_GROUP];                   /* features that are small integers in `flat` */
    thr_name made[THR_GROUP];                  /* names of large integers without their own table */
    char digits[THR_GROUP][THR_NAME_ROOM + 4]; /* the text of `made` */
    size_t names, smalls, makes;
} group;

/* Tag, namespace and length of a slot as one word, so that one comparison tests all three. */
static inline uint64_t slot_head(const thr_slot *s)
{
    uint64_t head;
    _Static_assert(offsetof(thr_slot, text) == offsetof(thr_slot, tag) + sizeof head, "one head");
    memcpy(&head, (const char *)s + offsetof(thr_slot, tag), sizeof head);
    return head;
}

/* The same for a short name that is being looked for. Assembled in a register: storing the parts
 * and loading the whole would stall, because the store buffer cannot forward to a wider load. */
static inline uint64_t head_of(uint32_t tag, uint32_t ns, uint32_t n)
{
    if (THR_SCANS)
        return tag | (uint64_t)ns << 32 | (uint64_t)n << 48;
    const thr_slot s = {.tag = tag, .ns = (uint16_t)ns, .n = (uint16_t)n};
    return slot_head(&s);
}

static inline uint32_t tag_of(uint64_t head)
{
    uint32_t tag;
    memcpy(&tag, &head, sizeof tag); /* the tag comes first in memory */
    return tag;
}

/* ---- collect ------------------------------------------------------------------------------ */

/* Spells a large integer as a name of the group. */
static const thr_name *make_name(group *g, uint64_t key, uint64_t seed)
{
    thr_name *name = &g->made[g->makes];
    char *digits = g->digits[g->makes++];
    thr_str text = thr_integer_name((uint32_t)key, digits);
    *name = (thr_name){text.p, (uint32_t)text.n, 0, thr_hash_digits(text, seed)};
    return name;
}

/* Where the search for a name begins. */
static inline const void *home_of(const thr_lexicon *x, const thr_tables *tables, uint32_t tag)
{
    if (!tables->cell)
        return &x->slot[tag & (x->slots - 1)];
    size_t mask;
    const uint64_t *table = thr_table_of(tables, tag, &mask);
    return &table[tag & mask];
}

/* Collects the next THR_GROUP features from *from on and prefetches where they will be found. Ends
 * early at a feature of another kind. *from becomes the first feature not collected. */
__attribute__((noinline)) static void collect(const thr_search *s, const thr_tables *tables,
                                              size_t *from, size_t to, group *g)
{
    const uint32_t *flat = s->x->flat;
    const thr_name *names = s->b->name;
    const uint64_t *key = s->b->key;
    const uint32_t *map = s->map;
    uint32_t *id = s->b->id;
    const void *place[THR_GROUP];
    size_t n = 0, i = *from, end = to - i < THR_GROUP ? to : i + THR_GROUP;
    wanted *next = g->name;
    g->smalls = g->makes = 0;
    for (; i < end; i++) {
        const thr_name *name;
        if (key[i] & THR_KEY_NAME)
            name = &names[key[i] & ~THR_KEY_NAME];
        else if (key[i] & THR_KEY_LARGE && !s->x->integers)
            name = make_name(g, key[i], s->b->hash_seed);
        else if (key[i] == THR_KEY_BIAS) {
            id[i] = 0;
            continue;
        } else if (key[i] < THR_SMALL && flat) {
            place[n++] = &flat[key[i]];
            g->small[g->smalls++] = i;
            continue;
        } else
            break;
        uint32_t ns = map[name->ns];
        if (ns == THR_NONE)
            break;
        uint32_t tag = (uint32_t)thr_name_hash(name->hash, ns);
        place[n++] = home_of(s->x, tables, tag);
        *next++ = (wanted){head_of(tag, ns, name->n), name, &id[i], ns, 0, 0};
    }
    thr_prefetch_all(place, n);
    *from = i;
    g->names = (size_t)(next - g->name);
}

/* ---- names in cells ----------------------------------------------------------------------- */

/* A cell behind many others, or of an id that is not known here, needs a search with more care. */
static void spot(const thr_search *s, const thr_tables *tables, group *g)
{
    const uint64_t *origin = s->x->origin;
    uint32_t ids = thr_ids(s->x);
    for (wanted *w = g->name; w < g->name + g->names; w++) {
        size_t mask, tries = 0;
        uint32_t tag = tag_of(w->head);
        const uint64_t *table = thr_table_of(tables, tag, &mask);
        size_t at = tag & mask;
        uint64_t c = thr_cell_load(&table[at]);
        while (c && thr_cell_tag(c) != tag && ++tries < THR_TRIES)
            c = thr_cell_load(&table[at = (at + 1) & mask]);
        uint32_t id = thr_cell_id(c);
        w->far = id >= ids || tries == THR_TRIES;
        w->met = w->far ? 0 : id;
        __builtin_prefetch(&origin[w->met]);
    }
}

/* A name that is not longer than a slot's is read as if it had that length, and often crosses a
 * border of cache lines. Where no name was met the origin is that of the bias, and not used. */
static void trace(const thr_search *s, group *g)
{
    const uint64_t *origin = s->x->origin;
    const char *heap = s->x->heap.p;
    for (size_t i = 0; i < g->names; i++) {
        g->text[i] = heap + origin[g->name[i].met];
        __builtin_prefetch(g->text[i]);
        __builtin_prefetch(g->text[i] + THR_HEAP_HEAD + THR_NAME_ROOM - 1);
    }
}

/* A name longer than a slot's. */
static inline bool same_long(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i + 8 < n; i += 8)
        if (thr_load8(a + i) != thr_load8(b + i))
            return false;
    return thr_load8(a + n - 8) == thr_load8(b + n - 8);
}

/* Whether the heap has the name at `at`. Up to `end` all bytes of the heap may be read. */
static inline bool text_is(const char *at, const char *end, const wanted *w, bool tight)
{
    uint16_t ns;
    uint32_t n;
    memcpy(&ns, at, sizeof ns);
    memcpy(&n, at + sizeof ns, sizeof n);
    at += THR_HEAP_HEAD;
    if (ns != w->ns || n != w->name->n)
        return false;
    if (n > THR_SLOT_TEXT)
        return same_long(at, w->name->p, n);
    if (tight || end - at < THR_NAME_ROOM)
        return thr_same_bytes(at, w->name->p, n);
    return thr_same_roomy(at, w->name->p, n);
}

/* A name that is not within THR_TRIES places, or whose tag another name has: rare, unless names are
 * made to collide. Then the lexicon may have got another table meanwhile. */
__attribute__((noinline)) static uint32_t find_far(const thr_search *s, const wanted *w)
{
    thr_str text = {w->name->p, w->name->n};
    return thr_name_id(s->x, w->ns, text, w->name->hash);
}

static void settle_smalls(const thr_search *s, const group *g)
{
    for (size_t i = 0; i < g->smalls; i++)
        s->b->id[g->small[i]] = thr_flat_id(&s->x->flat[s->b->key[g->small[i]]]);
}

static void settle(const thr_search *s, const group *g)
{
    const thr_bytes *heap = &s->x->heap;
    const char *end = heap->p + __atomic_load_n(&heap->n, __ATOMIC_ACQUIRE);
    bool tight = s->b->tight_names;
    settle_smalls(s, g);
    for (size_t i = 0; i < g->names; i++) {
        const wanted *w = &g->name[i];
        if (w->met && text_is(g->text[i], end, w, tight))
            *w->id = w->met;
        else
            *w->id = w->met || w->far ? find_far(s, w) : THR_NONE;
    }
}

/* A group without names is the last one. */
static size_t find_in_cells(const thr_search *s, const thr_tables *tables, size_t from, size_t to)
{
    group g[STEPS];
    size_t left = STEPS; /* turns; they count from the last group on */
    for (size_t i = 0; i < STEPS; i++)
        g[i].names = g[i].smalls = 0;
    for (size_t turn = 0; left; turn++) {
        group *now = &g[turn % STEPS];
        now->names = now->smalls = 0;
        if (left == STEPS)
            collect(s, tables, &from, to, now);
        left -= left < STEPS || now->names == 0;
        spot(s, tables, &g[(turn + 3) % STEPS]);
        trace(s, &g[(turn + 2) % STEPS]);
        settle(s, &g[(turn + 1) % STEPS]);
    }
    return from;
}

/* ---- names in the slots of a model file --------------------------------------------------- */

/* The id of a short name, or 0. `careful` is a constant: it adds the checks for mapped files and
 * for names too close to the end of their block to be read beyond their length. */
__attribute__((always_inline)) static inline uint32_t
short_name_in_slots(const thr_search *s, const wanted *w, bool careful)
{
    const thr_slot *slot = s->x->slot;
    const thr_name *name = w->name;
    size_t mask = s->x->slots - 1, at = tag_of(w->head) & mask;
    for (size_t tries = 0; tries < THR_TRIES; tries++, at = (at + 1) & mask) {
        if (careful && s->guard && !thr_guard_touch(s->guard, &slot[at], sizeof *slot))
            return 0;
        if (!slot[at].id ||
            (slot_head(&slot[at]) == w->head &&
             (careful && s->b->tight_names ? thr_same_bytes(slot[at].text, name->p, name->n)
                                           : thr_same_roomy(slot[at].text, name->p, name->n))))
            return slot[at].id;
    }
    return find_far(s, w);
}

/* Two groups take turns: one is looked up while the prefetches of the other are under way. */
__attribute__((always_inline)) static inline size_t
find_in_slots(const thr_search *s, const thr_tables *tables, size_t from, size_t to, bool careful)
{
    group g[2];
    uint32_t ids = thr_ids(s->x);
    bool more = true;
    collect(s, tables, &from, to, &g[0]);
    for (unsigned turn = 0; more; turn ^= 1) {
        const group *now = &g[turn];
        if ((more = now->names > 0))
            collect(s, tables, &from, to, &g[turn ^ 1]);
        settle_smalls(s, now);
        for (const wanted *w = now->name; w < now->name + now->names; w++) {
            uint32_t id =
                w->name->n <= THR_SLOT_TEXT ? short_name_in_slots(s, w, careful) : find_far(s, w);
            *w->id = id - 1 < ids - 1 ? id : THR_NONE; /* a damaged file may have any id here */
        }
    }
    return from;
}

/* With a secret hash the parser's hashes are of no use. */
size_t thr_find_names(const thr_search *s, size_t from, size_t to)
{
    thr_tables tables = thr_tables_now(s->x);
    if (tables.secret)
        return from;
    if (tables.cell)
        return find_in_cells(s, &tables, from, to);
    return s->guard || s->b->tight_names ? find_in_slots(s, &tables, from, to, true)
                                         : find_in_slots(s, &tables, from, to, false);
}
