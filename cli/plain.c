/* Names, labels, tags, file names and messages as they may be printed: thr_escape of them, so that
 * one of them is never more than one field of one line, and no control character reaches a
 * terminal. JSON has its own escapes (json.c). */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 16 /* results that are valid at the same time */

/* Whether all characters are ASCII and stand for themselves, as those of most names do. */
static bool is_simple(const char *text)
{
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e || *text == '\\')
            return false;
    return true;
}

const char *cli_shown(const char *text)
{
    static char *kept[AT_ONCE];
    static unsigned next;
    if (is_simple(text))
        return text;
    size_t n = thr_escape(text, NULL, 0);
    if (n == strlen(text)) /* nothing becomes shorter, so nothing is escaped */
        return text;
    char **place = &kept[next++ % AT_ONCE];
    char *grown = realloc(*place, n + 1);
    if (!grown) /* what is printed would be wrong, and nobody could tell */
        cli_leave("thresh: out of memory\n", EXIT_BAD);
    *place = grown;
    thr_escape(text, grown, n + 1);
    return grown;
}

void cli_put_clean(char *text, FILE *to)
{
    for (char *end; (end = strchr(text, '\\')); text = end + 1) {
        *end = '\0';
        fputs(cli_shown(text), to);
        fputc('\\', to);
        *end = '\\';
    }
    fputs(cli_shown(text), to);
}

static void say(const char *before, const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0) {
        fprintf(stderr, "%sout of memory\n", before);
        return;
    }
    fputs(before, stderr);
    cli_put_clean(text, stderr);
    fputc('\n', stderr);
    free(text);
}

int cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("thresh: ", format, args);
    va_end(args);
    return EXIT_BAD;
}

void cli_warn(const cli_args *a, const char *format, ...)
{
    if (cli_has(a, "quiet"))
        return;
    va_list args;
    va_start(args, format);
    say("thresh: warning: ", format, args);
    va_end(args);
}

int cli_usage_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("thresh: ", format, args);
    va_end(args);
    return EXIT_USAGE;
}
