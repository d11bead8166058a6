#include "features_help.h"

#include "base/random.h"

#define assert_features(t, text, expected) assert_string_equal(from_text(t, text), expected)

static void makes_words(void **state)
{
    making *t = *state;
    assert_features(t, "", "");
    assert_features(t, "Hello, hello World 42", "[hello][,][world][42]");
    assert_int_equal(t->batch.key[3], 42);
    assert_false(t->batch.has_values);
    assert_int_equal(t->batch.repeated, 0);
    t->f.symbols = false;
    t->f.ngrams = 3;
    assert_features(t, "new, york  city", "[new][york][city][new york][york city][new york city]");
    t->f.ngrams = 0;
    assert_features(t, "new york", "");
    t->f.skip = 2;
    assert_features(t, "a b c d e", "[a .. c][a .. d][b .. d][b .. e][c .. e]");
}

static void makes_characters(void **state)
{
    making *t = *state;
    t->f.ngrams = 0;
    t->f.char_min = 2;
    t->f.char_max = 3;
    assert_features(t, "Ab\t c",
                    "[char| a][char|ab][char|b ][char| c][char|c ]"
                    "[char| ab][char|ab ][char|b c][char| c ]");
    assert_features(t, " ", "");
    assert_features(t, "\xe9", "[char| \xe9][char|\xe9 ][char| \xe9 ]");
    thr_batch_reset(&t->batch);
    thr_batch_open(&t->batch, 0);
    t->f.char_max = 2;
    add_bytes(t, "title", "a", 1, false);
    close_example(t);
    assert_string_equal(shown(t, 0), "[title.char| a][title.char|a ]");
}

static void repeated_words_count_once_by_number_or_by_log(void **state)
{
    making *t = *state;
    const char *text = "b a b c b a";
    assert_features(t, text, "[b][a][c]");
    t->f.values = THR_COUNT;
    assert_features(t, text, "[b]=3[a]=2[c]");
    t->f.values = THR_LOG_COUNT;
    from_text(t, text);
    assert_true(fabs((double)t->batch.value[0] - (1 + log(3))) < 1e-6);
    assert_true(fabs((double)t->batch.value[1] - (1 + log(2))) < 1e-6);
    assert_true(t->batch.value[2] == 1);
}

/* Presence is a matter of each text; what comes together in an example is summed. */
static void text_beside_features(void **state)
{
    making *t = *state;
    thr_batch_open(&t->batch, 0);
    add_feature(t, "", "b", 0.5f);
    add_feature(t, "", "zero", 0);
    add_bytes(t, "", "a b b", 5, false);
    add_bytes(t, "other", "b", 1, false);
    add_bytes(t, "", "a", 1, false);
    close_example(t);
    assert_string_equal(shown(t, 0), "[b]=1.5[a]=2[other|b]");
    thr_batch_open(&t->batch, 1);
    add_bytes(t, "", "a b b", 5, false);
    add_feature(t, "", "b", 1);
    close_example(t);
    assert_string_equal(shown(t, 1), "[a][b]=2");
}

static void sums_repeated_features(void **state)
{
    making *t = *state;
    thr_batch_open(&t->batch, 0);
    add_feature(t, "", "7", 1);
    add_feature(t, "", "x", 2);
    add_feature(t, "", "7", 1);
    add_feature(t, "", "x", -2);
    close_example(t);
    assert_string_equal(shown(t, 0), "[7]=2");
    assert_int_equal(t->batch.repeated, 1);
}

static void bad_bytes(void **state)
{
    making *t = *state;
    assert_features(t, "caf\xe9 \xe9", "[caf\xe9][\xe9]");
    assert_int_equal(t->batch.bad_utf8, 2);
    thr_batch_open(&t->batch, 1);
    assert_int_equal(add_bytes(t, "", "caf\xe9", 4, true), 4);
    assert_int_equal(add_bytes(t, "", "ok", 2, true), 0);
    assert_int_equal(t->batch.bad_utf8, 2);
    thr_batch_drop(&t->batch);
}

static void scales_to_unit_length(void **state)
{
    making *t = *state;
    t->f.unit = -1;
    t->f.bias = true;
    assert_features(t, "a b c", "[a]=0.5[b]=0.5[c]=0.5[bias]=0.5");
    assert_features(t, "", "[bias]");
    for (int unit = -1; unit <= 1; unit++) {
        t->f.unit = unit;
        thr_batch_reset(&t->batch);
        thr_batch_open(&t->batch, 0);
        add_feature(t, "", "1", 4);
        add_feature(t, "", "2", -8);
        close_example(t); /* 4^2 + 8^2 + 1 = 9^2 */
        assert_string_equal(shown(t, 0), unit == 1 ? "[1]=0.444444[2]=-0.888889[bias]=0.111111"
                                                   : "[1]=4[2]=-8[bias]");
    }
    assert_true(t->batch.value[0] == 4.0f / 9);
}

