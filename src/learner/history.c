/* The table of defaults that were in force under earlier rules. */
#include "learner/history.h"

#include <stddef.h>
#include <string.h>

/* To change the default of a learner's option, raise THR_RULES and add a row with the old value
 * and the last version of the rules that had it. To add a setting whose default differs from
 * what older versions did, add a row with what they did and the present THR_RULES; files
 * written from now on always state the setting, so the row applies to older files only. */
const thr_old_default thr_old_defaults[] = {
    {"panel", "decide", "vote", 1},
    {"settings", "scale", "off", 1},
    {"settings", "members", "adagrad+balanced+arow+bayes:alpha=0.01", 1},
    {"panel", "pause", "off", 4},
    {"adagrad", "multiclass", "one-vs-all", 2}, /* the learner's policy, where it is "auto" */
    {"arow", "multiclass", "one-vs-all", 2},
    {0},
};

const char *thr_default_in(const thr_old_default *table, const char *owner, const char *option,
                           unsigned rules, const char *now)
{
    const thr_old_default *best = NULL; /* the row of the first change after these rules */
    for (const thr_old_default *f = table; f->owner; f++)
        if (rules <= f->until && (!best || f->until < best->until) &&
            strcmp(f->owner, owner) == 0 && strcmp(f->option, option) == 0)
            best = f;
    return best ? best->value : now;
}
