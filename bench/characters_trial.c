// characters_trial.c: one figure, one behaviour: run, measured, judged.
//
// Heights are 1 m, so that V = sqrt(g H) and T = sqrt(H / g) are sqrt(g) and 1 / sqrt(g). Upright: tilt below 0.5 rad
// and the centre of mass above 80 % of its height at rest.
#include "characters.h"

#include "act/pilot/feet.h"
#include "limber/contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char* const trial_names[TRIAL_KINDS] = { "stand",  "push",  "getup", "go",   "hop",  "walk", "slope", "steep",
	                                           "stairs", "rough", "stop",  "turn", "back", "side", "place", "trot" };

static const double g = 9.81;
static const double push_at = 1;       // s
static const double longest_run = 1.5; // s of processor time per s: slower than 1 has failed

typedef struct trial
{
	figure* f;
	trial_kind kind;
	int variant;
	lm_act* body;
	lm_act_pilot* pilot;
	ground_shape shape;
	lm_colliders* ground;
	double h;                                     // s
	double *positions, *forces, *anchors, *shown; // anchors: where each loaded vertex touched down, x 3
	bool* loaded;
	double seconds, start[3];
	double up_since; // s; below 0: it is not
	bool off_ground; // no foot was down
	trial_result r;
} trial;

int trial_variants(trial_kind kind)
{
	return kind == TRIAL_PUSH ? 4 : kind == TRIAL_GETUP ? 3 : kind == TRIAL_SLOPE || kind == TRIAL_STEEP ? 2 : 1;
}

bool trial_needs_feet(trial_kind kind)
{
	return kind >= TRIAL_WALK;
}

static ground_shape ground_of(trial_kind kind, int variant)
{
	double degrees = (kind == TRIAL_STEEP ? 12 : 5) * (variant == 0 ? 1 : -1);
	return (ground_shape){ .kind = kind == TRIAL_SLOPE || kind == TRIAL_STEEP ? GROUND_SLOPE
		                           : kind == TRIAL_STAIRS                     ? GROUND_STAIRS
		                           : kind == TRIAL_ROUGH                      ? GROUND_ROUGH
		                                                                      : GROUND_LEVEL,
		                   .angle = degrees * 3.141592653589793 / 180 };
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the start

// Lying: turned about its centre, and lowered until it touches.
static void lie_down(const lm_mesh* mesh, int how, double* x)
{
	double low = INFINITY;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double* p = x + 3 * v;
		double a = p[0], b = p[1] - 0.5, c = p[2];
		if (how == 0)
			p[0] = b, p[1] = -a; // face down
		else if (how == 1)
			p[0] = -b, p[1] = a;
		else
			p[1] = c, p[2] = -b;
		low = fmin(low, p[1]);
	}
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		x[3 * v + 1] += 0.002 - low;
}

static double varied(unsigned* seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) / 8388608.0 - 1; // -1 .. 1
}

// Higher by up to 2 % of the height, turned by up to 2 % of a whole turn, moving at up to 2 % of V.
static void vary(const lm_mesh* mesh, int start, double* x, double* v)
{
	unsigned seed = (unsigned)start * 2654435761u + 12345u;
	double turn = 0.126 * varied(&seed), lift = 0.01 * (1 + varied(&seed)), speed[3];
	for (int c = 0; c < 3; ++c)
		speed[c] = 0.02 * sqrt(g) * varied(&seed) * (c == 1 ? 0.5 : 1);
	for (int32_t i = 0; i < mesh->vertex_count; ++i)
	{
		double a = x[3 * i], c = x[3 * i + 2];
		x[3 * i] = cos(turn) * a + sin(turn) * c, x[3 * i + 2] = -sin(turn) * a + cos(turn) * c;
		x[3 * i + 1] += lift;
		memcpy(v + 3 * i, speed, sizeof speed);
	}
}

