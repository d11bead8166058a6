/* New files that take the place of others (base/newfile.h): links, modes, files that stand in the
 * way, temporary files that were left over. */
#include "base/newfile.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int setup(void **state)
{
    char folder[] = "/tmp/test_newfile_XXXXXX";
    *state = mkdtemp(folder) ? strdup(folder) : NULL;
    return *state && chdir(*state) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
    free(*state);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void has(const char *path, const char *text)
{
    char there[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(there, 1, sizeof there - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(text));
    assert_string_equal(there, text);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode;
}

static void replace(const char *path, const char *text)
{
    thr_error err;
    thr_newfile *f = thr_newfile_open(path, &err);
    assert_non_null(f);
    assert_int_equal(thr_write_all(thr_newfile_descriptor(f), text, strlen(text)), 0);
    assert_int_equal(thr_newfile_close(f, true, &err), 0);
}

static void test_old_file_stays_until_the_new_one_is_complete(void **state)
{
    (void)state;
    thr_error err;
    put("a", "old");
    thr_newfile *f = thr_newfile_open("a", &err);
    assert_non_null(f);
    char beside[256];
    snprintf(beside, sizeof beside, "%s", thr_newfile_temporary(f));
    assert_int_equal(thr_write_all(thr_newfile_descriptor(f), "new", 3), 0);
    has("a", "old");
    assert_int_equal(thr_newfile_close(f, false, &err), 0);
    has("a", "old");
    assert_int_equal(access(beside, F_OK), -1);
    replace("a", "new");
    has("a", "new");
}

static void test_mode_of_the_old_file_is_kept(void **state)
{
    (void)state;
    thr_error err;
    put("a", "old");
    assert_int_equal(chmod("a", 0600), 0);
    thr_newfile *f = thr_newfile_open("a", &err);
    assert_non_null(f);
    assert_int_equal(mode_of(thr_newfile_temporary(f)) & 0077,
                     0); /* at no time readable by others */
    assert_int_equal(thr_newfile_close(f, true, &err), 0);
    assert_int_equal(mode_of("a") & 07777, 0600);
    assert_int_equal(chmod("a", 0666), 0);
    replace("a", "x");
    assert_int_equal(mode_of("a") & 07777, 0666); /* whatever the umask */
}

static void test_link_is_followed(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0777), 0);
    put("d/a", "old");
    assert_int_equal(symlink("d/a", "one"), 0);
    assert_int_equal(symlink("../one", "d/two"), 0);
    replace("d/two", "new");
    has("d/a", "new");
    assert_true(S_ISLNK(mode_of("one")) && S_ISLNK(mode_of("d/two")));
}

static void test_link_to_nothing_makes_its_file(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(symlink("d/a", "link"), 0);
    replace("link", "new");
    has("d/a", "new");
    assert_true(S_ISLNK(mode_of("link")));
}

static void test_circle_of_links_is_an_error(void **state)
{
    (void)state;
    thr_error err;
    assert_int_equal(symlink("b", "a"), 0);
    assert_int_equal(symlink("a", "b"), 0);
    assert_null(thr_newfile_open("a", &err));
    assert_int_equal(err.code, THR_EIO);
}

/* Somebody has guessed the temporary name and put a link there. */
static void test_planted_link_is_not_followed(void **state)
{
    (void)state;
    char name[64];
    put("victim", "precious");
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "a.thresh-%ld-%d.tmp", (long)getpid(), i);
        assert_int_equal(symlink("victim", name), 0);
    }
    replace("a", "new");
    has("a", "new");
    has("victim", "precious");
    assert_true(S_ISLNK(mode_of(name)));
}

static void test_foreign_link_in_a_shared_folder_is_refused(void **state)
{
    (void)state;
    thr_error err;
    if (geteuid() != 0)
        skip(); /* only root can make links of other users */
    put("victim", "precious");
    assert_int_equal(mkdir("shared", 0777), 0);
    assert_int_equal(chmod("shared", 01777), 0);
    assert_int_equal(symlink("../victim", "shared/a"), 0);
    assert_int_equal(lchown("shared/a", 12345, 12345), 0);
    assert_null(thr_newfile_open("shared/a", &err));
    has("victim", "precious");
    assert_int_equal(lchown("shared/a", 0, 0), 0);
    replace("shared/a", "mine");
    has("victim", "mine");
}

/* The id of a process that has ended. */
static long dead_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return (long)pid;
}

static void test_what_a_dead_process_left_is_removed(void **state)
{
    (void)state;
    char dead[64], held[64], alive[64], other[64];
    long pid = dead_process();
    snprintf(dead, sizeof dead, "a.thresh-%ld-0.tmp", pid);
    snprintf(held, sizeof held, "a.thresh-%ld-1.tmp", pid);
    snprintf(alive, sizeof alive, "a.thresh-%ld-7.tmp", (long)getpid());
    snprintf(other, sizeof other, "b.thresh-%ld-0.tmp", pid);
    const char *const stays[] = {held, alive, other, "a.tmp", "a.1-1.tmp", "a.thresh-1-1.tmp.x"};
    put(dead, "");
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
        put(stays[i], "");
    int fd = open(held, O_RDONLY); /* a process that cannot be seen, in another container */
    assert_int_equal(flock(fd, LOCK_EX), 0);
    replace("a", "new");
    assert_int_equal(access(dead, F_OK), -1);
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
        assert_int_equal(access(stays[i], F_OK), 0);
    close(fd);
}

static void test_long_name_has_room(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    replace(name, "new");
    has(name, "new");
}

static void test_folder_is_refused(void **state)
{
    (void)state;
    thr_error err;
    assert_int_equal(mkdir("d", 0777), 0);
    assert_null(thr_newfile_open("d", &err));
    assert_non_null(strstr(err.message, "directory"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(old_file_stays_until_the_new_one_is_complete),
        TEST(mode_of_the_old_file_is_kept),
        TEST(link_is_followed),
        TEST(link_to_nothing_makes_its_file),
        TEST(circle_of_links_is_an_error),
        TEST(planted_link_is_not_followed),
        TEST(foreign_link_in_a_shared_folder_is_refused),
        TEST(what_a_dead_process_left_is_removed),
        TEST(long_name_has_room),
        TEST(folder_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
