// take_scene.c: a take written as a scene: what its commands did becomes entries of the scene's timeline.
//
// Pins and drags are looked up at the end of a step, so those that begin or end with a frame do so half a step after
// it. Behaviours and settings are looked up at the beginning of a step, strengths of examples at its end.
#include "act/pilot/behaviours.h"
#include "base/error.h"
#include "format/syntax.h"
#include "format/write.h"
#include "math/vec.h"
#include "objects/live.h"
#include "objects/objects.h"
#include "objects/settings.h"
#include "world/take.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct writer
{
	const lm_world* world;
	lm_take_deeds* deeds;
	json_t* objects; // of the document
	double thin;     // metres
} writer;

// ---- JSON ----

// The member of an object; one is made where there is none.
static json_t* member(json_t* object, const char* key, bool list)
{
	json_t* found = json_object_get(object, key);
	if (found != NULL)
		return found;
	json_object_set_new(object, key, list ? json_array() : json_object());
	return json_object_get(object, key);
}

static json_t* numbers(const double* x, size_t count)
{
	json_t* list = json_array();
	for (size_t i = 0; i < count; ++i)
		json_array_append_new(list, json_real(x[i]));
	return list;
}

static json_t* vertices_of(const int32_t* vertices, int32_t count)
{
	json_t* list = json_array();
	for (int32_t i = 0; i < count; ++i)
		json_array_append_new(list, json_integer(vertices[i]));
	return list;
}

static json_t* rows(const double* x, int32_t count, size_t width)
{
	json_t* list = json_array();
	for (int32_t i = 0; i < count; ++i)
		json_array_append_new(list, numbers(x + (size_t)i * width, width));
	return list;
}

// A key [time, value...] of the kind that the value has.
static json_t* key_row(const lm_key* key, double time, const double* value, size_t width)
{
	json_t* row = json_array();
	json_array_append_new(row, json_real(time));
	for (size_t k = 0; k < width; ++k)
	{
		double x = isinf(value[k]) ? copysign(lm_key_high(key), value[k]) : value[k]; // never, in numbers
		json_array_append_new(row, key->kind == LM_KEY_FLAG      ? json_boolean(x != 0)
		                           : key->kind == LM_KEY_INTEGER ? json_integer((json_int_t)x)
		                                                         : json_real(x));
	}
	return row;
}

static json_t* keys_of(const lm_key* key, const lm_keyed* keys)
{
	size_t width = (size_t)lm_key_width(key);
	json_t* list = json_array();
	for (int32_t i = 0; i < keys->count; ++i)
		json_array_append_new(list, key_row(key, keys->times[i], keys->values + (size_t)i * width, width));
	return list;
}

static const lm_scene_object* description_of(const writer* w, int32_t object)
{
	return &w->world->scene->objects[object];
}

static double time_of(const writer* w, int64_t frame)
{
	return (double)frame / w->world->scene->fps;
}

// When something that a frame begins or ends with does so for what is looked up at the end of steps.
static double moment_of(const writer* w, int32_t object, int64_t frame)
{
	return time_of(w, frame) + 0.5 * lm_step_length(w->world->scene->fps, w->world->objects[object].usual_substeps);
}

// ---- pins, drags and pushes ----

static bool is_near(const writer* w, const lm_take_hold* hold, size_t from, size_t at, size_t to)
{
	double t = (double)(at - from) / (double)(to - from);
	lm_vec3 a = lm_v3_at(hold->places, (int64_t)from), b = lm_v3_at(hold->places, (int64_t)to);
	lm_vec3 line = lm_add_scaled(a, t, lm_sub(b, a));
	return lm_distance(line, lm_v3_at(hold->places, (int64_t)at)) <= w->thin;
}

// Whether the places between two can be left out: because nothing moves, or all of them are near a straight line.
static bool is_straight(const writer* w, const lm_take_hold* hold, size_t from, size_t to)
{
	bool still = true, near = w->thin > 0;
	for (size_t i = from + 1; i <= to && (still || near); ++i)
	{
		still &= memcmp(hold->places + 3 * i, hold->places + 3 * from, 3 * sizeof *hold->places) == 0;
		near = near && is_near(w, hold, from, i, to);
	}
	return still || near;
}

