/* Any bytes as a certificate, as they are and with a last line that fits, against data that can be
 * separated and data that cannot, with two labels, three or one, whole numbers, fractions or text:
 * nothing crashes, a refusal has a place inside the file, and
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

/* Data, and what is proved about its margins: no certificate may claim a lower end above the upper
 * one, or the reverse. */
typedef struct known {
    const char *data; /* how the certificate's line about it begins */
    const char *examples;
    bool separable;
    double gamma_low, gamma_high, g_low, g_high;
} known;

static const known sets[] = {
    /* the and of two variables: gamma is 1/sqrt(17), g is 1/7 */
    {"data 4 3 ", "-1 3:1\n-1 1:1\n-1 2:1\n1 1:1 2:1\n", true, 0.2425, 0.2426, 0.1428, 0.1429},
    {"data 4 2 ", "-1\n1 1:1\n1 2:1\n-1 1:1 2:1\n", false, 0, 0, 0, 0},
    {"data 4 3 ", "1 1:1\n2 2:1\n3 3:1\n1 1:1 2:0.5\n", true, 0.632, 0.635, 0.2857, 0.2858},
    {"data 4 2 ", "1 1:0.5 2:0.25\n-1 1:-0.75\n1 2:1.5\n-1 1:-0.125 2:-3\n", true, 0.6252, 0.62521,
     0.4576, 0.4577},
    {"data 3 6 ", "spam\tbuy cheap pills\nham\tthe red fox\nspam\tcheap fox\n", true, 0.4554, 0.456,
     0.2499, 0.2501},
    {"data 3 3 ", "spam\tbuy cheap\nham\tcheap buy\nspam\tfox\n", false, 0, 0, 0, 0},
    {"data 1 1 ", "1 1:1\n", true, 1.4142, 1.4143, 0.9999, 1.0001},
};

/* The margins are those of examples that are scaled as the settings have it by default. */
static void check(const thr_checked *k, const known *d, bool default_scale)
{
    require(d->separable ? !k->inseparable : !k->separable);
    require(d->separable || (!(k->gamma_low > 0) && !(k->g_low > 0)));
    if (!d->separable || !default_scale)
        return;
    require(!(k->gamma_low > d->gamma_high) && !(k->g_low > d->g_high));
    require(!(k->gamma_high < d->gamma_low) && !(k->g_high < d->g_low));
}

static void verify(const char *text, size_t size, const known *d)
{
    thr_error err = {0};
    thr_checked k;
    thr_input *in = thr_input_new();
    bool scaled = memmem(text, size, "unit on", 7) || memmem(text, size, "unit off", 8);
    require(in && thr_input_add_memory(in, d->examples, strlen(d->examples), "data", NULL) == 0);
    thr_input_set_threads(in, 1);
    int code = thr_certificate_verify(text, size, "certificate", in, NULL, NULL, &k, &err);
    if (code == 0)
        check(&k, d, !scaled);
    else
        require(err.message[0] && (code != THR_EDATA || err.line <= size + 1));
    thr_input_free(in);
}

/* Against the data that the text seems to be about, and against some other. */
static void verify_all(const char *text, size_t size)
{
    size_t n = sizeof sets / sizeof *sets, other = (size_t)(thr_hash(text, size, 1) % n);
    for (size_t i = 0; i < n; i++)
        if (i == other || memmem(text, size, sets[i].data, strlen(sets[i].data)))
            verify(text, size, &sets[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char end[32];
    char *copy = calloc(size + sizeof end, 1);
    require(copy);
    if (size)
        memcpy(copy, data, size);
    snprintf(end, sizeof end, "end %016llx\n", (unsigned long long)thr_hash(copy, size, 0));
    memcpy(copy + size, end, strlen(end));
    verify_all(copy, size);
    verify_all(copy, size + strlen(end));
    free(copy);
    return 0;
}
