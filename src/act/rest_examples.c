// rest_examples.c: incompatible interpolation of example poses (Coros et al. 2012, Sec. 5).
//
// Every rest element of every pose is registered to the element's initial shape: turned and moved so that only its
// deformation is left. Then vertex positions interpolate linearly, X(p) = X_0 + sum_k (X^_k - X_0) p_k (Eq. 12).
//
// Solids: F = S_k S_0^-1 = R U, X^_k = R^T X_k, centres laid upon each other. Interpolated elements have the
// deformation gradient I + sum p_k (U_k - I), positive definite for convex p: no rest element ever inverts in a group.
// Hinges of shells: the middles of the centre edges are laid upon each other, the edges along each other, and the mean
// normals, those that halve the angle between the two triangles. So lengths interpolate at constant speed and wings
// fold symmetrically. Corners of curves likewise in the plane: middle vertex and the direction that halves the turn.
// Single edges: middle and direction.
//
// Departures: the paper does not say how hinges turn about their edge; halving the angle treats both triangles alike. A
// pose that leaves an element as it is up to 1e-6 of its size leaves it exactly alone, so that groups of poses that
// deform different parts act independently.
#include "act/rest.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/svd.h"

#include <math.h>
#include <string.h>

#define UNCHANGED 1e-6 // part of an element's size
#define SMALLEST 1e-9  // of an element in a pose, part of its initial length, area or volume

// Corners of one element, as points in space.
typedef struct element
{
	int count;
	lm_vec3 at[4];
} element;

static element gather(const lm_elastic_view* view, int32_t e, const double* positions)
{
	element a = { view->rest_starts[e + 1] - view->rest_starts[e], { { 0, 0, 0 } } };
	for (int i = 0; i < a.count; ++i)
		a.at[i] = lm_v3_at(positions, view->rest_vertices[view->rest_starts[e] + i]);
	return a;
}

static lm_vec3 center(const element* a, int count)
{
	lm_vec3 sum = lm_v3(0, 0, 0);
	for (int i = 0; i < count; ++i)
		sum = lm_add(sum, a->at[i]);
	return lm_scale(1.0 / count, sum);
}

// A frame fixed to the deformed element, as columns, and the point of the element that lies in its origin.
typedef struct frame
{
	lm_mat3 axes;
	lm_vec3 origin;
} frame;

// Any direction across e.
static lm_vec3 across(lm_vec3 e)
{
	lm_vec3 axis = fabs(e.x) < 0.6 ? lm_v3(1, 0, 0) : lm_v3(0, 1, 0);
	return lm_normalize_or(lm_cross(e, axis), lm_v3(0, 0, 1));
}

static frame frame_of(lm_vec3 first, lm_vec3 second, lm_vec3 origin)
{
	return (frame){ lm_columns(first, second, lm_cross(first, second)), origin };
}

static frame edge_frame(const element* a)
{
	lm_vec3 e = lm_normalize_or(lm_sub(a->at[1], a->at[0]), lm_v3(1, 0, 0));
	return frame_of(e, across(e), center(a, 2));
}

// The vector that is half way on the turn from u to v about the axis; all of length 1, u and v across the axis.
static lm_vec3 halve(lm_vec3 u, lm_vec3 v, lm_vec3 axis)
{
	double angle = 0.5 * atan2(lm_dot(axis, lm_cross(u, v)), lm_dot(u, v));
	return lm_add(lm_scale(cos(angle), u), lm_scale(sin(angle), lm_cross(axis, u)));
}

// Edge from 0 to 1, wings 2 and 3 on either side.
static frame hinge_frame(const element* a)
{
	lm_vec3 along = lm_sub(a->at[1], a->at[0]), e = lm_normalize_or(along, lm_v3(1, 0, 0));
	lm_vec3 one = lm_normalize_or(lm_cross(along, lm_sub(a->at[2], a->at[0])), across(e));
	lm_vec3 two = lm_normalize_or(lm_cross(lm_sub(a->at[3], a->at[0]), along), across(e));
	return frame_of(e, halve(one, two, e), center(a, 2));
}

