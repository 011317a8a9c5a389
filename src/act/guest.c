// guest.c: see guest.h.
#include "act/guest.h"

#include "act/equation.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "contact/body.h"
#include "math/svd.h"

#include <math.h>
#include <string.h>

#define LM_STIFF 100.0   // forces of strains, of those of inertia that move points by as much in a step
#define LM_FLATTEST 0.05 // of the longest axis: no other is shorter

static const double corners[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };

void lm_act_guest_destroy(lm_act_guest* guest)
{
	if (guest == NULL)
		return;
	lm_host host = guest->host;
	lm_act_destroy(guest->proxy);
	lm_contact_body_destroy(guest->shape);
	lm_touch_memory_release(&guest->memory);
	void* const owned[] = { guest->masses, guest->start, guest->trial, guest->now, guest };
	for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
		lm_free(&host, owned[k]);
}

// ---- the four points

static lm_vec3 centre_of(const lm_act_guest* guest, const double* positions)
{
	lm_vec3 sum = { 0 };
	for (int64_t v = 0; v < guest->count; ++v)
		sum = lm_add_scaled(sum, guest->masses[v] / guest->mass, lm_v3_at(positions, v));
	return sum;
}

// The points for a body that is there. Returns the mean of the squared half axes.
static double place_points(lm_act_guest* guest, const double* positions, double X[12])
{
	lm_mat3 moment = { 0 };
	guest->centre = centre_of(guest, positions);
	for (int64_t v = 0; v < guest->count; ++v)
	{
		lm_vec3 d = lm_sub(lm_v3_at(positions, v), guest->centre);
		lm_add_outer(&moment, guest->masses[v] / guest->mass, d, d);
	}
	lm_eigen axes = lm_eigen3(moment);
	if (lm_det(axes.V) < 0)
		axes.V = lm_columns(lm_column(axes.V, 0), lm_column(axes.V, 1), lm_scale(-1, lm_column(axes.V, 2)));
	double least = fmax(LM_FLATTEST * sqrt(fmax(axes.e.x, 0)), 1e-3 * guest->size);
	lm_vec3 half = { fmax(sqrt(fmax(axes.e.x, 0)), least), fmax(sqrt(fmax(axes.e.y, 0)), least),
		             fmax(sqrt(fmax(axes.e.z, 0)), least) };
	for (int n = 0; n < 4; ++n)
	{
		lm_vec3 at = { corners[n][0] * half.x, corners[n][1] * half.y, corners[n][2] * half.z };
		lm_v3_store(X, n, lm_add(guest->centre, lm_mul_v(axes.V, at)));
	}
	lm_vec3 origin = lm_v3_at(X, 0);
	lm_mat3 edges =
		lm_columns(lm_sub(lm_v3_at(X, 1), origin), lm_sub(lm_v3_at(X, 2), origin), lm_sub(lm_v3_at(X, 3), origin));
	lm_invert(edges, &guest->inverse);
	return lm_dot(half, half) / 3;
}

// Affine coordinates of a place among the four points.
static void find_weights(const lm_act_guest* guest, const double* X, lm_vec3 place, double weights[4])
{
	lm_v3_store(weights + 1, 0, lm_mul_v(guest->inverse, lm_sub(place, lm_v3_at(X, 0))));
	weights[0] = 1 - weights[1] - weights[2] - weights[3];
}

// ---- creation

static lm_status make_proxy(lm_act_guest* guest, const lm_mesh* mesh, lm_error* error)
{
	lm_mesh* points = lm_mesh_create(&guest->host, 4, 0, 1);
	if (points == NULL)
		return lm_fail_memory(error);
	place_points(guest, mesh->positions, points->positions);
	for (int n = 0; n < 4; ++n)
		points->tets[n] = n;
	lm_vec3 a = lm_v3_at(points->positions, 0), b = lm_sub(lm_v3_at(points->positions, 1), a);
	lm_vec3 c = lm_sub(lm_v3_at(points->positions, 2), a), d = lm_sub(lm_v3_at(points->positions, 3), a);
	if (lm_dot(lm_cross(b, c), d) < 0)
		points->tets[2] = 3, points->tets[3] = 2;
	const double masses[4] = { guest->mass / 4, guest->mass / 4, guest->mass / 4, guest->mass / 4 };
	lm_act_def def = lm_act_def_default();
	def.kind = LM_ACT_SOLID_GREEN, def.mesh = points, def.masses = masses;
	def.settings.material.volume = 0, def.settings.damping = 0;
	memset(def.settings.gravity, 0, sizeof def.settings.gravity);
	lm_status status = lm_act_create(&def, &guest->host, &guest->proxy, error);
	if (status == LM_OK)
		guest->proxy->proxy = true;
	lm_mesh_destroy(points);
	return status;
}

