/* Words of plain text, 64 bytes at a time: as byte by byte, and as the long way through Unicode
 * finds them. */
#include "base/random.h"
#include "example/ascii.h"
#include "example/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 300

static size_t random_text(thr_random *r, char *to)
{
    static const char usual[] = "abcXYZ019_''  .\t";
    size_t n = thr_random_below(r, MOST);
    for (size_t i = 0; i < n; i++)
        to[i] = thr_random_below(r, 20) ? usual[thr_random_below(r, sizeof usual - 1)]
                                        : (char)thr_random_below(r, 128);
    return n;
}

static void check_against_tokens(thr_str text, bool fold, const char *copy, const uint32_t *edge,
                                 size_t words, thr_feature_scratch *s)
{
    thr_features f;
    thr_features_defaults(&f);
    f.fold = fold;
    f.symbols = false;
    assert_true(thr_tokens_fold(&f, s, text) && thr_tokens_words(&f, s));
    assert_int_equal(s->n_words, words);
    for (size_t i = 0; i < words; i++) {
        assert_int_equal(s->word[i].n, edge[2 * i + 1] - edge[2 * i]);
        assert_memory_equal(s->folded.p + s->word[i].at, copy + edge[2 * i], s->word[i].n);
    }
}

typedef size_t find_words(const char *, size_t, bool, char *, uint32_t *);

/* Returns how many words there are; the text is where a read past its end is seen. */
static size_t check_text(find_words *find, thr_str text, bool fold, thr_feature_scratch *s)
{
    char copy[MOST + THR_ASCII_SPARE], plain[MOST + THR_ASCII_SPARE];
    uint32_t edge[MOST + 2 + THR_ASCII_EDGES], plain_edge[MOST + 2];
    size_t words = find(text.p, text.n, fold, copy, edge);
    assert_int_equal(words, thr_ascii_words_plain(text.p, text.n, fold, plain, plain_edge));
    assert_memory_equal(edge, plain_edge, 2 * words * sizeof *edge);
    assert_memory_equal(copy, plain, text.n);
    check_against_tokens(text, fold, copy, edge, words, s);
    return words;
}

static void check_random_texts(find_words *find)
{
    thr_random r;
    thr_feature_scratch s = {0};
    size_t all = 0;
    thr_random_init(&r, 3);
    for (int i = 0; i < 40000; i++) {
        char from[MOST];
        size_t n = random_text(&r, from);
        char *text = malloc(n + 1);
        assert_non_null(text);
        memcpy(text, from, n);
        all += check_text(find, (thr_str){text, n}, thr_random_below(&r, 2), &s);
        free(text);
    }
    assert_true(all > 40000);
    thr_feature_scratch_clear(&s);
}

static void test_what_the_processor_can_do(void **state)
{
    (void)state;
    check_random_texts(thr_ascii_words);
}

static void test_what_most_processors_can_do(void **state)
{
    (void)state;
    check_random_texts(thr_ascii_words_wide);
}

static void test_what_every_processor_can_do(void **state)
{
    (void)state;
    check_random_texts(thr_ascii_words_narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_processor_can_do),
        cmocka_unit_test(test_what_most_processors_can_do),
        cmocka_unit_test(test_what_every_processor_can_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
