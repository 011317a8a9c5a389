// paint.c: paint of an object's shown surface (Bergou et al. 2007, Sec. 4.1), in and out of files beside a scene.
//
// Files hold values at the vertices of the mesh that is shown, as it is in its file: those of the object's surface, or
// of its mesh. Solids in the plane are shown as plates and curves as ribbons, whose vertices are carried back to them.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "format/syntax.h"
#include "limber/view.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_FILE ((size_t)256 << 20)

static const lm_mesh* painted_mesh(const lm_scene_object* description)
{
	return description->surface != NULL ? description->surface : description->mesh;
}

// ---- between the vertices of the file and those that are shown ----

static void gather(const lm_world_display* display, const double* shown, int32_t count, double* values)
{
	if (display->ribbon != NULL)
		lm_ribbon_gather(shown, count, values);
	else
		for (int64_t v = 0; v < count; ++v) // a plate has a front and a back
			values[v] = display->flat != NULL ? fmax(shown[v], shown[count + v]) : shown[v];
}

// From simulated points; triples: room for them x 3, and behind that for the shown vertices x 3.
static void carry(const lm_world* world, const lm_world_display* display, const double* values, int32_t count,
                  double* triples, double* shown)
{
	double* carried = triples + 3 * (int64_t)count;
	for (int64_t v = 0; v < count; ++v)
		triples[3 * v] = triples[3 * v + 1] = triples[3 * v + 2] = values[v];
	lm_world_carry(world, display, triples, carried);
	for (int64_t v = 0; v < display->mesh->vertex_count; ++v)
		shown[v] = fmin(fmax(carried[3 * v], 0), 1);
}

// From the vertices before subdivision.
static void refine(lm_binding_view map, const double* values, double* fine)
{
	for (int32_t v = 0; v < map.vertex_count; ++v)
	{
		fine[v] = 0;
		for (int64_t k = map.starts[v]; k < map.starts[v + 1]; ++k)
			fine[v] += map.weights[k] * values[map.points[k]];
	}
}

// From the vertices of the painted mesh, or of the simulated one, or of that before it was subdivided: by their number.
static lm_status spread(const lm_world* world, int32_t object, const double* values, int64_t count, double* shown,
                        const char* path, lm_error* error)
{
	const lm_scene_object* description = &world->scene->objects[object];
	const lm_world_display* display = &world->displays[object];
	const lm_scene_track* track = description->track;
	int32_t painted = painted_mesh(description)->vertex_count, simulated = description->mesh->vertex_count;
	bool coarse = track != NULL && track->map != NULL && count == track->coarse_count;
	int64_t vertices = display->mesh->vertex_count;
	if (count == painted && display->ribbon == NULL)
	{
		for (int64_t v = 0; v < vertices; ++v)
			shown[v] = fmin(fmax(values[v % painted], 0), 1);
		return LM_OK;
	}
	if (count != simulated && !coarse)
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "has %lld values, must have %d, one for each vertex of object \"%.60s\"", (long long)count,
		                  painted, description->name);
	size_t n = (size_t)simulated;
	double* room = LM_NEW(&world->host, 4 * n + 3 * (size_t)vertices, double);
	if (room == NULL)
		return lm_fail_memory(error);
	if (coarse)
		refine(lm_binding_get(track->map), values, room);
	else
		memcpy(room, values, n * sizeof *room);
	carry(world, display, room, simulated, room + n, shown);
	lm_free(&world->host, room);
	return LM_OK;
}

// ---- groups ----

static lm_status no_group(const lm_scene_object* description, const char* name, lm_error* error)
{
	return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has no group \"%.60s\"", description->name, name);
}

static void values_of(const lm_mesh* mesh, const lm_group* group, double* values)
{
	memset(values, 0, (size_t)mesh->vertex_count * sizeof *values);
	if (group->weights != NULL)
		memcpy(values, group->weights, (size_t)mesh->vertex_count * sizeof *values);
	for (int32_t k = 0; group->weights == NULL && k < group->count; ++k)
		values[group->vertices[k]] = 1;
}

lm_status lm_world_group_values(const lm_world* world, int32_t object, const char* name, double* values,
                                lm_error* error)
{
	const lm_scene_object* description = &world->scene->objects[object];
	int32_t found = lm_mesh_find_group(description->mesh, name);
	if (found < 0)
		return no_group(description, name, error);
	values_of(description->mesh, &description->mesh->groups[found], values);
	return LM_OK;
}

lm_status lm_paint_of_group(const lm_world* world, int32_t object, const char* name, double* values, lm_error* error)
{
	lm_status status = lm_world_check_object(world, object, error);
	if (status != LM_OK)
		return status;
	const lm_scene_object* description = &world->scene->objects[object];
	const lm_mesh* mesh = painted_mesh(description); // as it was painted, where it was
	int32_t found = lm_mesh_find_group(mesh, name);
	if (found < 0)
		mesh = description->mesh, found = lm_mesh_find_group(mesh, name);
	if (found < 0)
		return no_group(description, name, error);
	double* own = LM_NEW(&world->host, mesh->vertex_count, double);
	if (own == NULL)
		return lm_fail_memory(error);
	values_of(mesh, &mesh->groups[found], own);
	status = spread(world, object, own, mesh->vertex_count, values, "", error);
	lm_free(&world->host, own);
	return status;
}

// ---- reading ----

