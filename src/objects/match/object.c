// object.c: the `match` engine as the world sees it. Wraps lm_match and plays the scene's timeline (pins, drags,
// pushes, strengths of examples) to it.
#include "base/error.h"
#include "match/settings.h"
#include "match/state.h"
#include "math/vec.h"
#include "objects/live.h"
#include "objects/match/match.h"
#include "objects/objects.h"
#include "objects/settings.h"
#include "objects/shown.h"
#include "objects/timeline.h"
#include "scene/keys.h"
#include "scene/scene.h"

#include <math.h>

typedef struct match_object
{
	lm_object base;
	lm_match* body;
	double size;          // longest side at rest
	double* start;        // vertex_count x 3: where the vertices began, which pins hold on to
	lm_binding* contacts; // points of the shown surface that touch; NULL: the vertices do
	double* seen;         // vertex_count x 3, and
	bool* touching;       // vertex_count: work space of looking at contacts
} match_object;

// ---- creation ---------------------------------------------------------------------------------------------------

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

// Groups that are regions of their own.
static lm_match_set* list_regions(const lm_scene_object* description, lm_arena* scratch)
{
	const lm_scene_match* match = description->match;
	lm_match_set* sets = LM_TAKE(scratch, match->region_count, lm_match_set);
	for (int32_t s = 0; sets != NULL && s < match->region_count; ++s)
	{
		int32_t found = lm_mesh_find_group(description->mesh, match->regions[s]);
		if (found >= 0)
			sets[s] =
				(lm_match_set){ description->mesh->groups[found].count, description->mesh->groups[found].vertices };
	}
	return sets;
}

// A body made around a surface touches with that. One with tetrahedra of its own touches with these, whatever is shown.
static lm_status choose_contacts(match_object* object, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	if (description->surface == NULL || description->surface_file[0] != 0 || description->mesh->tet_count == 0)
		return LM_OK;
	lm_mesh* shown = NULL;
	lm_binding* binding = NULL;
	const lm_host* host = &object->base.host;
	lm_status status = lm_shown_create(description, host, &shown, &binding, error);
	if (status == LM_OK)
		status = lm_contact_points_create(shown, binding, host, &object->contacts, error);
	lm_binding_destroy(binding);
	lm_mesh_destroy(shown);
	return status;
}

static lm_status create_body(match_object* object, lm_arena* scratch, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const lm_scene_match* match = description->match;
	int32_t count = description->mesh->vertex_count;
	double* velocities = LM_TAKE(scratch, 3 * (size_t)count, double);
	int32_t* region_groups = LM_TAKE(scratch, count, int32_t);
	const double** examples = LM_TAKE(scratch, match->example_count, const double*);
	lm_match_set* sets = list_regions(description, scratch);
	object->start = LM_TAKE(&object->base.memory, 3 * (size_t)count, double);
	object->seen = LM_TAKE(&object->base.memory, 3 * (size_t)count, double);
	object->touching = LM_TAKE(&object->base.memory, count, bool);
	if (velocities == NULL || region_groups == NULL || examples == NULL || sets == NULL || object->start == NULL ||
	    object->seen == NULL || object->touching == NULL)
		return lm_fail_memory(error);
	lm_start_positions(description, object->start);
	double low[3], high[3];
	lm_mesh_bounds(description->mesh->positions, count, low, high);
	object->size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
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
	def.method = match->method;
	def.region_groups = region_groups;
	def.group_count = match->group_count + 1;
	def.ring = match->ring;
	def.set_count = match->region_count, def.sets = sets;
	def.density = description->density;
	if (description->fitted != NULL)
	{
		double* masses = LM_TAKE(scratch, count, double);
		if (masses == NULL)
			return lm_fail_memory(error);
		for (int32_t v = 0; v < count; ++v)
			masses[v] = description->density * description->fitted->volumes[v];
		def.masses = masses;
	}
	def.start = object->start;
	def.settings = match->settings;
	status = choose_contacts(object, error);
	if (status != LM_OK)
		return status;
	def.contacts = object->contacts;
	status = lm_match_create(&def, &object->base.host, &object->body, error);
	if (status != LM_OK)
		return status;
	double center[3];
	lm_match_center(object->body, center);
	lm_start_velocities(description, object->start, center, velocities);
	lm_match_set_positions(object->body, NULL, velocities);
	for (int32_t i = 0; i < match->example_count; ++i)
	{
		double strength;
		lm_keyed_at(&match->examples[i].strength, 1, 0, &strength);
		lm_match_set_example(object->body, i, strength);
	}
	return LM_OK;
}

