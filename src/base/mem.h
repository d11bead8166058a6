/* Growing arrays and byte strings with checked sizes. */
#ifndef THR_BASE_MEM_H
#define THR_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_NONE UINT32_MAX /* no feature, no label */

/* A borrowed slice of bytes, not NUL-terminated. */
typedef struct thr_str {
    const char *p;
    size_t n;
} thr_str;

thr_str thr_str_of(const char *c_string);
bool thr_str_eq(thr_str a, thr_str b);

/* Makes room for `need` elements of `size` bytes in *array, at least doubling *room. Returns
 * false, leaving all as it was, when memory runs out or the size overflows. */
bool thr_grow_anew(void *array, size_t *room, size_t need, size_t size);
static inline bool thr_grow(void *array, size_t *room, size_t need, size_t size)
{
    return need <= *room || thr_grow_anew(array, room, need, size);
}

/* A copy of n elements in memory of its own; NULL of none, and where memory runs out, which clears
 * *ok.
 */
void *thr_copy(const void *from, size_t n, size_t size, bool *ok);

/* A growing byte string, always NUL-terminated once it holds anything. */
typedef struct thr_bytes {
    char *p;
    size_t n, room;
} thr_bytes;

bool thr_bytes_add(thr_bytes *b, const void *p, size_t n);
bool thr_bytes_printf(thr_bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void thr_bytes_clear(thr_bytes *b); /* frees */

/* Bytes that never move until the whole arena is reset: a list of chunks. */
typedef struct thr_arena {
    struct thr_chunk *first, *now;
} thr_arena;

char *thr_arena_take(thr_arena *a, size_t n);                /* NULL: out of memory; not aligned */
char *thr_arena_copy(thr_arena *a, const char *p, size_t n); /* NUL is added */
void thr_arena_reset(thr_arena *a);                          /* keeps the chunks */
void thr_arena_clear(thr_arena *a);                          /* frees them */

#endif
