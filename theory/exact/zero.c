/* Proof that no separator exists: integers c_k >= 0, not all 0, with sum c_k z_k = 0.
 *
 * A solver delivers such a combination only approximately, in doubles. This file makes it exact.
 * The chosen points are the columns of a matrix A, one row for each coordinate, and we need an
 * integer vector c >= 0 in the null space of A. Every entry is a float, that is an integer times
 * a power of two. Multiplying a row by a power of two does not change the null space, so each row
 * is made integral by itself.
 *
 *   1. Sort the columns by falling approximate coefficient.
 *   2. Eliminate modulo a prime p (modular.h). The pivot columns are those that do not depend on
 *      columns to their left; the others are free. So free columns have small coefficients.
 *   3. Give each free column its approximate coefficient, rounded to an integer. Moving the free
 *      columns to the right side leaves a square system B x = b for the pivot columns.
 *   4. Solve B x = b exactly by p-adic lifting (Dixon 1982):
 *
 *        x = x_0 + x_1 p + x_2 p^2 + ...
 *        x_i = B^-1 r_i mod p,   r_0 = b,   r_(i+1) = (r_i - B x_i) / p
 *
 *      Only B^-1 mod p is needed, which is computed once with 64-bit arithmetic. After m terms x
 *      is known modulo p^m. By Cramer's rule each x_i is a fraction whose numerator and
 *      denominator are determinants; once p^m exceeds twice their product, Euclid's algorithm
 *      recovers the fraction, and no other fraction is as small.
 *   5. Multiply everything by the common denominator.
 *
 * Rounding the free coefficients moves the pivot coefficients a little. These are the large ones,
 * so they usually stay above 0, but that is not guaranteed. Nor does full rank over the rationals
 * imply full rank modulo p. Neither matters for correctness: a result is accepted only if is_zero
 * finds every coefficient >= 0 and every coordinate of the sum equal to 0. All steps before that
 * check may be wrong; then no proof is found, but never a false one. */
#include "exact/zero.h"

#include "base/mem.h"
#include "exact/modular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the matrix --------------------------------------------------------------------------- */

/* One non-zero of the matrix: mantissa * 2^exponent. add_entry stores the float itself;
 * matrix_make then makes the least exponent of each row 0, so that every entry is an integer. */
typedef struct entry {
    size_t coordinate; /* index into a weight vector: feature * functions + function */
    uint32_t column;   /* position in the list of points */
    int32_t mantissa;  /* 24 bits and a sign */
    int exponent;
} entry;

/* Sparse, by rows. A coordinate in which all points are 0 has no row. */
typedef struct matrix {
    entry *at; /* sorted by coordinate, then by column */
    size_t n, room;
    size_t *row; /* entries of row i: row[i] <= k < row[i+1] */
    size_t rows, columns;
} matrix;

static void matrix_clear(matrix *m)
{
    free(m->at);
    free(m->row);
    *m = (matrix){0};
}

static bool add_entry(matrix *m, size_t coordinate, size_t column, float v)
{
    if (v == 0)
        return true;
    if (!thr_grow(&m->at, &m->room, m->n + 1, sizeof *m->at))
        return false;
    int exponent;
    float mantissa = ldexpf(frexpf(v, &exponent), 24);
    m->at[m->n++] = (entry){coordinate, (uint32_t)column, (int32_t)mantissa, exponent - 24};
    return true;
}

/* Appends point z, without the scale of its example: a scale is positive, so it can be moved into
 * the coefficient, and leaving it out keeps the entries floats. */
static bool add_column(matrix *m, const thr_points *p, size_t point, size_t column)
{
    thr_point_row r = thr_points_row(p, thr_points_example(p, point));
    size_t k = thr_points_functions(p), other = k > 1 ? thr_points_other(p, point) : 0;
    bool ok = true;
    for (size_t i = 0; i < r.n && ok; i++) {
        float x = r.x ? r.x[i] : 1;
        if (k == 1)
            ok = add_entry(m, r.id[i], column, r.label == p->positive ? x : -x);
        else
            ok = add_entry(m, r.id[i] * k + r.label, column, x) &&
                 add_entry(m, r.id[i] * k + other, column, -x);
    }
    return ok;
}

