// keys.c: the keys of objects whose engine is `track`.
#include "scene/keys.h"
#include "objects/track/track.h"
#include "track/settings.h"

// ---- the guide ----

// In the order of lm_guide_bind.
static const char* const bind_names[] = { "vertices", "garment", "skin", NULL };

static const lm_key guide_keys[] = {
	{ "file", LM_KEY_FILE, LM_AT(lm_scene_guide, file), .usual = "none",
	  .help = "The animation: a point cache (.pc2, .mdd), or meshes (.obj, .ply) whose names have {frame} in place of "
	          "the number, with any number of digits; or give `object`." },
	{ "object", LM_KEY_TEXT, LM_AT(lm_scene_guide, object), .usual = "none",
	  .help = "Another object of the scene that leads; it is stepped first." },
	{ "bind", LM_KEY_CHOICE, LM_AT(lm_scene_guide, bind), .choices = bind_names,
	  .help =
	      "How an `object` leads: vertex by vertex (it has as many, or `paint` names groups of both); as the body of a "
	      "`garment`, of any mesh, that is led by the nearest points of its surface and touches it, and is moved out "
	      "of it at the start; of a `skin`, likewise, which takes the place of its surface: they do not touch, and "
	      "the body is not shown." },
	{ "mesh", LM_KEY_FILE, LM_AT(lm_scene_guide, mesh_file), .usual = "the object's mesh",
	  .help = "The undeformed shape of a guide that is another mesh. `paint` then names groups of both meshes." },
	LM_ANIMATION_KEYS(lm_scene_guide),
	{ "scale", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, .preset = { 1 }, LM_AT(lm_scene_guide, scale),
	  .help = "Enlarges what is in its file, where that is in other units than the mesh." },
	{ "rotation", LM_KEY_ROTATION, LM_AT(lm_scene_guide, rotation),
	  .help = "Turns what is in its file, where that has other axes than the mesh." },
	{ "offset", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_guide, offset), .unit = "m",
	  .help = "Added to its positions, to follow beside it." },
};

const lm_table lm_track_guide_table = {
	.name = "guide",
	.article = "a",
	.help = "The rough animation that leads: an object, or just the name of the file. It may cross itself. Files are "
			"in the coordinates of the object's mesh, and enlarged, turned and moved with it.",
	.size = sizeof(lm_scene_guide),
	.given = offsetof(lm_scene_guide, given),
	.short_key = "file",
	LM_KEYS(guide_keys),
};

// ---- regions ----

static const lm_key paint_keys[] = {
	{ "group", LM_KEY_TEXT, LM_KEY_REQUIRED, LM_AT(lm_scene_paint, group),
	  .help = "A group of vertices that form one region, or the name of a list in `weights`." },
	{ "weights", LM_KEY_FILE, LM_AT(lm_scene_paint, weights), .usual = "1 in the group, 0 elsewhere",
	  .help = "A JSON file {\"name\": [one number per vertex], ...} with soft weights." },
	{ "guide_group", LM_KEY_TEXT, LM_AT(lm_scene_paint, guide_group), .usual = "the same name",
	  .help = "Its counterpart on a guide that is another mesh." },
	{ "regions", LM_KEY_INTEGER, .low = 1, .high = 100000, .preset = { 1 }, LM_AT(lm_scene_paint, regions),
	  .help = "How many regions it is split into, of vertices that move together in the guide; there may be fewer." },
	{ "strength", LM_KEY_KEYED, .width = 1, .high = 1e6, LM_AT(lm_scene_paint, strength), .usual = "1",
	  .help = "How strongly this region follows; 0 lets go." },
};

static const lm_table paint_table = {
	.name = "paint",
	.article = "a",
	.help = "A painted region: an object, or just the name of a group. Its average position is the guide's.",
	.size = sizeof(lm_scene_paint),
	.short_key = "group",
	LM_KEYS(paint_keys),
};

static const lm_key denser_keys[] = {
	{ "group", LM_KEY_TEXT, LM_KEY_REQUIRED, LM_AT(lm_scene_denser, group), .help = "Where." },
	{ "density", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e6, .preset = { 1 }, LM_AT(lm_scene_denser, density),
	  .help = "Regions per area, relative to elsewhere." },
};

static const lm_table denser_table = {
	.name = "denser",
	.article = "a",
	.help = "Where clusters are smaller or larger.",
	.size = sizeof(lm_scene_denser),
	LM_KEYS(denser_keys),
};

// ---- cuts ----

static const lm_key cut_keys[] = {
	{ "time", LM_KEY_NUMBER, LM_KEY_REQUIRED, .high = 1e9, LM_AT(lm_scene_cut, time), .unit = "s", .help = "When." },
};

static const lm_table cut_table = {
	.name = "cut",
	.article = "a",
	.help = "A time at which the guide jumps: an object, or just the time.",
	.size = sizeof(lm_scene_cut),
	.short_key = "time",
	LM_KEYS(cut_keys),
};

// ---- the undeformed shape ----

