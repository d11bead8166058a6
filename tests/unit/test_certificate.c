/* Certificates: what is written holds; changed in any number it does not, whether or not the last
 * line is made to fit again, unless what it says then is true all the same; other bytes never crash
 * the checker. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/random.h"
#include "thresh_theory.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct set {
    const char *name, *settings, *text;
    enum thr_verdict separable;
} set;

static const set sets[] = {
    {"and", NULL, "-1 1:1\n-1 2:1\n1 1:1 2:1\n-1 3:1\n", THR_YES},
    {"xor", NULL, "-1 3:1\n1 1:1 3:1\n1 2:1 3:1\n-1 1:1 2:1 3:1\n", THR_NO},
    {"numbers", NULL, "1 1:0.3 2:-2.5\n-1 1:0.1\n1 2:-1e-3 7:4\n-1 2:0.7 7:-1e4\n", THR_YES},
    {"unit", "unit=on", "1 1:0.3 2:-2.5\n-1 1:0.1\n1 2:-1e-3 7:4\n-1 2:0.7 7:-1e4\n", THR_YES},
    {"contradiction", NULL, "1 1:0.3\n-1 2:1\n-1 1:0.3\n", THR_NO},
    {"three labels", NULL, "1 1:1\n2 2:1\n3 3:1 1:0.5\n1 1:2 2:0.5\n3 3:1\n", THR_YES},
    {"three, no separator", NULL, "1 1:1\n2 1:2\n1 1:3\n3 2:1\n", THR_NO},
    {"text", "ngrams=2", "spam\twin a prize now\nham\tlunch at noon\nspam\ta 100% | win\n",
     THR_YES},
    {"text, three labels", NULL, "a\tone two\nb\ttwo three\nc\tone three\na\tone one\n", THR_YES},
    {"one label", NULL, "1 1:1\n1 2:1\n", THR_YES},
};

static thr_input *input_of(const char *text)
{
    thr_input *in = thr_input_new();
    assert_non_null(in);
    assert_int_equal(thr_input_add_memory(in, text, strlen(text), "data", NULL), 0);
    thr_input_set_threads(in, 1);
    return in;
}

static thr_certify *certify(const set *s)
{
    thr_error err = {0};
    thr_settings *settings = thr_settings_new();
    thr_certify_options o = {.seconds = 20};
    assert_non_null(settings);
    if (s->settings) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s->settings, "="), s->settings);
        assert_int_equal(thr_settings_set(settings, name, s->settings + strlen(name) + 1, &err), 0);
    }
    thr_input *in = input_of(s->text);
    thr_certify *c = thr_certify_new(settings, in, &o, &err);
    if (!c)
        fail_msg("%s: %s", s->name, err.message);
    thr_input_free(in);
    thr_settings_free(settings);
    return c;
}

static int verify(const char *text, size_t n, const char *data, thr_checked *out, thr_error *err)
{
    thr_input *in = input_of(data);
    *err = (thr_error){0};
    int code = thr_certificate_verify(text, n, "proof", in, NULL, NULL, out, err);
    thr_input_free(in);
    if (code == 0)
        return 0;
    if (code != THR_EDATA || !err->message[0] || strcmp(err->file, "proof") != 0)
        fail_msg("code %d, %s: %s", code, err->file, err->message);
    return code;
}

/* The last line fits again. */
static void repair(char *text, size_t n)
{
    char line[32];
    const size_t last = sizeof "end 0123456789abcdef\n" - 1;
    if (n < last)
        return;
    int length = snprintf(line, sizeof line, "end %016llx\n",
                          (unsigned long long)thr_hash(text, n - last, 0));
    memcpy(text + n - last, line, (size_t)length);
}

/* ---- what is written holds ---- */

