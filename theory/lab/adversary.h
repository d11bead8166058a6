/* An adversary: it knows the learner and looks for the legal examples that make it move most often.
 * Bounds speak of the worst case; this is a search for it. Each attempt is a game from the
 * learner's start. At each move some legal examples are drawn, and of those that hurt one is shown:
 *
 *   in even attempts  the one nearest to the edge, greatest y s: what the learner gains from an
 *                     update is fixed by the legal margin, what it loses grows with its error
 *   in odd attempts   any of them
 *
 * It gives up when `patience` moves have found nothing that hurts. The attempts take the strategies
 * in turn; where the optimal adversary is known it is a strategy that draws once a move. What it
 * counts is what the model itself counts. */
#ifndef THR_LAB_ADVERSARY_H
#define THR_LAB_ADVERSARY_H

#include "base/random.h"
#include "lab/student.h"

typedef struct thr_case {
    bool positive;
    size_t n;      /* at most the adversary's `room` */
    uint32_t *key; /* each at most once, but 0 never */
    float *x;
} thr_case;

/* One game's counts. `missed` are mistakes on positives, `alarms` on negatives; `squares` is the
 * sum of the squared hinge losses before learning, max(0, 1 - y s)^2. */
typedef struct thr_harm {
    double examples, updates, mistakes, missed, alarms, squares;
} thr_harm;

typedef struct thr_strategy {
    /* A legal example; false: there is none. It may look at the student. */
    bool (*draw)(void *user, thr_student *s, thr_random *random, thr_case *out);
    size_t looks; /* draws a move */
} thr_strategy;

typedef struct thr_adversary {
    const char *learner;  /* with options */
    double margin;        /* an example moves the learner if y s <= 0 or y s < margin, */
    bool ties_are_right;  /* ... but with this a positive at s = 0 does not (winnow) */
    const char *third;    /* one more label, which no example has; NULL: none */
    size_t room;          /* features of an example, at most */
    uint64_t seed, moves; /* moves of a game, at most */
    unsigned attempts, patience;
    const thr_strategy *strategy;
    size_t strategies;
    void *user;
    /* Before each attempt; may be NULL. */
    void (*begin)(void *user, thr_random *random);
    /* What is to be made large; NULL: updates. */
    double (*aim)(const thr_harm *d);
} thr_adversary;

/* The best of all attempts. */
int thr_adversary_play(const thr_adversary *a, thr_harm *best, thr_error *err);

/* Of several cases the one nearest to its bound: a count, and the bound that is its own. Begin with
 * zeros. */
typedef struct thr_worst {
    double count, bound;
} thr_worst;
void thr_worst_keep(thr_worst *w, double count, double bound);

#endif
