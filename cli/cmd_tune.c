/* thresh tune: tries many option values of a learner, judges each candidate by one pass or by
 * cross-validation, and prints the command that trains the best. */
#include "cli.h"

#include <stdlib.h>

static const cli_option options[] = {
    {'l', "learner", "SPEC",
     "NAME:key=a|b|c,... to try, repeatable; with --random also key=LOW..HIGH"},
    {0, "random", "N", "try N random candidates (default: every combination)"},
    {'k', "folds", "K", "judge by K-fold cross-validation (default: by the errors of one pass)"},
    {'m', "model", "FILE", "train the winner on all data and write the model to this file"},
    {'p', "passes", "N", "passes for the winner, and with -k for every candidate (default 1)"},
    {0, "until-clean", NULL,
     "repeat until the weights make no mistake, at most -p passes (default 1000)"},
    {0, "shuffle", "[SEED]", "seed of the random order in which examples are visited (default 0)"},
    {0, "in-order", NULL, "visit the examples in the order of the input"},
    {0, "top", "N", "number of candidates to print (default 20)"},
    {0},
};

typedef struct job {
    const cli_args *a;
    thr_tune_options o;
    size_t top; /* rows to print */
    thr_grid *grid;
    thr_settings *settings;
    thr_input *in;
    thr_contest *c; /* the results */
    double seconds;
} job;

static int read_plan(job *j)
{
    const cli_args *a = j->a;
    double folds, threads, top;
    if (!cli_number(a, "folds", 10, 2, 1e6, &folds) ||
        !cli_number(a, "threads", 0, 1, 64, &threads) || !cli_number(a, "top", 20, 1, 1e6, &top))
        return EXIT_USAGE;
    j->top = (size_t)top;
    j->o.threads = (unsigned)threads;
    j->o.by_folds = cli_has(a, "folds") || cli_has(a, "by-tag");
    if (!j->o.by_folds && cli_has(a, "by-position"))
        return cli_usage_error("--by-position needs to know how many folds: -k K");
    bool trains = cli_has(a, "passes") || cli_has(a, "until-clean");
    if (!j->o.by_folds && trains && !cli_has(a, "model"))
        return cli_usage_error(
            "candidates are judged by one pass; more passes need -k K or -m FILE");
    int status = cli_fold_plan(a, (size_t)folds, &j->o.plan);
    return status ? status : cli_passes(a, &j->o.train);
}

static int make_candidates(job *j)
{
    thr_error err;
    size_t n;
    double draws;
    if (!cli_number(j->a, "random", 0, 1, 4096, &draws))
        return EXIT_USAGE;
    const char **specs = cli_all(j->a, "learner", &n);
    j->grid = thr_grid_new();
    int code = 0, status = specs && j->grid ? 0 : cli_no_memory();
    if (status == 0 && n == 0)
        status = cli_usage_error("tune needs a learner: -l 'pa:C=0.01|0.1|1'");
    if (status == 0 && draws > 0)
        code = thr_grid_draw(j->grid, specs, n, (size_t)draws, j->o.plan.seed, &err);
    for (size_t i = 0; i < n && status == 0 && draws == 0 && code == 0; i++)
        code = thr_grid_add(j->grid, specs[i], &err);
    free(specs);
    return code ? cli_fail(&err) : status;
}

static int search(job *j)
{
    thr_error err;
    thr_reading reading;
    cli_progress progress;
    cli_progress_start(&progress, j->a, "tune");
    progress.no_rate = true;
    j->o.train.progress = cli_progress_show;
    j->o.train.user = &progress;
    j->c =
        thr_tune(j->settings, thr_grid_specs(j->grid), thr_grid_size(j->grid), j->in, &j->o, &err);
    cli_progress_end(&progress);
    j->seconds = cli_seconds() - progress.started;
    if (!j->c)
        return cli_fail(&err);
    thr_contest_reading(j->c, &reading);
    cli_reading_warnings(j->a, &reading);
    cli_warn_of_skipped(j->a, j->c);
    return 0;
}

