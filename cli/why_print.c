/* The output of thresh why: the moves of each feature and rule, as text or JSON. */
#include "why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- order -------------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b)
{
    const why_move *x = a, *y = b;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Largest change first within a feature and rule; moves without a change keep their order. */
static int by_size(const void *a, const void *b)
{
    const why_move *x = a, *y = b;
    bool alike = x->feature == y->feature && x->rule == y->rule;
    if (alike && fabs(x->by) != fabs(y->by) && !isnan(x->by) && !isnan(y->by))
        return fabs(x->by) > fabs(y->by) ? -1 : 1;
    return in_order(a, b);
}

/* ---- output ------------------------------------------------------------------------------- */

/* The moves of one feature by one rule, a slice of the sorted moves. */
typedef struct part {
    const why_move *at;
    size_t n, feature, rule;
    uint64_t examples; /* different ones among them */
    double *weight;    /* per label; NULL: the rule has no weights, or not for this feature */
} part;

static int by_example(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* False: out of memory. */
static bool count_examples(const why_move *at, size_t n, uint64_t *different)
{
    uint64_t *all = calloc(n + 1, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < n; i++)
        all[i] = at[i].example;
    qsort(all, n, sizeof *all, by_example);
    *different = 0;
    for (size_t i = 0; i < n; i++)
        *different += i == 0 || all[i] != all[i - 1];
    free(all);
    return true;
}

/* Whether the sum for this label is printed: that of --label; else of the labels that moves are
 * shown for; without any move, of the positive label or of all. */
static bool is_summed(const why_inquiry *q, const part *p, size_t label)
{
    if (q->only_label != WHY_NO_LABEL || thr_model_regression(q->m))
        return label == q->only_label || thr_model_regression(q->m);
    int positive = thr_model_positive(q->m);
    for (size_t i = 0; i < p->n; i++)
        if (p->at[i].label == label || (p->at[i].against == label && positive < 0))
            return true;
    return p->n == 0 && (positive < 0 || (size_t)positive == label);
}

static const char *label_name(const why_inquiry *q, size_t label)
{
    return label == WHY_NO_LABEL ? NULL : thr_model_label(q->m, label);
}

static void json_word(cli_json *j, const char *key, const char *keys, const why_word *w)
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

static void json_move(const why_inquiry *q, const why_move *m, cli_json *j)
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

static void print_json(const why_inquiry *q, const part *p)
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
        cli_json_real(&j, "sum", p->weight ? *why_sum(q, p->feature, p->rule, l) : NAN);
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

/* `before` is put before labels, not before a number. */
static void word_text(const why_word *w, const char *before, char *out, size_t room)
{
    const char *at = w->text;
    snprintf(out, room, "%s", before);
    for (size_t i = 0, n; i < w->n; i++, at += strlen(at) + 1) {
        n = strlen(out);
        snprintf(out + n, room - n, "%s%s", i ? "," : "", cli_shown(at));
    }
    if (!isnan(w->number))
        snprintf(out, room, "%.6g", w->number);
    else if (!w->n)
        snprintf(out, room, "-");
}

/* The text of a column whose width depends on its contents. A label that was promoted or demoted is
 * written with its sign, as thresh online reads it. */
static const char *column(const why_move *m, int which, char *out, size_t room)
{
    const char *pushed = m->pushed > 0 ? "+ " : m->pushed < 0 ? "- " : "";
    if (which == TRUTH)
        word_text(&m->truth, pushed, out, room);
    else if (which == PREDICTION)
        word_text(&m->prediction, "", out, room);
    else if (m->file)
        snprintf(out, room, "%s:%llu", cli_shown(m->file), (unsigned long long)m->line);
    else
        snprintf(out, room, "-");
    return out;
}

static void print_move(const why_inquiry *q, const why_move *m, const int *width)
{
    char text[256];
    printf("  %9llu", (unsigned long long)m->example);
    for (int c = 0; c < COLUMNS; c++)
        printf("  %-*s", width[c], column(m, c, text, sizeof text));
    if (isnan(m->by))
        printf("  %11s  %11s", "kept", "");
    else
        printf("  %+11.6g  %+11.6g", m->by + 0.0, m->sum + 0.0);
    if (m->label != WHY_NO_LABEL)
        printf("  %s", cli_shown(label_name(q, m->label)));
    if (m->against != WHY_NO_LABEL)
        printf(" over %s", cli_shown(label_name(q, m->against)));
    if (m->tag)
        printf("  (%s)", cli_shown(m->tag));
    putchar('\n');
}

static void print_summary(const why_inquiry *q, const part *p)
{
    printf("  moved %zu time%s by %llu example%s", p->n, cli_s(p->n),
           (unsigned long long)p->examples, cli_s(p->examples));
    if (!p->weight && q->number[p->feature] == SIZE_MAX)
        printf("; the model no longer has this feature");
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
               *why_sum(q, p->feature, p->rule, l) + 0.0, name ? " for " : "",
               name ? cli_shown(name) : "", p->weight[l] + 0.0);
    }
}

static void print_text(const why_inquiry *q, const part *p)
{
    static const char *const heads[COLUMNS] = {"place", "truth", "prediction"};
    int width[COLUMNS];
    char text[256];
    for (int c = 0; c < COLUMNS; c++)
        width[c] = (int)strlen(heads[c]);
    for (size_t i = 0; i < p->n && i < q->top; i++)
        for (int c = 0; c < COLUMNS; c++) {
            int n = (int)strlen(column(&p->at[i], c, text, sizeof text));
            width[c] = n > width[c] ? n : width[c];
        }
    printf("%s, by %s\n", cli_shown(q->feature[p->feature]), thr_model_member(q->m, p->rule));
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

int why_print(const why_inquiry *q)
{
    double *weight = calloc(q->labels, sizeof *weight);
    size_t at = 0;
    bool ok = true;
    if (!weight)
        return cli_no_memory();
    if (q->n)
        qsort(q->moves, q->n, sizeof *q->moves, q->by_size ? by_size : in_order);
    for (size_t f = 0; f < q->features && ok; f++)
        for (size_t r = 0; r < q->rules && ok; r++) {
            thr_error err = {0};
            part p = {.at = q->n ? q->moves + at : NULL, .feature = f, .rule = r};
            for (; at < q->n && q->moves[at].feature == f && q->moves[at].rule == r; at++)
                p.n++;
            if (q->only_rule != SIZE_MAX && r != q->only_rule)
                continue;
            bool weighs = thr_model_member_weights(q->m, r, q->number[f], weight, &err) == 0;
            p.weight = weighs ? weight : NULL;
            ok = count_examples(p.at, p.n, &p.examples) && err.code != THR_EMEM;
            if (!ok)
                break;
            if (cli_has(q->a, "json"))
                print_json(q, &p);
            else
                print_text(q, &p);
        }
    free(weight);
    return ok ? 0 : cli_no_memory();
}
