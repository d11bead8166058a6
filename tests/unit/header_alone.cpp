/* The public header needs nothing before it. Compiled as C and, where there is a compiler, as
 * C++. */
#include "thresh.h"

int thr_header_alone(void);
int thr_header_alone(void)
{
    return (int)sizeof(thr_stats);
}
