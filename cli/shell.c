/* Builds command lines that a user can paste into a shell. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Whether something in the word must not be printed as it is. A backslash may: it only doubles. */
static bool has_controls(const char *word)
{
    size_t n = thr_escape(word, NULL, 0);
    for (const char *p = word; *p; p++)
        n -= *p == '\\';
    return n != strlen(word);
}

/* Quotes the word unless all its characters are ordinary ones to a shell; as $'...' if it has
 * control characters, whose escapes are those of thr_escape. */
static void put_word(const char *word, FILE *to)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=,+-@%";
    fputc(' ', to);
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, to);
        return;
    }
    bool controls = has_controls(word);
    fputs(controls ? "$'" : "'", to);
    for (const char *p = controls ? cli_shown(word) : word; *p; p++)
        if (*p == '\'')
            fputs(controls ? "\\'" : "'\\''", to);
        else
            fputc(*p, to);
    fputc('\'', to);
}

/* Whether an option given to this command goes into the command line of `command`: one that it has.
 * Left out are options that do not change what is learned, --top, which means something else in
 * train, and -l if the caller names the learner. */
static bool is_passed_on(const cli_command *command, const char *name, const char *learner)
{
    static const char *const never[] = {"json", "quiet", "threads", "top", NULL};
    thr_option_info s;
    for (size_t i = 0; never[i]; i++)
        if (strcmp(name, never[i]) == 0)
            return false;
    if (learner && strcmp(name, "learner") == 0)
        return false;
    for (size_t l = 0; command->options[l]; l++)
        for (const cli_option *o = command->options[l]; o->name; o++)
            if (strcmp(o->name, name) == 0)
                return true;
    for (size_t i = 0; command->settings == CLI_MODEL && thr_setting_at(i, &s); i++)
        if (strcmp(s.name, name) == 0)
            return true;
    return false;
}

char *cli_command_line(const cli_args *a, const cli_command *command, const char *learner,
                       const char *more)
{
    char *line = NULL;
    size_t n;
    FILE *to = open_memstream(&line, &n);
    if (!to)
        return NULL;
    fprintf(to, "thresh %s", command->name);
    if (learner) {
        fputs(" -l", to);
        put_word(learner, to);
    }
    if (more)
        fprintf(to, " %s", more);
    for (size_t i = 0; i < a->n_given; i++) {
        const struct cli_given *g = &a->given[i];
        if (!is_passed_on(command, g->name, learner))
            continue;
        fprintf(to, " --%s", g->name);
        if (g->value)
            put_word(g->value, to);
    }
    for (size_t i = 0; i < a->n_rest; i++)
        put_word(a->rest[i], to);
    bool complete = !ferror(to);
    complete &= fclose(to) == 0;
    if (complete)
        return line;
    free(line);
    return NULL;
}
