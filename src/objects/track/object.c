// object.c: the `track` engine as the world sees it. Wraps lm_track and plays the scene to it: the guide, the strength
// of its constraints, pins, wind and undeformed shapes that change.
#include "objects/track/object.h"
#include "base/error.h"
#include "objects/settings.h"
#include "objects/timeline.h"
#include "objects/track/track.h"
#include "scene/keys.h"
#include "scene/scene.h"
#include "track/body.h"
#include "track/settings.h"
#include "track/state.h"

#include <math.h>
#include <string.h>

#define CLUSTER_FRAMES 16 // of the guide, that clusters are made from

// ---- creation ---------------------------------------------------------------------------------------------------

static lm_status describe(lm_track_object* object, lm_arena* scratch, lm_track_def* def, lm_error* error)
{
	const lm_scene* scene = object->base.scene;
	const lm_scene_object* description = object->base.description;
	const lm_scene_track* track = description->track;
	*def = lm_track_def_default();
	def->mesh = description->mesh;
	def->density = description->density;
	def->start = object->start, def->untangle = track->repair;
	def->settings = track->settings;
	def->compact = track->compact, def->density_of_regions = track->region_density, def->pointwise = track->pointwise;
	lm_collider_def* colliders = LM_TAKE(scratch, scene->collider_count, lm_collider_def);
	const double** frames = LM_TAKE(scratch, CLUSTER_FRAMES, const double*);
	if (colliders == NULL || frames == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < scene->collider_count; ++i)
		if (lm_scene_collider_touches(&scene->colliders[i], description))
			colliders[def->collider_count++] = scene->colliders[i].def;
	def->colliders = colliders;
	def->surfaces = object->bodies.meshes, def->surface_count = object->bodies.count;
	if (object->guide.vertex_count == 0)
		return LM_OK;
	def->regions = track->regions;
	lm_status status = lm_track_gather_functions(track, false, scratch, &def->functions, error);
	if (status == LM_OK && object->guide.vertex_count != description->mesh->vertex_count)
	{
		def->guide = object->guide.mesh;
		status = lm_track_gather_functions(track, true, scratch, &def->guide_functions, error);
	}
	else if (status == LM_OK && track->regions > 0 && track->aware)
	{
		def->frames = frames;
		def->frame_count = lm_track_guide_sample(&object->guide, CLUSTER_FRAMES, scratch, frames);
		status = def->frame_count >= 0 ? LM_OK : lm_fail_memory(error);
	}
	return status;
}

// Number of keys that may be left out.
static double keyed_or(const lm_keyed* keyed, double time, double fallback)
{
	if (keyed->count > 0)
		lm_keyed_at(keyed, 1, time, &fallback);
	return fallback;
}

static lm_status blend_undeformed(lm_track_object* object, double time, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const lm_scene_undeformed* undeformed = &description->track->undeformed;
	double blend = keyed_or(&undeformed->blend, time, 0);
	if (object->blended == NULL || blend == object->record.blend)
		return LM_OK;
	const double* from = undeformed->mesh != NULL ? undeformed->mesh->positions : description->mesh->positions;
	const double* to = undeformed->to != NULL ? undeformed->to->positions : from;
	for (int64_t i = 0; i < 3 * (int64_t)description->mesh->vertex_count; ++i)
		object->blended[i] = from[i] + blend * (to[i] - from[i]);
	lm_status status = lm_track_set_undeformed(object->cloth, object->blended, error);
	if (status == LM_OK)
		object->record.blend = blend;
	return status;
}

static lm_status allocate(lm_track_object* object, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const lm_scene_undeformed* undeformed = &description->track->undeformed;
	bool blends = undeformed->mesh != NULL || undeformed->to != NULL;
	size_t numbers = 3 * (size_t)description->mesh->vertex_count;
	object->start = LM_TAKE(&object->base.memory, numbers, double);
	object->blended = blends ? LM_TAKE(&object->base.memory, numbers, double) : NULL;
	return object->start != NULL && (object->blended != NULL || !blends) ? LM_OK : lm_fail_memory(error);
}

static lm_status set_velocities(lm_track_object* object, lm_arena* scratch, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	double* velocities = LM_TAKE(scratch, 3 * (size_t)description->mesh->vertex_count, double);
	if (velocities == NULL)
		return lm_fail_memory(error);
	double center[3];
	lm_track_center(object->cloth, center);
	lm_start_velocities(description, object->start, center, velocities);
	return lm_track_set_positions(object->cloth, NULL, velocities, error);
}

