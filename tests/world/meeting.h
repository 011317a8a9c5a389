// meeting.h: two bodies on the ground, one above the other, of any engine.
#ifndef TESTS_WORLD_MEETING_H
#define TESTS_WORLD_MEETING_H

#include "test.h"

#include "bodies.h"
#include "limber/limber.h"
#include "scene/ground.h"

#define MEETING_SIZE 0.2
#define MEETING_CELLS 4

typedef struct meeting
{
	const char* lower; // engine of the lower body
	const char* upper;
	double lower_density, upper_density; // kg/m^3
	double frequency;                    // of `match`, Hz; 0: as `sag` says
	bool ball;                           // the upper one is a ball
	double drop;                         // m, from where the upper one falls
	double speed;                        // m/s, of the upper one, downwards
	double gravity;                      // m/s^2
	bool no_ground;
	bool apart; // the upper one touches nothing
	int substeps;
	int threads;
} meeting;

static inline meeting meeting_default(const char* lower, const char* upper)
{
	return (meeting){ .lower = lower,
		              .upper = upper,
		              .lower_density = 100,
		              .upper_density = 100,
		              .drop = 0.005,
		              .gravity = 9.81,
		              .substeps = 2,
		              .threads = 1 };
}

// Cubes around the middle are turned into balls.
static inline void make_round(lm_mesh* mesh)
{
	double half = MEETING_SIZE / 2;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double *x = mesh->positions + 3 * v, far = 0, length = 0;
		for (int k = 0; k < 3; ++k)
		{
			far = fmax(far, fabs(x[k] - half));
			length += (x[k] - half) * (x[k] - half);
		}
		for (int k = 0; k < 3 && length > 0; ++k)
			x[k] = half + (x[k] - half) * far / sqrt(length);
	}
}

static inline lm_scene_object* add_meeting_body(lm_scene* scene, const meeting* m, const char* name, const char* engine,
                                                double density, bool ball)
{
	lm_scene_object* object = lm_scene_add_object(scene, name, engine);
	object->mesh = test_block(&scene->host, MEETING_CELLS, MEETING_CELLS, MEETING_CELLS, MEETING_SIZE / MEETING_CELLS);
	if (ball)
		make_round(object->mesh);
	object->density = density;
	object->substeps = m->substeps;
	double load = fmax(m->lower_density, m->upper_density) * 9.81 * MEETING_SIZE; // Pa
	if (strcmp(engine, "act") == 0)
	{
		lm_act_settings* s = &object->act->settings;
		s->material.stretch = s->material.volume = 200 * load;
		s->contact_stiffness = 16 * load * MEETING_SIZE;
		s->contact_smoothing = 0.0025;
		s->gravity[1] = -m->gravity;
	}
	else if (strcmp(engine, "design") == 0)
	{
		assert_int_equal(lm_mesh_extract_surface(object->mesh, NULL), LM_OK);
		object->mesh->tet_count = 0;
		object->design->nodes = 20, object->design->voxels = 3000;
		object->design->dynamics.frequency = 20;
		object->design->simulated = lm_scene_memory(scene, 1, sizeof *object->design->simulated);
		object->design->simulated_count = 1;
		object->design->simulated->until = INFINITY;
		object->design->velocity_count = 1;
		object->design->velocities = lm_scene_memory(scene, 1, sizeof *object->design->velocities);
		object->design->velocities->group = "";
	}
	else
	{
		object->match->settings.frequency = m->frequency;
		object->match->settings.gravity[1] = -m->gravity;
	}
	return object;
}

