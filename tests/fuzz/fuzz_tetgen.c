#define _GNU_SOURCE // memfd_create
#include "fuzz.h"

// Both files in one: the part in front of the first $ is the .node file, the rest the .ele file.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	const uint8_t* cut = size > 0 ? memchr(data, '$', size) : NULL;
	size_t first = cut != NULL ? (size_t)(cut - data) : size, second = cut != NULL ? size - first - 1 : 0;
	char* nodes = fuzz_text(data, first);
	char* elements = fuzz_text(data + size - second, second);
	lm_tetgen_file node_file = { "node", nodes, first }, element_file = { "ele", elements, second };
	lm_host host = fuzz_host();
	lm_mesh* mesh = NULL;
	lm_error error = { 0 };
	lm_status status = lm_tetgen_parse(&host, &node_file, cut != NULL ? &element_file : NULL, &mesh, &error);
	free(nodes);
	free(elements);
	fuzz_judge(status, mesh, &error);
	return 0;
}
