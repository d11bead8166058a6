/* The check itself: the head of the file is compared with the data, then each part (a separator or
 * a combination) is read and verified by itself. check.h has the inequalities; all numbers named
 * there are mpz_t here. */
#include "certify/check.h"

#include "base/apart.h"
#include "base/clock.h"
#include "base/number.h"
#include "certify/certificate.h"
#include "certify/check_lines.h"
#include "multiclass/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef THR_HAVE_GMP
#include <gmp.h>

#define ROOT_BITS 64        /* binary digits kept behind the point in lengths of examples */
#define LOOK      (1 << 16) /* limbs of work between two looks at the clock: 0.1 ms or more */

typedef struct checker {
    thr_lines r;
    const thr_check_data *d;
    thr_data_arrays at; /* the arrays of d->data */
    thr_checked *out;
    thr_labels labels; /* in the order of the certificate; of two the second is positive */
    uint32_t *label;   /* for each example: its number in `labels` */
    size_t functions, dims;
    unsigned power;             /* P: values times 2^P are integers */
    mpz_t *w;                   /* dims numbers: the weights w, or the sum Z */
    mpz_t *score;               /* for each function: 2^P f(x) of the current example */
    mpz_t claim2, tens2;        /* the claim is the fraction claim / tens; these are the squares */
    mpz_t number, x, sum, room; /* scratch. While a combination is read: `number` is b, and `sum`
                                   is 2^ROOT_BITS times the sum of b 2^P, or b |X| */
    thr_bytes text;             /* scratch: a name without escapes, or digits */
    bool met[2][3];             /* which parts there were: combination or separator, about what */
    double deadline;            /* monotonic clock, in seconds */
    size_t work;                /* limbs (digits of GMP) worked on since the last look at it */
} checker;

/* ---- the time ----------------------------------------------------------------------------- */

/* Counts work on the number z. True when the time is over: long numbers make a short certificate
 * expensive. */
static bool is_late(checker *c, const mpz_t z)
{
    c->work += mpz_size(z) + 1;
    if (c->work < LOOK)
        return false;
    c->work = 0;
    return c->d->seconds > 0 && thr_clock() > c->deadline;
}

static int late(checker *c)
{
    thr_fail(c->r.err, THR_EDATA, "checking it takes more than %g seconds (see --time-limit)",
             c->d->seconds);
    return thr_fail_at(c->r.err, c->r.file, c->r.line, 0);
}

/* ---- the data ----------------------------------------------------------------------------- */

/* X = 2^P x, for entry i of the data. Exact: ldexp only changes the exponent. */
static void value_of(const checker *c, size_t i, mpz_t out)
{
    mpz_set_d(out, ldexp(c->at.value ? (double)c->at.value[i] : 1, (int)c->power));
}

/* |X|^2 of example e. */
static void length2(checker *c, size_t e, mpz_t out)
{
    const thr_data_arrays *d = &c->at;
    mpz_set_ui(out, 0);
    for (size_t i = d->start[e]; i < d->start[e + 1]; i++) {
        value_of(c, i, c->x);
        mpz_addmul(out, c->x, c->x);
    }
}

static bool is_unit(const checker *c, size_t e)
{
    return thr_certificate_is_scaled(c->d->data, e, c->d->unit);
}

/* ---- the head of the file ----------------------------------------------------------------- */

/* The certificate must be about this data: the same counts and the same fingerprint. The lines with
 * settings before it have been used already, to read the data. */
static int read_data_line(checker *c)
{
    thr_lines *r = &c->r;
    uint64_t n[3];
    char mark[24];
    thr_str word = {"", 0};
    while (thr_lines_next(r) && thr_word_is(word = thr_lines_word(r), "set"))
        continue;
    for (int i = 0; i < 3; i++)
        if (!thr_word_is(word, "data") || !thr_word_number(thr_lines_word(r), &n[i]))
            return thr_lines_wrong(r,
                                   "a line 'data EXAMPLES FEATURES LABELS FINGERPRINT' is missing");
    if (n[0] != c->at.examples)
        return thr_lines_wrong(r, "it is about another number of examples than the data has");
    if (n[1] != c->at.features - 1)
        return thr_lines_wrong(r, "it is about another number of features than the data has");
    uint64_t found = thr_certificate_fingerprint(c->d->data);
    if (!found)
        return thr_fail_memory(r->err);
    snprintf(mark, sizeof mark, "%016llx", (unsigned long long)found);
    if (!thr_word_is(r->rest, mark))
        return thr_lines_wrong(r, "it is about other data: the fingerprint differs");
    if (n[2] < 1 || n[2] > c->at.examples)
        return thr_lines_wrong(r, "it is about another number of labels than the data has");
    c->out->labels = (size_t)n[2];
    return 0;
}

