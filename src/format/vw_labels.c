/* The forms are those of VW's documentation:
 *
 *     1:0 2:1 | ...              class:cost            cost-sensitive classes
 *     1:2:0.4 | ...              action:cost:prob      contextual bandit
 *     shared | ...               the first of several lines that make one example
 *     ccb slot 0:0.8:1 | ...     conditional contextual bandit: shared, action or slot
 *     slates action 0 | ...      slates: shared, action or slot
 *     ca 185.1:0.6:0.01 | ...    continuous actions
 *
 * A class and an action are whole numbers. Other names with a colon, as `urn:1`, are labels. */
#include "format/vw_labels.h"

#include "base/text.h"

#include <string.h>

/* How many numbers the word consists of, joined by colons and led by a whole number; 0 if it does
 * not. */
static size_t numbers_in(thr_str word)
{
    const char *at = word.p, *end = word.p + word.n;
    size_t n = 0;
    while (at < end && thr_is_digit(*at))
        at++;
    if (at == word.p || at == end || *at != ':')
        return 0;
    for (n = 1; at < end && *at == ':'; n++) {
        const char *next = memchr(at + 1, ':', (size_t)(end - at - 1));
        next = next ? next : end;
        if (!thr_looks_numeric(thr_slice(at + 1, next)))
            return 0;
        at = next;
    }
    return n;
}

static bool is(thr_str word, const char *name)
{
    return thr_str_eq(word, thr_str_of(name));
}

/* Whether the second word says which of several lines this is. */
static bool names_a_part(const thr_str *word, size_t n)
{
    return n > 1 && (is(word[1], "shared") || is(word[1], "action") || is(word[1], "slot"));
}

const char *thr_vw_other_problem(const thr_str *word, size_t n, size_t *at)
{
    *at = 0;
    if (n == 0)
        return NULL;
    if (is(word[0], "shared"))
        return "begins a multi-line example of VW, with one line for each action: write each "
               "example on one line, with the right action as its label";
    if (is(word[0], "ccb") && names_a_part(word, n))
        return "begins a line of a conditional contextual bandit of VW: write each slot as an "
               "example on one line, with the right action as its label";
    if (is(word[0], "slates") && names_a_part(word, n))
        return "begins a line of VW's slates: write each slot as an example on one line, with "
               "the right action as its label";
    if (is(word[0], "ca") && n > 1 && memchr(word[1].p, ':', word[1].n))
        return "begins a label of VW's continuous actions: write the right action as the "
               "label, and learn it with -l lms";
    for (*at = 0; *at < n; ++*at) {
        size_t numbers = numbers_in(word[*at]);
        if (numbers == 2)
            return "is a cost-sensitive label of VW (class:cost): write the class with the "
                   "least cost as the label";
        if (numbers > 2)
            return "is a contextual-bandit label of VW (action:cost:probability): write the "
                   "right action as the label";
    }
    return NULL;
}
