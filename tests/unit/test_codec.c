/* Compressed input: members in a row, and data that is broken, padded or not what it seems. */
#include "source_help.h"

/* Members in a row are one stream; an empty one among them is nothing. */
static void test_concatenated_members_are_one_stream(void **state)
{
    (void)state;
    for
        EACH_KIND(k)
        {
            thr_bytes text = make_text(10000), packed = {0}, out = {0};
            size_t third = text.n / 3;
            k->pack(&packed, text.p, third);
            k->pack(&packed, text.p, 0);
            for (size_t at = third; at < text.n; at += 1000)
                k->pack(&packed, text.p + at, text.n - at < 1000 ? text.n - at : 1000);
            assert_int_equal(drain_memory(packed.p, packed.n, &out, NULL), 0);
            assert_bytes(&out, &text);
            out.n = 0;
            write_file(packed.p, packed.n);
            thr_source *s = thr_source_open(path, NULL);
            assert_non_null(s);
            assert_int_equal(drain(s, 100000, &out, NULL), 0);
            assert_bytes(&out, &text);
            thr_bytes_clear(&text);
            thr_bytes_clear(&packed);
            thr_bytes_clear(&out);
        }
}

static void test_every_truncation_is_reported_as_cut_short(void **state)
{
    (void)state;
    for
        EACH_KIND(k)
        {
            if (!k->magic)
                continue;
            thr_bytes text = make_text(40), packed = {0};
            k->pack(&packed, text.p, text.n);
            for (size_t n = k->magic; n < packed.n; n++)
                expect_bad(packed.p, n, "cut short");
            /* In the second member as well. */
            size_t first = packed.n;
            k->pack(&packed, text.p, text.n);
            for (size_t n = first + k->magic; n < packed.n; n++)
                expect_bad(packed.p, n, "cut short");
            thr_bytes_clear(&text);
            thr_bytes_clear(&packed);
        }
}

/* What could be decoded before the data broke off is delivered. */
static void test_truncated_prefix(void **state)
{
    (void)state;
    for
        EACH_KIND(k)
        {
            thr_bytes text = make_text(30000), packed = {0}, out = {0};
            thr_error err = {0};
            k->pack(&packed, text.p, text.n);
            write_file(packed.p, packed.n - 5);
            thr_source *s = thr_source_open(path, &err);
            assert_non_null(s);
            assert_int_equal(drain(s, 65536, &out, &err), k->magic ? THR_EDATA : 0);
            if (k->magic)
                assert_string_equal(err.file, path);
            assert_in_range(out.n, text.n / 2, text.n);
            assert_memory_equal(out.p, text.p, out.n);
            thr_bytes_clear(&text);
            thr_bytes_clear(&packed);
            thr_bytes_clear(&out);
        }
}

/* A flipped bit is an error, or (in a field of no consequence) changes nothing. */
static void test_flipped_bit_is_an_error_or_changes_nothing(void **state)
{
    (void)state;
    for
        EACH_KIND(k)
        {
            if (!k->magic)
                continue;
            thr_bytes text = make_text(40), packed = {0};
            size_t harmless = 0;
            k->pack(&packed, text.p, text.n);
            for (size_t bit = k->magic * 8; bit < packed.n * 8; bit += 9) {
                thr_bytes out = {0};
                thr_error err = {0};
                packed.p[bit / 8] = (char)(packed.p[bit / 8] ^ 1 << bit % 8);
                int code = drain_memory(packed.p, packed.n, &out, &err);
                packed.p[bit / 8] = (char)(packed.p[bit / 8] ^ 1 << bit % 8);
                if (code == 0) {
                    assert_bytes(&out, &text);
                    harmless++;
                } else {
                    assert_int_equal(code, THR_EDATA);
                    assert_string_equal(err.file, "some/name");
                }
                thr_bytes_clear(&out);
            }
            assert_in_range(harmless, 0, 10);
            thr_bytes_clear(&text);
            thr_bytes_clear(&packed);
        }
}

