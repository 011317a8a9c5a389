// describe.c: a world as JSON, for whoever shows it: limber/view.h lists the keys. Settings, their ranges and help come
// from the same tables that read scenes.
#include "act/pilot/behaviours.h"
#include "base/alloc.h"
#include "format/document.h"
#include "limber/view.h"
#include "objects/live.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- values ----

// A number that is not finite has no place in JSON.
static json_t* number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t* vector(const double v[3])
{
	return json_pack("[o,o,o]", number(v[0]), number(v[1]), number(v[2]));
}

static json_t* color(const float c[3])
{
	return vector((double[3]){ c[0], c[1], c[2] });
}

static json_t* or_null(json_t* value)
{
	return value != NULL ? value : json_null();
}

static json_t* text_or_null(const char* text)
{
	return text != NULL ? json_string(text) : json_null();
}

static json_t* texts(const char* const* items, int32_t count)
{
	json_t* list = json_array();
	for (int32_t i = 0; i < count; ++i)
		json_array_append_new(list, json_string(items[i]));
	return list;
}

static json_t* choices_of(const lm_key* key)
{
	json_t* list = json_array();
	for (int32_t i = 0; key->choices != NULL && key->choices[i] != NULL; ++i)
		json_array_append_new(list, json_string(key->choices[i]));
	return list;
}

// ---- settings ----

static const char* kind_name(const lm_key* key)
{
	switch (key->kind)
	{
		case LM_KEY_NUMBER: return "number";
		case LM_KEY_INTEGER: return "integer";
		case LM_KEY_FLAG: return "flag";
		case LM_KEY_CHOICE: return "choice";
		case LM_KEY_VECTOR: return "vector";
		case LM_KEY_INTEGERS: return "integers";
		case LM_KEY_COLOR: return "color";
		case LM_KEY_ROTATION: return "rotation";
		case LM_KEY_KEYED: return key->width == 1 ? "number" : "vector";
		case LM_KEY_TEXT:
		case LM_KEY_FILE: return key->choices != NULL ? "choice" : "text";
		default: return "other";
	}
}

static json_t* keyed_value(const lm_keyed* keyed, int32_t width, double time)
{
	double values[4] = { 0 };
	if (keyed->count == 0 || width > 4)
		return json_null();
	lm_keyed_at(keyed, width, time, values);
	if (width == 1)
		return number(values[0]);
	json_t* list = json_array();
	for (int32_t k = 0; k < width; ++k)
		json_array_append_new(list, number(values[k]));
	return list;
}

static json_t* value_of(const lm_key* key, const void* item, double time)
{
	const char* at = (const char*)item + key->offset;
	if (key->kind == LM_KEY_KEYED)
		return keyed_value((const lm_keyed*)at, key->width, time);
	if (key->kind == LM_KEY_TEXT || key->kind == LM_KEY_FILE)
		return text_or_null(*(const char* const*)at);
	return or_null(lm_key_value(key, item));
}

// What is the same wherever the key is: all but name, path, values and whether it is live.
static json_t* describe_key(const lm_key* key)
{
	json_t* json = json_object();
	bool ranged = key->kind == LM_KEY_NUMBER || key->kind == LM_KEY_INTEGER || key->kind == LM_KEY_VECTOR ||
	              key->kind == LM_KEY_INTEGERS || key->kind == LM_KEY_KEYED;
	json_object_set_new(json, "key", json_string(key->name));
	json_object_set_new(json, "kind", json_string(kind_name(key)));
	if (ranged)
	{
		json_object_set_new(json, "low", number(lm_key_low(key)));
		json_object_set_new(json, "high", number(lm_key_high(key)));
		json_object_set_new(json, "above", json_boolean(key->flags & LM_KEY_ABOVE));
	}
	json_object_set_new(json, "unit", json_string(key->unit != NULL ? key->unit : ""));
	json_object_set_new(json, "help", json_string(key->help != NULL ? key->help : ""));
	json_object_set_new(json, "usual", text_or_null(key->usual));
	json_object_set_new(json, "choices", choices_of(key));
	return json;
}