static int by_coordinate(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->coordinate != y->coordinate)
        return x->coordinate < y->coordinate ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* Sorts the entries of the points into rows and multiplies each row by the power of two that makes
 * its least exponent 0. Returns false if out of memory; the caller clears m in either case. */
static bool matrix_make(matrix *m, const thr_points *p, const size_t *point, size_t n)
{
    *m = (matrix){.columns = n};
    for (size_t c = 0; c < n; c++)
        if (!add_column(m, p, point[c], c))
            return false;
    if (!thr_grow(&m->at, &m->room, m->n + 1, sizeof *m->at))
        return false;
    qsort(m->at, m->n, sizeof *m->at, by_coordinate);
    if (!(m->row = calloc(m->n + 2, sizeof *m->row)))
        return false;
    for (size_t from = 0, to; from < m->n; from = to) {
        int least = m->at[from].exponent;
        for (to = from; to < m->n && m->at[to].coordinate == m->at[from].coordinate; to++)
            least = m->at[to].exponent < least ? m->at[to].exponent : least;
        for (size_t k = from; k < to; k++)
            m->at[k].exponent -= least;
        m->row[m->rows++] = from;
    }
    m->row[m->rows] = m->n;
    return true;
}

#ifdef THR_HAVE_GMP
#include <gmp.h>

#define MOST_COLUMNS 3000 /* two dense matrices of 8 bytes an entry: 144 MB */

static void clear_all(mpz_t *v, size_t n)
{
    for (size_t i = 0; v && i < n; i++)
        mpz_clear(v[i]);
    free(v);
}

/* Allocates n integers with value 0; they are freed by clear_all. Returns NULL if out of memory. */
static mpz_t *numbers(size_t n)
{
    mpz_t *v = calloc(n + 1, sizeof *v);
    for (size_t i = 0; v && i < n; i++)
        mpz_init(v[i]);
    return v;
}

/* total += entry * c */
static void add_times(mpz_t total, mpz_t term, const entry *e, const mpz_t c)
{
    mpz_mul_si(term, c, e->mantissa);
    mpz_mul_2exp(term, term, (mp_bitcnt_t)e->exponent);
    mpz_add(total, total, term);
}

/* The check on which the proof rests: A c = 0 with c >= 0 and not all 0, in exact arithmetic.
 * Nothing here depends on how c was found. */
static bool is_zero(const matrix *m, mpz_t *c)
{
    mpz_t total, term;
    bool ok = true, any = false;
    for (size_t i = 0; i < m->columns; i++) {
        ok = ok && mpz_sgn(c[i]) >= 0;
        any = any || mpz_sgn(c[i]) > 0;
    }
    mpz_init(total);
    mpz_init(term);
    for (size_t i = 0; i < m->rows && ok; i++) {
        mpz_set_ui(total, 0);
        for (size_t k = m->row[i]; k < m->row[i + 1]; k++)
            add_times(total, term, &m->at[k], c[m->at[k].column]);
        ok = mpz_sgn(total) == 0;
    }
    mpz_clear(total);
    mpz_clear(term);
    return ok && any;
}

/* mpz_set_str alone would accept white space and a sign. */
bool thr_zero_check(const thr_points *p, const thr_combination *z)
{
    matrix m = {0};
    mpz_t *c = numbers(z->n);
    bool ok = c && z->n > 0;
    for (size_t i = 0; i < z->n && ok; i++) {
        const char *text = z->coefficient[i];
        bool digits = *text && !text[strspn(text, "0123456789")];
        ok = z->point[i] < thr_points_count(p) && (i == 0 || z->point[i] > z->point[i - 1]) &&
             digits && mpz_set_str(c[i], text, 10) == 0;
    }
    ok = ok && matrix_make(&m, p, z->point, z->n) && is_zero(&m, c);
    matrix_clear(&m);
    clear_all(c, z->n);
    return ok;
}

/* ---- pivot columns and free columns ------------------------------------------------------- */

/* B: n independent rows of A restricted to the n pivot columns. It is invertible modulo p, hence
 * also over the rationals. */
typedef struct square {
    size_t n;
    size_t *row;       /* n rows of A */
    size_t *column;    /* n columns of A */
    size_t *place;     /* for each column of A: its position in column[] plus 1; 0: it is free */
    uint64_t *inverse; /* B^-1 mod p, n by n, row after row */
} square;

