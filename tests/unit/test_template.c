/* Templates: what is read, what is refused and where, folding; the regular expressions against a
 * matcher that tries everything; and what is made of the letters of a word. */
#include "sentence/template.h"

#include "base/random.h"
#include "base/text.h"
#include "sentence/letters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* In memory of its own exact size, so that reading behind it is noticed. */
static int parse(const char *text, thr_template **out, thr_error *err)
{
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    *err = (thr_error){0};
    int code = thr_template_parse(copy, n, out, err);
    free(copy);
    return code;
}

static thr_template *accepted(const char *text)
{
    thr_template *t;
    thr_error err;
    if (parse(text, &t, &err))
        print_error("%s: %s\n", text, err.message);
    assert_non_null(t);
    return t;
}

static void assert_refused(const char *text, unsigned line, unsigned column, const char *part)
{
    thr_template *t;
    thr_error err;
    assert_int_equal(parse(text, &t, &err), THR_EDATA);
    if (!strstr(err.message, part) || err.line != line || err.column != column)
        print_error("%s: %u:%u: %s\n", text, (unsigned)err.line, (unsigned)err.column, err.message);
    assert_null(t);
    assert_non_null(strstr(err.message, part));
    assert_int_equal(err.line, line);
    assert_int_equal(err.column, column);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* A pattern as it was understood: its letter, and each macro as `text<kind row,column,argument>`.
 */
static const char *understood(const thr_template *t, size_t i)
{
    static const char *const kinds = "xtmspe";
    static char text[400];
    const thr_pattern *p = &t->pattern[i];
    int n = snprintf(text, sizeof text, "%c:", "UBT"[p->before]);
    for (unsigned k = 0; k < p->pieces; k++) {
        const thr_macro *m = &t->piece[p->first + k];
        const thr_derived *d = &t->derived[m->derived];
        char kind = kinds[d->kind];
        n +=
            snprintf(text + n, sizeof text - (size_t)n, "%.*s<%c%s%d,%u", (int)m->text.n, m->text.p,
                     d->lower ? kind - 'a' + 'A' : kind, m->absolute ? "@" : "", m->row, d->column);
        assert_int_equal(d->source.p != NULL, d->expression != NULL);
        if (d->source.p)
            n +=
                snprintf(text + n, sizeof text - (size_t)n, ",%.*s", (int)d->source.n, d->source.p);
        else if (kind == 'p' || kind == 'e')
            n += snprintf(text + n, sizeof text - (size_t)n, ",%u", d->n);
        n += snprintf(text + n, sizeof text - (size_t)n, ">");
    }
    snprintf(text + n, sizeof text - (size_t)n, "%.*s", (int)p->rest.n, p->rest.p);
    return text;
}

static void assert_understood(const char *line, const char *expected)
{
    thr_template *t = accepted(line);
    assert_int_equal(t->n, 1);
    assert_string_equal(understood(t, 0), expected);
    thr_template_free(t);
}

static void each_macro_is_read(void **state)
{
    (void)state;
    assert_understood("U02:%x[0,0]", "U:U02:<x0,0>");
    assert_understood("U:%X[-1,3]", "U:U:<X-1,3>");
    assert_understood("U:%x[+2,0]!", "U:U:<x2,0>!");
    assert_understood("U:%x[-0,0]", "U:U:<x0,0>");
    assert_understood("U:%x[100,999]", "U:U:<x100,999>");
    assert_understood("U:%t[0,0,\"^\\d*$\"]", "U:U:<t0,0,^\\d*$>");
    assert_understood("U:%T[0,0,\"\"]", "U:U:<T0,0,>");
    assert_understood("U:%m[0,1,\"a\\\"]b\"]", "U:U:<m0,1,a\\\"]b>");
    assert_understood("U:%M[0,1,\"\\\\\"]", "U:U:<M0,1,\\\\>");
    assert_understood("U:%s[1,0]", "U:U:<s1,0>");
    assert_understood("U:%S[1,0]", "U:U:<S1,0>");
    assert_understood("U:%p[0,0,3]", "U:U:<p0,0,3>");
    assert_understood("U:%P[0,0,0]", "U:U:<P0,0,0>");
    assert_understood("U:%e[0,0,100]", "U:U:<e0,0,100>");
    assert_understood("U:%E[0,0,1]", "U:U:<E0,0,1>");
    assert_understood("U:%x[0,0]/%s[1,0] and %X[2,1]", "U:U:<x0,0>/<s1,0> and <X2,1>");
    assert_understood("U%x[0,0]%x[0,1]", "U:U<x0,0><x0,1>");
    assert_understood("U", "U:U");
}

static void rows_may_count_from_the_ends(void **state)
{
    (void)state;
    assert_understood("U:%x[@1,0]", "U:U:<x@1,0>");
    assert_understood("U:%x[@-2,0]", "U:U:<x@-2,0>");
    assert_understood("U:%x[@+3,0]", "U:U:<x@3,0>");
    thr_template *t = accepted("U:%x[@100,0]%x[-3,1]\nU:%x[2,2]\nB:%x[1,0]");
    assert_int_equal(t->columns, 3);
    thr_template_free(t);
}

static void lines_begin_with_their_kind(void **state)
{
    (void)state;
    assert_understood("B", "B:B");
    assert_understood("b01:%x[0,1]", "B:b01:<x0,1>");
    assert_understood("u:%x[0,1]", "U:u:<x0,1>");
    assert_understood("T%x[0,0]", "T:T<x0,0>");
    assert_understood("# U\n\n  \t\r\nB  \t\r\n#", "B:B");
    assert_understood("\nB", "B:B");
    assert_refused("t", 1, 1, "U, B, T or *");
}

/* Those of tokens come first, then those of one tag before, then those of two. */
static void patterns_are_ordered_by_the_tags_before(void **state)
{
    (void)state;
    static const char *const expected[] = {"U:U1",        "U:*3:<x0,0>", "U:U2", "B:B1",
                                           "B:*3:<x0,0>", "B:B2",        "T:T1", "T:T2"};
    static const unsigned line[] = {3, 4, 7, 2, 4, 6, 1, 5};
    thr_template *t = accepted("T1\nB1\nU1\n*3:%x[0,0]\nT2\nB2\nU2\n");
    assert_int_equal(t->n, LENGTH(expected));
    assert_true(t->with[0] == 3 && t->with[1] == 3 && t->with[2] == 2);
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_string_equal(understood(t, i), expected[i]);
        assert_int_equal(t->pattern[i].line, line[i]);
    }
    thr_template_free(t);
}

