/* The table of experiments, and the claims, charts and notes that an experiment records. */
#include "lab/lab.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const thr_experiment *const thr_experiments[] = {
    &thr_lab_growth,    &thr_lab_extremes,
    &thr_lab_margin,    &thr_lab_winnow,
    &thr_lab_xor,       &thr_lab_bayes,
    &thr_lab_averaging, &thr_lab_concepts,
    &thr_lab_experts,   &thr_lab_pac,
    &thr_lab_drift,     &thr_lab_noise,
    &thr_lab_remember,  NULL,
};

const thr_experiment *thr_experiment_find(const char *name)
{
    size_t i = 0;
    while (thr_experiments[i] && strcmp(thr_experiments[i]->name, name) != 0)
        i++;
    return thr_experiments[i];
}

/* ---- recording ---------------------------------------------------------------------------- */

static char *format_text(thr_lab *l, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = n < 0 ? NULL : thr_arena_take(&l->text, (size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    l->failed |= !text;
    return text;
}

static char *copy_text(thr_lab *l, const char *text)
{
    char *copy = thr_arena_copy(&l->text, text, strlen(text));
    l->failed |= !copy;
    return copy;
}

static bool makes_room(thr_lab *l, void *array, size_t *room, size_t need, size_t size)
{
    l->failed |= !thr_grow(array, room, need, size);
    return !l->failed;
}

void thr_lab_claims(thr_lab *l, enum thr_relation relation, double bound, double worst,
                    const char *format, ...)
{
    static const char *const sign[] = {"<=", ">=", "="};
    va_list args;
    va_start(args, format);
    char *text = format_text(l, format, args);
    va_end(args);
    bool holds = relation == THR_AT_MOST    ? worst <= bound
                 : relation == THR_AT_LEAST ? worst >= bound
                                            : !(worst < bound) && !(worst > bound);
    if (makes_room(l, &l->claim, &l->claim_room, l->claims + 1, sizeof *l->claim))
        l->claim[l->claims++] = (thr_lab_claim){.text = text,
                                                .relation = sign[relation],
                                                .bound = bound,
                                                .worst = worst,
                                                .holds = holds};
}

void thr_lab_draw(thr_lab *l, unsigned axes, const char *title, const char *x, const char *y)
{
    thr_drawing d = {.title = copy_text(l, title),
                     .x = copy_text(l, x),
                     .y = copy_text(l, y),
                     .log_x = axes & THR_LOG_X,
                     .log_y = axes & THR_LOG_Y};
    if (makes_room(l, &l->chart, &l->chart_room, l->charts + 1, sizeof *l->chart))
        l->chart[l->charts++] = d;
}

void thr_lab_categories(thr_lab *l, const char *const *names)
{
    if (!l->failed)
        l->chart[l->charts - 1].category = names;
}

void thr_lab_series(thr_lab *l, enum thr_series_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *name = format_text(l, format, args);
    va_end(args);
    if (makes_room(l, &l->series, &l->series_room, l->n_series + 1, sizeof *l->series))
        l->series[l->n_series++] =
            (thr_points_drawn){.name = name, .kind = kind, .chart = l->charts - 1};
}

void thr_lab_point(thr_lab *l, double x, double y)
{
    thr_points_drawn *s = l->failed ? NULL : &l->series[l->n_series - 1];
    if (!s || !makes_room(l, &s->x, &s->x_room, s->n + 1, sizeof *s->x) ||
        !makes_room(l, &s->y, &s->y_room, s->n + 1, sizeof *s->y))
        return;
    s->x[s->n] = x;
    s->y[s->n++] = y;
}

void thr_lab_say(thr_lab *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_text(l, format, args);
    va_end(args);
    if (makes_room(l, &l->note, &l->note_room, l->notes + 1, sizeof *l->note))
        l->note[l->notes++] = text;
}

int thr_lab_tell(thr_lab *l, double share, thr_error *err)
{
    if (l->failed)
        return thr_fail_memory(err);
    l->told = share;
    return l->tell && l->tell(l->tell_user, share) ? thr_fail(err, THR_ECANCEL, "stopped") : 0;
}

/* ---- running ------------------------------------------------------------------------------ */

int thr_lab_perform(thr_lab *l, const thr_experiment *x, uint64_t seed, thr_error *err)
{
    l->experiment = x;
    l->seed = seed;
    int code = x->run(l, err);
    return code ? code : thr_lab_tell(l, 1, err);
}

void thr_lab_clear(thr_lab *l)
{
    for (size_t i = 0; i < l->n_series; i++) {
        free(l->series[i].x);
        free(l->series[i].y);
    }
    free(l->series);
    free(l->claim);
    free(l->chart);
    free(l->note);
    thr_arena_clear(&l->text);
    *l = (thr_lab){0};
}

/* ---- reading ------------------------------------------------------------------------------ */

static thr_lab_info info_of(const thr_experiment *x)
{
    return (thr_lab_info){x->name, x->title, x->claim};
}

bool thr_lab_at(size_t i, thr_lab_info *out)
{
    if (i + 1 >= sizeof thr_experiments / sizeof *thr_experiments)
        return false;
    *out = info_of(thr_experiments[i]);
    return true;
}

void thr_lab_about(const thr_lab *l, thr_lab_info *out)
{
    *out = info_of(l->experiment);
}

bool thr_lab_claim_at(const thr_lab *l, size_t i, thr_lab_claim *out)
{
    if (i < l->claims)
        *out = l->claim[i];
    return i < l->claims;
}

bool thr_lab_holds(const thr_lab *l)
{
    size_t i = 0;
    while (i < l->claims && l->claim[i].holds)
        i++;
    return i == l->claims;
}

bool thr_lab_chart_at(const thr_lab *l, size_t i, thr_lab_chart *out)
{
    if (i >= l->charts)
        return false;
    const thr_drawing *d = &l->chart[i];
    *out = (thr_lab_chart){.title = d->title,
                           .x = d->x,
                           .y = d->y,
                           .log_x = d->log_x,
                           .log_y = d->log_y,
                           .categories = d->category};
    return true;
}

bool thr_lab_series_at(const thr_lab *l, size_t chart, size_t i, thr_series *out)
{
    for (size_t k = 0; k < l->n_series; k++) {
        const thr_points_drawn *s = &l->series[k];
        if (s->chart == chart && i-- == 0) {
            *out = (thr_series){s->name, s->kind, s->x, s->y, s->n};
            return true;
        }
    }
    return false;
}

const char *thr_lab_note(const thr_lab *l, size_t i)
{
    return i < l->notes ? l->note[i] : NULL;
}