static uint64_t residue(const entry *e)
{
    return thr_mod_scaled(e->mantissa, (unsigned)e->exponent);
}

/* Adds the rows of A one by one to an echelon form modulo p. A row that raises the rank belongs to
 * B, and the column in which its remainder begins is a pivot. In an echelon form the pivots are
 * the columns that do not depend on columns to their left. The columns are sorted by falling
 * coefficient, so the free ones have the small coefficients. */
static bool choose_square(const matrix *m, square *s)
{
    thr_echelon e;
    uint64_t *v = calloc(m->columns + 1, sizeof *v);
    s->row = calloc(m->columns + 1, sizeof *s->row);
    s->column = calloc(m->columns + 1, sizeof *s->column);
    s->place = calloc(m->columns + 1, sizeof *s->place);
    bool ok = thr_echelon_init(&e, m->columns) && v && s->row && s->column && s->place;
    for (size_t i = 0; i < m->rows && ok; i++) {
        memset(v, 0, m->columns * sizeof *v);
        for (size_t k = m->row[i]; k < m->row[i + 1]; k++)
            v[m->at[k].column] = residue(&m->at[k]);
        size_t c = thr_echelon_add(&e, v);
        ok = c != SIZE_MAX;
        if (!ok || c == m->columns)
            continue;
        s->row[s->n] = i;
        s->column[s->n++] = c;
        s->place[c] = s->n;
    }
    thr_echelon_clear(&e);
    free(v);
    return ok;
}

/* Computes s->inverse. False also if out of memory, which the caller treats as "no proof found". */
static bool invert(const matrix *m, square *s)
{
    uint64_t *room = calloc(s->n * s->n + 1, sizeof *room);
    s->inverse = calloc(s->n * s->n + 1, sizeof *s->inverse);
    bool ok = room && s->inverse;
    for (size_t i = 0; i < s->n && ok; i++)
        for (size_t k = m->row[s->row[i]]; k < m->row[s->row[i] + 1]; k++)
            if (s->place[m->at[k].column])
                s->inverse[i * s->n + s->place[m->at[k].column] - 1] = residue(&m->at[k]);
    ok = ok && thr_mod_invert(s->inverse, room, s->n);
    free(room);
    return ok;
}

/* ---- lifting ------------------------------------------------------------------------------ */

/* The state of Dixon's iteration after m terms. Invariant: B x + p^m r = b, so that x solves the
 * system modulo p^m. */
typedef struct lift {
    const matrix *m;
    const square *s;
    mpz_t *r;        /* the residual r_m; stays about as large as b and B */
    mpz_t *x;        /* the sum of the terms so far, 0 <= x < p^m */
    uint64_t *mod;   /* r mod p */
    uint64_t *digit; /* x_m, the term being added: 0 <= digit < p */
    mpz_t power;     /* p^m */
} lift;

/* Adds one p-adic digit to every unknown: digit = B^-1 r mod p, x += digit p^m, and
 * r = (r - B digit) / p. The division is exact because B digit = r modulo p. */
static void lift_once(lift *l)
{
    size_t n = l->s->n;
    mpz_t term;
    mpz_init(term);
    for (size_t i = 0; i < n; i++)
        l->mod[i] = mpz_fdiv_ui(l->r[i], THR_PRIME);
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < n; k++)
            if (l->mod[k] && l->s->inverse[i * n + k])
                sum = thr_mod_reduce(sum + thr_mod_mul(l->s->inverse[i * n + k], l->mod[k]));
        l->digit[i] = sum;
        mpz_addmul_ui(l->x[i], l->power, sum);
    }
    for (size_t i = 0; i < n; i++) {
        size_t row = l->s->row[i];
        for (size_t k = l->m->row[row]; k < l->m->row[row + 1]; k++) {
            const entry *e = &l->m->at[k];
            if (!l->s->place[e->column])
                continue;
            mpz_set_ui(term, l->digit[l->s->place[e->column] - 1]);
            mpz_mul_si(term, term, e->mantissa);
            mpz_mul_2exp(term, term, (mp_bitcnt_t)e->exponent);
            mpz_sub(l->r[i], l->r[i], term);
        }
        mpz_divexact_ui(l->r[i], l->r[i], THR_PRIME);
    }
    mpz_mul_ui(l->power, l->power, THR_PRIME);
    mpz_clear(term);
}

