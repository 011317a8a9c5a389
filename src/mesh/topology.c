#include "mesh/topology.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <string.h>

void lm_adjacency_release(lm_adjacency* adjacency, const lm_host* host)
{
	lm_free(host, adjacency->starts);
	lm_free(host, adjacency->items);
	*adjacency = (lm_adjacency){ 0 };
}

// ---- elements of vertices

lm_status lm_topology_elements_of_vertices(const int32_t* elements, int32_t count, int corners, int32_t vertex_count,
                                           const lm_host* host, lm_adjacency* result, lm_error* error)
{
	int64_t total = (int64_t)corners * count;
	lm_adjacency lists = { vertex_count, LM_NEW(host, (size_t)vertex_count + 2, int64_t),
		                   LM_NEW(host, total, int32_t) };
	if (lists.starts == NULL || lists.items == NULL)
	{
		lm_adjacency_release(&lists, host);
		return lm_fail_memory(error);
	}
	// counted two places ahead, so that filling moves each start to where its list begins
	int64_t* ahead = lists.starts + 1;
	for (int64_t k = 0; k < total; ++k)
		++ahead[elements[k] + 1];
	for (int32_t v = 0; v < vertex_count; ++v)
		ahead[v + 1] += ahead[v];
	for (int64_t k = 0; k < total; ++k)
		lists.items[ahead[elements[k]]++] = (int32_t)(k / corners);
	*result = lists;
	return LM_OK;
}

// ---- neighbours and rings

// Sorts in place; short lists only need insertion, long ones a heap.
static void sort_items(int32_t* items, int64_t count)
{
	if (count <= 48)
	{
		for (int64_t i = 1; i < count; ++i)
		{
			int32_t item = items[i];
			int64_t k = i;
			for (; k > 0 && items[k - 1] > item; --k)
				items[k] = items[k - 1];
			items[k] = item;
		}
		return;
	}
	for (int64_t root = count / 2 - 1, end = count; end > 1;)
	{
		int32_t item = root >= 0 ? items[root] : items[end - 1];
		int64_t hole = root >= 0 ? root : 0;
		if (root < 0)
			items[--end] = items[0];
		for (int64_t child; (child = 2 * hole + 1) < end; hole = child)
		{
			child += child + 1 < end && items[child + 1] > items[child];
			if (items[child] <= item)
				break;
			items[hole] = items[child];
		}
		items[hole] = item;
		root = root >= 0 ? root - 1 : root;
	}
}

// Lists being appended one after the other. mark[v] == i + 1 says that v is in list i already.
typedef struct list_builder
{
	lm_adjacency lists;
	size_t capacity;
	int64_t used;
	int32_t* mark;
} list_builder;

static bool builder_init(list_builder* builder, int32_t count, const lm_host* host)
{
	*builder = (list_builder){ .lists = { count, LM_NEW(host, (size_t)count + 1, int64_t), NULL } };
	builder->mark = LM_NEW(host, count, int32_t);
	bool room = lm_grow(host, (void**)&builder->lists.items, &builder->capacity, 16 * (size_t)count, sizeof(int32_t));
	return builder->lists.starts != NULL && builder->mark != NULL && room;
}

// Adds item to list i unless it is there; false when out of memory.
static bool builder_add(list_builder* builder, int32_t i, int32_t item, const lm_host* host)
{
	if (builder->mark[item] == i + 1)
		return true;
	builder->mark[item] = i + 1;
	if (!lm_grow(host, (void**)&builder->lists.items, &builder->capacity, (size_t)builder->used + 1, sizeof(int32_t)))
		return false;
	builder->lists.items[builder->used++] = item;
	return true;
}

static void builder_close_list(list_builder* builder, int32_t i)
{
	int64_t start = builder->lists.starts[i];
	sort_items(builder->lists.items + start, builder->used - start);
	builder->lists.starts[i + 1] = builder->used;
}

