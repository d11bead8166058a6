/* A corpus: the whole input in memory, read and parsed once, for several runs over it at a time
 * (cross-validation, search, certificates).
 *
 *      thr_corpus      examples; a feature is a number in one list of all names, by order of
 *        |    |        first appearance in the input            shared by all threads, const
 *        v    v
 *      thr_view ...    the same examples with the ids of one model's lexicon
 *                                                               one for each run and thread
 *
 * A run that learns from a part of the examples must give the same model, to the bit, as
 * training on a file with just these examples. A model numbers features in the order in which
 * it meets them, and with --hash-bits even the sharing of hash slots depends on that order. A
 * view therefore has a column of ids of its own, and a model its own lexicon; values, labels
 * and all else are borrowed from the corpus. */
#ifndef THR_INPUT_CORPUS_H
#define THR_INPUT_CORPUS_H

#include "input/store.h"
#include "input/stream.h"
#include "model/model.h"

typedef struct thr_corpus {
    thr_store store;      /* the examples; their ids are numbers in `names` */
    thr_lexicon names;    /* all names of the input; never hashed. Number 0 is the bias */
    thr_batch list;       /* the names as keys, for other lexicons: feature n - 1 is number n */
    struct thr_place {    /* where each example was read */
        const char *file; /* borrowed from the input */
        uint64_t line;    /* from 1 */
    } * place;
    size_t place_room;
    thr_limits limits; /* of each model that is trained on it */
    thr_reading reading;
} thr_corpus;

/* Reads all of the input with the settings of m. Examples without a label are rejected, and if
 * `strict` also those that the rule of m cannot take. An input without examples is an error.
 * After a failure the corpus must still be cleared. The input must outlive the corpus. */
int thr_corpus_read(thr_corpus *k, const thr_model *m, bool strict, const thr_input *in,
                    thr_progress_fn *progress, void *user, thr_error *err);
void thr_corpus_clear(thr_corpus *k);

typedef struct thr_view {
    const thr_corpus *kept;
    thr_store store;  /* owns the ids and the order; all else is borrowed from the corpus */
    uint32_t *id_of;  /* number in kept->names -> id in the lexicon; THR_NONE: not met yet */
    uint32_t *spaces; /* number of a namespace in kept->list -> number in the lexicon */
} thr_view;

/* A view for the lexicon of m. After a failure it must still be closed. */
int thr_view_open(thr_view *v, const thr_corpus *k, const thr_model *m, thr_error *err);
void thr_view_close(thr_view *v);
/* Selects the n examples in `pick` (borrowed; NULL: all) for v->store and fills in their ids.
 * New names are added to the lexicon in the order of `pick`. From now on m has the limits that the
 * corpus was read with. */
int thr_view_resolve(thr_view *v, thr_model *m, const size_t *pick, size_t n, thr_error *err);
/* The same for predicting: adds no names; unknown ones get THR_NONE. */
void thr_view_find(thr_view *v, const thr_model *m, const size_t *pick, size_t n);

#endif
