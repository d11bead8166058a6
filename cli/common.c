/* What several commands share: settings and inputs from options, opening and saving models, checks
 * of output paths, messages. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLEAN_LIMIT 1000 /* passes of --until-clean without -p */

int cli_fail(const thr_error *err)
{
    char text[2048];
    thr_error_text(err, text, sizeof text);
    cli_say("%s", text);
    return err->code == THR_EUSE ? EXIT_USAGE : EXIT_BAD;
}

int cli_no_memory(void)
{
    return cli_fail(&(thr_error){.code = THR_EMEM, .message = "out of memory"});
}

const char *cli_s(uint64_t n)
{
    return n == 1 ? "" : "s";
}

size_t cli_line_width(size_t otherwise)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (isatty(STDOUT_FILENO) != 1)
        return otherwise;
    if (columns && atoi(columns) > 0)
        return (size_t)atoi(columns);
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : otherwise;
}

int cli_flush(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != EPIPE)
        cli_say("cannot write standard output: %s", strerror(errno));
    return status ? status : EXIT_BAD;
}

int cli_put_bytes(void *user, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n ? 0 : THR_EIO;
}

static int set(thr_settings *s, const char *name, const char *value)
{
    thr_error err;
    return value && thr_settings_set(s, name, value, &err) ? cli_fail(&err) : 0;
}

/* Several -l options make a panel: they are joined by + to the value of `members`. */
static int set_members(const cli_args *a, thr_settings *s)
{
    char spec[4096];
    size_t n = 0, rules = 0;
    for (size_t i = 0; i < a->n_given && n < sizeof spec; i++)
        if (strcmp(a->given[i].name, "learner") == 0)
            n += (size_t)snprintf(spec + n, sizeof spec - n, "%s%s", rules++ ? "+" : "",
                                  a->given[i].value);
    if (rules < 2)
        return 0;
    if (n >= sizeof spec || cli_has(a, "members"))
        return cli_usage_error(n >= sizeof spec ? "too many learners"
                                                : "give either --members or several -l, not both");
    int status = set(s, "learner", "panel");
    return status ? status : set(s, "members", spec);
}

/* Several options --cross are one list, and so are several --negate. */
static int set_list(const cli_args *a, thr_settings *s, const char *name)
{
    char list[4096];
    size_t n = 0;
    for (size_t i = 0; i < a->n_given && n < sizeof list; i++)
        if (strcmp(a->given[i].name, name) == 0)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? "," : "",
                                  a->given[i].value);
    if (n >= sizeof list)
        return cli_usage_error("--%s: the list is too long", name);
    return n ? set(s, name, list) : 0;
}

char *cli_read_file(const char *path, size_t *n)
{
    char *text = NULL, *grown;
    size_t room = 0, got;
    FILE *from = fopen(path, "rb");
    *n = 0;
    do {
        room += 1 << 16;
        grown = from ? realloc(text, room) : NULL;
        if (!grown)
            break;
        text = grown;
        got = fread(text + *n, 1, room - *n, from);
        *n += got;
    } while (*n == room);
    bool ok = from && grown && !ferror(from);
    if (ok)
        text[*n] = '\0'; /* there is room: the loop ends with *n < room */
    if (!ok)
        cli_say("%s: cannot read: %s", path, strerror(errno));
    if (from)
        fclose(from);
    if (!ok)
        free(text);
    return ok ? text : NULL;
}

/* --template FILE: the setting is what the file has. */
static int set_template(const cli_args *a, thr_settings *s)
{
    const char *path = cli_get(a, "template", NULL);
    if (!path)
        return 0;
    size_t n;
    char *text = cli_read_file(path, &n);
    if (!text)
        return EXIT_BAD;
    thr_error err;
    if (memchr(text, '\0', n)) {
        free(text);
        return cli_say("%s: a template is text, and this has a NUL byte", path);
    }
    int code = thr_settings_set(s, "template", text, &err);
    free(text);
    if (code)
        snprintf(err.file, sizeof err.file, "%s", path);
    return code ? cli_fail(&err) : 0;
}

static thr_settings *settings(const cli_args *a, bool learner, int *status)
{
    thr_settings *s = thr_settings_new();
    thr_option_info info;
    *status = s ? 0 : cli_no_memory();
    for (size_t i = 0; *status == 0 && thr_setting_at(i, &info); i++)
        if (strcmp(info.name, "template") != 0 && (learner || strcmp(info.name, "learner") != 0))
            *status = set(s, info.name, cli_get(a, info.name, NULL));
    if (*status == 0)
        *status = set_template(a, s);
    if (*status == 0)
        *status = set_list(a, s, "cross");
    if (*status == 0)
        *status = set_list(a, s, "negate");
    if (*status == 0 && learner)
        *status = set_members(a, s);
    if (*status == 0)
        return s;
    thr_settings_free(s);
    return NULL;
}

