/* thresh tag: learns to tag the tokens of sentences, and tags them.
 *
 *     thresh tag train -m MODEL DATA...      learns
 *     thresh tag predict -m MODEL DATA...    repeats each token and appends its tag
 *     thresh tag test -m MODEL DATA...       counts right tags, sentences and chunks
 *     thresh tag explain -m MODEL DATA...    says which features made each tag the best
 *     thresh tag show -m MODEL               prints what the model is
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {'l', "learner", "SPEC", "train: the rule, NAME[:key=value,...] (default adagrad)"},
    {'m', "model", "FILE", "the model: train writes it"},
    {0, "init", "FILE", "train: continue from this model"},
    {'p', "passes", "N", "train: number of passes over the data (default 6)"},
    {0, "shuffle", "[SEED]", "train: another random order of sentences in each pass (default seed 1)"},
    {0, "in-order", NULL, "train: visit the sentences in the order of the data"},
    {'t', "test", "FILE", "train: test on this file afterwards; several files are one test set"},
    {0, "lean", NULL, "train: write only what tagging needs; the model cannot be trained further"},
    {0, "probabilities", NULL, "predict: also print the probability of each tag (logistic)"},
    {0, "best", "N", "predict: print the N best taggings of each sentence, with their scores"},
    {0, "top", "K", "explain, show: number of features to print for each token or tag (default 10; 0: all)"},
    {0},
};

#define LEARNER "adagrad:bias=off"
#define PASSES  6

/* ---- train -------------------------------------------------------------------------------- */

typedef struct job {
    const cli_args *a;
    thr_model *m;
    thr_input *in, *test_in;
    thr_train_options train;
    thr_train_report report;
    thr_chunks *test;
    double seconds;
} job;

static int set_default(thr_settings *s, const char *name, const char *value)
{
    thr_error err;
    if (thr_settings_given(s, name))
        return 0;
    return thr_settings_set(s, name, value, &err) ? cli_fail(&err) : 0;
}

static int make_model(job *j)
{
    thr_error err;
    int status;
    thr_settings *s = cli_settings(j->a, &status);
    const char *init = cli_get(j->a, "init", NULL);
    if (!s)
        return status;
    if (!init) {
        status = set_default(s, "decode", "viterbi");
        status = status ? status : set_default(s, "learner", LEARNER);
        status = status ? status : set_default(s, "format", "conll");
    }
    if (status == 0)
        j->m = init ? thr_model_open(init, true, &err) : thr_model_new(s, &err);
    if (status == 0 && !j->m)
        status = cli_fail(&err);
    if (status == 0 && init)
        status = cli_same_settings(init, j->m, s);
    thr_settings_free(s);
    return status;
}

/* Sentences are visited in another order in each pass, unless there is only one. */
static int read_plan(job *j)
{
    int status = cli_passes(j->a, &j->train);
    if (status)
        return status;
    j->train.passes = cli_has(j->a, "passes") ? j->train.passes : PASSES;
    if (j->train.passes > 1 && !j->train.in_order && !j->train.shuffle) {
        j->train.shuffle = true;
        j->train.seed = 1;
    }
    j->in = cli_input(j->a, j->a->rest + 1, j->a->n_rest - 1, &status);
    return status;
}

static int open_test(job *j)
{
    int status = 0;
    size_t n;
    const char **paths = cli_all(j->a, "test", &n);
    if (!paths)
        return cli_no_memory();
    for (size_t i = 0; i < n && status == 0; i++)
        status = cli_readable(paths[i]);
    if (n && status == 0)
        j->test_in = cli_input(j->a, (char *const *)(uintptr_t)paths, n, &status);
    free(paths);
    return status;
}

static int learn(job *j)
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
    return 0;
}

static int test(const cli_args *a, const thr_model *m, thr_input *in, thr_chunks **out)
{
    thr_error err;
    thr_reading reading;
    cli_progress progress;
    cli_progress_start(&progress, a, "test");
    *out = thr_sequence_test(m, in, NULL, NULL, cli_progress_show, &progress, &reading, &err);
    cli_progress_end(&progress);
    if (!*out)
        return cli_fail(&err);
    cli_reading_warnings(a, &reading);
    return 0;
}

