/* Reads logs of updates back (log.c writes them). A line that is not as expected stops the reading
 * with a message that gives its place. Needs jansson. */
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

/* A string; NULL if it is null or absent. Returns false for any other value. */
static bool text_at(const json_t *from, const char *key, const char **out)
{
    const json_t *v = json_object_get(from, key);
    *out = json_string_value(v);
    return !v || json_is_null(v) || *out;
}

/* Under the key `one` a string, a number, null or nothing; or under the key `several` a list of
 * strings. out->text is to be freed. */
static int word_at(const json_t *from, const char *one, const char *several, cli_logged_word *out,
                   thr_error *err)
{
    const json_t *v = json_object_get(from, one), *list = json_object_get(from, several);
    size_t n = json_array_size(list);
    out->number = json_is_number(v) ? json_number_value(v) : NAN;
    out->several = list;
    if (!list && (!v || json_is_null(v) || json_is_number(v)))
        return 0;
    out->text = calloc(n + 1, sizeof *out->text);
    if (!out->text) {
        err->code = THR_EMEM;
        snprintf(err->message, sizeof err->message, "out of memory");
        return EXIT_BAD;
    }
    out->text[0] = json_string_value(v);
    out->n = list ? n : 1;
    for (size_t i = 0; i < n; i++)
        out->text[i] = json_string_value(json_array_get(list, i));
    bool good = !list || json_is_array(list);
    for (size_t i = 0; i < out->n; i++)
        good = good && out->text[i];
    return good   ? 0
           : list ? bad(err, "\"truths\" and \"predictions\" must be lists of strings")
                  : bad(err, "\"truth\" and \"prediction\" must be strings or numbers");
}

/* A whole number from 0; 0 if it is absent. */
static bool whole_at(const json_t *from, const char *key, uint64_t *out)
{
    const json_t *v = json_object_get(from, key);
    if (v && !json_is_integer(v))
        return false;
    json_int_t n = json_integer_value(v);
    *out = (uint64_t)n;
    return n >= 0;
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
        const json_t *features = json_object_get(move, "features");
        if (!json_is_array(features))
            return bad(err, "a move has no \"features\"");
        for (size_t k = 0; k < json_array_size(features) && status == 0; k++) {
            const json_t *pair = json_array_get(features, k), *by = json_array_get(pair, 1);
            u->feature = json_string_value(json_array_get(pair, 0));
            u->by = json_is_number(by) ? json_number_value(by) : NAN;
            if (!u->feature || json_array_size(pair) != 2 ||
                !(json_is_number(by) || json_is_null(by)))
                return bad(err, "a feature is not a pair of its name and its change");
            status = fn(user, u, err);
        }
    }
    return status;
}

static int read_about(const json_t *line, cli_logged *u, thr_error *err)
{
    const json_t *scale = json_object_get(line, "rescaled");
    u->rescaled = json_is_number(scale) ? json_number_value(scale) : 1;
    if (!json_is_object(line))
        return bad(err, "it is no object");
    if (!whole_at(line, "example", &u->example) || u->example == 0)
        return bad(err, "\"example\" must be a whole number from 1");
    if (!whole_at(line, "line", &u->line))
        return bad(err, "\"line\" must be a whole number");
    if (!text_at(line, "rule", &u->rule) || !u->rule)
        return bad(err, "\"rule\" must be a name");
    if (!text_at(line, "file", &u->file) || !text_at(line, "tag", &u->tag))
        return bad(err, "\"file\" and \"tag\" must be strings");
    const json_t *pushed = json_object_get(line, "pushed");
    json_int_t sign = json_integer_value(pushed);
    u->pushed = (int)(sign > 0) - (int)(sign < 0);
    if (pushed && sign != 1 && sign != -1)
        return bad(err, "\"pushed\" must be 1 or -1");
    int status = word_at(line, "truth", "truths", &u->truth, err);
    return status ? status : word_at(line, "prediction", "predictions", &u->prediction, err);
}

static int read_update(const json_t *line, cli_logged_fn *fn, void *user, thr_error *err)
{
    cli_logged u = {.by = NAN};
    const json_t *moves = json_object_get(line, "moves");
    int status = read_about(line, &u, err);
    if (status == 0 && !json_is_array(moves))
        status = bad(err, "\"moves\" must be a list");
    if (status == 0)
        status = fn(user, &u, err);
    if (status == 0)
        status = read_moves(moves, &u, fn, user, err);
    free(u.truth.text);
    free(u.prediction.text);
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
        json_error_t why;
        json_t *line = json_loadb(text, (size_t)n, 0, &why);
        err.line++;
        status = line ? read_update(line, fn, user, &err) : bad(&err, why.text);
        if (!line && why.column > 0)
            err.column = (uint64_t)why.column;
        json_decref(line);
    }
    free(text);
    if (status)
        cli_fail(&err);
    else if (!feof(from)) { /* or there was no memory for a line */
        cli_say("%s: cannot be read", err.file);
        status = EXIT_BAD;
    }
    return status;
}

int cli_log_read(const char *path, cli_logged_fn *fn, void *user)
{
    FILE *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!from) {
        cli_say("%s: cannot open: %s", path, strerror(errno));
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
