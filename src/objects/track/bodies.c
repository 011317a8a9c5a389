#include "objects/track/bodies.h"

#include "base/alloc.h"
#include "base/error.h"
#include "objects/design/guest.h"
#include "objects/objects.h"
#include "objects/shown.h"
#include "objects/track/track.h"
#include "scene/scene.h"

#include <string.h>

#define LM_MOST_TRIANGLES 100000 // of a shown surface; else the surface of what is simulated is the obstacle

bool lm_track_can_wear(const lm_scene_object* o)
{
	bool flat = o->act != NULL && (o->act->kind == LM_ACT_CURVE2 || o->act->kind == LM_ACT_SOLID2);
	return strcmp(o->engine, "track") != 0 && !flat && o->mesh != NULL;
}

// Designed objects go their own way, unless they are simulated at times.
static bool can_be_pushed(const lm_scene_object* o)
{
	return lm_track_can_wear(o) && (strcmp(o->engine, "design") != 0 || o->design->simulated_count > 0);
}

// The shown surface, or that of what is simulated.
static lm_status find_surface(const lm_scene_object* o, const lm_host* host, lm_mesh** mesh, lm_binding** binding,
                              lm_error* error)
{
	lm_status status = lm_shown_create(o, host, mesh, binding, error);
	if (status != LM_OK || (*mesh)->triangle_count <= LM_MOST_TRIANGLES || o->mesh->tet_count == 0)
		return status;
	lm_mesh_destroy(*mesh);
	lm_binding_destroy(*binding);
	*binding = NULL;
	*mesh = lm_mesh_copy(o->mesh, host);
	if (*mesh == NULL)
		return lm_fail_memory(error);
	status = lm_mesh_extract_surface(*mesh, error);
	return status == LM_OK ? lm_binding_create_identity((*mesh)->vertex_count, host, binding, error) : status;
}

// body->mesh: the triangles of `shown` and the vertices that they have.
static lm_status take_triangles(lm_track_body* body, const lm_mesh* shown, const lm_host* host, lm_error* error)
{
	int32_t* place = LM_NEW(host, shown->vertex_count, int32_t);
	body->vertices = LM_NEW(host, shown->vertex_count, int32_t);
	if (place == NULL || body->vertices == NULL)
	{
		lm_free(host, place);
		return lm_fail_memory(error);
	}
	int32_t count = 0;
	for (int64_t k = 0; k < 3 * (int64_t)shown->triangle_count; ++k)
		place[shown->triangles[k]] = 1;
	for (int32_t v = 0; v < shown->vertex_count; ++v)
		if (place[v] != 0)
			body->vertices[count] = v, place[v] = count++;
	body->mesh = lm_mesh_create(host, count, shown->triangle_count, 0);
	for (int64_t k = 0; body->mesh != NULL && k < 3 * (int64_t)shown->triangle_count; ++k)
		body->mesh->triangles[k] = place[shown->triangles[k]];
	lm_free(host, place);
	return body->mesh != NULL ? LM_OK : lm_fail_memory(error);
}

static void gather(const lm_track_body* body, double* positions)
{
	lm_binding_apply(body->binding, body->points, 1, body->shown);
	for (int32_t v = 0; v < body->mesh->vertex_count; ++v)
		memcpy(positions + 3 * (int64_t)v, body->shown + 3 * (int64_t)body->vertices[v], 3 * sizeof *positions);
}

lm_status lm_track_body_create(lm_track_body* body, const lm_scene_object* o, const lm_host* host, lm_error* error)
{
	lm_mesh* shown = NULL;
	lm_status status = find_surface(o, host, &shown, &body->binding, error);
	if (status == LM_OK)
		status = take_triangles(body, shown, host, error);
	if (status == LM_OK)
	{
		body->points = LM_NEW(host, 3 * (size_t)o->mesh->vertex_count, double);
		body->shown = LM_NEW(host, 3 * (size_t)shown->vertex_count, double);
		body->positions = LM_NEW(host, 3 * (size_t)body->mesh->vertex_count, double);
		if (body->points == NULL || body->shown == NULL || body->positions == NULL)
			status = lm_fail_memory(error);
	}
	lm_mesh_destroy(shown);
	if (status != LM_OK)
		return status;
	lm_start_positions(o, body->points);
	gather(body, body->mesh->positions);
	return LM_OK;
}

void lm_track_body_destroy(lm_track_body* body, const lm_host* host)
{
	lm_binding_destroy(body->binding);
	lm_mesh_destroy(body->mesh);
	lm_free(host, body->vertices), lm_free(host, body->points);
	lm_free(host, body->shown), lm_free(host, body->positions);
}

void lm_track_body_follow(const lm_track_body* body, const lm_object* object)
{
	object->engine->points(object, body->points);
	gather(body, body->positions);
}