// A table, and where its item is.
typedef struct place
{
	const lm_table* table;
	const void* item;     // as the scene has it
	const char* prefix;   // of the keys' names, "" or "lattice."
	json_t* path;         // of the item in the document
	const lm_object* own; // whose live settings count, or NULL
	double time;
} place;

// The value of a live setting, now; NULL when it is none.
static json_t* live_value(const lm_object* object, const lm_key* key)
{
	const lm_engine* engine = object->engine;
	int32_t found = engine->live_table != NULL ? lm_table_find(engine->live_table, key->name) : -1;
	if (found < 0 || key->flags & LM_KEY_FIXED)
		return NULL;
	_Alignas(16) char settings[1024];
	lm_key live = lm_table_key(engine->live_table, found);
	engine->get_settings(object, settings);
	return or_null(lm_key_value(&live, settings));
}

// Whether the scene gives it over time.
static bool is_keyed(const place* at, const lm_key* key)
{
	if (key->kind == LM_KEY_KEYED)
		return ((const lm_keyed*)(const void*)((const char*)at->item + key->offset))->count > 1;
	if (at->own == NULL || at->own->engine->live_table == NULL)
		return false;
	const lm_keyed_settings* keyed = (const void*)((const char*)at->item + at->own->engine->keyed);
	for (int32_t i = 0; i < keyed->count; ++i)
		if (strcmp(keyed->items[i].key, key->name) == 0)
			return true;
	return false;
}

static void put_setting(json_t* list, const place* at, const lm_key* key, const void* defaults)
{
	char name[128];
	snprintf(name, sizeof name, "%s%s", at->prefix, key->name);
	json_t *json = describe_key(key), *path = json_deep_copy(at->path);
	json_t* live = at->own != NULL ? live_value(at->own, key) : NULL;
	json_array_append_new(path, json_string(key->name));
	json_object_set_new(json, "key", json_string(name));
	json_object_set_new(json, "path", path);
	json_object_set_new(json, "live", json_boolean(live != NULL));
	json_object_set_new(json, "keyed", json_boolean(is_keyed(at, key)));
	json_object_set_new(json, "value", live != NULL ? live : value_of(key, at->item, at->time));
	json_object_set_new(json, "default", or_null(lm_key_default(key, defaults)));
	json_array_append_new(list, json);
}

static void put_settings(json_t* list, const place* at);

// Whether a lattice was made for it.
static bool is_wrapped(const lm_scene_object* object)
{
	bool wrapped = object->surface != NULL && object->surface_file[0] == 0 && object->repair == NULL;
	return LM_GIVEN(lm_object_table, object, lattice) || wrapped;
}

static void put_table(json_t* list, const place* at, const lm_key* key)
{
	bool off = key->flags & LM_KEY_OR_FALSE && *(const bool*)((const char*)at->item + key->off);
	char prefix[64];
	snprintf(prefix, sizeof prefix, "%s.", key->name);
	if (key->table == &lm_lattice_table && !is_wrapped(at->item))
		return;
	place inside = {
		key->table, (const char*)at->item + key->offset, prefix, json_deep_copy(at->path), NULL, at->time
	};
	json_array_append_new(inside.path, json_string(key->name));
	if (!off)
		put_settings(list, &inside);
	json_decref(inside.path);
}

static bool is_plain(const lm_key* key)
{
	return strcmp(kind_name(key), "other") != 0;
}

// Colliders have what their shape needs.
static bool concerns(const lm_key* key, const lm_scene_collider* collider)
{
	lm_shape shape = collider->def.shape;
	if (key->offset == offsetof(lm_scene_collider, def.radius))
		return shape == LM_SHAPE_SPHERE || shape == LM_SHAPE_CAPSULE;
	if (key->offset == offsetof(lm_scene_collider, def.half))
		return shape == LM_SHAPE_BOX;
	if (key->offset == offsetof(lm_scene_collider, def.half_length))
		return shape == LM_SHAPE_CAPSULE;
	if (key->offset == offsetof(lm_scene_collider, mesh_file) || key->offset == offsetof(lm_scene_collider, scale) ||
	    key->offset == offsetof(lm_scene_collider, cache))
		return shape == LM_SHAPE_MESH;
	return true;
}

