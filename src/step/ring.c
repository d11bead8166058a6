/* Several stretches are under way at a time, in a ring, and each lane works on one after the other.
 *
 *     found           stretches that the learning thread has found, for any thread to work on
 *     lane[l].done    those that lane l has worked on
 *     finished        those that are decided and recorded
 *
 *     finished <= lane[l].done <= found <= finished + THR_UNDER_WAY
 *
 * The learning thread finds while there is room, finishes what all lanes have done, and else works
 * on a lane itself. So it neither waits for a thread that is busy elsewhere, nor do the others wait
 * while it finds or finishes. A lane is one thread's at a time (`busy`), and goes through the
 * stretches in order: its members learn what they would learn from one example after another.
 *
 * A thread writes a stretch, or the results of a lane, before it stores `found` or `done`; stores
 * release and loads acquire, so that the thread that reads the number sees what was written. Lanes
 * are laid out anew only while nothing is under way; a thread that looks for work then finds that
 * each lane has done what was found. */
#include "base/crew.h"
#include "model/inside.h"
#include "step/stretch.h"

#define FEW 4 /* examples for which the rows of those behind them are not made yet */

typedef struct ring {
    thr_workspace *w;
    thr_stretch next; /* begins where finding goes on; empty */
    const thr_lesson *end;
    uint64_t finished;
    bool alone; /* nothing may be found before all stretches are finished */
    bool ended; /* nothing will be found any more */
    int code;   /* what finding came to, or a review */
    thr_error *err;
    THR_APART(apart); /* what is above is the learning thread's alone */
    thr_stretch stretch[THR_UNDER_WAY];
    uint64_t found; /* atomic; written by the learning thread alone */
    size_t lanes;   /* atomic; likewise */
    bool failing;   /* atomic: some lane fails; `failure` is its own to write */
    int failed;     /* atomic: its code, once `failure` is written. Nothing more is learned */
    thr_error failure;
    struct {
        THR_APART(apart);
        uint64_t done; /* atomic */
        bool busy;     /* atomic */
    } lane[THR_MOST_MEMBERS];
} ring;

/* ---- lanes, in any thread ------------------------------------------------------------------ */

static uint64_t done_by(const ring *r, size_t l)
{
    return __atomic_load_n(&r->lane[l].done, __ATOMIC_ACQUIRE);
}

/* The lane with something to do that has done least, and that no thread works on; or `lanes`. */
static size_t most_behind(const ring *r, size_t lanes, uint64_t found)
{
    size_t most = lanes;
    for (size_t l = 0; l < lanes; l++) {
        bool free = done_by(r, l) < found && !__atomic_load_n(&r->lane[l].busy, __ATOMIC_RELAXED);
        if (free && (most == lanes || done_by(r, l) < done_by(r, most)))
            most = l;
    }
    return most;
}

/* The first failure is kept. Others may already have learned from later examples. */
static void work_stretch(ring *r, size_t l, const thr_stretch *s)
{
    thr_error err;
    int code = __atomic_load_n(&r->failed, __ATOMIC_RELAXED) ? 0 : thr_lane_work(s, l, &err);
    if (code && !__atomic_exchange_n(&r->failing, true, __ATOMIC_RELAXED)) {
        r->failure = err;
        __atomic_store_n(&r->failed, code, __ATOMIC_RELEASE);
    }
}

/* Works on one stretch in one lane. False: there is no lane to work on. Another thread may have
 * been quicker; then that is a reason to look again, not to wait. */
