/* Data in memory, the bytes of an input, and batches written in a format. Only thresh.h is
 * included. */
#include "thresh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char lines[] = "1 3.0 |a x:2 7 |b y\n-1 |a x 9\n1 |a x:0.5 |b z\n-1 |b y 7:3\n";

static thr_input *input_of(const char *text)
{
    thr_input *in = thr_input_new();
    assert_non_null(in);
    assert_int_equal(thr_input_add_memory(in, text, strlen(text), "lines.vw", NULL), 0);
    return in;
}

static thr_data *read_data(const char *text, const thr_data_options *o)
{
    thr_settings *s = thr_settings_new();
    thr_input *in = input_of(text);
    thr_error err = {0};
    thr_data *d = thr_data_read(s, in, o, &err);
    if (!d)
        fail_msg("%s", err.message);
    thr_input_free(in);
    thr_settings_free(s);
    return d;
}

static thr_model *model_of(const char *learner)
{
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "learner", learner, NULL), 0);
    thr_model *m = thr_model_new(s, NULL);
    assert_non_null(m);
    thr_settings_free(s);
    return m;
}

static void assert_same_model(const thr_model *a, const thr_model *b)
{
    void *left, *right;
    size_t n, k;
    assert_int_equal(thr_model_dump(a, false, &left, &n, NULL), 0);
    assert_int_equal(thr_model_dump(b, false, &right, &k, NULL), 0);
    assert_int_equal(n, k);
    assert_memory_equal(left, right, n);
    free(left);
    free(right);
}

static void arrays_hold_the_examples(void **state)
{
    (void)state;
    thr_data *d = read_data(lines, NULL);
    thr_data_arrays at;
    thr_data_example e;
    thr_data_arrays_of(d, &at);
    assert_int_equal(at.examples, 4);
    assert_int_equal(at.features, 7); /* the bias, a|x, a|7, b|y, a|9, b|z, b|7 */
    assert_int_equal(at.start[0], 0);
    assert_int_equal(at.start[1] - at.start[0], 4);
    assert_int_equal(at.feature[at.start[1] - 1], 0); /* the bias comes last */
    assert_true(at.value && at.value[0] == 2);
    assert_true(thr_data_example_at(d, 1, &e));
    assert_int_equal(e.label_size, 2);
    assert_memory_equal(e.label, "-1", 2);
    assert_string_equal(e.file, "lines.vw");
    assert_int_equal(e.line, 2);
    assert_true(thr_data_example_at(d, 0, &e) && e.importance == 3 && !e.text);
    assert_false(thr_data_example_at(d, 4, &e));
    thr_data_free(d);
    thr_data_free(NULL);
}

static void features_are_found_by_the_names_they_have(void **state)
{
    (void)state;
    thr_data *d = read_data(lines, NULL);
    thr_data_arrays at;
    thr_data_arrays_of(d, &at);
    for (size_t f = 1; f < at.features; f++) {
        thr_data_feature name;
        size_t found;
        assert_true(thr_data_feature_at(d, f, &name) && name.name_size > 0);
        assert_int_equal(thr_data_find_feature(d, name.ns, name.ns_size, name.name, name.name_size,
                                               &found, NULL),
                         0);
        assert_int_equal(found, f);
    }
    size_t found;
    thr_data_feature name;
    assert_int_equal(thr_data_find_feature(d, "c", 1, "x", 1, &found, NULL), 0);
    assert_true(found == THR_UNKNOWN_FEATURE);
    assert_true(thr_data_feature_at(d, 0, &name) && name.name_size == 0);
    assert_false(thr_data_feature_at(d, at.features, &name));
    thr_data_free(d);
}

/* Three passes, shuffled or not, and one after another: as from the file. */
static void training_gives_the_model_of_the_file(void **state)
{
    (void)state;
    static const char *const learner[] = {"pa", "panel", "averaged", "bayes"};
    thr_data *d = read_data(lines, NULL);
    for (size_t i = 0; i < sizeof learner / sizeof *learner; i++)
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            thr_train_options all = {.passes = 3, .shuffle = shuffle, .seed = 5}, one = all;
            thr_train_report report;
            thr_model *file = model_of(learner[i]), *kept = model_of(learner[i]);
            thr_input *in = input_of(lines);
            one.passes = 1;
            assert_int_equal(thr_train(file, in, &all, NULL, NULL), 0);
            for (int pass = 0; pass < 3; pass++)
                assert_int_equal(thr_train_data(kept, d, &one, &report, NULL), 0);
            assert_int_equal(report.examples, 4);
            /* the format is a fact about files */
            thr_model *again = model_of(learner[i]);
            assert_int_equal(thr_train_data(again, d, &all, NULL, NULL), 0);
            assert_same_model(again, kept);
            thr_stats a, b;
            thr_model_stats(file, &a);
            thr_model_stats(kept, &b);
            assert_int_equal(a.mistakes, b.mistakes);
            assert_int_equal(a.updates, b.updates);
            thr_input_free(in);
            thr_model_free(file);
            thr_model_free(kept);
            thr_model_free(again);
        }
    thr_data_free(d);
}

