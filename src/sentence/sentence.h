/* A sentence: tokens with columns, and the examples that are made of it, one for each token.
 *
 * The features of a token stand in this order:
 *
 *   unary    one for each pattern U                                namespace ""
 *   past     one for each pattern B or T and the true tags before  namespace "after TAG"
 *   bias
 *
 * A pattern B or T is a link: its name is a feature for each tag that may stand before the token, and
 * a tagger looks up those that it tries. Those that have occurred, `past`, are features of the example, so
 * that names get their ids in the order of the stream. The name of a T has the tag two places before in
 * front, with a blank between. */
#ifndef THR_SENTENCE_SENTENCE_H
#define THR_SENTENCE_SENTENCE_H

#include "example/features.h"
#include "sentence/tags.h"
#include "sentence/defaults.h"

#define THR_AFTER       "after "
#define THR_MOST_TOKENS 10000 /* of a sentence */

typedef struct thr_token {
    thr_str tag;   /* .p is NULL: not known */
    thr_str whole; /* the bytes that it was read from */
    uint32_t line; /* within the block */
    thr_str tail;  /* of the last token: lines behind it that are no tokens; else empty */
} thr_token;

typedef struct thr_sentence {
    size_t tokens, columns;
    thr_token *token;
    thr_str *field; /* [token * columns + column] */
    thr_str *tag;   /* [token]: scratch for turning tags */
    char *letter;
    thr_str *value; /* [derived * tokens + token] */
    size_t token_room, field_room, tag_room, letter_room, value_room;
    thr_arena made; /* the bytes of derived columns, where the sentence does not have them */
    /* The values of macros that reach beyond the sentence: _B-1, _B-2 ... before it, then _B+1, _B+2 ... */
    char outside[2 * (THR_TEMPLATE_ROWS + 1)][8];
    unsigned char outside_n[2 * (THR_TEMPLATE_ROWS + 1)]; /* their lengths; 0: not written yet */
} thr_sentence;

void thr_sentence_clear(thr_sentence *s); /* frees */
/* Adds a token, whose columns the caller then fills in. The first one says how many there are. NULL: out
 * of memory. */
thr_str *thr_sentence_add(thr_sentence *s, size_t columns, thr_token token);
/* Makes examples of the tokens in the open batch, the last of which stays open. Out of
 * memory is noted in the batch. */
void thr_sentence_emit(thr_sentence *s, const thr_features *f, thr_feature_scratch *scratch,
                       const thr_plan *plan, thr_batch *b);

#endif
