// Limits of scene files and of engines are the same: for every number of a scene file that is handed to an engine's
// settings, the engine takes both ends of the range that the schema gives, and refuses what lies beyond, as the reader
// does.
#include "test.h"

#include "act/scenes.h"
#include "fake_files.h"
#include "limber/limber.h"

#include <jansson.h>

typedef struct limit limit;

// A key of the schema, the number of an engine's def that it becomes, and whether the engine takes it.
struct limit
{
	const char *table, *key;
	bool (*takes)(const limit* l, double value);
	size_t offset; // in what `takes` fills
	bool whole;    // an int32_t
};

static void put(void* def, const limit* l, double value)
{
	if (l->whole)
		*(int32_t*)((char*)def + l->offset) = (int32_t)value;
	else
		*(double*)((char*)def + l->offset) = value;
}

// Whether a value is out of its range; anything else that goes wrong is a mistake of this test.
static bool is_taken(lm_status status, const lm_error* error)
{
	if (status != LM_OK && status != LM_BAD_INPUT)
		fail_msg("%s", error->message);
	return status == LM_OK;
}

// ---- the engines ----

static bool match_takes(const limit* l, double value)
{
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* mesh = test_block(&host, 1, 1, 1, 1);
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh;
	put(&def, l, value);
	lm_match* body = NULL;
	lm_status status = lm_match_create(&def, &host, &body, &error);
	lm_match_destroy(body);
	lm_mesh_destroy(mesh);
	return is_taken(status, &error);
}

static bool act_takes(const limit* l, double value)
{
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* mesh = scene_rectangle(&host, 2, 2, 0.5);
	lm_act_def def = lm_act_def_default();
	def.mesh = mesh;
	def.kind = strstr(l->key, "bend") != NULL ? LM_ACT_SHELL : LM_ACT_SOLID2;
	put(&def, l, value);
	lm_act* body = NULL;
	lm_status status = lm_act_create(&def, &host, &body, &error);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
	return is_taken(status, &error);
}

static bool track_takes(const limit* l, double value)
{
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* mesh = scene_rectangle(&host, 2, 2, 0.5);
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh;
	def.settings.self_contact = false; // or it must be thinner than its edges are long
	put(&def, l, value);
	lm_track* cloth = NULL;
	lm_status status = lm_track_create(&def, &host, &cloth, &error);
	lm_track_destroy(cloth);
	lm_mesh_destroy(mesh);
	return is_taken(status, &error);
}

static bool collider_takes(const limit* l, double value)
{
	lm_host host = lm_host_default();
	lm_error error;
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def def = lm_collider_def_default();
	def.shape = strcmp(l->key, "half") == 0 ? LM_SHAPE_BOX : LM_SHAPE_CAPSULE;
	def.key_count = 1, def.keys = &key;
	put(&def, l, value);
	lm_colliders* colliders = NULL;
	lm_status status = lm_colliders_create(&def, 1, &host, &colliders, &error);
	lm_colliders_destroy(colliders);
	return is_taken(status, &error);
}

// ---- design ----

static lm_design_model* small_model(void)
{
	lm_host host = lm_host_default();
	lm_mesh* surface = fake_surface(&host);
	lm_design_model_def def = lm_design_model_def_default();
	lm_design_model* model = NULL;
	def.surface = surface, def.nodes = 8, def.voxels = 1000;
	assert_int_equal(lm_design_model_create(&def, &host, &model, NULL), LM_OK);
	lm_mesh_destroy(surface);
	return model;
}

static bool cancel(const char* what, double done, void* context)
{
	(void)what, (void)done, (void)context;
	return false;
}

// What is good is cancelled: models of a million voxels take their time.
static bool model_takes(const limit* l, double value)
{
	lm_host host = lm_host_default();
	host.progress = cancel;
	lm_error error;
	lm_mesh* surface = fake_surface(&host);
	lm_design_model_def def = lm_design_model_def_default();
	lm_design_model* model = NULL;
	def.surface = surface;
	put(&def, l, value);
	lm_status status = lm_design_model_create(&def, &host, &model, &error);
	lm_mesh_destroy(surface);
	assert_null(model);
	return status == LM_CANCELLED || is_taken(status, &error);
}

