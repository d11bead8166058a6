/* Fields: what nearest neighbours compare, and how much each tells about the label.
 *
 * A group of features of which every example has had at most one, with value 1, is one field whose
 * values are the features; absence is a value too. Once an example has two of them, or a value
 * other than 1, the group is broken for good, and each of its features is a field of its own: a
 * number, 0 where it is absent; while no example had a value other than 1, present or absent.
 *
 * With A(n) = n log2 n, n counting importance, a field with values v tells (Quinlan 1986, 1993; as
 * in TiMBL, Daelemans and van den Bosch 2005)
 *     gain  = H(C) - sum_v P(v) H(C|v) = (A(N) - sum_c A(n_c) - sum_v (A(n_v) - sum_c A(n_vc))) / N
 *     ratio = gain / -sum_v P(v) log2 P(v) = gain N / (A(N) - sum_v A(n_v)).
 * The sums over the values of a group are kept up with each example, so that asking costs no more
 * than the labels. For this, and only this, numbers are cut into 20 intervals: the distinct values
 * in order, equally many in each, one more in the first where they do not come out even. */
#ifndef THR_LEARNER_FIELDS_H
#define THR_LEARNER_FIELDS_H

#include "learner/learner.h"

enum thr_field_weights { THR_FIELD_GAIN, THR_FIELD_RATIO, THR_FIELD_NONE };

typedef struct thr_number { /* importance of the examples of a label with this value */
    double value, weight;
    uint32_t label;
} thr_number;

typedef struct thr_numbers { /* of one feature, ascending; its absence, 0, is not among them */
    thr_number *at;
    size_t n, room;
} thr_numbers;

typedef struct thr_field_group {
    bool broken;
    uint32_t examples;     /* that have one of its features */
    double values, inside; /* sum_v A(n_v); sum_v (A(n_v) - sum_c A(n_vc)) */
    uint32_t here;         /* features in the example at hand */
    bool odd;              /* ... one with a value other than 1 */
} thr_field_group;

typedef struct thr_field_feature {
    double weight;     /* importance of the examples that have it */
    uint32_t examples; /* how many they are */
    uint32_t numbers;  /* from 1: which of `numbers` is its own; 0: all its values are 1 */
    uint32_t group;    /* as its name says; 0: none */
} thr_field_feature;

typedef struct thr_fields {
    size_t examples;
    bool loose;           /* some feature is a field of its own */
    double weight;        /* importance of all examples */
    double *label;        /* ... and of each label's */
    double outside;       /* A(N) - sum_c A(n_c) */
    thr_weights by_label; /* [feature][label]: importance */
    thr_weights by_group; /* [group][label] */
    thr_field_feature *feature;
    size_t features, feature_room;
    thr_field_group *group; /* number 0 is not used */
    size_t groups, group_room;
    thr_numbers *numbers;
    size_t n_numbers, numbers_room;
    double *a; /* A(0), A(1), ...: whole counts are looked up */
    size_t n_a, a_room, label_room;
    uint32_t *met; /* groups of the example at hand */
    size_t n_met, met_room;
} thr_fields;

void thr_fields_init(thr_fields *f);
void thr_fields_clear(thr_fields *f);
/* What has been counted so far, tables shared and the rest copied; f may go on counting. */
int thr_fields_share(const thr_fields *f, thr_fields *out, thr_error *err);
/* Room for counting e, whose label is below `labels`. `group` is that of thr_rule. */
int thr_fields_ready(thr_fields *f, const thr_example *e, const uint32_t *group, uint32_t labels,
                     thr_error *err);
void thr_fields_count(thr_fields *f, const thr_example *e);

/* The group that a feature is a value of; 0: it is a field of its own. */
static inline uint32_t thr_fields_group(const thr_fields *f, uint32_t id)
{
    uint32_t g = f->feature[id].group;
    return f->group[g].broken ? 0 : g;
}

/* Every example has it. */
static inline bool thr_fields_complete(const thr_fields *f, uint32_t group)
{
    return f->group[group].examples == f->examples;
}

/* What a difference in the field weighs. `scratch` has a number for each label. */
double thr_fields_group_weight(const thr_fields *f, uint32_t group, enum thr_field_weights kind);
double thr_fields_weight(const thr_fields *f, uint32_t id, enum thr_field_weights kind,
                         double *scratch);
/* What values of a feature differ by at most, 1 for one that is present or absent. */
double thr_fields_range(const thr_fields *f, uint32_t id);

#endif
