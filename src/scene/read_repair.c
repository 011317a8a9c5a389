// read_repair.c: meshes as they are found (lm_mesh_repair): what is said of the vertices of the file, for those that
// are simulated. Both have the same number where nothing was wrong.
#include "base/error.h"
#include "math/vec.h"
#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

static void tell(lm_reader* reader, const lm_repair* r)
{
	const struct
	{
		int32_t count;
		const char *one, *several;
	} faults[] = { { r->doubled.count, "doubled vertex is welded", "doubled vertices are welded" },
		           { r->flat.count, "triangle without area is ignored", "triangles without area are ignored" },
		           { r->repeated.count, "repeated triangle is ignored", "repeated triangles are ignored" },
		           { r->loose.count, "loose vertex rides along", "loose vertices ride along" } };
	char text[240] = "";
	size_t used = 0;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i)
		if (faults[i].count > 0)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s", used > 0 ? ", " : "", faults[i].count,
			                         faults[i].count == 1 ? faults[i].one : faults[i].several);
	lm_log(&reader->host, LM_LOG_WARNING,
	       "%s: %s.mesh: %s; `limber check --json` lists them, \"repair\": false refuses them", reader->file,
	       reader->path, text);
}

bool lm_read_repair(lm_reader* reader, lm_scene_body* body, lm_mesh** mesh)
{
	lm_error error;
	lm_status status = lm_mesh_repair(*mesh, &reader->host, &body->repair, &error);
	if (status != LM_OK)
		lm_problem_from(reader, "mesh", &error);
	if (status != LM_OK || body->repair == NULL)
		return status == LM_OK;
	lm_mesh* good = lm_mesh_copy(body->repair->mesh, &reader->host);
	if (good == NULL)
	{
		lm_reader_no_memory(reader);
		return false;
	}
	body->found = *mesh;
	*mesh = good;
	tell(reader, body->repair);
	return true;
}

static bool is_of_file(const lm_scene_body* body, int64_t count)
{
	return body->repair != NULL && count == body->repair->vertex_count;
}

int32_t lm_read_vertex_count(const lm_scene_body* body)
{
	return body->repair != NULL && body->map == NULL ? body->repair->vertex_count : body->mesh->vertex_count;
}

int32_t lm_read_vertex(const lm_scene_body* body, int32_t vertex)
{
	return body->repair != NULL && body->map == NULL ? body->repair->place[vertex] : vertex;
}

lm_mesh* lm_read_repair_pose(lm_reader* reader, const lm_scene_body* body, lm_mesh* pose)
{
	if (pose == NULL || !is_of_file(body, pose->vertex_count))
		return pose;
	lm_mesh* good = lm_mesh_copy(body->repair->mesh, &reader->host);
	if (good == NULL)
		lm_reader_no_memory(reader);
	for (int32_t v = 0; good != NULL && v < good->vertex_count; ++v)
		lm_v3_store(good->positions, v, lm_v3_at(pose->positions, body->repair->kept[v]));
	lm_mesh_destroy(pose);
	return good;
}

bool lm_read_repair_frames(const lm_scene_body* body, double* frames, int32_t count, int32_t* vertex_count)
{
	if (!is_of_file(body, *vertex_count))
		return false;
	const lm_repair* r = body->repair;
	int64_t at = 0;
	for (int64_t frame = 0; frame < count; ++frame) // in place: every vertex moves forward
		for (int32_t v = 0; v < r->mesh->vertex_count; ++v)
			lm_v3_store(frames, at++, lm_v3_at(frames, frame * r->vertex_count + r->kept[v]));
	*vertex_count = r->mesh->vertex_count;
	return true;
}

// The largest of a place.
bool lm_read_repair_values(const lm_scene_body* body, double* values, size_t* count)
{
	if (!is_of_file(body, (int64_t)*count))
		return false;
	const lm_repair* r = body->repair;
	for (int32_t v = 0; v < r->vertex_count; ++v)
		if (r->place[v] >= 0)
		{
			double* kept = &values[r->kept[r->place[v]]];
			*kept = fmax(*kept, values[v]);
		}
	for (int32_t v = 0; v < r->mesh->vertex_count; ++v)
		values[v] = values[r->kept[v]];
	*count = (size_t)r->mesh->vertex_count;
	return true;
}
