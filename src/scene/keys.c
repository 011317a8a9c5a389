// keys.c: the tables of scene files. keys.h says what they are for.
#include "scene/keys.h"

#include "base/alloc.h"
#include "scene/scene.h"

#include <string.h>

#define AT(type, field) .offset = offsetof(type, field)
#define COUNT_AT(type, field) .count = offsetof(type, field)
#define GIVEN(type, field) .given = offsetof(type, field)
#define KEYS(list) .keys = list, .key_count = (int32_t)(sizeof(list) / sizeof(list)[0])

// ---- the camera ----

static void camera_defaults(void* item)
{
	((lm_read_camera*)item)->camera = lm_scene_camera_default();
}

static const lm_key camera_keys[] = {
	{ "eye", LM_KEY_VECTOR, .width = 3, AT(lm_read_camera, camera.eye), GIVEN(lm_read_camera, eye_given), .unit = "m",
	  .usual = "automatic", .help = "Where the camera is. Give it together with `target`, or leave both out." },
	{ "target", LM_KEY_VECTOR, .width = 3, AT(lm_read_camera, camera.target), GIVEN(lm_read_camera, target_given),
	  .unit = "m", .usual = "automatic", .help = "What it looks at." },
	{ "fov", LM_KEY_NUMBER, .low = 1, .high = 150, AT(lm_read_camera, camera.fov), .unit = "degrees",
	  .help = "Vertical opening angle." },
	{ "direction", LM_KEY_VECTOR, .width = 3, AT(lm_read_camera, camera.direction),
	  GIVEN(lm_read_camera, direction_given),
	  .help = "Without `eye`: the direction of view; the distance follows from what there is to see." },
	{ "zoom", LM_KEY_NUMBER, .low = 0.01, .high = 100, AT(lm_read_camera, camera.zoom),
	  GIVEN(lm_read_camera, zoom_given), .help = "Without `eye`: 1 fits everything that moves, larger comes closer." },
};

static const lm_table camera_table = {
	.name = "camera",
	.article = "a",
	.help = "Where pictures are taken from.",
	.size = sizeof(lm_read_camera),
	.defaults = camera_defaults,
	KEYS(camera_keys),
};

// ---- colliders ----

static void placement_defaults(void* item)
{
	((lm_read_placement*)item)->key.rotation[0] = 1;
}

static const lm_key placement_keys[] = {
	{ "time", LM_KEY_NUMBER, LM_KEY_REQUIRED, AT(lm_read_placement, key.time), .unit = "s",
	  .help = "When. Times ascend from key to key." },
	{ "position", LM_KEY_VECTOR, .width = 3, AT(lm_read_placement, key.position),
	  GIVEN(lm_read_placement, position_given), .unit = "m", .usual = "the collider's",
	  .help = "Where its origin is then." },
	{ "rotation", LM_KEY_ROTATION, AT(lm_read_placement, key.rotation), GIVEN(lm_read_placement, rotation_given),
	  .usual = "the collider's", .help = "How it is turned then." },
};

static const lm_table placement_table = {
	.name = "key",
	.article = "a",
	.help = "Where a moving collider is at a time. It moves smoothly through its keys (a Catmull-Rom spline for the "
			"position, slerp for the rotation) and rests before the first and after the last.",
	.size = sizeof(lm_read_placement),
	.defaults = placement_defaults,
	KEYS(placement_keys),
};

static void collider_defaults(void* item)
{
	lm_read_collider* collider = item;
	lm_scene_collider_defaults(&collider->collider);
	collider->scale = 1;
	collider->rotation[0] = 1;
}

// In the order of lm_shape.
static const char* const shape_names[] = { "plane", "sphere", "box", "capsule", "mesh", NULL };

