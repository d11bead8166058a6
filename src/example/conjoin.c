/* New features are counted before the first is made, so that a refused example has no effect. */
#include "example/conjoin.h"

#include "example/cross.h"
#include "example/parts.h"

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
        !thr_parts_write(s, b, true, "&|\\"))
        return false;
    thr_naming x;
    thr_naming_begin(&x, b, thr_batch_namespace(b, name));
    *clash |= thr_parts_find(s, name) < s->n_spaces;
    for (size_t k = 2; k <= most; k++) {
        for (size_t i = 0; i < k; i++)
            s->index[i] = i;
        do
            if (!thr_parts_multiply(s, &x, s->index, k, '&'))
                return false;
        while (next_choice(s->index, k, n));
    }
    thr_naming_flush(&x);
    return true;
}

/* ---- both --------------------------------------------------------------------------------- */

bool thr_conjoin(const thr_features *f, thr_feature_scratch *s, thr_batch *b)
{
    if (!thr_parts_collect(s, b)) {
        b->failed = true;
        return true;
    }
    uint64_t most = s->max_active ? s->max_active : THR_MAX_ACTIVE;
    bool more = false; /* crosses are counted only until there are too many */
    uint64_t made, crosses = thr_cross_count(f, s, b, most, &more);
    if (__builtin_add_overflow(crosses, count_conjunctions(s->n_parts, f->conjoin), &made))
        made = UINT64_MAX;
    if (made > most) {
        thr_batch_problem(
            b, b->about[b->n].line, 0,
            "%zu features would make %s%llu conjunctions: more than the %llu allowed "
            "in one example (see --max-active); conjoin fewer features or cross fewer "
            "namespaces",
            s->n_parts,
            made == UINT64_MAX ? "over "
            : more             ? "at least "
                               : "",
            (unsigned long long)made, (unsigned long long)most);
        return false;
    }
    bool clash = false;
    if (!thr_cross_add(f, s, b, &clash) || !add_conjunctions(s, b, f->conjoin, &clash))
        b->failed = true;
    if (clash) /* the example may have had features with the names made here */
        thr_batch_merge(b, thr_batch_first(b), &s->merge, f->numbers);
    return true;
}
