/* Making features from running text, and ending an example. The words of ASCII text are found by a
 * fast path (see add_text); it gives the same features as the general path.
 *
 * In this file `b` is the batch that is being filled, b->n the number of its open example, and
 * `ns` the number of a namespace within the batch. Functions that return bool return false when
 * memory runs out, unless their comment says otherwise. */
#include "example/features.h"

#include "base/error.h"
#include "base/mathx.h"
#include "example/ascii.h"
#include "example/conjoin.h"
#include "example/cross.h"
#include "example/names.h"
#include "example/negate.h"
#include "example/tokens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void thr_feature_scratch_clear(thr_feature_scratch *s)
{
    thr_merge_clear(&s->merge);
    thr_bytes_clear(&s->folded);
    free(s->point);
    free(s->word);
    free(s->part);
    free(s->space);
    free(s->index);
    free(s->edge);
    thr_negation_clear(&s->negation);
    *s = (thr_feature_scratch){0};
}

void thr_features_defaults(thr_features *f)
{
    *f = (thr_features){
        .tokens = THR_TOKENS_WORDS,
        .symbols = true,
        .fold = true,
        .normalize = true,
        .ngrams = 1,
        .values = THR_PRESENCE,
        .unit = -1,
        .bias = true,
        .numbers = true,
    };
}

/* ---- text --------------------------------------------------------------------------------- */

/* Keeps the text of the open example unchanged. It is borrowed, not copied: the block of input
 * that it lies in outlives the batch. If the example has text already, both pieces are copied
 * to the arena, with a blank between them. */
static void keep_raw_text(thr_batch *b, thr_str text)
{
    thr_str *kept = &b->about[b->n].text, first = *kept;
    if (!first.p) {
        *kept = text;
        return;
    }
    char *joined = thr_arena_take(&b->arena, first.n + 1 + text.n);
    if (!joined) {
        b->failed = true;
        return;
    }
    memcpy(joined, first.p, first.n);
    joined[first.n] = ' ';
    memcpy(joined + first.n + 1, text.p, text.n);
    *kept = (thr_str){joined, first.n + 1 + text.n};
}

/* Copies the words from s->folded into the arena, separated by single blanks, and returns the
 * copy. Every n-gram of words is then a slice of it. The spans in s->word become offsets into
 * the copy. NULL: out of memory. */
static const char *join_words(thr_feature_scratch *s, thr_batch *b)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_words; i++)
        n += s->word[i].n + 1;
    char *joined = thr_arena_take(&b->arena, n), *to = joined;
    if (!joined)
        return NULL;
    for (size_t i = 0; i < s->n_words; i++) {
        memcpy(to, s->folded.p + s->word[i].at, s->word[i].n);
        s->word[i].at = (size_t)(to - joined);
        to += s->word[i].n;
        *to++ = ' ';
    }
    return joined;
}

/* The same for words that lie in a copy of their own, by the edges that thr_ascii_words found:
 * where more than a blank is between two words, those behind it move towards the front. */
static bool close_gaps(thr_feature_scratch *s, char *text, size_t words)
{
    const uint32_t *edge = s->edge;
    if (!thr_grow(&s->word, &s->word_room, words, sizeof *s->word))
        return false;
    s->n_words = words;
    for (size_t i = 0, end = words ? edge[0] : 0; i < words; i++) {
        size_t from = edge[2 * i], n = edge[2 * i + 1] - from, at = i ? end + 1 : from;
        if (i)
            text[end] = ' ';
        if (at != from)
            memmove(text + at, text + from, n);
        s->word[i] = (thr_span){at, n};
        end = at + n;
    }
    return true;
}

/* Adds the skip-bigrams "left .. right". */
static bool add_skip_bigrams(const thr_features *f, const thr_feature_scratch *s, thr_batch *b,
                             uint32_t ns, const char *text)
{
    static const char gap[THR_ARENA_SPARE] = " .. ";
    const size_t gap_n = 4;
    const thr_span *word = s->word;
    thr_naming x;
    thr_naming_begin(&x, b, ns);
    for (size_t i = 0; i < s->n_words; i++)
        for (size_t j = i + 2; j < s->n_words && j - i - 1 <= f->skip; j++) {
            size_t n = word[i].n + gap_n + word[j].n;
            char *name = thr_arena_take(&b->arena, n);
            if (!name)
                return false;
            char *to = thr_put_spare(name, text + word[i].at, word[i].n);
            to = thr_put_spare(to, gap, gap_n);
            thr_put_spare(to, text + word[j].at, word[j].n);
            thr_naming_add(&x, (thr_str){name, n}, 1);
        }
    thr_naming_flush(&x);
    return true;
}

/* Adds the n-grams and skip-bigrams of the words in s->word, which lie in `text`. */
static bool add_ngrams(const thr_features *f, const thr_feature_scratch *s, thr_batch *b,
                       uint32_t ns, const char *text)
{
    const thr_span *word = s->word;
    thr_naming x;
    thr_naming_begin(&x, b, ns);
    for (size_t n = 1; n <= f->ngrams && n <= s->n_words; n++)
        for (size_t i = 0; i + n <= s->n_words; i++) {
            size_t end = word[i + n - 1].at + word[i + n - 1].n;
            thr_naming_add(&x, (thr_str){text + word[i].at, end - word[i].at}, 1);
        }
    thr_naming_flush(&x);
    return f->skip == 0 || add_skip_bigrams(f, s, b, ns, text);
}

