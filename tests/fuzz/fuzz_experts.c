/* Any bytes as a table of experts, with each loss: nothing crashes, a refusal has a place inside
 * the table, and what is read has finite losses within the bounds. */
#include "thresh_theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check(const thr_experts *e)
{
    thr_experts_result r;
    size_t parts;
    double best = thr_experts_best(e, 0, NULL), rounds = (double)thr_experts_rounds(e);
    require(rounds >= 1 && best >= 0 && best <= rounds);
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
        require(r.holds && isfinite(r.loss) && r.loss >= 0 && r.loss <= rounds * (1 + 1e-9));
    require(thr_experts_best(e, 3, &parts) <= best && parts >= 1 && parts <= 4);
}

static void read_as(const char *loss, const void *bytes, size_t size)
{
    thr_error err = {0};
    thr_experts_options o;
    thr_experts_defaults(&o);
    o.loss = loss;
    thr_input *in = thr_input_new();
    require(in && thr_input_add_memory(in, bytes, size, "table", NULL) == 0);
    thr_experts *e = thr_experts_read(in, NULL, &o, NULL, NULL, &err);
    if (e)
        check(e);
    else
        require(err.code < 0 && err.message[0] && strcmp(err.file, "table") == 0 &&
                err.line <= size + 1 && err.column <= size + 1);
    thr_experts_free(e);
    thr_input_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const losses[] = {"label", "absolute", "square", "given"};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        read_as(losses[i], data, size);
    return 0;
}
