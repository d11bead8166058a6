/* Work that may end the process, done in a child process.
 *
 * GMP calls abort when memory is short, and CLP, which is C++, throws an exception that no C code
 * can catch or uses a pointer that is NULL. Neither can be told otherwise without changing state
 * that belongs to the whole process. So what calls them runs in a child made by fork: it starts
 * with a copy of everything, sends its answer through a pipe, and whatever ends it is an error
 * here.
 *
 * In the child only the calling thread exists. The work may allocate (glibc and musl make malloc
 * usable after fork) and load libraries, but must wait for no other thread and use no lock of the
 * program. What it changes in memory is lost, so it leaves its result in `answer`. The host sees
 * SIGCHLD; if it waits for all children and takes the status of this one, nothing is lost. */
#ifndef THR_BASE_APART_H
#define THR_BASE_APART_H

#include "base/error.h"
#include "base/mem.h"

/* Returns 0 or a code with *err filled. */
typedef int thr_apart_fn(const void *work, thr_bytes *answer, thr_error *err);

/* Calls fn(work, ...) in a child and waits for it. Returns what it returned, with its error, and
 * appends what it left in `answer` to *answer. If the child ends without an answer the code is
 * THR_EMEM, since memory is nearly always the cause; `doing` says in the message what was done
 * ("solving a linear program"). */
int thr_apart(thr_apart_fn *fn, const void *work, const char *doing, thr_bytes *answer,
              thr_error *err);

#endif
