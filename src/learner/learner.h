/* A learner is arithmetic only: it scores an example by its functions and moves them. Room is
 * made before it is called; it cannot fail, allocates nothing, knows nothing of files or names.
 *
 * A learner is one file and one row of thr_learners (learner.c). Most rules need only four small
 * functions: setup, score, step (how far to move, given the margin) and move (one function along
 * an example); the policies of multiclass/ decide which functions move. A rule that does not fit
 * this (naive Bayes counts) gives `learn` instead of step and move. */
#ifndef THR_LEARNER_LEARNER_H
#define THR_LEARNER_LEARNER_H

#include "base/error.h"
#include "base/options.h"
#include "learner/history.h"
#include "weights/memory.h"
#include "weights/weights.h"

#define THR_MAX_OPTIONS 12
#define THR_MAX_STATE   4
#define THR_QUAD        4

typedef struct thr_learner thr_learner;

/* One function's step, for who wants to know why a weight is what it is. */
typedef struct thr_move {
    uint32_t function;
    double margin; /* by which the right side led, NaN for a rule that only counts */
    double step;   /* signed: up or down; the importance, for a rule that only counts */
    size_t change; /* where its changes begin */
} thr_move;

/* The moves that one example made, see multiclass/moves.h. */
typedef struct thr_moves {
    thr_move *at;
    size_t n, room;
    double
        *change; /* for each move, by how much each feature's weight went; none without weights */
    size_t changes, change_room;
    bool failed; /* there was no memory to write all of it down */
} thr_moves;

/* One rule of an ordered list: an example that has `feature` and is `from` so far becomes `to`. */
typedef struct thr_clause {
    uint32_t feature;
    uint32_t from, to; /* labels */
    double gain;       /* importance of the examples it put right, less that of those it broke */
} thr_clause;

/* Why a rule without weights says what it says: a clause that fired, or an example kept nearby. */
typedef struct thr_justification {
    uint32_t number;   /* of the clause or the example, from 0 */
    uint32_t from, to; /* of a clause; an example's label is `to` and `from` is THR_NONE */
    double distance;   /* of an example */
} thr_justification;

/* A learner with its settings and its state. What is saved is marked S. */
typedef struct thr_rule {
    const thr_learner *learner;
    const struct thr_policy *policy;
    unsigned rules;                 /* the version that it behaves by, see history.h */
    double option[THR_MAX_OPTIONS]; /* as in the learner's table; NaN is "auto" */
    thr_slot_spec slot[THR_MAX_SLOTS];
    unsigned n_slots;
    bool bias;                   /* wants a feature that is always 1 */
    bool nonnegative;            /* cannot take negative values */
    bool mirrored;               /* of two labels, the shared function scores the negative one */
    bool presence;               /* sees only whether a value is above 0 */
    double clock;                /* S  examples learned before this one */
    double state[THR_MAX_STATE]; /* S */
    double *function;            /* S  [function][learner->function_state] */
    uint32_t functions, function_room;
    uint32_t labels;    /* known so far */
    uint32_t waiting;   /* features known that do not count yet, having come too seldom */
    thr_memory *memory; /* S  examples kept, for rules that keep them; the member's */
    thr_clause *clause; /* S  the list, for rules that make one; the rule's own */
    size_t clauses, clause_room;
    uint32_t start;        /* S  the label a list begins with; THR_NONE: none yet */
    bool finished;         /* made for predicting; see learner->fit */
    const uint32_t *group; /* per feature: the field it is a value of, 0 where it is one of its own;
                              the model's. NULL: names are not known */
    thr_moves *moves;      /* where moves are written down, or NULL */
    void *extra;           /* derived from the weights; see learner->rebuild */
} thr_rule;

