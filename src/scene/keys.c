// keys.c: the tables of scene files. keys.h says what they are for.
#include "scene/keys.h"

#include "format/color.h"
#include "scene/engine.h"

// ---- the camera ----

static void camera_defaults(void* item)
{
	((lm_scene_camera*)item)->automatic = true;
}

static const lm_key camera_keys[] = {
	{ "eye", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_camera, eye), .unit = "m", .usual = "automatic",
	  .help = "Where the camera is. Give it together with `target`, or leave both out." },
	{ "target", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_camera, target), .unit = "m", .usual = "automatic",
	  .help = "What it looks at." },
	{ "fov", LM_KEY_NUMBER, .low = 1, .high = 150, .preset = { 35 }, LM_AT(lm_scene_camera, fov), .unit = "degrees",
	  .help = "Vertical opening angle." },
	{ "direction", LM_KEY_VECTOR, .width = 3, .preset = { -0.5, -0.35, -1 }, LM_AT(lm_scene_camera, direction),
	  .help = "Without `eye`: the direction of view; the distance follows from what there is to see." },
	{ "zoom", LM_KEY_NUMBER, .low = 0.01, .high = 100, .preset = { 1 }, LM_AT(lm_scene_camera, zoom),
	  .help = "Without `eye`: 1 fits everything that moves, larger comes closer." },
	{ "follow", LM_KEY_FLAG, .preset = { true }, LM_AT(lm_scene_camera, follow),
	  .help =
	      "Without `eye`: the camera goes along with what moves, where that would otherwise fill less than a third of "
	      "the picture; `false` holds it still." },
};

const lm_table lm_camera_table = {
	.name = "camera",
	.article = "a",
	.help = "Where pictures are taken from.",
	.size = sizeof(lm_scene_camera),
	.given = offsetof(lm_scene_camera, given),
	.defaults = camera_defaults,
	LM_KEYS(camera_keys),
};

// ---- colliders ----

static const lm_key placement_keys[] = {
	{ "time", LM_KEY_NUMBER, LM_KEY_REQUIRED, LM_AT(lm_scene_placement, key.time), .unit = "s",
	  .help = "When. Times ascend from key to key." },
	{ "position", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_placement, key.position), .unit = "m",
	  .usual = "the collider's", .help = "Where its origin is then." },
	{ "rotation", LM_KEY_ROTATION, LM_AT(lm_scene_placement, key.rotation), .usual = "the collider's",
	  .help = "How it is turned then." },
};

const lm_table lm_placement_table = {
	.name = "key",
	.article = "a",
	.help = "Where a moving collider is at a time. It moves smoothly through its keys (a Catmull-Rom spline for the "
			"position, slerp for the rotation) and rests before the first and after the last.",
	.size = sizeof(lm_scene_placement),
	.given = offsetof(lm_scene_placement, given),
	LM_KEYS(placement_keys),
};

static const lm_key collider_cache_keys[] = {
	{ "file", LM_KEY_FILE, LM_KEY_REQUIRED, LM_AT(lm_scene_collider_cache, file),
	  .help =
	      "A point cache (.pc2, .mdd), or meshes (.obj, .ply) whose names have {frame} in place of the number, with "
	      "any number of digits." },
	LM_ANIMATION_KEYS(lm_scene_collider_cache),
};

const lm_table lm_collider_cache_table = {
	.name = "cache of a collider",
	.article = "a",
	.help = "How a mesh collider deforms, an animated body for instance: an object, or just the name of the file. It "
			"has the vertices of the mesh, in the coordinates of its file, and is enlarged, turned and moved with it.",
	.size = sizeof(lm_scene_collider_cache),
	.given = offsetof(lm_scene_collider_cache, given),
	.short_key = "file",
	LM_KEYS(collider_cache_keys),
};

static void collider_defaults(void* item)
{
	lm_color_parse("#b9bec6", ((lm_scene_collider*)item)->color);
}

// In the order of lm_shape.
static const char* const shape_names[] = { "plane", "sphere", "box", "capsule", "mesh", NULL };

