/* The table of settings, and what their values mean.
 *
 * Every value is kept as the text that was given and checked when it is set, so later readings of
 * it cannot fail. The table gives names, defaults, help and ranges; the commands' options and the
 * model file follow from it. docs/ARCHITECTURE.md lists the steps for adding a setting. */
#include "model/settings.h"

#include "base/number.h"
#include "example/cross.h"
#include "example/negate.h"
#include "model/classes.h"
#include "model/thresholds.h"
#include "multiclass/policy.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The order of the model file's lines. Settings of features stand from TOKENS to CROSS. */
enum {
    LEARNER,
    MEMBERS,
    MULTICLASS,
    POSITIVE,
    CLASS_WEIGHTS,
    MULTILABEL,
    THRESHOLD,
    TEXTBOOK,
    SCALE,
    SLOPE,
    TOKENS,
    SYMBOLS,
    FOLD,
    NORMALIZE,
    NGRAMS,
    CHAR_NGRAMS,
    SKIP,
    VALUES,
    UNIT,
    DECODE,
    BEAM,
    TEMPLATE,
    TAGS,
    NEGATE,
    CONJOIN,
    CROSS,
    HASH_BITS,
    HASH_SEED,
    MIN_COUNT,
    MAX_FEATURES,
    FORMAT,
    COLUMNS,
    N_SETTINGS
};

static const thr_option_info table[N_SETTINGS + 1] = {
    [LEARNER] = {"learner", "panel", "the learner and its options: NAME[:key=value,...]",
                 THR_STRING, NULL, 0, 0},
    [MEMBERS] = {"members", "adagrad+arow+bayes:alpha=0.01", "panel members, joined by +",
                 THR_STRING, NULL, 0, 0},
    [MULTICLASS] = {"multiclass", "auto",
                    "strategy for more than two labels (auto: the learner's own)", THR_CHOICE,
                    "auto|one-vs-all|direct|all-pairs|rivals", 0, 4},
    [POSITIVE] = {"positive", "", "with two labels, the positive one (default: the greater)",
                  THR_STRING, NULL, 0, 0},
    [CLASS_WEIGHTS] = {"class-weights", "",
                       "weight of each label's examples: balanced, or LABEL=WEIGHT,...", THR_STRING,
                       NULL, 0, 0},
    [MULTILABEL] = {"multilabel", "off",
                    "examples may have several labels; each is learned separately", THR_BOOL, NULL,
                    0, 1},
    [THRESHOLD] = {"threshold", "0.5",
                   "multilabel: probability from which on a label is predicted: P, LABEL=P,..., or "
                   "learned: f1, micro-f1",
                   THR_STRING, NULL, 0, 0},
    [TEXTBOOK] = {"textbook", "off",
                  "use the textbook form of the learner, without later refinements", THR_BOOL, NULL,
                  0, 1},
    [SCALE] = {"scale", "auto",
               "divide values by their greatest, standardise numbers (auto: if the learner "
               "benefits)",
               THR_CHOICE, "auto|on|off", 0, 2},
    [SLOPE] = {"slope", "auto",
               "slope a of the sigmoid 1/(1 + exp(-a score)) (auto: fitted to the examples)",
               THR_REAL, "auto", 1e-9, 1000},
    [TOKENS] = {"tokens", "words", "split text into Unicode words, or only at spaces", THR_CHOICE,
                "words|spaces", 0, 1},
    [SYMBOLS] = {"symbols", "off", "also use punctuation and other symbols as words", THR_BOOL,
                 NULL, 0, 1},
    [FOLD] = {"fold", "on", "ignore the case of letters in text", THR_BOOL, NULL, 0, 1},
    [NORMALIZE] = {"normalize", "on", "normalise text to Unicode NFKC", THR_BOOL, NULL, 0, 1},
    [NGRAMS] = {"ngrams", "1", "use word n-grams of up to this many words", THR_INT, NULL, 1, 8},
    [CHAR_NGRAMS] = {"char-ngrams", "0", "use character n-grams of length N or MIN-MAX (0: none)",
                     THR_STRING, NULL, 0, 0},
    [SKIP] = {"skip", "0", "add word pairs with 1 to this many words between them (0: none)",
              THR_INT, NULL, 0, 16},
    [VALUES] = {"values", "presence", "value of a word: 1, its count, or 1 + log(count)",
                THR_CHOICE, "presence|count|log", 0, 2},
    [UNIT] = {"unit", "auto", "scale examples to length 1 (auto: text, if the learner benefits)",
              THR_CHOICE, "auto|on|off", 0, 2},
    [DECODE] = {"decode", "off", "sentences: how the best tags are found (off: tokens are examples)",
                THR_CHOICE, "off|viterbi|greedy", 0, 2},
    [BEAM] = {"beam", "0", "viterbi: follow only the N best tags of each token (0: all)", THR_INT, NULL, 0, 1e6},
    [TEMPLATE] = {"template", "", "sentences: patterns of the features of tokens, one a line",
                  THR_STRING, NULL, 0, 0},
    [TAGS] = {"tags", "auto", "sentences: scheme of the tags of chunks (auto: as the data has it)",
              THR_CHOICE, "auto|plain|bio|iob1|bioes", 0, 4},
    [NEGATE] =
        {"negate", "",
         "variables whose negations are features where they are absent: 1-20,red,shape|round",
         THR_STRING, NULL, 0, 0},
    [CONJOIN] = {"conjoin", "1", "add conjunctions of up to this many features (1: none)", THR_INT,
                 NULL, 1, 6},
    [CROSS] = {"cross", "",
               "multiply the features of namespaces: user*item,u*i*h (several, or repeated)",
               THR_STRING, NULL, 0, 0},
    [HASH_BITS] = {"hash-bits", "0",
                   "hash features into 2^B slots to bound memory (0: keep the names)", THR_INT,
                   NULL, 0, 30},
    [HASH_SEED] = {"hash-seed", "0", "seed of the hash function", THR_INT, NULL, 0, 9e15},
    [MIN_COUNT] = {"min-count", "0", "ignore a feature until its N-th occurrence (0: do not count)",
                   THR_INT, NULL, 0, 1e9},
    [MAX_FEATURES] = {"max-features", "0",
                      "keep at most N features, dropping the lightest (0: no limit)", THR_INT, NULL,
                      0, 4e9},
    [FORMAT] = {"format", "auto", "input format", THR_STRING, NULL, 0, 0},
    [COLUMNS] = {"columns", "",
                 "columns by name or number: label=NAME,text=A+B,id=3,importance=NAME,skip=NAME",
                 THR_STRING, NULL, 0, 0},
};

