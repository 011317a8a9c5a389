#include "objects/fields.h"

#include "base/error.h"

lm_status lm_fields_create(lm_object* object, lm_error* error)
{
	if (object->scene->field_count == 0 || object->engine->set_velocities == NULL)
		return LM_OK;
	for (int32_t i = 0; i < object->scene->field_count; ++i)
	{
		lm_status status = lm_field_check(&object->scene->fields[i].def, error);
		if (status != LM_OK)
			return status;
	}
	size_t numbers = 3 * (size_t)object->engine->facts(object).point_count;
	object->field_room = LM_TAKE(&object->memory, 2 * numbers, double);
	return object->field_room != NULL ? LM_OK : lm_fail_memory(error);
}

static void take_key(const lm_keyed* keyed, int32_t width, double time, double* value)
{
	if (keyed->count > 0)
		lm_keyed_at(keyed, width, time, value);
}

lm_status lm_fields_play(lm_object* object, lm_error* error)
{
	const lm_scene* scene = object->scene;
	if (object->field_room == NULL)
		return LM_OK;
	int32_t count = object->engine->facts(object).point_count;
	double *positions = object->field_room, *velocities = object->field_room + 3 * (size_t)count;
	object->engine->points(object, positions);
	object->engine->velocities(object, velocities);
	for (int32_t i = 0; i < scene->field_count; ++i)
	{
		const lm_scene_field* from = &scene->fields[i];
		lm_field field = from->def;
		take_key(&from->position, 3, object->time, field.position);
		take_key(&from->velocity, 3, object->time, field.velocity);
		take_key(&from->strength, 1, object->time, &field.strength);
		lm_field_act(&field, object->time, object->h, positions, count, velocities);
	}
	return object->engine->set_velocities(object, velocities, error);
}
