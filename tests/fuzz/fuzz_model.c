/* Any bytes as a model file. Checksums would turn nearly every change away, so the bytes are also
 * tried with all checksums, and the sizes that go with them, made right: then the checks of the
 * structure behind them are what stands between a hostile file and the memory.
 *
 * Whatever loads can be scored with, explained, walked through, compared, mixed, taught, pruned and
 * saved, and what is saved loads as the same model. It is loaded as for training, as for
 * predicting, and as a model that is too large to be checked at opening; now and then from a file.
 * mutate_model.c makes the changes. */
#include "../unit/forge_help.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* ---- checksums made right ---- */

/* Where the hashes of a file of this size begin; 0 where none has that size. */
static size_t hashes_of(size_t size)
{
    for (size_t chunks = 1; chunks <= size / THR_CHUNK + 1; chunks++) {
        size_t tail = (chunks + 1) * sizeof(uint64_t);
        if (size > tail && thr_guard_chunks(size - tail) == chunks)
            return size - tail;
    }
    return 0;
}

/* The bytes to load, of a size that is a multiple of 8; *size is brought to it. */
static char *stamped(const uint8_t *data, size_t *size)
{
    size_t n = *size & ~(size_t)7, hashes = hashes_of(n);
    if (hashes < sizeof(thr_file_head) + THR_SECTIONS * sizeof(thr_file_section))
        return NULL;
    char *copy = malloc(n);
    CHECK(copy);
    memcpy(copy, data, n);
    thr_file_head head;
    memcpy(&head, copy, sizeof head);
    memcpy(head.magic, THR_FILE_MAGIC, sizeof head.magic);
    if (head.version != THR_FILE_LISTED)
        head.version = THR_FILE_PLAIN;
    head.size = n;
    head.hashes = hashes;
    if (head.sections < THR_SECTIONS || head.sections > THR_MOST_SECTIONS)
        head.sections = THR_SECTIONS + THR_MEMBER_SECTIONS;
    memcpy(copy, &head, sizeof head);
    forge_stamp(copy);
    *size = n;
    return copy;
}

/* 2^30 slots are a legal wish and a slow one. */
static bool wants_many_slots(const char *bytes, size_t size)
{
    static const char setting[] = "hash-bits=";
    for (const char *at = bytes;
         (at = memmem(at, size - (size_t)(at - bytes), setting, sizeof setting - 1));) {
        at += sizeof setting - 1;
        for (size_t i = 0; i < 24 && at + i < bytes + size && at[i] != '\n'; i++)
            if (i || at[i] > '9')
                return true;
    }
    return false;
}

/* ---- using what has loaded ---- */

static bool to_train; /* the input was opened to be taught */

static void add_example(thr_batch *b, const thr_model *m, const char *label)
{
    thr_batch_begin(b);
    if (label)
        thr_batch_set_label(b, label);
    thr_batch_add_key(b, 1, 1);
    thr_batch_add_key(b, 1025, 0.5F);
    thr_batch_add_key(b, UINT64_MAX, 2);
    thr_batch_add(b, NULL, "red", 1);
    thr_batch_add(b, "shape", "round", 3);
    thr_batch_add(b, "shape", "a name that is too long for a slot", 1);
    thr_batch_add_text(b, m, NULL, "The red fox", 11);
    thr_batch_end(b, m);
}

/* As `show` does. */
static void walk(const thr_model *m)
{
    char name[64], *formula = malloc(4096);
    thr_stats stats;
    thr_list_rule rule;
    thr_expert expert;
    thr_panel_report panel;
    thr_error err = {0};
    thr_model_stats(m, &stats);
    CHECK(stats.labels == thr_model_labels(m));
    double *weights = calloc(stats.labels + 1, sizeof *weights);
    CHECK(weights && formula);
    for (size_t f = 0; f < thr_model_features(m) && f < 1000; f++) {
        thr_model_feature(m, f, name, sizeof name);
        thr_model_weights(m, f, weights, NULL);
        for (size_t k = 0; k < thr_model_members(m); k++)
            thr_model_member_weights(m, k, f, weights, NULL);
    }
    for (size_t l = 0; l < stats.labels; l++) {
        thr_model_kept(m, (int)l);
        thr_model_threshold(m, l);
        if (thr_model_has_formula(m))
            thr_model_formula(m, l, 10, formula, 4096, &err);
    }
    thr_model_list_start(m);
    for (size_t i = 0; i < 1000 && thr_model_list_rule(m, i, &rule); i++)
        CHECK(rule.feature < thr_model_features(m) && rule.from && rule.to);
    for (size_t i = 0; i < thr_model_experts(m); i++)
        CHECK(thr_model_expert(m, i, &expert));
    thr_model_panel(m, &panel);
    thr_model_conservative(m, &err);
    free(formula);
    free(weights);
}

