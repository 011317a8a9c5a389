// runs.c: rings as runs, for meshes in which the k-th members of neighbouring regions are neighbours too (rows.c).
//
// Take LM_RUN regions r .. r + 7 that follow each other. A run is a number `first`, such that first + l is a member of
// region r + l, and the set of the lanes l for which that holds. A lattice numbered row by row has about as many runs
// as a region has members, most of them with all lanes: then the regions are summed LM_RUN at once with plain loads
// (kernel_runs.h). Where rows are straight and evenly spaced besides, all lanes of a run are at the same offset from
// their regions, which is then known without asking where they are. Where lanes are few the tables of chunks.c are
// faster.
#include "base/error.h"
#include "match/body.h"

#include <stdlib.h>
#include <string.h>

#define LM_LARGE 4096  // particles
#define LM_NEARLY 1.05 // times as many runs are worth a shorter reach
#define LM_FILLED 3    // lanes of a run on average, from which on runs are worth it
#define LM_EVEN 1e-7   // of the size of the body: what single precision leaves of an offset

static int by_key(const void* a, const void* b)
{
	int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
	return (x > y) - (x < y);
}

// An order of the particles, and room for the members of a group of regions.
typedef struct numbering
{
	const lm_adjacency* rings;
	const int32_t *to_user, *to_inner;
	int64_t* keys;
} numbering;

// The members of group g as keys first * LM_RUN + lane, ascending; returns how many.
static int64_t list_members(const numbering* order, int64_t g)
{
	int64_t count = 0, begin = g * LM_RUN;
	for (int64_t lane = 0; lane < LM_RUN && begin + lane < order->rings->count; ++lane)
	{
		int32_t v = order->to_user[begin + lane];
		for (int64_t k = order->rings->starts[v]; k < order->rings->starts[v + 1]; ++k)
		{
			int64_t place = lm_match_place_of(order->to_inner[order->rings->items[k]]);
			order->keys[count++] = (place - lane) * LM_RUN + lane;
		}
	}
	qsort(order->keys, (size_t)count, sizeof *order->keys, by_key);
	return count;
}

// The run that begins at key k; moves k behind it.
static lm_match_run take_run(const numbering* order, int64_t count, int64_t* k)
{
	int64_t first = order->keys[*k] / LM_RUN;
	lm_match_run run = { .place = (int32_t)first };
	for (; *k < count && order->keys[*k] / LM_RUN == first; ++*k)
		run.lanes |= 1u << order->keys[*k] % LM_RUN & 0xff;
	return run;
}

static int64_t count_runs(const numbering* order)
{
	int64_t runs = 0;
	for (int64_t g = 0; g * LM_RUN < order->rings->count; ++g)
		for (int64_t k = 0, count = list_members(order, g); k < count; ++runs)
			take_run(order, count, &k);
	return runs;
}

static int64_t measure_reach(const numbering* order)
{
	int64_t reach = 0;
	for (int64_t r = 0; r < order->rings->count; ++r)
	{
		int32_t v = order->to_user[r];
		for (int64_t k = order->rings->starts[v]; k < order->rings->starts[v + 1]; ++k)
		{
			int64_t distance = order->to_inner[order->rings->items[k]] - r;
			reach = distance > reach ? distance : reach;
		}
	}
	return reach;
}

static bool open_numbering(const lm_match* body, const lm_adjacency* rings, numbering* order)
{
	int64_t largest = 0;
	for (int32_t v = 0; v < rings->count; ++v)
	{
		int64_t size = rings->starts[v + 1] - rings->starts[v];
		largest = size > largest ? size : largest;
	}
	*order = (numbering){ rings, body->to_user, body->to_inner, LM_NEW(&body->host, LM_RUN * largest, int64_t) };
	return order->keys != NULL;
}

static void set_order(lm_match* body, const int32_t* to_user)
{
	if (to_user != body->to_user)
		memcpy(body->to_user, to_user, (size_t)body->count * sizeof *to_user);
	for (int32_t i = 0; i < body->count; ++i)
		body->to_inner[body->to_user[i]] = i;
}

// How good an order is.
typedef struct rating
{
	int64_t runs, reach;
} rating;

static rating rate(const numbering* order)
{
	return (rating){ count_runs(order), measure_reach(order) };
}

// Fewer runs, or in a large body nearly as few that reach less far.
static bool better(const lm_match* body, rating a, rating b)
{
	double nearly = body->large ? LM_NEARLY : 1;
	return (double)a.runs < (a.reach < b.reach ? nearly : 1 / nearly) * (double)b.runs;
}

