/* Concept learning from a stream: examples become points over declared variables, and a learner of
 * concepts sees them one by one. */
#include "input/corpus.h"
#include "run/defaults.h"
#include "theory/pupil.h"
#include "theory/version_space.h"

#include <stdlib.h>
#include <string.h>

struct thr_concept_run {
    thr_variables variables;
    thr_concepts class;
    thr_version_space space; /* of consistent and halving */
    thr_formula formula;     /* of eliminate */
    thr_labels labels;
    thr_concept_result result;
    bool eliminates;
};

/* What is needed while learning. */
typedef struct lesson {
    thr_concept_run *run;
    const thr_concept_options *o;
    thr_corpus kept;
    uint32_t *variable; /* of each name in the corpus, or THR_NO_VARIABLE */
    bool *x;
    uint32_t *label; /* per example */
    thr_pupil pupil;
} lesson;

/* ---- points ------------------------------------------------------------------------------- */

static int name_of(const thr_lexicon *names, uint32_t id, thr_bytes *out, thr_error *err)
{
    char digits[24];
    thr_str ns, name = thr_lexicon_name(names, id, digits, &ns);
    out->n = 0;
    bool ok = ns.n == 0 || (thr_bytes_add(out, ns.p, ns.n) && thr_bytes_add(out, "|", 1));
    return ok && thr_bytes_add(out, name.p, name.n) ? 0 : thr_fail_memory(err);
}

/* Features that are not declared are left out. */
static int find_variables(lesson *l, thr_error *err)
{
    thr_variables *v = &l->run->variables;
    const thr_lexicon *names = &l->kept.names;
    thr_bytes name = {0};
    int code = l->o->variables ? thr_variables_list(v, l->o->variables, err) : 0;
    l->run->result.absent = v->n;
    l->variable = malloc(names->n * sizeof *l->variable);
    if (!l->variable)
        code = thr_fail_memory(err);
    for (uint32_t id = 1; id < names->n && code == 0; id++) {
        code = name_of(names, id, &name, err);
        thr_str text = {name.p, name.n};
        if (code == 0 && l->o->variables) {
            l->variable[id] = thr_variables_find(v, text);
            l->run->result.absent -= l->variable[id] != THR_NONE;
        } else if (code == 0)
            code = thr_variables_add(v, text, &l->variable[id], err);
    }
    thr_bytes_clear(&name);
    return code;
}

static void set_point(lesson *l, size_t e)
{
    const thr_batch *b = &l->kept.store.all;
    memset(l->x, 0, l->run->variables.n * sizeof *l->x);
    for (size_t i = b->start[e]; i < b->start[e + 1]; i++) {
        uint32_t variable = b->id[i] ? l->variable[b->id[i]] : THR_NO_VARIABLE; /* 0: the bias */
        if (variable != THR_NO_VARIABLE && thr_batch_value(b, i) > 0)
            l->x[variable] = true;
    }
}

static int number_labels(lesson *l, thr_error *err)
{
    const thr_batch *b = &l->kept.store.all;
    thr_labels *labels = &l->run->labels;
    int code = 0;
    l->label = malloc(b->n * sizeof *l->label);
    if (!l->label)
        return thr_fail_memory(err);
    for (size_t e = 0; e < b->n && code == 0; e++)
        code = thr_labels_add(labels, b->about[e].label, &l->label[e], err);
    if (code == 0 && labels->n > 2)
        code = thr_fail(err, THR_EDATA,
                        "there are %u labels: a concept says yes or no, so there can be two",
                        labels->n);
    return code;
}

static bool label_of(const lesson *l, size_t e)
{
    return l->label[e] == l->run->labels.positive;
}

/* ---- learning ----------------------------------------------------------------------------- */

static int learn_space(lesson *l, thr_error *err)
{
    thr_concept_run *r = l->run;
    enum thr_version_rule rule =
        strcmp(l->o->learner, "halving") == 0 ? THR_HALVING : THR_CONSISTENT;
    int code = thr_version_space_open(&r->space, &r->class, rule, l->o->seed, err);
    for (size_t e = 0; e < l->kept.store.all.n && code == 0; e++) {
        set_point(l, e);
        thr_version_space_learn(&r->space, l->x, label_of(l, e));
    }
    r->result.concepts = r->class.n;
    r->result.survivors = r->space.n;
    r->result.mistakes = r->space.mistakes;
    r->result.bound = thr_version_space_bound(&r->space);
    r->result.refused = r->space.refused;
    r->result.first_refused = r->space.first_refused;
    return code;
}

static int take_formula(lesson *l, bool disjunction, thr_error *err)
{
    thr_formula *f = &l->run->formula;
    for (uint32_t i = 0; i < l->run->variables.n; i++) {
        unsigned has = thr_pupil_literals(&l->pupil, i);
        if (!thr_grow(&f->literal, &f->room, f->n + 2, sizeof *f->literal))
            return thr_fail_memory(err);
        if (has & THR_LITERAL)
            f->literal[f->n++] = 2 * i;
        if (has & THR_NEGATED)
            f->literal[f->n++] = 2 * i + 1;
    }
    f->need = disjunction ? 1 : (uint32_t)f->n;
    return 0;
}

