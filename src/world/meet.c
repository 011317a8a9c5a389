#include "world/meet.h"

#include "act/guest.h"
#include "base/alloc.h"
#include "base/error.h"
#include "objects/objects.h"
#include "world/touch.h"
#include "world/visitor.h"

#include <math.h>
#include <string.h>

#define LM_LONGEST_STEP (1.0 / 48) // s, of bodies that touch bodies of another engine
#define LM_USUAL_SHARE 0.25        // of a step's force in the usual one
#define LM_CONTACT_POINTS 10.0     // that a body rests on, about
#define LM_SINK 400.0              // it then sinks in by one part in so many of its size
#define LM_SMOOTHING 0.0025        // of the size
#define LM_SLACK 0.001             // of the size
#define LM_CALM 0.02 // of the speed of a fall: what contact may give in a step, besides what it turns around

typedef struct neighbourhood
{
	lm_vec3 low, high;
	double way;  // that its points can go in the frame
	double mass; // kg
	bool counts;
} neighbourhood;

struct lm_meet
{
	lm_visitor* visitors;       // one for each object
	neighbourhood* places;      // likewise
	lm_object** acts;           // due ones
	lm_act** bodies;            // theirs
	lm_act_guest** guests;      // of this frame
	lm_visitor** near;          // theirs
	int32_t guest_count;        // in this frame
	double *positions, *speeds; // scratch of the largest body of `act`
};

static lm_object* object_at(const lm_world* world, int32_t i)
{
	return world->objects[i].object;
}

// A body of `act` in space, or NULL.
static lm_act* actor(const lm_world* world, int32_t i)
{
	lm_act* body = lm_object_act(object_at(world, i));
	return body != NULL && lm_act_dimension(body) == 3 ? body : NULL;
}

// ---- creation

// Whether there are bodies of two engines that move by themselves; *largest: points of the largest one of `act`.
static bool can_meet(const lm_world* world, size_t* largest)
{
	bool match = false, act = false, design = false;
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_act* body = actor(world, i);
		const lm_scene_design* designed = object_at(world, i)->description->design;
		match = match || lm_object_match(object_at(world, i)) != NULL;
		act = act || body != NULL;
		design = design || (lm_object_design(object_at(world, i)) != NULL && designed->simulated_count > 0);
		if (body != NULL && (size_t)lm_act_vertex_count(body) > *largest)
			*largest = (size_t)lm_act_vertex_count(body);
	}
	return match + act + design > 1;
}

lm_status lm_meet_create(lm_world* world, lm_error* error)
{
	const lm_host* host = &world->host;
	size_t count = (size_t)world->object_count, largest = 0;
	if (!can_meet(world, &largest))
		return LM_OK;
	lm_meet* meet = world->meet = LM_NEW(host, 1, lm_meet);
	if (meet == NULL)
		return lm_fail_memory(error);
	meet->visitors = LM_NEW(host, count, lm_visitor);
	meet->places = LM_NEW(host, count, neighbourhood);
	meet->acts = LM_NEW(host, count, lm_object*);
	meet->bodies = LM_NEW(host, count, lm_act*);
	meet->guests = LM_NEW(host, count, lm_act_guest*);
	meet->near = LM_NEW(host, count, lm_visitor*);
	meet->positions = LM_NEW(host, 3 * largest, double);
	meet->speeds = LM_NEW(host, 3 * largest, double);
	if (meet->visitors == NULL || meet->places == NULL || meet->acts == NULL || meet->bodies == NULL ||
	    meet->guests == NULL || meet->near == NULL || meet->positions == NULL || meet->speeds == NULL)
		return lm_fail_memory(error);
	lm_status status = LM_OK;
	for (int32_t i = 0; i < world->object_count && status == LM_OK; ++i)
		status = lm_visitor_create(&meet->visitors[i], object_at(world, i), i, error);
	return status;
}

void lm_meet_destroy(lm_world* world)
{
	lm_meet* meet = world->meet;
	if (meet == NULL)
		return;
	for (int32_t i = 0; meet->visitors != NULL && i < world->object_count; ++i)
		lm_visitor_destroy(&meet->visitors[i]);
	void* const owned[] = { meet->visitors, meet->places, meet->acts,      meet->bodies,
		                    meet->guests,   meet->near,   meet->positions, meet->speeds };
	for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
		lm_free(&world->host, owned[k]);
	lm_free(&world->host, meet);
	world->meet = NULL;
}

// ---- who is near whom

static void measure_place(neighbourhood* place, const double* x, const double* v, int32_t count, double frame,
                          const double gravity[3])
{
	double fastest = 0;
	place->low = place->high = lm_v3_at(x, 0);
	for (int32_t i = 0; i < count; ++i)
	{
		lm_vec3 p = lm_v3_at(x, i), s = lm_v3_at(v, i);
		place->low = lm_v3(fmin(place->low.x, p.x), fmin(place->low.y, p.y), fmin(place->low.z, p.z));
		place->high = lm_v3(fmax(place->high.x, p.x), fmax(place->high.y, p.y), fmax(place->high.z, p.z));
		fastest = fmax(fastest, lm_dot(s, s));
	}
	place->way = frame * (sqrt(fastest) + frame * lm_length(lm_v3_at(gravity, 0)));
	place->counts = true;
}

