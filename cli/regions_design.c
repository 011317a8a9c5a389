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

// Every vertex in the colours of the nodes that move it, by their weights; the vertices at nodes dark; and what the
// node nearest to `vertex` reaches, in orange.
lm_status color_design(const lm_scene_object* object, long vertex, const lm_host* host, float* colors, lm_error* error)
{
	lm_design_model* model;
	lm_status status = make_model(object, host, &model, error);
	if (status != LM_OK)
		return status;
	const lm_mesh* mesh = object->mesh;
	int32_t count = lm_design_model_node_count(model), marked = -1;
	double *nodes = malloc(sizeof *nodes * 3 * (size_t)count), *weights = malloc(sizeof *weights * (size_t)count);
	int32_t* near = malloc(sizeof *near * (size_t)count);
	bool room = nodes != NULL && weights != NULL && near != NULL;
	if (room)
		lm_design_model_nodes(model, nodes);
	for (int32_t i = 0; room && vertex >= 0 && vertex < mesh->vertex_count && i < count; ++i)
	{
		const double* place = mesh->positions + 3 * vertex;
		if (marked < 0 || lm_design_model_distance(model, i, place) < lm_design_model_distance(model, marked, place))
			marked = i;
	}
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
