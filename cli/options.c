/* Options by table. Parsing, lookup and the help all walk the same lists, so the help is never out
 * of date. The settings of the model are options too, taken from the table of the library. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

const cli_option cli_reading_options[] = {
    {'f', "format", "FORMAT", "input format (default: detected from the content of each file)"},
    {0, "columns", "LIST", "columns or JSON keys by name or number: label=NAME,text=A+B,id=3"},
    {0, "threads", "N", "number of threads (default: one per core); does not change the result"},
    {0, "max-line", "BYTES", "longest line allowed, in bytes (default 67108864)"},
    {0, "max-active", "N", "most crosses and conjunctions of one example (default 1048576)"},
    {0, "on-error", "MODE", "at a bad line: stop (default), or skip and count it"},
    {0, "strict", NULL, "treat text that is not valid UTF-8, or has a NUL, as an error"},
    {0},
};

const cli_option cli_label_options[] = {
    {0, "no-label", NULL, "the lines have no label"},
    {0},
};

const cli_option cli_sets_options[] = {
    {0, "multilabel", "on|off", "examples may have no label, the empty set [off]"},
    {0},
};

const cli_option cli_limit_options[] = {
    {0, "max-labels", "N", "most different labels (default 10000)"},
    {0, "memory", "SIZE", "most memory for names and weights alone, as 500M (default: no limit)"},
    {0},
};

const cli_option cli_json_options[] = {
    {0, "json", NULL, "print the result as JSON"},
    {0},
};

const cli_option cli_common_options[] = {
    {'q', "quiet", NULL, "print no progress, warnings or summary"},
    {'h', "help", NULL, "print this help"},
    {0},
};

/* ---- finding an option -------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names;
}

/* The reason why a command does not take a setting (cli_command.without); NULL: it is not listed.
 * `setting` has n bytes and need not end there. */
static const char *why_not(const cli_command *c, const char *setting, size_t n)
{
    for (const struct cli_without *w = c->without; w && w->setting; w++)
        if (strlen(w->setting) == n && memcmp(w->setting, setting, n) == 0)
            return w->why;
    return NULL;
}

/* Whether a setting of the library is an option of the command. Settings that the tables here list
 * anyway (-l, -f, --columns) do not count. Commands that make no model take only the settings that
 * define the features of text. */
static bool is_option_of(const cli_command *c, const char *setting)
{
    static const char *const own[] = {"learner", "format", "columns", "decode", "beam", NULL};
    static const char *const features[] = {
        "tokens", "symbols", "fold",   "normalize", "ngrams", "char-ngrams", "skip",
        "values", "unit",    "negate", "conjoin",   "cross",  NULL};
    static const char *const sentences[] = {"decode",    "beam", "template",  "tags", "hash-bits",
                                            "hash-seed", "min-count", NULL};
    if (why_not(c, setting, strlen(setting)))
        return false;
    switch (c->settings) {
    case CLI_MODEL: return !is_one_of(setting, own);
    case CLI_FEATURES: return is_one_of(setting, features);
    case CLI_SENTENCES: return is_one_of(setting, sentences);
    default: return false;
    }
}

/* Finds an option by its letter, or, if that is 0, by the n bytes of its name. Only by name are
 * settings found. */
static bool find(const cli_command *c, char letter, const char *name, size_t n, cli_option *out)
{
    for (size_t l = 0; c->options[l]; l++)
        for (const cli_option *o = c->options[l]; o->name; o++)
            if (letter ? o->letter == letter
                       : strlen(o->name) == n && memcmp(o->name, name, n) == 0) {
                *out = *o;
                return true;
            }
    thr_option_info s;
    for (size_t i = 0; !letter && thr_setting_at(i, &s); i++)
        if (strlen(s.name) == n && memcmp(s.name, name, n) == 0 && is_option_of(c, s.name)) {
            *out = (cli_option){0, s.name, "VALUE", s.help};
            return true;
        }
    return false;
}

/* ---- parsing ------------------------------------------------------------------------------ */

static int unknown_option(const cli_command *c, const char *arg)
{
    char word[64];
    thr_suggestion near = {0};
    thr_option_info s;
    const char *why = arg[1] == '-' ? why_not(c, arg + 2, strcspn(arg + 2, "=")) : NULL;
    if (why)
        return cli_usage_error("%s has no option %s: %s", c->name, arg, why);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
    for (size_t l = 0; c->options[l] && arg[1] == '-'; l++)
        for (const cli_option *o = c->options[l]; o->name; o++)
            thr_suggest(&near, word, o->name);
    for (size_t i = 0; arg[1] == '-' && thr_setting_at(i, &s); i++)
        if (is_option_of(c, s.name))
            thr_suggest(&near, word, s.name);
    if (near.word)
        return cli_usage_error("%s has no option %s; did you mean --%s?", c->name, arg, near.word);
    return cli_usage_error("%s has no option %s; see thresh %s --help", c->name, arg, c->name);
}

/* Whether an option takes its value from the next argument, which may be NULL. A value in brackets
 * is an optional number: a word that is not one, such as the name of a file, is left alone. */
static bool takes_next(const cli_option *o, const char *next)
{
    if (!o->value || o->value[0] != '[')
        return o->value;
    return next && *next && next[strspn(next, "0123456789")] == '\0';
}

