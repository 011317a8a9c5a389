// check.c: validates bodies and materials.
#include "elastic/check.h"

#include "base/error.h"
#include "elastic/body.h"

#include <math.h>

// Sizes relative to the longest edge of an element (of the whole body, for edges) below which it counts as collapsed:
// its weights would dominate all others.
#define COLLAPSED 1e-9

static const char* element_name(lm_elastic_kind kind)
{
	switch (lm_elastic_corners(kind))
	{
		case 2: return "edge";
		case 3: return "triangle";
		default: return "tetrahedron";
	}
}

static lm_status at_element(lm_status status, int64_t element, lm_error* error)
{
	if (error)
		error->element = element;
	return status;
}

static lm_status check_indices(const lm_elastic_shape* shape, int32_t e, lm_error* error)
{
	int k = lm_elastic_corners(shape->kind);
	const int32_t* v = shape->elements + (int64_t)e * k;
	for (int i = 0; i < k; ++i)
	{
		if (v[i] < 0 || v[i] >= shape->vertex_count)
			return lm_fail(error, LM_BAD_INPUT, "%s %d names vertex %d, but the body has only vertices 0 to %d",
			               element_name(shape->kind), e, v[i], shape->vertex_count - 1);
		for (int j = 0; j < i; ++j)
			if (v[i] == v[j])
				return lm_fail(error, LM_BAD_INPUT, "%s %d names vertex %d twice; its %d corners must differ",
				               element_name(shape->kind), e, v[i], k);
	}
	return LM_OK;
}

static double longest_edge(const lm_elastic_shape* shape, int32_t e)
{
	int d = lm_elastic_dimension(shape->kind), k = lm_elastic_corners(shape->kind);
	double longest = 0;
	for (int i = 0; i < k; ++i)
		for (int j = 0; j < i; ++j)
			longest = fmax(longest, lm_shape_distance2(d, lm_shape_corner(shape, e, i), lm_shape_corner(shape, e, j)));
	return sqrt(longest);
}

static lm_status check_size(const lm_elastic_shape* shape, int32_t e, double extent, lm_error* error)
{
	double size = lm_shape_measure(shape, e), longest = longest_edge(shape, e);
	const char* name = element_name(shape->kind);
	if (shape->kind == LM_ELASTIC_CURVE2)
		return size > COLLAPSED * extent
		           ? LM_OK
		           : lm_fail(error, LM_BAD_INPUT, "%s %d has no length; its ends must lie apart in the initial shape",
		                     name, e);
	bool solid = lm_elastic_corners(shape->kind) == 4;
	double least = COLLAPSED * longest * longest * (solid ? longest : 1);
	if (fabs(size) <= least || !(longest > COLLAPSED * COLLAPSED * extent))
		return lm_fail(error, LM_BAD_INPUT, "%s %d has no %s in the initial shape; its corners must not lie in one %s",
		               name, e, solid ? "volume" : "area", solid ? "plane" : "line");
	if (size < 0)
		return lm_fail(error, LM_BAD_INPUT, "%s %d is inverted in the initial shape (%s %g); %s", name, e,
		               solid ? "volume" : "area", size,
		               solid ? "exchange two of its corners" : "list its corners counter-clockwise");
	return LM_OK;
}

static lm_status check_model(const lm_elastic_shape* shape, lm_error* error)
{
	lm_status status = lm_own_check(shape->model, error);
	if (status != LM_OK)
		return status;
	if (shape->kind == LM_ELASTIC_CURVE2 || shape->kind == LM_ELASTIC_SHELL3)
		return lm_fail(error, LM_BAD_INPUT, "an elastic model is given, but only solids can have one, not %s",
		               shape->kind == LM_ELASTIC_CURVE2 ? "curves" : "shells");
	int d = lm_elastic_dimension(shape->kind);
	if (shape->model->dimension != d)
		return lm_fail(error, LM_BAD_INPUT, "the elastic model \"%s\" has %d dimensions, but the body has %d",
		               shape->model->name != NULL ? shape->model->name : "", shape->model->dimension, d);
	return LM_OK;
}

lm_status lm_elastic_check_shape(const lm_elastic_shape* shape, lm_error* error)
{
	int d = lm_elastic_dimension(shape->kind);
	lm_status status = shape->model != NULL ? check_model(shape, error) : LM_OK;
	if (status != LM_OK)
		return status;
	if (shape->vertex_count <= 0 || shape->element_count <= 0)
		return lm_fail(error, LM_BAD_INPUT, "the body has no elements; it needs at least one %s",
		               element_name(shape->kind));
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (int64_t i = 0; i < (int64_t)shape->vertex_count * d; ++i)
	{
		if (!(fabs(shape->positions[i]) <= 1e30))
			return at_element(lm_fail(error, LM_BAD_INPUT,
			                          "vertex %d of the body is not at a finite position below 1e30", (int)(i / d)),
			                  i / d, error);
		low[i % d] = fmin(low[i % d], shape->positions[i]);
		high[i % d] = fmax(high[i % d], shape->positions[i]);
	}
	double extent = 0;
	for (int i = 0; i < d; ++i)
		extent = fmax(extent, high[i] - low[i]);
	for (int32_t e = 0; e < shape->element_count; ++e)
	{
		status = check_indices(shape, e, error);
		if (status == LM_OK)
			status = check_size(shape, e, extent, error);
		if (status != LM_OK)
			return at_element(status, e, error);
	}
	return LM_OK;
}

static lm_status check_stiffness(const char* name, double value, bool zero, lm_error* error)
{
	if (value > 0 ? value <= 1e30 : zero && value == 0)
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT, "%s stiffness is %g; it must be %s and at most 1e30", name, value,
	               zero ? "0 or more" : "positive");
}

lm_status lm_elastic_check_material(lm_elastic_kind kind, const lm_elastic_material* material, lm_error* error)
{
	bool thin = kind == LM_ELASTIC_CURVE2 || kind == LM_ELASTIC_SHELL3;
	lm_status status = check_stiffness("stretch", material->stretch, false, error);
	if (status == LM_OK && thin)
		status = check_stiffness("bend", material->bend, true, error);
	if (status == LM_OK && !thin)
		status = check_stiffness("volume", material->volume, true, error);
	return status;
}
