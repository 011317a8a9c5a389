#include "objects/act/follow.h"

#include "act/pilot/pilot.h"
#include "base/error.h"
#include "contact/colliders.h"
#include "math/quat.h"
#include "objects/objects.h"
#include "objects/shown.h"
#include "objects/timeline.h"

#include <math.h>
#include <string.h>

#define PARTS 24         // of a body
#define QUICKEST 0.1     // s, tau at softness 0
#define SLOWEST 1.0      // s, at 1
#define WEIGHT 0.3       // of a row, as tuned for steps of 0.02 s
#define LEAST_WEIGHT 0.1 // of that, at softness 1

// ---- parts

static bool in_groups(const lm_scene_object* o, const lm_binding_view* rows, int32_t v)
{
	const lm_scene_follow* from = &o->act->follow;
	double share = from->group_count == 0;
	for (int32_t g = 0; g < from->group_count; ++g)
	{
		const lm_group* group = &o->mesh->groups[lm_mesh_find_group(o->mesh, from->groups[g])];
		double own = 0;
		for (int64_t k = rows->starts[v]; k < rows->starts[v + 1]; ++k)
			for (int32_t i = 0; i < group->count; ++i)
				own += group->vertices[i] == rows->points[k] ? rows->weights[k] : 0;
		share = fmax(share, own);
	}
	return share >= 0.5;
}

// Middles of parts: each the vertex farthest from those before. part: of each vertex, -1: it does not follow. Returns
// how many parts there are.
static int32_t cut_parts(const lm_mesh* shown, int32_t* part, double* distance)
{
	int32_t count = 0;
	for (; count < PARTS; ++count)
	{
		int32_t far = -1;
		for (int32_t v = 0; v < shown->vertex_count; ++v)
			if (part[v] >= 0 && (far < 0 || distance[v] > distance[far]))
				far = v;
		if (far < 0 || distance[far] == 0)
			break;
		for (int32_t v = 0; v < shown->vertex_count; ++v)
		{
			double d = lm_distance(lm_v3_at(shown->positions, v), lm_v3_at(shown->positions, far));
			if (part[v] >= 0 && d < distance[v])
				distance[v] = d, part[v] = count;
		}
	}
	return count;
}

static void list_vertices(lm_act_follow* follow, const int32_t* part)
{
	int32_t at = 0;
	for (int32_t k = 0; k < follow->part_count; ++k)
	{
		follow->starts[k] = at;
		for (int32_t v = 0; v < follow->vertex_count; ++v)
			if (part[v] == k)
				follow->vertices[at++] = v;
	}
	follow->starts[follow->part_count] = at;
}

static void add_row(const lm_binding_view* rows, int32_t v, double share, double* sums)
{
	for (int64_t r = rows->starts[v]; r < rows->starts[v + 1]; ++r)
		sums[rows->points[r]] += share * rows->weights[r];
}

// The mean of each part less that of all vertices, as a sum over simulated points. sums: scratch, one number for each.
static void list_points(lm_act_follow* follow, const lm_binding_view* rows, double* sums)
{
	int32_t at = 0;
	for (int32_t k = 0; k < follow->part_count; ++k)
	{
		memset(sums, 0, (size_t)rows->point_count * sizeof *sums);
		int32_t count = follow->starts[k + 1] - follow->starts[k];
		for (int32_t i = follow->starts[k]; i < follow->starts[k + 1]; ++i)
			add_row(rows, follow->vertices[i], 1.0 / count, sums);
		for (int32_t v = 0; v < rows->vertex_count; ++v)
			add_row(rows, v, -1.0 / rows->vertex_count, sums);
		follow->row_starts[k] = at;
		for (int32_t p = 0; p < rows->point_count; ++p)
			if (sums[p] != 0)
				follow->points[at] = p, follow->weights[at++] = sums[p];
	}
	follow->row_starts[follow->part_count] = at;
}

static lm_status make_parts(lm_act_follow* follow, lm_object* object, const lm_mesh* shown, const lm_binding* binding,
                            lm_arena* scratch, lm_error* error)
{
	lm_binding_view rows = lm_binding_get(binding);
	size_t vertices = (size_t)shown->vertex_count, points = (size_t)rows.point_count;
	int32_t* part = LM_TAKE(scratch, vertices, int32_t);
	double *distance = LM_TAKE(scratch, vertices, double), *sums = LM_TAKE(scratch, points, double);
	lm_arena* memory = &object->memory;
	follow->starts = LM_TAKE(memory, PARTS + 1, int32_t), follow->vertices = LM_TAKE(memory, vertices, int32_t);
	follow->row_starts = LM_TAKE(memory, PARTS + 1, int32_t);
	follow->points = LM_TAKE(memory, PARTS * points, int32_t);
	follow->weights = LM_TAKE(memory, PARTS * points, double);
	follow->positions = LM_TAKE(memory, 3 * vertices, double), follow->now = LM_TAKE(memory, 3 * points, double);
	follow->targets = LM_TAKE(memory, 3 * PARTS, double);
	if (part == NULL || distance == NULL || sums == NULL || follow->starts == NULL || follow->vertices == NULL ||
	    follow->row_starts == NULL || follow->points == NULL || follow->weights == NULL || follow->positions == NULL ||
	    follow->now == NULL || follow->targets == NULL)
		return lm_fail_memory(error);
	follow->vertex_count = shown->vertex_count;
	double low[3], high[3];
	lm_mesh_bounds(shown->positions, shown->vertex_count, low, high);
	for (int c = 0; c < 3; ++c)
		follow->size = fmax(follow->size, high[c] - low[c]);
	for (int32_t v = 0; v < shown->vertex_count; ++v)
		part[v] = in_groups(object->description, &rows, v) ? 0 : -1, distance[v] = INFINITY;
	follow->part_count = cut_parts(shown, part, distance);
	list_vertices(follow, part);
	list_points(follow, &rows, sums);
	return LM_OK;
}