static inline lm_world* make_meeting_with(const meeting* m, const lm_host* host)
{
	lm_scene* scene = lm_scene_create(host);
	scene->fps = 30;
	if (!m->no_ground)
		assert_true(add_ground(scene));
	add_meeting_body(scene, m, "lower", m->lower, m->lower_density, false);
	lm_scene_object* upper = add_meeting_body(scene, m, "upper", m->upper, m->upper_density, m->ball);
	upper->position[0] = 0.013, upper->position[1] = MEETING_SIZE + m->drop, upper->position[2] = 0.009;
	upper->velocity[1] = -m->speed, upper->touch_off = m->apart;
	scene->gravity[1] = -m->gravity, scene->seconds = 30;
	if (upper->design != NULL && upper->design->velocity_count > 0)
	{
		upper->velocity[1] = 0;
		upper->design->velocities->linear[1] = -m->speed;
	}
	lm_world* world;
	lm_error error;
	if (lm_world_create(scene, host, &world, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_scene_destroy(scene);
	return world;
}

static inline lm_world* make_meeting(const meeting* m)
{
	lm_host host = lm_host_default();
	host.threads = m->threads;
	return make_meeting_with(m, &host);
}

typedef struct rest
{
	double depth;  // deepest of the one in the other, of the size, in the second half
	double drift;  // farthest way of a mean in the second half, of the size
	double rms;    // speed in the second half, of sqrt(g size)
	double height; // of the upper one's mean above that of the lower, of the size, at the end
	double far;    // farthest that anything was from where it began, of the size
} rest;

// Depth of points in a deformed block of test_block, by its boundary faces above and below each point: enough for
// blocks that stand on each other.
static inline double depth_under(const double* face, int jf, const double* points, int32_t count, int side)
{
	double worst = -1;
	int n = MEETING_CELLS;
	for (int32_t i = 0; i < count; ++i)
		for (int c = 0; c < 2 * n * n; ++c)
		{
			int ii = c / 2 % n, kk = c / 2 / n, t = c % 2;
			const int o[2][3][2] = { { { 0, 0 }, { 1, 0 }, { 1, 1 } }, { { 0, 0 }, { 1, 1 }, { 0, 1 } } };
			const double *q[3], *p = points + 3 * i;
			for (int a = 0; a < 3; ++a)
				q[a] = face + 3 * (((kk + o[t][a][1]) * (n + 1) + jf) * (n + 1) + ii + o[t][a][0]);
			double ax = q[1][0] - q[0][0], az = q[1][2] - q[0][2], bx = q[2][0] - q[0][0], bz = q[2][2] - q[0][2];
			double px = p[0] - q[0][0], pz = p[2] - q[0][2], det = ax * bz - az * bx;
			double s = (px * bz - pz * bx) / det, r = (ax * pz - az * px) / det;
			if (!(s >= 0 && r >= 0 && s + r <= 1))
				continue;
			double y = q[0][1] + s * (q[1][1] - q[0][1]) + r * (q[2][1] - q[0][1]);
			worst = fmax(worst, side * (y - p[1]));
		}
	return worst;
}

static inline rest run_meeting(const meeting* m, double seconds)
{
	lm_world* world = make_meeting(m);
	int frames = (int)lrint(30 * seconds);
	rest r = { .depth = -1 };
	double first[2][3] = { { 0 } }, middle[2][3] = { { 0 } }, squares = 0, last[2][3] = { { 0 } };
	int samples = 0;
	double* before[2] = { NULL, NULL };
	for (int f = 0; f <= frames; ++f)
	{
		lm_error error;
		if (f > 0 && lm_world_step(world, &error) != LM_OK)
			fail_msg("%s", error.message);
		double c[2][3] = { { 0 } };
		lm_world_surface_view v[2];
		for (int b = 0; b < 2; ++b)
		{
			v[b] = lm_world_surface(world, b);
			for (int32_t i = 0; i < 3 * v[b].vertex_count; ++i)
				c[b][i % 3] += v[b].positions[i] / v[b].vertex_count;
			if (before[b] == NULL)
				before[b] = malloc(24 * (size_t)v[b].vertex_count);
			for (int32_t i = 0; i < v[b].vertex_count && 2 * f > frames; ++i)
			{
				double way = 0;
				for (int k = 0; k < 3; ++k)
					way += pow(30 * (v[b].positions[3 * i + k] - before[b][3 * i + k]), 2);
				squares += way, ++samples;
			}
			memcpy(before[b], v[b].positions, 24 * (size_t)v[b].vertex_count);
		}
		if (f == 0)
			memcpy(first, c, sizeof c);
		if (f == frames / 2)
			memcpy(middle, c, sizeof c);
		for (int b = 0; b < 2; ++b)
		{
			double way = 0, since = 0;
			for (int k = 0; k < 3; ++k)
				way += pow(c[b][k] - first[b][k], 2), since += pow(c[b][k] - middle[b][k], 2);
			r.far = fmax(r.far, sqrt(way) / MEETING_SIZE);
			r.drift = 2 * f >= frames ? fmax(r.drift, sqrt(since) / MEETING_SIZE) : 0;
		}
		memcpy(last, c, sizeof c);
		if (2 * f >= frames)
		{
			double d = depth_under(v[0].positions, MEETING_CELLS, v[1].positions, v[1].vertex_count, 1);
			r.depth = fmax(r.depth, d / MEETING_SIZE);
		}
	}
	r.rms = sqrt(squares / samples / (9.81 * MEETING_SIZE));
	r.height = (last[1][1] - last[0][1]) / MEETING_SIZE;
	free(before[0]), free(before[1]);
	lm_world_destroy(world);
	return r;
}

// Both rest in the second half of so many seconds.
static inline void check_rest(const meeting* m, double seconds)
{
	rest r = run_meeting(m, seconds);
	print_message("%s on %s, %g:1: depth %.4f drift %.5f rms %.1e\n", m->upper, m->lower,
	              m->upper_density / m->lower_density, r.depth, r.drift, r.rms);
	assert_true(r.depth < 0.01);
	assert_true(r.drift < 1e-3);
	assert_true(r.rms < 1e-3);
	assert_true(r.height > 0.95 && r.height < 1.05);
}

static inline void check_not_thrown(const meeting* m)
{
	rest found = run_meeting(m, 1);
	if (!(found.far < 15))
		fail_msg("%s on %s, %g Hz, %g:1: %g sizes away", m->upper, m->lower, m->frequency,
		         m->upper_density / m->lower_density, found.far);
}

#endif
