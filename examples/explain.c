/* Shows which words decided, and what one of them weighs for each label. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresh.h>

static void add(thr_batch *b, const thr_model *m, const char *label, const char *text)
{
    thr_batch_begin(b);
    if (label)
        thr_batch_set_label(b, label);
    thr_batch_add_text(b, m, NULL, text, strlen(text));
    thr_batch_end(b, m); /* a failure is remembered, and returned by the call that uses the batch */
}

static int explain(const thr_model *m, thr_scratch *s, thr_batch *b, thr_error *err)
{
    thr_explanation e;
    thr_batch_clear(b);
    add(b, m, NULL, "cheap watches at noon");
    int code = thr_explain_one(m, s, b, 0, &e, err);
    if (code)
        return code;
    printf("%s, because of", e.prediction.label);
    for (size_t i = 0; i < e.n_parts; i++)
        if (e.parts[i].contribution != 0)
            printf(" %s (%+.2f)", e.parts[i].feature, e.parts[i].contribution);
    printf("\n");
    return 0;
}

static int weigh(const thr_model *m, const char *word, thr_error *err)
{
    double weights[2];
    size_t feature;
    int code = thr_model_find_feature(m, NULL, word, &feature, err);
    if (code || feature == THR_UNKNOWN_FEATURE)
        return code;
    code = thr_model_weights(m, feature, weights, err);
    for (size_t l = 0; l < thr_model_labels(m) && code == 0; l++)
        printf("%s weighs %+.2f for %s\n", word, weights[l], thr_model_label(m, l));
    return code;
}

int main(void)
{
    thr_error err = {0};
    thr_settings *settings = thr_settings_new();
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    thr_model *m = NULL;
    int code = settings && b && s ? thr_settings_set(settings, "learner", "pa", &err) : THR_EMEM;
    if (code == 0 && !(m = thr_model_new(settings, &err)))
        code = err.code;
    if (code == 0) {
        add(b, m, "spam", "cheap pills and cheap watches");
        add(b, m, "ham", "see you at noon");
        code = thr_learn(m, NULL, b, NULL, &err);
    }
    if (code == 0)
        code = explain(m, s, b, &err);
    if (code == 0)
        code = weigh(m, "cheap", &err);
    if (code)
        fprintf(stderr, "%s\n", err.message);
    thr_model_free(m);
    thr_scratch_free(s);
    thr_batch_free(b);
    thr_settings_free(settings);
    return code ? EXIT_FAILURE : EXIT_SUCCESS;
}