static json_t* path_of(const writer* w, const lm_take_hold* hold)
{
	static const lm_key place = { .kind = LM_KEY_VECTOR, .width = 3 };
	if (is_straight(w, hold, 0, hold->key_count - 1) &&
	    memcmp(hold->places, hold->places + 3 * (hold->key_count - 1), 3 * sizeof *hold->places) == 0)
		return numbers(hold->places, 3);
	json_t* list = json_array();
	for (size_t i = 0; i < hold->key_count;)
	{
		json_array_append_new(list, key_row(&place, time_of(w, hold->first + (int64_t)i), hold->places + 3 * i, 3));
		size_t next = i + 1;
		while (next + 1 < hold->key_count && is_straight(w, hold, i, next + 1))
			++next;
		i = next;
	}
	return list;
}

static void write_hold(const writer* w, const lm_take_hold* hold)
{
	if (hold->last == hold->first) // it was never played
		return;
	json_t* entry = json_object();
	json_object_set_new(entry, "vertices", vertices_of(hold->vertices, hold->count));
	if (!hold->pinned)
	{
		json_object_set_new(entry, "weights", numbers(hold->weights, (size_t)hold->count));
		json_object_set_new(entry, "strength", json_real(hold->stiffness));
	}
	json_object_set_new(entry, "offsets", rows(hold->offsets, hold->count, 3));
	json_object_set_new(entry, "target", path_of(w, hold));
	json_object_set_new(entry, "start", json_real(moment_of(w, hold->object, hold->first)));
	if (hold->last >= 0)
		json_object_set_new(entry, "end", json_real(moment_of(w, hold->object, hold->last)));
	json_t* object = json_array_get(w->objects, (size_t)hold->object);
	json_array_append_new(member(object, hold->pinned ? "pins" : "drags", true), entry);
}

static void write_push(const writer* w, const lm_take_push* push)
{
	json_t* entry = json_object();
	json_object_set_new(entry, "vertices", vertices_of(push->vertices, push->count));
	json_object_set_new(entry, "time", json_real(time_of(w, push->frame)));
	json_object_set_new(entry, "impulse", numbers(push->impulse, 3));
	json_array_append_new(member(json_array_get(w->objects, (size_t)push->object), "pushes", true), entry);
}

// ---- behaviours ----

static void write_behaviour(const writer* w, const lm_take_behaviour* behaviour)
{
	const lm_act_command* act = &behaviour->command;
	json_t* entry = json_object();
	if (behaviour->last == behaviour->first)
		return;
	json_object_set_new(entry, "do", json_string(lm_act_behaviour_names[act->behaviour]));
	json_object_set_new(entry, "start", json_real(time_of(w, behaviour->first)));
	if (behaviour->last >= 0)
		json_object_set_new(entry, "end", json_real(time_of(w, behaviour->last)));
	if (!act->has_place && lm_act_behaviour_knows(act->behaviour, "velocity"))
		json_object_set_new(entry, "velocity", numbers(act->velocity, 3));
	for (int32_t i = 0; i < lm_table_count(&lm_act_command_table); ++i)
	{
		lm_key key = lm_table_key(&lm_act_command_table, i);
		const double* at = (const double*)((const char*)act + key.offset);
		bool with_place = strcmp(key.name, "to") == 0 || strcmp(key.name, "speed") == 0 || strcmp(key.name, "up") == 0;
		if (!lm_act_behaviour_knows(act->behaviour, key.name) || (with_place && !act->has_place))
			continue;
		json_object_set_new(entry, key.name, key.kind == LM_KEY_VECTOR ? numbers(at, 3) : json_real(*at));
	}
	json_t* engine = member(json_array_get(w->objects, (size_t)behaviour->object), "act", false);
	json_array_append_new(member(engine, "commands", true), entry);
}

// ---- settings and strengths ----

static bool is_same(const lm_take_change* a, const lm_take_change* b)
{
	return a->object == b->object && a->strength == b->strength && a->number == b->number;
}

