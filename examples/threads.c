/* Several threads predict with one model. They share it const; each has its own batch and scratch.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresh.h>

enum { THREADS = 4, ROUNDS = 1000 };

static const char data[] = "a\tone two three\nb\tfour five six\nc\tseven eight nine\n";
static const char *const texts[] = {"one", "five six", "eight"};
static const char *const expected[] = {"a", "b", "c"};

/* Returns NULL if every answer was right. */
static void *predict(void *model)
{
    const thr_model *m = model;
    thr_scratch *s = thr_scratch_new();
    void *wrong = s ? NULL : model;
    for (int i = 0; i < ROUNDS && !wrong; i++) {
        const char *label, *text = texts[i % 3];
        if (thr_classify(m, s, text, strlen(text), &label, NULL, NULL) || !label ||
            strcmp(label, expected[i % 3]) != 0)
            wrong = model;
    }
    thr_scratch_free(s);
    return wrong;
}

static thr_model *trained(thr_error *err)
{
    thr_settings *settings = thr_settings_new();
    thr_input *in = thr_input_new();
    thr_model *m = NULL;
    thr_train_options several = {.passes = 5};
    int code = settings && in ? thr_settings_set(settings, "learner", "pa", err) : THR_EMEM;
    if (code == 0)
        code = thr_input_add_memory(in, data, sizeof data - 1, "data", err);
    if (code == 0 && (m = thr_model_new(settings, err)))
        code = thr_train(m, in, &several, NULL, err);
    thr_input_free(in);
    thr_settings_free(settings);
    if (code == 0)
        return m;
    thr_model_free(m);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    thr_error err = {0};
    int started = 0, right = 0;
    thr_model *m = trained(&err);
    if (!m) {
        fprintf(stderr, "%s\n", err.message);
        return EXIT_FAILURE;
    }
    while (started < THREADS && pthread_create(&thread[started], NULL, predict, m) == 0)
        started++;
    for (int i = 0; i < started; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        right += !wrong;
    }
    printf("%d of %d threads were right\n", right, started);
    thr_model_free(m);
    return right == started ? EXIT_SUCCESS : EXIT_FAILURE;
}
