/* Inputs as a caller gives them: read callbacks that are well-behaved, hostile and compressed; and
 * shards where there can be none. Only thresh.h is included. */
#include "thresh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char data[] = "spam\tcheap pills\nham\tsee you at noon\nspam\tcheap watches\n";

/* `gzip -n` of the data above. */
static const unsigned char packed[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x2b, 0x2e, 0x48,
    0xcc, 0xe5, 0x4c, 0xce, 0x48, 0x4d, 0x2c, 0x50, 0x28, 0xc8, 0xcc, 0xc9, 0x29,
    0xe6, 0xca, 0x00, 0xf2, 0x8b, 0x53, 0x53, 0x15, 0x2a, 0xf3, 0x4b, 0x15, 0x12,
    0x4b, 0x14, 0xf2, 0xf2, 0xf3, 0xf3, 0xb8, 0x8a, 0x11, 0x8a, 0xca, 0x13, 0x4b,
    0x80, 0x8c, 0x62, 0x2e, 0x00, 0x19, 0x58, 0x21, 0x44, 0x38, 0x00, 0x00, 0x00};

typedef struct bytes {
    const char *p;
    size_t n, piece;
    int64_t answer; /* not 0: given instead of bytes when they are used up */
    unsigned calls;
} bytes;

static int64_t deliver(void *user, void *to, size_t room)
{
    bytes *b = user;
    size_t n = b->piece < b->n ? b->piece : b->n;
    n = n < room ? n : room;
    b->calls++;
    if (n == 0 && b->answer)
        return b->answer == INT64_MAX ? (int64_t)room + 1 : b->answer;
    memcpy(to, b->p, n);
    b->p += n;
    b->n -= n;
    return (int64_t)n;
}

static thr_model *model(void)
{
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "learner", "pa", NULL), 0);
    thr_model *m = thr_model_new(s, NULL);
    assert_non_null(m);
    thr_settings_free(s);
    return m;
}

static thr_input *reader(bytes *b, unsigned threads)
{
    thr_input *in = thr_input_new();
    assert_non_null(in);
    thr_input_set_threads(in, threads);
    assert_int_equal(thr_input_add_reader(in, deliver, b, "callback", NULL), 0);
    return in;
}

static void assert_same_model(const thr_model *a, const thr_model *b)
{
    void *p[2];
    size_t n[2];
    assert_int_equal(thr_model_dump(a, false, &p[0], &n[0], NULL), 0);
    assert_int_equal(thr_model_dump(b, false, &p[1], &n[1], NULL), 0);
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(p[0], p[1], n[0]);
    free(p[0]);
    free(p[1]);
}

static thr_model *trained_from_memory(unsigned passes)
{
    thr_model *m = model();
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, data, sizeof data - 1, "memory", NULL), 0);
    thr_train_options o = {.passes = passes};
    assert_int_equal(thr_train(m, in, &o, NULL, NULL), 0);
    thr_input_free(in);
    return m;
}

/* Whatever the size of the pieces and the number of threads, and also in several passes. */
static void test_a_model_trained_through_a_callback_is_that_of_the_bytes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        bytes b = {.p = data, .n = sizeof data - 1, .piece = i % 3 ? 7 : 4096};
        thr_train_options o = {.passes = i % 2 ? 3 : 1};
        thr_model *m = model(), *want = trained_from_memory(o.passes);
        thr_input *in = reader(&b, i < 6 ? 1 : 3);
        assert_int_equal(thr_train(m, in, &o, NULL, NULL), 0);
        assert_same_model(m, want);
        thr_input_free(in);
        thr_model_free(want);
        thr_model_free(m);
    }
}

static void test_compressed_bytes_of_a_callback_are_unpacked(void **state)
{
    (void)state;
    if (!strstr(thr_built_with(), "zlib"))
        skip();
    for (size_t piece = 1; piece < sizeof packed; piece += 9) {
        bytes b = {.p = (const char *)packed, .n = sizeof packed, .piece = piece};
        thr_model *m = model(), *want = trained_from_memory(1);
        thr_input *in = reader(&b, 1);
        assert_int_equal(thr_train(m, in, NULL, NULL, NULL), 0);
        assert_same_model(m, want);
        thr_input_free(in);
        thr_model_free(want);
        thr_model_free(m);
    }
}