thr_settings *cli_settings(const cli_args *a, int *status)
{
    return settings(a, true, status);
}

thr_settings *cli_settings_but_learner(const cli_args *a, int *status)
{
    return settings(a, false, status);
}

const char **cli_all(const cli_args *a, const char *name, size_t *n)
{
    const char **values = calloc(a->n_given + 1, sizeof *values);
    *n = 0;
    for (size_t i = 0; i < a->n_given && values; i++)
        if (strcmp(a->given[i].name, name) == 0)
            values[(*n)++] = a->given[i].value;
    return values;
}

int cli_passes(const cli_args *a, thr_train_options *o)
{
    double passes, seed = 1;
    bool seeded = *cli_get(a, "shuffle", "0"); /* --shuffle has no value, or none was given */
    o->until_clean = cli_has(a, "until-clean");
    if (!cli_number(a, "passes", o->until_clean ? CLEAN_LIMIT : 1, 1, 1e9, &passes) ||
        (seeded && !cli_number(a, "shuffle", 0, 0, 9e15, &seed)))
        return EXIT_USAGE;
    o->passes = (unsigned)passes;
    o->shuffle = cli_has(a, "shuffle");
    o->in_order = cli_has(a, "in-order");
    if (o->shuffle && o->in_order)
        return cli_usage_error("--shuffle and --in-order exclude each other");
    o->seed = (uint64_t)seed;
    return 0;
}

int cli_cache(const cli_args *a, const char **path)
{
    const char *model = cli_get(a, "model", NULL);
    *path = cli_get(a, "cache", NULL);
    if (*path && strcmp(*path, "-") == 0)
        return cli_usage_error("a cache is written to a file: --cache FILE");
    if (*path && model && strcmp(*path, model) == 0)
        return cli_usage_error("the model and the cache cannot both be %s", model);
    return 0;
}

bool cli_ceilings_read(const cli_args *a, cli_ceilings *out)
{
    double line, active, labels;
    if (!cli_number(a, "max-line", 67108864, 16, 1e12, &line) ||
        !cli_number(a, "max-active", 1048576, 1, 4e9, &active) ||
        !cli_number(a, "max-labels", 10000, 1, 2e9, &labels) ||
        !cli_size(a, "memory", &out->memory))
        return false;
    out->line = (size_t)line;
    out->active = (size_t)active;
    out->labels = (size_t)labels;
    return true;
}

static int set_reading(const cli_args *a, thr_input *in)
{
    thr_error err;
    double threads;
    cli_ceilings most;
    if (!cli_number(a, "threads", 0, 1, 64, &threads) || !cli_ceilings_read(a, &most))
        return EXIT_USAGE;
    thr_input_set_max_line(in, most.line);
    thr_input_set_max_active(in, most.active);
    thr_input_set_max_labels(in, most.labels);
    thr_input_set_memory(in, most.memory);
    thr_input_set_threads(in, (unsigned)threads);
    thr_input_set_strict(in, cli_has(a, "strict"));
    thr_input_set_labelled(in, !cli_has(a, "no-label"));
    thr_input_set_detect_labels(in, a->command->labels_optional);
    if (thr_input_set_format(in, cli_get(a, "format", NULL), &err))
        return cli_fail(&err);
    const char *sets = cli_get(a, "multilabel", "off");
    if (strcmp(sets, "on") != 0 && strcmp(sets, "off") != 0)
        return cli_usage_error("--multilabel is on or off, not '%s'", sets);
    thr_input_set_empty_sets(in, strcmp(sets, "on") == 0);
    const char *columns = cli_get(a, "columns", NULL);
    if (columns && thr_input_set_columns(in, columns, &err))
        return cli_fail(&err);
    const char *mode = cli_get(a, "on-error", "stop");
    if (strcmp(mode, "stop") != 0 && strcmp(mode, "skip") != 0)
        return cli_usage_error("--on-error is stop or skip, not '%s'", mode);
    thr_input_set_on_error(in, strcmp(mode, "skip") == 0 ? THR_SKIP : THR_STOP, NULL, NULL);
    return 0;
}

