// figure_feet.c: the feet of a figure: pieces of its lowest layer, and the legs that grow out of them.
#include "mesh/figure.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

// Shares of the height, but for `small`.
static const double sole_layer = 0.025;  // what is so near the ground touches it
static const double hoof_layer = 0.05;   // a thin foot may be larger up here, and a foot of a short leg begins here
static const double ankle = 0.08;        // pieces on one side that join below are one foot
static const double small = 0.03;        // of the area of all pieces: smaller ones are no feet
static const double middle_reach = 0.03; // a piece so near the middle is no foot, but a base or a tail
static const double odd_share = 0.5;     // of the area of the others: a foot too many that is smaller is none
static const double shin = 0.25;         // legs that are apart between the ankle and here are two, though shoes touch

enum
{
	most_pieces = 64
};

// A piece of the lowest layer.
typedef struct piece
{
	int64_t cubes; // its area
	double x, z;   // centre, m
	int32_t foot;  // number, from 1; 0: none
} piece;

typedef struct search
{
	const lm_voxels* v;
	double height, middle, center; // center: of the inside, along x
	double sole;                   // feet are looked for up to this share of the height
	int32_t flat[3];               // of a layer
	int64_t layer_size;
	uint8_t* mask;  // [count]
	int32_t* label; // [count] of pieces of the sole, in its first layer_size numbers, later of slices
	int32_t* other; // [count]
	int64_t* stack; // [count]
	int32_t walled; // lowest layers with walls between the legs
	bool cut;       // along the middle: shoes that touch are two
	int32_t piece_count;
	piece pieces[most_pieces + 1]; // from 1
} search;

static int32_t layers_below(const search* s, double share)
{
	int32_t layers = (int32_t)lround(share * s->height / s->v->h);
	return layers < 1 ? 1 : layers > s->v->n[1] ? s->v->n[1] : layers;
}

// Whether the middle plane goes through or along this row of cubes.
static bool is_middle(const search* s, int32_t k)
{
	double z = s->v->origin.z + s->v->h * (k + 0.5);
	return fabs(z - s->middle) < 0.75 * s->v->h;
}

// Whether there is a layer above the ankle with something on both sides and nothing in the middle, or walls in the
// middle up to there.
static bool has_shins(const search* s)
{
	const int32_t* n = s->v->n;
	if (s->walled >= layers_below(s, shin))
		return true;
	for (int32_t j = layers_below(s, ankle); j < layers_below(s, shin); ++j)
	{
		bool left = false, right = false, middle = false;
		for (int32_t k = 0; k < n[2]; ++k)
			for (int32_t i = 0; i < n[0]; ++i)
			{
				bool inside = s->v->inside[lm_voxel_at(n, i, j, k)], here = is_middle(s, k);
				middle |= inside && here;
				left |= inside && !here && s->v->origin.z + s->v->h * (k + 0.5) < s->middle;
				right |= inside && !here && s->v->origin.z + s->v->h * (k + 0.5) > s->middle;
			}
		if (left && right && !middle)
			return true;
	}
	return false;
}

// mask, one layer: where there is something in the lowest layers.
static void flatten(search* s, int32_t layers)
{
	const int32_t* n = s->v->n;
	memset(s->mask, 0, (size_t)s->layer_size);
	for (int32_t k = 0; k < n[2]; ++k)
	{
		if (s->cut && is_middle(s, k))
			continue;
		for (int32_t j = 0; j < layers; ++j)
			for (int32_t i = 0; i < n[0]; ++i)
				s->mask[i + n[0] * k] |= s->v->inside[lm_voxel_at(n, i, j, k)];
	}
}

static void measure_pieces(search* s)
{
	for (int64_t c = 0; c < s->layer_size; ++c)
	{
		piece* p = &s->pieces[s->label[c]];
		double x = s->v->origin.x + s->v->h * ((double)(c % s->flat[0]) + 0.5);
		double z = s->v->origin.z + s->v->h * ((double)(c / s->flat[0]) + 0.5);
		p->x += x, p->z += z, p->cubes++;
	}
	for (int32_t q = 1; q <= s->piece_count; ++q)
		s->pieces[q].x /= (double)s->pieces[q].cubes, s->pieces[q].z /= (double)s->pieces[q].cubes;
}

