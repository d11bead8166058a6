/* The command line: a table of commands, each with a table of options. Everything here uses the
 * public interface alone: of the library's headers only thresh.h is included.
 *
 * Functions that return int return an exit status. If it is not 0, they have already printed a
 * message on standard error, so that a caller only passes the status on. */
#ifndef THR_CLI_H
#define THR_CLI_H

#include "thresh_theory.h"

#include <stdio.h>
#include <sys/stat.h>

enum { EXIT_DONE = 0, EXIT_BAD = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

typedef struct cli_option {
    char letter;       /* 0: none */
    const char *name;  /* without the dashes */
    const char *value; /* how help writes the value, such as FILE; in brackets: a number that may be
                        * left out; NULL: a switch without value */
    const char *help;
} cli_option;

/* A parsed command line. The strings are borrowed from argv and from the option tables. */
typedef struct cli_args {
    const struct cli_command *command;
    struct cli_given {
        const char *name, *value;
    } * given; /* the options in the order given, repeated ones included */
    size_t n_given;
    char **rest; /* the arguments that are not options */
    size_t n_rest;
} cli_args;

typedef struct cli_command {
    const char *name, *usage, *help;
    const cli_option *const *options; /* lists of options, NULL-terminated */
    enum cli_settings_kind {
        CLI_NONE,
        CLI_FEATURES,          /* the settings that define the features, --tokens to --cross */
        CLI_SENTENCES,         /* the settings of a tagger */
        CLI_MODEL,             /* all settings of a model */
    } settings;                /* which settings of the library are options of this command */
    const struct cli_without { /* settings to leave out of these, and the reason to print; ended
                                * by an entry without a name; NULL: none is left out */
        const char *setting, *why;
    } * without;
    bool labels_optional; /* it is found out whether the data has labels, unless --no-label is given
                           */
    int (*run)(const cli_args *a); /* returns an exit status */
} cli_command;

extern const cli_command *const cli_commands[]; /* commands.def; NULL-terminated */
extern const cli_command cli_train;             /* whose options others take too */
extern const cli_command cli_show;              /* which `tag show` is, too */

/* options.c */
extern const cli_option cli_reading_options[], cli_label_options[], cli_sets_options[],
    cli_json_options[], cli_limit_options[], cli_common_options[];
/* Fills *out, which must be cleared even after a failure. */
int cli_parse(const cli_command *c, int argc, char **argv, cli_args *out);
void cli_args_clear(cli_args *a);
bool cli_has(const cli_args *a, const char *name);
/* The value of an option, "" for a switch, `fallback` if it is not given. If the option is given
 * several times, the last one counts. */
const char *cli_get(const cli_args *a, const char *name, const char *fallback);
/* A whole number within [min, max]. Prints a message and returns false if the value is not one. The
 * fallback is not checked against the range. */
bool cli_number(const cli_args *a, const char *name, double fallback, double min, double max,
                double *out);
/* A number of bytes, with k, M, G or T behind it for powers of 1024; 0 if it is not given. */
bool cli_size(const cli_args *a, const char *name, uint64_t *out);
/* The same for real numbers. */
bool cli_real(const cli_args *a, const char *name, double fallback, double min, double max,
              double *out);
void cli_help(const cli_command *c, FILE *to);
/* Prints the message and returns EXIT_USAGE. */
int cli_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* signals.c: what signals do. Temporary files are removed by a signal that ends the process. _add
 * returns the number by which the file is dropped once it is renamed or removed; NULL, and files
 * beyond the number there is room for, are not remembered. */
void cli_catch_signals(void);
/* Removes the temporary files, prints the text and exits. May be called in a handler. */
_Noreturn void cli_leave(const char *text, int status);
int cli_unfinished_add(const char *path);
void cli_unfinished_drop(int number);
/* A thr_temporary_fn, with a pointer to such a number as `user`. */
void cli_on_temporary(void *user, const char *path);

/* plain.c: text from data, as it may be printed. */
/* thr_escape of it. Valid until 15 more such results have been made; `text` itself where nothing is
 * to be escaped. */
const char *cli_shown(const char *text);
/* Prints a text that has names in it, escaped or not: control characters and the like are escaped,
 * backslashes stay as they are. Changes the text meanwhile. */
void cli_put_clean(char *text, FILE *to);
/* Prints a message on standard error, in that way, and returns EXIT_BAD. */
int cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* common.c */
int cli_fail(const thr_error *err); /* prints it; EXIT_USAGE for THR_EUSE, else EXIT_BAD */
int cli_no_memory(void);            /* prints that; EXIT_BAD */
void cli_warn(const cli_args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The contents of a file and a NUL, to be freed; NULL after a message. */
char *cli_read_file(const char *path, size_t *n);
/* Settings made from the options given, to be freed; NULL after a message. */
thr_settings *cli_settings(const cli_args *a, int *status);
/* The same without the learner, for commands in which -l means something else. */
thr_settings *cli_settings_but_learner(const cli_args *a, int *status);
/* All values given to an option, in order; an array to be freed; NULL: out of memory. */
const char **cli_all(const cli_args *a, const char *name, size_t *n);
/* Reads -p, --until-clean and --shuffle, whose seed is 1 if it has no value. */
int cli_passes(const cli_args *a, thr_train_options *o);
/* The FILE of --cache, or NULL. */
int cli_cache(const cli_args *a, const char **path);
/* The ceilings --max-line, --max-active, --max-labels and --memory; a command that does not take
 * one of them has its default. False after a message. */
typedef struct cli_ceilings {
    size_t line, active, labels;
    uint64_t memory; /* 0: none */
} cli_ceilings;
bool cli_ceilings_read(const cli_args *a, cli_ceilings *out);
/* An input over `paths` with the reading options applied; NULL after a message. */
thr_input *cli_input(const cli_args *a, char *const *paths, size_t n, int *status);
/* Settings given together with an existing model must be the same as those of the model. `format`
 * and `columns` may differ: they say how to read this input, not what the model is. */
int cli_same_settings(const char *path, const thr_model *m, const thr_settings *s);
int cli_readable(const char *path);
/* Checks before any work is done that `path` can be written: its folder must exist and be writable,
 * and the path must not be one of the inputs. The variants below also refuse to replace an existing
 * file of another kind, so that a mistyped option does not destroy data. NULL is always fine. */
int cli_may_write(const cli_args *a, const char *path);
int cli_may_write_model(const cli_args *a, const char *path);
int cli_may_write_page(const cli_args *a, const char *path); /* an HTML page */
int cli_may_write_log(const cli_args *a, const char *path);  /* a log of updates */
void cli_unknown_warning(const cli_args *a, const thr_metrics *t);
void cli_reading_warnings(const cli_args *a, const thr_reading *r);
/* Writes a model. SIGINT, SIGTERM and SIGHUP are blocked until it is complete. */
int cli_save_model(const thr_model *m, const char *path, bool lean);
/* EXIT_USAGE and a message if the option is given but the model predicts numbers; else 0. */
int cli_only_labels(const cli_args *a, const thr_model *m, const char *option);
/* The model of -m; NULL after a message. */
thr_model *cli_open_model(const cli_args *a, bool to_train, int *status);
/* The model at `path`, which may be NULL: none was given. */
thr_model *cli_open_model_at(const cli_args *a, const char *path, bool to_train, int *status);
const char *cli_s(uint64_t n); /* plural: "" for 1, else "s" */
/* Columns of the terminal: COLUMNS, or what the terminal says. `otherwise` if standard output is
 * not a terminal, so that what is written to a file does not depend on who writes it. */
size_t cli_line_width(size_t otherwise);
/* Flushes standard output. Returns `status`, or EXIT_BAD if that was 0 and output was lost. */
int cli_flush(int status);
/* A thr_write_fn, with the FILE as `user`. */
int cli_put_bytes(void *user, const void *bytes, size_t n);

/* shell.c: a shell command line that runs `command` on the same data, with those options of this
 * command line that `command` has, and with `learner` and the options `more` if they are not NULL.
 * To be freed; NULL: out of memory. */
char *cli_command_line(const cli_args *a, const cli_command *command, const char *learner,
                       const char *more);

/* folds.c: the options of cv and tune that define the folds. cli_fold_plan reads them; `folds`
 * is the number that -k asks for. */
extern const cli_option cli_fold_options[];
int cli_fold_plan(const cli_args *a, size_t folds, thr_fold_plan *out);

/* progress.c: progress on standard error. Set the fields marked (caller) after the start. */
typedef struct cli_progress {
    const char *what;      /* the command or phase, printed first */
    double started, shown; /* cli_seconds() at the start and when progress was last printed */
    unsigned passes;       /* (caller) passes in total; 0 or 1: the bar covers a single pass */
    bool no_rate;          /* (caller) do not print mistakes: they belong to several learners */
    bool share_only;       /* (caller) print only how much is done, no examples and mistakes */
    bool quiet, terminal, wide, drawn; /* wide: room for the bar; drawn: it must be erased */
} cli_progress;
void cli_progress_start(cli_progress *p, const cli_args *a, const char *what);
bool cli_progress_show(void *p, const thr_progress *now); /* a thr_progress_fn; never stops */
void cli_progress_end(cli_progress *p);
double cli_seconds(void); /* monotonic clock */

/* output.c: a file that appears under its name only when it is complete. */
typedef struct cli_output {
    FILE *to;
    const char *path; /* borrowed */
    thr_newfile *file;
    int unfinished; /* the number of its temporary file, for a signal to remove it */
} cli_output;
int cli_output_open(cli_output *o, const char *path);
/* If `status` is 0, replaces the file at `path`; else removes what was written and keeps the old
 * file. Returns `status`, or EXIT_BAD if that was 0 and the file could not be written. */
int cli_output_close(cli_output *o, int status);

/* json.c: one object on one line. Numbers are written with as many digits as are needed to read
 * the same double back. */
void cli_put_exact(FILE *to, double value);
typedef struct cli_json {
    FILE *to;
    bool first; /* the next value is the first in its object or list: no comma before it */
} cli_json;
void cli_json_open(cli_json *j, FILE *to);
void cli_json_close(cli_json *j); /* writes a newline too */
/* Inside a list the key is NULL. */
void cli_json_string(cli_json *j, const char *key, const char *value); /* NULL: null */
void cli_json_integer(cli_json *j, const char *key, unsigned long long value);
void cli_json_real(cli_json *j, const char *key, double value); /* NaN and infinity: null */
void cli_json_bool(cli_json *j, const char *key, bool value);
void cli_json_begin(cli_json *j, const char *key, char bracket); /* '{' or '[' */
void cli_json_end(cli_json *j, char bracket);                    /* '}' or ']' */

/* log.c: --log, one line of JSON for each update of a rule. Without the option, opening and closing
 * do nothing and `on` stays false. */
#define CLI_LOG_BEGINS "{\"example\": "
typedef struct cli_log {
    cli_output out;
    const thr_model *m;
    const char *file; /* place of the example, used if the library does not know it (online) */
    uint64_t line;
    char *name; /* buffer for the name of a feature, owned */
    size_t room;
    bool on;
} cli_log;
int cli_log_open(cli_log *l, const cli_args *a, const thr_model *m);
/* A thr_update_fn, with the log as `user`. A negative return stops learning. */
int cli_log_put(void *user, const thr_update *u);
/* Fills *err with "cannot write LOG" before learning starts: if cli_log_put stops it, the library
 * leaves *err as it was. */
void cli_log_error(const cli_log *l, thr_error *err);
int cli_log_close(cli_log *l, int status); /* as cli_output_close */

/* log_read.c: reads such a log back. */
typedef struct cli_logged_word { /* one label, several labels, or the number of a regressor */
    const char **text;           /* the labels; NULL: a number, or null in the log */
    size_t n;
    bool several;
    double number; /* NaN: labels, or null in the log */
} cli_logged_word;

typedef struct cli_logged {
    uint64_t example, line; /* line 0: unknown */
    const char *file, *tag; /* NULL: unknown; no tag */
    const char *rule;
    cli_logged_word truth, prediction;
    int pushed;          /* 0: `truth` is the true label; 1 or -1: it was promoted or demoted */
    double rescaled;     /* factor on all weights of the rule before this update; mostly 1 */
    const char *feature; /* NULL: the call for the update as a whole */
    const char *label, *against; /* the labels whose function moved, as in thr_moved */
    bool shared;
    double by; /* change of the weight; NaN: the rule kept the example and has no weights */
} cli_logged;
/* Called once for each update with feature NULL, then once for each feature of each move. Strings
 * are valid during the call. A return value other than 0 stops reading; the function then fills
 * err->message, and the place in the log is added to it. */
typedef int cli_logged_fn(void *user, const cli_logged *u, thr_error *err);
int cli_log_read(const char *path, cli_logged_fn *fn, void *user);

/* ranking.c: the table of learners that race and tune print, at most `most` rows of it. */
void cli_print_ranking(const thr_contest *c, size_t most, FILE *to);
void cli_json_ranking(cli_json *j, const thr_contest *c);
/* Warns of learners that skipped examples with negative values. */
void cli_warn_of_skipped(const cli_args *a, const thr_contest *c);
/* Writes the p-value of a comparison to `out`: four decimals, or "<0.0001". */
void cli_format_p(const thr_duel *d, char *out, size_t room);

/* html.c: the parts that all HTML pages share. */
#define CLI_COLOURS 8
void cli_page_begin(const char *title, FILE *to); /* up to and including <body> */
void cli_page_end(FILE *to);
/* With & < > " and control characters escaped. */
void cli_put_text(const char *text, FILE *to);
void cli_put_count(uint64_t n, FILE *to); /* 1234567 as 1,234,567 */

/* chart.c: curves, dots and bars over two axes, as SVG. */
typedef struct cli_chart {
    const char *id;    /* unique on the page */
    const char *label; /* description for screen readers */
    const char *x, *y; /* names of the axes */
    const char *unit;  /* printed after the numbers of y, or "" */
    bool log_x, log_y;
    const char *const *categories; /* names of x = 0, 1, ..., as in thr_lab_chart; or NULL */
    double low, high;              /* range of y; NaN: that of the points */
    const thr_series *series;
    char *const *detail; /* for each series, text after its name in the legend; or NULL */
    size_t n;            /* number of series */
} cli_chart;
void cli_put_chart(const cli_chart *k, FILE *to);

/* page.c: a race as an HTML page. lab_page.c: experiments as an HTML page; begin it, add each
 * experiment, and end it with cli_page_end. */
/* False: out of memory, and something is missing on the page. */
bool cli_race_page(const cli_args *a, const thr_contest *c, FILE *to);
void cli_lab_page_begin(const cli_args *a, FILE *to);
bool cli_lab_page_add(const thr_lab *l, uint64_t seed, FILE *to);

/* report.c: predictions, and the results of a test; _covered reports the examples that are still
 * answered with --reject. */
/* "exact match" for sets of labels, "accuracy" for single labels. */
const char *cli_accuracy_name(bool sets);
void cli_put_labels(FILE *to, const char *const *label, size_t n); /* comma-separated */
/* real.c: writes v as printf's %.9g does, but faster. Returns the length. */
#define CLI_REAL 32
size_t cli_real_text(double v, char text[CLI_REAL]);
void cli_put_real(FILE *to, double v);
void cli_json_labels(cli_json *j, const char *key, const char *const *label, size_t n);
/* The fields of one prediction: value, or label(s), score and probability; and the truth. */
void cli_json_prediction(cli_json *j, const thr_model *m, const thr_prediction *r);
/* An object with a number for each label. */
void cli_json_each_label(cli_json *j, const thr_model *m, const char *key, const double *of);
void cli_print_metrics(const thr_metrics *t, FILE *to);
/* confusion.c: names of labels take up name_width columns. */
void cli_print_confusion(const thr_metrics *t, int name_width, FILE *to);
void cli_json_metrics(cli_json *j, const thr_metrics *t);
/* Multi-label data: precision at k (test --at). */
void cli_print_at(const thr_metrics *t, size_t k, FILE *to);
void cli_json_at(cli_json *j, const thr_metrics *t, size_t k);
void cli_print_covered(const thr_metrics *t, double reject, FILE *to);
void cli_json_covered(cli_json *j, const thr_metrics *t, double reject);
/* The experts of a panel and the bound on the mistakes of their vote; nothing for other models.
 * `most` is the greatest number of examples that can have been met for the first time, UINT64_MAX
 * if it is not known; the model by itself only estimates it once examples come again. */
void cli_print_panel(const thr_model *m, uint64_t most, FILE *to);
void cli_json_panel(cli_json *j, const thr_model *m, uint64_t most);
/* The member whose weights stand for those of a panel: the one with the largest vote weight. NULL:
 * the model is not a panel. */
const char *cli_speaker(const thr_model *m);

/* explanation.c: how an explanation is printed. */
typedef struct cli_explaining {
    size_t top; /* features or neighbours to show */
    bool regression, linear;
    const char *start; /* the label that a list of rules starts with; NULL: no such list */
} cli_explaining;
/* For a model as it is now: `start` may change as it learns. */
void cli_explaining_of(cli_explaining *p, const thr_model *m, size_t top);
void cli_json_explanation(const cli_explaining *p, const thr_explanation *e, cli_json *j);
void cli_print_explanation(const cli_explaining *p, const thr_explanation *e); /* indented lines */

/* intake.c: lines of standard input, with signals noted. */
typedef struct cli_intake {
    char *buffer;
    size_t from, n, room; /* unread bytes are from .. n - 1 */
    size_t searched;      /* of these, so many have no newline */
    size_t max_line;
    bool ended, skipping; /* no more input; inside a line that is too long */
} cli_intake;
enum cli_intake_result {
    CLI_INTAKE_LINE, /* a line, without its end, with a NUL behind it; valid until the next call */
    CLI_INTAKE_TOO_LONG, /* longer than max_line; what is left of it will be skipped */
    CLI_INTAKE_END,
    CLI_INTAKE_SIGNAL, /* SIGTERM, SIGINT or SIGHUP came */
    CLI_INTAKE_TIME,   /* nothing came for so many seconds */
    CLI_INTAKE_FAILED, /* errno says why */
};
void cli_intake_open(cli_intake *in, size_t max_line);
void cli_intake_close(cli_intake *in);
/* The next line; waits at most `seconds` for it (negative: for ever). */
enum cli_intake_result cli_intake_next(cli_intake *in, double seconds, char **line, size_t *n);
int cli_intake_signal(void); /* the one that came, or 0 */
void cli_die_by(int number); /* as the signal does that was noted or ignored until now */

/* lock.c: who learns a model for a long time locks it. `model` may be NULL: there is nothing to
 * lock. _is_free: 0, or a message and a status if somebody else has locked it. _note remembers
 * which file the model is, when it has been locked or saved; _changed says whether it is another
 * since, or has been written to. */
typedef struct cli_lock {
    char *name;
    int fd;
    bool there;       /* the model existed when it was noted */
    struct stat file; /* as it was then */
} cli_lock;
int cli_lock_model(cli_lock *l, const char *model);
void cli_unlock_model(cli_lock *l);
void cli_lock_note(cli_lock *l, const char *model);
bool cli_lock_changed(const cli_lock *l, const char *model);
int cli_model_is_free(const char *model);

/* errors.c: --errors FILE. Open it before testing, and close it with the status of the test. */
typedef struct cli_errors {
    cli_output out;
    const thr_model *m;
    bool wanted; /* the option was given */
} cli_errors;
int cli_errors_open(cli_errors *e, const cli_args *a, const thr_model *m);
int cli_errors_write(void *e, const thr_prediction *p); /* a thr_predict_fn */
int cli_errors_close(cli_errors *e, int status);        /* as cli_output_close */

#endif