static void predict(const thr_model *m)
{
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    double *scores = calloc((thr_model_labels(m) + 1) * 2, sizeof *scores);
    int32_t predicted[2];
    thr_error err = {0};
    thr_explanation why;
    thr_working working;
    thr_prediction one;
    CHECK(b && s && scores);
    add_example(b, m, NULL);
    add_example(b, m, "1");
    if (thr_score(m, s, b, predicted, scores, &err) == 0) {
        for (size_t i = 0; i < thr_batch_size(b); i++)
            CHECK(predicted[i] >= -1 && predicted[i] < (int32_t)thr_model_labels(m));
        int explained = thr_model_explains(m) ? 0 : THR_EUSE;
        for (size_t i = 0; i < thr_batch_size(b); i++)
            CHECK(thr_explain_one(m, s, b, i, &why, &err) == explained);
        CHECK(thr_probabilities(m, s, b, predicted, scores, &err) == 0 || err.message[0]);
        for (size_t k = 0; k < thr_model_members(m); k++)
            thr_work_out(m, s, b, 1, k, &working, &err);
        CHECK(thr_predict_one(m, s, b, 0, &one, &err) == 0);
    } else
        CHECK(err.code && err.message[0]);
    free(scores);
    thr_scratch_free(s);
    thr_batch_free(b);
}

/* Loads what was saved and saves it again. NULL if it cannot be loaded, as may be where numbers
 * that only learning needs were not looked at. */
static void *resaved(const void *bytes, size_t n, bool lean, size_t *n_again)
{
    thr_error err = {0};
    void *again = NULL;
    thr_model *m = thr_model_load(bytes, n, &err);
    if (!m && !to_train && err.code == THR_EMODEL)
        return NULL;
    if (!m)
        fprintf(stderr, "%s\n", err.message);
    CHECK(m);
    CHECK(thr_model_dump(m, lean, &again, n_again, &err) == 0);
    thr_model_free(m);
    return again;
}

/* Saves, and loads what was saved. It is the same model; names that lie in the file in an unusual
 * way may be put in order once. */
static void save(const thr_model *m, bool lean)
{
    thr_error err = {0};
    void *bytes = NULL;
    size_t n = 0, n_again, n_third;
    if (thr_model_dump(m, lean, &bytes, &n, &err)) {
        CHECK(err.code && err.message[0]);
        return;
    }
    void *again = resaved(bytes, n, lean, &n_again);
    if (again && (n != n_again || memcmp(bytes, again, n) != 0)) {
        void *third = resaved(again, n_again, lean, &n_third);
        CHECK(third && n_again == n_third && memcmp(again, third, n_again) == 0);
        free(third);
    }
    free(bytes);
    free(again);
}

/* Learns from a few examples, and from `more` others that bring new names. */
static void learn(thr_model *m, unsigned more)
{
    thr_error err = {0};
    char name[32];
    thr_batch *b = thr_batch_new();
    CHECK(b);
    add_example(b, m, "1");
    add_example(b, m, thr_model_labels(m) ? thr_model_label(m, 0) : "2");
    add_example(b, m, thr_model_regression(m) ? "-1e30" : "never heard of");
    for (unsigned i = 0; i < more; i++) {
        snprintf(name, sizeof name, "new %u", i);
        thr_batch_begin(b);
        thr_batch_set_label(b, i % 2 ? "1" : "2");
        thr_batch_add(b, i % 3 ? "shape" : NULL, name, 1);
        thr_batch_add_key(b, i % 5 * 999, 2);
        thr_batch_end(b, m);
    }
    if (thr_learn(m, NULL, b, NULL, &err))
        CHECK(err.code && err.message[0]);
    else {
        thr_promote(m, NULL, b, 0, "1", &err);
        thr_demote(m, NULL, b, 1, "1", &err);
        predict(m);
    }
    thr_batch_free(b);
}

/* NULL where a model that was not checked at opening turns out to be damaged. */
static thr_model *copy_of(const thr_model *m)
{
    thr_error err = {0};
    thr_model *copy = thr_model_clone(m, &err);
    CHECK(copy || (err.code == THR_EMODEL && err.message[0]));
    return copy;
}

static void teach(const thr_model *m)
{
    thr_model *copy = copy_of(m);
    if (!copy)
        return;
    learn(copy, 0);
    save(copy, false);
    thr_model_free(copy);
}

static void prune(const thr_model *m)
{
    thr_error err = {0};
    thr_model *copy = copy_of(m);
    thr_prune_options o = {.least = 1e-6, .top = 5};
    if (!copy)
        return;
    if (thr_model_prune(copy, &o, NULL, &err) == 0) {
        CHECK(thr_model_features(copy) <= 6);
        teach(copy);
    } else
        CHECK(err.code && err.message[0]);
    thr_model_free(copy);
}

