/* Every allocation is made to fail in turn, while a small model is trained, dumped, loaded,
 * cloned, saved and used to predict, and while data is converted (memory_help.h). */
#include "memory_help.h"

#include <unistd.h>

/* `name=value` */
static int set_more(thr_settings *s, const char *more, thr_error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(more, "="), more);
    return thr_settings_set(s, name, more + strlen(name) + 1, err);
}

static thr_model *new_model(const job *j, thr_error *err)
{
    thr_settings *s = thr_settings_new();
    thr_model *m = NULL;
    if (s && thr_settings_set(s, "learner", j->learner, err) == 0 &&
        (!j->more || set_more(s, j->more, err) == 0))
        m = thr_model_new(s, err);
    thr_settings_free(s);
    return m;
}

/* `fn` is told of updates, or NULL. */
static int train_telling(const job *j, thr_model *m, thr_update_fn *fn, void *user, thr_error *err)
{
    thr_input *in = thr_input_new();
    thr_train_options o = {
        .passes = 2, .shuffle = !j->in_order, .seed = 1, .on_update = fn, .update_user = user};
    if (!in)
        return THR_EMEM;
    thr_input_set_threads(in, 1);
    int code = thr_input_add_memory(in, j->text, strlen(j->text), "memory", err);
    if (code == 0)
        code = thr_input_set_format(in, j->format, err);
    if (code == 0)
        code = thr_train(m, in, &o, NULL, err);
    thr_input_free(in);
    return code;
}

static int train(const job *j, thr_model *m, thr_error *err)
{
    return train_telling(j, m, NULL, NULL, err);
}

static int count(void *user, const thr_prediction *p)
{
    (void)p;
    ++*(int *)user;
    return 0;
}

static int predict(const job *j, const thr_model *m, thr_error *err)
{
    int seen = 0;
    thr_input *in = thr_input_new();
    if (!in)
        return THR_EMEM;
    thr_input_set_threads(in, 1);
    int code = thr_input_add_memory(in, j->text, strlen(j->text), "memory", err);
    if (code == 0)
        code = thr_predict(m, in, count, &seen, NULL, NULL, NULL, err);
    if (code == 0) {
        thr_metrics *t = thr_test(m, in, NULL, NULL, NULL, err);
        code = t ? 0 : no_memory(err);
        thr_metrics_free(t);
    }
    thr_input_free(in);
    return code;
}

static int explain(const job *j, const thr_model *m, thr_error *err)
{
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    thr_explanation e;
    double scores[64];
    int code = b && s ? 0 : THR_EMEM;
    if (code == 0)
        code = thr_batch_parse(b, m, j->format, true, j->line, strlen(j->line), err);
    if (code == 0)
        code = thr_score(m, s, b, NULL, scores, err);
    if (code == 0)
        code = thr_explain_one(m, s, b, 0, &e, err);
    if (code == THR_EUSE && !thr_model_explains(m)) /* which nothing explains */
        code = 0;
    if (s)
        thr_scratch_free(s);
    thr_batch_free(b);
    return code;
}

static int save(const job *j, const thr_model *m, thr_model **back, thr_error *err)
{
    void *bytes = NULL;
    size_t n = 0;
    int code = thr_model_dump(m, false, &bytes, &n, err);
    if (code == 0 && !j->path)
        *back = thr_model_load(bytes, n, err);
    free(bytes);
    if (code == 0 && j->path)
        code = thr_model_save(m, j->path, false, err);
    if (code == 0 && j->path)
        *back = thr_model_open(j->path, true, err);
    if (code == 0 && !*back)
        code = no_memory(err);
    if (code == 0) {
        code = thr_model_dump(m, true, &bytes, &n, err);
        if (code == 0)
            free(bytes);
    }
    return code;
}