static bool pose_takes(const limit* l, double value)
{
	lm_host host = lm_host_default();
	lm_error error;
	lm_design_model* model = small_model();
	lm_design_pose_settings settings = lm_design_pose_settings_default();
	put(&settings, l, value);
	lm_design_pose* pose = NULL;
	lm_status status = lm_design_pose_create(model, &settings, &host, &pose, &error);
	lm_design_pose_destroy(pose);
	lm_design_model_destroy(model);
	return is_taken(status, &error);
}

static bool handle_takes(const limit* l, double value)
{
	lm_host host = lm_host_default();
	lm_error error;
	lm_design_model* model = small_model();
	lm_design_pose_settings settings = lm_design_pose_settings_default();
	lm_design_pose* pose = NULL;
	assert_int_equal(lm_design_pose_create(model, &settings, &host, &pose, NULL), LM_OK);
	lm_design_pose_handle handle = lm_design_pose_handle_default();
	handle.count = 1, handle.vertices = (int32_t[]){ 0 }, handle.targets = (double[3]){ 0 };
	put(&handle, l, value);
	lm_status status = lm_design_pose_set_handles(pose, &handle, 1, &error);
	lm_design_pose_destroy(pose);
	lm_design_model_destroy(model);
	return is_taken(status, &error);
}

typedef struct performance_def
{
	lm_design_performance_object object;
	lm_design_performance_settings settings;
} performance_def;

// One object that rests for a moment.
static bool performance_takes(const limit* l, double value)
{
	lm_host host = lm_host_default();
	lm_error error;
	lm_design_model* model = small_model();
	double* nodes = calloc(3 * (size_t)lm_design_model_node_count(model), sizeof *nodes);
	lm_design_model_nodes(model, nodes);
	lm_design_motion_key key = { .positions = nodes };
	performance_def def = { lm_design_performance_object_default(), lm_design_performance_settings_default() };
	def.object.motion.model = model, def.object.motion.key_count = 1, def.object.motion.keys = &key;
	def.settings.motion.seconds = 0.01;
	put(&def, l, value);
	lm_design_performance* performance = NULL;
	lm_status status =
		lm_design_performance_create(&def.object, 1, NULL, 0, &def.settings, &host, &performance, &error);
	lm_design_performance_destroy(performance);
	lm_design_model_destroy(model);
	free(nodes);
	return is_taken(status, &error);
}

// ---- all of them ----

#define MATCH(key, field)                                                                                              \
	{                                                                                                                  \
		"match", key, match_takes, offsetof(lm_match_def, field), false                                                \
	}
#define ACT(key, field)                                                                                                \
	{                                                                                                                  \
		"act", key, act_takes, offsetof(lm_act_def, field), false                                                      \
	}
#define TRACK(key, field)                                                                                              \
	{                                                                                                                  \
		"track", key, track_takes, offsetof(lm_track_def, field), false                                                \
	}
#define COLLIDER(key, field)                                                                                           \
	{                                                                                                                  \
		"collider", key, collider_takes, offsetof(lm_collider_def, field), false                                       \
	}
#define MODEL(key, field, whole)                                                                                       \
	{                                                                                                                  \
		"design", key, model_takes, offsetof(lm_design_model_def, field), whole                                        \
	}
#define POSE(key, field)                                                                                               \
	{                                                                                                                  \
		"design", key, pose_takes, offsetof(lm_design_pose_settings, field), false                                     \
	}
#define PERFORMANCE(key, field, whole)                                                                                 \
	{                                                                                                                  \
		"design", key, performance_takes, offsetof(performance_def, field), whole                                      \
	}