static void what_is_made_of_a_column_is_made_once(void **state)
{
    (void)state;
    thr_template *t = accepted("U1:%x[0,0]%x[1,0]%X[0,0]\nU2:%x[-1,0]%x[0,1]%p[0,0,1]%P[0,0,1]\n"
                               "U3:%p[2,0,1]%p[0,0,2]%e[0,0,1]%t[0,0,\"a\"]%m[0,0,\"a\"]\n"
                               "B:%t[1,0,\"a\"]%t[0,0,\"b\"]");
    assert_int_equal(t->n_derived, 10);
    assert_int_equal(t->pieces, 14);
    thr_template_free(t);
}

/* ---- refusing ----------------------------------------------------------------------------- */

static void errors_have_their_place(void **state)
{
    (void)state;
    assert_refused("U1\n X:%x[0,0]", 2, 1, "begins with U, B, T or *");
    assert_refused("U:%y[0,0]", 1, 4, "there are the macros");
    assert_refused("U:100%", 1, 7, "there are the macros");
    assert_refused("U:%x(0,0)", 1, 5, "[ is expected");
    assert_refused("U:%x[,0]", 1, 6, "ROW is a whole number");
    assert_refused("U:%x[--1,0]", 1, 6, "ROW is a whole number");
    assert_refused("U:%x[ 0,0]", 1, 6, "ROW is a whole number");
    assert_refused("U:%x[@,0]", 1, 6, "ROW is a whole number");
    assert_refused("U:%x[99999999999999999999,0]", 1, 6, "ROW is a whole number");
    assert_refused("U:%x[101,0]", 1, 6, "at most 100 rows");
    assert_refused("U:%x[@-101,0]", 1, 6, "at most 100 rows");
    assert_refused("U:%x[0]", 1, 7, ", is expected here: a macro");
    assert_refused("U:%x[0,]", 1, 8, "number of a column");
    assert_refused("U:%x[0,-1]", 1, 8, "number of a column");
    assert_refused("U:%x[0,1000]", 1, 8, "number of a column");
    assert_refused("U:%p[0,0]", 1, 9, "third argument");
    assert_refused("U:%t[0,0]", 1, 9, "third argument");
    assert_refused("U:%p[0,0,]", 1, 10, "a number of characters");
    assert_refused("U:%e[0,0,101]", 1, 10, "at most 100");
    assert_refused("U:%m[0,0,a]", 1, 10, "in quotes");
    assert_refused("U:%t[0,0,\"a]", 1, 10, "quote that ends");
    assert_refused("U:%t[0,0,\"a\\\"]", 1, 10, "quote that ends");
    assert_refused("U:%x[0,0,1]", 1, 9, "] is expected");
    assert_refused("U:%s[0,0", 1, 9, "] is expected");
    assert_refused("U:%p[0,0,1,2]", 1, 11, "] is expected");
    assert_refused("U:%x[0,0] %x[0,", 1, 16, "number of a column");
    assert_refused("U1\n*:%x[0,0]%", 2, 11, "there are the macros");
}

