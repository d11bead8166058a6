/* Assigning examples to folds: stratified at random, by position, or by tag. */
#include "compare/folds.h"

#include "base/random.h"
#include "multiclass/labels.h"

#include <stdlib.h>
#include <string.h>

/* ---- dealing ------------------------------------------------------------------------------ */

/* Random folds. Examples are grouped by label, each group is shuffled, and the examples are
 * dealt to the folds like cards: one each in turn. The next group continues where the last one
 * ended, so no two folds differ by more than one example, in all or of one label. */
typedef struct dealing {
    size_t *order;   /* all examples, group by group */
    size_t *begin;   /* where each group begins in `order`, and the end of the last */
    uint32_t *group; /* the group of each example */
    size_t groups;
} dealing;

/* Numbers the different names of examples by first appearance. `name` returns that of an
 * example; `bytes` is passed on to it. */
static int number_groups(const thr_batch *b, thr_str (*name)(const thr_batch *, size_t, size_t),
                         size_t bytes, uint32_t *group, size_t *groups, thr_error *err)
{
    thr_labels names;
    int code = thr_labels_init(&names, NULL, err);
    for (size_t e = 0; e < b->n && code == 0; e++)
        code = thr_labels_add(&names, name(b, e, bytes), &group[e], err);
    *groups = names.n;
    thr_labels_clear(&names);
    return code;
}

static thr_str label_of(const thr_batch *b, size_t e, size_t bytes)
{
    (void)bytes;
    thr_str label = b->about[e].label;
    return label.p ? label : thr_str_of(""); /* an empty set of labels */
}

static thr_str tag_of(const thr_batch *b, size_t e, size_t bytes)
{
    thr_str tag = b->about[e].tag;
    return (thr_str){tag.p ? tag.p : "", tag.n < bytes ? tag.n : bytes};
}

/* Sorts the examples by group and shuffles each group. The counting sort keeps the order of
 * examples within a group. */
static void shuffle_groups(dealing *d, size_t n, thr_random *r)
{
    for (size_t e = 0; e < n; e++)
        d->begin[d->group[e] + 1]++;
    for (size_t g = 0; g < d->groups; g++)
        d->begin[g + 1] += d->begin[g];
    for (size_t e = n; e-- > 0;) /* begin[g + 1] moves down from the end of group g to its start */
        d->order[--d->begin[d->group[e] + 1]] = e;
    memmove(d->begin, d->begin + 1, d->groups * sizeof *d->begin);
    d->begin[d->groups] = n;
    for (size_t g = 0; g < d->groups; g++) {
        size_t *order = d->order + d->begin[g];
        for (size_t i = d->begin[g + 1] - d->begin[g]; i > 1; i--) { /* Fisher and Yates */
            size_t j = (size_t)thr_random_below(r, i), kept = order[i - 1];
            order[i - 1] = order[j];
            order[j] = kept;
        }
    }
}

static int deal(thr_folds *f, const thr_batch *b, uint64_t seed, bool labelled, thr_error *err)
{
    dealing d = {.groups = 1};
    thr_random r;
    thr_random_init(&r, seed);
    d.order = malloc(f->n * sizeof *d.order);
    d.group = calloc(f->n, sizeof *d.group);
    int code = d.order && d.group ? 0 : thr_fail_memory(err);
    if (code == 0 && labelled)
        code = number_groups(b, label_of, 0, d.group, &d.groups, err);
    if (code == 0 && !(d.begin = calloc(d.groups + 2, sizeof *d.begin)))
        code = thr_fail_memory(err);
    if (code == 0) {
        shuffle_groups(&d, f->n, &r);
        for (size_t i = 0; i < f->n; i++)
            f->of[d.order[i]] = (uint32_t)(i % f->k);
    }
    free(d.order);
    free(d.begin);
    free(d.group);
    return code;
}

/* ---- folds -------------------------------------------------------------------------------- */

int thr_folds_init(thr_folds *f, const thr_batch *b, const thr_fold_plan *plan, uint64_t repeat,
                   bool labelled, thr_error *err)
{
    *f = (thr_folds){.k = plan->folds, .n = b->n};
    size_t bytes = plan->tag_bytes;
    if (bytes == 0 && plan->folds < 2)
        return thr_fail(err, THR_EUSE, "two folds are needed");
    if (bytes == 0 && plan->folds > b->n)
        return thr_fail(err, THR_EDATA,
                        "%zu folds need at least as many examples; there are %zu: "
                        "ask for fewer folds (-k), at least 2",
                        plan->folds, b->n);
    f->of = calloc(f->n + 1, sizeof *f->of);
    if (!f->of)
        return thr_fail_memory(err);
    if (bytes) {
        /* Examples whose tags begin with the same bytes are one fold, such as documents of one
         * author. */
        int code = number_groups(b, tag_of, bytes, f->of, &f->k, err);
        if (code == 0 && f->k < 2)
            code = thr_fail(err, THR_EDATA,
                            "all tags begin with the same %zu bytes, or there are none: that is "
                            "one fold, and two are needed",
                            bytes);
        return code;
    }
    if (!plan->by_position)
        return deal(f, b, thr_mix64(plan->seed) + repeat, labelled, err);
    for (size_t e = 0; e < f->n; e++)
        f->of[e] = (uint32_t)(e % f->k);
    return 0;
}

void thr_folds_clear(thr_folds *f)
{
    free(f->of);
    *f = (thr_folds){0};
}

size_t thr_folds_size(const thr_folds *f, size_t fold)
{
    size_t n = 0;
    for (size_t e = 0; e < f->n; e++)
        n += f->of[e] == fold;
    return n;
}

size_t thr_folds_part(const thr_folds *f, size_t fold, size_t *pick)
{
    size_t learn = 0, test = f->n - thr_folds_size(f, fold), first = test;
    for (size_t e = 0; e < f->n; e++)
        pick[f->of[e] == fold ? test++ : learn++] = e;
    return first;
}
