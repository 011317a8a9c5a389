// object.c: the `track` engine as the world sees it. Wraps lm_track and plays the scene to it: the guide, the strength
// of its constraints, pins, wind and undeformed shapes that change.
#include "base/error.h"
#include "objects/objects.h"
#include "objects/settings.h"
#include "objects/timeline.h"
#include "objects/track/guide.h"
#include "objects/track/track.h"
#include "scene/keys.h"
#include "track/settings.h"
#include "track/state.h"

#include <math.h>
#include <string.h>

#define CLUSTER_FRAMES 16 // of the guide, that clusters are made from

typedef struct track_object
{
	lm_object base;
	lm_track* cloth;
	double size;
	double* start;   // vertex_count x 3: where the vertices began
	double* blended; // likewise: the undeformed shape, NULL when it is always the mesh
	lm_track_guide guide;
	bool prepared;
	// what goes into checkpoints besides the cloth
	struct
	{
		double blend;
		int64_t intersections, steps, pinched;
		double lag, penetration; // largest at the end of a frame, m
		bool told_lag, told_jump;
	} record;
} track_object;

// ---- creation ---------------------------------------------------------------------------------------------------

// Painted regions first, then hats: the columns of a map.
static lm_status gather_functions(const lm_scene_track* track, bool on_guide, lm_arena* scratch,
                                  lm_track_functions* functions, lm_error* error)
{
	lm_binding_view map = { 0 };
	if (track->hats && track->map != NULL && !on_guide)
		map = lm_binding_get(track->hat_map != NULL ? track->hat_map : track->map);
	int32_t count = track->paint_count + map.point_count;
	int64_t numbers = map.vertex_count > 0 ? map.starts[map.vertex_count] : 0;
	for (int32_t i = 0; i < track->paint_count; ++i)
		numbers += on_guide ? track->paint[i].guide_count : track->paint[i].count;
	int64_t* starts = LM_TAKE(scratch, (size_t)count + 2, int64_t);
	int32_t* vertices = LM_TAKE(scratch, (size_t)numbers, int32_t);
	double* values = LM_TAKE(scratch, (size_t)numbers, double);
	if (starts == NULL || vertices == NULL || values == NULL)
		return lm_fail_memory(error);
	int64_t at = 0;
	for (int32_t i = 0; i < track->paint_count; ++i)
	{
		const lm_scene_paint* paint = &track->paint[i];
		size_t own = (size_t)(on_guide ? paint->guide_count : paint->count);
		starts[i] = at;
		memcpy(vertices + at, on_guide ? paint->guide_vertices : paint->vertices, own * sizeof *vertices);
		memcpy(values + at, on_guide ? paint->guide_values : paint->values, own * sizeof *values);
		at += (int64_t)own;
	}
	// hats: count, sum up, fill; starts are one further than they end up while they are filled
	int64_t* hat = starts + track->paint_count;
	memset(hat, 0, ((size_t)map.point_count + 2) * sizeof *hat);
	for (int64_t k = 0; k < numbers - at; ++k)
		++hat[map.points[k] + 2];
	hat[0] = hat[1] = at;
	for (int32_t i = 0; i < map.point_count; ++i)
		hat[i + 2] += hat[i + 1];
	for (int32_t v = 0; v < map.vertex_count; ++v)
		for (int64_t k = map.starts[v]; k < map.starts[v + 1]; ++k)
		{
			int64_t slot = hat[map.points[k] + 1]++;
			vertices[slot] = v, values[slot] = map.weights[k];
		}
	*functions = (lm_track_functions){ count, starts, vertices, values };
	return LM_OK;
}

