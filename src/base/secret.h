/* A hash that an adversary cannot predict: SipHash-1-3 (Aumasson and Bernstein 2012) with a key
 * that is drawn at random when it is first needed.
 *
 * Names are hashed with XXH3, whose seed is known, so somebody who wants to can make thousands of
 * names that all begin their search at the same slot of a table. A table that is searched too long
 * is therefore built anew with a secret hash (lexicon/cells.c, example/merge.c,
 * multiclass/labels.c); tables whose speed matters less use one from the start.
 *
 * Nothing that is learned or saved may depend on a secret hash. It only decides where in memory an
 * entry lies, never in which order entries are visited. */
#ifndef THR_BASE_SECRET_H
#define THR_BASE_SECRET_H

#include <stddef.h>
#include <stdint.h>

typedef struct thr_secret {
    uint64_t key[2]; /* both 0: not drawn yet */
} thr_secret;

/* Draws the key, unless that has been done. */
void thr_secret_draw(thr_secret *s);
uint64_t thr_secret_hash(const thr_secret *s, const void *p, size_t n);

static inline uint64_t thr_secret_number(const thr_secret *s, uint64_t number)
{
    return thr_secret_hash(s, &number, sizeof number);
}

#endif
