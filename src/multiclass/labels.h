/* Labels: names <-> numbers, in the order of first appearance, and which of the first two is the
 * positive one.
 *
 * While there are at most two labels, a rule that can do so uses one function for both. The
 * function scores one of them, the anchor: label 0 for antisymmetric rules, the positive label for
 * others.
 *
 * Which of two labels is positive: the one that was declared positive; else the greater one, as
 * numbers if both are numbers, otherwise byte by byte (`pos` > `neg`, `spam` > `ham`). While one
 * label is known, it is taken as positive unless it is a number of at most 0; the other side
 * belongs to a label that has not been met. So a shared function may predict the number, 0 or 1, of
 * a label that has no name yet. */
#ifndef THR_MULTICLASS_LABELS_H
#define THR_MULTICLASS_LABELS_H

#include "base/error.h"
#include "base/mem.h"
#include "base/secret.h"

typedef struct thr_label_slot {
    uint64_t bits;  /* the bytes of a short name (below 8), the hash of a longer one */
    uint32_t n;     /* length of the name */
    uint32_t label; /* its number + 1; 0: the slot is free */
} thr_label_slot;

typedef struct thr_labels {
    char **name; /* owned */
    uint32_t n;
    size_t room;
    thr_label_slot *table; /* open addressing, at most half full */
    size_t slots;          /* a power of two, or 0 */
    bool keyed;            /* places are those of a secret hash */
    thr_secret secret;     /* its key */
    char *declared;        /* name of the label declared positive, or NULL */
    uint32_t positive;     /* 0 or 1: which of the first two labels, known or not, is positive */
} thr_labels;

/* Whether two names mean the same label: equal bytes, or equal numbers. */
bool thr_label_same(const char *a, const char *b);
int thr_labels_init(thr_labels *l, const char *declared_positive, thr_error *err);
void thr_labels_clear(thr_labels *l);
int thr_labels_copy(const thr_labels *l, thr_labels *out, thr_error *err);
uint32_t thr_labels_find(const thr_labels *l, thr_str name); /* THR_NONE: not known */
/* Finds a label or adds it. */
int thr_labels_add(thr_labels *l, thr_str name, uint32_t *label, thr_error *err);
/* Removes the labels from number n on, in the reverse order of adding. */
void thr_labels_drop(thr_labels *l, uint32_t n);

#endif
