/* Reading templates (template.h). */
#include "sentence/template.h"

#include "base/number.h"
#include "base/text.h"

#include <stdlib.h>

typedef struct reader {
    thr_template *t;
    const char *start, *at, *end; /* the line that is being read */
    unsigned line;
    thr_error *err;
} reader;

static int fail(const reader *r, const char *at, const char *why)
{
    thr_fail(r->err, THR_EDATA, "%s", why);
    return thr_fail_at(r->err, NULL, r->line, (uint64_t)(at - r->start) + 1);
}

static bool take(reader *r, char c)
{
    bool there = r->at < r->end && *r->at == c;
    r->at += there;
    return there;
}

/* ---- macros ------------------------------------------------------------------------------- */

static int read_row(reader *r, thr_macro *p)
{
    const char *from = r->at, *after;
    uint64_t row;
    p->absolute = take(r, '@');
    bool minus = take(r, '-');
    if (!minus)
        take(r, '+');
    if (thr_parse_u64(r->at, r->end, &after, &row) != THR_NUMBER_OK || after == r->at)
        return fail(r, from, "a macro is like %x[ROW,COLUMN], and ROW is a whole number");
    if (row > THR_TEMPLATE_ROWS)
        return fail(r, from, "a macro reaches at most 100 rows");
    r->at = after;
    p->row = minus ? -(int)row : (int)row;
    return 0;
}

static int read_number(reader *r, const char *what, uint64_t most, unsigned *out)
{
    const char *from = r->at, *after;
    uint64_t n;
    if (thr_parse_u64(r->at, r->end, &after, &n) != THR_NUMBER_OK || after == r->at || n > most)
        return fail(r, from, what);
    r->at = after;
    *out = (unsigned)n;
    return 0;
}

/* "RE", where a quote is written \" . The backslash stays: in a regular expression it stands before
 * any character that is meant as it is. */
static int read_expression(reader *r, thr_derived *d)
{
    const char *from = r->at;
    if (!take(r, '"'))
        return fail(r, from, "a regular expression in quotes is expected here, as %t[0,0,\"^\\d*$\"]");
    while (r->at < r->end && *r->at != '"')
        r->at += *r->at == '\\' && r->at + 1 < r->end ? 2 : 1;
    d->source = thr_slice(from + 1, r->at);
    if (!take(r, '"'))
        return fail(r, from, "the quote that ends the regular expression is missing");
    return 0;
}

/* The letter of the macro: its kind, and in upper case "in lower case". */
static int read_letter(reader *r, thr_derived *d)
{
    static const struct {
        char letter;
        enum thr_derived_kind kind;
    } macros[] = {{'x', THR_DERIVED_SAME},  {'t', THR_DERIVED_TEST},   {'m', THR_DERIVED_MATCH},
                  {'s', THR_DERIVED_SHAPE}, {'p', THR_DERIVED_PREFIX}, {'e', THR_DERIVED_SUFFIX}};
    char letter = r->at < r->end ? *r->at : '\0';
    bool capital = letter >= 'A' && letter <= 'Z';
    letter = capital ? (char)(letter + 'a' - 'A') : letter;
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        if (macros[i].letter == letter) {
            *d = (thr_derived){.kind = macros[i].kind, .lower = capital};
            r->at++;
            return 0;
        }
    return fail(r, r->at, "there are the macros %x, %t, %m, %s, %p and %e, and the same with capitals");
}

static bool same_derived(const thr_derived *a, const thr_derived *b)
{
    return a->kind == b->kind && a->lower == b->lower && a->column == b->column && a->n == b->n &&
           thr_str_eq(a->source, b->source);
}

static int compile(reader *r, thr_derived *d)
{
    if (!d->source.p)
        return 0;
    d->expression = malloc(sizeof *d->expression);
    if (!d->expression)
        return thr_fail_memory(r->err);
    int code = thr_expression_parse(d->source, d->expression, r->err);
    return code ? thr_fail_at(r->err, NULL, r->line, (uint64_t)(d->source.p - r->start) + 1) : 0;
}

