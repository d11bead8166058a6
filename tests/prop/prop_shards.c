/* Shards and read callbacks over many seeded files: whatever the format, the examples of N shards,
 * one shard behind the other, are the examples of the whole file; and bytes that come through a
 * callback in pieces of any size are those of the file. Only thresh.h is used, and streams of
 * random bytes. */
#include "thresh.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES = 40, MOST_SHARDS = 7 };

typedef struct text {
    char *p;
    size_t n, room;
} text;

static void put(text *t, const char *s, size_t n)
{
    if (t->n + n + 1 > t->room) {
        t->room = 2 * (t->n + n + 1);
        t->p = realloc(t->p, t->room);
        assert_non_null(t->p);
    }
    memcpy(t->p + t->n, s, n);
    t->n += n;
    t->p[t->n] = '\0';
}

__attribute__((format(printf, 2, 3))) static void putf(text *t, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put(t, line, (size_t)n);
}

/* ---- files ---- */

static unsigned below(thr_random *r, unsigned n)
{
    return (unsigned)thr_random_below(r, n);
}

static void svmlight(thr_random *r, text *t)
{
    putf(t, "%s", below(r, 2) ? "+1" : "-1");
    for (unsigned i = 0, n = below(r, 30); i < n; i++)
        putf(t, " %u:%u.5", i * 3 + 1, below(r, 9));
}

static void running(thr_random *r, text *t)
{
    putf(t, "%s\t", below(r, 2) ? "spam" : "ham");
    for (unsigned i = 0, n = 1 + below(r, 40); i < n; i++)
        putf(t, "%sw%u", i ? " " : "", below(r, 50));
}

static void vw(thr_random *r, text *t)
{
    putf(t, "%u |a x%u y:2 |b z%u", 1 + below(r, 3), below(r, 9), below(r, 9));
}

static void jsonl(thr_random *r, text *t)
{
    putf(t, "{\"label\": \"l%u\", \"text\": \"one\\ntwo %u\"}", below(r, 3), below(r, 1000));
}

static void fasttext(thr_random *r, text *t)
{
    putf(t, "__label__l%u word%u other", below(r, 3), below(r, 99));
}

static void snow(thr_random *r, text *t)
{
    putf(t, "%u, %u, %u(0.5):", below(r, 3), 10 + below(r, 9), 20 + below(r, 9));
}

/* Quoted fields with line ends, separators, doubled quotes and what looks like a record. */
static void csv(thr_random *r, text *t)
{
    static const char *const fields[] = {
        "plain",          "\"in\nit\"", "\"a \"\"b\"\" c\"", "\"x,y\n\n\"", "5\" pipe",
        "\"\nl1,7,z\n\"", "é"};
    putf(t, "l%u,%u,%s", below(r, 3), below(r, 100), fields[below(r, 7)]);
}

typedef struct kind {
    const char *name, *head;
    void (*record)(thr_random *r, text *t);
    bool blank; /* lines between records may be empty */
} kind;

static const kind kinds[] = {
    {"svmlight", "", svmlight, true},
    {"text", "", running, false},
    {"vw", "", vw, false},
    {"jsonl", "", jsonl, true},
    {"fasttext", "", fasttext, false},
    {"snow", "", snow, true},
    {"csv", "label,number,\"a\nb\"\n", csv, false},
};

/* Some files are large enough to be read in several blocks. */
static text file_of(const kind *k, unsigned seed)
{
    thr_random r;
    text t = {0};
    thr_random_init(&r, thr_mix64(seed));
    unsigned n = seed % 20 == 19 ? 8000 : seed % 7 == 0 ? 1 + below(&r, 4) : 1 + below(&r, 60);
    put(&t, seed % 3 ? "" : "\xef\xbb\xbf", seed % 3 ? 0 : 3);
    put(&t, k->head, strlen(k->head));
    const char *end = seed % 5 == 4 ? "\r\n" : "\n";
    for (unsigned i = 0; i < n; i++) {
        k->record(&r, &t);
        if (i + 1 < n || seed % 2)
            put(&t, end, strlen(end));
        if (k->blank && below(&r, 9) == 0 && i + 1 < n)
            put(&t, end, strlen(end));
    }
    return t;
}

