/* thresh, theory: what can be promised of learning, on data with a known target, on the caller's
 * own data, and against adversaries. A library of its own, libthresh-theory, over libthresh:
 *
 *   1. generators          seeded data
 *   2. experts             many predictions made into one, and what is promised about it
 *   3. concepts            formulas, finite classes of them, and the three protocols
 *   4. certificates        is data separable, by how much, what is promised of each rule; proofs
 *   5. lab                 claims of the theory, put to the test
 *
 * Conventions are those of thresh.h: errors, ownership, zeroed options, reserved fields. A thr_gen
 * and a thr_experts belong to one thread at a time. A thr_certify, a thr_concept_run and a thr_lab
 * are results: once made they only change when they are freed. */
#ifndef THRESH_THEORY_H
#define THRESH_THEORY_H

#include "thresh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. generators ------------------------------------------------------------------------ */

/* Seeded data for a known target: `kind:key=value,...`. */
typedef struct thr_gen thr_gen;
THR_API thr_gen *thr_gen_new(const char *spec, uint64_t seed, thr_error *err);
THR_API void thr_gen_free(thr_gen *g);
/* The hidden target in words. */
THR_API const char *thr_gen_target(const thr_gen *g);
/* Writes n examples in a format. */
THR_API int thr_gen_write(thr_gen *g, uint64_t n, const char *format, thr_write_fn *fn, void *user,
                          thr_error *err);
/* Appends n examples to a batch. */
THR_API int thr_gen_batch(thr_gen *g, uint64_t n, thr_batch *b, const thr_model *m, thr_error *err);

/* The kinds and their options; each returns false past the end. */
THR_API bool thr_gen_at(size_t i, thr_entry_info *out);
THR_API bool thr_gen_option_at(size_t gen, size_t i, thr_option_info *out);

/* ---- 2. experts --------------------------------------------------------------------------- */

/* Prediction with expert advice: in each round every expert says something, each algorithm
 * answers, and then the truth is told. A loss lies between 0 and 1; a wrong label costs 1. An
 * expert may be silent: it has no say in that round, and it costs 1, so the best expert is the
 * same for all algorithms and all bounds hold. Where all are silent, so is the answer. */
typedef struct thr_experts thr_experts;

typedef struct thr_experts_options {
    const char *algorithms; /* `majority,random,hedge,share`; NULL: all that fit the loss */
    const char *loss;       /* label, absolute, square, given; NULL: label */
    double eta;             /* a weight is multiplied by e^(-eta loss); 0: the loss's own default */
    bool adapt;             /* random and hedge: in round t eta is sqrt(8 ln(experts)/t) instead */
    double share;           /* of its weight that an expert gives to the others (share); 0: 0.01 */
    unsigned switches;      /* compare with sequences of up to so many; 0: with one expert */
    uint64_t seed;          /* of the experts drawn (random) */
    uint64_t reserved[8];
} thr_experts_options;

/* What the command uses, and NULL stands for: 3 switches and the seed 1; else as zeroed. */
THR_API void thr_experts_defaults(thr_experts_options *o);
/* `names` may be NULL: experts are then called 1, 2, ... */
THR_API thr_experts *thr_experts_new(size_t n, const char *const *names,
                                     const thr_experts_options *o, thr_error *err);
THR_API void thr_experts_free(thr_experts *e);

/* A round: hear, then, if wanted, ask for answers, then learn. A call that fails changes nothing.
 * Labels must stay where they are until the round is learned; NULL and "" are silence. Numbers lie
 * in [0, 1]; NaN is silence. With `given` losses there is nothing to hear. */
THR_API int thr_experts_hear_labels(thr_experts *e, const char *const *labels, thr_error *err);
THR_API int thr_experts_learn_label(thr_experts *e, const char *truth, thr_error *err);
THR_API int thr_experts_hear_numbers(thr_experts *e, const double *numbers, thr_error *err);
THR_API int thr_experts_learn_number(thr_experts *e, double truth, thr_error *err);
THR_API int thr_experts_learn_losses(thr_experts *e, const double *losses, thr_error *err);

/* Rounds from a table in CSV, with or without a line of names; several files are one table. */
typedef struct thr_experts_columns {
    const char *truth;   /* name, or number from 1; NULL: the last column */
    const char *experts; /* names or numbers, comma-separated; NULL: all other columns */
    enum thr_header {
        THR_HEADER_AUTO, /* the first line is taken for names if its words do not come back */
        THR_HEADER_YES,
        THR_HEADER_NO,
    } header;
    uint64_t reserved[8];
} thr_experts_columns;
/* Called after each round; a negative return stops and is passed on. */
typedef int thr_experts_fn(void *user, const thr_experts *e);
THR_API thr_experts *thr_experts_read(const thr_input *in, const thr_experts_columns *c,
                                      const thr_experts_options *o, thr_experts_fn *fn, void *user,
                                      thr_error *err);

