/* A thin layer over the public interface of libthresh. */
#include "lab/student.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 256 /* examples drawn at a time */

static int set_all(thr_settings *s, const char *settings, thr_error *err)
{
    char *copy = strdup(settings), *rest = copy, *word;
    int code = copy ? 0 : thr_fail_memory(err);
    while (code == 0 && (word = strtok_r(rest, " ", &rest))) {
        char *equals = strchr(word, '=');
        if (!equals)
            code = thr_fail(err, THR_EUSE, "'%s' should be name=value", word);
        else {
            *equals = '\0';
            code = thr_settings_set(s, word, equals + 1, err);
        }
    }
    free(copy);
    return code;
}

int thr_student_open(thr_student *s, const char *learner, const char *settings, thr_error *err)
{
    *s = (thr_student){.err = err};
    thr_settings *set = thr_settings_new();
    int code = set ? thr_settings_set(set, "learner", learner, err) : thr_fail_memory(err);
    if (code == 0 && settings)
        code = set_all(set, settings, err);
    s->model = code == 0 ? thr_model_new(set, err) : NULL;
    thr_settings_free(set);
    if (!s->model)
        return s->code = err ? err->code : THR_EUSE;
    s->batch = thr_batch_new();
    s->scratch = thr_scratch_new();
    if (!s->batch || !s->scratch)
        return s->code = thr_fail_memory(err);
    if (thr_model_regression(s->model))
        return 0;
    for (int positive = 0; positive < 2 && s->code == 0; positive++) {
        int label = thr_model_declare_label(s->model, positive ? "1" : "-1", err);
        s->code = label < 0 ? label : 0;
    }
    return s->code;
}

void thr_student_close(thr_student *s)
{
    thr_scratch_free(s->scratch);
    thr_batch_free(s->batch);
    thr_model_free(s->model);
}

static void fill(thr_student *s, const uint32_t *key, const float *x, size_t n)
{
    thr_batch_clear(s->batch);
    thr_batch_begin(s->batch);
    for (size_t i = 0; i < n; i++)
        thr_batch_add_key(s->batch, key[i], x ? x[i] : 1);
}

bool thr_student_learns(thr_student *s, bool positive, const uint32_t *key, const float *x,
                        size_t n)
{
    if (s->code)
        return false;
    int32_t predicted;
    fill(s, key, x, n);
    thr_batch_set_label(s->batch, positive ? "1" : "-1");
    thr_batch_end(s->batch, s->model);
    s->code = thr_learn(s->model, s->scratch, s->batch, &predicted, s->err);
    return s->code == 0 && predicted != (positive ? 1 : 0);
}

static double positive_score(const thr_student *s, const double *score)
{
    return thr_model_labels(s->model) > 2 ? (score[1] - score[0]) / 2 : score[1];
}

double thr_student_scores(thr_student *s, const uint32_t *key, const float *x, size_t n)
{
    double score[THR_STUDENT_LABELS] = {0};
    if (s->code)
        return 0;
    fill(s, key, x, n);
    thr_batch_end(s->batch, s->model);
    s->code = thr_score(s->model, s->scratch, s->batch, NULL, score, s->err);
    return positive_score(s, score);
}

/* At most CHUNK features at a time: a batch with one feature per example is large for its
 * content. */
double thr_student_weights(thr_student *s, size_t n, double *weight)
{
    double score[THR_STUDENT_LABELS * CHUNK], none = thr_student_scores(s, NULL, NULL, 0);
    for (size_t from = 0; from < n && s->code == 0; from += CHUNK) {
        size_t labels = thr_model_labels(s->model), some = n - from < CHUNK ? n - from : CHUNK;
        thr_batch_clear(s->batch);
        for (size_t i = 0; i < some; i++) {
            thr_batch_begin(s->batch);
            thr_batch_add_key(s->batch, from + i + 1, 1);
            thr_batch_end(s->batch, s->model);
        }
        s->code = thr_score(s->model, s->scratch, s->batch, NULL, score, s->err);
        for (size_t i = 0; i < some && s->code == 0; i++)
            weight[from + i] = positive_score(s, score + labels * i);
    }
    for (size_t i = 0; i < n && s->code == 0; i++)
        weight[i] -= none;
    return none;
}

double thr_student_margin(thr_student *s, const uint32_t *key, const float *x, size_t n)
{
    double score[THR_STUDENT_LABELS] = {0};
    if (s->code)
        return 0;
    fill(s, key, x, n);
    thr_batch_end(s->batch, s->model);
    s->code = thr_score(s->model, s->scratch, s->batch, NULL, score, s->err);
    return score[1] - score[0];
}

bool thr_student_says(thr_student *s, const uint32_t *key, const float *x, size_t n)
{
    int32_t predicted = 0;
    if (s->code)
        return false;
    fill(s, key, x, n);
    thr_batch_end(s->batch, s->model);
    s->code = thr_score(s->model, s->scratch, s->batch, &predicted, NULL, s->err);
    return predicted == 1;
}

int thr_student_reads(thr_student *s, thr_gen *g, uint64_t n)
{
    while (n && s->code == 0) {
        uint64_t now = n < CHUNK ? n : CHUNK;
        thr_batch_clear(s->batch);
        s->code = thr_gen_batch(g, now, s->batch, s->model, s->err);
        if (s->code == 0)
            s->code = thr_learn(s->model, s->scratch, s->batch, NULL, s->err);
        n -= now;
    }
    return s->code;
}

thr_stats thr_student_stats(const thr_student *s)
{
    thr_stats stats = {0};
    if (s->model) /* opening it may have failed */
        thr_model_stats(s->model, &stats);
    return stats;
}

double thr_student_weight(const thr_student *s, uint32_t key)
{
    char name[16], wanted[16];
    double weight[2];
    snprintf(wanted, sizeof wanted, "%u", key);
    for (size_t f = 1; f < thr_model_features(s->model); f++) {
        thr_model_feature(s->model, f, name, sizeof name);
        if (strcmp(name, wanted) == 0)
            return thr_model_weights(s->model, f, weight, NULL) ? 0 : weight[1];
    }
    return 0;
}

double thr_student_bias(const thr_student *s)
{
    double weight[2];
    return thr_model_weights(s->model, 0, weight, NULL) ? 0 : weight[1];
}

int thr_lab_count(const char *learner, const char *gen, uint64_t seed, uint64_t n, thr_stats *out,
                  thr_error *err)
{
    thr_student s;
    thr_gen *g = thr_gen_new(gen, seed, err);
    if (!g)
        return err ? err->code : THR_EUSE;
    int code = thr_student_open(&s, learner, NULL, err);
    if (code == 0)
        code = thr_student_reads(&s, g, n);
    if (code == 0)
        *out = thr_student_stats(&s);
    thr_student_close(&s);
    thr_gen_free(g);
    return code;
}
