/* A case: one example while it is worked out. It has the rows of the example's features in every
 * member's table, each member's view of the example, everyone's scores and probabilities, and which
 * labels are true, possible and chosen.
 *
 * A workspace (workspace.h) holds one case or several; a case belongs to one model as long as the
 * model's layout does not change. */
#ifndef THR_STEP_CASE_H
#define THR_STEP_CASE_H

#include "example/batch.h"
#include "model/layout.h"
#include "weights/weights.h"

#include "thresh.h"

/* Experts are the members and, in a panel, their blend. */
typedef struct thr_case {
    double *live;        /* per function of every member, from member->at on */
    double *shown;       /* per function of the widest member */
    double *score;       /* [member][label] */
    double *evidence;    /* [member][label]: what probabilities are made of */
    double *log_p;       /* [expert][label] */
    double *answer;      /* per label, and two places more: scores shown */
    double *chances;     /* per label: logarithm of the probability shown */
    bool unnormalised;   /* `chances` are panel scores before the softmax */
    double *probability; /* per label: the probability shown */
    double *room;        /* scratch of the rules, so many numbers: */
    size_t scratch;
    thr_gathered
        *gathered;   /* [member], in learning: what scoring took out of the rows; else NULL */
    uint32_t *said;  /* per expert: its prediction */
    bool *wrong;     /* per expert */
    bool *truth;     /* per label, where several may be true: whether it is */
    bool *chosen;    /* ... and whether it is predicted */
    bool *candidate; /* per label: whether it may be the answer, if `restricted` */
    bool restricted;
    char **row;        /* of the features, where they were not found ahead */
    char *spare;       /* rows of features that have none: start values */
    thr_example *view; /* [member]: the example as each sees it */
    uint32_t top;      /* in learning: the greatest id it was read with */
    bool filtered;     /* it lacks some of the features it was read with ... */
    uint32_t *id;      /* ... and lies here */
    float *x;
    size_t *place;     /* of a feature among those it was read with */
    double *numbers;   /* the memory of the numbers above */
    bool *flags;       /* the memory of truth, chosen and candidate */
    thr_layout layout; /* of these */
    size_t numbers_room, said_room, wrong_room, spare_room, view_room, flag_room;
    size_t id_room, x_room, place_room, gathered_room, row_room;
} thr_case;

void thr_case_clear(thr_case *c);
/* Room for what is worked out of one example of m; `learning`: for updates too. What it was laid
 * out for before must have been the same, or c->layout is empty. */
bool thr_case_lay_out(thr_case *c, const thr_model *m, bool learning);
bool thr_case_is_laid_out(const thr_case *c, const thr_model *m);
/* Tells every member's view what has become known of the example's label. */
void thr_case_tell(thr_case *c, uint32_t members, const thr_example *whole);

/* Example i of a resolved batch, with its bias and not scaled. */
void thr_model_example(const thr_model *m, const thr_batch *b, size_t i, thr_example *e);
/* ... without its length, which costs more than the rest. */
void thr_model_outline(const thr_model *m, const thr_batch *b, size_t i, thr_example *e);
/* ... as the member that speaks for the model sees it; it may lie in the case. */
int thr_model_view(const thr_model *m, thr_case *c, const thr_batch *b, size_t e, thr_example *out,
                   thr_error *err);

/* Leaves out of e the features that have come too seldom to count (min-count); e then lies in the
 * case. False: memory. */
bool thr_case_filter(const thr_model *m, thr_case *c, thr_example *e);
/* Where feature i of the example stood before that. */
size_t thr_case_place(const thr_case *c, size_t i);

/* The labels that may be the answer; again after a label has been added. */
void thr_case_restrict(const thr_model *m, thr_case *c, const thr_batch *b, size_t i,
                       thr_example *whole);
/* Several labels: which are true, and which are predicted. */
void thr_case_mark_truth(const thr_model *m, thr_case *c, const thr_batch *b, size_t i);
void thr_case_choose(const thr_model *m, thr_case *c);
/* Whether a label's own function says "mine". */
bool thr_case_chooses(const thr_case *c, const double *score, uint32_t label);

/* Scoring (score.c). Member k's scores, in place, and the label it says. */
void thr_case_score(const thr_model *m, thr_case *c, uint32_t k);
/* The answer, which may be a label still unknown, once all members have scored. `round` numbers the
 * draw of a random vote; NULL: none is drawn. */
uint32_t thr_case_decide(const thr_model *m, thr_case *c, const thr_example *whole,
                         const uint64_t *round);
double *thr_case_score_of(const thr_model *m, const thr_case *c, uint32_t k);
/* Member k's evidence for each label, worked out from its scores; and where it stands. */
double *thr_case_weigh(const thr_model *m, thr_case *c, uint32_t k);
double *thr_case_evidence(const thr_model *m, const thr_case *c, uint32_t k);
/* The labels' probabilities in c->probability and their logarithms in c->chances, after scoring. */
void thr_case_chances(const thr_model *m, thr_case *c);
/* ... the logarithms alone. */
void thr_case_log_chances(const thr_model *m, thr_case *c);
/* How far the positive one of two labels leads, by which examples can be ranked. */
double thr_case_lead(const thr_model *m, const thr_case *c);

#endif
