/* Specifications of learners from one specification with alternatives, for a search.
 *
 *   pa:C=0.1|1|10,averaged=on|off     all six combinations, the last option changing fastest
 *   pa:C=0.001..100                   drawn at random: log-uniform if both ends are positive and
 *                                     more than a factor of 10 apart, else uniform; rounded to four
 *                                     digits
 *
 * Each option is a digit of a number with mixed radix, the radix being its number of values.
 * The grid counts that number up; a draw picks each digit at random. */
#include "base/error.h"
#include "base/mathx.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/random.h"
#include "multiclass/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SPECS 4096
#define TRIES      64 /* draws for each specification wanted, since some repeat earlier ones */
#define LOG_RATIO  10 /* from this ratio of its ends on a range is drawn log-uniformly */

struct thr_grid {
    char **spec;
    size_t n, room;
};

/* One option: the text before its values, and the values. All slices point into the
 * specification. */
typedef struct place {
    thr_str key;                   /* `C=`; the whole text if it has no `=` */
    const thr_option_info *option; /* NULL: the learner has no such option */
    thr_str values;                /* `0.1|1|10`; .p is NULL without `=` */
    size_t n;                      /* number of values, at least 1 */
} place;

/* A specification with alternatives. */
typedef struct pattern {
    thr_str name; /* of the learner, with its colon */
    const thr_learner *learner;
    place place[2 * THR_MAX_OPTIONS]; /* an option may be given twice */
    size_t n;
} pattern;

thr_grid *thr_grid_new(void)
{
    return calloc(1, sizeof(thr_grid));
}

void thr_grid_free(thr_grid *g)
{
    for (size_t i = 0; g && i < g->n; i++)
        free(g->spec[i]);
    free(g ? g->spec : NULL);
    free(g);
}

size_t thr_grid_size(const thr_grid *g)
{
    return g->n;
}

const char *const *thr_grid_specs(const thr_grid *g)
{
    return (const char *const *)g->spec;
}

/* ---- reading ------------------------------------------------------------------------------ */

static thr_str value_at(const place *p, size_t i)
{
    const char *at = p->values.p, *limit = at + p->values.n;
    for (; i > 0; i--)
        at = (const char *)memchr(at, '|', (size_t)(limit - at)) + 1;
    const char *end = memchr(at, '|', (size_t)(limit - at));
    return (thr_str){at, (size_t)((end ? end : limit) - at)};
}

/* Reads `key=value|value`, n bytes. Mistakes in it are not reported here: keep() checks every
 * specification that is made from it. */
static void read_place(const thr_learner *l, const char *p, size_t n, place *out)
{
    const char *equals = memchr(p, '=', n);
    size_t key = equals ? (size_t)(equals - p) : n;
    *out = (place){.key = {p, n}, .n = 1};
    for (const thr_option_info *o = l->options; o->name && !out->option; o++)
        if (strlen(o->name) == key && memcmp(o->name, p, key) == 0)
            out->option = o;
    if (!equals)
        return;
    out->key.n = key + 1;
    out->values = (thr_str){equals + 1, n - key - 1};
    for (size_t i = 0; i < out->values.n; i++)
        out->n += out->values.p[i] == '|';
}

static int read_pattern(const char *spec, pattern *out, thr_error *err)
{
    size_t name = strcspn(spec, ":");
    thr_rule rule;
    *out = (pattern){.name = {spec, name + (spec[name] == ':')},
                     .learner = thr_learner_find(spec, name)};
    if (!out->learner) /* fails, with a message about the unknown learner */
        return thr_rule_init(&rule, spec, NULL, err);
    const char *at = spec + out->name.n;
    while (*at) {
        size_t n = strcspn(at, ",");
        if (out->n == sizeof out->place / sizeof *out->place)
            return thr_fail(err, THR_EUSE, "%s: too many options", out->learner->name);
        read_place(out->learner, at, n, &out->place[out->n++]);
        at += n + (at[n] == ',');
    }
    return 0;
}

