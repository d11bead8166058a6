/* Labels: names in the order of their first appearance, and which side of a shared function each
 * is on.
 *
 * While there are at most two, a rule that can uses one function for both. It scores the
 * `anchor`: label 0 for antisymmetric rules, the positive label for the others. Of two labels the
 * greater is positive: as numbers if both are, else byte by byte (`pos` > `neg`, `spam` > `ham`),
 * unless one is declared positive. While only one is known, a number at most 0 is taken as
 * negative, anything else as positive, and the other side is a label still unknown. */
#ifndef THR_MULTICLASS_LABELS_H
#define THR_MULTICLASS_LABELS_H

#include "base/error.h"
#include "base/mem.h"

typedef struct thr_label_slot {
    uint64_t bits;  /* of a short name itself, of a long one the hash */
    uint32_t n;     /* its length */
    uint32_t label; /* its number + 1; 0: the slot is free */
} thr_label_slot;

typedef struct thr_labels {
    char **name; /* owned */
    uint32_t n;
    size_t room;
    thr_label_slot *table; /* open addressing */
    size_t slots;
    char *declared;    /* positive by declaration, or NULL */
    uint32_t positive; /* 0 or 1: the label, known or not, that is positive (of the first two) */
} thr_labels;

/* Whether two names are one label: as numbers, if both are. */
bool thr_label_same(const char *a, const char *b);
int thr_labels_init(thr_labels *l, const char *declared_positive, thr_error *err);
void thr_labels_clear(thr_labels *l);
int thr_labels_copy(const thr_labels *l, thr_labels *out, thr_error *err);
uint32_t thr_labels_find(const thr_labels *l, thr_str name); /* THR_NONE: not known */
int thr_labels_add(thr_labels *l, thr_str name, uint32_t *label, thr_error *err);
/* Takes back the labels from number n on, the last ones added. */
void thr_labels_drop(thr_labels *l, uint32_t n);

#endif