static lm_status read_json(const lm_world* world, const char* path, json_t** root, lm_error* error)
{
	unsigned char* data;
	size_t size;
	lm_status status = lm_file_read(&world->host, path, LARGEST_FILE, &data, &size, error);
	if (status != LM_OK)
		return status;
	lm_error found = { .status = LM_BAD_INPUT };
	*root = lm_json_parse(path, (const char*)data, size, &found);
	lm_free(&world->host, data);
	if (*root == NULL)
	{
		if (error != NULL)
			*error = found;
		return found.status;
	}
	if (json_is_object(*root))
		return LM_OK;
	json_decref(*root);
	*root = NULL;
	return lm_fail_at(error, LM_BAD_INPUT, path, "", "holds no paint, must hold an object {\"name\": [numbers], ...}");
}

// *values is freed with lm_free.
static lm_status read_list(const lm_world* world, const char* path, const char* name, double** values, int64_t* count,
                           lm_error* error)
{
	json_t* root;
	lm_status status = read_json(world, path, &root, error);
	if (status != LM_OK)
		return status;
	json_t* list = json_object_get(root, name);
	*count = (int64_t)json_array_size(list);
	*values = LM_NEW(&world->host, *count, double);
	if (!json_is_array(list))
		status = lm_fail_at(error, LM_BAD_INPUT, path, "", "has no list of numbers \"%.60s\"", name);
	else if (*values == NULL)
		status = lm_fail_memory(error);
	for (int64_t v = 0; status == LM_OK && v < *count; ++v)
	{
		json_t* number = json_array_get(list, (size_t)v);
		(*values)[v] = json_number_value(number);
		if (!json_is_number(number))
			status = lm_fail_at(error, LM_BAD_INPUT, path, "", "has \"%.60s\" with no number at vertex %lld", name,
			                    (long long)v);
	}
	json_decref(root);
	if (status != LM_OK)
		lm_free(&world->host, *values);
	return status;
}

static lm_status read_mesh_group(const lm_world* world, const char* path, const char* name, double** values,
                                 int64_t* count, lm_error* error)
{
	lm_mesh* mesh;
	lm_status status = lm_mesh_read(path, &world->host, &mesh, error);
	if (status != LM_OK)
		return status;
	int32_t found = lm_mesh_find_group(mesh, name);
	*count = mesh->vertex_count;
	*values = found >= 0 ? LM_NEW(&world->host, *count, double) : NULL;
	if (found < 0)
		status = lm_fail_at(error, LM_BAD_INPUT, path, "", "has no group or property \"%.60s\"", name);
	else if (*values == NULL)
		status = lm_fail_memory(error);
	else
		values_of(mesh, &mesh->groups[found], *values);
	lm_mesh_destroy(mesh);
	return status;
}

lm_status lm_paint_read(const lm_world* world, int32_t object, const char* path, const char* name, double* values,
                        lm_error* error)
{
	lm_status status = lm_world_check_object(world, object, error);
	if (status != LM_OK)
		return status;
	double* own;
	int64_t count;
	status = lm_mesh_can_read(path) ? read_mesh_group(world, path, name, &own, &count, error)
	                                : read_list(world, path, name, &own, &count, error);
	if (status != LM_OK)
		return status;
	status = spread(world, object, own, count, values, path, error);
	lm_free(&world->host, own);
	return status;
}

// ---- writing ----

// Two digits of a percent are more than a brush can do.
static json_t* rounded(double value)
{
	double x = rint(1e4 * fmin(fmax(value, 0), 1)) / 1e4;
	return x == floor(x) ? json_integer((json_int_t)x) : json_real(x);
}

static lm_status make_list(const lm_world* world, int32_t object, const double* shown, json_t** list, lm_error* error)
{
	const lm_scene_object* description = &world->scene->objects[object];
	const lm_world_display* display = &world->displays[object];
	for (int64_t v = 0; v < display->mesh->vertex_count; ++v)
		if (!isfinite(shown[v]))
			return lm_fail(error, LM_BAD_INPUT, "the paint at vertex %lld is not a number", (long long)v);
	int32_t count = painted_mesh(description)->vertex_count;
	double* values = LM_NEW(&world->host, count, double);
	if (values == NULL)
		return lm_fail_memory(error);
	gather(display, shown, count, values);
	*list = json_array();
	for (int32_t v = 0; v < count; ++v)
		json_array_append_new(*list, rounded(values[v]));
	lm_free(&world->host, values);
	return LM_OK;
}

static lm_status write_json(const lm_world* world, const char* path, const json_t* root, lm_error* error)
{
	char* text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
	lm_status status = text != NULL ? lm_text_write(path, text, &world->host, error) : lm_fail_memory(error);
	free(text);
	return status;
}

lm_status lm_paint_write(const lm_world* world, int32_t object, const char* path, const char* name,
                         const double* values, lm_error* error)
{
	lm_status status = lm_world_check_object(world, object, error);
	if (status != LM_OK)
		return status;
	json_t *root = NULL, *list = NULL, *key = json_string(name);
	if (key == NULL || name[0] == 0)
	{
		json_decref(key);
		return lm_fail(error, LM_BAD_INPUT, "paint needs a name, in UTF-8");
	}
	json_decref(key);
	bool exists = access(path, F_OK) == 0;
	status = exists ? read_json(world, path, &root, error) : LM_OK;
	if (status == LM_OK && values != NULL)
		status = make_list(world, object, values, &list, error);
	if (status == LM_OK && !exists)
		root = json_object();
	if (status == LM_OK && list != NULL)
		json_object_set_new(root, name, list);
	else if (status == LM_OK)
		json_object_del(root, name);
	if (status == LM_OK)
		status = write_json(world, path, root, error);
	json_decref(root);
	return status;
}
