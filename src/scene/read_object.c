// read_object.c: objects: their simulation mesh (from tetrahedra, around a surface, or the triangles of a sheet), the
// surface that is shown, and the pose they start in.
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "scene/reader.h"
#include "scene/scene.h"
#include "scene/wrap.h"

#include <stdio.h>
#include <string.h>

// ---- the simulation mesh ----

// What is simulated of a mesh.
typedef enum element_kind
{
	EDGES,
	TRIANGLES,
	TETRAHEDRA // those of the mesh, or of a lattice around its triangles
} element_kind;

static element_kind wanted_elements(const lm_read_object* read, const lm_mesh* mesh)
{
	bool act = read->engine != NULL && strcmp(read->engine, "act") == 0;
	if (read->engine != NULL && (strcmp(read->engine, "track") == 0 || strcmp(read->engine, "design") == 0))
		return TRIANGLES;
	if (!act)
		return read->lattice_off && mesh->tet_count == 0 ? TRIANGLES : TETRAHEDRA;
	if (!lm_is_chosen((int)read->act.act.kind)) // what there is
		return mesh->tet_count > 0 || read->lattice_given ? TETRAHEDRA : mesh->triangle_count > 0 ? TRIANGLES : EDGES;
	switch (read->act.act.kind)
	{
		case LM_ACT_CURVE2: return EDGES;
		case LM_ACT_SOLID2:
		case LM_ACT_SHELL: return TRIANGLES;
		case LM_ACT_SOLID:
		case LM_ACT_SOLID_GREEN: break;
	}
	return TETRAHEDRA;
}

static bool has_area(const lm_mesh* mesh)
{
	double area = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		lm_vec3 a = lm_v3_at(mesh->positions, mesh->triangles[3 * t]);
		lm_vec3 b = lm_v3_at(mesh->positions, mesh->triangles[3 * t + 1]);
		lm_vec3 c = lm_v3_at(mesh->positions, mesh->triangles[3 * t + 2]);
		area += lm_length(lm_cross(lm_sub(b, a), lm_sub(c, a))) / 2;
	}
	return area > 0;
}

// Every vertex must belong to something that has mass.
static bool check_mass(lm_reader* reader, const lm_mesh* mesh, element_kind kind)
{
	static const char* const names[] = { "line", "triangle", "tetrahedron" };
	bool* used = lm_reader_take(reader, (size_t)mesh->vertex_count, sizeof *used);
	if (used == NULL)
		return false;
	const int32_t* lists[] = { mesh->edges, mesh->triangles, mesh->tets };
	const int64_t counts[] = { 2 * (int64_t)mesh->edge_count, 3 * (int64_t)mesh->triangle_count,
		                       4 * (int64_t)mesh->tet_count };
	for (int64_t i = 0; i < counts[kind]; ++i)
		used[lists[kind][i]] = true;
	if (kind == TRIANGLES && !has_area(mesh))
	{
		lm_problem_key(reader, "mesh", "has triangles without any area");
		return false;
	}
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		if (used[v])
			continue;
		lm_problem_key(reader, "mesh", "has a vertex %d that belongs to no %s, so it would weigh nothing", v,
		               names[kind]);
		return false;
	}
	return true;
}

// What the elements that are wanted need, as far as the mesh can tell.
static bool check_elements(lm_reader* reader, const lm_mesh* mesh, element_kind kind)
{
	if (kind == EDGES && mesh->edge_count == 0)
		lm_problem_key(reader, "mesh", "has no lines, must have some for a curve: l lines of .obj");
	else if (kind == TRIANGLES && mesh->triangle_count == 0)
		lm_problem_key(reader, "mesh", "has no triangles, must have some");
	else if (kind == TRIANGLES && mesh->tet_count > 0)
		lm_problem_key(reader, "mesh", "has tetrahedra, must have only triangles for this model");
	else if (mesh->tet_count == 0 && mesh->triangle_count == 0 && mesh->edge_count == 0)
		lm_problem_key(reader, "mesh", "has only vertices, must have tetrahedra or triangles");
	else if (kind == TETRAHEDRA && mesh->tet_count == 0 && mesh->triangle_count == 0)
		lm_problem_key(reader, "mesh", "has only lines, must have tetrahedra or triangles");
	else
		return true;
	return false;
}

static void check_lattice(lm_reader* reader, const lm_read_object* read, const lm_mesh* mesh, element_kind kind)
{
	bool given = read->lattice_given && !read->lattice_off;
	if (given && kind != TETRAHEDRA)
		lm_problem_key(reader, "lattice", "is given, but the model is simulated without one");
	else if (read->lattice_off && kind == TETRAHEDRA && mesh->tet_count == 0)
		lm_problem_key(reader, "lattice", "is false, but the model needs tetrahedra");
	else if (given && mesh->tet_count > 0)
		lm_problem_key(reader, "lattice", "is given, but the mesh has tetrahedra already");
	else if (read->lattice.size_given && read->lattice.vertices_given)
	{
		size_t mark = lm_reader_enter(reader, "lattice");
		lm_problem_key(reader, "vertices", "is given together with size; only one of them can be met");
		lm_reader_leave(reader, mark);
	}
}