static void measure_places(lm_world* world)
{
	lm_meet* meet = world->meet;
	double frame = 1 / world->scene->fps;
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		neighbourhood* place = &meet->places[i];
		const lm_visitor* v = &meet->visitors[i];
		lm_act* act = actor(world, i);
		place->counts = false;
		if (v->guest != NULL && lm_visitor_is_there(v))
		{
			double gravity[3];
			lm_visitor_gravity(v, gravity);
			lm_visitor_measure(v);
			measure_place(place, v->guest->start, v->guest->now, v->guest->count, frame, gravity);
			place->way += v->guest->smoothing + lm_visitor_thickness(v), place->mass = v->guest->mass;
		}
		else if (act != NULL)
		{
			lm_act_settings settings = lm_act_get_settings(act);
			lm_act_positions(act, meet->positions);
			lm_act_velocities(act, meet->speeds);
			measure_place(place, meet->positions, meet->speeds, lm_act_vertex_count(act), frame, settings.gravity);
			place->way += 2 * settings.contact_smoothing, place->mass = lm_act_mass(act);
		}
	}
}

static bool are_near(const neighbourhood* a, const neighbourhood* b)
{
	double way = a->way + b->way;
	return a->low.x <= b->high.x + way && b->low.x <= a->high.x + way && a->low.y <= b->high.y + way &&
	       b->low.y <= a->high.y + way && a->low.z <= b->high.z + way && b->low.z <= a->high.z + way;
}

static bool keep_apart(const lm_object* a, const lm_object* b)
{
	const lm_scene_object* objects = a->scene->objects;
	return (a->apart != NULL && a->apart[b->description - objects]) ||
	       (b->apart != NULL && b->apart[a->description - objects]);
}

// Guests near bodies of another engine, and those near them. Returns whether there are more than before.
static bool spread_nearness(lm_world* world)
{
	lm_meet* meet = world->meet;
	bool more = false;
	for (int32_t i = 0; i < world->object_count; ++i)
		for (int32_t j = 0; j < world->object_count && meet->places[i].counts && !meet->visitors[i].near; ++j)
		{
			const lm_visitor *own = &meet->visitors[i], *other = &meet->visitors[j];
			bool by = own->guest != NULL && j != i && meet->places[j].counts;
			by = by && (other->guest == NULL || other->near || other->guest->kind != own->guest->kind);
			if (by && !keep_apart(object_at(world, i), object_at(world, j)) &&
			    are_near(&meet->places[i], &meet->places[j]))
				more = meet->visitors[i].near = true;
		}
	return more;
}

// Whether a designed object is a guest: then all of them step with it.
static bool has_design(const lm_meet* meet)
{
	bool found = false;
	for (int32_t k = 0; k < meet->guest_count; ++k)
		found = found || meet->near[k]->design != NULL;
	return found;
}

// Steps of all that meet in this frame: those of the bodies of `act`.
static void choose_substeps(lm_world* world)
{
	lm_meet* meet = world->meet;
	int32_t most = (int32_t)ceil(1 / world->scene->fps / LM_LONGEST_STEP - 1e-6);
	for (int32_t i = 0; i < world->object_count; ++i)
		if (actor(world, i) != NULL && world->objects[i].substeps > most)
			most = world->objects[i].substeps;
	bool design = has_design(meet);
	for (int32_t i = 0; i < world->object_count; ++i)
		if (meet->visitors[i].near || lm_object_act(object_at(world, i)) != NULL ||
		    (design && lm_object_design(object_at(world, i)) != NULL))
			world->objects[i].substeps = most;
	lm_world_share_substeps(world);
	for (int32_t i = 0; i < world->object_count; ++i)
		if (world->objects[i].substeps > world->objects[i].most_substeps)
			world->objects[i].most_substeps = world->objects[i].substeps;
}

// Springs of contact that carry the heaviest of those that meet.
static void choose_springs(lm_world* world, const lm_visitor* v)
{
	lm_act_guest* guest = v->guest;
	double mass = guest->mass, gravity[3];
	lm_visitor_gravity(v, gravity);
	double g = fmax(1, lm_length(lm_v3_at(gravity, 0)));
	for (int32_t i = 0; i < world->object_count; ++i)
		if (world->meet->places[i].counts)
			mass = fmax(mass, world->meet->places[i].mass);
	guest->stiffness = LM_SINK * mass * g / (LM_CONTACT_POINTS * guest->size);
	guest->smoothing = LM_SMOOTHING * guest->size, guest->slack = LM_SLACK * guest->size;
	guest->friction = lm_visitor_friction(v), guest->thickness = lm_visitor_thickness(v);
}

