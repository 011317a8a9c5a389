// touches.c: what bodies touch (contact/touches.h), as links of systems, and the state of friction.
#include "act/touches.h"

#include "act/equation.h"
#include "act/guest.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#include <string.h>

#define LM_STATIC_STEP 1e-6 // s: in statics, whose steps are none of time, colliders do not move

lm_status lm_act_touches_create(lm_act* body, lm_act_physics* p, lm_error* error)
{
	const lm_host* host = &body->host;
	const lm_mesh* mesh = body->mesh;
	lm_touch_memory_init(&p->memory, host);
	lm_status status;
	if (body->dimension == 3)
	{
		lm_mesh surface = *mesh; // a shell is a sheet even where the mesh also has tetrahedra
		surface.tet_count = body->kind == LM_ACT_SHELL ? 0 : mesh->tet_count;
		status = lm_contact_body_create(&surface, host, &p->shape, error);
	}
	else
	{
		bool curve = body->kind == LM_ACT_CURVE2;
		for (int64_t i = 0; i < body->unknowns; ++i)
			p->target[i] = mesh->positions[i / 2 * 3 + i % 2];
		status =
			lm_contact_body_create_flat(body->vertex_count, p->target, curve ? mesh->edge_count : mesh->triangle_count,
		                                curve ? 2 : 3, curve ? mesh->edges : mesh->triangles, host, &p->shape, error);
	}
	if (status == LM_OK)
		status = lm_touches_create(host, &p->touches, error);
	if (status == LM_OK)
		status = lm_touches_create(host, &p->step_touches, error);
	return status;
}

lm_status lm_act_touches_carry(lm_act* body, const lm_act_def* def, lm_error* error)
{
	lm_binding_view rows = lm_binding_get(def->contacts);
	return lm_contact_body_carry(body->physics->shape, &rows, error);
}

void lm_act_touches_destroy(lm_act_physics* p, const lm_host* host)
{
	lm_contact_body_destroy(p->shape);
	lm_touch_memory_release(&p->memory);
	lm_touches_destroy(p->touches);
	lm_touches_destroy(p->step_touches);
	lm_act_system_release(&p->alone, host);
	lm_act_system_release(&p->island, host);
	lm_free(host, p->touch_bodies);
}

// Where they are predicted to go, or are now.
static int32_t describe_guests(const lm_act_physics* p, lm_touch_body* bodies, bool predicted)
{
	for (int32_t k = 0; k < p->guest_count; ++k)
	{
		const lm_act_guest* g = p->guests[k];
		bodies[k] = (lm_touch_body){ .shape = g->shape,
			                         .memory = &p->guests[k]->memory,
			                         .id = g->id,
			                         .start = g->start,
			                         .now = predicted ? g->trial : g->now,
			                         .stiffness = g->stiffness,
			                         .smoothing = g->smoothing,
			                         .slack = g->slack,
			                         .friction = g->friction,
			                         .thickness = g->thickness,
			                         .apart = g->apart,
			                         .without = g->without };
	}
	return p->guest_count;
}

// Bodies of a step as the contact module sees them, each where it is predicted to go, or at its y; then with guests.
static lm_touch_step describe(lm_act* owner, lm_act* const* bodies, int32_t count, const lm_colliders* colliders,
                              bool predicted)
{
	lm_act_physics* p = owner->physics;
	for (int32_t b = 0; b < count; ++b)
	{
		const lm_act_settings* s = &bodies[b]->settings;
		p->touch_bodies[b] = (lm_touch_body){ .shape = bodies[b]->physics->shape,
			                                  .memory = &bodies[b]->physics->memory,
			                                  .id = bodies[b]->id >= 0 ? bodies[b]->id : b,
			                                  .start = bodies[b]->x,
			                                  .now = predicted ? bodies[b]->physics->target : bodies[b]->y,
			                                  .stiffness = s->contact_stiffness,
			                                  .smoothing = s->contact_smoothing,
			                                  .slack = s->friction_slack,
			                                  .friction = s->friction,
			                                  .apart = bodies[b]->apart,
			                                  .without = bodies[b]->without };
	}
	return (lm_touch_step){ .bodies = p->touch_bodies,
		                    .count = count + describe_guests(bodies[0]->physics, p->touch_bodies + count, predicted),
		                    .colliders = colliders,
		                    .h = p->h,
		                    .focus = -1,
		                    .threads = owner->host.threads };
}

static bool reserve_bodies(lm_act* owner, lm_act* const* bodies, int32_t count)
{
	lm_act_physics* p = owner->physics;
	size_t all = (size_t)count + (size_t)bodies[0]->physics->guest_count;
	return lm_grow(&owner->host, (void**)&p->touch_bodies, &p->touch_body_capacity, all, sizeof *p->touch_bodies);
}

// ---- one body, its neighbours going on as they move

// A body of the touches that are found: one of `act`, or a guest, which goes where its trial went.
typedef struct foreseen
{
	const lm_act* body; // NULL: none of `act`
	const lm_act_guest* guest;
	const double* way;
} foreseen;

static foreseen foresee(lm_act* const* bodies, int32_t count, int32_t b)
{
	if (b < 0)
		return (foreseen){ 0 };
	if (b < count)
		return (foreseen){ bodies[b], NULL, bodies[b]->physics->target };
	const lm_act_guest* guest = bodies[0]->physics->guests[b - count];
	return (foreseen){ NULL, guest, guest->trial };
}

