// keys_match.c: the keys of objects whose engine is `match`.
#include "scene/keys.h"
#include "scene/scene.h"

#define AT(field) .offset = offsetof(lm_read_match, field)
#define GIVEN(field) .given = offsetof(lm_read_match, field)
#define KEYS(list) .keys = list, .key_count = (int32_t)(sizeof(list) / sizeof(list)[0])

static const lm_key example_keys[] = {
	{ "mesh", LM_KEY_FILE, LM_KEY_REQUIRED, .offset = offsetof(lm_read_example, mesh),
	  .help = "The pose: the same mesh, moved." },
	{ "strength", LM_KEY_KEYED, .width = 1, .high = 1, .offset = offsetof(lm_read_example, strength), .usual = "1",
	  .help = "0 leaves the example out, 1 is all of it." },
};

static const lm_table example_table = {
	.name = "example",
	.article = "an",
	.help = "A pose that the object prefers when it deforms: an object, or just the name of the file.",
	.size = sizeof(lm_read_example),
	.short_key = "mesh",
	KEYS(example_keys),
};

static void match_defaults(void* item)
{
	lm_scene_match_defaults(&((lm_read_match*)item)->match);
}

// In the order of lm_match_locality.
static const char* const locality_names[] = { "global", "groups", "each", NULL };

// In the order of lm_match_descriptor.
static const char* const descriptor_names[] = { "pose", "stretch", NULL };

static const lm_key match_keys[] = {
	{ "frequency", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1000, AT(match.settings.frequency), .unit = "Hz",
	  .help = "How fast a small piece springs back: the stiffness, whatever the time step." },
	{ "damping", LM_KEY_NUMBER, .high = 2, AT(match.settings.damping),
	  .help = "Of the deformation, as a fraction of critical damping; flight and spin are not slowed." },
	{ "drag", LM_KEY_NUMBER, .high = 1e6, AT(match.settings.drag), .unit = "1/s",
	  .help = "Slows everything, as air does." },
	{ "beta", LM_KEY_NUMBER, .high = 1, AT(match.settings.beta),
	  .help = "How much of the example poses is kept; 0 ignores them, near 1 stays in them." },
	{ "ring", LM_KEY_INTEGER, .low = 1, .high = 8, AT(match.ring),
	  .help = "A region is all vertices within this many edges; more is stiffer." },
	{ "locality", LM_KEY_CHOICE, LM_KEY_DECIDES, AT(match.locality), GIVEN(locality_given), .choices = locality_names,
	  .usual = "`\"groups\"` when `groups` are given, else `\"global\"`",
	  .help =
	      "Whether the whole body follows the examples together, each group on its own, or each region on its own." },
	{ "groups", LM_KEY_TEXTS, .low = 1, .high = 4095, AT(groups), .count = offsetof(lm_read_match, group_count),
	  GIVEN(groups_given), .usual = "none",
	  .help = "Names of vertex groups, for the locality `groups`; a vertex in several follows the first, and all other "
	          "vertices form one more." },
	{ "descriptor", LM_KEY_CHOICE, AT(match.descriptor), .choices = descriptor_names,
	  .help =
	      "What an example asks of a region: all that it does there, or its stretch alone, which is faster but misses "
	      "what it bends or twists within a region." },
	{ "friction", LM_KEY_NUMBER, .high = 100, AT(match.settings.friction),
	  .help = "Coulomb's coefficient; two touching things use the geometric mean of theirs." },
	{ "restitution", LM_KEY_NUMBER, .high = 1, AT(match.settings.restitution),
	  .help = "How much of the speed of an impact comes back." },
	{ "thickness", LM_KEY_NUMBER, .high = 1e6, AT(match.settings.thickness), .unit = "m",
	  .help = "Contacts keep this distance." },
	{ "self_contact", LM_KEY_FLAG, AT(match.settings.self_contact), .help = "Whether it touches itself." },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, AT(match.settings.gravity), GIVEN(gravity_given),
	  .unit = "m/s^2", .usual = "the scene's", .help = "For this object alone." },
	{ "examples", LM_KEY_LIST, .high = 64, AT(examples), .count = offsetof(lm_read_match, example_count),
	  .table = &example_table, .usual = "none", .help = "Poses that it prefers when it deforms." },
};

const lm_table lm_match_table = {
	.name = "match",
	.article = "the engine",
	.help = "Settings of the engine `match`: real-time soft objects that prefer example poses.",
	.size = sizeof(lm_read_match),
	.defaults = match_defaults,
	KEYS(match_keys),
};
