/* Any bytes as a template. A refusal has a message and a place in the text. A template that is
 * accepted is the same after folding and unfolding, and makes features and links of a fixed
 * sentence: names that are not empty, each once for a token, as many as there are patterns or
 * fewer. */
#include "base/error.h"
#include "sentence/sentence.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- folding ------------------------------------------------------------------------------ */

static size_t count_lines(const char *text)
{
    size_t n = 1;
    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

static void check_refusal(const char *text, int code, const thr_error *err)
{
    require(code == THR_EDATA && err->code == code && err->message[0]);
    require(err->line <= count_lines(text) && err->column <= strlen(text) + 1);
}

static void check_folding(const char *text)
{
    char *line = thr_template_fold(text), *again = line ? thr_template_unfold(line) : NULL;
    require(again && !strchr(line, '\n') && strcmp(again, text) == 0);
    free(line);
    free(again);
}

/* ---- expanding ---------------------------------------------------------------------------- */

static const char *const words[][2] = {
    {"In", "B-PP"}, {"\xc3\x89T\xc3\x89", "B-NP"}, {"\xff\xe2\x82", "I-NP"}, {"1,5-a", "O"},
    {"In", "B-NP"},
};
enum { TOKENS = sizeof words / sizeof *words };

/* Every column besides the first one has the word again. */
static void fill(thr_sentence *s, size_t columns)
{
    for (uint32_t t = 0; t < TOKENS; t++) {
        thr_token token = {.tag = thr_str_of(words[t][1]), .line = t};
        thr_str *field = thr_sentence_add(s, columns, token);
        require(field);
        for (size_t c = 0; c < columns; c++)
            field[c] = thr_str_of(words[t][0]);
    }
}

static void check_token(const thr_batch *b, const thr_template *t, size_t e)
{
    const thr_example_info *a = &b->about[e];
    size_t n = b->start[e + 1] - b->start[e];
    require(n - a->past <= t->with[0] && a->past <= a->links.n);
    require(a->links.n == (e > 0 ? t->with[1] : 0) + (e > 1 ? t->with[2] : 0));
    for (size_t i = b->start[e]; i < b->start[e + 1]; i++) {
        char digits[24];
        thr_str ns, name = thr_batch_name_of(b, i, digits, &ns);
        require(name.n > 0 && (ns.n > 0) == (i >= b->start[e + 1] - a->past));
    }
    for (size_t i = 0; i < a->links.n; i++)
        require(b->listed[a->links.from + i].n > 0);
}

static int by_name(const void *a, const void *b)
{
    const thr_name *x = a, *y = b;
    int order = thr_str_order((thr_str){x->p, x->n}, (thr_str){y->p, y->n});
    return order ? order : (x->ns > y->ns) - (x->ns < y->ns);
}

/* The names of U and of B that a token has, sorted, are distinct. Those of T may be what a B makes,
 * as a tag may be any text. */
static void check_distinct(const thr_batch *b, const thr_template *t, size_t e)
{
    size_t from = b->start[e], n = b->start[e + 1] - from - (t->with[2] ? b->about[e].past : 0);
    thr_name *name = malloc((n ? n : 1) * sizeof *name);
    require(name);
    for (size_t i = 0; i < n; i++) {
        char digits[24];
        thr_str ns, text = thr_batch_name_of(b, from + i, digits, &ns);
        name[i] = (thr_name){.p = text.p, .n = (uint32_t)text.n, .ns = ns.n > 0};
    }
    qsort(name, n, sizeof *name, by_name);
    for (size_t i = 1; i < n; i++)
        require(by_name(&name[i - 1], &name[i]) != 0);
    free(name);
}

static void expand(thr_template *t, bool chain)
{
    thr_plan plan = {.label = t->columns, .scheme = THR_TAGS_BIO, .template = t};
    thr_features f;
    thr_feature_scratch scratch = {0};
    thr_sentence s = {0};
    thr_batch b;
    thr_features_defaults(&f);
    f.chain = chain;
    f.bias = false;
    f.unit = 0;
    thr_batch_init(&b);
    fill(&s, t->columns ? t->columns : 1);
    thr_batch_open(&b, 0);
    thr_sentence_emit(&s, &f, &scratch, &plan, &b);
    thr_features_finish(&f, &scratch, &b);
    require(!b.failed && b.n == TOKENS);
    for (size_t e = 0; e < b.n && chain; e++)
        check_token(&b, t, e);
    for (size_t e = 0; e < b.n; e++)
        check_distinct(&b, t, e);
    thr_sentence_clear(&s);
    thr_feature_scratch_clear(&scratch);
    thr_batch_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    thr_template *t;
    thr_error err = {0};
    require(text);
    check_folding(text);
    int code = thr_template_parse(text, strlen(text), &t, &err);
    if (code)
        check_refusal(text, code, &err);
    else {
        expand(t, false);
        expand(t, true);
        thr_template_free(t);
    }
    free(text);
    return 0;
}
