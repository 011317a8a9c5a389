#include "contact/obstacles.h"

#include "base/alloc.h"

#include <string.h>

// What surfaces of many moments may take together, and roughly what one takes for each triangle.
#define MOST_BYTES 1e9
#define TRIANGLE_BYTES 400.0

static bool deforms(const lm_colliders* colliders, int32_t c)
{
	return lm_collider_deforms(&colliders->items[c].frames);
}

bool lm_obstacles_create(const lm_colliders* colliders, const lm_host* host, lm_obstacles* obstacles)
{
	int32_t count = colliders != NULL ? colliders->count : 0;
	*obstacles = (lm_obstacles){ .host = *host, .colliders = colliders };
	obstacles->items = LM_NEW(host, count, lm_obstacle);
	bool good = obstacles->items != NULL;
	for (int32_t c = 0; good && c < count; ++c)
	{
		lm_obstacle* item = &obstacles->items[obstacles->count++];
		item->solid = colliders->items[c].solid;
		if (deforms(colliders, c))
		{
			item->solid.surface = lm_contact_surface_copy(item->solid.surface, host);
			good = item->owns_surface = item->solid.surface != NULL;
		}
	}
	return good;
}

void lm_obstacles_release(lm_obstacles* obstacles)
{
	for (int32_t c = 0; c < obstacles->count; ++c)
		if (obstacles->items[c].owns_surface)
			lm_contact_surface_destroy(obstacles->items[c].solid.surface);
	lm_free(&obstacles->host, obstacles->items);
	*obstacles = (lm_obstacles){ 0 };
}

static void place(const lm_collider* collider, double time, lm_obstacle* item)
{
	item->at = lm_placement_at(collider->keys, collider->key_count, time);
}

static void put_shape(const lm_collider* collider, double time, lm_contact_surface* surface)
{
	lm_collider_frames_at(&collider->frames, surface->vertex_count, time, surface->positions, surface->speeds);
	lm_contact_surface_move(surface);
}

void lm_obstacles_set_time(lm_obstacles* obstacles, double time)
{
	for (int32_t c = 0; c < obstacles->count; ++c)
	{
		place(&obstacles->colliders->items[c], time, &obstacles->items[c]);
		if (obstacles->items[c].owns_surface)
			put_shape(&obstacles->colliders->items[c], time, obstacles->items[c].solid.surface);
	}
}

lm_vec3 lm_obstacle_velocity(const lm_obstacle* obstacle, lm_vec3 point)
{
	lm_vec3 own = lm_solid_speed(&obstacle->solid, lm_placement_to_local(&obstacle->at, point));
	return lm_add(lm_placement_velocity(&obstacle->at, point), lm_mul_v(obstacle->at.R, own));
}

// ---- many moments

typedef struct lm_obstacle_moment
{
	int64_t step;
	lm_obstacles shapes;
} lm_obstacle_moment;

static double bytes_of_shapes(const lm_colliders* colliders)
{
	double bytes = 0;
	for (int32_t c = 0; colliders != NULL && c < colliders->count; ++c)
		if (deforms(colliders, c))
			bytes += TRIANGLE_BYTES * colliders->items[c].solid.surface->count;
	return bytes;
}

void lm_obstacle_moments_begin(const lm_colliders* colliders, double step, double span, const lm_host* host,
                               lm_obstacle_moments* moments)
{
	*moments = (lm_obstacle_moments){ .host = *host, .colliders = colliders };
	moments->step = fmax(step, span * bytes_of_shapes(colliders) / MOST_BYTES);
}

void lm_obstacle_moments_release(lm_obstacle_moments* moments)
{
	for (int32_t k = 0; k < moments->count; ++k)
		lm_obstacles_release(&moments->kept[k].shapes);
	lm_free(&moments->host, moments->kept);
	*moments = (lm_obstacle_moments){ 0 };
}

// Where the first of this step or a later one is.
static int32_t find(const lm_obstacle_moments* moments, int64_t step)
{
	int32_t low = 0, high = moments->count;
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;
		if (moments->kept[middle].step < step)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(lm_obstacle_moments* moments)
{
	if (moments->count < moments->room)
		return true;
	int32_t room = 2 * moments->room + 16;
	lm_obstacle_moment* kept = LM_NEW(&moments->host, room, lm_obstacle_moment);
	if (kept == NULL)
		return false;
	for (int32_t k = 0; k < moments->count; ++k)
		kept[k] = moments->kept[k];
	lm_free(&moments->host, moments->kept);
	moments->kept = kept, moments->room = room;
	return true;
}

// The shapes at a step, made if they are not there yet; NULL when out of memory.
static const lm_obstacles* shapes_at(lm_obstacle_moments* moments, int64_t step)
{
	int32_t k = find(moments, step);
	if (k < moments->count && moments->kept[k].step == step)
		return &moments->kept[k].shapes;
	lm_obstacles made = { 0 };
	if (!grow(moments) || !lm_obstacles_create(moments->colliders, &moments->host, &made))
	{
		lm_obstacles_release(&made);
		return NULL;
	}
	lm_obstacles_set_time(&made, (double)step * moments->step);
	for (int32_t c = 0; c < made.count; ++c)
		if (made.items[c].owns_surface)
			lm_contact_surface_settle(made.items[c].solid.surface);
	memmove(moments->kept + k + 1, moments->kept + k, sizeof *moments->kept * (size_t)(moments->count - k));
	moments->kept[k] = (lm_obstacle_moment){ step, made };
	++moments->count;
	return &moments->kept[k].shapes;
}

bool lm_obstacle_moments_at(lm_obstacle_moments* moments, double time, lm_obstacle* items)
{
	const lm_obstacles* shapes = NULL;
	for (int32_t c = 0; moments->colliders != NULL && c < moments->colliders->count; ++c)
	{
		const lm_collider* collider = &moments->colliders->items[c];
		place(collider, time, &items[c]);
		items[c].solid = collider->solid;
		if (!deforms(moments->colliders, c))
			continue;
		if (shapes == NULL)
			shapes = shapes_at(moments, (int64_t)floor(time / moments->step + 0.5));
		if (shapes == NULL)
			return false;
		items[c].solid = shapes->items[c].solid;
	}
	return true;
}
