/* The reader, and the settings at the beginning of a certificate. */
#include "certify/check_lines.h"

#include "base/hash.h"
#include "base/number.h"
#include "certify/certificate.h"
#include "certify/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int thr_lines_wrong(thr_lines *r, const char *what)
{
    if (r->failed)
        return thr_fail_memory(r->err);
    thr_fail(r->err, THR_EDATA, "%s", what);
    return thr_fail_at(r->err, r->file, r->line, 0);
}

bool thr_lines_next(thr_lines *r)
{
    const char *stop = r->at < r->end ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
    r->line++;
    r->rest = (thr_str){r->at, stop ? (size_t)(stop - r->at) : 0};
    r->at = stop ? stop + 1 : r->end;
    return stop;
}

thr_str thr_lines_word(thr_lines *r)
{
    const char *blank = r->rest.n ? memchr(r->rest.p, ' ', r->rest.n) : NULL;
    thr_str w = {r->rest.p, blank ? (size_t)(blank - r->rest.p) : r->rest.n};
    size_t used = w.n + (blank != NULL);
    r->rest = (thr_str){r->rest.p + used, r->rest.n - used};
    return w;
}

bool thr_word_is(thr_str s, const char *text)
{
    return thr_str_eq(s, thr_str_of(text));
}

bool thr_word_number(thr_str w, uint64_t *out)
{
    const char *end = w.p;
    return w.n && thr_parse_u64(w.p, w.p + w.n, &end, out) == THR_NUMBER_OK && end == w.p + w.n;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool thr_word_unescape(thr_lines *r, thr_str w, thr_bytes *out)
{
    out->n = 0;
    r->failed |= !thr_bytes_add(out, "", 0);
    for (size_t i = 0; i < w.n && !r->failed; i++) {
        char c = w.p[i];
        if (c == '%') {
            int high = i + 2 < w.n ? hex_digit(w.p[i + 1]) : -1;
            int low = i + 2 < w.n ? hex_digit(w.p[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        r->failed |= !thr_bytes_add(out, &c, 1);
    }
    return !r->failed;
}

int thr_lines_open(thr_lines *r, thr_str text, const char *file, thr_error *err)
{
    *r = (thr_lines){.at = text.p, .end = text.p + text.n, .file = file, .err = err};
    if (!thr_lines_next(r) || !thr_word_is(r->rest, THR_CERTIFICATE_FIRST))
        return thr_lines_wrong(
            r, "this is not a certificate: it does not begin with '" THR_CERTIFICATE_FIRST "'");
    const char *last = text.p + text.n;
    char found[24], wanted[40];
    if (text.n < sizeof "end 0123456789abcdef\n" || last[-1] != '\n')
        return thr_lines_wrong(r, "the last line is missing");
    last -= sizeof "end 0123456789abcdef\n" - 1;
    uint64_t mark = thr_hash(text.p, (size_t)(last - text.p), 0);
    snprintf(wanted, sizeof wanted, "end %016llx", (unsigned long long)mark);
    snprintf(found, sizeof found, "%.20s", last);
    r->end = last;
    return strcmp(found, wanted) == 0
               ? 0
               : thr_lines_wrong(r, "the file was changed: its last line does not fit the others");
}

/* Only settings that determine the features are accepted: a certificate from elsewhere must not be
 * able to set anything else. */
int thr_certificate_settings(thr_str text, const char *file, thr_settings *s, thr_error *err)
{
    thr_lines r;
    int code = thr_lines_open(&r, text, file, err);
    while (code == 0 && thr_lines_next(&r) && thr_word_is(thr_lines_word(&r), "set")) {
        thr_str name = thr_lines_word(&r);
        const char *known = NULL;
        for (size_t i = 0; (known = thr_certificate_setting(i)) && !thr_word_is(name, known);)
            i++;
        char *value = strndup(r.rest.p, r.rest.n);
        if (!value)
            code = thr_fail_memory(err);
        else if (!known)
            code = thr_lines_wrong(&r, "this setting is not one that says what the features are");
        else if ((code = thr_settings_set(s, known, value, err)) && code != THR_EMEM)
            code = thr_lines_wrong(&r, "the setting has no such value");
        free(value);
    }
    return code;
}
