/* thresh diff: prints the differences between two models and, given data, between their
 * predictions. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cli_option options[] = {
    {0, "top", "N", "number of weights and of changed examples to show (default 20)"},
    {0},
};

/* One of the first changed examples. They are kept because the counts are printed before them. */
typedef struct changed {
    char *file, *tag, *truth;
    const char *a, *b; /* predicted labels, owned by the models */
    uint64_t line;
    double value_a, value_b, target;
} changed;

typedef struct comparison {
    const thr_model *a, *b;
    const char *path_a, *path_b;
    thr_diff *diff;
    size_t top;
    bool has_data;
    thr_agreement agreement;
    changed *first;
    size_t n;
} comparison;

/* A copy of the text, to be freed; clears *ok if out of memory. */
static char *copy(const char *text, bool *ok)
{
    char *made = text ? strdup(text) : NULL;
    *ok &= !text || made;
    return made;
}

static int keep_change(void *user, const thr_changed *now)
{
    comparison *c = user;
    if (c->n >= c->top)
        return 0;
    if ((c->n & (c->n - 1)) == 0) { /* n is 0 or a power of two: full */
        changed *grown = realloc(c->first, (c->n ? 2 * c->n : 1) * sizeof *grown);
        if (!grown)
            return THR_EMEM;
        c->first = grown;
    }
    bool ok = true;
    c->first[c->n++] = (changed){.file = copy(now->file, &ok),
                                 .tag = copy(now->tag, &ok),
                                 .truth = copy(now->truth, &ok),
                                 .a = now->a,
                                 .b = now->b,
                                 .line = now->line,
                                 .value_a = now->value_a,
                                 .value_b = now->value_b,
                                 .target = now->target};
    return ok ? 0 : THR_EMEM;
}

/* ---- text output -------------------------------------------------------------------------- */

static void print_count(const char *name, double a, double b)
{
    printf("  %-14s %12.10g %12.10g  %+.10g\n", name, a, b, b - a);
}

static void print_counts(const comparison *c)
{
    thr_stats a, b;
    thr_diff_features f;
    thr_model_stats(c->a, &a);
    thr_model_stats(c->b, &b);
    printf("counts                    A            B\n");
    print_count("examples", (double)a.examples, (double)b.examples);
    if (!thr_model_regression(c->a) && !thr_model_regression(c->b))
        print_count("mistakes", (double)a.mistakes, (double)b.mistakes);
    print_count("updates", (double)a.updates, (double)b.updates);
    print_count("labels", (double)a.labels, (double)b.labels);
    print_count("features", (double)a.features, (double)b.features);
    if (thr_diff_features_of(c->diff, &f))
        printf("  %llu features in both, %llu only in A, %llu only in B\n",
               (unsigned long long)f.both, (unsigned long long)f.only_a,
               (unsigned long long)f.only_b);
}

static void print_rules(const comparison *c)
{
    thr_diff_rule r;
    thr_diff_weight w;
    for (size_t i = 0; thr_diff_rule_at(c->diff, i, &r); i++) {
        const char *a = r.a ? r.a : r.b, *b = r.b ? r.b : r.a;
        printf("weights of %s%s%s", a, strcmp(a, b) ? " and " : "", strcmp(a, b) ? b : "");
        if (!isnan(r.vote_a) && !isnan(r.vote_b))
            printf(" (weight %.4f -> %.4f)", r.vote_a, r.vote_b);
        if (r.unlike)
            printf(" are not compared: %s\n", r.unlike);
        else
            printf(": %llu differ%s, distance %.6g\n", (unsigned long long)r.moved,
                   r.moved == 1 ? "s" : "", r.distance);
        for (size_t k = 0; thr_diff_weight_at(c->diff, i, k, &w); k++) {
            if (k == 0)
                printf("           A           B       B - A  weight\n");
            printf("  %10.4g  %10.4g  %+10.4g  %s%s%s%s\n", w.a, w.b, w.b - w.a,
                   cli_shown(w.feature), w.label ? " for " : "", w.label ? cli_shown(w.label) : "",
                   !w.in_a   ? " (only in B)"
                   : !w.in_b ? " (only in A)"
                             : "");
        }
    }
}

