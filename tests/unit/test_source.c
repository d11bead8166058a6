/* Bytes in, from memory, files and pipes. */
#include "source_help.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

static void test_memory_is_unpacked_to_the_text(void **state)
{
    (void)state;
    for
        EACH_KIND(k)
    for (size_t lines = 0; lines < 5000; lines = lines * 9 + 1) {
        thr_bytes text = make_text(lines), packed = {0}, out = {0};
        k->pack(&packed, text.p, text.n);
        assert_int_equal(drain_memory(packed.p, packed.n, &out, NULL), 0);
        assert_bytes(&out, &text);
        thr_bytes_clear(&text);
        thr_bytes_clear(&packed);
        thr_bytes_clear(&out);
    }
}

static void test_files_are_unpacked_in_pieces_of_any_size(void **state)
{
    (void)state;
    static const size_t pieces[] = {1, 7, 4096, 1 << 20};
    for
        EACH_KIND(k)
    for (size_t i = 0; i < 4; i++) {
        thr_bytes text = make_text(i == 0 ? 300 : 20000), packed = {0}, out = {0};
        thr_error err = {0};
        k->pack(&packed, text.p, text.n);
        write_file(packed.p, packed.n);
        thr_source *s = thr_source_open(path, &err);
        assert_non_null(s);
        assert_int_equal(thr_source_taken(s), 0);
        assert_int_equal(drain(s, pieces[i], &out, &err), 0);
        assert_bytes(&out, &text);
        thr_bytes_clear(&text);
        thr_bytes_clear(&packed);
        thr_bytes_clear(&out);
    }
}

static void test_taken_counts_packed_bytes_up_to_the_end(void **state)
{
    (void)state;
    for
        EACH_KIND(k)
        {
            thr_bytes text = make_text(1000), packed = {0};
            char room[4096];
            k->pack(&packed, text.p, text.n);
            thr_source *s = thr_source_memory(packed.p, packed.n, NULL, NULL);
            assert_non_null(s);
            uint64_t last = 0;
            while (thr_source_read(s, room, sizeof room, NULL) > 0) {
                assert_in_range(thr_source_taken(s), last, packed.n);
                last = thr_source_taken(s);
            }
            assert_int_equal(thr_source_taken(s), packed.n);
            thr_source_close(s);
            thr_bytes_clear(&text);
            thr_bytes_clear(&packed);
        }
}

static void test_folders_and_missing_files_are_refused_by_name(void **state)
{
    (void)state;
    thr_error err = {0};
    char missing[160];
    assert_null(thr_source_open(folder, &err));
    assert_int_equal(err.code, THR_EIO);
    assert_string_equal(err.file, folder);
    assert_non_null(strstr(err.message, "is a directory"));
    snprintf(missing, sizeof missing, "%s/missing", folder);
    assert_null(thr_source_open(missing, &err));
    assert_int_equal(err.code, THR_EIO);
    assert_string_equal(err.file, missing);
    assert_non_null(strstr(err.message, "No such file"));
    assert_null(thr_source_open(missing, NULL));
    thr_source_close(NULL);
}

/* Opens, but every read fails. */
static void test_read_failure(void **state)
{
    (void)state;
    thr_error err = {0};
    char room[10];
    thr_source *s = thr_source_open("/proc/self/mem", &err);
    if (!s) {
        print_message("skip: /proc/self/mem cannot be opened here\n");
        skip();
    }
    assert_int_equal(thr_source_read(s, room, sizeof room, &err), THR_EIO);
    assert_string_equal(err.file, "/proc/self/mem");
    assert_non_null(strstr(err.message, "cannot read: "));
    thr_source_close(s);
}

