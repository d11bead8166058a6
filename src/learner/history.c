#include "learner/history.h"

#include <stddef.h>
#include <string.h>

/* To change the default of a learner's option: raise THR_RULES, and add a row with the old value
 * and the last rules that had it. To add a setting whose default is not what older versions did: a
 * row with what they did, and the present THR_RULES; new files always state their settings. */
const thr_former thr_formers[] = {
    {0},
};

const char *thr_former_value(const thr_former *table, const char *owner, const char *option,
                             unsigned rules, const char *now)
{
    const thr_former *best = NULL; /* the first change after these rules */
    for (const thr_former *f = table; f->owner; f++)
        if (rules <= f->until && (!best || f->until < best->until) &&
            strcmp(f->owner, owner) == 0 && strcmp(f->option, option) == 0)
            best = f;
    return best ? best->value : now;
}
