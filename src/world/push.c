// push.c: see push.h.
//
// A body of `match` takes the wrench through its inner steps (match/touched.c). In an implicit step of `act` a force is
// the same as a change of velocity before it: a rigid one of the whole body by the wrench, and A d by the squeeze, A
// and d as in match/touched.c. So no vertex is thrown, however light. A body of `design` takes it while it is simulated
// (design/simulate_touch.c).
#include "world/push.h"

#include "base/alloc.h"
#include "base/error.h"
#include "match/state.h"
#include "math/svd.h"
#include "objects/design/guest.h"
#include "objects/objects.h"
#include "objects/track/push.h"
#include "world/meet.h"

#include <math.h>
#include <string.h>

#define LM_FLAT 1e-3        // of the spread: what is flatter is not squeezed
#define LM_STRAIN_STEP 0.01 // that a squeeze may do in a step
#define LM_CALM_WEIGHTS 1.0 // of its own, which may speed up a body under heavy cloth in a step

// Of a body in a step.
struct lm_pressed
{
	int32_t crusher;        // a cloth that is heavier than what it lies on, which moves with `velocity`; -1: none
	double velocity[3];     // m/s
	lm_match_speeds speeds; // of `match`, before it
	double speed;           // of the centre of a body of `act` against that cloth, before it
};

static lm_act* actor_at(const lm_world* world, int32_t i)
{
	lm_act* body = lm_object_act(world->objects[i].object);
	return body != NULL && lm_act_dimension(body) == 3 ? body : NULL;
}

lm_status lm_push_create(lm_world* world, lm_error* error)
{
	size_t largest = 0;
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		const lm_object* object = world->objects[i].object;
		size_t count = (size_t)object->engine->facts(object).point_count;
		largest = count > largest ? count : largest;
		world->has_cloth = world->has_cloth || object->engine == &lm_engine_track;
	}
	if (!world->has_cloth)
		return LM_OK;
	world->push_room = LM_NEW(&world->host, 6 * largest, double);
	world->pushes = LM_NEW(&world->host, world->object_count, lm_pressed);
	return world->push_room != NULL && world->pushes != NULL ? LM_OK : lm_fail_memory(error);
}

void lm_push_destroy(lm_world* world)
{
	lm_free(&world->host, world->push_room), lm_free(&world->host, world->pushes);
}

// Of its centre of mass.
static void velocity_of(lm_world* world, const lm_object* object, double velocity[3])
{
	lm_object_facts facts = object->engine->facts(object);
	double* all = world->push_room;
	memset(velocity, 0, 3 * sizeof *velocity);
	object->engine->velocities(object, all);
	for (int32_t v = 0; v < facts.point_count; ++v)
		for (int k = 0; k < 3; ++k)
			velocity[k] += object->engine->mass_of(object, &v, 1) / facts.mass * all[3 * (int64_t)v + k];
}

static bool is_empty(const lm_track_bag* bag)
{
	bool empty = true;
	for (int k = 0; k < 6; ++k)
		empty = empty && bag->wrench[k] == 0 && bag->squeeze[k] == 0;
	return empty;
}

static void take(lm_world* world, int32_t i, lm_object* cloth, lm_track_bag* bag, double wrench[6], double squeeze[6])
{
	const lm_object* object = world->objects[i].object;
	lm_track_settings settings = lm_track_get_settings(lm_object_track(cloth));
	lm_track_pushed pushed = { .mass = object->engine->facts(object).mass,
		                       .size = world->objects[i].size,
		                       .cloth_mass = lm_track_mass(lm_object_track(cloth)) };
	memcpy(pushed.gravity, settings.gravity, sizeof pushed.gravity);
	velocity_of(world, object, pushed.velocity);
	velocity_of(world, cloth, pushed.cloth_velocity);
	lm_track_bag_hand_over(bag, &pushed, object->h, wrench, squeeze);
}

