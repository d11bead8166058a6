/* Variables, a recursive-descent parser for formulas, evaluation and printing. */
#include "concepts/formula.h"

#include <stdlib.h>
#include <string.h>

/* ---- variables ---------------------------------------------------------------------------- */

void thr_variables_clear(thr_variables *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        free(v->name[i]);
    free(v->name);
    thr_index_clear(&v->index);
    free(v->in);
    *v = (thr_variables){0};
}

uint32_t thr_variables_find(const thr_variables *v, thr_str name)
{
    return thr_index_find(&v->index, name);
}

int thr_variables_add(thr_variables *v, thr_str name, uint32_t *number, thr_error *err)
{
    *number = thr_variables_find(v, name);
    if (*number != THR_NO_VARIABLE)
        return 0;
    if (v->n == UINT32_MAX / 4)
        return thr_fail(err, THR_EDATA, "too many variables");
    char *copy = strndup(name.p, name.n);
    if (!copy || !thr_grow(&v->name, &v->room, (size_t)v->n + 1, sizeof *v->name) ||
        !thr_grow(&v->in, &v->in_room, (size_t)v->n + 1, sizeof *v->in) ||
        !thr_index_add(&v->index, thr_str_of(copy), v->n)) {
        free(copy);
        return thr_fail_memory(err);
    }
    v->in[v->n] = 0;
    v->name[v->n] = copy;
    *number = v->n++;
    return 0;
}

int thr_variables_number(thr_variables *v, uint64_t n, thr_error *err)
{
    int code = 0;
    for (uint64_t i = 1; i <= n && code == 0; i++) {
        thr_bytes name = {0};
        uint32_t number;
        code = thr_bytes_printf(&name, "x%llu", (unsigned long long)i)
                   ? thr_variables_add(v, (thr_str){name.p, name.n}, &number, err)
                   : thr_fail_memory(err);
        thr_bytes_clear(&name);
    }
    return code;
}

int thr_variables_list(thr_variables *v, const char *names, thr_error *err)
{
    for (const char *p = names;; p++) {
        size_t n = strcspn(p, ",");
        uint32_t number, before = v->n;
        if (n == 0)
            return thr_fail(err, THR_EUSE, "a name is missing in the list of variables '%s'",
                            names);
        int code = thr_variables_add(v, (thr_str){p, n}, &number, err);
        if (code)
            return code;
        if (v->n == before)
            return thr_fail(err, THR_EUSE, "the variable '%s' is declared twice", v->name[number]);
        p += n;
        if (!*p)
            return 0;
    }
}

/* ---- reading ------------------------------------------------------------------------------ */

typedef struct reader {
    const char *text, *at;
    thr_variables *v;
    bool open;
    thr_formula *f;
    thr_bytes name; /* the last name read, without quotes */
    bool quoted;
    thr_error *err;
} reader;

