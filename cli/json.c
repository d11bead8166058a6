/* JSON output: one object per line, keys in the order of the calls. Nothing is buffered here; write
 * errors are seen by whoever closes the file. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

/* 15 significant digits are enough for most doubles, 17 for all. */
void cli_put_exact(FILE *to, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, to);
}

void cli_json_open(cli_json *j, FILE *to)
{
    *j = (cli_json){to, true};
    fputc('{', to);
}

void cli_json_close(cli_json *j)
{
    fputs("}\n", j->to);
}

/* The length of the UTF-8 sequence at p, or 0 if it is not valid (overlong forms and surrogates are
 * not). Invalid bytes would make the line invalid JSON, so put_string writes them as U+FFFD. */
static size_t utf8_length(const unsigned char *p)
{
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
               : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
               : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && n && p[1] < 0xa0) || (p[0] == 0xed && n && p[1] > 0x9f) ||
        (p[0] == 0xf0 && n && p[1] < 0x90) || (p[0] == 0xf4 && n && p[1] > 0x8f))
        return 0;
    return n;
}

/* The code point of a valid sequence of at most three bytes if it is to be written as an escape, as
 * thr_escape does in plain output: DEL and C1, line separators, marks of direction. Else 0. */
static unsigned escaped(const unsigned char *p, size_t n)
{
    unsigned c = n == 1   ? p[0]
                 : n == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu)
                 : n == 3 ? (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu)
                          : 0;
    bool special = c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
                   (c >= 0x2066 && c <= 0x2069);
    return special ? c : 0;
}

static void put_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = utf8_length(p);
        if (*p == '"' || *p == '\\')
            fprintf(to, "\\%c", *p);
        else if (n == 0)
            fputs("\\ufffd", to);
        else if (escaped(p, n))
            fprintf(to, "\\u%04x", escaped(p, n));
        else
            fwrite(p, 1, n, to);
        p += n ? n : 1;
    }
    fputc('"', to);
}

static void put_key(cli_json *j, const char *key)
{
    if (!j->first)
        fputs(", ", j->to);
    j->first = false;
    if (key) {
        put_string(j->to, key);
        fputs(": ", j->to);
    }
}

void cli_json_string(cli_json *j, const char *key, const char *value)
{
    put_key(j, key);
    if (value)
        put_string(j->to, value);
    else
        fputs("null", j->to);
}

void cli_json_integer(cli_json *j, const char *key, unsigned long long value)
{
    put_key(j, key);
    fprintf(j->to, "%llu", value);
}

void cli_json_real(cli_json *j, const char *key, double value)
{
    put_key(j, key);
    if (isfinite(value))
        cli_put_exact(j->to, value);
    else
        fputs("null", j->to);
}

void cli_json_bool(cli_json *j, const char *key, bool value)
{
    put_key(j, key);
    fputs(value ? "true" : "false", j->to);
}

void cli_json_begin(cli_json *j, const char *key, char bracket)
{
    put_key(j, key);
    fputc(bracket, j->to);
    j->first = true;
}

void cli_json_end(cli_json *j, char bracket)
{
    fputc(bracket, j->to);
    j->first = false;
}
