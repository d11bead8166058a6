/* One loop over a batch, then one sweep. */
#include "input/reject.h"

int thr_reject_unusable(thr_stream *s, const thr_model *m, thr_batch *b, bool needs_label,
                        thr_error *err)
{
    bool checks = m && thr_model_checks(m, b);
    for (size_t e = 0; e < b->n; e++) {
        int code = 0;
        if (needs_label && !b->about[e].label.p && !b->about[e].none)
            code = thr_stream_unlabelled(s, b, e, err);
        else if (checks && thr_model_check(m, b, e, err))
            code = thr_stream_reject(s, b, e, err);
        if (code)
            return code;
    }
    thr_batch_sweep(b);
    return 0;
}

bool thr_reject_nothing(const thr_batch *b)
{
    bool nothing = b->n_listed == 0;
    for (size_t e = 0; e < b->n && nothing; e++)
        nothing = b->about[e].label.p || b->about[e].none;
    return nothing;
}
