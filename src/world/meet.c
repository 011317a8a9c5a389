#include "world/meet.h"

#include "act/guest.h"
#include "base/alloc.h"
#include "base/error.h"
#include "match/state.h"
#include "objects/objects.h"

#include <math.h>
#include <string.h>

#define LM_LONGEST_STEP (1.0 / 48) // s, of bodies that touch bodies of another engine
#define LM_USUAL_SHARE 0.25        // of a step's force in the usual one
#define LM_CONTACT_POINTS 10.0     // that a body rests on, about
#define LM_SINK 400.0              // it then sinks in by one part in so many of its size
#define LM_SMOOTHING 0.0025        // of the size
#define LM_SLACK 0.001             // of the size
#define LM_MOST_WEIGHTS 5.0        // that any body carries
#define LM_MOST_STRAIN 0.25
#define LM_CALM 0.02 // of the speed of a fall: what contact may give in a step, besides what it turns around

typedef struct visitor
{
	lm_act_guest* guest;    // NULL: the object is none of `match`
	lm_blob before;         // its state while it is tried
	bool near;              // a body of `act`, in this frame
	lm_match_speeds speeds; // before a step, against what touches it
} visitor;

typedef struct neighbourhood
{
	lm_vec3 low, high;
	double way;  // that its points can go in the frame
	double mass; // kg
	bool counts;
} neighbourhood;

struct lm_meet
{
	visitor* visitors;          // one for each object
	neighbourhood* places;      // likewise
	lm_object** acts;           // due ones
	lm_act** bodies;            // theirs
	lm_act_guest** guests;      // of this frame
	lm_match** tried;           // theirs
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

static lm_status create_visitor(lm_world* world, int32_t i, lm_error* error)
{
	visitor* v = &world->meet->visitors[i];
	lm_match* body = lm_object_match(object_at(world, i));
	if (body == NULL)
		return LM_OK;
	double* masses = LM_NEW(&world->host, lm_match_vertex_count(body), double);
	if (masses == NULL)
		return lm_fail_memory(error);
	lm_match_masses(body, masses);
	lm_blob_init(&v->before, &world->host);
	lm_status status =
		lm_act_guest_create(object_at(world, i)->description->mesh, masses, i, &world->host, &v->guest, error);
	lm_free(&world->host, masses);
	if (status == LM_OK)
		v->guest->apart = object_at(world, i)->apart, v->guest->without = object_at(world, i)->without;
	return status;
}

lm_status lm_meet_create(lm_world* world, lm_error* error)
{
	const lm_host* host = &world->host;
	size_t count = (size_t)world->object_count, largest = 0, matches = 0, acts = 0;
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_act* body = actor(world, i);
		matches += lm_object_match(object_at(world, i)) != NULL;
		acts += body != NULL;
		if (body != NULL && (size_t)lm_act_vertex_count(body) > largest)
			largest = (size_t)lm_act_vertex_count(body);
	}
	if (matches == 0 || acts == 0)
		return LM_OK;
	lm_meet* meet = world->meet = LM_NEW(host, 1, lm_meet);
	if (meet == NULL)
		return lm_fail_memory(error);
	meet->visitors = LM_NEW(host, count, visitor);
	meet->places = LM_NEW(host, count, neighbourhood);
	meet->acts = LM_NEW(host, count, lm_object*);
	meet->bodies = LM_NEW(host, count, lm_act*);
	meet->guests = LM_NEW(host, count, lm_act_guest*);
	meet->tried = LM_NEW(host, count, lm_match*);
	meet->positions = LM_NEW(host, 3 * largest, double);
	meet->speeds = LM_NEW(host, 3 * largest, double);
	if (meet->visitors == NULL || meet->places == NULL || meet->acts == NULL || meet->bodies == NULL ||
	    meet->guests == NULL || meet->tried == NULL || meet->positions == NULL || meet->speeds == NULL)
		return lm_fail_memory(error);
	lm_status status = LM_OK;
	for (int32_t i = 0; i < world->object_count && status == LM_OK; ++i)
		status = create_visitor(world, i, error);
	return status;
}

