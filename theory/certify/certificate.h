/* A certificate: what was proved of a data set, as text that anybody can check (check.h). The
 * format is in docs/certificate-format.md. Here it is written. */
#ifndef THR_CERTIFY_CERTIFICATE_H
#define THR_CERTIFY_CERTIFICATE_H

#include "base/mem.h"
#include "exact/exact.h"

#include "thresh_theory.h"

#define THR_CERTIFICATE_FIRST "thresh certificate 1"

/* What a proof is about. */
enum thr_proved {
    THR_PROVED_GAMMA, /* the margin: a lower end by a separator, an upper one by a combination */
    THR_PROVED_G,     /* the l1 margin, likewise */
    THR_PROVED_NONE,  /* there is no separator: a combination that is zero */
};

typedef struct thr_proof {
    enum thr_proved about;
    double claim;                /* the end; not for THR_PROVED_NONE */
    const double *w;             /* a separator: thr_points_dims whole numbers; or NULL, and */
    const thr_zero *combination; /* whole numbers above 0, for points without their scales */
} thr_proof;

typedef struct thr_certified {
    const thr_points *points; /* of the data; two labels: `positive` is 1 */
    const thr_data *data;
    const char *const *label; /* names by number */
    const thr_settings *settings;
} thr_certified;

/* One number for the examples, their labels, features and values. 0: out of memory. */
uint64_t thr_certificate_fingerprint(const thr_data *d);
/* Whether examples are scaled to length 1, by the settings: 1 all, 0 none, -1 those made of text;
 * and whether one of them is. */
int thr_certificate_unit(const thr_settings *s);
bool thr_certificate_scales(const thr_data *d, size_t example, int unit);
/* The settings of a certificate: those that say what the features are. NULL past the end. */
const char *thr_certificate_setting(size_t i);
/* The claim as it will be written, from the safe side: up, or down. `out` has room for 64. */
void thr_certificate_claim(double value, bool up, char *out);
/* Appends the whole file. False: out of memory. */
bool thr_certificate_write(const thr_certified *d, const thr_proof *proof, size_t n,
                           thr_bytes *out);

#endif
