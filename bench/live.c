// live.c: what a hand waits for: a posing step with the surface that is shown.
#include "bench.h"

#include "limber/pose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
	EVENTS = 60, // the first warms up, and is not timed
	REPEATS = 5
};

static int32_t farthest(const lm_pose_session* session, double sign)
{
	const int32_t* t = lm_pose_session_triangles(session);
	const double* x = lm_pose_session_positions(session);
	int32_t best = 0;
	for (int32_t i = 0; i < lm_pose_session_triangle_count(session); ++i)
		best = sign * x[3 * (size_t)t[3 * i]] > sign * x[3 * (size_t)t[3 * best]] ? i : best;
	return best;
}

static bool put(lm_pose_session* session, int32_t id, double sign, lm_error* error)
{
	lm_pose_grip grip = lm_pose_grip_default();
	grip.id = id, grip.triangle = farthest(session, sign), grip.place[0] = 1, grip.hard = id == 1;
	return lm_pose_session_put(session, &grip, error) == LM_OK;
}

// A closed tube with bumps, of about 20,000 vertices: one side is fixed, the other is dragged.
static lm_mesh* make_tube(int32_t around, int32_t along)
{
	const double turn = 2 * 3.14159265358979323846;
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, around * along, 2 * around * along, 0);
	for (int32_t v = 0; mesh != NULL && v < around * along; ++v)
	{
		int32_t s = v / around, t = v % around, s1 = (s + 1) % along, t1 = (t + 1) % around;
		double u = turn * s / along, a = turn * t / around, r = 0.15 + 0.01 * sin(9 * u) * cos(3 * a);
		double* x = mesh->positions + 3 * (size_t)v;
		x[0] = (0.4 + r * cos(a)) * cos(u), x[1] = r * sin(a), x[2] = (0.4 + r * cos(a)) * sin(u);
		const int32_t corners[6] = { s * around + t, s * around + t1,  s1 * around + t1,
			                         s * around + t, s1 * around + t1, s1 * around + t };
		memcpy(mesh->triangles + 6 * (size_t)v, corners, sizeof corners);
	}
	return mesh;
}

static bool run_pose(const bench* b, bench_row* row, lm_error* error)
{
	(void)b;
	lm_host host = lm_host_default();
	lm_mesh* mesh = make_tube(80, 250);
	lm_pose_session* session = NULL;
	if (mesh == NULL || lm_pose_session_create_mesh(mesh, &host, &session, error) != LM_OK ||
	    !put(session, 1, -1, error) || !put(session, 2, 1, error))
		return false;
	lm_pose_handle hand = lm_pose_session_handle(session, 1);
	double best = INFINITY;
	for (int repeat = 0; repeat < REPEATS; ++repeat)
	{
		double total = 0;
		for (int e = 0; e < EVENTS; ++e)
		{
			double t = (double)e / EVENTS, to[3] = { hand.to[0] + 0.3 * sin(6 * t), hand.to[1] + 0.3 * t, hand.to[2] };
			if (lm_pose_session_move(session, 2, to, NULL, error) != LM_OK)
				return false;
			double seconds = lm_pose_session_step(session).seconds;
			total += e > 0 ? seconds : 0;
		}
		best = fmin(best, total / (EVENTS - 1));
	}
	row->value = 1000 * best, row->unit = "ms per move of a handle";
	snprintf(row->size, sizeof row->size, "%d vertices, two handles: a posing step and the surface",
	         lm_pose_session_vertex_count(session));
	lm_pose_session_destroy(session);
	lm_mesh_destroy(mesh);
	return true;
}

const bench lm_bench_live[] = {
	{ "live/pose-20k", run_pose, NULL },
	{ 0 },
};
