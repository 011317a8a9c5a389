// resolve.c: what is particular to objects of the engine `track`: subdivision, regions, undeformed shapes.
#include "base/error.h"
#include "objects/track/track.h"
#include "scene/keys.h"

#include <math.h>

lm_element_kind lm_track_elements(const lm_scene_object* object, const lm_mesh* mesh)
{
	(void)object, (void)mesh;
	return LM_TRIANGLES;
}

bool lm_track_repairs(const lm_scene_object* object)
{
	return object->track->repair;
}

// ---- subdivision ----

// Hat functions are linear on the coarse mesh's triangles, whatever becomes of their shape (Sec. 4.1).
static lm_status make_hats(const lm_scene_body* body, lm_scene_track* track, lm_error* error)
{
	lm_mesh* flat;
	lm_status status = lm_mesh_subdivide(body->mesh, track->levels, LM_SUBDIVIDE_LINEAR, &body->scene->host, &flat,
	                                     &track->hat_map, error);
	if (status == LM_OK)
		lm_mesh_destroy(flat);
	return status;
}

// A cloth of 80,000 triangles takes most of a minute for a step (docs/track.md): this is the largest that is accepted.
enum
{
	MOST_TRIANGLES = 2000000
};

static void subdivide(lm_reader* reader, lm_scene_body* body, lm_scene_track* track)
{
	double triangles = ldexp(body->mesh->triangle_count, 2 * track->levels);
	if (triangles > MOST_TRIANGLES)
	{
		lm_problem_key(reader, "subdivide",
		               "is %d, which makes %.3g triangles of the %d there are, at most %d are possible", track->levels,
		               triangles, body->mesh->triangle_count, MOST_TRIANGLES);
		return;
	}
	lm_mesh* fine = NULL;
	lm_error error;
	lm_status status =
		lm_mesh_subdivide(body->mesh, track->levels, track->scheme, &body->scene->host, &fine, &track->map, &error);
	if (status == LM_OK && track->scheme != LM_SUBDIVIDE_LINEAR)
		status = make_hats(body, track, &error);
	if (status != LM_OK)
	{
		lm_problem_from(reader, "subdivide", &error);
		lm_mesh_destroy(fine);
		return;
	}
	lm_mesh_destroy(body->mesh);
	body->mesh = fine;
	body->map = track->map;
}

void lm_track_change_mesh(lm_reader* reader, lm_scene_body* body, lm_scene_object* object)
{
	object->track->coarse_count = body->mesh->vertex_count;
	size_t mark = lm_reader_enter(reader, "track");
	if (object->track->levels > 0)
		subdivide(reader, body, object->track);
	lm_reader_leave(reader, mark);
}

// ---- regions ----

void lm_track_take_weights(lm_reader* reader, const double* weights, int32_t count, int32_t** vertices, double** values,
                           int32_t* taken)
{
	*vertices = lm_reader_keep(reader, (size_t)count, sizeof **vertices);
	*values = lm_reader_keep(reader, (size_t)count, sizeof **values);
	for (int32_t v = 0; *vertices != NULL && *values != NULL && v < count; ++v)
		if (weights[v] > 0)
			(*vertices)[*taken] = v, (*values)[(*taken)++] = weights[v];
}

static void paint_weights(lm_reader* reader, const lm_scene_body* body, lm_scene_paint* paint)
{
	const lm_mesh* painted;
	const double* original;
	const double* weights =
		lm_read_weights(reader, body, "weights", paint->weights, paint->group, 1e6, &painted, &original);
	if (weights == NULL)
		return;
	lm_track_take_weights(reader, weights, body->mesh->vertex_count, &paint->vertices, &paint->values, &paint->count);
	if (paint->count == 0 && reader->status == LM_OK)
		lm_problem_key(reader, "weights", "has \"%.60s\" with no weight above 0, so there is nothing to match",
		               paint->group);
}

