/* The text format of Vowpal Wabbit: one example a line,
 *
 *     [label [importance [base]]] ['tag]|namespace[:scale] name[:value] ...|namespace ...
 *
 * The tag is the word that touches the first bar, or else the last word before it if it begins with
 * a quote; the quote is not part of the tag. A namespace's name follows its bar directly; a blank
 * there means the empty namespace. A feature's value stands behind its last colon, so that names
 * may contain colons; without a colon the value is 1. The scale multiplies all values of its
 * namespace. A label that is a number is taken by its value, any other label by name, and a line
 * may have no label. The base (a first guess at the label) must be a number and is ignored. Empty
 * lines are not examples. */
#include "base/error.h"
#include "base/wide.h"
#include "format/lines.h"
#include "format/svmlight_quick.h"
#include "format/vw_labels.h"

#include <math.h>
#include <string.h>

#define HEAD_WORDS 3 /* label, importance, base */

/* Splits [at, end) at blanks. Stores the first `room` words; returns how many words there are. */
static size_t split_words(const char *at, const char *end, thr_str *word, size_t room)
{
    size_t n = 0;
    for (at = thr_skip_blanks(at, end); at < end; at = thr_skip_blanks(at, end)) {
        const char *stop = thr_skip_token(at, end);
        if (n < room)
            word[n] = thr_slice(at, stop);
        n++;
        at = stop;
    }
    return n;
}

/* Whether the last word before the bar is the tag. */
static bool is_tag(thr_str last, const char *bar)
{
    return last.p[0] == '\'' || last.p + last.n == bar;
}

/* thr_vw_other_problem of the `n` words before the bar, `room` of which are stored. */
static const char *other_problem(const thr_str *word, size_t n, size_t room, const char *bar,
                                 size_t *at)
{
    size_t stored = n < room ? n : room;
    return thr_vw_other_problem(word, stored - (stored == n && n && is_tag(word[n - 1], bar)), at);
}

/* ---- probing ------------------------------------------------------------------------------ */

static int fit_line(const char *at, const char *end)
{
    const char *bar = memchr(at, '|', (size_t)(end - at));
    if (!bar)
        return 0;
    thr_str word[HEAD_WORDS + 1];
    size_t n = split_words(at, bar, word, HEAD_WORDS + 1), other;
    if (!memchr(at, '\t', (size_t)(bar - at)) && !memchr(at, '#', (size_t)(bar - at)) &&
        other_problem(word, n, HEAD_WORDS + 1, bar, &other))
        return 90; /* so that it is refused by name */
    if (n > HEAD_WORDS + 1)
        return 0;
    if (n > 0 && is_tag(word[n - 1], bar))
        n--;
    for (size_t i = 1; i < n; i++)
        if (!thr_looks_numeric(word[i]))
            return 0;
    if (n > HEAD_WORDS)
        return 0;
    return n == 0 || thr_looks_numeric(word[0]) ? 90 : 40;
}

static int probe(const char *p, size_t n, bool labelled)
{
    (void)labelled; /* a line may lack its label anyway */
    return thr_probe_lines(p, n, fit_line);
}

/* ---- parsing ------------------------------------------------------------------------------ */

/* Reads the words before the first bar. `bar` is NULL if the line has no bar. */
static int read_head(thr_parser *p, const char *at, const char *end, const char *bar)
{
    thr_str word[HEAD_WORDS + 2];
    size_t n = split_words(at, end, word, HEAD_WORDS + 2), other;
    const char *why = other_problem(word, n, HEAD_WORDS + 2, bar, &other);
    if (why)
        return thr_parser_fail(p, word[other].p, "\"%s\" %s", thr_quote(word[other]).text, why);
    if (n > 0 && n <= HEAD_WORDS + 1 && is_tag(word[n - 1], bar)) {
        size_t quote = word[n - 1].p[0] == '\'';
        thr_str tag = {word[n - 1].p + quote, word[n - 1].n - quote};
        if (tag.n)
            p->batch->about[p->batch->n].tag = tag;
        n--;
    }
    if (n > HEAD_WORDS)
        return thr_parser_fail(p, word[HEAD_WORDS].p,
                               "\"%s\" is one word too many: label, importance and base may "
                               "stand before the first '|'",
                               thr_quote(word[HEAD_WORDS]).text);
    float importance = 1, base;
    int code = n > 0 ? thr_parse_label(p, word[0]) : 0;
    if (!code && n > 1)
        code = thr_parse_value(p, word[1], "importance", &importance);
    if (!code && importance < 0)
        code =
            thr_parser_fail(p, word[1].p, "importance \"%s\" is negative", thr_quote(word[1]).text);
    if (!code)
        p->batch->about[p->batch->n].importance = importance;
    if (!code && n > 2)
        code = thr_parse_value(p, word[2], "base", &base);
    return code;
}