enum {
    THR_SHARES = 1,          /* one function serves two labels */
    THR_ANTISYMMETRIC = 2,   /* ... and exchanging the labels only changes its sign */
    THR_DIRECT = 4,          /* has a true multi-class form */
    THR_LIKES_UNIT = 8,      /* text is scaled to unit length unless told otherwise */
    THR_REGRESSION = 16,     /* predicts a number */
    THR_KEEPS = 32,          /* keeps examples */
    THR_PANEL = 64,          /* no rule of its own: a vote of several */
    THR_NOT_LINEAR = 128,    /* no weight of a feature explains it */
    THR_GROUPS = 256,        /* wants to know which features are values of one field */
    THR_LISTS = 512,         /* predicts by its clauses */
    THR_CONSERVATIVE = 1024, /* what it says changes by updates only */
    THR_SOLVED = 2048,       /* weights are found by a solver, from all examples at once */
};

/* Of a rule that learns a formula: which literals of a feature are in it, and what it is like. */
enum {
    THR_LITERAL = 1,
    THR_NEGATED = 2,
    THR_ALL_OF = 4,   /* literals are joined by "and", else by "or" */
    THR_UNTAUGHT = 8, /* has all literals still, those of features never met too */
};

struct thr_learner {
    const char *name, *help;
    const thr_option_info *options; /* ended by a NULL name */
    unsigned flags;
    unsigned function_state; /* numbers kept per function */
    const char *policy;      /* the default one */
    const char *textbook;    /* options of its plain form, or NULL: it has no other */
    double split; /* direct: what two labels' one function is multiplied by to give one for each */

    /* Checks the options; sets slots, bias, nonnegative. */
    int (*setup)(thr_rule *r, thr_error *err);
    /* The functions' values on an example: `live` for the rule, `shown` for the prediction. */
    void (*score)(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown);
    /* How far to move when the right side leads by `margin`; 0 is stay. `sign` is +1 where the
     * function should rise; the move changes `copies` functions at once. */
    double (*step)(const thr_rule *r, const thr_example *e, double margin, int sign, int copies);
    void (*move)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double step);
    /* THR_QUAD functions from f on in one walk, by step[k] each, 0 where one stays: to the bit what
     * `move` makes of them one by one. Rows are wide enough. May be NULL: one by one. */
    void (*move_quad)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      const double *step);
    unsigned few; /* where no more than so many of the four move, one by one is quicker */
    /* The true multi-class form of a rule that moves all labels at once: step[label], signed, in
     * e->room. NULL: the right label rises by `step` and the best wrong one falls by it. */
    void (*steps)(const thr_rule *r, const thr_example *e, uint32_t label, const double *live,
                  double *step);
    /* Instead of step and move: returns whether anything changed. */
    bool (*learn)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                  const double *live);
    /* After the example, whatever happened to it. May be NULL. */
    void (*observe)(thr_rule *r, const thr_example *e);
    /* The effective weight of a feature, and what no feature contributes. `known` as in
     * thr_example. */
    double (*weight)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known);
    double (*rest)(const thr_rule *r, const thr_example *e, uint32_t f);
    /* How `score` makes a function's value: a form and the terms of its sums, to the bit (thresh.h,
     * thr_working). What the form does not set is as for a plain dot product; NULL: it is one. No
     * terms: the first is the weight, and there is no second. */
    void (*form)(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out);
    void (*terms)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2]);
    /* The weights of n features from `id` on for every function, out[i * functions + f]: to the bit
     * what `weight` says, what they have in common worked out once. `room` is for as many numbers
     * as there are functions. May be NULL: one by one. */
    void (*weigh)(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n, uint32_t known,
                  double *out, double *room);
    /* The weight that a step moves, where it is not the effective one: before it is averaged, and
     * without what the passing of time does to all weights. May be NULL. */
    double (*live)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f);
    /* Brings a row up to date that is lazily behind, before it is rewritten. May be NULL. */
    void (*settle)(const thr_rule *r, thr_weights *w, uint32_t id, uint32_t f);
    /* Room for learning from e, and state made anew from the weights. May be NULL. */
    int (*ready)(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
    int (*rebuild)(thr_rule *r, const thr_weights *w, thr_error *err);
    void (*release)(thr_rule *r);
    /* What `rebuild` would make for `to`, a rule with the same weights and examples as `from`:
     * shared with it, or copied, at a cost that does not grow with them. May be NULL: it is made
     * anew. */
    int (*share)(const thr_rule *from, thr_rule *to, thr_error *err);
    /* Takes out of the rule's own sums what came from the features without keep[id], whose rows
     * are still there; n of them, the bias is kept. May be NULL: there are none. */
    void (*forget)(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n);
    /* What scores grow with from example to example, above 0; probabilities are made of scores
     * divided by it. NULL: the length of the example, or 1 for a rule that is not linear. */
    double (*extent)(const thr_rule *r, const thr_example *e);
    /* How many numbers of scratch scoring needs, in e->room. May be NULL: none. */
    size_t (*room)(const thr_rule *r);
    /* What is derived from all kept examples, when training ends. May be NULL. */
    int (*finish)(thr_rule *r, thr_error *err);
    /* Makes the rule from the first n of its kept examples at once; it then needs them no more to
     * predict. It is called when their number has doubled, when training ends, and with the last
     * doubling before training goes on: stops in between must not show. May be NULL. */
    int (*fit)(thr_rule *r, thr_weights *w, size_t n, thr_error *err);
    /* What a rule without weights has to say for itself, at most `room` of it; returns how much
     * there is. e->room is there. May be NULL. */
    size_t (*justify)(const thr_rule *r, const thr_example *e, thr_justification *out, size_t room);
    /* For a rule that learns a formula: THR_LITERAL and so on; id THR_NONE is any feature never
     * met. May be NULL. */
    unsigned (*literals)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f);
    /* Of a conservative rule: why, with the options it has, what it says changes without an update
     * all the same; NULL: it does not. May be NULL. */
    const char *(*drifts)(const thr_rule *r);
    /* How several models become one (mix.h); NULL for the panel alone. */
    const struct thr_mixer *mix;
};