static void a_macro_ends_in_its_line(void **state)
{
    (void)state;
    assert_refused("U:%x[0,\n0]", 1, 8, "number of a column");
    assert_refused("U:%t[0,0,\"a\n\"]", 1, 10, "quote that ends");
    assert_refused("U:%\nx[0,0]", 1, 4, "there are the macros");
}

static void a_template_has_patterns_each_once(void **state)
{
    (void)state;
    assert_refused("", 0, 0, "no pattern");
    assert_refused("# U\n\n", 0, 0, "no pattern");
    assert_refused("B\nU1:%x[0,0]\nB", 3, 0, "twice");
    assert_refused("U1:%x[0,0]\n\nU1:%x[0,0]  ", 3, 0, "twice");
    assert_refused("*1:%x[0,0]\n*1:%x[0,0]", 2, 0, "twice");
    assert_refused("U%x[0,0]%x[1,0]\nU%x[-0,0]%x[+1,0]", 2, 0, "twice");
    thr_template_free(accepted("U%x[1,0]\nU%x[@1,0]\nU%x[-1,0]\nU%x[1,1]\nU%X[1,0]\nU%x[1,0].\n"
                               "U.%x[1,0]\nB%x[1,0]\nT%x[1,0]"));
}

static void assert_apart(const char *text, bool apart)
{
    thr_template *t = accepted(text);
    if (t->apart != apart)
        print_error("%s\n", text);
    assert_int_equal(t->apart, apart);
    thr_template_free(t);
}

static void patterns_that_may_coincide_are_known(void **state)
{
    (void)state;
    assert_apart("U1:%x[0,0]\nU2:%x[0,0]\nB\nB1:%x[0,0]\nT", true);
    assert_apart("U\nU1\nU1a", true);
    assert_apart("U1\nU1:%x[0,0]\nU2a%x[0,0]\nU2", true);
    assert_apart("U%x[0,0]\nB%x[0,0]\nT%x[0,0]", true);
    assert_apart("*%x[0,0]", true);
    assert_apart("U:%x[-1,0]\nU:%x[1,0]", false);
    assert_apart("U%x[0,0]\nU1:%x[0,0]", false);
    assert_apart("U1:%x[0,0]\nU%x[0,0]", false);
    assert_apart("B1:a\nB1:%x[0,0]", false);
    assert_apart("T1:%x[0,0]\nU\nT1:a", false);
}

/* ---- limits ------------------------------------------------------------------------------- */

/* `start`, and n times `format` with numbers from 0 on. */
static char *many(const char *start, const char *format, unsigned n)
{
    thr_bytes text = {0};
    assert_true(thr_bytes_printf(&text, "%s", start));
    for (unsigned i = 0; i < n; i++)
        assert_true(thr_bytes_printf(&text, format, i));
    return text.p;
}

static void assert_limit(const char *start, const char *format, unsigned most, const char *why,
                         unsigned line, unsigned column)
{
    char *text = many(start, format, most), *more = many(start, format, most + 1);
    thr_template_free(accepted(text));
    assert_refused(more, line, column, why);
    free(text);
    free(more);
}

