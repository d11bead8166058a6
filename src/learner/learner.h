/* Learners: the rules that thresh can learn by.
 *
 * A learner is arithmetic only. It scores an example with its functions, and it moves the
 * functions. All memory is allocated before it is called, so scoring and learning cannot fail;
 * it knows nothing of files, names or threads.
 *
 *   thr_learner  a const struct of functions: one file, and one row of thr_learners (learner.c)
 *   thr_rule     a learner with its options and its state: one per member of a panel
 *
 * What happens to one example that is learned:
 *
 *     score     -> live[f], shown[f]     the value of every function f
 *     ready                              makes room; the last call that can fail
 *     step      -> how far to move       for the functions that the policy (multiclass/) picks
 *     move                               moves that function
 *     observe                            what the rule keeps track of, moved or not
 *
 * Most rules need only setup, score, step, move and weight, and additive.c has several of
 * these. A rule that does not fit this pattern, such as naive Bayes, which counts every
 * example, gives `learn` instead of step and move.
 *
 * A function is high for its own label, and low for the others. The margin of an example is the
 * lead of the right side: y s for one function s that should be on the side y, and the
 * difference of two functions where the right label competes with a wrong one. */
#ifndef THR_LEARNER_LEARNER_H
#define THR_LEARNER_LEARNER_H

#include "base/error.h"
#include "base/options.h"
#include "learner/history.h"
#include "weights/memory.h"
#include "weights/weights.h"

#define THR_MAX_OPTIONS 12
#define THR_MAX_STATE   4
#define THR_QUAD        4 /* functions that move_quad moves at once */
#define THR_TOGETHER    5 /* functions that move_several moves at most */

typedef struct thr_learner thr_learner;

/* One move of one function, recorded to explain later why a weight is what it is. */
typedef struct thr_move {
    uint32_t function;
    double margin; /* lead of the right side before the move; NaN for a rule with `learn` */
    double step;   /* signed: up or down; for a rule with `learn` the importance */
    size_t change; /* index of its first change in thr_moves.change */
} thr_move;

/* The moves that one example caused, see multiclass/moves.h. */
typedef struct thr_moves {
    thr_move *at;
    size_t n, room;
    double *change; /* by how much each feature's weight changed in each move; empty for rules
                       without weights */
    size_t changes, change_room;
    bool failed; /* memory ran out, and the record is incomplete */
} thr_moves;

/* Moves of one example that wait until the entries of all functions are found, where rows are lists
 * (weights/lists.h). */
typedef struct thr_waiting {
    uint32_t *function;
    thr_move *move;
    size_t function_room, move_room;
    uint32_t n;
} thr_waiting;

/* One clause of an ordered list: an example that has `feature` and is labelled `from` so far is
 * labelled `to`. */
typedef struct thr_clause {
    uint32_t feature;
    uint32_t from, to; /* labels */
    double gain;       /* importance of examples it corrected, minus that of those it broke */
} thr_clause;

/* A reason for a prediction without weights: a clause that fired, or a kept example nearby. */
typedef struct thr_justification {
    uint32_t number;   /* of the clause or the example, from 0 */
    uint32_t from, to; /* of a clause; an example's label is `to` and `from` is THR_NONE */
    double distance;   /* of an example */
} thr_justification;

/* A learner with its options and its state. Fields marked S are saved in the model file; the
 * others follow from the settings, belong to the model, or are rebuilt. */