/* As `online` and `train` do: lines in the format that the model names, whatever it is. */
static void read_lines(const thr_model *m)
{
    static const char lines[] = "1 | red 7:2\n2 |shape round\n1 | new newer newest 9:1\n";
    thr_error err = {0};
    thr_model *copy = copy_of(m);
    if (!copy)
        return;
    thr_feed *feed = thr_feed_new(NULL, &err);
    thr_batch *b = thr_batch_new();
    thr_input *in = thr_input_new();
    thr_train_options o = {.passes = 2, .shuffle = true};
    CHECK(feed && b && in && thr_input_add_memory(in, lines, strlen(lines), "lines", &err) == 0);
    for (const char *p = lines; *p; p = strchr(p, '\n') + 1)
        if (thr_feed_line(feed, copy, b, p, (size_t)(strchr(p, '\n') - p), &err) < 0)
            CHECK(err.code && err.message[0]);
    thr_input_set_threads(in, 1);
    if (thr_train(copy, in, &o, NULL, &err))
        CHECK(err.code && err.message[0]);
    else
        save(copy, false);
    thr_input_free(in);
    thr_batch_free(b);
    thr_feed_free(feed);
    thr_model_free(copy);
}

static void keep_best(const thr_model *m)
{
    thr_error err = {0};
    thr_model *copy = copy_of(m);
    if (!copy)
        return;
    if (thr_model_keep_best(copy, &err) == 0)
        teach(copy);
    thr_model_free(copy);
}

static void compare(const thr_model *a, const thr_model *b)
{
    thr_error err = {0};
    thr_diff_rule rule;
    thr_diff_weight weight;
    thr_diff *d = thr_diff_new(a, b, 10, &err);
    if (!d) {
        CHECK(err.code && err.message[0]);
        return;
    }
    for (size_t r = 0; thr_diff_rule_at(d, r, &rule); r++)
        for (size_t i = 0; thr_diff_weight_at(d, r, i, &weight); i++)
            CHECK(weight.feature);
    thr_diff_free(d);
}

static void mix(const thr_model *a, const thr_model *b, const thr_model *base)
{
    thr_error err = {0};
    const thr_model *both[] = {a, b};
    thr_model *m = thr_model_mix(both, 2, NULL, base, &err);
    if (!m) {
        CHECK(err.code && err.message[0]);
        return;
    }
    predict(m);
    teach(m);
    thr_model_free(m);
}

/* The model beside a copy of it that has learned more. */
static void beside_another(const thr_model *m)
{
    thr_model *other = copy_of(m);
    if (!other)
        return;
    learn(other, 3);
    compare(m, other);
    compare(other, m);
    mix(m, other, NULL);
    mix(other, m, m);
    mix(m, m, NULL);
    thr_model_free(other);
}

/* Bits of `what` say what is done; all of it would be slow. */
static void use(thr_model *m, uint64_t what)
{
    walk(m);
    predict(m);
    if (what & 1)
        teach(m);
    if (what & 2)
        prune(m);
    if (what & 4)
        keep_best(m);
    if (what & 8)
        beside_another(m);
    if (what & 16)
        save(m, true);
    if (what & 32)
        read_lines(m);
    save(m, false);
    learn(m, 40); /* the file itself resumes, and its tables grow */
    save(m, false);
}

/* Opens the bytes as a file. One that is large beyond them is mapped, and refused. */
static thr_model *open_file(const void *bytes, size_t size, bool large, thr_error *err)
{
    char path[64];
    int fd = memfd_create("model", 0);
    CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    CHECK(!large || ftruncate(fd, (off_t)(THR_CHECK_ALL + size)) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    thr_model *m = thr_model_open(path, to_train, err);
    CHECK(!large || !m);
    close(fd);
    return m;
}

/* Opens the bytes in one of several ways. False: they are no model. */
static bool load(const void *bytes, size_t size)
{
    static const enum thr_opened ways[] = {THR_TO_TRAIN, THR_TO_TRAIN, THR_TO_PREDICT, THR_LAZILY};
    thr_error err = {0};
    uint64_t what = thr_hash(bytes, size, 0);
    enum thr_opened as = ways[what % 4];
    to_train = as == THR_TO_TRAIN;
    bool file = what / 256 % 4 == 0 && as != THR_LAZILY, large = what / 1024 % 16 == 0;
    thr_model *m = file ? open_file(bytes, size, large && !to_train, &err)
                        : thr_model_load_as(bytes, size, as, &err);
    if (m)
        use(m, what >> 2);
    else
        CHECK(err.code && err.message[0]);
    thr_model_free(m);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (wants_many_slots((const char *)data, size) || load(data, size))
        return 0;
    char *copy = stamped(data, &size);
    if (copy)
        load(copy, size);
    free(copy);
    return 0;
}