struct thr_settings {
    char *value[N_SETTINGS]; /* owned; NULL: the default */
    char *template;          /* TEMPLATE with its lines; owned; NULL: it is not given */
    unsigned rules;          /* the version of the rules, see learner/history.h */
    bool crosses_by_name; /* CROSS comes from a file that was written before there were letters */
};

bool thr_setting_at(size_t i, thr_option_info *out)
{
    if (i >= N_SETTINGS)
        return false;
    *out = table[i];
    return true;
}

thr_settings *thr_settings_new(void)
{
    thr_settings *s = calloc(1, sizeof *s);
    if (s)
        s->rules = THR_RULES;
    return s;
}

void thr_settings_free(thr_settings *s)
{
    for (size_t i = 0; s && i < N_SETTINGS; i++)
        free(s->value[i]);
    if (s)
        free(s->template);
    free(s);
}

thr_settings *thr_settings_copy(const thr_settings *s)
{
    thr_settings *copy = thr_settings_new();
    if (copy)
        copy->rules = s->rules;
    if (copy)
        copy->crosses_by_name = s->crosses_by_name;
    bool ok = copy && (!s->template || (copy->template = strdup(s->template)));
    for (size_t i = 0; ok && i < N_SETTINGS; i++)
        ok = !s->value[i] || (copy->value[i] = strdup(s->value[i]));
    if (ok)
        return copy;
    thr_settings_free(copy);
    return NULL;
}