static double share(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static void print_counts(const char *name, const thr_chunk_counts *c)
{
    printf("%-12s %8.2f%% %8.2f%% %8.2f  %8llu\n", name, 100 * c->precision, 100 * c->recall,
           100 * c->f1, (unsigned long long)c->truths);
}

static void print_test(const thr_chunks *c)
{
    thr_tagging t;
    thr_chunks_report(c, &t);
    printf("tokens     %llu of %llu right (%.2f%%), sentences %llu of %llu (%.2f%%)\n",
           (unsigned long long)t.right, (unsigned long long)t.tokens, share(t.right, t.tokens),
           (unsigned long long)t.exact, (unsigned long long)t.sentences, share(t.exact, t.sentences));
    if (t.types == 0)
        return;
    printf("\nchunk        precision    recall       F1    chunks\n");
    print_counts("all", &t.all);
    for (size_t i = 0; i < t.types; i++) {
        thr_chunk_counts type;
        thr_chunks_type(c, i, &type);
        print_counts(*type.type ? cli_shown(type.type) : "(none)", &type);
    }
}

static void put_counts(cli_json *j, const thr_chunk_counts *c)
{
    cli_json_integer(j, "chunks", c->truths);
    cli_json_integer(j, "predicted", c->predicted);
    cli_json_integer(j, "right", c->right);
    cli_json_real(j, "precision", c->precision);
    cli_json_real(j, "recall", c->recall);
    cli_json_real(j, "f1", c->f1);
}

static void put_test(cli_json *j, const thr_chunks *c)
{
    thr_tagging t;
    thr_chunks_report(c, &t);
    cli_json_integer(j, "test_sentences", t.sentences);
    cli_json_integer(j, "test_examples", t.tokens);
    cli_json_real(j, "test_accuracy", share(t.right, t.tokens) / 100);
    cli_json_real(j, "test_sentence_accuracy", share(t.exact, t.sentences) / 100);
    if (t.types == 0)
        return;
    cli_json_real(j, "test_f1", t.all.f1);
    cli_json_begin(j, "test_chunks", '{');
    put_counts(j, &t.all);
    cli_json_begin(j, "types", '[');
    for (size_t i = 0; i < t.types; i++) {
        thr_chunk_counts type;
        thr_chunks_type(c, i, &type);
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "type", type.type);
        put_counts(j, &type);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
    cli_json_end(j, '}');
}

static double accuracy(const thr_train_report *r)
{
    return r->examples ? 1 - (double)r->mistakes / (double)r->examples : 0;
}

static void print_training(const job *j)
{
    thr_stats s;
    const thr_train_report *r = &j->report;
    unsigned passes = r->passes ? r->passes : 1;
    thr_model_stats(j->m, &s);
    printf("learner    %s\n", thr_model_setting(j->m, "learner"));
    printf("read       %llu sentences, %llu tokens as %s\n",
           (unsigned long long)(r->sentences / passes), (unsigned long long)(r->examples / passes),
           r->reading.formats);
    printf("learned    %u pass%s, %llu wrong tags before learning (accuracy %.2f%%), %llu updates, "
           "%.2f s\n",
           r->passes, r->passes == 1 ? "" : "es", (unsigned long long)r->mistakes,
           100 * accuracy(r), (unsigned long long)r->updates, j->seconds);
    printf("model      %llu features, %llu tags (%s)\n", (unsigned long long)s.features,
           (unsigned long long)s.labels, thr_model_setting(j->m, "tags"));
    if (j->test)
        print_test(j->test);
}

static void json_training(const job *j)
{
    cli_json out;
    thr_stats s;
    const thr_train_report *r = &j->report;
    unsigned passes = r->passes ? r->passes : 1;
    thr_model_stats(j->m, &s);
    cli_json_open(&out, stdout);
    cli_json_string(&out, "learner", thr_model_setting(j->m, "learner"));
    cli_json_string(&out, "tags", thr_model_setting(j->m, "tags"));
    cli_json_integer(&out, "sentences", r->sentences / passes);
    cli_json_integer(&out, "examples", r->examples);
    cli_json_integer(&out, "mistakes", r->mistakes);
    cli_json_real(&out, "accuracy", accuracy(r));
    cli_json_integer(&out, "passes", r->passes);
    cli_json_integer(&out, "features", s.features);
    cli_json_integer(&out, "labels", s.labels);
    cli_json_integer(&out, "updates", r->updates);
    cli_json_real(&out, "seconds", j->seconds);
    if (j->test)
        put_test(&out, j->test);
    cli_json_close(&out);
}

static int train(const cli_args *a)
{
    job j = {.a = a};
    const char *path = cli_get(a, "model", NULL);
    int status = cli_may_write_model(a, path);
    if (status == 0)
        status = make_model(&j);
    if (status == 0 && a->n_rest == 1)
        status = cli_usage_error("tag train needs data: thresh tag train -m MODEL FILE... (- is stdin)");
    if (status == 0)
        status = read_plan(&j);
    if (status == 0)
        status = open_test(&j);
    if (status == 0)
        status = learn(&j);
    if (status == 0 && j.test_in)
        status = test(a, j.m, j.test_in, &j.test);
    if (status == 0 && path)
        status = cli_save_model(j.m, path, cli_has(a, "lean"));
    if (status == 0 && cli_has(a, "json"))
        json_training(&j);
    else if (status == 0 && !cli_has(a, "quiet"))
        print_training(&j);
    if (status == 0 && !path && !cli_has(a, "json") && !cli_has(a, "quiet")) {
        fflush(stdout); /* the summary comes first */
        fputs("thresh: the model is not saved: -m FILE saves it\n", stderr);
    }
    thr_chunks_free(j.test);
    thr_input_free(j.in);
    thr_input_free(j.test_in);
    thr_model_free(j.m);
    return status;
}

typedef struct explaining {
    size_t most; /* features of a token */
} explaining;

/* ---- predict and test --------------------------------------------------------------------- */

/* Repeats what each token was read from, and appends its tag as the last column. */
static void print_tokens(const thr_tagged *s, const char *const *tag, const double *probability)
{
    for (size_t t = 0; t < s->tokens; t++) {
        char gap = memchr(s->text[t], '\t', s->text_n[t]) ? '\t' : ' ';
        fwrite(s->text[t], 1, s->text_n[t], stdout);
        putchar(gap);
        fputs(tag ? tag[t] : "-", stdout);
        if (probability) {
            putchar(gap);
            cli_put_real(stdout, probability[t]);
        }
        putchar('\n');
    }
    if (s->tail_n)
        fwrite(s->tail, 1, s->tail_n, stdout);
    puts(s->tail_n ? "\n" : "");
}

/* Running text becomes word/TAG, a sentence a line. */
static void print_text(const thr_tagged *s, const char *const *tag, const double *probability)
{
    for (size_t t = 0; t < s->tokens; t++) {
        if (t)
            putchar(' ');
        fwrite(s->text[t], 1, s->text_n[t], stdout);
        printf("/%s", tag ? tag[t] : "-");
        if (probability) {
            putchar('/');
            cli_put_real(stdout, probability[t]);
        }
    }
    putchar('\n');
}

static void print_tagging(const thr_tagged *s, const char *const *tag, const double *probability)
{
    bool columns = strcmp(s->format, "conll") == 0;
    (columns ? print_tokens : print_text)(s, tag, probability);
}

/* Each of the best taggings has a line in front, with its place, its score and its probability. */
static void print_best(const thr_tagged *s)
{
    for (size_t i = 0; i < s->best; i++) {
        const struct thr_tagging_found *f = &s->found[i];
        printf("# %zu ", i + 1);
        cli_put_real(stdout, f->score);
        if (!isnan(f->probability)) {
            putchar(' ');
            cli_put_real(stdout, f->probability);
        }
        putchar('\n');
        print_tagging(s, f->tag, NULL);
    }
}

static void put_tags(cli_json *j, const char *key, const char *const *tag, size_t n)
{
    cli_json_begin(j, key, '[');
    for (size_t t = 0; t < n && tag; t++)
        cli_json_string(j, NULL, tag[t]);
    cli_json_end(j, ']');
}

static void json_sentence(const thr_tagged *s)
{
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "file", s->file);
    cli_json_integer(&j, "line", s->line);
    put_tags(&j, "tags", s->tag, s->tokens);
    if (s->truth)
        put_tags(&j, "truth", s->truth, s->tokens);
    cli_json_real(&j, "score", s->score);
    if (s->probability) {
        cli_json_begin(&j, "probabilities", '[');
        for (size_t t = 0; t < s->tokens; t++)
            cli_json_real(&j, NULL, s->probability[t]);
        cli_json_end(&j, ']');
    }
    if (s->best)
        cli_json_begin(&j, "best", '[');
    for (size_t i = 0; i < s->best; i++) {
        cli_json_begin(&j, NULL, '{');
        put_tags(&j, "tags", s->found[i].tag, s->tokens);
        cli_json_real(&j, "score", s->found[i].score);
        if (!isnan(s->found[i].probability))
            cli_json_real(&j, "probability", s->found[i].probability);
        cli_json_end(&j, '}');
    }
    if (s->best)
        cli_json_end(&j, ']');
    cli_json_close(&j);
}

