/* thresh merge: merges several models of the same kind into one. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {'o', "output", "FILE", "write the merged model to this file"},
    {0, "base", "MODEL", "the common model that all others were trained from; it counts once"},
    {0, "weights", "W,W,...", "weight of each model (default: the examples it has learned from)"},
    {0},
};

/* The numbers of --weights, one for each model, to be freed; NULL: not given, or after a message.
 */
static double *weights_of(const cli_args *a, int *status)
{
    const char *text = cli_get(a, "weights", NULL), *at = text;
    double *weight = text ? calloc(a->n_rest, sizeof *weight) : NULL;
    *status = text && !weight ? cli_no_memory() : 0;
    for (size_t i = 0; weight && i < a->n_rest; i++) {
        char *end;
        weight[i] = strtod(at, &end);
        char after = i + 1 < a->n_rest ? ',' : '\0';
        if (end == at || *end != after || !(weight[i] >= 1e-9 && weight[i] <= 1e9)) {
            *status = cli_usage_error("--weights %s: %zu numbers above 0 are needed, one for each "
                                      "model, separated by commas",
                                      text, a->n_rest);
            break;
        }
        at = end + 1;
    }
    return weight;
}

static void report(const cli_args *a, const thr_model *m, const char *path)
{
    thr_stats s;
    const char *base = cli_get(a, "base", NULL);
    thr_model_stats(m, &s);
    if (cli_has(a, "json")) {
        cli_json j;
        cli_json_open(&j, stdout);
        cli_json_string(&j, "learner", thr_model_setting(m, "learner"));
        cli_json_integer(&j, "models", a->n_rest);
        if (base)
            cli_json_string(&j, "base", base);
        cli_json_integer(&j, "examples", s.examples);
        cli_json_integer(&j, "features", s.features);
        cli_json_integer(&j, "labels", s.labels);
        cli_json_string(&j, "model", path);
        cli_json_close(&j);
    } else if (!cli_has(a, "quiet"))
        printf("%s: %zu model%s of %s%s%s as one: %llu examples, %llu feature%s, %llu label%s\n",
               cli_shown(path), a->n_rest, cli_s(a->n_rest), thr_model_setting(m, "learner"),
               base ? " trained from " : "", base ? cli_shown(base) : "",
               (unsigned long long)s.examples, (unsigned long long)s.features, cli_s(s.features),
               (unsigned long long)s.labels, cli_s(s.labels));
}

static int merge(const cli_args *a, thr_model **models, const double *weights)
{
    thr_error err;
    const char *path = cli_get(a, "output", NULL), *from = cli_get(a, "base", NULL);
    for (size_t i = 0; i < a->n_rest; i++)
        if (!(models[i] = thr_model_open(a->rest[i], false, &err)))
            return cli_fail(&err);
    thr_model *base = from ? thr_model_open(from, false, &err) : NULL;
    if (from && !base)
        return cli_fail(&err);
    thr_model *m = thr_model_mix((const thr_model *const *)models, a->n_rest, weights, base, &err);
    thr_model_free(base);
    int status = m ? cli_save_model(m, path, false) : cli_fail(&err);
    if (status == 0)
        report(a, m, path);
    thr_model_free(m);
    return status;
}

static int run(const cli_args *a)
{
    const char *path = cli_get(a, "output", NULL);
    if (a->n_rest + cli_has(a, "base") < 2 || a->n_rest < 1 || !path)
        return cli_usage_error("merge needs two models or more, and a file to write: "
                               "thresh merge A B... -o MODEL");
    int status = cli_may_write_model(a, path);
    double *weights = status ? NULL : weights_of(a, &status);
    thr_model **models = calloc(a->n_rest, sizeof *models);
    if (status == 0)
        status = models ? merge(a, models, weights) : cli_no_memory();
    for (size_t i = 0; models && i < a->n_rest; i++)
        thr_model_free(models[i]);
    free(models);
    free(weights);
    return status;
}

static const cli_option *const lists[] = {options, cli_json_options, cli_common_options, NULL};

const cli_command cli_merge = {
    .name = "merge",
    .usage = "MODEL MODEL... -o MODEL [--base MODEL] [--weights W,W,...]",
    .help = "merge models of the same kind into one",
    .options = lists,
    .run = run,
};
