#include "world/visitor.h"

#include "base/alloc.h"
#include "base/error.h"
#include "objects/design/play.h"
#include "objects/objects.h"
#include "world/meet.h"

#include <math.h>
#include <string.h>

#define LM_MOST_WEIGHTS 5.0 // that any body carries
#define LM_MOST_STRAIN 0.25
#define LM_HELD 0.5   // of the acceleration of a free fall
#define LM_STORED 0.8 // of the speed that a body met with, in a step: it bounces by what it has stored of that

enum
{
	MATCH,
	DESIGN
};

// ---- creation

static lm_status create_guest(lm_visitor* v, int32_t id, lm_error* error)
{
	const lm_host* host = &v->object->host;
	if (v->design != NULL)
	{
		lm_status status = lm_design_make_guest(v->design, error);
		const lm_design_guest* g = v->design->guest;
		return status == LM_OK ? lm_act_guest_create(g->mesh, g->masses, id, host, &v->guest, error) : status;
	}
	double* masses = LM_NEW(host, lm_match_vertex_count(v->match), double);
	if (masses == NULL)
		return lm_fail_memory(error);
	lm_match_masses(v->match, masses);
	lm_status status = lm_act_guest_create(v->object->description->mesh, masses, id, host, &v->guest, error);
	lm_free(host, masses);
	return status;
}

lm_status lm_visitor_create(lm_visitor* v, lm_object* object, int32_t id, lm_error* error)
{
	v->object = object, v->match = lm_object_match(object), v->design = lm_object_design(object);
	if (v->design != NULL && object->description->design->simulated_count == 0)
		v->design = NULL;
	lm_blob_init(&v->before, &object->host);
	if (v->match == NULL && v->design == NULL)
		return LM_OK;
	lm_status status = create_guest(v, id, error);
	if (status != LM_OK)
		return status;
	v->guest->kind = v->match != NULL ? MATCH : DESIGN;
	v->guest->apart = object->apart, v->guest->without = object->without;
	v->size = v->guest->size;
	return LM_OK;
}

void lm_visitor_destroy(lm_visitor* v)
{
	lm_act_guest_destroy(v->guest);
	if (v->object != NULL)
		lm_blob_release(&v->before);
}

// ---- reading

bool lm_visitor_is_there(const lm_visitor* v)
{
	return v->match != NULL || (v->design != NULL && lm_design_is_free(v->design));
}

void lm_visitor_measure(const lm_visitor* v)
{
	if (v->match != NULL)
		lm_match_positions(v->match, v->guest->start), lm_match_velocities(v->match, v->guest->now);
	else
		lm_design_guest_points(v->design, v->design->time, v->guest->start, v->guest->now);
}

void lm_visitor_gravity(const lm_visitor* v, double gravity[3])
{
	memcpy(gravity, v->object->scene->gravity, 3 * sizeof *gravity);
	if (v->match != NULL)
		memcpy(gravity, lm_match_get_settings(v->match).gravity, 3 * sizeof *gravity);
}

double lm_visitor_friction(const lm_visitor* v)
{
	return v->match != NULL ? lm_match_get_settings(v->match).friction
	                        : v->object->description->design->dynamics.friction;
}

double lm_visitor_thickness(const lm_visitor* v)
{
	return v->match != NULL ? lm_match_get_settings(v->match).thickness : 0;
}

static double modulus_of(const lm_visitor* v)
{
	return v->match != NULL ? lm_match_modulus(v->match) : lm_design_modulus(v->design);
}

// ---- a trial

static lm_status save_match(lm_visitor* v, lm_error* error)
{
	v->before.size = v->before.cursor = 0, v->before.failed = false;
	lm_match_save(v->match, &v->before);
	return v->before.failed ? lm_fail_memory(error) : LM_OK;
}

static void begin_trial(lm_visitor* v, double h, double time)
{
	lm_act_guest* guest = v->guest;
	if (v->design != NULL)
	{
		lm_design_guest_points(v->design, time, guest->start, guest->now);
		guest->inertia = lm_design_inertia(v->design, h);
		lm_design_set_touched(v->design, guest->usual, guest->squeeze);
		return;
	}
	lm_match_positions(v->match, guest->start);
	lm_match_velocities(v->match, guest->now);
	guest->inertia = lm_match_inertia(v->match, h);
	lm_match_set_touched(v->match, guest->usual, guest->squeeze);
	lm_match_step(v->match, h, v->object->colliders, time);
}

// Simulated bodies of `design` are tried together.
static lm_status try_designs(lm_visitor* const* near, int32_t count, double h, double time, lm_error* error)
{
	lm_design_play* play = NULL;
	for (int32_t k = 0; k < count; ++k)
		if (near[k]->design != NULL)
			play = near[k]->design->play;
	if (play == NULL)
		return LM_OK;
	lm_status status = lm_design_play_try(play, h, error);
	for (int32_t k = 0; k < count; ++k)
		if (near[k]->design != NULL)
		{
			lm_design_guest_points(near[k]->design, time + h, near[k]->guest->trial, NULL);
			lm_design_set_touched(near[k]->design, NULL, NULL);
		}
	lm_status ended = lm_design_play_end_trial(play, status == LM_OK ? error : NULL);
	return status == LM_OK ? ended : status;
}

