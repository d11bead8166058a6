/* thresh train: learns from a stream and writes a model. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define CLEAN_LIMIT 1000

static const cli_option options[] = {
    {'l', "learner", "SPEC", "the rule: NAME or NAME:key=value,... (see below)"},
    {'m', "model", "FILE", "write the model here"},
    {0, "init", "FILE", "go on from this model"},
    {'p', "passes", "N", "passes over the data (default 1)"},
    {0, "until-clean", NULL,
     "repeat until a pass makes no mistake; -p is the limit (default 1000)"},
    {0, "shuffle", "SEED", "visit the examples in another order each pass"},
    {'t', "test", "FILE", "test on this afterwards"},
    {0, "lean", NULL, "write only what predicting needs"},
    {0},
};

typedef struct job {
    const cli_args *a;
    thr_model *m;
    thr_input *in;
    thr_train_options train;
    thr_train_report report;
    thr_metrics *test;
    thr_reading test_reading;
    double seconds;
} job;

/* Settings of a model that is trained further are its own; repeating them is allowed. */
static int same_settings(const cli_args *a, const thr_model *m, const thr_settings *s)
{
    thr_option_info info;
    for (size_t i = 0; thr_setting_at(i, &info); i++) {
        const char *now = thr_model_setting(m, info.name), *wanted = thr_settings_get(s, info.name);
        bool reading = strcmp(info.name, "format") == 0 || strcmp(info.name, "columns") == 0;
        if (thr_settings_given(s, info.name) && !reading && strcmp(now, wanted) != 0)
            return cli_usage_error("%s was made with %s=%s, which cannot become %s",
                                   cli_get(a, "init", ""), info.name, now, wanted);
    }
    return 0;
}

static int make_model(job *j)
{
    thr_error err;
    int status;
    thr_settings *s = cli_settings(j->a, &status);
    if (!s)
        return status;
    const char *init = cli_get(j->a, "init", NULL);
    j->m = init ? thr_model_open(init, true, &err) : thr_model_new(s, &err);
    status = j->m ? 0 : cli_fail(&err);
    if (status == 0 && init)
        status = same_settings(j->a, j->m, s);
    thr_settings_free(s);
    return status;
}

static int read_plan(job *j)
{
    double passes, seed;
    j->train.until_clean = cli_has(j->a, "until-clean");
    if (!cli_number(j->a, "passes", j->train.until_clean ? CLEAN_LIMIT : 1, 1, 1e9, &passes) ||
        !cli_number(j->a, "shuffle", 0, 0, 9e15, &seed))
        return EXIT_USAGE;
    j->train.passes = (unsigned)passes;
    j->train.shuffle = cli_has(j->a, "shuffle");
    j->train.seed = (uint64_t)seed;
    int status;
    j->in = cli_input(j->a, j->a->rest, j->a->n_rest, &status);
    return j->in ? 0 : status;
}

static int train(job *j)
{
    thr_error err;
    cli_progress progress;
    cli_progress_start(&progress, j->a, "train");
    j->train.progress = cli_progress_show;
    j->train.user = &progress;
    progress.passes = j->train.passes;
    int code = thr_train(j->m, j->in, &j->train, &j->report, &err);
    cli_progress_end(&progress);
    j->seconds = cli_seconds() - progress.started;
    if (code)
        return cli_fail(&err);
    cli_reading_warnings(j->a, &j->report.reading);
    if (j->train.until_clean && !j->report.clean)
        cli_warn(j->a, "no clean pass within %u", j->report.passes);
    return 0;
}

static int test(job *j)
{
    const char *path = cli_get(j->a, "test", NULL);
    if (!path)
        return 0;
    thr_error err;
    int status;
    char *paths[] = {(char *)(uintptr_t)path};
    thr_input *in = cli_input(j->a, paths, 1, &status);
    if (!in)
        return status;
    cli_progress progress;
    cli_progress_start(&progress, j->a, "test");
    j->test = thr_test(j->m, in, cli_progress_show, &progress, &j->test_reading, &err);
    cli_progress_end(&progress);
    thr_input_free(in);
    if (!j->test)
        return cli_fail(&err);
    cli_reading_warnings(j->a, &j->test_reading);
    return 0;
}

static int save(job *j)
{
    const char *path = cli_get(j->a, "model", NULL);
    return path ? cli_save_model(j->m, path, cli_has(j->a, "lean")) : 0;
}

