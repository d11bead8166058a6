/* The functions of lines.h that are not inline. */
#include "format/lines.h"

#include "base/error.h"
#include "base/number.h"

#include <string.h>

#define PROBED_LINES         64 /* lines that are judged, at most */
#define FEWEST_BYTES_PER_NUL 32 /* text that has been damaged has few of them */

/* ---- probing ------------------------------------------------------------------------------ */

int thr_probe_lines(const char *p, size_t n, thr_line_fit *fit)
{
    const char *limit = p + n;
    int lines = 0, fitting = 0, sum = 0;
    while (p < limit && lines < PROBED_LINES) {
        const char *newline = memchr(p, '\n', (size_t)(limit - p));
        const char *end = newline ? newline : limit, *at = thr_skip_blanks(p, end);
        if (end > p && end[-1] == '\r')
            end--;
        int fits = at < end ? fit(p, end) : -1;
        if (fits >= 0) {
            lines++;
            fitting += fits > 0;
            sum += fits;
        }
        p = newline ? newline + 1 : limit;
    }
    return lines > 0 && fitting * 2 >= lines ? (sum + lines - 1) / lines : 0;
}

bool thr_probe_binary(const char *p, size_t n)
{
    size_t nuls = 0;
    for (const char *at = p; n && (at = memchr(at, '\0', (size_t)(p + n - at))); at++)
        nuls++;
    return nuls > n / FEWEST_BYTES_PER_NUL;
}

bool thr_first_line(const char *p, size_t n, bool at_end, thr_str *out)
{
    const char *limit = p + n, *newline, *at = p;
    for (; (newline = memchr(at, '\n', (size_t)(limit - at))); at = newline + 1)
        if (thr_skip_blanks(at, newline) < newline && *thr_skip_blanks(at, newline) != '\r')
            break;
    const char *end = newline ? newline : limit;
    end -= end > at && end[-1] == '\r';
    *out = thr_slice(at, end);
    return newline || at_end;
}

int thr_look_at_line(const char *p, size_t n, bool at_end, bool (*shows)(thr_str line),
                     bool *labelled)
{
    thr_str line;
    if (!thr_first_line(p, n, at_end, &line))
        return 0;
    *labelled = line.n == 0 || shows(line);
    return 1;
}

/* ---- parsing ------------------------------------------------------------------------------ */

int thr_parse_name(thr_parser *p, const char *at, thr_str label)
{
    const char *stop, *end = label.p + label.n;
    double v;
    bool number = thr_parse_double(label.p, end, &stop, &v) == THR_NUMBER_OK && stop == end;
    if (p->settings->numbers && p->settings->labelled && !number)
        return thr_parser_fail(p, at, "the label \"%s\" is not a number, which this learner needs",
                               thr_quote(label).text);
    thr_batch_label(p->batch, label);
    return 0;
}

/* Whether all of the token is a number, and its value. A number out of range is an error. */
static int label_number(thr_parser *p, thr_str token, bool *numeric, double *value)
{
    const char *stop, *end = token.p + token.n;
    enum thr_number got = thr_parse_double(token.p, end, &stop, value);
    *numeric = got == THR_NUMBER_OK && stop == end;
    if (*numeric || got == THR_NUMBER_NONE || stop != end)
        return 0;
    return thr_parser_fail(p, token.p, "label \"%s\" %s", thr_quote(token).text,
                           thr_number_problem(got));
}

int thr_parse_label(thr_parser *p, thr_str token)
{
    bool numeric;
    double v;
    int code = label_number(p, token, &numeric, &v);
    if (code)
        return code;
    if (!numeric)
        return thr_parse_name(p, token.p, token);
    thr_batch_label_number(p->batch, v);
    return 0;
}

int thr_parse_label_name(thr_parser *p, thr_str token, thr_str *out)
{
    bool numeric;
    double v;
    int code = label_number(p, token, &numeric, &v);
    *out = !code && numeric ? thr_batch_number_text(p->batch, v) : token;
    return code;
}

bool thr_parser_wants_label(const thr_parser *p)
{
    return p->settings->labelled && !p->settings->optional && !p->settings->empty_sets;
}

int thr_parse_several(thr_parser *p, const char *at)
{
    return p->settings->multilabel || !p->settings->labelled
               ? 0
               : thr_parser_fail(
                     p, at,
                     "several labels for one example: these need training with --multilabel on");
}

