/* thresh predict: one line out per example: label TAB score or probability, or the number
 * predicted. */
#include "cli.h"

#include <math.h>
#include <string.h>

static const cli_option options[] = {
    {'m', "model", "FILE", "the model"},
    {0, "scores", NULL, "print the score of every label, as label:score"},
    {0, "probabilities", NULL, "print probabilities instead of scores"},
    {0, "reject", "T", "no answer where the label's probability leads by less than T"},
    {0, "reject-word", "WORD", "what is printed where there is no answer (default ?)"},
    {0, "tags", NULL, "print each example's tag or id first"},
    {0},
};

typedef struct printing {
    bool scores, tags, json, probabilities;
    double reject; /* NaN: every example gets an answer */
    const char *word;
    const thr_model *m;
} printing;

static bool is_rejected(const printing *p, const thr_prediction *r)
{
    return r->lead < p->reject;
}

static void print_json_labels(const printing *p, cli_json *j, const char *key, const double *of)
{
    cli_json_begin(j, key, '{');
    for (size_t i = 0; i < thr_model_labels(p->m); i++)
        cli_json_real(j, thr_model_label(p->m, i), of[i]);
    cli_json_end(j, '}');
}

static void print_json(const printing *p, const thr_prediction *r)
{
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "file", r->file);
    cli_json_integer(&j, "line", r->line);
    if (*r->tag)
        cli_json_string(&j, "tag", r->tag);
    if (thr_model_regression(p->m)) {
        cli_json_real(&j, "value", r->score);
        if (r->truth)
            cli_json_real(&j, "truth", r->target);
        cli_json_close(&j);
        return;
    }
    cli_json_string(&j, "label", r->label);
    cli_json_real(&j, "score", r->score);
    cli_json_real(&j, "probability", r->probability);
    if (!isnan(p->reject))
        cli_json_bool(&j, "rejected", is_rejected(p, r));
    if (r->truth)
        cli_json_string(&j, "truth", r->truth);
    if (p->scores)
        print_json_labels(p, &j, "scores", r->scores);
    if (p->probabilities && r->probabilities)
        print_json_labels(p, &j, "probabilities", r->probabilities);
    cli_json_close(&j);
}

static int print(void *user, const thr_prediction *r)
{
    const printing *p = user;
    const double *of = p->probabilities ? r->probabilities : r->scores;
    if (p->json)
        print_json(p, r);
    else {
        if (p->tags)
            printf("%s\t", r->tag);
        if (thr_model_regression(p->m))
            printf("%.9g", r->score);
        else
            printf("%s\t%.9g", is_rejected(p, r) ? p->word : r->label,
                   p->probabilities ? r->probability : r->score);
        for (size_t i = 0; p->scores && i < r->labels; i++)
            printf("\t%s:%.9g", thr_model_label(p->m, i), of[i]);
        putchar('\n');
    }
    return ferror(stdout) ? THR_EIO : 0;
}

/* Called after each block: who waits at the other end of a pipe gets what there is. */
static bool flush_answers(void *user, const thr_progress *now)
{
    (void)user, (void)now;
    fflush(stdout);
    return false;
}

static int predict(const cli_args *a, const thr_model *m, thr_input *in)
{
    thr_error err = {0};
    thr_reading reading;
    printing p = {.scores = cli_has(a, "scores"),
                  .tags = cli_has(a, "tags"),
                  .json = cli_has(a, "json"),
                  .probabilities = cli_has(a, "probabilities"),
                  .word = cli_get(a, "reject-word", "?"),
                  .m = m};
    if (!cli_real(a, "reject", NAN, 0, 1, &p.reject))
        return EXIT_USAGE;
    if (thr_model_labels(m) == 0 && !thr_model_regression(m))
        return cli_usage_error("this model has learned no label yet");
    int status = cli_only_labels(a, m, "scores");
    if (status == 0)
        status = cli_only_labels(a, m, "probabilities");
    if (status == 0)
        status = cli_only_labels(a, m, "reject");
    if (status)
        return status;
    int code = thr_predict(m, in, print, &p, flush_answers, NULL, &reading, &err);
    if (code == THR_EIO && ferror(stdout))
        return EXIT_BAD; /* said when standard output is flushed */
    if (code)
        return cli_fail(&err);
    cli_reading_warnings(a, &reading);
    return 0;
}

static int run(const cli_args *a)
{
    int status;
    thr_model *m = cli_open_model(a, false, &status);
    if (!m)
        return status;
    char dash[] = "-", *standard[] = {dash};
    thr_input *in =
        cli_input(a, a->n_rest ? a->rest : standard, a->n_rest ? a->n_rest : 1, &status);
    if (in)
        status = predict(a, m, in);
    thr_input_free(in);
    thr_model_free(m);
    return status;
}

static const cli_option *const lists[] = {options,          cli_label_options,  cli_reading_options,
                                          cli_json_options, cli_common_options, NULL};

const cli_command cli_predict = {
    .name = "predict",
    .usage = "-m MODEL [OPTIONS] [DATA...]",
    .help = "print a label and its score, or a number, for every example",
    .options = lists,
    .run = run,
};
