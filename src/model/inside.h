/* What a model consists of.
 *
 * Only the files of model/, chain/, step/, file/ and combine/ include this header, and tests of these;
 * tests/cli/folders.sh checks it. All other folders use the functions of model.h. So everything
 * that learning, reading, mixing or dropping does to a model is found in five folders, and a field
 * can be changed without looking further.
 *
 *   settings      what the user asked for; everything else follows from it and from the examples
 *   reader        how input is read, derived from the settings
 *   lexicon       names of features <-> ids, in the order of first appearance
 *   labels        names of labels <-> numbers, in the order of first appearance
 *   member[]      one rule each, with its weights, kept examples and calibration; more than one
 *                 is a panel or a race
 *   panel         weights of the members' votes, and their blend
 *   seen          what is counted over all examples, for reports and for resuming
 *   repeats       marks of examples, to notice when the stream repeats itself
 *   units         how values are scaled
 *   classes       examples per label, and their weights
 *   thresholds    probabilities from which on a label of multi-label data is predicted
 *   count         occurrences per feature, if min-count asks for them
 *   layout        sizes that a case needs (step/case.h), derived from labels and members
 *   map           the mapped file that the model was read from; rows and names are used in place
 *
 * One thread may change a model at a time, and no other thread may use it meanwhile. Any number of
 * threads may use a const model at once. A snapshot (snapshot.c) never changes. */
#ifndef THR_MODEL_INSIDE_H
#define THR_MODEL_INSIDE_H

#include "learner/history.h"
#include "lexicon/lexicon.h"
#include "model/classes.h"
#include "model/groups.h"
#include "model/layout.h"
#include "model/member.h"
#include "model/model.h"
#include "model/panel.h"
#include "model/repeats.h"
#include "model/thresholds.h"
#include "model/units.h"

#include <time.h>

/* Sums over all examples learned from. All of it is saved. */
typedef struct thr_totals {
    uint64_t examples, mistakes, updates;
    uint64_t evicted;            /* features dropped because of max-features */
    uint64_t shuffles;           /* shuffled passes; the order of the next depends on it */
    double active;               /* features of all examples together, the bias not counted */
    double max_norm2, max_value; /* R^2 and X of the bounds, as the first member sees examples */
    double squared, absolute;    /* regression: sums of squared and of absolute errors */
    bool text;                   /* some features were made from running text */
    char format[16];             /* format of the first example, "" if it was not parsed */
    char unicode[16];            /* version of the Unicode tables that cut its text into words */
} thr_totals;

/* The bytes that a model was read from: in memory, or a mapped file. The model, its snapshots and
 * its clones own them together; the last of them unmaps them.
 *
 * A mapped file may be written to in place, by somebody else, when its chunks have been checked. So
 * the file stays open, and is compared with what it was when it was opened. A file that is replaced
 * under its name, as by saving, does not matter: the open one keeps its bytes. */
typedef struct thr_map {
    size_t owners;
    void *p;
    size_t size;
    int fd;                  /* the mapped file; -1: the bytes are in memory */
    struct timespec written; /* its time of modification when it was opened */
    thr_guard guard;         /* checks each chunk against its hash on first touch */
    bool checked;            /* all chunks are good, and the names have been checked; atomic */
} thr_map;

/* Gives up one ownership. */
void thr_map_free(thr_map *map);

struct thr_model {
    thr_settings *settings;
    thr_reader_settings
        reader; /* unit off, bias on: each member's view scales and drops the bias */
    int unit;   /* 1: examples are scaled to length 1; 0: not; -1: text, for rules that like it */
    thr_lexicon lexicon;
    thr_groups groups; /* fields of the features; empty unless some rule compares fields */
    thr_labels labels;
    thr_classes classes;
    thr_thresholds thresholds; /* of multi-label data; else without labels */
    thr_units units;
    thr_member *member; /* its address identifies the model to a workspace */
    uint32_t members;   /* at least 1 */
    thr_layout layout;
    thr_panel panel; /* all zero (no experts) unless the learner is a panel */
    thr_totals seen;
    thr_repeats repeats;
    /* Ids below this occurred in examples learned before the one at hand. The lexicon may have
     * given further ids to the rest of the batch: they must not show, or the model would depend on
     * where a batch ends. A lean model keeps the value though it has fewer features. */
    uint32_t known;
    THR_APART(apart);      /* what stands before it, from the panel on, changes with each example */
    uint32_t beam;         /* of taggers: tags of a token that are followed; 0: all */
    uint32_t min_count;    /* a feature counts from this occurrence on; 0: not counted */
    uint32_t max_features; /* 0: any number */
    thr_limits limits;     /* of the run at hand; not saved */
    thr_paged count;       /* uint32_t per id below `counted`: its occurrences */
    size_t counted;
    uint32_t eligible; /* features with at least min_count occurrences, the bias not counted */
    bool lean;         /* keeps only what predicting needs; cannot be trained */
    bool race;         /* members only compete: no vote is held and no probability learned */
    bool read_only;    /* its map cannot be written to */
    thr_map *map;      /* NULL: it was not read from a file */
    size_t owners;     /* references to a snapshot; 1 for other models */
    bool snapshot;     /* nothing in it changes any more, except `owners` */
};

/* Whether it predicts numbers: thr_model_regression, inlined for the steps. */
static inline bool thr_model_numbers(const thr_model *m)
{
    return m->member[0].rule.learner->flags & THR_REGRESSION;
}

/* Whether a panel decides by its mixture, which may be of one member. */
static inline bool thr_model_mixes(const thr_model *m)
{
    return thr_panel_mixes(&m->panel) && !m->race;
}

/* Whether the labels of multi-label data are predicted by their probabilities. Models of the first
 * rules go by the sign of the score. */
static inline bool thr_model_by_probability(const thr_model *m)
{
    return m->reader.multilabel && m->member[0].rule.rules > THR_RULES_FIRST;
}

/* Whether the members' predictions are combined, by a mixture or a vote; else the first member's is
 * the model's. */
static inline bool thr_model_combines(const thr_model *m)
{
    return (m->members > 1 && !m->race) || thr_model_mixes(m);
}

#endif
