/* thresh why: lists the examples that changed the weight of a feature, from the logs of training.
 *
 * The logs are read once. For each feature asked for, each rule and each label there is a running
 * sum of the changes. A function that two labels share changes both by opposite amounts. When a
 * third label arrives, such a function is split into one per label and the weights may be scaled;
 * the sums are then multiplied by the same factor (`rescaled`). So for rules that only add to their
 * weights the sums end at the weights of the model. */
#include "why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {'m', "model", "FILE", "the model (may also be given as the first argument)"},
    {0, "log", "FILE", "log of train --log; for several runs, repeat in the order of the runs"},
    {0, "top", "N", "number of moves to show for each feature and rule (default 15)"},
    {0, "by", "ORDER", "order (default): in the order of training; size: largest first"},
    {0, "label", "L", "show only moves for this label"},
    {0, "rule", "SPEC", "show only this member of a panel"},
    {0},
};

static int out_of_memory(thr_error *err)
{
    err->code = THR_EMEM;
    snprintf(err->message, sizeof err->message, "out of memory");
    return EXIT_BAD;
}

/* ---- names -------------------------------------------------------------------------------- */

static size_t find_rule(const why_inquiry *q, const char *name)
{
    for (size_t i = 0; i < q->rules; i++)
        if (strcmp(thr_model_member(q->m, i), name) == 0)
            return i;
    return SIZE_MAX;
}

static size_t find_label(const why_inquiry *q, const char *name)
{
    for (size_t i = 0; name && i < thr_model_labels(q->m); i++)
        if (strcmp(thr_model_label(q->m, i), name) == 0)
            return i;
    return WHY_NO_LABEL;
}

/* Calls `use` with the number and name of each feature of the model. */
static int each_name(why_inquiry *q, void (*use)(why_inquiry *, size_t, const char *, void *),
                     void *with)
{
    char *name = NULL;
    size_t room = 0;
    for (size_t i = 0; i < thr_model_features(q->m); i++) {
        size_t n = thr_model_feature(q->m, i, name, room);
        if (n >= room) {
            char *grown = realloc(name, room = 2 * n + 64);
            if (!grown) {
                free(name);
                return cli_no_memory();
            }
            name = grown;
            thr_model_feature(q->m, i, name, room);
        }
        use(q, i, name, with);
    }
    free(name);
    return 0;
}

/* Finds the numbers of the features that were asked for. */
static void note_number(why_inquiry *q, size_t number, const char *name, void *with)
{
    (void)with;
    for (size_t i = 0; i < q->features; i++)
        if (q->number[i] == SIZE_MAX && strcmp(q->feature[i], name) == 0)
            q->number[i] = number;
}

/* The nearest name is copied, since each_name reuses its buffer. */
typedef struct nearest {
    const char *word;
    thr_suggestion near;
    char kept[64];
} nearest;

static void note_near(why_inquiry *q, size_t number, const char *name, void *with)
{
    (void)q, (void)number;
    nearest *n = with;
    const char *before = n->near.word;
    thr_suggest(&n->near, n->word, name);
    if (n->near.word != before) {
        snprintf(n->kept, sizeof n->kept, "%s", name);
        n->near.word = n->kept;
    }
}

/* A feature must be in the model or in the log: it may have been dropped from the model since.
 * Called after the logs are read. */
static int check_features(why_inquiry *q)
{
    for (size_t i = 0; i < q->features; i++) {
        bool known = q->number[i] != SIZE_MAX;
        for (size_t k = 0; k < q->n && !known; k++)
            known = q->moves[k].feature == i;
        if (known)
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
                                   : "; its names are hashed, and thresh show prints the names of "
                                     "the slots");
    }
    return 0;
}

