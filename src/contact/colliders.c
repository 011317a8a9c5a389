// colliders.c: the set of colliders: checking what the artist gave, moving in time, and asking for the deepest contact.
#include "contact/colliders.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <stdio.h>

#define LARGEST 1e9  // metres and seconds; beyond it squares of distances lose all meaning
#define NOWHERE 1e18 // m: nothing comes near

lm_collider_def lm_collider_def_default(void)
{
	return (lm_collider_def){
		.shape = LM_SHAPE_PLANE, .radius = 0.5, .half = { 0.5, 0.5, 0.5 }, .half_length = 0.5, .friction = 0.5
	};
}

// ---- checking

typedef struct check
{
	char where[64];
	lm_error* error;
} check;

static bool in_range(double value, double low, double high)
{
	return value >= low && value <= high; // false for NaN
}

#define REFUSE(check, ...) lm_fail_at((check)->error, LM_BAD_INPUT, NULL, (check)->where, __VA_ARGS__)

static lm_status check_length(const check* at, const char* name, double value, bool zero_allowed)
{
	if ((value > 0 || (zero_allowed && value == 0)) && value <= LARGEST)
		return LM_OK;
	return REFUSE(at, "%s is %g; it must be %s 0 and at most %g metres", name, value,
	              zero_allowed ? "at least" : "above", LARGEST);
}

static bool has_area(const lm_mesh* mesh, const int32_t corners[3])
{
	lm_vec3 a = lm_v3_at(mesh->positions, corners[0]), b = lm_v3_at(mesh->positions, corners[1]);
	return lm_length(lm_cross(lm_sub(b, a), lm_sub(lm_v3_at(mesh->positions, corners[2]), a))) > 1e-300;
}

static lm_status check_mesh(const check* at, const lm_mesh* mesh)
{
	if (!mesh)
		return REFUSE(at, "a mesh collider has no mesh; give one with triangles");
	if (mesh->triangle_count <= 0 || mesh->vertex_count <= 0)
		return REFUSE(at,
		              "the mesh has no triangles; a collider needs at least one (extract the surface of tetrahedra)");
	for (int64_t v = 0; v < mesh->vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
			if (!in_range(mesh->positions[3 * v + k], -LARGEST, LARGEST))
			{
				lm_status status =
					REFUSE(at, "vertex %lld of the mesh has a coordinate of %g; all must be finite and within %g m",
				           (long long)v, mesh->positions[3 * v + k], LARGEST);
				if (at->error)
					at->error->element = v;
				return status;
			}
	for (int64_t k = 0; k < 3 * (int64_t)mesh->triangle_count; ++k)
		if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count)
			return REFUSE(at, "triangle %lld of the mesh names vertex %d, but there are only %d (0 to %d)",
			              (long long)(k / 3), mesh->triangles[k], mesh->vertex_count, mesh->vertex_count - 1);
	for (int64_t t = 0; t < mesh->triangle_count; ++t)
		if (has_area(mesh, mesh->triangles + 3 * t))
			return LM_OK;
	return REFUSE(at, "no triangle of the mesh has any area; a collider needs at least one that does");
}

static lm_status check_shape(const check* at, const lm_collider_def* def)
{
	static const char* const names[3] = { "half[0] of the box", "half[1] of the box", "half[2] of the box" };
	switch (def->shape)
	{
		case LM_SHAPE_PLANE: return LM_OK;
		case LM_SHAPE_SPHERE: return check_length(at, "radius of the sphere", def->radius, false);
		case LM_SHAPE_BOX:
			for (int k = 0; k < 3; ++k)
			{
				lm_status status = check_length(at, names[k], def->half[k], false);
				if (status != LM_OK)
					return status;
			}
			return LM_OK;
		case LM_SHAPE_CAPSULE:
		{
			lm_status status = check_length(at, "radius of the capsule", def->radius, false);
			return status == LM_OK ? check_length(at, "half_length of the capsule", def->half_length, true) : status;
		}
		case LM_SHAPE_MESH: return check_mesh(at, def->mesh);
	}
	return REFUSE(at, "shape %d is unknown; use plane, sphere, box, capsule or mesh", (int)def->shape);
}

static lm_status check_key(const check* at, const lm_placement_key* keys, int32_t i)
{
	const lm_placement_key* key = &keys[i];
	if (!in_range(key->time, -LARGEST, LARGEST))
		return REFUSE(at, "the time of key %d is %g; it must be a finite number of seconds", i, key->time);
	if (i > 0 && !(key->time > keys[i - 1].time))
		return REFUSE(at, "key %d is at %g s, which is not after key %d at %g s; times must ascend", i, key->time,
		              i - 1, keys[i - 1].time);
	for (int k = 0; k < 3; ++k)
		if (!in_range(key->position[k], -LARGEST, LARGEST))
			return REFUSE(at, "the position of key %d has a coordinate of %g; it must be finite and within %g m", i,
			              key->position[k], LARGEST);
	double square = 0;
	for (int k = 0; k < 4; ++k)
		square += key->rotation[k] * key->rotation[k];
	if (!in_range(square, 1e-24, 1e24))
		return REFUSE(at, "the rotation of key %d is not a quaternion (w, x, y, z); no rotation is (1, 0, 0, 0)", i);
	return LM_OK;
}

