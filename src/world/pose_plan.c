// pose_plan.c: a pose as commands: a key of `design`, and the handles that make it.
#include "base/alloc.h"
#include "math/svd.h"
#include "world/pose.h"

#include <math.h>
#include <string.h>

enum
{
	HELD_PER_NODE = 3, // vertices, of a surface that is held as it is: enough to say where each node must be
	HELD_MOST = 300
};

static void store_quat(double q[4], lm_quat a)
{
	q[0] = a.w, q[1] = a.x, q[2] = a.y, q[3] = a.z;
}

static lm_vec3 to_shown(const lm_pose_surface* s, lm_vec3 x)
{
	return lm_add(s->to, lm_quat_rotate(s->rotation, lm_sub(x, s->from)));
}

static lm_command key_of(const lm_pose_session* session, double time, bool via)
{
	lm_command key = lm_command_default(LM_COMMAND_KEY);
	key.object = session->object, key.time = time, key.via = via;
	lm_v3_store(key.to, 0, to_shown(&session->surface, (lm_vec3){ 0 }));
	store_quat(key.rotation, session->surface.rotation);
	return key;
}

// ---- the handles of the session ----

// How far the patch was turned already when the handle was put on it.
static lm_quat turn_of_patch(const lm_pose_session* session, const lm_pose_grip_put* g)
{
	const double* rest = session->surface.mesh->positions;
	lm_vec3 middle = { 0 };
	lm_mat3 A = { 0 };
	for (int32_t k = 0; k < g->count; ++k)
		middle = lm_add_scaled(middle, 1.0 / g->count, lm_v3_at(rest, g->vertices[k]));
	for (int32_t k = 0; k < g->count; ++k)
	{
		lm_vec3 x = lm_v3_at(g->offsets, k), x0 = lm_sub(lm_v3_at(rest, g->vertices[k]), middle);
		const double a[3] = { x.x, x.y, x.z }, b[3] = { x0.x, x0.y, x0.z };
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				A.m[i][j] += a[i] * b[j];
	}
	return g->count > 2 ? lm_quat_from_matrix(lm_polar3(A).R) : lm_quat_identity();
}

static lm_command handle_of(const lm_pose_session* session, int32_t i, double time)
{
	const lm_pose_active* a = &session->now.handles[i];
	const lm_pose_grip_put* g = session->grips[a->grip];
	lm_command handle = lm_command_default(LM_COMMAND_HANDLE);
	handle.object = session->object, handle.time = time;
	handle.triangle = g->given.triangle;
	memcpy(handle.place, g->given.place, sizeof handle.place);
	handle.radius = g->given.radius > 0 ? g->given.radius : LM_POSE_RADIUS * session->size;
	handle.weight = g->given.weight, handle.hard = g->given.hard;
	lm_v3_store(handle.to, 0, to_shown(&session->surface, a->to));
	const lm_quat shown = session->surface.rotation;
	lm_quat own = lm_quat_mul(a->rotation, turn_of_patch(session, g));
	store_quat(handle.rotation, lm_quat_mul(shown, lm_quat_mul(own, lm_quat_conjugate(shown))));
	return handle;
}

// ---- or the surface as it is ----

// Vertices that are far from each other: always that which is farthest from those there are.
static int32_t spread_vertices(const double* x, int32_t count, int32_t wanted, double* nearest, int32_t* chosen)
{
	int32_t next = 0, found = 0;
	for (int32_t v = 0; v < count; ++v)
		nearest[v] = INFINITY;
	while (found < wanted && found < count)
	{
		chosen[found++] = next;
		lm_vec3 at = lm_v3_at(x, next);
		double farthest = -1;
		for (int32_t v = 0; v < count; ++v)
		{
			nearest[v] = fmin(nearest[v], lm_distance(lm_v3_at(x, v), at));
			if (nearest[v] > farthest)
				farthest = nearest[v], next = v;
		}
	}
	return found;
}

static int32_t hold_surface(const lm_pose_session* session, double time, lm_command* commands, int32_t capacity)
{
	lm_mesh* posed;
	if (lm_pose_session_mesh(session, &posed, NULL) != LM_OK)
		return 0;
	int32_t wanted = HELD_PER_NODE * lm_design_model_node_count(session->model), count = posed->vertex_count;
	double* nearest = LM_NEW(&session->host, count, double);
	int32_t* chosen = LM_NEW(&session->host, HELD_MOST, int32_t);
	int32_t found = 0;
	if (nearest != NULL && chosen != NULL)
		found = spread_vertices(posed->positions, count, wanted < HELD_MOST ? wanted : HELD_MOST, nearest, chosen);
	for (int32_t i = 0; i < found && i < capacity; ++i)
	{
		lm_command* handle = &commands[i];
		*handle = lm_command_default(LM_COMMAND_HANDLE);
		handle->object = session->object, handle->time = time, handle->vertex = chosen[i], handle->hard = true;
		lm_vec3 x = lm_scale(session->surface.scale, lm_v3_at(posed->positions, chosen[i]));
		lm_v3_store(handle->to, 0, to_shown(&session->surface, x));
	}
	lm_free(&session->host, nearest);
	lm_free(&session->host, chosen);
	lm_mesh_destroy(posed);
	return found;
}

int32_t lm_pose_session_commands(const lm_pose_session* session, double time, bool via, lm_command* commands,
                                 int32_t capacity)
{
	if (session->design == NULL)
		return 0;
	if (capacity > 0)
		commands[0] = key_of(session, time, via);
	int32_t count = session->now.count;
	if (session->start == LM_POSE_REST && session->now.volume)
	{
		for (int32_t i = 0; i < count && i + 1 < capacity; ++i)
			commands[i + 1] = handle_of(session, i, time);
		return count + 1;
	}
	count =
		capacity > 0 ? hold_surface(session, time, commands + 1, capacity - 1) : hold_surface(session, time, NULL, 0);
	return count > 0 ? count + 1 : 0;
}