static const lm_key collider_keys[] = {
	{ "name", LM_KEY_TEXT, AT(lm_read_collider, name), .usual = "collider0, collider1, ...",
	  .help = "Its name in messages and outputs; no two alike, and no slashes." },
	{ "shape", LM_KEY_CHOICE, LM_KEY_REQUIRED | LM_KEY_DECIDES, AT(lm_read_collider, collider.def.shape),
	  .choices = shape_names,
	  .help =
	      "A plane is the solid half-space below y = 0 of its own frame, a capsule lies along its y axis, a mesh is "
	      "solid when closed and a two-sided sheet when open." },
	{ "radius", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, AT(lm_read_collider, collider.def.radius),
	  GIVEN(lm_read_collider, radius_given), .unit = "m", .usual = "must be given", .help = "Of a sphere or capsule." },
	{ "half", LM_KEY_VECTOR, LM_KEY_ABOVE, .width = 3, .high = LM_KEY_LIMIT, AT(lm_read_collider, collider.def.half),
	  GIVEN(lm_read_collider, half_given), .unit = "m", .usual = "must be given", .help = "Half the sides of a box." },
	{ "half_length", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_collider, collider.def.half_length),
	  GIVEN(lm_read_collider, half_length_given), .unit = "m", .usual = "must be given",
	  .help = "Half the distance between the centres of a capsule's caps." },
	{ "mesh", LM_KEY_FILE, AT(lm_read_collider, mesh), GIVEN(lm_read_collider, mesh_given), .usual = "must be given",
	  .help = "The triangles of a mesh collider." },
	{ "scale", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, AT(lm_read_collider, scale),
	  GIVEN(lm_read_collider, scale_given), .help = "Enlarges the mesh." },
	{ "friction", LM_KEY_NUMBER, .high = 100, AT(lm_read_collider, collider.def.friction),
	  .help = "Coulomb's coefficient; two touching things use the geometric mean of theirs." },
	{ "restitution", LM_KEY_NUMBER, .high = 1, AT(lm_read_collider, collider.def.restitution),
	  .help = "How much of the speed of an impact comes back; of two touching things the larger counts." },
	{ "position", LM_KEY_VECTOR, .width = 3, AT(lm_read_collider, position), .unit = "m",
	  .help = "Where its origin is." },
	{ "rotation", LM_KEY_ROTATION, AT(lm_read_collider, rotation), .help = "How it is turned." },
	{ "keys", LM_KEY_LIST, .low = 1, .high = 100000, AT(lm_read_collider, keys), COUNT_AT(lm_read_collider, key_count),
	  .table = &placement_table, .usual = "it rests", .help = "Where it is over time, for one that moves." },
	{ "color", LM_KEY_COLOR, AT(lm_read_collider, collider.color), .help = "In pictures." },
	{ "visible", LM_KEY_FLAG, AT(lm_read_collider, collider.visible), .help = "Whether pictures show it." },
};

static const lm_table collider_table = {
	.name = "collider",
	.article = "a",
	.help = "Something solid that soft objects touch and cannot move.",
	.size = sizeof(lm_read_collider),
	.defaults = collider_defaults,
	KEYS(collider_keys),
};

// ---- what happens to objects ----

static const lm_key group_keys[] = {
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, AT(lm_read_group, vertices), COUNT_AT(lm_read_group, count),
	  GIVEN(lm_read_group, vertices_given), .usual = "none",
	  .help = "Vertices of the simulation mesh, counted from 0." },
	{ "file", LM_KEY_FILE, AT(lm_read_group, file), GIVEN(lm_read_group, file_given), .usual = "none",
	  .help = "A file to take the group from: a mesh with groups, or a JSON file with lists of vertices by name." },
	{ "group", LM_KEY_TEXT, AT(lm_read_group, group), GIVEN(lm_read_group, group_given), .usual = "the same name",
	  .help = "Its name in that file." },
	{ "box", LM_KEY_BOX, AT(lm_read_group, box), GIVEN(lm_read_group, box_given), .unit = "m", .usual = "none",
	  .help = "All vertices of the mesh at rest between a lowest and a highest corner, before it is placed." },
};

static const lm_table group_table = {
	.name = "group",
	.article = "a",
	.help = "A named set of vertices of the simulation mesh: a plain list, or an object with one of `vertices`, `file` "
			"and `box`. Groups in the mesh file are there already and need not be repeated.",
	.size = sizeof(lm_read_group),
	.short_key = "vertices",
	KEYS(group_keys),
};

static void pin_defaults(void* item)
{
	((lm_read_pin*)item)->pin.end = -1;
}

