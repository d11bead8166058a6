/* The features of the example are collected and sorted first (parts). New features are counted
 * before the first is made, so that a refused example has no effect. Names are built in the
 * arena of the batch. */
#include "example/conjoin.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A part: a feature of the example as it was before anything was added. */
typedef struct thr_factor {
    thr_str ns, name;
    thr_str written; /* escaped, as it appears in the names being made */
    float value;
} thr_factor;

/* Consecutive parts of the sorted array: those of one namespace. */
typedef struct range {
    const thr_factor *part;
    size_t n;
} range;

/* ---- parts -------------------------------------------------------------------------------- */

static int compare_str(thr_str a, thr_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int compare_parts(const void *left, const void *right)
{
    const thr_factor *a = left, *b = right;
    int order = compare_str(a->ns, b->ns);
    return order ? order : compare_str(a->name, b->name);
}

/* Fills s->part with the features of the open example, sorted. False: out of memory. */
static bool collect_parts(thr_feature_scratch *s, thr_batch *b)
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
    return true;
}

static range range_of(const thr_feature_scratch *s, thr_str ns)
{
    size_t from = 0, to;
    while (from < s->n_parts && compare_str(s->part[from].ns, ns) < 0)
        from++;
    for (to = from; to < s->n_parts && thr_str_eq(s->part[to].ns, ns);)
        to++;
    return (range){s->part + from, to - from};
}

/* ---- names -------------------------------------------------------------------------------- */

static size_t escaped_length(thr_str name, const char *special)
{
    size_t n = name.n;
    for (size_t i = 0; i < name.n; i++)
        n += name.p[i] && strchr(special, name.p[i]) != NULL;
    return n;
}

static char *put_escaped(char *to, thr_str name, const char *special)
{
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] && strchr(special, name.p[i]))
            *to++ = '\\';
        *to++ = name.p[i];
    }
    return to;
}

/* Sets `written` of each part to its escaped name, preceded by `ns|` if that is wanted and ns is
 * not empty. A name without special characters is borrowed, not copied. */
static bool write_parts(thr_feature_scratch *s, thr_batch *b, bool with_ns, const char *special)
{
    for (size_t i = 0; i < s->n_parts; i++) {
        thr_factor *part = &s->part[i];
        size_t ns = with_ns && part->ns.n ? escaped_length(part->ns, special) + 1 : 0;
        size_t name = escaped_length(part->name, special);
        part->written = part->name;
        if (ns == 0 && name == part->name.n)
            continue;
        char *to = thr_arena_take(&b->arena, ns + name);
        part->written = (thr_str){to, ns + name};
        if (!to)
            return false;
        if (ns) {
            to = put_escaped(to, part->ns, special);
            *to++ = '|';
        }
        put_escaped(to, part->name, special);
    }
    return true;
}

/* Adds the feature made of the parts index[0..k), whose names are joined by `between`. The
 * product is limited to the range of a float; if it underflows to 0, no feature is added. */
static bool add_product(thr_batch *b, uint32_t ns, const thr_factor *part, const size_t *index,
                        size_t k, char between)
{
    size_t n = k - 1;
    double value = 1;
    for (size_t i = 0; i < k; i++) {
        n += part[index[i]].written.n;
        value *= (double)part[index[i]].value;
        value = value > FLT_MAX ? FLT_MAX : value < -FLT_MAX ? -FLT_MAX : value;
    }
    if ((float)value == 0)
        return true;
    char *name = thr_arena_take(&b->arena, n), *to = name;
    if (!name)
        return false;
    for (size_t i = 0; i < k; i++) {
        thr_str piece = part[index[i]].written;
        if (i)
            *to++ = between;
        if (piece.n)
            memcpy(to, piece.p, piece.n);
        to += piece.n;
    }
    thr_batch_named(b, ns, (thr_str){name, n}, (float)value);
    return true;
}

/* ---- crosses ------------------------------------------------------------------------------ */

/* Whether the settings list the same cross before. */
static bool is_repeated(const thr_features *f, size_t cross)
{
    for (size_t i = 0; i < cross; i++)
        if (strcmp(f->cross[i].left, f->cross[cross].left) == 0 &&
            strcmp(f->cross[i].right, f->cross[cross].right) == 0)
            return true;
    return false;
}

