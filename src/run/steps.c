/* Training one step at a time, for people who want to follow a rule by hand: for each example
 * its features, the scores, the label, the moves, and the weights before and after.
 *
 * This is an ordinary training run with callbacks (thr_watch in train.h):
 *
 *      gathered    all examples have been read: is the input small enough, which label is positive
 *      before      lists the features of the example, notes their weights and predicts
 *      updated     notes the moves of the rule (a listener for updates)
 *      after       notes the weights again and passes the step to the caller
 *
 * One thr_trace_step and its arrays are reused from step to step. Weights of features are noted
 * in columns: one column if a function serves two labels, or for regression; else one per
 * label. */
#include "base/mem.h"
#include "run/defaults.h"
#include "run/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct steps {
    thr_model *m;
    const thr_trace_options *o;
    thr_trace_fn *fn;
    void *user;
    char *positive, *negative; /* the two labels, if they share a function; else NULL */
    bool weighs;               /* the rule has weights */
    bool moving;               /* updates move other numbers than predictions use (averaging); these
                                * "live" weights are noted too */
    bool all;           /* every step lists all features of the input, not only the example's */
    size_t size;        /* examples in a pass */
    thr_workspace work; /* for predicting here; the training run has another */
    thr_trace_step step;
    thr_bytes truth, tag; /* copies with a NUL, for the step */
    size_t *feature;      /* ids of the features of the step */
    double *value;        /* their values */
    double *weight[4];    /* [BEFORE] ... [LIVE_AFTER]: feature by feature, column by column */
    double *column;       /* a score for each column, then a rest for each */
    thr_moved *moved;     /* copies of the moves; what they point to lasts until the next example */
    size_t feature_room, value_room, weight_room[4], column_room, moved_room;
} steps;

enum { BEFORE, AFTER, LIVE_BEFORE, LIVE_AFTER };

