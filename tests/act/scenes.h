// scenes.h: small bodies of every kind for the tests of act.
#ifndef LIMBER_TEST_ACT_SCENES_H
#define LIMBER_TEST_ACT_SCENES_H

#include "bodies.h"
#include "limber/act.h"

// A rectangle of nx x ny squares of side `size` in the plane z = 0, lowest corner at the origin, two triangles each.
// Vertex (i, j) is number j (nx+1) + i.
static inline lm_mesh* scene_rectangle(const lm_host* host, int nx, int ny, double size)
{
	lm_mesh* mesh = lm_mesh_create(host, (nx + 1) * (ny + 1), 2 * nx * ny, 0);
	if (mesh == NULL)
		return NULL;
	for (int j = 0, v = 0; j <= ny; ++j)
		for (int i = 0; i <= nx; ++i, ++v)
			mesh->positions[3 * v] = size * i, mesh->positions[3 * v + 1] = size * j;
	int32_t* t = mesh->triangles;
	for (int j = 0; j < ny; ++j)
		for (int i = 0; i < nx; ++i)
		{
			int a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
			bool odd = (i + j) % 2;
			*t++ = a, *t++ = b, *t++ = odd ? c : d;
			*t++ = odd ? b : a, *t++ = d, *t++ = c;
		}
	return mesh;
}

// A closed polygon of n edges around the middle (0, radius).
static inline lm_mesh* scene_ring(const lm_host* host, int n, double radius)
{
	lm_mesh* mesh = lm_mesh_create(host, n, 0, 0);
	int32_t edges[512];
	if (mesh == NULL || 2 * n > 512)
		return mesh;
	for (int i = 0; i < n; ++i)
	{
		double angle = 6.283185307179586 * i / n;
		mesh->positions[3 * i] = radius * sin(angle), mesh->positions[3 * i + 1] = radius * (1 - cos(angle));
		edges[2 * i] = i, edges[2 * i + 1] = (i + 1) % n;
	}
	if (lm_mesh_set_edges(mesh, edges, n, NULL) == LM_OK)
		return mesh;
	lm_mesh_destroy(mesh);
	return NULL;
}

// The body of a kind, about a metre in size and as heavy as the defaults like it.
static inline lm_mesh* scene_mesh(const lm_host* host, lm_act_kind kind)
{
	switch (kind)
	{
		case LM_ACT_CURVE2: return scene_ring(host, 16, 0.5);
		case LM_ACT_SOLID2: return scene_rectangle(host, 3, 4, 0.25);
		case LM_ACT_SHELL:
		{
			lm_mesh* mesh = scene_rectangle(host, 4, 4, 0.25);
			for (int v = 0; mesh != NULL && v < mesh->vertex_count; ++v) // bent up along one diagonal
			{
				double* x = mesh->positions + 3 * v;
				x[2] = x[1], x[1] = 0.3 * fabs(x[0] - x[2]);
			}
			return mesh;
		}
		default: return test_block(host, 2, 3, 2, 0.25);
	}
}

static inline lm_act* scene_body(const lm_host* host, lm_act_kind kind, lm_act_def def)
{
	lm_mesh* mesh = scene_mesh(host, kind);
	lm_act* body = NULL;
	def.kind = kind, def.mesh = mesh;
	if (mesh != NULL)
		lm_act_create(&def, host, &body, NULL);
	lm_mesh_destroy(mesh);
	return body;
}

// Momentum, and angular momentum about the origin.
static inline void scene_momentum(const lm_act* body, double linear[3], double angular[3])
{
	int32_t n = lm_act_vertex_count(body);
	double* x = malloc(sizeof *x * 6 * (size_t)n);
	double* v = x + 3 * n;
	lm_act_positions(body, x);
	lm_act_velocities(body, v);
	memset(linear, 0, 3 * sizeof *linear), memset(angular, 0, 3 * sizeof *angular);
	for (int32_t i = 0; i < n; ++i)
		for (int k = 0; k < 3; ++k)
		{
			int a = (k + 1) % 3, b = (k + 2) % 3;
			double m = lm_act_masses(body)[i];
			linear[k] += m * v[3 * i + k];
			angular[k] += m * (x[3 * i + a] * v[3 * i + b] - x[3 * i + b] * v[3 * i + a]);
		}
	free(x);
}

#endif