// Of guests, only what carries the body: the others are foreseen by their force of late (islands.c).
static bool is_foreseen(const lm_act* body, const lm_spring_touch* touch, const foreseen sides[2])
{
	for (int side = 0; side < 2; ++side)
		if (sides[side].guest != NULL)
			return lm_act_guest_carries(sides[side].guest, body, lm_scale(side ? 1 : -1, touch->spring.normal));
	return true;
}

// Links of the touches found for the body alone.
static bool link_alone(lm_act* body, lm_act* const* bodies, int32_t bodies_count, bool frictionless)
{
	lm_act_physics* p = body->physics;
	int64_t count;
	const lm_spring_touch* list = lm_touches_list(p->touches, &count);
	if (!lm_act_system_reset(&p->alone, 1, &body->host))
		return false;
	lm_act_system_add(&p->alone, body);
	for (int64_t k = 0; k < count; ++k)
	{
		lm_spring_touch touch = list[k];
		if (frictionless)
			touch.spring.friction = 0;
		const foreseen s[2] = { foresee(bodies, bodies_count, touch.a), foresee(bodies, bodies_count, touch.b) };
		if (is_foreseen(body, &touch, s) &&
		    !lm_act_system_link(&p->alone, &touch, s[0].body, s[0].way, s[1].body, s[1].way, &body->host))
			return false;
	}
	return true;
}

lm_status lm_act_touches_find(lm_act* body, lm_act* const* bodies, int32_t count, const lm_colliders* colliders,
                              bool frictionless, lm_error* error)
{
	if (!reserve_bodies(body, bodies, count))
		return lm_fail_memory(error);
	lm_touch_step step = describe(body, bodies, count, colliders, true);
	if (frictionless)
		step.h = LM_STATIC_STEP;
	for (int32_t b = 0; b < count; ++b)
		if (bodies[b] == body)
			step.focus = b;
	lm_status status = lm_touches_begin(body->physics->touches, &step, error);
	if (status == LM_OK && !link_alone(body, bodies, count, frictionless))
		status = lm_fail_memory(error);
	return status;
}

lm_status lm_act_touches_find_again(lm_act* body, const lm_colliders* colliders, bool* changed, lm_error* error)
{
	lm_touch_step step = describe(body, &body, 1, colliders, false);
	step.h = LM_STATIC_STEP;
	lm_status status = lm_touches_again(body->physics->touches, &step, changed, error);
	if (status == LM_OK && *changed && !link_alone(body, &body, 1, true))
		status = lm_fail_memory(error);
	return status;
}

// ---- all bodies of a step

lm_status lm_act_touches_find_all(lm_act* const* bodies, int32_t count, const lm_colliders* colliders, lm_error* error)
{
	if (!reserve_bodies(bodies[0], bodies, count))
		return lm_fail_memory(error);
	lm_touch_step step = describe(bodies[0], bodies, count, colliders, false);
	return lm_touches_begin(bodies[0]->physics->step_touches, &step, error);
}

lm_status lm_act_touches_find_all_again(lm_act* const* bodies, int32_t count, const lm_colliders* colliders,
                                        bool* changed, lm_error* error)
{
	lm_touch_step step = describe(bodies[0], bodies, count, colliders, false);
	return lm_touches_again(bodies[0]->physics->step_touches, &step, changed, error);
}

void lm_act_touches_store(lm_act* const* bodies, int32_t count, const lm_colliders* colliders)
{
	lm_touch_step step = describe(bodies[0], bodies, count, colliders, false);
	lm_touches_end(bodies[0]->physics->step_touches, &step);
}

void lm_act_set_touch(lm_act* body, int32_t id, const bool* apart, const bool* without)
{
	body->id = id, body->apart = apart, body->without = without;
}

// ---- state of friction

void lm_act_equation_clear_touches(lm_act* body)
{
	lm_touch_memory_clear(&body->physics->memory);
	memset(body->physics->guest_forces, 0, (size_t)body->unknowns * sizeof(double));
}

static bool has_guests(const lm_act* body)
{
	bool any = false;
	for (int64_t i = 0; i < body->unknowns; ++i)
		any = any || body->physics->guest_forces[i] != 0;
	return any;
}

uint64_t lm_act_equation_hash(const lm_act* body, uint64_t hash)
{
	if (has_guests(body))
		hash = lm_hash(hash, body->physics->guest_forces, (size_t)body->unknowns * sizeof(double));
	return lm_touch_memory_hash(&body->physics->memory, hash);
}

void lm_act_equation_save(const lm_act* body, lm_blob* blob)
{
	lm_blob_put(blob, body->physics->guest_forces, (size_t)body->unknowns * sizeof(double));
	lm_touch_memory_save(&body->physics->memory, blob);
}

lm_status lm_act_equation_load(lm_act* body, lm_blob* blob, lm_error* error)
{
	lm_touch_memory loaded;
	lm_touch_memory_init(&loaded, &body->host);
	lm_bytes_get((lm_bytes[]){ lm_doubles(body->physics->guest_forces, (size_t)body->unknowns) }, 1, blob);
	lm_status status = lm_touch_memory_load(&loaded, blob, error);
	lm_touch_memory* kept = &body->physics->memory;
	lm_touch_memory_release(status == LM_OK ? kept : &loaded);
	if (status == LM_OK)
		*kept = loaded;
	return status;
}

double lm_act_contact_force(const lm_act* body)
{
	double sum = 0;
	for (int32_t v = 0; v < body->vertex_count; ++v)
		sum += body->physics->normal_forces[v];
	return sum;
}

void lm_act_contact_forces(const lm_act* body, double* normal_forces)
{
	memcpy(normal_forces, body->physics->normal_forces, (size_t)body->vertex_count * sizeof *normal_forces);
}