// body->mesh, and body->skin when a surface was wrapped.
static void read_body(lm_reader* reader, const lm_read_object* read, lm_read_body* body)
{
	lm_mesh* mesh = lm_read_mesh(reader, "mesh", read->mesh, read->scale);
	if (mesh == NULL)
		return;
	element_kind kind = wanted_elements(read, mesh);
	lm_error error;
	lm_status status = lm_mesh_check(mesh, read->mesh, &error);
	if (status == LM_OK)
		status = lm_mesh_extract_surface(mesh, &error);
	if (status != LM_OK)
		lm_problem_from(reader, "mesh", &error);
	else if (check_elements(reader, mesh, kind))
	{
		check_lattice(reader, read, mesh, kind);
		if (kind == TETRAHEDRA && mesh->tet_count == 0)
			lm_wrap(reader, &read->lattice.settings, mesh, body);
		else if (check_mass(reader, mesh, kind))
			body->mesh = mesh;
	}
	if (body->mesh != mesh && body->skin != mesh)
		lm_mesh_destroy(mesh);
}

// ---- poses ----

// Whether two lists of elements join the same vertices, in any order within an element: readers turn tetrahedra round.
static bool same_elements(const int32_t* a, const int32_t* b, int32_t count, int corners, int32_t* first)
{
	for (*first = 0; *first < count; ++*first)
		for (int i = 0; i < corners; ++i)
		{
			const int32_t *p = a + (int64_t)corners * *first, *q = b + (int64_t)corners * *first;
			bool found = false;
			for (int j = 0; j < corners; ++j)
				found |= p[i] == q[j];
			if (!found)
				return false;
		}
	return true;
}

// A pose that has elements of its own must have those of the mesh.
static void check_topology(lm_reader* reader, const char* key, const lm_mesh* pose, const lm_mesh* mesh,
                           const char* what)
{
	bool solid = pose->tet_count > 0 && mesh->tet_count > 0,
		 sheet = pose->triangle_count > 0 && mesh->triangle_count > 0;
	int corners = solid ? 4 : 3;
	int32_t first = 0, mine = solid ? pose->tet_count : pose->triangle_count;
	int32_t its = solid ? mesh->tet_count : mesh->triangle_count;
	const char* kind = solid ? "tetrahedra" : "triangles";
	if (!solid && (!sheet || pose->tet_count > 0 || mesh->tet_count > 0))
		return;
	if (mine != its)
		lm_problem_key(reader, key, "has %d %s, the mesh has %d: %s must be the same mesh, moved", mine, kind, its,
		               what);
	else if (!same_elements(solid ? pose->tets : pose->triangles, solid ? mesh->tets : mesh->triangles, its, corners,
	                        &first))
		lm_problem_key(reader, key,
		               "joins other vertices than the mesh (%s, number %d): %s must be the same mesh, moved", kind,
		               first, what);
}

static double diagonal(const lm_mesh* mesh)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	return lm_distance(lm_v3_at(low, 0), lm_v3_at(high, 0));
}

// Possible, but hardly meant: centimetres beside metres.
static void warn_of_units(lm_reader* reader, const char* key, const lm_mesh* mesh, const lm_mesh* rest)
{
	double size = diagonal(mesh), usual = diagonal(rest);
	if (size <= 20 * usual && usual <= 20 * size)
		return;
	size_t mark = lm_reader_enter(reader, key);
	lm_log(&reader->host, LM_LOG_WARNING, "%s: %s: is %.3g m large and the mesh %.3g m: is it in other units?",
	       reader->file, reader->path, size, usual);
	lm_reader_leave(reader, mark);
}

lm_mesh* lm_read_pose(lm_reader* reader, const lm_read_body* body, const char* key, const char* name, const char* what)
{
	lm_mesh* pose = lm_read_mesh(reader, key, name, body->scale);
	if (pose == NULL || body->mesh == NULL)
		return pose;
	warn_of_units(reader, key, pose, body->mesh);
	if (pose->vertex_count == body->mesh->vertex_count)
	{
		check_topology(reader, key, pose, body->mesh, what);
		return pose;
	}
	lm_mesh* carried = NULL;
	if (body->map != NULL && pose->vertex_count == lm_binding_get(body->map).point_count)
		carried = lm_read_lifted(reader, body, pose);
	else if (body->map != NULL)
		lm_problem_key(reader, key,
		               "has %d vertices, the mesh has %d and %d when subdivided: %s must be one of these, moved",
		               pose->vertex_count, lm_binding_get(body->map).point_count, body->mesh->vertex_count, what);
	else if (body->skin == NULL)
		lm_problem_key(reader, key, "has %d vertices, the mesh has %d: %s must be the same mesh, moved",
		               pose->vertex_count, body->mesh->vertex_count, what);
	else if (pose->vertex_count == body->skin->vertex_count)
	{
		check_topology(reader, key, pose, body->skin, what);
		carried = lm_wrap_pose(reader, body, pose);
	}
	else
		lm_problem_key(reader, key,
		               "has %d vertices, the surface has %d and its lattice %d: %s must be one of these, moved",
		               pose->vertex_count, body->skin->vertex_count, body->mesh->vertex_count, what);
	lm_mesh_destroy(pose);
	return carried;
}

