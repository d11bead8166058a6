/* Logs of updates (log.c) read back. A line that is not as it must be stops with its place. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef THR_HAVE_JANSSON
#include <jansson.h>

static int bad(thr_error *err, const char *what)
{
    err->code = THR_EDATA;
    snprintf(err->message, sizeof err->message, "this is not a line of a log of updates: %s", what);
    return EXIT_BAD;
}

/* A text, or null or nothing. */
static bool text_at(const json_t *from, const char *key, const char **out)
{
    const json_t *v = json_object_get(from, key);
    *out = json_string_value(v);
    return !v || json_is_null(v) || *out;
}

static bool word_at(const json_t *from, const char *key, cli_logged_word *out)
{
    const json_t *v = json_object_get(from, key);
    out->text = json_string_value(v);
    out->number = json_is_number(v) ? json_number_value(v) : NAN;
    return !v || json_is_null(v) || out->text || json_is_number(v);
}

static bool whole_at(const json_t *from, const char *key, uint64_t *out)
{
    const json_t *v = json_object_get(from, key);
    if (v && !json_is_integer(v))
        return false;
    json_int_t n = json_integer_value(v);
    *out = (uint64_t)n;
    return n >= 0;
}

static int read_features(const json_t *features, cli_logged *u, cli_logged_fn *fn, void *user,
                         thr_error *err)
{
    if (!json_is_array(features))
        return bad(err, "a move has no \"features\"");
    int status = 0;
    for (size_t i = 0; i < json_array_size(features) && status == 0; i++) {
        const json_t *pair = json_array_get(features, i), *by = json_array_get(pair, 1);
        u->feature = json_string_value(json_array_get(pair, 0));
        u->by = json_is_number(by) ? json_number_value(by) : NAN;
        if (!u->feature || json_array_size(pair) != 2 || !(json_is_number(by) || json_is_null(by)))
            return bad(err, "a feature is not a pair of its name and its change");
        status = fn(user, u, err);
    }
    return status;
}

static int read_moves(const json_t *moves, cli_logged *u, cli_logged_fn *fn, void *user,
                      thr_error *err)
{
    int status = 0;
    for (size_t i = 0; i < json_array_size(moves) && status == 0; i++) {
        const json_t *move = json_array_get(moves, i);
        if (!json_is_object(move) || !text_at(move, "label", &u->label) ||
            !text_at(move, "against", &u->against))
            return bad(err, "a move has no \"label\"");
        u->shared = json_is_true(json_object_get(move, "shared"));
        status = read_features(json_object_get(move, "features"), u, fn, user, err);
    }
    return status;
}

static int read_update(const json_t *line, cli_logged_fn *fn, void *user, thr_error *err)
{
    cli_logged u = {.by = NAN};
    const json_t *scale = json_object_get(line, "rescaled"),
                 *moves = json_object_get(line, "moves");
    u.rescaled = json_is_number(scale) ? json_number_value(scale) : 1;
    if (!json_is_object(line))
        return bad(err, "it is no object");
    if (!whole_at(line, "example", &u.example) || u.example == 0)
        return bad(err, "\"example\" must be a whole number from 1");
    if (!whole_at(line, "line", &u.line))
        return bad(err, "\"line\" must be a whole number");
    if (!text_at(line, "rule", &u.rule) || !u.rule)
        return bad(err, "\"rule\" must be a name");
    if (!text_at(line, "file", &u.file) || !text_at(line, "tag", &u.tag))
        return bad(err, "\"file\" and \"tag\" must be texts");
    if (!word_at(line, "truth", &u.truth) || !word_at(line, "prediction", &u.prediction))
        return bad(err, "\"truth\" and \"prediction\" must be texts or numbers");
    if (!json_is_array(moves))
        return bad(err, "\"moves\" must be a list");
    int status = fn(user, &u, err);
    return status ? status : read_moves(moves, &u, fn, user, err);
}

static int read_line(const char *text, size_t n, cli_logged_fn *fn, void *user, thr_error *err)
{
    json_error_t why;
    json_t *line = json_loadb(text, n, 0, &why);
    int status = line ? read_update(line, fn, user, err) : bad(err, why.text);
    if (!line && why.column > 0)
        err->column = (uint64_t)why.column;
    json_decref(line);
    return status;
}

static int read_lines(FILE *from, const char *path, cli_logged_fn *fn, void *user)
{
    thr_error err = {0};
    char *text = NULL;
    size_t room = 0;
    ssize_t n;
    int status = 0;
    snprintf(err.file, sizeof err.file, "%s", from == stdin ? "standard input" : path);
    while (status == 0 && (n = getline(&text, &room, from)) > 0) {
        err.line++;
        status = read_line(text, (size_t)n, fn, user, &err);
    }
    free(text);
    if (status)
        cli_fail(&err);
    else if (ferror(from)) {
        fprintf(stderr, "thresh: %s: cannot be read\n", err.file);
        status = EXIT_BAD;
    }
    return status;
}

int cli_log_read(const char *path, cli_logged_fn *fn, void *user)
{
    FILE *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!from) {
        fprintf(stderr, "thresh: %s: cannot open: %s\n", path, strerror(errno));
        return EXIT_BAD;
    }
    int status = read_lines(from, path, fn, user);
    if (from != stdin)
        fclose(from);
    return status;
}

#else

int cli_log_read(const char *path, cli_logged_fn *fn, void *user)
{
    (void)path, (void)fn, (void)user;
    return cli_usage_error("this build cannot read JSON: build it with jansson");
}

#endif
