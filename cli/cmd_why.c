/* thresh why: the examples that moved a feature, from the logs of training.
 *
 * Each label of each rule has a running sum. A function that speaks for one label against another
 * moves both, by opposite amounts; when it becomes one function for each, what was summed is
 * multiplied as the weights were (`rescaled`). So the sums of rules that only add end at the
 * weights. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {'m', "model", "FILE", "the model (or the first argument)"},
    {0, "log", "FILE", "what train --log wrote; several, in the order they were made"},
    {0, "top", "N", "moves to show of each feature and rule (default 15)"},
    {0, "by", "ORDER", "order (default): as they came; or size: the greatest first"},
    {0, "label", "L", "only what moved this label"},
    {0, "rule", "SPEC", "only this member of a panel"},
    {0},
};

#define NO_LABEL SIZE_MAX

/* Labels, or a regressor's number, kept. */
typedef struct word {
    char *text; /* n of them, each with its NUL, owned; NULL: a number, or nothing */
    size_t n;
    bool several;
    double number; /* NaN: texts, or nothing */
} word;

typedef struct move {
    size_t feature, rule, label, against; /* by number; features as asked for */
    uint64_t example, line;
    char *file, *tag; /* owned; NULL: none */
    word truth, prediction;
    int pushed;
    double by, sum; /* NaN: kept, without weights */
    size_t place;   /* in the order they came */
} move;

typedef struct inquiry {
    const cli_args *a;
    thr_model *m;
    char **feature; /* the names asked for */
    size_t features, rules, labels;
    size_t *number; /* in the model; SIZE_MAX: it does not know it */
    size_t top, only_label, only_rule;
    bool by_size;
    double *sum; /* [feature][rule][label] */
    move *moves;
    size_t n, room;
    uint64_t seen; /* examples, by the model */
    uint64_t last_example, lines, of_model;
} inquiry;

static double *sum_of(const inquiry *q, size_t feature, size_t rule, size_t label)
{
    return &q->sum[(feature * q->rules + rule) * q->labels + label];
}

static int out_of_memory(thr_error *err)
{
    err->code = THR_EMEM;
    snprintf(err->message, sizeof err->message, "out of memory");
    return EXIT_BAD;
}

/* ---- names -------------------------------------------------------------------------------- */

static size_t find_rule(const inquiry *q, const char *name)
{
    for (size_t i = 0; i < q->rules; i++)
        if (strcmp(thr_model_member(q->m, i), name) == 0)
            return i;
    return SIZE_MAX;
}

static size_t find_label(const inquiry *q, const char *name)
{
    for (size_t i = 0; name && i < thr_model_labels(q->m); i++)
        if (strcmp(thr_model_label(q->m, i), name) == 0)
            return i;
    return NO_LABEL;
}

/* Calls `use` with the name of each feature of the model. */
static int each_name(inquiry *q, void (*use)(inquiry *, size_t, const char *, void *), void *with)
{
    char *name = NULL;
    size_t room = 0;
    for (size_t i = 0; i < thr_model_features(q->m); i++) {
        size_t n = thr_model_feature(q->m, i, name, room);
        if (n >= room) {
            char *grown = realloc(name, room = 2 * n + 64);
            if (!grown) {
                free(name);
                return cli_usage_error("out of memory");
            }
            name = grown;
            thr_model_feature(q->m, i, name, room);
        }
        use(q, i, name, with);
    }
    free(name);
    return 0;
}

static void note_number(inquiry *q, size_t number, const char *name, void *with)
{
    (void)with;
    for (size_t i = 0; i < q->features; i++)
        if (q->number[i] == SIZE_MAX && strcmp(q->feature[i], name) == 0)
            q->number[i] = number;
}

/* The nearest name is kept, since the walk's own is gone with the next. */
typedef struct nearest {
    const char *word;
    cli_near near;
    char kept[64];
} nearest;

