// keys_track.c: the keys of objects whose engine is `track`.
#include "scene/keys.h"
#include "scene/scene.h"

#define AT(type, field) .offset = offsetof(type, field)
#define COUNT_AT(type, field) .count = offsetof(type, field)
#define GIVEN(type, field) .given = offsetof(type, field)
#define KEYS(list) .keys = list, .key_count = (int32_t)(sizeof(list) / sizeof(list)[0])

// ---- the guide ----

static void guide_defaults(void* item)
{
	((lm_read_guide*)item)->guide.speed = 1;
}

static const lm_key guide_keys[] = {
	{ "file", LM_KEY_FILE, AT(lm_read_guide, file), GIVEN(lm_read_guide, file_given), .usual = "none",
	  .help = "The animation: a point cache (.pc2, .mdd), or meshes (.obj, .ply) whose names have {frame} in place of "
	          "the number; or give `object`." },
	{ "object", LM_KEY_TEXT, AT(lm_read_guide, object), GIVEN(lm_read_guide, object_given), .usual = "none",
	  .help = "Another object of the scene that leads; it is stepped first." },
	{ "mesh", LM_KEY_FILE, AT(lm_read_guide, mesh), GIVEN(lm_read_guide, mesh_given), .usual = "the object's mesh",
	  .help = "The undeformed shape of a guide that is another mesh. `paint` then names groups of both meshes." },
	{ "first", LM_KEY_INTEGER, .high = 10000000, AT(lm_read_guide, first),
	  .help = "Number of the first of a row of meshes." },
	{ "last", LM_KEY_INTEGER, .high = 10000000, AT(lm_read_guide, last), GIVEN(lm_read_guide, last_given),
	  .usual = "must be given for meshes", .help = "Number of the last." },
	{ "fps", LM_KEY_NUMBER, .low = 0.01, .high = 100000, AT(lm_read_guide, fps), GIVEN(lm_read_guide, fps_given),
	  .unit = "1/s", .usual = "the scene's; the file's own times for .mdd", .help = "Frames per second of the guide." },
	{ "offset", LM_KEY_VECTOR, .width = 3, AT(lm_read_guide, guide.offset), .unit = "m",
	  .help = "Added to its positions, to follow beside it." },
	{ "start", LM_KEY_NUMBER, AT(lm_read_guide, guide.start), .unit = "s",
	  .help = "When in the scene the guide begins; it rests before, and after its end." },
	{ "speed", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1000, AT(lm_read_guide, guide.speed),
	  .help = "How fast it is played: 2 is twice as fast." },
};

static const lm_table guide_table = {
	.name = "guide",
	.article = "a",
	.help = "The rough animation that leads: an object, or just the name of the file. It may cross itself. Files are "
			"in the coordinates of the object's mesh, and enlarged, turned and moved with it.",
	.size = sizeof(lm_read_guide),
	.defaults = guide_defaults,
	.short_key = "file",
	KEYS(guide_keys),
};

// ---- regions ----

static const lm_key paint_keys[] = {
	{ "group", LM_KEY_TEXT, LM_KEY_REQUIRED, AT(lm_read_paint, group),
	  .help = "A group of vertices that form one region, or the name of a list in `weights`." },
	{ "weights", LM_KEY_FILE, AT(lm_read_paint, weights), .usual = "1 in the group, 0 elsewhere",
	  .help = "A JSON file {\"name\": [one number per vertex], ...} with soft weights." },
	{ "guide_group", LM_KEY_TEXT, AT(lm_read_paint, guide_group), .usual = "the same name",
	  .help = "Its counterpart on a guide that is another mesh." },
	{ "strength", LM_KEY_KEYED, .width = 1, .high = 1e6, AT(lm_read_paint, strength), .usual = "1",
	  .help = "How strongly this region follows; 0 lets go." },
};

static const lm_table paint_table = {
	.name = "paint",
	.article = "a",
	.help = "A painted region: an object, or just the name of a group. Its average position is the guide's.",
	.size = sizeof(lm_read_paint),
	.short_key = "group",
	KEYS(paint_keys),
};

