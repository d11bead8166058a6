/* Forged models: files with valid checksums that say what no model says. Each is refused with a
 * sentence, and one that is too large to be checked at opening is refused before it is copied,
 * saved or compared. */
#include "forge_help.h"
#include "lexicon/lexicon.h"
#include "model_help.h"
#include "weights/weights.h"

#include <math.h>
#include <unistd.h>

/* Where numbers are in the state, see docs/model-format.md. */
enum { FEATURES = 112, KNOWN = 116, MARKS_PLAIN = 124 };

static const char lines[] = "1 | red round 7:2\n-1 |shape round |c blue:0.5 12:1\n"
                            "1 |shape a_name_that_is_too_long_for_a_slot | red\n-1 | 7 blue\n";

static forged taken_apart(const thr_model *m, bool lean)
{
    forged f;
    thr_bytes bytes = dumped(m, lean);
    assert_true(forge_open(&f, bytes.p, bytes.n));
    thr_bytes_clear(&bytes);
    return f;
}

static forged taught(const char *learner, const char *more)
{
    thr_model *m = make_model(learner, more);
    teach(m, "vw", lines);
    forged f = taken_apart(m, false);
    thr_model_free(m);
    return f;
}

static thr_model *opened(const forged *f, enum thr_opened as, thr_error *err)
{
    size_t n;
    char *file = forge_file(f, &n);
    thr_model *m = thr_model_load_as(file, n, as, err);
    free(file);
    return m;
}

static void opens(forged *f)
{
    thr_error err = {0};
    thr_model *m = opened(f, THR_TO_TRAIN, &err);
    if (!m)
        fail_msg("%s", err.message);
    thr_model_free(m);
    forge_clear(f);
}

/* Refused for training and for predicting, with these words in the message. */
static void refused(forged *f, const char *words)
{
    static const enum thr_opened ways[] = {THR_TO_TRAIN, THR_TO_PREDICT};
    for (size_t i = 0; i < 2; i++) {
        thr_error err = {0};
        thr_model *m = opened(f, ways[i], &err);
        if (m)
            fail_msg("this should have been refused: %s", words);
        assert_int_equal(err.code, THR_EMODEL);
        if (!strstr(err.message, words))
            fail_msg("'%s' does not say '%s'", err.message, words);
    }
    forge_clear(f);
}

static uint32_t u32_in(const forged *f, uint32_t section, size_t at)
{
    uint32_t v;
    assert_true(at + sizeof v <= f->part[section].n);
    memcpy(&v, f->part[section].p + at, sizeof v);
    return v;
}

/* ---- counts ---- */

/* Dropping features for the ceiling counts as many as are known. */
static void test_more_known_than_features(void **state)
{
    (void)state;
    for (uint32_t more = 1; more < 100000; more *= 10) {
        forged f = taught("pa", "max-features=12");
        uint32_t features = u32_in(&f, THR_SECTION_STATE, FEATURES);
        assert_int_equal(u32_in(&f, THR_SECTION_STATE, KNOWN), features);
        forge_u32(&f, THR_SECTION_STATE, KNOWN, features + more);
        refused(&f, "its state");
    }
    forged f = taught("pa", "max-features=12");
    forge_u32(&f, THR_SECTION_STATE, KNOWN, 2); /* as if the last batch was not learned from */
    opens(&f);
}

/* A lean model has fewer features than it knew. */
static void test_lean_models_knew_more(void **state)
{
    (void)state;
    thr_model *m = make_model("perceptron", NULL);
    teach(m, "vw", lines);
    forged f = taken_apart(m, true);
    assert_true(u32_in(&f, THR_SECTION_STATE, KNOWN) > u32_in(&f, THR_SECTION_STATE, FEATURES));
    opens(&f);
    thr_model_free(m);
}

/* The numbers of the only member of a perceptron without marks; `at` from its beginning on. */
static size_t in_member(const forged *f, size_t at)
{
    uint32_t marks = u32_in(f, THR_SECTION_STATE, MARKS_PLAIN);
    size_t panel = MARKS_PLAIN + 4 + 8 * (size_t)marks + 8 * 2; /* two labels are counted */
    return panel + 4 + 8 + 8 + 8 + at;
}

static void test_clocks(void **state)
{
    (void)state;
    enum { CLOCK = 24 };
    const double wrong[] = {NAN, INFINITY, -1, 1e300};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        forged f = taught("perceptron", "scale=off");
        double clock;
        memcpy(&clock, f.part[THR_SECTION_STATE].p + in_member(&f, CLOCK), sizeof clock);
        assert_true(clock == 4);
        forge_f64(&f, THR_SECTION_STATE, in_member(&f, CLOCK), wrong[i]);
        refused(&f, "its state");
    }
}

