/* The command line: a table of commands, each with a table of options. Includes only thresh.h. */
#ifndef THR_CLI_H
#define THR_CLI_H

#include "thresh_theory.h"

#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_BAD = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

typedef struct cli_option {
    char letter;       /* 0: none */
    const char *name;  /* without the dashes */
    const char *value; /* what follows it in the help, NULL for a switch */
    const char *help;
} cli_option;

typedef struct cli_args {
    const struct cli_command *command;
    struct cli_given {
        const char *name, *value;
    } * given;
    size_t n_given;
    char **rest; /* what is not an option */
    size_t n_rest;
} cli_args;

typedef struct cli_command {
    const char *name, *usage, *help;
    const cli_option *const *options; /* lists of options, NULL-terminated */
    enum cli_settings_kind {
        CLI_NONE,
        CLI_FEATURES,          /* those that say what the features are */
        CLI_MODEL,             /* all that shape a model, the learner's too */
    } settings;                /* the library's settings it takes as options */
    const struct cli_without { /* ... but for these, ended by one without a name; NULL: all */
        const char *setting, *why;
    } * without;
    int (*run)(const cli_args *a); /* returns an exit status */
} cli_command;

extern const cli_command *const cli_commands[]; /* commands.def; NULL-terminated */
extern const cli_command cli_train;             /* whose options others take too */

/* options.c */
extern const cli_option cli_reading_options[], cli_label_options[], cli_json_options[],
    cli_common_options[];
int cli_parse(const cli_command *c, int argc, char **argv, cli_args *out); /* exit status, or 0 */
void cli_args_clear(cli_args *a);
bool cli_has(const cli_args *a, const char *name);
const char *cli_get(const cli_args *a, const char *name, const char *fallback); /* the last one */
/* A whole number within [min, max]; complains and returns false if it is none. */
bool cli_number(const cli_args *a, const char *name, double fallback, double min, double max,
                double *out);
/* The same for any number. */
bool cli_real(const cli_args *a, const char *name, double fallback, double min, double max,
              double *out);
void cli_help(const cli_command *c, FILE *to);
int cli_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* main.c: what an interrupt must remove; "" when it is done. */
void cli_set_unfinished(const char *path);

/* nearest.c: begin with {0}, offer the candidates one by one; .word is the best, or NULL. */
typedef struct cli_near {
    const char *word;
    size_t distance;
} cli_near;
void cli_nearest(cli_near *n, const char *word, const char *candidate);

