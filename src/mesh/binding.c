// binding.c: display vertices as fixed combinations of simulated points.
//
// A position p in the tetrahedron (a b c d) has the weights w with sum w = 1 and sum w x = p; the same w applied to the
// moved corners move p by the tetrahedron's affine map. Outside, the closest tetrahedron's map is continued; where
// several are equally close (p lies over an edge or a corner of the mesh), the one that continues least, because
// weights of slivers amplify every motion.
#include "limber/mesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "mesh/bvh.h"
#include "mesh/closest.h"

#include <assert.h>

struct lm_binding
{
	lm_host host;
	int32_t vertex_count, point_count;
	int64_t* starts;
	int32_t* points;
	double* weights;
};

enum
{
	bind_grain = 512,
	apply_grain = 4096
};

// Larger weights than this would shake a display vertex by rounding alone: it is then put on the tetrahedron.
static const double largest_weight = 1e4;

static lm_binding* allocate(int32_t vertex_count, int32_t point_count, int per_vertex, const lm_host* host)
{
	lm_binding* binding = LM_NEW(host, 1, lm_binding);
	if (binding == NULL)
		return NULL;
	size_t entries = (size_t)per_vertex * (size_t)vertex_count;
	*binding = (lm_binding){ *host,
		                     vertex_count,
		                     point_count,
		                     LM_NEW(host, (size_t)vertex_count + 1, int64_t),
		                     LM_NEW(host, entries, int32_t),
		                     LM_NEW(host, entries, double) };
	if (binding->starts == NULL || binding->points == NULL || binding->weights == NULL)
	{
		lm_binding_destroy(binding);
		return NULL;
	}
	for (int64_t v = 0; v <= vertex_count; ++v)
		binding->starts[v] = per_vertex * v;
	return binding;
}

void lm_binding_destroy(lm_binding* binding)
{
	if (binding == NULL)
		return;
	lm_host host = binding->host;
	lm_free(&host, binding->starts);
	lm_free(&host, binding->points);
	lm_free(&host, binding->weights);
	lm_free(&host, binding);
}

// ---- finding the tetrahedron of a position

typedef struct tet_choice
{
	const lm_bvh* bvh;
	lm_vec3 p, closest; // the position, and the point of the mesh closest to it
	double slack;       // tetrahedra not farther than this from `closest` are as close as any
	int32_t tet;
	double weights[4];
	double largest; // of |weights|
} tet_choice;

static void corners_of(const lm_bvh* bvh, int32_t tet, lm_vec3 x[4])
{
	for (int i = 0; i < 4; ++i)
		x[i] = lm_v3_at(bvh->positions, bvh->elements[4 * (int64_t)tet + i]);
}

static bool lies_in(const lm_bvh* bvh, int32_t tet, lm_vec3 p, double weights[4])
{
	lm_vec3 x[4];
	corners_of(bvh, tet, x);
	return lm_tet_barycentrics(p, x[0], x[1], x[2], x[3], weights) && weights[0] >= 0 && weights[1] >= 0 &&
	       weights[2] >= 0 && weights[3] >= 0;
}

// A tetrahedron near the closest point: taken when it continues less far than the best so far.
static bool consider(void* context, int32_t tet)
{
	tet_choice* choice = context;
	lm_vec3 x[4];
	double weights[4] = { 0 }, largest = 0;
	corners_of(choice->bvh, tet, x);
	if (lm_closest_on_tet(choice->closest, x, weights) > choice->slack * choice->slack ||
	    !lm_tet_barycentrics(choice->p, x[0], x[1], x[2], x[3], weights))
		return true;
	for (int i = 0; i < 4; ++i)
		largest = fmax(largest, fabs(weights[i]));
	if (largest < choice->largest || (largest == choice->largest && tet < choice->tet))
	{
		choice->tet = tet;
		choice->largest = largest;
		for (int i = 0; i < 4; ++i)
			choice->weights[i] = weights[i];
	}
	return true;
}

