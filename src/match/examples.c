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

#define LM_DOUBT 1e-5  // taken from the weight of a pose: rounding at rest shall not count as a bit of the example
#define LM_AFFINE 1e-3 // of a region's size: what an example may miss of an affine map

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
		float* const owned[] = {
			pose->local_weights, pose->centre, pose->chunk_turn, pose->whole_centre, pose->turn,
			pose->place,         pose->moved,  pose->maps,       pose->fields,       pose->offset
		};
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
	return TAKE(pose->local_weights, 4 * body->local_starts[body->chunks]) && TAKE(pose->centre, 4 * padded) &&
	       TAKE(pose->chunk_turn, 4 * padded) && TAKE(pose->whole_centre, 3 * padded) && TAKE(pose->turn, 4 * padded) &&
	       TAKE(pose->place, 4 * padded) &&
	       (body->example_count <= LM_ON_STACK || TAKE(pose->moved, LM_MATRIX * padded)) &&
	       TAKE(pose->maps, LM_MAP * (padded + 1)) &&
	       (!body->by_runs || (TAKE(pose->fields, (size_t)body->chunks * LM_TILE) && TAKE(pose->offset, 6 * padded)));
}

static void put4(float* to, lm_vec3 v, double w)
{
	to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z, to[3] = (float)w;
}

static void put_turn(float* turns, int32_t r, lm_quat q)
{
	const double turn[4] = { q.w, q.x, q.y, q.z };
	for (int j = 0; j < 4; ++j)
		turns[((int64_t)(r / LM_LANES) * 4 + j) * LM_LANES + r % LM_LANES] = (float)turn[j];
}

// What example k, selected, makes of a chunk: it turns by Q about its middle, and then each particle moves by u.
typedef struct chunk_frame
{
	lm_mat3 Q;
	lm_vec3 rest_middle, middle;
} chunk_frame;

// Of the `count` particles in `list`; NULL: of the first ones.
static chunk_frame measure_frame(const measuring* m, const int32_t* list, int64_t count, int32_t near,
                                 lm_vec3 rest_middle)
{
	const lm_match* body = m->body;
	chunk_frame frame = { .rest_middle = rest_middle };
	double mass = 0;
	lm_vec3 rest = { 0 }, moved = { 0 };
	lm_mat3 moment = { 0 };
	for (int64_t l = 0; l < count; ++l)
	{
		int32_t i = list != NULL ? list[l] : (int32_t)l;
		double effective = body->rest_moment[4 * (int64_t)i + 3];
		lm_vec3 X = lm_sub(lm_match_rest_position(body, i), frame.rest_middle);
		lm_vec3 y = lm_sub(lm_v3_at(m->pose, i), lm_v3_at(m->pose, near));
		mass += effective, rest = lm_add_scaled(rest, effective, X), moved = lm_add_scaled(moved, effective, y);
		lm_add_outer(&moment, effective, y, X);
	}
	lm_add_outer(&moment, -1 / mass, moved, rest);
	frame.Q = lm_polar3(moment).R;
	frame.middle =
		lm_sub(lm_add_scaled(lm_v3_at(m->pose, near), 1 / mass, moved), lm_mul_v(frame.Q, lm_scale(1 / mass, rest)));
	return frame;
}

static chunk_frame measure_chunk(const measuring* m, int32_t chunk)
{
	const int64_t* starts = m->body->local_starts + chunk;
	return measure_frame(m, m->body->locals + starts[0], starts[1] - starts[0] - 1, m->body->chunk_middle[chunk],
	                     lm_v3_at(m->body->chunk_rest, chunk));
}

static chunk_frame measure_whole(const measuring* m)
{
	return measure_frame(m, NULL, m->body->count, 0, lm_v3(0, 0, 0));
}

// u of particle i.
static lm_vec3 beyond_turn(const measuring* m, const chunk_frame* frame, int32_t i)
{
	lm_vec3 X = lm_sub(lm_match_rest_position(m->body, i), frame->rest_middle);
	return lm_sub(lm_tmul_v(frame->Q, lm_sub(lm_v3_at(m->pose, i), frame->middle)), X);
}

