/* Parsing from strings, for the tests of formats: a block is copied to memory of its own exact
 * size, so that reading behind it is noticed, and examples are shown as one line of text. */
#ifndef PARSE_HELP_H
#define PARSE_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "format/format.h"

typedef struct parsed {
    thr_reader_settings settings;
    thr_parser parser;
    thr_batch batch;
    char *block;
    thr_bytes shown;
    thr_error err;
} parsed;

/* Labelled, every problem kept, text kept raw, nothing added to the features. */
static inline void parsed_init(parsed *t)
{
    *t = (parsed){.settings = {.labelled = true, .on_error = THR_REPORT}};
    thr_features_defaults(&t->settings.features);
    t->settings.features.raw = true;
    t->settings.features.bias = false;
    t->settings.features.unit = 0;
    t->settings.features.numbers = false;
    thr_batch_init(&t->batch);
    t->parser.settings = &t->settings;
    t->parser.batch = &t->batch;
}

static inline void choose(parsed *t, const char *columns)
{
    assert_int_equal(thr_columns_parse(columns, &t->settings.columns, &t->err), 0);
}

static inline void parsed_clear(parsed *t)
{
    thr_feature_scratch_clear(&t->parser.scratch);
    thr_bytes_clear(&t->parser.buffer);
    thr_sentence_clear(&t->parser.sentence);
    thr_batch_release(&t->batch);
    thr_bytes_clear(&t->shown);
    free(t->block);
}

static inline void parse_bytes(parsed *t, const thr_format *f, const char *p, size_t n)
{
    free(t->block);
    t->block = malloc(n ? n : 1);
    assert_non_null(t->block);
    memcpy(t->block, p, n);
    thr_batch_reset(&t->batch);
    thr_format_parse(f, &t->parser, t->block, t->block + n);
    assert_false(t->batch.failed);
}

static inline void parse_string(parsed *t, const thr_format *f, const char *text)
{
    parse_bytes(t, f, text, strlen(text));
}

/* `label+label {candidate,candidate} *importance 'tag [text] ns|name=value ...`, leaving out what
 * there is not and "=1". */
static inline const char *shown(parsed *t, size_t e)
{
    assert_true(e < t->batch.n);
    const thr_example_info *a = &t->batch.about[e];
    thr_bytes *s = &t->shown;
    s->n = 0;
    thr_bytes_printf(s, "%.*s", a->label.p ? (int)a->label.n : 1, a->label.p ? a->label.p : "-");
    for (size_t i = 0; i < a->more.n; i++) {
        thr_str more = t->batch.listed[a->more.from + i];
        thr_bytes_printf(s, "+%.*s", (int)more.n, more.p);
    }
    for (size_t i = 0; i < a->candidates.n; i++) {
        thr_str c = t->batch.listed[a->candidates.from + i];
        thr_bytes_printf(s, "%s%.*s%s", i ? "," : " {", (int)c.n, c.p,
                         i + 1 == a->candidates.n ? "}" : "");
    }
    if (a->importance != 1)
        thr_bytes_printf(s, " *%g", (double)a->importance);
    if (a->tag.p)
        thr_bytes_printf(s, " '%.*s", (int)a->tag.n, a->tag.p);
    if (a->text.p)
        thr_bytes_printf(s, " [%.*s]", (int)a->text.n, a->text.p);
    for (size_t i = t->batch.start[e]; i < t->batch.start[e + 1]; i++) {
        char digits[24];
        thr_str ns, name = thr_batch_name_of(&t->batch, i, digits, &ns);
        thr_bytes_printf(s, " %.*s%s%.*s", (int)ns.n, ns.p, ns.n ? "|" : "", (int)name.n, name.p);
        if (thr_batch_value(&t->batch, i) != 1)
            thr_bytes_printf(s, "=%g", (double)thr_batch_value(&t->batch, i));
    }
    return s->p;
}

/* One example, without a problem. */
static inline void assert_example(parsed *t, const thr_format *f, const char *text,
                                  const char *expected)
{
    parse_string(t, f, text);
    if (t->batch.n_problems)
        print_error("in \"%s\": %s\n", text, t->batch.problem[0].message);
    assert_int_equal(t->batch.n_problems, 0);
    assert_int_equal(t->batch.n, 1);
    assert_string_equal(shown(t, 0), expected);
}

/* No example, one problem, at this line and column (from 1), whose message holds `part`. */
static inline void assert_problem(parsed *t, const thr_format *f, const char *text, unsigned line,
                                  unsigned column, const char *part)
{
    parse_string(t, f, text);
    assert_int_equal(t->batch.n_problems, 1);
    const thr_problem *problem = &t->batch.problem[0];
    if (!strstr(problem->message, part) || problem->column != column || problem->line + 1 != line)
        print_error("in \"%s\": %u:%u: %s\n", text, problem->line + 1, (unsigned)problem->column,
                    problem->message);
    assert_non_null(strstr(problem->message, part));
    assert_int_equal(problem->line + 1, line);
    assert_int_equal(problem->column, column);
}

/* What `f` writes for the examples of the batch; NULL, with t->err set, when it refuses one.
 * The caller frees it. */
static inline char *written(parsed *t, const thr_format *f)
{
    thr_writer w = {.batch = &t->batch, .err = &t->err};
    int code = 0;
    t->err = (thr_error){0};
    for (size_t e = 0; !code && e < t->batch.n; e++) {
        size_t before = w.out.n;
        code = f->write(&w, e);
        w.written += !code;
        if (code) {
            assert_int_equal(code, t->err.code);
            assert_int_equal(w.out.n, before);
        }
    }
    if (f->write_end)
        f->write_end(&w);
    if (code) {
        thr_bytes_clear(&w.out);
        return NULL;
    }
    return w.out.p;
}

static inline void assert_written(parsed *t, const thr_format *from, const char *text,
                                  const thr_format *to, const char *expected)
{
    parse_string(t, from, text);
    assert_int_equal(t->batch.n_problems, 0);
    char *out = written(t, to);
    if (!out)
        print_error("refused: %s\n", t->err.message);
    assert_non_null(out);
    assert_string_equal(out, expected);
    free(out);
}

static inline void assert_refused(parsed *t, const thr_format *from, const char *text,
                                  const thr_format *to, const char *part)
{
    parse_string(t, from, text);
    assert_int_equal(t->batch.n_problems, 0);
    char *out = written(t, to);
    if (out)
        print_error("written: %s\n", out);
    assert_null(out);
    assert_int_equal(t->err.code, THR_EUSE);
    if (!strstr(t->err.message, part))
        print_error("%s\n", t->err.message);
    assert_non_null(strstr(t->err.message, part));
}

static inline int setup_parsed(void **state)
{
    parsed *t = malloc(sizeof *t);
    if (!t)
        return -1;
    parsed_init(t);
    t->parser.settings = &t->settings;
    *state = t;
    return 0;
}

static inline int teardown_parsed(void **state)
{
    parsed_clear(*state);
    free(*state);
    return 0;
}

#define parse_test(f) cmocka_unit_test_setup_teardown(f, setup_parsed, teardown_parsed)

#endif