static void test_marks_out_of_order(void **state)
{
    (void)state;
    forged f = taught("perceptron", "scale=off");
    assert_int_equal(u32_in(&f, THR_SECTION_STATE, MARKS_PLAIN), 4);
    forge_u64(&f, THR_SECTION_STATE, MARKS_PLAIN + 4, UINT64_MAX);
    refused(&f, "its state");
    f = taught("perceptron", "scale=off");
    forge_u32(&f, THR_SECTION_STATE, MARKS_PLAIN - 4, 17); /* examples met again in a row */
    refused(&f, "its state");
}

/* The greatest number of sections holds for those who train, too. */
static void test_too_many_members(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes members = {0};
    for (int i = 0; i < 65; i++)
        assert_true(thr_bytes_printf(&members, "%spa:C=%d", i ? "+" : "", i + 1));
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "members", members.p, &err), 0);
    assert_null(thr_model_new(s, &err));
    assert_int_equal(err.code, THR_EUSE);
    assert_non_null(strstr(err.message, "at most 64 members"));
    *strrchr(members.p, '+') = '\0';
    assert_int_equal(thr_settings_set(s, "members", members.p, &err), 0);
    thr_model *m = thr_model_new(s, &err);
    assert_non_null(m);
    thr_bytes bytes = dumped(m, false);
    thr_model *back = thr_model_load(bytes.p, bytes.n, &err);
    assert_non_null(back);
    thr_model_free(back);
    thr_bytes_clear(&bytes);
    thr_model_free(m);
    thr_settings_free(s);
    thr_bytes_clear(&members);
}

/* ---- names ---- */

static uint64_t origin_in(const forged *f, uint32_t id)
{
    uint64_t v;
    memcpy(&v, f->part[THR_SECTION_ORIGIN].p + id * sizeof v, sizeof v);
    return v;
}

/* The first id whose name is an integer, or in the heap. */
static uint32_t id_with(const forged *f, bool integer)
{
    for (uint32_t id = 1; id < f->part[THR_SECTION_ORIGIN].n / sizeof(uint64_t); id++)
        if (!(origin_in(f, id) & THR_FROM_INTEGER) == !integer)
            return id;
    fail_msg("there is no such name");
    return 0;
}

#define WAYS 9
/* The ways in which an entry of `origin` can lead nowhere. */
static void spoil_origin(forged *f, int way)
{
    uint32_t text = id_with(f, false), integer = id_with(f, true);
    const uint64_t wrong[] = {
        THR_FROM_HASH | 1,
        THR_FROM_HASH | UINT64_C(1) << 40,
        f->part[THR_SECTION_HEAP].n,
        f->part[THR_SECTION_HEAP].n - 1,
        UINT64_C(1) << 61,
        THR_FROM_INTEGER | UINT64_C(100) << 24,
        THR_FROM_INTEGER | UINT64_C(1) << 60,
        THR_FROM_INTEGER | 0xffffff,
        THR_FROM_INTEGER | 3, /* on a page, but not there */
    };
    uint32_t id = way < 5 ? text : integer;
    forge_u64(f, THR_SECTION_ORIGIN, id * sizeof(uint64_t), wrong[way]);
}

static void test_origins_that_lead_nowhere(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        forged f = taught("perceptron", NULL);
        spoil_origin(&f, way);
        refused(&f, way < 7 ? "a feature has no name" : "leads to another one");
    }
    thr_model *m = make_model("bayes", NULL); /* which keeps all features */
    teach(m, "vw", lines);
    for (int way = 0; way < 7; way++) { /* a bare file, whose tables are made from the names */
        forged f = taken_apart(m, true);
        assert_true(f.flags & THR_FILE_BARE);
        spoil_origin(&f, way);
        refused(&f, "a feature has no name");
    }
    thr_model_free(m);
    forged bias = taught("perceptron", NULL);
    forge_u64(&bias, THR_SECTION_ORIGIN, 0, 1);
    refused(&bias, "the bias has a name");
    forged f = taught("perceptron", NULL);
    size_t at = (size_t)origin_in(&f, id_with(&f, false));
    forge_u32(&f, THR_SECTION_HEAP, at + 2, 0xfffffff0); /* its length */
    refused(&f, "a feature has no name");
}

