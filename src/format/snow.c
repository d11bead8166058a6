/* The example format of SNoW: one example a line, with commas between items and a colon at the end,
 *
 *     7, 5, 10(0.6), 13(-3.2):
 *
 * SNoW itself takes any item that is a target as a label. Here the first item is the label and the
 * others are features; without labels all items are features. A feature's value, called strength,
 * follows in parentheses; without it the value is 1. A strength behind the label must be a number
 * and is ignored. Names that are not numbers are allowed. Blanks may stand around every mark. The
 * targets that are candidates for the answer may follow a semicolon: `7, 5, 10; 7, 8:`. Empty lines
 * are not examples. */
#include "base/error.h"
#include "format/lines.h"

#include <string.h>

#define MARKS        ",():;"
#define PROBED_ITEMS 16

/* A name ends at a blank or at one of MARKS. */
static const char *skip_name(const char *at, const char *end)
{
    while (at < end && !thr_is_blank(*at) && *at != ',' && *at != '(' && *at != ')' && *at != ':' &&
           *at != ';')
        at++;
    return at;
}

/* ---- probing ------------------------------------------------------------------------------ */

/* Skips one item and the blanks behind it; NULL if it is not an item. Clears *digits if its name is
 * not a number, and sets *strengths if it has a strength. */
static const char *probe_item(const char *at, const char *end, bool *digits, bool *strengths)
{
    const char *name = thr_skip_blanks(at, end);
    at = skip_name(name, end);
    if (at == name)
        return NULL;
    for (const char *c = name; c < at; c++)
        *digits = *digits && thr_is_digit(*c);
    at = thr_skip_blanks(at, end);
    if (at < end && *at == '(') {
        const char *close = memchr(at, ')', (size_t)(end - at));
        if (!close)
            return NULL;
        *strengths = true;
        at = thr_skip_blanks(close + 1, end);
    }
    return at;
}

/* 85 for a correct line of numbers and 70 for one of names; less for a single item, and for a line
 * without its colon if it has strengths. */
static int fit_line(const char *at, const char *end)
{
    while (end > at && thr_is_blank(end[-1]))
        end--;
    bool digits = true, strengths = false, ended = end[-1] == ':';
    int items = 0;
    while (items < PROBED_ITEMS) {
        at = probe_item(at, end, &digits, &strengths);
        if (!at)
            return 0;
        items++;
        if (at == end || *at != ',')
            break;
        at++;
    }
    bool well = at == end ? false : *at == ':' || *at == ';' || items == PROBED_ITEMS;
    if (!ended)
        return strengths && (well || at == end) ? 25 : 0;
    if (!well)
        return 0;
    if (items == 1)
        return digits ? 60 : 8;
    return digits ? 85 : 70;
}

static int probe(const char *p, size_t n, bool labelled)
{
    (void)labelled;
    return thr_probe_lines(p, n, fit_line);
}

/* ---- parsing ------------------------------------------------------------------------------ */

typedef struct item {
    thr_str name;
    float strength;
} item;

static int read_item(thr_parser *p, const char **place, const char *end, item *it)
{
    const char *at = thr_skip_blanks(*place, end), *stop = skip_name(at, end);
    *it = (item){thr_slice(at, stop), 1};
    if (stop == at)
        return thr_parser_fail(p, at, "a feature was expected");
    at = thr_skip_blanks(stop, end);
    if (at < end && *at == '(') {
        at = thr_skip_blanks(at + 1, end);
        stop = skip_name(at, end);
        int code = thr_parse_value(p, thr_slice(at, stop), "strength", &it->strength);
        if (code)
            return code;
        at = thr_skip_blanks(stop, end);
        if (at == end || *at != ')')
            return thr_parser_fail(p, at, "')' was expected after the strength of \"%s\"",
                                   thr_quote(it->name).text);
        at = thr_skip_blanks(at + 1, end);
    }
    *place = at;
    return 0;
}

/* The mark behind an item: 0 for a comma, 1 for the colon at the end, 2 for the semicolon before
 * the candidates; or THR_EDATA. */
static int read_mark(thr_parser *p, const char *at, const char *end, thr_str name)
{
    if (at == end)
        return thr_parser_fail(p, at, "the example does not end with ':'");
    if (*at != ',' && *at != ':' && *at != ';')
        return thr_parser_fail(p, at, "',' or ':' was expected after \"%s\"", thr_quote(name).text);
    return *at == ':' ? 1 : *at == ';' ? 2 : 0;
}

