// examples.c: what the examples are to the regions, measured once.
//
// In the frame of its region r at rest, example k moves particle i by
//
//   l_k,i = R_k^T (y^k_i - c^k) - q_i
//
// with R_k the rotation of the region's moment matrix there. Where the example is affine in the region, l_k,i = L_k
// q_i, L_k = S_k - I, the paper's descriptor. When that holds in all regions for all examples, six numbers each are all
// that a step needs; else the examples are kept as poses (kernel_poses.h). Either way the matrix of the projection is
// G_kl = sum m~ l_k.l_l (project.c).
#include "base/error.h"
#include "match/body.h"
#include "math/quat.h"
#include "math/svd.h"

#include <string.h>

#define LM_ROUNDING 1e-5 // subtracted from the weight of a pose, so that rounding at rest gives no weight
#define LM_AFFINE 1e-3   // of a region's size: what an example may miss of an affine map

typedef struct measuring
{
	lm_match* body;
	const double* const* examples; // caller's order
	double* pose;                  // inner order, one at a time
} measuring;

static lm_vec3 example_position(const measuring* m, int k, int32_t i)
{
	return lm_v3_at(m->examples[k], m->body->to_user[i]);
}

static void select_pose(const measuring* m, int k)
{
	for (int32_t i = 0; i < m->body->count; ++i)
		lm_v3_store(m->pose, i, example_position(m, k, i));
}

static lm_vec3 example_centre(const measuring* m, int k, int32_t r)
{
	const lm_match* body = m->body;
	lm_vec3 near = example_position(m, k, r), sum = { 0 };
	double mass = 0;
	for (int32_t j = 0; j < lm_match_ring_size(body, r); ++j)
	{
		int32_t i = lm_match_member(body, r, j);
		double effective = body->rest_moment[4 * (int64_t)i + 3];
		sum = lm_add_scaled(sum, effective, lm_sub(example_position(m, k, i), near));
		mass += effective;
	}
	return lm_add_scaled(near, 1 / mass, sum);
}

// Whether example k, selected, is a rotation and a stretch in region r.
static bool is_affine(const measuring* m, int k, int32_t r)
{
	const lm_match* body = m->body;
	lm_match_rest_region rest = lm_match_measure_region(body, r);
	lm_mat3 R = lm_match_measure_turn(body, r, &rest, m->pose);
	lm_mat3 S = lm_match_measure_stretch(body, r, &rest, m->pose);
	lm_vec3 centre = example_centre(m, k, r);
	double missed = 0, size = 0;
	for (int32_t j = 0; j < lm_match_ring_size(body, r); ++j)
	{
		int32_t i = lm_match_member(body, r, j);
		double effective = body->rest_moment[4 * (int64_t)i + 3];
		lm_vec3 q = lm_sub(lm_match_rest_position(body, i), rest.centre);
		lm_vec3 miss = lm_sub(lm_tmul_v(R, lm_sub(example_position(m, k, i), centre)), lm_mul_v(S, q));
		missed += effective * lm_dot(miss, miss), size += effective * lm_dot(q, q);
	}
	return missed <= LM_AFFINE * LM_AFFINE * size;
}

// Whether six numbers per region say all that is to be matched.
static bool by_stretches(const measuring* m)
{
	if (m->body->descriptor == LM_MATCH_STRETCH)
		return true;
	for (int k = 0; k < m->body->example_count; ++k)
	{
		select_pose(m, k);
		for (int32_t r = 0; r < m->body->count; ++r)
			if (!is_affine(m, k, r))
				return false;
	}
	return true;
}

static float* at_rest(const lm_match* body, int32_t r, int k)
{
	return body->at_rest + ((int64_t)(r / LM_LANES) * body->example_count + k) * LM_LANES + r % LM_LANES;
}

// ---- stretches ----

static float* stretch_at(const lm_match* body, int32_t r, int k)
{
	return body->examples + ((int64_t)(r / LM_LANES) * body->example_count + k) * 6 * LM_LANES + r % LM_LANES;
}

// L_k of region r.
static lm_mat3 stretch_matrix(const lm_match* body, int32_t r, int k)
{
	const float* L = stretch_at(body, r, k);
	double xy = (double)L[3 * LM_LANES], xz = (double)L[4 * LM_LANES], yz = (double)L[5 * LM_LANES];
	return (
		lm_mat3){ { { (double)L[0], xy, xz }, { xy, (double)L[LM_LANES], yz }, { xz, yz, (double)L[2 * LM_LANES] } } };
}

static void put_stretch(lm_match* body, int32_t r, int k, lm_mat3 S)
{
	const double values[6] = { S.m[0][0] - 1,
		                       S.m[1][1] - 1,
		                       S.m[2][2] - 1,
		                       0.5 * (S.m[0][1] + S.m[1][0]),
		                       0.5 * (S.m[0][2] + S.m[2][0]),
		                       0.5 * (S.m[1][2] + S.m[2][1]) };
	for (int j = 0; j < 6; ++j)
		stretch_at(body, r, k)[j * LM_LANES] = (float)values[j];
}

