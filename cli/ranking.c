/* The ranking of several learners on the same examples, as text and as JSON, the best first.
 *
 * A `place` is a rank, from 0 for the best; thr_contest_ranked gives the learner at a place.
 * Every other learner is compared with the best: by McNemar's test, or for regressors, which
 * predict numbers, by a sign test on which prediction was nearer. */
#include "cli.h"

#include <math.h>
#include <string.h>

void cli_format_p(const thr_duel *d, char *out, size_t room)
{
    if (d->p < 0.0001)
        snprintf(out, room, "<0.0001");
    else
        snprintf(out, room, "%.4f", d->p);
}

/* `width` is that of the column of learners. e.deviation, the column "+-", is the standard
 * error of e.error. */
static void print_row(const thr_contest *c, size_t place, int width, FILE *to)
{
    thr_entrant e;
    thr_duel d; /* a: this learner, b: the best */
    char p_value[16];
    size_t i = thr_contest_ranked(c, place);
    thr_contest_at(c, i, &e);
    fprintf(to, "%3zu  %-*s  ", place + 1, width, e.learner);
    if (thr_contest_numbers(c))
        fprintf(to, "%10.6g  %8.3g", e.error, e.deviation);
    else
        fprintf(to, "%8llu  %6.2f  %5.2f", (unsigned long long)e.mistakes, 100 * e.error,
                100 * e.deviation);
    fprintf(to, "  %8llu", (unsigned long long)e.updates);
    if (place == 0) {
        fputs("\n", to);
        return;
    }
    thr_contest_duel(c, i, thr_contest_ranked(c, 0), &d);
    cli_format_p(&d, p_value, sizeof p_value);
    fprintf(to, "  %6llu : %-6llu  %7s  %s\n", (unsigned long long)d.only_a,
            (unsigned long long)d.only_b, p_value, d.exact ? "exact" : "chi-square");
}

void cli_print_ranking(const thr_contest *c, size_t most, FILE *to)
{
    size_t n = thr_contest_size(c), rows = most < n ? most : n;
    thr_entrant e;
    int width = (int)strlen("learner"); /* the heading */
    for (size_t i = 0; i < rows && thr_contest_at(c, thr_contest_ranked(c, i), &e); i++)
        width = (int)strlen(e.learner) > width ? (int)strlen(e.learner) : width;
    if (thr_contest_numbers(c))
        fprintf(to, "%3s  %-*s  %10s  %8s  %8s%s\n", "", width, "learner", "squared", "+-",
                "updates", n > 1 ? "  nearer               p  sign test" : "");
    else
        fprintf(to, "%3s  %-*s  %8s  %6s  %5s  %8s%s\n", "", width, "learner", "mistakes", "error%",
                "+-", "updates", n > 1 ? "  alone right          p  McNemar" : "");
    for (size_t i = 0; i < rows; i++)
        print_row(c, i, width, to);
    if (n > rows)
        fprintf(to, "     (%zu more: see --top and --json)\n", n - rows);
}

void cli_json_ranking(cli_json *j, const thr_contest *c)
{
    thr_entrant e;
    thr_duel d; /* a: this learner, b: the best */
    bool regressors = thr_contest_numbers(c);
    size_t best = thr_contest_ranked(c, 0);
    cli_json_begin(j, "ranking", '[');
    for (size_t place = 0; place < thr_contest_size(c); place++) {
        size_t i = thr_contest_ranked(c, place);
        thr_contest_at(c, i, &e);
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "learner", e.learner);
        cli_json_real(j, "mistakes", regressors ? NAN : (double)e.mistakes); /* NaN: null */
        cli_json_real(j, regressors ? "mse" : "error", e.error);
        cli_json_real(j, "standard_error", e.deviation);
        cli_json_integer(j, "updates", e.updates);
        cli_json_integer(j, "sat_out", e.sat_out);
        if (i == best)
            cli_json_string(j, "against_best", NULL);
        else {
            thr_contest_duel(c, i, best, &d);
            cli_json_begin(j, "against_best", '{');
            cli_json_integer(j, regressors ? "this_nearer" : "only_this_right", d.only_a);
            cli_json_integer(j, regressors ? "best_nearer" : "only_best_right", d.only_b);
            cli_json_real(j, "p", d.p);
            cli_json_string(j, "test", d.exact ? "exact" : "chi-square");
            cli_json_end(j, '}');
        }
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

void cli_warn_of_skipped(const cli_args *a, const thr_contest *c)
{
    thr_entrant e;
    for (size_t i = 0; thr_contest_at(c, i, &e); i++)
        if (e.sat_out)
            cli_warn(
                a, "%s cannot take negative values: %llu example%s that it skipped count as wrong",
                e.learner, (unsigned long long)e.sat_out, cli_s(e.sat_out));
}