static lm_status build(lm_act_guest* guest, const lm_mesh* mesh, const double* masses, lm_error* error)
{
	const lm_host* host = &guest->host;
	size_t count = (size_t)guest->count;
	guest->masses = LM_NEW(host, count, double);
	guest->start = LM_NEW(host, 3 * count, double);
	guest->trial = LM_NEW(host, 3 * count, double);
	guest->now = LM_NEW(host, 3 * count, double);
	if (guest->masses == NULL || guest->start == NULL || guest->trial == NULL || guest->now == NULL)
		return lm_fail_memory(error);
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	for (int k = 0; k < 3; ++k)
		guest->size = fmax(guest->size, high[k] - low[k]);
	memcpy(guest->masses, masses, count * sizeof *masses);
	for (size_t v = 0; v < count; ++v)
		guest->mass += masses[v];
	lm_status status = lm_contact_body_create(mesh, host, &guest->shape, error);
	return status == LM_OK ? make_proxy(guest, mesh, error) : status;
}

lm_status lm_act_guest_create(const lm_mesh* mesh, const double* masses, int32_t id, const lm_host* host,
                              lm_act_guest** guest, lm_error* error)
{
	lm_act_guest* made = LM_NEW(host, 1, lm_act_guest);
	if (made == NULL)
		return lm_fail_memory(error);
	made->host = *host, made->id = id, made->count = mesh->vertex_count;
	lm_touch_memory_init(&made->memory, host);
	lm_status status = build(made, mesh, masses, error);
	if (status == LM_OK)
		*guest = made;
	else
		lm_act_guest_destroy(made);
	return status;
}

// ---- a step

lm_status lm_act_guest_begin(lm_act_guest* guest, double h, lm_error* error)
{
	lm_act* proxy = guest->proxy;
	double half2 = place_points(guest, guest->trial, proxy->X), volume = proxy->physics->shape->volumes[0] / 6;
	memcpy(proxy->x, proxy->X, 12 * sizeof *proxy->x);
	memset(proxy->v, 0, 12 * sizeof *proxy->v);
	proxy->mass = guest->inertia * guest->mass;
	for (int n = 0; n < 4; ++n)
		proxy->masses[n] = proxy->mass / 4;
	proxy->settings.material.stretch = LM_STIFF * proxy->mass * half2 / (h * h * volume);
	memcpy(guest->now, guest->trial, 3 * (size_t)guest->count * sizeof *guest->now);
	memset(guest->wrench, 0, sizeof guest->wrench);
	memset(guest->squeezed, 0, sizeof guest->squeezed);
	memset(guest->velocity, 0, sizeof guest->velocity);
	guest->pressed = 0;
	return lm_act_equation_begin(proxy, h, error);
}

// Forces at the four points that have this wrench about the centre and no strain: as those of a rigid motion.
static void add_wrench(const lm_act_guest* guest, const double wrench[6], double forces[12])
{
	lm_mat3 inertia = { 0 }, inverse;
	const double* X = guest->proxy->X;
	for (int n = 0; n < 4; ++n)
	{
		lm_vec3 d = lm_sub(lm_v3_at(X, n), guest->centre);
		for (int k = 0; k < 3; ++k)
			inertia.m[k][k] += lm_dot(d, d);
		lm_add_outer(&inertia, -1, d, d);
	}
	lm_vec3 turn = { 0 };
	if (lm_invert(inertia, &inverse))
		turn = lm_mul_v(inverse, lm_v3_at(wrench, 1));
	for (int n = 0; n < 4; ++n)
	{
		lm_vec3 d = lm_sub(lm_v3_at(X, n), guest->centre);
		lm_vec3 f = lm_add(lm_scale(0.25, lm_v3_at(wrench, 0)), lm_cross(turn, d));
		for (int k = 0; k < 3; ++k)
			forces[3 * n + k] += lm_v3_get(f, k);
	}
}

void lm_act_guest_balance(lm_act_guest* guest, const double others[12])
{
	lm_act* proxy = guest->proxy;
	double h = proxy->physics->h, forces[12];
	memcpy(forces, others, sizeof forces);
	add_wrench(guest, guest->usual, forces);
	for (int i = 0; i < 12; ++i)
		proxy->physics->target[i] = proxy->X[i] - h * h / proxy->masses[i / 3] * forces[i];
}

void lm_act_guest_add_force(lm_act_guest* guest, lm_vec3 at, lm_vec3 f, lm_vec3 velocity, double normal)
{
	guest->pressed += normal;
	for (int k = 0; k < 3; ++k)
		guest->velocity[k] += normal / guest->pressed * (lm_v3_get(velocity, k) - guest->velocity[k]);
	lm_vec3 d = lm_sub(at, guest->centre), torque = lm_cross(d, f);
	const double squeeze[6] = { d.x * f.x,
		                        d.y * f.y,
		                        d.z * f.z,
		                        (d.x * f.y + d.y * f.x) / 2,
		                        (d.x * f.z + d.z * f.x) / 2,
		                        (d.y * f.z + d.z * f.y) / 2 };
	for (int k = 0; k < 3; ++k)
	{
		guest->wrench[k] += lm_v3_get(f, k);
		guest->wrench[3 + k] += lm_v3_get(torque, k);
	}
	for (int k = 0; k < 6; ++k)
		guest->squeezed[k] += squeeze[k];
}

