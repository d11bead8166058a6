/* Saving a model to a file or to memory. A file is complete before it replaces the old one
 * (base/newfile.h). The bytes are made by write.c. */
#include "base/newfile.h"
#include "file/file.h"
#include "model/inside.h"

static int put_file(void *to, const void *p, size_t n)
{
    return thr_write_all(thr_newfile_descriptor(to), p, n);
}

static int put_memory(void *to, const void *p, size_t n)
{
    return thr_bytes_add(to, p, n) ? 0 : -1;
}

static int save_to(const thr_model *m, const char *path, thr_error *err)
{
    thr_newfile *f = thr_newfile_open(path, err);
    if (!f)
        return err ? err->code : THR_EIO;
    int code = thr_model_write(m, put_file, f);
    if (code == THR_EMEM)
        thr_fail_memory(err);
    else if (code)
        thr_fail_errno(err, "cannot write %s", path);
    else /* a file that changed while its weights were being written */
        code = thr_model_intact(m, err);
    int closed = thr_newfile_close(f, code == 0, err);
    return code ? code : closed;
}

/* The model to write, if it is not m itself: with its rules finished, and lean if asked for. A rule
 * is unfinished if it must be fitted to all its kept examples before it is saved. m is const and
 * stays as it is, so that training can go on. The caller frees *copy, which is NULL if m itself is
 * to be written. All of a mapped model is checked first: damage must not be saved with valid
 * hashes. */
static int copy_to_write(const thr_model *m, bool lean, thr_model **copy, thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    *copy = NULL;
    if (thr_model_touch_all(m, err))
        return THR_EMODEL;
    bool unfinished = false;
    for (uint32_t k = 0; k < m->members; k++)
        unfinished |= m->member[k].rule.learner->fit && !m->member[k].rule.finished;
    thr_model *finished = unfinished ? thr_model_clone(m, err) : NULL;
    if (unfinished && (!finished || thr_model_finish(finished, err))) {
        thr_model_free(finished);
        return err->code;
    }
    *copy = finished;
    if (!lean || m->lean)
        return 0;
    *copy = thr_model_lean(finished ? finished : m, err);
    thr_model_free(finished);
    return *copy ? 0 : err->code;
}

int thr_model_save(const thr_model *m, const char *path, bool lean, thr_error *err)
{
    thr_model *copy;
    int code = copy_to_write(m, lean, &copy, err);
    if (code == 0)
        code = save_to(copy ? copy : m, path, err);
    thr_model_free(copy);
    return code;
}

int thr_model_dump(const thr_model *m, bool lean, void **bytes, size_t *size, thr_error *err)
{
    thr_model *copy;
    int code = copy_to_write(m, lean, &copy, err);
    if (code)
        return code;
    thr_bytes out = {0};
    code = thr_model_write(copy ? copy : m, put_memory, &out);
    thr_model_free(copy);
    if (code) {
        thr_bytes_clear(&out);
        return thr_fail_memory(err);
    }
    *bytes = out.p;
    *size = out.n;
    return 0;
}
