/* thresh: online learning of linear threshold functions over sparse, open-ended features.
 *
 * The whole public interface, from simple to advanced:
 *
 *   1. errors              a code, a place, a sentence
 *   2. settings            everything that shapes a model, as named values
 *   3. inputs              files, pipes and memory in any format, as one stream
 *   4. models              new, open, save, and what is in them
 *   5. whole streams       train, predict, test, convert, lint
 *   6. batches             examples from the caller's own arrays
 *   7. data in memory      an input read once, to look at and to train on; batches and files
 *                          written
 *   8. comparisons         races, cross-validation, search over a learner's options, two models
 *   9. tables              learners, formats and settings, to walk
 *
 * thresh_theory.h has the rest: generators, experts, concepts, certificates and experiments.
 *
 * Functions that can fail return 0 or a negative thr_code, or NULL in the place of an object, and
 * fill `err`, which may be NULL. Those without `err` cannot fail, but for `_new` functions, whose
 * NULL means that there is no memory, and for the filling of a batch, which remembers a failure.
 * Strings returned are borrowed until the handle they came from is next changed or freed.
 * `_free(NULL)` is legal. The library never prints, exits or keeps global state.
 *
 * Threads. Different objects have nothing to do with each other. Of one object:
 *
 *   thr_model       any number of threads at once may call functions that take it const. A function
 *                   that takes it otherwise (training, learning, declaring labels, pruning,
 *                   freeing) must be the only call on that model while it runs. Readers that must
 *                   not wait for it use a snapshot (thr_model_snapshot), which never changes.
 *   thr_settings, thr_input, thr_batch, thr_scratch, thr_grid, thr_output, thr_newfile, thr_feed
 *                   belong to one thread at a time: they may be handed over, but two calls on one
 *                   of them must not overlap. That holds for scoring too: it takes the model
 *                   const, but writes into the batch (numbers of features) and into the scratch.
 *   thr_data, thr_metrics, thr_contest, thr_cv, thr_diff
 *                   are results: once made they only change when they are freed, and any number of
 *                   threads may read them. A thr_diff reads its two models.
 *
 * Callbacks run in the thread that made the call, but for thr_read_fn, which says so. They must not
 * use the objects of that call otherwise.
 *
 * Structs. Option structs (`thr_..._options` and the like) are set to zero, `= {0}`, and then
 * filled in: a field that is 0 has the default that its comment states, and NULL in the place of
 * the whole struct means all defaults. Structs that the library fills in are overwritten
 * completely. Both kinds end in `reserved`, into which later versions of the same soname grow: the
 * library sets it to 0 in what it fills in, and refuses options with something else there
 * (THR_EUSE), since they ask for what it does not have. Structs that are only passed to a callback
 * by pointer (thr_progress, thr_update, thr_trace_step, thr_changed) have no `reserved`: they may
 * grow at their end. thr_error never changes. */
#ifndef THRESH_H
#define THRESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_API __attribute__((visibility("default")))

/* The version of this header. thr_version() returns that of the library in use, as THR_VERSION
 * writes it. */
#define THR_VERSION_MAJOR 0
#define THR_VERSION_MINOR 1
#define THR_VERSION_PATCH 0
#define THR_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. errors ---------------------------------------------------------------------------- */

enum thr_code {
    THR_OK = 0,
    THR_EDATA = -1,   /* the input is bad: file, line and column are set where known */
    THR_EMODEL = -2,  /* the model file is bad */
    THR_EIO = -3,     /* the system refused */
    THR_EMEM = -4,    /* out of memory */
    THR_EUSE = -5,    /* a setting or a call is wrong */
    THR_ECANCEL = -6, /* the progress callback asked to stop */
};

typedef struct thr_error {
    int code;
    uint64_t line, column; /* from 1; 0 where there is none */
    char file[512];
    char message[768];
} thr_error;

/* Writes `file:line:column: message`, leaving out what is not known. Returns its length. */
THR_API size_t thr_error_text(const thr_error *err, char *out, size_t room);

/* "Did you mean": begin with {0} and offer the candidates one by one. Then `word` is the nearest
 * one, borrowed, or NULL if none is near enough. */
typedef struct thr_suggestion {
    const char *word;
    size_t distance;
} thr_suggestion;
THR_API void thr_suggest(thr_suggestion *n, const char *word, const char *candidate);

/* Text from data, such as a name or a label, as it may be shown: control characters, bytes that are
 * not UTF-8, line separators and marks that change the direction of text are written as \n, \t, \r
 * or \xNN for each byte, and a backslash as two; anything else stays. Returns the length of the
 * whole result, of which as much is in `out` as fits, ended by a NUL; room 0: nothing is written.
 */
THR_API size_t thr_escape(const char *text, char *out, size_t room);

/* ---- 2. settings -------------------------------------------------------------------------- */

/* Named values with defaults, checked as they are set. The names are walked with
 * thr_setting_at; `learner` is written `name` or `name:key=value,...`. */
typedef struct thr_settings thr_settings;

THR_API thr_settings *thr_settings_new(void);
THR_API void thr_settings_free(thr_settings *s);
THR_API thr_settings *thr_settings_copy(const thr_settings *s);
THR_API int thr_settings_set(thr_settings *s, const char *name, const char *value, thr_error *err);
/* The value in force, or NULL for an unknown name. */
THR_API const char *thr_settings_get(const thr_settings *s, const char *name);
/* Whether it was set by hand. */
THR_API bool thr_settings_given(const thr_settings *s, const char *name);

/* ---- 3. inputs ---------------------------------------------------------------------------- */

enum thr_on_error {
    THR_STOP,   /* the first problem ends the run */
    THR_SKIP,   /* lines with problems are left out and counted */
    THR_REPORT, /* as THR_SKIP; each problem goes to the callback (lint) */
};

/* One stream of examples: several files, pipes or memory areas, read in order. */
typedef struct thr_input thr_input;
typedef void thr_problem_fn(void *user, const thr_error *problem);

THR_API thr_input *thr_input_new(void);
THR_API void thr_input_free(thr_input *in);
/* `-` is standard input. The file is opened when it is reached. */
THR_API int thr_input_add_file(thr_input *in, const char *path, thr_error *err);
/* The bytes must outlive the input. */
THR_API int thr_input_add_memory(thr_input *in, const void *bytes, size_t size, const char *name,
                                 thr_error *err);
/* Bytes that a function delivers: up to `room` of them into `to`, at least one. It returns their
 * number, 0 at the end, or a negative code, which ends the run and is passed on. It is called by
 * one thread at a time, but with several threads (thr_input_set_threads) not by the caller's.
 * Compressed data is recognised as in files. What it delivers can be read once: several passes keep
 * the examples in memory. */
typedef int64_t thr_read_fn(void *user, void *to, size_t room);
THR_API int thr_input_add_reader(thr_input *in, thr_read_fn *read, void *user, const char *name,
                                 thr_error *err);
/* Of every file and memory area only the records of one shard, numbered from 0 to shards - 1. What
 * follows the header is cut into `shards` equally long pieces, and a record belongs to the piece
 * that its first byte lies in; so each belongs to exactly one shard, and a shard may be empty. The
 * format is detected, and a header read, at the start of the file. Lines are numbered from the
 * shard's first record on.
 * Where a record is a line, the shard is found by looking for a line end. In CSV, where quotes may
 * hold line ends, all records before the shard are read to find it, but not parsed. Pipes,
 * callbacks, compressed data and caches cannot be cut, and are refused when they are reached. */
THR_API int thr_input_set_shard(thr_input *in, unsigned shard, unsigned shards, thr_error *err);
/* NULL or "auto": detected by content, file by file. */
THR_API int thr_input_set_format(thr_input *in, const char *format, thr_error *err);
/* Columns of CSV and tab-separated text, by name or by number from 1, and keys of JSON lines:
 * `label=1,text=subject+body,id=key,importance=cost,skip=notes`. */
THR_API int thr_input_set_columns(thr_input *in, const char *columns, thr_error *err);
THR_API void thr_input_set_max_line(thr_input *in, size_t bytes);
/* Ceilings against inputs that would take far more memory than their size suggests. They are not
 * part of what is learned and are not saved; an error says which one was met. An example may have
 * so many features made by crosses and conjunctions (default 1,048,576). Training ends with an
 * error where a model would get more labels (default 10,000), or where its names and weights would
 * take more bytes of memory than given. By default, and with 0, there is no such limit. Counted are
 * the names, the tables that find them, and the rows of weights of all members; nothing else is.
 * Cross-validation and search apply the limits to each model that they train. */
THR_API void thr_input_set_max_active(thr_input *in, size_t features);
THR_API void thr_input_set_max_labels(thr_input *in, size_t labels);
THR_API void thr_input_set_memory(thr_input *in, uint64_t bytes);
THR_API void thr_input_set_threads(thr_input *in, unsigned threads); /* 0: one per core */
THR_API void thr_input_set_labelled(thr_input *in, bool labelled);   /* false: no label field */
/* True: a file may have no labels. Whether it has is decided by its header or its first record, for
 * the whole file; thr_reading counts the files that have none. */
THR_API void thr_input_set_detect_labels(thr_input *in, bool on);
/* True: an example without a label has the empty set of labels, for thr_lint and thr_convert. What
 * trains and predicts follows the setting `multilabel`. */
