/* Functions compiled once for every x86-64 and once for AVX2; the loader takes what the processor
 * can do. The numbers are the same: the order of operations stands in the source, and the compiler
 * may neither change it nor melt a product and a sum into one (-ffp-contract=off). */
#ifndef THR_BASE_WIDE_H
#define THR_BASE_WIDE_H

#include <limits.h> /* says whether this is glibc */

/* ThreadSanitizer is not there yet when the loader chooses. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_THREAD__) && !defined(THR_NO_WIDE)
#define THR_CLONED __attribute__((target_clones("avx2", "default")))
#else
#define THR_CLONED
#endif

#endif
