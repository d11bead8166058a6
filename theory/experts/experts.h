/* The inside of thr_experts: prediction with expert advice.
 *
 * A loss and an algorithm are rows of tables, and each says in which forms it can answer: by vote,
 * by weighted mean, in expectation, or by drawing an expert. An algorithm that takes part is a
 * player. A player answers in every form that both its algorithm and the loss support; each of
 * these answers is a row of the results.
 *
 *   hear      takes what the experts say; every player answers
 *   learn     turns the truth into losses, adds them up and updates the weights
 *
 * The truth is passed only to `learn`, so no player can use it in its answer. */
#ifndef THR_EXPERTS_EXPERTS_H
#define THR_EXPERTS_EXPERTS_H

#include "base/mem.h"
#include "base/random.h"
#include "base/secret.h"
#include "experts/sequence.h"

#include "thresh_theory.h"

enum thr_form { THR_VOTE, THR_MEAN, THR_EXPECTED, THR_DRAWN, THR_FORMS };

typedef struct thr_loss {
    const char *name;
    bool form[THR_FORMS];
    double (*of)(double prediction, double truth); /* NULL: predictions are not numbers */
    double eta;                                    /* default rate */
    double concave; /* the largest eta for which exp(-eta loss) is concave in the prediction;
                       0: there is none */
} thr_loss;

typedef struct thr_algorithm {
    const char *name;
    bool form[THR_FORMS];
    bool adapts; /* can choose its rate by itself, by the number of rounds */
    bool shares; /* fixed share: follows a changing best expert */
} thr_algorithm;

typedef struct thr_player {
    const thr_algorithm *algorithm;
    double eta, share;
    bool adapts;
    double *log_weight;       /* not used if it adapts: then weights follow from total losses */
    double *chance;           /* in this round: weights of the experts that speak, with sum 1 */
    double total[THR_FORMS];  /* loss so far, in each form */
    size_t choice[THR_FORMS]; /* the expert followed in this round; n: none */
    double mean;              /* the weighted mean in this round; NAN: none */
} thr_player;

struct thr_experts {
    size_t n;
    char **name;
    const thr_loss *loss;
    thr_player *player;
    size_t players;
    struct thr_row {
        size_t player;
        enum thr_form form;
    } * row; /* the rows of the results: a player and a form */
    size_t rows;
    thr_random random;
    thr_sequence sequence;

    /* This round. Arrays have an entry for each expert. */
    bool heard;        /* predictions are there and the truth is not */
    bool *silent;      /* makes no prediction */
    double *number;    /* its prediction, if the loss is about numbers */
    thr_str *label;    /* its prediction, if it is a label; borrowed from the caller */
    uint32_t *opinion; /* the first expert that predicts the same label */
    double *round_loss;
    double *scratch;
    /* A hash table of labels with open addressing. Entries carry the round in which they were made;
     * those of other rounds count as empty, so the table need not be cleared. */
    struct thr_opinion {
        uint64_t round;
        uint32_t expert;
    } * table;
    size_t slots;
    thr_secret secret; /* of the hash, so that no labels can be made to collide */

    /* All rounds. */
    uint64_t rounds;
    double *total; /* loss of each expert */
    uint64_t *silences;
};

/* As the public functions, for slices of text that need not end with NUL. An empty label means that
 * the expert is silent. Labels must stay valid until thr_experts_learn returns. */
void thr_experts_hear(thr_experts *e, const thr_str *labels);
void thr_experts_learn(thr_experts *e, thr_str truth);
const thr_loss *thr_loss_find(const char *name, thr_error *err); /* name NULL: `label` */
/* Whether an algorithm answers in this form under the loss of e. */
bool thr_experts_has(const thr_experts *e, const thr_algorithm *a, enum thr_form form);

#endif