/* The number of a derived column, which is added if it is new. */
static int add_derived(reader *r, const thr_derived *d, unsigned *number)
{
    thr_template *t = r->t;
    for (*number = 0; *number < t->n_derived; ++*number)
        if (same_derived(&t->derived[*number], d))
            return 0;
    if (t->n_derived == THR_TEMPLATE_DERIVED)
        return fail(r, r->at, "the template has too many different macros");
    if (!thr_grow(&t->derived, &t->derived_room, t->n_derived + 1, sizeof *t->derived))
        return thr_fail_memory(r->err);
    t->derived[t->n_derived++] = *d;
    return compile(r, &t->derived[t->n_derived - 1]);
}

/* A macro, behind its percent sign. */
static int read_macro(reader *r, thr_macro *p)
{
    thr_derived d;
    int code = read_letter(r, &d);
    if (code == 0 && !take(r, '['))
        code = fail(r, r->at, "[ is expected here: a macro is like %x[ROW,COLUMN]");
    if (code == 0)
        code = read_row(r, p);
    if (code == 0 && !take(r, ','))
        code = fail(r, r->at, ", is expected here: a macro is like %x[ROW,COLUMN]");
    if (code == 0)
        code = read_number(r, "the number of a column is expected here, counted from 0",
                           THR_TEMPLATE_COLUMNS - 1, &d.column);
    bool more = d.kind != THR_DERIVED_SAME && d.kind != THR_DERIVED_SHAPE;
    if (code == 0 && more && !take(r, ','))
        code = fail(r, r->at, ", is expected here: this macro has a third argument");
    if (code == 0 && more && (d.kind == THR_DERIVED_PREFIX || d.kind == THR_DERIVED_SUFFIX))
        code = read_number(r, "a number of characters is expected here, at most 100", 100, &d.n);
    else if (code == 0 && more)
        code = read_expression(r, &d);
    if (code == 0 && !take(r, ']'))
        code = fail(r, r->at, "] is expected here");
    if (code == 0 && d.column >= r->t->columns)
        r->t->columns = d.column + 1;
    return code ? code : add_derived(r, &d, &p->derived);
}

/* ---- lines -------------------------------------------------------------------------------- */

static int add_piece(reader *r, thr_pattern *p, const char *from)
{
    thr_template *t = r->t;
    const char *percent = r->at;
    if (p->pieces == THR_TEMPLATE_PIECES)
        return fail(r, percent, "a pattern has at most 32 macros");
    if (!thr_grow(&t->piece, &t->piece_room, t->pieces + 1, sizeof *t->piece))
        return thr_fail_memory(r->err);
    thr_macro *piece = &t->piece[t->pieces];
    *piece = (thr_macro){.text = thr_slice(from, percent)};
    r->at++;
    int code = read_macro(r, piece);
    if (code == 0) {
        t->pieces++;
        p->pieces++;
    }
    return code;
}

/* `before` is 0 for U, 1 for B, 2 for T. */
static int read_pattern(reader *r, unsigned before)
{
    thr_template *t = r->t;
    thr_pattern p = {.line = r->line, .before = before, .first = (unsigned)t->pieces};
    const char *from = r->at = r->start;
    if (t->n == THR_TEMPLATE_LINES)
        return fail(r, r->start, "a template has at most 1000 patterns");
    while (r->at < r->end) {
        if (*r->at != '%') {
            r->at++;
            continue;
        }
        int code = add_piece(r, &p, from);
        if (code)
            return code;
        from = r->at;
    }
    p.rest = thr_slice(from, r->end);
    if (!thr_grow(&t->pattern, &t->pattern_room, t->n + 1, sizeof *t->pattern))
        return thr_fail_memory(r->err);
    size_t at = t->with[0] + (before > 0 ? t->with[1] : 0) + (before > 1 ? t->with[2] : 0);
    memmove(t->pattern + at + 1, t->pattern + at, (t->n - at) * sizeof p);
    t->pattern[at] = p;
    t->n++;
    t->with[before]++;
    return 0;
}

static int read_line(reader *r)
{
    char first = r->start < r->end ? *r->start : '#';
    switch (first) {
    case '#': return 0;
    case 'U':
    case 'u': return read_pattern(r, 0);
    case 'B':
    case 'b': return read_pattern(r, 1);
    case 'T': return read_pattern(r, 2);
    case '*': {
        int code = read_pattern(r, 0);
        return code ? code : read_pattern(r, 1);
    }
    default:
        return fail(r, r->start,
                    "a pattern begins with U, B, T or *; a line that begins with # is a comment");
    }
}

