/* What thresh needs of a machine. A build for one that lacks something stops here with a sentence,
 * since its models would have other bytes, or none. docs/ARCHITECTURE.md lists the machines that
 * are tested. */
#include <float.h>
#include <limits.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error                                                                                             \
    "thresh needs a little-endian machine: models and caches are little-endian and used as they are"
#endif

#if SIZE_MAX < UINT64_MAX
#error                                                                                             \
    "thresh needs a 64-bit machine: sizes and offsets in models, caches and hash tables have 64 bits"
#endif

#if FLT_EVAL_METHOD != 0
#error "thresh needs float and double without excess precision: models would depend on the compiler"
#endif

_Static_assert(CHAR_BIT == 8 && sizeof(int) == 4, "thresh needs bytes of 8 bits and int of 32");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8 && FLT_RADIX == 2 && FLT_MANT_DIG == 24 &&
                   DBL_MANT_DIG == 53,
               "thresh needs float and double of IEEE 754");
