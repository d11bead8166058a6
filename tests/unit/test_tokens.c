/* Folding and words. Where the build has no Unicode tables, only what holds for ASCII is tested. */
#include "features_help.h"

#include "example/tokens.h"

static bool has_unicode(void)
{
    return strcmp(thr_unicode_version(), "none") != 0;
}

/* Folded text with its bars at the ends, so that the blanks there can be seen. */
static const char *folded(making *t, const char *text, size_t n)
{
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    assert_true(thr_tokens_fold(&t->f, &t->scratch, (thr_str){copy, n}));
    free(copy);
    t->shown.n = 0;
    thr_bytes_printf(&t->shown, "<%.*s>", (int)t->scratch.folded.n, t->scratch.folded.p);
    return t->shown.p;
}

static const char *words(making *t, const char *text)
{
    folded(t, text, strlen(text));
    assert_true(thr_tokens_words(&t->f, &t->scratch));
    t->shown.n = 0;
    thr_bytes_add(&t->shown, "", 0);
    for (size_t i = 0; i < t->scratch.n_words; i++)
        thr_bytes_printf(&t->shown, "[%.*s]", (int)t->scratch.word[i].n,
                         t->scratch.folded.p + t->scratch.word[i].at);
    return t->shown.p;
}

#define assert_folded(t, text, expected)                                                           \
    assert_string_equal(folded(t, text, strlen(text)), expected)
#define assert_words(t, text, expected) assert_string_equal(words(t, text), expected)

static void folds_ascii(void **state)
{
    making *t = *state;
    assert_folded(t, "", "< >");
    assert_folded(t, " \t\r\n", "< >");
    assert_folded(t, "Hello,  WORLD\n", "< hello, world >");
    assert_folded(t, "a\x0b\x0c z", "< a z >");
    t->f.fold = false;
    assert_folded(t, "Hello,  WORLD\n", "< Hello, WORLD >");
}

