/* The three protocols of L2 as a game about a hidden conjunction (or disjunction) over n variables,
 * k of them in it:
 *
 *     ask      the learner asks for the labels of points of its choice: n questions
 *     teach    a helpful teacher shows examples: k + 1 (k if k = n) without negated literals, and
 *              one more with them
 *     nature   examples come at random, half of them positive; the rule `eliminate` learns:
 *              at most n - k mistakes, n - k + 1 with negated literals
 *
 * A disjunction is the negation of a conjunction of the negated literals, so all is told for
 * conjunctions: labels are turned round at the door. What a literal is to the learner:
 *
 *     in teach, an example that is positive removes the literals false in it; one that is negative,
 *     and in which a single literal left is false, shows that this one is needed. The learner is
 *     sure when all that is left is needed. */
#ifndef THR_CONCEPTS_PROTOCOL_H
#define THR_CONCEPTS_PROTOCOL_H

#include "base/random.h"
#include "concepts/formula.h"

#include "thresh_theory.h"

enum { THR_PLAIN = 1, THR_INVERTED = 2 }; /* literals of a variable, as bits */

typedef struct thr_game {
    size_t n, k;
    bool disjunction;
    unsigned allowed;      /* literals of the class, of the conjunction */
    unsigned char *target; /* per variable: its literal in the conjunction, or 0 */
    unsigned char *left;   /* what the learner still has */
    unsigned char *needed; /* what it knows to be in the target */
    bool *x;               /* the point at hand */
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
/* What theory says: questions, examples or the greatest number of mistakes. */
uint64_t thr_game_bound(const thr_game *g, const char *protocol);
bool thr_game_sure(const thr_game *g); /* after teach */
bool thr_game_learned(const thr_game *g);
/* The learner's formula: what it has left. */
int thr_game_formula(const thr_game *g, thr_formula *out, thr_error *err);

#endif
