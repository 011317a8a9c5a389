// command_text.c: commands as JSON, one object each, as takes and the studio write them:
//
//   {"do": "grab", "object": "bear", "id": 1, "triangle": 812, "at": [0.2, 0.5, 0.3]}
//   {"do": "command", "object": "ace", "behaviour": "walk", "velocity": [-0.4, 0, 0]}
//   {"do": "set", "object": "bear", "key": "match.beta", "value": 0.98}
//
// Read by a table, as scenes are, so that mistakes get the same sentences and suggestions. Numbers are written with 17
// digits, so that they come back to the bit. Other spellings are read, too: "kind" for "behaviour", "impulse" for the
// "to" of a push, and a value may be a number, a list of numbers, true, false or the name of a choice.
#include "act/pilot/behaviours.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/reader.h"
#include "format/syntax.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

// In the order of lm_command_kind.
static const char* const kind_names[] = {
	"grab", "pin",        "move",       "release",           "push",     "example", "set", "command", "free",
	"key",  "remove_key", "key_handle", "remove_key_handle", "move_key", NULL
};

typedef struct text_command
{
	const char *object, *key, *group;
	uint64_t given;
	int32_t surface;
	int behaviour;     // by its other name
	double impulse[3]; // likewise
	lm_command command;
} text_command;

#define AT(field) LM_AT(text_command, field)

static const lm_key keys[] = {
	{ "do", LM_KEY_CHOICE, LM_KEY_REQUIRED | LM_KEY_DECIDES, AT(command.kind), .choices = kind_names,
	  .help = "What is to be done." },
	{ "object", LM_KEY_TEXT, AT(object), .usual = "none", .help = "Name of the object." },
	{ "id", LM_KEY_INTEGER, .high = LM_KEY_LIMIT, AT(command.id), .help = "Of a grab or pin." },
	{ "surface", LM_KEY_INTEGER, .high = LM_KEY_LIMIT, .preset = { -1 }, AT(surface), .usual = "the object's",
	  .help = "Its number, which is that of the object." },
	{ "triangle", LM_KEY_INTEGER, .high = LM_KEY_LIMIT, AT(command.triangle), .help = "Of the shown surface." },
	{ "at", LM_KEY_VECTOR, .width = 3, .low = -1, .high = 2, AT(command.place), .help = "Barycentric coordinates." },
	{ "radius", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(command.radius), .unit = "m", .help = "Of the patch." },
	{ "frequency", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1000, .preset = { 3 }, AT(command.frequency), .unit = "Hz",
	  .help = "How fast the springs of a grab pull." },
	{ "example", LM_KEY_INTEGER, .low = -1, .high = 64, .preset = { -1 }, AT(command.example),
	  .help = "Number of an example." },
	{ "strength", LM_KEY_NUMBER, .high = 1, AT(command.strength), .help = "Of the example." },
	{ "key", LM_KEY_TEXT, AT(key), .usual = "none", .help = "Name of a setting." },
	{ "value", LM_KEY_VECTOR, .width = 4, AT(command.value), .help = "Of the setting; what it has not is 0." },
	{ "behaviour", LM_KEY_CHOICE, .preset = { LM_ACT_STAND }, AT(command.act.behaviour),
	  .choices = lm_act_behaviour_names, .help = "What a character does." },
	{ "kind", LM_KEY_CHOICE, .preset = { LM_ACT_STAND }, AT(behaviour), .choices = lm_act_behaviour_names,
	  .help = "The same." },
	{ "impulse", LM_KEY_VECTOR, .width = 3, AT(impulse), .unit = "N s", .help = "Of a push; or give `to`." },
	{ "velocity", LM_KEY_VECTOR, .width = 3, .low = -1000, .high = 1000, AT(command.act.velocity), .unit = "m/s",
	  .help = "Of its centre of mass." },
	{ "time", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(command.time), .unit = "s", .help = "Of a key." },
	{ "to_time", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(command.to_time), .unit = "s",
	  .help = "Where a key is moved to." },
	{ "via", LM_KEY_FLAG, AT(command.via), .help = "The key only shows the search a way." },
	{ "group", LM_KEY_TEXT, AT(group), .usual = "none", .help = "That a handle holds." },
	{ "vertex", LM_KEY_INTEGER, .low = -1, .high = LM_KEY_LIMIT, .preset = { -1 }, AT(command.vertex),
	  .help = "Of the mesh: the middle of what a handle holds." },
	{ "rotation", LM_KEY_VECTOR, .width = 4, AT(command.rotation),
	  .help = "Of a handle or key, unit quaternion, w first." },
	{ "weight", LM_KEY_NUMBER, .high = 1e6, .preset = { 1 }, AT(command.weight), .help = "Of a handle." },
	{ "hard", LM_KEY_FLAG, AT(command.hard), .help = "The handle is held a thousand times as strongly." },
	{ .kind = LM_KEY_INCLUDE, .table = &lm_act_command_table, AT(command.act) }, // `to` serves all kinds
};

