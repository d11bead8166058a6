/* Generators, inside: a kind is one const struct with its options and three functions.
 *
 * What a generator yields is a function of its spec and its seed alone. Target, points and label
 * noise come from three separate random streams, so the same seed gives the same points with and
 * without noise. Variables are numbered from 1 to n; only the few that matter for the label are
 * kept, so that a point costs as much as it has active features, whatever n is. */
#ifndef THR_GEN_GEN_H
#define THR_GEN_GEN_H

#include "base/mem.h"
#include "base/random.h"

#include "thresh_theory.h"

/* What the spec says; a kind reads those that its option table names. */
typedef struct thr_gen_values {
    uint64_t n;     /* variables */
    uint64_t k;     /* relevant ones, or literals of a term; 0: automatic */
    uint64_t m;     /* of the k that must hold */
    uint64_t terms; /* of a formula or a list */
    uint64_t drift; /* examples from one target to the next; 0: one target for ever */
    double active;  /* expected active variables; negative: automatic */
    double gamma;   /* margin */
    double noise;   /* probability of a wrong label */
    bool negated, balance;
} thr_gen_values;

typedef struct thr_gen_option {
    thr_option_info info;
    size_t field; /* of thr_gen_values */
} thr_gen_option;

/* A literal is a relevant variable (its index in thr_target.var) or its negation. */
typedef struct thr_literal {
    size_t slot;
    bool negated;
} thr_literal;

/* A point as it is drawn: variables and their values. */
typedef struct thr_point {
    uint64_t *variable;
    float *value;
    size_t n, variable_room, value_room;
    bool positive;
    bool failed; /* out of memory */
} thr_point;

void thr_point_add(thr_point *p, uint64_t variable, float value);
void thr_point_clear(thr_point *p);

/* The hidden target. Arrays that a kind does not use are NULL; all have the sizes that the
 * kind's `prepare` gave them, since they depend on the spec only. */
typedef struct thr_target {
    uint64_t *var; /* the variables that matter, ascending and different */
    size_t n_vars;
    bool *on;             /* Boolean kinds: their values in the point being drawn */
    thr_literal *literal; /* term after term */
    size_t n_literals;
    size_t n_terms;   /* of equal length */
    bool *output;     /* lists: of each term; the last one is for "else" */
    double *weight;   /* linear kinds: the unit separator, per variable of `var` */
    uint64_t *others; /* linear kinds: the other active variables of a point, ascending */
    size_t n_others;
    double *value; /* linear kinds: of the relevant, then of the other variables */
} thr_target;

typedef struct thr_gen_kind {
    const char *name, *help;
    const thr_gen_option *option;
    size_t n_options;
    bool has_values; /* features other than 0 and 1 */
    /* Refuses impossible values, settles automatic ones and makes room in the target. */
    int (*prepare)(thr_gen *g, thr_error *err);
    /* Draws a new target and writes it in words to g->words; false: out of memory. */
    bool (*redraw)(thr_gen *g);
    /* Adds the features of one point; returns whether it is positive. */
    bool (*draw)(thr_gen *g, thr_point *p);
    /* Boolean kinds, for thr_boolean_draw: the label of target.on, and a change of target.on
     * that makes the wanted label likely. */
    bool (*holds)(const thr_gen *g);
    void (*steer)(thr_gen *g, bool want);
} thr_gen_kind;

struct thr_gen {
    const thr_gen_kind *kind;
    thr_gen_values values;
    thr_random target_random, point_random, noise_random;
    uint64_t drawn; /* examples so far */
    thr_target target;
    thr_bytes words;
    thr_point point; /* the last one drawn */
};

/* The kinds, NULL-terminated. */
extern const thr_gen_kind *const thr_gen_kinds[];
extern const thr_gen_kind thr_gen_disjunction, thr_gen_conjunction, thr_gen_threshold,
    thr_gen_parity, thr_gen_xor, thr_gen_dnf, thr_gen_decision_list, thr_gen_majority,
    thr_gen_margin, thr_gen_unit_rows;

/* gen_options.c: rows of option tables, and reading a spec into kind and values. */
#define THR_GEN_N(fallback)                                                                        \
    {                                                                                              \
        {"n", fallback, "number of variables", THR_INT, NULL, 1, 1e9}, offsetof(thr_gen_values, n) \
    }
#define THR_GEN_K(fallback, help)                                                                  \
    {                                                                                              \
        {"k", fallback, help, THR_INT, NULL, 1, 1e7}, offsetof(thr_gen_values, k)                  \
    }
#define THR_GEN_NEGATED(fallback)                                                                  \
    {                                                                                              \
        {                                                                                          \
            "negated", fallback, "each literal is negated with probability 1/2", THR_BOOL, NULL,   \
            0,         1},                                                                         \
            offsetof(thr_gen_values, negated)                                                      \
    }
#define THR_GEN_ACTIVE                                                                             \
    {                                                                                              \
        {"active", "auto", "expected active variables per example; auto: half of n, at most 50",   \
         THR_REAL, "auto", 0,                                                                      \
         1e9},                                                                                     \
            offsetof(thr_gen_values, active)                                                       \
    }
#define THR_GEN_BALANCE                                                                            \
    {                                                                                              \
        {"balance", "on", "half of the examples are positive where the target allows it",          \
         THR_BOOL,  NULL, 0,                                                                       \
         1},                                                                                       \
            offsetof(thr_gen_values, balance)                                                      \
    }
#define THR_GEN_NOISE                                                                              \
    {                                                                                              \
        {"noise", "0", "probability that a label is flipped", THR_REAL, NULL, 0, 1},               \
            offsetof(thr_gen_values, noise)                                                        \
    }
#define THR_GEN_DRIFT                                                                              \
    {                                                                                              \
        {"drift", "0", "examples after which the target is drawn anew; 0: never", THR_INT, NULL,   \
         0,       1e15},                                                                           \
            offsetof(thr_gen_values, drift)                                                        \
    }

/* Draws the next example into g->point. */
int thr_gen_draw(thr_gen *g, thr_error *err);

int thr_gen_read_spec(const char *spec, const thr_gen_kind **kind, thr_gen_values *values,
                      thr_error *err);

/* gen_sample.c: k different numbers of 1..n, ascending; every set is as likely as any other. */
void thr_sample(thr_random *r, uint64_t n, size_t k, uint64_t *out);

/* gen_sample.c: n coins with probability p of heads, tossed at the cost of the heads only. */
typedef struct thr_coins {
    thr_random *random;
    double p, log_tails;
    uint64_t at, n;
} thr_coins;
void thr_coins_init(thr_coins *c, thr_random *r, uint64_t n, double p);
uint64_t thr_coins_next(thr_coins *c); /* the next head in 1..n, 0 when there is none */

/* gen_boolean.c: what the Boolean kinds share. */
int thr_boolean_prepare(thr_gen *g, uint64_t terms, uint64_t k, thr_error *err);
bool thr_boolean_redraw(thr_gen *g); /* literals; the words are left to the kind */
bool thr_boolean_draw(thr_gen *g, thr_point *p);
bool thr_literal_holds(const thr_target *t, size_t literal);
void thr_literal_make(thr_target *t, size_t literal, bool hold);
bool thr_literals_words(thr_gen *g, size_t from, size_t to, const char *between);

#endif
