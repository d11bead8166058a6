/* thresh lab protocol: a hidden conjunction or disjunction is learned by asking questions, from a
 * teacher, or from random examples. */
#include "lab.h"

#include <string.h>

/* ---- showing ------------------------------------------------------------------------------ */

typedef struct teller {
    cli_json *json; /* NULL: text */
    bool show;
} teller;

static int show(void *user, const bool *x, size_t n, bool label, const char *what)
{
    const teller *t = user;
    if (!t->show)
        return 0;
    if (t->json) {
        cli_json_begin(t->json, NULL, '{');
        cli_json_begin(t->json, "x", '[');
        for (size_t i = 0; i < n; i++)
            cli_json_integer(t->json, NULL, x[i]);
        cli_json_end(t->json, ']');
        cli_json_integer(t->json, "label", label);
        cli_json_string(t->json, "what", what);
        cli_json_end(t->json, '}');
        return 0;
    }
    printf("  %-8s(", what);
    for (size_t i = 0; i < n; i++)
        printf("%s%d", i ? "," : "", x[i]);
    printf("), %d\n", label);
    return 0;
}

static void print(const thr_protocol_options *o, const thr_protocol_result *r)
{
    unsigned long long bound = r->bound;
    printf("%s: target %s, %llu of %llu variables\n", o->protocol, r->target,
           (unsigned long long)r->k, (unsigned long long)r->n);
    if (r->queries)
        printf("  questions %llu, and theory says %llu\n", (unsigned long long)r->queries, bound);
    else if (r->exact)
        printf("  examples  %llu, and theory says %llu\n", (unsigned long long)r->examples, bound);
    else
        printf("  mistakes  %llu, and theory says at most %llu; examples %llu\n",
               (unsigned long long)r->mistakes, bound, (unsigned long long)r->examples);
    printf("  learned   %s: %s\n", r->learned, r->equal ? "the target" : "not the target yet");
}

static void json_result(cli_json *j, const thr_protocol_options *o, const thr_protocol_result *r)
{
    cli_json_string(j, "protocol", o->protocol);
    cli_json_integer(j, "seed", o->seed);
    cli_json_integer(j, "n", r->n);
    cli_json_integer(j, "k", r->k);
    cli_json_integer(j, "queries", r->queries);
    cli_json_integer(j, "examples", r->examples);
    cli_json_integer(j, "mistakes", r->mistakes);
    cli_json_integer(j, "bound", r->bound);
    cli_json_string(j, "relation", r->exact ? "=" : "<=");
    cli_json_bool(j, "holds", r->holds);
    cli_json_bool(j, "equal", r->equal);
    cli_json_string(j, "target", r->target);
    cli_json_string(j, "learned", r->learned);
}

/* ---- running ------------------------------------------------------------------------------ */

static int play(const cli_args *a, const thr_protocol_options *o, bool *holds)
{
    thr_error err = {0};
    thr_protocol_result r, again;
    cli_json j;
    teller t = {.show = cli_has(a, "show")};
    if (thr_protocol_play(o, cli_has(a, "json") ? NULL : show, &t, &r, &err))
        return cli_fail(&err);
    if (cli_has(a, "json")) {
        cli_json_open(&j, stdout);
        json_result(&j, o, &r);
        t.json = &j;
        if (t.show) {
            /* The points come after the result, which is known only at the end: the same game is
             * played again. The seed makes both games the same. */
            cli_json_begin(&j, "points", '[');
            thr_protocol_play(o, show, &t, &again, NULL);
            cli_json_end(&j, ']');
            thr_protocol_clear(&again);
        }
        cli_json_close(&j);
    } else
        print(o, &r);
    *holds &= r.holds;
    thr_protocol_clear(&r);
    return 0;
}

int cli_lab_protocol(const cli_args *a)
{
    thr_protocol_options o;
    double n, k, runs, seed, limit;
    thr_protocol_defaults(&o);
    if (a->n_rest != 2)
        return cli_usage_error("lab protocol is played in one of three ways: thresh lab protocol "
                               "ask|teach|nature");
    if (!cli_number(a, "n", 0, 1, 1e6, &n) || !cli_number(a, "k", 0, 1, 1e6, &k) ||
        !cli_number(a, "runs", 1, 1, 1e6, &runs) || !cli_number(a, "seed", 1, 0, 9e15, &seed) ||
        !cli_number(a, "limit", (double)o.limit, 1, 1e12, &limit))
        return EXIT_USAGE;
    o.protocol = a->rest[1];
    o.target = cli_get(a, "target", NULL);
    o.disjunction = cli_has(a, "disjunction");
    o.negated = cli_has(a, "negated");
    o.n = (uint64_t)n;
    o.k = (uint64_t)k;
    o.limit = (uint64_t)limit;
    if (o.target && (o.k || o.disjunction))
        return cli_usage_error(
            "--target gives the hidden formula: leave --k and --disjunction out");
    bool holds = true;
    int status = 0;
    for (double i = 0; i < runs && status == 0; i++) {
        o.seed = (uint64_t)(seed + i);
        status = play(a, &o, &holds);
    }
    return status ? status : holds ? 0 : EXIT_BAD;
}
