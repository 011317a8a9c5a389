// guest.c: see guest.h.
#include "objects/design/guest.h"

#include "base/alloc.h"
#include "base/error.h"
#include "objects/design/play.h"

#include <math.h>
#include <string.h>

#define LM_CELLS 40.0   // that the volume of what others touch is divided into
#define LM_HELD_HZ 12.0 // of the springs of a pin, on the whole body

// ---- making -----------------------------------------------------------------------------------------------------

void lm_design_guest_destroy(lm_design_guest* guest)
{
	if (guest == NULL)
		return;
	const lm_host host = guest->host;
	lm_mesh_destroy(guest->mesh);
	lm_design_rows_release(&guest->rows, &host);
	lm_free(&host, guest->masses);
	lm_free(&host, guest);
}

double lm_design_mass_of(const lm_design_object* object)
{
	const lm_scene_object* description = object->base.description;
	const lm_design_model* m = object->model;
	if (description->design->simulated_count == 0 || m == NULL)
		return 0;
	return description->density * m->grid.material * pow(m->grid.h * m->size, 3);
}

// A mesh inside, or around what has no inside.
static lm_status make_mesh(lm_design_guest* guest, const lm_design_object* object, lm_error* error)
{
	const lm_design_model* m = object->model;
	const lm_mesh* surface = object->base.description->mesh;
	lm_lattice_settings settings = lm_lattice_settings_default();
	settings.size = m->grid.h * m->size * cbrt(m->grid.material / LM_CELLS);
	lm_fitted* fitted = NULL;
	lm_status status = lm_fitted_create(surface, &settings, &guest->host, &fitted, NULL);
	if (status == LM_OK)
	{
		guest->mesh = lm_mesh_copy(fitted->mesh, &guest->host);
		guest->masses = lm_copy(&guest->host, fitted->volumes, (size_t)fitted->mesh->vertex_count, sizeof(double));
		lm_fitted_destroy(fitted);
		return guest->mesh != NULL && guest->masses != NULL ? LM_OK : lm_fail_memory(error);
	}
	if (status != LM_BAD_INPUT)
		return lm_fail_memory(error);
	status = lm_lattice_create(surface, &settings, &guest->host, &guest->mesh, error);
	if (status != LM_OK)
		return status;
	guest->masses = LM_NEW(&guest->host, guest->mesh->vertex_count, double);
	for (int32_t v = 0; guest->masses != NULL && v < guest->mesh->vertex_count; ++v)
		guest->masses[v] = 1;
	return guest->masses != NULL ? LM_OK : lm_fail_memory(error);
}

// The points in the coordinates of the model; masses that add up to that of the object.
static lm_status bind(lm_design_guest* guest, const lm_design_object* object, lm_error* error)
{
	const lm_design_model* m = object->model;
	int32_t count = guest->mesh->vertex_count;
	double sum = 0, *own = LM_NEW(&guest->host, 3 * (size_t)count, double);
	if (own == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < count; ++v)
	{
		lm_v3_store(own, v, lm_scale(1 / m->size, lm_sub(lm_v3_at(guest->mesh->positions, v), m->center)));
		sum += guest->masses[v];
	}
	for (int32_t v = 0; v < count; ++v)
		guest->masses[v] *= lm_design_mass_of(object) / sum;
	lm_status status = lm_design_rows_create(m, own, count, false, &guest->host, &guest->rows, error);
	lm_free(&guest->host, own);
	return status;
}

lm_status lm_design_make_guest(lm_design_object* object, lm_error* error)
{
	if (object->guest != NULL)
		return LM_OK;
	lm_status status = lm_design_make_model(object, error);
	lm_design_guest* guest = status == LM_OK ? LM_NEW(&object->base.host, 1, lm_design_guest) : NULL;
	if (guest == NULL)
		return status != LM_OK ? status : lm_fail_memory(error);
	guest->host = object->base.host;
	status = make_mesh(guest, object, error);
	if (status == LM_OK)
		status = bind(guest, object, error);
	if (status == LM_OK)
		object->guest = guest;
	else
		lm_design_guest_destroy(guest);
	return status;
}

// ---- reading ----------------------------------------------------------------------------------------------------

static lm_design_sim_body* body_of(const lm_design_object* object)
{
	return &object->play->performance->sim->bodies[object->number];
}

bool lm_design_is_free(const lm_design_object* object)
{
	if (object->play == NULL || object->play->performance->finished)
		return false;
	const lm_design_performance* p = object->play->performance;
	return p->span.steps > 0 && lm_design_performer_is_simulated(&p->performers[object->number]);
}

double lm_design_modulus(const lm_design_object* object)
{
	double speed = 2 * LM_PI * object->base.description->design->dynamics.frequency * object->model->size;
	return speed * speed;
}

double lm_design_inertia(const lm_design_object* object, double h)
{
	double steps = fmax(1, ceil(h * object->play->performance->settings.rate - 1e-6));
	return 2 * steps / (steps + 1);
}

static void apply(const lm_design_rows* rows, const double* nodes, double scale, lm_vec3 origin, double* to)
{
	for (int32_t v = 0; v < rows->count; ++v)
	{
		lm_vec3 x = { 0, 0, 0 };
		for (int64_t e = rows->start[v]; e < rows->start[v + 1]; ++e)
			x = lm_add_scaled(x, rows->phi[e], lm_v3_at(nodes, rows->node[e]));
		lm_v3_store(to, v, lm_add_scaled(origin, scale, x));
	}
}

