// Scenes with mistakes: each is found, at its place, in words that say what would be right; and all of them at once.
#include "test.h"

#include "fake_files.h"

static lm_status parse(const char* text, lm_problems* problems)
{
	lm_host host = lm_host_default();
	lm_scene_files files = fake_files();
	lm_scene* scene = NULL;
	lm_status status = lm_scene_parse("scene.json", text, strlen(text), &files, &host, &scene, problems);
	assert_true((status == LM_OK) == (scene != NULL));
	lm_scene_destroy(scene);
	return status;
}

typedef struct mistake
{
	const char* text;
	const char* where;
	const char* message;
} mistake;

// Exactly one problem, at this place, in these words.
static void expect_each(const char* before, const char* after, const mistake* mistakes, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		char text[4000];
		snprintf(text, sizeof text, "%s%s%s", before, mistakes[i].text, after);
		lm_problems problems = { 0 };
		assert_int_equal(parse(text, &problems), LM_BAD_INPUT);
		for (int32_t k = 1; k < problems.count; ++k)
			print_error("also %s: %s\n", problems.items[k].where, problems.items[k].message);
		if (problems.count != 1 || strcmp(problems.items[0].where, mistakes[i].where) != 0)
			print_error("%s: %s: %s\n", text, problems.items[0].where, problems.items[0].message);
		assert_int_equal(problems.count, 1);
		assert_string_equal(problems.items[0].where, mistakes[i].where);
		assert_string_equal(problems.items[0].message, mistakes[i].message);
		assert_string_equal(problems.items[0].file, "scene.json");
		assert_int_equal(problems.items[0].status, LM_BAD_INPUT);
		lm_problems_release(&problems);
	}
}

#define EXPECT_EACH(before, after, mistakes)                                                                           \
	expect_each(before, after, mistakes, sizeof(mistakes) / sizeof(mistakes)[0])

static void syntax(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ "", "", "is empty, must be JSON" },
		{ " \n", "", "is empty, must be JSON" },
		{ "v 0 0 0\n", "line 1", "column 1: is no JSON, which begins with {" },
		{ "# a scene\n{}", "line 1", "column 1: JSON has no comments; use \"description\", or take it out" },
		{ "{ // a scene\n}", "line 1", "column 3: JSON has no comments; use \"description\", or take it out" },
		{ "{\n  \"limber\": 1,\n}", "line 3", "column 1: a comma is too many, or something is missing, before }" },
		{ "{\n \"a\": [1, 2,]}", "line 2", "column 13: a comma is too many, or something is missing, before ]" },
		{ "{ \"a\": 1 \"b\": 2 }", "line 1", "column 12: a comma or '}' is missing before \"b\"" },
		{ "{ \"a\": [1 }", "line 1", "column 11: a comma or ']' is missing before }" },
		{ "{ \"a\" 1 }", "line 1", "column 7: a colon is missing before 1" },
		{ "{ \"a\": [1, 2]", "line 1", "column 13: ends too early: a bracket or a double quote is not closed" },
		{ "{ \"a\": 1 }}", "line 1", "column 11: goes on after its end with }; is there a bracket too many?" },
		{ "{ \"a\": 1 } // so", "line 1", "column 12: JSON has no comments; use \"description\", or take it out" },
		{ "{ 'a': 1 }", "line 1", "column 3: keys and text stand in double quotes, not in single ones" },
		{ "{ a: 1 }", "line 1", "column 3: a must stand in double quotes: \"a\"" },
		{ "{ \"a\": \"b\n\" }", "line 1",
		  "column 9: text ends on its line with a double quote, and has no tabs or line breaks" },
		{ "{ \"a\": \"\xff\" }", "line 1", "column 8: is not in UTF-8; save it as that" },
		{ "{ \"a\": .5 }", "line 1", "column 8: numbers begin with a digit or a minus, as 0.5 and -1 do" },
		{ "{ \"a\": True }", "line 1", "column 11: True is unknown, must be true, false or null" },
		{ "{ \"fps\": 1e400 }", "line 1", "column 14: the number 1e400 is too large" },
		{ "{ \"fps\": 99999999999999999999 }", "line 1", "column 29: the number 99999999999999999999 is too large" },
		{ "{ \"a\": 1, \"a\": 2 }", "line 1", "column 13: the key \"a\" is there twice" },
		{ "{ \"a\": NaN }", "line 1", "column 10: NaN is no number, must be a finite one" },
	};
	EXPECT_EACH("", "", mistakes);
}

