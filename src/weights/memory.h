/* Examples that a rule keeps, and the rule's notes about them. The voted and kernel perceptrons
 * sum over their notes; nearest neighbours, transformation rules, lp and maxmargin need the
 * examples.
 *
 * The features of all examples are stored in columns, one example after another:
 *
 *   start  0        3     5         example e has the features start[e] .. start[e+1] - 1
 *   id     i i i    i i   i ...
 *   x      .5 2 1   1 1   1 ...     not stored while every value is 1
 *
 * The model owns the memory, and makes room (thr_memory_ready) before it calls the rule, so
 * that keeping an example cannot fail.
 *
 * The columns are shared arrays (base/share.h). A snapshot has the same arrays and its own
 * counts of examples, features and notes; the model appends behind these, where the snapshot
 * never looks. An operation that changes what is already kept needs arrays of its own
 * (thr_memory_own). */
#ifndef THR_WEIGHTS_MEMORY_H
#define THR_WEIGHTS_MEMORY_H

#include "weights/weights.h"

/* What is kept of an example besides its features; the fields are those of thr_example. */
typedef struct thr_kept {
    double scale, norm2;
    double target;
    uint32_t label;
    float importance;
} thr_kept;

/* Kept example `example` moved function `function` by `step`. `born` is the rule's clock at
 * that moment: the number of examples learned before. Notes stand in the order of their
 * making. */
typedef struct thr_note {
    uint32_t example, function;
    double step, born;
} thr_note;

typedef struct thr_memory {
    size_t n, features;
    uint64_t *start; /* n + 1 numbers, once there is an example */
    uint32_t *id;
    float *x; /* valid if has_values */
    bool has_values;
    bool view; /* made by thr_memory_share: another memory may append to the same arrays */
    thr_kept *kept;
    thr_note *note;
    size_t notes;
    size_t start_room, id_room, x_room, kept_room, note_room;
} thr_memory;

void thr_memory_clear(thr_memory *m);
/* Makes `out` a second owner of the arrays, with the same contents. Only `m` may append to
 * them; `out` gets copies before it appends (thr_memory_ready sees to it). */
void thr_memory_share(const thr_memory *m, thr_memory *out);
/* Makes all arrays belong to m alone. Needed before thr_memory_forget. */
int thr_memory_own(thr_memory *m, thr_error *err);
/* Makes room for e and for this many notes. */
int thr_memory_ready(thr_memory *m, const thr_example *e, size_t notes, thr_error *err);
/* Keeps e and returns its number. There is room. */
uint32_t thr_memory_add(thr_memory *m, const thr_example *e);
/* Appends a note. There is room. */
void thr_memory_note(thr_memory *m, thr_note note);
/* Removes the oldest example and all notes about it; the numbers of the others fall by one. The
 * arrays belong to m alone. */
void thr_memory_forget(thr_memory *m);
/* Splits the function that two labels have shared, number 0, when a third label arrives. Every
 * note becomes two: one about function `anchor` with `factor` times its step, and one about the
 * other function (1 - anchor) with the negative of that. thr_memory_mirror_ready makes room. */
int thr_memory_mirror_ready(thr_memory *m, thr_error *err);
void thr_memory_mirror(thr_memory *m, uint32_t anchor, double factor);
/* Kept example i. Its id and x point into the arrays: it is valid until these change. */
thr_example thr_memory_example(const thr_memory *m, size_t i);
/* The contents in the layout of the model file (docs/model-format.md). Reading checks every
 * number against the sizes, and fails with THR_EMODEL if the file is damaged. */
bool thr_memory_write(const thr_memory *m, thr_bytes *out);
int thr_memory_read(thr_memory *m, const char *p, size_t n, uint32_t features, uint32_t labels,
                    thr_error *err);

#endif
