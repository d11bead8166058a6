/* --errors: the wrong predictions of a test, one JSON object per line. The file appears when it is
 * complete. */
#include "cli.h"

#include <string.h>

int cli_errors_open(cli_errors *e, const cli_args *a, const thr_model *m)
{
    const char *path = cli_get(a, "errors", NULL);
    *e = (cli_errors){.m = m};
    if (!path)
        return 0;
    if (thr_model_regression(m))
        return cli_usage_error("--errors is for labels, but %s predicts numbers",
                               thr_model_setting(m, "learner"));
    if (strcmp(path, cli_get(a, "model", "")) == 0)
        return cli_usage_error("%s is the model: write the errors somewhere else", path);
    int status = cli_may_write(a, path);
    if (status == 0)
        status = cli_output_open(&e->out, path);
    e->wanted = status == 0;
    return status;
}

int cli_errors_write(void *user, const thr_prediction *p)
{
    cli_errors *e = user;
    cli_json j;
    cli_json_open(&j, e->out.to);
    cli_json_string(&j, "file", p->file);
    cli_json_integer(&j, "line", p->line);
    cli_json_string(&j, "tag", *p->tag ? p->tag : NULL);
    if (p->multilabel) {
        cli_json_labels(&j, "truths", p->truths, p->n_truths);
        cli_json_labels(&j, "labels", p->set, p->n_set);
    } else {
        cli_json_string(&j, "truth", p->truth);
        cli_json_string(&j, "label", p->label);
    }
    cli_json_begin(&j, "scores", '{');
    for (size_t i = 0; i < p->labels; i++)
        cli_json_real(&j, thr_model_label(e->m, i), p->scores[i]);
    cli_json_end(&j, '}');
    cli_json_close(&j);
    return 0; /* write errors are reported by cli_output_close */
}

int cli_errors_close(cli_errors *e, int status)
{
    return e->wanted ? cli_output_close(&e->out, status) : status;
}
