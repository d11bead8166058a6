/* thresh convert: writes examples in another format. What that format cannot hold is an error. */
#include "cli.h"

#include <errno.h>
#include <string.h>

static const cli_option options[] = {
    {0, "to", "FORMAT", "output format"},
    {'o', "output", "FILE", "output file (default: standard output)"},
    {0},
};

static int convert(const cli_args *a, thr_input *in, const thr_settings *s, FILE *to,
                   const char *name)
{
    thr_error err = {0};
    thr_reading reading;
    uint64_t examples;
    int code =
        thr_convert(in, cli_get(a, "to", ""), s, cli_put_bytes, to, &reading, &examples, &err);
    if (code == 0 && fflush(to))
        code = THR_EIO;
    if (code && ferror(to)) {
        if (to != stdout) /* errors of standard output are reported by cli_flush */
            cli_say("cannot write %s: %s", name, strerror(errno));
        return EXIT_BAD;
    }
    if (code)
        return cli_fail(&err);
    cli_reading_warnings(a, &reading);
    if (!cli_has(a, "quiet"))
        fprintf(stderr, "thresh: %llu example%s from %s to %s\n", (unsigned long long)examples,
                cli_s(examples), *reading.formats ? reading.formats : "nothing",
                cli_get(a, "to", ""));
    return 0;
}

static int run(const cli_args *a)
{
    int status;
    cli_output o;
    if (!cli_has(a, "to"))
        return cli_usage_error("convert needs --to FORMAT");
    if (a->n_rest == 0)
        return cli_usage_error("convert needs data: thresh convert --to FORMAT FILE...");
    status = cli_may_write(a, cli_get(a, "output", NULL));
    thr_settings *s = status ? NULL : cli_settings(a, &status);
    if (!s)
        return status;
    thr_input *in = cli_input(a, a->rest, a->n_rest, &status);
    const char *path = cli_get(a, "output", "-");
    if (in && strcmp(path, "-") == 0)
        status = convert(a, in, s, stdout, "standard output");
    else if (in && (status = cli_output_open(&o, path)) == 0)
        status = cli_output_close(&o, convert(a, in, s, o.to, o.path));
    thr_input_free(in);
    thr_settings_free(s);
    return status;
}

static const cli_option *const lists[] = {
    options, cli_label_options, cli_sets_options, cli_reading_options, cli_common_options, NULL};

const cli_command cli_convert = {
    .name = "convert",
    .usage = "--to FORMAT [-o FILE] [OPTIONS] DATA...",
    .help = "write examples in another format, or as a binary cache",
    .options = lists,
    .settings = CLI_FEATURES,
    .run = run,
};
