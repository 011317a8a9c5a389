// obstacles.h: colliders at moments of one's own, for what looks ahead or back; the colliders themselves stay at the
// world's time. Those that deform have a surface for each such moment.
#ifndef LM_CONTACT_OBSTACLES_H
#define LM_CONTACT_OBSTACLES_H

#include "contact/colliders.h"

typedef struct lm_obstacle
{
	lm_placement at;
	lm_solid solid;
	bool owns_surface; // as it deforms
} lm_obstacle;

// All colliders at one moment after the other.
typedef struct lm_obstacles
{
	lm_host host;
	const lm_colliders* colliders; // borrowed; NULL: there are none
	int32_t count;
	lm_obstacle* items;
} lm_obstacles;

// False when out of memory; released in any case, also after the colliders.
bool lm_obstacles_create(const lm_colliders* colliders, const lm_host* host, lm_obstacles* obstacles);
void lm_obstacles_release(lm_obstacles* obstacles);
void lm_obstacles_set_time(lm_obstacles* obstacles, double time);

// Of the surface at a point of the world.
lm_vec3 lm_obstacle_velocity(const lm_obstacle* obstacle, lm_vec3 point);

// All colliders at many moments, which are there at the same time. Surfaces that deform are kept at multiples of
// `step`, each once, however many moments ask for it.
typedef struct lm_obstacle_moments
{
	lm_host host;
	const lm_colliders* colliders; // borrowed; NULL: there are none
	double step;                   // s
	int32_t count, room;
	struct lm_obstacle_moment* kept; // by time
} lm_obstacle_moments;

// A zeroed one is fine, too. span: seconds between the first and the last moment that will be asked for; where surfaces
// every `step` seconds took too much memory there are fewer.
void lm_obstacle_moments_begin(const lm_colliders* colliders, double step, double span, const lm_host* host,
                               lm_obstacle_moments* moments);
void lm_obstacle_moments_release(lm_obstacle_moments* moments);
// items: one for each collider; valid until the release. False when out of memory.
bool lm_obstacle_moments_at(lm_obstacle_moments* moments, double time, lm_obstacle* items);

#endif
