#include "multiclass/labels.h"

#include "base/hash.h"
#include "base/number.h"
#include "example/batch.h"

#include <stdlib.h>
#include <string.h>

static bool as_number(const char *name, double *value)
{
    const char *end, *limit = name + strlen(name);
    return thr_parse_double(name, limit, &end, value) == THR_NUMBER_OK && end == limit;
}

static bool greater(const char *a, const char *b)
{
    double x, y;
    if (as_number(a, &x) && as_number(b, &y) && x != y)
        return x > y;
    return strcmp(a, b) > 0;
}

bool thr_label_same(const char *a, const char *b)
{
    double x, y;
    return strcmp(a, b) == 0 || (as_number(a, &x) && as_number(b, &y) && x == y);
}

static uint32_t positive_of(const thr_labels *l)
{
    double value;
    if (l->declared && l->n > 0 && thr_label_same(l->declared, l->name[0]))
        return 0;
    if (l->declared && (l->n < 2 || thr_label_same(l->declared, l->name[1])))
        return 1;
    if (l->n >= 2)
        return greater(l->name[0], l->name[1]) ? 0 : 1;
    return l->n == 1 && as_number(l->name[0], &value) && value <= 0 ? 1 : 0;
}

int thr_labels_init(thr_labels *l, const char *declared_positive, thr_error *err)
{
    *l = (thr_labels){0};
    if (declared_positive && *declared_positive && !(l->declared = strdup(declared_positive)))
        return thr_fail_memory(err);
    return 0;
}

void thr_labels_clear(thr_labels *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->name[i]);
    free(l->name);
    free(l->table);
    free(l->declared);
    *l = (thr_labels){0};
}

int thr_labels_copy(const thr_labels *l, thr_labels *out, thr_error *err)
{
    uint32_t label;
    int code = thr_labels_init(out, l->declared, err);
    for (uint32_t i = 0; i < l->n && code == 0; i++)
        code = thr_labels_add(out, thr_str_of(l->name[i]), &label, err);
    if (code)
        thr_labels_clear(out);
    return code;
}

static size_t slot_of(const thr_labels *l, thr_str name)
{
    size_t at = thr_hash(name.p, name.n, 0) & (l->slots - 1);
    while (l->table[at] && !thr_str_eq(thr_str_of(l->name[l->table[at] - 1]), name))
        at = (at + 1) & (l->slots - 1);
    return at;
}

uint32_t thr_labels_find(const thr_labels *l, thr_str name)
{
    if (!l->slots || !name.p)
        return THR_NONE;
    uint32_t found = l->table[slot_of(l, name)];
    return found ? found - 1 : THR_NONE;
}

static bool table_ready(thr_labels *l)
{
    if (((size_t)l->n + 1) * 2 <= l->slots)
        return true;
    size_t slots = l->slots ? l->slots * 2 : 16;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!table)
        return false;
    free(l->table);
    l->table = table;
    l->slots = slots;
    for (uint32_t i = 0; i < l->n; i++)
        table[slot_of(l, thr_str_of(l->name[i]))] = i + 1;
    return true;
}

int thr_labels_add(thr_labels *l, thr_str name, uint32_t *label, thr_error *err)
{
    *label = thr_labels_find(l, name);
    if (*label != THR_NONE)
        return 0;
    if (l->n >= INT32_MAX)
        return thr_fail(err, THR_EDATA, "too many different labels");
    char *copy = strndup(name.p, name.n);
    if (!copy || !table_ready(l) ||
        !thr_grow(&l->name, &l->room, (size_t)l->n + 1, sizeof *l->name)) {
        free(copy);
        return thr_fail_memory(err);
    }
    l->table[slot_of(l, name)] = l->n + 1;
    l->name[l->n] = copy;
    *label = l->n++;
    if (l->n <= 2)
        l->positive = positive_of(l);
    return 0;
}
