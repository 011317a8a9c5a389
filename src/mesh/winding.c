#include "mesh/winding.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>

struct lm_winding_moment
{
	lm_vec3 centre; // of the area
	double radius2; // squared distance of its farthest corner
	lm_vec3 area;   // N
	double M[6];    // the symmetric part of M: xx yy zz, xy yz zx doubled
};

static void triangle_corners(const lm_bvh* bvh, int32_t triangle, lm_vec3 x[3])
{
	for (int i = 0; i < 3; ++i)
		x[i] = lm_v3_at(bvh->positions, bvh->elements[3 * (int64_t)triangle + i]);
}

// The items of a node and all below it lie side by side.
static void items_below(const lm_bvh* bvh, int32_t node, int32_t* first, int32_t* end)
{
	int32_t left = node,
			right = bvh->nodes[node].end - 1; // the first leaf is reached leftwards; the last node is a leaf
	while (bvh->nodes[left].count == 0)
		++left;
	*first = bvh->nodes[left].right;
	*end = bvh->nodes[right].right + bvh->nodes[right].count;
}

static lm_winding_moment moment_of(const lm_bvh* bvh, int32_t node)
{
	lm_winding_moment m = { 0 };
	int32_t first, end;
	items_below(bvh, node, &first, &end);
	lm_box box = bvh->nodes[node].box;
	lm_vec3 middle = lm_lerp(box.low, box.high, 0.5), sum = { 0 };
	double total = 0;
	for (int32_t k = first; k < end; ++k)
	{
		lm_vec3 x[3];
		triangle_corners(bvh, bvh->items[k], x);
		lm_vec3 area = lm_scale(0.5, lm_cross(lm_sub(x[1], x[0]), lm_sub(x[2], x[0])));
		lm_vec3 centroid = lm_scale(1.0 / 3, lm_add(lm_add(x[0], x[1]), x[2]));
		double size = lm_length(area);
		m.area = lm_add(m.area, area);
		sum = lm_add_scaled(sum, size, lm_sub(centroid, middle));
		total += size;
	}
	m.centre = total > 0 ? lm_add_scaled(middle, 1 / total, sum) : middle;
	for (int32_t k = first; k < end; ++k)
	{
		lm_vec3 x[3];
		triangle_corners(bvh, bvh->items[k], x);
		lm_vec3 a = lm_scale(0.5, lm_cross(lm_sub(x[1], x[0]), lm_sub(x[2], x[0])));
		lm_vec3 d = lm_sub(lm_scale(1.0 / 3, lm_add(lm_add(x[0], x[1]), x[2])), m.centre);
		m.M[0] += d.x * a.x, m.M[1] += d.y * a.y, m.M[2] += d.z * a.z;
		m.M[3] += d.x * a.y + d.y * a.x, m.M[4] += d.y * a.z + d.z * a.y, m.M[5] += d.z * a.x + d.x * a.z;
		for (int i = 0; i < 3; ++i)
			m.radius2 = lm_larger(m.radius2, lm_dot(lm_sub(x[i], m.centre), lm_sub(x[i], m.centre)));
	}
	return m;
}

lm_status lm_winding_create(const lm_bvh* bvh, lm_winding* result, lm_error* error)
{
	assert(bvh->corners == 3);
	lm_winding winding = { bvh, LM_NEW(&bvh->host, bvh->node_count, lm_winding_moment) };
	if (winding.moments == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < bvh->node_count; ++i)
		winding.moments[i] = moment_of(bvh, i);
	*result = winding;
	return LM_OK;
}

void lm_winding_release(lm_winding* winding)
{
	if (winding->bvh != NULL)
		lm_free(&winding->bvh->host, winding->moments);
	*winding = (lm_winding){ 0 };
}

// Half the solid angle. A corner or edge that p lies on contributes nothing rather than NaN.
static double half_solid_angle(const lm_bvh* bvh, int32_t triangle, lm_vec3 p)
{
	lm_vec3 x[3];
	triangle_corners(bvh, triangle, x);
	lm_vec3 a = lm_sub(x[0], p), b = lm_sub(x[1], p), c = lm_sub(x[2], p);
	double la = lm_length(a), lb = lm_length(b), lc = lm_length(c);
	double up = lm_dot(a, lm_cross(b, c));
	double down = la * lb * lc + lm_dot(a, b) * lc + lm_dot(b, c) * la + lm_dot(c, a) * lb;
	return up == 0 && down == 0 ? 0 : atan2(up, down);
}

// 4 pi times the winding number of a far group.
static double far_group(const lm_winding_moment* m, lm_vec3 r, double r2)
{
	double cubed = r2 * sqrt(r2);
	double trace = m->M[0] + m->M[1] + m->M[2];
	double rMr = r.x * (m->M[0] * r.x + m->M[3] * r.y) + r.y * (m->M[1] * r.y + m->M[4] * r.z) +
	             r.z * (m->M[2] * r.z + m->M[5] * r.x);
	return (lm_dot(m->area, r) + trace - 3 * rMr / r2) / cubed;
}

double lm_winding_number(const lm_winding* winding, lm_vec3 p, double accuracy)
{
	const lm_bvh* bvh = winding->bvh;
	double near_sum = 0, far_sum = 0, accuracy2 = accuracy * accuracy;
	for (int32_t i = 0; i < bvh->node_count;)
	{
		const lm_bvh_node* node = &bvh->nodes[i];
		const lm_winding_moment* m = &winding->moments[i];
		lm_vec3 r = lm_sub(m->centre, p);
		double r2 = lm_dot(r, r);
		// an infinite accuracy times a radius of zero is no number, and so not far
		if (r2 > accuracy2 * m->radius2 && r2 > 1e-200)
		{
			far_sum += far_group(m, r, r2);
			i = node->end;
			continue;
		}
		for (int32_t k = 0; k < node->count; ++k)
			near_sum += half_solid_angle(bvh, bvh->items[node->right + k], p);
		++i;
	}
	return (2 * near_sum + far_sum) / (4 * LM_PI);
}