static void what_is_written_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sets); i++) {
        thr_certify *c = certify(&sets[i]);
        thr_certify_report r;
        thr_checked k;
        thr_error err;
        size_t n;
        thr_certify_about(c, &r);
        if (r.separable != sets[i].separable)
            fail_msg("%s: %s (%s)", sets[i].name, r.proof, r.note);
        assert_true(r.checked);
        const char *text = thr_certify_text(c, &n);
        if (verify(text, n, sets[i].text, &k, &err))
            fail_msg("%s: line %d: %s", sets[i].name, (int)err.line, err.message);
        assert_int_equal(k.separable, r.separable == THR_YES);
        assert_int_equal(k.inseparable, r.separable == THR_NO);
        assert_true(isnan(k.gamma_low) == isnan(r.gamma_low));
        if (k.separable) {
            assert_true(k.gamma_low <= r.gamma_low && k.gamma_low > r.gamma_low * (1 - 1e-8));
            assert_true(k.gamma_high >= r.gamma_high && k.gamma_high < r.gamma_high * (1 + 1e-8));
            assert_true(k.g_low <= r.g_low && k.g_high >= r.g_high);
            assert_true(k.gamma_low > 0.98 * k.gamma_high);
        }
        thr_certify_free(c);
    }
}

static void it_is_about_these_examples_only(void **state)
{
    (void)state;
    thr_checked k;
    thr_error err;
    for (size_t i = 0; i < COUNT(sets); i++) {
        thr_certify *c = certify(&sets[i]);
        size_t n;
        const char *text = thr_certify_text(c, &n);
        for (size_t other = 0; other < COUNT(sets); other++)
            if (strcmp(sets[other].text, sets[i].text) != 0 &&
                verify(text, n, sets[other].text, &k, &err) == 0)
                fail_msg("the proof of %s is taken for one of %s", sets[i].name, sets[other].name);
        thr_certify_free(c);
    }
}

/* An example changed that no proof speaks of: all that is claimed is true, but it was of other
 * data. */
static void even_where_it_would_hold(void **state)
{
    (void)state;
    thr_checked k;
    thr_error err;
    size_t n;
    thr_certify *c = certify(&sets[4]);
    const char *text = thr_certify_text(c, &n);
    assert_int_equal(verify(text, n, "1 1:0.3\n-1 2:3\n-1 1:0.3\n", &k, &err), THR_EDATA);
    assert_non_null(strstr(err.message, "fingerprint"));
    thr_certify_free(c);
}

static void importances_do_not_count(void **state)
{
    (void)state;
    static const set weighed = {"weighed", NULL, "1 5 | x\n-1 0.25 | y\n1 | x z\n-1 2 | z\n",
                                THR_YES};
    static const set plain = {"plain", NULL, "1 | x\n-1 | y\n1 | x z\n-1 | z\n", THR_YES};
    thr_certify *a = certify(&weighed), *b = certify(&plain);
    thr_certify_rule x, y;
    size_t i = 0;
    for (; thr_certify_rule_at(a, i, &x) && thr_certify_rule_at(b, i, &y); i++) {
        assert_true(x.bound == y.bound || (isnan(x.bound) && isnan(y.bound)));
        assert_int_equal(x.all_mistakes, y.all_mistakes);
        assert_int_equal(x.all_updates, y.all_updates);
    }
    assert_true(i >= 7);
    thr_certify_free(a);
    thr_certify_free(b);
}

/* ---- tampering ---- */

static void every_number_changed_is_rejected(void **state)
{
    (void)state;
    thr_checked k;
    thr_error err;
    for (size_t i = 0; i < COUNT(sets); i++) {
        thr_certify *c = certify(&sets[i]);
        size_t n, changed = 0;
        const char *text = thr_certify_text(c, &n);
        char *copy = malloc(n + 1);
        assert_non_null(copy);
        for (size_t at = 0; at < n; at++) {
            if (!isdigit((unsigned char)text[at]))
                continue;
            memcpy(copy, text, n);
            copy[at] = text[at] == '9' ? '0' : (char)(text[at] + 1);
            if (verify(copy, n, sets[i].text, &k, &err) == 0)
                fail_msg("%s: byte %zu changed, and it holds", sets[i].name, at);
            changed++;
        }
        assert_true(changed > 20);
        free(copy);
        thr_certify_free(c);
    }
}

