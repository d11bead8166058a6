/* Versions of the rules, and the defaults that changed with them.
 *
 * A model file states the version of the rules under which it was written, and is read and
 * resumed under that version (docs/model-format.md, "Compatibility"). Code that behaves
 * differently for older models compares `rule->rules` or thr_settings_rules with a number.
 *
 * A file stores only those options of a learner that were given, and lacks settings that were
 * added later. A missing option has the default that was in force when the file was written.
 * The table thr_old_defaults has these defaults where they differ from today's. */
#ifndef THR_LEARNER_HISTORY_H
#define THR_LEARNER_HISTORY_H

#define THR_RULES       5u /* version of new models */
#define THR_RULES_FIRST 1u /* version of a file that states none */
#define THR_RULES_UNITS 2u /* from here on numeric columns of CSV are numbers (model/units.h) */
#define THR_RULES_TIES  2u /* from here on ties are ties, and not what rounding makes of them */
#define THR_RULES_SPLIT 2u /* from here on the third label leaves the first two as they were */
#define THR_RULES_LOGS  4u /* from here on `bayes` stores logarithms relative to that of alpha */
#define THR_RULES_LANES 4u /* from here on sums over labels are added up in lanes (base/sum.h) */
#define THR_RULES_FAR   5u /* from here on a mixture limits what outliers count (model/mixture.h) */
#define THR_RULES_PAUSE 5u /* from here on a mixture pauses members (model/review.h) */

/* In a file of rules version `until` or earlier, a missing `option` means `value`. */
typedef struct thr_old_default {
    const char *owner; /* a learner's name, or "settings" */
    const char *option, *value;
    unsigned until;
} thr_old_default;

extern const thr_old_default thr_old_defaults[]; /* ended by a NULL owner */

/* The value of an option that a file of version `rules` leaves out: `now`, today's default,
 * unless the table has another. */
const char *thr_default_in(const thr_old_default *table, const char *owner, const char *option,
                           unsigned rules, const char *now);

#endif
