/* The sheet: where one example is worked out. It holds the rows of its features in every member's
 * table, everyone's scores and probabilities, and what is true, possible and chosen. */
#ifndef THR_MODEL_SHEET_H
#define THR_MODEL_SHEET_H

#include "example/batch.h"
#include "weights/weights.h"

#include "thresh.h"

/* Rows found before they are wanted, of the example whose features' ids begin at `id`. */
typedef struct thr_found {
    char **row; /* [member][feature], or [feature] where members' rows are side by side */
    const uint32_t *id;
    size_t n, room;
    thr_listed how;
    size_t near, portion; /* rows brought near so far; so many at a time */
} thr_found;

/* What the size and the contents of a sheet's arrays depend on. */
typedef struct thr_layout {
    const void *member; /* the model's */
    size_t labels, members, functions, widest;
    bool room;   /* some rule asks for scratch, and for more as it learns */
    bool groups; /* some rule compares fields */
} thr_layout;

/* One per thread. Experts are the members and the blend. */
typedef struct thr_sheet {
    double *live;        /* per function of every member, from member->at on */
    double *shown;       /* per function of the widest member */
    double *score;       /* [member][label] */
    double *evidence;    /* [member][label]: what probabilities are made of */
    double *log_p;       /* [expert][label] */
    double *answer;      /* per label, and two places more: scores shown */
    double *chances;     /* per label: logarithm of the probability shown ... */
    bool rough;          /* ... all but for the same number: a panel's that nobody asked for yet */
    double *probability; /* per label: the probability shown */
    double *room;        /* scratch of the rules, so many numbers: */
    size_t scratch;
    thr_some *some;      /* [member], in learning: what scoring took out of the rows */
    uint32_t *said;      /* per expert: its prediction */
    uint32_t *told;      /* the same as it was, when a new label has come: what counts */
    bool *wrong;         /* per expert */
    bool *truth;         /* per label, where several may be true: whether it is */
    bool *chosen;        /* ... and whether it is predicted */
    bool *candidate;     /* per label: whether it may be the answer, if `restricted` */
    bool restricted;
    thr_found found[2];  /* this example and the next take turns */
    unsigned turn;       /* the one found last */
    thr_found own;       /* of an example whose rows were not found ahead */
    char *spare;         /* rows that had to be made */
    thr_weights **table; /* of the members, but in learning of none that sits out */
    size_t tables;
    thr_example *view;   /* [member]: the example at hand as each sees it */
    uint32_t top;        /* in learning: the greatest id it was read with */
    bool filtered;       /* it lacks some of the features it was read with ... */
    uint32_t *id;        /* ... and lies here */
    float *x;
    size_t *place;     /* of a feature among those it was read with */
    double *numbers;   /* what the numbers above stand in */
    bool *flags;       /* what truth, chosen and candidate stand in */
    thr_layout layout; /* of these */
    size_t numbers_room, said_room, wrong_room, spare_room, table_room, view_room, flag_room;
    size_t id_room, x_room, place_room, some_room;
} thr_sheet;

/* Room for example i of b, the rows of its features found, and each member's view of it. */
bool thr_sheet_ready(thr_sheet *s, const thr_model *m, const thr_example *whole, const thr_batch *b,
                     size_t i);
/* ... where the sheet is laid out. */
bool thr_sheet_show(thr_sheet *s, const thr_model *m, const thr_example *whole, const thr_batch *b,
                    size_t i);
/* Whether a label's own function says "mine". */
bool thr_sheet_chooses(const thr_sheet *s, const double *score, uint32_t label);
void thr_sheet_clear(thr_sheet *s);
/* The members' tables in s->table, and room for all there is to be worked out. Where s->tables are
 * not all of them, some member sits out, and its table has no rows beside the others'. */
bool thr_sheet_lay_out(thr_sheet *s, const thr_model *m);
/* The greatest of an example's ids, 0 if it has none. */
uint32_t thr_sheet_top(const thr_sheet *s, const thr_example *e);
/* Finds the rows of example i, if there is one, and remembers where they are. What is remembered
 * must be forgotten when rows move, and before the batch goes. In learning, features that have no
 * rows yet will have some by then. */
void thr_sheet_prefetch(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i,
                        bool learning);
/* Brings some more of them nearer: called time and again while the example before is worked out. */
void thr_sheet_bring_some(thr_sheet *s);
static inline void thr_sheet_bring(thr_sheet *s)
{
    if (s->found[s->turn].near < s->found[s->turn].n)
        thr_sheet_bring_some(s);
}
void thr_sheet_forget(thr_sheet *s);

/* Example i of a resolved batch, with its bias and not scaled. */
void thr_model_example(const thr_model *m, const thr_batch *b, size_t i, thr_example *e);
/* ... without its length, which costs more than the rest. */
void thr_model_outline(const thr_model *m, const thr_batch *b, size_t i, thr_example *e);
/* ... as the member that speaks for the model sees it; it may lie in the sheet. */
int thr_model_view(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t e, thr_example *out,
                   thr_error *err);
/* Every member's view learns what has become known of the example's label. */
void thr_sheet_tell(thr_sheet *s, uint32_t members, const thr_example *whole);
/* The labels that may be the answer; again after a label has been added. */
void thr_sheet_restrict(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i,
                        thr_example *whole);
/* Several labels: which are true, and which are predicted. */
void thr_sheet_mark_truth(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i);
void thr_sheet_choose(const thr_model *m, thr_sheet *s);
/* Member k's evidence for each label, worked out from its scores; and what was worked out. */
double *thr_sheet_weigh(const thr_model *m, thr_sheet *s, uint32_t k);
double *thr_sheet_evidence(const thr_model *m, const thr_sheet *s, uint32_t k);

#endif
