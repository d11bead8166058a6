/* A cross is a list of parts, and a part stands for the namespaces of the example that it admits.
 * All choices of one namespace for each part are walked through in order; each that is new is
 * counted, and later its features are made in the namespace `left*right`. */
#include "example/cross.h"

#include "base/error.h"
#include "base/text.h"
#include "example/conjoin.h"
#include "example/parts.h"

#include <string.h>

/* ---- as text ------------------------------------------------------------------------------ */

static int add_part(thr_cross *c, enum thr_cross_kind kind, const char *p, size_t n, thr_error *err)
{
    thr_cross_part *part = &c->part[c->n];
    if (c->n == THR_CROSS_PARTS)
        return thr_fail(err, THR_EUSE, "cross: more than %d namespaces in one cross",
                        THR_CROSS_PARTS);
    if (n >= sizeof part->name)
        return thr_fail(err, THR_EUSE, "cross: namespace '%.*s' is too long", (int)n, p);
    memcpy(part->name, p, n);
    part->kind = kind;
    c->n++;
    return 0;
}

/* The length of the character at `at`; a byte that is not UTF-8 is one. */
static size_t letter(const char *at, const char *end)
{
    size_t n = thr_utf8_length(at, end);
    return n ? n : 1;
}

/* `ui`: first letters without anything between them. */
static int read_letters(thr_cross *c, const char *at, const char *end, thr_error *err)
{
    const char *text = at;
    int code = 0;
    for (size_t n; at < end && code == 0; at += n) {
        n = letter(at, end);
        code = add_part(c, THR_CROSS_LETTER, at, n, err);
    }
    if (code == 0 && c->n < 2)
        code = thr_fail(err, THR_EUSE,
                        "cross: '%.*s' is not two namespaces or more, as user*item, u*i or ui",
                        (int)(end - text), text);
    return code;
}

/* `A*B`, and with more stars. A star by itself between two others, or at an end beside another, is
 * a part: every namespace. */
static int read_parts(thr_cross *c, const char *at, const char *end, thr_error *err)
{
    bool alone = end - at == 1;
    for (int code;; at++) {
        bool all = !alone && at < end && *at == '*' && (at + 1 == end || at[1] == '*');
        const char *stop = all ? at + 1 : memchr(at, '*', (size_t)(end - at));
        stop = stop ? stop : end;
        bool one = !all && at < stop && at + letter(at, stop) == stop;
        code = all   ? add_part(c, THR_CROSS_ALL, "", 0, err)
               : one ? add_part(c, THR_CROSS_LETTER, at, (size_t)(stop - at), err)
                     : add_part(c, THR_CROSS_NAME, at, (size_t)(stop - at), err);
        if (code || stop == end)
            return code;
        at = stop;
    }
}

/* As in models of earlier versions. */
static int read_pair(thr_cross *c, const char *at, const char *end, thr_error *err)
{
    const char *star = memchr(at, '*', (size_t)(end - at));
    if (!star)
        return thr_fail(err, THR_EUSE, "cross: '%.*s' is not A*B", (int)(end - at), at);
    int code = add_part(c, THR_CROSS_NAME, at, (size_t)(star - at), err);
    return code ? code : add_part(c, THR_CROSS_NAME, star + 1, (size_t)(end - star) - 1, err);
}

int thr_crosses_parse(const char *text, bool by_name, thr_features *f, thr_error *err)
{
    f->n_crosses = 0;
    for (int code; *text;) {
        size_t n = strcspn(text, ",");
        if (f->n_crosses == THR_MAX_CROSSES)
            return thr_fail(err, THR_EUSE, "cross: more than %d crosses", THR_MAX_CROSSES);
        thr_cross *c = &f->cross[f->n_crosses++];
        *c = (thr_cross){0};
        code = by_name                ? read_pair(c, text, text + n, err)
               : memchr(text, '*', n) ? read_parts(c, text, text + n, err)
                                      : read_letters(c, text, text + n, err);
        if (code)
            return code;
        text += n + (text[n] == ',');
    }
    return 0;
}

bool thr_crosses_are_pairs(const thr_features *f)
{
    for (size_t i = 0; i < f->n_crosses; i++) {
        const thr_cross *c = &f->cross[i];
        if (c->n != 2 || c->part[0].kind != THR_CROSS_NAME || c->part[1].kind != THR_CROSS_NAME)
            return false;
    }
    return true;
}

bool thr_cross_same(const thr_cross *a, const thr_cross *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++)
        same = a->part[i].kind == b->part[i].kind && strcmp(a->part[i].name, b->part[i].name) == 0;
    return same;
}

bool thr_cross_print(const thr_cross *c, thr_bytes *out)
{
    bool ok = true;
    for (size_t i = 0; i < c->n && ok; i++)
        ok = thr_bytes_printf(out, "%s%s", i ? "*" : "",
                              c->part[i].kind == THR_CROSS_ALL ? "*" : c->part[i].name);
    return ok;
}

/* ---- choices of namespaces ---------------------------------------------------------------- */

typedef struct walk {
    const thr_features *f;
    const thr_cross *cross;
    thr_feature_scratch *s;
    thr_batch *b;
    size_t space[THR_CROSS_PARTS]; /* the choice: for each part a number in s->space */
    size_t index[THR_CROSS_PARTS]; /* features of these namespaces */
    bool matched, *clash;
    uint64_t made, most; /* features so far; so many are counted */
} walk;

/* Called for each choice; false ends the walk. */
typedef bool visit(walk *w);