static lm_status builder_finish(list_builder* builder, bool complete, const lm_host* host, lm_adjacency* result,
                                lm_error* error)
{
	lm_free(host, builder->mark);
	if (complete)
	{
		*result = builder->lists;
		return LM_OK;
	}
	lm_adjacency_release(&builder->lists, host);
	return lm_fail_memory(error);
}

static bool gather_neighbours(const lm_adjacency* elements_of, const int32_t* elements, int corners, int32_t v,
                              list_builder* builder, const lm_host* host)
{
	for (int64_t k = elements_of->starts[v]; k < elements_of->starts[v + 1]; ++k)
		for (int c = 0; c < corners; ++c)
		{
			int32_t other = elements[(int64_t)corners * elements_of->items[k] + c];
			if (other != v && !builder_add(builder, v, other, host))
				return false;
		}
	builder_close_list(builder, v);
	return true;
}

lm_status lm_topology_neighbours(const lm_mesh* mesh, const lm_host* host, lm_adjacency* result, lm_error* error)
{
	bool solid = mesh->tet_count > 0, curve = !solid && mesh->triangle_count == 0;
	int corners = solid ? 4 : curve ? 2 : 3;
	const int32_t* elements = solid ? mesh->tets : curve ? mesh->edges : mesh->triangles;
	int32_t count = solid ? mesh->tet_count : curve ? mesh->edge_count : mesh->triangle_count;
	lm_adjacency elements_of;
	lm_status status =
		lm_topology_elements_of_vertices(elements, count, corners, mesh->vertex_count, host, &elements_of, error);
	if (status != LM_OK)
		return status;
	list_builder builder;
	bool complete = builder_init(&builder, mesh->vertex_count, host);
	for (int32_t v = 0; complete && v < mesh->vertex_count; ++v)
		complete = gather_neighbours(&elements_of, elements, corners, v, &builder, host);
	lm_adjacency_release(&elements_of, host);
	return builder_finish(&builder, complete, host, result, error);
}

// Breadth first: the list itself is the queue, and `layer` is where the last ring begins.
static bool gather_ring(const lm_adjacency* neighbours, int ring, int32_t v, list_builder* builder, const lm_host* host)
{
	bool complete = builder_add(builder, v, v, host);
	int64_t layer = builder->lists.starts[v];
	for (int r = 0; r < ring && layer < builder->used; ++r)
	{
		int64_t layer_end = builder->used;
		for (; layer < layer_end; ++layer)
		{
			int32_t from = builder->lists.items[layer];
			for (int64_t k = neighbours->starts[from]; complete && k < neighbours->starts[from + 1]; ++k)
				complete = builder_add(builder, v, neighbours->items[k], host);
		}
	}
	if (complete)
		builder_close_list(builder, v);
	return complete;
}

lm_status lm_topology_grow_rings(const lm_adjacency* neighbours, int ring, const lm_host* host, lm_adjacency* result,
                                 lm_error* error)
{
	assert(ring >= 0);
	list_builder builder;
	bool complete = builder_init(&builder, neighbours->count, host);
	for (int32_t v = 0; complete && v < neighbours->count; ++v)
		complete = gather_ring(neighbours, ring, v, &builder, host);
	return builder_finish(&builder, complete, host, result, error);
}

lm_status lm_topology_rings(const lm_mesh* mesh, int ring, const lm_host* host, lm_adjacency* result, lm_error* error)
{
	lm_adjacency neighbours;
	lm_status status = lm_topology_neighbours(mesh, host, &neighbours, error);
	if (status != LM_OK)
		return status;
	status = lm_topology_grow_rings(&neighbours, ring, host, result, error);
	lm_adjacency_release(&neighbours, host);
	return status;
}

