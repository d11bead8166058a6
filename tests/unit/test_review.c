/* Reviews of a panel (model/review.h): who is paused and when; and that a model with paused members
 * is still a function of settings and examples: for any threads and stops, saved or not, shared or
 * mixed. */
#include "forge_help.h"
#include "model_help.h"

#include "combine/prune.h"
#include "file/file.h"
#include "model/inside.h"
#include "model/review.h"
#include "step/scratch.h"
#include "step/trace.h"

#include <math.h>

#define REVIEW 16384 /* the first one that may pause */
#define LINES  (2 * REVIEW + 600)

/* The perceptron follows every wrong label, of which there are many; the others do not. */
static const char members[] = "members=perceptron+arow+adagrad";

/* One of 60 numbers decides, two of 60 words do not, and one label in three is drawn. `labels`
 * classes. */
static thr_bytes noisy_lines(uint64_t seed, size_t lines, size_t labels)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, seed);
    for (size_t i = 0; i < lines; i++) {
        size_t word[3];
        for (int k = 0; k < 3; k++)
            word[k] = (size_t)thr_random_below(&r, 60);
        size_t label = word[0] % labels;
        if (thr_random_below(&r, 3) == 0)
            label = (size_t)thr_random_below(&r, labels);
        assert_true(
            thr_bytes_printf(&b, "%zu | %zu a%zu b%zu\n", label, word[0], word[1], word[2]));
    }
    assert_true(thr_bytes_add(&b, "", 1));
    b.n--;
    return b;
}

/* Where line n of the text begins. */
static const char *line_at(const thr_bytes *text, size_t n)
{
    const char *at = text->p;
    for (size_t i = 0; i < n; i++)
        at = strchr(at, '\n') + 1;
    return at;
}

static void teach_lines(thr_model *m, const thr_bytes *text, size_t from, size_t to,
                        unsigned threads)
{
    thr_error err = {0};
    const char *p = line_at(text, from);
    size_t n = (size_t)(line_at(text, to) - p);
    thr_input *in = thr_input_new();
    assert_non_null(in);
    thr_input_set_threads(in, threads);
    assert_int_equal(thr_input_add_memory(in, p, n, "memory", &err), 0);
    assert_int_equal(thr_input_set_format(in, "vw", &err), 0);
    const thr_train_options o = {.passes = 1};
    if (thr_train(m, in, &o, NULL, &err))
        fail_msg("line %d: %s", (int)err.line, err.message);
    thr_input_free(in);
}

static thr_model *taught(const thr_bytes *text, size_t lines, unsigned threads)
{
    thr_model *m = make_model("panel", members);
    teach_lines(m, text, 0, lines, threads);
    return m;
}

static void test_reviews_come_at_powers_of_two(void **state)
{
    (void)state;
    thr_panel p = {.pauses = true};
    assert_int_equal(thr_panel_until_review(&p, 0), 8192);
    assert_int_equal(thr_panel_until_review(&p, 8191), 1);
    assert_int_equal(thr_panel_until_review(&p, 8192), 8192);
    assert_int_equal(thr_panel_until_review(&p, 16383), 1);
    assert_int_equal(thr_panel_until_review(&p, 40000), 65536 - 40000);
    assert_true(thr_panel_until_review(&p, UINT64_MAX - 5) > 1000); /* as in a damaged file */
    p.pauses = false;
    assert_true(thr_panel_until_review(&p, 16383) == UINT64_MAX);
}

/* Whether the first of two members is paused: after `learned` examples, of which so many counted,
 * it has lost so much more than the second, and made `own` mistakes since the last review. The
 * second made 100. */