/* A certificate with one word exchanged, the last line made to fit. */
static int with(const char *text, size_t n, const char *before, const char *after, const char *data,
                thr_error *err)
{
    thr_checked k;
    thr_bytes copy = {0};
    const char *at = strstr(text, before);
    if (!at)
        fail_msg("there is no '%s'", before);
    size_t from = (size_t)(at - text);
    assert_true(thr_bytes_add(&copy, text, from) && thr_bytes_add(&copy, after, strlen(after)) &&
                thr_bytes_add(&copy, at + strlen(before), n - from - strlen(before)));
    repair(copy.p, copy.n);
    int code = verify(copy.p, copy.n, data, &k, err);
    thr_bytes_clear(&copy);
    return code;
}

static void rejected(const char *text, size_t n, const char *before, const char *after,
                     const char *data, const char *why)
{
    thr_error err;
    if (with(text, n, before, after, data, &err) == 0)
        fail_msg("'%s' became '%s', and it holds", before, after);
    if (!strstr(err.message, why) || err.line == 0)
        fail_msg("'%s' became '%s': not '%s' but '%s'", before, after, why, err.message);
}

static void false_claims_are_rejected(void **state)
{
    (void)state;
    thr_error err;
    size_t n;
    thr_certify *c = certify(&sets[0]);
    const char *text = thr_certify_text(c, &n), *data = sets[0].text;
    assert_int_equal(with(text, n, "label 1", "label 1", data, &err), 0);
    thr_checked k;
    assert_int_equal(verify(text, n, data, &k, &err), 0);
    char now[64], more[64];
    snprintf(now, sizeof now, "separator gamma %.3f", floor(1000 * k.gamma_low) / 1000);
    snprintf(more, sizeof more, "separator gamma %.3f", floor(1000 * k.gamma_low) / 1000 + 0.002);
    rejected(text, n, now, more, data, "as far off as it claims");
    snprintf(now, sizeof now, "combination gamma %.3f", floor(1000 * k.gamma_high) / 1000);
    snprintf(more, sizeof more, "combination gamma %.3f",
             floor(1000 * k.gamma_high) / 1000 - 0.002);
    rejected(text, n, now, more, data, "longer than it claims");
    snprintf(now, sizeof now, "combination g %.3f", floor(1000 * k.g_high) / 1000);
    snprintf(more, sizeof more, "combination g %.3f", floor(1000 * k.g_high) / 1000 - 0.002);
    rejected(text, n, now, more, data, "longer than it claims");
    rejected(text, n, "separator gamma", "combination gamma", data, "p EXAMPLE");
    rejected(text, n, "separator g ", "separator none ", data, "is missing");
    rejected(text, n, "w 0 % ", "w 1 % ", data, "w FUNCTION");
    rejected(text, n, "w 0 |1 ", "w 0 |x ", data, "no feature");
    rejected(text, n, "w 0 |1 ", "w 0 |1 -9", data, "as far off as it claims");
    rejected(text, n, "label -1", "label 2", data, "not one of these");
    rejected(text, n, "label -1\n", "label 1\n", data, "was there before");
    rejected(text, n, "data 4", "data 5", data, "another number of examples");
    rejected(text, n, "set unit auto", "set unit perhaps", data, "no such value");
    rejected(text, n, "set unit", "set learner", data, "not one that says");
    rejected(text, n, "set ngrams 1", "set ngrams 1\nset ngrams x", data, "no such value");
    rejected(text, n, "thresh certificate 1", "thresh certificate 2", data, "not a certificate");
    rejected(text, n, "\ndata ", "\nwata ", data, "a line 'data");
    thr_certify_free(c);
}

/* Thousands of true parts in a small file would take long to check. */
static void a_part_that_was_there_is_rejected(void **state)
{
    (void)state;
    size_t n;
    thr_certify *c = certify(&sets[0]);
    const char *text = thr_certify_text(c, &n), *end = strstr(text, "\nend ");
    const char *part = strstr(text, "separator gamma");
    size_t length = (size_t)(strstr(part + 1, "\nseparator") - part);
    assert_non_null(end);
    char *again = calloc(length + 8, 1);
    snprintf(again, length + 8, "\n%.*s\nend ", (int)length, part);
    rejected(text, n, "\nend ", again, sets[0].text, "of this kind before");
    free(again);
    thr_certify_free(c);
}

