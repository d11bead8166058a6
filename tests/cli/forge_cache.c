/* Writes a cache that claims to have far more features than its bytes suggest, for ceilings.sh: one
 * example, whose N features are all number 0 and take BITS bits each. The head, with the settings
 * and their checksum, is that of the cache on standard input.
 *
 *     forge_cache N BITS <CACHE >FORGED */
#include "base/hash.h"
#include "format/packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD 16u /* bytes before the text of the head, and before the body of a frame */

static bool put(const void *p, size_t n)
{
    return fwrite(p, 1, n, stdout) == n;
}

/* Copies the head from standard input. */
static bool copy_head(void)
{
    static char head[1 << 17];
    uint32_t n;
    if (fread(head, 1, HEAD, stdin) != HEAD)
        return false;
    memcpy(&n, head + 12, sizeof n);
    size_t rest = (size_t)n + sizeof(uint64_t);
    return rest < sizeof head - HEAD && fread(head + HEAD, 1, rest, stdin) == rest &&
           put(head, HEAD + rest);
}

/* The fields of a body before its packed keys (format/cache.c has the layout): one name `a`, one
 * label, one example. */
static size_t fill_body(uint32_t *to, uint32_t features, uint32_t bits)
{
    const uint32_t fields[] = {0, 0, 1, 1, 1, 1, features, 0, 1, bits, 0, 0, 1, 0, 1};
    memcpy(to, fields, sizeof fields);
    char *at = (char *)to + sizeof fields;
    memcpy(at, "a", 1);            /* the name, behind its length */
    memcpy(at + 1, "\1\0\0\0", 4); /* the label, with its length */
    memcpy(at + 5, "1", 1);
    memcpy(at + 6, "\1\0\0\0", 4); /* the label of the example: the first of the list */
    memcpy(at + 10, &features, 4); /* its features */
    return sizeof fields + 14;
}

int main(int argc, char **argv)
{
    uint32_t features = argc == 3 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    uint32_t bits = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    uint64_t hash, keys = thr_packed_size(features, bits);
    uint32_t *body = calloc(1, 256 + (size_t)keys);
    if (!features || !body || !copy_head())
        return 1;
    uint32_t n = (uint32_t)(fill_body(body, features, bits) + keys), zero = 0;
    hash = thr_hash(body, n, 0);
    bool ok =
        put(&n, sizeof n) && put(&zero, sizeof zero) && put(&hash, sizeof hash) && put(body, n);
    free(body);
    return !ok;
}
