/* An adversary: it knows the state of the learner and looks for legal examples that make it update
 * as often as possible. Bounds are about the worst case; this is a search for it.
 *
 * Each attempt is a game against a fresh learner. In each move some legal examples are drawn, and
 * among those that would cause an update one is shown. The attempts go through the strategies in
 * turn. In the first round over the strategies, and every second one after, the example shown is
 * that with the greatest y s, nearest to the edge: the progress that the learner makes by an update
 * is fixed by the legal margin, and what it loses grows with its error. In the other rounds it is a
 * random one.
 *
 * An attempt ends after `patience` moves without a harmful example. Where the optimal adversary is
 * known, it is a strategy with one draw per move. Counts are taken from the model itself. */
#ifndef THR_LAB_ADVERSARY_H
#define THR_LAB_ADVERSARY_H

#include "base/random.h"
#include "lab/student.h"

typedef struct thr_lab_example {
    bool positive;
    size_t n;      /* features, at most `room` of the adversary */
    uint32_t *key; /* distinct, and never 0 */
    float *x;
} thr_lab_example;

/* The counts of one game. `missed` are mistakes on positives, `alarms` on negatives; `squares` is
 * the sum of the squared hinge losses before learning, max(0, 1 - y s)^2. */
typedef struct thr_game_counts {
    double examples, updates, mistakes, missed, alarms, squares;
} thr_game_counts;

typedef struct thr_strategy {
    /* Draws a legal example; false: there is none. It may query the student, which must not learn.
     */
    bool (*draw)(void *user, thr_student *s, thr_random *random, thr_lab_example *out);
    size_t looks; /* draws per move */
} thr_strategy;

typedef struct thr_adversary {
    const char *learner;  /* name and options */
    double margin;        /* an example moves the learner if y s <= 0 or y s < margin, */
    bool ties_are_right;  /* ... but with this a positive at s = 0 does not (winnow) */
    const char *third;    /* a further label that no example has; NULL: none */
    size_t room;          /* limit on the features of an example */
    uint64_t seed, moves; /* random seed; limit on the moves of a game */
    unsigned attempts, patience;
    const thr_strategy *strategy;
    size_t strategies;
    void *user;
    /* Called before each attempt; may be NULL. */
    void (*begin)(void *user, thr_random *random);
    /* The quantity to maximise; NULL: updates. */
    double (*aim)(const thr_game_counts *d);
} thr_adversary;

/* Plays all attempts; `best` gets the counts of the one with the greatest aim. */
int thr_adversary_play(const thr_adversary *a, thr_game_counts *best, thr_error *err);

/* Among several cases, each with its own bound, keeps the one whose count is the greatest share of
 * its bound. Initialise with zeros. */
typedef struct thr_worst {
    double count, bound;
} thr_worst;
void thr_worst_keep(thr_worst *w, double count, double bound);

#endif
