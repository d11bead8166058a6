/* --log: one line of JSON for each update of a rule, saying which weights it changed and by how
 * much (docs/JSON.md). The file appears when it is complete, after the model. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

/* Writes pairs [name, change] and not an object: bytes that are not UTF-8 are all written as
 * U+FFFD, so different names may become equal, and keys of an object must not repeat. False: out of
 * memory. */
static bool put_features(cli_log *l, cli_json *j, const thr_update *u, const thr_moved *move)
{
    cli_json_begin(j, "features", '[');
    for (size_t i = 0; i < u->n_features; i++) {
        if (move->change && move->change[i] == 0)
            continue;
        size_t n = thr_model_feature(l->m, u->features[i], l->name, l->room);
        if (n >= l->room) {
            char *grown = realloc(l->name, 2 * n + 64);
            if (!grown)
                return false;
            l->name = grown;
            l->room = 2 * n + 64;
            thr_model_feature(l->m, u->features[i], l->name, l->room);
        }
        cli_json_begin(j, NULL, '[');
        cli_json_string(j, NULL, l->name);
        cli_json_real(j, NULL, move->change ? move->change[i] : NAN);
        cli_json_end(j, ']');
    }
    cli_json_end(j, ']');
    return true;
}

static void put_example(const cli_log *l, cli_json *j, const thr_update *u)
{
    bool known = u->file;
    cli_json_integer(j, "example", u->example);
    cli_json_string(j, "file", known ? u->file : l->file);
    cli_json_integer(j, "line", known ? u->line : l->line);
    cli_json_string(j, "tag", *u->tag ? u->tag : NULL);
    cli_json_string(j, "rule", u->rule);
    if (thr_model_regression(l->m)) {
        cli_json_real(j, "truth", u->target);
        cli_json_real(j, "prediction", u->score);
        return;
    }
    if (u->multilabel) {
        cli_json_labels(j, "truths", u->truths, u->n_truths);
        cli_json_labels(j, "predictions", u->set, u->n_set);
    } else {
        cli_json_string(j, "truth", u->truth);
        cli_json_string(j, "prediction", u->predicted);
    }
    cli_json_real(j, "score", u->score);
    if (u->pushed)
        cli_json_real(j, "pushed", u->pushed);
}

int cli_log_put(void *user, const thr_update *u)
{
    cli_log *l = user;
    cli_json j;
    bool done = true;
    cli_json_open(&j, l->out.to);
    put_example(l, &j, u);
    if (u->kept)
        cli_json_bool(&j, "kept", true);
    if (u->rescaled != 1)
        cli_json_real(&j, "rescaled", u->rescaled);
    cli_json_begin(&j, "moves", '[');
    for (size_t i = 0; i < u->n_moves && done; i++) {
        const thr_moved *move = &u->moves[i];
        cli_json_begin(&j, NULL, '{');
        cli_json_string(&j, "label", move->label);
        cli_json_string(&j, "against", move->against);
        cli_json_bool(&j, "shared", move->shared);
        cli_json_real(&j, "margin", move->margin);
        cli_json_real(&j, "step", move->step);
        done = put_features(l, &j, u, move);
        cli_json_end(&j, '}');
    }
    cli_json_end(&j, ']');
    cli_json_close(&j);
    return !done ? THR_EMEM : ferror(l->out.to) ? THR_EIO : 0;
}

int cli_log_open(cli_log *l, const cli_args *a, const thr_model *m)
{
    const char *path = cli_get(a, "log", NULL);
    if (!path)
        return 0;
    l->m = m;
    int status = cli_output_open(&l->out, path);
    l->on = status == 0;
    return status;
}

void cli_log_error(const cli_log *l, thr_error *err)
{
    *err = (thr_error){.code = THR_EIO};
    snprintf(err->message, sizeof err->message, "cannot write %s", l->on ? l->out.path : "the log");
}

int cli_log_close(cli_log *l, int status)
{
    free(l->name);
    l->name = NULL;
    return l->on ? cli_output_close(&l->out, status) : status;
}
