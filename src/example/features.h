/* From what an example says to the features a learner sees: words, n-grams, crosses,
 * conjunctions, scaling, bias. Pure: the same settings and text give the same features.
 *
 * Text. Normalised (NFKC or none) and case-folded with utf8proc; a word is a run of letters,
 * marks, numbers and connectors (apostrophes between letters stay); any other visible
 * character is a word of its own if `symbols` is on. Bytes that are not UTF-8 are letters of
 * their own, written as the byte itself, and counted in batch->bad_utf8. See tokens.h.
 *
 * Names made here:
 *
 *   words          the word; n-grams joined by one blank            new york
 *   skip-bigrams   the two words with " .. " between                 new .. city
 *   characters     in namespace "char", or "NS.char" for text of NS  "w y"
 *   crosses        in namespace "A*B"                                red*round
 *   conjunctions   in namespace "&", a namespace before "|"          red&shape|round
 *
 * Crosses escape `*` and `\` of their parts by a backslash, conjunctions `&`, `|` and `\`. */
#ifndef THR_EXAMPLE_FEATURES_H
#define THR_EXAMPLE_FEATURES_H

#include "example/merge.h"

enum thr_values { THR_PRESENCE, THR_COUNT, THR_LOG_COUNT };
enum thr_tokens { THR_TOKENS_WORDS, THR_TOKENS_SPACES }; /* Unicode words, or between blanks */
#define THR_MAX_CROSSES 16

typedef struct thr_cross {
    char left[32], right[32]; /* namespaces */
} thr_cross;

typedef struct thr_features {
    enum thr_tokens tokens;
    bool symbols;                /* visible characters outside words are words too */
    bool fold, normalize;        /* case folding; NFKC */
    unsigned ngrams;             /* words: 1 to this many */
    unsigned char_min, char_max; /* 0: none */
    unsigned skip;               /* skip-bigrams with up to this many words between; 0: none */
    enum thr_values values;
    int unit;         /* 1: every example; 0: none; -1: those made of text */
    unsigned conjoin; /* conjunctions of up to this many active features; 0 and 1: none */
    thr_cross cross[THR_MAX_CROSSES];
    size_t n_crosses;
    bool bias;
    bool raw; /* conversion: text is kept as it is, nothing is added or scaled */
} thr_features;

/* Reused from example to example; one per thread, and one for all calls of an example. */
typedef struct thr_feature_scratch {
    thr_merge merge;
    thr_bytes folded;
    int32_t *point; /* code points of a piece of text */
    size_t point_room;
    struct thr_span *word; /* slices of `folded` */
    size_t n_words, word_room;
    struct thr_factor *part; /* the example's features, sorted, for crosses and conjunctions */
    size_t n_parts, part_room;
    size_t *index; /* starts of characters, or positions for conjunctions */
    size_t index_room;
    uint32_t *edge; /* where words begin and end */
    size_t edge_room;
    size_t merged; /* with open_text: end of the features known to be distinct, 0 for none */
} thr_feature_scratch;

void thr_feature_scratch_clear(thr_feature_scratch *s);
void thr_features_defaults(thr_features *f);
/* Adds the features of running text to the open example (or keeps it raw). With `strict` a byte
 * that is not UTF-8 returns its offset + 1, else 0. */
size_t thr_features_text(const thr_features *f, thr_feature_scratch *s, thr_batch *b, uint32_t ns,
                         thr_str text, bool strict);
/* Ends the open example: repeated features are summed, zeros dropped, crosses and conjunctions
 * added, the bias put last, lengths scaled. An example with too many conjunctions is dropped and
 * a problem recorded. */
void thr_features_close(const thr_features *f, thr_feature_scratch *s, thr_batch *b);
/* Notes that f made features of the batch; and THR_EUSE if others did, in its examples so far. Each
 * example is whole before the batch is used, so nothing is to be done at the use. */
void thr_features_note(thr_batch *b, const thr_features *f);
int thr_features_check(const thr_batch *b, const thr_features *f, thr_error *err);
/* What a cache leaves to the reading: whether an example is to have unit length, and scaling those
 * features to it that stand behind the last whole example. */
bool thr_features_scales(const thr_features *f, bool from_text);
void thr_features_scale(thr_batch *b);
/* The Unicode version of the tables in use, "none" without utf8proc. */
const char *thr_unicode_version(void);

#endif