static int print_sentence(void *user, const thr_tagged *s)
{
    const cli_args *a = user;
    if (cli_has(a, "json"))
        json_sentence(s);
    else if (s->best)
        print_best(s);
    else
        print_tagging(s, s->tag, s->probability);
    return ferror(stdout) ? THR_EIO : 0;
}

/* ---- explain ------------------------------------------------------------------------------ */

static void print_part(const thr_tag_part *p)
{
    char at[32] = "";
    if (p->at)
        snprintf(at, sizeof at, "  (token %+ld)", p->at);
    printf("    %+10.4f  %s%s%s%s\n", p->lead, p->name ? cli_shown(p->name) : "(bias)",
           *p->space ? " " : "", *p->space ? cli_shown(p->space) : "", at);
}

/* Each token, its tag, by how much it leads, and what makes it lead most. */
static int print_reasons(void *user, const thr_tagged *s, const thr_tag_reasons *reasons)
{
    const explaining *e = user;
    for (size_t t = 0; t < s->tokens; t++) {
        const thr_tag_reasons *r = &reasons[t];
        fwrite(s->text[t], 1, s->text_n[t], stdout);
        printf("  %s", r->tag);
        if (r->against && isfinite(r->lead))
            printf(", before %s by %.4f", r->against, r->lead);
        putchar('\n');
        for (size_t i = 0; i < r->n && i < e->most; i++)
            print_part(&r->part[i]);
    }
    putchar('\n');
    return ferror(stdout) ? THR_EIO : 0;
}

