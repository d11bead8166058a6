/* Learns from lines `label TAB text` in memory and classifies new texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresh.h>

static const char mail[] = "spam\tcheap pills and cheap watches\n"
                           "ham\tare you coming to lunch at noon\n"
                           "spam\twatches at half the price\n"
                           "ham\tlunch was good, see you tomorrow\n";

static int fail(const thr_error *err)
{
    char text[1024];
    thr_error_text(err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return EXIT_FAILURE;
}

int main(void)
{
    thr_error err = {0};
    int code = THR_EMEM;
    thr_settings *settings = thr_settings_new();
    thr_input *in = thr_input_new();
    thr_scratch *scratch = thr_scratch_new();
    thr_model *m = settings ? thr_model_new(settings, &err) : NULL; /* all defaults: a panel */
    if (m && in && scratch)
        code = thr_input_add_memory(in, mail, sizeof mail - 1, "mail", &err);
    if (code == 0) /* no options: one pass */
        code = thr_train(m, in, NULL, NULL, &err);

    static const char *const texts[] = {"cheap watches", "see you at lunch"};
    for (int i = 0; i < 2 && code == 0; i++) {
        const char *label;
        double probability;
        code = thr_classify(m, scratch, texts[i], strlen(texts[i]), &label, &probability, &err);
        if (code == 0)
            printf("%s\t%s\n", label, texts[i]);
    }
    thr_scratch_free(scratch);
    thr_model_free(m);
    thr_input_free(in);
    thr_settings_free(settings);
    return code ? fail(&err) : EXIT_SUCCESS;
}