// A corner of a curve in the plane: the vertex before, itself, the one after.
static frame corner_frame(const element* a)
{
	lm_vec3 before = lm_normalize_or(lm_sub(a->at[1], a->at[0]), lm_v3(1, 0, 0));
	lm_vec3 after = lm_normalize_or(lm_sub(a->at[2], a->at[1]), lm_v3(1, 0, 0));
	return frame_of(halve(before, after, lm_v3(0, 0, 1)), lm_v3(0, 0, 1), a->at[1]);
}

static lm_mat3 edges_of(const element* a)
{
	lm_vec3 last = a->count == 4 ? lm_sub(a->at[3], a->at[0]) : lm_v3(0, 0, 1);
	return lm_columns(lm_sub(a->at[1], a->at[0]), lm_sub(a->at[2], a->at[0]), last);
}

// A^-1, for A whose determinant is not zero.
static lm_mat3 inverse(lm_mat3 A)
{
	lm_vec3 a = lm_column(A, 0), b = lm_column(A, 1), c = lm_column(A, 2);
	double d = 1 / lm_det(A);
	return lm_transpose(
		lm_columns(lm_scale(d, lm_cross(b, c)), lm_scale(d, lm_cross(c, a)), lm_scale(d, lm_cross(a, b))));
}

// The turn from the initial element to the pose, and the points that are laid upon each other.
static lm_mat3 turn_of(lm_elastic_kind kind, const element* initial, const element* pose, lm_vec3* from, lm_vec3* to)
{
	if (kind == LM_ELASTIC_SOLID2 || kind == LM_ELASTIC_SOLID3_EDGES || kind == LM_ELASTIC_SOLID3_GREEN)
	{
		*from = center(pose, pose->count), *to = center(initial, initial->count);
		return lm_polar3(lm_mul(edges_of(pose), inverse(edges_of(initial)))).R;
	}
	frame (*frame_at)(const element*) = pose->count == 4 ? hinge_frame : pose->count == 3 ? corner_frame : edge_frame;
	frame a = frame_at(initial), b = frame_at(pose);
	*from = b.origin, *to = a.origin;
	return lm_mul(b.axes, lm_transpose(a.axes));
}

static void add_element(const lm_elastic_view* view, const element* initial, const element* pose, int32_t slot,
                        int32_t column, lm_act_rest* rest)
{
	lm_vec3 from, to, change[4];
	lm_mat3 R = turn_of(view->kind, initial, pose, &from, &to);
	double size = 0, largest = 0;
	for (int i = 0; i < pose->count; ++i)
	{
		lm_vec3 registered = lm_add(to, lm_tmul_v(R, lm_sub(pose->at[i], from)));
		change[i] = lm_sub(registered, initial->at[i]);
		size = fmax(size, lm_distance(initial->at[i], initial->at[0]));
		largest = fmax(largest, lm_length(change[i]));
	}
	for (int i = 0; largest > UNCHANGED * size && i < pose->count; ++i)
	{
		double numbers[3] = { change[i].x, change[i].y, change[i].z };
		for (int j = 0; j < view->dimension; ++j)
			rest->L[((int64_t)(slot + i) * view->dimension + j) * rest->parameters + column] = numbers[j];
	}
}

// ---- what comes in

// Length, area or volume of an element of the mesh: signed for solids.
static double measure(lm_elastic_kind kind, const element* a)
{
	if (a->count == 2)
		return lm_distance(a->at[0], a->at[1]);
	lm_mat3 S = edges_of(a);
	if (kind == LM_ELASTIC_SHELL3)
		return lm_length(lm_cross(lm_column(S, 0), lm_column(S, 1))) / 2;
	return lm_det(S) / (a->count == 4 ? 6 : 2);
}

static lm_status bad_element(int32_t pose, int32_t e, const char* what, lm_error* error)
{
	return lm_fail_element(error, e,
	                       "element %d of example %d is %s; every element of an example must keep its side up "
	                       "and a size above zero",
	                       (int)e, (int)pose, what);
}

