/* Schemes of tags: recognised, checked and turned, on random sequences; chunks against the rules of
 * conlleval written out; and the counts of chunks. */
#include "measure/chunks.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 12 };

/* The tags of a sentence, written with blanks between. */
typedef struct tagged {
    char text[MOST * 16];
    thr_str tag[MOST];
    size_t n;
} tagged;

static tagged *split(tagged *s, const char *text)
{
    char *rest = NULL;
    s->n = 0;
    if (text != s->text)
        snprintf(s->text, sizeof s->text, "%s", text);
    for (char *tag = strtok_r(s->text, " ", &rest); tag; tag = strtok_r(NULL, " ", &rest))
        s->tag[s->n++] = thr_str_of(tag);
    assert_true(s->n <= MOST);
    return s;
}

/* ---- recognising -------------------------------------------------------------------------- */

/* The scheme of sentences, which are separated by semicolons. */
static int recognised(const char *sentences)
{
    thr_tag_signs signs = {0};
    char copy[200], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", sentences);
    for (char *one = strtok_r(copy, ";", &rest); one; one = strtok_r(NULL, ";", &rest)) {
        tagged s;
        split(&s, one);
        thr_tags_look(&signs, s.tag, s.n);
    }
    return (int)thr_tags_recognise(&signs);
}

static void schemes_are_recognised(void **state)
{
    (void)state;
    assert_int_equal(recognised(""), THR_TAGS_AUTO);
    assert_int_equal(recognised("O O;O"), THR_TAGS_AUTO);
    assert_int_equal(recognised("NN VB"), THR_TAGS_PLAIN);
    assert_int_equal(recognised("B-X I-X;NN"), THR_TAGS_PLAIN);
    assert_int_equal(recognised("B-X I-X O"), THR_TAGS_BIO);
    assert_int_equal(recognised("O B-X"), THR_TAGS_BIO);
    assert_int_equal(recognised("I-X I-X O"), THR_TAGS_IOB1);
    assert_int_equal(recognised("I-X B-X I-X"), THR_TAGS_IOB1);
    assert_int_equal(recognised("B-X E-X;O"), THR_TAGS_BIOES);
    assert_int_equal(recognised("O;S-X"), THR_TAGS_BIOES);
    assert_int_equal(recognised("B-"), THR_TAGS_PLAIN);
    assert_int_equal(recognised("b-X"), THR_TAGS_PLAIN);
    assert_int_equal(recognised("U-X"), THR_TAGS_PLAIN);
}

/* In one sentence a chunk begins with I-, in another with B-: with mistakes, but BIO. */
static void signs_are_of_all_sentences(void **state)
{
    (void)state;
    assert_int_equal(recognised("I-X;O B-X"), THR_TAGS_BIO);
    assert_int_equal(recognised("O B-X;I-X"), THR_TAGS_BIO);
    assert_int_equal(recognised("I-X B-Y"), THR_TAGS_BIO);
    assert_int_equal(recognised("I-X B-X;B-X"), THR_TAGS_BIO);
}

static void tags_without_a_tag_are_passed_over(void **state)
{
    thr_str tag[] = {thr_str_of("I-X"), {NULL, 0}, thr_str_of("I-X")};
    thr_tag_signs signs = {0};
    (void)state;
    thr_tags_look(&signs, tag + 1, 1);
    assert_false(signs.other || signs.chunks);
    thr_tags_look(&signs, tag, 3);
    assert_true(!signs.other);
    assert_int_equal(thr_tags_recognise(&signs), THR_TAGS_IOB1);
}

