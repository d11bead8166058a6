/* What a model consists of. Only the files of model/ include this; everybody else goes through the
 * functions of model.h, so that what learning changes is changed here alone. */
#ifndef THR_MODEL_INSIDE_H
#define THR_MODEL_INSIDE_H

#include "lexicon/lexicon.h"
#include "model/classes.h"
#include "model/groups.h"
#include "model/layout.h"
#include "model/member.h"
#include "model/model.h"
#include "model/panel.h"
#include "model/repeats.h"

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

void thr_map_free(thr_map *map); /* one owner less */

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

/* Whether it predicts numbers: what thr_model_regression says, for those who ask at each example.
 */
static inline bool thr_model_numbers(const thr_model *m)
{
    return m->member[0].rule.learner->flags & THR_REGRESSION;
}

#endif