// Elements of the mesh, not the rest elements: an artist knows these. Triangles of shells are checked, too.
static lm_status check_elements(const lm_act_def* def, const lm_elastic_view* view, int32_t k, lm_error* error)
{
	const lm_mesh* mesh = def->mesh;
	bool tets = view->kind == LM_ELASTIC_SOLID3_EDGES || view->kind == LM_ELASTIC_SOLID3_GREEN;
	bool curve = view->kind == LM_ELASTIC_CURVE2;
	int corners = tets ? 4 : curve ? 2 : 3;
	int32_t count = tets ? mesh->tet_count : curve ? view->rest_element_count : mesh->triangle_count;
	for (int32_t e = 0; e < count; ++e)
	{
		if (curve && view->rest_starts[e + 1] - view->rest_starts[e] != 2)
			break; // from here on the corners of the curve
		const int32_t* v = tets    ? mesh->tets + 4 * (int64_t)e
		                   : curve ? view->rest_vertices + view->rest_starts[e]
		                           : mesh->triangles + 3 * (int64_t)e;
		element initial = { corners, { { 0, 0, 0 } } }, pose = initial;
		for (int i = 0; i < corners; ++i)
			initial.at[i] = lm_v3_at(mesh->positions, v[i]), pose.at[i] = lm_v3_at(def->examples[k], v[i]);
		double relative = measure(view->kind, &pose) / measure(view->kind, &initial);
		if (relative < SMALLEST)
			return bad_element(k, e, relative < 0 ? "inverted" : "collapsed", error);
	}
	return LM_OK;
}

static lm_status check_pose(const lm_act_def* def, const lm_elastic_view* view, int32_t k, lm_error* error)
{
	if (def->examples[k] == NULL)
		return lm_fail(error, LM_BAD_INPUT, "example %d is NULL; it must be the positions of all vertices", (int)k);
	for (int64_t i = 0; i < 3 * (int64_t)view->vertex_count; ++i)
	{
		double x = def->examples[k][i];
		if (!isfinite(x) || fabs(x) > 1e30 || (view->dimension == 2 && i % 3 == 2 && x != 0))
			return lm_fail_element(error, i / 3,
			                       "vertex %d of example %d is at %g along axis %d; examples have finite "
			                       "positions, and those of 2D bodies lie in the plane z = 0",
			                       (int)(i / 3), (int)k, x, (int)(i % 3));
	}
	return check_elements(def, view, k, error);
}

static lm_status check(const lm_act_def* def, const lm_elastic_view* view, lm_error* error)
{
	if (def->example_count < 1 || def->example_count > 64 || !def->examples)
		return lm_fail(error, LM_BAD_INPUT, "control by examples was given %d of them; there must be 1 to 64",
		               (int)def->example_count);
	for (int32_t k = 0; k < def->example_count; ++k)
	{
		if (def->example_groups && (def->example_groups[k] < 0 || def->example_groups[k] >= 64))
			return lm_fail(error, LM_BAD_INPUT, "example %d is in group %d; groups are numbered from 0 to 63", (int)k,
			               (int)def->example_groups[k]);
		lm_status status = check_pose(def, view, k, error);
		if (status != LM_OK)
			return status;
	}
	return LM_OK;
}

// Sorts the examples by group, each group in their order, and leaves out groups without any.
static void sort_groups(const lm_act_def* def, lm_act_rest* rest)
{
	int32_t at = 0;
	for (int32_t g = 0; g < 64; ++g)
	{
		int32_t before = at;
		for (int32_t k = 0; k < def->example_count; ++k)
			if ((def->example_groups ? def->example_groups[k] : 0) == g)
				rest->order[at++] = k;
		if (at > before)
			rest->group_start[++rest->group_count] = at;
	}
}

lm_status lm_act_rest_add_examples(const lm_act_def* def, const lm_elastic_view* view, const lm_host* host,
                                   lm_act_rest* rest, lm_error* error)
{
	lm_status status = check(def, view, error);
	if (status != LM_OK)
		return status;
	rest->parameters = def->example_count;
	rest->L = LM_NEW(host, (int64_t)rest->rest_unknowns * rest->parameters, double);
	rest->order = LM_NEW(host, rest->parameters, int32_t);
	rest->group_start = LM_NEW(host, rest->parameters + 1, int32_t);
	if (!rest->L || !rest->order || !rest->group_start)
		return lm_fail_memory(error);
	sort_groups(def, rest);
	for (int32_t e = 0; e < view->rest_element_count; ++e)
	{
		element initial = gather(view, e, def->mesh->positions);
		for (int32_t k = 0; k < rest->parameters; ++k)
		{
			element pose = gather(view, e, def->examples[rest->order[k]]);
			add_element(view, &initial, &pose, view->rest_starts[e], k, rest);
		}
	}
	return LM_OK;
}