static void folds_unicode(void **state)
{
    making *t = *state;
    if (!has_unicode()) {
        print_message("skip: this build has no Unicode tables\n");
        skip();
    }
    assert_folded(t,
                  "\xc3\x84RGER Stra\xc3\x9f"
                  "e",
                  "< \xc3\xa4rger strasse >");
    assert_folded(t, "cafe\xcc\x81", "< caf\xc3\xa9 >"); /* composed across the end of ASCII */
    assert_folded(t, "\xef\xac\x81n", "< fin >");        /* a ligature */
    assert_folded(t, "a\xc2\xa0\xe3\x80\x80 b", "< a b >");
    assert_folded(t, "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "< \xed\x95\x9c >");
    t->f.normalize = false;
    assert_folded(t, "CAFE\xcc\x81 \xc3\x84", "< cafe\xcc\x81 \xc3\xa4 >");
    t->f.fold = false;
    assert_folded(t, "E\xcc\x81 \xc3\x84\xe2\x80\x89Z", "< E\xcc\x81 \xc3\x84 Z >");
}

/* A mark of Latin-1 behind ASCII, cut sequences, surrogates, overlong forms. */
static void keeps_bad_bytes(void **state)
{
    making *t = *state;
    assert_folded(t, "CAF\xe9 x", "< caf\xe9 x >");
    assert_folded(t, "\xe2\x82", "< \xe2\x82 >");
    assert_folded(t, "\xed\xa0\x80", "< \xed\xa0\x80 >");
    assert_folded(t, "\xc0\xaf\xf5\x80", "< \xc0\xaf\xf5\x80 >");
    assert_words(t, "CAF\xe9s x", "[caf\xe9s][x]");
}

static void counts_bad_bytes(void **state)
{
    (void)state;
    size_t first = 0;
    assert_int_equal(thr_utf8_bad(thr_str_of("plain text of more than eight"), &first), 0);
    assert_int_equal(thr_utf8_bad(thr_str_of("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), &first), 0);
    assert_int_equal(thr_utf8_bad(thr_str_of("0123456789\xe9z\xe9"), &first), 2);
    assert_int_equal(first, 10);
    assert_int_equal(thr_utf8_bad(thr_str_of("\xc3\xa9\xe2\x82"), &first), 2);
    assert_int_equal(first, 2);
    assert_int_equal(thr_utf8_bad(thr_str_of("\xed\xa0\x80"), &first), 3);
    assert_int_equal(thr_utf8_bad(thr_str_of("\xe0\x80\x80"), &first), 3);
    assert_int_equal(thr_utf8_bad(thr_str_of("\xf4\x90\x80\x80"), &first), 4);
    assert_int_equal(thr_utf8_bad(thr_str_of("\xf4\x8f\xbf\xbf"), &first), 0);
}

static void splits_words(void **state)
{
    making *t = *state;
    t->f.symbols = false;
    assert_words(t, "", "");
    assert_words(t, "It's 5:30, isn't it? 'yes' a_b x''y 90's",
                 "[it's][5][30][isn't][it][yes][a_b]"
                 "[x][y][90][s]");
    assert_words(t, "\x01\x02", "");
    t->f.symbols = true;
    assert_words(t, "a-b 'c'!\x01", "[a][-][b]['][c]['][!]");
    t->f.tokens = THR_TOKENS_SPACES;
    assert_words(t, "  Hello, (World)\t5:30 ", "[hello,][(world)][5:30]");
    assert_words(t, " ", "");
}

static void splits_unicode_words(void **state)
{
    making *t = *state;
    if (!has_unicode()) {
        print_message("skip: this build has no Unicode tables\n");
        skip();
    }
    t->f.symbols = false;
    assert_words(t, "l\xe2\x80\x99\xc3\xa9t\xc3\xa9 \xe2\x82\xac 5",
                 "[l\xe2\x80\x99\xc3\xa9t\xc3\xa9][5]");
    /* a zero-width non-joiner joins, a zero-width space parts, a dash parts */
    assert_words(t, "\xd9\x85\xe2\x80\x8c\xd8\xae", "[\xd9\x85\xe2\x80\x8c\xd8\xae]");
    assert_words(t,
                 "a\xe2\x80\x8b"
                 "b\xe2\x80\x93"
                 "c\xe2\x80\xbf"
                 "d",
                 "[a][b][c\xe2\x80\xbf"
                 "d]");
    t->f.symbols = true;
    assert_words(t, "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x82\xac",
                 "[\xe2\x9d\xa4\xef\xb8\x8f][\xe2\x82\xac]");
}

/* Text with one foreign character in front takes the long way for what is next to it only; with
 * one before every character it takes the long way for all. Both must agree with the short way. */
static void ways_agree(void **state)
{
    making *t = *state;
    for (int c = 1; c < 0x80; c++) {
        char plain[] = {'x', (char)c, 'y', '\0'}, mixed[16];
        snprintf(mixed, sizeof mixed, "\xc3\xa9x%c\xc3\xa9y", c);
        char expected[64], got[64];
        snprintf(expected, sizeof expected, "%s", folded(t, plain, 3));
        const char *long_way = folded(t, mixed, strlen(mixed));
        size_t n = 0; /* without the foreign characters */
        for (const char *p = long_way; *p; p++)
            if ((unsigned char)*p < 0x80)
                got[n++] = *p;
        got[n] = '\0';
        assert_string_equal(got, expected);
    }
}

/* Longer than a piece: cut, but never between a letter and its mark. */
static void long_pieces(void **state)
{
    making *t = *state;
    if (!has_unicode()) {
        print_message("skip: this build has no Unicode tables\n");
        skip();
    }
    enum { LETTERS = 5000 };
    char *text = malloc(LETTERS * 4 + 2), *to = text + 2;
    assert_non_null(text);
    memcpy(text, "\xce\x91", 2); /* one without an accent, so that even cuts would do harm */
    for (int i = 0; i < LETTERS; i++, to += 4)
        memcpy(to, "\xce\x91\xcc\x81", 4); /* alpha and an accent, two bytes when composed */
    assert_true(thr_tokens_fold(&t->f, &t->scratch, (thr_str){text, LETTERS * 4 + 2}));
    assert_int_equal(t->scratch.folded.n, LETTERS * 2 + 4);
    for (int i = 0; i < LETTERS; i++)
        memcpy(text + 2 * i, i ? "\xcc\x81" : "\xce\x91", 2); /* nothing but marks: still ends */
    assert_true(thr_tokens_fold(&t->f, &t->scratch, (thr_str){text, LETTERS * 2}));
    free(text);
}

static void finds_characters(void **state)
{
    making *t = *state;
    size_t n;
    folded(t, "a\xe2\x82\xac\xe9", 5);
    assert_true(thr_tokens_characters(&t->scratch, &n));
    const size_t starts[] = {0, 1, 2, 5, 6, 7};
    assert_int_equal(n, 5);
    for (size_t i = 0; i <= n; i++)
        assert_int_equal(t->scratch.index[i], starts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        making_test(folds_ascii),      making_test(folds_unicode),
        making_test(keeps_bad_bytes),  making_test(counts_bad_bytes),
        making_test(splits_words),     making_test(splits_unicode_words),
        making_test(ways_agree),       making_test(long_pieces),
        making_test(finds_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