static const lm_table table = {
	.name = "command",
	.article = "a",
	.help = "What a world is told between two frames.",
	.size = sizeof(text_command),
	.given = offsetof(text_command, given),
	LM_KEYS(keys),
};

// ---- reading ----

// What is not given is as the behaviour has it.
static void take_defaults(text_command* text)
{
	lm_act_command* act = &text->command.act;
	lm_act_command usual = lm_act_command_default(act->behaviour);
	lm_act_command_complete(&table, text, offsetof(text_command, command.act));
	if (!LM_GIVEN(table, text, command.act.velocity))
		memcpy(act->velocity, usual.velocity, sizeof usual.velocity);
	act->has_place = LM_GIVEN(table, text, command.act.place);
}

// "match.beta" -> "beta", for an object of match.
static const char* bare_key(const lm_world* world, int32_t object, const char* key)
{
	const char* engine = world->objects[object].object->engine->name;
	size_t length = strlen(engine);
	return strncmp(key, engine, length) == 0 && key[length] == '.' ? key + length + 1 : key;
}

// The key of the live settings that a command names; false when there is none.
static bool find_setting(const lm_world* world, int32_t object, const char* name, lm_key* key)
{
	const lm_table* live = world->objects[object].object->engine->live_table;
	int32_t number = live != NULL ? lm_table_find(live, bare_key(world, object, name)) : -1;
	if (number >= 0)
		*key = lm_table_key(live, number);
	return number >= 0;
}

static lm_status complete(const lm_world* world, text_command* text, lm_command* command, lm_error* error)
{
	lm_command_kind kind = text->command.kind;
	bool by_id = kind == LM_COMMAND_MOVE || kind == LM_COMMAND_RELEASE;
	bool impulse = LM_GIVEN(table, text, impulse);
	memcpy(text->command.to, impulse ? text->impulse : text->command.act.place, sizeof text->command.to);
	if (LM_GIVEN(table, text, behaviour))
		text->command.act.behaviour = (lm_act_behaviour)text->behaviour;
	take_defaults(text);
	if (!by_id)
		text->command.object = lm_world_find_object(world, text->object);
	if (!by_id && text->command.object < 0)
		return lm_fail(error, LM_BAD_INPUT, "object: is \"%.60s\", but the scene has no such object", text->object);
	if (!by_id && text->surface >= 0 && text->surface != text->command.object)
		return lm_fail(error, LM_BAD_INPUT, "surface: is %d, but that of \"%.60s\" is %d", text->surface, text->object,
		               text->command.object);
	const char* key = by_id ? "" : bare_key(world, text->command.object, text->key);
	if (strlen(key) >= sizeof text->command.key)
		return lm_fail(error, LM_BAD_INPUT, "key: is too long");
	if (strlen(text->group) >= sizeof text->command.group)
		return lm_fail(error, LM_BAD_INPUT, "group: is too long");
	strcpy(text->command.key, key);
	strcpy(text->command.group, text->group);
	text->command.stays = !LM_GIVEN(table, text, command.act.place);
	*command = text->command;
	return LM_OK;
}