static void test_behind_members(void **state)
{
    (void)state;
    static const char zeros[300000];
    for
        EACH_KIND(k)
        {
            if (!k->magic)
                continue;
            thr_bytes text = make_text(100), packed = {0}, out = {0};
            k->pack(&packed, text.p, text.n);
            size_t n = packed.n;
            assert_true(thr_bytes_add(&packed, "1 2:3\n", 6));
            expect_bad(packed.p, n + 1, "what follows");
            expect_bad(packed.p, n + 6, "what follows");
            packed.n = n;
            assert_true(thr_bytes_add(&packed, zeros, sizeof zeros));
            if (k->padding) {
                assert_int_equal(drain_memory(packed.p, n + 1, &out, NULL), 0);
                assert_bytes(&out, &text);
                out.n = 0;
                write_file(packed.p, packed.n);
                thr_source *s = thr_source_open(path, NULL);
                assert_non_null(s);
                assert_int_equal(drain(s, 4096, &out, NULL), 0);
                assert_bytes(&out, &text);
                assert_true(thr_bytes_add(&packed, "x", 1));
                expect_bad(packed.p, packed.n, "what follows");
            } else {
                expect_bad(packed.p, n + 1, "what follows");
            }
            thr_bytes_clear(&text);
            thr_bytes_clear(&packed);
            thr_bytes_clear(&out);
        }
}

/* Bytes that begin like a magic and are none pass as they are. */
static void test_near_magic(void **state)
{
    (void)state;
    static const char *const texts[] = {"\x1f",
                                        "\x1f\x1f\x8b",
                                        "\x28\xb5\x2f",
                                        "\xfd"
                                        "7zX",
                                        "\xfd"
                                        "7zXY",
                                        "(",
                                        "P*M",
                                        "\n",
                                        "PK"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        thr_bytes out = {0};
        assert_int_equal(drain_memory(texts[i], strlen(texts[i]), &out, NULL), 0);
        assert_string_equal(out.p, texts[i]);
        thr_bytes_clear(&out);
    }
}

/* A codec that was left out is refused by its name. */
static void test_absent_codecs(void **state)
{
    (void)state;
    int absent = 0;
#ifndef THR_HAVE_ZLIB
    expect_bad("\x1f\x8b\x08\0\0\0\0\0", 8, "this build cannot read gzip");
    absent++;
#endif
#ifndef THR_HAVE_ZSTD
    expect_bad("\x28\xb5\x2f\xfd\0\0\0\0", 8, "this build cannot read zstd");
    absent++;
#endif
#ifndef THR_HAVE_LZMA
    expect_bad("\xfd"
               "7zXZ\0\0\0",
               8, "this build cannot read xz");
    absent++;
#endif
    if (!absent) {
        print_message("skip: test_absent_codecs: this build has all of them\n");
        skip();
    }
}

#ifdef THR_HAVE_ZSTD
/* Frames that hold no data, as parallel compressors write them. */
static void test_zstd_skippable(void **state)
{
    (void)state;
    thr_bytes text = make_text(100), packed = {0}, out = {0};
    for (int i = 0; i < 2; i++) {
        assert_true(thr_bytes_add(&packed, "\x5a\x2a\x4d\x18\x03\0\0\0abc", 11));
        pack_zstd(&packed, text.p, text.n);
    }
    assert_int_equal(drain_memory(packed.p, packed.n, &out, NULL), 0);
    assert_int_equal(out.n, 2 * text.n);
    assert_memory_equal(out.p + text.n, text.p, text.n);
    expect_bad(packed.p, 9, "cut short");
    thr_bytes_clear(&text);
    thr_bytes_clear(&packed);
    thr_bytes_clear(&out);
}

/* A frame header that asks for a window of 2 TiB. */
static void test_zstd_window(void **state)
{
    (void)state;
    expect_bad("\x28\xb5\x2f\xfd\x00\xf8\x01\0\0\0\0\0", 12, "memory");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_concatenated_members_are_one_stream),
        cmocka_unit_test(test_every_truncation_is_reported_as_cut_short),
        cmocka_unit_test(test_truncated_prefix),
        cmocka_unit_test(test_flipped_bit_is_an_error_or_changes_nothing),
        cmocka_unit_test(test_behind_members),
        cmocka_unit_test(test_near_magic),
        cmocka_unit_test(test_absent_codecs),
#ifdef THR_HAVE_ZSTD
        cmocka_unit_test(test_zstd_skippable),
        cmocka_unit_test(test_zstd_window),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