/* ---- ranges ------------------------------------------------------------------------------- */

typedef struct range {
    double low, high;
} range;

/* The offset of `..` in a value; its length if there is none. */
static size_t dots(thr_str v)
{
    size_t at = 0;
    while (at + 1 < v.n && (v.p[at] != '.' || v.p[at + 1] != '.'))
        at++;
    return at + 1 < v.n ? at : v.n;
}

static bool is_range(thr_str v)
{
    return dots(v) < v.n;
}

static int read_range(const thr_learner *l, const thr_option_info *o, thr_str v, range *out,
                      thr_error *err)
{
    const char *end[2], *middle = v.p + dots(v), *limit = v.p + v.n;
    bool number = o && (o->type == THR_REAL || o->type == THR_INT);
    bool ok = number && thr_parse_double(v.p, middle, &end[0], &out->low) == THR_NUMBER_OK &&
              end[0] == middle &&
              thr_parse_double(middle + 2, limit, &end[1], &out->high) == THR_NUMBER_OK &&
              end[1] == limit && out->low <= out->high && isfinite(out->high - out->low);
    if (!ok)
        return thr_fail(err, THR_EUSE, "%s: '%.*s' is not a range LOW..HIGH of a number", l->name,
                        (int)(v.n < 64 ? v.n : 64), v.p);
    if (out->low < o->min || out->high > o->max)
        return thr_fail(err, THR_EUSE, "%s: %s=%.*s is out of range: it goes from %g to %g",
                        l->name, o->name, (int)(v.n < 64 ? v.n : 64), v.p, o->min, o->max);
    return 0;
}

static double draw_between(double low, double high, thr_random *r)
{
    double u = thr_random_real(r);
    if (low > 0 && high / low > LOG_RATIO)
        return thr_exp(thr_log(low) + u * (thr_log(high) - thr_log(low)));
    return low + u * (high - low);
}

/* A number in the range; every integer is equally likely in a uniform range of integers. A real is
 * rounded to four significant digits, which is precise enough for an option, but not out of the
 * range. It is made by parsing `DDDDeN`, so that it is exactly the number that a user gets who
 * copies it to a command line. */
static double draw_number(const thr_option_info *o, const range *at, thr_random *r)
{
    if (o->type == THR_INT) {
        double x = floor(draw_between(ceil(at->low), floor(at->high) + 1, r));
        return fmin(fmax(x, ceil(at->low)), floor(at->high));
    }
    char text[32];
    const char *end;
    double x = draw_between(at->low, at->high, r), rounded = x;
    int exponent = 0;
    for (; fabs(x) >= 1e4; exponent++)
        x /= 10;
    for (; x != 0 && fabs(x) < 1e3; exponent--)
        x *= 10;
    int n = snprintf(text, sizeof text, "%lde%d", lround(x), exponent);
    if (thr_parse_double(text, text + n, &end, &rounded) != THR_NUMBER_OK)
        rounded = x;
    return fmin(fmax(rounded, at->low), at->high);
}

/* ---- making specs ------------------------------------------------------------------------- */

/* Adds a specification to the grid, if it is not there yet, and takes over its memory. Fails if
 * no rule can be made from it. */
static int keep(thr_grid *g, thr_bytes *spec, thr_error *err)
{
    thr_rule rule;
    int code = spec->p ? thr_rule_init(&rule, spec->p, NULL, err) : thr_fail_memory(err);
    if (code == 0)
        thr_rule_clear(&rule);
    bool known = false;
    for (size_t i = 0; i < g->n && code == 0 && !known; i++)
        known = strcmp(g->spec[i], spec->p) == 0;
    if (code == 0 && !known && g->n == MOST_SPECS)
        code = thr_fail(err, THR_EUSE, "more than %d combinations", MOST_SPECS);
    if (code == 0 && !known && !thr_grow(&g->spec, &g->room, g->n + 1, sizeof *g->spec))
        code = thr_fail_memory(err);
    if (code || known)
        thr_bytes_clear(spec);
    else
        g->spec[g->n++] = spec->p;
    return code;
}

