// match_object.c: the `match` engine as the world sees it. Wraps lm_match and plays the scene's timeline (pins, drags,
// pushes, strengths of examples) to it.
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "match/state.h"
#include "objects/engine.h"
#include "objects/timeline.h"

typedef struct match_object
{
	lm_host host;
	lm_arena memory; // copies of the timeline
	lm_match* body;
	double* start; // vertex_count x 3: where the vertices began, which pins hold on to
	lm_timeline timeline;
	int32_t example_count;
	lm_keyed* strengths; // of the examples
} match_object;

// ---- creation ---------------------------------------------------------------------------------------------------

static bool keep_timeline(match_object* object, const lm_scene_object* description)
{
	const lm_scene_match* match = description->match;
	object->example_count = match->example_count;
	object->strengths = LM_TAKE(&object->memory, object->example_count, lm_keyed);
	bool kept =
		object->strengths != NULL && lm_timeline_keep(&object->timeline, description, object->start, &object->memory);
	for (int32_t i = 0; kept && i < object->example_count; ++i)
	{
		object->strengths[i] = match->examples[i].strength;
		kept = lm_keep_keyed(&object->memory, &object->strengths[i], 1);
	}
	return kept;
}

static void set_moving(match_object* object, const lm_scene_object* description, double* velocities)
{
	double c[3];
	lm_match_center(object->body, c);
	lm_start_velocities(description, object->start, c, velocities);
	lm_match_set_positions(object->body, NULL, velocities);
}

// The first named group that a vertex is in; everything else forms one more group.
static lm_status group_regions(const lm_scene_object* description, int32_t* region_groups, lm_error* error)
{
	const lm_scene_match* match = description->match;
	const lm_mesh* mesh = description->mesh;
	for (int32_t i = 0; i < mesh->vertex_count; ++i)
		region_groups[i] = match->group_count;
	for (int32_t g = match->group_count - 1; g >= 0; --g)
	{
		int32_t found = lm_mesh_find_group(mesh, match->groups[g]);
		if (found < 0)
			return lm_fail(error, LM_BAD_INPUT, "object \"%s\": the mesh has no vertex group \"%s\"", description->name,
			               match->groups[g]);
		for (int32_t k = 0; k < mesh->groups[found].count; ++k)
			region_groups[mesh->groups[found].vertices[k]] = g;
	}
	return LM_OK;
}

static lm_status create_body(match_object* object, const lm_scene_object* description, lm_arena* scratch,
                             lm_error* error)
{
	const lm_scene_match* match = description->match;
	int32_t count = description->mesh->vertex_count;
	double* velocities = LM_TAKE(scratch, 3 * (size_t)count, double);
	int32_t* region_groups = LM_TAKE(scratch, count, int32_t);
	const double** examples = LM_TAKE(scratch, match->example_count, const double*);
	object->start = LM_NEW(&object->host, 3 * (size_t)count, double);
	if (velocities == NULL || region_groups == NULL || examples == NULL || object->start == NULL)
		return lm_fail_memory(error);
	lm_start_positions(description, object->start);
	lm_status status = group_regions(description, region_groups, error);
	if (status != LM_OK)
		return status;
	for (int32_t k = 0; k < match->example_count; ++k)
		examples[k] = match->examples[k].mesh->positions;

	lm_match_def def = lm_match_def_default();
	def.mesh = description->mesh;
	def.example_count = match->example_count;
	def.examples = examples;
	def.locality = match->locality;
	def.descriptor = match->descriptor;
	def.region_groups = region_groups;
	def.group_count = match->group_count + 1;
	def.ring = match->ring;
	def.density = description->density;
	def.start = object->start;
	def.settings = match->settings;
	status = lm_match_create(&def, &object->host, &object->body, error);
	if (status == LM_OK)
		set_moving(object, description, velocities);
	return status;
}

static void destroy(void* data)
{
	match_object* object = data;
	if (object == NULL)
		return;
	lm_match_destroy(object->body);
	lm_arena_release(&object->memory);
	lm_free(&object->host, object->start);
	lm_free(&object->host, object);
}

