/* Certifies a data set: reads it into memory, makes its points, looks for proofs, writes the
 * certificate, checks it with the independent checker, and then runs the rules beside their
 * bounds. */
#include "certify/certify.h"

#include "base/clock.h"
#include "base/error.h"
#include "certify/certificate.h"
#include "certify/check.h"
#include "solve/least_norm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defaults of the options: relative gap, time limit, passes of each rule. */
#define GAP     0.01
#define SECONDS 120
#define PASSES  100

double thr_certify_seconds(const thr_certify *c)
{
    return thr_clock() - c->started;
}

static double left(void *user, double share)
{
    const thr_certify *c = user;
    return share * c->options.seconds - thr_certify_seconds(c);
}

/* Whether a share of the time is over or the user has cancelled. The methods call it often, so it
 * also reports progress: milliseconds in place of bytes. */
static bool late(void *user, double share)
{
    thr_certify *c = user;
    double spent = thr_certify_seconds(c);
    thr_progress p = {.bytes = (uint64_t)(1000 * spent),
                      .total_bytes = (uint64_t)(1000 * c->options.seconds),
                      .examples = c->points.examples,
                      .pass = 1};
    c->cancelled =
        c->cancelled || (c->options.progress && c->options.progress(c->options.user, &p));
    return c->cancelled || spent >= share * c->options.seconds;
}

/* ---- the points --------------------------------------------------------------------------- */

/* Numbers the labels in order of appearance, and then exchanges two labels if the first of them is
 * the positive one. */
static int number_labels(thr_certify *c, thr_error *err)
{
    size_t examples = c->at.examples;
    int code = thr_labels_init(&c->labels, thr_settings_get(c->settings, "positive"), err);
    c->label = malloc((examples + 1) * sizeof *c->label);
    if (code == 0 && !c->label)
        code = thr_fail_memory(err);
    for (size_t e = 0; e < examples && code == 0; e++) {
        thr_data_example x;
        thr_data_example_at(c->data, e, &x);
        code = thr_labels_add(&c->labels, (thr_str){x.label, x.label_size}, &c->label[e], err);
    }
    c->name = code ? NULL : calloc(c->labels.n + 1u, sizeof *c->name);
    if (code == 0 && !c->name)
        code = thr_fail_memory(err);
    bool turned = c->labels.n == 2 && c->labels.positive == 0;
    for (size_t e = 0; e < examples && turned && code == 0; e++)
        c->label[e] = 1 - c->label[e];
    for (uint32_t l = 0; l < c->labels.n && code == 0; l++)
        c->name[turned ? 1 - l : l] = c->labels.name[l];
    return code;
}

/* Examples contain the bias, so no length is 0. */
static int scale_examples(thr_certify *c, thr_error *err)
{
    const thr_data_arrays *d = &c->at;
    size_t examples = d->examples;
    thr_certify_report *r = &c->report;
    c->scale = malloc((examples + 1) * sizeof *c->scale);
    if (!c->scale)
        return thr_fail_memory(err);
    r->least_norm = INFINITY;
    for (size_t e = 0; e < examples; e++) {
        double norm2 = 0;
        for (size_t i = d->start[e]; i < d->start[e + 1]; i++)
            norm2 += d->value ? (double)d->value[i] * (double)d->value[i] : 1;
        double norm = sqrt(norm2);
        bool unit = thr_certificate_is_scaled(c->data, e, c->unit);
        c->scale[e] = unit ? 1 / norm : 1;
        norm = unit ? 1 : norm;
        r->scaled |= unit;
        r->least_norm = fmin(r->least_norm, norm);
        r->mean_norm += norm / (double)examples;
    }
    return 0;
}

static int make_points(thr_certify *c, thr_error *err)
{
    const thr_data_arrays *d = &c->at;
    thr_certify_report *r = &c->report;
    int code = number_labels(c, err);
    if (code == 0)
        code = scale_examples(c, err);
    if (code)
        return code;
    c->points = (thr_points){.examples = d->examples,
                             .start = d->start,
                             .id = d->feature,
                             .x = d->value,
                             .label = c->label,
                             .scale = r->scaled ? c->scale : NULL,
                             .features = (uint32_t)d->features,
                             .labels = c->labels.n,
                             .positive = c->labels.n == 2};
    r->examples = d->examples;
    r->features = d->features - 1;
    r->labels = c->labels.n;
    r->mean_active = (double)(d->start[d->examples] - d->examples) / (double)d->examples;
    r->R = sqrt(thr_points_radius2(&c->points));
    r->X = thr_points_extent(&c->points);
    r->boolean = true;
    for (size_t i = 0; d->value && r->boolean && i < d->start[d->examples]; i++)
        r->boolean = d->value[i] == 1;
    return 0;
}