typedef struct thr_rule {
    const thr_learner *learner;
    const struct thr_policy *policy;
    unsigned rules;                 /* version of the rules that it behaves by, see history.h */
    double option[THR_MAX_OPTIONS]; /* as in the learner's table; NaN is "auto" */
    double constant;                /* computed from the options by setup, for the rule's own use */
    thr_slot_spec slot[THR_MAX_SLOTS];
    unsigned n_slots;
    bool bias;        /* needs a feature that is always 1; its id is 0 */
    bool nonnegative; /* cannot take examples with negative values */
    bool mirrored;    /* two labels share a function, high for the negative one */
    bool lists;       /* rows may be lists (weights/lists.h) */
    bool presence;    /* sees only whether a value is above 0 */
    THR_APART(apart);
    double clock;                /* S  examples learned before this one */
    double state[THR_MAX_STATE]; /* S  the rule's own numbers */
    THR_APART(apart_too);
    double *function; /* S  [function][function_state]; see thr_rule_state */
    uint32_t functions, function_room;
    uint32_t labels;   /* known so far */
    uint32_t reversed; /* S  a function that holds its negative (split.h), or THR_NONE */
    uint32_t
        first_at_ties;  /* the label that wins ties, THR_NONE: the lowest; set before learning */
    uint32_t waiting;   /* known features that --min-count still leaves out */
    thr_memory *memory; /* S  kept examples, owned by the member; NULL: the rule keeps none */
    thr_clause *clause; /* S  the list of a THR_LISTS rule; owned by the rule */
    size_t clauses, clause_room;
    uint32_t start;        /* S  the label that a list begins with; THR_NONE: no list yet */
    bool finished;         /* `fit` and `finish` have seen all examples; learning resets it */
    const uint32_t *group; /* per feature: the number of the field it is a value of, 0 if it is
                              a field of its own; owned by the model. NULL: names are hashed */
    thr_waiting wait;
    thr_moves *moves; /* where moves are recorded; NULL: they are not */
    void *extra;      /* what `rebuild` derives; owned by the rule */
} thr_rule;

enum {
    THR_SHARES = 1,          /* two labels can share one function */
    THR_ANTISYMMETRIC = 2,   /* ... and exchanging them only changes its sign */
    THR_DIRECT = 4,          /* has a true multi-class form, for the policy `direct` */
    THR_LIKES_UNIT = 8,      /* text is scaled to unit length unless the user says otherwise */
    THR_REGRESSION = 16,     /* predicts a number */
    THR_KEEPS = 32,          /* keeps examples in r->memory */
    THR_PANEL = 64,          /* not a rule but a vote of several */
    THR_NOT_LINEAR = 128,    /* predictions are not explained by weights of features */
    THR_GROUPS = 256,        /* needs r->group: which features are values of one field */
    THR_LISTS = 512,         /* predicts by its clauses */
    THR_CONSERVATIVE = 1024, /* predictions change only by updates, but see `drifts` */
    THR_LIKES_SCALE =
        4096,          /* values are scaled, see model/units.h, unless the user says otherwise */
    THR_SOLVED = 2048, /* a solver finds the weights from all examples at once */
};

/* Flags that `literals` returns: which literals of a feature are in the formula, and what kind
 * of formula it is. */
enum {
    THR_LITERAL = 1,
    THR_NEGATED = 2,
    THR_ALL_OF = 4,   /* literals are joined by "and", else by "or" */
    THR_UNTAUGHT = 8, /* still has every literal, also of features never met */
};

/* A hook may be NULL only where its comment says so; step and move are NULL in a rule that has
 * `learn`. The panel has nothing but setup. */
struct thr_learner {
    const char *name, *help;
    const thr_option_info *options; /* ended by a NULL name */
    unsigned flags;
    unsigned function_state; /* numbers kept per function, besides its weights */
    const char *policy;      /* name of the default policy for many labels */
    const char *textbook;    /* options that make it the textbook rule; NULL: it always is */
    double split;            /* direct: factor on a shared function that is split in two */

