/* Any text where an option string is expected: lines `NAME=VALUE` with a setting, or with `grid`,
 * `format` or `input-columns`. Nothing crashes, a refusal has a message, settings that are accepted
 * print as text that reads back as the same, and where they go together they make a model that
 * learns two examples. */
#include "base/mem.h"
#include "model/settings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_refusal(int code, const thr_error *err)
{
    require(code == 0 || (err->code == code && err->message[0]));
}

static void take(thr_settings *s, thr_grid *g, thr_input *in, const char *name, const char *value)
{
    thr_error err = {0};
    int code;
    if (strcmp(name, "grid") == 0)
        code = thr_grid_add(g, value, &err);
    else if (strcmp(name, "input-columns") == 0)
        code = thr_input_set_columns(in, value, &err);
    else if (strcmp(name, "input-format") == 0)
        code = thr_input_set_format(in, value, &err);
    else
        code = thr_settings_set(s, name, value, &err);
    check_refusal(code, &err);
}

static void check_text(const thr_settings *s)
{
    thr_bytes first = {0}, second = {0};
    thr_error err = {0};
    thr_settings *again = thr_settings_new();
    require(again && thr_settings_print(s, &first));
    require(thr_settings_read(again, first.p, first.n, &err) == 0);
    require(thr_settings_print(again, &second));
    require(first.n == second.n && memcmp(first.p, second.p, first.n) == 0);
    thr_settings_free(again);
    thr_bytes_clear(&first);
    thr_bytes_clear(&second);
}

/* Large values are legal (hash-bits=30), but two examples must not take long to learn. */
static bool is_costly(const thr_settings *s)
{
    return thr_settings_number(s, "hash-bits") > 12;
}

static void check_model(const thr_settings *s)
{
    static const char data[] = "1 |a x:2 3 |b y\n-1 |a z |b y:0.5\n";
    thr_error err = {0};
    thr_train_report report;
    thr_model *m = is_costly(s) ? NULL : thr_model_new(s, &err);
    if (!m)
        return;
    thr_input *in = thr_input_new();
    require(in && thr_input_add_memory(in, data, sizeof data - 1, "two", NULL) == 0);
    thr_input_set_threads(in, 1);
    thr_input_set_max_active(in, 10000); /* a million conjunctions are legal too */
    require(thr_input_set_format(in, "vw", &err) == 0);
    check_refusal(thr_train(m, in, NULL, &report, &err), &err);
    thr_input_free(in);
    thr_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), *rest = NULL;
    thr_settings *s = thr_settings_new();
    thr_grid *g = thr_grid_new();
    thr_input *in = thr_input_new();
    require(text && s && g && in);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *equals = strchr(line, '=');
        if (!equals)
            continue;
        *equals = '\0';
        take(s, g, in, line, equals + 1);
    }
    check_text(s);
    check_model(s);
    thr_input_free(in);
    thr_grid_free(g);
    thr_settings_free(s);
    free(text);
    return 0;
}
