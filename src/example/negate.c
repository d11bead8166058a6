/* The list is read once by each thread, into its scratch memory. The variables and the features of
 * an example are both sorted by namespace and name, so one walk over the two finds the variables
 * that are absent. */
#include "example/negate.h"

#include "base/error.h"
#include "base/number.h"
#include "example/parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ----------------------------------------------------------------------------- */

/* An item of the list without its backslashes. */
typedef struct item {
    char text[THR_NEGATE_ROOM];
    size_t n, name; /* its length; where the name begins, behind the namespace */
    size_t dash;    /* where the dash of a range may be; n: nowhere */
} item;

/* Reads the item at `p`, after the blanks before it, and returns where it ends: at a comma or at
 * the end of the list. */
static const char *read_item(const char *p, item *it)
{
    *it = (item){.dash = THR_NEGATE_ROOM};
    bool bar = false;
    for (p += strspn(p, " "); *p && *p != ','; p++) {
        if (*p == '|' && !bar) {
            bar = true;
            it->name = it->n;
            it->dash = THR_NEGATE_ROOM;
            continue;
        }
        if (*p == '-' && it->dash == THR_NEGATE_ROOM)
            it->dash = it->n;
        p += *p == '\\' && p[1];
        it->text[it->n++] = *p;
    }
    it->dash = it->dash < it->n ? it->dash : it->n;
    return p;
}

/* Whether the item is a range of integers, written without leading zeros as their names are. */
static bool is_range(const item *it, uint64_t *from, uint64_t *to)
{
    const char *p = it->text + it->name, *dash = it->text + it->dash, *end = it->text + it->n, *at;
    return dash < end && thr_parse_u64(p, dash, &at, from) == THR_NUMBER_OK && at == dash &&
           thr_parse_u64(dash + 1, end, &at, to) == THR_NUMBER_OK && at == end &&
           (*p != '0' || dash == p + 1) && (dash[1] != '0' || end == dash + 2);
}

/* How the variable is called in the namespace of negated literals: by its name, preceded by its
 * namespace and a bar if it has one. */
static bool name_literal(thr_negation *n, thr_literal *l)
{
    if (l->ns.n == 0) {
        l->negated = l->name;
        return true;
    }
    size_t length = thr_escaped_length(l->ns, "|\\") + 1 + l->name.n;
    char *to = thr_arena_take(&n->arena, length);
    l->negated = (thr_str){to, length};
    if (!to)
        return false;
    to = thr_put_escaped(to, l->ns, "|\\");
    *to++ = '|';
    memcpy(to, l->name.p, l->name.n);
    return true;
}

static int add_variable(thr_negation *n, thr_str ns, thr_str name, thr_error *err)
{
    if (n->n == THR_MAX_NEGATED)
        return thr_fail(err, THR_EUSE, "negate: more than %u variables", THR_MAX_NEGATED);
    if (!thr_grow(&n->literal, &n->room, n->n + 1, sizeof *n->literal))
        return thr_fail_memory(err);
    thr_literal *l = &n->literal[n->n];
    l->ns = ns;
    l->name = (thr_str){thr_arena_copy(&n->arena, name.p, name.n), name.n};
    if (!l->name.p || !name_literal(n, l))
        return thr_fail_memory(err);
    n->n++;
    return 0;
}

static int add_range(thr_negation *n, thr_str ns, uint64_t from, uint64_t to, thr_error *err)
{
    char digits[24];
    if (from > to)
        return thr_fail(err, THR_EUSE, "negate: the range %llu-%llu is empty",
                        (unsigned long long)from, (unsigned long long)to);
    for (uint64_t i = from;; i++) {
        int code = add_variable(n, ns, (thr_str){digits, thr_print_u64(i, digits)}, err);
        if (code || i == to)
            return code;
    }
}

