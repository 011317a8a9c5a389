// read_actions.c: what is done to an object: pins, drags and pushes, with their vertices found.
#include "base/alloc.h"
#include "math/vec.h"
#include "scene/keys.h"
#include "scene/reader.h"

#include <string.h>

// ---- vertices ----

// Vertices as the scene counts them become those that are simulated.
static bool check_listed(lm_reader* reader, const lm_scene_body* body, int32_t* vertices, int32_t count)
{
	int32_t all = lm_read_vertex_count(body);
	size_t mark = lm_reader_enter(reader, "vertices");
	bool good = true;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t vertex = vertices[i] < all ? lm_read_vertex(body, vertices[i]) : -1;
		if (vertex >= 0)
		{
			vertices[i] = vertex;
			continue;
		}
		size_t item = lm_reader_enter_item(reader, i);
		if (vertices[i] < all)
			lm_problem(reader, "is vertex %d, which belongs to no triangle with an area", vertices[i]);
		else
			lm_problem(reader, "is vertex %d, but the mesh has %d, counted from 0", vertices[i], all);
		lm_reader_leave(reader, item);
		good = false;
	}
	lm_reader_leave(reader, mark);
	return good;
}

static bool find_group(lm_reader* reader, const lm_mesh* mesh, const char* name, int32_t** vertices, int32_t* count)
{
	const lm_group* group = &mesh->groups[lm_mesh_find_group(mesh, name)];
	if (group->count == 0)
		lm_problem_key(reader, "group", "is \"%.60s\", which has no vertices", name);
	*count = group->count;
	*vertices = lm_reader_keep(reader, (size_t)group->count, sizeof **vertices);
	if (*vertices != NULL && group->count > 0)
		memcpy(*vertices, group->vertices, (size_t)group->count * sizeof **vertices);
	return *vertices != NULL;
}

static bool take_all(lm_reader* reader, const lm_mesh* mesh, int32_t** vertices, int32_t* count)
{
	*count = mesh->vertex_count;
	*vertices = lm_reader_keep(reader, (size_t)*count, sizeof **vertices);
	for (int32_t i = 0; *vertices != NULL && i < *count; ++i)
		(*vertices)[i] = i;
	return *vertices != NULL;
}

bool lm_read_vertices(lm_reader* reader, const lm_scene_body* body, const char* group, bool listed, int32_t** vertices,
                      int32_t* count)
{
	if (group[0] != 0 && listed)
	{
		lm_problem(reader, "has both group and vertices, must have one of them");
		return false;
	}
	if (body->mesh == NULL || (listed && *vertices == NULL))
		return false;
	if (listed)
		return check_listed(reader, body, *vertices, *count);
	if (group[0] == 0)
		return take_all(reader, body->mesh, vertices, count);
	size_t mark = lm_reader_enter(reader, "group");
	bool found = lm_read_has_group(reader, body, group);
	lm_reader_leave(reader, mark);
	return found && find_group(reader, body->mesh, group, vertices, count);
}

void lm_read_check_end(lm_reader* reader, bool given, double start, double end)
{
	if (given && end <= start)
		lm_problem_key(reader, "end", "is %.10g, must be after the start at %.10g", end, start);
}

// ---- the three kinds ----

// Numbers that go with vertices: as many, or none.
static void check_as_many(lm_reader* reader, const char* key, bool given, int32_t numbers, int32_t vertices)
{
	if (given && vertices > 0 && numbers > 0 && numbers != vertices)
		lm_problem_key(reader, key, "holds %d, must hold one for each of the %d vertices", numbers, vertices);
}