static const lm_key pin_keys[] = {
	{ "group", LM_KEY_TEXT, AT(lm_read_pin, group), GIVEN(lm_read_pin, group_given), .usual = "none",
	  .help = "The group of vertices to hold; or give `vertices`." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, AT(lm_read_pin, vertices), COUNT_AT(lm_read_pin, count),
	  GIVEN(lm_read_pin, vertices_given), .usual = "none", .help = "The vertices to hold, counted from 0." },
	{ "offset", LM_KEY_KEYED, .width = 3, AT(lm_read_pin, offset), .unit = "m", .usual = "[0, 0, 0]",
	  .help = "How far they are carried from where they start." },
	{ "start", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_pin, pin.start), .unit = "s", .help = "From when." },
	{ "end", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_pin, pin.end), GIVEN(lm_read_pin, end_given), .unit = "s",
	  .usual = "never", .help = "When they are let go." },
};

static const lm_table pin_table = {
	.name = "pin",
	.article = "a",
	.help = "Vertices that are held in place, or carried along a path.",
	.size = sizeof(lm_read_pin),
	.defaults = pin_defaults,
	KEYS(pin_keys),
};

static void drag_defaults(void* item)
{
	lm_read_drag* drag = item;
	drag->drag.strength = 100;
	drag->drag.end = -1;
}

static const lm_key drag_keys[] = {
	{ "vertex", LM_KEY_INTEGER, .high = LM_KEY_LIMIT, AT(lm_read_drag, drag.vertex), GIVEN(lm_read_drag, vertex_given),
	  .usual = "none", .help = "The vertex to pull, counted from 0; or give `near`." },
	{ "near", LM_KEY_VECTOR, .width = 3, AT(lm_read_drag, near), GIVEN(lm_read_drag, near_given), .unit = "m",
	  .usual = "none",
	  .help = "Pull the vertex that is nearest to this point of the mesh at rest, before it is placed." },
	{ "target", LM_KEY_KEYED, LM_KEY_REQUIRED, 3, AT(lm_read_drag, target), .unit = "m",
	  .help = "Where it is pulled to, in the scene." },
	{ "strength", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_drag, drag.strength), .unit = "N/m",
	  .help = "Of the spring." },
	{ "start", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_drag, drag.start), .unit = "s", .help = "From when." },
	{ "end", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_drag, drag.end), GIVEN(lm_read_drag, end_given),
	  .unit = "s", .usual = "never", .help = "When it is let go." },
};

static const lm_table drag_table = {
	.name = "drag",
	.article = "a",
	.help = "A vertex pulled by a damped spring towards a moving target, as a mouse would.",
	.size = sizeof(lm_read_drag),
	.defaults = drag_defaults,
	KEYS(drag_keys),
};

static const lm_key push_keys[] = {
	{ "group", LM_KEY_TEXT, AT(lm_read_push, group), GIVEN(lm_read_push, group_given), .usual = "all vertices",
	  .help = "The group of vertices that is pushed." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, AT(lm_read_push, vertices), COUNT_AT(lm_read_push, count),
	  GIVEN(lm_read_push, vertices_given), .usual = "all vertices",
	  .help = "The vertices that are pushed, counted from 0." },
	{ "time", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_push, push.time), .unit = "s", .help = "When." },
	{ "impulse", LM_KEY_VECTOR, LM_KEY_REQUIRED, 3, AT(lm_read_push, push.impulse), .unit = "N s",
	  .help = "Shared among the vertices by their mass." },
};

static const lm_table push_table = {
	.name = "push",
	.article = "a",
	.help = "A sudden push.",
	.size = sizeof(lm_read_push),
	KEYS(push_keys),
};

static void lattice_defaults(void* item)
{
	((lm_read_lattice*)item)->settings = lm_lattice_settings_default();
}

static const lm_key lattice_keys[] = {
	{ "size", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, AT(lm_read_lattice, settings.size),
	  GIVEN(lm_read_lattice, size_given), .unit = "m", .usual = "follows from `vertices`",
	  .help = "Edge length of its tetrahedra." },
	{ "vertices", LM_KEY_INTEGER, .low = 8, .high = 10000000, AT(lm_read_lattice, settings.vertices),
	  GIVEN(lm_read_lattice, vertices_given), .help = "About how many vertices it shall have; or give `size`." },
	{ "inside", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1, AT(lm_read_lattice, settings.inside),
	  .help = "Winding number above which a point counts as inside; lower fills surfaces with larger holes." },
};

