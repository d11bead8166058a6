/* The tables of losses and algorithms, checking of options, and creating and freeing. */
#include "experts/experts.h"

#include "base/number.h"
#include "measure/hedge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LN2 0x1.62e42fefa39efp-1 /* beta = 1/2 */
/* Outside this range a rate is useless: exp(-eta), the factor of a mistake, would be nearly 1 or
 * nearly 0. */
#define LEAST_ETA 1e-6
#define MOST_ETA  100.0

static double absolute(double prediction, double truth)
{
    return fabs(prediction - truth);
}

static double square(double prediction, double truth)
{
    return (prediction - truth) * (prediction - truth);
}

static const thr_loss losses[] = {
    {"label", {[THR_VOTE] = true, [THR_EXPECTED] = true, [THR_DRAWN] = true}, NULL, LN2, 0},
    {"absolute", {[THR_MEAN] = true, [THR_EXPECTED] = true, [THR_DRAWN] = true}, absolute, LN2, 0},
    {"square", {[THR_MEAN] = true, [THR_EXPECTED] = true, [THR_DRAWN] = true}, square, 0.5, 0.5},
    {"given", {[THR_EXPECTED] = true, [THR_DRAWN] = true}, NULL, LN2, 0},
};

static const thr_algorithm algorithms[] = {
    {"majority", {[THR_VOTE] = true}, false, false},
    {"random", {[THR_EXPECTED] = true, [THR_DRAWN] = true}, true, false},
    {"hedge", {[THR_EXPECTED] = true, [THR_MEAN] = true}, true, false},
    {"share", {[THR_VOTE] = true, [THR_MEAN] = true, [THR_EXPECTED] = true}, false, true},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SHARE        0.01 /* default */

/* ---- options ------------------------------------------------------------------------------ */

void thr_experts_defaults(thr_experts_options *o)
{
    *o = (thr_experts_options){.share = SHARE, .switches = 3, .seed = 1};
}

/* Fills in defaults and checks the result. In a zeroed struct `switches` is 0, which is meaningful
 * and stays: the comparison is then with the best single expert. */
static int complete(const thr_experts_options *given, size_t n, thr_experts_options *o,
                    thr_error *err)
{
    thr_experts_defaults(o);
    if (given)
        *o = *given;
    o->share = o->share == 0 ? SHARE : o->share;
    int code = THR_CHECK_RESERVED(thr_experts_options, o, err);
    if (code)
        return code;
    if (n == 0 || n > UINT32_MAX / 4)
        return thr_fail(err, THR_EUSE, "there can be 1 to %lu experts, not %zu",
                        (unsigned long)UINT32_MAX / 4, n);
    if (o->eta != 0 && !(o->eta >= LEAST_ETA && o->eta <= MOST_ETA))
        return thr_fail(err, THR_EUSE, "eta must be from %g to %g, not %g", LEAST_ETA, MOST_ETA,
                        o->eta);
    if (!(o->share > 0 && o->share < 1))
        return thr_fail(err, THR_EUSE, "share must be between 0 and 1, not %g", o->share);
    return 0;
}

const thr_loss *thr_loss_find(const char *name, thr_error *err)
{
    for (size_t i = 0; i < COUNT(losses); i++)
        if (!name || strcmp(losses[i].name, name) == 0)
            return &losses[i];
    thr_fail(err, THR_EUSE, "there is no loss '%s'; there are label, absolute, square and given",
             name);
    return NULL;
}

static bool list_has(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (strncmp(list, name, n) == 0 && (list[n] == ',' || list[n] == '\0'))
            return true;
    return false;
}

bool thr_experts_has(const thr_experts *e, const thr_algorithm *a, enum thr_form form)
{
    return a->form[form] && e->loss->form[form];
}

static bool fits(const thr_experts *e, const thr_algorithm *a)
{
    bool any = false;
    for (enum thr_form f = 0; f < THR_FORMS; f++)
        any = any || thr_experts_has(e, a, f);
    return any;
}

/* Checks that every name in the list is a known algorithm and fits the loss. */
static int check_algorithms(const thr_experts *e, const char *list, thr_error *err)
{
    while (list) {
        size_t n = strcspn(list, ",");
        const thr_algorithm *a = NULL;
        for (size_t i = 0; i < COUNT(algorithms) && !a; i++)
            if (strlen(algorithms[i].name) == n && memcmp(algorithms[i].name, list, n) == 0)
                a = &algorithms[i];
        if (!a)
            return thr_fail(err, THR_EUSE,
                            "there is no algorithm '%.*s'; there are majority, random, hedge and "
                            "share",
                            (int)(n < 100 ? n : 100), list);
        if (!fits(e, a))
            return thr_fail(err, THR_EUSE,
                            "%s is a vote among labels and cannot be had with loss %s; there are "
                            "random, hedge and share",
                            a->name, e->loss->name);
        list = list[n] ? list + n + 1 : NULL;
    }
    return 0;
}

/* ---- creating ----------------------------------------------------------------------------- */

static bool add_player(thr_experts *e, const thr_algorithm *a, const thr_experts_options *o)
{
    thr_player *p = &e->player[e->players++];
    *p = (thr_player){
        .algorithm = a,
        .eta = o->eta > 0 ? o->eta : e->loss->eta,
        .share = a->shares ? o->share : 0,
        .adapts = a->adapts && o->adapt,
        .mean = NAN,
    };
    p->log_weight = calloc(e->n, sizeof *p->log_weight);
    p->chance = calloc(e->n, sizeof *p->chance);
    if (!p->log_weight || !p->chance)
        return false;
    thr_hedge_start(p->log_weight, e->n);
    for (enum thr_form f = 0; f < THR_FORMS; f++) {
        p->choice[f] = e->n;
        if (thr_experts_has(e, a, f))
            e->row[e->rows++] = (struct thr_row){e->players - 1, f};
    }
    return true;
}

static bool add_players(thr_experts *e, const thr_experts_options *o)
{
    e->player = calloc(COUNT(algorithms), sizeof *e->player);
    e->row = calloc(COUNT(algorithms) * THR_FORMS, sizeof *e->row);
    if (!e->player || !e->row)
        return false;
    for (size_t i = 0; i < COUNT(algorithms); i++) {
        const thr_algorithm *a = &algorithms[i];
        if (fits(e, a) && (!o->algorithms || list_has(o->algorithms, a->name)) &&
            !add_player(e, a, o))
            return false;
    }
    return true;
}

/* Allocates what is kept for each expert, and its name: as given, or else its number. */
static bool make_room(thr_experts *e, const char *const *names)
{
    size_t n = e->n;
    for (e->slots = 4; e->slots < 2 * n;)
        e->slots *= 2;
    thr_secret_draw(&e->secret);
    e->silent = calloc(n, sizeof *e->silent);
    e->number = calloc(n, sizeof *e->number);
    e->label = calloc(n, sizeof *e->label);
    e->opinion = calloc(n, sizeof *e->opinion);
    e->round_loss = calloc(n, sizeof *e->round_loss);
    e->scratch = calloc(n, sizeof *e->scratch);
    e->table = calloc(e->slots, sizeof *e->table);
    e->total = calloc(n, sizeof *e->total);
    e->silences = calloc(n, sizeof *e->silences);
    if (!e->silent || !e->number || !e->label || !e->opinion || !e->round_loss || !e->scratch ||
        !e->table || !e->total || !e->silences)
        return false;
    e->name = calloc(n, sizeof *e->name);
    for (size_t i = 0; e->name && i < n; i++) {
        char number[24];
        number[thr_print_u64(i + 1, number)] = '\0';
        if (!(e->name[i] = strdup(names ? names[i] : number)))
            return false;
    }
    return e->name;
}

thr_experts *thr_experts_new(size_t n, const char *const *names, const thr_experts_options *given,
                             thr_error *err)
{
    thr_experts_options full;
    if (complete(given, n, &full, err))
        return NULL;
    const thr_experts_options *o = &full;
    thr_experts *e = calloc(1, sizeof *e);
    if (!e) {
        thr_fail_memory(err);
        return NULL;
    }
    e->n = n;
    thr_random_init(&e->random, thr_mix64(o->seed));
    if (!(e->loss = thr_loss_find(o->loss, err)) || check_algorithms(e, o->algorithms, err) ||
        thr_sequence_init(&e->sequence, n, o->switches, err))
        goto failed;
    if (make_room(e, names) && add_players(e, o))
        return e;
    thr_fail_memory(err);
failed:
    thr_experts_free(e);
    return NULL;
}

void thr_experts_free(thr_experts *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->players; i++) {
        free(e->player[i].log_weight);
        free(e->player[i].chance);
    }
    for (size_t i = 0; e->name && i < e->n; i++)
        free(e->name[i]);
    free(e->player);
    free(e->row);
    free(e->name);
    thr_sequence_clear(&e->sequence);
    free(e->silent);
    free(e->number);
    free(e->label);
    free(e->opinion);
    free(e->round_loss);
    free(e->scratch);
    free(e->table);
    free(e->total);
    free(e->silences);
    free(e);
}