static int train_winner(const job *j)
{
    thr_error err;
    const char *path = cli_get(j->a, "model", NULL);
    if (!path)
        return 0;
    cli_progress progress;
    cli_progress_start(&progress, j->a, "train");
    thr_train_options o = j->o.train;
    o.shuffle = !o.in_order; /* as the candidates were judged */
    o.user = &progress;
    progress.passes = o.passes;
    thr_model *m = thr_contest_train(j->c, thr_contest_ranked(j->c, 0), &o, NULL, &err);
    cli_progress_end(&progress);
    int status = m ? cli_save_model(m, path, false) : cli_fail(&err);
    thr_model_free(m);
    return status;
}

/* ---- output ------------------------------------------------------------------------------- */

static const char *winner(const job *j)
{
    thr_entrant e = {0};
    thr_contest_at(j->c, thr_contest_ranked(j->c, 0), &e);
    return e.learner;
}

/* The command that trains the winner in the order in which it was judged. */
static char *train_command(const job *j)
{
    bool shuffled = !j->o.train.shuffle && !j->o.train.in_order;
    return cli_command_line(j->a, &cli_train, winner(j), shuffled ? "--shuffle 0" : NULL);
}

static int print(const job *j)
{
    size_t n = thr_contest_size(j->c);
    uint64_t examples = thr_contest_examples(j->c);
    printf("%zu candidate%s on %llu example%s, judged by ", n, cli_s(n),
           (unsigned long long)examples, cli_s(examples));
    if (j->o.by_folds)
        puts("cross-validation\n");
    else
        puts(thr_contest_numbers(j->c) ? "the squared errors of one pass\n"
                                       : "the mistakes of one pass\n");
    cli_print_ranking(j->c, j->top, stdout);
    char *command = train_command(j);
    if (!command)
        return cli_no_memory();
    printf("\n%s\n", command);
    free(command);
    return 0;
}

static int print_json(const job *j)
{
    cli_json out;
    thr_reading reading;
    char *command = train_command(j);
    if (!command)
        return cli_no_memory();
    thr_contest_reading(j->c, &reading);
    cli_json_open(&out, stdout);
    cli_json_string(&out, "learner", winner(j));
    cli_json_string(&out, "command", command);
    cli_json_string(&out, "format", reading.formats);
    cli_json_integer(&out, "examples", thr_contest_examples(j->c));
    cli_json_string(&out, "judged_by", j->o.by_folds ? "folds" : "one pass");
    cli_json_ranking(&out, j->c);
    cli_json_real(&out, "seconds", j->seconds);
    cli_json_integer(&out, "skipped", reading.skipped);
    cli_json_integer(&out, "bad_utf8", reading.bad_utf8);
    cli_json_integer(&out, "nul_bytes", reading.nul_bytes);
    cli_json_close(&out);
    free(command);
    return 0;
}

static int run(const cli_args *a)
{
    if (a->n_rest == 0)
        return cli_usage_error("tune needs data: thresh tune -l SPEC FILE... (- is stdin)");
    job j = {.a = a};
    int status = cli_may_write_model(a, cli_get(a, "model", NULL));
    if (status == 0)
        status = read_plan(&j);
    if (status == 0)
        status = make_candidates(&j);
    if (status == 0)
        j.settings = cli_settings_but_learner(a, &status);
    if (status == 0)
        j.in = cli_input(a, a->rest, a->n_rest, &status);
    if (status == 0)
        status = search(&j);
    if (status == 0)
        status = train_winner(&j);
    if (status == 0 && cli_has(a, "json"))
        status = print_json(&j);
    else if (status == 0 && !cli_has(a, "quiet"))
        status = print(&j);
    thr_contest_free(j.c);
    thr_input_free(j.in);
    thr_settings_free(j.settings);
    thr_grid_free(j.grid);
    return status;
}

static const cli_option *const lists[] = {options,
                                          cli_fold_options,
                                          cli_reading_options,
                                          cli_limit_options,
                                          cli_json_options,
                                          cli_common_options,
                                          NULL};

static const struct cli_without without[] = {
    {"max-features", "it works on a stream read in order, but tune keeps all examples in memory"},
    {0},
};

const cli_command cli_tune = {
    .name = "tune",
    .usage = "-l SPEC... [--random N] [-k FOLDS] [-m MODEL] [OPTIONS] DATA...",
    .help = "search for the best options of a learner",
    .options = lists,
    .settings = CLI_MODEL,
    .without = without,
    .run = run,
};
