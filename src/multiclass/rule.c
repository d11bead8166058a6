/* A rule's life, and one step of it. */
#include "multiclass/rule.h"

#include "multiclass/moves.h"
#include "multiclass/policy.h"
#include "weights/lists.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int unknown_learner(const char *name, size_t n, thr_error *err)
{
    char word[65];
    snprintf(word, sizeof word, "%.*s", (int)(n < 64 ? n : 64), name);
    thr_bytes known = {0};
    thr_suggestion near = {0};
    for (size_t i = 0; thr_learners[i]; i++) {
        thr_bytes_printf(&known, "%s%s", i ? ", " : "", thr_learners[i]->name);
        thr_suggest(&near, word, thr_learners[i]->name);
    }
    thr_fail(err, THR_EUSE, "there is no learner '%s'%s%s%s %s", word,
             near.word ? "; did you mean " : "", near.word ? near.word : "",
             near.word ? "? There are" : "; there are", known.p ? known.p : "none");
    thr_bytes_clear(&known);
    return THR_EUSE;
}

/* A policy that was asked for by name must suit the learner: it needs certain flags, and a rule
 * that learns in its own way (learner->learn) takes none. */
static int choose_policy(thr_rule *r, const char *policy, thr_error *err)
{
    bool automatic = !policy || strcmp(policy, "auto") == 0;
    const char *usual = thr_default_in(thr_old_defaults, r->learner->name, "multiclass", r->rules,
                                       r->learner->policy);
    r->policy = thr_policy_find(automatic ? usual : policy);
    if (!r->policy)
        return thr_fail(err, THR_EUSE, "there is no multi-class policy '%s'", policy);
    if (!automatic && (r->learner->flags & THR_REGRESSION))
        return thr_fail(err, THR_EUSE, "%s predicts numbers and has no classes", r->learner->name);
    if ((r->policy->needs & r->learner->flags) != r->policy->needs)
        return thr_fail(err, THR_EUSE, "%s has no '%s' form for many classes", r->learner->name,
                        policy);
    if (!automatic && r->learner->learn)
        return thr_fail(err, THR_EUSE, "%s treats many classes in its own way only",
                        r->learner->name);
    return 0;
}

int thr_rule_init(thr_rule *r, const char *spec, const char *policy, thr_error *err)
{
    return thr_rule_init_under(r, spec, policy, THR_RULES, err);
}

int thr_rule_init_under(thr_rule *r, const char *spec, const char *policy, unsigned rules,
                        thr_error *err)
{
    *r = (thr_rule){.rules = rules, .reversed = THR_NONE, .first_at_ties = THR_NONE};
    const char *colon = strchr(spec, ':');
    size_t n = colon ? (size_t)(colon - spec) : strlen(spec);
    r->learner = thr_learner_find(spec, n);
    if (!r->learner)
        return unknown_learner(spec, n, err);
    const thr_learner *l = r->learner;
    int code = thr_options_defaults(l->options, l->name, thr_old_defaults, rules, r->option, err);
    if (code == 0 && colon)
        code = thr_options_read(l->options, l->name, colon + 1, r->option, err);
    if (code == 0)
        code = choose_policy(r, policy, err);
    if (code == 0)
        code = r->learner->setup(r, err);
    if (code == 0)
        code = thr_rule_widen(r, 1, err);
    if (code)
        thr_rule_clear(r);
    return code;
}

void thr_rule_clear(thr_rule *r)
{
    if (r->learner && r->learner->release)
        r->learner->release(r);
    free(r->function);
    free(r->clause);
    free(r->wait.function);
    free(r->wait.move);
    *r = (thr_rule){0};
}

/* Numbers per function; at least 1, so that rules without state allocate something too. */
static size_t state_size(const thr_rule *r)
{
    return r->learner->function_state ? r->learner->function_state : 1;
}

int thr_rule_reserve(thr_rule *r, uint32_t n, thr_error *err)
{
    size_t room = r->function_room;
    if (!thr_grow(&r->function, &room, n, state_size(r) * sizeof *r->function))
        return thr_fail_memory(err);
    r->function_room = (uint32_t)room;
    return 0;
}