static bool open_trial(trial* t, int start, lm_error* error)
{
	lm_host host = lm_host_default();
	host.threads = 1;
	const lm_mesh* mesh = t->f->fit->mesh;
	size_t numbers = 3 * (size_t)mesh->vertex_count;
	double *x = malloc(numbers * sizeof *x), *v = calloc(numbers, sizeof *v);
	t->positions = malloc(numbers * sizeof(double)), t->anchors = calloc(numbers, sizeof(double));
	t->forces = malloc(numbers * sizeof(double)), t->loaded = calloc(numbers, sizeof(bool));
	t->shown = malloc(3 * (size_t)t->f->surface->vertex_count * sizeof(double));
	memcpy(x, mesh->positions, numbers * sizeof *x);
	if (t->kind == TRIAL_GETUP)
		lie_down(mesh, t->variant, x);
	if (start > 0)
		vary(mesh, start, x, v);
	lm_act_def def = lm_act_def_default();
	def.start = x, def.start_velocities = v;
	t->shape = ground_of(t->kind, t->variant);
	bool good = lm_character_create(t->f->fit, &def, &host, &t->body, &t->pilot, error) == LM_OK &&
	            ground_create(&t->shape, &t->ground, error);
	if (good)
		lm_act_pilot_set_ground(t->pilot, t->ground);
	free(x);
	free(v);
	return good;
}

static void close_trial(trial* t)
{
	lm_act_pilot_destroy(t->pilot);
	lm_act_destroy(t->body);
	lm_colliders_destroy(t->ground);
	free(t->positions);
	free(t->anchors);
	free(t->forces);
	free(t->loaded);
	free(t->shown);
}

// ---- commands

static lm_act_command command_of(trial* t)
{
	static const lm_act_behaviour behaviours[] = { LM_ACT_STAND, LM_ACT_STAND, LM_ACT_STAND, LM_ACT_GO, LM_ACT_HOP };
	lm_act_command c = lm_act_command_default(t->kind < TRIAL_WALK    ? behaviours[t->kind]
	                                          : t->kind == TRIAL_TROT ? LM_ACT_TROT
	                                                                  : LM_ACT_WALK);
	double V = sqrt(g), T = 1 / sqrt(g);
	t->r.wanted = t->kind == TRIAL_GO ? 2 : t->kind == TRIAL_HOP ? 1.5 : 0;
	t->seconds = t->kind == TRIAL_STAND ? 10 * T : 18 * T + (t->kind == TRIAL_PUSH ? push_at : 0);
	if (t->kind == TRIAL_GO || t->kind == TRIAL_HOP)
	{
		c.has_place = true;
		c.place[0] = t->start[0] + t->r.wanted, c.place[2] = t->start[2];
		c.speed = 0.15 * V;
		bool hops = t->kind == TRIAL_HOP || t->f->fit->foot_count == 0; // there is no limit to how long it may take
		t->seconds = hops ? 40 * T : t->r.wanted / c.speed * 1.3 + 10 * T;
	}
	if (t->kind >= TRIAL_WALK)
	{
		double step = t->f->fit->foot_count == 4 && t->kind != TRIAL_TROT ? 0.2 : 0.3, speed = 0.1 * V;
		if (t->kind == TRIAL_BACK || t->kind == TRIAL_SIDE)
			speed = 0.05 * V;
		c.velocity[t->kind == TRIAL_SIDE ? 2 : 0] = t->kind == TRIAL_BACK ? -speed : speed;
		t->seconds = 30 * step + 1;
		t->r.wanted = speed * 30 * step;
	}
	if (t->kind == TRIAL_PLACE)
	{
		c.has_place = true, c.speed = 0.1 * V, c.turn = 1;
		c.place[0] = t->start[0] - 0.5, c.place[2] = t->start[2] + 0.8;
		t->seconds = 9;
	}
	if (t->kind == TRIAL_STOP)
		t->seconds = 9, t->r.wanted = 0.1 * V * 3; // it takes a second to set off
	if (t->kind == TRIAL_TURN)
		t->seconds = 9, t->r.wanted = 0;
	return c;
}

// What it is told at a time.
static lm_act_command command_at(const trial* t, const lm_act_command* always, double time)
{
	lm_act_command c = *always;
	if (t->kind == TRIAL_STOP && fmod(time, 4.5) > 2.5)
		c.velocity[0] = 0;
	if (t->kind == TRIAL_TURN)
		c.velocity[0] = 0, c.face[2] = time < 3 ? -1 : 1;
	return c;
}

