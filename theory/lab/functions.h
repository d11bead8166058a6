/* Parts of the experiment `xor` that fill a file each. */
#ifndef THR_LAB_FUNCTIONS_H
#define THR_LAB_FUNCTIONS_H

#include "lab/lab.h"

#include "thresh_theory.h"

/* Which functions are linear: all of up to four variables, and L0's classes. */
int thr_lab_functions(thr_lab *l, thr_error *err);
/* Winnow does not select features: its heaviest weights may be off the target. */
int thr_lab_heavy(thr_lab *l, thr_error *err);

#endif
