/* Names are collected only until every cross has matched, mostly in the first batch. */
#include "input/crossed.h"

#include "example/cross.h"
#include "example/negate.h"

#include <stdio.h>
#include <string.h>

static uint32_t all_of(const thr_features *f)
{
    return f->raw ? 0 : ((uint32_t)1 << f->n_crosses) - 1;
}

static bool has_name(const thr_crossed *c, thr_str name)
{
    for (const char *at = c->names; *at; at += strcspn(at, ",")) {
        at += *at == ',' ? 2 : 0; /* ", " is between the names */
        if (strcspn(at, ",") == name.n && memcmp(at, name.p, name.n) == 0)
            return true;
    }
    return false;
}

static void add_name(thr_crossed *c, thr_str name)
{
    if (has_name(c, name))
        return;
    size_t room = sizeof c->names - c->n;
    c->cut |= name.n + 3 > room;
    if (name.n + 3 <= room)
        c->n += (size_t)snprintf(c->names + c->n, room, "%s%.*s", c->n ? ", " : "", (int)name.n,
                                 name.p);
}

/* Namespaces with a star, `&` and `!` are those of crosses, conjunctions and negations. */
static bool is_made(thr_str ns)
{
    return memchr(ns.p, '*', ns.n) || thr_str_eq(ns, thr_str_of("&")) ||
           thr_str_eq(ns, thr_str_of(THR_NEGATED_NS));
}

void thr_crossed_note(thr_crossed *c, const thr_features *f, const thr_batch *b, bool cached)
{
    c->matched |= cached ? all_of(f) : b->crossed;
    c->negated |= cached || b->met_negated;
    c->any |= b->n > 0;
    if ((c->matched & all_of(f)) == all_of(f))
        return;
    c->without_ns |= b->without_ns;
    for (size_t i = 1; i < b->n_ns; i++)
        if (b->ns[i].n && !is_made(b->ns[i]))
            add_name(c, b->ns[i]);
}

void thr_crossed_report(const thr_crossed *c, const thr_features *f, thr_reading *reading)
{
    thr_bytes text = {0};
    uint32_t left = c->any ? all_of(f) & ~c->matched : 0;
    for (size_t i = 0; i < f->n_crosses; i++)
        if (left & (uint32_t)1 << i && thr_bytes_printf(&text, "%s", text.n ? "," : ""))
            thr_cross_print(&f->cross[i], &text);
    if (text.n)
        snprintf(reading->unmatched, sizeof reading->unmatched, "%s", text.p);
    if (left)
        snprintf(reading->namespaces, sizeof reading->namespaces, "%s%s%s%s",
                 c->without_ns ? "the empty one" : "", c->without_ns && c->n ? ", " : "", c->names,
                 c->cut ? ", ..." : "");
    reading->never_negated = f->negate[0] && !f->raw && c->any && !c->negated;
    thr_bytes_clear(&text);
}