/* The candidates, up to the colon: names without strengths. */
static int read_candidates(thr_parser *p, const char **place, const char *end)
{
    for (int mark = 0; mark == 0; ++*place) {
        const char *at = thr_skip_blanks(*place, end), *stop = skip_name(at, end);
        thr_str label = thr_slice(at, stop);
        if (stop == at)
            return thr_parser_fail(p, at, "a candidate was expected");
        int code = thr_parse_label_name(p, label, &label);
        if (code)
            return code;
        thr_batch_candidate(p->batch, label);
        *place = thr_skip_blanks(stop, end);
        mark = read_mark(p, *place, end, thr_slice(at, stop));
        if (mark < 0)
            return mark;
        if (mark == 2)
            return thr_parser_fail(p, *place, "a second list of candidates");
    }
    return 0;
}

static int read_items(thr_parser *p, const char **place, const char *end)
{
    bool label_due = p->settings->labelled;
    for (int mark = 0; !mark; label_due = false) {
        item it;
        int code = read_item(p, place, end, &it);
        if (!code && label_due)
            code = thr_parse_label(p, it.name);
        else if (!code)
            thr_batch_named(p->batch, 0, it.name, it.strength);
        mark = code ? code : read_mark(p, *place, end, it.name);
        if (mark < 0)
            return mark;
        ++*place;
        if (mark == 2)
            return read_candidates(p, place, end);
    }
    return 0;
}

static int parse(thr_parser *p, const char *at, const char *end)
{
    at = thr_skip_blanks(at, end);
    if (at == end)
        return 1;
    int code = 0;
    if (*at == ':')
        at++;
    else if (*at == ';' && !p->settings->labelled) {
        at++;
        code = read_candidates(p, &at, end);
    } else
        code = read_items(p, &at, end);
    if (code)
        return code;
    at = thr_skip_blanks(at, end);
    if (at < end)
        return thr_parser_fail(p, at, "nothing was expected behind ':': one example a line");
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

#define NOT_IN_NAMES " \t\r" MARKS

static int put_label(thr_writer *w, thr_str label)
{
    int code = thr_writer_check_word(w, label, NOT_IN_NAMES, "label", &thr_format_snow);
    if (code)
        return code;
    if (!thr_label_reads_back(label))
        return thr_fail(w->err, THR_EUSE, "%s would read the label \"%s\" back as another",
                        thr_format_snow.name, thr_quote(label).text);
    return thr_writer_put(w, label) ? 0 : thr_fail_memory(w->err);
}

static int put_feature(thr_writer *w, size_t feature, bool first)
{
    char digits[24];
    thr_str ns, name = thr_batch_name_of(w->batch, feature, digits, &ns);
    int code = thr_writer_check_word(w, name, NOT_IN_NAMES, "feature", &thr_format_snow);
    if (code)
        return code;
    float value = thr_batch_value(w->batch, feature);
    bool ok = (first || thr_writer_put(w, thr_str_of(", "))) && thr_writer_put(w, name);
    if (ok && value != 1)
        ok = thr_writer_put_byte(w, '(') && thr_writer_put_float(w, value) &&
             thr_writer_put_byte(w, ')');
    return ok ? 0 : thr_fail_memory(w->err);
}

static int write(thr_writer *w, size_t e)
{
    const thr_batch *b = w->batch;
    thr_str label = b->about[e].label;
    thr_list candidates = b->about[e].candidates;
    size_t before = w->out.n;
    int code = thr_writer_check(w, e, &thr_format_snow);
    if (!code)
        code = thr_writer_check_labelling(w, e, &thr_format_snow);
    if (!code && label.p)
        code = put_label(w, label);
    for (size_t i = b->start[e]; !code && i < b->start[e + 1]; i++)
        code = put_feature(w, i, !label.p && i == b->start[e]);
    for (size_t i = 0; !code && i < candidates.n; i++)
        code = thr_writer_put(w, thr_str_of(i ? ", " : "; "))
                   ? put_label(w, b->listed[candidates.from + i])
                   : thr_fail_memory(w->err);
    if (!code && !thr_writer_put(w, thr_str_of(":\n")))
        code = thr_fail_memory(w->err);
    if (code)
        w->out.n = before;
    return code;
}

const thr_format thr_format_snow = {
    .name = "snow",
    .numeric_labels = true,
    .help = "label, id(strength), id, ...: (SNoW example files)",
    .holds = THR_HOLDS_INTEGERS | THR_HOLDS_NAMES | THR_HOLDS_VALUES | THR_HOLDS_ANY_LABEL |
             THR_HOLDS_CANDIDATES,
    .probe = probe,
    .parse = parse,
    .write = write,
    .write_end = thr_writer_end_labelling,
};