int thr_rule_widen(thr_rule *r, uint32_t n, thr_error *err)
{
    size_t old = r->functions, per = state_size(r);
    int code = thr_rule_reserve(r, n, err);
    if (code)
        return code;
    if (n > old)
        memset(r->function + old * per, 0, (n - old) * per * sizeof *r->function);
    r->functions = n;
    return 0;
}

void thr_rule_forget(thr_rule *r)
{
    size_t per = r->learner->function_state;
    memset(r->function, 0, (size_t)r->functions * per * sizeof *r->function);
}

/* rule.group still points to the array of the original; the caller sets it to the copy's model. */
int thr_rule_copy(const thr_rule *r, const thr_weights *w, thr_memory *memory, thr_rule *out,
                  thr_error *err)
{
    *out = *r;
    out->function = NULL;
    out->extra = NULL;
    out->clause = NULL;
    out->clause_room = 0;
    out->memory = memory;
    out->moves = NULL;
    out->wait = (thr_waiting){0};
    out->functions = out->function_room = 0;
    int code = thr_rule_widen(out, r->functions, err);
    if (code == 0 && !thr_grow(&out->clause, &out->clause_room, r->clauses, sizeof *r->clause))
        code = thr_fail_memory(err);
    if (code == 0) {
        if (r->clauses)
            memcpy(out->clause, r->clause, r->clauses * sizeof *r->clause);
        memcpy(out->function, r->function,
               (size_t)r->functions * r->learner->function_state * sizeof *r->function);
        if (r->learner->share)
            code = r->learner->share(r, out, err);
        else if (r->learner->rebuild)
            code = r->learner->rebuild(out, w, err);
    }
    if (code)
        thr_rule_clear(out);
    return code;
}

int thr_rule_ready(thr_rule *r, thr_weights *w, const thr_example *e, thr_error *err)
{
    thr_waiting *q = &r->wait;
    if (!thr_weights_is_listed(w))
        return 0;
    uint32_t moves = r->learner->learn ? 1 : r->policy->moves(r);
    if (!thr_grow(&q->function, &q->function_room, moves, sizeof *q->function) ||
        !thr_grow(&q->move, &q->move_room, moves, sizeof *q->move))
        return thr_fail_memory(err);
    return thr_weights_reserve(w, e, moves, err);
}

/* In a list only the functions that have an entry are converted. */
static int rescale_list(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                        thr_error *err)
{
    const thr_growth first = {.ratio = grown->ratio};
    thr_example one = *e, view;
    one.id += grown->feature;
    one.row += grown->feature;
    one.n = 1;
    int code = thr_weights_reserve(w, &one, 1, err);
    for (uint32_t f = 0; f < w->functions && code == 0; f++) {
        if (!thr_list_entry(w, thr_row_entries(one.row[0] + one.at), f))
            continue;
        thr_weights_open(w, &one, &f, 1);
        thr_weights_view(w, &one, 0, f, &view);
        r->learner->rescale(r, w, &view, &first, 1, f);
    }
    return code;
}

int thr_rule_rescale(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                     size_t n, thr_error *err)
{
    int code = 0;
    bool listed = thr_weights_is_listed(w);
    for (uint32_t f = 0; f < w->functions && !listed; f++)
        r->learner->rescale(r, w, e, grown, n, f);
    for (size_t k = 0; k < n && listed && code == 0; k++)
        code = rescale_list(r, w, e, &grown[k], err);
    return code;
}

/* A reversed function rises when the numbers that it holds fall. `whole` is the example, and e the
 * view of it that the learner is given. */
static void move_now(thr_rule *r, thr_weights *w, const thr_example *whole, const thr_example *e,
                     const thr_move *move)
{
    uint32_t f = move->function;
    if (r->moves)
        thr_moves_begin(r, w, whole, f, move->margin, move->step);
    r->learner->move(r, w, e, f, thr_rule_side(r, f) * move->step);
    if (r->moves)
        thr_moves_end(r, w, whole);
}

void thr_rule_move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double margin,
                   double step)
{
    thr_move move = {.function = f, .margin = margin, .step = step};
    if (!thr_weights_is_listed(w)) {
        move_now(r, w, e, e, &move);
        return;
    }
    r->wait.function[r->wait.n] = f;
    r->wait.move[r->wait.n++] = move;
}