// As lm_match_weigh_chunk does for the rest shape.
static void weigh_chunk(const measuring* m, int k, int32_t chunk, const chunk_frame* frame)
{
	const lm_match* body = m->body;
	for (int64_t l = body->local_starts[chunk]; l < body->local_starts[chunk + 1] - 1; ++l)
	{
		double effective = body->rest_moment[4 * (int64_t)body->locals[l] + 3];
		put4(body->poses[k].local_weights + 4 * l, lm_scale(effective, beyond_turn(m, frame, body->locals[l])),
		     effective);
	}
}

static void put_region(const measuring* m, int k, int32_t r, lm_vec3 origin, const chunk_frame* frame)
{
	const lm_match* body = m->body;
	const lm_match_pose* pose = &body->poses[k];
	lm_match_rest_region rest = lm_match_measure_region(body, r);
	lm_mat3 R = lm_match_measure_turn(body, r, &rest, m->pose);
	lm_vec3 centre = example_centre(m, k, r), whole = lm_sub(centre, origin), beyond = { 0 };
	double along = 0;
	for (int32_t j = 0; j < lm_match_ring_size(body, r); ++j)
	{
		int32_t i = lm_match_member(body, r, j);
		double effective = body->rest_moment[4 * (int64_t)i + 3];
		lm_vec3 q = lm_sub(lm_match_rest_position(body, i), rest.centre);
		lm_vec3 moved = lm_tmul_v(R, lm_sub(lm_v3_at(m->pose, i), centre));
		lm_vec3 move = lm_sub(moved, q);
		along += effective * (lm_dot(q, move) + LM_DOUBT * lm_dot(move, move));
		beyond = lm_add_scaled(beyond, effective / rest.mass, beyond_turn(m, frame, i));
	}
	put_turn(pose->turn, r, lm_quat_from_matrix(R));
	put_turn(pose->chunk_turn, r, lm_quat_from_matrix(lm_mul(lm_transpose(frame->Q), R)));
	put4(pose->centre + 4 * (int64_t)r, beyond, 0);
	*at_rest(body, r, k) = (float)(rest.scale * along);
	for (int j = 0; j < 3; ++j)
		pose->whole_centre[((int64_t)(r / LM_LANES) * 3 + j) * LM_LANES + r % LM_LANES] = (float)lm_v3_get(whole, j);
}

static void place_particle(const measuring* m, int k, int32_t i, lm_vec3 origin)
{
	double share = 1.0 / lm_match_ring_size(m->body, i);
	put4(m->body->poses[k].place + 4 * (int64_t)i, lm_scale(share, lm_sub(lm_v3_at(m->pose, i), origin)), share);
}

static void measure_pose(const measuring* m, int k)
{
	const lm_match* body = m->body;
	select_pose(m, k);
	double low[3], high[3];
	lm_mesh_bounds(m->pose, body->count, low, high);
	lm_vec3 origin = lm_scale(0.5, lm_add(lm_v3_at(low, 0), lm_v3_at(high, 0)));
	chunk_frame frame = measure_whole(m); // runs lead from chunk to chunk
	for (int32_t chunk = 0; chunk < body->chunks; ++chunk)
	{
		if (!body->by_runs)
			frame = measure_chunk(m, chunk);
		weigh_chunk(m, k, chunk, &frame);
		for (int32_t i = chunk * LM_CHUNK; i < body->count && i < (chunk + 1) * LM_CHUNK; ++i)
		{
			place_particle(m, k, i, origin);
			put_region(m, k, i, origin, &frame);
			lm_vec3 u = beyond_turn(m, &frame, i);
			for (int j = 0; body->by_runs && j < 3; ++j)
				body->poses[k].fields[lm_match_place_of(i) + j * LM_ROW] = (float)lm_v3_get(u, j);
		}
	}
	if (body->by_runs)
		lm_match_fill_pose_offsets(body, &body->poses[k]);
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

static lm_mat3 turn_matrix(const lm_match* body, int32_t r, int k)
{
	const float* turn = body->poses[k].turn + (int64_t)(r / LM_LANES) * 4 * LM_LANES + r % LM_LANES;
	lm_quat q = { (double)turn[0], (double)turn[LM_LANES], (double)turn[2 * LM_LANES], (double)turn[3 * LM_LANES] };
	return lm_quat_matrix(q);
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