static void the_frame(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ "\"fps\": \"fast\"", "fps", "is text, must be a number" },
		{ "\"fps\": null", "fps", "is null, must be a number" },
		{ "\"fps\": true", "fps", "is true, must be a number" },
		{ "\"fps\": [24]", "fps", "is a list, must be a number" },
		{ "\"fps\": 0", "fps", "is 0, must be between 1 and 1000" },
		{ "\"seconds\": 0", "seconds", "is 0, must be above 0 and at most 86400" },
		{ "\"name\": 7", "name", "is a number, must be text" },
		{ "\"gravity\": -9.81", "gravity", "is a number, must be a list of 3 numbers" },
		{ "\"gravity\": [0, -9.81]", "gravity", "has 2 numbers, must have 3" },
		{ "\"gravity\": [0, \"down\", 0]", "gravity[1]", "is text, must be a number" },
		{ "\"gravity\": [0, -1e7, 0]", "gravity[1]", "is -10000000, must be between -1000000 and 1000000" },
		{ "\"size\": [960, 540.5]", "size[1]", "is 540.5, must be a whole number" },
		{ "\"size\": [960, 5]", "size[1]", "is 5, must be between 16 and 16384" },
		{ "\"background\": \"grey\"", "background", "is \"grey\", must be a colour such as \"#d94f3d\"" },
		{ "\"background\": [1, 1, 1]", "background", "is a list, must be a colour such as \"#d94f3d\"" },
		{ "\"background\": \"#12345g\"", "background", "is \"#12345g\", must be a colour such as \"#d94f3d\"" },
		{ "\"camera\": 5", "camera", "is a number, must be an object" },
		{ "\"camera\": {\"eye\": [1, 2, 3]}", "camera.target", "is missing, must be given together with eye" },
		{ "\"camera\": {\"target\": [1, 2, 3]}", "camera.eye", "is missing, must be given together with target" },
		{ "\"camera\": {\"eye\": [1, 2, 3], \"target\": [1, 2, 3]}", "camera.target",
		  "is where the eye is, must be somewhere else" },
		{ "\"camera\": {\"direction\": [0, 0, 0]}", "camera.direction", "is [0, 0, 0], must point somewhere" },
		{ "\"camera\": {\"eye\": [1e10, 2, 3], \"target\": [1, 2, 3]}", "camera.eye[0]",
		  "is 1e+10, must be at most 1e+09" },
		{ "\"camera\": {\"fov\": -2}", "camera.fov", "is -2, must be between 1 and 150" },
		{ "\"colliders\": {}", "colliders", "is an object, must be a list" },
		{ "\"colliders\": [5]", "colliders[0]", "is a number, must be an object" },
	};
	EXPECT_EACH("{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"bar.msh\"}], ", "}", mistakes);
	const mistake versions[] = {
		{ "\"limber\": 2, ", "limber", "is 2, must be 1" },
		{ "\"limber\": \"1\", ", "limber", "is text, must be a whole number" },
		{ "", "limber", "is missing, must be the number 1" },
	};
	EXPECT_EACH("{", "\"objects\": [{\"engine\": \"match\", \"mesh\": \"bar.msh\"}]}", versions);
	const mistake others[] = {
		{ "[]", "", "is a list, must be an object" },
		{ "{\"limber\": 1}", "objects", "is missing, must be a list" },
		{ "{\"limber\": 1, \"objects\": []}", "objects", "is empty, must hold at least one" },
	};
	EXPECT_EACH("", "", others);
}

static void misspelt_keys(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ "\"secnods\": 5", "secnods", "a scene has no such key; did you mean \"seconds\"?" },
		{ "\"Seconds\": 5", "Seconds", "a scene has no such key; did you mean \"seconds\"?" },
		{ "\"eye\": [0, 0, 1]", "eye", "a scene has no such key; it belongs into \"camera\"" },
		{ "\"camera\": {\"frobnicate\": 1}", "camera.frobnicate",
		  "a camera has no such key; it has eye, target, fov, direction, zoom, follow" },
		{ "\"colliders\": [{\"shape\": \"plane\", \"colour\": \"#ffffff\"}]", "colliders[0].colour",
		  "a collider has no such key; did you mean \"color\"?" },
	};
	EXPECT_EACH("{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"bar.msh\"}], ", "}", mistakes);
	const mistake others[] = {
		{ "\"beta\": 0.5", "objects[0].beta", "an object has no such key; it belongs into \"match\"" },
		{ "\"match\": {\"example\": []}", "objects[0].match.example",
		  "the engine match has no such key; did you mean \"examples\"?" },
	};
	EXPECT_EACH("{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"bar.msh\", ", "}]}", others);
}

