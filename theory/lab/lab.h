/* The lab: experiments that put claims of the theory to the test. An experiment is one file and one
 * row of the table in lab.c. Its data depends on the seed alone. It records what is claimed, what
 * it measured, and its charts. The lab uses models only through the public interface, as any caller
 * would.
 *
 *   claim    a sentence, a bound, the worst case measured, and the relation they must have
 *   chart    series of points over two axes
 *   note     a paragraph that explains the result
 *
 * Running out of memory is remembered in `failed` and reported when the experiment ends, so that an
 * experiment need not check every call. */
#ifndef THR_LAB_LAB_H
#define THR_LAB_LAB_H

#include "base/error.h"
#include "base/mem.h"

#include "thresh_theory.h"

typedef struct thr_experiment {
    const char *name, *title, *claim; /* the claim in one sentence is the headline */
    double seconds;                   /* approximate duration, for the progress bar */
    int (*run)(thr_lab *l, thr_error *err);
} thr_experiment;

extern const thr_experiment *const thr_experiments[]; /* NULL-terminated */
extern const thr_experiment thr_lab_growth;
extern const thr_experiment thr_lab_extremes;
extern const thr_experiment thr_lab_margin;
extern const thr_experiment thr_lab_winnow;
extern const thr_experiment thr_lab_xor;
extern const thr_experiment thr_lab_bayes;
extern const thr_experiment thr_lab_averaging;
extern const thr_experiment thr_lab_concepts;
extern const thr_experiment thr_lab_experts;
extern const thr_experiment thr_lab_pac;
extern const thr_experiment thr_lab_drift;
extern const thr_experiment thr_lab_noise;
extern const thr_experiment thr_lab_remember;

enum thr_relation { THR_AT_MOST, THR_AT_LEAST, THR_EXACTLY };

typedef struct thr_points_drawn {
    char *name;
    enum thr_series_kind kind;
    size_t chart;
    double *x, *y;
    size_t n, x_room, y_room;
} thr_points_drawn;

typedef struct thr_drawing {
    char *title, *x, *y;
    const char *const *category;
    bool log_x, log_y;
} thr_drawing;

struct thr_lab {
    const thr_experiment *experiment;
    uint64_t seed;
    thr_arena text;
    thr_lab_claim *claim;
    size_t claims, claim_room;
    thr_drawing *chart;
    size_t charts, chart_room;
    thr_points_drawn *series;
    size_t n_series, series_room;
    char **note;
    size_t notes, note_room;
    bool failed; /* out of memory */
    bool (*tell)(void *user, double share);
    void *tell_user;
    double told; /* the share last reported */
};

/* ---- for experiments ---------------------------------------------------------------------- */

/* Records a claim: `worst`, the worst case measured, must be at most (at least, exactly) `bound`.
 * The sentence says what was tried. */
void thr_lab_claims(thr_lab *l, enum thr_relation relation, double bound, double worst,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Begins a chart; the series that follow belong to it. */
enum { THR_LOG_X = 1, THR_LOG_Y = 2 };
void thr_lab_draw(thr_lab *l, unsigned axes, const char *title, const char *x, const char *y);
/* Labels the x axis of the last chart with names for x = 0, 1, 2, ... The array is NULL-terminated
 * and must be static. */
void thr_lab_categories(thr_lab *l, const char *const *names);
void thr_lab_series(thr_lab *l, enum thr_series_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void thr_lab_point(thr_lab *l, double x, double y); /* added to the last series */
void thr_lab_say(thr_lab *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports the share (0 to 1) of the experiment that is done. Returns THR_ECANCEL if the user wants
 * to stop, THR_EMEM if memory has run out, else 0. */
int thr_lab_tell(thr_lab *l, double share, thr_error *err);

/* ---- running ------------------------------------------------------------------------------ */

const thr_experiment *thr_experiment_find(const char *name);
int thr_lab_perform(thr_lab *l, const thr_experiment *x, uint64_t seed, thr_error *err);
void thr_lab_clear(thr_lab *l);

#endif
