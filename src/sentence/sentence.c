/* From the columns of a sentence to examples (sentence.h). */
#include "sentence/sentence.h"

#include "example/names.h"
#include "sentence/letters.h"

#include <stdio.h>
#include <stdlib.h>

void thr_sentence_clear(thr_sentence *s)
{
    free(s->token);
    free(s->field);
    free(s->tag);
    free(s->letter);
    free(s->value);
    thr_arena_clear(&s->made);
    *s = (thr_sentence){0};
}

thr_str *thr_sentence_add(thr_sentence *s, size_t columns, thr_token token)
{
    if (s->tokens == 0)
        s->columns = columns;
    if (!thr_grow(&s->token, &s->token_room, s->tokens + 1, sizeof *s->token) ||
        !thr_grow(&s->field, &s->field_room, (s->tokens + 1) * columns, sizeof *s->field))
        return NULL;
    s->token[s->tokens] = token;
    return s->field + s->tokens++ * columns;
}

/* ---- derived columns ---------------------------------------------------------------------- */

static bool make_lower(thr_sentence *s, thr_str *word)
{
    char *to = thr_arena_take(&s->made, 3 * word->n + 1);
    if (!to)
        return false;
    *word = (thr_str){to, thr_letters_lower(*word, to)};
    return true;
}

static bool make_shape(thr_sentence *s, thr_str *word)
{
    char *to = thr_arena_take(&s->made, word->n + 1);
    if (!to)
        return false;
    *word = (thr_str){to, thr_letters_shape(*word, to)};
    return true;
}

/* What `d` makes of the column of a token. False: out of memory. */
static bool derive(thr_sentence *s, const thr_derived *d, thr_str field, thr_str *out)
{
    static const thr_str none = {"_", 1}, yes = {"true", 4}, no = {"false", 5}, empty = {"", 0};
    thr_str word = field, part = empty;
    if (d->lower && d->kind != THR_DERIVED_MATCH && !make_lower(s, &word))
        return false;
    switch (d->kind) {
    case THR_DERIVED_SAME: *out = word; return true;
    case THR_DERIVED_TEST: *out = thr_expression_find(d->expression, word, &part) ? yes : no; return true;
    case THR_DERIVED_MATCH:
        *out = thr_expression_find(d->expression, word, &part) ? part : empty;
        return !d->lower || make_lower(s, out);
    case THR_DERIVED_PREFIX: *out = thr_letters_prefix(word, d->n, &part) ? part : none; return true;
    case THR_DERIVED_SUFFIX: *out = thr_letters_suffix(word, d->n, &part) ? part : none; return true;
    default: *out = word; return make_shape(s, out);
    }
}

static bool derive_all(thr_sentence *s, const thr_template *t)
{
    thr_arena_reset(&s->made);
    if (!thr_grow(&s->value, &s->value_room, t->n_derived * s->tokens, sizeof *s->value))
        return false;
    for (size_t d = 0; d < t->n_derived; d++)
        for (size_t i = 0; i < s->tokens; i++) {
            thr_str field = s->field[i * s->columns + t->derived[d].column];
            if (!derive(s, &t->derived[d], field, &s->value[d * s->tokens + i]))
                return false;
        }
    return true;
}

/* ---- names -------------------------------------------------------------------------------- */

typedef struct emitter {
    const thr_sentence *s;
    const thr_template *t;
    thr_batch *b;
    thr_merge *merge;
    size_t token; /* the one at hand */
    bool chain;   /* links are wanted */
} emitter;

static void name_outside(thr_sentence *s)
{
    const int half = THR_TEMPLATE_ROWS + 1;
    for (int i = 0; i < 2 * half && !s->outside_n[2 * half - 1]; i++)
        s->outside_n[i] = (unsigned char)snprintf(s->outside[i], sizeof *s->outside, "_B%c%d",
                                                  i < half ? '-' : '+', i % half + 1);
}

static thr_str value_of(const emitter *e, const thr_macro *p)
{
    long n = (long)e->s->tokens, last = THR_TEMPLATE_ROWS;
    long at = !p->absolute ? (long)e->token + p->row : p->row < 0 ? n + p->row : p->row - 1;
    if (at >= 0 && at < n)
        return e->s->value[p->derived * e->s->tokens + (size_t)at];
    long far = at < 0 ? -at - 1 : at - n;
    far = (far > last ? last : far) + (at < 0 ? 0 : THR_TEMPLATE_ROWS + 1);
    return (thr_str){e->s->outside[far], e->s->outside_n[far]};
}

static char *put(char *to, thr_str part)
{
    memcpy(to, part.p, part.n);
    return to + part.n;
}

/* The name that a pattern makes at the token, behind `front`. .p is NULL if memory runs out. */
static thr_str expand(const emitter *e, const thr_pattern *pattern, thr_str front)
{
    /* A template without a macro has no pieces, and then there is no array. */
    const thr_macro *piece = pattern->pieces ? e->t->piece + pattern->first : NULL;
    thr_str value[THR_TEMPLATE_PIECES];
    size_t n = front.n + pattern->rest.n + (front.n > 0);
    for (unsigned i = 0; i < pattern->pieces; i++) {
        value[i] = value_of(e, &piece[i]);
        n += piece[i].text.n + value[i].n;
    }
    char *start = thr_arena_take(&e->b->arena, n), *to = start;
    if (!start)
        return (thr_str){0};
    to = put(to, front);
    if (front.n)
        *to++ = ' ';
    for (unsigned i = 0; i < pattern->pieces; i++)
        to = put(put(to, piece[i].text), value[i]);
    put(to, pattern->rest);
    return (thr_str){start, n};
}

