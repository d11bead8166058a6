/* thresh experts: prediction with expert advice. Reads a table of what experts predicted and what
 * was true, and compares the loss of each algorithm with the best expert, with the best sequence of
 * experts, and with its bound. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_EXPERTS 10

static const cli_option options[] = {
    {0, "truth", "COLUMN", "column of the truth, by name or number (default: the last column)"},
    {0, "experts", "LIST", "columns of the experts, separated by commas (default: all others)"},
    {0, "header", "MODE", "whether the first line holds names: auto (default), yes or no"},
    {0, "loss", "LOSS", "label (default), absolute, square, or given: the cells hold losses"},
    {'a', "algorithm", "LIST",
     "any of majority,random,hedge,share (default: all that fit the loss)"},
    {0, "beta", "B", "factor on a weight after a mistake (default 0.5; square: e^-0.5)"},
    {0, "eta", "RATE", "learning rate, beta = e^-RATE; auto: random and hedge choose their own"},
    {0, "share", "A", "fraction of its weight an expert shares each round (default 0.01)"},
    {'k', "switches", "K", "compare with expert sequences of up to K switches (default 3)"},
    {0, "seed", "SEED", "random seed for the algorithm random (default 1)"},
    {0, "curve", "FILE", "write the losses after 1, 2, 4, 8, ... rounds to this file, as CSV"},
    {0, "max-line", "BYTES", "longest line allowed, in bytes (default 67108864)"},
    {0},
};

/* ---- options ------------------------------------------------------------------------------ */

static int read_options(const cli_args *a, thr_experts_options *o)
{
    double switches, seed, beta;
    const char *eta = cli_get(a, "eta", NULL);
    thr_experts_defaults(o);
    o->algorithms = cli_get(a, "algorithm", NULL);
    o->loss = cli_get(a, "loss", NULL);
    if (!cli_real(a, "share", o->share, 1e-12, 0.999999, &o->share) ||
        !cli_number(a, "switches", o->switches, 0, 100, &switches) ||
        !cli_number(a, "seed", 1, 0, 9e15, &seed))
        return EXIT_USAGE;
    o->switches = (unsigned)switches;
    o->seed = (uint64_t)seed;
    if (eta && cli_has(a, "beta"))
        return cli_usage_error("--beta B means --eta RATE with B = e^-RATE: give one of them");
    o->adapt = eta && strcmp(eta, "auto") == 0;
    if (!cli_real(a, "beta", 0.5, 1e-40, 0.999999, &beta) ||
        (eta && !o->adapt && !cli_real(a, "eta", 0, 1e-6, 100, &o->eta)))
        return EXIT_USAGE;
    if (cli_has(a, "beta"))
        o->eta = -log(beta);
    return 0;
}

/* ---- the curve ---------------------------------------------------------------------------- */

typedef struct curve {
    FILE *to; /* NULL: --curve was not given */
    unsigned switches;
    uint64_t written; /* the round of the last line written; 0: none yet */
} curve;

/* The line with the names of the columns is written before the first one. */
static void curve_line(curve *c, const thr_experts *e)
{
    thr_experts_result r;
    if (!c->written) {
        fprintf(c->to, "round,best_expert,best_sequence");
        for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
            fprintf(c->to, ",%s_%s", r.algorithm, r.form);
        fputc('\n', c->to);
    }
    c->written = thr_experts_rounds(e);
    fprintf(c->to, "%llu,%.9g,%.9g", (unsigned long long)c->written, thr_experts_best(e, 0, NULL),
            thr_experts_best(e, c->switches, NULL));
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
        fprintf(c->to, ",%.9g", r.loss);
    fputc('\n', c->to);
}

/* Called after each round: writes a line when their number is a power of two. */
static int after_round(void *user, const thr_experts *e)
{
    curve *c = user;
    uint64_t round = thr_experts_rounds(e);
    if (c->to && (round & (round - 1)) == 0)
        curve_line(c, e);
    return 0;
}

/* ---- text output -------------------------------------------------------------------------- */

static const char *loss_name(const thr_experts_options *o)
{
    return !o->loss || strcmp(o->loss, "label") == 0 ? "mistakes" : "loss";
}

static int digits(double v)
{
    return v == floor(v) ? 0 : 2;
}

/* Prints the experts with the smallest losses, sorted; equal ones stay in the order of the columns.
 */