// Bodies of `match` that are tried touch each other.
static lm_status try_matches(lm_visitor* const* near, int32_t count, double h, lm_error* error)
{
	lm_match* bodies[LM_OBJECTS_MAX];
	int32_t matches = 0;
	for (int32_t k = 0; k < count; ++k)
		if (near[k]->match != NULL)
			bodies[matches++] = near[k]->match;
	lm_status status = matches > 0 ? lm_match_collide(bodies, matches, h, error) : LM_OK;
	for (int32_t k = 0; k < count; ++k)
	{
		lm_visitor* v = near[k];
		if (v->match == NULL)
			continue;
		lm_match_positions(v->match, v->guest->trial);
		lm_match_set_touched(v->match, NULL, NULL);
		lm_status loaded = lm_match_load(v->match, &v->before, status == LM_OK ? error : NULL);
		status = status == LM_OK ? loaded : status;
	}
	return status;
}

// Downwards, of the centre of mass: what the trial has done beside what the usual force and gravity do to a free body.
static void find_held(lm_visitor* v, double h)
{
	lm_act_guest* guest = v->guest;
	double gravity[3];
	lm_visitor_gravity(v, gravity);
	lm_vec3 g = lm_v3_at(gravity, 0), way = { 0 };
	double size = lm_length(g);
	for (int32_t i = 0; i < guest->count; ++i)
	{
		lm_vec3 gone = lm_sub(lm_v3_at(guest->trial, i), lm_v3_at(guest->start, i));
		way = lm_add_scaled(way, guest->masses[i] / guest->mass, lm_add_scaled(gone, -h, lm_v3_at(guest->now, i)));
	}
	double free = size > 0 ? lm_dot(lm_add_scaled(g, 1 / guest->mass, lm_v3_at(guest->usual, 0)), g) / size : 0;
	double tried = size > 0 ? guest->inertia / (h * h) * lm_dot(way, g) / size : 0;
	guest->held = free > LM_HELD * size && tried < LM_HELD * free;
}

lm_status lm_visitors_try(lm_visitor* const* near, int32_t count, double h, double time, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t k = 0; k < count && status == LM_OK; ++k)
		status = near[k]->match != NULL ? save_match(near[k], error) : LM_OK;
	if (status != LM_OK)
		return status;
	for (int32_t k = 0; k < count; ++k)
		begin_trial(near[k], h, time);
	status = try_designs(near, count, h, time, error);
	lm_status matches = try_matches(near, count, h, status == LM_OK ? error : NULL);
	for (int32_t k = 0; k < count; ++k)
		find_held(near[k], h);
	return status == LM_OK ? matches : status;
}

// ---- the step

static double gravity_of(const lm_visitor* v)
{
	double gravity[3];
	lm_visitor_gravity(v, gravity);
	return fmax(1, lm_length(lm_v3_at(gravity, 0)));
}

// A body gives way to a force that would crush it, or throw it faster than contact can: more than turns its speed
// around against what touches it (`speed`), some weights, and what strains it by LM_MOST_STRAIN. What is above goes
// through it, to the ground or whatever is behind.
static void limit_force(lm_visitor* v, double speed, double h)
{
	lm_act_guest* guest = v->guest;
	double limit =
		guest->mass * (2 * speed / h + LM_MOST_WEIGHTS * gravity_of(v) + LM_MOST_STRAIN * modulus_of(v) / guest->size);
	double force = lm_length(lm_v3_at(guest->wrench, 0));
	for (int k = 0; k < 6 && force > limit; ++k)
		guest->wrench[k] *= limit / force;
}

void lm_visitor_touch(lm_visitor* v, double h)
{
	lm_act_guest* guest = v->guest;
	if (guest->pressed > 0)
	{
		v->speeds = v->match != NULL ? lm_match_measure_speeds(v->match, guest->velocity)
		                             : (lm_match_speeds){ lm_design_speed_against(v->design, guest->velocity), 0, 0 };
		limit_force(v, v->speeds.centre, h);
	}
	if (v->match != NULL)
		lm_match_set_touched(v->match, guest->wrench, guest->squeeze);
	else
		lm_design_set_touched(v->design, guest->wrench, guest->squeeze);
}

void lm_visitor_leave(lm_visitor* v, double h)
{
	lm_act_guest* guest = v->guest;
	guest->met = guest->pressed > 0 ? fmax(LM_STORED * guest->met, v->speeds.centre) : 0;
	lm_match_speeds before = v->speeds;
	before.centre = fmax(before.centre, guest->met);
	lm_match_speeds most = lm_meet_most(gravity_of(v), before, guest->size, h);
	if (v->design != NULL)
	{
		lm_design_set_touched(v->design, NULL, NULL);
		if (guest->pressed > 0)
			lm_design_calm(v->design, guest->velocity, most.centre);
		lm_design_guest_points(v->design, v->design->time, guest->now, NULL);
		return;
	}
	lm_match_set_touched(v->match, NULL, NULL);
	if (guest->pressed > 0)
		lm_match_calm(v->match, guest->velocity, &most);
	lm_match_positions(v->match, guest->now);
}
