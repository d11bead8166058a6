/* Trains on whatever a function delivers, here standard input in pieces: a socket, a decoder or a
 * queue is read in the same way. The format is detected, and compressed data unpacked. */
#include <stdio.h>
#include <stdlib.h>
#include <thresh.h>

static int64_t read_some(void *user, void *to, size_t room)
{
    FILE *from = user;
    size_t n = fread(to, 1, room < 4096 ? room : 4096, from);
    return ferror(from) ? THR_EIO : (int64_t)n; /* 0 is the end */
}

int main(void)
{
    thr_error err = {0};
    int code = THR_EMEM;
    thr_train_report report = {0};
    thr_settings *settings = thr_settings_new();
    thr_input *in = thr_input_new();
    thr_model *m = NULL;
    if (settings && in)
        code = thr_settings_set(settings, "learner", "pa", &err);
    if (code == 0 && !(m = thr_model_new(settings, &err)))
        code = err.code;
    if (code == 0)
        code = thr_input_add_reader(in, read_some, stdin, "standard input", &err);
    if (code == 0)
        code = thr_train(m, in, NULL, &report, &err);
    if (code == 0)
        printf("%llu examples, mistakes on the way: %llu\n", (unsigned long long)report.examples,
               (unsigned long long)report.mistakes);
    else
        fprintf(stderr, "%s\n", err.message);
    thr_model_free(m);
    thr_input_free(in);
    thr_settings_free(settings);
    return code ? EXIT_FAILURE : EXIT_SUCCESS;
}