// 0.3 V to everything in the upper half.
static void push(trial* t)
{
	static const double ways[4][2] = { { 1, 0 }, { -1, 0 }, { 0, -1 }, { 0, 1 } };
	const lm_mesh* mesh = t->f->fit->mesh;
	double* v = malloc(3 * (size_t)mesh->vertex_count * sizeof *v);
	lm_act_velocities(t->body, v);
	for (int32_t i = 0; i < mesh->vertex_count; ++i)
		if (mesh->positions[3 * i + 1] > 0.5)
			v[3 * i] += 0.3 * sqrt(g) * ways[t->variant][0], v[3 * i + 2] += 0.3 * sqrt(g) * ways[t->variant][1];
	lm_act_set_positions(t->body, NULL, v);
	free(v);
}

// ---- measuring

// How far what carries load has slid since it touched down.
static void measure_slide(trial* t)
{
	double weight = lm_act_mass(t->body) * g;
	for (int32_t v = 0; v < lm_act_vertex_count(t->body); ++v)
	{
		const double* x = t->positions + 3 * v;
		bool loaded = t->forces[v] > 0.02 * weight;
		if (loaded && !t->loaded[v])
			memcpy(t->anchors + 3 * v, x, 3 * sizeof *x);
		if (loaded)
			t->r.slide = fmax(t->r.slide, hypot(x[0] - t->anchors[3 * v], x[2] - t->anchors[3 * v + 2]));
		t->loaded[v] = loaded;
	}
}

static double lowest_shown(trial* t)
{
	double low = INFINITY;
	lm_binding_apply(t->f->fit->binding, t->positions, 1, t->shown);
	for (int32_t v = 0; v < t->f->surface->vertex_count; ++v)
		low = fmin(low, t->shown[3 * v + 1]);
	return low;
}

static void measure(trial* t, double time)
{
	const lm_act_motion* m = lm_act_pilot_motion(t->pilot);
	double tilt = hypot(m->tilt[0], m->tilt[2]);
	double above = m->center[1] - ground_height(&t->shape, m->center[0], m->center[2]);
	bool upright = tilt < 0.5 && above > 0.8 * lm_act_pilot_stance(t->pilot);
	lm_act_positions(t->body, t->positions);
	lm_act_contact_forces(t->body, t->forces);
	measure_slide(t);
	t->r.tilt = fmax(t->r.tilt, tilt);
	if (!upright && t->r.fell_at < 0)
		t->r.fell_at = time;
	if (!upright)
		t->up_since = -1;
	else if (t->up_since < 0)
		t->up_since = time;
	int32_t feet = t->f->fit->foot_count, down = 0;
	for (int32_t k = 0; k < feet; ++k)
		down += t->pilot->record.feet[k].down;
	t->off_ground |= feet > 0 && down == 0 && time > 0.3;
}

static void judge(trial* t)
{
	trial_result* r = &t->r;
	const lm_act_motion* m = lm_act_pilot_motion(t->pilot);
	lm_act_record record = lm_act_pilot_get_record(t->pilot);
	r->way = m->center[0] - t->start[0], r->aside = m->center[2] - t->start[2];
	r->drift = hypot(r->way, r->aside);
	r->slip = record.slip_max, r->steps = record.steps_verified, r->hops = record.hops;
	r->up_for = t->up_since < 0 ? 0 : t->seconds - t->up_since;
	if (t->kind == TRIAL_STAND)
	{
		t->f->gap = lowest_shown(t);
		t->f->gap_known = true;
	}
	r->gap = t->f->gap;
	bool close = r->gap < 0.005 && r->gap > -0.002, fast = r->s_per_s < 1;
	double way = t->kind == TRIAL_BACK ? -r->way : t->kind == TRIAL_SIDE ? r->aside : r->way;
	double aside = t->kind == TRIAL_SIDE ? r->way : r->aside;
	bool arrived = fabs(way - r->wanted) < 0.15 * r->wanted, straight = fabs(aside) < 0.1 * r->wanted;
	bool good = false;
	switch (t->kind)
	{
		case TRIAL_STAND: good = r->drift < 0.02 && r->fell_at < 0; break;
		case TRIAL_PUSH:
		case TRIAL_GETUP: good = r->up_for >= 6 / sqrt(g); break;
		case TRIAL_GO: good = arrived && r->fell_at < 0 && r->slide < 0.1 * r->wanted; break;
		case TRIAL_HOP:
			good = arrived && straight && r->fell_at < 0 && r->slide < 0.1 * r->wanted && r->hops >= 3;
			break;
		case TRIAL_STOP:
			good = r->fell_at < 0 && hypot(m->velocity[0], m->velocity[2]) < 0.02 && r->way > 0.5 * r->wanted;
			break;
		case TRIAL_TURN:
			r->aside = remainder(m->heading + 3.141592653589793 / 2, 6.283185307179586);
			good = r->fell_at < 0 && fabs(r->aside) < 0.2 && r->drift < 0.3;
			break;
		case TRIAL_PLACE:
			r->wanted = 0, r->drift = hypot(r->way + 0.5, r->aside - 0.8);
			good = r->fell_at < 0 && r->drift < 0.1;
			break;
		case TRIAL_BACK:
		case TRIAL_SIDE: good = arrived && straight && r->fell_at < 0; break;
		default:
			good = arrived && straight && r->fell_at < 0 && r->steps >= 24 && !t->off_ground && r->slip < 0.03;
			break;
	}
	r->pass = good && close && fast;
}

