/* The three games. All reasoning is about conjunctions; see protocol.h. */
#include "concepts/protocol.h"

#include "base/mathx.h"
#include "concepts/eliminator.h"

#include <stdlib.h>
#include <string.h>

/* ---- life --------------------------------------------------------------------------------- */

int thr_game_open(thr_game *g, size_t n, thr_concept target, bool disjunction, bool negated,
                  thr_error *err)
{
    *g = (thr_game){.n = n, .k = target.n, .disjunction = disjunction};
    g->allowed = negated ? THR_PLAIN | THR_INVERTED : disjunction ? THR_INVERTED : THR_PLAIN;
    g->target = calloc(n + 1, 1);
    g->left = calloc(n + 1, 1);
    g->needed = calloc(n + 1, 1);
    g->x = calloc(n + 1, sizeof *g->x);
    if (!g->target || !g->left || !g->needed || !g->x)
        return thr_fail_memory(err);
    memset(g->left, (int)g->allowed, n);
    for (uint32_t i = 0; i < target.n; i++)
        g->target[target.literal[i] / 2] =
            (target.literal[i] & 1) != disjunction ? THR_INVERTED : THR_PLAIN;
    return 0;
}

void thr_game_close(thr_game *g)
{
    free(g->target);
    free(g->left);
    free(g->needed);
    free(g->x);
    *g = (thr_game){0};
}

/* The literal of variable i that is false at the current point. */
static unsigned false_in(const thr_game *g, size_t i)
{
    return g->x[i] ? THR_INVERTED : THR_PLAIN;
}

/* The label of the current point under the conjunction, before it is inverted for a disjunction. */
static bool label_of(const thr_game *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->target[i] & false_in(g, i))
            return false;
    return true;
}

/* Reports the point to the caller, whose nonzero return value ends the game. */
static int tell(const thr_game *g, bool label, const char *what)
{
    return g->show ? g->show(g->user, g->x, g->n, label != g->disjunction, what) : 0;
}

bool thr_game_learned(const thr_game *g)
{
    return memcmp(g->left, g->target, g->n) == 0;
}

bool thr_game_sure(const thr_game *g)
{
    return memcmp(g->left, g->needed, g->n) == 0;
}

int thr_game_formula(const thr_game *g, thr_formula *out, thr_error *err)
{
    *out = (thr_formula){0};
    for (size_t i = 0; i < g->n; i++)
        for (unsigned l = THR_PLAIN; l <= THR_INVERTED; l++)
            if (g->left[i] & l) {
                if (!thr_grow(&out->literal, &out->room, out->n + 1, sizeof *out->literal))
                    return thr_fail_memory(err);
                bool negated = (l == THR_INVERTED) != g->disjunction;
                out->literal[out->n++] = (uint32_t)(2 * i + negated);
            }
    out->need = g->disjunction ? 1 : (uint32_t)out->n;
    return 0;
}

/* ---- I: the learner asks ------------------------------------------------------------------ */

/* Makes the literal of one variable false and those of all others true. The answer is no if and
 * only if that literal is in the target. */
int thr_game_ask(thr_game *g, thr_error *err)
{
    int code = 0;
    if (g->allowed == (THR_PLAIN | THR_INVERTED))
        return thr_fail(err, THR_EUSE,
                        "with negated literals no question is sure to be answered yes, and without "
                        "one it may take 2^k questions: the learner asks about monotone formulas "
                        "only");
    bool holds = g->allowed == THR_PLAIN;
    for (size_t i = 0; i < g->n; i++)
        g->x[i] = holds;
    for (size_t i = 0; i < g->n && code == 0; i++) {
        g->x[i] = !holds;
        bool label = label_of(g);
        g->queries++;
        if (label)
            g->left[i] = 0;
        else
            g->needed[i] = g->left[i];
        code = tell(g, label, "asked");
        g->x[i] = holds;
    }
    return code;
}

/* ---- II: a teacher shows ------------------------------------------------------------------ */

/* Shows the current point. A positive one excludes the literals that are false in it. A negative
 * one in which only one of the literals left is false proves that the target has that literal. */