static void colliders(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ "\"shape\": \"plain\"", "colliders[0].shape",
		  "is \"plain\", must be one of \"plane\", \"sphere\", \"box\", \"capsule\", \"mesh\"; did you mean "
		  "\"plane\"?" },
		{ "\"shape\": \"spher\", \"radius\": 1", "colliders[0].shape",
		  "is \"spher\", must be one of \"plane\", \"sphere\", \"box\", \"capsule\", \"mesh\"; did you mean "
		  "\"sphere\"?" },
		{ "\"half\": [1, 1, 1]", "colliders[0].shape",
		  "is missing, must be one of \"plane\", \"sphere\", \"box\", \"capsule\", \"mesh\"" },
		{ "\"shape\": 1", "colliders[0].shape",
		  "is a number, must be one of \"plane\", \"sphere\", \"box\", \"capsule\", \"mesh\"" },
		{ "\"name\": \"x\"", "colliders[0].shape",
		  "is missing, must be one of \"plane\", \"sphere\", \"box\", \"capsule\", \"mesh\"" },
		{ "\"shape\": \"sphere\"", "colliders[0].radius", "is missing, must be given for a sphere" },
		{ "\"shape\": \"sphere\", \"radius\": 0", "colliders[0].radius", "is 0, must be above 0" },
		{ "\"shape\": \"sphere\", \"radius\": 1, \"half\": [1, 1, 1]", "colliders[0].half",
		  "is given, but a sphere has none" },
		{ "\"shape\": \"box\"", "colliders[0].half", "is missing, must be given for a box" },
		{ "\"shape\": \"box\", \"half\": [1, 0, 1]", "colliders[0].half[1]", "is 0, must be above 0" },
		{ "\"shape\": \"capsule\", \"radius\": 1", "colliders[0].half_length",
		  "is missing, must be given for a capsule" },
		{ "\"shape\": \"mesh\"", "colliders[0].mesh", "is missing, must be given for a mesh" },
		{ "\"shape\": \"plane\", \"scale\": 2", "colliders[0].scale", "is given, but a plane has none" },
		{ "\"shape\": \"mesh\", \"mesh\": \"gone.obj\"", "colliders[0].mesh",
		  "gone.obj: cannot be opened: No such file or directory" },
		{ "\"shape\": \"mesh\", \"mesh\": \"points.ply\"", "colliders[0].mesh",
		  "has no triangles, a collider needs some" },
		{ "\"shape\": \"mesh\", \"mesh\": \"\"", "colliders[0].mesh", "is empty, must be the name of a file" },
		{ "\"shape\": \"plane\", \"friction\": -1", "colliders[0].friction", "is -1, must be at least 0" },
		{ "\"shape\": \"plane\", \"restitution\": 1.5", "colliders[0].restitution", "is 1.5, must be between 0 and 1" },
		{ "\"shape\": \"plane\", \"visible\": \"no\"", "colliders[0].visible", "is text, must be true or false" },
		{ "\"shape\": \"plane\", \"rotation\": 90", "colliders[0].rotation",
		  "is a number, must be [w, x, y, z] or {\"axis\": [x, y, z], \"degrees\": angle}" },
		{ "\"shape\": \"plane\", \"rotation\": [0, 0, 0, 0]", "colliders[0].rotation",
		  "is [0, 0, 0, 0], must be a unit quaternion [w, x, y, z]" },
		{ "\"shape\": \"plane\", \"rotation\": {\"axis\": [0, 0, 0], \"degrees\": 5}", "colliders[0].rotation.axis",
		  "is [0, 0, 0], must point somewhere" },
		{ "\"shape\": \"plane\", \"rotation\": {\"axis\": [0, 0, 1]}", "colliders[0].rotation.degrees",
		  "is missing, must be a number" },
		{ "\"shape\": \"plane\", \"rotation\": {\"axes\": [0, 0, 1], \"axis\": [0, 0, 1], \"degrees\": 1}",
		  "colliders[0].rotation.axes", "a rotation has no such key; did you mean \"axis\"?" },
		{ "\"shape\": \"plane\", \"keys\": []", "colliders[0].keys", "is empty, must hold at least one" },
		{ "\"shape\": \"plane\", \"keys\": [{\"time\": 1}, {\"time\": 1}]", "colliders[0].keys[1].time",
		  "is 1 after 1: times must ascend" },
		{ "\"shape\": \"plane\", \"keys\": [{\"position\": [0, 0, 0]}]", "colliders[0].keys[0].time",
		  "is missing, must be a number" },
		{ "\"shape\": \"plane\"}, {\"shape\": \"plane\", \"name\": \"collider0\"", "colliders[1].name",
		  "is \"collider0\", as that of colliders[0]; no two may be alike" },
	};
	EXPECT_EACH("{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"bar.msh\"}], \"colliders\": [{",
	            "}]}", mistakes);
}

