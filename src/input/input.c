/* Inputs: the description of what is to be read, and how. Nothing is opened here. */
#include "base/error.h"
#include "example/conjoin.h"
#include "input/stream.h"
#include "model/settings.h"
#include "source/source.h"

#include <stdlib.h>
#include <string.h>

thr_input *thr_input_new(void)
{
    thr_input *in = calloc(1, sizeof *in);
    if (in) {
        in->max_line = THR_DEFAULT_MAX_LINE;
        in->max_active = THR_MAX_ACTIVE;
        in->limits.labels = THR_DEFAULT_MAX_LABELS;
        in->labelled = true;
    }
    return in;
}

void thr_input_free(thr_input *in)
{
    for (size_t i = 0; in && i < in->n_parts; i++) {
        free(in->part[i].path);
        free(in->part[i].name);
    }
    free(in ? in->part : NULL);
    free(in);
}

const char *thr_input_name(const thr_input *in, size_t part)
{
    const char *name = in->part[part].name;
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

thr_source *thr_input_open_part(const thr_input *in, size_t part, thr_error *err)
{
    const thr_input_part *p = &in->part[part];
    return p->path   ? thr_source_open(p->path, err)
           : p->read ? thr_source_reader(p->read, p->user, p->name, err)
                     : thr_source_memory(p->bytes, p->size, p->name, err);
}

/* Takes ownership of path and name, also if it fails. A NULL name means that strdup failed. */
static int add(thr_input *in, thr_input_part part, thr_error *err)
{
    if (!part.name || !thr_grow(&in->part, &in->part_room, in->n_parts + 1, sizeof *in->part)) {
        free(part.path);
        free(part.name);
        return thr_fail_memory(err);
    }
    in->part[in->n_parts++] = part;
    return 0;
}

int thr_input_add_file(thr_input *in, const char *path, thr_error *err)
{
    char *copy = strdup(path);
    if (!copy)
        return thr_fail_memory(err);
    return add(in, (thr_input_part){.path = copy, .name = strdup(path)}, err);
}

int thr_input_add_memory(thr_input *in, const void *bytes, size_t size, const char *name,
                         thr_error *err)
{
    if (!bytes && size)
        return thr_fail(err, THR_EUSE, "%zu bytes of memory are given as NULL", size);
    return add(
        in,
        (thr_input_part){.bytes = bytes, .size = size, .name = strdup(name ? name : "<memory>")},
        err);
}

int thr_input_add_reader(thr_input *in, thr_read_fn *read, void *user, const char *name,
                         thr_error *err)
{
    if (!read)
        return thr_fail(err, THR_EUSE, "an input needs a function to read from");
    return add(
        in, (thr_input_part){.read = read, .user = user, .name = strdup(name ? name : "<reader>")},
        err);
}

int thr_input_set_shard(thr_input *in, unsigned shard, unsigned shards, thr_error *err)
{
    if (shard >= shards)
        return thr_fail(err, THR_EUSE, "there is no shard %u of %u: shards are numbered from 0",
                        shard, shards);
    in->shard = shard;
    in->shards = shards;
    return 0;
}

int thr_input_set_format(thr_input *in, const char *format, thr_error *err)
{
    in->format = NULL;
    if (!format || strcmp(format, "auto") == 0)
        return 0;
    in->format = thr_format_find(format);
    if (in->format)
        return 0;
    return thr_format_unknown(format, err);
}

int thr_input_set_columns(thr_input *in, const char *columns, thr_error *err)
{
    return thr_columns_parse(columns, &in->columns, err);
}

void thr_input_set_max_line(thr_input *in, size_t bytes)
{
    in->max_line = bytes;
}

void thr_input_set_max_active(thr_input *in, size_t features)
{
    in->max_active = features;
}

void thr_input_set_max_labels(thr_input *in, size_t labels)
{
    in->limits.labels = labels < UINT32_MAX ? (uint32_t)labels : UINT32_MAX;
}

void thr_input_set_memory(thr_input *in, uint64_t bytes)
{
    in->limits.memory = bytes;
}

void thr_input_set_threads(thr_input *in, unsigned threads)
{
    in->threads = threads;
}

void thr_input_set_labelled(thr_input *in, bool labelled)
{
    in->labelled = labelled;
}

void thr_input_set_empty_sets(thr_input *in, bool on)
{
    in->empty_sets = on;
}

void thr_input_set_detect_labels(thr_input *in, bool on)
{
    in->detect_labels = on;
}

void thr_input_set_strict(thr_input *in, bool strict)
{
    in->strict = strict;
}

void thr_input_set_on_error(thr_input *in, enum thr_on_error mode, thr_problem_fn *fn, void *user)
{
    in->on_error = mode;
    in->problem = fn;
    in->user = user;
}

bool thr_input_rereadable(const thr_input *in)
{
    for (size_t i = 0; i < in->n_parts; i++)
        if (in->part[i].read || (in->part[i].path && !thr_source_rereadable(in->part[i].path)))
            return false;
    return true;
}
