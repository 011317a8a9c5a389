// The table of engines.
#include "objects/engine.h"

#include "base/error.h"

#include <string.h>

static const lm_engine* const engines[] = { &lm_engine_match, &lm_engine_act, &lm_engine_track, &lm_engine_design };

int32_t lm_engine_count(void)
{
	return (int32_t)(sizeof engines / sizeof engines[0]);
}

const lm_engine* lm_engine_at(int32_t i)
{
	return engines[i];
}

const lm_engine* lm_engine_find(const char* name)
{
	for (int32_t i = 0; i < lm_engine_count(); ++i)
		if (strcmp(engines[i]->name, name) == 0)
			return engines[i];
	return NULL;
}

bool lm_engine_takes_example(const lm_scene_object* object, int32_t k, const lm_mesh* example, lm_error* error)
{
	return example->vertex_count == object->mesh->vertex_count ||
	       lm_fail(error, LM_BAD_INPUT, "object \"%s\": example %d has %d vertices, the mesh has %d", object->name, k,
	               example->vertex_count, object->mesh->vertex_count) == LM_OK;
}