static bool is_paused(uint64_t learned, double counted, double lost, uint64_t own)
{
    thr_model *m = make_model("panel", "members=pa+arow");
    m->seen.examples = learned;
    m->panel.mixture.counted = counted;
    m->panel.mixture.lost[0] = lost;
    thr_mixture_weigh(&m->panel.mixture);
    m->panel.reviewed[0] = 500;
    m->panel.mistakes[0] = 500 + own;
    m->panel.reviewed[1] = 1000;
    m->panel.mistakes[1] = 1100;
    bool paused = thr_model_review(m);
    assert_int_equal(m->members, 2 - paused);
    assert_true(!paused || strcmp(m->member[0].spec, "arow") == 0);
    assert_int_equal(m->panel.reviewed[m->members - 1] == 1100, learned != REVIEW + 1);
    thr_model_free(m);
    return paused;
}

/* 160 - 100 is more than three times the root of 260, 145 - 100 less than that of 245. A loss of 20
 * more makes a weight of 1e-6, one of 5 more 0.03. */
static void test_each_condition_is_needed(void **state)
{
    (void)state;
    assert_true(is_paused(REVIEW, REVIEW, 20, 160));
    assert_true(is_paused(2 * REVIEW, 1.5 * REVIEW, 20, 160));
    assert_false(is_paused(REVIEW / 2, REVIEW / 2, 20, 160));
    assert_false(is_paused(REVIEW + 1, REVIEW, 20, 160));
    assert_false(is_paused(REVIEW, 0.74 * REVIEW, 20, 160));
    assert_false(is_paused(REVIEW, REVIEW, 5, 160));
    assert_false(is_paused(REVIEW, REVIEW, 20, 145));
    assert_false(is_paused(REVIEW, REVIEW, 20, 30));
}

static void test_the_worse_member_is_paused(void **state)
{
    (void)state;
    thr_bytes text = noisy_lines(1, LINES, 2);
    thr_expert e;
    thr_model *m = taught(&text, REVIEW - 1, 1);
    assert_int_equal(thr_model_members(m), 3);
    assert_false(thr_model_paused(m, 0, &e));
    teach_lines(m, &text, REVIEW - 1, REVIEW, 1);
    assert_int_equal(thr_model_members(m), 2);
    assert_string_equal(thr_model_member(m, 0), "arow");
    assert_true(thr_model_paused(m, 0, &e) && !thr_model_paused(m, 1, &e));
    assert_string_equal(e.name, "perceptron");
    assert_int_equal(e.paused, REVIEW);
    assert_true(e.mistakes > 0 && e.weight == 0);
    double weights = 0;
    for (size_t i = 0; thr_model_expert(m, i, &e); i++)
        weights += e.weight;
    assert_true(fabs(weights - 1) < 1e-12);
    thr_model_free(m);
    thr_bytes_clear(&text);
}

static void test_nobody_is_paused_if_told_not_to_or_by_earlier_rules(void **state)
{
    (void)state;
    thr_bytes text = noisy_lines(1, REVIEW, 2);
    thr_model *m = make_model("panel:pause=off", members);
    teach_lines(m, &text, 0, REVIEW, 1);
    assert_int_equal(thr_model_members(m), 3);
    thr_model_free(m);
    thr_rule r;
    assert_int_equal(thr_rule_init_under(&r, "panel", NULL, THR_RULES_PAUSE - 1, NULL), 0);
    assert_true(r.option[6] == 0);
    thr_rule_clear(&r);
    thr_bytes_clear(&text);
}

/* Puts the lines of each block of 64 in the order of their labels. */
static thr_bytes in_bursts(const thr_bytes *text)
{
    thr_bytes out = {0};
    for (const char *block = text->p, *end = block; *block; block = end) {
        for (int i = 0; i < 64 && *end; i++)
            end = strchr(end, '\n') + 1;
        for (char label = '0'; label <= '1'; label++)
            for (const char *at = block; at < end; at = strchr(at, '\n') + 1)
                if (*at == label)
                    assert_true(thr_bytes_add(&out, at, (size_t)(strchr(at, '\n') + 1 - at)));
    }
    assert_true(thr_bytes_add(&out, "", 1));
    out.n--;
    return out;
}

