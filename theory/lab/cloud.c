/* Arrays of examples. Running out of memory is remembered in `failed`. */
#include "lab/cloud.h"

#include "base/mem.h"
#include "gen/gen.h"

#include <stdlib.h>
#include <string.h>

void thr_cloud_clear(thr_cloud *p)
{
    free(p->end);
    free(p->positive);
    free(p->key);
    free(p->x);
    *p = (thr_cloud){0};
}

static bool makes_room(thr_cloud *p, size_t features)
{
    p->failed |= !thr_grow(&p->end, &p->end_room, p->n + 1, sizeof *p->end) ||
                 !thr_grow(&p->positive, &p->positive_room, p->n + 1, sizeof *p->positive) ||
                 !thr_grow(&p->key, &p->key_room, p->features + features, sizeof *p->key) ||
                 !thr_grow(&p->x, &p->x_room, p->features + features, sizeof *p->x);
    return !p->failed;
}

void thr_cloud_add(thr_cloud *p, bool positive, const uint32_t *key, const float *x, size_t n)
{
    if (!makes_room(p, n))
        return;
    for (size_t i = 0; i < n; i++) {
        p->key[p->features] = key[i];
        p->x[p->features++] = x ? x[i] : 1;
        p->keys = key[i] > p->keys ? key[i] : p->keys;
    }
    p->positive[p->n] = positive;
    p->end[p->n++] = p->features;
}

int thr_cloud_draw(thr_cloud *p, thr_gen *g, uint64_t n, thr_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        int code = thr_gen_draw(g, err);
        if (code)
            return code;
        const thr_point *drawn = &g->point;
        if (!makes_room(p, drawn->n))
            continue;
        for (size_t k = 0; k < drawn->n; k++) {
            uint32_t key = (uint32_t)drawn->variable[k];
            p->key[p->features] = key;
            p->x[p->features++] = drawn->value[k];
            p->keys = key > p->keys ? key : p->keys;
        }
        p->positive[p->n] = drawn->positive;
        p->end[p->n++] = p->features;
    }
    return p->failed ? thr_fail_memory(err) : 0;
}

int thr_cloud_generate(thr_cloud *p, const char *spec, uint64_t seed, uint64_t n, thr_error *err)
{
    thr_gen *g = thr_gen_new(spec, seed, err);
    int code = g ? thr_cloud_draw(p, g, n, err) : THR_EUSE;
    thr_gen_free(g);
    return code;
}

void thr_cloud_cube(thr_cloud *p, unsigned n, bool (*truth)(unsigned point))
{
    for (unsigned point = 0; point < 1u << n; point++) {
        uint32_t key[32] = {0};
        size_t ones = 0;
        for (unsigned v = 1; v <= n; v++)
            if (point >> (v - 1) & 1)
                key[ones++] = v;
        thr_cloud_add(p, truth(point), key, NULL, ones);
    }
}

size_t thr_cloud_start(const thr_cloud *p, size_t i)
{
    return i ? p->end[i - 1] : 0;
}

double thr_cloud_dot(const thr_cloud *p, size_t i, const double *w)
{
    double sum = 0;
    for (size_t f = thr_cloud_start(p, i); f < p->end[i]; f++)
        sum += w[p->key[f]] * (double)p->x[f];
    return sum;
}

double thr_cloud_length2(const thr_cloud *p, size_t i)
{
    double sum = 0;
    for (size_t f = thr_cloud_start(p, i); f < p->end[i]; f++)
        sum += (double)p->x[f] * (double)p->x[f];
    return sum;
}

bool thr_cloud_teach(const thr_cloud *p, size_t i, thr_student *s)
{
    size_t from = thr_cloud_start(p, i);
    return thr_student_learns(s, p->positive[i], p->key + from, p->x + from, p->end[i] - from);
}

uint64_t thr_cloud_pass(const thr_cloud *p, thr_student *s)
{
    uint64_t mistakes = 0;
    for (size_t i = 0; i < p->n; i++)
        mistakes += thr_cloud_teach(p, i, s);
    return mistakes;
}

unsigned thr_cloud_until_clean(const thr_cloud *p, thr_student *s, unsigned most)
{
    for (unsigned pass = 1; pass <= most && s->code == 0; pass++)
        if (thr_cloud_pass(p, s) == 0)
            return pass;
    return 0;
}

bool thr_cloud_is_wrong(const thr_cloud *p, size_t i, thr_student *s)
{
    size_t from = thr_cloud_start(p, i);
    return thr_student_says(s, p->key + from, p->x + from, p->end[i] - from) != p->positive[i];
}

uint64_t thr_cloud_wrong(const thr_cloud *p, thr_student *s)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < p->n; i++)
        wrong += thr_cloud_is_wrong(p, i, s);
    return wrong;
}