// ---- the object ----

static char* path_text(lm_reader* reader, lm_scene* scene, const char* name)
{
	const char* path = name != NULL ? lm_reader_beside(reader, name) : "";
	char* text = path != NULL ? lm_scene_text(scene, path) : NULL;
	if (text == NULL)
		lm_reader_no_memory(reader);
	return text;
}

// The plain values, while names and engine settings stay what lm_scene_add_object made them.
static void copy_plain(const lm_read_object* read, lm_scene_object* object)
{
	lm_scene_object made = *object;
	*object = read->object;
	object->name = made.name;
	object->engine = made.engine;
	object->match = made.match;
	object->act = made.act;
	object->track = made.track;
	object->design = made.design;
	if (!read->density_given)
		object->density = made.density;
}

static void check_step(lm_reader* reader, const lm_scene* scene, const lm_scene_object* object)
{
	double step = 1 / (scene->fps * object->substeps);
	if (step > 0.1)
		lm_problem_key(reader, "substeps", "is %d, which makes steps of %.3g s; at %g fps it must be at least %g",
		               object->substeps, step, scene->fps, ceil(10 / scene->fps));
}

// Settings of an engine that does not move the object would be ignored.
static void check_engine(lm_reader* reader, const lm_read_object* read)
{
	const struct
	{
		const char* name;
		bool given;
	} settings[] = {
		{ "match", read->match_given },
		{ "act", read->act_given },
		{ "track", read->track_given },
		{ "design", read->design_given },
	};
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i)
		if (settings[i].given && read->engine != NULL && strcmp(read->engine, settings[i].name) != 0)
			lm_problem_key(reader, settings[i].name, "is given, but the engine is \"%s\"", read->engine);
}

void lm_read_object_into(lm_reader* reader, const lm_read_object* read, int32_t index, lm_scene* scene)
{
	char name[32];
	snprintf(name, sizeof name, "object%d", index);
	const char* engine = read->engine != NULL ? read->engine : "match";
	lm_scene_object* object = lm_scene_add_object(scene, read->name != NULL ? read->name : name, engine);
	if (object == NULL)
	{
		lm_reader_no_memory(reader);
		return;
	}
	lm_free(&scene->host, object->mesh_path);
	lm_free(&scene->host, object->surface_path);
	copy_plain(read, object);
	object->mesh_path = path_text(reader, scene, read->mesh);
	object->surface_path = path_text(reader, scene, read->surface);
	lm_read_body body = { .scene = scene, .scale = read->scale };
	if (read->mesh != NULL)
		read_body(reader, read, &body);
	if (object->track != NULL && body.mesh != NULL)
		lm_read_subdivided(reader, &body, &read->track, object->track);
	object->mesh = body.mesh;
	object->surface = body.skin;
	if (read->surface != NULL)
	{
		// The skin stays at hand for poses, but another surface is shown.
		object->surface = lm_read_triangles(reader, "surface", read->surface, read->scale, false, "must be a surface");
		if (object->surface != NULL && body.mesh != NULL)
			warn_of_units(reader, "surface", object->surface, body.mesh);
		if (object->act != NULL && read->act.act.kind == LM_ACT_CURVE2)
			lm_problem_key(reader, "surface", "is given, but a curve is shown as it is");
	}
	check_step(reader, scene, object);
	check_engine(reader, read);
	lm_read_groups(reader, &body, read);
	if (read->start != NULL)
		object->start_pose = lm_read_pose(reader, &body, "start", read->start, "a start pose");
	lm_read_actions(reader, &body, read, object);
	if (object->match != NULL)
	{
		size_t mark = lm_reader_enter(reader, "match");
		lm_read_match_into(reader, &body, &read->match, object->match);
		lm_reader_leave(reader, mark);
	}
	if (object->act != NULL)
		lm_read_act_into(reader, &body, &read->act, object);
	if (object->track != NULL)
		lm_read_track_into(reader, &body, read, object);
	if (object->design != NULL)
		lm_read_design_into(reader, &body, read, object);
	if (read->surface != NULL)
		lm_mesh_destroy(body.skin);
}
