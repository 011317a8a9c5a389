// settings.c: see settings.h.
#include "objects/settings.h"

#include "base/error.h"
#include "format/suggest.h"
#include "objects/live.h"

#include <math.h>
#include <string.h>

static const char* name_of(const lm_object* object)
{
	return object->description->name;
}

// ---- as the scene says ----

static const lm_keyed_settings* keyed_of(const lm_object* object)
{
	return (const lm_keyed_settings*)((const char*)lm_engine_settings(object->engine, object->description) +
	                                  object->engine->keyed);
}

const lm_keyed* lm_settings_keys(const lm_object* object, const char* key)
{
	const lm_keyed_settings* keyed = keyed_of(object);
	for (int32_t i = 0; i < keyed->count; ++i)
		if (strcmp(keyed->items[i].key, key) == 0)
			return &keyed->items[i].keys;
	return NULL;
}

void lm_settings_at(const lm_key* key, const lm_keyed* keys, double time, double* value)
{
	if (key->kind == LM_KEY_NUMBER || key->kind == LM_KEY_VECTOR)
		lm_keyed_at(keys, lm_key_width(key), time, value);
	else
		lm_keyed_held(keys, 1, time, value);
}

lm_status lm_settings_play(lm_object* object, lm_error* error)
{
	const lm_engine* engine = object->engine;
	const lm_keyed_settings* keyed = keyed_of(object);
	if (keyed->count == 0)
		return LM_OK;
	_Alignas(16) char now[LM_SETTINGS_MOST], next[LM_SETTINGS_MOST];
	size_t size = engine->live_table->size;
	engine->get_settings(object, now);
	memcpy(next, now, size);
	for (int32_t i = 0; i < keyed->count; ++i)
	{
		int32_t number = lm_table_find(engine->live_table, keyed->items[i].key);
		lm_key key = lm_table_key(engine->live_table, number);
		double value[4];
		if (object->live->told_settings >> number & 1)
			continue;
		lm_settings_at(&key, &keyed->items[i].keys, object->time, value);
		lm_key_put(&key, value, next + key.offset);
	}
	return memcmp(now, next, size) != 0 ? engine->set_settings(object, next, error) : LM_OK;
}

// ---- as commands do ----

int32_t lm_settings_find(const lm_object* object, const char* key, lm_error* error)
{
	const lm_engine* engine = object->engine;
	if (engine->live_table == NULL)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": settings of %s cannot change while the scene runs",
		               name_of(object), engine->name),
		       -1;
	int32_t number = lm_table_find(engine->live_table, key);
	if (number >= 0 && !(lm_table_key(engine->live_table, number).flags & LM_KEY_FIXED))
		return number;
	char hint[100];
	lm_suggestion suggestion = lm_suggest(key);
	for (int32_t i = 0; i < lm_table_count(engine->live_table); ++i)
		lm_suggest_try(&suggestion, lm_table_key(engine->live_table, i).name);
	lm_suggest_text(&suggestion, hint, sizeof hint);
	if (lm_table_find(engine->table, key) >= 0)
		lm_fail(error, LM_BAD_INPUT,
		        "object \"%.60s\": \"%s\" cannot change while the scene runs; write it to the scene, and start again",
		        name_of(object), key);
	else
		lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": %s has no setting \"%s\"%s", name_of(object), engine->name, key,
		        hint);
	return -1;
}

static lm_status put(lm_object* object, const lm_key* key, const double* value, lm_error* error)
{
	const lm_engine* engine = object->engine;
	_Alignas(16) char settings[LM_SETTINGS_MOST];
	engine->get_settings(object, settings);
	if (!lm_key_put(key, value, settings + key->offset))
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": %s is %g, must be a whole number", name_of(object),
		               key->name, value[0]);
	lm_error found;
	lm_status status = lm_table_check(engine->live_table, settings, &found);
	if (status == LM_OK)
		status = engine->set_settings(object, settings, &found);
	return status == LM_OK ? LM_OK : lm_fail(error, status, "object \"%.60s\": %s", name_of(object), found.message);
}

lm_status lm_settings_tell(lm_object* object, int32_t number, const double* value, lm_error* error)
{
	lm_key key = lm_table_key(object->engine->live_table, number);
	for (int32_t k = 0; k < lm_key_width(&key); ++k)
		if (!isfinite(value[k]))
			return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": %s is not a number", name_of(object), key.name);
	lm_status status = put(object, &key, value, error);
	if (status == LM_OK)
		object->live->told_settings |= (uint64_t)1 << number;
	return status;
}

lm_status lm_settings_free(lm_object* object, int32_t number, lm_error* error)
{
	lm_key key = lm_table_key(object->engine->live_table, number);
	double value[4];
	lm_key_get(&key, object->live->settings + key.offset, value);
	lm_status status = put(object, &key, value, error); // where it has keys, the next step sets it by them
	if (status == LM_OK)
		object->live->told_settings &= ~((uint64_t)1 << number);
	return status;
}
