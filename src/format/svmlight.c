/* svmlight, also called libsvm: one example a line,
 *
 *     label [qid:N] id:value id:value ... # comment
 *
 * Labels are numbers; a line whose first word has a colon has no label. Ids are whole numbers
 * from 0 to 2^64-1 in any order, values are finite numbers. `qid:` is ignored. Blank lines and
 * lines with a comment only are not examples; a label without features is one.
 *
 * The usual features are read by the fast parser of svmlight_quick.h. Any other token is read here,
 * one at a time, with exact error messages.
 *
 * An example with neither label nor features is written as `0:0`. A value of zero is dropped when
 * it is read, whereas an empty line would not be read as an example. */
#include "base/error.h"
#include "base/number.h"
#include "format/lines.h"
#include "format/svmlight_quick.h"

#include <string.h>

#define SAFE_DIGITS  19 /* a number of so many digits never overflows 64 bits */
#define PROBED_WORDS 16 /* features of a line that probing judges, at most */

/* ---- probing ------------------------------------------------------------------------------ */

enum word { WORD_OTHER, WORD_NUMBER, WORD_NEARLY, WORD_FEATURE };

/* What a word is. WORD_NEARLY: a whole number, perhaps with a sign, before the colon, but not a
 * correct feature. A file of such words is still recognised as svmlight, so that its errors are
 * reported as those of svmlight. */
static enum word judge_word(const char *at, const char *end)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (!colon)
        return thr_looks_numeric(thr_slice(at, end)) ? WORD_NUMBER : WORD_OTHER;
    if (colon == at + 3 && memcmp(at, "qid", 3) == 0)
        return WORD_FEATURE;
    const char *digits = *at == '-' || *at == '+' ? at + 1 : at;
    if (digits == colon)
        return WORD_OTHER;
    for (const char *c = digits; c < colon; c++)
        if (!thr_is_digit(*c))
            return WORD_OTHER;
    bool number = thr_looks_numeric(thr_slice(colon + 1, end));
    return number && digits == at ? WORD_FEATURE : WORD_NEARLY;
}

/* One number or several, as in `1,3`. */
static bool looks_like_labels(const char *at, const char *end)
{
    for (const char *c = at; c < end; c++)
        if (!thr_is_digit(*c) && !strchr("+-.,eE", *c))
            return false;
    return thr_is_digit(end[-1]);
}

/* 90 for a line that is correct; less for a label alone, for a first word that is not a number, and
 * for features with errors. */
static int fit_line(const char *at, const char *end)
{
    const char *hash = memchr(at, '#', (size_t)(end - at));
    end = hash ? hash : end;
    at = thr_skip_blanks(at, end);
    if (at == end)
        return -1;
    const char *stop = thr_skip_token(at, end);
    enum word first = judge_word(at, stop);
    bool numeric = first == WORD_NUMBER || looks_like_labels(at, stop);
    int count[4] = {0}, words = 0;
    if (first != WORD_NEARLY && first != WORD_FEATURE)
        at = stop;
    for (at = thr_skip_blanks(at, end); at < end && words < PROBED_WORDS; words++) {
        stop = thr_skip_token(at, end);
        count[judge_word(at, stop)]++;
        at = thr_skip_blanks(stop, end);
    }
    bool all = words > 0 && count[WORD_FEATURE] == words;
    if (all)
        return numeric || first == WORD_FEATURE ? 90 : 30;
    if (words == 0)
        return first == WORD_NUMBER ? 40 : 0;
    if (count[WORD_NEARLY] + count[WORD_FEATURE] > 0 && (numeric || first >= WORD_NEARLY))
        return 20;
    return numeric && count[WORD_NUMBER] == words ? 15 : 0;
}

static int probe(const char *p, size_t n, bool labelled)
{
    (void)labelled; /* a line may lack its label anyway */
    return thr_probe_lines(p, n, fit_line);
}

/* ---- parsing ------------------------------------------------------------------------------ */

