// layers.c: solids built of layers of prisms, each cut into three tetrahedra.
//
// A side of a prism is cut from its lowest-numbered corner; both prisms at that side do the same, so that they fit.
#include "make.h"

static void turn_outside(lm_mesh* mesh, int32_t* tet)
{
	const double *a = mesh->positions + 3 * tet[0], *b = mesh->positions + 3 * tet[1];
	const double *c = mesh->positions + 3 * tet[2], *d = mesh->positions + 3 * tet[3];
	double u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, v[3] = { c[0] - a[0], c[1] - a[1], c[2] - a[2] };
	double w[3] = { d[0] - a[0], d[1] - a[1], d[2] - a[2] };
	double volume =
		(u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
	if (volume < 0)
	{
		int32_t swap = tet[2];
		tet[2] = tet[3], tet[3] = swap;
	}
}

// The prism over a triangle of a layer, up to the next layer `step` numbers on.
static void cut_prism(lm_mesh* mesh, const int32_t triangle[3], int32_t base, int32_t step, int32_t* tets)
{
	int32_t least = triangle[0] < triangle[1] ? 0 : 1;
	least = triangle[2] < triangle[least] ? 2 : least;
	int32_t a = base + triangle[least], b = base + triangle[(least + 1) % 3], c = base + triangle[(least + 2) % 3];
	int32_t over = b < c ? c : b; // the corner whose upper one the cut of the side opposite a leads to
	int32_t list[12] = { a, a + step, b + step, c + step, a, b, c, over + step, a, b < c ? b : c, b + step, c + step };
	for (int32_t k = 0; k < 12; k++)
		tets[k] = list[k];
	for (int32_t k = 0; k < 3; k++)
		turn_outside(mesh, tets + 4 * k);
}

lm_mesh* lm_make_layers_mesh(const make_layers* layers, const double* positions, const lm_host* host)
{
	int32_t n = layers->vertices, t = layers->triangle_count, steps = layers->count - 1;
	int32_t vertices = n * layers->count + layers->core;
	lm_mesh* mesh = lm_mesh_create(host, vertices, 0, 3 * t * steps + (layers->core ? t : 0));
	if (!mesh)
		return NULL;
	for (int32_t c = 0; c < 3 * vertices; c++)
		mesh->positions[c] = positions[c];
	for (int32_t s = 0; s < steps; s++)
		for (int32_t k = 0; k < t; k++)
			cut_prism(mesh, layers->triangles + 3 * k, n * s, n, mesh->tets + 12 * (s * t + k));
	for (int32_t k = 0; layers->core && k < t; k++)
	{
		int32_t* tet = mesh->tets + 4 * (3 * t * steps + k);
		for (int32_t c = 0; c < 3; c++)
			tet[c] = n * steps + layers->triangles[3 * k + c];
		tet[3] = n * layers->count;
		turn_outside(mesh, tet);
	}
	return mesh;
}
