#include "io/build.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void lm_build_init(lm_build* build, const char* path, const lm_host* host, lm_error* error)
{
	*build = (lm_build){ .host = *host, .path = path, .error = error };
	lm_lookup_init(&build->names, host);
}

void lm_build_release(lm_build* build)
{
	const lm_host* host = &build->host;
	for (int32_t i = 0; i < build->names.count; ++i)
		lm_free(host, build->groups[i].name);
	lm_lookup_release(&build->names);
	lm_free(host, build->positions);
	lm_free(host, build->corners);
	lm_free(host, build->face_ends);
	lm_free(host, build->tets);
	lm_free(host, build->edges);
	lm_free(host, build->groups);
	lm_free(host, build->members);
	lm_free(host, build->spans);
}

// Room for one more row of `width` items behind count rows.
#define GROW(build, array, capacity, needed)                                                                           \
	grow((build), (void**)&(build)->array, &(build)->capacity, (size_t)(needed), sizeof *(build)->array)

static lm_status grow(lm_build* build, void** array, size_t* capacity, size_t needed, size_t size)
{
	return lm_grow(&build->host, array, capacity, needed, size) ? LM_OK : lm_fail_memory(build->error);
}

static lm_status too_many(const lm_build* build, const char* what)
{
	return lm_fail_at(build->error, LM_BAD_INPUT, build->path, "", "has more than %d %s, which is the limit",
	                  LM_BUILD_LIMIT, what);
}

lm_status lm_build_reserve(lm_build* build, int64_t vertices, int64_t faces, int64_t corners, int64_t tets)
{
	lm_status status = LM_OK;
	if (vertices > 0)
		status = GROW(build, positions, position_capacity, vertices * 3);
	if (status == LM_OK && faces > 0)
		status = GROW(build, face_ends, face_capacity, faces);
	if (status == LM_OK && corners > 0)
		status = GROW(build, corners, corner_capacity, corners);
	if (status == LM_OK && tets > 0)
		status = GROW(build, tets, tet_capacity, tets * 4);
	return status;
}

lm_status lm_build_vertex(lm_build* build, const double position[3])
{
	if (build->vertex_count >= LM_BUILD_LIMIT)
		return too_many(build, "vertices");
	size_t at = 3 * (size_t)build->vertex_count;
	lm_status status = GROW(build, positions, position_capacity, at + 3);
	if (status != LM_OK)
		return status;
	memcpy(build->positions + at, position, 3 * sizeof(double));
	++build->vertex_count;
	return LM_OK;
}

lm_status lm_build_corner(lm_build* build, int32_t vertex)
{
	if (build->corner_count >= INT32_MAX)
		return too_many(build, "corners of faces");
	lm_status status = GROW(build, corners, corner_capacity, build->corner_count + 1);
	if (status == LM_OK)
		build->corners[build->corner_count++] = vertex;
	return status;
}

lm_status lm_build_face(lm_build* build)
{
	if (build->face_count >= LM_BUILD_LIMIT)
		return too_many(build, "faces");
	lm_status status = GROW(build, face_ends, face_capacity, build->face_count + 1);
	if (status == LM_OK)
		build->face_ends[build->face_count++] = (int32_t)build->corner_count;
	return status;
}

lm_status lm_build_tet(lm_build* build, const int32_t corners[4])
{
	if (build->tet_count >= LM_BUILD_LIMIT)
		return too_many(build, "tetrahedra");
	size_t at = 4 * (size_t)build->tet_count;
	lm_status status = GROW(build, tets, tet_capacity, at + 4);
	if (status != LM_OK)
		return status;
	memcpy(build->tets + at, corners, 4 * sizeof(int32_t));
	++build->tet_count;
	return LM_OK;
}

