/* thresh online: predict, hear the label, learn; one line each on standard input.
 *
 * A line with a label is predicted and then learned. A line without one is predicted only; the
 * label may follow as `= LABEL` on a line of its own. Each answer is `label TAB score`, `-` while
 * no label is known. The model is written at the end of the input. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {'l', "learner", "SPEC", "the rule of a new model: NAME or NAME:key=value,..."},
    {'m', "model", "FILE", "go on from this model if it exists, and write it at the end"},
    {'f', "format", "FORMAT", "input format (default: detected, line by line)"},
    {0, "columns", "LIST", "columns of tab-separated lines, such as label=1,id=2,text=3"},
    {0},
};

typedef struct session {
    const cli_args *a;
    thr_model *m;
    thr_scratch *scratch;
    thr_batch *b; /* the last example */
    const char *format;
    bool waiting; /* ... has no label yet */
    uint64_t line, asked, learned, mistakes;
} session;

static int complain(session *s, thr_error *err)
{
    snprintf(err->file, sizeof err->file, "standard input");
    err->line = s->line;
    return cli_fail(err);
}

/* A file that is there must open; one that is not begins a new model. */
static int make_model(session *s)
{
    thr_error err;
    int status;
    thr_settings *settings = cli_settings(s->a, &status);
    if (!settings)
        return status;
    const char *path = cli_get(s->a, "model", NULL);
    FILE *there = path ? fopen(path, "rb") : NULL;
    if (there)
        fclose(there);
    s->m = there ? thr_model_open(path, true, &err) : thr_model_new(settings, &err);
    thr_settings_free(settings);
    s->scratch = thr_scratch_new();
    s->b = thr_batch_new();
    s->format = cli_get(s->a, "format", NULL);
    return !s->m ? cli_fail(&err) : s->scratch && s->b ? 0 : cli_usage_error("out of memory");
}

static int answer(session *s)
{
    thr_error err;
    int32_t label;
    size_t n = thr_model_labels(s->m);
    double *scores = calloc(n + 1, sizeof *scores);
    int code = scores ? thr_score(s->m, s->scratch, s->b, &label, scores, &err) : THR_EMEM;
    if (code == 0 && label >= 0)
        printf("%s\t%.9g\n", thr_model_label(s->m, (size_t)label), scores[label]);
    else if (code == 0)
        puts("-");
    free(scores);
    s->asked++;
    fflush(stdout);
    if (code)
        return complain(s, &err);
    return ferror(stdout) ? EXIT_BAD : 0;
}

static int learn(session *s)
{
    thr_error err;
    thr_stats before, after;
    thr_model_stats(s->m, &before);
    if (thr_learn(s->m, s->b, NULL, &err))
        return complain(s, &err);
    thr_model_stats(s->m, &after);
    s->learned++;
    s->mistakes += after.mistakes - before.mistakes;
    s->waiting = false;
    return 0;
}

static int hear_label(session *s, char *label)
{
    thr_error err;
    if (!s->waiting) {
        err = (thr_error){.code = THR_EDATA};
        snprintf(err.message, sizeof err.message, "there is no example waiting for a label");
        return complain(s, &err);
    }
    thr_batch_relabel(s->b, 0, label);
    return learn(s);
}

/* With a label if it reads so, else without. */
static int parse(session *s, const char *line, size_t n, bool *labelled)
{
    thr_error err, second;
    *labelled = true;
    thr_batch_clear(s->b);
    int code = thr_batch_parse(s->b, s->m, s->format, true, line, n, &err);
    if (code == 0) {
        *labelled = thr_batch_labelled(s->b, 0);
        return 0;
    }
    *labelled = false;
    thr_batch_clear(s->b);
    if (thr_batch_parse(s->b, s->m, s->format, false, line, n, &second) == 0)
        return 0;
    return complain(s, &err);
}

static int one_line(session *s, char *line, size_t n)
{
    if (n && line[n - 1] == '\n')
        line[--n] = '\0';
    if (n && line[n - 1] == '\r')
        line[--n] = '\0';
    if (n == 0)
        return 0;
    if (n > 2 && line[0] == '=' && line[1] == ' ')
        return hear_label(s, line + 2);
    bool labelled;
    int status = parse(s, line, n, &labelled);
    s->waiting = !labelled;
    if (status == 0)
        status = answer(s);
    return status == 0 && labelled ? learn(s) : status;
}

static int finish(session *s)
{
    const char *path = cli_get(s->a, "model", NULL);
    int status = path && s->learned ? cli_save_model(s->m, path, false) : 0;
    if (status)
        return status;
    if (!cli_has(s->a, "quiet"))
        fprintf(stderr, "thresh: %llu prediction%s, %llu example%s learned, %llu mistake%s\n",
                (unsigned long long)s->asked, cli_s(s->asked), (unsigned long long)s->learned,
                cli_s(s->learned), (unsigned long long)s->mistakes, cli_s(s->mistakes));
    return 0;
}

static int run(const cli_args *a)
{
    session s = {.a = a};
    if (a->n_rest)
        return cli_usage_error("online reads standard input only");
    int status = make_model(&s);
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while (status == 0 && (n = getline(&line, &room, stdin)) > 0) {
        s.line++;
        status = one_line(&s, line, (size_t)n);
    }
    if (status == 0)
        status = finish(&s);
    free(line);
    thr_batch_free(s.b);
    thr_scratch_free(s.scratch);
    thr_model_free(s.m);
    return status;
}

static const cli_option *const lists[] = {options, cli_common_options, NULL};

const cli_command cli_online = {
    .name = "online",
    .usage = "[-m MODEL] [-l LEARNER] [OPTIONS]",
    .help = "predict, hear the label, learn: one line each on standard input",
    .options = lists,
    .settings = true,
    .run = run,
};