static double accuracy(const thr_train_report *r)
{
    return r->examples ? 1 - (double)r->mistakes / (double)r->examples : 0;
}

static void print_hash(const thr_stats *s)
{
    if (s->hash_slots)
        printf("hashing    %llu of %llu slots used by %s%.0f names; %llu slots are shared, "
               "with %.2f%% of the weight mass\n",
               (unsigned long long)s->hash_used, (unsigned long long)s->hash_slots,
               s->hash_used < s->hash_slots ? "about " : "many more than ", s->hash_names,
               (unsigned long long)s->hash_shared, 100 * s->hash_shared_mass);
}

static void print(const job *j)
{
    thr_stats s;
    const thr_train_report *r = &j->report;
    thr_model_stats(j->m, &s);
    printf("learner    %s\n", thr_model_setting(j->m, "learner"));
    uint64_t lines = r->passes ? r->examples / r->passes : 0;
    printf("read       %llu example%s as %s, %llu feature%s, %llu label%s\n",
           (unsigned long long)lines, cli_s(lines), r->reading.formats,
           (unsigned long long)s.features, cli_s(s.features), (unsigned long long)s.labels,
           cli_s(s.labels));
    printf("learned    %u pass%s, %llu mistake%s before learning (accuracy %.2f%%), %llu update%s, "
           "%.2f s\n",
           r->passes, r->passes == 1 ? "" : "es", (unsigned long long)r->mistakes,
           cli_s(r->mistakes), 100 * accuracy(r), (unsigned long long)r->updates, cli_s(r->updates),
           j->seconds);
    print_hash(&s);
    if (j->test)
        cli_print_metrics(j->test, stdout);
}

static void print_json(const job *j)
{
    thr_stats s;
    cli_json out;
    const thr_train_report *r = &j->report;
    thr_model_stats(j->m, &s);
    cli_json_open(&out, stdout);
    cli_json_string(&out, "learner", thr_model_setting(j->m, "learner"));
    cli_json_string(&out, "format", r->reading.formats);
    cli_json_integer(&out, "examples", r->examples);
    cli_json_integer(&out, "mistakes", r->mistakes);
    cli_json_real(&out, "accuracy", accuracy(r));
    cli_json_integer(&out, "passes", r->passes);
    cli_json_bool(&out, "clean", r->clean);
    cli_json_integer(&out, "features", s.features);
    cli_json_integer(&out, "labels", s.labels);
    cli_json_integer(&out, "updates", r->updates);
    cli_json_real(&out, "seconds", j->seconds);
    cli_json_integer(&out, "skipped", r->reading.skipped);
    cli_json_integer(&out, "bad_utf8", r->reading.bad_utf8);
    if (s.hash_slots) {
        cli_json_integer(&out, "hash_slots", s.hash_slots);
        cli_json_integer(&out, "hash_used", s.hash_used);
        cli_json_integer(&out, "hash_shared", s.hash_shared);
        cli_json_real(&out, "hash_names", s.hash_names);
        cli_json_real(&out, "hash_shared_mass", s.hash_shared_mass);
    }
    if (j->test)
        cli_json_metrics(&out, j->test);
    cli_json_close(&out);
}

static int run(const cli_args *a)
{
    if (a->n_rest == 0)
        return cli_usage_error("train needs data: thresh train -m MODEL FILE... (- is stdin)");
    job j = {.a = a};
    int status = make_model(&j);
    if (status == 0)
        status = read_plan(&j);
    if (status == 0)
        status = train(&j);
    if (status == 0)
        status = test(&j);
    if (status == 0)
        status = save(&j);
    if (status == 0 && j.test && thr_metrics_unknown(j.test))
        cli_warn(a, "%llu test examples have a label that training never saw; they count as wrong",
                 (unsigned long long)thr_metrics_unknown(j.test));
    if (status == 0 && cli_has(a, "json"))
        print_json(&j);
    else if (status == 0 && !cli_has(a, "quiet"))
        print(&j);
    thr_metrics_free(j.test);
    thr_input_free(j.in);
    thr_model_free(j.m);
    return status;
}

static const cli_option *const lists[] = {options, cli_reading_options, cli_json_options,
                                          cli_common_options, NULL};

const cli_command cli_train = {
    .name = "train",
    .usage = "[-l LEARNER] [-m MODEL] [OPTIONS] DATA...",
    .help = "learn from a stream of labelled examples",
    .options = lists,
    .settings = true,
    .run = run,
};