static const lm_key collider_keys[] = {
	{ "name", LM_KEY_TEXT, LM_AT(lm_scene_collider, name), .usual = "collider0, collider1, ...",
	  .help = "Its name in messages and outputs; no two alike, and no slashes." },
	{ "shape", LM_KEY_CHOICE, LM_KEY_REQUIRED | LM_KEY_DECIDES, LM_AT(lm_scene_collider, def.shape),
	  .choices = shape_names,
	  .help =
	      "A plane is the solid half-space below y = 0 of its own frame, a capsule lies along its y axis, a mesh is "
	      "solid when closed and a two-sided sheet when open." },
	{ "radius", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, LM_AT(lm_scene_collider, def.radius), .unit = "m",
	  .usual = "must be given", .help = "Of a sphere or capsule." },
	{ "half", LM_KEY_VECTOR, LM_KEY_ABOVE, .width = 3, .high = LM_KEY_LIMIT, LM_AT(lm_scene_collider, def.half),
	  .unit = "m", .usual = "must be given", .help = "Half the sides of a box." },
	{ "half_length", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, LM_AT(lm_scene_collider, def.half_length), .unit = "m",
	  .usual = "must be given", .help = "Half the distance between the centres of a capsule's caps." },
	{ "mesh", LM_KEY_FILE, LM_AT(lm_scene_collider, mesh_file), .usual = "must be given",
	  .help = "The triangles of a mesh collider." },
	{ "scale", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, .preset = { 1 }, LM_AT(lm_scene_collider, scale),
	  .help = "Enlarges the mesh." },
	{ "cache", LM_KEY_TABLE, LM_AT(lm_scene_collider, cache), .table = &lm_collider_cache_table,
	  .usual = "none: it keeps its shape", .help = "How the mesh deforms over time." },
	{ "friction", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, .preset = { 0.5 }, LM_AT(lm_scene_collider, def.friction),
	  .help = "Coulomb's coefficient; two touching things use the geometric mean of theirs." },
	{ "restitution", LM_KEY_NUMBER, .high = 1, LM_AT(lm_scene_collider, def.restitution),
	  .help = "How much of the speed of an impact comes back; of two touching things the larger counts." },
	{ "position", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_collider, position), .unit = "m",
	  .help = "Where its origin is." },
	{ "rotation", LM_KEY_ROTATION, LM_AT(lm_scene_collider, rotation), .help = "How it is turned." },
	{ "keys", LM_KEY_LIST, .low = 1, .high = 100000, LM_AT(lm_scene_collider, keys),
	  LM_COUNT_AT(lm_scene_collider, key_count), .table = &lm_placement_table, .usual = "it rests",
	  .help = "Where it is over time, for one that moves." },
	{ "color", LM_KEY_COLOR, LM_AT(lm_scene_collider, color), .help = "In pictures." },
	{ "visible", LM_KEY_FLAG, .preset = { 1 }, LM_AT(lm_scene_collider, visible), .help = "Whether pictures show it." },
	{ "touch", LM_KEY_TEXTS, LM_KEY_OR_FALSE, .low = 1, .high = 4096, LM_AT(lm_scene_collider, touch),
	  LM_COUNT_AT(lm_scene_collider, touch_count), .off = offsetof(lm_scene_collider, touch_off), .usual = "all",
	  .help = "Objects that touch it; `false`: none." },
};

const lm_table lm_collider_table = {
	.name = "collider",
	.article = "a",
	.help = "Something solid that soft objects touch and cannot move.",
	.size = sizeof(lm_scene_collider),
	.given = offsetof(lm_scene_collider, given),
	.defaults = collider_defaults,
	LM_KEYS(collider_keys),
};

// ---- what happens to objects ----

static const lm_key group_keys[] = {
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, LM_AT(lm_scene_group, vertices),
	  LM_COUNT_AT(lm_scene_group, count), .usual = "none", .help = "Vertices of the simulation mesh, counted from 0." },
	{ "file", LM_KEY_FILE, LM_AT(lm_scene_group, file), .usual = "none",
	  .help = "A file to take the group from: a mesh with groups, or a JSON file with lists of vertices by name." },
	{ "weights", LM_KEY_FILE, LM_AT(lm_scene_group, weights), .usual = "none",
	  .help =
	      "Paint: a JSON file {\"name\": [one number 0 .. 1 per vertex], ...}, of the surface that is shown, or of the "
	      "mesh. From 0.5 on a vertex is in the group; regions of `track` take the numbers as they are." },
	{ "group", LM_KEY_TEXT, LM_AT(lm_scene_group, group), .usual = "the same name", .help = "Its name in that file." },
	{ "box", LM_KEY_BOX, LM_AT(lm_scene_group, box), .unit = "m", .usual = "none",
	  .help = "All vertices of the mesh at rest between a lowest and a highest corner, before it is placed." },
};

