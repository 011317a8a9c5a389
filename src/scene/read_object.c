// read_object.c: objects: their simulation mesh (from tetrahedra, around a surface, or the triangles of a sheet), the
// surface that is shown, and the pose they start in.
#include "base/alloc.h"
#include "base/error.h"
#include "format/color.h"
#include "limber/act_character.h"
#include "math/vec.h"
#include "mesh/wrap.h"
#include "scene/engine.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

// ---- the simulation mesh ----

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
static bool check_mass(lm_reader* reader, const lm_mesh* mesh, lm_element_kind kind)
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
	if (kind == LM_TRIANGLES && !has_area(mesh))
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

// What the elements that are wanted need, as far as the mesh is known.
static bool check_elements(lm_reader* reader, const lm_mesh* mesh, lm_element_kind kind)
{
	if (kind == LM_EDGES && mesh->edge_count == 0)
		lm_problem_key(reader, "mesh", "has no lines, must have some for a curve: l lines of .obj");
	else if (kind == LM_TRIANGLES && mesh->triangle_count == 0)
		lm_problem_key(reader, "mesh", "has no triangles, must have some");
	else if (kind == LM_TRIANGLES && mesh->tet_count > 0)
		lm_problem_key(reader, "mesh", "has tetrahedra, must have only triangles for this model");
	else if (mesh->tet_count == 0 && mesh->triangle_count == 0 && mesh->edge_count == 0)
		lm_problem_key(reader, "mesh", "has only vertices, must have tetrahedra or triangles");
	else if (kind == LM_TETRAHEDRA && mesh->tet_count == 0 && mesh->triangle_count == 0)
		lm_problem_key(reader, "mesh", "has only lines, must have tetrahedra or triangles");
	else
		return true;
	return false;
}

static void check_lattice(lm_reader* reader, const lm_scene_object* object, const lm_mesh* mesh, lm_element_kind kind)
{
	const lm_scene_lattice* lattice = &object->lattice;
	bool given = LM_GIVEN(lm_object_table, object, lattice) && !object->lattice_off;
	if (given && kind != LM_TETRAHEDRA)
		lm_problem_key(reader, "lattice", "is given, but the model is simulated without one");
	else if (object->lattice_off && kind == LM_TETRAHEDRA && mesh->tet_count == 0)
		lm_problem_key(reader, "lattice", "is false, but the model needs tetrahedra");
	else if (given && mesh->tet_count > 0)
		lm_problem_key(reader, "lattice", "is given, but the mesh has tetrahedra already");
	else if (LM_GIVEN(lm_lattice_table, lattice, settings.size) &&
	         LM_GIVEN(lm_lattice_table, lattice, settings.vertices))
	{
		size_t mark = lm_reader_enter(reader, "lattice");
		lm_problem_key(reader, "vertices", "is given together with size; only one of them can be met");
		lm_reader_leave(reader, mark);
	}
}

#define LM_FITTED_MOST 3000 // vertices of a lattice that fits without being asked for

// A lattice that follows the surface; its mesh is a copy.
static lm_status make_fitted(lm_reader* reader, const lm_lattice_settings* settings, const lm_mesh* surface,
                             lm_scene_body* body, lm_mesh** mesh, lm_error* error)
{
	lm_status status = reader->sources->files->make_fitted(surface, settings, &reader->host, &body->fitted, error);
	if (status == LM_OK)
		*mesh = lm_mesh_copy(body->fitted->mesh, &reader->host);
	return status == LM_OK && *mesh == NULL ? lm_fail_memory(error) : status;
}

static bool asks_for_fitted(const lm_scene_object* object)
{
	return object->lattice.fit || lm_object_is_character(object);
}

// Where nothing is said, lattices fit the surface. Fine ones are close to it as they are, and would take long.
static bool may_be_fitted(const lm_scene_object* object, const lm_lattice_settings* settings)
{
	return !LM_GIVEN(lm_lattice_table, &object->lattice, fit) && settings->vertices <= LM_FITTED_MOST;
}

// What the lattice is like where nothing is said: that of a character is small, and has legs.
static lm_lattice_settings lattice_of(const lm_scene_object* object)
{
	lm_lattice_settings settings = object->lattice.settings;
	if (!lm_object_is_character(object))
		return settings;
	if (!LM_GIVEN(lm_lattice_table, &object->lattice, settings.vertices))
		settings.vertices = LM_CHARACTER_VERTICES;
	if (!LM_GIVEN(lm_lattice_table, &object->lattice, settings.legs))
		settings.legs = true;
	return settings;
}

