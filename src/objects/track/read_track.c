// read_track.c: what is particular to objects of the engine `track`: subdivision, regions, undeformed shapes.
#include "format/fill.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

// ---- subdivision ----

// Hat functions are linear on the coarse mesh's triangles, whatever becomes of their shape (Sec. 4.1).
static bool read_hats(const lm_read_body* body, int32_t levels, lm_scene_track* track, lm_error* error)
{
	lm_mesh* flat;
	lm_status status =
		lm_mesh_subdivide(body->mesh, levels, LM_SUBDIVIDE_LINEAR, &body->scene->host, &flat, &track->hat_map, error);
	if (status == LM_OK)
		lm_mesh_destroy(flat);
	return status == LM_OK;
}

// A cloth of 80,000 triangles takes most of a minute for a step (docs/track.md): nobody waits for more than this.
enum
{
	MOST_TRIANGLES = 2000000
};

void lm_read_subdivided(lm_reader* reader, lm_read_body* body, const lm_read_track* read, lm_scene_track* track)
{
	track->coarse_count = body->mesh->vertex_count;
	if (read->track.levels == 0)
		return;
	double triangles = ldexp(body->mesh->triangle_count, 2 * read->track.levels);
	if (triangles > MOST_TRIANGLES)
	{
		size_t mark = lm_reader_enter(reader, "track");
		lm_problem_key(reader, "subdivide",
		               "is %d, which makes %.3g triangles of the %d there are, at most %d are possible",
		               read->track.levels, triangles, body->mesh->triangle_count, MOST_TRIANGLES);
		lm_reader_leave(reader, mark);
		return;
	}
	lm_mesh* fine = NULL;
	lm_error error;
	if (lm_mesh_subdivide(body->mesh, read->track.levels, read->track.scheme, &body->scene->host, &fine, &track->map,
	                      &error) != LM_OK ||
	    (read->track.scheme != LM_SUBDIVIDE_LINEAR && !read_hats(body, read->track.levels, track, &error)))
	{
		size_t mark = lm_reader_enter(reader, "track");
		lm_problem_from(reader, "subdivide", &error);
		lm_reader_leave(reader, mark);
		lm_mesh_destroy(fine);
		return;
	}
	lm_mesh_destroy(body->mesh);
	body->mesh = fine;
	body->map = track->map;
}

lm_mesh* lm_read_lifted(lm_reader* reader, const lm_read_body* body, const lm_mesh* pose)
{
	lm_mesh* lifted = lm_mesh_copy(body->mesh, &body->scene->host);
	if (lifted == NULL)
		lm_reader_no_memory(reader);
	else
		lm_binding_apply(body->map, pose->positions, 1, lifted->positions);
	return lifted;
}

// ---- regions ----

static void allocate_paint(lm_reader* reader, lm_scene* scene, int32_t count, lm_scene_paint* paint)
{
	paint->vertices = lm_scene_memory(scene, (size_t)count, sizeof(int32_t));
	paint->values = lm_scene_memory(scene, (size_t)count, sizeof(double));
	if (paint->vertices == NULL || paint->values == NULL)
		lm_reader_no_memory(reader);
	else
		paint->count = count;
}

static void paint_weights(lm_reader* reader, const lm_read_body* body, const lm_read_paint* read, json_t* root,
                          lm_scene_paint* paint)
{
	json_t* list = json_object_get(root, read->group);
	int32_t count = body->mesh->vertex_count;
	if (!json_is_array(list) || json_array_size(list) != (size_t)count)
	{
		lm_problem_key(reader, "weights", "has no list \"%.60s\" of %d numbers, one per vertex", read->group, count);
		return;
	}
	allocate_paint(reader, body->scene, count, paint);
	int32_t kept = 0;
	for (int32_t v = 0; v < paint->count; ++v)
	{
		double value = json_number_value(json_array_get(list, (size_t)v));
		if (!json_is_number(json_array_get(list, (size_t)v)) || !(value >= 0 && value <= 1e6))
		{
			lm_problem_key(reader, "weights", "has \"%.60s\" with no number between 0 and 1e6 at vertex %d",
			               read->group, v);
			break;
		}
		if (value > 0)
			paint->vertices[kept] = v, paint->values[kept++] = value;
	}
	paint->count = kept;
	if (kept == 0)
		lm_problem_key(reader, "weights", "has \"%.60s\" with no weight above 0, so there is nothing to match",
		               read->group);
}

static void read_paint(lm_reader* reader, const lm_read_body* body, const lm_read_paint* read, lm_scene_paint* paint)
{
	paint->strength = lm_read_keyed(reader, body->scene, &read->strength, 1, 1);
	if (read->group == NULL)
		return;
	paint->group = lm_scene_text(body->scene, read->group);
	if (paint->group == NULL)
		lm_reader_no_memory(reader);
	if (read->weights != NULL)
	{
		json_t* root = lm_read_json(reader, "weights", read->weights);
		if (root != NULL && body->mesh != NULL)
			paint_weights(reader, body, read, root, paint);
		json_decref(root);
		return;
	}
	lm_read_selection from = { read->group, true, false, 0, NULL };
	paint->vertices = lm_read_vertices(reader, body, &from, &paint->count);
	if (paint->vertices == NULL)
	{
		paint->count = 0;
		return;
	}
	paint->values = lm_scene_memory(body->scene, (size_t)paint->count, sizeof(double));
	if (paint->values == NULL)
		lm_reader_no_memory(reader);
	for (int32_t k = 0; paint->values != NULL && k < paint->count; ++k)
		paint->values[k] = 1;
}

