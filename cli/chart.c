/* A chart as SVG: series of points over two axes. Each axis is linear or logarithmic; x may also
 * have named categories. The chart is drawn twice, for wide and for narrow screens (the style sheet
 * shows one of them), so that text stays readable on both. The legend below is HTML text. A bound
 * is dashed and has the colour of the series before it, to which it belongs. */
#include "cli.h"

#include <math.h>
#include <string.h>

#define LETTER 7.0 /* approximate width of a letter */

typedef struct axis {
    double low, high; /* the values at the two ends */
    double from, to;  /* the coordinates of the two ends in the SVG */
    bool log;
} axis;

typedef struct plane {
    const cli_chart *k;
    const char *name;
    double width, height;
    axis x, y;
    FILE *to;
} plane;

/* ---- axes --------------------------------------------------------------------------------- */

/* The coordinate of a value. Values that a logarithmic axis cannot show are at its lower end. */
static double place(const axis *a, double v)
{
    if (a->log && !(v > 0))
        return a->from;
    double share =
        a->log ? log(v / a->low) / log(a->high / a->low) : (v - a->low) / (a->high - a->low);
    return a->from + share * (a->to - a->from);
}

/* Extends the axis so that it covers these values; those it cannot show are ignored. */
static void widen(axis *a, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(v[i]) && (!a->log || v[i] > 0)) {
            a->low = fmin(a->low, v[i]);
            a->high = fmax(a->high, v[i]);
        }
}

/* Adds a margin of `slack`, relative to the length, and gives an axis with at most one value some
 * length. A linear axis of values from 0 up does not go below 0. */
static void settle(axis *a, double slack)
{
    if (!(a->low <= a->high))
        a->low = a->high = 1;
    if (a->log) {
        a->low /= 1 + slack;
        a->high *= 1 + slack;
    } else {
        double more = slack * (a->high - a->low);
        a->low = a->low >= 0 && a->low - more < 0 ? 0 : a->low - more;
        a->high += more;
    }
    if (!(a->high > a->low))
        a->high = a->log ? a->low * 2 : a->low + 1;
}

static void find_axes(plane *p)
{
    const cli_chart *k = p->k;
    bool bars = false;
    p->x.low = p->y.low = INFINITY;
    p->x.high = p->y.high = -INFINITY;
    for (size_t i = 0; i < k->n; i++) {
        widen(&p->x, k->series[i].x, k->series[i].n);
        widen(&p->y, k->series[i].y, k->series[i].n);
        bars |= k->series[i].kind == THR_BARS;
        if (k->series[i].kind == THR_BARS && !p->y.log)
            widen(&p->y, (const double[]){0}, 1);
    }
    settle(&p->x, k->categories ? 0 : p->x.log ? 0.02 : 0);
    if (bars && !p->x.log) { /* room for the outer bars */
        p->x.low -= 0.5;
        p->x.high += 0.5;
    }
    settle(&p->y, p->y.log ? 0.15 : 0.05);
    if (k->categories) {
        size_t names = 0;
        while (k->categories[names])
            names++;
        p->x.low = -0.5;
        p->x.high = (double)names - 0.5;
    }
    if (!isnan(k->low)) {
        p->y.low = k->low;
        p->y.high = k->high;
    }
}

/* ---- ticks -------------------------------------------------------------------------------- */

static void put_number(double v, const char *unit, FILE *to)
{
    if (v >= 1000 && v < 1e7 && v == floor(v))
        cli_put_count((uint64_t)v, to);
    else
        fprintf(to, "%.6g", v);
    fputs(unit, to);
}

/* Approximate length in letters of the longest number beside the axis: that at one of the ends. */
static double longest_number(const axis *a, const char *unit)
{
    char text[32];
    size_t n = 2;
    double end[] = {a->low, a->high};
    for (int i = 0; i < 2; i++) {
        double size = fabs(end[i]);
        size_t letters =
            size >= 1000 && size < 1e7
                ? (size_t)snprintf(text, sizeof text, "%.0f", size) + (size >= 1e6 ? 2 : 1)
                : (size_t)snprintf(text, sizeof text, "%.2g", end[i]);
        n = letters > n ? letters : n;
    }
    return (double)(n + strlen(unit));
}

static void put_x_tick(const plane *p, double v)
{
    double x = place(&p->x, v);
    fprintf(p->to,
            "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
            x, x, p->y.to, p->y.from, x, p->y.from + 17);
    put_number(v, "", p->to);
    fputs("</text>\n", p->to);
}

static void put_y_tick(const plane *p, double v)
{
    double y = place(&p->y, v);
    fprintf(p->to,
            "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
            p->x.from, p->x.to, y, y, p->x.from - 6, y + 4);
    put_number(v, p->k->unit, p->to);
    fputs("</text>\n", p->to);
}