/* Weights times a power of ten separate as well, but they take long to check. */
static void the_time_is_limited(void **state)
{
    (void)state;
    const size_t zeros = 400000;
    size_t n;
    thr_checked k;
    thr_error err = {0};
    thr_certify *c = certify(&sets[0]);
    const char *text = thr_certify_text(c, &n), *stop;
    thr_bytes slow = {0};
    char *many = malloc(zeros);
    assert_non_null(many);
    memset(many, '0', zeros);
    for (const char *line = text; line < text + n; line = stop + 1) {
        stop = strchr(line, '\n');
        assert_true(thr_bytes_add(&slow, line, (size_t)(stop - line)) &&
                    (line[0] != 'w' || thr_bytes_add(&slow, many, zeros)) &&
                    thr_bytes_add(&slow, "\n", 1));
    }
    repair(slow.p, slow.n);
    for (int limited = 0; limited < 2; limited++) {
        thr_input *in = input_of(sets[0].text);
        int code = thr_certificate_verify_within(limited ? 1e-3 : 0, slow.p, slow.n, "proof", in,
                                                 NULL, NULL, &k, &err);
        assert_int_equal(code, limited ? THR_EDATA : 0);
        thr_input_free(in);
    }
    assert_non_null(strstr(err.message, "more than 0.001 seconds (see --time-limit)"));
    free(many);
    thr_bytes_clear(&slow);
    thr_certify_free(c);
}

/* A third label that no example has would add points of its own, longer or shorter than those there
 * are. */
static void a_label_that_no_example_has_is_rejected(void **state)
{
    (void)state;
    size_t n;
    thr_certify *c = certify(&sets[0]);
    thr_certify_report about;
    const char *text = thr_certify_text(c, &n);
    thr_certify_about(c, &about);
    char two[64], three[64], *more = malloc(n + 16);
    snprintf(two, sizeof two, "data 4 %llu 2 ", (unsigned long long)about.features);
    snprintf(three, sizeof three, "data 4 %llu 3 ", (unsigned long long)about.features);
    memcpy(more, text, n + 1);
    char *at = strstr(more, two);
    assert_non_null(at);
    memcpy(at, three, strlen(three));
    rejected(more, n, "label 1\n", "label 1\nlabel ghost\n", sets[0].text, "no example has one");
    free(more);
    thr_certify_free(c);
}

static void a_sum_that_is_not_zero_is_rejected(void **state)
{
    (void)state;
    size_t n;
    thr_certify *c = certify(&sets[1]);
    const char *text = thr_certify_text(c, &n), *data = sets[1].text;
    rejected(text, n, "p 2 0 1\n", "p 2 0 2\n", data, "not zero");
    rejected(text, n, "p 2 0 1\n", "p 3 0 1\n", data, "not zero");
    rejected(text, n, "p 2 0 1\n", "p 2 0 -1\n", data, "above 0");
    rejected(text, n, "p 2 0 1\n", "p 2 0 0\n", data, "above 0");
    rejected(text, n, "p 2 0 1\n", "p 2 1 1\n", data, "by mistake");
    rejected(text, n, "p 2 0 1\n", "p 0 0 1\n", data, "no example");
    rejected(text, n, "p 2 0 1\n", "p 5 0 1\n", data, "no example");
    rejected(text, n, "none 0 4\n", "none 0 3\n", data, "not zero");
    rejected(text, n, "none 0 4\n", "gamma 0.0 3\n", data, "longer");
    rejected(text, n, "combination none 0 4\np 1 1 1\np 2 0 1\np 3 0 1\np 4 1 1\n",
             "combination none 0 0\n", data, "no point");
    rejected(text, n, "combination none 0 4\np 1 1 1\np 2 0 1\np 3 0 1\np 4 1 1\n", "", data,
             "proves nothing");
    thr_certify_free(c);
}

