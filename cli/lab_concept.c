/* thresh lab concept: learns a concept from a finite class, and prints the mistakes, their bound
 * and the concepts that are still consistent with the examples. */
#include "lab.h"

#include <stdlib.h>

#define MOST_SURVIVORS 10
#define MOST_LITERALS  20

/* The formula of a remaining concept, to be freed; NULL: out of memory. */
static char *formula_of(const thr_concept_run *r, uint64_t survivor, size_t most)
{
    thr_error err = {0};
    size_t n = thr_concept_formula(r, survivor, most, NULL, 0, &err);
    char *text = malloc(n + 1);
    if (text)
        thr_concept_formula(r, survivor, most, text, n + 1, &err);
    if (text && !err.code)
        return text;
    free(text);
    return NULL;
}

/* Both return false if memory runs out. */
static bool print(const thr_concept_run *r, const thr_concept_options *o, uint64_t most)
{
    thr_concept_result c;
    thr_concept_about(r, &c);
    printf("%s, %s over %llu variable%s", o->learner, o->concepts, (unsigned long long)c.variables,
           cli_s(c.variables));
    if (c.concepts)
        printf(": %llu concept%s", (unsigned long long)c.concepts, cli_s(c.concepts));
    printf("\nexamples   %llu\n", (unsigned long long)c.examples);
    printf("mistakes   %llu, at most %llu if a concept of the class is right\n",
           (unsigned long long)c.mistakes, (unsigned long long)c.bound);
    if (!c.consistent)
        printf("no concept of the class is right: example %llu shows it (%llu in all do not fit)\n",
               (unsigned long long)c.first_refused, (unsigned long long)c.refused);
    printf("%llu left%s%s%s\n", (unsigned long long)c.survivors, c.positive ? ", " : "",
           c.positive ? c.positive : "", c.positive ? " if" : "");
    for (uint64_t i = 0; i < c.survivors && i < most; i++) {
        char *text = formula_of(r, i, MOST_LITERALS);
        if (!text)
            return false;
        printf("  %s\n", text);
        free(text);
    }
    if (c.survivors > most)
        printf("  and %llu more\n", (unsigned long long)(c.survivors - most));
    return true;
}

static bool print_json(const thr_concept_run *r, const thr_concept_options *o, uint64_t most)
{
    thr_concept_result c;
    cli_json j;
    thr_concept_about(r, &c);
    cli_json_open(&j, stdout);
    cli_json_string(&j, "learner", o->learner);
    cli_json_string(&j, "class", o->concepts);
    cli_json_integer(&j, "examples", c.examples);
    cli_json_integer(&j, "variables", c.variables);
    if (c.concepts)
        cli_json_integer(&j, "concepts", c.concepts);
    else
        cli_json_string(&j, "concepts", NULL);
    cli_json_integer(&j, "mistakes", c.mistakes);
    cli_json_integer(&j, "bound", c.bound);
    cli_json_bool(&j, "consistent", c.consistent);
    cli_json_integer(&j, "refused", c.refused);
    if (c.consistent)
        cli_json_string(&j, "first_refused", NULL);
    else
        cli_json_integer(&j, "first_refused", c.first_refused);
    cli_json_string(&j, "positive", c.positive);
    cli_json_integer(&j, "survivors", c.survivors);
    cli_json_begin(&j, "formulas", '[');
    for (uint64_t i = 0; i < c.survivors && i < most; i++) {
        char *text = formula_of(r, i, SIZE_MAX);
        if (!text)
            return false;
        cli_json_string(&j, NULL, text);
        free(text);
    }
    cli_json_end(&j, ']');
    cli_json_close(&j);
    return true;
}

static int learn(const cli_args *a, const thr_concept_options *o, uint64_t most)
{
    int status = 0;
    thr_error err = {0};
    thr_concept_result c = {0};
    thr_settings *s = cli_settings_but_learner(a, &status);
    thr_input *in = s ? cli_input(a, a->rest + 1, a->n_rest - 1, &status) : NULL;
    if (in) {
        thr_concept_run *r = thr_concept_learn(s, o, in, &err);
        if (r)
            thr_concept_about(r, &c);
        if (c.absent)
            cli_warn(a, "no example has %llu of the %llu variables named",
                     (unsigned long long)c.absent, (unsigned long long)c.variables);
        if (!r)
            status = cli_fail(&err);
        else if (!(cli_has(a, "json") ? print_json : print)(r, o, most))
            status = cli_no_memory();
        thr_concept_free(r);
    }
    thr_input_free(in);
    thr_settings_free(s);
    return status;
}

int cli_lab_concept(const cli_args *a)
{
    double seed, most;
    thr_concept_options o = {.learner = cli_get(a, "learner", "halving"),
                             .concepts = cli_get(a, "class", NULL),
                             .variables = cli_get(a, "variables", NULL)};
    if (a->n_rest < 2)
        return cli_usage_error("lab concept needs data: thresh lab concept --class CLASS FILE... "
                               "(- is stdin)");
    if (!o.concepts)
        return cli_usage_error("lab concept needs a class: --class conjunctions, disjunctions, "
                               "thresholds or file=PATH");
    if (!cli_number(a, "seed", 1, 0, 9e15, &seed) ||
        !cli_number(a, "top", MOST_SURVIVORS, 0, 1e9, &most))
        return EXIT_USAGE;
    o.seed = (uint64_t)seed;
    return learn(a, &o, (uint64_t)most);
}
