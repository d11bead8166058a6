/* The tables of learners and formats for callers of the library, and how the library was built.
 * The tables end with NULL, so every index below the one asked for is checked. */
#include "format/format.h"
#include "learner/learner.h"

bool thr_learner_at(size_t i, thr_entry_info *out)
{
    for (size_t k = 0; k <= i; k++)
        if (!thr_learners[k])
            return false;
    const thr_learner *l = thr_learners[i];
    *out = (thr_entry_info){.name = l->name,
                            .help = l->help,
                            .regression = l->flags & THR_REGRESSION,
                            .linear = !(l->flags & THR_NOT_LINEAR),
                            .conservative = l->flags & THR_CONSERVATIVE,
                            .solved = l->flags & THR_SOLVED};
    while (l->options[out->n_options].name)
        out->n_options++;
    return true;
}

bool thr_learner_option_at(size_t learner, size_t i, thr_option_info *out)
{
    thr_entry_info info;
    if (!thr_learner_at(learner, &info) || i >= info.n_options)
        return false;
    *out = thr_learners[learner]->options[i];
    return true;
}

bool thr_format_at(size_t i, thr_entry_info *out)
{
    for (size_t k = 0; k <= i; k++)
        if (!thr_formats[k])
            return false;
    *out = (thr_entry_info){.name = thr_formats[i]->name, .help = thr_formats[i]->help};
    return true;
}

const char *thr_version(void)
{
    return THR_VERSION;
}

const char *thr_built_with(void)
{
    return "xxhash"
#ifdef THR_HAVE_ZLIB
           " zlib"
#endif
#ifdef THR_HAVE_ZSTD
           " zstd"
#endif
#ifdef THR_HAVE_LZMA
           " lzma"
#endif
#ifdef THR_HAVE_UTF8PROC
           " utf8proc"
#endif
#ifdef THR_HAVE_JANSSON
           " jansson"
#endif
#ifdef THR_HAVE_GMP
           " gmp"
#endif
        ;
}
