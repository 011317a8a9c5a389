// track_object.c: the `track` engine as the world sees it. Wraps lm_track and plays the scene to it: the guide, the
// strength of its constraints, pins, wind and undeformed shapes that change.
//
// A guide may be another object, of any engine, which has to have stepped before: `step` only notes what is due, and
// `collide`, which the world calls once all objects of a round have stepped, takes the steps, leaders first.
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "objects/engine.h"
#include "objects/timeline.h"
#include "objects/track/track_guide.h"
#include "track/state.h"

#include <math.h>
#include <string.h>

#define CLUSTER_FRAMES 16 // of the guide, that clusters are made from

typedef struct track_object
{
	lm_host host;
	lm_arena memory; // copies of what the scene says over time
	lm_track* cloth;
	double size;
	double* start; // vertex_count x 3: where the vertices began
	lm_timeline timeline;
	lm_track_guide guide;
	lm_keyed strength, wind, blend;
	int32_t paint_count;
	lm_keyed* paint_strengths;
	double preroll;
	double *undeformed, *undeformed_to, *blended; // NULL when the undeformed shape never changes
	bool prepared;
	// the step that is due
	bool due;
	double time, h;
	// what goes into checkpoints besides the cloth
	struct
	{
		double blend;
		int64_t intersections, steps, substeps;
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

static const lm_mesh* mesh_of_guide(const lm_scene* scene, const lm_scene_track* track)
{
	for (int32_t i = 0; track->guide.object[0] != 0 && i < scene->object_count; ++i)
		if (strcmp(scene->objects[i].name, track->guide.object) == 0)
			return scene->objects[i].mesh;
	return track->guide.mesh;
}

static lm_status describe(track_object* object, const lm_scene* scene, const lm_scene_object* description,
                          lm_arena* scratch, lm_track_def* def, lm_error* error)
{
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
		def->guide = mesh_of_guide(scene, track);
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

// What a scene that was filled in by a program leaves out.
static void keyed_or(const lm_keyed* keyed, int32_t width, double time, double fallback, double* value)
{
	for (int32_t c = 0; c < width; ++c)
		value[c] = fallback;
	if (keyed->count > 0)
		lm_keyed_at(keyed, width, time, value);
}

static lm_status blend_undeformed(track_object* object, double time, lm_error* error)
{
	double blend;
	keyed_or(&object->blend, 1, time, 0, &blend);
	if (object->undeformed == NULL || blend == object->record.blend)
		return LM_OK;
	for (int64_t i = 0; i < 3 * (int64_t)lm_track_vertex_count(object->cloth); ++i)
		object->blended[i] = object->undeformed[i] + blend * (object->undeformed_to[i] - object->undeformed[i]);
	lm_status status = lm_track_set_undeformed(object->cloth, object->blended, error);
	if (status == LM_OK)
		object->record.blend = blend;
	return status;
}

// Copies of what the scene says over time. False when out of memory.
static bool keep(track_object* object, const lm_scene_object* description)
{
	const lm_scene_track* track = description->track;
	const lm_mesh* first = track->undeformed != NULL ? track->undeformed : description->mesh;
	const lm_mesh* second = track->undeformed_to != NULL ? track->undeformed_to : first;
	size_t numbers = 3 * (size_t)description->mesh->vertex_count;
	lm_arena* memory = &object->memory;
	object->strength = track->strength, object->wind = track->wind, object->blend = track->blend;
	object->preroll = track->preroll, object->paint_count = track->paint_count;
	object->paint_strengths = LM_TAKE(memory, track->paint_count, lm_keyed);
	bool kept = object->paint_strengths != NULL &&
	            lm_timeline_keep(&object->timeline, description, object->start, memory) &&
	            lm_keep_keyed(memory, &object->strength, 1) && lm_keep_keyed(memory, &object->wind, 3) &&
	            lm_keep_keyed(memory, &object->blend, 1);
	for (int32_t i = 0; kept && i < track->paint_count; ++i)
	{
		object->paint_strengths[i] = track->paint[i].strength;
		kept = lm_keep_keyed(memory, &object->paint_strengths[i], 1);
	}
	if (kept && (track->undeformed != NULL || track->undeformed_to != NULL))
	{
		object->undeformed = lm_keep(memory, first->positions, numbers, sizeof(double));
		object->undeformed_to = lm_keep(memory, second->positions, numbers, sizeof(double));
		object->blended = LM_TAKE(memory, numbers, double);
		kept = object->undeformed != NULL && object->undeformed_to != NULL && object->blended != NULL;
	}
	return kept;
}

static lm_status create_cloth(track_object* object, const lm_scene* scene, const lm_scene_object* description,
                              lm_arena* scratch, lm_error* error)
{
	size_t numbers = 3 * (size_t)description->mesh->vertex_count;
	double* velocities = LM_TAKE(scratch, numbers, double);
	object->start = LM_TAKE(&object->memory, numbers, double);
	if (velocities == NULL || object->start == NULL)
		return lm_fail_memory(error);
	lm_start_positions(description, object->start);
	lm_track_def def;
	lm_status status = lm_track_guide_keep(&object->guide, scene, description, &object->memory, &object->host, error);
	if (status == LM_OK)
		status = describe(object, scene, description, scratch, &def, error);
	if (status == LM_OK)
		status = lm_track_create(&def, &object->host, &object->cloth, error);
	if (status != LM_OK)
		return status;
	double center[3], low[3], high[3];
	lm_track_center(object->cloth, center);
	lm_start_velocities(description, object->start, center, velocities);
	status = lm_track_set_positions(object->cloth, NULL, velocities, error);
	lm_mesh_bounds(description->mesh->positions, description->mesh->vertex_count, low, high);
	object->size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
	object->record.blend = NAN; // nothing is equal to it: the first blend is always taken
	object->record.substeps = description->substeps;
	if (status == LM_OK && !keep(object, description))
		status = lm_fail_memory(error);
	return status == LM_OK ? blend_undeformed(object, 0, error) : status;
}

static void destroy(void* data)
{
	track_object* object = data;
	if (object == NULL)
		return;
	lm_track_destroy(object->cloth);
	lm_track_guide_release(&object->guide);
	lm_arena_release(&object->memory);
	lm_free(&object->host, object);
}

static lm_status create(const lm_scene* scene, const lm_scene_object* description, const lm_host* host, void** result,
                        lm_error* error)
{
	track_object* object = LM_NEW(host, 1, track_object);
	if (object == NULL)
		return lm_fail_memory(error);
	object->host = *host;
	lm_arena_init(&object->memory, host);
	lm_arena scratch;
	lm_arena_init(&scratch, host);
	lm_status status = create_cloth(object, scene, description, &scratch, error);
	lm_arena_release(&scratch);
	if (status == LM_OK)
		*result = object;
	else
		destroy(object);
	return status;
}

static const char* leader_name(const void* object)
{
	return ((const track_object*)object)->guide.name;
}

static void set_leader(void* data, const lm_engine* engine, const void* leader)
{
	track_object* object = data;
	object->guide.engine = engine;
	object->guide.leader = leader;
}

// ---- stepping ---------------------------------------------------------------------------------------------------

static void count_intersections(track_object* object)
{
	int64_t count = lm_track_intersections(object->cloth);
	object->record.intersections += count > 0 ? count : 0;
}

static lm_status direct(track_object* object, double time, lm_error* error)
{
	lm_track_settings settings = lm_track_get_settings(object->cloth);
	if (object->wind.count > 0)
		lm_keyed_at(&object->wind, 3, time, settings.wind);
	lm_status status = lm_track_set_settings(object->cloth, &settings, error);
	double all, own;
	keyed_or(&object->strength, 1, time, 1, &all);
	for (int32_t i = 0; i < lm_track_constraint_count(object->cloth); ++i)
	{
		own = 1;
		if (i < object->paint_count)
			keyed_or(&object->paint_strengths[i], 1, time, 1, &own);
		lm_track_set_constraint(object->cloth, i, all * own);
	}
	return status == LM_OK ? blend_undeformed(object, time, error) : status;
}

// A leader that is a cloth has to be where it begins.
static lm_status prepare(void* data, lm_error* error)
{
	track_object* object = data;
	if (object->prepared)
		return LM_OK;
	object->prepared = true;
	lm_status status = LM_OK;
	if (object->guide.leader != NULL && object->guide.engine->prepare != NULL)
		status = object->guide.engine->prepare((void*)object->guide.leader, error);
	if (status == LM_OK)
		status = direct(object, 0, error);
	const double* guide = status == LM_OK ? lm_track_guide_at(&object->guide, 0) : NULL;
	if (status == LM_OK && object->preroll > 0 && guide != NULL)
		status = lm_track_preroll(object->cloth, object->preroll, guide, 0, error);
	if (status == LM_OK)
		count_intersections(object); // of the first frame
	object->prepared = status == LM_OK;
	return status;
}

typedef struct pinning
{
	lm_track* cloth;
	lm_error* error;
	lm_status status;
} pinning;

static void pin(void* data, int32_t vertex, const double position[3])
{
	pinning* p = data;
	lm_status status = lm_track_pin(p->cloth, vertex, position, p->error);
	p->status = p->status == LM_OK ? status : p->status;
}

static void unpin(void* data, int32_t vertex)
{
	lm_track_unpin(((pinning*)data)->cloth, vertex);
}

static void drag(void* data, int32_t vertex, const double target[3], double strength)
{
	(void)data, (void)vertex, (void)target, (void)strength; // scenes with drags are refused
}

static void push(void* data, const int32_t* vertices, int32_t count, const double impulse[3])
{
	(void)data, (void)vertices, (void)count, (void)impulse;
}

static void step(void* data, double time, double h, lm_colliders* colliders)
{
	(void)colliders; // the cloth has its own, as triangles
	track_object* object = data;
	object->due = true;
	object->time = time, object->h = h;
}

static lm_status take_step(track_object* object, lm_error* error)
{
	static const lm_timeline_target target = { pin, unpin, drag, push };
	double end = object->time + object->h;
	pinning pins = { object->cloth, error, LM_OK };
	lm_track_keep_pattern(object->cloth, object->record.steps % object->record.substeps != 0); // saved between frames
	lm_timeline_play(&object->timeline, object->time, object->h, &target, &pins);
	lm_status status = pins.status == LM_OK ? direct(object, end, error) : pins.status;
	if (status == LM_OK)
		status = lm_track_step(object->cloth, object->h, lm_track_guide_at(&object->guide, end), object->time, error);
	if (status == LM_OK && ++object->record.steps % object->record.substeps == 0)
		count_intersections(object);
	return status;
}

static lm_status collide(void* const* objects, int32_t count, double h, lm_error* error)
{
	(void)h;
	lm_status status = LM_OK;
	for (bool more = true; status == LM_OK && more;)
	{
		more = false;
		for (int32_t i = 0; status == LM_OK && i < count; ++i)
		{
			track_object* object = objects[i];
			bool waits = false;
			for (int32_t j = 0; j < count; ++j)
				waits |= objects[j] == object->guide.leader && ((const track_object*)objects[j])->due;
			if (!object->due || waits)
				continue;
			status = take_step(object, error);
			object->due = false;
			more = true;
		}
	}
	for (int32_t i = 0; i < count; ++i)
		((track_object*)objects[i])->due = false;
	return status;
}

// ---- reading ----------------------------------------------------------------------------------------------------

lm_track* lm_track_object_cloth(void* object)
{
	return ((track_object*)object)->cloth;
}

static const lm_track* cloth_of(const void* object)
{
	return ((const track_object*)object)->cloth;
}

static int32_t point_count(const void* object)
{
	return lm_track_vertex_count(cloth_of(object));
}

static void points(const void* object, double* positions)
{
	lm_track_positions(cloth_of(object), positions);
}

static void center(const void* object, double c[3])
{
	lm_track_center(cloth_of(object), c);
}

static double max_penetration(const void* object)
{
	(void)object;
	return 0; // it is never inside anything
}

static int64_t steps(const void* object)
{
	return lm_track_get_report(cloth_of(object)).steps;
}

static int32_t parameters(const void* object)
{
	return 3 * lm_track_constraint_count(cloth_of(object));
}

static const lm_statistic_key statistic_keys[] = {
	{ "constraint_residual", "",
	  "largest distance of an average from the guide's, over constraints that did not give way, relative to the size",
	  false },
	{ "yielded", "", "share of constraints and steps that gave way to contact", false },
	{ "intersections", "",
	  "pairs of triangles that intersect, of the cloth and of cloth and colliders, by an exact test, summed over all "
	  "frames",
	  true },
	{ "regions", "", "averages that are matched", true },
	{ "iterations_mean", "", "of Newton's method, per step", false },
	{ "converged", "", "share of the steps that converged", false },
	{ "plastic", "rad", "largest change of a fold by yielding in a step", false },
};

static void statistics(const void* data, double* values)
{
	const track_object* object = data;
	lm_track_report report = lm_track_get_report(object->cloth);
	double done = fmax(1, (double)report.steps);
	int k = 0;
	values[k++] = report.residual_max / object->size;
	values[k++] = (double)report.yielded_sum / fmax(1, (double)report.constraints_sum);
	values[k++] = (double)object->record.intersections;
	values[k++] = lm_track_constraint_count(object->cloth);
	values[k++] = (double)report.iterations_sum / done;
	values[k++] = report.steps > 0 ? (double)report.converged_steps / done : 1;
	values[k++] = report.plastic;
}

static uint64_t hash(const void* object)
{
	return lm_track_hash(cloth_of(object));
}

static void save(const void* data, lm_blob* blob)
{
	const track_object* object = data;
	lm_track_save(object->cloth, blob);
	lm_blob_put(blob, &object->record, sizeof object->record);
}

static lm_status load(void* data, lm_blob* blob, lm_error* error)
{
	track_object* object = data;
	lm_status status = lm_track_load(object->cloth, blob, error);
	if (status == LM_OK)
		lm_blob_get(blob, &object->record, sizeof object->record);
	object->prepared = status == LM_OK;
	return status;
}

const lm_engine lm_engine_track = {
	.name = "track",
	.create = create,
	.destroy = destroy,
	.leader_name = leader_name,
	.set_leader = set_leader,
	.prepare = prepare,
	.step = step,
	.collide = collide,
	.point_count = point_count,
	.points = points,
	.center = center,
	.max_penetration = max_penetration,
	.steps = steps,
	.parameters = parameters,
	.statistic_keys = statistic_keys,
	.statistic_count = (int32_t)(sizeof statistic_keys / sizeof statistic_keys[0]),
	.statistics = statistics,
	.hash = hash,
	.save = save,
	.load = load,
};
