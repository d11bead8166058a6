/* A race as a page of HTML that needs nothing else: learning curves drawn as SVG, both axes
 * logarithmic; the table; the commands. Light or dark as the reader likes it. The curves are drawn
 * twice, for wide and for narrow screens, so that letters stay readable on both. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLOURS 8

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

static const char style[] =
    "<style>\n"
    ":root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6470; --line: #d5dae0;\n"
    "  --paper: #ffffff; --c0: #0067b1; --c1: #c94f00; --c2: #00805c; --c3: #b0388a;\n"
    "  --c4: #8a6d00; --c5: #6b3fc0; --c6: #b3261e; --c7: #4d5560; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a3acb8;\n"
    "  --line: #363d47; --paper: #14171b; --c0: #5cb3f0; --c1: #ff9150; --c2: #3fcf9f;\n"
    "  --c3: #ea8fcb; --c4: #dcbc3f; --c5: #b59cf6; --c6: #ff8a80; --c7: #c3c9d1; } }\n"
    "body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper);\n"
    "  color: var(--ink); font: 16px/1.45 system-ui, sans-serif; }\n"
    "h1 { font-size: 1.4rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }\n"
    "p { margin: .25rem 0 .75rem; color: var(--soft); }\n"
    "svg.chart { display: block; width: 100%; height: auto; }\n"
    "svg.narrow { display: none; }\n"
    "@media (max-width: 40rem) { svg.wide { display: none; } svg.narrow { display: block; } }\n"
    "svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }\n"
    ".grid { stroke: var(--line); stroke-width: 1; }\n"
    ".curve { fill: none; stroke-width: 2; stroke-linejoin: round; }\n"
    ".dot { stroke: none; }\n"
    "ul.legend { list-style: none; margin: .5rem 0 0; padding: 0; display: flex;\n"
    "  flex-wrap: wrap; gap: .25rem 1.25rem; }\n"
    "ul.legend svg { width: 28px; height: 10px; margin-right: .4rem; }\n"
    "ul.legend span { color: var(--soft); }\n"
    ".scroll { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .3rem .7rem; text-align: right; white-space: nowrap;\n"
    "  border-bottom: 1px solid var(--line); }\n"
    "th:nth-child(2), td:nth-child(2), td:last-child, th:last-child { text-align: left; }\n"
    "thead th { color: var(--soft); font-weight: 600; }\n"
    "tbody th { font-weight: 600; }\n"
    "pre { overflow-x: auto; margin: 0 0 1rem; padding: .75rem; border: 1px solid var(--line);\n"
    "  border-radius: 6px; font: 14px/1.5 ui-monospace, monospace; }\n";

static void put_text(const char *text, FILE *to)
{
    for (const char *p = text; *p; p++)
        switch (*p) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            fputc(*p, to);
        }
}

/* 1234567 as 1,234,567. */
static void put_count(uint64_t n, FILE *to)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            fputc(',', to);
        fputc(digits[i], to);
    }
}

static void put_colours(FILE *to)
{
    fputs(style, to);
    for (int i = 0; i < COLOURS; i++)
        fprintf(to, ".s%d { stroke: var(--c%d); } .f%d { fill: var(--c%d); }\n", i, i, i, i);
    fputs(".d1 { stroke-dasharray: 7 4; } .d2 { stroke-dasharray: 2 3; }\n"
          ".d3 { stroke-dasharray: 10 3 2 3; }\n</style>\n",
          to);
}

/* The colour, and where all are used the dashes, of the curve with this place. */
static void put_class(size_t place, FILE *to)
{
    fprintf(to, "s%zu", place % COLOURS);
    if (place >= COLOURS)
        fprintf(to, " d%zu", (place / COLOURS - 1) % 3 + 1);
}

/* ---- the axes ----------------------------------------------------------------------------- */

typedef struct chart {
    const thr_contest *c;
    const char *name;
    double width, height, left, right, top, bottom; /* the edges of the plane of the curves */
    double most_x, low, high; /* examples; errors in percent, or mean squares */
    bool numbers;
    FILE *to;
} chart;

static double error_at(const chart *k, size_t checkpoint, size_t racer)
{
    return (k->numbers ? 1 : 100) * thr_contest_error_at(k->c, checkpoint, racer);
}

/* The first few examples are luck: what comes before the fourth checkpoint may leave the plane.
 * Without any mistake there is no lowest. */
