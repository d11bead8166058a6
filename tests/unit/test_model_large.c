/* A model of 64 MiB and more is not checked entirely when it is opened to predict: damage in a
 * row shows when that row is first used, and not before. Opened to train, it shows at once. */
#include "model_help.h"

#include "file/file.h"
#include "model/inside.h"

#include <fcntl.h>
#include <unistd.h>

enum { FEATURES = 28000, LABELS = 200 };

static char folder[32], path[64];
static thr_file_section section[THR_SECTIONS + THR_MEMBER_SECTIONS];
static size_t stride;

/* FEATURES integers and a name, each with a row of LABELS weights and averaging sums. All of these
 * are moved, and neighbours differ: lists would save nothing. */
static thr_model *big_model(void)
{
    char label[16];
    thr_bytes text = {0};
    thr_model *m = make_model("pa", "multiclass=one-vs-all");
    for (int i = 0; i < LABELS; i++) {
        snprintf(label, sizeof label, "c%d", i);
        assert_int_equal(thr_model_declare_label(m, label, NULL), i);
    }
    assert_true(thr_bytes_printf(&text, "c7 |"));
    for (int i = 1; i < FEATURES; i++)
        assert_true(thr_bytes_printf(&text, " %d:%d", i, 1 + i % 2));
    assert_true(thr_bytes_printf(&text, " red\nc3 | 5 %d\n", FEATURES - 1));
    teach(m, "vw", text.p);
    thr_bytes_clear(&text);
    return m;
}

static int make_file(void **state)
{
    (void)state;
    thr_error err = {0};
    snprintf(folder, sizeof folder, "/tmp/test_large_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/model", folder);
    thr_model *m = big_model();
    stride = thr_weights_size(&m->member[0].weights, LABELS);
    int code = thr_model_save(m, path, false, &err);
    thr_model_free(m);
    int fd = open(path, O_RDONLY);
    bool read = pread(fd, section, sizeof section, sizeof(thr_file_head)) == sizeof section;
    off_t size = lseek(fd, 0, SEEK_END);
    close(fd);
    return code == 0 && read && (size_t)size > THR_CHECK_ALL ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void flip(uint64_t offset)
{
    char byte;
    int fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 1);
    byte ^= 16;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)offset), 1);
    close(fd);
}

static uint64_t row_of(size_t id)
{
    return section[THR_SECTIONS + THR_SECTION_ROWS].offset + id * stride;
}

static int score(const thr_model *m, const char *line, double *scores)
{
    thr_error err = {0};
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    assert_true(b && s);
    assert_int_equal(thr_batch_parse(b, m, "vw", true, line, strlen(line), &err), 0);
    int code = thr_score(m, s, b, NULL, scores, &err);
    thr_batch_free(b);
    thr_scratch_free(s);
    return code;
}

static thr_model *opened(bool to_train)
{
    thr_error err = {0};
    thr_model *m = thr_model_open(path, to_train, &err);
    assert_true(m || err.code == THR_EMODEL);
    return m;
}

/* It answers as the model in memory does. */
static void test_same_answers(void **state)
{
    (void)state;
    static const char *const lines[] = {" | 5 6 27999", " | red 12345", " | 400000 blue", " |"};
    double a[LABELS], b[LABELS];
    thr_model *m = big_model(), *mapped = opened(false);
    assert_non_null(mapped);
    assert_ptr_equal(mapped->member[0].weights.guard, &mapped->map->guard);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(score(m, lines[i], a), 0);
        assert_int_equal(score(mapped, lines[i], b), 0);
        assert_memory_equal(a, b, sizeof a);
    }
    thr_model_free(m);
    thr_model_free(mapped);
}

/* kB of a mapping that /proc counts as `what`; -1 where it does not tell. */
static long mapped_kb(const void *map, const char *what)
{
    char line[512], begins[32];
    long kb = -1;
    bool here = false;
    FILE *f = fopen("/proc/self/smaps", "r");
    snprintf(begins, sizeof begins, "%lx-", (unsigned long)(uintptr_t)map);
    while (f && kb < 0 && fgets(line, sizeof line, f)) {
        here |= strncmp(line, begins, strlen(begins)) == 0;
        if (here && strncmp(line, what, strlen(what)) == 0)
            kb = strtol(line + strlen(what), NULL, 10);
    }
    if (f)
        fclose(f);
    return kb;
}

