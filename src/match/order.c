// order.c: a numbering of the particles in which every LM_CHUNK of them, and every block of those, is a compact piece
// of the rest shape: the shape is bisected across its longest side, recursively. Whatever the order in the mesh, the
// members of the regions of a chunk are then few and close in memory.
#include "match/body.h"

typedef struct place
{
	lm_vec3 at;
	int32_t vertex;
} place;

static bool before(const place* a, const place* b, int axis)
{
	double x = lm_v3_get(a->at, axis), y = lm_v3_get(b->at, axis);
	return x < y || (x == y && a->vertex < b->vertex);
}

// Moves the `low` first of `count` places along the axis to the front (quickselect; all places differ).
static void part(place* places, int64_t count, int64_t low, int axis)
{
	while (count > 1)
	{
		place pivot = places[count / 2];
		int64_t i = 0, j = count - 1;
		while (i <= j)
		{
			while (before(&places[i], &pivot, axis))
				++i;
			while (before(&pivot, &places[j], axis))
				--j;
			if (i <= j)
			{
				place swap = places[i];
				places[i++] = places[j], places[j--] = swap;
			}
		}
		// now 0 .. j are at most the pivot, i .. count-1 at least
		if (low <= j)
			count = j + 1;
		else if (low >= i)
			places += i, count -= i, low -= i;
		else
			return;
	}
}

static int longest_axis(const place* places, int64_t count)
{
	lm_vec3 low = places[0].at, high = places[0].at;
	for (int64_t i = 1; i < count; ++i)
		low = lm_min3(low, places[i].at), high = lm_max3(high, places[i].at);
	lm_vec3 side = lm_sub(high, low);
	return side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
}

static void cut(place* places, int64_t count)
{
	while (count > 2)
	{
		int64_t unit = count > LM_CHUNK ? LM_CHUNK : count > LM_LANES ? LM_LANES : 1;
		int64_t low = (count / unit + 1) / 2 * unit;
		part(places, count, low, longest_axis(places, count));
		cut(places, low);
		places += low, count -= low;
	}
}

bool lm_match_order(const double* positions, int32_t count, const lm_host* host, int32_t* to_user)
{
	place* places = LM_NEW(host, count, place);
	if (places == NULL)
		return false;
	for (int32_t i = 0; i < count; ++i)
		places[i] = (place){ lm_v3_at(positions, i), i };
	cut(places, count);
	for (int32_t i = 0; i < count; ++i)
		to_user[i] = places[i].vertex;
	lm_free(host, places);
	return true;
}