THR_API void thr_input_set_empty_sets(thr_input *in, bool on);
THR_API void thr_input_set_strict(thr_input *in, bool strict); /* invalid UTF-8 is an error */
THR_API void thr_input_set_on_error(thr_input *in, enum thr_on_error mode, thr_problem_fn *fn,
                                    void *user);
THR_API size_t thr_input_max_line(const thr_input *in);

/* The bytes of an input as they are, but unpacked, for a caller that has a format of its own. Each
 * file comes in pieces, the last of which is empty; they are valid until the callback returns. A
 * negative return stops and is passed on. */
typedef struct thr_piece {
    const char *file;
    const char *bytes;
    size_t size;
    bool first, last; /* of its file */
} thr_piece;
typedef int thr_piece_fn(void *user, const thr_piece *p);
THR_API int thr_input_pieces(const thr_input *in, thr_piece_fn *fn, void *user, thr_error *err);

/* ---- 4. models ---------------------------------------------------------------------------- */

typedef struct thr_model thr_model;
typedef struct thr_scratch thr_scratch;

typedef struct thr_stats {
    uint64_t examples;  /* learned from, over all passes */
    uint64_t mistakes;  /* of the prediction shown, made before the label was used */
    uint64_t updates;   /* of the rule */
    uint64_t shuffles;  /* shuffled passes so far: the order of the next depends on it */
    uint64_t features;  /* known, the bias not counted */
    uint64_t waiting;   /* ... of these, that have come less than min-count times */
    uint64_t evicted;   /* dropped to stay within max-features, over all passes */
    uint64_t labels;    /* known */
    double mean_active; /* features of an example */
    double max_norm2;   /* R: largest Euclidean length of an example, bias counted in */
    double max_norminf; /* X: largest absolute value */
    double mean_squared, mean_absolute; /* a regressor's errors, before the label was used */
    uint64_t hash_slots, hash_used, hash_shared; /* with hash_bits: slots, used, shared */
    double hash_names;       /* different names, estimated; at least, if all slots are used */
    double hash_shared_mass; /* share of the weight mass in shared slots */
    /* The slope a of the sigmoid: with two labels P = 1/(1 + exp(-(a s + b))), with more P of a
     * label is proportional to exp(a s + b). s is the score, divided by the example's extent
     * (thr_working) unless the slope was given; for a panel that mixes, the sum of its members'
     * log-odds. */
    double slope;
    bool slope_given; /* by the setting slope */
    uint64_t reserved[6];
} thr_stats;

THR_API thr_model *thr_model_new(const thr_settings *s, thr_error *err);
/* Gives a model back; of a snapshot, one reference to it. */
THR_API void thr_model_free(const thr_model *m);

/* The model as it is at this moment: an immutable model that any number of threads may predict
 * with, explain, save and clone, each with a scratch of its own, while one thread goes on learning
 * in `m`. Saving it gives the bytes that saving `m` now would give.
 *
 * To take one costs what small state there is (settings, labels, calibration); a snapshot shares
 * the rest with `m`, and what `m` changes afterwards is copied first, in pieces of about a thousand
 * features. Exceptions: `knn` copies its counts of fields; with max-features an eviction copies all
 * weights; with a budget (`kernel`) the first example that is forgotten copies those kept.
 *
 * It belongs to the thread that learns in `m`, between two calls that do, and is not for the
 * callback of an update. The result has one reference, which thr_model_free gives back. */
THR_API const thr_model *thr_model_snapshot(thr_model *m, thr_error *err);
/* One reference more to a snapshot; returns it. */
THR_API const thr_model *thr_model_retain(const thr_model *snapshot);
/* A model that can be taught without `m` noticing: it shares memory as a snapshot does. A snapshot
 * can be cloned by any thread; another model as long as nobody teaches it. */
THR_API thr_model *thr_model_clone(const thr_model *m, thr_error *err);
/* `to_train`: every byte is read into memory and checked; otherwise learning is refused. A model of
 * 64 MiB or more that is opened for predicting is mapped, and so must not be changed in place while
 * it is open: calls that use it then fail with THR_EMODEL, and a file that is cut short may raise
 * SIGBUS, for which the library installs no handler. Replacing the file by a rename, as saving
 * does, is no change: the model keeps the old one. */
THR_API thr_model *thr_model_open(const char *path, bool to_train, thr_error *err);
THR_API thr_model *thr_model_load(const void *bytes, size_t size, thr_error *err);
/* `lean` keeps only what predicting needs; such a model cannot be trained further. */
THR_API int thr_model_save(const thr_model *m, const char *path, bool lean, thr_error *err);
/* *bytes is malloc'ed and becomes the caller's. */
THR_API int thr_model_dump(const thr_model *m, bool lean, void **bytes, size_t *size,
                           thr_error *err);

/* Several models as one, by name: features and labels are those of all, numbered in the order of
 * their first appearance, and each rule mixes in its own way (docs/THEORY.md). A model's share of
 * the result goes by its weight, above 0; NULL: by the number of examples it has learned from. The
 * result predicts, explains and learns on. THR_EUSE with the setting that differs where models
 * cannot be mixed.
 *
 * `base`: the model that all of them were trained further from, or NULL for none. What it has
 * learned is then counted once: the result is the base and what each model has added to it. Shares
 * go by the examples since the base, and the numbers of its features and labels stay. THR_EUSE
 * where a model was not trained from the base, as far as that can be seen. */
THR_API thr_model *thr_model_mix(const thr_model *const *models, size_t n, const double *weights,
                                 const thr_model *base, thr_error *err);

/* The same ceilings for thr_learn, thr_promote, thr_demote and thr_model_declare_label; 0, the
 * default: none. A call that would lead beyond one is an error (THR_EDATA) and changes nothing in
 * the model. Training on an input replaces them by those of the input. */
THR_API void thr_model_set_max_labels(thr_model *m, size_t labels);
THR_API void thr_model_set_memory(thr_model *m, uint64_t bytes);
/* After thr_learn: rules that are made from all examples at once (`rules`) are made anew, so that
 * predictions follow all of them. thr_train and saving do so by themselves; learning may go on. */
THR_API int thr_model_finish(thr_model *m, thr_error *err);

/* 0 if predictions change only when the rule updates: what stands between two updates is then one
 * hypothesis. Else THR_EUSE, with the reason. */
THR_API int thr_model_conservative(const thr_model *m, thr_error *err);

THR_API void thr_model_stats(const thr_model *m, thr_stats *out);
THR_API const char *thr_model_setting(const thr_model *m, const char *name);
/* Whether it predicts numbers. Such a model has no labels: where a value is given for each label,
 * it gives one. */
THR_API bool thr_model_regression(const thr_model *m);
/* Labels may be declared; those met later are added all the same. Returns its number. */
THR_API int thr_model_declare_label(thr_model *m, const char *name, thr_error *err);
THR_API size_t thr_model_labels(const thr_model *m);
THR_API const char *thr_model_label(const thr_model *m, size_t label);
/* The number of a label, by its name as thr_model_label gives it; -1 if it is not known. */
THR_API int thr_model_find_label(const thr_model *m, const char *name);
/* Of two labels the one that counts as positive, else -1. */
THR_API int thr_model_positive(const thr_model *m);
/* Several labels per example: the probability from which on a label is predicted, given or learned
 * (setting `threshold`); else NaN. */
THR_API double thr_model_threshold(const thr_model *m, size_t label);

/* Features are numbered from 0 in the order of their first appearance; number 0 is the bias.
 * `thr_model_feature` writes `namespace|name` or `name` and returns its whole length. */
THR_API size_t thr_model_features(const thr_model *m);
THR_API size_t thr_model_feature(const thr_model *m, size_t feature, char *out, size_t room);
/* The number of a feature: its name and its namespace, NULL or "" for none. Integer keys are
 * written in decimal. With hash_bits it is the slot that the name falls into. Not known:
 * THR_UNKNOWN_FEATURE, which is no failure. */
#define THR_UNKNOWN_FEATURE ((size_t)-1)
THR_API int thr_model_find_feature(const thr_model *m, const char *ns, const char *name,
                                   size_t *feature, thr_error *err);
/* The effective weight of a feature for each label, as predictions use it; of THR_UNKNOWN_FEATURE,
 * what one never met in training weighs. A rule that is not linear returns THR_EUSE. `weights` has
 * room for all labels, and for one at least. thr_work_out shows what scores are made of, to the
 * bit. */
THR_API int thr_model_weights(const thr_model *m, size_t feature, double *weights, thr_error *err);
/* Whether weights of features are what predictions come from; else there are none. A panel that
 * mixes linear rules has the weights of the mixture, by which log-odds are computed from the values
 * of an example divided by its length; of two labels each has its lead over the other. For any
 * other panel the heaviest member speaks, here and below. */
THR_API bool thr_model_linear(const thr_model *m);
/* Whether thr_explain has something to say: weights, rules that fired or nearest examples. */
THR_API bool thr_model_explains(const thr_model *m);
/* Examples kept by a rule that predicts from examples: those of one label, or of all (-1). */
THR_API uint64_t thr_model_kept(const thr_model *m, int label);

/* The list of a rule that makes one (`rules`): the label it starts from, NULL for other rules and
 * before the first example; then its rules in order: an example with `feature` that is `from` so
 * far becomes `to`. */
typedef struct thr_list_rule {
    size_t feature;
    const char *from, *to;
    double gain; /* training errors it mended, less those it made; examples count by importance */
    uint64_t reserved[4];
} thr_list_rule;

