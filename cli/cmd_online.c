/* thresh online: predicts and learns line by line from standard input.
 *
 * A line with a label is predicted and then learned. A line without a label is only predicted; its
 * label may follow as `= LABEL` on a line of its own (several labels are separated by commas).
 * `+ LABEL` promotes the label on the last example and `- LABEL` demotes it: the function of the
 * label is updated as if it had been wrong, whatever it predicted.
 *
 * Every example gets one line of answer, flushed at once: `label TAB score`; `-` while no label is
 * known; `!` if the line cannot be read, with the reason on standard error. A regressor answers
 * with a number. Lines that begin with = + - get no answer. The model is written at the end of the
 * input. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {'l', "learner", "SPEC", "learner of a new model, NAME[:key=value,...] (default panel)"},
    {'m', "model", "FILE", "continue from this model if it exists, and write it at the end"},
    {0, "log", "FILE", "log what each update changed, for thresh why; written at the end"},
    {'f', "format", "FORMAT", "input format (default: detected from each line)"},
    {0, "columns", "LIST", "column numbers of tab-separated lines: label=1,id=2,text=3"},
    {0},
};

typedef struct session {
    const cli_args *a;
    thr_model *m;
    thr_scratch *scratch;
    thr_batch *b; /* the last example, alone in its batch */
    const char *format;
    bool waiting;  /* the last example has no label yet */
    bool has_last; /* the last example could be read */
    bool multilabel;
    uint64_t line, asked, learned, bad; /* current line, from 1; counts of predictions, examples
                                         * learned and lines refused */
    cli_log log;
    thr_stats before; /* of the model when the session began */
} session;

/* Reports a line that cannot be used. The session goes on. */
static void complain(session *s, thr_error *err)
{
    snprintf(err->file, sizeof err->file, "standard input");
    err->line = s->line;
    s->bad++;
    cli_fail(err);
}

/* Opens the model of -m, or makes a new one if the file does not exist. A file that exists but
 * cannot be opened is an error: a new model would replace it at the end. */
static int make_model(session *s)
{
    thr_error err;
    int status;
    thr_settings *settings = cli_settings(s->a, &status);
    if (!settings)
        return status;
    const char *path = cli_get(s->a, "model", NULL);
    bool there = path && (access(path, F_OK) == 0 || errno != ENOENT);
    s->m = there ? thr_model_open(path, true, &err) : thr_model_new(settings, &err);
    status = s->m ? 0 : cli_fail(&err);
    if (status == 0 && there)
        status = cli_same_settings(path, s->m, settings);
    thr_settings_free(settings);
    s->scratch = thr_scratch_new();
    s->b = thr_batch_new();
    s->multilabel = s->m && strcmp(thr_model_setting(s->m, "multilabel"), "on") == 0;
    s->format = cli_get(s->a, "format", NULL);
    if (status == 0 && !(s->scratch && s->b))
        status = cli_usage_error("out of memory");
    if (status == 0)
        thr_model_stats(s->m, &s->before);
    return status;
}

/* The answer for multi-label models: the labels with a score above 0, and the largest score. */
static void put_set(const thr_model *m, const double *scores)
{
    size_t n = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < thr_model_labels(m); i++) {
        most = fmax(most, scores[i]);
        if (scores[i] > 0)
            printf("%s%s", n++ ? "," : "", thr_model_label(m, i));
    }
    if (thr_model_labels(m))
        printf("\t%.9g\n", most);
    else
        puts("-");
}

/* Prints the answer to one example. Returns whether the example could be predicted. */
static bool answer(session *s, bool readable)
{
    thr_error err = {.code = THR_EMEM, .message = "out of memory"};
    int32_t label = -1;
    double *scores = readable ? calloc(thr_model_labels(s->m) + 1, sizeof *scores) : NULL;
    int code = scores ? thr_score(s->m, s->scratch, s->b, &label, scores, &err) : THR_EDATA;
    if (readable && code)
        complain(s, &err);
    if (code)
        puts("!");
    else if (s->multilabel)
        put_set(s->m, scores);
    else if (thr_model_regression(s->m))
        printf("%.9g\n", scores[0]);
    else if (label < 0)
        puts("-");
    else
        printf("%s\t%.9g\n", thr_model_label(s->m, (size_t)label), scores[label]);
    free(scores);
    fflush(stdout);
    s->asked += code == 0;
    return code == 0;
}

static bool learn(session *s)
{
    thr_error err;
    cli_log_error(&s->log, &err);
    bool learned = thr_learn(s->m, s->scratch, s->b, NULL, &err) == 0;
    if (!learned)
        complain(s, &err);
    s->learned += learned;
    return learned;
}

