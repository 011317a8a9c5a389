// engines.c: the table of engines.
#include "objects/objects.h"

#include <stdio.h>
#include <string.h>

static const lm_engine* const engines[] = { &lm_engine_match, &lm_engine_act, &lm_engine_design, &lm_engine_track };

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

void* lm_engine_settings(const lm_engine* engine, const lm_scene_object* object)
{
	void* settings;
	memcpy(&settings, (const char*)object + engine->settings, sizeof settings);
	return settings;
}

void lm_engine_set_settings(const lm_engine* engine, lm_scene_object* object, void* settings)
{
	memcpy((char*)object + engine->settings, &settings, sizeof settings);
}

lm_status lm_object_place_error(const lm_object* object, lm_status status, lm_error* error)
{
	if (status == LM_BAD_INPUT && error != NULL && error->where[0] == 0)
		snprintf(error->where, sizeof error->where, "objects[%d]", (int)(object->description - object->scene->objects));
	return status;
}
