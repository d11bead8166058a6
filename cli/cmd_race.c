/* thresh race: runs several learners side by side in one pass over the data, each as if it were
 * alone, and compares their mistakes. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_NAME 10 /* names up to this length head the columns of the course */

static const cli_option options[] = {
    {'l', "learner", "SPEC", "learner, repeatable; key=a|b tries both (default: all linear ones)"},
    {0, "cache", "FILE", "cache of the parsed data: read if it is up to date, else written"},
    {0, "html", "FILE", "write an HTML page with the learning curves to this file"},
    {0},
};

/* ---- output ------------------------------------------------------------------------------- */

/* The error after 1, 2, 4, 8, ... examples, a column for each learner, the best first. If a name is
 * too long, all columns are headed by the place in the ranking instead. */
static void print_course(const thr_contest *c)
{
    thr_entrant e;
    bool names = true, numbers = thr_contest_numbers(c);
    for (size_t i = 0; thr_contest_at(c, i, &e); i++)
        names &= strlen(e.learner) <= SHORT_NAME;
    int width = names ? SHORT_NAME : numbers ? 8 : 6;
    printf("%s so far\n%10s", numbers ? "mean squared error" : "error%", "examples");
    for (size_t k = 0; k < thr_contest_size(c); k++) {
        thr_contest_at(c, thr_contest_ranked(c, k), &e);
        if (names)
            printf("  %*s", width, e.learner);
        else
            printf("  %*zu.", width - 1, k + 1);
    }
    for (size_t at = 0; at < thr_contest_checkpoints(c); at++) {
        uint64_t examples = thr_contest_checkpoint(c, at);
        printf("\n%10llu", (unsigned long long)examples);
        for (size_t k = 0; k < thr_contest_size(c); k++) {
            double error = thr_contest_error_at(c, at, thr_contest_ranked(c, k));
            printf(numbers ? "  %*.4g" : "  %*.2f", width, numbers ? error : 100 * error);
        }
    }
    puts("\n");
}

static void print(const thr_contest *c)
{
    print_course(c);
    cli_print_ranking(c, thr_contest_size(c), stdout);
    if (thr_contest_size(c) > 1 && thr_contest_numbers(c))
        puts("\np: sign test against the best learner, on the same examples. nearer: number of "
             "examples on\n"
             "which this learner : the best was nearer to the truth. squared: mean squared error.\n"
             "+-: standard error");
    else if (thr_contest_size(c) > 1)
        puts("\np: McNemar's test against the best learner, on the same examples. alone right: "
             "number of\n"
             "examples that only this learner : only the best got right. +-: standard error");
}

static void print_json(const thr_contest *c, double seconds)
{
    cli_json j;
    thr_reading reading;
    bool numbers = thr_contest_numbers(c);
    thr_contest_reading(c, &reading);
    cli_json_open(&j, stdout);
    cli_json_string(&j, "format", reading.formats);
    cli_json_integer(&j, "examples", thr_contest_examples(c));
    cli_json_ranking(&j, c);
    cli_json_begin(&j, "checkpoints", '[');
    for (size_t at = 0; at < thr_contest_checkpoints(c); at++) {
        cli_json_begin(&j, NULL, '{');
        cli_json_integer(&j, "examples", thr_contest_checkpoint(c, at));
        cli_json_begin(&j, numbers ? "mse" : "mistakes", '[');
        for (size_t k = 0; k < thr_contest_size(c); k++) {
            size_t i = thr_contest_ranked(c, k);
            cli_json_real(&j, NULL,
                          numbers ? thr_contest_error_at(c, at, i)
                                  : (double)thr_contest_mistakes_at(c, at, i));
        }
        cli_json_end(&j, ']');
        cli_json_end(&j, '}');
    }
    cli_json_end(&j, ']');
    cli_json_real(&j, "seconds", seconds);
    cli_json_integer(&j, "skipped", reading.skipped);
    cli_json_integer(&j, "bad_utf8", reading.bad_utf8);
    cli_json_integer(&j, "nul_bytes", reading.nul_bytes);
    cli_json_close(&j);
}

/* ---- the race ----------------------------------------------------------------------------- */

static int race(const cli_args *a, const thr_settings *s, const thr_grid *g, thr_input *in)
{
    thr_error err;
    thr_reading reading;
    cli_progress progress;
    cli_output page;
    const char *html = cli_get(a, "html", NULL);
    cli_progress_start(&progress, a, "race");
    progress.no_rate = true;
    int unfinished = -1;
    thr_race_options o = {.progress = cli_progress_show,
                          .user = &progress,
                          .on_temporary = cli_on_temporary,
                          .temporary_user = &unfinished};
    int status = cli_cache(a, &o.cache);
    if (status)
        return status;
    thr_contest *c = thr_race(s, thr_grid_specs(g), thr_grid_size(g), in, &o, &err);
    cli_progress_end(&progress);
    if (!c)
        return cli_fail(&err);
    thr_contest_reading(c, &reading);
    cli_reading_warnings(a, &reading);
    cli_warn_of_skipped(a, c);
    if (html && (status = cli_output_open(&page, html)) == 0) {
        status = cli_race_page(a, c, page.to) ? 0 : cli_no_memory();
        status = cli_output_close(&page, status);
    }
    if (status == 0 && cli_has(a, "json"))
        print_json(c, cli_seconds() - progress.started);
    else if (status == 0 && !cli_has(a, "quiet"))
        print(c);
    thr_contest_free(c);
    return status;
}

/* The learners: each -l, with alternatives such as C=1|2 expanded. */
static thr_grid *contestants(const cli_args *a, int *status)
{
    thr_error err;
    size_t n;
    const char **specs = cli_all(a, "learner", &n);
    thr_grid *g = thr_grid_new();
    *status = specs && g ? 0 : cli_no_memory();
    for (size_t i = 0; i < n && *status == 0; i++)
        *status = thr_grid_add(g, specs[i], &err) ? cli_fail(&err) : 0;
    free(specs);
    if (*status == 0)
        return g;
    thr_grid_free(g);
    return NULL;
}

static int run(const cli_args *a)
{
    if (a->n_rest == 0)
        return cli_usage_error("race needs data: thresh race -l A -l B FILE... (- is stdin)");
    int status = cli_may_write_page(a, cli_get(a, "html", NULL));
    thr_grid *g = status ? NULL : contestants(a, &status);
    thr_settings *s = g ? cli_settings_but_learner(a, &status) : NULL;
    thr_input *in = s ? cli_input(a, a->rest, a->n_rest, &status) : NULL;
    if (in)
        status = race(a, s, g, in);
    thr_input_free(in);
    thr_settings_free(s);
    thr_grid_free(g);
    return status;
}

static const cli_option *const lists[] = {options,          cli_reading_options, cli_limit_options,
                                          cli_json_options, cli_common_options,  NULL};

static const struct cli_without without[] = {
    {"members", "learners are named by -l, once for each"},
    {"max-features", "the learners would share the limit, so each would not run as if alone"},
    {0},
};

const cli_command cli_race = {
    .name = "race",
    .usage = "[-l LEARNER]... [--html FILE] [OPTIONS] DATA...",
    .help = "compare learners on the same examples in one pass",
    .options = lists,
    .settings = CLI_MODEL,
    .without = without,
    .run = run,
};
