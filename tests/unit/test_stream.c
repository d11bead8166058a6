/* From files to batches: records longer than a block, line numbers across blocks and files, the
 * same batches whatever the number of threads. */
#include "model_help.h"

#include "input/stream.h"

typedef struct reading {
    thr_bytes seen; /* one line per example: where it stands, label, number of features */
    uint64_t skipped;
    int code;
    thr_error err;
} reading;

static reading read_all(thr_input *in, unsigned threads)
{
    reading r = {0};
    thr_reader_settings settings = {.labelled = true};
    thr_features_defaults(&settings.features);
    settings.features.bias = false;
    thr_input_set_threads(in, threads);
    thr_stream *s = thr_stream_open(in, &settings, 0, NULL, NULL, &r.err);
    assert_non_null(s);
    thr_batch *b;
    while ((r.code = thr_stream_next(s, &b, &r.err)) > 0)
        for (size_t e = 0; e < b->n; e++) {
            thr_error at = {0};
            thr_stream_place(s, b, e, &at);
            assert_true(thr_bytes_printf(&r.seen, "%s:%d %.*s %d\n", at.file, (int)at.line,
                                         (int)b->about[e].label.n, b->about[e].label.p,
                                         (int)(b->start[e + 1] - b->start[e])));
        }
    assert_int_equal(thr_stream_next(s, &b, NULL), r.code); /* the end is there to stay */
    thr_reading counts;
    thr_stream_reading(s, &counts);
    r.skipped = counts.skipped;
    thr_stream_close(s);
    return r;
}

static thr_input *input_of(const char *format, size_t n, thr_bytes *part)
{
    static const char *const names[] = {"first", "second", "third"};
    thr_input *in = thr_input_new();
    assert_non_null(in);
    assert_int_equal(thr_input_set_format(in, format, NULL), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(thr_input_add_memory(in, part[i].p, part[i].n, names[i], NULL), 0);
    return in;
}

/* Lines `label 1:1 ... k:1`, and what reading them should give. */
static void add_line(thr_bytes *text, thr_bytes *expected, const char *file, int line, int label,
                     int features)
{
    assert_true(thr_bytes_printf(text, "%d", label));
    for (int i = 1; i <= features; i++)
        assert_true(thr_bytes_printf(text, " %d:1", i));
    assert_true(thr_bytes_add(text, "\n", 1));
    assert_true(thr_bytes_printf(expected, "%s:%d %d %d\n", file, line, label, features));
}

static void assert_read(thr_input *in, const thr_bytes *expected)
{
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        reading r = read_all(in, threads);
        if (r.code)
            fail_msg("%s", r.err.message);
        assert_same_bytes(&r.seen, expected);
        thr_bytes_clear(&r.seen);
    }
}

/* Three files, many blocks of 1 MiB each, and records of some MiB among them. */
static void test_examples_come_in_order_across_blocks_and_files(void **state)
{
    (void)state;
    thr_bytes part[3] = {0}, expected = {0};
    for (int p = 0; p < 3; p++)
        for (int line = 1; line <= 4000; line++) {
            int features = line == 7 || line == 3999 ? 400000 * (p == 1) + 90000 : line % 90;
            add_line(&part[p], &expected, (const char *[]){"first", "second", "third"}[p], line,
                     line % 11, features);
        }
    part[1].n--; /* the last line of a file may lack its newline */
    thr_input *in = input_of("svmlight", 3, part);
    assert_read(in, &expected);
    thr_input_free(in);
    for (int p = 0; p < 3; p++)
        thr_bytes_clear(&part[p]);
    thr_bytes_clear(&expected);
}

