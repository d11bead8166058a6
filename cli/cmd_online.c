/* thresh online: predicts and learns line by line from standard input.
 *
 * A line with a label is predicted and then learned. A line without a label is only predicted; its
 * label may follow as `= LABEL` on a line of its own (several labels are separated by commas).
 * `+ LABEL` promotes the label on the last example and `- LABEL` demotes it: the function of the
 * label is updated as if it had been wrong, whatever it predicted.
 *
 * Every example gets one line of answer, flushed at once: `label TAB score`; `-` while no label is
 * known; `!` if the line cannot be read, with the reason on standard error. A regressor answers
 * with a number. With --explain, indented lines follow. With --json the answer is one object. Lines
 * that begin with = + - and the header of csv get no answer. An example is learned after its answer
 * has been written: whoever gets no answer has taught nothing.
 *
 * All lines have the format of the model, or of the first line if the model is new.
 *
 * The session keeps what it has learned: it writes the model at the end of the input, when nobody
 * reads the answers any more, on SIGTERM, SIGINT and SIGHUP, and with --save-every after a number
 * of examples or seconds. While the session lasts the model is locked (lock.c). */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const cli_option options[] = {
    {'l', "learner", "SPEC", "learner of a new model, NAME[:key=value,...] (default panel)"},
    {'m', "model", "FILE", "continue from this model if it exists, and write it at the end"},
    {0, "save-every", "N", "write it after N more examples learned, or N seconds (60s), too"},
    {0, "probabilities", NULL, "answer with probabilities instead of scores, as voting panels do"},
    {0, "explain", NULL, "also print what each feature contributed"},
    {0, "top", "K", "number of features or neighbours to explain with (default 15)"},
    {0, "log", "FILE", "log what each update changed, for thresh why; written at the end"},
    {'f', "format", "FORMAT", "input format (default: the model's, else that of the first line)"},
    {0, "columns", "LIST", "columns or JSON keys by name or number: label=NAME,text=A+B,id=3"},
    {0, "max-line", "BYTES", "longest line allowed, in bytes (default 67108864)"},
    {0, "max-active", "N", "most crosses and conjunctions of one example (default 1048576)"},
    {0},
};

typedef struct session {
    const cli_args *a;
    const char *path; /* of the model; NULL: it is not kept */
    thr_model *m;
    thr_scratch *scratch;
    thr_batch *b; /* the last example, alone in its batch */
    thr_feed *feed;
    bool json, probabilities, explain;
    bool votes; /* a panel that votes: its shares of the vote are mostly 1 and say little */
    size_t top; /* of an explanation */
    cli_ceilings most;
    bool waiting;  /* the last example has no label yet */
    bool has_last; /* the last example could be read */
    bool multilabel;
    bool elsewhere;    /* the model was changed by others, and is saved to another file */
    bool unread;       /* nobody reads the answers any more */
    bool no_memory;    /* the session ends */
    bool half_learned; /* memory ran out in the middle of an example */
    uint64_t line, asked, learned; /* current line, from 1; counts of predictions, and of examples
                                    * learned */
    uint64_t bad, refused; /* lines that could not be used; those of them that got an answer */
    uint64_t save_examples, unsaved; /* --save-every N; examples learned since the last save */
    double save_seconds, saved;      /* --save-every Ns; when the model was last saved */
    cli_log log;
    cli_lock lock;
    thr_stats before; /* of the model when the session began */
} session;

/* ---- beginning ---------------------------------------------------------------------------- */

/* --save-every: a number of examples, or of seconds with an `s` behind it. */
static int read_save_every(session *s)
{
    const char *given = cli_get(s->a, "save-every", NULL);
    if (!given)
        return 0;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(given, &end, 10);
    bool seconds = strcmp(end, "s") == 0;
    if (end == given || !strchr("0123456789", *given) || errno || n == 0 || n > 1000000000000ULL ||
        (*end && !seconds))
        return cli_usage_error("--save-every takes a number of examples, or of seconds as in 60s, "
                               "not '%s'",
                               given);
    if (!s->path)
        return cli_usage_error("--save-every needs a model to write: -m FILE");
    if (seconds)
        s->save_seconds = (double)n;
    else
        s->save_examples = n;
    return 0;
}

