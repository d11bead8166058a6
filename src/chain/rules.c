/* Which tags may follow one another (rules.h). Tags are learned in BIOES, whatever the data has. */
#include "chain/rules.h"

#include <stdlib.h>

bool thr_rules_make(thr_rules *r, const thr_labels *labels, enum thr_scheme scheme)
{
    uint32_t n = labels->n;
    bool chunks = scheme == THR_TAGS_BIO || scheme == THR_TAGS_IOB1 || scheme == THR_TAGS_BIOES;
    if (r->of == labels && r->labels == n && r->any == chunks)
        return true;
    r->of = labels;
    r->any = chunks;
    r->labels = n;
    if (!chunks)
        return true;
    if (!thr_grow(&r->follows, &r->follows_room, (size_t)n * n, sizeof *r->follows) ||
        !thr_grow(&r->begins, &r->begins_room, n, sizeof *r->begins) ||
        !thr_grow(&r->ends, &r->ends_room, n, sizeof *r->ends)) {
        r->labels = 0;
        return false;
    }
    for (uint32_t y = 0; y < n; y++) {
        thr_str tag = thr_str_of(labels->name[y]);
        r->begins[y] = thr_tags_may_follow(NULL, &tag);
        r->ends[y] = thr_tags_may_follow(&tag, NULL);
        for (uint32_t x = 0; x < n; x++) {
            thr_str before = thr_str_of(labels->name[x]);
            r->follows[(size_t)x * n + y] = thr_tags_may_follow(&before, &tag);
        }
    }
    return true;
}

void thr_rules_clear(thr_rules *r)
{
    free(r->follows);
    free(r->begins);
    free(r->ends);
    *r = (thr_rules){0};
}