// The simulation mesh around a surface, which becomes the skin.
static void wrap(lm_reader* reader, const lm_scene_object* object, lm_mesh* surface, lm_scene_body* body)
{
	lm_mesh* mesh = NULL;
	lm_error error;
	lm_lattice_settings settings = lattice_of(object);
	bool asked = asks_for_fitted(object), fitted = asked || may_be_fitted(object, &settings);
	lm_status status = fitted ? make_fitted(reader, &settings, surface, body, &mesh, &error) : LM_OK;
	if (!fitted || (!asked && status == LM_BAD_INPUT)) // surfaces that are open or thin can be surrounded all the same
		status = reader->sources->files->make_lattice(surface, &settings, &reader->host, &mesh, &error);
	if (status == LM_OK)
		status = lm_mesh_extract_surface(mesh, &error);
	if (status == LM_OK && !lm_progress(&reader->host, "lattice", 1))
		status = lm_fail(&error, LM_CANCELLED, "cancelled");
	int32_t* nearest = status == LM_OK ? lm_reader_take(reader, (size_t)mesh->vertex_count, sizeof *nearest) : NULL;
	if (nearest != NULL)
		status = lm_wrap_nearest(mesh, surface, &reader->host, nearest, &error);
	if (status != LM_OK)
		lm_problem_from(reader, "mesh", &error);
	if (status != LM_OK || nearest == NULL)
	{
		lm_mesh_destroy(mesh);
		return;
	}
	body->mesh = mesh;
	body->skin = surface;
	body->nearest = nearest;
}