thr_input *cli_input(const cli_args *a, char *const *paths, size_t n, int *status)
{
    thr_error err;
    thr_input *in = thr_input_new();
    *status = in ? set_reading(a, in) : cli_no_memory();
    for (size_t i = 0; i < n && *status == 0; i++)
        if (thr_input_add_file(in, paths[i], &err))
            *status = cli_fail(&err);
    if (*status == 0)
        return in;
    thr_input_free(in);
    return NULL;
}

int cli_same_settings(const char *path, const thr_model *m, const thr_settings *s)
{
    thr_option_info info;
    for (size_t i = 0; thr_setting_at(i, &info); i++) {
        const char *now = thr_model_setting(m, info.name), *wanted = thr_settings_get(s, info.name);
        bool reading = strcmp(info.name, "format") == 0 || strcmp(info.name, "columns") == 0;
        if (thr_settings_given(s, info.name) && !reading && strcmp(now, wanted) != 0)
            return cli_usage_error("%s was trained with %s=%s, which cannot be changed to %s", path,
                                   info.name, now, wanted);
    }
    return 0;
}

int cli_readable(const char *path)
{
    if (strcmp(path, "-") == 0 || access(path, R_OK) == 0)
        return 0;
    return cli_say("%s: cannot open: %s", path, strerror(errno));
}

static bool same_file(const char *path, const struct stat *st)
{
    struct stat other;
    return stat(path, &other) == 0 && S_ISREG(other.st_mode) && other.st_dev == st->st_dev &&
           other.st_ino == st->st_ino;
}

/* A result is written to a temporary file beside its target and renamed, so the folder must exist
 * and be writable. For a symbolic link it is the folder of the file that it points to. Devices and
 * pipes are written to directly. */
static int writable(const char *path)
{
    struct stat st;
    char folder[PATH_MAX];
    bool there = stat(path, &st) == 0;
    if (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0;
    const char *why = there && S_ISDIR(st.st_mode) ? "it is a directory" : NULL;
    if (!there || !realpath(path, folder))
        snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    if (!*path)
        why = "the name is empty";
    else if (!why && access(slash ? folder : ".", W_OK | X_OK))
        why = strerror(errno);
    if (why)
        cli_say("cannot write %s: %s", *path ? path : "''", why);
    return why ? EXIT_BAD : 0;
}

int cli_may_write(const cli_args *a, const char *path)
{
    struct stat st;
    if (!path)
        return 0;
    if (strcmp(path, "-") != 0 && writable(path))
        return EXIT_BAD;
    if (stat(path, &st))
        return 0;
    for (size_t i = 0; i < a->n_rest; i++)
        if (same_file(a->rest[i], &st))
            return cli_usage_error("%s is read as data: write somewhere else", path);
    for (size_t i = 0; i < a->n_given; i++)
        if ((strcmp(a->given[i].name, "test") == 0 || strcmp(a->given[i].name, "base") == 0) &&
            same_file(a->given[i].value, &st))
            return cli_usage_error("%s is read as data: write somewhere else", path);
    return 0;
}

/* A model is not written to a named pipe, a socket or a disk: somebody has mistyped. Opening a
 * named pipe would also wait for a reader, when all is learned. A pipe without a name, such as
 * >(gzip) of a shell or /dev/stdout, has its reader already; its path leads nowhere in the file
 * system. */
static int holds_model(const char *path)
{
    struct stat st;
    char real[PATH_MAX];
    if (stat(path, &st) || !realpath(path, real))
        return 0;
    const char *what = S_ISFIFO(st.st_mode)   ? "a named pipe"
                       : S_ISSOCK(st.st_mode) ? "a socket"
                       : S_ISBLK(st.st_mode)  ? "a disk"
                                              : NULL;
    if (!what)
        return 0;
    return cli_say("cannot write %s: it is %s, and a model is written to a file", path, what);
}

int cli_may_write_model(const cli_args *a, const char *path)
{
    char magic[8];
    struct stat st;
    int status = cli_may_write(a, path);
    if (status == 0 && path)
        status = holds_model(path);
    if (status == 0 && path)
        status = cli_model_is_free(path);
    if (status || !path)
        return status;
    if (strcmp(path, "-") == 0)
        return cli_usage_error("a model is written to a file: -m FILE");
    FILE *there = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!there)
        return 0;
    size_t n = fread(magic, 1, sizeof magic, there);
    fclose(there);
    if (n == 0 || (n == sizeof magic && memcmp(magic, "THRMODEL", n) == 0))
        return 0;
    return cli_usage_error("%s exists and is not a model; remove it first", path);
}

