/* Concept learning from data: examples become points over declared variables, and a concept learner
 * sees them one by one, in order. */
#include "base/error.h"
#include "base/mem.h"
#include "concepts/eliminator.h"
#include "concepts/version_space.h"
#include "multiclass/labels.h"

#include "thresh_theory.h"

#include <stdlib.h>
#include <string.h>

struct thr_concept_run {
    thr_variables variables;
    thr_concepts class;
    thr_version_space space; /* for consistent and halving */
    thr_formula formula;     /* for eliminate: the hypothesis at the end */
    thr_labels labels;
    thr_concept_result result;
    bool eliminates;
};

/* What is needed only while learning. */
typedef struct lesson {
    thr_concept_run *run;
    const thr_concept_options *o;
    thr_data *data;
    thr_data_arrays at; /* the arrays of the data */
    uint32_t *variable; /* of each feature of the data: its variable, or THR_NO_VARIABLE */
    bool *x;            /* the current point: the value of each variable */
    uint32_t *label;    /* of each example */
    thr_eliminator eliminator;
} lesson;

/* ---- points ------------------------------------------------------------------------------- */

/* Assigns variables to features, whose names are `namespace|name` or `name`. If variables are
 * declared, other features are ignored, and declared variables that no feature has are counted;
 * otherwise every feature becomes a variable. */
static int find_variables(lesson *l, thr_error *err)
{
    thr_variables *v = &l->run->variables;
    thr_bytes name = {0};
    int code = l->o->variables ? thr_variables_list(v, l->o->variables, err) : 0;
    l->run->result.absent = v->n;
    l->variable = malloc(l->at.features * sizeof *l->variable);
    if (!l->variable)
        code = thr_fail_memory(err);
    for (size_t id = 1; id < l->at.features && code == 0; id++) {
        thr_data_feature f;
        thr_data_feature_at(l->data, id, &f);
        name.n = 0;
        bool ok = f.ns_size == 0 ||
                  (thr_bytes_add(&name, f.ns, f.ns_size) && thr_bytes_add(&name, "|", 1));
        if (!ok || !thr_bytes_add(&name, f.name, f.name_size))
            code = thr_fail_memory(err);
        thr_str text = {name.p, name.n};
        if (code == 0 && l->o->variables) {
            l->variable[id] = thr_variables_find(v, text);
            l->run->result.absent -= l->variable[id] != THR_NO_VARIABLE;
        } else if (code == 0)
            code = thr_variables_add(v, text, &l->variable[id], err);
    }
    thr_bytes_clear(&name);
    return code;
}

/* A variable is true if its feature has a positive value. */
static void set_point(lesson *l, size_t e)
{
    const thr_data_arrays *d = &l->at;
    memset(l->x, 0, l->run->variables.n * sizeof *l->x);
    for (size_t i = d->start[e]; i < d->start[e + 1]; i++) {
        uint32_t f = d->feature[i], variable = f ? l->variable[f] : THR_NO_VARIABLE; /* 0: bias */
        if (variable != THR_NO_VARIABLE && (!d->value || d->value[i] > 0))
            l->x[variable] = true;
    }
}

static int number_labels(lesson *l, thr_error *err)
{
    thr_labels *labels = &l->run->labels;
    int code = 0;
    l->label = malloc(l->at.examples * sizeof *l->label);
    if (!l->label)
        return thr_fail_memory(err);
    for (size_t e = 0; e < l->at.examples && code == 0; e++) {
        thr_data_example x;
        thr_data_example_at(l->data, e, &x);
        code = thr_labels_add(labels, (thr_str){x.label, x.label_size}, &l->label[e], err);
    }
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
    for (size_t e = 0; e < l->at.examples && code == 0; e++) {
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
        unsigned has = thr_eliminator_literals(&l->eliminator, i);
        if (!thr_grow(&f->literal, &f->room, f->n + 2, sizeof *f->literal))
            return thr_fail_memory(err);
        if (has & THR_HAS_PLAIN)
            f->literal[f->n++] = 2 * i;
        if (has & THR_HAS_NEGATED)
            f->literal[f->n++] = 2 * i + 1;
    }
    f->need = disjunction ? 1 : (uint32_t)f->n;
    return 0;
}

static int learn_formula(lesson *l, thr_error *err)
{
    thr_concept_run *r = l->run;
    bool disjunction = r->class.form == THR_DISJUNCTIONS;
    int code =
        thr_eliminator_open(&l->eliminator, r->variables.n, disjunction, r->class.negated, err);
    for (size_t e = 0; e < l->at.examples && code == 0; e++) {
        set_point(l, e);
        r->result.mistakes += thr_eliminator_learn(&l->eliminator, l->x, label_of(l, e));
    }
    if (code == 0)
        code = take_formula(l, disjunction, err);
    /* The final formula has every literal that no example contradicts. So if it errs, every formula
     * of the class errs on some example. */
    for (size_t e = 0; e < l->at.examples && code == 0; e++) {
        set_point(l, e);
        bool wrong = thr_eliminator_answer(&l->eliminator, l->x) != label_of(l, e);
        if (wrong && r->result.refused++ == 0)
            r->result.first_refused = e + 1;
    }
    r->result.survivors = 1;
    r->result.bound = r->variables.n + (uint64_t)r->class.negated;
    return code;
}

/* Elimination does not need the class listed, only its form; it works with classes of any size. */
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

/* ---- the public functions ----------------------------------------------------------------- */

static int learn(lesson *l, const thr_settings *s, const thr_input *in, thr_error *err)
{
    thr_concept_run *r = l->run;
    l->data = thr_data_read(s, in, NULL, err);
    if (!l->data)
        return err->code;
    thr_data_arrays_of(l->data, &l->at);
    int code = number_labels(l, err);
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
    r->result.examples = l->at.examples;
    r->result.variables = r->variables.n;
    r->result.consistent = r->result.refused == 0;
    r->result.positive =
        r->labels.positive < r->labels.n ? r->labels.name[r->labels.positive] : NULL;
    return code;
}

/* Fills in defaults and checks the result. */
static int complete(const thr_concept_options *given, thr_concept_options *out, thr_error *err)
{
    static const char *const known[] = {"consistent", "halving", "eliminate"};
    *out = given ? *given : (thr_concept_options){0};
    out->learner = out->learner ? out->learner : "halving";
    out->concepts = out->concepts ? out->concepts : "conjunctions";
    int code = THR_CHECK_RESERVED(thr_concept_options, out, err);
    if (code)
        return code;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(out->learner, known[i]) == 0)
            return 0;
    return thr_fail(err, THR_EUSE,
                    "there is no learner '%s' of concepts; there are consistent, halving, "
                    "eliminate",
                    out->learner);
}

thr_concept_run *thr_concept_learn(const thr_settings *s, const thr_concept_options *o,
                                   const thr_input *in, thr_error *err)
{
    thr_error local;
    thr_concept_options full;
    err = err ? err : &local;
    if (complete(o, &full, err))
        return NULL;
    thr_concept_run *r = calloc(1, sizeof *r);
    if (!r) {
        thr_fail_memory(err);
        return NULL;
    }
    lesson l = {.run = r, .o = &full};
    r->eliminates = strcmp(full.learner, "eliminate") == 0;
    int code = thr_labels_init(&r->labels, thr_settings_get(s, "positive"), err);
    if (code == 0)
        code = learn(&l, s, in, err);
    thr_data_free(l.data);
    thr_eliminator_close(&l.eliminator);
    free(l.variable);
    free(l.x);
    free(l.label);
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
