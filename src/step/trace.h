/* Provenance: a listener is told of every update, with what was predicted before it and how far
 * each weight went. A workspace without a listener has no trace. */
#ifndef THR_STEP_TRACE_H
#define THR_STEP_TRACE_H

#include "example/batch.h"
#include "model/member.h"
#include "multiclass/moves.h"
#include "step/case.h"

typedef struct thr_trace {
    thr_update_fn *fn;
    void *user;
    thr_moves moves;
    uint32_t members;
    struct thr_told {
        uint32_t label; /* predicted, THR_NONE: none that is known */
        double score;
        bool shared; /* its one function served two labels when it was last looked at */
    } * told;        /* per member */
    bool *chosen;    /* [member][label], where an example may have several: predicted */
    uint32_t labels; /* known when that was predicted */
    thr_bytes text;  /* truth, tag and labels beside, each with a NUL behind it */
    const char **list;
    thr_moved *moved;
    uint32_t *feature;
    size_t *place;
    size_t moved_room, feature_room, place_room, chosen_room, list_room;
} thr_trace;

/* What a member is told of an example. */
typedef struct thr_cause {
    thr_str label, tag;
    const thr_str *also; /* labels beside the first */
    size_t n_also;
    int pushed;       /* 0: the label is true; 1, -1: it is promoted or demoted */
    const char *file; /* where the example stands; NULL: not known */
    uint64_t line;
} thr_cause;

/* `fn` is told of the updates of m from now on. */
int thr_trace_new(thr_trace **out, const thr_model *m, thr_update_fn *fn, void *user,
                  thr_error *err);
void thr_trace_free(thr_trace *t);
/* Case c has been predicted; the label has not been looked at. False: out of memory. */
bool thr_trace_predicted(thr_trace *t, const thr_model *m, const thr_case *c);
/* Before and after a member learns from e, which it may not do. */
void thr_trace_begin(thr_trace *t, thr_member *k);
int thr_trace_end(thr_trace *t, thr_model *m, uint32_t member, const thr_example *e,
                  const thr_cause *cause, thr_error *err);

#endif