/* Ticks of a logarithmic axis with room for `room` numbers. With few decades each gets up to six
 * numbers, with more decades three or one, and with many only every second, third, ... decade gets
 * one. */
static void log_ticks(const plane *p, const axis *a, double room,
                      void (*put)(const plane *, double))
{
    static const double steps[] = {1, 1.5, 2, 3, 5, 7};
    double decades = log10(a->high / a->low), each = room / decades;
    int every = each >= 1 ? 1 : (int)ceil(1 / each);
    for (int e = (int)floor(log10(a->low)); e <= (int)floor(log10(a->high)); e++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            bool wanted = i == 0 ? e % every == 0 : each >= 6 || (each >= 3 && (i == 2 || i == 4));
            double v = steps[i] * pow(10, e);
            if (wanted && v >= a->low && v <= a->high)
                put(p, v);
        }
}

/* The step is the smallest of 1, 2, 5 times a power of ten that leaves at most `room` numbers. */
static void linear_ticks(const plane *p, const axis *a, double room,
                         void (*put)(const plane *, double))
{
    double step = pow(10, floor(log10((a->high - a->low) / room)));
    while ((a->high - a->low) / step > room)
        step *= (a->high - a->low) / (step * 2) <= room   ? 2
                : (a->high - a->low) / (step * 5) <= room ? 5
                                                          : 10;
    for (double n = ceil(a->low / step); n * step <= a->high + step * 1e-9; n++)
        put(p, n == 0 ? 0 : n * step);
}

/* Whether the names of categories are too long to be written side by side. */
static bool is_slanted(const cli_chart *k, double width)
{
    size_t names = 0, longest = 0;
    for (; k->categories[names]; names++)
        longest = strlen(k->categories[names]) > longest ? strlen(k->categories[names]) : longest;
    return (double)(names * (longest + 2)) * LETTER > width - 80;
}