static void print_experts(const thr_experts *e, const thr_experts_options *o)
{
    thr_experts_entry few[SHOWN_EXPERTS], x;
    size_t n = 0, all = thr_experts_count(e);
    int width = 6;
    for (size_t i = 0; thr_experts_expert(e, i, &x); i++) {
        size_t at = n;
        while (at > 0 && few[at - 1].loss > x.loss)
            at--;
        if (at == SHOWN_EXPERTS)
            continue;
        n += n < SHOWN_EXPERTS;
        memmove(few + at + 1, few + at, (n - 1 - at) * sizeof *few);
        few[at] = x;
    }
    for (size_t i = 0; i < n; i++) {
        int length = (int)strnlen(cli_shown(few[i].name), 40);
        width = length > width ? length : width;
    }
    printf("\n%-*s  %9s  silent\n", width, "expert", loss_name(o));
    for (size_t i = 0; i < n; i++)
        printf("%-*.*s  %9.*f  %6llu\n", width, width, cli_shown(few[i].name), digits(few[i].loss),
               few[i].loss, (unsigned long long)few[i].silent);
    if (n < all)
        printf("(and %zu more)\n", all - n);
}

static void print_results(const thr_experts *e, const thr_experts_options *o)
{
    thr_experts_result r;
    double best = thr_experts_best(e, 0, NULL);
    printf("\nalgorithm  answer    %9s     regret      bound\n", loss_name(o));
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++) {
        printf("%-9s  %-8s  %9.*f  %9.*f", r.algorithm, r.form, digits(r.loss), r.loss,
               digits(r.loss - best), r.loss - best);
        if (isnan(r.bound))
            puts("          -");
        else
            printf("  %9.2f  %s\n", r.bound, r.holds ? "holds" : "BROKEN");
    }
}

/* Whether the bound of a row depends on the number of switches, so that it is shown for each. */
static bool is_compared(const thr_experts_result *r)
{
    return r->share > 0 && !isnan(r->bound);
}

static void print_sequence_heads(const thr_experts *e, const thr_experts_options *o)
{
    thr_experts_result r;
    int indent = 21;
    putchar('\n');
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
        if (is_compared(&r)) {
            printf("%*s%14s %-8s", indent, "", r.algorithm, r.form);
            indent = 2;
        }
    printf("%sswitches  %9s", indent == 2 ? "\n" : "", loss_name(o));
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
        if (is_compared(&r))
            printf("  %9s  %9s", "regret", "bound");
    puts("  best sequence");
}

/* A number of switches is left out if the best sequence does not use all of them. */
static void print_sequences(const thr_experts *e, const thr_experts_options *o)
{
    thr_experts_result r;
    thr_experts_part part;
    thr_experts_entry x;
    size_t parts;
    print_sequence_heads(e, o);
    for (unsigned k = 0; k <= o->switches; k++) {
        double loss = thr_experts_best(e, k, &parts);
        if (parts <= k)
            continue;
        printf("%8u  %9.*f", k, digits(loss), loss);
        for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
            if (is_compared(&r))
                printf("  %9.*f  %9.2f", digits(r.loss - loss), r.loss - loss,
                       thr_experts_bound(e, i, k));
        for (size_t i = 0; thr_experts_best_part(e, k, i, &part); i++) {
            thr_experts_expert(e, part.expert, &x);
            printf("%s%.40s", i ? ", then " : "  ", cli_shown(x.name));
            if (i)
                printf(" from %llu", (unsigned long long)part.from);
        }
        putchar('\n');
    }
}

static void print_all(const thr_experts *e, const thr_experts_options *o)
{
    uint64_t rounds = thr_experts_rounds(e);
    size_t n = thr_experts_count(e);
    thr_experts_result r;
    char last[16] = ""; /* the algorithm of the row before: one rate for all its forms of answer */
    printf("rounds     %llu, %zu expert%s\n", (unsigned long long)rounds, n, cli_s(n));
    fputs("rates     ", stdout);
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++) {
        if (strcmp(last, r.algorithm) == 0)
            continue;
        printf("%s %s ", *last ? "," : "", r.algorithm);
        snprintf(last, sizeof last, "%s", r.algorithm);
        if (isnan(r.eta))
            fputs("sqrt(8 ln(experts)/round)", stdout);
        else
            printf("eta %.4g", r.eta);
        if (r.share > 0)
            printf(" (share %g)", r.share);
    }
    putchar('\n');
    print_experts(e, o);
    print_results(e, o);
    print_sequences(e, o);
    printf("\nEach bound limits the %s of its row, given those of the best expert or sequence.\n",
           loss_name(o));
}

/* ---- JSON output -------------------------------------------------------------------------- */