/* Makes the moves that wait. The entries of all their functions are found in one pass over the
 * rows. */
static void move_waiting(thr_rule *r, thr_weights *w, const thr_example *e)
{
    thr_example view;
    if (r->wait.n == 0)
        return;
    thr_weights_open(w, e, r->wait.function, r->wait.n);
    for (uint32_t k = 0; k < r->wait.n; k++) {
        thr_weights_view(w, e, k, r->wait.function[k], &view);
        move_now(r, w, e, &view, &r->wait.move[k]);
    }
    r->wait.n = 0;
    thr_weights_close(w, e);
}

/* The view of e in which rows have function f, made and kept if rows are lists. */
static const thr_example *open_one(thr_weights *w, const thr_example *e, uint32_t f, thr_example *view)
{
    if (!thr_weights_is_listed(w))
        return e;
    thr_weights_open(w, e, &f, 1);
    thr_weights_view(w, e, 0, f, view);
    return view;
}

static void close_one(thr_weights *w, const thr_example *e)
{
    if (thr_weights_is_listed(w))
        thr_weights_close(w, e);
}

double thr_rule_measure(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f)
{
    thr_example view;
    double sum = r->learner->measure(r, w, open_one(w, e, f, &view), f);
    close_one(w, e);
    return sum;
}

void thr_rule_move_one(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double margin,
                       double step, const double *sum)
{
    thr_example view;
    const thr_example *one = open_one(w, e, f, &view);
    if (r->moves)
        thr_moves_begin(r, w, e, f, margin, step);
    if (sum)
        r->learner->move_measured(r, w, one, f, step, *sum);
    else
        r->learner->move(r, w, one, f, step);
    if (r->moves)
        thr_moves_end(r, w, e);
    close_one(w, e);
}

/* A rule that learns in its own way moves the function of the label. */
static bool learn_alone(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                        const double *live)
{
    thr_example view;
    if (!thr_weights_is_listed(w))
        return r->learner->learn(r, w, e, f, live);
    thr_weights_open(w, e, &f, 1);
    thr_weights_view(w, e, 0, f, &view);
    bool moved = r->learner->learn(r, w, &view, f, live);
    thr_weights_close(w, e);
    return moved;
}

bool thr_rule_teach(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double live,
                    int sign)
{
    double step = r->learner->step(r, e, sign * live, sign * thr_rule_side(r, f), 1);
    if (step == 0)
        return false;
    thr_rule_move(r, w, e, f, sign * live, sign * step);
    return true;
}

/* The margin handed to the rule is below 0, so it takes the step that it would take for a
 * mistake. */
bool thr_rule_push(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double live,
                   int sign)
{
    double missed = fmin(sign * live, -DBL_MIN); /* a margin below 0, if only just */
    double step = r->learner->step(r, e, missed, sign * thr_rule_side(r, f), 1);
    if (step != 0)
        thr_rule_move(r, w, e, f, missed, sign * step);
    move_waiting(r, w, e);
    if (r->learner->observe)
        r->learner->observe(r, e);
    r->clock += 1;
    return step != 0;
}

/* Three ways: the rule learns by itself (then it has no margin); one function serves two labels;
 * the policy moves several. The clock counts every example, whether or not the rule moved: averages
 * and rates depend on it. */
bool thr_rule_learn(thr_rule *r, thr_weights *w, const thr_example *e, bool shared, int sign,
                    const double *live)
{
    bool moved;
    if (r->learner->learn) {
        uint32_t f = shared || e->label == UINT32_MAX ? 0 : e->label;
        if (r->moves)
            thr_moves_begin(r, w, e, f, NAN, (double)e->importance);
        moved = learn_alone(r, w, e, f, live);
        if (r->moves && moved)
            thr_moves_end(r, w, e);
        else if (r->moves)
            thr_moves_undo(r);
    } else if (shared)
        moved = thr_rule_teach(r, w, e, 0, live[0], sign);
    else
        moved = r->policy->learn(r, w, e, e->label, live);
    move_waiting(r, w, e);
    if (r->learner->observe)
        r->learner->observe(r, e);
    r->clock += 1;
    return moved;
}