THR_API const char *thr_model_list_start(const thr_model *m);
THR_API bool thr_model_list_rule(const thr_model *m, size_t i, thr_list_rule *out);

/* The formula of a rule that learns one (`eliminate`), for a label: literals joined by & or |, `!`
 * before negated ones, at most `most` of them and then how many more there are; `true` or `false`
 * without any. What it says of features never met stands in parentheses. Writes as snprintf does
 * and returns the whole length; 0: this label has no formula of its own, as the second of two, or
 * there is no memory for it, which `err` then says. */
THR_API bool thr_model_has_formula(const thr_model *m);
THR_API size_t thr_model_formula(const thr_model *m, size_t label, size_t most, char *out,
                                 size_t room, thr_error *err);
/* Drops features. What is dropped is as good as never seen: the rules take it out of their sums,
 * and it may be learned anew. A feature weighs what the scores change by, at most, when it is taken
 * for one never seen: max over labels l of |d_l - mean d|, d_l its weight less that of an unseen
 * feature; in a panel, the greatest over the members, each measured by its heaviest feature.
 * Without any option set nothing is dropped, and the model is checked only. */
typedef struct thr_prune_options {
    double least;    /* drop what weighs less */
    uint64_t top;    /* keep only the so many heaviest, the newer of equals; 0: all */
    double top_mass; /* keep the most frequent ones that make up this share of all occurrences, in
                      * (0, 1]; 0: all. The model must have been trained with min-count. */
    uint64_t reserved[8];
} thr_prune_options;
/* `dropped` (may be NULL) gets their number. Examples learned before are not recognised when they
 * are met again. */
THR_API int thr_model_prune(thr_model *m, const thr_prune_options *o, uint64_t *dropped,
                            thr_error *err);

/* A panel's experts: its members, then, if it votes, their blend. Mistakes are those on examples
 * met for the first time.
 *
 * A panel that votes has a bound on its own mistakes there. A panel that mixes has one on its log
 * loss, the sum of -log of the true label's probability: that of any fixed mixture in which each of
 * the K members has at least the weight 1/(2K) is at least log_loss - regret, and a wrong answer
 * costs at least log 2.
 * These are sums over the examples met for the first time; where labels come in bursts, an example
 * with the label of the one before counts less, and `counted` is the sum of the counts. `examples`
 * includes the few examples of a second pass that come before the repetition is noticed; `first` is
 * the number without them. */
typedef struct thr_expert {
    const char *name;
    uint64_t mistakes;
    double weight;   /* share of the vote, or weight in the mixture; they sum to 1 */
    uint64_t paused; /* examples learned when the member was paused; 0: it is not */
    uint64_t reserved[3];
} thr_expert;

typedef struct thr_panel_report {
    uint64_t examples, mistakes;
    size_t best;           /* the expert with the fewest mistakes */
    size_t best_member;    /* ... among the members */
    double bound;          /* on the mistakes of the weighted vote */
    double expected;       /* mistakes expected of one expert drawn by weight */
    double expected_bound; /* on these */
    bool drawn;            /* the answers are those of the drawn expert */
    bool mixed;            /* the panel mixes; the bounds above are of a vote */
    bool one_function;     /* ... linear rules only, so that its decision is linear too */
    bool estimated;        /* `first` is an estimate: the stream has repeated itself */
    double counted, log_loss, regret;
    uint64_t first; /* examples met for the first time */
    uint64_t reserved[3];
} thr_panel_report;

THR_API size_t thr_model_experts(const thr_model *m); /* 0: not a panel */
THR_API bool thr_model_expert(const thr_model *m, size_t i, thr_expert *out);
/* Members that a panel that mixes has paused, because they had no weight and made more mistakes
 * than others (docs/THEORY.md). They are neither experts nor members any more. `mistakes` counts
 * theirs until then; `weight` is 0. */
THR_API bool thr_model_paused(const thr_model *m, size_t i, thr_expert *out);
THR_API bool thr_model_panel(const thr_model *m, thr_panel_report *out);
/* The best member becomes the whole model; the others go. */
THR_API int thr_model_keep_best(thr_model *m, thr_error *err);

/* The rules of a model by name: one, or a panel's members in the order of thr_model_expert. The
 * weights are as in thr_model_weights, of that rule. */
THR_API size_t thr_model_members(const thr_model *m);
THR_API const char *thr_model_member(const thr_model *m, size_t member);
THR_API int thr_model_member_weights(const thr_model *m, size_t member, size_t feature,
                                     double *weights, thr_error *err);

/* Why a weight is what it is: what one example did to one rule. Changes are those that the step
 * made in the weights learning works with: before they are averaged, and without what the passing
 * of time does to all weights (penalties, the shrinking of pegasos, the growing totals of bayes).
 * Of rules that add and do not shrink, the changes of a feature add up to its weight. */
typedef struct thr_moved {
    const char *label;    /* for which the function speaks; NULL: not met yet, or it is a number */
    const char *against;  /* the label that loses what it gains; NULL: none, or not met yet */
    bool shared;          /* one function serves two labels, met or not */
    double margin;        /* by which the right side led; NaN for a rule that does not ask */
    double step;          /* signed; the example's importance for a rule that does not ask */
    const double *change; /* of each feature's weight, 0 where it did not move; NULL: no weights */
    uint64_t reserved[4];
} thr_moved;

typedef struct thr_update {
    uint64_t example;      /* from 1, as the model counts those it learned from */
    const char *file;      /* NULL for batches */
    uint64_t line;         /* 0 for batches */
    const char *tag;       /* "" where there is none */
    const char *rule;      /* by its name in thr_model_member */
    const char *truth;     /* the label, as it was read; the one that was pushed */
    int pushed;            /* 0; or nothing was said of the truth, and the label was promoted, 1, or
                            * demoted, -1 */
    double target;         /* ... as a number, for a regressor; else NaN */
    const char *predicted; /* by this rule, before it learned; NULL: none that is known, a number */
    double score;          /* of the label predicted; a regressor's prediction */
    bool multilabel;       /* several labels may be true, `score` is the greatest, and: */
    const char *const *set;
    size_t n_set;              /* what this rule predicted, in the order of the model's labels */
    const char *const *truths; /* as in the input; the one that was pushed */
    size_t n_truths;
    bool kept;       /* the rule keeps examples, and kept this one */
    double rescaled; /* not 1: one function has become one for each of its two labels, and all that
                      * was learned before is multiplied by this; there may be no moves then */
    const uint32_t *features; /* of the example, by number; one that comes again is left out */
    size_t n_features;
    const thr_moved *moves;
    size_t n_moves;
} thr_update;

/* Called after each update of a rule, by thr_train (thr_train_options) and, for a scratch that was
 * told to (thr_scratch_on_update), by thr_learn, thr_promote and thr_demote. A negative return
 * stops and is passed on. */
typedef int thr_update_fn(void *user, const thr_update *u);

/* ---- 5. whole streams --------------------------------------------------------------------- */

typedef struct thr_progress {
    uint64_t bytes, total_bytes; /* read so far; 0 where the size is not known */
    uint64_t examples;           /* in this call */
    uint64_t mistakes;
    double mean_squared; /* of a regressor's errors; NaN where labels are predicted */
    unsigned pass;       /* from 1 */
} thr_progress;

/* Called now and then from the calling thread; a true return stops with THR_ECANCEL. Training that
 * is stopped so has learned from whole examples, but may know names of later ones already. */
typedef bool thr_progress_fn(void *user, const thr_progress *p);

/* What reading met, beside examples. */
typedef struct thr_reading {
    uint64_t skipped;       /* lines left out by THR_SKIP */
    uint64_t bad_utf8;      /* bytes of running text that are not UTF-8 */
    char formats[64];       /* formats read, comma-separated */
    uint64_t nul_bytes;     /* NUL characters in running text */
    char unmatched[128];    /* crosses that matched no example, comma-separated */
    char namespaces[256];   /* where there are such crosses: the namespaces met, comma-separated */
    uint64_t unlabelled;    /* files found to have no labels, where that is detected */
    uint64_t never_negated; /* 1: no example has a feature that the setting `negate` names */
    uint64_t reserved[6];
} thr_reading;

/* Tells of a temporary file: its path when it has been made, NULL when it is gone. A caller that
 * ends the process in a signal handler removes it there. */
typedef void thr_temporary_fn(void *user, const char *path);

typedef struct thr_train_options {
    unsigned passes;  /* 0: 1, or with until_clean at most 1000 */
    bool until_clean; /* stop when the weights make no mistake on the data; `passes` is the limit.
                       * Not for regressors: no error of theirs is quite 0 */
    bool shuffle;     /* pass e visits the examples in an order given by (seed, e) */
    bool in_order;    /* for thr_cv and thr_tune, which shuffle: visit examples as they come */
    uint64_t seed;
    double pac_eps, pac_delta; /* not 0, both in (0, 1): stop as soon as the hypothesis at hand has
                                * been right for long enough (thr_pac_report). One pass only, by a
                                * new model, and only where thr_model_conservative */
    thr_progress_fn *progress;
    void *user;
    thr_update_fn *on_update; /* called after each update of a rule, or NULL */
    void *update_user;
    /* A cache of the data, for the next time: read instead of it where it was made from the same
     * data with the same settings, else made in passing, beside its place under a temporary name
     * until it is complete. NULL: none. The model is the same. */
    const char *cache;
    /* Without one, several passes make a temporary cache of at most so many bytes and read the data
     * once. 0: none. */
    uint64_t cache_limit;
    thr_temporary_fn *on_temporary; /* called for the temporary file of `cache`, or NULL */
    void *temporary_user;
    uint64_t reserved[6];
} thr_train_options;