static int read_options(session *s)
{
    double top;
    s->path = cli_get(s->a, "model", NULL);
    s->json = cli_has(s->a, "json");
    s->probabilities = cli_has(s->a, "probabilities");
    s->explain = cli_has(s->a, "explain");
    if (!cli_number(s->a, "top", 15, 1, 1e9, &top) || !cli_ceilings_read(s->a, &s->most))
        return EXIT_USAGE;
    s->top = (size_t)top;
    int status = read_save_every(s);
    if (status == 0)
        status = cli_may_write_model(s->a, s->path);
    return status ? status : cli_may_write_log(s->a, cli_get(s->a, "log", NULL));
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
    bool there = s->path && (access(s->path, F_OK) == 0 || errno != ENOENT);
    s->m = there ? thr_model_open(s->path, true, &err) : thr_model_new(settings, &err);
    status = s->m ? 0 : cli_fail(&err);
    if (status == 0 && strcmp(thr_model_setting(s->m, "decode"), "off") != 0)
        status = cli_usage_error("%s tags sentences: use thresh tag", s->path);
    if (status == 0 && there)
        status = cli_same_settings(s->path, s->m, settings);
    thr_settings_free(settings);
    return status;
}

/* A device or pipe in place of the model is not locked. */
static int lock(session *s)
{
    struct stat st;
    bool special = s->path && stat(s->path, &st) == 0 && !S_ISREG(st.st_mode);
    return cli_lock_model(&s->lock, special ? NULL : s->path);
}

static int begin(session *s)
{
    thr_error err;
    int status = read_options(s);
    if (status == 0)
        status = lock(s);
    if (status == 0)
        status = make_model(s);
    if (status)
        return status;
    if (s->probabilities && (status = cli_only_labels(s->a, s->m, "probabilities")))
        return status;
    s->feed = thr_feed_new(cli_get(s->a, "format", NULL), &err);
    if (!s->feed)
        return cli_fail(&err);
    thr_feed_set_max_active(s->feed, s->most.active);
    thr_model_set_max_labels(s->m, s->most.labels);
    thr_model_set_memory(s->m, s->most.memory);
    s->scratch = thr_scratch_new();
    s->b = thr_batch_new();
    if (!s->scratch || !s->b)
        return cli_no_memory();
    s->multilabel = strcmp(thr_model_setting(s->m, "multilabel"), "on") == 0;
    thr_model_stats(s->m, &s->before);
    thr_panel_report panel;
    s->votes = thr_model_panel(s->m, &panel) && !panel.mixed;
    s->saved = cli_seconds();
    status = cli_log_open(&s->log, s->a, s->m);
    if (status == 0 && s->log.on)
        thr_scratch_on_update(s->scratch, cli_log_put, &s->log);
    s->log.file = "standard input";
    return status;
}

/* ---- answers ------------------------------------------------------------------------------ */

/* Reports a line that cannot be used. The session goes on, unless memory is short: what is said
 * about later lines would not be what the same lines are told otherwise. */
static void complain(session *s, thr_error *err)
{
    snprintf(err->file, sizeof err->file, "standard input");
    err->line = s->line;
    s->bad++;
    s->no_memory |= err->code == THR_EMEM;
    cli_fail(err);
}

/* The answer to a line that cannot be read or predicted. */
static void refuse(session *s, thr_error *err)
{
    complain(s, err);
    s->refused++;
    if (!s->json) {
        puts("!");
        return;
    }
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_integer(&j, "line", s->line);
    cli_json_string(&j, "error", err->message);
    if (err->column)
        cli_json_integer(&j, "column", err->column);
    cli_json_close(&j);
}

static void put_json(const session *s, const thr_explanation *e)
{
    const thr_prediction *r = &e->prediction;
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_integer(&j, "line", s->line);
    cli_json_prediction(&j, s->m, r);
    if (s->probabilities && r->probabilities)
        cli_json_each_label(&j, s->m, "probabilities", r->probabilities);
    if (s->explain) {
        cli_explaining how;
        cli_explaining_of(&how, s->m, s->top);
        cli_json_string(&j, "learner", e->learner);
        cli_json_explanation(&how, e, &j);
    }
    cli_json_close(&j);
}

