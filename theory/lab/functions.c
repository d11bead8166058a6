/* Which functions are linear: each of the 65,536 functions of four variables is decided with a
 * proof, and the linear ones are counted in each class of L0 (section 2). A class is a set of truth
 * tables:
 *
 *   disjunctions, conjunctions of literals; at least m of some literals
 *   k-DNF            the closure of `false` under "or" with a conjunction of up to k literals
 *   k-decision list  the closure of the constants under prefixing "if conjunction then b" */
#include "lab/functions.h"

#include "lab/linear.h"

#include <math.h>
#include <stdlib.h>

enum { VARS = THR_LINEAR_VARS, POINTS = THR_LINEAR_POINTS, TABLES = 1 << POINTS, ALL = TABLES - 1 };

/* Sets of truth tables, one byte for each table. */
typedef struct classes {
    bool *in;        /* the current class */
    bool *linear[2]; /* by degree - 1 */
    uint32_t *list;  /* work list: tables of the class that are still to be extended */
} classes;

/* ---- building classes --------------------------------------------------------------------- */

/* A literal: variable v, or its negation. */
static uint32_t literal(unsigned v, bool negated)
{
    uint32_t table = 0;
    for (unsigned point = 0; point < POINTS; point++)
        if ((point >> v & 1) != negated)
            table |= 1u << point;
    return table;
}

/* Choice c has for every variable, in base 3: left out, as it is, negated. */
enum { CHOICES = 81 };

static unsigned literals_of(unsigned choice, uint32_t *out)
{
    unsigned n = 0;
    for (unsigned v = 0; v < VARS; v++, choice /= 3)
        if (choice % 3)
            out[n++] = literal(v, choice % 3 == 2);
    return n;
}

static uint32_t conjunction(unsigned choice, unsigned *length)
{
    uint32_t all[VARS], table = ALL;
    *length = literals_of(choice, all);
    for (unsigned i = 0; i < *length; i++)
        table &= all[i];
    return table;
}

static uint32_t at_least(unsigned choice, unsigned m)
{
    uint32_t all[VARS], table = 0;
    unsigned n = literals_of(choice, all);
    for (unsigned point = 0; point < POINTS; point++) {
        unsigned hold = 0;
        for (unsigned i = 0; i < n; i++)
            hold += all[i] >> point & 1;
        if (hold >= m)
            table |= 1u << point;
    }
    return table;
}

static void disjunctions(classes *c)
{
    for (unsigned choice = 1; choice < CHOICES; choice++)
        c->in[at_least(choice, 1)] = true;
}

static void conjunctions(classes *c)
{
    unsigned n;
    for (unsigned choice = 1; choice < CHOICES; choice++)
        c->in[conjunction(choice, &n)] = true;
}

static void thresholds(classes *c)
{
    for (unsigned choice = 1; choice < CHOICES; choice++)
        for (unsigned m = 1; m <= VARS; m++)
            c->in[at_least(choice, m)] = true;
}

static void parities(classes *c)
{
    for (unsigned set = 0; set < POINTS; set++) {
        uint32_t table = 0;
        if (__builtin_popcount(set) < 2)
            continue;
        for (unsigned point = 0; point < POINTS; point++)
            table |= (uint32_t)(__builtin_popcount(set & point) % 2) << point;
        c->in[table] = c->in[ALL ^ table] = true;
    }
}

/* Adds a table to the class and, if it is new, to the work list. */
static size_t put(classes *c, size_t n, uint32_t table)
{
    if (c->in[table])
        return n;
    c->in[table] = true;
    c->list[n] = table;
    return n + 1;
}

/* The closure: extends each table of the work list by each conjunction of up to k literals, as a
 * term of a DNF or, with `lists`, as a rule put before a decision list. */
static void grow(classes *c, unsigned k, bool lists)
{
    size_t n = put(c, 0, 0);
    if (lists)
        n = put(c, n, ALL);
    for (size_t i = 0; i < n; i++)
        for (unsigned choice = 0; choice < CHOICES; choice++) {
            unsigned length;
            uint32_t term = conjunction(choice, &length), then = c->list[i];
            if (length == 0 || length > k)
                continue;
            n = put(c, n, then | term);
            if (lists)
                n = put(c, n, then & ~term);
        }
}

static void one_lists(classes *c)
{
    grow(c, 1, true);
}

static void two_dnf(classes *c)
{
    grow(c, 2, false);
}

static void two_lists(classes *c)
{
    grow(c, 2, true);
}

/* ---- deciding ----------------------------------------------------------------------------- */

/* Every function of four variables, of degree 1 and 2. */
static int decide_all(thr_lab *l, classes *c, bool *proven, thr_error *err)
{
    int code = 0;
    *proven = true;
    for (unsigned degree = 1; degree <= 2; degree++)
        for (uint32_t table = 0; table < TABLES && code == 0; table++) {
            thr_linear proof = thr_linear_decide(VARS, table, degree);
            *proven &= thr_linear_check(VARS, table, degree, &proof);
            c->linear[degree - 1][table] = proof.is_linear;
            if (table % 4096 == 0)
                code = thr_lab_tell(l, 0.45 * (degree - 1 + (double)table / TABLES), err);
        }
    return code;
}