// Pieces that are too small to be feet get 0 cubes; but a thin hoof counts by its area a little higher up, where it
// stands alone.
static void drop_small(search* s)
{
	int64_t sum = 0, high_sum = 0, area[most_pieces + 1] = { 0 };
	int32_t alone[most_pieces + 1] = { 0 }; // piece that a piece of the higher layer belongs to; -1: several
	int64_t* high_area = s->stack;          // free again after labelling
	flatten(s, layers_below(s, hoof_layer));
	int32_t high = lm_voxels_label(s->flat, s->mask, true, s->other, s->stack);
	memset(high_area, 0, ((size_t)high + 1) * sizeof *high_area);
	for (int64_t c = 0; c < s->layer_size; ++c)
		high_area[s->other[c]]++, high_sum += s->other[c] != 0;
	for (int32_t q = 1; q <= s->piece_count; ++q)
		sum += s->pieces[q].cubes;
	for (int64_t c = 0; c < s->layer_size; ++c)
		if (s->label[c] != 0)
			alone[s->label[c]] = s->other[c], area[s->label[c]] = high_area[s->other[c]];
	for (int32_t q = 1; q <= s->piece_count; ++q)
	{
		bool shared = false;
		for (int32_t r = 1; r <= s->piece_count; ++r)
			shared |= r != q && alone[r] == alone[q];
		bool large = (double)s->pieces[q].cubes >= fmax(small * (double)sum, 2);
		if (!large && (shared || (double)area[q] < small * (double)high_sum))
			s->pieces[q].cubes = 0;
	}
}

// Pieces on the same side that join below the ankle are one foot.
static int32_t number_feet(search* s)
{
	const int32_t* n = s->v->n;
	int32_t ankle_layers = layers_below(s, ankle), feet = 0;
	int64_t count = s->v->count;
	for (int side = -1; side <= 1; side += 2)
	{
		for (int64_t c = 0; c < count; ++c)
		{
			lm_vec3 x = lm_voxel_center(s->v, c);
			bool low = c / n[0] % n[1] < ankle_layers, here = (x.z > s->middle) == (side > 0);
			s->mask[c] = s->v->inside[c] && low && here;
		}
		lm_voxels_label(n, s->mask, false, s->other, s->stack);
		int32_t joined[most_pieces + 1] = { 0 };
		for (int64_t c = 0; c < s->layer_size; ++c)
			for (int32_t j = 0; j < ankle_layers; ++j)
			{
				int32_t l = s->other[lm_voxel_at(n, (int32_t)(c % n[0]), j, (int32_t)(c / n[0]))];
				if (l != 0 && joined[s->label[c]] == 0)
					joined[s->label[c]] = l;
			}
		for (int32_t q = 1; q <= s->piece_count; ++q)
		{
			piece* p = &s->pieces[q];
			bool across = fabs(p->z - s->middle) < middle_reach * s->height;
			if (p->cubes == 0 || across || (p->z > s->middle) != (side > 0))
				continue;
			for (int32_t r = 1; r < q; ++r)
				if (s->pieces[r].foot > 0 && joined[r] == joined[q] && (s->pieces[r].z > s->middle) == (side > 0))
					p->foot = s->pieces[r].foot;
			if (p->foot == 0)
				p->foot = ++feet;
		}
	}
	return feet;
}

// A third or fifth foot that is much smaller than the others is none: a staff, or a prop.
static int32_t drop_odd(search* s, int32_t feet)
{
	double area[most_pieces + 1] = { 0 };
	int32_t least = 1;
	if (feet != 3 && feet != 5)
		return feet;
	for (int32_t q = 1; q <= s->piece_count; ++q)
		area[s->pieces[q].foot] += (double)s->pieces[q].cubes;
	for (int32_t f = 2; f <= feet; ++f)
		least = area[f] < area[least] ? f : least;
	for (int32_t f = 1; f <= feet; ++f)
		if (f != least && area[least] > odd_share * area[f])
			return feet;
	for (int32_t q = 1; q <= s->piece_count; ++q)
	{
		piece* p = &s->pieces[q];
		p->foot = p->foot == least ? 0 : p->foot - (p->foot > least);
	}
	return feet - 1;
}

// Whether the centre is above the feet, from heel to toe: if it is not, what is in the middle carries, too, such as the
// third leg of a tripod.
static bool is_above_feet(const search* s)
{
	double low = INFINITY, high = -INFINITY;
	for (int64_t c = 0; c < s->layer_size; ++c)
	{
		double x = s->v->origin.x + s->v->h * (double)(c % s->flat[0]);
		if (s->label[c] > 0 && s->pieces[s->label[c]].foot > 0)
			low = fmin(low, x), high = fmax(high, x + s->v->h);
	}
	return s->center > low && s->center < high;
}

