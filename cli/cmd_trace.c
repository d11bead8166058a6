/* thresh trace: shows training one step at a time, as a table or as JSON. JSON is printed while
 * training; for the table all steps are kept first, since its column widths depend on them. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS   1000 /* examples, without --limit */
#define FEW_FEATURES 12   /* up to this many, all weights are shown at every step */
#define LINE         100  /* columns, if standard output is not a terminal */

static const cli_option options[] = {
    {'l', "learner", "SPEC", "the learner, NAME[:key=value,...] (default perceptron)"},
    {'p', "passes", "N", "number of passes over the data (default 1)"},
    {0, "until-clean", NULL,
     "repeat until the weights make no mistake, at most -p passes (default 1000)"},
    {0, "shuffle", "[SEED]",
     "visit the examples in a new random order in each pass (default seed 1)"},
    {0, "all-weights", NULL, "show all weights at every step, even if there are many"},
    {0, "limit", "N", "refuse data with more than N examples (default 1000)"},
    {0},
};

typedef struct job {
    trace_book book;
    thr_model *m;
    thr_input *in;
    thr_trace_options trace;
    thr_train_report report;
    bool bias; /* the rule has a bias: feature 0 was seen in a step */
} job;

/* ---- steps as JSON ------------------------------------------------------------------------ */

static void json_numbers(cli_json *j, const char *key, const double *v, size_t n)
{
    cli_json_begin(j, key, '[');
    for (size_t i = 0; i < n && v; i++)
        cli_json_real(j, NULL, v[i]);
    cli_json_end(j, ']');
}

static void json_columns(cli_json *j, const thr_model *m, const char *positive, size_t n)
{
    cli_json_begin(j, "columns", '[');
    if (positive)
        cli_json_string(j, NULL, positive);
    for (size_t c = 0; c < n && !positive; c++)
        cli_json_string(j, NULL, thr_model_label(m, c));
    cli_json_end(j, ']');
}

static bool json_weights(cli_json *j, const thr_model *m, const thr_trace_step *s)
{
    cli_json_begin(j, "features", '[');
    for (size_t i = 0; i < s->n_features; i++) {
        char *name = trace_feature(m, s->features[i]);
        if (!name)
            return false;
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "feature", name);
        cli_json_real(j, "value", s->values[i]);
        if (s->before) {
            json_numbers(j, "before", s->before + i * s->columns, s->columns);
            json_numbers(j, "after", s->after + i * s->columns_after, s->columns_after);
        }
        if (s->live_before) {
            cli_json_real(j, "live_before", s->live_before[i]);
            cli_json_real(j, "live_after", s->live_after[i]);
        }
        cli_json_end(j, '}');
        free(name);
    }
    cli_json_end(j, ']');
    return true;
}

