/* Trains on the first shard of a file, saves the model, opens it and trains on the second: usage
 * resume DATA MODEL. */
#include <stdio.h>
#include <stdlib.h>
#include <thresh.h>

static int train_on(thr_model *m, const char *path, unsigned shard, thr_error *err)
{
    thr_input *in = thr_input_new();
    int code = in ? thr_input_add_file(in, path, err) : THR_EMEM;
    if (code == 0)
        code = thr_input_set_shard(in, shard, 2, err);
    if (code == 0)
        code = thr_train(m, in, NULL, NULL, err);
    thr_input_free(in);
    return code;
}

static int begin(const char *data, const char *model, thr_error *err)
{
    thr_settings *settings = thr_settings_new();
    thr_model *m = NULL;
    int code = settings ? thr_settings_set(settings, "learner", "averaged", err) : THR_EMEM;
    if (code == 0 && !(m = thr_model_new(settings, err)))
        code = err->code;
    if (code == 0)
        code = train_on(m, data, 0, err);
    if (code == 0)
        code = thr_model_save(m, model, false, err);
    thr_model_free(m);
    thr_settings_free(settings);
    return code;
}

static int go_on(const char *data, const char *model, thr_error *err)
{
    thr_stats stats;
    thr_model *m = thr_model_open(model, true, err);
    int code = m ? train_on(m, data, 1, err) : err->code;
    if (code == 0)
        code = thr_model_save(m, model, false, err);
    if (code == 0) {
        thr_model_stats(m, &stats);
        printf("%llu examples, %llu features\n", (unsigned long long)stats.examples,
               (unsigned long long)stats.features);
    }
    thr_model_free(m);
    return code;
}

int main(int n, char **args)
{
    thr_error err = {0};
    char text[1024];
    if (n != 3) {
        fprintf(stderr, "usage: resume DATA MODEL\n");
        return EXIT_FAILURE;
    }
    int code = begin(args[1], args[2], &err);
    if (code == 0)
        code = go_on(args[1], args[2], &err);
    if (code == 0)
        return EXIT_SUCCESS;
    thr_error_text(&err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return EXIT_FAILURE;
}