static void read_pin(lm_reader* reader, const lm_scene_body* body, const lm_scene_object* object, lm_scene_pin* pin)
{
	bool group = LM_GIVEN(lm_pin_table, pin, group), listed = LM_GIVEN(lm_pin_table, pin, vertices);
	lm_read_check_end(reader, LM_GIVEN(lm_pin_table, pin, end), pin->start, pin->end);
	if (!group && !listed)
		lm_problem(reader, "has no vertices, must have a group or vertices");
	bool target = LM_GIVEN(lm_pin_table, pin, target), offsets = LM_GIVEN(lm_pin_table, pin, offsets);
	if (pin->guide && object->track == NULL)
		lm_problem_key(reader, "guide", "is true, but only cloth of the engine track has a guide");
	if (pin->guide && (target || LM_GIVEN(lm_pin_table, pin, offset)))
		lm_problem_key(reader, "guide", "is true, but %s says where it is held, too", target ? "target" : "offset");
	if (target && LM_GIVEN(lm_pin_table, pin, offset))
		lm_problem(reader, "has both offset and target, must have at most one of them");
	if (offsets && !target)
		lm_problem_key(reader, "offsets", "are given, but go with target, which is not");
	if (lm_read_vertices(reader, body, pin->group, listed, &pin->vertices, &pin->count))
		check_as_many(reader, "offsets", offsets, pin->offset_count, pin->count);
}

static void read_drag(lm_reader* reader, const lm_scene_body* body, lm_scene_drag* drag)
{
	bool vertex = LM_GIVEN(lm_drag_table, drag, vertex), near = LM_GIVEN(lm_drag_table, drag, near);
	bool listed = LM_GIVEN(lm_drag_table, drag, vertices), several = listed || LM_GIVEN(lm_drag_table, drag, group);
	bool weights = LM_GIVEN(lm_drag_table, drag, weights), offsets = LM_GIVEN(lm_drag_table, drag, offsets);
	lm_read_check_end(reader, LM_GIVEN(lm_drag_table, drag, end), drag->start, drag->end);
	if (vertex + near + several != 1)
		lm_problem(reader, "has %s, must have one of them",
		           vertex + near + several > 1 ? "more than one of vertex, near, group and vertices"
		                                       : "neither vertex nor near nor group nor vertices");
	else if (!several && (weights || offsets))
		lm_problem_key(reader, weights ? "weights" : "offsets", "are given, but go with group or vertices");
	else if (several && lm_read_vertices(reader, body, drag->group, listed, &drag->vertices, &drag->count))
	{
		check_as_many(reader, "weights", weights, drag->weight_count, drag->count);
		check_as_many(reader, "offsets", offsets, drag->offset_count, drag->count);
	}
	else if (several || body->mesh == NULL)
		return;
	else if (near)
		drag->vertex = lm_mesh_nearest_vertex(body->mesh, drag->near);
	else if (drag->vertex >= body->mesh->vertex_count)
		lm_problem_key(reader, "vertex", "is vertex %d, but the mesh has %d, counted from 0", drag->vertex,
		               body->mesh->vertex_count);
}

static void read_push(lm_reader* reader, const lm_scene_body* body, lm_scene_push* push)
{
	bool listed = LM_GIVEN(lm_push_table, push, vertices), impulse = LM_GIVEN(lm_push_table, push, impulse);
	push->by_velocity = LM_GIVEN(lm_push_table, push, velocity);
	if (impulse == push->by_velocity)
		lm_problem(reader, impulse ? "has both impulse and velocity, must have one of them"
		                           : "says neither impulse nor velocity, must have one of them");
	lm_read_vertices(reader, body, push->group, listed, &push->vertices, &push->count);
}

void lm_read_actions(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object)
{
	size_t mark = lm_reader_enter(reader, "pins"), item;
	for (int32_t i = 0; i < object->pin_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_pin(reader, body, object, &object->pins[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	lm_reader_enter(reader, "drags");
	for (int32_t i = 0; i < object->drag_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_drag(reader, body, &object->drags[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	lm_reader_enter(reader, "pushes");
	for (int32_t i = 0; i < object->push_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_push(reader, body, &object->pushes[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}