/* What came of it, row by row: an algorithm may answer in several forms. */
typedef struct thr_experts_result {
    const char *algorithm;
    const char *form; /* `vote` for the heaviest label, `mean` of the numbers, `expected` and
                       * `drawn` of an expert chosen by weight */
    double eta;       /* NaN where it changes with the rounds */
    double share;     /* 0 where there is none */
    double loss;      /* in all; mistakes, where labels are predicted */
    double bound;     /* on that loss, the least over all switches; NaN: none is known */
    unsigned bound_switches;
    bool holds; /* loss <= bound, rounding aside */
    uint64_t reserved[4];
} thr_experts_result;
THR_API bool thr_experts_result_at(const thr_experts *e, size_t row, thr_experts_result *out);
/* The bound from the best sequence with at most k switches; infinite where there is none. */
THR_API double thr_experts_bound(const thr_experts *e, size_t row, unsigned k);
/* The answer to the round heard, or to the last: the expert whose label is taken or who was drawn,
 * (size_t)-1 if none; the mean, NaN if none. */
THR_API size_t thr_experts_answer(const thr_experts *e, size_t row, double *mean);
/* The weights of the next round, with sum 1. */
THR_API void thr_experts_weights(const thr_experts *e, size_t row, double *weights);

typedef struct thr_experts_entry {
    const char *name;
    double loss;
    uint64_t silent; /* rounds */
    uint64_t reserved[4];
} thr_experts_entry;
THR_API size_t thr_experts_count(const thr_experts *e);
THR_API uint64_t thr_experts_rounds(const thr_experts *e);
THR_API bool thr_experts_expert(const thr_experts *e, size_t expert, thr_experts_entry *out);

/* The best sequence with at most k switches, part by part; k is at most options.switches. */
typedef struct thr_experts_part {
    size_t expert;
    uint64_t from, to; /* rounds, from 1 */
    uint64_t reserved[4];
} thr_experts_part;
THR_API double thr_experts_best(const thr_experts *e, unsigned k, size_t *parts);
THR_API bool thr_experts_best_part(const thr_experts *e, unsigned k, size_t part,
                                   thr_experts_part *out);

/* ---- 3. concepts ------------------------------------------------------------------------- */

/* Concepts are formulas over Boolean variables: `x2 & x3 & !x10`, `x1 | x4`, `2 of (x1, x2, x5)`.
 *
 * The three protocols of learning a hidden conjunction or disjunction: the learner asks, a teacher
 * shows, or nature shows. */
typedef struct thr_protocol_options {
    const char *protocol; /* ask, teach, nature; NULL: nature */
    const char *target;   /* a formula over x1 to xn; NULL: one of k literals is drawn */
    bool disjunction;     /* of what is drawn */
    bool negated;         /* ... and what the learner must reckon with; a target may say so too */
    uint64_t n;           /* variables; 0: the greatest number in the target, else 20 */
    uint64_t k;           /* literals of what is drawn; 0: 3, or n if that is less */
    uint64_t seed;
    uint64_t limit; /* nature: at most so many examples; 0: 100000 */
    uint64_t reserved[8];
} thr_protocol_options;

typedef struct thr_protocol_result {
    uint64_t n, k;
    uint64_t queries, examples, mistakes;
    uint64_t bound; /* ask: of questions; teach: of examples; nature: at most so many mistakes */
    bool exact;     /* the count is the bound, not at most that */
    bool holds;
    bool equal;             /* the learner's formula is the target */
    char *target, *learned; /* thr_protocol_clear frees them */
    uint64_t reserved[8];
} thr_protocol_result;

/* Called for each point: its values, its label, and `asked`, `shown`, `mistake` or `right`. A
 * negative return stops and is passed on. */
typedef int thr_protocol_fn(void *user, const bool *x, size_t n, bool label, const char *what);
/* What the command uses: the seed 1, else as zeroed. */
THR_API void thr_protocol_defaults(thr_protocol_options *o);
THR_API int thr_protocol_play(const thr_protocol_options *o, thr_protocol_fn *fn, void *user,
                              thr_protocol_result *out, thr_error *err);
THR_API void thr_protocol_clear(thr_protocol_result *r);

