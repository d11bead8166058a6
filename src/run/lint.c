/* Lint: reads everything, reports every problem and counts examples, labels and features. No
 * model is involved, so only the format of the data is checked. */
#include "input/reject.h"
#include "input/stream.h"
#include "lexicon/lexicon.h"
#include "model/settings.h"
#include "multiclass/labels.h"

#include <string.h>

typedef struct counts {
    thr_lexicon lexicon; /* of its own, to count different names */
    thr_labels labels;
    thr_lint_report *report;
    bool labelled;
} counts;

static int count_batch(counts *c, thr_stream *s, thr_batch *b, thr_error *err)
{
    int code = thr_reject_unusable(s, NULL, b, c->labelled, err);
    if (code == 0)
        code = thr_lexicon_resolve(&c->lexicon, b, err);
    for (size_t e = 0; e < b->n && code == 0; e++) {
        uint32_t label;
        if (b->about[e].label.p)
            code = thr_labels_add(&c->labels, b->about[e].label, &label, err);
        thr_list more = b->about[e].more;
        for (size_t i = 0; i < more.n && code == 0; i++)
            code = thr_labels_add(&c->labels, b->listed[more.from + i], &label, err);
        c->report->empty += b->start[e] == b->start[e + 1];
    }
    c->report->examples += b->n;
    c->report->repeated += b->repeated;
    c->report->bad_utf8 += b->bad_utf8;
    c->report->nul_bytes += b->nul_bytes;
    return code;
}

static int read_all(counts *c, thr_input *in, const thr_reader_settings *settings, thr_error *err)
{
    thr_stream *s = thr_stream_open(in, settings, 0, NULL, NULL, err);
    if (!s)
        return THR_EMEM;
    thr_batch *b;
    int code;
    while ((code = thr_stream_next(s, &b, err)) > 0)
        if ((code = count_batch(c, s, b, err)))
            break;
    thr_reading reading;
    thr_stream_reading(s, &reading);
    memcpy(c->report->formats, reading.formats, sizeof c->report->formats);
    c->report->problems = reading.skipped;
    thr_stream_close(s);
    return code;
}

int thr_lint(thr_input *in, thr_problem_fn *fn, void *user, thr_lint_report *report, thr_error *err)
{
    *report = (thr_lint_report){0};
    counts c = {.report = report, .labelled = in->labelled};
    thr_reader_settings settings;
    thr_settings *defaults = thr_settings_new();
    int code = defaults ? thr_settings_reader(defaults, &settings, err) : thr_fail_memory(err);
    thr_settings_free(defaults);
    settings.multilabel = true; /* several labels are valid data; training checks what it needs */
    settings.empty_sets = in->empty_sets;
    if (code == 0)
        code = thr_labels_init(&c.labels, NULL, err);
    if (code == 0)
        code = thr_lexicon_init(&c.lexicon, 0, 0, err);
    thr_input mine = *in; /* a copy, so that the caller's on_error stays as it is */
    thr_input_set_on_error(&mine, THR_REPORT, fn, user);
    if (code == 0)
        code = read_all(&c, &mine, &settings, err);
    report->labels = c.labels.n;
    report->features = c.lexicon.n ? c.lexicon.n - 1 : 0;
    thr_lexicon_clear(&c.lexicon);
    thr_labels_clear(&c.labels);
    return code;
}