    /* Checks the options; sets slots, bias, nonnegative, lists and presence. */
    int (*setup)(thr_rule *r, thr_error *err);
    /* The value of every function on an example: `live` decides on updates, `shown` is what is
     * predicted with. They differ if predictions use averaged weights or a vote. */
    void (*score)(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown);
    /* How far to move, given the margin; 0: do not move. `sign` is +1 if the function should
     * rise, -1 if it should fall. `copies` is the number of functions that will move by this
     * step, one up and one down if it is 2; the margin then changes `copies` times as fast. */
    double (*step)(const thr_rule *r, const thr_example *e, double margin, int sign, int copies);
    /* The margin that `step` asks for: from it on the rule stays where it is. May be NULL: 0. */
    double (*asks)(const thr_rule *r);
    /* Moves function f along the example by a signed step. The rows are ready. */
    void (*move)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double step);
    /* Moves THR_QUAD adjacent functions from f on in one pass, function f + k by step[k]; 0
     * leaves it unchanged. The result has the bits that `move`, function by function, would
     * give. Rows have room for all four. May be NULL. */
    void (*move_quad)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      const double *step);
    /* For a rule whose step depends on a sum over all that moves, where several functions move along
     * parts of one difference (chain/difference.h): `measure` returns the sum over one part, which it
     * may prepare, and `move_measured` moves it by `step`, given the sum over all parts. Both may be
     * NULL: then `move` is called for each part. */
    double (*measure)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f);
    void (*move_measured)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                          double step, double sum);
    unsigned few; /* if at most this many of the four move, single moves are quicker */
    /* Moves n <= THR_TOGETHER different functions, f[k] by step[k]. The result has the bits that
     * `move`, function by function, would give. May be NULL. */
    void (*move_several)(thr_rule *r, thr_weights *w, const thr_example *e, const uint32_t *f,
                         const double *step, uint32_t n);
    /* The true multi-class form of a rule that moves all labels at once: step[label], signed,
     * in e->room. May be NULL: the right label rises by `step` and the best wrong one falls by
     * it. */
    void (*steps)(const thr_rule *r, const thr_example *e, uint32_t label, const double *live,
                  double *step);
    /* Learns from the example in the rule's own way, instead of step and move. `f` is the
     * label's function. Returns whether anything changed. May be NULL. */
    bool (*learn)(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                  const double *live);
    /* Function f of a third or later label is new; the features below `known` have been met, in
     * examples of other labels only. Sets its numbers, in rows that are ready, if start values are
     * not what it should begin with. May be NULL. */
    void (*begin)(thr_rule *r, thr_weights *w, uint32_t f, uint32_t known);
    /* Called after every example, whether the rule moved or not. May be NULL. */
    void (*observe)(thr_rule *r, const thr_example *e);
    /* The effective weight of a feature in function f: what one unit of its value adds to the
     * shown score. `rest` is what the score is without any feature. `known` is as in
     * thr_example. Both may be NULL: a rule that is not linear has no weights, and without
     * `rest` the rest is 0. */
    double (*weight)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known);
    double (*rest)(const thr_rule *r, const thr_example *e, uint32_t f);
    /* How `score` computes a function's value, for callers that recompute it to the bit
     * (thresh.h, thr_working): `form` says which sums there are, `terms` what a feature
     * contributes to the two sums. Fields that `form` does not set are those of a plain dot
     * product. Both may be NULL: without `form` the value is a plain dot product, and without
     * `terms` the first term is `weight` and there is no second. */
    void (*form)(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out);
    void (*terms)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2]);
    /* The weights of n features from `id` on, for every function, in out[i * functions + f]:
     * the bits that `weight` gives, but what the features have in common is computed once.
     * `room` is scratch for as many numbers as there are functions. May be NULL. */
    void (*weigh_many)(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                       uint32_t known, double *out, double *room);
    /* The weight that a move changes, if it is not the effective weight: before averaging, and
     * without what the passing of time does to all weights. May be NULL. */
    double (*live)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f);
    /* Brings one weight up to date in its row, if the rule updates rows lazily. Called before
     * the row is rewritten. May be NULL. */
    void (*settle)(const thr_rule *r, thr_weights *w, uint32_t id, uint32_t f);
    /* `ready` makes room for learning from e. `rebuild` derives r->extra from weights and kept
     * examples, and checks what a file says of them; `release` frees it. May be NULL. */
    int (*ready)(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
    int (*rebuild)(thr_rule *r, const thr_weights *w, thr_error *err);
    void (*release)(thr_rule *r);
    /* Gives `to`, a snapshot of `from` with the same weights and examples, the `extra` that
     * `rebuild` would derive: shared or copied, but not computed again. May be NULL: then
     * `rebuild` is called. */
    int (*share)(const thr_rule *from, thr_rule *to, thr_error *err);
    /* Subtracts from the rule's own sums what came from features that are about to be dropped:
     * those with id < n and keep[id] false, whose rows still exist. The bias is never dropped.
     * May be NULL: the rule has no such sums. */
    void (*forget)(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n);
    /* Converts weights (thr_unit_change) and sums of function f into the new units of n features of
     * e, so that the function stays the same; start values stay as they are. The rows are ready.
     * May be NULL: nothing is converted. */
    void (*rescale)(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                    size_t n, uint32_t f);
    /* The size of this example by which scores grow, above 0; probabilities are computed from
     * scores divided by it. May be NULL: the Euclidean length, or 1 for a rule that is not
     * linear. */
    double (*extent)(const thr_rule *r, const thr_example *e);
    /* Doubles of scratch that `score`, `steps` and `justify` need in e->room. May be NULL:
     * 0. */
    size_t (*room)(const thr_rule *r);
    /* Computes what depends on all kept examples, when training ends. May be NULL. */
    int (*finish)(thr_rule *r, thr_error *err);
    /* Fits the rule to the first n of its kept examples at once; it then needs no example to
     * predict. Called when the number of examples has doubled, when training ends (with all of
     * them), and when training is resumed (with those of the last doubling), so that a model
     * does not depend on stops in between. May be NULL. */
    int (*fit)(thr_rule *r, thr_weights *w, size_t n, thr_error *err);
    /* The reasons of a rule without weights: writes at most `room` of them and returns how many
     * there are. e->room is allocated. May be NULL. */
    size_t (*justify)(const thr_rule *r, const thr_example *e, thr_justification *out, size_t room);
    /* For a rule that learns a formula: the flags THR_LITERAL etc. of feature `id`; THR_NONE
     * stands for any feature never met. May be NULL. */
    unsigned (*literals)(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f);
    /* For a THR_CONSERVATIVE rule: why, with its present options, predictions change without an
     * update after all; NULL if they do not. May be NULL. */
    const char *(*drifts)(const thr_rule *r);
    /* How several models become one (mix.h). Only the panel has none. */
    const struct thr_mixer *mix;
};