static const limit limits[] = {
	MATCH("sag", settings.sag),
	MATCH("frequency", settings.frequency),
	MATCH("damping", settings.damping),
	MATCH("alpha", settings.alpha),
	MATCH("drag", settings.drag),
	MATCH("beta", settings.beta),
	MATCH("friction", settings.friction),
	MATCH("restitution", settings.restitution),
	MATCH("thickness", settings.thickness),
	MATCH("gravity", settings.gravity),
	{ "object", "density", match_takes, offsetof(lm_match_def, density), false },

	ACT("stretch", settings.material.stretch),
	ACT("bend", settings.material.bend),
	ACT("volume", settings.material.volume),
	ACT("damping", settings.damping),
	ACT("gravity", settings.gravity),
	ACT("friction", settings.friction),
	ACT("contact_stiffness", settings.contact_stiffness),
	ACT("contact_smoothing", settings.contact_smoothing),
	ACT("friction_slack", settings.friction_slack),
	ACT("rest_stretch", settings.rest_material.stretch),
	ACT("rest_bend", settings.rest_material.bend),
	ACT("rest_volume", settings.rest_material.volume),
	ACT("parameter_weight", settings.parameter_weight),
	ACT("change_weight", settings.change_weight),
	ACT("smallest_rest", settings.smallest_rest),
	{ "act", "iterations", act_takes, offsetof(lm_act_def, settings.most_iterations), true },
	ACT("tolerance", settings.tolerance),
	{ "act", "starts", act_takes, offsetof(lm_act_def, settings.starts), true },
	{ "object", "density", act_takes, offsetof(lm_act_def, density), false },

	TRACK("stretch", settings.stretch),
	TRACK("strain_limit", settings.strain_limit),
	TRACK("poisson", settings.poisson),
	TRACK("bend", settings.bend),
	TRACK("damping", settings.damping),
	TRACK("yield", settings.yield),
	TRACK("hardening", settings.hardening),
	TRACK("thickness", settings.thickness),
	TRACK("friction", settings.friction),
	TRACK("friction_slack", settings.friction_slack),
	TRACK("gravity", settings.gravity),
	TRACK("wind", settings.wind),
	TRACK("air_drag", settings.air_drag),
	TRACK("force", settings.strength),
	TRACK("strength", settings.follow),
	TRACK("tolerance", settings.tolerance),
	{ "track", "iterations", track_takes, offsetof(lm_track_def, settings.most_iterations), true },
	{ "object", "density", track_takes, offsetof(lm_track_def, density), false },

	COLLIDER("radius", radius),
	COLLIDER("half", half),
	COLLIDER("half_length", half_length),
	COLLIDER("friction", friction),
	COLLIDER("restitution", restitution),

	MODEL("nodes", nodes, true),
	MODEL("radius", radius, false),
	MODEL("voxels", voxels, true),
	POSE("handles", handles),
	POSE("pose_volume", volume),
	{ "handle", "weight", handle_takes, offsetof(lm_design_pose_handle, weight), false },
	PERFORMANCE("frames", object.motion.frames, true),
	PERFORMANCE("accuracy", settings.motion.accuracy, false),
	PERFORMANCE("strain", settings.motion.strain, false),
	PERFORMANCE("volume", settings.motion.volume, false),
	PERFORMANCE("acceleration", settings.motion.acceleration, false),
	PERFORMANCE("velocity", settings.motion.velocity, false),
	PERFORMANCE("obstacles", settings.motion.obstacles, false),
	PERFORMANCE("objects", settings.motion.objects, false),
	PERFORMANCE("margin", settings.motion.margin, false),
	PERFORMANCE("tolerance", settings.motion.tolerance, false),
	PERFORMANCE("secondary", object.dynamics.secondary, false),
	PERFORMANCE("frequency", object.dynamics.frequency, false),
	PERFORMANCE("damping", object.dynamics.damping, false),
	PERFORMANCE("friction", object.dynamics.friction, false),
	PERFORMANCE("release", object.dynamics.release, false),
	PERFORMANCE("rate", settings.rate, false),
};
#define LIMITS (sizeof limits / sizeof limits[0])

// Numbers that become no setting of an engine, but that the reader and its helpers use up.
static const char* const elsewhere[] = { "act.cage_vertices", "track.subdivide",  "track.regions", "track.compact",
	                                     "track.strength",    "track.preroll",    "match.ring",    "collider.scale",
	                                     "collider.position", "collider.rotation" };

// The schema of a value that does not change over time.
static const json_t* constant_of(const json_t* property)
{
	const json_t* any = json_object_get(property, "anyOf");
	return any != NULL ? json_array_get(any, 0) : property;
}

// The schema of the number itself; NULL when a property holds no numbers.
static const json_t* number_of(const json_t* property)
{
	property = constant_of(property);
	const char* type = json_string_value(json_object_get(property, "type"));
	if (type != NULL && strcmp(type, "array") == 0)
	{
		property = json_object_get(property, "items");
		type = json_string_value(json_object_get(property, "type"));
	}
	return type != NULL && (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0) ? property : NULL;
}

static json_t* read_schema(void)
{
	lm_host host = lm_host_default();
	char* text = lm_scene_schema(&host);
	json_t* schema = json_loads(text, 0, NULL);
	lm_free(&host, text);
	assert_non_null(schema);
	return schema;
}