// An example in full: the name of its file alone stands for {"mesh": name}.
static json_t* example_of(json_t* engine, int32_t example)
{
	json_t *list = json_object_get(engine, "examples"), *item = json_array_get(list, (size_t)example);
	if (!json_is_string(item))
		return item;
	json_array_set_new(list, (size_t)example, json_pack("{s:O}", "mesh", item));
	return json_array_get(list, (size_t)example);
}

static bool write_change(const writer* w, const lm_take_change* first, const lm_take_change* changes, size_t count)
{
	const lm_object* object = w->world->objects[first->object].object;
	json_t* engine = member(json_array_get(w->objects, (size_t)first->object), object->engine->name, false);
	lm_key key = { .name = "strength", .kind = LM_KEY_NUMBER };
	lm_take_original original = { .width = 1 };
	if (first->strength)
		original.keys = &object->description->match->examples[first->number].strength;
	else
	{
		key = lm_table_key(object->engine->live_table, first->number);
		original.width = lm_key_width(&key);
		original.held = key.kind == LM_KEY_INTEGER || key.kind == LM_KEY_FLAG;
		original.keys = lm_settings_keys(object, key.name);
		lm_key_get(&key, object->live->settings + key.offset, original.constant);
	}
	lm_take_steps steps = { w->world->scene->fps, w->world->objects[first->object].usual_substeps, first->strength };
	lm_keyed keys;
	if (!lm_take_make_keys(&original, &steps, changes, count, &w->deeds->memory, &keys))
		return false;
	json_t* place = first->strength ? example_of(engine, first->number) : engine;
	json_object_set_new(place, key.name, keys_of(&key, &keys));
	return true;
}

// All changes of each value together.
static bool write_changes(const writer* w)
{
	const lm_take_change* changes = w->deeds->changes;
	lm_take_change* own = LM_TAKE(&w->deeds->memory, w->deeds->change_count, lm_take_change);
	bool good = own != NULL;
	for (size_t i = 0; good && i < w->deeds->change_count; ++i)
	{
		bool done = false;
		for (size_t k = 0; k < i && !done; ++k)
			done = is_same(&changes[i], &changes[k]);
		size_t count = 0;
		for (size_t k = i; !done && k < w->deeds->change_count; ++k)
			if (is_same(&changes[i], &changes[k]))
				own[count++] = changes[k];
		good = done || write_change(w, &changes[i], own, count);
	}
	return good;
}

// ---- keys of `design` ----

static json_t* handle_of(const lm_scene_handle* handle)
{
	json_t* entry = json_object();
	if (handle->group[0] != 0)
		json_object_set_new(entry, "group", json_string(handle->group));
	else
		json_object_set_new(entry, "vertices", vertices_of(handle->vertices, handle->count));
	if (handle->has_to)
		json_object_set_new(entry, "to", numbers(handle->to, 3));
	else if (handle->by[0] != 0 || handle->by[1] != 0 || handle->by[2] != 0)
		json_object_set_new(entry, "by", numbers(handle->by, 3));
	const double* q = handle->rotation;
	if (q[1] != 0 || q[2] != 0 || q[3] != 0)
		json_object_set_new(entry, "rotation", numbers(q, 4));
	json_object_set_new(entry, "weight", json_real(handle->weight));
	return entry;
}

// before: as the document has it, or NULL. Handles are written anew, which says the same.
static json_t* key_of(const lm_scene_design_key* key, const json_t* before)
{
	json_t* entry = before != NULL ? json_deep_copy(before) : json_object();
	if (before == NULL)
	{
		json_object_set_new(entry, "time", json_real(key->time));
		json_object_set_new(entry, "position", numbers(key->position, 3));
		json_object_set_new(entry, "rotation", numbers(key->rotation, 4));
		if (key->via)
			json_object_set_new(entry, "via", json_true());
	}
	else if (json_number_value(json_object_get(entry, "time")) != key->time) // moved
	{
		json_object_set_new(entry, "time", json_real(key->time));
		if (json_object_get(entry, "until") != NULL)
			json_object_set_new(entry, "until", json_real(key->end));
	}
	json_t* handles = json_array();
	for (int32_t i = 0; i < key->handle_count; ++i)
		json_array_append_new(handles, handle_of(&key->handles[i]));
	if (key->handle_count > 0)
		json_object_set(entry, "handles", handles);
	else
		json_object_del(entry, "handles");
	json_decref(handles);
	return entry;
}

