/* Columns: one token a line, with its columns separated by blanks, and a blank line behind each
 * sentence.
 *
 *     He        PRP  B-NP
 *     reckons   VBZ  B-VP
 *
 * The tag is the last column, or the one that --columns label=N chooses. Where tags are not needed a file
 * may lack that column. Columns are separated by tabs if the first line of the file has one, else by runs
 * of blanks. Every line has as many columns as the first.
 *
 * In CoNLL-U, which has ten columns separated by tabs, lines that begin with # are comments, and those
 * whose number is a range (1-2) or has a point (1.1) are no tokens of the sentence; the tag is column 4,
 * the universal part of speech.
 *
 * What each file has is found out from its beginning (`head`): columns, separator, scheme of the tags
 * and, where none was given, the template. */
#include "format/lines.h"

#include "sentence/defaults.h"

#include <stdlib.h>

#define SAMPLE          65536 /* bytes from which the scheme is recognised */
#define UNIVERSAL       10    /* columns of CoNLL-U */
#define UNIVERSAL_LABEL 4
#define MOST_COLUMNS    1000

typedef struct head {
    thr_plan plan;
    bool tabs, universal;
    size_t columns; /* of each line */
    bool tagged;    /* the file has the column of the tag */
} head;

/* ---- lines -------------------------------------------------------------------------------- */

/* The next line from *at, without its end. *at moves behind it. All carriage returns at the end are dropped, as
 * one that were kept would look like a line end where the line is written again. */