/* Training on examples drawn independently from one source, until there is something to promise:
 * the i-th hypothesis (any mistake or update begins a new one) is accepted when it has been right
 * on (1/eps) ln(i(i+1)/delta) examples in a row. Then, with probability at least 1 - delta over the
 * draw of the examples, it errs on at most eps of further examples from the same source. */
typedef struct thr_pac_report {
    bool accepted;       /* false: the examples ended first, and nothing is promised */
    uint64_t hypothesis; /* the one at hand, from 1 */
    uint64_t needed;     /* examples in a row it must be right on */
    uint64_t survived;   /* that it was */
    uint64_t reserved[8];
} thr_pac_report;

typedef struct thr_train_report {
    uint64_t examples, mistakes, updates; /* of this call, over all its passes */
    uint64_t last_pass_mistakes;
    double mean_squared, mean_absolute; /* a regressor's errors, before the label was used */
    unsigned passes;
    bool clean;         /* the last pass made no mistake and, with until_clean, the weights that
                         * it ended with make none either; never of a regressor */
    thr_pac_report pac; /* where pac_eps was given */
    thr_reading reading;
    /* A run is a stretch of examples with the same label. The first pass had label_runs of them; a
     * random order would have expected_label_runs. `bursts` means that there were far fewer, so
     * that the mistakes say little about other examples. All three are 0 for a regressor and for
     * multi-label data. */
    uint64_t label_runs;
    double expected_label_runs;
    bool bursts;
    /* The number of labels if these look like numbers to be predicted, for which a regressor would
     * serve better: more than 100, all of them numbers, and some not whole or more than one for 20
     * examples. Else 0. */
    uint64_t numeric_labels;
    uint64_t sentences; /* learned; 0: examples are no tokens of sentences */
    uint64_t reserved[3];
} thr_train_report;

/* On failure the model is in a valid but unspecified state: do not save it. */
THR_API int thr_train(thr_model *m, thr_input *in, const thr_train_options *o,
                      thr_train_report *report, thr_error *err);

/* ---- sentences ----
 *
 * A model with the setting `decode` tags the tokens of a sentence together: each tag depends on the tags
 * before it. thr_train trains it on data with sentences, such as the format conll. */

/* A sentence and the tags that were predicted for its tokens. */
typedef struct thr_tagged {
    size_t tokens;
    const char *const *tag;   /* predicted, in the scheme of the data; NULL: none is known */
    const char *const *truth; /* the true ones; NULL: not known */
    const char *const *text;  /* the bytes that a token was read from, in the form of its file: its */
    const size_t *text_n;     /* columns without a line end, behind lines that are no tokens */
    const char *tail;         /* lines behind the last token that are no tokens, without the last line end; */
    size_t tail_n;            /* 0: there are none */
    double score;             /* of the tags together */
    const double *probability; /* of each predicted tag; NULL: not asked for */
    size_t best;               /* the best taggings, if they were asked for; else 0 */
    const struct thr_tagging_found {
        const char *const *tag;
        double score, probability; /* probability: NaN if it was not asked for */
    } * found;
    const char *format; /* that the sentence was read as */
    const char *file;
    uint64_t line; /* of the first token */
    uint64_t reserved[4];
} thr_tagged;

/* Called for each sentence; not 0 stops the run and is returned. The sentence is valid until it returns. */
typedef int thr_tagged_fn(void *user, const thr_tagged *s);

typedef struct thr_sequence_options {
    bool probabilities; /* needs a rule that has them: logistic */
    unsigned best;      /* also find so many of the best taggings of each sentence; 0: none */
    uint64_t reserved[4];
} thr_sequence_options;

/* Tags an input. `o`, `progress` and `reading` may be NULL. */
THR_API int thr_sequence_predict(const thr_model *m, thr_input *in, const thr_sequence_options *o,
                                 thr_tagged_fn *fn, void *user, thr_progress_fn *progress,
                                 void *progress_user, thr_reading *reading, thr_error *err);
/* Whether a model tags sentences, and whether it has probabilities for them. */
THR_API bool thr_model_tags(const thr_model *m);
THR_API bool thr_model_tags_with_probabilities(const thr_model *m);

/* Why a token has its tag: what each feature of the sentence adds to the lead of the predicted tags over the
 * best ones in which this token has another tag. */
typedef struct thr_tag_part {
    const char *space;  /* "after TAG" of a feature of two tags in a row; else "" */
    const char *name;   /* NULL: the bias */
    long at;            /* the token that has it, from this one: 0, or where other tags change, too */
    double lead;
} thr_tag_part;
typedef struct thr_tag_reasons {
    const char *tag, *against; /* against: NULL if no other is allowed */
    double lead;               /* INFINITY then */
    size_t n;
    const thr_tag_part *part; /* the greatest first */
} thr_tag_reasons;
/* Called for each sentence, with an entry of `reasons` for each token. */
typedef int thr_tagged_reasons_fn(void *user, const thr_tagged *s, const thr_tag_reasons *reasons);
/* Explains the tags of an input, for a model that tags a sentence as a whole. `reading` may be NULL. */
THR_API int thr_sequence_explain(const thr_model *m, thr_input *in, thr_tagged_reasons_fn *fn,
                                 void *user, thr_reading *reading, thr_error *err);

/* How well an input is tagged. */
typedef struct thr_chunks thr_chunks;
typedef struct thr_chunk_counts {
    const char *type;                  /* NULL: all types together */
    uint64_t truths, predicted, right; /* chunks */
    double precision, recall, f1;      /* 0 where there is nothing to divide by */
} thr_chunk_counts;
typedef struct thr_tagging {
    uint64_t sentences, exact; /* exact: with every tag right */
    uint64_t tokens, right;
    size_t types;         /* of chunks; 0: tags are not those of chunks */
    thr_chunk_counts all; /* chunks of all types */
    uint64_t reserved[4];
} thr_tagging;

/* `fn`, which may be NULL, is told of each sentence. NULL on failure. */
THR_API thr_chunks *thr_sequence_test(const thr_model *m, thr_input *in, thr_tagged_fn *fn, void *user,
                                      thr_progress_fn *progress, void *progress_user,
                                      thr_reading *reading, thr_error *err);
THR_API void thr_chunks_free(thr_chunks *c);
THR_API void thr_chunks_report(const thr_chunks *c, thr_tagging *out);
/* Type i < types, in the order of first appearance. */
THR_API void thr_chunks_type(const thr_chunks *c, size_t i, thr_chunk_counts *out);

/* Training one step at a time, for who wants to follow it by hand: what one example met, was told
 * and moved. Where one function serves two labels there is one column, of `positive`; else there
 * is one for each label known. */
typedef struct thr_trace_step {
    uint64_t number; /* from 1, over all passes */
    unsigned pass;   /* from 1 */
    const char *file;
    uint64_t line;
    const char *tag;      /* "" where there is none */
    const char *truth;    /* the label as it was read */
    double target;        /* ... as a regressor sees it, else NaN */
    const char *positive; /* of two labels, all over the input; NULL: several columns, or numbers */
    const char *predicted; /* NULL: none that is known yet, or a number */
    double score;          /* of `positive`; else of the label predicted, or a regressor's answer */
    const double *scores;  /* per column, of the labels known when it was predicted */
    const double *rest;    /* ... what no feature contributed to them: a threshold, a prior */
    size_t columns;
    bool mistake; /* never of a regressor */
    bool updated;
    bool kept; /* the rule keeps examples, and kept this one */
    const thr_moved *moves;
    size_t n_moves;
    const size_t *features; /* by number: those of the example as the rule sees it, bias first; or
                             * `all` that come in the input */
    const double *values;   /* ... 0 for one that the example does not have */
    size_t n_features;
    bool all;
    const double *before,
        *after;           /* [feature][column]: weights as predictions use them; NULL: none */
    size_t columns_after; /* of `after`: a label may be new */
    const double *live_before, *live_after; /* [feature], one column: the weights that steps move,
                                             * where they are others; else NULL */
} thr_trace_step;

typedef struct thr_trace_options {
    thr_train_options train; /* without pac */
    uint64_t most;           /* examples; more are refused. 0: any number */
    size_t all;              /* show all features, if there are no more than this */
    uint64_t reserved[8];
} thr_trace_options;

/* Valid until it returns; a negative return stops and is passed on. */
typedef int thr_trace_fn(void *user, const thr_trace_step *s);
/* All examples are read before the first is learned: of two labels it is then known from the start
 * which is positive, as if the setting said so. One rule and one label an example; else THR_EUSE.
 */
THR_API int thr_step_through(thr_model *m, thr_input *in, const thr_trace_options *o,
                             thr_trace_fn *fn, void *user, thr_train_report *report,
                             thr_error *err);