lm_status lm_build_edge(lm_build* build, int32_t from, int32_t to)
{
	if (build->edge_count >= LM_BUILD_LIMIT)
		return too_many(build, "edges");
	size_t at = 2 * (size_t)build->edge_count;
	lm_status status = GROW(build, edges, edge_capacity, at + 2);
	if (status != LM_OK)
		return status;
	build->edges[at] = from;
	build->edges[at + 1] = to;
	++build->edge_count;
	return LM_OK;
}

// ---- groups

typedef struct name_key
{
	const char* text;
	size_t length;
} name_key;

static bool same_name(const void* context, int32_t item, const void* key)
{
	const char* name = ((const lm_build*)context)->groups[item].name;
	const name_key* wanted = key;
	return strlen(name) == wanted->length && memcmp(name, wanted->text, wanted->length) == 0;
}

lm_status lm_build_group_named(lm_build* build, const char* name, size_t length, int32_t* group)
{
	name_key key = { name, length };
	uint64_t hash = lm_hash(LM_HASH_START, name, length);
	*group = lm_lookup_find(&build->names, hash, &key, same_name, build);
	if (*group >= 0)
		return LM_OK;
	int32_t count = build->names.count;
	lm_status status = GROW(build, groups, group_capacity, (size_t)count + 1);
	if (status != LM_OK)
		return status;
	char* copy = lm_alloc(&build->host, length + 1, 1);
	if (copy == NULL || !lm_lookup_add(&build->names, hash))
	{
		lm_free(&build->host, copy);
		return lm_fail_memory(build->error);
	}
	memcpy(copy, name, length);
	build->groups[count] = (lm_build_group){ copy, -1 };
	*group = count;
	return LM_OK;
}

lm_status lm_build_member(lm_build* build, int32_t vertex)
{
	lm_status status = GROW(build, members, member_capacity, build->member_count + 1);
	if (status == LM_OK)
		build->members[build->member_count++] = vertex;
	return status;
}

lm_status lm_build_span_of(lm_build* build, int32_t group, size_t begin)
{
	if (begin == build->member_count)
		return LM_OK;
	if (build->span_count == INT32_MAX)
		return too_many(build, "changes of group");
	lm_status status = GROW(build, spans, span_capacity, (size_t)build->span_count + 1);
	if (status != LM_OK)
		return status;
	lm_build_group* owner = &build->groups[group];
	build->spans[build->span_count] = (lm_build_span){ begin, build->member_count, owner->last_span };
	owner->last_span = build->span_count++;
	return LM_OK;
}

static int by_number(const void* a, const void* b)
{
	int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
	return (x > y) - (x < y);
}

// Marks are 0 for vertices that are in no group yet, else 1 + the last group that took them.
static lm_status finish_group(lm_build* build, int32_t index, int32_t* marks, int32_t* scratch, lm_mesh* mesh)
{
	int32_t count = 0;
	for (int32_t s = build->groups[index].last_span; s >= 0; s = build->spans[s].previous)
		for (size_t i = build->spans[s].begin; i < build->spans[s].end; ++i)
		{
			int32_t vertex = build->members[i];
			if (marks[vertex] != index + 1)
				scratch[count++] = vertex;
			marks[vertex] = index + 1;
		}
	if (count == 0)
		return LM_OK; // a name that nothing belongs to
	qsort(scratch, (size_t)count, sizeof *scratch, by_number);
	lm_group* group = &mesh->groups[mesh->group_count];
	group->name = lm_copy_text(&mesh->host, build->groups[index].name);
	group->vertices = lm_copy(&mesh->host, scratch, (size_t)count, sizeof *scratch);
	group->count = count;
	++mesh->group_count; // now the mesh frees both, whichever there is
	return group->name != NULL && group->vertices != NULL ? LM_OK : lm_fail_memory(build->error);
}