/* Records of several lines, and a head, count as the lines they are. */
static void test_lines_of_csv(void **state)
{
    (void)state;
    thr_bytes part = {0}, expected = {0};
    assert_true(thr_bytes_printf(&part, "label,text\n"));
    for (int i = 0, line = 2; i < 60000; i++) {
        assert_true(thr_bytes_printf(&part, i % 3 ? "%d,one two\n" : "%d,\"one\ntwo\n\"\n", i % 5));
        assert_true(thr_bytes_printf(&expected, "first:%d %d 2\n", line, i % 5));
        line += i % 3 ? 1 : 3;
    }
    thr_input *in = input_of("csv", 1, &part);
    reading first = read_all(in, 1);
    if (first.code)
        fail_msg("%s", first.err.message);
    /* how many features a text column gives is for test_format_csv to say */
    for (unsigned threads = 2; threads <= 4; threads++) {
        reading again = read_all(in, threads);
        assert_same_bytes(&first.seen, &again.seen);
        thr_bytes_clear(&again.seen);
    }
    const char *a = first.seen.p, *b = expected.p;
    while (*a && *b) {
        size_t n = (size_t)(strchr(b, ' ') - b);
        if (strncmp(a, b, n + 2) != 0)
            fail_msg("%.20s, not %.20s", a, b);
        a = strchr(a, '\n') + 1;
        b = strchr(b, '\n') + 1;
    }
    assert_true(!*a && !*b);
    thr_bytes_clear(&first.seen);
    thr_input_free(in);
    thr_bytes_clear(&part);
    thr_bytes_clear(&expected);
}

/* What comes before a bad line is given first; then the error with file, line and column. */
static void test_bad_line(void **state)
{
    (void)state;
    thr_bytes part[2] = {0}, expected = {0}, before = {0};
    for (int p = 0; p < 2; p++)
        for (int line = 1; line <= 3000; line++) {
            if (p == 1 && line == 2500) {
                before.n = 0;
                assert_true(thr_bytes_add(&before, expected.p, expected.n));
                assert_true(thr_bytes_printf(&part[p], "1 2:1 x:1\n"));
            } else
                add_line(&part[p], &expected, p ? "second" : "first", line, 1, 100);
        }
    thr_input *in = input_of("svmlight", 2, part);
    for (unsigned threads = 1; threads <= 3; threads++) {
        reading r = read_all(in, threads);
        assert_int_equal(r.code, THR_EDATA);
        assert_string_equal(r.err.file, "second");
        assert_int_equal(r.err.line, 2500);
        assert_int_equal(r.err.column, 7);
        assert_same_bytes(&r.seen, &before);
        thr_bytes_clear(&r.seen);
    }
    thr_input_set_on_error(in, THR_SKIP, NULL, NULL);
    reading r = read_all(in, 3);
    assert_int_equal(r.code, 0);
    assert_int_equal(r.skipped, 1);
    assert_same_bytes(&r.seen, &expected);
    thr_bytes_clear(&r.seen);
    thr_input_free(in);
    for (int p = 0; p < 2; p++)
        thr_bytes_clear(&part[p]);
    thr_bytes_clear(&expected);
    thr_bytes_clear(&before);
}

static void test_longest_line(void **state)
{
    (void)state;
    thr_bytes part = {0}, expected = {0};
    for (int line = 1; line <= 20; line++)
        add_line(&part, &expected, "first", line, 1, line == 15 ? 400000 : 10);
    thr_input *in = input_of("svmlight", 1, &part);
    thr_input_set_max_line(in, 2 << 20);
    for (unsigned threads = 1; threads <= 2; threads++) {
        reading r = read_all(in, threads);
        assert_int_equal(r.code, THR_EDATA);
        assert_int_equal(r.err.line, 15);
        assert_non_null(strstr(r.err.message, "longer than 2097152 bytes"));
        thr_bytes_clear(&r.seen);
    }
    thr_input_set_max_line(in, 8 << 20);
    assert_read(in, &expected);
    thr_input_free(in);
    thr_bytes_clear(&part);
    thr_bytes_clear(&expected);
}

/* Leaving early, with blocks still on their way, and inputs with nothing in them. */
static void test_stream_can_be_closed_early_and_input_be_empty(void **state)
{
    (void)state;
    thr_bytes part[3] = {0}, expected = {0};
    for (int line = 1; line <= 30000; line++)
        add_line(&part[1], &expected, "second", line, 1, 30);
    thr_input *in = input_of("svmlight", 3, part);
    assert_read(in, &expected);
    for (unsigned threads = 1; threads <= 6; threads++) {
        thr_reader_settings settings = {.labelled = true};
        thr_features_defaults(&settings.features);
        thr_input_set_threads(in, threads);
        thr_stream *s = thr_stream_open(in, &settings, 0, NULL, NULL, NULL);
        thr_batch *b;
        for (unsigned i = 0; i < threads % 3; i++)
            assert_int_equal(thr_stream_next(s, &b, NULL), 1);
        thr_stream_close(s);
    }
    thr_input_free(in);
    in = thr_input_new();
    expected.n = 0;
    reading r = read_all(in, 2);
    assert_true(r.code == 0 && r.seen.n == 0);
    thr_input_free(in);
    thr_bytes_clear(&part[1]);
    thr_bytes_clear(&expected);
}