static void write_plans(const writer* w)
{
	for (int32_t o = 0; o < w->world->object_count; ++o)
	{
		int32_t count;
		const int32_t* origins;
		const lm_scene_design_key* keys = description_of(w, o)->design != NULL
		                                      ? lm_object_design_keys(w->world->objects[o].object, &count, &origins)
		                                      : NULL;
		if (keys == NULL)
			continue;
		json_t* engine = member(json_array_get(w->objects, (size_t)o), "design", false);
		json_t *before = json_object_get(engine, "keys"), *list = json_array();
		for (int32_t k = 0; k < count; ++k)
			json_array_append_new(
				list, key_of(&keys[k], origins[k] >= 0 ? json_array_get(before, (size_t)origins[k]) : NULL));
		json_object_set_new(engine, "keys", list);
	}
}

static void warn_of_plans(const writer* w)
{
	if (w->deeds->planned > 0)
		lm_log(&w->world->host, LM_LOG_WARNING,
		       "the motion of design was changed at frame %" PRId64
		       " of the take; the scene has it so from the beginning, and moves like the take from there on at most",
		       w->deeds->planned);
}

static bool is_planned(const lm_world* world)
{
	bool planned = false;
	for (int32_t o = 0; o < world->object_count; ++o)
		planned |= world->objects[o].object->engine->plan != NULL;
	return planned;
}

// ---- all of it ----

static lm_status check_document(const writer* w, lm_error* error)
{
	if (json_array_size(w->objects) == (size_t)w->world->object_count)
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT, "the document is not that of the scene: it has %zu objects, not %d",
	               json_array_size(w->objects), w->world->object_count);
}

lm_status lm_world_keys_scene(const lm_world* world, const char* document, size_t size, char** text, lm_error* error)
{
	json_t* json = lm_json_parse(world->scene->path, document, size, error);
	if (json == NULL)
		return error != NULL ? error->status : LM_BAD_INPUT;
	const writer w = { .world = world, .objects = json_object_get(json, "objects") };
	lm_status status = check_document(&w, error);
	if (status == LM_OK)
	{
		write_plans(&w);
		*text = lm_json_write(json, &world->host);
		status = *text != NULL ? LM_OK : lm_fail_memory(error);
	}
	json_decref(json);
	return status;
}

static lm_status write_deeds(const lm_world* world, lm_take_deeds* deeds, json_t* document, double thin, char** text,
                             lm_error* error)
{
	writer w = { world, deeds, json_object_get(document, "objects"), thin };
	lm_status status = check_document(&w, error);
	if (status != LM_OK)
		return status;
	for (size_t i = 0; i < deeds->hold_count; ++i)
		write_hold(&w, &deeds->holds[i]);
	for (size_t i = 0; i < deeds->push_count; ++i)
		write_push(&w, &deeds->pushes[i]);
	for (size_t i = 0; i < deeds->behaviour_count; ++i)
		write_behaviour(&w, &deeds->behaviours[i]);
	if (!write_changes(&w))
		return lm_fail_memory(error);
	write_plans(&w);
	warn_of_plans(&w);
	if (deeds->frames > 0 && !is_planned(world)) // a motion is planned for all of the time
		json_object_set_new(document, "seconds", json_real(time_of(&w, deeds->frames)));
	*text = lm_json_write(document, &world->host);
	return *text != NULL ? LM_OK : lm_fail_memory(error);
}

lm_status lm_take_scene(const lm_take* take, lm_world* world, const char* document, size_t size, double thin,
                        char** text, lm_error* error)
{
	json_t* json = lm_json_parse(world->scene->path, document, size, error);
	if (json == NULL)
		return error != NULL ? error->status : LM_BAD_INPUT;
	lm_take_deeds deeds;
	lm_status status = lm_take_perform(take, world, &deeds, error);
	if (status == LM_OK)
		status = write_deeds(world, &deeds, json, thin, text, error);
	lm_arena_release(&deeds.memory);
	json_decref(json);
	return status;
}
