/* One realloc for all growing arrays, and the chunks of arenas. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)1 << 16) /* bytes of an arena's chunk, unless one request needs more */

struct thr_chunk {
    struct thr_chunk *next;
    size_t n, room; /* bytes taken, and in all */
    char bytes[];
};

thr_str thr_str_of(const char *c_string)
{
    return (thr_str){c_string, c_string ? strlen(c_string) : 0};
}

bool thr_str_eq(thr_str a, thr_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

int thr_str_order(thr_str a, thr_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

bool thr_grow_anew(void *array, size_t *room, size_t need, size_t size)
{
    size_t wanted = *room < SIZE_MAX / 2 ? *room * 2 : need;
    if (wanted < need)
        wanted = need;
    if (wanted < 16)
        wanted = 16;
    size_t bytes;
    if (__builtin_mul_overflow(wanted, size, &bytes))
        return false;
    void *old; /* copied, since *array may be a pointer of any type */
    memcpy(&old, array, sizeof old);
    void *fresh = realloc(old, bytes);
    if (!fresh)
        return false;
    memcpy(array, &fresh, sizeof fresh);
    *room = wanted;
    return true;
}

void *thr_copy(const void *from, size_t n, size_t size, bool *ok)
{
    size_t bytes;
    void *copy = !__builtin_mul_overflow(n, size, &bytes) && bytes ? malloc(bytes) : NULL;
    if (copy)
        memcpy(copy, from, bytes);
    *ok &= n == 0 || copy;
    return copy;
}

bool thr_bytes_add(thr_bytes *b, const void *p, size_t n)
{
    size_t need;
    if (__builtin_add_overflow(b->n, n, &need) || need == SIZE_MAX ||
        !thr_grow(&b->p, &b->room, need + 1, 1))
        return false;
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n = need;
    b->p[b->n] = '\0';
    return true;
}

bool thr_bytes_printf(thr_bytes *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    bool ok = n >= 0 && thr_grow(&b->p, &b->room, b->n + (size_t)n + 1, 1);
    if (ok) {
        vsnprintf(b->p + b->n, (size_t)n + 1, format, again);
        b->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
    return ok;
}

void thr_bytes_clear(thr_bytes *b)
{
    free(b->p);
    *b = (thr_bytes){0};
}

/* Chunks behind `now` are empty: a reset has left them there. A chunk with too little room for
 * the request is skipped, and its rest stays unused until the next reset. */
char *thr_arena_take(thr_arena *a, size_t n)
{
    while (a->now && a->now->room - a->now->n < n && a->now->next)
        a->now = a->now->next;
    if (!a->now || a->now->room - a->now->n < n) {
        size_t room = n > CHUNK ? n : CHUNK, bytes;
        bool fits =
            !__builtin_add_overflow(room, sizeof(struct thr_chunk) + THR_ARENA_SPARE, &bytes);
        struct thr_chunk *c = fits ? malloc(bytes) : NULL;
        if (!c)
            return NULL;
        *c = (struct thr_chunk){.room = room};
        if (a->now)
            a->now->next = c;
        else
            a->first = c;
        a->now = c;
    }
    char *p = a->now->bytes + a->now->n;
    a->now->n += n;
    return p;
}

char *thr_arena_copy(thr_arena *a, const char *p, size_t n)
{
    char *to = n < SIZE_MAX ? thr_arena_take(a, n + 1) : NULL;
    if (!to)
        return NULL;
    if (n)
        memcpy(to, p, n);
    to[n] = '\0';
    return to;
}

void thr_arena_reset(thr_arena *a)
{
    for (struct thr_chunk *c = a->first; c; c = c->next)
        c->n = 0;
    a->now = a->first;
}

void thr_arena_clear(thr_arena *a)
{
    for (struct thr_chunk *c = a->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *a = (thr_arena){0};
}
