/* The whole input in memory, read and parsed once, for several runs over it at a time.
 *
 *   kept     features are numbers in one list of all names, in order of first appearance
 *   view     the same examples with the ids of one model's lexicon: what a run learns from
 *
 * A model numbers features in the order in which it meets them, and with --hash-bits even what
 * shares a slot depends on that. So each run has a lexicon and an array of ids of its own, and gets
 * the very model that a file with its part of the examples would give. The rest is shared and
 * const, whatever the number of threads. */
#ifndef THR_INPUT_CORPUS_H
#define THR_INPUT_CORPUS_H

#include "input/store.h"
#include "input/stream.h"
#include "model/model.h"

typedef struct thr_corpus {
    thr_store store;   /* its ids are numbers in `names` */
    thr_lexicon names; /* never hashed */
    thr_batch list;    /* the names as keys, ready for another lexicon: feature n - 1 is number n */
    struct thr_place { /* where each example stood */
        const char *file; /* the input's */
        uint64_t line;
    } * place;
    size_t place_room;
    thr_reading reading;
} thr_corpus;

/* `m` gives the settings for reading; examples that cannot be used are rejected, by its rule too if
 * `strict`. An input without examples is an error. */
int thr_corpus_read(thr_corpus *k, const thr_model *m, bool strict, const thr_input *in,
                    thr_progress_fn *progress, void *user, thr_error *err);
void thr_corpus_clear(thr_corpus *k);

typedef struct thr_view {
    const thr_corpus *kept;
    thr_store store; /* all but the ids and the order is borrowed */
    uint32_t *id_of; /* number in kept->names -> id, THR_NONE where not met */
    uint32_t *spaces;
} thr_view;

int thr_view_open(thr_view *v, const thr_corpus *k, const thr_model *m, thr_error *err);
void thr_view_close(thr_view *v);
/* Ids of the examples in `pick` (NULL: all), new names being added. They are then the store's. */
int thr_view_resolve(thr_view *v, thr_model *m, const size_t *pick, size_t n, thr_error *err);
/* The same for predicting: the lexicon is const, new names stay THR_NONE. */
void thr_view_find(thr_view *v, const thr_model *m, const size_t *pick, size_t n);

#endif
