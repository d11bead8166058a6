/* What a rule moves along: for each tag, features with the amounts by which the true tags have more of
 * them than the predicted ones.
 *
 *     D = F(x, y) - F(x, y'),     F(x, y) = sum over tokens of the features of (x, t, y_t, y_(t-1))
 *
 * A feature that several tokens have is added up, so that the length of D is exact and a rule moves
 * each weight once. Features are found by their ids in a small hash table. */
#ifndef THR_CHAIN_DIFFERENCE_H
#define THR_CHAIN_DIFFERENCE_H

#include "base/error.h"
#include "multiclass/rule.h"

typedef struct thr_difference {
    uint32_t *id; /* features, in the order of their first occurrence */
    char **row;
    size_t n;
    double *amount;  /* [feature][column] */
    uint32_t *label; /* [column] */
    uint32_t columns;
    uint32_t *column; /* [label]: THR_NONE if it has none */
    uint32_t labels;
    uint32_t *slot; /* open addressing: feature + 1, or 0 */
    size_t slots;
    uint32_t *part_id; /* the features of one tag */
    char **part_row;
    float *part_x;
    size_t id_room, row_room, amount_room, label_room, column_room, slot_room, part_id_room,
        part_row_room, part_x_room;
} thr_difference;

void thr_difference_clear(thr_difference *d); /* frees */
/* Begins a new one, of at most `features` that are added, each perhaps several times. False: out of
 * memory. */
bool thr_difference_begin(thr_difference *d, size_t features, uint32_t labels);
/* Tags must be named before features are added. */
void thr_difference_name(thr_difference *d, uint32_t label);
bool thr_difference_reserve(thr_difference *d); /* after naming. False: out of memory */
/* Adds features with the values x (NULL: all 1), times `amount`, for one tag; and times amount[column] for all
 * named ones. Features without an id are left out. */
void thr_difference_add(thr_difference *d, const uint32_t *id, char *const *row, const float *x,
                        size_t n, uint32_t label, double amount);
void thr_difference_add_all(thr_difference *d, const uint32_t *id, char *const *row, const float *x,
                            size_t n, const double *amount);
/* The squared length. */
double thr_difference_norm2(const thr_difference *d);
/* Moves the functions of all tags along the difference, as far as `step` says. `like` has what else a rule
 * asks of an example. */
int thr_difference_move(thr_difference *d, thr_rule *r, thr_weights *w, const thr_example *like,
                        double margin, double step, thr_error *err);

#endif