static void find_range(chart *k)
{
    size_t points = thr_contest_checkpoints(k->c), settled = points > 6 ? 3 : 0;
    k->low = INFINITY;
    k->high = 0;
    for (size_t at = 0; at < points; at++)
        for (size_t i = 0; i < thr_contest_size(k->c); i++) {
            double e = error_at(k, at, i);
            k->low = e > 0 && at >= settled ? fmin(k->low, e) : k->low;
            k->high = at >= settled ? fmax(k->high, e) : k->high;
        }
    k->high = k->high > 0 ? fmin(k->high * 1.15, k->numbers ? INFINITY : 100) : 1;
    k->low = fmin(k->low / 1.15, k->high / 2);
}

static double x_of(const chart *k, double examples)
{
    double share = k->most_x > 1 ? log(examples) / log(k->most_x) : 0.5;
    return k->left + share * (k->right - k->left);
}

static double y_of(const chart *k, double percent)
{
    double share = percent > 0 ? log(percent / k->low) / log(k->high / k->low) : 0;
    return k->bottom - share * (k->bottom - k->top);
}

static void put_x_tick(const chart *k, double examples)
{
    double x = x_of(k, examples);
    fprintf(k->to,
            "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
            x, x, k->top, k->bottom, x, k->bottom + 17);
    put_count((uint64_t)examples, k->to);
    fputs("</text>\n", k->to);
}

static void put_y_tick(const chart *k, double percent)
{
    double y = y_of(k, percent);
    fprintf(k->to,
            "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g%s</text>\n",
            k->left, k->right, y, y, k->left - 6, y + 4, percent, k->numbers ? "" : "%");
}

static void put_axes(const chart *k)
{
    static const double steps[] = {1, 1.5, 2, 3, 5, 7};
    double by = k->most_x >= 200 ? 10 : 2;
    bool fine = k->high / k->low < 12; /* a decade has room for few numbers */
    for (double x = 1; x <= k->most_x; x *= by)
        put_x_tick(k, x);
    int last = (int)floor(log10(k->high));
    for (int exponent = (int)floor(log10(k->low)); exponent <= last; exponent++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            bool coarse = i == 0 || i == 2 || i == 4;
            double percent = steps[i] * pow(10, exponent);
            if ((fine || coarse) && percent >= k->low && percent <= k->high)
                put_y_tick(k, percent);
        }
    fprintf(k->to,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">examples</text>\n"
            "<text x=\"%.1f\" y=\"%.1f\">%s so far</text>\n",
            k->right, k->height - 4, k->left, k->top - 8,
            k->numbers ? "mean squared error" : "error");
}

/* ---- the curves --------------------------------------------------------------------------- */

/* A logarithmic axis has no 0: the curve begins with the first mistake. One that never comes is
 * drawn along the lower edge. */
static size_t first_point(const chart *k, size_t i)
{
    size_t at = 0, points = thr_contest_checkpoints(k->c);
    while (at < points && error_at(k, at, i) <= 0)
        at++;
    return at < points ? at : 0;
}

static void put_curve(const chart *k, size_t place)
{
    size_t i = thr_contest_ranked(k->c, place), points = thr_contest_checkpoints(k->c);
    size_t first = first_point(k, i);
    thr_entrant e;
    thr_contest_at(k->c, i, &e);
    fputs("<polyline class=\"curve ", k->to);
    put_class(place, k->to);
    fputs("\" points=\"", k->to);
    for (size_t at = first; at < points; at++)
        fprintf(k->to, "%s%.1f,%.1f", at > first ? " " : "",
                x_of(k, (double)thr_contest_checkpoint(k->c, at)), y_of(k, error_at(k, at, i)));
    fputs("\"/>\n", k->to);
    for (size_t at = first; at < points; at++) {
        uint64_t examples = thr_contest_checkpoint(k->c, at);
        fprintf(k->to, "<circle class=\"dot f%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
                place % COLOURS, x_of(k, (double)examples), y_of(k, error_at(k, at, i)));
        put_text(e.learner, k->to);
        fprintf(k->to, k->numbers ? ": %.4g on the first " : ": %.2f%% of the first ",
                error_at(k, at, i));
        put_count(examples, k->to);
        fputs("</title></circle>\n", k->to);
    }
}