static int run_model(const job *j, thr_error *err)
{
    thr_model *m = new_model(j, err), *back = NULL, *clone = NULL;
    int code = m ? train(j, m, err) : no_memory(err);
    if (code == 0 && j->prune)
        code = thr_model_prune(m, &(thr_prune_options){.least = 1e-9, .top = 3}, NULL, err);
    if (code == 0)
        code = save(j, m, &back, err);
    if (code == 0)
        code = predict(j, back, err);
    if (code == 0)
        code = explain(j, back, err);
    if (code == 0 && !(clone = thr_model_clone(back, err)))
        code = no_memory(err);
    if (code == 0)
        code = train(j, clone, err);
    thr_model_free(m);
    thr_model_free(back);
    thr_model_free(clone);
    return code;
}

static int hear(void *user, const thr_update *u)
{
    *(size_t *)user += u->n_moves;
    return 0;
}

/* Promotes a label that is new. */
static int push(const job *j, thr_model *m, thr_update_fn *fn, void *user, thr_error *err)
{
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    int code =
        b && s ? thr_batch_parse(b, m, j->format, true, j->line, strlen(j->line), err) : THR_EMEM;
    if (code == 0) {
        thr_scratch_on_update(s, fn, user);
        code = thr_promote(m, s, b, 0, "new", err);
    }
    thr_scratch_free(s);
    thr_batch_free(b);
    return code;
}

/* Somebody wants to know of every update. */
static int run_told(const job *j, thr_error *err)
{
    size_t moves = 0;
    thr_model *m = new_model(j, err);
    int code = m ? train_telling(j, m, hear, &moves, err) : no_memory(err);
    if (code == 0 && j->line)
        code = push(j, m, hear, &moves, err);
    if (code == 0 && moves == 0)
        fail_msg("%s: nothing was told", j->learner);
    thr_model_free(m);
    return code;
}

static int keep(void *user, const void *p, size_t n)
{
    return thr_bytes_add(user, p, n) ? 0 : THR_EMEM;
}

/* To a cache, from there back to what can hold everything, and a look for problems. */
static int run_convert(const job *j, thr_error *err)
{
    thr_lint_report report;
    thr_bytes cache = {0}, text = {0};
    thr_input *in = thr_input_new(), *again = thr_input_new();
    int code = in && again ? 0 : THR_EMEM;
    if (code == 0)
        code = thr_input_add_memory(in, j->text, strlen(j->text), "memory", err);
    if (code == 0) {
        thr_input_set_threads(in, 1);
        code = thr_input_set_format(in, j->format, err);
    }
    if (code == 0)
        code = thr_lint(in, NULL, NULL, &report, err);
    if (code == 0)
        code = thr_convert(in, "cache", NULL, keep, &cache, NULL, NULL, err);
    if (code == 0)
        code = thr_input_add_memory(again, cache.p, cache.n, "cache", err);
    if (code == 0) {
        thr_input_set_threads(again, 1);
        code = thr_convert(again, j->more ? j->more : "vw", NULL, keep, &text, NULL, NULL, err);
    }
    thr_input_free(in);
    thr_input_free(again);
    thr_bytes_clear(&cache);
    thr_bytes_clear(&text);
    return code;
}

/* A race, cross-validation and a search, without threads; `learner` is "numbers" for rules that
 * predict them. */