static void note_near(inquiry *q, size_t number, const char *name, void *with)
{
    (void)q, (void)number;
    nearest *n = with;
    const char *before = n->near.word;
    cli_nearest(&n->near, n->word, name);
    if (n->near.word != before) {
        snprintf(n->kept, sizeof n->kept, "%s", name);
        n->near.word = n->kept;
    }
}

static bool has_moved(const inquiry *q, size_t feature)
{
    for (size_t i = 0; i < q->n; i++)
        if (q->moves[i].feature == feature)
            return true;
    return false;
}

/* A feature must be known to the model, or be in the log (it may have been forgotten since). */
static int check_features(inquiry *q)
{
    for (size_t i = 0; i < q->features; i++) {
        if (q->number[i] != SIZE_MAX || has_moved(q, i))
            continue;
        nearest n = {.word = q->feature[i]};
        int status = each_name(q, note_near, &n);
        if (status)
            return status;
        if (n.near.word)
            return cli_usage_error("neither the model nor the log knows a feature '%s'; did you "
                                   "mean %s?",
                                   q->feature[i], n.near.word);
        return cli_usage_error("neither the model nor the log knows a feature '%s'%s",
                               q->feature[i],
                               strcmp(thr_model_setting(q->m, "hash-bits"), "0") == 0
                                   ? ""
                                   : "; its names are hashed, and thresh show prints what they "
                                     "have become");
    }
    return 0;
}

/* ---- reading ------------------------------------------------------------------------------ */

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static bool keep_word(word *w, const cli_logged_word *from)
{
    size_t size = 1;
    *w = (word){.n = from->n, .several = from->several, .number = from->number};
    for (size_t i = 0; i < from->n; i++)
        size += strlen(from->text[i]) + 1;
    w->text = from->text ? calloc(size, 1) : NULL;
    char *at = w->text;
    for (size_t i = 0; i < from->n && at; i++)
        at = stpcpy(at, from->text[i]) + 1;
    return w->text || !from->text;
}

static int keep_move(inquiry *q, const move *found, const cli_logged *u, thr_error *err)
{
    if (q->n == q->room) {
        size_t room = q->room ? 2 * q->room : 64;
        move *grown = realloc(q->moves, room * sizeof *grown);
        if (!grown)
            return out_of_memory(err);
        q->moves = grown;
        q->room = room;
    }
    move *m = &q->moves[q->n];
    *m = *found;
    m->place = q->n++;
    m->example = u->example;
    m->line = u->line;
    m->file = copy(u->file);
    m->tag = copy(u->tag);
    m->pushed = u->pushed;
    bool truth = keep_word(&m->truth, &u->truth),
         prediction = keep_word(&m->prediction, &u->prediction);
    bool done = !m->file == !u->file && !m->tag == !u->tag && truth && prediction;
    return done ? 0 : out_of_memory(err);
}

/* The labels by number. A function shared with a label that had not been met then is one of the
 * first two. */
static bool find_sides(const inquiry *q, const cli_logged *u, move *out)
{
    out->label = find_label(q, u->label);
    out->against = find_label(q, u->against);
    if ((u->label && out->label == NO_LABEL) || (u->against && out->against == NO_LABEL))
        return false;
    bool two = u->shared && thr_model_labels(q->m) > 1;
    if (two && !u->label && out->against < 2)
        out->label = 1 - out->against;
    if (two && !u->against && out->label < 2)
        out->against = 1 - out->label;
    return true;
}

static void turn(move *m)
{
    size_t label = m->label;
    m->label = m->against;
    m->against = label;
    m->by = 0 - m->by;
}

/* Whether it is asked for, and from whose side: that of the label given, else of two the positive
 * one. */
static bool is_wanted(const inquiry *q, move *m)
{
    int positive = thr_model_positive(q->m);
    size_t side = q->only_label != NO_LABEL ? q->only_label
                  : positive >= 0           ? (size_t)positive
                                            : NO_LABEL;
    if (side != NO_LABEL && m->against == side)
        turn(m);
    return (q->only_label == NO_LABEL || m->label == q->only_label) &&
           (q->only_rule == SIZE_MAX || m->rule == q->only_rule);
}

