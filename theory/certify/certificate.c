/* The text of a certificate, its fingerprint of the data, and claims on the safe side. */
#include "certify/certificate.h"

#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 10 /* significant digits of a claim */
#define SLACK                                                                                      \
    2e-9 /* relative; by which a claim is weakened: more than its last digit and all rounding */

/* ---- small things ------------------------------------------------------------------------- */

const char *thr_certificate_setting(size_t i)
{
    static const char *const name[] = {"tokens",      "symbols", "fold",   "normalize", "ngrams",
                                       "char-ngrams", "skip",    "values", "unit",      "negate",
                                       "conjoin",     "cross",   "format", "columns"};
    return i < sizeof name / sizeof *name ? name[i] : NULL;
}

int thr_certificate_unit(const thr_settings *s)
{
    const char *unit = thr_settings_get(s, "unit");
    bool textbook = strcmp(thr_settings_get(s, "textbook"), "on") == 0;
    return strcmp(unit, "on") == 0 ? 1 : strcmp(unit, "off") == 0 || textbook ? 0 : -1;
}

bool thr_certificate_is_scaled(const thr_data *d, size_t example, int unit)
{
    thr_data_example x;
    return unit == 1 || (unit == -1 && thr_data_example_at(d, example, &x) && x.text);
}

/* Hashes features by their names, so that the fingerprint does not depend on their ids. The bias,
 * feature 0, has no name. */
uint64_t thr_certificate_fingerprint(const thr_data *data)
{
    thr_data_arrays d;
    thr_data_arrays_of(data, &d);
    uint64_t *hash = malloc((d.features + 1) * sizeof *hash), all = 1;
    if (!hash)
        return 0;
    hash[0] = 0;
    for (size_t id = 1; id < d.features; id++) {
        thr_data_feature f;
        thr_data_feature_at(data, id, &f);
        hash[id] = thr_hash(f.name, f.name_size, thr_hash(f.ns, f.ns_size, 1));
    }
    for (size_t e = 0; e < d.examples; e++) {
        thr_data_example x;
        thr_data_example_at(data, e, &x);
        all = thr_hash(x.label, x.label_size, all + x.text);
        for (size_t i = d.start[e]; i < d.start[e + 1]; i++) {
            float value = d.value ? d.value[i] : 1;
            all = thr_hash(&value, sizeof value, all ^ hash[d.feature[i]]);
        }
    }
    free(hash);
    return all | 1; /* never 0, which means out of memory */
}

void thr_certificate_claim(double value, bool up, char *out)
{
    double safe = value * (up ? 1 + SLACK : 1 - SLACK);
    int before = safe > 0 ? (int)floor(log10(safe)) + 1 : 1;
    int decimals = DIGITS - before;
    snprintf(out, 64, "%.*f", decimals < 1 ? 1 : decimals > 40 ? 40 : decimals, safe);
}

/* ---- parts -------------------------------------------------------------------------------- */

/* Writes as %XX the bytes that would end a word or a name, and control characters. */
static bool put_escaped(thr_bytes *out, thr_str s)
{
    bool ok = true;
    for (size_t i = 0; i < s.n && ok; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c <= ' ' || c == '%' || c == '|' || c == 0x7f)
            ok = thr_bytes_printf(out, "%%%02x", c);
        else
            ok = thr_bytes_add(out, &s.p[i], 1);
    }
    return ok;
}

/* A feature is written as `namespace|name`; the bias, which has no name, as `%`. */
static bool put_separator(const thr_certified *d, const double *w, thr_bytes *out)
{
    uint32_t functions = thr_points_functions(d->points);
    size_t dims = thr_points_dims(d->points), n = 0;
    for (size_t i = 0; i < dims; i++)
        n += w[i] != 0;
    bool ok = thr_bytes_printf(out, "%zu\n", n);
    for (size_t i = 0; i < dims && ok; i++) {
        thr_data_feature f;
        if (w[i] == 0)
            continue;
        ok = thr_bytes_printf(out, "w %zu ", i % functions);
        if (i < functions)
            ok = ok && thr_bytes_add(out, "%", 1);
        else
            ok = ok && thr_data_feature_at(d->data, i / functions, &f) &&
                 put_escaped(out, (thr_str){f.ns, f.ns_size}) && thr_bytes_add(out, "|", 1) &&
                 put_escaped(out, (thr_str){f.name, f.name_size});
        ok = ok && thr_bytes_printf(out, " %.0f\n", w[i]);
    }
    return ok;
}

static bool put_proof(const thr_certified *d, const thr_proof *p, thr_bytes *out)
{
    static const char *const about[] = {"gamma", "g", "none"};
    const thr_combination *z = p->combination;
    char claim[64] = "0";
    if (p->about != THR_PROVED_NONE)
        thr_certificate_claim(p->claim, !p->w, claim);
    bool ok = thr_bytes_printf(out, "%s %s %s ", p->w ? "separator" : "combination",
                               about[p->about], claim);
    if (p->w)
        return ok && put_separator(d, p->w, out);
    ok = ok && thr_bytes_printf(out, "%zu\n", z->n);
    for (size_t i = 0; ok && i < z->n; i++)
        ok = thr_bytes_printf(out, "p %zu %u %s\n", thr_points_example(d->points, z->point[i]) + 1,
                              thr_points_other(d->points, z->point[i]), z->coefficient[i]);
    return ok;
}

/* The head (format, settings, data and labels), the proofs, and a hash of all this. */
bool thr_certificate_write(const thr_certified *d, const thr_proof *proof, size_t n, thr_bytes *out)
{
    size_t from = out->n;
    const char *name;
    thr_data_arrays at;
    thr_data_arrays_of(d->data, &at);
    bool ok = thr_bytes_printf(out, "%s\n", THR_CERTIFICATE_FIRST);
    for (size_t i = 0; ok && (name = thr_certificate_setting(i)); i++) {
        const char *value = thr_settings_get(d->settings, name);
        bool later = strcmp(name, "negate") == 0; /* earlier versions do not know it */
        ok = (later && !*value) || thr_bytes_printf(out, "set %s %s\n", name, value);
    }
    uint64_t mark = thr_certificate_fingerprint(d->data);
    ok = ok && mark &&
         thr_bytes_printf(out, "data %zu %u %u %016llx\n", at.examples, d->points->features - 1,
                          d->points->labels, (unsigned long long)mark);
    for (uint32_t l = 0; l < d->points->labels && ok; l++)
        ok = thr_bytes_add(out, "label ", 6) && put_escaped(out, thr_str_of(d->label[l])) &&
             thr_bytes_add(out, "\n", 1);
    for (size_t i = 0; i < n && ok; i++)
        ok = put_proof(d, &proof[i], out);
    return ok && thr_bytes_printf(out, "end %016llx\n",
                                  (unsigned long long)thr_hash(out->p + from, out->n - from, 0));
}
