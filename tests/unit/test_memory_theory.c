/* Every allocation is made to fail in turn, while experts are read and while data is certified
 * (memory_help.h). */
#include "memory_help.h"

/* Two tables, the second with the same experts; `learner` is the loss. */
static int run_experts(const job *j, thr_error *err)
{
    thr_experts_options o;
    thr_experts_defaults(&o);
    o.loss = j->learner;
    thr_experts *e = NULL;
    thr_input *in = thr_input_new();
    int code = in ? 0 : THR_EMEM;
    for (int i = 0; i < 2 && code == 0; i++)
        code = thr_input_add_memory(in, j->text, strlen(j->text), "memory", err);
    if (code == 0) {
        e = thr_experts_read(in, NULL, &o, NULL, NULL, err);
        code = e ? 0 : no_memory(err);
    }
    thr_experts_free(e);
    thr_input_free(in);
    return code;
}

/* A data set is certified, and its certificate checked. */
static int run_certify(const job *j, thr_error *err)
{
    thr_certify_options o = {.seconds = 1000, .passes = 1};
    thr_settings *s = thr_settings_new();
    thr_input *in = thr_input_new();
    thr_certify *c = NULL;
    thr_checked checked;
    size_t n = 0;
    int code =
        s && in ? thr_input_add_memory(in, j->text, strlen(j->text), "memory", err) : THR_EMEM;
    if (code == 0) {
        thr_input_set_threads(in, 1);
        c = thr_certify_new(s, in, &o, err);
        code = c ? 0 : no_memory(err);
    }
    if (code == 0 && strstr(thr_built_with(), "gmp")) {
        const char *text = thr_certify_text(c, &n);
        code = thr_certificate_verify(text, n, "proof", in, NULL, NULL, &checked, err);
    }
    thr_certify_free(c);
    thr_input_free(in);
    thr_settings_free(s);
    return code;
}

static void test_experts_survive_lack_of_memory(void **state)
{
    (void)state;
    static const char *const inputs[][2] = {
        {"label", "x,\"y \"\"\",truth\n1,2,\"a\"\"b\"\n+1,,1.0\n"},
        {"square", "0.5,1,0\n0,,1\n"},
        {"given", "x,y\n0.5,1\n"},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        torture_each(&(job){inputs[i][0], NULL, NULL, inputs[i][1], NULL, .path = NULL},
                     run_experts, 20);
}

static void test_certifying_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char *const data[] = {"-1\n1 1:1\n1 2:1\n-1 1:1 2:1\n", "1 1:1\n-1 2:1\n",
                                       "a\tx\nb\ty\nc\tz\n"};
    for (size_t i = 0; i < 3; i++)
        torture_each(&(job){"certify", NULL, NULL, data[i], .path = NULL}, run_certify, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_experts_survive_lack_of_memory),
        cmocka_unit_test(test_certifying_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
