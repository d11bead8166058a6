/* Which columns of a table, or which keys of JSON lines, are what: the setting `columns`.
 *
 *     label=3,text=1+4,id=name,importance="how, much",skip=notes
 *
 * Digits are the number of a column, counted from 1; in JSON lines they are a key. Anything else is
 * a name of the header, or a key. A name in double quotes is never a number, and may have commas
 * and plus signs; a quote inside it is doubled. */
#ifndef THR_FORMAT_COLUMNS_H
#define THR_FORMAT_COLUMNS_H

#include "base/error.h"
#include "base/mem.h"

enum thr_role {
    THR_ROLE_FEATURE, /* any other column */
    THR_ROLE_LABEL,
    THR_ROLE_TEXT,
    THR_ROLE_ID,
    THR_ROLE_IMPORTANCE,
    THR_ROLE_SKIP,
    THR_ROLES
};

#define THR_MOST_CHOSEN 64

/* No pointers, so that settings can be copied as they are. */
typedef struct thr_columns {
    bool given; /* the user has chosen columns */
    bool named; /* ... one of them by its name */
    size_t n;
    struct thr_chosen {
        enum thr_role role;
        unsigned number;   /* from 1; 0: chosen by name */
        unsigned at, size; /* the name, or the number as it was written, in `names` */
    } chosen[THR_MOST_CHOSEN];
    char names[1024];
} thr_columns;

int thr_columns_parse(const char *list, thr_columns *out, thr_error *err);
/* Whether a column was chosen for this role. */
bool thr_columns_have(const thr_columns *c, enum thr_role role);
thr_str thr_chosen_name(const thr_columns *c, size_t i);
const char *thr_role_name(enum thr_role role); /* as in the list: "label" */
/* Writes the names, quoted for a message and separated by commas; if they do not fit, the number of
 * the rest. Returns `out`. */
const char *thr_names_text(const thr_str *name, size_t n, char *out, size_t room);
/* Writes that there is no such name, which is nearest, and which there are. `what` is what they
 * are: "column" or "key". Returns `out`. */
const char *thr_no_such_name(thr_str wanted, const char *what, const thr_str *name, size_t n,
                             char *out, size_t room);

#endif