static lm_status check_frames(const check* at, const lm_collider_def* def)
{
	const lm_collider_frames* frames = &def->frames;
	if (frames->count == 0)
		return LM_OK;
	if (frames->count < 0 || def->shape != LM_SHAPE_MESH || frames->times == NULL || frames->positions == NULL)
		return REFUSE(at, "there are %d frames, and %s; frames are times and positions of a mesh's vertices",
		              frames->count, def->shape != LM_SHAPE_MESH ? "no mesh" : "no list of them");
	for (int32_t k = 0; k < frames->count; ++k)
		if (!in_range(frames->times[k], k > 0 ? frames->times[k - 1] : -LARGEST, LARGEST) ||
		    (k > 0 && frames->times[k] == frames->times[k - 1]))
			return REFUSE(at, "the time of frame %d is %g; times must ascend", k, frames->times[k]);
	int64_t numbers = 3 * (int64_t)def->mesh->vertex_count;
	for (int64_t i = 0; i < numbers * frames->count; ++i)
		if (!in_range(frames->positions[i], -LARGEST, LARGEST))
			return REFUSE(at, "vertex %lld has a coordinate of %g in frame %lld; all must be finite and within %g m",
			              (long long)(i % numbers / 3), frames->positions[i], (long long)(i / numbers), LARGEST);
	return LM_OK;
}

static lm_status check_def(const lm_collider_def* def, int32_t index, lm_error* error)
{
	check at = { .error = error };
	snprintf(at.where, sizeof at.where, "colliders[%d]", index);
	lm_status status = check_shape(&at, def);
	if (status == LM_OK)
		status = check_frames(&at, def);
	if (status != LM_OK)
		return status;
	if (!in_range(def->friction, 0, LARGEST))
		return REFUSE(&at, "friction is %g; it must be 0 or above (0.5 is usual)", def->friction);
	if (!in_range(def->restitution, 0, 1))
		return REFUSE(&at, "restitution is %g; it must be from 0 (no bounce) to 1 (full bounce)", def->restitution);
	if (def->key_count < 1 || !def->keys)
		return REFUSE(&at, "there are no keys; one says where the collider rests, several how it moves");
	for (int32_t i = 0; i < def->key_count && status == LM_OK; ++i)
		status = check_key(&at, def->keys, i);
	return status;
}

// ---- making

static bool make_collider(const lm_collider_def* def, const lm_host* host, lm_collider* collider)
{
	*collider = (lm_collider){ .solid = { .shape = def->shape,
		                                  .radius = def->radius,
		                                  .half_length = def->half_length,
		                                  .half = lm_v3(def->half[0], def->half[1], def->half[2]) },
		                       .friction = def->friction,
		                       .restitution = def->restitution,
		                       .key_count = def->key_count,
		                       .frames = def->frames,
		                       .shaped = NAN };
	collider->keys = lm_copy(host, def->keys, (size_t)def->key_count, sizeof *def->keys);
	if (collider->keys && def->shape == LM_SHAPE_MESH)
		collider->solid.surface = lm_contact_surface_create(def->mesh, lm_collider_deforms(&def->frames), host);
	return collider->keys && (def->shape != LM_SHAPE_MESH || collider->solid.surface);
}

lm_status lm_colliders_create(const lm_collider_def* defs, int32_t count, const lm_host* host, lm_colliders** colliders,
                              lm_error* error)
{
	assert(host && colliders);
	if (count < 0 || (count > 0 && !defs))
		return lm_fail(error, LM_BAD_INPUT, "there are %d colliders, and %s; give an array of as many, or 0", count,
		               defs ? "an array of them" : "no array of them");
	for (int32_t i = 0; i < count; ++i)
	{
		lm_status status = check_def(&defs[i], i, error);
		if (status != LM_OK)
			return status;
	}
	lm_colliders* made = LM_NEW(host, 1, lm_colliders);
	if (!made)
		return lm_fail_memory(error);
	made->host = *host;
	made->items = LM_NEW(host, count, lm_collider);
	for (int32_t i = 0; made->items && i < count; ++i)
	{
		made->count = i + 1; // a half-made one is released too
		if (!make_collider(&defs[i], host, &made->items[i]))
		{
			lm_colliders_destroy(made);
			return lm_fail_memory(error);
		}
	}
	if (!made->items)
	{
		lm_colliders_destroy(made);
		return lm_fail_memory(error);
	}
	lm_colliders_set_time(made, 0);
	*colliders = made;
	return LM_OK;
}