static void sizes_have_limits(void **state)
{
    (void)state;
    assert_limit("", "U%u\n", THR_TEMPLATE_LINES, "at most 1000 patterns", 1001, 1);
    assert_limit("", "*%u\n", THR_TEMPLATE_LINES / 2, "at most 1000 patterns", 501, 1);
    assert_limit("# here\nU1\nU", "%%x[0,%u]", THR_TEMPLATE_PIECES, "at most 32 macros", 3,
                 2 + 10 * 7 + 22 * 8);
    assert_limit("", "U:%%x[0,%1$u]%%s[0,%1$u]\n", THR_TEMPLATE_DERIVED / 2, "different macros",
                 501, 12);
}

/* As many characters as an expression may have. */
static void expressions_have_a_limit(void **state)
{
    (void)state;
    char pattern[200] = "";
    thr_expression x;
    thr_error err = {0};
    for (int i = 0; i < THR_MATCH_ATOMS; i++)
        strcat(pattern, i % 2 ? "\xc3\xa9*" : "\\d");
    assert_int_equal(thr_expression_parse(thr_str_of(pattern), &x, &err), 0);
    assert_int_equal(x.n, THR_MATCH_ATOMS);
    strcat(pattern, "$");
    assert_int_equal(thr_expression_parse(thr_str_of(pattern), &x, &err), 0);
    strcat(pattern, "$");
    assert_int_equal(thr_expression_parse(thr_str_of(pattern), &x, &err), THR_EDATA);
    assert_non_null(strstr(err.message, "more than 64"));
    char *line = many("U1\nU:%t[0,0,\"", "a", THR_MATCH_ATOMS);
    char *text = malloc(strlen(line) + 5);
    sprintf(text, "%sa\"]", line);
    assert_refused(text, 2, 11, "more than 64");
    free(text);
    free(line);
}

/* ---- folding ------------------------------------------------------------------------------ */

static void folding_loses_nothing(void **state)
{
    static const char letters[] = "\n\n\\\\nU%\t";
    thr_random r;
    (void)state;
    thr_random_init(&r, 1);
    for (int round = 0; round < 1000; round++) {
        char text[16] = {0};
        size_t n = (size_t)thr_random_below(&r, sizeof text);
        for (size_t i = 0; i < n; i++)
            text[i] = letters[thr_random_below(&r, sizeof letters - 1)];
        char *line = thr_template_fold(text);
        assert_true(line && !strchr(line, '\n'));
        char *again = thr_template_unfold(line);
        assert_string_equal(again, text);
        free(line);
        free(again);
    }
    char *line = thr_template_fold("U:%t[0,0,\"\\d\"]\nB"), *text = thr_template_unfold("a\\tb\\");
    assert_string_equal(line, "U:%t[0,0,\"\\\\d\"]\\nB");
    assert_string_equal(text, "a\\tb\\");
    free(line);
    free(text);
}

/* ---- regular expressions ------------------------------------------------------------------ */

/* One character of a pattern of the reference: a letter, or a class behind a backslash. */
typedef struct atom {
    bool class;
    char c, count;
} atom;

typedef struct reference {
    atom atom[8];
    size_t n;
    bool from_start, to_end;
    char text[40]; /* the pattern */
} reference;

static bool fits(atom a, char c)
{
    bool alpha = c == 'a' || c == 'b' || c == 'A';
    if (!a.class)
        return a.c == c;
    switch (a.c) {
    case 'd':
        return c == '1';
    case 'D':
        return c != '1';
    case 'l':
        return alpha && c != 'A';
    case 'u':
        return c == 'A';
    case 'a':
        return alpha;
    case 'W':
        return !alpha && c != '1';
    default:
        return true; /* . */
    }
}

/* Where a match of the atoms from i on ends that begins at `at`; NULL: nowhere. The order in which
 * ways are tried is the preference. */
static const char *match(const reference *x, size_t i, const char *at)
{
    if (i == x->n)
        return !x->to_end || !*at ? at : NULL;
    atom a = x->atom[i];
    const char *once = *at && fits(a, *at) ? at + 1 : NULL, *end;
    if (a.count == '?')
        return once && (end = match(x, i + 1, once)) ? end : match(x, i + 1, at);
    if (a.count != '*')
        return once ? match(x, i + 1, once) : NULL;
    end = match(x, i + 1, at);
    return end ? end : once ? match(x, i, once) : NULL;
}

