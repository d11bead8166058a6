/* A model: settings, lexicon, labels, one rule with its weights or a panel of several, and what it
 * has seen. */
#ifndef THR_MODEL_MODEL_H
#define THR_MODEL_MODEL_H

#include "format/format.h"
#include "lexicon/lexicon.h"
#include "model/classes.h"
#include "model/groups.h"
#include "model/member.h"
#include "model/panel.h"
#include "model/repeats.h"
#include "model/settings.h"
#include "model/trace.h"
#include "model/workspace.h"

typedef struct thr_seen {
    uint64_t examples, mistakes, updates;
    uint64_t evicted;            /* features dropped to stay below the ceiling */
    uint64_t shuffles;           /* shuffled passes: the next one's order depends on it */
    double active;               /* features of all examples, the bias not counted */
    double max_norm2, max_value; /* R^2 and X, as the first member sees the examples */
    double squared, absolute;    /* regression: errors, summed */
    bool text;                   /* some features were made of running text */
    char format[16];             /* of the first example, "" if it was not parsed */
    char unicode[16];            /* version of the tables that made its text into words */
} thr_seen;

/* The file a model was read from, mapped; its snapshots and clones have it too. */
typedef struct thr_map {
    size_t owners;
    void *p;
    size_t size;
    thr_guard guard; /* where it is checked on first touch */
} thr_map;

struct thr_model {
    thr_settings *settings;
    thr_reader_settings reader;
    int unit; /* 1: examples are scaled to length 1; 0: not; -1: text, for rules that like it */
    thr_lexicon lexicon;
    thr_groups groups; /* of its features, where a rule asks for them */
    thr_labels labels;
    thr_classes classes; /* how much each label's examples count */
    thr_member *member;
    uint32_t members;  /* more than one: a panel */
    thr_layout layout; /* of what is worked out with them */
    thr_panel panel;
    thr_seen seen;
    thr_repeats repeats;
    uint32_t known;        /* ids below this came before the example at hand */
    uint32_t min_count;    /* a feature counts from so many occurrences on; 0: none are counted */
    uint32_t max_features; /* 0: no ceiling */
    thr_paged count;       /* occurrences of the ids below `counted`, if they are counted */
    size_t counted;
    uint32_t eligible; /* features that have come often enough */
    bool lean;
    bool race;      /* members only compete: no vote is held and no probability learned */
    bool read_only; /* its map cannot be written to */
    thr_map *map;   /* NULL: it was not read from a file */
    size_t owners;  /* of a snapshot; 1 of other models */
    bool snapshot;  /* nothing in it changes any more */
};

/* Room for learning, scoring and explaining; one per thread. */
struct thr_scratch {
    thr_workspace work;
    thr_bytes text;
    const char **list; /* labels predicted, then true ones */
    size_t list_room;
    thr_contribution *part;
    size_t part_room;
    char **name; /* owned names of the parts */
    size_t name_room, names;
    thr_reason *reason;
    thr_ground *ground;
    size_t reason_room, ground_room;
    thr_batch batch; /* of the text that is classified */
    thr_feature_scratch features;
    struct thr_work { /* what thr_work_out shows */
        size_t *feature;
        float *value;
        double *term; /* first, second and offset */
        thr_function *function;
        size_t feature_room, value_room, term_room, function_room;
    } shown;
};

/* What learning from one example showed. */
typedef struct thr_lesson {
    uint32_t predicted; /* THR_NONE for "a label still unknown"; of several the best one */
    bool mistake;
    double error; /* regression: the number less the one predicted */
} thr_lesson;

/* Whether it predicts numbers: what thr_model_regression says, for those who ask at each example.
 */
static inline bool thr_model_numbers(const thr_model *m)
{
    return m->member[0].rule.learner->flags & THR_REGRESSION;
}

/* The format to expect: the one named in the settings, else that of the first example. */
const thr_format *thr_model_format(const thr_model *m);
const thr_features *thr_model_features_of(const thr_model *m);
/* Whether member k, one of several, has sat out so far: there was no example it could take, and
 * its table is empty. */
bool thr_model_sits_out(const thr_model *m, uint32_t k);
/* Whether the rule can take an example's values and label; the error names what it cannot. And
 * whether that must be asked for the examples of a batch at all. */
bool thr_model_checks(const thr_model *m, const thr_batch *b);
int thr_model_check(const thr_model *m, const thr_batch *b, size_t e, thr_error *err);
/* Predicts: the label in *best, THR_NONE when none is known; scores and what else was worked out in
 * w->cases, where several labels may be true also which are predicted and which are. */
int thr_model_score(const thr_model *m, thr_workspace *w, const thr_batch *b, size_t e,
                    uint32_t *best, thr_error *err);
/* Predicts, then learns. */
int thr_model_learn(thr_model *m, thr_workspace *w, const thr_batch *b, size_t e, thr_lesson *out,
                    thr_error *err);
/* Moves one label's function up (+1) or down (-1) on an example, whatever it says. */
int thr_model_push(thr_model *m, thr_workspace *w, const thr_batch *b, size_t e, thr_str label,
                   int sign, thr_error *err);
/* Two parts of learning (record.c). What the truth says of the prediction in `out` and of
 * everyone's in c, made when `labels_then` labels were known: nothing in the model is changed. Then
 * what the model remembers of it. `known`: so was the label; `repeated`: the example has been met
 * before. */
void thr_case_compare(const thr_model *m, thr_case *c, const thr_batch *b, size_t i, uint32_t label,
                      uint32_t labels_then, thr_lesson *out);
void thr_case_record(thr_model *m, thr_case *c, uint32_t label, const thr_lesson *out, bool known,
                     bool repeated);
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
void thr_map_free(thr_map *map);  /* one owner less */
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