typedef struct thr_prediction {
    const char *file; /* NULL for batches */
    uint64_t line;
    const char *tag;      /* "" where there is none */
    const char *label;    /* predicted; NULL when the model knows no label, or predicts numbers */
    const char *truth;    /* NULL where the input has none */
    double target;        /* ... as a regressor sees it; NaN where there is none */
    double score;         /* of the predicted label; a regressor's prediction; of several labels the
                           * greatest score of all */
    const double *scores; /* of every label */
    size_t labels;
    bool wrong;      /* there is a truth, and the prediction is not it */
    bool multilabel; /* several labels may be true; what was predicted is then the set: */
    const char *const *set;
    size_t n_set; /* in the order of the model's labels; may be none */
    const char *const
        *truths; /* as in the input; NULL where it has none, which is not an empty set */
    size_t n_truths;
    const bool *candidates; /* which labels may be the answer; NULL: all */
    double probability;     /* of the predicted label; NaN where a number is predicted, 0 where no
                             * candidate is known; of several labels that exactly the set is true */
    const double *probabilities; /* of every label; NULL where a number is predicted */
    double lead; /* its probability less that of the likeliest other label; 1 if there is none; of
                  * several labels the least lead of one's being as predicted over its not being */
    uint64_t reserved[8];
} thr_prediction;

/* A negative return stops and is passed on. */
typedef int thr_predict_fn(void *user, const thr_prediction *p);
THR_API int thr_predict(const thr_model *m, thr_input *in, thr_predict_fn *fn, void *user,
                        thr_progress_fn *progress, void *progress_user, thr_reading *reading,
                        thr_error *err);

/* The same without probabilities, which can take as long as all else: as where a number is
 * predicted, `probability` and `lead` are NaN, `probabilities` NULL. */
THR_API int thr_predict_scores(const thr_model *m, thr_input *in, thr_predict_fn *fn, void *user,
                               thr_progress_fn *progress, void *progress_user, thr_reading *reading,
                               thr_error *err);

typedef struct thr_metrics thr_metrics; /* counts of (truth, prediction) and what follows */
THR_API thr_metrics *thr_test(const thr_model *m, thr_input *in, thr_progress_fn *progress,
                              void *user, thr_reading *reading, thr_error *err);
/* The same; `wrong` is called for each example whose prediction is. */
THR_API thr_metrics *thr_test_wrong(const thr_model *m, thr_input *in, thr_predict_fn *wrong,
                                    void *wrong_user, thr_progress_fn *progress, void *user,
                                    thr_reading *reading, thr_error *err);
THR_API void thr_metrics_free(thr_metrics *t);
THR_API uint64_t thr_metrics_examples(const thr_metrics *t);
THR_API uint64_t thr_metrics_mistakes(const thr_metrics *t);
THR_API uint64_t thr_metrics_unknown(const thr_metrics *t); /* of a label training never saw */
THR_API double thr_metrics_auc(const thr_metrics *t);       /* two classes; NaN elsewhere */

/* A regressor's errors: means of their squares and of their sizes, and how much smaller the squares
 * are than those about the mean of the truth, 1 - mse/variance (NaN where all are the same). */
typedef struct thr_errors {
    double mse, rmse, mae, r2;
    uint64_t reserved[4];
} thr_errors;
THR_API bool thr_metrics_errors(const thr_metrics *t, thr_errors *out); /* false: of labels */
/* How good the probabilities are; NaN where a number is predicted. A probability below
 * THR_LEAST_PROBABILITY counts as that much, and so does a label that training never saw. Of
 * several labels all are means over the pairs of example and label, and bins are of each label's
 * own probability: `examples` pairs, of which `accuracy` are true. */
#define THR_LEAST_PROBABILITY 1e-15
THR_API double thr_metrics_log_loss(const thr_metrics *t); /* mean of -ln p(truth) */
THR_API double thr_metrics_brier(const thr_metrics *t);    /* mean of sum_l (p_l - [l is true])^2 */
/* Expected calibration error: examples fall into THR_BINS bins of equal width by the probability
 * of the label predicted; the mean of |share right - mean probability| over them. */
#define THR_BINS 15
typedef struct thr_bin {
    double from, to; /* probabilities */
    uint64_t examples;
    double confidence, accuracy; /* means; 0 in an empty bin */
    uint64_t reserved[4];
} thr_bin;
THR_API double thr_metrics_ece(const thr_metrics *t);
THR_API bool thr_metrics_bin(const thr_metrics *t, size_t i, thr_bin *out);
/* If only predictions with a lead (thr_prediction) of at least `reject` were given: how many, and
 * how many of these are wrong. */
THR_API void thr_metrics_covered(const thr_metrics *t, double reject, uint64_t *examples,
                                 uint64_t *mistakes);
/* The model's labels, then those met only in the test. */
THR_API size_t thr_metrics_labels(const thr_metrics *t);
THR_API const char *thr_metrics_label(const thr_metrics *t, size_t label);
THR_API uint64_t thr_metrics_count(const thr_metrics *t, size_t truth, size_t predicted);
THR_API uint64_t thr_metrics_truths(const thr_metrics *t, size_t label); /* examples with it */
/* Precision, recall and F1 of one label; 0 where a denominator is 0. */
THR_API void thr_metrics_prf(const thr_metrics *t, size_t label, double out[3]);

/* Several labels per example: a mistake is a set not exactly right. */
THR_API bool thr_metrics_multilabel(const thr_metrics *t);
THR_API double thr_metrics_hamming(const thr_metrics *t); /* wrong share of all (example, label) */
THR_API double thr_metrics_micro_f1(const thr_metrics *t);
THR_API double thr_metrics_macro_f1(const thr_metrics *t);
/* The share of true labels among the k likeliest, over all examples: hits / (k examples). */
THR_API double thr_metrics_precision_at(const thr_metrics *t, size_t k);

/* What each feature contributed to one prediction: total = sum of contributions + rest. With
 * several labels per example it is that of the label with the greatest score.
 * Where two labels share a function the total is the score; where each has its own it is the lead
 * over the runner-up. */
typedef struct thr_contribution {
    const char *feature;
    double value;        /* in the example */
    double weight;       /* for the label predicted, less that of the runner-up */
    double contribution; /* value * weight; for Bernoulli naive Bayes weight, if value > 0 */
    bool seen;           /* training met it */
    uint64_t reserved[4];
} thr_contribution;

/* Why a rule without weights says what it says: the rules of a list that fired, in order, or the
 * examples kept that are nearest, nearest first. */
typedef struct thr_reason {
    uint64_t number;   /* from 1: place in the list; place among the examples kept */
    const char *what;  /* the feature that a rule asks for; an example's features, or the first */
    const char *from;  /* the label before the rule; NULL for an example */
    const char *label; /* the label after it; the example's */
    double distance;   /* of an example */
    uint64_t reserved[4];
} thr_reason;

typedef struct thr_explanation {
    thr_prediction prediction;
    const char *learner; /* the rule that explains; "panel": the mixture, else the heaviest of a
                            panel's members that give this answer */
    const char *against; /* the runner-up among more than two, else NULL */
    double total;
    double rest;                   /* what no feature contributes: prior or threshold */
    const thr_contribution *parts; /* greatest absolute contribution first */
    size_t n_parts;
    const thr_reason *reasons; /* of a rule without weights, which has no parts */
    size_t n_reasons;
    uint64_t reserved[8];
} thr_explanation;

typedef int thr_explain_fn(void *user, const thr_explanation *e);
THR_API int thr_explain(const thr_model *m, thr_input *in, thr_explain_fn *fn, void *user,
                        thr_reading *reading, thr_error *err);

/* Bytes out; a negative return stops and is passed on. */
typedef int thr_write_fn(void *user, const void *bytes, size_t n);
/* Any format to any other that can hold it, or to `cache`. `s` gives the feature settings that
 * are applied where the target cannot hold text (NULL: defaults). */
THR_API int thr_convert(thr_input *in, const char *format, const thr_settings *s, thr_write_fn *fn,
                        void *user, thr_reading *reading, uint64_t *examples, thr_error *err);

typedef struct thr_lint_report {
    uint64_t examples, problems, bad_utf8, labels, features, empty, repeated;
    char formats[64];
    uint64_t nul_bytes;
    uint64_t reserved[7];
} thr_lint_report;
/* Reads everything, calling back for each problem. */
THR_API int thr_lint(thr_input *in, thr_problem_fn *fn, void *user, thr_lint_report *report,
                     thr_error *err);

/* ---- 6. batches --------------------------------------------------------------------------- */

/* Many examples from the caller's own data. Names and labels are copied. A failure to find
 * memory is remembered and returned by the call that uses the batch.
 * The model given to thr_batch_end and the like says what features examples have. The batch may be
 * used with that model, with copies of it, and with any model of the same feature settings; others
 * refuse it (THR_EUSE). thr_batch_clear forgets the model. Without a model (NULL, to thr_batch_end)
 * examples have the features they were given and no bias; they are for thr_output_add. */
typedef struct thr_batch thr_batch;

THR_API thr_batch *thr_batch_new(void);
THR_API void thr_batch_free(thr_batch *b);
THR_API void thr_batch_clear(thr_batch *b);
THR_API size_t thr_batch_size(const thr_batch *b);
/* An example: begin, then label, features, text in any order, then end. */
THR_API void thr_batch_begin(thr_batch *b);
THR_API void thr_batch_set_label(thr_batch *b, const char *label);
/* One label more, where several are true; and one that may be the answer (none given: all may). */
THR_API void thr_batch_add_label(thr_batch *b, const char *label);
THR_API void thr_batch_add_candidate(thr_batch *b, const char *label);
THR_API void thr_batch_set_importance(thr_batch *b, float importance);
THR_API void thr_batch_set_tag(thr_batch *b, const char *tag);
THR_API void thr_batch_add(thr_batch *b, const char *ns, const char *name, float value);
THR_API void thr_batch_add_key(thr_batch *b, uint64_t key, float value);
/* `m` says how text becomes features and what is done at the end of an example. */
THR_API void thr_batch_add_text(thr_batch *b, const thr_model *m, const char *ns, const char *text,
                                size_t n);
