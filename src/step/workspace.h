/* The workspace: what one thread needs beside a model while it learns from examples or predicts
 * them. It holds the examples being worked out (cases), the list of the members' tables, the
 * prefetcher and, if somebody asked to be told of updates, the trace. The model holds what was
 * learned and nothing else.
 *
 * A workspace serves any model, one after another, for learning or for predicting: it lays itself
 * out when the model, the model's layout or the purpose has changed. Addresses found ahead must be
 * forgotten before the model changes hands (thr_workspace_forget). */
#ifndef THR_STEP_WORKSPACE_H
#define THR_STEP_WORKSPACE_H

#include "step/ahead.h"
#include "step/case.h"

struct thr_trace;

typedef struct thr_workspace {
    bool learning;       /* laid out for learning */
    const void *member;  /* of the model that it is laid out for */
    thr_case *cases;     /* the first is the example at hand; more where several are worked out */
    size_t n_cases;      /* together */
    thr_weights **table; /* of the members, but in learning of none that sits out */
    size_t tables, table_room;
    thr_ahead ahead;
    thr_update_fn *on_update; /* who is told of updates, or NULL */
    void *update_user;
    struct thr_trace *trace; /* made when learning begins, if there is somebody to tell */
    const char *file;        /* where the example at hand stands; NULL: not known */
    uint64_t line;
} thr_workspace;

void thr_workspace_clear(thr_workspace *w);
/* Room for `cases` examples of m at once. False: out of memory. */
bool thr_workspace_prepare(thr_workspace *w, const thr_model *m, size_t cases, bool learning);
/* Finds the rows of case c, whose example is i of b, and each member's view of it. */
bool thr_workspace_find(thr_workspace *w, const thr_model *m, thr_case *c, const thr_example *whole,
                        const thr_batch *b, size_t i);
/* Example i is next: its rows are prefetched while the one before it is worked out. */
void thr_workspace_prefetch(thr_workspace *w, const thr_model *m, const thr_batch *b, size_t i,
                            bool learning);
/* Before rows move, or the batch goes. */
void thr_workspace_forget(thr_workspace *w);

#endif