// body->mesh, and body->skin when a surface was wrapped.
static void read_body(lm_reader* reader, const lm_scene_object* object, const lm_engine* engine, lm_scene_body* body)
{
	lm_mesh* mesh = lm_read_mesh(reader, "mesh", object->mesh_file, object->scale);
	if (mesh == NULL)
		return;
	lm_element_kind kind = engine->elements(object, mesh);
	lm_error error;
	lm_read_frame(reader, object, mesh, &body->frame);
	lm_transform_apply_mesh(&body->frame, mesh);
	if (engine->repairs != NULL && engine->repairs(object) && mesh->tet_count == 0 && mesh->triangle_count > 0 &&
	    !lm_read_repair(reader, body, &mesh))
	{
		lm_mesh_destroy(mesh);
		return;
	}
	lm_status status = lm_mesh_check(mesh, object->mesh_file, &error);
	if (status == LM_OK)
		status = lm_mesh_extract_surface(mesh, &error);
	if (status != LM_OK)
		lm_problem_from(reader, "mesh", &error);
	else if (check_elements(reader, mesh, kind))
	{
		check_lattice(reader, object, mesh, kind);
		if (kind == LM_TETRAHEDRA && mesh->tet_count == 0)
			wrap(reader, object, mesh, body);
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

// A pose before subdivision, subdivided.
static lm_mesh* subdivide_pose(lm_reader* reader, const lm_scene_body* body, const lm_mesh* pose)
{
	lm_mesh* fine = lm_mesh_copy(body->mesh, &reader->host);
	if (fine != NULL)
		lm_binding_apply(body->map, pose->positions, 1, fine->positions);
	return fine;
}

// The pose of the simulation mesh that goes with a pose of another number of vertices.
static lm_mesh* carry_pose(lm_reader* reader, const lm_scene_body* body, const char* key, const lm_mesh* pose,
                           const char* what)
{
	lm_mesh* carried = NULL;
	int32_t coarse = body->map != NULL ? lm_binding_get(body->map).point_count : 0;
	if (body->map != NULL && pose->vertex_count == coarse)
		carried = subdivide_pose(reader, body, pose);
	else if (body->skin != NULL && pose->vertex_count == body->skin->vertex_count)
	{
		check_topology(reader, key, pose, body->skin, what);
		carried = lm_wrap_pose(body->mesh, body->skin, pose, &reader->host);
	}
	else
	{
		if (body->map != NULL)
			lm_problem_key(reader, key,
			               "has %d vertices, the mesh has %d and %d when subdivided: %s must be one of these, moved",
			               pose->vertex_count, coarse, body->mesh->vertex_count, what);
		else if (body->skin != NULL)
			lm_problem_key(reader, key,
			               "has %d vertices, the surface has %d and its lattice %d: %s must be one of these, moved",
			               pose->vertex_count, body->skin->vertex_count, body->mesh->vertex_count, what);
		else
			lm_problem_key(reader, key, "has %d vertices, the mesh has %d: %s must be the same mesh, moved",
			               pose->vertex_count, body->mesh->vertex_count, what);
		return NULL;
	}
	if (carried == NULL)
		lm_reader_no_memory(reader);
	return carried;
}

lm_mesh* lm_read_pose(lm_reader* reader, const lm_scene_body* body, const char* key, const char* name, const char* what)
{
	lm_mesh* pose = lm_read_mesh(reader, key, name, body->scale);
	lm_transform_apply_mesh(&body->frame, pose);
	if (body->found != NULL && pose != NULL && pose->vertex_count == body->found->vertex_count)
		check_topology(reader, key, pose, body->found, what);
	pose = lm_read_repair_pose(reader, body, pose);
	if (pose == NULL || body->mesh == NULL)
		return pose;
	warn_of_units(reader, key, pose, body->mesh);
	if (pose->vertex_count == body->mesh->vertex_count)
	{
		check_topology(reader, key, pose, body->mesh, what);
		return pose;
	}
	lm_mesh* carried = carry_pose(reader, body, key, pose, what);
	lm_mesh_destroy(pose);
	return carried;
}

// ---- the object ----

static void check_step(lm_reader* reader, const lm_scene* scene, const lm_scene_object* object)
{
	double step = 1 / (scene->fps * object->substeps);
	if (step > 0.1)
		lm_problem_key(reader, "substeps", "is %d, which makes steps of %.3g s; at %g fps it must be at least %g",
		               object->substeps, step, scene->fps, ceil(10 / scene->fps));
}

// Settings of an engine that does not move the object would be ignored.
static void check_engine(lm_reader* reader, const lm_scene_object* object, const lm_engine* engine)
{
	for (int32_t e = 0; e < lm_engine_count(); ++e)
	{
		const lm_engine* other = lm_engine_at(e);
		if (other != engine && lm_engine_settings(other, object) != NULL)
			lm_problem_key(reader, other->name, "is given, but the engine is \"%s\"", engine->name);
	}
}

// The skin stays at hand for poses, but another surface is shown.
static void read_surface(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object)
{
	object->surface =
		lm_read_triangles(reader, "surface", object->surface_file, object->scale, false, "must be a surface");
	lm_transform_apply_mesh(&body->frame, object->surface);
	if (object->surface != NULL && body->mesh != NULL)
		warn_of_units(reader, "surface", object->surface, body->mesh);
}

void lm_read_object(lm_reader* reader, lm_scene* scene, int32_t index)
{
	lm_scene_object* object = &scene->objects[index];
	char name[32];
	snprintf(name, sizeof name, "object%d", index);
	if (object->name[0] == 0)
		object->name = lm_reader_keep_text(reader, name);
	if (!LM_GIVEN(lm_object_table, object, color))
		lm_color_usual(index, object->color);
	bool known = object->engine[0] != 0; // else that is reported, and the rest is checked for the first engine
	const lm_engine* engine = known ? lm_engine_find(object->engine) : lm_engine_at(0);
	object->engine = engine->name;
	if (known)
		check_engine(reader, object, engine);
	if (!lm_scene_add_settings(scene, object))
		lm_reader_no_memory(reader);
	lm_scene_body body = { .scene = scene, .scale = object->scale };
	if (object->mesh_file[0] != 0 && reader->status == LM_OK)
		read_body(reader, object, engine, &body);
	if (engine->change_mesh != NULL && body.mesh != NULL)
		engine->change_mesh(reader, &body, object);
	bool shown = object->surface_file[0] != 0;
	object->mesh = body.mesh;
	object->fitted = body.fitted;
	object->repair = body.repair;
	bool as_found = body.found != NULL && body.map == NULL && !shown; // its vertices come back
	object->surface = shown ? NULL : as_found ? body.found : body.skin;
	if (shown)
		read_surface(reader, &body, object);
	check_step(reader, scene, object);
	lm_read_groups(reader, &body, object);
	if (object->start_file[0] != 0)
		object->start_pose = lm_read_pose(reader, &body, "start", object->start_file, "a start pose");
	lm_read_actions(reader, &body, object);
	if (reader->status == LM_OK)
		engine->resolve(reader, &body, object);
	if (shown)
		lm_mesh_destroy(body.skin);
	if (!as_found)
		lm_mesh_destroy(body.found);
}