/* Where lines come again, or labels in bursts, too few of them count. */
static void test_nobody_is_paused_where_examples_say_little(void **state)
{
    (void)state;
    thr_bytes text = noisy_lines(1, LINES, 2), bursts = in_bursts(&text);
    thr_model *m = taught(&text, REVIEW / 2, 1);
    teach_lines(m, &text, 0, REVIEW / 2, 1);
    assert_int_equal(m->seen.examples, REVIEW);
    assert_int_equal(thr_model_members(m), 3);
    thr_model_free(m);
    m = taught(&bursts, LINES, 1);
    assert_int_equal(m->seen.examples, LINES);
    assert_int_equal(thr_model_members(m), 3);
    thr_model_free(m);
    thr_bytes_clear(&text);
    thr_bytes_clear(&bursts);
}

/* In one go, example by example around the review, saved in between, and with more threads. */
static void test_threads_and_stops_do_not_show(void **state)
{
    (void)state;
    for (size_t labels = 2; labels <= 7; labels += 5) {
        thr_error err = {0};
        thr_bytes text = noisy_lines(labels + 8, LINES, labels);
        thr_model *one = taught(&text, LINES, 1), *stops = taught(&text, REVIEW - 3, 2);
        assert_true(one->panel.n_paused > 0);
        for (unsigned threads = 2; threads <= 4; threads++) {
            thr_model *m = taught(&text, LINES, threads);
            assert_same_model(one, m);
            thr_model_free(m);
        }
        for (size_t i = REVIEW - 3; i < REVIEW + 3; i++) {
            teach_lines(stops, &text, i, i + 1, 1);
            thr_bytes file = dumped(stops, false);
            thr_model *again = thr_model_load(file.p, file.n, &err);
            assert_non_null(again);
            for (uint32_t k = 0; k < stops->members; k++)
                assert_true(again->panel.reviewed[k] == stops->panel.reviewed[k] &&
                            again->panel.reviewed[k] > 0);
            thr_model_free(stops);
            stops = again;
            thr_bytes_clear(&file);
        }
        teach_lines(stops, &text, REVIEW + 3, LINES, 4);
        assert_same_model(one, stops);
        thr_model_free(one);
        thr_model_free(stops);
        thr_bytes_clear(&text);
    }
}

static void test_a_snapshot_keeps_its_members(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes text = noisy_lines(3, LINES, 2);
    thr_model *m = taught(&text, REVIEW - 1, 1);
    thr_bytes before = dumped(m, false);
    const thr_model *snapshot = thr_model_snapshot(m, &err);
    thr_model *clone = thr_model_clone(m, &err);
    assert_true(snapshot && clone);
    teach_lines(m, &text, REVIEW - 1, LINES, 1);
    assert_true(m->panel.n_paused > 0);
    thr_bytes after = dumped(snapshot, false);
    assert_same_bytes(&before, &after);
    teach_lines(clone, &text, REVIEW - 1, LINES, 2);
    assert_same_model(m, clone);
    thr_bytes_clear(&before);
    thr_bytes_clear(&after);
    thr_model_free(snapshot);
    thr_model_free(clone);
    thr_model_free(m);
    thr_bytes_clear(&text);
}

/* A lean model of a panel with paused members predicts the same. */
static void test_lean_models_predict_the_same(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes text = noisy_lines(4, LINES, 3);
    thr_model *m = taught(&text, LINES, 1);
    assert_true(m->panel.n_paused > 0);
    thr_bytes file = dumped(m, true);
    thr_model *lean = thr_model_load_as(file.p, file.n, THR_TO_PREDICT, &err);
    assert_non_null(lean);
    for (size_t i = 0; i < 200; i++) {
        double x[4], y[4];
        char line[64];
        const char *at = strchr(line_at(&text, i), '|'), *end = strchr(at, '\n');
        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        assert_int_equal(score_line(m, "vw", line, x), score_line(lean, "vw", line, y));
        for (int l = 0; l < 3; l++)
            assert_true(fabs(x[l] - y[l]) < 1e-5 * (1 + fabs(x[l])));
    }
    thr_bytes_clear(&file);
    thr_model_free(lean);
    thr_model_free(m);
    thr_bytes_clear(&text);
}