static bool put(thr_bytes *to, thr_str text)
{
    return thr_bytes_add(to, text.p, text.n);
}

static bool put_place(thr_bytes *to, const place *p, bool first, thr_str value)
{
    return (first || thr_bytes_add(to, ",", 1)) && put(to, p->key) && put(to, value);
}

/* Appends the specification with value choice[i] of option i. Ranges can only be drawn from. */
static int put_chosen(const pattern *of, const size_t *choice, thr_bytes *out, thr_error *err)
{
    bool ok = put(out, of->name);
    for (size_t i = 0; i < of->n && ok; i++) {
        const place *p = &of->place[i];
        thr_str value = p->values.p ? value_at(p, choice[i]) : (thr_str){"", 0};
        if (is_range(value))
            return thr_fail(err, THR_EUSE, "%s: %.*s%.*s is a range, to draw from: --random N",
                            of->learner->name, (int)p->key.n, p->key.p,
                            (int)(value.n < 64 ? value.n : 64), value.p);
        ok = put_place(out, p, i == 0, value);
    }
    return ok ? 0 : thr_fail_memory(err);
}

/* Counts up, the last digit first; false after the last combination. */
static bool next_choice(const pattern *p, size_t *choice)
{
    for (size_t i = p->n; i-- > 0;) {
        if (++choice[i] < p->place[i].n)
            return true;
        choice[i] = 0;
    }
    return false;
}

int thr_grid_add(thr_grid *g, const char *spec, thr_error *err)
{
    pattern p;
    size_t choice[2 * THR_MAX_OPTIONS] = {0};
    int code = read_pattern(spec, &p, err);
    if (code)
        return code;
    do {
        thr_bytes made = {0};
        code = put_chosen(&p, choice, &made, err);
        if (code == 0)
            code = keep(g, &made, err);
        else
            thr_bytes_clear(&made);
    } while (code == 0 && next_choice(&p, choice));
    return code;
}

/* Appends a specification with a random value of each option. */
static int put_drawn(const pattern *of, thr_random *r, thr_bytes *out, thr_error *err)
{
    bool ok = put(out, of->name);
    for (size_t i = 0; i < of->n && ok; i++) {
        const place *p = &of->place[i];
        thr_str value = {"", 0};
        char text[32];
        if (p->values.p)
            value = value_at(p, (size_t)thr_random_below(r, p->n));
        if (is_range(value)) {
            range at;
            int code = read_range(of->learner, p->option, value, &at, err);
            if (code)
                return code;
            value = (thr_str){text, thr_print_double(draw_number(p->option, &at, r), text)};
        }
        ok = put_place(out, p, i == 0, value);
    }
    return ok ? 0 : thr_fail_memory(err);
}

/* The patterns take turns. May add fewer than n, if there are not so many different ones. */
int thr_grid_draw(thr_grid *g, const char *const *specs, size_t n_specs, size_t n, uint64_t seed,
                  thr_error *err)
{
    thr_random r;
    size_t wanted = g->n + n;
    int code = n_specs ? 0 : thr_fail(err, THR_EUSE, "there is nothing to draw from");
    thr_random_init(&r, thr_mix64(seed));
    for (size_t i = 0; code == 0 && g->n < wanted && i < n * TRIES; i++) {
        pattern p;
        thr_bytes made = {0};
        code = read_pattern(specs[i % n_specs], &p, err);
        if (code == 0)
            code = put_drawn(&p, &r, &made, err);
        if (code == 0)
            code = keep(g, &made, err);
        else
            thr_bytes_clear(&made);
    }
    return code;
}