static void put_reasons(cli_json *j, const thr_tag_reasons *r, size_t most)
{
    cli_json_begin(j, NULL, '{');
    cli_json_string(j, "tag", r->tag);
    if (r->against)
        cli_json_string(j, "against", r->against);
    cli_json_real(j, "lead", r->lead);
    cli_json_begin(j, "features", '[');
    for (size_t i = 0; i < r->n && i < most; i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "feature", r->part[i].name ? r->part[i].name : "(bias)");
        if (*r->part[i].space)
            cli_json_string(j, "namespace", r->part[i].space);
        if (r->part[i].at)
            cli_json_real(j, "token", (double)r->part[i].at);
        cli_json_real(j, "contribution", r->part[i].lead);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
    cli_json_end(j, '}');
}

static int json_reasons(void *user, const thr_tagged *s, const thr_tag_reasons *reasons)
{
    const explaining *e = user;
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "file", s->file);
    cli_json_integer(&j, "line", s->line);
    cli_json_begin(&j, "tokens", '[');
    for (size_t t = 0; t < s->tokens; t++)
        put_reasons(&j, &reasons[t], e->most);
    cli_json_end(&j, ']');
    cli_json_close(&j);
    return ferror(stdout) ? THR_EIO : 0;
}

static int explain(const cli_args *a, const thr_model *m, thr_input *in)
{
    thr_error err = {0};
    thr_reading reading;
    double most;
    if (!cli_number(a, "top", 10, 0, 1e9, &most))
        return EXIT_USAGE;
    explaining e = {.most = most > 0 ? (size_t)most : SIZE_MAX};
    int code = thr_sequence_explain(m, in, cli_has(a, "json") ? json_reasons : print_reasons, &e, &reading,
                                    &err);
    if (code == THR_EIO && ferror(stdout))
        return EXIT_BAD; /* cli_flush reports it */
    if (code)
        return cli_fail(&err);
    cli_reading_warnings(a, &reading);
    return 0;
}