const lm_table lm_group_table = {
	.name = "group",
	.article = "a",
	.help = "A named set of vertices of the simulation mesh: a plain list, or an object with one of `vertices`, "
			"`file`, `weights` and `box`. Groups in the mesh file are there already and need not be repeated.",
	.size = sizeof(lm_scene_group),
	.given = offsetof(lm_scene_group, given),
	.short_key = "vertices",
	LM_KEYS(group_keys),
};

static const lm_key pin_keys[] = {
	{ "group", LM_KEY_TEXT, LM_AT(lm_scene_pin, group), .usual = "none",
	  .help = "The group of vertices to hold; or give `vertices`." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, LM_AT(lm_scene_pin, vertices), LM_COUNT_AT(lm_scene_pin, count),
	  .usual = "none", .help = "The vertices to hold, counted from 0." },
	{ "offset", LM_KEY_KEYED, LM_KEY_CONSTANT, .width = 3, LM_AT(lm_scene_pin, offset), .unit = "m",
	  .usual = "[0, 0, 0]", .help = "How far they are carried from where they start." },
	{ "target", LM_KEY_KEYED, .width = 3, LM_AT(lm_scene_pin, target), .unit = "m", .usual = "none",
	  .help = "Instead of `offset`: where they are held together, in the scene." },
	{ "offsets", LM_KEY_NUMBERS, .width = 3, LM_AT(lm_scene_pin, offsets), LM_COUNT_AT(lm_scene_pin, offset_count),
	  .unit = "m", .usual = "those from their middle, as they start",
	  .help = "With `target`: where each vertex is held, from there." },
	{ "guide", LM_KEY_FLAG, LM_AT(lm_scene_pin, guide),
	  .help = "Cloth of `track`: each vertex is held where the guide has it, exactly." },
	{ "start", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, LM_AT(lm_scene_pin, start), .unit = "s", .help = "From when." },
	{ "end", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, .preset = { -1 }, LM_AT(lm_scene_pin, end), .unit = "s",
	  .usual = "never", .help = "When they are let go." },
};

const lm_table lm_pin_table = {
	.name = "pin",
	.article = "a",
	.help = "Vertices that are held in place, or carried along a path.",
	.size = sizeof(lm_scene_pin),
	.given = offsetof(lm_scene_pin, given),
	LM_KEYS(pin_keys),
};

static const lm_key drag_keys[] = {
	{ "vertex", LM_KEY_INTEGER, .high = LM_KEY_LIMIT, LM_AT(lm_scene_drag, vertex), .usual = "none",
	  .help = "The vertex to pull, counted from 0; or give `near`, `group` or `vertices`." },
	{ "near", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_drag, near), .unit = "m", .usual = "none",
	  .help = "Pull the vertex that is nearest to this point of the mesh at rest, before it is placed." },
	{ "group", LM_KEY_TEXT, LM_AT(lm_scene_drag, group), .usual = "none",
	  .help = "Pull a group of vertices together." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, LM_AT(lm_scene_drag, vertices),
	  LM_COUNT_AT(lm_scene_drag, count), .usual = "none", .help = "Pull these vertices together, counted from 0." },
	{ "weights", LM_KEY_NUMBERS, .high = LM_KEY_LIMIT, LM_AT(lm_scene_drag, weights),
	  LM_COUNT_AT(lm_scene_drag, weight_count), .usual = "all alike, with the sum 1",
	  .help = "Of several vertices: the share of `strength` that pulls each." },
	{ "offsets", LM_KEY_NUMBERS, .width = 3, LM_AT(lm_scene_drag, offsets), LM_COUNT_AT(lm_scene_drag, offset_count),
	  .unit = "m", .usual = "those from their middle, as they start",
	  .help = "Of several vertices: where each is pulled to, from `target`." },
	{ "target", LM_KEY_KEYED, LM_KEY_REQUIRED | LM_KEY_CONSTANT, 3, LM_AT(lm_scene_drag, target), .unit = "m",
	  .help = "Where it is pulled to, in the scene; of several vertices, where their middle is." },
	{ "strength", LM_KEY_NUMBER, .high = 1e15, .preset = { 100 }, LM_AT(lm_scene_drag, strength), .unit = "N/m",
	  .help = "Of the spring, or of all springs together." },
	{ "start", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, LM_AT(lm_scene_drag, start), .unit = "s", .help = "From when." },
	{ "end", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, .preset = { -1 }, LM_AT(lm_scene_drag, end), .unit = "s",
	  .usual = "never", .help = "When it is let go." },
};