static int add_item(thr_negation *n, const item *it, thr_error *err)
{
    thr_str ns = {thr_arena_copy(&n->arena, it->text, it->name), it->name};
    thr_str name = {it->text + it->name, it->n - it->name};
    uint64_t from, to;
    if (!ns.p)
        return thr_fail_memory(err);
    if (name.n == 0)
        return thr_fail(err, THR_EUSE, "negate: an item of the list has no name");
    if (is_range(it, &from, &to))
        return add_range(n, ns, from, to, err);
    return add_variable(n, ns, name, err);
}

static int compare_literals(const void *left, const void *right)
{
    const thr_literal *a = left, *b = right;
    int order = thr_str_order(a->ns, b->ns);
    return order ? order : thr_str_order(a->name, b->name);
}

static void sort_and_unite(thr_negation *n)
{
    size_t kept = 0;
    qsort(n->literal, n->n, sizeof *n->literal, compare_literals);
    for (size_t i = 0; i < n->n; i++)
        if (kept == 0 || compare_literals(&n->literal[kept - 1], &n->literal[i]) != 0)
            n->literal[kept++] = n->literal[i];
    n->n = kept;
}

static int read_list(thr_negation *n, const char *list, thr_error *err)
{
    item it;
    int code = 0;
    n->n = 0;
    thr_arena_reset(&n->arena);
    memcpy(n->list, list, strlen(list) + 1);
    for (const char *p = list; *p && code == 0; p += *p == ',') {
        p = read_item(p, &it);
        code = add_item(n, &it, err);
    }
    if (code == 0 && n->n)
        sort_and_unite(n);
    if (code)
        n->list[0] = '\0';
    return code;
}

int thr_negate_set(thr_features *f, const char *list, thr_error *err)
{
    if (strlen(list) >= THR_NEGATE_ROOM)
        return thr_fail(err, THR_EUSE, "negate: a list has at most %d bytes", THR_NEGATE_ROOM - 1);
    thr_negation n = {0};
    int code = read_list(&n, list, err);
    thr_negation_clear(&n);
    if (code == 0)
        memcpy(f->negate, list, strlen(list) + 1);
    return code;
}

void thr_negation_clear(thr_negation *n)
{
    thr_arena_clear(&n->arena);
    free(n->literal);
    *n = (thr_negation){0};
}

/* ---- an example --------------------------------------------------------------------------- */

/* Names must last as long as the batch. Those of integers are not kept as text. */
static bool add_literal(thr_batch *b, uint32_t ns, thr_str negated)
{
    thr_str kept = {thr_arena_copy(&b->arena, negated.p, negated.n), negated.n};
    if (kept.p)
        thr_batch_named(b, ns, kept, 1);
    return kept.p != NULL;
}

/* The order of a variable and a feature of the example. */
static int compare(const thr_literal *l, const thr_factor *part)
{
    int order = thr_str_order(l->ns, part->ns);
    return order ? order : thr_str_order(l->name, part->name);
}

bool thr_negate(const thr_features *f, thr_feature_scratch *s, thr_batch *b)
{
    thr_negation *n = &s->negation;
    if (strcmp(n->list, f->negate) != 0 && read_list(n, f->negate, NULL) != 0)
        return false; /* the list was read before, so only memory can be missing */
    if (!thr_parts_collect(s, b))
        return false;
    thr_str name = thr_str_of(THR_NEGATED_NS);
    bool clash = thr_parts_find(s, name) < s->n_spaces, ok = true;
    uint32_t ns = thr_batch_namespace(b, name);
    for (size_t i = 0, at = 0; i < n->n && ok; i++) {
        while (at < s->n_parts && compare(&n->literal[i], &s->part[at]) > 0)
            at++;
        bool present = at < s->n_parts && compare(&n->literal[i], &s->part[at]) == 0;
        b->met_negated |= present;
        if (!present || s->part[at].value == 0)
            ok = add_literal(b, ns, n->literal[i].negated);
    }
    if (ok && clash) /* the example may have had features with the names made here */
        thr_batch_merge(b, thr_batch_first(b), &s->merge, f->numbers);
    return ok;
}
