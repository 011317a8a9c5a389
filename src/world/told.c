// told.c: what commands have told the objects of a world, to be shown.
#include "act/pilot/behaviours.h"
#include "objects/live.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static int32_t read_value(const lm_key* key, const char* settings, double value[4])
{
	const void* at = settings + key->offset;
	switch (key->kind)
	{
		case LM_KEY_NUMBER: value[0] = *(const double*)at; return 1;
		case LM_KEY_INTEGER: value[0] = *(const int32_t*)at; return 1;
		case LM_KEY_FLAG: value[0] = *(const bool*)at; return 1;
		case LM_KEY_CHOICE: value[0] = *(const int*)at; return 1;
		case LM_KEY_VECTOR: memcpy(value, at, sizeof(double) * (size_t)key->width); return key->width;
		default: return 0;
	}
}

int32_t lm_world_setting(const lm_world* world, int32_t i, const char* key, double value[4])
{
	if (i < 0 || i >= world->object_count)
		return 0;
	const lm_object* object = world->objects[i].object;
	const lm_table* table = object->engine->live_table;
	int32_t number = table != NULL ? lm_table_find(table, key) : -1;
	_Alignas(16) char settings[1024];
	if (number < 0 || table->size > sizeof settings)
		return 0;
	lm_key found = lm_table_key(table, number);
	object->engine->get_settings(object, settings);
	return read_value(&found, settings, value);
}

double lm_world_example(const lm_world* world, int32_t i, int32_t example)
{
	bool known =
		i >= 0 && i < world->object_count && example >= 0 && example < world->objects[i].object->live->example_count;
	return known ? world->objects[i].object->live->strengths[example] : NAN;
}

const char* lm_world_behaviour(const lm_world* world, int32_t i)
{
	if (i < 0 || i >= world->object_count || !world->objects[i].object->live->commanded)
		return NULL;
	return lm_act_behaviour_names[world->objects[i].object->live->command.behaviour];
}