static void warn_of_tangle(const lm_track_object* object)
{
	int64_t count = lm_track_intersections(object->cloth);
	if (count > 0)
		lm_log(&object->base.host, LM_LOG_WARNING,
		       "%s: the start crosses itself in %lld pairs of triangles, which may pass through each other until they "
		       "have come free (`tangled` in the statistics; `limber check --json` lists them)",
		       object->base.description->name, (long long)count);
}

// A garment begins at least a thickness away from its body.
static lm_status move_out(lm_track_object* object, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const lm_scene_track* track = description->track;
	const lm_scene_object* leader = lm_track_leader(object->base.scene, description);
	for (int32_t i = 0; track->guide.bind == LM_GUIDE_GARMENT && i < object->bodies.count; ++i)
	{
		if (&object->base.scene->objects[object->bodies.items[i].object] != leader)
			continue;
		lm_moved_out moved;
		lm_status status = lm_track_move_out(object->bodies.meshes[i], description->mesh,
		                                     lm_track_thickness(&track->settings, description->mesh),
		                                     &object->base.host, object->start, &moved, error);
		if (status == LM_OK && moved.count > 0)
			lm_log(
				&object->base.host, LM_LOG_WARNING,
				"%s: %d of its vertices began nearer to \"%s\" than its thickness, or inside; they were moved out by "
				"up to %.2g m",
				description->name, moved.count, leader->name, moved.most);
		return status;
	}
	return LM_OK;
}

static lm_status create_cloth(lm_track_object* object, lm_arena* scratch, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	lm_status status = allocate(object, error);
	if (status != LM_OK)
		return status;
	lm_start_positions(description, object->start);
	lm_track_def def;
	status = lm_track_bodies_create(&object->bodies, &object->base, error);
	if (status == LM_OK)
		status = move_out(object, error);
	if (status == LM_OK)
		status = lm_track_guide_init(&object->guide, &object->base, object->start, error);
	if (status == LM_OK)
		status = describe(object, scratch, &def, error);
	if (status == LM_OK)
		status = lm_track_create(&def, &object->base.host, &object->cloth, error);
	if (status == LM_OK)
		lm_track_bodies_attach(&object->bodies, object->cloth);
	object->layer = (lm_track_layer){ .object = &object->base, .cloth = object->cloth };
	if (status == LM_OK)
	{
		warn_of_tangle(object);
		status = set_velocities(object, scratch, error);
	}
	double low[3], high[3];
	lm_mesh_bounds(description->mesh->positions, description->mesh->vertex_count, low, high);
	object->size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
	object->record.blend = NAN; // nothing is equal to it: the first blend is always taken
	return status == LM_OK ? blend_undeformed(object, 0, error) : status;
}

static lm_status create(lm_object* base, lm_error* error)
{
	lm_arena scratch;
	lm_arena_init(&scratch, &base->host);
	lm_status status = create_cloth((lm_track_object*)base, &scratch, error);
	lm_arena_release(&scratch);
	return status;
}

static void destroy(lm_object* base)
{
	lm_track_layer_release(&((lm_track_object*)base)->layer);
	lm_track_destroy(((lm_track_object*)base)->cloth);
	lm_track_bodies_destroy(&((lm_track_object*)base)->bodies);
	lm_track_guide_release(&((lm_track_object*)base)->guide);
}

static const char* leader_name(const lm_object* base)
{
	return base->description->track->guide.object;
}

// ---- stepping ---------------------------------------------------------------------------------------------------

static void count_intersections(lm_track_object* object)
{
	int64_t count = lm_track_intersections(object->cloth);
	object->record.intersections += (count > 0 ? count : 0) + lm_track_layers_crossings(&object->base);
}

