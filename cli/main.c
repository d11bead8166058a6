/* thresh COMMAND ...: finds the command in the table and runs it. Also the overview of `thresh
 * --help`. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#ifdef THR_HAVE_JANSSON
#include <jansson.h>
#endif

#ifdef CLI_HAS_THEORY
#define CLI_THEORY(name) CLI_COMMAND(name)
#else
#define CLI_THEORY(name)
#endif

#define CLI_COMMAND(name) extern const cli_command cli_##name;
#include "commands.def"
#undef CLI_COMMAND

const cli_command *const cli_commands[] = {
#define CLI_COMMAND(name) &cli_##name,
#include "commands.def"
#undef CLI_COMMAND
    NULL,
};

#ifdef THR_HAVE_JANSSON
/* When jansson (2.14) has no memory for a longer string or number, it drops a byte and goes on.
 * Nobody could tell afterwards, so the command ends there. */
static void *json_memory(size_t n)
{
    void *p = malloc(n);
    if (!p)
        cli_leave("thresh: out of memory while JSON was read\n", EXIT_BAD);
    return p;
}
#endif

static void list_learners(bool regression, bool solved, FILE *to)
{
    thr_entry_info info;
    for (size_t i = 0; thr_learner_at(i, &info); i++)
        if (info.regression == regression && info.solved == solved)
            fprintf(to, "  %-12s%s\n", info.name, info.help);
}

static void overview(FILE *to)
{
    fputs("thresh learns linear classifiers online, from sparse examples.\n\nUsage:\n", to);
    for (size_t i = 0; cli_commands[i]; i++)
        fprintf(to, "  thresh %-9s%s\n", cli_commands[i]->name, cli_commands[i]->help);
    fputs("  thresh help COMMAND\n  thresh --version\n\nLearners:\n", to);
    list_learners(false, false, to);
    fputs("\nLearners that solve for all examples at once:\n", to);
    list_learners(false, true, to);
    fputs("\nRegressors, for labels that are numbers:\n", to);
    list_learners(true, false, to);
    thr_entry_info info;
    fputs("\nFormats, detected by content (gzip, zstd and xz are unpacked):\n", to);
    for (size_t i = 0; thr_format_at(i, &info); i++)
        fprintf(to, "  %-12s%s\n", info.name, info.help);
    fputs("\nFirst steps:\n"
          "  thresh train -m spam.model mail.tsv       label TAB text, one per line\n"
          "  thresh test -m spam.model held-out.tsv\n"
          "  echo 'win a prize now' | thresh predict -m spam.model --no-label\n",
          to);
}

static const cli_command *find(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    thr_suggestion near = {0};
    for (size_t i = 0; cli_commands[i]; i++)
        thr_suggest(&near, name, cli_commands[i]->name);
    if (near.word)
        return cli_usage_error("there is no command '%s'; did you mean %s?", name, near.word);
    return cli_usage_error("there is no command '%s'; see thresh --help", name);
}

static int help(const char *name)
{
    const cli_command *c = name ? find(name) : NULL;
    if (name && !c)
        return unknown_command(name);
    if (c)
        cli_help(c, stdout);
    else
        overview(stdout);
    return cli_flush(EXIT_DONE);
}

int main(int argc, char **argv)
{
    cli_catch_signals();
#ifdef THR_HAVE_JANSSON
    json_set_alloc_funcs(json_memory, free);
#endif
    if (argc < 2) {
        overview(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(NULL);
    if (strcmp(argv[1], "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("thresh %s (%s)\n", thr_version(), thr_built_with());
        return cli_flush(EXIT_DONE);
    }
    const cli_command *c = find(argv[1]);
    if (!c)
        return unknown_command(argv[1]);
    cli_args args;
    int status = cli_parse(c, argc - 2, argv + 2, &args);
    if (status == 0 && cli_has(&args, "help"))
        status = help(c->name);
    else if (status == 0)
        status = cli_flush(c->run(&args));
    cli_args_clear(&args);
    return status;
}