// The best of the order as given and those by rows; `best` and `tried` are room. False when out of memory.
static bool find_rows(lm_match* body, const double* positions, const numbering* order, int32_t* best, int32_t* tried)
{
	body->large = body->count > LM_LARGE;
	for (int32_t i = 0; i < body->count; ++i)
		best[i] = i;
	set_order(body, best);
	rating found = rate(order);
	for (int stride = 1; stride <= 2; ++stride)
	{
		if (!lm_match_order_rows(positions, order->rings, &body->host, stride, tried))
			return false;
		set_order(body, tried);
		rating now = rate(order);
		if (!better(body, now, found))
			continue;
		found = now;
		memcpy(best, tried, (size_t)body->count * sizeof *best);
	}
	set_order(body, best);
	body->run_count = found.runs, body->reach = found.reach;
	return true;
}

// Rows, as they are or found, if they make good runs; else compact chunks.
lm_status lm_match_choose_order(lm_match* body, const double* positions, const lm_adjacency* rings, lm_error* error)
{
	const lm_host* host = &body->host;
	numbering order;
	int32_t *best = LM_NEW(host, body->count, int32_t), *tried = LM_NEW(host, body->count, int32_t);
	bool room = open_numbering(body, rings, &order) && best != NULL && tried != NULL &&
	            find_rows(body, positions, &order, best, tried);
	body->by_runs = room && LM_FILLED * body->run_count <= rings->starts[body->count] && body->run_count < INT32_MAX &&
	                (int64_t)body->chunks * LM_TILE < INT32_MAX;
	if (room && !body->by_runs)
	{
		room = lm_match_order(positions, rings, host, body->to_user);
		set_order(body, body->to_user);
	}
	lm_free(host, best);
	lm_free(host, tried);
	lm_free(host, order.keys);
	return room ? LM_OK : lm_fail_memory(error);
}

static void write_runs(lm_match* body, const numbering* order)
{
	int32_t* start = body->run_starts;
	for (int64_t g = 0; g < (int64_t)body->blocks * LM_LANES / LM_RUN; ++g, start += LM_RUN_KINDS)
	{
		int64_t count = list_members(order, g);
		start[LM_RUN_KINDS] = start[1] = start[2] = start[0]; // none is known to be even yet
		for (int64_t k = 0; k < count;)
			body->runs[start[LM_RUN_KINDS]++] = take_run(order, count, &k);
	}
}

lm_status lm_match_build_runs(lm_match* body, const lm_adjacency* rings, lm_error* error)
{
	if (!body->by_runs)
		return LM_OK;
	const lm_host* host = &body->host;
	int64_t groups = (int64_t)body->blocks * LM_LANES / LM_RUN;
	numbering order;
	body->runs = LM_NEW(host, body->run_count, lm_match_run);
	body->run_starts = LM_NEW(host, LM_RUN_KINDS * groups + 1, int32_t);
	body->run_offsets = LM_NEW(host, 3 * body->run_count, float);
	body->fields = LM_NEW(host, (size_t)body->chunks * LM_TILE, float);
	bool room = open_numbering(body, rings, &order) && body->runs != NULL && body->run_starts != NULL &&
	            body->run_offsets != NULL && body->fields != NULL;
	if (room)
		write_runs(body, &order);
	lm_free(host, order.keys);
	return room ? LM_OK : lm_fail_memory(error);
}

// The particle at a place.
static int32_t particle_at(int64_t place)
{
	return (int32_t)(place / LM_TILE * LM_CHUNK + place % LM_TILE - LM_LANES);
}

// The offset X_i - X_r of a run of the regions from `first` on. False where its lanes differ.
static bool find_offset(const lm_match* body, const lm_match_run* run, int32_t first, float offset[3])
{
	lm_vec3 each[LM_RUN], mean = { 0, 0, 0 };
	int count = 0;
	for (int l = 0; l < LM_RUN; ++l)
		if (run->lanes >> l & 1)
		{
			lm_vec3 member = lm_match_rest_position(body, particle_at(run->place + l));
			each[count] = lm_sub(member, lm_match_rest_position(body, first + l));
			mean = lm_add(mean, each[count++]);
		}
	mean = lm_scale(1.0 / count, mean);
	bool even = true;
	for (int k = 0; k < count; ++k)
		even = even && lm_length(lm_sub(each[k], mean)) <= LM_EVEN * body->size;
	for (int j = 0; j < 3; ++j)
		offset[j] = (float)lm_v3_get(mean, j);
	return even;
}

