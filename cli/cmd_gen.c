/* thresh gen: writes seeded random data with a known target function to standard output. */
#include "cli.h"

#include <string.h>

static const cli_option options[] = {
    {'n', "examples", "N", "number of examples (default 1000)"},
    {0, "seed", "SEED", "random seed (default 1)"},
    {'f', "format", "FORMAT", "output format (default svmlight)"},
    {0, "target", NULL, "print only the hidden target"},
    {0, "list", NULL, "list the kinds of data and their options"},
    {0},
};

static void list(void)
{
    thr_entry_info kind;
    thr_option_info o;
    for (size_t i = 0; thr_gen_at(i, &kind); i++) {
        printf("%-15s%s\n", kind.name, kind.help);
        for (size_t k = 0; thr_gen_option_at(i, k, &o); k++)
            printf("    %-11s%s [%s]\n", o.name, o.help, o.fallback);
    }
}

static int run(const cli_args *a)
{
    thr_error err = {0};
    double n, seed;
    if (cli_has(a, "list")) {
        list();
        return 0;
    }
    if (a->n_rest != 1)
        return cli_usage_error("gen needs a kind: thresh gen KIND[:key=value,...]; see gen --list");
    if (!cli_number(a, "examples", 1000, 0, 9e15, &n) || !cli_number(a, "seed", 1, 0, 9e15, &seed))
        return EXIT_USAGE;
    thr_gen *g = thr_gen_new(a->rest[0], (uint64_t)seed, &err);
    if (!g)
        return cli_fail(&err);
    int code = 0;
    if (cli_has(a, "target"))
        puts(thr_gen_target(g));
    else
        code = thr_gen_write(g, (uint64_t)n, cli_get(a, "format", "svmlight"), cli_put_bytes,
                             stdout, &err);
    thr_gen_free(g);
    if (code && ferror(stdout))
        return EXIT_BAD;
    return code ? cli_fail(&err) : 0;
}

static const cli_option *const lists[] = {options, cli_common_options, NULL};

const cli_command cli_gen = {
    .name = "gen",
    .usage = "KIND[:key=value,...] [-n N] [--seed SEED]",
    .help = "generate data with a known target function",
    .options = lists,
    .run = run,
};
