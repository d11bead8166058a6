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
#include "model/sheet.h"
#include "model/trace.h"

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
    uint32_t *count;       /* occurrences of the ids below `counted`, if they are counted */
    size_t counted, count_room;
    uint32_t eligible; /* features that have come often enough */
    bool lean;
    bool race;      /* members only compete: no vote is held and no probability learned */
    bool read_only; /* its map cannot be written to */
    void *map;      /* the file it was read from, or NULL */
    size_t map_size;
    thr_guard guard;  /* over the map, where it is checked on first touch */
    thr_sheet sheet;  /* for learning */
    thr_trace *trace; /* who is told of updates, or NULL */
};

/* Room for scoring and explaining; one per thread. */
struct thr_scratch {
    thr_sheet sheet;
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
    } work;
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
/* Label scores in s->answer, and the predicted label, THR_NONE when none is known. */
int thr_model_score(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t e, uint32_t *best,
                    thr_error *err);
/* Where several labels may be true, s->chosen says which are predicted and s->truth which are.
 * The labels' probabilities in s->probability and their logarithms in s->chances, after scoring. */
void thr_model_chances(const thr_model *m, thr_sheet *s);
/* ... the logarithms alone. */
void thr_model_log_chances(const thr_model *m, thr_sheet *s);
/* How far the positive one of two labels leads, by which examples can be ranked. */
double thr_model_lead(const thr_model *m, const thr_sheet *s);
/* Example e is next but one: its rows are brought nearer. */
void thr_model_prefetch(thr_model *m, const thr_batch *b, size_t e);
/* All members and the answer, which may be a label still unknown. `round` numbers the draw of a
 * random vote, NULL for none. */
uint32_t thr_model_score_all(const thr_model *m, thr_sheet *s, const thr_example *whole,
                             const uint64_t *round);
/* What the label says of the prediction in `out` and of everyone's, made when `labels_then` labels
 * were known. `repeated`: the example has been met before. */
void thr_model_judge(thr_model *m, const thr_example *whole, uint32_t labels_then, thr_lesson *out,
                     bool repeated);
/* Predicts, then learns. */
int thr_model_learn(thr_model *m, const thr_batch *b, size_t e, thr_lesson *out, thr_error *err);
/* Moves one label's function up (+1) or down (-1) on an example, whatever it says. */
int thr_model_push(thr_model *m, const thr_batch *b, size_t e, thr_str label, int sign,
                   thr_error *err);
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
/* Parts a new model is made of, once settings are read; used by new and open. */
int thr_model_assemble(thr_model *m, thr_error *err);
/* Rules that compare fields are told which features make one. */
int thr_model_group(thr_model *m, thr_error *err);
/* Places in the sheet, after the number of functions has changed. */
void thr_model_lay_out(thr_model *m);
/* THR_EUSE with a sentence for a model that cannot be trained. */
int thr_model_trainable(const thr_model *m, thr_error *err);
/* One member more, to race against the others: from now on no vote is held. `lenient`: a policy
 * that the rule does not have is not an error. */
int thr_model_enter(thr_model *m, const char *spec, bool lenient, thr_error *err);
int thr_model_add_label(thr_model *m, thr_str name, uint32_t *label, thr_error *err);

#endif