/* Every label must occur. A label that no example has would add functions and points that the data
 * does not have. */
static int every_label_is_met(checker *c)
{
    bool *met = calloc(c->out->labels, sizeof *met);
    if (!met)
        return thr_fail_memory(c->r.err);
    size_t n = 0;
    for (size_t e = 0; e < c->at.examples; e++) {
        n += !met[c->label[e]];
        met[c->label[e]] = true;
    }
    free(met);
    return n == c->out->labels ? 0 : thr_lines_wrong(&c->r, "no example has one of these labels");
}

static int read_labels(checker *c)
{
    thr_lines *r = &c->r;
    const thr_data_arrays *d = &c->at;
    uint32_t number;
    for (uint32_t l = 0; l < c->out->labels; l++) {
        if (!thr_lines_next(r) || !thr_word_is(thr_lines_word(r), "label") ||
            !thr_word_unescape(r, r->rest, &c->text))
            return thr_lines_wrong(r, "a line 'label NAME' is missing");
        int code = thr_labels_add(&c->labels, (thr_str){c->text.p, c->text.n}, &number, r->err);
        if (code || number != l)
            return code ? code : thr_lines_wrong(r, "this label was there before");
    }
    c->label = malloc((d->examples + 1) * sizeof *c->label);
    if (!c->label)
        return thr_fail_memory(r->err);
    for (size_t e = 0; e < d->examples; e++) {
        thr_data_example x;
        thr_data_example_at(c->d->data, e, &x);
        c->label[e] = thr_labels_find(&c->labels, (thr_str){x.label, x.label_size});
        if (c->label[e] == THR_NONE)
            return thr_lines_wrong(r, "the data has a label that is not one of these");
    }
    return every_label_is_met(c);
}