static int parse_one(const cli_command *c, int argc, char **argv, int *at, cli_args *out)
{
    const char *arg = argv[*at], *attached = NULL;
    cli_option o;
    bool found;
    if (arg[1] == '-') {
        const char *equals = strchr(arg, '=');
        found = find(c, 0, arg + 2, equals ? (size_t)(equals - arg - 2) : strlen(arg + 2), &o);
        attached = equals ? equals + 1 : NULL;
    } else {
        found = find(c, arg[1], NULL, 0, &o);
        attached = arg[2] ? arg + 2 : NULL;
    }
    if (!found)
        return unknown_option(c, arg);
    bool next = !attached && takes_next(&o, *at + 1 < argc ? argv[*at + 1] : NULL);
    if (!o.value && attached)
        return cli_usage_error("--%s takes no value", o.name);
    if (next && *at + 1 >= argc)
        return cli_usage_error("--%s needs a value: %s", o.name, o.value);
    out->given[out->n_given++] = (struct cli_given){o.name, next ? argv[++*at] : attached};
    return 0;
}

int cli_parse(const cli_command *c, int argc, char **argv, cli_args *out)
{
    *out = (cli_args){.command = c};
    out->given = calloc((size_t)argc + 1, sizeof *out->given);
    out->rest = calloc((size_t)argc + 1, sizeof *out->rest);
    if (!out->given || !out->rest)
        return cli_no_memory();
    bool only_rest = false;
    for (int i = 0; i < argc; i++) {
        if (!only_rest && strcmp(argv[i], "--") == 0)
            only_rest = true;
        else if (!only_rest && argv[i][0] == '-' && argv[i][1]) {
            int status = parse_one(c, argc, argv, &i, out);
            if (status)
                return status;
        } else
            out->rest[out->n_rest++] = argv[i];
    }
    return 0;
}

void cli_args_clear(cli_args *a)
{
    free(a->given);
    free(a->rest);
}

const char *cli_get(const cli_args *a, const char *name, const char *fallback)
{
    for (size_t i = a->n_given; i-- > 0;)
        if (strcmp(a->given[i].name, name) == 0)
            return a->given[i].value ? a->given[i].value : "";
    return fallback;
}

bool cli_has(const cli_args *a, const char *name)
{
    return cli_get(a, name, NULL) != NULL;
}

bool cli_number(const cli_args *a, const char *name, double fallback, double min, double max,
                double *out)
{
    const char *text = cli_get(a, name, NULL);
    char *end;
    *out = text ? strtod(text, &end) : fallback;
    if (!text || (*text && !*end && *out >= min && *out <= max && *out == (double)(uint64_t)*out))
        return true;
    cli_usage_error("--%s %s: a whole number from %.0f to %.0f is needed", name, text, min, max);
    return false;
}

bool cli_real(const cli_args *a, const char *name, double fallback, double min, double max,
              double *out)
{
    const char *text = cli_get(a, name, NULL);
    char *end;
    *out = text ? strtod(text, &end) : fallback;
    if (!text || (*text && !*end && *out >= min && *out <= max))
        return true;
    cli_usage_error("--%s %s: a number from %g to %g is needed", name, text, min, max);
    return false;
}

bool cli_size(const cli_args *a, const char *name, uint64_t *out)
{
    const char *text = cli_get(a, name, NULL), *units = "kMGT", *unit;
    char *end;
    *out = 0;
    if (!text)
        return true;
    double size = strtod(text, &end);
    for (unit = units; *end && *unit && *unit != *end;)
        unit++;
    for (const char *u = units; *end && *unit && u <= unit; u++)
        size *= 1024;
    end += *end && *unit;
    if (end != text && !*end && size >= 1 && size <= 9e15) {
        *out = (uint64_t)size;
        return true;
    }
    cli_usage_error("--%s %s: a number of bytes is needed, such as 500M or 8G", name, text);
    return false;
}

/* ---- help --------------------------------------------------------------------------------- */

#define HELP_COLUMN 29

/* A name that is too long for its column gets a line of its own. */
static void print_option(const cli_option *o, const char *fallback, FILE *to)
{
    char left[64];
    snprintf(left, sizeof left, "  %c%c%s --%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name, o->value ? " " : "",
             o->value ? o->value : "");
    if (strlen(left) > HELP_COLUMN - 1) {
        fprintf(to, "%s\n", left);
        *left = '\0';
    }
    fprintf(to, "%-*s%s", HELP_COLUMN, left, o->help);
    if (fallback && *fallback)
        fprintf(to, " [%s]", fallback);
    fputc('\n', to);
}

static void print_learners(bool regression, FILE *to)
{
    thr_entry_info l;
    thr_option_info o;
    for (size_t i = 0; thr_learner_at(i, &l); i++) {
        if (l.regression != regression)
            continue;
        fprintf(to, "  %-12s%s\n", l.name, l.help);
        for (size_t k = 0; thr_learner_option_at(i, k, &o); k++)
            fprintf(to, "      %-16s%s [%s]\n", o.name, o.help, o.fallback);
    }
}

void cli_help(const cli_command *c, FILE *to)
{
    fprintf(to, "thresh %s: %s\n\nUsage: thresh %s %s\n\nOptions:\n", c->name, c->help, c->name,
            c->usage);
    for (size_t l = 0; c->options[l]; l++)
        for (const cli_option *o = c->options[l]; o->name; o++)
            print_option(o, NULL, to);
    if (c->settings)
        fputs(c->settings == CLI_FEATURES ? "\nHow text becomes features:\n"
                                          : "\nSettings, kept in the model:\n",
              to);
    thr_option_info s;
    for (size_t i = 0; c->settings && thr_setting_at(i, &s); i++) {
        cli_option o = {0, s.name, s.type == THR_CHOICE ? s.choices : "VALUE", s.help};
        if (s.type == THR_BOOL)
            o.value = "on|off";
        if (is_option_of(c, s.name))
            print_option(&o, s.fallback, to);
    }
    if (c->settings != CLI_MODEL)
        return;
    fputs("\nLearners (-l NAME[:key=value,...]):\n", to);
    print_learners(false, to);
    fputs("\nRegressors, for labels that are numbers:\n", to);
    print_learners(true, to);
}
