/* Filling an error and printing it as `file:line:column: message`. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void start(thr_error *err, int code)
{
    err->code = code;
    err->line = err->column = 0;
    err->file[0] = '\0';
}

int thr_fail(thr_error *err, int code, const char *format, ...)
{
    if (!err)
        return code;
    start(err, code);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

int thr_fail_errno(thr_error *err, const char *format, ...)
{
    int number = errno; /* before vsnprintf can change it */
    if (!err)
        return THR_EIO;
    start(err, THR_EIO);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    size_t n = strlen(err->message);
    char text[128];
    const char *reason = strerror_r(number, text, sizeof text);
    snprintf(err->message + n, sizeof err->message - n, ": %s", reason);
    return THR_EIO;
}

int thr_fail_memory(thr_error *err)
{
    return thr_fail(err, THR_EMEM, "out of memory");
}

int thr_fail_at(thr_error *err, const char *file, uint64_t line, uint64_t column)
{
    if (!err)
        return THR_EDATA;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    err->line = line;
    err->column = column;
    return err->code;
}

size_t thr_error_text(const thr_error *err, char *out, size_t room)
{
    int n;
    if (err->file[0] && err->line && err->column)
        n = snprintf(out, room, "%s:%llu:%llu: %s", err->file, (unsigned long long)err->line,
                     (unsigned long long)err->column, err->message);
    else if (err->file[0] && err->line)
        n = snprintf(out, room, "%s:%llu: %s", err->file, (unsigned long long)err->line,
                     err->message);
    else if (err->file[0])
        n = snprintf(out, room, "%s: %s", err->file, err->message);
    else
        n = snprintf(out, room, "%s", err->message);
    return n < 0 ? 0 : (size_t)n;
}

int thr_check_reserved(const uint64_t *reserved, size_t n, const char *of, thr_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (reserved[i])
            return thr_fail(err, THR_EUSE,
                            "a reserved field of %s is not 0: set the whole struct to 0 before "
                            "filling it in, or use the version of libthresh it was written for",
                            of);
    return 0;
}