// Every key; those of tables within as "lattice.vertices". Of objects and colliders themselves plain ones only: their
// lists are described elsewhere.
static void put_settings(json_t* list, const place* at)
{
	_Alignas(16) char defaults[2048];
	bool engine = at->own != NULL;
	if (at->table->size > sizeof defaults)
		return;
	lm_table_defaults(at->table, defaults);
	for (int32_t i = 0; i < lm_table_count(at->table); ++i)
	{
		lm_key key = lm_table_key(at->table, i);
		if (at->table == &lm_collider_table && !concerns(&key, at->item))
			continue;
		if (key.kind == LM_KEY_TABLE)
			put_table(list, at, &key);
		else if (engine || is_plain(&key))
			put_setting(list, at, &key, defaults);
	}
}

// ---- objects ----

const char* lm_world_stem(const char* file, int32_t k, char fallback[32], size_t* length)
{
	const char* slash = strrchr(file, '/');
	const char* name = slash != NULL ? slash + 1 : file;
	const char* dot = strrchr(name, '.');
	*length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
	if (*length > 0)
		return name;
	*length = (size_t)snprintf(fallback, 32, "example %d", k + 1);
	return fallback;
}

static json_t* describe_examples(const lm_object* object, double time)
{
	json_t* list = json_array();
	lm_engine_example example;
	for (int32_t k = 0; object->engine->example != NULL && object->engine->example(object, k, time, &example); ++k)
	{
		bool told = k < object->live->example_count && !isnan(object->live->strengths[k]);
		json_t* json = json_object();
		char fallback[32];
		size_t length;
		const char* name = lm_world_stem(example.file, k, fallback, &length);
		json_object_set_new(json, "name", or_null(json_stringn(name, length)));
		json_object_set_new(json, "strength", told ? number(object->live->strengths[k]) : json_null());
		json_object_set_new(json, "timeline", number(example.strength));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t* describe_behaviours(const lm_object* object)
{
	json_t* list = json_array();
	for (int b = 0; object->engine->check_command != NULL && lm_act_behaviour_names[b] != NULL; ++b)
	{
		lm_act_command command = lm_act_command_default((lm_act_behaviour)b);
		if (object->engine->check_command(object, &command, NULL) == LM_OK)
			json_array_append_new(list, json_string(lm_act_behaviour_names[b]));
	}
	return list;
}

static json_t* describe_groups(const lm_scene_object* description)
{
	json_t* list = json_array();
	for (int32_t g = 0; g < description->mesh->group_count; ++g)
	{
		const lm_group* group = &description->mesh->groups[g];
		json_array_append_new(list, json_pack("{s:s,s:i,s:b}", "name", group->name, "count", group->count, "painted",
		                                      group->weights != NULL));
	}
	return list;
}

static json_t* describe_settings(const lm_world* world, int32_t i)
{
	const lm_object* object = world->objects[i].object;
	const lm_scene_object* description = object->description;
	json_t *list = json_array(), *path = json_pack("[s,i]", "objects", i), *inner = json_deep_copy(path);
	double time = lm_world_time(world);
	json_array_append_new(inner, json_string(object->engine->name));
	put_settings(list, &(place){ object->engine->table, lm_engine_settings(object->engine, description), "", inner,
	                             object, time });
	put_settings(list, &(place){ &lm_object_table, description, "", path, NULL, time });
	json_decref(path), json_decref(inner);
	return list;
}

static json_t* describe_object(const lm_world* world, int32_t i)
{
	const lm_world_object* own = &world->objects[i];
	const lm_object* object = own->object;
	const lm_engine* engine = object->engine;
	const lm_scene_object* description = object->description;
	const lm_scene_act* act = description->act;
	json_t *json = json_object(), *behaviours = describe_behaviours(object);
	lm_object_facts facts = engine->facts(object);
	json_object_set_new(json, "name", json_string(description->name));
	json_object_set_new(json, "engine", json_string(engine->name));
	json_object_set_new(json, "size", number(own->size));
	json_object_set_new(json, "mass", number(facts.mass));
	json_object_set_new(json, "points", json_integer(facts.point_count));
	json_object_set_new(json, "color", color(description->color));
	bool led = description->design != NULL && description->design->simulated_count == 0; // all the time
	json_object_set_new(json, "can",
	                    json_pack("{s:b,s:b,s:b,s:b,s:b}", "grab", engine->pin != NULL && !led, "pin",
	                              engine->pin != NULL && !led, "push", engine->push != NULL && !led, "command",
	                              json_array_size(behaviours) > 0, "example", facts.example_count > 0));
	json_object_set_new(json, "settings", describe_settings(world, i));
	json_object_set_new(json, "examples", describe_examples(object, lm_world_time(world)));
	json_object_set_new(json, "behaviours", behaviours);
	json_object_set_new(json, "groups", describe_groups(description));
	json_object_set_new(json, "feet", texts(act != NULL ? act->feet : NULL, act != NULL ? act->foot_count : 0));
	json_object_set_new(json, "trunk", json_string(act != NULL ? act->trunk : ""));
	return json;
}

// ---- the rest ----

static int32_t surface_of_collider(const lm_world* world, int32_t collider)
{
	for (int32_t i = 0; i < world->display_count; ++i)
		if (world->displays[i].collider == collider)
			return i;
	return -1;
}

static json_t* describe_collider(const lm_world* world, int32_t i)
{
	const lm_scene_collider* collider = &world->scene->colliders[i];
	json_t *json = json_object(), *path = json_pack("[s,i]", "colliders", i), *settings = json_array();
	lm_key shape = lm_table_key(&lm_collider_table, lm_table_find(&lm_collider_table, "shape"));
	put_settings(settings, &(place){ &lm_collider_table, collider, "", path, NULL, lm_world_time(world) });
	json_decref(path);
	json_object_set_new(json, "name", json_string(collider->name));
	json_object_set_new(json, "shape", or_null(lm_key_value(&shape, collider)));
	json_object_set_new(json, "color", color(collider->color));
	json_object_set_new(json, "visible", json_boolean(collider->visible));
	json_object_set_new(json, "surface", json_integer(surface_of_collider(world, i)));
	json_object_set_new(json, "settings", settings);
	return json;
}

static const lm_key velocity_key = {
	"velocity",    LM_KEY_VECTOR,
	.width = 3,    .low = -1000,
	.high = 1000,  LM_AT(lm_act_command, velocity),
	.unit = "m/s", .help = "Of its centre of mass; for `hop` and `jump` when it leaves the ground."
};

static void put_behaviour_key(json_t* list, const lm_act_command* usual, const lm_key* key)
{
	if (!lm_act_behaviour_knows(usual->behaviour, key->name))
		return;
	json_t* json = describe_key(key);
	bool absent = key->offset == offsetof(lm_act_command, place); // no place unless it is given
	json_object_set_new(json, "value", absent ? json_null() : or_null(lm_key_value(key, usual)));
	json_object_set_new(json, "default", json_incref(json_object_get(json, "value")));
	json_array_append_new(list, json);
}

static json_t* all_behaviours(void)
{
	json_t* list = json_array();
	for (int b = 0; lm_act_behaviour_names[b] != NULL; ++b)
	{
		json_t *json = json_object(), *keys = json_array();
		lm_act_command usual = lm_act_command_default((lm_act_behaviour)b);
		put_behaviour_key(keys, &usual, &velocity_key);
		for (int32_t i = 0; i < lm_table_count(&lm_act_command_table); ++i)
		{
			lm_key key = lm_table_key(&lm_act_command_table, i);
			put_behaviour_key(keys, &usual, &key);
		}
		json_object_set_new(json, "name", json_string(lm_act_behaviour_names[b]));
		json_object_set_new(json, "help", json_string(lm_act_behaviours[b].help));
		json_object_set_new(json, "keys", keys);
		json_array_append_new(list, json);
	}
	return list;
}

static json_t* describe_surface(const lm_world* world, int32_t i)
{
	const lm_world_display* display = &world->displays[i];
	json_t* json = json_object();
	json_object_set_new(json, "name", json_string(display->name));
	json_object_set_new(json, "engine", json_string(display->engine));
	json_object_set_new(json, "object", json_integer(display->collider < 0 ? i : -1));
	json_object_set_new(json, "collider", json_integer(display->collider));
	json_object_set_new(json, "color", color(display->color));
	json_object_set_new(json, "vertices", json_integer(display->mesh->vertex_count));
	json_object_set_new(json, "triangles", json_integer(display->mesh->triangle_count));
	json_object_set_new(json, "fixed", json_boolean(display->fixed));
	return json;
}

static json_t* describe_numbers(const lm_world* world)
{
	int32_t count = lm_world_number_count(world);
	lm_world_number* numbers = LM_NEW(&world->host, count, lm_world_number);
	if (numbers == NULL)
		return NULL;
	json_t* list = json_array();
	lm_world_numbers(world, numbers);
	for (int32_t k = 0; k < count; ++k)
		json_array_append_new(list, json_pack("{s:i,s:s,s:s,s:s}", "object", numbers[k].object, "name", numbers[k].name,
		                                      "unit", numbers[k].unit, "help", numbers[k].help));
	lm_free(&world->host, numbers);
	return list;
}

static json_t* describe_scene(const lm_world* world)
{
	const lm_scene* scene = world->scene;
	lm_camera camera = lm_world_camera(world);
	json_t *json = json_object(), *view = json_object();
	json_object_set_new(view, "eye", vector(camera.eye));
	json_object_set_new(view, "target", vector(camera.target));
	json_object_set_new(view, "fov", number(camera.fov));
	json_object_set_new(view, "automatic", json_boolean(scene->camera.automatic));
	json_object_set_new(json, "name", or_null(json_string(scene->name)));
	json_object_set_new(json, "file", or_null(json_string(scene->path)));
	json_object_set_new(json, "description", or_null(json_string(scene->description)));
	json_object_set_new(json, "fps", number(scene->fps));
	json_object_set_new(json, "seconds", number(scene->seconds));
	json_object_set_new(json, "gravity", vector(scene->gravity));
	json_object_set_new(json, "background", color(scene->background));
	json_object_set_new(json, "size", json_pack("[i,i]", scene->size[0], scene->size[1]));
	json_object_set_new(json, "up", json_string("y"));
	json_object_set_new(json, "camera", view);
	return json;
}

char* lm_world_describe(const lm_world* world)
{
	json_t *json = json_object(), *objects = json_array(), *colliders = json_array(), *surfaces = json_array();
	for (int32_t i = 0; i < world->object_count; ++i)
		json_array_append_new(objects, describe_object(world, i));
	for (int32_t i = 0; i < world->scene->collider_count; ++i)
		json_array_append_new(colliders, describe_collider(world, i));
	for (int32_t i = 0; i < world->display_count; ++i)
		json_array_append_new(surfaces, describe_surface(world, i));
	json_t* numbers = describe_numbers(world);
	json_object_set_new(json, "scene", describe_scene(world));
	json_object_set_new(json, "objects", objects);
	json_object_set_new(json, "colliders", colliders);
	json_object_set_new(json, "behaviours", all_behaviours());
	json_object_set_new(json, "surfaces", surfaces);
	json_object_set_new(json, "numbers", or_null(numbers != NULL ? json_incref(numbers) : NULL));
	char* dumped = numbers != NULL ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
	json_decref(numbers);
	json_decref(json);
	char* text = dumped != NULL ? lm_copy_text(&world->host, dumped) : NULL;
	free(dumped);
	return text;
}
