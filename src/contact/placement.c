#include "contact/placement.h"

#include <assert.h>

static lm_vec3 key_position(const lm_placement_key* key)
{
	return lm_v3(key->position[0], key->position[1], key->position[2]);
}

static lm_quat key_rotation(const lm_placement_key* key)
{
	return lm_quat_normalize((lm_quat){ key->rotation[0], key->rotation[1], key->rotation[2], key->rotation[3] });
}

static lm_vec3 segment_slope(const lm_placement_key* keys, int32_t i)
{
	return lm_scale(1 / (keys[i + 1].time - keys[i].time), lm_sub(key_position(&keys[i + 1]), key_position(&keys[i])));
}

static lm_vec3 tangent(const lm_placement_key* keys, int32_t count, int32_t i)
{
	if (i == 0)
		return segment_slope(keys, 0);
	if (i == count - 1)
		return segment_slope(keys, count - 2);
	double before = keys[i].time - keys[i - 1].time, after = keys[i + 1].time - keys[i].time;
	return lm_lerp(segment_slope(keys, i - 1), segment_slope(keys, i), before / (before + after));
}

// The last i with keys[i].time < time; keys[0].time < time is known.
static int32_t segment_of(const lm_placement_key* keys, int32_t count, double time)
{
	int32_t low = 0, high = count - 1; // keys[low].time < time <= keys[high].time
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		if (keys[middle].time < time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static lm_placement at_rest(const lm_placement_key* key)
{
	lm_placement placement = { .position = key_position(key), .rotation = key_rotation(key) };
	placement.R = lm_quat_matrix(placement.rotation);
	return placement;
}

lm_placement lm_placement_at(const lm_placement_key* keys, int32_t count, double time)
{
	assert(count > 0);
	if (count == 1 || !(time > keys[0].time))
		return at_rest(&keys[0]);
	if (time > keys[count - 1].time)
		return at_rest(&keys[count - 1]);

	int32_t i = segment_of(keys, count, time);
	double h = keys[i + 1].time - keys[i].time, s = (time - keys[i].time) / h;
	lm_vec3 p0 = key_position(&keys[i]), m0 = tangent(keys, count, i), m1 = tangent(keys, count, i + 1);
	lm_vec3 step = lm_sub(key_position(&keys[i + 1]), p0);

	// p(s) = p0 + s^2 (3 - 2s) step + h s (1-s)^2 m0 + h s^2 (s-1) m1
	lm_placement placement;
	placement.position = lm_add_scaled(p0, s * s * (3 - 2 * s), step);
	placement.position = lm_add_scaled(placement.position, h * s * (1 - s) * (1 - s), m0);
	placement.position = lm_add_scaled(placement.position, h * s * s * (s - 1), m1);
	// p'(s) / h = 6 s (1-s) step / h + (1-s)(1-3s) m0 + s (3s-2) m1
	placement.linear = lm_scale(6 * s * (1 - s) / h, step);
	placement.linear = lm_add_scaled(placement.linear, (1 - s) * (1 - 3 * s), m0);
	placement.linear = lm_add_scaled(placement.linear, s * (3 * s - 2), m1);

	// q(s) = q0 exp(s w): the axis w of the turn is fixed in the frame of q0, and so is the angular velocity w / h.
	lm_quat q0 = key_rotation(&keys[i]), q1 = key_rotation(&keys[i + 1]);
	lm_vec3 turn = lm_quat_log(lm_quat_mul(lm_quat_conjugate(q0), q1)); // the short way round
	placement.rotation = lm_quat_mul(q0, lm_quat_exp(lm_scale(s, turn)));
	placement.R = lm_quat_matrix(placement.rotation);
	placement.angular = lm_scale(1 / h, lm_quat_rotate(q0, turn));
	return placement;
}
