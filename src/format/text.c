/* Running text: one example a line,
 *
 *     label TAB text
 *
 * The label is all before the first tab, unchanged; the text is all that follows, including further
 * tabs. Without labels the whole line is text, even if it is empty. With --columns the line is
 * split at every tab, and the columns given are label, id (kept as the tag), importance and text;
 * other columns are ignored. There are no escapes: a backslash is a backslash. Where a label is
 * expected, empty lines are not examples. Where it is optional, a line without a tab is text
 * without a label, and so is what follows a tab at the beginning of the line. */
#include "base/error.h"
#include "format/lines.h"

#include <string.h>

/* ---- probing ------------------------------------------------------------------------------ */

static int fit_labelled(const char *at, const char *end)
{
    const char *tab = memchr(at, '\t', (size_t)(end - at));
    return tab && tab > at && !memchr(at, '\0', (size_t)(tab - at)) ? 50 : 0;
}

/* Any line may be text, but hardly one that looks like JSON. */
static int fit_unlabelled(const char *at, const char *end)
{
    at = thr_skip_blanks(at, end);
    return *at == '{' && end[-1] == '}' ? 0 : 10;
}

static int probe(const char *p, size_t n, bool labelled)
{
    if (thr_probe_binary(p, n))
        return 0;
    int fit = thr_probe_lines(p, n, labelled ? fit_labelled : fit_unlabelled);
    bool blank = thr_skip_blanks(p, p + n) == p + n || *thr_skip_blanks(p, p + n) == '\n';
    return fit == 0 && !labelled && blank ? 1 : fit; /* an empty line is an empty text */
}

/* ---- parsing ------------------------------------------------------------------------------ */

/* Column `number` of the line, counted from 1. False: the line has fewer. */
static bool find_column(thr_str line, unsigned number, thr_str *out)
{
    const char *at = line.p, *end = line.p + line.n, *tab;
    while ((tab = memchr(at, '\t', (size_t)(end - at))) && --number > 0)
        at = tab + 1;
    *out = thr_slice(at, tab ? tab : end);
    return tab || number == 1;
}

/* The field of a column that was chosen. */
static int take_field(thr_parser *p, enum thr_role role, thr_str field)
{
    thr_example_info *about = &p->batch->about[p->batch->n];
    int code = 0;
    if (role == THR_ROLE_LABEL && field.n == 0 && thr_parser_wants_label(p))
        return thr_parser_fail(p, field.p, "empty label");
    if (role == THR_ROLE_TEXT)
        return thr_parse_text(p, field);
    if (field.n == 0)
        return 0;
    if (role == THR_ROLE_LABEL)
        code = thr_parse_name(p, field.p, field);
    else if (role == THR_ROLE_ID)
        about->tag = field;
    else if (role == THR_ROLE_IMPORTANCE) {
        code = thr_parse_value(p, field, "importance", &about->importance);
        if (!code && about->importance < 0)
            code = thr_parser_fail(p, field.p, "the importance is negative");
    }
    return code;
}

/* A line of columns. A column that was given must exist in every line. */
static int parse_columns(thr_parser *p, thr_str line)
{
    const thr_columns *c = &p->settings->columns;
    if (c->named)
        return thr_parser_fail(p, line.p,
                               "a line without a header has no names of columns: give --columns "
                               "numbers");
    int code = 0;
    for (size_t i = 0; i < c->n && code == 0; i++) {
        thr_str field;
        if (c->chosen[i].role == THR_ROLE_SKIP)
            continue;
        if (!find_column(line, c->chosen[i].number, &field))
            return thr_parser_fail(p, line.p + line.n, "column %u (%s) is missing",
                                   c->chosen[i].number, thr_role_name(c->chosen[i].role));
        code = take_field(p, c->chosen[i].role, field);
    }
    return code;
}

static int parse(thr_parser *p, const char *at, const char *end)
{
    const thr_reader_settings *s = p->settings;
    bool demanded = s->labelled && !s->optional;
    if ((demanded || (s->columns.given && !s->optional)) && at == end)
        return 1;
    /* Without labels a line without tabs is the text itself, even where columns are given. */
    const char *tab = memchr(at, '\t', (size_t)(end - at));
    bool bare = !demanded && !tab;
    if (s->columns.given && !bare)
        return parse_columns(p, thr_slice(at, end));
    if (s->found_bare && tab)
        return thr_parser_fail(p, tab,
                               "a tab, but the first line has none, and so no label: say "
                               "--no-label if the tab belongs to the text");
    if (!s->labelled || bare)
        return thr_parse_text(p, thr_slice(at, end));
    if (!tab)
        return thr_parser_fail(p, end, "no tab: label, tab and text were expected");
    if (tab == at && thr_parser_wants_label(p))
        return thr_parser_fail(p, at, "empty label: label, tab and text were expected");
    int code = tab == at ? 0 : thr_parse_name(p, at, thr_slice(at, tab));
    return code ? code : thr_parse_text(p, thr_slice(tab + 1, end));
}

/* A line without a tab has no label. */
static bool has_tab(thr_str line)
{
    return memchr(line.p, '\t', line.n);
}

static int look(const thr_reader_settings *s, const char *p, size_t n, bool at_end, bool *labelled,
                thr_error *err)
{
    (void)s, (void)err;
    return thr_look_at_line(p, n, at_end, has_tab, labelled);
}

/* ---- writing ------------------------------------------------------------------------------ */

static int write(thr_writer *w, size_t e)
{
    const thr_format *f = &thr_format_text;
    const thr_example_info *about = &w->batch->about[e];
    int code = thr_writer_check(w, e, f);
    if (!code)
        code = thr_writer_check_labelling(w, e, f);
    if (!code && about->label.p)
        code = thr_writer_check_word(w, about->label, "\t", "label", f);
    if (!code)
        code = thr_writer_check_text(w, about->text, f);
    if (code)
        return code;
    bool ok = !about->label.p || thr_writer_put(w, about->label);
    ok = ok && ((!about->label.p && !about->none) || thr_writer_put_byte(w, '\t'));
    ok = ok && thr_writer_put(w, about->text) && thr_writer_put_byte(w, '\n');
    return ok ? 0 : thr_fail_memory(w->err);
}

const thr_format thr_format_text = {
    .name = "text",
    .other_name = "tsv",
    .help = "label TAB text, or chosen columns of tab-separated lines",
    .holds = THR_HOLDS_TEXT | THR_HOLDS_ANY_LABEL,
    .probe = probe,
    .look = look,
    .parse = parse,
    .write = write,
    .write_end = thr_writer_end_labelling,
};
