/* The text output of thresh trace. If there is one function with few weights, each example is a
 * line and each weight a column, as in a textbook. Otherwise, or if that table is wider than the
 * line, each example has a small table of its own. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *trace_number(double value, char out[32])
{
    bool whole = value == rint(value) && fabs(value) < 1e9;
    snprintf(out, 32, whole ? "%.0f" : "%.4g", value == 0 ? 0 : value);
    return isnan(value) ? "" : out;
}

char *trace_feature(const thr_model *m, size_t feature)
{
    size_t n = thr_model_feature(m, feature, NULL, 0);
    char *name = malloc(n + 1);
    if (name)
        thr_model_feature(m, feature, name, n + 1);
    return name;
}

/* ---- a grid of cells ---------------------------------------------------------------------- */

typedef struct grid {
    char **cell; /* [row][column], owned; NULL: empty */
    size_t columns, rows, room;
    bool failed; /* out of memory; checked once at the end */
} grid;

static void grid_clear(grid *g)
{
    for (size_t i = 0; i < g->rows * g->columns; i++)
        free(g->cell[i]);
    free(g->cell);
}

static size_t add_row(grid *g)
{
    if ((g->rows + 1) * g->columns > g->room) {
        size_t room = 2 * (g->rows + 8) * g->columns;
        char **grown = realloc(g->cell, room * sizeof *grown);
        g->failed |= !grown;
        if (!grown)
            return 0;
        g->cell = grown;
        g->room = room;
    }
    for (size_t c = 0; c < g->columns; c++)
        g->cell[g->rows * g->columns + c] = NULL;
    return g->rows++;
}

static void put(grid *g, size_t row, size_t column, const char *text)
{
    if (g->failed)
        return;
    char **cell = &g->cell[row * g->columns + column];
    free(*cell);
    *cell = strdup(text);
    g->failed |= !*cell;
}

static void put_number(grid *g, size_t row, size_t column, double value)
{
    char number[32];
    put(g, row, column, trace_number(value, number));
}

/* The number of UTF-8 characters. */
static size_t length(const char *text)
{
    size_t n = 0;
    for (; text && *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static size_t width_of(const grid *g, size_t column)
{
    size_t most = 0;
    for (size_t r = 0; r < g->rows; r++) {
        size_t n = length(g->cell[r * g->columns + column]);
        most = n > most ? n : most;
    }
    return most;
}

/* `kinds` has a letter for each column, l or r for the alignment; its last letter holds for all
 * further columns. Empty cells at the end of a row are left out. */
static void print_row(const grid *g, size_t row, const char *kinds)
{
    const char *const *cell = (const char *const *)g->cell + row * g->columns;
    size_t last = g->columns;
    while (last && !cell[last - 1])
        last--;
    for (size_t c = 0; c < last; c++) {
        size_t width = width_of(g, c);
        if (width == 0)
            continue;
        bool right = kinds[c < strlen(kinds) ? c : strlen(kinds) - 1] == 'r';
        size_t n = length(cell[c]), gap = (c + 1 < last || right) && width > n ? width - n : 0;
        printf("%*s%s%*s", right ? (int)gap : 0, "", cell[c] ? cell[c] : "", right ? 0 : (int)gap,
               "");
        if (c + 1 < last)
            fputs("  ", stdout);
    }
    putchar('\n');
}

/* ---- one line for each example ------------------------------------------------------------ */

enum { NUMBER, EXAMPLE, TRUTH, SCORE, REST, SAID, MISTAKE, STEPS, WEIGHTS };
static const char kinds[] = "rllrrlllr"; /* alignment; WEIGHTS and all after it: right */

#define LONGEST_EXAMPLE 32

static void put_heads(grid *g, const trace_book *b)
{
    const thr_trace_step *s = &b->step[0].s;
    size_t row = add_row(g);
    static const char *const heads[] = {"#",    "example", "label", "score",
                                        "rest", "said",    "",      "step"};
    for (size_t c = 0; c < WEIGHTS; c++)
        put(g, row, c, heads[c]);
    for (size_t i = 0; i < s->n_features; i++) {
        char *name = trace_feature(b->m, s->features[i]);
        if (!name)
            g->failed = true;
        else
            put(g, row, WEIGHTS + i, cli_shown(name));
        if (name && s->live_before)
            put(g, row, WEIGHTS + s->n_features + 1 + i, cli_shown(name));
        free(name);
    }
    if (s->live_before)
        put(g, row, WEIGHTS + s->n_features, "|");
}

static void put_weights(grid *g, size_t row, const thr_trace_step *s, const double *shown,
                        const double *live)
{
    for (size_t i = 0; i < s->n_features; i++) {
        put_number(g, row, WEIGHTS + i, shown[i]);
        if (live)
            put_number(g, row, WEIGHTS + s->n_features + 1 + i, live[i]);
    }
    if (live)
        put(g, row, WEIGHTS + s->n_features, "|");
}

static void put_step(grid *g, const trace_step *t, bool number)
{
    const thr_trace_step *s = &t->s;
    const char *example = t->example;
    char cut[LONGEST_EXAMPLE * 4 + 8];
    if (length(example) > LONGEST_EXAMPLE) { /* is shortened, at a character boundary */
        size_t at = 0;
        for (size_t n = 0; n < LONGEST_EXAMPLE - 3 && example[at]; n++) {
            at++;
            while (((unsigned char)example[at] & 0xc0) == 0x80)
                at++;
        }
        at = at < sizeof cut - 4 ? at : sizeof cut - 4;
        snprintf(cut, sizeof cut, "%.*s...", (int)at, example);
        example = cut;
    }
    size_t row = add_row(g);
    put_number(g, row, NUMBER, (double)s->number);
    put(g, row, EXAMPLE, example);
    put(g, row, TRUTH, cli_shown(s->truth));
    put_number(g, row, SCORE, s->score);
    put_number(g, row, REST, s->rest[0]);
    put(g, row, SAID, !number && s->predicted ? cli_shown(s->predicted) : "");
    put(g, row, MISTAKE, s->mistake && !number ? "mistake" : "");
    put(g, row, STEPS, t->steps);
    put_weights(g, row, s, s->after, s->live_after);
}

/* Whether any score has a part that no feature contributes, such as a threshold or a prior. */
static bool any_rest(const trace_book *b)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t c = 0; c < b->step[i].s.columns; c++)
            if (b->step[i].s.rest[c] != 0)
                return true;
    return false;
}

