/* thresh lab: experiments that test the claims of the theory. The first argument is a
 * subcommand, one row of the table `subcommands`. list, run and report are in this file,
 * protocol and concept in lab_protocol.c and lab_concept.c. In a->rest the subcommand is at 0
 * and the names of experiments follow. */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {'o', "output", "FILE", "report: the HTML page to write"},
    {0, "seed", "SEED", "random seed (default 1)"},
    {0, "n", "N", "protocol: number of variables (default 20, or as in the target)"},
    {0, "k", "K", "protocol: number of literals in the hidden formula (default 3)"},
    {0, "target", "FORMULA", "protocol: the hidden formula, such as 'x2 & x3' or 'x1 | !x4'"},
    {0, "disjunction", NULL, "protocol: hide a disjunction instead of a conjunction"},
    {0, "negated", NULL, "protocol: allow negated literals"},
    {0, "runs", "R", "protocol: number of games, with consecutive seeds (default 1)"},
    {0, "limit", "N", "protocol nature: maximum number of examples (default 100000)"},
    {0, "show", NULL, "protocol: print every question and example"},
    {'l', "learner", "NAME", "concept: consistent, halving (default) or eliminate"},
    {0, "class", "CLASS", "concept: conjunctions, disjunctions, thresholds[:OPTIONS], file=PATH"},
    {0, "variables", "LIST", "concept: the variables, as a,b,c (default: those of the data)"},
    {0, "top", "K", "concept: number of remaining concepts to print (default 10)"},
    {0},
};

/* ---- list --------------------------------------------------------------------------------- */

static int list(const cli_args *a)
{
    thr_lab_info info;
    cli_json j;
    if (a->n_rest > 1)
        return cli_usage_error("lab list takes no names: %s", a->rest[1]);
    for (size_t i = 0; thr_lab_at(i, &info); i++) {
        if (!cli_has(a, "json")) {
            printf("%-12s%s\n", info.name, info.claim);
            continue;
        }
        cli_json_open(&j, stdout);
        cli_json_string(&j, "experiment", info.name);
        cli_json_string(&j, "title", info.title);
        cli_json_string(&j, "claim", info.claim);
        cli_json_close(&j);
    }
    return 0;
}

/* ---- run ---------------------------------------------------------------------------------- */

/* The claim that stands for the whole experiment: the first that does not hold, else the first.
 * All fields are zero if the experiment makes no claims. */
static thr_lab_claim headline(const thr_lab *l)
{
    thr_lab_claim c, first = {0};
    thr_lab_claim_at(l, 0, &first);
    for (size_t i = 0; thr_lab_claim_at(l, i, &c); i++)
        if (!c.holds)
            return c;
    return first;
}

static void json_numbers(cli_json *j, const char *key, const double *v, size_t n)
{
    cli_json_begin(j, key, '[');
    for (size_t i = 0; i < n; i++)
        cli_json_real(j, NULL, v[i]);
    cli_json_end(j, ']');
}

