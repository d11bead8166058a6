/* The workspace: everything that one thread needs beside a model to predict or learn examples.
 *
 *   thr_workspace (one thread's)                 thr_model (may be shared)
 *
 *   cases[]    the examples of a stretch ----->  layout: the sizes of a case's arrays
 *   table[]    list of weight tables  -------->  member[k].weights
 *   lane[]     who works on which members:
 *     ahead    addresses of rows  ------------>  rows in these tables
 *   trace      notes for a listener              rule.moves points back here during one update
 *
 * The model holds what was learned and nothing else; the workspace holds intermediate results and
 * nothing that was learned: it can be cleared after any example without changing what is learned or
 * predicted. So several threads may predict with one const model, each with a workspace of its own.
 * Learning needs the model exclusively.
 *
 * Lanes. A lane is a run of members whose rows lie side by side and which one thread at a time
 * works on. There is one lane, unless the workspace has been given threads for learning (`crew`):
 * then the members are divided, and the lanes of a stretch are worked on at the same time
 * (stretch.h). Rows of different lanes do not share cache lines, so that threads do not wait for
 * each other's writes.
 *
 * A workspace serves any number of models, one after another, for learning or for predicting.
 * thr_workspace_prepare compares it with the model at each step, in a few comparisons, and lays it
 * out again if one of these has changed:
 *
 *   the model       recognised by the address of its array of members
 *   its layout      labels or members were added (model/layout.h)
 *   the purpose     learning and predicting list different tables, see `table`
 *   scratch         a rule asks for more of it as it learns (learner->room)
 *
 * The workspace points into the model: `table` to the members' tables, `ahead` and the cases' views
 * to rows. These addresses are valid while the model exists and no row moves; prefetch.h lists what
 * moves rows. Callers call thr_workspace_forget at the end of every batch, so a snapshot taken
 * between two calls, or a model freed there, finds no address left in use. */
#ifndef THR_STEP_WORKSPACE_H
#define THR_STEP_WORKSPACE_H

#include "step/case.h"
/* The prefetcher: prefetch.h explains when it runs and when its addresses become invalid. */
#include "step/prefetch.h"

struct thr_trace;

/* Members `first` to `end` - 1, and the part of the tables that is theirs. */
typedef struct thr_lane {
    uint32_t first, end;
    thr_prefetch ahead;
    char **row;  /* addresses of the rows of the example at hand, where they were not found ahead */
    char *spare; /* memory for rows of start values: features that have no row */
    size_t row_room, spare_room;
    char **found;  /* what thr_lane_find has found: these, or a list of `ahead` */
    size_t beside; /* as in thr_listed */
} thr_lane;

typedef struct thr_workspace {
    bool learning;      /* laid out for learning, else for predicting */
    const void *member; /* the member array of the model that it is laid out for */
    thr_case *cases;    /* the examples of the stretches under way (stretch.h); the first is the
                           one at hand in predicting */
    size_t n_cases;
    const thr_case *at; /* in a training run: the case that a watcher is told of (run/train.h) */
    /* The members' tables, in order. Learning leaves out a member that sits out (it has no rows
     * yet, see thr_model_sits_out), so that its rows take no memory beside the others'. Predicting
     * lists every member. */
    thr_weights **table;
    size_t tables, table_room;
    thr_lane *lane; /* in the order of members */
    size_t lanes, lane_room;
    thr_gathered *gathered; /* [member]: numbers that scoring has gathered from the rows, for the
                               update to reuse; in learning */
    double *fitted;         /* [member][label]: scratch of thr_case_fit */
    size_t gathered_room, fitted_room;
    struct thr_crew *crew;    /* threads for learning, borrowed; NULL: the caller's alone */
    bool single;              /* the caller looks at each example before the next is begun */
    bool shown;               /* the caller looks at the cases of all examples learned */
    thr_update_fn *on_update; /* the listener that is told of updates, or NULL */
    void *update_user;
    struct thr_trace *trace; /* made at the first learning step, if there is a listener */
    const char *file;        /* where the example at hand was read, for the listener; or NULL */
    uint64_t line;
} thr_workspace;

/* Frees everything the workspace owns; it can then be used again like a zeroed one. */
void thr_workspace_clear(thr_workspace *w);
/* Lays the workspace out for `cases` examples of m at once; those after the first are laid out when
 * they are begun (thr_workspace_case). Costs a few comparisons if it is laid out already. False:
 * out of memory. */
bool thr_workspace_prepare(thr_workspace *w, const thr_model *m, size_t cases, bool learning);
/* Case i of a workspace that is prepared for more than i. NULL: out of memory. */
thr_case *thr_workspace_case(thr_workspace *w, const thr_model *m, size_t i);
/* Finds the rows of `whole` in the lane's tables. In learning they must exist by now
 * (thr_weights_cover). False: out of memory. */
bool thr_lane_find(thr_lane *lane, const thr_example *whole);
/* Gives them to the views of c, which have n features. */
void thr_lane_give(thr_workspace *w, const thr_lane *lane, const thr_model *m, thr_case *c,
                   size_t n);
/* Announces example i of b, the one after the example that is about to be worked out: its rows are
 * prefetched during that step (prefetch.h). Does nothing at the end of the batch. */
void thr_lane_prefetch(thr_lane *lane, const thr_model *m, const thr_batch *b, size_t i,
                       bool learning);
/* The same for predicting, which has a single lane. */
void thr_workspace_prefetch(thr_workspace *w, const thr_model *m, const thr_batch *b, size_t i);
/* Forgets the addresses of rows: before rows move, a snapshot is taken, or the batch goes. */
void thr_workspace_forget(thr_workspace *w);

#endif