// What is shown at the end of a frame: colliders are where the scene has them, also those that were held back.
static void measure_frame(lm_track_object* object, lm_colliders* colliders)
{
	lm_object* base = &object->base;
	lm_track_report report = lm_track_get_report(object->cloth);
	count_intersections(object);
	if (report.collider_lag == 0)
		return;
	object->record.lag = fmax(object->record.lag, report.collider_lag);
	object->record.pinched += report.pinched;
	lm_colliders_set_time(colliders, base->frame_end);
	object->record.penetration =
		fmax(object->record.penetration, lm_track_penetration(object->cloth, colliders, report.collider_lag));
	if (!object->record.told_lag)
		lm_log(
			&base->host, LM_LOG_WARNING,
			"%s: a collider is held back by %.3g m at %.3g s, because cloth is in its way%s: pictures show it inside "
			"the cloth",
			base->description->name, report.collider_lag, base->frame_end,
			report.pinched > 0 ? " and has no room between colliders" : "");
	object->record.told_lag = true;
}

static lm_status direct(lm_track_object* object, double time, lm_error* error)
{
	const lm_scene_track* track = object->base.description->track;
	for (int32_t i = 0; i < lm_track_constraint_count(object->cloth); ++i)
	{
		double own = i < track->paint_count ? keyed_or(&track->paint[i].strength, time, 1) : 1;
		lm_track_set_constraint(object->cloth, i, own);
	}
	return blend_undeformed(object, time, error);
}

// Calls `act` for the cloths that `want` picks, equally deep ones together, leaders first.
typedef bool pick_fn(const lm_object* object);
typedef lm_status act_fn(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error);

static lm_status by_depth(lm_object* const* objects, int32_t count, pick_fn* want, act_fn* act, lm_error* error)
{
	lm_track_layer* layers[LM_OBJECTS_MAX];
	lm_status status = LM_OK;
	int32_t left = count;
	for (int32_t depth = 0; left > 0 && status == LM_OK; ++depth)
	{
		int32_t found = 0, at = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			bool equal = lm_track_depth(objects[i]) == depth;
			left -= equal;
			if (equal && want(objects[i]))
				layers[found++] = &((lm_track_object*)objects[i])->layer;
		}
		status = found > 0 ? act(layers, found, &at, error) : LM_OK;
		if (status != LM_OK)
			lm_object_place_error(layers[at]->object, status, error);
	}
	return status;
}

static lm_track_object* owner_of(const lm_track_layer* layer)
{
	return (lm_track_object*)layer->object;
}

static bool is_new(const lm_object* base)
{
	return !((const lm_track_object*)base)->prepared;
}

// Vertices that are held where the guide has them, at the time that it was asked for.
static lm_status pin_to_guide(lm_track_object* object, double time, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const double* guide = object->layer.guide;
	bool fits = guide != NULL && object->guide.vertex_count == description->mesh->vertex_count;
	lm_status status = LM_OK;
	for (int32_t i = 0; i < description->pin_count && fits; ++i)
	{
		const lm_scene_pin* pin = &description->pins[i];
		bool on = pin->guide && lm_timeline_is_on(pin->start, pin->end, time, object->base.h);
		for (int32_t k = 0; on && k < pin->count && status == LM_OK; ++k)
			status = lm_track_pin(object->cloth, pin->vertices[k], guide + 3 * (int64_t)pin->vertices[k], error);
	}
	return status;
}

static lm_status prepare_layers(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error)
{
	lm_status status = lm_track_layers_check(layers, count, at, error);
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
	{
		lm_track_object* object = owner_of(layers[i]);
		*at = i;
		status = lm_settings_play(&object->base, error);
		if (status == LM_OK)
			status = direct(object, 0, error);
		layers[i]->guide = status == LM_OK ? lm_track_guide_at(&object->guide, 0) : NULL;
		if (status == LM_OK)
			status = pin_to_guide(object, 0, error);
		layers[i]->preroll = object->base.description->track->preroll;
	}
	if (status == LM_OK)
		status = lm_track_layers_preroll(layers, count, at, error);
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
	{
		count_intersections(owner_of(layers[i])); // of the first frame
		owner_of(layers[i])->prepared = true;
	}
	return status;
}

static lm_status prepare(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	(void)colliders; // the cloth has its own, as triangles
	return by_depth(objects, count, is_new, prepare_layers, error);
}

static lm_status check(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	(void)colliders;
	return by_depth(objects, count, is_new, lm_track_layers_check, error);
}

static lm_track* cloth_of(const lm_object* base)
{
	return ((const lm_track_object*)base)->cloth;
}

static lm_status pin(lm_object* base, int32_t vertex, const double position[3], lm_error* error)
{
	return lm_track_pin(cloth_of(base), vertex, position, error);
}