// Two feet, one on each side, or four, two on each side, in the order of lm_figure: numbers are changed accordingly.
// Anything else is a base.
static int32_t order_feet(search* s, int32_t feet)
{
	double x[LM_FIGURE_FEET_MAX + 1] = { 0 }, z[LM_FIGURE_FEET_MAX + 1] = { 0 }, area[LM_FIGURE_FEET_MAX + 1] = { 0 };
	int32_t left = 0, place[LM_FIGURE_FEET_MAX + 1] = { 0 };
	double sole = 0, base = 0;
	if (feet != 2 && feet != 4)
		return 0;
	for (int32_t q = 1; q <= s->piece_count; ++q)
	{
		const piece* p = &s->pieces[q];
		int32_t f = p->foot;
		sole += f > 0 ? (double)p->cubes : 0, base += f > 0 ? 0 : (double)p->cubes;
		x[f] += p->x * (double)p->cubes, z[f] += p->z * (double)p->cubes, area[f] += (double)p->cubes;
	}
	for (int32_t f = 1; f <= feet; ++f)
		x[f] /= area[f], z[f] /= area[f], left += z[f] < s->middle;
	if (2 * left != feet || base > sole) // what is in the middle carries more than the feet: it sits
		return 0;
	if (base > 0 && !is_above_feet(s))
		return 0;
	for (int32_t f = 1; f <= feet; ++f)
	{
		place[f] = 1;
		for (int32_t g = 1; g <= feet; ++g)
		{
			bool same = (z[g] < s->middle) == (z[f] < s->middle);
			place[f] += same ? (x[g] < x[f] || (x[g] == x[f] && g < f)) : z[g] < s->middle;
		}
	}
	for (int32_t q = 1; q <= s->piece_count; ++q)
		s->pieces[q].foot = place[s->pieces[q].foot];
	return feet;
}

// Every cube gets the foot that is nearest through the body; what stands on the ground beside them, such as a tail, has
// a number of its own.
static void grow_legs(search* s, int32_t feet, uint8_t* leg)
{
	const int32_t* n = s->v->n;
	int64_t head = 0, tail = 0;
	for (int64_t c = 0; c < s->layer_size; ++c)
		for (int32_t j = 0; j < layers_below(s, s->sole) && s->label[c] > 0; ++j)
		{
			int64_t cube = lm_voxel_at(n, (int32_t)(c % n[0]), j, (int32_t)(c / n[0]));
			if (!s->v->inside[cube])
				continue;
			const piece* p = &s->pieces[s->label[c]];
			leg[cube] = (uint8_t)(p->foot > 0 ? p->foot : feet + 1);
			s->stack[tail++] = cube;
			break;
		}
	while (head < tail)
	{
		int64_t cube = s->stack[head++], near[6];
		int found = lm_voxel_neighbours(n, cube, near);
		for (int q = 0; q < found; ++q)
			if (s->v->inside[near[q]] && leg[near[q]] == 0)
			{
				leg[near[q]] = leg[cube];
				s->stack[tail++] = near[q];
			}
	}
}

// The lowest layer above the ankle, and above walls between them, where a piece belongs to two legs.
static double find_crotch(search* s, const uint8_t* leg)
{
	const int32_t *n = s->v->n, walled = s->cut ? s->walled : 0;
	for (int32_t j = layers_below(s, ankle) > walled ? layers_below(s, ankle) : walled; j < n[1]; ++j)
	{
		for (int64_t c = 0; c < s->layer_size; ++c)
			s->mask[c] = s->v->inside[lm_voxel_at(n, (int32_t)(c % n[0]), j, (int32_t)(c / n[0]))];
		int32_t pieces = lm_voxels_label(s->flat, s->mask, false, s->other, s->stack);
		for (int32_t q = 1; q <= pieces; ++q)
		{
			uint8_t first = 0;
			for (int64_t c = 0; c < s->layer_size; ++c)
			{
				uint8_t l = leg[lm_voxel_at(n, (int32_t)(c % n[0]), j, (int32_t)(c / n[0]))];
				if (s->other[c] != q || l == 0)
					continue;
				if (first != 0 && first != l)
					return j * s->v->h;
				first = l;
			}
		}
	}
	return s->height;
}

