/* The memory of the lists of one segment (pool.h). */
#include "weights/pool.h"

#include "base/large.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_MIN 512        /* bytes */
#define CHUNK_MAX (64 << 10) /* unless more is needed at once */

typedef struct thr_pool_chunk {
    struct thr_pool_chunk *next;
    thr_slab *slab; /* that it is cut from; NULL: it was allocated */
} pool_chunk;

/* ---- sizes -------------------------------------------------------------------------------- */

unsigned thr_list_class(uint32_t n)
{
    static const uint8_t small[17] = {0, 0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7};
    if (n <= 16)
        return small[n];
    unsigned octave = 31 - (unsigned)__builtin_clz(n - 1); /* 2^octave < n <= 2^(octave + 1) */
    uint32_t quarter = UINT32_C(1) << (octave - 2), over = n - (UINT32_C(1) << octave);
    return 8 + 4 * (octave - 4) + (over - 1) / quarter;
}

size_t thr_class_bytes(const thr_weights *w, unsigned class, bool dense)
{
    size_t entry = w->entry + (dense ? 0 : sizeof(uint32_t));
    return (sizeof(thr_entries) + thr_list_room(class) * entry + 7) & ~(size_t)7;
}

/* ---- the pool ----------------------------------------------------------------------------- */

/* Memory of a large table, of which *slab is told, or of a small one, whose *slab is NULL. */
static void *memory_new(thr_weights *w, size_t bytes, thr_slab **slab)
{
    bool large = w->entries * w->entry >= THR_HUGE && bytes <= THR_SLAB_PIECE;
    void *p = large ? thr_slab_cut(&w->slab, bytes) : malloc(bytes);
    *slab = large ? w->slab : NULL;
    return p;
}

static void memory_free(void *p, thr_slab *slab)
{
    if (slab)
        thr_slab_drop(slab);
    else
        free(p);
}

thr_pool *thr_pool_new(thr_weights *w)
{
    thr_slab *slab;
    thr_pool *p = memory_new(w, sizeof *p, &slab);
    if (p)
        *p = (thr_pool){.users = 1, .slab = slab};
    return p;
}

void thr_pool_share(thr_pool *p)
{
    thr_owners_add(&p->users);
}

bool thr_pool_alone(const thr_pool *p)
{
    return thr_owners_alone(&p->users);
}

void thr_pool_release(thr_pool *p)
{
    if (!p || !thr_owners_drop(&p->users))
        return;
    for (pool_chunk *next; p->chunks; p->chunks = next) {
        next = p->chunks->next;
        memory_free(p->chunks, p->chunks->slab);
    }
    memory_free(p, p->slab);
}

/* A new chunk is needed if the newest has too little left. Most of what an update reserves it does
 * not use, so that much may be left: it becomes the rest, unless there is more in the one before.
 */
bool thr_pool_reserve(thr_weights *w, thr_pool *p, size_t bytes)
{
    if (bytes <= p->left)
        return true;
    size_t size = p->bytes / 4 < CHUNK_MIN ? CHUNK_MIN : p->bytes / 4;
    size = size > CHUNK_MAX ? CHUNK_MAX : size;
    size = size < bytes ? bytes : size;
    thr_slab *slab;
    pool_chunk *c = memory_new(w, sizeof *c + size, &slab);
    if (!c)
        return false;
    *c = (pool_chunk){p->chunks, slab};
    p->chunks = c;
    if (p->left > p->rest_left) {
        p->rest = p->at;
        p->rest_left = p->left;
    }
    p->at = (char *)(c + 1);
    p->left = size;
    p->bytes += size;
    return true;
}

static thr_entries **free_lists(thr_pool *p, unsigned class, bool dense)
{
    return class < THR_LIST_CLASSES ? &p->free[dense][class] : NULL;
}

/* What is written behind the head of a dropped list. */
typedef struct dropped {
    thr_entries *next;
} dropped;

static void list_drop(thr_pool *p, thr_entries *l)
{
    thr_entries **head = free_lists(p, l->class, l->dense);
    if (!head)
        return;
    memcpy(l + 1, &(dropped){*head}, sizeof(dropped));
    *head = l;
}

static thr_entries *take_bytes(thr_pool *p, size_t bytes)
{
    bool rest = bytes <= p->rest_left;
    char **at = rest ? &p->rest : &p->at, *taken = *at;
    size_t *left = rest ? &p->rest_left : &p->left;
    assert(bytes <= *left);
    *at += bytes;
    *left -= bytes;
    return (thr_entries *)(void *)taken;
}

thr_entries *thr_list_new(const thr_weights *w, thr_pool *p, uint32_t room, bool dense)
{
    unsigned class = thr_list_class(room);
    thr_entries **head = free_lists(p, class, dense), *l;
    if (head && *head) {
        dropped d;
        l = *head;
        memcpy(&d, l + 1, sizeof d);
        *head = d.next;
        __builtin_prefetch(*head); /* dropped long ago; the next one that is made */
    } else {
        l = take_bytes(p, thr_class_bytes(w, class, dense));
    }
    *l = (thr_entries){.class = (uint8_t) class, .dense = dense, .rows = 1};
    return l;
}

void thr_list_leave(thr_pool *p, thr_entries *l)
{
    if (--l->rows == 0)
        list_drop(p, l);
}