static const lm_table lattice_table = {
	.name = "lattice",
	.article = "a",
	.help = "The simulation mesh that is made around a surface.",
	.size = sizeof(lm_read_lattice),
	.defaults = lattice_defaults,
	KEYS(lattice_keys),
};

// ---- objects ----

static void object_defaults(void* item)
{
	lm_read_object* object = item;
	lm_scene_object_defaults(&object->object);
	object->scale = 1;
	lm_table_defaults(&lattice_table, &object->lattice);
	lm_table_defaults(&lm_match_table, &object->match);
	lm_table_defaults(&lm_act_table, &object->act);
	lm_table_defaults(&lm_track_table, &object->track);
	lm_table_defaults(&lm_design_table, &object->design);
}

const char* const lm_engine_names[] = { "match", "act", "track", "design", NULL };

static const lm_key object_keys[] = {
	{ "name", LM_KEY_TEXT, AT(lm_read_object, name), .usual = "object0, object1, ...",
	  .help = "Its name in outputs; no two alike, and no slashes: it may become the name of a file." },
	{ "engine", LM_KEY_TEXT, LM_KEY_REQUIRED, AT(lm_read_object, engine), .choices = lm_engine_names,
	  .help = "What moves it. The engine's own settings are in the key of the same name." },
	{ "mesh", LM_KEY_FILE, LM_KEY_REQUIRED, AT(lm_read_object, mesh),
	  .help = "Its shape at rest: tetrahedra (.msh, .node), or a surface (.obj, .ply, .stl), which is wrapped in a "
	          "lattice of tetrahedra and shown itself. Engines that simulate sheets or curves take the triangles or "
	          "lines of the file." },
	{ "lattice", LM_KEY_TABLE, LM_KEY_OR_FALSE, AT(lm_read_object, lattice), GIVEN(lm_read_object, lattice_given),
	  .off = offsetof(lm_read_object, lattice_off), .table = &lattice_table, .usual = "about 500 vertices",
	  .help = "How a surface is wrapped; `false` simulates its triangles themselves, as a sheet." },
	{ "surface", LM_KEY_FILE, AT(lm_read_object, surface), .usual = "the mesh itself",
	  .help = "A detailed surface to be shown, in the coordinates of the mesh; it is carried along." },
	{ "scale", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, AT(lm_read_object, scale),
	  .help = "Enlarges mesh, surface, start and example poses." },
	{ "position", LM_KEY_VECTOR, .width = 3, AT(lm_read_object, object.position), .unit = "m",
	  .help = "Where the mesh's origin is at the start." },
	{ "rotation", LM_KEY_ROTATION, AT(lm_read_object, object.rotation),
	  .help = "How the mesh is turned at the start." },
	{ "velocity", LM_KEY_VECTOR, .width = 3, AT(lm_read_object, object.velocity), .unit = "m/s",
	  .help = "At the start." },
	{ "angular_velocity", LM_KEY_VECTOR, .width = 3, AT(lm_read_object, object.angular_velocity), .unit = "rad/s",
	  .help = "At the start, about the centre of mass." },
	{ "start", LM_KEY_FILE, AT(lm_read_object, start), .usual = "the shape at rest",
	  .help = "A pose to start in: the same mesh, moved." },
	{ "density", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, AT(lm_read_object, object.density),
	  GIVEN(lm_read_object, density_given), .unit = "kg/m^3", .usual = "1000; 1 for `act`, 0.2 for `track`",
	  .help = "Mass by volume; by area (kg/m^2) for sheets and bodies in the plane, by length (kg/m) for curves." },
	{ "color", LM_KEY_COLOR, AT(lm_read_object, object.color), .help = "In pictures." },
	{ "substeps", LM_KEY_INTEGER, .low = 1, .high = 1000, AT(lm_read_object, object.substeps),
	  .help = "Steps of the engine per frame." },
	{ "groups", LM_KEY_MAP, .high = 4096, AT(lm_read_object, groups), COUNT_AT(lm_read_object, group_count),
	  .table = &group_table, .usual = "those of the mesh file",
	  .help = "Named sets of vertices of the simulation mesh, for pins, pushes and engines to refer to." },
	{ "pins", LM_KEY_LIST, .high = 100000, AT(lm_read_object, pins), COUNT_AT(lm_read_object, pin_count),
	  .table = &pin_table, .usual = "none", .help = "What is held." },
	{ "drags", LM_KEY_LIST, .high = 100000, AT(lm_read_object, drags), COUNT_AT(lm_read_object, drag_count),
	  .table = &drag_table, .usual = "none", .help = "What is pulled." },
	{ "pushes", LM_KEY_LIST, .high = 100000, AT(lm_read_object, pushes), COUNT_AT(lm_read_object, push_count),
	  .table = &push_table, .usual = "none", .help = "What is pushed." },
	{ "match", LM_KEY_TABLE, AT(lm_read_object, match), GIVEN(lm_read_object, match_given), .table = &lm_match_table,
	  .usual = "all defaults", .help = "Settings of the engine `match`." },
	{ "act", LM_KEY_TABLE, AT(lm_read_object, act), GIVEN(lm_read_object, act_given), .table = &lm_act_table,
	  .usual = "all defaults", .help = "Settings of the engine `act`." },
	{ "track", LM_KEY_TABLE, AT(lm_read_object, track), GIVEN(lm_read_object, track_given), .table = &lm_track_table,
	  .usual = "all defaults", .help = "Settings of the engine `track`." },
	{ "design", LM_KEY_TABLE, AT(lm_read_object, design), GIVEN(lm_read_object, design_given),
	  .table = &lm_design_table, .usual = "all defaults", .help = "Settings of the engine `design`." },
};

