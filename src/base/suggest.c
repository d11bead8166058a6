/* "Did you mean": the word with the smallest edit distance, if that is at most 2 and less than the
 * length of the candidate. A word that differs in the case of letters only is nearest of all. */
#include "thresh.h"

#include <string.h>

#define LONGEST 32

/* Levenshtein distance: the fewest insertions, deletions and replacements that turn a into b, with
 * one row of the usual table. Words longer than LONGEST bytes count as far apart. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0]; /* the value above and to the left */
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j];
            size_t beside = (above < row[j - 1] ? above : row[j - 1]) + 1;
            size_t across = corner + (a[i - 1] != b[j - 1]);
            row[j] = across < beside ? across : beside;
            corner = above;
        }
    }
    return row[m];
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool differ_in_case(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b))
        a++, b++;
    return !*a && !*b;
}

void thr_suggest(thr_suggestion *n, const char *word, const char *candidate)
{
    size_t d = differ_in_case(word, candidate) ? 0 : distance(word, candidate);
    if (d <= 2 && d < strlen(candidate) && (!n->word || d < n->distance))
        *n = (thr_suggestion){candidate, d};
}
