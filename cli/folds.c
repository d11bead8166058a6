/* The options that define the folds of cross-validation, shared by cv and tune. The number of
 * folds K is not among them: each command has its own -k, called `folds` here. */
#include "cli.h"

#include <string.h>

const cli_option cli_fold_options[] = {
    {0, "seed", "SEED", "random seed (default 0)"},
    {0, "by-position", NULL, "put example i into fold i mod K instead of a random fold"},
    {0, "by-tag", "N", "one fold for each distinct value of the first N bytes of the tag or id"},
    {0},
};

int cli_fold_plan(const cli_args *a, size_t folds, thr_fold_plan *out)
{
    /* Seeds up to 9e15 < 2^53 are whole numbers that a double holds exactly. tag_bytes 0, which
     * cannot be given, means that --by-tag was not. */
    double seed, tag_bytes;
    if (!cli_number(a, "seed", 0, 0, 9e15, &seed) ||
        !cli_number(a, "by-tag", 0, 1, 1e6, &tag_bytes))
        return EXIT_USAGE;
    *out = (thr_fold_plan){.folds = folds,
                           .seed = (uint64_t)seed,
                           .by_position = cli_has(a, "by-position"),
                           .tag_bytes = (size_t)tag_bytes};
    if (out->by_position && out->tag_bytes)
        return cli_usage_error("--by-position and --by-tag exclude each other");
    if (out->tag_bytes && cli_has(a, "folds"))
        return cli_usage_error("with --by-tag the tags say how many folds there are: leave -k out");
    return 0;
}
