// What `limber regions` says of objects of `design`: their nodes, their supports and couplings.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lm_status make_model(const lm_scene_object* object, const lm_host* host, lm_design_model** model,
                            lm_error* error)
{
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = object->mesh;
	def.nodes = object->design->nodes, def.radius = object->design->radius, def.voxels = object->design->voxels;
	def.density = object->design->node_density;
	return lm_design_model_create(&def, host, model, error);
}

// Two nodes are coupled when both move some place between them: when they are nearer than they reach, within the
// material.
lm_status list_design(FILE* file, const lm_scene_object* object, const lm_host* host, lm_error* error)
{
	lm_design_model* model;
	lm_status status = make_model(object, host, &model, error);
	if (status != LM_OK)
		return status;
	int32_t count = lm_design_model_node_count(model);
	double* nodes = malloc(sizeof *nodes * 3 * (size_t)count);
	fprintf(file, "    { \"name\": ");
	print_text(file, object->name);
	fprintf(file, ", \"engine\": \"design\", \"nodes\": [\n");
	if (nodes != NULL)
		lm_design_model_nodes(model, nodes);
	for (int32_t i = 0; nodes != NULL && i < count; ++i)
	{
		const char* comma = "";
		fprintf(file, "      { \"node\": %d, \"position\": [%g, %g, %g], \"radius\": %g, \"coupled\": [", i,
		        nodes[3 * i], nodes[3 * i + 1], nodes[3 * i + 2], lm_design_model_radius(model, i));
		for (int32_t j = 0; j < count; ++j)
			if (j != i && lm_design_model_distance(model, i, nodes + 3 * j) < lm_design_model_radius(model, i))
				fprintf(file, "%s%d", comma, j), comma = ", ";
		fprintf(file, "] }%s\n", i + 1 < count ? "," : "");
	}
	fprintf(file, "    ] }");
	free(nodes);
	lm_design_model_destroy(model);
	return nodes != NULL ? LM_OK : LM_NO_MEMORY;
}

// The node nearest to that vertex of the mesh; -1 if there is no such vertex.
static int32_t node_at(const lm_design_model* model, const lm_mesh* mesh, long vertex)
{
	if (vertex < 0 || vertex >= mesh->vertex_count)
		return -1;
	const double* place = mesh->positions + 3 * vertex;
	int32_t nearest = 0;
	for (int32_t i = 1; i < lm_design_model_node_count(model); ++i)
		if (lm_design_model_distance(model, i, place) < lm_design_model_distance(model, nearest, place))
			nearest = i;
	return nearest;
}

// Every vertex in the colours of the nodes that move it, by their weights; the vertices at nodes dark; and what the
// node nearest to `vertex` reaches, in orange.
lm_status color_design(const lm_scene_object* object, long vertex, const lm_host* host, float* colors, lm_error* error)
{
	lm_design_model* model;
	lm_status status = make_model(object, host, &model, error);
	if (status != LM_OK)
		return status;
	const lm_mesh* mesh = object->mesh;
	int32_t count = lm_design_model_node_count(model);
	int32_t marked = node_at(model, mesh, vertex);
	double *nodes = malloc(sizeof *nodes * 3 * (size_t)count), *weights = malloc(sizeof *weights * (size_t)count);
	int32_t* near = malloc(sizeof *near * (size_t)count);
	bool room = nodes != NULL && weights != NULL && near != NULL;
	if (room)
		lm_design_model_nodes(model, nodes);
	for (int32_t v = 0; room && v < mesh->vertex_count; ++v)
	{
		const double* place = mesh->positions + 3 * (size_t)v;
		int32_t seen = lm_design_model_weights(model, place, near, weights);
		double sum[3] = { 0 }, nearest = 1e300;
		for (int32_t k = 0; k < seen; ++k)
		{
			float color[3] = { 0.75f, 0.75f, 0.75f };
			if (marked < 0)
				color_of_row(near[k], color);
			else if (near[k] == marked)
				color[0] = 0.9f, color[1] = 0.3f, color[2] = 0.02f;
			for (int c = 0; c < 3; ++c)
				sum[c] += weights[k] * color[c];
			const double* node = nodes + 3 * (size_t)near[k];
			nearest = fmin(nearest, hypot(hypot(node[0] - place[0], node[1] - place[1]), node[2] - place[2]));
		}
		bool at_node = nearest < 0.08 * lm_design_model_radius(model, near[0]);
		for (int c = 0; c < 3; ++c)
			colors[3 * v + c] = at_node ? 0.02f : (float)fmin(fmax(sum[c], 0), 1);
	}
	free(nodes);
	free(weights);
	free(near);
	lm_design_model_destroy(model);
	return room ? LM_OK : LM_NO_MEMORY;
}