/* Called after each block, so that a reader at the other end of a pipe gets the answers so far. */
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
    double best;
    if (!cli_number(a, "best", 0, 1, 1000, &best))
        return EXIT_USAGE;
    thr_sequence_options o = {.probabilities = cli_has(a, "probabilities"), .best = (unsigned)best};
    int code = thr_sequence_predict(m, in, &o, print_sentence, (void *)(uintptr_t)a, flush_answers, NULL,
                                    &reading, &err);
    if (code == THR_EIO && ferror(stdout))
        return EXIT_BAD; /* cli_flush reports it */
    if (code)
        return cli_fail(&err);
    cli_reading_warnings(a, &reading);
    return 0;
}

static int run_test(const cli_args *a, const thr_model *m, thr_input *in)
{
    thr_chunks *c;
    int status = test(a, m, in, &c);
    if (status)
        return status;
    if (cli_has(a, "json")) {
        cli_json out;
        cli_json_open(&out, stdout);
        put_test(&out, c);
        cli_json_close(&out);
    } else
        print_test(c);
    thr_chunks_free(c);
    return 0;
}

/* With a model that exists, on data or on standard input. */
static int use(const cli_args *a, int (*how)(const cli_args *, const thr_model *, thr_input *))
{
    int status;
    char dash[] = "-", *standard[] = {dash};
    thr_model *m = cli_open_model(a, false, &status);
    if (!m)
        return status;
    bool given = a->n_rest > 1;
    thr_input *in = cli_input(a, given ? a->rest + 1 : standard, given ? a->n_rest - 1 : 1, &status);
    if (in && how != run_test && !cli_has(a, "no-label"))
        thr_input_set_detect_labels(in, true);
    if (in)
        status = how(a, m, in);
    thr_input_free(in);
    thr_model_free(m);
    return status;
}

/* The same as thresh show. */
static int show(const cli_args *a)
{
    cli_args as = *a;
    as.command = &cli_show;
    as.rest++;
    as.n_rest--;
    return cli_show.run(&as);
}

static int run(const cli_args *a)
{
    const char *verb = a->n_rest ? a->rest[0] : "";
    if (strcmp(verb, "train") == 0)
        return train(a);
    if (strcmp(verb, "predict") == 0)
        return use(a, predict);
    if (strcmp(verb, "test") == 0)
        return use(a, run_test);
    if (strcmp(verb, "explain") == 0)
        return use(a, explain);
    if (strcmp(verb, "show") == 0)
        return show(a);
    return cli_usage_error("tag needs to know what to do: thresh tag train, predict, test, explain or "
                           "show");
}

static const cli_option *const lists[] = {options,           cli_label_options, cli_reading_options,
                                          cli_limit_options, cli_json_options,  cli_common_options,
                                          NULL};

const cli_command cli_tag = {
    .name = "tag",
    .usage = "train|predict|test|explain|show -m MODEL [OPTIONS] DATA...",
    .help = "tag the tokens of sentences: parts of speech, chunks, names",
    .options = lists,
    .settings = CLI_SENTENCES,
    .run = run,
};