const lm_table lm_drag_table = {
	.name = "drag",
	.article = "a",
	.help = "A vertex, or several together, pulled by damped springs towards a moving target, as a mouse would.",
	.size = sizeof(lm_scene_drag),
	.given = offsetof(lm_scene_drag, given),
	LM_KEYS(drag_keys),
};

static const lm_key push_keys[] = {
	{ "group", LM_KEY_TEXT, LM_AT(lm_scene_push, group), .usual = "all vertices",
	  .help = "The group of vertices that is pushed." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, LM_AT(lm_scene_push, vertices),
	  LM_COUNT_AT(lm_scene_push, count), .usual = "all vertices",
	  .help = "The vertices that are pushed, counted from 0." },
	{ "time", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, LM_AT(lm_scene_push, time), .unit = "s", .help = "When." },
	{ "impulse", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_push, impulse), .unit = "N s", .usual = "by `velocity`",
	  .help = "Shared among the vertices by their mass." },
	{ "velocity", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_push, velocity), .unit = "m/s", .usual = "by `impulse`",
	  .help = "Added to the velocity of the vertices, whatever their mass: one of the two must be given." },
};

// In the order of lm_field_kind.
static const char* const field_names[] = { "wind", "attractor", "vortex", "turbulence", NULL };

static void field_defaults(void* item)
{
	((lm_scene_field*)item)->def = lm_field_default();
}

static const lm_key field_keys[] = {
	{ "kind", LM_KEY_CHOICE, LM_KEY_REQUIRED, LM_AT(lm_scene_field, def.kind), .choices = field_names,
	  .help =
	      "Wind blows the same everywhere, an attractor pulls to its place, a vortex turns about its axis, turbulence "
	      "has eddies. Light and heavy things answer alike; what touches nothing else is carried along." },
	{ "position", LM_KEY_KEYED, .width = 3, LM_AT(lm_scene_field, position), .unit = "m", .usual = "the origin",
	  .help = "Its place: the middle of an attractor, a point of a vortex's axis, where `radius` begins." },
	{ "velocity", LM_KEY_KEYED, .width = 3, .low = -1e4, .high = 1e4, LM_AT(lm_scene_field, velocity), .unit = "m/s",
	  .usual = "none", .help = "Of wind." },
	{ "strength", LM_KEY_KEYED, .width = 1, .low = -1e6, .high = 1e6, LM_AT(lm_scene_field, strength), .usual = "1",
	  .help = "Speed of a vortex or of turbulence in m/s, acceleration by an attractor in m/s^2; negative turns it "
	          "round." },
	{ "axis", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_field, def.axis), .help = "Of a vortex." },
	{ "radius", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, LM_AT(lm_scene_field, def.radius), .unit = "m",
	  .usual = "it does not fade", .help = "Where it is half as strong as in its place; the core of a vortex." },
	{ "drag", LM_KEY_NUMBER, .high = 1e6, LM_AT(lm_scene_field, def.drag), .unit = "1/s",
	  .help = "How fast things take on the velocity of the air." },
	{ "gust", LM_KEY_NUMBER, .high = 1, LM_AT(lm_scene_field, def.gust),
	  .help = "Share of a wind's velocity that comes and goes." },
	{ "gust_seconds", LM_KEY_NUMBER, .low = 1e-3, .high = 1e6, LM_AT(lm_scene_field, def.gust_seconds), .unit = "s",
	  .help = "How long gusts last, about." },
	{ "size", LM_KEY_NUMBER, .low = 1e-6, .high = LM_KEY_LIMIT, LM_AT(lm_scene_field, def.size), .unit = "m",
	  .help = "Of eddies." },
	{ "change", LM_KEY_NUMBER, .low = 1e-3, .high = LM_KEY_LIMIT, LM_AT(lm_scene_field, def.change), .unit = "s",
	  .help = "How long eddies last, about." },
	{ "seed", LM_KEY_INTEGER, .high = 1000000000, LM_AT(lm_scene_field, def.seed),
	  .help = "Another number gives other gusts and eddies." },
};

