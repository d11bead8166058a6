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
#define LINE  8 /* cells of a cache line, at whose borders the tables are aligned */

/* ThreadSanitizer knows nothing of vectors that are only a hint (cell_in_line). */
#if THR_WIDE && !defined(__SANITIZE_THREAD__)
#define HINTS 1
#else
#define HINTS 0
#endif

/* A name that is being looked for. */
typedef struct wanted {
    const thr_name *name;
    uint32_t *id;      /* where its id is to be stored */
    const char *place; /* what is read next: its home, and later the name of `met` in the heap */
    uint32_t ns;       /* the lexicon's number of its namespace */
    union {
        uint32_t tag;
        uint32_t met; /* once it has been spotted: the id that has its tag, or 0 */
    };
} wanted;

/* Up to THR_GROUP features that are prefetched and then looked up together. */
typedef struct group {
    wanted name[THR_GROUP];
    size_t small[THR_GROUP];                   /* features that are small integers in `flat` */
    thr_name made[THR_GROUP];                  /* names of large integers without their own table */
    char digits[THR_GROUP][THR_NAME_ROOM + 4]; /* the text of `made` */
    size_t names, smalls, makes;
    uint32_t far; /* bit i: name i must be looked up by itself */
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

/* Where the search for a name begins. Without a branch: `old` is never NULL here (find_in_cells).
 */
static inline const char *cell_home(const thr_tables *t, uint32_t tag)
{
    const uint64_t *here = &t->cell[tag & t->mask], *there = &t->old[tag & t->old_mask];
    return (const char *)((tag & t->old_mask) >= t->moved ? there : here);
}

/* Collects the next THR_GROUP features from *from on and prefetches where they will be found. Ends
 * early at a feature of another kind. *from becomes the first feature not collected. Inlined for
 * names in cells, and for names in slots. */
__attribute__((always_inline)) static inline void collect(const thr_search *s,
                                                          const thr_tables *tables, size_t *from,
                                                          size_t to, group *g, bool cells)
{
    const thr_tables now = *tables; /* in registers, as what follows */
    const thr_slot *slot = s->x->slot;
    const uint32_t *flat = s->x->flat, *map = s->map;
    const thr_name *names = s->b->name;
    const uint64_t *key = s->b->key;
    uint32_t *id = s->b->id;
    size_t i = *from, end = to - i < THR_GROUP ? to : i + THR_GROUP, last = s->x->slots - 1;
    wanted *next = g->name;
    g->smalls = g->makes = 0;
    g->far = 0;
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
            __builtin_prefetch(&flat[key[i]]);
            g->small[g->smalls++] = i;
            continue;
        } else
            break;
        uint32_t ns = map[name->ns];
        if (ns == THR_NONE)
            break;
        uint32_t tag = (uint32_t)thr_name_hash(name->hash, ns);
        const char *home = cells ? cell_home(&now, tag) : (const char *)&slot[tag & last];
        __builtin_prefetch(home);
        *next++ = (wanted){name, &id[i], home, ns, {tag}};
    }
    *from = i;
    g->names = (size_t)(next - g->name);
}

/* ---- names in cells ----------------------------------------------------------------------- */

/* The cell with this tag if it is in the cache line of its home, or 0. Most names are found so,
 * without a branch for each cell that is in their way, which no processor could predict. All cells
 * of a tag have one home, so none in front of it has the tag. The vectors only say which cell to
 * load. */
static inline uint64_t cell_in_line(const char *home, uint32_t tag)
{
#if HINTS
    const uint64_t *line = (const uint64_t *)((uintptr_t)home & ~(uintptr_t)(LINE * 8 - 1));
    const __m128 *two = (const __m128 *)(const void *)line;
    enum { TAGS = _MM_SHUFFLE(2, 0, 2, 0) }; /* the low halves of two cells, and of two more */
    const __m128i all = _mm_set1_epi32((int)tag);
    const __m128i low = _mm_castps_si128(_mm_shuffle_ps(two[0], two[1], TAGS));
    const __m128i high = _mm_castps_si128(_mm_shuffle_ps(two[2], two[3], TAGS));
    int equal =
        _mm_movemask_epi8(_mm_packs_epi32(_mm_cmpeq_epi32(low, all), _mm_cmpeq_epi32(high, all)));
    return equal ? thr_cell_load(&line[(unsigned)__builtin_ctz((unsigned)equal) / 2]) : 0;
#else
    (void)home, (void)tag;
    return 0;
#endif
}

