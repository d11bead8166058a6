/* The table of formats, detection by content, and the loop over the records of a block. */
#include "format/format.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const thr_format *const thr_formats[] = {
    &thr_format_svmlight, &thr_format_vw,    &thr_format_text,
    &thr_format_fasttext, &thr_format_snow,  &thr_format_csv,
    &thr_format_jsonl,    &thr_format_conll, &thr_format_slash,
    &thr_format_words,    &thr_format_cache, NULL,
};

const thr_format *thr_format_find(const char *name)
{
    for (size_t i = 0; thr_formats[i]; i++)
        if (strcmp(thr_formats[i]->name, name) == 0 ||
            (thr_formats[i]->other_name && strcmp(thr_formats[i]->other_name, name) == 0))
            return thr_formats[i];
    return NULL;
}

int thr_format_unknown(const char *name, thr_error *err)
{
    thr_bytes known = {0};
    thr_suggestion near = {0};
    for (size_t i = 0; thr_formats[i]; i++) {
        thr_bytes_printf(&known, "%s%s", i ? ", " : "", thr_formats[i]->name);
        thr_suggest(&near, name, thr_formats[i]->name);
    }
    thr_fail(err, THR_EUSE, "there is no format '%.64s'%s%s%s %s", name,
             near.word ? "; did you mean " : "", near.word ? near.word : "",
             near.word ? "? There are" : "; there are", known.p ? known.p : "none");
    thr_bytes_clear(&known);
    return THR_EUSE;
}

const thr_format *thr_format_detect(const char *p, size_t n, bool labelled,
                                    const thr_format *prefer)
{
    const thr_format *best = NULL;
    int most = 0;
    for (size_t i = 0; thr_formats[i]; i++) {
        int fit = thr_formats[i]->probe ? thr_formats[i]->probe(p, n, labelled) : 0;
        if (fit > most) {
            most = fit;
            best = thr_formats[i];
        }
    }
    int expected = prefer ? prefer->probe(p, n, labelled) : 0;
    bool text = prefer && (prefer->holds & THR_HOLDS_TEXT);
    return expected > 0 && (text || expected * 2 >= most) ? prefer : best;
}

/* A record may have several lines, so the line and column of the byte itself are computed. */
int thr_parser_fail(thr_parser *p, const char *at, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    uint32_t line = p->line_number;
    const char *start = p->line, *newline;
    while ((newline = memchr(start, '\n', (size_t)(at - start)))) {
        start = newline + 1;
        line++;
    }
    thr_batch_problem(p->batch, line, (uint64_t)(at - start) + 1, "%s", text);
    return THR_EDATA;
}

/* The last line of a file counts even if it lacks its newline. */
static uint32_t count_lines(const char *at, const char *end)
{
    uint32_t lines = 0;
    for (const char *newline; at < end; at = newline + 1, lines++)
        if (!(newline = memchr(at, '\n', (size_t)(end - at))))
            return lines + 1;
    return lines;
}

/* Parses a record with a NUL byte. Running text may have such bytes (thr_features_without_nul), but
 * a label, a tag or a name may not. */
static int parse_with_nul(const thr_format *f, thr_parser *p, const char *end)
{
    uint64_t before = p->batch->nul_bytes, all = 0;
    int code = 0;
    if (f->holds & THR_HOLDS_TEXT)
        code = f->parse(p, p->line, end);
    for (const char *at = p->nul; at < end; at++)
        all += *at == '\0';
    return code == 0 && p->batch->nul_bytes - before != all
               ? thr_parser_fail(p, p->nul, "NUL byte: only running text may have one")
               : code;
}

/* Parses the record that ends at `end`, without its line end, into an example of the batch, unless
 * it is too long; `nul` is the next NUL byte in the block, or NULL. Returns what format->parse
 * returned, or THR_EDATA if the example was refused here, or dropped when it was closed, as one
 * with too many conjunctions. */
static int parse_record(const thr_format *f, thr_parser *p, const char *end, const char *nul)
{
    size_t problems = p->batch->n_problems, most = p->settings->max_line;
    const char *text_end = end;
    text_end -= text_end > p->line && text_end[-1] == '\n';
    text_end -= text_end > p->line && text_end[-1] == '\r';
    p->nul = nul && nul < text_end ? nul : NULL;
    thr_batch_open(p->batch, p->line_number);
    if (p->batch->failed)
        return THR_EMEM;
    int code;
    if (most && (size_t)(text_end - p->line) > most)
        code =
            thr_parser_fail(p, p->line, "a line is longer than %zu bytes (see --max-line)", most);
    else
        code = p->nul ? parse_with_nul(f, p, text_end) : f->parse(p, p->line, text_end);
    if (code == 0 && !p->settings->labelled) { /* a label that is present anyway is ignored */
        p->batch->about[p->batch->n].label = (thr_str){0};
        p->batch->about[p->batch->n].more.n = 0;
    }
    if (code == 0)
        thr_features_finish(&p->settings->features, &p->scratch, p->batch);
    else
        thr_batch_drop(p->batch);
    return code == 0 && p->batch->n_problems > problems ? THR_EDATA : code;
}

/* The block is searched for NUL bytes as a whole, which is faster than line by line; `nul` is the
 * first one from the current record on. */
void thr_format_parse(const thr_format *f, thr_parser *p, const char *at, const char *end)
{
    p->line = at;
    p->limit = end;
    p->line_number = p->batch->lines;
    p->batch->format = f->name;
    p->buffer.n = 0;
    p->batch->numeric_labels = f->numeric_labels;
    if (f->parse_block) {
        f->parse_block(p, at, end);
        return;
    }
    const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
    for (const char *next; at < end && !p->batch->failed; at = next) {
        const char *newline = f->record_end ? NULL : memchr(at, '\n', (size_t)(end - at));
        next = f->record_end ? f->record_end(at, end) : newline ? newline + 1 : end;
        p->line = at;
        p->line_number = p->batch->lines;
        int code = parse_record(f, p, next, nul);
        p->batch->lines += f->record_end ? count_lines(at, next) : 1;
        if (code < 0 && p->settings->on_error == THR_STOP)
            return;
        if (nul && nul < next)
            nul = next < end ? memchr(next, '\0', (size_t)(end - next)) : NULL;
    }
}