static void examples_may_count_once(void **state)
{
    (void)state;
    thr_data *d = read_data(lines, &(thr_data_options){.count_once = true});
    thr_data_example e;
    assert_true(thr_data_example_at(d, 0, &e) && e.importance == 1);
    thr_data_free(d);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_settings *s = thr_settings_new();
    thr_input *empty = input_of("");
    assert_null(thr_data_read(s, empty, NULL, &err));
    assert_int_equal(err.code, THR_EDATA);
    thr_input *in = input_of(lines);
    assert_null(thr_data_read(s, in, &(thr_data_options){.reserved = {1}}, &err));
    assert_int_equal(err.code, THR_EUSE);
    thr_data *d = read_data(lines, NULL);
    thr_model *m = model_of("pa");
    assert_int_equal(thr_train_data(m, d, &(thr_train_options){.cache = "file"}, NULL, &err),
                     THR_EUSE);
    assert_int_equal(
        thr_train_data(m, d, &(thr_train_options){.pac_eps = 0.1, .pac_delta = 0.1}, NULL, &err),
        THR_EUSE);
    assert_int_equal(thr_model_features(m), 1); /* the bias: no name was added */
    thr_model_free(m);
    thr_data_free(d);
    thr_input_free(in);
    thr_input_free(empty);
    thr_settings_free(s);
}

/* The data was read for a rule that can take it. */
static void what_the_rule_cannot_take_is_refused(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_data *d = read_data("1 |a x:2\nfoo |a x:-1\n", NULL);
    thr_model *bayes = model_of("bayes"), *lms = model_of("lms");
    assert_int_equal(thr_train_data(bayes, d, NULL, NULL, &err), THR_EDATA);
    assert_int_equal(err.line, 2);
    assert_string_equal(err.file, "lines.vw");
    assert_int_equal(thr_train_data(lms, d, NULL, NULL, &err), THR_EDATA);
    assert_int_equal(thr_model_features(lms), 1);
    thr_model_free(bayes);
    thr_model_free(lms);
    thr_data_free(d);
}

static int note_place(void *user, const thr_update *u)
{
    assert_string_equal(u->file, "lines.vw");
    *(uint64_t *)user += u->line;
    return 0;
}

static void updates_and_reports_tell_the_place(void **state)
{
    (void)state;
    uint64_t lines_seen = 0;
    thr_train_report report;
    thr_data *d = read_data(lines, NULL);
    thr_model *m = model_of("bayes");
    thr_train_options o = {.on_update = note_place, .update_user = &lines_seen};
    assert_int_equal(thr_train_data(m, d, &o, &report, NULL), 0);
    assert_int_equal(lines_seen, 1 + 2 + 3 + 4);
    assert_string_equal(report.reading.formats, "vw");
    thr_model_free(m);
    thr_data_free(d);
}

static void a_copy_of_settings_is_independent(void **state)
{
    (void)state;
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "ngrams", "2", NULL), 0);
    thr_settings *copy = thr_settings_copy(s);
    assert_int_equal(thr_settings_set(s, "ngrams", "3", NULL), 0);
    assert_string_equal(thr_settings_get(copy, "ngrams"), "2");
    thr_settings_free(s);
    assert_true(thr_settings_given(copy, "ngrams"));
    thr_settings_free(copy);
}

/* ---- bytes ---- */

typedef struct gathered {
    char bytes[256];
    size_t n, firsts, lasts;
    int stop; /* the code to stop with */
} gathered;

static int gather(void *user, const thr_piece *p)
{
    gathered *g = user;
    g->firsts += p->first;
    g->lasts += p->last;
    assert_true(g->n + p->size <= sizeof g->bytes);
    memcpy(g->bytes + g->n, p->bytes, p->size);
    g->n += p->size;
    return g->stop;
}

