/* Tags of chunks: recognised, checked, and turned from one scheme into another (tags.h). */
#include "sentence/tags.h"

const char *thr_scheme_name(enum thr_scheme scheme)
{
    static const char *const names[] = {"auto", "plain", "bio", "iob1", "bioes"};
    return names[scheme];
}

bool thr_tag_parts(thr_str tag, char *letter, thr_str *type)
{
    *type = (thr_str){"", 0};
    *letter = tag.n ? *tag.p : '\0';
    if (tag.n == 1)
        return *letter == 'O';
    if (tag.n < 3 || tag.p[1] != '-' || !memchr("BIES", *letter, 4))
        return false;
    *type = (thr_str){tag.p + 2, tag.n - 2};
    return true;
}

/* What goes before a token: the letter and the type of the tag; O at the start. */
typedef struct place {
    char letter;
    thr_str type;
} place;

static const place outside = {'O', {"", 0}};

static place place_of(const thr_str *tag)
{
    place p = outside;
    if (tag)
        thr_tag_parts(*tag, &p.letter, &p.type);
    return p;
}

/* Whether a chunk goes on from one token to the next, if I- continues what is before it. */
static bool continues(place before, place now)
{
    bool open = before.letter == 'B' || before.letter == 'I';
    return open && (now.letter == 'I' || now.letter == 'E') && thr_str_eq(before.type, now.type);
}

void thr_tags_look(thr_tag_signs *s, const thr_str *tag, size_t n)
{
    place before = outside;
    for (size_t t = 0; t < n; t++) {
        place now;
        if (!tag[t].p)
            continue;
        if (!thr_tag_parts(tag[t], &now.letter, &now.type)) {
            s->other = true;
            before = outside;
            continue;
        }
        s->chunks |= now.letter != 'O';
        s->ends |= now.letter == 'E' || now.letter == 'S';
        s->loose |= now.letter == 'I' && !continues(before, now);
        s->free |= now.letter == 'B' && (before.letter == 'O' || !thr_str_eq(before.type, now.type));
        before = now;
    }
}

enum thr_scheme thr_tags_recognise(const thr_tag_signs *s)
{
    return s->other    ? THR_TAGS_PLAIN
           : !s->chunks ? THR_TAGS_AUTO
           : s->ends    ? THR_TAGS_BIOES
           : s->loose && !s->free ? THR_TAGS_IOB1
                                  : THR_TAGS_BIO;
}

/* ---- checking ----------------------------------------------------------------------------- */

bool thr_tags_may_follow(const thr_str *before, const thr_str *tag)
{
    place was = place_of(before), now = place_of(tag);
    bool open = was.letter == 'B' || was.letter == 'I', inside = now.letter == 'I' || now.letter == 'E';
    return open ? inside && thr_str_eq(was.type, now.type) : !inside;
}

static const char *wrong_in(enum thr_scheme scheme, const thr_str *before, const thr_str *tag)
{
    place was = place_of(before), now;
    if (!thr_tag_parts(*tag, &now.letter, &now.type))
        return "is neither O nor like B-NP";
    if (scheme != THR_TAGS_BIOES && (now.letter == 'E' || now.letter == 'S'))
        return "begins with E- or S-, which only the scheme bioes has";
    if (scheme == THR_TAGS_BIO && now.letter == 'I' && !continues(was, now))
        return "continues a chunk that has not begun: in the scheme bio a chunk begins with B- (in iob1 "
               "it may begin with I-)";
    if (scheme == THR_TAGS_BIOES && !thr_tags_may_follow(before, tag))
        return "cannot follow the tag before it in the scheme bioes";
    return NULL;
}

size_t thr_tags_check(enum thr_scheme scheme, const thr_str *tag, size_t n, const char **why)
{
    if (scheme == THR_TAGS_PLAIN || scheme == THR_TAGS_AUTO)
        return n;
    for (size_t t = 0; t < n; t++)
        if ((*why = wrong_in(scheme, t ? &tag[t - 1] : NULL, &tag[t])))
            return t;
    if (n && scheme == THR_TAGS_BIOES && !thr_tags_may_follow(&tag[n - 1], NULL)) {
        *why = "leaves a chunk open at the end of the sentence";
        return n - 1;
    }
    return n;
}

/* ---- turning ------------------------------------------------------------------------------ */

/* Whether a chunk begins at a token: in BIO and BIOES the letter says so; in IOB1, and where a sequence
 * breaks the rules, also an I- that continues nothing. */
static bool begins(place before, place now)
{
    return now.letter != 'O' && (now.letter == 'B' || now.letter == 'S' || !continues(before, now));
}

void thr_tags_inside(enum thr_scheme scheme, const thr_str *tag, size_t n, char *letter)
{
    (void)scheme; /* a valid sequence means the same in all of them */
    for (size_t t = 0; t < n; t++) {
        place before = place_of(t ? &tag[t - 1] : NULL), now = place_of(&tag[t]);
        place next = place_of(t + 1 < n ? &tag[t + 1] : NULL);
        bool first = begins(before, now);
        bool last = now.letter == 'E' || now.letter == 'S' || next.letter == 'O' || begins(now, next);
        letter[t] = now.letter == 'O' ? 'O' : first && last ? 'S' : first ? 'B' : last ? 'E' : 'I';
    }
}

void thr_tags_outside(enum thr_scheme scheme, const thr_str *tag, size_t n, char *letter)
{
    for (size_t t = 0; t < n; t++) {
        place before = place_of(t ? &tag[t - 1] : NULL), now = place_of(&tag[t]);
        bool first = begins(before, now);
        bool follows = before.letter != 'O' && thr_str_eq(before.type, now.type);
        char plain = now.letter == 'O' ? 'O' : first ? 'B' : 'I';
        if (scheme == THR_TAGS_IOB1 && first && !follows)
            plain = 'I';
        letter[t] = scheme == THR_TAGS_BIO || scheme == THR_TAGS_IOB1 ? plain : now.letter;
    }
}

size_t thr_tags_chunks(const thr_str *tag, size_t n, thr_span_of_type *out)
{
    size_t found = 0;
    bool open = false;
    for (size_t t = 0; t < n; t++) {
        place before = place_of(t ? &tag[t - 1] : NULL), now = place_of(&tag[t]);
        bool first = begins(before, now);
        if (open && (first || now.letter == 'O'))
            out[found - 1].end = t;
        if (first)
            out[found++] = (thr_span_of_type){t, n, now.type};
        open = now.letter != 'O';
        if (open && (now.letter == 'E' || now.letter == 'S')) {
            out[found - 1].end = t + 1;
            open = false;
        }
    }
    return found;
}