// weights of p, which lies in no tetrahedron and closest to hit->point.
static int32_t continue_outside(const lm_bvh* bvh, lm_vec3 p, const lm_bvh_hit* hit, double weights[4])
{
	const lm_box all = bvh->nodes[0].box;
	lm_vec3 size = lm_sub(all.high, all.low);
	double slack = 1e-12 * (size.x + size.y + size.z);
	lm_vec3 reach = lm_v3(slack, slack, slack);
	tet_choice choice = { bvh, p, hit->point, slack, .tet = hit->element, .largest = largest_weight };
	for (int i = 0; i < 4; ++i)
		choice.weights[i] = hit->weights[i];
	lm_bvh_overlaps(bvh, (lm_box){ lm_sub(hit->point, reach), lm_add(hit->point, reach) }, consider, &choice);
	for (int i = 0; i < 4; ++i)
		weights[i] = choice.weights[i];
	return choice.tet;
}

typedef struct bind_job
{
	const lm_bvh* bvh;
	const double* positions;
	lm_binding* binding;
	bool flat; // everything lies in z = 0: a plane has an outside in which its triangles can be continued
} bind_job;

static void store_entry(const bind_job* job, int64_t v, int32_t element, const double* weights)
{
	int corners = job->bvh->corners;
	for (int i = 0; i < corners; ++i)
	{
		job->binding->points[corners * v + i] = job->bvh->elements[corners * (int64_t)element + i];
		job->binding->weights[corners * v + i] = weights[i];
	}
}

static void bind_to_tets(void* context, int64_t begin, int64_t end)
{
	const bind_job* job = context;
	int32_t last = -1; // neighbours in the list are mostly neighbours in space
	for (int64_t v = begin; v < end; ++v)
	{
		lm_vec3 p = lm_v3_at(job->positions, v);
		double weights[4] = { 0 };
		if (last < 0 || !lies_in(job->bvh, last, p, weights))
			last = lm_bvh_containing_tet(job->bvh, p, 0, weights);
		int32_t tet = last;
		if (tet < 0)
		{
			lm_bvh_hit hit = lm_bvh_closest(job->bvh, p, INFINITY);
			tet = continue_outside(job->bvh, p, &hit, weights);
		}
		store_entry(job, v, tet, weights);
	}
}

// The triangle's map continued to p, as for tetrahedra; false for slivers.
static bool continue_in_plane(const lm_bvh* bvh, int32_t triangle, lm_vec3 p, double weights[3])
{
	const int32_t* corners = bvh->elements + 3 * (int64_t)triangle;
	lm_vec3 a = lm_v3_at(bvh->positions, corners[0]);
	lm_vec3 ab = lm_sub(lm_v3_at(bvh->positions, corners[1]), a), ac = lm_sub(lm_v3_at(bvh->positions, corners[2]), a);
	lm_vec3 ap = lm_sub(p, a);
	double area = ab.x * ac.y - ab.y * ac.x;
	double v = (ap.x * ac.y - ap.y * ac.x) / area, w = (ab.x * ap.y - ab.y * ap.x) / area;
	if (!(fabs(v) <= largest_weight && fabs(w) <= largest_weight))
		return false;
	weights[0] = 1 - v - w, weights[1] = v, weights[2] = w;
	return true;
}

static void bind_to_triangles(void* context, int64_t begin, int64_t end)
{
	const bind_job* job = context;
	for (int64_t v = begin; v < end; ++v)
	{
		lm_vec3 p = lm_v3_at(job->positions, v);
		lm_bvh_hit hit = lm_bvh_closest(job->bvh, p, INFINITY);
		if (job->flat)
			continue_in_plane(job->bvh, hit.element, p, hit.weights);
		store_entry(job, v, hit.element, hit.weights);
	}
}

// ---- the public functions

static lm_status check_positions(const double* positions, int32_t count, lm_error* error)
{
	for (int32_t v = 0; v < count; ++v)
		if (!(fabs(positions[3 * (int64_t)v]) <= 1e30 && fabs(positions[3 * (int64_t)v + 1]) <= 1e30 &&
		      fabs(positions[3 * (int64_t)v + 2]) <= 1e30))
			return lm_fail_element(error, v,
			                       "position %d to be bound is not finite; coordinates must be numbers up to 1e30", v);
	return LM_OK;
}

