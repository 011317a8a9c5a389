// runs.c: rings as runs, for meshes in which the k-th members of neighbouring regions are neighbours too (rows.c).
//
// Take LM_RUN regions r .. r + 7 that follow each other. A run is a number `first`, such that first + l is a member of
// region r + l, and the set of the lanes l for which that holds. A lattice numbered row by row has about as many runs
// as a region has members: then the regions are summed LM_RUN at once with plain loads (kernel_runs.h). Where lanes are
// few it is faster to go from member to member (kernel_members.h).
#include "base/error.h"
#include "match/body.h"

#include <stdlib.h>
#include <string.h>

#define LM_LARGE 4096  // particles
#define LM_NEARLY 1.05 // times as many runs are worth a shorter reach
#define LM_FILLED 3    // lanes of a run on average, from which on runs are worth it

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

// The better of the order as given and that by rows; `tried` is room. False when out of memory.
static bool find_rows(lm_match* body, const double* positions, const numbering* order, int32_t* tried)
{
	body->large = body->count > LM_LARGE;
	if (!lm_match_order_rows(positions, order->rings, &body->host, tried))
		return false;
	set_order(body, tried);
	rating by_rows = rate(order);
	for (int32_t i = 0; i < body->count; ++i)
		body->to_user[i] = i;
	set_order(body, body->to_user);
	rating found = rate(order);
	if (better(body, by_rows, found))
		set_order(body, tried), found = by_rows;
	body->run_count = found.runs, body->reach = found.reach;
	return true;
}

// Rows, as they are or found, if they make good runs; else compact chunks.
lm_status lm_match_choose_order(lm_match* body, const double* positions, const lm_adjacency* rings, lm_error* error)
{
	const lm_host* host = &body->host;
	numbering order;
	int32_t* tried = LM_NEW(host, body->count, int32_t);
	bool room = open_numbering(body, rings, &order) && tried != NULL && find_rows(body, positions, &order, tried);
	body->by_runs = room && LM_FILLED * body->run_count <= rings->starts[body->count] && body->run_count < INT32_MAX &&
	                (int64_t)body->chunks * LM_TILE < INT32_MAX;
	if (room && !body->by_runs)
	{
		room = lm_match_order(positions, body->count, host, body->to_user);
		set_order(body, body->to_user);
	}
	lm_free(host, tried);
	lm_free(host, order.keys);
	return room ? LM_OK : lm_fail_memory(error);
}

static void write_runs(lm_match* body, const numbering* order)
{
	int32_t* start = body->run_starts;
	for (int64_t g = 0; g < (int64_t)body->blocks * LM_LANES / LM_RUN; ++g, ++start)
	{
		int64_t count = list_members(order, g);
		start[1] = start[0];
		for (int64_t k = 0; k < count;)
			body->runs[start[1]++] = take_run(order, count, &k);
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
	body->run_starts = LM_NEW(host, groups + 1, int32_t);
	bool room = open_numbering(body, rings, &order) && body->runs != NULL && body->run_starts != NULL;
	if (room)
		write_runs(body, &order);
	lm_free(host, order.keys);
	return room ? LM_OK : lm_fail_memory(error);
}
