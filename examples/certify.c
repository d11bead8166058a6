/* Is data linearly separable, and by how much? Uses libthresh-theory. */
#include <thresh_theory.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char data[] = "+1 1:1\n-1 2:1\n";
    thr_error err = {0};
    char text[1024];
    thr_settings *settings = thr_settings_new();
    thr_input *in = thr_input_new();
    thr_certify *c = NULL;
    if (settings && in && thr_input_add_memory(in, data, strlen(data), "data", &err) == 0)
        c = thr_certify_new(settings, in, NULL, &err);
    if (c) {
        thr_certify_report report;
        thr_certify_about(c, &report);
        printf("separable: %s, gamma at least %.2f\n", report.separable == THR_YES ? "yes" : "no",
               report.gamma_low);
    } else {
        thr_error_text(&err, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    thr_certify_free(c);
    thr_input_free(in);
    thr_settings_free(settings);
    return c ? 0 : 1;
}
