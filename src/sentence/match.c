/* Matching from the end of the text to its start (match.h).
 *
 * end[i] is where a match of the atoms from number i on ends that begins at the present place p, or
 * NULL. With end' for the place behind the character at p,
 *
 *     end[n] = p                              (p must be the end of the text if there is a $)
 *     c      end[i] = end'[i + 1]             if c is the character at p
 *     c?     end[i] = end'[i + 1]             if c is that, and there is a match; else end[i + 1]
 *     c*     end[i] = end[i + 1]              if there is one; else end'[i], if c is that
 *
 * so each place needs one pass over the atoms, from the last to the first. */
#include "sentence/match.h"

#include "base/text.h"
#include "sentence/letters.h"

static bool is_in_class(char class, enum thr_letter kind)
{
    switch (class) {
    case 'd': return kind == THR_LETTER_DIGIT;
    case 'a': return thr_letter_is_alpha(kind);
    case 'w': return thr_letter_is_alpha(kind) || kind == THR_LETTER_DIGIT;
    case 'l': return kind == THR_LETTER_LOWER;
    case 'u': return kind == THR_LETTER_UPPER;
    case 'p': return kind == THR_LETTER_PUNCTUATION;
    default: return kind == THR_LETTER_SPACE;
    }
}

static bool fits(const thr_atom *a, const char *at, size_t n, enum thr_letter kind)
{
    if (a->n)
        return a->n == n && memcmp(a->text, at, n) == 0;
    if (a->class == '.')
        return true;
    bool capital = a->class >= 'A' && a->class <= 'Z';
    return is_in_class(capital ? (char)(a->class + 'a' - 'A') : a->class, kind) != capital;
}

/* Reads one atom at `at`, without what follows it. Returns its length. */
static size_t parse_atom(const char *at, const char *end, thr_atom *a)
{
    enum thr_letter kind;
    size_t escaped = *at == '\\' && end - at > 1;
    *a = (thr_atom){0};
    if (escaped && at[1] && strchr("dawlupsDAWLUPS", at[1]))
        a->class = at[1];
    else if (*at == '.' && !escaped)
        a->class = '.';
    else {
        a->n = (unsigned char)thr_letter_at(at + escaped, end, &kind);
        memcpy(a->text, at + escaped, a->n);
    }
    return escaped + (a->n ? a->n : 1);
}

int thr_expression_parse(thr_str text, thr_expression *out, thr_error *err)
{
    const char *at = text.p, *end = text.p + text.n;
    *out = (thr_expression){.from_start = text.n && *at == '^'};
    at += out->from_start;
    while (at < end && !(*at == '$' && at + 1 == end)) {
        if (out->n == THR_MATCH_ATOMS)
            return thr_fail(err, THR_EDATA, "the regular expression has more than %d characters",
                            THR_MATCH_ATOMS);
        thr_atom *a = &out->atom[out->n++];
        at += parse_atom(at, end, a);
        if (at < end && (*at == '?' || *at == '*'))
            a->count = *at++;
    }
    out->to_end = at < end;
    return 0;
}

/* One place: `end` of the place behind it becomes that of the place. n is 0 at the end of the text,
 * which has no character. */
static void step(const thr_expression *x, const char *at, size_t n, const char **end)
{
    enum thr_letter kind = THR_LETTER_NONE;
    const char *next = n && !x->to_end ? at : n ? NULL : at, *behind = end[x->n];
    if (n)
        thr_letter_at(at, at + n, &kind);
    end[x->n] = next;
    for (unsigned i = x->n; i-- > 0;) {
        const thr_atom *a = &x->atom[i];
        const char *here = end[i];
        bool fit = n && fits(a, at, n, kind);
        const char *once = fit ? behind : NULL; /* end' of i + 1 */
        if (a->count == '?')
            end[i] = once ? once : next;
        else if (a->count == '*')
            end[i] = next ? next : fit ? here : NULL;
        else
            end[i] = once;
        behind = here;
        next = end[i];
    }
}

bool thr_expression_find(const thr_expression *x, thr_str text, thr_str *found)
{
    const char *end[THR_MATCH_ATOMS + 1] = {0};
    const char *at = text.p + text.n, *start = NULL, *stop = NULL;
    step(x, at, 0, end);
    for (;;) {
        if (end[0] && (!x->from_start || at == text.p)) {
            start = at;
            stop = end[0];
        }
        if (at == text.p)
            break;
        const char *from = thr_letter_before(text.p, at);
        step(x, from, (size_t)(at - from), end);
        at = from;
    }
    if (start)
        *found = thr_slice(start, stop);
    return start != NULL;
}