/* Two patterns that are written alike would make the same features twice. */
static bool is_repeated(const thr_template *t, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        const thr_pattern *a = &t->pattern[k], *b = &t->pattern[i];
        bool same = a->before == b->before && a->pieces == b->pieces && thr_str_eq(a->rest, b->rest);
        for (unsigned p = 0; p < a->pieces && same; p++) {
            const thr_macro *x = &t->piece[a->first + p], *y = &t->piece[b->first + p];
            same = thr_str_eq(x->text, y->text) && x->derived == y->derived && x->row == y->row &&
                   x->absolute == y->absolute;
        }
        if (same)
            return true;
    }
    return false;
}

static bool begins_with(thr_str text, thr_str start)
{
    return start.n <= text.n && memcmp(text.p, start.p, start.n) == 0;
}

/* Whether two patterns may make the same name, as `U:%x[-1,0]` and `U:%x[1,0]` do between two equal words. */
static bool may_coincide(const thr_template *t, const thr_pattern *a, const thr_pattern *b)
{
    thr_str x = a->pieces ? t->piece[a->first].text : a->rest;
    thr_str y = b->pieces ? t->piece[b->first].text : b->rest;
    return a->before == b->before &&
           ((b->pieces && begins_with(x, y)) || (a->pieces && begins_with(y, x)));
}

static bool are_apart(const thr_template *t)
{
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < i; k++)
            if (may_coincide(t, &t->pattern[k], &t->pattern[i]))
                return false;
    return true;
}

static int check_whole(reader *r)
{
    thr_template *t = r->t;
    t->apart = are_apart(t);
    for (size_t i = 0; i < t->n; i++)
        if (is_repeated(t, i)) {
            thr_fail(r->err, THR_EDATA, "this pattern is in the template twice");
            return thr_fail_at(r->err, NULL, t->pattern[i].line, 0);
        }
    return t->n ? 0 : thr_fail(r->err, THR_EDATA, "the template has no pattern");
}

static int read_lines(reader *r, const char *at, const char *end)
{
    int code = 0;
    while (at < end && code == 0) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        r->start = at;
        r->end = newline ? newline : end;
        r->line++;
        at = newline ? newline + 1 : end;
        while (r->end > r->start && thr_is_blank(r->end[-1]))
            r->end--;
        code = read_line(r);
    }
    return code ? code : check_whole(r);
}

int thr_template_parse(const char *text, size_t n, thr_template **out, thr_error *err)
{
    thr_template *t = calloc(1, sizeof *t);
    reader r = {.t = t, .err = err};
    *out = NULL;
    if (t)
        t->text = malloc(n + 1);
    if (!t || !t->text) {
        thr_template_free(t);
        return thr_fail_memory(err);
    }
    memcpy(t->text, text, n);
    t->text[n] = '\0';
    int code = read_lines(&r, t->text, t->text + n);
    if (code) {
        thr_template_free(t);
        return code;
    }
    *out = t;
    return 0;
}

void thr_template_free(thr_template *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_derived; i++)
        free(t->derived[i].expression);
    free(t->derived);
    free(t->piece);
    free(t->pattern);
    free(t->text);
    free(t);
}

char *thr_template_fold(const char *text)
{
    char *line = malloc(2 * strlen(text) + 1), *to = line;
    for (; line && *text; text++) {
        if (*text == '\n' || *text == '\\')
            *to++ = '\\';
        *to++ = *text == '\n' ? 'n' : *text;
    }
    if (line)
        *to = '\0';
    return line;
}

char *thr_template_unfold(const char *line)
{
    char *text = malloc(strlen(line) + 1), *to = text;
    for (; text && *line; line++) {
        bool escaped = *line == '\\' && (line[1] == 'n' || line[1] == '\\');
        line += escaped;
        *to++ = escaped && *line == 'n' ? '\n' : *line;
    }
    if (text)
        *to = '\0';
    return text;
}