static void unpin(lm_object* base, int32_t vertex)
{
	lm_track_unpin(cloth_of(base), vertex);
}

// Vertices of the scene and of patches exist, and their impulses are numbers.
static double mass_of(const lm_object* base, const int32_t* vertices, int32_t count)
{
	return lm_sum_masses(lm_track_masses(((const lm_track_object*)base)->cloth), vertices, count);
}

static void push(lm_object* base, const int32_t* vertices, int32_t count, const double impulse[3])
{
	lm_track_push(cloth_of(base), vertices, count, impulse, NULL);
}

static void warn_of_jump(lm_track_object* object)
{
	double way = lm_track_get_report(object->cloth).target_way;
	if (object->record.told_jump || !(way > 0.5 * object->size))
		return;
	lm_log(&object->base.host, LM_LOG_WARNING,
	       "%s: the guide jumps by %.3g m at %.3g s; name the time in `cuts` if the cloth shall be carried over it",
	       object->base.description->name, way, object->base.time);
	object->record.told_jump = true;
}

// What was modelled through itself is drawn back by its undeformed shape: then it stays, and whoever made it should
// know.
static const double long_enough = 1; // s

static void warn_of_what_stays(const lm_track_object* object)
{
	const lm_object* base = &object->base;
	int32_t first[2];
	bool now = base->time < long_enough && base->time + base->h >= long_enough;
	int64_t count = now ? lm_track_tangled(object->cloth, first, 1) : 0;
	if (count == 0)
		return;
	const double* x = object->cloth->x + 3 * (int64_t)base->description->mesh->triangles[3 * (int64_t)first[0]];
	lm_log(
		&base->host, LM_LOG_WARNING,
		"%s: after %g s %lld pairs of triangles still go through each other, the first near (%.3g, %.3g, %.3g): the "
		"undeformed shape crosses itself there, so that they stay; all else touches as ever. To be rid of them, part "
		"them in the mesh",
		base->description->name, long_enough, (long long)count, x[0], x[1], x[2]);
}

static lm_status begin_step(lm_track_object* object, lm_error* error)
{
	lm_object* base = &object->base;
	double end = base->time + base->h;
	lm_status status = lm_settings_play(base, error);
	if (status == LM_OK)
		status = lm_timeline_play(base, object->start, error);
	if (status == LM_OK)
		status = direct(object, end, error);
	if (status == LM_OK)
		status = lm_track_bodies_move(&object->bodies, base, object->cloth, error);
	object->layer.guide = status == LM_OK ? lm_track_guide_at(&object->guide, end) : NULL;
	if (status == LM_OK)
		status = pin_to_guide(object, end, error);
	object->layer.starts_frame = base->starts_frame;
	return status;
}

static void end_step(lm_track_object* object)
{
	warn_of_jump(object);
	warn_of_what_stays(object);
	lm_track_bodies_push(&object->bodies, &object->base, object->cloth, object->base.h);
	++object->record.steps;
	if (object->base.ends_frame)
		measure_frame(object, object->base.colliders);
}

static bool is_due(const lm_object* base)
{
	return base->due;
}

static lm_status step_layers(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
	{
		*at = i;
		status = begin_step(owner_of(layers[i]), error);
	}
	if (status == LM_OK)
		status = lm_track_layers_cut(layers, count, at, error);
	if (status == LM_OK)
		status = lm_track_layers_step(layers, count, at, error);
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
		end_step(owner_of(layers[i]));
	return status;
}

static lm_status step(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	(void)colliders; // each has its own
	return by_depth(objects, count, is_due, step_layers, error);
}

static void get_settings(const lm_object* base, void* settings)
{
	*(lm_track_settings*)settings = lm_track_get_settings(cloth_of(base));
}

static lm_status set_settings(lm_object* base, const void* settings, lm_error* error)
{
	return lm_track_set_settings(cloth_of(base), settings, error);
}

// ---- reading ----------------------------------------------------------------------------------------------------

lm_track* lm_object_track(lm_object* object)
{
	return object->engine == &lm_engine_track ? cloth_of(object) : NULL;
}

static void velocities_of(const lm_object* base, double* velocities)
{
	lm_track_velocities(cloth_of(base), velocities);
}

