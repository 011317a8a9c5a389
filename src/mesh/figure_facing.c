// figure_facing.c: where a figure faces.
//
// A figure is symmetric about the plane that it looks along: of x and z, the axis along which its mirror image covers
// it better is its sideways one. Of the two ways along the other, feet tell: toes reach further out in front of the
// ankle than heels behind it; and of four-legged ones the head, which is high.
#include "mesh/figure.h"

#include "base/alloc.h"
#include "base/error.h"

static const double resolution = 48; // cubes along the height, or the longest side
static const double toes = 0.04;     // share of the height: below are feet
static const double ankles[2] = { 0.08, 0.2 };
static const double plane_reach = 0.1;     // of the height, twice the distance: planes of symmetry near the centre
static const double heads = 0.7;           // above is the head
static const double least_offset = 0.008;  // of the height: less tells nothing
static const double least_symmetry = 0.02; // by which one axis must be better than the other

// Share of the cubes whose mirror image along an axis is inside, too: cube i goes to `about` - i.
static double symmetry_about(const lm_voxels* v, int axis, int32_t about)
{
	int64_t all = 0, both = 0;
	for (int64_t c = 0; c < v->count; ++c)
	{
		int32_t x[3] = { (int32_t)(c % v->n[0]), (int32_t)(c / v->n[0] % v->n[1]),
			             (int32_t)(c / ((int64_t)v->n[0] * v->n[1])) };
		if (!v->inside[c])
			continue;
		all++;
		x[axis] = about - x[axis];
		both += x[axis] >= 0 && x[axis] < v->n[axis] && v->inside[lm_voxel_at(v->n, x[0], x[1], x[2])];
	}
	return all > 0 ? (double)both / (double)all : 0;
}

// The same about the best plane: that of the middle of the box, or, of a figure that holds something far out, one near
// the centre.
static double symmetry(const lm_voxels* v, int axis, lm_vec3 center)
{
	double place = axis == 0 ? center.x - v->origin.x : center.z - v->origin.z,
		   best = symmetry_about(v, axis, v->n[axis] - 1);
	int32_t about = (int32_t)floor(2 * place / v->h - 0.5), reach = (int32_t)(plane_reach * v->n[1]);
	for (int32_t k = -reach; k <= reach; ++k)
		best = fmax(best, symmetry_about(v, axis, about + k));
	return best;
}

// Centre of what is between two heights; false where there is nothing.
static bool center_between(const lm_voxels* v, double low, double high, lm_vec3* center)
{
	int64_t count = 0;
	lm_vec3 sum = { 0 };
	for (int64_t c = 0; c < v->count; ++c)
	{
		lm_vec3 x = lm_voxel_center(v, c);
		if (v->inside[c] && x.y >= v->origin.y + low && x.y < v->origin.y + high)
			sum = lm_add(sum, x), count++;
	}
	*center = lm_scale(count > 0 ? 1.0 / (double)count : 0, sum);
	return count > 0;
}

// A quarter turn that takes the axis faced along to x, so that feet can be looked for.
static lm_status turned(const lm_voxels* v, lm_voxels* result, lm_error* error)
{
	*result = *v;
	result->n[0] = v->n[2], result->n[2] = v->n[0];
	result->origin = lm_v3(v->origin.z, v->origin.y, v->origin.x);
	result->inside = LM_NEW(&v->host, v->count, uint8_t);
	if (result->inside == NULL)
		return lm_fail_memory(error);
	for (int32_t k = 0; k < v->n[2]; ++k)
		for (int32_t j = 0; j < v->n[1]; ++j)
			for (int32_t i = 0; i < v->n[0]; ++i)
				result->inside[lm_voxel_at(result->n, k, j, i)] = v->inside[lm_voxel_at(v->n, i, j, k)];
	return LM_OK;
}