static void test_ids_out_of_range(void **state)
{
    (void)state;
    for (int page = 0; page < 2; page++) {
        forged f = taught("perceptron", NULL);
        uint32_t section = page ? THR_SECTION_PAGES : THR_SECTION_SLOTS;
        uint32_t features = u32_in(&f, THR_SECTION_STATE, FEATURES);
        forge_u32(&f, section, 0, features);
        refused(&f, "a name has no row");
    }
}

static void test_two_features_in_one_hash_slot(void **state)
{
    (void)state;
    forged f = taught("perceptron", "hash-bits=10");
    forge_u64(&f, THR_SECTION_ORIGIN, 8, origin_in(&f, 2));
    refused(&f, "hash slots");
    f = taught("perceptron", "hash-bits=10");
    forge_u64(&f, THR_SECTION_ORIGIN, 8, THR_FROM_HASH | 1024);
    refused(&f, "hash slots");
}

/* A large model is not read at opening. Its names can be asked for, and it predicts; what reads all
 * of it finds the damage. */
static void test_large_models_are_checked_before_they_are_copied(void **state)
{
    (void)state;
    thr_model *good = make_model("perceptron", NULL);
    teach(good, "vw", lines);
    for (int way = 0; way < WAYS; way++) {
        thr_error err = {0};
        char name[64];
        double scores[2];
        void *bytes;
        size_t n;
        forged f = taken_apart(good, false);
        spoil_origin(&f, way);
        thr_model *m = opened(&f, THR_LAZILY, &err);
        assert_non_null(m);
        for (size_t i = 0; i < thr_model_features(m); i++)
            thr_model_feature(m, i, name, sizeof name);
        score_line(m, "vw", "1 | red round 7:2 |shape a_name_that_is_too_long_for_a_slot\n",
                   scores);
        const thr_model *both[] = {good, m};
        assert_null(thr_model_clone(m, &err));
        assert_int_equal(err.code, THR_EMODEL);
        assert_int_equal(thr_model_dump(m, way % 2, &bytes, &n, &err), THR_EMODEL);
        assert_null(thr_diff_new(good, m, 10, &err));
        assert_null(thr_diff_new(m, good, 10, &err));
        assert_null(thr_model_mix(both, 2, NULL, NULL, &err));
        assert_int_equal(err.code, THR_EMODEL);
        thr_model_free(m);
        forge_clear(&f);
    }
    thr_model_free(good);
}

/* ---- lists of weights ---- */

enum { ROWS = THR_SECTIONS + THR_SECTION_ROWS, FUNCTIONS = 30 };

/* A table of FUNCTIONS labels, of which each feature has moved a few, in lists. */
static forged taught_lists(void)
{
    thr_bytes text = {0};
    thr_model *m = make_model("perceptron", "scale=off");
    for (unsigned i = 0; i < 60; i++)
        assert_true(
            thr_bytes_printf(&text, "c%u | w%u:%u x%u\n", i % FUNCTIONS, i, 1 + i % 3, i / 4));
    teach(m, "vw", text.p);
    forged f = taken_apart(m, false);
    assert_int_equal(f.listed, 1);
    thr_bytes_clear(&text);
    thr_model_free(m);
    return f;
}

/* The features with lists of their own, in order; returns how many. */
static uint32_t with_lists(const forged *f, uint32_t *id)
{
    uint32_t n = 0, last = 0, features = u32_in(f, THR_SECTION_STATE, FEATURES);
    for (uint32_t i = 0; i < features; i++)
        if (u32_in(f, ROWS, i * 4) > last) {
            last = u32_in(f, ROWS, i * 4);
            id[n++] = i;
        }
    return n;
}

#define LIST_WAYS 13
/* The ways in which a list can be none. The first functions of some list are 2 or more. */
static void spoil_list(forged *f, int way)
{
    uint32_t id[128], n = with_lists(f, id), k = 1, end = (uint32_t)f->part[ROWS].n / 4;
    assert_true(n > 10);
    while (u32_in(f, ROWS, u32_in(f, ROWS, id[k] * 4) * 4) < 2)
        k++;
    size_t place = id[k] * 4, list = (size_t)u32_in(f, ROWS, place) * 4;
    const struct {
        size_t at;
        uint32_t v;
    } change[LIST_WAYS] = {
        {place, end},     /* behind the section */
        {place, end - 1}, /* a list that does not fit */
        {place, UINT32_MAX},
        {place, 1},                              /* among the places */
        {place, u32_in(f, ROWS, id[k + 1] * 4)}, /* the list of another feature */
        {place, 0},                              /* a list that nobody has */
        {list, 0},                               /* no entries */
        {list, FUNCTIONS + 1},                   /* more entries than functions */
        {list, UINT32_MAX},
        {list, FUNCTIONS},     /* all functions, unnamed */
        {list + 4, FUNCTIONS}, /* a function that there is not */
        {list + 8, UINT32_MAX},
        {list + 8, u32_in(f, ROWS, list + 4)}, /* one function twice */
    };
    forge_u32(f, ROWS, change[way].at, change[way].v);
}