// What all cloths have for object i; whether there is any.
static bool collect(lm_world* world, int32_t i, double wrench[6], double squeeze[6])
{
	bool any = false;
	memset(wrench, 0, 6 * sizeof *wrench), memset(squeeze, 0, 6 * sizeof *squeeze);
	for (int32_t k = 0; k < world->object_count; ++k)
	{
		lm_object* cloth = world->objects[k].object;
		lm_track_bag* bag = cloth->engine == &lm_engine_track ? lm_object_track_bag(cloth, i) : NULL;
		if (bag == NULL || is_empty(bag))
			continue;
		take(world, i, cloth, bag, wrench, squeeze);
		any = true;
	}
	return any;
}

// ---- bodies of `act`

// The velocity v + w x d + A d of points d from the centre of mass.
typedef struct change
{
	lm_vec3 centre, along, spin;
	lm_mat3 A;
} change;

static lm_mat3 squeeze_by(lm_mat3 spread, const double s[6], double h)
{
	lm_mat3 none = { 0 }, inverse;
	lm_vec3 e = lm_eigen3(spread).e;
	if (!(e.z > LM_FLAT * e.x) || !lm_invert(spread, &inverse))
		return none;
	lm_mat3 S = { { { s[0], s[3], s[4] }, { s[3], s[1], s[5] }, { s[4], s[5], s[2] } } }, A = lm_mul(S, inverse);
	double most = 0;
	for (int k = 0; k < 9; ++k)
		most = fmax(most, h * h * fabs(A.m[k / 3][k % 3]));
	double share = most > LM_STRAIN_STEP ? LM_STRAIN_STEP / most : 1;
	for (int k = 0; k < 9; ++k)
		A.m[k / 3][k % 3] *= share * h;
	return A;
}

static change change_by(const lm_act* body, const double* x, const double wrench[6], const double squeeze[6], double h)
{
	const double* masses = lm_act_masses(body);
	change c = { .along = lm_scale(h / lm_act_mass(body), lm_v3_at(wrench, 0)) };
	lm_mat3 spread = { 0 }, inertia, inverse;
	for (int32_t v = 0; v < lm_act_vertex_count(body); ++v)
		c.centre = lm_add_scaled(c.centre, masses[v] / lm_act_mass(body), lm_v3_at(x, v));
	for (int32_t v = 0; v < lm_act_vertex_count(body); ++v)
	{
		lm_vec3 d = lm_sub(lm_v3_at(x, v), c.centre);
		lm_add_outer(&spread, masses[v], d, d);
	}
	double trace = spread.m[0][0] + spread.m[1][1] + spread.m[2][2];
	for (int k = 0; k < 9; ++k)
		inertia.m[k / 3][k % 3] = (k % 4 == 0 ? trace : 0) - spread.m[k / 3][k % 3];
	if (lm_invert(inertia, &inverse))
		c.spin = lm_scale(h, lm_mul_v(inverse, lm_v3_at(wrench, 1)));
	c.A = squeeze_by(spread, squeeze, h);
	return c;
}

static void push_act(lm_world* world, lm_act* body, const double wrench[6], const double squeeze[6], double h)
{
	int32_t count = lm_act_vertex_count(body);
	double *x = world->push_room, *velocities = world->push_room + 3 * (int64_t)count;
	lm_act_positions(body, x);
	lm_act_velocities(body, velocities);
	change c = change_by(body, x, wrench, squeeze, h);
	for (int32_t v = 0; v < count; ++v)
	{
		lm_vec3 d = lm_sub(lm_v3_at(x, v), c.centre), turned = lm_add(lm_cross(c.spin, d), lm_mul_v(c.A, d));
		lm_v3_store(velocities, v, lm_add(lm_v3_at(velocities, v), lm_add(c.along, turned)));
	}
	lm_act_set_positions(body, NULL, velocities);
}

static lm_vec3 speed_against(lm_world* world, int32_t i, const double velocity[3])
{
	double own[3];
	velocity_of(world, world->objects[i].object, own);
	return lm_sub(lm_v3_at(own, 0), lm_v3_at(velocity, 0));
}

