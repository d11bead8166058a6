/* A model: settings, lexicon, labels, one rule with its weights or a panel of several, and what it
 * has counted. These are the functions for the rest of the library; thresh.h has the public ones,
 * inside.h the fields. */
#ifndef THR_MODEL_MODEL_H
#define THR_MODEL_MODEL_H

#include "format/format.h"
#include "lexicon/lexicon.h"
#include "model/member.h"
#include "model/settings.h"

/* ---- what it is made of (about.c, parts.c) ---- */

/* The format to expect: the one named in the settings, else that of the first example; or NULL. */
const thr_format *thr_model_format(const thr_model *m);
/* How text and crosses become features. */
const thr_features *thr_model_features_of(const thr_model *m);
/* How input is read. */
const thr_reader_settings *thr_model_reader(const thr_model *m);
/* Whether examples are tokens of sentences that are tagged; and whether a sentence is tagged as a whole
 * (chain/chain.h), not from left to right (run/greedy.h). */
bool thr_model_chain(const thr_model *m);
/* THR_EUSE if so: for what works on one example at a time. */
int thr_model_by_example(const thr_model *m, thr_error *err);
/* Keeps how the sentences of the data are read, as far as the settings do not say it. `plan` may be NULL:
 * the data has none. */
int thr_model_adopt(thr_model *m, const struct thr_plan *plan, thr_error *err);
const thr_lexicon *thr_model_lexicon(const thr_model *m);
const thr_labels *thr_model_label_set(const thr_model *m);
/* The lexicon, for a caller that adds names itself before it has examples with them learned. */
thr_lexicon *thr_model_growing_lexicon(thr_model *m);
/* The learner of the first member. */
const thr_learner *thr_model_learner(const thr_model *m);
/* 1: examples are scaled to length 1; 0: not; -1: text is, for rules that like it. */
int thr_model_unit(const thr_model *m);
/* Ceilings on what learning may make of a model; 0: none. They are not saved, nor passed on to
 * snapshots and clones. Memory is that of names and rows of weights, at their present number and
 * width, in bytes. */
typedef struct thr_limits {
    uint32_t labels;
    uint64_t memory;
} thr_limits;
void thr_model_limit(thr_model *m, thr_limits limits);
/* Fails with THR_EDATA if labels and names, as they are now, are beyond the limits: called after
 * some were added, and before there are rows for them. */
int thr_model_check_limits(const thr_model *m, thr_error *err);
/* The same before the batch is learned: fails if the labels and names that it would add, or with
 * `label` its names and that label, would lead beyond the limits. The batch is looked up. */
int thr_model_check_batch(const thr_model *m, thr_batch *b, const thr_str *label, thr_error *err);
/* The setting max-features; 0: any number. */
uint32_t thr_model_ceiling(const thr_model *m);
/* The name of the setting by which the model ignores or drops features, or NULL. */
const char *thr_model_leaves_out(const thr_model *m);
/* Shuffled passes so far. */
uint64_t thr_model_shuffles(const thr_model *m);
void thr_model_count_shuffle(thr_model *m);
/* Declares which of two labels is positive before any label is known. Does nothing if there are
 * labels, or if a setting has declared it. */
int thr_model_declare_positive(thr_model *m, const char *name, thr_error *err);
/* The weight of a feature for a label in member k. */
double thr_model_weight(const thr_model *m, const thr_member *k, uint32_t id, uint32_t label);
/* Makes it a race: members only compete, no vote is held and no probability learned. */
void thr_model_race(thr_model *m);
bool thr_model_races(const thr_model *m);
/* Updates of member k in a race; of any other model the updates of all members. */
uint64_t thr_model_member_updates(const thr_model *m, uint32_t k);
/* Whether the model is that of one rule, and not of a panel of which one member is left. */
bool thr_model_alone(const thr_model *m);
/* Whether member k, one of several, sits out: it cannot take negative values and has not met an
 * example that it could take, so its table is empty. */
bool thr_model_sits_out(const thr_model *m, uint32_t k);
/* How many scores an example has: one per label; 1 for a regressor. */
uint32_t thr_model_columns(const thr_model *m);
/* Occurrences of a feature; 0 if they are not counted. */
uint32_t thr_model_count(const thr_model *m, uint32_t id);
/* Counts again how many features are below min-count, and tells the rules. For callers that have
 * changed counts or ids of many features. */
void thr_model_count_waiting(thr_model *m);
/* The member whose weights explain the model: the only one, or the panel's heaviest. Not for a
 * race, which has no weights of members. */
const thr_member *thr_model_explaining_member(const thr_model *m);
/* Fails with THR_EUSE if there is no such member, or if it has no weights of features. */
int thr_model_check_linear(const thr_model *m, size_t member, thr_error *err);

/* ---- making and checking it (model.c) ---- */

/* THR_EMODEL if some chunk of the mapped file, of those touched so far, does not match its hash, or
 * if the file was changed since it was opened. */
int thr_model_intact(const thr_model *m, thr_error *err);
/* The same after all chunks have been checked: before the model is copied or saved. */
int thr_model_touch_all(const thr_model *m, thr_error *err);
/* A zeroed model with one owner; or NULL. */
thr_model *thr_model_blank(void);
/* Makes everything that follows from m->settings: reader, members, panel, classes and labels. The
 * lexicon is left to the caller, which makes an empty one or reads one. */
int thr_model_assemble(thr_model *m, thr_error *err);
/* Finds the fields of new features and gives the array to the rules, if some rule compares fields.
 * Must be called again after features were added, since the array may have moved. */
int thr_model_group(thr_model *m, thr_error *err);
/* Recomputes the layout of a case, after the number of labels, functions or members has changed. */
void thr_model_lay_out(thr_model *m);
/* THR_EUSE with the reason, for a model that cannot be trained. */
int thr_model_trainable(const thr_model *m, thr_error *err);
/* Adds a member to a race. `lenient`: a multi-class policy that the rule does not have is replaced
 * by its default instead of being an error. */
int thr_model_enter(thr_model *m, const char *spec, bool lenient, thr_error *err);
/* Adds a label with its functions, or finds it. On failure the model is as before. */
int thr_model_add_label(thr_model *m, thr_str name, uint32_t *label, thr_error *err);
/* Makes functions for the labels from number `before` on, which are in m->labels already. On
 * failure these labels are removed again. Rows become wider: addresses found before are invalid. */
int thr_model_widen(thr_model *m, uint32_t before, thr_error *err);

#endif
