/* Collins' bound (2002): if some vector u of length 1 gives the true tags of every sentence a lead of at least
 * gamma over all others, the structured perceptron makes at most R^2/gamma^2 updates, however often it sees the
 * sentences; R is the greatest length of a difference of two taggings of one sentence.
 *
 * Sentences are tagged by a drawn u, and kept if its lead is clear. R and gamma are computed here, from all
 * taggings. The first sentence has every tag before another, so that the feature of each tag before exists from
 * then on: the vector that is learned has the same features as u. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TAGS = 3, WORDS = 6, LONGEST = 5, SENTENCES = 20, FEATURES = WORDS * TAGS + TAGS * TAGS };

typedef struct sentence {
    size_t n;
    size_t word[LONGEST], tag[LONGEST];
} sentence;

typedef struct world {
    dice d;
    double u[FEATURES];
    sentence s[SENTENCES];
    double lead, length2; /* least lead of u, not divided by its length; greatest |D|^2 */
} world;

/* out += sign F(x, tag) */
static void add_features(const sentence *s, const size_t *tag, double sign, double *out)
{
    for (size_t t = 0; t < s->n; t++) {
        out[s->word[t] * TAGS + tag[t]] += sign;
        if (t)
            out[WORDS * TAGS + tag[t - 1] * TAGS + tag[t]] += sign;
    }
}

/* Tagging number i of a sentence of n words. */
static void write_tags(size_t i, size_t n, size_t *tag)
{
    for (size_t t = 0; t < n; t++, i /= TAGS)
        tag[t] = i % TAGS;
}

static size_t count_taggings(size_t n)
{
    size_t all = 1;
    while (n-- > 0)
        all *= TAGS;
    return all;
}

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < FEATURES; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Gives the sentence the best tags by u. */
static void tag_best(const world *w, sentence *s)
{
    double most = -INFINITY;
    for (size_t i = 0; i < count_taggings(s->n); i++) {
        size_t tag[LONGEST];
        double f[FEATURES] = {0};
        write_tags(i, s->n, tag);
        add_features(s, tag, 1, f);
        if (product(w->u, f) > most) {
            most = product(w->u, f);
            memcpy(s->tag, tag, sizeof tag);
        }
    }
}

/* The least lead of its tags over others, and the greatest |D|^2. */
static void measure(const world *w, const sentence *s, double *lead, double *length2)
{
    *lead = INFINITY;
    *length2 = 0;
    for (size_t i = 0; i < count_taggings(s->n); i++) {
        size_t tag[LONGEST];
        double d[FEATURES] = {0};
        write_tags(i, s->n, tag);
        if (memcmp(tag, s->tag, s->n * sizeof *tag) == 0)
            continue;
        add_features(s, s->tag, 1, d);
        add_features(s, tag, -1, d);
        *lead = fmin(*lead, product(w->u, d));
        *length2 = fmax(*length2, product(d, d));
    }
}

/* Until each tag stands before another. */
static bool covers(const sentence *s)
{
    bool before[TAGS] = {0};
    for (size_t t = 0; t + 1 < s->n; t++)
        before[s->tag[t]] = true;
    return before[0] && before[1] && before[2];
}

static void draw_sentence(world *w, size_t i)
{
    sentence *s = &w->s[i];
    double lead, length2;
    do {
        s->n = i ? 1 + dice_below(&w->d, LONGEST) : LONGEST;
        for (size_t t = 0; t < s->n; t++)
            s->word[t] = dice_below(&w->d, WORDS);
        tag_best(w, s);
        measure(w, s, &lead, &length2);
    } while (lead < 0.05 || (i == 0 && !covers(s)));
    w->lead = fmin(w->lead, lead);
    w->length2 = fmax(w->length2, length2);
}

/* A world whose u leaves every tag a place before another. */
static void draw_world(world *w, uint64_t seed)
{
    *w = (world){.d = {seed}, .lead = INFINITY};
    for (size_t i = 0; i < FEATURES; i++)
        w->u[i] = dice_normal(&w->d) * (i < WORDS * TAGS ? 1 : 0.3);
    for (size_t k = 0; k < WORDS; k++) /* each tag has words of its own */
        w->u[k * TAGS + k % TAGS] += 3;
    for (size_t i = 0; i < SENTENCES; i++)
        draw_sentence(w, i);
}

static char *write_text(const world *w)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    for (size_t i = 0; i < SENTENCES; i++) {
        for (size_t t = 0; t < w->s[i].n; t++)
            fprintf(to, "w%zu T%zu\n", w->s[i].word[t], w->s[i].tag[t]);
        fputc('\n', to);
    }
    fclose(to);
    return text;
}

static thr_train_report train(const char *text, unsigned passes)
{
    thr_error err = {0};
    thr_train_report report;
    thr_model *m = model_make(false, "decode=viterbi template=U:%x[0,0]\nB", "perceptron:bias=off");
    thr_input *in = thr_input_new();
    if (thr_input_add_memory(in, text, strlen(text), "sentences", &err) ||
        thr_input_set_format(in, "conll", &err) ||
        thr_train(m, in, &(thr_train_options){.passes = passes}, &report, &err))
        fail_msg("%s", err.message);
    thr_input_free(in);
    thr_model_free(m);
    return report;
}

static void updates_are_bounded(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(40); seed++) {
        world w;
        draw_world(&w, seed);
        char *text = write_text(&w);
        thr_train_report r = train(text, 200);
        double bound = w.length2 * product(w.u, w.u) / (w.lead * w.lead);
        if (!((double)r.updates <= bound))
            fail_msg("seed %llu: %llu updates, and the bound is %g", (unsigned long long)seed,
                     (unsigned long long)r.updates, bound);
        assert_true(r.last_pass_mistakes == 0);
        assert_true(r.updates > 0);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(updates_are_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