/* Where `n` bytes stand in a section. */
static size_t place_in(const forged *f, uint32_t section, const void *bytes, size_t n)
{
    const char *at = memmem(f->part[section].p, f->part[section].n, bytes, n);
    assert_non_null(at);
    return (size_t)(at - f->part[section].p);
}

/* Whether a file opens after n bytes of its state were replaced. It can be saved again then. */
static bool opens_with(const thr_bytes *file, size_t at, const void *bytes, size_t n)
{
    thr_error err = {0};
    forged f;
    size_t size;
    assert_true(forge_open(&f, file->p, file->n));
    forge_patch(&f, THR_SECTION_STATE, at, bytes, n);
    char *p = forge_file(&f, &size);
    thr_model *m = thr_model_load(p, size, &err);
    if (m) {
        thr_bytes again = dumped(m, false);
        thr_bytes_clear(&again);
    } else if (!strstr(err.message, "damaged"))
        fail_msg("%s", err.message);
    thr_model_free(m);
    free(p);
    forge_clear(&f);
    return m != NULL;
}

/* Counts and places that do not fit the members that the settings name. Counts of examples and
 * mistakes are only reported, and may be anything. */
static void test_damaged_lists_of_paused_members_are_refused(void **state)
{
    (void)state;
    thr_bytes text = noisy_lines(7, REVIEW, 2);
    thr_model *m = taught(&text, REVIEW, 1);
    thr_bytes file = dumped(m, false);
    forged f;
    const uint32_t list[] = {2, 1, 0, 0, REVIEW, 0}, other[] = {0, 1, 3, 4, UINT32_MAX};
    const uint64_t most[] = {UINT64_MAX, UINT64_MAX};
    assert_true(forge_open(&f, file.p, file.n));
    size_t at = place_in(&f, THR_SECTION_STATE, list, sizeof list);
    forge_clear(&f);
    assert_true(opens_with(&file, at, list, sizeof list));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(opens_with(&file, at, &other[i], 4), false);
        if (other[i] != 1)
            assert_int_equal(opens_with(&file, at + 4, &other[i], 4), false);
        if (other[i] > 2)
            assert_int_equal(opens_with(&file, at + 8, &other[i], 4), false);
    }
    assert_true(opens_with(&file, at + 16, most, 16));
    assert_int_equal(opens_with(&file, at + 32, most, 8), false); /* more than its mistakes */
    thr_bytes_clear(&file);
    thr_model_free(m);
    thr_bytes_clear(&text);
}

/* Of two models that were trained from a base only one has paused a member: the mix has paused it
 * too, and counts what all have learned. */
static void test_models_are_mixed_without_the_members_that_one_has_paused(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes text = noisy_lines(5, LINES, 2);
    thr_model *base = taught(&text, REVIEW / 2 + 10, 1);
    thr_model *a = thr_model_clone(base, &err), *b = thr_model_clone(base, &err);
    teach_lines(a, &text, REVIEW / 2 + 10, REVIEW + 500, 1);
    teach_lines(b, &text, REVIEW + 500, REVIEW + 900, 1);
    assert_int_equal(a->members, 2);
    assert_int_equal(b->members, 3);
    const thr_model *const both[] = {a, b};
    for (int with = 0; with <= 1; with++) {
        thr_model *mix = thr_model_mix(both, 2, NULL, with ? base : NULL, &err);
        thr_expert e;
        if (!mix)
            fail_msg("%s", err.message);
        assert_int_equal(mix->members, 2);
        assert_true(thr_model_paused(mix, 0, &e));
        uint64_t learned = with ? REVIEW + 400 : REVIEW + b->seen.examples;
        assert_int_equal(e.paused, learned);
        thr_bytes file = dumped(mix, false);
        thr_model *again = thr_model_load(file.p, file.n, &err);
        assert_non_null(again);
        assert_same_model(mix, again);
        thr_bytes_clear(&file);
        thr_model_free(again);
        thr_model_free(mix);
    }
    assert_int_equal(b->members, 3);
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(base);
    thr_bytes_clear(&text);
}

