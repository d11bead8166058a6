/* The games: choosing an example, showing it, and repeating with other strategies. */
#include "lab/adversary.h"

#include <math.h>
#include <stdlib.h>

typedef struct game {
    const thr_adversary *adversary;
    thr_student student;
    thr_random random;
    thr_lab_example candidate, chosen;
    bool nearest; /* show the harmful example nearest to the edge; else a random one */
    thr_game_counts count;
} game;

/* Whether an example with y s = margin makes the learner update. */
static bool hurts(const thr_adversary *a, bool positive, double margin)
{
    if (margin == 0)
        return !(positive && a->ties_are_right) || a->margin > 0;
    return margin < 0 || margin < a->margin;
}

/* Chooses the example to show, in g->chosen, and returns its y s; NaN if no draw is harmful. A
 * random one is chosen by reservoir sampling: the i-th found replaces the choice with probability
 * 1/i. */
static double choose(game *g, const thr_strategy *way)
{
    const thr_adversary *a = g->adversary;
    double best = NAN, found = 0;
    for (size_t look = 0; look < way->looks; look++) {
        if (!way->draw(a->user, &g->student, &g->random, &g->candidate))
            continue;
        thr_lab_example drawn = g->candidate;
        double score = thr_student_scores(&g->student, drawn.key, drawn.x, drawn.n);
        double margin = drawn.positive ? score : -score;
        if (!hurts(a, drawn.positive, margin))
            continue;
        found++;
        bool better = g->nearest ? margin > best : thr_random_real(&g->random) * found < 1;
        if (isnan(best) || better) {
            best = margin;
            g->candidate = g->chosen; /* the next draw overwrites its arrays */
            g->chosen = drawn;
        }
    }
    return best;
}

/* Plays one game: shows the student one harmful example after the other. A strategy with one draw
 * per move knows the best move, so if it finds none there is no point in asking again. */
static int play(game *g, const thr_strategy *way)
{
    const thr_adversary *a = g->adversary;
    const thr_lab_example *c = &g->chosen;
    unsigned fruitless = 0, most = way->looks == 1 ? 1 : a->patience;
    for (uint64_t move = 0; move < a->moves && fruitless < most && !g->student.code; move++) {
        double margin = choose(g, way);
        fruitless = isnan(margin) ? fruitless + 1 : 0;
        if (isnan(margin))
            continue;
        bool wrong = thr_student_learns(&g->student, c->positive, c->key, c->x, c->n);
        g->count.missed += wrong && c->positive;
        g->count.alarms += wrong && !c->positive;
        g->count.squares += pow(fmax(0, 1 - margin), 2);
    }
    thr_stats stats = thr_student_stats(&g->student);
    g->count.examples = (double)stats.examples;
    g->count.updates = (double)stats.updates;
    g->count.mistakes = (double)stats.mistakes;
    return g->student.code;
}

static int attempt(game *g, unsigned number, thr_error *err)
{
    const thr_adversary *a = g->adversary;
    g->count = (thr_game_counts){0};
    g->nearest = number / a->strategies % 2 == 0;
    thr_random_init(&g->random, thr_mix64(a->seed) + number);
    if (a->begin)
        a->begin(a->user, &g->random);
    int code = thr_student_open(&g->student, a->learner, NULL, err);
    if (code == 0 && a->third) {
        int label = thr_model_declare_label(g->student.model, a->third, err);
        code = label < 0 ? label : 0;
    }
    if (code == 0)
        code = play(g, &a->strategy[number % a->strategies]);
    thr_student_close(&g->student);
    return code;
}

static bool make_case(thr_lab_example *c, size_t room)
{
    c->key = calloc(room, sizeof *c->key);
    c->x = calloc(room, sizeof *c->x);
    return c->key && c->x;
}

static void free_case(thr_lab_example *c)
{
    free(c->key);
    free(c->x);
}

static double aim_of(const thr_adversary *a, const thr_game_counts *d)
{
    return a->aim ? a->aim(d) : d->updates;
}

int thr_adversary_play(const thr_adversary *a, thr_game_counts *best, thr_error *err)
{
    game g = {.adversary = a};
    bool made = make_case(&g.candidate, a->room), both = make_case(&g.chosen, a->room);
    int code = made && both ? 0 : thr_fail_memory(err);
    *best = (thr_game_counts){0};
    for (unsigned i = 0; i < a->attempts && code == 0; i++) {
        code = attempt(&g, i, err);
        if (code == 0 && (i == 0 || aim_of(a, &g.count) > aim_of(a, best)))
            *best = g.count;
    }
    free_case(&g.candidate);
    free_case(&g.chosen);
    return code;
}

void thr_worst_keep(thr_worst *w, double count, double bound)
{
    if (!(w->bound > 0) || count * w->bound > w->count * bound)
        *w = (thr_worst){count, bound};
}