/* Rational reconstruction: finds num / den = value mod power with |num|, den <= bound. Every step
 * of Euclid's algorithm on (power, value) keeps num = den * value modulo power, while num falls
 * and den grows; the first num within the bound is the one. As 2 bound^2 <= power, at most one
 * such fraction exists. Returns false if there is none: more terms are needed. */
static bool fraction(const mpz_t value, const mpz_t power, const mpz_t bound, mpz_t num, mpz_t den)
{
    mpz_t a, q, s, t;
    mpz_init_set(a, power);
    mpz_init(q);
    mpz_init(s);
    mpz_init(t);
    mpz_set(num, value);
    mpz_set_ui(den, 1);
    while (mpz_cmpabs(num, bound) > 0) {
        mpz_fdiv_qr(q, t, a, num);
        mpz_swap(a, num);
        mpz_swap(num, t);
        mpz_submul(s, q, den);
        mpz_swap(s, den);
    }
    bool ok = mpz_cmpabs(den, bound) <= 0 && mpz_sgn(den) != 0;
    if (mpz_sgn(den) < 0) {
        mpz_neg(num, num);
        mpz_neg(den, den);
    }
    mpz_clear(a);
    mpz_clear(q);
    mpz_clear(s);
    mpz_clear(t);
    return ok;
}

/* Reconstructs all unknowns over one denominator: x_i = out_i / den. All denominators divide
 * det B, and the first unknowns usually supply the whole of it. So each unknown is multiplied by
 * the denominator known so far, after which it is mostly an integer, and reconstruction costs
 * nothing: small non-negative integers pass `fraction` without a step, and small negative ones,
 * which appear as power - |x|, are recognised before. */
static bool fractions(const lift *l, mpz_t *out, mpz_t den)
{
    mpz_t bound, value, num, d;
    bool ok = true;
    mpz_init(bound);
    mpz_init(value);
    mpz_init(num);
    mpz_init(d);
    mpz_fdiv_q_2exp(bound, l->power, 1);
    mpz_sqrt(bound, bound);
    mpz_set_ui(den, 1);
    for (size_t i = 0; i < l->s->n && ok; i++) {
        mpz_mul(value, l->x[i], den);
        mpz_fdiv_r(value, value, l->power);
        mpz_sub(num, l->power, value);
        if (mpz_cmp(num, bound) <= 0) {
            mpz_neg(out[i], num);
            continue;
        }
        ok = fraction(value, l->power, bound, num, d);
        mpz_set(out[i], num);
        for (size_t k = 0; k < i && ok && mpz_cmp_ui(d, 1) > 0; k++)
            mpz_mul(out[k], out[k], d);
        mpz_mul(den, den, d);
        ok = ok && mpz_cmp(den, bound) <= 0;
    }
    mpz_clear(bound);
    mpz_clear(value);
    mpz_clear(num);
    mpz_clear(d);
    return ok;
}

static void lift_clear(lift *l)
{
    size_t n = l->s->n;
    clear_all(l->r, n);
    clear_all(l->x, n);
    free(l->mod);
    free(l->digit);
    mpz_clear(l->power);
}

/* Starts with r = b, where b = -sum over free columns of c_k a_k. After a failure, too, the caller
 * calls lift_clear. */
static bool lift_begin(lift *l, const matrix *m, const square *s, mpz_t *c)
{
    mpz_t term;
    *l = (lift){.m = m, .s = s};
    mpz_init_set_ui(l->power, 1);
    l->r = numbers(s->n);
    l->x = numbers(s->n);
    l->mod = calloc(s->n + 1, sizeof *l->mod);
    l->digit = calloc(s->n + 1, sizeof *l->digit);
    if (!l->r || !l->x || !l->mod || !l->digit)
        return false;
    mpz_init(term);
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = m->row[s->row[i]]; k < m->row[s->row[i] + 1]; k++)
            if (!s->place[m->at[k].column])
                add_times(l->r[i], term, &m->at[k], c[m->at[k].column]);
        mpz_neg(l->r[i], l->r[i]);
    }
    mpz_clear(term);
    return true;
}

