/* Reading a choice of columns, and messages about names that are not there. */
#include "format/columns.h"

#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_NUMBER 1000000

static const char *const role_names[THR_ROLES] = {
    [THR_ROLE_FEATURE] = "feature", [THR_ROLE_LABEL] = "label",
    [THR_ROLE_TEXT] = "text",       [THR_ROLE_ID] = "id",
    [THR_ROLE_SKIP] = "skip",       [THR_ROLE_IMPORTANCE] = "importance",
};

const char *thr_role_name(enum thr_role role)
{
    return role_names[role];
}

bool thr_columns_have(const thr_columns *c, enum thr_role role)
{
    size_t i = 0;
    while (i < c->n && c->chosen[i].role != role)
        i++;
    return i < c->n;
}

thr_str thr_chosen_name(const thr_columns *c, size_t i)
{
    return (thr_str){c->names + c->chosen[i].at, c->chosen[i].size};
}

/* ---- reading ------------------------------------------------------------------------------ */

/* The state of reading a list. */
typedef struct reading {
    const char *at; /* the rest of the list */
    thr_columns *out;
    size_t used; /* bytes of out->names */
    thr_error *err;
} reading;

static int read_role(reading *r, enum thr_role *role)
{
    char word[64];
    thr_suggestion near = {0};
    size_t n = strcspn(r->at, "=,");
    snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), r->at);
    *role = strcmp(word, "tag") == 0 ? THR_ROLE_ID : THR_ROLE_LABEL;
    while (*role < THR_ROLES && strcmp(word, "tag") != 0 && strcmp(word, role_names[*role]) != 0)
        thr_suggest(&near, word, role_names[(*role)++]);
    if (*role == THR_ROLES)
        return thr_fail(r->err, THR_EUSE,
                        "columns: there is no '%s'%s%s%s Columns are chosen for label, text, id, "
                        "importance and skip",
                        word, near.word ? "; did you mean " : "", near.word ? near.word : "",
                        near.word ? "?" : ".");
    if (thr_columns_have(r->out, *role))
        return thr_fail(r->err, THR_EUSE, "columns: %s is given twice%s", word,
                        *role == THR_ROLE_TEXT || *role == THR_ROLE_SKIP ? "; join columns with +"
                                                                         : "");
    if (r->at[n] != '=')
        return thr_fail(r->err, THR_EUSE,
                        "columns: %s needs the name or number of a column: %s=...", word, word);
    r->at += n + 1;
    return 0;
}

/* Copies a name in quotes, without them. */
static int read_quoted(reading *r, char *to, size_t room, size_t *n)
{
    for (r->at++; *r->at && (*r->at != '"' || r->at[1] == '"'); r->at++) {
        r->at += *r->at == '"';
        if (*n < room)
            to[(*n)++] = *r->at;
    }
    if (*r->at != '"')
        return thr_fail(r->err, THR_EUSE, "columns: a quote is not closed");
    r->at++;
    return 0;
}

static void number_of(struct thr_chosen *c, const char *name)
{
    const char *end, *limit = name + c->size;
    uint64_t number;
    if (thr_is_digit(*name) && thr_parse_u64(name, limit, &end, &number) == THR_NUMBER_OK &&
        end == limit)
        c->number = number <= LARGEST_NUMBER ? (unsigned)number : LARGEST_NUMBER + 1;
}

/* One name or number, which ends at one of `ends`. */
static int read_column(reading *r, enum thr_role role, const char *ends)
{
    thr_columns *c = r->out;
    char *to = c->names + r->used;
    size_t room = sizeof c->names - r->used, n = 0;
    if (c->n == THR_MOST_CHOSEN)
        return thr_fail(r->err, THR_EUSE, "columns: more than %d are chosen", THR_MOST_CHOSEN);
    struct thr_chosen *chosen = &c->chosen[c->n++];
    *chosen = (struct thr_chosen){.role = role, .at = (unsigned)r->used};
    bool quoted = *r->at == '"';
    int code = 0;
    if (quoted)
        code = read_quoted(r, to, room, &n);
    else
        for (; *r->at && !strchr(ends, *r->at); r->at++)
            if (n < room)
                to[n++] = *r->at;
    if (code)
        return code;
    if (n == room)
        return thr_fail(r->err, THR_EUSE, "columns: the list is too long");
    chosen->size = (unsigned)n;
    r->used += n;
    if (!quoted)
        number_of(chosen, to);
    c->named |= chosen->number == 0;
    bool zero = !quoted && n && strspn(to, "0") >= n;
    if (n == 0 || zero || chosen->number > LARGEST_NUMBER)
        return thr_fail(r->err, THR_EUSE,
                        n == 0 ? "columns: %s needs a name or number"
                               : "columns: %s: numbers go from 1 to 1000000",
                        role_names[role]);
    return 0;
}

int thr_columns_parse(const char *list, thr_columns *out, thr_error *err)
{
    *out = (thr_columns){.given = *list != 0};
    reading r = {.at = list, .out = out, .err = err};
    int code = 0;
    while (*r.at && code == 0) {
        enum thr_role role = THR_ROLES;
        code = read_role(&r, &role);
        bool several = role == THR_ROLE_TEXT || role == THR_ROLE_SKIP;
        do {
            code = code ? code : read_column(&r, role, several ? "+," : ",");
        } while (code == 0 && several && *r.at == '+' && r.at++);
        if (code == 0 && *r.at && *r.at++ != ',')
            code =
                thr_fail(err, THR_EUSE, "columns: a comma was expected before '%.32s'", r.at - 1);
    }
    return code;
}

/* ---- messages ----------------------------------------------------------------------------- */

const char *thr_names_text(const thr_str *name, size_t n, char *out, size_t room)
{
    const size_t tail = 32; /* for " and N more" */
    size_t used = 0, listed = 0;
    *out = '\0';
    for (size_t i = 0; i < n; i++) {
        thr_quoted q = thr_quote(name[i]);
        if (name[i].n == 0)
            continue;
        if (used + strlen(q.text) + 2 + tail > room) {
            snprintf(out + used, room - used, " and %zu more", n - i);
            break;
        }
        used += (size_t)snprintf(out + used, room - used, "%s%s", listed++ ? ", " : "", q.text);
    }
    return out;
}

static const char *nearest_name(thr_str wanted, const thr_str *name, size_t n, char near[64])
{
    char word[64], candidate[64];
    thr_suggestion best = {0};
    snprintf(word, sizeof word, "%.*s", (int)(wanted.n < 63 ? wanted.n : 63), wanted.p);
    for (size_t i = 0; i < n; i++) {
        size_t before = best.word ? best.distance : SIZE_MAX;
        snprintf(candidate, sizeof candidate, "%.63s", thr_quote(name[i]).text);
        thr_suggest(&best, word, candidate);
        if (best.word && best.distance < before)
            snprintf(near, 64, "%s", candidate);
    }
    return best.word ? near : NULL;
}

const char *thr_no_such_name(thr_str wanted, const char *what, const thr_str *name, size_t n,
                             char *out, size_t room)
{
    char near[64], all[320];
    const char *nearest = nearest_name(wanted, name, n, near);
    thr_names_text(name, n, all, sizeof all);
    snprintf(out, room, "there is no %s \"%s\"%s%s%s %s", what, thr_quote(wanted).text,
             nearest ? "; did you mean " : "", nearest ? nearest : "",
             nearest ? "? There are" : "; there are", *all ? all : "none");
    return out;
}