static int take_change(inquiry *q, const cli_logged *u, size_t feature, thr_error *err)
{
    move m = {.feature = feature, .rule = find_rule(q, u->rule), .by = u->by};
    if (!find_sides(q, u, &m)) {
        err->code = THR_EDATA;
        snprintf(err->message, sizeof err->message,
                 "the model does not know the label '%.200s': this log is not of this model",
                 find_label(q, u->label) == NO_LABEL && u->label ? u->label : u->against);
        return EXIT_BAD;
    }
    size_t number = thr_model_regression(q->m) ? 0 : NO_LABEL; /* the one value there is */
    size_t label = m.label == NO_LABEL ? number : m.label;
    if (!isnan(u->by) && label != NO_LABEL)
        *sum_of(q, feature, m.rule, label) += u->by;
    if (!isnan(u->by) && m.against != NO_LABEL)
        *sum_of(q, feature, m.rule, m.against) -= u->by;
    if (!is_wanted(q, &m))
        return 0;
    label = m.label == NO_LABEL ? number : m.label;
    m.sum = isnan(u->by) || label == NO_LABEL ? NAN : *sum_of(q, feature, m.rule, label);
    return keep_move(q, &m, u, err);
}

static int begin_update(inquiry *q, const cli_logged *u, thr_error *err)
{
    err->code = THR_EDATA;
    if (u->example < q->last_example) {
        snprintf(err->message, sizeof err->message,
                 "example %llu comes after example %llu: give each log once, in the order they "
                 "were made",
                 (unsigned long long)u->example, (unsigned long long)q->last_example);
        return EXIT_BAD;
    }
    if (u->example > q->seen) {
        snprintf(err->message, sizeof err->message,
                 "example %llu, and the model has seen %llu: this log is not of this model",
                 (unsigned long long)u->example, (unsigned long long)q->seen);
        return EXIT_BAD;
    }
    q->last_example = u->example;
    q->lines++;
    size_t rule = find_rule(q, u->rule);
    q->of_model += rule != SIZE_MAX;
    for (size_t f = 0; f < q->features && rule != SIZE_MAX && u->rescaled != 1; f++)
        for (size_t l = 0; l < q->labels; l++)
            *sum_of(q, f, rule, l) *= u->rescaled;
    return 0;
}

/* Rules that the model does not have are those of a panel whose winner it is. */
static int take(void *user, const cli_logged *u, thr_error *err)
{
    inquiry *q = user;
    if (!u->feature)
        return begin_update(q, u, err);
    if (find_rule(q, u->rule) == SIZE_MAX)
        return 0;
    int status = 0;
    for (size_t i = 0; i < q->features && status == 0; i++)
        if (strcmp(q->feature[i], u->feature) == 0)
            status = take_change(q, u, i, err);
    return status;
}

static int read_logs(inquiry *q)
{
    int status = 0;
    for (size_t i = 0; i < q->a->n_given && status == 0; i++) {
        if (strcmp(q->a->given[i].name, "log") != 0)
            continue;
        status = cli_log_read(q->a->given[i].value, take, q);
    }
    if (status == 0 && q->lines && !q->of_model) {
        fprintf(stderr, "thresh: no line of the log is about %s: it is not of this model\n",
                thr_model_setting(q->m, "learner"));
        status = EXIT_BAD;
    }
    return status;
}

/* ---- order -------------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b)
{
    const move *x = a, *y = b;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_size(const void *a, const void *b)
{
    const move *x = a, *y = b;
    bool alike = x->feature == y->feature && x->rule == y->rule;
    if (alike && fabs(x->by) != fabs(y->by) && !isnan(x->by) && !isnan(y->by))
        return fabs(x->by) > fabs(y->by) ? -1 : 1;
    return in_order(a, b);
}

/* ---- saying it ---------------------------------------------------------------------------- */

/* Moves of one feature by one rule. */
typedef struct part {
    const move *at;
    size_t n, feature, rule;
    uint64_t examples;
    double *weight; /* per label; NULL: there are none */
} part;

