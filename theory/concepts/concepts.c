/* Specs are read into a `spec`, counted by formula before anything is allocated, and then listed by
 * number of literals, set of variables, signs and threshold. */
#include "concepts/concepts.h"

#include "base/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPTIONS 12

/* ---- specs -------------------------------------------------------------------------------- */

/* Places in the option tables. LAST is `empty`, or `m` for thresholds. */
enum { K, EXACTLY, NEGATED, LAST };

static const thr_option_info joined[] = {
    {"k", "auto", "literals, at most; auto: all variables", THR_INT, "auto", 1, 1e9},
    {"exactly", "off", "exactly k literals", THR_BOOL, NULL, 0, 1},
    {"negated", "off", "negated literals too", THR_BOOL, NULL, 0, 1},
    {"empty", "on", "the formula without literals too", THR_BOOL, NULL, 0, 1},
    {0},
};

static const thr_option_info threshold[] = {
    {"k", "auto", "literals, at most; auto: all variables", THR_INT, "auto", 1, 1e9},
    {"exactly", "off", "exactly k literals", THR_BOOL, NULL, 0, 1},
    {"negated", "off", "negated literals too", THR_BOOL, NULL, 0, 1},
    {"m", "auto", "how many must hold; auto: each number from 1 to k", THR_INT, "auto", 1, 1e9},
    {0},
};

static const struct kind {
    const char *name;
    const thr_option_info *options;
} kinds[] = {
    [THR_CONJUNCTIONS] = {"conjunctions", joined},
    [THR_DISJUNCTIONS] = {"disjunctions", joined},
    [THR_THRESHOLDS] = {"thresholds", threshold},
};

typedef struct spec {
    enum thr_concept_form form;
    uint64_t n;           /* variables */
    uint64_t least, most; /* literals */
    uint64_t need;        /* of a threshold; 0: every one from 1 on */
    bool negated;
} spec;

/* From options to numbers of literals and to the threshold. */
static int take_options(spec *s, const double *option, thr_error *err)
{
    const char *name = kinds[s->form].name;
    bool thresholds = s->form == THR_THRESHOLDS, any = thresholds && isnan(option[LAST]);
    s->most = isnan(option[K]) ? s->n : (uint64_t)option[K];
    s->negated = option[NEGATED] != 0;
    s->need = thresholds && !any ? (uint64_t)option[LAST] : 0;
    s->least = thresholds ? s->need + any : option[LAST] == 0;
    if (option[EXACTLY] != 0)
        s->least = s->most;
    if (s->n == 0)
        return thr_fail(err, THR_EUSE, "%s: there are no variables", name);
    if (s->most > s->n)
        return thr_fail(err, THR_EUSE, "%s: k=%llu is more than the %llu variables", name,
                        (unsigned long long)s->most, (unsigned long long)s->n);
    if (s->need > s->most)
        return thr_fail(err, THR_EUSE, "%s: m=%llu is more than the %llu literals", name,
                        (unsigned long long)s->need, (unsigned long long)s->most);
    return 0;
}

static int read_spec(spec *s, const char *text, uint64_t n, thr_error *err)
{
    size_t length = strcspn(text, ":");
    double option[MOST_OPTIONS];
    *s = (spec){.n = n};
    for (; s->form <= THR_THRESHOLDS; s->form++) {
        const struct kind *k = &kinds[s->form];
        if (strlen(k->name) != length || memcmp(k->name, text, length) != 0)
            continue;
        const char *options = text[length] ? text + length + 1 : "";
        int code = thr_options_parse(k->options, k->name, options, option, err);
        return code ? code : take_options(s, option, err);
    }
    return thr_fail(err, THR_EUSE,
                    "there is no class '%.*s'; there are conjunctions, disjunctions, thresholds "
                    "and file=PATH",
                    (int)(length < 64 ? length : 64), text);
}

/* ---- sizes -------------------------------------------------------------------------------- */

