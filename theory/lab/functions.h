/* Parts of the experiment `xor` that have files of their own. */
#ifndef THR_LAB_FUNCTIONS_H
#define THR_LAB_FUNCTIONS_H

#include "lab/lab.h"

#include "thresh_theory.h"

/* Which Boolean functions are linear: decides all functions of up to four variables, and the
 * classes of L0. */
int thr_lab_functions(thr_lab *l, thr_error *err);
/* Winnow does not select features: its largest weights need not belong to the target. */
int thr_lab_heavy(thr_lab *l, thr_error *err);

#endif
