// numbers.c: what can be plotted of a world, frame by frame: the same table for programs, the studio and CSV files.
#include "base/alloc.h"
#include "base/blob.h"
#include "math/vec.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const lm_statistic_key world_keys[] = {
	{ "frame_seconds", "s", "time that the last frame took to compute", false },
};

static const lm_statistic_key object_keys[] = {
	{ "center_x", "m", "centre of mass", false },
	{ "center_y", "m", "centre of mass", false },
	{ "center_z", "m", "centre of mass", false },
	{ "speed", "m/s", "of the centre of mass, over the last frame", false },
	{ "touching", "", "simulated points in contact; of match and track with colliders", true },
	{ "strain", "", "how much longer or shorter edges are than in the shape at rest: root of the mean square", false },
};

enum
{
	WORLD_NUMBERS = sizeof world_keys / sizeof world_keys[0],
	OBJECT_NUMBERS = sizeof object_keys / sizeof object_keys[0]
};

void lm_world_measure_speed(lm_world* world, int32_t i)
{
	lm_world_object* own = &world->objects[i];
	lm_object_facts facts = own->object->engine->facts(own->object);
	own->speed = lm_distance(lm_v3_at(facts.center, 0), lm_v3_at(own->last_center, 0)) * world->scene->fps;
}

// Over the edges of the elements, each as often as it is one.
static double strain_of(const lm_mesh* mesh, const double* points)
{
	int corners = mesh->tet_count > 0 ? 4 : mesh->triangle_count > 0 ? 3 : 2;
	int32_t count = corners == 4 ? mesh->tet_count : corners == 3 ? mesh->triangle_count : mesh->edge_count;
	const int32_t* elements = corners == 4 ? mesh->tets : corners == 3 ? mesh->triangles : mesh->edges;
	double sum = 0;
	int64_t edges = 0;
	for (int64_t e = 0; e < count; ++e)
		for (int i = 0; i < corners; ++i)
			for (int j = i + 1; j < corners; ++j)
			{
				int32_t a = elements[corners * e + i], b = elements[corners * e + j];
				double rest = lm_distance(lm_v3_at(mesh->positions, a), lm_v3_at(mesh->positions, b));
				double longer = rest > 0 ? lm_distance(lm_v3_at(points, a), lm_v3_at(points, b)) / rest - 1 : 0;
				sum += longer * longer;
				++edges;
			}
	return edges > 0 ? sqrt(sum / (double)edges) : 0;
}

static lm_world_number number(int32_t object, const lm_statistic_key* key, double value)
{
	return (lm_world_number){ object, key->name, key->unit, key->help, value };
}

static int32_t engine_numbers(const lm_object* object, double* values)
{
	return object->engine->numbers != NULL ? object->engine->numbers(object, values) : 0;
}

int32_t lm_world_number_count(const lm_world* world)
{
	double values[LM_STATISTICS_MAX];
	int32_t count = WORLD_NUMBERS;
	for (int32_t i = 0; i < world->object_count; ++i)
		count += OBJECT_NUMBERS + engine_numbers(world->objects[i].object, values);
	return count;
}

void lm_world_numbers(const lm_world* world, lm_world_number* numbers)
{
	*numbers++ = number(-1, &world_keys[0], world->frame_seconds);
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		const lm_world_object* own = &world->objects[i];
		const lm_engine* engine = own->object->engine;
		lm_object_facts facts = engine->facts(own->object);
		const double* points = lm_world_points(world, i);
		const double common[OBJECT_NUMBERS] = { facts.center[0],
			                                    facts.center[1],
			                                    facts.center[2],
			                                    own->speed,
			                                    lm_world_touching(world, i, points, NULL),
			                                    strain_of(own->object->description->mesh, points) };
		for (int32_t k = 0; k < OBJECT_NUMBERS; ++k)
			*numbers++ = number(i, &object_keys[k], common[k]);
		double values[LM_STATISTICS_MAX];
		int32_t count = engine_numbers(own->object, values);
		for (int32_t k = 0; k < count; ++k)
			*numbers++ = number(i, &engine->number_keys[k], values[k]);
	}
}

// ---- as rows of a CSV file ----

static char* finish(lm_blob* blob, const lm_host* host)
{
	lm_blob_put(blob, "\n", 2); // and the end of the text
	char* text = blob->failed ? NULL : lm_copy_text(host, (const char*)blob->data);
	lm_blob_release(blob);
	return text;
}

static void put(lm_blob* blob, const char* text)
{
	lm_blob_put(blob, text, strlen(text));
}

// Names of objects may hold commas and quotes.
static void put_quoted(lm_blob* blob, const char* object, const char* name)
{
	put(blob, ",\"");
	for (const char* c = object; *c != 0; ++c)
		lm_blob_put(blob, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
	put(blob, object[0] != 0 ? "." : "");
	put(blob, name);
	put(blob, "\"");
}

static lm_world_number* take_numbers(const lm_world* world, int32_t* count)
{
	*count = lm_world_number_count(world);
	lm_world_number* numbers = LM_NEW(&world->host, *count, lm_world_number);
	if (numbers != NULL)
		lm_world_numbers(world, numbers);
	return numbers;
}

char* lm_world_number_names(const lm_world* world)
{
	int32_t count;
	lm_world_number* numbers = take_numbers(world, &count);
	if (numbers == NULL)
		return NULL;
	lm_blob blob;
	lm_blob_init(&blob, &world->host);
	put(&blob, "frame,time");
	for (int32_t k = 0; k < count; ++k)
		put_quoted(&blob, numbers[k].object >= 0 ? world->scene->objects[numbers[k].object].name : "", numbers[k].name);
	lm_free(&world->host, numbers);
	return finish(&blob, &world->host);
}

char* lm_world_number_row(const lm_world* world)
{
	int32_t count;
	lm_world_number* numbers = take_numbers(world, &count);
	if (numbers == NULL)
		return NULL;
	lm_blob blob;
	char text[64];
	lm_blob_init(&blob, &world->host);
	snprintf(text, sizeof text, "%lld,%.10g", (long long)world->frame, lm_world_time(world));
	put(&blob, text);
	for (int32_t k = 0; k < count; ++k)
	{
		snprintf(text, sizeof text, ",%.10g", numbers[k].value);
		put(&blob, isfinite(numbers[k].value) ? text : ",");
	}
	lm_free(&world->host, numbers);
	return finish(&blob, &world->host);
}