/* out = a * b; false on overflow. */
static bool times(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* Counts the concepts, and the literals of all of them (UINT64_MAX on overflow). Returns false if
 * the concepts themselves exceed 64 bits. `sets` is the number of sets of j variables. */
static bool count(const spec *s, uint64_t *concepts, uint64_t *literals)
{
    uint64_t sets = 1, some, more;
    *concepts = *literals = 0;
    for (uint64_t j = 0; j <= s->most; j++) {
        if (j >= s->least) {
            some = sets; /* with j literals */
            if (s->negated && (j > 63 || !times(some, UINT64_C(1) << j, &some)))
                return false;
            if (s->form == THR_THRESHOLDS && !s->need && !times(some, j, &some))
                return false;
            if (__builtin_add_overflow(*concepts, some, concepts))
                return false;
            if (!times(some, j, &more) || __builtin_add_overflow(*literals, more, literals))
                *literals = UINT64_MAX;
        }
        if (j == s->most)
            break;
        /* C(n, j + 1) from C(n, j). The product may need more than 64 bits. */
        unsigned __int128 next = (unsigned __int128)sets * (s->n - j) / (j + 1);
        if (next > UINT64_MAX)
            return false;
        sets = (uint64_t)next;
    }
    return true;
}

int thr_concepts_size(const char *text, uint64_t n, uint64_t *size, thr_error *err)
{
    spec s;
    uint64_t literals;
    int code = read_spec(&s, text, n, err);
    if (code == 0 && !count(&s, size, &literals))
        code = thr_fail(err, THR_EUSE, "the class %s over %llu variables is too large to count",
                        text, (unsigned long long)n);
    return code;
}

/* ---- listing ------------------------------------------------------------------------------ */

static int push(thr_concepts *c, const uint32_t *literal, size_t n, uint32_t need, thr_error *err)
{
    if (!thr_grow(&c->place, &c->room, c->n + 1, sizeof *c->place) ||
        !thr_grow(&c->literal, &c->literal_room, c->literals + n + 1, sizeof *c->literal))
        return thr_fail_memory(err);
    c->place[c->n++] = (struct thr_concept_place){c->literals, (uint32_t)n, need};
    for (size_t i = 0; i < n; i++)
        c->literal[c->literals++] = literal[i];
    return 0;
}

/* Appends the concepts over one set of variables: all combinations of signs if negated, and for
 * each of them every threshold that the spec allows. */
static int push_set(thr_concepts *c, const spec *s, uint32_t *literal, size_t n, thr_error *err)
{
    uint64_t signs = s->negated ? UINT64_C(1) << n : 1; /* checked by count */
    uint32_t all = (uint32_t)n, from = (uint32_t)s->need, to = (uint32_t)s->need;
    if (s->form == THR_CONJUNCTIONS)
        from = to = all;
    else if (s->form == THR_DISJUNCTIONS)
        from = to = 1;
    else if (s->need == 0) {
        from = 1;
        to = all;
    }
    int code = 0;
    for (uint64_t sign = 0; sign < signs && code == 0; sign++) {
        for (size_t i = 0; i < n; i++)
            literal[i] = (literal[i] & ~1u) | (uint32_t)(sign >> i & 1);
        for (uint32_t need = from; need <= to && code == 0; need++)
            code = push(c, literal, n, need, err);
    }
    return code;
}

/* Advances to the next set of n variables in lexicographic order; false after the last. */
static bool next_set(uint32_t *literal, size_t n, uint64_t variables)
{
    size_t i = n;
    while (i > 0 && literal[i - 1] / 2 == variables - n + i - 1)
        i--;
    if (i == 0)
        return false;
    uint32_t variable = literal[i - 1] / 2 + 1;
    for (; i <= n; i++)
        literal[i - 1] = 2 * variable++;
    return true;
}

/* Appends all concepts with n literals. */
static int list_size(thr_concepts *c, const spec *s, size_t n, thr_error *err)
{
    uint32_t *literal = malloc((n + 1) * sizeof *literal);
    int code = literal ? 0 : thr_fail_memory(err);
    for (size_t i = 0; i < n && code == 0; i++)
        literal[i] = (uint32_t)(2 * i);
    while (code == 0) {
        code = push_set(c, s, literal, n, err);
        if (!next_set(literal, n, s->n))
            break;
    }
    free(literal);
    return code;
}

/* ---- from a file -------------------------------------------------------------------------- */

static int read_line(thr_concepts *c, char *line, thr_variables *v, thr_error *err)
{
    thr_formula f;
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
        return 0;
    int code = thr_formula_parse(&f, line, v, true, err);
    if (code == 0 && (c->n >= THR_MOST_CONCEPTS || c->literals + f.n > THR_MOST_LITERALS))
        code = thr_fail(err, THR_EDATA, "a class has at most 2^20 concepts");
    if (code == 0)
        code = push(c, f.literal, f.n, f.need, err);
    for (size_t i = 0; i < f.n; i++)
        c->negated |= f.literal[i] & 1;
    thr_formula_clear(&f);
    return code;
}

static int list_file(thr_concepts *c, const char *path, thr_variables *v, thr_error *err)
{
    FILE *from = fopen(path, "r");
    if (!from)
        return thr_fail_errno(err, "cannot open %s", path);
    char *line = NULL;
    size_t room = 0;
    int code = 0;
    ssize_t n;
    c->form = THR_LISTED;
    for (uint64_t number = 1; code == 0 && (n = getline(&line, &room, from)) >= 0; number++) {
        if (strlen(line) != (size_t)n)
            code = thr_fail(err, THR_EDATA, "NUL byte: this is not a text file");
        else
            code = read_line(c, line, v, err);
        if (code == THR_EDATA && err)
            thr_fail_at(err, path, number, err->column);
    }
    if (code == 0 && ferror(from))
        code = thr_fail_errno(err, "cannot read %s", path);
    free(line);
    fclose(from);
    if (code == 0 && c->n == 0) {
        thr_fail(err, THR_EDATA, "there is no formula in it");
        code = thr_fail_at(err, path, 0, 0);
    }
    return code;
}

/* ---- the class ---------------------------------------------------------------------------- */

int thr_concepts_make(thr_concepts *c, const char *text, thr_variables *v, thr_error *err)
{
    spec s;
    uint64_t size, literals;
    *c = (thr_concepts){0};
    if (strncmp(text, "file=", 5) == 0)
        return list_file(c, text + 5, v, err);
    int code = read_spec(&s, text, v->n, err);
    c->form = s.form;
    c->negated = s.negated;
    if (code)
        return code;
    if (!count(&s, &size, &literals))
        return thr_fail(err, THR_EUSE,
                        "the class %s over %llu variables has more than 2^64 concepts; at most "
                        "2^20 can be listed: give fewer variables or a smaller k",
                        text, (unsigned long long)s.n);
    if (size > THR_MOST_CONCEPTS || literals > THR_MOST_LITERALS)
        return thr_fail(err, THR_EUSE,
                        "the class %s over %llu variables has %llu concepts; at most 2^20 can be "
                        "listed: give fewer variables or a smaller k",
                        text, (unsigned long long)s.n, (unsigned long long)size);
    for (uint64_t j = s.least; j <= s.most && code == 0; j++)
        code = list_size(c, &s, (size_t)j, err);
    return code;
}

int thr_concepts_describe(thr_concepts *c, const char *text, uint64_t n, thr_error *err)
{
    spec s;
    *c = (thr_concepts){.form = THR_LISTED};
    if (strncmp(text, "file=", 5) == 0)
        return 0;
    int code = read_spec(&s, text, n, err);
    c->form = s.form;
    c->negated = s.negated;
    return code;
}

void thr_concepts_clear(thr_concepts *c)
{
    free(c->place);
    free(c->literal);
    *c = (thr_concepts){0};
}

thr_concept thr_concepts_at(const thr_concepts *c, uint64_t i)
{
    const struct thr_concept_place *p = &c->place[i];
    return (thr_concept){c->literal + p->at, p->n, p->need};
}