/* ---- reading ------------------------------------------------------------------------------ */

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* Copies labels into one buffer, one after the other, each with its NUL. */
static bool keep_word(why_word *w, const cli_logged_word *from)
{
    size_t size = 1;
    *w = (why_word){.n = from->n, .several = from->several, .number = from->number};
    for (size_t i = 0; i < from->n; i++)
        size += strlen(from->text[i]) + 1;
    w->text = from->text ? calloc(size, 1) : NULL;
    char *at = w->text;
    for (size_t i = 0; i < from->n && at; i++)
        at = stpcpy(at, from->text[i]) + 1;
    return w->text || !from->text;
}

static int keep_move(why_inquiry *q, const why_move *found, const cli_logged *u, thr_error *err)
{
    if (q->n == q->room) {
        size_t room = q->room ? 2 * q->room : 64;
        why_move *grown = realloc(q->moves, room * sizeof *grown);
        if (!grown)
            return out_of_memory(err);
        q->moves = grown;
        q->room = room;
    }
    why_move *m = &q->moves[q->n];
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

/* Finds the numbers of the two labels of a move. A function that was shared while only one label
 * had been met has null for the other label in the log; that is now the other of the first two
 * labels. Returns false if the model does not know a label. */
static bool find_sides(const why_inquiry *q, const cli_logged *u, why_move *out)
{
    out->label = find_label(q, u->label);
    out->against = find_label(q, u->against);
    if ((u->label && out->label == WHY_NO_LABEL) || (u->against && out->against == WHY_NO_LABEL))
        return false;
    bool two = u->shared && thr_model_labels(q->m) > 1;
    if (two && !u->label && out->against < 2)
        out->label = 1 - out->against;
    if (two && !u->against && out->label < 2)
        out->against = 1 - out->label;
    return true;
}

/* Whether the move is to be listed. It is turned so that it is shown for the label of --label, or,
 * with two labels, for the positive one. */
static bool is_wanted(const why_inquiry *q, why_move *m)
{
    int positive = thr_model_positive(q->m);
    size_t side = q->only_label != WHY_NO_LABEL ? q->only_label
                  : positive >= 0               ? (size_t)positive
                                                : WHY_NO_LABEL;
    if (side != WHY_NO_LABEL && m->against == side) {
        m->against = m->label;
        m->label = side;
        m->by = 0 - m->by;
    }
    return (q->only_label == WHY_NO_LABEL || m->label == q->only_label) &&
           (q->only_rule == SIZE_MAX || m->rule == q->only_rule);
}

/* Adds one change to the sums, and keeps it if it is to be listed. Sums are kept for all labels,
 * also those that --label leaves out. */
static int take_change(why_inquiry *q, const cli_logged *u, size_t feature, thr_error *err)
{
    why_move m = {.feature = feature, .rule = find_rule(q, u->rule), .by = u->by};
    if (!find_sides(q, u, &m)) {
        err->code = THR_EDATA;
        snprintf(err->message, sizeof err->message,
                 "the model does not know the label '%.200s': this is the log of another model",
                 find_label(q, u->label) == WHY_NO_LABEL && u->label ? u->label : u->against);
        return EXIT_BAD;
    }
    size_t number = thr_model_regression(q->m) ? 0 : WHY_NO_LABEL; /* a regressor has one column */
    size_t label = m.label == WHY_NO_LABEL ? number : m.label;
    if (!isnan(u->by) && label != WHY_NO_LABEL)
        *why_sum(q, feature, m.rule, label) += u->by;
    if (!isnan(u->by) && m.against != WHY_NO_LABEL)
        *why_sum(q, feature, m.rule, m.against) -= u->by;
    if (!is_wanted(q, &m))
        return 0;
    label = m.label == WHY_NO_LABEL ? number : m.label;
    m.sum = isnan(u->by) || label == WHY_NO_LABEL ? NAN : *why_sum(q, feature, m.rule, label);
    return keep_move(q, &m, u, err);
}

/* Checks that the logs are in order and of this model, and rescales the sums. */
static int begin_update(why_inquiry *q, const cli_logged *u, thr_error *err)
{
    err->code = THR_EDATA;
    if (u->example < q->last_example) {
        snprintf(err->message, sizeof err->message,
                 "example %llu comes after example %llu: give each log once, in the order of "
                 "training",
                 (unsigned long long)u->example, (unsigned long long)q->last_example);
        return EXIT_BAD;
    }
    if (u->example > q->seen) {
        snprintf(err->message, sizeof err->message,
                 "example %llu, and the model has seen %llu: this is the log of another model",
                 (unsigned long long)u->example, (unsigned long long)q->seen);
        return EXIT_BAD;
    }
    q->last_example = u->example;
    q->lines++;
    size_t rule = find_rule(q, u->rule);
    q->of_model += rule != SIZE_MAX;
    for (size_t f = 0; f < q->features && rule != SIZE_MAX && u->rescaled != 1; f++)
        for (size_t l = 0; l < q->labels; l++)
            *why_sum(q, f, rule, l) *= u->rescaled;
    return 0;
}

/* Lines about rules that the model does not have are skipped: the log may be that of a panel of
 * which only the winner was saved. */
static int take(void *user, const cli_logged *u, thr_error *err)
{
    why_inquiry *q = user;
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

/* Makes room for the sums, and fills them from the logs. */
static int read_logs(why_inquiry *q)
{
    thr_stats s;
    thr_model_stats(q->m, &s);
    q->seen = s.examples;
    q->number = calloc(q->features, sizeof *q->number);
    q->sum = calloc(q->features * q->rules * (q->labels + 1), sizeof *q->sum);
    if (!q->number || !q->sum)
        return cli_no_memory();
    for (size_t i = 0; i < q->features; i++)
        q->number[i] = SIZE_MAX;
    int status = each_name(q, note_number, NULL);
    for (size_t i = 0; i < q->a->n_given && status == 0; i++) {
        if (strcmp(q->a->given[i].name, "log") != 0)
            continue;
        status = cli_log_read(q->a->given[i].value, take, q);
    }
    if (status == 0 && q->lines && !q->of_model) {
        status = cli_say("no line of the log is about %s: it is the log of another model",
                         thr_model_setting(q->m, "learner"));
    }
    return status;
}

/* ---- running ------------------------------------------------------------------------------ */

static int open_model(why_inquiry *q)
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

static int read_plan(why_inquiry *q)
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
    if (label && q->only_label == WHY_NO_LABEL)
        return cli_usage_error("the model has no label '%s'", label);
    q->only_rule = rule ? find_rule(q, rule) : SIZE_MAX;
    if (!rule || q->only_rule != SIZE_MAX)
        return 0;
    fprintf(stderr, "thresh: the model has no rule '%s'; it has ", cli_shown(rule));
    for (size_t i = 0; i < q->rules; i++)
        fprintf(stderr, "%s%s", i ? ", " : "", cli_shown(thr_model_member(q->m, i)));
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int run(const cli_args *a)
{
    why_inquiry q = {.a = a};
    int status = open_model(&q);
    if (status == 0)
        status = read_plan(&q);
    if (status == 0)
        status = read_logs(&q);
    if (status == 0)
        status = check_features(&q);
    if (status == 0)
        status = why_print(&q);
    for (size_t i = 0; i < q.n; i++) {
        free(q.moves[i].file);
        free(q.moves[i].tag);
        free(q.moves[i].truth.text);
        free(q.moves[i].prediction.text);
    }
    free(q.moves);
    free(q.number);
    free(q.sum);
    thr_model_free(q.m);
    return status;
}

static const cli_option *const lists[] = {options, cli_json_options, cli_common_options, NULL};

const cli_command cli_why = {
    .name = "why",
    .usage = "MODEL --log FILE [OPTIONS] FEATURE...",
    .help = "list the examples that changed the weight of a feature, from a training log",
    .options = lists,
    .run = run,
};
