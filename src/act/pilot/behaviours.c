// behaviours.c: the behaviours, their names and parameters.
#include "act/pilot/behaviours.h"

#include <string.h>

// ---- behaviours ----

const char* const lm_act_behaviour_names[] = { "go",     "hop",  "stand", "walk",       "roll", "crawl",
	                                           "crouch", "jump", "trot",  "somersault", NULL };

#define GO "moves the centre of mass, rolling or creeping as it may"
#define HOP "crouches, pushes off, flies and lands over and over"
#define STAND "stays where it is, upright"
#define WALK "steps on two `feet`, a character also on four"
#define ROLL "turns over like a wheel"
#define CROUCH "stands with bent knees"
#define JUMP "hops once, then stands"
#define TROT "walks, on four feet with diagonal pairs of them at once"
#define SOMERSAULT "jumps, turns over in the air and stands"
#define CRAWL "moves the front and the rear of its sole in turn and never leaves the ground"

const lm_act_behaviour_info lm_act_behaviours[] = {
	[LM_ACT_GO] = { GO, "velocity path to speed weight height balance" },
	[LM_ACT_HOP] = { HOP, "velocity to speed up crouch squat lean land weight balance" },
	[LM_ACT_STAND] = { STAND, "weight balance" },
	[LM_ACT_WALK] = { WALK, "velocity path to speed step lift width turn face bounce sway lean weight" },
	[LM_ACT_ROLL] = { ROLL, "velocity path to speed weight height" },
	[LM_ACT_CRAWL] = { CRAWL, "velocity to speed step lift weight balance" },
	[LM_ACT_CROUCH] = { CROUCH, "squat weight balance" },
	[LM_ACT_JUMP] = { JUMP, "velocity crouch squat lean land weight balance" },
	[LM_ACT_SOMERSAULT] = { SOMERSAULT, "velocity crouch squat lean land turns weight balance" },
	[LM_ACT_TROT] = { TROT, "velocity path to speed step lift width turn face bounce sway lean weight" },
};

bool lm_act_steps(lm_act_behaviour behaviour)
{
	return behaviour == LM_ACT_WALK || behaviour == LM_ACT_TROT;
}

bool lm_act_behaviour_knows(lm_act_behaviour behaviour, const char* key)
{
	size_t length = strlen(key);
	for (const char* known = lm_act_behaviours[behaviour].keys; known[0] != 0;)
	{
		size_t size = strcspn(known, " ");
		if (size == length && memcmp(known, key, size) == 0)
			return true;
		known += size + strspn(known + size, " ");
	}
	return false;
}

#define AT(field) LM_AT(lm_act_command, field)

static const lm_key behaviour_keys[] = {
	{ "do", LM_KEY_CHOICE, LM_KEY_REQUIRED | LM_KEY_DECIDES, AT(behaviour), .choices = lm_act_behaviour_names,
	  .help = "`go` " GO "; `hop` " HOP "; `stand` " STAND "; `walk` " WALK "; `roll` " ROLL "; `crawl` " CRAWL
	          "; `crouch` " CROUCH "; `jump` " JUMP "; `trot` " TROT "; `somersault` " SOMERSAULT "." },
};

const lm_table lm_act_behaviour_table = {
	.name = "behaviour",
	.article = "a",
	.help = "What a body does.",
	.size = sizeof(lm_act_command),
	LM_KEYS(behaviour_keys),
};

// ---- commands ----