static void drop_column(grid *g, size_t column)
{
    for (size_t r = 0; r < g->rows; r++) {
        free(g->cell[r * g->columns + column]);
        g->cell[r * g->columns + column] = NULL;
    }
}

/* Fills the table with a line per example. Returns false if this layout is not possible: several
 * functions, too many features, or wider than the line. */
static bool fill_lines(const trace_book *b, grid *g)
{
    const thr_trace_step *s = &b->step[0].s;
    bool number = thr_model_regression(b->m);
    if (!s->all || !s->before || s->columns != 1 || !(s->positive || number))
        return false;
    g->columns = WEIGHTS + s->n_features + (s->live_before ? s->n_features + 1 : 0);
    put_heads(g, b);
    size_t row = add_row(g);
    put_weights(g, row, s, s->before, s->live_before);
    for (size_t i = 0; i < b->n; i++)
        put_step(g, &b->step[i], number);
    if (!any_rest(b))
        drop_column(g, REST);
    if (number)
        drop_column(g, SAID);
    /* Columns are separated by two blanks; a column with only empty cells takes no room. */
    size_t all = 0;
    for (size_t c = 0; c < g->columns && !g->failed; c++)
        all += width_of(g, c) ? width_of(g, c) + 2 : 0;
    return g->failed || all <= b->width + 2;
}

static void print_lines(const trace_book *b, const grid *g)
{
    unsigned pass = 1;
    const thr_trace_step *s = &b->step[0].s;
    const char *rest = any_rest(b) ? " + rest" : "";
    if (s->positive)
        printf("score: sum of weight times value%s; %s is predicted if it is at least 0\n", rest,
               cli_shown(s->positive));
    else
        printf("score: sum of weight times value%s, which is the number predicted\n", rest);
    puts("step: size and direction of the update; empty if there was none");
    if (s->live_before)
        puts("weights: after each example; the line above has those before it. Left of | are the "
             "weights\n"
             "         used for prediction, right of it those that updates change");
    else
        puts("weights: after each example; the line above has those before it");
    putchar('\n');
    for (size_t r = 0; r < g->rows; r++) {
        if (r >= 2 && b->step[r - 2].s.pass != pass) {
            pass = b->step[r - 2].s.pass;
            printf("pass %u\n", pass);
        }
        print_row(g, r, kinds);
    }
}

/* ---- a table for each example ------------------------------------------------------------- */

/* Prints words, broken into indented lines. */
static void print_wrapped(const char *text, size_t indent, size_t width)
{
    size_t at = indent;
    printf("%*s", (int)indent, "");
    while (*text) {
        size_t n = strcspn(text, " ");
        char word[4096];
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), text);
        if (at > indent && at + length(word) + 1 > width) {
            printf("\n%*s", (int)indent, "");
            at = indent;
        }
        printf("%s%s", at > indent ? " " : "", word);
        at += length(word) + (at > indent);
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