static void print_judgement(const comparison *c)
{
    const thr_agreement *g = &c->agreement;
    bool numbers = thr_model_regression(c->a);
    thr_duel d = {.p = g->p};
    char p[16];
    cli_format_p(&d, p, sizeof p);
    if (numbers)
        printf("  mean squared error %.6g -> %.6g; A nearer %llu, B nearer %llu", g->mse_a,
               g->mse_b, (unsigned long long)g->only_a, (unsigned long long)g->only_b);
    else
        printf("  both right %llu, neither %llu, only A %llu, only B %llu",
               (unsigned long long)g->both_right, (unsigned long long)g->neither,
               (unsigned long long)g->only_a, (unsigned long long)g->only_b);
    printf("; p %s%s (%s, %s)\n", *p == '<' ? "" : "= ", p, numbers ? "sign test" : "McNemar",
           g->exact ? "exact" : "chi-square");
}

static void print_predictions(const comparison *c)
{
    const thr_agreement *g = &c->agreement;
    printf("predictions: %llu of %llu differ\n", (unsigned long long)g->changed,
           (unsigned long long)g->examples);
    bool numbers = thr_model_regression(c->a);
    if (numbers)
        printf("  by %.6g on average, by %.6g at most\n", g->mean_change, g->max_change);
    if (g->labelled)
        print_judgement(c);
    for (size_t i = 0; i < c->n; i++) {
        const changed *e = &c->first[i];
        printf("  %s:%llu", e->file ? cli_shown(e->file) : "", (unsigned long long)e->line);
        if (e->tag && *e->tag)
            printf(" %s", cli_shown(e->tag));
        if (numbers)
            printf("  %.6g -> %.6g", e->value_a, e->value_b);
        else
            printf("  %s -> %s", e->a ? cli_shown(e->a) : "(none)",
                   e->b ? cli_shown(e->b) : "(none)");
        if (e->truth)
            printf("  truth %s", cli_shown(e->truth));
        putchar('\n');
    }
    if (g->changed > c->n)
        printf("  (%llu more: see --top)\n", (unsigned long long)(g->changed - c->n));
}

static void print(const comparison *c)
{
    thr_diff_setting s;
    thr_diff_label l;
    if (thr_diff_same(c->diff)) {
        printf("%s and %s are the same model\n", cli_shown(c->path_a), cli_shown(c->path_b));
        return;
    }
    printf("A is %s, B is %s\n", cli_shown(c->path_a), cli_shown(c->path_b));
    for (size_t i = 0; thr_diff_setting_at(c->diff, i, &s); i++)
        printf("%s  %-14s %s -> %s\n", i ? "" : "settings\n", s.name,
               *s.a ? cli_shown(s.a) : "(none)", *s.b ? cli_shown(s.b) : "(none)");
    for (size_t i = 0; thr_diff_label_at(c->diff, i, &l); i++)
        printf("%s  only in %s      %s\n", i ? "" : "labels\n", l.in_b ? "B" : "A",
               cli_shown(l.name));
    print_counts(c);
    print_rules(c);
    if (c->has_data)
        print_predictions(c);
}

/* ---- JSON output -------------------------------------------------------------------------- */

static void json_pair(cli_json *j, const char *key, double a, double b)
{
    cli_json_begin(j, key, '[');
    cli_json_real(j, NULL, a);
    cli_json_real(j, NULL, b);
    cli_json_end(j, ']');
}

static double mistakes(const thr_model *m, const thr_stats *s)
{
    return thr_model_regression(m) ? NAN : (double)s->mistakes;
}