void lm_design_guest_points(const lm_design_object* object, double time, double* positions, double* velocities)
{
	const lm_design_model* m = object->model;
	const double *y = object->other, *v = object->other + 3 * (size_t)m->node_count;
	if (lm_design_is_free(object))
		y = body_of(object)->y, v = body_of(object)->v;
	else
		lm_design_course_at(lm_design_course_of(object), time, object->other,
		                    object->other + 3 * (size_t)m->node_count);
	apply(&object->guest->rows, y, m->size, m->center, positions);
	if (velocities != NULL)
		apply(&object->guest->rows, v, m->size, (lm_vec3){ 0, 0, 0 }, velocities);
}

double lm_design_speed_against(const lm_design_object* object, const double velocity[3])
{
	if (!lm_design_is_free(object))
		return 0;
	lm_vec3 v = lm_design_sim_speed(object->play->performance->sim, object->number);
	return lm_distance(lm_scale(object->model->size, v), lm_v3_at(velocity, 0));
}

void lm_design_velocities(const lm_object* base, double* velocities)
{
	const lm_design_object* object = (const lm_design_object*)base;
	memset(velocities, 0, 3 * (size_t)base->description->mesh->vertex_count * sizeof *velocities);
	if (lm_design_is_free(object))
		apply(&object->model->skin, body_of(object)->v, object->model->size, (lm_vec3){ 0, 0, 0 }, velocities);
}

// Shared out evenly.
double lm_design_mass_at(const lm_object* base, const int32_t* vertices, int32_t count)
{
	(void)vertices;
	return lm_design_mass_of((const lm_design_object*)base) * count / base->description->mesh->vertex_count;
}

// ---- being touched ----------------------------------------------------------------------------------------------

void lm_design_calm(lm_design_object* object, const double velocity[3], double most)
{
	double speed = lm_design_speed_against(object, velocity);
	if (!(speed > most))
		return;
	lm_design_sim* sim = object->play->performance->sim;
	lm_vec3 own = lm_scale(object->model->size, lm_design_sim_speed(sim, object->number));
	lm_vec3 less = lm_scale((most / speed - 1) / object->model->size, lm_sub(own, lm_v3_at(velocity, 0)));
	double* v = sim->bodies[object->number].v;
	for (int32_t i = 0; i < object->model->node_count; ++i)
		lm_v3_store(v, i, lm_add(lm_v3_at(v, i), less));
}

static lm_design_load load_by(const double wrench[6], const double squeeze[6])
{
	lm_design_load load = { .on = wrench != NULL };
	if (load.on)
		memcpy(load.wrench, wrench, sizeof load.wrench), memcpy(load.squeeze, squeeze, sizeof load.squeeze);
	return load;
}

void lm_design_set_touched(lm_design_object* object, const double wrench[6], const double squeeze[6])
{
	object->touched = load_by(wrench, squeeze);
}

void lm_design_set_pushed(lm_design_object* object, const double wrench[6], const double squeeze[6])
{
	object->pushed = load_by(wrench, squeeze);
}

void lm_design_apply_loads(lm_design_object* object)
{
	if (!lm_design_is_free(object))
		return;
	lm_design_sim* sim = object->play->performance->sim;
	const lm_design_load* const loads[2] = { &object->touched, &object->pushed };
	lm_design_sim_leave(sim, object->number);
	for (int k = 0; k < 2; ++k)
		if (loads[k]->on)
			lm_design_sim_touch(sim, object->number, lm_design_mass_of(object), loads[k]->wrench, loads[k]->squeeze);
}

void lm_design_let_go(lm_design_object* object)
{
	if (object->play != NULL && object->play->performance->sim != NULL)
		lm_design_sim_let_go(object->play->performance->sim, object->number);
}

bool lm_design_can_be_held(const lm_object* base)
{
	return base->description->design->simulated_count > 0;
}

void lm_design_drag(lm_object* base, int32_t vertex, const double target[3], double strength)
{
	lm_design_object* object = (lm_design_object*)base;
	if (lm_design_is_free(object) && strength > 0)
		lm_design_sim_hold(object->play->performance->sim, object->number, lm_design_mass_of(object),
		                   &object->model->skin, vertex, target, strength);
}

// By springs, which are stiff: in an implicit step that is as good.
lm_status lm_design_pin(lm_object* base, int32_t vertex, const double position[3], lm_error* error)
{
	(void)error;
	double speed = 2 * LM_PI * LM_HELD_HZ;
	lm_design_drag(base, vertex, position, lm_design_mass_of((lm_design_object*)base) * speed * speed);
	return LM_OK;
}

void lm_design_unpin(lm_object* base, int32_t vertex)
{
	(void)base, (void)vertex; // what holds is told in each step
}

void lm_design_push(lm_object* base, const int32_t* vertices, int32_t count, const double impulse[3])
{
	lm_design_object* object = (lm_design_object*)base;
	if (!lm_design_is_free(object))
		return;
	const lm_design_rows* skin = &object->model->skin;
	const lm_design_sim_body* body = body_of(object);
	lm_vec3 at = { 0, 0, 0 }, middle = { 0, 0, 0 };
	for (int32_t k = 0; k < count; ++k)
		for (int64_t e = skin->start[vertices[k]]; e < skin->start[vertices[k] + 1]; ++e)
			at = lm_add_scaled(at, skin->phi[e] / count, lm_v3_at(body->y, skin->node[e]));
	lm_mat3 inertia;
	lm_design_sim* sim = object->play->performance->sim;
	lm_design_sim_spin_of(sim, object->number, body->y, body->v, &middle, &inertia);
	lm_vec3 torque = lm_cross(lm_scale(object->model->size, lm_sub(at, middle)), lm_v3_at(impulse, 0));
	const double blow[6] = { impulse[0], impulse[1], impulse[2], torque.x, torque.y, torque.z };
	lm_design_sim_kick(sim, object->number, lm_design_mass_of(object), blow);
}
