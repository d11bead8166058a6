/* A race as an HTML page: the learning curves with logarithmic axes, the table, and the commands
 * that repeat the race and train each learner. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

/* ---- the curves --------------------------------------------------------------------------- */

typedef struct curves {
    const thr_contest *c;
    bool numbers;
    size_t n, points;
    thr_series *series; /* in the order of the ranking */
    double *x, *y;      /* x: shared by all series; y: one series after the other */
    char **detail;      /* of each series, a slice of `text` */
    char *text;
} curves;

#define DETAIL 32 /* bytes of text for each series */

/* A logarithmic axis has no 0, so a curve begins with the first mistake. A learner without any
 * mistake is drawn along the lower edge. */
static void fill_curve(curves *k, size_t place)
{
    thr_entrant e;
    size_t racer = thr_contest_ranked(k->c, place);
    double *y = k->y + place * k->points;
    thr_contest_at(k->c, racer, &e);
    for (size_t at = 0; at < k->points; at++)
        y[at] = (k->numbers ? 1 : 100) * thr_contest_error_at(k->c, at, racer);
    size_t first = 0;
    while (first < k->points && y[first] <= 0)
        first++;
    if (first == k->points)
        first = 0;
    k->series[place] = (thr_series){.name = e.learner,
                                    .kind = THR_CURVE,
                                    .x = k->x + first,
                                    .y = y + first,
                                    .n = k->points - first};
    k->detail[place] = k->text + place * DETAIL;
    snprintf(k->detail[place], DETAIL, k->numbers ? "%.4g" : "%.2f%%",
             (k->numbers ? 1 : 100) * e.error);
}

static bool fill_curves(curves *k, const thr_contest *c)
{
    *k = (curves){.c = c,
                  .numbers = thr_contest_numbers(c),
                  .n = thr_contest_size(c),
                  .points = thr_contest_checkpoints(c)};
    k->series = calloc(k->n, sizeof *k->series);
    k->detail = calloc(k->n, sizeof *k->detail);
    k->text = calloc(k->n, DETAIL);
    k->x = calloc(k->points + 1, sizeof *k->x);
    k->y = calloc(k->points * k->n + 1, sizeof *k->y);
    if (!k->series || !k->detail || !k->text || !k->x || !k->y)
        return false;
    for (size_t at = 0; at < k->points; at++)
        k->x[at] = (double)thr_contest_checkpoint(c, at);
    for (size_t place = 0; place < k->n; place++)
        fill_curve(k, place);
    return true;
}

/* The range of the y axis. The errors after the first few examples are mostly chance, so points
 * before the fourth checkpoint do not count and may lie outside. Without any mistake, low stays
 * infinite until it is set to half of high. */
static void find_range(const curves *k, double *low, double *high)
{
    size_t settled = k->points > 6 ? 3 : 0;
    *low = INFINITY;
    *high = 0;
    for (size_t at = settled; at < k->points; at++)
        for (size_t i = 0; i < k->n; i++) {
            double e = k->y[i * k->points + at];
            *low = e > 0 ? fmin(*low, e) : *low;
            *high = fmax(*high, e);
        }
    *high = *high > 0 ? fmin(*high * 1.15, k->numbers ? INFINITY : 100) : 1;
    *low = fmin(*low / 1.15, *high / 2);
}

static bool put_curves(const thr_contest *c, FILE *to)
{
    curves k;
    bool ok = fill_curves(&k, c);
    if (ok) {
        cli_chart chart = {.id = "race",
                           .label = "Error so far against examples, a curve for each learner",
                           .x = "examples",
                           .y = k.numbers ? "mean squared error so far" : "error so far",
                           .unit = k.numbers ? "" : "%",
                           .log_x = true,
                           .log_y = true,
                           .series = k.series,
                           .detail = k.detail,
                           .n = k.n};
        find_range(&k, &chart.low, &chart.high);
        cli_put_chart(&chart, to);
    }
    free(k.series);
    free(k.detail);
    free(k.text);
    free(k.x);
    free(k.y);
    return ok;
}

/* ---- the rest ----------------------------------------------------------------------------- */

