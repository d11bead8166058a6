/* A sentence a line, its tokens between blanks: `slash` with their tags, `words` without.
 *
 *     The/DT jury/NN said/VBD so/RB ./.
 *     The jury said so .
 *
 * A tag is what follows the last slash of a token. Where tags are not needed, a file of `slash` may lack
 * them: its first line shows whether it has any. */
#include "format/lines.h"

#include <stdlib.h>

#define SAMPLE 65536 /* bytes that are looked at */

typedef struct head {
    thr_plan plan;
    bool tagged;
} head;

/* The next token from *at, which moves behind it; empty at the end of the line. */
static thr_str next_token(const char **at, const char *end)
{
    const char *from = thr_skip_blanks(*at, end);
    *at = thr_skip_token(from, end);
    return thr_slice(from, *at);
}

/* Cuts a token at its last slash. False: it has none, or nothing on one side of it. */
static bool split(thr_str token, thr_str *word, thr_str *tag)
{
    const char *end = token.p + token.n, *at = end;
    while (at > token.p && at[-1] != '/')
        at--;
    if (at <= token.p + 1 || at == end)
        return false;
    *word = thr_slice(token.p, at - 1);
    *tag = thr_slice(at, end);
    return true;
}

/* ---- the head ----------------------------------------------------------------------------- */

/* Looks at the tags of a line. False: out of memory. */
static bool look_at_line(thr_tag_signs *signs, const char *at, const char *end, thr_str **tag, size_t *room)
{
    thr_str word;
    size_t n = 0;
    for (thr_str token; (token = next_token(&at, end)).n;) {
        if (!thr_grow(tag, room, n + 1, sizeof **tag))
            return false;
        n += split(token, &word, &(*tag)[n]);
    }
    thr_tags_look(signs, *tag, n);
    return true;
}

/* Looks at the whole lines of the first SAMPLE bytes. */
static bool look_at_tags(thr_tag_signs *signs, const char *p, size_t n, bool at_end)
{
    thr_str *tag = NULL;
    size_t room = 0;
    const char *end = p + (n < SAMPLE ? n : SAMPLE), *newline;
    bool ok = true, all = at_end && n <= SAMPLE;
    for (const char *at = p; at < end && ok; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && !all)
            break;
        newline = newline ? newline : end;
        ok = look_at_line(signs, at, newline, &tag, &room);
    }
    free(tag);
    return ok;
}

static bool is_tagged(const char *p, size_t n)
{
    thr_str line, word, tag;
    if (!thr_first_line(p, n, true, &line))
        return false;
    const char *at = line.p, *end = line.p + line.n;
    thr_str token = next_token(&at, end);
    bool tagged = token.n > 0;
    for (; token.n && tagged; token = next_token(&at, end))
        tagged = split(token, &word, &tag);
    return tagged;
}

static void head_free(void *header)
{
    head *h = header;
    if (h)
        thr_template_free(h->plan.template);
    free(h);
}

/* Tokens have one column. */
static int check_template(const head *h, thr_error *err)
{
    const thr_template *t = h->plan.template;
    return t->columns <= 1 ? 0
                           : thr_fail(err, THR_EDATA, "the template uses column %u, counted from 0, and tokens "
                                                      "of running text are one column", t->columns - 1);
}

static int make_head(const thr_reader_settings *s, const char *p, size_t n, bool at_end, bool words, head *h,
                     thr_error *err)
{
    thr_tag_signs signs = {0};
    h->plan.label = 1;
    h->tagged = !words && s->labelled && is_tagged(p, n);
    if (!h->tagged && s->labelled && !s->optional && !s->detect)
        return thr_fail(err, THR_EDATA, words ? "words have no tags: tokens with tags are like the/DT"
                                              : "the first line has a token without a tag, as the/DT has");
    if (h->tagged && !look_at_tags(&signs, p, n, at_end))
        return thr_fail_memory(err);
    h->plan.scheme = s->features.scheme ? (enum thr_scheme)s->features.scheme : thr_tags_recognise(&signs);
    int code = thr_plan_template(&h->plan, &s->features, 1, false, err);
    return code ? code : check_template(h, err);
}

static long read_head(const thr_reader_settings *s, const char *p, size_t n, bool at_end, bool words,
                      void **header, thr_error *err)
{
    if (n < SAMPLE && !at_end)
        return 0;
    head *h = calloc(1, sizeof *h);
    int code = h ? make_head(s, p, n, at_end, words, h, err) : thr_fail_memory(err);
    if (code)
        head_free(h);
    else
        *header = h;
    return code;
}

