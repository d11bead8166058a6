/* From the text and features of an example to the features that a learner sees: words, n-grams,
 * crosses, conjunctions, bias, scaling. The result depends on the settings and the example
 * alone.
 *
 * Text is normalised (NFKC or not at all) and case-folded with utf8proc. A word is a run of
 * letters, marks, numbers and connectors; apostrophes between letters belong to it. Any other
 * visible character is a word of its own if `symbols` is on. A byte that is not UTF-8 is
 * treated as a letter and kept as it is, and is counted in batch->bad_utf8. See tokens.h.
 *
 * Names made here:
 *
 *   words          the word; n-grams joined by one blank            new york
 *   skip-bigrams   the two words with " .. " between                 new .. city
 *   characters     n-grams in namespace "char", or "NS.char" for
 *                  text of namespace NS                              "w y"
 *   negations      in namespace "!", a namespace before "|"          shape|round
 *   crosses        in namespace "A*B", or with more stars            red*round
 *   conjunctions   in namespace "&", a namespace before "|"          red&shape|round
 *
 * Crosses escape `*` and `\` in their parts by a backslash, conjunctions `&`, `|` and `\`. */
#ifndef THR_EXAMPLE_FEATURES_H
#define THR_EXAMPLE_FEATURES_H

#include "example/merge.h"

/* The value of a word that occurs c times in a text: 1, c or 1 + ln c. */
enum thr_values { THR_PRESENCE, THR_COUNT, THR_LOG_COUNT };
/* Words by the Unicode categories above, or whatever is between blanks. */
enum thr_tokens { THR_TOKENS_WORDS, THR_TOKENS_SPACES };
#define THR_MAX_CROSSES 16
#define THR_CROSS_PARTS 16
#define THR_NEGATE_ROOM 4096 /* bytes of a list of variables to be negated */

/* A part of a cross: the namespace of that name; or, if the example has none of that name, all that
 * begin with that letter; or all of them. */
enum thr_cross_kind { THR_CROSS_NAME, THR_CROSS_LETTER, THR_CROSS_ALL };
typedef struct thr_cross_part {
    enum thr_cross_kind kind;
    char name[32];
} thr_cross_part;

typedef struct thr_cross {
    thr_cross_part part[THR_CROSS_PARTS];
    size_t n; /* at least 2 */
} thr_cross;

typedef struct thr_features {
    enum thr_tokens tokens;
    bool symbols;                /* visible characters outside words are words too */
    bool fold, normalize;        /* case folding; NFKC */
    unsigned ngrams;             /* n-grams of 1 to this many words; 0: no words */
    unsigned char_min, char_max; /* n-grams of char_min to char_max characters; char_max 0: none */
    unsigned skip;               /* skip-bigrams with up to this many words between; 0: none */
    enum thr_values values;
    int unit; /* scale to unit length: 1 every example, 0 none, -1 those made from text */
    char negate[THR_NEGATE_ROOM]; /* variables whose negations are features (negate.h); "": none */
    unsigned conjoin; /* conjunctions of up to this many active features; 0 and 1: none */
    thr_cross cross[THR_MAX_CROSSES];
    size_t n_crosses;
    bool bias;
    bool numbers; /* THR_NUMBERS has measurements, and CSV puts its numeric columns there */
    bool raw;     /* for conversion: text is kept as it is, nothing is added or scaled */
    /* How tokens of sentences become examples (sentence/sentence.h). */
    const char *template; /* NULL: one that suits the columns; borrowed */
    int scheme;           /* enum thr_scheme of sentence/tags.h */
    bool chain;           /* tags are learned with the tags before them */
    bool greedy;          /* ... by rules that see the tags before as features of each token */
} thr_features;

/* A variable of thr_features.negate, and the name of its negation. */
typedef struct thr_literal {
    thr_str ns, name, negated;
} thr_literal;

typedef struct thr_negation {
    char list[THR_NEGATE_ROOM]; /* the list that was read; "": none */
    thr_literal *literal;       /* sorted by namespace and name, distinct */
    size_t n, room;
    thr_arena arena; /* owns the names */
} thr_negation;

/* Scratch memory, reused from example to example. One per thread; all calls for one example
 * must use the same one, or a fresh one for each. All zero is empty. */
typedef struct thr_feature_scratch {
    thr_merge merge;
    thr_bytes folded; /* the text after normalising and case folding */
    int32_t *point;   /* code points of a piece of text */
    size_t point_room;
    struct thr_span *word; /* slices of `folded` */
    size_t n_words, word_room;
    struct thr_factor *part; /* the example's features, sorted, for crosses and conjunctions */
    size_t n_parts, part_room;
    struct thr_range *space; /* their namespaces */
    size_t n_spaces, space_room;
    size_t *index; /* starts of characters, or positions for conjunctions */
    size_t index_room;
    uint32_t *edge; /* offsets where words begin and end, in turns (ascii.h) */
    size_t edge_room;
    thr_negation negation;
    size_t max_active; /* features that crosses and conjunctions may make; 0: THR_MAX_ACTIVE */
    size_t merged; /* the open example's features up to here are distinct, so that merging them can
                    * be skipped; valid if batch->open_text. 0: not known */
} thr_feature_scratch;

void thr_feature_scratch_clear(thr_feature_scratch *s); /* frees */
void thr_features_defaults(thr_features *f);
/* The text with a blank in place of each NUL character, which is counted in b->nul_bytes; a copy in
 * the batch's arena if there is any. Names of features must not have one: they are C strings in the
 * public interface. With f->raw the text stays as it is. */
thr_str thr_features_without_nul(const thr_features *f, thr_batch *b, thr_str text);
/* Adds the features of running text in namespace `ns` to the open example, or keeps the text if
 * f->raw. Returns 0. If `strict` and a byte is not UTF-8, adds nothing and returns the offset
 * of the first such byte + 1. With f->raw the text is borrowed as long as the batch is in use. */
size_t thr_features_text(const thr_features *f, thr_feature_scratch *s, thr_batch *b, uint32_t ns,
                         thr_str text, bool strict);
/* Ends the open example: sums repeated features, drops zeros, adds crosses and conjunctions,
 * adds the bias as the last feature, scales to unit length. An example with too many
 * conjunctions is dropped and a problem recorded. */
void thr_features_finish(const thr_features *f, thr_feature_scratch *s, thr_batch *b);
/* For batches that a caller fills, where settings could be confused. thr_features_note records
 * that f is used to make features of the batch. thr_features_check returns THR_EUSE if the
 * batch has features made with other settings than f. Crosses, conjunctions and the bias are
 * part of an example when it is closed, so they cannot be adapted later to the model that uses
 * the batch. */
void thr_features_note(thr_batch *b, const thr_features *f);
int thr_features_check(const thr_batch *b, const thr_features *f, thr_error *err);
/* A cache stores examples before scaling. thr_features_wants_unit says whether the settings
 * scale an example to unit length; thr_features_scale scales the features of the open
 * example. */
bool thr_features_wants_unit(const thr_features *f, bool from_text);
void thr_features_scale(thr_batch *b);
/* The Unicode version of the tables in use, "none" without utf8proc. */
const char *thr_unicode_version(void);

#endif