static void json_moves(cli_json *j, const thr_trace_step *s)
{
    cli_json_begin(j, "moves", '[');
    for (size_t i = 0; i < s->n_moves; i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "label", s->moves[i].label);
        cli_json_string(j, "against", s->moves[i].against);
        cli_json_real(j, "margin", s->moves[i].margin);
        cli_json_real(j, "step", s->moves[i].step);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static int put_json(void *user, const thr_trace_step *s)
{
    job *t = user;
    cli_json j;
    t->bias |= s->n_features && s->features[0] == 0;
    cli_json_open(&j, stdout);
    cli_json_integer(&j, "step", s->number);
    cli_json_integer(&j, "pass", s->pass);
    cli_json_string(&j, "file", s->file);
    cli_json_integer(&j, "line", s->line);
    cli_json_string(&j, "tag", *s->tag ? s->tag : NULL);
    if (thr_model_regression(t->m)) {
        cli_json_real(&j, "truth", s->target);
        cli_json_real(&j, "prediction", s->score);
        cli_json_string(&j, "mistake", NULL);
    } else {
        cli_json_string(&j, "truth", s->truth);
        cli_json_string(&j, "prediction", s->predicted);
        cli_json_bool(&j, "mistake", s->mistake);
    }
    cli_json_real(&j, "score", s->score);
    json_columns(&j, t->m, s->positive, thr_model_labels(t->m));
    json_numbers(&j, "scores", s->scores, s->columns);
    json_numbers(&j, "rest", s->rest, s->columns);
    cli_json_bool(&j, "updated", s->updated);
    if (s->kept)
        cli_json_bool(&j, "kept", true);
    json_moves(&j, s);
    bool done = json_weights(&j, t->m, s);
    cli_json_close(&j);
    return !done ? THR_EMEM : ferror(stdout) ? THR_EIO : 0;
}

/* ---- steps for the table ------------------------------------------------------------------ */

static void *copy_of(const void *from, size_t n, size_t size)
{
    void *to = from ? malloc(n * size + 1) : NULL;
    if (to)
        memcpy(to, from, n * size);
    return to;
}

/* Closes a stream of open_memstream, which may be NULL. The text, to be freed; NULL: out of memory,
 * or `complete` is false. */
static char *closed_text(FILE *to, char **text, bool complete)
{
    complete = to && !ferror(to) && complete;
    if ((!to || fclose(to) == 0) && complete)
        return *text;
    free(*text);
    return NULL;
}

/* The features of an example as `a b:2`, without the bias and without values of 1. To be freed. */
static char *example_text(const thr_model *m, const thr_trace_step *s)
{
    char *text = NULL, number[32];
    size_t n = 0, said = 0;
    bool named = true;
    FILE *to = open_memstream(&text, &n);
    for (size_t i = 0; i < s->n_features && to && named; i++) {
        if (s->values[i] == 0 || !s->features[i])
            continue;
        char *name = trace_feature(m, s->features[i]);
        if (!(named = name))
            break;
        fprintf(to, "%s%s", said++ ? " " : "", cli_shown(name));
        if (s->values[i] != 1)
            fprintf(to, ":%s", trace_number(s->values[i], number));
        free(name);
    }
    return closed_text(to, &text, named);
}

/* The steps as text: `+1` for the function of the positive label if two labels share it; else
 * `a +1, b -1`, one step per label. To be freed. */
static char *steps_text(const thr_trace_step *s)
{
    char *text = NULL, number[32];
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    for (size_t i = 0; i < s->n_moves && to; i++) {
        const thr_moved *move = &s->moves[i];
        bool other = s->positive && move->label && strcmp(move->label, s->positive) != 0;
        double step = other ? -move->step : move->step;
        fprintf(to, "%s", i ? ", " : "");
        if (!s->positive && move->label)
            fprintf(to, "%s ", cli_shown(move->label));
        if (!s->positive && move->against)
            fprintf(to, "over %s ", cli_shown(move->against));
        fprintf(to, "%s%s", step > 0 ? "+" : "", trace_number(step, number));
    }
    if (to && s->kept)
        fputs(s->n_moves ? ", kept" : "kept", to);
    return closed_text(to, &text, true);
}

/* A deep copy: the library reuses the arrays of a step for the next one. */
static bool copy_step(const thr_model *m, const thr_trace_step *from, trace_step *to)
{
    thr_trace_step *s = &to->s;
    size_t n = from->n_features;
    *to = (trace_step){.s = *from, .example = example_text(m, from), .steps = steps_text(from)};
    s->file = s->tag = NULL;
    s->moves = NULL;
    s->truth = strdup(from->truth);
    s->predicted = from->predicted ? strdup(from->predicted) : NULL;
    s->positive = from->positive ? strdup(from->positive) : NULL;
    s->scores = copy_of(from->scores, from->columns, sizeof(double));
    s->rest = copy_of(from->rest, from->columns, sizeof(double));
    s->features = copy_of(from->features, n, sizeof *from->features);
    s->values = copy_of(from->values, n, sizeof(double));
    s->before = copy_of(from->before, n * from->columns, sizeof(double));
    s->after = copy_of(from->after, n * from->columns_after, sizeof(double));
    s->live_before = copy_of(from->live_before, n, sizeof(double));
    s->live_after = copy_of(from->live_after, n, sizeof(double));
    return to->example && to->steps && s->truth && !from->predicted == !s->predicted &&
           !from->positive == !s->positive && s->scores && s->rest && s->features && s->values &&
           !from->before == !s->before && !from->after == !s->after &&
           !from->live_before == !s->live_before && !from->live_after == !s->live_after;
}

static void free_step(trace_step *t)
{
    const void *const owned[] = {
        t->example,  t->steps,         t->s.truth,      t->s.predicted, t->s.positive,
        t->s.scores, t->s.rest,        t->s.features,   t->s.values,    t->s.before,
        t->s.after,  t->s.live_before, t->s.live_after,
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free((void *)(uintptr_t)owned[i]);
}

static int keep_step(void *user, const thr_trace_step *s)
{
    job *t = user;
    trace_book *b = &t->book;
    t->bias |= s->n_features && s->features[0] == 0;
    if (b->n == b->room) {
        size_t room = 2 * b->room + 16;
        trace_step *grown = realloc(b->step, room * sizeof *grown);
        if (!grown)
            return THR_EMEM;
        b->step = grown;
        b->room = room;
    }
    return copy_step(b->m, s, &b->step[b->n++]) ? 0 : THR_EMEM;
}

/* ---- summary ------------------------------------------------------------------------------ */

/* The final weights: a line for each label; only for the positive label if two labels share one
 * function, whose weights then say all. */
static int print_weights(const job *t)
{
    size_t labels = thr_model_labels(t->m), n = thr_model_features(t->m);
    int one = thr_model_positive(t->m);
    bool shared = t->book.n && t->book.step[0].s.positive;
    const char *positive = shared && one >= 0 ? thr_model_label(t->m, (size_t)one) : NULL;
    double *w = calloc(labels + 1, sizeof *w);
    char number[32];
    bool ok = w;
    for (size_t c = 0; c < (labels ? labels : 1) && ok; c++) {
        const char *label = thr_model_label(t->m, c), *between = " ";
        if (positive && strcmp(label, positive) != 0)
            continue;
        printf("weights   ");
        if (label && !positive)
            printf(" of %s:", cli_shown(label));
        for (size_t f = !t->bias; f < n && ok; f++) {
            char *name = trace_feature(t->m, f);
            ok = name && thr_model_weights(t->m, f, w, NULL) == 0;
            if (ok) {
                printf("%s%s %s", between, cli_shown(name), trace_number(w[c], number));
                between = ", ";
            }
            free(name);
        }
        putchar('\n');
    }
    free(w);
    return ok ? 0 : cli_no_memory();
}

static int print_summary(const job *t)
{
    const thr_train_report *r = &t->report;
    thr_stats s;
    thr_model_stats(t->m, &s);
    uint64_t each = r->passes ? r->examples / r->passes : 0;
    printf("\nsteps      %llu: %llu example%s, %u pass%s\n", (unsigned long long)r->examples,
           (unsigned long long)each, cli_s(each), r->passes, r->passes == 1 ? "" : "es");
    if (thr_model_regression(t->m))
        printf("error      mean squared %.6g before learning\n", r->mean_squared);
    else
        printf("mistakes   %llu; in the last pass %llu\n", (unsigned long long)r->mistakes,
               (unsigned long long)r->last_pass_mistakes);
    printf("updates    %llu\n", (unsigned long long)r->updates);
    printf("longest    R^2 = %.6g (R = %.6g)%s; largest value X = %.6g\n",
           s.max_norm2 * s.max_norm2, s.max_norm2, t->bias ? ", including the bias" : "",
           s.max_norminf);
    bool few = thr_model_features(t->m) <= FEW_FEATURES || t->book.all_weights;
    if (thr_model_linear(t->m) && few)
        return print_weights(t);
    if (thr_model_linear(t->m))
        printf("weights    of %zu features: --all-weights lists them\n", thr_model_features(t->m));
    else
        printf("kept       %llu examples\n", (unsigned long long)thr_model_kept(t->m, -1));
    return 0;
}

static int json_summary(const job *t)
{
    const thr_train_report *r = &t->report;
    size_t labels = thr_model_labels(t->m);
    thr_stats s;
    thr_error err = {0};
    cli_json j;
    double *w = calloc(labels + 1, sizeof *w);
    thr_model_stats(t->m, &s);
    cli_json_open(&j, stdout);
    cli_json_string(&j, "learner", thr_model_setting(t->m, "learner"));
    cli_json_integer(&j, "examples", r->examples);
    cli_json_integer(&j, "passes", r->passes);
    cli_json_bool(&j, "clean", r->clean);
    if (thr_model_regression(t->m))
        cli_json_real(&j, "mse", r->mean_squared);
    else
        cli_json_integer(&j, "mistakes", r->mistakes);
    cli_json_integer(&j, "updates", r->updates);
    cli_json_real(&j, "R", s.max_norm2);
    cli_json_real(&j, "X", s.max_norminf);
    json_columns(&j, t->m, NULL, labels);
    cli_json_begin(&j, "weights", '[');
    bool ok = w;
    for (size_t f = !t->bias; f < thr_model_features(t->m) && ok; f++) {
        char *name = trace_feature(t->m, f);
        ok = name;
        if (name && thr_model_weights(t->m, f, w, &err) == 0) {
            cli_json_begin(&j, NULL, '{');
            cli_json_string(&j, "feature", name);
            json_numbers(&j, "weights", w, labels ? labels : 1);
            cli_json_end(&j, '}');
        }
        ok &= err.code != THR_EMEM; /* rules without weights fail too */
        free(name);
    }
    cli_json_end(&j, ']');
    cli_json_close(&j);
    free(w);
    return ok ? 0 : cli_no_memory();
}

/* ---- the command -------------------------------------------------------------------------- */

static int read_options(job *t)
{
    double limit;
    int status = cli_passes(t->book.a, &t->trace.train);
    if (status == 0 && !cli_number(t->book.a, "limit", MOST_STEPS, 1, 1e9, &limit))
        status = EXIT_USAGE;
    if (status)
        return status;
    t->book.all_weights = cli_has(t->book.a, "all-weights");
    t->book.width = cli_line_width(LINE);
    t->trace.most = (uint64_t)limit;
    t->trace.all = t->book.all_weights ? SIZE_MAX : FEW_FEATURES;
    return 0;
}

static int make_model(job *t)
{
    thr_error err;
    int status;
    thr_settings *s = cli_settings(t->book.a, &status);
    if (!s)
        return status;
    if (!cli_has(t->book.a, "learner") && thr_settings_set(s, "learner", "perceptron", &err))
        status = cli_fail(&err);
    t->m = status == 0 ? thr_model_new(s, &err) : NULL;
    if (status == 0 && !t->m)
        status = cli_fail(&err);
    t->book.m = t->m;
    thr_settings_free(s);
    return status;
}

static int run(const cli_args *a)
{
    job t = {.book = {.a = a}};
    thr_error err = {.code = THR_EIO, .message = "cannot write standard output"};
    bool json = cli_has(a, "json");
    int status = make_model(&t);
    if (status == 0 && a->n_rest == 0)
        status =
            cli_usage_error("trace needs data: thresh trace [-l LEARNER] FILE... (- is stdin)");
    if (status == 0)
        status = read_options(&t);
    if (status == 0)
        t.in = cli_input(a, a->rest, a->n_rest, &status);
    if (status == 0 &&
        thr_step_through(t.m, t.in, &t.trace, json ? put_json : keep_step, &t, &t.report, &err))
        status = cli_fail(&err);
    if (status == 0)
        cli_reading_warnings(a, &t.report.reading);
    if (status == 0 && json)
        status = json_summary(&t);
    else if (status == 0) {
        status = trace_table(&t.book);
        if (status == 0 && !cli_has(a, "quiet"))
            status = print_summary(&t);
    }
    for (size_t i = 0; i < t.book.n; i++)
        free_step(&t.book.step[i]);
    free(t.book.step);
    thr_input_free(t.in);
    thr_model_free(t.m);
    return status;
}

static const cli_option *const lists[] = {options, cli_reading_options, cli_json_options,
                                          cli_common_options, NULL};

static const struct cli_without without[] = {
    {"members", "it steps through one rule"},       {"multilabel", "it shows one label an example"},
    {"threshold", "it shows one label an example"}, {"min-count", "it shows every feature"},
    {"max-features", "it shows every feature"},     {0},
};

const cli_command cli_trace = {
    .name = "trace",
    .usage = "[-l LEARNER] [-p PASSES] [OPTIONS] DATA...",
    .help = "step through training: score, prediction and weights at every example",
    .options = lists,
    .settings = CLI_MODEL,
    .without = without,
    .run = run,
};