static bool work_some(void *user)
{
    ring *r = user;
    uint64_t found = __atomic_load_n(&r->found, __ATOMIC_ACQUIRE);
    size_t lanes = __atomic_load_n(&r->lanes, __ATOMIC_ACQUIRE), l = most_behind(r, lanes, found);
    if (l == lanes)
        return false;
    if (__atomic_exchange_n(&r->lane[l].busy, true, __ATOMIC_ACQUIRE))
        return true;
    uint64_t at = done_by(r, l);
    if (at < found) {
        work_stretch(r, l, &r->stretch[at % THR_UNDER_WAY]);
        __atomic_store_n(&r->lane[l].done, at + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&r->lane[l].busy, false, __ATOMIC_RELEASE);
    return true;
}

/* ---- finding and finishing, in the learning thread ----------------------------------------- */

/* A new label, or a review, may have changed the lanes. Nothing is under way. */
static void lay_lanes(ring *r)
{
    for (size_t l = 0; l < r->w->lanes; l++)
        __atomic_store_n(&r->lane[l].done, r->found, __ATOMIC_RELAXED);
    __atomic_store_n(&r->lanes, r->w->lanes, __ATOMIC_RELEASE);
}

/* Hands a stretch that has been found to the lanes. */
static void publish(ring *r, const thr_stretch *s)
{
    r->next.from += s->n;
    r->next.learned += s->n;
    r->next.lesson += s->n;
    r->next.top = s->top;
    r->ended |=
        r->w->shown || r->next.from == r->next.upto || (size_t)(r->end - r->next.lesson) < s->most;
    __atomic_store_n(&r->found, r->found + 1, __ATOMIC_RELEASE);
    thr_crew_wake(r->w->crew);
}

static bool may_find(const ring *r)
{
    uint64_t under_way = r->found - r->finished;
    return !r->ended && under_way < THR_UNDER_WAY && !(under_way && r->alone);
}

/* Finds the next stretch. False: there is none; the one that follows may have to wait until all
 * others are finished, since it begins with a new label. */
static bool find_next(ring *r)
{
    bool beside = r->found != r->finished;
    thr_stretch *s = &r->stretch[r->found % THR_UNDER_WAY];
    *s = r->next;
    s->at = r->found % THR_UNDER_WAY * s->most;
    if (beside)
        thr_stretch_know_last(&r->stretch[(r->found - 1) % THR_UNDER_WAY]);
    r->code = thr_stretch_take(s, beside, r->err);
    r->alone = s->n == 0 || s->n == thr_panel_until_review(&s->m->panel, s->learned);
    if (!beside && s->n) {
        int code = s->n < FEW ? 0 : thr_stretch_rows_ahead(s, r->err);
        r->code = code ? code : r->code;
        r->alone |= !s->ready;
        s->n = code ? 0 : s->n;
        lay_lanes(r);
    }
    r->ended = r->code || (s->n == 0 && !beside);
    if (s->n)
        publish(r, s);
    return s->n;
}

static bool is_done(const ring *r)
{
    for (size_t l = 0; l < r->lanes; l++)
        if (done_by(r, l) == r->finished)
            return false;
    return true;
}

/* Finishes the first of the stretches under way. */
static void finish_first(ring *r, size_t *learned)
{
    const thr_stretch *s = &r->stretch[r->finished++ % THR_UNDER_WAY];
    if (__atomic_load_n(&r->failed, __ATOMIC_ACQUIRE)) {
        r->ended = true;
        return;
    }
    thr_stretch_finish(s);
    *learned += s->n;
    int code = r->finished == r->found ? thr_stretch_review(s->m, r->w, r->err) : 0;
    r->ended |= code != 0;
    r->code = code ? code : r->code;
}

/* Does what is best at the moment. False: all is finished. */
static bool go_on(ring *r, size_t *learned)
{
    size_t worked = thr_crew_worked(r->w->crew);
    if (may_find(r) && find_next(r))
        return true;
    if (r->found == r->finished)
        return !r->ended;
    if (is_done(r))
        finish_first(r, learned);
    else if (work_some(r))
        thr_crew_wake(r->w->crew); /* the lane may have more to do */
    else
        thr_crew_wait(r->w->crew, worked);
    return true;
}

int thr_stretch_learn_all(const thr_stretch *first, size_t *learned, thr_error *err)
{
    ring r = {.w = first->w, .next = *first, .end = first->lesson + THR_LESSONS, .err = err};
    thr_crew_begin(r.w->crew, THR_CREW_FRONT, work_some, &r);
    while (go_on(&r, learned))
        ;
    thr_crew_end(r.w->crew, THR_CREW_FRONT);
    if (r.failed && err)
        *err = r.failure;
    return r.failed ? r.failed : r.code;
}
