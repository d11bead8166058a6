/* A stretch: consecutive examples of a batch that go through a step together.
 *
 *   find      example by example: all that does not depend on what a member has learned. Features
 *             are counted and filtered, units learned, rows made, labels looked up, repeats noticed
 *             (find.c)
 *   lanes     each lane goes through the examples with its members: it finds the rows, scores, fits
 *             the members' calibrations and learns. Lanes may run at the same time (lane.c)
 *   finish    example by example: decides from the scores, compares with the truth, counts, and
 *             fits the mixture (step.c)
 *
 * Members are independent of each other given the examples, so the results are those of examples
 * that are learned one by one, whatever the length of a stretch. It ends before an example that
 * changes what members share while they learn: one with a new label. It also ends where the panel
 * is reviewed, which may pause members (model/review.h). Where every example may do so, or somebody
 * looks at the model in between, a stretch is one example (thr_stretch_most).
 *
 * With several threads several stretches are under way, in a ring (ring.c): the learning thread
 * finds examples ahead, and a lane goes on with the next stretch as soon as it is found.
 *
 *     learning thread   find 1 | find 2 | find 3 | lane b of 1 | finish 1 | find 4 | ...
 *     another thread           | lane a of 1 | lane a of 2 | lane b of 2 | ...
 *
 * What finding reads or changes (units, counts, labels, marks of repeated examples) no lane
 * touches. Rows are the exception: finding makes rows, and making them may move others. So the rows
 * of all examples that follow are made before the lanes begin (thr_stretch_rows_ahead); where that
 * is not possible, nothing is found meanwhile. */
#ifndef THR_STEP_STRETCH_H
#define THR_STEP_STRETCH_H

#include "step/step.h"

typedef struct thr_stretch {
    thr_model *m;
    thr_workspace *w;
    const thr_batch *b;
    const size_t *order;  /* in which b's examples are visited; NULL: their own */
    size_t from, n, upto; /* visits from .. from + n - 1; more follow if upto is beyond */
    uint64_t learned;     /* examples of the model before it */
    thr_lesson *lesson;   /* per example */
    size_t most;          /* as thr_stretch_most says */
    uint32_t top;         /* no id of it or of what follows is greater; 0: not known yet */
    size_t at;            /* its examples are the workspace's cases from number `at` on */
    bool ready;           /* no row will be made, moved or copied by finding those behind it */
    THR_APART(apart);     /* another thread reads one stretch while the next one is found */
} thr_stretch;

/* The number, in the batch, of the stretch's example n, or of one behind it. */
static inline size_t thr_stretch_example(const thr_stretch *s, size_t n)
{
    return s->order ? s->order[s->from + n] : s->from + n;
}
/* The last id given so far. Another thread may be giving ids to names of later batches. */
uint32_t thr_stretch_last_id(const thr_model *m);
/* Whether one example may be learned at a time and no more: the caller looks at each, or each may
 * change what members share. */
bool thr_stretch_single(const thr_model *m, const thr_workspace *w);
/* How many examples a stretch of m may have at most. */
size_t thr_stretch_most(const thr_model *m, const thr_workspace *w);
/* Prefetches what finding example i of b will read, while the example before it is found. */
void thr_stretch_expect(const thr_model *m, const thr_batch *b, size_t i);
/* Finds the example of case c, number i of b, in the model: everything but its labels. `made`: its
 * rows have been made ahead. */
int thr_stretch_find(thr_model *m, thr_workspace *w, thr_case *c, const thr_batch *b, size_t i,
                     bool made, thr_error *err);
/* Makes the rows of c->whole again, after labels have made rows wider. */
int thr_stretch_rows(thr_model *m, thr_workspace *w, const thr_case *c, thr_error *err);
/* Makes the rows of the stretch's examples and of all behind it, and sets s->ready. */
int thr_stretch_rows_ahead(thr_stretch *s, thr_error *err);
/* Notes that the features of c, example i of b, are known from the next example on. */
void thr_stretch_know(thr_model *m, const thr_case *c, const thr_batch *b, size_t i);
/* Tells the case its labels, all of which have numbers by now: what the example counts, and whether
 * it is met again. */
int thr_stretch_tell(thr_model *m, thr_case *c, const thr_batch *b, size_t i, thr_error *err);
/* Learns the stretch's next examples, as many as can take the short way of a single rule (alone.c),
 * and moves on behind them. The workspace is prepared. */
void thr_stretch_learn_alone(thr_stretch *s, size_t *learned);
/* Counts what is reported of the example. */
void thr_stretch_note(thr_model *m, const thr_case *c, const thr_batch *b, size_t i);
/* Makes the trace, if there is a listener and no trace for its members yet. */
int thr_workspace_listen(const thr_model *m, thr_workspace *w, thr_error *err);
/* Makes room for the update of a lane's members. */
int thr_lane_ready(thr_model *m, thr_lane *lane, const thr_case *c, thr_error *err);
/* Gives the case's views their rows in one lane; members convert what they have summed into units
 * that have just grown, once; then they score. */
int thr_lane_score(thr_model *m, thr_workspace *w, thr_lane *lane, thr_case *c, thr_error *err);
/* One lane works on the stretch. */
int thr_lane_work(const thr_stretch *s, size_t lane, thr_error *err);
/* Every lane does, in this thread. */
int thr_stretch_work(const thr_stretch *s, thr_error *err);

/* ---- the parts of a step (step.c), and the ring (ring.c) ------------------------------------- */

/* Finds examples until one fails, or the stretch ends. `beside`: another stretch is being worked
 * on, so this one may not begin with a new label either. */
int thr_stretch_take(thr_stretch *s, bool beside, thr_error *err);
/* From now on the features of the stretch's last example are known. */
void thr_stretch_know_last(const thr_stretch *s);
/* Decides, compares and records the examples, whose lanes are done. */
void thr_stretch_finish(const thr_stretch *s);
/* Reviews the panel after a stretch, if it is due. */
int thr_stretch_review(thr_model *m, thr_workspace *w, thr_error *err);
/* Learns stretch after stretch, in several threads, beginning with the examples of `first`: up to
 * THR_LESSONS of them. The workspace is prepared for THR_UNDER_WAY stretches. */
int thr_stretch_learn_all(const thr_stretch *first, size_t *learned, thr_error *err);

#endif