static void json_counts(cli_json *j, const comparison *c)
{
    thr_stats a, b;
    thr_diff_features f;
    thr_model_stats(c->a, &a);
    thr_model_stats(c->b, &b);
    json_pair(j, "examples", (double)a.examples, (double)b.examples);
    json_pair(j, "mistakes", mistakes(c->a, &a), mistakes(c->b, &b));
    json_pair(j, "updates", (double)a.updates, (double)b.updates);
    json_pair(j, "labels", (double)a.labels, (double)b.labels);
    json_pair(j, "features", (double)a.features, (double)b.features);
    bool matched = thr_diff_features_of(c->diff, &f);
    cli_json_real(j, "features_both", matched ? (double)f.both : NAN);
    cli_json_real(j, "features_only_a", matched ? (double)f.only_a : NAN);
    cli_json_real(j, "features_only_b", matched ? (double)f.only_b : NAN);
}

static void json_rules(cli_json *j, const comparison *c)
{
    thr_diff_rule r;
    thr_diff_weight w;
    cli_json_begin(j, "rules", '[');
    for (size_t i = 0; thr_diff_rule_at(c->diff, i, &r); i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "a", r.a);
        cli_json_string(j, "b", r.b);
        cli_json_real(j, "vote_a", r.vote_a);
        cli_json_real(j, "vote_b", r.vote_b);
        cli_json_string(j, "not_compared", r.unlike);
        cli_json_integer(j, "moved", r.moved);
        cli_json_real(j, "distance", r.unlike ? NAN : r.distance);
        cli_json_begin(j, "weights", '[');
        for (size_t k = 0; thr_diff_weight_at(c->diff, i, k, &w); k++) {
            cli_json_begin(j, NULL, '{');
            cli_json_string(j, "feature", w.feature);
            cli_json_string(j, "label", w.label);
            cli_json_real(j, "a", w.a);
            cli_json_real(j, "b", w.b);
            cli_json_bool(j, "in_a", w.in_a);
            cli_json_bool(j, "in_b", w.in_b);
            cli_json_end(j, '}');
        }
        cli_json_end(j, ']');
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

static void json_changed(cli_json *j, const comparison *c, const changed *e)
{
    cli_json_begin(j, NULL, '{');
    cli_json_string(j, "file", e->file);
    cli_json_integer(j, "line", e->line);
    if (e->tag && *e->tag)
        cli_json_string(j, "tag", e->tag);
    if (thr_model_regression(c->a)) {
        cli_json_real(j, "a", e->value_a);
        cli_json_real(j, "b", e->value_b);
        cli_json_real(j, "truth", e->target);
    } else {
        cli_json_string(j, "a", e->a);
        cli_json_string(j, "b", e->b);
        cli_json_string(j, "truth", e->truth);
    }
    cli_json_end(j, '}');
}

static void json_predictions(cli_json *j, const comparison *c)
{
    const thr_agreement *g = &c->agreement;
    cli_json_begin(j, "predictions", '{');
    cli_json_integer(j, "examples", g->examples);
    cli_json_integer(j, "changed", g->changed);
    cli_json_integer(j, "labelled", g->labelled);
    if (thr_model_regression(c->a)) {
        cli_json_integer(j, "a_nearer", g->only_a);
        cli_json_integer(j, "b_nearer", g->only_b);
        cli_json_real(j, "mse_a", g->mse_a);
        cli_json_real(j, "mse_b", g->mse_b);
        cli_json_real(j, "mean_change", g->mean_change);
        cli_json_real(j, "max_change", g->max_change);
    } else {
        cli_json_integer(j, "both_right", g->both_right);
        cli_json_integer(j, "neither_right", g->neither);
        cli_json_integer(j, "only_a_right", g->only_a);
        cli_json_integer(j, "only_b_right", g->only_b);
    }
    cli_json_real(j, "p", g->p);
    cli_json_string(j, "test", !g->labelled ? NULL : g->exact ? "exact" : "chi-square");
    cli_json_begin(j, "first", '[');
    for (size_t i = 0; i < c->n; i++)
        json_changed(j, c, &c->first[i]);
    cli_json_end(j, ']');
    cli_json_end(j, '}');
}

static void print_json(const comparison *c)
{
    cli_json j;
    thr_diff_setting s;
    thr_diff_label l;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "a", c->path_a);
    cli_json_string(&j, "b", c->path_b);
    cli_json_bool(&j, "same", thr_diff_same(c->diff));
    cli_json_begin(&j, "settings", '{');
    for (size_t i = 0; thr_diff_setting_at(c->diff, i, &s); i++) {
        cli_json_begin(&j, s.name, '[');
        cli_json_string(&j, NULL, s.a);
        cli_json_string(&j, NULL, s.b);
        cli_json_end(&j, ']');
    }
    cli_json_end(&j, '}');
    for (int b = 0; b < 2; b++) {
        cli_json_begin(&j, b ? "labels_only_b" : "labels_only_a", '[');
        for (size_t i = 0; thr_diff_label_at(c->diff, i, &l); i++)
            if (l.in_b == (b == 1))
                cli_json_string(&j, NULL, l.name);
        cli_json_end(&j, ']');
    }
    json_counts(&j, c);
    json_rules(&j, c);
    if (c->has_data)
        json_predictions(&j, c);
    cli_json_close(&j);
}