/* Adds the words, n-grams and skip-bigrams of ASCII text. Its offsets have 32 bits. */
static bool add_ascii_words(const thr_features *f, thr_feature_scratch *s, thr_batch *b,
                            uint32_t ns, thr_str text)
{
    char *copy = thr_arena_take(&b->arena, text.n + THR_ASCII_SPARE);
    size_t edges = text.n + 2 + THR_ASCII_EDGES; /* room that thr_ascii_words asks for */
    if (!copy || !thr_grow(&s->edge, &s->edge_room, edges, sizeof *s->edge))
        return false;
    size_t words = thr_ascii_words(text.p, text.n, f->fold, copy, s->edge);
    if (f->ngrams != 1 || f->skip != 0)
        return close_gaps(s, copy, words) && add_ngrams(f, s, b, ns, copy);
    thr_batch_words(b, ns, copy, s->edge, words);
    return true;
}

/* The same of folded text, which may have any characters. */
static bool add_folded_words(const thr_features *f, thr_feature_scratch *s, thr_batch *b,
                             uint32_t ns)
{
    const char *joined = thr_tokens_words(f, s) ? join_words(s, b) : NULL;
    return joined && add_ngrams(f, s, b, ns, joined);
}

/* Sets *result to the number of the namespace for character n-grams of text in namespace `ns`:
 * "char" if `ns` is the empty namespace, else "NS.char". */
static bool character_namespace(thr_batch *b, uint32_t ns, uint32_t *result)
{
    static const char suffix[] = ".char";
    thr_str base = ns < b->n_ns ? b->ns[ns] : (thr_str){"", 0};
    if (base.n == 0) {
        *result = thr_batch_namespace(b, (thr_str){suffix + 1, sizeof suffix - 2});
        return true;
    }
    char *name = thr_arena_take(&b->arena, base.n + sizeof suffix - 1);
    if (!name)
        return false;
    memcpy(name, base.p, base.n);
    memcpy(name + base.n, suffix, sizeof suffix - 1);
    *result = thr_batch_namespace(b, (thr_str){name, base.n + sizeof suffix - 1});
    return true;
}

/* Adds the n-grams of characters. Folded text has a blank at each end; fewer than 2 bytes mean
 * that it is empty. */
static bool add_characters(const thr_features *f, thr_feature_scratch *s, thr_batch *b, uint32_t ns)
{
    if (f->char_max == 0 || s->folded.n < 2)
        return true;
    size_t n_chars;
    uint32_t char_ns;
    const char *text = thr_arena_copy(&b->arena, s->folded.p, s->folded.n);
    if (!text || !thr_tokens_characters(s, &n_chars) || !character_namespace(b, ns, &char_ns))
        return false;
    thr_naming x;
    thr_naming_begin(&x, b, char_ns);
    for (size_t n = f->char_min ? f->char_min : 1; n <= f->char_max && n <= n_chars; n++)
        for (size_t i = 0; i + n <= n_chars; i++) {
            size_t at = s->index[i], end = s->index[i + n];
            thr_naming_add(&x, (thr_str){text + at, end - at}, 1);
        }
    thr_naming_flush(&x);
    return true;
}

/* Adds all features of a text. Words of ASCII text are found in the text itself (ascii.h), if
 * symbols are no words; all others, and characters, in folded text. */
static bool add_text(const thr_features *f, thr_feature_scratch *s, thr_batch *b, uint32_t ns,
                     thr_str text, bool ascii)
{
    bool words = f->ngrams > 0 || f->skip > 0;
    bool quick = ascii && f->tokens == THR_TOKENS_WORDS && !f->symbols && text.n <= UINT32_MAX;
    bool fold = f->char_max > 0 || (words && !quick);
    return (!fold || thr_tokens_fold(f, s, text)) &&
           (!words ||
            (quick ? add_ascii_words(f, s, b, ns, text) : add_folded_words(f, s, b, ns))) &&
           add_characters(f, s, b, ns);
}

/* With THR_LOG_COUNT, replaces the values of the features from number `from` on, which are
 * counts, by 1 + ln(count). A batch without a column of values has only counts of 1, and
 * 1 + ln 1 = 1. */
static void take_logarithms(const thr_features *f, thr_batch *b, size_t from)
{
    if (!b->has_values || f->values != THR_LOG_COUNT)
        return;
    for (size_t i = from; i < b->n_features; i++)
        b->value[i] = (float)(1 + thr_log((double)b->value[i]));
}