// Which way along x, for a figure that faces along it one way or the other.
static void tell_sign(const lm_voxels* v, double height, int32_t feet, lm_facing* facing)
{
	lm_vec3 low, high;
	double offset = 0;
	if (feet == 2 && center_between(v, 0, toes * height, &low) &&
	    center_between(v, ankles[0] * height, ankles[1] * height, &high))
		offset = low.x - high.x;
	else if (feet == 4 && center_between(v, 0, toes * height, &low) &&
	         center_between(v, heads * height, 2 * height, &high))
		offset = high.x - low.x;
	if (fabs(offset) < least_offset * height)
		return;
	facing->sign = offset < 0 ? -1 : 1;
	facing->certain = true;
}

// Its feet, and which way it faces, if it faces along facing->axis.
static lm_status look_along(const lm_lattice_surface* s, const lm_voxels* v, lm_facing* facing, lm_error* error)
{
	double height = s->box.high.y - s->box.low.y;
	lm_vec3 middle = lm_lerp(s->box.low, s->box.high, 0.5);
	lm_status status = LM_OK;
	lm_voxels other = { 0 };
	if (facing->axis == 2)
		status = turned(v, &other, error);
	const lm_voxels* seen = facing->axis == 2 ? &other : v;
	lm_figure figure = { 0 };
	lm_figure_view view = { s->mesh, seen, 2 - facing->axis, height, facing->axis == 2 ? middle.x : middle.z };
	if (status == LM_OK)
		status = lm_figure_find_feet(&view, &figure, error);
	facing->foot_count = figure.foot_count;
	if (status == LM_OK && height > 0)
		tell_sign(seen, height, figure.foot_count, facing);
	lm_figure_release(&figure, &v->host);
	if (facing->axis == 2)
		lm_voxels_release(&other);
	return status;
}

static lm_status look(const lm_lattice_surface* s, lm_voxels* v, lm_facing* facing, lm_error* error)
{
	lm_status status = lm_voxels_join(v, error);
	if (status != LM_OK)
		return status;
	lm_vec3 center;
	center_between(v, -INFINITY, INFINITY, &center);
	lm_v3_store(facing->center, 0, center);
	facing->axis = symmetry(v, 2, center) > symmetry(v, 0, center) + least_symmetry ? 0 : 2;
	status = look_along(s, v, facing, error);
	if (status != LM_OK || facing->foot_count > 0)
		return status;
	lm_facing other = *facing; // what is held may be all that is not symmetric
	other.axis = 2 - facing->axis;
	status = look_along(s, v, &other, error);
	if (status == LM_OK && other.foot_count == 2)
		*facing = other;
	return status;
}

lm_status lm_figure_facing(const lm_mesh* surface, const lm_host* host, lm_facing* result, lm_error* error)
{
	*result = (lm_facing){ .axis = 2, .sign = 1 };
	lm_lattice_surface s;
	lm_voxels v = { 0 };
	lm_status status = lm_lattice_surface_open(surface, 0.5, host, &s, error);
	if (status == LM_OK)
	{
		lm_vec3 side = lm_sub(s.box.high, s.box.low), middle = lm_lerp(s.box.low, s.box.high, 0.5);
		v.h = fmax(side.y / resolution, s.longest / (1.5 * resolution));
		double half[2] = { fmax(ceil(side.x / 2 / v.h), 1), fmax(ceil(side.z / 2 / v.h), 1) };
		v.n[0] = (int32_t)(2 * half[0]), v.n[2] = (int32_t)(2 * half[1]), v.n[1] = (int32_t)fmax(ceil(side.y / v.h), 1);
		v.origin = lm_v3(middle.x - half[0] * v.h, s.box.low.y, middle.z - half[1] * v.h);
		status = lm_voxels_create(&s, host, &v, error);
	}
	if (status == LM_OK)
		status = look(&s, &v, result, error);
	if (v.inside != NULL)
		lm_voxels_release(&v);
	lm_lattice_surface_close(&s);
	return status;
}
