/* thresh lab: experiments that test the claims of the theory. The first argument is a subcommand,
 * one row of `parts`; protocol and concept have files of their own. */
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
    thr_lab_info x;
    cli_json j;
    if (a->n_rest > 1)
        return cli_usage_error("lab list takes no names: %s", a->rest[1]);
    for (size_t i = 0; thr_lab_at(i, &x); i++) {
        if (!cli_has(a, "json")) {
            printf("%-12s%s\n", x.name, x.claim);
            continue;
        }
        cli_json_open(&j, stdout);
        cli_json_string(&j, "experiment", x.name);
        cli_json_string(&j, "title", x.title);
        cli_json_string(&j, "claim", x.claim);
        cli_json_close(&j);
    }
    return 0;
}

/* ---- run ---------------------------------------------------------------------------------- */

/* The claim that represents the experiment: the first that does not hold, else the first. */
static thr_lab_claim headline(const thr_lab *l)
{
    thr_lab_claim c, first = {0};
    thr_lab_claim_at(l, 0, &first);
    for (size_t i = 0; thr_lab_claim_at(l, i, &c); i++)
        if (!c.holds)
            return c;
    return first;
}

static void json_claims(cli_json *j, const thr_lab *l)
{
    thr_lab_claim c;
    cli_json_begin(j, "claims", '[');
    for (size_t i = 0; thr_lab_claim_at(l, i, &c); i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "claim", c.text);
        cli_json_string(j, "relation", c.relation);
        cli_json_real(j, "bound", c.bound);
        cli_json_real(j, "worst", c.worst);
        cli_json_bool(j, "holds", c.holds);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void json_points(cli_json *j, const char *key, const double *v, size_t n)
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
        for (size_t n = 0; c.categories && (n == 0 || c.categories[n - 1]); n++)
            if (n == 0)
                cli_json_begin(j, "categories", '[');
            else
                cli_json_string(j, NULL, c.categories[n - 1]);
        if (c.categories)
            cli_json_end(j, ']');
        cli_json_begin(j, "series", '[');
        for (size_t k = 0; thr_lab_series_at(l, i, k, &s); k++) {
            cli_json_begin(j, NULL, '{');
            cli_json_string(j, "name", s.name);
            json_points(j, "x", s.x, s.n);
            json_points(j, "y", s.y, s.n);
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
    thr_lab_info x;
    thr_lab_about(l, &x);
    thr_lab_claim c = headline(l);
    cli_json_open(&j, stdout);
    cli_json_string(&j, "experiment", x.name);
    cli_json_string(&j, "claim", c.text ? c.text : x.claim);
    cli_json_string(&j, "relation", c.relation);
    cli_json_real(&j, "bound", c.bound);
    cli_json_real(&j, "worst", c.worst);
    cli_json_bool(&j, "holds", thr_lab_holds(l));
    json_claims(&j, l);
    json_charts(&j, l);
    cli_json_close(&j);
}

static void print(const thr_lab *l)
{
    thr_lab_info x;
    thr_lab_about(l, &x);
    thr_lab_claim c;
    const char *note;
    printf("%s: %s\n", x.name, x.claim);
    for (size_t i = 0; thr_lab_claim_at(l, i, &c); i++)
        printf("  %-5s %.6g %s %.6g  %s\n", c.holds ? "holds" : "FAILS", c.worst, c.relation,
               c.bound, c.text);
    for (size_t i = 0; (note = thr_lab_note(l, i)); i++)
        printf("  %s\n", note);
}

typedef struct teller {
    const cli_args *a;
    FILE *page; /* NULL: print to standard output */
    uint64_t seed;
    bool all_hold;
} teller;

static int tell(void *user, const thr_lab *l)
{
    teller *t = user;
    t->all_hold &= thr_lab_holds(l);
    if (t->page)
        cli_lab_page_add(l, t->seed, t->page);
    else if (cli_has(t->a, "json"))
        print_json(l);
    else
        print(l);
    return 0;
}

/* The experiments named after the subcommand; all if there are none or the first is `all`. An array
 * to be freed; NULL: out of memory. */
static const char **chosen(const cli_args *a, size_t *n)
{
    thr_lab_info x;
    size_t all = 0;
    while (thr_lab_at(all, &x))
        all++;
    const char **names = calloc(all + a->n_rest, sizeof *names);
    bool every = a->n_rest < 2 || strcmp(a->rest[1], "all") == 0;
    *n = 0;
    for (size_t i = 0; names && every && thr_lab_at(i, &x); i++)
        names[(*n)++] = x.name;
    for (size_t i = 1; names && !every && i < a->n_rest; i++)
        names[(*n)++] = a->rest[i];
    return names;
}

static int check_name(const char *name)
{
    thr_lab_info x;
    cli_near near = {0};
    for (size_t i = 0; thr_lab_at(i, &x); i++) {
        if (strcmp(x.name, name) == 0)
            return 0;
        cli_nearest(&near, name, x.name);
    }
    return near.word
               ? cli_usage_error("there is no experiment '%s'; did you mean %s?", name, near.word)
               : cli_usage_error("there is no experiment '%s'; see thresh lab list", name);
}

static int perform(teller *t, const char **names, size_t n)
{
    thr_error err;
    cli_progress progress;
    double seed, threads;
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = check_name(names[i]);
    if (status || !cli_number(t->a, "seed", 1, 0, 9e15, &seed) ||
        !cli_number(t->a, "threads", 0, 0, 64, &threads))
        return EXIT_USAGE;
    t->seed = (uint64_t)seed;
    cli_progress_start(&progress, t->a, "lab");
    progress.share_only = true;
    thr_lab_options o = {t->seed, (unsigned)threads, cli_progress_show, &progress};
    int code = thr_lab_run(names, n, &o, tell, t, &err);
    cli_progress_end(&progress);
    return code ? cli_fail(&err) : t->all_hold ? 0 : EXIT_BAD;
}

static int run_some(const cli_args *a)
{
    size_t n;
    if (a->n_rest < 2)
        return cli_usage_error("lab run needs an experiment, or all; see thresh lab list");
    if (cli_has(a, "output"))
        return cli_usage_error("lab run prints to standard output; use lab report to write a page");
    teller t = {.a = a, .all_hold = true};
    const char **names = chosen(a, &n);
    int status = names ? perform(&t, names, n) : cli_usage_error("out of memory");
    free(names);
    return status;
}

/* ---- report ------------------------------------------------------------------------------- */

static int report(const cli_args *a)
{
    size_t n;
    cli_output o;
    const char *path = cli_get(a, "output", NULL);
    if (!path)
        return cli_usage_error("lab report needs a file to write: thresh lab report -o FILE");
    int status = cli_may_write_page(a, path);
    const char **names = status ? NULL : chosen(a, &n);
    if (!names || (status = cli_output_open(&o, path)))
        return status ? status : cli_usage_error("out of memory");
    teller t = {.a = a, .page = o.to, .all_hold = true};
    cli_lab_page_begin(a, o.to);
    status = perform(&t, names, n);
    cli_page_end(o.to);
    free(names);
    /* A claim that does not hold is a result too: the page is kept, and the exit status is 1. */
    bool told = status == 0 || (status == EXIT_BAD && !t.all_hold);
    int written = cli_output_close(&o, told ? 0 : status);
    return written ? written : status;
}

/* ---- the command -------------------------------------------------------------------------- */

static const cli_lab_part parts[] = {
    {"list", "", "list the experiments and their claims", list, ""},
    {"run", "NAME...|all", "run experiments; exit status 1 if a claim does not hold", run_some,
     "output threads"},
    {"report", "[NAME...] -o FILE", "run experiments and write an HTML page with figures", report,
     "output threads"},
    {"protocol", "ask|teach|nature", "learn a hidden formula in one of three ways",
     cli_lab_protocol, "n k target disjunction negated runs limit show"},
    {"concept", "--class CLASS DATA...", "learn a concept from a finite class", cli_lab_concept,
     "learner class variables top *"},
    {0},
};

/* Whether the name is one of the words, which are separated by blanks. */
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

/* All subcommands share one table of options. Refuses options that this subcommand does not take;
 * the options for reading data are allowed if it reads data ("*" in `takes`). */
static int check_options(const cli_args *a, const cli_lab_part *p)
{
    for (size_t i = 0; i < a->n_given; i++) {
        const char *name = a->given[i].name;
        bool own = false;
        for (const cli_option *o = options; o->name; o++)
            own |= strcmp(o->name, name) == 0 && strcmp(name, "seed") != 0;
        bool every = is_among(name, "seed json quiet help"), reads = is_among("*", p->takes);
        if (!every && !is_among(name, p->takes) && (own || !reads))
            return cli_usage_error("lab %s has no option --%s", p->name, name);
    }
    return 0;
}

static int run(const cli_args *a)
{
    cli_near near = {0};
    for (const cli_lab_part *p = parts; p->name && a->n_rest; p++) {
        if (strcmp(p->name, a->rest[0]) == 0)
            return check_options(a, p) ? EXIT_USAGE : p->run(a);
        cli_nearest(&near, a->rest[0], p->name);
    }
    if (near.word)
        return cli_usage_error("lab has no '%s'; did you mean lab %s?", a->rest[0], near.word);
    fputs("thresh: lab needs one of\n", stderr);
    for (const cli_lab_part *p = parts; p->name; p++) {
        char left[64];
        snprintf(left, sizeof left, "lab %s %s", p->name, p->usage);
        fprintf(stderr, "  thresh %-32s  %s\n", left, p->help);
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
