/* A model: settings, lexicon, labels, one rule with its weights, and what it has seen. */
#ifndef THR_MODEL_MODEL_H
#define THR_MODEL_MODEL_H

#include "format/format.h"
#include "lexicon/lexicon.h"
#include "model/settings.h"
#include "multiclass/labels.h"
#include "multiclass/rule.h"

typedef struct thr_seen {
    uint64_t examples, mistakes, updates;
    uint64_t shuffles;           /* shuffled passes: the next one's order depends on it */
    double active;               /* features of all examples, the bias not counted */
    double max_norm2, max_value; /* R^2 and X */
    bool text;                   /* some features were made of running text */
    char format[16];             /* of the first example, "" if it was not parsed */
    char unicode[16];            /* version of the tables that made its text into words */
} thr_seen;

struct thr_model {
    thr_settings *settings;
    thr_reader_settings reader;
    thr_lexicon lexicon;
    thr_labels labels;
    thr_rule rule;
    thr_weights weights;
    thr_seen seen;
    uint32_t known;  /* ids below this came before the example at hand */
    uint32_t anchor; /* the label a shared function scores */
    bool lean;
    bool read_only; /* its map cannot be written to */
    void *map;      /* the file it was read from, or NULL */
    size_t map_size;
    thr_guard guard; /* over the map, where it is checked on first touch */
    double *score;   /* room for three numbers per label, for learning */
    size_t score_room;
};

/* Room for scoring; one per thread. */
struct thr_scratch {
    double *live, *shown, *label; /* label: per label, the others per function */
    size_t room;
    thr_bytes text;
    thr_contribution *part;
    size_t part_room;
    char **name; /* owned names of the parts */
    size_t name_room, names;
};

/* The format to expect: the one named in the settings, else that of the first example. */
const thr_format *thr_model_format(const thr_model *m);
const thr_features *thr_model_features_of(const thr_model *m);
bool thr_scratch_ready(thr_scratch *s, const thr_model *m);

/* Example e of a resolved batch, for a model in its present state. */
thr_example thr_model_example(const thr_model *m, const thr_batch *b, size_t e);
/* Whether the rule can take the values of an example; the error names the feature. */
int thr_model_check(const thr_model *m, const thr_batch *b, size_t e, thr_error *err);
/* Label scores in s->label; returns the predicted label, THR_NONE when none is known. */
uint32_t thr_model_score(const thr_model *m, thr_scratch *s, const thr_example *e);
/* Predicts, then learns. *predicted may be THR_NONE for "a label still unknown". */
int thr_model_learn(thr_model *m, const thr_batch *b, size_t e, uint32_t *predicted, bool *mistake,
                    thr_error *err);
/* One function for both of at most two labels? */
bool thr_model_shares(const thr_model *m);
/* The effective weight of a feature for a label. */
double thr_model_weight(const thr_model *m, uint32_t id, uint32_t label);
/* What no feature contributes to a label's score. */
double thr_model_rest(const thr_model *m, const thr_example *e, uint32_t label);
/* THR_EMODEL if a part looked at so far does not match its checksum. */
int thr_model_intact(const thr_model *m, thr_error *err);
/* The same, all that is left being looked at first: before a copy is made. */
int thr_model_touch_all(const thr_model *m, thr_error *err);
/* Parts a new model is made of, once settings are read; used by new and open. */
int thr_model_assemble(thr_model *m, thr_error *err);
/* THR_EUSE with a sentence for a model that cannot be trained. */
int thr_model_trainable(const thr_model *m, thr_error *err);
int thr_model_add_label(thr_model *m, thr_str name, uint32_t *label, thr_error *err);

#endif
