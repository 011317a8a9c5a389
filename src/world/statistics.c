// statistics.c: what a run was like, as one JSON object, and the reference of its keys. Both come from the tables below
// and those of the engines.
#include "base/alloc.h"
#include "scene/scene.h"
#include "world/world.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lm_statistic_key run_keys[] = {
	{ "limber", "", "version of limber", false },
	{ "scene", "", "path of the scene", false },
	{ "fingerprint", "", "16 hex digits of the scene and the files it names: checkpoints and takes belong to one",
	  false },
	{ "threads", "", "threads that were used; results do not depend on it", true },
	{ "simd", "", "vector instructions that were used: plain, avx2 or avx512; results differ in the last bits", false },
	{ "hash", "", "16 hex digits of the final state: equal states have equal hashes", false },
	{ "time.simulated", "s", "time in the scene", false },
	{ "time.wall", "s", "time that the run took", false },
	{ "time.prepare", "s", "of that, before the first frame", false },
	{ "time.steps", "", "inner steps of all objects", true },
	{ "warnings", "", "list of what was warned of, in reading and running; each once, at most 64", false },
};

static const lm_statistic_key object_keys[] = {
	{ "name", "", "as in the scene", false },
	{ "engine", "", "as in the scene", false },
	{ "vertices", "", "simulated points", true },
	{ "dofs", "", "unknowns of the simulation: three per point, two in the plane", true },
	{ "params", "", "numbers that control can choose", true },
	{ "size", "m", "longest side of the rest shape", false },
	{ "mass", "kg", "of all of it", false },
	{ "com_start", "m", "centre of mass at the start", false },
	{ "com_end", "m", "centre of mass at the end", false },
	{ "finite", "", "whether every shown vertex was a number at every frame", false },
	{ "substeps", "", "steps per frame, of the frame that took most: bodies that meet take those that they need",
	  true },
	{ "max_penetration", "m", "deepest that a vertex was in a collider or another object at the end of a step", false },
};

// A number that is not finite has no place in JSON.
static json_t* number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t* vector(const double v[3])
{
	return json_pack("[o,o,o]", number(v[0]), number(v[1]), number(v[2]));
}

static json_t* object_statistics(const lm_world* world, int32_t i)
{
	const lm_world_object* o = &world->objects[i];
	const lm_engine* engine = o->object->engine;
	lm_object_facts facts = engine->facts(o->object);
	json_t* json = json_object();
	json_object_set_new(json, "name", json_string(o->object->description->name));
	json_object_set_new(json, "engine", json_string(engine->name));
	json_object_set_new(json, "vertices", json_integer(facts.point_count));
	json_object_set_new(json, "dofs", json_integer((json_int_t)facts.unknowns));
	json_object_set_new(json, "params", json_integer(facts.parameters));
	json_object_set_new(json, "size", number(o->size));
	json_object_set_new(json, "mass", number(facts.mass));
	json_object_set_new(json, "com_start", vector(o->start_center));
	json_object_set_new(json, "com_end", vector(facts.center));
	json_object_set_new(json, "finite", json_boolean(o->finite));
	json_object_set_new(json, "substeps", json_integer(o->most_substeps));
	json_object_set_new(json, "max_penetration", number(facts.max_penetration));
	double values[LM_STATISTICS_MAX];
	engine->statistics(o->object, values);
	for (int32_t k = 0; k < engine->statistic_count; ++k)
	{
		const lm_statistic_key* key = &engine->statistic_keys[k];
		json_object_set_new(json, key->name, key->whole ? json_integer((json_int_t)values[k]) : number(values[k]));
	}
	return json;
}

static void add_warnings(json_t* list, const lm_warnings* warnings)
{
	for (int32_t i = 0; i < warnings->count; ++i)
		json_array_append_new(list, json_string(warnings->texts[i]));
	char text[64];
	snprintf(text, sizeof text, "and %d more", warnings->left_out);
	if (warnings->left_out > 0)
		json_array_append_new(list, json_string(text));
}

char* lm_world_statistics(const lm_world* world, double wall_seconds)
{
	char hash[17];
	snprintf(hash, sizeof hash, "%016" PRIx64, lm_world_motion_hash(world));
	int64_t steps = 0;
	json_t* objects = json_array();
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		const lm_object* object = world->objects[i].object;
		steps += object->engine->facts(object).steps;
		json_array_append_new(objects, object_statistics(world, i));
	}
	json_t* json = json_object();
	json_object_set_new(json, "limber", json_string(lm_version()));
	json_object_set_new(json, "scene", json_string(world->scene->path));
	char fingerprint[17];
	snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, world->scene->fingerprint);
	json_object_set_new(json, "fingerprint", json_string(fingerprint));
	json_object_set_new(json, "threads", json_integer(world->host.threads));
	json_object_set_new(json, "simd", json_string(lm_simd_name(world->host.simd)));
	json_object_set_new(json, "hash", json_string(hash));
	json_object_set_new(json, "time",
	                    json_pack("{s:o,s:o,s:o,s:I}", "simulated", number(lm_world_time(world)), "wall",
	                              number(wall_seconds), "prepare", number(world->prepare_seconds), "steps",
	                              (json_int_t)steps));
	json_t* warnings = json_array();
	add_warnings(warnings, &world->scene->store->warnings);
	add_warnings(warnings, &world->warnings);
	json_object_set_new(json, "warnings", warnings);
	json_object_set_new(json, "objects", objects);
	char* dumped = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	json_decref(json);
	char* text = dumped != NULL ? lm_copy_text(&world->host, dumped) : NULL;
	free(dumped);
	return text;
}

static int append_table(char* text, size_t capacity, size_t used, const char* title, const lm_statistic_key* keys,
                        int32_t count)
{
	size_t left = used < capacity ? capacity - used : 0;
	int length = snprintf(left > 0 ? text + used : NULL, left,
	                      "\n## %s\n\n| key | unit | meaning |\n| --- | --- | --- |\n", title);
	for (int32_t k = 0; k < count; ++k)
	{
		size_t at = used + (size_t)length;
		left = at < capacity ? capacity - at : 0;
		length += snprintf(left > 0 ? text + at : NULL, left, "| `%s` | %s | %s |\n", keys[k].name, keys[k].unit,
		                   keys[k].help);
	}
	return length;
}

// Writes as much as fits and returns the length of all of it.
static size_t write_reference(char* text, size_t capacity)
{
	size_t used =
		(size_t)snprintf(text, capacity,
	                     "# Statistics of a run\n\n`limber run SCENE --stats FILE` writes one JSON object. This page "
	                     "is made from the tables in src/world/statistics.c and the engines.\n");
	used += (size_t)append_table(text, capacity, used, "The run", run_keys, sizeof run_keys / sizeof run_keys[0]);
	used += (size_t)append_table(text, capacity, used, "Each of `objects`", object_keys,
	                             sizeof object_keys / sizeof object_keys[0]);
	for (int32_t e = 0; e < lm_engine_count(); ++e)
	{
		char title[64];
		snprintf(title, sizeof title, "Objects of `%s`, besides", lm_engine_at(e)->name);
		used += (size_t)append_table(text, capacity, used, title, lm_engine_at(e)->statistic_keys,
		                             lm_engine_at(e)->statistic_count);
	}
	return used;
}

char* lm_statistics_reference(const lm_host* host)
{
	size_t length = write_reference(NULL, 0);
	char* text = lm_alloc(host, length + 1, 1);
	if (text != NULL)
		write_reference(text, length + 1);
	return text;
}