/* `= LABEL`. If the label cannot be used, the example keeps waiting for another one. */
static void take_label(session *s, char *label)
{
    if (!s->waiting) {
        thr_error err = {.code = THR_EDATA, .message = "no example is waiting for a label"};
        complain(s, &err);
        return;
    }
    char *rest = NULL, *first = s->multilabel ? strtok_r(label, ",", &rest) : label;
    thr_batch_relabel(s->b, 0, first ? first : label);
    while (first && s->multilabel && (first = strtok_r(NULL, ",", &rest)))
        thr_batch_relabel_also(s->b, 0, first);
    s->waiting = !learn(s);
}

/* Handles a line that is about the last example: one of = + -, a space and a label. `+` and `-`
 * update the function of the label on that example. Returns false if the line is an example. */
static bool take_feedback(session *s, char *line, size_t n)
{
    if (n == 0 || !memchr("=+-", *line, 3) || (n > 1 && line[1] != ' '))
        return false;
    thr_error err = {.code = THR_EDATA, .message = "there is no example to promote or demote"};
    char *label = line + 2;
    if (n == 1 || strspn(label, " ") == n - 2) {
        snprintf(err.message, sizeof err.message, "no label follows %c", *line);
        complain(s, &err);
    } else if (*line == '=')
        take_label(s, label);
    else {
        if (s->has_last)
            cli_log_error(&s->log, &err);
        if (!s->has_last ||
            (*line == '+' ? thr_promote : thr_demote)(s->m, s->scratch, s->b, 0, label, &err))
            complain(s, &err);
        else
            s->learned++;
    }
    return true;
}

/* A line is parsed as an example with a label; if that fails, as one without. The first error is
 * reported, since a label is the usual case. */
static void take_line(session *s, char *line, size_t n)
{
    thr_error err, second;
    if (n && line[n - 1] == '\n')
        line[--n] = '\0';
    if (n && line[n - 1] == '\r')
        line[--n] = '\0';
    if (take_feedback(s, line, n))
        return;
    s->log.line = s->line; /* the log gives this line for later updates of the example too */
    thr_batch_clear(s->b);
    bool readable = thr_batch_parse(s->b, s->m, s->format, true, line, n, &err) == 0;
    bool labelled = readable && thr_batch_labelled(s->b, 0);
    if (!readable) {
        thr_batch_clear(s->b);
        readable = thr_batch_parse(s->b, s->m, s->format, false, line, n, &second) == 0;
    }
    if (!readable)
        complain(s, &err);
    s->waiting = answer(s, readable) && !labelled;
    s->has_last = readable;
    if (readable && labelled)
        learn(s);
}

static int finish(session *s)
{
    thr_stats now;
    const char *path = cli_get(s->a, "model", NULL);
    int status = path && s->learned ? cli_save_model(s->m, path, false) : 0;
    if (status || cli_has(s->a, "quiet"))
        return status;
    thr_model_stats(s->m, &now);
    fprintf(stderr, "thresh: %llu prediction%s, %llu example%s learned, ",
            (unsigned long long)s->asked, cli_s(s->asked), (unsigned long long)s->learned,
            cli_s(s->learned));
    /* Only this session counts; the statistics cover the whole life of the model. */
    uint64_t mistakes = now.mistakes - s->before.mistakes;
    double sum = now.mean_squared * (double)now.examples -
                 s->before.mean_squared * (double)s->before.examples;
    if (thr_model_regression(s->m))
        fprintf(stderr, "mean squared error %.6g", s->learned ? sum / (double)s->learned : 0);
    else
        fprintf(stderr, "%llu mistake%s", (unsigned long long)mistakes, cli_s(mistakes));
    if (s->bad)
        fprintf(stderr, ", %llu bad line%s", (unsigned long long)s->bad, cli_s(s->bad));
    fputc('\n', stderr);
    return 0;
}

static int run(const cli_args *a)
{
    session s = {.a = a};
    if (a->n_rest)
        return cli_usage_error("online reads standard input only");
    int status = cli_may_write_model(a, cli_get(a, "model", NULL));
    if (status == 0)
        status = cli_may_write_log(a, cli_get(a, "log", NULL));
    if (status == 0)
        status = make_model(&s);
    if (status == 0)
        status = cli_log_open(&s.log, a, s.m);
    if (status == 0 && s.log.on)
        thr_scratch_on_update(s.scratch, cli_log_put, &s.log);
    s.log.file = "standard input";
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while (status == 0 && (n = getline(&line, &room, stdin)) > 0) {
        s.line++;
        take_line(&s, line, (size_t)n);
        status = ferror(stdout) || (s.log.on && ferror(s.log.out.to)) ? EXIT_BAD : 0;
    }
    if (status == 0)
        status = finish(&s);
    status = cli_log_close(&s.log, status);
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
    .help = "predict and learn line by line from standard input",
    .options = lists,
    .settings = CLI_MODEL,
    .run = run,
};