static void put_text(const session *s, const thr_explanation *e)
{
    const thr_prediction *r = &e->prediction;
    if (thr_model_regression(s->m))
        printf("%.9g\n", r->score);
    else if (!r->label && !(s->multilabel && r->labels))
        puts("-");
    else {
        if (s->multilabel)
            cli_put_labels(stdout, r->set, r->n_set);
        else
            fputs(cli_shown(r->label), stdout);
        printf("\t%.9g\n", s->probabilities || s->votes ? r->probability : r->score);
    }
    if (s->explain && (r->label || thr_model_regression(s->m))) {
        cli_explaining how;
        cli_explaining_of(&how, s->m, s->top);
        cli_print_explanation(&how, e);
    }
}

/* Prints the answer to one example. Returns whether the example could be predicted. */
static bool answer(session *s)
{
    thr_error err;
    thr_explanation e = {0};
    int code = s->explain ? thr_explain_one(s->m, s->scratch, s->b, 0, &e, &err)
                          : thr_predict_one(s->m, s->scratch, s->b, 0, &e.prediction, &err);
    if (code)
        refuse(s, &err);
    else if (s->json)
        put_json(s, &e);
    else
        put_text(s, &e);
    s->asked += code == 0;
    return code == 0;
}

/* ---- learning ----------------------------------------------------------------------------- */

/* Somebody else has changed or replaced the model: neither their work nor ours is to be lost, so
 * ours goes to another file. */
static int save_elsewhere(session *s)
{
    char other[4096];
    int n = snprintf(other, sizeof other, "%s.learned-%ld", s->path, (long)getpid());
    if (n >= (int)sizeof other)
        return cli_say("the path %s is too long", s->path);
    int status = cli_save_model(s->m, other, false);
    if (status == 0 && !s->elsewhere)
        cli_say("%s was changed by another process and is not overwritten; what was learned is in "
                "%s",
                s->path, other);
    s->elsewhere = true;
    return status;
}

/* A model that was left in the middle of an example is not saved. */
static int save(session *s)
{
    if (s->half_learned)
        return EXIT_BAD;
    if (!s->path || !s->unsaved)
        return s->elsewhere ? EXIT_BAD : 0;
    bool ours = s->lock.fd < 0 || !(s->elsewhere || cli_lock_changed(&s->lock, s->path));
    int status = ours ? cli_save_model(s->m, s->path, false) : save_elsewhere(s);
    if (ours)
        cli_lock_note(&s->lock, s->path);
    s->unsaved = status ? s->unsaved : 0;
    s->saved = cli_seconds();
    return status ? status : s->elsewhere ? EXIT_BAD : 0;
}

/* Seconds until the model must be saved; negative: no such moment. */
static double time_left(const session *s)
{
    if (s->save_seconds == 0 || !s->unsaved)
        return -1;
    return fmax(s->saved + s->save_seconds - cli_seconds(), 0);
}

/* A model that cannot be written now may be written later: the session goes on. */
static void save_if_due(session *s)
{
    if ((s->save_examples && s->unsaved >= s->save_examples) || time_left(s) == 0)
        save(s);
}

/* After an attempt to learn that ended with `code`: whether it succeeded. */
static bool learned(session *s, int code, thr_error *err)
{
    if (code == THR_EMEM)
        s->half_learned = s->no_memory = true;
    if (code) {
        complain(s, err);
        return false;
    }
    s->learned++;
    s->unsaved++;
    return true;
}

static bool learn(session *s)
{
    thr_error err;
    cli_log_error(&s->log, &err);
    return learned(s, thr_learn(s->m, s->scratch, s->b, NULL, &err), &err);
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
        int code = THR_EDATA;
        if (s->has_last) {
            cli_log_error(&s->log, &err);
            code =
                (*line == '+' ? thr_promote : thr_demote)(s->m, s->scratch, s->b, 0, label, &err);
        }
        learned(s, code, &err);
    }
    return true;
}

/* False: the answers cannot be written any more. */
static bool flush_answer(session *s)
{
    bool written = fflush(stdout) == 0;
    s->unread = !written && errno == EPIPE;
    return written;
}