static void test_only_plain_files_can_be_read_again(void **state)
{
    (void)state;
    char fifo[160];
    write_file("x", 1);
    snprintf(fifo, sizeof fifo, "%s/reread", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_true(thr_source_rereadable(path));
    assert_false(thr_source_rereadable(fifo));
    assert_false(thr_source_rereadable(folder));
    assert_false(thr_source_rereadable("-"));
    unlink(fifo);
}

/* ---- pipes ---- */

/* Writes `p` from a child: the first bytes one by one with pauses, the rest in odd pieces.
 * Returns the end to read from. */
static int feed(const char *p, size_t n, useconds_t pause, pid_t *child)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    *child = fork();
    assert_true(*child >= 0);
    if (*child > 0) {
        close(ends[1]);
        return ends[0];
    }
    close(ends[0]);
    for (size_t at = 0, piece; at < n; at += piece) {
        piece = at < 10 ? 1 : n - at < 777 ? n - at : 777;
        if (write(ends[1], p + at, piece) != (ssize_t)piece)
            _exit(1);
        if (at < 10)
            usleep(pause);
    }
    _exit(0);
}

/* Runs `drain` on standard input, which is `fd` for that time. */
static int drain_stdin(int fd, thr_bytes *out, thr_error *err)
{
    int saved = dup(STDIN_FILENO);
    assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    close(fd);
    thr_source *s = thr_source_open("-", err);
    int code = -100;
    if (s) {
        code = drain(s, 10000, out, err);
        assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* not closed by us */
    }
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    return code;
}

static void check_pipe(const struct kind *k, bool nonblocking, useconds_t pause)
{
    thr_bytes text = make_text(3000), packed = {0}, out = {0};
    pid_t child;
    int status;
    k->pack(&packed, text.p, text.n);
    int fd = feed(packed.p, packed.n, pause, &child);
    if (nonblocking)
        assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(drain_stdin(fd, &out, NULL), 0);
    assert_bytes(&out, &text);
    while (waitpid(child, &status, 0) < 0)
        ;
    assert_int_equal(status, 0);
    thr_bytes_clear(&text);
    thr_bytes_clear(&packed);
    thr_bytes_clear(&out);
}

static void test_pipes_deliver_all_bytes(void **state)
{
    (void)state;
    for
        EACH_KIND(k)
        {
            check_pipe(k, false, 2000);
            check_pipe(k, true, 2000);
        }
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    alarms++;
}

/* Signals interrupt the reading, which goes on. */
static void test_reading_goes_on_after_signals(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = on_alarm}, old;
    struct itimerval every = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
    assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
    alarms = 0;
    for
        EACH_KIND(k)
        {
            setitimer(ITIMER_REAL, &every, NULL);
            check_pipe(k, false, 5000);
            check_pipe(k, true, 5000);
            setitimer(ITIMER_REAL, &off, NULL);
        }
    sigaction(SIGALRM, &old, NULL);
    assert_true(alarms > 0);
}

/* A line typed is delivered before the next one comes. */
static void test_line_is_delivered_before_the_next_one_comes(void **state)
{
    (void)state;
    int ends[2];
    char room[100], name[40];
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    thr_source *s = thr_source_open(name, NULL);
    if (!s) {
        print_message("skip: there is no /dev/fd here\n");
        skip();
    }
    assert_int_equal(write(ends[1], "1\n", 2), 2);
    alarm(20); /* ends a test that would wait for ever */
    assert_int_equal(thr_source_read(s, room, sizeof room, NULL), 2);
    alarm(0);
    thr_source_close(s);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_unpacked_to_the_text),
        cmocka_unit_test(test_files_are_unpacked_in_pieces_of_any_size),
        cmocka_unit_test(test_taken_counts_packed_bytes_up_to_the_end),
        cmocka_unit_test(test_folders_and_missing_files_are_refused_by_name),
        cmocka_unit_test(test_read_failure),
        cmocka_unit_test(test_only_plain_files_can_be_read_again),
        cmocka_unit_test(test_pipes_deliver_all_bytes),
        cmocka_unit_test(test_reading_goes_on_after_signals),
        cmocka_unit_test(test_line_is_delivered_before_the_next_one_comes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
