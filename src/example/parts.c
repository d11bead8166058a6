/* Parts are collected and sorted once for each example; names are built in the arena of the batch.
 */
#include "example/parts.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static int compare_parts(const void *left, const void *right)
{
    const thr_factor *a = left, *b = right;
    int order = thr_str_order(a->ns, b->ns);
    return order ? order : thr_str_order(a->name, b->name);
}

/* The namespaces of the sorted parts. */
static bool find_spaces(thr_feature_scratch *s)
{
    s->n_spaces = 0;
    for (size_t i = 0; i < s->n_parts; i++) {
        thr_range *last = s->n_spaces ? &s->space[s->n_spaces - 1] : NULL;
        if (last && thr_str_eq(last->ns, s->part[i].ns)) {
            last->n++;
            continue;
        }
        if (!thr_grow(&s->space, &s->space_room, s->n_spaces + 1, sizeof *s->space))
            return false;
        s->space[s->n_spaces++] = (thr_range){s->part[i].ns, i, 1};
    }
    return true;
}

bool thr_parts_collect(thr_feature_scratch *s, thr_batch *b)
{
    size_t first = thr_batch_first(b), n = b->n_features - first;
    if (!thr_grow(&s->part, &s->part_room, n, sizeof *s->part))
        return false;
    for (size_t i = 0; i < n; i++) {
        char digits[24];
        thr_factor *part = &s->part[i];
        part->name = thr_batch_name_of(b, first + i, digits, &part->ns);
        part->value = thr_batch_value(b, first + i);
        if (part->name.p == digits)
            part->name.p = thr_arena_copy(&b->arena, digits, part->name.n);
        if (!part->name.p)
            return false;
    }
    s->n_parts = n;
    if (n)
        qsort(s->part, n, sizeof *s->part, compare_parts);
    return find_spaces(s);
}

size_t thr_parts_find(const thr_feature_scratch *s, thr_str ns)
{
    size_t i = 0;
    while (i < s->n_spaces && !thr_str_eq(s->space[i].ns, ns))
        i++;
    return i;
}

/* ---- names -------------------------------------------------------------------------------- */

size_t thr_escaped_length(thr_str name, const char *special)
{
    size_t n = name.n;
    for (size_t i = 0; i < name.n; i++)
        n += name.p[i] && strchr(special, name.p[i]) != NULL;
    return n;
}

char *thr_put_escaped(char *to, thr_str name, const char *special)
{
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] && strchr(special, name.p[i]))
            *to++ = '\\';
        *to++ = name.p[i];
    }
    return to;
}

bool thr_parts_write(thr_feature_scratch *s, thr_batch *b, bool with_ns, const char *special)
{
    for (size_t i = 0; i < s->n_parts; i++) {
        thr_factor *part = &s->part[i];
        size_t ns = with_ns && part->ns.n ? thr_escaped_length(part->ns, special) + 1 : 0;
        size_t name = thr_escaped_length(part->name, special);
        char *to = thr_arena_take(&b->arena, ns + name);
        part->written = (thr_str){to, ns + name};
        if (!to)
            return false;
        if (ns) {
            to = thr_put_escaped(to, part->ns, special);
            *to++ = '|';
        }
        thr_put_escaped(to, part->name, special);
    }
    return true;
}

bool thr_parts_multiply(const thr_feature_scratch *s, thr_naming *to, const size_t *index, size_t k,
                        char between)
{
    const thr_factor *part = s->part;
    size_t n = k - 1;
    double value = 1;
    for (size_t i = 0; i < k; i++) {
        n += part[index[i]].written.n;
        value *= (double)part[index[i]].value;
        value = value > FLT_MAX ? FLT_MAX : value < -FLT_MAX ? -FLT_MAX : value;
    }
    if ((float)value == 0)
        return true;
    char *name = thr_arena_take(&to->b->arena, n), *at = name;
    if (!name)
        return false;
    for (size_t i = 0; i < k; i++) {
        thr_str piece = part[index[i]].written;
        if (i)
            *at++ = between;
        at = thr_put_spare(at, piece.p, piece.n);
    }
    thr_naming_add(to, (thr_str){name, n}, (float)value);
    return true;
}
