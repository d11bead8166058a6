/* The predictions that differ between two models.
 *
 * The data is read twice. The predictions of the first model are kept in memory, each with the
 * place of its example; those of the second model are compared with them as they come. A model
 * may reject examples that the other takes, so predictions are matched by file and line: both
 * lists are in the order of the input, and a merge finds the pairs. Examples that only one
 * model takes are ignored. */
#include "base/error.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A prediction of the first model. */
typedef struct earlier {
    uint64_t line;
    const char *label; /* borrowed from the model */
    double value;
    uint32_t file; /* number of the file, from 1 */
} earlier;

/* The place of the example at hand. */
typedef struct place {
    const char *name;
    uint64_t line;
    uint32_t file; /* files with predictions so far */
} place;

typedef struct changes {
    earlier *predicted;
    size_t n, room;
    size_t at; /* index of the first entry of `predicted` that has not been matched or passed */
    bool numbers, full; /* the models predict numbers; memory has run out */
    place place;
    thr_changed_fn *fn;
    void *user;
    thr_agreement *out;
} changes;

/* Moves to the place of the next prediction. The stream returns the same pointer for all
 * examples of a file, so another pointer means the next file. */
static void move_on(place *p, const thr_prediction *now)
{
    p->file += p->file == 0 || p->name != now->file;
    p->name = now->file;
    p->line = now->line;
}

static int remember(void *user, const thr_prediction *p)
{
    changes *c = user;
    if (!thr_grow(&c->predicted, &c->room, c->n + 1, sizeof *c->predicted)) {
        c->full = true;
        return THR_EMEM;
    }
    move_on(&c->place, p);
    c->predicted[c->n++] = (earlier){c->place.line, p->label, p->score, c->place.file};
    return 0;
}

/* The prediction of the first model for the example at hand; NULL if it has none. */
static const earlier *answer_of(changes *c)
{
    const earlier *s = c->predicted + c->at, *end = c->predicted + c->n;
    const place *now = &c->place;
    while (s < end && (s->file < now->file || (s->file == now->file && s->line < now->line)))
        s++;
    c->at = (size_t)(s - c->predicted);
    if (s == end || s->file != now->file || s->line != now->line)
        return NULL;
    c->at++;
    return s;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Adds a pair of predictions to the statistics; which model was right only if the label is
 * known. */
static void judge(const changes *c, const earlier *a, const thr_prediction *b)
{
    thr_agreement *out = c->out;
    double change = fabs(b->score - a->value);
    out->examples++;
    if (c->numbers) {
        out->mean_change += change;
        out->max_change = fmax(out->max_change, change);
    }
    if ((!b->truth && !b->truths) || (c->numbers && isnan(b->target)))
        return;
    out->labelled++;
    if (c->numbers) {
        double error_a = a->value - b->target, error_b = b->score - b->target;
        out->mse_a += error_a * error_a;
        out->mse_b += error_b * error_b;
        out->only_a += fabs(error_a) < fabs(error_b);
        out->only_b += fabs(error_b) < fabs(error_a);
    } else {
        bool right_a = is_same(a->label, b->truth), right_b = is_same(b->label, b->truth);
        out->both_right += right_a && right_b;
        out->neither += !right_a && !right_b;
        out->only_a += right_a && !right_b;
        out->only_b += right_b && !right_a;
    }
}

static int hold_against(void *user, const thr_prediction *p)
{
    changes *c = user;
    move_on(&c->place, p);
    const earlier *a = answer_of(c);
    if (!a)
        return 0;
    judge(c, a, p);
    if (c->numbers ? a->value == p->score : is_same(a->label, p->label))
        return 0;
    c->out->changed++;
    thr_changed changed = {
        .file = p->file,
        .line = p->line,
        .tag = p->tag,
        .a = a->label,
        .b = p->label,
        .truth = p->truth,
        .value_a = c->numbers ? a->value : NAN,
        .value_b = c->numbers ? p->score : NAN,
        .target = p->target,
    };
    return c->fn ? c->fn(c->user, &changed) : 0;
}

/* Compares all predictions, turns sums into means, and computes the significance. */
static int compare(changes *c, const thr_model *a, const thr_model *b, thr_input *in,
                   thr_progress_fn *progress, void *progress_user, thr_reading *reading,
                   thr_error *err)
{
    int code = thr_predict_scores(a, in, remember, c, progress, progress_user, NULL, err);
    if (code)
        return c->full ? thr_fail_memory(err) : code;
    if (c->n == 0)
        return thr_fail(err, THR_EDATA, "there is no example in the data");
    c->place = (place){0};
    code = thr_predict_scores(b, in, hold_against, c, progress, progress_user, reading, err);
    thr_agreement *out = c->out;
    if (code == 0 && out->examples == 0)
        code = thr_fail(err, THR_EDATA,
                        "no example could be read twice, once for each model: is the data a pipe?");
    if (code)
        return code;
    double n = (double)out->labelled;
    out->p = out->labelled ? thr_mcnemar(out->only_a, out->only_b, &out->exact) : NAN;
    out->mse_a = c->numbers && n > 0 ? out->mse_a / n : NAN;
    out->mse_b = c->numbers && n > 0 ? out->mse_b / n : NAN;
    out->mean_change = c->numbers ? out->mean_change / (double)out->examples : NAN;
    out->max_change = c->numbers ? out->max_change : NAN;
    return 0;
}

int thr_diff_predictions(const thr_model *a, const thr_model *b, thr_input *in, thr_changed_fn *fn,
                         void *user, thr_progress_fn *progress, void *progress_user,
                         thr_agreement *out, thr_reading *reading, thr_error *err)
{
    *out = (thr_agreement){0};
    changes c = {.numbers = thr_model_regression(a), .fn = fn, .user = user, .out = out};
    if (c.numbers != thr_model_regression(b))
        return thr_fail(err, THR_EUSE,
                        "one model predicts labels and the other numbers: their predictions "
                        "cannot be compared");
    int code = compare(&c, a, b, in, progress, progress_user, reading, err);
    free(c.predicted);
    return code;
}
