#include "base/options.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_word(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* "inf" is allowed where the table has no upper limit, "auto" where it lists that word. */
static int read_number(const thr_option_info *o, const char *what, const char *p, size_t n,
                       double *out, thr_error *err)
{
    const char *end;
    if (o->choices && is_word(p, n, "auto")) {
        *out = NAN;
        return 0;
    }
    if (is_word(p, n, "inf") && isinf(o->max)) {
        *out = INFINITY;
        return 0;
    }
    if (thr_parse_double(p, p + n, &end, out) != THR_NUMBER_OK || end != p + n)
        return thr_fail(err, THR_EUSE, "%s: %s=%.*s is not a number", what, o->name, (int)n, p);
    if (*out < o->min || *out > o->max)
        return thr_fail(err, THR_EUSE, "%s: %s=%.*s is out of range: it goes from %g to %g", what,
                        o->name, (int)n, p, o->min, o->max);
    if (o->type == THR_INT && *out != floor(*out))
        return thr_fail(err, THR_EUSE, "%s: %s=%.*s is not a whole number", what, o->name, (int)n,
                        p);
    return 0;
}

int thr_option_read(const thr_option_info *o, const char *what, const char *p, size_t n,
                    double *out, thr_error *err)
{
    if (o->type == THR_CHOICE) { /* the place of the word in "a|b|c" */
        const char *c = o->choices;
        for (int place = 0; *c; place++) {
            size_t length = strcspn(c, "|");
            if (length == n && memcmp(c, p, n) == 0) {
                *out = place;
                return 0;
            }
            c += length + (c[length] == '|');
        }
        return thr_fail(err, THR_EUSE, "%s: %s=%.*s: it is one of %s", what, o->name, (int)n, p,
                        o->choices);
    }
    if (o->type == THR_BOOL) {
        if (is_word(p, n, "on") || is_word(p, n, "true") || is_word(p, n, "1"))
            *out = 1;
        else if (is_word(p, n, "off") || is_word(p, n, "false") || is_word(p, n, "0"))
            *out = 0;
        else
            return thr_fail(err, THR_EUSE, "%s: %s is on or off, not '%.*s'", what, o->name, (int)n,
                            p);
        return 0;
    }
    return read_number(o, what, p, n, out, err);
}

/* One `key=value`; for a switch the key alone means "on". The error for an unknown key lists the
 * keys there are. */
static int read_one(const thr_option_info *options, const char *what, const char *p, size_t n,
                    double *value, thr_error *err)
{
    const char *equals = memchr(p, '=', n);
    size_t key = equals ? (size_t)(equals - p) : n;
    for (size_t i = 0; options[i].name; i++) {
        if (!is_word(p, key, options[i].name))
            continue;
        if (!equals && options[i].type == THR_BOOL) {
            value[i] = 1;
            return 0;
        }
        if (!equals)
            return thr_fail(err, THR_EUSE, "%s: %s needs a value: %s=...", what, options[i].name,
                            options[i].name);
        return thr_option_read(&options[i], what, equals + 1, n - key - 1, &value[i], err);
    }
    char word[65];
    snprintf(word, sizeof word, "%.*s", (int)(key < 64 ? key : 64), p);
    thr_bytes known = {0};
    thr_suggestion near = {0};
    for (size_t i = 0; options[i].name; i++) {
        thr_bytes_printf(&known, "%s%s", i ? ", " : "", options[i].name);
        thr_suggest(&near, word, options[i].name);
    }
    thr_fail(err, THR_EUSE, "%s has no option '%s'%s%s%s %s", what, word,
             near.word ? "; did you mean " : "", near.word ? near.word : "",
             near.word ? "? It has" : "; it has", known.p ? known.p : "none");
    thr_bytes_clear(&known);
    return THR_EUSE;
}

int thr_options_read(const thr_option_info *options, const char *what, const char *spec,
                     double *value, thr_error *err)
{
    while (*spec) {
        size_t n = strcspn(spec, ",");
        int code = read_one(options, what, spec, n, value, err);
        if (code)
            return code;
        spec += n + (spec[n] == ',');
    }
    return 0;
}

int thr_options_parse(const thr_option_info *options, const char *what, const char *spec,
                      double *value, thr_error *err)
{
    int code = 0;
    for (size_t i = 0; options[i].name && code == 0; i++)
        code = thr_option_read(&options[i], what, options[i].fallback, strlen(options[i].fallback),
                               &value[i], err);
    return code ? code : thr_options_read(options, what, spec, value, err);
}

static bool print_value(const thr_option_info *o, double v, thr_bytes *out)
{
    char text[32];
    if (o->type == THR_BOOL)
        return thr_bytes_printf(out, "%s", v != 0 ? "on" : "off");
    if (o->type == THR_CHOICE) {
        const char *c = o->choices;
        for (int i = 0; i < (int)v; i++)
            c += strcspn(c, "|") + 1;
        return thr_bytes_add(out, c, strcspn(c, "|"));
    }
    if (isnan(v))
        return thr_bytes_add(out, "auto", 4);
    if (isinf(v))
        return thr_bytes_add(out, "inf", 3);
    return thr_bytes_add(out, text, thr_print_double(v, text));
}

bool thr_options_print(const thr_option_info *options, const double *value, thr_bytes *out)
{
    bool ok = true;
    for (size_t i = 0; options[i].name; i++)
        ok = ok && thr_bytes_printf(out, "%s%s=", i ? "," : "", options[i].name) &&
             print_value(&options[i], value[i], out);
    return ok;
}