static void objects(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ "\"engine\": \"match\"", "objects[0].mesh", "is missing, must be the name of a file" },
		{ "\"mesh\": \"bar.msh\"", "objects[0].engine",
		  "is missing, must be one of \"match\", \"act\", \"track\", \"design\"" },
		{ "\"engine\": \"mach\", \"mesh\": \"bar.msh\"", "objects[0].engine",
		  "is \"mach\", must be one of \"match\", \"act\", \"track\", \"design\"; did you mean \"match\"?" },
		{ "\"engine\": \"match\", \"mesh\": \"gone.obj\"", "objects[0].mesh",
		  "gone.obj: cannot be opened: No such file or directory" },
		{ "\"engine\": \"match\", \"mesh\": 5", "objects[0].mesh", "is a number, must be the name of a file" },
		{ "\"engine\": \"match\", \"mesh\": \"points.ply\"", "objects[0].mesh",
		  "has only vertices, must have tetrahedra or triangles" },
		{ "\"engine\": \"match\", \"mesh\": \"stray.msh\"", "objects[0].mesh",
		  "has a vertex 3 that belongs to no tetrahedron, so it would weigh nothing" },
		{ "\"engine\": \"match\", \"mesh\": \"line.obj\", \"lattice\": false", "objects[0].mesh",
		  "has triangles without any area" },
		{ "\"engine\": \"match\", \"mesh\": \"far.ply\"", "objects[0].mesh",
		  "far.ply: vertex 0 is at 1e+12 m, must be within 1e+09 m" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"lattice\": {}", "objects[0].lattice",
		  "is given, but the mesh has tetrahedra already" },
		{ "\"engine\": \"match\", \"mesh\": \"cube.obj\", \"lattice\": true", "objects[0].lattice",
		  "is true, must be an object or false" },
		{ "\"engine\": \"match\", \"mesh\": \"cube.obj\", \"lattice\": {\"size\": 0.5, \"vertices\": 20}",
		  "objects[0].lattice.vertices", "is given together with size; only one of them can be met" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"surface\": \"gone.obj\"", "objects[0].surface",
		  "gone.obj: cannot be opened: No such file or directory" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"surface\": \"points.ply\"", "objects[0].surface",
		  "has no triangles, must be a surface" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"start\": \"points.ply\"", "objects[0].start",
		  "has 4 vertices, the mesh has 8: a start pose must be the same mesh, moved" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"act\": {}", "objects[0].act",
		  "is given, but the engine is \"match\"" },
		{ "\"engine\": \"design\", \"mesh\": \"cube.obj\", \"velocity\": [1, 0, 0]", "objects[0].velocity",
		  "is given, but design does not know it; use its velocities" },
		{ "\"engine\": \"design\", \"mesh\": \"cube.obj\", \"pins\": [{\"vertices\": [0]}]", "objects[0].pins",
		  "is given, but design does not know it; use its keys with a group" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"scale\": -1", "objects[0].scale", "is -1, must be above 0" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"substeps\": 2.5", "objects[0].substeps",
		  "is 2.5, must be a whole number" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"groups\": [1]", "objects[0].groups",
		  "is a list, must be an object {\"name\": ...}" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\"}, {\"engine\": \"match\", \"mesh\": \"bar.msh\", "
		  "\"name\": \"object0\"",
		  "objects[1].name", "is \"object0\", as that of objects[0]; no two may be alike" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"name\": \"arm/left\"", "objects[0].name",
		  "is \"arm/left\", must be fit for the name of a file, without slashes" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"name\": \"..\"", "objects[0].name",
		  "is \"..\", must be fit for the name of a file, without slashes" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"name\": \"\"", "objects[0].name",
		  "is empty, must be a name" },
		{ "\"engine\": \"match\", \"mesh\": \"bar.msh\", \"name\": \"a\\nb\"", "objects[0].name",
		  "is \"a\nb\", must be fit for the name of a file, without slashes" },
	};
	EXPECT_EACH("{\"limber\": 1, \"objects\": [{", "}]}", mistakes);
	const mistake steps[] = { { "", "objects[0].substeps",
		                        "is 2, which makes steps of 0.25 s; at 2 fps it must be at least 5" } };
	EXPECT_EACH("{\"limber\": 1, \"fps\": 2, \"objects\": [{\"engine\": \"match\", \"mesh\": \"bar.msh\", "
	            "\"substeps\": 2",
	            "}]}", steps);
}