/* ---- what is read ---- */

static int collect(void *user, const void *bytes, size_t n)
{
    put(user, bytes, n);
    return 0;
}

/* The examples as JSON lines; an input without any adds nothing. */
static uint64_t examples_of(thr_input *in, const char *format, text *out)
{
    thr_error err = {0};
    uint64_t n = 0;
    assert_int_equal(thr_input_set_format(in, format, &err), 0);
    int code = thr_convert(in, "jsonl", NULL, collect, out, NULL, &n, &err);
    if (code)
        fail_msg("%s: %s", format, err.message);
    return n;
}

static void add_file(thr_input *in, const text *t, const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(t->p, 1, t->n, f), t->n);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(thr_input_add_file(in, path, NULL), 0);
}

static void assert_shards_are_the_whole(const kind *k, unsigned seed, bool as_file)
{
    char path[] = "/tmp/thresh-shards-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    text t = file_of(k, seed), whole = {0};
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, t.p, t.n, k->name, NULL), 0);
    uint64_t n = examples_of(in, k->name, &whole);
    assert_true(n > 0);
    thr_input_free(in);
    for (unsigned shards = 1; shards <= MOST_SHARDS; shards++) {
        text all = {0};
        uint64_t sum = 0;
        for (unsigned i = 0; i < shards; i++) {
            in = thr_input_new();
            thr_input_set_threads(in, 1 + seed % 3);
            if (as_file)
                add_file(in, &t, path);
            else
                assert_int_equal(thr_input_add_memory(in, t.p, t.n, k->name, NULL), 0);
            assert_int_equal(thr_input_set_shard(in, i, shards, NULL), 0);
            sum += examples_of(in, k->name, &all);
            thr_input_free(in);
        }
        if (sum != n || all.n != whole.n || memcmp(all.p, whole.p, all.n) != 0)
            fail_msg("%s, seed %u: %u shards have %d examples, the file has %d", k->name, seed,
                     shards, (int)sum, (int)n);
        free(all.p);
    }
    unlink(path);
    free(whole.p);
    free(t.p);
}

static void test_shards_of_every_format_are_the_whole_file(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned seed = 0; seed < FILES; seed++)
            assert_shards_are_the_whole(&kinds[k], seed, seed % 2);
}

/* ---- callbacks ---- */

typedef struct pieces {
    const char *p;
    size_t n;
    thr_random random;
} pieces;

static int64_t next_piece(void *user, void *to, size_t room)
{
    pieces *s = user;
    size_t n = 1 + below(&s->random, 1 + below(&s->random, 5000));
    n = n < room ? n : room;
    n = n < s->n ? n : s->n;
    memcpy(to, s->p, n);
    s->p += n;
    s->n -= n;
    return (int64_t)n;
}

static void test_a_callback_delivers_what_the_file_holds(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned seed = 0; seed < FILES; seed++) {
            text t = file_of(&kinds[k], seed), whole = {0}, read = {0};
            pieces s = {.p = t.p, .n = t.n};
            thr_random_init(&s.random, seed);
            thr_input *in = thr_input_new();
            assert_int_equal(thr_input_add_memory(in, t.p, t.n, "memory", NULL), 0);
            uint64_t n = examples_of(in, kinds[k].name, &whole);
            thr_input_free(in);
            in = thr_input_new();
            thr_input_set_threads(in, 1 + seed % 3);
            assert_int_equal(thr_input_add_reader(in, next_piece, &s, "pieces", NULL), 0);
            assert_int_equal(examples_of(in, kinds[k].name, &read), n);
            assert_int_equal(read.n, whole.n);
            assert_memory_equal(read.p, whole.p, whole.n);
            thr_input_free(in);
            free(read.p);
            free(whole.p);
            free(t.p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shards_of_every_format_are_the_whole_file),
        cmocka_unit_test(test_a_callback_delivers_what_the_file_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