static void denser_defaults(void* item)
{
	((lm_read_denser*)item)->density = 1;
}

static const lm_key denser_keys[] = {
	{ "group", LM_KEY_TEXT, LM_KEY_REQUIRED, AT(lm_read_denser, group), .help = "Where." },
	{ "density", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e6, AT(lm_read_denser, density),
	  .help = "Regions per area, relative to elsewhere." },
};

static const lm_table denser_table = {
	.name = "denser",
	.article = "a",
	.help = "Where clusters are smaller or larger.",
	.size = sizeof(lm_read_denser),
	.defaults = denser_defaults,
	KEYS(denser_keys),
};

// ---- the undeformed shape ----

static const lm_key undeformed_keys[] = {
	{ "mesh", LM_KEY_FILE, AT(lm_read_undeformed, mesh), .usual = "the object's mesh",
	  .help = "The shape without stress: the same mesh, moved." },
	{ "to", LM_KEY_FILE, AT(lm_read_undeformed, to), .usual = "none",
	  .help = "A second shape, which `blend` leads to." },
	{ "blend", LM_KEY_KEYED, .width = 1, .low = -10, .high = 10, AT(lm_read_undeformed, blend),
	  GIVEN(lm_read_undeformed, blend_given), .usual = "0",
	  .help = "0 is the first shape, 1 the second. Folds that were made by yielding are forgotten when it changes." },
};

static const lm_table undeformed_table = {
	.name = "undeformed shape",
	.article = "an",
	.help = "A shape without stress that is not the mesh (folds, ridges, dents), or changes: an object, or just the "
			"name of the file.",
	.size = sizeof(lm_read_undeformed),
	.short_key = "mesh",
	KEYS(undeformed_keys),
};

// ---- all of it ----

static void track_defaults(void* item)
{
	lm_read_track* read = item;
	lm_scene_track_defaults(&read->track);
	lm_table_defaults(&guide_table, &read->guide);
}

// In the order of lm_subdivision.
static const char* const scheme_names[] = { "linear", "loop", NULL };