static void zero_volume(void** state)
{
	(void)state;
	lm_problems problems = { 0 };
	const char* text = "{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"flat.msh\"}]}";
	assert_int_equal(parse(text, &problems), LM_BAD_INPUT);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].where, "objects[0].mesh");
	assert_non_null(strstr(problems.items[0].message, "volume"));
	lm_problems_release(&problems);
}

static void groups_and_actions(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ "\"groups\": {\"a\": [8]}", "objects[0].groups.a", "names vertex 8, but the mesh has 8, counted from 0" },
		{ "\"groups\": {\"a\": [0, -1]}", "objects[0].groups.a[1]", "is -1, must be at least 0" },
		{ "\"groups\": {\"a\": [0.5]}", "objects[0].groups.a[0]", "is 0.5, must be a whole number" },
		{ "\"groups\": {\"a\": []}", "objects[0].groups.a", "is empty, must hold at least one" },
		{ "\"groups\": {\"a\": \"b\"}", "objects[0].groups.a", "is text, must be a list of vertices, counted from 0" },
		{ "\"groups\": {\"a\": {}}", "objects[0].groups.a",
		  "has none of vertices, file, weights and box, must have one" },
		{ "\"groups\": {\"a\": {\"vertices\": [1], \"file\": \"groups.json\"}}", "objects[0].groups.a",
		  "has several of vertices, file, weights and box, must have one" },
		{ "\"groups\": {\"a\": {\"vertices\": [1], \"group\": \"b\"}}", "objects[0].groups.a.group",
		  "is given without a file to take it from" },
		{ "\"groups\": {\"a\": {\"box\": [[0, 0, 0], [1, 1]]}}", "objects[0].groups.a.box[1]",
		  "has 2 numbers, must have 3" },
		{ "\"groups\": {\"a\": {\"box\": [0, [1, 1, 1]]}}", "objects[0].groups.a.box[0]",
		  "is a number, must be a list of 3 numbers" },
		{ "\"groups\": {\"a\": {\"box\": [[0, 0, 0]]}}", "objects[0].groups.a.box",
		  "is a list, must be two corners [[x, y, z], [x, y, z]]" },
		{ "\"groups\": {\"a\": {\"box\": [[0, 2, 0], [1, 1, 1]]}}", "objects[0].groups.a.box",
		  "has its lowest corner above its highest: 2 and 1 for y" },
		{ "\"groups\": {\"a\": {\"box\": [[5, 5, 5], [6, 6, 6]]}}", "objects[0].groups.a.box",
		  "holds no vertex; the mesh reaches from [0, 0, 0] to [1, 1, 1]" },
		{ "\"groups\": {\"a\": {\"file\": \"gone.json\"}}", "objects[0].groups.a.file",
		  "gone.json: cannot be opened: No such file or directory" },
		{ "\"groups\": {\"liste\": {\"file\": \"groups.json\"}}", "objects[0].groups.liste.file",
		  "has no group \"liste\"; did you mean \"listed\"?" },
		{ "\"groups\": {\"wrong\": {\"file\": \"groups.json\"}}", "objects[0].groups.wrong.file",
		  "has \"wrong\", which must be a list of vertices, counted from 0" },
		{ "\"groups\": {\"high\": {\"file\": \"groups.json\"}}", "objects[0].groups.high",
		  "names vertex 99, but the mesh has 8, counted from 0" },
		{ "\"groups\": {\"a\": {\"file\": \"broken.json\"}}", "objects[0].groups.a.file",
		  "broken.json: line 2: column 17: a comma is too many, or something is missing, before ]" },
		{ "\"groups\": {\"a\": {\"file\": \"list.json\"}}", "objects[0].groups.a.file",
		  "holds a list, must hold an object {\"name\": [vertices], ...}" },
		{ "\"groups\": {\"a\": {\"file\": \"bar-moved.msh\", \"group\": \"uper\"}}", "objects[0].groups.a.file",
		  "has no group \"uper\"; did you mean \"upper\"?" },
		{ "\"pins\": [{}]", "objects[0].pins[0]", "has no vertices, must have a group or vertices" },
		{ "\"pins\": [{\"group\": \"left\", \"vertices\": [1]}]", "objects[0].pins[0]",
		  "has both group and vertices, must have one of them" },
		{ "\"pins\": [{\"vertices\": [1, 8]}]", "objects[0].pins[0].vertices[1]",
		  "is vertex 8, but the mesh has 8, counted from 0" },
		{ "\"groups\": {\"left\": [1]}, \"pins\": [{\"group\": \"lefft\"}]", "objects[0].pins[0].group",
		  "is \"lefft\", but the mesh has no such group; did you mean \"left\"?" },
		{ "\"pins\": [{\"vertices\": [1], \"start\": 2, \"end\": 1}]", "objects[0].pins[0].end",
		  "is 1, must be after the start at 2" },
		{ "\"pins\": [{\"vertices\": [1], \"offset\": 5}]", "objects[0].pins[0].offset",
		  "is a number, must be [x, y, z] or keys [[time, x, y, z], ...]" },
		{ "\"pins\": [{\"vertices\": [1], \"offset\": []}]", "objects[0].pins[0].offset",
		  "is empty, must hold at least one key" },
		{ "\"pins\": [{\"vertices\": [1], \"offset\": [1, 2]}]", "objects[0].pins[0].offset",
		  "has 2 numbers, must have 3" },
		{ "\"pins\": [{\"vertices\": [1], \"offset\": [1, 2, \"z\"]}]", "objects[0].pins[0].offset[2]",
		  "is text, must be a number" },
		{ "\"pins\": [{\"vertices\": [1], \"offset\": [[0, 0, 0, 0], 5]}]", "objects[0].pins[0].offset[1]",
		  "is a number, must be a key [time, x, y, z]" },
		{ "\"pins\": [{\"vertices\": [1], \"offset\": [[0, 0, 0]]}]", "objects[0].pins[0].offset[0]",
		  "has 3 numbers, must be a key [time, x, y, z]" },
		{ "\"pins\": [{\"vertices\": [1], \"offset\": [[0, 0, 0, 0], [0, 1, 1, 1]]}]", "objects[0].pins[0].offset[1]",
		  "has time 0 after time 0: times must ascend" },
		{ "\"drags\": [{\"vertex\": 1}]", "objects[0].drags[0].target",
		  "is missing, must be [x, y, z] or keys [[time, x, y, z], ...]" },
		{ "\"drags\": [{\"target\": [0, 0, 0]}]", "objects[0].drags[0]",
		  "has neither vertex nor near nor group nor vertices, must have one of them" },
		{ "\"drags\": [{\"target\": [0, 0, 0], \"vertex\": 1, \"near\": [0, 0, 0]}]", "objects[0].drags[0]",
		  "has more than one of vertex, near, group and vertices, must have one of them" },
		{ "\"drags\": [{\"target\": [0, 0, 0], \"vertices\": [1], \"weights\": [1, 2]}]", "objects[0].drags[0].weights",
		  "holds 2, must hold one for each of the 1 vertices" },
		{ "\"drags\": [{\"target\": [0, 0, 0], \"vertices\": [1], \"weights\": [-1]}]",
		  "objects[0].drags[0].weights[0]", "is -1, must be at least 0" },
		{ "\"drags\": [{\"target\": [0, 0, 0], \"vertices\": [1], \"offsets\": [[1, 2]]}]",
		  "objects[0].drags[0].offsets[0]", "has 2 numbers, must have 3" },
		{ "\"drags\": [{\"target\": [0, 0, 0], \"vertices\": [1], \"offsets\": 7}]", "objects[0].drags[0].offsets",
		  "is a number, must be a list of lists of 3 numbers" },
		{ "\"drags\": [{\"target\": [0, 0, 0], \"vertex\": 1, \"weights\": [1]}]", "objects[0].drags[0].weights",
		  "are given, but go with group or vertices" },
		{ "\"pins\": [{\"vertices\": [1], \"offsets\": [[0, 0, 0]]}]", "objects[0].pins[0].offsets",
		  "are given, but go with target, which is not" },
		{ "\"pins\": [{\"vertices\": [1], \"target\": [0, 0, 0], \"offset\": [0, 0, 0]}]", "objects[0].pins[0]",
		  "has both offset and target, must have at most one of them" },
		{ "\"drags\": [{\"target\": [0, 0, 0], \"vertex\": 8}]", "objects[0].drags[0].vertex",
		  "is vertex 8, but the mesh has 8, counted from 0" },
		{ "\"drags\": [{\"target\": [0, 0, 0], \"vertex\": 1, \"end\": 0}]", "objects[0].drags[0].end",
		  "is 0, must be after the start at 0" },
		{ "\"pushes\": [{\"time\": 1}]", "objects[0].pushes[0]",
		  "says neither impulse nor velocity, must have one of them" },
		{ "\"pushes\": [{\"impulse\": [1, 0, 0], \"velocity\": [1, 0, 0]}]", "objects[0].pushes[0]",
		  "has both impulse and velocity, must have one of them" },
		{ "\"pushes\": [{\"time\": -1, \"impulse\": [0, 0, 0]}]", "objects[0].pushes[0].time",
		  "is -1, must be at least 0" },
		{ "\"pushes\": [{\"group\": \"a\", \"impulse\": [0, 0, 0]}]", "objects[0].pushes[0].group",
		  "is \"a\", but the mesh has no such group; it has none" },
	};
	EXPECT_EACH("{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"bar.msh\", ", "}]}", mistakes);
}