static int index_of(const char *name)
{
    for (int i = 0; i < N_SETTINGS; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

static const char *get(const thr_settings *s, int i)
{
    return s->value[i] ? s->value[i] : table[i].fallback;
}

const char *thr_settings_get(const thr_settings *s, const char *name)
{
    int i = index_of(name);
    return i < 0 ? NULL : get(s, i);
}

bool thr_settings_given(const thr_settings *s, const char *name)
{
    int i = index_of(name);
    return i >= 0 && s->value[i];
}

const char *thr_settings_given_of_features(const thr_settings *s)
{
    for (int i = TOKENS; i <= CROSS; i++)
        if (s->value[i])
            return table[i].name;
    return NULL;
}

unsigned thr_settings_rules(const thr_settings *s)
{
    return s->rules;
}

/* ---- what the values mean ----------------------------------------------------------------- */

/* Checks one value with the parser of learners' options: the setting's row becomes a table of one
 * option and the value a list of one. */
static int number_of(int i, const char *text, double *out, thr_error *err)
{
    thr_option_info one[] = {table[i], {0}};
    char spec[96];
    if (strlen(text) > 64)
        return thr_fail(err, THR_EUSE, "%s: '%.32s...' is too long", table[i].name, text);
    size_t n = (size_t)snprintf(spec, sizeof spec, "%s=%s", table[i].name, text);
    if (n >= sizeof spec || strchr(text, ','))
        return thr_fail(err, THR_EUSE, "%s: '%s' is not one value", table[i].name, text);
    return thr_options_parse(one, "settings", spec, out, err);
}

double thr_settings_number(const thr_settings *s, const char *name)
{
    double value = 0;
    int i = index_of(name);
    if (i >= 0)
        number_of(i, get(s, i), &value, NULL);
    return value;
}

static int char_range(const char *text, unsigned *min, unsigned *max, thr_error *err)
{
    const char *end, *limit = text + strlen(text);
    uint64_t low, high;
    bool ok = thr_parse_u64(text, limit, &end, &low) == THR_NUMBER_OK;
    high = low;
    if (ok && *end == '-')
        ok = thr_parse_u64(end + 1, limit, &end, &high) == THR_NUMBER_OK;
    if (!ok || end != limit || high > 16 || low > high || (low == 0 && high > 0))
        return thr_fail(err, THR_EUSE,
                        "char-ngrams: '%s' is not N or MIN-MAX with lengths from 1 to 16", text);
    *min = (unsigned)low;
    *max = (unsigned)high;
    return 0;
}

int thr_settings_reader(const thr_settings *s, thr_reader_settings *out, thr_error *err)
{
    *out = (thr_reader_settings){.labelled = true};
    thr_features *f = &out->features;
    thr_features_defaults(f);
    double v[N_SETTINGS] = {0};
    for (int i = TOKENS; i <= CONJOIN; i++) {
        int code = table[i].type == THR_STRING ? 0 : number_of(i, get(s, i), &v[i], err);
        if (code)
            return code;
    }
    f->tokens = (enum thr_tokens)v[TOKENS];
    f->symbols = v[SYMBOLS] != 0;
    f->fold = v[FOLD] != 0;
    f->normalize = v[NORMALIZE] != 0;
    f->ngrams = (unsigned)v[NGRAMS];
    f->skip = (unsigned)v[SKIP];
    f->values = (enum thr_values)v[VALUES];
    f->unit = v[UNIT] == 0 ? -1 : v[UNIT] == 1;
    f->conjoin = (unsigned)v[CONJOIN];
    f->chain = v[DECODE] != 0;
    f->greedy = v[DECODE] == 2;
    f->template = s->template;
    f->scheme = (int)v[TAGS];
    f->bias = false;
    f->numbers = s->rules >= THR_RULES_UNITS;
    out->multilabel = out->empty_sets = thr_settings_number(s, "multilabel") != 0;
    int code = char_range(get(s, CHAR_NGRAMS), &f->char_min, &f->char_max, err);
    if (code == 0)
        code = thr_negate_set(f, get(s, NEGATE), err);
    if (code == 0)
        code = thr_crosses_parse(get(s, CROSS), s->crosses_by_name, f, err);
    return code ? code : thr_columns_parse(get(s, COLUMNS), &out->columns, err);
}

static int check_template(const char *line, thr_error *err)
{
    thr_template *t;
    char *text = thr_template_unfold(line);
    if (!text)
        return thr_fail_memory(err);
    int code = *text ? thr_template_parse(text, strlen(text), &t, err) : 0;
    if (code == 0 && *text)
        thr_template_free(t);
    free(text);
    return code;
}

/* Refuses a value that is wrong by itself. Whether settings go together is checked when a model is
 * assembled (thr_model_assemble). `by_name` is of crosses, see thr_crosses_parse. */
static int check(int i, const char *value, unsigned rules, bool by_name, thr_error *err)
{
    double number;
    unsigned min, max;
    thr_features features;
    thr_columns columns;
    thr_rule rule;
    thr_classes classes;
    thr_thresholds thresholds;
    int code;
    switch (i) {
    case LEARNER:
        code = thr_rule_init_under(&rule, value, NULL, rules, err);
        thr_rule_clear(&rule);
        return code;
    case CLASS_WEIGHTS:
        code = thr_classes_init(&classes, value, err);
        thr_classes_clear(&classes);
        return code;
    case THRESHOLD:
        code = thr_thresholds_init(&thresholds, value, err);
        thr_thresholds_clear(&thresholds);
        return code;
    case CHAR_NGRAMS:
        return char_range(value, &min, &max, err);
    case NEGATE:
        return thr_negate_set(&features, value, err);
    case CROSS:
        return thr_crosses_parse(value, by_name, &features, err);
    case COLUMNS:
        return thr_columns_parse(value, &columns, err);
    case TEMPLATE:
        return check_template(value, err);
    case FORMAT:
        if (strcmp(value, "auto") != 0 && !thr_format_find(value))
            return thr_format_unknown(value, err);
        return 0;
    default:
        return table[i].type == THR_STRING ? 0 : number_of(i, value, &number, err);
    }
}

/* Takes over `value`, and for a template `text`, which was made of it. */
static void keep(thr_settings *s, int i, char *value, char *text)
{
    free(s->value[i]);
    s->value[i] = value;
    if (i != TEMPLATE)
        return;
    free(s->template);
    s->template = text && *text ? text : NULL;
    if (!s->template)
        free(text);
}

static int set(thr_settings *s, const char *name, const char *value, bool by_name, thr_error *err)
{
    int i = index_of(name);
    if (i < 0)
        return thr_fail(err, THR_EUSE, "there is no setting '%s'", name);
    if (strpbrk(value, "\n\r"))
        return thr_fail(err, THR_EUSE, "%s: a value is one line", name);
    int code = check(i, value, s->rules, by_name, err);
    if (code)
        return code;
    char *copy = strdup(value), *text = i == TEMPLATE ? thr_template_unfold(value) : NULL;
    if (!copy || (i == TEMPLATE && !text)) {
        free(copy);
        free(text);
        return thr_fail_memory(err);
    }
    keep(s, i, copy, text);
    s->crosses_by_name = i == CROSS ? by_name : s->crosses_by_name;
    return 0;
}

/* A template is given with its lines. */
int thr_settings_set(thr_settings *s, const char *name, const char *value, thr_error *err)
{
    if (index_of(name) != TEMPLATE)
        return set(s, name, value, false, err);
    char *line = thr_template_fold(value);
    int code = line ? set(s, name, line, false, err) : thr_fail_memory(err);
    free(line);
    return code;
}

void thr_settings_unset(thr_settings *s, const char *name)
{
    int i = index_of(name);
    if (i < 0)
        return;
    free(s->value[i]);
    s->value[i] = NULL;
    if (i == TEMPLATE) {
        free(s->template);
        s->template = NULL;
    }
}

/* ---- as text ------------------------------------------------------------------------------ */

/* The name of the line with the crosses. What earlier versions would take for something else gets a
 * name that they do not know, so that they refuse the model; the other way round, `cross` is read
 * as they meant it. */
static const char letters_too[] = "crosses";

static const char *line_name(const thr_settings *s, int i)
{
    thr_features f;
    if (i != CROSS || s->crosses_by_name || thr_crosses_parse(get(s, i), false, &f, NULL) ||
        thr_crosses_are_pairs(&f))
        return table[i].name;
    return letters_too;
}

/* Whether a file has no line for a setting, because it means the same without it and keeps the
 * bytes that it had before there was the setting. */
static bool is_left_out(const thr_settings *s, int i)
{
    const char *value = get(s, i);
    const char *was = thr_default_in(thr_old_defaults, "settings", table[i].name, s->rules, NULL);
    if (i == SLOPE || i == THRESHOLD || i == NEGATE || (i >= DECODE && i <= TAGS))
        return strcmp(value, table[i].fallback) == 0;
    return i == SCALE && s->rules < THR_RULES_UNITS && was && strcmp(value, was) == 0;
}

bool thr_settings_print(const thr_settings *s, thr_bytes *out)
{
    bool ok = s->rules == THR_RULES_FIRST || thr_bytes_printf(out, "rules=%u\n", s->rules);
    for (int i = 0; i < N_SETTINGS && ok; i++)
        ok = is_left_out(s, i) || thr_bytes_printf(out, "%s=%s\n", line_name(s, i), get(s, i));
    return ok;
}

/* Reads the line `rules=N` and moves *at behind it. Files of the first version of the rules do not
 * have it. */
static int read_rules(thr_settings *s, const char **at, const char *limit, thr_error *err)
{
    static const char word[] = "rules=";
    size_t n = sizeof word - 1;
    const char *end;
    uint64_t rules;
    s->rules = THR_RULES_FIRST;
    if ((size_t)(limit - *at) < n || memcmp(*at, word, n) != 0)
        return 0;
    if (thr_parse_u64(*at + n, limit, &end, &rules) != THR_NUMBER_OK || end == limit ||
        *end != '\n' || rules <= THR_RULES_FIRST || rules > UINT_MAX)
        return thr_fail(err, THR_EMODEL, "its settings are damaged");
    s->rules = (unsigned)rules;
    *at = end + 1;
    if (rules > THR_RULES)
        return thr_fail(err, THR_EMODEL,
                        "this model follows version %u of the rules, and this thresh knows them "
                        "up to version %u: it takes a later thresh to read it",
                        s->rules, THR_RULES);
    return 0;
}

int thr_settings_assume(thr_settings *s, const thr_old_default *former, thr_error *err)
{
    int code = 0;
    for (int i = 0; i < N_SETTINGS && code == 0; i++) {
        const char *name = table[i].name;
        const char *was = thr_default_in(former, "settings", name, s->rules, NULL);
        if (!s->value[i] && was)
            code = thr_settings_set(s, name, was, err);
    }
    return code;
}

int thr_settings_read(thr_settings *s, const char *text, size_t n, thr_error *err)
{
    const char *at = text, *limit = text + n;
    int wrong = read_rules(s, &at, limit, err);
    if (wrong)
        return wrong;
    while (at < limit) {
        const char *end = memchr(at, '\n', (size_t)(limit - at));
        const char *equals = end ? memchr(at, '=', (size_t)(end - at)) : NULL;
        if (!equals)
            return thr_fail(err, THR_EMODEL, "its settings are damaged");
        char *name = strndup(at, (size_t)(equals - at));
        char *value = strndup(equals + 1, (size_t)(end - equals - 1));
        bool letters = name && strcmp(name, letters_too) == 0;
        int code = name && value ? set(s, letters ? table[CROSS].name : name, value, !letters, err)
                                 : thr_fail_memory(err);
        free(name);
        free(value);
        if (code)
            return code;
        at = end + 1;
    }
    return thr_settings_assume(s, thr_old_defaults, err);
}
