/* Slabs (slab.h). */
#include "weights/slab.h"

#include "base/large.h"
#include "base/share.h"

#include <assert.h>

struct thr_slab { /* at its beginning */
    size_t users; /* pieces, and the table */
    size_t used;  /* bytes that have been cut */
};

static size_t in_lines(size_t bytes)
{
    return (bytes + THR_CACHE_LINE - 1) & ~(size_t)(THR_CACHE_LINE - 1);
}

void *thr_slab_cut(thr_slab **slab, size_t bytes)
{
    assert(bytes <= THR_SLAB_PIECE);
    bytes = in_lines(bytes);
    if (!*slab || THR_HUGE - (*slab)->used < bytes) {
        thr_slab *fresh = thr_large_new_unset(THR_HUGE);
        if (!fresh)
            return NULL;
        *fresh = (thr_slab){.users = 1, .used = in_lines(sizeof *fresh)};
        thr_slab_drop(*slab);
        *slab = fresh;
    }
    char *piece = (char *)*slab + (*slab)->used;
    (*slab)->used += bytes;
    thr_owners_add(&(*slab)->users);
    return piece;
}

void thr_slab_drop(thr_slab *s)
{
    if (s && thr_owners_drop(&s->users))
        thr_large_free(s, THR_HUGE);
}