// The number of a choice of the setting that the command is about.
static lm_status find_choice(const lm_world* world, json_t* json, const char* name, double* number, lm_error* error)
{
	const char* object = json_string_value(json_object_get(json, "object"));
	const char* setting = json_string_value(json_object_get(json, "key"));
	int32_t index = object != NULL ? lm_world_find_object(world, object) : -1;
	lm_key key = { 0 };
	if (index < 0 || setting == NULL || !find_setting(world, index, setting, &key) || key.kind != LM_KEY_CHOICE)
		return lm_fail(error, LM_BAD_INPUT, "value: is text, must be a number or a list of numbers");
	for (int i = 0; key.choices[i] != NULL; ++i)
		if (strcmp(key.choices[i], name) == 0)
			return *number = i, LM_OK;
	char expected[300];
	lm_key_expected(&key, expected, sizeof expected);
	return lm_fail(error, LM_BAD_INPUT, "value: is \"%.60s\", must be %s", name, expected);
}

// "value" as the four numbers that the table wants, whatever it is.
static lm_status spread_value(const lm_world* world, json_t* json, lm_error* error)
{
	json_t* value = json_object_get(json, "value");
	double number = 0;
	lm_status status = LM_OK;
	if (json_is_string(value))
		status = find_choice(world, json, json_string_value(value), &number, error);
	else if (json_is_boolean(value))
		number = json_is_true(value);
	else
		number = json_number_value(value);
	if (status == LM_OK && (json_is_string(value) || json_is_boolean(value) || json_is_number(value)))
		json_object_set_new(json, "value", value = json_pack("[f]", number));
	while (status == LM_OK && json_is_array(value) && json_array_size(value) < 4)
		json_array_append_new(value, json_real(0));
	return status;
}

lm_status lm_command_from_json(const lm_world* world, json_t* json, lm_command* command, lm_error* error)
{
	lm_problems problems = { .host = world->host };
	lm_reader reader = { .host = world->host, .file = "", .root = json, .problems = &problems };
	lm_arena_init(&reader.arena, &world->host);
	reader.memory = &reader.arena;
	text_command text;
	lm_table_defaults(&table, &text);
	lm_status status = spread_value(world, json, error);
	if (status == LM_OK)
	{
		lm_fill(&reader, &table, json, &text);
		status = reader.status;
	}
	if (reader.status == LM_OK && problems.count > 0)
		status = lm_fail(error, LM_BAD_INPUT, "%s%s%s", problems.items[0].where,
		                 problems.items[0].where[0] != 0 ? ": " : "", problems.items[0].message);
	else if (status == LM_OK)
		status = complete(world, &text, command, error);
	else if (status == LM_NO_MEMORY)
		lm_fail_memory(error);
	lm_problems_release(&problems);
	lm_arena_release(&reader.arena);
	return status;
}

lm_status lm_command_parse(const lm_world* world, const char* text, size_t size, lm_command* command, lm_error* error)
{
	json_t* json = lm_json_parse("", text, size, error);
	if (json == NULL)
		return error != NULL ? error->status : LM_BAD_INPUT;
	lm_status status = lm_command_from_json(world, json, command, error);
	json_decref(json);
	return status;
}

// ---- writing ----

static json_t* vector(const double* v, int count)
{
	json_t* list = json_array();
	for (int i = 0; i < count; ++i)
		json_array_append_new(list, json_real(v[i]));
	return list;
}

// A number, or a list of as many as the setting has.
static json_t* value_of(const lm_world* world, const lm_command* c)
{
	lm_key key;
	bool known = c->object >= 0 && c->object < world->object_count;
	int width = known && find_setting(world, c->object, c->key, &key) ? lm_key_width(&key) : 4;
	return width == 1 ? json_real(c->value[0]) : vector(c->value, width);
}

static void put_behaviour(json_t* json, const lm_act_command* act)
{
	json_object_set_new(json, "behaviour", json_string(lm_act_behaviour_names[act->behaviour]));
	json_object_set_new(json, "velocity", vector(act->velocity, 3));
	for (int32_t i = 0; i < lm_table_count(&lm_act_command_table); ++i)
	{
		lm_key key = lm_table_key(&lm_act_command_table, i);
		const double* at = (const double*)((const char*)act + key.offset);
		if (key.kind == LM_KEY_NUMBER)
			json_object_set_new(json, key.name, json_real(*at));
	}
	if (act->has_place)
		json_object_set_new(json, "to", vector(act->place, 3));
}