static void test_lists_that_make_no_sense(void **state)
{
    (void)state;
    forged f = taught_lists();
    opens(&f);
    for (int way = 0; way < LIST_WAYS; way++) {
        f = taught_lists();
        spoil_list(&f, way);
        refused(&f, "its lists of weights");
    }
    f = taught_lists();
    f.part[ROWS].n -= 4;
    refused(&f, "its lists of weights");
    f = taught_lists();
    f.part[ROWS].n -= 1;
    refused(&f, "its weights end early");
    f = taught_lists();
    f.part[ROWS].n = 8;
    refused(&f, "its weights end early");
}

/* Lists of a large file are looked at when they are used. Any scores will do, but then the model is
 * known to be damaged, and nothing is made of it. */
static void test_lists_in_large_models(void **state)
{
    (void)state;
    for (int way = 0; way < LIST_WAYS; way++) {
        thr_error err = {0};
        double scores[FUNCTIONS];
        void *bytes;
        size_t n;
        forged f = taught_lists();
        spoil_list(&f, way);
        thr_model *m = opened(&f, THR_LAZILY, &err);
        assert_non_null(m);
        thr_batch *b = thr_batch_new();
        thr_scratch *s = thr_scratch_new();
        thr_bytes line = {0};
        assert_true(thr_bytes_printf(&line, "c1 |"));
        for (unsigned i = 0; i < 60; i++)
            assert_true(thr_bytes_printf(&line, " w%u x%u", i, i / 4));
        assert_true(thr_bytes_printf(&line, "\n"));
        assert_int_equal(thr_batch_parse(b, m, "vw", true, line.p, line.n, &err), 0);
        int code = thr_score(m, s, b, NULL, scores, &err);
        bool in_place = (way >= 3 && way <= 5) || way == 9; /* each list by itself makes sense */
        if (!in_place)
            assert_int_equal(code, THR_EMODEL);
        assert_null(thr_model_clone(m, &err));
        assert_int_equal(err.code, THR_EMODEL);
        assert_int_equal(thr_model_dump(m, way % 2, &bytes, &n, &err), THR_EMODEL);
        thr_batch_free(b);
        thr_scratch_free(s);
        thr_bytes_clear(&line);
        thr_model_free(m);
        forge_clear(&f);
    }
}

/* One list for all features would be copied for each segment of rows. */
static void test_lists_that_too_many_share(void **state)
{
    (void)state;
    thr_bytes text = {0};
    thr_model *m = make_model("perceptron", "scale=off");
    for (unsigned i = 0; i < FUNCTIONS; i++)
        assert_true(thr_bytes_printf(&text, "c%u |\n", i));
    assert_true(thr_bytes_printf(&text, "c3 |"));
    for (unsigned i = 1; i < 2 * THR_SEGMENT; i++)
        assert_true(thr_bytes_printf(&text, " %u", i));
    assert_true(thr_bytes_printf(&text, "\n"));
    teach(m, "vw", text.p);
    thr_bytes_clear(&text);
    forged f = taken_apart(m, false);
    thr_model_free(m);
    uint32_t first = u32_in(&f, ROWS, 4);
    assert_int_equal(u32_in(&f, ROWS, (THR_SEGMENT - 1) * 4), first);
    assert_true(u32_in(&f, ROWS, THR_SEGMENT * 4) > first);
    size_t one = 4 + 8 * (size_t)u32_in(&f, ROWS, (size_t)first * 4);
    assert_int_equal(f.part[ROWS].n, (size_t)first * 4 + 2 * one);
    for (size_t id = THR_SEGMENT; id < 2 * THR_SEGMENT; id++)
        forge_u32(&f, ROWS, id * 4, first);
    f.part[ROWS].n -= one;
    refused(&f, "its lists of weights");
}

/* Only some rules have lists, and only of many functions. */
static void test_lists_where_there_are_none(void **state)
{
    (void)state;
    static const char *const learners[] = {"winnow", "perceptron", "knn"};
    for (size_t i = 0; i < 3; i++) {
        forged f = taught(learners[i], NULL);
        f.version = THR_FILE_LISTED;
        f.listed = 1;
        refused(&f, "its weights end early");
    }
    forged f = taught_lists();
    f.listed = 2;
    refused(&f, "its head");
    f = taught_lists();
    f.listed = 0;
    refused(&f, "its weights end early");
    f = taught_lists();
    f.version = THR_FILE_PLAIN;
    refused(&f, "its weights end early");
    f = taught_lists();
    f.version = 3;
    refused(&f, "another version of thresh");
}