/* `score 2`, or with several labels `scores a 2, b 0`. Returns false if out of memory. */
static bool print_scores(const trace_book *b, const thr_trace_step *s)
{
    char *text = NULL, number[32];
    size_t n = 0;
    if (s->columns == 0)
        return true;
    FILE *to = open_memstream(&text, &n);
    if (!to)
        return false;
    fputs(s->columns == 1 ? "score" : "scores", to);
    for (size_t c = 0; c < s->columns; c++) {
        if (s->columns > 1)
            fprintf(to, "%s %s", c ? "," : "", cli_shown(thr_model_label(b->m, c)));
        fprintf(to, " %s", trace_number(s->scores[c], number));
        if (s->rest[c] != 0)
            fprintf(to, " (rest %s)", trace_number(s->rest[c], number));
    }
    bool done = !ferror(to);
    done &= fclose(to) == 0;
    if (done)
        print_wrapped(text, 6, b->width);
    free(text);
    return done;
}

/* `1 -> 2`, or `1` if the weight did not change or is new. */
static void put_change(grid *g, size_t row, size_t column, double before, double after)
{
    char from[32], to[32], text[80];
    trace_number(before, from);
    trace_number(after, to);
    bool same = before == after || isnan(before);
    snprintf(text, sizeof text, same ? "%s%s%s" : "%s -> %s%s", same ? "" : from, to, "");
    put(g, row, column, text);
}

static void put_feature(grid *g, const trace_book *b, const thr_trace_step *s, size_t i)
{
    size_t row = add_row(g), n = s->columns_after;
    char *name = trace_feature(b->m, s->features[i]);
    if (!name) {
        g->failed = true;
        return;
    }
    put(g, row, 0, cli_shown(name));
    free(name);
    put_number(g, row, 1, s->values[i]);
    for (size_t c = 0; c < n; c++)
        put_change(g, row, 2 + c, c < s->columns ? s->before[i * s->columns + c] : NAN,
                   s->after[i * n + c]);
    if (s->live_before)
        put_change(g, row, 2 + n, s->live_before[i], s->live_after[i]);
}

static bool print_weights_of(const trace_book *b, const thr_trace_step *s)
{
    grid g = {.columns = 2 + s->columns_after + 1};
    size_t row = add_row(&g), n = s->columns_after;
    put(&g, row, 0, "feature");
    put(&g, row, 1, "value");
    for (size_t c = 0; c < n && n > 1; c++)
        put(&g, row, 2 + c, cli_shown(thr_model_label(b->m, c)));
    if (n == 1)
        put(&g, row, 2, "weight");
    if (s->live_before)
        put(&g, row, 2 + n, "what steps move");
    for (size_t i = 0; i < s->n_features; i++)
        if (s->values[i] != 0 || b->all_weights)
            put_feature(&g, b, s, i);
    for (size_t r = 0; r < g.rows && !g.failed; r++) {
        fputs("      ", stdout);
        print_row(&g, r, "lrll");
    }
    grid_clear(&g);
    return !g.failed;
}

static bool print_blocks(const trace_book *b)
{
    bool done = true;
    unsigned pass = 1;
    puts("Each example with its prediction, made before the label was used, and the size of the\n"
         "update; below it, its features and their weights before and after.\n");
    for (size_t i = 0; i < b->n && done; i++) {
        const thr_trace_step *s = &b->step[i].s;
        if (s->pass != pass) {
            pass = s->pass;
            printf("pass %u\n", pass);
        }
        printf("%4llu  label %s", (unsigned long long)s->number, cli_shown(s->truth));
        if (!thr_model_regression(b->m))
            printf("  said %s%s", s->predicted ? cli_shown(s->predicted) : "nothing",
                   s->mistake ? "  mistake" : "");
        if (*b->step[i].steps)
            printf("  step %s", b->step[i].steps);
        putchar('\n');
        print_wrapped(b->step[i].example, 6, b->width);
        done = print_scores(b, s) && (!s->before || print_weights_of(b, s));
    }
    return done;
}

int trace_table(const trace_book *b)
{
    grid g = {0};
    bool done = true;
    if (b->n == 0)
        return 0;
    printf("learner    %s\n", thr_model_setting(b->m, "learner"));
    if (fill_lines(b, &g) && !g.failed)
        print_lines(b, &g);
    else if (!g.failed)
        done = print_blocks(b);
    done &= !g.failed;
    grid_clear(&g);
    return done ? 0 : cli_no_memory();
}