/* What is not touched is not in memory, and what is belongs to every process that has it open. */
static void test_pages_not_touched_are_not_in_memory(void **state)
{
    (void)state;
    double scores[LABELS];
    thr_model *m = opened(false);
    assert_non_null(m);
    long size = (long)(m->map->size / 1024);
    if (mapped_kb(m->map->p, "Rss:") < 0) {
        thr_model_free(m);
        print_message("skip: /proc/self/smaps cannot be read here\n");
        skip();
    }
    assert_true(mapped_kb(m->map->p, "Rss:") < size / 16);
    assert_int_equal(score(m, " | 5 12345 27999 red", scores), 0);
    assert_true(mapped_kb(m->map->p, "Rss:") < size / 8);
    assert_int_equal(mapped_kb(m->map->p, "Private_Dirty:"), 0);
    thr_model_free(m);
}

static void test_far_row(void **state)
{
    (void)state;
    double scores[LABELS];
    flip(row_of(25000) + 100);
    assert_null(opened(true));
    thr_model *m = opened(false);
    assert_non_null(m);
    assert_int_equal(score(m, " | 5 6 red", scores), 0);
    assert_int_equal(score(m, " | 25000", scores), THR_EMODEL);
    assert_int_equal(score(m, " | 5", scores), THR_EMODEL); /* for good */
    thr_model_free(m);
    flip(row_of(25000) + 100);
}

/* The way from a feature to its row is guarded too. */
static void test_damage_on_the_way_to_a_row_is_noticed(void **state)
{
    (void)state;
    double scores[LABELS];
    uint64_t place[] = {section[THR_SECTION_PAGES].offset + 20000 * 4,
                        section[THR_SECTION_SLOTS].offset, section[THR_SECTION_SLOTS].offset + 300};
    const char *line[] = {" | 20000", " | red", " | red"};
    for (size_t i = 0; i < 3; i++) {
        flip(place[i]);
        thr_model *m = opened(false);
        assert_non_null(m);
        assert_int_equal(score(m, " | 5", scores), 0);
        assert_int_equal(score(m, line[i], scores), THR_EMODEL);
        thr_model_free(m);
        flip(place[i]);
    }
}

/* Head, index, settings, labels and state are looked at when it is opened. */
static void test_small_sections(void **state)
{
    (void)state;
    uint64_t place[] = {3,
                        20,
                        sizeof(thr_file_head) + 5,
                        section[THR_SECTION_SETTINGS].offset + 2,
                        section[THR_SECTION_LABELS].offset + 900,
                        section[THR_SECTION_STATE].offset,
                        section[THR_SECTION_SPACES].offset};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        flip(place[i]);
        assert_null(opened(false));
        flip(place[i]);
    }
    assert_int_equal(truncate(path, (off_t)(row_of(20000))), 0);
    assert_null(opened(false));
    assert_int_equal(remove_file(NULL), 0);
    assert_int_equal(make_file(NULL), 0);
}

/* A clone stands alone, and neither it nor a file written anew hides damage not yet seen. */
static void test_clone_and_save(void **state)
{
    (void)state;
    thr_error err = {0};
    double a[LABELS], b[LABELS];
    thr_model *m = opened(false);
    assert_int_equal(score(m, " | 5 27999 red", a), 0);
    thr_model *clone = thr_model_clone(m, &err);
    assert_non_null(clone);
    thr_model_free(m);
    assert_int_equal(score(clone, " | 5 27999 red", b), 0);
    assert_memory_equal(a, b, sizeof a);
    thr_model_free(clone);
    uint64_t place[] = {row_of(25000) + 100, section[THR_SECTION_ORIGIN].offset + 25000 * 8};
    for (size_t i = 0; i < 2; i++) {
        void *bytes;
        size_t n;
        flip(place[i]);
        m = opened(false);
        assert_non_null(m);
        assert_null(thr_model_clone(m, &err));
        assert_int_equal(err.code, THR_EMODEL);
        assert_int_equal(thr_model_dump(m, false, &bytes, &n, &err), THR_EMODEL);
        assert_int_equal(thr_model_dump(m, true, &bytes, &n, &err), THR_EMODEL);
        thr_model_free(m);
        flip(place[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_answers),
        cmocka_unit_test(test_pages_not_touched_are_not_in_memory),
        cmocka_unit_test(test_far_row),
        cmocka_unit_test(test_damage_on_the_way_to_a_row_is_noticed),
        cmocka_unit_test(test_small_sections),
        cmocka_unit_test(test_clone_and_save),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