/* Models that were trained from a base across a review have noted more mistakes between them than
 * the mix counts. The mix begins to note afresh, can be saved, and pauses the member at its next
 * review. */
static void test_a_mix_is_judged_by_what_it_learns(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes text = noisy_lines(6, LINES, 2);
    thr_model *base = taught(&text, REVIEW / 2 - 3000, 1);
    thr_model *a = thr_model_clone(base, &err), *b = thr_model_clone(base, &err);
    teach_lines(a, &text, REVIEW / 2 - 3000, REVIEW / 2 + 10, 1);
    teach_lines(b, &text, REVIEW / 2 + 10, REVIEW / 2 + 3020, 1);
    const thr_model *const both[] = {a, b};
    thr_model *mix = thr_model_mix(both, 2, NULL, base, &err);
    assert_non_null(mix);
    assert_int_equal(mix->members, 3);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(mix->panel.reviewed[k], mix->panel.mistakes[k]);
    thr_bytes file = dumped(mix, false);
    thr_model *again = thr_model_load(file.p, file.n, &err);
    assert_non_null(again);
    size_t learned = again->seen.examples;
    teach_lines(again, &text, learned, REVIEW, 1);
    assert_int_equal(again->members, 2);
    thr_bytes_clear(&file);
    thr_model_free(again);
    thr_model_free(mix);
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(base);
    thr_bytes_clear(&text);
}

static void test_models_without_a_common_member_are_refused(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *a = make_model("panel", "members=pa+arow"),
              *b = make_model("panel", "members=pa+arow");
    thr_model_take_out(a, 0, 7);
    thr_model_take_out(b, 1, 7);
    const thr_model *const both[] = {a, b};
    assert_null(thr_model_mix(both, 2, NULL, NULL, &err));
    assert_non_null(strstr(err.message, "none in common"));
    thr_model_free(a);
    thr_model_free(b);
}

/* Mixing two models with the members named is refused with a message that has `words`; the first
 * member of each is taken out before. */
static void refuses_to_mix(thr_model *a, thr_model *b, bool take_out, const char *words)
{
    thr_error err = {0};
    const thr_model *const both[] = {a, b};
    for (int i = 0; i < 2 && take_out; i++)
        thr_model_take_out(i ? b : a, 0, 7);
    assert_null(thr_model_mix(both, 2, NULL, NULL, &err));
    if (!strstr(err.message, words))
        fail_msg("%s", err.message);
    thr_model_free(a);
    thr_model_free(b);
}

/* Even if the members that are left are the same. */
static void test_models_that_pause_otherwise_are_refused(void **state)
{
    (void)state;
    refuses_to_mix(make_model("panel", "members=pa+arow"),
                   make_model("panel", "members=perceptron+arow"), true, "differ in members");
    refuses_to_mix(make_model("panel", "members=pa+arow"),
                   make_model("panel:pause=off", "members=pa+arow"), false, "differ in learner");
}

/* A panel of which one rule is left is still a panel: its member may sit out, features are weighed
 * relative to the heaviest, and a hypothesis changes with every example. */
static void test_the_last_member_is_not_a_rule_by_itself(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = make_unscaled("panel", "members=perceptron+bayes"),
              *one = make_unscaled("panel", "members=perceptron");
    teach(m, "vw", "a | x:2\nb | y\n");
    thr_model_take_out(m, 0, 2);
    teach(m, "vw", "a | x:-1\nb | y:3\n");
    assert_int_equal(m->seen.examples, 4);
    thr_feature_weight load[3];
    assert_int_equal(m->lexicon.n, 3);
    assert_int_equal(thr_feature_weights(m, 3, load, &err), 0);
    assert_true(fmax(load[0].weight, load[1].weight) == 1); /* relative, as in a panel */
    assert_int_equal(thr_model_conservative(one, &err), THR_EUSE);
    assert_non_null(strstr(err.message, "panel"));
    thr_model_free(m);
    thr_model_free(one);
}

