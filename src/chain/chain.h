/* Sentences: scored as a whole, decoded, and learned from.
 *
 *     find      features that count, rows                 of the whole sentence at once
 *     score     nodes from each token's features, links from the features of tags before it
 *     decode    the best path                             (lattice.h)
 *     compare   with the true tags
 *     move      along the difference of both              (difference.h)
 *
 * The rules are those of learner/: a rule's functions are the tags, one each, and its `score`, `step` and
 * `move` are called as for any example. What a rule moves along is not an example but the difference
 * between what the true tags have of features and what the predicted ones have. */
#ifndef THR_CHAIN_CHAIN_H
#define THR_CHAIN_CHAIN_H

#include "chain/difference.h"
#include "chain/lattice.h"
#include "chain/past.h"
#include "chain/rules.h"
#include "model/model.h"

/* One token, as its place in the arrays of the sentence says. */
typedef struct thr_chain_token {
    size_t first, n; /* its features */
    thr_list links;  /* in the batch */
    size_t link;     /* of the matrix of its links, in `matrix` */
} thr_chain_token;

/* Features of links of one token, or of several that have the same: a row for each tag before. */
typedef struct thr_chain_links {
    size_t first;    /* in `link_id`: [tag before][link] */
    size_t n;        /* links */
    size_t matrix;   /* in `matrix` */
} thr_chain_links;

/* Scratch memory of one thread, reused from sentence to sentence. All zero is empty. */
typedef struct thr_chain {
    size_t tokens;
    thr_chain_token *token;
    uint32_t *id;      /* the features of all tokens that count */
    float *x;          /* their values, if has_values: a name that two patterns make counts twice */
    bool has_values;
    size_t n;
    char **row;
    thr_chain_links *links;
    size_t n_links;
    uint32_t *link_id; /* THR_NONE: no such feature */
    size_t n_link_ids;
    char **link_row;
    char *spare, *link_spare;
    double *matrix;      /* [tag before][tag] of each thr_chain_links, as learned from */
    double *shown;       /* the same as predicted with */
    double *node, *node_shown;
    thr_lattice lattice;
    thr_past past;
    thr_rules rules;
    thr_difference difference;
    uint32_t *path, *truth;
    double *scratch; /* of a rule's score */
    double *pairs;   /* [tag before][tag] of each thr_chain_links: probabilities */
    double **pair;   /* [token]: of its links */
    double *amount;  /* [tag] */
    size_t token_room, id_room, x_room, row_room, links_room, link_id_room, link_row_room, spare_room,
        link_spare_room, matrix_room, shown_room, node_room, node_shown_room, path_room, truth_room,
        scratch_room, pairs_room, pair_room, amount_room;
} thr_chain;

/* What happened when a sentence was learned. */
typedef struct thr_chain_lesson {
    size_t tokens;   /* examples of the batch that it has */
    uint64_t wrong;  /* of them predicted wrongly */
    bool moved;      /* the rule has moved */
} thr_chain_lesson;

void thr_chain_clear(thr_chain *c);
/* The examples from number `from` on that are one sentence. */
size_t thr_chain_length(const thr_batch *b, size_t from);
/* Predicts the sentence that begins at example `from` of a resolved batch: c->path has the labels, one for
 * each token. *sum, unless it is NULL, becomes the score. No label is known: THR_NONE. */
int thr_chain_predict(const thr_model *m, thr_chain *c, const thr_batch *b, size_t from, double *sum,
                      thr_error *err);
/* Whether the rule has probabilities: it learns by the log loss. */
bool thr_chain_has_probabilities(const thr_model *m);
/* After a prediction: the probabilities of all tags of all tokens, [token][label], and in *log_z what turns
 * the score of a path into the logarithm of its probability, when subtracted. NULL: out of memory. */
const double *thr_chain_probabilities(thr_chain *c, double *log_z);
/* Predicts it and learns from its labels. */
int thr_chain_learn(thr_model *m, thr_chain *c, const thr_batch *b, size_t from,
                    thr_chain_lesson *lesson, thr_error *err);

#endif
