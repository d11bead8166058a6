/* thresh predict: one line out per example: label TAB score. */
#include "cli.h"

#include <string.h>

static const cli_option options[] = {
    {'m', "model", "FILE", "the model"},
    {0, "scores", NULL, "print the score of every label, as label:score"},
    {0, "tags", NULL, "print each example's tag or id first"},
    {0},
};

typedef struct printing {
    bool scores, tags, json;
    const thr_model *m;
} printing;

static void print_json(const printing *p, const thr_prediction *r)
{
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "file", r->file);
    cli_json_integer(&j, "line", r->line);
    if (*r->tag)
        cli_json_string(&j, "tag", r->tag);
    if (r->multilabel)
        cli_json_labels(&j, "labels", r->set, r->n_set);
    else
        cli_json_string(&j, "label", r->label);
    cli_json_real(&j, "score", r->score);
    if (r->n_truths)
        cli_json_labels(&j, "truths", r->truths, r->n_truths);
    else if (r->truth)
        cli_json_string(&j, "truth", r->truth);
    if (p->scores) {
        cli_json_begin(&j, "scores", '{');
        for (size_t i = 0; i < r->labels; i++)
            cli_json_real(&j, thr_model_label(p->m, i), r->scores[i]);
        cli_json_end(&j, '}');
    }
    cli_json_close(&j);
}

static int print(void *user, const thr_prediction *r)
{
    const printing *p = user;
    if (p->json)
        print_json(p, r);
    else {
        if (p->tags)
            printf("%s\t", r->tag);
        if (r->multilabel)
            cli_put_labels(stdout, r->set, r->n_set);
        else
            fputs(r->label ? r->label : "-", stdout);
        printf("\t%.9g", r->score);
        for (size_t i = 0; p->scores && i < r->labels; i++)
            printf("\t%s:%.9g", thr_model_label(p->m, i), r->scores[i]);
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
    printing p = {cli_has(a, "scores"), cli_has(a, "tags"), cli_has(a, "json"), m};
    if (thr_model_labels(m) == 0)
        return cli_usage_error("this model has learned no label yet");
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
    .help = "print a label and its score for every example",
    .options = lists,
    .run = run,
};