static void read_density(lm_reader* reader, const lm_read_body* body, const lm_read_track* read, lm_scene_track* track)
{
	if (read->denser_count == 0 || body->mesh == NULL)
		return;
	track->region_density = lm_scene_memory(body->scene, (size_t)body->mesh->vertex_count, sizeof(double));
	if (track->region_density == NULL)
	{
		lm_reader_no_memory(reader);
		return;
	}
	for (int32_t v = 0; v < body->mesh->vertex_count; ++v)
		track->region_density[v] = 1;
	size_t mark = lm_reader_enter(reader, "denser");
	for (int32_t i = 0; i < read->denser_count; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i), key = lm_reader_enter(reader, "group");
		const char* name = read->denser[i].group;
		if (name != NULL && lm_read_has_group(reader, body, name))
		{
			const lm_group* group = &body->mesh->groups[lm_mesh_find_group(body->mesh, name)];
			for (int32_t k = 0; k < group->count; ++k)
				track->region_density[group->vertices[k]] = read->denser[i].density;
		}
		lm_reader_leave(reader, key), lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

static void choose_regions(lm_reader* reader, const lm_read_body* body, const lm_read_track* read,
                           lm_scene_track* track)
{
	if (read->hats_given && track->hats && body->map == NULL)
		lm_problem_key(reader, "hats", "is true, but the mesh is not subdivided; give subdivide, or regions");
	if (!read->guide_given)
	{
		const char* idle = read->paint_count > 0                       ? "paint"
		                   : read->regions_given && track->regions > 0 ? "regions"
		                                                               : NULL;
		if (idle != NULL)
			lm_problem_key(reader, idle, "is given, but there is no guide to follow");
		return;
	}
	bool none = read->paint_count == 0 && track->regions == 0;
	if (!read->hats_given)
		track->hats = none && body->map != NULL;
	if (!read->regions_given && none && !track->hats)
		track->regions = 64;
	if (track->regions == 0 && none && !track->hats)
		lm_problem_key(reader, "regions", "is 0 and nothing is painted: there must be something to match");
}

// ---- all of it ----

static void read_undeformed(lm_reader* reader, const lm_read_body* body, const lm_read_undeformed* read,
                            lm_scene_track* track)
{
	size_t mark = lm_reader_enter(reader, "undeformed");
	if (read->mesh != NULL)
		track->undeformed = lm_read_pose(reader, body, "mesh", read->mesh, "an undeformed shape");
	if (read->to != NULL)
		track->undeformed_to = lm_read_pose(reader, body, "to", read->to, "an undeformed shape");
	if (read->blend_given && read->to == NULL)
		lm_problem_key(reader, "blend", "is given, but there is no second shape `to` lead to");
	track->blend = lm_read_keyed(reader, body->scene, &read->blend, 1, 0);
	lm_reader_leave(reader, mark);
}

static void refuse(lm_reader* reader, const lm_read_object* read)
{
	if (read->drag_count > 0)
		lm_problem_key(reader, "drags", "are given, but cloth that is tracked is led by its guide and by pins");
	if (read->push_count > 0)
		lm_problem_key(reader, "pushes",
		               "are given, but cloth that is tracked is led by its guide, by pins and by wind");
}

void lm_read_track_into(lm_reader* reader, const lm_read_body* body, const lm_read_object* read_object,
                        lm_scene_object* object)
{
	const lm_read_track* read = &read_object->track;
	lm_scene_track made = *object->track, *track = object->track;
	refuse(reader, read_object);
	*track = read->track;
	track->guide = made.guide, track->map = made.map, track->hat_map = made.hat_map,
	track->coarse_count = made.coarse_count;
	size_t mark = lm_reader_enter(reader, "track"), list;
	if (!read->gravity_given)
		memcpy(track->settings.gravity, body->scene->gravity, sizeof track->settings.gravity);
	track->wind = lm_read_keyed(reader, body->scene, &read->wind, 3, 0);
	track->strength = lm_read_keyed(reader, body->scene, &read->strength, 1, 1);
	choose_regions(reader, body, read, track);
	track->paint = lm_read_list(reader, body->scene, read->paint_count, sizeof *track->paint, &track->paint_count);
	list = lm_reader_enter(reader, "paint");
	for (int32_t i = 0; i < track->paint_count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		read_paint(reader, body, &read->paint[i], &track->paint[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, list);
	read_density(reader, body, read, track);
	read_undeformed(reader, body, &read->undeformed, track);
	if (read->guide_given)
	{
		list = lm_reader_enter(reader, "guide");
		lm_read_guide_into(reader, body, &read->guide, &track->guide);
		lm_reader_leave(reader, list);
	}
	lm_reader_leave(reader, mark);
}