static void test_a_callback_that_fails_ends_the_run_with_its_code(void **state)
{
    (void)state;
    static const struct {
        int64_t answer;
        int code;
        const char *says;
    } cases[] = {{THR_ECANCEL, THR_ECANCEL, "failed with code -6"},
                 {-1000, -1000, "failed with code -1000"},
                 {INT64_MIN, THR_EIO, "failed with code"},
                 {INT64_MAX, THR_EUSE, "more than the"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            bytes b = {.p = data, .n = sizeof data - 1, .piece = 20, .answer = cases[i].answer};
            thr_model *m = model();
            thr_input *in = reader(&b, threads);
            thr_error err = {0};
            assert_int_equal(thr_train(m, in, NULL, NULL, &err), cases[i].code);
            assert_int_equal(err.code, cases[i].code);
            assert_string_equal(err.file, "callback");
            assert_non_null(strstr(err.message, cases[i].says));
            thr_input_free(in);
            thr_model_free(m);
        }
}

static void test_an_input_without_bytes_is_refused(void **state)
{
    (void)state;
    thr_input *in = thr_input_new();
    thr_error err = {0};
    assert_int_equal(thr_input_add_reader(in, NULL, NULL, "none", &err), THR_EUSE);
    assert_true(err.message[0] != '\0');
    assert_int_equal(thr_input_add_memory(in, NULL, 3, "none", &err), THR_EUSE);
    assert_int_equal(thr_input_add_memory(in, NULL, 0, NULL, &err), 0);
    thr_input_free(in);
}

/* ---- shards ---- */

static void assert_cannot_be_cut(thr_input *in, const char *says)
{
    thr_model *m = model();
    thr_error err = {0};
    assert_int_equal(thr_input_set_shard(in, 1, 2, NULL), 0);
    assert_int_equal(thr_train(m, in, NULL, NULL, &err), THR_EUSE);
    assert_int_equal(err.code, THR_EUSE);
    assert_true(err.file[0] != '\0');
    if (!strstr(err.message, says))
        fail_msg("'%s' is not in '%s'", says, err.message);
    thr_input_free(in);
    thr_model_free(m);
}

static int collect(void *user, const void *p, size_t n)
{
    return fwrite(p, 1, n, user) == n ? 0 : THR_EIO;
}

static void test_what_cannot_be_cut_is_refused_with_a_sentence(void **state)
{
    (void)state;
    bytes b = {.p = data, .n = sizeof data - 1, .piece = 9};
    assert_cannot_be_cut(reader(&b, 1), "callback");

    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, packed, sizeof packed, "packed", NULL), 0);
    if (strstr(thr_built_with(), "zlib"))
        assert_cannot_be_cut(in, "compressed");

    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], data, sizeof data - 1), sizeof data - 1);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    in = thr_input_new();
    assert_int_equal(thr_input_add_file(in, path, NULL), 0);
    assert_cannot_be_cut(in, "pipe");
    close(ends[0]);

    char *cache = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&cache, &size);
    in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, data, sizeof data - 1, "memory", NULL), 0);
    assert_int_equal(thr_convert(in, "cache", NULL, collect, to, NULL, NULL, NULL), 0);
    fclose(to);
    thr_input_free(in);
    in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, cache, size, "cache", NULL), 0);
    assert_cannot_be_cut(in, "a cache cannot be cut");
    free(cache);
}

static void test_a_shard_that_is_not_there_is_refused(void **state)
{
    (void)state;
    thr_input *in = thr_input_new();
    thr_error err = {0};
    assert_int_equal(thr_input_set_shard(in, 0, 0, &err), THR_EUSE);
    assert_int_equal(thr_input_set_shard(in, 2, 2, &err), THR_EUSE);
    assert_int_equal(thr_input_set_shard(in, ~0u, ~0u, &err), THR_EUSE);
    assert_non_null(strstr(err.message, "numbered from 0"));
    assert_int_equal(thr_input_set_shard(in, ~0u - 1, ~0u, &err), 0);
    assert_int_equal(thr_input_set_shard(in, 0, 1, &err), 0);
    thr_input_free(in);
}

/* A shard's cache is not taken for that of the whole data, nor for another shard's. */
static void test_each_shard_has_a_cache_of_its_own(void **state)
{
    (void)state;
    char path[] = "/tmp/thresh-inputs-XXXXXX", cache[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, sizeof data - 1), sizeof data - 1);
    close(fd);
    snprintf(cache, sizeof cache, "%s.cache", path);
    uint64_t examples[3];
    for (unsigned i = 0; i < 3; i++) {
        thr_model *m = model();
        thr_input *in = thr_input_new();
        thr_train_options o = {.cache = cache};
        thr_train_report report;
        assert_int_equal(thr_input_add_file(in, path, NULL), 0);
        if (i < 2)
            assert_int_equal(thr_input_set_shard(in, i, 2, NULL), 0);
        assert_int_equal(thr_train(m, in, &o, &report, NULL), 0);
        examples[i] = report.examples;
        thr_input_free(in);
        thr_model_free(m);
    }
    assert_int_equal(examples[0] + examples[1], 3);
    assert_true(examples[0] < 3 && examples[1] < 3);
    assert_int_equal(examples[2], 3);
    unlink(cache);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_model_trained_through_a_callback_is_that_of_the_bytes),
        cmocka_unit_test(test_compressed_bytes_of_a_callback_are_unpacked),
        cmocka_unit_test(test_a_callback_that_fails_ends_the_run_with_its_code),
        cmocka_unit_test(test_an_input_without_bytes_is_refused),
        cmocka_unit_test(test_what_cannot_be_cut_is_refused_with_a_sentence),
        cmocka_unit_test(test_a_shard_that_is_not_there_is_refused),
        cmocka_unit_test(test_each_shard_has_a_cache_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