/* False: the answer could not be written, and the example was not learned. */
static bool take_line(session *s, char *line, size_t n)
{
    thr_error err;
    if (take_feedback(s, line, n))
        return true;
    s->log.line = s->line; /* the log gives this line for later updates of the example too */
    thr_batch_clear(s->b);
    s->waiting = s->has_last = false;
    int kind = thr_feed_line(s->feed, s->m, s->b, line, n, &err);
    if (kind == 0)
        return true;
    s->has_last = kind > 0;
    if (kind < 0)
        refuse(s, &err);
    bool answered = kind > 0 && answer(s);
    if (!flush_answer(s))
        return false;
    bool labelled = answered && thr_batch_labelled(s->b, 0);
    s->waiting = answered && !labelled;
    if (labelled)
        learn(s);
    return true;
}

static bool refuse_long_line(session *s, size_t most)
{
    thr_error err = {.code = THR_EDATA};
    snprintf(err.message, sizeof err.message, "a line is longer than %zu bytes (see --max-line)",
             most);
    s->waiting = s->has_last = false;
    refuse(s, &err);
    return flush_answer(s);
}

/* ---- the session -------------------------------------------------------------------------- */

static bool log_failed(const session *s)
{
    return s->log.on && ferror(s->log.out.to);
}

/* Until the input ends, a signal comes, memory runs out, or something can no longer be written. */
static int take_lines(session *s, cli_intake *in)
{
    char *line;
    size_t n;
    bool goes_on = true;
    while (goes_on && !log_failed(s) && !s->no_memory) {
        enum cli_intake_result next = cli_intake_next(in, time_left(s), &line, &n);
        s->line += next == CLI_INTAKE_LINE || next == CLI_INTAKE_TOO_LONG;
        if (next == CLI_INTAKE_FAILED) {
            return cli_say("standard input: line %llu cannot be read: %s",
                           (unsigned long long)s->line + 1, strerror(errno));
        }
        if (next == CLI_INTAKE_END || next == CLI_INTAKE_SIGNAL)
            return 0;
        if (next == CLI_INTAKE_LINE)
            goes_on = take_line(s, line, n);
        else if (next == CLI_INTAKE_TOO_LONG)
            goes_on = refuse_long_line(s, in->max_line);
        save_if_due(s);
    }
    return EXIT_BAD;
}

static void report(const session *s)
{
    thr_stats now;
    if (cli_has(s->a, "quiet"))
        return;
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
}

/* Whatever ended the session, what was learned is saved, except half an example. */
static int take_part(session *s)
{
    cli_intake in;
    cli_intake_open(&in, s->most.line);
    int status = take_lines(s, &in), saved = save(s);
    cli_intake_close(&in);
    thr_reading reading;
    thr_feed_reading(s->feed, s->m, &reading);
    cli_reading_warnings(s->a, &reading);
    if (s->half_learned && s->path)
        cli_say("%s is not saved: memory ran out while an example was learned", s->path);
    if (saved == 0)
        report(s);
    if (status == 0 && s->refused && !s->asked)
        status = EXIT_BAD; /* not one example could be used */
    return status ? status : saved;
}

static void end(session *s)
{
    cli_unlock_model(&s->lock);
    thr_feed_free(s->feed);
    thr_batch_free(s->b);
    thr_scratch_free(s->scratch);
    thr_model_free(s->m);
}

/* A signal that was noted, and SIGPIPE that was ignored, have their usual effect in the end, so
 * that the caller sees why the session ended. */
static int run(const cli_args *a)
{
    session s = {.a = a, .lock.fd = -1};
    if (a->n_rest)
        return cli_usage_error("online reads standard input only");
    int status = begin(&s);
    if (status == 0)
        status = take_part(&s);
    status = cli_log_close(&s.log, status);
    end(&s);
    int number = cli_intake_signal() ? cli_intake_signal() : s.unread ? SIGPIPE : 0;
    if (number && status != EXIT_USAGE)
        cli_die_by(number);
    return status;
}

static const cli_option *const lists[] = {options, cli_limit_options, cli_json_options,
                                          cli_common_options, NULL};

const cli_command cli_online = {
    .name = "online",
    .usage = "[-m MODEL] [-l LEARNER] [OPTIONS]",
    .help = "predict and learn line by line from standard input",
    .options = lists,
    .settings = CLI_MODEL,
    .run = run,
};
