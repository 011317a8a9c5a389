// motion_velocity.c: velocities that are asked for (Eq. 22), of the centre of an object or of the nodes of a part:
//
//   E = velocity sum over frames j of tau_j ( |s - v|^2  or  1/K sum over the K nodes k of the part |s_k - v_k|^2 )
//
// s is the slope of the spline at the frame. That of a node (Eq. 17) has the rotation of the object in it,
//
//   s_k = sum w_f y_f,k + [ dR/dt - sum w_f R_f ] (x_k - c_0),
//
// where rotations are those of the last fit; that of the centre has not, for the centre does not turn about itself.
#include "design/motion.h"

// Weights of the slope at a frame, where free frames have a say in it.
static int slope_weights(const lm_design_timeline* t, int32_t j, int32_t frames[3], double w[3])
{
	int count = lm_design_timeline_slope(t, j, frames, w);
	if (count > 0 || t->count < 2)
		return count;
	int32_t other = j + 1 < t->count ? j + 1 : j - 1;
	frames[0] = j, frames[1] = other;
	w[1] = 1 / (t->frames[other].time - t->frames[j].time), w[0] = -w[1];
	return 2;
}

static void add_at(const lm_design_motion_body* body, double* gradient, int32_t frame, int32_t node, lm_vec3 d)
{
	double* g = lm_design_motion_block(body, gradient, frame);
	if (g != NULL)
		lm_v3_store(g, node, lm_add(lm_v3_at(g, node), d));
}

static double whole_energy(const lm_design_motion* motion, const lm_design_motion_body* body, int32_t j,
                           double* gradient)
{
	const lm_design_timeline* t = &body->timeline;
	int32_t frames[3];
	double w[3];
	int count = slope_weights(t, j, frames, w);
	lm_vec3 off = lm_scale(-1, t->frames[j].velocity);
	for (int k = 0; k < count; ++k)
		for (int32_t i = 0; i < body->node_count; ++i)
			off = lm_add_scaled(off, w[k] / body->node_count, lm_v3_at(t->frames[frames[k]].y, i));
	double weight = motion->settings.velocity * lm_design_timeline_share(t, j);
	for (int k = 0; k < count; ++k)
		for (int32_t i = 0; i < body->node_count; ++i)
			add_at(body, gradient, frames[k], i, lm_scale(2 * weight * w[k] / body->node_count, off));
	return weight * lm_dot(off, off);
}

// dR/dt - sum w_f R_f at frame j.
static lm_mat3 turn_of(const lm_design_timeline* t, int32_t j, int count, const int32_t frames[3], const double w[3])
{
	lm_vec3 s = t->frames[j].after;
	lm_mat3 W = { { { 0, -s.z, s.y }, { s.z, 0, -s.x }, { -s.y, s.x, 0 } } };
	lm_mat3 turn = lm_mul(lm_quat_matrix(t->frames[j].q), W);
	for (int f = 0; f < count; ++f)
	{
		lm_mat3 R = lm_quat_matrix(t->frames[frames[f]].q);
		for (int a = 0; a < 3; ++a)
			for (int b = 0; b < 3; ++b)
				turn.m[a][b] -= w[f] * R.m[a][b];
	}
	return turn;
}

// v_k = linear + spin x (y_k - middle) depends on the nodes at the frame, too:
// d v_k / d y_l = [spin]x (delta_kl - 1/K).
static double part_energy(const lm_design_motion* motion, const lm_design_motion_body* body, int32_t j,
                          const lm_design_part_velocity* part, double* gradient)
{
	const lm_design_timeline* t = &body->timeline;
	const lm_design_model* m = t->model;
	const double* y = t->frames[j].y;
	int32_t frames[3];
	double w[3], weight = motion->settings.velocity * lm_design_timeline_share(t, j) / part->count, energy = 0;
	int count = slope_weights(t, j, frames, w);
	lm_mat3 turn = turn_of(t, j, count, frames, w);
	lm_vec3 middle = lm_design_part_middle(part, y), sum = { 0, 0, 0 };
	for (int32_t k = 0; k < part->count; ++k)
	{
		int32_t i = part->nodes[k];
		lm_vec3 off = lm_sub(lm_mul_v(turn, lm_sub(lm_v3_at(m->nodes, i), m->middle)),
		                     lm_design_part_velocity_of(part, middle, y, i));
		for (int f = 0; f < count; ++f)
			off = lm_add_scaled(off, w[f], lm_v3_at(t->frames[frames[f]].y, i));
		energy += weight * lm_dot(off, off);
		for (int f = 0; f < count; ++f)
			add_at(body, gradient, frames[f], i, lm_scale(2 * weight * w[f], off));
		lm_vec3 turned = lm_cross(part->spin, off);
		add_at(body, gradient, j, i, lm_scale(2 * weight, turned));
		sum = lm_add(sum, turned);
	}
	for (int32_t k = 0; k < part->count; ++k)
		add_at(body, gradient, j, part->nodes[k], lm_scale(-2 * weight / part->count, sum));
	return energy;
}

double lm_design_motion_velocity_energy(const lm_design_motion* motion, const lm_design_motion_body* body,
                                        double* gradient)
{
	const lm_design_timeline* t = &body->timeline;
	double energy = 0;
	for (int32_t j = 0; j < t->count; ++j)
	{
		const lm_design_frame* f = &t->frames[j];
		if (f->has_velocity && f->slope == NULL)
			energy += whole_energy(motion, body, j, gradient);
		for (int32_t p = 0; p < f->part_count; ++p)
			energy += part_energy(motion, body, j, &f->parts[p], gradient);
	}
	return energy;
}

static void add_to_diagonal(lm_design_motion_body* body, int32_t frame, int32_t node, double value)
{
	if (body->slot[frame] < 0)
		return;
	double* block = lm_design_band_block(&body->metric, body->slot[frame], 0);
	for (int32_t c = 3 * node; c < 3 * node + 3; ++c)
		block[c * body->metric.stride + c] += value;
}

void lm_design_motion_velocity_metric(const lm_design_motion* motion, lm_design_motion_body* body)
{
	const lm_design_timeline* t = &body->timeline;
	for (int32_t j = 0; j < t->count; ++j)
	{
		const lm_design_frame* f = &t->frames[j];
		int32_t frames[3];
		double w[3], weight = 2 * motion->settings.velocity * lm_design_timeline_share(t, j);
		int count = slope_weights(t, j, frames, w);
		for (int k = 0; k < count; ++k)
		{
			for (int32_t i = 0; i < body->node_count && f->has_velocity && f->slope == NULL; ++i)
				add_to_diagonal(body, frames[k], i, weight * w[k] * w[k] / body->node_count);
			for (int32_t p = 0; p < f->part_count; ++p)
				for (int32_t i = 0; i < f->parts[p].count; ++i)
					add_to_diagonal(body, frames[k], f->parts[p].nodes[i], weight * w[k] * w[k] / f->parts[p].count);
		}
	}
}
