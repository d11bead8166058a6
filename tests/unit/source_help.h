/* For tests of the source: texts packed by each kind of compression in this build, reading to the
 * end, and a folder for files. */
#ifndef TEST_SOURCE_HELP_H
#define TEST_SOURCE_HELP_H

#include "base/mem.h"
#include "base/random.h"
#include "source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef THR_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef THR_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef THR_HAVE_LZMA
#include <lzma.h>
#endif

static char folder[64], path[128]; /* `path` is a file in it */

/* ---- making compressed data ---- */

#ifdef THR_HAVE_ZLIB
static inline void pack_gzip(thr_bytes *to, const void *p, size_t n)
{
    z_stream z = {0};
    char *out = malloc(n + n / 1000 + 100);
    assert_non_null(out);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, 0), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)(n + n / 1000 + 100);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    assert_true(thr_bytes_add(to, out, z.total_out));
    deflateEnd(&z);
    free(out);
}
#endif

#ifdef THR_HAVE_ZSTD
static inline void pack_zstd(thr_bytes *to, const void *p, size_t n)
{
    size_t room = ZSTD_compressBound(n);
    char *out = malloc(room);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    assert_true(out && z);
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    size_t made = ZSTD_compress2(z, out, room, p, n);
    assert_false(ZSTD_isError(made));
    assert_true(thr_bytes_add(to, out, made));
    ZSTD_freeCCtx(z);
    free(out);
}
#endif

#ifdef THR_HAVE_LZMA
static inline void pack_xz(thr_bytes *to, const void *p, size_t n)
{
    size_t room = lzma_stream_buffer_bound(n), made = 0;
    uint8_t *out = malloc(room);
    assert_non_null(out);
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, p, n, out, &made, room),
                     LZMA_OK);
    assert_true(thr_bytes_add(to, out, made));
    free(out);
}
#endif

static inline void pack_none(thr_bytes *to, const void *p, size_t n)
{
    assert_true(thr_bytes_add(to, p, n));
}

static const struct kind {
    const char *name;
    size_t magic; /* its size; 0: plain */
    bool padding;
    void (*pack)(thr_bytes *to, const void *p, size_t n);
} kinds[] = {
    {"plain", 0, false, pack_none},
#ifdef THR_HAVE_ZLIB
    {"gzip", 2, true, pack_gzip},
#endif
#ifdef THR_HAVE_ZSTD
    {"zstd", 4, false, pack_zstd},
#endif
#ifdef THR_HAVE_LZMA
    {"xz", 6, true, pack_xz},
#endif
};
#define EACH_KIND(k) (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++)

/* Lines with some sameness, as data has. */
static inline thr_bytes make_text(size_t lines)
{
    thr_bytes b = {0};
    thr_random r;
    thr_random_init(&r, lines);
    for (size_t i = 0; i < lines; i++)
        assert_true(thr_bytes_printf(&b, "%zu\tline %llx\n", i % 3,
                                     (unsigned long long)thr_random_next(&r)));
    return b;
}

/* ---- reading ---- */

/* Reads to the end in pieces of `piece` bytes. Returns 0 or the code; the source is closed. */
static inline int drain(thr_source *s, size_t piece, thr_bytes *out, thr_error *err)
{
    char *room = malloc(piece);
    assert_non_null(room);
    long got;
    while ((got = thr_source_read(s, room, piece, err)) > 0) {
        assert_true((size_t)got <= piece);
        assert_true(thr_bytes_add(out, room, (size_t)got));
    }
    /* The end and a failure are both there to stay. */
    assert_int_equal(thr_source_read(s, room, piece, err), got);
    free(room);
    thr_source_close(s);
    return (int)got;
}

static inline int drain_memory(const void *p, size_t n, thr_bytes *out, thr_error *err)
{
    /* A block of its own size shows a read past its end. */
    char *block = malloc(n ? n : 1);
    assert_non_null(block);
    if (n)
        memcpy(block, p, n);
    thr_source *s = thr_source_memory(block, n, "some/name", err);
    assert_non_null(s);
    int code = drain(s, 4096, out, err);
    free(block);
    return code;
}

static inline void assert_bytes(const thr_bytes *got, const thr_bytes *want)
{
    assert_int_equal(got->n, want->n);
    if (want->n)
        assert_memory_equal(got->p, want->p, want->n);
}

static inline void expect_bad(const void *p, size_t n, const char *words)
{
    thr_bytes out = {0};
    thr_error err = {0};
    assert_int_equal(drain_memory(p, n, &out, &err), THR_EDATA);
    assert_int_equal(err.code, THR_EDATA);
    assert_string_equal(err.file, "some/name");
    if (!strstr(err.message, words))
        fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    thr_bytes_clear(&out);
}

static inline void write_file(const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_source_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/data", folder);
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

#endif
