// start.c: where an object begins. One that begins inside a collider would be thrown out of it in the first frame; it
// is moved out instead. The usual cause is a model whose up is another axis, or one whose origin is its middle.
#include "base/alloc.h"
#include "base/error.h"
#include "limber/contact.h"
#include "math/quat.h"
#include "scene/engine.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <math.h>

#define NOTICEABLE 0.05 // of the size
#define ROUNDS 4        // moved out of one collider it may be inside the next
#define LARGEST 200     // m; a figure beyond is in other units, as a rule
#define SMALLEST 2e-3   // m
#define FLAT 1e-3       // of the longest side

void lm_start_positions(const lm_scene_object* object, double* positions)
{
	const lm_mesh* pose = object->start_pose != NULL ? object->start_pose : object->mesh;
	const double* q = object->rotation;
	lm_quat rotation = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	lm_vec3 position = lm_v3_at(object->position, 0);
	for (int32_t i = 0; i < pose->vertex_count; ++i)
		lm_v3_store(positions, i, lm_add(position, lm_quat_rotate(rotation, lm_v3_at(pose->positions, i))));
}

// ---- moved out of colliders ----

static double longest_side(const double* positions, int32_t count)
{
	double low[3], high[3];
	lm_mesh_bounds(positions, count, low, high);
	return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

static lm_touch find_deepest(const lm_colliders* colliders, const double* positions, int32_t count)
{
	lm_touch deepest = { .collider = -1 };
	for (int32_t v = 0; v < count; ++v)
	{
		lm_touch touch = lm_colliders_query(colliders, positions + 3 * (size_t)v, 0);
		if (touch.collider >= 0 && touch.distance < deepest.distance)
			deepest = touch;
	}
	return deepest;
}

// False when it stays inside something.
static bool move_out(lm_scene_object* object, const lm_colliders* colliders, double* positions, lm_touch* first)
{
	int32_t count = object->mesh->vertex_count;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_start_positions(object, positions);
		lm_touch touch = find_deepest(colliders, positions, count);
		double depth = -touch.distance;
		if (round == 0)
			*first = touch;
		if (touch.collider < 0 || !(depth > NOTICEABLE * longest_side(positions, count)))
			return true;
		for (int c = 0; c < 3; ++c)
			object->position[c] += depth * touch.normal[c];
	}
	return false;
}

static void place_object(lm_reader* reader, const lm_scene* scene, lm_scene_object* object,
                         const lm_colliders* colliders, double* positions)
{
	double before[3] = { object->position[0], object->position[1], object->position[2] };
	lm_touch first = { .collider = -1 };
	if (!move_out(object, colliders, positions, &first))
	{
		for (int c = 0; c < 3; ++c)
			object->position[c] = before[c]; // the world tells
		return;
	}
	double way[3] = { object->position[0] - before[0], object->position[1] - before[1],
		              object->position[2] - before[2] };
	if (way[0] == 0 && way[1] == 0 && way[2] == 0)
		return;
	lm_log(&reader->host, LM_LOG_WARNING,
	       "%s: %s: \"%s\" begins %.3g m inside the collider \"%s\": it is moved by [%.3g, %.3g, %.3g]; `place`: "
	       "\"ground\" "
	       "puts a figure on its feet",
	       reader->file, reader->path, object->name, -first.distance,
	       lm_scene_collider_of(scene, object, first.collider)->name, way[0], way[1], way[2]);
}

// ---- sizes ----

static void warn_of_size(lm_reader* reader, const lm_scene_object* object, bool height_given)
{
	double size = longest_side(object->mesh->positions, object->mesh->vertex_count);
	if (height_given || (size <= LARGEST && size >= SMALLEST))
		return;
	lm_log(&reader->host, LM_LOG_WARNING,
	       "%s: %s: \"%s\" is %.3g m large: is the mesh in other units? `height` says how high it shall be, `scale` by "
	       "how "
	       "much it is enlarged",
	       reader->file, reader->path, object->name, size);
}

// A flat surface that a lattice was put around is hardly meant to be a solid.
static void warn_of_flat(lm_reader* reader, const lm_scene_object* object)
{
	const lm_mesh *skin = object->surface, *mesh = object->mesh;
	if (skin == NULL || object->surface_file[0] != 0 || mesh->tet_count == 0)
		return;
	double low[3], high[3], least = INFINITY;
	lm_mesh_bounds(skin->positions, skin->vertex_count, low, high);
	for (int c = 0; c < 3; ++c)
		least = fmin(least, high[c] - low[c]);
	if (least > FLAT * longest_side(skin->positions, skin->vertex_count))
		return;
	lm_log(&reader->host, LM_LOG_WARNING,
	       "%s: %s: \"%s\" is flat, and simulated as a solid around it: for a sheet of `match` say `lattice`: false, "
	       "for a "
	       "figure in the plane `model`: \"solid2\" of `act`, for cloth the engine `track`",
	       reader->file, reader->path, object->name);
}

// ---- all objects ----

// Those that the object touches.
static bool make_colliders(lm_reader* reader, const lm_scene* scene, const lm_scene_object* object,
                           lm_colliders** colliders)
{
	int32_t count = 0;
	lm_collider_def* defs = lm_reader_take(reader, (size_t)scene->collider_count, sizeof *defs);
	if (defs == NULL)
		return false;
	for (int32_t i = 0; i < scene->collider_count; ++i)
		if (lm_scene_collider_touches(&scene->colliders[i], object))
			defs[count++] = scene->colliders[i].def;
	lm_status status = lm_colliders_create(defs, count, &reader->host, colliders, NULL);
	if (status == LM_NO_MEMORY)
		lm_reader_no_memory(reader);
	return status == LM_OK;
}

static bool same_colliders(const lm_scene* scene, const lm_scene_object* a, const lm_scene_object* b)
{
	bool same = true;
	for (int32_t i = 0; i < scene->collider_count; ++i)
		same = same &&
		       lm_scene_collider_touches(&scene->colliders[i], a) == lm_scene_collider_touches(&scene->colliders[i], b);
	return same;
}

void lm_read_starts(lm_reader* reader, lm_scene* scene)
{
	lm_colliders* colliders = NULL;
	if (!make_colliders(reader, scene, &scene->objects[0], &colliders))
		return; // whoever makes the world says why
	size_t mark = lm_reader_enter(reader, "objects");
	for (int32_t i = 0; i < scene->object_count; ++i)
	{
		lm_scene_object* object = &scene->objects[i];
		const lm_engine* engine = lm_engine_find(object->engine);
		if (engine == NULL || !engine->pushed_out)
			continue;
		if (i > 0 && !same_colliders(scene, object, object - 1))
		{
			lm_colliders_destroy(colliders), colliders = NULL;
			if (!make_colliders(reader, scene, object, &colliders))
				break;
		}
		double* positions = LM_NEW(&reader->host, 3 * (size_t)object->mesh->vertex_count, double);
		if (positions == NULL)
		{
			lm_reader_no_memory(reader);
			break;
		}
		size_t item = lm_reader_enter_item(reader, i);
		warn_of_size(reader, object, LM_GIVEN(lm_object_table, object, height));
		warn_of_flat(reader, object);
		place_object(reader, scene, object, colliders, positions);
		lm_reader_leave(reader, item);
		lm_free(&reader->host, positions);
	}
	lm_reader_leave(reader, mark);
	lm_colliders_destroy(colliders);
}
