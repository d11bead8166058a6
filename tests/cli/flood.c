/* Makes names that collide, for flood.sh: `flood KIND N` prints N of them, one a line.
 *
 *     names     words whose homes in the table of names are the same (lexicon/keys.h)
 *     merged    words whose places in the table of one example are the same (example/merge.c)
 *     numbers   large integers of the same bucket and place (lexicon/integers.h)
 *     small     small integers whose places in the table of one example are the same
 *     digits    large integers whose homes as names in a model file are the same
 *     labels    labels whose places in the table of labels are the same (multiclass/labels.c)
 *
 * Both steps from a word of 8 bytes to its home, XXH3 and thr_mix64, are bijections of 64 bits. So
 * a home is turned back into its words, and those that can be written as names are kept. The other
 * kinds are found by trying. */
#include "base/hash.h"
#include "base/number.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t unshift(uint64_t x, unsigned by) /* the y with y ^ y >> by == x */
{
    uint64_t y = x;
    for (unsigned done = by; done < 64; done += by)
        y = x ^ y >> by;
    return y;
}

static uint64_t
inverse(uint64_t odd) /* by Newton's iteration: each doubles the number of right bits */
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

static uint64_t unmix(uint64_t x)
{
    x = unshift(x, 31) * inverse(UINT64_C(0x94d049bb133111eb));
    x = unshift(x, 27) * inverse(UINT64_C(0xbf58476d1ce4e5b9));
    return unshift(x, 30) - UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t rotate(uint64_t x, unsigned by)
{
    return by % 64 ? x << by % 64 | x >> (64 - by % 64) : x;
}

/* XXH3 of 8 bytes with seed 0, backwards. Its first step, f(x) = x ^ rotate(x, 49) ^ rotate(x, 24),
 * is linear, and applied 64 times it is the identity; so f applied 63 times turns it back. f
 * applied 2^k times rotates by 2^k times as much. */
static uint64_t unhash(uint64_t h)
{
    const uint64_t prime = UINT64_C(0x9fb21c651e98df25);
    h = unshift(h, 28) * inverse(prime);
    uint64_t x = h; /* h = x ^ ((x >> 35) + 8) */
    for (int i = 0; i < 3; i++)
        x = h ^ ((x >> 35) + 8);
    h = x * inverse(prime);
    for (unsigned k = 1; k <= 32; k *= 2)
        h ^= rotate(h, 49 * k) ^ rotate(h, 24 * k);
    h ^= UINT64_C(0xc73ab174c5ecd5a2); /* two words of XXH3's secret */
    return rotate(h, 32);
}

/* Whether it can be written as a feature of Vowpal Wabbit: about 1 in 3,000 words can. */
static bool is_name(const char *p)
{
    for (int i = 0; i < 8; i++)
        if (p[i] <= ' ' || p[i] > '~' || p[i] == ':' || p[i] == '|')
            return false;
    return true;
}

static void words(size_t n, bool merged)
{
    for (uint64_t top = 1; n; top++) {
        uint64_t hash = merged ? top << 24 | 0xabcd : unmix(top << 24 | 0xabcd),
                 word = unhash(hash);
        if (!is_name((char *)&word))
            continue;
        if (thr_hash(&word, sizeof word, 0) != hash)
            exit(1); /* XXH3 is not what it was */
        printf("%.8s\n", (char *)&word);
        n--;
    }
}

/* Eight bits of the bucket, and six of the place in it. */
static void numbers(size_t n)
{
    for (uint32_t i = UINT32_C(1) << 24; n && i; i++)
        if (!(thr_mix64(i) & 0xff) && thr_mix64(i) >> 58 == 0 && n--)
            printf("%u\n", i);
}

static void small(size_t n)
{
    for (uint32_t i = 1; n && i < UINT32_C(1) << 24; i++)
        if (!(thr_mix64(i) & 0x1fff) && n--)
            printf("%u\n", i);
}

static void digits(size_t n)
{
    char text[24];
    for (uint32_t i = UINT32_C(1) << 24; n && i; i++)
        if (!(thr_mix64(thr_hash(text, thr_print_u64(i, text), 0)) & 0xfff) && n--)
            printf("%u\n", i);
}

static void labels(size_t n)
{
    char text[16];
    for (uint32_t i = 0; n && i < 26000000; i++) {
        uint32_t low, high;
        snprintf(text, sizeof text, "%c%06u", 'a' + (int)(i / 1000000), i % 1000000);
        memcpy(&low, text, 4);
        memcpy(&high, text + 3, 4);
        uint64_t bits = low | (uint64_t)high << 32;
        if ((bits + 7) * UINT64_C(0x9e3779b97f4a7c15) >> 53 == 0 && n--)
            printf("%s\n", text);
    }
}

int main(int argc, char **argv)
{
    size_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    const char *kind = n ? argv[1] : "";
    if (strcmp(kind, "names") == 0 || strcmp(kind, "merged") == 0)
        words(n, kind[0] == 'm');
    else if (strcmp(kind, "numbers") == 0)
        numbers(n);
    else if (strcmp(kind, "small") == 0)
        small(n);
    else if (strcmp(kind, "digits") == 0)
        digits(n);
    else if (strcmp(kind, "labels") == 0)
        labels(n);
    else
        return 2;
    return 0;
}
