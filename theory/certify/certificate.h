/* Writes certificates: what was proved about a data set, as text that anybody can check. The format
 * is described in docs/certificate-format.md; check.h reads it. */
#ifndef THR_CERTIFY_CERTIFICATE_H
#define THR_CERTIFY_CERTIFICATE_H

#include "base/mem.h"
#include "exact/exact.h"

#include "thresh_theory.h"

#define THR_CERTIFICATE_FIRST "thresh certificate 1"

/* The statement that a proof is about. */
enum thr_proved {
    THR_PROVED_GAMMA, /* the margin: a separator proves a lower bound, a combination an upper one */
    THR_PROVED_G,     /* the l1 margin, likewise */
    THR_PROVED_NONE,  /* there is no separator: a combination is zero */
};

typedef struct thr_proof {
    enum thr_proved about;
    double claim;    /* the bound; not used for THR_PROVED_NONE */
    const double *w; /* a separator: thr_points_dims whole numbers; NULL if the proof
                        is a combination */
    const thr_combination
        *combination; /* positive whole coefficients, of points without their scales */
} thr_proof;

typedef struct thr_certified {
    const thr_points *points; /* of the data; with two labels `positive` must be 1 */
    const thr_data *data;
    const char *const *label; /* names by number */
    const thr_settings *settings;
} thr_certified;

/* A hash of all examples in order: labels, names of features and values. It does not depend on the
 * ids of features. 0: out of memory. */
uint64_t thr_certificate_fingerprint(const thr_data *d);
/* Which examples the settings scale to length 1: 1 all, 0 none, -1 those made of text. The second
 * function answers for one example, given that number. */
int thr_certificate_unit(const thr_settings *s);
bool thr_certificate_is_scaled(const thr_data *d, size_t example, int unit);
/* The names of the settings that a certificate holds: those that determine the features. NULL past
 * the end. */
const char *thr_certificate_setting(size_t i);
/* Prints a claim in decimal, moved up or down by a little so that it stays true: up for an upper
 * bound. `out` has room for 64 bytes. */
void thr_certificate_claim(double value, bool up, char *out);
/* Appends the whole certificate to `out`. False: out of memory. */
bool thr_certificate_write(const thr_certified *d, const thr_proof *proof, size_t n,
                           thr_bytes *out);

#endif