void lm_meet_destroy(lm_world* world)
{
	lm_meet* meet = world->meet;
	if (meet == NULL)
		return;
	for (int32_t i = 0; meet->visitors != NULL && i < world->object_count; ++i)
	{
		visitor* v = &meet->visitors[i];
		lm_act_guest_destroy(v->guest);
		if (v->before.data != NULL)
			lm_blob_release(&v->before);
	}
	void* const owned[] = { meet->visitors, meet->places, meet->acts,      meet->bodies,
		                    meet->guests,   meet->tried,  meet->positions, meet->speeds };
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
		lm_act_guest* guest = meet->visitors[i].guest;
		lm_act* act = actor(world, i);
		place->counts = false;
		if (guest != NULL)
		{
			lm_match* body = lm_object_match(object_at(world, i));
			lm_match_settings settings = lm_match_get_settings(body);
			lm_match_positions(body, guest->start);
			lm_match_velocities(body, guest->now);
			measure_place(place, guest->start, guest->now, guest->count, frame, settings.gravity);
			place->way += guest->smoothing + settings.thickness, place->mass = guest->mass;
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

// Bodies of `match` near bodies of `act`, and those near them. Returns whether there are more than before.
static bool spread_nearness(lm_world* world)
{
	lm_meet* meet = world->meet;
	bool more = false;
	for (int32_t i = 0; i < world->object_count; ++i)
		for (int32_t j = 0; j < world->object_count && meet->visitors[i].guest != NULL && !meet->visitors[i].near; ++j)
		{
			bool by = j != i && meet->places[j].counts && (meet->visitors[j].guest == NULL || meet->visitors[j].near);
			if (by && !keep_apart(object_at(world, i), object_at(world, j)) &&
			    are_near(&meet->places[i], &meet->places[j]))
				more = meet->visitors[i].near = true;
		}
	return more;
}

// Steps of all that meet in this frame: those of the bodies of `act`.
static void choose_substeps(lm_world* world)
{
	lm_meet* meet = world->meet;
	int32_t most = (int32_t)ceil(1 / world->scene->fps / LM_LONGEST_STEP - 1e-6);
	for (int32_t i = 0; i < world->object_count; ++i)
		if (actor(world, i) != NULL && world->objects[i].substeps > most)
			most = world->objects[i].substeps;
	for (int32_t i = 0; i < world->object_count; ++i)
		if (meet->visitors[i].near || lm_object_act(object_at(world, i)) != NULL)
			world->objects[i].substeps = most;
}

// Springs of contact that carry the heaviest of those that meet.
static void choose_springs(lm_world* world, lm_act_guest* guest, const lm_match_settings* settings)
{
	double mass = guest->mass, g = fmax(1, lm_length(lm_v3_at(settings->gravity, 0)));
	for (int32_t i = 0; i < world->object_count; ++i)
		if (world->meet->places[i].counts)
			mass = fmax(mass, world->meet->places[i].mass);
	guest->stiffness = LM_SINK * mass * g / (LM_CONTACT_POINTS * guest->size);
	guest->smoothing = LM_SMOOTHING * guest->size, guest->slack = LM_SLACK * guest->size;
	guest->friction = settings->friction, guest->thickness = settings->thickness;
}

void lm_meet_look_around(lm_world* world)
{
	lm_meet* meet = world->meet;
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
		visitor* v = &meet->visitors[i];
		lm_match* body = lm_object_match(object_at(world, i));
		if (v->guest == NULL)
			continue;
		if (!v->near)
		{
			lm_act_guest_leave(v->guest);
			continue;
		}
		lm_match_settings settings = lm_match_get_settings(body);
		choose_springs(world, v->guest, &settings);
		meet->tried[meet->guest_count] = body;
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

// Where the guests would go under the usual forces.
static lm_status try_guests(lm_world* world, double h, double time, lm_error* error)
{
	lm_meet* meet = world->meet;
	for (int32_t k = 0; k < meet->guest_count; ++k)
	{
		visitor* v = &meet->visitors[meet->guests[k]->id];
		v->before.size = v->before.cursor = 0;
		lm_match_save(meet->tried[k], &v->before);
		if (v->before.failed)
		{
			v->before.failed = false;
			return lm_fail_memory(error);
		}
	}
	for (int32_t k = 0; k < meet->guest_count; ++k)
	{
		lm_act_guest* guest = meet->guests[k];
		lm_match_positions(meet->tried[k], guest->start);
		guest->inertia = lm_match_inertia(meet->tried[k], h);
		lm_match_set_touched(meet->tried[k], guest->usual, guest->squeeze);
		lm_match_step(meet->tried[k], h, object_at(world, guest->id)->colliders, time);
	}
	lm_status status = lm_match_collide(meet->tried, meet->guest_count, h, error);
	for (int32_t k = 0; k < meet->guest_count; ++k)
	{
		lm_match_positions(meet->tried[k], meet->guests[k]->trial);
		lm_match_set_touched(meet->tried[k], NULL, NULL);
		lm_status loaded =
			lm_match_load(meet->tried[k], &meet->visitors[meet->guests[k]->id].before, status == LM_OK ? error : NULL);
		status = status == LM_OK ? loaded : status;
	}
	return status;
}

// A body gives way to a force that would crush it, or throw it faster than contact can: more than turns its speed
// around against what touches it (`speed`), some weights, and what strains it by LM_MOST_STRAIN. What is above goes
// through it, to the ground or whatever is behind.
static void limit_force(lm_act_guest* guest, const lm_match* body, double speed, double g, double h)
{
	double limit =
		guest->mass * (2 * speed / h + LM_MOST_WEIGHTS * g + LM_MOST_STRAIN * lm_match_modulus(body) / guest->size);
	double force = lm_length(lm_v3_at(guest->wrench, 0));
	for (int k = 0; k < 6 && force > limit; ++k)
		guest->wrench[k] *= limit / force;
}

static double gravity_of(const lm_match* body)
{
	lm_match_settings settings = lm_match_get_settings(body);
	return fmax(1, lm_length(lm_v3_at(settings.gravity, 0)));
}

static void touch_guest(visitor* v, lm_match* body, double h)
{
	if (v->guest->pressed > 0)
	{
		v->speeds = lm_match_measure_speeds(body, v->guest->velocity);
		limit_force(v->guest, body, v->speeds.centre, gravity_of(body), h);
	}
	lm_match_set_touched(body, v->guest->wrench, v->guest->squeeze);
}

lm_match_speeds lm_meet_most(const lm_match* body, lm_match_speeds before, double size, double h)
{
	double g = gravity_of(body), fall = 2 * sqrt(g * size);
	double gained = fmin(before.centre + g * h + LM_CALM * fall, fall);
	lm_match_speeds most = { .centre = fmax(before.centre, gained) };
	most.spin = fmax(before.spin, 4 * most.centre / size);
	most.inner = fmax(before.inner, fall);
	return most;
}

static void leave_guest(const visitor* v, lm_match* body, double h)
{
	const lm_act_guest* guest = v->guest;
	lm_match_speeds most = lm_meet_most(body, v->speeds, guest->size, h);
	lm_match_set_touched(body, NULL, NULL);
	if (guest->pressed > 0)
		lm_match_calm(body, guest->velocity, &most);
	lm_match_positions(body, v->guest->now);
}

static lm_status step_match(lm_world* world, double h, lm_error* error)
{
	lm_meet* meet = world->meet;
	lm_status status = LM_OK;
	for (int32_t k = 0; k < meet->guest_count; ++k)
		touch_guest(&meet->visitors[meet->guests[k]->id], meet->tried[k], h);
	for (int32_t e = 0; e < lm_engine_count() && status == LM_OK; ++e)
		if (lm_engine_at(e) == &lm_engine_match)
			status = lm_engine_at(e)->step(world->order + world->starts[e], world->starts[e + 1] - world->starts[e],
			                               world->colliders, error);
	for (int32_t k = 0; k < meet->guest_count; ++k)
		leave_guest(&meet->visitors[meet->guests[k]->id], meet->tried[k], h);
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
	if (due == 0) // cannot be: they have the same substeps
		return LM_OK;
	double h = meet->acts[0]->h, time = meet->acts[0]->time;
	lm_status status = try_guests(world, h, time, error);
	if (status == LM_OK)
		status =
			lm_act_step_guests(meet->bodies, due, meet->guests, meet->guest_count, h, world->colliders, time, error);
	if (status == LM_OK)
		status = step_match(world, h, error);
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