static const lm_table object_table = {
	.name = "object",
	.article = "an",
	.help = "Something soft.",
	.size = sizeof(lm_read_object),
	.defaults = object_defaults,
	KEYS(object_keys),
};

// ---- the scene ----

static void scene_defaults(void* item)
{
	lm_read_scene* scene = item;
	lm_scene_defaults(&scene->scene);
	scene->size[0] = scene->scene.width;
	scene->size[1] = scene->scene.height;
	lm_table_defaults(&camera_table, &scene->camera);
}

static const lm_key scene_keys[] = {
	{ "limber", LM_KEY_INTEGER, LM_KEY_REQUIRED, .low = 1, .high = 1, AT(lm_read_scene, version),
	  .help = "The version of the format." },
	{ "$schema", LM_KEY_TEXT, AT(lm_read_scene, schema), .usual = "none",
	  .help = "For editors that check and complete as you type: the place of `scene.schema.json`. limber ignores it." },
	{ "name", LM_KEY_TEXT, AT(lm_read_scene, name), .usual = "the file's name", .help = "A short name." },
	{ "description", LM_KEY_TEXT, AT(lm_read_scene, description), .usual = "none", .help = "What there is to see." },
	{ "fps", LM_KEY_NUMBER, .low = 1, .high = 1000, AT(lm_read_scene, scene.fps), .unit = "1/s",
	  .help = "Frames per second." },
	{ "seconds", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 86400, AT(lm_read_scene, scene.seconds), .unit = "s",
	  .help = "How long the scene is." },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, AT(lm_read_scene, scene.gravity), .unit = "m/s^2",
	  .help = "Acceleration of everything that falls." },
	{ "camera", LM_KEY_TABLE, AT(lm_read_scene, camera), .table = &camera_table, .usual = "fits all that moves",
	  .help = "Where pictures are taken from." },
	{ "size", LM_KEY_INTEGERS, .width = 2, .low = 16, .high = 16384, AT(lm_read_scene, size), .unit = "pixels",
	  .help = "Width and height of pictures." },
	{ "background", LM_KEY_COLOR, AT(lm_read_scene, scene.background), .help = "Of pictures." },
	{ "colliders", LM_KEY_LIST, .high = 10000, AT(lm_read_scene, colliders), COUNT_AT(lm_read_scene, collider_count),
	  .table = &collider_table, .usual = "none", .help = "What soft objects touch." },
	{ "objects", LM_KEY_LIST, LM_KEY_REQUIRED, .low = 1, .high = 10000, AT(lm_read_scene, objects),
	  COUNT_AT(lm_read_scene, object_count), .table = &object_table, .help = "What is soft." },
};

const lm_table lm_scene_table = {
	.name = "scene",
	.article = "a",
	.help = "The whole file.",
	.size = sizeof(lm_read_scene),
	.defaults = scene_defaults,
	KEYS(scene_keys),
};
