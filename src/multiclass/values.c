/* Names that mean the same label have the same key: a name that is a number has that number, and
 * any other name has its bytes. A key of a number begins with a NUL, which no name contains. */
#include "multiclass/values.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_KEY (1 + sizeof(double))

/* The key is `label` itself, or it is made in `room`. */
static thr_str key_of(thr_str label, char room[NUMBER_KEY])
{
    const char *end, *limit = label.p + label.n;
    double number;
    if (thr_parse_double(label.p, limit, &end, &number) != THR_NUMBER_OK || end != limit)
        return label;
    number += 0.0; /* -0 becomes 0 */
    room[0] = '\0';
    memcpy(room + 1, &number, sizeof number);
    return (thr_str){room, NUMBER_KEY};
}

void thr_label_values_clear(thr_label_values *v)
{
    free(v->of);
    thr_arena_clear(&v->keys);
    thr_index_clear(&v->index);
    *v = (thr_label_values){0};
}

static int add_key(thr_label_values *v, thr_str key, double value, thr_error *err)
{
    const char *copy = v->n < THR_NONE ? thr_arena_copy(&v->keys, key.p, key.n) : NULL;
    if (!copy || !thr_grow(&v->of, &v->room, v->n + 1, sizeof *v->of) ||
        !thr_index_add(&v->index, (thr_str){copy, key.n}, (uint32_t)v->n))
        return thr_fail_memory(err);
    v->of[v->n++] = (struct thr_label_value){{copy, key.n}, value};
    return 0;
}

int thr_label_values_copy(const thr_label_values *v, thr_label_values *out, thr_error *err)
{
    int code = 0;
    *out = (thr_label_values){0};
    for (size_t i = 0; i < v->n && code == 0; i++)
        code = add_key(out, v->of[i].key, v->of[i].value, err);
    if (code)
        thr_label_values_clear(out);
    return code;
}

double *thr_label_values_find(const thr_label_values *v, thr_str label)
{
    char room[NUMBER_KEY];
    if (v->n == 0)
        return NULL;
    uint32_t found = thr_index_find(&v->index, key_of(label, room));
    return found == UINT32_MAX ? NULL : &v->of[found].value;
}

int thr_label_values_add(thr_label_values *v, thr_str label, double value, thr_error *err)
{
    char room[NUMBER_KEY];
    return add_key(v, key_of(label, room), value, err);
}