static void pieces_are_the_bytes_of_every_file(void **state)
{
    (void)state;
    /* `gzip -n` of "ab\n" */
    static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
                                           0x00, 0x03, 0x4b, 0x4c, 0xe2, 0x02, 0x00, 0x3e,
                                           0x98, 0x4a, 0x01, 0x03, 0x00, 0x00, 0x00};
    thr_input *in = input_of("one\ntwo");
    gathered g = {0};
    assert_int_equal(thr_input_add_memory(in, "", 0, "empty", NULL), 0);
    assert_int_equal(thr_input_pieces(in, gather, &g, NULL), 0);
    assert_int_equal(g.n, 7);
    assert_memory_equal(g.bytes, "one\ntwo", 7);
    assert_true(g.firsts == 2 && g.lasts == 2);
    g = (gathered){.stop = THR_ECANCEL};
    assert_int_equal(thr_input_pieces(in, gather, &g, NULL), THR_ECANCEL);
    thr_input_free(in);
    if (!strstr(thr_built_with(), "zlib"))
        return;
    in = thr_input_new();
    g = (gathered){0};
    assert_int_equal(thr_input_add_memory(in, packed, sizeof packed, "packed", NULL), 0);
    assert_int_equal(thr_input_pieces(in, gather, &g, NULL), 0);
    assert_int_equal(g.n, 3);
    assert_memory_equal(g.bytes, "ab\n", 3);
    thr_input_set_max_line(in, 99);
    assert_int_equal(thr_input_max_line(in), 99);
    assert_int_equal(thr_input_set_shard(in, 0, 2, NULL), 0);
    assert_int_equal(thr_input_pieces(in, gather, &g, NULL), THR_EUSE);
    thr_input_free(in);
}

/* ---- output ---- */

static int append(void *user, const void *bytes, size_t n)
{
    gathered *g = user;
    assert_true(g->n + n <= sizeof g->bytes);
    memcpy(g->bytes + g->n, bytes, n);
    g->n += n;
    return g->stop;
}

static void add_example(thr_batch *b, const char *label, uint64_t key, float value)
{
    thr_batch_begin(b);
    thr_batch_add_key(b, key, value);
    thr_batch_set_label(b, label);
    thr_batch_end(b, NULL);
}

static void batches_are_written_in_a_format(void **state)
{
    (void)state;
    gathered g = {0};
    thr_batch *b = thr_batch_new();
    thr_output *o = thr_output_new("svmlight", append, &g, NULL);
    assert_non_null(o);
    add_example(b, "1", 3, 0.5f);
    assert_int_equal(thr_output_add(o, b, NULL), 0);
    thr_batch_clear(b);
    add_example(b, "-1", 4, 1);
    assert_int_equal(thr_output_add(o, b, NULL), 0);
    assert_int_equal(thr_output_end(o, NULL), 0);
    static const char expected[] = "1 3:0.5\n-1 4:1\n";
    assert_int_equal(g.n, strlen(expected));
    assert_memory_equal(g.bytes, expected, g.n);
    thr_batch_free(b);
}

static void output_passes_failures_on(void **state)
{
    (void)state;
    gathered g = {.stop = THR_EIO};
    thr_error err = {0};
    thr_batch *b = thr_batch_new();
    thr_output *o = thr_output_new(NULL, append, &g, NULL);
    add_example(b, "1", 3, 1);
    assert_int_equal(thr_output_add(o, b, &err), 0);
    thr_batch_begin(b);
    assert_int_equal(thr_batch_status(b, &err), THR_EUSE);
    assert_int_equal(thr_output_add(o, b, &err), THR_EUSE);
    assert_int_equal(thr_output_end(o, &err), THR_EIO);
    g = (gathered){0};
    o = thr_output_new("svmlight", append, &g, NULL);
    thr_batch_clear(b);
    add_example(b, "1", 3, 1);
    add_example(b, "word", 3, 1); /* svmlight holds numbers as labels */
    assert_int_equal(thr_output_add(o, b, &err), THR_EUSE);
    assert_int_equal(thr_output_end(o, &err), THR_EUSE);
    assert_int_equal(g.n, 0); /* half a result is not written */
    assert_null(thr_output_new("nonsense", append, &g, &err));
    assert_int_equal(err.code, THR_EUSE);
    thr_batch_free(b);
}

/* Its examples have no bias. */
static void a_batch_without_a_model_is_not_learned(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = model_of("pa");
    thr_batch *b = thr_batch_new();
    add_example(b, "1", 3, 1);
    assert_int_equal(thr_batch_status(b, &err), 0);
    assert_int_equal(thr_learn(m, NULL, b, NULL, &err), THR_EUSE);
    thr_batch_free(b);
    thr_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_hold_the_examples),
        cmocka_unit_test(features_are_found_by_the_names_they_have),
        cmocka_unit_test(training_gives_the_model_of_the_file),
        cmocka_unit_test(examples_may_count_once),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(what_the_rule_cannot_take_is_refused),
        cmocka_unit_test(updates_and_reports_tell_the_place),
        cmocka_unit_test(a_copy_of_settings_is_independent),
        cmocka_unit_test(pieces_are_the_bytes_of_every_file),
        cmocka_unit_test(batches_are_written_in_a_format),
        cmocka_unit_test(output_passes_failures_on),
        cmocka_unit_test(a_batch_without_a_model_is_not_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