// Whether the reader of scenes has nothing to say about the key.
static bool reader_takes(const limit* l, bool is_list, double value)
{
	lm_host host = lm_host_default();
	lm_scene_files files = fake_files();
	char item[128], text[512];
	snprintf(item, sizeof item, is_list ? "\"%s\": [%.17g, %.17g, %.17g]" : "\"%s\": %.17g", l->key, value, value,
	         value);
	if (strcmp(l->table, "collider") == 0)
		snprintf(text, sizeof text, "{\"limber\": 1, \"colliders\": [{\"shape\": \"plane\", %s}]}", item);
	else if (strcmp(l->table, "object") == 0)
		snprintf(text, sizeof text, "{\"limber\": 1, \"objects\": [{%s}]}", item);
	else if (strcmp(l->table, "handle") == 0)
		snprintf(text, sizeof text, "{\"limber\": 1, \"objects\": [{\"design\": {\"keys\": [{\"handles\": [{%s}]}]}}]}",
		         item);
	else
		snprintf(text, sizeof text, "{\"limber\": 1, \"objects\": [{\"%s\": {%s}}]}", l->table, item);
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	// something is missing in every case
	assert_int_equal(lm_scene_parse("scene.json", text, strlen(text), &files, &host, &scene, &problems), LM_BAD_INPUT);
	char place[64];
	snprintf(place, sizeof place, ".%s", l->key);
	bool taken = true;
	for (int32_t i = 0; i < problems.count; ++i)
		taken &= strstr(problems.items[i].where, place) == NULL || strstr(problems.items[i].message, "must be") == NULL;
	lm_problems_release(&problems);
	return taken;
}

static void expect(const limit* l, bool is_list, double value, bool good)
{
	if (l->takes(l, value) != good)
		fail_msg("%s.%s = %.17g: the engine %s it", l->table, l->key, value, good ? "refuses" : "takes");
	if (isfinite(value) && reader_takes(l, is_list, value) != good)
		fail_msg("%s.%s = %.17g: the reader %s it", l->table, l->key, value, good ? "refuses" : "takes");
}

static void engines_agree_with_scene_files(void** state)
{
	(void)state;
	json_t* schema = read_schema();
	for (size_t i = 0; i < LIMITS; ++i)
	{
		const limit* l = &limits[i];
		const json_t* tables = json_object_get(schema, "$defs");
		const json_t* keys = json_object_get(json_object_get(tables, l->table), "properties");
		const json_t* number = number_of(json_object_get(keys, l->key));
		bool is_list = number != constant_of(json_object_get(keys, l->key));
		if (number == NULL)
			fail_msg("%s.%s is no number of the schema", l->table, l->key);
		const json_t* above = json_object_get(number, "exclusiveMinimum");
		double low = json_number_value(above != NULL ? above : json_object_get(number, "minimum"));
		double high = json_number_value(json_object_get(number, "maximum"));
		double below = l->whole ? low - 1 : low == 0 ? -1e-6 : low - 1e-6 * fabs(low);
		expect(l, is_list, high, true);
		expect(l, is_list, l->whole ? high + 1 : high + 1e-6 * fabs(high), false);
		if (above == NULL)
			expect(l, is_list, low, true);
		else
			expect(l, is_list, low + 1e-300, true);
		expect(l, is_list, above != NULL ? low : below, false);
		if (!l->whole)
			expect(l, is_list, NAN, false);
	}
	json_decref(schema);
}

static bool is_known(const char* table, const char* key)
{
	char name[128];
	snprintf(name, sizeof name, "%s.%s", table, key);
	for (size_t i = 0; i < LIMITS; ++i)
		if (strcmp(limits[i].table, table) == 0 && strcmp(limits[i].key, key) == 0)
			return true;
	for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; ++i)
		if (strcmp(elsewhere[i], name) == 0)
			return true;
	return false;
}

static void no_number_is_left_out(void** state)
{
	(void)state;
	static const char* const tables[] = { "match", "act", "track", "design", "collider" };
	json_t* schema = read_schema();
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i)
	{
		json_t* table = json_object_get(json_object_get(schema, "$defs"), tables[i]);
		const char* key;
		json_t* property;
		json_object_foreach(json_object_get(table, "properties"), key, property)
		{
			if (number_of(property) != NULL && !is_known(tables[i], key))
				fail_msg("%s.%s: add it to the limits, or to what goes elsewhere", tables[i], key);
		}
	}
	json_decref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engines_agree_with_scene_files),
		cmocka_unit_test(no_number_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