static lm_status take_velocities(lm_object* base, const double* velocities, lm_error* error)
{
	return lm_track_set_positions(cloth_of(base), NULL, velocities, error);
}

static void points(const lm_object* base, double* positions)
{
	lm_track_positions(cloth_of(base), positions);
}

static lm_object_facts facts(const lm_object* base)
{
	const lm_track* cloth = cloth_of(base);
	lm_object_facts facts = { .point_count = lm_track_vertex_count(cloth),
		                      .unknowns = 3 * (int64_t)lm_track_vertex_count(cloth),
		                      .parameters = 3 * lm_track_constraint_count(cloth),
		                      .steps = lm_track_get_report(cloth).steps,
		                      .max_penetration = ((const lm_track_object*)base)->record.penetration,
		                      .mass = lm_track_mass(cloth) };
	lm_track_center(cloth, facts.center);
	return facts;
}

// Contact sets in at the thickness.
static double contact_distance(const lm_object* base)
{
	return lm_track_get_settings(cloth_of(base)).thickness;
}

static int32_t regions(const lm_object* base, int32_t* regions, double* shares)
{
	const lm_track* cloth = cloth_of(base);
	lm_track_regions(cloth, regions);
	lm_track_region_shares(cloth, regions, shares);
	return lm_track_constraint_count(cloth);
}

static uint64_t hash(const lm_object* base)
{
	return lm_track_bodies_hash(&((const lm_track_object*)base)->bodies, lm_track_hash(cloth_of(base)));
}

static void save(const lm_object* base, lm_blob* blob)
{
	const lm_track_object* object = (const lm_track_object*)base;
	lm_track_save(object->cloth, blob);
	lm_blob_put(blob, &object->record, sizeof object->record);
	lm_track_bodies_save(&object->bodies, blob);
}

static lm_status load(lm_object* base, lm_blob* blob, lm_error* error)
{
	lm_track_object* object = (lm_track_object*)base;
	lm_status status = lm_track_load(object->cloth, blob, error);
	if (status == LM_OK)
	{
		lm_blob_get(blob, &object->record, sizeof object->record);
		lm_track_bodies_load(&object->bodies, blob);
	}
	const lm_bytes counts[2] = { lm_counts(&object->record.intersections, 1), lm_counts(&object->record.steps, 1) };
	bool blended = isnan(object->record.blend) || fabs(object->record.blend) <= 1e30;
	if (status == LM_OK && (!blended || blob->failed || !lm_bytes_sound(counts, 2)))
		status = lm_fail(error, LM_BAD_INPUT, "the checkpoint is damaged");
	object->prepared = status == LM_OK;
	return status;
}

lm_track_bag* lm_object_track_bag(const lm_object* cloth, int32_t object)
{
	return lm_track_bodies_bag(&((const lm_track_object*)cloth)->bodies, object);
}

const lm_engine lm_engine_track = {
	.name = "track",
	.table = &lm_track_table,
	.settings = offsetof(lm_scene_object, track),
	.gravity = offsetof(lm_scene_track, settings.gravity),
	.density = LM_TRACK_DENSITY,
	.elements = lm_track_elements,
	.repairs = lm_track_repairs,
	.change_mesh = lm_track_change_mesh,
	.resolve = lm_track_resolve,
	.resolve_between = lm_track_resolve_between,
	.release = lm_track_release,
	.check_settings = lm_track_check_object,
	.object_size = sizeof(lm_track_object),
	.create = create,
	.destroy = destroy,
	.leader_name = leader_name,
	.check = check,
	.prepare = prepare,
	.step = step,
	.pin = pin,
	.unpin = unpin,
	.push = push,
	.mass_of = mass_of,
	.live_table = &lm_track_settings_table,
	.keyed = offsetof(lm_scene_track, keyed),
	.get_settings = get_settings,
	.set_settings = set_settings,
	.velocities = velocities_of,
	.set_velocities = take_velocities,
	.points = points,
	.facts = facts,
	.statistic_keys = lm_track_statistic_keys,
	.statistic_count = LM_TRACK_STATISTICS,
	.statistics = lm_track_object_statistics,
	.number_keys = lm_track_number_keys,
	.number_count = LM_TRACK_NUMBERS,
	.numbers = lm_track_object_numbers,
	.contact_distance = contact_distance,
	.regions = regions,
	.hash = hash,
	.save = save,
	.load = load,
};
