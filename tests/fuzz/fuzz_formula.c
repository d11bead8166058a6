/* Any text as a formula, with variables that may be added, that are given, and that the text itself
 * lists: nothing crashes, a refusal has a place inside the text, a formula holds where all of its
 * literals do, and what is printed reads back as the same. */
#include "concepts/formula.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Parses; false if the text is refused. The caller clears f. */
static bool parse(thr_formula *f, const char *text, thr_variables *v, bool open)
{
    thr_error err = {0};
    int code = thr_formula_parse(f, text, v, open, &err);
    if (code)
        require(err.message[0] && err.column >= 1 && err.column <= strlen(text) + 1);
    for (size_t i = 0; i < f->n && !code; i++)
        require(f->literal[i] / 2 < v->n);
    return code == 0;
}

/* Where all literals hold, and where none does. */
static void check_meaning(thr_concept c, const thr_variables *v)
{
    bool *x = calloc((size_t)v->n + 1, sizeof *x);
    require(x);
    for (uint32_t i = 0; i < c.n; i++)
        x[c.literal[i] / 2] = !(c.literal[i] & 1);
    require(thr_concept_holds(c, x) == (c.need <= c.n));
    for (uint32_t i = 0; i < c.n; i++)
        x[c.literal[i] / 2] = c.literal[i] & 1;
    require(thr_concept_holds(c, x) == (c.need == 0));
    free(x);
}

/* Prints the concept, reads it back, and prints it again. */
static void check_round_trip(thr_concept c, thr_variables *v)
{
    thr_formula f;
    thr_bytes first = {0}, again = {0}, few = {0};
    require(thr_concept_print(c, v, SIZE_MAX, &first) && parse(&f, first.p, v, false));
    thr_concept read = thr_formula_concept(&f), other = read;
    require(thr_concept_same(c, read) && thr_concept_print(read, v, SIZE_MAX, &again));
    require(strcmp(first.p, again.p) == 0);
    other.need++;
    require(!thr_concept_same(c, other));
    require(thr_concept_print(c, v, 1, &few));
    thr_formula_clear(&f);
    thr_bytes_clear(&first);
    thr_bytes_clear(&again);
    thr_bytes_clear(&few);
}

static void check_formula(const char *text, thr_variables *v, bool open)
{
    thr_formula f;
    if (parse(&f, text, v, open)) {
        check_meaning(thr_formula_concept(&f), v);
        check_round_trip(thr_formula_concept(&f), v);
    }
    thr_formula_clear(&f);
}

/* The text as a list of variables; then each of its names is a formula. */
static void check_list(const char *text)
{
    thr_error err = {0};
    thr_variables v = {0};
    int code = thr_variables_list(&v, text, &err);
    require(code == 0 || (code == THR_EUSE && err.message[0]));
    for (uint32_t i = 0; i < v.n; i++)
        require(thr_variables_find(&v, thr_str_of(v.name[i])) == i);
    if (code == 0)
        check_round_trip((thr_concept){(uint32_t[]){2 * (v.n - 1) + 1}, 1, 1}, &v);
    check_formula(text, &v, false);
    thr_variables_clear(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    thr_error err = {0};
    thr_variables open = {0}, given = {0};
    char *text = strndup((const char *)data, size);
    require(text && thr_variables_number(&given, 3, &err) == 0);
    check_formula(text, &open, true);
    check_formula(text, &given, false);
    require(given.n == 3);
    check_list(text);
    free(text);
    thr_variables_clear(&open);
    thr_variables_clear(&given);
    return 0;
}
