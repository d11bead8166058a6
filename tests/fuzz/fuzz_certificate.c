/* Any bytes as a certificate, as they are and with a last line that fits, against data that can be
 * separated and data that cannot: nothing crashes, a refusal has a place inside the file, and
 * nothing false is proved. */
#include "base/hash.h"
#include "thresh_theory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The and of two variables has gamma 1/sqrt(17) and g 1/7. */
static void check(const thr_checked *k, bool separable)
{
    require(separable ? !k->inseparable : !k->separable);
    require(!(k->gamma_low > 0.2426) && !(k->g_low > 0.1429));
    require(!separable || (!(k->gamma_high < 0.2425) && !(k->g_high < 0.1428)));
}

static void verify(const char *text, size_t size, const char *examples, bool separable)
{
    thr_error err = {0};
    thr_checked k;
    thr_input *in = thr_input_new();
    require(in && thr_input_add_memory(in, examples, strlen(examples), "data", NULL) == 0);
    thr_input_set_threads(in, 1);
    int code = thr_certificate_verify(text, size, "certificate", in, NULL, NULL, &k, &err);
    if (code == 0)
        check(&k, separable);
    else
        require(err.message[0] && (code != THR_EDATA || err.line <= size + 1));
    thr_input_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char and[] = "-1 3:1\n-1 1:1\n-1 2:1\n1 1:1 2:1\n";
    static const char xor [] = "-1\n1 1:1\n1 2:1\n-1 1:1 2:1\n";
    char end[32];
    char *copy = calloc(size + sizeof end, 1);
    require(copy);
    if (size)
        memcpy(copy, data, size);
    snprintf(end, sizeof end, "end %016llx\n", (unsigned long long)thr_hash(copy, size, 0));
    memcpy(copy + size, end, strlen(end));
    for (int fits = 0; fits < 2; fits++) {
        verify(copy, size + (fits ? strlen(end) : 0), and, true);
        verify(copy, size + (fits ? strlen(end) : 0), xor, false);
    }
    free(copy);
    return 0;
}
