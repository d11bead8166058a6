/* All examples of an input in memory: the public face of a corpus (corpus.h). */
#include "input/data.h"

#include <stdlib.h>
#include <string.h>

/* Copies the names of the files; examples of one file follow one another. */
static int keep_files(thr_data *d, thr_error *err)
{
    const char *theirs = NULL, *ours = NULL;
    for (size_t e = 0; e < d->kept.store.all.n; e++) {
        struct thr_place *p = &d->kept.place[e];
        if (p->file != theirs) {
            theirs = p->file;
            ours = thr_arena_copy(&d->files, theirs, strlen(theirs) + 1);
        }
        if (!ours)
            return thr_fail_memory(err);
        p->file = ours;
    }
    return 0;
}

thr_data *thr_data_read(const thr_settings *s, const thr_input *in, const thr_data_options *o,
                        thr_error *err)
{
    static const thr_data_options defaults = {0};
    thr_error local;
    err = err ? err : &local;
    o = o ? o : &defaults;
    if (THR_CHECK_RESERVED(thr_data_options, o, err))
        return NULL;
    thr_data *d = calloc(1, sizeof *d);
    if (!d) {
        thr_fail_memory(err);
        return NULL;
    }
    thr_model *reader = thr_model_new(s, err);
    int code = reader ? 0 : err->code;
    if (code == 0)
        code = thr_corpus_read(&d->kept, reader, false, in, o->progress, o->user, err);
    if (code == 0)
        code = keep_files(d, err);
    thr_model_free(reader);
    if (code) {
        thr_data_free(d);
        return NULL;
    }
    for (size_t e = 0; o->count_once && e < d->kept.store.all.n; e++)
        d->kept.store.all.about[e].importance = 1;
    return d;
}

void thr_data_free(thr_data *d)
{
    if (!d)
        return;
    thr_corpus_clear(&d->kept);
    thr_arena_clear(&d->files);
    free(d);
}

void thr_data_arrays_of(const thr_data *d, thr_data_arrays *out)
{
    const thr_batch *b = &d->kept.store.all;
    *out = (thr_data_arrays){.examples = b->n,
                             .features = d->kept.names.n,
                             .start = b->start,
                             .feature = b->id,
                             .value = b->has_values ? b->value : NULL};
}

bool thr_data_example_at(const thr_data *d, size_t example, thr_data_example *out)
{
    const thr_batch *b = &d->kept.store.all;
    if (example >= b->n)
        return false;
    const thr_example_info *a = &b->about[example];
    *out = (thr_data_example){.label = a->label.p,
                              .label_size = a->label.n,
                              .importance = a->importance,
                              .text = a->from_text,
                              .file = d->kept.place[example].file,
                              .line = d->kept.place[example].line};
    return true;
}

bool thr_data_feature_at(const thr_data *d, size_t feature, thr_data_feature *out)
{
    *out = (thr_data_feature){0};
    if (feature >= d->kept.names.n)
        return false;
    if (feature == 0)
        return true;
    thr_str ns, name = thr_lexicon_name(&d->kept.names, (uint32_t)feature, out->digits, &ns);
    out->name = name.p;
    out->name_size = name.n;
    out->ns = ns.p;
    out->ns_size = ns.n;
    return true;
}

int thr_data_find_feature(const thr_data *d, const char *ns, size_t ns_size, const char *name,
                          size_t name_size, size_t *feature, thr_error *err)
{
    thr_batch one;
    thr_batch_init(&one);
    thr_batch_named(&one, thr_batch_namespace(&one, (thr_str){ns, ns_size}),
                    (thr_str){name, name_size}, 1);
    int code = one.failed ? thr_fail_memory(err) : thr_lexicon_find(&d->kept.names, &one, err);
    *feature = code || one.id[0] == THR_NONE ? THR_UNKNOWN_FEATURE : one.id[0];
    thr_batch_release(&one);
    return code;
}

void thr_data_reading(const thr_data *d, thr_reading *out)
{
    *out = d->kept.reading;
}