THR_API void thr_batch_end(thr_batch *b, const thr_model *m);
/* 0, or what went wrong while the batch was filled, or that its last example has not been ended. */
THR_API int thr_batch_status(const thr_batch *b, thr_error *err);
/* Afterwards: whether an example has a label, and giving it one. */
THR_API bool thr_batch_labelled(const thr_batch *b, size_t example);
THR_API void thr_batch_relabel(thr_batch *b, size_t example, const char *label);
THR_API void thr_batch_relabel_also(thr_batch *b, size_t example, const char *label);
/* The caller's arrays. Rows and columns are numbered from 0, and a column's number is the feature's
 * integer key. All is checked before anything is added: an array that is refused, with a sentence
 * that names the row, leaves the batch as it was. */
typedef struct thr_row_data {
    const double *labels;           /* numbers, one for each row; NULL: none */
    const char *const *label_names; /* instead: names. NULL: none, or that row has none */
    const float *weights;           /* how much each row counts, from 0 on; NULL: 1 */
    uint64_t reserved[4];
} thr_row_data;

/* Sparse rows: row r has the entries from offsets[r] to below offsets[r + 1]. */
typedef struct thr_csr {
    size_t rows;
    size_t nonzeros;     /* entries in `columns` and `values`: no offset may be greater */
    const void *offsets; /* rows + 1 of them: int32_t, or int64_t if wide */
    const void *columns; /* int32_t, or int64_t if wide */
    const void *values;  /* float, or double if wide; NULL: all are 1 */
    bool wide_offsets, wide_columns, wide_values;
    thr_row_data about;
    uint64_t reserved[8];
} thr_csr;
THR_API int thr_batch_csr(thr_batch *b, const thr_model *m, const thr_csr *c, thr_error *err);

/* Dense rows: row r begins at values[r * stride]. Zeros are no features. */
typedef struct thr_dense {
    size_t rows, columns;
    size_t stride;      /* in values, not bytes; 0: the number of columns */
    const void *values; /* float, or double if wide */
    bool wide_values;
    thr_row_data about;
    uint64_t reserved[8];
} thr_dense;
THR_API int thr_batch_dense(thr_batch *b, const thr_model *m, const thr_dense *d, thr_error *err);

THR_API thr_scratch *thr_scratch_new(void);
THR_API void thr_scratch_free(thr_scratch *s);
/* From now on `fn` is called after each update made with this scratch; NULL: no longer. The scratch
 * then serves one model. */
THR_API void thr_scratch_on_update(thr_scratch *s, thr_update_fn *fn, void *user);
/* Predicts, then learns, example by example. `predicted` (may be NULL) gets label numbers, -1
 * for none. `s` may be NULL: room is then made for this call alone. */
THR_API int thr_learn(thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                      thr_error *err);
/* The same for the caller's arrays, without a batch to fill and to keep: what is learned is what
 * thr_batch_csr and thr_learn would have learned, to the bit, in a fraction of the memory. The
 * scratch holds some thousand entries at a time. An array that is refused, with a sentence that
 * names the row, has taught the model nothing. To learn from some of the rows only, pass pointers
 * to the first of them: offsets + first, labels + first. */
THR_API int thr_learn_csr(thr_model *m, thr_scratch *s, const thr_csr *c, int32_t *predicted,
                          thr_error *err);
THR_API int thr_learn_dense(thr_model *m, thr_scratch *s, const thr_dense *d, int32_t *predicted,
                            thr_error *err);
/* The label's own function moves up (or down) on one example of the batch, as if it were a missed
 * positive (or a false one), whatever it says. Not for rules that only count, nor for pairs. A
 * label that is not known is added by promoting. */
THR_API int thr_promote(thr_model *m, thr_scratch *s, thr_batch *b, size_t example,
                        const char *label, thr_error *err);
THR_API int thr_demote(thr_model *m, thr_scratch *s, thr_batch *b, size_t example,
                       const char *label, thr_error *err);
/* `scores` has batch size * labels places (regressors: batch size), example by example; either may
 * be NULL. */
THR_API int thr_score(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                      double *scores, thr_error *err);
/* The same with the labels' probabilities, which sum to 1; of several labels each for itself. What
 * is not a candidate has 0. */
THR_API int thr_probabilities(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                              double *probabilities, thr_error *err);
/* Both for the caller's arrays; `scores` and `probabilities` have rows * labels places (regressors:
 * rows). Labels and weights of the rows are checked but not used. Of a row that the model cannot
 * take (THR_EDATA) and the rows behind it there may be no results. */
THR_API int thr_score_csr(const thr_model *m, thr_scratch *s, const thr_csr *c, int32_t *predicted,
                          double *scores, thr_error *err);
THR_API int thr_score_dense(const thr_model *m, thr_scratch *s, const thr_dense *d,
                            int32_t *predicted, double *scores, thr_error *err);
THR_API int thr_probabilities_csr(const thr_model *m, thr_scratch *s, const thr_csr *c,
                                  int32_t *predicted, double *probabilities, thr_error *err);
THR_API int thr_probabilities_dense(const thr_model *m, thr_scratch *s, const thr_dense *d,
                                    int32_t *predicted, double *probabilities, thr_error *err);
/* Classifies one text: its label, NULL where the model knows none, and the probability of that
 * label (may be NULL). The label belongs to the model. Not for regressors, nor where several labels
 * may be true. */
THR_API int thr_classify(const thr_model *m, thr_scratch *s, const char *text, size_t n,
                         const char **label, double *probability, thr_error *err);
/* The prediction of one example of a batch, and its explanation; what they point to is valid until
 * `s` is next used. `file` and `line` are not set. */
THR_API int thr_predict_one(const thr_model *m, thr_scratch *s, thr_batch *b, size_t example,
                            thr_prediction *out, thr_error *err);
THR_API int thr_explain_one(const thr_model *m, thr_scratch *s, thr_batch *b, size_t example,
                            thr_explanation *out, thr_error *err);
/* How a member comes to its scores of one example, number by number, so that a caller can do the
 * sum again and get the same bits. All arithmetic is in double, in the order written here, without
 * fused multiplication and addition. x_i is values[i]; w_i is a number of feature i for the
 * function.
 *
 *   THR_SUM_LANES    scale * (((s0+s1)+(s2+s3))+((s4+s5)+(s6+s7))), s_k the sum in order of w_i x_i
 *                    over the i with i mod 8 = k
 *   THR_SUM_ORDER    scale * (w_0 x_0 + w_1 x_1 + ...), in order
 *   THR_SUM_SCALED   start + w_0 (scale x_0) + w_1 (scale x_1) + ..., in order
 *   THR_SUM_PRESENT  start + the w_i of the i with scale x_i > 0, in order
 *
 * With S the first sum and T the second (0 if it is THR_SUM_NONE; it starts from 0) a function has
 *
 *   value = (factor S - (T second_factor) / second_divisor) / divisor + constant
 *
 * where a factor or divisor of 1 and a constant of 0 may be left out. */
enum thr_sum { THR_SUM_NONE, THR_SUM_LANES, THR_SUM_ORDER, THR_SUM_SCALED, THR_SUM_PRESENT };
typedef struct thr_function {
    enum thr_sum first, second;
    double start, factor, second_factor, second_divisor, divisor, constant;
    uint64_t reserved[4];
} thr_function;

/* From functions to labels: of one function label `anchor` has its value and the other its negative
 * (a regressor: its value is the prediction). THR_EACH: label l has function l. THR_PAIRS: function
 * j (j - 1) / 2 + i is of labels i < j, and label l has the sum, from 0 and in order, of -value for
 * the pairs (i, l) and then of +value for the pairs (l, j).
 *
 * From scores to probabilities: the logarithm of label l's probability is slope z_l + offset_l,
 * less the logarithm of the sum of their exponentials, where z_l = (e_l - mean e) / size, within
 * +-1e6, and e_l = score_l / extent. Where several labels may be true it is 1 / (1 + e^-(slope e_l
 * / size + offset_l)). Of more than two labels of which one is true, models of the fourth rules
 * multiply by 1 / extent and 1 / size, and add up the mean's terms, from 0, in eight sums, that of
 * label l in number l modulo 8. The mean is then
 * (((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))) / n.
 *
 * So fitted to `seen` examples, a probability p is reported as (seen p + prior / n) / (seen +
 * prior), where n is the number of labels to choose from, or 2 where several labels may be true.
 * With a prior of 0 it is reported as it is.
 *
 * A panel that mixes (`mixed`): z_l is the sum, from 0 and in the order of the members, of `vote`
 * times slope z_l + offset_l as above, not normalised, and the logarithm of a probability is
 * d_l = mixed_slope (z_l - mean z) + mixed_offset_l, normalised. A label's score is its d_l, to
 * which the logarithm of its class weight is added if class weights were asked for, less the
 * greatest such number of another label. Where several labels may be true no mean is subtracted,
 * the score is d_l itself and the probability 1 / (1 + e^-d_l).
 *
 * A panel that votes: the logarithms of its members, at least -30, times their `power`,
 * are added and made to sum to 1; its scores are the sums of the `vote` of the experts that say a
 * label, the blend of these probabilities being the last. These need exponentials: they agree to
 * rounding. */