static void add(const emitter *e, thr_naming *x, size_t pattern, thr_str front)
{
    thr_str name = expand(e, &e->t->pattern[pattern], front);
    if (name.p)
        thr_naming_add(x, name, 1);
    else
        e->b->failed = true;
}

/* The features of the patterns from .. end, in one namespace. */
static void add_range(const emitter *e, uint32_t ns, size_t from, size_t end, thr_str front)
{
    thr_naming x;
    thr_naming_begin(&x, e->b, ns);
    for (size_t i = from; i < end; i++)
        add(e, &x, i, front);
    thr_naming_flush(&x);
}

/* The namespace of features behind a tag. */
static uint32_t space_after(thr_batch *b, thr_str tag)
{
    size_t word = sizeof THR_AFTER - 1, n = word + tag.n;
    char *name = thr_arena_take(&b->arena, n);
    if (!name) {
        b->failed = true;
        return 0;
    }
    memcpy(name, THR_AFTER, word);
    memcpy(name + word, tag.p, tag.n);
    return thr_batch_namespace(b, (thr_str){name, n});
}

/* ---- tokens ------------------------------------------------------------------------------- */

/* The tags as they are learned go to s->tag. */
static bool turn_tags(thr_sentence *s, enum thr_scheme scheme, thr_batch *b)
{
    size_t n = s->tokens;
    if (!thr_grow(&s->tag, &s->tag_room, n, sizeof *s->tag) ||
        !thr_grow(&s->letter, &s->letter_room, n, 1))
        return false;
    for (size_t t = 0; t < n; t++)
        s->tag[t] = s->token[t].tag;
    bool chunks = scheme == THR_TAGS_BIO || scheme == THR_TAGS_IOB1;
    if (!chunks || n == 0 || !s->tag[0].p)
        return true;
    thr_tags_inside(scheme, s->tag, n, s->letter);
    for (size_t t = 0; t < n; t++) {
        if (*s->tag[t].p == s->letter[t])
            continue;
        char *turned = thr_arena_copy(&b->arena, s->tag[t].p, s->tag[t].n);
        if (!turned)
            return false;
        *turned = s->letter[t];
        s->tag[t].p = turned;
    }
    return true;
}

/* Names the links from .. end. One without a macro is always the same bytes of the template. */
static void name_links(const emitter *e, size_t from, size_t end)
{
    thr_example_info *about = &e->b->about[e->b->n];
    for (size_t i = from; i < end; i++) {
        const thr_pattern *p = &e->t->pattern[i];
        thr_str name = p->pieces ? expand(e, p, (thr_str){"", 0}) : p->rest;
        e->b->failed |= !name.p;
        thr_batch_append(e->b, &about->links, name);
    }
    about->far = (uint16_t)(end - from);
}

/* A link needs as many tokens before this one as it has tags. */
static void add_links(const emitter *e)
{
    const thr_template *t = e->t;
    const thr_sentence *s = e->s;
    size_t one = t->with[0], two = one + (e->token >= 1 ? t->with[1] : 0);
    size_t end = e->token >= 2 ? t->n : two;
    name_links(e, one, two);
    name_links(e, two, end);
    if (one == end || !s->tag[e->token - 1].p)
        return;
    uint32_t after = space_after(e->b, s->tag[e->token - 1]);
    size_t first = e->b->n_features;
    add_range(e, after, one, two, (thr_str){"", 0});
    if (two < end)
        add_range(e, after, two, end, s->tag[e->token - 2]);
    if (!t->apart)
        thr_batch_distinct(e->b, first, e->merge);
    e->b->about[e->b->n].past = (uint16_t)(e->b->n_features - first);
}

/* The features of the token itself. `thresh lint` reports examples whose input names a feature twice, and
 * this is not one. */
static void add_unary(const emitter *e)
{
    uint64_t repeated_before = e->b->repeated;
    add_range(e, 0, 0, e->t->with[0], (thr_str){"", 0});
    if (!e->t->apart)
        thr_batch_merge(e->b, thr_batch_first(e->b), e->merge, false);
    e->b->repeated = repeated_before;
}

static void emit_token(const emitter *e)
{
    thr_example_info *about = &e->b->about[e->b->n];
    const thr_token *token = &e->s->token[e->token];
    about->line = token->line;
    about->text = token->whole;
    about->tag = token->tail;
    about->joins = e->token > 0;
    thr_str tag = e->chain ? e->s->tag[e->token] : token->tag;
    if (tag.p)
        thr_batch_label(e->b, tag);
    add_unary(e);
    if (e->chain)
        add_links(e);
    e->b->open_distinct = true;
}

void thr_sentence_emit(thr_sentence *s, const thr_features *f, thr_feature_scratch *scratch,
                       const thr_plan *plan, thr_batch *b)
{
    emitter e = {.s = s, .t = plan->template, .b = b, .merge = &scratch->merge, .chain = f->chain};
    if (!derive_all(s, e.t) || (f->chain && !turn_tags(s, plan->scheme, b))) {
        b->failed = true;
        return;
    }
    name_outside(s);
    for (e.token = 0; e.token < s->tokens && !b->failed; e.token++) {
        if (e.token > 0) {
            thr_features_finish(f, scratch, b);
            thr_batch_open(b, s->token[e.token].line);
        }
        emit_token(&e);
    }
}