thr_str thr_features_without_nul(const thr_features *f, thr_batch *b, thr_str text)
{
    char *nul = text.n ? memchr(text.p, '\0', text.n) : NULL;
    if (!nul)
        return text;
    char *copy = thr_arena_copy(&b->arena, text.p, text.n);
    if (!copy) {
        b->failed = true;
        return (thr_str){"", 0};
    }
    for (size_t i = (size_t)(nul - text.p); i < text.n; i++)
        if (copy[i] == '\0') {
            copy[i] = ' ';
            b->nul_bytes++;
        }
    return f->raw ? text : (thr_str){copy, text.n};
}

size_t thr_features_text(const thr_features *f, thr_feature_scratch *s, thr_batch *b, uint32_t ns,
                         thr_str text, bool strict)
{
    if (!b->is_open)
        return 0;
    if (!text.p)
        text = (thr_str){"", 0};
    size_t first_bad = 0;
    bool ascii = thr_is_ascii(text);
    uint64_t bad = ascii ? 0 : thr_utf8_bad(text, &first_bad);
    if (bad && strict)
        return first_bad + 1;
    b->bad_utf8 += bad;
    b->open_text = true;
    if (f->raw) {
        keep_raw_text(b, text);
        return 0;
    }
    size_t from = b->n_features;
    if (!add_text(f, s, b, ns, text, ascii))
        b->failed = true;
    uint64_t repeated_before = b->repeated;
    if (f->values == THR_PRESENCE)
        thr_batch_distinct(b, from, &s->merge);
    else {
        thr_batch_merge(b, from, &s->merge, f->numbers);
        take_logarithms(f, b, from);
    }
    /* `thresh lint` reports b->repeated, examples in which the input names a feature twice.
     * Merging has counted this example there, but it is normal for a text to repeat a word. */
    b->repeated = repeated_before;
    /* If the text began the example, all features so far are distinct now. */
    s->merged = from == thr_batch_first(b) ? b->n_features : 0;
    return 0;
}

/* ---- the end of an example ---------------------------------------------------------------- */

/* Divides the values of the open example by their Euclidean length, computed in double. */
void thr_features_scale(thr_batch *b)
{
    size_t first = thr_batch_first(b);
    double sum = 0;
    for (size_t i = first; i < b->n_features; i++) {
        double v = (double)thr_batch_value(b, i);
        sum += v * v;
    }
    if (sum == 0)
        return;
    double norm = sqrt(sum);
    for (size_t i = first; i < b->n_features; i++)
        thr_batch_set_value(b, i, (float)((double)thr_batch_value(b, i) / norm));
}

bool thr_features_wants_unit(const thr_features *f, bool from_text)
{
    return !f->raw && (f->unit == 1 || (f->unit == -1 && from_text));
}

/* The bias is added before scaling, so that it is scaled like any other feature. Scaling then
 * multiplies the score by a positive factor, and a given weight vector decides as it would
 * without it. */
void thr_features_finish(const thr_features *f, thr_feature_scratch *s, thr_batch *b)
{
    if (!b->is_open)
        return;
    bool distinct = b->open_text && !f->raw && s->merged == b->n_features;
    if (!distinct && !b->open_distinct)
        thr_batch_merge(b, thr_batch_first(b), &s->merge, f->numbers);
    if (!f->raw && f->negate[0] && !thr_negate(f, s, b))
        b->failed = true;
    if (!f->raw && (f->n_crosses || f->conjoin > 1) && !thr_conjoin(f, s, b)) {
        thr_batch_drop(b);
        return;
    }
    if (!f->raw && f->bias)
        thr_batch_push(b, THR_KEY_BIAS, 1);
    if (thr_features_wants_unit(f, b->open_text))
        thr_features_scale(b);
    thr_batch_close(b);
}

/* ---- the settings that a batch was filled with -------------------------------------------- */

/* Whether both settings make the same features of every example. */
static bool same_settings(const thr_features *a, const thr_features *b)
{
    bool same = a->tokens == b->tokens && a->symbols == b->symbols && a->fold == b->fold &&
                a->normalize == b->normalize && a->ngrams == b->ngrams &&
                a->char_min == b->char_min && a->char_max == b->char_max && a->skip == b->skip &&
                a->values == b->values && a->unit == b->unit && a->conjoin == b->conjoin &&
                a->n_crosses == b->n_crosses && a->bias == b->bias && a->raw == b->raw &&
                a->numbers == b->numbers && strcmp(a->negate, b->negate) == 0;
    for (size_t i = 0; i < a->n_crosses && same; i++)
        same = thr_cross_same(&a->cross[i], &b->cross[i]);
    return same;
}

void thr_features_note(thr_batch *b, const thr_features *f)
{
    if (b->made_with) {
        b->mixed |= !same_settings(b->made_with, f);
        return;
    }
    b->made_with = malloc(sizeof *b->made_with);
    b->failed |= !b->made_with;
    if (b->made_with)
        *b->made_with = *f;
}

int thr_features_check(const thr_batch *b, const thr_features *f, thr_error *err)
{
    if (b->mixed)
        return thr_fail(err, THR_EUSE,
                        "the examples of this batch were built for models with different feature "
                        "settings");
    if (b->made_with && !same_settings(b->made_with, f))
        return thr_fail(err, THR_EUSE,
                        "this batch was built for a model with other feature settings");
    return 0;
}