// A light body that heavy cloth presses onto the ground would be thrown out, as by a spring: it leaves the cloth no
// faster than it met it, and than its own weight makes it. What is taken away is lost.
static void calm_act(lm_world* world, int32_t i, lm_act* body, const lm_pressed* push)
{
	lm_object* cloth = world->objects[push->crusher].object;
	lm_track_settings settings = lm_track_get_settings(lm_object_track(cloth));
	lm_vec3 against = speed_against(world, i, push->velocity);
	double h = world->objects[i].object->h, speed = lm_length(against);
	double most = push->speed + LM_CALM_WEIGHTS * h * lm_length(lm_v3_at(settings.gravity, 0));
	if (!(speed > most))
		return;
	lm_vec3 taken = lm_scale(most / speed - 1, against);
	double* velocities = world->push_room;
	lm_act_velocities(body, velocities);
	for (int32_t v = 0; v < lm_act_vertex_count(body); ++v)
		lm_v3_store(velocities, v, lm_add(lm_v3_at(velocities, v), taken));
	lm_act_set_positions(body, NULL, velocities);
	lm_object_track_bag(cloth, i)->lost += lm_act_mass(body) * lm_length(taken);
}

// ---- all

// The heaviest cloth that touches object i with more mass than it has itself, or -1: it can crush the body.
static int32_t crusher_of(const lm_world* world, int32_t i)
{
	const lm_object* object = world->objects[i].object;
	double most = object->engine->facts(object).mass;
	int32_t found = -1;
	for (int32_t k = 0; k < world->object_count; ++k)
	{
		const lm_object* cloth = world->objects[k].object;
		const lm_track_bag* bag = cloth->engine == &lm_engine_track ? lm_object_track_bag(cloth, i) : NULL;
		if (bag != NULL && bag->touching > most)
			most = bag->touching, found = k;
	}
	return found;
}

void lm_push_begin(lm_world* world)
{
	for (int32_t i = 0; i < world->object_count && world->has_cloth; ++i)
	{
		lm_object* object = world->objects[i].object;
		lm_match* match = lm_object_match(object);
		lm_act* act = actor_at(world, i);
		lm_pressed* push = &world->pushes[i];
		double wrench[6], squeeze[6];
		push->crusher = -1;
		lm_design_object* design = lm_object_design(object);
		bool simulated = design != NULL && lm_design_is_free(design);
		if (!object->due || (match == NULL && act == NULL && !simulated) || !collect(world, i, wrench, squeeze))
			continue;
		push->crusher = crusher_of(world, i);
		if (push->crusher >= 0)
		{
			velocity_of(world, world->objects[push->crusher].object, push->velocity);
			push->speed = lm_length(speed_against(world, i, push->velocity));
		}
		if (push->crusher >= 0 && match != NULL)
			push->speeds = lm_match_measure_speeds(match, push->velocity);
		if (match != NULL)
			lm_match_set_pushed(match, wrench, squeeze);
		else if (act != NULL)
			push_act(world, act, wrench, squeeze, object->h);
		else
			lm_design_set_pushed(design, wrench, squeeze);
	}
}

void lm_push_end(lm_world* world)
{
	for (int32_t i = 0; i < world->object_count && world->has_cloth; ++i)
	{
		const lm_pressed* push = &world->pushes[i];
		lm_match* match = lm_object_match(world->objects[i].object);
		lm_act* act = actor_at(world, i);
		if (match != NULL)
			lm_match_set_pushed(match, NULL, NULL);
		if (lm_object_design(world->objects[i].object) != NULL)
			lm_design_set_pushed(lm_object_design(world->objects[i].object), NULL, NULL);
		if (push->crusher < 0 || !world->objects[i].object->due)
			continue;
		if (act != NULL)
			calm_act(world, i, act, push);
		if (match == NULL)
			continue;
		lm_match_settings settings = lm_match_get_settings(match);
		double g = fmax(1, lm_length(lm_v3_at(settings.gravity, 0)));
		lm_match_speeds most = lm_meet_most(g, push->speeds, world->objects[i].size, world->objects[i].object->h);
		lm_match_calm(match, push->velocity, &most);
	}
}
