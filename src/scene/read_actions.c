// read_actions.c: what is done to an object: pins, drags and pushes, with their vertices found.
#include "base/alloc.h"
#include "math/vec.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <string.h>

lm_keyed lm_read_keyed(lm_reader* reader, lm_scene* scene, const lm_keyed* keyed, int32_t width, double fallback)
{
	size_t count = keyed->count > 0 ? (size_t)keyed->count : 1;
	lm_keyed copy = { .count = (int32_t)count,
		              .times = lm_scene_memory(scene, count, sizeof(double)),
		              .values = lm_scene_memory(scene, count * (size_t)width, sizeof(double)) };
	if (copy.times == NULL || copy.values == NULL)
	{
		lm_reader_no_memory(reader);
		return copy;
	}
	for (int32_t i = 0; i < width; ++i)
		copy.values[i] = fallback;
	if (keyed->count > 0)
	{
		memcpy(copy.times, keyed->times, count * sizeof(double));
		memcpy(copy.values, keyed->values, count * (size_t)width * sizeof(double));
	}
	return copy;
}

// ---- vertices ----

static int32_t* copy_vertices(lm_reader* reader, lm_scene* scene, const int32_t* list, int32_t count)
{
	int32_t* copy = lm_scene_memory(scene, (size_t)count, sizeof *copy);
	if (copy == NULL)
		lm_reader_no_memory(reader);
	else if (list != NULL && count > 0)
		memcpy(copy, list, (size_t)count * sizeof *copy);
	else
	{
		for (int32_t i = 0; i < count; ++i)
			copy[i] = i;
	}
	return copy;
}

int32_t* lm_read_vertices(lm_reader* reader, const lm_read_body* body, const lm_read_selection* from, int32_t* count)
{
	if (from->group_given && from->vertices_given)
	{
		lm_problem(reader, "has both group and vertices, must have one of them");
		return NULL;
	}
	if (body->mesh == NULL)
		return NULL;
	if (from->group != NULL)
	{
		size_t mark = lm_reader_enter(reader, "group");
		bool found = lm_read_has_group(reader, body, from->group);
		lm_reader_leave(reader, mark);
		if (!found)
			return NULL;
		const lm_group* group = &body->mesh->groups[lm_mesh_find_group(body->mesh, from->group)];
		if (group->count == 0)
			lm_problem_key(reader, "group", "is \"%.60s\", which has no vertices", from->group);
		*count = group->count;
		return copy_vertices(reader, body->scene, group->vertices, group->count);
	}
	if (from->group_given || (from->vertices_given && from->vertices == NULL))
		return NULL;
	size_t mark = lm_reader_enter(reader, "vertices");
	bool good = true;
	for (int32_t i = 0; i < from->count; ++i)
	{
		if (from->vertices[i] < body->mesh->vertex_count)
			continue;
		size_t item = lm_reader_enter_item(reader, i);
		lm_problem(reader, "is vertex %d, but the mesh has %d, counted from 0", from->vertices[i],
		           body->mesh->vertex_count);
		lm_reader_leave(reader, item);
		good = false;
	}
	lm_reader_leave(reader, mark);
	if (!good)
		return NULL;
	*count = from->vertices_given ? from->count : body->mesh->vertex_count; // nothing said: all
	return copy_vertices(reader, body->scene, from->vertices, *count);
}

void lm_read_check_end(lm_reader* reader, bool given, double start, double end)
{
	if (given && end <= start)
		lm_problem_key(reader, "end", "is %.10g, must be after the start at %.10g", end, start);
}

// ---- the three kinds ----

static void read_pin(lm_reader* reader, const lm_read_body* body, const lm_read_pin* read, lm_scene_pin* pin)
{
	*pin = read->pin;
	lm_read_check_end(reader, read->end_given, pin->start, pin->end);
	if (!read->group_given && !read->vertices_given)
		lm_problem(reader, "has no vertices, must have a group or vertices");
	lm_read_selection from = { read->group, read->group_given, read->vertices_given, read->count, read->vertices };
	pin->vertices = lm_read_vertices(reader, body, &from, &pin->count);
	pin->offset = lm_read_keyed(reader, body->scene, &read->offset, 3, 0);
}

int32_t lm_read_nearest_vertex(const lm_mesh* mesh, const double point[3])
{
	int32_t best = 0;
	double least = INFINITY;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double distance = lm_distance(lm_v3_at(mesh->positions, v), lm_v3_at(point, 0));
		if (distance < least)
			least = distance, best = v;
	}
	return best;
}

static void read_drag(lm_reader* reader, const lm_read_body* body, const lm_read_drag* read, lm_scene_drag* drag)
{
	*drag = read->drag;
	lm_read_check_end(reader, read->end_given, drag->start, drag->end);
	drag->target = lm_read_keyed(reader, body->scene, &read->target, 3, 0);
	if (read->vertex_given == read->near_given)
		lm_problem(reader, "has %s, must have one of them",
		           read->vertex_given ? "both vertex and near" : "neither vertex nor near");
	else if (body->mesh == NULL)
		return;
	else if (read->near_given)
		drag->vertex = lm_read_nearest_vertex(body->mesh, read->near);
	else if (drag->vertex >= body->mesh->vertex_count)
		lm_problem_key(reader, "vertex", "is vertex %d, but the mesh has %d, counted from 0", drag->vertex,
		               body->mesh->vertex_count);
}

static void read_push(lm_reader* reader, const lm_read_body* body, const lm_read_push* read, lm_scene_push* push)
{
	*push = read->push;
	lm_read_selection from = { read->group, read->group_given, read->vertices_given, read->count, read->vertices };
	push->vertices = lm_read_vertices(reader, body, &from, &push->count);
}

void* lm_read_list(lm_reader* reader, lm_scene* scene, int32_t count, size_t size, int32_t* result)
{
	void* list = count > 0 ? lm_scene_memory(scene, (size_t)count, size) : NULL;
	if (count > 0 && list == NULL)
		lm_reader_no_memory(reader);
	*result = list != NULL ? count : 0;
	return list;
}

void lm_read_actions(lm_reader* reader, const lm_read_body* body, const lm_read_object* read, lm_scene_object* object)
{
	object->pins = lm_read_list(reader, body->scene, read->pin_count, sizeof *object->pins, &object->pin_count);
	object->drags = lm_read_list(reader, body->scene, read->drag_count, sizeof *object->drags, &object->drag_count);
	object->pushes = lm_read_list(reader, body->scene, read->push_count, sizeof *object->pushes, &object->push_count);
	size_t mark = lm_reader_enter(reader, "pins"), item;
	for (int32_t i = 0; i < object->pin_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_pin(reader, body, &read->pins[i], &object->pins[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	lm_reader_enter(reader, "drags");
	for (int32_t i = 0; i < object->drag_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_drag(reader, body, &read->drags[i], &object->drags[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	lm_reader_enter(reader, "pushes");
	for (int32_t i = 0; i < object->push_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_push(reader, body, &read->pushes[i], &object->pushes[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}