static int show(thr_game *g)
{
    bool label = label_of(g);
    size_t violated = 0, which = 0;
    g->examples++;
    for (size_t i = 0; i < g->n; i++)
        if (label)
            g->left[i] &= (unsigned char)~false_in(g, i);
        else if (g->left[i] & false_in(g, i)) {
            violated++;
            which = i;
        }
    if (violated == 1)
        g->needed[which] |= g->left[which] & (unsigned char)false_in(g, which);
    return tell(g, label, "shown");
}

/* A positive point: all literals of the target are true, and the other variables are as given. */
static void set_positive(thr_game *g, bool others)
{
    for (size_t i = 0; i < g->n; i++)
        g->x[i] = g->target[i] ? g->target[i] == THR_PLAIN : others;
}

/* First positive examples that exclude everything outside the target: one, with the literals
 * outside the target false; with negated literals a second, with the other variables inverted. Then
 * one negative example for each literal of the target, in which only that literal is false. */
int thr_game_teach(thr_game *g, thr_error *err)
{
    (void)err;
    bool both = g->allowed == (THR_PLAIN | THR_INVERTED), full = g->k == g->n;
    int code = 0;
    set_positive(g, g->allowed == THR_INVERTED); /* literals outside the target are false */
    if (both || !full)
        code = show(g);
    if (both && !full && code == 0) {
        set_positive(g, true);
        code = show(g);
    }
    for (size_t i = 0; i < g->n && code == 0; i++)
        if (g->target[i]) {
            g->x[i] = !g->x[i];
            code = show(g);
            g->x[i] = !g->x[i];
        }
    return code;
}

/* ---- III: nature shows -------------------------------------------------------------------- */

/* Copies the literals of the eliminator into g->left, inverted for a disjunction. */
static void read_formula(const thr_eliminator *p, thr_game *g)
{
    for (size_t i = 0; i < g->n; i++) {
        unsigned has = thr_eliminator_literals(p, i);
        bool plain = has & (g->disjunction ? THR_HAS_NEGATED : THR_HAS_PLAIN);
        bool inverted = has & (g->disjunction ? THR_HAS_PLAIN : THR_HAS_NEGATED);
        g->left[i] = (unsigned char)((plain ? THR_PLAIN : 0) | (inverted ? THR_INVERTED : 0));
    }
}

/* Each literal of the target is true with probability 2^(-1/k), so all k are with probability 1/2.
 * The other variables are fair coins. */
static void draw(thr_game *g, thr_random *r, double p)
{
    for (size_t i = 0; i < g->n; i++) {
        double coin = thr_random_real(r);
        if (g->target[i])
            g->x[i] = (coin < p) == (g->target[i] == THR_PLAIN);
        else
            g->x[i] = coin < 0.5;
    }
}

int thr_game_nature(thr_game *g, uint64_t seed, uint64_t limit, thr_error *err)
{
    thr_eliminator p;
    thr_random random;
    bool both = g->allowed == (THR_PLAIN | THR_INVERTED);
    double chance = g->k ? thr_pow(2, -1 / (double)g->k) : 1;
    thr_random_init(&random, seed);
    int code = thr_eliminator_open(&p, g->n, g->disjunction, both, err);
    if (code == 0)
        read_formula(&p, g);
    while (code == 0 && g->examples < limit && !thr_game_learned(g)) {
        draw(g, &random, chance);
        bool label = label_of(g), wrong = thr_eliminator_learn(&p, g->x, label != g->disjunction);
        g->examples++;
        g->mistakes += wrong;
        if (wrong)
            read_formula(&p, g);
        code = tell(g, label, wrong ? "mistake" : "right");
    }
    thr_eliminator_close(&p);
    return code;
}

uint64_t thr_game_bound(const thr_game *g, const char *protocol)
{
    bool both = g->allowed == (THR_PLAIN | THR_INVERTED);
    if (strcmp(protocol, "ask") == 0)
        return g->n;
    if (strcmp(protocol, "teach") == 0)
        return g->k + (g->k < g->n) + both;
    return g->n - g->k + both;
}