int thr_parse_value(thr_parser *p, thr_str token, const char *what, float *out)
{
    const char *stop = token.p, *end = token.p + token.n;
    if (token.n == 0)
        return thr_parser_fail(p, token.p, "%s missing: a number was expected", what);
    enum thr_number got = thr_parse_float(token.p, end, &stop, out);
    if (got == THR_NUMBER_OK && stop != end)
        got = THR_NUMBER_NONE;
    if (got != THR_NUMBER_OK)
        return thr_parser_fail(p, token.p, "%s \"%s\" %s", what, thr_quote(token).text,
                               thr_number_problem(got));
    return 0;
}

int thr_parse_nul(thr_parser *p, thr_str *text, const char *at)
{
    uint64_t before = p->batch->nul_bytes;
    *text = thr_features_without_nul(&p->settings->features, p->batch, *text);
    if (p->batch->nul_bytes > before && p->settings->strict)
        return thr_parser_fail(p, p->nul ? p->nul : at, "NUL byte in text");
    return 0;
}

int thr_parse_text(thr_parser *p, thr_str text)
{
    const thr_reader_settings *s = p->settings;
    if (p->nul && thr_parse_nul(p, &text, text.p))
        return THR_EDATA;
    size_t bad = thr_features_text(&s->features, &p->scratch, p->batch, 0, text, s->strict);
    if (bad)
        return thr_parser_fail(p, text.p + bad - 1, "byte 0x%02x is not UTF-8",
                               (unsigned)(unsigned char)text.p[bad - 1]);
    return 0;
}

int thr_sentence_check(thr_parser *p, enum thr_scheme scheme)
{
    const char *why;
    thr_sentence *s = &p->sentence;
    if (s->tokens == 0 || !s->token[0].tag.p)
        return 0;
    if (!thr_grow(&s->tag, &s->tag_room, s->tokens, sizeof *s->tag)) {
        p->batch->failed = true;
        return THR_EMEM;
    }
    for (size_t t = 0; t < s->tokens; t++)
        s->tag[t] = s->token[t].tag;
    size_t wrong = thr_tags_check(scheme, s->tag, s->tokens, &why);
    if (wrong == s->tokens)
        return 0;
    return thr_parser_fail(p, s->tag[wrong].p, "the tag '%s' %s", thr_quote(s->tag[wrong]).text, why);
}

/* ---- writing ------------------------------------------------------------------------------ */

bool thr_label_reads_back(thr_str label)
{
    const char *stop, *end = label.p + label.n;
    double v;
    enum thr_number got = thr_parse_double(label.p, end, &stop, &v);
    if (got == THR_NUMBER_NONE || stop != end)
        return true;
    char text[32];
    return got == THR_NUMBER_OK &&
           thr_str_eq(label, (thr_str){text, thr_print_double(v == 0 ? 0 : v, text)});
}

/* Whether a name reads back as the same integer: digits without leading zeros, below 2^64. */
static bool is_integer(thr_str name)
{
    const char *stop;
    uint64_t v;
    return name.n > 0 && (name.p[0] != '0' || name.n == 1) &&
           thr_parse_u64(name.p, name.p + name.n, &stop, &v) == THR_NUMBER_OK &&
           stop == name.p + name.n;
}

static int check_features(thr_writer *w, size_t e, const thr_format *f)
{
    const unsigned everything = THR_HOLDS_INTEGERS | THR_HOLDS_NAMES | THR_HOLDS_NAMESPACES;
    if ((f->holds & everything) == everything)
        return 0;
    for (size_t i = w->batch->start[e]; i < w->batch->start[e + 1]; i++) {
        char digits[24];
        thr_str ns, name = thr_batch_name_of(w->batch, i, digits, &ns);
        if (!(f->holds & (THR_HOLDS_INTEGERS | THR_HOLDS_NAMES)))
            return thr_fail(w->err, THR_EUSE, "%s cannot hold features, here \"%s\"", f->name,
                            thr_quote(name).text);
        if (ns.n && !(f->holds & THR_HOLDS_NAMESPACES))
            return thr_fail(w->err, THR_EUSE,
                            "%s cannot hold namespaces, here \"%s\" of the feature \"%s\"", f->name,
                            thr_quote(ns).text, thr_quote(name).text);
        if (!(f->holds & THR_HOLDS_NAMES) && !is_integer(name))
            return thr_fail(w->err, THR_EUSE,
                            "%s holds features that are whole numbers, not names, here \"%s\"",
                            f->name, thr_quote(name).text);
    }
    return 0;
}