// Puts the even runs of a group that have all lanes first (kind 1), and then those that have some (kind 2).
static void gather_even(const lm_match* body, int64_t g, int kind)
{
	int32_t *start = body->run_starts + LM_RUN_KINDS * g, place = start[kind - 1];
	for (int32_t k = place; k < start[LM_RUN_KINDS]; ++k)
	{
		lm_match_run run = body->runs[k];
		bool all_lanes = run.lanes == (1u << LM_RUN) - 1;
		if ((kind == 1 && !all_lanes) ||
		    !find_offset(body, &run, (int32_t)(g * LM_RUN), body->run_offsets + 3 * (int64_t)place))
			continue;
		body->runs[k] = body->runs[place];
		body->runs[place++] = run;
	}
	start[kind] = place;
}

// Means over the rings of group g of the offsets z_i - z_r, as the kernel takes them, and the sums of m~: sum y_i q_i^T
// - (sum y_i) d_r^T is exact for equal y_i / m~_i, wherever they are, only if d_r is the mean of the very numbers q_i
// that the kernel adds up. `even` has the offsets of even runs, 3 apart; NULL: they are taken from z, as those of the
// others.
static void mean_offsets(const lm_match* body, int64_t g, const float* z, const float* even, double mean[LM_RUN],
                         double mass[LM_RUN])
{
	const int32_t* start = body->run_starts + LM_RUN_KINDS * g;
	const float *weight = body->fields + LM_FIELD_WEIGHT * LM_ROW, *own = z + lm_match_place_of(g * LM_RUN);
	for (int l = 0; l < LM_RUN; ++l)
		mean[l] = mass[l] = 0;
	for (int32_t k = start[0]; k < start[LM_RUN_KINDS]; ++k)
		for (int l = 0; l < LM_RUN; ++l)
			if (body->runs[k].lanes >> l & 1)
			{
				int64_t place = body->runs[k].place + l;
				float q = even != NULL && k < start[2] ? even[3 * (int64_t)k] : z[place] - own[l];
				mean[l] += (double)weight[place] * (double)q;
				mass[l] += (double)weight[place];
			}
	for (int l = 0; l < LM_RUN; ++l)
		mean[l] = mass[l] > 0 ? mean[l] / mass[l] : 0;
}

void lm_match_fill_fields(lm_match* body)
{
	for (int32_t i = 0; i < body->count; ++i)
	{
		lm_vec3 X = lm_match_rest_position(body, i);
		const double values[LM_FIELDS - LM_FIELD_X] = { X.x, X.y, X.z, body->rest_moment[4 * (int64_t)i + 3],
			                                            (double)body->rest[4 * (int64_t)i + 3] };
		for (int k = LM_FIELD_X; k < LM_FIELDS; ++k)
			body->fields[lm_match_place_of(i) + k * LM_ROW] = (float)values[k - LM_FIELD_X];
	}
	for (int64_t first = 0; first < body->count; first += LM_RUN)
	{
		for (int kind = 1; kind <= 2; ++kind)
			gather_even(body, first / LM_RUN, kind);
		float* shape = body->shape + first / LM_LANES * LM_SHAPE_FIELDS * LM_LANES + first % LM_LANES;
		for (int j = 0; j < 3; ++j)
		{
			double mean[LM_RUN], mass[LM_RUN];
			mean_offsets(body, first / LM_RUN, body->fields + (LM_FIELD_X + j) * LM_ROW, body->run_offsets + j, mean,
			             mass);
			for (int l = 0; l < LM_RUN; ++l)
				shape[(LM_SHAPE_OFFSET + j) * LM_LANES + l] = (float)mean[l];
		}
	}
}

void lm_match_fill_pose_offsets(const lm_match* body, const lm_match_pose* pose)
{
	for (int64_t first = 0; first < body->count; first += LM_RUN)
		for (int j = 0; j < 3; ++j)
		{
			const float* u = pose->fields + j * LM_ROW;
			float* to = pose->offset + (first / LM_LANES * 6 + j) * LM_LANES + first % LM_LANES;
			double mean[LM_RUN], mass[LM_RUN];
			mean_offsets(body, first / LM_RUN, u, NULL, mean, mass);
			for (int l = 0; l < LM_RUN && first + l < body->count; ++l)
			{
				to[l] = (float)(mean[l] * mass[l]);
				to[3 * LM_LANES + l] = (float)(mean[l] + (double)u[lm_match_place_of(first + l)]);
			}
		}
}
