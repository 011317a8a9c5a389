#include "objects/track/push.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

#define LM_SHARE 0.3       // of a bag, in a step, at most
#define LM_CALM 0.7        // of 1 / (1 + q)
#define LM_OWN_WEIGHTS 5.0 // that a body can be pushed with in any direction

double lm_track_share_back(double touching, double mass)
{
	return fmin(LM_MOST_BACK, touching / (touching + mass));
}

void lm_track_bag_fill(lm_track_bag* bag, const lm_track_given* given, const double centre[3], double h)
{
	double about[3][3];
	for (int a = 0; a < 3; ++a)
		for (int b = 0; b < 3; ++b)
			about[a][b] = given->moment[a][b] - centre[a] * given->impulse[b];
	for (int a = 0; a < 3; ++a)
	{
		int b = (a + 1) % 3, c = (a + 2) % 3;
		bag->wrench[a] += given->impulse[a];
		bag->wrench[3 + a] += about[b][c] - about[c][b];
		bag->squeeze[a] += about[a][a];
	}
	static const int pairs[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	for (int k = 0; k < 3; ++k)
		bag->squeeze[3 + k] += (about[pairs[k][0]][pairs[k][1]] + about[pairs[k][1]][pairs[k][0]]) / 2;
	bag->touching = given->touching, bag->step = h, bag->lost += given->lost;
}

// How much of a push j a step of h can give: what stops the body against the cloth in that direction, some of its
// weights, and `more`.
static lm_vec3 limit(const lm_track_pushed* p, lm_vec3 j, double h, double more)
{
	double size = lm_length(j), g = lm_length(lm_v3_at(p->gravity, 0));
	lm_vec3 between = lm_sub(lm_v3_at(p->cloth_velocity, 0), lm_v3_at(p->velocity, 0));
	double closing = size > 0 ? lm_dot(j, between) / size : 0;
	double most = more + p->mass * (fmax(0, closing) + LM_OWN_WEIGHTS * h * g);
	return size > most ? lm_scale(most / size, j) : j;
}

// What a step gives of the force and the torque that it would take out of the bag.
static void limit_wrench(const lm_track_pushed* p, double h, lm_vec3* force, lm_vec3* torque)
{
	lm_vec3 down = lm_normalize_or(lm_v3_at(p->gravity, 0), lm_v3(0, 0, 0));
	double pressing = fmax(0, lm_dot(down, *force)), g = lm_length(lm_v3_at(p->gravity, 0));
	lm_vec3 press = limit(p, lm_scale(pressing, down), h, p->cloth_mass * h * g);
	lm_vec3 rest = limit(p, lm_add_scaled(*force, -pressing, down), h, 0);
	*force = lm_add(press, rest);
	*torque = lm_scale(p->size, limit(p, lm_scale(1 / p->size, *torque), h, 0));
}

void lm_track_bag_hand_over(lm_track_bag* bag, const lm_track_pushed* pushed, double h, double wrench[6],
                            double squeeze[6])
{
	double r = lm_track_share_back(bag->touching, pushed->mass), q = bag->touching * (1 - r) / pushed->mass - r;
	double share = fmin(LM_SHARE, LM_CALM / (1 + fmax(q, 0)));
	if (h < bag->step) // several steps of the body in one of the cloth
		share *= h / bag->step;
	lm_vec3 whole = lm_scale(share, lm_v3_at(bag->wrench, 0)), force = whole;
	lm_vec3 torque = lm_scale(share, lm_v3_at(bag->wrench, 1));
	limit_wrench(pushed, h, &force, &torque);
	for (int k = 0; k < 3; ++k)
	{
		wrench[k] += lm_v3_get(force, k) / h, wrench[3 + k] += lm_v3_get(torque, k) / h;
		bag->wrench[k] -= lm_v3_get(force, k), bag->wrench[3 + k] -= lm_v3_get(torque, k);
	}
	for (int k = 0; k < 6; ++k)
		squeeze[k] += share * bag->squeeze[k] / h, bag->squeeze[k] -= share * bag->squeeze[k];
	if (bag->touching > 0 || lm_distance(force, whole) == 0)
		return;
	bag->lost += lm_length(lm_v3_at(bag->wrench, 0));
	memset(bag->wrench, 0, sizeof bag->wrench), memset(bag->squeeze, 0, sizeof bag->squeeze);
}

// ---- state

static void list_parts(const lm_track_bag* bag, lm_bytes parts[4])
{
	lm_track_bag* b = (lm_track_bag*)bag; // the list is also used for loading
	parts[0] = lm_doubles(b->wrench, 6), parts[1] = lm_doubles(b->squeeze, 6);
	parts[2] = lm_doubles_in(&b->touching, 1, 0, LM_STATE_LARGEST);
	parts[3] = lm_doubles_in(&b->step, 1, 0, LM_STATE_LARGEST);
}

uint64_t lm_track_bag_hash(const lm_track_bag* bag, uint64_t hash)
{
	lm_bytes parts[4];
	list_parts(bag, parts);
	return lm_bytes_hash(parts, 4, hash);
}

void lm_track_bag_save(const lm_track_bag* bag, lm_blob* blob)
{
	lm_bytes parts[4];
	list_parts(bag, parts);
	lm_bytes_put(parts, 4, blob);
	lm_blob_put(blob, &bag->lost, sizeof bag->lost);
}

void lm_track_bag_load(lm_track_bag* bag, lm_blob* blob)
{
	lm_bytes parts[4];
	list_parts(bag, parts);
	lm_bytes_get(parts, 4, blob);
	lm_bytes_get((lm_bytes[]){ lm_doubles_in(&bag->lost, 1, 0, LM_STATE_LARGEST) }, 1, blob);
}