static const lm_key track_keys[] = {
	{ "stretch", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, AT(lm_read_track, track.settings.stretch), .unit = "N/m",
	  .help = "Stiffness against stretching." },
	{ "poisson", LM_KEY_NUMBER, .low = -0.9, .high = 0.9, AT(lm_read_track, track.settings.poisson),
	  .help = "How much it narrows when stretched." },
	{ "bend", LM_KEY_NUMBER, .high = 1e9, AT(lm_read_track, track.settings.bend), .unit = "N m",
	  .help = "Stiffness against bending: wrinkles grow with it." },
	{ "damping", LM_KEY_NUMBER, .high = 1000, AT(lm_read_track, track.settings.damping), .unit = "s",
	  .help = "Slows deformation; flight and spin are not slowed." },
	{ "yield", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, AT(lm_read_track, track.settings.yield),
	  .unit = "1/m", .usual = "never", .help = "Curvature beyond which folds stay." },
	{ "hardening", LM_KEY_NUMBER, .low = -1e6, .high = 1e6, AT(lm_read_track, track.settings.hardening), .unit = "m",
	  .help = "Folds that stay become stiffer by exp(hardening x curvature); negative: softer." },
	{ "thickness", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_track, track.settings.thickness), .unit = "m",
	  .usual = "a fifth of a mean edge", .help = "Contact sets in at this distance." },
	{ "friction", LM_KEY_NUMBER, .high = 100, AT(lm_read_track, track.settings.friction),
	  .help = "Coulomb's coefficient among everything that touches." },
	{ "self_contact", LM_KEY_FLAG, AT(lm_read_track, track.settings.self_contact),
	  .help = "Whether it touches itself; `false` lets it cross itself." },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, AT(lm_read_track, track.settings.gravity),
	  GIVEN(lm_read_track, gravity_given), .unit = "m/s^2", .usual = "the scene's", .help = "For this object alone." },
	{ "wind", LM_KEY_KEYED, .width = 3, .low = -1e4, .high = 1e4, AT(lm_read_track, wind), .unit = "m/s",
	  .usual = "[0, 0, 0]", .help = "Velocity of the air; gusts are keys." },
	{ "air_drag", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_track, track.settings.air_drag), .unit = "kg/m^3",
	  .help = "Pressure of the air: this times the squared speed across a face. About 1 for real air." },
	{ "subdivide", LM_KEY_INTEGER, .high = 8, AT(lm_read_track, track.levels),
	  .help = "Levels: each makes four triangles of one. The guide, the start and undeformed shapes may have the "
	          "vertices before or after it." },
	{ "scheme", LM_KEY_CHOICE, AT(lm_read_track, track.scheme), .choices = scheme_names,
	  .help = "`linear` keeps the shape, `loop` makes it smooth." },
	{ "guide", LM_KEY_TABLE, AT(lm_read_track, guide), GIVEN(lm_read_track, guide_given), .table = &guide_table,
	  .usual = "none: nothing leads", .help = "The animation to follow." },
	{ "paint", LM_KEY_LIST, .high = 100000, AT(lm_read_track, paint), COUNT_AT(lm_read_track, paint_count),
	  .table = &paint_table, .usual = "none", .help = "Painted regions." },
	{ "hats", LM_KEY_FLAG, AT(lm_read_track, track.hats), GIVEN(lm_read_track, hats_given),
	  .usual = "true with `subdivide` when there are no other regions",
	  .help = "One region around each vertex of the mesh before it is subdivided, fading to its neighbours." },
	{ "regions", LM_KEY_INTEGER, .high = 100000, AT(lm_read_track, track.regions), GIVEN(lm_read_track, regions_given),
	  .usual = "64 when there is a guide and no other region, else 0",
	  .help = "Clusters that move together in the guide, where nothing is painted. More follow more closely." },
	{ "compact", LM_KEY_NUMBER, .high = 1, AT(lm_read_track, track.compact),
	  .help = "Clusters are round at 1 and flat at 0." },
	{ "aware", LM_KEY_FLAG, AT(lm_read_track, track.aware),
	  .help = "Whether clusters are found from the frames of the guide, or from the undeformed shape alone." },
	{ "denser", LM_KEY_LIST, .high = 100000, AT(lm_read_track, denser), COUNT_AT(lm_read_track, denser_count),
	  .table = &denser_table, .usual = "none", .help = "Where clusters are smaller or larger." },
	{ "pointwise", LM_KEY_FLAG, AT(lm_read_track, track.pointwise),
	  .help = "Holds one vertex of each region instead of the average, to compare." },
	{ "strength", LM_KEY_KEYED, .width = 1, .high = 1e6, AT(lm_read_track, strength), .usual = "1",
	  .help = "How strongly all regions follow; 0 lets go." },
	{ "force", LM_KEY_NUMBER, .high = 1e9, AT(lm_read_track, track.settings.strength), .unit = "N",
	  .usual = "a hundred times the weight",
	  .help = "The force with which a region pulls at most before it gives way to contact." },
	{ "preroll", LM_KEY_NUMBER, .high = 3600, AT(lm_read_track, track.preroll), .unit = "s",
	  .help =
	      "Before the first frame: slow motion from the start to the guide's first frame, which may cross itself." },
	{ "undeformed", LM_KEY_TABLE, AT(lm_read_track, undeformed), .table = &undeformed_table, .usual = "the mesh",
	  .help = "Its shape without stress." },
	{ "tolerance", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_track, track.settings.tolerance), .unit = "m",
	  .usual = "1e-6 of the size", .help = "A step is done when nothing would move further than this." },
	{ "iterations", LM_KEY_INTEGER, .low = 1, .high = 10000, AT(lm_read_track, track.settings.most_iterations),
	  .help = "Of Newton's method in a step, at most." },
};

const lm_table lm_track_table = {
	.name = "track",
	.article = "the engine",
	.help = "Settings of the engine `track`: cloth that follows a rough animation on average and adds wrinkles, folds "
			"and follow-through, never crossing itself.",
	.size = sizeof(lm_read_track),
	.defaults = track_defaults,
	KEYS(track_keys),
};