/* Learning a concept of a finite class from examples: a feature with a value above 0 is a variable
 * that holds. As elsewhere, the greater of the two labels means "yes". */
typedef struct thr_concept_options {
    const char *learner;   /* consistent, halving, eliminate; NULL: halving */
    const char *concepts;  /* conjunctions (NULL), disjunctions, thresholds with options, or
                            * file=PATH */
    const char *variables; /* `a,b,c`; NULL: those of the examples, in order of appearance */
    uint64_t seed;         /* of the survivors drawn (consistent) */
    uint64_t reserved[8];
} thr_concept_options;

typedef struct thr_concept_run thr_concept_run;

typedef struct thr_concept_result {
    uint64_t examples, variables;
    uint64_t absent;    /* variables named that no example has */
    uint64_t concepts;  /* of the class; 0 where that is beyond counting (eliminate) */
    uint64_t survivors; /* of them; 1 for eliminate: its formula */
    uint64_t mistakes, bound;
    bool consistent;  /* with all examples: then the bound is a promise */
    uint64_t refused; /* examples that no survivor labels rightly */
    uint64_t
        first_refused; /* the first of them, from 1; of eliminate, one that its formula errs on */
    const char *positive; /* the label that stands for "yes" */
    uint64_t reserved[8];
} thr_concept_result;

THR_API thr_concept_run *thr_concept_learn(const thr_settings *s, const thr_concept_options *o,
                                           const thr_input *in, thr_error *err);
THR_API void thr_concept_free(thr_concept_run *r);
THR_API void thr_concept_about(const thr_concept_run *r, thr_concept_result *out);
/* A survivor as a formula of at most `most` literals; as snprintf. 0: there is none, or no memory,
 * which `err` then says. */
THR_API size_t thr_concept_formula(const thr_concept_run *r, uint64_t survivor, size_t most,
                                   char *out, size_t room, thr_error *err);

/* ---- 4. certificates --------------------------------------------------------------------- */

enum thr_verdict { THR_UNKNOWN, THR_YES, THR_NO };

typedef struct thr_certify_options {
    double gap;      /* relative: how near the ends of the margins are brought; 0: 0.01 */
    double seconds;  /* for the proofs; 0: 120 */
    unsigned passes; /* most passes of a rule until it stands still; 0: 100 */
    thr_progress_fn *progress;
    void *user;
    uint64_t reserved[8];
} thr_certify_options;

/* What data is like and what is proved of it. Examples are as the linear rules see them: with a
 * bias that is 1, text scaled to length 1 unless `unit` says otherwise, each counting once. With
 * two labels the points are y x; with more they are f(x,y) - f(x,y'), one weight vector for each
 * label. Margins: gamma = max over unit u of the least u.z, g the same over u with sum |u_i| = 1.
 */
typedef struct thr_certify_report {
    uint64_t examples, different; /* ... that are not the same as another */
    uint64_t features;            /* the bias not counted */
    uint64_t labels;
    double mean_active;           /* features of an example, the bias not counted */
    double R, X;                  /* greatest length and value of an example */
    double least_norm, mean_norm; /* lengths of examples */
    bool scaled;                  /* some examples were scaled to length 1 */
    bool boolean;                 /* all values are 1 */
    enum thr_verdict separable;   /* THR_YES and THR_NO only with a proof */
    const char *proof;            /* a sentence */
    const char *method;           /* separator, contradiction, cycle, combination; "none" */
    double gamma_low, gamma_high; /* proven ends; NaN where there are none */
    double g_low, g_high;         /* NaN where there are none */
    double norm1;                 /* sum |u_i| of the u found with least u.z = 1; NaN: none */
    bool checked;                 /* the certificate has passed its checker */
    const char *note;             /* what could not be done; "" if nothing */
    uint64_t reserved[8];
} thr_certify_report;

/* A rule, what is promised of it, and what it does. Bounds are on updates, or on mistakes where
 * `on_mistakes`. On separable data they hold for any number of passes, else for one. */
typedef struct thr_certify_rule {
    const char *learner; /* as the setting has it */
    const char *theorem; /* the bound as a formula; or why there is none */
    bool on_mistakes;
    double bound;               /* NaN: none is known */
    double hindsight;           /* ... beside the best comparator found, one pass; NaN: none */
    bool vacuous;               /* the bound exceeds the number of examples */
    bool holds;                 /* what it bounds does not exceed it */
    uint64_t mistakes, updates; /* one pass */
    double ratio;               /* of what the bound is on, in one pass, to the bound */
    bool repeated;              /* passes were made until nothing changed: */
    bool converged;             /* the last one changed nothing (on_mistakes: made no mistake) */
    unsigned passes;
    uint64_t all_mistakes, all_updates;
    uint64_t reserved[4];
} thr_certify_rule;