static lm_status create(lm_object* base, lm_error* error)
{
	lm_arena scratch;
	lm_arena_init(&scratch, &base->host);
	lm_status status = create_body((match_object*)base, &scratch, error);
	lm_arena_release(&scratch);
	return status;
}

static void destroy(lm_object* base)
{
	lm_match_destroy(((match_object*)base)->body);
	lm_binding_destroy(((match_object*)base)->contacts);
}

// ---- stepping ---------------------------------------------------------------------------------------------------

static lm_match* body_of(const lm_object* base)
{
	return ((const match_object*)base)->body;
}

static lm_status pin(lm_object* base, int32_t vertex, const double position[3], lm_error* error)
{
	(void)error;
	lm_match_pin(body_of(base), vertex, position);
	return LM_OK;
}

static void unpin(lm_object* base, int32_t vertex)
{
	lm_match_unpin(body_of(base), vertex);
}

static void drag(lm_object* base, int32_t vertex, const double target[3], double strength)
{
	lm_match_drag(body_of(base), vertex, target, strength);
}

static double mass_of(const lm_object* base, const int32_t* vertices, int32_t count)
{
	return lm_match_mass_of(((const match_object*)base)->body, vertices, count);
}

static void push(lm_object* base, const int32_t* vertices, int32_t count, const double impulse[3])
{
	lm_match_push(body_of(base), vertices, count, impulse);
}

#define LM_TOUCH 0.02 // of the weight: what counts as touching
#define LM_EARTH 9.81 // m/s^2, for the weight of what has no gravity

static double weight_of(const lm_match* body)
{
	lm_match_settings settings = lm_match_get_settings(body);
	double g = lm_length(lm_v3_at(settings.gravity, 0));
	return lm_match_mass(body) * (g > 0 ? g : LM_EARTH);
}

// The strength of an example that answers to contact goes towards one or the other of its two values.
static double answer_contact(const lm_object* base, int32_t i, double strength)
{
	const lm_scene_example* example = &base->description->match->examples[i];
	if (!example->answers)
		return strength;
	const lm_match* body = body_of(base);
	bool touches = lm_match_get_report(body).touch_force > LM_TOUCH * weight_of(body);
	double last = lm_match_get_example(body, i), step = base->h / example->ease;
	double away = (touches ? example->touching : strength) - last;
	return last + fmax(-step, fmin(step, away));
}

// Whether some example answers to contact.
static bool answers_contact(const lm_scene_match* match)
{
	for (int32_t i = 0; i < match->example_count; ++i)
		if (match->examples[i].answers)
			return true;
	return false;
}

static lm_status direct(lm_object* base, lm_colliders* colliders, lm_error* error)
{
	(void)colliders;
	const lm_scene_match* match = base->description->match;
	for (int32_t i = 0; i < match->example_count; ++i)
	{
		double strength;
		lm_keyed_at(&match->examples[i].strength, 1, lm_object_step_end(base), &strength);
		lm_match_set_example(body_of(base), i, lm_live_strength(base, i, answer_contact(base, i, strength)));
	}
	lm_status status = lm_settings_play(base, error);
	return status == LM_OK ? lm_timeline_play(base, ((match_object*)base)->start, error) : status;
}

static lm_status step(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	(void)colliders; // each has its own
	lm_match* bodies[LM_OBJECTS_MAX];
	double h = INFINITY;
	for (int32_t i = 0; i < count; ++i)
	{
		lm_object* object = objects[i];
		bodies[i] = body_of(object);
		if (!object->due)
			continue;
		// what is measured of contact is looked at between frames, or by examples that answer to it
		bool wanted = object->time + 1.5 * object->h > object->frame_end;
		lm_match_measure_contact(bodies[i], wanted || answers_contact(object->description->match));
		lm_match_step(bodies[i], object->h, object->colliders, object->time);
		h = fmin(h, object->h);
	}
	return lm_match_collide(bodies, count, h, error);
}

static void get_settings(const lm_object* base, void* settings)
{
	*(lm_match_settings*)settings = lm_match_get_settings(body_of(base));
}