static bool in_plane(const double* positions, int32_t count)
{
	for (int64_t v = 0; v < count; ++v)
		if (positions[3 * v + 2] != 0)
			return false;
	return true;
}

lm_status lm_binding_create(const lm_mesh* mesh, const double* positions, int32_t count, const lm_host* host,
                            lm_binding** result, lm_error* error)
{
	assert(mesh != NULL && count >= 0 && (positions != NULL || count == 0) && host != NULL && result != NULL);
	bool solid = mesh->tet_count > 0;
	if (!solid && mesh->triangle_count == 0 && count > 0)
		return lm_fail(error, LM_BAD_INPUT,
		               "there is nothing to bind to: the mesh needs tetrahedra, or at least triangles");
	lm_status status = check_positions(positions, count, error);
	if (status != LM_OK)
		return status;
	lm_bvh bvh;
	status = lm_bvh_create(solid ? mesh->tets : mesh->triangles, solid ? mesh->tet_count : mesh->triangle_count,
	                       solid ? 4 : 3, mesh->positions, host, &bvh, error);
	if (status != LM_OK)
		return status;
	lm_binding* binding = allocate(count, mesh->vertex_count, bvh.corners, host);
	if (binding != NULL)
	{
		bool flat = in_plane(mesh->positions, mesh->vertex_count) && in_plane(positions, count);
		bind_job job = { &bvh, positions, binding, flat };
		lm_parallel_for(host->threads, count, bind_grain, solid ? bind_to_tets : bind_to_triangles, &job);
		*result = binding;
	}
	lm_bvh_release(&bvh);
	return binding != NULL ? LM_OK : lm_fail_memory(error);
}

lm_status lm_binding_create_identity(int32_t count, const lm_host* host, lm_binding** result, lm_error* error)
{
	assert(count >= 0 && host != NULL && result != NULL);
	lm_binding* binding = allocate(count, count, 1, host);
	if (binding == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < count; ++v)
	{
		binding->points[v] = v;
		binding->weights[v] = 1;
	}
	*result = binding;
	return LM_OK;
}

lm_status lm_binding_create_rows(const lm_binding_view* rows, const lm_host* host, lm_binding** result, lm_error* error)
{
	assert(rows != NULL && host != NULL && result != NULL);
	size_t numbers = rows->vertex_count > 0 ? (size_t)rows->starts[rows->vertex_count] : 0;
	lm_binding* binding = allocate(rows->vertex_count, rows->point_count, 0, host);
	if (binding == NULL)
		return lm_fail_memory(error);
	lm_free(host, binding->points);
	lm_free(host, binding->weights);
	binding->points = lm_copy(host, rows->points, numbers, sizeof(int32_t));
	binding->weights = lm_copy(host, rows->weights, numbers, sizeof(double));
	if (binding->points == NULL || binding->weights == NULL)
	{
		lm_binding_destroy(binding);
		return lm_fail_memory(error);
	}
	for (int64_t v = 0; v <= rows->vertex_count; ++v)
		binding->starts[v] = rows->starts[v];
	*result = binding;
	return LM_OK;
}

lm_binding_view lm_binding_get(const lm_binding* binding)
{
	assert(binding != NULL);
	return (lm_binding_view){ binding->vertex_count, binding->point_count, binding->starts, binding->points,
		                      binding->weights };
}

typedef struct apply_job
{
	const lm_binding* binding;
	const double* points;
	double* results;
} apply_job;

static void apply_rows(void* context, int64_t begin, int64_t end)
{
	const apply_job* job = context;
	const lm_binding* binding = job->binding;
	for (int64_t v = begin; v < end; ++v)
	{
		lm_vec3 sum = { 0, 0, 0 };
		for (int64_t k = binding->starts[v]; k < binding->starts[v + 1]; ++k)
			sum = lm_add_scaled(sum, binding->weights[k], lm_v3_at(job->points, binding->points[k]));
		lm_v3_store(job->results, v, sum);
	}
}

void lm_binding_apply(const lm_binding* binding, const double* points, int threads, double* results)
{
	assert(binding != NULL && results != points);
	apply_job job = { binding, points, results };
	lm_parallel_for(threads, binding->vertex_count, apply_grain, apply_rows, &job);
}