/* A word behind the first bar. It ends at a blank or a bar; *colon is its last colon, or NULL. */
static thr_str read_word(const char *at, const char *end, const char **colon)
{
    const char *c = at;
    for (*colon = NULL; c < end && !thr_is_blank(*c) && *c != '|'; c++)
        if (*c == ':')
            *colon = c;
    return thr_slice(at, c);
}

static int read_feature(thr_parser *p, const char **place, const char *end, uint32_t ns,
                        float scale)
{
    const char *colon;
    thr_str word = read_word(*place, end, &colon), name = word;
    float value = 1;
    if (colon) {
        name.n = (size_t)(colon - word.p);
        if (name.n == 0)
            return thr_parser_fail(p, word.p, "feature name missing before ':'");
        int code = thr_parse_value(p, thr_slice(colon + 1, word.p + word.n), "value", &value);
        if (code)
            return code;
    }
    value *= scale;
    if (!isfinite(value))
        return thr_parser_fail(p, colon ? colon + 1 : word.p,
                               "value times the namespace's scale is too large");
    thr_batch_named(p->batch, ns, name, value);
    *place = word.p + word.n;
    return 0;
}

/* Whether an id behind a blank, or the first, has a zero too many. Then it is a name of digits, not
 * a number. Without an early exit, so that it is vectorised. */
THR_CLONED static bool has_padded_id(const char *p, size_t n)
{
    unsigned padded = n > 1 && p[0] == '0' && thr_is_digit(p[1]);
    for (size_t i = 2; i < n; i++)
        padded |= (unsigned)(p[i - 2] == ' ') & (unsigned)(p[i - 1] == '0') &
                  (unsigned)((unsigned char)(p[i] - '0') < 10);
    return padded;
}

/* Whether n integers have keys in the namespace, and if so, puts them into it. */
static bool keep_small(uint64_t *key, size_t n, uint32_t ns)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= key[i];
    for (size_t i = 0; i < n && all < THR_SMALL; i++)
        key[i] |= (uint64_t)ns << THR_SMALL_BITS;
    return all < THR_SMALL;
}

/* Reads features that are written as in svmlight, with its fast parser (svmlight_quick.h). Returns
 * where the next feature begins, or `at` if there was none. */
static const char *read_usual(thr_parser *p, const char *at, const char *end, uint32_t ns)
{
    thr_batch *b = p->batch;
    thr_quick_found found;
    if (!thr_is_digit(*at) || p->limit - at < THR_QUICK ||
        !thr_batch_reserve(b, (size_t)(end - at + 1) / 4 + THR_QUICK_MORE))
        return at;
    uint64_t *key = b->key + b->n_features;
    const char *behind = thr_quick_take(at, end, p->limit, key, b->value + b->n_features, &found);
    if (has_padded_id(at, (size_t)(behind - at)) || (ns && !keep_small(key, found.n, ns)) ||
        (found.named && !thr_batch_name_digits(b, at, found.n)))
        return at;
    thr_batch_commit(b, found.n);
    return behind;
}

/* A bar at *place, the namespace, and its features up to the next bar. The fast parser is
 * given up when it has found nothing twice in a row, since its lines are then of another kind. */
static int read_namespace(thr_parser *p, const char **place, const char *end)
{
    const char *colon;
    thr_str word = read_word(*place + 1, end, &colon), name = word;
    float scale = 1;
    if (colon) {
        name.n = (size_t)(colon - word.p);
        if (name.n == 0)
            return thr_parser_fail(p, word.p, "namespace missing before ':'");
        int code = thr_parse_value(p, thr_slice(colon + 1, word.p + word.n), "scale", &scale);
        if (code)
            return code;
    }
    uint32_t ns = name.n ? thr_batch_namespace(p->batch, name) : 0;
    const char *at = thr_skip_blanks(word.p + word.n, end);
    for (unsigned misses = scale == 1 ? 0 : 2; at < end && *at != '|';) {
        const char *from = at;
        if (misses < 2)
            at = read_usual(p, at, end, ns);
        misses = at > from ? 0 : misses + 1;
        int code = at > from ? 0 : read_feature(p, &at, end, ns, scale);
        if (code)
            return code;
        at = thr_skip_blanks(at, end);
    }
    *place = at;
    return 0;
}

static int parse(thr_parser *p, const char *at, const char *end)
{
    if (thr_skip_blanks(at, end) == end)
        return 1;
    const char *bar = memchr(at, '|', (size_t)(end - at));
    int code = read_head(p, at, bar ? bar : end, bar);
    for (at = bar ? bar : end; !code && at < end;)
        code = read_namespace(p, &at, end);
    return code;
}

/* ---- writing ------------------------------------------------------------------------------ */

#define NOT_IN_WORDS " \t\r|"