static void put_row(const thr_contest *c, size_t place, FILE *to)
{
    thr_entrant e;
    thr_duel d;
    char p[16];
    size_t i = thr_contest_ranked(c, place);
    thr_contest_at(c, i, &e);
    fprintf(to, "<tr><td>%zu</td><th scope=\"row\">", place + 1);
    cli_put_text(e.learner, to);
    fputs("</th><td>", to);
    if (thr_contest_numbers(c))
        fprintf(to, "%.6g</td><td>%.3g</td><td>", e.error, e.deviation);
    else {
        cli_put_count(e.mistakes, to);
        fprintf(to, "</td><td>%.2f</td><td>%.2f</td><td>", 100 * e.error, 100 * e.deviation);
    }
    cli_put_count(e.updates, to);
    if (place == 0) {
        fputs("</td><td></td><td></td><td>the best</td></tr>\n", to);
        return;
    }
    thr_contest_duel(c, i, thr_contest_ranked(c, 0), &d);
    cli_format_p(&d, p, sizeof p);
    fputs("</td><td>", to);
    cli_put_count(d.only_a, to);
    fputs(" : ", to);
    cli_put_count(d.only_b, to);
    fputs("</td><td>", to);
    cli_put_text(p, to);
    fprintf(to, "</td><td>%s</td></tr>\n", d.exact ? "exact" : "chi-square");
}

static void put_table(const thr_contest *c, FILE *to)
{
    bool numbers = thr_contest_numbers(c);
    fputs("<h2>At the end</h2>\n<div class=\"scroll\"><table>\n<thead><tr><td></td>"
          "<th scope=\"col\">learner</th>",
          to);
    fputs(numbers ? "<th scope=\"col\">mean squared error</th>"
                  : "<th scope=\"col\">mistakes</th><th scope=\"col\">error %</th>",
          to);
    fprintf(to,
            "<th scope=\"col\">&plusmn;</th><th scope=\"col\">updates</th>"
            "<th scope=\"col\">%s</th><th scope=\"col\">p</th><th scope=\"col\">test</th></tr>"
            "</thead>\n<tbody>\n",
            numbers ? "nearer" : "alone right");
    for (size_t place = 0; place < thr_contest_size(c); place++)
        put_row(c, place, to);
    fputs(
        "</tbody></table></div>\n<p>Each example was predicted before it was learned. &plusmn; is "
        "the standard error. ",
        to);
    fputs(numbers
              ? "Nearer counts the examples on which this learner was nearer to the truth than the "
                "best, then those on which the best was nearer. p is from the sign test against "
                "the best, on the same examples.</p>\n"
              : "Alone right counts the examples that only one of the two got right: this learner, "
                "then the best. p is from McNemar&rsquo;s test against the best, on the same "
                "examples.</p>\n",
          to);
}

static bool put_command(const cli_args *a, const cli_command *command, const char *learner,
                        FILE *to)
{
    char *line = cli_command_line(a, command, learner, NULL);
    if (!line)
        return false;
    cli_put_text(line, to);
    fputc('\n', to);
    free(line);
    return true;
}

bool cli_race_page(const cli_args *a, const thr_contest *c, FILE *to)
{
    char title[256];
    thr_entrant e;
    snprintf(title, sizeof title, "Race on %s", a->rest[0]);
    cli_page_begin(title, to);
    fputs("<h1>Race on ", to);
    for (size_t i = 0; i < a->n_rest; i++) {
        fputs(i ? ", " : "", to);
        cli_put_text(a->rest[i], to);
    }
    fputs("</h1>\n<p>", to);
    cli_put_count(thr_contest_examples(c), to);
    fprintf(to, " examples, one pass; both axes are logarithmic%s</p>\n",
            thr_contest_numbers(c) ? "" : ", and a curve begins with the first mistake");
    bool ok = put_curves(c, to);
    put_table(c, to);
    fputs("<h2>Commands</h2>\n<p>This page:</p>\n<pre>", to);
    ok &= put_command(a, a->command, NULL, to);
    fputs("</pre>\n<p>Each learner by itself, with the same result (add -m FILE to keep the "
          "model):</p>\n<pre>",
          to);
    for (size_t place = 0; thr_contest_at(c, thr_contest_ranked(c, place), &e); place++)
        ok &= put_command(a, &cli_train, e.learner, to);
    fputs("</pre>\n", to);
    cli_page_end(to);
    return ok;
}