/* The formula has every literal that no example speaks against; so if it errs, all do. */
static void check_formula(lesson *l)
{
    thr_concept_result *out = &l->run->result;
    for (size_t e = 0; e < l->kept.store.all.n; e++) {
        set_point(l, e);
        bool wrong = thr_pupil_answer(&l->pupil, l->x) != label_of(l, e);
        if (wrong && out->refused++ == 0)
            out->first_refused = e + 1;
    }
}

static int learn_formula(lesson *l, thr_error *err)
{
    thr_concept_run *r = l->run;
    bool disjunction = r->class.form == THR_DISJUNCTIONS;
    int code = thr_pupil_open(&l->pupil, r->variables.n, disjunction, r->class.negated, err);
    for (size_t e = 0; e < l->kept.store.all.n && code == 0; e++) {
        set_point(l, e);
        r->result.mistakes += thr_pupil_learn(&l->pupil, l->x, label_of(l, e));
    }
    if (code == 0)
        code = take_formula(l, disjunction, err);
    if (code == 0)
        check_formula(l);
    r->result.survivors = 1;
    r->result.bound = r->variables.n + (uint64_t)r->class.negated;
    return code;
}

/* Elimination needs no list of the class, only what it is like. */
static int make_class(lesson *l, thr_error *err)
{
    thr_concept_run *r = l->run;
    thr_error ignored;
    if (!r->eliminates)
        return thr_concepts_make(&r->class, l->o->concepts, &r->variables, err);
    int code = thr_concepts_describe(&r->class, l->o->concepts, r->variables.n, err);
    if (code)
        return code;
    if (r->class.form > THR_DISJUNCTIONS)
        return thr_fail(err, THR_EUSE, "eliminate learns conjunctions and disjunctions, not '%s'",
                        l->o->concepts);
    if (thr_concepts_size(l->o->concepts, r->variables.n, &r->result.concepts, &ignored))
        r->result.concepts = 0;
    return 0;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int check_options(const thr_concept_options *o, thr_error *err)
{
    static const char *const known[] = {"consistent", "halving", "eliminate"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(o->learner, known[i]) == 0)
            return 0;
    return thr_fail(err, THR_EUSE,
                    "there is no learner '%s' of concepts; there are consistent, halving, "
                    "eliminate",
                    o->learner);
}

static int learn(lesson *l, const thr_model *reader, const thr_input *in, thr_error *err)
{
    thr_concept_run *r = l->run;
    int code = thr_corpus_read(&l->kept, reader, false, in, NULL, NULL, err);
    if (code == 0)
        code = number_labels(l, err);
    if (code == 0)
        code = find_variables(l, err);
    if (code == 0)
        code = make_class(l, err);
    if (code)
        return code;
    l->x = calloc((size_t)r->variables.n + 1, sizeof *l->x);
    if (!l->x)
        return thr_fail_memory(err);
    code = r->eliminates ? learn_formula(l, err) : learn_space(l, err);
    r->result.examples = l->kept.store.all.n;
    r->result.variables = r->variables.n;
    r->result.consistent = r->result.refused == 0;
    r->result.positive =
        r->labels.positive < r->labels.n ? r->labels.name[r->labels.positive] : NULL;
    return code;
}

static void lesson_clear(lesson *l)
{
    thr_corpus_clear(&l->kept);
    thr_pupil_close(&l->pupil);
    free(l->variable);
    free(l->x);
    free(l->label);
}

thr_concept_run *thr_concept_learn(const thr_settings *s, const thr_concept_options *o,
                                   const thr_input *in, thr_error *err)
{
    thr_concept_options full;
    if (thr_concept_complete(o, &full, err) || check_options(&full, err))
        return NULL;
    thr_concept_run *r = calloc(1, sizeof *r);
    thr_model *reader = r ? thr_model_new(s, err) : NULL;
    if (!reader) {
        if (!r)
            thr_fail_memory(err);
        free(r);
        return NULL;
    }
    lesson l = {.run = r, .o = &full};
    r->eliminates = strcmp(full.learner, "eliminate") == 0;
    int code = thr_labels_init(&r->labels, thr_model_setting(reader, "positive"), err);
    if (code == 0)
        code = learn(&l, reader, in, err);
    lesson_clear(&l);
    thr_model_free(reader);
    if (code == 0)
        return r;
    thr_concept_free(r);
    return NULL;
}

void thr_concept_free(thr_concept_run *r)
{
    if (!r)
        return;
    thr_version_space_close(&r->space);
    thr_concepts_clear(&r->class);
    thr_formula_clear(&r->formula);
    thr_variables_clear(&r->variables);
    thr_labels_clear(&r->labels);
    free(r);
}

void thr_concept_about(const thr_concept_run *r, thr_concept_result *out)
{
    *out = r->result;
}

size_t thr_concept_formula(const thr_concept_run *r, uint64_t survivor, size_t most, char *out,
                           size_t room, thr_error *err)
{
    thr_bytes text = {0};
    if (room)
        out[0] = '\0';
    if (survivor >= r->result.survivors)
        return 0;
    thr_concept c = r->eliminates ? thr_formula_concept(&r->formula)
                                  : thr_concepts_at(&r->class, r->space.alive[survivor]);
    bool printed = thr_concept_print(c, &r->variables, most, &text);
    if (!printed)
        thr_fail_memory(err);
    size_t n = printed ? text.n : 0;
    size_t fits = n < room ? n : room ? room - 1 : 0;
    if (fits)
        memcpy(out, text.p, fits);
    if (room)
        out[fits] = '\0';
    thr_bytes_clear(&text);
    return n;
}