static lm_status set_settings(lm_object* base, const void* settings, lm_error* error)
{
	return lm_match_set_settings(body_of(base), settings, error);
}

// ---- reading ----------------------------------------------------------------------------------------------------

lm_match* lm_object_match(lm_object* object)
{
	return object->engine == &lm_engine_match ? body_of(object) : NULL;
}

static void velocities_of(const lm_object* base, double* velocities)
{
	lm_match_velocities(((const match_object*)base)->body, velocities);
}

static lm_status take_velocities(lm_object* base, const double* velocities, lm_error* error)
{
	(void)error;
	lm_match_set_positions(((match_object*)base)->body, NULL, velocities);
	return LM_OK;
}

static void points(const lm_object* base, double* positions)
{
	lm_match_positions(body_of(base), positions);
}

static lm_object_facts facts(const lm_object* base)
{
	const lm_match* body = body_of(base);
	lm_match_report report = lm_match_get_report(body);
	lm_object_facts facts = { .point_count = lm_match_vertex_count(body),
		                      .unknowns = 3 * (int64_t)lm_match_vertex_count(body),
		                      .parameters = lm_match_weight_rows(body) * report.example_count,
		                      .steps = report.steps,
		                      .max_penetration = report.max_penetration,
		                      .mass = lm_match_mass(body),
		                      .example_count = report.example_count };
	lm_match_center(body, facts.center);
	return facts;
}

static const lm_statistic_key statistic_keys[] = {
	{ "region_count", "", "regions that are matched, one per particle", true },
	{ "example_count", "", "example poses", true },
	{ "weights_min", "", "smallest weight of an example or the rest pose in the run; never negative", false },
	{ "weights_sum_max", "", "largest sum of the weights of a projection in the run; 1 up to rounding", false },
	{ "recovered", "", "times that a particle had to be brought back because it left the numbers we can hold", true },
	{ "calmed", "", "steps in which touches with bodies of `act` would have given it more speed than they can", true },
};

static void statistics(const lm_object* base, double* values)
{
	lm_match_report report = lm_match_get_report(body_of(base));
	values[0] = report.region_count;
	values[1] = report.example_count;
	values[2] = report.weights_min;
	values[3] = report.weights_sum_max;
	values[4] = (double)report.recovered;
	values[5] = (double)report.calmed;
}

static const lm_statistic_key number_keys[] = {
	{ "kinetic_energy", "J", "of all particles", false },
	{ "contact_force", "N", "of colliders at the end of the last step, friction included", false },
	{ "weight_rest", "", "weight of the rest shape, mean over the projections", false },
	{ "weight_1", "", "weight of the first example, mean over the projections", false },
	{ "weight_2", "", "of the second", false },
	{ "weight_3", "", "of the third", false },
	{ "weight_4", "", "of the fourth", false },
	{ "weight_5", "", "of the fifth", false },
	{ "weight_6", "", "of the sixth", false },
	{ "weight_7", "", "of the seventh", false },
	{ "weight_8", "", "of the eighth; there may be more", false },
};

static int32_t numbers(const lm_object* base, double* values)
{
	enum
	{
		SHOWN = 9 // the rest shape and eight examples
	};
	const lm_match* body = body_of(base);
	int32_t rows = lm_match_weight_rows(body), count = lm_match_get_report(body).example_count;
	int32_t shown = count == 0 ? 0 : count + 1 < SHOWN ? count + 1 : SHOWN;
	double weights[65], *shares = values + 2;
	values[0] = lm_match_kinetic_energy(body);
	values[1] = lm_match_get_report(body).contact_force;
	for (int32_t k = 0; k < shown; ++k)
		shares[k] = 0;
	for (int32_t row = 0; row < rows && shown > 0; ++row)
	{
		lm_match_weights(body, row, weights);
		for (int32_t k = 0; k < shown; ++k)
			shares[k] += weights[k] / rows;
	}
	return 2 + shown;
}

static bool example(const lm_object* base, int32_t k, double time, lm_engine_example* example)
{
	const lm_scene_match* match = base->description->match;
	if (k >= match->example_count)
		return false;
	*example = (lm_engine_example){ match->examples[k].file != NULL ? match->examples[k].file : "", 1 };
	if (match->examples[k].strength.count > 0)
		lm_keyed_at(&match->examples[k].strength, 1, time, &example->strength);
	return true;
}