static bool is_hex(char c)
{
    return thr_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Writes the name of a feature or namespace. VW has no escapes, so a byte that would end the name
 * is written as in a URL: `new york` becomes `new%20york`. A percent sign that would be taken for
 * such an escape is written as `%25`; so no two names become one. Other names stay as they are. */
static bool put_name(thr_writer *w, thr_str name, const char *forbidden)
{
    static const char hex[] = "0123456789ABCDEF";
    bool ok = true;
    for (size_t i = 0; i < name.n && ok; i++) {
        unsigned char c = (unsigned char)name.p[i];
        bool escape =
            c == '\n' || strchr(forbidden, c) || /* strchr also finds NUL */
            (c == '%' && name.n - i > 2 && is_hex(name.p[i + 1]) && is_hex(name.p[i + 2]));
        char code[] = {'%', hex[c >> 4], hex[c & 15]};
        ok = escape ? thr_bytes_add(&w->out, code, sizeof code) : thr_writer_put_byte(w, (char)c);
    }
    return ok;
}

static int put_head(thr_writer *w, const thr_example_info *about)
{
    const thr_format *f = &thr_format_vw;
    bool ok = true;
    int code = 0;
    if (about->label.p) {
        code = thr_writer_check_word(w, about->label, NOT_IN_WORDS, "label", f);
        if (!code && (about->label.p[0] == '\'' || !thr_label_reads_back(about->label) ||
                      thr_vw_other_problem(&about->label, 1, &(size_t){0})))
            code = thr_fail(w->err, THR_EUSE, "%s would read the label \"%s\" back as another",
                            f->name, thr_quote(about->label).text);
        ok = !code && thr_writer_put(w, about->label) && thr_writer_put_byte(w, ' ');
    }
    if (!code && about->importance != 1) {
        if (!about->label.p)
            return thr_fail(w->err, THR_EUSE,
                            "%s cannot hold the importance of an example without a label", f->name);
        ok = ok && thr_writer_put_float(w, about->importance) && thr_writer_put_byte(w, ' ');
    }
    if (!code && about->tag.n) {
        code = thr_writer_check_word(w, about->tag, NOT_IN_WORDS, "tag", f);
        ok = ok && thr_writer_put_byte(w, '\'') && thr_writer_put(w, about->tag);
    }
    return code ? code : ok ? 0 : thr_fail_memory(w->err);
}

static int put_namespace(thr_writer *w, thr_str ns)
{
    bool ok = (w->out.n == 0 || w->out.p[w->out.n - 1] == '\n' || w->out.p[w->out.n - 1] == ' ' ||
               thr_writer_put_byte(w, ' ')) &&
              thr_writer_put_byte(w, '|') && put_name(w, ns, NOT_IN_WORDS ":");
    return ok ? 0 : thr_fail_memory(w->err);
}

/* A bar is written before each change of namespace, and one bar for an example without features. A
 * name that contains a colon is written with its value even if that is 1; otherwise the end of the
 * name would be read as the value. */
static int put_features(thr_writer *w, size_t e)
{
    const thr_batch *b = w->batch;
    thr_str last = {"", 0};
    int code = 0;
    for (size_t i = b->start[e]; !code && i < b->start[e + 1]; i++) {
        char digits[24];
        thr_str ns, name = thr_batch_name_of(b, i, digits, &ns);
        if (i == b->start[e] || !thr_str_eq(ns, last))
            code = put_namespace(w, ns);
        last = ns;
        if (!code && name.n == 0)
            code = thr_fail(w->err, THR_EUSE, "vw cannot hold an empty feature");
        if (code)
            return code;
        float value = thr_batch_value(b, i);
        bool ok = thr_writer_put_byte(w, ' ') && put_name(w, name, NOT_IN_WORDS);
        if (ok && (value != 1 || memchr(name.p, ':', name.n)))
            ok = thr_writer_put_byte(w, ':') && thr_writer_put_float(w, value);
        code = ok ? 0 : thr_fail_memory(w->err);
    }
    return !code && b->start[e] == b->start[e + 1] ? put_namespace(w, last) : code;
}

static int write(thr_writer *w, size_t e)
{
    size_t before = w->out.n;
    int code = thr_writer_check(w, e, &thr_format_vw);
    if (!code)
        code = put_head(w, &w->batch->about[e]);
    if (!code)
        code = put_features(w, e);
    if (!code && !thr_writer_put_byte(w, '\n'))
        code = thr_fail_memory(w->err);
    if (code)
        w->out.n = before;
    return code;
}

const thr_format thr_format_vw = {
    .name = "vw",
    .numeric_labels = true,
    .help = "label importance 'tag |namespace name:value ... (Vowpal Wabbit text)",
    .holds = THR_HOLDS_INTEGERS | THR_HOLDS_NAMES | THR_HOLDS_NAMESPACES | THR_HOLDS_VALUES |
             THR_HOLDS_IMPORTANCE | THR_HOLDS_TAG | THR_HOLDS_ANY_LABEL,
    .probe = probe,
    .parse = parse,
    .write = write,
};
