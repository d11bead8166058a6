/* Examples that a rule keeps, and its notes about them: what the voted and kernel perceptrons
 * are made of, and the memory of nearest neighbours and of transformation rules.
 *
 *   start  0        3     5         feature f of example e has start[e] <= f < start[e+1]
 *   id     i i i    i i   i ...
 *   x      .5 2 1   1 1   1 ...     NULL while every value is 1
 *
 * The model owns it and makes room before a rule is called. Arrays are shared with snapshots: more
 * is appended behind what they know. */
#ifndef THR_WEIGHTS_MEMORY_H
#define THR_WEIGHTS_MEMORY_H

#include "weights/weights.h"

typedef struct thr_kept {
    double scale, norm2;
    double target;
    uint32_t label;
    float importance;
} thr_kept;

/* A note: example `example` moved function `function` by `step`, `born` examples after the first.
 */
typedef struct thr_note {
    uint32_t example, function;
    double step, born;
} thr_note;

typedef struct thr_memory {
    size_t n, features;
    uint64_t *start; /* n + 1 of them, once there is an example */
    uint32_t *id;
    float *x;
    bool has_values;
    bool view; /* somebody else appends to the arrays */
    thr_kept *kept;
    thr_note *note;
    size_t notes;
    size_t start_room, id_room, x_room, kept_room, note_room;
} thr_memory;

void thr_memory_clear(thr_memory *m);
/* A second owner of all that is kept. `m` may keep more; `out` makes the arrays its own before it
 * does, and so must either before anything kept is forgotten or mirrored. */
void thr_memory_share(const thr_memory *m, thr_memory *out);
int thr_memory_own(thr_memory *m, thr_error *err);
/* Room for one example more and this many notes more. */
int thr_memory_ready(thr_memory *m, const thr_example *e, size_t notes, thr_error *err);
/* Keeps e; returns its number. */
uint32_t thr_memory_add(thr_memory *m, const thr_example *e);
void thr_memory_note(thr_memory *m, thr_note note);
/* The oldest example goes, with all notes about it; the others move down by one. */
void thr_memory_forget(thr_memory *m);
/* Two labels had one function, 0, and now have one each: every note, taken times `factor`, becomes
 * one about function `anchor` and the opposite one about the other. */
int thr_memory_mirror_ready(thr_memory *m, thr_error *err);
void thr_memory_mirror(thr_memory *m, uint32_t anchor, double factor);
/* Example i, as it was when it was kept. */
thr_example thr_memory_example(const thr_memory *m, size_t i);
/* As the model file has it; reading trusts nothing and returns false for what makes no sense. */
bool thr_memory_write(const thr_memory *m, thr_bytes *out);
int thr_memory_read(thr_memory *m, const char *p, size_t n, uint32_t features, uint32_t labels,
                    thr_error *err);

#endif
