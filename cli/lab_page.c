/* Experiments as an HTML page: each with its claim, its figures, the worst case seen beside the
 * bound, and the command that repeats it. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

void cli_lab_page_begin(const cli_args *a, FILE *to)
{
    (void)a;
    cli_page_begin("The lab: what theory claims, put to the test", to);
    fprintf(to,
            "<h1>The lab: what theory claims, put to the test</h1>\n"
            "<p>thresh %s. Every figure is drawn from seeded data by the command under it. "
            "&ldquo;Worst&rdquo; is the worst case seen, by chance or by an adversary that looked "
            "for it.</p>\n",
            thr_version());
}

static bool put_figure(const thr_lab *l, size_t i, const thr_lab_chart *c, FILE *to)
{
    char id[128];
    thr_lab_info about;
    thr_series s;
    size_t n = 0;
    while (thr_lab_series_at(l, i, n, &s))
        n++;
    thr_series *series = calloc(n + 1, sizeof *series);
    if (!series)
        return false;
    for (size_t k = 0; k < n; k++)
        thr_lab_series_at(l, i, k, &series[k]);
    thr_lab_about(l, &about);
    snprintf(id, sizeof id, "%s-%zu", about.name, i + 1);
    cli_chart chart = {.id = id,
                       .label = c->title,
                       .x = c->x,
                       .y = c->y,
                       .unit = "",
                       .log_x = c->log_x,
                       .log_y = c->log_y,
                       .categories = c->categories,
                       .low = NAN,
                       .high = NAN,
                       .series = series,
                       .n = n};
    fputs("<figure>\n<figcaption>", to);
    cli_put_text(c->title, to);
    fputs("</figcaption>\n", to);
    cli_put_chart(&chart, to);
    fputs("</figure>\n", to);
    free(series);
    return true;
}

static void put_claim(const thr_lab_claim *c, FILE *to)
{
    const char *relation = *c->relation == '<' ? "&le;" : *c->relation == '>' ? "&ge;" : "=";
    fputs("<tr><td>", to);
    cli_put_text(c->text, to);
    fprintf(to, "</td><td>%.4g</td><td>%s&nbsp;%.4g</td><td class=\"%s\">%s</td></tr>\n", c->worst,
            relation, c->bound, c->holds ? "holds" : "fails", c->holds ? "holds" : "fails");
}

bool cli_lab_page_add(const thr_lab *l, uint64_t seed, FILE *to)
{
    thr_lab_info x;
    thr_lab_about(l, &x);
    thr_lab_chart chart;
    thr_lab_claim claim;
    const char *note;
    bool ok = true;
    fprintf(to, "<section id=\"%s\">\n<h2>", x.name);
    cli_put_text(x.title, to);
    fputs("</h2>\n<p>Claim: ", to);
    cli_put_text(x.claim, to);
    fputs(".</p>\n", to);
    for (size_t i = 0; thr_lab_chart_at(l, i, &chart); i++)
        ok &= put_figure(l, i, &chart, to);
    for (size_t i = 0; (note = thr_lab_note(l, i)); i++) {
        fputs("<p>", to);
        cli_put_text(note, to);
        fputs("</p>\n", to);
    }
    fputs("<div class=\"scroll\"><table class=\"words\">\n<thead><tr><th scope=\"col\">claim</th>"
          "<th scope=\"col\">worst</th><th scope=\"col\">bound</th><th scope=\"col\"></th></tr>"
          "</thead>\n<tbody>\n",
          to);
    for (size_t i = 0; thr_lab_claim_at(l, i, &claim); i++)
        put_claim(&claim, to);
    fprintf(to,
            "</tbody></table></div>\n<p><code>thresh lab run %s --seed %llu</code></p>\n"
            "</section>\n",
            x.name, (unsigned long long)seed);
    return ok;
}
