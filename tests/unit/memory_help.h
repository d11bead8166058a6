/* For tests that make every allocation fail in turn: nothing crashes, nothing is lost, and the
 * answer is THR_EMEM or success. Programs that include it are linked with --wrap for the allocating
 * functions, and are one file each. */
#ifndef MEMORY_HELP_H
#define MEMORY_HELP_H

#include "model_help.h"

#include <sys/mman.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

/* Shared with child processes (base/apart.h), whose allocations count too. */
static struct refusal {
    long left; /* allocations until the one that fails; negative: none does */
    bool failed;
} * refusal;

static bool fails(void)
{
    if (!refusal || refusal->left < 0 || refusal->left-- > 0)
        return false;
    refusal->failed = true;
    return true;
}

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
    return fails() ? NULL : __real_strndup(s, n);
}

typedef struct job {
    const char *learner, *more, *format, *text, *line;
    const char *path; /* to save to, or NULL */
    bool in_order;    /* not shuffled */
    bool prune;
} job;

static inline int no_memory(const thr_error *err)
{
    return err->code ? err->code : THR_EMEM;
}

/* Fails allocation 0, 1, 2, ... until a run needs no more. */
static inline void torture_each(const job *j, int (*run)(const job *j, thr_error *err), long least)
{
    long at = 0;
    if (!refusal)
        refusal =
            mmap(NULL, sizeof *refusal, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(refusal, MAP_FAILED);
    do {
        thr_error err = {0};
        *refusal = (struct refusal){.left = at};
        int code = run(j, &err);
        refusal->left = -1;
        if (code != 0 && code != THR_EMEM)
            fail_msg("%s, allocation %ld: code %d, %s", j->learner, at, code, err.message);
        if (code && !refusal->failed)
            fail_msg("%s: no memory, though none was refused", j->learner);
        at++;
    } while (refusal->failed);
    assert_true(at > least);
}

#endif
