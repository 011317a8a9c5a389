// read_groups.c: named sets of vertices: lists in the scene, boxes, groups of other meshes, lists in JSON files.
#include "base/file.h"
#include "format/fill.h"
#include "format/suggest.h"
#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

// The names of the groups, for messages.
static void list_groups(const lm_mesh* mesh, char* text, size_t capacity)
{
	size_t used = (size_t)snprintf(text, capacity, mesh->group_count > 0 ? "; it has" : "; it has none");
	for (int32_t i = 0; i < mesh->group_count && used < capacity; ++i)
	{
		bool fits = used + strlen(mesh->groups[i].name) + 10 < capacity;
		used += (size_t)snprintf(text + used, capacity - used, fits ? "%s \"%s\"" : "%s ...", i > 0 ? "," : "",
		                         mesh->groups[i].name);
		if (!fits)
			return;
	}
}

bool lm_read_has_group(lm_reader* reader, const lm_scene_body* body, const char* name)
{
	if (body->mesh == NULL || lm_mesh_find_group(body->mesh, name) >= 0)
		return true;
	lm_suggestion suggestion = lm_suggest(name);
	for (int32_t i = 0; i < body->mesh->group_count; ++i)
		lm_suggest_try(&suggestion, body->mesh->groups[i].name);
	char hint[160];
	lm_suggest_text(&suggestion, hint, sizeof hint);
	if (suggestion.best == NULL)
		list_groups(body->mesh, hint, sizeof hint);
	lm_problem(reader, "is \"%.60s\", but the mesh has no such group%s", name, hint);
	return false;
}

static void set_group(lm_reader* reader, const lm_scene_body* body, const char* name, const int32_t* vertices,
                      int32_t count)
{
	lm_error error;
	if (lm_mesh_set_group(body->mesh, name, vertices, count, &error) != LM_OK)
		lm_problem_from(reader, name, &error);
}

// Vertices as the scene counts them; loose ones of a mesh that was repaired are left out.
static void set_listed(lm_reader* reader, const lm_scene_body* body, const char* name, const int32_t* listed,
                       int32_t count)
{
	int32_t *vertices = lm_reader_take(reader, (size_t)count, sizeof *vertices), taken = 0,
			all = lm_read_vertex_count(body);
	for (int32_t i = 0; vertices != NULL && i < count; ++i)
	{
		if (listed[i] < 0 || listed[i] >= all)
		{
			lm_problem(reader, "names vertex %d, but the mesh has %d, counted from 0", listed[i], all);
			return;
		}
		int32_t vertex = lm_read_vertex(body, listed[i]);
		if (vertex >= 0)
			vertices[taken++] = vertex;
	}
	if (vertices != NULL)
		set_group(reader, body, name, vertices, taken);
}

static void group_from_box(lm_reader* reader, const lm_scene_body* body, const lm_scene_group* group)
{
	int32_t* vertices = lm_reader_take(reader, (size_t)body->mesh->vertex_count, sizeof *vertices);
	if (vertices == NULL)
		return;
	int32_t count = 0;
	for (int32_t v = 0; v < body->mesh->vertex_count; ++v)
	{
		const double* x = body->mesh->positions + 3 * (int64_t)v;
		bool inside = true;
		for (int i = 0; i < 3; ++i)
			inside &= x[i] >= group->box[0][i] && x[i] <= group->box[1][i];
		if (inside)
			vertices[count++] = v;
	}
	if (count == 0)
	{
		double low[3], high[3];
		lm_mesh_bounds(body->mesh->positions, body->mesh->vertex_count, low, high);
		lm_problem_key(reader, "box", "holds no vertex; the mesh reaches from [%g, %g, %g] to [%g, %g, %g]", low[0],
		               low[1], low[2], high[0], high[1], high[2]);
		return;
	}
	set_group(reader, body, group->name, vertices, count);
}

// ---- groups in files ----

static void unknown_in_file(lm_reader* reader, const char* key, const char* name, const lm_suggestion* suggestion)
{
	char hint[100];
	lm_suggest_text(suggestion, hint, sizeof hint);
	lm_problem_key(reader, key, "has no group \"%.60s\"%s", name, hint);
}

