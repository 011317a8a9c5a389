#include "base/error.h"
#include "io/readers.h"
lm_status lm_msh_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error)
{
	(void)host, (void)data, (void)size, (void)mesh;
	return lm_fail_at(error, LM_UNSUPPORTED, path, "", "not yet");
}