const lm_table lm_field_table = {
	.name = "field",
	.article = "a",
	.help = "A force field.",
	.size = sizeof(lm_scene_field),
	.given = offsetof(lm_scene_field, given),
	.defaults = field_defaults,
	LM_KEYS(field_keys),
};

const lm_table lm_push_table = {
	.name = "push",
	.article = "a",
	.help = "A sudden push.",
	.size = sizeof(lm_scene_push),
	.given = offsetof(lm_scene_push, given),
	LM_KEYS(push_keys),
};

static void lattice_defaults(void* item)
{
	((lm_scene_lattice*)item)->settings = lm_lattice_settings_default();
}

static const lm_key lattice_keys[] = {
	{ "size", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, LM_AT(lm_scene_lattice, settings.size), .unit = "m",
	  .usual = "follows from `vertices`", .help = "Edge length of its tetrahedra." },
	{ "vertices", LM_KEY_INTEGER, .low = 8, .high = 10000000, LM_AT(lm_scene_lattice, settings.vertices),
	  .help = "About how many vertices it shall have; or give `size`." },
	{ "inside", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1, LM_AT(lm_scene_lattice, settings.inside),
	  .help = "Winding number above which a point counts as inside; lower fills surfaces with larger holes." },
	{ "fit", LM_KEY_FLAG, LM_AT(lm_scene_lattice, fit),
	  .usual = "true up to 3000 vertices, where the surface can be filled",
	  .help = "Whether it follows the surface closely: its vertices lie on the surface, parts of the surface that are "
	          "close "
	          "together stay apart, the sole is flat, and the mass is that of the inside. y is up." },
	{ "legs", LM_KEY_FLAG, LM_AT(lm_scene_lattice, settings.legs), .usual = "false; true for characters of `act`",
	  .help = "With `fit`: whether legs that touch are split by their feet." },
};

const lm_table lm_lattice_table = {
	.name = "lattice",
	.article = "a",
	.help = "The simulation mesh that is made around a surface.",
	.size = sizeof(lm_scene_lattice),
	.given = offsetof(lm_scene_lattice, given),
	.defaults = lattice_defaults,
	LM_KEYS(lattice_keys),
};

// ---- objects ----

static void object_defaults(void* item)
{
	lm_color_usual(0, ((lm_scene_object*)item)->color);
}

static const char* const up_names[] = { "y", "z", NULL };
static const char* const forward_names[] = { "auto", "x", "-x", "z", "-z", NULL };
static const char* const place_names[] = { "origin", "ground", NULL };

const char* const lm_engine_names[] = { "match", "act", "track", "design", NULL };