static int32_t set_of_item(const lm_adjacency* sets, int64_t item)
{
	int32_t low = 0, high = sets->count - 1; // the last that begins at or before it
	while (low < high)
	{
		int32_t middle = low + (high - low + 1) / 2;
		if (sets->starts[middle] <= item)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

lm_status lm_topology_join(const lm_adjacency* lists, const lm_adjacency* sets, const lm_host* host,
                           lm_adjacency* result, lm_error* error)
{
	lm_adjacency places; // of each vertex in sets->items
	int64_t total = sets->starts[sets->count];
	assert(total <= INT32_MAX);
	lm_status status =
		lm_topology_elements_of_vertices(sets->items, (int32_t)total, 1, lists->count, host, &places, error);
	if (status != LM_OK)
		return status;
	list_builder builder;
	bool complete = builder_init(&builder, lists->count, host);
	for (int32_t v = 0; complete && v < lists->count; ++v)
	{
		for (int64_t k = lists->starts[v]; complete && k < lists->starts[v + 1]; ++k)
			complete = builder_add(&builder, v, lists->items[k], host);
		for (int64_t p = places.starts[v]; complete && p < places.starts[v + 1]; ++p)
		{
			int32_t s = set_of_item(sets, places.items[p]);
			for (int64_t k = sets->starts[s]; complete && k < sets->starts[s + 1]; ++k)
				complete = builder_add(&builder, v, sets->items[k], host);
		}
		if (complete)
			builder_close_list(&builder, v);
	}
	lm_adjacency_release(&places, host);
	return builder_finish(&builder, complete, host, result, error);
}

// ---- edges and components

lm_status lm_topology_edges(const lm_adjacency* neighbours, const lm_host* host, int32_t** edges, int32_t* count,
                            lm_error* error)
{
	int64_t total = neighbours->starts[neighbours->count] / 2;
	if (total > INT32_MAX)
		return lm_fail(error, LM_BAD_INPUT, "the mesh has %lld edges; at most %d are supported", (long long)total,
		               INT32_MAX);
	int32_t* pairs = LM_NEW(host, 2 * total, int32_t);
	if (pairs == NULL)
		return lm_fail_memory(error);
	int64_t e = 0;
	for (int32_t v = 0; v < neighbours->count; ++v)
		for (int64_t k = neighbours->starts[v]; k < neighbours->starts[v + 1]; ++k)
			if (neighbours->items[k] > v)
			{
				pairs[2 * e] = v;
				pairs[2 * e + 1] = neighbours->items[k];
				++e;
			}
	assert(e == total);
	*edges = pairs;
	*count = (int32_t)total;
	return LM_OK;
}

int32_t lm_topology_components(const lm_adjacency* neighbours, int32_t* stack, int32_t* component)
{
	int32_t found = 0;
	for (int32_t v = 0; v < neighbours->count; ++v)
		component[v] = -1;
	for (int32_t seed = 0; seed < neighbours->count; ++seed)
	{
		if (component[seed] >= 0)
			continue;
		int32_t depth = 0;
		component[seed] = found;
		stack[depth++] = seed;
		while (depth > 0)
		{
			int32_t v = stack[--depth];
			for (int64_t k = neighbours->starts[v]; k < neighbours->starts[v + 1]; ++k)
			{
				int32_t other = neighbours->items[k];
				if (component[other] >= 0)
					continue;
				component[other] = found;
				stack[depth++] = other; // each vertex enters once, so the stack never overflows
			}
		}
		++found;
	}
	return found;
}

// ---- the boundary of tetrahedra

// Faces of a positive tetrahedron seen from outside; face i lies opposite corner i.
static const int outward_faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };

// Corners of face f (four per tetrahedron) in ascending order. Returns +1 when that is an even permutation of the
// outward order, else -1.
static int sorted_face(const int32_t* tets, int64_t f, int32_t sorted[3])
{
	const int32_t* tet = tets + 4 * (f / 4);
	const int* face = outward_faces[f % 4];
	int sign = 1;
	for (int i = 0; i < 3; ++i)
		sorted[i] = tet[face[i]];
	for (int pass = 0; pass < 3; ++pass)
	{
		int i = pass == 1; // compare (0,1), (1,2), (0,1)
		if (sorted[i] > sorted[i + 1])
		{
			int32_t swap = sorted[i];
			sorted[i] = sorted[i + 1];
			sorted[i + 1] = swap;
			sign = -sign;
		}
	}
	return sign;
}

// One stable counting-sort pass of face numbers by the given sorted corner. counts: vertex_count + 1.
static void sort_faces_by(const lm_mesh* mesh, int corner, const int64_t* from, int64_t* to, int64_t* counts)
{
	int64_t faces = 4 * (int64_t)mesh->tet_count;
	int32_t sorted[3];
	memset(counts, 0, ((size_t)mesh->vertex_count + 1) * sizeof *counts);
	for (int64_t f = 0; f < faces; ++f)
	{
		sorted_face(mesh->tets, f, sorted);
		++counts[sorted[corner] + 1];
	}
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		counts[v + 1] += counts[v];
	for (int64_t k = 0; k < faces; ++k)
	{
		sorted_face(mesh->tets, from[k], sorted);
		to[counts[sorted[corner]]++] = from[k];
	}
}

// Walks groups of equal faces and marks those whose sides do not cancel: surface[f] for one face of the side that is
// in excess. Returns how many.
static int64_t mark_surface(const lm_mesh* mesh, const int64_t* order, unsigned char* surface)
{
	int64_t faces = 4 * (int64_t)mesh->tet_count, found = 0;
	for (int64_t k = 0; k < faces;)
	{
		int32_t group[3], other[3];
		int balance = sorted_face(mesh->tets, order[k], group);
		int64_t end = k + 1;
		for (; end < faces; ++end)
		{
			int sign = sorted_face(mesh->tets, order[end], other);
			if (memcmp(group, other, sizeof group) != 0)
				break;
			balance += sign;
		}
		for (int64_t i = k; balance != 0 && i < end; ++i)
			if ((sorted_face(mesh->tets, order[i], other) > 0) == (balance > 0))
			{
				surface[order[i]] = 1;
				++found;
				break;
			}
		k = end;
	}
	return found;
}

static int32_t* surface_triangles(const lm_mesh* mesh, const unsigned char* surface, int64_t count, const lm_host* host)
{
	int32_t* triangles = LM_NEW(host, 3 * count, int32_t);
	if (triangles == NULL)
		return NULL;
	int64_t next = 0;
	for (int64_t f = 0; f < 4 * (int64_t)mesh->tet_count; ++f)
		for (int i = 0; surface[f] && i < 3; ++i)
			triangles[next++] = mesh->tets[4 * (f / 4) + outward_faces[f % 4][i]];
	return triangles;
}

lm_status lm_topology_boundary(const lm_mesh* mesh, const lm_host* host, int32_t** triangles, int32_t* count,
                               lm_error* error)
{
	int64_t faces = 4 * (int64_t)mesh->tet_count, found = 0;
	int64_t* order = LM_NEW(host, faces, int64_t);
	int64_t* other = LM_NEW(host, faces, int64_t);
	int64_t* counts = LM_NEW(host, (size_t)mesh->vertex_count + 1, int64_t);
	unsigned char* surface = LM_NEW(host, faces, unsigned char);
	int32_t* made = NULL;
	if (order != NULL && other != NULL && counts != NULL && surface != NULL)
	{
		for (int64_t f = 0; f < faces; ++f)
			other[f] = f;
		// least significant corner first: equal faces end up side by side in linear time
		sort_faces_by(mesh, 2, other, order, counts);
		sort_faces_by(mesh, 1, order, other, counts);
		sort_faces_by(mesh, 0, other, order, counts);
		found = mark_surface(mesh, order, surface);
		made = found <= INT32_MAX ? surface_triangles(mesh, surface, found, host) : NULL;
	}
	lm_free(host, order);
	lm_free(host, other);
	lm_free(host, counts);
	lm_free(host, surface);
	if (made == NULL)
		return lm_fail_memory(error);
	*triangles = made;
	*count = (int32_t)found;
	return LM_OK;
}