/* Whether the file given by --OPTION may be written: an existing file is replaced only if it is
 * empty or begins with the bytes that all files of this kind begin with. */
static int may_replace(const cli_args *a, const char *path, const char *what, const char *option,
                       const char *begins)
{
    char there[32];
    int status = cli_may_write(a, path);
    if (status || !path)
        return status;
    if (strcmp(path, "-") == 0)
        return cli_usage_error("a %s is written to a file: --%s FILE", what, option);
    struct stat st;
    FILE *old = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!old)
        return 0;
    size_t n = fread(there, 1, strlen(begins), old);
    fclose(old);
    if (n == 0 || (n == strlen(begins) && memcmp(there, begins, n) == 0))
        return 0;
    return cli_usage_error("%s exists and is not a %s; remove it first", path, what);
}

int cli_may_write_page(const cli_args *a, const char *path)
{
    return may_replace(a, path, "page", "html", "<!DOCTYPE html>");
}

int cli_may_write_log(const cli_args *a, const char *path)
{
    const char *model = cli_get(a, "model", NULL);
    if (path && model && strcmp(path, model) == 0)
        return cli_usage_error("the model and the log cannot both be %s", path);
    return may_replace(a, path, "log", "log", CLI_LOG_BEGINS);
}

void cli_unknown_warning(const cli_args *a, const thr_metrics *t)
{
    unsigned long long n = thr_metrics_unknown(t);
    if (n)
        cli_warn(a, "%llu example%s a label that training never saw and count%s as wrong", n,
                 n == 1 ? " has" : "s have", n == 1 ? "s" : "");
}

void cli_reading_warnings(const cli_args *a, const thr_reading *r)
{
    if (r->unlabelled == 1 && !cli_has(a, "quiet"))
        cli_say("the input has no labels (read as %s)", r->formats);
    else if (r->unlabelled && !cli_has(a, "quiet"))
        cli_say("%llu inputs have no labels (read as %s)", (unsigned long long)r->unlabelled,
                r->formats);
    if (r->bad_utf8)
        cli_warn(a, "%llu byte%s of text %s not valid UTF-8; each is taken as a letter",
                 (unsigned long long)r->bad_utf8, cli_s(r->bad_utf8),
                 r->bad_utf8 == 1 ? "is" : "are");
    if (r->nul_bytes)
        cli_warn(a, "%llu byte%s of text %s NUL; each is taken as a blank",
                 (unsigned long long)r->nul_bytes, cli_s(r->nul_bytes),
                 r->nul_bytes == 1 ? "is" : "are");
    for (size_t i = 0, n; r->unmatched[i]; i += n + (r->unmatched[i + n] == ',')) {
        n = strcspn(r->unmatched + i, ",");
        cli_warn(a, "the cross '%.*s' matched no example; the namespaces met are: %s", (int)n,
                 r->unmatched + i, *r->namespaces ? r->namespaces : "none");
    }
    if (r->never_negated && cli_has(a, "negate")) /* predicting, that is nothing unusual */
        cli_warn(a, "no example has a feature that --negate names");
    if (r->skipped)
        cli_warn(a, "%llu bad line%s skipped (see thresh lint)", (unsigned long long)r->skipped,
                 r->skipped == 1 ? " was" : "s were");
}

/* The library removes its own temporary file if it fails, but a signal that ends the process would
 * leave it behind: its name is not known here. */
int cli_save_model(const thr_model *m, const char *path, bool lean)
{
    thr_error err;
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    sigprocmask(SIG_BLOCK, &stops, &before);
    int code = thr_model_save(m, path, lean, &err);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code ? cli_fail(&err) : 0;
}

int cli_only_labels(const cli_args *a, const thr_model *m, const char *option)
{
    if (!cli_has(a, option) || !thr_model_regression(m))
        return 0;
    return cli_usage_error("--%s is for labels, but %s predicts numbers", option,
                           thr_model_setting(m, "learner"));
}

thr_model *cli_open_model(const cli_args *a, bool to_train, int *status)
{
    return cli_open_model_at(a, cli_get(a, "model", NULL), to_train, status);
}

thr_model *cli_open_model_at(const cli_args *a, const char *path, bool to_train, int *status)
{
    thr_error err;
    if (!path) {
        *status = cli_usage_error("%s needs a model: -m FILE", a->command->name);
        return NULL;
    }
    thr_model *m = thr_model_open(path, to_train, &err);
    *status = m ? 0 : cli_fail(&err);
    return m;
}