static const lm_key object_keys[] = {
	{ "name", LM_KEY_TEXT, LM_AT(lm_scene_object, name), .usual = "object0, object1, ...",
	  .help = "Its name in outputs; no two alike, and no slashes: it may become the name of a file." },
	{ "engine", LM_KEY_TEXT, LM_KEY_REQUIRED, LM_AT(lm_scene_object, engine), .choices = lm_engine_names,
	  .help = "What moves it. The engine's own settings are in the key of the same name." },
	{ "mesh", LM_KEY_FILE, LM_KEY_REQUIRED, LM_AT(lm_scene_object, mesh_file),
	  .help = "Its shape at rest: tetrahedra (.msh, .node), or a surface (.obj, .ply, .stl), which is wrapped in a "
	          "lattice of tetrahedra and shown itself. Engines that simulate sheets or curves take the triangles or "
	          "lines of the file." },
	{ "lattice", LM_KEY_TABLE, LM_KEY_OR_FALSE, LM_AT(lm_scene_object, lattice),
	  .off = offsetof(lm_scene_object, lattice_off), .table = &lm_lattice_table, .usual = "about 500 vertices",
	  .help = "How a surface is wrapped; `false` simulates its triangles themselves, as a sheet." },
	{ "surface", LM_KEY_FILE, LM_AT(lm_scene_object, surface_file), .usual = "the mesh itself",
	  .help = "A detailed surface to be shown, in the coordinates of the mesh; it is carried along." },
	{ "scale", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, .preset = { 1 }, LM_AT(lm_scene_object, scale),
	  .help = "Enlarges mesh, surface, start and example poses." },
	{ "height", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, LM_AT(lm_scene_object, height), .unit = "m",
	  .usual = "that of the file", .help = "Instead of `scale`: how high it shall be." },
	{ "up", LM_KEY_CHOICE, LM_AT(lm_scene_object, up), .choices = up_names,
	  .help = "The axis of its files that points up; they are turned so that this is y." },
	{ "forward", LM_KEY_CHOICE, LM_AT(lm_scene_object, forward), .choices = forward_names,
	  .help =
	      "The axis of its files, once y is up, that a figure faces along; they are turned so that this is x. `auto`: "
	      "found for characters of `act`, by feet and symmetry; other objects stay as they are." },
	{ "place", LM_KEY_CHOICE, LM_AT(lm_scene_object, place), .choices = place_names,
	  .usual = "`\"origin\"`; `\"ground\"` for characters of `act`",
	  .help = "What `position` is the place of: the `origin` of the file, or the middle of its lowest side, so that it "
	          "stands on the `ground`; a character without feet that cannot stand is then laid as it comes to rest." },
	{ "position", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_object, position), .unit = "m",
	  .help = "Where the mesh's origin is at the start." },
	{ "rotation", LM_KEY_ROTATION, LM_AT(lm_scene_object, rotation), .help = "How the mesh is turned at the start." },
	{ "velocity", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_object, velocity), .unit = "m/s", .help = "At the start." },
	{ "angular_velocity", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_object, angular_velocity), .unit = "rad/s",
	  .help = "At the start, about the centre of mass." },
	{ "start", LM_KEY_FILE, LM_AT(lm_scene_object, start_file), .usual = "the shape at rest",
	  .help = "A pose to start in: the same mesh, moved." },
	{ "density", LM_KEY_NUMBER, .low = 1e-12, .high = 1e12, .preset = { 1000 }, LM_AT(lm_scene_object, density),
	  .unit = "kg/m^3",
	  .usual = "1000; 1 for `act` (1000 for characters, and passive solids of default material), 0.2 for `track`",
	  .help = "Mass by volume; by area (kg/m^2) for sheets and bodies in the plane, by length (kg/m) for curves." },
	{ "color", LM_KEY_COLOR, LM_AT(lm_scene_object, color), .usual = "one of eight in turn, the first `\"#e0663f\"`",
	  .help = "In pictures." },
	{ "substeps", LM_KEY_INTEGER, .low = 1, .high = 1000, .preset = { 4 }, LM_AT(lm_scene_object, substeps),
	  .help = "Steps of the engine per frame, at least: what is touched or led by it may need more." },
	{ "touch", LM_KEY_TEXTS, LM_KEY_OR_FALSE, .low = 1, .high = 4096, LM_AT(lm_scene_object, touch),
	  LM_COUNT_AT(lm_scene_object, touch_count), .off = offsetof(lm_scene_object, touch_off), .usual = "all",
	  .help = "Objects that it touches, unless they say otherwise; `false`: none. Colliders have their own `touch`." },
	{ "groups", LM_KEY_MAP, .high = 4096, LM_AT(lm_scene_object, groups), LM_COUNT_AT(lm_scene_object, group_count),
	  .table = &lm_group_table, .usual = "those of the mesh file",
	  .help = "Named sets of vertices of the simulation mesh, for pins, pushes and engines to refer to." },
	{ "pins", LM_KEY_LIST, .high = 100000, LM_AT(lm_scene_object, pins), LM_COUNT_AT(lm_scene_object, pin_count),
	  .table = &lm_pin_table, .usual = "none", .help = "What is held." },
	{ "drags", LM_KEY_LIST, .high = 100000, LM_AT(lm_scene_object, drags), LM_COUNT_AT(lm_scene_object, drag_count),
	  .table = &lm_drag_table, .usual = "none", .help = "What is pulled." },
	{ "pushes", LM_KEY_LIST, .high = 100000, LM_AT(lm_scene_object, pushes), LM_COUNT_AT(lm_scene_object, push_count),
	  .table = &lm_push_table, .usual = "none", .help = "What is pushed." },
	{ "match", LM_KEY_POINTER, LM_AT(lm_scene_object, match), .table = &lm_match_table, .usual = "all defaults",
	  .help = "Settings of the engine `match`." },
	{ "act", LM_KEY_POINTER, LM_AT(lm_scene_object, act), .table = &lm_act_table, .usual = "all defaults",
	  .help = "Settings of the engine `act`." },
	{ "track", LM_KEY_POINTER, LM_AT(lm_scene_object, track), .table = &lm_track_table, .usual = "all defaults",
	  .help = "Settings of the engine `track`." },
	{ "design", LM_KEY_POINTER, LM_AT(lm_scene_object, design), .table = &lm_design_table, .usual = "all defaults",
	  .help = "Settings of the engine `design`." },
};