static void group_from_json(lm_reader* reader, const lm_scene_body* body, const lm_scene_group* group, json_t* root)
{
	const char* name = group->group[0] != 0 ? group->group : group->name;
	json_t* list = json_object_get(root, name);
	if (list == NULL)
	{
		lm_suggestion suggestion = lm_suggest(name);
		const char* other;
		json_t* value;
		json_object_foreach(root, other, value) lm_suggest_try(&suggestion, other);
		unknown_in_file(reader, "file", name, &suggestion);
		return;
	}
	size_t count = json_array_size(list);
	int32_t* vertices = count > 0 ? lm_reader_take(reader, count, sizeof *vertices) : NULL;
	bool good = count > 0;
	for (size_t i = 0; vertices != NULL && i < count; ++i)
	{
		json_t* item = json_array_get(list, i);
		bool index = json_is_integer(item) && json_integer_value(item) >= 0 && json_integer_value(item) <= INT32_MAX;
		vertices[i] = index ? (int32_t)json_integer_value(item) : -1;
		good &= index;
	}
	if (!good)
		lm_problem_key(reader, "file", "has \"%.60s\", which must be a list of vertices, counted from 0", name);
	else if (vertices != NULL)
		set_listed(reader, body, group->name, vertices, (int32_t)count);
}

static void group_from_json_file(lm_reader* reader, const lm_scene_body* body, const lm_scene_group* group)
{
	json_t* root = lm_read_json(reader, "file", group->file);
	if (root != NULL && !json_is_object(root))
		lm_problem_key(reader, "file", "holds %s, must hold an object {\"name\": [vertices], ...}", lm_json_kind(root));
	else if (root != NULL && body->mesh != NULL)
		group_from_json(reader, body, group, root);
	json_decref(root);
}

static void paint_group(lm_reader* reader, lm_mesh* mesh, const char* name, const double* weights)
{
	lm_error error;
	if (lm_mesh_paint_group(mesh, name, weights, &error) != LM_OK)
		lm_problem_from(reader, name, &error);
}

// Vertices of the lattice whose nearest vertex of the skin (or shown surface) is in the group, with its weight.
static void carry_group(lm_reader* reader, const lm_scene_body* body, const lm_mesh* from, const int32_t* nearest,
                        const lm_group* group, const char* name)
{
	size_t simulated = (size_t)body->mesh->vertex_count;
	double* weights = lm_reader_take(reader, (size_t)from->vertex_count, sizeof *weights);
	double* carried = lm_reader_take(reader, simulated, sizeof *carried);
	int32_t *vertices = lm_reader_take(reader, simulated, sizeof *vertices), count = 0;
	if (weights == NULL || carried == NULL || vertices == NULL)
		return;
	for (int32_t i = 0; i < group->count; ++i)
		weights[group->vertices[i]] = 1;
	lm_read_carry(body, from, nearest, group->weights != NULL ? group->weights : weights, carried);
	for (size_t v = 0; v < simulated; ++v)
		if (carried[v] >= 0.5)
			vertices[count++] = (int32_t)v;
	if (group->weights != NULL)
		paint_group(reader, body->mesh, name, carried);
	else
		set_group(reader, body, name, vertices, count);
}

static void take_group(lm_reader* reader, const lm_scene_body* body, const lm_group* group, const char* name)
{
	if (group->weights != NULL)
		paint_group(reader, body->mesh, name, group->weights);
	else
		set_group(reader, body, name, group->vertices, group->count);
}

static void group_from_mesh(lm_reader* reader, const lm_scene_body* body, const lm_scene_group* group)
{
	const char* name = group->group[0] != 0 ? group->group : group->name;
	lm_mesh* mesh = lm_read_mesh(reader, "file", group->file, body->scale); // only its groups matter
	if (mesh == NULL)
		return;
	int32_t found = lm_mesh_find_group(mesh, name);
	if (found < 0)
	{
		lm_suggestion suggestion = lm_suggest(name);
		for (int32_t i = 0; i < mesh->group_count; ++i)
			lm_suggest_try(&suggestion, mesh->groups[i].name);
		unknown_in_file(reader, "file", name, &suggestion);
	}
	else if (body->mesh != NULL && mesh->vertex_count == body->mesh->vertex_count)
		take_group(reader, body, &mesh->groups[found], group->name);
	else if (body->repair != NULL && body->map == NULL && mesh->vertex_count == body->repair->vertex_count)
		set_listed(reader, body, group->name, mesh->groups[found].vertices, mesh->groups[found].count);
	else if (body->skin != NULL && mesh->vertex_count == body->skin->vertex_count)
		carry_group(reader, body, body->skin, body->nearest, &mesh->groups[found], group->name);
	else if (body->surface != NULL && mesh->vertex_count == body->surface->vertex_count)
		carry_group(reader, body, body->surface, body->surface_nearest, &mesh->groups[found], group->name);
	else if (body->mesh != NULL)
		lm_problem_key(reader, "file", "has %d vertices, the mesh has %d: a group must come from the same mesh",
		               mesh->vertex_count, (body->skin != NULL ? body->skin : body->mesh)->vertex_count);
	lm_mesh_destroy(mesh);
}