// Whether a point touches: those that contact has put on a surface are there up to rounding.
static bool touches(const match_object* object, const double x[3])
{
	double near = lm_match_get_settings(object->body).thickness + 1e-4 * object->size;
	return lm_colliders_query(object->base.colliders, x, near).collider >= 0;
}

// The vertex that carries most of point k of the shown surface, and where that point is.
static int32_t carrier(const match_object* object, int32_t k, double x[3])
{
	lm_binding_view rows = lm_binding_get(object->contacts);
	int64_t heaviest = rows.starts[k];
	x[0] = x[1] = x[2] = 0;
	for (int64_t e = rows.starts[k]; e < rows.starts[k + 1]; ++e)
	{
		heaviest = rows.weights[e] > rows.weights[heaviest] ? e : heaviest;
		for (int c = 0; c < 3; ++c)
			x[c] += rows.weights[e] * object->seen[3 * (int64_t)rows.points[e] + c];
	}
	return rows.points[heaviest];
}

static int32_t contacts(const lm_object* base, int32_t* vertices)
{
	const match_object* object = (const match_object*)base;
	int32_t found = 0, count = lm_match_vertex_count(object->body);
	lm_match_positions(object->body, object->seen);
	for (int32_t v = 0; v < count; ++v)
		object->touching[v] = object->contacts == NULL && touches(object, object->seen + 3 * (int64_t)v);
	for (int32_t k = 0; object->contacts != NULL && k < lm_binding_get(object->contacts).vertex_count; ++k)
	{
		double x[3];
		int32_t by = carrier(object, k, x);
		object->touching[by] = object->touching[by] || touches(object, x);
	}
	for (int32_t v = 0; v < count; ++v)
	{
		if (!object->touching[v])
			continue;
		if (vertices != NULL)
			vertices[found] = v;
		++found;
	}
	return found;
}

// Regions that follow the examples together.
static int32_t regions(const lm_object* base, int32_t* regions, double* shares)
{
	const lm_match* body = body_of(base);
	for (int32_t v = 0; v < lm_match_vertex_count(body); ++v)
		regions[v] = lm_match_weight_row(body, v), shares[v] = 1;
	return lm_match_weight_rows(body);
}

static int32_t blend(const lm_object* base, int32_t point, double* shares)
{
	const lm_match* body = body_of(base);
	lm_match_weights(body, lm_match_weight_row(body, point), shares);
	return lm_match_get_report(body).example_count + 1;
}

static uint64_t hash(const lm_object* base)
{
	return lm_match_hash(body_of(base));
}

static void save(const lm_object* base, lm_blob* blob)
{
	lm_match_save(body_of(base), blob);
}

static lm_status load(lm_object* base, lm_blob* blob, lm_error* error)
{
	return lm_match_load(body_of(base), blob, error);
}

const lm_engine lm_engine_match = {
	.name = "match",
	.table = &lm_match_table,
	.settings = offsetof(lm_scene_object, match),
	.gravity = offsetof(lm_scene_match, settings.gravity),
	.density = 1000,
	.pushed_out = true,
	.elements = lm_match_elements,
	.resolve = lm_match_resolve,
	.release = lm_match_release,
	.check_settings = lm_match_check_object,
	.object_size = sizeof(match_object),
	.create = create,
	.destroy = destroy,
	.direct = direct,
	.step = step,
	.pin = pin,
	.unpin = unpin,
	.drag = drag,
	.push = push,
	.mass_of = mass_of,
	.live_table = &lm_match_settings_table,
	.keyed = offsetof(lm_scene_match, keyed),
	.get_settings = get_settings,
	.set_settings = set_settings,
	.velocities = velocities_of,
	.set_velocities = take_velocities,
	.points = points,
	.facts = facts,
	.statistic_keys = statistic_keys,
	.statistic_count = (int32_t)(sizeof statistic_keys / sizeof statistic_keys[0]),
	.statistics = statistics,
	.number_keys = number_keys,
	.number_count = (int32_t)(sizeof number_keys / sizeof number_keys[0]),
	.numbers = numbers,
	.example = example,
	.contacts = contacts,
	.regions = regions,
	.blend = blend,
	.hash = hash,
	.save = save,
	.load = load,
};
