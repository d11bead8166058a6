/* Any text as a formula, with variables that may be added and with variables that are given:
 * nothing crashes, a refusal has a place inside the text, and what is printed reads back as the
 * same. */
#include "concepts/formula.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The formula as it is printed; NULL if it is refused. The caller frees it. */
static char *printed(const char *text, thr_variables *v, bool open)
{
    thr_error err = {0};
    thr_formula f;
    thr_bytes out = {0};
    int code = thr_formula_parse(&f, text, v, open, &err);
    if (code)
        require(err.message[0] && err.column >= 1 && err.column <= strlen(text) + 1);
    else {
        for (size_t i = 0; i < f.n; i++)
            require(f.literal[i] / 2 < v->n);
        require(thr_concept_print(thr_formula_concept(&f), v, SIZE_MAX, &out));
    }
    thr_formula_clear(&f);
    return out.p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    thr_error err = {0};
    thr_variables open = {0}, given = {0};
    char *text = strndup((const char *)data, size);
    require(text && thr_variables_number(&given, 3, &err) == 0);
    char *first = printed(text, &open, true), *second = first ? printed(first, &open, false) : NULL;
    require(!first || (second && strcmp(first, second) == 0));
    free(printed(text, &given, false));
    require(given.n == 3);
    free(first);
    free(second);
    free(text);
    thr_variables_clear(&open);
    thr_variables_clear(&given);
    return 0;
}