lm_status lm_track_bodies_create(lm_track_bodies* bodies, const lm_object* object, lm_error* error)
{
	const lm_scene* scene = object->scene;
	bodies->host = object->host;
	bodies->items = LM_NEW(&bodies->host, scene->object_count, lm_track_body);
	bodies->meshes = LM_NEW(&bodies->host, scene->object_count, const lm_mesh*);
	bodies->bags = LM_NEW(&bodies->host, (size_t)scene->object_count + 1, lm_track_bag);
	if (bodies->items == NULL || bodies->meshes == NULL || bodies->bags == NULL)
		return lm_fail_memory(error);
	const lm_scene_object* leader = lm_track_leader(scene, object->description);
	bodies->leader = leader != NULL && can_be_pushed(leader) ? (int32_t)(leader - scene->objects) : -1;
	lm_status status = LM_OK;
	for (int32_t i = 0; i < scene->object_count && status == LM_OK; ++i)
	{
		const lm_scene_object* o = &scene->objects[i];
		bool led = o == leader && object->description->track->guide.bind != LM_GUIDE_GARMENT;
		if (!lm_track_can_wear(o) || led || !lm_scene_may_touch(o, object->description))
			continue;
		lm_track_body* body = &bodies->items[bodies->count];
		body->object = i;
		status = lm_track_body_create(body, o, &bodies->host, error);
		bodies->meshes[bodies->count++] = body->mesh;
	}
	return status;
}

void lm_track_bodies_destroy(lm_track_bodies* bodies)
{
	const lm_host* host = &bodies->host;
	for (int32_t i = 0; i < bodies->count; ++i)
		lm_track_body_destroy(&bodies->items[i], host);
	if (bodies->items != NULL)
		lm_free(host, bodies->items);
	if (bodies->meshes != NULL)
		lm_free(host, bodies->meshes);
	if (bodies->bags != NULL)
		lm_free(host, bodies->bags);
	*bodies = (lm_track_bodies){ 0 };
}

lm_status lm_track_bodies_move(const lm_track_bodies* bodies, const lm_object* object, lm_track* cloth, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; i < bodies->count && status == LM_OK; ++i)
	{
		const lm_track_body* body = &bodies->items[i];
		lm_track_body_follow(body, object->all[body->object]);
		status = lm_track_move_surface(cloth, i, body->positions, error);
	}
	return status;
}

// ---- pushes

void lm_track_bodies_attach(const lm_track_bodies* bodies, lm_track* cloth)
{
	int32_t leader = bodies->leader >= 0 ? bodies->count : LM_TRACK_NO_LEADER;
	for (int32_t i = 0; i < bodies->count && bodies->leader >= 0; ++i)
		if (bodies->items[i].object == bodies->leader)
			leader = i;
	if (bodies->count > 0 || bodies->leader >= 0)
		lm_track_give(cloth, leader);
}

// The object that bag i is for, or -1.
static int32_t owner_of_bag(const lm_track_bodies* bodies, int32_t i)
{
	return i < bodies->count ? bodies->items[i].object : bodies->leader;
}

void lm_track_bodies_push(const lm_track_bodies* bodies, const lm_object* object, lm_track* cloth, double h)
{
	for (int32_t i = 0; i <= bodies->count; ++i)
	{
		int32_t owner = owner_of_bag(bodies, i);
		if (owner < 0 || !can_be_pushed(&object->scene->objects[owner]))
			continue;
		const lm_object* other = object->all[owner];
		const lm_design_object* design = lm_object_design(object->all[owner]);
		if (design != NULL && !lm_design_is_free(design))
		{
			bodies->bags[i] = (lm_track_bag){ .lost = bodies->bags[i].lost };
			continue;
		}
		lm_object_facts facts = other->engine->facts(other);
		const lm_track_given* given = lm_track_given_to(cloth, i);
		lm_track_take_back(cloth, i, lm_track_share_back(given->touching, facts.mass), facts.center);
		lm_track_bag_fill(&bodies->bags[i], given, facts.center, h);
	}
}

lm_track_bag* lm_track_bodies_bag(const lm_track_bodies* bodies, int32_t object)
{
	for (int32_t i = 0; i <= bodies->count; ++i)
		if (owner_of_bag(bodies, i) == object)
			return &bodies->bags[i];
	return NULL;
}

double lm_track_bodies_lost(const lm_track_bodies* bodies)
{
	double sum = 0;
	for (int32_t i = 0; i <= bodies->count; ++i)
		sum += bodies->bags[i].lost;
	return sum;
}

uint64_t lm_track_bodies_hash(const lm_track_bodies* bodies, uint64_t hash)
{
	for (int32_t i = 0; i <= bodies->count && (bodies->count > 0 || bodies->leader >= 0); ++i)
		hash = lm_track_bag_hash(&bodies->bags[i], hash);
	return hash;
}

void lm_track_bodies_save(const lm_track_bodies* bodies, lm_blob* blob)
{
	for (int32_t i = 0; i <= bodies->count; ++i)
		lm_track_bag_save(&bodies->bags[i], blob);
}

void lm_track_bodies_load(const lm_track_bodies* bodies, lm_blob* blob)
{
	for (int32_t i = 0; i <= bodies->count; ++i)
		lm_track_bag_load(&bodies->bags[i], blob);
}
