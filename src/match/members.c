// members.c: the rings as lists of particles in our order, and rows of what belongs to a particle for sums over them
// (kernel_members.h).
#include "base/error.h"
#include "match/body.h"

lm_status lm_match_list_members(lm_match* body, const lm_adjacency* rings, lm_error* error)
{
	int64_t padded = (int64_t)body->blocks * LM_LANES, count = 0;
	int64_t most = rings->starts[body->count] + (LM_MEMBER_STEP - 1) * (int64_t)body->count;
	if (most > INT32_MAX || body->count > INT32_MAX / LM_MAP - 1)
		return lm_fail(error, LM_BAD_INPUT, "the regions have %lld members in all; a smaller ring is needed",
		               (long long)rings->starts[body->count]);
	body->members = LM_NEW(&body->host, most, int32_t);
	if (body->members == NULL)
		return lm_fail_memory(error);
	for (int64_t r = 0; r < padded; ++r)
	{
		int32_t v = r < body->count ? body->to_user[r] : -1;
		for (int64_t k = v < 0 ? 0 : rings->starts[v]; v >= 0 && k < rings->starts[v + 1]; ++k)
			body->members[count++] = body->to_inner[rings->items[k]];
		while (count % LM_MEMBER_STEP != 0)
			body->members[count++] = (int32_t)padded; // of mass 0
		body->starts[r + 1] = (int32_t)count;
	}
	return LM_OK;
}

// Mean over the ring r of the offsets z_i - z_r, as the kernels take them, and the sum of m~: sum y_i q_i^T - (sum y_i)
// d_r^T is exact for equal y_i / m~_i, wherever they are, only if d_r is the mean of the very numbers q_i that the
// kernels add up. z is a row of tiles.
static double mean_offset(const lm_match* body, int32_t r, const float* z, double* mass)
{
	const float* weight = body->fields + LM_FIELD_WEIGHT * LM_ROW;
	double sum = 0;
	*mass = 0;
	for (int32_t k = 0; k < lm_match_ring_size(body, r); ++k)
	{
		int64_t place = lm_match_place_of(lm_match_member(body, r, k));
		float q = z[place] - z[lm_match_place_of(r)];
		sum += (double)weight[place] * (double)q;
		*mass += (double)weight[place];
	}
	return sum / *mass;
}

void lm_match_fill_fields(lm_match* body)
{
	for (int32_t i = 0; i < body->count; ++i)
	{
		lm_vec3 X = lm_match_rest_position(body, i);
		const double values[LM_FIELDS - LM_FIELD_X] = { X.x, X.y, X.z, body->rest_moment[4 * (int64_t)i + 3],
			                                            1.0 / lm_match_ring_size(body, i) };
		for (int k = LM_FIELD_X; k < LM_FIELDS; ++k)
			body->fields[lm_match_place_of(i) + k * LM_ROW] = (float)values[k - LM_FIELD_X];
		for (int k = 0; k < 4; ++k)
			body->particles[LM_PARTICLE_ROW * (int64_t)i + 4 + k] = k < 3 ? (float)values[k] : 1;
	}
	for (int32_t r = 0; r < body->count; ++r)
		for (int j = 0; j < 3; ++j)
		{
			double mass, mean = mean_offset(body, r, body->fields + (LM_FIELD_X + j) * LM_ROW, &mass);
			int64_t field = (int64_t)(r / LM_LANES) * LM_SHAPE_FIELDS + LM_SHAPE_OFFSET + j;
			body->shape[field * LM_LANES + r % LM_LANES] = (float)mean;
		}
}

void lm_match_fill_pose_offsets(const lm_match* body, const lm_match_pose* pose)
{
	for (int32_t r = 0; r < body->count; ++r)
		for (int j = 0; j < 3; ++j)
		{
			const float* u = pose->fields + j * LM_ROW;
			float* to = pose->offset + ((int64_t)(r / LM_LANES) * 6 + j) * LM_LANES + r % LM_LANES;
			double mass, mean = mean_offset(body, r, u, &mass);
			to[0] = (float)(mean * mass);
			to[3 * LM_LANES] = (float)(mean + (double)u[lm_match_place_of(r)]);
		}
}