static thr_str next_line(const char **at, const char *end)
{
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    thr_str line = thr_slice(*at, newline ? newline : end);
    *at = newline ? newline + 1 : end;
    while (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

static bool is_blank(thr_str line)
{
    return thr_skip_blanks(line.p, line.p + line.n) == line.p + line.n;
}

/* A line of CoNLL-U that is no token. */
static bool is_beside(const head *h, thr_str line)
{
    if (!h->universal)
        return false;
    const char *end = line.p + line.n, *tab = memchr(line.p, '\t', line.n);
    thr_str number = thr_slice(line.p, tab ? tab : end);
    return (line.n && *line.p == '#') || memchr(number.p, '-', number.n) ||
           memchr(number.p, '.', number.n);
}

/* The next column from *at, which becomes NULL behind the last one. */
static thr_str next_column(const head *h, const char **at, const char *end)
{
    const char *from = h->tabs ? *at : thr_skip_blanks(*at, end), *to;
    if (h->tabs) {
        const char *tab = memchr(from, '\t', (size_t)(end - from));
        to = tab ? tab : end;
        *at = tab ? tab + 1 : NULL;
    } else {
        to = thr_skip_token(from, end);
        const char *rest = thr_skip_blanks(to, end);
        *at = rest < end ? rest : NULL;
    }
    return thr_slice(from, to);
}

static size_t count_columns(const head *h, thr_str line)
{
    const char *at = line.p, *end = line.p + line.n;
    size_t n = 0;
    while (at && n <= MOST_COLUMNS) {
        next_column(h, &at, end);
        n++;
    }
    return n;
}

static thr_str column(const head *h, thr_str line, size_t number)
{
    const char *at = line.p, *end = line.p + line.n;
    thr_str field = {"", 0};
    for (size_t i = 0; i <= number && at; i++)
        field = next_column(h, &at, end);
    return field;
}

/* ---- the head ----------------------------------------------------------------------------- */

/* Looks at the tags of the first SAMPLE bytes, sentence by sentence. The last line may be cut off. There may
 * be more bytes, but how many depends on how fast they come, and what is found out must not. */
static bool look_at_tags(head *h, const char *at, const char *end, bool at_end, thr_tag_signs *signs)
{
    thr_str *tag = NULL;
    size_t n = 0, room = 0;
    bool ok = true;
    if (end - at > SAMPLE) {
        end = at + SAMPLE;
        at_end = false;
    }
    while (at < end && ok) {
        thr_str line = next_line(&at, end);
        if (at == end && !at_end)
            break;
        if (is_blank(line)) {
            thr_tags_look(signs, tag, n);
            n = 0;
        } else if (!is_beside(h, line) && (ok = thr_grow(&tag, &room, n + 1, sizeof *tag)))
            tag[n++] = column(h, line, h->plan.label);
    }
    if (ok)
        thr_tags_look(signs, tag, n);
    free(tag);
    return ok;
}

static int choose_label(const thr_reader_settings *s, head *h, thr_error *err)
{
    const thr_columns *c = &s->columns;
    h->plan.label = h->universal ? UNIVERSAL_LABEL - 1 : h->columns - 1;
    for (size_t i = 0; i < c->n; i++)
        if (c->chosen[i].role == THR_ROLE_LABEL) {
            if (!c->chosen[i].number)
                return thr_fail(err, THR_EDATA, "columns of tokens have no names: give the number of "
                                                "the column that has the tag");
            h->plan.label = c->chosen[i].number - 1;
        }
    h->tagged = h->plan.label < h->columns;
    if (h->tagged || !s->labelled || s->optional || s->detect)
        return 0;
    return thr_fail(err, THR_EDATA, "there are %zu columns, and the tag should be in column %zu",
                    h->columns, h->plan.label + 1);
}

static int check_columns(const thr_features *f, const head *h, thr_error *err)
{
    const thr_template *t = h->plan.template;
    if (f->chain && !f->greedy && t->with[2])
        return thr_fail(err, THR_EDATA, "a pattern T is for tags found from left to right: decode=greedy");
    if (h->columns > MOST_COLUMNS)
        return thr_fail(err, THR_EDATA, "a token has more than %d columns", MOST_COLUMNS);
    for (size_t d = 0; d < t->n_derived; d++) {
        size_t number = t->derived[d].column;
        if (number >= h->columns)
            return thr_fail(err, THR_EDATA, "the template uses column %zu, counted from 0, and there are %zu",
                            number, h->columns);
        if (number == h->plan.label)
            return thr_fail(err, THR_EDATA, "the template uses column %zu, counted from 0, which has the tag",
                            number);
    }
    return 0;
}

/* The line that says which columns there are: the first one that is neither blank nor begins with #, as comments
 * of CoNLL-U do. If there is no other, what looks like a comment is a token. */
static thr_str first_line(const char *at, const char *end)
{
    thr_str comment = {"", 0};
    while (at < end) {
        thr_str line = next_line(&at, end);
        bool hash = line.n && line.p[0] == '#';
        if (!hash && !is_blank(line))
            return line;
        if (hash && comment.n == 0)
            comment = line;
    }
    return comment;
}

static int make_head(const thr_reader_settings *s, const char *p, size_t n, bool at_end, head *h,
                     thr_error *err)
{
    const char *end = p + n;
    thr_str line = first_line(p, end);
    if (is_blank(line))
        return thr_fail(err, THR_EDATA, "there are only blank lines here");
    h->tabs = memchr(line.p, '\t', line.n) != NULL;
    h->columns = count_columns(h, line);
    h->universal = h->tabs && h->columns == UNIVERSAL;
    int code = choose_label(s, h, err);
    thr_tag_signs signs = {0};
    if (code == 0 && h->tagged && !look_at_tags(h, p, end, at_end, &signs))
        code = thr_fail_memory(err);
    h->plan.scheme = s->features.scheme ? (enum thr_scheme)s->features.scheme : thr_tags_recognise(&signs);
    if (code == 0)
        code = thr_plan_template(&h->plan, &s->features, h->columns - h->tagged, h->universal, err);
    return code ? code : check_columns(&s->features, h, err);
}

static void head_free(void *header)
{
    head *h = header;
    if (h)
        thr_template_free(h->plan.template);
    free(h);
}

static long read_head(const thr_reader_settings *s, const char *p, size_t n, bool at_end, void **header,
                      thr_error *err)
{
    if (n < SAMPLE && !at_end)
        return 0;
    head *h = calloc(1, sizeof *h);
    if (!h)
        return thr_fail_memory(err);
    int code = make_head(s, p, n, at_end, h, err);
    if (code)
        head_free(h);
    else
        *header = h;
    return code;
}

/* ---- records ------------------------------------------------------------------------------ */

/* Behind the blank lines that follow the sentence; `limit` if it goes on to there. */
static const char *record_end(const char *p, const char *limit)
{
    const char *at = p;
    bool begun = false;
    while (at < limit) {
        bool blank = is_blank(next_line(&at, limit));
        if (blank && begun)
            return at;
        begun |= !blank;
    }
    return limit;
}

/* Up to the last blank line. */
static size_t cut(const char *p, size_t n)
{
    while (n > 0) {
        const char *newline = memrchr(p, '\n', n);
        if (!newline)
            return 0;
        n = (size_t)(newline - p);
        const char *before = n ? memrchr(p, '\n', n) : NULL;
        if (is_blank(thr_slice(before ? before + 1 : p, newline)))
            return n + 1;
    }
    return 0;
}

/* ---- sentences ---------------------------------------------------------------------------- */

static int take_token(thr_parser *p, const head *h, thr_str line, thr_token token)
{
    const char *at = line.p, *end = line.p + line.n;
    thr_str *field = thr_sentence_add(&p->sentence, h->columns, token);
    size_t n = 0;
    if (!field) {
        p->batch->failed = true;
        return THR_EMEM;
    }
    for (; at; n++) {
        const char *from = at;
        thr_str next = next_column(h, &at, end);
        if (n < h->columns)
            field[n] = next;
        if (next.n == 0)
            return thr_parser_fail(p, from, "a column is empty");
    }
    if (n != h->columns)
        return thr_parser_fail(p, end, "%zu column%s, but the first line of the file has %zu", n,
                               n == 1 ? "" : "s", h->columns);
    if (h->tagged && p->settings->labelled)
        p->sentence.token[p->sentence.tokens - 1].tag = field[h->plan.label];
    return 0;
}

static int parse(thr_parser *p, const char *at, const char *end)
{
    const head *h = p->header;
    const char *from = at; /* of what belongs to the next token */
    const char *beside = at; /* end of the last line that is no token */
    uint32_t number = p->line_number;
    if (!h)
        return thr_parser_fail(p, at, "a line of columns says nothing without the beginning of its file");
    p->sentence.tokens = 0;
    for (; at < end; number++) {
        thr_str line = next_line(&at, end);
        bool other = is_beside(h, line);
        beside = other ? line.p + line.n : beside;
        if (other || is_blank(line))
            continue;
        if (p->sentence.tokens == THR_MOST_TOKENS)
            return thr_parser_fail(p, line.p, "a sentence has more than %d tokens: is the blank line between "
                                              "sentences missing?", THR_MOST_TOKENS);
        thr_token token = {.whole = thr_slice(from, line.p + line.n), .line = number};
        int code = take_token(p, h, line, token);
        if (code)
            return code;
        from = at;
    }
    int code = thr_sentence_check(p, h->plan.scheme);
    if (code || p->sentence.tokens == 0)
        return code ? code : 1;
    if (beside > from)
        p->sentence.token[p->sentence.tokens - 1].tail = thr_slice(from, beside);
    p->batch->plan = &h->plan;
    thr_sentence_emit(&p->sentence, &p->settings->features, &p->scratch, &h->plan, p->batch);
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A token as it was read. */
static int write(thr_writer *w, size_t e)
{
    const thr_example_info *about = &w->batch->about[e];
    if (w->batch->format != thr_format_conll.name || !about->text.p)
        return thr_fail(w->err, THR_EUSE, "conll holds tokens with columns, and the data has other examples");
    bool ok = about->joins || w->written == 0 || thr_writer_put_byte(w, '\n');
    ok = ok && thr_writer_put(w, about->text) && thr_writer_put_byte(w, '\n');
    if (about->tag.n)
        ok = ok && thr_writer_put(w, about->tag) && thr_writer_put_byte(w, '\n');
    return ok ? 0 : thr_fail_memory(w->err);
}

static int write_end(thr_writer *w)
{
    return w->written == 0 || thr_writer_put_byte(w, '\n') ? 0 : thr_fail_memory(w->err);
}

static int probe(const char *p, size_t n, bool labelled)
{
    (void)p, (void)n, (void)labelled;
    return 0; /* many lines of other formats are columns as well: it must be asked for */
}

const thr_format thr_format_conll = {
    .name = "conll",
    .help = "tokens with columns, a blank line behind each sentence; CoNLL-U",
    .holds = THR_HOLDS_ANY_LABEL | THR_HOLDS_NAMES | THR_HOLDS_TOKENS,
    .probe = probe,
    .header = read_head,
    .header_free = head_free,
    .cut = cut,
    .record_end = record_end,
    .parse = parse,
    .write = write,
    .write_end = write_end,
};
