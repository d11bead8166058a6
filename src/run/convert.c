/* Conversion: batches are read in one format and their examples written in another.
 *
 * Running text stays text if the target format can hold it and no setting of features was given.
 * Otherwise it becomes features, as training would make them, but without the bias and in general
 * not scaled: a model that reads the result adds both. */
#include "input/stream.h"
#include "model/settings.h"

#include <string.h>

#define FLUSH ((size_t)1 << 20)

/* The settings for reading. Automatic scaling (unit -1) is switched off; so is any scaling if
 * the target is a cache, which leaves it to its readers. */
static int reader_for(const thr_settings *s, const thr_format *target, thr_reader_settings *out,
                      thr_error *err)
{
    thr_settings *defaults = s ? NULL : thr_settings_new();
    if (!s && !defaults)
        return thr_fail_memory(err);
    int code = thr_settings_reader(s ? s : defaults, out, err);
    thr_settings_free(defaults);
    const char *asked = s ? thr_settings_given_of_features(s) : NULL;
    if (code == 0 && asked && !(target->holds & (THR_HOLDS_INTEGERS | THR_HOLDS_NAMES)))
        return thr_fail(err, THR_EUSE,
                        "%s holds text and not features, so it cannot hold what %s "
                        "asks for",
                        target->name, asked);
    out->features.raw = (target->holds & THR_HOLDS_TEXT) && !asked;
    if (out->features.unit == -1 || (target->holds & THR_SCALES_LATER))
        out->features.unit = 0;
    out->features.bias = false;
    out->multilabel = true; /* all labels are carried over */
    return code;
}

/* An example that the target format cannot hold is reported as an error in the data, with its
 * place, whatever code the writer returned. */
static int write_batch(thr_writer *w, const thr_format *f, const thr_stream *s, const thr_batch *b,
                       thr_write_fn *fn, void *user)
{
    w->batch = b;
    for (size_t e = 0; e < b->n; e++) {
        int code = f->write(w, e);
        if (code == THR_EMEM)
            return code;
        if (code) {
            w->err->code = THR_EDATA;
            return thr_stream_place(s, b, e, w->err);
        }
        w->written++;
        if (w->out.n > FLUSH) {
            code = fn(user, w->out.p, w->out.n);
            w->out.n = 0;
            if (code)
                return code;
        }
    }
    return 0;
}

typedef struct conversion {
    const thr_format *target;
    thr_stream *stream;
    thr_lexicon names; /* gives ids, for a writer that numbers names by them (writer.by_id) */
    thr_writer writer;
    thr_write_fn *fn;
    void *user;
} conversion;

static int write_all(conversion *c, thr_error *err)
{
    thr_batch *b;
    thr_writer *w = &c->writer;
    int code;
    while ((code = thr_stream_next(c->stream, &b, err)) > 0) {
        code = w->by_id ? thr_lexicon_resolve(&c->names, b, err) : 0;
        if (code == 0)
            code = write_batch(w, c->target, c->stream, b, c->fn, c->user);
        if (code)
            break;
    }
    if (c->target->write_end) { /* frees the writer's state, also after a failure */
        int last = c->target->write_end(w);
        code = code ? code : last;
    }
    if (code == 0 && w->out.n)
        code = c->fn(c->user, w->out.p, w->out.n);
    thr_bytes_clear(&w->out);
    return code;
}

int thr_convert(thr_input *in, const char *format, const thr_settings *s, thr_write_fn *fn,
                void *user, thr_reading *reading, uint64_t *examples, thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    const thr_format *target = thr_format_find(format);
    if (!target)
        return thr_format_unknown(format, err);
    thr_reader_settings settings;
    int code = reader_for(s, target, &settings, err);
    if (code)
        return code;
    conversion c = {.target = target, .fn = fn, .user = user};
    c.writer = (thr_writer){.features = &settings.features, .err = err};
    c.writer.by_id = target->holds & THR_NUMBERS_NAMES;
    settings.empty_sets = in->empty_sets;
    code = thr_lexicon_init(&c.names, 0, 0, err);
    if (code)
        return code;
    thr_lookup known;
    if (c.writer.by_id)
        code = thr_lexicon_open_to_readers(&c.names, &known, err);
    if (code == 0)
        c.stream = c.writer.by_id ? thr_stream_open_known(in, &settings, &known, NULL, NULL, err)
                                  : thr_stream_open(in, &settings, 0, NULL, NULL, err);
    code = c.stream ? write_all(&c, err) : THR_EMEM;
    if (reading && c.stream)
        thr_stream_reading(c.stream, reading);
    if (examples)
        *examples = c.writer.written;
    thr_stream_close(c.stream);
    thr_lexicon_close_to_readers(&c.names);
    thr_lexicon_clear(&c.names);
    return code;
}