static inline bool is_token_end(const char *at, const char *end)
{
    return at == end || thr_is_blank(*at) || *at == '#';
}

static const char *token_end(const char *at, const char *end)
{
    while (!is_token_end(at, end))
        at++;
    return at;
}

/* Several labels with commas between them, as in the multi-label sets of LIBSVM. */
static int read_labels(thr_parser *p, thr_str list)
{
    const char *end = list.p + list.n, *stop;
    int code = thr_parse_several(p, list.p);
    for (const char *at = list.p; code == 0 && at <= end; at = stop + 1) {
        thr_str name, token;
        stop = memchr(at, ',', (size_t)(end - at));
        stop = stop ? stop : end;
        token = thr_slice(at, stop);
        double v;
        const char *behind = at;
        enum thr_number got = thr_parse_double(at, stop, &behind, &v);
        if (got != THR_NUMBER_OK || behind != stop)
            return thr_parser_fail(p, at, "label \"%s\" %s", thr_quote(token).text,
                                   thr_number_problem(got ? got : THR_NUMBER_NONE));
        name = thr_batch_number_text(p->batch, v == 0 ? 0 : v);
        thr_batch_also_label(p->batch, name);
    }
    return code;
}

/* Leaves *place where it is when the first token is a feature. */
static int read_label(thr_parser *p, const char **place, const char *end)
{
    const char *at = *place, *digit = at + (at < end && *at == '-'), *stop;
    double v;
    /* The usual label, a digit with or without a minus, is its own name: it needs no conversion to
     * a number and back to text. `-0` does, since it is the label 0. */
    if (digit < end && thr_is_digit(*digit) && is_token_end(digit + 1, end) &&
        !(digit > at && *digit == '0')) {
        thr_batch_label_read(p->batch, thr_slice(at, digit + 1),
                             digit > at ? '0' - *digit : *digit - '0');
        *place = digit + 1;
        return 0;
    }
    enum thr_number got = thr_parse_double(at, end, &stop, &v);
    if (got == THR_NUMBER_OK && is_token_end(stop, end)) {
        thr_batch_label_number(p->batch, v);
        *place = stop;
        return 0;
    }
    thr_str token = thr_slice(at, token_end(at, end));
    if (memchr(at, ':', token.n))
        return 0;
    if (memchr(at, ',', token.n)) {
        *place = at + token.n;
        return read_labels(p, token);
    }
    if (got == THR_NUMBER_OK)
        got = THR_NUMBER_NONE;
    return thr_parser_fail(p, at, "label \"%s\" %s", thr_quote(token).text,
                           thr_number_problem(got));
}

/* The rare id: one of twenty digits or more, or no id at all, whose error is reported. */
static int read_long_id(thr_parser *p, const char **place, const char *end, uint64_t *id)
{
    const char *at = *place, *stop = at;
    enum thr_number got = thr_parse_u64(at, end, &stop, id);
    if (got == THR_NUMBER_OK && stop < end && *stop == ':') {
        *place = stop;
        return 0;
    }
    const char *limit = token_end(at, end), *colon = memchr(at, ':', (size_t)(limit - at));
    thr_quoted quoted = thr_quote(thr_slice(at, colon ? colon : limit));
    const char *text = quoted.text;
    if (!colon)
        return thr_parser_fail(p, at, "\"%s\" has no value: id:value was expected", text);
    if (colon == at)
        return thr_parser_fail(p, at, "id missing before ':'");
    if (got == THR_NUMBER_RANGE && stop == colon)
        return thr_parser_fail(p, at, "id \"%s\" is too large: the greatest is 2^64-1", text);
    if (*at == '-')
        return thr_parser_fail(p, at, "id \"%s\" is negative: ids are whole numbers from 0", text);
    return thr_parser_fail(p, at, "id \"%s\" is not a whole number", text);
}