/* common.c */
int cli_fail(const thr_error *err); /* prints it; exit status */
void cli_warn(const cli_args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Settings given as options; NULL after a complaint. */
thr_settings *cli_settings(const cli_args *a, int *status);
/* ... but for the learner, which the command looks at itself. */
thr_settings *cli_settings_but_learner(const cli_args *a, int *status);
/* The values given to an option, in order; an array to be freed, NULL: out of memory. */
const char **cli_all(const cli_args *a, const char *name, size_t *n);
/* -p, --until-clean and --shuffle. */
int cli_passes(const cli_args *a, thr_train_options *o);
/* --cache FILE, NULL if it is not given. While it may be written, an interrupt removes its half. */
int cli_cache(const cli_args *a, const char **path);
void cli_cache_begin(const char *path);
void cli_cache_end(const char *path);
/* An input with the reading options applied, over `paths`; NULL after a complaint. */
thr_input *cli_input(const cli_args *a, char *const *paths, size_t n, int *status);
/* Settings given for a model that exists must be its own. */
int cli_same_settings(const char *path, const thr_model *m, const thr_settings *s);
int cli_readable(const char *path); /* exit status after a complaint, or 0 */
/* Whether `path` may be written, asked before any work is done: its folder is there, and it is not
 * one of the inputs; if a model, nothing but a model is replaced. Exit status after a complaint,
 * or 0. */
int cli_may_write(const cli_args *a, const char *path);
int cli_may_write_model(const cli_args *a, const char *path);
int cli_may_write_page(const cli_args *a, const char *path); /* ... a page, nothing but a page */
int cli_may_write_log(const cli_args *a, const char *path);  /* ... a log, nothing but a log */
void cli_unknown_warning(const cli_args *a, const thr_metrics *t);
void cli_reading_warnings(const cli_args *a, const thr_reading *r);
/* Writes a model; an interrupt waits until it is done. Exit status. */
int cli_save_model(const thr_model *m, const char *path, bool lean);
/* Exit status after a complaint if the option is given for a model that predicts numbers, or 0. */
int cli_only_labels(const cli_args *a, const thr_model *m, const char *option);
thr_model *cli_open_model(const cli_args *a, bool to_train, int *status);
const char *cli_s(uint64_t n); /* "s" where n things are many */
int cli_flush(int status);     /* a result that cannot be written is a failure */

/* shell.c. The line for a shell that runs `command` with the options given to this one, as far as
 * it has them, on the same data; with this learner, if not NULL. To be freed; NULL: out of memory.
 */
char *cli_command_line(const cli_args *a, const cli_command *command, const char *learner);

/* folds.c: the folds of cv and tune. */
extern const cli_option cli_fold_options[];
int cli_fold_plan(const cli_args *a, size_t folds, thr_fold_plan *out);

/* progress.c */
typedef struct cli_progress {
    const char *what;
    double started, shown;
    unsigned passes; /* in all, 0 or 1: the bar is for one */
    bool no_rate;    /* say nothing of mistakes: they are not those of one learner */
    bool share_only; /* ... nor of examples: how much is done is all there is to say */
    bool quiet, terminal, wide, drawn;
} cli_progress;
void cli_progress_start(cli_progress *p, const cli_args *a, const char *what);
bool cli_progress_show(void *p, const thr_progress *now);
void cli_progress_end(cli_progress *p);
double cli_seconds(void);

/* output.c: a file that appears when it is complete. */
typedef struct cli_output {
    FILE *to;
    const char *path;
    char beside[4096];
    bool special; /* a device or pipe: written as it is */
} cli_output;
int cli_output_open(cli_output *o, const char *path); /* exit status after a complaint, or 0 */
int cli_output_close(cli_output *o, int status);      /* keeps the old file unless status is 0 */

/* json.c: one object on one line. Numbers for programs have as many digits as it takes to read the
 * same number back. */
void cli_put_exact(FILE *to, double value);
typedef struct cli_json {
    FILE *to;
    bool first;
} cli_json;
void cli_json_open(cli_json *j, FILE *to);
void cli_json_close(cli_json *j);                                      /* and a newline */
void cli_json_string(cli_json *j, const char *key, const char *value); /* NULL is null */
void cli_json_integer(cli_json *j, const char *key, unsigned long long value);
void cli_json_real(cli_json *j, const char *key, double value); /* not finite is null */
void cli_json_bool(cli_json *j, const char *key, bool value);
void cli_json_begin(cli_json *j, const char *key, char bracket); /* '{' or '['; key may be NULL */
void cli_json_end(cli_json *j, char bracket);                    /* '}' or ']' */

/* log.c: --log, a line of JSON for each update of a rule. Without the option nothing is done. */
#define CLI_LOG_BEGINS "{\"example\": "
typedef struct cli_log {
    cli_output out;
    const thr_model *m;
    const char *file; /* place of the example, where the library does not know it */
    uint64_t line;
    char *name;
    size_t room;
    bool on;
} cli_log;
int cli_log_open(cli_log *l, const cli_args *a, const thr_model *m); /* exit status */
/* To be told of updates of that model, with the log as `user`. */
int cli_log_put(void *user, const thr_update *u);
/* What err says if writing a line fails, which stops learning: to be set before. */
void cli_log_error(const cli_log *l, thr_error *err);
int cli_log_close(cli_log *l, int status); /* keeps the old log unless 0 */

/* log_read.c: such lines read back, feature by feature of move by move. */
typedef struct cli_logged_word { /* a label, several, or a regressor's number */
    const char **text;           /* NULL: a number, or nothing */
    size_t n;
    bool several;
    double number; /* NaN: texts, or nothing */
} cli_logged_word;

typedef struct cli_logged {
    uint64_t example, line; /* line 0: not known */
    const char *file, *tag; /* NULL: not known, none */
    const char *rule;
    cli_logged_word truth, prediction;
    int pushed; /* 0: what it calls the truth is; else it was promoted, 1, or demoted, -1 */
    double rescaled;
    const char *feature; /* NULL: the update as a whole, before its features */
    const char *label, *against;
    bool shared;
    double by; /* NaN: the example was kept, and there are no weights */
} cli_logged;
/* A non-zero return stops. What is wrong is in err->message; a place is added. */
typedef int cli_logged_fn(void *user, const cli_logged *u, thr_error *err);
int cli_log_read(const char *path, cli_logged_fn *fn, void *user); /* exit status */

/* ranking.c: what race and tune say of several learners; `most` rows. */
void cli_print_ranking(const thr_contest *c, size_t most, FILE *to);
void cli_json_ranking(cli_json *j, const thr_contest *c);
void cli_warn_of_sitters(const cli_args *a, const thr_contest *c);
void cli_print_p(const thr_duel *d, char *out, size_t room);

/* html.c: what all pages share. */
#define CLI_COLOURS 8
void cli_page_begin(const char *title, FILE *to); /* up to <body> */
void cli_page_end(FILE *to);
void cli_put_text(const char *text, FILE *to);
void cli_put_count(uint64_t n, FILE *to); /* 1234567 as 1,234,567 */

/* chart.c: curves, dots and bars over two axes, as SVG. */
typedef struct cli_chart {
    const char *id;    /* no other chart on the page has it */
    const char *label; /* for who cannot see it */
    const char *x, *y; /* what the axes are called */
    const char *unit;  /* behind the numbers of y, or "" */
    bool log_x, log_y;
    const char *const *categories; /* as in thr_lab_chart */
    double low, high;              /* of y; NaN: as far as the points go */
    const thr_series *series;
    char *const *detail; /* of each series, behind its name; NULL: nothing */
    size_t n;
} cli_chart;
void cli_put_chart(const cli_chart *k, FILE *to);

/* page.c: a race as a page of HTML. lab_page.c: experiments as one. */
void cli_race_page(const cli_args *a, const thr_contest *c, FILE *to);
void cli_lab_page_begin(const cli_args *a, FILE *to);
void cli_lab_page_add(const thr_lab *l, uint64_t seed, FILE *to);

/* report.c: what is predicted, and what train and test say of a test set; with `reject`, of the
 * examples answered. */
/* What the share of right answers is called, of labels or of sets of them. */
const char *cli_right(bool sets);
/* Several labels, comma-separated. */
void cli_put_labels(FILE *to, const char *const *label, size_t n);
/* As %.9g, but sooner. */
#define CLI_REAL 32
size_t cli_real_text(double v, char text[CLI_REAL]);
void cli_put_real(FILE *to, double v);
void cli_json_labels(cli_json *j, const char *key, const char *const *label, size_t n);
void cli_print_metrics(const thr_metrics *t, FILE *to);
void cli_json_metrics(cli_json *j, const thr_metrics *t);
void cli_print_covered(const thr_metrics *t, double reject, FILE *to);
void cli_json_covered(cli_json *j, const thr_metrics *t, double reject);
/* A panel's experts and what is promised of them; nothing for other models. */
void cli_print_panel(const thr_model *m, FILE *to);
void cli_json_panel(cli_json *j, const thr_model *m);
/* The member whose weights are shown for a panel's: the heaviest. NULL: no panel. */
const char *cli_speaker(const thr_model *m);

/* errors.c: --errors FILE. Open it before the work, close it with the status of that. */
typedef struct cli_errors {
    cli_output out;
    const thr_model *m;
    bool wanted;
} cli_errors;
int cli_errors_open(cli_errors *e, const cli_args *a, const thr_model *m); /* exit status, or 0 */
int cli_errors_write(void *e, const thr_prediction *p);                    /* a thr_predict_fn */
int cli_errors_close(cli_errors *e, int status);

#endif
