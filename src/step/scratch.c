/* Making and freeing a scratch. */
#include "step/scratch.h"

#include "step/trace.h"

#include <stdlib.h>

thr_scratch *thr_scratch_new(void)
{
    return calloc(1, sizeof(thr_scratch));
}

void thr_scratch_forget_names(thr_scratch *s)
{
    while (s->names)
        free(s->name[--s->names]);
}

void thr_scratch_free(thr_scratch *s)
{
    if (!s)
        return;
    thr_scratch_forget_names(s);
    free(s->name);
    free(s->part);
    free(s->list);
    free(s->reason);
    free(s->ground);
    thr_workspace_clear(&s->work);
    thr_bytes_clear(&s->text);
    thr_batch_release(&s->batch);
    free(s->shown.feature);
    free(s->shown.value);
    free(s->shown.term);
    free(s->shown.function);
    thr_feature_scratch_clear(&s->features);
    free(s);
}

/* The old trace belongs to the old listener; the next learning step makes another. */
void thr_scratch_on_update(thr_scratch *s, thr_update_fn *fn, void *user)
{
    thr_trace_free(s->work.trace);
    s->work.trace = NULL;
    s->work.on_update = fn;
    s->work.update_user = user;
}