/* A value of one digit is read directly; any other by thr_parse_float. */
static inline int read_value(thr_parser *p, const char **place, const char *end, float *value)
{
    const char *at = *place, *stop;
    if (at < end && thr_is_digit(*at) && is_token_end(at + 1, end)) {
        *value = (float)(*at - '0');
        *place = at + 1;
        return 0;
    }
    if (thr_parse_float(at, end, &stop, value) == THR_NUMBER_OK && is_token_end(stop, end)) {
        *place = stop;
        return 0;
    }
    return thr_parse_value(p, thr_slice(at, token_end(at, end)), "value", value);
}

/* One token that the fast parser has left: a feature or `qid:`. */
static inline int read_feature(thr_parser *p, const char **place, const char *end)
{
    const char *at = *place;
    uint64_t id = 0;
    float value;
    while (at < end && thr_is_digit(*at) && at - *place < SAFE_DIGITS)
        id = id * 10 + (uint64_t)(*at++ - '0');
    if (at == *place || at == end || *at != ':') {
        at = *place;
        if (end - at >= 4 && memcmp(at, "qid:", 4) == 0) {
            *place = token_end(at, end);
            return 0;
        }
        int code = read_long_id(p, &at, end, &id);
        if (code)
            return code;
    }
    at++;
    int code = read_value(p, &at, end, &value);
    if (code)
        return code;
    thr_batch_integer(p->batch, 0, id, value);
    *place = at;
    return 0;
}

/* Reads features with the fast parser as long as they are usual. It reads beyond the end of the
 * line, so it is not used close to the end of the block. Returns where the general parser is to go
 * on. */
static const char *read_usual(thr_parser *p, const char *at, const char *end)
{
    thr_batch *b = p->batch;
    thr_quick_found found;
    if (p->limit - at < THR_QUICK ||
        !thr_batch_reserve(b, (size_t)(end - at + 1) / 4 + THR_QUICK_MORE))
        return at;
    const char *behind =
        thr_quick_take(at, end, p->limit, b->key + b->n_features, b->value + b->n_features, &found);
    if (!found.named || thr_batch_name_digits(b, at, found.n))
        thr_batch_commit(b, found.n);
    return behind;
}

static int parse(thr_parser *p, const char *at, const char *end)
{
    at = thr_skip_blanks(at, end);
    if (at == end || *at == '#')
        return 1;
    int code = read_label(p, &at, end);
    while (!code) {
        at = read_usual(p, thr_skip_blanks(at, end), end);
        at = thr_skip_blanks(at, end);
        if (at == end || *at == '#')
            return 0;
        code = read_feature(p, &at, end);
    }
    return code;
}

/* ---- writing ------------------------------------------------------------------------------ */

static int write(thr_writer *w, size_t e)
{
    int code = thr_writer_check(w, e, &thr_format_svmlight);
    if (code)
        return code;
    const thr_batch *b = w->batch;
    thr_str label = b->about[e].label;
    bool ok = !label.p || thr_writer_put(w, label), empty = !label.p;
    for (size_t i = b->start[e]; ok && i < b->start[e + 1]; i++, empty = false) {
        char digits[24];
        thr_str ns, id = thr_batch_name_of(b, i, digits, &ns);
        ok = (empty || thr_writer_put_byte(w, ' ')) && thr_writer_put(w, id) &&
             thr_writer_put_byte(w, ':') && thr_writer_put_float(w, thr_batch_value(b, i));
    }
    ok = ok && (!empty || thr_writer_put(w, thr_str_of("0:0"))) && thr_writer_put_byte(w, '\n');
    return ok ? 0 : thr_fail_memory(w->err);
}

const thr_format thr_format_svmlight = {
    .name = "svmlight",
    .numeric_labels = true,
    .other_name = "libsvm",
    .help = "label id:value ... # comment (also called libsvm)",
    .holds = THR_HOLDS_INTEGERS | THR_HOLDS_VALUES,
    .probe = probe,
    .parse = parse,
    .write = write,
};