/* An upper limit on the number of terms. Hadamard: a determinant is at most the product of the
 * lengths of its rows. A row has entries below 2^(24 + exponent), and 8 bits cover the square root
 * of their number. The 64 bits cover the free coefficients (at most 40 bits) summed over at most
 * MOST_COLUMNS columns. Numerator and denominator each have that many bits, a term has 61. */
static size_t most_terms(const matrix *m, const square *s)
{
    double bits = 64;
    for (size_t i = 0; i < s->n; i++) {
        double row = 1;
        for (size_t k = m->row[s->row[i]]; k < m->row[s->row[i] + 1]; k++)
            row = fmax(row, 24 + m->at[k].exponent);
        bits += row + 8;
    }
    return (size_t)(2 * bits / 61) + 2;
}

/* Given the coefficients c of the free columns, computes those of the pivot columns and multiplies
 * all by the common denominator. The limit of most_terms is far too high for most data, so
 * reconstruction is tried after 2, 4, 8, ... terms and the first result that passes is_zero is
 * taken. Returns false, with c unchanged, if there is none. */
static bool solve_rest(const matrix *m, const square *s, mpz_t *c)
{
    lift l;
    mpz_t den, *out = numbers(s->n);
    bool found = false, ok = out && lift_begin(&l, m, s, c);
    mpz_init(den);
    size_t most = ok ? most_terms(m, s) : 0;
    for (size_t terms = 0, look = 2; ok && !found && terms < most; look *= 2) {
        for (; terms < look && terms < most; terms++)
            lift_once(&l);
        if (!fractions(&l, out, den))
            continue;
        mpz_t *all = numbers(m->columns);
        for (size_t i = 0; all && i < m->columns; i++)
            if (s->place[i])
                mpz_set(all[i], out[s->place[i] - 1]);
            else
                mpz_mul(all[i], c[i], den);
        found = all && is_zero(m, all);
        for (size_t i = 0; found && i < m->columns; i++)
            mpz_set(c[i], all[i]);
        clear_all(all, m->columns);
    }
    if (out)
        lift_clear(&l);
    clear_all(out, s->n);
    mpz_clear(den);
    return found;
}

/* ---- from approximate to exact ------------------------------------------------------------ */

typedef struct ranked {
    size_t point;
    double near; /* the approximate coefficient, above 0 */
} ranked;

/* Falling; ties by point number, so that the order does not depend on qsort. */
static int by_coefficient(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->near != y->near)
        return x->near > y->near ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

static int by_point(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->point < y->point ? -1 : x->point > y->point;
}

/* Sets the free coefficients to integers in proportion to their approximations, the largest being
 * 2^bits. Few bits keep the exact solution short; more bits follow the approximation closer, so
 * that the pivot coefficients are more likely to stay >= 0. */
static bool round_free(const ranked *at, const square *s, size_t n, int bits, mpz_t *c)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!s->place[i])
            most = fmax(most, at[i].near);
    for (size_t i = 0; i < n; i++)
        if (!s->place[i] && most > 0)
            mpz_set_d(c[i], rint(ldexp(at[i].near / most, bits)));
    return most > 0;
}

/* Divides by the greatest common divisor, drops zeros and writes decimal digits. */
static int write_zero(const ranked *at, size_t n, mpz_t *c, thr_combination *out, thr_error *err)
{
    mpz_t common;
    size_t used = 0;
    mpz_init(common);
    for (size_t i = 0; i < n; i++) {
        mpz_gcd(common, common, c[i]);
        used += mpz_sgn(c[i]) > 0;
    }
    bool ok = thr_combination_init(out, used);
    out->n = 0;
    for (size_t i = 0; i < n && ok; i++) {
        if (mpz_sgn(c[i]) == 0)
            continue;
        mpz_divexact(c[i], c[i], common);
        out->point[out->n] = at[i].point;
        size_t room = mpz_sizeinbase(c[i], 10) + 2;
        char *text = malloc(room);
        ok = text && mpz_get_str(text, 10, c[i]);
        out->coefficient[out->n] = text;
        out->n += ok;
    }
    mpz_clear(common);
    if (ok)
        return 0;
    thr_combination_clear(out);
    return thr_fail_memory(err);
}