static int32_t count_feet(search* s, double sole)
{
	s->sole = sole;
	memset(s->pieces, 0, sizeof s->pieces);
	flatten(s, layers_below(s, sole));
	s->piece_count = lm_voxels_label(s->flat, s->mask, true, s->label, s->stack);
	if (s->piece_count > most_pieces) // more than a figure has: the bristles of a brush
		return 0;
	measure_pieces(s);
	drop_small(s);
	return order_feet(s, drop_odd(s, number_feet(s)));
}

static int32_t count_about(search* s, const lm_figure_view* view, double middle)
{
	s->middle = middle, s->cut = false;
	int32_t feet = count_feet(s, hoof_layer), low = count_feet(s, sole_layer);
	if (feet > low && (feet == 4 || low == 0)) // legs of unequal length, or a foot that is raised a little
		return count_feet(s, hoof_layer);
	if (low > 0)
		return low;
	s->walled = lm_figure_walled_layers(view->surface, view->across, s->v, s->height, middle, s->mask);
	s->cut = has_shins(s);
	return s->cut ? count_feet(s, sole_layer) : 0;
}

// It stands on three legs, or six, or on wheels: not feet to walk on, but legs.
static bool number_legs(search* s)
{
	int32_t legs = 0;
	s->cut = false;
	count_feet(s, sole_layer);
	for (int32_t q = 1; q <= s->piece_count && s->piece_count <= most_pieces; ++q)
		s->pieces[q].foot = s->pieces[q].cubes > 0 ? ++legs : 0;
	return legs > 1;
}

// The middle of the extent of what touches the ground, and the centre of all.
static void other_middles(search* s, double middles[2])
{
	const lm_voxels* v = s->v;
	int64_t count = 0, sole = layers_below(s, sole_layer);
	double sum = 0, along = 0, low = INFINITY, high = -INFINITY;
	for (int64_t c = 0; c < v->count; ++c)
	{
		lm_vec3 x = lm_voxel_center(v, c);
		if (!v->inside[c])
			continue;
		sum += x.z, along += x.x, count++;
		if (c / v->n[0] % v->n[1] < sole)
			low = fmin(low, x.z), high = fmax(high, x.z);
	}
	s->center = count > 0 ? along / (double)count : 0;
	middles[0] = low <= high ? (low + high) / 2 : s->middle;
	middles[1] = count > 0 ? sum / (double)count : s->middle;
}

// What it holds may be far to one side: then the middle of the box is not that of the figure.
static void search_feet(search* s, const lm_figure_view* view, lm_figure* result)
{
	double middles[3] = { view->middle, view->middle, view->middle };
	s->middle = view->middle;
	other_middles(s, middles + 1);
	for (int k = 0; k < 3 && result->foot_count == 0; ++k)
		if (k == 0 || fabs(middles[k] - view->middle) > s->v->h)
			result->foot_count = count_about(s, view, middles[k]);
	if (result->foot_count == 0 && !number_legs(s))
		return;
	grow_legs(s, result->foot_count, result->leg);
	result->crotch = find_crotch(s, result->leg);
}

lm_status lm_figure_find_feet(const lm_figure_view* view, lm_figure* result, lm_error* error)
{
	const lm_voxels* voxels = view->voxels;
	const lm_host* host = &voxels->host;
	*result = (lm_figure){ .leg = LM_NEW(host, voxels->count, uint8_t) };
	search s = { .v = voxels,
		         .height = view->height,
		         .flat = { voxels->n[0], 1, voxels->n[2] },
		         .layer_size = (int64_t)voxels->n[0] * voxels->n[2],
		         .mask = LM_NEW(host, voxels->count, uint8_t),
		         .label = LM_NEW(host, voxels->count, int32_t),
		         .other = LM_NEW(host, voxels->count, int32_t),
		         .stack = LM_NEW(host, voxels->count + 1, int64_t) };
	bool room = result->leg && s.mask && s.label && s.other && s.stack;
	if (room)
		search_feet(&s, view, result);
	lm_free(host, s.mask);
	lm_free(host, s.label);
	lm_free(host, s.other);
	lm_free(host, s.stack);
	if (!room)
		lm_figure_release(result, host);
	return room ? LM_OK : lm_fail_memory(error);
}

void lm_figure_release(lm_figure* figure, const lm_host* host)
{
	lm_free(host, figure->leg);
	figure->leg = NULL;
}
