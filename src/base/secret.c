/* SipHash-1-3, as its paper describes it: one round for each word of 8 bytes, three at the end. */
#include "base/secret.h"

#include "base/random.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

/* Should the system have no random bytes, the time and an address still differ from run to run. */
void thr_secret_draw(thr_secret *s)
{
    if (s->key[0] | s->key[1])
        return;
    if (getentropy(s->key, sizeof s->key) != 0) {
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        s->key[0] = thr_mix64((uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)s);
        s->key[1] = thr_mix64(s->key[0] ^ (uint64_t)now.tv_sec);
    }
    s->key[0] |= 1; /* never both 0 */
}

typedef struct sip {
    uint64_t a, b, c, d;
} sip;

static inline uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static inline sip turn(sip v)
{
    v.a += v.b;
    v.b = rotate(v.b, 13) ^ v.a;
    v.a = rotate(v.a, 32);
    v.c += v.d;
    v.d = rotate(v.d, 16) ^ v.c;
    v.a += v.d;
    v.d = rotate(v.d, 21) ^ v.a;
    v.c += v.b;
    v.b = rotate(v.b, 17) ^ v.c;
    v.c = rotate(v.c, 32);
    return v;
}

static inline sip take(sip v, uint64_t word)
{
    v.d ^= word;
    v = turn(v);
    v.a ^= word;
    return v;
}

uint64_t thr_secret_hash(const thr_secret *s, const void *p, size_t n)
{
    const char *at = p;
    sip v = {s->key[0] ^ UINT64_C(0x736f6d6570736575), s->key[1] ^ UINT64_C(0x646f72616e646f6d),
             s->key[0] ^ UINT64_C(0x6c7967656e657261), s->key[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t word, last = 0;
    size_t left = n;
    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        v = take(v, word);
    }
    if (left)
        memcpy(&last, at, left);
    v = take(v, last ^ (uint64_t)n << 56);
    v.c ^= 0xff;
    v = turn(turn(turn(v)));
    return v.a ^ v.b ^ v.c ^ v.d;
}
