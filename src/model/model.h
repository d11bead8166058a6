/* A model: settings, lexicon, labels, one rule with its weights or a panel of several, and what it
 * has seen. */
#ifndef THR_MODEL_MODEL_H
#define THR_MODEL_MODEL_H

#include "format/format.h"
#include "lexicon/lexicon.h"
#include "model/member.h"
#include "model/settings.h"

/* The format to expect: the one named in the settings, else that of the first example. */
const thr_format *thr_model_format(const thr_model *m);
const thr_features *thr_model_features_of(const thr_model *m);
/* Parts of it (parts.c): how its input is read, its names, its labels. */
const thr_reader_settings *thr_model_reader(const thr_model *m);
const thr_lexicon *thr_model_lexicon(const thr_model *m);
const thr_labels *thr_model_label_set(const thr_model *m);
/* The lexicon for a caller that adds names to it itself, before examples with these are learned. */
thr_lexicon *thr_model_growing_lexicon(thr_model *m);
/* Its rule; of a panel the first member's. */
const thr_learner *thr_model_learner(const thr_model *m);
/* 1: examples are scaled to length 1; 0: not; -1: text is, for rules that ask for it. */
int thr_model_unit(const thr_model *m);
/* The most features it keeps; 0: any number. */
uint32_t thr_model_ceiling(const thr_model *m);
/* The setting by which it leaves features out, or NULL. */
const char *thr_model_leaves_out(const thr_model *m);
/* Shuffled passes so far. */
uint64_t thr_model_shuffles(const thr_model *m);
void thr_model_count_shuffle(thr_model *m);
/* Of the two labels to come this one is positive, unless labels or a setting have decided that. */
int thr_model_declare_positive(thr_model *m, const char *name, thr_error *err);
/* What a feature weighs for a label, by member k. */
double thr_model_weight(const thr_model *m, const thr_member *k, uint32_t id, uint32_t label);
/* Members only compete: no vote is held and no probability learned. */
void thr_model_race(thr_model *m);
bool thr_model_races(const thr_model *m);
/* Updates of member k; of a model that does not race all updates. */
uint64_t thr_model_member_updates(const thr_model *m, uint32_t k);
/* Whether member k, one of several, has sat out so far: there was no example it could take, and
 * its table is empty. */
bool thr_model_sits_out(const thr_model *m, uint32_t k);
/* How many numbers are shown for an example: one per label, or the one that is predicted. */
uint32_t thr_model_columns(const thr_model *m);
/* How often a feature has come, where that is counted. */
uint32_t thr_model_count(const thr_model *m, uint32_t id);
/* Tells the rules how many features do not count yet, after counts or ids have changed at large. */
void thr_model_count_waiting(thr_model *m);
/* The member that speaks for the model when it explains itself: the only one, or the heaviest. */
const thr_member *thr_model_speaker(const thr_model *m);
/* THR_EMODEL if a part looked at so far does not match its checksum. */
int thr_model_intact(const thr_model *m, thr_error *err);
/* The same, all that is left being looked at first: before a copy is made. */
int thr_model_touch_all(const thr_model *m, thr_error *err);
thr_model *thr_model_blank(void); /* with nothing in it; or NULL */
/* Parts a new model is made of, once settings are read; used by new and open. */
int thr_model_assemble(thr_model *m, thr_error *err);
/* Rules that compare fields are told which features make one. */
int thr_model_group(thr_model *m, thr_error *err);
/* Places in a case, after the number of functions has changed. */
void thr_model_lay_out(thr_model *m);
/* THR_EUSE with a sentence for a model that cannot be trained. */
int thr_model_trainable(const thr_model *m, thr_error *err);
/* One member more, to race against the others: from now on no vote is held. `lenient`: a policy
 * that the rule does not have is not an error. */
int thr_model_enter(thr_model *m, const char *spec, bool lenient, thr_error *err);
int thr_model_add_label(thr_model *m, thr_str name, uint32_t *label, thr_error *err);
/* Functions for the labels from number `before` on, which have just been named; on failure those
 * are taken back. */
int thr_model_widen(thr_model *m, uint32_t before, thr_error *err);

#endif