#define THR_LEARNER(name) extern const thr_learner thr_learner_##name;
#include "learner/learners.def"
#undef THR_LEARNER
extern const thr_learner *const thr_learners[]; /* NULL-terminated */

const thr_learner *thr_learner_find(const char *name, size_t n);
/* -1 for a function that holds its negative, else 1. */
static inline int thr_rule_side(const thr_rule *r, uint32_t f)
{
    return f == r->reversed ? -1 : 1;
}
/* Whether each label's function can learn by itself, so that several labels may be true. */
bool thr_learner_multilabel(const thr_learner *l);
/* Whether a rule that keeps examples keeps this one: it has a label and importance. */
bool thr_learner_counts(const thr_example *e);
/* For `rescale`: the factor by which a weight changes. Where the greatest value grows suddenly, to
 * more than twice, the weight was learned from values that were all small. Converted in full, it
 * would be far too large for the new ones; so it is not more than doubled, and the function
 * shrinks. */
static inline double thr_unit_change(double ratio)
{
    return ratio < 0.5 ? 2 : 1 / ratio;
}
/* The step of a rule that moves by `rate`, times the importance, unless the margin is above 0
 * and at least `least`. It also moves at a tie, where the prediction may be right: the proofs
 * need that. */
static inline double thr_margin_step(const thr_example *e, double margin, double least, double rate)
{
    return margin > 0 && margin >= least ? 0 : rate * (double)e->importance;
}

/* The margin that is asked for. A thick separator may be thicker on one side: `margin` and
 * `negative` are the options for positive and negative examples. `sign` is that of step. */
static inline double thr_margin_of(const thr_rule *r, int sign, unsigned margin, unsigned negative)
{
    bool positive = (sign > 0) != r->mirrored;
    double other = r->option[negative]; /* NaN: the same */
    return positive || other != other ? r->option[margin] : other;
}

/* The hook `asks` of a rule that moves unless the margin is 1. */
double thr_asks_for_one(const thr_rule *r);

/* The numbers that the rule keeps for function f, learner->function_state of them. */
static inline double *thr_rule_state(const thr_rule *r, uint32_t f)
{
    return r->function + (size_t)f * r->learner->function_state;
}

/* The hook `terms` of a rule whose sum is the dot product with slot 0. */
void thr_slot_terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                    uint32_t known, double term[2]);
/* How thr_weights_dot adds: one function in lanes, several in the order of the example. */
static inline enum thr_sum thr_sum_plain(const thr_weights *w)
{
    return w->functions > 1 ? THR_SUM_ORDER : THR_SUM_LANES;
}

/* Hooks of the additive rules (additive.c). The slots are w, or the averaging sum and w. */
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
void thr_additive_weigh_many(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                             uint32_t known, double *out, double *room);
void thr_additive_rescale(thr_rule *r, thr_weights *w, const thr_example *e,
                          const thr_growth *grown, size_t n, uint32_t f);
double thr_additive_live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f);

/* The defaults of a learner's options that were in force under version `rules` of the rules,
 * according to the table `former` (history.h). */
int thr_options_defaults(const thr_option_info *options, const char *what,
                         const thr_old_default *former, unsigned rules, double *value,
                         thr_error *err);

#endif