/* Importances are ignored: margins and separability do not depend on them. The features are those
 * that the perceptron sees, with the bias as feature 0. */
static int read_data(thr_certify *c, thr_input *in, thr_error *err)
{
    thr_data_options o = {
        .count_once = true, .progress = c->options.progress, .user = c->options.user};
    int code = thr_settings_set(c->settings, "learner", "perceptron", err);
    if (code)
        return code;
    c->unit = thr_certificate_unit(c->settings);
    c->data = thr_data_read(c->settings, in, &o, err);
    if (!c->data)
        return err->code;
    thr_data_arrays_of(c->data, &c->at);
    return 0;
}

/* ---- the findings in words ---------------------------------------------------------------- */

static void place_text(const thr_certify *c, size_t e, bool with_file, char *out, size_t room)
{
    thr_data_example x;
    thr_data_example_at(c->data, e, &x);
    if (with_file)
        snprintf(out, room, "%.80s:%llu", x.file, (unsigned long long)x.line);
    else
        snprintf(out, room, "%llu", (unsigned long long)x.line);
}

static void say_clash(thr_certify *c)
{
    const size_t *e = c->found.clash;
    thr_data_example first, second;
    thr_data_example_at(c->data, e[0], &first);
    thr_data_example_at(c->data, e[1], &second);
    bool files = strcmp(first.file, second.file) != 0;
    char a[112], b[112];
    place_text(c, e[0], files, a, sizeof a);
    place_text(c, e[1], files, b, sizeof b);
    snprintf(c->proof, sizeof c->proof,
             "%s %s and %s have the same features and different labels (%.40s, %.40s)",
             files ? "examples" : "lines", a, b, c->name[c->label[e[0]]], c->name[c->label[e[1]]]);
}

static void say_proof(thr_certify *c)
{
    const thr_findings *f = &c->found;
    char *out = c->proof;
    size_t room = sizeof c->proof;
    if (f->way == THR_WAY_CLASH)
        say_clash(c);
    else if (f->way == THR_WAY_CYCLE)
        snprintf(out, room,
                 "the perceptron comes back to the same weights after %llu updates, so %zu of the "
                 "points, counted %llu times in all, sum to zero",
                 (unsigned long long)f->cycle, f->zero.n, (unsigned long long)f->cycle);
    else if (f->separable == THR_NO)
        snprintf(out, room,
                 "a convex combination of %zu of the points is exactly zero (found by %s)",
                 f->zero.n, f->way == THR_WAY_PROGRAM ? "linear programming" : "least norm");
    else if (f->separable == THR_YES)
        snprintf(out, room, "a separator puts every example on its right side (found by %s)",
                 f->way == THR_WAY_PERCEPTRON ? "the perceptron"
                 : f->way == THR_WAY_PROGRAM  ? "linear programming"
                                              : "least norm");
    else
        snprintf(out, room, "neither a separator nor a proof that there is none was found");
}

static void report_findings(thr_certify *c)
{
    static const char *const method[] = {"none",  "contradiction", "separator",
                                         "cycle", "combination",   "combination"};
    const thr_findings *f = &c->found;
    thr_certify_report *r = &c->report;
    say_proof(c);
    r->different = f->way == THR_WAY_CLASH ? 0 : f->points.examples;
    r->separable = f->separable;
    r->proof = c->proof;
    r->note = f->note;
    r->method = f->separable == THR_YES ? "separator" : method[f->way];
    bool yes = f->separable == THR_YES, no = f->separable == THR_NO;
    r->gamma_low = yes ? f->low.gamma : NAN;
    r->g_low = yes ? f->low.g : NAN;
    r->gamma_high = no || isinf(f->high.gamma) ? NAN : f->high.gamma;
    r->g_high = no || isinf(f->high.g) ? NAN : f->high.g;
    r->norm1 = yes ? 1 / f->low.g : NAN;
}