static void match_settings(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ "\"beta\": -2", "objects[0].match.beta", "is -2, must be between 0 and 1" },
		{ "\"frequency\": -1", "objects[0].match.frequency", "is -1, must be between 0 and 1000" },
		{ "\"ring\": 9", "objects[0].match.ring", "is 9, must be between 0 and 8" },
		{ "\"ring\": 0", "objects[0].match.ring", "is 0, must be at least 1 unless `regions` are given" },
		{ "\"locality\": \"groups\"", "objects[0].match.groups",
		  "is missing, must name the vertex groups, because locality is \"groups\"" },
		{ "\"locality\": \"each\", \"groups\": [\"upper\"]", "objects[0].match.groups",
		  "is given, but locality is not \"groups\"" },
		{ "\"groups\": [\"uper\"]", "objects[0].match.groups[0]",
		  "is \"uper\", but the mesh has no such group; did you mean \"upper\"?" },
		{ "\"groups\": [\"upper\", \"upper\"]", "objects[0].match.groups[1]",
		  "is \"upper\", but all its vertices are in groups before it; each follows the first" },
		{ "\"groups\": [5]", "objects[0].match.groups[0]", "is a number, must be text" },
		{ "\"groups\": \"upper\"", "objects[0].match.groups", "is text, must be a list of names" },
		{ "\"examples\": [{}]", "objects[0].match.examples[0].mesh", "is missing, must be the name of a file" },
		{ "\"examples\": [\"bar.msh\", {\"mesh\": \"gone.msh\"}]", "objects[0].match.examples[1].mesh",
		  "gone.msh: cannot be opened: No such file or directory" },
		{ "\"examples\": [\"points.ply\"]", "objects[0].match.examples[0].mesh",
		  "has 4 vertices, the mesh has 8: an example pose must be the same mesh, moved" },
		{ "\"examples\": [5]", "objects[0].match.examples[0]", "is a number, must be the name of a file" },
		{ "\"examples\": [{\"mesh\": \"bar.msh\", \"strength\": 2}]", "objects[0].match.examples[0].strength",
		  "is 2, must be between 0 and 1" },
		{ "\"examples\": [{\"mesh\": \"bar.msh\", \"strength\": [0, 1]}]", "objects[0].match.examples[0].strength",
		  "is a list, must be a number or keys [[time, value], ...]" },
		{ "\"examples\": [{\"mesh\": \"bar.msh\", \"strength\": \"all\"}]", "objects[0].match.examples[0].strength",
		  "is text, must be a number or keys [[time, value], ...]" },
		{ "\"examples\": [{\"mesh\": \"bar.msh\", \"strength\": [[0, 0], [1, 2]]}]",
		  "objects[0].match.examples[0].strength[1][1]", "is 2, must be between 0 and 1" },
		{ "\"locality\": \"group\", \"groups\": [\"upper\"]", "objects[0].match.locality",
		  "is \"group\", must be one of \"global\", \"groups\", \"each\"; did you mean \"groups\"?" },
	};
	EXPECT_EACH("{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"bar-moved.msh\", \"match\": {",
	            "}}]}", mistakes);
}

