/* A stream of lines that the caller hands in one at a time, as `thresh online` does.
 *
 * One format holds for the whole stream: the one that the caller names, else that of the model,
 * else that of the first line that can be read. If each line were taken by what it looks like,
 * whoever sends a line could choose how it is read: `__label__x hello`, sent to a model of running
 * text, would teach it a new label.
 *
 * A line may lack its label, by rules that do not depend on what the text says (`optional` in
 * format.h); a line that cannot be read is an error and never an example without a label. A format
 * with a head, which is csv, has it in the first line. */
#include "base/error.h"
#include "input/batches.h"
#include "input/crossed.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thr_feed {
    const thr_format *format; /* NULL until it is known */
    void *header;             /* made by format->header; NULL until the head was read */
    thr_crossed crossed;      /* the crosses that have matched a line */
    size_t max_active;        /* as of an input; 0: the default */
};

/* Formats that are not made of lines. */
static int check_format(const thr_format *f, thr_error *err)
{
    return f->parse && !(f->holds & THR_HOLDS_TOKENS) ? 0
                    : thr_fail(err, THR_EUSE, "format '%s' does not work line by line", f->name);
}

thr_feed *thr_feed_new(const char *format, thr_error *err)
{
    const thr_format *f = format ? thr_format_find(format) : NULL;
    if (format && (f ? check_format(f, err) : thr_format_unknown(format, err)))
        return NULL;
    thr_feed *feed = calloc(1, sizeof *feed);
    if (feed)
        feed->format = f;
    else
        thr_fail_memory(err);
    return feed;
}

void thr_feed_free(thr_feed *feed)
{
    if (!feed)
        return;
    if (feed->header)
        feed->format->header_free(feed->header);
    free(feed);
}

void thr_feed_set_max_active(thr_feed *feed, size_t features)
{
    feed->max_active = features;
}

const char *thr_feed_format(const thr_feed *feed)
{
    return feed->format ? feed->format->name : NULL;
}

/* The first line of a new model may lack its label. */
static int choose_format(const thr_feed *feed, const thr_model *m, thr_str line,
                         const thr_format **out, thr_error *err)
{
    *out = feed->format ? feed->format : thr_model_format(m);
    for (int labelled = 1; labelled >= 0 && !*out; labelled--)
        *out = thr_format_detect(line.p, line.n, labelled, NULL);
    return *out ? check_format(*out, err)
                : thr_fail(err, THR_EDATA, "cannot tell what format this is; name it with -f");
}

int thr_feed_line(thr_feed *feed, const thr_model *m, thr_batch *b, const char *line, size_t n,
                  thr_error *err)
{
    const thr_format *f;
    thr_reader_settings settings = *thr_model_reader(m);
    int code = choose_format(feed, m, (thr_str){line, n}, &f, err);
    if (code)
        return code;
    settings.labelled = settings.optional = true;
    if (f->header && !feed->header) {
        long head = f->header(&settings, line, n, true, &feed->header, err);
        feed->format = head < 0 ? feed->format : f;
        return head < 0 ? (int)head : 0;
    }
    code = thr_batch_parse_line(b, m, f, &settings, feed->header, feed->max_active,
                                (thr_str){line, n}, err);
    if (code)
        return code;
    feed->format = f;
    thr_crossed_note(&feed->crossed, &settings.features, b, false);
    return 1;
}

void thr_feed_reading(const thr_feed *feed, const thr_model *m, thr_reading *out)
{
    *out = (thr_reading){0};
    if (feed->format)
        snprintf(out->formats, sizeof out->formats, "%s", feed->format->name);
    thr_crossed_report(&feed->crossed, &thr_model_reader(m)->features, out);
}