void lm_meet_look_around(lm_world* world)
{
	lm_meet* meet = world->meet;
	lm_world_switch_led(world);
	if (meet == NULL)
		return;
	measure_places(world);
	for (int32_t i = 0; i < world->object_count; ++i)
		meet->visitors[i].near = false;
	while (spread_nearness(world))
		continue;
	meet->guest_count = 0;
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_visitor* v = &meet->visitors[i];
		if (v->guest == NULL)
			continue;
		if (!v->near)
		{
			lm_act_guest_leave(v->guest);
			continue;
		}
		choose_springs(world, v);
		meet->near[meet->guest_count] = v;
		meet->guests[meet->guest_count++] = v->guest;
	}
	if (meet->guest_count > 0)
		choose_substeps(world);
}

// ---- a step

bool lm_meet_is_due(const lm_world* world)
{
	const lm_meet* meet = world->meet;
	for (int32_t i = 0; meet != NULL && meet->guest_count > 0 && i < world->object_count; ++i)
		if (meet->visitors[i].near && object_at(world, i)->due)
			return true;
	return false;
}

bool lm_meet_takes(const lm_world* world, const lm_engine* engine)
{
	bool designs = engine == &lm_engine_design && has_design(world->meet);
	return engine == &lm_engine_act || engine == &lm_engine_match || designs;
}

lm_match_speeds lm_meet_most(double gravity, lm_match_speeds before, double size, double h)
{
	double fall = 2 * sqrt(gravity * size);
	double gained = fmin(before.centre + gravity * h + LM_CALM * fall, fall);
	lm_match_speeds most = { .centre = fmax(before.centre, gained) };
	most.spin = fmax(before.spin, 4 * most.centre / size);
	most.inner = fmax(before.inner, fall);
	return most;
}

static lm_status step_guests(lm_world* world, double h, lm_error* error)
{
	lm_meet* meet = world->meet;
	lm_status status = LM_OK;
	for (int32_t k = 0; k < meet->guest_count; ++k)
		lm_visitor_touch(meet->near[k], h);
	for (int32_t e = 0; e < lm_engine_count() && status == LM_OK; ++e)
		if (lm_engine_at(e) != &lm_engine_act && lm_meet_takes(world, lm_engine_at(e)) &&
		    world->starts[e + 1] > world->starts[e])
			status = lm_engine_at(e)->step(world->order + world->starts[e], world->starts[e + 1] - world->starts[e],
			                               world->colliders, error);
	for (int32_t k = 0; k < meet->guest_count; ++k)
		lm_visitor_leave(meet->near[k], h);
	return status;
}

lm_status lm_meet_step(lm_world* world, lm_error* error)
{
	lm_meet* meet = world->meet;
	int32_t due = 0;
	for (int32_t i = 0; i < world->object_count; ++i)
		if (lm_object_act(object_at(world, i)) != NULL && object_at(world, i)->due)
		{
			meet->acts[due] = object_at(world, i);
			meet->bodies[due++] = lm_object_act(object_at(world, i));
		}
	double h = meet->near[0]->object->h, time = meet->near[0]->object->time;
	lm_status status = lm_visitors_try(meet->near, meet->guest_count, h, time, error);
	if (status == LM_OK)
		status =
			lm_act_step_guests(meet->bodies, due, meet->guests, meet->guest_count, h, world->colliders, time, error);
	if (status == LM_OK)
		status = step_guests(world, h, error);
	if (status != LM_OK)
		return status;
	lm_colliders_set_time(world->colliders, time + h);
	lm_act_step_end(meet->bodies, due, meet->guests, meet->guest_count, world->colliders);
	for (int32_t k = 0; k < meet->guest_count; ++k)
		lm_act_guest_follow(meet->guests[k], LM_USUAL_SHARE);
	return LM_OK;
}

// ---- state

uint64_t lm_meet_hash(const lm_world* world, uint64_t hash)
{
	for (int32_t i = 0; world->meet != NULL && i < world->object_count; ++i)
		if (world->meet->visitors[i].guest != NULL)
			hash = lm_act_guest_hash(world->meet->visitors[i].guest, hash);
	return hash;
}

void lm_meet_save(const lm_world* world, lm_blob* blob)
{
	for (int32_t i = 0; world->meet != NULL && i < world->object_count; ++i)
		if (world->meet->visitors[i].guest != NULL)
			lm_act_guest_save(world->meet->visitors[i].guest, blob);
}

lm_status lm_meet_load(lm_world* world, lm_blob* blob, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; world->meet != NULL && i < world->object_count && status == LM_OK; ++i)
		if (world->meet->visitors[i].guest != NULL)
			status = lm_act_guest_load(world->meet->visitors[i].guest, blob, error);
	return status;
}
