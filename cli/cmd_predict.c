/* thresh predict: prints one line per example: label, tab, score or probability; for a regressor
 * the number predicted. The score of a panel that votes is its share of the vote, which is mostly 1
 * and says little, so for such a panel the probability is printed in its place. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

static const cli_option options[] = {
    {'m', "model", "FILE", "the model to use"},
    {0, "scores", NULL, "also print the score of every label, as label:score"},
    {0, "ranked", "N", "also print the N best labels, best first, as label:score (0: all)"},
    {0, "probabilities", NULL,
     "print probabilities instead of scores (default for a panel that votes)"},
    {0, "reject", "T", "give no answer if the label's probability leads by less than T"},
    {0, "reject-word", "WORD", "word to print if there is no answer (default ?)"},
    {0, "tags", NULL, "print the tag or id of each example first"},
    {0},
};

typedef struct printing {
    bool scores, tags, json, ranked, probabilities;
    bool votes;    /* the model is a panel that votes */
    size_t most;   /* --ranked N; 0: all */
    size_t *order; /* scratch of rank(), one entry per label */
    double reject; /* NaN: every example gets an answer */
    const char *word;
    const thr_model *m;
    uint64_t printed; /* examples */
} printing;

static bool is_rejected(const printing *p, const thr_prediction *r)
{
    return r->lead < p->reject;
}

/* The number printed after each label: its probability or its score. */
static const double *numbers_of(const printing *p, const thr_prediction *r)
{
    return p->probabilities ? r->probabilities : r->scores;
}

static int by_number(const void *a, const void *b, void *numbers)
{
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    double x = ((const double *)numbers)[i], y = ((const double *)numbers)[k];
    return x > y ? -1 : x < y ? 1 : (i > k) - (i < k);
}

/* Puts the labels that may be the answer into p->order, best first, ties in the order of the
 * labels. Returns how many of them to print. */
static size_t rank(const printing *p, const thr_prediction *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->labels; i++)
        if (!r->candidates || r->candidates[i])
            p->order[n++] = i;
    qsort_r(p->order, n, sizeof *p->order, by_number, (void *)(uintptr_t)numbers_of(p, r));
    return p->most && p->most < n ? p->most : n;
}

static void put_ranked_json(const printing *p, const thr_prediction *r, cli_json *j)
{
    size_t n = rank(p, r);
    cli_json_begin(j, "ranked", '[');
    for (size_t i = 0; i < n; i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "label", thr_model_label(p->m, p->order[i]));
        cli_json_real(j, "score", r->scores[p->order[i]]);
        if (p->probabilities)
            cli_json_real(j, "probability", r->probabilities[p->order[i]]);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void put_label(const printing *p, size_t label, double number)
{
    printf("\t%s:", cli_shown(thr_model_label(p->m, label)));
    cli_put_real(stdout, number);
}

/* The labels of a predicted set, each with its own probability. */
static void put_set(const printing *p, const thr_prediction *r)
{
    for (size_t i = 0; i < r->n_set; i++) {
        int label = thr_model_find_label(p->m, r->set[i]);
        put_label(p, (size_t)label, r->probabilities[label]);
    }
}

static void print_json(const printing *p, const thr_prediction *r)
{
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "file", r->file);
    cli_json_integer(&j, "line", r->line);
    cli_json_prediction(&j, p->m, r);
    if (!isnan(p->reject))
        cli_json_bool(&j, "rejected", is_rejected(p, r));
    if (p->scores)
        cli_json_each_label(&j, p->m, "scores", r->scores);
    if (p->probabilities)
        cli_json_each_label(&j, p->m, "probabilities", r->probabilities);
    if (p->ranked)
        put_ranked_json(p, r, &j);
    cli_json_close(&j);
}

static int print(void *user, const thr_prediction *r)
{
    printing *p = user;
    p->printed++;
    if (p->json) {
        print_json(p, r);
        return ferror(stdout) ? THR_EIO : 0;
    }
    if (p->tags)
        printf("%s\t", cli_shown(r->tag));
    if (thr_model_regression(p->m))
        cli_put_real(stdout, r->score);
    else {
        if (is_rejected(p, r))
            fputs(p->word, stdout);
        else if (r->multilabel)
            cli_put_labels(stdout, r->set, r->n_set);
        else
            fputs(r->label ? cli_shown(r->label) : "-", stdout);
        putchar('\t');
        cli_put_real(stdout, p->probabilities || p->votes ? r->probability : r->score);
    }
    for (size_t i = 0; p->scores && i < r->labels; i++)
        put_label(p, i, numbers_of(p, r)[i]);
    if (r->multilabel && p->probabilities && !p->scores && !p->ranked && !is_rejected(p, r))
        put_set(p, r);
    for (size_t i = 0, n = p->ranked ? rank(p, r) : 0; i < n; i++)
        put_label(p, p->order[i], numbers_of(p, r)[p->order[i]]);
    putchar('\n');
    return ferror(stdout) ? THR_EIO : 0;
}

/* Called after each block, so that a reader at the other end of a pipe gets the answers so far. */
static bool flush_answers(void *user, const thr_progress *now)
{
    (void)user, (void)now;
    fflush(stdout);
    return false;
}

static int only_labels(const cli_args *a, const thr_model *m)
{
    static const char *const option[] = {"scores", "ranked", "probabilities", "reject"};
    int status = 0;
    for (size_t i = 0; i < sizeof option / sizeof *option && status == 0; i++)
        status = cli_only_labels(a, m, option[i]);
    return status;
}

static int predict(const cli_args *a, const thr_model *m, thr_input *in)
{
    thr_error err = {0};
    thr_reading reading;
    double most;
    thr_panel_report panel;
    printing p = {.scores = cli_has(a, "scores"),
                  .tags = cli_has(a, "tags"),
                  .json = cli_has(a, "json"),
                  .ranked = cli_has(a, "ranked"),
                  .probabilities = cli_has(a, "probabilities"),
                  .votes = thr_model_panel(m, &panel) && !panel.mixed,
                  .word = cli_get(a, "reject-word", "?"),
                  .m = m};
    if (!cli_number(a, "ranked", 0, 0, 1e9, &most) || !cli_real(a, "reject", NAN, 0, 1, &p.reject))
        return EXIT_USAGE;
    if (thr_model_labels(m) == 0 && !thr_model_regression(m))
        return cli_usage_error("this model has learned no label yet");
    int status = only_labels(a, m);
    if (status)
        return status;
    p.most = (size_t)most;
    p.order = calloc(thr_model_labels(m) + 1, sizeof *p.order);
    if (!p.order)
        return cli_no_memory();
    /* Computing probabilities takes time: use the variant without them if none are needed. */
    bool plain = !p.probabilities && !p.votes && !p.json && isnan(p.reject);
    int code = plain ? thr_predict_scores(m, in, print, &p, flush_answers, NULL, &reading, &err)
                     : thr_predict(m, in, print, &p, flush_answers, NULL, &reading, &err);
    free(p.order);
    if (code == THR_EIO && ferror(stdout))
        return EXIT_BAD; /* cli_flush reports it */
    if (code)
        return cli_fail(&err);
    cli_reading_warnings(a, &reading);
    if (p.printed == 0)
        cli_warn(a, "the input has no examples");
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
    .help = "print a label and its score or probability, or a number, for every example",
    .options = lists,
    .labels_optional = true,
    .run = run,
};
