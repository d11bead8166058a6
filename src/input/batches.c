/* The public functions that fill a batch from a caller's own data. Everything a caller passes
 * is copied into the batch. Functions without a result report a failed allocation by b->failed,
 * which is checked when the batch is used. */
#include "input/batches.h"

#include "base/error.h"
#include "base/number.h"
#include "step/step.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

thr_batch *thr_batch_new(void)
{
    thr_batch *b = malloc(sizeof *b);
    if (b)
        thr_batch_init(b);
    return b;
}

void thr_batch_free(thr_batch *b)
{
    if (b)
        thr_batch_release(b);
    free(b);
}

void thr_batch_clear(thr_batch *b)
{
    thr_batch_reset(b);
}

size_t thr_batch_size(const thr_batch *b)
{
    return b->n;
}

/* ---- filling ------------------------------------------------------------------------------ */

thr_str thr_batch_keep(thr_batch *b, const char *text, size_t n)
{
    const char *copy = thr_arena_copy(&b->arena, text, n);
    b->failed |= !copy;
    return (thr_str){copy ? copy : "", copy ? n : 0};
}

void thr_batch_begin(thr_batch *b)
{
    thr_batch_open(b, (uint32_t)b->n);
}

void thr_batch_set_label(thr_batch *b, const char *label)
{
    thr_batch_label(b, thr_batch_keep(b, label, strlen(label)));
}

void thr_batch_add_label(thr_batch *b, const char *label)
{
    thr_batch_also_label(b, thr_batch_keep(b, label, strlen(label)));
}

void thr_batch_add_candidate(thr_batch *b, const char *label)
{
    thr_batch_candidate(b, thr_batch_keep(b, label, strlen(label)));
}

void thr_batch_set_importance(thr_batch *b, float importance)
{
    if (b->is_open)
        b->about[b->n].importance = importance;
}

void thr_batch_set_tag(thr_batch *b, const char *tag)
{
    if (b->is_open)
        b->about[b->n].tag = thr_batch_keep(b, tag, strlen(tag));
}

/* The number of a namespace; NULL and "" are the empty one. */
static uint32_t space(thr_batch *b, const char *ns)
{
    return ns && *ns ? thr_batch_namespace(b, thr_batch_keep(b, ns, strlen(ns))) : 0;
}

void thr_batch_add(thr_batch *b, const char *ns, const char *name, float value)
{
    thr_batch_named(b, space(b, ns), thr_batch_keep(b, name, strlen(name)), value);
}

void thr_batch_add_key(thr_batch *b, uint64_t key, float value)
{
    thr_batch_integer(b, 0, key, value);
}

/* The scratch lasts for this call only. thr_batch_end then does not know that these features
 * are distinct, and merges them once more. */
void thr_batch_add_text(thr_batch *b, const thr_model *m, const char *ns, const char *text,
                        size_t n)
{
    thr_feature_scratch s = {0};
    thr_batch_made_for(b, m);
    const thr_features *f = thr_model_features_of(m);
    thr_str kept = thr_features_without_nul(f, b, thr_batch_keep(b, text, n));
    thr_features_text(f, &s, b, space(b, ns), kept, false);
    thr_feature_scratch_clear(&s);
}

void thr_batch_end(thr_batch *b, const thr_model *m)
{
    thr_feature_scratch s = {0};
    thr_features plain;
    thr_features_defaults(&plain);
    plain.bias = false;
    const thr_features *f = m ? thr_model_features_of(m) : &plain;
    thr_features_note(b, f);
    thr_features_finish(f, &s, b);
    thr_feature_scratch_clear(&s);
}

int thr_batch_status(const thr_batch *b, thr_error *err)
{
    if (b->failed)
        return thr_fail_memory(err);
    if (b->is_open)
        return thr_fail(err, THR_EUSE, "the last example of the batch has not been ended");
    if (b->n_problems)
        return thr_fail(err, THR_EDATA, "%s", b->problem[0].message);
    return 0;
}