static bool measure_stretches(const measuring* m)
{
	lm_match* body = m->body;
	size_t padded = (size_t)body->blocks * LM_LANES;
	body->examples = LM_NEW(&body->host, padded * (size_t)body->example_count * 6, float);
	for (int k = 0; body->examples != NULL && k < body->example_count; ++k)
	{
		select_pose(m, k);
		for (int32_t r = 0; r < body->count; ++r)
		{
			lm_match_rest_region rest = lm_match_measure_region(body, r);
			put_stretch(body, r, k, lm_match_measure_stretch(body, r, &rest, m->pose));
			lm_mat3 L = stretch_matrix(body, r, k);
			double along = 0;
			for (int j = 0; j < 9; ++j)
				along += L.m[j / 3][j % 3] * rest.moment.m[j / 3][j % 3];
			*at_rest(body, r, k) = (float)along;
		}
	}
	return body->examples != NULL;
}

// ---- poses ----

void lm_match_release_poses(lm_match* body)
{
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
	{
		lm_match_pose* pose = &body->poses[k];
		float* const owned[] = { pose->turn, pose->fields, pose->rows, pose->offset, pose->moved };
		for (size_t j = 0; j < sizeof owned / sizeof owned[0]; ++j)
			lm_free(&body->host, owned[j]);
	}
	lm_free(&body->host, body->poses);
	body->poses = NULL;
}

#define TAKE(pointer, items) (((pointer) = lm_alloc(host, (size_t)(items), sizeof *(pointer))) != NULL)

static bool allocate_pose(const lm_match* body, lm_match_pose* pose)
{
	const lm_host* host = &body->host;
	size_t padded = (size_t)body->blocks * LM_LANES;
	return TAKE(pose->turn, 4 * padded) && TAKE(pose->fields, (size_t)body->chunks * LM_TILE) &&
	       TAKE(pose->rows, 4 * (padded + 1)) && TAKE(pose->offset, 6 * padded) &&
	       (body->example_count <= LM_ON_STACK || TAKE(pose->moved, LM_MATRIX * padded));
}

static void put_turn(float* turns, int32_t r, lm_quat q)
{
	const double turn[4] = { q.w, q.x, q.y, q.z };
	for (int j = 0; j < 4; ++j)
		turns[((int64_t)(r / LM_LANES) * 4 + j) * LM_LANES + r % LM_LANES] = (float)turn[j];
}

// What example k, selected, makes of the body: it turns by Q about its middle, and then each particle moves by u.
typedef struct frame
{
	lm_mat3 Q;
	lm_vec3 middle;
} frame;

static frame measure_frame(const measuring* m)
{
	const lm_match* body = m->body;
	double mass = 0;
	lm_vec3 near = lm_v3_at(m->pose, 0), rest = { 0 }, moved = { 0 };
	lm_mat3 moment = { 0 };
	for (int32_t i = 0; i < body->count; ++i)
	{
		double effective = body->rest_moment[4 * (int64_t)i + 3];
		lm_vec3 X = lm_match_rest_position(body, i), y = lm_sub(lm_v3_at(m->pose, i), near);
		mass += effective, rest = lm_add_scaled(rest, effective, X), moved = lm_add_scaled(moved, effective, y);
		lm_add_outer(&moment, effective, y, X);
	}
	lm_add_outer(&moment, -1 / mass, moved, rest);
	lm_mat3 Q = lm_polar3(moment).R;
	return (frame){ Q, lm_sub(lm_add_scaled(near, 1 / mass, moved), lm_mul_v(Q, lm_scale(1 / mass, rest))) };
}

static void put_region(const measuring* m, int k, int32_t r)
{
	const lm_match* body = m->body;
	const lm_match_pose* pose = &body->poses[k];
	lm_match_rest_region rest = lm_match_measure_region(body, r);
	lm_mat3 R = lm_match_measure_turn(body, r, &rest, m->pose);
	lm_vec3 centre = example_centre(m, k, r);
	double along = 0;
	for (int32_t j = 0; j < lm_match_ring_size(body, r); ++j)
	{
		int32_t i = lm_match_member(body, r, j);
		lm_vec3 q = lm_sub(lm_match_rest_position(body, i), rest.centre);
		lm_vec3 move = lm_sub(lm_tmul_v(R, lm_sub(lm_v3_at(m->pose, i), centre)), q);
		along += body->rest_moment[4 * (int64_t)i + 3] * (lm_dot(q, move) + LM_ROUNDING * lm_dot(move, move));
	}
	put_turn(pose->turn, r, lm_quat_from_matrix(lm_mul(lm_transpose(pose->Q), R)));
	*at_rest(body, r, k) = (float)(rest.scale * along);
}