static void all_at_once_in_the_order_of_the_file(void** state)
{
	(void)state;
	const char* text = "{\n"
					   "  \"objects\": [\n"
					   "    { \"mesh\": \"gone.msh\", \"enginne\": \"match\", \"density\": -1,\n"
					   "      \"match\": { \"examples\": [\"bar.msh\", \"gone.msh\"], \"beta\": 3 } },\n"
					   "    { \"engine\": \"match\", \"mesh\": \"bar.msh\", \"pins\": [{ \"vertices\": [9] }],\n"
					   "      \"groups\": { \"a\": [7], \"b\": [8] }, \"color\": 3 }\n"
					   "  ],\n"
					   "  \"colliders\": [{ \"shape\": \"sphere\" }],\n"
					   "  \"fps\": 0,\n"
					   "  \"limber\": 1\n"
					   "}\n";
	const char* places[] = { "objects[0].engine",
		                     "objects[0].mesh",
		                     "objects[0].enginne",
		                     "objects[0].density",
		                     "objects[0].match.examples[1].mesh",
		                     "objects[0].match.beta",
		                     "objects[1].pins[0].vertices[0]",
		                     "objects[1].groups.b",
		                     "objects[1].color",
		                     "colliders[0].radius",
		                     "fps" };
	lm_problems problems = { 0 };
	assert_int_equal(parse(text, &problems), LM_BAD_INPUT);
	size_t count = sizeof places / sizeof places[0];
	for (size_t i = 0; i < count && i < (size_t)problems.count; ++i)
		assert_string_equal(problems.items[i].where, places[i]);
	assert_int_equal(problems.count, count);
	lm_problems_release(&problems);
}