static int run_compare(const job *j, thr_error *err)
{
    static const char *const of_labels[] = {"pa", "bayes", "panel"};
    static const char *const of_numbers[] = {"lms", "eg", "lms"};
    bool numbers = strcmp(j->learner, "numbers") == 0;
    const char *const *learners = numbers ? of_numbers : of_labels;
    static const char *const patterns[] = {"pa:C=1|2"};
    thr_train_options train = {.passes = 2, .shuffle = true};
    thr_cv_options cv = {.plan = {.folds = 2}, .repeat = 2, .train = train, .threads = 1};
    thr_settings *s = thr_settings_new();
    thr_input *in = thr_input_new();
    thr_grid *g = thr_grid_new();
    int code = s && in && g ? 0 : THR_EMEM;
    if (code == 0)
        code = thr_input_add_memory(in, j->text, strlen(j->text), "memory", err);
    if (code == 0 && j->more)
        code = thr_settings_set(s, "hash-bits", j->more, err);
    if (code == 0 && numbers)
        code = thr_settings_set(s, "learner", "lms", err);
    if (code == 0)
        code = thr_grid_add(g, patterns[0], err);
    if (code == 0)
        code = thr_grid_draw(g, patterns, 1, 3, 1, err);
    if (in)
        thr_input_set_threads(in, 1);
    if (code == 0) {
        thr_contest *c = thr_race(s, learners, 2, in, &(thr_race_options){0}, err);
        code = c ? 0 : no_memory(err);
        thr_contest_free(c);
    }
    if (code == 0) {
        thr_cv *result = thr_cross_validate(s, in, &cv, err);
        code = result ? 0 : no_memory(err);
        thr_cv_free(result);
    }
    for (int by_folds = 0; by_folds < 2 && code == 0; by_folds++) {
        thr_tune_options o = {by_folds, {.folds = 2}, train, 1};
        thr_contest *c = thr_tune(s, learners, 3, in, &o, err);
        thr_model *m = c ? thr_contest_train(c, 0, &train, NULL, err) : NULL;
        code = m ? 0 : no_memory(err);
        thr_model_free(m);
        thr_contest_free(c);
    }
    thr_grid_free(g);
    thr_input_free(in);
    thr_settings_free(s);
    return code;
}

static int count_changed(void *user, const thr_changed *c)
{
    (void)c;
    ++*(int *)user;
    return 0;
}

static int find_differences(const job *j, const thr_model *a, const thr_model *b, thr_error *err)
{
    int seen = 0;
    thr_agreement g;
    thr_diff *d = thr_diff_new(a, b, 3, err);
    thr_input *in = thr_input_new();
    int code = d && in ? 0 : no_memory(err);
    if (code == 0)
        code = thr_input_add_memory(in, j->text, strlen(j->text), "memory", err);
    if (code == 0) {
        thr_input_set_threads(in, 1);
        code = thr_diff_predictions(a, b, in, count_changed, &seen, NULL, NULL, &g, NULL, err);
    }
    thr_input_free(in);
    thr_diff_free(d);
    return code;
}

/* Two models trained from one. */
static int mix_from(const job *j, const thr_model *base, thr_error *err)
{
    thr_model *a = thr_model_clone(base, err), *b = a ? thr_model_clone(base, err) : NULL, *m;
    int code = b ? train(j, a, err) : no_memory(err);
    if (code == 0)
        code = train(j, b, err);
    if (code == 0) {
        m = thr_model_mix((const thr_model *const[]){a, b}, 2, NULL, base, err);
        code = m ? 0 : no_memory(err);
        thr_model_free(m);
    }
    thr_model_free(a);
    thr_model_free(b);
    return code;
}

/* Two models, of which the second knows fewer labels and features; one of both, and what differs.
 */
static int run_mix(const job *j, thr_error *err)
{
    job second = *j;
    second.text = j->line;
    thr_model *a = new_model(j, err), *b = a ? new_model(j, err) : NULL, *m = NULL;
    int code = b ? train(j, a, err) : no_memory(err);
    if (code == 0)
        code = train(&second, b, err);
    if (code == 0) {
        m = thr_model_mix((const thr_model *const[]){b, a}, 2, NULL, NULL, err);
        code = m ? 0 : no_memory(err);
    }
    if (code == 0)
        code = find_differences(j, b, m, err);
    if (code == 0)
        code = train(j, m, err);
    if (code == 0)
        code = mix_from(&second, m, err);
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(m);
    return code;
}

static int look_at(void *user, const thr_trace_step *s)
{
    *(uint64_t *)user = s->number;
    return 0;
}

/* Training told step by step, and training until there is something to promise. */
static int run_steps(const job *j, thr_error *err)
{
    uint64_t steps = 0;
    thr_trace_options o = {.train = {.passes = 2}, .all = j->in_order ? 100 : 0};
    thr_train_options pac = {.passes = 1, .pac_eps = 0.9, .pac_delta = 0.9};
    thr_model *m = new_model(j, err), *other = m ? new_model(j, err) : NULL;
    thr_input *in = thr_input_new();
    int code = m && other && in ? 0 : THR_EMEM;
    if (code == 0)
        code = thr_input_add_memory(in, j->text, strlen(j->text), "memory", err);
    if (code == 0) {
        thr_input_set_threads(in, 1);
        code = thr_input_set_format(in, j->format, err);
    }
    if (code == 0)
        code = thr_step_through(m, in, &o, look_at, &steps, NULL, err);
    if (code == 0)
        code = thr_train(other, in, &pac, NULL, err);
    thr_input_free(in);
    thr_model_free(m);
    thr_model_free(other);
    return code;
}