static void a_tag_has_a_letter_and_a_type(void **state)
{
    char letter;
    thr_str type;
    (void)state;
    assert_true(thr_tag_parts(thr_str_of("B-A-B"), &letter, &type));
    assert_true(letter == 'B' && thr_str_eq(type, thr_str_of("A-B")));
    assert_true(thr_tag_parts(thr_str_of("O"), &letter, &type));
    assert_true(letter == 'O' && type.n == 0);
    static const char *const others[] = {"B", "I", "B-", "X-A", "O-A", "BA", "B_A", "", "NN"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(thr_tag_parts(thr_str_of(others[i]), &letter, &type));
}

/* ---- checking ----------------------------------------------------------------------------- */

static void assert_wrong_at(enum thr_scheme scheme, const char *tags, size_t at, const char *part)
{
    tagged s;
    const char *why = NULL;
    split(&s, tags);
    assert_int_equal(thr_tags_check(scheme, s.tag, s.n, &why), at);
    if (at < s.n)
        assert_non_null(strstr(why, part));
}

static void tags_are_checked_by_their_scheme(void **state)
{
    (void)state;
    assert_wrong_at(THR_TAGS_BIO, "B-X I-X O B-X B-X", 5, "");
    assert_wrong_at(THR_TAGS_BIO, "O I-X", 1, "has not begun");
    assert_wrong_at(THR_TAGS_BIO, "B-X I-Y", 1, "has not begun");
    assert_wrong_at(THR_TAGS_BIO, "I-X", 0, "has not begun");
    assert_wrong_at(THR_TAGS_BIO, "B-X E-X", 1, "bioes");
    assert_wrong_at(THR_TAGS_BIO, "O NN", 1, "neither");
    assert_wrong_at(THR_TAGS_IOB1, "O I-X I-Y B-Y", 4, "");
    assert_wrong_at(THR_TAGS_IOB1, "O S-X", 1, "bioes");
    assert_wrong_at(THR_TAGS_BIOES, "B-X I-X E-X O S-X", 5, "");
    assert_wrong_at(THR_TAGS_BIOES, "B-X O", 1, "cannot follow");
    assert_wrong_at(THR_TAGS_BIOES, "B-X E-Y", 1, "cannot follow");
    assert_wrong_at(THR_TAGS_BIOES, "S-X I-X", 1, "cannot follow");
    assert_wrong_at(THR_TAGS_BIOES, "I-X E-X", 0, "cannot follow");
    assert_wrong_at(THR_TAGS_BIOES, "O B-X", 1, "open at the end");
    assert_wrong_at(THR_TAGS_BIOES, "O B-X I-X", 2, "open at the end");
    assert_wrong_at(THR_TAGS_PLAIN, "I-X NN E-Y", 3, "");
    assert_wrong_at(THR_TAGS_BIOES, "", 0, "");
}

static void only_what_goes_on_may_follow_in_bioes(void **state)
{
    (void)state;
    thr_str b = thr_str_of("B-X"), i = thr_str_of("I-X"), e = thr_str_of("E-X"),
            s = thr_str_of("S-X"), o = thr_str_of("O"), other = thr_str_of("I-Y");
    assert_true(thr_tags_may_follow(&b, &i) && thr_tags_may_follow(&b, &e));
    assert_true(thr_tags_may_follow(&i, &e) && thr_tags_may_follow(&e, &b));
    assert_true(thr_tags_may_follow(NULL, &s) && thr_tags_may_follow(&o, NULL));
    assert_true(thr_tags_may_follow(&e, NULL) && thr_tags_may_follow(&s, &o));
    assert_false(thr_tags_may_follow(&b, &b) || thr_tags_may_follow(&b, &o));
    assert_false(thr_tags_may_follow(&b, &other) || thr_tags_may_follow(&b, NULL));
    assert_false(thr_tags_may_follow(NULL, &i) || thr_tags_may_follow(&s, &e));
    assert_false(thr_tags_may_follow(&i, NULL) || thr_tags_may_follow(&i, &s));
}

/* ---- turning ------------------------------------------------------------------------------ */

/* Chunks of random lengths and types, and what each scheme writes for them. */
typedef struct drawn {
    tagged in[THR_TAGS_BIOES + 1]; /* by scheme */
    thr_span_of_type chunk[MOST];
    size_t n, chunks;
} drawn;

static char letter_of(enum thr_scheme scheme, bool first, bool last, bool follows_its_type)
{
    if (scheme == THR_TAGS_BIOES)
        return first && last ? 'S' : first ? 'B' : last ? 'E' : 'I';
    return first && (scheme == THR_TAGS_BIO || follows_its_type) ? 'B' : 'I';
}

static void write_token(drawn *d, const char *type, bool first, bool last, bool follows)
{
    for (int scheme = THR_TAGS_BIO; scheme <= THR_TAGS_BIOES; scheme++) {
        tagged *s = &d->in[scheme];
        size_t at = strlen(s->text);
        if (type)
            snprintf(s->text + at, sizeof s->text - at, "%c-%s ",
                     letter_of((enum thr_scheme)scheme, first, last, follows), type);
        else
            snprintf(s->text + at, sizeof s->text - at, "O ");
    }
    d->n++;
}

static void draw(drawn *d, thr_random *r)
{
    static const char *const types[] = {"A", "B-C", "LOC"};
    const char *before = NULL;
    size_t n = 1 + (size_t)thr_random_below(r, MOST);
    *d = (drawn){0};
    while (d->n < n) {
        uint64_t kind = thr_random_below(r, 4);
        const char *type = kind ? types[kind - 1] : NULL;
        size_t length = type ? 1 + (size_t)thr_random_below(r, 3) : 1;
        length = length < n - d->n ? length : n - d->n;
        if (type)
            d->chunk[d->chunks++] = (thr_span_of_type){d->n, d->n + length, thr_str_of(type)};
        for (size_t i = 0; i < length; i++)
            write_token(d, type, i == 0, i + 1 == length, type && type == before);
        before = type;
    }
    for (int scheme = THR_TAGS_BIO; scheme <= THR_TAGS_BIOES; scheme++)
        split(&d->in[scheme], d->in[scheme].text);
}

static void assert_letters(const tagged *s, const char *letter)
{
    for (size_t t = 0; t < s->n; t++)
        assert_int_equal(letter[t], *s->tag[t].p);
}

static void valid_sequences_survive_being_turned(void **state)
{
    thr_random r;
    (void)state;
    thr_random_init(&r, 1);
    for (int round = 0; round < 3000; round++) {
        drawn d;
        char letter[MOST];
        draw(&d, &r);
        for (int i = THR_TAGS_BIO; i <= THR_TAGS_BIOES; i++) {
            enum thr_scheme scheme = (enum thr_scheme)i;
            const tagged *s = &d.in[i], *inside = &d.in[THR_TAGS_BIOES];
            const char *why;
            assert_int_equal(thr_tags_check(scheme, s->tag, s->n, &why), s->n);
            thr_tags_inside(scheme, s->tag, s->n, letter);
            assert_letters(inside, letter);
            thr_tags_outside(scheme, inside->tag, inside->n, letter);
            assert_letters(s, letter);
        }
    }
}

static void valid_sequences_have_their_chunks(void **state)
{
    thr_random r;
    (void)state;
    thr_random_init(&r, 2);
    for (int round = 0; round < 1000; round++) {
        drawn d;
        thr_span_of_type found[MOST];
        draw(&d, &r);
        for (int i = THR_TAGS_BIO; i <= THR_TAGS_BIOES; i++) {
            assert_int_equal(thr_tags_chunks(d.in[i].tag, d.n, found), d.chunks);
            for (size_t k = 0; k < d.chunks; k++) {
                assert_true(found[k].first == d.chunk[k].first && found[k].end == d.chunk[k].end);
                assert_true(thr_str_eq(found[k].type, d.chunk[k].type));
            }
        }
    }
}

/* ---- conlleval ---------------------------------------------------------------------------- */

/* startOfChunk and endOfChunk of conlleval, with E- and S- as in its later versions. */
static bool starts(char before, char now, bool same_type)
{
    if (now == 'O')
        return false;
    if (now == 'B' || now == 'S' || before == 'E' || before == 'S' || before == 'O')
        return true;
    return !same_type;
}

static bool ends(char before, char now, bool same_type)
{
    if (before == 'O')
        return false;
    if (before == 'E' || before == 'S' || now == 'B' || now == 'S' || now == 'O')
        return true;
    return !same_type;
}

static char letter_at(const tagged *s, size_t t)
{
    return t < s->n ? *s->tag[t].p : 'O';
}

static thr_str type_at(const tagged *s, size_t t)
{
    thr_str tag = t < s->n ? s->tag[t] : thr_str_of("O");
    return (thr_str){tag.n > 2 ? tag.p + 2 : "", tag.n > 2 ? tag.n - 2 : 0};
}

/* As conlleval goes through a sentence, and once more behind it. */
static size_t evaluated(const tagged *s, thr_span_of_type *out)
{
    size_t n = 0;
    for (size_t t = 0; t <= s->n; t++) {
        char before = t ? letter_at(s, t - 1) : 'O', now = letter_at(s, t);
        thr_str type = type_at(s, t), last = t ? type_at(s, t - 1) : (thr_str){"", 0};
        if (ends(before, now, thr_str_eq(last, type)))
            out[n - 1].end = t;
        if (starts(before, now, thr_str_eq(last, type)))
            out[n++] = (thr_span_of_type){t, 0, type};
    }
    return n;
}

static void draw_any(tagged *s, thr_random *r, size_t n)
{
    static const char *const tags[] = {"O",   "O",   "B-A", "I-A", "E-A",
                                       "S-A", "B-C", "I-C", "E-C", "S-C"};
    s->text[0] = '\0';
    for (size_t t = 0; t < n; t++) {
        strcat(s->text, tags[thr_random_below(r, 10)]);
        strcat(s->text, " ");
    }
    split(s, s->text);
}

static void any_sequence_has_the_chunks_that_conlleval_counts(void **state)
{
    thr_random r;
    (void)state;
    thr_random_init(&r, 3);
    for (int round = 0; round < 20000; round++) {
        tagged s;
        thr_span_of_type found[MOST], expected[MOST];
        draw_any(&s, &r, (size_t)thr_random_below(&r, MOST + 1));
        size_t n = evaluated(&s, expected);
        assert_int_equal(thr_tags_chunks(s.tag, s.n, found), n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(found[i].first, expected[i].first);
            assert_int_equal(found[i].end, expected[i].end);
            assert_true(thr_str_eq(found[i].type, expected[i].type));
        }
    }
}

/* ---- counts ------------------------------------------------------------------------------- */

static void see(struct thr_chunks *c, const char *truth, const char *predicted)
{
    tagged x, y;
    split(&x, truth);
    split(&y, predicted);
    assert_int_equal(x.n, y.n);
    assert_true(thr_chunks_see(c, x.tag, y.tag, x.n));
}

static void assert_type(const struct thr_chunk_type *t, uint64_t truths, uint64_t predicted,
                        uint64_t right)
{
    assert_int_equal(t->truths, truths);
    assert_int_equal(t->predicted, predicted);
    assert_int_equal(t->right, right);
}

static void chunks_are_counted_by_type(void **state)
{
    (void)state;
    struct thr_chunks *c = thr_chunks_new(THR_TAGS_BIO);
    assert_non_null(c);
    see(c, "B-A I-A O B-C", "B-A I-A O B-C");
    see(c, "B-A I-A O B-C", "B-A O   O B-A");
    see(c, "O B-A", "B-A I-A");
    see(c, "O", "O");
    assert_int_equal(c->sentences, 4);
    assert_int_equal(c->exact, 2);
    assert_int_equal(c->tokens, 11);
    assert_int_equal(c->right, 4 + 2 + 0 + 1);
    assert_int_equal(c->types, 2);
    assert_string_equal(c->type[0].name, "A");
    assert_type(&c->type[0], 3, 4, 1);
    assert_string_equal(c->type[1].name, "C");
    assert_type(&c->type[1], 2, 1, 1);
    assert_type(&c->all, 5, 5, 2);
    thr_chunks_free(c);
}

/* In IOB1 and BIO the letters of one chunk may differ: the chunk is right, the token is not. */
static void a_chunk_is_right_by_its_place_and_type(void **state)
{
    (void)state;
    struct thr_chunks *c = thr_chunks_new(THR_TAGS_IOB1);
    assert_non_null(c);
    see(c, "I-A I-A O", "B-A I-A O");
    assert_type(&c->all, 1, 1, 1);
    assert_int_equal(c->right, 2);
    assert_int_equal(c->exact, 0);
    see(c, "I-A I-A O", "I-A B-A O");
    assert_type(&c->all, 2, 3, 1);
    see(c, "I-A O", "I-C O");
    assert_type(&c->all, 3, 4, 1);
    thr_chunks_free(c);
}

static void plain_tags_have_no_chunks(void **state)
{
    (void)state;
    struct thr_chunks *c = thr_chunks_new(THR_TAGS_PLAIN);
    assert_non_null(c);
    see(c, "NN VB", "NN NN");
    assert_int_equal(c->tokens, 2);
    assert_int_equal(c->right, 1);
    assert_int_equal(c->types, 0);
    assert_type(&c->all, 0, 0, 0);
    thr_chunks_free(c);
    thr_chunks_free(NULL);
}

static uint64_t in_both(const thr_span_of_type *a, size_t n, const thr_span_of_type *b, size_t m)
{
    uint64_t both = 0;
    for (size_t i = 0; i < n * m; i++) {
        const thr_span_of_type *x = &a[i / m], *y = &b[i % m];
        both += x->first == y->first && x->end == y->end && thr_str_eq(x->type, y->type);
    }
    return both;
}

static void right_chunks_are_those_in_both_lists(void **state)
{
    thr_random r;
    (void)state;
    thr_random_init(&r, 4);
    for (int round = 0; round < 3000; round++) {
        struct thr_chunks *c = thr_chunks_new(THR_TAGS_BIOES);
        tagged x, y;
        thr_span_of_type a[MOST], b[MOST];
        size_t n = 1 + (size_t)thr_random_below(&r, MOST);
        draw_any(&x, &r, n);
        draw_any(&y, &r, n);
        size_t truths = evaluated(&x, a), predicted = evaluated(&y, b);
        assert_true(c && thr_chunks_see(c, x.tag, y.tag, n));
        assert_type(&c->all, truths, predicted, in_both(a, truths, b, predicted));
        thr_chunks_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_are_recognised),
        cmocka_unit_test(signs_are_of_all_sentences),
        cmocka_unit_test(tags_without_a_tag_are_passed_over),
        cmocka_unit_test(a_tag_has_a_letter_and_a_type),
        cmocka_unit_test(tags_are_checked_by_their_scheme),
        cmocka_unit_test(only_what_goes_on_may_follow_in_bioes),
        cmocka_unit_test(valid_sequences_survive_being_turned),
        cmocka_unit_test(valid_sequences_have_their_chunks),
        cmocka_unit_test(any_sequence_has_the_chunks_that_conlleval_counts),
        cmocka_unit_test(chunks_are_counted_by_type),
        cmocka_unit_test(a_chunk_is_right_by_its_place_and_type),
        cmocka_unit_test(plain_tags_have_no_chunks),
        cmocka_unit_test(right_chunks_are_those_in_both_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