/* A thread that gives ids ahead, and which batches it was asked about and left alone. */
typedef struct ahead {
    thr_lexicon names;
    size_t asked, settled;
} ahead;

static bool settle(void *user, thr_batch *b)
{
    ahead *a = user;
    bool leave = a->asked++ % 3 == 1;
    a->settled += !leave;
    return !leave && thr_lexicon_resolve(&a->names, b, NULL) == 0;
}

/* Each example brings two new names, so ids in the order of the stream count up. */
static void assert_ids_count_up(const thr_batch *b, uint32_t *next)
{
    for (size_t i = 0; i < b->n_features; i++)
        assert_int_equal(b->id[i], (*next)++);
}

static void test_ids_given_ahead_are_in_order(void **state)
{
    (void)state;
    enum { LINES = 200000 };
    thr_bytes text = {0};
    for (int i = 0; i < LINES; i++)
        assert_true(thr_bytes_printf(&text, "1 | word%d other%d\n", i, i));
    for (unsigned threads = 1; threads <= 4; threads++) {
        ahead a = {0};
        thr_lookup lookup;
        thr_batch *b;
        uint32_t next = 1;
        thr_reader_settings settings = {.labelled = true};
        thr_features_defaults(&settings.features);
        settings.features.bias = false;
        assert_int_equal(thr_lexicon_init(&a.names, 0, 0, NULL), 0);
        assert_int_equal(thr_lexicon_open_to_readers(&a.names, &lookup, NULL), 0);
        thr_input *in = input_of("vw", 1, &text);
        thr_input_set_threads(in, threads);
        thr_stream *s = thr_stream_open_known(in, &settings, &lookup, NULL, NULL, NULL);
        assert_non_null(s);
        thr_stream_settle_by(s, settle, &a);
        while (thr_stream_next(s, &b, NULL) > 0) {
            if (!thr_stream_is_settled(s)) {
                assert_int_equal(thr_lexicon_resolve(&a.names, b, NULL), 0);
                thr_stream_has_settled(s);
            }
            assert_ids_count_up(b, &next);
        }
        assert_int_equal(next, 2 * LINES + 1);
        assert_true(threads > 1 || a.asked == 0);
        thr_stream_close(s);
        thr_lexicon_close_to_readers(&a.names);
        thr_lexicon_clear(&a.names);
        thr_input_free(in);
    }
    thr_bytes_clear(&text);
}

/* The same model to the bit, whatever the number of threads. */
static void assert_same_by_threads(const char *learner, thr_bytes *text)
{
    thr_model *first = NULL;
    for (unsigned threads = 1; threads <= 4; threads++) {
        thr_model *m = make_model(learner, NULL);
        thr_input *in = input_of("vw", 1, text);
        thr_input_set_threads(in, threads);
        thr_train_options o = {.passes = 1};
        assert_int_equal(thr_train(m, in, &o, NULL, NULL), 0);
        thr_input_free(in);
        if (first) {
            assert_same_model(first, m);
            thr_model_free(m);
        } else
            first = m;
    }
    thr_model_free(first);
}

static void test_same_model(void **state)
{
    (void)state;
    thr_bytes text = random_lines(8, 150000, 5, true);
    assert_same_by_threads("pa", &text);
    thr_bytes_clear(&text);
}

/* New names in every example, which no member may know before its turn. */
static void test_same_panel(void **state)
{
    (void)state;
    thr_bytes text = {0};
    for (int i = 0; i < 6000; i++)
        assert_true(
            thr_bytes_printf(&text, "%d | a%d b%d new%d\n", i * 7919 % 5, i % 11, i % 101, i));
    assert_same_by_threads("panel", &text);
    thr_bytes_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_come_in_order_across_blocks_and_files),
        cmocka_unit_test(test_lines_of_csv),
        cmocka_unit_test(test_bad_line),
        cmocka_unit_test(test_longest_line),
        cmocka_unit_test(test_stream_can_be_closed_early_and_input_be_empty),
        cmocka_unit_test(test_ids_given_ahead_are_in_order),
        cmocka_unit_test(test_same_model),
        cmocka_unit_test(test_same_panel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