static int by_example(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t count_examples(const move *at, size_t n)
{
    uint64_t *all = calloc(n + 1, sizeof *all), different = 0;
    for (size_t i = 0; i < n && all; i++)
        all[i] = at[i].example;
    if (all)
        qsort(all, n, sizeof *all, by_example);
    for (size_t i = 0; i < n && all; i++)
        different += i == 0 || all[i] != all[i - 1];
    free(all);
    return different;
}

/* The labels to sum up: the one asked for, else those that moves are shown for, else all. */
static bool is_summed(const inquiry *q, const part *p, size_t label)
{
    if (q->only_label != NO_LABEL || thr_model_regression(q->m))
        return label == q->only_label || thr_model_regression(q->m);
    int positive = thr_model_positive(q->m);
    for (size_t i = 0; i < p->n; i++)
        if (p->at[i].label == label || (p->at[i].against == label && positive < 0))
            return true;
    return p->n == 0 && (positive < 0 || (size_t)positive == label);
}

static const char *label_name(const inquiry *q, size_t label)
{
    return label == NO_LABEL ? NULL : thr_model_label(q->m, label);
}

static void json_word(cli_json *j, const char *key, const char *keys, const word *w)
{
    const char *at = w->text;
    if (w->several) {
        cli_json_begin(j, keys, '[');
        for (size_t i = 0; i < w->n; i++, at += strlen(at) + 1)
            cli_json_string(j, NULL, at);
        cli_json_end(j, ']');
    } else if (at)
        cli_json_string(j, key, at);
    else
        cli_json_real(j, key, w->number);
}

static void json_move(const inquiry *q, const move *m, cli_json *j)
{
    cli_json_begin(j, NULL, '{');
    cli_json_integer(j, "example", m->example);
    cli_json_string(j, "file", m->file);
    cli_json_integer(j, "line", m->line);
    cli_json_string(j, "tag", m->tag);
    json_word(j, "truth", "truths", &m->truth);
    json_word(j, "prediction", "predictions", &m->prediction);
    if (m->pushed)
        cli_json_real(j, "pushed", m->pushed);
    cli_json_string(j, "label", label_name(q, m->label));
    cli_json_string(j, "against", label_name(q, m->against));
    cli_json_real(j, "by", m->by);
    cli_json_real(j, "sum", m->sum);
    cli_json_end(j, '}');
}

static void print_json(const inquiry *q, const part *p)
{
    cli_json j;
    cli_json_open(&j, stdout);
    cli_json_string(&j, "feature", q->feature[p->feature]);
    cli_json_string(&j, "rule", thr_model_member(q->m, p->rule));
    cli_json_integer(&j, "moved", p->n);
    cli_json_integer(&j, "examples", p->examples);
    cli_json_begin(&j, "labels", '[');
    for (size_t l = 0; l < q->labels; l++) {
        if (!is_summed(q, p, l))
            continue;
        cli_json_begin(&j, NULL, '{');
        cli_json_string(&j, "label", thr_model_label(q->m, l));
        cli_json_real(&j, "sum", p->weight ? *sum_of(q, p->feature, p->rule, l) : NAN);
        cli_json_real(&j, "weight", p->weight ? p->weight[l] : NAN);
        cli_json_end(&j, '}');
    }
    cli_json_end(&j, ']');
    cli_json_begin(&j, "moves", '[');
    for (size_t i = 0; i < p->n && i < q->top; i++)
        json_move(q, &p->at[i], &j);
    cli_json_end(&j, ']');
    cli_json_integer(&j, "more_moves", p->n > q->top ? p->n - q->top : 0);
    cli_json_close(&j);
}

enum { PLACE, TRUTH, PREDICTION, COLUMNS };

static void say_word(const word *w, const char *before, char *out, size_t room)
{
    const char *at = w->text;
    snprintf(out, room, "%s", before);
    for (size_t i = 0, n; i < w->n; i++, at += strlen(at) + 1) {
        n = strlen(out);
        snprintf(out + n, room - n, "%s%s", i ? "," : "", at);
    }
    if (!isnan(w->number))
        snprintf(out, room, "%.6g", w->number);
    else if (!w->n)
        snprintf(out, room, "-");
}

/* The text of a column whose width follows from what is in it. What was pushed is written as online
 * reads it. */
static const char *column(const move *m, int which, char *out, size_t room)
{
    const char *pushed = m->pushed > 0 ? "+ " : m->pushed < 0 ? "- " : "";
    if (which == TRUTH)
        say_word(&m->truth, pushed, out, room);
    else if (which == PREDICTION)
        say_word(&m->prediction, "", out, room);
    else if (m->file)
        snprintf(out, room, "%s:%llu", m->file, (unsigned long long)m->line);
    else
        snprintf(out, room, "-");
    return out;
}

static void find_widths(const inquiry *q, const part *p, const char *const *heads, int *width)
{
    char text[256];
    for (int c = 0; c < COLUMNS; c++)
        width[c] = (int)strlen(heads[c]);
    for (size_t i = 0; i < p->n && i < q->top; i++)
        for (int c = 0; c < COLUMNS; c++) {
            int n = (int)strlen(column(&p->at[i], c, text, sizeof text));
            width[c] = n > width[c] ? n : width[c];
        }
}

static void print_move(const inquiry *q, const move *m, const int *width)
{
    char text[256];
    printf("  %9llu", (unsigned long long)m->example);
    for (int c = 0; c < COLUMNS; c++)
        printf("  %-*s", width[c], column(m, c, text, sizeof text));
    if (isnan(m->by))
        printf("  %11s  %11s", "kept", "");
    else
        printf("  %+11.6g  %+11.6g", m->by + 0.0, m->sum + 0.0);
    if (m->label != NO_LABEL)
        printf("  %s", label_name(q, m->label));
    if (m->against != NO_LABEL)
        printf(" over %s", label_name(q, m->against));
    if (m->tag)
        printf("  (%s)", m->tag);
    putchar('\n');
}

static void print_summary(const inquiry *q, const part *p)
{
    printf("  moved %zu time%s by %llu example%s", p->n, cli_s(p->n),
           (unsigned long long)p->examples, cli_s(p->examples));
    if (!p->weight && q->number[p->feature] == SIZE_MAX)
        printf("; the model does not know it any more");
    else if (!p->weight)
        printf(thr_model_list_start(q->m)
                   ? "; its rules are made of all examples together, when training ends"
                   : "; it keeps examples, and features have no weights");
    putchar('\n');
    for (size_t l = 0; l < q->labels && p->weight; l++) {
        if (!is_summed(q, p, l))
            continue;
        const char *name = thr_model_label(q->m, l);
        printf("  the moves add up to %+.6g%s%s, and the weight is %+.6g\n",
               *sum_of(q, p->feature, p->rule, l) + 0.0, name ? " for " : "", name ? name : "",
               p->weight[l] + 0.0);
    }
}

static void print_text(const inquiry *q, const part *p)
{
    static const char *const heads[COLUMNS] = {"place", "truth", "prediction"};
    int width[COLUMNS];
    find_widths(q, p, heads, width);
    printf("%s, by %s\n", q->feature[p->feature], thr_model_member(q->m, p->rule));
    if (p->n)
        printf("  %9s  %-*s  %-*s  %-*s  %11s  %11s%s\n", "example", width[PLACE], heads[PLACE],
               width[TRUTH], heads[TRUTH], width[PREDICTION], heads[PREDICTION], "move", "so far",
               thr_model_regression(q->m) ? "" : "  label");
    for (size_t i = 0; i < p->n && i < q->top; i++)
        print_move(q, &p->at[i], width);
    if (p->n > q->top)
        printf("  %9zu  more\n", p->n - q->top);
    print_summary(q, p);
}

static int print_all(const inquiry *q)
{
    double *weight = calloc(q->labels, sizeof *weight);
    size_t at = 0;
    if (!weight)
        return cli_usage_error("out of memory");
    if (q->n)
        qsort(q->moves, q->n, sizeof *q->moves, q->by_size ? by_size : in_order);
    for (size_t f = 0; f < q->features; f++)
        for (size_t r = 0; r < q->rules; r++) {
            part p = {.at = q->moves + at, .feature = f, .rule = r};
            for (; at < q->n && q->moves[at].feature == f && q->moves[at].rule == r; at++)
                p.n++;
            if (q->only_rule != SIZE_MAX && r != q->only_rule)
                continue;
            p.examples = count_examples(p.at, p.n);
            bool weighs = thr_model_member_weights(q->m, r, q->number[f], weight) == 0;
            p.weight = weighs ? weight : NULL;
            if (cli_has(q->a, "json"))
                print_json(q, &p);
            else
                print_text(q, &p);
        }
    free(weight);
    return 0;
}

/* ---- asking ------------------------------------------------------------------------------- */

static int open_model(inquiry *q)
{
    thr_error err;
    const cli_args *a = q->a;
    const char *path = cli_get(a, "model", NULL);
    bool first = !path && a->n_rest;
    path = first ? a->rest[0] : path;
    q->feature = a->rest + first;
    q->features = a->n_rest - first;
    if (!path || !q->features || !cli_has(a, "log"))
        return cli_usage_error("why needs a model, its log and features: thresh why MODEL --log "
                               "FILE FEATURE...");
    q->m = thr_model_open(path, false, &err);
    return q->m ? 0 : cli_fail(&err);
}

static int read_plan(inquiry *q)
{
    double top;
    const char *by = cli_get(q->a, "by", "order"), *label = cli_get(q->a, "label", NULL),
               *rule = cli_get(q->a, "rule", NULL);
    if (!cli_number(q->a, "top", 15, 1, 1e9, &top))
        return EXIT_USAGE;
    q->top = (size_t)top;
    q->by_size = strcmp(by, "size") == 0;
    if (!q->by_size && strcmp(by, "order") != 0)
        return cli_usage_error("--by is order or size, not '%s'", by);
    q->rules = thr_model_members(q->m);
    q->labels = thr_model_regression(q->m) ? 1 : thr_model_labels(q->m);
    q->only_label = find_label(q, label);
    if (label && q->only_label == NO_LABEL)
        return cli_usage_error("the model has no label '%s'", label);
    q->only_rule = rule ? find_rule(q, rule) : SIZE_MAX;
    if (rule && q->only_rule == SIZE_MAX)
        return cli_usage_error("the model has no rule '%s'; thresh show lists a panel's", rule);
    return 0;
}

static int make_room(inquiry *q)
{
    thr_stats s;
    thr_model_stats(q->m, &s);
    q->seen = s.examples;
    q->number = calloc(q->features, sizeof *q->number);
    q->sum = calloc(q->features * q->rules * (q->labels + 1), sizeof *q->sum);
    if (!q->number || !q->sum)
        return cli_usage_error("out of memory");
    for (size_t i = 0; i < q->features; i++)
        q->number[i] = SIZE_MAX;
    return each_name(q, note_number, NULL);
}

static void forget(inquiry *q)
{
    for (size_t i = 0; i < q->n; i++) {
        free(q->moves[i].file);
        free(q->moves[i].tag);
        free(q->moves[i].truth.text);
        free(q->moves[i].prediction.text);
    }
    free(q->moves);
    free(q->number);
    free(q->sum);
    thr_model_free(q->m);
}

static int run(const cli_args *a)
{
    inquiry q = {.a = a};
    int status = open_model(&q);
    if (status == 0)
        status = read_plan(&q);
    if (status == 0)
        status = make_room(&q);
    if (status == 0)
        status = read_logs(&q);
    if (status == 0)
        status = check_features(&q);
    if (status == 0)
        status = print_all(&q);
    forget(&q);
    return status;
}

static const cli_option *const lists[] = {options, cli_json_options, cli_common_options, NULL};

const cli_command cli_why = {
    .name = "why",
    .usage = "MODEL --log FILE [OPTIONS] FEATURE...",
    .help = "list the examples that moved a feature, from the log of training",
    .options = lists,
    .run = run,
};