/* Margins are squared where they are compared: each on its wrong side by as much is not enough. */
static void a_separator_turned_around_is_rejected(void **state)
{
    (void)state;
    thr_checked k;
    thr_error err;
    size_t n;
    thr_certify *c = certify(&sets[0]);
    const char *text = thr_certify_text(c, &n), *stop;
    thr_bytes turned = {0};
    for (const char *line = text; line < text + n; line = stop + 1) {
        stop = strchr(line, '\n');
        const char *last = stop;
        while (last[-1] != ' ' && last > line)
            last--;
        bool weight = line[0] == 'w';
        size_t before = weight ? (size_t)(last - line) : 0;
        assert_true(thr_bytes_add(&turned, line, before));
        if (weight && *last != '-')
            assert_true(thr_bytes_add(&turned, "-", 1));
        last = weight ? last + (*last == '-') : line;
        assert_true(thr_bytes_add(&turned, last, (size_t)(stop + 1 - last)));
    }
    repair(turned.p, turned.n);
    assert_int_equal(verify(turned.p, turned.n, sets[0].text, &k, &err), THR_EDATA);
    assert_non_null(strstr(err.message, "example 1"));
    thr_bytes_clear(&turned);
    thr_certify_free(c);
}

/* ---- any bytes ---- */

static void mutate(thr_random *r, char *text, size_t n)
{
    static const char any[] = "0123456789 -.\n%|wpegsl";
    size_t times = 1 + (size_t)thr_random_below(r, 4);
    for (size_t i = 0; i < times; i++) {
        size_t at = (size_t)thr_random_below(r, n), to = (size_t)thr_random_below(r, n);
        size_t length = 1 + (size_t)thr_random_below(r, 12);
        switch (thr_random_below(r, 4)) {
        case 0:
            text[at] = any[thr_random_below(r, sizeof any - 1)];
            break;
        case 1:
            text[at] = (char)thr_random_below(r, 256);
            break;
        case 2:
            if (at + length < n && to + length < n)
                memmove(text + to, text + at, length);
            break;
        default:
            if (isdigit((unsigned char)text[at]))
                text[at] = (char)('0' + thr_random_below(r, 10));
        }
    }
}

/* What a certificate that was tampered with still says is true. */
static void still_true(const thr_checked *k, const thr_checked *truth, const char *name)
{
    if ((k->separable && !truth->separable) || (k->inseparable && !truth->inseparable) ||
        k->gamma_low > truth->gamma_high || k->gamma_high < truth->gamma_low ||
        k->g_low > truth->g_high || k->g_high < truth->g_low)
        fail_msg("%s: a false certificate holds", name);
}

static void any_bytes_never_crash_it_nor_prove_what_is_false(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 3);
    size_t held = 0;
    for (size_t i = 0; i < COUNT(sets); i++) {
        thr_certify *c = certify(&sets[i]);
        thr_checked k, truth;
        thr_error err;
        size_t n;
        const char *text = thr_certify_text(c, &n);
        char *copy = malloc(n + 1);
        assert_non_null(copy);
        assert_int_equal(verify(text, n, sets[i].text, &truth, &err), 0);
        for (int round = 0; round < 300; round++) {
            size_t cut = round % 10 == 0 ? (size_t)thr_random_below(&r, n + 1) : n;
            memcpy(copy, text, n);
            mutate(&r, copy, n);
            if (round % 5)
                repair(copy, cut);
            if (verify(copy, cut, sets[i].text, &k, &err) == 0) {
                still_true(&k, &truth, sets[i].name);
                held++;
            }
        }
        free(copy);
        thr_certify_free(c);
    }
    assert_true(held > 0); /* a smaller claim, say */
}

int main(void)
{
    if (!strstr(thr_built_with(), "gmp")) {
        puts("skip: this build has no GMP");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_holds),
        cmocka_unit_test(it_is_about_these_examples_only),
        cmocka_unit_test(even_where_it_would_hold),
        cmocka_unit_test(importances_do_not_count),
        cmocka_unit_test(every_number_changed_is_rejected),
        cmocka_unit_test(false_claims_are_rejected),
        cmocka_unit_test(a_part_that_was_there_is_rejected),
        cmocka_unit_test(the_time_is_limited),
        cmocka_unit_test(a_label_that_no_example_has_is_rejected),
        cmocka_unit_test(a_sum_that_is_not_zero_is_rejected),
        cmocka_unit_test(a_separator_turned_around_is_rejected),
        cmocka_unit_test(any_bytes_never_crash_it_nor_prove_what_is_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
