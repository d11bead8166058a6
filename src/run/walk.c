/* A walk over an input (walk.h). The model is const throughout, so the threads that parse also look names up, and
 * unknown names have THR_NONE. A damaged model file may be noticed only while its weights are read;
 * thr_model_intact is therefore asked after each batch. */
#include "run/walk.h"

#include "step/names.h"

#include <math.h>

/* Batches of a cache have not been looked up yet. */
static int use_batch(thr_walk *w, thr_batch *b)
{
    int code = w->check ? w->check(w, b) : 0;
    if (code == 0 && !b->looked_up)
        code = thr_model_find(w->m, b, w->err);
    if (code == 0)
        code = w->use(w, b);
    if (code == 0)
        code = thr_model_intact(w->m, w->err);
    if (code || !w->progress)
        return code;
    thr_stream_progress(w->stream, &w->told.bytes, &w->told.total_bytes);
    w->told.pass = 1;
    return w->progress(w->progress_user, &w->told) ? thr_fail(w->err, THR_ECANCEL, "stopped") : 0;
}

int thr_walk_input(thr_walk *w, thr_input *in, thr_reading *reading)
{
    w->told.mean_squared = NAN;
    thr_lookup names = thr_model_lookup(w->m);
    w->stream = thr_stream_open_known(in, thr_model_reader(w->m), &names, thr_model_format(w->m),
                                      NULL, w->err);
    int code = w->stream ? 0 : thr_fail_memory(w->err);
    thr_batch *b;
    while (code == 0 && (code = thr_stream_next(w->stream, &b, w->err)) > 0)
        code = use_batch(w, b);
    if (reading && w->stream)
        thr_stream_reading(w->stream, reading);
    thr_stream_close(w->stream);
    return code;
}