static bool is_turned(const lm_command* c)
{
	return c->rotation[0] != 0 || c->rotation[1] != 0 || c->rotation[2] != 0 || c->rotation[3] != 0;
}

static void put_key(json_t* json, const lm_command* c)
{
	json_object_set_new(json, "time", json_real(c->time));
	if (c->kind == LM_COMMAND_MOVE_KEY)
		json_object_set_new(json, "to_time", json_real(c->to_time));
	bool handle = c->kind == LM_COMMAND_HANDLE, key = c->kind == LM_COMMAND_KEY;
	if (c->group[0] != 0)
		json_object_set_new(json, "group", json_string(c->group));
	else if (c->vertex >= 0)
		json_object_set_new(json, "vertex", json_integer(c->vertex));
	else if (handle || c->kind == LM_COMMAND_REMOVE_HANDLE)
	{
		json_object_set_new(json, "triangle", json_integer(c->triangle));
		json_object_set_new(json, "at", vector(c->place, 3));
	}
	if (handle && c->group[0] == 0)
		json_object_set_new(json, "radius", json_real(c->radius));
	if (key)
		json_object_set_new(json, "via", json_boolean(c->via));
	if ((handle && !c->stays) || (key && is_turned(c)))
		json_object_set_new(json, "to", vector(c->to, 3));
	if ((handle || key) && is_turned(c))
		json_object_set_new(json, "rotation", vector(c->rotation, 4));
	if (handle)
	{
		json_object_set_new(json, "weight", json_real(c->weight));
		json_object_set_new(json, "hard", json_boolean(c->hard));
	}
}

json_t* lm_command_to_json(const lm_world* world, const lm_command* c)
{
	json_t* json = json_object();
	bool by_id = c->kind == LM_COMMAND_MOVE || c->kind == LM_COMMAND_RELEASE;
	bool patch = c->kind == LM_COMMAND_GRAB || c->kind == LM_COMMAND_PIN || c->kind == LM_COMMAND_PUSH;
	bool of_key = c->kind >= LM_COMMAND_KEY;
	json_object_set_new(json, "do", json_string(kind_names[c->kind]));
	bool known = c->object >= 0 && c->object < world->object_count;
	if (!by_id)
		json_object_set_new(json, "object", json_string(known ? world->scene->objects[c->object].name : ""));
	if (by_id || c->kind == LM_COMMAND_GRAB || c->kind == LM_COMMAND_PIN)
		json_object_set_new(json, "id", json_integer(c->id));
	if (patch)
	{
		json_object_set_new(json, "triangle", json_integer(c->triangle));
		json_object_set_new(json, "at", vector(c->place, 3));
		json_object_set_new(json, "radius", json_real(c->radius));
		json_object_set_new(json, "frequency", json_real(c->frequency));
	}
	if (c->kind == LM_COMMAND_MOVE || c->kind == LM_COMMAND_PUSH)
		json_object_set_new(json, "to", vector(c->to, 3));
	bool setting = c->kind == LM_COMMAND_SET || (c->kind == LM_COMMAND_FREE && c->key[0] != 0);
	if (c->kind == LM_COMMAND_EXAMPLE || (c->kind == LM_COMMAND_FREE && !setting))
		json_object_set_new(json, "example", json_integer(c->example));
	if (c->kind == LM_COMMAND_EXAMPLE)
		json_object_set_new(json, "strength", json_real(c->strength));
	if (setting)
		json_object_set_new(json, "key", json_string(c->key));
	if (c->kind == LM_COMMAND_SET)
		json_object_set_new(json, "value", value_of(world, c));
	if (c->kind == LM_COMMAND_DO)
		put_behaviour(json, &c->act);
	if (of_key)
		put_key(json, c);
	return json;
}

char* lm_command_text(const lm_world* world, const lm_command* command)
{
	json_t* json = lm_command_to_json(world, command);
	char* dumped = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(json);
	char* text = dumped != NULL ? lm_copy_text(&world->host, dumped) : NULL;
	free(dumped);
	return text;
}