void lm_act_guest_move(lm_act_guest* guest)
{
	const lm_act* proxy = guest->proxy;
	for (int64_t v = 0; v < guest->count; ++v)
	{
		double weights[4];
		lm_vec3 at = { 0 };
		find_weights(guest, proxy->X, lm_v3_at(guest->trial, v), weights);
		for (int n = 0; n < 4; ++n)
			at = lm_add_scaled(at, weights[n], lm_v3_at(proxy->y, n));
		lm_v3_store(guest->now, v, at);
	}
}

// ---- touches

// One side of a touch, with the four points in place of the vertices begin .. end.
static void map_side(const lm_spring_touch* from, int32_t begin, int32_t end, const lm_act_guest* guest,
                     lm_spring_touch* to)
{
	double weights[4], sum = 0;
	lm_vec3 place = { 0 };
	for (int32_t i = begin; i < end; ++i)
	{
		sum += from->weight[i];
		place = lm_add_scaled(place, from->weight[i], lm_v3_at(guest->trial, from->vertex[i]));
	}
	double sign = sum < 0 ? -1 : 1; // the sum is 1 or -1
	find_weights(guest, guest->proxy->X, lm_scale(sign, place), weights);
	for (int n = 0; n < 4; ++n, ++to->count)
		to->vertex[to->count] = n, to->weight[to->count] = sign * weights[n];
}

lm_spring_touch lm_act_guest_map(const lm_spring_touch* touch, const lm_act_guest* a, const lm_act_guest* b)
{
	lm_spring_touch mapped = *touch;
	const lm_act_guest* const guests[2] = { a, b };
	mapped.count = 0;
	for (int side = 0; side < 2; ++side)
	{
		int32_t begin = side ? touch->own : 0, end = side ? touch->count : touch->own;
		if (guests[side] != NULL && end > begin)
			map_side(touch, begin, end, guests[side], &mapped);
		for (int32_t i = begin; guests[side] == NULL && i < end; ++i, ++mapped.count)
			mapped.vertex[mapped.count] = touch->vertex[i], mapped.weight[mapped.count] = touch->weight[i];
		if (side == 0)
			mapped.own = mapped.count;
	}
	return mapped;
}

#define LM_UPWARDS 0.5 // cosine

bool lm_act_guest_carries(const lm_act_guest* guest, const lm_act* body, lm_vec3 push)
{
	lm_vec3 g = lm_v3_at(body->settings.gravity, 0);
	return (guest->held || guest->mass >= body->mass) && -lm_dot(push, g) > LM_UPWARDS * lm_length(g);
}

// ---- from step to step

void lm_act_guest_follow(lm_act_guest* guest, double share)
{
	for (int i = 0; i < 6; ++i)
	{
		guest->usual[i] += share * (guest->wrench[i] - guest->usual[i]);
		guest->squeeze[i] += share * (guest->squeezed[i] - guest->squeeze[i]);
	}
}

void lm_act_guest_leave(lm_act_guest* guest)
{
	lm_touch_memory_clear(&guest->memory);
	memset(guest->usual, 0, sizeof guest->usual);
	memset(guest->squeeze, 0, sizeof guest->squeeze);
	guest->met = 0;
}

// ---- state

uint64_t lm_act_guest_hash(const lm_act_guest* guest, uint64_t hash)
{
	hash = lm_hash(hash, guest->usual, sizeof guest->usual);
	hash = lm_hash(hash, guest->squeeze, sizeof guest->squeeze);
	if (guest->met > 0)
		hash = lm_hash(hash, &guest->met, sizeof guest->met);
	return lm_touch_memory_hash(&guest->memory, hash);
}

void lm_act_guest_save(const lm_act_guest* guest, lm_blob* blob)
{
	lm_blob_put(blob, guest->usual, sizeof guest->usual);
	lm_blob_put(blob, guest->squeeze, sizeof guest->squeeze);
	lm_blob_put(blob, &guest->met, sizeof guest->met);
	lm_touch_memory_save(&guest->memory, blob);
}

lm_status lm_act_guest_load(lm_act_guest* guest, lm_blob* blob, lm_error* error)
{
	lm_touch_memory loaded;
	lm_touch_memory_init(&loaded, &guest->host);
	const lm_bytes parts[3] = { lm_doubles(guest->usual, 6), lm_doubles(guest->squeeze, 6),
		                        lm_doubles_in(&guest->met, 1, 0, LM_STATE_LARGEST) };
	lm_bytes_get(parts, 3, blob);
	lm_status status = lm_touch_memory_load(&loaded, blob, error);
	lm_touch_memory_release(status == LM_OK ? &guest->memory : &loaded);
	if (status == LM_OK)
		guest->memory = loaded;
	return status;
}