// ---- nodes and paths --------------------------------------------------------------------------------------------

enum
{
	MOST_POINTS = 1000 // of a path
};

typedef struct segments
{
	int32_t count, capacity;
	double* ends; // count x 6
} segments;

static bool add_path(segments* s, const double* points, int32_t count)
{
	if (s->count + count > s->capacity)
	{
		int32_t capacity = 2 * (s->count + count);
		double* ends = realloc(s->ends, 6 * sizeof *ends * (size_t)capacity);
		if (ends == NULL)
			return false;
		s->ends = ends, s->capacity = capacity;
	}
	for (int32_t k = 0; k + 1 < count; ++k)
		memcpy(s->ends + 6 * (int64_t)s->count++, points + 3 * (int64_t)k, 6 * sizeof *points);
	return true;
}

static bool find_paths(const lm_design_model* model, const double* nodes, int32_t marked, segments* s)
{
	double points[3 * MOST_POINTS];
	int32_t count = lm_design_model_node_count(model);
	bool room = true;
	for (int32_t i = 0; i < count; ++i)
		for (int32_t j = 0; j < count && room && (marked < 0 || marked == i); ++j)
			if (j != i && (marked >= 0 || j > i) &&
			    lm_design_model_distance(model, i, nodes + 3 * (int64_t)j) < lm_design_model_radius(model, i))
				room = add_path(s, points, lm_design_model_path(model, i, j, points, MOST_POINTS));
	return room;
}

static bool make_surface(lm_surface* surface, int32_t vertices, int32_t triangles, const float color[3])
{
	double* positions = malloc(3 * sizeof *positions * (size_t)vertices + 1);
	int32_t* corners = malloc(3 * sizeof *corners * (size_t)triangles + 1);
	*surface = (lm_surface){ .vertex_count = vertices,
		                     .positions = positions,
		                     .triangle_count = triangles,
		                     .triangles = corners,
		                     .flat = true };
	memcpy(surface->color, color, sizeof surface->color);
	return positions != NULL && corners != NULL;
}

static void fill_surfaces(const segments* s, const double* nodes, int32_t count, double size, const lm_camera* camera,
                          lm_surface surfaces[2])
{
	for (int32_t i = 0; i < count; ++i)
	{
		double at[3];
		lift_point(camera, 1.02 * size, nodes + 3 * (int64_t)i, at);
		put_mark(at, 0.008 * size, i, (double*)surfaces[0].positions, (int32_t*)surfaces[0].triangles);
	}
	for (int32_t k = 0; k < s->count; ++k)
	{
		double a[3], b[3];
		lift_point(camera, size, s->ends + 6 * (int64_t)k, a);
		lift_point(camera, size, s->ends + 6 * (int64_t)k + 3, b);
		put_tube(a, b, 0.0018 * size, k, (double*)surfaces[1].positions, (int32_t*)surfaces[1].triangles);
	}
}

lm_status make_paths(const lm_scene_object* object, long vertex, const lm_camera* camera, const lm_host* host,
                     lm_surface surfaces[2], lm_error* error)
{
	static const float dark[3] = { 0.02f, 0.03f, 0.06f }, orange[3] = { 0.8f, 0.25f, 0.02f };
	memset(surfaces, 0, 2 * sizeof *surfaces);
	lm_design_model* model;
	lm_status status = make_model(object, host, &model, error);
	if (status != LM_OK)
		return status;
	const lm_mesh* mesh = object->mesh;
	int32_t count = lm_design_model_node_count(model);
	int32_t marked = node_at(model, mesh, vertex);
	double low[3], high[3], *nodes = malloc(3 * sizeof *nodes * (size_t)count);
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	double size = fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
	segments found = { 0 };
	if (nodes != NULL)
		lm_design_model_nodes(model, nodes);
	bool room = nodes != NULL && find_paths(model, nodes, marked, &found) &&
	            make_surface(&surfaces[0], 6 * count, 8 * count, dark) &&
	            make_surface(&surfaces[1], 6 * found.count, 6 * found.count, orange);
	if (room)
		fill_surfaces(&found, nodes, count, size, camera, surfaces);
	free(nodes);
	free(found.ends);
	lm_design_model_destroy(model);
	return room ? LM_OK : LM_NO_MEMORY;
}