/* ---- the certificate ---------------------------------------------------------------------- */

/* A certificate that the checker rejects is an error and not printed. Without GMP it cannot be
 * checked: then report.checked stays false and the certificate is still written. */
static int check_own(thr_certify *c, thr_error *err)
{
    thr_checked checked;
    thr_error problem = {0};
    thr_check_data d = {c->data, c->unit};
    int code = thr_certificate_check((thr_str){c->text.p, c->text.n}, "certificate", &d, &checked,
                                     &problem);
    c->report.checked = code == 0;
    if (code == THR_EDATA)
        return thr_fail(err, THR_EDATA, "the proof found does not hold: %.600s", problem.message);
    return code == THR_EMEM ? thr_fail_memory(err) : 0;
}

static int write_certificate(thr_certify *c, thr_error *err)
{
    const thr_findings *f = &c->found;
    thr_proof proof[5];
    thr_certified d = {&f->points, c->data, c->name, c->settings};
    size_t n = 0;
    if (f->separable == THR_NO)
        proof[n++] = (thr_proof){THR_PROVED_NONE, 0, NULL, &f->zero};
    if (f->separable == THR_YES)
        proof[n++] = (thr_proof){THR_PROVED_GAMMA, fmax(0, f->low.gamma), f->w, NULL};
    if (f->separable == THR_YES && f->u && f->low.g > 0)
        proof[n++] = (thr_proof){THR_PROVED_G, f->low.g, f->u, NULL};
    if (f->separable != THR_NO && f->far.n)
        proof[n++] = (thr_proof){THR_PROVED_GAMMA, f->high.gamma, NULL, &f->far};
    if (f->separable != THR_NO && f->far1.n)
        proof[n++] = (thr_proof){THR_PROVED_G, f->high.g, NULL, &f->far1};
    if (n == 0)
        return 0;
    if (!thr_certificate_write(&d, proof, n, &c->text))
        return thr_fail_memory(err);
    return check_own(c, err);
}

/* ---- comparators -------------------------------------------------------------------------- */

static int add_comparator(thr_certify *c, const double *w, thr_error *err)
{
    thr_comparator *k = &c->comparator[c->comparators];
    if (!w || c->comparators == THR_MOST_COMPARATORS)
        return 0;
    bool ok = thr_comparator_init(&c->points, w, k);
    if (!ok || !(k->norm > 0))
        free(k->margin);
    else
        c->comparators++;
    return ok ? 0 : thr_fail_memory(err);
}

/* Comparators may take half of the time limit on top of the proofs. */
static bool comparing_late(void *user)
{
    return late(user, 1.5);
}

/* The comparator that always answers the most frequent label. It exists for every data set. */
static int constant_comparator(thr_certify *c, thr_error *err)
{
    size_t functions = thr_points_functions(&c->points), *count, most = 0;
    double *w = calloc(thr_points_dims(&c->points) + 1, sizeof *w);
    count = calloc(c->labels.n + 1u, sizeof *count);
    int code = w && count ? 0 : thr_fail_memory(err);
    for (size_t e = 0; e < c->points.examples && code == 0; e++)
        count[c->label[e]]++;
    for (size_t l = 1; l < c->labels.n && code == 0; l++)
        most = count[l] > count[most] ? l : most;
    if (code == 0) { /* the bias is feature 0 */
        w[functions > 1 ? most : 0] = functions > 1 || most == c->points.positive ? 1 : -1;
        code = add_comparator(c, w, err);
    }
    free(count);
    free(w);
    return code;
}

/* At most THR_MOST_COMPARATORS: the constant, the two vectors found, and three soft margins. The
 * soft-margin vectors have a small norm and a small loss. C is taken relative to 1 / |x|^2, so that
 * the unit of the features does not matter. */
static int find_comparators(thr_certify *c, thr_error *err)
{
    static const double strength[] = {0.03, 0.3, 3};
    int code = constant_comparator(c, err);
    if (code == 0)
        code = add_comparator(c, c->found.w, err);
    if (code == 0)
        code = add_comparator(c, c->found.u, err);
    for (size_t i = 0; i < sizeof strength / sizeof *strength && code == 0; i++) {
        thr_least_norm s;
        double box = strength[i] / (c->report.mean_norm * c->report.mean_norm);
        thr_least_norm_options o = {
            .gap = 0.02, .box = box, .seed = 1, .epochs = 100, .stop = comparing_late, .user = c};
        code = thr_least_norm_solve(&c->points, &o, &s, err);
        if (code)
            return code;
        code = add_comparator(c, s.w, err);
        thr_least_norm_clear(&s);
    }
    return code;
}

