/* The parts that all HTML pages share. A page is self-contained and loads nothing else. It follows
 * the light or dark preference of the reader, and is readable on a phone. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>";

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

static void put_characters(const char *text, FILE *to)
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

/* Control characters have no place in HTML. Backslashes stay: the text may be a command to be
 * copied. */
void cli_put_text(const char *text, FILE *to)
{
    char *copy = strdup(text);
    if (!copy)
        cli_leave("thresh: out of memory\n", EXIT_BAD);
    for (char *at = copy, *end; at; at = end ? end + 1 : NULL) {
        end = strchr(at, '\\');
        if (end)
            *end = '\0';
        put_characters(cli_shown(at), to);
        if (end)
            fputc('\\', to);
    }
    free(copy);
}

void cli_put_count(uint64_t n, FILE *to)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            fputc(',', to);
        fputc(digits[i], to);
    }
}

void cli_page_begin(const char *title, FILE *to)
{
    fputs(head, to);
    cli_put_text(title, to);
    fputs("</title>\n", to);
    fputs(style, to);
    for (int i = 0; i < CLI_COLOURS; i++)
        fprintf(to, ".s%d { stroke: var(--c%d); } .f%d { fill: var(--c%d); }\n", i, i, i, i);
    fputs(".d1 { stroke-dasharray: 7 4; } .d2 { stroke-dasharray: 2 3; }\n"
          ".d3 { stroke-dasharray: 10 3 2 3; }\n"
          ".holds { color: var(--c2); } .fails { color: var(--c6); font-weight: 600; }\n"
          "table.words td, table.words th { white-space: normal; }\n"
          "table.words td:first-child, table.words th:first-child { text-align: left; }\n"
          "figure { margin: 1rem 0; } figcaption { color: var(--soft); margin: 0 0 .5rem; }\n"
          "code { font: 14px ui-monospace, monospace; overflow-wrap: anywhere; }\n</style>\n"
          "</head>\n<body>\n",
          to);
}

void cli_page_end(FILE *to)
{
    fputs("</body>\n</html>\n", to);
}
