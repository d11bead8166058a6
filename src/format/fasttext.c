/* The input format of fastText: one example a line,
 *
 *     __label__x text
 *
 * The label comes first and ends at a blank; all that follows that blank is text, unchanged. An
 * example with several labels has them one after the other before the text. A word inside the text
 * that begins with `__label__` is refused. A line without a label is all text, even if it is empty;
 * where labels are expected, empty lines are not examples, and such a line is an error unless a set
 * of labels may be empty. */
#include "base/error.h"
#include "format/lines.h"

#include <string.h>

#define PREFIX   "__label__"
#define PREFIX_N (sizeof PREFIX - 1)

static bool begins_label(const char *at, const char *end)
{
    return (size_t)(end - at) >= PREFIX_N && memcmp(at, PREFIX, PREFIX_N) == 0;
}

/* The first word that begins like a label, or NULL. */
static const char *find_label(const char *at, const char *end)
{
    const char *found = at;
    while ((found = memmem(found, (size_t)(end - found), PREFIX, PREFIX_N))) {
        if (found == at || thr_is_blank(found[-1]))
            return found;
        found++;
    }
    return NULL;
}

/* ---- probing ------------------------------------------------------------------------------ */

/* A line without a label may have an empty set of them (1), but some line must have one. */
static int fit_labelled(const char *at, const char *end)
{
    return begins_label(thr_skip_blanks(at, end), end) ? 95 : 1;
}

/* Without labels any line may be text (5), but hardly one that looks like JSON. */
static int fit_unlabelled(const char *at, const char *end)
{
    at = thr_skip_blanks(at, end);
    return begins_label(at, end) ? 95 : *at == '{' && end[-1] == '}' ? 0 : 5;
}

static int probe(const char *p, size_t n, bool labelled)
{
    if (thr_probe_binary(p, n))
        return 0;
    int fits = thr_probe_lines(p, n, labelled ? fit_labelled : fit_unlabelled);
    return labelled && fits == 1 ? 0 : fits;
}

/* ---- parsing ------------------------------------------------------------------------------ */

/* The text, once all labels before it are read. A label inside it is an error: either a second
 * label that the settings do not allow, or one in the wrong place. */
static int read_text(thr_parser *p, thr_str text)
{
    const char *second = text.n ? find_label(text.p, text.p + text.n) : NULL;
    if (second && p->batch->about[p->batch->n].label.p && thr_parse_several(p, second))
        return THR_EDATA;
    if (second)
        return thr_parser_fail(p, second, "the label must come first on its line");
    return thr_parse_text(p, text);
}

/* Only one blank ends the last label, so that the text may begin with blanks; between two labels
 * there may be several. */
static int parse(thr_parser *p, const char *at, const char *end)
{
    bool labelled = p->settings->labelled && !p->settings->optional;
    const char *first = thr_skip_blanks(at, end);
    if (labelled && first == end)
        return 1;
    if (!begins_label(first, end)) {
        if (thr_parser_wants_label(p) && !find_label(first, end))
            return thr_parser_fail(p, first, "no label: " PREFIX "name was expected");
        return read_text(p, thr_slice(at, end));
    }
    if (p->settings->found_bare)
        return thr_parser_fail(p, first,
                               "a label, but the first line has none: say --no-label if "
                               "labels are to be ignored");
    while (begins_label(first, end)) {
        const char *stop = thr_skip_token(first, end);
        thr_str label = thr_slice(first + PREFIX_N, stop);
        if (label.n == 0)
            return thr_parser_fail(p, first, "empty label: a name was expected behind " PREFIX);
        if (p->batch->about[p->batch->n].label.p && thr_parse_several(p, first))
            return THR_EDATA;
        bool another = p->batch->about[p->batch->n].label.p;
        if (another)
            thr_batch_also_label(p->batch, label);
        else if (thr_parse_name(p, label.p, label))
            return THR_EDATA;
        first = stop < end ? stop + 1 : end;
        const char *next = thr_skip_blanks(first, end);
        first = begins_label(next, end) ? next : first;
    }
    return read_text(p, thr_slice(first, end));
}

static bool has_label(thr_str line)
{
    const char *end = line.p + line.n;
    return begins_label(thr_skip_blanks(line.p, end), end);
}

static int look(const thr_reader_settings *s, const char *p, size_t n, bool at_end, bool *labelled,
                thr_error *err)
{
    (void)s, (void)err;
    return thr_look_at_line(p, n, at_end, has_label, labelled);
}

/* ---- writing ------------------------------------------------------------------------------ */

static bool put_label(thr_writer *w, thr_str label)
{
    return thr_writer_put(w, thr_str_of(PREFIX)) && thr_writer_put(w, label);
}

static int write(thr_writer *w, size_t e)
{
    const thr_format *f = &thr_format_fasttext;
    const thr_example_info *about = &w->batch->about[e];
    int code = thr_writer_check(w, e, f);
    if (!code)
        code = thr_writer_check_labelling(w, e, f);
    if (!code && about->label.p)
        code = thr_writer_check_word(w, about->label, " \t\r", "label", f);
    for (size_t i = 0; i < about->more.n && !code; i++)
        code =
            thr_writer_check_word(w, w->batch->listed[about->more.from + i], " \t\r", "label", f);
    if (!code)
        code = thr_writer_check_text(w, about->text, f);
    if (!code && about->text.n && find_label(about->text.p, about->text.p + about->text.n))
        code = thr_fail(w->err, THR_EUSE, "%s would read a label in the text \"%s\"", f->name,
                        thr_quote(about->text).text);
    if (code)
        return code;
    bool ok = !about->label.p || put_label(w, about->label);
    for (size_t i = 0; i < about->more.n && ok; i++)
        ok = thr_writer_put_byte(w, ' ') && put_label(w, w->batch->listed[about->more.from + i]);
    if (about->label.p && about->text.n)
        ok = ok && thr_writer_put_byte(w, ' ');
    ok = ok && thr_writer_put(w, about->text) && thr_writer_put_byte(w, '\n');
    return ok ? 0 : thr_fail_memory(w->err);
}

const thr_format thr_format_fasttext = {
    .name = "fasttext",
    .help = "__label__x text",
    .holds = THR_HOLDS_TEXT | THR_HOLDS_ANY_LABEL | THR_HOLDS_LABELS,
    .probe = probe,
    .look = look,
    .parse = parse,
    .write = write,
    .write_end = thr_writer_end_labelling,
};