void lm_colliders_destroy(lm_colliders* colliders)
{
	if (!colliders)
		return;
	lm_host host = colliders->host;
	for (int32_t i = 0; i < colliders->count; ++i)
	{
		lm_contact_surface_destroy(colliders->items[i].solid.surface);
		lm_free(&host, colliders->items[i].keys);
	}
	lm_free(&host, colliders->items);
	lm_free(&host, colliders);
}

int32_t lm_colliders_count(const lm_colliders* colliders)
{
	return colliders->count;
}

// ---- moving and asking

void lm_solid_world_bounds(const lm_solid* solid, const lm_placement* placement, lm_vec3* low, lm_vec3* high)
{
	if (solid->shape == LM_SHAPE_PLANE)
	{
		*low = lm_v3(-INFINITY, -INFINITY, -INFINITY), *high = lm_scale(-1, *low);
		return;
	}
	lm_solid_bounds(solid, low, high);
	lm_vec3 center = lm_placement_to_world(placement, lm_lerp(*low, *high, 0.5)),
			half = lm_scale(0.5, lm_sub(*high, *low));
	double extent[3];
	for (int i = 0; i < 3; ++i)
	{
		const double* row = placement->R.m[i];
		extent[i] = fabs(row[0]) * half.x + fabs(row[1]) * half.y + fabs(row[2]) * half.z;
	}
	lm_vec3 reach = lm_v3(extent[0], extent[1], extent[2]);
	*low = lm_sub(center, reach), *high = lm_add(center, reach);
}

static void put_shape(lm_collider* item, double time)
{
	lm_contact_surface* surface = item->solid.surface;
	if (!lm_collider_deforms(&item->frames) || item->shaped == time)
		return;
	lm_collider_frames_at(&item->frames, surface->vertex_count, time, surface->positions, surface->speeds);
	lm_contact_surface_move(surface);
	item->shaped = time;
}

void lm_colliders_forget_shapes(lm_colliders* colliders)
{
	for (int32_t i = 0; i < colliders->count; ++i)
		colliders->items[i].shaped = NAN;
}

void lm_colliders_switch(lm_colliders* colliders, const void* context, bool on)
{
	for (int32_t i = 0; i < colliders->count; ++i)
		if (colliders->items[i].frames.context == context)
			colliders->items[i].off = !on;
}

void lm_colliders_set_time(lm_colliders* colliders, double time)
{
	assert(isfinite(time));
	colliders->time = time;
	for (int32_t i = 0; i < colliders->count; ++i)
	{
		lm_collider* item = &colliders->items[i];
		item->now = lm_placement_at(item->keys, item->key_count, time);
		if (item->off)
		{
			item->low = item->high = lm_v3(NOWHERE, NOWHERE, NOWHERE);
			continue;
		}
		put_shape(item, time);
		lm_solid_world_bounds(&item->solid, &item->now, &item->low, &item->high);
	}
}

void lm_colliders_placement(const lm_colliders* colliders, int32_t i, double position[3], double rotation[4])
{
	assert(i >= 0 && i < colliders->count);
	const lm_placement* now = &colliders->items[i].now;
	lm_v3_store(position, 0, now->position);
	rotation[0] = now->rotation.w, rotation[1] = now->rotation.x;
	rotation[2] = now->rotation.y, rotation[3] = now->rotation.z;
}

static bool near_box(const lm_collider* item, lm_vec3 p, double reach)
{
	return p.x >= item->low.x - reach && p.x <= item->high.x + reach && p.y >= item->low.y - reach &&
	       p.y <= item->high.y + reach && p.z >= item->low.z - reach && p.z <= item->high.z + reach;
}

lm_touch lm_colliders_query(const lm_colliders* colliders, const double point[3], double reach)
{
	lm_touch touch = { .collider = -1, .distance = reach };
	lm_vec3 p = lm_v3_at(point, 0);
	if (!lm_finite(p))
		return touch;
	for (int32_t i = 0; i < colliders->count; ++i)
	{
		const lm_collider* item = &colliders->items[i];
		if (!near_box(item, p, fmax(touch.distance, 0)))
			continue;
		// Inside one already: the other can still be deeper; for a mesh a query with reach 0 decides.
		lm_solid_distance found =
			lm_solid_query(&item->solid, lm_placement_to_local(&item->now, p), fmax(touch.distance, 0));
		if (!found.found || !(found.distance < touch.distance))
			continue;
		touch.collider = i;
		touch.distance = found.distance;
		lm_vec3 normal = lm_mul_v(item->now.R, found.normal);
		lm_v3_store(touch.normal, 0, normal);
		// of the surface there: at the nearest point of it, not at the query point
		lm_vec3 at = lm_add_scaled(p, -found.distance, normal);
		lm_vec3 own = lm_solid_speed(&item->solid, lm_placement_to_local(&item->now, at));
		lm_v3_store(touch.velocity, 0, lm_add(lm_placement_velocity(&item->now, at), lm_mul_v(item->now.R, own)));
		touch.friction = item->friction, touch.restitution = item->restitution;
	}
	return touch;
}
