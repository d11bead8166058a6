/* Any bytes read to their end as an input, plain or compressed. The first byte sets how much is
 * asked for at a time. */
#include "source/source.h"

#include <stdlib.h>
#include <string.h>

#define MOST ((uint64_t)1 << 24) /* a small input can unpack to a great deal */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char room[65536];
    if (size == 0)
        return 0;
    size_t piece = (size_t)1 << (data[0] % 17);
    thr_error err = {0};
    thr_source *s = thr_source_memory(data + 1, size - 1, "fuzz", &err);
    if (!s)
        return 0;
    uint64_t total = 0;
    long got;
    while ((got = thr_source_read(s, room, piece, &err)) > 0 && total < MOST) {
        require((size_t)got <= piece);
        total += (uint64_t)got;
    }
    require(thr_source_taken(s) <= size - 1);
    if (got == 0)
        require(thr_source_taken(s) == size - 1);
    if (got < 0)
        require(err.code == got && err.message[0] && strcmp(err.file, "fuzz") == 0);
    thr_source_close(s);
    return 0;
}