typedef struct unread {
    const char *p;
    size_t n;
} unread;

static int64_t deliver(void *user, void *to, size_t room)
{
    unread *u = user;
    size_t n = u->n < 5 ? u->n : 5;
    n = n < room ? n : room;
    memcpy(to, u->p, n);
    u->p += n;
    u->n -= n;
    return (int64_t)n;
}

/* Bytes through a callback, and then all shards of the same bytes. */
static int train_on_pieces(const job *j, thr_model *m, thr_error *err)
{
    int code = 0;
    for (unsigned i = 0; i < 3 && code == 0; i++) {
        unread u = {j->text, strlen(j->text)};
        thr_input *in = thr_input_new();
        code = !in      ? THR_EMEM
               : i == 0 ? thr_input_add_reader(in, deliver, &u, "pieces", err)
                        : thr_input_add_memory(in, j->text, u.n, "memory", err);
        if (code == 0 && i)
            code = thr_input_set_shard(in, i - 1, 2, err);
        if (code == 0) {
            thr_input_set_threads(in, 1);
            code = thr_input_set_format(in, j->format, err);
        }
        if (code == 0)
            code = thr_train(m, in, NULL, NULL, err);
        thr_input_free(in);
    }
    return code;
}

static int use_arrays(thr_model *m, thr_batch *b, thr_error *err)
{
    static const int32_t offsets[] = {0, 2, 3}, columns[] = {1, 70000000, 2};
    static const float values[] = {1, 0, 0, 2};
    static const char *const names[] = {"spam", "ham"};
    thr_csr c = {.rows = 2, .nonzeros = 3, .offsets = offsets, .columns = columns};
    thr_dense d = {.rows = 2, .columns = 2, .values = values};
    c.about.label_names = d.about.label_names = names;
    int code = thr_batch_csr(b, m, &c, err);
    if (code == 0)
        code = thr_batch_dense(b, m, &d, err);
    if (code == 0)
        code = thr_learn(m, NULL, b, NULL, err);
    if (code == 0)
        code = thr_learn_csr(m, NULL, &c, NULL, err);
    return code ? code : thr_learn_dense(m, NULL, &d, NULL, err);
}

/* Readers, shards, arrays, names, one text and the working of a score. */
static int run_interface(const job *j, thr_error *err)
{
    const char *label;
    size_t feature;
    thr_working w;
    thr_model *m = new_model(j, err);
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    int code = m && b && s ? train_on_pieces(j, m, err) : THR_EMEM;
    if (code == 0)
        code = use_arrays(m, b, err);
    if (code == 0)
        code = thr_model_find_feature(m, "some", "name", &feature, err);
    if (code == 0)
        code = thr_classify(m, s, j->line, strlen(j->line), &label, NULL, err);
    for (size_t e = 0; e < 4 && code == 0; e++)
        code = thr_work_out(m, s, b, e, 0, &w, err);
    thr_scratch_free(s);
    thr_batch_free(b);
    thr_model_free(m);
    return code;
}

static void torture(const job *j)
{
    torture_each(j, run_model, 100);
}

static const char numbers[] = "1 1:1 3:0.5\n2 2:1 1025:2\n3 1:1 2:0.25\n1 3:1 4:1\n2 2:1\n";
static const char texts[] = "spam\tbuy cheap pills\nham\tthe red fox, a longer line of words\n"
                            "eggs\tcheap caf\303\251\nspam\tpills pills\n";