lm_status lm_act_follow_init(lm_act_follow* follow, lm_object* object, lm_error* error)
{
	follow->object = object;
	if (!lm_act_follows(object->description->act))
		return LM_OK;
	lm_mesh* shown = NULL;
	lm_binding* binding = NULL;
	lm_arena scratch;
	lm_arena_init(&scratch, &object->host);
	lm_status status = lm_shown_create(object->description, &object->host, &shown, &binding, error);
	if (status == LM_OK)
		status = make_parts(follow, object, shown, binding, &scratch, error);
	lm_arena_release(&scratch);
	lm_mesh_destroy(shown);
	lm_binding_destroy(binding);
	return status;
}

// ---- the guide at a time

// Frames are in the coordinates of the mesh, and go where the object goes.
static void place_frames(const lm_act_follow* follow, double time)
{
	const lm_scene_object* o = follow->object->description;
	const lm_scene_follow* from = &o->act->follow;
	const lm_collider_frames frames = { .count = from->frame_count, .times = from->times, .positions = from->frames };
	lm_collider_frames_at(&frames, follow->vertex_count, (time - from->start) * from->speed, follow->positions, NULL);
	lm_quat turn = lm_quat_normalize((lm_quat){ o->rotation[0], o->rotation[1], o->rotation[2], o->rotation[3] });
	for (int32_t v = 0; v < follow->vertex_count; ++v)
		lm_v3_store(follow->positions, v,
		            lm_add(lm_v3_at(o->position, 0), lm_quat_rotate(turn, lm_v3_at(follow->positions, v))));
}

static lm_vec3 mean_of(const double* positions, const int32_t* vertices, int32_t count)
{
	lm_vec3 sum = { 0 };
	for (int32_t i = 0; i < count; ++i)
		sum = lm_add(sum, lm_v3_at(positions, vertices != NULL ? vertices[i] : i));
	return lm_scale(1.0 / count, sum);
}

// Means of the parts of the guide, less that of all its vertices.
static void find_means(const lm_act_follow* follow, double time, double means[3 * PARTS])
{
	if (follow->object->description->act->follow.frame_count > 0)
		place_frames(follow, time);
	else
		lm_object_design_at(follow->object->leader, time, follow->positions, NULL);
	lm_vec3 middle = mean_of(follow->positions, NULL, follow->vertex_count);
	for (int32_t k = 0; k < follow->part_count; ++k)
	{
		int32_t begin = follow->starts[k], count = follow->starts[k + 1] - begin;
		lm_v3_store(means, k, lm_sub(mean_of(follow->positions, follow->vertices + begin, count), middle));
	}
}

// ---- a step

void lm_act_follow_aim(lm_act_follow* follow, lm_act_pilot* pilot)
{
	static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	const lm_object* object = follow->object;
	double before[3 * PARTS], softness = object->description->act->follow.softness;
	double tau = QUICKEST * pow(SLOWEST / QUICKEST, softness), weight = WEIGHT * pow(LEAST_WEIGHT, softness);
	find_means(follow, object->time, before);
	find_means(follow, object->time + object->h, follow->targets);
	for (int32_t i = 0; i < 3 * follow->part_count; ++i)
	{
		int32_t k = i / 3, begin = follow->row_starts[k];
		bool lies = pilot->character && pilot->fall.down; // gets up first
		if (i % 3 >= pilot->dimension || lies)
			continue;
		lm_act_target target = { .position = follow->targets[i],
			                     .velocity = (follow->targets[i] - before[i]) / object->h,
			                     .kp = 1 / tau,
			                     .kd = 1,
			                     .weight = lm_pilot_weight(pilot, weight) };
		lm_act_pilot_aim_sum(pilot, follow->points + begin, follow->weights + begin, follow->row_starts[k + 1] - begin,
		                     axes[i % 3], &target);
	}
}

void lm_act_follow_measure(lm_act_follow* follow, const lm_act* body)
{
	double squares = 0;
	if (follow->part_count == 0)
		return;
	lm_act_positions(body, follow->now);
	for (int32_t k = 0; k < follow->part_count; ++k)
	{
		lm_vec3 g = { 0 };
		for (int32_t r = follow->row_starts[k]; r < follow->row_starts[k + 1]; ++r)
			g = lm_add_scaled(g, follow->weights[r], lm_v3_at(follow->now, follow->points[r]));
		double error = lm_distance(g, lm_v3_at(follow->targets, k)) / follow->size;
		squares += error * error / follow->part_count;
		follow->most = fmax(follow->most, error);
	}
	follow->sum += sqrt(squares), ++follow->steps;
}

// ---- state

void lm_act_follow_save(const lm_act_follow* follow, lm_blob* blob)
{
	lm_blob_put(blob, &follow->sum, sizeof follow->sum);
	lm_blob_put(blob, &follow->most, sizeof follow->most);
	lm_blob_put(blob, &follow->steps, sizeof follow->steps);
}

bool lm_act_follow_load(lm_act_follow* follow, lm_blob* blob)
{
	const lm_bytes parts[3] = { lm_doubles_in(&follow->sum, 1, 0, 1e300), lm_doubles_in(&follow->most, 1, 0, 1e300),
		                        lm_counts(&follow->steps, 1) };
	lm_bytes_get(parts, 3, blob);
	return !blob->failed;
}