// Nothing can change the verdict any more: what lies on the ground costs most, and a whole matrix has to be affordable.
static bool is_lost(const trial* t, double time, double used)
{
	bool must_stay_up = t->kind != TRIAL_PUSH && t->kind != TRIAL_GETUP;
	bool late = !must_stay_up && t->up_since < 0 && time > t->seconds - 6 / sqrt(g);
	return late || (must_stay_up && t->r.fell_at >= 0) || used > longest_run * t->seconds;
}

static void print_trace(trial* t, double time)
{
	const lm_act_motion* m = lm_act_pilot_motion(t->pilot);
	lm_act_report p = lm_act_get_report(t->body);
	printf("  %.2f c %.3f %.3f %.3f tilt %.3f heading %.2f touch %d load %.2f it %d out %d phase %d stand %d down %d "
	       "correction %.3f slip %.3f feet",
	       time, m->center[0] - t->start[0], m->center[1] - lm_act_pilot_stance(t->pilot), m->center[2] - t->start[2],
	       hypot(m->tilt[0], m->tilt[2]), m->heading, m->touching, m->load / (lm_act_mass(t->body) * g), p.iterations,
	       (int)p.outcome, t->pilot->hop.phase, (int)t->pilot->stride.standing, (int)t->pilot->fall.down,
	       t->pilot->stride.correction, t->pilot->record.record.slip_max);
	for (int32_t k = 0; k < t->f->fit->foot_count; ++k)
	{
		const lm_foot_state* foot = &t->pilot->record.feet[k];
		lm_vec3 x = lm_pilot_foot_place(t->pilot, k);
		printf(" %c %.3f %.3f %.3f", foot->down ? 'D' : '-', x.x - t->start[0], x.y, x.z - t->start[2]);
	}
	printf("\n");
}

bool run_trial(figure* f, trial_kind kind, int variant, int start, double step, int trace, trial_result* result,
               lm_error* error)
{
	trial t = { .f = f, .kind = kind, .variant = variant, .h = step, .up_since = -1, .r = { .fell_at = -1 } };
	double h = step;
	bool good = open_trial(&t, start, error);
	double used = 0;
	int late = 0, frames = 0;
	lm_act_command command;
	if (good)
	{
		lm_act_center(t.body, t.start);
		command = command_of(&t);
		if (kind == TRIAL_GETUP)
			t.r.fell_at = 0;
	}
	int steps = good ? (int)(t.seconds / h + 0.5) : 0;
	for (int n = 0; good && n < steps && !is_lost(&t, n * h, used); ++n)
	{
		double before = cpu_seconds();
		if (kind == TRIAL_PUSH && n == (int)(push_at / h + 0.5))
			push(&t);
		lm_act_pilot_begin(t.pilot, h);
		lm_act_command now = command_at(&t, &command, n * h);
		lm_act_pilot_do(t.pilot, &now);
		good =
			lm_act_pilot_commit(t.pilot, error) == LM_OK && lm_act_step(&t.body, 1, h, t.ground, n * h, error) == LM_OK;
		lm_act_pilot_record(t.pilot, h);
		double spent = cpu_seconds() - before;
		used += spent, frames++, late += spent > h; // by steps, which are no longer than frames
		measure(&t, (n + 1) * h);
		if (trace > 0 && n % trace == 0)
			print_trace(&t, n * h);
	}
	if (good)
	{
		t.r.s_per_s = frames > 0 ? used / (frames * h) : 0;
		t.r.late_frames = frames > 0 ? (double)late / frames : 0;
		judge(&t);
		*result = t.r;
	}
	close_trial(&t);
	return good;
}
