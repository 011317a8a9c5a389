// read_match.c: what is particular to objects of the engine `match`: examples, and groups of regions.
#include "base/alloc.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <string.h>

static void read_examples(lm_reader* reader, const lm_read_body* body, const lm_read_match* read, lm_scene_match* match)
{
	if (read->example_count == 0)
		return;
	match->examples = lm_scene_memory(body->scene, (size_t)read->example_count, sizeof *match->examples);
	if (match->examples == NULL)
	{
		lm_reader_no_memory(reader);
		return;
	}
	match->example_count = read->example_count;
	size_t mark = lm_reader_enter(reader, "examples");
	for (int32_t i = 0; i < read->example_count && reader->status == LM_OK; ++i)
	{
		lm_scene_example* example = &match->examples[i];
		size_t item = lm_reader_enter_item(reader, i);
		if (read->examples[i].mesh != NULL)
		{
			const char* path = lm_reader_beside(reader, read->examples[i].mesh);
			example->path = path != NULL ? lm_scene_text(body->scene, path) : NULL;
			if (example->path == NULL)
				lm_reader_no_memory(reader);
			example->mesh = lm_read_pose(reader, body, "mesh", read->examples[i].mesh, "an example pose");
		}
		example->strength = lm_read_keyed(reader, body->scene, &read->examples[i].strength, 1, 1);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

// A vertex in several groups follows the first of them (groups of faces share the vertices of their seam), but a group
// that is left with none is a mistake.
static void take_vertices(lm_reader* reader, const lm_mesh* mesh, const char* name, bool* taken)
{
	const lm_group* group = &mesh->groups[lm_mesh_find_group(mesh, name)];
	bool own = false;
	for (int32_t k = 0; k < group->count; ++k)
	{
		own |= !taken[group->vertices[k]];
		taken[group->vertices[k]] = true;
	}
	if (!own)
		lm_problem(reader, "is \"%.60s\", but all its vertices are in groups before it; each follows the first", name);
}

static void read_region_groups(lm_reader* reader, const lm_read_body* body, const lm_read_match* read,
                               lm_scene_match* match)
{
	if (read->groups_given && !read->locality_given)
		match->locality = LM_MATCH_GROUPS;
	bool chosen = lm_is_chosen((int)match->locality);
	if (match->locality == LM_MATCH_GROUPS && !read->groups_given)
		lm_problem_key(reader, "groups", "is missing, must name the vertex groups, because locality is \"groups\"");
	if (chosen && match->locality != LM_MATCH_GROUPS && read->groups_given)
		lm_problem_key(reader, "groups", "is given, but locality is not \"groups\"");
	if (read->group_count == 0)
		return;
	match->groups = lm_scene_memory(body->scene, (size_t)read->group_count, sizeof *match->groups);
	if (match->groups == NULL)
	{
		lm_reader_no_memory(reader);
		return;
	}
	match->group_count = read->group_count;
	bool* taken = lm_reader_take(reader, body->mesh != NULL ? (size_t)body->mesh->vertex_count : 1, sizeof *taken);
	size_t mark = lm_reader_enter(reader, "groups");
	for (int32_t i = 0; i < read->group_count; ++i)
	{
		if (read->groups[i] == NULL)
			continue;
		size_t item = lm_reader_enter_item(reader, i);
		if (lm_read_has_group(reader, body, read->groups[i]) && body->mesh != NULL && taken != NULL)
			take_vertices(reader, body->mesh, read->groups[i], taken);
		match->groups[i] = lm_scene_text(body->scene, read->groups[i]);
		if (match->groups[i] == NULL)
			lm_reader_no_memory(reader);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

void lm_read_match_into(lm_reader* reader, const lm_read_body* body, const lm_read_match* read, lm_scene_match* match)
{
	*match = read->match;
	if (!read->gravity_given)
		memcpy(match->settings.gravity, body->scene->gravity, sizeof match->settings.gravity);
	read_region_groups(reader, body, read, match);
	read_examples(reader, body, read, match);
}