const lm_table lm_object_table = {
	.name = "object",
	.article = "an",
	.help = "Something soft.",
	.size = sizeof(lm_scene_object),
	.given = offsetof(lm_scene_object, given),
	.defaults = object_defaults,
	LM_KEYS(object_keys),
};

// ---- the scene ----

static void scene_defaults(void* item)
{
	lm_color_parse("#dbe4ee", ((lm_scene*)item)->background);
}

static const lm_key scene_keys[] = {
	{ "limber", LM_KEY_INTEGER, LM_KEY_REQUIRED, .low = 1, .high = 1, LM_AT(lm_scene, version),
	  .help = "The version of the format." },
	{ "$schema", LM_KEY_TEXT, LM_KEY_EMPTY, LM_AT(lm_scene, schema), .usual = "none",
	  .help = "For editors that check and complete as you type: the place of `scene.schema.json`. limber ignores it." },
	{ "name", LM_KEY_TEXT, LM_KEY_EMPTY, LM_AT(lm_scene, name), .usual = "the file's name", .help = "A short name." },
	{ "description", LM_KEY_TEXT, LM_KEY_EMPTY, LM_AT(lm_scene, description), .usual = "none",
	  .help = "What there is to see." },
	{ "fps", LM_KEY_NUMBER, .low = 1, .high = 1000, .preset = { 24 }, LM_AT(lm_scene, fps), .unit = "1/s",
	  .help = "Frames per second." },
	{ "seconds", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 86400, .preset = { 5 }, LM_AT(lm_scene, seconds), .unit = "s",
	  .help = "How long the scene is." },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, .preset = { 0, -9.81, 0 },
	  LM_AT(lm_scene, gravity), .unit = "m/s^2", .help = "Acceleration of everything that falls." },
	{ "camera", LM_KEY_TABLE, LM_AT(lm_scene, camera), .table = &lm_camera_table, .usual = "fits all that moves",
	  .help = "Where pictures are taken from." },
	{ "size", LM_KEY_INTEGERS, .width = 2, .low = 16, .high = 16384, .preset = { 960, 540 }, LM_AT(lm_scene, size),
	  .unit = "pixels", .help = "Width and height of pictures." },
	{ "background", LM_KEY_COLOR, LM_AT(lm_scene, background), .help = "Of pictures." },
	{ "colliders", LM_KEY_LIST, .high = 10000, LM_AT(lm_scene, colliders), LM_COUNT_AT(lm_scene, collider_count),
	  .table = &lm_collider_table, .usual = "none", .help = "What soft objects touch." },
	{ "fields", LM_KEY_LIST, .high = 1000, LM_AT(lm_scene, fields), LM_COUNT_AT(lm_scene, field_count),
	  .table = &lm_field_table, .usual = "none", .help = "Wind and other force fields, for all objects alike." },
	{ "objects", LM_KEY_LIST, LM_KEY_REQUIRED, .low = 1, .high = LM_OBJECTS_MAX, LM_AT(lm_scene, objects),
	  LM_COUNT_AT(lm_scene, object_count), .table = &lm_object_table, .help = "What is soft." },
};

const lm_table lm_scene_table = {
	.name = "scene",
	.article = "a",
	.help = "The whole file.",
	.size = sizeof(lm_scene),
	.given = offsetof(lm_scene, given),
	.defaults = scene_defaults,
	LM_KEYS(scene_keys),
};