/* How many features add_crosses will make at most; UINT64_MAX if that overflows. */
static uint64_t count_crosses(const thr_features *f, const thr_feature_scratch *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < f->n_crosses; i++) {
        range left = range_of(s, thr_str_of(f->cross[i].left));
        range right = range_of(s, thr_str_of(f->cross[i].right));
        if (is_repeated(f, i) || left.n == 0 || right.n == 0)
            continue;
        uint64_t pairs;
        if (left.part == right.part)
            pairs = (uint64_t)left.n * (left.n - 1) / 2;
        else if (__builtin_mul_overflow(left.n, right.n, &pairs))
            return UINT64_MAX;
        if (__builtin_add_overflow(sum, pairs, &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* Adds the features of a cross to the namespace `left*right`. A namespace crossed with itself gives
 * each pair once. *clash is set if the example has features of its own in the namespace of the
 * cross. */
static bool add_cross(thr_feature_scratch *s, thr_batch *b, const thr_cross *cross, bool *clash)
{
    thr_str left_name = thr_str_of(cross->left), right_name = thr_str_of(cross->right);
    range left = range_of(s, left_name), right = range_of(s, right_name);
    if (left.n == 0 || right.n == 0)
        return true;
    size_t n = escaped_length(left_name, "*\\") + 1 + escaped_length(right_name, "*\\");
    char *name = thr_arena_take(&b->arena, n);
    if (!name)
        return false;
    char *to = put_escaped(name, left_name, "*\\");
    *to++ = '*';
    put_escaped(to, right_name, "*\\");
    uint32_t ns = thr_batch_namespace(b, (thr_str){name, n});
    *clash |= range_of(s, (thr_str){name, n}).n > 0;
    size_t l = (size_t)(left.part - s->part), r = (size_t)(right.part - s->part);
    for (size_t i = l; i < l + left.n; i++)
        for (size_t j = l == r ? i + 1 : r; j < r + right.n; j++)
            if (!add_product(b, ns, s->part, (size_t[]){i, j}, 2, '*'))
                return false;
    return true;
}

static bool add_crosses(const thr_features *f, thr_feature_scratch *s, thr_batch *b, bool *clash)
{
    if (!write_parts(s, b, false, "*\\"))
        return false;
    for (size_t i = 0; i < f->n_crosses; i++)
        if (!is_repeated(f, i) && !add_cross(s, b, &f->cross[i], clash))
            return false;
    return true;
}

/* ---- conjunctions ------------------------------------------------------------------------- */

/* C(n,2) + ... + C(n,k), or UINT64_MAX if that overflows. C(n,i) = C(n,i-1) (n-i+1) / i. */
static uint64_t count_conjunctions(uint64_t n, uint64_t k)
{
    uint64_t choices = n, sum = 0;
    for (uint64_t i = 2; i <= k && i <= n; i++) {
        if (__builtin_mul_overflow(choices, n - i + 1, &choices))
            return UINT64_MAX;
        choices /= i;
        if (__builtin_add_overflow(sum, choices, &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* The next choice of k among n in lexicographic order; false after the last. */
static bool next_choice(size_t *index, size_t k, size_t n)
{
    size_t i = k;
    while (i > 0 && index[i - 1] == n - k + i - 1)
        i--;
    if (i == 0)
        return false;
    index[i - 1]++;
    for (; i < k; i++)
        index[i] = index[i - 1] + 1;
    return true;
}

static bool add_conjunctions(thr_feature_scratch *s, thr_batch *b, size_t most, bool *clash)
{
    thr_str name = {"&", 1};
    size_t n = s->n_parts;
    most = most < n ? most : n;
    if (most < 2)
        return true;
    if (!thr_grow(&s->index, &s->index_room, most, sizeof *s->index) ||
        !write_parts(s, b, true, "&|\\"))
        return false;
    uint32_t ns = thr_batch_namespace(b, name);
    *clash |= range_of(s, name).n > 0;
    for (size_t k = 2; k <= most; k++) {
        for (size_t i = 0; i < k; i++)
            s->index[i] = i;
        do
            if (!add_product(b, ns, s->part, s->index, k, '&'))
                return false;
        while (next_choice(s->index, k, n));
    }
    return true;
}

/* ---- both --------------------------------------------------------------------------------- */

bool thr_conjoin(const thr_features *f, thr_feature_scratch *s, thr_batch *b)
{
    if (!collect_parts(s, b)) {
        b->failed = true;
        return true;
    }
    uint64_t made, crosses = count_crosses(f, s);
    if (__builtin_add_overflow(crosses, count_conjunctions(s->n_parts, f->conjoin), &made))
        made = UINT64_MAX;
    if (made > THR_MAX_CONJUNCTIONS) {
        thr_batch_problem(b, b->about[b->n].line, 0,
                          "%zu features would make %s%llu conjunctions: more than the %u allowed "
                          "in one example; conjoin fewer features or cross fewer namespaces",
                          s->n_parts, made == UINT64_MAX ? "over " : "", (unsigned long long)made,
                          THR_MAX_CONJUNCTIONS);
        return false;
    }
    bool clash = false;
    if (!add_crosses(f, s, b, &clash) || !add_conjunctions(s, b, f->conjoin, &clash))
        b->failed = true;
    if (clash) /* the example may have had features with the names made here */
        thr_batch_merge(b, thr_batch_first(b), &s->merge, f->numbers);
    return true;
}
