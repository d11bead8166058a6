/* Experts, inside. A loss and an algorithm are rows of tables; both say in which forms an answer
 * can be had. An algorithm that takes part is a player. Nothing here knows the truth before all
 * players have answered.
 *
 *   hear      what the experts say; every player answers
 *   learn     the truth becomes losses; they are added up, and weights move
 */
#ifndef THR_EXPERTS_EXPERTS_H
#define THR_EXPERTS_EXPERTS_H

#include "base/mem.h"
#include "base/random.h"
#include "experts/sequence.h"

#include "thresh_theory.h"

enum thr_form { THR_VOTE, THR_MEAN, THR_EXPECTED, THR_DRAWN, THR_FORMS };

typedef struct thr_loss {
    const char *name;
    bool form[THR_FORMS];
    double (*of)(double said, double truth); /* NULL: nothing is said in numbers */
    double eta;                              /* by default */
    double concave; /* up to this rate exp(-eta loss) is concave in what is said; 0: never */
} thr_loss;

typedef struct thr_algorithm {
    const char *name;
    bool form[THR_FORMS];
    bool adapts; /* its rate may change with the rounds */
    bool shares;
} thr_algorithm;

typedef struct thr_player {
    const thr_algorithm *algorithm;
    double eta, share;
    bool adapts;
    double *log_weight; /* by total loss, if it adapts: not used */
    double *chance;     /* in this round: weights of those who speak, with sum 1 */
    double total[THR_FORMS];
    size_t choice[THR_FORMS]; /* the expert followed in this round; n: none */
    double mean;
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
    } * row; /* what thr_experts_result_at walks */
    size_t rows;
    thr_random random;
    thr_sequence sequence;

    /* the round */
    bool heard;
    bool *silent;
    double *number;    /* said */
    thr_str *label;    /* said; borrowed */
    uint32_t *opinion; /* the first expert who says the same label */
    double *round_loss;
    double *scratch;
    struct thr_opinion { /* open addressing by label; those of other rounds are empty */
        uint64_t round;
        uint32_t expert;
    } * table;
    size_t slots;

    /* all rounds */
    uint64_t rounds;
    double *total; /* of each expert */
    uint64_t *silences;
};

/* As the public ones, for slices of text; an empty one is silence. */
void thr_experts_hear(thr_experts *e, const thr_str *labels);
void thr_experts_learn(thr_experts *e, thr_str truth);
const thr_loss *thr_loss_find(const char *name, thr_error *err); /* NULL: label */
/* Whether answers in this form can be had. */
bool thr_experts_has(const thr_experts *e, const thr_algorithm *a, enum thr_form form);

#endif