enum { THR_EACH = -1, THR_PAIRS = -2 };
typedef struct thr_working {
    size_t n;               /* features of the example as the member sees it, the bias last */
    const size_t *features; /* THR_UNKNOWN_FEATURE: training never met it */
    const float *values;
    double scale;  /* 1, or what gives the example unit length */
    bool sits_out; /* the member cannot take negative values, and says nothing */
    size_t functions;
    const thr_function *function;
    const double *first, *second; /* w_i of a function f in the two sums: [i * functions + f] */
    int anchor;                   /* a label, THR_EACH or THR_PAIRS */
    double extent, size, slope;
    const double *offset; /* per label */
    double vote, power;   /* of a panel's member; else 1 */
    bool mixed;
    double mixed_slope;
    const double *mixed_offset; /* per label */
    double seen, prior;
    uint64_t reserved[6];
} thr_working;
/* Of a linear member (THR_EUSE for others); valid until `s` is next used. */
THR_API int thr_work_out(const thr_model *m, thr_scratch *s, thr_batch *b, size_t example,
                         size_t member, thr_working *out, thr_error *err);
/* A stream of lines that come one at a time. One format holds for all of it: `format`, or if that
 * is NULL the model's, or if it has none that of the first line that can be read. A line may lack
 * its label; thr_batch_labelled tells. What lacks it: in `text` a line without a tab, and what
 * follows a tab at the beginning of the line; elsewhere a line with an empty label field or none.
 * In `snow` the first item is always the label. */
typedef struct thr_feed thr_feed;
THR_API thr_feed *thr_feed_new(const char *format, thr_error *err);
THR_API void thr_feed_free(thr_feed *f);
/* Adds one line, without its line end, to the batch. 1: it is an example. 0: it was the header of
 * csv. Negative: it cannot be read. */
THR_API int thr_feed_line(thr_feed *f, const thr_model *m, thr_batch *b, const char *line, size_t n,
                          thr_error *err);
/* As thr_input_set_max_active: a line that would get more such features cannot be read. */
THR_API void thr_feed_set_max_active(thr_feed *f, size_t features);
THR_API const char *thr_feed_format(const thr_feed *f); /* NULL: not known yet */
/* What the lines so far were found to be; of the counts only never_negated is filled in. */
THR_API void thr_feed_reading(const thr_feed *f, const thr_model *m, thr_reading *out);
/* Reads one line of the given format (NULL: detect) into the batch as one example. */
THR_API int thr_batch_parse(thr_batch *b, const thr_model *m, const char *format, bool labelled,
                            const char *line, size_t n, thr_error *err);

/* ---- 7. data in memory -------------------------------------------------------------------- */

/* All examples of an input, read once: arrays to look at, and to train on as often as wanted.
 * Features are numbered in the order of their first appearance; number 0 is the bias, which is the
 * last feature of every example. It never changes: any number of threads may use it. */
typedef struct thr_data thr_data;

typedef struct thr_data_options {
    bool count_once; /* every example counts 1, whatever importance it was given */
    thr_progress_fn *progress;
    void *user;
    uint64_t reserved[8];
} thr_data_options;

/* `s` says what the features are. An input without examples is an error. */
THR_API thr_data *thr_data_read(const thr_settings *s, const thr_input *in,
                                const thr_data_options *o, thr_error *err);
THR_API void thr_data_free(thr_data *d);
THR_API void thr_data_reading(const thr_data *d, thr_reading *out);

/* Example e has the features feature[i], with the values value[i], from start[e] to below
 * start[e + 1]. The arrays belong to the data. */
typedef struct thr_data_arrays {
    size_t examples;
    size_t features; /* they have the numbers from 0 to features - 1 */
    const size_t *start;
    const uint32_t *feature;
    const float *value; /* NULL: all are 1 */
    uint64_t reserved[4];
} thr_data_arrays;
THR_API void thr_data_arrays_of(const thr_data *d, thr_data_arrays *out);

typedef struct thr_data_example {
    const char *label; /* as it was read; no NUL follows it */
    size_t label_size;
    float importance;
    bool text; /* some of its features were made of running text */
    const char *file;
    uint64_t line;
    uint64_t reserved[4];
} thr_data_example;
THR_API bool thr_data_example_at(const thr_data *d, size_t example, thr_data_example *out);

/* The name of a feature and its namespace, without a NUL behind them; both are empty for the bias.
 * The name of an integer key stands in `digits`. */
typedef struct thr_data_feature {
    const char *ns, *name;
    size_t ns_size, name_size;
    char digits[24];
    uint64_t reserved[4];
} thr_data_feature;
THR_API bool thr_data_feature_at(const thr_data *d, size_t feature, thr_data_feature *out);
/* The number of a feature; THR_UNKNOWN_FEATURE if no example has it, which is no failure. */
THR_API int thr_data_find_feature(const thr_data *d, const char *ns, size_t ns_size,
                                  const char *name, size_t name_size, size_t *feature,
                                  thr_error *err);

/* As thr_train: the model is the one that training on the files themselves would give, except that
 * it does not know their format. Not with max-features, pac or a cache, whose order of names is
 * that of a stream (THR_EUSE). An example that the rule cannot learn from is THR_EDATA, before
 * anything is learned. */
THR_API int thr_train_data(thr_model *m, const thr_data *d, const thr_train_options *o,
                           thr_train_report *report, thr_error *err);

/* Batches written in a format (NULL: svmlight), whose examples were ended without a model. What the
 * format cannot hold is an error. thr_output_end writes the rest and frees the output, also when it
 * fails. */
typedef struct thr_output thr_output;
THR_API thr_output *thr_output_new(const char *format, thr_write_fn *fn, void *user,
                                   thr_error *err);
THR_API int thr_output_add(thr_output *o, const thr_batch *b, thr_error *err);
THR_API int thr_output_end(thr_output *o, thr_error *err);

/* A new file that takes the place of the one at `path` when it is complete: it is written beside it
 * under a temporary name, synced and renamed. Models and caches are written in the same way. A
 * symbolic link is followed, and the file at its end replaced. Devices and pipes are written to
 * directly. The caller writes to the descriptor, which stays the library's. */
typedef struct thr_newfile thr_newfile;
THR_API thr_newfile *thr_newfile_open(const char *path, thr_error *err);
THR_API int thr_newfile_descriptor(const thr_newfile *f);
/* The temporary file, for a caller that must remove it when a signal ends the process; NULL if
 * there is none. */
THR_API const char *thr_newfile_temporary(const thr_newfile *f);
/* Completes the file, or with `keep` false or after a failure removes what was written and leaves
 * the old file as it was. Frees `f`, which may be NULL. */
THR_API int thr_newfile_close(thr_newfile *f, bool keep, thr_error *err);

/* ---- 8. comparisons ----------------------------------------------------------------------- */

/* McNemar's test of two rules on the same examples: of those that just one of them had right, how
 * many it was for each. Returns the probability of a difference at least as great if neither is
 * better; `exact` (may be NULL) says whether it was counted out or by chi-square. */
THR_API double thr_mcnemar(uint64_t only_a, uint64_t only_b, bool *exact);

/* Specs made from one with alternatives, `pa:C=0.1|1|10,averaged=on|off`: every combination, or
 * some that are drawn; then numbers may also be ranges, `C=0.001..100`, drawn by their logarithm if
 * both ends are positive and more than a factor of 10 apart. Each spec is there once. */
typedef struct thr_grid thr_grid;
THR_API thr_grid *thr_grid_new(void);
THR_API void thr_grid_free(thr_grid *g);
THR_API int thr_grid_add(thr_grid *g, const char *spec, thr_error *err);
/* `n` in all, from the specs in turn; fewer where there are not that many. */
THR_API int thr_grid_draw(thr_grid *g, const char *const *specs, size_t n_specs, size_t n,
                          uint64_t seed, thr_error *err);
THR_API size_t thr_grid_size(const thr_grid *g);
THR_API const char *const *thr_grid_specs(const thr_grid *g);

/* The folds of cross-validation. By default each gets its share of every label, drawn by the
 * seed. */
typedef struct thr_fold_plan {
    size_t folds; /* at least 2; 0: 10 */
    uint64_t seed;
    bool by_position; /* example i, counted from 0, goes to fold i mod folds */
    size_t tag_bytes; /* not 0: a fold is what has the same first bytes of its tag */
    uint64_t reserved[8];
} thr_fold_plan;

/* Several rules over the same examples, and how each fared: classifiers, or regressors. */
typedef struct thr_contest thr_contest;

typedef struct thr_entrant {
    const char *learner;
    uint64_t mistakes, updates;
    uint64_t sat_out; /* examples with negative values, that it cannot take: counted as wrong */
    double error;     /* share of mistakes; of a regressor the mean squared error */
    double deviation; /* of `error`, its standard error: over the folds, else over the examples */
    uint64_t reserved[4];
} thr_entrant;

typedef struct thr_duel {
    uint64_t only_a, only_b; /* examples that just one of the two had right; of regressors, those
                              * on which one came nearer */
    double p;                /* McNemar's; of regressors it is called the sign test */
    bool exact;
    uint64_t reserved[4];
} thr_duel;

typedef struct thr_race_options {
    thr_progress_fn *progress;
    void *user;
    const char *cache; /* as in thr_train_options, and the next two */
    thr_temporary_fn *on_temporary;
    void *temporary_user;
    uint64_t reserved[6];
} thr_race_options;

