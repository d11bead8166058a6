/* The three protocols of L2 as a game about a hidden conjunction (or disjunction) over n variables
 * with k literals:
 *
 *     ask      the learner asks for the labels of points of its choice: n questions
 *     teach    a helpful teacher shows examples: k + 1 (k if k = n) without negated literals, and
 *              one more with them
 *     nature   examples come at random, half of them positive; the rule `eliminate` learns:
 *              at most n - k mistakes, n - k + 1 with negated literals
 *
 * A disjunction is the negation of a conjunction of negated literals. So the code deals only with
 * conjunctions: the literals of a disjunction are inverted when the game is opened, and labels when
 * they are shown.
 *
 * In `teach` the learner reasons as follows. A positive example removes the literals that are false
 * in it. A negative example in which exactly one remaining literal is false proves that this
 * literal is in the target. The learner is sure when every remaining literal is proved. */
#ifndef THR_CONCEPTS_PROTOCOL_H
#define THR_CONCEPTS_PROTOCOL_H

#include "base/random.h"
#include "concepts/formula.h"

#include "thresh_theory.h"

enum { THR_PLAIN = 1, THR_INVERTED = 2 }; /* the literals of a variable, as bits */

typedef struct thr_game {
    size_t n, k;
    bool disjunction;
    unsigned allowed;      /* bits: the literals that the conjunction may contain */
    unsigned char *target; /* of each variable: its literal in the conjunction, or 0 */
    unsigned char *left;   /* of each variable: the literals that the learner has not excluded */
    unsigned char *needed; /* of each variable: the literals proved to be in the target */
    bool *x;               /* the current point */
    uint64_t queries, examples, mistakes;
    thr_protocol_fn *show;
    void *user;
} thr_game;

int thr_game_open(thr_game *g, size_t n, thr_concept target, bool disjunction, bool negated,
                  thr_error *err);
void thr_game_close(thr_game *g);
int thr_game_ask(thr_game *g, thr_error *err); /* THR_EUSE with negated literals */
int thr_game_teach(thr_game *g, thr_error *err);
int thr_game_nature(thr_game *g, uint64_t seed, uint64_t limit, thr_error *err);
/* The number that theory gives: of questions, of examples, or the greatest number of mistakes. */
uint64_t thr_game_bound(const thr_game *g, const char *protocol);
bool thr_game_sure(const thr_game *g); /* after ask and teach */
bool thr_game_learned(const thr_game *g);
/* The learner's formula: the literals not excluded, as the user knows them. */
int thr_game_formula(const thr_game *g, thr_formula *out, thr_error *err);

#endif