// Weights painted on the shown surface are kept there as well, where they can be changed.
static void group_from_weights(lm_reader* reader, const lm_scene_body* body, const lm_scene_group* group,
                               lm_mesh* shown)
{
	const char* name = group->group[0] != 0 ? group->group : group->name;
	const lm_mesh* painted;
	const double *original, *carried;
	carried = lm_read_weights(reader, body, "weights", group->weights, name, 1, &painted, &original);
	if (carried == NULL)
		return;
	paint_group(reader, body->mesh, group->name, carried);
	if (shown != NULL && painted == shown)
		paint_group(reader, shown, group->name, original);
}

static void read_group(lm_reader* reader, const lm_scene_body* body, const lm_scene_group* group, lm_mesh* shown)
{
	bool file = LM_GIVEN(lm_group_table, group, file), box = LM_GIVEN(lm_group_table, group, box);
	bool weights = LM_GIVEN(lm_group_table, group, weights);
	int given = LM_GIVEN(lm_group_table, group, vertices) + file + weights + box;
	if (given != 1)
		lm_problem(reader, "has %s of vertices, file, weights and box, must have one", given == 0 ? "none" : "several");
	else if (LM_GIVEN(lm_group_table, group, group) && !file && !weights)
		lm_problem_key(reader, "group", "is given without a file to take it from");
	else if (group->weights[0] != 0)
		group_from_weights(reader, body, group, shown);
	else if (group->file[0] != 0)
	{
		if (lm_same_ending(group->file, "json"))
			group_from_json_file(reader, body, group);
		else
			group_from_mesh(reader, body, group);
	}
	else if (body->mesh == NULL)
		return;
	else if (group->vertices != NULL)
		set_listed(reader, body, group->name, group->vertices, group->count);
	else if (box)
		group_from_box(reader, body, group);
}

// Whether something is painted on the surface that is shown, or may be.
static bool is_painted(const lm_scene_object* object)
{
	bool painted = object->surface != NULL && object->surface->group_count > 0;
	for (int32_t i = 0; i < object->group_count; ++i)
		painted |= object->groups[i].weights[0] != 0 || object->groups[i].file[0] != 0;
	return painted;
}

// Groups of the mesh that was wrapped reach the simulated vertices, and those of another surface that is shown, where
// there is none of that name.
static void carry_groups(lm_reader* reader, lm_scene_body* body, const lm_scene_object* object)
{
	const lm_mesh *skin = body->skin, *other = object->surface != skin ? object->surface : NULL;
	if (other == body->found)
		other = NULL; // its groups came with it
	for (int32_t i = 0; skin != NULL && i < skin->group_count; ++i)
		carry_group(reader, body, skin, body->nearest, &skin->groups[i], skin->groups[i].name);
	bool bound = body->mesh->tet_count > 0 || body->mesh->triangle_count > 0;
	if (other == NULL || !bound || !is_painted(object))
		return;
	lm_read_bind_surface(reader, body, other);
	for (int32_t i = 0; body->surface != NULL && i < other->group_count; ++i)
		if (lm_mesh_find_group(body->mesh, other->groups[i].name) < 0)
			carry_group(reader, body, other, body->surface_nearest, &other->groups[i], other->groups[i].name);
}

void lm_read_groups(lm_reader* reader, lm_scene_body* body, lm_scene_object* object)
{
	if (body->mesh != NULL)
		carry_groups(reader, body, object);
	size_t mark = lm_reader_enter(reader, "groups");
	for (int32_t i = 0; i < object->group_count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter(reader, object->groups[i].name);
		read_group(reader, body, &object->groups[i], object->surface);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

double* lm_read_density(lm_reader* reader, const lm_scene_body* body, const lm_scene_denser* denser, int32_t count)
{
	if (count == 0 || body->mesh == NULL)
		return NULL;
	double* density = lm_reader_keep(reader, (size_t)body->mesh->vertex_count, sizeof *density);
	if (density == NULL)
		return NULL;
	for (int32_t v = 0; v < body->mesh->vertex_count; ++v)
		density[v] = 1;
	size_t mark = lm_reader_enter(reader, "denser");
	for (int32_t i = 0; i < count; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i), key = lm_reader_enter(reader, "group");
		const char* name = denser[i].group;
		if (name[0] != 0 && lm_read_has_group(reader, body, name))
		{
			const lm_group* group = &body->mesh->groups[lm_mesh_find_group(body->mesh, name)];
			for (int32_t k = 0; k < group->count; ++k)
				density[group->vertices[k]] = denser[i].density;
		}
		lm_reader_leave(reader, key), lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	return density;
}
