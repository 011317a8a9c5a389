#include "contact/collider_surface.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"

#define ROUND 32 // segments round a sphere or capsule
#define RINGS 16 // from pole to pole; even, so that the equator can be doubled for a capsule

static lm_mesh* plane_surface(double extent, const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, 4, 2, 0);
	if (mesh == NULL)
		return NULL;
	const double corners[4][2] = { { -1, -1 }, { -1, 1 }, { 1, 1 }, { 1, -1 } };
	for (int i = 0; i < 4; ++i)
		lm_v3_store(mesh->positions, i, lm_v3(extent * corners[i][0], 0, extent * corners[i][1]));
	const int32_t triangles[6] = { 0, 1, 2, 0, 2, 3 };
	for (int k = 0; k < 6; ++k)
		mesh->triangles[k] = triangles[k];
	return mesh;
}

static lm_mesh* box_surface(const double half[3], const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, 8, 12, 0);
	if (mesh == NULL)
		return NULL;
	for (int i = 0; i < 8; ++i) // bit 0: x, bit 1: y, bit 2: z
		lm_v3_store(mesh->positions, i,
		            lm_v3(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]));
	const int32_t quads[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
		                          { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
	for (int q = 0; q < 6; ++q)
	{
		const int32_t corners[6] = { quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3] };
		for (int k = 0; k < 6; ++k)
			mesh->triangles[6 * q + k] = corners[k];
	}
	return mesh;
}

// A sphere, or a capsule along y when half_length > 0: rings of vertices between two poles.
static lm_mesh* round_surface(double radius, double half_length, const lm_host* host)
{
	const int rings = RINGS; // inner rings; two of them are the ends of a capsule's straight part
	lm_mesh* mesh = lm_mesh_create(host, rings * ROUND + 2, 2 * rings * ROUND, 0);
	if (mesh == NULL)
		return NULL;
	int32_t south = rings * ROUND, north = south + 1, triangle = 0;
	lm_v3_store(mesh->positions, south, lm_v3(0, -half_length - radius, 0));
	lm_v3_store(mesh->positions, north, lm_v3(0, half_length + radius, 0));
	for (int r = 0; r < rings; ++r)
	{
		bool upper = r >= rings / 2;
		double latitude = (r + 1 - upper) * LM_PI / rings - LM_PI / 2; // the equator comes twice
		double y = radius * sin(latitude) + (upper ? half_length : -half_length);
		for (int k = 0; k < ROUND; ++k)
		{
			double turn = 2 * LM_PI * k / ROUND;
			lm_v3_store(mesh->positions, r * ROUND + k,
			            lm_v3(radius * cos(latitude) * cos(turn), y, radius * cos(latitude) * sin(turn)));
			int32_t a = r * ROUND + k, b = r * ROUND + (k + 1) % ROUND, c = a + ROUND, d = b + ROUND;
			int32_t quad[6] = { a, c, b, b, c, d };
			if (r == rings - 1)
				quad[1] = north, quad[3] = south, quad[4] = k, quad[5] = (k + 1) % ROUND;
			for (int i = 0; i < 6; ++i)
				mesh->triangles[triangle++] = quad[i];
		}
	}
	return mesh;
}

lm_status lm_collider_surface(const lm_collider_def* def, double extent, const lm_host* host, lm_mesh** mesh,
                              lm_error* error)
{
	switch (def->shape)
	{
		case LM_SHAPE_PLANE: *mesh = plane_surface(extent, host); break;
		case LM_SHAPE_SPHERE: *mesh = round_surface(def->radius, 0, host); break;
		case LM_SHAPE_BOX: *mesh = box_surface(def->half, host); break;
		case LM_SHAPE_CAPSULE: *mesh = round_surface(def->radius, def->half_length, host); break;
		case LM_SHAPE_MESH: *mesh = lm_mesh_copy(def->mesh, host); break;
	}
	return *mesh != NULL ? LM_OK : lm_fail_memory(error);
}