#define THR_LEARNER(name) extern const thr_learner thr_learner_##name;
#include "learner/learners.def"
#undef THR_LEARNER
extern const thr_learner *const thr_learners[]; /* NULL-terminated */

const thr_learner *thr_learner_find(const char *name, size_t n);
/* Whether each label's function can learn by itself, so that several may be true. */
bool thr_learner_multilabel(const thr_learner *l);
/* Whether a rule that keeps examples keeps this one. */
bool thr_learner_counts(const thr_example *e);
/* The step of a rule that moves by `rate` unless the right side leads, and by at least `least`. At
 * a tie it moves: the proofs need that. */
static inline double thr_margin_step(const thr_example *e, double margin, double least, double rate)
{
    return margin > 0 && margin >= least ? 0 : rate * (double)e->importance;
}

/* The least lead: a thick separator may be thicker on one side. `sign` as in step. */
static inline double thr_margin_of(const thr_rule *r, int sign, unsigned margin, unsigned negative)
{
    bool positive = (sign > 0) != r->mirrored;
    double other = r->option[negative]; /* NaN: the same */
    return positive || other != other ? r->option[margin] : other;
}

static inline double *thr_rule_state(const thr_rule *r, uint32_t f)
{
    return r->function + (size_t)f * r->learner->function_state;
}

/* How thr_weights_dot adds. */
static inline enum thr_sum thr_sum_plain(const thr_weights *w)
{
    return w->functions > 1 ? THR_SUM_ORDER : THR_SUM_LANES;
}

/* Shared by the additive rules (additive.c): w, and before it the averaging sum if there are two
 * slots. */
void thr_additive_slots(thr_rule *r, bool averaged);
void thr_additive_score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                        double *shown);
void thr_additive_move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double step);
double thr_additive_weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                           uint32_t known);
void thr_additive_form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                       thr_function *out);
void thr_additive_terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                        uint32_t known, double term[2]);
void thr_additive_weigh(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                        uint32_t known, double *out, double *room);
double thr_additive_live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f);

/* The defaults of a learner's options, under the rules a model was written with. */
int thr_options_defaults(const thr_option_info *options, const char *what, const thr_former *former,
                         unsigned rules, double *value, thr_error *err);

#endif
