// marks.c: what is worth pointing out about an object at the moment: centre of mass, contacts, support, feet, goal.
#include "base/error.h"
#include "limber/view.h"
#include "math/vec.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double* lm_world_points(const lm_world* world, int32_t object)
{
	const lm_world_object* own = &world->objects[object];
	own->object->engine->points(own->object, own->points);
	return own->points;
}

lm_status lm_world_check_object(const lm_world* world, int32_t object, lm_error* error)
{
	if (object >= 0 && object < world->object_count)
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT, "there is no object %d: the world has %d, counted from 0", object,
	               world->object_count);
}

// ---- contacts ----

int32_t lm_world_touching(const lm_world* world, int32_t object, const double* points, int32_t* vertices)
{
	const lm_object* own = world->objects[object].object;
	if (own->engine->contacts != NULL)
		return own->engine->contacts(own, vertices);
	int32_t found = 0, count = own->engine->facts(own).point_count;
	double near = own->engine->contact_distance != NULL ? own->engine->contact_distance(own) : -1;
	for (int32_t v = 0; near > 0 && v < count; ++v)
	{
		if (lm_colliders_query(own->colliders, points + 3 * (int64_t)v, near).collider < 0)
			continue;
		if (vertices != NULL)
			vertices[found] = v;
		++found;
	}
	return found;
}

// ---- support ----

typedef struct corner
{
	double x, y, z;
} corner;

static int compare(const void* a, const void* b)
{
	const corner *p = a, *q = b;
	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	if (p->z != q->z)
		return p->z > q->z ? -1 : 1;
	return p->y != q->y ? (p->y < q->y ? -1 : 1) : 0;
}

// Seen from above, where z points down: above 0 when a, b, c turn to the left.
static double turn(const corner* a, const corner* b, const corner* c)
{
	return (b->x - a->x) * (a->z - c->z) - (a->z - b->z) * (c->x - a->x);
}

// Andrew's monotone chain; the corners keep the heights that they have. hull: room for 2 count.
static int32_t find_hull(corner* corners, int32_t count, corner* hull)
{
	int32_t size = 0;
	qsort(corners, (size_t)count, sizeof *corners, compare);
	for (int32_t i = 0; i < count; ++i)
	{
		while (size >= 2 && turn(&hull[size - 2], &hull[size - 1], &corners[i]) <= 0)
			--size;
		hull[size++] = corners[i];
	}
	for (int32_t i = count - 2, lower = size + 1; i >= 0; --i)
	{
		while (size >= lower && turn(&hull[size - 2], &hull[size - 1], &corners[i]) <= 0)
			--size;
		hull[size++] = corners[i];
	}
	return size > 1 ? size - 1 : size; // the first came twice
}

// ---- the ground ----

// Goes down by as much as is certainly free, until something is met.
static bool find_ground(const lm_world* world, const double from[3], double size, double ground[3])
{
	const int most = 200;
	const double near = 1e-4 * size, far = 100 * size;
	double fallen = 0;
	memcpy(ground, from, 3 * sizeof *ground);
	for (int i = 0; i < most && fallen < far; ++i)
	{
		ground[1] = from[1] - fallen;
		lm_touch touch = lm_colliders_query(world->colliders, ground, far);
		if (touch.collider < 0 || (i == 0 && touch.distance < 0))
			return false;
		if (touch.distance < near)
		{
			ground[1] -= touch.distance;
			return true;
		}
		fallen += touch.distance;
	}
	return false;
}

// ---- all of it ----

lm_status lm_world_marks(lm_world* world, int32_t object, lm_world_marks_view* marks, lm_error* error)
{
	lm_status status = lm_world_check_object(world, object, error);
	if (status != LM_OK)
		return status;
	const lm_world_object* own = &world->objects[object];
	const lm_engine* engine = own->object->engine;
	lm_object_facts facts = engine->facts(own->object);
	lm_arena* memory = &world->marks_memory;
	lm_arena_reset(memory);
	size_t count = (size_t)facts.point_count;
	int32_t* vertices = LM_TAKE(memory, count, int32_t);
	double* contacts = LM_TAKE(memory, 3 * count, double);
	corner *corners = LM_TAKE(memory, count, corner), *hull = LM_TAKE(memory, 2 * count + 1, corner);
	double* feet = LM_TAKE(memory, 3 * LM_ACT_FEET_MAX, double);
	if (vertices == NULL || contacts == NULL || corners == NULL || hull == NULL || feet == NULL)
		return lm_fail_memory(error);
	const double* points = lm_world_points(world, object);
	lm_world_marks_view found = { .contacts = contacts, .support = &hull[0].x, .feet = feet };
	memcpy(found.center, facts.center, sizeof found.center);
	found.contact_count = lm_world_touching(world, object, points, vertices);
	for (int32_t i = 0; i < found.contact_count; ++i)
	{
		const double* x = points + 3 * (int64_t)vertices[i];
		corners[i] = (corner){ x[0], x[1], x[2] };
		memcpy(contacts + 3 * (int64_t)i, x, 3 * sizeof *x);
	}
	found.support_count = find_hull(corners, found.contact_count, hull);
	found.has_ground = find_ground(world, facts.center, own->size, found.ground);
	found.foot_count = engine->feet != NULL ? engine->feet(own->object, points, feet) : 0;
	found.has_goal = engine->goal != NULL && engine->goal(own->object, lm_world_time(world), found.goal);
	*marks = found;
	return LM_OK;
}