static const lm_key command_keys[] = {
	{ "to", LM_KEY_VECTOR, .width = 3, AT(place), .unit = "m", .usual = "none",
	  .help = "Instead of `velocity`: the place to get to; y is ignored. In space only characters `walk` to a place." },
	{ "speed", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1000, .preset = { 0.5 }, AT(speed), .unit = "m/s",
	  .help = "With `to`: not faster than this." },
	{ "up", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1000, .preset = { 1.5 }, AT(up), .unit = "m/s",
	  .help = "For `hop` with `to`: speed upwards when it leaves the ground." },
	{ "crouch", LM_KEY_NUMBER, .high = 60, .preset = { 0.2 }, AT(crouch_seconds), .unit = "s",
	  .help = "For `hop`: how long it crouches." },
	{ "squat", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 2, .preset = { 0.85 }, AT(squat),
	  .help =
	      "For `hop`, `jump` and `crouch`: height of the centre of mass when crouched, as a share of that at rest." },
	{ "lean", LM_KEY_NUMBER, .low = -2, .high = 2, AT(lean),
	  .help =
	      "For `hop`: how far the centre of mass is ahead of the middle of its support when crouched, as a share of "
	      "the way to the edge; below 0 it leans back. For `walk` of characters: radians that the trunk leans forward, "
	      "at most 0.5." },
	{ "land", LM_KEY_NUMBER, .high = 60, .preset = { 0.2 }, AT(land_seconds), .unit = "s",
	  .help = "For `hop`: how long it steadies itself at least." },
	{ "turns", LM_KEY_NUMBER, .low = -3, .high = 3, .preset = { 1 }, AT(turns),
	  .help = "For `somersault`: how often it turns over, forwards; below 0 backwards." },
	{ "step", LM_KEY_NUMBER, .low = 0.05, .high = 60, .preset = { 0.3 }, AT(step_seconds), .unit = "s",
	  .help = "For `walk`: how long a step takes; for `crawl`: how long each end moves." },
	{ "lift", LM_KEY_NUMBER, .high = 1, .preset = { 0.07 }, AT(lift), .usual = "0.07; 0.015 for `crawl`",
	  .help = "For `walk` and `crawl`: how high a foot is lifted, as a share of the body's height." },
	{ "width", LM_KEY_NUMBER, .high = 1e6, AT(width), .unit = "m", .usual = "as they stand at the beginning",
	  .help = "For `walk` in space: how far apart the feet are set down." },
	{ "turn", LM_KEY_NUMBER, .high = 100, AT(turn), .unit = "rad/s",
	  .help = "For `walk` in space: how fast it turns to face where it goes; 0 faces along x, whatever way it goes." },
	{ "face", LM_KEY_VECTOR, .width = 3, AT(face), .usual = "none",
	  .help = "For `walk` of characters: the direction that it turns to and faces, on the spot too; y is ignored." },
	{ "bounce", LM_KEY_NUMBER, .high = 0.1, AT(bounce),
	  .help = "For `walk` of characters: how far it goes up and down in a step, as a share of its height." },
	{ "sway", LM_KEY_NUMBER, .high = 0.5, AT(sway), .unit = "rad",
	  .help = "For `walk` of characters: how far the trunk leans over the foot that carries." },
	{ "weight", LM_KEY_NUMBER, .high = 1e6, .preset = { 1 }, AT(weight),
	  .help = "Of what is wanted of the centre of mass, against other goals and the regularisers." },
	{ "height", LM_KEY_NUMBER, .high = 1e6, .preset = { 0.3 }, AT(height_weight),
	  .help = "For `go` and `roll`: weight of keeping the centre of mass at its height at rest." },
	{ "balance", LM_KEY_NUMBER, .high = 1e6, .preset = { 1 }, AT(balance_weight), .usual = "1; 0 for `go`",
	  .help = "Weight of staying upright, of all but `walk` and `roll`." },
};

const lm_table lm_act_command_table = {
	.name = "numbers of a command",
	.article = "the",
	.help = "Parameters of a behaviour.",
	.size = sizeof(lm_act_command),
	LM_KEYS(command_keys),
};

lm_act_command lm_act_command_default(lm_act_behaviour behaviour)
{
	lm_act_command command;
	lm_table_defaults(&lm_act_command_table, &command);
	command.behaviour = behaviour;
	if (behaviour == LM_ACT_GO)
		command.balance_weight = 0; // it may roll
	if (behaviour == LM_ACT_HOP || behaviour == LM_ACT_JUMP)
		command.velocity[1] = command.up;
	if (behaviour == LM_ACT_SOMERSAULT)
		command.velocity[1] = 4;
	if (behaviour == LM_ACT_CRAWL)
		command.lift = 0.015;
	return command;
}

void lm_act_command_complete(const lm_table* table, void* item, size_t offset)
{
	char* command = (char*)item + offset;
	lm_act_command usual = lm_act_command_default(((lm_act_command*)command)->behaviour);
	for (int32_t i = 0; i < lm_table_count(&lm_act_command_table); ++i)
	{
		lm_key key = lm_table_key(&lm_act_command_table, i);
		size_t numbers = key.kind == LM_KEY_VECTOR ? (size_t)key.width : 1;
		if (!lm_key_given(table, item, offset + key.offset))
			memcpy(command + key.offset, (char*)&usual + key.offset, numbers * sizeof(double));
	}
}