static const thr_member *rule_of(const steps *s)
{
    return thr_model_explaining_member(s->m);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* If the whole input has two labels that will share a function, declares the one positive that
 * training would make so once it has met both. The columns of all steps then have the same
 * meaning and sign, even before the second label has appeared. */
static int find_positive(steps *s, const thr_store *store, thr_error *err)
{
    thr_labels labels;
    uint32_t label;
    const thr_labels *known = thr_model_label_set(s->m);
    int code = thr_labels_init(&labels, known->declared, err);
    for (uint32_t i = 0; i < known->n && code == 0; i++)
        code = thr_labels_add(&labels, thr_str_of(known->name[i]), &label, err);
    for (size_t e = 0; e < store->all.n && labels.n <= 2 && code == 0; e++)
        code = thr_labels_add(&labels, store->all.about[e].label, &label, err);
    bool two = code == 0 && labels.n == 2 && thr_member_shares(rule_of(s), &labels);
    if (two) {
        s->positive = strdup(labels.name[labels.positive]);
        s->negative = strdup(labels.name[1 - labels.positive]);
        code = s->positive && s->negative ? 0 : thr_fail_memory(err);
    }
    if (two && code == 0)
        code = thr_model_declare_positive(s->m, s->positive, err);
    thr_labels_clear(&labels);
    return code;
}

/* Checks the size after each batch already, so that a huge input fails early. */
static int gathered(void *user, const thr_store *store, bool done, thr_error *err)
{
    steps *s = user;
    size_t n = thr_store_size(store);
    if (s->o->most && n > s->o->most)
        return thr_fail(err, THR_EUSE,
                        "there are more than %llu examples, and so many steps are hardly for "
                        "reading: say --limit N to see them all the same",
                        (unsigned long long)s->o->most);
    if (!done)
        return 0;
    s->size = n;
    s->all = thr_model_features(s->m) - !rule_of(s)->rule.bias <= s->o->all;
    return thr_model_regression(s->m) ? 0 : find_positive(s, store, err);
}

/* ---- one step ----------------------------------------------------------------------------- */

/* The number of columns at this moment, and the label of a column. A side of a shared function
 * may not have met its label yet; its number is enough. */
static size_t columns(const steps *s)
{
    return s->positive || thr_model_regression(s->m) ? 1 : thr_model_labels(s->m);
}

static uint32_t label_of(const steps *s, size_t column)
{
    return s->positive ? thr_model_label_set(s->m)->positive : (uint32_t)column;
}

static bool add_feature(steps *s, size_t id, double value)
{
    size_t n = s->step.n_features;
    if (!thr_grow(&s->feature, &s->feature_room, n + 1, sizeof *s->feature) ||
        !thr_grow(&s->value, &s->value_room, n + 1, sizeof *s->value))
        return false;
    s->feature[n] = id;
    s->value[n] = value;
    s->step.n_features++;
    return true;
}

/* A value as the rule sees it: 0 or 1 for rules that only look at presence. */
static double value_of(const steps *s, const thr_example *e, size_t i)
{
    double value = thr_example_value(e, i);
    return rule_of(s)->rule.presence ? value > 0 : value;
}

/* Lists all features by id, if every step does: those that the example does not have get the value
 * 0, and ids begin at 1 if the rule has no bias. Otherwise lists the features of the example, the
 * bias first, which is last in an example. */
static bool list_features(steps *s, const thr_example *e)
{
    bool done = true;
    size_t first = !rule_of(s)->rule.bias;
    for (size_t id = first; s->all && id < thr_model_features(s->m) && done; id++)
        done = add_feature(s, id, 0);
    for (size_t i = 0; s->all && i < e->n && done; i++)
        s->value[e->id[i] - first] += value_of(s, e, i);
    if (s->all)
        return done;
    for (size_t i = 0; i < e->n && done; i++)
        if (e->id[i] == 0)
            done = add_feature(s, 0, value_of(s, e, i));
    for (size_t i = 0; i < e->n && done; i++)
        if (e->id[i] != 0)
            done = add_feature(s, e->id[i], value_of(s, e, i));
    return done;
}

static const char *kept_text(thr_bytes *to, thr_str text)
{
    to->n = 0;
    return thr_bytes_add(to, text.p ? text.p : "", text.n) && thr_bytes_add(to, "", 1) ? to->p
                                                                                       : NULL;
}

/* Notes the weights of the listed features, as predictions use them. */
static bool note_weights(steps *s, int which)
{
    const thr_member *k = rule_of(s);
    size_t n = columns(s), need;
    if (!s->weighs || __builtin_mul_overflow(s->step.n_features, n, &need))
        return !s->weighs;
    if (!thr_grow(&s->weight[which], &s->weight_room[which], need + 1, sizeof(double)))
        return false;
    for (size_t i = 0; i < s->step.n_features; i++)
        for (size_t c = 0; c < n; c++)
            s->weight[which][i * n + c] =
                thr_model_weight(s->m, k, (uint32_t)s->feature[i], label_of(s, c));
    return true;
}

/* Notes the live weights of the only function. If the function was made from the side of the
 * negative label, signs are inverted. */
static bool note_live(steps *s, int which)
{
    const thr_member *k = rule_of(s);
    if (!s->moving)
        return true;
    if (!thr_grow(&s->weight[which], &s->weight_room[which], s->step.n_features + 1,
                  sizeof(double)))
        return false;
    bool mirrored = s->positive && thr_model_label_set(s->m)->positive != k->anchor;
    for (size_t i = 0; i < s->step.n_features; i++) {
        double w = k->rule.learner->live(&k->rule, &k->weights, (uint32_t)s->feature[i], 0);
        s->weight[which][i] = mirrored && w != 0 ? -w : w;
    }
    return true;
}

/* Predicts the example before its label is used, and notes scores and label. The score of a
 * shared function is shown from the positive side. The rest of a column is what no feature
 * contributes to its score: a threshold, a prior. */
static int predict(steps *s, const thr_batch *b, size_t i, const thr_example *e, thr_error *err)
{
    const thr_labels *labels = thr_model_label_set(s->m);
    uint32_t best, positive = labels->positive;
    size_t n = s->step.columns;
    if (!thr_grow(&s->column, &s->column_room, 2 * n + 1, sizeof *s->column))
        return thr_fail_memory(err);
    for (size_t c = 0; c < n; c++)
        s->column[n + c] = thr_member_rest(rule_of(s), labels, e, label_of(s, c));
    int code = thr_model_score(s->m, &s->work, b, i, &best, err);
    if (code)
        return code;
    double shared = s->work.cases->shown[0];
    if (s->positive)
        s->column[0] = shared != 0 && positive != rule_of(s)->anchor ? -shared : shared;
    for (size_t c = 0; c < n && !s->positive; c++)
        s->column[c] = s->work.cases->answer[c];
    if (s->positive)
        s->step.predicted = s->work.cases->predicted[0] == positive ? s->positive : s->negative;
    else if (s->work.cases->predicted[0] < labels->n)
        s->step.predicted = labels->name[s->work.cases->predicted[0]];
    bool spoken = s->step.predicted || thr_model_regression(s->m);
    s->step.score =
        !spoken ? NAN
                : s->column[s->positive || !s->step.predicted ? 0 : s->work.cases->predicted[0]];
    return 0;
}

/* Starts a step: its number goes on, everything else is reset. Then lists the features of the
 * example, notes their weights and predicts. */
static int before(void *user, const thr_workspace *w, const thr_batch *b, size_t i, thr_error *err)
{
    steps *s = user;
    thr_example e;
    uint64_t number = s->step.number + 1;
    s->step = (thr_trace_step){.number = number,
                               .pass = (unsigned)((number - 1) / s->size) + 1,
                               .file = w->file,
                               .line = w->line,
                               .positive = s->positive,
                               .target = NAN,
                               .all = s->all,
                               .columns = columns(s)};
    s->step.tag = kept_text(&s->tag, b->about[i].tag);
    s->step.truth = kept_text(&s->truth, b->about[i].label);
    bool ok = s->step.truth && s->step.tag && thr_workspace_prepare(&s->work, s->m, 1, false);
    int code = ok ? 0 : thr_fail_memory(err);
    if (code == 0)
        code = thr_model_view(s->m, s->work.cases, b, i, rule_of(s), &e, err);
    if (code)
        return code;
    if (thr_model_regression(s->m))
        s->step.target = e.target;
    s->moving = s->weighs && rule_of(s)->rule.learner->live && s->step.columns == 1;
    if (!list_features(s, &e) || !note_weights(s, BEFORE) || !note_live(s, LIVE_BEFORE))
        return thr_fail_memory(err);
    return predict(s, b, i, &e, err);
}

/* Called by training if the rule was updated. The array of moves is copied; what its entries
 * point to belongs to the model and is valid until the next example. */
static int updated(void *user, const thr_update *u)
{
    steps *s = user;
    s->step.updated = u->n_moves > 0;
    s->step.kept = u->kept;
    if (!thr_grow(&s->moved, &s->moved_room, u->n_moves + 1, sizeof *s->moved))
        return THR_EMEM;
    if (u->n_moves)
        memcpy(s->moved, u->moves, u->n_moves * sizeof *s->moved);
    s->step.n_moves = u->n_moves;
    return 0;
}

static int after(void *user, const thr_workspace *w, const thr_batch *b, size_t e,
                 const thr_lesson *lesson, thr_error *err)
{
    steps *s = user;
    (void)w, (void)b, (void)e;
    if (!note_weights(s, AFTER) || !note_live(s, LIVE_AFTER))
        return thr_fail_memory(err);
    s->step.mistake = lesson->mistake;
    s->step.scores = s->column;
    s->step.rest = s->column + s->step.columns;
    s->step.columns_after = columns(s);
    s->step.moves = s->moved;
    s->step.features = s->feature;
    s->step.values = s->value;
    s->step.before = s->weighs ? s->weight[BEFORE] : NULL;
    s->step.after = s->weighs ? s->weight[AFTER] : NULL;
    s->step.live_before = s->moving ? s->weight[LIVE_BEFORE] : NULL;
    s->step.live_after = s->moving ? s->weight[LIVE_AFTER] : NULL;
    return s->fn(s->user, &s->step);
}

/* ---- the whole run ------------------------------------------------------------------------ */

static int check(const thr_model *m, const thr_trace_options *o, thr_error *err)
{
    const char *leaves_out = thr_model_leaves_out(m);
    if (thr_model_members(m) > 1)
        return thr_fail(err, THR_EUSE, "a panel is many rules at once: name one of them");
    if (thr_model_reader(m)->multilabel)
        return thr_fail(err, THR_EUSE, "steps are shown for one label an example: not multilabel");
    if (leaves_out)
        return thr_fail(err, THR_EUSE, "steps are shown of all features: not with %s", leaves_out);
    if (o->train.pac_eps != 0 || o->train.pac_delta != 0)
        return thr_fail(err, THR_EUSE, "steps are shown without pac");
    return 0;
}

static void clear(steps *s)
{
    thr_workspace_clear(&s->work);
    thr_bytes_clear(&s->truth);
    thr_bytes_clear(&s->tag);
    free(s->positive);
    free(s->negative);
    free(s->feature);
    free(s->value);
    for (int i = 0; i < 4; i++)
        free(s->weight[i]);
    free(s->column);
    free(s->moved);
}

int thr_step_through(thr_model *m, thr_input *in, const thr_trace_options *o, thr_trace_fn *fn,
                     void *user, thr_train_report *report, thr_error *err)
{
    thr_trace_options full;
    steps s = {.m = m, .o = &full, .fn = fn, .user = user};
    thr_watch watch = {.fn = after, .user = &s, .before = before, .gathered = gathered};
    int code = thr_trace_complete(o, &full, err);
    if (code == 0)
        code = check(m, &full, err);
    s.weighs = code == 0 && thr_model_linear(m);
    if (code)
        return code;
    thr_train_options train = full.train;
    train.on_update = updated;
    train.update_user = &s;
    code = thr_train_watched(m, in, &train, &watch, report, err);
    clear(&s);
    return code;
}
