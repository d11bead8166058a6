/* Provenance: a listener is told of every update, with the prediction that came before it and how
 * far each weight moved.
 *
 * A workspace has a trace only if there is a listener; otherwise the cost is one comparison with
 * NULL per member. During one member's update rule.moves points to `moves`, where the rule's moves
 * are recorded (multiclass/moves.h):
 *
 *   thr_trace_predicted    keep what every member predicted; adding a label will overwrite it
 *   thr_trace_begin        empty `moves`, let the rule record into it
 *   (the member learns, or does not)
 *   thr_trace_end          detach it, and call the listener if anything moved */
#ifndef THR_STEP_TRACE_H
#define THR_STEP_TRACE_H

#include "example/batch.h"
#include "model/member.h"
#include "multiclass/moves.h"
#include "step/case.h"

typedef struct thr_trace {
    thr_update_fn *fn;
    void *user;
    thr_moves moves; /* of the member that learns at the moment */
    uint32_t members;
    struct thr_told {
        uint32_t label; /* that it predicted; THR_NONE: no label, or one not met yet */
        double score;
        bool shared; /* one function served two labels at its last update: see `rescaled` */
    } * told;        /* per member */
    bool *chosen;    /* [member][label], multi-label data: whether the member predicted it */
    uint32_t labels; /* labels known at that prediction: the stride of `chosen` */
    thr_bytes text;  /* true label, tag and further true labels, each ended by a NUL */
    const char **list;
    thr_moved *moved;
    uint32_t *feature;
    size_t *place;
    size_t moved_room, feature_room, place_room, chosen_room, list_room;
} thr_trace;

/* What a member is told about an example, for the listener. Borrowed from the batch. */
typedef struct thr_cause {
    thr_str label, tag;
    const thr_str *also; /* true labels beside the first */
    size_t n_also;
    int pushed;       /* 0: the label is true; 1, -1: it is promoted or demoted */
    const char *file; /* where the example was read; NULL: not known */
    uint64_t line;
} thr_cause;

/* From now on `fn` is told of the updates of m. */
int thr_trace_new(thr_trace **out, const thr_model *m, thr_update_fn *fn, void *user,
                  thr_error *err);
void thr_trace_free(thr_trace *t);
/* Keeps the predictions of case c, before the label is looked at. False: out of memory. */
bool thr_trace_predicted(thr_trace *t, const thr_model *m, const thr_case *c);
/* Called before and after member k learns from e, or is passed over. thr_trace_end returns the
 * listener's code; a negative one stops the training. */
void thr_trace_begin(thr_trace *t, thr_member *k);
int thr_trace_end(thr_trace *t, thr_model *m, uint32_t member, const thr_example *e,
                  const thr_cause *cause, thr_error *err);

#endif
