// collide.c: contact of the particles of a body, by src/contact.
#include "base/error.h"
#include "contact/pairs.h"
#include "contact/particles.h"
#include "match/body.h"
#include "match/state.h"

static lm_particles view(lm_match* body)
{
	const lm_match_settings* settings = &body->settings;
	return (lm_particles){ .count = body->count,
		                   .x = body->x,
		                   .v = body->v,
		                   .inverse_mass = body->inverse_mass,
		                   .origin = { body->origin[0], body->origin[1], body->origin[2] },
		                   .friction = settings->friction,
		                   .restitution = settings->restitution,
		                   .thickness = settings->thickness,
		                   .gravity = lm_length(lm_v3_at(settings->gravity, 0)),
		                   .id = body->id,
		                   .apart = body->apart };
}

void lm_match_set_touch(lm_match* body, int32_t id, const bool* apart)
{
	body->id = id, body->apart = apart;
}

static lm_vec3 momentum(const lm_match* body)
{
	lm_vec3 sum = { 0 };
	for (int64_t i = 0; i < body->count; ++i)
		sum = lm_add_scaled(sum, (double)body->mass[i], lm_particle_at(body->v, i));
	return sum;
}

void lm_match_touch(lm_match* body, double h, lm_colliders* colliders, double time)
{
	bool measured = body->measures_contact && body->pending.taken + 1 == body->pending.steps;
	if (measured)
	{
		body->report.contact_force = 0;
		body->report.touch_force = body->touched.on ? lm_length(body->touched.force) : 0;
	}
	if (colliders == NULL || lm_colliders_count(colliders) == 0)
		return;
	lm_colliders_set_time(colliders, time);
	lm_particles particles = view(body);
	double deepest = 0;
	lm_vec3 before = measured ? momentum(body) : lm_v3(0, 0, 0);
	if (body->surface != NULL)
		deepest = lm_match_touch_surface(body, colliders, &particles, h);
	else
		lm_contact_colliders(colliders, &particles, h, body->threads, &deepest);
	if (measured)
	{
		body->report.contact_force = lm_distance(momentum(body), before) / h;
		body->report.touch_force += body->report.contact_force;
	}
	if (deepest > body->report.max_penetration)
		body->report.max_penetration = deepest;
}

// What one call of lm_match_collide needs besides the bodies. Kept by the first of them, so that later calls allocate
// nothing.
struct lm_match_meeting
{
	lm_contact_pairs* pairs;
	size_t capacity; // of each array
	lm_contact_body** shapes;
	lm_particles* particles;
	bool* self;
	double* deepest;
	lm_vec3* momenta; // before
};

static void release_arrays(const lm_host* host, lm_match_meeting* meeting)
{
	lm_free(host, meeting->shapes);
	lm_free(host, meeting->particles);
	lm_free(host, meeting->self);
	lm_free(host, meeting->deepest);
	lm_free(host, meeting->momenta);
	meeting->momenta = NULL, meeting->shapes = NULL, meeting->particles = NULL, meeting->self = NULL,
	meeting->deepest = NULL;
	meeting->capacity = 0;
}

void lm_match_release_contact(lm_match* body)
{
	lm_contact_body_destroy(body->contact_shape);
	lm_mesh_destroy(body->rest_mesh);
	if (body->meeting == NULL)
		return;
	release_arrays(&body->host, body->meeting);
	lm_contact_pairs_destroy(body->meeting->pairs);
	lm_free(&body->host, body->meeting);
}

// The rest shape in our order, from which the shape for contact is made when it is first asked for.
lm_status lm_match_keep_mesh(lm_match* body, const lm_mesh* mesh, lm_error* error)
{
	body->rest_mesh = lm_mesh_create(&body->host, mesh->vertex_count, mesh->triangle_count, mesh->tet_count);
	if (body->rest_mesh == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < body->count; ++i)
		lm_v3_store(body->rest_mesh->positions, i, lm_v3_at(mesh->positions, body->to_user[i]));
	for (int64_t k = 0; k < 3 * (int64_t)mesh->triangle_count; ++k)
		body->rest_mesh->triangles[k] = body->to_inner[mesh->triangles[k]];
	for (int64_t k = 0; k < 4 * (int64_t)mesh->tet_count; ++k)
		body->rest_mesh->tets[k] = body->to_inner[mesh->tets[k]];
	return LM_OK;
}