static int wrong(const reader *r, const char *at, const char *what)
{
    thr_fail(r->err, THR_EDATA, "%s", what);
    return r->err ? thr_fail_at(r->err, NULL, 0, (uint64_t)(at - r->text) + 1) : THR_EDATA;
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool take(reader *r, char c)
{
    skip_blanks(r);
    bool there = *r->at == c;
    r->at += there;
    return there;
}

static int read_quoted(reader *r)
{
    const char *from = r->at++;
    r->quoted = true;
    for (;; r->at++) {
        if (!*r->at)
            return wrong(r, from, "this quote does not end");
        if (*r->at == '"' && *++r->at != '"')
            return 0;
        if (!thr_bytes_add(&r->name, r->at, 1))
            return thr_fail_memory(r->err);
    }
}

static int read_name(reader *r)
{
    skip_blanks(r);
    r->name.n = 0;
    r->quoted = false;
    if (*r->at == '"')
        return read_quoted(r);
    size_t n = strcspn(r->at, " \t\r\n&|!(),\"");
    if (n == 0)
        return wrong(r, r->at, *r->at ? "a variable is expected here" : "a variable is missing");
    if (!thr_bytes_add(&r->name, r->at, n))
        return thr_fail_memory(r->err);
    r->at += n;
    return 0;
}

static int add_literal(reader *r, const char *at, bool negated)
{
    thr_formula *f = r->f;
    thr_str name = {r->name.p ? r->name.p : "", r->name.n};
    uint32_t number = thr_variables_find(r->v, name);
    if (name.n == 0)
        return wrong(r, at, "a variable has a name");
    if (number == THR_NO_VARIABLE && !r->open)
        return wrong(r, at, "there is no such variable");
    int code = thr_variables_add(r->v, name, &number, r->err);
    if (code)
        return code;
    if (r->v->in[number] == r->v->formulas)
        return wrong(r, at, "this variable is in the formula already");
    r->v->in[number] = r->v->formulas;
    if (!thr_grow(&f->literal, &f->room, f->n + 1, sizeof *f->literal))
        return thr_fail_memory(r->err);
    f->literal[f->n++] = 2 * number + negated;
    return 0;
}

static int read_literal(reader *r)
{
    skip_blanks(r);
    bool negated = take(r, '!');
    skip_blanks(r);
    const char *at = r->at;
    int code = read_name(r);
    return code ? code : add_literal(r, at, negated);
}

static bool is_word(const reader *r, const char *word)
{
    return !r->quoted && r->name.n == strlen(word) && memcmp(r->name.p, word, r->name.n) == 0;
}

/* The part `(a, b, c)` of a threshold. `number` points to its digits, which have been checked. */
static int read_threshold(reader *r, const char *number)
{
    char *end;
    unsigned long need = strtoul(number, &end, 10);
    if (!take(r, '('))
        return wrong(r, r->at, "'(' is expected here");
    int code = 0;
    do
        code = read_literal(r);
    while (code == 0 && take(r, ','));
    if (code)
        return code;
    if (!take(r, ')'))
        return wrong(r, r->at, *r->at ? "',' or ')' is expected here" : "')' is missing");
    if (need == 0 || need > r->f->n)
        return wrong(r, number, "a threshold is at least 1 and at most the number of literals");
    r->f->need = (uint32_t)need;
    return 0;
}

/* The rest of a conjunction or disjunction after its first literal. A single literal counts as a
 * conjunction. */
static int read_joined(reader *r)
{
    skip_blanks(r);
    char joint = *r->at == '|' ? '|' : '&';
    int code = 0;
    while (code == 0 && take(r, joint))
        code = read_literal(r);
    skip_blanks(r);
    if (code == 0 && (*r->at == '&' || *r->at == '|'))
        return wrong(r, r->at, "literals are joined by & or by |, not by both");
    r->f->need = joint == '|' ? 1 : (uint32_t)r->f->n;
    return code;
}

/* A name of digits is a variable unless `of` follows it. */
static int read_formula(reader *r)
{
    skip_blanks(r);
    const char *at = r->at;
    if (*at == '!') {
        int code = read_literal(r);
        return code ? code : read_joined(r);
    }
    int code = read_name(r);
    if (code)
        return code;
    if (is_word(r, "true") || is_word(r, "false")) {
        r->f->need = is_word(r, "false");
        return 0;
    }
    const char *behind = r->at;
    bool number = !r->quoted && strspn(at, "0123456789") == r->name.n;
    skip_blanks(r);
    if (number && strncmp(r->at, "of", 2) == 0 && strchr(" \t(", r->at[2]) && r->at[2]) {
        r->at += 2;
        return read_threshold(r, at);
    }
    r->at = behind;
    code = add_literal(r, at, false);
    return code ? code : read_joined(r);
}

int thr_formula_parse(thr_formula *f, const char *text, thr_variables *v, bool open, thr_error *err)
{
    *f = (thr_formula){0};
    reader r = {.text = text, .at = text, .v = v, .open = open, .f = f, .err = err};
    v->formulas++;
    int code = read_formula(&r);
    skip_blanks(&r);
    if (code == 0 && *r.at)
        code = wrong(&r, r.at, "the formula is over here");
    thr_bytes_clear(&r.name);
    return code;
}

void thr_formula_clear(thr_formula *f)
{
    free(f->literal);
    *f = (thr_formula){0};
}

thr_concept thr_formula_concept(const thr_formula *f)
{
    return (thr_concept){f->literal, (uint32_t)f->n, f->need};
}

/* ---- meaning and text --------------------------------------------------------------------- */

bool thr_concept_holds(thr_concept c, const bool *x)
{
    uint32_t hold = 0;
    for (uint32_t i = 0; i < c.n; i++)
        hold += x[c.literal[i] / 2] != (c.literal[i] & 1);
    return hold >= c.need;
}

/* Literals within a concept are distinct, so equal numbers and one inclusion are enough. */
bool thr_concept_same(thr_concept a, thr_concept b)
{
    if (a.n != b.n || a.need != b.need)
        return false;
    bool same = true;
    for (uint32_t i = 0; i < a.n && same; i++) {
        same = false;
        for (uint32_t k = 0; k < b.n && !same; k++)
            same = b.literal[k] == a.literal[i];
    }
    return same;
}

/* Prints the name without quotes if it can be read back like that. */
static bool print_name(const char *name, thr_bytes *out)
{
    bool word = strcmp(name, "true") == 0 || strcmp(name, "false") == 0;
    if (*name && !word && !name[strcspn(name, " \t\r\n&|!(),\"")])
        return thr_bytes_add(out, name, strlen(name));
    bool ok = thr_bytes_add(out, "\"", 1);
    for (; *name && ok; name++)
        ok = thr_bytes_add(out, "\"\"", *name == '"' ? 1 : 0) && thr_bytes_add(out, name, 1);
    return ok && thr_bytes_add(out, "\"", 1);
}

static bool print_literals(thr_concept c, const thr_variables *v, const char *joint, size_t most,
                           thr_bytes *out)
{
    bool ok = true;
    for (uint32_t i = 0; i < c.n && i < most && ok; i++)
        ok = thr_bytes_printf(out, "%s%s", i ? joint : "", c.literal[i] & 1 ? "!" : "") &&
             print_name(v->name[c.literal[i] / 2], out);
    if (ok && c.n > most)
        ok = thr_bytes_printf(out, "%s(%zu more)", most ? joint : "", c.n - most);
    return ok;
}

bool thr_concept_print(thr_concept c, const thr_variables *v, size_t most, thr_bytes *out)
{
    if (c.need == 0 || c.need > c.n)
        return thr_bytes_printf(out, "%s", c.need ? "false" : "true");
    if (c.need == c.n)
        return print_literals(c, v, " & ", most, out);
    if (c.need == 1)
        return print_literals(c, v, " | ", most, out);
    return thr_bytes_printf(out, "%u of (", c.need) && print_literals(c, v, ", ", most, out) &&
           thr_bytes_add(out, ")", 1);
}
