/* thresh lint: reports every problem in the data with line and column; exit status 1 if any. */
#include "cli.h"

static void print_problem(void *user, const thr_error *problem)
{
    char text[2048];
    (void)user;
    thr_error_text(problem, text, sizeof text);
    cli_put_clean(text, stdout);
    putchar('\n');
}

static void json_problem(void *user, const thr_error *problem)
{
    cli_json j;
    (void)user;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "file", problem->file);
    cli_json_integer(&j, "line", problem->line);
    cli_json_integer(&j, "column", problem->column);
    cli_json_string(&j, "message", problem->message);
    cli_json_close(&j);
}

static void print_json(const thr_lint_report *r)
{
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "format", r->formats);
    cli_json_integer(&j, "examples", r->examples);
    cli_json_integer(&j, "problems", r->problems);
    cli_json_integer(&j, "labels", r->labels);
    cli_json_integer(&j, "features", r->features);
    cli_json_integer(&j, "empty", r->empty);
    cli_json_integer(&j, "repeated", r->repeated);
    cli_json_integer(&j, "bad_utf8", r->bad_utf8);
    cli_json_integer(&j, "nul_bytes", r->nul_bytes);
    cli_json_close(&j);
}

static void print(const thr_lint_report *r)
{
    printf("%llu problem%s; %llu good example%s as %s, %llu label%s, %llu feature%s\n",
           (unsigned long long)r->problems, cli_s(r->problems), (unsigned long long)r->examples,
           cli_s(r->examples), r->formats[0] ? r->formats : "nothing",
           (unsigned long long)r->labels, cli_s(r->labels), (unsigned long long)r->features,
           cli_s(r->features));
    if (r->empty)
        printf("%llu example%s no features\n", (unsigned long long)r->empty,
               r->empty == 1 ? " has" : "s have");
    if (r->repeated)
        printf("%llu example%s a feature more than once (the values are added)\n",
               (unsigned long long)r->repeated, r->repeated == 1 ? " names" : "s name");
    if (r->bad_utf8)
        printf("%llu byte%s of text %s not UTF-8\n", (unsigned long long)r->bad_utf8,
               cli_s(r->bad_utf8), r->bad_utf8 == 1 ? "is" : "are");
    if (r->nul_bytes)
        printf("%llu byte%s of text %s NUL\n", (unsigned long long)r->nul_bytes,
               cli_s(r->nul_bytes), r->nul_bytes == 1 ? "is" : "are");
}

static int run(const cli_args *a)
{
    int status;
    thr_error err;
    thr_lint_report report;
    if (a->n_rest == 0)
        return cli_usage_error("lint needs data: thresh lint FILE... (- is stdin)");
    thr_input *in = cli_input(a, a->rest, a->n_rest, &status);
    if (!in)
        return status;
    bool json = cli_has(a, "json");
    int code = thr_lint(in, json ? json_problem : print_problem, NULL, &report, &err);
    thr_input_free(in);
    if (code)
        return cli_fail(&err);
    if (json)
        print_json(&report);
    else if (!cli_has(a, "quiet"))
        print(&report);
    return report.problems ? EXIT_BAD : 0;
}

static const cli_option *const lists[] = {cli_label_options,   cli_sets_options,
                                          cli_reading_options, cli_json_options,
                                          cli_common_options,  NULL};

const cli_command cli_lint = {
    .name = "lint",
    .usage = "[OPTIONS] DATA...",
    .help = "report every problem in a data file, with line and column",
    .options = lists,
    .run = run,
};
