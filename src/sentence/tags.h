/* Tags of chunks. A chunk is a run of tokens with one type, and tags say where it begins and ends:
 *
 *              New   York  is   in   the  north
 *   BIO        B-LOC I-LOC O    O    B-X  I-X
 *   IOB1       I-LOC I-LOC O    O    I-X  I-X      B- only where a chunk follows one of its type
 *   BIOES      B-LOC E-LOC O    O    B-X  E-X      S- where a chunk has one token
 *
 * The scheme of the data is recognised. Tags are converted to BIOES for learning, because BIOES tells the tagger
 * more, and predicted tags are converted back. Tags of no scheme are `plain` and are not converted. */
#ifndef THR_SENTENCE_TAGS_H
#define THR_SENTENCE_TAGS_H

#include "base/mem.h"

enum thr_scheme {
    THR_TAGS_AUTO,
    THR_TAGS_PLAIN,
    THR_TAGS_BIO,
    THR_TAGS_IOB1,
    THR_TAGS_BIOES,
};

/* What has been seen of the tags of some sentences. */
typedef struct thr_tag_signs {
    bool other;  /* one that belongs to no scheme */
    bool chunks; /* one with B- or I- */
    bool ends;   /* E- or S- */
    bool loose;  /* I- at the start of a chunk */
    bool free;   /* B- at the start of one that follows no other of its type */
} thr_tag_signs;

void thr_tags_look(thr_tag_signs *s, const thr_str *tag, size_t n);
/* THR_TAGS_AUTO: there was no tag of a chunk, nor another. */
enum thr_scheme thr_tags_recognise(const thr_tag_signs *s);

/* The letter of a tag and its type: `B-NP` is B and NP, `O` is O and "". False: it has no such form. */
bool thr_tag_parts(thr_str tag, char *letter, thr_str *type);
/* The first of n tags that breaks the rules of the scheme; n if there is none. *why says what is wrong. */
size_t thr_tags_check(enum thr_scheme scheme, const thr_str *tag, size_t n, const char **why);
/* The letters in BIOES of n tags of the scheme, which keep their types. */
void thr_tags_inside(enum thr_scheme scheme, const thr_str *tag, size_t n, char *letter);
/* The letters in the scheme of n tags in BIOES. */
void thr_tags_outside(enum thr_scheme scheme, const thr_str *tag, size_t n, char *letter);
/* Whether a tag in BIOES may follow another; NULL stands for the start or the end of the sentence. */
bool thr_tags_may_follow(const thr_str *before, const thr_str *tag);

/* A chunk of tokens first .. end - 1. */
typedef struct thr_span_of_type {
    size_t first, end;
    thr_str type;
} thr_span_of_type;

/* The chunks of n tags of any scheme, as conlleval counts them, also where tags break the rules. `out` has
 * room for n. Returns how many there are. */
size_t thr_tags_chunks(const thr_str *tag, size_t n, thr_span_of_type *out);

const char *thr_scheme_name(enum thr_scheme scheme); /* auto, plain, bio, iob1 or bioes */

#endif