static void test_learning_svmlight_survives_lack_of_memory(void **state)
{
    (void)state;
    for
        EACH_LEARNER(l)
    torture(&(job){*l, NULL, "svmlight", numbers, "1 1:1 9:1", .path = NULL});
}

static void test_learning_text_survives_lack_of_memory(void **state)
{
    (void)state;
    for
        EACH_LEARNER(l)
    torture(&(job){*l, NULL, "text", texts, "spam\tcheap fox", .path = NULL});
}

static void test_regression_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char *const regressors[] = {"lms", "lms:averaged=off", "eg", "eg:signed=off"};
    static const char points[] = "1.5\tbuy cheap pills\n-2\tthe red fox\n0\tcheap caf\303\251\n";
    for (size_t i = 0; i < sizeof regressors / sizeof *regressors; i++) {
        torture(&(job){regressors[i], NULL, "svmlight", numbers, "1 1:1 9:1", .path = NULL});
        torture(&(job){regressors[i], NULL, "text", points, "3\tcheap fox", .path = NULL});
    }
    torture(&(job){"lms", "hash-bits=6", "text", points, "3\tcheap fox", .path = NULL});
}

static void test_hashed_models_survive_lack_of_memory(void **state)
{
    (void)state;
    torture(&(job){"pa", "hash-bits=6", "text", texts, "spam\tcheap fox", NULL, .prune = true});
    torture(
        &(job){"knn:weights=none", "hash-bits=2", "text", texts, "spam\tcheap fox", .path = NULL});
}

static const char fields[] = "x |a red |b round\nx |a blue |b square |c 1:3\ny |a red |c 1\n"
                             "z |a red blue |b round\ny |b square\n";

static void test_learning_from_fields_survives_lack_of_memory(void **state)
{
    (void)state;
    torture(&(job){"knn:k=2", NULL, "vw", fields, "x |a red |b round |c 1:2", .path = NULL});
    torture(
        &(job){"rules:min-gain=0.5", NULL, "vw", fields, "x |a red |b round |c 1:2", .path = NULL});
}

static void test_training_step_by_step_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char two[] = "a\tred fox\nb\tblue cheese\na\tred cheese\nb\tred red\n";
    static const char *const learners[] = {"perceptron", "pa:averaged=off", "kernel:vote=off"};
    for (size_t i = 0; i < 3; i++)
        for (int all = 0; all < 2; all++) {
            torture_each(&(job){learners[i], NULL, "text", two, NULL, .in_order = all}, run_steps,
                         50);
            torture_each(&(job){learners[i], NULL, "text", texts, NULL, .in_order = all}, run_steps,
                         50);
        }
}

static void test_dropping_features_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char *const learners[] = {"averaged", "bayes:kind=bernoulli", "panel"};
    for (size_t i = 0; i < 3; i++) {
        job j = {learners[i], NULL, "text", texts, "spam\tcheap fox", NULL, .in_order = true};
        j.prune = true;
        torture(&j);
        j.more = "min-count=2";
        torture(&j);
        j.more = "max-features=8";
        torture(&j);
    }
}

static void test_telling_of_updates_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char *const learners[] = {"pa", "logistic", "bayes", "voted", "panel"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        torture_each(&(job){learners[i], NULL, "text", texts, .path = NULL}, run_told, 50);
    torture_each(&(job){"perceptron", "hash-bits=4", "text", texts, .path = NULL}, run_told, 50);
}

static void test_several_labels_survive_lack_of_memory(void **state)
{
    (void)state;
    static const char several[] = "__label__a __label__b one two\n__label__c three\n"
                                  "__label__b __label__c __label__d two three\n";
    static const char some[] = "a, 1, 2; a, b:\nb, 2; b, c:\nc, 3, 1; a, c:\n";
    torture(&(job){"adagrad", "multilabel=on", "fasttext", several, "__label__a __label__c two",
                   .prune = true});
    torture_each(
        &(job){"perceptron", "multilabel=on", "fasttext", several, "__label__a two", .path = NULL},
        run_told, 50);
    torture(&(job){"balanced", "textbook=on", "snow", some, "a, 1; a, c:", .path = NULL});
    torture(&(job){"arow", "class-weights=spam=2,ham=0.5", "text", texts, "spam\tcheap fox",
                   .path = NULL});
    torture_each(&(job){"convert", "jsonl", "fasttext", several, NULL, .path = NULL}, run_convert,
                 20);
    torture_each(&(job){"convert", "snow", "snow", some, NULL, .path = NULL}, run_convert, 20);
}