typedef struct thr_certify thr_certify;
/* `s` has the settings that say what the features are. Everything is kept in memory. */
THR_API thr_certify *thr_certify_new(const thr_settings *s, thr_input *in,
                                     const thr_certify_options *o, thr_error *err);
THR_API void thr_certify_free(thr_certify *c);
THR_API void thr_certify_about(const thr_certify *c, thr_certify_report *out);
THR_API bool thr_certify_rule_at(const thr_certify *c, size_t i, thr_certify_rule *out);
THR_API void thr_certify_reading(const thr_certify *c, thr_reading *out);
/* The certificate as text (docs/certificate-format.md); NULL where nothing is proved. */
THR_API const char *thr_certify_text(const thr_certify *c, size_t *size);

/* What a certificate proves; NaN for an end it does not speak of. */
typedef struct thr_checked {
    bool separable, inseparable; /* one of them at most */
    double gamma_low, gamma_high, g_low, g_high;
    uint64_t examples, features;
    size_t labels;
    uint64_t reserved[8];
} thr_checked;
/* Reads the data as the certificate says and checks it, in exact arithmetic and without what found
 * the proof. THR_EDATA with the first thing that is wrong. `file` is a name for messages. Checking
 * may take 120 seconds, or as many as the second function is told (0: no limit), not counting the
 * time for reading the data. */
THR_API int thr_certificate_verify(const void *text, size_t size, const char *file, thr_input *in,
                                   thr_progress_fn *progress, void *user, thr_checked *out,
                                   thr_error *err);
THR_API int thr_certificate_verify_within(double seconds, const void *text, size_t size,
                                          const char *file, thr_input *in,
                                          thr_progress_fn *progress, void *user, thr_checked *out,
                                          thr_error *err);

/* ---- 5. lab ------------------------------------------------------------------------------ */

/* Experiments: what theory claims, tried on seeded data and against adversaries. */
typedef struct thr_lab thr_lab; /* what came of one */

typedef struct thr_lab_info {
    const char *name, *title, *claim;
    uint64_t reserved[4];
} thr_lab_info;

typedef struct thr_lab_options {
    uint64_t seed;             /* of all data; same seed, same figures */
    unsigned threads;          /* 0: one per core; the result is the same */
    thr_progress_fn *progress; /* `bytes` of `total_bytes` is the share that is done */
    void *user;
    uint64_t reserved[8];
} thr_lab_options;

THR_API bool thr_lab_at(size_t i, thr_lab_info *out); /* false past the last */
/* A negative return stops and is passed on. */
typedef int thr_lab_fn(void *user, const thr_lab *l);
/* `fn` is called for each experiment, in the order of the names, when all are done. */
THR_API int thr_lab_run(const char *const *names, size_t n, const thr_lab_options *o,
                        thr_lab_fn *fn, void *user, thr_error *err);

typedef struct thr_lab_claim {
    const char *text;
    const char *relation; /* `worst` must stand to `bound` as "<=", ">=" or "=" says */
    double bound, worst;
    bool holds;
    uint64_t reserved[4];
} thr_lab_claim;

enum thr_series_kind {
    THR_CURVE, /* points, joined */
    THR_BOUND, /* what theory says: a dashed line */
    THR_DOTS,
    THR_BARS,
};

typedef struct thr_series {
    const char *name;
    enum thr_series_kind kind;
    const double *x, *y;
    size_t n;
    uint64_t reserved[4];
} thr_series;

typedef struct thr_lab_chart {
    const char *title, *x, *y; /* and what the axes are called */
    bool log_x, log_y;
    const char *const *categories; /* names of x = 0, 1, 2, ..., ended by NULL; NULL: numbers */
    uint64_t reserved[4];
} thr_lab_chart;

THR_API void thr_lab_about(const thr_lab *l, thr_lab_info *out);
THR_API bool thr_lab_holds(const thr_lab *l); /* every claim does */
THR_API bool thr_lab_claim_at(const thr_lab *l, size_t i, thr_lab_claim *out);
THR_API bool thr_lab_chart_at(const thr_lab *l, size_t i, thr_lab_chart *out);
THR_API bool thr_lab_series_at(const thr_lab *l, size_t chart, size_t i, thr_series *out);
THR_API const char *thr_lab_note(const thr_lab *l, size_t i); /* a paragraph; NULL: no more */

#ifdef __cplusplus
}
#endif
#endif
