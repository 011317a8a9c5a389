// keys.c: the keys of objects whose engine is `match`.
#include "scene/keys.h"
#include "match/settings.h"

#define AT(field) LM_AT(lm_scene_match, field)

static const lm_key example_keys[] = {
	{ "mesh", LM_KEY_FILE, LM_KEY_REQUIRED, LM_AT(lm_scene_example, file), .help = "The pose: the same mesh, moved." },
	{ "strength", LM_KEY_KEYED, LM_KEY_CONSTANT, .width = 1, .high = 1, .preset = { 1 },
	  LM_AT(lm_scene_example, strength), .usual = "1", .help = "0 leaves the example out, 1 is all of it." },
	{ "touching", LM_KEY_NUMBER, .high = 1, LM_AT(lm_scene_example, touching), .usual = "`strength`",
	  .help =
	      "Strength while the object touches something: colliders, or other bodies, by 2 % of its weight or more." },
	{ "ease", LM_KEY_NUMBER, .low = 0.001, .high = 1e6, .preset = { 0.25 }, LM_AT(lm_scene_example, ease), .unit = "s",
	  .help = "With `touching`: how long the strength takes from 0 to 1, or back." },
};

const lm_table lm_match_example_table = {
	.name = "example",
	.article = "an",
	.help = "A pose that the object prefers when it deforms: an object, or just the name of the file.",
	.size = sizeof(lm_scene_example),
	.given = offsetof(lm_scene_example, given),
	.short_key = "mesh",
	LM_KEYS(example_keys),
};

// In the order of lm_match_locality.
static const char* const locality_names[] = { "global", "groups", "each", NULL };

// In the order of lm_match_descriptor.
static const char* const descriptor_names[] = { "pose", "stretch", NULL };

// In the order of lm_match_method.
static const char* const method_names[] = { "ours", "paper", NULL };

static const lm_key match_keys[] = {
	{ .kind = LM_KEY_INCLUDE,
	  LM_KEY_IN_TIME,
	  .table = &lm_match_settings_table,
	  AT(settings),
	  .off = offsetof(lm_scene_match, keyed) },
	{ "ring", LM_KEY_INTEGER, .high = 8, .preset = { 1 }, AT(ring),
	  .help = "A region is all vertices within this many edges; more is stiffer. 0: only `regions`." },
	{ "regions", LM_KEY_TEXTS, .low = 1, .high = 4096, AT(regions), LM_COUNT_AT(lm_scene_match, region_count),
	  .usual = "none",
	  .help = "Names of vertex groups (lists, boxes, painted), whose vertices share a region besides those of the "
	          "ring: each "
	          "moves as one piece." },
	{ "locality", LM_KEY_CHOICE, LM_KEY_DECIDES, AT(locality), .choices = locality_names,
	  .usual = "`\"groups\"` when `groups` are given, else `\"global\"`",
	  .help =
	      "Whether the whole body follows the examples together, each group on its own, or each region on its own." },
	{ "groups", LM_KEY_TEXTS, .low = 1, .high = 4095, AT(groups), LM_COUNT_AT(lm_scene_match, group_count),
	  .usual = "none",
	  .help = "Names of vertex groups, for the locality `groups`; a vertex in several follows the first, and all other "
	          "vertices form one more." },
	{ "descriptor", LM_KEY_CHOICE, AT(descriptor), .choices = descriptor_names,
	  .help = "What of a region is compared with an example: its whole pose, or its stretch alone, which is faster but "
	          "misses "
	          "bending and twisting within a region." },
	{ "method", LM_KEY_CHOICE, AT(method), .choices = method_names,
	  .help = "Ours, or the paper exactly as printed, to compare with: its stiffness is `alpha`, in steps that are not "
	          "cut." },
	{ "examples", LM_KEY_LIST, .high = 64, AT(examples), LM_COUNT_AT(lm_scene_match, example_count),
	  .table = &lm_match_example_table, .usual = "none", .help = "Poses that it prefers when it deforms." },
};

const lm_table lm_match_table = {
	.name = "match",
	.article = "the engine",
	.help = "Settings of the engine `match`: real-time soft objects that prefer example poses.",
	.size = sizeof(lm_scene_match),
	.given = offsetof(lm_scene_match, given),
	LM_KEYS(match_keys),
};