/* ---- life --------------------------------------------------------------------------------- */

static int certify(thr_certify *c, thr_input *in, thr_error *err)
{
    thr_prove_options o = {.gap = c->options.gap, .late = late, .left = left, .user = c};
    int code = read_data(c, in, err);
    if (code == 0)
        code = make_points(c, err);
    if (code)
        return code;
    c->started = thr_clock();
    code = thr_prove(&c->points, &o, &c->found, err);
    if (code || c->cancelled)
        return code ? code : thr_fail(err, THR_ECANCEL, "stopped");
    report_findings(c);
    code = write_certificate(c, err);
    if (code == 0)
        code = find_comparators(c, err);
    return code ? code : thr_certify_rules(c, err);
}

thr_certify *thr_certify_new(const thr_settings *s, thr_input *in, const thr_certify_options *o,
                             thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    thr_certify *c = calloc(1, sizeof *c);
    if (c)
        c->settings = thr_settings_copy(s);
    if (!c || !c->settings) {
        thr_certify_free(c);
        thr_fail_memory(err);
        return NULL;
    }
    c->options = o ? *o : (thr_certify_options){0};
    c->options.gap = c->options.gap > 0 ? c->options.gap : GAP;
    c->options.seconds = c->options.seconds > 0 ? c->options.seconds : SECONDS;
    c->options.passes = c->options.passes ? c->options.passes : PASSES;
    if (THR_CHECK_RESERVED(thr_certify_options, &c->options, err) == 0 && certify(c, in, err) == 0)
        return c;
    thr_certify_free(c);
    return NULL;
}

void thr_certify_free(thr_certify *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->comparators; i++)
        free(c->comparator[i].margin);
    thr_findings_clear(&c->found);
    thr_data_free(c->data);
    thr_labels_clear(&c->labels);
    thr_settings_free(c->settings);
    thr_bytes_clear(&c->text);
    free(c->name);
    free(c->label);
    free(c->scale);
    free(c->row);
    free(c);
}

void thr_certify_about(const thr_certify *c, thr_certify_report *out)
{
    *out = c->report;
}

bool thr_certify_rule_at(const thr_certify *c, size_t i, thr_certify_rule *out)
{
    if (i >= c->rows)
        return false;
    *out = c->row[i].rule;
    out->learner = c->row[i].learner;
    out->theorem = c->row[i].theorem;
    return true;
}

void thr_certify_reading(const thr_certify *c, thr_reading *out)
{
    thr_data_reading(c->data, out);
}

const char *thr_certify_text(const thr_certify *c, size_t *size)
{
    *size = c->text.n;
    return c->text.p;
}

/* ---- checking ----------------------------------------------------------------------------- */

/* Reads the data with the settings of the certificate and checks it. The learner is the perceptron,
 * as in read_data, so that the features are the same. */
int thr_certificate_verify_within(double seconds, const void *text, size_t size, const char *file,
                                  thr_input *in, thr_progress_fn *progress, void *user,
                                  thr_checked *out, thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    thr_str whole = {text, size};
    thr_data_options o = {.count_once = true, .progress = progress, .user = user};
    thr_data *data = NULL;
    thr_settings *s = thr_settings_new();
    int code = s ? thr_settings_set(s, "learner", "perceptron", err) : thr_fail_memory(err);
    if (code == 0)
        code = thr_certificate_settings(whole, file, s, err);
    if (code == 0)
        code = (data = thr_data_read(s, in, &o, err)) ? 0 : err->code;
    if (code == 0) {
        thr_check_data d = {data, thr_certificate_unit(s), seconds};
        code = thr_certificate_check(whole, file, &d, out, err);
    }
    thr_settings_free(s);
    thr_data_free(data);
    return code;
}

int thr_certificate_verify(const void *text, size_t size, const char *file, thr_input *in,
                           thr_progress_fn *progress, void *user, thr_checked *out, thr_error *err)
{
    return thr_certificate_verify_within(SECONDS, text, size, file, in, progress, user, out, err);
}
