/* The public headers need nothing before them. Compiled as C and, where there is a compiler, as
 * C++. */
#include "thresh_theory.h"

int thr_header_alone(void);
int thr_header_alone(void)
{
    return (int)sizeof(thr_stats);
}