static const lm_key undeformed_keys[] = {
	{ "mesh", LM_KEY_FILE, LM_AT(lm_scene_undeformed, mesh_file), .usual = "the object's mesh",
	  .help = "The shape without stress: the same mesh, moved." },
	{ "to", LM_KEY_FILE, LM_AT(lm_scene_undeformed, to_file), .usual = "none",
	  .help = "A second shape, which `blend` leads to." },
	{ "blend", LM_KEY_KEYED, .width = 1, .low = -10, .high = 10, LM_AT(lm_scene_undeformed, blend), .usual = "0",
	  .help = "0 is the first shape, 1 the second. Plastic folds are reset when it changes." },
};

const lm_table lm_track_undeformed_table = {
	.name = "undeformed shape",
	.article = "an",
	.help = "A shape without stress that is not the mesh (folds, ridges, dents), or changes: an object, or just the "
			"name of the file.",
	.size = sizeof(lm_scene_undeformed),
	.given = offsetof(lm_scene_undeformed, given),
	.short_key = "mesh",
	LM_KEYS(undeformed_keys),
};

// ---- all of it ----

#define AT(field) LM_AT(lm_scene_track, field)

// In the order of lm_track_material.
static const char* const material_names[] = { "none",  "silk",  "cotton", "denim", "leather",
	                                          "vinyl", "paper", "rubber", NULL };

// In the order of lm_subdivision.
static const char* const scheme_names[] = { "linear", "loop", NULL };

static const lm_key track_keys[] = {
	{ .kind = LM_KEY_INCLUDE,
	  LM_KEY_IN_TIME,
	  .table = &lm_track_settings_table,
	  AT(settings),
	  .off = offsetof(lm_scene_track, keyed) },
	{ "material", LM_KEY_CHOICE, AT(material), .choices = material_names,
	  .help = "What it is made of: the object's density, and stretch, poisson, bend, damping, yield, hardening and "
	          "friction, "
	          "each where it is not given." },
	{ "subdivide", LM_KEY_INTEGER, .high = 8, AT(levels),
	  .help = "Levels: each makes four triangles of one. The guide, the start and undeformed shapes may have the "
	          "vertices before or after it." },
	{ "scheme", LM_KEY_CHOICE, AT(scheme), .choices = scheme_names,
	  .help = "`linear` keeps the shape, `loop` makes it smooth." },
	{ "guide", LM_KEY_TABLE, AT(guide), .table = &lm_track_guide_table, .usual = "none: nothing leads",
	  .help = "The animation to follow." },
	{ "paint", LM_KEY_LIST, .high = 100000, AT(paint), LM_COUNT_AT(lm_scene_track, paint_count), .table = &paint_table,
	  .usual = "none", .help = "Painted regions." },
	{ "hats", LM_KEY_FLAG, AT(hats), .usual = "true with `subdivide` when there are no other regions",
	  .help = "One region around each vertex of the mesh before it is subdivided, fading to its neighbours." },
	{ "regions", LM_KEY_INTEGER, .high = 100000, AT(regions),
	  .usual = "64 when there is a guide and no other region, else 0",
	  .help = "Clusters that move together in the guide, where nothing is painted. More follow more closely." },
	{ "compact", LM_KEY_NUMBER, .high = 1, .preset = { LM_TRACK_COMPACT }, AT(compact),
	  .help = "Clusters are round at 1 and flat at 0." },
	{ "aware", LM_KEY_FLAG, .preset = { true }, AT(aware),
	  .help = "Whether clusters are found from the frames of the guide, or from the undeformed shape alone." },
	{ "denser", LM_KEY_LIST, .high = 100000, AT(denser), LM_COUNT_AT(lm_scene_track, denser_count),
	  .table = &denser_table, .usual = "none", .help = "Where clusters are smaller or larger." },
	{ "pointwise", LM_KEY_FLAG, AT(pointwise),
	  .help = "Holds one vertex of each region instead of the average, to compare." },
	{ "preroll", LM_KEY_NUMBER, .high = 3600, AT(preroll), .unit = "s",
	  .help =
	      "Before the first frame: slow motion from the start to the guide's first frame, which may cross itself." },
	{ "cuts", LM_KEY_LIST, .high = 100000, AT(cuts), LM_COUNT_AT(lm_scene_track, cut_count), .table = &cut_table,
	  .usual = "none",
	  .help = "Times at which the guide jumps; the cloth is carried over them as a rigid body, with its folds." },
	{ "repair", LM_KEY_FLAG, .preset = { true }, AT(repair),
	  .help =
	      "Takes meshes as they are found: doubled vertices are welded (the output has them all), triangles without "
	      "area are ignored, loose vertices ride along, and what crosses at the start comes free. `false` refuses "
	      "such meshes." },
	{ "undeformed", LM_KEY_TABLE, AT(undeformed), .table = &lm_track_undeformed_table, .usual = "the mesh",
	  .help = "Its shape without stress." },
};

const lm_table lm_track_table = {
	.name = "track",
	.article = "the engine",
	.help = "Settings of the engine `track`: cloth that follows a rough animation on average and adds wrinkles, folds "
			"and follow-through, never crossing itself.",
	.size = sizeof(lm_scene_track),
	.given = offsetof(lm_scene_track, given),
	LM_KEYS(track_keys),
};
