/* Units: values are scaled so that predictions do not depend on the unit of a feature (the setting
 * `scale`; after Ross, Mineiro and Langford, "Normalized online learning", 2013).
 *
 * Sparse values. Feature i has the value x_i / s_i, where s_i is the greatest |x_i| met so far, the
 * present example included. While all values are 1 nothing is scaled, and nothing is kept.
 *
 * Numbers, the features of the namespace THR_NUMBERS: the numeric columns of CSV. They are
 * standardised: (x_i - mean_i) / deviation_i with the mean and standard deviation so far. Zero is a
 * value like any other here, and an absent number is one that is missing: it contributes nothing,
 * as if it were the mean. Until a second value other than 0 is met, a column is taken for a mark
 * that is set or not, and is not centred: its values are 0 and 1.
 *
 * Weights belong to the scaled values. When s_i grows, rules convert them into the new unit
 * (learner->rescale), so that the function that was learned stays the same; only later steps become
 * shorter. (The rule NAG of the paper lets the function shrink. On streams whose values grow slowly
 * that forgets too much: on ijcnn1 it costs two points and more.) Multiplying a column by a
 * constant changes no scaled value, and by a power of two not even a bit of one.
 *
 * Rules that cannot take negative values see 0 in place of numbers and of features that have ever
 * been negative. So their functions stay linear.
 *
 * An array over ids has s_i:   > 0  the greatest value, all values so far were at least 0
 *                              < 0  minus the greatest |x_i|, some value was negative
 *                              NaN  a number; column[] has the rest
 *                                0  not met, or met with the value 1 only, before `active`
 * All of it depends on the examples and their order alone, and is saved. Snapshots share the
 * array, copy on write. */
#ifndef THR_MODEL_UNITS_H
#define THR_MODEL_UNITS_H

#include "base/error.h"
#include "base/share.h"
#include "example/batch.h"
#include "example/example.h"

typedef struct thr_number_column {
    uint32_t id;
    bool varied;          /* two different values other than 0 were met: it is standardised */
    double first;         /* the first value other than 0; 0: none yet */
    double n, mean, sum2; /* values met, their mean, sum of squared distances from it */
} thr_number_column;

typedef struct thr_units {
    bool on;                   /* some member sees scaled values */
    bool active;               /* S  a value other than 1 has been met */
    uint32_t began;            /* S  ids below this were met before, with the value 1 */
    thr_paged most;            /* S  float per id */
    size_t reach;              /* ids that `most` has */
    size_t beside;             /* > 0: s_i is also in feature i's row, at this offset */
    thr_number_column *column; /* S  ascending by id */
    size_t columns, column_room;
} thr_units;

void thr_units_clear(thr_units *u);
int thr_units_share(const thr_units *u, thr_units *out, thr_error *err);
/* Whether e, an example of b, has to be scaled: some value is not 1, some feature is a number, or
 * scaling has begun. */
bool thr_units_needed(const thr_units *u, const thr_example *e, const thr_batch *b, size_t example);
/* Prefetches the scales of n features: they are scattered over memory, as rows are. */
void thr_units_prefetch(const thr_units *u, const uint32_t *id, size_t n);
/* Learns the units of an example that is about to be learned: features i of e are the features
 * b->start[example] + place[i] of the batch (place NULL: + i), ids below `known` were met before.
 * `fixed`: features that are not numbers keep their values, as those of running text. most[i]
 * becomes the new s_i. `grown`, with room for e->n, gets the features that had a unit and have a
 * greater one now, in the order of the example, and *n_grown their number. On failure nothing is
 * learned. */
int thr_units_see(thr_units *u, const thr_example *e, const thr_batch *b, size_t example,
                  const size_t *place, uint32_t known, bool fixed, float *most, thr_growth *grown,
                  size_t *n_grown, thr_error *err);
/* most[i] = s_i, for an example that is only predicted. `row`, or NULL, has the rows of e's
 * features in the first table, from which s_i is read if it is there (u->beside): then it is in the
 * cache line that scoring needs. */
void thr_units_read(const thr_units *u, const thr_example *e, char *const *row, float *most);
/* The scaled values of e: all of them and, unless `positive` is NULL, those for rules that take no
 * negative values. most[i] is s_i, and may be changed. Returns the squared length of the features
 * that are no numbers. Numbers in `scaled` are multiplied by that length if `unit` is set, for
 * rules that will divide by it. *differ: the two are not the same; else `positive` may be
 * incomplete. */
double thr_units_scale(const thr_units *u, const thr_example *e, bool fixed, bool unit, float *most,
                       float *scaled, float *positive, bool *differ);
/* Whether rules that take no negative values see a feature. */
bool thr_units_positive(const thr_units *u, uint32_t id);
/* s_i as in the array above, and with 1 in place of 0 for a feature met before `active`. */
float thr_units_stored(const thr_units *u, uint32_t id);
float thr_units_most(const thr_units *u, uint32_t id);
/* Setting s_i, after thr_units_reach. For files and for models that are put together from
 * others. */
bool thr_units_reach(thr_units *u, size_t n);
bool thr_units_set(thr_units *u, uint32_t id, float most);
/* The page of THR_PAGED scales from `id` on, to be read from a file after thr_units_reach;
 * thr_units_sound then says whether all of them make sense. */
float *thr_units_page(thr_units *u, uint32_t id);
bool thr_units_sound(const thr_units *u);
const thr_number_column *thr_units_column(const thr_units *u, uint32_t id);
/* Adds a column behind the others, for reading and mixing. */
bool thr_units_add_column(thr_units *u, const thr_number_column *c);
/* Whether all numbers are within the ranges that learning keeps. */
bool thr_number_column_sound(const thr_number_column *c);

#endif
