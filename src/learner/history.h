/* Versions of the rules, and the defaults that changed with them.
 *
 * A model file says which version of the rules it was written with, so that it is read and resumed
 * under these (docs/model-format.md, "Compatibility"). Code that behaves differently for older
 * models compares `rule->rules` or thr_settings_rules with a number. A file stores the options of a
 * learner only as far as they were given, and no settings that were added later; what is missing
 * has the value that was in force when the file was written. These values are a table. */
#ifndef THR_LEARNER_HISTORY_H
#define THR_LEARNER_HISTORY_H

#define THR_RULES       1u /* of models made by this version */
#define THR_RULES_FIRST 1u /* of a file that says nothing */

/* Files of rules up to `until` that do not say what `option` is mean `value`. */
typedef struct thr_former {
    const char *owner; /* a learner's name, or "settings" */
    const char *option, *value;
    unsigned until;
} thr_former;

extern const thr_former thr_formers[]; /* ended by a NULL owner */

/* What an option that a file leaves out means there: `now`, the default, unless the table has
 * another value for these rules. */
const char *thr_former_value(const thr_former *table, const char *owner, const char *option,
                             unsigned rules, const char *now);

#endif