static void draw_share(thr_lab *l, const classes *c)
{
    static const unsigned known[] = {4, 14, 104, 1882}; /* Muroga; OEIS A000609 */
    static const char *const variables[] = {"1", "2", "3", "4", NULL};
    unsigned counted[VARS] = {0}, most_off = 0;
    for (unsigned n = 1; n < VARS; n++)
        for (uint32_t table = 0; table < UINT32_C(1) << (1u << n); table++)
            counted[n - 1] += thr_linear_decide(n, table, 1).is_linear;
    for (uint32_t t = 0; t < TABLES; t++)
        counted[VARS - 1] += c->linear[0][t];
    for (unsigned i = 0; i < VARS; i++)
        most_off += (unsigned)abs((int)counted[i] - (int)known[i]);
    thr_lab_draw(l, THR_LOG_Y, "Few functions are linear", "variables", "functions");
    thr_lab_categories(l, variables);
    thr_lab_series(l, THR_BARS, "all functions");
    for (unsigned i = 0; i < VARS; i++)
        thr_lab_point(l, i, pow(2, 1u << (i + 1)));
    thr_lab_series(l, THR_BARS, "linear ones");
    for (unsigned i = 0; i < VARS; i++)
        thr_lab_point(l, i, counted[i]);
    thr_lab_claims(l, THR_EXACTLY, 0, most_off,
                   "of the functions of 1, 2, 3 and 4 variables %u, %u, %u and %u are linear: "
                   "distance from the known numbers 4, 14, 104 and 1882",
                   counted[0], counted[1], counted[2], counted[3]);
}

typedef struct family {
    const char *name;
    void (*fill)(classes *c);
    bool all_linear, all_square; /* claims of L0: as they are, and with pairs conjoined */
} family;

static const family families[] = {
    {"disjunctions", disjunctions, true, true},
    {"conjunctions", conjunctions, true, true},
    {"m of k", thresholds, true, true},
    {"1-decision lists", one_lists, true, true},
    {"2-DNF", two_dnf, false, true},
    {"2-decision lists", two_lists, false, true},
    {"parities", parities, false, false},
};
enum { FAMILIES = sizeof families / sizeof *families };

static const char *const family_names[] = {
    "disjunctions", "conjunctions",     "m of k",   "1-decision lists",
    "2-DNF",        "2-decision lists", "parities", NULL};

static void claim_family(thr_lab *l, const family *f, const double *n)
{
    if (f->all_linear)
        thr_lab_claims(l, THR_EXACTLY, n[0], n[1],
                       "%s of literals over 4 variables: linear ones, of %g", f->name, n[0]);
    else
        thr_lab_claims(l, THR_AT_MOST, n[0] - 1, n[1],
                       "%s over 4 variables: not all of %g are linear", f->name, n[0]);
    if (f->all_square && !f->all_linear)
        thr_lab_claims(l, THR_EXACTLY, n[0], n[2],
                       "%s over 4 variables: linear ones with conjunctions of two, of %g", f->name,
                       n[0]);
}

static void draw_families(thr_lab *l, classes *c)
{
    static const char *const series[] = {"functions in the class", "linear ones",
                                         "linear with conjunctions of two"};
    double n[FAMILIES][3] = {{0}};
    for (size_t f = 0; f < FAMILIES; f++) {
        for (size_t t = 0; t < TABLES; t++)
            c->in[t] = false;
        families[f].fill(c);
        for (uint32_t t = 0; t < TABLES; t++)
            if (c->in[t]) {
                n[f][0]++;
                n[f][1] += c->linear[0][t];
                n[f][2] += c->linear[1][t];
            }
        claim_family(l, &families[f], n[f]);
    }
    thr_lab_draw(l, THR_LOG_Y, "L0's classes over four variables", "", "functions");
    thr_lab_categories(l, family_names);
    for (size_t s = 0; s < 3; s++) {
        thr_lab_series(l, THR_BARS, "%s", series[s]);
        for (size_t f = 0; f < FAMILIES; f++)
            thr_lab_point(l, (double)f, n[f][s] > 0 ? n[f][s] : NAN);
    }
}

int thr_lab_functions(thr_lab *l, thr_error *err)
{
    classes c = {0};
    bool proven = false;
    c.in = calloc(TABLES, sizeof *c.in);
    c.linear[0] = calloc(TABLES, sizeof **c.linear);
    c.linear[1] = calloc(TABLES, sizeof **c.linear);
    c.list = calloc(TABLES, sizeof *c.list);
    bool made = c.in && c.linear[0] && c.linear[1] && c.list;
    int code = made ? decide_all(l, &c, &proven, err) : thr_fail_memory(err);
    if (code == 0) {
        thr_lab_claims(l, THR_EXACTLY, 1, proven,
                       "all 65,536 functions of 4 variables, as they are and with conjunctions of "
                       "two: each has a proof, weights that separate or a sum that is zero");
        draw_share(l, &c);
        draw_families(l, &c);
    }
    free(c.list);
    free(c.linear[1]);
    free(c.linear[0]);
    free(c.in);
    return code;
}