static bool search(const reference *x, const char *text, thr_str *found)
{
    for (const char *at = text;; at++) {
        const char *end = match(x, 0, at);
        if (end) {
            *found = thr_slice(at, end);
            return true;
        }
        if (!*at || x->from_start)
            return false;
    }
}

static void draw_pattern(reference *x, thr_random *r)
{
    static const char letters[] = "ab1-A", classes[] = "dDluaW.", counts[] = "\0\0?**";
    *x = (reference){.from_start = thr_random_below(r, 5) == 0,
                     .to_end = thr_random_below(r, 4) == 0};
    char *to = x->text;
    if (x->from_start)
        *to++ = '^';
    x->n = (size_t)thr_random_below(r, 6);
    for (size_t i = 0; i < x->n; i++) {
        atom *a = &x->atom[i];
        a->class = thr_random_below(r, 2);
        a->c = a->class ? classes[thr_random_below(r, 7)] : letters[thr_random_below(r, 5)];
        a->count = counts[thr_random_below(r, 5)];
        if (a->class && a->c != '.')
            *to++ = '\\';
        *to++ = a->c;
        if (a->count)
            *to++ = a->count;
    }
    strcpy(to, x->to_end ? "$" : "");
}

static void assert_same_match(const reference *x, const char *text)
{
    thr_expression y;
    thr_error err;
    thr_str expected = {NULL, 0}, found = {NULL, 0};
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    assert_int_equal(thr_expression_parse(thr_str_of(x->text), &y, &err), 0);
    bool is = search(x, text, &expected), was = thr_expression_find(&y, (thr_str){copy, n}, &found);
    bool same =
        is == was && (!is || (found.p - copy == expected.p - text && found.n == expected.n));
    if (!same)
        print_error("%s in %s: expected %.*s, found %.*s\n", x->text, text, (int)expected.n,
                    expected.p, (int)found.n, found.p);
    assert_true(same);
    free(copy);
}

static void expressions_match_as_if_all_ways_were_tried(void **state)
{
    thr_random r;
    (void)state;
    thr_random_init(&r, 1);
    for (int round = 0; round < 20000; round++) {
        reference x;
        draw_pattern(&x, &r);
        for (int i = 0; i < 5; i++) {
            char text[10] = "";
            size_t n = (size_t)thr_random_below(&r, 9);
            for (size_t k = 0; k < n; k++)
                text[k] = "aab1-A"[thr_random_below(&r, 6)];
            assert_same_match(&x, text);
        }
    }
}

/* The part that matches, in brackets. */
static const char *found(const char *pattern, const char *text)
{
    static char out[100];
    thr_expression x;
    thr_error err;
    thr_str part;
    assert_int_equal(thr_expression_parse(thr_str_of(pattern), &x, &err), 0);
    if (!thr_expression_find(&x, thr_str_of(text), &part))
        return "none";
    snprintf(out, sizeof out, "%d[%.*s]", (int)(part.p - text), (int)part.n, part.p);
    return out;
}

static void special_characters_of_expressions(void **state)
{
    (void)state;
    assert_string_equal(found("", "ab"), "0[]");
    assert_string_equal(found("^", ""), "0[]");
    assert_string_equal(found("$", "ab"), "2[]");
    assert_string_equal(found("\\$", "a$b"), "1[$]");
    assert_string_equal(found("a$b", "a$b"), "0[a$b]"); /* $ and ^ elsewhere are themselves */
    assert_string_equal(found("a^", "a^"), "0[a^]");
    assert_string_equal(found("\\^a", "a^a"), "1[^a]");
    assert_string_equal(found("\\.", "ab."), "2[.]");
    assert_string_equal(found("\\*\\?", "a*?"), "1[*?]");
    assert_string_equal(found("*a", "a*a"), "1[*a]");
    assert_string_equal(found("a**", "aa*"), "0[aa*]");
    assert_string_equal(found("a\\", "a\\"), "0[a\\]");
    assert_string_equal(found("\\\"", "a\""), "1[\"]");
    assert_string_equal(found("b*", "abb"), "0[]");
    assert_string_equal(found("b*$", "abb"), "1[bb]");
    assert_string_equal(found("b?", "bb"), "0[b]");
    assert_string_equal(found("\\p", "ab,c"), "2[,]");
    assert_string_equal(found("\\s", "ab c"), "2[ ]");
    assert_string_equal(found("\\S\\s", "ab c"), "1[b ]");
    assert_string_equal(found("\\w*$", "- a1"), "2[a1]");
    assert_string_equal(found("\\A\\L\\U", "a1--"), "1[1--]");
}