static void json_results(cli_json *j, const thr_experts *e, const thr_experts_options *o)
{
    thr_experts_result r;
    cli_json_begin(j, "results", '[');
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "algorithm", r.algorithm);
        cli_json_string(j, "answer", r.form);
        cli_json_real(j, "eta", r.eta);
        cli_json_real(j, "beta", exp(-r.eta));
        cli_json_real(j, "share", r.share);
        cli_json_real(j, "loss", r.loss);
        cli_json_real(j, "regret", r.loss - thr_experts_best(e, 0, NULL));
        cli_json_real(j, "bound", r.bound);
        if (isnan(r.bound))
            cli_json_string(j, "holds", NULL);
        else
            cli_json_bool(j, "holds", r.holds);
        cli_json_begin(j, "bounds", '[');
        for (unsigned k = 0; k <= o->switches; k++)
            cli_json_real(j, NULL, thr_experts_bound(e, i, k));
        cli_json_end(j, ']');
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void json_sequences(cli_json *j, const thr_experts *e, const thr_experts_options *o)
{
    thr_experts_part part;
    thr_experts_entry x;
    cli_json_begin(j, "sequences", '[');
    for (unsigned k = 0; k <= o->switches; k++) {
        cli_json_begin(j, NULL, '{');
        cli_json_integer(j, "switches", k);
        cli_json_real(j, "loss", thr_experts_best(e, k, NULL));
        cli_json_begin(j, "parts", '[');
        for (size_t i = 0; thr_experts_best_part(e, k, i, &part); i++) {
            thr_experts_expert(e, part.expert, &x);
            cli_json_begin(j, NULL, '{');
            cli_json_string(j, "expert", x.name);
            cli_json_integer(j, "from", part.from);
            cli_json_integer(j, "to", part.to);
            cli_json_end(j, '}');
        }
        cli_json_end(j, ']');
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void json_all(const thr_experts *e, const thr_experts_options *o)
{
    cli_json j;
    thr_experts_entry x;
    cli_json_open(&j, stdout);
    cli_json_integer(&j, "rounds", thr_experts_rounds(e));
    cli_json_string(&j, "loss", o->loss ? o->loss : "label");
    cli_json_integer(&j, "seed", o->seed);
    cli_json_begin(&j, "experts", '[');
    for (size_t i = 0; thr_experts_expert(e, i, &x); i++) {
        cli_json_begin(&j, NULL, '{');
        cli_json_string(&j, "name", x.name);
        cli_json_real(&j, "loss", x.loss);
        cli_json_integer(&j, "silent", x.silent);
        cli_json_end(&j, '}');
    }
    cli_json_end(&j, ']');
    json_results(&j, e, o);
    json_sequences(&j, e, o);
    cli_json_close(&j);
}

/* ---- running ------------------------------------------------------------------------------ */

static int play(const cli_args *a, const thr_input *in, const thr_experts_columns *c,
                const thr_experts_options *o, curve *to)
{
    thr_error err = {0};
    thr_experts *e = thr_experts_read(in, c, o, after_round, to, &err);
    if (!e)
        return cli_fail(&err);
    if (to->to && to->written < thr_experts_rounds(e))
        curve_line(to, e);
    if (cli_has(a, "json"))
        json_all(e, o);
    else
        print_all(e, o);
    thr_experts_free(e);
    return 0;
}

static int play_with_curve(const cli_args *a, const thr_input *in, const thr_experts_columns *c,
                           const thr_experts_options *o)
{
    curve to = {.switches = o->switches};
    const char *path = cli_get(a, "curve", NULL);
    if (!path)
        return play(a, in, c, o, &to);
    if (strcmp(path, "-") == 0)
        return cli_usage_error("a curve is written to a file: --curve FILE");
    cli_output out;
    int status = cli_may_write(a, path);
    status = status ? status : cli_output_open(&out, path);
    if (status)
        return status;
    to.to = out.to;
    return cli_output_close(&out, play(a, in, c, o, &to));
}

static int run(const cli_args *a)
{
    static const char *const modes[] = {"auto", "yes", "no"}; /* enum thr_header */
    const char *header = cli_get(a, "header", "auto");
    thr_experts_options o;
    unsigned mode = 0;
    if (a->n_rest == 0)
        return cli_usage_error("experts needs a table: thresh experts FILE... (- is stdin)");
    int status = read_options(a, &o);
    if (status)
        return status;
    while (mode < 3 && strcmp(header, modes[mode]) != 0)
        mode++;
    if (mode == 3)
        return cli_usage_error("--header is auto, yes or no, not '%s'", header);
    thr_experts_columns c = {cli_get(a, "truth", NULL), cli_get(a, "experts", NULL),
                             (enum thr_header)mode};
    thr_input *in = cli_input(a, a->rest, a->n_rest, &status);
    if (in)
        status = play_with_curve(a, in, &c, &o);
    thr_input_free(in);
    return status;
}

static const cli_option *const lists[] = {options, cli_json_options, cli_common_options, NULL};

const cli_command cli_experts = {
    .name = "experts",
    .usage = "[--truth COLUMN] [OPTIONS] TABLE...",
    .help = "combine the predictions of experts, and compare with the best expert",
    .options = lists,
    .run = run,
};