// A group that was painted has soft weights.
static const double* soft_weights(const lm_scene_body* body, const char* name)
{
	int32_t found = body->mesh != NULL ? lm_mesh_find_group(body->mesh, name) : -1;
	return found >= 0 ? body->mesh->groups[found].weights : NULL;
}

static void paint_group(lm_reader* reader, const lm_scene_body* body, lm_scene_paint* paint)
{
	const double* soft = soft_weights(body, paint->group);
	if (soft != NULL)
		lm_track_take_weights(reader, soft, body->mesh->vertex_count, &paint->vertices, &paint->values, &paint->count);
	if (soft != NULL && paint->count > 0)
		return;
	if (!lm_read_vertices(reader, body, paint->group, false, &paint->vertices, &paint->count))
	{
		paint->count = 0;
		return;
	}
	paint->values = lm_reader_keep(reader, (size_t)paint->count, sizeof *paint->values);
	for (int32_t k = 0; paint->values != NULL && k < paint->count; ++k)
		paint->values[k] = 1;
}

static void read_paint(lm_reader* reader, const lm_scene_body* body, lm_scene_paint* paint)
{
	if (paint->group[0] == 0)
		return;
	if (paint->weights[0] == 0)
	{
		paint_group(reader, body, paint);
		return;
	}
	paint_weights(reader, body, paint);
}