static lm_status finish_groups(lm_build* build, lm_mesh* mesh)
{
	int32_t names = build->names.count;
	if (names == 0)
		return LM_OK;
	lm_free(&mesh->host, mesh->groups);
	mesh->groups = LM_NEW(&mesh->host, names, lm_group);
	int32_t* marks = LM_NEW(&build->host, build->vertex_count, int32_t);
	int32_t* scratch = LM_NEW(&build->host, build->vertex_count, int32_t);
	lm_status status = LM_OK;
	if (mesh->groups == NULL || marks == NULL || scratch == NULL)
		status = lm_fail_memory(build->error);
	for (int32_t i = 0; i < names && status == LM_OK; ++i)
		status = finish_group(build, i, marks, scratch, mesh);
	lm_free(&build->host, marks);
	lm_free(&build->host, scratch);
	return status;
}

// ---- finishing

static void finish_triangles(const lm_build* build, lm_mesh* mesh)
{
	int32_t* next = mesh->triangles;
	int32_t begin = 0;
	for (int32_t f = 0; f < build->face_count; ++f)
	{
		int32_t end = build->face_ends[f];
		for (int32_t i = begin + 2; i < end; ++i, next += 3)
		{
			next[0] = build->corners[begin];
			next[1] = build->corners[i - 1];
			next[2] = build->corners[i];
		}
		begin = end;
	}
}

static lm_status finish_polygons(lm_build* build, lm_mesh* mesh)
{
	if (mesh->triangle_count == build->face_count)
		return LM_OK; // nothing but triangles
	mesh->face_starts = LM_NEW(&mesh->host, (size_t)build->face_count + 1, int32_t);
	mesh->face_vertices = lm_copy(&mesh->host, build->corners, build->corner_count, sizeof(int32_t));
	if (mesh->face_starts == NULL || mesh->face_vertices == NULL)
		return lm_fail_memory(build->error);
	memcpy(mesh->face_starts + 1, build->face_ends, (size_t)build->face_count * sizeof(int32_t));
	mesh->face_count = build->face_count;
	return LM_OK;
}

static void finish_tets(const lm_build* build, lm_mesh* mesh)
{
	memcpy(mesh->tets, build->tets, 4 * (size_t)build->tet_count * sizeof(int32_t));
	for (int32_t t = 0; t < mesh->tet_count; ++t)
	{
		int32_t* corners = mesh->tets + 4 * (size_t)t;
		double edges[3][3];
		for (int i = 0; i < 9; ++i)
			edges[i / 3][i % 3] = mesh->positions[3 * (size_t)corners[i / 3 + 1] + i % 3] -
			                      mesh->positions[3 * (size_t)corners[0] + i % 3];
		double* a = edges[0];
		double* b = edges[1];
		double* c = edges[2];
		double volume = (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] +
		                (a[0] * b[1] - a[1] * b[0]) * c[2];
		if (volume < 0)
		{
			int32_t last = corners[3];
			corners[3] = corners[2];
			corners[2] = last;
		}
	}
}

lm_status lm_build_finish(lm_build* build, lm_mesh** mesh)
{
	if (build->vertex_count == 0)
		return lm_fail_at(build->error, LM_BAD_INPUT, build->path, "", "has no vertices");
	int64_t triangles = (int64_t)build->corner_count - 2 * (int64_t)build->face_count;
	if (triangles > LM_BUILD_LIMIT)
		return too_many(build, "triangles");
	lm_mesh* result = lm_mesh_create(&build->host, build->vertex_count, (int32_t)triangles, build->tet_count);
	if (result == NULL)
		return lm_fail_memory(build->error);
	memcpy(result->positions, build->positions, 3 * (size_t)build->vertex_count * sizeof(double));
	if (triangles > 0)
		finish_triangles(build, result);
	if (build->tet_count > 0)
		finish_tets(build, result);
	lm_status status = finish_polygons(build, result);
	if (status == LM_OK && build->edge_count > 0)
		status = lm_mesh_set_edges(result, build->edges, build->edge_count, build->error);
	if (status == LM_OK)
		status = finish_groups(build, result);
	if (status != LM_OK)
	{
		lm_mesh_destroy(result);
		return status;
	}
	*mesh = result;
	return LM_OK;
}
