/* Any bytes as a model file. Checksums would turn nearly every change away, so the bytes are also
 * tried with all checksums, and the sizes that go with them, made right: then the checks of the
 * structure behind them are what stands between a hostile file and the memory.
 *
 * Whatever loads can be scored with, explained, walked through, taught and saved, and what is
 * saved loads as the same model. */
#include "base/hash.h"
#include "file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    head.version = THR_FILE_VERSION;
    head.size = n;
    head.hashes = hashes;
    if (head.sections < THR_SECTIONS || head.sections > THR_MOST_SECTIONS)
        head.sections = THR_SECTIONS + THR_MEMBER_SECTIONS;
    head.hash = thr_hash(&head, offsetof(thr_file_head, hash), 0);
    memcpy(copy, &head, sizeof head);
    uint64_t *hash = (uint64_t *)(void *)(copy + hashes);
    size_t chunks = thr_guard_chunks(hashes);
    for (size_t i = 0; i < chunks; i++) {
        size_t left = hashes - i * THR_CHUNK;
        hash[i] = thr_hash(copy + i * THR_CHUNK, left < THR_CHUNK ? left : THR_CHUNK, 0);
    }
    hash[chunks] = thr_hash(hash, chunks * sizeof *hash, 0);
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

static void walk(const thr_model *m)
{
    char name[64];
    thr_stats stats;
    thr_model_stats(m, &stats);
    CHECK(stats.labels == thr_model_labels(m));
    double *weights = calloc(stats.labels + 1, sizeof *weights);
    CHECK(weights);
    for (size_t f = 0; f < thr_model_features(m) && f < 1000; f++) {
        thr_model_feature(m, f, name, sizeof name);
        thr_model_weights(m, f, weights, NULL);
    }
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
    CHECK(b && s && scores);
    add_example(b, m, NULL);
    add_example(b, m, "1");
    if (thr_score(m, s, b, predicted, scores, &err) == 0) {
        for (size_t i = 0; i < thr_batch_size(b); i++)
            CHECK(predicted[i] >= -1 && predicted[i] < (int32_t)thr_model_labels(m));
        int explained = thr_model_explains(m) ? 0 : THR_EUSE;
        for (size_t i = 0; i < thr_batch_size(b); i++)
            CHECK(thr_explain_one(m, s, b, i, &why, &err) == explained);
    } else
        CHECK(err.code && err.message[0]);
    free(scores);
    thr_scratch_free(s);
    thr_batch_free(b);
}

static void teach(const thr_model *m)
{
    thr_error err = {0};
    thr_model *copy = thr_model_clone(m, &err);
    thr_batch *b = thr_batch_new();
    CHECK(copy && b);
    add_example(b, copy, "1");
    add_example(b, copy, thr_model_labels(m) ? thr_model_label(m, 0) : "2");
    add_example(b, copy, thr_model_regression(m) ? "-1e30" : "never heard of");
    if (thr_learn(copy, NULL, b, NULL, &err) == 0)
        predict(copy);
    thr_batch_free(b);
    thr_model_free(copy);
}

static void prune(const thr_model *m)
{
    thr_error err = {0};
    thr_model *copy = thr_model_clone(m, &err);
    thr_prune_options o = {.least = 1e-6, .top = 5};
    CHECK(copy);
    if (thr_model_prune(copy, &o, NULL, &err) == 0) {
        CHECK(thr_model_features(copy) <= 6);
        teach(copy);
    } else
        CHECK(err.code && err.message[0]);
    thr_model_free(copy);
}

static void save(const thr_model *m, bool lean)
{
    thr_error err = {0};
    void *bytes = NULL, *again = NULL;
    size_t n = 0, n_again = 0;
    CHECK(thr_model_dump(m, lean, &bytes, &n, &err) == 0);
    thr_model *back = thr_model_load(bytes, n, &err);
    CHECK(back);
    CHECK(thr_model_dump(back, lean, &again, &n_again, &err) == 0);
    CHECK(n == n_again && memcmp(bytes, again, n) == 0);
    thr_model_free(back);
    free(bytes);
    free(again);
}

static void load(const void *bytes, size_t size)
{
    thr_error err = {0};
    thr_model *m = thr_model_load(bytes, size, &err);
    if (!m) {
        CHECK(err.code && err.message[0]);
        return;
    }
    walk(m);
    predict(m);
    teach(m);
    prune(m);
    save(m, false);
    save(m, true);
    thr_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (wants_many_slots((const char *)data, size))
        return 0;
    load(data, size);
    char *copy = stamped(data, &size);
    if (copy)
        load(copy, size);
    free(copy);
    return 0;
}
