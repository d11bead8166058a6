/* Prints the hypothesis of a rule that learns a formula (eliminate): `x2 & x3 & !x10`. Features are
 * written in the order in which they were met. Literals of features never met, which such a rule
 * may still contain, are summarised at the end. */
#include "model/inside.h"

#include <string.h>

typedef struct writer {
    const thr_model *m;
    const thr_member *k;
    uint32_t function;
    size_t most, written, left_out; /* literals: allowed, written, and beyond `most` */
    const char *joint;              /* between two literals: " & " or " | " */
    thr_bytes text;
    bool failed; /* out of memory */
} writer;

static void put(writer *w, const char *text, size_t n)
{
    w->failed |= !thr_bytes_add(&w->text, text, n);
}

static void put_joint(writer *w)
{
    if (w->text.n)
        put(w, w->joint, strlen(w->joint));
}

static void put_word(writer *w, const char *word)
{
    put_joint(w);
    put(w, word, strlen(word));
}

static void put_literal(writer *w, uint32_t id, bool negated)
{
    char digits[24];
    if (w->written == w->most) {
        w->left_out++;
        return;
    }
    thr_str ns, name = thr_lexicon_name(&w->m->lexicon, id, digits, &ns);
    put_joint(w);
    put(w, "!", negated);
    if (ns.n) {
        put(w, ns.p, ns.n);
        put(w, "|", 1);
    }
    put(w, name.p, name.n);
    w->written++;
}

static unsigned literals_of(const writer *w, uint32_t id)
{
    return w->k->rule.learner->literals(&w->k->rule, &w->k->weights, id, w->function);
}

/* A rule that was never taught has every literal. An empty formula is the constant that its
 * connective is neutral for: no "and" is true, no "or" is false. */
static void put_all(writer *w)
{
    unsigned never_met = literals_of(w, THR_NONE);
    bool all = never_met & THR_ALL_OF, untaught = never_met & THR_UNTAUGHT;
    for (uint32_t id = 1; id < w->m->lexicon.n && !untaught; id++) {
        unsigned has = literals_of(w, id);
        if (has & THR_LITERAL)
            put_literal(w, id, false);
        if (has & THR_NEGATED)
            put_literal(w, id, true);
    }
    if (w->left_out) {
        put_joint(w);
        w->failed |= !thr_bytes_printf(&w->text, "(%zu more)", w->left_out);
    }
    if (never_met & THR_LITERAL)
        put_word(w, !untaught ? "(any feature not met)"
                    : all     ? "(every feature)"
                              : "(any feature)");
    if (never_met & THR_NEGATED)
        put_word(w, !untaught ? "!(any feature not met)"
                    : all     ? "!(any feature)"
                              : "!(every feature)");
    if (w->text.n == 0)
        put_word(w, all ? "true" : "false");
}

bool thr_model_has_formula(const thr_model *m)
{
    return m->members == 1 && m->member[0].rule.learner->literals;
}

/* Where two labels share a function, only the anchor has a formula. Returns the full length, as
 * snprintf does. */
size_t thr_model_formula(const thr_model *m, size_t label, size_t most, char *out, size_t room,
                         thr_error *err)
{
    const thr_member *k = &m->member[0];
    bool shared = thr_member_shares(k, &m->labels);
    if (room)
        out[0] = '\0';
    if (!thr_model_has_formula(m) || label >= m->labels.n || (shared && label != k->anchor))
        return 0;
    writer w = {.m = m, .k = k, .function = shared ? 0 : (uint32_t)label, .most = most};
    w.joint = literals_of(&w, THR_NONE) & THR_ALL_OF ? " & " : " | ";
    put_all(&w);
    if (w.failed)
        thr_fail_memory(err);
    size_t n = w.failed ? 0 : w.text.n, fits = n < room ? n : room ? room - 1 : 0;
    if (fits)
        memcpy(out, w.text.p, fits);
    if (room)
        out[fits] = '\0';
    thr_bytes_clear(&w.text);
    return n;
}