/* The listener's count of updates of the rule that was taken out. */
static int count_perceptron(void *user, const thr_update *u)
{
    *(size_t *)user += strcmp(u->rule, "perceptron") == 0;
    return 0;
}

/* A scratch notices that members are gone, even if it has as many tables as before since one sits
 * out, and if it has a listener that knew them all. */
static void test_a_scratch_serves_the_members_that_are_left(void **state)
{
    (void)state;
    thr_error err = {0};
    static const char *const line[] = {"0 | c:-1 a x", "1 | c:-1 b y", "0 | c:-1 b", "1 | c:-1 a"};
    for (int told = 0; told <= 1; told++) {
        size_t updates = 0;
        thr_model *m = make_unscaled("panel", told ? "members=perceptron+arow+pa multilabel=on"
                                                   : "members=perceptron+arow+bayes");
        thr_batch *b = thr_batch_new();
        thr_scratch *s = thr_scratch_new();
        assert_true(b && s);
        for (int i = 0; i < 4; i++)
            assert_int_equal(thr_batch_parse(b, m, "vw", true, line[i], strlen(line[i]), &err), 0);
        thr_scratch_on_update(s, told ? count_perceptron : NULL, &updates);
        assert_int_equal(thr_learn(m, s, b, NULL, &err), 0);
        assert_true(updates > 0 || !told);
        thr_model_take_out(m, 0, 4);
        updates = 0;
        assert_int_equal(thr_learn(m, s, b, NULL, &err), 0);
        assert_int_equal(m->seen.examples, 8);
        assert_int_equal(updates, 0);
        assert_true(!told || s->work.trace->members == m->members);
        thr_batch_free(b);
        thr_scratch_free(s);
        thr_model_free(m);
    }
}

/* Taken out in any order, members keep the places that the settings give them. */
static void test_places_are_those_of_the_settings(void **state)
{
    (void)state;
    thr_model *m = make_model("panel", "members=pa+arow+adagrad+bayes+logistic");
    thr_model_take_out(m, 3, 5);
    thr_model_take_out(m, 0, 6);
    thr_model_take_out(m, 1, 7);
    static const uint32_t place[] = {0, 2, 3};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(m->panel.paused[i].place, place[i]);
    assert_string_equal(m->panel.paused[1].spec, "adagrad");
    assert_int_equal(thr_panel_place(&m->panel, 0), 1);
    assert_int_equal(thr_panel_place(&m->panel, 1), 4);
    thr_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reviews_come_at_powers_of_two),
        cmocka_unit_test(test_each_condition_is_needed),
        cmocka_unit_test(test_the_worse_member_is_paused),
        cmocka_unit_test(test_nobody_is_paused_if_told_not_to_or_by_earlier_rules),
        cmocka_unit_test(test_nobody_is_paused_where_examples_say_little),
        cmocka_unit_test(test_threads_and_stops_do_not_show),
        cmocka_unit_test(test_a_snapshot_keeps_its_members),
        cmocka_unit_test(test_lean_models_predict_the_same),
        cmocka_unit_test(test_damaged_lists_of_paused_members_are_refused),
        cmocka_unit_test(test_models_are_mixed_without_the_members_that_one_has_paused),
        cmocka_unit_test(test_a_mix_is_judged_by_what_it_learns),
        cmocka_unit_test(test_models_without_a_common_member_are_refused),
        cmocka_unit_test(test_models_that_pause_otherwise_are_refused),
        cmocka_unit_test(test_the_last_member_is_not_a_rule_by_itself),
        cmocka_unit_test(test_a_scratch_serves_the_members_that_are_left),
        cmocka_unit_test(test_places_are_those_of_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
