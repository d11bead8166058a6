/* Fields: what nearest neighbours compare, and how much each field tells about the label.
 *
 * The features of one namespace whose names are alike up to the first `=` form a group
 * (model/groups.h). As long as every example has had at most one feature of a group, with value
 * 1, the group is one field: the features are its values, and absence is a value too. Once an
 * example has two of them, or a value other than 1, the group is broken for good, and each of
 * its features is a field of its own. Such a field is a number, 0 where the feature is absent;
 * or, as long as no example had a value other than 1, it is present or absent.
 *
 * The weight of a field with values v is its information gain or gain ratio about the label c
 * (Quinlan 1986, 1993; as in TiMBL, Daelemans and van den Bosch 2005). With A(n) = n log2 n,
 * and n counting importance (N of all examples, n_c of a label, n_v of a value, n_vc of both),
 *     gain  = H(C) - sum_v P(v) H(C|v)
 *           = (A(N) - sum_c A(n_c) - sum_v (A(n_v) - sum_c A(n_vc))) / N
 *     ratio = gain / -sum_v P(v) log2 P(v) = gain N / (A(N) - sum_v A(n_v)).
 * The sums over the values of a group are updated with each example, so that its weight costs
 * only a loop over the labels. Numbers are cut into 20 intervals for this purpose, and no
 * other: the distinct values in order, equally many in each interval, the first intervals
 * having one more if 20 does not divide their number. */
#ifndef THR_LEARNER_FIELDS_H
#define THR_LEARNER_FIELDS_H

#include "learner/learner.h"

enum thr_field_weights { THR_FIELD_GAIN, THR_FIELD_RATIO, THR_FIELD_NONE };

/* The examples of one label in which a feature has one value. */
typedef struct thr_number {
    double value, weight; /* weight: importance of these examples */
    uint32_t label;
} thr_number;

/* The values of one feature, ascending by value and label, without the 0 of its absence. */
typedef struct thr_numbers {
    thr_number *at;
    size_t n, room;
} thr_numbers;

typedef struct thr_field_group {
    bool broken;           /* its features are fields of their own, for good */
    uint32_t examples;     /* how many have one of its features */
    double values, inside; /* sum_v A(n_v); sum_v (A(n_v) - sum_c A(n_vc)) */
    uint32_t here;         /* scratch: how many of its features the present example has ... */
    bool odd;              /* ... and whether one of them has a value other than 1 */
} thr_field_group;

typedef struct thr_field_feature {
    double weight;     /* importance of the examples that have it */
    uint32_t examples; /* how many they are */
    uint32_t numbers;  /* its values are numbers[numbers - 1]; 0: all its values are 1 */
    uint32_t group;    /* as its name says, broken or not; 0: none */
} thr_field_feature;

typedef struct thr_fields {
    size_t examples;
    bool loose;           /* some feature is a field of its own */
    double weight;        /* N: importance of all examples */
    double *label;        /* n_c: importance of each label's examples */
    double outside;       /* A(N) - sum_c A(n_c) */
    thr_weights by_label; /* n_vc: [feature][label], importance */
    thr_weights by_group; /* [group][label], importance */
    thr_field_feature *feature;
    size_t features, feature_room;
    thr_field_group *group; /* number 0 is not used */
    size_t groups, group_room;
    thr_numbers *numbers;
    size_t n_numbers, numbers_room;
    double *a; /* A(0), A(1), ...: a table for whole counts */
    size_t n_a, a_room, label_room;
    uint32_t *met; /* scratch: the groups of the present example */
    size_t n_met, met_room;
} thr_fields;

void thr_fields_init(thr_fields *f);
void thr_fields_clear(thr_fields *f);
/* Makes `out` a copy of what has been counted so far; the two tables are shared (copy on
 * write), the rest is copied. f may go on counting. */
int thr_fields_share(const thr_fields *f, thr_fields *out, thr_error *err);
/* Makes room for counting e, whose label is below `labels`. `group` is r->group of the rule.
 * Then thr_fields_count, which cannot fail, counts e; no feature of e comes twice. */
int thr_fields_ready(thr_fields *f, const thr_example *e, const uint32_t *group, uint32_t labels,
                     thr_error *err);
void thr_fields_count(thr_fields *f, const thr_example *e);

/* The group whose value a feature is; 0: the feature is a field of its own. */
static inline uint32_t thr_fields_group(const thr_fields *f, uint32_t id)
{
    uint32_t g = f->feature[id].group;
    return f->group[g].broken ? 0 : g;
}

/* Whether every example has a feature of the group. */
static inline bool thr_fields_complete(const thr_fields *f, uint32_t group)
{
    return f->group[group].examples == f->examples;
}

/* The weight of a field: of a group, or of a feature that is a field of its own. `scratch` has
 * room for one number per label. */
double thr_fields_group_weight(const thr_fields *f, uint32_t group, enum thr_field_weights kind);
double thr_fields_weight(const thr_fields *f, uint32_t id, enum thr_field_weights kind,
                         double *scratch);
/* The greatest difference between two values of a feature that is a field of its own; 1 if it
 * is only present or absent. */
double thr_fields_range(const thr_fields *f, uint32_t id);

#endif
