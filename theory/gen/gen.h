/* The inside of generators. A kind of generator is one const struct with its options and functions.
 *
 * What a generator yields depends only on its spec and its seed. Target, points and label noise
 * come from three separate random streams, so that the same seed gives the same points with and
 * without noise. Variables are numbered from 1 to n, but only the few that matter for the label are
 * stored. So the cost of a point depends on its active features and not on n. */
#ifndef THR_GEN_GEN_H
#define THR_GEN_GEN_H

#include "base/mem.h"
#include "base/random.h"

#include "thresh_theory.h"

/* The options of a spec; a kind uses those that its option table names. */
typedef struct thr_gen_values {
    uint64_t n;     /* variables */
    uint64_t k;     /* relevant variables, or literals of a term; 0: automatic */
    uint64_t m;     /* how many of the k literals must hold */
    uint64_t terms; /* of a formula or a list */
    uint64_t drift; /* examples after which the target is drawn again; 0: never */
    double active;  /* expected active variables; negative: automatic */
    double gamma;   /* margin */
    double noise;   /* probability of a wrong label */
    bool negated, balance;
} thr_gen_values;

typedef struct thr_gen_option {
    thr_option_info info;
    size_t field; /* its offset in thr_gen_values */
} thr_gen_option;

/* A literal is a relevant variable (its index in thr_target.var) or its negation. */
typedef struct thr_literal {
    size_t slot;
    bool negated;
} thr_literal;

/* A point: its active variables, ascending, and their values. Owns its arrays. */
typedef struct thr_point {
    uint64_t *variable;
    float *value;
    size_t n, variable_room, value_room;
    bool positive;
    bool failed; /* out of memory */
} thr_point;

void thr_point_add(thr_point *p, uint64_t variable, float value);
void thr_point_clear(thr_point *p);

/* The hidden target. Arrays that a kind does not use are NULL. The others are allocated once by the
 * kind's `prepare`, since their sizes depend only on the spec; drawing a new target reuses them. */
typedef struct thr_target {
    uint64_t *var; /* the relevant variables, ascending and distinct */
    size_t n_vars;
    bool *on;             /* Boolean kinds: values of the relevant variables in the current point */
    thr_literal *literal; /* the literals of all terms, one term after another */
    size_t n_literals;
    size_t n_terms;   /* all of equal length */
    bool *output;     /* decision lists: the label of each term; the last is for "else" */
    double *weight;   /* linear kinds: the separator, of unit length, over `var` */
    uint64_t *others; /* linear kinds: the other active variables of a point, ascending */
    size_t n_others;
    double *value; /* linear kinds: values of the relevant, then of the other variables */
} thr_target;

typedef struct thr_gen_kind {
    const char *name, *help;
    const thr_gen_option *option;
    size_t n_options;
    bool has_values; /* features have values other than 0 and 1 */
    /* Rejects impossible options, fills in automatic ones and allocates the target. */
    int (*prepare)(thr_gen *g, thr_error *err);
    /* Draws a new target and appends its description to g->words. False: out of memory. */
    bool (*redraw)(thr_gen *g);
    /* Adds the features of one point to p, ascending. Returns its label, before noise. */
    bool (*draw)(thr_gen *g, thr_point *p);
    /* Boolean kinds, for thr_boolean_draw: `holds` returns the label of target.on, and `steer`
     * changes target.on so that the wanted label becomes likely. */
    bool (*holds)(const thr_gen *g);
    void (*steer)(thr_gen *g, bool want);
} thr_gen_kind;

struct thr_gen {
    const thr_gen_kind *kind;
    thr_gen_values values;
    thr_random target_random, point_random, noise_random;
    uint64_t drawn; /* examples so far */
    thr_target target;
    thr_bytes words; /* the target in words */
    thr_point point; /* the last one drawn */
};

/* The kinds, NULL-terminated. */
extern const thr_gen_kind *const thr_gen_kinds[];
extern const thr_gen_kind thr_gen_disjunction, thr_gen_conjunction, thr_gen_threshold,
    thr_gen_parity, thr_gen_xor, thr_gen_dnf, thr_gen_decision_list, thr_gen_majority,
    thr_gen_margin, thr_gen_unit_rows;

/* Rows of option tables that several kinds share. gen_options.c reads a spec by these tables. */
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

/* gen_sample.c: draws k distinct numbers from 1..n, ascending. All sets are equally likely. */
void thr_sample(thr_random *r, uint64_t n, size_t k, uint64_t *out);

/* gen_sample.c: tosses n coins with probability p of heads. For small p the cost is proportional to
 * the number of heads. */
typedef struct thr_coins {
    thr_random *random;
    double p, log_tails;
    uint64_t at, n;
} thr_coins;
void thr_coins_init(thr_coins *c, thr_random *r, uint64_t n, double p);
uint64_t thr_coins_next(thr_coins *c); /* the number of the next head in 1..n; 0: there is none */

/* gen_boolean.c: functions shared by the Boolean kinds. */
int thr_boolean_prepare(thr_gen *g, uint64_t terms, uint64_t k, thr_error *err);
bool thr_boolean_redraw(thr_gen *g); /* draws the literals; the kind writes the words */
bool thr_boolean_draw(thr_gen *g, thr_point *p);
bool thr_literal_holds(const thr_target *t, size_t literal);
void thr_literal_make(thr_target *t, size_t literal, bool hold);
bool thr_literals_words(thr_gen *g, size_t from, size_t to, const char *between);

#endif
