/* Batches written in a format. */
#include "base/error.h"
#include "format/format.h"

#include <stdlib.h>

#define FLUSH ((size_t)1 << 20)

struct thr_output {
    const thr_format *format;
    thr_features features; /* plain: examples are written as they are */
    thr_writer writer;
    thr_write_fn *fn;
    void *user;
    int failure; /* the first one; nothing is written after it */
};

static int flush(thr_output *o, size_t least)
{
    thr_bytes *out = &o->writer.out;
    int code = out->n > least ? o->fn(o->user, out->p, out->n) : 0;
    if (out->n > least)
        out->n = 0;
    return code < 0 ? code : 0;
}

thr_output *thr_output_new(const char *format, thr_write_fn *fn, void *user, thr_error *err)
{
    const thr_format *f = thr_format_find(format ? format : "svmlight");
    if (!f || !f->write) {
        thr_fail(err, THR_EUSE, "there is no format '%s' to write", format);
        return NULL;
    }
    thr_output *o = calloc(1, sizeof *o);
    if (!o) {
        thr_fail_memory(err);
        return NULL;
    }
    o->format = f;
    o->fn = fn;
    o->user = user;
    thr_features_defaults(&o->features);
    o->features.bias = false;
    o->writer.features = &o->features;
    return o;
}

int thr_output_add(thr_output *o, const thr_batch *b, thr_error *err)
{
    if (o->failure)
        return thr_fail(err, o->failure, "writing has failed before");
    int code = thr_batch_status(b, err);
    if (code) /* the batch may be mended */
        return code;
    o->writer.batch = b;
    o->writer.err = err;
    for (size_t e = 0; e < b->n && code == 0; e++) {
        code = o->format->write(&o->writer, e);
        o->writer.written++;
        if (code == 0)
            code = flush(o, FLUSH);
    }
    o->failure = code;
    return code;
}

int thr_output_end(thr_output *o, thr_error *err)
{
    o->writer.err = err;
    int code = o->format->write_end ? o->format->write_end(&o->writer) : 0; /* frees its state */
    if (o->failure)
        code = thr_fail(err, o->failure, "writing has failed before");
    else if (code == 0)
        code = flush(o, 0);
    thr_bytes_clear(&o->writer.out);
    free(o);
    return code;
}