/* Each predicts every example and then learns from it: one pass, side by side, each as if it were
 * alone. `s` has all settings but the learner's. No learners: each linear classifier with its
 * default options. */
THR_API thr_contest *thr_race(const thr_settings *s, const char *const *learners, size_t n,
                              thr_input *in, const thr_race_options *o, thr_error *err);

typedef struct thr_tune_options {
    bool by_folds;           /* else by the mistakes of one pass, as in a race */
    thr_fold_plan plan;      /* of the folds */
    thr_train_options train; /* with folds: how each model is trained; `progress` is of the whole */
    unsigned threads;        /* 0: one per core; the result is the same */
    uint64_t reserved[8];
} thr_tune_options;

/* The same for any number of learners; the examples are kept in memory. */
THR_API thr_contest *thr_tune(const thr_settings *s, const char *const *learners, size_t n,
                              thr_input *in, const thr_tune_options *o, thr_error *err);

THR_API void thr_contest_free(thr_contest *c);
THR_API size_t thr_contest_size(const thr_contest *c);
THR_API bool thr_contest_numbers(const thr_contest *c); /* are they regressors? */
THR_API uint64_t thr_contest_examples(const thr_contest *c);
THR_API bool thr_contest_at(const thr_contest *c, size_t i, thr_entrant *out);
/* The entrant with the place-th fewest mistakes, from 0; of equals the first given. */
THR_API size_t thr_contest_ranked(const thr_contest *c, size_t place);
THR_API bool thr_contest_duel(const thr_contest *c, size_t a, size_t b, thr_duel *out);
/* Without folds: mistakes among the first 1, 2, 4, 8, ... examples and among all. */
THR_API size_t thr_contest_checkpoints(const thr_contest *c);
THR_API uint64_t thr_contest_checkpoint(const thr_contest *c, size_t checkpoint);
THR_API uint64_t thr_contest_mistakes_at(const thr_contest *c, size_t checkpoint, size_t entrant);
/* The error so far: share of mistakes, or mean squared error. */
THR_API double thr_contest_error_at(const thr_contest *c, size_t checkpoint, size_t entrant);
THR_API void thr_contest_reading(const thr_contest *c, thr_reading *out);
/* After thr_tune: a model trained with an entrant's options on all examples, as thr_train would. */
THR_API thr_model *thr_contest_train(const thr_contest *c, size_t entrant,
                                     const thr_train_options *o, thr_train_report *report,
                                     thr_error *err);

/* Cross-validation: the examples are kept in memory; each fold is tested by a model that learned
 * from the others, just as separate runs over separate files would. */
typedef struct thr_cv thr_cv;

typedef struct thr_cv_options {
    thr_fold_plan plan;
    unsigned repeat;         /* how often the folds are drawn anew; 0: once */
    thr_train_options train; /* `progress` is of the whole */
    unsigned threads;        /* 0: one per core; the result is the same */
    uint64_t reserved[8];
} thr_cv_options;

typedef struct thr_cv_fold {
    unsigned repeat, fold;                /* from 0 */
    uint64_t trained, examples, mistakes; /* examples to learn from, to test, and wrong */
    double accuracy;                      /* NaN of a regressor */
    double mean_squared;                  /* its error; NaN of a classifier */
    uint64_t reserved[4];
} thr_cv_fold;

THR_API thr_cv *thr_cross_validate(const thr_settings *s, thr_input *in, const thr_cv_options *o,
                                   thr_error *err);
THR_API void thr_cv_free(thr_cv *cv);
THR_API size_t thr_cv_folds(const thr_cv *cv); /* of all repetitions */
THR_API bool thr_cv_fold_at(const thr_cv *cv, size_t i, thr_cv_fold *out);
/* Mean and standard deviation of the folds' accuracies, or of a regressor's mean squared errors. */
THR_API double thr_cv_mean(const thr_cv *cv);
THR_API double thr_cv_deviation(const thr_cv *cv);
/* All tests as one. */
THR_API const thr_metrics *thr_cv_metrics(const thr_cv *cv);
THR_API void thr_cv_reading(const thr_cv *cv, thr_reading *out);

/* What differs between two models, a and b. Both must outlive it. Of each rule the `top` weights
 * that moved most are kept. */
typedef struct thr_diff thr_diff;
THR_API thr_diff *thr_diff_new(const thr_model *a, const thr_model *b, size_t top, thr_error *err);
THR_API void thr_diff_free(thr_diff *d);
/* Whether nothing differs: saved, the two would be one file. */
THR_API bool thr_diff_same(const thr_diff *d);

/* Settings that differ; labels that only one of them knows. */
typedef struct thr_diff_setting {
    const char *name, *a, *b;
    uint64_t reserved[4];
} thr_diff_setting;
typedef struct thr_diff_label {
    const char *name;
    bool in_b; /* else in a */
    uint64_t reserved[4];
} thr_diff_label;
THR_API bool thr_diff_setting_at(const thr_diff *d, size_t i, thr_diff_setting *out);
THR_API bool thr_diff_label_at(const thr_diff *d, size_t i, thr_diff_label *out);

/* Features, by name. False where they cannot be matched: names hashed, and not alike. */
typedef struct thr_diff_features {
    uint64_t both, only_a, only_b;
    uint64_t reserved[4];
} thr_diff_features;
THR_API bool thr_diff_features_of(const thr_diff *d, thr_diff_features *out);

/* The rules: one of each model, or the members of panels, matched by name. */
typedef struct thr_diff_rule {
    const char *a, *b;     /* NULL: that model has none of this name */
    double vote_a, vote_b; /* its weight in a panel, else NaN */
    const char *unlike;    /* why weights are not compared; NULL: they are */
    uint64_t moved;        /* weights that differ */
    double distance;       /* Euclidean */
    uint64_t reserved[4];
} thr_diff_rule;
/* A weight as predictions use it, less the mean over the model's labels, which decides nothing
 * unless several labels may be true; 0 for a feature or label that the model does not know. Where
 * both have the same two labels, only those of the positive one are listed. */
typedef struct thr_diff_weight {
    const char *feature, *label; /* label: NULL of a regressor */
    double a, b;
    bool in_a, in_b; /* whether the model knows the feature */
    uint64_t reserved[4];
} thr_diff_weight;
THR_API bool thr_diff_rule_at(const thr_diff *d, size_t rule, thr_diff_rule *out);
/* The i-th greatest |b - a|; of equals the feature met first. */
THR_API bool thr_diff_weight_at(const thr_diff *d, size_t rule, size_t i, thr_diff_weight *out);

/* How two models differ in what they predict. */
typedef struct thr_changed {
    const char *file;
    uint64_t line;
    const char *tag;
    const char *a, *b;       /* labels predicted; NULL of regressors, or where none is known */
    const char *truth;       /* NULL where the input has none */
    double value_a, value_b; /* numbers predicted; NaN of labels */
    double target;           /* the truth as a number */
} thr_changed;
/* Called for each example whose prediction differs; a negative return stops and is passed on. */
typedef int thr_changed_fn(void *user, const thr_changed *c);

typedef struct thr_agreement {
    uint64_t examples, changed;
    uint64_t labelled;              /* with a truth; the rest is about these */
    uint64_t both_right, neither;   /* of labels */
    uint64_t only_a, only_b;        /* right alone; of regressors, nearer */
    double p;                       /* McNemar's; of regressors the sign test */
    bool exact;                     /* counted out, or by chi-square */
    double mse_a, mse_b;            /* of regressors, else NaN */
    double mean_change, max_change; /* ... of |b - a|, over all examples */
    uint64_t reserved[8];
} thr_agreement;
/* The input is read twice, once for each model, since each may make other features of it: it must
 * not be a pipe. */
THR_API int thr_diff_predictions(const thr_model *a, const thr_model *b, thr_input *in,
                                 thr_changed_fn *fn, void *user, thr_progress_fn *progress,
                                 void *progress_user, thr_agreement *out, thr_reading *reading,
                                 thr_error *err);

/* ---- 9. tables --------------------------------------------------------------------------- */

typedef enum thr_type { THR_REAL, THR_INT, THR_BOOL, THR_CHOICE, THR_STRING } thr_type;

typedef struct thr_option_info {
    const char *name, *fallback, *help;
    thr_type type;
    const char *choices; /* "a|b|c" for THR_CHOICE; "auto" where that word is also allowed */
    double min, max;     /* for THR_REAL and THR_INT */
    uint64_t reserved[4];
} thr_option_info;

typedef struct thr_entry_info {
    const char *name, *help;
    size_t n_options;
    bool regression;   /* a learner that predicts a number, not a label */
    bool linear;       /* a learner whose weights explain what it says */
    bool conservative; /* a learner whose predictions change on updates only, with some options at
                        * least (thr_model_conservative) */
    bool solved;       /* a learner whose weights a solver finds from all examples at once */
    uint64_t reserved[4];
} thr_entry_info;

/* Each returns false past the end. */
THR_API bool thr_setting_at(size_t i, thr_option_info *out);
THR_API bool thr_learner_at(size_t i, thr_entry_info *out);
THR_API bool thr_learner_option_at(size_t learner, size_t i, thr_option_info *out);
THR_API bool thr_format_at(size_t i, thr_entry_info *out);
THR_API const char *thr_version(void);
/* The optional libraries of this build, such as "zlib zstd lzma utf8proc jansson". */
THR_API const char *thr_built_with(void);

#ifdef __cplusplus
}
#endif
#endif