/* The same wherever it is: the plain search. A cell behind THR_TRIES others is far. */
__attribute__((noinline)) static uint64_t cell_behind(const thr_tables *tables, uint32_t tag,
                                                      bool *far)
{
    size_t mask, tries = 0;
    const uint64_t *table = thr_table_of(tables, tag, &mask);
    size_t at = tag & mask;
    uint64_t c = thr_cell_load(&table[at]);
    while (c && thr_cell_tag(c) != tag && ++tries < THR_TRIES)
        c = thr_cell_load(&table[at = (at + 1) & mask]);
    *far = tries == THR_TRIES;
    return *far ? 0 : c;
}

/* An id that is not known here needs a search with more care. */
static void spot(const thr_search *s, const thr_tables *tables, group *g)
{
    const uint64_t *origin = s->x->origin;
    uint32_t ids = thr_ids(s->x);
    for (wanted *w = g->name, *end = w + g->names; w < end; w++) {
        bool far = false;
        uint64_t c = cell_in_line(w->place, w->tag);
        if (!c)
            c = cell_behind(tables, w->tag, &far);
        uint32_t id = thr_cell_id(c);
        if (far || id >= ids) {
            g->far |= UINT32_C(1) << (w - g->name);
            id = 0;
        }
        w->met = id;
        __builtin_prefetch(&origin[id]);
    }
}

/* A name that is not longer than a slot's is read as if it had that length, and often crosses a
 * border of cache lines. Where no name was met the origin is that of the bias, and not used. */
static void trace(const thr_search *s, group *g)
{
    const uint64_t *origin = s->x->origin;
    const char *heap = s->x->heap.p;
    for (wanted *w = g->name, *end = w + g->names; w < end; w++) {
        w->place = heap + origin[w->met];
        __builtin_prefetch(w->place);
        __builtin_prefetch(w->place + THR_HEAP_HEAD + THR_NAME_ROOM - 1);
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

/* Whether the heap has the name at w->place. THR_NAME_ROOM bytes of either name may be read if
 * `roomy`. */
static inline bool text_is(const wanted *w, bool roomy)
{
    uint16_t ns;
    uint32_t n;
    const char *text = w->place + THR_HEAP_HEAD;
    memcpy(&ns, w->place, sizeof ns);
    memcpy(&n, w->place + sizeof ns, sizeof n);
    if (ns != w->ns || n != w->name->n)
        return false;
    if (n > THR_SLOT_TEXT)
        return same_long(text, w->name->p, n);
    return roomy ? thr_same_roomy(text, w->name->p, n) : thr_same_bytes(text, w->name->p, n);
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

/* Bytes of the heap behind those of names that are complete must not be read. */
static void settle(const thr_search *s, const group *g)
{
    const thr_bytes *heap = &s->x->heap;
    size_t n = __atomic_load_n(&heap->n, __ATOMIC_ACQUIRE), most = THR_HEAP_HEAD + THR_NAME_ROOM;
    const char *roomy = heap->p + (n > most ? n - most : 0); /* up to here a name has its room */
    if (s->b->tight_names)
        roomy = heap->p;
    settle_smalls(s, g);
    for (const wanted *w = g->name, *end = w + g->names; w < end; w++) {
        bool far = g->far >> (w - g->name) & 1;
        if (w->met && text_is(w, w->place < roomy))
            *w->id = w->met;
        else
            *w->id = w->met || far ? find_far(s, w) : THR_NONE;
    }
}

/* A group without names is the last one. While there is one table it also serves as `old`, so that
 * collect need not ask. */
static size_t find_in_cells(const thr_search *s, const thr_tables *tables, size_t from, size_t to)
{
    group g[STEPS];
    thr_tables both = *tables;
    if (!both.old) {
        both.old = both.cell;
        both.old_mask = both.mask;
        both.moved = 0;
    }
    size_t left = STEPS; /* turns; they count from the last group on */
    for (size_t i = 0; i < STEPS; i++)
        g[i].names = g[i].smalls = 0;
    for (size_t turn = 0; left; turn++) {
        group *now = &g[turn % STEPS];
        now->names = now->smalls = 0;
        if (left == STEPS)
            collect(s, &both, &from, to, now, true);
        left -= left < STEPS || now->names == 0;
        spot(s, &both, &g[(turn + 3) % STEPS]);
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
    uint64_t head = head_of(w->tag, w->ns, name->n);
    size_t mask = s->x->slots - 1, at = w->tag & mask;
    for (size_t tries = 0; tries < THR_TRIES; tries++, at = (at + 1) & mask) {
        if (careful && s->guard && !thr_guard_touch(s->guard, &slot[at], sizeof *slot))
            return 0;
        if (!slot[at].id ||
            (slot_head(&slot[at]) == head &&
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
    collect(s, tables, &from, to, &g[0], false);
    for (unsigned turn = 0; more; turn ^= 1) {
        const group *now = &g[turn];
        if ((more = now->names > 0))
            collect(s, tables, &from, to, &g[turn ^ 1], false);
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