static void put_chart(const thr_contest *c, const char *name, double width, double height, FILE *to)
{
    chart k = {.c = c,
               .name = name,
               .width = width,
               .height = height,
               .left = 46,
               .right = width - 24,
               .top = 26,
               .bottom = height - 40,
               .most_x = (double)thr_contest_examples(c),
               .numbers = thr_contest_numbers(c),
               .to = to};
    find_range(&k);
    fprintf(to,
            "<svg class=\"chart %s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
            "aria-label=\"Error so far against examples, a curve for each learner\">\n"
            "<clipPath id=\"%s\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>"
            "</clipPath>\n",
            name, width, height, name, k.left - 4, k.top - 4, k.right - k.left + 8,
            k.bottom - k.top + 8);
    put_axes(&k);
    fprintf(to, "<g clip-path=\"url(#%s)\">\n", name);
    for (size_t place = thr_contest_size(c); place-- > 0;) /* the best on top */
        put_curve(&k, place);
    fputs("</g>\n</svg>\n", to);
}

static void put_legend(const thr_contest *c, FILE *to)
{
    thr_entrant e;
    fputs("<ul class=\"legend\">\n", to);
    for (size_t place = 0; thr_contest_at(c, thr_contest_ranked(c, place), &e); place++) {
        fputs("<li><svg viewBox=\"0 0 28 10\" aria-hidden=\"true\"><line class=\"curve ", to);
        put_class(place, to);
        fputs("\" x1=\"0\" x2=\"28\" y1=\"5\" y2=\"5\"/></svg>", to);
        put_text(e.learner, to);
        if (thr_contest_numbers(c))
            fprintf(to, " <span>%.4g</span></li>\n", e.error);
        else
            fprintf(to, " <span>%.2f%%</span></li>\n", 100 * e.error);
    }
    fputs("</ul>\n", to);
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
    put_text(e.learner, to);
    fputs("</th><td>", to);
    if (thr_contest_numbers(c))
        fprintf(to, "%.6g</td><td>%.3g</td><td>", e.error, e.deviation);
    else {
        put_count(e.mistakes, to);
        fprintf(to, "</td><td>%.2f</td><td>%.2f</td><td>", 100 * e.error, 100 * e.deviation);
    }
    put_count(e.updates, to);
    if (place == 0) {
        fputs("</td><td></td><td></td><td>the best</td></tr>\n", to);
        return;
    }
    thr_contest_duel(c, i, thr_contest_ranked(c, 0), &d);
    cli_print_p(&d, p, sizeof p);
    fputs("</td><td>", to);
    put_count(d.only_a, to);
    fputs(" : ", to);
    put_count(d.only_b, to);
    fputs("</td><td>", to);
    put_text(p, to);
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
              ? "Nearer counts the examples on which this learner came nearer to the truth than "
                "the best, and the other way round. p is that of the sign test, against the "
                "best, on the same examples.</p>\n"
              : "Alone right counts the examples that just one of two had right: this learner, "
                "then the best. p is McNemar&rsquo;s, against the best, on the same "
                "examples.</p>\n",
          to);
}

static void put_command(const cli_args *a, const cli_command *command, const char *learner,
                        FILE *to)
{
    char *line = cli_command_line(a, command, learner);
    put_text(line ? line : command->name, to);
    fputc('\n', to);
    free(line);
}

static void put_commands(const cli_args *a, const thr_contest *c, FILE *to)
{
    thr_entrant e;
    fputs("<h2>Commands</h2>\n<p>This page:</p>\n<pre>", to);
    put_command(a, a->command, NULL, to);
    fputs("</pre>\n<p>Each learner by itself, with the same result (add -m FILE to keep the "
          "model):</p>\n<pre>",
          to);
    for (size_t place = 0; thr_contest_at(c, thr_contest_ranked(c, place), &e); place++)
        put_command(a, &cli_train, e.learner, to);
    fputs("</pre>\n", to);
}

void cli_race_page(const cli_args *a, const thr_contest *c, FILE *to)
{
    fputs(head, to);
    fputs("<title>Race on ", to);
    put_text(a->rest[0], to);
    fputs("</title>\n", to);
    put_colours(to);
    fputs("</head>\n<body>\n<h1>Race on ", to);
    for (size_t i = 0; i < a->n_rest; i++) {
        fputs(i ? ", " : "", to);
        put_text(a->rest[i], to);
    }
    fputs("</h1>\n<p>", to);
    put_count(thr_contest_examples(c), to);
    fprintf(to, " examples, one pass; both axes are logarithmic%s</p>\n",
            thr_contest_numbers(c) ? "" : ", and a curve begins with the first mistake");
    put_chart(c, "wide", 860, 460, to);
    put_chart(c, "narrow", 360, 340, to);
    put_legend(c, to);
    put_table(c, to);
    put_commands(a, c, to);
    fputs("</body>\n</html>\n", to);
}