static long slash_head(const thr_reader_settings *s, const char *p, size_t n, bool at_end, void **header,
                       thr_error *err)
{
    return read_head(s, p, n, at_end, false, header, err);
}

static long words_head(const thr_reader_settings *s, const char *p, size_t n, bool at_end, void **header,
                       thr_error *err)
{
    return read_head(s, p, n, at_end, true, header, err);
}

/* ---- sentences ---------------------------------------------------------------------------- */

static int take_token(thr_parser *p, const head *h, thr_str token)
{
    thr_str word = token, tag = {0};
    if (h->tagged && !split(token, &word, &tag))
        return thr_parser_fail(p, token.p, "the token '%s' has no tag, as the/DT has", thr_quote(token).text);
    if (p->sentence.tokens == THR_MOST_TOKENS)
        return thr_parser_fail(p, token.p, "a sentence has more than %d tokens", THR_MOST_TOKENS);
    thr_str *field = thr_sentence_add(&p->sentence, 1, (thr_token){tag, word, p->line_number});
    if (!field) {
        p->batch->failed = true;
        return THR_EMEM;
    }
    *field = word;
    return 0;
}

static int parse(thr_parser *p, const char *at, const char *end)
{
    const head *h = p->header;
    int code = 0;
    if (!h)
        return thr_parser_fail(p, at, "a line of tokens says nothing without the beginning of its file");
    p->sentence.tokens = 0;
    for (thr_str token; code == 0 && (token = next_token(&at, end)).n;)
        code = take_token(p, h, token);
    if (code == 0)
        code = thr_sentence_check(p, h->plan.scheme);
    if (code || p->sentence.tokens == 0)
        return code ? code : 1;
    p->batch->plan = &h->plan;
    thr_sentence_emit(&p->sentence, &p->settings->features, &p->scratch, &h->plan, p->batch);
    return 0;
}

static int probe(const char *p, size_t n, bool labelled)
{
    (void)p, (void)n, (void)labelled;
    return 0; /* any text is words: it must be asked for */
}

/* ---- writing ------------------------------------------------------------------------------ */

static int put_token(thr_writer *w, size_t e, bool tag)
{
    const thr_example_info *about = &w->batch->about[e];
    bool ok = w->written == 0 || thr_writer_put_byte(w, about->joins ? ' ' : '\n');
    ok = ok && thr_writer_put(w, about->text);
    if (tag && about->label.p)
        ok = ok && thr_writer_put_byte(w, '/') && thr_writer_put(w, about->label);
    return ok ? 0 : thr_fail_memory(w->err);
}

static bool is_own(const thr_writer *w, size_t e)
{
    const char *format = w->batch->format;
    return (format == thr_format_slash.name || format == thr_format_words.name) && w->batch->about[e].text.p;
}

static int refuse(const thr_writer *w, const char *name)
{
    return thr_fail(w->err, THR_EUSE, "%s holds tokens of running text, and the data has other examples", name);
}

static int write_slash(thr_writer *w, size_t e)
{
    return is_own(w, e) ? put_token(w, e, true) : refuse(w, thr_format_slash.name);
}

static int write_words(thr_writer *w, size_t e)
{
    return is_own(w, e) ? put_token(w, e, false) : refuse(w, thr_format_words.name);
}

static int write_end(thr_writer *w)
{
    return w->written == 0 || thr_writer_put_byte(w, '\n') ? 0 : thr_fail_memory(w->err);
}

const thr_format thr_format_slash = {
    .name = "slash",
    .help = "sentences: word/TAG word/TAG ..., one a line",
    .holds = THR_HOLDS_ANY_LABEL | THR_HOLDS_NAMES | THR_HOLDS_TOKENS,
    .probe = probe,
    .header = slash_head,
    .header_free = head_free,
    .parse = parse,
    .write = write_slash,
    .write_end = write_end,
};

const thr_format thr_format_words = {
    .name = "words",
    .help = "sentences without tags: words between blanks, one sentence a line",
    .holds = THR_HOLDS_NAMES | THR_HOLDS_TOKENS,
    .probe = probe,
    .header = words_head,
    .header_free = head_free,
    .parse = parse,
    .write = write_words,
    .write_end = write_end,
};
