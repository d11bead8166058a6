/* The kept examples nearest to a new one.
 *
 *     distance(x, z) = sum over fields f of w_f d(x_f, z_f)
 *     d = [x_f != z_f] for values that are names, |x_f - z_f| / (max_f - min_f) for numbers
 *
 * Fields and their weights w are those of fields.h. Numbers outside max - min are not cut off.
 *
 * Each w d is rounded to a multiple of 2^-40: sums and differences of them are exact, equal
 * distances are equal, and
 *     distance(x, z) = alone(x) + alone(z) - shared(x, z),
 * where alone() is the distance to an example that has nothing and shared() comes from the postings
 * of x's features. Fields that every example has are left out of alone(z) and added at the end.
 *
 * The weights change with every example, and so does alone(z) of each kept one. It is worked out
 * anew only now and then; in between no weight has fallen by more than some `fall`, so that
 *     alone(z) >= alone(z) then - |z| fall,
 * and only those that this leaves near enough are looked at again. */
#ifndef THR_LEARNER_NEAR_H
#define THR_LEARNER_NEAR_H

#include "learner/fields.h"
#include "weights/postings.h"

/* What differences weigh at some time. */
typedef struct thr_metric {
    double *feature; /* per feature: weight of its field; 0 for fields that all examples have */
    double *range;   /* per feature: what its values differ by at most */
    double *group;   /* per group; 0 for broken ones */
    double complete; /* sum of the weights of fields that all examples have */
    bool plain;      /* there are no other fields; `feature` and `range` are not filled in */
} thr_metric;

typedef struct thr_near {
    enum thr_field_weights kind;
    thr_fields fields;
    thr_postings by_feature, by_group;
    thr_metric then; /* as it was after `made` examples; 0 for features since */
    double *alone;   /* per kept example, as it was then */
    size_t made;
    double *scratch; /* per label */
    size_t features; /* of `then` */
    size_t feature_room, range_room, group_room, alone_room, scratch_room;
} thr_near;

/* What a search found, in the room it was given. */
typedef struct thr_found {
    double
        *distance; /* per kept example; at least that far where it is beyond the last of `near` */
    double *near;  /* the least distances, ascending, each once */
    size_t n;
    double base; /* to be added to all of them */
} thr_found;

void thr_near_init(thr_near *x, enum thr_field_weights kind);
void thr_near_clear(thr_near *x);
/* The same examples: postings and tables shared, the rest copied; x may go on. */
int thr_near_share(const thr_near *x, thr_near *out, thr_error *err);
/* Room for adding e, whose label is below `labels` and of whose features none comes twice. `group`
 * is that of thr_rule. */
int thr_near_ready(thr_near *x, const thr_example *e, const uint32_t *group, uint32_t labels,
                   thr_error *err);
/* e was kept as number `example`. */
void thr_near_add(thr_near *x, const thr_example *e, uint32_t example);
/* Works out what is worked out now and then: at once, or if it is time. */
void thr_near_refresh(thr_near *x, const thr_memory *m);
void thr_near_refresh_in_time(thr_near *x, const thr_memory *m);
/* The `most` least distances to e. Its features may come `twice`: of those that do, the first
 * counts. */
size_t thr_near_room(const thr_near *x, const thr_memory *m, size_t most);
thr_found thr_near_search(const thr_near *x, const thr_memory *m, const thr_example *e, bool twice,
                          size_t most, double *room);
/* Place among the least distances of the first that is not below d. */
size_t thr_found_place(const thr_found *f, double d);

#endif
