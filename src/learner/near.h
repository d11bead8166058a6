/* Finds the kept examples nearest to a new one, exactly.
 *
 *     distance(x, z) = sum over fields f of w_f d(x_f, z_f)
 *     d = [x_f != z_f] for values that are names, |x_f - z_f| / (max_f - min_f) for numbers
 *
 * Fields and their weights w are those of fields.h. d of a new number beyond min and max may
 * exceed 1; it is not cut off.
 *
 * Comparing x with every field of every kept example would be slow. Instead,
 *     distance(x, z) = alone(x) + alone(z) - shared(x, z),
 * where alone() is the distance to an example without features, and shared() is what the fields
 * that x and z both have take away. It is computed from the postings of x's features, which
 * list just these examples. Fields that every example has are left out of alone(z); their sum
 * is added at the end. Each w d is rounded to a multiple of 2^-40. Sums and differences of such
 * numbers are exact, so the order of adding does not matter, and equal distances compare equal.
 *
 * The weights change with every example that is learned, and so does alone(z) of each kept
 * example. It is recomputed only now and then (thr_near_refresh). In between, no weight has
 * fallen by more than some `fall`, so with |z| the number of features of z
 *     alone(z) now >= alone(z) then - |z| fall.
 * Examples that are too far away by this bound are skipped; alone(z) is recomputed for the
 * others. */
#ifndef THR_LEARNER_NEAR_H
#define THR_LEARNER_NEAR_H

#include "learner/fields.h"
#include "weights/postings.h"

/* The weights of all fields at one moment. A field is complete if all kept examples have it. */
typedef struct thr_metric {
    double *feature; /* per feature: weight of its field; 0 for complete fields */
    double *range;   /* per feature: greatest difference of its values */
    double *group;   /* per group: its weight; 0 for broken groups */
    double complete; /* sum of the weights of complete fields */
    bool plain;      /* all fields are complete groups; `feature` and `range` are not set */
} thr_metric;

typedef struct thr_near {
    enum thr_field_weights kind;
    thr_fields fields;
    thr_postings by_feature, by_group;
    thr_metric then; /* the weights when there were `made` examples; 0 for features met since */
    double *alone;   /* alone(z) of each kept example, by the weights of `then` */
    size_t made;
    double *scratch; /* one number per label */
    size_t features; /* that `then` has */
    size_t feature_room, range_room, group_room, alone_room, scratch_room;
} thr_near;

/* The result of a search. It lies in the scratch memory that the search was given. */
typedef struct thr_found {
    double *distance; /* per kept example, without base; infinity for one that is farther than
                         the last of `near` and was skipped */
    double *near;     /* the least distances, without base, ascending, each once */
    size_t n;
    double base; /* to be added to every distance */
} thr_found;

void thr_near_init(thr_near *x, enum thr_field_weights kind);
void thr_near_clear(thr_near *x);
/* Makes `out` a copy with the same examples: postings and tables are shared (copy on write),
 * the rest is copied. x may go on learning. */
int thr_near_share(const thr_near *x, thr_near *out, thr_error *err);
/* Makes room for adding e, whose label is below `labels`; no feature of e comes twice. `group`
 * is r->group of the rule. */
int thr_near_ready(thr_near *x, const thr_example *e, const uint32_t *group, uint32_t labels,
                   thr_error *err);
/* Adds e, which was kept as number `example`. There is room. */
void thr_near_add(thr_near *x, const thr_example *e, uint32_t example);
/* Recomputes the weights and alone(z) of all kept examples: thr_near_refresh now,
 * thr_near_refresh_in_time only if the examples have grown by 1/256 since. */
void thr_near_refresh(thr_near *x, const thr_memory *m);
void thr_near_refresh_in_time(thr_near *x, const thr_memory *m);
/* Searches for the `most` least distances to e. `twice`: features of e may have the same id,
 * and the first of these counts. `room` has as many doubles as thr_near_room says. */
size_t thr_near_room(const thr_near *x, const thr_memory *m, size_t most);
thr_found thr_near_search(const thr_near *x, const thr_memory *m, const thr_example *e, bool twice,
                          size_t most, double *room);
/* The index of the first of the least distances that is not below d. */
size_t thr_found_place(const thr_found *f, double d);

#endif