static void countless_problems_are_cut_off(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	size_t most = 100000;
	char* text = lm_alloc(&host, most, 1);
	size_t length = (size_t)snprintf(text, most, "{\"limber\": 1, \"objects\": [");
	for (int i = 0; i < 3000; ++i)
		length += (size_t)snprintf(text + length, most - length, "%s%d", i > 0 ? ", " : "", i);
	snprintf(text + length, most - length, "]}");
	lm_problems problems = { 0 };
	assert_int_equal(parse(text, &problems), LM_BAD_INPUT);
	assert_int_equal(problems.count, 500);
	assert_string_equal(problems.items[498].where, "objects[498]");
	assert_string_equal(problems.items[499].message, "there are more problems than the 499 above; is this a scene?");
	lm_problems_release(&problems);
	assert_int_equal(lm_scene_parse("x", text, strlen(text), NULL, &host, &(lm_scene*){ NULL }, NULL), LM_BAD_INPUT);
	lm_free(&host, text);
}

static void long_paths_and_deep_files_do_no_harm(void** state)
{
	(void)state;
	char name[600], text[5000];
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = 0;
	snprintf(text, sizeof text, "{\"limber\": 1, \"objects\": [{\"engine\": \"%s\", \"groups\": {\"%s\": [-1]}}]}",
	         name, name);
	lm_problems problems = { 0 };
	assert_int_equal(parse(text, &problems), LM_BAD_INPUT);
	assert_int_equal(problems.count, 3);
	lm_problems_release(&problems);
	memset(text, '[', 4000);
	text[4000] = 0;
	assert_int_equal(parse(text, &problems), LM_BAD_INPUT);
	assert_int_equal(problems.count, 1);
	assert_non_null(strstr(problems.items[0].message, "too many brackets inside each other"));
	lm_problems_release(&problems);
}

static void problems_need_memory_too(void** state)
{
	(void)state;
	const char* text = "{\"limber\": 2, \"fps\": 0, \"objects\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]}";
	for (int64_t n = 1;; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_scene_files files = fake_files();
		lm_scene* scene = NULL;
		lm_problems problems = { 0 };
		lm_status status = lm_scene_parse("x", text, strlen(text), &files, &host, &scene, &problems);
		lm_problems_release(&problems);
		assert_int_equal(memory.held, 0);
		assert_null(scene);
		if (memory.requests < n)
		{
			assert_int_equal(status, LM_BAD_INPUT);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(syntax),
		cmocka_unit_test(the_frame),
		cmocka_unit_test(misspelt_keys),
		cmocka_unit_test(colliders),
		cmocka_unit_test(objects),
		cmocka_unit_test(zero_volume),
		cmocka_unit_test(groups_and_actions),
		cmocka_unit_test(match_settings),
		cmocka_unit_test(all_at_once_in_the_order_of_the_file),
		cmocka_unit_test(countless_problems_are_cut_off),
		cmocka_unit_test(long_paths_and_deep_files_do_no_harm),
		cmocka_unit_test(problems_need_memory_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
