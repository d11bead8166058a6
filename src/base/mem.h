/* Growing arrays, byte strings and arenas. Every size is checked for overflow; a failed
 * allocation is reported by the return value and leaves the object as it was. */
#ifndef THR_BASE_MEM_H
#define THR_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define THR_NONE UINT32_MAX /* no feature, no label */

/* A borrowed slice of bytes, not NUL-terminated. */
typedef struct thr_str {
    const char *p;
    size_t n;
} thr_str;

thr_str thr_str_of(const char *c_string);
bool thr_str_eq(thr_str a, thr_str b);
int thr_str_order(thr_str a, thr_str b); /* by bytes, as strcmp */

/* Makes room for `need` elements of `size` bytes. `array` is the address of a pointer to
 * malloc'ed memory or to NULL, and *room is its capacity in elements. Where it must grow it at
 * least doubles, so that appending costs constant time on average; pointers into the array are
 * then invalid. Returns false and changes nothing when memory runs out or the size overflows.
 * thr_grow_anew is the slow path of thr_grow. */
bool thr_grow_anew(void *array, size_t *room, size_t need, size_t size);
static inline bool thr_grow(void *array, size_t *room, size_t need, size_t size)
{
    return need <= *room || thr_grow_anew(array, room, need, size);
}

/* A malloc'ed copy of n elements. NULL if n is 0; NULL and *ok = false if memory runs out. *ok
 * is never set to true, so several copies can share it. */
void *thr_copy(const void *from, size_t n, size_t size, bool *ok);

/* A growing byte string, always NUL-terminated once it holds anything. */
typedef struct thr_bytes {
    char *p;
    size_t n, room;
} thr_bytes;

/* Both append, and return false when memory runs out. */
bool thr_bytes_add(thr_bytes *b, const void *p, size_t n);
bool thr_bytes_printf(thr_bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void thr_bytes_clear(thr_bytes *b); /* frees */

/* A list of chunks from which bytes are cut off one after the other. Bytes keep their address
 * until the arena is reset or cleared, and are not freed one by one. THR_ARENA_SPARE bytes behind
 * what was taken may be read, and until the next call also be written. */
#define THR_ARENA_SPARE 32
typedef struct thr_arena {
    struct thr_chunk *first, *now; /* `now`: where bytes are being taken from */
} thr_arena;

char *thr_arena_take(thr_arena *a, size_t n);                /* NULL: out of memory; not aligned */
char *thr_arena_copy(thr_arena *a, const char *p, size_t n); /* a NUL is added */
void thr_arena_reset(thr_arena *a);                          /* empties, keeps the chunks */
void thr_arena_clear(thr_arena *a);                          /* frees the chunks */

/* Copies n bytes to `to` and returns the end of the copy. Both may be accessed THR_ARENA_SPARE
 * bytes further: most names need one or two steps, and no call of memcpy. */
static inline char *thr_put_spare(char *to, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i += 16)
        memcpy(to + i, p + i, 16);
    return to + n;
}

#endif
