/* THR_CLONED: a function compiled twice, once for any x86-64 and once for AVX2. The dynamic
 * loader binds the version that the processor can run (an ifunc). Both give the same numbers:
 * the order of operations is fixed by the source, and the compiler may neither change it nor
 * fuse a product and a sum (-ffp-contract=off). */
#ifndef THR_BASE_WIDE_H
#define THR_BASE_WIDE_H

#include <limits.h> /* defines __GLIBC__ */

/* Not with ThreadSanitizer: its runtime is not initialised yet when the loader calls the
 * function that chooses. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_THREAD__) && !defined(THR_NO_WIDE)
#define THR_CLONED __attribute__((target_clones("avx2", "default")))
#else
#define THR_CLONED
#endif

#endif