static void expressions_count_characters_of_utf8(void **state)
{
    (void)state;
    assert_string_equal(found("^..$", "\xc3\xa9\xe2\x82\xac"), "0[\xc3\xa9\xe2\x82\xac]");
    assert_string_equal(found("\xc3\xa9?$", "a\xc3\xa9"), "1[\xc3\xa9]");
    assert_string_equal(found("\xc3\xa9*x", "\xc3\xa9\xc3\xa9x"), "0[\xc3\xa9\xc3\xa9x]");
    assert_string_equal(found("\\a", "1\xc3\xa9"), "1[\xc3\xa9]");
    assert_string_equal(found("^.$", "\xc3\xa9\xa9"), "none"); /* a byte left alone is one */
    assert_string_equal(found("^..$", "\xc3\xa9\xa9"), "0[\xc3\xa9\xa9]");
    assert_string_equal(found("\\W$", "a\xff"), "1[\xff]");
    assert_string_equal(found("\\\xc3\xa9", "a\xc3\xa9"), "1[\xc3\xa9]");
}

/* ---- letters ------------------------------------------------------------------------------ */

typedef size_t making(thr_str word, char *to);

/* What is made of a word in memory of its own size; the result has room for `times` its bytes. */
static const char *made(making *make, const char *word, size_t times)
{
    static char out[100];
    size_t n = strlen(word);
    char *from = malloc(n ? n : 1), *to = malloc(n ? times * n : 1);
    assert_true(from && to);
    memcpy(from, word, n);
    size_t length = make((thr_str){from, n}, to);
    assert_true(length <= times * n);
    snprintf(out, sizeof out, "%.*s", (int)length, to);
    free(from);
    free(to);
    return out;
}

static const char *lower(const char *word)
{
    return made(thr_letters_lower, word, 3);
}

static const char *shape(const char *word)
{
    return made(thr_letters_shape, word, 1);
}

static void words_are_turned_into_lower_case(void **state)
{
    (void)state;
    assert_string_equal(lower("McDonald's-42"), "mcdonald's-42");
    assert_string_equal(lower("AZ[az]@`{"), "az[az]@`{");
    assert_string_equal(lower("A\xff\xc3"), "a\xff\xc3");
    assert_string_equal(lower(""), "");
#ifdef THR_HAVE_UTF8PROC
    assert_string_equal(lower("\xc3\x89T\xc3\x89"), "\xc3\xa9t\xc3\xa9"); /* ÉTÉ */
    assert_string_equal(lower("\xc8\xba"), "\xe2\xb1\xa5");               /* longer than before */
    assert_string_equal(lower("\xf0\x90\x90\x80"), "\xf0\x90\x90\xa8");
#endif
}

static void shapes_have_one_letter_for_each_run(void **state)
{
    (void)state;
    assert_string_equal(shape("McDonald's-42"), "XxXx'x-d");
    assert_string_equal(shape("IBM"), "X");
    assert_string_equal(shape("1,234.5"), "d,d.d");
    assert_string_equal(shape("a--b"), "x--x");
    assert_string_equal(shape("\xff\xff"
                              "aa"),
                        "\xff\xffx");
    assert_string_equal(shape(""), "");
#ifdef THR_HAVE_UTF8PROC
    assert_string_equal(shape("\xc3\x89t\xc3\xa9"), "Xx");
    assert_string_equal(shape("\xe2\x82\xac\xd9\xa1"), "\xe2\x82\xac"
                                                       "d");     /* €, a digit */
    assert_string_equal(shape("\xe6\x97\xa5\xe6\x9c\xac"), "x"); /* letters without case */
#endif
}