static void json_charts(cli_json *j, const thr_lab *l)
{
    thr_lab_chart c;
    thr_series s;
    cli_json_begin(j, "charts", '[');
    for (size_t i = 0; thr_lab_chart_at(l, i, &c); i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "title", c.title);
        cli_json_string(j, "x", c.x);
        cli_json_string(j, "y", c.y);
        if (c.categories) {
            cli_json_begin(j, "categories", '[');
            for (const char *const *name = c.categories; *name; name++)
                cli_json_string(j, NULL, *name);
            cli_json_end(j, ']');
        }
        cli_json_begin(j, "series", '[');
        for (size_t k = 0; thr_lab_series_at(l, i, k, &s); k++) {
            cli_json_begin(j, NULL, '{');
            cli_json_string(j, "name", s.name);
            json_numbers(j, "x", s.x, s.n);
            json_numbers(j, "y", s.y, s.n);
            cli_json_end(j, '}');
        }
        cli_json_end(j, ']');
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void print_json(const thr_lab *l)
{
    cli_json j;
    thr_lab_info info;
    thr_lab_about(l, &info);
    thr_lab_claim c = headline(l);
    cli_json_open(&j, stdout);
    cli_json_string(&j, "experiment", info.name);
    cli_json_string(&j, "claim", c.text ? c.text : info.claim);
    cli_json_string(&j, "relation", c.relation);
    cli_json_real(&j, "bound", c.bound);
    cli_json_real(&j, "worst", c.worst);
    cli_json_bool(&j, "holds", thr_lab_holds(l));
    cli_json_begin(&j, "claims", '[');
    for (size_t i = 0; thr_lab_claim_at(l, i, &c); i++) {
        cli_json_begin(&j, NULL, '{');
        cli_json_string(&j, "claim", c.text);
        cli_json_string(&j, "relation", c.relation);
        cli_json_real(&j, "bound", c.bound);
        cli_json_real(&j, "worst", c.worst);
        cli_json_bool(&j, "holds", c.holds);
        cli_json_end(&j, '}');
    }
    cli_json_end(&j, ']');
    json_charts(&j, l);
    cli_json_close(&j);
}

/* c.worst is the measured value that comes nearest to breaking the claim, or breaks it. */
static void print_text(const thr_lab *l)
{
    thr_lab_info info;
    thr_lab_about(l, &info);
    thr_lab_claim c;
    const char *note;
    printf("%s: %s\n", info.name, info.claim);
    for (size_t i = 0; thr_lab_claim_at(l, i, &c); i++)
        printf("  %-5s %.6g %s %.6g  %s\n", c.holds ? "holds" : "FAILS", c.worst, c.relation,
               c.bound, c.text);
    for (size_t i = 0; (note = thr_lab_note(l, i)); i++)
        printf("  %s\n", note);
}

/* Where and how the results of experiments are reported. */
typedef struct reporter {
    const cli_args *args;
    FILE *page; /* the HTML page; NULL: print to standard output, as text or JSON */
    uint64_t seed;
    bool all_hold; /* true at first, false after a claim that does not hold */
    bool complete; /* all were run and reported */
} reporter;

/* Called by thr_lab_run after each experiment, with the reporter as `user`. */
static int report_one(void *user, const thr_lab *l)
{
    reporter *t = user;
    t->all_hold &= thr_lab_holds(l);
    if (t->page && !cli_lab_page_add(l, t->seed, t->page))
        return THR_EMEM;
    if (t->page)
        return 0;
    if (cli_has(t->args, "json"))
        print_json(l);
    else
        print_text(l);
    return 0;
}

/* The names of the experiments given after the subcommand, not checked yet; the names of all
 * experiments if none is given or the first is `all`. The caller frees the array, but not the
 * names in it. NULL: out of memory. */
static const char **chosen_names(const cli_args *a, size_t *n)
{
    thr_lab_info info;
    size_t experiments = 0;
    while (thr_lab_at(experiments, &info))
        experiments++;
    const char **names = calloc(experiments + a->n_rest, sizeof *names); /* enough either way */
    bool all = a->n_rest < 2 || strcmp(a->rest[1], "all") == 0;
    *n = 0;
    for (size_t i = 0; names && all && thr_lab_at(i, &info); i++)
        names[(*n)++] = info.name;
    for (size_t i = 1; names && !all && i < a->n_rest; i++)
        names[(*n)++] = a->rest[i];
    return names;
}

/* EXIT_USAGE and a message if there is no experiment of this name. */
static int check_name(const char *name)
{
    thr_lab_info info;
    thr_suggestion near = {0};
    for (size_t i = 0; thr_lab_at(i, &info); i++) {
        if (strcmp(info.name, name) == 0)
            return 0;
        thr_suggest(&near, name, info.name);
    }
    return near.word
               ? cli_usage_error("there is no experiment '%s'; did you mean %s?", name, near.word)
               : cli_usage_error("there is no experiment '%s'; see thresh lab list", name);
}

/* Checks names and options, runs the experiments and reports each. EXIT_BAD if a claim does not
 * hold. */
static int perform(reporter *t, const char **names, size_t n)
{
    thr_error err = {.code = THR_EMEM, .message = "out of memory"}; /* if report_one stops it */
    cli_progress progress;
    double seed, threads; /* threads 0: one per core */
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = check_name(names[i]);
    if (status || !cli_number(t->args, "seed", 1, 0, 9e15, &seed) ||
        !cli_number(t->args, "threads", 0, 0, 64, &threads))
        return EXIT_USAGE;
    t->seed = (uint64_t)seed;
    cli_progress_start(&progress, t->args, "lab");
    progress.share_only = true;
    thr_lab_options o = {t->seed, (unsigned)threads, cli_progress_show, &progress};
    int code = thr_lab_run(names, n, &o, report_one, t, &err);
    cli_progress_end(&progress);
    t->complete = code == 0;
    return code ? cli_fail(&err) : t->all_hold ? 0 : EXIT_BAD;
}

static int run_experiments(const cli_args *a)
{
    size_t n;
    if (a->n_rest < 2)
        return cli_usage_error("lab run needs an experiment, or all; see thresh lab list");
    if (cli_has(a, "output"))
        return cli_usage_error("lab run prints to standard output; use lab report to write a page");
    reporter t = {.args = a, .all_hold = true};
    const char **names = chosen_names(a, &n);
    int status = names ? perform(&t, names, n) : cli_no_memory();
    free(names);
    return status;
}

/* ---- report ------------------------------------------------------------------------------- */

/* The page replaces FILE only when it is complete. */
static int write_report(const cli_args *a)
{
    size_t n;
    cli_output o;
    const char *path = cli_get(a, "output", NULL);
    if (!path)
        return cli_usage_error("lab report needs a file to write: thresh lab report -o FILE");
    int status = cli_may_write_page(a, path);
    if (status)
        return status;
    const char **names = chosen_names(a, &n);
    status = names ? cli_output_open(&o, path) : cli_no_memory();
    if (status) {
        free(names);
        return status;
    }
    reporter t = {.args = a, .page = o.to, .all_hold = true};
    cli_lab_page_begin(a, o.to);
    status = perform(&t, names, n);
    cli_page_end(o.to);
    free(names);
    /* A claim that does not hold is a result too: the page is kept, and the exit status is 1. */
    int written = cli_output_close(&o, t.complete ? 0 : status);
    return written ? written : status;
}

/* ---- the command -------------------------------------------------------------------------- */

/* `run` takes --output only to say that `report` is meant. */
static const cli_lab_subcommand subcommands[] = {
    {"list", "", "list the experiments and their claims", list, ""},
    {"run", "NAME...|all", "run experiments; exit status 1 if a claim does not hold",
     run_experiments, "output threads"},
    {"report", "[NAME...] -o FILE", "run experiments and write an HTML page with figures",
     write_report, "output threads"},
    {"protocol", "ask|teach|nature", "learn a hidden formula in one of three ways",
     cli_lab_protocol, "n k target disjunction negated runs limit show"},
    {"concept", "--class CLASS DATA...", "learn a concept from a finite class", cli_lab_concept,
     "learner class variables top *"},
    {0},
};

/* Whether `name` is one of `words`, a list separated by blanks. */
static bool is_among(const char *name, const char *words)
{
    size_t n = strlen(name);
    for (const char *w = words; w && *w; w += strspn(w, " ")) {
        if (strcspn(w, " ") == n && memcmp(w, name, n) == 0)
            return true;
        w += strcspn(w, " ");
    }
    return false;
}

/* The parser accepts every option of lab for every subcommand; this refuses those that
 * subcommand p does not take. Options of all commands that read data, such as --format, are not
 * in the table `options`; p takes all of them if "*" is in p->takes. */
static int check_options(const cli_args *a, const cli_lab_subcommand *p)
{
    for (size_t i = 0; i < a->n_given; i++) {
        const char *name = a->given[i].name;
        bool only_lab = false; /* an option in the table above */
        for (const cli_option *o = options; o->name; o++)
            only_lab |= strcmp(o->name, name) == 0;
        bool common = is_among(name, "seed json quiet help"), reads = is_among("*", p->takes);
        if (!common && !is_among(name, p->takes) && (only_lab || !reads))
            return cli_usage_error("lab %s has no option --%s", p->name, name);
    }
    return 0;
}

static int run(const cli_args *a)
{
    thr_suggestion near = {0};
    for (const cli_lab_subcommand *p = subcommands; p->name && a->n_rest; p++) {
        if (strcmp(p->name, a->rest[0]) == 0)
            return check_options(a, p) ? EXIT_USAGE : p->run(a);
        thr_suggest(&near, a->rest[0], p->name);
    }
    if (near.word)
        return cli_usage_error("lab has no '%s'; did you mean lab %s?", a->rest[0], near.word);
    fputs("thresh: lab needs one of\n", stderr);
    for (const cli_lab_subcommand *p = subcommands; p->name; p++) {
        char usage[64];
        snprintf(usage, sizeof usage, "lab %s %s", p->name, p->usage);
        fprintf(stderr, "  thresh %-32s  %s\n", usage, p->help);
    }
    return EXIT_USAGE;
}

static const cli_option *const lists[] = {options, cli_reading_options, cli_json_options,
                                          cli_common_options, NULL};

const cli_command cli_lab = {
    .name = "lab",
    .usage = "list | run NAME...|all | report -o FILE | protocol ... | concept ...",
    .help = "test the claims of the theory in experiments",
    .options = lists,
    .settings = CLI_FEATURES,
    .run = run,
};
