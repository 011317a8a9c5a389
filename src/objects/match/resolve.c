// resolve.c: what is particular to objects of the engine `match`: examples, and groups of regions.
#include "objects/match/match.h"
#include "scene/keys.h"

lm_element_kind lm_match_elements(const lm_scene_object* object, const lm_mesh* mesh)
{
	return object->lattice_off && mesh->tet_count == 0 ? LM_TRIANGLES : LM_TETRAHEDRA;
}

static void read_examples(lm_reader* reader, const lm_scene_body* body, lm_scene_match* match)
{
	size_t mark = lm_reader_enter(reader, "examples");
	for (int32_t i = 0; i < match->example_count && reader->status == LM_OK; ++i)
	{
		lm_scene_example* example = &match->examples[i];
		size_t item = lm_reader_enter_item(reader, i);
		example->answers = LM_GIVEN(lm_match_example_table, example, touching);
		if (!example->answers && LM_GIVEN(lm_match_example_table, example, ease))
			lm_problem_key(reader, "ease", "is given, but `touching` is not");
		if (example->file[0] != 0)
			example->mesh = lm_read_pose(reader, body, "mesh", example->file, "an example pose");
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

static void check_region_groups(lm_reader* reader, const lm_scene_body* body, lm_scene_match* match)
{
	bool given = LM_GIVEN(lm_match_table, match, groups);
	if (given && !LM_GIVEN(lm_match_table, match, locality))
		match->locality = LM_MATCH_GROUPS;
	bool chosen = lm_is_chosen((int)match->locality);
	if (match->locality == LM_MATCH_GROUPS && !given)
		lm_problem_key(reader, "groups", "is missing, must name the vertex groups, because locality is \"groups\"");
	if (chosen && match->locality != LM_MATCH_GROUPS && given)
		lm_problem_key(reader, "groups", "is given, but locality is not \"groups\"");
	bool* taken = lm_reader_take(reader, body->mesh != NULL ? (size_t)body->mesh->vertex_count : 1, sizeof *taken);
	size_t mark = lm_reader_enter(reader, "groups");
	for (int32_t i = 0; taken != NULL && i < match->group_count; ++i)
	{
		const char* name = match->groups[i];
		size_t item = lm_reader_enter_item(reader, i);
		if (name[0] != 0 && lm_read_has_group(reader, body, name) && body->mesh != NULL)
			take_vertices(reader, body->mesh, name, taken);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

static void check_regions(lm_reader* reader, const lm_scene_body* body, const lm_scene_match* match)
{
	int64_t members = 0;
	size_t mark = lm_reader_enter(reader, "regions");
	for (int32_t i = 0; i < match->region_count; ++i)
	{
		const char* name = match->regions[i];
		size_t item = lm_reader_enter_item(reader, i);
		if (name[0] != 0 && lm_read_has_group(reader, body, name) && body->mesh != NULL)
		{
			int64_t count = body->mesh->groups[lm_mesh_find_group(body->mesh, name)].count;
			members += count * count;
			if (members > LM_MATCH_MEMBERS)
				lm_problem(reader,
				           "is \"%.60s\" of %d vertices, must be smaller: the squares of all regions add up to at "
				           "most %d",
				           name, (int)count, LM_MATCH_MEMBERS);
		}
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	if (match->ring == 0 && match->region_count == 0)
		lm_problem_key(reader, "ring", "is 0, must be at least 1 unless `regions` are given");
}

void lm_match_resolve(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object)
{
	size_t mark = lm_reader_enter(reader, "match");
	check_region_groups(reader, body, object->match);
	check_regions(reader, body, object->match);
	read_examples(reader, body, object->match);
	lm_reader_leave(reader, mark);
}

void lm_match_release(lm_scene_object* object)
{
	for (int32_t i = 0; i < object->match->example_count; ++i)
		lm_mesh_destroy(object->match->examples[i].mesh);
}

lm_status lm_match_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error)
{
	(void)scene;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < object->match->example_count; ++i)
		status = lm_scene_check_pose(object, "an example", object->match->examples[i].mesh, error);
	return status;
}