/* ---- the command -------------------------------------------------------------------------- */

static int compare_predictions(const cli_args *a, comparison *c, thr_input *in)
{
    thr_error err = {0};
    thr_reading reading;
    cli_progress progress;
    cli_progress_start(&progress, a, "diff");
    progress.no_rate = true;
    int code = thr_diff_predictions(c->a, c->b, in, keep_change, c, cli_progress_show, &progress,
                                    &c->agreement, &reading, &err);
    cli_progress_end(&progress);
    if (code == THR_EMEM && !err.code)
        return cli_no_memory();
    if (code)
        return cli_fail(&err);
    cli_reading_warnings(a, &reading);
    return 0;
}

static int compare(const cli_args *a, comparison *c)
{
    thr_error err;
    int status = 0;
    c->has_data = a->n_rest > 2;
    c->diff = thr_diff_new(c->a, c->b, c->top, &err);
    if (!c->diff)
        return cli_fail(&err);
    if (c->has_data) {
        thr_input *in = cli_input(a, a->rest + 2, a->n_rest - 2, &status);
        if (in)
            status = compare_predictions(a, c, in);
        thr_input_free(in);
    }
    if (status == 0 && cli_has(a, "json"))
        print_json(c);
    else if (status == 0)
        print(c);
    return status;
}

static int run(const cli_args *a)
{
    thr_error err;
    double top;
    struct stat st;
    if (a->n_rest < 2)
        return cli_usage_error("diff needs two models: thresh diff A B [DATA...]");
    /* Each model reads the data by itself, so pipes are refused. */
    for (size_t i = 2; i < a->n_rest; i++)
        if (strcmp(a->rest[i], "-") == 0 || (stat(a->rest[i], &st) == 0 && S_ISFIFO(st.st_mode)))
            return cli_usage_error("diff reads its data twice: give a file, not %s", a->rest[i]);
    if (!cli_number(a, "top", 20, 0, 1e9, &top))
        return EXIT_USAGE;
    thr_model *m = thr_model_open(a->rest[0], false, &err);
    thr_model *n = m ? thr_model_open(a->rest[1], false, &err) : NULL;
    comparison c = {.a = m, .b = n, .path_a = a->rest[0], .path_b = a->rest[1], .top = (size_t)top};
    int status = n ? compare(a, &c) : cli_fail(&err);
    for (size_t i = 0; i < c.n; i++) {
        free(c.first[i].file);
        free(c.first[i].tag);
        free(c.first[i].truth);
    }
    free(c.first);
    thr_diff_free(c.diff);
    thr_model_free(m);
    thr_model_free(n);
    return status;
}

static const cli_option *const lists[] = {options,          cli_label_options,  cli_reading_options,
                                          cli_json_options, cli_common_options, NULL};

const cli_command cli_diff = {
    .name = "diff",
    .usage = "A B [--top N] [OPTIONS] [DATA...]",
    .help = "show the differences between two models and between their predictions",
    .options = lists,
    .run = run,
};
