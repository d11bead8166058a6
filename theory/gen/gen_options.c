/* Reads a spec `kind:key=value,...` into a kind and its options. */
#include "base/error.h"
#include "base/options.h"
#include "gen/gen.h"

#include <math.h>
#include <string.h>

/* The most that one kind may have. */
#define MAX_OPTIONS 16

static const thr_gen_kind *find_kind(const char *name, size_t n, thr_error *err)
{
    thr_bytes known = {0};
    const thr_gen_kind *const *k = thr_gen_kinds;
    for (; *k; k++) {
        if (strlen((*k)->name) == n && memcmp((*k)->name, name, n) == 0)
            break;
        thr_bytes_printf(&known, "%s%s", known.n ? ", " : "", (*k)->name);
    }
    if (!*k)
        thr_fail(err, THR_EUSE, "there is no generator '%.*s'; there are %s",
                 (int)(n < 64 ? n : 64), name, known.p ? known.p : "none");
    thr_bytes_clear(&known);
    return *k;
}

/* "auto" is parsed as NaN and stored as 0 in a whole number and as -1 in a real number: values that
 * a spec cannot give. */
int thr_gen_read_spec(const char *spec, const thr_gen_kind **kind, thr_gen_values *values,
                      thr_error *err)
{
    size_t n = strcspn(spec, ":");
    *kind = find_kind(spec, n, err);
    if (!*kind)
        return THR_EUSE;
    thr_option_info table[MAX_OPTIONS + 1] = {{0}};
    double v[MAX_OPTIONS];
    for (size_t i = 0; i < (*kind)->n_options && i < MAX_OPTIONS; i++)
        table[i] = (*kind)->option[i].info;
    int code = thr_options_parse(table, (*kind)->name, spec + n + (spec[n] == ':'), v, err);
    *values = (thr_gen_values){0};
    for (size_t i = 0; i < (*kind)->n_options && !code; i++) {
        void *field = (char *)values + (*kind)->option[i].field;
        if (table[i].type == THR_BOOL)
            *(bool *)field = v[i] != 0;
        else if (table[i].type == THR_INT)
            *(uint64_t *)field = isnan(v[i]) ? 0 : (uint64_t)v[i];
        else
            *(double *)field = isnan(v[i]) ? -1 : v[i];
    }
    return code;
}