static lm_status prepare_shape(lm_match* body, lm_error* error)
{
	if (body->contact_shape != NULL)
		return LM_OK;
	lm_status status = lm_contact_body_create(body->rest_mesh, &body->host, &body->contact_shape, error);
	if (status == LM_OK)
	{
		lm_mesh_destroy(body->rest_mesh);
		body->rest_mesh = NULL;
	}
	return status;
}

static lm_status prepare_meeting(lm_match* body, size_t count, lm_error* error)
{
	const lm_host* host = &body->host;
	if (body->meeting == NULL && (body->meeting = LM_NEW(host, 1, lm_match_meeting)) == NULL)
		return lm_fail_memory(error);
	lm_match_meeting* meeting = body->meeting;
	if (meeting->pairs == NULL)
	{
		lm_status status = lm_contact_pairs_create(host, &meeting->pairs, error);
		if (status != LM_OK)
			return status;
	}
	if (meeting->capacity >= count)
		return LM_OK;
	release_arrays(host, meeting);
	meeting->shapes = LM_NEW(host, count, lm_contact_body*);
	meeting->particles = LM_NEW(host, count, lm_particles);
	meeting->self = LM_NEW(host, count, bool);
	meeting->deepest = LM_NEW(host, count, double);
	meeting->momenta = LM_NEW(host, count, lm_vec3);
	if (meeting->shapes == NULL || meeting->particles == NULL || meeting->self == NULL || meeting->deepest == NULL ||
	    meeting->momenta == NULL)
	{
		release_arrays(host, meeting);
		return lm_fail_memory(error);
	}
	meeting->capacity = count;
	return LM_OK;
}

static lm_status resolve(lm_match* const* bodies, int32_t count, double h, lm_error* error)
{
	lm_match_meeting* meeting = bodies[0]->meeting;
	int threads = 1;
	int64_t particles = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		meeting->shapes[i] = bodies[i]->contact_shape;
		meeting->particles[i] = view(bodies[i]);
		meeting->self[i] = bodies[i]->settings.self_contact;
		meeting->deepest[i] = 0;
		if (bodies[i]->measures_contact)
			meeting->momenta[i] = momentum(bodies[i]);
		threads = bodies[i]->host.threads > threads ? bodies[i]->host.threads : threads;
		particles += bodies[i]->count;
	}
	if (particles < 32 * LM_CHUNK) // waking threads costs more than they would save
		threads = 1;
	lm_status status = lm_contact_pairs_resolve(meeting->pairs, meeting->shapes, meeting->particles, meeting->self,
	                                            count, h, threads, meeting->deepest, error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		lm_match_report* report = &bodies[i]->report;
		report->max_penetration = fmax(report->max_penetration, meeting->deepest[i]);
		if (bodies[i]->measures_contact)
			report->touch_force += lm_distance(momentum(bodies[i]), meeting->momenta[i]) / h;
	}
	return status;
}

lm_status lm_match_collide(lm_match* const* bodies, int32_t count, double h, lm_error* error)
{
	lm_status status = LM_OK;
	bool alone = count < 1 || (count == 1 && !bodies[0]->settings.self_contact);
	if (!alone)
		status = prepare_meeting(bodies[0], (size_t)count, error);
	for (int32_t i = 0; !alone && status == LM_OK && i < count; ++i)
		status = prepare_shape(bodies[i], error);
	int32_t rounds = lm_match_count_rounds(bodies, count);
	for (int32_t round = 0; round < rounds; ++round)
	{
		double inner = lm_match_take_round(bodies, count, round, rounds, h);
		if (!alone && status == LM_OK)
			status = resolve(bodies, count, inner, error);
	}
	lm_match_look_around(bodies, count, h);
	return status;
}