int thr_writer_check(thr_writer *w, size_t e, const thr_format *f)
{
    const thr_example_info *about = &w->batch->about[e];
    if (about->text.n && !(f->holds & THR_HOLDS_TEXT))
        return thr_fail(w->err, THR_EUSE, "%s cannot hold running text, here \"%s\"", f->name,
                        thr_quote(about->text).text);
    if (about->tag.n && !(f->holds & THR_HOLDS_TAG))
        return thr_fail(w->err, THR_EUSE, "%s cannot hold the tag of an example, here \"%s\"",
                        f->name, thr_quote(about->tag).text);
    if (about->importance != 1 && !(f->holds & THR_HOLDS_IMPORTANCE))
        return thr_fail(w->err, THR_EUSE, "%s cannot hold the importance of an example, here %g",
                        f->name, (double)about->importance);
    if (about->more.n && !(f->holds & THR_HOLDS_LABELS))
        return thr_fail(w->err, THR_EUSE,
                        "%s cannot hold several labels for one example, here \"%s\" beside \"%s\"",
                        f->name, thr_quote(w->batch->listed[about->more.from]).text,
                        thr_quote(about->label).text);
    if (about->candidates.n && !(f->holds & THR_HOLDS_CANDIDATES))
        return thr_fail(w->err, THR_EUSE, "%s cannot hold candidate labels, here \"%s\"", f->name,
                        thr_quote(w->batch->listed[about->candidates.from]).text);
    if (about->label.p && !(f->holds & THR_HOLDS_ANY_LABEL) &&
        !(thr_looks_numeric(about->label) && thr_label_reads_back(about->label)))
        return thr_fail(w->err, THR_EUSE, "%s holds labels that are numbers, not \"%s\"", f->name,
                        thr_quote(about->label).text);
    return check_features(w, e, f);
}

/* w->state points to one of these. */
static const char with_label[] = "labelled", without_label[] = "not labelled";

int thr_writer_check_labelling(thr_writer *w, size_t e, const thr_format *f)
{
    const thr_example_info *about = &w->batch->about[e];
    const char *now = about->label.p || about->none ? with_label : without_label;
    if (!w->state)
        w->state = (void *)(uintptr_t)now;
    if (w->state == now)
        return 0;
    return thr_fail(w->err, THR_EUSE,
                    "%s cannot hold examples with and without a label in one file", f->name);
}

int thr_writer_end_labelling(thr_writer *w)
{
    w->state = NULL;
    return 0;
}

int thr_writer_check_word(thr_writer *w, thr_str s, const char *forbidden, const char *what,
                          const thr_format *f)
{
    if (s.n == 0)
        return thr_fail(w->err, THR_EUSE, "%s cannot hold an empty %s", f->name, what);
    for (size_t i = 0; i < s.n; i++) /* strchr also finds NUL: it is in every string */
        if (s.p[i] == '\n' || strchr(forbidden, s.p[i]))
            return thr_fail(w->err, THR_EUSE, "%s cannot hold the %s \"%s\" (byte %zu)", f->name,
                            what, thr_quote(s).text, i + 1);
    return 0;
}

int thr_writer_check_text(thr_writer *w, thr_str text, const thr_format *f)
{
    if (text.n == 0)
        return 0;
    const char *why = memchr(text.p, '\n', text.n)   ? "a line end"
                      : memchr(text.p, '\0', text.n) ? "a NUL"
                      : text.p[text.n - 1] == '\r'   ? "a carriage return at its end"
                                                     : NULL;
    return why ? thr_fail(w->err, THR_EUSE, "%s cannot hold text with %s, here \"%s\"", f->name,
                          why, thr_quote(text).text)
               : 0;
}

bool thr_writer_put(thr_writer *w, thr_str s)
{
    return thr_bytes_add(&w->out, s.p, s.n);
}

bool thr_writer_put_byte(thr_writer *w, char c)
{
    return thr_bytes_add(&w->out, &c, 1);
}

bool thr_writer_put_float(thr_writer *w, float v)
{
    char text[32];
    return thr_bytes_add(&w->out, text, thr_print_float(v, text));
}