static void put_axes(const plane *p)
{
    double across = (p->x.to - p->x.from) / 75, up = (p->y.from - p->y.to) / 40;
    bool slanted = p->k->categories && is_slanted(p->k, p->width);
    for (size_t i = 0; p->k->categories && p->k->categories[i]; i++) {
        double x = place(&p->x, (double)i), y = p->y.from + (slanted ? 12 : 17);
        if (slanted)
            fprintf(p->to,
                    "<text transform=\"translate(%.1f %.1f) rotate(-35)\" "
                    "text-anchor=\"end\">",
                    x + 4, y);
        else
            fprintf(p->to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y);
        cli_put_text(p->k->categories[i], p->to);
        fputs("</text>\n", p->to);
    }
    if (!p->k->categories)
        (p->x.log ? log_ticks : linear_ticks)(p, &p->x, across, put_x_tick);
    (p->y.log ? log_ticks : linear_ticks)(p, &p->y, up, put_y_tick);
    fprintf(p->to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", p->x.to, p->height - 4);
    cli_put_text(p->k->x, p->to);
    fprintf(p->to, "</text>\n<text x=\"%.1f\" y=\"%.1f\">", p->x.from, p->y.to - 8);
    cli_put_text(p->k->y, p->to);
    fputs("</text>\n", p->to);
}

/* ---- series ------------------------------------------------------------------------------- */

/* The colour of series i; a bound has the colour of the series before it. */
static size_t colour_of(const cli_chart *k, size_t i)
{
    size_t colour = 0;
    for (size_t s = 1; s <= i; s++)
        colour += k->series[s].kind != THR_BOUND;
    return colour;
}

static void put_class(const cli_chart *k, size_t i, FILE *to)
{
    size_t colour = colour_of(k, i);
    fprintf(to, "s%zu", colour % CLI_COLOURS);
    if (k->series[i].kind == THR_BOUND)
        fputs(" d1", to);
    else if (colour >= CLI_COLOURS)
        fprintf(to, " d%zu", (colour / CLI_COLOURS - 1) % 2 + 2);
}

static void put_title(const plane *p, const thr_series *s, size_t i)
{
    fputs("<title>", p->to);
    cli_put_text(s->name, p->to);
    fputs(": ", p->to);
    put_number(s->y[i], p->k->unit, p->to);
    fputs(" at ", p->to);
    if (p->k->categories)
        cli_put_text(p->k->categories[(size_t)s->x[i]], p->to);
    else
        put_number(s->x[i], "", p->to);
    fputs("</title>", p->to);
}

/* Bars of several series with the same x are drawn side by side. */
static void put_bars(const plane *p, size_t i)
{
    const thr_series *s = &p->k->series[i];
    size_t groups = 0, mine = 0;
    for (size_t k = 0; k < p->k->n; k++) {
        mine = k == i ? groups : mine;
        groups += p->k->series[k].kind == THR_BARS;
    }
    double unit = (place(&p->x, 1) - place(&p->x, 0)) * 0.8, wide = unit / (double)groups;
    for (size_t k = 0; k < s->n; k++) {
        if (!isfinite(s->y[k]))
            continue;
        double left = place(&p->x, s->x[k]) - unit / 2 + wide * (double)mine;
        double top = place(&p->y, s->y[k]), foot = place(&p->y, p->y.log ? p->y.low : 0);
        fprintf(
            p->to, "<rect class=\"dot f%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
            colour_of(p->k, i) % CLI_COLOURS, left, fmin(top, foot), wide * 0.94, fabs(foot - top));
        put_title(p, s, k);
        fputs("</rect>\n", p->to);
    }
}

/* A curve has a dot at each point. A series of one point has a dot whatever its kind: a line of one
 * point cannot be seen. */
static void put_series(const plane *p, size_t i)
{
    const thr_series *s = &p->k->series[i];
    if (s->kind == THR_BARS)
        put_bars(p, i);
    if (s->kind == THR_CURVE || s->kind == THR_BOUND) {
        fputs("<polyline class=\"curve ", p->to);
        put_class(p->k, i, p->to);
        fputs("\" points=\"", p->to);
        for (size_t k = 0, some = 0; k < s->n; k++)
            if (isfinite(s->y[k]))
                fprintf(p->to, "%s%.1f,%.1f", some++ ? " " : "", place(&p->x, s->x[k]),
                        place(&p->y, s->y[k]));
        fputs("\"/>\n", p->to);
    }
    bool dots = s->kind == THR_CURVE || s->kind == THR_DOTS || s->n == 1;
    for (size_t k = 0; k < s->n && dots; k++) {
        if (!isfinite(s->y[k]))
            continue;
        fprintf(p->to, "<circle class=\"dot f%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\">",
                colour_of(p->k, i) % CLI_COLOURS, place(&p->x, s->x[k]), place(&p->y, s->y[k]));
        put_title(p, s, k);
        fputs("</circle>\n", p->to);
    }
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void put_plane(const cli_chart *k, const char *name, double width, double height, FILE *to)
{
    double foot = k->categories && is_slanted(k, width) ? 84 : 40;
    plane p = {.k = k,
               .name = name,
               .width = width,
               .height = height,
               .x = {.to = width - 24, .log = k->log_x},
               .y = {.from = height - foot, .to = 26, .log = k->log_y},
               .to = to};
    find_axes(&p);
    p.x.from = 20 + LETTER * longest_number(&p.y, k->unit);
    fprintf(to, "<svg class=\"chart %s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
            name, width, height);
    cli_put_text(k->label, to);
    fprintf(to,
            "\">\n<clipPath id=\"%s-%s\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" "
            "height=\"%.0f\"/></clipPath>\n",
            k->id, name, p.x.from - 4, p.y.to - 4, p.x.to - p.x.from + 8, p.y.from - p.y.to + 8);
    put_axes(&p);
    fprintf(to, "<g clip-path=\"url(#%s-%s)\">\n", k->id, name);
    for (size_t i = k->n; i-- > 0;) /* the first series is drawn last, on top */
        put_series(&p, i);
    fputs("</g>\n</svg>\n", to);
}

/* Each entry of the legend has a small sample of how its series is drawn. */
void cli_put_chart(const cli_chart *k, FILE *to)
{
    put_plane(k, "wide", 860, 460, to);
    put_plane(k, "narrow", 360, 340, to);
    fputs("<ul class=\"legend\">\n", to);
    for (size_t i = 0; i < k->n; i++) {
        enum thr_series_kind kind = k->series[i].kind;
        fputs("<li><svg viewBox=\"0 0 28 10\" aria-hidden=\"true\">", to);
        if (kind == THR_BARS)
            fprintf(to, "<rect class=\"dot f%zu\" x=\"4\" y=\"0\" width=\"20\" height=\"10\"/>",
                    colour_of(k, i) % CLI_COLOURS);
        else if (kind == THR_DOTS)
            fprintf(to, "<circle class=\"dot f%zu\" cx=\"14\" cy=\"5\" r=\"4\"/>",
                    colour_of(k, i) % CLI_COLOURS);
        else {
            fputs("<line class=\"curve ", to);
            put_class(k, i, to);
            fputs("\" x1=\"0\" x2=\"28\" y1=\"5\" y2=\"5\"/>", to);
        }
        fputs("</svg>", to);
        cli_put_text(k->series[i].name, to);
        if (k->detail && k->detail[i])
            fprintf(to, " <span>%s</span>", k->detail[i]);
        fputs("</li>\n", to);
    }
    fputs("</ul>\n", to);
}