typedef bool cutting(thr_str word, unsigned n, thr_str *out);

static void assert_cut(cutting *cut, const char *word, unsigned n, const char *expected)
{
    thr_str part;
    size_t length = strlen(word);
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, word, length);
    bool enough = cut((thr_str){copy, length}, n, &part);
    assert_int_equal(enough, expected != NULL);
    assert_true(!enough || thr_str_eq(part, thr_str_of(expected)));
    free(copy);
}

static void prefixes_and_suffixes_are_of_characters(void **state)
{
    (void)state;
    assert_cut(thr_letters_prefix, "abc", 2, "ab");
    assert_cut(thr_letters_prefix, "abc", 3, "abc");
    assert_cut(thr_letters_prefix, "abc", 4, NULL);
    assert_cut(thr_letters_prefix, "abc", 0, "");
    assert_cut(thr_letters_prefix, "\xc3\xa9\xe2\x82\xac", 1, "\xc3\xa9");
    assert_cut(thr_letters_prefix, "\xc3\xa9\xe2\x82\xac", 2, "\xc3\xa9\xe2\x82\xac");
    assert_cut(thr_letters_prefix, "\xc3\xa9", 2, NULL);
    assert_cut(thr_letters_prefix, "\xe2\x82z", 2, "\xe2\x82"); /* bytes that are not UTF-8 */
    assert_cut(thr_letters_suffix, "abc", 2, "bc");
    assert_cut(thr_letters_suffix, "abc", 4, NULL);
    assert_cut(thr_letters_suffix, "", 1, NULL);
    assert_cut(thr_letters_suffix, "", 0, "");
    assert_cut(thr_letters_suffix, "a\xf0\x9f\x98\x80\xc3\xa9", 2, "\xf0\x9f\x98\x80\xc3\xa9");
    assert_cut(thr_letters_suffix, "\x80\x80\x80\x80\x80", 2, "\x80\x80");
    assert_cut(thr_letters_suffix, "\xe2\x82", 1, "\x82");
    assert_cut(thr_letters_suffix, "\xc3\xa9\xa9", 1, "\xa9");
    assert_cut(thr_letters_suffix, "\xc3\xa9\xa9", 2, "\xc3\xa9\xa9");
}

/* Going back finds the places where going forward has been. */
static void characters_are_the_same_from_both_sides(void **state)
{
    static const char bytes[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff";
    thr_random r;
    (void)state;
    thr_random_init(&r, 1);
    for (int round = 0; round < 20000; round++) {
        char word[12];
        size_t n = 1 + (size_t)thr_random_below(&r, sizeof word);
        for (size_t i = 0; i < n; i++)
            word[i] = bytes[thr_random_below(&r, sizeof bytes - 1)];
        bool starts[sizeof word + 1] = {false};
        enum thr_letter kind;
        for (const char *at = word; at < word + n; at += thr_letter_at(at, word + n, &kind))
            starts[at - word] = true;
        for (const char *at = word + n; at > word;) {
            const char *before = thr_letter_before(word, at);
            assert_true(before < at && starts[before - word]);
            while (--at > before)
                assert_false(starts[at - word]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_macro_is_read),
        cmocka_unit_test(rows_may_count_from_the_ends),
        cmocka_unit_test(lines_begin_with_their_kind),
        cmocka_unit_test(patterns_are_ordered_by_the_tags_before),
        cmocka_unit_test(what_is_made_of_a_column_is_made_once),
        cmocka_unit_test(errors_have_their_place),
        cmocka_unit_test(a_macro_ends_in_its_line),
        cmocka_unit_test(a_template_has_patterns_each_once),
        cmocka_unit_test(patterns_that_may_coincide_are_known),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(expressions_have_a_limit),
        cmocka_unit_test(folding_loses_nothing),
        cmocka_unit_test(expressions_match_as_if_all_ways_were_tried),
        cmocka_unit_test(special_characters_of_expressions),
        cmocka_unit_test(expressions_count_characters_of_utf8),
        cmocka_unit_test(words_are_turned_into_lower_case),
        cmocka_unit_test(shapes_have_one_letter_for_each_run),
        cmocka_unit_test(prefixes_and_suffixes_are_of_characters),
        cmocka_unit_test(characters_are_the_same_from_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