/* ---- kept examples ---- */

static void test_examples_that_count_less_than_nothing(void **state)
{
    (void)state;
    static const char *const learners[] = {"knn", "rules", "kernel", "voted"};
    for (size_t i = 0; i < 4; i++) {
        enum { MEMORY = THR_SECTIONS + THR_SECTION_MEMORY };
        forged f = taught(learners[i], NULL);
        uint64_t kept;
        float less = -1e38F, importance;
        memcpy(&kept, f.part[MEMORY].p, sizeof kept);
        size_t at = 32 + ((size_t)kept + 1) * 8 + 28; /* of the first */
        memcpy(&importance, f.part[MEMORY].p + at, sizeof importance);
        assert_true(importance == 1);
        forge_patch(&f, MEMORY, at, &less, sizeof less);
        refused(&f, "the examples it keeps");
    }
}

/* Notes of rules that take none are looked at when models are mixed. */
static void test_notes_of_other_functions(void **state)
{
    (void)state;
    static const char *const learners[] = {"maxmargin", "knn", "rules", "voted"};
    enum { MEMORY = THR_SECTIONS + THR_SECTION_MEMORY, NOTE = 24 };
    for (size_t i = 0; i < 4; i++) {
        forged f = taught(learners[i], NULL);
        uint64_t kept, notes;
        memcpy(&kept, f.part[MEMORY].p, sizeof kept);
        memcpy(&notes, f.part[MEMORY].p + 16, sizeof notes);
        size_t at = 32 + ((size_t)kept + 1) * 8 + (size_t)kept * 32, n = f.part[MEMORY].n;
        char *longer = calloc(n + NOTE, 1);
        assert_non_null(longer);
        memcpy(longer, f.part[MEMORY].p, at);
        memset(longer + at + 20, 0x7f, 4); /* the function of a first note */
        memcpy(longer + at + NOTE, f.part[MEMORY].p + at, n - at);
        forge_set(&f, MEMORY, longer, n + NOTE);
        forge_u64(&f, MEMORY, 16, notes + 1);
        free(longer);
        refused(&f, "its notes on examples");
    }
}

/* ---- opened for predicting, cloned, and taught ---- */

static void test_clones_of_models_opened_for_predicting_learn(void **state)
{
    (void)state;
    static const char *const learners[] = {"bayes:kind=bernoulli", "bayes", "panel", "kernel"};
    static const char more[] = "1 | red blue\n-1 | red round 7:1\n1 |shape round\n";
    for (size_t i = 0; i < 4; i++) {
        thr_error err = {0};
        forged f = taught(learners[i], NULL);
        thr_model *m = opened(&f, THR_TO_PREDICT, &err), *full = opened(&f, THR_TO_TRAIN, &err);
        assert_true(m && full);
        const thr_model *view = thr_model_snapshot(m, &err);
        thr_model *clone = thr_model_clone(m, &err), *second = thr_model_clone(view, &err);
        assert_true(view && clone && second);
        teach(full, "vw", more);
        teach(clone, "vw", more);
        teach(second, "vw", more);
        assert_same_model(full, clone);
        assert_same_model(full, second);
        thr_model_free(full);
        thr_model_free(clone);
        thr_model_free(second);
        thr_model_free(view);
        thr_model_free(m);
        forge_clear(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_known_than_features),
        cmocka_unit_test(test_lean_models_knew_more),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_marks_out_of_order),
        cmocka_unit_test(test_too_many_members),
        cmocka_unit_test(test_origins_that_lead_nowhere),
        cmocka_unit_test(test_ids_out_of_range),
        cmocka_unit_test(test_two_features_in_one_hash_slot),
        cmocka_unit_test(test_large_models_are_checked_before_they_are_copied),
        cmocka_unit_test(test_lists_that_make_no_sense),
        cmocka_unit_test(test_lists_in_large_models),
        cmocka_unit_test(test_lists_that_too_many_share),
        cmocka_unit_test(test_lists_where_there_are_none),
        cmocka_unit_test(test_examples_that_count_less_than_nothing),
        cmocka_unit_test(test_notes_of_other_functions),
        cmocka_unit_test(test_clones_of_models_opened_for_predicting_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