bool thr_batch_labelled(const thr_batch *b, size_t example)
{
    return example < b->n && b->about[example].label.p;
}

thr_str thr_batch_label_as_read(thr_batch *b, const char *label)
{
    double number;
    const char *end, *limit = label + strlen(label);
    bool numeric =
        b->numeric_labels && thr_parse_double(label, limit, &end, &number) == 0 && end == limit;
    char text[32];
    size_t n = numeric ? thr_print_double(number == 0 ? 0 : number, text) : strlen(label);
    return thr_batch_keep(b, numeric ? text : label, n);
}

void thr_batch_relabel(thr_batch *b, size_t example, const char *label)
{
    if (example >= b->n)
        return;
    b->about[example].label = thr_batch_label_as_read(b, label);
    b->about[example].more.n = 0;
    b->about[example].target = NAN; /* thr_label_number reads it from the new label */
}

void thr_batch_relabel_also(thr_batch *b, size_t example, const char *label)
{
    if (example < b->n && b->about[example].label.p)
        thr_batch_append(b, &b->about[example].more, thr_batch_label_as_read(b, label));
    else
        thr_batch_relabel(b, example, label);
}

/* The line gets a newline, so that an empty one is a record too. */
static thr_str keep_line(thr_batch *b, thr_str line)
{
    char *copy = line.n < SIZE_MAX ? thr_arena_take(&b->arena, line.n + 1) : NULL;
    b->failed |= !copy;
    if (!copy)
        return (thr_str){0};
    if (line.n)
        memcpy(copy, line.p, line.n);
    copy[line.n] = '\n';
    return (thr_str){copy, line.n + 1};
}

int thr_batch_parse_line(thr_batch *b, const thr_model *m, const thr_format *f,
                         const thr_reader_settings *s, const void *header, size_t max_active,
                         thr_str line, thr_error *err)
{
    thr_str text = keep_line(b, line);
    if (b->failed)
        return thr_fail_memory(err);
    if (b->is_open)
        return thr_fail(err, THR_EUSE, "the last example of the batch has not been ended");
    thr_batch_made_for(b, m);
    thr_reader_settings settings = *s;
    settings.on_error = THR_STOP;
    thr_parser p = {.settings = &settings, .batch = b, .header = header};
    p.scratch.max_active = max_active;
    size_t before = b->n_problems, examples = b->n;
    thr_format_parse(f, &p, text.p, text.p + text.n);
    thr_feature_scratch_clear(&p.scratch);
    thr_sentence_clear(&p.sentence);
    thr_bytes_clear(&p.buffer);
    if (b->failed)
        return thr_fail_memory(err);
    if (b->n_problems > before) {
        thr_fail(err, THR_EDATA, "%s", b->problem[before].message);
        b->n_problems = before; /* reported here, so the batch is as it was */
        return thr_fail_at(err, "", 0, b->problem[before].column);
    }
    return b->n == examples + 1 ? 0 : thr_fail(err, THR_EDATA, "this is not one example");
}

int thr_batch_parse(thr_batch *b, const thr_model *m, const char *format, bool labelled,
                    const char *line, size_t n, thr_error *err)
{
    const thr_format *f = format ? thr_format_find(format) : NULL;
    if (!f && !format)
        f = thr_format_detect(line, n, labelled, thr_model_format(m));
    if (!f && format)
        return thr_format_unknown(format, err);
    if (!f || f->header)
        return thr_fail(err, f || format ? THR_EUSE : THR_EDATA,
                        f ? "format '%s' does not work line by line"
                          : "cannot tell what format this is; name it with -f%s",
                        f ? f->name : "");
    thr_reader_settings settings = *thr_model_reader(m);
    settings.labelled = labelled;
    return thr_batch_parse_line(b, m, f, &settings, NULL, 0, (thr_str){line, n}, err);
}