static bool admits(const thr_feature_scratch *s, const thr_cross_part *part, size_t space)
{
    thr_str ns = s->space[space].ns, name = thr_str_of(part->name);
    if (part->kind == THR_CROSS_ALL || thr_str_eq(ns, name))
        return true;
    return part->kind == THR_CROSS_LETTER && ns.n > name.n && memcmp(ns.p, name.p, name.n) == 0 &&
           thr_parts_find(s, name) == s->n_spaces;
}

static bool admits_any(const thr_feature_scratch *s, const thr_cross_part *part)
{
    for (size_t i = 0; i < s->n_spaces; i++)
        if (admits(s, part, i))
            return true;
    return false;
}

/* Whether part k may have its choice, given those before it. It may not if two parts could exchange
 * their namespaces and so give the same combination earlier, or if a namespace is chosen more often
 * than it has features. */
static bool is_new(const walk *w, size_t k)
{
    const thr_cross_part *part = w->cross->part;
    size_t chosen = w->space[k], times = 1;
    for (size_t i = 0; i < k; i++) {
        times += w->space[i] == chosen;
        if (chosen < w->space[i] && admits(w->s, &part[i], chosen) &&
            admits(w->s, &part[k], w->space[i]))
            return false;
    }
    return times <= w->s->space[chosen].n;
}

/* Whether a cross that the settings list before makes this choice too. */
static bool is_repeated(const walk *w)
{
    for (const thr_cross *c = w->f->cross; c < w->cross; c++) {
        bool same = c->n == w->cross->n;
        for (size_t i = 0; i < c->n && same; i++)
            same = admits(w->s, &c->part[i], w->space[i]);
        if (same)
            return true;
    }
    return false;
}

/* All choices for the parts from number k on. */
static bool walk_from(walk *w, size_t k, visit *fn)
{
    if (k == w->cross->n) {
        w->matched = true;
        return is_repeated(w) || fn(w);
    }
    for (size_t i = 0; i < w->s->n_spaces; i++) {
        w->space[k] = i;
        if (admits(w->s, &w->cross->part[k], i) && is_new(w, k) && !walk_from(w, k + 1, fn))
            return false;
    }
    return true;
}

/* All choices of all crosses. A part that admits nothing is looked for first: otherwise all choices
 * for the parts before it would be tried in vain. */
static bool walk_all(walk *w, visit *fn)
{
    for (size_t i = 0; i < w->f->n_crosses; i++) {
        w->cross = &w->f->cross[i];
        w->matched = false;
        bool possible = true;
        for (size_t k = 0; k < w->cross->n && possible; k++)
            possible = admits_any(w->s, &w->cross->part[k]);
        if (possible && !walk_from(w, 0, fn))
            return false;
        w->b->crossed |= (uint32_t)w->matched << i;
    }
    return true;
}

/* ---- features ----------------------------------------------------------------------------- */

/* The number of features of a choice: the product of C(n, m) over its namespaces, of which each has
 * n features and is chosen m times. C(n, m) grows by the factor (n - i) / (i + 1) where the i-th
 * repetition is met; the products before are binomials too, so the division is exact. */
static bool count(walk *w)
{
    uint64_t product = 1;
    for (size_t k = 0; k < w->cross->n; k++) {
        uint64_t times = 0;
        for (size_t i = 0; i < k; i++)
            times += w->space[i] == w->space[k];
        if (__builtin_mul_overflow(product, w->s->space[w->space[k]].n - times, &product)) {
            w->made = UINT64_MAX;
            return false;
        }
        product /= times + 1;
    }
    if (__builtin_add_overflow(w->made, product, &w->made))
        w->made = UINT64_MAX;
    return w->made <= w->most;
}

/* Adds the features whose first k parts are w->index[0..k). Of a namespace that is chosen twice
 * each pair of features is taken once. */
static bool add_from(walk *w, size_t k, thr_naming *to)
{
    if (k == w->cross->n)
        return thr_parts_multiply(w->s, to, w->index, k, '*');
    const thr_range *r = &w->s->space[w->space[k]];
    size_t from = r->from;
    for (size_t i = 0; i < k; i++)
        if (w->space[i] == w->space[k])
            from = w->index[i] + 1;
    for (size_t i = from; i < r->from + r->n; i++) {
        w->index[k] = i;
        if (!add_from(w, k + 1, to))
            return false;
    }
    return true;
}

static bool add(walk *w)
{
    size_t n = w->cross->n - 1;
    for (size_t k = 0; k < w->cross->n; k++)
        n += thr_escaped_length(w->s->space[w->space[k]].ns, "*\\");
    char *name = thr_arena_take(&w->b->arena, n), *to = name;
    if (!name)
        return false;
    for (size_t k = 0; k < w->cross->n; k++) {
        if (k)
            *to++ = '*';
        to = thr_put_escaped(to, w->s->space[w->space[k]].ns, "*\\");
    }
    thr_naming x;
    thr_naming_begin(&x, w->b, thr_batch_namespace(w->b, (thr_str){name, n}));
    *w->clash |= thr_parts_find(w->s, (thr_str){name, n}) < w->s->n_spaces;
    bool ok = add_from(w, 0, &x);
    thr_naming_flush(&x);
    return ok;
}

uint64_t thr_cross_count(const thr_features *f, thr_feature_scratch *s, thr_batch *b, uint64_t most,
                         bool *more)
{
    walk w = {.f = f, .s = s, .b = b, .most = most};
    b->without_ns |= s->n_spaces && s->space[0].ns.n == 0;
    *more = !walk_all(&w, count);
    return w.made;
}

bool thr_cross_add(const thr_features *f, thr_feature_scratch *s, thr_batch *b, bool *clash)
{
    walk w = {.f = f, .s = s, .b = b, .clash = clash};
    return f->n_crosses == 0 || (thr_parts_write(s, b, false, "*\\") && walk_all(&w, add));
}