static void measure_pose(const measuring* m, int k)
{
	const lm_match* body = m->body;
	lm_match_pose* pose = &body->poses[k];
	select_pose(m, k);
	frame f = measure_frame(m);
	pose->Q = f.Q;
	for (int32_t i = 0; i < body->count; ++i)
	{
		lm_vec3 y = lm_tmul_v(f.Q, lm_sub(lm_v3_at(m->pose, i), f.middle));
		lm_vec3 u = lm_sub(y, lm_match_rest_position(body, i));
		for (int j = 0; j < 3; ++j)
			pose->fields[lm_match_place_of(i) + j * LM_ROW] = pose->rows[4 * (int64_t)i + j] = (float)lm_v3_get(u, j);
		put_region(m, k, i);
	}
	lm_match_fill_pose_offsets(body, pose);
}

static bool measure_poses(const measuring* m)
{
	lm_match* body = m->body;
	body->poses = LM_NEW(&body->host, body->example_count, lm_match_pose);
	bool allocated = body->poses != NULL;
	for (int k = 0; allocated && k < body->example_count; ++k)
		allocated = allocate_pose(body, &body->poses[k]);
	for (int k = 0; allocated && k < body->example_count; ++k)
		measure_pose(m, k);
	return allocated;
}

// ---- the matrix of the projection ----

// R_k,r
static lm_mat3 turn_matrix(const lm_match* body, int32_t r, int k)
{
	const float* turn = body->poses[k].turn + (int64_t)(r / LM_LANES) * 4 * LM_LANES + r % LM_LANES;
	lm_quat q = { (double)turn[0], (double)turn[LM_LANES], (double)turn[2 * LM_LANES], (double)turn[3 * LM_LANES] };
	return lm_mul(body->poses[k].Q, lm_quat_matrix(q));
}

// G of region r, lower triangle row by row.
static void region_gram(const measuring* m, int32_t r, double* gram)
{
	const lm_match* body = m->body;
	int n = body->example_count;
	lm_match_rest_region rest = lm_match_measure_region(body, r);
	lm_vec3 centres[LM_EXAMPLES], moves[LM_EXAMPLES];
	lm_mat3 maps[LM_EXAMPLES];
	for (int k = 0; k < n; ++k)
	{
		centres[k] = body->poses != NULL ? example_centre(m, k, r) : lm_v3(0, 0, 0);
		maps[k] = body->poses != NULL ? turn_matrix(body, r, k) : stretch_matrix(body, r, k);
	}
	memset(gram, 0, (size_t)(n * (n + 1) / 2) * sizeof *gram);
	for (int32_t j = 0; rest.scale > 0 && j < lm_match_ring_size(body, r); ++j)
	{
		int32_t i = lm_match_member(body, r, j);
		lm_vec3 q = lm_sub(lm_match_rest_position(body, i), rest.centre);
		double weight = body->rest_moment[4 * (int64_t)i + 3] / (body->size * body->size), *entry = gram;
		for (int k = 0; k < n; ++k)
		{
			moves[k] = body->poses != NULL
			               ? lm_sub(lm_tmul_v(maps[k], lm_sub(example_position(m, k, i), centres[k])), q)
			               : lm_mul_v(maps[k], q);
			for (int l = 0; l <= k; ++l)
				*entry++ += weight * lm_dot(moves[k], moves[l]);
		}
	}
}

static void measure_gram(const measuring* m)
{
	lm_match* body = m->body;
	int n = body->example_count, entries = n * (n + 1) / 2;
	double gram[LM_EXAMPLES * (LM_EXAMPLES + 1) / 2];
	for (int32_t r = 0; r < body->count; ++r)
	{
		region_gram(m, r, gram);
		int64_t row = body->locality == LM_MATCH_GROUPS ? body->region_group[r] : 0;
		for (int k = 0, at = 0; k < n; ++k)
			for (int l = 0; l <= k; ++l, ++at)
			{
				if (body->gram == NULL)
				{
					int64_t block = (int64_t)(r / LM_LANES) * entries + at;
					body->region_gram[block * LM_LANES + r % LM_LANES] = (float)gram[at];
					continue;
				}
				double* whole = body->gram + row * n * n;
				whole[k * n + l] += gram[at];
				whole[l * n + k] = whole[k * n + l];
			}
	}
}

lm_status lm_match_measure_examples(lm_match* body, const double* const* examples, lm_error* error)
{
	measuring m = { body, examples, LM_NEW(&body->host, 3 * (size_t)body->count, double) };
	bool measured = m.pose != NULL && (by_stretches(&m) ? measure_stretches(&m) : measure_poses(&m));
	if (measured)
		measure_gram(&m);
	lm_free(&body->host, m.pose);
	return measured ? LM_OK : lm_fail_memory(error);
}