/* Allocates the numbers, once labels and features are known, and finds P. */
static int prepare(checker *c)
{
    const thr_data_arrays *d = &c->at;
    c->functions = c->out->labels <= 2 ? 1 : c->out->labels;
    if (__builtin_mul_overflow(d->features, c->functions, &c->dims))
        return thr_fail_memory(c->r.err);
    c->w = calloc(c->dims, sizeof *c->w);
    c->score = calloc(c->functions, sizeof *c->score);
    for (size_t i = 0; c->w && i < c->dims; i++)
        mpz_init(c->w[i]);
    for (size_t f = 0; c->score && f < c->functions; f++)
        mpz_init(c->score[f]);
    /* P is the least power that makes all values of the data integers. */
    for (size_t i = 0; d->value && i < d->start[d->examples]; i++) {
        double x = ldexp((double)d->value[i], (int)c->power);
        for (; x != floor(x); x *= 2)
            c->power++;
    }
    return c->w && c->score ? 0 : thr_fail_memory(c->r.err);
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Reads digits, which may follow a minus sign. */
static bool read_integer(checker *c, thr_str w, mpz_t out)
{
    size_t from = w.n && w.p[0] == '-';
    c->text.n = 0;
    for (size_t i = from; i < w.n; i++)
        if (w.p[i] < '0' || w.p[i] > '9')
            return false;
    if (w.n == from)
        return false;
    c->r.failed |= !thr_bytes_add(&c->text, w.p, w.n);
    return !c->r.failed && mpz_set_str(out, c->text.p, 10) == 0;
}

/* Reads a claim DIGITS.DIGITS exactly, as an integer over a power of ten, and keeps both squared.
 * The double in *out is only for the report. Negative claims are rejected, as squares lose the
 * sign. */
static bool read_claim(checker *c, thr_str w, double *out)
{
    const char *point = w.n && w.n < 64 ? memchr(w.p, '.', w.n) : NULL;
    size_t before = point ? (size_t)(point - w.p) : w.n, after = point ? w.n - before - 1 : 0;
    char digits[64];
    const char *end;
    if (w.n >= sizeof digits || thr_parse_double(w.p, w.p + w.n, &end, out) != THR_NUMBER_OK)
        return false;
    memcpy(digits, w.p, before);
    memcpy(digits + before, w.p + w.n - after, after);
    if (!read_integer(c, (thr_str){digits, before + after}, c->claim2) || mpz_sgn(c->claim2) < 0)
        return false;
    mpz_mul(c->claim2, c->claim2, c->claim2);
    mpz_ui_pow_ui(c->tens2, 10, 2 * after);
    return true;
}

/* ---- a separator -------------------------------------------------------------------------- */

/* From `namespace|name`, or `%` for the bias, to the id in the data. */
static bool find_feature(checker *c, thr_str w, size_t *feature)
{
    const char *bar = w.n ? memchr(w.p, '|', w.n) : NULL;
    thr_bytes ns = {0};
    *feature = 0;
    if (thr_word_is(w, "%"))
        return true;
    size_t n = bar ? (size_t)(bar - w.p) : 0;
    bool ok = bar && thr_word_unescape(&c->r, (thr_str){w.p, n}, &ns) &&
              thr_word_unescape(&c->r, (thr_str){bar + 1, w.n - n - 1}, &c->text);
    if (ok)
        c->r.failed |=
            thr_data_find_feature(c->d->data, ns.p, ns.n, c->text.p, c->text.n, feature, NULL) != 0;
    thr_bytes_clear(&ns);
    return ok && !c->r.failed && *feature != THR_UNKNOWN_FEATURE;
}

static int read_weight(checker *c)
{
    thr_lines *r = &c->r;
    uint64_t f;
    size_t id;
    if (!thr_lines_next(r) || !thr_word_is(thr_lines_word(r), "w") ||
        !thr_word_number(thr_lines_word(r), &f) || f >= c->functions)
        return thr_lines_wrong(r, "a line 'w FUNCTION FEATURE WEIGHT' is missing");
    if (!find_feature(c, thr_lines_word(r), &id))
        return thr_lines_wrong(r, "the data has no feature of this name");
    if (!read_integer(c, r->rest, c->w[id * c->functions + f]))
        return thr_lines_wrong(r, "the weight is not a whole number");
    return is_late(c, c->w[id * c->functions + f]) ? late(c) : 0;
}

/* False when the time is over. */
static bool score(checker *c, size_t e)
{
    const thr_data_arrays *d = &c->at;
    for (size_t f = 0; f < c->functions; f++)
        mpz_set_ui(c->score[f], 0);
    for (size_t i = d->start[e]; i < d->start[e + 1]; i++) {
        value_of(c, i, c->x);
        for (size_t f = 0; f < c->functions; f++) {
            mpz_addmul(c->score[f], c->w[d->feature[i] * c->functions + f], c->x);
            if (is_late(c, c->score[f]))
                return false;
        }
    }
    return true;
}

static int too_near(checker *c, size_t e)
{
    thr_fail(c->r.err, THR_EDATA, "the separator does not keep example %zu as far off as it claims",
             e + 1);
    return thr_fail_at(c->r.err, c->r.file, c->r.line, 0);
}

/* Checks all points of an example. needed = claim^2 |w|^2; times 2^2P, or |X|^2 if the example is
 * scaled, it is what M^2 tens^2 must reach, and M must be positive. With one function the last
 * label is positive. */
static int check_example(checker *c, size_t e, const mpz_t needed)
{
    uint32_t own = c->label[e];
    if (!score(c, e))
        return late(c);
    if (is_unit(c, e))
        length2(c, e, c->room);
    else {
        mpz_set_ui(c->room, 0);
        mpz_setbit(c->room, 2 * c->power);
    }
    mpz_mul(c->room, c->room, needed);
    for (uint32_t l = 0; l < c->functions; l++) {
        if (c->functions > 1 && l == own)
            continue;
        if (c->functions == 1 && own + 1 == c->out->labels)
            mpz_set(c->sum, c->score[0]);
        else if (c->functions == 1)
            mpz_neg(c->sum, c->score[0]);
        else
            mpz_sub(c->sum, c->score[own], c->score[l]);
        if (mpz_sgn(c->sum) <= 0)
            return too_near(c, e);
        mpz_mul(c->sum, c->sum, c->sum);
        mpz_mul(c->sum, c->sum, c->tens2);
        if (mpz_cmp(c->sum, c->room) < 0)
            return too_near(c, e);
        if (is_late(c, c->sum))
            return late(c);
    }
    return 0;
}

/* The weights are in c->w. Their norm |w| is the sum of absolute values (for g) or the Euclidean
 * length. */
static int check_separator(checker *c, bool sum_norm)
{
    int code = 0;
    mpz_set_ui(c->number, 0); /* becomes claim^2 |w|^2 */
    for (size_t i = 0; i < c->dims; i++) {
        if (is_late(c, c->w[i]))
            return late(c);
        if (sum_norm && mpz_sgn(c->w[i]) < 0)
            mpz_sub(c->number, c->number, c->w[i]);
        else if (sum_norm)
            mpz_add(c->number, c->number, c->w[i]);
        else
            mpz_addmul(c->number, c->w[i], c->w[i]);
    }
    if (sum_norm)
        mpz_mul(c->number, c->number, c->number);
    mpz_mul(c->number, c->number, c->claim2);
    for (size_t e = 0; e < c->at.examples && code == 0; e++)
        code = check_example(c, e, c->number);
    c->out->separable |= code == 0;
    return code;
}

/* ---- a combination ------------------------------------------------------------------------ */

/* Adds the point that sets example e against label `other`, with the coefficient b in c->number:
 * Z += b X, and c->sum += b 2^P 2^ROOT_BITS, or b |X| 2^ROOT_BITS for a scaled example. The square
 * root is rounded down. That makes the sum smaller, so the claim must be larger to hold: the safe
 * side. */
static int add_point(checker *c, size_t e, size_t other)
{
    const thr_data_arrays *d = &c->at;
    bool negative = c->functions == 1 && c->label[e] + 1 != c->out->labels;
    for (size_t i = d->start[e]; i < d->start[e + 1]; i++) {
        size_t at = d->feature[i] * c->functions;
        value_of(c, i, c->x);
        if (negative)
            mpz_neg(c->x, c->x);
        if (is_late(c, c->number))
            return late(c);
        mpz_addmul(c->w[c->functions == 1 ? at : at + c->label[e]], c->number, c->x);
        if (c->functions > 1)
            mpz_submul(c->w[at + other], c->number, c->x);
    }
    mpz_set_ui(c->room, 0);
    mpz_setbit(c->room, c->power + ROOT_BITS);
    if (is_unit(c, e)) {
        length2(c, e, c->room);
        mpz_mul_2exp(c->room, c->room, 2 * ROOT_BITS);
        mpz_sqrt(c->room, c->room);
    }
    mpz_addmul(c->sum, c->number, c->room);
    return 0;
}

static int read_point(checker *c)
{
    thr_lines *r = &c->r;
    uint64_t e, other;
    if (!thr_lines_next(r) || !thr_word_is(thr_lines_word(r), "p") ||
        !thr_word_number(thr_lines_word(r), &e) || !thr_word_number(thr_lines_word(r), &other))
        return thr_lines_wrong(r, "a line 'p EXAMPLE LABEL COEFFICIENT' is missing");
    if (e < 1 || e > c->at.examples)
        return thr_lines_wrong(r, "the data has no example of this number");
    if (other == c->label[e - 1] || (c->out->labels > 1 && other >= c->out->labels))
        return thr_lines_wrong(r, "that is not a label the example could be taken for by mistake");
    if (!read_integer(c, r->rest, c->number) || mpz_sgn(c->number) <= 0)
        return thr_lines_wrong(r, "the coefficient is not a whole number above 0");
    return add_point(c, (size_t)e - 1, (size_t)other);
}

/* Z is in c->w. A combination about `none` must be exactly 0; one about a margin must satisfy
 * |Z|^2 tens^2 2^(2 ROOT_BITS) <= claim^2 sum^2, with |Z| the greatest absolute value (for g) or
 * the Euclidean length. */
static int check_combination(checker *c, enum thr_proved about)
{
    mpz_set_ui(c->number, 0); /* becomes |Z|^2 */
    for (size_t i = 0; i < c->dims; i++) {
        if (is_late(c, c->w[i]))
            return late(c);
        if (about != THR_PROVED_G)
            mpz_addmul(c->number, c->w[i], c->w[i]);
        else if (mpz_cmpabs(c->w[i], c->number) > 0)
            mpz_set(c->number, c->w[i]);
    }
    if (about == THR_PROVED_G)
        mpz_mul(c->number, c->number, c->number);
    if (mpz_sgn(c->sum) == 0)
        return thr_lines_wrong(&c->r, "there is no point in the combination");
    c->out->inseparable |= about == THR_PROVED_NONE;
    if (about == THR_PROVED_NONE)
        return mpz_sgn(c->number) == 0 ? 0 : thr_lines_wrong(&c->r, "the combination is not zero");
    mpz_mul(c->number, c->number, c->tens2);
    mpz_mul_2exp(c->number, c->number, 2 * ROOT_BITS);
    mpz_mul(c->sum, c->sum, c->sum);
    mpz_mul(c->sum, c->sum, c->claim2);
    return mpz_cmp(c->number, c->sum) <= 0
               ? 0
               : thr_lines_wrong(&c->r, "the combination is longer than it claims");
}

/* ---- the whole file ----------------------------------------------------------------------- */

/* Reads and checks one part: a line such as `separator gamma CLAIM N` or `combination none 0 N`,
 * and the N lines with its numbers. */
static int check_part(checker *c)
{
    thr_lines *r = &c->r;
    thr_str kind = thr_lines_word(r), about = thr_lines_word(r);
    bool separator = thr_word_is(kind, "separator"), none = thr_word_is(about, "none");
    double claim;
    uint64_t n;
    enum thr_proved proved = thr_word_is(about, "gamma") ? THR_PROVED_GAMMA
                             : thr_word_is(about, "g")   ? THR_PROVED_G
                                                         : THR_PROVED_NONE;
    if ((!separator && !thr_word_is(kind, "combination")) || (proved == THR_PROVED_NONE && !none) ||
        (separator && none))
        return thr_lines_wrong(r, "'separator' or 'combination', and of what, is missing");
    if (!read_claim(c, thr_lines_word(r), &claim) || (none && claim != 0) ||
        !thr_word_number(r->rest, &n))
        return thr_lines_wrong(r, "what it claims, or the number of lines, is missing");
    if (c->met[separator][proved])
        return thr_lines_wrong(r, "there was a part of this kind before");
    c->met[separator][proved] = true;
    for (size_t i = 0; i < c->dims; i++)
        mpz_set_ui(c->w[i], 0);
    mpz_set_ui(c->sum, 0);
    int code = 0;
    for (uint64_t i = 0; i < n && code == 0; i++)
        code = separator ? read_weight(c) : read_point(c);
    if (code == 0)
        code =
            separator ? check_separator(c, proved == THR_PROVED_G) : check_combination(c, proved);
    if (code == 0 && proved == THR_PROVED_GAMMA)
        *(separator ? &c->out->gamma_low : &c->out->gamma_high) = claim;
    if (code == 0 && proved == THR_PROVED_G)
        *(separator ? &c->out->g_low : &c->out->g_high) = claim;
    return code;
}

static int check_all(checker *c)
{
    int code = read_data_line(c);
    size_t parts = 0;
    code = code ? code : read_labels(c);
    code = code ? code : prepare(c);
    for (; code == 0 && c->r.at < c->r.end; parts++)
        code =
            thr_lines_next(&c->r) ? check_part(c) : thr_lines_wrong(&c->r, "the line does not end");
    return code || parts ? code : thr_lines_wrong(&c->r, "it proves nothing");
}

/* The whole check, in this process, which GMP ends when memory is short. */
static int check_here(thr_str text, const char *file, const thr_check_data *d, thr_checked *out,
                      thr_error *err)
{
    checker c = {.d = d, .out = out, .deadline = thr_clock() + d->seconds};
    thr_data_arrays_of(d->data, &c.at);
    *out = (thr_checked){.gamma_low = NAN, .gamma_high = NAN, .g_low = NAN, .g_high = NAN};
    out->examples = c.at.examples;
    out->features = c.at.features - 1;
    int code = thr_lines_open(&c.r, text, file, err);
    code = code ? code : thr_labels_init(&c.labels, "", err);
    if (code)
        return code;
    mpz_inits(c.claim2, c.tens2, c.number, c.x, c.sum, c.room, NULL);
    code = check_all(&c);
    mpz_clears(c.claim2, c.tens2, c.number, c.x, c.sum, c.room, NULL);
    for (size_t i = 0; c.w && i < c.dims; i++)
        mpz_clear(c.w[i]);
    for (size_t f = 0; c.score && f < c.functions; f++)
        mpz_clear(c.score[f]);
    free(c.w);
    free(c.score);
    free(c.label);
    thr_bytes_clear(&c.text);
    thr_labels_clear(&c.labels);
    return code;
}

typedef struct task {
    thr_str text;
    const char *file;
    const thr_check_data *data;
} task;

static int check_apart(const void *work, thr_bytes *answer, thr_error *err)
{
    const task *t = work;
    thr_checked found;
    int code = check_here(t->text, t->file, t->data, &found, err);
    if (code == 0 && !thr_bytes_add(answer, &found, sizeof found))
        code = thr_fail_memory(err);
    return code;
}

int thr_certificate_check(thr_str text, const char *file, const thr_check_data *d, thr_checked *out,
                          thr_error *err)
{
    thr_bytes answer = {0};
    int code =
        thr_apart(check_apart, &(task){text, file, d}, "checking a certificate", &answer, err);
    if (code == 0)
        memcpy(out, answer.p, sizeof *out);
    thr_bytes_clear(&answer);
    return code;
}

#else

int thr_certificate_check(thr_str text, const char *file, const thr_check_data *d, thr_checked *out,
                          thr_error *err)
{
    (void)text, (void)file, (void)d, (void)out;
    return thr_fail(err, THR_EUSE,
                    "this build has no GMP, without which nothing is checked exactly");
}

#endif
