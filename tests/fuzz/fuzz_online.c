/* Any lines as a session of `thresh online`: the first line names a learner and a format, the
 * others are examples to be predicted and learned, or `= LABEL`, `+ LABEL` and `- LABEL` about the
 * last one. Nothing crashes, every refusal has a message, probabilities add up to 1, and the model
 * that comes out of it can be saved and opened. */
#include "thresh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

typedef struct session {
    thr_model *m;
    thr_scratch *scratch;
    thr_batch *b;
    thr_feed *feed;
    bool has_last;
} session;

/* What the learner, the format and the multi-label setting may be. */
static bool begin(session *s, const char *head)
{
    static const char *const learners[] = {"panel", "perceptron", "winnow", "bayes",
                                           "lms",   "pa",         "knn",    "panel:decide=vote"};
    static const char *const formats[] = {NULL,  "text", "svmlight", "vw",
                                          "csv", "snow", "fasttext", "jsonl"};
    unsigned choice = 0;
    for (; *head; head++)
        choice = choice * 31 + (unsigned char)*head;
    thr_settings *settings = thr_settings_new();
    thr_error err = {0};
    require(settings && thr_settings_set(settings, "learner", learners[choice % 8], &err) == 0);
    if (choice / 64 % 4 == 0)
        require(thr_settings_set(settings, "multilabel", "on", &err) == 0);
    s->m = thr_model_new(settings, &err);
    thr_settings_free(settings);
    s->scratch = thr_scratch_new();
    s->b = thr_batch_new();
    s->feed = thr_feed_new(formats[choice / 8 % 8], &err);
    require(s->scratch && s->b && s->feed);
    return s->m;
}

/* The first line may also be the name of a format. */
static void try_format(const char *name)
{
    thr_error err = {0};
    thr_feed *feed = thr_feed_new(name, &err);
    require(feed ? strlen(thr_feed_format(feed)) > 0 : err.code && err.message[0]);
    thr_feed_free(feed);
}

static void check_reading(const session *s)
{
    thr_reading r;
    const char *format = thr_feed_format(s->feed);
    thr_feed_reading(s->feed, s->m, &r);
    require(strcmp(r.formats, format ? format : "") == 0);
    require(!s->has_last || format);
}

static void end(session *s)
{
    thr_feed_free(s->feed);
    thr_batch_free(s->b);
    thr_scratch_free(s->scratch);
    thr_model_free(s->m);
}

static void check_refusal(int code, const thr_error *err)
{
    require(code == 0 || (err->code == code && err->message[0]));
}

/* The probabilities of all labels of the last example. */
static void check_probabilities(session *s)
{
    size_t n = thr_model_labels(s->m);
    bool sets = strcmp(thr_model_setting(s->m, "multilabel"), "on") == 0;
    double *p = calloc(n + 1, sizeof *p), sum = 0;
    int32_t best;
    thr_error err = {0};
    require(p);
    if (!thr_model_regression(s->m) && n > 0) {
        int code = thr_probabilities(s->m, s->scratch, s->b, &best, p, &err);
        check_refusal(code, &err);
        for (size_t l = 0; l < n && code == 0; l++) {
            require(p[l] >= 0 && p[l] <= 1);
            sum += p[l];
        }
        require(code || sets || fabs(sum - 1) < 1e-6 || sum == 0);
    }
    free(p);
}

static bool take_feedback(session *s, char *line, size_t n)
{
    thr_error err = {0};
    if (n < 3 || !memchr("=+-", *line, 3) || line[1] != ' ' || strlen(line) < n)
        return false;
    if (!s->has_last)
        return true;
    if (*line == '=') {
        thr_batch_relabel(s->b, 0, line + 2);
        check_refusal(thr_learn(s->m, s->scratch, s->b, NULL, &err), &err);
    } else
        check_refusal(
            (*line == '+' ? thr_promote : thr_demote)(s->m, s->scratch, s->b, 0, line + 2, &err),
            &err);
    return true;
}

static void take_line(session *s, char *line, size_t n)
{
    thr_error err = {0};
    thr_prediction p;
    if (take_feedback(s, line, n))
        return;
    thr_batch_clear(s->b);
    int kind = thr_feed_line(s->feed, s->m, s->b, line, n, &err);
    s->has_last = kind == 1;
    check_refusal(kind < 0 ? kind : 0, &err);
    check_reading(s);
    if (kind != 1)
        return;
    check_refusal(thr_predict_one(s->m, s->scratch, s->b, 0, &p, &err), &err);
    check_probabilities(s);
    if (thr_batch_labelled(s->b, 0))
        check_refusal(thr_learn(s->m, s->scratch, s->b, NULL, &err), &err);
}

static void check_model(const session *s)
{
    void *bytes;
    size_t n;
    thr_error err = {0};
    require(thr_model_dump(s->m, false, &bytes, &n, &err) == 0);
    thr_model *again = thr_model_load(bytes, n, &err);
    require(again && thr_model_features(again) == thr_model_features(s->m));
    thr_model_free(again);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    session s = {0};
    char *text = malloc(size + 1), *head = text;
    require(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    char *at = memchr(text, '\n', size), *stop = text + size;
    at = at ? at : stop;
    *at = '\0';
    try_format(head);
    if (begin(&s, head))
        while (at < stop) {
            char *line = at + 1, *next = memchr(line, '\n', (size_t)(stop - line));
            at = next ? next : stop;
            *at = '\0';
            take_line(&s, line, (size_t)(at - line));
        }
    if (s.m)
        check_model(&s);
    end(&s);
    free(text);
    return 0;
}