static void read_paints(lm_reader* reader, const lm_scene_body* body, lm_scene_track* track)
{
	size_t mark = lm_reader_enter(reader, "paint");
	for (int32_t i = 0; i < track->paint_count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		read_paint(reader, body, &track->paint[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

static bool has_guide_pins(const lm_scene_object* object)
{
	bool any = false;
	for (int32_t i = 0; i < object->pin_count; ++i)
		any = any || object->pins[i].guide;
	return any;
}

static void choose_regions(lm_reader* reader, const lm_scene_body* body, bool pinned, lm_scene_track* track)
{
	bool hats_given = LM_GIVEN(lm_track_table, track, hats), regions_given = LM_GIVEN(lm_track_table, track, regions);
	if (hats_given && track->hats && body->map == NULL)
		lm_problem_key(reader, "hats", "is true, but the mesh is not subdivided; give subdivide, or regions");
	if (!LM_GIVEN(lm_track_table, track, guide))
	{
		const char* idle = track->paint_count > 0 ? "paint" : regions_given && track->regions > 0 ? "regions" : NULL;
		if (idle != NULL)
			lm_problem_key(reader, idle, "is given, but there is no guide to follow");
		return;
	}
	bool none = track->paint_count == 0 && track->regions == 0;
	if (!hats_given)
		track->hats = none && body->map != NULL;
	if (!regions_given && none && !track->hats)
		track->regions = 64;
	if (track->regions == 0 && none && !track->hats && !pinned)
		lm_problem_key(reader, "regions", "is 0 and nothing is painted: there must be something to match");
}

// ---- the material ----

static void take_number(const lm_scene_track* track, size_t offset, const double* from, double* to)
{
	if (!lm_key_given(&lm_track_table, track, offset))
		*to = *from;
}

// Numbers that are not given are those of the material.
static void take_material(lm_scene_object* object)
{
	lm_scene_track* track = object->track;
	lm_track_settings m, *s = &track->settings;
	double density;
	if (track->material == LM_MATERIAL_NONE)
		return;
	lm_track_set_material(track->material, &m, &density);
	if (!LM_GIVEN(lm_object_table, object, density))
		object->density = density;
	take_number(track, offsetof(lm_scene_track, settings.stretch), &m.stretch, &s->stretch);
	take_number(track, offsetof(lm_scene_track, settings.poisson), &m.poisson, &s->poisson);
	take_number(track, offsetof(lm_scene_track, settings.bend), &m.bend, &s->bend);
	take_number(track, offsetof(lm_scene_track, settings.damping), &m.damping, &s->damping);
	take_number(track, offsetof(lm_scene_track, settings.yield), &m.yield, &s->yield);
	take_number(track, offsetof(lm_scene_track, settings.hardening), &m.hardening, &s->hardening);
	take_number(track, offsetof(lm_scene_track, settings.friction), &m.friction, &s->friction);
}

// ---- all of it ----

static void read_undeformed(lm_reader* reader, const lm_scene_body* body, lm_scene_undeformed* undeformed)
{
	size_t mark = lm_reader_enter(reader, "undeformed");
	if (undeformed->mesh_file[0] != 0)
		undeformed->mesh = lm_read_pose(reader, body, "mesh", undeformed->mesh_file, "an undeformed shape");
	if (undeformed->to_file[0] != 0)
		undeformed->to = lm_read_pose(reader, body, "to", undeformed->to_file, "an undeformed shape");
	if (LM_GIVEN(lm_track_undeformed_table, undeformed, blend) &&
	    !LM_GIVEN(lm_track_undeformed_table, undeformed, to_file))
		lm_problem_key(reader, "blend", "is given, but there is no second shape `to` lead to");
	lm_reader_leave(reader, mark);
}

// Pins to the guide need one with the vertices of the cloth.
static void check_pins(lm_reader* reader, const lm_scene_object* object)
{
	const lm_scene_guide* guide = &object->track->guide;
	size_t mark = lm_reader_enter(reader, "pins");
	for (int32_t i = 0; i < object->pin_count; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		if (object->pins[i].guide && !LM_GIVEN(lm_track_table, object->track, guide))
			lm_problem_key(reader, "guide", "is true, but there is no guide to follow");
		else if (object->pins[i].guide && guide->mesh != NULL)
			lm_problem_key(reader, "guide", "is true, but the guide is another mesh, without these vertices");
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

static void refuse(lm_reader* reader, const lm_scene_object* object)
{
	if (object->drag_count > 0)
		lm_problem_key(reader, "drags", "are given, but cloth that is tracked is led by its guide and by pins");
}

void lm_track_resolve(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object)
{
	lm_scene_track* track = object->track;
	refuse(reader, object);
	take_material(object);
	size_t mark = lm_reader_enter(reader, "track");
	choose_regions(reader, body, has_guide_pins(object), track);
	read_paints(reader, body, track);
	track->region_density = lm_read_density(reader, body, track->denser, track->denser_count);
	read_undeformed(reader, body, &track->undeformed);
	if (LM_GIVEN(lm_track_table, track, guide))
	{
		size_t guide = lm_reader_enter(reader, "guide");
		lm_track_resolve_guide(reader, body, &track->guide);
		lm_track_check_guide_space(reader, body, object);
		lm_reader_leave(reader, guide);
	}
	lm_track_split_paints(reader, body, track);
	lm_reader_leave(reader, mark);
	check_pins(reader, object);
}

void lm_track_release(lm_scene_object* object)
{
	lm_scene_track* track = object->track;
	lm_mesh_destroy(track->guide.mesh);
	lm_mesh_destroy(track->undeformed.mesh), lm_mesh_destroy(track->undeformed.to);
	lm_binding_destroy(track->map), lm_binding_destroy(track->hat_map);
}

lm_status lm_track_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error)
{
	(void)scene;
	const lm_scene_undeformed* undeformed = &object->track->undeformed;
	if (object->drag_count > 0)
		return lm_fail(error, LM_BAD_INPUT,
		               "object \"%.60s\": has drags, but cloth that is tracked is led by its guide and by pins",
		               object->name);
	lm_status status = LM_OK;
	if (undeformed->mesh != NULL)
		status = lm_scene_check_pose(object, "the undeformed shape", undeformed->mesh, error);
	if (status == LM_OK && undeformed->to != NULL)
		status = lm_scene_check_pose(object, "the second undeformed shape", undeformed->to, error);
	return status;
}