/* Sorts points and coefficients by point number, as thr_combination requires. The mpz_t structs are
 * moved bitwise, which leaves each with exactly one owner. `order` carries the old position in its
 * field `near`. */
static bool sort_back(ranked *at, mpz_t *c, size_t n)
{
    ranked *order = calloc(n + 1, sizeof *order);
    mpz_t *copy = calloc(n + 1, sizeof *copy);
    if (order && copy) {
        memcpy(copy, c, n * sizeof *c);
        for (size_t i = 0; i < n; i++)
            order[i] = (ranked){at[i].point, (double)i};
        qsort(order, n, sizeof *order, by_point);
        for (size_t i = 0; i < n; i++) {
            at[i].point = order[i].point;
            memcpy(&c[i], &copy[(size_t)order[i].near], sizeof *c);
        }
    }
    bool ok = order && copy;
    free(order);
    free(copy);
    return ok;
}

/* at: n points, sorted by falling coefficient. If no column is free, the points are independent and
 * no combination exists. */
static int find(const thr_points *p, ranked *at, size_t n, thr_combination *out, thr_error *err)
{
    static const int precision[] = {0, 20, 40};
    size_t *point = calloc(n + 1, sizeof *point);
    matrix m = {0};
    square s = {0};
    mpz_t *c = numbers(n);
    int code = 0;
    for (size_t i = 0; i < n && point; i++)
        point[i] = at[i].point;
    bool ok = point && c && matrix_make(&m, p, point, n) && choose_square(&m, &s);
    if (!ok)
        code = thr_fail_memory(err);
    bool found = false;
    if (ok && s.n < n && invert(&m, &s)) {
        /* With one free column the null space is a line: its coefficient may be set to 1, and
         * no precision is lost. Otherwise 20 bits are tried and then 40. */
        for (size_t i = n - s.n == 1 ? 0 : 1; i < (n - s.n == 1 ? 1 : 3) && !found; i++)
            found = round_free(at, &s, n, precision[i], c) && solve_rest(&m, &s, c);
    }
    if (found && !code)
        code = sort_back(at, c, n) ? write_zero(at, n, c, out, err) : thr_fail_memory(err);
    free(point);
    clear_all(c, n);
    matrix_clear(&m);
    free(s.row);
    free(s.column);
    free(s.place);
    free(s.inverse);
    return code;
}

int thr_zero_find(const thr_points *p, const size_t *point, const double *near, size_t n,
                  thr_combination *out, thr_error *err)
{
    *out = (thr_combination){0};
    ranked *at = calloc(n + 1, sizeof *at);
    size_t used = 0;
    if (!at)
        return thr_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        if (near[i] > 0 && isfinite(near[i]))
            at[used++] = (ranked){point[i], near[i]};
    qsort(at, used, sizeof *at, by_coefficient);
    int code = used && used <= MOST_COLUMNS ? find(p, at, used, out, err) : 0;
    free(at);
    return code;
}
#else
/* Without GMP only the sum of two opposite points, with coefficients 1 and 1, is recognised: it
 * needs no large integers. */
bool thr_zero_check(const thr_points *p, const thr_combination *z)
{
    matrix m = {0};
    bool ok = z->n == 2 && z->point[0] < z->point[1] && z->point[1] < thr_points_count(p) &&
              strcmp(z->coefficient[0], "1") == 0 && strcmp(z->coefficient[1], "1") == 0 &&
              matrix_make(&m, p, z->point, 2);
    for (size_t i = 0; i < m.rows && ok; i++) {
        const entry *e = &m.at[m.row[i]];
        ok = m.row[i + 1] - m.row[i] == 2 && e[0].mantissa == -e[1].mantissa &&
             e[0].exponent == e[1].exponent;
    }
    matrix_clear(&m);
    return ok;
}

int thr_zero_find(const thr_points *p, const size_t *point, const double *near, size_t n,
                  thr_combination *out, thr_error *err)
{
    (void)p, (void)point, (void)near, (void)n, (void)err;
    *out = (thr_combination){0};
    return 0;
}
#endif
