// topology.h: adjacency in a mesh. All lists are sorted and do not depend on threads.
#ifndef LM_MESH_TOPOLOGY_H
#define LM_MESH_TOPOLOGY_H

#include "limber/mesh.h"

// `count` lists in one array: list i is items[starts[i] .. starts[i + 1]). Release with lm_adjacency_release.
typedef struct lm_adjacency
{
	int32_t count;
	int64_t* starts; // count + 1
	int32_t* items;
} lm_adjacency;

void lm_adjacency_release(lm_adjacency* adjacency, const lm_host* host);

// The functions below take a mesh whose indices are in range (lm_mesh_check). On failure results are untouched.

// For each vertex the elements it is a corner of, ascending. elements: count x corners indices.
lm_status lm_topology_elements_of_vertices(const int32_t* elements, int32_t count, int corners, int32_t vertex_count,
                                           const lm_host* host, lm_adjacency* result, lm_error* error);

// For each vertex its neighbours along edges of tetrahedra (of triangles when there are no tetrahedra), ascending.
lm_status lm_topology_neighbours(const lm_mesh* mesh, const lm_host* host, lm_adjacency* result, lm_error* error);

// For each vertex itself and all vertices within `ring` edges (0: itself only), ascending.
lm_status lm_topology_rings(const lm_mesh* mesh, int ring, const lm_host* host, lm_adjacency* result, lm_error* error);

// The same on neighbours that are known already.
lm_status lm_topology_grow_rings(const lm_adjacency* neighbours, int ring, const lm_host* host, lm_adjacency* result,
                                 lm_error* error);

// Symmetric lists of vertices, such as rings, and in the list of each vertex those of all sets that it is in. sets:
// lists of vertices.
lm_status lm_topology_join(const lm_adjacency* lists, const lm_adjacency* sets, const lm_host* host,
                           lm_adjacency* result, lm_error* error);

// Every edge once, as pairs low < high in ascending order. *edges (count x 2) is freed with lm_free.
lm_status lm_topology_edges(const lm_adjacency* neighbours, const lm_host* host, int32_t** edges, int32_t* count,
                            lm_error* error);

// The faces that the tetrahedra do not share, outward, in the order of the tetrahedra. *triangles (count x 3) is freed
// with lm_free. Where more than two tetrahedra meet in a face it counts as surface unless their sides cancel.
lm_status lm_topology_boundary(const lm_mesh* mesh, const lm_host* host, int32_t** triangles, int32_t* count,
                               lm_error* error);

// component[v] of every vertex, numbered in the order of their lowest vertices; returns how many there are. A vertex
// without neighbours is a component of its own. stack: room for neighbours->count items.
int32_t lm_topology_components(const lm_adjacency* neighbours, int32_t* stack, int32_t* component);

#endif
