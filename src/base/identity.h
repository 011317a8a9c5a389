// identity.h: which build of limber this is (cmake/identity.cmake).
#ifndef LM_BASE_IDENTITY_H
#define LM_BASE_IDENTITY_H

#include <stdint.h>

// Of the sources and the compiler. Builds with the same number give the same results to the bit; others may not, and
// may lay out their state differently.
uint64_t lm_build_identity(void);

#endif