static lm_status describe(track_object* object, lm_arena* scratch, lm_track_def* def, lm_error* error)
{
	const lm_scene* scene = object->base.scene;
	const lm_scene_object* description = object->base.description;
	const lm_scene_track* track = description->track;
	*def = lm_track_def_default();
	def->mesh = description->mesh;
	def->density = description->density;
	def->start = object->start;
	def->settings = track->settings;
	def->compact = track->compact, def->density_of_regions = track->region_density, def->pointwise = track->pointwise;
	lm_collider_def* colliders = LM_TAKE(scratch, scene->collider_count, lm_collider_def);
	const double** frames = LM_TAKE(scratch, CLUSTER_FRAMES, const double*);
	if (colliders == NULL || frames == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < scene->collider_count; ++i)
		colliders[i] = scene->colliders[i].def;
	def->colliders = colliders, def->collider_count = scene->collider_count;
	if (object->guide.vertex_count == 0)
		return LM_OK;
	def->regions = track->regions;
	lm_status status = gather_functions(track, false, scratch, &def->functions, error);
	if (status == LM_OK && object->guide.vertex_count != description->mesh->vertex_count)
	{
		def->guide = object->guide.mesh;
		status = gather_functions(track, true, scratch, &def->guide_functions, error);
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

static lm_status blend_undeformed(track_object* object, double time, lm_error* error)
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

static lm_status allocate(track_object* object, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const lm_scene_undeformed* undeformed = &description->track->undeformed;
	bool blends = undeformed->mesh != NULL || undeformed->to != NULL;
	size_t numbers = 3 * (size_t)description->mesh->vertex_count;
	object->start = LM_TAKE(&object->base.memory, numbers, double);
	object->blended = blends ? LM_TAKE(&object->base.memory, numbers, double) : NULL;
	return object->start != NULL && (object->blended != NULL || !blends) ? LM_OK : lm_fail_memory(error);
}

static lm_status set_velocities(track_object* object, lm_arena* scratch, lm_error* error)
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

static lm_status create_cloth(track_object* object, lm_arena* scratch, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	lm_status status = allocate(object, error);
	if (status != LM_OK)
		return status;
	lm_start_positions(description, object->start);
	lm_track_def def;
	status = lm_track_guide_init(&object->guide, &object->base, error);
	if (status == LM_OK)
		status = describe(object, scratch, &def, error);
	if (status == LM_OK)
		status = lm_track_create(&def, &object->base.host, &object->cloth, error);
	if (status == LM_OK)
		status = set_velocities(object, scratch, error);
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
	lm_status status = create_cloth((track_object*)base, &scratch, error);
	lm_arena_release(&scratch);
	return status;
}

static void destroy(lm_object* base)
{
	lm_track_destroy(((track_object*)base)->cloth);
}

static const char* leader_name(const lm_object* base)
{
	return base->description->track->guide.object;
}

// ---- stepping ---------------------------------------------------------------------------------------------------

static void count_intersections(track_object* object)
{
	int64_t count = lm_track_intersections(object->cloth);
	object->record.intersections += count > 0 ? count : 0;
}

// What is shown at the end of a frame: colliders are where the scene has them, also those that were held back.
static void measure_frame(track_object* object, lm_colliders* colliders)
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

static lm_status direct(track_object* object, double time, lm_error* error)
{
	const lm_scene_track* track = object->base.description->track;
	lm_track_settings settings = lm_track_get_settings(object->cloth);
	if (track->wind.count > 0)
		lm_keyed_at(&track->wind, 3, time, settings.wind);
	lm_status status = lm_track_set_settings(object->cloth, &settings, error);
	double all = keyed_or(&track->strength, time, 1);
	for (int32_t i = 0; i < lm_track_constraint_count(object->cloth); ++i)
	{
		double own = i < track->paint_count ? keyed_or(&track->paint[i].strength, time, 1) : 1;
		lm_track_set_constraint(object->cloth, i, all * own);
	}
	return status == LM_OK ? blend_undeformed(object, time, error) : status;
}

static lm_status prepare_one(track_object* object, lm_error* error)
{
	double preroll = object->base.description->track->preroll;
	lm_status status = direct(object, 0, error);
	const double* guide = status == LM_OK ? lm_track_guide_at(&object->guide, 0) : NULL;
	if (status == LM_OK && preroll > 0 && guide != NULL)
		status = lm_track_preroll(object->cloth, preroll, guide, 0, error);
	if (status == LM_OK)
		count_intersections(object); // of the first frame
	object->prepared = status == LM_OK;
	return status;
}

static lm_status prepare(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	(void)colliders; // the cloth has its own, as triangles
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
		if (!((track_object*)objects[i])->prepared)
			status = lm_object_place_error(objects[i], prepare_one((track_object*)objects[i], error), error);
	return status;
}

static lm_track* cloth_of(const lm_object* base)
{
	return ((const track_object*)base)->cloth;
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
static void push(lm_object* base, const int32_t* vertices, int32_t count, const double impulse[3])
{
	lm_track_push(cloth_of(base), vertices, count, impulse, NULL);
}

// ---- cuts -------------------------------------------------------------------------------------------------------

// Whether the guide jumps within this step.
static bool has_cut(const track_object* object)
{
	const lm_scene_track* track = object->base.description->track;
	bool found = false;
	for (int32_t i = 0; i < track->cut_count; ++i)
		found = found ||
		        (track->cuts[i].time > object->base.time && track->cuts[i].time <= lm_object_step_end(&object->base));
	return found;
}

static lm_status cut(track_object* object, const double* guide, double time, lm_error* error)
{
	bool carried;
	lm_status status = lm_track_cut(object->cloth, guide, time, &carried, error);
	if (status == LM_OK && !carried)
		lm_log(
			&object->base.host, LM_LOG_WARNING,
			"%s: at the cut at %.3g s the cloth cannot be put where the guide is, as it would cross a collider there",
			object->base.description->name, time);
	return status;
}

static void warn_of_jump(track_object* object)
{
	double way = lm_track_get_report(object->cloth).target_way;
	if (object->record.told_jump || !(way > 0.5 * object->size))
		return;
	lm_log(&object->base.host, LM_LOG_WARNING,
	       "%s: the guide jumps by %.3g m at %.3g s; name the time in `cuts` if the cloth shall be carried over it",
	       object->base.description->name, way, object->base.time);
	object->record.told_jump = true;
}

static lm_status step_one(track_object* object, lm_colliders* colliders, lm_error* error)
{
	lm_object* base = &object->base;
	int64_t substeps = base->description->substeps;
	double end = base->time + base->h;
	lm_track_keep_pattern(object->cloth, object->record.steps % substeps != 0); // saved between frames
	lm_status status = lm_settings_play(base, error);
	if (status == LM_OK)
		status = lm_timeline_play(base, object->start, error);
	if (status == LM_OK)
		status = direct(object, end, error);
	const double* guide = status == LM_OK ? lm_track_guide_at(&object->guide, end) : NULL;
	if (status == LM_OK && guide != NULL && has_cut(object))
		status = cut(object, guide, end, error);
	if (status == LM_OK)
		status = lm_track_step(object->cloth, base->h, guide, base->time, error);
	if (status == LM_OK)
		warn_of_jump(object);
	if (status == LM_OK && ++object->record.steps % substeps == 0)
		measure_frame(object, colliders);
	return status;
}

static lm_status step(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
		if (objects[i]->due)
			status = lm_object_place_error(objects[i], step_one((track_object*)objects[i], colliders, error), error);
	return status;
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
		                      .max_penetration = ((const track_object*)base)->record.penetration,
		                      .mass = lm_track_mass(cloth) };
	lm_track_center(cloth, facts.center);
	return facts;
}

static const lm_statistic_key statistic_keys[] = {
	{ "constraint_residual", "",
	  "largest distance of an average from the guide's, over constraints that did not yield, relative to the size",
	  false },
	{ "gave_way", "", "share of constraints and steps that gave way to contact", false },
	{ "gave_way_distance", "", "largest distance of an average that gave way from the guide's, relative to the size",
	  false },
	{ "gave_way_distance_mean", "", "the mean of these distances", false },
	{ "intersections", "",
	  "pairs of triangles that intersect, of the cloth and of cloth and colliders as they are shown, by an exact test, "
	  "summed over all frames",
	  true },
	{ "collider_lag", "m", "longest way that a collider was held back at the end of a frame", false },
	{ "stalled", "", "steps in which nothing could move", true },
	{ "pinched", "", "places of the cloth without room between colliders, summed over all frames", true },
	{ "regions", "", "averages that are matched", true },
	{ "iterations_mean", "", "of Newton's method, per step", false },
	{ "converged", "", "share of the steps that converged", false },
	{ "plastic", "rad", "largest change of a fold by yielding in a step", false },
};

static void statistics(const lm_object* base, double* values)
{
	const track_object* object = (const track_object*)base;
	lm_track_report report = lm_track_get_report(object->cloth);
	double done = fmax(1, (double)report.steps);
	int k = 0;
	values[k++] = report.residual_max / object->size;
	values[k++] = (double)report.yielded_sum / fmax(1, (double)report.constraints_sum);
	values[k++] = report.missed_max / object->size;
	values[k++] = report.missed_sum / fmax(1, (double)report.yielded_sum) / object->size;
	values[k++] = (double)object->record.intersections;
	values[k++] = object->record.lag;
	values[k++] = (double)report.stalled_steps;
	values[k++] = (double)object->record.pinched;
	values[k++] = lm_track_constraint_count(object->cloth);
	values[k++] = (double)report.iterations_sum / done;
	values[k++] = report.steps > 0 ? (double)report.converged_steps / done : 1;
	values[k++] = report.plastic;
}

static const lm_statistic_key number_keys[] = {
	{ "kinetic_energy", "J", "of all vertices", false },
	{ "elastic_energy", "J", "of stretching and bending", false },
	{ "residual", "m", "largest distance of a constraint from its target in the last step", false },
	{ "gave_way", "", "constraints that gave way to contact in it", true },
	{ "gave_way_distance", "m", "mean distance of these from their targets", false },
	{ "collider_lag", "m", "longest way that a collider is held back", false },
	{ "pinched", "", "places without room between colliders, where one is held back", true },
	{ "stalled", "", "1 where nothing could move in the last step", true },
	{ "inner_steps", "", "that the last step was taken in", true },
	{ "pairs", "", "close pairs of vertices and triangles, edges and edges", true },
	{ "smallest_gap", "m", "between them; the thickness when nothing is close", false },
	{ "iterations", "", "of Newton's method in the last step", true },
};

static int32_t numbers(const lm_object* base, double* values)
{
	const lm_track* cloth = cloth_of(base);
	lm_track_report report = lm_track_get_report(cloth);
	int k = 0;
	values[k++] = lm_track_kinetic_energy(cloth);
	values[k++] = lm_track_elastic_energy(cloth);
	values[k++] = report.residual;
	values[k++] = report.yielded;
	values[k++] = report.missed;
	values[k++] = report.collider_lag;
	values[k++] = report.pinched;
	values[k++] = report.stalled;
	values[k++] = report.inner_steps;
	values[k++] = report.pairs;
	values[k++] = report.smallest_gap;
	values[k++] = report.iterations;
	return k;
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
	return lm_track_hash(cloth_of(base));
}

static void save(const lm_object* base, lm_blob* blob)
{
	const track_object* object = (const track_object*)base;
	lm_track_save(object->cloth, blob);
	lm_blob_put(blob, &object->record, sizeof object->record);
}

static lm_status load(lm_object* base, lm_blob* blob, lm_error* error)
{
	track_object* object = (track_object*)base;
	lm_status status = lm_track_load(object->cloth, blob, error);
	if (status == LM_OK)
		lm_blob_get(blob, &object->record, sizeof object->record);
	const lm_bytes counts[2] = { lm_counts(&object->record.intersections, 1), lm_counts(&object->record.steps, 1) };
	bool blended = isnan(object->record.blend) || fabs(object->record.blend) <= 1e30;
	if (status == LM_OK && (!blended || !lm_bytes_sound(counts, 2)))
		status = lm_fail(error, LM_BAD_INPUT, "the checkpoint is damaged");
	object->prepared = status == LM_OK;
	return status;
}

const lm_engine lm_engine_track = {
	.name = "track",
	.table = &lm_track_table,
	.settings = offsetof(lm_scene_object, track),
	.gravity = offsetof(lm_scene_track, settings.gravity),
	.density = LM_TRACK_DENSITY,
	.elements = lm_track_elements,
	.change_mesh = lm_track_change_mesh,
	.resolve = lm_track_resolve,
	.resolve_between = lm_track_resolve_between,
	.release = lm_track_release,
	.check_settings = lm_track_check_object,
	.object_size = sizeof(track_object),
	.create = create,
	.destroy = destroy,
	.leader_name = leader_name,
	.prepare = prepare,
	.step = step,
	.pin = pin,
	.unpin = unpin,
	.push = push,
	.live_table = &lm_track_settings_table,
	.keyed = offsetof(lm_scene_track, keyed),
	.get_settings = get_settings,
	.set_settings = set_settings,
	.points = points,
	.facts = facts,
	.statistic_keys = statistic_keys,
	.statistic_count = (int32_t)(sizeof statistic_keys / sizeof statistic_keys[0]),
	.statistics = statistics,
	.number_keys = number_keys,
	.number_count = (int32_t)(sizeof number_keys / sizeof number_keys[0]),
	.numbers = numbers,
	.contact_distance = contact_distance,
	.regions = regions,
	.hash = hash,
	.save = save,
	.load = load,
};