static lm_status create(const lm_scene* scene, const lm_scene_object* description, const lm_host* host, void** result,
                        lm_error* error)
{
	(void)scene;
	for (int32_t k = 0; k < description->match->example_count; ++k)
		if (!lm_engine_takes_example(description, k, description->match->examples[k].mesh, error))
			return LM_BAD_INPUT;
	match_object* object = LM_NEW(host, 1, match_object);
	if (object == NULL)
		return lm_fail_memory(error);
	object->host = *host;
	lm_arena_init(&object->memory, host);
	lm_arena scratch;
	lm_arena_init(&scratch, host);
	lm_status status = create_body(object, description, &scratch, error);
	lm_arena_release(&scratch);
	if (status == LM_OK && !keep_timeline(object, description))
		status = lm_fail_memory(error);
	if (status != LM_OK)
	{
		destroy(object);
		return status;
	}
	*result = object;
	return LM_OK;
}

// ---- stepping ---------------------------------------------------------------------------------------------------

static void pin(void* body, int32_t vertex, const double position[3])
{
	lm_match_pin(body, vertex, position);
}

static void unpin(void* body, int32_t vertex)
{
	lm_match_unpin(body, vertex);
}

static void drag(void* body, int32_t vertex, const double target[3], double strength)
{
	lm_match_drag(body, vertex, target, strength);
}

static void push(void* body, const int32_t* vertices, int32_t count, const double impulse[3])
{
	lm_match_push(body, vertices, count, impulse);
}

static void direct(match_object* object, double time, double h)
{
	static const lm_timeline_target target = { pin, unpin, drag, push };
	lm_timeline_play(&object->timeline, time, h, &target, object->body);
	for (int32_t i = 0; i < object->example_count; ++i)
	{
		double strength;
		lm_keyed_at(&object->strengths[i], 1, time + h, &strength);
		lm_match_set_example(object->body, i, strength);
	}
}

static void step(void* data, double time, double h, lm_colliders* colliders)
{
	match_object* object = data;
	direct(object, time, h);
	lm_match_step(object->body, h, colliders, time);
}

static lm_status collide(void* const* objects, int32_t count, double h, lm_error* error)
{
	lm_match* bodies[LM_OBJECTS_MAX];
	for (int32_t i = 0; i < count; ++i)
		bodies[i] = ((match_object*)objects[i])->body;
	return lm_match_collide(bodies, count, h, error);
}

// ---- reading ----------------------------------------------------------------------------------------------------

lm_match* lm_match_object_body(void* object)
{
	return ((match_object*)object)->body;
}

static const lm_match* body_of(const void* object)
{
	return ((const match_object*)object)->body;
}

static int32_t point_count(const void* object)
{
	return lm_match_vertex_count(body_of(object));
}

static void points(const void* object, double* positions)
{
	lm_match_positions(body_of(object), positions);
}

static void center(const void* object, double c[3])
{
	lm_match_center(body_of(object), c);
}

static double max_penetration(const void* object)
{
	return lm_match_get_report(body_of(object)).max_penetration;
}

static int64_t steps(const void* object)
{
	return lm_match_get_report(body_of(object)).steps;
}

static int32_t parameters(const void* object)
{
	return lm_match_weight_rows(body_of(object)) * lm_match_get_report(body_of(object)).example_count;
}

static const lm_statistic_key statistic_keys[] = {
	{ "region_count", "", "regions that are matched, one per particle", true },
	{ "example_count", "", "example poses", true },
	{ "weights_min", "", "smallest weight of an example or the rest pose in the run; never negative", false },
	{ "weights_sum_max", "", "largest sum of the weights of a projection in the run; 1 up to rounding", false },
	{ "recovered", "", "times that a particle had to be brought back because it left the numbers we can hold", true },
};

static void statistics(const void* object, double* values)
{
	lm_match_report report = lm_match_get_report(body_of(object));
	values[0] = report.region_count;
	values[1] = report.example_count;
	values[2] = report.weights_min;
	values[3] = report.weights_sum_max;
	values[4] = (double)report.recovered;
}

static uint64_t hash(const void* object)
{
	return lm_match_hash(body_of(object));
}

static void save(const void* object, lm_blob* blob)
{
	lm_match_save(body_of(object), blob);
}

static lm_status load(void* object, lm_blob* blob, lm_error* error)
{
	return lm_match_load(((match_object*)object)->body, blob, error);
}

const lm_engine lm_engine_match = {
	.name = "match",
	.pushed_out = true,
	.create = create,
	.destroy = destroy,
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
