#define _GNU_SOURCE // memfd_create
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	return fuzz_mesh(lm_msh_parse, data, size);
}