static void test_saving_to_a_file_survives_lack_of_memory(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_memory_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model", folder);
    torture(&(job){"pa", NULL, "text", texts, "spam\tcheap fox", .path = path});
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void test_converting_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char *const inputs[][2] = {
        {"svmlight", numbers},
        {"text", texts},
        {"vw", "1 2 'tag|shape round:2 square |c red\n-1 | 5 blue\n"},
        {"csv", "label,a,b\n1,2,\"x\"\"y\"\n0,1,z\n"},
        {"fasttext", "__label__a some words\n__label__b others\n"},
        {"snow", "1, 2(0.5), 7:\n"},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        torture_each(&(job){"convert", NULL, inputs[i][0], inputs[i][1], NULL, .path = NULL},
                     run_convert, 20);
}

static void test_race_cv_and_tune_survive_lack_of_memory(void **state)
{
    (void)state;
    torture_each(&(job){"compare", NULL, NULL, texts, NULL, .path = NULL}, run_compare, 300);
    torture_each(&(job){"compare", "4", NULL, texts, NULL, .path = NULL}, run_compare, 300);
    torture_each(&(job){"numbers", NULL, NULL, numbers, NULL, .path = NULL}, run_compare, 300);
}

static void test_mixing_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char *const learners[] = {"averaged", "balanced",         "bayes:kind=bernoulli",
                                           "knn",      "rules:min-gain=1", "kernel:vote=off",
                                           "panel"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        torture_each(&(job){learners[i], NULL, "text", texts, "spam\tcheap fox\n", .path = NULL},
                     run_mix, 100);
    torture_each(&(job){"pa", "hash-bits=6", "text", texts, "spam\tcheap fox\n", .path = NULL},
                 run_mix, 100);
}

/* Models whose rows are lists in the file. */
static void test_many_labels_survive_lack_of_memory(void **state)
{
    (void)state;
    static const char *const learners[] = {"averaged", "arow", "panel"};
    thr_bytes many = {0};
    for (int i = 0; i < 40; i++)
        assert_true(thr_bytes_printf(&many, "l%d\tw%d w%d all\n", i, i, i / 2));
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        job j = {learners[i], NULL, "text", many.p, "l3\tw3 all\n", NULL, .in_order = true};
        torture(&j);
        torture_each(&j, run_mix, 100);
        j.prune = true;
        torture(&j);
    }
    thr_bytes_clear(&many);
}

static void test_interface_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char *const learners[] = {"averaged", "bayes", "panel"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        torture_each(&(job){learners[i], NULL, "text", texts, "cheap fox", .path = NULL},
                     run_interface, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learning_svmlight_survives_lack_of_memory),
        cmocka_unit_test(test_learning_text_survives_lack_of_memory),
        cmocka_unit_test(test_hashed_models_survive_lack_of_memory),
        cmocka_unit_test(test_training_step_by_step_survives_lack_of_memory),
        cmocka_unit_test(test_dropping_features_survives_lack_of_memory),
        cmocka_unit_test(test_learning_from_fields_survives_lack_of_memory),
        cmocka_unit_test(test_saving_to_a_file_survives_lack_of_memory),
        cmocka_unit_test(test_converting_survives_lack_of_memory),
        cmocka_unit_test(test_several_labels_survive_lack_of_memory),
        cmocka_unit_test(test_regression_survives_lack_of_memory),
        cmocka_unit_test(test_telling_of_updates_survives_lack_of_memory),
        cmocka_unit_test(test_race_cv_and_tune_survive_lack_of_memory),
        cmocka_unit_test(test_mixing_survives_lack_of_memory),
        cmocka_unit_test(test_many_labels_survive_lack_of_memory),
        cmocka_unit_test(test_interface_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
