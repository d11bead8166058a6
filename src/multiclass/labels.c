/* The table of labels. A label is looked up for every example, and most are short (`1`, `spam`), so
 * a name below 8 bytes is compared as one word without following a pointer.
 *
 * Labels can be made that all have the same place in the table. Ordinary ones never lie FAR behind
 * their places; when a new one would, all are placed again by a secret hash (base/secret.h). */
#include "multiclass/labels.h"

#include "base/hash.h"
#include "base/number.h"
#include "base/scan.h"

#include <stdlib.h>
#include <string.h>

#define FAR 64 /* slots; in a table that is half full not one label in 10^6 lies so far behind */

static bool as_number(const char *name, double *value)
{
    const char *end, *limit = name + strlen(name);
    return thr_parse_double(name, limit, &end, value) == THR_NUMBER_OK && end == limit;
}

bool thr_label_same(const char *a, const char *b)
{
    double x, y;
    return strcmp(a, b) == 0 || (as_number(a, &x) && as_number(b, &y) && x == y);
}

/* labels.h has the rule. While fewer than two labels are known, a declared label that has not been
 * met is taken to be the second. */
static uint32_t positive_of(const thr_labels *l)
{
    double x, y;
    if (l->declared && l->n > 0 && thr_label_same(l->declared, l->name[0]))
        return 0;
    if (l->declared && (l->n < 2 || thr_label_same(l->declared, l->name[1])))
        return 1;
    if (l->n < 2)
        return l->n == 1 && as_number(l->name[0], &x) && x <= 0 ? 1 : 0;
    if (as_number(l->name[0], &x) && as_number(l->name[1], &y) && x != y)
        return x > y ? 0 : 1;
    return strcmp(l->name[0], l->name[1]) > 0 ? 0 : 1;
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

/* For names below 8 bytes of equal length the bits are equal only if the names are. Overlapping
 * loads cover 4 to 7 bytes; the first, middle and last byte cover 1 to 3. */
static uint64_t bits_of(thr_str name)
{
    const char *p = name.p;
    size_t n = name.n;
    if (n >= 8)
        return thr_hash(p, n, 0);
    if (n >= 4)
        return thr_load4(p) | (uint64_t)thr_load4(p + n - 4) << 32;
    return n == 0 ? 0
                  : (uint64_t)(uint8_t)p[0] | (uint64_t)(uint8_t)p[n / 2] << 8 |
                        (uint64_t)(uint8_t)p[n - 1] << 16;
}

/* The slot where the search begins. */
static size_t place_of(const thr_labels *l, thr_str name, uint64_t bits)
{
    uint64_t high = (bits + name.n) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    if (l->keyed)
        high = thr_secret_hash(&l->secret, name.p, name.n) >> 32;
    return high * l->slots >> 32; /* the upper bits of the product depend on all others */
}

static thr_label_slot *slot_of(const thr_labels *l, thr_str name, uint64_t bits)
{
    for (size_t at = place_of(l, name, bits);; at = (at + 1) & (l->slots - 1)) {
        thr_label_slot *s = &l->table[at];
        bool same = s->bits == bits && s->n == name.n;
        if (!s->label || (same && (name.n < 8 || !memcmp(l->name[s->label - 1], name.p, name.n))))
            return s;
    }
}

uint32_t thr_labels_find(const thr_labels *l, thr_str name)
{
    if (!l->slots || !name.p)
        return THR_NONE;
    uint32_t found = slot_of(l, name, bits_of(name))->label;
    return found ? found - 1 : THR_NONE;
}

/* Returns how far behind its place the label lies. */
static size_t slot_fill(thr_labels *l, thr_str name, uint32_t label)
{
    uint64_t bits = bits_of(name);
    thr_label_slot *slot = slot_of(l, name, bits);
    *slot = (thr_label_slot){bits, (uint32_t)name.n, label + 1};
    return ((size_t)(slot - l->table) - place_of(l, name, bits)) & (l->slots - 1);
}

/* Adds labels from number `from` to before l->n to the table, and all again if one lies too far
 * behind its place. */
static void fill_from(thr_labels *l, uint32_t from)
{
    size_t farthest = 0;
    for (uint32_t i = from; i < l->n && farthest <= FAR; i++) {
        size_t far = slot_fill(l, thr_str_of(l->name[i]), i);
        farthest = l->keyed || far < farthest ? farthest : far;
    }
    if (farthest <= FAR)
        return;
    thr_secret_draw(&l->secret);
    l->keyed = true;
    memset(l->table, 0, l->slots * sizeof *l->table);
    for (uint32_t i = 0; i < l->n; i++)
        slot_fill(l, thr_str_of(l->name[i]), i);
}

/* Room for one more label. */
static bool table_ready(thr_labels *l)
{
    if (((size_t)l->n + 1) * 2 <= l->slots)
        return true;
    size_t slots = l->slots ? l->slots * 2 : 16;
    thr_label_slot *table = calloc(slots, sizeof *table);
    if (!table)
        return false;
    free(l->table);
    l->table = table;
    l->slots = slots;
    fill_from(l, 0);
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
    l->name[l->n] = copy;
    *label = l->n++;
    fill_from(l, *label);
    if (l->n <= 2)
        l->positive = positive_of(l);
    return 0;
}

/* With open addressing a slot must not be emptied if a later label passed over it when it was
 * inserted. The label added last has none behind it, so in reverse order no gap arises. */
void thr_labels_drop(thr_labels *l, uint32_t n)
{
    bool few = n < 2 && l->n > n;
    while (l->n > n) {
        char *name = l->name[--l->n];
        thr_str text = thr_str_of(name);
        *slot_of(l, text, bits_of(text)) = (thr_label_slot){0};
        free(name);
    }
    if (few)
        l->positive = positive_of(l);
}