static void huge_values_scale(void **state)
{
    making *t = *state;
    t->f.unit = 1;
    thr_batch_open(&t->batch, 0);
    add_feature(t, "", "1", 3e38f);
    add_feature(t, "", "2", 3e38f);
    close_example(t);
    assert_true(fabs((double)t->batch.value[0] - (sqrt(0.5))) < 1e-6);
}

static void keeps_raw_text(void **state)
{
    making *t = *state;
    thr_str text = thr_str_of("Some  Text caf\xe9");
    t->f.raw = t->f.bias = true;
    t->f.unit = 1;
    t->f.conjoin = 2;
    thr_batch_open(&t->batch, 0);
    add_feature(t, "", "1", 3);
    add_feature(t, "", "2", 4);
    assert_int_equal(thr_features_text(&t->f, &t->scratch, &t->batch, 0, text, false), 0);
    close_example(t);
    assert_ptr_equal(t->batch.about[0].text.p, text.p);
    assert_int_equal(t->batch.about[0].text.n, text.n);
    assert_string_equal(shown(t, 0), "[1]=3[2]=4");
    assert_int_equal(t->batch.bad_utf8, 1);
    thr_batch_open(&t->batch, 1);
    assert_int_equal(thr_features_text(&t->f, &t->scratch, &t->batch, 0, text, true), text.n);
    thr_features_text(&t->f, &t->scratch, &t->batch, 0, thr_str_of("a"), false);
    thr_features_text(&t->f, &t->scratch, &t->batch, 0, thr_str_of("b"), false);
    close_example(t);
    assert_true(thr_str_eq(t->batch.about[1].text, thr_str_of("a b")));
}

/* The words of ASCII text are found by a way of their own unless symbols are words. Where every
 * symbol is a blank, both ways must make the same features. */
static void ngrams_of_ascii_are_those_of_any_text(void **state)
{
    making *t = *state;
    thr_random r;
    thr_random_init(&r, 5);
    for (int round = 0; round < 3000; round++) {
        char text[200], blank[200], *expected;
        size_t n = thr_random_below(&r, sizeof text);
        for (size_t i = 0; i < n; i++) {
            text[i] = "abcDE019_ \t,-;"[thr_random_below(&r, 14)];
            if (thr_random_below(&r, 3) == 0)
                text[i] = ' ';
            blank[i] = strchr(",-;", text[i]) ? ' ' : text[i];
        }
        t->f.ngrams = (unsigned)thr_random_below(&r, 5);
        t->f.skip = (unsigned)thr_random_below(&r, 4);
        t->f.char_max = thr_random_below(&r, 4) == 0 ? 2 : 0;
        t->f.values = thr_random_below(&r, 2) ? THR_COUNT : THR_PRESENCE;
        t->f.symbols = true;
        expected = strdup(from_bytes(t, blank, n));
        assert_non_null(expected);
        t->f.symbols = false;
        assert_string_equal(from_bytes(t, t->f.char_max ? blank : text, n), expected);
        free(expected);
    }
}

/* Names are in the batch's own memory: text and scratch may go. */
static void names_outlive_text(void **state)
{
    making *t = *state;
    t->f.ngrams = 2;
    t->f.char_min = t->f.char_max = 1;
    for (uint32_t e = 0; e < 100; e++) {
        char text[32];
        int n = snprintf(text, sizeof text, "w%u x%u", e, e);
        thr_batch_open(&t->batch, e);
        add_bytes(t, "", text, (size_t)n, false);
        close_example(t);
    }
    thr_feature_scratch_clear(&t->scratch);
    assert_memory_equal(shown(t, 0), "[w0][x0][w0 x0][char| ]=", 20);
    assert_memory_equal(shown(t, 99), "[w99][x99][w99 x99]", 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        making_test(makes_words),
        making_test(makes_characters),
        making_test(repeated_words_count_once_by_number_or_by_log),
        making_test(text_beside_features),
        making_test(sums_repeated_features),
        making_test(bad_bytes),
        making_test(scales_to_unit_length),
        making_test(huge_values_scale),
        making_test(keeps_raw_text),
        making_test(ngrams_of_ascii_are_those_of_any_text),
        making_test(names_outlive_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
